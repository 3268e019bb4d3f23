// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The embedded backend's table: contexts, buffers, brackets. Descriptors of
 * buffers are memfds (share.c), which processes can share, but not drivers.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "embedded.h"

#define DEFAULT_SOC		"generic-noncoherent"
#define DEFAULT_FILL		65536U
#define MAX_FILL		(2U << 20)
#define DEFAULT_POISON		0xa5

/* Longest wait of a begin; the module's START has the same. */
#define BRACKET_WAIT_NS		(5 * NS_PER_S)

static int embedded_fill_of(const struct mem_ctx_options *options,
			    uint32_t *fill)
{
	const uint32_t page_size = 1U << window_page_shift();

	*fill = options->fill_size ? options->fill_size : DEFAULT_FILL;
	if (*fill & (*fill - 1) || *fill < page_size || *fill > MAX_FILL)
		return -EINVAL;
	return 0;
}

/* Returns a byte, or -1: none. */
static int embedded_poison_of(uint32_t option)
{
	if (option == MEM_POISON_NONE)
		return -1;
	return option ? (int)option : DEFAULT_POISON;
}

static int embedded_open(const struct mem_ctx_options *options,
			 struct mem_ctx **ctx)
{
	const char *soc = options->soc[0] ? options->soc : DEFAULT_SOC;
	const struct profile *profile = profile_find(soc);
	struct embedded_ctx *new;
	uint32_t fill;
	bool is_precise;
	int err;

	if (!profile)
		return -EINVAL;
	is_precise = record_is_on() ? record_is_precise() : options->precise;
	err = window_get();
	if (!err)
		err = embedded_fill_of(options, &fill);
	if (!err && is_precise)
		err = step_init();
	if (err)
		return err;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->base.backend = &embedded_backend;
	atomic_init(&new->base.nr_users, 1);
	new->base.board = profile;
	new->fill = fill;
	new->policy = record_is_on() ? (uint32_t)record_policy() :
				       options->policy;
	if (new->policy == MEM_POLICY_DEFAULT)
		new->policy = MEM_POLICY_STRICT;
	/* In an open window nothing is detected. */
	if (window_is_open())
		new->policy = MEM_POLICY_OFF;
	new->poison = embedded_poison_of(options->poison);
	new->evicts = options->evict == MEM_EVICT_RANDOM;
	new->seed = options->seed;
	if (record_is_on())
		new->evicts = record_evicts(&new->seed);
	new->is_precise = is_precise && new->policy != MEM_POLICY_OFF;
	rights_init(new);
	order_init(&new->base, &new->order);
	run_init(new);
	record_context(profile->name, profile->line_size);
	record_unwatched(true);
	if (!signals_are_seen())
		record_bypassed();
	if (engine_is_inline())
		record_inline();
	*ctx = &new->base;
	return 0;
}

static void embedded_close(struct mem_ctx *base)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);

	watchers_end(ctx);
	/* A child has no engines, and must not change shared records. */
	if (!window_is_forked()) {
		run_fini(ctx);
		order_fini(base);
		rights_fini(ctx);
	}
	free(ctx);
}

static int embedded_probe(struct mem_ctx *base, struct mem_probe *probe)
{
	const struct embedded_ctx *ctx = embedded_ctx_of(base);

	if (window_is_forked())
		return -EPERM;
	probe->backend = MEM_BACKEND_EMBEDDED;
	probe->line_size = ctx->base.board->line_size;
	probe->fill_size = ctx->fill;
	probe->page_size = 1U << window_page_shift();
	probe->policy = ctx->policy;
	probe->evict_random = ctx->evicts;
	probe->seed = ctx->evicts ? ctx->seed : 0;
	probe->precise = ctx->is_precise;
	probe->io_coherent = ctx->base.board->is_io_coherent;
	strcpy(probe->soc, ctx->base.board->name);
	return 0;
}

static int embedded_check(void)
{
	return window_is_forked() ? -EPERM : 0;
}

