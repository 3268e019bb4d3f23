/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors that the library keeps. The program may close them all, as
 * daemons do, and then open files of its own at their numbers. Therefore the
 * device and the inode of the file are kept, too.
 */
#ifndef _LIBMEM_FD_H
#define _LIBMEM_FD_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct own_fd - a descriptor that the library keeps
 * @nr: number; -1: none
 * @dev: device of the file
 * @ino: inode of the file
 */
struct own_fd {
	int nr;
	dev_t dev;
	ino_t ino;
};

#define OWN_FD_NONE	((struct own_fd) { .nr = -1 })

int dup_cloexec(int fd);
void fd_close(int fd);
int fd_aside(int fd);
bool fd_limit_raise(void);
int own_fd_take(struct own_fd *own, int fd);
int own_fd_copy(struct own_fd *own, int fd);
bool own_fd_is_open(const struct own_fd *own);
void own_fd_close(struct own_fd *own);
int own_fd_dup(const struct own_fd *own);
int own_event_open(struct own_fd *own);
void own_event_set(const struct own_fd *own, bool is_set);

#endif
