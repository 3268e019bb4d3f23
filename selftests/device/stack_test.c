// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests requests for stacks: a watched thread gets a signal at the instruction
 * that was recorded, before it continues, once for each access or call, and no
 * program is disturbed by it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "fixture.h"

#define NR_PAGES	8
#define STACK_SIGNAL	(SIGRTMAX - 1)

/* The values of the handler's last call */
static volatile sig_atomic_t nr_signals;
static volatile uint64_t last_id;
static volatile uint64_t last_ip;
static volatile uint64_t last_told;	/* address that the kernel passed */
static volatile int last_tid;
static volatile int last_code;

static uint64_t ip_of(const ucontext_t *context)
{
#if defined(__x86_64__)
	return context->uc_mcontext.gregs[REG_RIP];
#else
	return context->uc_mcontext.pc;
#endif
}

static void on_stack(int signal, siginfo_t *info, void *context)
{
	nr_signals++;
	last_id = (uintptr_t)info->si_value.sival_ptr;
	last_ip = ip_of(context);
	last_told = (uint32_t)info->si_pid | (uint64_t)info->si_uid << 32;
	last_tid = gettid();
	last_code = info->si_code;
}

static void handle(void)
{
	const struct sigaction action = {
		.sa_sigaction = on_stack,
		.sa_flags = SA_SIGINFO | HEAPSIM_SA_STACK | SA_RESTART,
	};

	nr_signals = 0;
	assert_int_equal(sigaction(STACK_SIGNAL, &action, NULL), 0);
}

static int setup(void **state)
{
	struct fixture *f = fixture_create();

	fixture_alloc(f, HEAPSIM_KIND_NONCOHERENT, NR_PAGES * f->page);
	f->watch = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	assert_true(f->watch >= 0);
	assert_int_equal(device_watch_stacks_errno(f->watch, STACK_SIGNAL, 0),
			 0);
	handle();
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	signal(STACK_SIGNAL, SIG_DFL);
	return fixture_teardown(state);
}

/* Reads the next record, which must be of this kind. */
static struct heapsim_record told(const struct fixture *f, uint32_t kind)
{
	struct heapsim_record r;

	if (!record_next(f->watch, &r))
		fail_msg("no record");
	assert_int_equal(r.kind, kind);
	return r;
}

/* Makes the line at @at stale in the CPU's cache. */
static void make_stale(const struct fixture *f, const uint8_t *at)
{
	(void)__atomic_load_n(at, __ATOMIC_RELAXED);
	device_fill(f->dev, f->fd, 0, f->len, 0x11111111);
	device_revoke(f->dev, f->fd);
	record_drain(f->watch);
	nr_signals = 0;
}

static void assert_signalled_at(uint64_t id, uint64_t ip)
{
	assert_int_equal(nr_signals, 1);
	assert_true(id > 0);
	assert_int_equal(last_id, id);
	assert_int_equal(last_ip, ip);
	assert_int_equal(last_told, ip);
	assert_int_equal(last_tid, gettid());
	assert_int_equal(last_code, HEAPSIM_SI_STACK);
}

static void reader_is_signalled_at_its_read(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;

	make_stale(f, f->map);
	assert_int_equal(__atomic_load_n(f->map, __ATOMIC_RELAXED), 0);
	r = told(f, HEAPSIM_RECORD_STALE_READ);
	assert_signalled_at(r.cpu_stack, r.cpu.ip);
	/* The other side is a job of this process, which has a stack, too. */
	assert_true(r.other_stack && r.other_stack != r.cpu_stack);
}

/* The handler checks that the store has not been executed yet. */
static uint8_t *seen_at;
static uint8_t seen;

static void on_store(int signal, siginfo_t *info, void *context)
{
	on_stack(signal, info, context);
	seen = *seen_at;
}

static void writer_is_signalled_before_its_store(void **state)
{
	const struct sigaction action = {
		.sa_sigaction = on_store,
		.sa_flags = SA_SIGINFO | HEAPSIM_SA_STACK,
	};
	struct fixture *f = *state;
	struct heapsim_record r;

	assert_int_equal(sigaction(STACK_SIGNAL, &action, NULL), 0);
	seen_at = f->map + f->page;
	seen = 0xff;
	__atomic_store_n(seen_at, 7, __ATOMIC_RELAXED);
	assert_int_equal(nr_signals, 1);
	assert_int_equal(seen, 0);
	device_checksum(f->dev, f->fd, 0, f->len);
	r = told(f, HEAPSIM_RECORD_MISSING_CLEAN);
	assert_true(r.cpu_stack > 0 && r.other_stack != r.cpu_stack);
	assert_int_equal(nr_signals, 2);
	assert_int_equal(last_id, r.other_stack);
}

