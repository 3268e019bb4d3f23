// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests forks of a program with registered memory on the embedded backend. The
 * pages are shared with engines; parent and child must each keep their own
 * contents.
 */
#include "test.h"

#include <linux/prctl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define ARRAY_LEN	20000UL
#define ARENA_LEN	(64UL << 20)
#define NR_FORKS	5

extern char **environ;

struct store {
	uint8_t *at;
	size_t len;
	uint8_t value;
};

/* Stores to every second byte; the host stores to the others. */
static void store_half(const struct mem_block *block, void *args)
{
	const struct store *store = args;
	size_t i;

	(void)block;
	for (i = 0; i < store->len; i += 2)
		store->at[i] = store->value;
}

static int new_ctx(void **state)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
	};

	(void)state;
	return mem_ctx_open(&options, &ctx);
}

static int launch_stores(uint8_t *host, size_t len, uint8_t value)
{
	struct store store = { .len = len, .value = value };
	const struct mem_launch launch = launch_of(store_half, &store,
						   sizeof(store));
	int err;

	err = mem_device_ptr(ctx, host, (void **)&store.at);
	return err ? err : mem_launch(mem_stream_legacy(ctx), &launch);
}

/* Runs this program with an argument that main() handles, in a new process. */
static int status_of_self(const char *how)
{
	return exit_code_of(start_again(how, -1));
}

/* Stores to stack frames below the caller's. */
static int __attribute__((noinline)) use_stack(int depth)
{
	volatile char frame[3000];
	size_t i;

	for (i = 0; i < sizeof(frame); i++)
		frame[i] = (char)depth;
	return depth ? use_stack(depth - 1) + frame[7] : frame[8];
}

static void use_heap(void)
{
	char *blocks[20];
	size_t i;

	for (i = 0; i < 20; i++) {
		blocks[i] = malloc(100 + 300 * i);
		memset(blocks[i], 'h', 100 + 300 * i);
	}
	for (i = 0; i < 20; i++)
		free(blocks[i]);
}

static int __attribute__((noinline)) register_below(int depth, void *at,
						    size_t len)
{
	volatile char frame[3000];
	int ret;

	frame[0] = 0;
	if (depth)
		ret = register_below(depth - 1, at, len);
	else
		ret = mem_register(ctx, at, len, 0);
	return ret + frame[0];
}

static bool is_as_stored(const uint8_t *array, uint8_t host, uint8_t engine)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN; i++)
		if (array[i] != (i % 2 ? host : engine))
			return false;
	return true;
}

/* Ends the child here, since a return would continue the test. */
static void child_on_stack(uint8_t *array, int nr)
{
	volatile int local = nr;

	alarm(60);
	use_stack(6);
	memset(array, 99, ARRAY_LEN);
	use_stack(6);
	local++;
	_exit(local == nr + 1 && array[ARRAY_LEN - 1] == 99 ? 42 : 1);
}

/* The pages of the array also hold the frame that forks, and its callers'. */
static bool __attribute__((noinline)) fork_beside_an_array(int depth)
{
	uint8_t array[ARRAY_LEN];
	volatile int local;
	bool is_good = true;
	pid_t pid;
	int i;

	if (depth < 0 ? mem_register(ctx, array, ARRAY_LEN, 0) :
			register_below(depth, array, ARRAY_LEN))
		return false;
	for (i = 1; i <= NR_FORKS; i++) {
		local = i;
		memset(array, i, ARRAY_LEN);
		is_good &= !launch_stores(array, ARRAY_LEN, 100 + i);
		pid = fork();
		if (!pid)
			child_on_stack(array, i);
		array[1] = 77;
		local++;
		is_good &= exit_code_of(pid) == 42;
		is_good &= !mem_ctx_sync(ctx);
		is_good &= local == i + 1 && array[1] == 77;
		array[1] = i;
		is_good &= is_as_stored(array, i, 100 + i);
	}
	is_good &= !mem_unregister(ctx, array);
	use_stack(6);
	return is_good && is_as_stored(array, NR_FORKS, 100 + NR_FORKS);
}

static void *fork_in_thread(void *depth)
{
	return (void *)fork_beside_an_array(*(int *)depth);
}

static void frames_that_fork_may_share_registered_pages(void **state)
{
	pthread_t thread;
	void *is_good;
	int depth;

	(void)state;
	for (depth = -1; depth < 9; depth += 3) {
		assert_true(fork_beside_an_array(depth));
		assert_int_equal(pthread_create(&thread, NULL, fork_in_thread,
						&depth), 0);
		pthread_join(thread, &is_good);
		assert_non_null(is_good);
	}
}

/* Thread-local memory is beside the C library's data of the thread. */
static __thread uint8_t local_words[6000];

