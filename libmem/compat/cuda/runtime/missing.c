// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runtime: the calls that heapsim has not. Programs that only name them link;
 * one that calls them is told so, and the report names them.
 *
 * missing.txt lists them; the Makefile makes a line of each:
 * MISSING(symbol, "name as programs write it").
 */
int core_missing(const char *call);
int cudart_return(int rc);

/*
 * No header: what it declares has parameters. They do not matter here, nor does
 * that the answer is an enumeration.
 */
#define MISSING(symbol, name)						\
	__attribute__((visibility("default"))) int symbol(void);	\
	int symbol(void)						\
	{								\
		return cudart_return(core_missing(name));		\
	}

#include <cudart-missing.h>
