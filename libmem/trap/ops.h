/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem-trap: wraps calls of the C library so that libmem can act before and
 * after them. This is a library of its own so that libmem.so does not export a
 * read(). It does not depend on libmem: without an embedded context each call
 * goes straight to the C library, except for what has to be done in advance.
 */
#ifndef _LIBMEM_TRAP_OPS_H
#define _LIBMEM_TRAP_OPS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRAP_API	__attribute__((visibility("default")))

/** enum direction - what the kernel does with the caller's memory */
enum direction {
	KERNEL_READS,
	KERNEL_WRITES,
};

/**
 * struct area - memory that a call names
 * @addr: first byte; need not be valid
 * @len: bytes
 */
struct area {
	const void *addr;
	size_t len;
};

/**
 * struct trap_ops - what libmem does before and after a call
 * @is_ours: returns true if any of the @nr areas is tracked memory
 * @prepare: called before the call: makes the pages accessible; returns true if
 *	an access was refused, which has been recorded
 * @finish: called after the call: the kernel has written the first @done bytes
 *	of the areas
 * @end: called last, whether the call succeeded or not: releases what was kept
 *	for the call; preserves errno
 * @sigaction: replaces the C library's sigaction()
 * @mlockall: replaces the C library's mlockall()
 * @was_held_back: called after a call on other memory that failed with EFAULT
 *	and was to write the areas: waits while pages beside registered memory
 *	are moved; returns true if the areas can be stored to now; preserves
 *	errno
 *
 * @ip is the address of the caller's instruction.
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
	int (*mlockall)(int flags);
	bool (*was_held_back)(const struct area *areas, size_t nr);
};

/* glibc's internal name of sigaction(), which no other library replaces. */
int __sigaction(int signal, const struct sigaction *action,
		struct sigaction *old);

const struct trap_ops *trap_ops(void);
void libmem_trap_set(const struct trap_ops *ops);

#endif
