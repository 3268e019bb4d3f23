// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory that is known by its address: managed, pinned, device and registered.
 * Each allocation has bytes behind it that nobody has a right to; engines are
 * looked after there.
 */
#include <errno.h>
#include <string.h>

#include "embedded.h"

/* Behind each allocation, at least and at most. */
#define CANARY_MIN	64U
#define CANARY_MAX	256U
#define CANARY_BYTE	0xc3

static uint64_t canary_len(const struct embedded_buf *buf)
{
	const uint64_t rest = buf->base.len - buf->base.asked_len;

	/* What is behind that is its owner's. */
	if (is_imported(&buf->base))
		return 0;
	return rest < CANARY_MAX ? rest : CANARY_MAX;
}

static void fill_new(const struct embedded_ctx *ctx,
		     const struct embedded_buf *buf)
{
	const uint64_t len = buf->base.asked_len;

	if (ctx->poison >= 0 && buf->base.kind != MEM_KIND_PINNED)
		memset(buf->dram, ctx->poison, len);
	memset(buf->dram + len, CANARY_BYTE, canary_len(buf));
}

/**
 * ptr_look_behind() - has somebody written behind an allocation?
 * @buf: by address
 * @work: that has just run; NULL: it is about to: the CPU has
 *
 * Told once: the bytes are as they were then.
 *
 * Context: the order lock is held.
 */
void ptr_look_behind(const struct embedded_buf *buf, const struct work *work)
{
	uint8_t *canary = buf->dram + buf->base.asked_len;
	const uint64_t len = canary_len(buf);
	uint64_t i;

	if (buf->base.kind == MEM_KIND_REGISTERED)
		return;
	for (i = 0; i < len && canary[i] == CANARY_BYTE; i++)
		;
	if (i == len)
		return;
	watch_overrun(buf, buf->base.asked_len + i, work);
	memset(canary, CANARY_BYTE, len);
}

/**
 * ptr_place() - a place for memory, and the state of its lines
 * @ctx: context
 * @buf: without a place
 *
 * Return: 0 or -ENOMEM.
 */
int ptr_place(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	sigset_t old;
	int err;

	signals_block(&old);
	err = window_alloc(buf);
	signals_restore(&old);
	if (err || !buf->has_two_views)
		return err;
	err = view_init(buf, ctx->base.board);
	if (err) {
		signals_block(&old);
		window_free(buf);
		signals_restore(&old);
	}
	return err;
}

/**
 * ptr_give_access() - let the CPU touch memory, as far as its kind allows it
 * @buf: with its place
 */
void ptr_give_access(struct embedded_buf *buf)
{
	sigset_t old;

	buf_lock(buf, &old);
	buf->is_mapped = true;
	/* All else is given when it is touched, and may be. */
	if (buf->base.kind == MEM_KIND_PINNED && !atomic_is_looked_for(buf))
		window_protect(buf->first, buf->nr_pages, PAGE_WRITE);
	buf_unlock(buf, &old);
}

/**
 * ptr_alloc() - of mem_alloc()
 * @base: context
 * @kind: managed, pinned or device
 * @len: bytes, above 0
 * @flags: of the kind
 * @made: out
 *
 * Return: 0, -EINVAL (@len is more than can be) or -ENOMEM.
 */
int ptr_alloc(struct mem_ctx *base, enum mem_kind kind, uint64_t len,
	      unsigned int flags, struct mem_buf **made)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	struct embedded_buf *buf;
	int err;

	if (len > INT64_MAX / 2)
		return -EINVAL;
	err = board_take(base->board, kind, flags, len);
	if (err)
		return err;
	err = -ENOMEM;
	buf = embedded_buf_create(ctx, kind, len + CANARY_MIN);
	if (!buf)
		goto err_give;
	buf->base.ctx = base;
	buf->base.asked_len = len;
	buf->base.flags = flags;
	err = ptr_place(ctx, buf);
	if (err)
		goto err_destroy;
	buf->base.device = buf->addr;
	buf->base.host = kind == MEM_KIND_DEVICE ? NULL : buf->addr;
	fill_new(ctx, buf);
	if (kind == MEM_KIND_MANAGED)
		order_buf_create(ctx, buf);
	ptr_give_access(buf);
	watch_alloc(buf);
	*made = &buf->base;
	return 0;

err_destroy:
	embedded_buf_destroy(buf);
err_give:
	board_give(base->board, kind, flags, len);
	return err;
}

/**
 * ptr_free() - of mem_free() and mem_unregister()
 * @base: buffer that no work touches any more
 */
void ptr_free(struct mem_buf *base)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	struct embedded_ctx *ctx = embedded_ctx_of(base->ctx);
	sigset_t before, old;

	signals_block(&before);
	order_lock(ctx, &old);
	ptr_look_behind(buf, NULL);
	order_unlock(ctx, &old);
	run_forget(ctx, buf);
	if (base->kind == MEM_KIND_MANAGED)
		order_buf_destroy(ctx, buf);
	if (base->kind != MEM_KIND_REGISTERED && !is_imported(base))
		board_give(ctx->base.board, base->kind, base->flags,
			   base->asked_len);
	buf_lock(buf, &old);
	watch_free(buf);
	watch_freed(buf);
	buf->is_mapped = false;
	window_protect(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
	buf_unlock(buf, &old);
	embedded_buf_put(buf);
	signals_restore(&before);
}

/**
 * ptr_find() - whose address it is
 * @ctx: not needed
 * @addr: any
 *
 * Return: the buffer, kept, for embedded_buf_put(), or NULL.
 */
struct mem_buf *ptr_find(struct mem_ctx *ctx, const void *addr)
{
	struct embedded_buf *buf;
	sigset_t old;

	(void)ctx;
	if (!window_has((uintptr_t)addr)) {
		buf = register_find(addr);
		return buf ? &buf->base : NULL;
	}
	signals_block(&old);
	buf = window_find_buf((uintptr_t)addr);
	signals_restore(&old);
	return buf ? &buf->base : NULL;
}
