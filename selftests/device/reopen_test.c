// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests further dma-bufs of a buffer: the access that their files permit, and
 * that they share all other state with the buffer.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

#define LEN	(256 * KIB)

static const uint32_t kinds[] = {
	HEAPSIM_KIND_SYSTEM, HEAPSIM_KIND_NONCOHERENT, HEAPSIM_KIND_COHERENT,
	HEAPSIM_KIND_UNCACHED, HEAPSIM_KIND_CONTIGUOUS,
};

static int setup(void **state)
{
	return fixture_setup(state, HEAPSIM_KIND_NONCOHERENT, LEN);
}

static int reopen_errno(struct fixture *f, int fd, uint32_t fd_flags,
			int *new_fd)
{
	struct heapsim_buf_reopen arg = {
		.size = sizeof(arg),
		.fd_flags = fd_flags,
		.fd = fd,
	};
	int ret = device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_REOPEN, &arg);

	if (!ret)
		*new_fd = arg.new_fd;
	return ret;
}

static int reopen(struct fixture *f, uint32_t mode)
{
	int fd = -1;

	assert_int_equal(reopen_errno(f, f->fd, mode | O_CLOEXEC, &fd), 0);
	return fd;
}

static uint8_t *map_to_read(int fd)
{
	void *map = mmap(NULL, LEN, PROT_READ, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(map, MAP_FAILED);
	return map;
}

static void what_is_asked_for_is_checked(void **state)
{
	struct fixture *f = *state;
	struct heapsim_buf_reopen arg = {
		.size = sizeof(arg),
		.fd = f->fd,
		.new_fd = 1,
	};
	struct heapsim_buf_alloc alloc = {
		.size = sizeof(alloc),
		.fd_flags = O_RDWR | O_CLOEXEC,
		.len = LEN,
		.kind = HEAPSIM_KIND_PINNED,
		.alloc_flags = HEAPSIM_ALLOC_DEVICE_VIEW,
	};
	int fd = -7, nr = device_nr_fds();

	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_REOPEN,
					    &arg), -EINVAL);
	assert_int_equal(reopen_errno(f, f->fd, O_ACCMODE, &fd), -EINVAL);
	assert_int_equal(reopen_errno(f, f->fd, O_APPEND, &fd), -EINVAL);
	assert_int_equal(reopen_errno(f, -1, O_RDONLY, &fd), -EBADF);
	assert_int_equal(reopen_errno(f, f->dev, O_RDONLY, &fd), -EINVAL);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_ALLOC,
					    &alloc), 0);
	assert_int_equal(reopen_errno(f, alloc.view_fd, O_RDONLY, &fd),
			 -EOPNOTSUPP);
	close(alloc.fd);
	close(alloc.view_fd);
	assert_int_equal(fd, -7);
	assert_int_equal(device_nr_fds(), nr);
}

static void no_mode_is_more_than_was_given(void **state)
{
	static const uint32_t modes[] = { O_RDONLY, O_WRONLY, O_RDWR };
	struct fixture *f = *state;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(modes); i++) {
		int fd = reopen(f, modes[i]);

		assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, modes[i]);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		for (k = 0; k < ARRAY_SIZE(modes); k++) {
			int more = -7;

			if (modes[i] == O_RDWR || modes[i] == modes[k]) {
				assert_int_equal(reopen_errno(f, fd, modes[k],
							      &more), 0);
				assert_int_equal(fcntl(more, F_GETFD), 0);
				close(more);
				continue;
			}
			assert_int_equal(reopen_errno(f, fd, modes[k], &more),
					 -EPERM);
			assert_int_equal(more, -7);
		}
		close(fd);
	}
}

static void read_only_is_never_written(void **state)
{
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		int own = device_alloc(f->dev, kinds[i], LEN), fd = -1, mem;
		struct heapsim_dma_submit fill = {
			.size = sizeof(fill),
			.op = HEAPSIM_DMA_FILL,
			.src_fd = -1,
			.row_len = LEN,
			.nr_rows = 1,
		};
		char path[32];
		uint8_t *map;

		assert_int_equal(reopen_errno(f, own, O_RDONLY, &fd), 0);
		assert_ptr_equal(mmap(NULL, LEN, PROT_READ | PROT_WRITE,
				      MAP_SHARED, fd, 0), MAP_FAILED);
		assert_int_equal(errno, EACCES);
		map = map_to_read(fd);
		assert_int_equal(mprotect(map, LEN, PROT_READ | PROT_WRITE),
				 -1);
		assert_int_equal(errno, EACCES);
		assert_int_equal(device_signal_of_read(map), 0);
		assert_int_equal(device_signal_of_write(map), SIGSEGV);
		mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
		assert_true(mem >= 0);
		assert_int_equal(pwrite(mem, "x", 1, (off_t)(uintptr_t)map),
				 -1);
		close(mem);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		assert_int_equal(open(path, O_RDWR | O_CLOEXEC), -1);
		fill.dst_fd = fd;
		assert_int_equal(device_submit_errno(f->dev, &fill), -EPERM);
		assert_true(device_is_filled(map, 0, LEN));
		device_unmap(map, LEN);
		close(fd);
		close(own);
	}
}

