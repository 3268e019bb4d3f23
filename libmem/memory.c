// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: memory by address, copies and fills. The backend looks up an address,
 * and returns a reference, which is dropped at the end of the call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compat.h"
#include "order/order.h"
#include "sched.h"

/* Alignment of rows of mem_alloc_pitch(): that of CUDA's textures. */
#define PITCH_ALIGN	512U

/* Function of LeakSanitizer, if the program has it. */
void __lsan_ignore_object(const void *object);
#pragma weak __lsan_ignore_object

static bool memory_flags_are_valid(unsigned int kind, unsigned int flags)
{
	switch (kind) {
	case MEM_KIND_MANAGED:
		return flags == MEM_ATTACH_GLOBAL || flags == MEM_ATTACH_HOST;
	case MEM_KIND_PINNED:
		return !(flags & ~(MEM_PINNED_PORTABLE | MEM_PINNED_MAPPED |
				   MEM_PINNED_WRITE_COMBINED));
	case MEM_KIND_DEVICE:
		return !(flags & ~MEM_DEVICE_DISCRETE);
	default:
		return false;
	}
}

API int mem_alloc(struct mem_ctx *ctx, unsigned int kind, uint64_t len,
		  unsigned int flags, void **ptr)
{
	struct mem_buf *buf;
	int err;

	if (!ctx || !ptr || !len || !memory_flags_are_valid(kind, flags))
		return -EINVAL;
	err = ctx_check(ctx);
	if (!err && is_discrete(kind, flags) &&
	    !board_has_engine(ctx->board, MEM_ENGINE_DGPU))
		err = -EOPNOTSUPP;
	if (!err)
		err = ctx->backend->alloc_ptr(ctx, kind, len, flags, &buf);
	if (err)
		return err;
	ctx_get(ctx);
	*ptr = buf->device;
	return 0;
}

