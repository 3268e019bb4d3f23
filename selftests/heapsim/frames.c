// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose consumer makes one mistake with frames of a pipe, for the
 * tests of `heapsim run`. The first argument names the mistake; with the prefix
 * "right-" the program does the same without it. The second argument says where
 * the producer is: in the "same" context, in an "other" one, or in another
 * "process". Lines that a test searches for have a mark.
 */
#include <err.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libmem.h>

#define WIDTH	256
#define HEIGHT	64
#define LEN	(WIDTH * HEIGHT)
#define NR	3
#define NR_ROUNDS 30
#define WAIT_NS	(30 * 1000000000ULL)

enum where { SAME, OTHER, PROCESS };

static enum where where;
/* The mistake is not made. */
static int is_right;
/* Of the consumer */
static struct mem_ctx *ctx;
static struct mem_stream *stream;
static struct mem_pipe *frames;
static struct mem_pipe_end *consumer;
/* Of the producer */
static struct mem_ctx *from;
static struct mem_stream *from_stream;
static struct mem_pipe_end *producer;
static pid_t pid;
/* Newest frame that was acquired */
static uint64_t newest;

static void check(int ret, const char *what)
{
	if (ret < 0)
		errx(3, "%s: %s", what, strerror(-ret));
}

#define CHECK(call)	check(call, #call)

struct args {
	uint8_t *at;
	uint8_t *to;
	uint8_t value;
};

/* The engine reads the whole frame, and stores its sum. */
static void k_sum(const struct mem_block *block, void *arg)
{
	const struct args *args = arg;
	uint8_t sum = 0;
	size_t i;

	(void)block;
	for (i = 0; i < LEN; i++)
		sum += args->at[i]; /* SUM */
	*args->to = sum;
}

static void k_store(const struct mem_block *block, void *arg)
{
	const struct args *args = arg;
	uint8_t *at = args->at;

	(void)block;
	/* A page that was read may already be accessible. */
	at += 2 * WIDTH + 5;
	*at = (uint8_t)(*at + args->value); /* STORE */
}

static void k_fill(const struct mem_block *block, void *arg)
{
	const struct args *args = arg;

	(void)block;
	memset(args->at, args->value, LEN);
}

__attribute__((noinline, noclone))
static void launch(struct mem_stream *in, mem_kernel kernel, uint8_t *at,
		   uint8_t *to, uint8_t value)
{
	const struct args args = { at, to, value };
	const struct mem_launch launch = {
		.size = sizeof(launch),
		.kernel = kernel,
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
		.args = &args,
		.args_len = sizeof(args),
	};

	CHECK(mem_launch(in, &launch)); /* LAUNCH */
}

/* Memory that both ends can use */
static uint8_t *new_plane(void)
{
	struct mem_buf *buf;
	void *base;

	if (where == SAME) {
		CHECK(mem_alloc(from, MEM_KIND_DEVICE, LEN, 0, &base));
	} else {
		CHECK(mem_buf_alloc(from, MEM_KIND_UNCACHED, LEN, 0, &buf));
		CHECK(mem_buf_device_ptr(buf, &base));
	}
	return base;
}

static struct mem_image *new_image(void)
{
	struct mem_image *image;

	CHECK(mem_image_create(from, WIDTH, HEIGHT, MEM_FORMAT_U8, 0, &image));
	CHECK(mem_image_set_name(image, "frame"));
	return image;
}

static struct mem_frame frame_of(uint8_t *base)
{
	struct mem_frame frame = { .size = sizeof(frame), .nr_planes = 1 };

	frame.planes[0] = (struct mem_plane) {
		.width = WIDTH,
		.height = HEIGHT,
		.pixel_len = 1,
		.pitch = WIDTH,
		.base = base,
	};
	return frame;
}

/* A frame of the producer: an image, or a plane that its engine fills. */
static void present(struct mem_frame *frame, uint8_t value)
{
	const double values[3] = { value };

	if (frame->image)
		CHECK(mem_image_fill(from_stream, MEM_ENGINE_GPU, frame->image,
				     values, 1));
	else
		launch(from_stream, k_fill, frame->planes[0].base, NULL, value);
	CHECK(mem_pipe_present(producer, frame, from_stream, WAIT_NS));
}

