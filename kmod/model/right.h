/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Managed memory: who may touch a buffer by its attach state and by which
 * streams are active (Documentation/model.rst, "Managed memory"), and which
 * buffers are concerned if that changes.
 *
 * Buffers whose state is known done form groups: the global ones, and those
 * that are single to a stream. All of a group may be touched by the CPU, or
 * none, and all are seen by the same jobs. So a change is made to the group, it
 * costs the same for any number of buffers, and what has been done for a buffer
 * follows from what was done for its group while it was in it. The buffers for
 * which a change has to be carried out are in lists of the group.
 *
 * Nothing here locks: the host serialises all calls on a group and its buffers.
 * It may do so separately for what faults need, which is is_refused, lines,
 * is_dirty, is_kept, refused and the lists of mapped, cached and dirty buffers,
 * and for all else. Then right_group_refuse(), right_join() and right_leave()
 * need both, so right_tally.revoked can be read with either.
 */
#ifndef HEAPSIM_MODEL_RIGHT_H
#define HEAPSIM_MODEL_RIGHT_H

#include "env.h"

/** enum attach_kind - who may touch a buffer */
enum attach_kind {
	ATTACH_GLOBAL,
	ATTACH_HOST,
	ATTACH_SINGLE,
};

/** enum attach_class - kinds of board, which differ in the rules */
enum attach_class {
	ATTACH_NONCOHERENT,
	ATTACH_IO_COHERENT,
	ATTACH_CONCURRENT,
};

struct profile;

/**
 * struct attach_link - a place in a list, or a list's head
 * @next: behind it
 * @prev: before it
 */
struct attach_link {
	struct attach_link *next;
	struct attach_link *prev;
};

/**
 * enum right_lines - what an end of the CPU's right, or an invalidate, finds
 * @RIGHT_NO_LINES: nothing: no page is mapped, no line is valid, and no engine
 *	wrote since the last invalidate
 * @RIGHT_CACHED: there may be lines, but no page is mapped
 * @RIGHT_MAPPED: pages may be mapped
 */
enum right_lines {
	RIGHT_NO_LINES,
	RIGHT_CACHED,
	RIGHT_MAPPED,
};

/**
 * struct right_tally - what was done, how often
 * @jobs: a job was submitted that sees the buffer
 * @revoked: the CPU's right ended
 * @restored: it came back
 * @gpu_cleans: it came back after such a job: the GPU's cache is cleaned, and
 *	the CPU's lines are invalidated where there are two views
 */
struct right_tally {
	u64 jobs;
	u64 revoked;
	u64 restored;
	u64 gpu_cleans;
};

/**
 * struct right_group - buffers that may be touched at the same time
 * @nr: how many
 * @len: sum of their lengths, bytes
 * @is_refused: the CPU may not touch them now
 * @is_due: a job has seen them since the last GPU clean
 * @tally: what was done for all that were in it then
 * @odd: buffers for which the opposite of @is_due holds: they came in since the
 *	last job or GPU clean
 * @bufs: all buffers
 * @mapped: those that are RIGHT_MAPPED
 * @nr_mapped: how many
 * @cached: those that are RIGHT_CACHED
 * @nr_cached: how many
 * @dirty: those that the CPU may have stored to since the last clean
 */
struct right_group {
	u64 nr;
	u64 len;
	bool is_refused;
	bool is_due;
	struct right_tally tally;
	struct attach_link odd;
	struct attach_link bufs;
	struct attach_link mapped;
	u64 nr_mapped;
	struct attach_link cached;
	u64 nr_cached;
	struct attach_link dirty;
};

/**
 * struct right_refused - a touch by the CPU that was refused, but carried out
 * @thread: id of the thread; unique in the host
 * @ip: address of the instruction; 0 if the next touch is another one in any
 *	case, as in a system call, or where each touch faults
 * @off: first byte, offset in the buffer
 * @job: last job of the stream that the CPU had to wait for
 * @revoked: right_tally.revoked then; right_is_repeated() sets it
 * @is_write: it was a store
 */
struct right_refused {
	u64 thread;
	u64 ip;
	u64 off;
	u64 job;
	u64 revoked;
	bool is_write;
};

/**
 * struct right_buf - a managed buffer
 * @len: bytes
 * @group: that it is in; NULL: its state is host, or an attach is in flight
 * @is_refused: of a buffer in no group: the CPU may not touch it now
 * @is_due: of one in no group: a job has seen it since the last GPU clean
 * @lines: what the CPU has of it
 * @is_dirty: the CPU may have stored to it since the last clean
 * @is_kept: some of these stores were made while the CPU was allowed to
 * @tally: what was done for it, but for what @since leaves out
 * @since: the tally of the group when it came in; its own part is what was
 *	added to that
 * @refused: the last touch that right_is_repeated() was called for
 * @in_odd: place in the group's list
 * @in_bufs: the same
 * @in_lines: place in the list that @lines says
 * @in_dirty: place in the group's list, if @is_dirty
 */
struct right_buf {
	u64 len;
	struct right_group *group;
	bool is_refused;
	bool is_due;
	enum right_lines lines;
	bool is_dirty;
	bool is_kept;
	struct right_tally tally;
	struct right_tally since;
	struct right_refused refused;
	struct attach_link in_odd;
	struct attach_link in_bufs;
	struct attach_link in_lines;
	struct attach_link in_dirty;
};

/**
 * struct right_sum - buffers, for counters of all
 * @nr: how many
 * @len: sum of their lengths, bytes
 * @nr_visited: buffers that were looked at one by one
 */
struct right_sum {
	u64 nr;
	u64 len;
	u64 nr_visited;
};

enum attach_class attach_class_of(const struct profile *profile);

void right_group_init(struct right_group *group);
u64 right_group_job(struct right_group *group);
void right_group_refuse(struct right_group *group);
void right_group_clean(struct right_group *group, bool again,
		       struct right_sum *cleaned);
void right_group_restore(struct right_group *group);
void right_group_allow(struct right_group *group, bool again,
		       struct right_sum *cleaned);
struct right_buf *right_group_mapped(struct right_group *group);
struct right_buf *right_group_cached(struct right_group *group);
struct right_buf *right_group_dirty(struct right_group *group,
				    struct right_buf *buf);
struct right_buf *right_group_next(struct right_group *group,
				   struct right_buf *buf);

void right_buf_init(struct right_buf *buf, u64 len);
void right_join(struct right_group *group, struct right_buf *buf);
void right_leave(struct right_buf *buf);
void right_allow(struct right_buf *buf);
bool right_is_refused(const struct right_buf *buf);
bool right_is_repeated(struct right_buf *buf, struct right_refused *now);
bool right_is_due(const struct right_buf *buf);
void right_tally_of(const struct right_buf *buf, struct right_tally *tally);
void right_set_lines(struct right_buf *buf, enum right_lines lines);
void right_set_dirty(struct right_buf *buf, bool is_dirty);
void right_store(struct right_buf *buf, bool is_allowed);
void right_keep(struct right_buf *buf);
void right_cleaned(struct right_buf *buf, bool is_dirty);
bool right_must_clean(const struct right_buf *buf);

#endif
