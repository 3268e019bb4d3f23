// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests which bytes of a buffer the CPU and engines see: on `noncoherent` bytes
 * become stale, line by line, on other kinds never, and counters show the
 * reason.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define NR_GRANULES	4
#define MOST_AREAS	8192	/* limit of areas that map a buffer */

static int setup_kind(void **state, uint32_t kind)
{
	struct fixture *f = fixture_create();

	fixture_alloc(f, kind, NR_GRANULES * f->granule);
	*state = f;
	return 0;
}

static int setup(void **state)
{
	return setup_kind(state, HEAPSIM_KIND_NONCOHERENT);
}

static int setup_coherent(void **state)
{
	return setup_kind(state, HEAPSIM_KIND_COHERENT);
}

static int setup_uncached(void **state)
{
	return setup_kind(state, HEAPSIM_KIND_UNCACHED);
}

static uint8_t engine_sees(struct fixture *f, size_t off)
{
	uint8_t *dram = device_dram(f->dev, f->fd, f->len);
	uint8_t value = dram[off];

	free(dram);
	return value;
}

static void engine_write_leaves_cached_lines_stale(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(f->map[f->granule], 0);	/* fills granule 1 */
	device_fill(f->dev, f->fd, 0, f->len, 0x5a5a5a5a);
	assert_true(device_is_filled(f->map, 0x5a, f->granule));
	assert_true(device_is_filled(f->map + f->granule, 0, f->granule));
	assert_true(device_is_filled(f->map + 2 * f->granule, 0x5a,
				     2 * f->granule));
	/* Lines that were filled after the engine's write are not stale. */
	device_sync(f->fd, SYNC_START_READ);
	assert_true(device_is_filled(f->map, 0x5a, f->len));
	device_sync(f->fd, SYNC_END_READ);
}

static void stale_read_is_counted_once_a_fault(void **state)
{
	struct fixture *f = *state;

	device_peek(f->map);
	assert_int_equal(count(f).fills, 1);
	assert_int_equal(count(f).lines_filled, f->granule / f->line);
	device_fill(f->dev, f->fd, 0, f->granule, 0x01010101);
	assert_int_equal(count(f).stale_reads, 0);
	assert_int_equal(f->map[5], 0);
	assert_int_equal(count(f).stale_reads, 1);
	assert_int_equal(count(f).fills, 1);
}

static void staleness_is_to_the_line(void **state)
{
	struct fixture *f = *state;
	size_t i, nr = f->granule / f->line;

	device_peek(f->map);
	/* Every third line is not in the cache when the engine writes. */
	for (i = 0; i < nr; i += 3)
		device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE,
				i * f->line, f->line);
	device_fill(f->dev, f->fd, 0, f->granule, 0xc3c3c3c3);
	for (i = 0; i < nr; i++)
		assert_true(device_is_filled(f->map + i * f->line,
					     i % 3 ? 0 : 0xc3, f->line));
	assert_int_equal(count(f).lines_invalidated, (nr + 2) / 3);
}

static void engine_write_of_part_of_a_line_makes_it_stale(void **state)
{
	struct fixture *f = *state;

	device_peek(f->map);
	device_fill(f->dev, f->fd, f->line + 3, 2, 0xeeeeeeee);
	assert_true(device_is_filled(f->map, 0, f->granule));
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, f->line,
			f->line);
	assert_int_equal(f->map[f->line + 2], 0);
	assert_int_equal(f->map[f->line + 3], 0xee);
	assert_int_equal(f->map[f->line + 4], 0xee);
	assert_int_equal(f->map[f->line + 5], 0);
}

static void engine_reads_old_bytes_until_end(void **state)
{
	struct fixture *f = *state;

	device_sync(f->fd, SYNC_START_WRITE);
	f->map[100] = 0xaa;
	assert_int_equal(engine_sees(f, 100), 0);
	assert_int_equal(count(f).missing_cleans, 1);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(engine_sees(f, 100), 0xaa);
	assert_int_equal(count(f).missing_cleans, 1);
	assert_int_equal(count(f).lines_cleaned, 1);
	assert_int_equal(f->map[100], 0xaa);
}

static void engine_misses_exactly_the_dirty_lines(void **state)
{
	struct fixture *f = *state;
	size_t i;
	uint8_t *dram;

	memset(f->map, 0x11, f->len);
	device_sync(f->fd, SYNC_END_WRITE);
	for (i = 0; i < f->len; i += 5 * f->line)
		f->map[i + 7] = 0x22;
	dram = device_dram(f->dev, f->fd, f->len);
	assert_true(device_is_filled(dram, 0x11, f->len));
	free(dram);
	device_sync(f->fd, SYNC_END_WRITE);
	dram = device_dram(f->dev, f->fd, f->len);
	for (i = 0; i < f->len; i++)
		assert_int_equal(dram[i],
				 i % (5 * f->line) == 7 ? 0x22 : 0x11);
	free(dram);
}

static void start_write_maintains_nothing(void **state)
{
	struct fixture *f = *state;

	device_peek(f->map);
	device_fill(f->dev, f->fd, 0, f->len, 0x77777777);
	device_sync(f->fd, SYNC_START_WRITE);
	assert_int_equal(f->map[0], 0);
	assert_int_equal(count(f).lines_invalidated, 0);
	assert_int_equal(count(f).lines_cleaned, 0);
	assert_int_equal(count(f).redundant_invalidates, 0);
	device_sync(f->fd, SYNC_END_WRITE);
}

static void start_rw_takes_in(void **state)
{
	struct fixture *f = *state;

	device_peek(f->map);
	device_fill(f->dev, f->fd, 0, f->len, 0x77777777);
	device_sync(f->fd, SYNC_START_RW);
	assert_int_equal(f->map[0], 0x77);
	device_sync(f->fd, SYNC_END_RW);
}

static void end_read_maintains_nothing(void **state)
{
	struct fixture *f = *state;

	device_sync(f->fd, SYNC_START_READ);
	f->map[0] = 1;
	device_sync(f->fd, SYNC_END_READ);
	assert_int_equal(count(f).lines_cleaned, 0);
	assert_int_equal(engine_sees(f, 0), 0);
}

static void start_read_writes_dirty_lines_back_that_are_not_stale(void **state)
{
	struct fixture *f = *state;

	f->map[0] = 0x99;
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(count(f).lines_cleaned, 1);
	assert_int_equal(count(f).lost_cpu_writes, 0);
	assert_int_equal(engine_sees(f, 0), 0x99);
	assert_int_equal(f->map[0], 0x99);
	device_sync(f->fd, SYNC_END_READ);
}

static void start_read_drops_dirty_lines_that_are_stale(void **state)
{
	struct fixture *f = *state;

	f->map[0] = 0x99;
	device_fill(f->dev, f->fd, 0, f->line, 0x44444444);
	assert_int_equal(count(f).write_conflicts, 1);
	assert_int_equal(f->map[0], 0x99);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(count(f).lost_cpu_writes, 1);
	assert_int_equal(count(f).lost_device_writes, 0);
	assert_true(device_is_filled(f->map, 0x44, f->line));
	device_sync(f->fd, SYNC_END_READ);
}

