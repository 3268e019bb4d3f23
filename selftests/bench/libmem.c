// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of libmem's embedded backend compared with its lower limit:
 * a launch and wait of an empty kernel with a round trip over condition
 * variables between two processes; and pipelines of images with checks and
 * without. Both are measured alternately, so that other load affects both;
 * results are medians.
 *
 * The pipeline is the ported one of NVIDIA's "CUDA for Tegra" application note:
 * three kernels, with intermediate results in device memory, which the CPU
 * never accesses. In the worst case they work in place, on memory that the CPU
 * reads, so all of it is tracked three times.
 *
 * Last, it measures merging attribute lists with all keys that are compatible.
 *
 * usage: libmem [ROUNDS]
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <libmem.h>

#include "measure.h"

#define NR_TRIPS	2000
#define NR_FRAMES	3
#define FRAME_LEN	(1920 * 1080UL)
#define MAX_ROUNDS	101

/**
 * struct table - shared by two processes that wake each other
 * @lock: protects the other fields
 * @changed: signalled when @turn has changed
 * @turn: 0: the parent's turn, 1: the child's, 2: the end
 */
struct table {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int turn;
};

static void play(struct table *table, int turn, int next)
{
	while (table->turn != turn && table->turn != 2)
		pthread_cond_wait(&table->changed, &table->lock);
	if (table->turn == 2)
		return;
	table->turn = next;
	pthread_cond_signal(&table->changed);
}

static struct table *table_create(void)
{
	struct table *table = mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t of_lock;
	pthread_condattr_t of_cond;

	if (table == MAP_FAILED)
		must(errno, "mmap");
	pthread_mutexattr_init(&of_lock);
	pthread_mutexattr_setpshared(&of_lock, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&table->lock, &of_lock);
	pthread_condattr_init(&of_cond);
	pthread_condattr_setpshared(&of_cond, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&table->changed, &of_cond);
	return table;
}

static pid_t partner_start(struct table *table)
{
	pid_t pid = fork();

	if (pid < 0)
		must(errno, "fork");
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_mutex_lock(&table->lock);
	while (table->turn != 2)
		play(table, 1, 0);
	pthread_mutex_unlock(&table->lock);
	_exit(0);
}

static void partner_end(struct table *table, pid_t pid)
{
	pthread_mutex_lock(&table->lock);
	table->turn = 2;
	pthread_cond_broadcast(&table->changed);
	pthread_mutex_unlock(&table->lock);
	waitpid(pid, NULL, 0);
}

static uint64_t round_trip_ns(struct table *table)
{
	const uint64_t start = now_ns();
	int i;

	pthread_mutex_lock(&table->lock);
	for (i = 0; i < NR_TRIPS; i++) {
		play(table, 0, 1);
		while (table->turn)
			pthread_cond_wait(&table->changed, &table->lock);
	}
	pthread_mutex_unlock(&table->lock);
	return (now_ns() - start) / NR_TRIPS;
}

/* The board */

/**
 * struct board - a context, and the memory of the pipeline
 * @ctx: the context
 * @stream: stream of the kernels
 * @frame: managed memory that the CPU writes
 * @between: device memory
 * @result: managed memory that the CPU reads
 */
struct board {
	struct mem_ctx *ctx;
	struct mem_stream *stream;
	uint8_t *frame;
	uint8_t *between[2];
	uint8_t *result;
};

static uint8_t *memory(struct board *board, enum mem_kind kind,
		       unsigned int flags)
{
	void *ptr;

	must(mem_alloc(board->ctx, kind, FRAME_LEN, flags, &ptr), "alloc");
	return ptr;
}

static void board_open(struct board *board, enum mem_policy policy)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
		.policy = policy,
		.soc = "tx2",
	};
	int i;

	must(mem_ctx_open(&options, &board->ctx), "open");
	must(mem_stream_create(board->ctx, MEM_STREAM_NON_BLOCKING, 0,
			       &board->stream), "stream");
	board->frame = memory(board, MEM_KIND_MANAGED, MEM_ATTACH_HOST);
	for (i = 0; i < 2; i++)
		board->between[i] = memory(board, MEM_KIND_DEVICE, 0);
	board->result = memory(board, MEM_KIND_MANAGED, MEM_ATTACH_HOST);
}

static void board_close(struct board *board)
{
	int i;

	must(mem_free(board->ctx, board->frame), "free");
	for (i = 0; i < 2; i++)
		must(mem_free(board->ctx, board->between[i]), "free");
	must(mem_free(board->ctx, board->result), "free");
	must(mem_stream_destroy(board->stream), "stream_destroy");
	mem_ctx_close(board->ctx);
}

static void start(struct board *board, mem_kernel kernel, uint8_t *to,
		  const uint8_t *from)
{
	const uint8_t *args[] = { to, from };
	const struct mem_launch launch = {
		.size = sizeof(launch),
		.kernel = kernel,
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
		.args = args,
		.args_len = sizeof(args),
	};

	must(mem_launch(board->stream, &launch), "launch");
}

