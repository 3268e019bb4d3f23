// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests each row and each item of DESIGN 2.2, and "take in" (2.3), on every
 * line size and page size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "host.h"

#define NR_PAGES	4
#define WHO		1

#define assert_count(host, field, value) \
	assert_int_equal((host)->lines.count.field, (value))

/* Offset of byte @byte in line @line. */
static size_t at(const struct host *host, size_t line, size_t byte)
{
	return line * host->p.line_size + byte;
}

static void store(struct host *host, size_t off, uint8_t byte)
{
	host_write(host, off, &byte, 1, WHO);
}

static void engine_store(struct host *host, size_t off, uint8_t byte)
{
	host_engine_write(host, off, &byte, 1);
}

static void read_at(struct host *host, size_t off)
{
	host_touch(host, off, LINE_READ, WHO);
}

static void host_store_dram(struct host *host, size_t off, uint8_t byte)
{
	host_ops.holder_write(host, off, &byte, 1);
}

/* Opens a bracket without the maintenance of a START. */
static void start(struct host *host, unsigned int who, enum line_dir dir)
{
	line_bracket_open(&host->lines, &host->brackets[who], dir);
}

static uint64_t nr_violations(const struct host *host)
{
	const struct line_counters *count = &host->lines.count;

	return count->stale_reads + count->possible_stale_reads +
	       count->lost_device_writes + count->lost_cpu_writes +
	       count->missing_cleans + count->write_conflicts +
	       count->unbracketed_accesses;
}

static size_t lines_per_page(const struct host *host)
{
	return host->p.page_size / host->p.line_size;
}

/* CPU reads */

static void read_of_an_invalid_line_fills_it_clean(void **state)
{
	struct host *host = *state;

	assert_int_equal(host_line_state(host, 1), REF_INVALID);
	host->lines.pages[0].dram[at(host, 1, 3)] = 7;
	read_at(host, at(host, 1, 0));
	assert_int_equal(host_line_state(host, 1), REF_CLEAN);
	assert_int_equal(host_cpu(host, at(host, 1, 3)), 7);
	assert_int_equal(nr_violations(host), 0);
}

static void read_of_a_stale_line_gives_the_old_bytes(void **state)
{
	struct host *host = *state;

	read_at(host, at(host, 2, 0));
	engine_store(host, at(host, 2, 5), 9);
	assert_int_equal(host_line_state(host, 2), REF_CLEAN);
	read_at(host, at(host, 2, 0));
	read_at(host, at(host, 2, 5));
	assert_int_equal(host_cpu(host, at(host, 2, 5)), 0);
	assert_int_equal(host_dram(host, at(host, 2, 5)), 9);
	assert_count(host, stale_reads, 2);
	assert_count(host, possible_stale_reads, 0);
}

static void engine_write_of_equal_bytes_is_possibly_stale_once(void **state)
{
	struct host *host = *state;

	read_at(host, at(host, 2, 0));
	engine_store(host, at(host, 2, 5), 0);
	read_at(host, at(host, 2, 0));
	read_at(host, at(host, 2, 0));
	assert_count(host, stale_reads, 0);
	assert_count(host, possible_stale_reads, 1);
	engine_store(host, at(host, 2, 5), 0);
	read_at(host, at(host, 2, 0));
	assert_count(host, possible_stale_reads, 2);
}

static void read_of_an_invalid_engine_written_line_is_possible(void **state)
{
	struct host *host = *state;

	engine_store(host, at(host, 2, 5), 3);
	read_at(host, at(host, 2, 0));
	assert_int_equal(host_cpu(host, at(host, 2, 5)), 3);
	assert_count(host, stale_reads, 0);
	assert_count(host, possible_stale_reads, 1);
}

static void write_of_an_engine_written_line_tells_nothing(void **state)
{
	struct host *host = *state;

	engine_store(host, at(host, 2, 5), 3);
	store(host, at(host, 2, 0), 1);
	assert_int_equal(nr_violations(host), 0);
}

static void read_of_an_invalidated_line_is_not_even_possible(void **state)
{
	struct host *host = *state;

	read_at(host, at(host, 2, 0));
	engine_store(host, at(host, 2, 5), 3);
	host_invalidate(host, at(host, 2, 0), host->p.line_size);
	read_at(host, at(host, 2, 0));
	assert_int_equal(host_cpu(host, at(host, 2, 5)), 3);
	assert_int_equal(nr_violations(host), 0);
}

static void invalidate_forgets_engine_writes_of_invalid_lines(void **state)
{
	struct host *host = *state;

	engine_store(host, at(host, 2, 5), 3);
	host_invalidate(host, at(host, 2, 0), host->p.line_size);
	assert_count(host, lines_invalidated, 0);
	assert_count(host, redundant_invalidates, 0);
	read_at(host, at(host, 2, 0));
	assert_int_equal(nr_violations(host), 0);
}

static void a_stale_read_was_the_first_read_since(void **state)
{
	struct host *host = *state;

	read_at(host, at(host, 2, 0));
	engine_store(host, at(host, 2, 5), 3);
	read_at(host, at(host, 2, 0));
	store(host, at(host, 2, 5), 4);
	host_clean(host, at(host, 2, 0), 1);
	read_at(host, at(host, 2, 0));
	assert_count(host, stale_reads, 1);
	assert_count(host, possible_stale_reads, 0);
}

/* The line has the bytes of the CPU and of the engine, so none is old. */
static void a_line_written_back_is_not_even_possible(void **state)
{
	struct host *host = *state;

	engine_store(host, at(host, 2, 5), 3);
	store(host, at(host, 2, 0), 1);
	read_at(host, at(host, 2, 0));
	assert_count(host, possible_stale_reads, 0);
	host_clean(host, at(host, 2, 0), 1);
	read_at(host, at(host, 2, 0));
	assert_int_equal(nr_violations(host), 0);
	engine_store(host, at(host, 2, 5), 3);
	read_at(host, at(host, 2, 0));
	assert_count(host, possible_stale_reads, 1);
}

/* CPU writes */

static void write_of_an_invalid_line_fills_and_dirties_it(void **state)
{
	struct host *host = *state;

	host->lines.pages[0].dram[at(host, 1, 3)] = 7;
	store(host, at(host, 1, 0), 1);
	assert_int_equal(host_line_state(host, 1), REF_DIRTY);
	assert_int_equal(host_line_state(host, 2), REF_CLEAN);
	assert_int_equal(host_cpu(host, at(host, 1, 0)), 1);
	assert_int_equal(host_cpu(host, at(host, 1, 3)), 7);
	assert_int_equal(host_dram(host, at(host, 1, 0)), 0);
	assert_int_equal(nr_violations(host), 0);
}

static void write_of_a_clean_line_dirties_it(void **state)
{
	struct host *host = *state;

	read_at(host, at(host, 1, 0));
	store(host, at(host, 1, 0), 1);
	assert_int_equal(host_line_state(host, 1), REF_DIRTY);
	assert_count(host, fills, 1);
}

static void faulting_store_of_equal_bytes_makes_a_line_dirty(void **state)
{
	struct host *host = *state;

	store(host, at(host, 1, 0), 0);
	assert_int_equal(host_line_state(host, 1), REF_DIRTY);
	assert_true(line_page_has_dirty(&host->lines, 0));
}

static void unseen_store_dirties_a_line_by_its_bytes(void **state)
{
	struct host *host = *state;
	uint8_t byte = 4;

	store(host, at(host, 1, 0), 1);
	host_store(host, at(host, 3, 0), &byte, 1);
	assert_int_equal(host_line_state(host, 3), REF_DIRTY);
	byte = 0;
	host_store(host, at(host, 3, 0), &byte, 1);
	assert_int_equal(host_line_state(host, 3), REF_CLEAN);
}

static void write_of_a_stale_line_stays_stale(void **state)
{
	struct host *host = *state;

	start(host, WHO, LINE_DIR_RW);
	read_at(host, at(host, 2, 0));
	engine_store(host, at(host, 2, 5), 9);
	store(host, at(host, 2, 8), 1);
	assert_int_equal(nr_violations(host), 0);
	assert_int_equal(host_line_state(host, 2), REF_DIRTY);
	assert_int_equal(host_cpu(host, at(host, 2, 5)), 0);
	read_at(host, at(host, 2, 8));
	assert_count(host, stale_reads, 1);
}

