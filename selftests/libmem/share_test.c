// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests device memory that is exported as a file: mem_ptr_export() and
 * mem_ptr_import(), in one process and in two.
 */
#include "stream.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* The number that another process adds, and its first argument */
#define THEIRS		1000U
#define IMPORT		"import"
#define OVERRUN		"overrun"

static uint32_t *device(uint32_t value)
{
	uint32_t *ptr = memory(MEM_KIND_DEVICE);
	uint32_t *words = malloc(LEN);

	assert_non_null(words);
	set_all(words, value);
	assert_int_equal(mem_copy(stream, ptr, words, LEN,
				  MEM_DIR_HOST_TO_DEVICE), 0);
	free(words);
	return ptr;
}

static void device_is(const uint32_t *ptr, uint32_t value)
{
	uint32_t *words = malloc(LEN);

	assert_non_null(words);
	assert_int_equal(mem_copy(stream, words, ptr, LEN,
				  MEM_DIR_DEVICE_TO_HOST), 0);
	all_are(words, value);
	free(words);
}

static int export_of(const void *ptr)
{
	int fd;

	assert_int_equal(mem_ptr_export(ctx, ptr, &fd), 0);
	return fd;
}

static uint32_t *import_at(int fd, uint64_t off)
{
	void *ptr;

	assert_int_equal(mem_ptr_import(ctx, fd, off, LEN, 0, &ptr), 0);
	return ptr;
}

static uint32_t *map_file(int fd)
{
	void *addr = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(addr, MAP_FAILED);
	return addr;
}

/* Makes a file like another driver's: LEN bytes, and a page on each side. */
static int others_file(void)
{
	const size_t page_len = (size_t)sysconf(_SC_PAGESIZE);

	return file_of((off_t)(LEN + 2 * page_len), 0);
}

static void add(uint32_t *ptr, uint32_t value)
{
	start_add(stream, ptr, ptr, value);
	sync_stream();
}

static void an_export_has_the_bytes(void **state)
{
	uint32_t *ptr = device(5), *map;
	int fd;

	(void)state;
	/* The engine already uses the memory at this address. */
	add(ptr, 1);
	fd = export_of(ptr);
	map = map_file(fd);
	all_are(map, 6);
	add(ptr, 1);
	all_are(map, 7);
	set_all(map, 20);
	add(ptr, 3);
	device_is(ptr, 23);
	assert_int_equal(mem_fill(stream, ptr, 0, LEN), 0);
	sync_stream();
	all_are(map, 0);
	/* The memory exists as long as the file does. */
	set_all(map, 9);
	release(ptr);
	all_are(map, 9);
	close(fd);
	munmap(map, LEN);
	nothing_found();
}

static void an_export_is_one_file(void **state)
{
	uint32_t *ptr = device(0);
	struct stat one, other;
	int first, second;

	(void)state;
	first = export_of(ptr);
	second = export_of(ptr);
	assert_int_not_equal(first, second);
	assert_int_equal(fstat(first, &one), 0);
	assert_int_equal(fstat(second, &other), 0);
	assert_int_equal(one.st_ino, other.st_ino);
	assert_true((uint64_t)one.st_size >= LEN);
	assert_int_equal(fcntl(first, F_GETFD), FD_CLOEXEC);
	/* The file cannot be truncated while an engine uses it. */
	assert_int_equal(ftruncate(first, 0), -1);
	close(first);
	close(second);
	release(ptr);
}

static void its_address_stays(void **state)
{
	struct mem_ptr_info info = { .size = sizeof(info) };
	uint32_t *ptr = device(0);

	(void)state;
	close(export_of(ptr));
	assert_int_equal(mem_ptr_info(ctx, ptr + 1, &info), 0);
	assert_int_equal(info.kind, MEM_KIND_DEVICE);
	assert_ptr_equal(info.base, ptr);
	assert_ptr_equal(info.device, ptr + 1);
	assert_null(info.host);
	assert_int_equal(info.len, LEN);
	assert_int_equal(info.flags, 0);
	assert_int_equal(touch(ptr, true), SIGBUS);
	assert_int_equal(found(MEM_VIOLATION_CPU_ON_DEVICE), 1);
	release(ptr);
}

