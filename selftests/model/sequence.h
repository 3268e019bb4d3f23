/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random sequences of operations on a two-view buffer, played to a subject
 * (the model, or the real device) and to the reference at the same time.
 */
#ifndef HEAPSIM_SELFTESTS_MODEL_SEQUENCE_H
#define HEAPSIM_SELFTESTS_MODEL_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/heapsim.h>

#include "ref.h"

/**
 * struct subject_ops - what is tested
 * @name: for messages
 * @nr_who: processes it can play, at least 1
 * @create: a zeroed buffer of that shape, NULL on failure
 * @destroy: give it back
 * @cpu_read: a process reads; the touch is seen at the first byte; the range
 *	does not leave its page
 * @cpu_write: a process writes; as @cpu_read
 * @cpu_store: a store through a PTE that is there; NULL: cannot be had
 * @job_start: a job of an engine begins that will read or write a range; till
 *	@job_end what engines do is that. NULL: cannot be had
 * @job_end: it ends
 * @engine_read: an engine reads DRAM
 * @engine_write: an engine writes DRAM
 * @holder_write: an importer that holds the buffer writes; may be NULL
 * @maintain: range maintenance, enum heapsim_maint_op
 * @evict: one line is evicted; may be NULL
 * @sync_start: DMA_BUF_IOCTL_SYNC START
 * @sync_end: DMA_BUF_IOCTL_SYNC END
 * @process_end: a process ends; may be NULL
 * @map: an importer maps, HEAPSIM_DIR_*; may be NULL
 * @unmap: one that mapped so unmaps
 * @vmap: a driver maps into the kernel; may be NULL
 * @vunmap: and unmaps
 * @counters: counters of the buffer
 * @compare: compare all that can be seen without being noticed; may be NULL
 * @told: add what was told since it was asked last, by enum
 *	heapsim_record_kind, lines whole; may be NULL
 *
 * All return 0 or a negative number.
 */
struct subject_ops {
	const char *name;
	unsigned int nr_who;
	void *(*create)(const struct ref_params *p);
	void (*destroy)(void *subject);
	int (*cpu_read)(void *subject, size_t off, uint8_t *bytes, size_t len,
			unsigned int who);
	int (*cpu_write)(void *subject, size_t off, const uint8_t *bytes,
			 size_t len, unsigned int who);
	int (*cpu_store)(void *subject, size_t off, const uint8_t *bytes,
			 size_t len);
	int (*job_start)(void *subject, size_t off, size_t len, bool is_write);
	int (*job_end)(void *subject);
	int (*engine_read)(void *subject, size_t off, uint8_t *bytes,
			   size_t len);
	int (*engine_write)(void *subject, size_t off, const uint8_t *bytes,
			    size_t len);
	int (*holder_write)(void *subject, size_t off, const uint8_t *bytes,
			    size_t len);
	int (*maintain)(void *subject, unsigned int op, size_t off,
			size_t len);
	int (*evict)(void *subject, size_t line);
	int (*sync_start)(void *subject, unsigned int who, unsigned int dir);
	int (*sync_end)(void *subject, unsigned int who, unsigned int dir);
	int (*process_end)(void *subject, unsigned int who);
	int (*map)(void *subject, unsigned int dir);
	int (*unmap)(void *subject, unsigned int dir);
	int (*vmap)(void *subject);
	int (*vunmap)(void *subject);
	int (*counters)(void *subject, struct heapsim_counters *count);
	int (*compare)(void *subject, const struct ref *ref);
	int (*told)(void *subject, struct ref_told *told);
};

/**
 * struct sequence - what to play
 * @p: shape of the buffer
 * @seed: the same seed gives the same steps
 * @nr_steps: how many
 * @is_bytes_only: touches may go unseen: compare bytes, not counters, and
 *	store only bytes that differ from what was filled
 * @is_sampled: about one touch in three is seen because of @before_touch, and
 *	told as the reference has it; others may go unseen, so that what reads
 *	and brackets are told of is a subset; stores as with @is_bytes_only
 * @is_precise: every access is seen: the CPU touches one byte of each line
 * @before_touch: called with the reference before a CPU access, or if
 *	@is_sampled before those that shall be seen, to revoke access, and the
 *	reference's if it does; may be NULL
 * @after_fault: called when the reference has seen the access and a write has
 *	not stored in it yet; may be NULL
 */
struct sequence {
	struct ref_params p;
	uint64_t seed;
	unsigned int nr_steps;
	bool is_bytes_only;
	bool is_sampled;
	bool is_precise;
	int (*before_touch)(void *subject, struct ref *ref, size_t off);
	int (*after_fault)(void *subject, struct ref *ref, size_t off);
};

uint64_t sequence_env(const char *name, uint64_t otherwise);
int sequence_play(const struct sequence *seq, const struct subject_ops *ops);
int sequence_compare_counters(const struct heapsim_counters *want,
			      const struct heapsim_counters *have);

#endif