API int mem_alloc_pitch(struct mem_ctx *ctx, uint64_t row_len,
			uint64_t nr_rows, uint64_t *pitch, void **ptr)
{
	uint64_t step, len;
	int err;

	if (!pitch || !row_len || row_len > INT64_MAX - PITCH_ALIGN)
		return -EINVAL;
	step = (row_len + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
	if (__builtin_mul_overflow(step, nr_rows, &len))
		return -EINVAL;
	err = mem_alloc(ctx, MEM_KIND_DEVICE, len, 0, ptr);
	if (!err)
		*pitch = step;
	return err;
}

/* Marks memory as being freed: no other call can free or use it. */
static int memory_claim(struct mem_buf *buf)
{
	struct mem_ctx *ctx = buf->ctx;
	bool was_claimed;

	sched_lock(ctx);
	was_claimed = buf->is_claimed;
	buf->is_claimed = true;
	sched_unlock(ctx);
	return was_claimed ? -EINVAL : 0;
}

static void memory_unclaim(struct mem_buf *buf)
{
	sched_lock(buf->ctx);
	buf->is_claimed = false;
	sched_unlock(buf->ctx);
}

/* Waits for all work; its error is returned by the caller's next wait. */
static int memory_give_back(struct mem_ctx *ctx, struct mem_buf *buf)
{
	int err;

	err = memory_claim(buf);
	if (err)
		return err;
	ctx_settle(ctx);
	if (buf->kind == MEM_KIND_REGISTERED)
		err = ctx->backend->unregister_ptr(buf);
	if (err)
		memory_unclaim(buf);
	else
		ctx->backend->free_ptr(buf);
	return err;
}

API int mem_free(struct mem_ctx *ctx, void *ptr)
{
	struct mem_buf *buf;
	int err;

	if (!ctx)
		return -EINVAL;
	err = ctx_may_change(ctx);
	if (err || !ptr)
		return err;
	buf = ctx->backend->find(ctx, ptr);
	if (!buf)
		return -EINVAL;
	if (!is_by_address(buf) || buf->kind == MEM_KIND_REGISTERED ||
	    buf->device != ptr) {
		ctx->backend->put(buf);
		return -EINVAL;
	}
	if (buf->ctx != ctx) {
		ctx->backend->put(buf);
		return -EXDEV;
	}
	err = memory_give_back(ctx, buf);
	ctx->backend->put(buf);
	if (!err)
		ctx_put(ctx);
	return err;
}

static int memory_check_export(const struct mem_ctx *ctx,
			       const struct mem_buf *buf, const void *ptr)
{
	if (!buf || buf->kind != MEM_KIND_DEVICE || buf->device != ptr ||
	    is_imported(buf))
		return -EINVAL;
	return buf->ctx == ctx ? 0 : -EXDEV;
}

/*
 * Waits until no work is left, because the bytes are moved. It does not count
 * as a wait of the host: order/ does not learn that work is known done.
 */
static int memory_export_idle(struct mem_ctx *ctx, struct mem_buf *buf, int *fd)
{
	bool is_idle;
	uint64_t seq;
	int new = -1, err = 0;

	for (;;) {
		sched_lock(ctx);
		seq = ctx->sched.seq;
		is_idle = !ctx->sched.all.first;
		if (buf->is_claimed)
			err = -EINVAL;
		else if (is_idle)
			err = ctx->backend->export_ptr(buf, &new);
		sched_unlock(ctx);
		/* A store to memory of the caller may fault. */
		if (is_idle && !err)
			*fd = new;
		if (is_idle || err)
			return err;
		sched_wait_all(ctx, seq);
		err = atomic_load(&ctx->sched.error);
		if (err)
			return err;
	}
}

API int mem_ptr_export(struct mem_ctx *ctx, const void *ptr, int *fd)
{
	struct mem_buf *buf;
	int err;

	if (!ctx || !ptr || !fd)
		return -EINVAL;
	err = ctx_check(ctx);
	if (!err && !ctx->backend->export_ptr)
		err = -EOPNOTSUPP;
	if (err)
		return err;
	buf = ctx->backend->find(ctx, ptr);
	err = memory_check_export(ctx, buf, ptr);
	if (!err)
		err = memory_export_idle(ctx, buf, fd);
	if (buf)
		ctx->backend->put(buf);
	return err;
}

static bool memory_import_is_valid(uint64_t len, unsigned int flags)
{
	return len && memory_flags_are_valid(MEM_KIND_DEVICE, flags);
}

/**
 * memory_import() - import device memory, whatever error the work has had
 * @ctx: context
 * @fd: descriptor, which remains the caller's
 * @off: offset of the first byte
 * @len: bytes
 * @flags: flags of device memory
 * @buf: out: memory, for mem_free()
 *
 * Return: 0, or as mem_ptr_import(), except for the error of the context.
 */
int memory_import(struct mem_ctx *ctx, int fd, uint64_t off, uint64_t len,
		  unsigned int flags, struct mem_buf **buf)
{
	int err, cancel;

	if (!memory_import_is_valid(len, flags))
		return -EINVAL;
	err = ctx_may_change(ctx);
	if (!err && !ctx->backend->import_ptr)
		err = -EOPNOTSUPP;
	if (!err && is_discrete(MEM_KIND_DEVICE, flags) &&
	    !board_has_engine(ctx->board, MEM_ENGINE_DGPU))
		err = -EOPNOTSUPP;
	if (err)
		return err;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = ctx->backend->import_ptr(ctx, fd, off, len, flags, buf);
	pthread_setcancelstate(cancel, NULL);
	if (!err)
		ctx_get(ctx);
	return err;
}

API int mem_ptr_import(struct mem_ctx *ctx, int fd, uint64_t off, uint64_t len,
		       unsigned int flags, void **ptr)
{
	struct mem_buf *buf;
	int err;

	if (!ctx || !ptr || !memory_import_is_valid(len, flags))
		return -EINVAL;
	err = ctx_check(ctx);
	if (!err)
		err = memory_import(ctx, fd, off, len, flags, &buf);
	if (!err)
		*ptr = buf->device;
	return err;
}

/**
 * memory_retire() - free memory once the present work of its context has ended
 * @buf: memory of memory_import(), whose reference is dropped, or a buffer of a
 *	heap, as for mem_buf_destroy(); NULL: nothing
 * @owner: for memory_nr_retired()
 *
 * Does not wait, and is no wait of the host either: order/ does not learn that
 * work is known done. Does nothing but drop the reference if the program has
 * freed the memory.
 *
 * Context: any thread, also of a host function. Takes the scheduler's lock.
 */
void memory_retire(struct mem_buf *buf, uint64_t owner)
{
	bool was_claimed, is_heap;
	struct sched *sched;
	struct mem_ctx *ctx;

	if (!buf)
		return;
	ctx = buf->ctx;
	sched = &ctx->sched;
	/* It may be freed below. */
	is_heap = is_heaps(buf);
	if (is_heap)
		buf_fini(buf);
	sched_lock(ctx);
	was_claimed = buf->is_claimed;
	if (!was_claimed) {
		buf->is_claimed = true;
		buf->retired = (struct retired) {
			.seq = sched->seq,
			.owner = owner,
		};
		if (sched->retired)
			sched->last_retired->retired.next = buf;
		else
			sched->retired = buf;
		sched->last_retired = buf;
		sched_reap(sched);
	}
	sched_unlock(ctx);
	if (!is_heap)
		ctx->backend->put(buf);
	/* Until the memory is freed, operations keep the context. */
	if (!was_claimed)
		ctx_put(ctx);
}

/**
 * memory_nr_retired() - count retired memory that has not been freed yet
 * @ctx: context
 * @owner: whose memory is counted
 *
 * Return: the number.
 */
unsigned int memory_nr_retired(struct mem_ctx *ctx, uint64_t owner)
{
	const struct mem_buf *buf;
	unsigned int nr = 0;

	sched_lock(ctx);
	for (buf = ctx->sched.retired; buf; buf = buf->retired.next)
		nr += buf->retired.owner == owner;
	sched_unlock(ctx);
	return nr;
}

API int mem_register(struct mem_ctx *ctx, void *ptr, uint64_t len,
		     unsigned int flags)
{
	struct mem_buf *buf;
	uintptr_t end;
	int err, cancel;

	if (!ctx || !ptr || !len ||
	    __builtin_add_overflow((uintptr_t)ptr, len, &end) ||
	    flags & ~(MEM_REGISTER_PORTABLE | MEM_REGISTER_MAPPED |
		      MEM_REGISTER_IO | MEM_REGISTER_READ_ONLY))
		return -EINVAL;
	err = ctx_check(ctx);
	if (err)
		return err;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = ctx->backend->register_ptr(ctx, ptr, len, flags, &buf);
	pthread_setcancelstate(cancel, NULL);
	if (err)
		return err;
	ctx_get(ctx);
	return 0;
}

API int mem_unregister(struct mem_ctx *ctx, void *ptr)
{
	struct mem_buf *buf;
	int err;

	if (!ctx || !ptr)
		return -EINVAL;
	err = ctx_may_change(ctx);
	if (err)
		return err;
	buf = ctx->backend->find(ctx, ptr);
	if (!buf)
		return -ENOENT;
	if (buf->kind != MEM_KIND_REGISTERED || buf->host != ptr)
		err = -ENOENT;
	else if (buf->ctx != ctx)
		err = -EXDEV;
	if (err) {
		ctx->backend->put(buf);
		return err;
	}
	err = memory_give_back(ctx, buf);
	ctx->backend->put(buf);
	if (err)
		return err == -EINVAL ? -ENOENT : err;
	ctx_put(ctx);
	return 0;
}

API int mem_device_ptr(struct mem_ctx *ctx, const void *ptr, void **device)
{
	struct mem_buf *buf;
	int err;

	if (!ctx || !ptr || !device)
		return -EINVAL;
	err = ctx_check(ctx);
	if (err)
		return err;
	buf = ctx->backend->find(ctx, ptr);
	if (!buf)
		return -EINVAL;
	if (is_by_address(buf) && buf->host)
		*device = (char *)buf->device + buf_off_of(buf, ptr);
	else
		err = -EINVAL;
	ctx->backend->put(buf);
	return err;
}

static void *ptr_at(void *base, uint64_t off)
{
	return base ? (char *)base + off : NULL;
}

API int mem_ptr_info(struct mem_ctx *ctx, const void *ptr,
		     struct mem_ptr_info *info)
{
	struct mem_ptr_info all = {
		.kind = MEM_KIND_PAGEABLE,
		.host = (void *)ptr,
	};
	struct mem_buf_info buf_info = { 0 };
	struct mem_buf *buf;
	int err;

	if (!ctx || !info ||
	    struct_check(info, offsetofend(struct mem_ptr_info, name)))
		return -EINVAL;
	err = ctx_look(ctx);
	if (err)
		return err;
	buf = ctx->backend->find(ctx, ptr);
	if (buf) {
		const uint64_t off = buf_off_of(buf, ptr);

		all.kind = buf->kind;
		all.base = buf->host ? buf->host : buf->device;
		all.len = buf->asked_len;
		all.host = ptr_at(buf->host, off);
		all.device = ptr_at(buf->device, off);
		all.flags = buf->flags;
		all.is_own = buf->ctx == ctx;
		if (buf->kind == MEM_KIND_MANAGED)
			all.attach = order_attach_of(buf);
		if (!ctx->backend->info(buf, &buf_info)) {
			all.id = buf_info.id;
			memcpy(all.name, buf_info.name, sizeof(all.name));
		}
		ctx->backend->put(buf);
	}
	struct_out(info, &all, sizeof(all));
	return 0;
}

API int mem_ptr_buf_info(struct mem_ctx *ctx, const void *ptr,
			 struct mem_buf_info *info)
{
	struct mem_buf *buf;
	int err;

	if (!ctx || !info || struct_check(info, BUF_INFO_FIRST))
		return -EINVAL;
	err = ctx_look(ctx);
	if (err)
		return err;
	buf = ctx->backend->find(ctx, ptr);
	if (!buf)
		return -EINVAL;
	err = mem_buf_info(buf, info);
	ctx->backend->put(buf);
	return err;
}

API int mem_ptr_attach_counters(struct mem_ctx *ctx, const void *ptr,
				struct mem_attach_counters *count)
{
	struct mem_attach_counters all = { 0 };
	struct mem_buf *buf = NULL;
	int err;

	if (!ctx || !count ||
	    struct_check(count, offsetofend(struct mem_attach_counters,
					    engine_not_attached)))
		return -EINVAL;
	err = ctx_look(ctx);
	if (err)
		return err;
	if (ptr) {
		buf = ctx->backend->find(ctx, ptr);
		if (!buf)
			return -EINVAL;
		if (buf->kind != MEM_KIND_MANAGED)
			err = -EINVAL;
	}
	if (!err)
		order_counters(ctx, buf, &all);
	if (buf)
		ctx->backend->put(buf);
	if (!err)
		struct_out(count, &all, sizeof(all));
	return err;
}

/* Finds the buffer that a call is about to change, with a reference. */
static int memory_find(struct mem_ctx *ctx, const void *ptr,
		       struct mem_buf **buf)
{
	int err;

	if (!ctx)
		return -EINVAL;
	err = ctx_may_change(ctx);
	if (err)
		return err;
	*buf = ctx->backend->find(ctx, ptr);
	return *buf ? 0 : -EINVAL;
}

API int mem_set_name(struct mem_ctx *ctx, const void *ptr, const char *name)
{
	struct mem_buf *buf;
	int err;

	if (!name || strlen(name) >= MEM_NAME_LEN)
		return -EINVAL;
	err = memory_find(ctx, ptr, &buf);
	if (err)
		return err;
	ctx->backend->set_name(buf, name);
	living_set_name(&buf->living, name);
	ctx->backend->put(buf);
	return 0;
}

API int mem_check_order(struct mem_ctx *ctx, const void *ptr)
{
	struct mem_buf *buf;
	int err = memory_find(ctx, ptr, &buf);

	if (err)
		return err;
	/* A backend that has no gates detects no touches by jobs. */
	if (buf->kind != MEM_KIND_DEVICE || buf->ctx != ctx || is_heaps(buf))
		err = -EINVAL;
	else if (ctx->backend->set_gate)
		err = race_begin(buf);
	ctx->backend->put(buf);
	return err;
}

API int mem_set_lasting(struct mem_ctx *ctx, const void *ptr)
{
	struct mem_buf *buf;
	const int err = memory_find(ctx, ptr, &buf);

	if (err)
		return err;
	living_dismiss(&buf->living);
	if (__lsan_ignore_object)
		__lsan_ignore_object(buf);
	ctx->backend->put(buf);
	return 0;
}

API int mem_stream_attach(struct mem_stream *stream, void *ptr, uint64_t len,
			  unsigned int how)
{
	struct mem_buf_info info = { .size = sizeof(info) };
	struct mem_ctx *ctx;
	struct mem_buf *buf;
	struct op *op;
	int err;

	if (!stream || (how != MEM_ATTACH_GLOBAL && how != MEM_ATTACH_HOST &&
			how != MEM_ATTACH_SINGLE))
		return -EINVAL;
	if (stream->is_foreign)
		return -EINVAL;
	ctx = stream->ctx;
	err = ctx_check(ctx);
	if (err)
		return err;
	op = op_create(stream, OP_ATTACH);
	if (!op)
		return -ENOMEM;
	buf = ctx->backend->find(ctx, ptr);
	if (!buf || buf->kind != MEM_KIND_MANAGED || buf->device != ptr ||
	    (len && len != buf->asked_len))
		err = -EINVAL;
	else if (buf->ctx != ctx)
		err = -EXDEV;
	sched_lock(ctx);
	if (!err && buf->is_claimed)
		err = -EINVAL;
	if (!err)
		err = order_attach(stream, buf, how, &op->reach);
	err = op_submit_unlock(op, NULL, err);
	if (!err && record_is_traced() && !ctx->backend->info(buf, &info))
		record_attached(&info, how, stream->id);
	if (buf)
		ctx->backend->put(buf);
	return err;
}

API void libmem_end_use(struct mem_ctx *ctx, const void *ptr, uint64_t id)
{
	struct mem_buf_info info = { .size = sizeof(info) };
	struct mem_buf *buf;

	if (!record_is_on())
		return;
	buf = ctx->backend->find(ctx, ptr);
	if (!buf)
		return;
	if (buf->ctx == ctx && !ctx->backend->info(buf, &info) &&
	    info.id == id)
		gate_set(buf, GATE_EXTERNAL_GONE);
	ctx->backend->put(buf);
}
