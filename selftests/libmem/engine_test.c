// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests engines as processes (DESIGN 3.2). The test is their owner: it has a
 * window whose device view is a file, and a table of the access of a job.
 */
#include "test.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../../libmem/engine/engine.h"
#include "../../libmem/engine/process.h"

#define NR_PAGES	64UL
#define FOREVER_NS	(60ULL * 1000000000ULL)

static struct {
	struct engine_window window;
	struct engine *engine;
	uint8_t *view;			/* the device view, always accessible */
	uint8_t *before;
	size_t page_len;
	enum engine_access access[NR_PAGES];
	bool refuses[NR_PAGES];
	unsigned int nr_asked;
	struct engine_touch touch;	/* the last one */
	uint64_t written_off;
	uint64_t written_len;
	bool is_changed;
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

static void on_written(void *owner, uint64_t off, uint64_t len, bool is_changed)
{
	assert_ptr_equal(owner, &own);
	own.written_off = off;
	own.written_len = len;
	own.is_changed = is_changed;
	own.nr_written++;
}

static const struct engine_ops ops = {
	.touch = on_touch,
	.written = on_written,
};

static struct own_fd make_file(size_t len)
{
	struct own_fd file;

	assert_int_equal(own_fd_take(&file, memfd_create("view", MFD_CLOEXEC)),
			 0);
	assert_int_equal(ftruncate(file.nr, (off_t)len), 0);
	return file;
}

static void *map_file(struct own_fd file, size_t len)
{
	void *addr = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED,
			  file.nr, 0);

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
	own.window.view = make_file(len);
	own.window.before = make_file(len);
	own.view = map_file(own.window.view, len);
	own.before = map_file(own.window.before, len);
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
	own_fd_close(&own.window.view);
	own_fd_close(&own.window.before);
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

/* Results of a job, in the first page of the window */
struct found {
	pid_t pid;
	unsigned int nr;
	uint64_t value;
	char text[32];
};

static struct found *found(void)
{
	return (struct found *)own.view;
}

/* Returns the same results in a kernel. */
static struct found *finding(void *args)
{
	return *(struct found **)args;
}

static struct engine_result find(mem_kernel kernel)
{
	return run(kernel, &own.window.addr, sizeof(own.window.addr));
}

static void assert_finds(mem_kernel kernel)
{
	assert_int_equal(find(kernel).status, 0);
}

struct touch_args {
	volatile uint8_t *at;
	size_t step;
	size_t nr;
	uint8_t value;
};

/* For accesses that a sanitizer would report. */
#define WILD	__attribute__((no_sanitize("address", "undefined")))

static WILD void store(const struct mem_block *block, void *args)
{
	const struct touch_args *a = args;
	size_t i;

	(void)block;
	for (i = 0; i < a->nr; i++)
		a->at[i * a->step] = a->value;
}

static WILD void load(const struct mem_block *block, void *args)
{
	const struct touch_args *a = args;

	(void)block;
	(void)*a->at;
}

static struct engine_result touch(mem_kernel kernel, const volatile void *at)
{
	const struct touch_args args = {
		.at = (volatile uint8_t *)at,
		.nr = 1,
		.value = 7,
	};