static void start_read_keeps_what_an_open_write_bracket_wrote(void **state)
{
	struct fixture *f = *state;

	device_sync(f->fd, SYNC_START_WRITE);
	f->map[0] = 0x99;
	device_fill(f->dev, f->fd, 0, f->line, 0x44444444);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(f->map[0], 0x99);
	assert_int_equal(f->map[1], 0);
	assert_int_equal(count(f).lost_cpu_writes, 0);
	assert_int_equal(count(f).lines_cleaned, 0);
	device_sync(f->fd, SYNC_END_RW);
}

static void range_list_is_maintained_in_order(void **state)
{
	struct fixture *f = *state;
	size_t line = f->line;
	struct heapsim_range ranges[] = {
		{ f->fd, HEAPSIM_MAINT_CLEAN, 0, line },
		{ f->fd, HEAPSIM_MAINT_INVALIDATE, line, line },
		{ f->fd, HEAPSIM_MAINT_CLEAN_INVALIDATE, 2 * line, line },
		{ f->fd, HEAPSIM_MAINT_CLEAN, 0, 0 },
	};
	uint32_t nr_done = 0;
	uint8_t *dram;

	memset(f->map, 0x31, 4 * line);
	assert_int_equal(device_maintain_errno(f->dev, ranges, 4, &nr_done),
			 0);
	assert_int_equal(nr_done, 4);
	dram = device_dram(f->dev, f->fd, f->len);
	assert_true(device_is_filled(dram, 0x31, line));
	assert_true(device_is_filled(dram + line, 0, line));
	assert_true(device_is_filled(dram + 2 * line, 0x31, line));
	assert_true(device_is_filled(dram + 3 * line, 0, line));
	free(dram);
	assert_true(device_is_filled(f->map, 0x31, line));
	assert_true(device_is_filled(f->map + line, 0, line));
	assert_true(device_is_filled(f->map + 2 * line, 0x31, 2 * line));
	assert_int_equal(count(f).lines_cleaned, 2);
	assert_int_equal(count(f).lines_invalidated, 2);
	assert_int_equal(count(f).lost_cpu_writes, 1);
	assert_int_equal(count(f).shared_lines, 0);
}

static void range_list_says_where_it_stopped(void **state)
{
	struct fixture *f = *state;
	int other = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, f->page);
	struct heapsim_range ranges[] = {
		{ f->fd, HEAPSIM_MAINT_CLEAN, 0, f->line },
		{ other, HEAPSIM_MAINT_CLEAN, 0, f->page },
		{ other, HEAPSIM_MAINT_CLEAN, f->page, 1 },
		{ f->fd, HEAPSIM_MAINT_CLEAN, f->line, f->line },
	};
	uint32_t nr_done = 99;

	f->map[0] = 1;
	f->map[f->line] = 1;
	assert_int_equal(device_maintain_errno(f->dev, ranges, 4, &nr_done),
			 -EINVAL);
	assert_int_equal(nr_done, 2);
	assert_int_equal(engine_sees(f, 0), 1);
	assert_int_equal(engine_sees(f, f->line), 0);
	close(other);
}

static void thousand_ranges_are_one_call(void **state)
{
	enum { NR = 1000 };
	struct fixture *f = *state;
	struct heapsim_range *ranges = calloc(NR, sizeof(*ranges));
	size_t i, nr_lines = f->len / f->line;
	uint32_t nr_done = 0;
	uint8_t *dram;

	memset(f->map, 0x61, f->len);
	for (i = 0; i < NR; i++) {
		ranges[i].fd = f->fd;
		ranges[i].op = HEAPSIM_MAINT_CLEAN;
		ranges[i].off = i * 2 % nr_lines * f->line;
		ranges[i].len = f->line;
	}
	assert_int_equal(device_maintain_errno(f->dev, ranges, NR, &nr_done),
			 0);
	assert_int_equal(nr_done, NR);
	dram = device_dram(f->dev, f->fd, f->len);
	for (i = 0; i < nr_lines && i < 2 * NR; i++)
		assert_int_equal(dram[i * f->line], i % 2 ? 0 : 0x61);
	free(dram);
	free(ranges);
}

static void invalidate_of_part_of_a_line_keeps_the_rest(void **state)
{
	struct fixture *f = *state;

	memset(f->map, 0x52, 3 * f->line);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, f->line / 2,
			2 * f->line);
	/* The outer two lines were cleaned first; the inner one was dropped. */
	assert_int_equal(count(f).shared_lines, 2);
	assert_int_equal(count(f).lines_cleaned, 2);
	assert_int_equal(count(f).lines_invalidated, 3);
	assert_int_equal(count(f).lost_cpu_writes, 1);
	assert_true(device_is_filled(f->map, 0x52, f->line));
	assert_true(device_is_filled(f->map + f->line, 0, f->line));
	assert_true(device_is_filled(f->map + 2 * f->line, 0x52, f->line));
	assert_int_equal(engine_sees(f, 0), 0x52);
}

static void invalidate_loses_what_the_cpu_wrote(void **state)
{
	struct fixture *f = *state;

	memset(f->map, 0x52, f->granule);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, 0,
			f->granule);
	assert_true(device_is_filled(f->map, 0, f->granule));
	assert_int_equal(count(f).lost_cpu_writes, f->granule / f->line);
}

static void clean_overwrites_what_an_engine_wrote(void **state)
{
	struct fixture *f = *state;

	f->map[3] = 0x10;
	device_fill(f->dev, f->fd, 0, 2 * f->line, 0x55555555);
	assert_int_equal(count(f).write_conflicts, 1);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(count(f).lost_device_writes, 1);
	assert_int_equal(engine_sees(f, 3), 0x10);
	assert_int_equal(engine_sees(f, 4), 0);
	/* The second line was never dirty, so DRAM has the engine's bytes. */
	assert_int_equal(engine_sees(f, f->line), 0x55);
}

static void rewriting_a_recycled_frame_loses_nothing(void **state)
{
	struct fixture *f = *state;

	device_peek(f->map);
	device_fill(f->dev, f->fd, 0, f->granule, 0x55555555);
	memset(f->map, 0x66, f->granule);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(count(f).lost_device_writes, 0);
	assert_int_equal(engine_sees(f, f->granule - 1), 0x66);
}

static uint64_t nr_mistakes(struct fixture *f)
{
	struct heapsim_counters c = count(f);

	return c.stale_reads + c.possible_stale_reads + c.lost_device_writes +
	       c.lost_cpu_writes + c.missing_cleans + c.write_conflicts +
	       c.unbracketed_accesses;
}

/* An engine writes to a frame whose lines, all zeros, are in the cache. */
static void recycle_frame(struct fixture *f)
{
	size_t off;

	for (off = 0; off < f->len; off += f->page)
		device_peek(f->map + off);
	device_fill(f->dev, f->fd, 0, f->len, 0x55555555);
}

static void assert_engine_sees(struct fixture *f, uint8_t value, size_t off,
			       size_t len)
{
	uint8_t *dram = device_dram(f->dev, f->fd, f->len);

	assert_true(device_is_filled(dram + off, value, len));
	free(dram);
}

