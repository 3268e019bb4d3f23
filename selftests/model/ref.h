/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reference of one two-view buffer, written from Documentation/model.rst
 * without looking at the model. Naive on purpose: an array of bytes for each
 * view, a struct for each line, loops over the whole buffer. It judges both the
 * model in user space and the real device. It owns no lock; one thread uses it.
 */
#ifndef HEAPSIM_SELFTESTS_MODEL_REF_H
#define HEAPSIM_SELFTESTS_MODEL_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/heapsim.h>

#define REF_MAX_LINE	128	/* bytes */
#define REF_MAX_WHO	8	/* processes are 1 to REF_MAX_WHO - 1 */

/* directions of a bracket; the values of DMA_BUF_SYNC_READ and _WRITE */
#define REF_READ	1U
#define REF_WRITE	2U
#define REF_RW		(REF_READ | REF_WRITE)

/** enum ref_state - state of a line in the CPU view */
enum ref_state {
	REF_INVALID,
	REF_CLEAN,
	REF_DIRTY,
};

/**
 * struct ref_line - what is known of a line besides its bytes
 * @is_valid: it is not Invalid
 * @is_stored: it holds the address of a faulting store since it became Clean
 * @is_engine_written: an engine wrote it since its last invalidate
 * @is_settled: since that write it was written back, or seen to be read
 * @has_aside: it was filled with the pattern, its old bytes are kept aside
 */
struct ref_line {
	bool is_valid;
	bool is_stored;
	bool is_engine_written;
	bool is_settled;
	bool has_aside;
};

/**
 * struct ref_brackets - open brackets of a process, by direction
 * @nr_read: READ brackets
 * @nr_write: WRITE brackets
 * @nr_write_alone: those that are not READ brackets, too
 */
struct ref_brackets {
	unsigned int nr_read;
	unsigned int nr_write;
	unsigned int nr_write_alone;
};

/** enum ref_pte - which touches of a page go unseen */
enum ref_pte {
	REF_NO_PTE,
	REF_PTE_READ,
	REF_PTE_WRITE,
};

/**
 * struct ref_params - the shape of a buffer
 * @len: bytes, a multiple of @page_size
 * @line_size: bytes
 * @fill_size: bytes of a fill granule, aligned
 * @page_size: bytes
 */
struct ref_params {
	size_t len;
	size_t line_size;
	size_t fill_size;
	size_t page_size;
};

/**
 * struct ref_told - what was told of one kind, enum heapsim_record_kind
 * @nr: lines, or operations
 * @off: first byte of the first
 * @end: behind the last byte of the last
 */
struct ref_told {
	uint64_t nr;
	size_t off;
	size_t end;
};

/**
 * struct ref - a buffer
 * @p: its shape
 * @dram: device view
 * @cpu: CPU view; means something only in valid lines
 * @fill: what lines were filled with, or their bytes that are aside; as @cpu
 * @in_run: scratch: byte is inside a run of changed bytes
 * @lines: a line each
 * @is_missed: a line each: the running job was told that it reads it Dirty
 * @is_crossed: the same, that it writes over it
 * @writer: a page each: process that stored last by a fault, 0 nobody
 * @is_open: a page each: the CPU touched it, and could read it again unseen
 *	until now, or until it was cleaned
 * @pte: a page each: what may go unseen, if @has_unseen
 * @has_unseen: touches are seen only where @pte does not allow them; else all
 * @brackets: a process each
 * @nr_maps: importers that have it mapped, by HEAPSIM_DIR_*
 * @nr_vmaps: kernel mappings
 * @count: counters
 * @told: since somebody cleared it, by kind
 */
struct ref {
	struct ref_params p;
	uint8_t *dram;
	uint8_t *cpu;
	uint8_t *fill;
	bool *in_run;
	struct ref_line *lines;
	bool *is_missed;
	bool *is_crossed;
	unsigned int *writer;
	bool *is_open;
	enum ref_pte *pte;
	bool has_unseen;
	struct ref_brackets brackets[REF_MAX_WHO];
	unsigned int nr_maps[3];
	unsigned int nr_vmaps;
	struct heapsim_counters count;
	struct ref_told told[HEAPSIM_NR_RECORD_KINDS];
};

struct ref *ref_create(const struct ref_params *p);
void ref_destroy(struct ref *ref);

void ref_told_add(struct ref_told *told, uint64_t nr, size_t off, size_t len);
size_t ref_nr_lines(const struct ref *ref);
uint8_t ref_pattern(size_t off);
void ref_find_stored(const uint8_t *bytes, size_t off, size_t len,
		     bool *is_stored);
enum ref_state ref_line_state(const struct ref *ref, size_t line);
bool ref_line_is_stale(const struct ref *ref, size_t line);
bool ref_would_fill(const struct ref *ref, size_t off);
bool ref_is_held(const struct ref *ref);
bool ref_is_held_by_writer(const struct ref *ref);

void ref_revoke(struct ref *ref);

void ref_cpu_read(struct ref *ref, size_t off, unsigned int who);
void ref_cpu_write_fault(struct ref *ref, size_t off, unsigned int who);
void ref_cpu_write(struct ref *ref, size_t off, const uint8_t *bytes,
		   size_t len, unsigned int who);
void ref_cpu_store(struct ref *ref, size_t off, const uint8_t *bytes,
		   size_t len);

void ref_job_start(struct ref *ref, size_t off, size_t len, bool is_write);
void ref_job_end(struct ref *ref);
void ref_engine_read(struct ref *ref, size_t off, size_t len);
void ref_engine_write(struct ref *ref, size_t off, const uint8_t *bytes,
		      size_t len);
void ref_holder_write(struct ref *ref, size_t off, const uint8_t *bytes,
		      size_t len);

void ref_clean(struct ref *ref, size_t off, size_t len);
void ref_invalidate(struct ref *ref, size_t off, size_t len);
void ref_clean_invalidate(struct ref *ref, size_t off, size_t len);
void ref_fetch(struct ref *ref, size_t off, size_t len);
void ref_evict(struct ref *ref, size_t line);

void ref_sync_start(struct ref *ref, unsigned int who, unsigned int dir);
void ref_sync_end(struct ref *ref, unsigned int who, unsigned int dir);
void ref_process_end(struct ref *ref, unsigned int who);

void ref_map(struct ref *ref, unsigned int dir);
void ref_unmap(struct ref *ref, unsigned int dir);
void ref_vmap(struct ref *ref);
void ref_vunmap(struct ref *ref);

#endif
