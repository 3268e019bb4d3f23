// SPDX-License-Identifier: GPL-2.0-only
/*
 * vgem [MISTAKE]: a right program that shares buffers with vgem, for `heapsim
 * run`. vgem imports a buffer of the noncoherent heap, which is mapped through
 * vgem and guarded by vgem's fences; and heapsim's engine uses a buffer of
 * vgem. MISTAKE: one START or one END is left out:
 *
 *	no-start	before what a fence guards is read
 *	no-end		after a write, before the engine reads
 */
#include <drm.h>
#include <drm_mode.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../corpus/corpus.h"
#include "../device/vgem.h"

#define LEN		(16 * PAGE)
#define JOB_NS		(600 * MSEC)
#define VIA_VGEM	0x31	/* value that is written before a missing END */

static const char *mistake = "";
static uint8_t want[LEN];

static bool is_mistaken(const char *what)
{
	return !strcmp(mistake, what);
}

static uint32_t vgem_import(int vgem, int fd)
{
	struct drm_prime_handle prime = { .fd = fd };

	need(!ioctl(vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime), "import");
	return prime.handle;
}

static int vgem_export(int vgem, uint32_t handle)
{
	struct drm_prime_handle prime = {
		.handle = handle,
		.flags = DRM_CLOEXEC | DRM_RDWR,
	};

	need(!ioctl(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), "export");
	return prime.fd;
}

static void vgem_close(int vgem, uint32_t handle)
{
	struct drm_gem_close gem = { .handle = handle };

	need(!ioctl(vgem, DRM_IOCTL_GEM_CLOSE, &gem), "close the handle");
}

/* A job of vgem: a fence that is pending until it is signalled */
struct job {
	int vgem;
	struct vgem_attach attach;
	pthread_t thread;
};

static void *finish_later(void *arg)
{
	const struct timespec time = { .tv_nsec = JOB_NS };
	struct job *job = arg;
	struct vgem_signal signal = { .fence = job->attach.out_fence };

	nanosleep(&time, NULL);
	need(!ioctl(job->vgem, VGEM_SIGNAL, &signal), "signal a fence");
	return NULL;
}

static struct job *start(int vgem, uint32_t handle, uint32_t flags)
{
	static struct job job;

	job = (struct job) {
		.vgem = vgem,
		.attach = { .handle = handle, .flags = flags },
	};
	need(!ioctl(vgem, VGEM_ATTACH, &job.attach), "attach a fence");
	need(!pthread_create(&job.thread, NULL, finish_later, &job),
	     "get a thread");
	return &job;
}

static bool is_idle(const struct buf *buf)
{
	struct pollfd idle = { .fd = buf->fd, .events = POLLIN | POLLOUT };

	return poll(&idle, 1, 0) == 1 && idle.revents & POLLOUT;
}

static void write_all(const struct buf *buf, uint8_t value)
{
	fd_sync(buf->fd, START_WRITE);
	memset(buf->map, value, LEN);
	if (value != VIA_VGEM || !is_mistaken("no-end"))
		fd_sync(buf->fd, END_WRITE);
	memset(want, value, LEN);
}

static void read_all(const struct buf *buf)
{
	static uint8_t copy[LEN];

	fd_sync(buf->fd, START_READ);
	memcpy(copy, buf->map, LEN);
	fd_sync(buf->fd, END_READ);
	check(!memcmp(copy, want, LEN));
}

/* The engine must see the CPU's writes, and the CPU those of the engine. */
static void work_together(int dev, const struct buf *buf, uint8_t value)
{
	write_all(buf, value);
	check(dev_sum(dev, buf, 0, LEN) == sum_of(want, LEN));
	dev_fill(dev, buf, PAGE, LEN - PAGE, value + 1);
	memset(want + PAGE, value + 1, LEN - PAGE);
	read_all(buf);
}

static void wait_for_writer(int vgem, uint32_t handle, const struct buf *buf)
{
	struct job *job = start(vgem, handle, VGEM_WRITE);
	static uint8_t copy[LEN];

	check(!is_idle(buf));
	if (!is_mistaken("no-start"))
		fd_sync(buf->fd, START_READ);
	memcpy(copy, buf->map, LEN);
	check(is_idle(buf));
	fd_sync(buf->fd, END_READ);
	check(!memcmp(copy, want, LEN));
	need(!pthread_join(job->thread, NULL), "end a thread");
}

/* Readers need not wait for a reader, but a writer must. */
static void wait_for_reader(int vgem, uint32_t handle, const struct buf *buf)
{
	struct job *job = start(vgem, handle, 0);

	read_all(buf);
	check(!is_idle(buf));
	write_all(buf, 0x44);
	check(is_idle(buf));
	need(!pthread_join(job->thread, NULL), "end a thread");
	read_all(buf);
}

/* The program waits with poll() instead of START. */
static void poll_for_writer(int vgem, uint32_t handle, const struct buf *buf)
{
	struct job *job = start(vgem, handle, VGEM_WRITE);

	fd_wait(buf->fd);
	read_all(buf);
	need(!pthread_join(job->thread, NULL), "end a thread");
}

/* Uses a buffer of vgem, mapped by vgem's ioctl. */
static void use_vgems(int dev, int vgem)
{
	struct drm_mode_create_dumb create = {
		.width = LEN / 16 / 4,
		.height = 16,
		.bpp = 32,
	};
	struct drm_mode_map_dumb map = { 0 };
	struct buf buf = { .len = LEN };

	need(!ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &create) &&
	     create.size == LEN, "make a buffer of vgem's");
	map.handle = create.handle;
	need(!ioctl(vgem, DRM_IOCTL_MODE_MAP_DUMB, &map), "ask for a map");
	buf.fd = vgem_export(vgem, create.handle);
	buf.map = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, vgem,
		       map.offset);
	need(buf.map != MAP_FAILED, "map a buffer of vgem's");
	work_together(dev, &buf, 0x61);
	buf_free(&buf);
	vgem_close(vgem, create.handle);
}

int main(int argc, char **argv)
{
	struct buf buf = buf_alloc(LEN), again = { .len = LEN };
	int dev = dev_open(), vgem = vgem_open();
	uint32_t handle;

	need(vgem >= 0, "find vgem");
	if (argc > 1)
		mistake = argv[1];
	work_together(dev, &buf, 0x11);
	handle = vgem_import(vgem, buf.fd);
	work_together(dev, &buf, 0x21);
	again.fd = vgem_export(vgem, handle);
	again.map = fd_map(again.fd, LEN);
	buf_free(&buf);
	work_together(dev, &again, VIA_VGEM);
	wait_for_writer(vgem, handle, &again);
	wait_for_reader(vgem, handle, &again);
	poll_for_writer(vgem, handle, &again);
	vgem_close(vgem, handle);
	work_together(dev, &again, 0x51);
	buf_free(&again);
	use_vgems(dev, vgem);
	close(vgem);
	close(dev);
	puts("shared with vgem");
	return 0;
}
