// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests buffers that are shared with other processes: mem_buf_export_as(),
 * mem_buf_import() and mem_buf_device_ptr().
 */
#include "export.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>

/* First argument of another process; the second is the file. */
#define ADD		"add"
#define HOLD		"hold"
#define THEIRS		1000U

#define NR_BUFS		200
#define HUGE_LEN	(1LL << 42)

static void what_is_exported_is_imported(void **state)
{
	struct mem_buf *buf, *other;
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		buf = new_buf(kinds[i]);
		store(buf, 7);
		fd = export_of(buf, MEM_RW);
		other = import_of(fd);
		close(fd);
		assert_int_equal(mem_buf_len(other), LEN);
		holds(other, 7);
		store(other, 8);
		holds(buf, 8);
		fill_buf(buf, 0x09090909);
		holds(other, 0x09090909);
		assert_int_equal(sum_of(buf), sum_of(other));
		mem_buf_destroy(buf);
		holds(other, 0x09090909);
		mem_buf_destroy(other);
	}
	nothing_found();
}

static void another_process_adds_to_it(void **state)
{
	struct mem_buf *buf;
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		buf = new_buf(kinds[i]);
		store(buf, 1);
		fd = export_of(buf, MEM_RW);
		assert_int_equal(exit_code_of(start_again(ADD, fd)), 0);
		close(fd);
		holds(buf, 1 + THEIRS);
		mem_buf_destroy(buf);
	}
	nothing_found();
}

static void arguments_of_exports_are_checked(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT), *other = UNTOUCHED;
	void *ptr = UNTOUCHED;
	int fd = -5;

	(void)state;
	assert_int_equal(mem_buf_export(NULL, &fd), -EINVAL);
	assert_int_equal(mem_buf_export(buf, NULL), -EINVAL);
	assert_int_equal(mem_buf_export_as(NULL, MEM_RW, &fd), -EINVAL);
	assert_int_equal(mem_buf_export_as(buf, MEM_RW, NULL), -EINVAL);
	assert_int_equal(mem_buf_export_as(buf, 0, &fd), -EINVAL);
	assert_int_equal(mem_buf_export_as(buf, MEM_WRITE, &fd), -EINVAL);
	assert_int_equal(mem_buf_export_as(buf, 4 | MEM_RW, &fd), -EINVAL);
	assert_int_equal(mem_buf_import(NULL, 0, &other), -EINVAL);
	assert_int_equal(mem_buf_import(ctx, 0, NULL), -EINVAL);
	assert_int_equal(mem_buf_import(ctx, -1, &other), -EBADF);
	assert_int_equal(mem_buf_device_ptr(NULL, &ptr), -EINVAL);
	assert_int_equal(mem_buf_device_ptr(buf, NULL), -EINVAL);
	assert_int_equal(fd, -5);
	assert_ptr_equal(other, UNTOUCHED);
	assert_ptr_equal(ptr, UNTOUCHED);
	mem_buf_destroy(buf);
}

/* Tries all ways in which a program could write. */
static void cannot_be_written(int fd)
{
	char path[32];
	void *addr;

	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_ptr_equal(mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			      0), MAP_FAILED);
	addr = mmap(NULL, LEN, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(addr, MAP_FAILED);
	assert_int_equal(mprotect(addr, LEN, PROT_READ | PROT_WRITE), -1);
	munmap(addr, LEN);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(write(fd, "x", 1), -1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (getuid())
		assert_int_equal(open(path, O_RDWR | O_CLOEXEC), -1);
}

/* Another user has received the descriptor. */
static int as_nobody(int fd)
{
	char path[32];

	if (become_nobody())
		return 2;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (open(path, O_RDWR | O_CLOEXEC) >= 0 || !fchmod(fd, 0666))
		return 1;
	return 0;
}

static void a_read_only_export_cannot_be_written(void **state)
{
	struct mem_buf *buf;
	pid_t pid;
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < NR_KINDS; i++) {
		buf = new_buf(kinds[i]);
		fd = export_of(buf, MEM_READ);
		cannot_be_written(fd);
		if (!getuid()) {
			pid = fork();
			if (!pid)
				_exit(as_nobody(fd));
			assert_int_equal(exit_code_of(pid), 0);
		}
		close(fd);
		store(buf, 4);
		mem_buf_destroy(buf);
	}
	nothing_found();
}

