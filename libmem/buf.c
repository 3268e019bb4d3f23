// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: buffers. The lock of a buffer protects its mapping and the number of
 * maps; all other members never change.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "internal.h"

/* Called by a backend for the core's part of its struct. */
void buf_init(struct mem_buf *buf, enum mem_kind kind, uint64_t len)
{
	buf->kind = kind;
	buf->len = len;
	buf->asked_len = len;
	pthread_mutex_init(&buf->lock, NULL);
}

/* Records the call site, for the report of a leak. */
static void buf_living_begin(struct mem_buf *buf)
{
	struct mem_buf_info info = { 0 };

	if (!record_is_on())
		return;
	if (buf->ctx->backend->info(buf, &info))
		info.len = buf->len;
	living_begin_buf(&buf->living, &info);
}

/* Takes the buffer's reference to its context. */
static int buf_publish(int err, struct mem_ctx *ctx, struct mem_buf *new,
		       struct mem_buf **buf)
{
	if (err)
		return err;
	new->ctx = ctx_get(ctx);
	buf_living_begin(new);
	*buf = new;
	return 0;
}

API int mem_buf_alloc(struct mem_ctx *ctx, unsigned int kind, uint64_t len,
		      const char *name, struct mem_buf **buf)
{
	struct mem_buf *new = NULL;
	int err;

	if (!ctx || !buf || !len)
		return -EINVAL;
	if (name && strlen(name) >= MEM_NAME_LEN)
		return -EINVAL;
	err = sched_check_call();
	if (!err)
		err = ctx->backend->alloc(ctx, kind, len, name, &new);
	return buf_publish(err, ctx, new, buf);
}

API int mem_buf_alloc_heap(struct mem_ctx *ctx, const char *heap, uint64_t len,
			   struct mem_buf **buf)
{
	struct mem_buf *new = NULL;
	int err;

	if (!ctx || !heap || !buf || !len)
		return -EINVAL;
	if (!*heap || *heap == '.' || strchr(heap, '/') ||
	    strlen(heap) > NAME_MAX)
		return -EINVAL;
	err = sched_check_call();
	if (!err)
		err = ctx->backend->alloc_heap(ctx, heap, len, &new);
	return buf_publish(err, ctx, new, buf);
}

API int mem_buf_import(struct mem_ctx *ctx, int fd, struct mem_buf **buf)
{
	struct mem_buf *new = NULL;
	int err;

	if (!ctx || !buf)
		return -EINVAL;
	err = sched_check_call();
	if (!err)
		err = ctx->backend->import(ctx, fd, &new);
	return buf_publish(err, ctx, new, buf);
}

static int buf_export(struct mem_buf *buf, unsigned int access, int *fd)
{
	int err, cancel, new;

	err = sched_check_call();
	if (err)
		return err;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = buf->ctx->backend->export(buf, access, &new);
	pthread_setcancelstate(cancel, NULL);
	if (!err)
		*fd = new;
	return err;
}

API int mem_buf_export(struct mem_buf *buf, int *fd)
{
	return buf && fd ? buf_export(buf, MEM_RW, fd) : -EINVAL;
}

API int mem_buf_export_as(struct mem_buf *buf, unsigned int access, int *fd)
{
	if (!buf || !fd || (access != MEM_READ && access != MEM_RW))
		return -EINVAL;
	if (access == MEM_RW && buf->is_read_only)
		return -EACCES;
	return buf_export(buf, access, fd);
}

API int mem_buf_device_ptr(struct mem_buf *buf, void **ptr)
{
	int err;

	if (!buf || !ptr)
		return -EINVAL;
	err = ctx_look(buf->ctx);
	if (!err && buf->ctx->backend->device_ptr) {
		pthread_mutex_lock(&buf->lock);
		err = buf->ctx->backend->device_ptr(buf);
		pthread_mutex_unlock(&buf->lock);
	}
	if (err)
		return err;
	atomic_store(&buf->is_device_exposed, true);
	*ptr = buf->device;
	return 0;
}

/* The backend's free() is to follow. */
void buf_fini(struct mem_buf *buf)
{
	if (buf->nr_maps)
		buf->ctx->backend->unmap(buf);
	pthread_mutex_destroy(&buf->lock);
	living_end(&buf->living);
}

API void mem_buf_destroy(struct mem_buf *buf)
{
	struct mem_ctx *ctx;

	if (!buf)
		return;
	ctx = buf->ctx;
	buf_fini(buf);
	ctx->backend->free(buf);
	ctx_put(ctx);
}

API int mem_buf_map(struct mem_buf *buf, void **addr)
{
	void *mapped = NULL;
	int err;

	if (!buf || !addr)
		return -EINVAL;
	err = ctx_may_call(buf->ctx);
	if (err)
		return err;
	pthread_mutex_lock(&buf->lock);
	if (buf->nr_maps == UINT32_MAX)
		err = -EOVERFLOW;
	else if (!buf->nr_maps)
		err = buf->ctx->backend->map(buf, &buf->addr);
	if (!err) {
		buf->nr_maps++;
		mapped = buf->addr;
	}
	pthread_mutex_unlock(&buf->lock);
	/* A store to memory of the caller may fault, so no lock is held. */
	if (!err)
		*addr = mapped;
	return err;
}