static bool is_thread_well(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t mutex;
	bool ret;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&mutex, &attr);
	pthread_mutex_lock(&mutex);
	/* The kernel stored the thread's number in the C library's data. */
	ret = mutex.__data.__owner == gettid();
	pthread_mutex_unlock(&mutex);
	pthread_mutex_destroy(&mutex);
	errno = 0;
	return ret && close(-1) && errno == EBADF;
}

static void *fork_beside_variables(void *unused)
{
	bool is_good;
	pid_t pid;
	int i;

	(void)unused;
	is_good = !mem_register(ctx, local_words, sizeof(local_words), 0);
	for (i = 1; i <= NR_FORKS; i++) {
		memset(local_words, i, sizeof(local_words));
		is_good &= !launch_stores(local_words, sizeof(local_words), 9);
		pid = fork();
		if (!pid) {
			alarm(60);
			memset(local_words, 7, sizeof(local_words));
			use_heap();
			_exit(is_thread_well() ? 42 : 1);
		}
		is_good &= is_thread_well();
		is_good &= exit_code_of(pid) == 42 && is_thread_well();
		is_good &= !mem_ctx_sync(ctx);
		is_good &= local_words[1] == i && local_words[4000] == 9;
	}
	is_good &= !mem_unregister(ctx, local_words);
	return (void *)is_good;
}

static void threads_may_fork_beside_their_variables(void **state)
{
	pthread_t thread;
	void *is_good;

	(void)state;
	assert_non_null(fork_beside_variables(NULL));
	assert_int_equal(pthread_create(&thread, NULL, fork_beside_variables,
					NULL), 0);
	pthread_join(thread, &is_good);
	assert_non_null(is_good);
	assert_true(is_thread_well());
}

static pthread_barrier_t turn;

static void *park_with_array(void *unused)
{
	uint8_t array[ARRAY_LEN];
	bool is_good;

	(void)unused;
	memset(array, 5, ARRAY_LEN);
	is_good = !register_below(3, array, ARRAY_LEN);
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	is_good &= is_thread_well() && is_as_stored(array, 5, 5);
	is_good &= !mem_unregister(ctx, array);
	return (void *)is_good;
}

static void *park_with_variables(void *unused)
{
	bool is_good;

	(void)unused;
	is_good = !mem_register(ctx, local_words, sizeof(local_words), 0);
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	is_good &= is_thread_well();
	is_good &= !mem_unregister(ctx, local_words);
	return (void *)is_good;
}

static void *do_nothing(void *arg)
{
	return arg;
}

static void stacks_of_other_threads_stay_as_they_are(void **state)
{
	pthread_t threads[2], other;
	void *are_good[2];
	pid_t pid;
	int i;

	(void)state;
	pthread_barrier_init(&turn, NULL, 3);
	assert_int_equal(pthread_create(&threads[0], NULL, park_with_array,
					NULL), 0);
	assert_int_equal(pthread_create(&threads[1], NULL, park_with_variables,
					NULL), 0);
	pthread_barrier_wait(&turn);
	for (i = 0; i < NR_FORKS; i++) {
		pid = fork();
		if (!pid) {
			alarm(60);
			use_heap();
			/* The thread gets a cached stack of the parent. */
			if (pthread_create(&other, NULL, do_nothing, NULL))
				_exit(1);
			pthread_join(other, NULL);
			_exit(42);
		}
		assert_int_equal(exit_code_of(pid), 42);
		assert_int_equal(pthread_create(&other, NULL, do_nothing,
						NULL), 0);
		pthread_join(other, NULL);
	}
	pthread_barrier_wait(&turn);
	pthread_join(threads[0], &are_good[0]);
	pthread_join(threads[1], &are_good[1]);
	pthread_barrier_destroy(&turn);
	assert_non_null(are_good[0]);
	assert_non_null(are_good[1]);
}

static void use_heap_at_random(unsigned int *seed)
{
	char *blocks[40];
	size_t i, len;

	for (i = 0; i < 40; i++) {
		len = 1100 + (size_t)rand_r(seed) % 3000;
		blocks[i] = malloc(len);
		memset(blocks[i], 'h', len);
	}
	for (i = 0; i < 40; i++)
		free(blocks[i * 7 % 40]);
}

static atomic_bool is_over;

static void *use_heap_all_the_time(void *unused)
{
	unsigned int seed = 1;

	(void)unused;
	while (!atomic_load(&is_over))
		use_heap_at_random(&seed);
	return NULL;
}