	return run(kernel, &args, sizeof(args));
}

static void store_pages(size_t first, size_t nr, uint8_t value)
{
	const struct touch_args args = {
		.at = (uint8_t *)own.window.addr + first * own.page_len,
		.step = own.page_len,
		.nr = nr,
		.value = value,
	};

	assert_runs(store, &args, sizeof(args));
}

static void assert_illegal(struct engine_result result, const volatile void *at,
			   bool is_write, enum engine_place place)
{
	assert_int_equal(result.status, -EFAULT);
	assert_int_equal(result.signal, SIGSEGV);
	assert_ptr_equal(result.addr, at);
	assert_int_equal(result.is_write, is_write);
	assert_int_equal(result.place, place);
	assert_true(result.ip - (uintptr_t)(is_write ? store : load) < 256);
}

static void an_empty_job_runs(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		assert_runs(empty, NULL, 0);
	assert_int_equal(own.nr_asked, 0);
}

static void a_pointer_is_the_same_on_both_sides(void **state)
{
	uint8_t *window = own.window.addr;

	(void)state;
	assert_int_equal(touch(store, window + 5).status, 0);
	assert_int_equal(own.view[5], 7);
	assert_int_equal(own.nr_asked, 1);
	assert_int_equal(own.touch.off, 5);
	assert_true(own.touch.is_write);
	assert_true(own.touch.ip - (uintptr_t)store < 256);
	/* The access stays permitted. */
	assert_int_equal(touch(store, window + 6).status, 0);
	assert_int_equal(own.nr_asked, 1);
}

static void find_pid(const struct mem_block *block, void *args)
{
	(void)block;
	finding(args)->pid = getpid();
}

static pid_t engine_pid(void)
{
	assert_finds(find_pid);
	return found()->pid;
}

/* Returns false for a zombie, which only its parent, init, can reap. */
static bool is_running(pid_t pid)
{
	char path[64], state = 'Z';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(file);
	return state != 'Z' && state != 'X';
}

static bool ends(pid_t pid)
{
	size_t i;

	for (i = 0; i < 5000 && is_running(pid); i++)
		usleep(1000);
	return !is_running(pid);
}

static void it_starts_at_the_first_job_and_is_replaced(void **state)
{
	pid_t first, second;

	(void)state;
	first = engine_pid();
	assert_int_not_equal(first, getpid());
	assert_int_equal(engine_pid(), first);
	kill(first, SIGKILL);
	assert_true(ends(first));
	second = engine_pid();
	assert_int_not_equal(second, first);
	engine_destroy(own.engine);
	own.engine = NULL;
	assert_false(is_running(second));
}

static volatile int host_global = 41;
static const int host_constant = 43;

static void find_global(const struct mem_block *block, void *args)
{
	(void)block;
	finding(args)->value = (uint64_t)(host_global + host_constant);
}

static void globals_can_be_read_and_not_stored_to(void **state)
{
	(void)state;
	host_global = 42;
	assert_finds(find_global);
	assert_int_equal(found()->value, 42 + 43);
	assert_illegal(touch(store, &host_global), &host_global, true,
		       ENGINE_HOST_GLOBAL);
	assert_int_equal(host_global, 42);
	assert_illegal(touch(store, &host_constant), &host_constant, true,
		       ENGINE_HOST_CODE);
	/* This holds after a function was looked up, too. */
	assert_finds(find_pid);
	assert_illegal(touch(store, &host_global), &host_global, true,
		       ENGINE_HOST_GLOBAL);
}

static void heap_is_not_there(void **state)
{
	uint8_t *before, *after;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip_because("the heap is among the sanitizer's own memory");
#endif
	before = malloc(1 << 20);
	before[5000] = 1;
	assert_illegal(touch(load, before + 5000), before + 5000, false,
		       ENGINE_HOST_HEAP);
	assert_illegal(touch(store, before + 5000), before + 5000, true,
		       ENGINE_HOST_HEAP);
	assert_runs(empty, NULL, 0);
	/* This memory was allocated after the engine began. */
	after = malloc(3 << 20);
	after[5000] = 1;
	assert_illegal(touch(load, after + 5000), after + 5000, false,
		       ENGINE_HOST_HEAP);
	free(before);
	free(after);
}

static void shared_mappings_are_not_there(void **state)
{
	uint8_t *shared = mmap(NULL, LEN, PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(shared, MAP_FAILED);
	assert_illegal(touch(store, shared), shared, true, ENGINE_HOST_HEAP);
	assert_int_equal(shared[0], 0);
	munmap(shared, LEN);
}

struct beside {
	uint8_t *at;
	struct engine_result result;
};

static void *touch_beside(void *arg)
{
	struct beside *beside = arg;

	beside->result = touch(store, beside->at);
	return NULL;
}

/* The thread that makes the engine has a shared mapping beside its stack. */
static void shared_mappings_beside_a_thread_are_not_there(void **state)
{
	const size_t stack_len = 1 << 20;
	struct beside beside;
	pthread_attr_t attr;
	pthread_t thread;
	uint8_t *stack;

	(void)state;
	stack = mmap(NULL, stack_len + LEN, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(stack, MAP_FAILED);
	beside.at = mmap(stack + stack_len, LEN, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	assert_ptr_equal(beside.at, stack + stack_len);
	pthread_attr_init(&attr);
	assert_int_equal(pthread_attr_setstack(&attr, stack, stack_len), 0);
	assert_int_equal(pthread_create(&thread, &attr, touch_beside, &beside),
			 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	assert_illegal(beside.result, beside.at, true, ENGINE_HOST_HEAP);
	assert_int_equal(beside.at[0], 0);
	munmap(stack, stack_len + LEN);
}

static void *wait_at(void *arg)
{
	uint8_t local[LEN];

	memset(local, 1, sizeof(local));
	*(uint8_t *volatile *)arg = local;
	for (;;)
		pause();
	return NULL;
}

static void stacks_are_not_there(void **state)
{
	volatile uint8_t local[LEN];
	uint8_t *volatile other = NULL;
	pthread_t thread;

	(void)state;
	local[0] = 1;
	assert_illegal(touch(load, local), local, false, ENGINE_HOST_STACK);
	assert_illegal(touch(store, local), local, true, ENGINE_HOST_STACK);
#ifdef __SANITIZE_ADDRESS__
	/* Stacks of other threads are among memory of the sanitizer. */
	return;
#endif
	assert_int_equal(pthread_create(&thread, NULL, wait_at, (void *)&other),
			 0);
	while (!other)
		usleep(1000);
	assert_illegal(touch(store, other), other, true, ENGINE_HOST_STACK);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

static void nothing_is_at_wild_addresses(void **state)
{
	(void)state;
	assert_illegal(touch(store, NULL), NULL, true, ENGINE_UNKNOWN);
	assert_illegal(touch(load, (void *)4097), (void *)4097, false,
		       ENGINE_UNKNOWN);
	assert_int_equal(touch(load, (void *)(1UL << 62)).status, -EFAULT);
	assert_illegal(touch(store, (void *)(uintptr_t)empty),
		       (void *)(uintptr_t)empty, true, ENGINE_HOST_CODE);
}

static void *run_in_thread(void *arg)
{
	uint8_t local[LEN];

	(void)arg;
	memset(local, 1, sizeof(local));
	free(malloc(100));
#ifndef __SANITIZE_ADDRESS__
	assert_illegal(touch(store, local), local, true, ENGINE_HOST_STACK);
#endif
	assert_finds(find_pid);
	return NULL;
}

static void any_thread_can_run_jobs(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, run_in_thread, NULL), 0);
	pthread_join(thread, NULL);
	assert_finds(find_pid);
}

/* A page shared by fork is copied at the first store, which is a fault. */
static void the_applications_memory_is_not_copied(void **state)
{
	const size_t len = 64UL << 20;
	struct rusage before, after;
	uint8_t *heap;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip_because("the sanitizer's own pages are copied");
#endif
	heap = malloc(len);
	memset(heap, 1, len);
	assert_runs(empty, NULL, 0);
	getrusage(RUSAGE_SELF, &before);
	memset(heap, 2, len);
	getrusage(RUSAGE_SELF, &after);
	assert_in_range(after.ru_minflt - before.ru_minflt, 0,
			(long)(len / own.page_len / 50));
	free(heap);
}

static void what_the_owner_refuses_is_illegal(void **state)
{
	uint8_t *at = (uint8_t *)own.window.addr + 3 * own.page_len + 9;

	(void)state;
	own.refuses[3] = true;
	assert_illegal(touch(store, at), at, true, ENGINE_WINDOW);
	assert_illegal(touch(load, at), at, false, ENGINE_WINDOW);
	own.refuses[3] = false;
	assert_int_equal(touch(store, at).status, 0);
}

static void a_store_asks_where_only_reading_is_allowed(void **state)
{
	uint8_t *at = own.window.addr;

	(void)state;
	own.access[0] = ENGINE_READ;
	assert_int_equal(touch(load, at).status, 0);
	assert_int_equal(touch(load, at).status, 0);
	assert_int_equal(own.nr_asked, 1);
	assert_false(own.touch.is_write);
	own.access[0] = ENGINE_WRITE;
	assert_int_equal(touch(store, at).status, 0);
	assert_int_equal(own.nr_asked, 2);
	assert_true(own.touch.is_write);
}

static void changes_are_made_before_the_job(void **state)
{
	struct touch_args args = {
		.at = own.window.addr,
		.step = own.page_len,
		.nr = NR_PAGES,
		.value = 1,
	};
	struct engine_job job = job_of(store, &args, sizeof(args));
	struct engine_grant changes[300];
	size_t i;

	(void)state;
	/* There are more than fit into one message; the last one counts. */
	for (i = 0; i < 300; i++)
		changes[i] = (struct engine_grant) {
			.len = own.window.len,
			.access = i % 2 ? ENGINE_WRITE : ENGINE_HIDDEN,
			.file = OWN_FD_NONE,
		};
	job.changes = changes;
	job.nr_changes = 300;
	assert_int_equal(run_job(&job).status, 0);
	assert_int_equal(own.nr_asked, 0);
	changes[0].access = ENGINE_HIDDEN;
	changes[0].off = own.page_len;
	changes[0].len = 2 * own.page_len;
	job.nr_changes = 1;
	assert_int_equal(run_job(&job).status, 0);
	assert_int_equal(own.nr_asked, 2);
	assert_int_equal(own.view[2 * own.page_len], 1);
}

static void track_all(void)
{
	size_t i;

	for (i = 0; i < NR_PAGES; i++)
		own.access[i] = ENGINE_TRACKED;
}

static void pages_are_kept_as_they_were_before_a_jobs_first_store(void **state)
{
	(void)state;
	track_all();
	memset(own.view, 1, own.window.len);
	store_pages(4, 3, 2);
	assert_int_equal(own.nr_written, 1);
	assert_int_equal(own.written_off, 4 * own.page_len);
	assert_int_equal(own.written_len, 3 * own.page_len);
	assert_true(own.is_changed);
	assert_int_equal(own.before[4 * own.page_len], 1);
	assert_int_equal(own.view[6 * own.page_len], 2);
	/* The next job's stores are reported, too, without a new question. */
	own.nr_asked = 0;
	store_pages(4, 3, 3);
	assert_int_equal(own.nr_asked, 0);
	assert_int_equal(own.nr_written, 2);
	assert_int_equal(own.before[4 * own.page_len], 2);
	assert_int_equal(own.before[4 * own.page_len + 1], 1);
	/* A read is not reported. */
	assert_int_equal(touch(load, own.window.addr).status, 0);
	assert_int_equal(own.nr_written, 2);
}

/* A store of equal bytes is not reported; the next job is checked again. */
static void unchanged_memory_is_not_reported(void **state)
{
	(void)state;
	track_all();
	memset(own.view, 1, own.window.len);
	store_pages(4, 3, 1);
	assert_int_equal(own.nr_written, 0);
	store_pages(2, 1, 2);
	store_pages(2, 1, 1);
	store_pages(2, NR_PAGES - 2, 1);
	assert_int_equal(own.nr_written, 2);
	store_pages(3, 1, 2);
	assert_int_equal(own.nr_written, 3);
	assert_int_equal(own.written_off, 3 * own.page_len);
	assert_int_equal(own.written_len, own.page_len);
	assert_int_equal(own.before[3 * own.page_len], 1);
}

/* All writable pages are reported, since an ended engine compares none. */
static void a_job_that_dies_has_stored_all_the_same(void **state)
{
	const struct touch_args args = {
		.at = (uint8_t *)own.window.addr,
		.step = own.page_len,
		.nr = NR_PAGES,
		.value = 2,
	};

	(void)state;
	track_all();
	own.refuses[NR_PAGES - 1] = true;
	assert_int_equal(run(store, &args, sizeof(args)).status, -EFAULT);
	own.refuses[NR_PAGES - 1] = false;
	assert_int_equal(own.nr_written, 1);
	assert_false(own.is_changed);
	assert_int_equal(own.written_off, 0);
	assert_int_equal(own.written_len, own.window.len - own.page_len);
}

static void a_whole_run_is_reported_at_once(void **state)
{
	(void)state;
	track_all();
	memset(own.view, 1, own.window.len);
	store_pages(0, NR_PAGES, 2);
	assert_int_equal(own.nr_written, 1);
	assert_int_equal(own.written_off, 0);
	assert_int_equal(own.written_len, own.window.len);
	assert_int_equal(own.before[own.window.len - own.page_len], 1);
}

static void a_run_downwards_is_reported_at_once(void **state)
{
	const size_t len = own.window.len, page_len = own.page_len;
	const struct touch_args args = {
		.at = (uint8_t *)own.window.addr + len - page_len,
		.step = -page_len,
		.nr = NR_PAGES,
		.value = 2,
	};
	size_t i;

	(void)state;
	track_all();
	memset(own.view, 1, len);
	assert_runs(store, &args, sizeof(args));
	assert_int_equal(own.nr_written, 1);
	assert_int_equal(own.written_off, 0);
	assert_int_equal(own.written_len, len);
	for (i = 0; i < len; i += page_len) {
		assert_int_equal(own.before[i], 1);
		assert_int_equal(own.view[i], 2);
	}
}

static int *volatile nowhere = (int *)8;

static WILD void store_then_fail(const struct mem_block *block, void *args)
{
	store(block, args);
	*nowhere = 1;
}

static void stores_of_a_failed_job_are_reported(void **state)
{
	const struct touch_args args = {
		.at = own.window.addr,
		.nr = 1,
		.value = 9,
	};

	(void)state;
	track_all();
	assert_int_equal(run(store_then_fail, &args, sizeof(args)).status,
			 -EFAULT);
	assert_int_equal(own.nr_written, 1);
	assert_int_equal(own.before[0], 0);
	assert_int_equal(own.view[0], 9);
	/* The next job begins without reported stores. */
	assert_runs(empty, NULL, 0);
	assert_int_equal(own.nr_written, 1);
}

static void a_page_no_longer_tracked_is_not_reported(void **state)
{
	struct touch_args args = {
		.at = own.window.addr,
		.nr = 1,
		.value = 9,
	};
	struct engine_job job = job_of(store, &args, sizeof(args));
	struct engine_grant change = {
		.len = own.page_len,
		.access = ENGINE_WRITE,
		.file = OWN_FD_NONE,
	};

	(void)state;
	track_all();
	assert_int_equal(run_job(&job).status, 0);
	assert_int_equal(own.nr_written, 1);
	job.changes = &change;
	job.nr_changes = 1;
	assert_int_equal(run_job(&job).status, 0);
	assert_int_equal(own.nr_written, 1);
}

static struct own_fd file_of_page;

static int grant_file(void *owner, const struct engine_touch *touch,
		      struct engine_grant *grant)
{
	on_touch(owner, touch, grant);
	grant->file = file_of_page;
	grant->fd_off = own.page_len;
	return 0;
}

static void a_grant_can_have_a_file_of_its_own(void **state)
{
	static const struct engine_ops file_ops = {
		.touch = grant_file,
		.written = on_written,
	};
	struct engine_window window = own.window;
	struct engine_job job;
	struct touch_args args = {
		.at = (uint8_t *)own.window.addr + 5 * own.page_len,
		.nr = 1,
		.value = 4,
	};
	struct engine_grant change;
	struct engine *engine;
	struct engine_result result;
	uint8_t *file;

	(void)state;
	file_of_page = make_file(4 * own.page_len);
	file = map_file(file_of_page, 4 * own.page_len);
	window.view = OWN_FD_NONE;
	assert_int_equal(engine_create("vic", &window, &file_ops, &own,
				       &engine), 0);
	job = job_of(store, &args, sizeof(args));
	engine_run(engine, &job, &result);
	assert_int_equal(result.status, 0);
	assert_int_equal(file[own.page_len], 4);
	/* The page gets another file before the job. */
	change = (struct engine_grant) {
		.off = 5 * own.page_len,
		.len = own.page_len,
		.access = ENGINE_WRITE,
		.file = file_of_page,
		.fd_off = 2 * own.page_len,
	};
	job.changes = &change;
	job.nr_changes = 1;
	engine_run(engine, &job, &result);
	assert_int_equal(result.status, 0);
	assert_int_equal(file[2 * own.page_len], 4);
	/* The page gets no file, so the job asks for access. */
	change.access = ENGINE_HIDDEN;
	change.file = OWN_FD_NONE;
	own.nr_asked = 0;
	engine_run(engine, &job, &result);
	assert_int_equal(result.status, 0);
	assert_int_equal(own.nr_asked, 1);
	engine_destroy(engine);
	munmap(file, 4 * own.page_len);
	own_fd_close(&file_of_page);
}

struct grid_args {
	uint32_t *counts;
	uint32_t nr_shared;
	atomic_uint nr_wrong;
	atomic_uint nr_blocks;
	atomic_uint nr_threads;
	pid_t tids[64];
};

static void note_thread(struct grid_args *a)
{
	const pid_t tid = gettid();
	unsigned int i;

	for (i = 0; i < a->nr_threads; i++)
		if (a->tids[i] == tid)
			return;
	i = atomic_fetch_add(&a->nr_threads, 1);
	a->tids[i % 64] = tid;
}

static void count_block(const struct mem_block *block, void *args)
{
	struct grid_args *a = *(struct grid_args **)args;
	const uint8_t *shared = block->shared;
	uint32_t i;

	for (i = 0; i < block->shared_len; i++)
		a->nr_wrong += shared[i] != 0;
	if (block->shared_len)
		memset(block->shared, 0xff, block->shared_len);
	i = (block->index[2] * block->grid[1] + block->index[1]) *
	    block->grid[0] + block->index[0];
	a->nr_wrong += block->block[0] != 32 || block->block[1] != 2 ||
		       block->block[2] != 1 || block->shared_len != 5000;
	__atomic_fetch_add(&a->counts[i], 1, __ATOMIC_RELAXED);
	a->nr_blocks++;
	note_thread(a);
	usleep(100);
}

/* Arguments are in the window, so that all blocks share one counter. */
static void each_block_is_run_once_with_its_own_memory(void **state)
{
	struct grid_args *at = own.window.addr;
	struct engine_job job = job_of(count_block, &at, sizeof(at));
	struct grid_args *seen = (struct grid_args *)own.view;
	uint32_t *counts = (uint32_t *)(own.view + own.page_len);
	size_t i;

	(void)state;
	seen->counts = (uint32_t *)((uint8_t *)own.window.addr + own.page_len);
	memcpy(job.grid, (uint32_t[]) { 7, 5, 11 }, sizeof(job.grid));
	memcpy(job.block, (uint32_t[]) { 32, 2, 1 }, sizeof(job.block));
	job.shared_len = 5000;
	assert_int_equal(run_job(&job).status, 0);
	assert_int_equal(seen->nr_blocks, 7 * 5 * 11);
	assert_int_equal(seen->nr_wrong, 0);
	for (i = 0; i < 7 * 5 * 11; i++)
		assert_int_equal(counts[i], 1);
	assert_int_equal(seen->nr_threads, sysconf(_SC_NPROCESSORS_ONLN));
}

static void many_jobs_of_many_blocks_are_all_run(void **state)
{
	struct grid_args *at = own.window.addr;
	struct engine_job job = job_of(empty, &at, sizeof(at));
	uint32_t i;

	(void)state;
	for (i = 0; i < 2000; i++) {
		job.grid[0] = 1 + i % 5;
		job.grid[1] = 1 + i % 3;
		assert_int_equal(run_job(&job).status, 0);
	}
}

static WILD void fill_args(const struct mem_block *block, void *args)
{
	uint8_t *bytes = args;

	bytes[block->index[0]]++;
	if (block->index[0] == MEM_ARGS_MAX - 1)
		bytes[MEM_ARGS_MAX] = 1;
}

static void arguments_are_a_copy_with_nothing_around(void **state)
{
	uint8_t args[MEM_ARGS_MAX] = { 0 };
	struct engine_job job = job_of(fill_args, args, sizeof(args));

	(void)state;
	job.grid[0] = 10;
	assert_int_equal(run_job(&job).status, 0);
	assert_int_equal(args[0], 0);
	job.grid[0] = MEM_ARGS_MAX;
	assert_int_equal(run_job(&job).status, -EFAULT);
	job.args_len++;
	assert_int_equal(run_job(&job).status, -EINVAL);
	job.args_len--;
	job.grid[1] = 0;
	assert_int_equal(run_job(&job).status, -EINVAL);
	memset(job.grid, 0xff, sizeof(job.grid));
	assert_int_equal(run_job(&job).status, -EINVAL);
}

static void spin(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
	for (;;)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void a_watchdog_ends_what_does_not_end(void **state)
{
	struct engine_job job = job_of(spin, NULL, 0);
	pid_t pid = engine_pid();
	uint64_t begin = now_ns();

	(void)state;
	job.timeout_ns = 50 * NS_PER_MS;
	assert_int_equal(run_job(&job).status, -ETIME);
	assert_in_range(now_ns() - begin, 50 * NS_PER_MS, 3000 * NS_PER_MS);
	assert_false(is_running(pid));
	assert_runs(empty, NULL, 0);
}

static void call_exit(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
	exit(0);
}

static void call_abort(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
	abort();
}

static void end_thread(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
	pthread_exit(NULL);
}

/* A child of the engine would run its further jobs, too. */
static void call_fork(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
	fork();
}

#if defined(__x86_64__)
static volatile int zero;

#define DIVIDE_SIGNAL	SIGFPE
#else
#define DIVIDE_SIGNAL	SIGILL
#endif

/* On arm64 a division by zero does not fail; an invalid instruction does. */
static WILD void divide(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
#if defined(__x86_64__)
	finding(args)->value = (uint64_t)(1000 / zero);
#else
	__asm__ volatile(".inst 0");
#endif
}

static void kill_itself(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
	kill(getpid(), SIGKILL);
}

static volatile mem_kernel deeper;

static void overflow(const struct mem_block *block, void *args)
{
	volatile uint8_t frame[4096];

	frame[0] = 1;
	if (deeper)
		deeper(block, args);
	frame[1] = frame[0];
}

static void ends_of_all_kinds_are_reported_and_survived(void **state)
{
	static const struct {
		mem_kernel kernel;
		int status;
		int signal;
	} ends[] = {
		{ call_exit, -EIO, 0 },
		{ call_abort, -ECANCELED, SIGABRT },
		{ end_thread, -EIO, 0 },
		{ call_fork, -EIO, 0 },
		{ divide, -EIO, DIVIDE_SIGNAL },
		{ kill_itself, -EOWNERDEAD, 0 },
		{ overflow, -EFAULT, SIGSEGV },
	};
	struct engine_job job = job_of(empty, &own.window.addr, sizeof(void *));
	struct engine_result result;
	size_t i;

	(void)state;
	deeper = overflow;
	for (i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		job.kernel = ends[i].kernel;
		job.grid[0] = 1 + i % 2 * 20;
		result = run_job(&job);
		assert_int_equal(result.status, ends[i].status);
		assert_int_equal(result.signal, ends[i].signal);
		if (ends[i].kernel == overflow)
			assert_int_equal(result.place, ENGINE_STACK);
		assert_runs(empty, NULL, 0);
	}
}

static void find_fds(const struct mem_block *block, void *args)
{
	int fd;

	(void)block;
	for (fd = 0; fd < 1024; fd++)
		finding(args)->nr += fcntl(fd, F_GETFD) >= 0;
}

static void foreign_descriptors_are_closed(void **state)
{
	int fds[20];
	size_t i;

	(void)state;
	for (i = 0; i < 20; i++)
		fds[i] = dup(2);
	assert_finds(find_fds);
	/* There are 0 to 2, the socket, and the pidfd of the application. */
	assert_int_equal(found()->nr, 5);
	for (i = 0; i < 20; i++)
		close(fds[i]);
}

static void find_signals(const struct mem_block *block, void *args)
{
	struct sigaction action;

	(void)block;
	sigaction(SIGUSR1, NULL, &action);
	finding(args)->nr = action.sa_handler == SIG_DFL;
	raise(SIGTERM);
}

static void signals_are_default_and_blocked(void **state)
{
	struct sigaction action = { .sa_handler = count_signal };
	struct sigaction old;
	pid_t pid;

	(void)state;
	assert_int_equal(sigaction(SIGUSR1, &action, &old), 0);
	assert_finds(find_signals);
	assert_int_equal(found()->nr, 1);
	pid = engine_pid();
	kill(pid, SIGTERM);
	kill(pid, SIGINT);
	assert_int_equal(engine_pid(), pid);
	sigaction(SIGUSR1, &old, NULL);
}

static void the_application_has_no_child(void **state)
{
	struct sigaction action = { .sa_handler = count_signal };
	struct sigaction old;
	pid_t pid;

	(void)state;
	nr_signals = 0;
	assert_int_equal(sigaction(SIGCHLD, &action, &old), 0);
	pid = engine_pid();
	assert_int_equal(wait(NULL), -1);
	assert_int_equal(errno, ECHILD);
	kill(pid, SIGKILL);
	assert_true(ends(pid));
	assert_int_equal(wait(NULL), -1);
	assert_int_equal(nr_signals, 0);
	sigaction(SIGCHLD, &old, NULL);
}

static int status_of(pid_t child)
{
	int status = -1;

	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void a_child_of_the_application_has_no_engine(void **state)
{
	pid_t pid = engine_pid(), child;

	(void)state;
	child = fork();
	if (!child) {
		if (run(empty, NULL, 0).status != -EPERM)
			_exit(1);
		engine_destroy(own.engine);
		_exit(0);
	}
	assert_int_equal(status_of(child), 0);
	assert_int_equal(engine_pid(), pid);
}

/* The application is killed, but its child continues. */
static void it_ends_with_the_application(void **state)
{
	pid_t app, orphan, pid;
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	app = fork();
	if (!app) {
		struct engine_window window = own.window;
		struct engine_job job;
		struct engine_result result;
		uint8_t *view;

		/* The alarm ends this process after any failure. */
		alarm(60);
		/* The window's address range is free in a child. */
		mmap(window.addr, window.len, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		madvise(window.addr, window.len, MADV_DONTFORK);
		view = mmap(NULL, window.len, PROT_READ, MAP_SHARED,
			    window.view.nr, 0);
		if (engine_create("gpu", &window, &ops, &own, &own.engine))
			_exit(1);
		job = job_of(find_pid, &window.addr, sizeof(window.addr));
		engine_run(own.engine, &job, &result);
		orphan = fork();
		if (!orphan) {
			alarm(60);
			pause();
			_exit(0);
		}
		pid = ((struct found *)view)->pid;
		if (write(pipes[1], &pid, sizeof(pid)) < 0 ||
		    write(pipes[1], &orphan, sizeof(orphan)) < 0)
			_exit(1);
		pause();
	}
	assert_int_equal(read(pipes[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_equal(read(pipes[0], &orphan, sizeof(orphan)),
			 sizeof(orphan));
	assert_true(is_running(pid));
	kill(app, SIGKILL);
	assert_int_equal(status_of(app), SIGKILL);
	assert_true(ends(pid));
	assert_true(is_running(orphan));
	kill(orphan, SIGKILL);
	close(pipes[0]);
	close(pipes[1]);
}

static WILD void print(const struct mem_block *block, void *args)
{
	char *text = malloc(100);

	(void)block;
	strcpy(text, "from the engine");
	printf("%s %d\n", text, 1);
	free(text);
	if (finding(args)->nr)
		*nowhere = 1;
}

/* Makes descriptor 1 a file, to read the output. */
static int redirect(int *old)
{
	int fd = make_file(0).nr;

	fflush(stdout);
	*old = dup(1);
	dup2(fd, 1);
	return fd;
}

static void restore(int old)
{
	fflush(stdout);
	dup2(old, 1);
	close(old);
}

static size_t output(int fd, char *text, size_t len)
{
	ssize_t got = pread(fd, text, len - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	return got > 0 ? (size_t)got : 0;
}

static void what_is_printed_comes_out_with_the_job(void **state)
{
	char text[100], last[100];
	int old, fd;

	(void)state;
	fd = redirect(&old);
	/* Buffered output of the application must be printed once. */
	printf("from the application ");
	found()->nr = 0;
	find(print);
	output(fd, text, sizeof(text));
	/* Output of an engine that fails appears, too. */
	found()->nr = 1;
	find(print);
	fflush(stdout);
	output(fd, last, sizeof(last));
	restore(old);
	close(fd);
	assert_string_equal(text, "from the engine 1\n");
	assert_string_equal(last, "from the engine 1\nfrom the engine 1\n"
			    "from the application ");
}

static void two_hundred_engines_leave_nothing(void **state)
{
	size_t nr_fds, nr, i;
	struct engine *engine;
	struct engine_job job;
	struct engine_result result;
	pid_t pids[200];

	(void)state;
	job = job_of(find_pid, &own.window.addr, sizeof(own.window.addr));
	assert_runs(empty, NULL, 0);
	nr_fds = nr_of_process("fd");
	nr = nr_mappings();
	for (i = 0; i < 200; i++) {
		assert_int_equal(engine_create("pva", &own.window, &ops, &own,
					       &engine), 0);
		job.kernel = i % 10 == 9 ? call_exit : find_pid;
		engine_run(engine, &job, &result);
		assert_int_equal(result.status, i % 10 == 9 ? -EIO : 0);
		pids[i] = found()->pid;
		engine_destroy(engine);
	}
	assert_int_equal(nr_of_process("fd"), nr_fds);
	assert_in_range(nr_mappings(), nr - 2, nr + 2);
	for (i = 0; i < 200; i++)
		assert_false(is_running(pids[i]));
}

static void it_cannot_start_without_descriptors(void **state)
{
	struct rlimit old = take_all_fds();
	struct engine_result result = run(empty, NULL, 0);

	(void)state;
	give_fds_back(old);
	assert_int_equal(result.status, -EMFILE);
	assert_runs(empty, NULL, 0);
}

static void find_all(const struct mem_block *block, void *args)
{
	struct grid_args *a = *(struct grid_args **)args;

	(void)block;
	a->nr_blocks++;
	a->tids[0] = getpid();
	host_global++;
	note_thread(a);
	usleep(100);
}

static void inline_engines_run_in_the_application(void **state)
{
	struct engine_window window = own.window;
	struct grid_args seen = { .nr_blocks = 0 }, *at = &seen;
	struct engine_job job = job_of(find_all, &at, sizeof(at));
	struct engine_result result;
	struct engine *engine;

	(void)state;
	window.is_inline = true;
	assert_false(engine_is_inline());
	assert_int_equal(engine_create("gpu", &window, &ops, &own, &engine),
			 0);
	host_global = 0;
	job.grid[2] = 100;
	engine_run(engine, &job, &result);
	assert_int_equal(result.status, 0);
	assert_int_equal(seen.nr_blocks, 100);
	assert_int_equal(seen.tids[0], getpid());
	assert_true(host_global);
	engine_destroy(engine);
	setenv("LIBMEM_ENGINE", "inline", 1);
	assert_true(engine_is_inline());
	unsetenv("LIBMEM_ENGINE");
}

static pthread_key_t stack_key;
static atomic_uint nr_began;
static atomic_uint nr_ended;
static atomic_uint nr_kept;

/* At its end, a thread must not have the kernel's signal stack any more. */
static void look_at_stack(void *in_kernel)
{
	stack_t now;

	atomic_fetch_add(&nr_ended, 1);
	if (!sigaltstack(NULL, &now) && now.ss_sp == in_kernel)
		atomic_fetch_add(&nr_kept, 1);
}

static void note_stack(const struct mem_block *block, void *args)
{
	const unsigned int least = pool_nr_workers() > 1 ? 2 : 1;
	const time_t end = time(NULL) + 60;
	stack_t now;

	(void)block;
	(void)args;
	if (!pthread_getspecific(stack_key))
		atomic_fetch_add(&nr_began, 1);
	if (!sigaltstack(NULL, &now))
		pthread_setspecific(stack_key, now.ss_sp);
	/* Without this wait, a single thread might run all blocks. */
	while (atomic_load(&nr_began) < least && time(NULL) < end)
		usleep(100);
}

static void inline_engines_give_signal_stacks_back(void **state)
{
	struct engine_window window = own.window;
	struct engine_job job = job_of(note_stack, NULL, 0);
	struct engine_result result;
	struct engine *engine;
	stack_t before, after;

	(void)state;
	assert_int_equal(pthread_key_create(&stack_key, look_at_stack), 0);
	window.is_inline = true;
	assert_int_equal(engine_create("gpu", &window, &ops, &own, &engine),
			 0);
	assert_int_equal(sigaltstack(NULL, &before), 0);
	job.grid[2] = 100;
	engine_run(engine, &job, &result);
	assert_int_equal(result.status, 0);
	assert_int_equal(sigaltstack(NULL, &after), 0);
	assert_ptr_equal(after.ss_sp, before.ss_sp);
	assert_int_equal(after.ss_size, before.ss_size);
	assert_int_equal(after.ss_flags, before.ss_flags);
	assert_non_null(pthread_getspecific(stack_key));
	assert_ptr_not_equal(pthread_getspecific(stack_key), before.ss_sp);
	assert_int_equal(pthread_setspecific(stack_key, NULL), 0);
	engine_destroy(engine);
	/* The other threads have ended, if the machine runs any. */
	assert_true(atomic_load(&nr_ended) || pool_nr_workers() == 1);
	assert_int_equal(atomic_load(&nr_kept), 0);
	assert_int_equal(pthread_key_delete(stack_key), 0);
}

static int *volatile nowhere;

static void touch_nothing(const struct mem_block *block, void *args)
{
	(void)args;
	/* Only one of many blocks that run at once does this. */
	if (block->index[0] == block->grid[0] / 2)
		*nowhere = 1;
}

static void touch_no_allocation(const struct mem_block *block, void *args)
{
	(void)block;
	*(volatile uint8_t *)*(void **)args = 1;
}

/* Handlers of the program must not be called for a kernel's fault. */
static int leave_inline_kernels(void)
{
	static const struct {
		mem_kernel kernel;
		int status;
		int signal;
		enum engine_place place;
	} ends[] = {
		{ touch_nothing, -EFAULT, SIGSEGV, ENGINE_UNKNOWN },
		{ touch_no_allocation, -EFAULT, SIGSEGV, ENGINE_WINDOW },
		{ overflow, -EFAULT, SIGSEGV, ENGINE_STACK },
		{ call_abort, -ECANCELED, SIGABRT, ENGINE_UNKNOWN },
		{ divide, -EIO, DIVIDE_SIGNAL, ENGINE_UNKNOWN },
	};
	struct engine_window window = own.window;
	struct engine_job job = job_of(empty, &own.window.addr, sizeof(void *));
	struct engine_result result;
	struct engine *engine;
	int signal;
	size_t i;

	for (signal = 1; signal < SIGSYS; signal++)
		sigaction(signal, &(struct sigaction) {
			  .sa_handler = SIG_DFL }, NULL);
	window.is_inline = true;
	if (engine_create("gpu", &window, &ops, &own, &engine))
		return 100;
	deeper = overflow;
	for (i = 0; i < 2 * sizeof(ends) / sizeof(*ends); i++) {
		job.kernel = ends[i / 2].kernel;
		job.grid[0] = i % 2 ? 100 : 1;
		engine_run(engine, &job, &result);
		if (result.status != ends[i / 2].status ||
		    result.signal != ends[i / 2].signal ||
		    result.place != ends[i / 2].place)
			return 10 + (int)i;
		job.kernel = empty;
		engine_run(engine, &job, &result);
		if (result.status || result.signal)
			return 50 + (int)i;
	}
	engine_destroy(engine);
	/* Outside of a kernel, the program's own handling must apply. */
	abort();
}

static void inline_kernels_that_fail_are_left(void **state)
{
	int status;
	pid_t child;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip_because("the sanitizer has the signals");
#endif
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(leave_inline_kernels());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status & 0x7f, SIGABRT);
}

static mem_kernel load_late(const char *name, const char *kernel, void **lib)
{
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 64);

	assert_true(len > 0);
	path[len] = '\0';
	strcpy(strrchr(path, '/') + 1, name);
	*lib = dlopen(path, RTLD_NOW);
	if (!*lib)
		fail_msg("%s", dlerror());
	return (mem_kernel)(uintptr_t)dlsym(*lib, kernel);
}

static void a_library_that_is_loaded_later_is_known(void **state)
{
	pid_t before = engine_pid();
	mem_kernel kernel;
	void *lib;

	(void)state;
	kernel = load_late("late1.so", "tell", &lib);
	assert_finds(kernel);
	assert_string_equal(found()->text, "late1");
	assert_int_not_equal(engine_pid(), before);
	before = engine_pid();
	assert_finds(kernel);
	assert_int_equal(engine_pid(), before);
	dlclose(lib);
	/* This library is most likely loaded at the same address. */
	kernel = load_late("late2.so", "tell", &lib);
	assert_finds(kernel);
	assert_string_equal(found()->text, "late2");
	dlclose(lib);
}

struct stands_for {
	void *args;
	mem_kernel kernel;
};

static void k_call(const struct mem_block *block, void *args)
{
	struct stands_for *it = args;

	it->kernel(block, &it->args);
}

static void what_a_kernel_stands_for_is_known(void **state)
{
	struct stands_for it = { .args = own.window.addr };
	struct engine_job job = job_of(k_call, &it, sizeof(it));
	pid_t before = engine_pid();
	void *lib;

	(void)state;
	/* Use a library that is new, since dlclose() may keep another. */
	it.kernel = load_late("late3.so", "tell", &lib);
	job.entry = (const void *)(uintptr_t)it.kernel;
	assert_int_equal(run_job(&job).status, 0);
	assert_string_equal(found()->text, "late3");
	assert_int_not_equal(engine_pid(), before);
	before = engine_pid();
	assert_int_equal(run_job(&job).status, 0);
	assert_int_equal(engine_pid(), before);
	dlclose(lib);
}

static void exceptions_end_the_job_and_streams_work(void **state)
{
	char text[100];
	struct engine_result result;
	mem_kernel kernel;
	int old, fd;
	void *lib;

	(void)state;
	kernel = load_late("late1.so", "print", &lib);
	fd = redirect(&old);
	result = find(kernel);
	output(fd, text, sizeof(text));
	restore(old);
	close(fd);
	assert_int_equal(result.status, 0);
	assert_string_equal(text, "3.5 from C++\n");
	kernel = (mem_kernel)(uintptr_t)dlsym(lib, "fail");
	result = find(kernel);
	assert_int_equal(result.status, -ECANCELED);
	assert_int_equal(result.signal, SIGABRT);
	dlclose(lib);
}

#define MANY_PAGES	140000UL

/* The pieces are more than the mappings that a process may have. */
static void too_many_pieces_are_hidden_and_asked_for_again(void **state)
{
	struct engine_window window = own.window;
	struct engine_grant *changes;
	struct engine_result result;
	struct touch_args args = { .nr = 1, .value = 8 };
	struct engine_job job = job_of(store, &args, sizeof(args));
	struct engine *engine;
	size_t i;

	(void)state;
	window.len = MANY_PAGES * own.page_len;
	window.view = make_file(window.len);
	window.before = make_file(window.len);
	window.addr = mmap(NULL, window.len, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(window.addr, MAP_FAILED);
	madvise(window.addr, window.len, MADV_DONTFORK);
	assert_int_equal(engine_create("gpu", &window, &ops, &own, &engine),
			 0);
	changes = calloc(MANY_PAGES / 2, sizeof(*changes));
	assert_non_null(changes);
	for (i = 0; i < MANY_PAGES / 2; i++)
		changes[i] = (struct engine_grant) {
			.off = 2 * i * own.page_len,
			.len = own.page_len,
			.access = ENGINE_TRACKED,
			.file = OWN_FD_NONE,
		};
	args.at = window.addr;
	job.changes = changes;
	job.nr_changes = MANY_PAGES / 2;
	/* A mapping for each piece takes a debug kernel a minute. */
	job.timeout_ns = 5 * FOREVER_NS;
	engine_run(engine, &job, &result);
	assert_int_equal(result.status, 0);
	assert_int_equal(own.nr_asked, 1);
	engine_destroy(engine);
	free(changes);
	munmap(window.addr, window.len);
	own_fd_close(&window.view);
	own_fd_close(&window.before);
}

/* Larger than the thread-local memory that an engine recognizes. */
static __thread char many_of_a_thread[1 << 20];

static void load_a_library(const struct mem_block *block, void *args)
{
	(void)block;
	many_of_a_thread[0] = 1;
	many_of_a_thread[sizeof(many_of_a_thread) - 1] = 1;
	finding(args)->nr = dlopen("libcrypt.so.1", RTLD_NOW) ? 1 : 2;
}

static void *run_loading(void *arg)
{
	(void)arg;
	many_of_a_thread[1] = 1;
	assert_finds(load_a_library);
	assert_int_not_equal(found()->nr, 0);
	return NULL;
}

/* The engine is made by the first thread, and by another, whose data differ. */
static void the_loader_and_a_threads_variables_work(void **state)
{
	pthread_t thread;

	run_loading(state);
	engine_destroy(own.engine);
	assert_int_equal(engine_create("gpu", &own.window, &ops, &own,
				       &own.engine), 0);
	assert_int_equal(pthread_create(&thread, NULL, run_loading, NULL), 0);
	pthread_join(thread, NULL);
}

static atomic_bool is_over;

static void *be_busy(void *arg)
{
	char *text = NULL;
	size_t len, nr = 0;
	FILE *file;

	(void)arg;
	while (!is_over) {
		free(malloc(nr++ % 5000));
		file = open_memstream(&text, &len);
		fprintf(file, "%zu", nr);
		fclose(file);
		free(text);
		setenv("ENGINE_TEST", "busy", nr % 2);
	}
	return NULL;
}

/*
 * The fork copies the allocator of GCC 12's AddressSanitizer while the threads
 * change it: allocations after the start may not return. So there is neither
 * one in the kernel, nor are there helpers, for which pthread_create()
 * allocates.
 */
#ifdef __SANITIZE_ADDRESS__
#define CAN_ALLOCATE	false
#else
#define CAN_ALLOCATE	true
#endif

static void print_quietly(const struct mem_block *block, void *args)
{
	char own_text[3000], *text = own_text;

	(void)block;
	if (CAN_ALLOCATE)
		text = malloc(sizeof(own_text));
	snprintf(text, sizeof(own_text), "%p %s", args, getenv("PATH"));
	if (CAN_ALLOCATE)
		free(text);
}

/* The threads hold locks of the C library during the fork. */
static void engines_start_beside_busy_threads(void **state)
{
	struct engine_job job = job_of(print_quietly, NULL, 0);
	struct engine_result result;
	struct engine *engine;
	pthread_t threads[4];
	size_t i;

	(void)state;
	is_over = false;
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, be_busy,
						NULL), 0);
	job.grid[0] = CAN_ALLOCATE ? 8 : 1;
	for (i = 0; i < 40; i++) {
		assert_int_equal(engine_create("pva", &own.window, &ops, &own,
					       &engine), 0);
		engine_run(engine, &job, &result);
		assert_int_equal(result.status, 0);
		engine_destroy(engine);
	}
	is_over = true;
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void *run_many(void *arg)
{
	struct engine_job job = job_of(empty, NULL, 0);
	struct engine_result result;
	size_t i;

	for (i = 0; i < 300; i++) {
		engine_run(arg, &job, &result);
		assert_int_equal(result.status, 0);
	}
	return NULL;
}

static void engines_run_beside_each_other(void **state)
{
	struct engine *engines[4];
	pthread_t threads[4];
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		assert_int_equal(engine_create("vic", &own.window, &ops, &own,
					       &engines[i]), 0);
		assert_int_equal(pthread_create(&threads[i], NULL, run_many,
						engines[i]), 0);
	}
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		engine_destroy(engines[i]);
	}
}

#define each(name) \
	cmocka_unit_test_setup_teardown(name, make_owner, end_owner)

int main(void)
{
	const struct CMUnitTest tests[] = {
		each(an_empty_job_runs),
		each(a_pointer_is_the_same_on_both_sides),
		each(it_starts_at_the_first_job_and_is_replaced),
		each(globals_can_be_read_and_not_stored_to),
		each(heap_is_not_there),
		each(shared_mappings_are_not_there),
		each(shared_mappings_beside_a_thread_are_not_there),
		each(stacks_are_not_there),
		each(nothing_is_at_wild_addresses),
		each(any_thread_can_run_jobs),
		each(the_applications_memory_is_not_copied),
		each(what_the_owner_refuses_is_illegal),
		each(a_store_asks_where_only_reading_is_allowed),
		each(changes_are_made_before_the_job),
		each(pages_are_kept_as_they_were_before_a_jobs_first_store),
		each(unchanged_memory_is_not_reported),
		each(a_job_that_dies_has_stored_all_the_same),
		each(a_whole_run_is_reported_at_once),
		each(a_run_downwards_is_reported_at_once),
		each(stores_of_a_failed_job_are_reported),
		each(a_page_no_longer_tracked_is_not_reported),
		each(a_grant_can_have_a_file_of_its_own),
		each(each_block_is_run_once_with_its_own_memory),
		each(many_jobs_of_many_blocks_are_all_run),
		each(arguments_are_a_copy_with_nothing_around),
		each(a_watchdog_ends_what_does_not_end),
		each(ends_of_all_kinds_are_reported_and_survived),
		each(foreign_descriptors_are_closed),
		each(signals_are_default_and_blocked),
		each(the_application_has_no_child),
		each(a_child_of_the_application_has_no_engine),
		each(it_ends_with_the_application),
		each(what_is_printed_comes_out_with_the_job),
		each(two_hundred_engines_leave_nothing),
		each(it_cannot_start_without_descriptors),
		each(inline_engines_run_in_the_application),
		each(inline_engines_give_signal_stacks_back),
		each(inline_kernels_that_fail_are_left),
		each(a_library_that_is_loaded_later_is_known),
		each(what_a_kernel_stands_for_is_known),
		each(exceptions_end_the_job_and_streams_work),
		each(too_many_pieces_are_hidden_and_asked_for_again),
		each(the_loader_and_a_threads_variables_work),
		each(engines_start_beside_busy_threads),
		each(engines_run_beside_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