static void get_back(struct mem_frame *frame)
{
	frame->size = sizeof(*frame);
	CHECK(mem_pipe_return(producer, from_stream, WAIT_NS, frame));
}

static void acquire(struct mem_frame *frame, uint64_t timeout_ns)
{
	*frame = (struct mem_frame) { .size = sizeof(*frame) };
	CHECK(mem_pipe_acquire(consumer, stream, timeout_ns, /* ACQUIRE */
			       frame));
	newest = frame->number;
}

static void release(const struct mem_frame *frame)
{
	CHECK(mem_pipe_release(consumer, frame, stream)); /* RELEASE */
}

static void read_frame(const struct mem_frame *frame, uint8_t *to)
{
	launch(stream, k_sum, frame->planes[0].base, to, 0);
}

/* The consumer also uses a copy engine. */
static void copy_frame(const struct mem_frame *frame, uint8_t *to)
{
	CHECK(mem_copy_async(stream, to, frame->planes[0].base, LEN,
			     MEM_DIR_DEVICE_TO_HOST));
}

static void store_by_kernel(const struct mem_frame *frame, uint8_t *own)
{
	read_frame(frame, own);
	if (!is_right)
		launch(stream, k_store, frame->planes[0].base, NULL, /* BAD */
		       1);
	release(frame);
}

static void store_by_copy(const struct mem_frame *frame, uint8_t *own)
{
	copy_frame(frame, own);
	if (!is_right)
		CHECK(mem_fill_async(stream, frame->planes[0].base, /* FILL */
				     0, WIDTH));
	release(frame);
}

/* The right program releases before the kernel has run. */
static void use_after_release(const struct mem_frame *frame, uint8_t *own)
{
	if (is_right)
		read_frame(frame, own);
	release(frame);
	if (!is_right)
		read_frame(frame, own); /* LATE */
}

__attribute__((noinline, noclone))
static void lock_frame(const struct mem_frame *frame, unsigned int access)
{
	struct mem_image_data data = { .size = sizeof(data) };

	CHECK(mem_image_lock(frame->image, access, MEM_LOCK_HOST, /* LOCK */
			     &data));
	CHECK(mem_image_unlock(frame->image));
}

static void lock_for_writing(const struct mem_frame *frame, uint8_t *own)
{
	(void)own;
	lock_frame(frame, is_right ? MEM_READ : MEM_RW);
	release(frame);
}

static void lock_after_release(const struct mem_frame *frame, uint8_t *own)
{
	(void)own;
	if (is_right)
		lock_frame(frame, MEM_READ);
	release(frame);
	if (!is_right)
		lock_frame(frame, MEM_READ);
}

/*
 * No mistake: frames go round, and nobody waits but the streams. A frame may be
 * acquired again.
 */
static void go_round(const struct mem_frame *frame, uint8_t *own)
{
	struct mem_frame again;

	read_frame(frame, own);
	copy_frame(frame, own);
	release(frame);
	if (frame->number % 7)
		return;
	acquire(&again, 0);
	read_frame(&again, own);
	release(&again);
}

static const struct mistake {
	const char *name;
	void (*consume)(const struct mem_frame *frame, uint8_t *own);
	int has_images;
	int nr_frames;
} mistakes[] = {
	{ "store-by-kernel", store_by_kernel, 0, 1 },
	{ "store-by-copy", store_by_copy, 0, 1 },
	{ "use-after-release", use_after_release, 0, 1 },
	{ "lock-for-writing", lock_for_writing, 1, 1 },
	{ "lock-after-release", lock_after_release, 1, 1 },
	{ "go-round", go_round, 0, NR_ROUNDS },
	{ "images-go-round", lock_for_writing, 1, NR_ROUNDS },
};

