// SPDX-License-Identifier: GPL-2.0-only
/*
 * What buffers of ours cost beside those of the kernel's own system heap.
 * Each figure is a median; ours and the peer's are measured in turns, so that
 * a slow moment of the machine hits both. All again with few and with many
 * live buffers.
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

#define KIB		1024UL
#define MIB		(1024UL * 1024)
#define TOUCH_LEN	(8 * MIB)
#define SYNC_LEN	(64 * MIB)
#define NR_FEW		100
#define NR_MANY		50000
#define NR_LAPS		9
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

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values, size_t nr)
{
	qsort(values, nr, sizeof(*values), compare);
	return values[nr / 2];
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

/* Measures answer nanoseconds; @arg is the measure's own. */

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

/* START and END for writing, with so many pages dirtied between. */
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

/* In user land, over memory that is there: what a full clean is held to. */
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

/* Bytes that a live buffer of a page takes, its page included. */
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
	/* What is measured as the peer: the same, or memcpy. */
	double (*measure_peer)(enum heap heap, size_t arg);
	size_t peer_arg;
};

#define SAME	SIZE_MAX	/* the peer's argument is ours */

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

/* The peer of "1 page dirty, against all": our own full sync. */
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

struct result {
	double ours;
	double peer;
};

static struct result run_row(const struct row *row)
{
	double ours[NR_LAPS], peer[NR_LAPS];
	size_t lap;

	/* One lap of each to warm up. */
	row->measure(row->ours, row->arg);
	row->measure_peer(HEAP_PEER, row->peer_arg);
	for (lap = 0; lap < NR_LAPS; lap++) {
		ours[lap] = row->measure(row->ours, row->arg);
		peer[lap] = row->measure_peer(HEAP_PEER, row->peer_arg);
	}
	return (struct result) {
		.ours = median(ours, NR_LAPS) / row->per_unit,
		.peer = median(peer, NR_LAPS) / row->per_unit,
	};
}

/* Has so many buffers of a page live, of each heap. */
static void live_at_least(size_t nr)
{
	static size_t nr_live;
	int heap;

	for (; nr_live < nr; nr_live++)
		for (heap = 0; heap < NR_HEAPS; heap++)
			buf_alloc(heap, page_size);
}

static void print_head(size_t few, size_t many)
{
	printf("\n%-38s %-2s | %21zu live %8s | %20zu live %9s | %s\n", "", "",
	       few, "", many, "", "growth");
	printf("%-38s %-2s | %11s %11s %11s | %11s %11s %11s | %6s\n",
	       "", "", "ours", "peer", "ratio", "ours", "peer", "ratio",
	       "ours");
}

static void print_result(const struct result *result)
{
	printf(" | %11.1f %11.1f ", result->ours, result->peer);
	if (result->peer > 0)
		printf("%11.3f", result->ours / result->peer);
	else
		printf("%11s", "-");
}

static void raise_limit(size_t nr)
{
	struct rlimit limit = { .rlim_cur = nr, .rlim_max = nr };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("limit of %zu open files", nr);
}

int main(int argc, char **argv)
{
	size_t many = argc > 1 ? strtoul(argv[1], NULL, 0) : NR_MANY, i;
	struct result few_results[ARRAY_SIZE(rows)], result;
	char path[64];

	page_size = sysconf(_SC_PAGESIZE);
	set_all();
	raise_limit(NR_HEAPS * many + NR_WEIGHED + 1000);
	for (i = 0; i < NR_HEAPS; i++) {
		snprintf(path, sizeof(path), "/dev/dma_heap/%s",
			 heap_names[i]);
		heap_fds[i] = open(path, O_RDONLY | O_CLOEXEC);
		if (heap_fds[i] < 0)
			die("%s", path);
	}
	printf("ours: heapsim; peer: the kernel's heap \"%s\"; medians of %d\n",
	       PEER, NR_LAPS);
	live_at_least(NR_FEW);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		few_results[i] = run_row(&rows[i]);
	live_at_least(many);
	print_head(NR_FEW, many);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		result = run_row(&rows[i]);
		printf("%-38s %-2s", rows[i].name, rows[i].unit);
		print_result(&few_results[i]);
		print_result(&result);
		printf(" | %6.2f\n", few_results[i].ours > 0 ?
		       result.ours / few_results[i].ours : 0);
		fflush(stdout);
	}
	return 0;
}
