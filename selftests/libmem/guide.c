// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls the functions of Documentation/porting.rst, which guide_test collects
 * in guide.h, on the board in LIBMEM_SOC. The results must be right and nothing
 * may be reported. Prints TAP.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <guide.h>

static struct mem_ctx *ctx;
static int nr_tests;
static bool has_failed;

/* Reports a test, which also fails if a violation was reported. */
static void test(const char *name, bool is_right)
{
	struct mem_violation v = { .size = sizeof(v) };

	while (mem_ctx_next_violation(ctx, &v) == 1) {
		printf("# %s\n", mem_violation_name(v.kind));
		is_right = false;
	}
	printf("%sok %d - %s\n", is_right ? "" : "not ", ++nr_tests, name);
	has_failed |= !is_right;
}

static uint32_t *managed(void)
{
	void *ptr;
	uint32_t i;

	if (mem_alloc(ctx, MEM_KIND_MANAGED, LEN, MEM_ATTACH_GLOBAL, &ptr))
		exit(1);
	for (i = 0; i < NR; i++)
		((uint32_t *)ptr)[i] = 9;
	return ptr;
}

static void kinds(void)
{
	const bool snoops = is_io_coherent(ctx);

	test("kind_for", kind_for(ctx, 0, LEN, 1) == MEM_KIND_DEVICE &&
	     kind_for(ctx, 1, 64, 1) == MEM_KIND_PINNED &&
	     kind_for(ctx, 1, LEN, 0) ==
	     (snoops ? MEM_KIND_PINNED : MEM_KIND_MANAGED) &&
	     kind_for(ctx, 1, LEN, 1) == MEM_KIND_MANAGED);
}

static void of_stream(struct mem_stream *stream)
{
	uint32_t *data = managed(), *own, first;

	test("two_kernels", !two_kernels(ctx, stream, data) && data[7] == 11);
	test("run_and_read", !run_and_read(stream, data, &first) &&
	     first == 12);
	test("gpu_cpu_gpu", !gpu_cpu_gpu(stream, data) && data[1] == 7);
	test("of_one_stream", !of_one_stream(ctx, stream, &own) &&
	     !run_and_read(stream, own, &first) && first == own[0]);
	mem_free(ctx, own);
	mem_free(ctx, data);
}

static void registered(struct mem_stream *stream)
{
	uint32_t *host = aligned_alloc(4096, LEN), *to = managed();
	void *device = NULL;

	memset(host, 0, LEN);
	test("reach", !reach(ctx, host, LEN, &device) &&
	     !launch(stream, to, device) && !mem_stream_sync(stream) &&
	     to[NR - 1] == 1);
	if (mem_unregister(ctx, host))
		mem_free(ctx, device);
	mem_free(ctx, to);
	free(host);
}

int main(void)
{
	struct mem_stream *stream;
	uint32_t word;

	if (mem_ctx_open(NULL, &ctx) ||
	    mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 100) ||
	    mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0, &stream))
		return 1;
	test("one_buffer", !one_buffer(ctx, &word) &&
	     word == NR * (NR + 1) / 2);
	kinds();
	of_stream(stream);
	test("with_hints", !with_hints(ctx, &word) && word == 1);
	registered(stream);
	test("for_low_latency", !for_low_latency(ctx));
	mem_stream_destroy(stream);
	mem_ctx_close(ctx);
	printf("1..%d\n", nr_tests);
	return has_failed;
}