static int embedded_watch(struct mem_ctx *ctx, unsigned int what, uint32_t nr)
{
	if (window_is_forked())
		return -EPERM;
	return watchers_begin(embedded_ctx_of(ctx), what, nr);
}

static int embedded_watch_fd(struct mem_ctx *ctx, int *fd)
{
	if (window_is_forked())
		return -EPERM;
	return watchers_fd(embedded_ctx_of(ctx), fd);
}

static int embedded_next_violation(struct mem_ctx *ctx,
				   struct mem_violation *violation)
{
	if (window_is_forked())
		return -EPERM;
	return watchers_next(embedded_ctx_of(ctx), violation);
}

static enum mem_kind embedded_kind_of(const struct embedded_ctx *ctx,
				      enum mem_kind kind)
{
	if (kind != MEM_KIND_SYSTEM)
		return kind;
	return ctx->base.board->is_io_coherent ? MEM_KIND_COHERENT :
					      MEM_KIND_NONCOHERENT;
}

static int embedded_alloc(struct mem_ctx *base, enum mem_kind kind,
			  uint64_t len, const char *name,
			  struct mem_buf **made)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	const uint64_t page_size = 1ULL << window_page_shift();
	struct embedded_buf *buf;
	sigset_t old;
	int err;

	if (window_is_forked())
		return -EPERM;
	if (kind >= MEM_KIND_FOREIGN || len > INT64_MAX - page_size)
		return -EINVAL;
	buf = embedded_buf_create(ctx, embedded_kind_of(ctx, kind), len);
	if (!buf)
		return -ENOMEM;
	if (name)
		strcpy(buf->name, name);
	signals_block(&old);
	err = window_alloc(buf);
	signals_restore(&old);
	if (err)
		goto err_destroy;
	if (buf->has_two_views)
		err = view_init(buf, ctx->base.board);
	if (err)
		goto err_free;
	/* Its address for kernels, whether the CPU has mapped it or not. */
	buf->base.device = buf->addr;
	*made = &buf->base;
	return 0;

err_free:
	signals_block(&old);
	window_free(buf);
	signals_restore(&old);
err_destroy:
	embedded_buf_destroy(buf);
	return err;
}

/* Names of the module's heaps. */
static int embedded_alloc_heap(struct mem_ctx *ctx, const char *heap,
			       uint64_t len, struct mem_buf **made)
{
	static const char *const names[] = {
		[MEM_KIND_SYSTEM] = "system",
		[MEM_KIND_NONCOHERENT] = "noncoherent",
		[MEM_KIND_COHERENT] = "coherent",
		[MEM_KIND_UNCACHED] = "system-uncached",
		[MEM_KIND_CONTIGUOUS] = "contiguous",
	};
	unsigned int kind;

	for (kind = 0; kind < MEM_KIND_FOREIGN; kind++)
		if (!strcmp(heap, names[kind]))
			return embedded_alloc(ctx, (enum mem_kind)kind, len,
					      NULL, made);
	return -ENOENT;
}

static void embedded_free(struct mem_buf *base)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	sigset_t old;

	if (!window_is_forked()) {
		buf_lock(buf, &old);
		watch_open_brackets(buf);
		watch_freed(buf);
		buf_unlock(buf, &old);
		run_forget_freed(embedded_ctx_of(base->ctx), buf);
	}
	embedded_buf_put(buf);
}

static int embedded_map(struct mem_buf *base, void **addr)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	sigset_t old;
	int err = 0;

	if (window_is_forked())
		return -EPERM;
	buf_lock(buf, &old);
	err = fault_open(buf);
	buf->is_mapped = !err;
	buf_unlock(buf, &old);
	if (!err)
		*addr = base->host = buf->addr;
	return err;
}

static void embedded_unmap(struct mem_buf *base)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	sigset_t old;

	if (window_is_forked())
		return;
	buf_lock(buf, &old);
	buf->is_mapped = false;
	base->host = NULL;
	watch_freed(buf);
	protect_set(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
	buf_unlock(buf, &old);
}

