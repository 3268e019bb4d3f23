/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The lines of a two-view buffer.
 *
 * A page has up to three images: the contents of DRAM (@dram), the contents of
 * the CPU's cache (@cpu), and the bytes with which its lines were filled
 * (@twin). Equal images are shared: if @twin is NULL, DRAM is the twin; if @cpu
 * is NULL, the twin is the CPU view. The host provides pages for images and
 * takes them back; the model decides when, moves the bytes and counts.
 *
 * Nothing here locks: the host serialises calls on a page and its successor.
 */
#ifndef HEAPSIM_MODEL_LINE_H
#define HEAPSIM_MODEL_LINE_H

#include "env.h"

/** struct line_counters - the members of struct heapsim_counters */
struct line_counters {
	u64 fills;
	u64 lines_filled;
	u64 lines_cleaned;
	u64 lines_invalidated;
	u64 evictions;
	u64 redundant_cleans;
	u64 redundant_invalidates;
	u64 shared_lines;
	u64 stale_reads;
	u64 possible_stale_reads;
	u64 lost_device_writes;
	u64 lost_cpu_writes;
	u64 missing_cleans;
	u64 write_conflicts;
	u64 unbracketed_accesses;
	u64 missing_ends;
	u64 unmatched_ends;
};

/** enum line_event - events that are reported, besides being counted */
enum line_event {
	LINE_STALE_READ,
	LINE_UNSEEN_STALE_READ,
	LINE_POSSIBLE_STALE_READ,
	LINE_LOST_DEVICE_WRITE,
	LINE_LOST_CPU_WRITE,
	LINE_MISSING_CLEAN,
	LINE_WRITE_CONFLICT,
	LINE_SHARED,
	LINE_REDUNDANT_CLEAN,
	LINE_REDUNDANT_INVALIDATE,
};

/** enum line_dir - access of a bracket: DMA_BUF_SYNC_READ and _WRITE */
enum line_dir {
	LINE_DIR_READ = 1,
	LINE_DIR_WRITE = 2,
	LINE_DIR_RW = 3,
};

/**
 * struct line_bracket - open brackets of a process, zero at first
 * @nr_read: STARTs without END that may read
 * @nr_write: STARTs without END that may write
 * @nr_write_alone: those of them that may only write
 */
struct line_bracket {
	u32 nr_read;
	u32 nr_write;
	u32 nr_write_alone;
};

/**
 * struct line_page - one page of a two-view buffer
 * @dram: the device view; never NULL
 * @cpu: the CPU view; NULL: the twin
 * @twin: bytes with which lines were filled; NULL: DRAM
 * @writer: process whose store faulted last, the host's number of it; 0 none
 */
struct line_page {
	u8 *dram;
	u8 *cpu;
	u8 *twin;
	u32 writer;
};

#define LINE_NR_BITMAPS	4	/* in one array, all except @hidden */

/**
 * struct line_buf - a two-view buffer
 * @line_shift: log2 of the line size: 5, 6 or 7
 * @page_shift: log2 of the page size: 12, 14 or 16
 * @nr_pages: pages
 * @nr_write: WRITE brackets that are open, of all processes
 * @pages: array of @nr_pages
 * @valid: a bit for each line: it is not Invalid
 * @stored: a bit for each line: it contains the address of a faulting store
 * @written: a bit for each line: an engine wrote it since its last invalidate
 * @reported: a bit for each line: no possible stale read is reported any more,
 *	because one was, or the line was written back since
 * @hidden: a bit for each line: its old bytes are aside, in the twin, and the
 *	CPU image has the pattern wherever the CPU has not stored since
 * @random: state of random eviction, from line_seed()
 * @count: counters
 * @report: called for each line, and for the range of each redundant operation,
 *	before the line changes; NULL: nothing is reported
 *
 * The bitmaps have line_bitmap_words() words each, zero at first;
 * line_set_bitmaps() places them.
 */
struct line_buf {
	u32 line_shift;
	u32 page_shift;
	size_t nr_pages;
	u32 nr_write;
	struct line_page *pages;
	u64 *valid;
	u64 *stored;
	u64 *written;
	u64 *reported;
	u64 *hidden;
	u64 random;
	struct line_counters count;
	void (*report)(struct line_buf *buf, enum line_event event, u64 off,
		       u64 len);
};