/* The CPU stores the bytes of the cache, and then those of the engine. */
static void rewriting_a_recycled_frame_may_change_no_byte(void **state)
{
	static const uint8_t values[] = { 0, 0x55 };
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		recycle_frame(f);
		device_sync(f->fd, SYNC_START_WRITE);
		memset(f->map, values[i], f->len);
		device_sync(f->fd, SYNC_END_WRITE);
		assert_engine_sees(f, values[i], 0, f->len);
		assert_true(device_is_filled(f->map, values[i], f->len));
		assert_int_equal(nr_mistakes(f), 0);
		memset(f->map, 0, f->len);
		device_sync(f->fd, SYNC_START_RW);
		device_sync(f->fd, SYNC_END_RW);
	}
}

static void rewriting_some_lines_leaves_the_others_as_they_were(void **state)
{
	struct fixture *f = *state;

	recycle_frame(f);
	device_sync(f->fd, SYNC_START_WRITE);
	memset(f->map + f->line, 0, 2 * f->line);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_engine_sees(f, 0x55, 0, f->line);
	assert_engine_sees(f, 0, f->line, 2 * f->line);
	assert_engine_sees(f, 0x55, 3 * f->line, f->len - 3 * f->line);
	assert_int_equal(nr_mistakes(f), 0);
	assert_true(device_is_filled(f->map, 0, f->len));
	assert_true(count(f).stale_reads > 0);
}

static void rewriting_a_part_of_a_line_loses_the_rest(void **state)
{
	struct fixture *f = *state;
	const size_t half = f->line / 2;

	recycle_frame(f);
	device_sync(f->fd, SYNC_START_WRITE);
	memset(f->map, 0, 3 * half);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(count(f).lost_device_writes, 1);
	assert_engine_sees(f, 0, 0, 2 * f->line);
	assert_engine_sees(f, 0x55, 2 * f->line, f->len - 2 * f->line);
}

static int rewrite_half_a_line(void *arg)
{
	struct fixture *f = arg;

	if (device_sync_errno(f->fd, SYNC_START_WRITE))
		return 1;
	memset(f->map + f->line / 2, 0, f->line / 2);
	return device_sync_errno(f->fd, SYNC_END_WRITE) ? 1 : 0;
}

/* The line is settled when the last bracket for writing has ended. */
static void a_line_may_be_rewritten_by_two_processes(void **state)
{
	struct fixture *f = *state;

	recycle_frame(f);
	device_sync(f->fd, SYNC_START_WRITE);
	memset(f->map, 0, f->line / 2);
	assert_int_equal(device_in_child(rewrite_half_a_line, f), 0);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(nr_mistakes(f), 0);
	assert_engine_sees(f, 0, 0, f->line);
	assert_engine_sees(f, 0x55, f->line, f->line);
}

/* The clean writes back the stored part; the rest of the line follows later. */
static void a_part_of_a_line_may_be_cleaned_in_the_bracket(void **state)
{
	struct fixture *f = *state;
	const size_t half = f->line / 2;

	recycle_frame(f);
	device_sync(f->fd, SYNC_START_WRITE);
	memset(f->map, 0, half);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_CLEAN, 0, half);
	assert_engine_sees(f, 0, 0, half);
	assert_engine_sees(f, 0x55, half, half);
	memset(f->map + half, 0, half);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(nr_mistakes(f), 0);
	assert_engine_sees(f, 0, 0, f->line);
}

static int read_old_bytes(void *arg)
{
	struct fixture *f = arg;

	return device_is_filled(f->map + f->line, 0, f->page - f->line) ? 0 : 1;
}

/* A process without a bracket reads lines that another may write. */
static void old_bytes_are_read_beside_what_is_rewritten(void **state)
{
	struct fixture *f = *state;

	recycle_frame(f);
	device_sync(f->fd, SYNC_START_WRITE);
	f->map[0] = 7;
	assert_int_equal(device_in_child(read_old_bytes, f), 0);
	assert_int_equal(count(f).stale_reads, 1);
	/* The next store faults again, and continues the rewriting. */
	memset(f->map, 0, 2 * f->line);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_engine_sees(f, 0, 0, 2 * f->line);
	assert_engine_sees(f, 0x55, 2 * f->line, f->line);
	assert_int_equal(count(f).lost_device_writes, 0);
}

/* PTEs of the bracket for both directions are revoked by the second START. */
static void a_bracket_for_writing_alone_counts_beside_others(void **state)
{
	struct fixture *f = *state;

	device_sync(f->fd, SYNC_START_RW);
	recycle_frame(f);
	f->map[8 * f->line] = 0;
	device_sync(f->fd, SYNC_START_WRITE);
	memset(f->map, 0, f->line);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_engine_sees(f, 0, 0, f->line);
	assert_engine_sees(f, 0x55, f->line, f->line);
	device_sync(f->fd, SYNC_END_RW);
	/* Only the store of one byte in the first bracket lost bytes. */
	assert_int_equal(count(f).lost_device_writes, 1);
}

#ifdef __x86_64__
/*
 * One instruction reads and stores the same page through two mappings. The PTE
 * that one fault permits must not be revoked by the other fault for ever.
 */
static void an_instruction_may_read_and_store_a_recycled_page(void **state)
{
	struct fixture *f = *state;
	uint8_t *other = device_map(f->fd, f->len);
	uint8_t *from = other + 8 * f->line, *to = f->map;
	size_t nr = f->line;

	recycle_frame(f);
	device_sync(f->fd, SYNC_START_WRITE);
	__asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(nr)
			 : : "memory");
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(to - f->map, f->line);
	assert_int_equal(count(f).lost_device_writes, 0);
	device_unmap(other, f->len);
}
#endif

static void end_without_start_is_counted_and_cleans(void **state)
{
	struct fixture *f = *state;

	f->map[0] = 7;
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(count(f).unmatched_ends, 1);
	assert_int_equal(engine_sees(f, 0), 7);
	device_sync(f->fd, SYNC_START_RW);
	device_sync(f->fd, SYNC_END_RW);
	assert_int_equal(count(f).unmatched_ends, 1);
}

static int open_bracket_and_die(void *arg)
{
	struct fixture *f = arg;
	struct dma_buf_sync sync = { .flags = SYNC_START_WRITE };

	if (device_ioctl_errno(f->fd, DMA_BUF_IOCTL_SYNC, &sync))
		return 1;
	f->map[0] = 7;
	return 0;
}

static void process_that_ends_without_end_is_counted(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(device_in_child(open_bracket_and_die, f), 0);
	assert_int_equal(count(f).missing_ends, 1);
	assert_int_equal(engine_sees(f, 0), 0);
	assert_int_equal(f->map[0], 7);
}

static int open_bracket_and_close(void *arg)
{
	struct fixture *f = arg;
	struct dma_buf_sync sync = { .flags = SYNC_START_WRITE };
	struct heapsim_buf_info info = { .size = sizeof(info), .fd = f->fd };

	if (device_ioctl_errno(f->fd, DMA_BUF_IOCTL_SYNC, &sync))
		return 1;
	sync.flags = SYNC_END_WRITE;
	if (device_ioctl_errno(f->fd, DMA_BUF_IOCTL_SYNC, &sync))
		return 2;
	if (device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_INFO, &info))
		return 3;
	return info.count.unmatched_ends ? 4 : 0;
}

static void bracket_of_a_process_is_its_own(void **state)
{
	struct fixture *f = *state;

	/* The child does not inherit this bracket, and opens its own. */
	device_sync(f->fd, SYNC_START_WRITE);
	assert_int_equal(device_in_child(open_bracket_and_close, f), 0);
	assert_int_equal(count(f).missing_ends, 0);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(count(f).unmatched_ends, 0);
}

