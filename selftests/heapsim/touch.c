// SPDX-License-Identifier: GPL-2.0-only
/* A library whose stores a report must name. */
#include <stdint.h>

void touch(volatile uint8_t *at);

void touch(volatile uint8_t *at)
{
	*at = 1;
}
