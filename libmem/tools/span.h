/* SPDX-License-Identifier: GPL-2.0-only */
/* Asynchronous slices of the timeline: those that overlap on one track */
#ifndef HEAPSIM_SPAN_H
#define HEAPSIM_SPAN_H

#include <stdint.h>

#include <linux/heapsim.h>

#include "tracefile.h"

/** enum span_category - what a slice shows */
enum span_category {
	SPAN_BRACKET,
	SPAN_HOLD,
	SPAN_FRAME,		/* a frame is in a pipe */
	SPAN_HELD,		/* a frame is acquired */
	SPAN_FENCE,		/* a stream waits for a fence */
};

/**
 * struct span - a slice that has not ended
 * @next: the span that began before this one
 * @category: what it shows
 * @id: id of the slice
 * @pid: process on whose track it is
 * @buf: buffer; frame or wait of the process
 * @pipe: pipe of a frame
 * @access: directions of a bracket that are still open
 * @time_ns: begin of a hold, which identifies it
 * @name: name of the slice
 */
struct span {
	struct span *next;
	enum span_category category;
	uint64_t id;
	uint32_t pid;
	uint64_t buf;
	uint64_t pipe;
	uint32_t access;
	uint64_t time_ns;
	char name[HEAPSIM_NAME_LEN + 16];
};

/**
 * struct spans - the slices that have not ended
 * @file: file that they are written to
 * @first: the newest
 * @nr: number of spans that have begun
 */
struct spans {
	struct tracefile *file;
	struct span *first;
	uint64_t nr;
};

struct span *span_begin(struct spans *spans, enum span_category category,
			uint32_t pid, const char *name,
			const struct heapsim_record *r);
void span_end(struct spans *spans, struct span **at, uint64_t time_ns);
void spans_end(struct spans *spans, uint64_t time_ns);
void spans_fini(struct spans *spans);

#endif
