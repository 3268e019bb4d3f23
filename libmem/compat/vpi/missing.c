// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls that heapsim does not implement, so that programs which refer to them
 * can be linked. The report names those that were called. missing.txt lists
 * them; the Makefile makes a line of each: MISSING(name).
 */
int vpi_missing(const char *call);

/*
 * VPI's headers are not included, since they declare these functions with
 * parameters. The difference does not matter here, nor does it that the return
 * type is an enumeration.
 */
#define MISSING(name)							\
	__attribute__((visibility("default"))) int name(void);		\
	int name(void)							\
	{								\
		return vpi_missing(#name);				\
	}

#include <vpi-missing.h>
