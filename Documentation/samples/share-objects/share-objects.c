// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two processes and their frames: a camera allocates what both need, draws, and
 * gives the frames to a viewer that may only read them. See README.rst.
 *
 * share-objects [wrong | forgot]
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <libmem.h>

#define WIDTH		640U
#define HEIGHT		480U
#define NR_FRAMES	3U
#define NR_SHOWN	10U
#define NR(array)	(sizeof(array) / sizeof((array)[0]))
#define TIMEOUT_NS	10000000000ULL
#define ONE(key, value)	{ key, 0, &(value), sizeof(value) }

#define CHECK(call)	check(call, #call)

/* Call by call; most programs would rather go on. */
static int check(int ret, const char *call)
{
	if (ret >= 0)
		return ret;
	fprintf(stderr, "%s: %s\n", call, strerror(-ret));
	exit(EXIT_FAILURE);
}

static struct mem_ctx *ctx;
static struct mem_endpoint *end;

/* The parent's process is in it, so that two runs do not meet. */
static void open_end(pid_t parent, int which)
{
	char name[MEM_ENDPOINT_NAME_LEN];

	snprintf(name, sizeof(name), "share-objects.%d_%d", (int)parent, which);
	CHECK(mem_ctx_open(NULL, &ctx));
	CHECK(mem_endpoint_open(ctx, name, TIMEOUT_NS, &end));
}

static void close_end(void)
{
	mem_endpoint_close(end);
	mem_ctx_close(ctx);
}

static const uint32_t image = MEM_ATTR_TYPE_IMAGE;
static const uint32_t linear = MEM_LAYOUT_PITCH_LINEAR;
static const uint32_t nr_planes = 1, luma = MEM_FOURCC('R', '8', ' ', ' ');
static const uint32_t width = WIDTH, height = HEIGHT;
static const uint32_t reads = MEM_READ, writes = MEM_RW;
static const uint64_t dma = MEM_ATTR_ENGINE_DMA, gpu = 1 << MEM_ENGINE_GPU;
static const uint8_t yes = 1;

/* The camera knows the picture, and has an engine that copies. */
static const struct mem_attr of_camera[] = {
	ONE(MEM_ATTR_TYPES, image),
	ONE(MEM_ATTR_NEED_CPU_ACCESS, yes),
	ONE(MEM_ATTR_REQUIRED_PERM, writes),
	ONE(MEM_ATTR_ENGINES, dma),
	ONE(MEM_ATTR_IMAGE_LAYOUT, linear),
	ONE(MEM_ATTR_IMAGE_PLANE_COUNT, nr_planes),
	ONE(MEM_ATTR_IMAGE_PLANE_FORMAT, luma),
	ONE(MEM_ATTR_IMAGE_PLANE_WIDTH, width),
	ONE(MEM_ATTR_IMAGE_PLANE_HEIGHT, height),
};

/* The viewer's GPU has a say in where rows begin. */
static const struct mem_attr of_viewer[] = {
	ONE(MEM_ATTR_TYPES, image),
	ONE(MEM_ATTR_NEED_CPU_ACCESS, yes),
	ONE(MEM_ATTR_REQUIRED_PERM, reads),
	ONE(MEM_ATTR_ENGINES, gpu),
};

static struct mem_attrs *list_of(const struct mem_attr *attrs, size_t nr)
{
	struct mem_attrs *list;

	CHECK(mem_attrs_create(ctx, &list));
	CHECK(mem_attrs_set(list, attrs, nr));
	return list;
}

static uint32_t pitch_of(const struct mem_object *frame)
{
	struct mem_attr pitch = { .key = MEM_ATTR_IMAGE_PLANE_PITCH };

	CHECK(mem_attrs_get(mem_object_attrs(frame), 0, &pitch, 1));
	return *(const uint32_t *)pitch.value;
}

/* A descriptor is bytes: it goes as a message. */
static void send_desc(void *desc, size_t len)
{
	CHECK(mem_endpoint_send(end, desc, len, TIMEOUT_NS));
	free(desc);
}

static size_t recv_desc(uint8_t *desc)
{
	return (size_t)CHECK(mem_endpoint_recv(end, desc, MEM_ENDPOINT_MAX,
					       TIMEOUT_NS));
}

/* Camera */

/* Frames that are good for both. */
static void frames_alloc(struct mem_object **frames)
{
	static uint8_t desc[MEM_ENDPOINT_MAX];
	struct mem_attrs *lists[2], *result;
	size_t len, i;

	lists[0] = list_of(of_camera, NR(of_camera));
	len = recv_desc(desc);
	CHECK(mem_attrs_import(end, desc, len, NULL, 0, &lists[1]));
	CHECK(mem_attrs_reconcile(lists, 2, &result, NULL));
	for (i = 0; i < NR_FRAMES; i++)
		CHECK(mem_object_alloc(result, "frame", &frames[i]));
	mem_attrs_destroy(result);
	mem_attrs_destroy(lists[0]);
	mem_attrs_destroy(lists[1]);
}

