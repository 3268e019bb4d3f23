// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two frames in managed memory, each with a stream: while the GPU inverts one,
 * the CPU checks and draws the other. See README.rst.
 *
 * two-frames [global | early | mixed]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libmem.h>

#define LEN		(16 << 10)
#define NR_DRAWN	8
#define CHECK(call)	check(call, #call)

struct frame {
	struct mem_stream *stream;
	uint8_t *pixels;
};

struct invert_args {
	uint8_t *pixels;
};

/* Ends the program at the first call that fails. */
static void check(int ret, const char *call)
{
	if (ret >= 0)
		return;
	fprintf(stderr, "%s: %s\n", call, strerror(-ret));
	exit(EXIT_FAILURE);
}

/* Runs on the GPU, once for each block. */
static void invert(const struct mem_block *block, void *arg)
{
	const struct invert_args *args = arg;
	uint32_t i;

	for (i = block->index[0]; i < LEN; i += block->grid[0])
		args->pixels[i] = 255 - args->pixels[i];
}

static void frame_create(struct mem_ctx *ctx, unsigned int attach,
			 const char *name, struct frame *frame)
{
	void *ptr;

	CHECK(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
				&frame->stream));
	CHECK(mem_alloc(ctx, MEM_KIND_MANAGED, LEN, MEM_ATTACH_HOST, &ptr));
	CHECK(mem_set_name(ctx, ptr, name));
	CHECK(mem_stream_attach(frame->stream, ptr, 0, attach));
	/* The attach takes effect when the host has waited for it. */
	CHECK(mem_stream_sync(frame->stream));
	frame->pixels = ptr;
}

static void frame_destroy(struct mem_ctx *ctx, struct frame *frame)
{
	CHECK(mem_free(ctx, frame->pixels));
	mem_stream_destroy(frame->stream);
}

static void frame_draw(struct frame *frame, uint8_t value)
{
	int i;

	for (i = 0; i < LEN; i++)
		frame->pixels[i] = value;	/* DRAW */
}

static int frame_is_wrong(const struct frame *frame, uint8_t value)
{
	int i, nr_wrong = 0;

	for (i = 0; i < LEN; i++)
		nr_wrong += frame->pixels[i] != value;	/* READ */
	return nr_wrong != 0;
}

static void invert_submit(struct mem_stream *stream, struct frame *frame)
{
	const struct invert_args args = { frame->pixels };
	const struct mem_launch launch = {
		.size = sizeof(launch),
		.kernel = invert,
		.grid = { 8, 1, 1 },
		.block = { 1, 1, 1 },
		.args = &args,
		.args_len = sizeof(args),
	};

	CHECK(mem_launch(stream, &launch));	/* LAUNCH */
}

static void cost_print(struct mem_ctx *ctx, const struct frame *frame)
{
	struct mem_attach_counters count = { .size = sizeof(count) };

	CHECK(mem_ptr_attach_counters(ctx, frame->pixels, &count));
	printf("CPU cache: %llu KiB cleaned, %llu KiB invalidated\n",
	       (unsigned long long)count.cleaned_bytes / 1024,
	       (unsigned long long)count.cpu_invalidated_bytes / 1024);
}

int main(int argc, char **argv)
{
	const char *mistake = argc > 1 ? argv[1] : "";
	const unsigned int attach = strcmp(mistake, "global") ?
		MEM_ATTACH_SINGLE : MEM_ATTACH_GLOBAL;
	const int is_early = !strcmp(mistake, "early");
	const int is_mixed = !strcmp(mistake, "mixed");
	struct frame frames[2], *frame;
	struct mem_ctx *ctx;
	int i, nr_wrong = 0;

	CHECK(mem_ctx_open(NULL, &ctx));
	frame_create(ctx, attach, "even", &frames[0]);
	frame_create(ctx, attach, "odd", &frames[1]);
	for (i = 0; i < NR_DRAWN; i++) {
		frame = &frames[i % 2];
		/* The frame that was drawn two turns ago is done. */
		if (!is_early)
			CHECK(mem_stream_sync(frame->stream));
		if (i >= 2)
			nr_wrong += frame_is_wrong(frame, 255 - (i - 2));
		frame_draw(frame, i);
		invert_submit(is_mixed ? frames[0].stream : frame->stream,
			      frame);
	}
	for (i = NR_DRAWN - 2; i < NR_DRAWN; i++) {
		frame = &frames[i % 2];
		CHECK(mem_stream_sync(frame->stream));
		nr_wrong += frame_is_wrong(frame, 255 - i);
	}
	printf("%d of %d frames are wrong\n", nr_wrong, NR_DRAWN);
	cost_print(ctx, &frames[0]);
	frame_destroy(ctx, &frames[0]);
	frame_destroy(ctx, &frames[1]);
	mem_ctx_close(ctx);
	return nr_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