/* Clean */

static void clean_writes_only_changed_lines(void **state)
{
	struct host *host = *state;

	store(host, at(host, 1, 0), 1);
	store(host, at(host, 4, 6), 2);
	host_clean(host, 0, at(host, 6, 0));
	assert_int_equal(host_line_state(host, 1), REF_CLEAN);
	assert_int_equal(host_line_state(host, 4), REF_CLEAN);
	assert_int_equal(host_dram(host, at(host, 1, 0)), 1);
	assert_int_equal(host_dram(host, at(host, 4, 6)), 2);
	assert_count(host, lines_cleaned, 2);
	assert_count(host, redundant_cleans, 0);
	assert_int_equal(nr_violations(host), 0);
}

static void clean_stays_in_its_range(void **state)
{
	struct host *host = *state;

	store(host, at(host, 1, 0), 1);
	store(host, at(host, 2, 0), 2);
	store(host, at(host, 3, 0), 3);
	host_clean(host, at(host, 2, 0), host->p.line_size);
	assert_int_equal(host_line_state(host, 1), REF_DIRTY);
	assert_int_equal(host_line_state(host, 2), REF_CLEAN);
	assert_int_equal(host_line_state(host, 3), REF_DIRTY);
	assert_int_equal(host_dram(host, at(host, 1, 0)), 0);
	assert_int_equal(host_dram(host, at(host, 3, 0)), 0);
}

static void clean_takes_a_line_partly_inside_whole(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 0), 2);
	host_clean(host, at(host, 2, 8), 1);
	assert_int_equal(host_dram(host, at(host, 2, 0)), 2);
	assert_count(host, shared_lines, 0);
}

static void clean_over_an_engine_write_loses_it(void **state)
{
	struct host *host = *state;
	size_t last = host->p.line_size - 1;

	read_at(host, at(host, 2, 0));
	engine_store(host, at(host, 2, 0), 9);
	engine_store(host, at(host, 2, last), 9);
	store(host, at(host, 2, 8), 1);
	host_clean(host, at(host, 2, 0), host->p.line_size);
	assert_count(host, lost_device_writes, 1);
	assert_int_equal(host_dram(host, at(host, 2, 0)), 0);
	assert_int_equal(host_dram(host, at(host, 2, last)), 0);
	assert_int_equal(host_dram(host, at(host, 2, 8)), 1);
	assert_int_equal(host_line_state(host, 2), REF_CLEAN);
	read_at(host, at(host, 2, 0));
	assert_count(host, stale_reads, 0);
}

static void clean_of_a_store_that_changed_nothing_loses_too(void **state)
{
	struct host *host = *state;

	read_at(host, at(host, 2, 0));
	engine_store(host, at(host, 2, 0), 9);
	store(host, at(host, 2, 8), 0);
	host_clean(host, at(host, 2, 0), host->p.line_size);
	assert_count(host, lost_device_writes, 1);
	assert_int_equal(host_dram(host, at(host, 2, 0)), 0);
}

static void clean_where_both_wrote_the_same_byte_loses_nothing(void **state)
{
	struct host *host = *state;

	read_at(host, at(host, 2, 0));
	engine_store(host, at(host, 2, 8), 9);
	store(host, at(host, 2, 8), 1);
	host_clean(host, at(host, 2, 0), host->p.line_size);
	assert_count(host, lost_device_writes, 0);
	assert_int_equal(host_dram(host, at(host, 2, 8)), 1);
}

static void clean_of_any_other_line_does_nothing(void **state)
{
	struct host *host = *state;

	read_at(host, at(host, 2, 0));
	engine_store(host, at(host, 2, 5), 9);
	host_clean(host, 0, host->p.len);
	assert_int_equal(host_dram(host, at(host, 2, 5)), 9);
	assert_int_equal(host_cpu(host, at(host, 2, 5)), 0);
	assert_count(host, lines_cleaned, 0);
	assert_count(host, redundant_cleans, 1);
}

/*
 * Runs of changed bytes: an engine writes byte @lost between two stores, in a
 * bracket in which no old bytes are put aside.
 */

static uint64_t lost_between(struct host *host, size_t before, size_t lost,
			     size_t after)
{
	size_t first = host->p.line_size;
	size_t end = host->p.len;

	host_invalidate(host, 0, host->p.len);
	host->lines.count.lost_device_writes = 0;
	read_at(host, before);
	read_at(host, lost);
	read_at(host, after);
	engine_store(host, lost, host_dram(host, lost) ^ 0x10);
	store(host, before, host_dram(host, before) ^ 1);
	store(host, lost ^ 1, host_cpu(host, lost ^ 1));
	store(host, after, host_dram(host, after) ^ 1);
	host_clean(host, first, end - first);
	return host->lines.count.lost_device_writes;
}

static void bytes_inside_a_run_count_as_overwritten(void **state)
{
	struct host *host = *state;
	size_t size = host->p.line_size;

	start(host, WHO, LINE_DIR_RW);
	/* the gaps are one byte less than a line, and a line */
	assert_int_equal(lost_between(host, at(host, 4, 0), at(host, 4, 6),
				      at(host, 4, 0) + size), 0);
	assert_int_equal(lost_between(host, at(host, 4, 0), at(host, 4, 6),
				      at(host, 4, 1) + size), 1);
	assert_int_equal(lost_between(host, at(host, 4, size - 1),
				      at(host, 5, 6),
				      at(host, 4, size - 1) + size), 0);
	assert_int_equal(lost_between(host, at(host, 4, size - 1),
				      at(host, 5, 6),
				      at(host, 4, size - 1) + size + 1), 1);
	/* the engine's byte is not between the stores */
	assert_int_equal(lost_between(host, at(host, 4, 2), at(host, 4, 0),
				      at(host, 4, 8)), 1);
	assert_int_equal(lost_between(host, at(host, 4, 2), at(host, 4, 12),
				      at(host, 4, 8)), 1);
}

static void runs_reach_over_pages(void **state)
{
	struct host *host = *state;
	size_t page = host->p.page_size;

	start(host, WHO, LINE_DIR_RW);
	assert_int_equal(lost_between(host, page - 2, page + 6, page + 9), 0);
	assert_int_equal(lost_between(host, page - 9, page - 6, page + 2), 0);
	assert_int_equal(lost_between(host, page - 9, page - 6,
				      page - 8 + host->p.line_size), 1);
}

static void runs_begin_in_lines_that_are_not_cleaned(void **state)
{
	struct host *host = *state;

	start(host, WHO, LINE_DIR_RW);
	read_at(host, at(host, 2, 0));
	engine_store(host, at(host, 2, 6), 9);
	store(host, at(host, 1, host->p.line_size - 1), 1);
	store(host, at(host, 2, 8), 1);
	host_clean(host, at(host, 2, 0), host->p.line_size);
	assert_count(host, lost_device_writes, 0);
	assert_int_equal(host_line_state(host, 1), REF_DIRTY);
}

static void runs_are_those_from_before_the_operation(void **state)
{
	struct host *host = *state;
	size_t size = host->p.line_size;
	size_t i;

	start(host, WHO, LINE_DIR_RW);
	/* the first and last bytes are stored, the engine writes between */
	for (i = 1; i < 6; i++)
		read_at(host, at(host, i, 0));
	for (i = 1; i < 6; i++) {
		engine_store(host, at(host, i, 4), 9);
		store(host, at(host, i, 12), 1);
		store(host, at(host, i, size - 4), 1);
	}
	host_clean(host, at(host, 2, 0), 4 * size);
	assert_count(host, lost_device_writes, 0);
	host_clean(host, at(host, 1, 0), size);
	assert_count(host, lost_device_writes, 1);
}