/* Runs in a new program, which has one heap for all threads. */
static int use_heap_in_children(void)
{
	int nr_good = 0;
	char *blocks[200];
	pthread_t thread;
	unsigned int i, j;
	pid_t pid;

	if (new_ctx(NULL))
		return 1;
	for (i = 0; i < 200; i++)
		blocks[i] = malloc(1500);
	for (i = 0; i < 200; i += 20)
		if (mem_register(ctx, blocks[i], 1500, 0))
			return 2;
	for (i = 0; i < 200; i++)
		if (i % 20)
			free(blocks[i]);
	if (pthread_create(&thread, NULL, use_heap_all_the_time, NULL))
		return 3;
	for (i = 0; i < 50; i++) {
		pid = fork();
		if (!pid) {
			alarm(60);
			for (j = 0; j < 20; j++)
				use_heap_at_random(&i);
			_exit(42);
		}
		nr_good += exit_code_of(pid) == 42;
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	return nr_good == 50 ? 42 : 4;
}

/* Runs in a new program, which may not have another process. */
static int fail_to_fork(void)
{
	const struct rlimit none = { 0 };
	struct timespec begin, end;
	uint8_t *block = malloc(5000);
	int64_t ms;

	if (new_ctx(NULL) || mem_register(ctx, block, 5000, 0) ||
	    setrlimit(RLIMIT_NPROC, &none) ||
	    (!getuid() && become_nobody()))
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (fork() >= 0 || errno != EAGAIN)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &end);
	ms = (end.tv_sec - begin.tv_sec) * 1000 +
	     (end.tv_nsec - begin.tv_nsec) / 1000000;
	block[4999] = 1;
	return ms < 900 && !mem_unregister(ctx, block) ? 42 : 3;
}

static void a_fork_that_fails_fails_at_once(void **state)
{
	(void)state;
	assert_int_equal(status_of_self("fail_to_fork"), 42);
}

static void the_heap_of_a_child_is_whole(void **state)
{
	(void)state;
#ifndef __x86_64__
	skip_because("the kernel does not hand out system calls");
#endif
	setenv("MALLOC_ARENA_MAX", "1", 1);
	assert_int_equal(status_of_self("use_heap_in_children"), 42);
	unsetenv("MALLOC_ARENA_MAX");
}

static int spawn(void)
{
	char *const argv[] = { "true", NULL };
	pid_t pid;

	if (posix_spawnp(&pid, "true", NULL, NULL, argv, environ))
		return -1;
	return exit_code_of(pid);
}

static int exec_at_once(bool is_vfork)
{
	pid_t pid = is_vfork ? vfork() : fork();

	if (!pid) {
		execlp("true", "true", NULL);
		_exit(1);
	}
	return exit_code_of(pid);
}

/* The process forks twice, and its parent has ended. */
static int become_a_daemon(uint8_t *block)
{
	int pipes[2], status;
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	if (!pid) {
		alarm(60);
		setsid();
		block[1] = 8;
		pid = fork();
		if (pid)
			_exit(pid < 0);
		byte = block[1] == 8 && block[4000] == 5;
		block[4000] = 9;
		use_heap();
		_exit(write(pipes[1], &byte, 1) != 1);
	}
	status = exit_code_of(pid);
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	close(pipes[0]);
	close(pipes[1]);
	return status ? status : !byte;
}

static int use_popen(void)
{
	FILE *file = popen("echo 5", "re");
	char byte;

	if (!file || fread(&byte, 1, 1, file) != 1 || byte != '5')
		return 1;
	return pclose(file);
}

static void children_of_all_kinds_run(void **state)
{
	uint8_t *block = malloc(5000);

	(void)state;
	memset(block, 5, 5000);
	assert_int_equal(mem_register(ctx, block, 5000, 0), 0);
	assert_int_equal(spawn(), 0);
	assert_int_equal(exec_at_once(false), 0);
	assert_int_equal(exec_at_once(true), 0);
	assert_int_equal(system("true"), 0);
	assert_int_equal(use_popen(), 0);
	assert_int_equal(become_a_daemon(block), 0);
	assert_int_equal(block[1], 5);
	assert_int_equal(block[4000], 5);
	assert_int_equal(launch_stores(block, 5000, 6), 0);
	assert_int_equal(mem_unregister(ctx, block), 0);
	assert_int_equal(block[4000], 6);
	assert_int_equal(block[4001], 5);
	free(block);
}

