// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of engines as processes (DESIGN 3.2), with an owner of their own: a
 * window whose device view is one file, and a table of what a job may do.
 */
#include "test.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../../libmem/engine/engine.h"

#define NR_PAGES	64UL
#define FOREVER_NS	(60ULL * 1000000000ULL)

static struct {
	struct engine_window window;
	struct engine *engine;
	uint8_t *view;			/* the device view, as it is */
	uint8_t *before;
	size_t page_len;
	enum engine_access access[NR_PAGES];
	bool refuses[NR_PAGES];
	unsigned int nr_asked;
	struct engine_touch touch;	/* the last */
	uint64_t written_off;
	uint64_t written_len;
	unsigned int nr_written;
} own;

static int on_touch(void *owner, const struct engine_touch *touch,
		    struct engine_grant *grant)
{
	const size_t page = touch->off / own.page_len;

	assert_ptr_equal(owner, &own);
	own.nr_asked++;
	own.touch = *touch;
	if (page >= NR_PAGES || own.refuses[page])
		return -EFAULT;
	grant->off = page * own.page_len;
	grant->len = own.page_len;
	grant->access = own.access[page];
	return 0;
}

static void on_written(void *owner, uint64_t off, uint64_t len)
{
	assert_ptr_equal(owner, &own);
	own.written_off = off;
	own.written_len = len;
	own.nr_written++;
}

static const struct engine_ops ops = {
	.touch = on_touch,
	.written = on_written,
};

static int make_file(size_t len)
{
	int fd = memfd_create("view", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	return fd;
}

static void *map_file(int fd, size_t len)
{
	void *addr = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(addr, MAP_FAILED);
	assert_int_equal(madvise(addr, len, MADV_DONTFORK), 0);
	return addr;
}

static int make_owner(void **state)
{
	size_t len, i;

	(void)state;
	memset(&own, 0, sizeof(own));
	own.page_len = (size_t)sysconf(_SC_PAGESIZE);
	len = NR_PAGES * own.page_len;
	own.window.page_shift = (uint32_t)__builtin_ctzl(own.page_len);
	own.window.len = len;
	own.window.view_fd = make_file(len);
	own.window.before_fd = make_file(len);
	own.view = map_file(own.window.view_fd, len);
	own.before = map_file(own.window.before_fd, len);
	own.window.addr = mmap(NULL, len, PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(own.window.addr, MAP_FAILED);
	assert_int_equal(madvise(own.window.addr, len, MADV_DONTFORK), 0);
	for (i = 0; i < NR_PAGES; i++)
		own.access[i] = ENGINE_WRITE;
	return engine_create("gpu", &own.window, &ops, &own, &own.engine);
}

static int end_owner(void **state)
{
	(void)state;
	engine_destroy(own.engine);
	munmap(own.window.addr, own.window.len);
	munmap(own.view, own.window.len);
	munmap(own.before, own.window.len);
	close(own.window.view_fd);
	close(own.window.before_fd);
	return 0;
}

static struct engine_job job_of(mem_kernel kernel, const void *args, size_t len)
{
	return (struct engine_job) {
		.kernel = kernel,
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
		.args = args,
		.args_len = len,
		.timeout_ns = FOREVER_NS,
	};
}

static struct engine_result run_job(const struct engine_job *job)
{
	struct engine_result result;

	engine_run(own.engine, job, &result);
	return result;
}

static struct engine_result run(mem_kernel kernel, const void *args, size_t len)
{
	struct engine_job job = job_of(kernel, args, len);

	return run_job(&job);
}

static void assert_runs(mem_kernel kernel, const void *args, size_t len)
{
	assert_int_equal(run(kernel, args, len).status, 0);
}

static void empty(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
}

struct store_args {
	volatile uint8_t *to;
	size_t step;
	size_t nr;
	uint8_t value;
};

static void store(const struct mem_block *block, void *args)
{
	const struct store_args *a = args;
	size_t i;

	(void)block;
	for (i = 0; i < a->nr; i++)
		a->to[i * a->step] = a->value;
}

static void a_pointer_is_the_same_on_both_sides(void **state)
{
	uint8_t *window = own.window.addr;
	struct store_args args = { .to = window + 5, .nr = 1, .value = 7 };

	(void)state;
	assert_runs(store, &args, sizeof(args));
	assert_int_equal(own.view[5], 7);
	assert_int_equal(own.nr_asked, 1);
	assert_int_equal(own.touch.off, 5);
	assert_true(own.touch.is_write);
	/* Access stays. */
	assert_runs(store, &args, sizeof(args));
	assert_int_equal(own.nr_asked, 1);
}

static void an_empty_job_runs(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		assert_runs(empty, NULL, 0);
	engine_flush(own.engine);
	assert_int_equal(own.nr_asked, 0);
}

#define each(name) \
	cmocka_unit_test_setup_teardown(name, make_owner, end_owner)

int main(void)
{
	const struct CMUnitTest tests[] = {
		each(an_empty_job_runs),
		each(a_pointer_is_the_same_on_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