/*
 * Returns true if the CPU loses access. If it may not even read, libmem itself
 * may have opened pages since.
 */
static bool embedded_takes(enum gate from, enum gate to)
{
	return !gate_allows_cpu(to, false) ||
	       (gate_allows_cpu(from, true) && !gate_allows_cpu(to, true));
}

static void embedded_set_gate(struct mem_buf *base, enum gate gate,
			      const struct gate_note *note)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	const struct embedded_ctx *ctx = embedded_ctx_of(base->ctx);
	sigset_t old;
	bool takes;

	/* In an open window access does not change. */
	if (ctx->policy == MEM_POLICY_OFF || engine_is_inline() ||
	    window_is_forked())
		return;
	buf_lock(buf, &old);
	takes = embedded_takes(buf->gate, gate);
	if (buf->gate != gate)
		buf->gated = note ? *note : gate_note_here();
	buf->gate = gate;
	/* If memory is short, the next touch faults, and then gives access. */
	if (is_heaps(base) && buf->is_mapped && (takes || !buf->has_two_views))
		fault_open(buf);
	buf_unlock(buf, &old);
}

static_assert(sizeof(struct mem_counters) == sizeof(struct line_counters),
	      "counters are copied as a whole");
static_assert(offsetof(struct mem_counters, unmatched_ends) ==
	      offsetof(struct line_counters, unmatched_ends),
	      "counters are copied as a whole");

static int embedded_info(struct mem_buf *base, struct mem_buf_info *info)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	sigset_t old;

	if (window_is_forked())
		return -EPERM;
	info->kind = base->kind;
	info->id = buf->id;
	info->len = base->len;
	memcpy(info->name, buf->name, sizeof(info->name));
	buf_lock(buf, &old);
	info->has_two_views = buf->has_two_views;
	memcpy(&info->count, &buf->lines.count, sizeof(info->count));
	if (base->kind == MEM_KIND_MANAGED)
		info->count.redundant_invalidates += rights_nr_spared(buf);
	buf_unlock(buf, &old);
	return 0;
}

static_assert(MEM_READ == LINE_DIR_READ && MEM_WRITE == LINE_DIR_WRITE,
	      "the model's directions are libmem's");

static void embedded_open_locked(struct embedded_buf *buf, unsigned int access)
{
	const bool could_hide = line_bracket_hides(&buf->bracket);

	line_bracket_open(&buf->lines, &buf->bracket, access);
	/* The first store of the bracket must be detected: it hides lines. */
	if (!could_hide && line_bracket_hides(&buf->bracket))
		view_revoke(buf, 0, buf->nr_pages);
}

static int embedded_begin(struct mem_buf *base, unsigned int access)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	const uint64_t begin_ns = record_begin();
	sigset_t old;
	int err;

	if (window_is_forked())
		return -EPERM;
	err = dma_wait_buf(buf, access & MEM_WRITE, BRACKET_WAIT_NS);
	if (err)
		return err;
	buf_lock(buf, &old);
	if (buf->has_two_views) {
		if (access & MEM_READ)
			view_take_in(buf);
		embedded_open_locked(buf, access);
		watch_bracket_begin(buf, access);
		watch_brackets(buf);
	}
	trace_bracket(buf, true, access, begin_ns);
	buf_unlock(buf, &old);
	return 0;
}

static void embedded_end_locked(struct embedded_buf *buf, unsigned int access)
{
	const bool is_write = access & MEM_WRITE;

	if (line_bracket_close(&buf->lines, &buf->bracket, access)) {
		watch_bracket_end(buf, access);
		watch_brackets(buf);
	} else {
		buf->lines.count.unmatched_ends++;
		watch_unmatched_end(buf, is_write && !buf->bracket.nr_write,
				    is_write);
	}
	/* Lines that are partly written remain only in open brackets. */
	if (is_write)
		view_clean(buf, 0, buf->base.len);
}

