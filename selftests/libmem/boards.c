// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out properties of boards from what libmem does on them: the columns of
 * the table in Documentation/libmem.rst. Prints a line for each board that is
 * named.
 */
#include <errno.h>
#include <libmem.h>
#include <stdio.h>
#include <stdlib.h>

static struct mem_ctx *ctx;
static struct mem_stream *stream;

static void nothing(const struct mem_block *block, void *arg)
{
	(void)block;
	(void)arg;
}

static int start(uint32_t engine)
{
	const struct mem_launch launch = {
		.size = sizeof(launch),
		.engine = engine,
		.kernel = nothing,
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
	};

	return mem_launch(stream, &launch);
}

static const char *yes(int is)
{
	return is ? "yes" : "no";
}

static void show_memory(void)
{
	struct mem_probe probe = { .size = sizeof(probe) };
	struct mem_buf_info info = { .size = sizeof(info) };
	struct mem_attach_counters count = { .size = sizeof(count) };
	void *host = aligned_alloc(4096, 4096);
	volatile char *touched;
	void *ptr;
	int err;

	if (mem_ctx_probe(ctx, &probe) ||
	    mem_alloc(ctx, MEM_KIND_MANAGED, 4096, MEM_ATTACH_GLOBAL, &ptr) ||
	    mem_ptr_buf_info(ctx, ptr, &info) || start(MEM_ENGINE_GPU))
		exit(1);
	touched = ptr;
	touched[0] = 1;
	if (mem_ptr_attach_counters(ctx, ptr, &count))
		exit(1);
	err = mem_register(ctx, host, 4096, 0);
	if (!err)
		err = mem_unregister(ctx, host);
	printf("%s %s %s %s", yes(probe.io_coherent),
	       info.has_two_views ? "two" : "one",
	       yes(!count.cpu_while_active), yes(!err));
	mem_free(ctx, ptr);
	free(host);
}

int main(int argc, char **argv)
{
	static const char *const engines[] = {
		"gpu", "pva", "vic", "dgpu",
	};
	struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
		.policy = MEM_POLICY_RECORD,
	};
	uint32_t e;
	int i;

	for (i = 1; i < argc; i++) {
		snprintf(options.soc, sizeof(options.soc), "%s", argv[i]);
		if (mem_ctx_open(&options, &ctx))
			return 1;
		stream = mem_stream_legacy(ctx);
		printf("%s ", argv[i]);
		show_memory();
		for (e = 0; e <= MEM_ENGINE_DGPU; e++)
			if (!start(e))
				printf(" %s", engines[e]);
		putchar('\n');
		mem_ctx_close(ctx);
	}
	return 0;
}