static void it_is_the_same_buffer(void **state)
{
	struct fixture *f = *state;
	int fd = reopen(f, O_RDONLY);
	struct heapsim_buf_info own, info;
	char name[64];

	f->map[0] = 1;
	own = device_buf_info(f->dev, f->fd);
	info = device_buf_info(f->dev, fd);
	info.fd = own.fd;
	assert_memory_equal(&info, &own, sizeof(own));
	assert_int_equal(lseek(fd, 0, SEEK_END), LEN);
	device_fdinfo(fd, "exp_name", name, sizeof(name));
	assert_string_equal(name, "noncoherent");
	assert_int_equal(device_checksum(f->dev, fd, 0, LEN),
			 device_checksum(f->dev, f->fd, 0, LEN));
	device_maintain(f->dev, fd, HEAPSIM_MAINT_CLEAN, 0, LEN);
	assert_int_equal(device_count(f->dev, f->fd).lines_cleaned, 1);
	close(fd);
}

/* The PTEs of both mappings are revoked. */
static void its_mapping_goes_stale_as_the_others(void **state)
{
	struct fixture *f = *state;
	int fd = reopen(f, O_RDONLY);
	uint8_t *map = map_to_read(fd);

	device_fill(f->dev, f->fd, 0, LEN, 0x01010101);
	device_sync(fd, SYNC_START_READ);
	assert_int_equal(device_peek(map), 1);
	device_sync(fd, SYNC_END_READ);
	device_fill(f->dev, f->fd, 0, LEN, 0x02020202);
	/* The old bytes are read, and the read is reported. */
	assert_int_equal(device_peek(map), 1);
	assert_true(device_count(f->dev, f->fd).stale_reads > 0);
	device_maintain(f->dev, fd, HEAPSIM_MAINT_INVALIDATE, 0, LEN);
	assert_int_equal(device_peek(map), 2);
	/* A store through one mapping is visible through the other. */
	device_sync(f->fd, SYNC_START_WRITE);
	f->map[0] = 3;
	assert_int_equal(device_peek(map), 3);
	device_sync(f->fd, SYNC_END_WRITE);
	device_unmap(map, LEN);
	close(fd);
}

static void a_job_has_both_as_its_sides(void **state)
{
	struct fixture *f = *state;
	int fd = reopen(f, O_RDONLY);
	uint8_t *dram;

	device_fill(f->dev, f->fd, 0, LEN / 2, 0x07070707);
	device_copy(f->dev, fd, 0, f->fd, LEN / 2, LEN / 2);
	dram = device_dram(f->dev, fd, LEN);
	assert_true(device_is_filled(dram, 7, LEN));
	free(dram);
	close(fd);
}

/* As by one descriptor: the upper row would be read after it was written. */
static void a_row_is_copied_over_itself(void **state)
{
	struct fixture *f = *state;
	const size_t up = 100, len = LEN - up;
	uint8_t *expected = malloc(LEN), *dram;
	int fd = reopen(f, O_RDONLY);
	size_t i;

	assert_non_null(expected);
	for (i = 0; i < LEN; i++) {
		f->map[i] = i % 251;
		expected[i] = i < up ? i % 251 : (i - up) % 251;
	}
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_CLEAN, 0, LEN);
	device_copy(f->dev, fd, 0, f->fd, up, len);
	dram = device_dram(f->dev, f->fd, LEN);
	assert_memory_equal(dram, expected, LEN);
	free(dram);
	free(expected);
	close(fd);
}

static void fences_are_those_of_the_buffer(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create fence;
	int fd = reopen(f, O_RDONLY);

	assert_int_equal(device_fence_errno(f->dev, f->fd, DMA_BUF_SYNC_WRITE,
					    5 * NSEC_PER_SEC, &fence), 0);
	assert_int_equal(device_poll(fd, POLLIN, 0), 0);
	assert_int_equal(device_poll(f->fd, POLLIN, 0), 0);
	device_fence_signal(f->dev, fence.fence, 0);
	assert_int_equal(device_poll(fd, POLLIN, 1000), POLLIN);
	close(fence.fence_fd);
	close(fd);
}

