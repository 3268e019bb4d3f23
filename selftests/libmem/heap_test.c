// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the embedded backend together with the program's heap: registered
 * memory shares pages with other blocks, an engine needs a working heap, and a
 * child of fork() has its own heap. The program also runs with other allocators
 * preloaded, and with one that is part of the program.
 */
#include "test.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define MIN_LEN		64UL
#define MAX_LEN		(128UL << 10)
#define NR_NOISE	20
#define NR_FORKS	50

struct add {
	uint32_t *at;
	size_t nr;
};

/* Kernels may use the heap of their engine, too. */
static void add_one(const struct mem_block *block, void *args)
{
	const struct add *add = args;
	uint32_t *copy = malloc(add->nr * sizeof(*copy));
	size_t i;

	(void)block;
	memcpy(copy, add->at, add->nr * sizeof(*copy));
	for (i = 0; i < add->nr; i++)
		add->at[i] = copy[i] + 1;
	free(copy);
}

static struct mem_ctx *new_ctx(void)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
		.soc = "orin",
	};
	struct mem_ctx *own;

	assert_int_equal(mem_ctx_open(&options, &own), 0);
	return own;
}

/* An engine adds one to each word. */
static int run_add(struct mem_ctx *own, uint32_t *at, size_t nr)
{
	const struct add add = { at, nr };
	const struct mem_launch launch = launch_of(add_one, &add, sizeof(add));

	assert_int_equal(mem_launch(mem_stream_legacy(own), &launch), 0);
	return mem_ctx_sync(own);
}

/* The same for memory that is registered first. */
static int run_registered(struct mem_ctx *own, uint32_t *block, size_t len)
{
	void *device;
	int err;

	err = mem_register(own, block, len, 0);
	if (err)
		return err;
	err = mem_device_ptr(own, block, &device);
	if (!err)
		err = run_add(own, device, len / sizeof(*block));
	return err ? err : mem_unregister(own, block);
}

/* Makes used blocks with free ones of all sizes between them. */
static void make_noise(char **noise)
{
	size_t i;

	for (i = 0; i < NR_NOISE; i++) {
		noise[i] = malloc(100 + 37 * i);
		assert_non_null(noise[i]);
		memset(noise[i], 'n', 100 + 37 * i);
	}
}

static void free_half(char **noise, size_t from)
{
	for (; from < NR_NOISE; from += 2)
		free(noise[from]);
}

/* The engine is started after the registration. */
static void run_all_lengths(void)
{
	char *noise[NR_NOISE];
	struct mem_ctx *own;
	uint32_t *block;
	size_t len, i;

	for (len = MIN_LEN; len <= MAX_LEN; len *= 2) {
		make_noise(noise);
		block = malloc(len);
		assert_non_null(block);
		for (i = 0; i < len / sizeof(*block); i++)
			block[i] = (uint32_t)i;
		free_half(noise, 0);
		own = new_ctx();
		assert_int_equal(run_registered(own, block, len), 0);
		mem_ctx_close(own);
		for (i = 0; i < len / sizeof(*block); i++)
			assert_int_equal(block[i], i + 1);
		free(block);
		free_half(noise, 1);
	}
}

static void kernels_run_beside_small_registered_blocks(void **state)
{
	(void)state;
	run_all_lengths();
}

static void *run_in_thread(void *unused)
{
	(void)unused;
	run_all_lengths();
	return NULL;
}

/* A thread has another heap than the first thread. */
static void threads_register_small_blocks_too(void **state)
{
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, run_in_thread, NULL), 0);
	pthread_join(thread, NULL);
}

static void variables_can_be_registered(void **state)
{
	static uint32_t words[100];
	struct mem_ctx *own = new_ctx();

	(void)state;
	words[99] = 7;
	assert_int_equal(run_registered(own, words, sizeof(words)), 0);
	assert_int_equal(words[0], 1);
	assert_int_equal(words[99], 8);
	mem_ctx_close(own);
}

/* With another allocator, an engine has all private memory of the program. */
static bool has_other_allocator(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

#ifdef OWN_MALLOC
	return true;
#endif
	return preloaded && *preloaded;
}

