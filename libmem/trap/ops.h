/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem-trap: calls of the C library that a program makes, and what libmem
 * does about them. A library of its own, so that no other one exports a read().
 * It knows nothing of libmem: without an embedded context each call goes on to
 * the C library.
 */
#ifndef _LIBMEM_TRAP_OPS_H
#define _LIBMEM_TRAP_OPS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRAP_API	__attribute__((visibility("default")))

/** enum direction - what the kernel does with memory for the caller */
enum direction {
	KERNEL_READS,
	KERNEL_WRITES,
};

/**
 * struct area - memory that a call names
 * @addr: any
 * @len: bytes
 */
struct area {
	const void *addr;
	size_t len;
};

/**
 * struct trap_ops - what libmem does about calls
 * @is_ours: returns true if some of the @nr areas is tracked memory
 * @prepare: before the call: has the pages accessible; returns true if some
 *	access was refused, which has been recorded
 * @finish: after it: the first @done bytes of the areas have been written
 * @end: after both: releases what was kept for the call; keeps errno
 * @sigaction: as the C library's
 *
 * @ip is the caller's instruction.
 */
struct trap_ops {
	bool (*is_ours)(const struct area *areas, size_t nr);
	bool (*prepare)(const struct area *areas, size_t nr,
			enum direction dir, uintptr_t ip);
	void (*finish)(const struct area *areas, size_t nr, size_t done,
		       uintptr_t ip);
	void (*end)(const struct area *areas, size_t nr, enum direction dir,
		    uintptr_t ip);
	int (*sigaction)(int signal, const struct sigaction *action,
			 struct sigaction *old);
};

/* The C library's own name for it, which nobody else defines. */
int __sigaction(int signal, const struct sigaction *action,
		struct sigaction *old);

const struct trap_ops *trap_ops(void);
void libmem_trap_set(const struct trap_ops *ops);

#endif