static void importers_of_both_hold_one_buffer(void **state)
{
	static const uint32_t hows[] = { HEAPSIM_HOLD_MAP, HEAPSIM_HOLD_VMAP };
	struct fixture *f = *state;
	struct heapsim_hold own, other;
	int fd = reopen(f, O_RDONLY);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hows); i++) {
		assert_int_equal(device_hold_errno(f->dev, f->fd, hows[i],
						   HEAPSIM_DIR_BIDIRECTIONAL,
						   &own), 0);
		assert_int_equal(device_hold_errno(f->dev, fd, hows[i],
						   HEAPSIM_DIR_BIDIRECTIONAL,
						   &other), 0);
		assert_true(device_buf_info(f->dev, fd).nr_holders > 0);
		device_release(f->dev, own.hold);
		assert_int_equal(device_buf_info(f->dev, fd).nr_holders, 1);
		device_release(f->dev, other.hold);
		assert_int_equal(device_buf_info(f->dev, fd).nr_holders, 0);
	}
	close(fd);
}

static uint64_t missing_ends(struct fixture *f)
{
	return count(f).missing_ends;
}

struct child {
	struct fixture *f;
	int fd;
};

/*
 * Starts a process that has only the further descriptor of the buffer. It
 * begins a bracket, closes the descriptor, and waits to be killed.
 */
static pid_t begin_and_close(struct child *child)
{
	int pipes[2];
	pid_t pid;
	char c;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		munmap(child->f->map, child->f->len);
		close(child->f->fd);
		device_sync(child->fd, SYNC_START_WRITE);
		close(child->fd);
		if (write(pipes[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(pipes[0], &c, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	return pid;
}

/* The first descriptor and mapping are closed; the further ones can END. */
static int begin_and_keep(void *arg)
{
	struct child *child = arg;
	uint64_t before = missing_ends(child->f);
	uint8_t *map;

	device_sync(child->f->fd, SYNC_START_WRITE);
	munmap(child->f->map, child->f->len);
	close(child->f->fd);
	if (device_count(child->f->dev, child->fd).missing_ends != before)
		return 1;
	map = map_to_read(child->fd);
	close(child->fd);
	device_peek(map);
	return 0;
}

static void a_bracket_lasts_as_long_as_any_descriptor(void **state)
{
	struct fixture *f = *state;
	struct child child = { f, reopen(f, O_RDONLY) };
	pid_t pid;

	assert_int_equal(missing_ends(f), 0);
	assert_int_equal(device_in_child(begin_and_keep, &child), 0);
	/* The end of the child released the buffer. */
	assert_int_equal(missing_ends(f), 1);
	pid = begin_and_close(&child);
	assert_int_equal(missing_ends(f), 2);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(missing_ends(f), 2);
	close(child.fd);
}

static void it_keeps_the_buffer(void **state)
{
	struct fixture *f = *state;
	uint64_t before = device_info(f->dev).nr_bufs;
	int own = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, LEN), fd = -1;
	uint8_t *map;
	int i;

	assert_int_equal(reopen_errno(f, own, O_RDONLY, &fd), 0);
	map = device_map(own, LEN);
	memset(map, 9, LEN);
	device_unmap(map, LEN);
	close(own);
	map = map_to_read(fd);
	close(fd);
	assert_true(device_is_filled(map, 9, LEN));
	assert_int_equal(device_info(f->dev).nr_bufs, before + 1);
	device_unmap(map, LEN);
	for (i = 0; i < 100 && device_info(f->dev).nr_bufs > before; i++)
		usleep(10000);
	assert_int_equal(device_info(f->dev).nr_bufs, before);
}

static void many_come_and_go(void **state)
{
	struct fixture *f = *state;
	int fds[200];
	size_t i, k;

	for (k = 0; k < 20; k++) {
		for (i = 0; i < ARRAY_SIZE(fds); i++)
			fds[i] = reopen(f, i % 2 ? O_RDONLY : O_RDWR);
		for (i = 0; i < ARRAY_SIZE(fds); i++)
			close(fds[i]);
	}
	assert_int_equal(device_info(f->dev).nr_bufs, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, \
						   fixture_teardown)
		TEST(what_is_asked_for_is_checked),
		TEST(no_mode_is_more_than_was_given),
		TEST(read_only_is_never_written),
		TEST(it_is_the_same_buffer),
		TEST(its_mapping_goes_stale_as_the_others),
		TEST(a_job_has_both_as_its_sides),
		TEST(a_row_is_copied_over_itself),
		TEST(fences_are_those_of_the_buffer),
		TEST(importers_of_both_hold_one_buffer),
		TEST(a_bracket_lasts_as_long_as_any_descriptor),
		TEST(it_keeps_the_buffer),
		TEST(many_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