/* Whole pages of a large block are not needed by an engine. */
static void host_pointers_of_large_blocks_are_illegal(void **state)
{
	const size_t len = 1 << 20;
	struct mem_ctx *own;
	uint32_t *block;
	size_t i;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip_because("AddressSanitizer has an allocator of its own");
#endif
	if (has_other_allocator())
		skip_because("another allocator than glibc's");
	block = calloc(1, len);
	assert_non_null(block);
	for (i = 0; i < 3; i++) {
		own = new_ctx();
		assert_int_equal(mem_register(own, block, len, 0), 0);
		assert_int_equal(run_add(own, block + i *
					 (len / sizeof(*block) - 1) / 2, 1),
				 -EFAULT);
		mem_unregister(own, block);
		mem_ctx_close(own);
	}
	free(block);
}

static int status_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* A child uses its heap, as in programs. */
static void use_heap(void)
{
	char *blocks[NR_NOISE];

	make_noise(blocks);
	free_half(blocks, 0);
	free_half(blocks, 1);
}

static void a_childs_stores_stay_in_the_child(void **state)
{
	struct mem_ctx *own = new_ctx();
	char *frame = malloc(3000), *note = malloc(64);
	int pipes[2];
	char byte;
	pid_t pid;

	(void)state;
	strcpy(note, "the parent's");
	memset(frame, 7, 3000);
	assert_int_equal(mem_register(own, frame, 3000, 0), 0);
	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		alarm(60);
		/* Continue after the parent's stores. */
		if (read(pipes[0], &byte, 1) != 1 || frame[0] != 7 ||
		    strcmp(note, "the parent's"))
			_exit(1);
		use_heap();
		strcpy(note, "the child's");
		memset(frame, 8, 3000);
		_exit(0);
	}
	strcpy(note, "the parent's new");
	memset(frame, 9, 3000);
	use_heap();
	assert_int_equal(write(pipes[1], "", 1), 1);
	assert_int_equal(status_of(pid), 0);
	assert_string_equal(note, "the parent's new");
	assert_int_equal(frame[0], 9);
	assert_int_equal(frame[2999], 9);
	use_heap();
	free(note);
	/* Engines can still use the block. */
	assert_int_equal(mem_unregister(own, frame), 0);
	assert_int_equal(run_registered(own, (uint32_t *)frame, 3000), 0);
	assert_int_equal(frame[0], 10);
	free(frame);
	close(pipes[0]);
	close(pipes[1]);
	mem_ctx_close(own);
}

static pthread_barrier_t turn;

/* The first page of a thread's arena holds its lock and number of users. */
static void *register_the_first_block(void *own)
{
	uint32_t *block = malloc(64);

	memset(block, 5, 64);
	assert_int_equal(mem_register(own, block, 64, 0), 0);
	pthread_barrier_wait(&turn);
	pthread_barrier_wait(&turn);
	assert_int_equal(block[0], 0x05050505);
	assert_int_equal(mem_unregister(own, block), 0);
	use_heap();
	free(block);
	return NULL;
}

/* Stores of the C library in a child must not change the parent. */
static void arenas_of_the_parent_stay_as_they_are(void **state)
{
	struct mem_ctx *own = new_ctx();
	pthread_t thread;
	size_t i;
	pid_t pid;

	(void)state;
	assert_int_equal(pthread_barrier_init(&turn, NULL, 2), 0);
	assert_int_equal(pthread_create(&thread, NULL,
					register_the_first_block, own), 0);
	pthread_barrier_wait(&turn);
	for (i = 0; i < 3; i++) {
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			alarm(60);
			use_heap();
			_exit(0);
		}
		assert_int_equal(status_of(pid), 0);
	}
	pthread_barrier_wait(&turn);
	/* When the thread leaves its arena, the C library checks the users. */
	assert_int_equal(pthread_join(thread, NULL), 0);
	pthread_barrier_destroy(&turn);
	mem_ctx_close(own);
}

static __thread uint32_t local_words[1500];

/* A thread that joins this one waits at a word beside these variables. */
static void *unregister_later(void *own)
{
	assert_int_equal(mem_register(own, local_words, sizeof(local_words),
				      0), 0);
	pthread_barrier_wait(&turn);
	usleep(100000);
	assert_int_equal(mem_unregister(own, local_words), 0);
	return NULL;
}

static void a_thread_with_registered_variables_is_joined(void **state)
{
	struct mem_ctx *own = new_ctx();
	struct timespec until;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_barrier_init(&turn, NULL, 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, unregister_later, own),
			 0);
	pthread_barrier_wait(&turn);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 20;
	assert_int_equal(pthread_timedjoin_np(thread, NULL, &until), 0);
	pthread_barrier_destroy(&turn);
	mem_ctx_close(own);
}

