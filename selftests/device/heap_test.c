// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests upstream's dma-heap interface and the dma-bufs of each of the module's
 * heaps. The expected results are those of drivers/dma-buf/dma-heap.c and
 * dma-buf.c.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "../pass.h"

/* Upstream's command with another direction, magic or number. */
#define HEAP_CMD(dir, magic, nr) \
	_##dir(magic, nr, struct dma_heap_allocation_data)

static const char *heap_of(void **state)
{
	return *state;
}

static int open_heap(void **state)
{
	return device_heap_open(heap_of(state), O_RDWR);
}

static off_t buf_len(int fd)
{
	off_t len = lseek(fd, 0, SEEK_END);

	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return len;
}

static void length_is_rounded_up_to_pages(void **state)
{
	size_t page = device_page_size(), i;
	const size_t lens[][2] = {
		{ 1, page },
		{ page - 1, page },
		{ page, page },
		{ page + 1, 2 * page },
		{ 3 * page, 3 * page },
		{ MIB - 1, MIB },
	};

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		int fd = device_heap_alloc(heap_of(state), lens[i][0]);

		assert_int_equal(buf_len(fd), lens[i][1]);
		close(fd);
	}
}

static void zero_length_is_einval(void **state)
{
	int heap = open_heap(state);

	assert_int_equal(device_heap_alloc_errno(heap, 0, O_RDWR), -EINVAL);
	close(heap);
}

static void length_that_overflows_is_refused(void **state)
{
	int heap = open_heap(state), fds = device_nr_fds();
	const uint64_t lens[] = {
		UINT64_MAX, UINT64_MAX - 4096, 1ULL << 63, INT64_MAX,
		1ULL << 52, 1ULL << 44,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		int ret = device_heap_alloc_errno(heap, lens[i], O_RDWR);

		if (ret != -EINVAL && ret != -ENOMEM)
			fail_msg("%#llx: %d", (unsigned long long)lens[i],
				 ret);
	}
	assert_int_equal(device_nr_fds(), fds);
	close(heap);
}

static void length_above_memory_is_enomem_at_once(void **state)
{
	int heap = open_heap(state);
	uint64_t begin = device_now_ns();
	uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			  device_page_size();

	assert_int_equal(device_heap_alloc_errno(heap, memory + MIB, O_RDWR),
			 -ENOMEM);
	assert_int_equal(device_heap_alloc_errno(heap, 16 * memory, O_RDWR),
			 -ENOMEM);
	assert_true(device_now_ns() - begin < 2 * NSEC_PER_SEC);
	close(heap);
}

static void unknown_fd_flags_are_einval(void **state)
{
	int heap = open_heap(state);
	const uint32_t flags[] = { O_NONBLOCK, O_APPEND, O_TRUNC, 1U << 31 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(flags); i++)
		assert_int_equal(device_heap_alloc_errno(heap, 4096,
							 O_RDWR | flags[i]),
				 -EINVAL);
	close(heap);
}

static void unknown_heap_flags_are_einval(void **state)
{
	struct dma_heap_allocation_data data = {
		.len = 4096,
		.fd_flags = O_RDWR,
	};
	int heap = open_heap(state), bit;

	for (bit = 0; bit < 64; bit++) {
		data.heap_flags = 1ULL << bit;
		assert_int_equal(device_ioctl_errno(heap, DMA_HEAP_IOCTL_ALLOC,
						    &data), -EINVAL);
	}
	close(heap);
}

static void nonzero_fd_is_einval(void **state)
{
	struct dma_heap_allocation_data data = {
		.len = 4096,
		.fd = 3,
		.fd_flags = O_RDWR,
	};
	int heap = open_heap(state);

	assert_int_equal(device_ioctl_errno(heap, DMA_HEAP_IOCTL_ALLOC, &data),
			 -EINVAL);
	close(heap);
}

/* The first 16 bytes of the struct are len, fd and fd_flags. */
static void smaller_struct_is_extended_with_zeros(void **state)
{
	struct dma_heap_allocation_data data = {
		.len = 4096,
		.fd_flags = O_RDWR,
		.heap_flags = UINT64_MAX,
	};
	unsigned long cmd = _IOC(_IOC_READ | _IOC_WRITE, DMA_HEAP_IOC_MAGIC, 0,
				 16);
	int heap = open_heap(state);

	assert_int_equal(device_ioctl_errno(heap, cmd, &data), 0);
	assert_int_equal(buf_len(data.fd), device_page_size());
	assert_true(data.heap_flags == UINT64_MAX);
	close(data.fd);
	close(heap);
}

