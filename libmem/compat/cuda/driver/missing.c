// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Driver: calls that heapsim does not implement, so that programs which refer
 * to them can be linked. The calls return an error, and the report names those
 * that were called.
 *
 * missing.txt lists them; the Makefile makes a line of each: MISSING(symbol,
 * "name in programs").
 */
int core_missing(const char *call);

/*
 * CUDA's headers are not included, since they declare these functions with
 * parameters. The difference does not matter here, nor does it that the return
 * type is an enumeration.
 */
#define MISSING(symbol, name)						\
	__attribute__((visibility("default"))) int symbol(void);	\
	int symbol(void)						\
	{								\
		return core_missing(name);				\
	}

#include <cuda-missing.h>