static void another_process_adds_to_it(void **state)
{
	uint32_t *ptr = device(1);
	const int fd = export_of(ptr);

	(void)state;
	assert_int_equal(exit_code_of(start_again(IMPORT, fd)), 0);
	device_is(ptr, 1 + THEIRS);
	add(ptr, 1);
	assert_int_equal(exit_code_of(start_again(IMPORT, fd)), 0);
	device_is(ptr, 2 + 2 * THEIRS);
	close(fd);
	release(ptr);
	nothing_found();
}

static void what_another_process_overruns_is_found(void **state)
{
	uint32_t *ptr = device(1);
	const int fd = export_of(ptr);

	(void)state;
	assert_int_equal(exit_code_of(start_again(OVERRUN, fd)), 0);
	close(fd);
	release(ptr);
	assert_int_equal(found(MEM_VIOLATION_OVERRUN), 1);
}

static void an_import_is_device_memory(void **state)
{
	struct mem_ptr_info info = { .size = sizeof(info) };
	const int fd = others_file();
	uint32_t *map = map_file(fd), *ptr;

	(void)state;
	set_all(map, 7);
	ptr = import_at(fd, 0);
	assert_int_equal(mem_ptr_info(ctx, ptr, &info), 0);
	assert_int_equal(info.kind, MEM_KIND_DEVICE);
	assert_ptr_equal(info.base, ptr);
	assert_null(info.host);
	assert_int_equal(info.len, LEN);
	assert_int_equal(info.flags, MEM_DEVICE_IMPORTED);
	assert_int_equal(info.is_own, 1);
	/* The importer does not need the descriptor. */
	close(fd);
	device_is(ptr, 7);
	add(ptr, 1);
	all_are(map, 8);
	set_all(map, 30);
	add(ptr, 1);
	device_is(ptr, 31);
	assert_int_equal(touch(ptr, false), SIGBUS);
	assert_int_equal(found(MEM_VIOLATION_CPU_ON_DEVICE), 1);
	release(ptr);
	all_are(map, 31);
	munmap(map, LEN);
}

static void an_import_begins_at_any_byte(void **state)
{
	const uint64_t off = (uint64_t)sysconf(_SC_PAGESIZE) - 4;
	struct mem_ptr_info info = { .size = sizeof(info) };
	const uint32_t before = 0x55555555;
	const int fd = others_file();
	uint32_t words[3], *ptr;
	void *pitched;

	(void)state;
	assert_int_equal(pwrite(fd, &before, 4, (off_t)off - 4), 4);
	assert_int_equal(pwrite(fd, &before, 4, (off_t)(off + LEN)), 4);
	ptr = import_at(fd, off);
	assert_int_equal(mem_ptr_info(ctx, ptr + 5, &info), 0);
	assert_ptr_equal(info.base, ptr);
	add(ptr, 2);
	device_is(ptr, 2);
	assert_int_equal(pread(fd, words, sizeof(words), (off_t)off - 4),
			 sizeof(words));
	assert_int_equal(words[0], before);
	assert_int_equal(words[1], 2);
	assert_int_equal(words[2], 2);
	assert_int_equal(pread(fd, words, 8, (off_t)(off + LEN - 4)), 8);
	assert_int_equal(words[0], 2);
	assert_int_equal(words[1], before);
	/* The imported memory has the given length. */
	assert_int_equal(mem_fill(stream, ptr + 1, 0, LEN), -EINVAL);
	assert_int_equal(mem_free(ctx, ptr + 1), -EINVAL);
	release(ptr);
	/* The memory may reach to the last byte of the file. */
	assert_int_equal(mem_ptr_import(ctx, fd, off + 4, LEN +
					(uint64_t)sysconf(_SC_PAGESIZE), 0,
					&pitched), 0);
	release(pitched);
	close(fd);
	nothing_found();
}