static void struct_of_eight_bytes_gives_nothing_back(void **state)
{
	struct dma_heap_allocation_data data = {
		.len = 0,
		.fd = 77,
		.fd_flags = 78,
	};
	unsigned long cmd = _IOC(_IOC_READ | _IOC_WRITE, DMA_HEAP_IOC_MAGIC, 0,
				 8);
	int heap = open_heap(state), fds = device_nr_fds();

	assert_int_equal(device_ioctl_errno(heap, cmd, &data), -EINVAL);
	assert_int_equal(data.fd, 77);
	assert_int_equal(data.fd_flags, 78);
	assert_int_equal(device_nr_fds(), fds);
	close(heap);
}

static void bigger_struct_is_taken_whatever_its_tail(void **state)
{
	struct {
		struct dma_heap_allocation_data data;
		uint8_t tail[240];
	} big;
	unsigned long cmd = _IOC(_IOC_READ | _IOC_WRITE, DMA_HEAP_IOC_MAGIC, 0,
				 sizeof(big));
	int heap = open_heap(state), value;

	for (value = 0; value < 256; value += 255) {
		memset(&big, value, sizeof(big));
		big.data = (struct dma_heap_allocation_data) {
			.len = 4096,
			.fd_flags = O_RDWR,
		};
		assert_int_equal(device_ioctl_errno(heap, cmd, &big), 0);
		assert_int_equal(buf_len(big.data.fd), device_page_size());
		assert_true(device_is_filled(big.tail, value,
					     sizeof(big.tail)));
		close(big.data.fd);
	}
	close(heap);
}

/* dma_heap_ioctl() checks only the number, and returns EINVAL. */
static void unknown_number_is_einval(void **state)
{
	struct dma_heap_allocation_data data = {
		.len = 4096,
		.fd_flags = O_RDWR,
	};
	int heap = open_heap(state), nr;

	for (nr = 1; nr < 256; nr += 51)
		assert_int_equal(device_ioctl_errno(heap, HEAP_CMD(IOWR, 'H',
								   nr), &data),
				 -EINVAL);
	close(heap);
}

static void other_magic_with_number_0_allocates(void **state)
{
	struct dma_heap_allocation_data data = {
		.len = 4096,
		.fd_flags = O_RDWR,
	};
	int heap = open_heap(state);

	assert_int_equal(device_ioctl_errno(heap, HEAP_CMD(IOWR, 'x', 0),
					    &data), 0);
	assert_int_equal(buf_len(data.fd), device_page_size());
	close(data.fd);
	close(heap);
}

static void command_that_gives_nothing_in_is_einval(void **state)
{
	struct dma_heap_allocation_data data = {
		.len = 4096,
		.fd_flags = O_RDWR,
	};
	int heap = open_heap(state);

	assert_int_equal(device_ioctl_errno(heap, HEAP_CMD(IOR, 'H', 0),
					    &data), -EINVAL);
	close(heap);
}