static void frame_that_is_rewritten_whole_is_no_mistake(void **state)
{
	struct host *host = *state;
	uint8_t *frame = malloc(host->p.page_size);
	size_t i;

	assert_non_null(frame);
	for (i = 0; i < NR_PAGES; i++)
		read_at(host, i * host->p.page_size);
	for (i = 0; i < host->p.page_size; i++)
		frame[i] = (uint8_t)(1 + i % 5);
	for (i = 0; i < NR_PAGES; i++)
		host_engine_write(host, i * host->p.page_size, frame,
				  host->p.page_size);
	/* every eighth byte keeps its value */
	for (i = 1; i < host->p.page_size - 1; i++)
		frame[i] = i % 8 ? 0x40 : 0;
	frame[0] = 0x40;
	for (i = 0; i < NR_PAGES; i++)
		host_write(host, i * host->p.page_size, frame,
			   host->p.page_size, WHO);
	assert_count(host, write_conflicts, 0);
	host_clean(host, 0, host->p.len);
	assert_count(host, lost_device_writes, 0);
	assert_count(host, lines_cleaned, NR_PAGES * lines_per_page(host));
	free(frame);
}

/* Invalidate */

static void invalidate_of_a_clean_line_drops_it(void **state)
{
	struct host *host = *state;

	read_at(host, 0);
	host_invalidate(host, at(host, 2, 0), host->p.line_size);
	assert_int_equal(host_line_state(host, 1), REF_CLEAN);
	assert_int_equal(host_line_state(host, 2), REF_INVALID);
	assert_int_equal(host_line_state(host, 3), REF_CLEAN);
	assert_count(host, lines_invalidated, 1);
	assert_int_equal(nr_violations(host), 0);
}

static void invalidate_of_a_dirty_line_loses_its_bytes(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 4), 1);
	host_invalidate(host, at(host, 2, 0), host->p.line_size);
	assert_int_equal(host_line_state(host, 2), REF_INVALID);
	assert_count(host, lost_cpu_writes, 1);
	assert_count(host, lines_cleaned, 0);
	read_at(host, at(host, 2, 4));
	assert_int_equal(host_cpu(host, at(host, 2, 4)), 0);
}

static void invalidate_of_unchanged_dirty_lines_loses_nothing(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 4), 0);
	host_invalidate(host, at(host, 2, 0), host->p.line_size);
	assert_count(host, lost_cpu_writes, 0);
	assert_count(host, lines_invalidated, 1);
	read_at(host, at(host, 2, 4));
	assert_int_equal(host_line_state(host, 2), REF_CLEAN);
}

static void lines_partly_inside_are_cleaned_first(void **state)
{
	struct host *host = *state;
	size_t size = host->p.line_size;

	store(host, at(host, 2, 0), 1);
	store(host, at(host, 2, size - 1), 2);
	store(host, at(host, 3, 0), 3);
	store(host, at(host, 4, 0), 4);
	host_invalidate(host, at(host, 2, 8), 2 * size);
	assert_count(host, shared_lines, 2);
	assert_count(host, lines_cleaned, 2);
	assert_count(host, lost_cpu_writes, 1);
	assert_count(host, lines_invalidated, 3);
	assert_int_equal(host_dram(host, at(host, 2, 0)), 1);
	assert_int_equal(host_dram(host, at(host, 2, size - 1)), 2);
	assert_int_equal(host_dram(host, at(host, 3, 0)), 0);
	assert_int_equal(host_dram(host, at(host, 4, 0)), 4);
}

static void one_line_cut_at_both_ends_is_shared_once(void **state)
{
	struct host *host = *state;

	read_at(host, 0);
	host_invalidate(host, at(host, 2, 8), 8);
	assert_count(host, shared_lines, 1);
	assert_int_equal(host_line_state(host, 2), REF_INVALID);
}

static void invalid_lines_partly_inside_are_shared_too(void **state)
{
	struct host *host = *state;

	host_invalidate(host, host->p.page_size - 1, host->p.page_size + 2);
	assert_count(host, shared_lines, 2);
	assert_count(host, lines_invalidated, 0);
	assert_count(host, redundant_invalidates, 1);
}

static void shared_lines_can_lose_an_engine_write(void **state)
{
	struct host *host = *state;

	read_at(host, 0);
	engine_store(host, at(host, 2, 0), 9);
	store(host, at(host, 2, 20), 1);
	host_invalidate(host, at(host, 2, 8), 8);
	assert_count(host, lost_device_writes, 1);
	assert_count(host, lost_cpu_writes, 0);
	read_at(host, at(host, 2, 0));
	assert_count(host, possible_stale_reads, 0);
}

/* Redundant maintenance */

static void redundant_maintenance_is_counted_once_an_operation(void **state)
{
	struct host *host = *state;

	host_clean(host, 0, host->p.len);
	assert_count(host, redundant_cleans, 1);
	host_invalidate(host, 0, host->p.len);
	assert_count(host, redundant_invalidates, 1);
	store(host, 0, 1);
	host_clean(host, host->p.page_size, host->p.page_size);
	assert_count(host, redundant_cleans, 2);
	host_clean(host, 0, host->p.len);
	assert_count(host, redundant_cleans, 2);
	host_invalidate(host, host->p.page_size, host->p.page_size);
	assert_count(host, redundant_invalidates, 2);
	host_invalidate(host, 0, host->p.len);
	assert_count(host, redundant_invalidates, 2);
}

static void invalidate_under_a_writing_holder_is_not_redundant(void **state)
{
	struct host *host = *state;

	host->nr_maps[HEAPSIM_DIR_TO_DEVICE] = 1;
	host_invalidate(host, 0, host->p.len);
	assert_count(host, redundant_invalidates, 1);
	host->nr_maps[HEAPSIM_DIR_FROM_DEVICE] = 1;
	host_invalidate(host, 0, host->p.len);
	assert_count(host, redundant_invalidates, 1);
}

/* Engines */

static void engine_read_over_a_dirty_line_misses_a_clean(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 4), 1);
	store(host, at(host, 3, 4), 0);
	host_engine_read(host, at(host, 1, 0), 4 * host->p.line_size);
	assert_count(host, missing_cleans, 2);
	assert_int_equal(host_dram(host, at(host, 2, 4)), 0);
	host_engine_read(host, at(host, 2, 0), 1);
	assert_count(host, missing_cleans, 3);
	host_clean(host, 0, host->p.len);
	host_engine_read(host, 0, host->p.len);
	assert_count(host, missing_cleans, 3);
}

static void engine_write_over_an_invalid_line_changes_dram(void **state)
{
	struct host *host = *state;

	engine_store(host, at(host, 2, 4), 5);
	assert_int_equal(host_dram(host, at(host, 2, 4)), 5);
	assert_int_equal(host_line_state(host, 2), REF_INVALID);
	assert_int_equal(nr_violations(host), 0);
	assert_true(line_page_is_shared(&host->lines, 0));
}

static void engine_write_over_a_clean_line_makes_it_stale(void **state)
{
	struct host *host = *state;

	read_at(host, 0);
	engine_store(host, at(host, 2, 4), 5);
	assert_int_equal(host_line_state(host, 2), REF_CLEAN);
	assert_int_equal(host_cpu(host, at(host, 2, 4)), 0);
	assert_int_equal(nr_violations(host), 0);
}

static void engine_write_over_a_dirty_line_is_a_conflict(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 4), 1);
	engine_store(host, at(host, 2, 9), 5);
	assert_count(host, write_conflicts, 1);
	assert_int_equal(host_line_state(host, 2), REF_DIRTY);
	read_at(host, at(host, 2, 0));
	assert_count(host, stale_reads, 1);
	engine_store(host, at(host, 3, 0), 0);
	assert_count(host, write_conflicts, 1);
}

static void clean_after_the_start_of_a_reading_job_is_too_late(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 4), 1);
	host_job_start(host, at(host, 1, 3), 4 * host->p.line_size, false);
	assert_count(host, missing_cleans, 1);
	assert_int_equal(host->told[HEAPSIM_RECORD_MISSING_CLEAN].off,
			 at(host, 2, 0));
	host_clean(host, 0, host->p.len);
	host_engine_read(host, at(host, 1, 3), 4 * host->p.line_size);
	assert_count(host, missing_cleans, 1);
	host_job_end(host);
}