static void draw(struct mem_object *frame, int value, int is_wrong)
{
	const uint32_t pitch = pitch_of(frame);
	uint8_t *pixels;
	void *ptr;
	uint32_t y;

	CHECK(mem_object_cpu_ptr(frame, MEM_RW, &ptr));
	pixels = ptr;
	/* Whole rows, so none of their old bytes. */
	CHECK(mem_object_begin(frame, MEM_WRITE));
	for (y = 0; y < HEIGHT; y++)
		memset(pixels + y * pitch, value, WIDTH);	/* DRAW */
	/* Without this the picture stays in the CPU's cache. */
	if (!is_wrong)
		CHECK(mem_object_end(frame, MEM_WRITE));
}

/* A first picture for all frames, by the engine. */
static void frames_begin(struct mem_object **frames, int is_wrong)
{
	struct mem_buf *from = mem_object_buf(frames[0]);
	struct mem_job *job;
	size_t i;

	draw(frames[0], 100, is_wrong);
	for (i = 1; i < NR_FRAMES; i++) {
		CHECK(mem_job_copy(mem_object_buf(frames[i]), 0, from, 0,
				   mem_buf_len(from), &job));	/* COPY */
		CHECK(mem_job_wait(job, TIMEOUT_NS, NULL));
		mem_job_destroy(job);
	}
}

/* Which frame to look at; what the viewer has seen there. */
static uint64_t show(uint8_t which)
{
	uint64_t sum;

	CHECK(mem_endpoint_send(end, &which, 1, TIMEOUT_NS));
	CHECK(mem_endpoint_recv(end, &sum, sizeof(sum), TIMEOUT_NS));
	return sum;
}

static int camera(pid_t parent, int is_wrong)
{
	struct mem_object *frames[NR_FRAMES];
	unsigned int n, nr_wrong = 0;
	size_t len, i;
	void *desc;

	open_end(parent, 0);
	frames_alloc(frames);
	frames_begin(frames, is_wrong);
	for (i = 0; i < NR_FRAMES; i++) {
		CHECK(mem_object_export(frames[i], MEM_READ, end, TIMEOUT_NS,
					&desc, &len));
		send_desc(desc, len);
	}
	for (i = 0; i < NR_FRAMES; i++)
		nr_wrong += show((uint8_t)i) != 100ULL * WIDTH * HEIGHT;
	for (n = 0; n < NR_SHOWN; n++) {
		draw(frames[n % NR_FRAMES], (int)n, 0);
		nr_wrong += show(n % NR_FRAMES) != 1ULL * n * WIDTH * HEIGHT;
	}
	printf("%u of %u frames are wrong\n", nr_wrong, NR_FRAMES + NR_SHOWN);
	for (i = 0; i < NR_FRAMES; i++)
		mem_object_put(frames[i]);
	close_end();
	return nr_wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Viewer */

static void frames_import(struct mem_object **frames)
{
	static uint8_t bytes[MEM_ENDPOINT_MAX];
	struct mem_attrs *list = list_of(of_viewer, NR(of_viewer));
	size_t len, i;
	void *desc;

	CHECK(mem_attrs_export(&list, 1, end, &desc, &len));
	send_desc(desc, len);
	for (i = 0; i < NR_FRAMES; i++) {
		len = recv_desc(bytes);
		/* What the viewer needs must have been heard. */
		CHECK(mem_object_import(end, bytes, len, &list, 1, MEM_READ,
					TIMEOUT_NS, &frames[i]));
	}
	mem_attrs_destroy(list);
}

static uint64_t look_at(struct mem_object *frame, int is_wrong)
{
	const uint32_t pitch = pitch_of(frame);
	uint8_t *pixels;
	uint64_t sum = 0;
	uint32_t x, y;
	void *ptr;

	CHECK(mem_object_cpu_ptr(frame, MEM_READ, &ptr));
	pixels = ptr;
	CHECK(mem_object_begin(frame, MEM_READ));
	for (y = 0; y < HEIGHT; y++)
		for (x = 0; x < WIDTH; x++)
			sum += pixels[y * pitch + x];
	/* A mark on a frame that is the camera's. */
	if (is_wrong)
		pixels[0] = 255;	/* MARK */
	CHECK(mem_object_end(frame, MEM_READ));
	return sum;
}

static int viewer(pid_t parent, int is_wrong)
{
	struct mem_object *frames[NR_FRAMES];
	uint64_t sum;
	uint8_t which;
	int len;
	size_t i;

	open_end(parent, 1);
	frames_import(frames);
	for (;;) {
		len = mem_endpoint_recv(end, &which, 1, TIMEOUT_NS);
		/* The camera has gone. */
		if (len != 1 || which >= NR_FRAMES)
			break;
		sum = look_at(frames[which], is_wrong);
		CHECK(mem_endpoint_send(end, &sum, sizeof(sum), TIMEOUT_NS));
	}
	for (i = 0; i < NR_FRAMES; i++)
		mem_object_put(frames[i]);
	close_end();
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const int is_wrong = argc > 1 && !strcmp(argv[1], "wrong");
	const int has_forgot = argc > 1 && !strcmp(argv[1], "forgot");
	const pid_t parent = getpid();
	int status, ret;
	pid_t child;

	/* Before there is a context: the child of one that has it has none. */
	child = fork();
	if (child < 0)
		return EXIT_FAILURE;
	if (!child)
		return viewer(parent, is_wrong);
	ret = camera(parent, has_forgot);
	if (waitpid(child, &status, 0) != child || status)
		ret = EXIT_FAILURE;
	return ret;
}
