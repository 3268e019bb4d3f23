// SPDX-License-Identifier: GPL-2.0-only
/*
 * busy [-f] [-t] NAME...: makes a buffer of 64 KiB for each name, prints
 * "ready", and releases them when its standard input ends. Each buffer has been
 * written and cleaned once; -t repeats this; -f makes a mistake with the first
 * buffer, an END without START. The last buffer is only mapped, its descriptor
 * is closed.
 */
#include <poll.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/heapsim.h>

#define LEN	65536
#define MAX	16

static int fds[MAX];
static char *maps[MAX];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void make(int dev, int i, const char *name)
{
	struct heapsim_buf_alloc alloc = {
		.size = sizeof(alloc),
		.fd_flags = O_RDWR | O_CLOEXEC,
		.len = LEN,
		.kind = HEAPSIM_KIND_NONCOHERENT,
	};

	strncpy(alloc.name, name, sizeof(alloc.name) - 1);
	if (ioctl(dev, HEAPSIM_IOC_BUF_ALLOC, &alloc))
		die("alloc");
	fds[i] = alloc.fd;
	maps[i] = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, alloc.fd,
		       0);
	if (maps[i] == MAP_FAILED)
		die("mmap");
}

static void sync_buf(int fd, __u64 flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	if (ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync))
		die("sync");
}

/* Fills all lines, makes them dirty and cleans them; later they are dropped. */
static void use(int i)
{
	static char value;

	sync_buf(fds[i], DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	memset(maps[i], ++value, LEN);
	sync_buf(fds[i], DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
}

int main(int argc, char **argv)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	bool has_fault = false, goes_on = false;
	int dev, opt, nr, i;

	while ((opt = getopt(argc, argv, "ft")) != -1) {
		has_fault |= opt == 'f';
		goes_on |= opt == 't';
	}
	nr = argc - optind;
	dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC);
	if (dev < 0)
		die("/dev/heapsim");
	if (nr > MAX)
		return 2;
	for (i = 0; i < nr; i++) {
		make(dev, i, argv[optind + i]);
		use(i);
	}
	if (has_fault)
		sync_buf(fds[0], DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
	if (nr > 1)
		close(fds[--nr]);
	puts("ready");
	fflush(stdout);
	while (!poll(&input, 1, goes_on ? 20 : -1))
		for (i = 0; i < nr; i++)
			use(i);
	return 0;
}