static void one_file_is_imported_twice(void **state)
{
	const int fd = others_file();
	uint32_t *one = import_at(fd, 0), *other = import_at(fd, 0);

	(void)state;
	assert_ptr_not_equal(one, other);
	add(one, 1);
	add(other, 1);
	device_is(one, 2);
	release(one);
	add(other, 1);
	device_is(other, 3);
	release(other);
	close(fd);
}

/* New memory at the address of a freed import is not the file. */
static void a_freed_import_leaves_its_place(void **state)
{
	const int fd = others_file();
	uint32_t *map = map_file(fd), *ptr, *next[64];
	size_t i;

	(void)state;
	ptr = import_at(fd, 0);
	add(ptr, 4);
	release(ptr);
	for (i = 0; i < 64; i++) {
		next[i] = device(1);
		add(next[i], 1);
	}
	for (i = 0; i < 64; i++) {
		device_is(next[i], 2);
		release(next[i]);
	}
	all_are(map, 4);
	munmap(map, LEN);
	close(fd);
	nothing_found();
}

static void a_freed_export_leaves_its_place(void **state)
{
	uint32_t *ptr = device(4), *next[64], *map;
	const int fd = export_of(ptr);
	size_t i;

	(void)state;
	map = map_file(fd);
	close(fd);
	add(ptr, 1);
	release(ptr);
	for (i = 0; i < 64; i++) {
		next[i] = device(1);
		add(next[i], 1);
	}
	for (i = 0; i < 64; i++) {
		device_is(next[i], 2);
		release(next[i]);
	}
	all_are(map, 5);
	munmap(map, LEN);
}

static void *let_go_later(void *gate)
{
	usleep(50000);
	let_go(*(struct gate *)gate);
	return NULL;
}

static void an_export_waits_for_work(void **state)
{
	uint32_t *ptr = device(1), *map;
	struct gate gate = hold_up(stream);
	pthread_t thread;
	int fd;

	(void)state;
	start_add(stream, ptr, ptr, 1);
	assert_int_equal(mem_stream_query(stream), -EBUSY);
	assert_int_equal(pthread_create(&thread, NULL, let_go_later, &gate),
			 0);
	fd = export_of(ptr);
	map = map_file(fd);
	all_are(map, 2);
	pthread_join(thread, NULL);
	sync_stream();
	release(gate.word);
	release(ptr);
	munmap(map, LEN);
	close(fd);
}

/* An export is no wait, so nothing is known done for managed memory. */
static void an_export_is_no_wait(void **state)
{
	uint32_t *other = managed(MEM_ATTACH_GLOBAL);
	uint32_t *ptr = device(1);

	(void)state;
	start_add(stream, ptr, ptr, 1);
	close(export_of(ptr));
	is_refused(other);
	sync_stream();
	is_allowed(other);
	release(other);
	release(ptr);
}

static void what_is_no_device_memory_is_refused(void **state)
{
	const int fd = others_file();
	uint32_t *ptr = device(1), *import = import_at(fd, 0);
	uint32_t *unified = managed(MEM_ATTACH_GLOBAL);
	uint32_t *pinned = memory(MEM_KIND_PINNED);
	struct mem_ctx *other;
	int out = -7;

	(void)state;
	assert_int_equal(mem_ptr_export(NULL, ptr, &out), -EINVAL);
	assert_int_equal(mem_ptr_export(ctx, NULL, &out), -EINVAL);
	assert_int_equal(mem_ptr_export(ctx, ptr, NULL), -EINVAL);
	assert_int_equal(mem_ptr_export(ctx, ptr + 1, &out), -EINVAL);
	assert_int_equal(mem_ptr_export(ctx, import, &out), -EINVAL);
	assert_int_equal(mem_ptr_export(ctx, unified, &out), -EINVAL);
	assert_int_equal(mem_ptr_export(ctx, pinned, &out), -EINVAL);
	assert_int_equal(mem_ptr_export(ctx, &out, &out), -EINVAL);
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_ptr_export(other, ptr, &out), -EXDEV);
	assert_int_equal(mem_free(other, import), -EXDEV);
	mem_ctx_close(other);
	release(ptr);
	assert_int_equal(mem_ptr_export(ctx, ptr, &out), -EINVAL);
	assert_int_equal(out, -7);
	release(import);
	release(unified);
	release(pinned);
	close(fd);
}

