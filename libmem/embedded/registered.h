/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Registered memory of the embedded backend, which calls and forks move.
 */
#ifndef _LIBMEM_REGISTERED_H
#define _LIBMEM_REGISTERED_H

#include <pthread.h>
#include <stdatomic.h>

#include "embedded.h"

/**
 * struct registered - registered memory of the process, by the host's address
 * @err: handlers of fork could not be installed: -errno
 * @move_lock: no page changes hands while it is held
 * @nr_moves: moves begun and ended: odd while one goes on
 * @lock: protects what follows
 * @tree: of struct embedded_buf, none of which overlap
 * @parents: the tree of the parent, in a child, which has none
 * @nr: registered buffers
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
