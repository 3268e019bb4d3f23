// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of heapsim's buffers compared with those of the kernel's
 * system heap. Each figure is a median. The two are measured alternately, and
 * so are few and many live buffers, so that other load affects all of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/heapsim.h>

#include "measure.h"

#define KIB		1024UL
#define MIB		(1024UL * 1024)
#define TOUCH_LEN	(8 * MIB)
#define SYNC_LEN	(64 * MIB)
#define NR_FEW		100
#define NR_MANY		50000
#define NR_ROUNDS	3	/* each with few, then many buffers */
#define NR_LAPS		5	/* measurements of each row in a round */
#define NR_WEIGHED	4000

#define PEER		"system"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static size_t page_size;
static int heap_fds[4];

enum heap {
	HEAP_PEER,
	HEAP_COHERENT,
	HEAP_NONCOHERENT,
	NR_HEAPS,
};

static const char * const heap_names[NR_HEAPS] = {
	[HEAP_PEER] = PEER,
	[HEAP_COHERENT] = "coherent",
	[HEAP_NONCOHERENT] = "noncoherent",
};

__attribute__((noreturn, format(printf, 1, 2)))
static void die(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "bench: ");
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, ": %s\n", strerror(errno));
	exit(1);
}

static int buf_alloc(enum heap heap, size_t len)
{
	struct dma_heap_allocation_data data = {
		.len = len,
		.fd_flags = O_RDWR | O_CLOEXEC,
	};

	if (ioctl(heap_fds[heap], DMA_HEAP_IOCTL_ALLOC, &data))
		die("%s: %zu bytes", heap_names[heap], len);
	return data.fd;
}

static uint8_t *buf_map(int fd, size_t len)
{
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		die("mmap");
	return map;
}

static void buf_sync(int fd, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	while (ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync))
		if (errno != EINTR && errno != EAGAIN)
			die("sync");
}

/* Measurements return nanoseconds; the meaning of @arg depends on them. */

static double measure_alloc(enum heap heap, size_t len)
{
	size_t nr = len <= 64 * KIB ? 1000 : len <= MIB ? 50 : 6, i;
	uint64_t begin = now_ns();

	for (i = 0; i < nr; i++)
		close(buf_alloc(heap, len));
	return (double)(now_ns() - begin) / nr;
}

static double measure_touch(enum heap heap, bool is_write)
{
	int fd = buf_alloc(heap, TOUCH_LEN);
	uint64_t begin = now_ns(), took;
	uint8_t *map = buf_map(fd, TOUCH_LEN);
	size_t off;

	for (off = 0; off < TOUCH_LEN; off += page_size)
		if (is_write)
			map[off] = 1;
		else
			__atomic_load_n(&map[off], __ATOMIC_RELAXED);
	took = now_ns() - begin;
	munmap(map, TOUCH_LEN);
	close(fd);
	return took;
}

static double measure_read(enum heap heap, size_t arg)
{
	return measure_touch(heap, false);
}

static double measure_write(enum heap heap, size_t arg)
{
	return measure_touch(heap, true);
}