static void redundant_maintenance_is_counted(void **state)
{
	struct fixture *f = *state;

	device_sync(f->fd, SYNC_START_RW);
	assert_int_equal(count(f).redundant_invalidates, 1);
	device_peek(f->map);
	device_sync(f->fd, SYNC_END_RW);
	assert_int_equal(count(f).redundant_cleans, 1);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(count(f).redundant_invalidates, 1);
	device_sync(f->fd, SYNC_END_READ);
	device_fill(f->dev, f->fd, 0, f->len, 1);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(count(f).redundant_invalidates, 1);
	device_sync(f->fd, SYNC_END_READ);
}

static void read_of_equal_bytes_that_an_engine_wrote_is_possible(void **state)
{
	struct fixture *f = *state;

	device_peek(f->map);
	device_fill(f->dev, f->fd, 0, f->line, 0);
	device_revoke(f->dev, f->fd);
	device_peek(f->map);
	assert_int_equal(count(f).possible_stale_reads, 1);
	assert_int_equal(count(f).stale_reads, 0);
	device_revoke(f->dev, f->fd);
	device_peek(f->map);
	assert_int_equal(count(f).possible_stale_reads, 1);
}

static void revoke_changes_no_byte_and_no_counter(void **state)
{
	struct fixture *f = *state;
	struct heapsim_counters before, after;

	memset(f->map, 0x21, f->granule);
	device_peek(f->map + f->granule);
	before = count(f);
	device_revoke(f->dev, f->fd);
	assert_true(device_is_filled(f->map, 0x21, f->granule));
	assert_int_equal(f->map[f->granule], 0);
	after = count(f);
	assert_memory_equal(&before, &after, sizeof(before));
	assert_int_equal(engine_sees(f, 0), 0);
}

/*
 * The module prepares the next page of a row of stores. If no store follows,
 * the page must not be dirty.
 */
static void stores_in_a_row_dirty_just_their_lines(void **state)
{
	struct fixture *f = *state;
	size_t nr_pages = f->len / f->page, i;
	uint8_t *dram;

	for (i = 0; i < nr_pages - 1; i++)
		f->map[i * f->page + f->line] = (uint8_t)(i + 1);
	device_sync(f->fd, SYNC_START_WRITE);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(count(f).lines_cleaned, nr_pages - 1);
	dram = device_dram(f->dev, f->fd, f->len);
	for (i = 0; i < nr_pages; i++) {
		uint8_t *page = dram + i * f->page;

		assert_true(device_is_filled(page, 0, f->line));
		assert_int_equal(page[f->line],
				 i < nr_pages - 1 ? (uint8_t)(i + 1) : 0);
		assert_true(device_is_filled(page + f->line + 1, 0,
					     f->page - f->line - 1));
	}
	free(dram);
}

static int store_behind(void *arg)
{
	struct fixture *f = arg;

	f->map[f->page] = 2;
	return 0;
}

/* A page prepared for one process belongs to the process that stores to it. */
static void pages_of_a_row_are_theirs_who_store(void **state)
{
	struct fixture *f = *state;

	device_sync(f->fd, SYNC_START_WRITE);
	f->map[0] = 1;
	assert_int_equal(device_in_child(store_behind, f), 0);
	f->map[2 * f->page] = 3;
	device_fill(f->dev, f->fd, 0, 3 * f->page, 0x44444444);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(f->map[0], 1);
	assert_int_equal(f->map[f->page], 0x44);
	assert_int_equal(f->map[2 * f->page], 3);
	device_sync(f->fd, SYNC_END_READ);
	device_sync(f->fd, SYNC_END_WRITE);
}

/* Bytes of a freed buffer must not be visible in pages that are reused. */
static void first_store_shows_no_byte_of_others(void **state)
{
	struct fixture *f = *state;
	size_t i, lap;

	for (lap = 0; lap < 4; lap++) {
		int fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT,
				      f->len);
		uint8_t *map = device_map(fd, f->len);

		for (i = 0; i < f->len; i += f->page)
			map[i] = 0xee;
		for (i = 0; i < f->len; i += f->page) {
			assert_int_equal(map[i], 0xee);
			assert_true(device_is_filled(map + i + 1, 0,
						     f->page - 1));
		}
		memset(map, 0xee, f->len);
		if (lap % 2) {
			device_sync(fd, SYNC_START_RW);
			device_sync(fd, SYNC_END_RW);
		}
		device_unmap(map, f->len);
		close(fd);
	}
}

/* After a clean, a first store must not assume that DRAM is still zero. */
static void first_store_after_a_take_in_keeps_the_page(void **state)
{
	struct fixture *f = *state;
	size_t i;

	memset(f->map, 0x31, f->len);
	device_sync(f->fd, SYNC_START_READ);	/* writes back and drops all */
	device_sync(f->fd, SYNC_END_READ);
	for (i = 0; i < f->len; i += f->page)
		f->map[i] = 0x32;
	for (i = 0; i < f->len; i += f->page) {
		assert_int_equal(f->map[i], 0x32);
		assert_true(device_is_filled(f->map + i + 1, 0x31,
					     f->page - 1));
	}
}

struct toucher {
	uint8_t *map;
	size_t len;
	size_t page;
	int dev;
	int fd;
	bool ends;
};

/* Each access faults, since all PTEs are revoked before the next round. */
static void *touches(void *arg)
{
	struct toucher *t = arg;
	struct heapsim_buf_revoke revoke = {
		.size = sizeof(revoke),
		.fd = t->fd,
	};
	size_t i;

	while (!__atomic_load_n(&t->ends, __ATOMIC_ACQUIRE)) {
		for (i = 0; i < t->len; i += t->page)
			device_peek(t->map + i);
		device_ioctl_errno(t->dev, HEAPSIM_IOC_BUF_REVOKE, &revoke);
	}
	return NULL;
}

/* Concurrent faults must not lose the mark that DRAM was written. */
static void pages_of_a_freed_buffer_are_zeroed(void **state)
{
	struct fixture *f = *state;
	int lap;

	/* Only an open that watches may revoke. */
	assert_int_equal(device_watch_errno(f->dev, HEAPSIM_WATCH_PROCESS, 0,
					    1), 0);
	for (lap = 0; lap < 500; lap++) {
		struct toucher t = {
			.len = 4 * f->page,
			.page = f->page,
			.dev = f->dev,
		};
		pthread_t thread;

		t.fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, t.len);
		t.map = device_map(t.fd, t.len);
		assert_true(device_is_filled(t.map, 0, t.len));
		device_revoke(f->dev, t.fd);
		assert_int_equal(pthread_create(&thread, NULL, touches, &t), 0);
		device_fill(f->dev, t.fd, 0, t.len, 0x5a5a5a5a);
		__atomic_store_n(&t.ends, true, __ATOMIC_RELEASE);
		pthread_join(thread, NULL);
		device_unmap(t.map, t.len);
		close(t.fd);
	}
}

