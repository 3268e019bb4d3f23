// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the module's buffers with importers: its own test importer (hold), vgem
 * with PRIME, vivid with V4L2.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <drm.h>
#include <drm_mode.h>

#include "../vivid.h"
#include "fixture.h"
#include "vgem.h"

#define LEN	(256 * KIB)

static const uint32_t kinds[] = {
	HEAPSIM_KIND_SYSTEM, HEAPSIM_KIND_NONCOHERENT, HEAPSIM_KIND_COHERENT,
	HEAPSIM_KIND_UNCACHED, HEAPSIM_KIND_CONTIGUOUS,
};

#define NR_KINDS	(ARRAY_SIZE(kinds))

static int setup(void **state)
{
	return fixture_setup(state, HEAPSIM_KIND_NONCOHERENT, LEN);
}

static uint32_t nr_holders(struct fixture *f)
{
	return device_buf_info(f->dev, f->fd).nr_holders;
}

static uint64_t hold(struct fixture *f, uint32_t how, uint32_t dir)
{
	struct heapsim_hold answer;

	assert_int_equal(device_hold_errno(f->dev, f->fd, how, dir, &answer),
			 0);
	return answer.hold;
}

/* On the debug kernel, DMA_API_DEBUG checks these mappings, too. */
static void one_device_maps_it_several_times(void **state)
{
	const uint32_t dirs[] = {
		HEAPSIM_DIR_BIDIRECTIONAL, HEAPSIM_DIR_TO_DEVICE,
		HEAPSIM_DIR_FROM_DEVICE, HEAPSIM_DIR_FROM_DEVICE,
	};
	const uint64_t starts[] = {
		SYNC_START_READ, SYNC_START_WRITE, SYNC_START_RW,
	};
	const uint64_t ends[] = { SYNC_END_READ, SYNC_END_WRITE, SYNC_END_RW };
	uint64_t holds[ARRAY_SIZE(dirs)];
	struct fixture *f = *state;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		holds[i] = hold(f, HEAPSIM_HOLD_MAP, dirs[i]);
		assert_int_equal(nr_holders(f), i + 1);
		for (k = 0; k < ARRAY_SIZE(starts); k++) {
			device_sync(f->fd, starts[k]);
			device_sync(f->fd, ends[k]);
		}
	}
	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		device_release(f->dev, holds[i]);
		device_sync(f->fd, SYNC_START_RW);
		device_sync(f->fd, SYNC_END_RW);
	}
	assert_int_equal(nr_holders(f), 0);
}

static void sg_table_covers_the_buffer(void **state)
{
	const uint64_t lens[] = { 4096, 3 * 4096, 64 * KIB, MIB + 4096,
				  4 * MIB };
	struct heapsim_hold answer;
	struct fixture *f = *state;
	uint64_t len;
	size_t i, k;
	int fd;

	for (i = 0; i < NR_KINDS; i++)
		for (k = 0; k < ARRAY_SIZE(lens); k++) {
			len = lens[k];
			if (kinds[i] == HEAPSIM_KIND_CONTIGUOUS && len > MIB)
				continue;
			fd = device_alloc(f->dev, kinds[i], len);
			len = device_buf_info(f->dev, fd).len;
			assert_int_equal(device_hold_errno(f->dev, fd,
							   HEAPSIM_HOLD_MAP, 0,
							   &answer), 0);
			assert_int_equal(answer.sg_bytes, len);
			assert_true(answer.nr_segments >= 1);
			assert_true(answer.nr_segments <=
				    len / device_page_size());
			assert_true(answer.max_segment *
				    answer.nr_segments >= len);
			assert_true(answer.max_segment <= len);
			device_release(f->dev, answer.hold);
			close(fd);
		}
}

static void contiguous_is_one_segment(void **state)
{
	const uint64_t lens[] = { 4096, 64 * KIB, 300 * KIB, MIB };
	struct heapsim_hold answer;
	struct fixture *f = *state;
	size_t k;
	int fd;

	for (k = 0; k < ARRAY_SIZE(lens); k++) {
		fd = device_alloc(f->dev, HEAPSIM_KIND_CONTIGUOUS, lens[k]);
		assert_int_equal(device_hold_errno(f->dev, fd,
						   HEAPSIM_HOLD_MAP, 0,
						   &answer), 0);
		assert_int_equal(answer.nr_segments, 1);
		assert_int_equal(answer.max_segment,
				 device_buf_info(f->dev, fd).len);
		device_release(f->dev, answer.hold);
		close(fd);
	}
}