static atomic_bool is_over;

static void *register_and_unregister(void *own)
{
	uint8_t *block;

	while (!atomic_load(&is_over)) {
		block = malloc(5000);
		memset(block, 5, 5000);
		if (!mem_register(own, block, 5000, 0))
			mem_unregister(own, block);
		free(block);
	}
	return NULL;
}

static void *use_heap_all_the_time(void *unused)
{
	unsigned int seed = 1;
	char *blocks[40];
	size_t i;

	(void)unused;
	while (!atomic_load(&is_over)) {
		for (i = 0; i < 40; i++) {
			blocks[i] = malloc(1100 + (size_t)rand_r(&seed) % 3000);
			blocks[i][1099] = 'h';
		}
		for (i = 0; i < 40; i++)
			free(blocks[i * 7 % 40]);
	}
	return NULL;
}

/* Runs in a new program, which has one heap for all threads. */
static int register_beside_a_thread(void)
{
	struct mem_ctx *own = new_ctx();
	char *blocks[200];
	pthread_t thread;
	size_t i;

	for (i = 0; i < 200; i++)
		blocks[i] = malloc(1500);
	for (i = 0; i < 200; i++)
		if (i % 20)
			free(blocks[i]);
	if (pthread_create(&thread, NULL, use_heap_all_the_time, NULL))
		return 1;
	for (i = 0; i < 1000; i++) {
		if (mem_register(own, blocks[i % 10 * 20], 1500, 0))
			return 2;
		sched_yield();
		if (mem_unregister(own, blocks[i % 10 * 20]))
			return 3;
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	mem_ctx_close(own);
	return 42;
}

static void other_threads_use_the_heap_meanwhile(void **state)
{
	pid_t pid;

	(void)state;
	if (has_other_allocator())
		skip_because("another allocator than glibc's");
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setenv("MALLOC_ARENA_MAX", "1", 1);
		execl("/proc/self/exe", "heap_test", "register_beside_a_thread",
		      NULL);
	}
	assert_int_equal(status_of(pid), 42);
}

/*
 * Two blocks in a page: one is registered, and another thread stores to the
 * other.
 */
struct beside {
	uint8_t *block;
	volatile uint64_t *counter;
	uint64_t nr_lost;
	atomic_bool has_begun;
};