/* Random eviction: the lines are any, and repeat with the seed. */
static void seed_chooses_the_same_lines_again(void **state)
{
	struct host *host = *state;
	const size_t nr_lines = host->p.len / host->p.line_size;
	struct line_buf one = host->lines, two = host->lines;
	size_t i, line, nr_same = 0, nr_late = 0;

	line_seed(&one, 7, 1);
	line_seed(&two, 7, 2);
	for (i = 0; i < 1000; i++) {
		line = line_choose(&one);
		assert_true(line < nr_lines);
		nr_late += line >= nr_lines / 2;
		nr_same += line == line_choose(&two);
	}
	assert_in_range(nr_late, 400, 600);
	assert_true(nr_same < 500);
	line_seed(&one, 7, 2);
	line_seed(&two, 7, 2);
	for (i = 0; i < 100; i++)
		assert_int_equal(line_choose(&one), line_choose(&two));
	/* The state may not be 0, in which a sequence would stay. */
	line_seed(&one, 0, 0);
	line = line_choose(&one);
	for (i = 0; i < 100; i++)
		nr_same += line == line_choose(&one);
	assert_true(nr_same < 600);
}

static void job_reports_a_line_once(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 4), 1);
	host_job_start(host, at(host, 2, 0), 3 * host->p.line_size, false);
	store(host, at(host, 3, 4), 1);
	host_engine_read(host, at(host, 2, 0), 3 * host->p.line_size);
	assert_count(host, missing_cleans, 2);
	host_engine_read(host, at(host, 2, 0), 3 * host->p.line_size);
	assert_count(host, missing_cleans, 2);
	host_job_end(host);
	/* The next job is reported again. */
	host_job_start(host, at(host, 2, 0), 3 * host->p.line_size, false);
	assert_count(host, missing_cleans, 4);
	host_job_end(host);
}

static void clean_after_the_start_of_a_writing_job_is_too_late(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 4), 1);
	host_job_start(host, at(host, 2, 0), 2 * host->p.line_size, true);
	assert_count(host, write_conflicts, 1);
	assert_int_equal(host_line_state(host, 2), REF_DIRTY);
	host_clean(host, 0, host->p.len);
	store(host, at(host, 3, 4), 1);
	engine_store(host, at(host, 2, 0), 5);
	assert_count(host, write_conflicts, 1);
	engine_store(host, at(host, 3, 0), 5);
	assert_count(host, write_conflicts, 2);
	host_job_end(host);
	assert_count(host, missing_cleans, 0);
	assert_int_equal(host_dram(host, at(host, 2, 0)), 5);
}

static void nothing_happens_to_no_bytes(void **state)
{
	struct host *host = *state;
	struct line_counters zero = { 0 };

	host_engine_read(host, 5, 0);
	line_engine_write(&host->lines, 5, 0, NULL);
	host_clean(host, 5, 0);
	host_invalidate(host, 5, 0);
	assert_memory_equal(&host->lines.count, &zero, sizeof(zero));
}

/* Eviction */

static void eviction_writes_back_and_drops(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 4), 1);
	line_evict(&host->lines, 2);
	assert_int_equal(host_line_state(host, 2), REF_INVALID);
	assert_int_equal(host_line_state(host, 1), REF_CLEAN);
	assert_int_equal(host_dram(host, at(host, 2, 4)), 1);
	assert_count(host, evictions, 1);
	assert_count(host, lines_cleaned, 1);
	assert_count(host, lines_invalidated, 0);
	line_evict(&host->lines, 2);
	assert_count(host, evictions, 1);
	line_evict(&host->lines, 1);
	assert_count(host, evictions, 2);
	assert_count(host, lines_cleaned, 1);
	read_at(host, at(host, 2, 4));
	assert_int_equal(host_line_state(host, 2), REF_CLEAN);
}

static void eviction_loses_engine_writes_as_a_clean_does(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 4), 1);
	engine_store(host, at(host, 2, 9), 5);
	line_evict(&host->lines, 2);
	assert_count(host, lost_device_writes, 1);
	assert_int_equal(host_dram(host, at(host, 2, 9)), 0);
	assert_count(host, redundant_cleans, 0);
	read_at(host, at(host, 2, 9));
	assert_count(host, possible_stale_reads, 0);
}

static void eviction_of_a_clean_line_is_no_invalidate(void **state)
{
	struct host *host = *state;

	read_at(host, at(host, 2, 4));
	engine_store(host, at(host, 2, 9), 5);
	line_evict(&host->lines, 2);
	read_at(host, at(host, 2, 9));
	assert_count(host, stale_reads, 0);
	assert_count(host, possible_stale_reads, 1);
}

/* Accesses */

static void touch_fills_its_granule(void **state)
{
	struct host *host = *state;
	size_t nr_lines = lines_per_page(host);

	read_at(host, at(host, 1, 0));
	assert_count(host, fills, 1);
	assert_count(host, lines_filled, nr_lines);
	assert_int_equal(host_line_state(host, nr_lines - 1), REF_CLEAN);
	assert_int_equal(host_line_state(host, nr_lines), REF_INVALID);
	read_at(host, at(host, 2, 0));
	assert_count(host, fills, 1);
	host_invalidate(host, at(host, 3, 0), 2 * host->p.line_size);
	read_at(host, at(host, 2, 0));
	assert_count(host, fills, 2);
	assert_count(host, lines_filled, nr_lines + 2);
}

static void refill_fetches_only_invalid_lines(void **state)
{
	struct host *host = *state;

	store(host, at(host, 1, 0), 1);
	engine_store(host, at(host, 2, 0), 2);
	engine_store(host, at(host, 3, 0), 3);
	host_invalidate(host, at(host, 3, 0), host->p.line_size);
	read_at(host, at(host, 3, 0));
	assert_int_equal(host_cpu(host, at(host, 1, 0)), 1);
	assert_int_equal(host_cpu(host, at(host, 2, 0)), 0);
	assert_int_equal(host_cpu(host, at(host, 3, 0)), 3);
	assert_int_equal(nr_violations(host), 0);
	host_clean(host, at(host, 3, 0), host->p.line_size);
	assert_count(host, lines_cleaned, 0);
}

static void touch_is_judged_at_its_line_only(void **state)
{
	struct host *host = *state;

	read_at(host, 0);
	engine_store(host, at(host, 2, 0), 2);
	read_at(host, at(host, 1, 0));
	read_at(host, at(host, 3, 0));
	assert_int_equal(nr_violations(host), 0);
}

/* Take in */

static void take_in_writes_back_lines_that_are_not_stale(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 4), 1);
	host_take_in(host);
	assert_int_equal(host_dram(host, at(host, 2, 4)), 1);
	assert_int_equal(host_line_state(host, 2), REF_INVALID);
	assert_int_equal(host_line_state(host, 1), REF_INVALID);
	assert_count(host, lines_cleaned, 1);
	assert_count(host, lines_invalidated, lines_per_page(host));
	assert_count(host, redundant_cleans, 0);
	assert_int_equal(nr_violations(host), 0);
}

static void take_in_of_a_dirty_and_stale_line_loses_it(void **state)
{
	struct host *host = *state;

	store(host, at(host, 2, 4), 1);
	store(host, at(host, 3, 4), 0);
	engine_store(host, at(host, 2, 9), 5);
	engine_store(host, at(host, 3, 9), 5);
	host_take_in(host);
	assert_count(host, lost_cpu_writes, 2);
	assert_count(host, lines_cleaned, 0);
	assert_int_equal(host_dram(host, at(host, 2, 4)), 0);
	assert_int_equal(host_dram(host, at(host, 2, 9)), 5);
	read_at(host, at(host, 2, 9));
	assert_int_equal(host_cpu(host, at(host, 2, 9)), 5);
	assert_count(host, stale_reads, 0);
	assert_count(host, possible_stale_reads, 0);
}

static void take_in_keeps_dirty_lines_of_an_open_write_bracket(void **state)
{
	struct host *host = *state;
	size_t other = lines_per_page(host);

	start(host, WHO, LINE_DIR_WRITE);
	store(host, at(host, 2, 4), 1);
	engine_store(host, at(host, 2, 9), 5);
	host_touch(host, at(host, other, 0), LINE_WRITE, WHO + 1);
	host_take_in(host);
	assert_int_equal(host_line_state(host, 2), REF_DIRTY);
	assert_int_equal(host_line_state(host, 1), REF_INVALID);
	assert_int_equal(host_line_state(host, other), REF_INVALID);
	assert_int_equal(host_cpu(host, at(host, 2, 4)), 1);
	assert_count(host, lost_cpu_writes, 0);
	read_at(host, at(host, 2, 9));
	assert_count(host, stale_reads, 1);
}