static void contiguous_beyond_what_there_is_is_enomem(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(device_alloc_errno(f->dev, HEAPSIM_KIND_CONTIGUOUS,
					    256 * MIB, O_RDWR), -ENOMEM);
}

static void holders_are_counted(void **state)
{
	struct fixture *f = *state;
	uint64_t one, two, three;

	assert_int_equal(nr_holders(f), 0);
	one = hold(f, HEAPSIM_HOLD_MAP, HEAPSIM_DIR_TO_DEVICE);
	assert_int_equal(nr_holders(f), 1);
	two = hold(f, HEAPSIM_HOLD_MAP, HEAPSIM_DIR_FROM_DEVICE);
	assert_int_equal(nr_holders(f), 2);
	three = hold(f, HEAPSIM_HOLD_VMAP, 0);
	assert_int_equal(nr_holders(f), 3);
	device_release(f->dev, two);
	device_release(f->dev, one);
	assert_int_equal(nr_holders(f), 1);
	device_release(f->dev, three);
	assert_int_equal(nr_holders(f), 0);
}

static void closing_the_open_releases(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold answer;
	int dev = device_open();

	assert_int_equal(device_hold_errno(dev, f->fd, HEAPSIM_HOLD_MAP, 0,
					   &answer), 0);
	assert_int_equal(device_hold_errno(dev, f->fd, HEAPSIM_HOLD_VMAP, 0,
					   &answer), 0);
	assert_int_equal(nr_holders(f), 2);
	close(dev);
	assert_int_equal(nr_holders(f), 0);
}

static void hold_belongs_to_one_open(void **state)
{
	struct fixture *f = *state;
	struct heapsim_release release = { .size = sizeof(release) };
	int dev = device_open();

	release.hold = hold(f, HEAPSIM_HOLD_MAP, 0);
	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_RELEASE,
					    &release), -ENOENT);
	close(dev);
	device_release(f->dev, release.hold);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_RELEASE,
					    &release), -ENOENT);
}

static void map_cleans_all(void **state)
{
	const uint32_t hows[] = { HEAPSIM_HOLD_MAP, HEAPSIM_HOLD_VMAP };
	struct fixture *f = *state;
	uint64_t id;
	size_t i;

	for (i = 0; i < 2; i++) {
		f->map[i] = 0x40 + i;
		id = hold(f, hows[i], 0);
		assert_int_equal(count(f).lines_cleaned, i + 1);
		assert_int_equal(device_checksum(f->dev, f->fd, i, 1),
				 fnv1a(f->map + i, 1));
		device_release(f->dev, id);
	}
}

static void unmap_takes_in(void **state)
{
	const uint32_t hows[] = { HEAPSIM_HOLD_MAP, HEAPSIM_HOLD_VMAP };
	struct fixture *f = *state;
	uint64_t id;
	size_t i;

	for (i = 0; i < 2; i++) {
		device_peek(f->map);
		id = hold(f, hows[i], 0);
		device_fill(f->dev, f->fd, 0, LEN, 0x31313131 + i);
		device_release(f->dev, id);
		assert_int_equal(f->map[0], 0x31 + i);
		assert_int_equal(f->map[4097], 0x31);
	}
}

static void unmap_of_a_to_device_map_keeps_stale_lines(void **state)
{
	struct fixture *f = *state;
	uint64_t id;

	assert_int_equal(device_peek(f->map), 0);
	device_fill(f->dev, f->fd, 0, LEN, 0x11111111);
	id = hold(f, HEAPSIM_HOLD_MAP, HEAPSIM_DIR_TO_DEVICE);
	device_release(f->dev, id);
	assert_int_equal(count(f).lines_invalidated, 0);
	assert_int_equal(device_peek(f->map), 0);
	assert_int_equal(count(f).stale_reads, 1);
}

