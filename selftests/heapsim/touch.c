// SPDX-License-Identifier: GPL-2.0-only
/* A library that stores to memory; a report must name its function. */
#include <stdint.h>

void touch(volatile uint8_t *at);

void touch(volatile uint8_t *at)
{
	*at = 1;
}
