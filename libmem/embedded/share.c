// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Memory in files of its own, to share it with other processes. An export moves
 * the bytes to such a file, at the same address; an import maps one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "embedded.h"

/* Nobody can change its length. */
static int share_shared_file(uint64_t len, struct own_fd *file)
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

static int share_move_to_file(struct embedded_ctx *ctx,
			      struct embedded_buf *buf)
{
	struct own_fd file;
	sigset_t old;
	int err;

	err = share_shared_file(buf->base.len, &file);
	if (err)
		return err;
	buf_lock(buf, &old);
	protect_set(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
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
 * share_export_ptr() - export device memory for mem_ptr_export()
 * @base: device memory that was not imported
 * @fd: out: descriptor, owned by the caller
 *
 * The first call moves its bytes to a file of its own.
 *
 * Context: no work of the context is left, and none can begin.
 * Return: 0, -EMFILE, -ENFILE, -ENOMEM or -EBADF (the program has closed a
 * descriptor of the library).
 */
int share_export_ptr(struct mem_buf *base, int *fd)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	int err = 0, copy;

	if (buf->file.nr < 0)
		err = share_move_to_file(embedded_ctx_of(base->ctx), buf);
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

/* The length of a dma-buf is the offset of its end; some files have none. */
static int share_check_file(int fd, uint64_t end)
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

static int share_import_error(int err)
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

/* An import has one view. */
static int share_place_others(struct embedded_buf *buf)
{
	sigset_t old;
	int err;

	signals_block(&old);
	err = window_alloc(buf);
	if (!err) {
		err = share_import_error(window_map_own(buf));
		if (err)
			window_free(buf);
	}
	signals_restore(&old);
	return err;
}

/* On failure the buffer is freed. */
static int share_import_file(int fd, struct embedded_buf *buf)
{
	int err;

	buf->is_imported = true;
	err = own_fd_copy(&buf->file, fd);
	if (!err)
		err = share_place_others(buf);
	if (err)
		embedded_buf_destroy(buf);
	return err;
}

/**
 * share_import_ptr() - import device memory for mem_ptr_import()
 * @base: context
 * @fd: descriptor, which stays the caller's
 * @off: offset of the first byte
 * @len: bytes, above 0
 * @flags: flags of device memory
 * @made: out: buffer
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
	err = share_check_file(fd, off + len);
	if (err)
		return err;
	buf = embedded_buf_create(ctx, MEM_KIND_DEVICE, in_page + len);
	if (!buf)
		return -ENOMEM;
	buf->base.ctx = base;
	buf->base.asked_len = len;
	buf->base.flags = flags | MEM_DEVICE_IMPORTED;
	buf->fd_off = off - in_page;
	err = share_import_file(fd, buf);
	if (err)
		return err;
	buf->base.device = buf->addr + in_page;
	ptr_give_access(buf);
	watch_alloc(buf);
	*made = &buf->base;
	return 0;
}

/* Buffers of heaps */

/* The buffer's lock and the order lock are held, and no engine uses it. */
static int share_move_buf(struct embedded_buf *buf, struct own_fd *file)
{
	const bool had_two_views = buf->has_two_views;
	int err;

	if (had_two_views) {
		view_revoke(buf, 0, buf->nr_pages);
		view_write_back(buf);
	} else {
		protect_set(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
	}
	err = window_move(buf, file);
	if (had_two_views && !err)
		view_fini(buf);
	/* If this fails, the next touch gives access. */
	if (buf->is_mapped)
		fault_open(buf);
	return err;
}

static bool share_has_file(struct embedded_buf *buf)
{
	sigset_t old;
	bool ret;

	buf_lock(buf, &old);
	ret = buf->file.nr >= 0;
	buf_unlock(buf, &old);
	return ret;
}

/* Threads that touch it meanwhile wait for its lock, in the handler. */
static int share_own_file(struct embedded_ctx *ctx, struct embedded_buf *buf)
{
	bool has_moved = false;
	struct own_fd file;
	sigset_t old;
	int err;

	if (share_has_file(buf))
		return 0;
	err = share_shared_file(buf->base.len, &file);
	if (err)
		return err;
	err = run_keep_away(ctx, buf, &old);
	if (!err) {
		pthread_mutex_lock(&buf->lock);
		if (buf->file.nr < 0) {
			err = share_move_buf(buf, &file);
			has_moved = !err;
		}
		pthread_mutex_unlock(&buf->lock);
		run_let_come(ctx, buf, has_moved, &old);
	}
	if (!has_moved)
		own_fd_close(&file);
	return err;
}

static int share_file_is(int fd, const struct own_fd *file)
{
	struct stat stat;

	return !fstat(fd, &stat) && stat.st_dev == file->dev &&
	       stat.st_ino == file->ino;
}

/*
 * Opens the same inode for reading only. The file's mode prevents others from
 * opening it again for writing, except for root and the owner, who may change
 * the mode.
 */
static int share_open_read_only(const struct own_fd *file)
{
	char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	struct stat stat;
	int fd;

	if (fstat(file->nr, &stat))
		return -EBADF;
	if (stat.st_mode & 0222 && fchmod(file->nr, 0400))
		return -EACCES;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->nr);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EOPNOTSUPP : -errno;
	if (share_file_is(fd, file))
		return fd;
	fd_close(fd);
	return -EBADF;
}

/**
 * share_export() - export a buffer for mem_buf_export_as()
 * @base: buffer of a heap
 * @access: MEM_READ or MEM_RW, not more than the buffer has
 * @fd: out: descriptor, owned by the caller
 *
 * The first call moves its bytes to a file of its own; then it has one view.
 *
 * Context: takes the order lock and the buffer's lock.
 * Return: 0; -EPERM in a child of the process; -EMFILE; -ENFILE; -ENOMEM;
 * -ETIMEDOUT; -EACCES; -EOPNOTSUPP without /proc; or -EBADF if the program has
 * closed a descriptor of the library.
 */
int share_export(struct mem_buf *base, unsigned int access, int *fd)
{
	struct embedded_buf *buf = embedded_buf_of(base);
	int err, copy;

	if (window_is_forked())
		return -EPERM;
	err = share_own_file(embedded_ctx_of(base->ctx), buf);
	if (!err && !own_fd_is_open(&buf->file))
		err = -EBADF;
	if (err)
		return err;
	if (access & MEM_WRITE || base->is_read_only)
		copy = dup_cloexec(buf->file.nr);
	else
		copy = share_open_read_only(&buf->file);
	if (copy < 0)
		return copy;
	*fd = copy;
	return 0;
}

/*
 * Checks for a file of share_export(), of any process: whole pages, and sealed
 * against shrinking, so that no touch raises SIGBUS.
 */
static int share_check_shared(int fd, uint64_t *len, bool *is_read_only)
{
	const uint64_t page_size = 1ULL << window_page_shift();
	const int flags = fcntl(fd, F_GETFL);
	struct stat stat;
	int seals;

	if (flags < 0 || fstat(fd, &stat))
		return -EBADF;
	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || !(seals & F_SEAL_SHRINK) || stat.st_size <= 0 ||
	    stat.st_size % (off_t)page_size)
		return -EINVAL;
	if ((flags & O_ACCMODE) == O_WRONLY)
		return -EACCES;
	*len = (uint64_t)stat.st_size;
	*is_read_only = (flags & O_ACCMODE) == O_RDONLY ||
			(seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE));
	return 0;
}

/**
 * share_import() - import a buffer for mem_buf_import()
 * @base: context
 * @fd: descriptor, which stays the caller's
 * @made: out: buffer
 *
 * Return: 0; -EPERM in a child of the process; -EBADF; -EINVAL if the file does
 * not come from share_export(); -EACCES if it cannot be read; -EMFILE; or
 * -ENOMEM.
 */
int share_import(struct mem_ctx *base, int fd, struct mem_buf **made)
{
	struct embedded_ctx *ctx = embedded_ctx_of(base);
	struct embedded_buf *buf;
	bool is_read_only;
	uint64_t len;
	int err;

	if (window_is_forked())
		return -EPERM;
	err = share_check_shared(fd, &len, &is_read_only);
	if (err)
		return err;
	buf = embedded_buf_create(ctx, MEM_KIND_COHERENT, len);
	if (!buf)
		return -ENOMEM;
	buf->base.is_read_only = is_read_only;
	err = share_import_file(fd, buf);
	if (err)
		return err;
	buf->base.device = buf->addr;
	*made = &buf->base;
	return 0;
}
