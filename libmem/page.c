// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: pages of files that several processes map, such as the ledger of an
 * endpoint and the count of a timeline.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "page.h"

static size_t page_len(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/**
 * page_create() - make a page
 * @page: out: page, all 0
 * @file: out: its file, to be sent to other processes
 *
 * Return: 0, or -errno; @file is closed then.
 */
int page_create(void **page, struct own_fd *file)
{
	void *addr;
	int err;

	err = own_fd_take(file, memfd_create("libmem-page", MFD_CLOEXEC |
					     MFD_ALLOW_SEALING));
	if (err)
		return err;
	err = ftruncate(file->nr, (off_t)page_len()) ||
	      fcntl(file->nr, F_ADD_SEALS,
		    F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) ? -ENOMEM : 0;
	addr = err ? MAP_FAILED : mmap(NULL, page_len(), PROT_READ |
				       PROT_WRITE, MAP_SHARED, file->nr, 0);
	if (addr == MAP_FAILED) {
		own_fd_close(file);
		return -ENOMEM;
	}
	*page = addr;
	return 0;
}

/**
 * page_map() - map the page of another process
 * @fd: file sent by that process; remains the caller's
 * @prot: PROT_READ, or PROT_READ | PROT_WRITE
 * @page: out
 *
 * Accepts only a file whose page cannot fault later: one of tmpfs, of the right
 * length, and sealed against shrinking.
 *
 * Return: 0, -EINVAL: the file is no such page, or may not be written, or
 * -ENOMEM.
 */
int page_map(int fd, int prot, void **page)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct statfs system;
	struct stat stat;
	void *addr;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &stat) ||
	    stat.st_size != (off_t)page_len() || fstatfs(fd, &system) ||
	    system.f_type != TMPFS_MAGIC)
		return -EINVAL;
	addr = mmap(NULL, page_len(), prot, MAP_SHARED, fd, 0);
	if (addr == MAP_FAILED)
		return errno == ENOMEM ? -ENOMEM : -EINVAL;
	*page = addr;
	return 0;
}

/**
 * page_unmap() - unmap a page
 * @page: from page_create() or page_map(), or NULL
 */
void page_unmap(const void *page)
{
	if (page)
		munmap((void *)page, page_len());
}