/* The library's own mapping, in which it reads the list, must not count. */
static void memory_that_is_not_mapped_is_einval(void **state)
{
	const size_t page = sysconf(_SC_PAGESIZE);
	uint8_t *at;
	size_t len;

	(void)state;
	for (len = page; len < 256UL << 20; len *= 2) {
		at = mmap(NULL, len, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		assert_true(at != MAP_FAILED);
		assert_int_equal(munmap(at, len), 0);
		assert_int_equal(mem_register(ctx, at + len - page, page, 0),
				 -EINVAL);
	}
}

#define STACK_LEN	(256UL << 10)

static void *register_own_stack(void *stack)
{
	int err = mem_register(ctx, stack, STACK_LEN, 0);

	if (!err)
		err = mem_unregister(ctx, stack);
	return (void *)(intptr_t)err;
}

/* The memory below a thread's stack does not belong to the thread. */
static void a_thread_may_register_its_stack(void **state)
{
	const size_t len = 2 * STACK_LEN;
	uint8_t *area = mmap(NULL, len, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;
	size_t i;
	void *err;

	(void)state;
	assert_true(area != MAP_FAILED);
	memset(area, 0x55, STACK_LEN);
	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstack(&attr, area + STACK_LEN,
					       STACK_LEN), 0);
	assert_int_equal(pthread_create(&thread, &attr, register_own_stack,
					area + STACK_LEN), 0);
	assert_int_equal(pthread_join(thread, &err), 0);
	assert_int_equal((intptr_t)err, 0);
	for (i = 0; i < STACK_LEN; i++)
		assert_int_equal(area[i], 0x55);
	pthread_attr_destroy(&attr);
	munmap(area, len);
}

static void *register_cancelled(void *block)
{
	pthread_cancel(pthread_self());
	mem_register(ctx, block, 1, 0);
	pthread_testcancel();
	return NULL;
}

/* The thread is cancelled after the call, or it would never drop a lock. */
static void a_thread_may_be_cancelled_in_a_call(void **state)
{
	uint8_t *blocks = mmap(NULL, 2 * STACK_LEN, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	void *ret;

	(void)state;
	assert_true(blocks != MAP_FAILED);
	assert_int_equal(pthread_create(&thread, NULL, register_cancelled,
					blocks), 0);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_ptr_equal(ret, PTHREAD_CANCELED);
	assert_int_equal(mem_register(ctx, blocks + STACK_LEN, 1, 0), 0);
	assert_int_equal(mem_unregister(ctx, blocks + STACK_LEN), 0);
	assert_int_equal(mem_unregister(ctx, blocks), 0);
	munmap(blocks, 2 * STACK_LEN);
}

/* A fork must copy registered pages that the program cannot read. */
static void registered_pages_may_be_protected(void **state)
{
	uint8_t *pages = mmap(NULL, STACK_LEN, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	(void)state;
	assert_true(pages != MAP_FAILED);
	assert_int_equal(mem_register(ctx, pages, STACK_LEN, 0), 0);
	pages[0] = 7;
	assert_int_equal(mprotect(pages, STACK_LEN, PROT_NONE), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(exit_code_of(pid), 0);
	assert_int_equal(mprotect(pages, STACK_LEN, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(mem_unregister(ctx, pages), 0);
	assert_int_equal(pages[0], 7);
	munmap(pages, STACK_LEN);
}

static int err_below(int resource, int (*call)(uint8_t *block), uint8_t *block)
{
	struct rlimit old, none;
	int err;

	assert_int_equal(getrlimit(resource, &old), 0);
	none = old;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(resource, &none), 0);
	err = call(block);
	assert_int_equal(setrlimit(resource, &old), 0);
	return err;
}

static int register_block(uint8_t *block)
{
	return mem_register(ctx, block, 5000, 0);
}

static int unregister_block(uint8_t *block)
{
	return mem_unregister(ctx, block);
}

static void what_is_short_changes_nothing(void **state)
{
	uint8_t *block = malloc(5000);
	void *device;

	(void)state;
	memset(block, 5, 5000);
	assert_int_equal(err_below(RLIMIT_NOFILE, register_block, block),
			 -EMFILE);
	assert_int_equal(err_below(RLIMIT_AS, register_block, block), -ENOMEM);
	assert_int_equal(register_block(block), 0);
	assert_int_equal(err_below(RLIMIT_AS, unregister_block, block),
			 -ENOMEM);
	assert_int_equal(mem_device_ptr(ctx, block, &device), 0);
	assert_int_equal(register_block(block), -EEXIST);
	assert_int_equal(unregister_block(block), 0);
	assert_int_equal(unregister_block(block), -ENOENT);
	assert_int_equal(block[0], 5);
	assert_int_equal(block[4999], 5);
	free(block);
}

/* If the library is linked statically, its variables are beside these. */
static volatile uint8_t of_data = 1;
static volatile uint8_t of_bss;

static void variables_can_be_registered(void **state)
{
	volatile uint8_t *const variables[] = { &of_data, &of_bss };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		volatile uint8_t *const at = variables[i];
		pid_t pid;

		*at = 3;
		assert_int_equal(mem_register(ctx, (void *)at, 1, 0), 0);
		pid = fork();
		if (!pid) {
			alarm(60);
			use_heap();
			*at += 4;
			_exit(*at);
		}
		assert_int_equal(exit_code_of(pid), 7);
		assert_int_equal(*at, 3);
		assert_int_equal(launch_stores((uint8_t *)at, 1, 9), 0);
		assert_int_equal(mem_unregister(ctx, (void *)at), 0);
		assert_int_equal(*at, 9);
	}
}

/* Maps memory outside of any allocator, which the caller divides itself. */
static uint8_t *map_region(size_t len)
{
	uint8_t *at = mmap(NULL, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(at != MAP_FAILED);
	return at;
}

/* The first page of a thread's arena holds the arena's lock. */
static void *register_the_first_block(void *first)
{
	*(void **)first = malloc(64);
	assert_int_equal(mem_register(ctx, *(void **)first, 64, 0), 0);
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	return NULL;
}

/* A signal's frame is the first use of the signal stack. */
static void a_signal_stack_may_share_registered_pages(void **state)
{
	const size_t page_len = (size_t)getpagesize();
	const size_t stack_len = 64 * 1024;
	uint8_t *region = map_region(stack_len + 2 * page_len);
	uint8_t *block = region + stack_len + page_len / 2;
	const stack_t stack = {
		.ss_sp = region,
		.ss_size = stack_len + page_len / 2,
	};
	const stack_t none = { .ss_flags = SS_DISABLE };
	pthread_t thread;
	void *first;
	pid_t pid;

	(void)state;
	pthread_barrier_init(&turn, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL,
					register_the_first_block, &first), 0);
	pthread_barrier_wait(&turn);
	assert_int_equal(sigaltstack(&stack, NULL), 0);
	assert_int_equal(mem_register(ctx, block, page_len, 0), 0);
	pid = fork();
	if (!pid) {
		alarm(60);
		use_heap();
		_exit(42);
	}
	assert_int_equal(exit_code_of(pid), 42);
	assert_int_equal(mem_unregister(ctx, block), 0);
	assert_int_equal(sigaltstack(&none, NULL), 0);
	assert_int_equal(mem_unregister(ctx, first), 0);
	pthread_barrier_wait(&turn);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&turn);
	munmap(region, stack_len + 2 * page_len);
}

static uint8_t *message;
static int message_pipe[2];
static ssize_t message_got;

/* A fork handler of a library that was loaded before libmem. */
static void read_in_child(void)
{
	if (message)
		message_got = read(message_pipe[0], message, 5);
}

static uint8_t *touched;
static bool is_blocking;
static sigset_t before_blocking;

static void set_mask(int how, const sigset_t *mask, sigset_t *old)
{
	syscall(SYS_rt_sigprocmask, how, mask, old, _NSIG / 8);
}

static void block_or_touch(void)
{
	sigset_t all;

	if (touched)
		*touched = 4;
	if (!is_blocking)
		return;
	memset(&all, 0xff, sizeof(all));
	set_mask(SIG_BLOCK, &all, &before_blocking);
}

static void unblock(void)
{
	if (is_blocking)
		set_mask(SIG_SETMASK, &before_blocking, NULL);
}

static void note_early_handlers(void)
{
	pthread_atfork(block_or_touch, unblock, unblock);
	pthread_atfork(NULL, NULL, read_in_child);
}

/* Runs before the constructors of all libraries. */
static void (*const preinit)(void)
__attribute__((section(".preinit_array"), used)) = note_early_handlers;

static void __attribute__((unused))
system_calls_of_earlier_handlers_reach_the_pages(void **state)
{
	uint8_t *block = map_region((size_t)getpagesize());
	pid_t pid;

	(void)state;
	memset(block, 3, 200);
	assert_int_equal(mem_register(ctx, block + 100, 100, 0), 0);
	assert_int_equal(pipe(message_pipe), 0);
	assert_int_equal(write(message_pipe[1], "hello", 5), 5);
	message = block + 98;
	pid = fork();
	message = NULL;
	if (!pid)
		_exit(message_got == 5 && !memcmp(block + 98, "hello", 5) ?
		      42 : 1);
	assert_int_equal(exit_code_of(pid), 42);
	assert_int_equal(block[98], 3);
	assert_int_equal(block[100], 3);
	assert_int_equal(mem_unregister(ctx, block + 100), 0);
	close(message_pipe[0]);
	close(message_pipe[1]);
	munmap(block, (size_t)getpagesize());
}

static bool is_mask(const sigset_t *mask)
{
	sigset_t now;

	set_mask(SIG_BLOCK, NULL, &now);
	return !memcmp(&now, mask, _NSIG / 8);
}

/* Forks in a child process, which the kernel may kill for it. */
static int fork_beside(uint8_t *block)
{
	sigset_t mask, got;
	int status;
	pid_t pid;

	alarm(60);
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	set_mask(SIG_SETMASK, &mask, NULL);
	set_mask(SIG_BLOCK, NULL, &got);
	if (new_ctx(NULL) || mem_register(ctx, block, 5000, 0))
		return 1;
	if (touched && mem_alloc(ctx, MEM_KIND_MANAGED, LEN,
				 MEM_ATTACH_GLOBAL, (void **)&touched))
		return 2;
	pid = fork();
	if (!pid)
		_exit(is_mask(&got) && block[4999] == 5 ? 42 : 1);
	if (!is_mask(&got) || waitpid(pid, &status, 0) != pid)
		return 3;
	if (touched && *touched != 4)
		return 4;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

/* The fork() of newer C libraries blocks all signals itself. */
static int block_while_forking(void)
{
	is_blocking = true;
	return fork_beside(memset(malloc(5000), 5, 5000));
}

static int touch_while_forking(void)
{
	static uint8_t none;

	touched = &none;
	return fork_beside(memset(malloc(5000), 5, 5000));
}

static void handlers_of_fork_may_block_all_signals(void **state)
{
	(void)state;
	assert_int_equal(status_of_self("block_while_forking"), 42);
}

static void handlers_of_fork_may_touch_managed_memory(void **state)
{
	(void)state;
	assert_int_equal(status_of_self("touch_while_forking"), 42);
}

#ifdef __x86_64__
static volatile char own_selector;

static void answer(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	own_selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = 1234;
}

static bool is_answered(void)
{
	long ret;

	own_selector = SYSCALL_DISPATCH_FILTER_BLOCK;
	ret = syscall(SYS_getppid);
	own_selector = SYSCALL_DISPATCH_FILTER_ALLOW;
	return ret == 1234;
}

static void a_program_may_have_its_own_system_calls(void **state)
{
	const struct sigaction action = {
		.sa_sigaction = answer,
		.sa_flags = SA_SIGINFO,
	};
	uint8_t *block = malloc(5000);
	pid_t pid;

	(void)state;
	assert_int_equal(mem_register(ctx, block, 5000, 0), 0);
	sigaction(SIGSYS, &action, NULL);
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0,
		  &own_selector))
		skip_because("the kernel does not hand out system calls");
	assert_true(is_answered());
	pid = fork();
	if (!pid)
		_exit(42);
	assert_int_equal(exit_code_of(pid), 42);
	assert_true(is_answered());
	prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
	signal(SIGSYS, SIG_DFL);
	assert_int_equal(mem_unregister(ctx, block), 0);
	free(block);
}
#endif

static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_own(void)
{
	pthread_mutex_lock(&own_lock);
}

static void unlock_own(void)
{
	pthread_mutex_unlock(&own_lock);
}

static void *register_under_own_lock(void *block)
{
	while (!atomic_load(&is_over)) {
		lock_own();
		if (!mem_register(ctx, block, 5000, 0))
			mem_unregister(ctx, block);
		unlock_own();
		usleep(10);
	}
	return NULL;
}

/* A thread that waits in a fork handler reacts only to SIGKILL. */
static void be_killed_later(void)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_SIGNAL,
		.sigev_signo = SIGKILL,
	};
	const struct itimerspec later = { .it_value.tv_sec = 60 };
	timer_t timer;

	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &later, NULL);
}