static void sync_of_an_unmapped_buffer_is_good(void **state)
{
	struct fixture *f = *state;
	int fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, 4 * f->page);
	uint8_t *map;

	device_sync(fd, SYNC_START_RW);
	device_sync(fd, SYNC_END_RW);
	map = device_map(fd, f->page);
	map[0] = 3;
	device_unmap(map, f->page);
	/* The line stays in the cache after an unmap. */
	device_sync(fd, SYNC_START_WRITE);
	device_sync(fd, SYNC_END_WRITE);
	map = device_dram(f->dev, fd, f->page);
	assert_int_equal(map[0], 3);
	free(map);
	close(fd);
}

static void two_maps_share_the_cpu_view(void **state)
{
	struct fixture *f = *state;
	uint8_t *other = device_map(f->fd, f->len);

	f->map[0] = 1;
	assert_int_equal(other[0], 1);
	other[f->granule] = 2;
	assert_int_equal(f->map[f->granule], 2);
	device_fill(f->dev, f->fd, 0, f->len, 0x88888888);
	assert_int_equal(f->map[0], 1);
	assert_int_equal(other[0], 1);
	assert_int_equal(other[f->granule], 2);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(f->map[0], 0x88);
	assert_int_equal(other[f->granule], 0x88);
	device_sync(f->fd, SYNC_END_READ);
	device_unmap(other, f->len);
}

static int write_as_child(void *arg)
{
	struct fixture *f = arg;

	f->map[f->line] = 0x12;
	return f->map[0] == 0x11 ? 0 : 1;
}

static void processes_share_the_cpu_view(void **state)
{
	struct fixture *f = *state;

	f->map[0] = 0x11;
	assert_int_equal(device_in_child(write_as_child, f), 0);
	assert_int_equal(f->map[f->line], 0x12);
	assert_int_equal(engine_sees(f, f->line), 0);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(engine_sees(f, f->line), 0x12);
}

static void copy_to_a_cached_target_leaves_its_lines_stale(void **state)
{
	struct fixture *f = *state;
	int dst = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, f->len);
	uint8_t *map = device_map(dst, f->len);

	memset(f->map, 0x0f, f->len);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(map[0], 0);
	device_copy(f->dev, f->fd, 0, dst, 0, f->len);
	assert_true(device_is_filled(map, 0, f->granule));
	device_sync(dst, SYNC_START_READ);
	assert_true(device_is_filled(map, 0x0f, f->len));
	device_sync(dst, SYNC_END_READ);
	device_unmap(map, f->len);
	close(dst);
}