static void what_cannot_be_mapped_is_refused(void **state)
{
	void *ptr = UNTOUCHED;
	int fd = others_file(), event, reading;
	const uint64_t len = LEN + 2 * (uint64_t)sysconf(_SC_PAGESIZE);
	char path[32];

	(void)state;
	assert_int_equal(mem_ptr_import(NULL, fd, 0, LEN, 0, &ptr), -EINVAL);
	assert_int_equal(mem_ptr_import(ctx, fd, 0, LEN, 0, NULL), -EINVAL);
	assert_int_equal(mem_ptr_import(ctx, fd, 0, 0, 0, &ptr), -EINVAL);
	assert_int_equal(mem_ptr_import(ctx, fd, 0, LEN, MEM_DEVICE_IMPORTED,
					&ptr), -EINVAL);
	assert_int_equal(mem_ptr_import(ctx, fd, 0, len + 1, 0, &ptr),
			 -EINVAL);
	assert_int_equal(mem_ptr_import(ctx, fd, len, 1, 0, &ptr), -EINVAL);
	assert_int_equal(mem_ptr_import(ctx, fd, UINT64_MAX - 1, 4, 0, &ptr),
			 -EINVAL);
	assert_int_equal(mem_ptr_import(ctx, fd, 4, UINT64_MAX - 1, 0, &ptr),
			 -EINVAL);
	assert_int_equal(mem_ptr_import(ctx, -1, 0, LEN, 0, &ptr), -EBADF);
	event = eventfd(0, EFD_CLOEXEC);
	assert_true(event >= 0);
	assert_int_equal(mem_ptr_import(ctx, event, 0, LEN, 0, &ptr),
			 -EOPNOTSUPP);
	close(event);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	reading = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(reading >= 0);
	assert_int_equal(mem_ptr_import(ctx, reading, 0, LEN, 0, &ptr),
			 -EPERM);
	close(reading);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), 0);
	assert_int_equal(mem_ptr_import(ctx, fd, 0, LEN, 0, &ptr), -EPERM);
	assert_ptr_equal(ptr, UNTOUCHED);
	close(fd);
}

static void no_descriptor_is_left(void **state)
{
	const int fd = others_file();
	void *ptr = UNTOUCHED, *mine;
	struct rlimit old;
	int out;

	(void)state;
	mine = device(3);
	add(mine, 1);
	old = take_all_fds();
	assert_int_equal(mem_ptr_import(ctx, fd, 0, LEN, 0, &ptr), -EMFILE);
	assert_int_equal(mem_ptr_export(ctx, mine, &out), -EMFILE);
	give_fds_back(old);
	assert_ptr_equal(ptr, UNTOUCHED);
	add(mine, 1);
	device_is(mine, 5);
	release(mine);
	close(fd);
	nothing_found();
}

static void nothing_leaks(void **state)
{
	const int fd = others_file();
	size_t nr_fds = 0, nr = 0;
	uint32_t *ptr;
	int i;

	(void)state;
	for (i = 0; i < 12; i++) {
		ptr = import_at(fd, 0);
		add(ptr, 1);
		release(ptr);
		ptr = device(1);
		add(ptr, 1);
		close(export_of(ptr));
		add(ptr, 1);
		release(ptr);
		add(ptr = device(1), 1);
		release(ptr);
		if (i == 1) {
			nr_fds = nr_of_process("fd");
			nr = nr_mappings();
		}
	}
	assert_int_equal(nr_of_process("fd"), nr_fds);
	assert_true(nr_mappings() <= nr + 4);
	close(fd);
	nothing_found();
}

