/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reference of one two-view buffer, written only from the text of DESIGN 2.2
 * and 2.3. It is simple on purpose: an array of bytes for each view, a struct
 * for each line, loops over the whole buffer. Both the model in user space and
 * the real device are compared with it. It has no lock; one thread uses it.
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

/** enum ref_state - state of a line in DESIGN 2.2 */
enum ref_state {
	REF_INVALID,
	REF_CLEAN,
	REF_DIRTY,
};

/**
 * struct ref_line - state of a line besides its bytes
 * @is_valid: the line is not Invalid
 * @is_stored: a store faulted in the line since it became Clean
 * @is_engine_written: an engine wrote the line since its last invalidate
 * @is_settled: since that write it was written back, or a read was seen
 * @has_aside: the line was filled with the pattern, and old bytes are aside
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
 * @nr_write_alone: WRITE brackets that are not READ brackets, too
 */
struct ref_brackets {
	unsigned int nr_read;
	unsigned int nr_write;
	unsigned int nr_write_alone;
};

/** enum ref_pte - which accesses to a page are not seen */
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
 * struct ref_told - reports of one kind, enum heapsim_record_kind
 * @nr: number of lines or operations
 * @off: first byte of the first one
 * @end: offset after the last byte of the last one
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
 * @cpu: CPU view; defined only in valid lines
 * @fill: bytes that lines were filled with, or that are aside; as @cpu
 * @in_run: temporary: the byte is inside a run of changed bytes
 * @lines: state of each line
 * @is_missed: for each line: reported as read Dirty by the running job
 * @is_crossed: for each line: reported as overwritten by the running job
 * @writer: for each page: process of the last store fault; 0: none
 * @is_open: for each page: the CPU accessed it, and could read it again unseen
 *	until now, or until it was cleaned
 * @pte: for each page: accesses that are not seen, if @has_unseen
 * @has_unseen: only accesses that @pte does not permit are seen; else all
 * @brackets: brackets of each process
 * @nr_maps: number of mappings by importers, by HEAPSIM_DIR_*
 * @nr_vmaps: number of kernel mappings
 * @count: counters
 * @told: reports since the last reset, by kind
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
