// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests behaviour of dma-buf heaps that Android depends on and the device tests
 * do not cover: what the tests of libdmabufheap and libdmabufinfo check, in new
 * code. Android allocates from "system", and from "system-uncached" for buffers
 * that the CPU does not access; it opens heaps for reading, and repeats an
 * interrupted SYNC.
 *
 * ION and /sys/kernel/dmabuf are not tested, since no Debian kernel has
 * CONFIG_DMABUF_SYSFS_STATS.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../device/device.h"

#define NAME		"android-buffer"
#define NR_THREADS	100
#define NR_REPEATS	1024
#define NR_DIRTY	16

static const char *heap_of(void **state)
{
	return *state;
}

static int alloc_errno(const char *name, uint64_t len)
{
	int heap, fd;
	char path[96];

	snprintf(path, sizeof(path), "/dev/dma_heap/%s", name);
	heap = open(path, O_RDONLY | O_CLOEXEC);
	if (heap < 0)
		return -errno;
	fd = device_heap_alloc_errno(heap, len, O_RDWR | O_CLOEXEC);
	close(heap);
	return fd;
}

static int alloc(const char *name, uint64_t len)
{
	int fd = alloc_errno(name, len);

	if (fd < 0)
		fail_msg("%s: %s", name, strerror(-fd));
	return fd;
}

static int sync_errno(int fd, uint64_t flags)
{
	int ret;

	do
		ret = device_sync_errno(fd, flags);
	while (ret == -EINTR || ret == -EAGAIN);
	return ret;
}

/* These names are built into libdmabufheap. */
static void androids_heaps_are_there(void **state)
{
	static const char * const names[] = { "system", "system-uncached" };
	size_t page = device_page_size(), i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		int fd = alloc(names[i], page);
		uint8_t *map = device_map(fd, page);

		assert_int_equal(sync_errno(fd, SYNC_START_READ), 0);
		assert_true(device_is_filled(map, 0, page));
		assert_int_equal(sync_errno(fd, SYNC_END_READ), 0);
		device_unmap(map, page);
		close(fd);
	}
}

/* Android lists heaps by reading the folder. */
static void folder_lists_heaps_alone(void **state)
{
	DIR *dir = opendir("/dev/dma_heap");
	const char *heaps[DEVICE_MAX_HEAPS];
	size_t nr_heaps = device_heaps(heaps), nr_ours = 0, i;
	struct dirent *entry;
	int fd;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		fd = alloc(entry->d_name, 1);
		close(fd);
		for (i = 0; i < nr_heaps; i++)
			nr_ours += !strcmp(heaps[i], entry->d_name);
	}
	closedir(dir);
	assert_int_equal(nr_ours, nr_heaps);
}

static void unknown_heap_is_enoent(void **state)
{
	assert_int_equal(alloc_errno("no-such-heap", 4096), -ENOENT);
}

static void every_size_is_allocated_again_and_again(void **state)
{
	const size_t lens[] = { device_page_size(), 64 * KIB, MIB, 2 * MIB };
	int heap = device_heap_open(heap_of(state), O_RDONLY);
	int fds = device_nr_fds();
	/* Android's tests repeat this as often; other heaps take too long. */
	size_t nr = strncmp(heap_of(state), "system", 6) ? NR_REPEATS / 16 :
							   NR_REPEATS;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(lens); i++)
		for (k = 0; k < nr; k++) {
			int fd = device_heap_alloc_errno(heap, lens[i],
							 O_RDWR | O_CLOEXEC);

			if (fd < 0)
				fail_msg("%zu bytes, time %zu: %s", lens[i], k,
					 strerror(-fd));
			close(fd);
		}
	assert_int_equal(device_nr_fds(), fds);
	close(heap);
}