static void take_in_of_nothing_is_a_redundant_invalidate(void **state)
{
	struct host *host = *state;

	host_take_in(host);
	assert_count(host, redundant_invalidates, 1);
	engine_store(host, at(host, 2, 9), 5);
	host_take_in(host);
	assert_count(host, redundant_invalidates, 1);
	read_at(host, 0);
	host_take_in(host);
	assert_count(host, redundant_invalidates, 1);
	assert_count(host, redundant_cleans, 0);
}

/* Writes by a holder */

static void a_read_bracket_does_not_hide_what_a_holder_wrote(void **state)
{
	struct host *host = *state;

	host->nr_vmaps = 1;
	start(host, WHO, LINE_DIR_READ);
	read_at(host, at(host, 2, 0));
	host_store_dram(host, at(host, 2, 5), 9);
	host_store_dram(host, at(host, 4, 5), 9);
	host_compare(host);
	assert_count(host, stale_reads, 2);
	assert_int_equal(host->told[HEAPSIM_RECORD_STALE_READ].off,
			 at(host, 2, 0));
	host_compare(host);
	assert_count(host, stale_reads, 2);
}

static void a_page_that_was_not_touched_was_not_read(void **state)
{
	struct host *host = *state;
	size_t other = lines_per_page(host);

	host->nr_vmaps = 1;
	start(host, WHO, LINE_DIR_READ);
	read_at(host, 0);
	host_store_dram(host, at(host, other, 0), 9);
	host_compare(host);
	assert_count(host, stale_reads, 0);
}

static void nobody_reads_outside_a_read_bracket_unseen(void **state)
{
	struct host *host = *state;

	host->nr_vmaps = 1;
	start(host, WHO, LINE_DIR_WRITE);
	store(host, at(host, 2, 0), 1);
	host_store_dram(host, at(host, 4, 5), 9);
	host_compare(host);
	assert_count(host, stale_reads, 0);
}

/* Old bytes aside */

/* Lines 1 to 6 are stale: the CPU has zeros, an engine wrote @byte. */
static void make_stale(struct host *host, uint8_t byte)
{
	uint8_t bytes[6 * REF_MAX_LINE];

	memset(bytes, byte, sizeof(bytes));
	read_at(host, at(host, 1, 0));
	host_engine_write(host, at(host, 1, 0), bytes, 6 * host->p.line_size);
}

static void store_bytes(struct host *host, size_t off, uint8_t byte, size_t len)
{
	uint8_t bytes[REF_MAX_LINE];

	memset(bytes, byte, sizeof(bytes));
	host_write(host, off, bytes, len, WHO);
}

/* Closes a bracket without maintenance that a test does itself. */
static void end(struct host *host, unsigned int who, enum line_dir dir)
{
	assert_true(line_bracket_close(&host->lines, &host->brackets[who],
				       dir));
}

static bool is_aside(const struct host *host, size_t line)
{
	return host->lines.hidden[line / 64] >> (line % 64) & 1;
}

static void assert_line(const struct host *host, size_t line,
			uint8_t (*byte)(const struct host *host, size_t off),
			uint8_t value, size_t from, size_t to)
{
	for (; from < to; from++)
		assert_int_equal(byte(host, at(host, line, from)), value);
}

static void a_store_puts_old_bytes_of_stale_lines_aside(void **state)
{
	struct host *host = *state;
	size_t i;

	make_stale(host, 9);
	start(host, WHO, LINE_DIR_WRITE);
	store(host, at(host, 2, 3), 7);
	for (i = 1; i <= 6; i++)
		assert_true(is_aside(host, i));
	assert_false(is_aside(host, 0));
	assert_false(is_aside(host, 7));
	assert_int_equal(host_line_state(host, 2), REF_DIRTY);
	assert_int_equal(host_line_state(host, 3), REF_CLEAN);
	assert_int_equal(host_cpu(host, at(host, 2, 3)), 7);
	for (i = 0; i < host->p.line_size; i++)
		assert_int_equal(host_cpu(host, at(host, 3, i)),
				 ref_pattern(at(host, 3, i)));
	assert_int_equal(nr_violations(host), 0);
}

static void only_stores_in_no_other_bracket_put_them_aside(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	start(host, WHO, LINE_DIR_RW);
	store(host, at(host, 2, 3), 7);
	assert_false(line_page_has_hidden(&host->lines, 0));
	end(host, WHO, LINE_DIR_RW);
	start(host, WHO, LINE_DIR_READ);
	store(host, at(host, 2, 3), 7);
	assert_false(line_page_has_hidden(&host->lines, 0));
	/* a bracket for WRITE alone is counted separately */
	start(host, WHO, LINE_DIR_WRITE);
	store(host, at(host, 2, 3), 7);
	assert_true(line_page_has_hidden(&host->lines, 0));
	/* a line that was Dirty keeps its bytes */
	assert_false(is_aside(host, 2));
}

static void a_store_in_no_bracket_puts_them_aside(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	store(host, at(host, 2, 3), 7);
	assert_true(is_aside(host, 2));
}

static void brackets_for_write_alone_are_counted_for_themselves(void **state)
{
	struct host *host = *state;
	struct line_bracket *open = &host->brackets[WHO];

	assert_true(line_bracket_hides(NULL));
	assert_true(line_bracket_hides(open));
	start(host, WHO, LINE_DIR_RW);
	assert_false(line_bracket_hides(open));
	start(host, WHO, LINE_DIR_WRITE);
	assert_true(line_bracket_hides(open));
	end(host, WHO, LINE_DIR_WRITE);
	assert_false(line_bracket_hides(open));
	start(host, WHO, LINE_DIR_WRITE);
	end(host, WHO, LINE_DIR_RW);
	assert_true(line_bracket_hides(open));
	assert_int_equal(host->lines.nr_write, 1);
	start(host, WHO, LINE_DIR_READ);
	end(host, WHO, LINE_DIR_RW);
	assert_int_equal(host->lines.nr_write, 0);
	start(host, WHO, LINE_DIR_READ);
	assert_false(line_bracket_hides(open));
	assert_false(line_bracket_close(&host->lines, open, LINE_DIR_WRITE));
	start(host, WHO + 1, LINE_DIR_RW);
	start(host, WHO + 1, LINE_DIR_WRITE);
	line_bracket_end(&host->lines, &host->brackets[WHO + 1]);
	assert_int_equal(host->lines.nr_write, 0);
}

/* The CPU stores the bytes before the engine's write, or the engine's. */
static void a_line_written_whole_is_right_whatever_is_written(void **state)
{
	static const uint8_t values[] = { 0, 9, 5 };
	static const uint8_t zeros[8 * REF_MAX_LINE];
	struct host *host = *state;
	size_t i;

	for (i = 0; i < sizeof(values); i++) {
		host_invalidate(host, 0, host->p.len);
		host_engine_write(host, 0, zeros, 8 * host->p.line_size);
		host_invalidate(host, 0, host->p.len);
		make_stale(host, 9);
		host_ops.sync_start(host, WHO, REF_WRITE);
		store_bytes(host, at(host, 2, 0), values[i], host->p.line_size);
		host_ops.sync_end(host, WHO, REF_WRITE);
		assert_int_equal(nr_violations(host), 0);
		assert_line(host, 2, host_dram, values[i], 0,
			    host->p.line_size);
		assert_line(host, 2, host_cpu, values[i], 0, host->p.line_size);
		assert_line(host, 1, host_dram, 9, 0, host->p.line_size);
		assert_line(host, 3, host_dram, 9, 0, host->p.line_size);
		assert_int_equal(host_line_state(host, 2), REF_CLEAN);
		assert_int_equal(host_line_state(host, 3), REF_CLEAN);
		assert_false(line_page_has_hidden(&host->lines, 0));
	}
}

