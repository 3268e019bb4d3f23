/* SPDX-License-Identifier: GPL-2.0-only */
/* A sample of the module's totals and of its live buffers */
#ifndef HEAPSIM_SAMPLE_H
#define HEAPSIM_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "device.h"

struct sample_buf {
	uint64_t id;
	uint64_t inode;		/* of its dma-buf */
	uint64_t len;		/* bytes */
	char kind[24];		/* its heap's name */
	unsigned int nr_holders;
	char name[HEAPSIM_NAME_LEN];	/* without control characters */
	struct heapsim_counters count;
};

struct sample {
	struct device_state device;
	uint64_t time_ns;	/* CLOCK_MONOTONIC */
	int bufs_err;		/* error of reading the buffers: 0 or -errno */
	struct sample_buf *bufs;	/* sorted by id */
	size_t nr_bufs;
};

int sample_take(struct sample *sample);
void sample_fini(struct sample *sample);
int sample_bufs_read(struct sample_buf **bufs, size_t *nr);
const char *sample_bufs_why(int err);
const struct sample_buf *sample_find(const struct sample *sample, uint64_t id);

uint64_t sample_findings(const struct heapsim_counters *count);
uint64_t sample_redundant(const struct heapsim_counters *count);

/* The counters by name, in the order of struct heapsim_counters. */
#define SAMPLE_NR_COUNTERS \
	(sizeof(struct heapsim_counters) / sizeof(uint64_t))
extern const char *const sample_counter_names[SAMPLE_NR_COUNTERS];

#endif
