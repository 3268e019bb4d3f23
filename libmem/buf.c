// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: buffers. A buffer owns one dma-buf descriptor; its mapping and the
 * count of it are under the buffer's lock, all else never changes.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

/* Takes over @fd on success only. */
static int buf_create(struct mem_ctx *ctx, int fd, struct mem_buf **buf)
{
	struct mem_buf_info info = { .size = sizeof(info) };
	struct mem_buf *new;
	int err;

	err = kernel_buf_info(ctx->fd, fd, &info);
	if (err)
		return err;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->ctx = ctx_get(ctx);
	new->fd = fd;
	new->len = info.len;
	new->kind = (enum mem_kind)info.kind;
	pthread_mutex_init(&new->lock, NULL);
	*buf = new;
	return 0;
}

API int mem_buf_alloc(struct mem_ctx *ctx, enum mem_kind kind, uint64_t len,
		      const char *name, struct mem_buf **buf)
{
	int fd, err;

	if (!ctx || !buf || !len)
		return -EINVAL;
	if (name && strlen(name) >= MEM_NAME_LEN)
		return -EINVAL;
	err = kernel_alloc(ctx->fd, kind, len, name, &fd);
	if (err)
		return err;
	err = buf_create(ctx, fd, buf);
	if (err)
		close(fd);
	return err;
}

API int mem_buf_alloc_heap(struct mem_ctx *ctx, const char *heap, uint64_t len,
			   struct mem_buf **buf)
{
	int fd, err;

	if (!ctx || !heap || !buf || !len)
		return -EINVAL;
	if (!*heap || *heap == '.' || strchr(heap, '/') ||
	    strlen(heap) > NAME_MAX)
		return -EINVAL;
	err = kernel_alloc_heap(heap, len, &fd);
	if (err)
		return err;
	err = buf_create(ctx, fd, buf);
	if (err)
		close(fd);
	return err;
}

static int dup_cloexec(int fd)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -errno : copy;
}

API int mem_buf_import(struct mem_ctx *ctx, int fd, struct mem_buf **buf)
{
	int copy, err;

	if (!ctx || !buf)
		return -EINVAL;
	copy = dup_cloexec(fd);
	if (copy < 0)
		return copy;
	err = buf_create(ctx, copy, buf);
	if (err)
		close(copy);
	return err;
}

API int mem_buf_export(struct mem_buf *buf, int *fd)
{
	int copy;

	if (!buf || !fd)
		return -EINVAL;
	copy = dup_cloexec(buf->fd);
	if (copy < 0)
		return copy;
	*fd = copy;
	return 0;
}

API void mem_buf_destroy(struct mem_buf *buf)
{
	if (!buf)
		return;
	if (buf->nr_maps)
		munmap(buf->addr, buf->len);
	close(buf->fd);
	pthread_mutex_destroy(&buf->lock);
	ctx_put(buf->ctx);
	free(buf);
}

static int buf_mmap(struct mem_buf *buf)
{
	int prot = PROT_READ;
	int mode = fcntl(buf->fd, F_GETFL);
	void *addr;

	if (mode < 0)
		return -errno;
	if ((mode & O_ACCMODE) == O_RDWR)
		prot |= PROT_WRITE;
	if (buf->len > SIZE_MAX)
		return -ENOMEM;
	addr = mmap(NULL, buf->len, prot, MAP_SHARED, buf->fd, 0);
	if (addr == MAP_FAILED)
		return -errno;
	buf->addr = addr;
	return 0;
}

API int mem_buf_map(struct mem_buf *buf, void **addr)
{
	int err = 0;

	if (!buf || !addr)
		return -EINVAL;
	pthread_mutex_lock(&buf->lock);
	if (buf->nr_maps == UINT32_MAX)
		err = -EOVERFLOW;
	else if (!buf->nr_maps)
		err = buf_mmap(buf);
	if (!err) {
		buf->nr_maps++;
		*addr = buf->addr;
	}
	pthread_mutex_unlock(&buf->lock);
	return err;
}

API int mem_buf_unmap(struct mem_buf *buf)
{
	int err = 0;

	if (!buf)
		return -EINVAL;
	pthread_mutex_lock(&buf->lock);
	if (!buf->nr_maps)
		err = -EINVAL;
	else if (!--buf->nr_maps)
		munmap(buf->addr, buf->len);
	pthread_mutex_unlock(&buf->lock);
	return err;
}

API uint64_t mem_buf_len(const struct mem_buf *buf)
{
	return buf ? buf->len : 0;
}

API enum mem_kind mem_buf_kind(const struct mem_buf *buf)
{
	return buf->kind;
}

API int mem_buf_info(struct mem_buf *buf, struct mem_buf_info *info)
{
	struct mem_buf_info all = { .size = sizeof(all) };
	uint32_t size;
	int err;

	if (!buf || !info || info->size < sizeof(all))
		return -EINVAL;
	err = kernel_buf_info(buf->ctx->fd, buf->fd, &all);
	if (err)
		return err;
	size = info->size;
	memcpy(info, &all, sizeof(all));
	info->size = size;
	return 0;
}

static bool access_is_valid(unsigned int access)
{
	return access && !(access & ~MEM_RW);
}

API int mem_buf_begin(struct mem_buf *buf, unsigned int access)
{
	if (!buf || !access_is_valid(access))
		return -EINVAL;
	return kernel_sync(buf->fd, access, false);
}

API int mem_buf_end(struct mem_buf *buf, unsigned int access)
{
	if (!buf || !access_is_valid(access))
		return -EINVAL;
	return kernel_sync(buf->fd, access, true);
}

static bool range_is_valid(const struct mem_buf *buf, uint64_t off,
			   uint64_t len)
{
	return off <= buf->len && len <= buf->len - off;
}

/* The range as it is: the kernel knows what to do with partial lines. */
static int maintain_one(struct mem_buf *buf, enum mem_maint_op op,
			uint64_t off, uint64_t len)
{
	struct mem_range range = {
		.buf = buf,
		.op = op,
		.off = off,
		.len = len,
	};
	size_t nr_done;

	return kernel_maintain(buf->ctx->fd, &range, 1, &nr_done);
}

API int mem_buf_begin_range(struct mem_buf *buf, uint64_t off, uint64_t len,
			    unsigned int access)
{
	int err;

	if (!buf || !range_is_valid(buf, off, len) || !access_is_valid(access))
		return -EINVAL;
	if (buf->kind == MEM_KIND_FOREIGN)
		return kernel_sync(buf->fd, access, false);
	err = kernel_wait_fences(buf->fd, access & MEM_WRITE);
	if (err || !(access & MEM_READ))
		return err;
	return maintain_one(buf, MEM_MAINT_INVALIDATE, off, len);
}

API int mem_buf_end_range(struct mem_buf *buf, uint64_t off, uint64_t len,
			  unsigned int access)
{
	if (!buf || !range_is_valid(buf, off, len) || !access_is_valid(access))
		return -EINVAL;
	if (buf->kind == MEM_KIND_FOREIGN)
		return kernel_sync(buf->fd, access, true);
	if (!(access & MEM_WRITE))
		return 0;
	return maintain_one(buf, MEM_MAINT_CLEAN, off, len);
}

API int mem_buf_maintain(struct mem_ctx *ctx, const struct mem_range *ranges,
			 size_t nr_ranges, size_t *nr_done)
{
	size_t done = 0;
	int err;

	if (!ctx || (!ranges && nr_ranges))
		err = -EINVAL;
	else
		err = kernel_maintain(ctx->fd, ranges, nr_ranges, &done);
	if (nr_done)
		*nr_done = done;
	return err;
}