static void a_line_written_in_part_loses_the_engines_bytes(void **state)
{
	struct host *host = *state;
	size_t half = host->p.line_size / 2;

	make_stale(host, 9);
	host_ops.sync_start(host, WHO, REF_WRITE);
	store_bytes(host, at(host, 2, 0), 7, half);
	host_ops.sync_end(host, WHO, REF_WRITE);
	assert_count(host, lost_device_writes, 1);
	assert_line(host, 2, host_dram, 7, 0, half);
	assert_line(host, 2, host_dram, 0, half, host->p.line_size);
	assert_int_equal(host_line_state(host, 2), REF_CLEAN);
	read_at(host, at(host, 2, 0));
	assert_count(host, stale_reads, 0);
}

static void what_was_not_stored_is_lost_only_if_an_engine_wrote_it(void **state)
{
	struct host *host = *state;
	size_t size = host->p.line_size;

	read_at(host, at(host, 2, 0));
	engine_store(host, at(host, 2, size - 1), 9);
	start(host, WHO, LINE_DIR_WRITE);
	store_bytes(host, at(host, 2, 8), 0, size - 8);
	end(host, WHO, LINE_DIR_WRITE);
	host_clean(host, 0, host->p.len);
	assert_count(host, lost_device_writes, 0);
	assert_line(host, 2, host_dram, 0, 0, size);
}

static void lines_without_a_store_are_as_they_were_at_the_end(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	start(host, WHO, LINE_DIR_WRITE);
	store_bytes(host, at(host, 2, 0), 7, host->p.line_size);
	end(host, WHO, LINE_DIR_WRITE);
	host_clean(host, 0, host->p.len);
	assert_count(host, lines_cleaned, 1);
	assert_line(host, 3, host_cpu, 0, 0, host->p.line_size);
	assert_line(host, 3, host_dram, 9, 0, host->p.line_size);
	read_at(host, at(host, 3, 0));
	assert_count(host, stale_reads, 1);
}

static void a_clean_in_a_write_bracket_writes_what_was_stored(void **state)
{
	struct host *host = *state;
	size_t half = host->p.line_size / 2;

	make_stale(host, 9);
	start(host, WHO, LINE_DIR_WRITE);
	store_bytes(host, at(host, 2, 0), 7, half);
	host_clean(host, at(host, 1, 0), 3 * host->p.line_size);
	assert_count(host, lines_cleaned, 1);
	assert_count(host, redundant_cleans, 0);
	assert_line(host, 2, host_dram, 7, 0, half);
	assert_line(host, 2, host_dram, 9, half, host->p.line_size);
	assert_true(is_aside(host, 2));
	assert_true(is_aside(host, 3));
	/* the whole line is in DRAM */
	host_engine_read(host, at(host, 2, 0), host->p.line_size);
	assert_count(host, missing_cleans, 0);
	store_bytes(host, at(host, 2, half), 0, half);
	host_engine_read(host, at(host, 2, 0), host->p.line_size);
	assert_count(host, missing_cleans, 1);
	end(host, WHO, LINE_DIR_WRITE);
	host_clean(host, 0, host->p.len);
	assert_line(host, 2, host_dram, 7, 0, half);
	assert_line(host, 2, host_dram, 0, half, host->p.line_size);
	assert_count(host, lost_device_writes, 0);
}

static void what_was_cleaned_is_not_lost_by_an_invalidate(void **state)
{
	struct host *host = *state;
	size_t half = host->p.line_size / 2;

	make_stale(host, 9);
	start(host, WHO, LINE_DIR_WRITE);
	store_bytes(host, at(host, 2, 0), 7, half);
	host_ops.maintain(host, HEAPSIM_MAINT_CLEAN_INVALIDATE, at(host, 2, 0),
			  host->p.line_size);
	assert_count(host, lost_cpu_writes, 0);
	assert_int_equal(host_line_state(host, 2), REF_INVALID);
	store_bytes(host, at(host, 2, half), 0, half);
	end(host, WHO, LINE_DIR_WRITE);
	host_clean(host, 0, host->p.len);
	assert_line(host, 2, host_dram, 7, 0, half);
	assert_line(host, 2, host_dram, 0, half, host->p.line_size);
	assert_int_equal(nr_violations(host), 0);
}

static void lines_stay_for_any_process_that_writes(void **state)
{
	struct host *host = *state;
	size_t half = host->p.line_size / 2;

	host_ops.sync_start(host, WHO + 1, REF_RW);
	make_stale(host, 9);
	host_ops.sync_start(host, WHO, REF_WRITE);
	store_bytes(host, at(host, 2, 0), 0, half);
	host_ops.sync_end(host, WHO, REF_WRITE);
	assert_true(is_aside(host, 2));
	assert_count(host, lost_device_writes, 0);
	host_ops.sync_end(host, WHO + 1, REF_RW);
	assert_false(is_aside(host, 2));
	assert_line(host, 2, host_dram, 0, 0, host->p.line_size);
	assert_count(host, lost_device_writes, 1);
}

static void a_read_gives_the_old_bytes_again(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	start(host, WHO, LINE_DIR_WRITE);
	store(host, at(host, 2, 0), 7);
	read_at(host, at(host, 3, 0));
	assert_count(host, stale_reads, 1);
	assert_false(is_aside(host, 3));
	assert_line(host, 3, host_cpu, 0, 0, host->p.line_size);
	assert_int_equal(host_line_state(host, 3), REF_CLEAN);
	/* lines around a store are not put aside */
	assert_true(is_aside(host, 2));
	store(host, at(host, 4, 0), 7);
	assert_true(is_aside(host, 3));
	/* nor are lines in a READ bracket */
	start(host, WHO + 1, LINE_DIR_READ);
	host_touch(host, at(host, 3, 0), LINE_READ, WHO + 1);
	assert_true(is_aside(host, 3));
	assert_count(host, stale_reads, 2);
}

static void bytes_that_were_stored_are_not_stale(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	start(host, WHO, LINE_DIR_WRITE);
	store_bytes(host, at(host, 2, 0), 7, host->p.line_size - 8);
	read_at(host, at(host, 2, 0));
	assert_count(host, stale_reads, 1);
	store_bytes(host, at(host, 2, host->p.line_size - 8), 7, 8);
	read_at(host, at(host, 2, 0));
	assert_count(host, stale_reads, 1);
	assert_count(host, possible_stale_reads, 0);
}

/* Stores a line except for @nr bytes at a distance of @step. */
static uint64_t lost_with_pattern(struct host *host, size_t nr, size_t step)
{
	const size_t off = at(host, 2, 0);
	uint8_t bytes[REF_MAX_LINE];
	size_t i;

	host_invalidate(host, 0, host->p.len);
	memset(&host->lines.count, 0, sizeof(host->lines.count));
	for (i = 0; i < host->p.line_size; i++) {
		bytes[i] = (uint8_t)~ref_pattern(off + i);
		host->lines.pages[0].dram[off + i] = 0;
	}
	for (i = 0; i < nr; i++)
		bytes[1 + i * step] = ref_pattern(off + 1 + i * step);
	make_stale(host, 9);
	start(host, WHO, LINE_DIR_WRITE);
	host_write(host, off, bytes, host->p.line_size, WHO);
	end(host, WHO, LINE_DIR_WRITE);
	host_clean(host, 0, host->p.len);
	for (i = 0; i < nr; i++)
		assert_int_equal(host_dram(host, off + 1 + i * step),
				 host->lines.count.lost_device_writes ?
				 0 : bytes[1 + i * step]);
	assert_int_equal(host_dram(host, off), bytes[0]);
	return host->lines.count.lost_device_writes;
}

static void bytes_are_the_patterns_by_chance_if_they_are_few(void **state)
{
	struct host *host = *state;

	assert_int_equal(lost_with_pattern(host, 1, 1), 0);
	assert_int_equal(lost_with_pattern(host, 7, 1), 0);
	assert_int_equal(lost_with_pattern(host, 8, 1), 1);
	assert_int_equal(lost_with_pattern(host, 15, 2), 0);
	if (host->p.line_size > 32)
		assert_int_equal(lost_with_pattern(host, 16, 2), 1);
	/* 30 bytes in one row */
	assert_int_equal(lost_with_pattern(host, 30, 1), 1);
}

