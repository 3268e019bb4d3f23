// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory in files of its own, which other processes have, too: what is exported
 * moves there, at the same address, and what is imported is mapped from there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "embedded.h"

/* Nobody can take pages from it, or have it longer. */
static int shared_file(uint64_t len, struct own_fd *file)
{
	int err = own_fd_take(file, memfd_create("libmem-shared", MFD_CLOEXEC |
						 MFD_ALLOW_SEALING));

	if (err)
		return err;
	if (!ftruncate(file->nr, (off_t)len) &&
	    !fcntl(file->nr, F_ADD_SEALS,
		   F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return 0;
	own_fd_close(file);
	return -ENOMEM;
}

static int move_to_file(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	struct own_fd file;
	sigset_t old;
	int err;

	err = shared_file(buf->base.len, &file);
	if (err)
		return err;
	buf_lock(buf, &old);
	window_protect(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
	buf_unlock(buf, &old);
	signals_block(&old);
	err = window_move(buf, &file);
	signals_restore(&old);
	if (err) {
		own_fd_close(&file);
		return err;
	}
	run_forget(ctx, buf);
	return 0;
}

/**
 * share_export_ptr() - of mem_ptr_export()
 * @base: device memory, its own
 * @fd: out: for the caller
 *
 * Its bytes go to a file of its own the first time.
 *
 * Context: no work of the context is under way, and none can begin.
 * Return: 0, -EMFILE, -ENFILE, -ENOMEM or -EBADF (the program has closed a
 * descriptor of the library).
 */
int share_export_ptr(struct mem_buf *base, int *fd)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	int err = 0, copy;

	if (buf->file.nr < 0)
		err = move_to_file(embedded_ctx_of(base->ctx), buf);
	if (!err && !own_fd_is_open(&buf->file))
		err = -EBADF;
	if (err)
		return err;
	copy = dup_cloexec(buf->file.nr);
	if (copy < 0)
		return copy;
	*fd = copy;
	return 0;
}

/* A dma-buf's length is where its end is; some files have none. */
static int check_file(int fd, uint64_t end)
{
	struct stat stat;
	off_t len;

	if (fstat(fd, &stat))
		return -errno;
	if (S_ISREG(stat.st_mode))
		return (uint64_t)stat.st_size < end ? -EINVAL : 0;
	len = lseek(fd, 0, SEEK_END);
	return len > 0 && (uint64_t)len < end ? -EINVAL : 0;
}

static int import_error(int err)
{
	switch (err) {
	case -EACCES:
		return -EPERM;
	case -ENODEV:
		return -EOPNOTSUPP;
	case -EAGAIN:
	case -ENFILE:
		return -ENOMEM;
	default:
		return err;
	}
}

static int place_others(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	sigset_t old;
	int err = ptr_place(ctx, buf);

	if (err)
		return err;
	signals_block(&old);
	err = window_map_own(buf);
	if (err)
		window_free(buf);
	signals_restore(&old);
	return import_error(err);
}

static int dup_own(int fd, struct own_fd *file)
{
	const int copy = dup_cloexec(fd);

	return copy < 0 ? copy : own_fd_take(file, copy);
}

/**
 * share_import_ptr() - of mem_ptr_import()
 * @base: context
 * @fd: the caller's
 * @off: first byte in that
 * @len: bytes, above 0
 * @flags: of device memory
 * @made: out
 *
 * Return: 0, -EINVAL, -EBADF, -EPERM, -EOPNOTSUPP, -EMFILE or -ENOMEM.
 */
int share_import_ptr(struct mem_ctx *base, int fd, uint64_t off, uint64_t len,
	       unsigned int flags, struct mem_buf **made)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	const uint64_t in_page = off & ((1ULL << window_page_shift()) - 1);
	struct embedded_buf *buf;
	int err;

	if (off > INT64_MAX / 2 || len > INT64_MAX / 2)
		return -EINVAL;
	err = check_file(fd, off + len);
	if (err)
		return err;
	buf = embedded_buf_create(ctx, MEM_KIND_DEVICE, in_page + len);
	if (!buf)
		return -ENOMEM;
	buf->base.ctx = base;
	buf->base.asked_len = len;
	buf->base.flags = flags | MEM_DEVICE_IMPORTED;
	buf->fd_off = off - in_page;
	err = dup_own(fd, &buf->file);
	if (!err)
		err = place_others(ctx, buf);
	if (err) {
		embedded_buf_destroy(buf);
		return err;
	}
	buf->base.device = buf->addr + in_page;
	ptr_give_access(buf);
	watch_alloc(buf);
	*made = &buf->base;
	return 0;
}
