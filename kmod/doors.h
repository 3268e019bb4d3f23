/* SPDX-License-Identifier: GPL-2.0-only */
/* The ways into the module. */
#ifndef HEAPSIM_DOORS_H
#define HEAPSIM_DOORS_H

#include "heapsim.h"

int heapsim_heap_init(void);
void heapsim_heap_fini(void);

int heapsim_cdev_init(void);
void heapsim_cdev_fini(void);

void heapsim_debugfs_init(void);
void heapsim_debugfs_fini(void);

void heapsim_swsync_init(void);
void heapsim_swsync_fini(void);

#endif
