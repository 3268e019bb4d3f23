/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies of paths and structs that lie in tracked memory. The kernel gets the
 * copy, so the call cannot fail with EFAULT, however long it waits and whatever
 * engines do meanwhile. The program's memory is accessed here, by the CPU, like
 * any other of its accesses. Copies lie on the stack, since several of these
 * calls are allowed in handlers of signals.
 */
#ifndef _LIBMEM_TRAP_BOUNCE_H
#define _LIBMEM_TRAP_BOUNCE_H

#include <alloca.h>
#include <limits.h>
#include <string.h>

#include "next.h"

/* Longer memory is passed to the kernel as it is. */
#define BOUNCE_MAX	32768U

/**
 * struct bounce - a copy for one call
 * @user: the program's memory; NULL: the call uses that itself
 * @copy: copy
 */
struct bounce {
	void *user;
	void *copy;
};

/* Replaces a pointer to tracked memory by one to a zeroed copy. */
#define BOUNCE(ptr, len)						\
	struct bounce ptr##_bounce = { NULL, NULL };			\
									\
	if ((len) <= BOUNCE_MAX && trap_is_tracked((ptr), (len))) {	\
		ptr##_bounce.user = (void *)(ptr);			\
		ptr##_bounce.copy = memset(alloca(len), 0, (len));	\
		(ptr) = ptr##_bounce.copy;				\
	}

#define COPY_IN(ptr, len) do {						\
	if (ptr##_bounce.user)						\
		memcpy(ptr##_bounce.copy, ptr##_bounce.user, (len));	\
} while (0)

#define COPY_OUT(ptr, len) do {						\
	if (ptr##_bounce.user)						\
		memcpy(ptr##_bounce.user, ptr##_bounce.copy, (len));	\
} while (0)

/* Replaces a pointer to memory that the kernel only reads. */
#define BOUNCE_IN(ptr, len)						\
	BOUNCE(ptr, len)						\
	COPY_IN(ptr, len)

/* A string that is too long stays too long in the copy. */
#define BOUNCE_STRING(ptr, max) do {					\
	if (trap_is_tracked((ptr), 1)) {				\
		const size_t nr = strnlen((ptr), (max));		\
		char *string = memcpy(alloca(nr + 1), (ptr), nr);	\
									\
		string[nr] = '\0';					\
		(ptr) = string;						\
	}								\
} while (0)

/* Calls with one or two of these; the value is that of @expr. */

#define WITH_PATH(path, expr) ({					\
	BOUNCE_STRING(path, PATH_MAX);					\
	(expr);								\
})

#define WITH_PATHS(path, other, expr) ({				\
	BOUNCE_STRING(path, PATH_MAX);					\
	BOUNCE_STRING(other, PATH_MAX);					\
	(expr);								\
})

#define WITH_IN(ptr, len, expr) ({					\
	BOUNCE_IN(ptr, len);						\
	(expr);								\
})

/* The kernel writes the struct unless the call returns an error. */
#define WITH_OUT(ptr, expr) ({						\
	__typeof__(expr) ret;						\
	BOUNCE(ptr, sizeof(*(ptr)))					\
	ret = (expr);							\
	if (ret >= 0)							\
		COPY_OUT(ptr, sizeof(*(ptr)));				\
	ret;								\
})

#define WITH_PATH_OUT(path, ptr, expr) ({				\
	BOUNCE_STRING(path, PATH_MAX);					\
	WITH_OUT(ptr, expr);						\
})

#define WITH_IN_OUT(in, out, expr) ({					\
	BOUNCE_IN(in, sizeof(*(in)));					\
	WITH_OUT(out, expr);						\
})

#endif