static void only_the_last_vunmap_takes_in(void **state)
{
	struct fixture *f = *state;
	uint64_t one = hold(f, HEAPSIM_HOLD_VMAP, 0);
	uint64_t two = hold(f, HEAPSIM_HOLD_VMAP, 0);

	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(f->map[0], 0);
	device_fill(f->dev, f->fd, 0, LEN, 0x31313131);
	device_release(f->dev, one);
	assert_int_equal(f->map[0], 0);
	device_release(f->dev, two);
	assert_int_equal(f->map[0], 0x31);
	device_sync(f->fd, SYNC_END_READ);
}

static void touch_of_a_held_buffer_outside_a_bracket_is_counted(void **state)
{
	struct fixture *f = *state;
	uint64_t id = hold(f, HEAPSIM_HOLD_MAP, HEAPSIM_DIR_FROM_DEVICE);

	device_peek(f->map);
	assert_int_equal(count(f).unbracketed_accesses, 1);
	f->map[0] = 1;
	assert_int_equal(count(f).unbracketed_accesses, 2);
	device_release(f->dev, id);
	f->map[4096] = 1;
	assert_int_equal(count(f).unbracketed_accesses, 2);
}

static void brackets_license_a_held_buffer(void **state)
{
	struct fixture *f = *state;
	uint64_t id = hold(f, HEAPSIM_HOLD_MAP, HEAPSIM_DIR_BIDIRECTIONAL);

	device_sync(f->fd, SYNC_START_RW);
	device_peek(f->map);
	f->map[0] = 1;
	device_sync(f->fd, SYNC_END_RW);
	assert_int_equal(count(f).unbracketed_accesses, 0);
	/* END of a held buffer revokes PTEs, so the next access is reported. */
	device_peek(f->map);
	assert_int_equal(count(f).unbracketed_accesses, 1);
	/* A bracket for reading does not permit a write. */
	device_sync(f->fd, SYNC_START_READ);
	device_peek(f->map);
	assert_int_equal(count(f).unbracketed_accesses, 1);
	f->map[0] = 2;
	assert_int_equal(count(f).unbracketed_accesses, 2);
	device_sync(f->fd, SYNC_END_READ);
	device_release(f->dev, id);
}

static void to_device_holder_lets_the_cpu_read(void **state)
{
	struct fixture *f = *state;
	uint64_t id = hold(f, HEAPSIM_HOLD_MAP, HEAPSIM_DIR_TO_DEVICE);

	device_peek(f->map);
	assert_int_equal(count(f).unbracketed_accesses, 0);
	f->map[0] = 1;
	assert_int_equal(count(f).unbracketed_accesses, 1);
	device_release(f->dev, id);
}

static void one_view_is_held_without_counting(void **state)
{
	static const struct heapsim_counters none;
	struct heapsim_counters counters;
	struct heapsim_hold answer;
	struct fixture *f = *state;
	int fd = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, LEN);
	uint8_t *map = device_map(fd, LEN);

	assert_int_equal(device_hold_errno(f->dev, fd, HEAPSIM_HOLD_MAP, 0,
					   &answer), 0);
	memset(map, 1, LEN);
	device_release(f->dev, answer.hold);
	counters = device_count(f->dev, fd);
	assert_memory_equal(&counters, &none, sizeof(none));
	device_unmap(map, LEN);
	close(fd);
}

/* On the debug kernel, DMA_API_DEBUG checks this, too. */
static void two_writers_hold_at_once(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold a, b;

	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_BIDIRECTIONAL, &a), 0);
	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_FROM_DEVICE, &b), 0);
	assert_int_equal(device_buf_info(f->dev, f->fd).nr_holders, 2);
	device_release(f->dev, a.hold);
	device_release(f->dev, b.hold);
	assert_int_equal(device_buf_info(f->dev, f->fd).nr_holders, 0);
}

static int vgem_or_skip(void)
{
	int vgem = vgem_open();

	if (vgem < 0)
		device_skip("this kernel has no vgem");
	return vgem;
}