static void k_nothing(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
}

static uint64_t launch_ns(struct board *board)
{
	const uint64_t start_ns = now_ns();
	int i;

	for (i = 0; i < NR_TRIPS; i++) {
		start(board, k_nothing, NULL, NULL);
		must(mem_stream_sync(board->stream), "sync");
	}
	return (now_ns() - start_ns) / NR_TRIPS;
}

/* Kernels are simple loops over bytes, like those of the pipeline. */
static void k_invert(const struct mem_block *block, void *arg)
{
	uint8_t **args = arg;
	volatile uint8_t *to = args[0];
	const volatile uint8_t *from = args[1];
	size_t i;

	(void)block;
	for (i = 0; i < FRAME_LEN; i++)
		to[i] = (uint8_t)~from[i];
}

static void k_shift(const struct mem_block *block, void *arg)
{
	uint8_t **args = arg;
	volatile uint8_t *to = args[0];
	const volatile uint8_t *from = args[1];
	size_t i;

	(void)block;
	for (i = 0; i < FRAME_LEN; i++)
		to[i] = (uint8_t)(from[i] + 3);
}

/* Mirrors to another frame, or in place. */
static void k_mirror(const struct mem_block *block, void *arg)
{
	uint8_t **args = arg;
	volatile uint8_t *to = args[0];
	const volatile uint8_t *from = args[1];
	size_t i;

	(void)block;
	for (i = 0; i < FRAME_LEN / 2; i++) {
		uint8_t byte = from[i];

		to[i] = from[FRAME_LEN - 1 - i];
		to[FRAME_LEN - 1 - i] = byte;
	}
}

static void attach(struct board *board, unsigned int how)
{
	must(mem_stream_attach(board->stream, board->frame, 0, how), "attach");
	must(mem_stream_attach(board->stream, board->result, 0, how),
	     "attach");
}

static void one_frame(struct board *board, uint8_t seed, bool is_in_place)
{
	volatile uint8_t *from = board->frame;
	const volatile uint8_t *to = board->result;
	uint8_t *one = is_in_place ? board->result : board->between[0];
	uint8_t *other = is_in_place ? board->result : board->between[1];
	size_t i;

	for (i = 0; i < FRAME_LEN; i++)
		from[i] = (uint8_t)(seed + i);
	attach(board, MEM_ATTACH_SINGLE);
	start(board, k_invert, one, board->frame);
	start(board, k_shift, other, one);
	start(board, k_mirror, board->result, other);
	attach(board, MEM_ATTACH_HOST);
	must(mem_stream_sync(board->stream), "sync");
	for (i = 0; i < FRAME_LEN; i++)
		if (to[i] != (uint8_t)(~(seed + (FRAME_LEN - 1 - i)) + 3))
			must(EIO, "a frame is not right");
}

static uint64_t frame_ns(struct board *board, bool is_in_place)
{
	const uint64_t start_ns = now_ns();
	unsigned int i;

	for (i = 0; i < NR_FRAMES; i++)
		one_frame(board, (uint8_t)(7 * i + 1), is_in_place);
	return (now_ns() - start_ns) / NR_FRAMES;
}

/* Attribute lists */

#define NR_LISTS	8
#define NR_RECONCILES	5000
#define SET(of, type, ...) \
	{ MEM_ATTR_##of, 0, ((const type[]) { __VA_ARGS__ }), \
	  sizeof((const type[]) { __VA_ARGS__ }) }

