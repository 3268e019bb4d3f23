/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by tests of streams and of memory by its address: a context with a
 * stream, kernels, and accesses that may be refused.
 */
#ifndef _LIBMEM_STREAM_H
#define _LIBMEM_STREAM_H

#include "test.h"
#include "touch.h"

#define N		(LEN / sizeof(uint32_t))
#define VALUE		0x1234567U

static struct mem_stream *stream;

/* Kernels run in other processes, whose accesses are checked. */
static bool has_processes;

static inline bool is_coherent(void)
{
	struct mem_probe probe = { .size = sizeof(probe) };

	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	return probe.io_coherent;
}

/* Returns true if CPU and GPU may access managed memory at any time. */
static inline bool is_concurrent(void)
{
	struct mem_probe probe = { .size = sizeof(probe) };

	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	return !strcmp(probe.soc, "thor");
}

static inline int open_with(enum mem_policy policy)
{
	struct mem_ctx_options options = {
		.size = sizeof(options),
		.policy = policy,
	};

	if (mem_ctx_open(&options, &ctx) ||
	    mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 1000))
		return -1;
	has_processes = engine_pid_of(ctx) != getpid();
	return mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0, &stream);
}

static inline int open_strict(void **state)
{
	(void)state;
	return open_with(MEM_POLICY_STRICT);
}

static inline int open_record(void **state)
{
	(void)state;
	return open_with(MEM_POLICY_RECORD);
}

static inline int close_all(void **state)
{
	mem_stream_destroy(stream);
	return close_ctx(state);
}

/* Returns how many violations of a kind there are; others are an error. */
static inline uint64_t found(enum mem_violation_kind kind)
{
	struct mem_violation v = { .size = sizeof(v) };
	uint64_t nr = 0;

	while (mem_ctx_next_violation(ctx, &v) == 1) {
		assert_string_equal(mem_violation_name(v.kind),
				    mem_violation_name(kind));
		nr += v.count;
	}
	return nr;
}

static inline void nothing_found(void)
{
	assert_int_equal(found(MEM_VIOLATION_DROPPED), 0);
}

static inline uint32_t *managed(unsigned int how)
{
	void *ptr;

	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, LEN, how, &ptr), 0);
	return ptr;
}

static inline uint32_t *memory(enum mem_kind kind)
{
	void *ptr;

	assert_int_equal(mem_alloc(ctx, kind, LEN, kind == MEM_KIND_MANAGED ?
				   MEM_ATTACH_GLOBAL : 0, &ptr), 0);
	return ptr;
}

static inline void release(void *ptr)
{
	assert_int_equal(mem_free(ctx, ptr), 0);
}

/* Kernels */

struct args {
	uint32_t *to;
	const uint32_t *from;
	uint32_t nr;
	uint32_t value;
};

static inline void k_add(const struct mem_block *block, void *arg)
{
	const struct args *args = arg;
	uint32_t i;

	for (i = block->index[0]; i < args->nr; i += block->grid[0])
		args->to[i] = args->from[i] + args->value;
}

/* How long a kernel waits at most, which is far longer than tests need */
#define MOST_HELD_UP_NS	(40000 * NS_PER_MS)

/* Sets the second word, and waits until the first one is set. */
static inline void k_wait_for(const struct mem_block *block, void *arg)
{
	uint32_t *words = *(uint32_t **)arg;
	const uint64_t end = now_ns() + MOST_HELD_UP_NS;

	(void)block;
	__atomic_store_n(&words[1], 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&words[0], __ATOMIC_ACQUIRE) && now_ns() < end)
		;
}

static inline void start(struct mem_stream *where, mem_kernel kernel,
			 const void *args, uint32_t len)
{
	const struct mem_launch launch = launch_of(kernel, args, len);

	assert_int_equal(mem_launch(where, &launch), 0);
}

static inline void start_add(struct mem_stream *where, uint32_t *to,
			     const uint32_t *from, uint32_t value)
{
	const struct args args = { to, from, N, value };
	struct mem_launch launch = launch_of(k_add, &args, sizeof(args));

	launch.grid[0] = 4;
	assert_int_equal(mem_launch(where, &launch), 0);
}

static inline void sync_stream(void)
{
	assert_int_equal(mem_stream_sync(stream), 0);
}

static inline void all_are(const uint32_t *words, uint32_t value)
{
	size_t i;

	for (i = 0; i < N; i++)
		if (words[i] != value)
			fail_msg("word %zu is %#x, not %#x", i, words[i],
				 value);
}

static inline void set_all(uint32_t *words, uint32_t value)
{
	size_t i;

	for (i = 0; i < N; i++)
		words[i] = value;
}

/* A kernel waits for the first of these words of pinned memory. */
struct gate {
	uint32_t *word;
};

static inline struct gate hold_up(struct mem_stream *where)
{
	struct gate gate = { memory(MEM_KIND_PINNED) };
	struct mem_launch launch = launch_of(k_wait_for, &gate.word,
					     sizeof(gate.word));

	gate.word[0] = 0;
	gate.word[1] = 0;
	launch.timeout_ns = 2 * MOST_HELD_UP_NS;
	assert_int_equal(mem_launch(where, &launch), 0);
	return gate;
}

/* Waits until the kernel of the gate runs. */
static inline void gate_begins(struct gate gate)
{
	const uint64_t end = now_ns() + MOST_HELD_UP_NS / 2;

	while (!__atomic_load_n(&gate.word[1], __ATOMIC_ACQUIRE)) {
		assert_true(now_ns() < end);
		usleep(100);
	}
}

static inline void let_go(struct gate gate)
{
	__atomic_store_n(gate.word, 1, __ATOMIC_RELEASE);
}

/* Counts maintenance for the buffer of @ptr; NULL: of all buffers. */
static inline struct mem_attach_counters counters(const void *ptr)
{
	struct mem_attach_counters count = { .size = sizeof(count) };

	assert_int_equal(mem_ptr_attach_counters(ctx, ptr, &count), 0);
	return count;
}

static inline void is_refused(uint32_t *word)
{
	assert_int_equal(touch(word, false), is_concurrent() ? 0 : SIGBUS);
	assert_int_equal(touch(word, true), is_concurrent() ? 0 : SIGBUS);
	assert_int_equal(found(MEM_VIOLATION_CPU_WHILE_ACTIVE),
			 is_concurrent() ? 0 : 2);
}

static inline void is_allowed(uint32_t *word)
{
	assert_int_equal(touch(word, false), 0);
	assert_int_equal(touch(word, true), 0);
	nothing_found();
}

#endif