static void starter_and_submitter_are_signalled(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;
	uint64_t start;

	device_sync(f->fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
	assert_int_equal(nr_signals, 1);
	start = last_id;
	f->map[0] = 1;
	device_sync(f->fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
	device_sync(f->fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
	r = told(f, HEAPSIM_RECORD_UNMATCHED_END);
	assert_true(r.cpu_stack > start);
	assert_int_equal(last_id, r.cpu_stack);
	assert_int_equal(last_ip, r.cpu.ip);
	/* Both records are of one call, so they have the same stack. */
	assert_int_equal(told(f, HEAPSIM_RECORD_REDUNDANT_CLEAN).cpu_stack,
			 r.cpu_stack);
}

static void a_call_is_one_signal(void **state)
{
	struct fixture *f = *state;
	struct heapsim_range ranges[1000];
	struct heapsim_buf_maintain maintain = {
		.size = sizeof(maintain),
		.nr_ranges = 1000,
		.ranges = (uintptr_t)ranges,
	};
	struct heapsim_record r;
	size_t i;

	for (i = 0; i < 1000; i++)
		ranges[i] = (struct heapsim_range) {
			.fd = f->fd,
			.op = HEAPSIM_MAINT_CLEAN,
			.off = i % NR_PAGES * f->page,
			.len = f->page,
		};
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_MAINTAIN,
					    &maintain), 0);
	assert_int_equal(nr_signals, 1);
	r = told(f, HEAPSIM_RECORD_REDUNDANT_CLEAN);
	assert_int_equal(r.count, 1000);
	assert_int_equal(r.len, f->len);
	assert_int_equal(r.bytes, 1000 * f->page);
	assert_int_equal(r.cpu_stack, last_id);
	/* The next call has another stack. */
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_MAINTAIN,
					    &maintain), 0);
	assert_int_equal(nr_signals, 2);
	assert_true(told(f, HEAPSIM_RECORD_REDUNDANT_CLEAN).cpu_stack >
		    r.cpu_stack);
}

/* Ids of accesses and ids of calls are counted separately. */
static void accesses_and_calls_count_apart(void **state)
{
	struct fixture *f = *state;
	uint64_t call, access = 0;
	size_t i;

	device_sync(f->fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
	call = last_id;
	assert_true(call & HEAPSIM_STACK_CALL);
	for (i = 0; i < 20; i++) {
		device_revoke(f->dev, f->fd);
		assert_int_equal(nr_signals, 1 + i);
		__atomic_store_n(f->map, i, __ATOMIC_RELAXED);
		assert_false(last_id & HEAPSIM_STACK_CALL);
		assert_true(!i || last_id == access + 2);
		access = last_id;
	}
	device_sync(f->fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
	assert_int_equal(last_id, call + 2);
	record_drain(f->watch);
}

/* A pending signal would make a read return early. */
static void system_calls_are_not_interrupted(void **state)
{
	struct fixture *f = *state;
	struct heapsim_record r;
	int pipes[2];
	uint8_t bytes[4096] = { 0 };

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], bytes, sizeof(bytes)), sizeof(bytes));
	make_stale(f, f->map);
	assert_int_equal(write(pipes[1], f->map, 4096), 4096);
	r = told(f, HEAPSIM_RECORD_STALE_READ);
	assert_signalled_at(r.cpu_stack, r.cpu.ip);
	nr_signals = 0;
	/*
	 * The read stores to three pages; each is recorded at its first byte.
	 */
	assert_int_equal(read(pipes[0], f->map + 3 * f->page - 100, 8192),
			 8192);
	assert_int_equal(nr_signals, 1);
	close(pipes[0]);
	close(pipes[1]);
}

static uint64_t stack_of_a_stale_read(const struct fixture *f)
{
	make_stale(f, f->map);
	(void)__atomic_load_n(f->map, __ATOMIC_RELAXED);
	return told(f, HEAPSIM_RECORD_STALE_READ).cpu_stack;
}