/* Measures START and END for writing, with @nr_dirty dirty pages between. */
static double measure_sync(enum heap heap, size_t nr_dirty)
{
	static int fds[NR_HEAPS];
	static uint8_t *maps[NR_HEAPS];
	static uint8_t value;
	size_t i, stride;
	uint64_t took;

	if (!maps[heap]) {
		fds[heap] = buf_alloc(heap, SYNC_LEN);
		maps[heap] = buf_map(fds[heap], SYNC_LEN);
		memset(maps[heap], 1, SYNC_LEN);
		buf_sync(fds[heap], DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
		buf_sync(fds[heap], DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
	}
	took = now_ns();
	buf_sync(fds[heap], DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
	took = now_ns() - took;
	value++;
	stride = nr_dirty ? SYNC_LEN / page_size / nr_dirty * page_size : 0;
	for (i = 0; i < nr_dirty; i++)
		memset(maps[heap] + i * stride, value, page_size);
	took -= now_ns();
	buf_sync(fds[heap], DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
	return took + now_ns();
}

/* Measures memcpy() in user space, with which a full clean is compared. */
static double measure_memcpy(enum heap heap, size_t len)
{
	static uint8_t *from, *to;
	uint64_t begin;

	if (!from) {
		from = malloc(len);
		to = malloc(len);
		if (!from || !to)
			die("malloc");
		memset(from, 1, len);
		memset(to, 2, len);
	}
	begin = now_ns();
	memcpy(to, from, len);
	__asm__ volatile("" ::: "memory");
	return now_ns() - begin;
}

static uint64_t mem_available(void)
{
	char line[128];
	unsigned long kib = 0;
	FILE *file = fopen("/proc/meminfo", "re");

	if (!file)
		die("/proc/meminfo");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "MemFree: %lu kB", &kib) == 1)
			break;
	fclose(file);
	return (uint64_t)kib * KIB;
}

/* Returns the memory of a live buffer of one page, including the page. */
static double measure_memory(enum heap heap, size_t arg)
{
	static int fds[NR_WEIGHED];
	uint64_t before = mem_available(), after;
	size_t i;

	for (i = 0; i < NR_WEIGHED; i++)
		fds[i] = buf_alloc(heap, page_size);
	after = mem_available();
	for (i = 0; i < NR_WEIGHED; i++)
		close(fds[i]);
	return (double)(before - after) / NR_WEIGHED;
}

struct row {
	const char *name;
	const char *unit;
	double per_unit;
	double (*measure)(enum heap heap, size_t arg);
	size_t arg;
	enum heap ours;
	/* The measurement of the peer: the same function, or memcpy */
	double (*measure_peer)(enum heap heap, size_t arg);
	size_t peer_arg;
};

#define SAME	SIZE_MAX	/* the peer has the same argument */

#define ALLOC(text, len, heap) \
	{ "alloc+free " text, "us", 1e3, measure_alloc, len, heap, \
	  measure_alloc, SAME }
#define TOUCH(text, how, heap) \
	{ "mmap+first " text, "us", 1e3, measure_##how, 0, heap, \
	  measure_##how, 0 }
#define SYNC(text, nr, peer, arg) \
	{ "sync 64 MiB, " text, "us", 1e3, measure_sync, nr, \
	  HEAP_NONCOHERENT, peer, arg }

/* Pages are 4 KiB or more; "all" is set once their size is known. */
static struct row rows[] = {
	ALLOC("4 KiB, coherent", 4 * KIB, HEAP_COHERENT),
	ALLOC("1 MiB, coherent", MIB, HEAP_COHERENT),
	ALLOC("8 MiB, coherent", 8 * MIB, HEAP_COHERENT),
	ALLOC("32 MiB, coherent", 32 * MIB, HEAP_COHERENT),
	ALLOC("4 KiB, noncoherent", 4 * KIB, HEAP_NONCOHERENT),
	ALLOC("1 MiB, noncoherent", MIB, HEAP_NONCOHERENT),
	ALLOC("8 MiB, noncoherent", 8 * MIB, HEAP_NONCOHERENT),
	ALLOC("32 MiB, noncoherent", 32 * MIB, HEAP_NONCOHERENT),
	TOUCH("read of 8 MiB, coherent", read, HEAP_COHERENT),
	TOUCH("write of 8 MiB, coherent", write, HEAP_COHERENT),
	TOUCH("read of 8 MiB, noncoherent", read, HEAP_NONCOHERENT),
	TOUCH("write of 8 MiB, noncoherent", write, HEAP_NONCOHERENT),
	SYNC("0 dirty, noncoherent", 0, measure_sync, 0),
	SYNC("1 page dirty, noncoherent", 1, measure_sync, 1),
	SYNC("all dirty, noncoherent", 0, measure_sync, 0),
	SYNC("all dirty, against memcpy", 0, measure_memcpy, SYNC_LEN),
	SYNC("1 page dirty, against all", 1, NULL, 0),
	{ "memory of a live 4 KiB, coherent", "B", 1, measure_memory, 0,
	  HEAP_COHERENT, measure_memory, 0 },
	{ "memory of a live 4 KiB, noncoherent", "B", 1, measure_memory, 0,
	  HEAP_NONCOHERENT, measure_memory, 0 },
};

/* The peer of "1 page dirty, against all" is a full sync of heapsim. */
static double measure_full_sync(enum heap heap, size_t arg)
{
	return measure_sync(HEAP_NONCOHERENT, SYNC_LEN / page_size);
}

static void set_all(void)
{
	size_t i, all = SYNC_LEN / page_size;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct row *row = &rows[i];

		if (strstr(row->name, "all dirty")) {
			row->arg = all;
			if (row->measure_peer == measure_sync)
				row->peer_arg = all;
		}
		if (row->peer_arg == SAME)
			row->peer_arg = row->arg;
		if (!row->measure_peer)
			row->measure_peer = measure_full_sync;
	}
}

/**
 * struct result - measurements of a row with a number of live buffers
 * @ours: values for heapsim, in the unit of the row
 * @peer: values for the peer
 * @nr: number of values of each
 */
struct result {
	double ours[NR_ROUNDS * NR_LAPS];
	double peer[NR_ROUNDS * NR_LAPS];
	size_t nr;
};

enum live {
	LIVE_FEW,
	LIVE_MANY,
	NR_LIVE,
};

static struct result results[NR_LIVE][ARRAY_SIZE(rows)];

static void run_row(const struct row *row, struct result *result)
{
	size_t lap;

	/* The first measurement of each warms up caches. */
	row->measure(row->ours, row->arg);
	row->measure_peer(HEAP_PEER, row->peer_arg);
	for (lap = 0; lap < NR_LAPS; lap++) {
		result->ours[result->nr] =
			row->measure(row->ours, row->arg) / row->per_unit;
		result->peer[result->nr++] =
			row->measure_peer(HEAP_PEER, row->peer_arg) /
			row->per_unit;
	}
}

/* Makes this many live buffers of one page in each heap. */
static void live(size_t nr, size_t most)
{
	static int *fds[NR_HEAPS];
	static size_t nr_live;
	int heap;

	for (heap = 0; heap < NR_HEAPS; heap++)
		if (!fds[heap]) {
			fds[heap] = calloc(most, sizeof(*fds[heap]));
			if (!fds[heap])
				die("calloc");
		}
	for (; nr_live < nr; nr_live++)
		for (heap = 0; heap < NR_HEAPS; heap++)
			fds[heap][nr_live] = buf_alloc(heap, page_size);
	for (; nr_live > nr; nr_live--)
		for (heap = 0; heap < NR_HEAPS; heap++)
			close(fds[heap][nr_live - 1]);
}

static void print_head(size_t few, size_t many)
{
	printf("\n%-38s %-2s | %21zu live %8s | %20zu live %9s | %s\n", "", "",
	       few, "", many, "", "growth");
	printf("%-38s %-2s | %11s %11s %11s | %11s %11s %11s | %6s %6s\n",
	       "", "", "ours", "peer", "ratio", "ours", "peer", "ratio",
	       "ours", "peer");
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static void print_row(const struct row *row, struct result *few,
		      struct result *many)
{
	double ours[NR_LIVE] = {
		median(few->ours, few->nr), median(many->ours, many->nr),
	};
	double peer[NR_LIVE] = {
		median(few->peer, few->nr), median(many->peer, many->nr),
	};
	int i;

	printf("%-38s %-2s", row->name, row->unit);
	for (i = 0; i < NR_LIVE; i++)
		printf(" | %11.1f %11.1f %11.3f", ours[i], peer[i],
		       ratio(ours[i], peer[i]));
	printf(" | %6.2f %6.2f\n", ratio(ours[LIVE_MANY], ours[LIVE_FEW]),
	       ratio(peer[LIVE_MANY], peer[LIVE_FEW]));
}

static void raise_limit(size_t nr)
{
	struct rlimit limit = { .rlim_cur = nr, .rlim_max = nr };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("limit of %zu open files", nr);
}

int main(int argc, char **argv)
{
	const size_t nr[NR_LIVE] = {
		NR_FEW, argc > 1 ? strtoul(argv[1], NULL, 0) : NR_MANY,
	};
	const size_t most = nr[LIVE_MANY] > NR_FEW ? nr[LIVE_MANY] : NR_FEW;
	size_t round, what, i;
	char path[64];

	page_size = sysconf(_SC_PAGESIZE);
	set_all();
	raise_limit(NR_HEAPS * most + NR_WEIGHED + 1000);
	for (i = 0; i < NR_HEAPS; i++) {
		snprintf(path, sizeof(path), "/dev/dma_heap/%s",
			 heap_names[i]);
		heap_fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (heap_fds[i] < 0)
			die("%s", path);
	}
	printf("ours: heapsim; peer: the kernel's heap \"%s\"; medians of %d\n",
	       PEER, NR_ROUNDS * NR_LAPS);
	for (round = 0; round < NR_ROUNDS; round++)
		for (what = 0; what < NR_LIVE; what++) {
			live(nr[what], most);
			for (i = 0; i < ARRAY_SIZE(rows); i++)
				run_row(&rows[i], &results[what][i]);
			printf("round %zu of %d, %zu live: done\n", round + 1,
			       NR_ROUNDS, nr[what]);
			fflush(stdout);
		}
	print_head(nr[LIVE_FEW], nr[LIVE_MANY]);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		print_row(&rows[i], &results[LIVE_FEW][i],
			  &results[LIVE_MANY][i]);
	return 0;
}
