/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers that a user sets for a test, as SEED= and ROUNDS= */
#ifndef _SELFTESTS_ENV_H
#define _SELFTESTS_ENV_H

#include <stdint.h>
#include <stdlib.h>

/* The value may be hexadecimal, with 0x. */
static inline uint64_t env_or(const char *name, uint64_t otherwise)
{
	const char *value = getenv(name);

	return value && *value ? strtoull(value, NULL, 0) : otherwise;
}

#endif
