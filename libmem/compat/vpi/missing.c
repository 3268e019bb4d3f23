// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The calls that heapsim has not. Programs that only name them link; one that
 * calls them is told so, and the report names them. missing.txt lists them; the
 * Makefile makes a line of each: MISSING(name).
 */
int vpi_missing(const char *call);

/*
 * No header: what it declares has parameters. They do not matter here, nor does
 * that the answer is an enumeration.
 */
#define MISSING(name)							\
	__attribute__((visibility("default"))) int name(void);		\
	int name(void)							\
	{								\
		return vpi_missing(#name);				\
	}

#include <vpi-missing.h>