/* Runs in a new program, which has fork handlers before a context. */
static int fork_under_own_lock(void)
{
	uint8_t *block = malloc(5000);
	int i, nr_good = 0;
	pthread_t thread;
	pid_t pid;

	be_killed_later();
	if (pthread_atfork(lock_own, unlock_own, unlock_own) ||
	    new_ctx(NULL) ||
	    pthread_create(&thread, NULL, register_under_own_lock, block))
		return 1;
	for (i = 0; i < 100; i++) {
		pid = fork();
		if (!pid)
			_exit(42);
		nr_good += exit_code_of(pid) == 42;
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	return nr_good == 100 ? 42 : 2;
}

static void handlers_of_fork_may_take_locks(void **state)
{
	(void)state;
	assert_int_equal(status_of_self("fork_under_own_lock"), 42);
}

#define NR_ALARMS	20

static const struct itimerval soon = { .it_value.tv_usec = 5000 };
static volatile sig_atomic_t nr_alarms, nr_bad;

static void fork_on_signal(int signal)
{
	int status;
	pid_t pid;

	(void)signal;
	pid = fork();
	if (!pid) {
		use_stack(3);
		_exit(42);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != 42)
		nr_bad++;
	/* A timer that repeats leaves no time where a fork takes longer. */
	if (++nr_alarms < NR_ALARMS)
		setitimer(ITIMER_REAL, &soon, NULL);
}

/*
 * The signal may come at any point of a registration, except within malloc(),
 * for which the C library's fork() would wait.
 */
static void handlers_of_signals_may_fork(void **state)
{
	uint8_t block[5000];

	(void)state;
	nr_alarms = 0;
	nr_bad = 0;
	memset(block, 5, sizeof(block));
	signal(SIGALRM, fork_on_signal);
	setitimer(ITIMER_REAL, &soon, NULL);
	while (nr_alarms < NR_ALARMS) {
		assert_int_equal(mem_register(ctx, block, 5000, 0), 0);
		assert_int_equal(mem_unregister(ctx, block), 0);
	}
	signal(SIGALRM, SIG_DFL);
	assert_int_equal(nr_bad, 0);
	assert_int_equal(block[4999], 5);
}

static sigjmp_buf back;

static void on_segv(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

/* The process installs its own handler, which must be called. */
static int touch_nothing(void)
{
	static volatile char *volatile nothing;

	alarm(60);
	signal(SIGSEGV, on_segv);
	if (sigsetjmp(back, 1))
		return 42;
	*nothing = 1;
	return 1;
}

static void a_child_may_handle_sigsegv(void **state)
{
	uint8_t *block = malloc(5000);
	pid_t pid;

	(void)state;
	assert_int_equal(mem_register(ctx, block, 5000, 0), 0);
	pid = fork();
	if (!pid)
		_exit(touch_nothing());
	assert_int_equal(exit_code_of(pid), 42);
	assert_int_equal(mem_unregister(ctx, block), 0);
	free(block);
}

#ifndef IS_STATIC
static void *ask_for_the_handler_all_the_time(void *unused)
{
	struct sigaction action;

	(void)unused;
	while (!atomic_load(&is_over))
		sigaction(SIGSEGV, NULL, &action);
	return NULL;
}

/* The library's lock blocks all signals, also that of alarm(). */
static void kill_if_it_hangs(pid_t pid)
{
	struct pollfd end = { .events = POLLIN };

	assert_true(pid >= 0);
	end.fd = pidfd_open(pid, 0);
	assert_true(end.fd >= 0);
	if (poll(&end, 1, 60000) != 1)
		kill(pid, SIGKILL);
	close(end.fd);
}

/* At some of the forks the thread is in the library's sigaction(). */
static void a_child_may_ask_for_the_handler(void **state)
{
	struct sigaction action;
	pthread_t thread;
	pid_t pid;
	int i;

	(void)state;
	atomic_store(&is_over, false);
	assert_int_equal(pthread_create(&thread, NULL,
					ask_for_the_handler_all_the_time,
					NULL), 0);
	for (i = 0; i < 40 * NR_FORKS; i++) {
		pid = fork();
		if (!pid)
			_exit(sigaction(SIGSEGV, NULL, &action));
		kill_if_it_hangs(pid);
		assert_int_equal(exit_code_of(pid), 0);
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
}
#endif

static void *register_all_the_time(void *unused)
{
	uint8_t *block;

	(void)unused;
	while (!atomic_load(&is_over)) {
		block = malloc(5000);
		memset(block, 5, 5000);
		if (!mem_register(ctx, block, 5000, 0))
			mem_unregister(ctx, block);
		free(block);
	}
	return NULL;
}

static void *fork_often(void *ret)
{
	uint8_t array[ARRAY_LEN];
	bool is_good;
	pid_t pid;
	int i;

	memset(array, 5, ARRAY_LEN);
	is_good = !register_below(3, array, ARRAY_LEN);
	for (i = 0; i < 10 * NR_FORKS; i++) {
		pid = fork();
		if (!pid)
			child_on_stack(array, i);
		is_good &= exit_code_of(pid) == 42;
	}
	is_good &= is_as_stored(array, 5, 5);
	is_good &= !mem_unregister(ctx, array);
	*(bool *)ret = is_good;
	return ret;
}

static void many_threads_may_fork_at_once(void **state)
{
	pthread_t threads[4], other;
	bool are_good[4] = { 0 };
	size_t i;

	(void)state;
	atomic_store(&is_over, false);
	assert_int_equal(pthread_create(&other, NULL, register_all_the_time,
					NULL), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, fork_often,
						&are_good[i]), 0);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	atomic_store(&is_over, true);
	pthread_join(other, NULL);
	for (i = 0; i < 4; i++)
		assert_true(are_good[i]);
}

#define WITH_CTX(test) \
	cmocka_unit_test_setup_teardown(test, new_ctx, close_ctx)

/* Children are killed, since leak checkers miss other threads' stacks. */
static void *fork_beside_own_stack(void *ret)
{
	uint8_t array[ARRAY_LEN];
	bool is_good = true;
	pid_t pid;
	int i;

	for (i = 1; i <= NR_FORKS; i++) {
		memset(array, 0, ARRAY_LEN);
		is_good &= !mem_register(ctx, array, ARRAY_LEN, 0);
		is_good &= !launch_stores(array, ARRAY_LEN, (uint8_t)i);
		is_good &= !mem_ctx_sync(ctx);
		/* The kernel stores to every second byte while others fork. */
		is_good &= array[0] == i && array[ARRAY_LEN - 2] == i &&
			   !array[1];
		pid = fork();
		if (!pid)
			raise(SIGKILL);
		is_good &= exit_code_of(pid) == 128;
		is_good &= !mem_unregister(ctx, array);
	}
	*(bool *)ret = is_good;
	return ret;
}

static void forks_of_others_lose_no_byte(void **state)
{
	pthread_t threads[4];
	bool are_good[4] = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						fork_beside_own_stack,
						&are_good[i]), 0);
	for (i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < 4; i++)
		assert_true(are_good[i]);
}