/* If a line loses bytes, all bytes equal to the pattern count as old. */
static void a_line_that_loses_has_old_bytes_for_all_the_pattern(void **state)
{
	struct host *host = *state;
	const size_t off = at(host, 2, 0);
	uint8_t byte = ref_pattern(off + 12);
	size_t i;

	make_stale(host, 9);
	start(host, WHO, LINE_DIR_WRITE);
	store_bytes(host, off, 7, host->p.line_size);
	for (i = 0; i < 8; i++) {
		uint8_t same = ref_pattern(off + i);

		host_store(host, off + i, &same, 1);
	}
	host_store(host, off + 12, &byte, 1);
	end(host, WHO, LINE_DIR_WRITE);
	host_clean(host, 0, host->p.len);
	assert_count(host, lost_device_writes, 1);
	assert_line(host, 2, host_dram, 0, 0, 8);
	assert_int_equal(host_dram(host, off + 12), 0);
	assert_int_equal(host_dram(host, off + 13), 7);
}

static void take_in_drops_lines_with_bytes_aside(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	store(host, at(host, 2, 0), 7);
	host_take_in(host);
	assert_count(host, lost_cpu_writes, 1);
	assert_false(line_page_has_valid(&host->lines, 0));
	assert_false(line_page_has_hidden(&host->lines, 0));
	read_at(host, at(host, 2, 0));
	assert_int_equal(host_cpu(host, at(host, 2, 0)), 9);
}

static void take_in_keeps_them_for_any_process_that_writes(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	start(host, WHO + 1, LINE_DIR_WRITE);
	store(host, at(host, 2, 0), 7);
	host_take_in(host);
	assert_count(host, lost_cpu_writes, 0);
	assert_int_equal(host_line_state(host, 2), REF_DIRTY);
	assert_int_equal(host_line_state(host, 3), REF_INVALID);
	assert_false(is_aside(host, 3));
}

static void invalidate_loses_what_was_stored_besides_old_bytes(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	store(host, at(host, 2, 0), 0);
	host_invalidate(host, at(host, 2, 0), 2 * host->p.line_size);
	assert_count(host, lost_cpu_writes, 1);
	assert_int_equal(host_line_state(host, 3), REF_INVALID);
	assert_false(is_aside(host, 3));
	assert_true(is_aside(host, 4));
}

static void eviction_in_a_write_bracket_writes_what_was_stored(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	start(host, WHO, LINE_DIR_WRITE);
	store(host, at(host, 2, 0), 7);
	store_bytes(host, at(host, 3, 0), 0, host->p.line_size);
	line_evict(&host->lines, 2);
	line_evict(&host->lines, 3);
	line_evict(&host->lines, 4);
	assert_count(host, evictions, 1);
	assert_int_equal(host_dram(host, at(host, 2, 0)), 7);
	assert_int_equal(host_dram(host, at(host, 2, 1)), 9);
	assert_true(is_aside(host, 2));
	assert_int_equal(host_line_state(host, 3), REF_INVALID);
	assert_line(host, 3, host_dram, 0, 0, host->p.line_size);
	assert_true(is_aside(host, 4));
	assert_int_equal(nr_violations(host), 0);
}

static void eviction_in_none_is_as_a_clean(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	store(host, at(host, 2, 0), 7);
	line_evict(&host->lines, 2);
	line_evict(&host->lines, 4);
	assert_count(host, evictions, 2);
	assert_count(host, lost_device_writes, 1);
	assert_int_equal(host_dram(host, at(host, 2, 1)), 0);
	assert_line(host, 4, host_dram, 9, 0, host->p.line_size);
	assert_false(is_aside(host, 4));
}

static void engines_meet_only_lines_with_a_store(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	store(host, at(host, 2, 0), 9);
	host_engine_read(host, at(host, 3, 0), 3 * host->p.line_size);
	engine_store(host, at(host, 3, 0), 5);
	assert_int_equal(nr_violations(host), 0);
	host_engine_read(host, at(host, 1, 0), 3 * host->p.line_size);
	assert_count(host, missing_cleans, 1);
	engine_store(host, at(host, 2, 0), 5);
	assert_count(host, write_conflicts, 1);
}

static void runs_are_of_what_was_stored(void **state)
{
	struct host *host = *state;
	size_t size = host->p.line_size;

	/* line 2 is Dirty, then stale; 1 and 3 have the pattern */
	store(host, at(host, 2, 8), 1);
	make_stale(host, 9);
	assert_count(host, write_conflicts, 1);
	store(host, at(host, 6, 0), 1);
	assert_true(is_aside(host, 1) && is_aside(host, 3));
	assert_false(is_aside(host, 2));
	host_clean(host, at(host, 2, 0), size);
	assert_count(host, lost_device_writes, 1);
	/* now the bytes before and after it are stored */
	store(host, at(host, 4, 8), 1);
	host_clean(host, at(host, 4, 0), size);
	host_invalidate(host, 0, host->p.len);
	host->lines.count.lost_device_writes = 0;
	read_at(host, at(host, 2, 0));
	store(host, at(host, 2, 8), 1 + host_cpu(host, at(host, 2, 8)));
	make_stale(host, 11);
	store_bytes(host, at(host, 1, 0), 0, size);
	store_bytes(host, at(host, 3, 0), 0, size);
	host_clean(host, at(host, 2, 0), size);
	assert_count(host, lost_device_writes, 0);
}

static void a_view_that_is_not_seen_has_the_old_bytes(void **state)
{
	struct host *host = *state;

	make_stale(host, 9);
	store(host, at(host, 2, 0), 0);
	line_show_all(&host->lines, 0);
	assert_false(line_page_has_hidden(&host->lines, 0));
	assert_line(host, 2, host_cpu, 0, 0, host->p.line_size);
	assert_line(host, 3, host_cpu, 0, 0, host->p.line_size);
	assert_int_equal(host_line_state(host, 2), REF_DIRTY);
	assert_int_equal(host_line_state(host, 3), REF_CLEAN);
}

/* Images */

static void images_are_wanted_only_when_bytes_differ(void **state)
{
	struct host *host = *state;
	struct line_buf *lines = &host->lines;

	assert_false(line_page_has_valid(lines, 0));
	assert_false(line_needs_twin(lines, 0));
	read_at(host, 0);
	assert_true(line_page_has_valid(lines, 0));
	assert_false(line_page_has_valid(lines, 1));
	assert_true(line_page_is_shared(lines, 0));
	assert_true(line_needs_twin(lines, 0));
	store(host, 0, 1);
	assert_false(line_page_is_shared(lines, 0));
	assert_true(line_page_has_dirty(lines, 0));
	assert_false(line_page_has_dirty(lines, 1));
	assert_null(lines->pages[0].twin);
	engine_store(host, 0, 2);
	assert_false(line_needs_twin(lines, 0));
	host_clean(host, 0, host->p.len);
	assert_false(line_page_has_dirty(lines, 0));
	host_invalidate(host, 0, host->p.len);
	assert_false(line_page_has_valid(lines, 0));
	assert_true(line_page_is_shared(lines, 0));
}

static void whole_pages_are_known_to_be_valid(void **state)
{
	struct host *host = *state;

	assert_false(line_page_is_valid(&host->lines, 0));
	read_at(host, 0);
	assert_true(line_page_is_valid(&host->lines, 0));
	host_invalidate(host, at(host, 1, 0), host->p.line_size);
	assert_false(line_page_is_valid(&host->lines, 0));
}

/* This holds until the CPU stores, gets a report, or invalidates the page. */
static void whole_pages_are_known_to_be_written(void **state)
{
	struct host *host = *state;
	struct line_buf *lines = &host->lines;
	const size_t page_len = (size_t)1 << lines->page_shift;
	const size_t last = page_len - host->p.line_size;
	size_t off;

	read_at(host, 0);
	for (off = 0; off < last; off += host->p.line_size)
		engine_store(host, off, 5);
	assert_false(line_page_is_written(lines, 0));
	engine_store(host, last, 5);
	assert_true(line_page_is_written(lines, 0));
	read_at(host, 0);
	assert_false(line_page_is_written(lines, 0));
	engine_store(host, 0, 6);
	assert_true(line_page_is_written(lines, 0));
	store(host, last, 7);
	assert_false(line_page_is_written(lines, 0));
	host_invalidate(host, 0, page_len);
	assert_false(line_page_is_written(lines, 0));
}