/* The exporter's memory is used. */
static void an_import_takes_no_memory(void **state)
{
	uint64_t before, after, all;
	const int fd = others_file();
	uint32_t *ptr;

	(void)state;
	if (mem_ctx_memory(ctx, MEM_ENGINE_GPU, &before, &all))
		skip_because("the backend reports no free memory");
	ptr = import_at(fd, 0);
	assert_int_equal(mem_ctx_memory(ctx, MEM_ENGINE_GPU, &after, &all), 0);
	assert_int_equal(after, before);
	release(ptr);
	assert_int_equal(mem_ctx_memory(ctx, MEM_ENGINE_GPU, &after, &all), 0);
	assert_int_equal(after, before);
	close(fd);
}

static void a_child_has_none(void **state)
{
	uint32_t *ptr = device(1);
	const int fd = others_file();
	int out;
	void *import;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (mem_ptr_export(ctx, ptr, &out) != -EPERM)
			_exit(1);
		_exit(mem_ptr_import(ctx, fd, 0, LEN, 0, &import) != -EPERM);
	}
	assert_int_equal(exit_code_of(pid), 0);
	close(fd);
	release(ptr);
}

static void the_module_has_none(void **state)
{
	void *ptr = memory(MEM_KIND_DEVICE), *import;
	const int fd = others_file();
	int out;

	(void)state;
	assert_int_equal(mem_ptr_export(ctx, ptr, &out), -EOPNOTSUPP);
	assert_int_equal(mem_ptr_import(ctx, fd, 0, LEN, 0, &import),
			 -EOPNOTSUPP);
	release(ptr);
	close(fd);
}

static void k_store_behind(const struct mem_block *block, void *arg)
{
	uint8_t *ptr = *(uint8_t **)arg;

	(void)block;
	ptr[LEN] = 0;
}

/* The other process, which does only this */
static int act(const char *how, int fd)
{
	const bool is_overrun = !strcmp(how, OVERRUN);
	void *state = NULL, *ptr;

	/* The file is longer than the exported memory. */
	if (open_strict(state) ||
	    mem_ptr_import(ctx, fd, 0, LEN + is_overrun, 0, &ptr))
		return 1;
	close(fd);
	if (is_overrun)
		start(stream, k_store_behind, &ptr, sizeof(ptr));
	else
		start_add(stream, ptr, ptr, THEIRS);
	if (mem_stream_sync(stream) || mem_free(ctx, ptr))
		return 1;
	close_all(state);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest embedded[] = {
		cmocka_unit_test(an_export_has_the_bytes),
		cmocka_unit_test(an_export_is_one_file),
		cmocka_unit_test(its_address_stays),
		cmocka_unit_test(another_process_adds_to_it),
		cmocka_unit_test(what_another_process_overruns_is_found),
		cmocka_unit_test(an_import_is_device_memory),
		cmocka_unit_test(an_import_begins_at_any_byte),
		cmocka_unit_test(one_file_is_imported_twice),
		cmocka_unit_test(a_freed_import_leaves_its_place),
		cmocka_unit_test(a_freed_export_leaves_its_place),
		cmocka_unit_test(an_export_waits_for_work),
		cmocka_unit_test(an_export_is_no_wait),
		cmocka_unit_test(what_is_no_device_memory_is_refused),
		cmocka_unit_test(what_cannot_be_mapped_is_refused),
		cmocka_unit_test(no_descriptor_is_left),
		cmocka_unit_test(nothing_leaks),
		cmocka_unit_test(an_import_takes_no_memory),
		cmocka_unit_test(a_child_has_none),
	};
	const struct CMUnitTest kernel[] = {
		cmocka_unit_test(the_module_has_none),
	};

	if (argc == 3)
		return act(argv[1], atoi(argv[2]));
	if (getenv("LIBMEM_BACKEND") &&
	    !strcmp(getenv("LIBMEM_BACKEND"), "embedded"))
		return cmocka_run_group_tests(embedded, open_strict, close_all);
	return cmocka_run_group_tests(kernel, open_strict, close_all);
}