static int embedded_end(struct mem_buf *base, unsigned int access)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	const uint64_t begin_ns = record_begin();
	sigset_t old;

	if (window_is_forked())
		return -EPERM;
	buf_lock(buf, &old);
	if (buf->has_two_views)
		embedded_end_locked(buf, access);
	trace_bracket(buf, false, access, begin_ns);
	buf_unlock(buf, &old);
	return 0;
}

static int embedded_wait(struct mem_buf *base, bool for_write)
{
	if (window_is_forked())
		return -EPERM;
	return dma_wait_buf(embedded_buf_of(base), for_write,
			       ENGINE_WAIT_NS);
}

static int embedded_maintain_range(const struct mem_range *range)
{
	struct embedded_buf *buf = embedded_buf_of(range->buf);
	sigset_t old;

	if (range->op < MEM_MAINT_CLEAN ||
	    range->op > MEM_MAINT_CLEAN_INVALIDATE ||
	    range->off > range->buf->len ||
	    range->len > range->buf->len - range->off)
		return -EINVAL;
	buf_lock(buf, &old);
	if (buf->has_two_views && range->op & MEM_MAINT_CLEAN)
		view_clean(buf, range->off, range->len);
	if (buf->has_two_views && range->op & MEM_MAINT_INVALIDATE)
		view_invalidate(buf, range->off, range->len);
	buf_unlock(buf, &old);
	return 0;
}

static int embedded_maintain(struct mem_ctx *ctx,
			     const struct mem_range *ranges, size_t nr_ranges,
			     size_t *nr_done)
{
	size_t i;
	int err;

	(void)ctx;
	if (window_is_forked())
		return -EPERM;
	for (i = 0; i < nr_ranges; i++) {
		/* The list may be in the window itself: read it once. */
		const struct mem_range range = ranges[i];

		err = embedded_maintain_range(&range);
		if (err)
			return err;
		*nr_done = i + 1;
	}
	return 0;
}

static int embedded_revoke(struct mem_buf *base)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	sigset_t old;

	if (window_is_forked())
		return -EPERM;
	buf_lock(buf, &old);
	if (buf->has_two_views)
		view_revoke(buf, 0, buf->nr_pages);
	buf_unlock(buf, &old);
	return 0;
}

static void embedded_keep(struct mem_buf *buf)
{
	embedded_buf_get(embedded_buf_of(buf));
}

static void embedded_put(struct mem_buf *buf)
{
	embedded_buf_put(embedded_buf_of(buf));
}

static void embedded_set_name(struct mem_buf *base, const char *name)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	sigset_t old;

	buf_lock(buf, &old);
	strcpy(buf->name, name);
	buf_unlock(buf, &old);
}

const struct backend embedded_backend = {
	.name = "embedded",
	.id = MEM_BACKEND_EMBEDDED,
	.open = embedded_open,
	.close = embedded_close,
	.check = embedded_check,
	.probe = embedded_probe,
	.watch = embedded_watch,
	.watch_fd = embedded_watch_fd,
	.next_violation = embedded_next_violation,
	.alloc = embedded_alloc,
	.alloc_heap = embedded_alloc_heap,
	.import = share_import,
	.export = share_export,
	.free = embedded_free,
	.map = embedded_map,
	.unmap = embedded_unmap,
	.info = embedded_info,
	.begin = embedded_begin,
	.end = embedded_end,
	.wait = embedded_wait,
	.maintain = embedded_maintain,
	.revoke = embedded_revoke,
	.submit = dma_submit,
	.wait_job = dma_wait_job,
	.fence = dma_fence,
	.forget = dma_forget,
	.alloc_ptr = ptr_alloc,
	.register_ptr = register_ptr,
	.export_ptr = share_export_ptr,
	.import_ptr = share_import_ptr,
	.unregister_ptr = unregister_ptr,
	.free_ptr = ptr_free,
	.find = ptr_find,
	.keep = embedded_keep,
	.put = embedded_put,
	.set_gate = embedded_set_gate,
	.set_name = embedded_set_name,
	.order = &rights_ops,
	.run = run_kernel,
	.copy = run_copy,
};
