// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory by address: managed, pinned, device and registered memory. Bytes
 * behind each allocation are a canary, which is checked for stores of engines.
 */
#include <errno.h>
#include <string.h>

#include "embedded.h"

/* Length of the canary behind an allocation, at least and at most. */
#define CANARY_MIN	64U
#define CANARY_MAX	256U
#define CANARY_BYTE	0xc3

static uint64_t ptr_canary_len(const struct embedded_buf *buf)
{
	const uint64_t rest = buf->base.len - buf->base.asked_len;

	/* The bytes behind an import belong to its owner. */
	if (is_imported(&buf->base))
		return 0;
	return rest < CANARY_MAX ? rest : CANARY_MAX;
}

static void ptr_fill_new(const struct embedded_ctx *ctx,
			 const struct embedded_buf *buf)
{
	const uint64_t len = buf->base.asked_len;

	if (ctx->poison >= 0 && buf->base.kind != MEM_KIND_PINNED)
		memset(buf->dram, ctx->poison, len);
	memset(buf->dram + len, CANARY_BYTE, ptr_canary_len(buf));
}

/**
 * ptr_look_behind() - check the canary of an allocation
 * @buf: memory by address
 * @work: work that has just run, and is blamed; NULL: before work runs, the CPU
 *
 * Restores the canary, so that a change is reported once.
 *
 * Context: caller must hold the order lock.
 */
void ptr_look_behind(const struct embedded_buf *buf, const struct work *work)
{
	uint8_t *canary = buf->dram + buf->base.asked_len;
	const uint64_t len = ptr_canary_len(buf);
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

/*
 * Stores behind an allocation that no job has seen are in the CPU's cache
 * alone. What was cleaned has been looked at before a job.
 */
static void ptr_look_in_cache(const struct embedded_buf *buf)
{
	const uint64_t len = ptr_canary_len(buf);
	uint64_t i;

	if (!buf->has_two_views)
		return;
	for (i = 0; i < len; i++) {
		const uint64_t off = buf->base.asked_len + i;

		if (buf->cpu[off] == CANARY_BYTE ||
		    !line_page_has_dirty(&buf->lines,
					 off >> window_page_shift()))
			continue;
		watch_overrun(buf, off, NULL);
		return;
	}
}

/**
 * ptr_place() - allocate memory in the window, and the state of its lines
 * @ctx: context
 * @buf: buffer without memory
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
 * ptr_give_access() - make memory accessible if no touch needs to be detected
 * @buf: buffer with memory
 */
void ptr_give_access(struct embedded_buf *buf)
{
	sigset_t old;

	buf_lock(buf, &old);
	buf->is_mapped = true;
	/* Any other memory becomes accessible when it is touched. */
	if (buf->base.kind == MEM_KIND_PINNED && !atomic_is_looked_for(buf))
		protect_set(buf->first, buf->nr_pages, PAGE_WRITE);
	buf_unlock(buf, &old);
}

/**
 * ptr_alloc() - allocate memory for mem_alloc()
 * @base: context
 * @kind: managed, pinned or device
 * @len: bytes, above 0
 * @flags: flags of the kind
 * @made: out: buffer
 *
 * Return: 0, -EINVAL (@len is too large) or -ENOMEM.
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
	ptr_fill_new(ctx, buf);
	if (kind == MEM_KIND_MANAGED) {
		right_buf_init(&buf->right, len);
		order_buf_create(&buf->base, &buf->order);
	}
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
 * ptr_free() - backend operation of mem_free() and mem_unregister()
 * @base: buffer of which no job is left
 */
void ptr_free(struct mem_buf *base)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	struct embedded_ctx *ctx = embedded_ctx_of(base->ctx);
	sigset_t before, old;

	signals_block(&before);
	order_lock(base->ctx, &old);
	ptr_look_behind(buf, NULL);
	order_unlock(base->ctx, &old);
	run_forget_freed(ctx, buf);
	race_end(base);
	if (base->kind == MEM_KIND_MANAGED)
		order_buf_destroy(base);
	if (base->kind != MEM_KIND_REGISTERED && !is_imported(base))
		board_give(ctx->base.board, base->kind, base->flags,
			   base->asked_len);
	buf_lock(buf, &old);
	ptr_look_in_cache(buf);
	watch_free(buf);
	watch_freed(buf);
	buf->is_mapped = false;
	protect_set(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
	buf_unlock(buf, &old);
	embedded_buf_put(buf);
	signals_restore(&before);
}

/**
 * ptr_find() - find the buffer at an address
 * @ctx: ignored
 * @addr: any address
 *
 * Return: the buffer, with a reference, for embedded_buf_put(), or NULL.
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
