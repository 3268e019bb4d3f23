// SPDX-License-Identifier: GPL-2.0-only
/*
 * Works like a camera program, without a mistake: the CPU writes a 1080p frame
 * byte by byte, an engine copies it, the CPU reads the copy byte by byte.
 * Prints the median time of a frame in nanoseconds.
 *
 * usage: pipeline [-o] [FRAMES]: -o: on buffers with policy off
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/heapsim.h>

#include "measure.h"

#define FRAME_LEN	(1920 * 1080 * 2)	/* YUYV */
#define MAX_FRAMES	1000

static int dev;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void call(unsigned long command, void *arg, const char *what)
{
	if (ioctl(dev, command, arg))
		die(what);
}

static void policy_off(void)
{
	struct heapsim_set_policy policy = {
		.size = sizeof(policy),
		.scope = HEAPSIM_POLICY_OF_CONTEXT,
		.fd = -1,
		.policy = HEAPSIM_POLICY_OFF,
	};

	call(HEAPSIM_IOC_POLICY, &policy, "policy");
}

static int buf_alloc(uint8_t **map)
{
	struct heapsim_buf_alloc alloc = {
		.size = sizeof(alloc),
		.fd_flags = O_RDWR | O_CLOEXEC,
		.len = FRAME_LEN,
		.kind = HEAPSIM_KIND_NONCOHERENT,
		.name = "frame",
	};

	call(HEAPSIM_IOC_BUF_ALLOC, &alloc, "alloc");
	*map = mmap(NULL, FRAME_LEN, PROT_READ | PROT_WRITE, MAP_SHARED,
		    alloc.fd, 0);
	if (*map == MAP_FAILED)
		die("mmap");
	return alloc.fd;
}

static void sync_buf(int fd, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	if (ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync))
		die("sync");
}

static void copy(int from, int to)
{
	struct heapsim_dma_submit submit = {
		.size = sizeof(submit),
		.op = HEAPSIM_DMA_COPY,
		.src_fd = from,
		.dst_fd = to,
		.row_len = FRAME_LEN,
		.nr_rows = 1,
	};
	struct heapsim_job_wait wait = {
		.size = sizeof(wait),
		.timeout_ns = 60000000000,
	};

	call(HEAPSIM_IOC_DMA_SUBMIT, &submit, "submit");
	close(submit.fence_fd);
	wait.job = submit.job;
	call(HEAPSIM_IOC_JOB_WAIT, &wait, "wait");
}

/* volatile keeps the compiler from combining the accesses to bytes. */
static void write_frame(volatile uint8_t *frame, uint8_t value)
{
	size_t i;

	for (i = 0; i < FRAME_LEN; i++)
		frame[i] = value + i;
}

static void read_frame(const volatile uint8_t *frame, uint8_t value)
{
	size_t i, nr_wrong = 0;

	for (i = 0; i < FRAME_LEN; i++)
		nr_wrong += frame[i] != (uint8_t)(value + i);
	if (nr_wrong) {
		fprintf(stderr, "%zu wrong bytes\n", nr_wrong);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static uint64_t ns[MAX_FRAMES];
	uint8_t *in_map, *out_map;
	int i, nr, in, out;

	dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC);
	if (dev < 0)
		die("/dev/heapsim");
	if (argc > 1 && !strcmp(argv[1], "-o")) {
		policy_off();
		argv++;
		argc--;
	}
	nr = argc > 1 ? atoi(argv[1]) : 10;
	if (nr < 1 || nr > MAX_FRAMES)
		die("frames");
	in = buf_alloc(&in_map);
	out = buf_alloc(&out_map);
	for (i = 0; i < nr; i++) {
		ns[i] = now_ns();
		sync_buf(in, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
		write_frame(in_map, i);
		sync_buf(in, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
		copy(in, out);
		sync_buf(out, DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
		read_frame(out_map, i);
		sync_buf(out, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
		ns[i] = now_ns() - ns[i];
	}
	printf("%llu\n", (unsigned long long)median_ns(ns, nr));
	return 0;
}
