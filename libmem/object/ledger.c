// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: ledgers of endpoints. A ledger is a page of a file that two processes
 * map.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "endpoint.h"

static size_t ledger_len(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/**
 * ledger_create() - make a ledger
 * @ledger: out: ledger, all 0
 * @file: out: its file, to be sent to the peer
 *
 * Return: 0, or -errno; @file is closed then.
 */
int ledger_create(struct ledger **ledger, struct own_fd *file)
{
	void *addr;
	int err;

	err = own_fd_take(file, memfd_create("libmem-ledger", MFD_CLOEXEC |
					     MFD_ALLOW_SEALING));
	if (err)
		return err;
	err = ftruncate(file->nr, (off_t)ledger_len()) ||
	      fcntl(file->nr, F_ADD_SEALS,
		    F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) ? -ENOMEM : 0;
	addr = err ? MAP_FAILED : mmap(NULL, ledger_len(), PROT_READ |
				       PROT_WRITE, MAP_SHARED, file->nr, 0);
	if (addr == MAP_FAILED) {
		own_fd_close(file);
		return -ENOMEM;
	}
	*ledger = addr;
	return 0;
}

/**
 * ledger_map() - map the ledger of a peer
 * @fd: file sent by the peer; remains the caller's
 * @ledger: out
 *
 * Accepts only a file whose page cannot fault later: one of tmpfs, of the right
 * length, and sealed against shrinking.
 *
 * Return: 0, -EINVAL: the file is no ledger, or -ENOMEM.
 */
int ledger_map(int fd, const struct ledger **ledger)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct statfs system;
	struct stat stat;
	void *addr;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &stat) ||
	    stat.st_size != (off_t)ledger_len() || fstatfs(fd, &system) ||
	    system.f_type != TMPFS_MAGIC)
		return -EINVAL;
	addr = mmap(NULL, ledger_len(), PROT_READ, MAP_SHARED, fd, 0);
	if (addr == MAP_FAILED)
		return errno == ENOMEM ? -ENOMEM : -EINVAL;
	*ledger = addr;
	return 0;
}

/**
 * ledger_unmap() - unmap a ledger
 * @ledger: from ledger_create() or ledger_map(), or NULL
 */
void ledger_unmap(const struct ledger *ledger)
{
	if (ledger)
		munmap((void *)ledger, ledger_len());
}
