/* SPDX-License-Identifier: GPL-2.0-only */
/* Records, events, and what is noted for them. */
#ifndef HEAPSIM_RECORD_H
#define HEAPSIM_RECORD_H

#include <linux/tracepoint-defs.h>

#include "model/line.h"
#include "watch.h"

struct heapsim_access;	/* these three: buf.h and bracket.h */
struct heapsim_bracket;
struct heapsim_buf;

/**
 * struct heapsim_cpu - what the CPU did, for records
 * @cpu: as records have it, with global pids
 * @seen_by: slots of those who watched the process then
 * @place: where it was, from heapsim_stack_place()
 * @stack: from heapsim_stack_now()
 */
struct heapsim_cpu {
	struct heapsim_record_cpu cpu;
	u64 seen_by;
	u64 place;
	u64 stack;
};

/**
 * struct heapsim_party - who did something to a buffer that the CPU did not
 * @other: as records have it, with a global pid
 * @seen_by: slots of those who watched the process then
 * @stack: of the thread that had it done, from heapsim_stack_now()
 * @kernel: of a work, what it was submitted with; else 0
 */
struct heapsim_party {
	struct heapsim_record_other other;
	u64 seen_by;
	u64 stack;
	u64 kernel;
};

/**
 * struct heapsim_note - what a page of a buffer remembers for records
 * @store: the last store that was seen
 * @engine: the last job that wrote it, from heapsim_party_keep(); 0 none
 */
struct heapsim_note {
	struct heapsim_cpu store;
	u64 engine;
};

/**
 * struct heapsim_event - what is done, right or wrong, for who asks for events
 * @kind: HEAPSIM_RECORD_FILL to HEAPSIM_RECORD_RELEASE
 * @access: HEAPSIM_ACCESS_*
 * @off: first byte
 * @len: bytes
 * @count: lines; 1 where it is about none
 * @bytes: that it moves; 0: @len
 * @begin_ns: when it began; 0: it takes no time
 * @addr: of the CPU's access, or 0
 * @is_engines: the calling thread is not who does it
 * @party: who else, NULL nobody
 * @op: enum heapsim_dma_op of a job
 * @src: id of the buffer that it reads
 * @status: that it ended with
 */
struct heapsim_event {
	u32 kind;
	u32 access;
	u64 off;
	u64 len;
	u64 count;
	u64 bytes;
	u64 begin_ns;
	u64 addr;
	bool is_engines;
	const struct heapsim_party *party;
	u32 op;
	u64 src;
	int status;
};

DECLARE_TRACEPOINT(heapsim_event);

/*
 * Does anybody ask for events, a watcher or the trace? All that they cost while
 * nobody does.
 */
static inline bool heapsim_has_event_watchers(void)
{
	return READ_ONCE(heapsim_nr_event_watchers) ||
	       tracepoint_enabled(heapsim_event);
}

u64 heapsim_event_begin(void);
void heapsim_event_report_whole(const struct heapsim_buf *buf, u32 kind,
				u32 access, u64 begin_ns,
				const struct heapsim_party *party);
void heapsim_event_report(const struct heapsim_buf *buf,
			  const struct heapsim_event *event);

void heapsim_note_cpu(struct heapsim_cpu *side, u64 addr, bool is_write);
void heapsim_note_store(struct heapsim_cpu *side, u64 addr,
			const struct heapsim_cpu *before);
void heapsim_note_attach(struct heapsim_record_attach *how, u32 by);
void heapsim_note_party(struct heapsim_party *party, u32 type,
			const char *name);
u64 heapsim_party_keep(const struct heapsim_party *party);
void heapsim_record_lines(struct line_buf *lines, enum line_event event,
			  u64 off, u64 len);
void heapsim_record_unbracketed(struct heapsim_buf *buf,
				const struct heapsim_access *access,
				const struct heapsim_party *party);
void heapsim_record_cpu_forbidden(struct heapsim_buf *buf, u32 kind,
				  const struct heapsim_access *access,
				  const struct heapsim_party *party);
void heapsim_record_not_attached(struct heapsim_buf *buf,
				 const struct heapsim_party *party);
void heapsim_record_open_bracket(struct heapsim_buf *buf,
				 const struct heapsim_bracket *b);
void heapsim_record_unmatched_end(struct heapsim_buf *buf, bool lacks_write,
				  bool is_write);

#endif
