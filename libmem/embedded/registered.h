/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Registered memory of the embedded backend: what register.c, which moves
 * pages, and fork.c, which copies them for a child, have in common.
 */
#ifndef _LIBMEM_REGISTERED_H
#define _LIBMEM_REGISTERED_H

#include <pthread.h>
#include <stdatomic.h>

#include "embedded.h"

/**
 * struct registered - registered memory of the process, by the host's address
 * @err: -errno if the fork handlers could not be installed, else 0
 * @move_lock: held while pages are moved, and during a fork; taken before @lock
 * @nr_moves: number of moves begun plus number of moves ended, so it is odd
 *	while one is in progress; a futex word
 * @lock: protects the members below
 * @tree: search tree of struct embedded_buf, which do not overlap
 * @parents: in a child of fork, the parent's tree, kept for leak checkers
 * @nr: number of registered buffers
 */
struct registered {
	int err;
	pthread_mutex_t move_lock;
	atomic_uint nr_moves;
	pthread_mutex_t lock;
	void *tree;
	void *parents;
	size_t nr;
};

extern struct registered registered;

uintptr_t registered_page_of(const void *addr);
void registered_copy(void *to, const void *from, size_t len);
void *registered_map_new(size_t len);

#endif