static void a_read_only_import_is_refused_writes(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT), *other;
	const int fd = export_of(buf, MEM_READ);
	struct mem_job *job = UNTOUCHED;
	uint32_t *words;
	int out = -5;

	(void)state;
	other = import_of(fd);
	close(fd);
	store(buf, 3);
	holds(other, 3);
	words = words_of(other);
	assert_int_equal(mem_buf_begin(other, MEM_WRITE), -EACCES);
	assert_int_equal(mem_buf_begin(other, MEM_RW), -EACCES);
	assert_int_equal(mem_buf_begin_range(other, 0, 1, MEM_WRITE), -EACCES);
	assert_int_equal(mem_job_fill(other, 0, LEN, 0, &job), -EPERM);
	assert_int_equal(mem_job_copy(other, 0, buf, 0, LEN, &job), -EPERM);
	assert_ptr_equal(job, UNTOUCHED);
	assert_int_equal(touch(words, true), SIGSEGV);
	assert_int_equal(found(MEM_VIOLATION_READ_ONLY_WRITE), is_embedded());
	assert_int_equal(mem_buf_export_as(other, MEM_RW, &out), -EACCES);
	assert_int_equal(out, -5);
	assert_int_equal(mem_buf_export(other, &out), 0);
	cannot_be_written(out);
	close(out);
	out = export_of(other, MEM_READ);
	cannot_be_written(out);
	close(out);
	all_are(words, 3);
	assert_int_equal(sum_of(other), sum_of(buf));
	mem_buf_destroy(other);
	mem_buf_destroy(buf);
	nothing_found();
}

static void a_copy_to_read_only_memory_is_refused(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT), *other;
	const int fd = export_of(buf, MEM_READ);
	uint32_t *device, *host = malloc(LEN);
	unsigned int dir;

	(void)state;
	other = import_of(fd);
	close(fd);
	store(buf, 6);
	device = device_of(other);
	for (dir = 0; dir <= MEM_DIR_DEFAULT; dir++)
		assert_int_equal(mem_copy(stream, device, host, LEN, dir),
				 -EACCES);
	assert_int_equal(mem_fill(stream, device, 0, LEN), -EACCES);
	assert_int_equal(mem_copy(stream, host, device, LEN,
				  MEM_DIR_DEVICE_TO_HOST), 0);
	all_are(host, 6);
	free(host);
	mem_buf_destroy(other);
	mem_buf_destroy(buf);
	nothing_found();
}

/* With the module, kernels cannot use buffers that may have two views. */
static bool kernels_have(struct mem_buf *buf)
{
	const unsigned int kind = mem_buf_kind(buf);
	void *ptr = UNTOUCHED;
	int err;

	err = mem_buf_device_ptr(buf, &ptr);
	if (is_embedded() || kind == MEM_KIND_COHERENT ||
	    kind == MEM_KIND_UNCACHED || kind == MEM_KIND_CONTIGUOUS) {
		assert_int_equal(err, 0);
		return true;
	}
	assert_int_equal(err, -EOPNOTSUPP);
	assert_ptr_equal(ptr, UNTOUCHED);
	return false;
}

/* The device address is valid whether the CPU has mapped the buffer or not. */
static void kernels_and_copies_reach_it(void **state)
{
	uint32_t *device, *host = malloc(LEN);
	struct mem_ptr_info info = { .size = sizeof(info) };
	struct mem_buf *buf;
	bool is_exported;
	size_t i;

	(void)state;
	for (i = 0; i < 2 * NR_KINDS; i++) {
		is_exported = i % 2;
		buf = new_buf(kinds[i / 2]);
		if (!kernels_have(buf)) {
			mem_buf_destroy(buf);
			continue;
		}
		/* Kernels that run in the program use the CPU's view. */
		if (is_exported || (is_concurrent() && has_two_views(buf)))
			close(export_of(buf, MEM_RW));
		device = device_of(buf);
		assert_int_equal(mem_ptr_info(ctx, device + 1, &info), 0);
		assert_int_equal(info.kind, mem_buf_kind(buf));
		assert_ptr_equal(info.device, device + 1);
		assert_null(info.host);
		set_all(host, 5);
		assert_int_equal(mem_copy(stream, device, host, LEN,
					  MEM_DIR_HOST_TO_DEVICE), 0);
		engines_add(buf, 1);
		assert_int_equal(mem_copy(stream, host, device, LEN,
					  MEM_DIR_DEFAULT), 0);
		all_are(host, 6);
		holds(buf, 6);
		assert_int_equal(mem_fill(stream, device, 1, LEN), 0);
		sync_stream();
		holds(buf, 0x01010101);
		assert_ptr_equal(words_of(buf), device);
		store(buf, 2);
		assert_int_equal(mem_copy(stream, host, device, LEN,
					  MEM_DIR_DEVICE_TO_HOST), 0);
		all_are(host, 2);
		mem_buf_destroy(buf);
	}
	free(host);
	nothing_found();
}

