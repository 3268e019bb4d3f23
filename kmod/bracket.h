/* SPDX-License-Identifier: GPL-2.0-only */
/* Brackets of processes. */
#ifndef HEAPSIM_BRACKET_H
#define HEAPSIM_BRACKET_H

#include "buf.h"

/**
 * struct heapsim_bracket - a process that has begun a bracket or stored
 * @node: entry in heapsim_buf.brackets
 * @tgid: process, with a reference
 * @who: number of the process in the model
 * @write_start: last START that allows writes
 * @read_start: last START that allows reads
 * @had_buf: the process had a descriptor or mapping of the buffer at a START
 * @open: number of STARTs without END
 */
struct heapsim_bracket {
	struct list_head node;
	struct pid *tgid;
	u32 who;
	struct heapsim_cpu write_start;
	struct heapsim_cpu read_start;
	bool had_buf;
	struct line_bracket open;
};

u64 heapsim_missing_ends(void);
struct heapsim_bracket *heapsim_bracket_alloc(void);
u32 heapsim_bracket_who(const struct heapsim_buf *buf);
u32 heapsim_bracket_add(struct heapsim_buf *buf, struct heapsim_bracket *fresh);
bool heapsim_bracket_is_open(const struct heapsim_buf *buf, u32 who,
			     enum heapsim_touch touch);
const struct line_bracket *
heapsim_bracket_of_current(const struct heapsim_buf *buf);
bool heapsim_bracket_any_open(const struct heapsim_buf *buf);
const struct heapsim_cpu *
heapsim_bracket_reader(const struct heapsim_buf *buf);
void heapsim_bracket_open(struct heapsim_buf *buf, enum dma_data_direction dir,
			  struct heapsim_bracket **fresh);
bool heapsim_bracket_close(struct heapsim_buf *buf,
			   enum dma_data_direction dir);
void heapsim_bracket_reopen(struct heapsim_buf *buf,
			    enum dma_data_direction dir);
void heapsim_brackets_reap(struct heapsim_buf *buf);
void heapsim_brackets_fini(struct heapsim_buf *buf);

#endif