static void efault_leaks_no_fd(void **state)
{
	struct dma_heap_allocation_data *data;
	size_t page = device_page_size();
	int heap = open_heap(state), fds = device_nr_fds(), i;

	assert_int_equal(device_ioctl_errno(heap, DMA_HEAP_IOCTL_ALLOC, NULL),
			 -EFAULT);
	data = mmap(NULL, page, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(data != MAP_FAILED);
	data->len = 4096;
	data->fd_flags = O_RDWR;
	/* The arguments can be read, but the result cannot be written. */
	assert_int_equal(mprotect(data, page, PROT_READ), 0);
	for (i = 0; i < 8; i++)
		assert_int_equal(device_ioctl_errno(heap, DMA_HEAP_IOCTL_ALLOC,
						    data), -EFAULT);
	assert_int_equal(device_nr_fds(), fds);
	munmap(data, page);
	close(heap);
}

static void heap_opened_read_only_allocates(void **state)
{
	int heap = device_heap_open(heap_of(state), O_RDONLY);
	int fd = device_heap_alloc_errno(heap, 4096, O_RDWR);
	uint8_t *map;

	assert_true(fd >= 0);
	map = device_map(fd, 4096);
	map[0] = 1;
	device_unmap(map, 4096);
	close(fd);
	close(heap);
}

static void o_cloexec_is_as_asked(void **state)
{
	int heap = open_heap(state);
	int with = device_heap_alloc_errno(heap, 1, O_RDWR | O_CLOEXEC);
	int without = device_heap_alloc_errno(heap, 1, O_RDWR);

	assert_true(with >= 0 && without >= 0);
	assert_int_equal(fcntl(with, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(without, F_GETFD), 0);
	close(with);
	close(without);
	close(heap);
}

static void access_mode_is_as_asked(void **state)
{
	const uint32_t modes[] = { O_RDONLY, O_WRONLY, O_RDWR };
	int heap = open_heap(state), fd;
	size_t i;

	for (i = 0; i < 3; i++) {
		fd = device_heap_alloc_errno(heap, 1, modes[i]);
		assert_true(fd >= 0);
		assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, modes[i]);
		close(fd);
	}
	close(heap);
}

static void memory_is_zeroed(void **state)
{
	const size_t lens[] = { 4096, 12288, 64 * KIB, MIB };
	enum { NR = 24 };
	int fds[NR], dev = device_open();
	size_t len, k;
	uint8_t *map;
	int i;

	/*
	 * Write to both views, free the buffers, and check that new are zero.
	 */
	for (k = 0; k < ARRAY_SIZE(lens); k++) {
		len = lens[k];
		for (i = 0; i < NR; i++) {
			fds[i] = device_heap_alloc(heap_of(state), len);
			device_fill(dev, fds[i], 0, len, 0xdbdbdbdb);
			map = device_map(fds[i], len);
			memset(map, 0xa5, len);
			device_unmap(map, len);
			if (i % 2)
				device_sync(fds[i], SYNC_END_WRITE);
		}
		for (i = 0; i < NR; i++)
			close(fds[i]);
		for (i = 0; i < NR; i++) {
			uint8_t *dram;

			fds[i] = device_heap_alloc(heap_of(state), len);
			map = device_map(fds[i], len);
			assert_true(device_is_filled(map, 0, len));
			device_unmap(map, len);
			dram = device_dram(dev, fds[i], len);
			assert_true(device_is_filled(dram, 0, len));
			free(dram);
		}
		for (i = 0; i < NR; i++)
			close(fds[i]);
	}
	close(dev);
}

static void exporter_name_is_the_heaps(void **state)
{
	int fd = device_heap_alloc(heap_of(state), 4096);
	char value[64];

	device_fdinfo(fd, "exp_name", value, sizeof(value));
	assert_string_equal(value, heap_of(state));
	device_fdinfo(fd, "size", value, sizeof(value));
	assert_int_equal(atoi(value), device_page_size());
	close(fd);
}

static void exporter_name_is_in_bufinfo(void **state)
{
	int fd = device_heap_alloc(heap_of(state), 4096);
	char line[512], exporter[64];
	unsigned long ino;
	bool is_found = false;
	struct stat stat;
	FILE *file = fopen("/sys/kernel/debug/dma_buf/bufinfo", "re");

	if (!file) {
		close(fd);
		device_skip("this kernel has no debugfs file dma_buf/bufinfo");
	}
	assert_int_equal(fstat(fd, &stat), 0);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%*x %*x %*x %*d %63s %lu", exporter,
			   &ino) == 2 && ino == stat.st_ino) {
			is_found = true;
			assert_string_equal(exporter, heap_of(state));
		}
	fclose(file);
	assert_true(is_found);
	close(fd);
}

