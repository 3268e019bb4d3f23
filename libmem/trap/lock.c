// SPDX-License-Identifier: LGPL-2.1-or-later
/* The wrapper of mlockall(). libmem.a contains this file, too. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ops.h"

TRAP_API int mlockall(int flags)
{
	const struct trap_ops *ops = trap_ops();

	return ops ? ops->mlockall(flags) : (int)syscall(SYS_mlockall, flags);
}