/* The device address is requested before, during and after the mapping. */
static void a_mapping_is_where_kernels_have_it(void **state)
{
	struct mem_buf *buf;
	uint32_t *words, *device;
	size_t i;
	int fd;

	(void)state;
	for (i = 0; i < 3; i++) {
		buf = new_buf(MEM_KIND_COHERENT);
		device = i ? NULL : device_of(buf);
		words = words_of(buf);
		set_all(words, 1);
		if (i)
			device = device_of(buf);
		assert_ptr_equal(device, words);
		if (i == 2)
			assert_int_equal(mem_buf_unmap(buf), 0);
		start_add(stream, device, device, 1);
		sync_stream();
		holds(buf, 2);
		fd = export_of(buf, MEM_RW);
		mem_buf_destroy(buf);
		buf = import_of(fd);
		close(fd);
		engines_add(buf, 1);
		holds(buf, 3);
		mem_buf_destroy(buf);
	}
	nothing_found();
}

/* Addresses and engines are reused, and must not refer to freed buffers. */
static void kernels_have_it_no_more_when_it_is_gone(void **state)
{
	const size_t nr_fds = nr_of_process("fd");
	struct mem_ptr_info info = { .size = sizeof(info) };
	struct mem_buf *buf;
	uint32_t *device;
	size_t i;

	(void)state;
	for (i = 0; i < 20; i++) {
		buf = new_buf(kinds[1 + i % 3]);
		device = device_of(buf);
		engines_add(buf, 1);
		holds(buf, 1);
		mem_buf_destroy(buf);
		assert_int_equal(mem_ptr_info(ctx, device, &info), 0);
		assert_int_equal(info.kind, MEM_KIND_PAGEABLE);
	}
	assert_int_equal(nr_of_process("fd"), nr_fds);
	nothing_found();
}

/* Files that are no buffers */

static void is_no_buffer(int fd, int err)
{
	struct mem_buf *buf = UNTOUCHED;

	assert_int_equal(mem_buf_import(ctx, fd, &buf), err);
	assert_ptr_equal(buf, UNTOUCHED);
	close(fd);
}