static uint32_t vgem_import(int vgem, int fd)
{
	struct drm_prime_handle prime = { .fd = fd };
	int ret = device_ioctl_errno(vgem, DRM_IOCTL_PRIME_FD_TO_HANDLE,
				     &prime);

	if (ret)
		fail_msg("PRIME_FD_TO_HANDLE: %s", strerror(-ret));
	return prime.handle;
}

static void vgem_release(int vgem, uint32_t handle)
{
	struct drm_gem_close gem_close = { .handle = handle };

	assert_int_equal(device_ioctl_errno(vgem, DRM_IOCTL_GEM_CLOSE,
					    &gem_close), 0);
}

static void vgem_imports_every_kind(void **state)
{
	struct drm_prime_handle back = { .flags = DRM_CLOEXEC | DRM_RDWR };
	struct fixture *f = *state;
	int vgem = vgem_or_skip(), fd, ret;
	uint8_t *map;
	size_t i;

	for (i = 0; i < NR_KINDS; i++) {
		fd = device_alloc(f->dev, kinds[i], LEN);
		back.handle = vgem_import(vgem, fd);
		ret = device_ioctl_errno(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD,
					 &back);
		assert_int_equal(ret, 0);
		assert_int_equal(device_buf_info(f->dev, back.fd).id,
				 device_buf_info(f->dev, fd).id);
		close(fd);
		/* The import keeps the buffer, and its bytes. */
		map = device_map(back.fd, LEN);
		map[LEN - 1] = 0x29;
		close(back.fd);
		vgem_release(vgem, back.handle);
		assert_int_equal(map[LEN - 1], 0x29);
		device_unmap(map, LEN);
	}
	close(vgem);
}

static void fence_of_vgem_drives_the_buffer(void **state)
{
	struct fixture *f = *state;
	int vgem = vgem_or_skip(), fence_fd;
	int other = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, LEN);
	struct vgem_attach attach = { .flags = VGEM_WRITE };
	struct vgem_signal signal = { 0 };

	attach.handle = vgem_import(vgem, f->fd);
	assert_int_equal(device_ioctl_errno(vgem, VGEM_ATTACH, &attach), 0);
	assert_int_equal(device_poll(f->fd, POLLIN, 20), 0);
	fence_fd = device_sync_file_export(f->fd, DMA_BUF_SYNC_READ);
	assert_int_equal(device_fence_status(fence_fd), 0);
	device_sync_file_import(other, DMA_BUF_SYNC_WRITE, fence_fd);
	assert_int_equal(device_poll(other, POLLIN, 20), 0);
	/* An access while another driver's write fence is pending counts. */
	device_peek(f->map);
	assert_true(count(f).unbracketed_accesses >= 1);
	signal.fence = attach.out_fence;
	assert_int_equal(device_ioctl_errno(vgem, VGEM_SIGNAL, &signal), 0);
	assert_int_equal(device_poll(f->fd, POLLIN, 1000), POLLIN);
	assert_int_equal(device_poll(other, POLLIN, 1000), POLLIN);
	assert_int_equal(device_fence_status(fence_fd), 1);
	device_sync(f->fd, SYNC_START_READ);
	device_sync(f->fd, SYNC_END_READ);
	vgem_release(vgem, attach.handle);
	close(fence_fd);
	close(other);
	close(vgem);
}

/* Number of frames that vivid captures into buffers of the module */
#define NR_FRAMES	3

struct camera {
	int fd;
	size_t len;
	uint32_t width;
	uint32_t height;
	uint32_t pitch;
};

/* @instance counts vivid's capture nodes: run.sh has it make two. */
static struct camera camera_open(unsigned int instance)
{
	static int last = -1;
	struct v4l2_pix_format pix = { 0 };
	struct camera camera;

	/* A failed test may have left the camera streaming. */
	if (last >= 0)
		close(last);
	last = vivid_open(instance);
	if (last < 0)
		device_skip("this kernel has no such vivid");
	assert_int_equal(vivid_set_format(last, 640, 360, 30, &pix), 0);
	camera.fd = last;
	camera.len = pix.sizeimage;
	camera.width = pix.width;
	camera.height = pix.height;
	camera.pitch = pix.bytesperline;
	return camera;
}