static void on_bare(int signal)
{
	nr_signals++;
}

static void who_takes_no_signal_gets_none(void **state)
{
	const struct sigaction others = {
		.sa_sigaction = on_stack,
		.sa_flags = SA_SIGINFO | SA_RESTART,
	};
	/* Programs on arm64 may use SA_EXPOSE_TAGBITS themselves. */
	const struct sigaction tagged = {
		.sa_sigaction = on_stack,
		.sa_flags = SA_SIGINFO | SA_RESTART | 0x800,
	};
	struct fixture *f = *state;
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, STACK_SIGNAL);
	assert_int_equal(sigprocmask(SIG_BLOCK, &set, &old), 0);
	assert_int_equal(stack_of_a_stale_read(f), 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
	assert_int_equal(nr_signals, 0);

	/* The default action would end the process. */
	signal(STACK_SIGNAL, SIG_DFL);
	assert_int_equal(stack_of_a_stale_read(f), 0);
	signal(STACK_SIGNAL, SIG_IGN);
	assert_int_equal(stack_of_a_stale_read(f), 0);
	/* A handler without SA_SIGINFO does not get the id. */
	signal(STACK_SIGNAL, on_bare);
	assert_int_equal(stack_of_a_stale_read(f), 0);
	/* This handler is for another purpose. */
	assert_int_equal(sigaction(STACK_SIGNAL, &others, NULL), 0);
	assert_int_equal(stack_of_a_stale_read(f), 0);
	assert_int_equal(sigaction(STACK_SIGNAL, &tagged, NULL), 0);
	assert_int_equal(stack_of_a_stale_read(f), 0);
	assert_int_equal(nr_signals, 0);
	handle();
	assert_true(stack_of_a_stale_read(f) > 0);
	assert_int_equal(nr_signals, 1);
}