/* Returns a list with all keys of an image, a tensor, and a client. */
static struct mem_attrs *full_list(struct mem_ctx *ctx)
{
	static const uint8_t client[64];
	uint8_t id[MEM_GPU_ID_LEN];
	struct mem_attr_gpu_value of_gpu = { .value = 1 };
	const struct mem_attr attrs[] = {
		SET(TYPES, uint32_t, MEM_ATTR_TYPE_IMAGE, MEM_ATTR_TYPE_TENSOR),
		SET(NEED_CPU_ACCESS, uint8_t, 1),
		SET(CPU_CACHE, uint8_t, 1),
		SET(REQUIRED_PERM, uint32_t, MEM_RW),
		SET(ENGINES, uint64_t, 1 << MEM_ENGINE_VIC |
		    MEM_ATTR_ENGINE_DMA),
		{ MEM_ATTR_GPU_IDS, 0, id, sizeof(id) },
		{ MEM_ATTR_GPU_CACHE, 0, &of_gpu, sizeof(of_gpu) },
		{ MEM_ATTR_GPU_COMPRESSION, 0, &of_gpu, sizeof(of_gpu) },
		SET(IMAGE_LAYOUT, uint32_t, MEM_LAYOUT_PITCH_LINEAR),
		SET(IMAGE_PLANE_COUNT, uint32_t, 1),
		SET(IMAGE_PLANE_FORMAT, uint32_t, MEM_FOURCC_F32),
		SET(IMAGE_PLANE_STD, uint32_t, MEM_COLOR_STD_NONE),
		SET(IMAGE_PLANE_WIDTH, uint32_t, 1920),
		SET(IMAGE_PLANE_HEIGHT, uint32_t, 1080),
		SET(IMAGE_PLANE_ALIGN, uint32_t, 4096),
		SET(IMAGE_SCAN, uint32_t, MEM_SCAN_PROGRESSIVE),
		SET(TENSOR_DATA_TYPE, uint32_t, MEM_DATA_F32),
		SET(TENSOR_DIM_COUNT, uint32_t, 4),
		SET(TENSOR_DIM_SIZE, uint64_t, 1, 1, 1080, 1920),
		SET(TENSOR_DIM_ALIGN, uint32_t, 1, 1, 64, 1),
		SET(TENSOR_BASE_ALIGN, uint64_t, 4096),
		{ MEM_ATTR_CLIENT, 0, client, sizeof(client) },
		{ MEM_ATTR_CLIENT + 1, 0, client, sizeof(client) },
	};
	struct mem_attrs *list;

	must(mem_ctx_gpu_id(ctx, MEM_ENGINE_GPU, id), "gpu_id");
	memcpy(of_gpu.gpu_id, id, sizeof(id));
	must(mem_attrs_create(ctx, &list), "attrs_create");
	must(mem_attrs_set(list, attrs, sizeof(attrs) / sizeof(*attrs)),
	     "attrs_set");
	return list;
}

static uint64_t reconcile_ns(struct mem_attrs **lists)
{
	const uint64_t start_ns = now_ns();
	struct mem_attrs *result;
	int i;

	for (i = 0; i < NR_RECONCILES; i++) {
		must(mem_attrs_reconcile(lists, NR_LISTS, &result, NULL),
		     "reconcile");
		mem_attrs_destroy(result);
	}
	return (now_ns() - start_ns) / NR_RECONCILES;
}

/* Prints a row that has no peer. */
static void alone(const char *what, uint64_t *ns, int nr, const char *bar)
{
	printf("%-34s %9.1f us %19s   %s\n", what,
	       (double)median_ns(ns, (size_t)nr) / 1000, "", bar);
}

static void row(const char *what, uint64_t *ns, uint64_t *peer, int nr,
		const char *bar)
{
	const double own = (double)median_ns(ns, (size_t)nr);
	const double other = (double)median_ns(peer, (size_t)nr);

	printf("%-34s %9.1f us %9.1f us %6.2f   %s\n", what, own / 1000,
	       other / 1000, own / other, bar);
}

int main(int argc, char **argv)
{
	static uint64_t trips[MAX_ROUNDS], launches[MAX_ROUNDS];
	static uint64_t checked[2][MAX_ROUNDS], unchecked[2][MAX_ROUNDS];
	static uint64_t reconciles[MAX_ROUNDS];
	struct mem_attrs *lists[NR_LISTS];
	int i, k, nr = argc > 1 ? atoi(argv[1]) : 9;
	struct table *table = table_create();
	struct board record, off;
	pid_t pid;

	if (nr < 1 || nr > MAX_ROUNDS) {
		fprintf(stderr, "usage: libmem [1-%d]\n", MAX_ROUNDS);
		return 2;
	}
	pid = partner_start(table);
	board_open(&record, MEM_POLICY_RECORD);
	board_open(&off, MEM_POLICY_OFF);
	for (k = 0; k < 2; k++) {
		one_frame(&record, 0, k);
		one_frame(&off, 0, k);
	}
	for (k = 0; k < NR_LISTS; k++)
		lists[k] = full_list(record.ctx);
	for (i = 0; i < nr; i++) {
		reconciles[i] = reconcile_ns(lists);
		trips[i] = round_trip_ns(table);
		launches[i] = launch_ns(&record);
		for (k = 0; k < 2; k++) {
			unchecked[k][i] = frame_ns(&off, k);
			checked[k][i] = frame_ns(&record, k);
		}
	}
	printf("%-34s %12s %12s %6s   bar\n", "libmem, embedded", "median",
	       "peer", "ratio");
	row("empty launch, round trip", launches, trips, nr, "3");
	row("1080p frame, checked, unchecked", checked[0], unchecked[0], nr,
	    "1.5");
	row("the same, kernels in place", checked[1], unchecked[1], nr, "");
	alone("reconcile of 8 full lists", reconciles, nr, "20 us");
	for (k = 0; k < NR_LISTS; k++)
		mem_attrs_destroy(lists[k]);
	board_close(&record);
	board_close(&off);
	partner_end(table, pid);
	return 0;
}
