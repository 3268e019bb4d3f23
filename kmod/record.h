/* SPDX-License-Identifier: GPL-2.0-only */
/* Records of violations, events, and the state kept for them. */
#ifndef HEAPSIM_RECORD_H
#define HEAPSIM_RECORD_H

#include <linux/tracepoint-defs.h>

#include "model/line.h"
#include "watch.h"

struct heapsim_access;	/* buf.h, bracket.h */
struct heapsim_bracket;
struct heapsim_buf;

/**
 * struct heapsim_cpu - an action of the CPU
 * @cpu: as in a record, with global pids
 * @seen_by: bitmap of watchers that watched the process at that time
 * @place: where the thread was, from heapsim_stack_place()
 * @stack: from heapsim_stack_now()
 */
struct heapsim_cpu {
	struct heapsim_record_cpu cpu;
	u64 seen_by;
	u64 place;
	u64 stack;
};

/**
 * struct heapsim_party - an action on a buffer by an engine or a driver
 * @other: as in a record, with a global pid
 * @seen_by: bitmap of watchers that watched the process at that time
 * @stack: stack of the thread that requested the action, from
 *	heapsim_stack_now()
 * @kernel: kernel address that a stream's job was submitted with, else 0
 */
struct heapsim_party {
	struct heapsim_record_other other;
	u64 seen_by;
	u64 stack;
	u64 kernel;
};

/**
 * struct heapsim_note - last accesses to a page, kept for records
 * @store: last store that was tracked
 * @engine: last job that wrote the page, from heapsim_party_keep(); 0 if none
 */
struct heapsim_note {
	struct heapsim_cpu store;
	u64 engine;
};

/**
 * struct heapsim_event - an operation that is reported whether or not it is a
 *	violation
 * @kind: HEAPSIM_RECORD_FILL to HEAPSIM_RECORD_RELEASE
 * @access: HEAPSIM_ACCESS_*
 * @off: offset of the first byte
 * @len: bytes
 * @count: number of lines; 1 if the event has none
 * @bytes: bytes moved; 0 if that is @len
 * @begin_ns: time of the begin; 0 for an event without duration
 * @addr: user address of the CPU's access, or 0
 * @is_engines: an engine acts, not the calling thread
 * @party: the engine or importer involved, or NULL
 * @op: enum heapsim_dma_op of a job
 * @src: id of the buffer that a job reads
 * @status: result of a job
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
 * Returns true if a watcher or the tracepoint wants events. An event costs no
 * more than this check if nobody does.
 */
static inline bool heapsim_has_event_watchers(void)
{
	return READ_ONCE(heapsim_nr_event_watchers) ||
	       tracepoint_enabled(heapsim_event);
}

bool heapsim_record_is_wanted(void);
u64 heapsim_event_begin(void);
void heapsim_event_report_whole(const struct heapsim_buf *buf, u32 kind,
				u32 access, u64 begin_ns,
				const struct heapsim_party *party);
void heapsim_event_report(const struct heapsim_buf *buf,
			  const struct heapsim_event *event);
void heapsim_event_report_work(const struct heapsim_party *party, u32 kind,
			       int status);

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