/* A leak checker in the child would report lost memory. */
static void a_child_loses_nothing(void **state)
{
	uint8_t *block = malloc(60000);
	pid_t pid;

	(void)state;
	assert_int_equal(mem_register(ctx, block, 60000, 0), 0);
	fflush(stdout);
	pid = fork();
	if (!pid)
		exit(0);
	assert_int_equal(exit_code_of(pid), 0);
	assert_int_equal(mem_unregister(ctx, block), 0);
	free(block);
}

/* A child may have what its parent could not have. */
static int fork_after_failure(void)
{
	struct rlimit old, few;
	pid_t pid;

	if (getrlimit(RLIMIT_NOFILE, &old))
		return 1;
	few = (struct rlimit) { 3, old.rlim_max };
	if (setrlimit(RLIMIT_NOFILE, &few) || new_ctx(NULL) != -EMFILE ||
	    setrlimit(RLIMIT_NOFILE, &old))
		return 2;
	pid = fork();
	if (!pid)
		_exit(-new_ctx(NULL));
	return exit_code_of(pid) ? 3 : 0;
}

static void a_child_may_open_what_its_parent_could_not(void **state)
{
	(void)state;
	assert_int_equal(status_of_self("fork_after_failure"), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest checked[] = {
		WITH_CTX(a_child_loses_nothing),
		WITH_CTX(forks_of_others_lose_no_byte),
	};
	const struct CMUnitTest tests[] = {
		WITH_CTX(frames_that_fork_may_share_registered_pages),
		WITH_CTX(threads_may_fork_beside_their_variables),
		WITH_CTX(stacks_of_other_threads_stay_as_they_are),
		cmocka_unit_test(a_fork_that_fails_fails_at_once),
		cmocka_unit_test(the_heap_of_a_child_is_whole),
		WITH_CTX(children_of_all_kinds_run),
		WITH_CTX(variables_can_be_registered),
		WITH_CTX(memory_that_is_not_mapped_is_einval),
		WITH_CTX(a_thread_may_register_its_stack),
		WITH_CTX(a_thread_may_be_cancelled_in_a_call),
		WITH_CTX(registered_pages_may_be_protected),
		WITH_CTX(what_is_short_changes_nothing),
		WITH_CTX(a_signal_stack_may_share_registered_pages),
#ifndef IS_STATIC
		/* libmem.a does not interpose calls of the C library. */
		WITH_CTX(system_calls_of_earlier_handlers_reach_the_pages),
		WITH_CTX(a_child_may_ask_for_the_handler),
#endif
		cmocka_unit_test(handlers_of_fork_may_block_all_signals),
		cmocka_unit_test(handlers_of_fork_may_touch_managed_memory),
#ifdef __x86_64__
		WITH_CTX(a_program_may_have_its_own_system_calls),
#endif
		cmocka_unit_test(handlers_of_fork_may_take_locks),
		WITH_CTX(handlers_of_signals_may_fork),
		WITH_CTX(a_child_may_handle_sigsegv),
		WITH_CTX(many_threads_may_fork_at_once),
		cmocka_unit_test(a_child_may_open_what_its_parent_could_not),
	};

	setenv("LIBMEM_SOC", "orin", 0);
	if (argc > 1 && !strcmp(argv[1], "fail_to_fork"))
		return fail_to_fork();
	if (argc > 1 && !strcmp(argv[1], "use_heap_in_children"))
		return use_heap_in_children();
	if (argc > 1 && !strcmp(argv[1], "fork_under_own_lock"))
		return fork_under_own_lock();
	if (argc > 1 && !strcmp(argv[1], "block_while_forking"))
		return block_while_forking();
	if (argc > 1 && !strcmp(argv[1], "touch_while_forking"))
		return touch_while_forking();
	if (argc > 1 && !strcmp(argv[1], "fork_after_failure"))
		return fork_after_failure();
	if (cmocka_run_group_tests_name("checked", checked, NULL, NULL))
		return 1;
	/* Memory checkers do not support what the other tests do. */
	if (argc > 1 && !strcmp(argv[1], "checked"))
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
