/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random sequences of operations on a two-view buffer, which a subject (the
 * model, or the real device) and the reference run in step.
 */
#ifndef HEAPSIM_SELFTESTS_MODEL_SEQUENCE_H
#define HEAPSIM_SELFTESTS_MODEL_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/heapsim.h>

#include "../env.h"
#include "ref.h"

/**
 * struct subject_ops - operations of a subject under test
 * @name: name for messages
 * @nr_who: number of processes that it can simulate, at least 1
 * @create: makes a zeroed buffer of a shape; returns NULL on failure
 * @destroy: frees the buffer
 * @cpu_read: a process reads; the access is seen at the first byte; the range
 *	does not leave its page
 * @cpu_write: a process writes; as @cpu_read
 * @cpu_store: a store through an existing PTE; NULL: unsupported
 * @job_start: a job of an engine begins that will read or write a range; until
 *	@job_end all engine accesses belong to it; NULL: unsupported
 * @job_end: the job ends
 * @engine_read: an engine reads DRAM
 * @engine_write: an engine writes DRAM
 * @holder_write: an importer that holds the buffer writes; may be NULL
 * @maintain: range maintenance, enum heapsim_maint_op
 * @evict: one line is evicted; may be NULL
 * @sync_start: DMA_BUF_IOCTL_SYNC START
 * @sync_end: DMA_BUF_IOCTL_SYNC END
 * @process_end: a process ends; may be NULL
 * @map: an importer maps, HEAPSIM_DIR_*; may be NULL
 * @unmap: an importer that mapped with this direction unmaps
 * @vmap: a driver maps into the kernel; may be NULL
 * @vunmap: a driver unmaps from the kernel
 * @counters: reads the counters of the buffer
 * @compare: compares all state that can be read without effects; may be NULL
 * @told: adds reports since the last call, by enum heapsim_record_kind, in
 *   whole
 *	lines; may be NULL
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
 * struct sequence - a random sequence
 * @p: shape of the buffer
 * @seed: the same seed gives the same steps
 * @nr_steps: number of steps
 * @is_bytes_only: accesses may be unseen: bytes are compared but not counters,
 *	and only bytes that differ from the filled ones are stored
 * @is_sampled: about one access in three is seen because of @before_touch, and
 *	must be reported as by the reference; others may be unseen, so reports
 *	of reads and brackets are a subset; stores are as with @is_bytes_only
 * @is_precise: every access is seen: the CPU accesses one byte of each line
 * @before_touch: called with the reference before a CPU access, or if
 *	@is_sampled before those that must be seen; revokes the access, and then
 *	also that of the reference; may be NULL
 * @after_fault: called after the reference has handled the fault and before a
 *	write is stored; may be NULL
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

int sequence_play(const struct sequence *seq, const struct subject_ops *ops);
int sequence_compare_counters(const struct heapsim_counters *want,
			      const struct heapsim_counters *have);

#endif