static void other_files_are_no_buffers(void **state)
{
	const size_t nr_fds = nr_of_process("fd");
	char name[] = "/tmp/export_test-XXXXXX";
	const int fd = mkstemp(name);

	(void)state;
	assert_true(fd >= 0);
	unlink(name);
	assert_int_equal(ftruncate(fd, LEN), 0);
	is_no_buffer(fd, -EINVAL);
	is_no_buffer(open("/dev/zero", O_RDWR | O_CLOEXEC), -EINVAL);
	is_no_buffer(open("/", O_RDONLY | O_CLOEXEC), -EINVAL);
	is_no_buffer(open("/", O_PATH | O_CLOEXEC), -EINVAL);
	is_no_buffer(eventfd(0, EFD_CLOEXEC), -EINVAL);
	/* Another process could truncate these files. */
	is_no_buffer(file_of(LEN, F_SEAL_GROW), -EINVAL);
	is_no_buffer(file_of(0, F_SEAL_SHRINK), -EINVAL);
	is_no_buffer(file_of(100, F_SEAL_SHRINK), -EINVAL);
	is_no_buffer(file_of(HUGE_LEN, F_SEAL_SHRINK), -ENOMEM);
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

static void a_sealed_file_is_read_only(void **state)
{
	const int fd = file_of(LEN, F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE);
	struct mem_buf *buf = import_of(fd);

	(void)state;
	close(fd);
	assert_int_equal(mem_buf_begin(buf, MEM_WRITE), -EACCES);
	assert_int_equal(touch(words_of(buf), true), SIGSEGV);
	assert_int_equal(found(MEM_VIOLATION_READ_ONLY_WRITE), 1);
	holds(buf, 0);
	mem_buf_destroy(buf);
}

static void an_import_takes_no_memory_of_the_machine(void **state)
{
	const size_t page_len = (size_t)sysconf(_SC_PAGESIZE);
	const off_t len = (off_t)(page_len * 1024);
	struct mem_buf *bufs[NR_BUFS];
	const int fd = file_of(len, F_SEAL_SHRINK);
	size_t i;

	(void)state;
	for (i = 0; i < NR_BUFS; i++) {
		bufs[i] = import_of(fd);
		((volatile uint32_t *)words_of(bufs[i]))[i] = (uint32_t)i;
	}
	for (i = 0; i < NR_BUFS; i++)
		assert_int_equal(words_of(bufs[0])[i], i);
	for (i = 0; i < NR_BUFS; i++)
		mem_buf_destroy(bufs[i]);
	close(fd);
}

static void a_kernels_store_to_read_only_is_illegal(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT), *other;
	struct sigaction none = { .sa_handler = SIG_DFL }, old;
	uint32_t *target = memory(MEM_KIND_PINNED), *from;
	int fd = export_of(buf, MEM_READ);

	(void)state;
	other = import_of(fd);
	close(fd);
	store(buf, 3);
	from = device_of(other);
	start_add(stream, target, from, 1);
	sync_stream();
	all_are(target, 4);
	if (!has_processes && !is_embedded()) {
		mem_buf_destroy(other);
		mem_buf_destroy(buf);
		release(target);
		skip_because("cmocka had SIGSEGV when the engine began");
	}
	/* A kernel in the program raises the signal in the program. */
	assert_int_equal(sigaction(SIGSEGV, &none, &old), 0);
	start_add(stream, from, from, 1);
	assert_int_equal(mem_stream_sync(stream), -EFAULT);
	assert_int_equal(sigaction(SIGSEGV, &old, NULL), 0);
	assert_int_equal(found(MEM_VIOLATION_ILLEGAL_ADDRESS), 1);
	holds(buf, 3);
	assert_int_equal(mem_buf_export_as(buf, MEM_READ, &fd), 0);
	close(fd);
	mem_buf_destroy(other);
	mem_buf_destroy(buf);
	release(target);
}

static void a_program_may_close_its_descriptors(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_buf *moved = new_buf(MEM_KIND_NONCOHERENT);
	int fd;

	(void)state;
	close(export_of(moved, MEM_RW));
	store(buf, 2);
	/* The rest runs in a new process. */
	assert_int_equal(exit_code_of(start_again("close", -1)), 0);
	fd = export_of(buf, MEM_READ);
	close(fd);
	mem_buf_destroy(moved);
	mem_buf_destroy(buf);
}

static void a_child_exports_nothing(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT), *other = UNTOUCHED;
	const int file = export_of(buf, MEM_RW);
	void *ptr = UNTOUCHED;
	int fd = -5;
	pid_t pid;

	(void)state;
	pid = fork();
	if (!pid)
		_exit(mem_buf_export(buf, &fd) != -EPERM ||
		      mem_buf_export_as(buf, MEM_READ, &fd) != -EPERM ||
		      mem_buf_import(ctx, file, &other) != -EPERM ||
		      mem_buf_device_ptr(buf, &ptr) != -EPERM ||
		      fd != -5 || other != UNTOUCHED || ptr != UNTOUCHED);
	assert_int_equal(exit_code_of(pid), 0);
	close(file);
	mem_buf_destroy(buf);
}

static void a_killed_importer_leaves_all_as_it_was(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	const int fd = export_of(buf, MEM_RW);
	uint32_t *words = words_of(buf);
	pid_t pid;
	int status;

	(void)state;
	pid = start_again(HOLD, fd);
	while (!__atomic_load_n(words, __ATOMIC_ACQUIRE))
		usleep(1000);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	store(buf, 5);
	engines_add(buf, 1);
	holds(buf, 6);
	close(fd);
	mem_buf_destroy(buf);
	nothing_found();
}

