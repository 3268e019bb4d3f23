// SPDX-License-Identifier: GPL-2.0-only
/*
 * hold WHAT: holds an object of the module, prints "ready", and releases the
 * object when its standard input ends. Used by unload_test.sh.
 *
 * WHAT: fd, map, sync_file, context, heap, or a number of buffers and their
 * length in KiB: buffers NR KIB.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/heapsim.h>

#define LEN	4096

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int context(void)
{
	int dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC);

	if (dev < 0)
		die("/dev/heapsim");
	return dev;
}

static int buffer(int dev, __u64 len)
{
	struct heapsim_buf_alloc alloc = {
		.size = sizeof(alloc),
		.fd_flags = O_RDWR | O_CLOEXEC,
		.len = len,
		.kind = HEAPSIM_KIND_NONCOHERENT,
	};

	if (ioctl(dev, HEAPSIM_IOC_BUF_ALLOC, &alloc))
		die("alloc");
	return alloc.fd;
}

static void *map(int fd, size_t len)
{
	void *at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void *map_and_touch(int fd, size_t len)
{
	return memset(map(fd, len), 1, len);
}

/* Holds the sync_file of a job; its buffer and context are closed. */
static void hold_sync_file(void)
{
	int dev = context(), fd = buffer(dev, LEN);
	struct heapsim_dma_submit submit = {
		.size = sizeof(submit),
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = fd,
		.row_len = LEN,
		.nr_rows = 1,
	};
	struct heapsim_job_wait wait = {
		.size = sizeof(wait),
		.timeout_ns = 10000000000ULL,
	};

	if (ioctl(dev, HEAPSIM_IOC_DMA_SUBMIT, &submit))
		die("submit");
	wait.job = submit.job;
	if (ioctl(dev, HEAPSIM_IOC_JOB_WAIT, &wait))
		die("wait");
	close(fd);
	close(dev);
}

/*
 * Half of the buffers are written in both views, so all sorts of pages exist.
 */
static void hold_buffers(size_t nr, size_t len)
{
	struct rlimit limit = { .rlim_cur = nr + 64, .rlim_max = nr + 64 };
	int dev = context(), fd;
	size_t i;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		die("setrlimit");
	for (i = 0; i < nr; i++) {
		fd = buffer(dev, len);
		if (i % 2)
			munmap(map(fd, len), len);
	}
}

/* Steps through accesses to a precisely tracked buffer, if supported. */
static void hold_steps(void)
{
	struct heapsim_probe probe = { .size = sizeof(probe) };
	struct heapsim_set_policy policy = {
		.size = sizeof(policy),
		.scope = HEAPSIM_POLICY_OF_CONTEXT,
		.fd = -1,
	};
	volatile char *at;
	int dev = context(), fd;

	if (ioctl(dev, HEAPSIM_IOC_PROBE, &probe))
		die("probe");
	policy.is_precise = !!(probe.features & HEAPSIM_FEATURE_PRECISE);
	if (ioctl(dev, HEAPSIM_IOC_POLICY, &policy))
		die("policy");
	fd = buffer(dev, LEN);
	/* Only part is accessed, since each byte is a slow step. */
	at = map(fd, LEN);
	close(fd);
	close(dev);
	printf("ready\n");
	fflush(stdout);
	for (;;)
		(*at)++;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int dev, fd;
	char byte;

	if (!strcmp(what, "context")) {
		context();
	} else if (!strcmp(what, "heap")) {
		if (open("/dev/dma_heap/noncoherent", O_RDONLY) < 0)
			die("heap");
	} else if (!strcmp(what, "fd")) {
		dev = context();
		buffer(dev, LEN);
		close(dev);
	} else if (!strcmp(what, "map")) {
		dev = context();
		fd = buffer(dev, LEN);
		map_and_touch(fd, LEN);
		close(fd);
		close(dev);
	} else if (!strcmp(what, "steps")) {
		hold_steps();
	} else if (!strcmp(what, "sync_file")) {
		hold_sync_file();
	} else if (!strcmp(what, "buffers") && argc == 4) {
		hold_buffers(strtoul(argv[2], NULL, 10),
			     strtoul(argv[3], NULL, 10) * 1024);
	} else {
		fprintf(stderr, "usage: hold WHAT\n");
		return 2;
	}
	printf("ready\n");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