static void bitmaps_have_a_bit_for_each_line(void **state)
{
	struct host *host = *state;
	size_t nr, nr_lines;

	for (nr = 1; nr < 200; nr++) {
		nr_lines = nr * lines_per_page(host);
		assert_int_equal(line_bitmap_words(nr, host->lines.page_shift,
						   host->lines.line_shift),
				 (nr_lines + 63) / 64);
	}
}

static void touch_remembers_the_last_writer_of_the_page(void **state)
{
	struct host *host = *state;

	assert_int_equal(host->lines.pages[0].writer, 0);
	host_touch(host, 0, LINE_WRITE, 3);
	host_touch(host, at(host, 1, 0), LINE_READ, 4);
	assert_int_equal(host->lines.pages[0].writer, 3);
	assert_int_equal(host->lines.pages[1].writer, 0);
	host_touch(host, at(host, 1, 0), LINE_WRITE, 4);
	assert_int_equal(host->lines.pages[0].writer, 4);
}

static int setup(void **state)
{
	*state = host_create(*state);
	return 0;
}

static int teardown(void **state)
{
	host_destroy(*state);
	return 0;
}

#define TEST(name) { #name, name, NULL, NULL, NULL }

static const struct CMUnitTest rows[] = {
	TEST(read_of_an_invalid_line_fills_it_clean),
	TEST(read_of_a_stale_line_gives_the_old_bytes),
	TEST(engine_write_of_equal_bytes_is_possibly_stale_once),
	TEST(read_of_an_invalid_engine_written_line_is_possible),
	TEST(write_of_an_engine_written_line_tells_nothing),
	TEST(read_of_an_invalidated_line_is_not_even_possible),
	TEST(invalidate_forgets_engine_writes_of_invalid_lines),
	TEST(a_stale_read_was_the_first_read_since),
	TEST(a_line_written_back_is_not_even_possible),
	TEST(write_of_an_invalid_line_fills_and_dirties_it),
	TEST(write_of_a_clean_line_dirties_it),
	TEST(faulting_store_of_equal_bytes_makes_a_line_dirty),
	TEST(unseen_store_dirties_a_line_by_its_bytes),
	TEST(write_of_a_stale_line_stays_stale),
	TEST(clean_writes_only_changed_lines),
	TEST(clean_stays_in_its_range),
	TEST(clean_takes_a_line_partly_inside_whole),
	TEST(clean_over_an_engine_write_loses_it),
	TEST(clean_of_a_store_that_changed_nothing_loses_too),
	TEST(clean_where_both_wrote_the_same_byte_loses_nothing),
	TEST(clean_of_any_other_line_does_nothing),
	TEST(bytes_inside_a_run_count_as_overwritten),
	TEST(runs_reach_over_pages),
	TEST(runs_begin_in_lines_that_are_not_cleaned),
	TEST(runs_are_those_from_before_the_operation),
	TEST(frame_that_is_rewritten_whole_is_no_mistake),
	TEST(invalidate_of_a_clean_line_drops_it),
	TEST(invalidate_of_a_dirty_line_loses_its_bytes),
	TEST(invalidate_of_unchanged_dirty_lines_loses_nothing),
	TEST(lines_partly_inside_are_cleaned_first),
	TEST(one_line_cut_at_both_ends_is_shared_once),
	TEST(invalid_lines_partly_inside_are_shared_too),
	TEST(shared_lines_can_lose_an_engine_write),
	TEST(redundant_maintenance_is_counted_once_an_operation),
	TEST(invalidate_under_a_writing_holder_is_not_redundant),
	TEST(engine_read_over_a_dirty_line_misses_a_clean),
	TEST(engine_write_over_an_invalid_line_changes_dram),
	TEST(engine_write_over_a_clean_line_makes_it_stale),
	TEST(engine_write_over_a_dirty_line_is_a_conflict),
	TEST(clean_after_the_start_of_a_reading_job_is_too_late),
	TEST(seed_chooses_the_same_lines_again),
	TEST(job_reports_a_line_once),
	TEST(clean_after_the_start_of_a_writing_job_is_too_late),
	TEST(nothing_happens_to_no_bytes),
	TEST(eviction_writes_back_and_drops),
	TEST(eviction_loses_engine_writes_as_a_clean_does),
	TEST(eviction_of_a_clean_line_is_no_invalidate),
	TEST(touch_fills_its_granule),
	TEST(refill_fetches_only_invalid_lines),
	TEST(touch_is_judged_at_its_line_only),
	TEST(take_in_writes_back_lines_that_are_not_stale),
	TEST(take_in_of_a_dirty_and_stale_line_loses_it),
	TEST(take_in_keeps_dirty_lines_of_an_open_write_bracket),
	TEST(take_in_of_nothing_is_a_redundant_invalidate),
	TEST(a_read_bracket_does_not_hide_what_a_holder_wrote),
	TEST(a_page_that_was_not_touched_was_not_read),
	TEST(nobody_reads_outside_a_read_bracket_unseen),
	TEST(a_store_puts_old_bytes_of_stale_lines_aside),
	TEST(only_stores_in_no_other_bracket_put_them_aside),
	TEST(a_store_in_no_bracket_puts_them_aside),
	TEST(brackets_for_write_alone_are_counted_for_themselves),
	TEST(a_line_written_whole_is_right_whatever_is_written),
	TEST(a_line_written_in_part_loses_the_engines_bytes),
	TEST(what_was_not_stored_is_lost_only_if_an_engine_wrote_it),
	TEST(lines_without_a_store_are_as_they_were_at_the_end),
	TEST(a_clean_in_a_write_bracket_writes_what_was_stored),
	TEST(what_was_cleaned_is_not_lost_by_an_invalidate),
	TEST(lines_stay_for_any_process_that_writes),
	TEST(a_read_gives_the_old_bytes_again),
	TEST(bytes_that_were_stored_are_not_stale),
	TEST(bytes_are_the_patterns_by_chance_if_they_are_few),
	TEST(a_line_that_loses_has_old_bytes_for_all_the_pattern),
	TEST(take_in_drops_lines_with_bytes_aside),
	TEST(take_in_keeps_them_for_any_process_that_writes),
	TEST(invalidate_loses_what_was_stored_besides_old_bytes),
	TEST(eviction_in_a_write_bracket_writes_what_was_stored),
	TEST(eviction_in_none_is_as_a_clean),
	TEST(engines_meet_only_lines_with_a_store),
	TEST(runs_are_of_what_was_stored),
	TEST(a_view_that_is_not_seen_has_the_old_bytes),
	TEST(images_are_wanted_only_when_bytes_differ),
	TEST(whole_pages_are_known_to_be_valid),
	TEST(whole_pages_are_known_to_be_written),
	TEST(bitmaps_have_a_bit_for_each_line),
	TEST(touch_remembers_the_last_writer_of_the_page),
};

#define NR_ROWS		(sizeof(rows) / sizeof(rows[0]))
#define NR_SHAPES	9
#define NAME_LEN	96

int main(void)
{
	static const size_t line_sizes[] = { 32, 64, 128 };
	static const size_t page_sizes[] = { 4096, 16384, 65536 };
	static struct CMUnitTest tests[NR_SHAPES * NR_ROWS];
	static struct ref_params shapes[NR_SHAPES];
	static char names[NR_SHAPES * NR_ROWS][NAME_LEN];
	size_t shape, row;

	for (shape = 0; shape < NR_SHAPES; shape++) {
		size_t line_size = line_sizes[shape / 3];
		size_t page_size = page_sizes[shape % 3];

		shapes[shape] = (struct ref_params) {
			.len = NR_PAGES * page_size,
			.line_size = line_size,
			.fill_size = page_size,
			.page_size = page_size,
		};
		for (row = 0; row < NR_ROWS; row++) {
			size_t i = shape * NR_ROWS + row;

			snprintf(names[i], NAME_LEN, "%s.line_%zu_page_%zuk",
				 rows[row].name, line_size, page_size / 1024);
			tests[i] = (struct CMUnitTest) {
				.name = names[i],
				.test_func = rows[row].test_func,
				.setup_func = setup,
				.teardown_func = teardown,
				.initial_state = &shapes[shape],
			};
		}
	}
	/* the number of failures could be a multiple of 256 */
	return _cmocka_run_group_tests("line", tests, NR_SHAPES * NR_ROWS,
				       NULL, NULL) ? 1 : 0;
}