static void an_export_without_descriptors_is_emfile(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct rlimit old;
	int err[3], fd = -5;

	(void)state;
	store(buf, 4);
	old = take_all_fds();
	err[0] = mem_buf_export(buf, &fd);
	give_fds_back(old);
	close(export_of(buf, MEM_RW));
	old = take_all_fds();
	err[1] = mem_buf_export(buf, &fd);
	err[2] = mem_buf_export_as(buf, MEM_READ, &fd);
	give_fds_back(old);
	assert_int_equal(err[0], -EMFILE);
	assert_int_equal(err[1], -EMFILE);
	assert_int_equal(err[2], -EMFILE);
	assert_int_equal(fd, -5);
	holds(buf, 4);
	mem_buf_destroy(buf);
}

/* The other processes, which do only this */

static int act_add(int fd)
{
	struct mem_buf *buf;
	uint32_t *words;
	size_t i;

	if (mem_buf_import(ctx, fd, &buf) ||
	    mem_buf_begin(buf, MEM_RW))
		return 1;
	words = words_of(buf);
	for (i = 0; i < N; i++)
		words[i] += THEIRS;
	if (mem_buf_end(buf, MEM_RW))
		return 1;
	mem_buf_destroy(buf);
	return 0;
}

static int act_hold(int fd)
{
	struct mem_buf *buf;

	if (mem_buf_import(ctx, fd, &buf))
		return 1;
	__atomic_store_n(words_of(buf), 1, __ATOMIC_RELEASE);
	for (;;)
		pause();
}

static int act_close(void)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_buf *moved = new_buf(MEM_KIND_NONCOHERENT);
	int fd = -5, i;

	close(export_of(moved, MEM_RW));
	for (i = 3; i < 4096; i++)
		close(i);
	store(buf, 2);
	if (mem_buf_export(buf, &fd) != -EBADF ||
	    mem_buf_export(moved, &fd) != -EBADF ||
	    mem_buf_export_as(moved, MEM_READ, &fd) != -EBADF || fd != -5)
		return 1;
	holds(buf, 2);
	mem_buf_destroy(buf);
	mem_buf_destroy(moved);
	return 0;
}

static int act(const char *how, int fd)
{
	void *state = NULL;
	int ret;

	if (open_strict(state))
		return 1;
	if (!strcmp(how, ADD))
		ret = act_add(fd);
	else
		ret = strcmp(how, HOLD) ? act_close() : act_hold(fd);
	return ret;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest both[] = {
		cmocka_unit_test(what_is_exported_is_imported),
		cmocka_unit_test(another_process_adds_to_it),
		cmocka_unit_test(arguments_of_exports_are_checked),
		cmocka_unit_test(kernels_and_copies_reach_it),
		cmocka_unit_test(a_read_only_export_cannot_be_written),
		cmocka_unit_test(a_read_only_import_is_refused_writes),
		cmocka_unit_test(a_copy_to_read_only_memory_is_refused),
		cmocka_unit_test(a_mapping_is_where_kernels_have_it),
		cmocka_unit_test(kernels_have_it_no_more_when_it_is_gone),
	};
	const struct CMUnitTest embedded[] = {
		cmocka_unit_test(other_files_are_no_buffers),
		cmocka_unit_test(a_sealed_file_is_read_only),
		cmocka_unit_test(an_import_takes_no_memory_of_the_machine),
		cmocka_unit_test(a_program_may_close_its_descriptors),
		cmocka_unit_test(a_child_exports_nothing),
		cmocka_unit_test(a_killed_importer_leaves_all_as_it_was),
		cmocka_unit_test(an_export_without_descriptors_is_emfile),
		/* The last: it ends the context. */
		cmocka_unit_test(a_kernels_store_to_read_only_is_illegal),
	};
	const struct CMUnitTest kernel[] = {
		/* The last: it ends the context. */
		cmocka_unit_test(a_kernels_store_to_read_only_is_illegal),
	};
	const char *backend = getenv("LIBMEM_BACKEND");
	int rc;

	if (argc == 3)
		return act(argv[1], atoi(argv[2]));
	rc = cmocka_run_group_tests(both, open_strict, close_all);
	if (backend && !strcmp(backend, "embedded"))
		return rc | cmocka_run_group_tests(embedded, open_strict,
						   close_all);
	return rc | cmocka_run_group_tests(kernel, open_strict, close_all);
}