/* The memory is written through write-only mappings, in WRITE brackets. */
static void recycled_memory_is_zero(void **state)
{
	size_t page = device_page_size();
	int fds[NR_DIRTY], fd;
	uint8_t *map;
	size_t i;

	for (i = 0; i < NR_DIRTY; i++) {
		fds[i] = alloc(heap_of(state), page);
		map = mmap(NULL, page, PROT_WRITE, MAP_SHARED, fds[i], 0);
		assert_true(map != MAP_FAILED);
		assert_int_equal(sync_errno(fds[i], SYNC_START_WRITE), 0);
		memset(map, 0xaa, page);
		assert_int_equal(sync_errno(fds[i], SYNC_END_WRITE), 0);
		device_unmap(map, page);
	}
	for (i = 0; i < NR_DIRTY; i++)
		close(fds[i]);
	for (i = 0; i < NR_DIRTY; i++) {
		fd = alloc(heap_of(state), page);
		map = mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0);
		assert_true(map != MAP_FAILED);
		assert_int_equal(sync_errno(fd, SYNC_START_READ), 0);
		assert_true(device_is_filled(map, 0, page));
		assert_int_equal(sync_errno(fd, SYNC_END_READ), 0);
		device_unmap(map, page);
		close(fd);
	}
}

/* The buffer is mapped but never accessed, and then not mapped at all. */
static void each_direction_syncs(void **state)
{
	static const uint64_t flags[][2] = {
		{ SYNC_START_READ, SYNC_END_READ },
		{ SYNC_START_WRITE, SYNC_END_WRITE },
		{ SYNC_START_RW, SYNC_END_RW },
	};
	size_t page = device_page_size(), i;
	int is_mapped;

	for (is_mapped = 1; is_mapped >= 0; is_mapped--)
		for (i = 0; i < ARRAY_SIZE(flags); i++) {
			int fd = alloc(heap_of(state), page);
			uint8_t *map = is_mapped ? device_map(fd, page) : NULL;

			assert_int_equal(sync_errno(fd, flags[i][0]), 0);
			assert_int_equal(sync_errno(fd, flags[i][1]), 0);
			if (map)
				device_unmap(map, page);
			close(fd);
		}
}

struct thread {
	pthread_t id;
	const char *heap;
	int error;
};

/* A thread must not use cmocka, so it returns its error. */
static void *allocate_and_sync(void *arg)
{
	size_t page = device_page_size(), i;
	struct thread *thread = arg;
	uint8_t *map;
	int fd;

	for (i = 0; i < 2 && !thread->error; i++) {
		fd = alloc_errno(thread->heap, page);
		if (fd < 0) {
			thread->error = fd;
			break;
		}
		map = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   0);
		if (map == MAP_FAILED) {
			thread->error = -errno;
		} else {
			thread->error = sync_errno(fd, SYNC_START_RW);
			if (!device_is_filled(map, 0, page))
				thread->error = -EIO;
			memset(map, 0x5a, page);
			if (!thread->error)
				thread->error = sync_errno(fd, SYNC_END_RW);
			munmap(map, page);
		}
		close(fd);
	}
	return NULL;
}

static void many_threads_allocate_at_once(void **state)
{
	static struct thread threads[NR_THREADS];
	int fds = device_nr_fds();
	size_t i;

	for (i = 0; i < NR_THREADS; i++) {
		threads[i] = (struct thread) { .heap = heap_of(state) };
		assert_int_equal(pthread_create(&threads[i].id, NULL,
						allocate_and_sync,
						&threads[i]), 0);
	}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i].id, NULL);
	for (i = 0; i < NR_THREADS; i++)
		assert_int_equal(threads[i].error, 0);
	assert_int_equal(device_nr_fds(), fds);
}

/* Returns the references to a buffer, without those of this query. */
static long references(int fd)
{
	char value[64];

	device_fdinfo(fd, "count", value, sizeof(value));
	return atol(value);
}

/* Counts lines in this process's maps with a buffer's name and inode. */
static unsigned int nr_maps(const char *name, unsigned long long ino,
			    unsigned long long *len)
{
	FILE *file = fopen("/proc/self/maps", "re");
	unsigned long long begin, end, inode;
	char line[512], path[256], expected[64];
	unsigned int nr = 0;

	assert_non_null(file);
	snprintf(expected, sizeof(expected), "/dmabuf:%s", name);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%llx-%llx %*s %*x %*s %llu %255s", &begin,
			   &end, &inode, path) == 4 &&
		    !strcmp(path, expected) && inode == ino) {
			*len = end - begin;
			nr++;
		}
	fclose(file);
	return nr;
}