static void set_name_is_in_fdinfo_and_info(void **state)
{
	static const char long_name[] =
		"a name that is longer than the 32 bytes it may have";
	int fd = device_heap_alloc(heap_of(state), 4096);
	char value[64];
	int dev;

	device_fdinfo(fd, "name", value, sizeof(value));
	assert_string_equal(value, "");
	assert_int_equal(device_ioctl_errno(fd, DMA_BUF_SET_NAME_B,
					    "a frame"), 0);
	device_fdinfo(fd, "name", value, sizeof(value));
	assert_string_equal(value, "a frame");
	dev = device_open();
	assert_string_equal(device_buf_info(dev, fd).name, "a frame");
	close(dev);
	assert_int_equal(device_ioctl_errno(fd, DMA_BUF_SET_NAME_B,
					    (void *)long_name), -EINVAL);
	close(fd);
}

static void lseek_tells_only_the_size(void **state)
{
	int fd = device_heap_alloc(heap_of(state), 3 * 4096);

	assert_int_equal(lseek(fd, 0, SEEK_END), buf_len(fd));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(lseek(fd, 1, SEEK_SET), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(lseek(fd, 1, SEEK_END), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(lseek(fd, -1, SEEK_END), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), -1);
	assert_int_equal(errno, EINVAL);
	close(fd);
}

static void poll_says_ready_without_fences(void **state)
{
	int fd = device_heap_alloc(heap_of(state), 4096);

	assert_int_equal(device_poll(fd, POLLIN | POLLOUT, 0),
			 POLLIN | POLLOUT);
	assert_int_equal(device_poll(fd, POLLIN, 0), POLLIN);
	close(fd);
}

static void read_and_write_on_the_fd_are_refused(void **state)
{
	int fd = device_heap_alloc(heap_of(state), 4096);
	char byte = 0;

	assert_int_equal(read(fd, &byte, 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(write(fd, &byte, 1), -1);
	assert_int_equal(errno, EINVAL);
	close(fd);
}

static void partial_and_offset_maps_show_their_part(void **state)
{
	size_t page = device_page_size(), len = 8 * page, i;
	int fd = device_heap_alloc(heap_of(state), len);
	uint8_t *all = device_map(fd, len), *part;

	for (i = 0; i < len; i++)
		all[i] = i / page + 1;
	part = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    3 * page);
	assert_true(part != MAP_FAILED);
	assert_true(device_is_filled(part, 4, page));
	assert_true(device_is_filled(part + page, 5, page));
	part[page] = 0x77;
	assert_int_equal(all[4 * page], 0x77);
	device_unmap(part, 2 * page);
	/* A mapping of one byte has only the last page. */
	part = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 7 * page);
	assert_true(part != MAP_FAILED);
	assert_true(device_is_filled(part, 8, page));
	device_unmap(part, page);
	device_unmap(all, len);
	close(fd);
}

static void map_beyond_the_end_is_einval(void **state)
{
	size_t page = device_page_size();
	int fd = device_heap_alloc(heap_of(state), 2 * page);

	assert_true(mmap(NULL, 3 * page, PROT_READ, MAP_SHARED, fd, 0) ==
		    MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_true(mmap(NULL, 2 * page, PROT_READ, MAP_SHARED, fd, page) ==
		    MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_true(mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 2 * page) ==
		    MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	close(fd);
}

static void private_map_is_einval(void **state)
{
	size_t page = device_page_size();
	int fd = device_heap_alloc(heap_of(state), page);
	void *map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd,
			 0);

	assert_true(map == MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	close(fd);
}

static void read_only_fd_maps_for_reading_alone(void **state)
{
	size_t page = device_page_size();
	int heap = open_heap(state);
	int fd = device_heap_alloc_errno(heap, page, O_RDONLY);
	uint8_t *map;

	assert_true(fd >= 0);
	assert_true(mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 0) == MAP_FAILED);
	assert_int_equal(errno, EACCES);
	map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(map != MAP_FAILED);
	assert_true(device_is_filled(map, 0, page));
	assert_int_equal(mprotect(map, page, PROT_READ | PROT_WRITE), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(device_signal_of_write(map), SIGSEGV);
	device_unmap(map, page);
	close(fd);
	close(heap);
}

/* Otherwise a read-only descriptor would permit writes. */
static void debugger_does_not_write_what_is_mapped_for_reading(void **state)
{
	static const int flags[] = { O_RDONLY, O_RDWR };
	size_t page = device_page_size(), i;
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	int heap = open_heap(state);

	assert_true(mem >= 0);
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		int fd = device_heap_alloc_errno(heap, page, flags[i]);
		uint8_t byte = 1;
		uint8_t *map;

		assert_true(fd >= 0);
		map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
		assert_true(map != MAP_FAILED);
		assert_int_equal(pwrite(mem, &byte, 1, (uintptr_t)map), -1);
		assert_int_equal(errno, EIO);
		assert_int_equal(pread(mem, &byte, 1, (uintptr_t)map), 1);
		assert_int_equal(byte, 0);
		device_unmap(map, page);
		close(fd);
	}
	close(heap);
	close(mem);
}

static void two_maps_show_the_same_bytes(void **state)
{
	size_t page = device_page_size(), i;
	int fd = device_heap_alloc(heap_of(state), 4 * page);
	uint8_t *one = device_map(fd, 4 * page);
	uint8_t *two = device_map(fd, 4 * page);

	assert_true(one != two);
	for (i = 0; i < 4 * page; i += 64) {
		one[i] = i / 64 + 1;
		assert_int_equal(two[i], (uint8_t)(i / 64 + 1));
		two[i] ^= 0xff;
		assert_int_equal(one[i], (uint8_t)~(i / 64 + 1));
	}
	device_unmap(one, 4 * page);
	assert_int_equal(two[0], 0xfe);
	device_unmap(two, 4 * page);
	close(fd);
}

static void map_outlives_the_fd(void **state)
{
	size_t page = device_page_size();
	int fd = device_heap_alloc(heap_of(state), 2 * page);
	uint8_t *map = device_map(fd, 2 * page);

	map[0] = 1;
	close(fd);
	map[page] = 2;
	assert_int_equal(map[0], 1);
	assert_int_equal(map[page], 2);
	device_unmap(map, 2 * page);
}

struct shared {
	uint8_t *map;
	size_t page;
};

/* The child checks the parent's bytes, writes others, and unmaps. */
static int see_and_write(void *arg)
{
	struct shared *shared = arg;
	uint8_t *map = shared->map;

	if (map[0] != 0x11 || map[shared->page] != 0)
		return 1;
	map[shared->page] = 0x22;
	map[1] = 0x33;
	return munmap(map, 2 * shared->page) ? 2 : 0;
}

static void forked_child_shares_the_bytes(void **state)
{
	struct shared shared = { .page = device_page_size() };
	int fd = device_heap_alloc(heap_of(state), 2 * shared.page);

	shared.map = device_map(fd, 2 * shared.page);
	shared.map[0] = 0x11;
	assert_int_equal(device_in_child(see_and_write, &shared), 0);
	assert_int_equal(shared.map[0], 0x11);
	assert_int_equal(shared.map[1], 0x33);
	assert_int_equal(shared.map[shared.page], 0x22);
	device_unmap(shared.map, 2 * shared.page);
	close(fd);
}

static void moved_map_keeps_its_bytes(void **state)
{
	size_t page = device_page_size(), len = 4 * page;
	int fd = device_heap_alloc(heap_of(state), len);
	uint8_t *map = device_map(fd, len), *moved, *place;

	map[0] = 1;
	map[3 * page] = 4;
	place = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(place != MAP_FAILED);
	moved = mremap(map, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, place);
	assert_true(moved == place);
	assert_int_equal(moved[0], 1);
	assert_int_equal(moved[3 * page], 4);
	moved[page] = 2;
	assert_int_equal(moved[page], 2);
	assert_int_equal(device_signal_of_read(map), SIGSEGV);
	device_unmap(moved, len);
	close(fd);
}

static void shrunk_map_keeps_the_rest(void **state)
{
	size_t page = device_page_size();
	int fd = device_heap_alloc(heap_of(state), 4 * page);
	uint8_t *map = device_map(fd, 4 * page);

	map[0] = 1;
	map[page] = 2;
	assert_true(mremap(map, 4 * page, 2 * page, 0) == map);
	assert_int_equal(map[0], 1);
	assert_int_equal(map[page], 2);
	assert_int_equal(device_signal_of_read(map + 2 * page), SIGSEGV);
	device_unmap(map, 2 * page);
	close(fd);
}

/* Either the kernel refuses, or an access beyond the end raises SIGBUS. */
static void grown_map_shows_nothing_beyond_the_end(void **state)
{
	size_t page = device_page_size();
	int fd = device_heap_alloc(heap_of(state), 2 * page);
	uint8_t *map = device_map(fd, 2 * page);
	uint8_t *grown = mremap(map, 2 * page, 4 * page, MREMAP_MAYMOVE);

	if (grown == MAP_FAILED) {
		assert_true(errno == EFAULT || errno == EINVAL);
		grown = map;
		assert_int_equal(device_signal_of_read(map + page), 0);
		device_unmap(map, 2 * page);
	} else {
		assert_int_equal(device_signal_of_read(grown + page), 0);
		assert_int_equal(device_signal_of_read(grown + 2 * page),
				 SIGBUS);
		device_unmap(grown, 4 * page);
	}
	close(fd);
}

static void mprotect_takes_and_gives_rights(void **state)
{
	size_t page = device_page_size();
	int fd = device_heap_alloc(heap_of(state), 2 * page);
	uint8_t *map = device_map(fd, 2 * page);

	map[0] = 1;
	assert_int_equal(mprotect(map, page, PROT_READ), 0);
	assert_int_equal(map[0], 1);
	assert_int_equal(device_signal_of_write(map), SIGSEGV);
	assert_int_equal(device_signal_of_write(map + page), 0);
	assert_int_equal(mprotect(map, page, PROT_NONE), 0);
	assert_int_equal(device_signal_of_read(map), SIGSEGV);
	assert_int_equal(mprotect(map, page, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(map[0], 1);
	map[0] = 2;
	assert_int_equal(map[0], 2);
	device_unmap(map, 2 * page);
	close(fd);
}

static void dup_is_the_same_buffer(void **state)
{
	size_t page = device_page_size();
	int fd = device_heap_alloc(heap_of(state), page);
	int other = dup(fd);
	struct stat one, two;
	uint8_t *map = device_map(fd, page), *map2;

	assert_true(other >= 0);
	assert_int_equal(fstat(fd, &one), 0);
	assert_int_equal(fstat(other, &two), 0);
	assert_int_equal(one.st_ino, two.st_ino);
	map[0] = 9;
	close(fd);
	map2 = device_map(other, page);
	assert_int_equal(map2[0], 9);
	device_unmap(map, page);
	device_unmap(map2, page);
	close(other);
}

/* The other process receives the fd, checks the bytes and writes. */
static int take_fd(int sock, size_t page)
{
	int fd = passed_fd(sock);
	uint8_t *map;

	if (fd < 0)
		return 1;
	map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return 2;
	if (map[0] != 0x5a)
		return 3;
	map[1] = 0xa5;
	return 0;
}

static void fd_sent_to_a_process_is_the_same_buffer(void **state)
{
	size_t page = device_page_size();
	int socks[2], status, fd;
	uint8_t *map;
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, socks), 0);
	fflush(stdout);
	/* The fork comes first, so the child inherits neither fd nor map. */
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(socks[0]);
		_exit(take_fd(socks[1], page));
	}
	close(socks[1]);
	fd = device_heap_alloc(heap_of(state), page);
	map = device_map(fd, page);
	map[0] = 0x5a;
	assert_int_equal(pass_fd(socks[0], fd), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(map[1], 0xa5);
	device_unmap(map, page);
	close(fd);
	close(socks[0]);
}

static void sync_takes_only_known_flags(void **state)
{
	int fd = device_heap_alloc(heap_of(state), 4096);

	assert_int_equal(device_sync_errno(fd, DMA_BUF_SYNC_START), -EINVAL);
	assert_int_equal(device_sync_errno(fd, SYNC_START_RW | 8), -EINVAL);
	assert_int_equal(device_sync_errno(fd, SYNC_START_RW), 0);
	assert_int_equal(device_sync_errno(fd, SYNC_END_RW), 0);
	close(fd);
}

static void kind_and_size_are_reported(void **state)
{
	static const struct {
		const char *name;
		uint32_t kind;
	} kinds[] = {
		{ "system-uncached", HEAPSIM_KIND_UNCACHED },
		{ "coherent", HEAPSIM_KIND_COHERENT },
		{ "noncoherent", HEAPSIM_KIND_NONCOHERENT },
		{ "contiguous", HEAPSIM_KIND_CONTIGUOUS },
	};
	int dev = device_open();
	int fd = device_heap_alloc(heap_of(state), 5000);
	struct heapsim_buf_info info = device_buf_info(dev, fd);
	uint32_t kind = device_probe(dev).io_coherent ?
			HEAPSIM_KIND_COHERENT : HEAPSIM_KIND_NONCOHERENT;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(kinds[i].name, heap_of(state)))
			kind = kinds[i].kind;
	assert_int_equal(info.kind, kind);
	assert_int_equal(info.has_two_views, kind == HEAPSIM_KIND_NONCOHERENT);
	assert_int_equal(info.len, buf_len(fd));
	assert_true(info.id != 0);
	assert_int_equal(info.nr_holders, 0);
	close(fd);
	close(dev);
}

static const struct CMUnitTest on_each[] = {
	cmocka_unit_test(length_is_rounded_up_to_pages),
	cmocka_unit_test(zero_length_is_einval),
	cmocka_unit_test(length_that_overflows_is_refused),
	cmocka_unit_test(length_above_memory_is_enomem_at_once),
	cmocka_unit_test(unknown_fd_flags_are_einval),
	cmocka_unit_test(unknown_heap_flags_are_einval),
	cmocka_unit_test(nonzero_fd_is_einval),
	cmocka_unit_test(smaller_struct_is_extended_with_zeros),
	cmocka_unit_test(struct_of_eight_bytes_gives_nothing_back),
	cmocka_unit_test(bigger_struct_is_taken_whatever_its_tail),
	cmocka_unit_test(unknown_number_is_einval),
	cmocka_unit_test(other_magic_with_number_0_allocates),
	cmocka_unit_test(command_that_gives_nothing_in_is_einval),
	cmocka_unit_test(efault_leaks_no_fd),
	cmocka_unit_test(heap_opened_read_only_allocates),
	cmocka_unit_test(o_cloexec_is_as_asked),
	cmocka_unit_test(access_mode_is_as_asked),
	cmocka_unit_test(memory_is_zeroed),
	cmocka_unit_test(exporter_name_is_the_heaps),
	cmocka_unit_test(exporter_name_is_in_bufinfo),
	cmocka_unit_test(set_name_is_in_fdinfo_and_info),
	cmocka_unit_test(lseek_tells_only_the_size),
	cmocka_unit_test(poll_says_ready_without_fences),
	cmocka_unit_test(read_and_write_on_the_fd_are_refused),
	cmocka_unit_test(partial_and_offset_maps_show_their_part),
	cmocka_unit_test(map_beyond_the_end_is_einval),
	cmocka_unit_test(private_map_is_einval),
	cmocka_unit_test(read_only_fd_maps_for_reading_alone),
	cmocka_unit_test(debugger_does_not_write_what_is_mapped_for_reading),
	cmocka_unit_test(two_maps_show_the_same_bytes),
	cmocka_unit_test(map_outlives_the_fd),
	cmocka_unit_test(forked_child_shares_the_bytes),
	cmocka_unit_test(moved_map_keeps_its_bytes),
	cmocka_unit_test(shrunk_map_keeps_the_rest),
	cmocka_unit_test(grown_map_shows_nothing_beyond_the_end),
	cmocka_unit_test(mprotect_takes_and_gives_rights),
	cmocka_unit_test(dup_is_the_same_buffer),
	cmocka_unit_test(fd_sent_to_a_process_is_the_same_buffer),
	cmocka_unit_test(sync_takes_only_known_flags),
	cmocka_unit_test(kind_and_size_are_reported),
};

/* There are at least four heaps, since the kernel may have only "system". */
static void our_heaps_are_there(void **state)
{
	assert_true(device_has_heap("system-uncached"));
	assert_true(device_has_heap("coherent"));
	assert_true(device_has_heap("noncoherent"));
	assert_true(device_has_heap("contiguous"));
	assert_true(device_has_heap("system") ||
		    access("/sys/class/dma_heap/system", F_OK) == 0);
}

int main(void)
{
	static const struct CMUnitTest once[] = {
		cmocka_unit_test(our_heaps_are_there),
	};

	return device_run_on_heaps("heap", once, ARRAY_SIZE(once), on_each,
				   ARRAY_SIZE(on_each));
}
