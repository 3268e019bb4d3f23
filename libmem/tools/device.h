/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads /dev/heapsim once; an open device would keep the module loaded. */
#ifndef HEAPSIM_DEVICE_H
#define HEAPSIM_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/heapsim.h>

#define DEVICE_PATH	"/dev/heapsim"

struct device_state {
	struct heapsim_probe probe;
	struct heapsim_info info;
};

int device_read(struct device_state *state);
int device_print_error(const char *who, int err);
const char *device_policy(const struct device_state *state);
char *device_heaps(const char *separator);

#endif