/** enum line_access - what the CPU does at the line it is seen to touch */
enum line_access {
	LINE_READ,
	LINE_WRITE,
};

/**
 * struct line_op - one maintenance operation while it walks over pages
 * @off: first byte of the range
 * @end: byte after the last
 * @last_changed: offset after the last byte the CPU was seen to have changed,
 *	0 none; a run of changed bytes reaches over pages
 * @nr_dirty: Dirty lines found
 * @nr_valid: valid lines found
 * @nr_written: lines found that an engine wrote since their last invalidate
 */
struct line_op {
	u64 off;
	u64 end;
	u64 last_changed;
	u64 nr_dirty;
	u64 nr_valid;
	u64 nr_written;
};

/**
 * struct line_job - lines that have been reported for a job
 * @first: line of the first bit
 * @map: a bit for each line; NULL: all lines
 */
struct line_job {
	size_t first;
	u64 *map;
};

void line_seed(struct line_buf *buf, u64 seed, u64 nr);
size_t line_choose(struct line_buf *buf);
size_t line_bitmap_words(size_t nr_pages, u32 page_shift, u32 line_shift);
void line_set_bitmaps(struct line_buf *buf, u64 *bitmaps, u64 *hidden);

void line_bracket_open(struct line_buf *buf, struct line_bracket *bracket,
		       enum line_dir dir);
bool line_bracket_close(struct line_buf *buf, struct line_bracket *bracket,
			enum line_dir dir);
void line_bracket_end(struct line_buf *buf, struct line_bracket *bracket);
bool line_bracket_hides(const struct line_bracket *bracket);

bool line_page_has_valid(const struct line_buf *buf, size_t page);
bool line_page_has_written(const struct line_buf *buf, size_t page);
bool line_page_is_harmless(const struct line_buf *buf, size_t page);
bool line_page_is_valid(const struct line_buf *buf, size_t page);
bool line_page_is_written(const struct line_buf *buf, size_t page);
bool line_page_has_dirty(const struct line_buf *buf, size_t page);
bool line_page_is_shared(const struct line_buf *buf, size_t page);
bool line_page_has_hidden(const struct line_buf *buf, size_t page);

u64 line_fill_page(struct line_buf *buf, size_t page);
void line_touch(struct line_buf *buf, u64 off, enum line_access access,
		u32 who);
bool line_hide_page(struct line_buf *buf, size_t page,
		    const struct line_bracket *bracket);
bool line_show_page(struct line_buf *buf, size_t page,
		    const struct line_bracket *bracket);
void line_show_all(struct line_buf *buf, size_t page);
void line_add_cpu(struct line_buf *buf, size_t page, u8 *image);
void line_lend_cpu(struct line_buf *buf, size_t page, u8 *image);
void line_add_twin(struct line_buf *buf, size_t page, u8 *image);
void line_lend_twin(struct line_buf *buf, size_t page, u8 *image);
bool line_needs_twin(const struct line_buf *buf, size_t page);

size_t line_job_words(u64 off, u64 len, u32 line_shift);
void line_job_init(struct line_job *job, u64 *map, u64 off, u32 line_shift);
void line_engine_read(struct line_buf *buf, u64 off, u64 len,
		      struct line_job *job);
void line_engine_will_write(struct line_buf *buf, u64 off, u64 len,
			    struct line_job *job);
void line_engine_write(struct line_buf *buf, u64 off, u64 len,
		       struct line_job *job);

void line_op_begin(struct line_op *op, u64 off, u64 len);
void line_clean_page(struct line_buf *buf, size_t page, struct line_op *op);
void line_clean_end(struct line_buf *buf, const struct line_op *op);
void line_invalidate_page(struct line_buf *buf, size_t page,
			  struct line_op *op);
void line_take_in_page(struct line_buf *buf, size_t page, bool keep_dirty,
		       struct line_op *op);
void line_invalidate_end(struct line_buf *buf, const struct line_op *op,
			 bool was_held_by_writer);
u64 line_compare_page(struct line_buf *buf, size_t page);
void line_evict(struct line_buf *buf, size_t line);

#endif