static unsigned long long inode_of(int fd)
{
	struct stat stat;

	assert_int_equal(fstat(fd, &stat), 0);
	return stat.st_ino;
}

static void descriptor_tells_all_of_the_buffer(void **state)
{
	size_t page = device_page_size();
	int fd = alloc(heap_of(state), page);
	char path[64], link[64] = "", value[64];

	assert_int_equal(device_ioctl_errno(fd, DMA_BUF_SET_NAME_B, NAME), 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_true(readlink(path, link, sizeof(link) - 1) > 0);
	assert_int_equal(strncmp(link, "/dmabuf:" NAME, 8 + strlen(NAME)), 0);
	device_fdinfo(fd, "name", value, sizeof(value));
	assert_string_equal(value, NAME);
	device_fdinfo(fd, "exp_name", value, sizeof(value));
	assert_string_equal(value, heap_of(state));
	device_fdinfo(fd, "size", value, sizeof(value));
	assert_int_equal(atoi(value), page);
	assert_int_equal(references(fd), 1);
	close(fd);
}

/* Android sums memory by inode, so each buffer must have its own. */
static void each_buffer_has_its_inode(void **state)
{
	unsigned long long seen[NR_DIRTY];
	int fds[NR_DIRTY];
	size_t i, k;

	for (i = 0; i < NR_DIRTY; i++) {
		fds[i] = alloc(heap_of(state), 1);
		seen[i] = inode_of(fds[i]);
		assert_true(seen[i] != 0);
		for (k = 0; k < i; k++)
			assert_true(seen[k] != seen[i]);
	}
	for (i = 0; i < NR_DIRTY; i++)
		close(fds[i]);
}

static void map_is_a_reference_and_in_maps(void **state)
{
	size_t page = device_page_size();
	int fd = alloc(heap_of(state), 4 * page);
	unsigned long long ino = inode_of(fd), len = 0;
	uint8_t *map;

	assert_int_equal(device_ioctl_errno(fd, DMA_BUF_SET_NAME_B, NAME), 0);
	map = device_map(fd, 4 * page);
	assert_int_equal(references(fd), 2);
	assert_int_equal(nr_maps(NAME, ino, &len), 1);
	assert_int_equal(len, 4 * page);
	/* Cached bytes hold no reference. */
	memset(map, 1, 4 * page);
	device_sync(fd, SYNC_START_RW);
	assert_int_equal(references(fd), 2);
	device_sync(fd, SYNC_END_RW);
	assert_int_equal(references(fd), 2);
	close(fd);
	assert_int_equal(nr_maps(NAME, ino, &len), 1);
	device_unmap(map, 4 * page);
	assert_int_equal(nr_maps(NAME, ino, &len), 0);
}

static void dup_and_fork_are_references(void **state)
{
	int fd = alloc(heap_of(state), 1), other = dup(fd);
	pid_t pid;

	assert_true(other >= 0);
	assert_int_equal(references(fd), 2);
	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		pause();
		_exit(0);
	}
	assert_int_equal(references(fd), 4);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(other);
	assert_int_equal(references(fd), 1);
	close(fd);
}

static const struct CMUnitTest on_each[] = {
	cmocka_unit_test(every_size_is_allocated_again_and_again),
	cmocka_unit_test(recycled_memory_is_zero),
	cmocka_unit_test(each_direction_syncs),
	cmocka_unit_test(many_threads_allocate_at_once),
	cmocka_unit_test(descriptor_tells_all_of_the_buffer),
	cmocka_unit_test(each_buffer_has_its_inode),
	cmocka_unit_test(map_is_a_reference_and_in_maps),
	cmocka_unit_test(dup_and_fork_are_references),
};

int main(void)
{
	static const struct CMUnitTest once[] = {
		cmocka_unit_test(androids_heaps_are_there),
		cmocka_unit_test(folder_lists_heaps_alone),
		cmocka_unit_test(unknown_heap_is_enoent),
	};

	return device_run_on_heaps("android", once, ARRAY_SIZE(once), on_each,
				   ARRAY_SIZE(on_each));
}