static void produce_one(const struct mistake *mistake, struct mem_frame *frame,
			int i)
{
	if (i >= NR)
		get_back(frame);
	else if (mistake->has_images)
		*frame = (struct mem_frame) {
			.size = sizeof(*frame),
			.image = new_image(),
		};
	else
		*frame = frame_of(new_plane());
	present(frame, (uint8_t)(i + 1));
}

static void consume_one(const struct mistake *mistake, uint8_t *own)
{
	struct mem_frame frame;

	acquire(&frame, WAIT_NS);
	mistake->consume(&frame, own);
}

static void open_all(struct mem_ctx **one, struct mem_stream **its_stream)
{
	CHECK(mem_ctx_open(NULL, one));
	CHECK(mem_stream_create(*one, 0, 0, its_stream));
}

static void produce_in_process(const struct mistake *mistake, const char *name)
{
	struct mem_endpoint *endpoint;
	struct mem_frame frame;
	int i;

	open_all(&from, &from_stream);
	CHECK(mem_endpoint_open(from, name, WAIT_NS, &endpoint));
	CHECK(mem_pipe_import(endpoint, WAIT_NS, &frames));
	CHECK(mem_pipe_connect_producer(frames, from, WIDTH, HEIGHT,
					&producer));
	for (i = 0; i < mistake->nr_frames; i++)
		produce_one(mistake, &frame, i);
	/* The consumer ends first. */
	while (mem_pipe_return(producer, from_stream, WAIT_NS, &frame) !=
	       -EPIPE)
		;
	mem_pipe_end_destroy(producer);
	mem_pipe_destroy(frames);
	mem_stream_destroy(from_stream);
	mem_ctx_close(from);
	exit(0);
}

static void start(const struct mistake *mistake)
{
	const struct mem_pipe_params params = {
		.size = sizeof(params),
		.length = 2,
	};
	struct mem_endpoint *endpoint;
	char name[32];

	snprintf(name, sizeof(name), "frames-%d", (int)getpid());
	if (where == PROCESS) {
		pid = fork();
		if (!pid)
			produce_in_process(mistake, name);
	}
	open_all(&ctx, &stream);
	CHECK(mem_pipe_create(ctx, &params, &frames));
	CHECK(mem_pipe_connect_consumer(frames, ctx, &consumer));
	if (where == PROCESS) {
		CHECK(mem_endpoint_open(ctx, name, WAIT_NS, &endpoint));
		CHECK(mem_pipe_export(frames, endpoint));
		return;
	}
	from = ctx;
	if (where == OTHER)
		open_all(&from, &from_stream);
	else
		CHECK(mem_stream_create(ctx, 0, 0, &from_stream));
	CHECK(mem_pipe_connect_producer(frames, from, WIDTH, HEIGHT,
					&producer));
}

static int end(void)
{
	int status = 0;

	CHECK(mem_ctx_sync(ctx));
	mem_pipe_end_destroy(consumer);
	if (producer)
		mem_pipe_end_destroy(producer);
	mem_pipe_destroy(frames);
	if (where == PROCESS)
		waitpid(pid, &status, 0);
	if (from != ctx && from)
		mem_ctx_close(from);
	mem_ctx_close(ctx);
	return status ? 4 : 0;
}

static int run(const struct mistake *mistake)
{
	struct mem_frame frame;
	void *own;
	int i;

	start(mistake);
	CHECK(mem_alloc(ctx, MEM_KIND_PINNED, LEN, 0, &own));
	for (i = 0; newest < (uint64_t)mistake->nr_frames; i++) {
		if (where != PROCESS)
			produce_one(mistake, &frame, i);
		consume_one(mistake, own);
	}
	return end();
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	const char *place = argc > 2 ? argv[2] : "same";
	size_t i;

	if (!strncmp(name, "right-", 6)) {
		is_right = 1;
		name += 6;
	}
	where = !strcmp(place, "process") ? PROCESS :
		!strcmp(place, "other") ? OTHER : SAME;
	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
		if (!strcmp(mistakes[i].name, name))
			return run(&mistakes[i]);
	errx(2, "no such mistake: %s", name);
}