static void queue(struct camera *camera, unsigned int index, int fd)
{
	assert_int_equal(vivid_queue(camera->fd, index, fd, camera->len), 0);
}

static unsigned int dequeue(struct camera *camera)
{
	const int index = vivid_dequeue(camera->fd, camera->len);

	if (index < 0)
		fail_msg("DQBUF: %s", strerror(-index));
	return (unsigned int)index;
}

static void request(struct camera *camera, unsigned int nr)
{
	assert_int_equal(vivid_request(camera->fd, nr), 0);
}

static void stream(struct camera *camera, unsigned long cmd)
{
	assert_int_equal(vivid_stream(camera->fd, cmd), 0);
}

/*
 * vivid's picture has vertical colour bars with moving text on them. The last
 * rows have only bars, so each equals the row above and has many colours.
 */
static bool is_picture(const uint8_t *frame, struct camera *camera)
{
	const uint8_t *row = frame + (camera->height - 2) *
				      camera->pitch;
	uint32_t colour = 0, nr_colours = 0, x;

	for (x = 0; x < camera->width; x++) {
		uint32_t pixel = row[4 * x] | row[4 * x + 1] << 8 |
				 row[4 * x + 2] << 16;

		if (!x || pixel != colour)
			nr_colours++;
		colour = pixel;
	}
	for (x = 0; x < camera->pitch; x++)
		if (row[x] != row[x + camera->pitch])
			return false;
	return nr_colours >= 6;
}

/*
 * Captures into buffers that are in the CPU's cache. If @is_stale, the CPU must
 * see the old bytes until START READ, else the frame at once.
 */
static void capture(struct fixture *f, struct camera *camera, uint32_t kind,
		    bool is_stale)
{
	uint8_t *maps[2];
	uint8_t *dram;
	unsigned int i, index;
	int fds[2];

	request(camera, 2);
	for (i = 0; i < 2; i++) {
		fds[i] = device_alloc(f->dev, kind, camera->len);
		maps[i] = device_map(fds[i], camera->len);
		device_sync(fds[i], SYNC_START_WRITE);
		memset(maps[i], 0xd7, camera->len);
		device_sync(fds[i], SYNC_END_WRITE);
		queue(camera, i, fds[i]);
	}
	stream(camera, VIDIOC_STREAMON);
	for (i = 0; i < NR_FRAMES; i++) {
		index = dequeue(camera);
		assert_true(device_buf_info(f->dev, fds[index]).nr_holders >=
			    1);
		if (is_stale && i < 2)
			assert_true(device_is_filled(maps[index], 0xd7,
						     camera->len));
		dram = device_dram(f->dev, fds[index], camera->len);
		assert_true(is_picture(dram, camera));
		device_sync(fds[index], SYNC_START_READ);
		assert_memory_equal(maps[index], dram, camera->len);
		assert_true(is_picture(maps[index], camera));
		device_sync(fds[index], SYNC_END_READ);
		free(dram);
		if (i + 1 < NR_FRAMES)
			queue(camera, index, fds[index]);
	}
	stream(camera, VIDIOC_STREAMOFF);
	request(camera, 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(device_buf_info(f->dev, fds[i]).nr_holders,
				 0);
		device_unmap(maps[i], camera->len);
		close(fds[i]);
	}
}

static void frame_of_vivid_is_stale_on_noncoherent(void **state)
{
	struct camera camera = camera_open(0);

	capture(*state, &camera, HEAPSIM_KIND_NONCOHERENT, true);
}

static void frame_of_vivid_is_there_on_coherent(void **state)
{
	struct camera camera = camera_open(0);

	capture(*state, &camera, HEAPSIM_KIND_COHERENT, false);
}

static void frame_of_vivid_is_there_on_system(void **state)
{
	struct camera camera = camera_open(0);

	capture(*state, &camera, HEAPSIM_KIND_SYSTEM, false);
}

static void vivid_with_contiguous_memory_takes_contiguous(void **state)
{
	struct camera camera = camera_open(1);

	capture(*state, &camera, HEAPSIM_KIND_CONTIGUOUS, false);
}