static void who_is_not_watched_gets_none(void **state)
{
	struct fixture *f = *state;
	int status;
	pid_t pid;

	close(f->watch);
	f->watch = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	assert_true(f->watch >= 0);
	/* This watch does not ask for stacks. */
	assert_int_equal(device_watch_stacks_errno(f->watch, 0, 0), 0);
	assert_int_equal(stack_of_a_stale_read(f), 0);
	/* This watch is for the tree of another process. */
	pid = fork();
	if (!pid) {
		int dev = open("/dev/heapsim", O_RDWR);

		_exit(dev < 0 ||
		      device_watch_stacks_errno(dev, STACK_SIGNAL, 0) ||
		      pause() != -1);
	}
	usleep(100000);
	assert_int_equal(stack_of_a_stale_read(f), 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(nr_signals, 0);
}

/*
 * exec reads its arguments from the buffer, so a stack is requested. After exec
 * there is no handler any more, and the signal would kill the process.
 */
static void exec_takes_the_signal_away(void **state)
{
	struct fixture *f = *state;
	char *const argv[] = { (char *)f->map, NULL };
	char *const env[] = { NULL };
	struct heapsim_record r;
	int status;
	pid_t pid;

	(void)__atomic_load_n(f->map, __ATOMIC_RELAXED);
	/* The string is "////". */
	device_fill(f->dev, f->fd, 0, f->page, 0x2f2f2f2f);
	device_fill(f->dev, f->fd, 4, f->page, 0);
	record_drain(f->watch);
	pid = fork();
	if (!pid) {
		device_revoke(f->dev, f->fd);
		execve("/bin/true", argv, env);
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	r = told(f, HEAPSIM_RECORD_STALE_READ);
	assert_int_equal(r.cpu.pid, pid);
	assert_true(r.cpu_stack > 0);
}

#ifdef __x86_64__
#define RED_ZONE	128	/* live bytes below the stack pointer */

/* Stores to @at with the stack pointer @sp and the red zone in use. */
static void store_with_red_zone(uint8_t *sp, uint8_t *at, uint8_t *zone)
{
	__asm__ volatile("movq %%rsp, %%r12\n\t"
			 "movq %[sp], %%rsp\n\t"
			 "leaq -128(%%rsp), %%rdi\n\t"
			 "movl $128, %%ecx\n\t"
			 "movl $0xaa, %%eax\n\t"
			 "rep stosb\n\t"
			 "movb $1, (%[at])\n\t"
			 "leaq -128(%%rsp), %%rsi\n\t"
			 "movq %[zone], %%rdi\n\t"
			 "movl $128, %%ecx\n\t"
			 "rep movsb\n\t"
			 "movq %%r12, %%rsp\n\t"
			 : : [sp] "r"(sp), [at] "r"(at), [zone] "r"(zone)
			 : "rdi", "rsi", "rcx", "rax", "r12", "memory", "cc");
}

static uint8_t *map_area(size_t len)
{
	uint8_t *area = mmap(NULL, len, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(area, MAP_FAILED);
	return area;
}

/* This must hold for any position of the stack pointer in its page. */
static void the_red_zone_stays_as_it_is(void **state)
{
	struct fixture *f = *state;
	uint8_t zone[RED_ZONE], *area = map_area(MIB);
	size_t above;

	for (above = 1; above <= RED_ZONE; above += 9) {
		device_revoke(f->dev, f->fd);
		nr_signals = 0;
		memset(zone, 0, sizeof(zone));
		store_with_red_zone(area + MIB / 2 + above, f->map, zone);
		assert_true(device_is_filled(zone, 0xaa, sizeof(zone)));
		assert_int_equal(nr_signals, 1);
	}
	munmap(area, MIB);
	record_drain(f->watch);
}

/* A thread with less stack than a handler needs is not signalled. */
static void a_stack_without_room_is_left_alone(void **state)
{
	struct fixture *f = *state;
	uint8_t zone[RED_ZONE], *area = map_area(MIB);
	const size_t low = MIB / 2;

	assert_int_equal(mprotect(area, low, PROT_READ), 0);
	store_with_red_zone(area + low + f->page, f->map, zone);
	assert_int_equal(nr_signals, 0);
	assert_int_equal(mprotect(area, low, PROT_NONE), 0);
	store_with_red_zone(area + low + f->page, f->map + f->page, zone);
	assert_int_equal(nr_signals, 0);
	munmap(area, MIB);
	record_drain(f->watch);
}

/* A thread whose stack is in a precisely tracked buffer is not signalled. */
static int push_in_a_precise_buffer(void *arg)
{
	uint8_t *map = arg;

	__asm__ volatile("movq %%rsp, %%r12\n\t"
			 "movq %[sp], %%rsp\n\t"
			 "pushq %%rax\n\t"
			 "popq %%rax\n\t"
			 "movq %%r12, %%rsp\n\t"
			 : : [sp] "r"(map + MIB / 2 + 64)
			 : "r12", "memory", "cc");
	return nr_signals;
}

static void a_stack_in_a_buffer_is_left_alone(void **state)
{
	struct heapsim_set_policy policy = {
		.size = sizeof(policy),
		.scope = HEAPSIM_POLICY_OF_CONTEXT,
		.fd = -1,
		.policy = HEAPSIM_POLICY_RECORD,
		.is_precise = 1,
	};
	const uint64_t deadline = device_now_ns() + 60 * NSEC_PER_SEC;
	struct fixture *f = *state;
	int fd, status, ret = 0;
	uint8_t *map;
	pid_t pid;

	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY,
					    &policy), 0);
	fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, MIB);
	map = device_map(fd, MIB);
	pid = fork();
	if (!pid)
		_exit(push_in_a_precise_buffer(map));
	/* If the thread loops in the kernel, it never ends, so poll. */
	while (!ret && device_now_ns() < deadline) {
		device_sleep_ns(10 * NSEC_PER_MSEC);
		ret = waitpid(pid, &status, WNOHANG);
	}
	if (!ret)
		kill(pid, SIGKILL);
	assert_int_equal(ret, pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	device_unmap(map, MIB);
	close(fd);
	record_drain(f->watch);
}
#endif

/*
 * The stack on which the handler runs must have enough room: the alternate one
 * if the handler asks for it, else that of the thread.
 */
static void a_small_alternate_stack_counts_if_it_is_used(void **state)
{
	struct sigaction action = {
		.sa_sigaction = on_stack,
		.sa_flags = SA_SIGINFO | HEAPSIM_SA_STACK | SA_RESTART,
	};
	struct fixture *f = *state;
	const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t small = { .ss_size = MINSIGSTKSZ };

	/* With arm64's widest vectors, the minimum is that large. */
	if (small.ss_size >= 16 * KIB)
		device_skip("no stack for signals is that small");
	small.ss_sp = malloc(small.ss_size);
	assert_non_null(small.ss_sp);
	assert_int_equal(sigaltstack(&small, NULL), 0);
	assert_true(stack_of_a_stale_read(f) > 0);
	assert_int_equal(nr_signals, 1);
	action.sa_flags |= SA_ONSTACK;
	assert_int_equal(sigaction(STACK_SIGNAL, &action, NULL), 0);
	stack_of_a_stale_read(f);
	assert_int_equal(nr_signals, 0);
	assert_int_equal(sigaltstack(&none, NULL), 0);
	free(small.ss_sp);
}

static void *read_stale(void *arg)
{
	stack_of_a_stale_read(arg);
	return NULL;
}

static void other_threads_are_not_signalled(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;

	make_stale(f, f->map);
	assert_int_equal(pthread_create(&thread, NULL, read_stale, f), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(nr_signals, 1);
	assert_int_not_equal(last_tid, gettid());
}

#define NR_THREADS	16
#define NR_ROUNDS	25

static atomic_int nr_in_handler;

static void on_many(int signal, siginfo_t *info, void *context)
{
	atomic_fetch_add(&nr_in_handler, 1);
}

static void *store_much(void *arg)
{
	struct fixture *f = arg;
	size_t i;

	for (i = 0; i < NR_ROUNDS; i++) {
		f->map[i % NR_PAGES * f->page] = i;
		device_sync(f->fd, DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
		device_sync(f->fd, DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
	}
	return NULL;
}

/* Each START of each thread makes a signal, also while others return. */
static void many_threads_are_signalled(void **state)
{
	const struct sigaction action = {
		.sa_sigaction = on_many,
		.sa_flags = SA_SIGINFO | HEAPSIM_SA_STACK | SA_RESTART,
	};
	struct fixture *f = *state;
	pthread_t threads[NR_THREADS];
	size_t i;

	assert_int_equal(sigaction(STACK_SIGNAL, &action, NULL), 0);
	atomic_store(&nr_in_handler, 0);
	for (i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, store_much,
						f), 0);
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_true(atomic_load(&nr_in_handler) >= NR_THREADS * NR_ROUNDS);
	handle();
}

/* Threads are killed while they return; unload_test then removes the module. */
static void threads_may_be_killed(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;
	int i, status;
	pid_t pid;

	for (i = 0; i < 20; i++) {
		pid = fork();
		if (!pid) {
			pthread_create(&thread, NULL, store_much, f);
			for (;;)
				store_much(f);
		}
		usleep(1000 * i);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		record_drain(f->watch);
	}
}

static void bad_signals_are_refused(void **state)
{
	int dev = device_open();

	assert_int_equal(device_watch_stacks_errno(dev, 65, 0), -EINVAL);
	assert_int_equal(device_watch_stacks_errno(dev, UINT32_MAX, 0),
			 -EINVAL);
	assert_int_equal(device_watch_stacks_errno(dev, STACK_SIGNAL, 1),
			 -EINVAL);
	assert_int_equal(device_watch_stacks_errno(dev, 64, 0), 0);
	close(dev);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(reader_is_signalled_at_its_read),
		TEST(writer_is_signalled_before_its_store),
		TEST(starter_and_submitter_are_signalled),
		TEST(a_call_is_one_signal),
		TEST(accesses_and_calls_count_apart),
		TEST(system_calls_are_not_interrupted),
		TEST(who_takes_no_signal_gets_none),
		TEST(who_is_not_watched_gets_none),
		TEST(exec_takes_the_signal_away),
#ifdef __x86_64__
		TEST(the_red_zone_stays_as_it_is),
		TEST(a_stack_without_room_is_left_alone),
		TEST(a_stack_in_a_buffer_is_left_alone),
#endif
		TEST(a_small_alternate_stack_counts_if_it_is_used),
		TEST(other_threads_are_not_signalled),
		TEST(many_threads_are_signalled),
		TEST(threads_may_be_killed),
		TEST(bad_signals_are_refused),
	};

	return cmocka_run_group_tests_name("stack", tests, NULL, NULL);
}