/* Registers and unregisters the block while a thread runs a function. */
static void register_beside(struct mem_ctx *own, struct beside *beside,
			    void *(*fn)(void *), size_t nr)
{
	pthread_t thread;

	atomic_store(&is_over, false);
	assert_int_equal(pthread_create(&thread, NULL, fn, beside), 0);
	while (!atomic_load(&beside->has_begun))
		sched_yield();
	while (nr--) {
		assert_int_equal(mem_register(own, beside->block, 256, 0), 0);
		assert_int_equal(mem_unregister(own, beside->block), 0);
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
}

static void *count_all_the_time(void *arg)
{
	struct beside *beside = arg;
	uint64_t count = *beside->counter;

	atomic_store(&beside->has_begun, true);
	while (!atomic_load(&is_over)) {
		*beside->counter = ++count;
		if (*beside->counter != count) {
			beside->nr_lost++;
			count = *beside->counter;
		}
	}
	return NULL;
}

static uint64_t lost_beside(struct mem_ctx *own, uint8_t *block,
			    uint8_t *other)
{
	struct beside beside = { block, (volatile uint64_t *)other, 0,
				 false };

	memset(block, 1, 256);
	memset(other, 0, 256);
	register_beside(own, &beside, count_all_the_time, 4000);
	return beside.nr_lost;
}

static uint8_t variable[4096] __attribute__((aligned(4096)));

/* Whatever allocator the program has. */
static void stores_beside_a_registered_block_are_kept(void **state)
{
	const size_t len = 4 << 20;
	struct mem_ctx *own = new_ctx();
	uint8_t *block = malloc(256), *other = malloc(256), *mapped;

	(void)state;
	if ((uintptr_t)block >> 12 == (uintptr_t)other >> 12)
		assert_int_equal(lost_beside(own, block, other), 0);
	free(block);
	free(other);
	mapped = mmap(NULL, len, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	assert_int_equal(lost_beside(own, mapped, mapped + 2048), 0);
	assert_int_equal(lost_beside(own, mapped + len - 256,
				     mapped + len - 2048), 0);
	assert_int_equal(munmap(mapped, len), 0);
	assert_int_equal(lost_beside(own, variable, variable + 2048), 0);
	mem_ctx_close(own);
}

static void *read_all_the_time(void *arg)
{
	struct beside *beside = arg;
	const int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	atomic_store(&beside->has_begun, true);
	while (!atomic_load(&is_over)) {
		*beside->counter = 1;
		if (read(fd, (void *)beside->counter, sizeof(uint64_t)) !=
		    sizeof(uint64_t) || *beside->counter)
			beside->nr_lost++;
	}
	close(fd);
	return NULL;
}

/* The kernel returns EFAULT if a page is being moved. */
static void calls_that_store_beside_blocks_wait(void **state)
{
	struct mem_ctx *own = new_ctx();
	struct beside beside = { variable, (void *)(variable + 2048), 0,
				 false };
	void *volatile nowhere = NULL;
	int ends[2];

	(void)state;
	register_beside(own, &beside, read_all_the_time, 10000);
	assert_int_equal(beside.nr_lost, 0);
	/* A bad address stays one. */
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	assert_int_equal(read(ends[0], nowhere, 1), -1);
	assert_int_equal(errno, EFAULT);
	close(ends[0]);
	close(ends[1]);
	mem_ctx_close(own);
}

#define GONE_LEN	(16UL << 12)

static uint8_t *pages_at(void *at, size_t len, int byte)
{
	uint8_t *pages = mmap(at, len, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			      MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	memset(pages, byte, len);
	return pages;
}

static void all_bytes_are(const uint8_t *at, size_t len, int byte)
{
	size_t i;

	for (i = 0; i < len; i++)
		assert_int_equal(at[i], byte);
}

static void one_is_gone(struct mem_ctx *own, uint8_t *block)
{
	struct mem_violation found = { .size = sizeof(found) };

	assert_int_equal(mem_unregister(own, block), 0);
	assert_int_equal(mem_ctx_next_violation(own, &found), 1);
	assert_int_equal(found.kind, MEM_VIOLATION_WRAPPED_GONE);
	assert_int_equal(mem_ctx_next_violation(own, &found), 0);
}

/* The next mapping at the address is the program's. */
static void memory_that_is_gone_is_not_unregistered(void **state)
{
	const size_t page = 4096;
	struct mem_ctx *own = new_ctx();
	unsigned char is_there[1];
	uint8_t *block;

	(void)state;
	assert_int_equal(mem_ctx_watch(own, MEM_WATCH_ERRORS, 16), 0);
	block = pages_at(NULL, GONE_LEN, 'r');
	assert_int_equal(mem_register(own, block, GONE_LEN, 0), 0);
	pages_at(block, GONE_LEN, 'n');
	one_is_gone(own, block);
	all_bytes_are(block, GONE_LEN, 'n');

	/* A part of it */
	memset(block, 'r', GONE_LEN);
	assert_int_equal(mem_register(own, block, GONE_LEN, 0), 0);
	pages_at(block + page, page, 'n');
	pages_at(block + 4 * page, 2 * page, 'n');
	memset(block, 's', page);
	one_is_gone(own, block);
	all_bytes_are(block, page, 's');
	all_bytes_are(block + page, page, 'n');
	all_bytes_are(block + 2 * page, 2 * page, 'r');
	all_bytes_are(block + 4 * page, 2 * page, 'n');
	all_bytes_are(block + 6 * page, GONE_LEN - 6 * page, 'r');

	/* Nothing is there now. */
	assert_int_equal(mem_register(own, block, GONE_LEN, 0), 0);
	assert_int_equal(munmap(block, GONE_LEN), 0);
	one_is_gone(own, block);
	assert_int_equal(mincore(block, page, is_there), -1);

	/* What is left as it is, is no mistake. */
	block = pages_at(NULL, GONE_LEN, 'r');
	assert_int_equal(mem_register(own, block, GONE_LEN, 0), 0);
	assert_int_equal(mem_unregister(own, block), 0);
	all_bytes_are(block, GONE_LEN, 'r');
	assert_int_equal(mem_ctx_next_violation(own, &(struct mem_violation) {
			 .size = sizeof(struct mem_violation) }), 0);
	assert_int_equal(munmap(block, GONE_LEN), 0);
	mem_ctx_close(own);
}

static void a_child_has_what_follows_registered_memory(void **state)
{
	const size_t page = 4096;
	struct mem_ctx *own = new_ctx();
	uint8_t *block = pages_at(NULL, GONE_LEN, 'r');
	size_t i;
	pid_t pid;

	(void)state;
	assert_int_equal(mem_register(own, block, GONE_LEN, 0), 0);
	for (i = 0; i < GONE_LEN; i += 2 * page)
		pages_at(block + i, page, 'n');
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		for (i = 0; i < GONE_LEN; i++)
			if (block[i] != (i / page % 2 ? 'r' : 'n'))
				_exit(1);
		memset(block, 'c', GONE_LEN);
		_exit(42);
	}
	assert_int_equal(status_of(pid), 42);
	for (i = 0; i < GONE_LEN; i++)
		assert_int_equal(block[i], i / page % 2 ? 'r' : 'n');
	assert_int_equal(mem_unregister(own, block), 0);
	assert_int_equal(munmap(block, GONE_LEN), 0);
	mem_ctx_close(own);
}

/* A fork may come at any point of a registration. */
static void children_can_come_at_any_time(void **state)
{
	struct mem_ctx *own = new_ctx();
	pthread_t thread;
	size_t i;
	pid_t pid;

	(void)state;
	atomic_store(&is_over, false);
	assert_int_equal(pthread_create(&thread, NULL, register_and_unregister,
					own), 0);
	for (i = 0; i < NR_FORKS; i++) {
		pid = fork();
		assert_true(pid >= 0);
		if (!pid) {
			alarm(60);
			_exit(0);
		}
		assert_int_equal(status_of(pid), 0);
	}
	atomic_store(&is_over, true);
	pthread_join(thread, NULL);
	mem_ctx_close(own);
}

static sigjmp_buf back;

static void on_segv(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

/* Jumps into data, as in a program that generates code. */
static int run_data(void *data)
{
	alarm(20);
	signal(SIGSEGV, on_segv);
	if (sigsetjmp(back, 1))
		return 42;
	((void (*)(void))data)();
	return 1;
}

static void a_jump_into_data_is_the_programs_matter(void **state)
{
	uint32_t *words = calloc(1, 4096);
	struct mem_ctx *own = new_ctx();
	pid_t pid;

	(void)state;
	assert_int_equal(run_registered(own, words, 4096), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(run_data(words));
	assert_int_equal(status_of(pid), 42);
	mem_ctx_close(own);
	free(words);
}

#ifdef OWN_MALLOC
extern _Thread_local bool malloc_fails;

static void *end_without_memory(void *own)
{
	struct mem_stream *stream;

	if (mem_stream_per_thread(own, &stream) || mem_stream_sync(stream))
		return own;
	malloc_fails = true;
	return NULL;
}

/* Objects that the thread left belong to its context. */
static void a_thread_can_end_without_memory(void **state)
{
	uint32_t *words = calloc(1, 4096);
	struct mem_ctx *own = new_ctx();
	pthread_t thread;
	void *ret;
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_int_equal(pthread_create(&thread, NULL,
						end_without_memory, own), 0);
		pthread_join(thread, &ret);
		assert_null(ret);
		assert_int_equal(run_registered(own, words, 4096), 0);
		assert_int_equal(mem_ctx_sync(own), 0);
	}
	assert_int_equal(words[7], 3);
	mem_ctx_close(own);
	free(words);
}
#endif

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_run_beside_small_registered_blocks),
		cmocka_unit_test(threads_register_small_blocks_too),
		cmocka_unit_test(variables_can_be_registered),
		cmocka_unit_test(host_pointers_of_large_blocks_are_illegal),
		cmocka_unit_test(a_childs_stores_stay_in_the_child),
		cmocka_unit_test(arenas_of_the_parent_stay_as_they_are),
		cmocka_unit_test(a_thread_with_registered_variables_is_joined),
		cmocka_unit_test(other_threads_use_the_heap_meanwhile),
		cmocka_unit_test(stores_beside_a_registered_block_are_kept),
		cmocka_unit_test(calls_that_store_beside_blocks_wait),
		cmocka_unit_test(memory_that_is_gone_is_not_unregistered),
		cmocka_unit_test(a_child_has_what_follows_registered_memory),
		cmocka_unit_test(children_can_come_at_any_time),
		cmocka_unit_test(a_jump_into_data_is_the_programs_matter),
#ifdef OWN_MALLOC
		cmocka_unit_test(a_thread_can_end_without_memory),
#endif
	};

	if (argc > 1 && !strcmp(argv[1], "register_beside_a_thread"))
		return register_beside_a_thread();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
