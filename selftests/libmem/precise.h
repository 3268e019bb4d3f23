/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by tests of precise tracking: a buffer, and single accesses to it */
#ifndef _LIBMEM_TEST_PRECISE_H
#define _LIBMEM_TEST_PRECISE_H

#include "test.h"

#define PAGE		4096UL
#define NR_PAGES	4
#define FLAG_TRAP	0x100

/**
 * struct fixture - a buffer with two views that is tracked precisely
 * @buf: buffer
 * @map: its address
 * @line: line size of the board, bytes
 */
struct fixture {
	struct mem_buf *buf;
	uint8_t *map;
	size_t line;
};

static inline int open_precise(void **state)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.precise = 1,
	};

	int err;

	(void)state;
	err = mem_ctx_open(&options, &ctx);
	return err ? err : mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 256);
}

static inline int make_fixture(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT,
				       NR_PAGES * PAGE, NULL, &f->buf), 0);
	f->map = map_buf(f->buf);
	f->line = line_size();
	*state = f;
	return 0;
}

static inline int free_fixture(void **state)
{
	struct fixture *f = *state;

	mem_buf_unmap(f->buf);
	mem_buf_destroy(f->buf);
	free(f);
	return 0;
}

static inline uint64_t stale_reads(const struct fixture *f)
{
	return count_of(f->buf).stale_reads;
}

static inline uint64_t missing_cleans(const struct fixture *f)
{
	return count_of(f->buf).missing_cleans;
}

static inline uint8_t load(const uint8_t *at)
{
	uint8_t byte;

	__asm__ volatile("movb (%1), %0" : "=q"(byte) : "r"(at) : "memory");
	return byte;
}

static inline void store(uint8_t *at, uint8_t byte)
{
	__asm__ volatile("movb %0, (%1)" : : "q"(byte), "r"(at) : "memory");
}

static inline uint64_t load_8(const void *at)
{
	uint64_t value;

	__asm__ volatile("movq (%1), %0" : "=r"(value) : "r"(at) : "memory");
	return value;
}

static inline void fill_range(const struct fixture *f, uint64_t off,
			      uint64_t len, uint32_t pattern)
{
	struct mem_job *job;

	assert_int_equal(mem_job_fill(f->buf, off, len, pattern, &job), 0);
	finish_job(job);
}

/* Engines read, so Dirty lines are missing cleans. */
static inline void read_range(const struct fixture *f, uint64_t off,
			      uint64_t len)
{
	struct mem_job *job;

	assert_int_equal(mem_job_checksum(f->buf, off, len, &job), 0);
	finish_job(job);
}

/* Fills the cache, then lets an engine write line @line. */
static inline void make_stale(const struct fixture *f, size_t line)
{
	load(f->map);
	fill_range(f, line * f->line, f->line, 0x5a5a5a5a);
}

#endif