/*
 * With vmap=cpu a driver maps the CPU's view, and does not count as a holder.
 */
static void vmap_of_the_cache_maintains_nothing(void **state)
{
	struct fixture *f = *state;
	struct heapsim_counters c;
	uint64_t id;
	uint8_t *dram;

	memset(f->map, 0x31, LEN);
	id = hold(f, HEAPSIM_HOLD_VMAP, 0);
	assert_int_equal(nr_holders(f), 0);
	assert_true(device_is_filled(f->map, 0x31, LEN));
	f->map[0] = 0x32;
	dram = device_dram(f->dev, f->fd, LEN);
	assert_true(device_is_filled(dram, 0, LEN));
	free(dram);
	device_release(f->dev, id);
	assert_int_equal(f->map[0], 0x32);
	c = count(f);
	assert_int_equal(c.lines_cleaned, 0);
	assert_int_equal(c.lines_invalidated, 0);
	assert_int_equal(c.redundant_cleans, 0);
	assert_int_equal(c.redundant_invalidates, 0);
	assert_int_equal(c.unbracketed_accesses, 0);
}

/* Lines stay stale, whether stored to before the vmap or during it. */
static void vmap_of_the_cache_has_the_old_bytes(void **state)
{
	struct fixture *f = *state;
	uint64_t id;

	assert_true(device_is_filled(f->map, 0, LEN));
	device_fill(f->dev, f->fd, 0, LEN, 0x55555555);
	f->map[0] = 0;
	id = hold(f, HEAPSIM_HOLD_VMAP, 0);
	assert_true(device_is_filled(f->map, 0, LEN));
	f->map[2 * f->line] = 0;
	assert_true(device_is_filled(f->map, 0, LEN));
	device_release(f->dev, id);
	assert_true(device_is_filled(f->map, 0, LEN));
}

/* vivid writes the next frame into the buffer that it gave back last. */
static void capture_again(struct camera *camera, const int *fds,
			  unsigned int index)
{
	unsigned int next;

	queue(camera, index, fds[index]);
	while ((next = dequeue(camera)) != index)
		queue(camera, next, fds[next]);
}

static void dram_is_filled(struct fixture *f, int fd, size_t len,
			   uint8_t value)
{
	uint8_t *dram = device_dram(f->dev, fd, len);

	assert_true(device_is_filled(dram, value, len));
	free(dram);
}

/*
 * The frames of vivid are the CPU's stores: seen at once by the CPU, and by
 * engines when they are cleaned.
 */
static void frame_of_vivid_is_in_the_cache(void **state)
{
	struct camera camera = camera_open(0);
	struct fixture *f = *state;
	struct heapsim_counters c;
	uint8_t *maps[2], *dram;
	size_t len = camera.len;
	unsigned int i;
	int fds[2];

	request(&camera, 2);
	for (i = 0; i < 2; i++) {
		fds[i] = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, len);
		maps[i] = device_map(fds[i], len);
		assert_int_equal(maps[i][0], 0);
		queue(&camera, i, fds[i]);
	}
	stream(&camera, VIDIOC_STREAMON);
	i = dequeue(&camera);
	assert_int_equal(device_buf_info(f->dev, fds[i]).nr_holders, 0);
	assert_true(is_picture(maps[i], &camera));
	dram_is_filled(f, fds[i], len, 0);
	assert_true(device_count(f->dev, fds[i]).missing_cleans > 0);
	device_maintain(f->dev, fds[i], HEAPSIM_MAINT_CLEAN, 0, len);
	dram = device_dram(f->dev, fds[i], len);
	assert_memory_equal(dram, maps[i], len);
	free(dram);

	/* The cache keeps its lines, and vivid sees those that were fetched. */
	device_fill(f->dev, fds[i], 0, len, 0x11111111);
	assert_true(is_picture(maps[i], &camera));
	device_maintain(f->dev, fds[i], HEAPSIM_MAINT_INVALIDATE, 0, len);
	assert_true(device_is_filled(maps[i], 0x11, len));
	capture_again(&camera, fds, i);
	assert_true(is_picture(maps[i], &camera));
	dram_is_filled(f, fds[i], len, 0x11);

	/* The end of the mapping leaves the frame in the cache, too. */
	stream(&camera, VIDIOC_STREAMOFF);
	request(&camera, 0);
	assert_true(is_picture(maps[i], &camera));
	dram_is_filled(f, fds[i], len, 0x11);
	device_maintain(f->dev, fds[i], HEAPSIM_MAINT_CLEAN, 0, len);
	dram = device_dram(f->dev, fds[i], len);
	assert_memory_equal(dram, maps[i], len);
	free(dram);
	c = device_count(f->dev, fds[i]);
	assert_int_equal(c.lost_cpu_writes, 0);
	assert_int_equal(c.unbracketed_accesses, 0);
	for (i = 0; i < 2; i++) {
		device_unmap(maps[i], len);
		close(fds[i]);
	}
}