/* Returns a child that is traced and stopped; it exits when continued. */
static pid_t traced_child(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void end_traced_child(pid_t pid)
{
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void ptrace_reads_and_writes_the_cpu_view(void **state)
{
	struct fixture *f = *state;
	uint8_t *at = f->map + f->granule - sizeof(long);
	long word = 0x1122334455667788L;
	pid_t pid;

	memset(f->map, 0x41, f->granule);
	pid = traced_child();
	errno = 0;
	assert_true(ptrace(PTRACE_PEEKDATA, pid, at, NULL) ==
		    0x4141414141414141L);
	assert_int_equal(ptrace(PTRACE_POKEDATA, pid, at, word), 0);
	assert_true(ptrace(PTRACE_PEEKDATA, pid, at, NULL) == word);
	end_traced_child(pid);
	assert_memory_equal(at, &word, sizeof(word));
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(engine_sees(f, f->granule - 1), 0x11);
}

static void ptrace_write_dirties_the_line(void **state)
{
	struct fixture *f = *state;
	size_t off = 2 * f->granule + 3 * f->line;
	pid_t pid = traced_child();

	/* The page was never accessed: the line is filled and then dirty. */
	assert_int_equal(ptrace(PTRACE_POKEDATA, pid, f->map + off, 0x77L),
			 0);
	end_traced_child(pid);
	assert_int_equal(engine_sees(f, off), 0);
	assert_int_equal(count(f).missing_cleans, 1);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(engine_sees(f, off), 0x77);
	assert_int_equal(count(f).lines_cleaned, 1);
}

static void proc_mem_reads_and_writes_over_pages(void **state)
{
	struct fixture *f = *state;
	size_t off = f->granule - 100, i;
	uint8_t out[300], in[300];
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);

	assert_true(mem >= 0);
	for (i = 0; i < sizeof(out); i++)
		out[i] = i * 7 + 1;
	assert_int_equal(pwrite(mem, out, sizeof(out),
				(uintptr_t)f->map + off), sizeof(out));
	assert_int_equal(pread(mem, in, sizeof(in),
			       (uintptr_t)f->map + off), sizeof(in));
	assert_memory_equal(in, out, sizeof(in));
	assert_memory_equal(f->map + off, out, sizeof(out));
	assert_int_equal(f->map[off - 1], 0);
	assert_int_equal(f->map[off + sizeof(out)], 0);
	assert_int_equal(engine_sees(f, off), 0);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(engine_sees(f, off), out[0]);
	assert_int_equal(engine_sees(f, off + 299), out[299]);
	close(mem);
}

/* A debugger sees the same bytes as the CPU, including stale ones. */
static void proc_mem_reads_stale_bytes(void **state)
{
	struct fixture *f = *state;
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	uint8_t byte = 1;

	assert_true(mem >= 0);
	device_peek(f->map);
	device_fill(f->dev, f->fd, 0, f->len, 0x3c3c3c3c);
	assert_int_equal(pread(mem, &byte, 1, (uintptr_t)f->map), 1);
	assert_int_equal(byte, 0);
	assert_int_equal(pread(mem, &byte, 1, (uintptr_t)f->map + f->granule),
			 1);
	assert_int_equal(byte, 0x3c);
	close(mem);
}

static void process_vm_readv_is_efault(void **state)
{
	struct fixture *f = *state;
	uint8_t byte;
	struct iovec local = { .iov_base = &byte, .iov_len = 1 };
	struct iovec remote = { .iov_base = f->map, .iov_len = 1 };

	f->map[0] = 1;
	assert_int_equal(process_vm_readv(getpid(), &local, 1, &remote, 1, 0),
			 -1);
	assert_int_equal(errno, EFAULT);
}

static void vmsplice_is_efault(void **state)
{
	struct fixture *f = *state;
	struct iovec iov = { .iov_base = f->map, .iov_len = f->page };
	int ends[2];

	f->map[0] = 1;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(vmsplice(ends[1], &iov, 1, 0), -1);
	assert_int_equal(errno, EFAULT);
	close(ends[0]);
	close(ends[1]);
}

/* A lock that processes share is known by its page, which must be pinned. */
static void shared_futex_is_efault(void **state)
{
	struct fixture *f = *state;

	f->map[0] = 1;
	assert_int_equal(syscall(SYS_futex, f->map, FUTEX_WAKE, 1), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(syscall(SYS_futex, f->map, FUTEX_WAKE_PRIVATE, 1), 0);
	device_sync(f->fd, SYNC_START_RW);
	device_sync(f->fd, SYNC_END_RW);
	/* The page has no PTE now. */
	assert_int_equal(syscall(SYS_futex, f->map, FUTEX_WAIT_PRIVATE, 2,
				 NULL), -1);
	assert_int_equal(errno, EAGAIN);
}

static void direct_io_is_efault(void **state)
{
	struct fixture *f = *state;
	int disk = open("/dev/ram0", O_RDWR | O_DIRECT | O_CLOEXEC);

	if (disk < 0)
		device_skip("no /dev/ram0 (modprobe brd): %s",
			    strerror(errno));
	assert_int_equal(pread(disk, f->map, f->page, 0), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(pwrite(disk, f->map, f->page, 0), -1);
	assert_int_equal(errno, EFAULT);
	close(disk);
}

static void read_and_write_calls_take_a_map(void **state)
{
	struct fixture *f = *state;
	size_t len = f->granule + f->page / 2;
	int file = memfd_create("file", MFD_CLOEXEC);
	uint8_t *bytes = malloc(len);

	memset(bytes, 0x6b, len);
	assert_int_equal(pwrite(file, bytes, len, 0), len);
	assert_int_equal(pread(file, f->map + 10, len, 0), len);
	assert_true(device_is_filled(f->map + 10, 0x6b, len));
	assert_int_equal(f->map[9], 0);
	assert_int_equal(f->map[10 + len], 0);
	assert_int_equal(engine_sees(f, 10), 0);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(engine_sees(f, 10), 0x6b);
	assert_int_equal(engine_sees(f, 10 + len - 1), 0x6b);

	memset(f->map, 0x2d, f->len);
	assert_int_equal(pwrite(file, f->map, len, 0), len);
	assert_int_equal(pread(file, bytes, len, 0), len);
	assert_true(device_is_filled(bytes, 0x2d, len));
	free(bytes);
	close(file);
}

/*
 * Each writer counts up in its own slot while another thread cleans. If a write
 * through an old PTE, or to a page that is being cleaned, is lost, the slot has
 * a smaller number than its writer, or DRAM a smaller one than the slot.
 */
enum { NR_WRITERS = 10, NR_WRITES = 30000, NR_SLOTS = 4 };

struct hammer {
	struct fixture *f;
	size_t first;
	atomic_int *nr_running;
	uint64_t written[NR_SLOTS];
	bool has_lost;
};

static uint64_t *slot(struct fixture *f, size_t writer, size_t i)
{
	/* A writer has one slot in each page; writers share lines. */
	return (uint64_t *)(f->map + i % 2 * f->granule +
				     i / 2 * (f->granule / 2) + writer * 8);
}

static void *hammer_on(void *arg)
{
	struct hammer *h = arg;
	uint64_t n, *at;
	size_t i;

	for (n = 1; n <= NR_WRITES; n++) {
		i = n % NR_SLOTS;
		at = slot(h->f, h->first, i);
		if (__atomic_load_n(at, __ATOMIC_RELAXED) != h->written[i])
			h->has_lost = true;
		__atomic_store_n(at, n, __ATOMIC_RELAXED);
		h->written[i] = n;
	}
	atomic_fetch_sub(h->nr_running, 1);
	return NULL;
}

static void no_write_is_lost_while_another_thread_cleans(void **state)
{
	struct fixture *f = *state;
	struct hammer hammers[NR_WRITERS];
	pthread_t threads[NR_WRITERS];
	atomic_int nr_running = NR_WRITERS;
	unsigned int nr_cleans = 0;
	uint8_t *dram;
	size_t i, k;

	for (i = 0; i < NR_WRITERS; i++) {
		hammers[i] = (struct hammer) {
			.f = f,
			.first = i,
			.nr_running = &nr_running,
		};
		assert_int_equal(pthread_create(&threads[i], NULL, hammer_on,
						&hammers[i]), 0);
	}
	while (atomic_load(&nr_running)) {
		if (nr_cleans++ % 2)
			device_sync(f->fd, SYNC_END_WRITE);
		else
			device_maintain(f->dev, f->fd, HEAPSIM_MAINT_CLEAN,
					f->line * (nr_cleans % 8), f->len / 2);
	}
	for (i = 0; i < NR_WRITERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	device_sync(f->fd, SYNC_END_WRITE);
	dram = device_dram(f->dev, f->fd, f->len);
	for (i = 0; i < NR_WRITERS; i++) {
		assert_false(hammers[i].has_lost);
		for (k = 0; k < NR_SLOTS; k++)
			assert_int_equal(*slot(f, i, k),
					 hammers[i].written[k]);
	}
	assert_memory_equal(dram, f->map, f->len);
	assert_int_equal(count(f).lost_cpu_writes, 0);
	assert_int_equal(count(f).lost_device_writes, 0);
	free(dram);
}

/* The same with clean and invalidate, which writes dirty lines back. */
static void no_write_is_lost_while_another_thread_flushes(void **state)
{
	struct fixture *f = *state;
	struct hammer hammers[NR_WRITERS];
	pthread_t threads[NR_WRITERS];
	atomic_int nr_running = NR_WRITERS;
	size_t i, k;

	for (i = 0; i < NR_WRITERS; i++) {
		hammers[i] = (struct hammer) {
			.f = f,
			.first = i,
			.nr_running = &nr_running,
		};
		assert_int_equal(pthread_create(&threads[i], NULL, hammer_on,
						&hammers[i]), 0);
	}
	while (atomic_load(&nr_running))
		device_maintain(f->dev, f->fd, HEAPSIM_MAINT_CLEAN_INVALIDATE,
				0, f->len);
	for (i = 0; i < NR_WRITERS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (i = 0; i < NR_WRITERS; i++) {
		assert_false(hammers[i].has_lost);
		for (k = 0; k < NR_SLOTS; k++)
			assert_int_equal(*slot(f, i, k),
					 hammers[i].written[k]);
	}
	assert_int_equal(count(f).lost_cpu_writes, 0);
}

static int store_into_all_pages(void *arg)
{
	struct fixture *big = arg;
	size_t off;

	for (off = 0; off < big->len; off += big->page)
		big->map[off] = 1;
	return 0;
}

#define BIG_LEN		(64 * MIB)

/**
 * struct slow - a long clean, and a thread that waits for it in a fault
 * @f: fixture
 * @fd: large buffer
 * @map: mapping of @fd
 * @is_cleaning: the clean has not finished
 * @has_touched: the access of the other thread has finished
 */
struct slow {
	struct fixture *f;
	int fd;
	uint8_t *map;
	atomic_bool is_cleaning;
	atomic_bool has_touched;
};

static void *clean_all(void *arg)
{
	struct slow *slow = arg;

	device_maintain(slow->f->dev, slow->fd, HEAPSIM_MAINT_CLEAN, 0,
			BIG_LEN);
	atomic_store(&slow->is_cleaning, false);
	return NULL;
}

static void *touch_last(void *arg)
{
	struct slow *slow = arg;

	device_peek(slow->map + BIG_LEN - 1);
	atomic_store(&slow->has_touched, true);
	return NULL;
}

/* Returns true if mmap() succeeded while one thread cleaned and one waited. */
static bool maps_meanwhile(struct slow *slow)
{
	pthread_t cleaner, toucher;
	bool ret;
	void *area;
	size_t at;

	for (at = 0; at < BIG_LEN; at += slow->f->page)
		slow->map[at]++;
	atomic_store(&slow->is_cleaning, true);
	atomic_store(&slow->has_touched, false);
	assert_int_equal(pthread_create(&cleaner, NULL, clean_all, slow), 0);
	usleep(20000);
	assert_int_equal(pthread_create(&toucher, NULL, touch_last, slow), 0);
	usleep(20000);
	area = mmap(NULL, slow->f->page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ret = atomic_load(&slow->is_cleaning) &&
	      !atomic_load(&slow->has_touched);
	assert_ptr_not_equal(area, MAP_FAILED);
	munmap(area, slow->f->page);
	pthread_join(cleaner, NULL);
	pthread_join(toucher, NULL);
	return ret;
}

/* A fault that waits for a buffer does not stop the process's other threads. */
/* Revoking a page's PTEs walks all areas that map it, so they are limited. */
static void areas_are_limited(void **state)
{
	struct fixture *f = *state;
	uint8_t *first = device_map(f->fd, 3 * f->page), **at;
	size_t nr = 0, i;

	at = calloc(MOST_AREAS, sizeof(*at));
	assert_non_null(at);
	for (;;) {
		at[nr] = mmap(NULL, f->page, PROT_READ | PROT_WRITE, MAP_SHARED,
			      f->fd, 0);
		if (at[nr] == MAP_FAILED)
			break;
		assert_true(++nr < MOST_AREAS);
	}
	assert_int_equal(errno, ENOMEM);
	/* The fixture's area and the first one count, too. */
	assert_int_equal(nr + 2, MOST_AREAS);
	/* mprotect() of the middle page would split one area into three. */
	assert_int_equal(mprotect(first + f->page, f->page, PROT_READ), -1);
	assert_int_equal(errno, ENOMEM);
	device_unmap(at[--nr], f->page);
	device_unmap(at[--nr], f->page);
	assert_int_equal(mprotect(first + f->page, f->page, PROT_READ), 0);
	for (i = 0; i < nr; i++)
		device_unmap(at[i], f->page);
	device_unmap(first, 3 * f->page);
	for (i = 0; i < 3; i++)
		device_unmap(device_map(f->fd, f->page), f->page);
	free(at);
}

static bool area_is_mapped(const uint8_t *area, size_t page)
{
	return !msync((void *)area, page, MS_ASYNC);
}

/* The child keeps @area, if it inherits it, until it is killed. */
static pid_t fork_with(const uint8_t *area, size_t page, bool *is_mapped)
{
	int told[2];
	char answer;
	pid_t pid;

	assert_int_equal(pipe(told), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		answer = area_is_mapped(area, page);
		if (write(told[1], &answer, 1) == 1)
			pause();
		_exit(1);
	}
	close(told[1]);
	assert_int_equal(read(told[0], &answer, 1), 1);
	close(told[0]);
	*is_mapped = answer;
	return pid;
}

#define MOST_FORKED	65536

static void areas_of_children_are_limited(void **state)
{
	const size_t most = MOST_FORKED / MOST_AREAS;
	struct fixture *f = *state;
	pid_t children[2 * MOST_FORKED / MOST_AREAS];
	uint8_t **at;
	size_t nr, i;
	bool is_mapped;

	if (device_has_kasan())
		device_skip("KASAN needs many minutes for 65536 mappings");
	at = calloc(MOST_AREAS, sizeof(*at));
	assert_non_null(at);
	/* That of the fixture is there besides. */
	for (nr = 0; nr < MOST_AREAS - 1; nr++)
		at[nr] = device_map(f->fd, f->page);
	for (i = 0; i < ARRAY_SIZE(children); i++) {
		children[i] = fork_with(at[0], f->page, &is_mapped);
		assert_int_equal(is_mapped, i < most);
	}
	for (i = 0; i < ARRAY_SIZE(children); i++) {
		kill(children[i], SIGKILL);
		assert_int_equal(waitpid(children[i], NULL, 0), children[i]);
	}
	for (i = 0; i < nr; i++)
		device_unmap(at[i], f->page);
	at[0] = device_map(f->fd, f->page);
	children[0] = fork_with(at[0], f->page, &is_mapped);
	device_unmap(at[0], f->page);
	assert_true(is_mapped);
	kill(children[0], SIGKILL);
	assert_int_equal(waitpid(children[0], NULL, 0), children[0]);
	free(at);
}

/* A fault that waits for a buffer does not stop the process's other threads. */
static void areas_change_while_a_fault_waits(void **state)
{
	struct slow slow = { .f = *state };
	bool ret = false;
	unsigned int i;

	slow.fd = device_alloc(slow.f->dev, HEAPSIM_KIND_NONCOHERENT, BIG_LEN);
	slow.map = device_map(slow.fd, BIG_LEN);
	for (i = 0; i < 20 && !ret; i++)
		ret = maps_meanwhile(&slow);
	assert_true(ret);
	device_unmap(slow.map, BIG_LEN);
	close(slow.fd);
}

/* A page that the CPU stores to needs a second page, and a copy a third. */
static void buffer_without_memory_for_its_views_is_enomem(void **state)
{
	const size_t len = device_meminfo("MemAvailable") / 10 * 4 / MIB * MIB;
	struct fixture *f = *state;
	int fd;

	assert_int_equal(device_alloc_errno(f->dev, HEAPSIM_KIND_NONCOHERENT,
					    len, O_RDWR), -ENOMEM);
	fd = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, len);
	close(fd);
}

/* Other programs may use up the memory after the buffer was allocated. */
static void store_that_memory_is_short_for_is_sigbus(void **state)
{
	struct fixture *f = *state;
	struct fixture big = *f;
	size_t others;
	void *hog;

	big.len = device_meminfo("MemAvailable") / 10 * 2 / MIB * MIB;
	big.fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, big.len);
	big.map = device_map(big.fd, big.len);
	big.map[0] = 2;
	others = device_meminfo("MemAvailable") - big.len / 2;
	hog = mmap(NULL, others, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	assert_ptr_not_equal(hog, MAP_FAILED);
	assert_int_equal(device_in_child(store_into_all_pages, &big), -SIGBUS);
	munmap(hog, others);
	assert_int_equal(device_peek(big.map), 1);
	/*
	 * A clean needs no memory, nor does a page that was stored to before.
	 */
	device_sync(big.fd, SYNC_END_WRITE);
	big.map[0] = 2;
	device_unmap(big.map, big.len);
	close(big.fd);
	assert_int_equal(device_signal_of_write(f->map), 0);
}

/* On kinds with one view all writes are visible at once, and none counts. */
static void one_view_needs_no_sync(void **state)
{
	static const struct heapsim_counters none;
	struct heapsim_counters counters;
	struct fixture *f = *state;
	int round;

	for (round = 1; round < 8; round++) {
		f->map[100] = round;
		assert_int_equal(engine_sees(f, 100), round);
		device_fill(f->dev, f->fd, 0, f->len, 0x01010101 * round);
		assert_true(device_is_filled(f->map, round, f->len));
		device_sync(f->fd, SYNC_START_READ);
		device_sync(f->fd, SYNC_END_RW);
		device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, 0,
				f->len);
		assert_true(device_is_filled(f->map, round, f->len));
	}
	counters = count(f);
	assert_memory_equal(&counters, &none, sizeof(none));
	assert_int_equal(device_buf_info(f->dev, f->fd).has_two_views, 0);
}

static void one_view_stays_mapped_when_it_is_revoked(void **state)
{
	struct fixture *f = *state;

	f->map[0] = 1;
	device_revoke(f->dev, f->fd);
	assert_int_equal(device_signal_of_read(f->map), 0);
	assert_int_equal(f->map[0], 1);
}

static void one_view_is_seen_by_debuggers(void **state)
{
	struct fixture *f = *state;
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	uint8_t byte = 0x7e;

	assert_true(mem >= 0);
	assert_int_equal(pwrite(mem, &byte, 1, (uintptr_t)f->map + f->page),
			 1);
	assert_int_equal(f->map[f->page], 0x7e);
	assert_int_equal(engine_sees(f, f->page), 0x7e);
	f->map[1] = 0x55;
	assert_int_equal(pread(mem, &byte, 1, (uintptr_t)f->map + 1), 1);
	assert_int_equal(byte, 0x55);
	close(mem);
}

#ifndef __x86_64__
/* Without write-combining there is one cached view, and probe reports this. */
static void no_write_combining_is_offered(void **state)
{
	struct fixture *f = *state;

	assert_false(device_probe(f->dev).features &
		     HEAPSIM_FEATURE_WRITE_COMBINE);
}
#else
/*
 * x86 stores the memory type of a RAM page in its flags, which kpageflags
 * shows: write-combining is KPF_ARCH (bit 38) without KPF_UNCACHED (39). The
 * file pat_memtype_list does not list RAM.
 */
static size_t nr_write_combined_pages(void)
{
	enum { NR = 4096 };
	uint64_t *flags = calloc(NR, sizeof(*flags));
	int file = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	size_t nr = 0;
	ssize_t got, i;

	assert_true(file >= 0);
	while ((got = read(file, flags, NR * sizeof(*flags))) > 0)
		for (i = 0; i < got / (ssize_t)sizeof(*flags); i++)
			if ((flags[i] >> 38 & 3) == 1)
				nr++;
	assert_int_equal(got, 0);
	close(file);
	free(flags);
	return nr;
}

static void uncached_memory_is_write_combined(void **state)
{
	struct fixture *f = *state;
	size_t len = 32 * MIB, pages = len / f->page, before, during, after;
	int fd;

	if (!(device_probe(f->dev).features & HEAPSIM_FEATURE_WRITE_COMBINE))
		device_skip("the module has no write-combining here");
	before = nr_write_combined_pages();
	fd = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, len);
	assert_true(nr_write_combined_pages() < before + pages / 2);
	close(fd);
	fd = device_alloc(f->dev, HEAPSIM_KIND_UNCACHED, len);
	during = nr_write_combined_pages();
	assert_true(during >= pages);
	close(fd);
	after = nr_write_combined_pages();
	assert_true(after <= during);
}

/* Without PAT (nopat), a kernel uses uncached memory for write-combining. */
static void x86_with_pat_offers_write_combining(void **state)
{
	struct fixture *f = *state;
	bool is_offered = device_probe(f->dev).features &
			  HEAPSIM_FEATURE_WRITE_COMBINE;

	if (access("/sys/kernel/debug/x86", F_OK))
		device_skip("no debugfs to ask whether there is PAT");
	assert_int_equal(is_offered,
			 !access("/sys/kernel/debug/x86/pat_memtype_list",
				 F_OK));
}
#endif

int main(void)
{
#define TEST(fn)	\
	cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
#define ON(fn, kind) \
	{ #kind ": " #fn, fn, setup_##kind, fixture_teardown, NULL }
	static const struct CMUnitTest tests[] = {
		TEST(engine_write_leaves_cached_lines_stale),
		TEST(stale_read_is_counted_once_a_fault),
		TEST(staleness_is_to_the_line),
		TEST(engine_write_of_part_of_a_line_makes_it_stale),
		TEST(engine_reads_old_bytes_until_end),
		TEST(engine_misses_exactly_the_dirty_lines),
		TEST(start_write_maintains_nothing),
		TEST(start_rw_takes_in),
		TEST(end_read_maintains_nothing),
		TEST(start_read_writes_dirty_lines_back_that_are_not_stale),
		TEST(start_read_drops_dirty_lines_that_are_stale),
		TEST(start_read_keeps_what_an_open_write_bracket_wrote),
		TEST(range_list_is_maintained_in_order),
		TEST(range_list_says_where_it_stopped),
		TEST(thousand_ranges_are_one_call),
		TEST(invalidate_of_part_of_a_line_keeps_the_rest),
		TEST(invalidate_loses_what_the_cpu_wrote),
		TEST(clean_overwrites_what_an_engine_wrote),
		TEST(rewriting_a_recycled_frame_loses_nothing),
		TEST(rewriting_a_recycled_frame_may_change_no_byte),
		TEST(rewriting_some_lines_leaves_the_others_as_they_were),
		TEST(rewriting_a_part_of_a_line_loses_the_rest),
		TEST(a_line_may_be_rewritten_by_two_processes),
		TEST(a_part_of_a_line_may_be_cleaned_in_the_bracket),
		TEST(old_bytes_are_read_beside_what_is_rewritten),
		TEST(a_bracket_for_writing_alone_counts_beside_others),
#ifdef __x86_64__
		TEST(an_instruction_may_read_and_store_a_recycled_page),
#endif
		TEST(end_without_start_is_counted_and_cleans),
		TEST(process_that_ends_without_end_is_counted),
		TEST(bracket_of_a_process_is_its_own),
		TEST(redundant_maintenance_is_counted),
		TEST(read_of_equal_bytes_that_an_engine_wrote_is_possible),
		TEST(revoke_changes_no_byte_and_no_counter),
		TEST(stores_in_a_row_dirty_just_their_lines),
		TEST(pages_of_a_row_are_theirs_who_store),
		TEST(first_store_shows_no_byte_of_others),
		TEST(first_store_after_a_take_in_keeps_the_page),
		TEST(pages_of_a_freed_buffer_are_zeroed),
		TEST(sync_of_an_unmapped_buffer_is_good),
		TEST(two_maps_share_the_cpu_view),
		TEST(processes_share_the_cpu_view),
		TEST(copy_to_a_cached_target_leaves_its_lines_stale),
		TEST(ptrace_reads_and_writes_the_cpu_view),
		TEST(ptrace_write_dirties_the_line),
		TEST(proc_mem_reads_and_writes_over_pages),
		TEST(proc_mem_reads_stale_bytes),
		TEST(process_vm_readv_is_efault),
		TEST(vmsplice_is_efault),
		TEST(shared_futex_is_efault),
		TEST(direct_io_is_efault),
		TEST(read_and_write_calls_take_a_map),
		TEST(no_write_is_lost_while_another_thread_cleans),
		TEST(no_write_is_lost_while_another_thread_flushes),
		TEST(areas_are_limited),
		TEST(areas_of_children_are_limited),
		TEST(areas_change_while_a_fault_waits),
		TEST(buffer_without_memory_for_its_views_is_enomem),
		TEST(store_that_memory_is_short_for_is_sigbus),
		ON(one_view_needs_no_sync, coherent),
		ON(one_view_stays_mapped_when_it_is_revoked, coherent),
		ON(one_view_is_seen_by_debuggers, coherent),
		ON(one_view_needs_no_sync, uncached),
		ON(one_view_stays_mapped_when_it_is_revoked, uncached),
		ON(one_view_is_seen_by_debuggers, uncached),
#ifndef __x86_64__
		ON(no_write_combining_is_offered, uncached),
#else
		ON(uncached_memory_is_write_combined, uncached),
		ON(x86_with_pat_offers_write_combining, uncached),
#endif
	};

	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