API int mem_buf_unmap(struct mem_buf *buf)
{
	int err;

	if (!buf)
		return -EINVAL;
	err = ctx_may_call(buf->ctx);
	if (err)
		return err;
	pthread_mutex_lock(&buf->lock);
	if (!buf->nr_maps)
		err = -EINVAL;
	else if (!--buf->nr_maps)
		buf->ctx->backend->unmap(buf);
	pthread_mutex_unlock(&buf->lock);
	return err;
}

API uint64_t mem_buf_len(const struct mem_buf *buf)
{
	return buf ? buf->len : 0;
}

API unsigned int mem_buf_kind(const struct mem_buf *buf)
{
	return buf ? buf->kind : MEM_KIND_SYSTEM;
}

API int mem_buf_info(struct mem_buf *buf, struct mem_buf_info *info)
{
	struct mem_buf_info all = { 0 };
	int err;

	if (!buf || !info || struct_check(info, BUF_INFO_FIRST))
		return -EINVAL;
	err = buf->ctx->backend->info(buf, &all);
	if (!err)
		struct_out(info, &all, sizeof(all));
	return err;
}

static bool access_is_valid(unsigned int access)
{
	return access && !(access & ~MEM_RW);
}

API int mem_buf_begin(struct mem_buf *buf, unsigned int access)
{
	int err;

	if (!buf || !access_is_valid(access))
		return -EINVAL;
	if (access & MEM_WRITE && buf->is_read_only)
		return -EACCES;
	err = sched_check_call();
	return err ? err : buf->ctx->backend->begin(buf, access);
}

API int mem_buf_end(struct mem_buf *buf, unsigned int access)
{
	int err;

	if (!buf || !access_is_valid(access))
		return -EINVAL;
	err = sched_check_call();
	return err ? err : buf->ctx->backend->end(buf, access);
}

static bool range_is_valid(const struct mem_buf *buf, uint64_t off,
			   uint64_t len)
{
	return off <= buf->len && len <= buf->len - off;
}

/* Passes on the range unchanged: the backend handles partial lines. */
static int buf_maintain_range(struct mem_buf *buf, enum mem_maint_op op,
			      uint64_t off, uint64_t len)
{
	struct mem_range range = {
		.buf = buf,
		.op = op,
		.off = off,
		.len = len,
	};
	size_t nr_done;

	return buf->ctx->backend->maintain(buf->ctx, &range, 1, &nr_done);
}

API int mem_buf_begin_range(struct mem_buf *buf, uint64_t off, uint64_t len,
			    unsigned int access)
{
	int err;

	if (!buf || !range_is_valid(buf, off, len) || !access_is_valid(access))
		return -EINVAL;
	if (access & MEM_WRITE && buf->is_read_only)
		return -EACCES;
	err = sched_check_call();
	if (err)
		return err;
	if (buf->kind == MEM_KIND_FOREIGN)
		return buf->ctx->backend->begin(buf, access);
	err = buf->ctx->backend->wait(buf, access & MEM_WRITE);
	if (err || !(access & MEM_READ))
		return err;
	return buf_maintain_range(buf, MEM_MAINT_INVALIDATE, off, len);
}

API int mem_buf_end_range(struct mem_buf *buf, uint64_t off, uint64_t len,
			  unsigned int access)
{
	int err;

	if (!buf || !range_is_valid(buf, off, len) || !access_is_valid(access))
		return -EINVAL;
	err = ctx_may_call(buf->ctx);
	if (err)
		return err;
	if (buf->kind == MEM_KIND_FOREIGN)
		return buf->ctx->backend->end(buf, access);
	if (!(access & MEM_WRITE))
		return 0;
	return buf_maintain_range(buf, MEM_MAINT_CLEAN, off, len);
}

API int mem_buf_maintain(struct mem_ctx *ctx, const struct mem_range *ranges,
			 size_t nr_ranges, size_t *nr_done)
{
	size_t done = 0, i;
	int err = 0;

	if (!ctx || (!ranges && nr_ranges) || nr_ranges > MAX_RANGES)
		err = -EINVAL;
	for (i = 0; !err && i < nr_ranges; i++)
		if (!ranges[i].buf || ranges[i].reserved ||
		    ranges[i].buf->ctx->backend != ctx->backend)
			err = -EINVAL;
	if (!err)
		err = sched_check_call();
	if (!err)
		err = ctx->backend->maintain(ctx, ranges, nr_ranges, &done);
	if (nr_done)
		*nr_done = done;
	return err;
}

API int mem_buf_revoke(struct mem_buf *buf)
{
	int err;

	if (!buf)
		return -EINVAL;
	err = sched_check_call();
	return err ? err : buf->ctx->backend->revoke(buf);
}