/* The mapping fills lines but stores nothing, so nothing conflicts. */
static void vmap_of_the_cache_under_a_job_loses_nothing(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = device_fill_of(f->fd, LEN,
							  0x55555555);
	struct heapsim_fence_create fence;
	struct heapsim_job_wait wait;
	uint64_t vmap;
	uint8_t *dram;

	assert_int_equal(device_fence_errno(f->dev, f->fd, HEAPSIM_FENCE_WRITE,
					    10 * NSEC_PER_SEC, &fence), 0);
	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	vmap = hold(f, HEAPSIM_HOLD_VMAP, 0);
	device_fence_signal(f->dev, fence.fence, 0);
	assert_int_equal(device_wait_errno(f->dev, submit.job,
					   10 * NSEC_PER_SEC, &wait), 0);
	assert_int_equal(count(f).write_conflicts, 0);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(count(f).lines_cleaned, 0);
	dram = device_dram(f->dev, f->fd, LEN);
	assert_true(device_is_filled(dram, 0x55, LEN));
	free(dram);
	device_release(f->dev, vmap);
	close(submit.fence_fd);
	close(fence.fence_fd);
}

static bool vmap_is_cpu(void)
{
	char value[16] = "";
	FILE *file = fopen("/sys/module/heapsim/parameters/vmap", "re");

	if (!file || !fgets(value, sizeof(value), file))
		abort();
	fclose(file);
	return !strcmp(value, "cpu\n");
}

int main(void)
{
#define TEST(fn)	\
	cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
	static const struct CMUnitTest tests[] = {
		TEST(sg_table_covers_the_buffer),
		TEST(contiguous_is_one_segment),
		TEST(contiguous_beyond_what_there_is_is_enomem),
		TEST(holders_are_counted),
		TEST(two_writers_hold_at_once),
		TEST(closing_the_open_releases),
		TEST(hold_belongs_to_one_open),
		TEST(map_cleans_all),
		TEST(unmap_takes_in),
		TEST(unmap_of_a_to_device_map_keeps_stale_lines),
		TEST(only_the_last_vunmap_takes_in),
		TEST(touch_of_a_held_buffer_outside_a_bracket_is_counted),
		TEST(brackets_license_a_held_buffer),
		TEST(to_device_holder_lets_the_cpu_read),
		TEST(one_view_is_held_without_counting),
		TEST(one_device_maps_it_several_times),
		TEST(vgem_imports_every_kind),
		TEST(fence_of_vgem_drives_the_buffer),
		TEST(frame_of_vivid_is_stale_on_noncoherent),
		TEST(frame_of_vivid_is_there_on_coherent),
		TEST(frame_of_vivid_is_there_on_system),
		TEST(vivid_with_contiguous_memory_takes_contiguous),
	};
	static const struct CMUnitTest cpu_tests[] = {
		TEST(vmap_of_the_cache_maintains_nothing),
		TEST(vmap_of_the_cache_has_the_old_bytes),
		TEST(vmap_of_the_cache_under_a_job_loses_nothing),
		TEST(frame_of_vivid_is_in_the_cache),
	};

	if (vmap_is_cpu())
		return cmocka_run_group_tests_name("import, vmap=cpu",
						   cpu_tests, NULL, NULL);
	return cmocka_run_group_tests_name("import", tests, NULL, NULL);
}
