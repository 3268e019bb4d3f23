// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests buffers that are tracked precisely. Each access counts once, at its
 * line. The thread is single-stepped for this, which must not be visible to the
 * thread, to its debugger, to signal handlers and to children, nor when it is
 * killed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/rseq.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "fixture.h"

#define NR_PAGES	4
#define NR_ROUNDS	300
#define SETTLE_NS	(10 * NSEC_PER_SEC)

static int set_precise(int dev, uint32_t scope, int fd)
{
	struct heapsim_set_policy set = {
		.size = sizeof(set),
		.scope = scope,
		.fd = fd,
		.is_precise = 1,
	};

	return device_ioctl_errno(dev, HEAPSIM_IOC_POLICY, &set);
}

#ifndef __x86_64__
static void precise_is_not_offered(void **state)
{
	int dev = device_open();

	assert_false(device_probe(dev).features & HEAPSIM_FEATURE_PRECISE);
	assert_int_equal(set_precise(dev, HEAPSIM_POLICY_OF_CONTEXT, -1),
			 -EOPNOTSUPP);
	close(dev);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(precise_is_not_offered),
	};

	return cmocka_run_group_tests_name("precise", tests, NULL, NULL);
}
#else

#define FLAG_TRAP	0x100

static int setup(void **state)
{
	struct fixture *f = fixture_create();

	assert_int_equal(set_precise(f->dev, HEAPSIM_POLICY_OF_CONTEXT, -1),
			 0);
	fixture_alloc(f, HEAPSIM_KIND_NONCOHERENT, NR_PAGES * f->page);
	*state = f;
	return 0;
}

static uint64_t stale_reads(struct fixture *f)
{
	return count(f).stale_reads;
}

static uint64_t missing_cleans(struct fixture *f)
{
	return count(f).missing_cleans;
}

static uint8_t load(const uint8_t *at)
{
	uint8_t byte;

	__asm__ volatile("movb (%1), %0" : "=q"(byte) : "r"(at) : "memory");
	return byte;
}

static void store(uint8_t *at, uint8_t byte)
{
	__asm__ volatile("movb %0, (%1)" : : "q"(byte), "r"(at) : "memory");
}

/* Fills the cache, then lets an engine write line @line. */
static void make_stale(struct fixture *f, size_t line)
{
	load(f->map);
	device_fill(f->dev, f->fd, line * f->line, f->line, 0x5a5a5a5a);
}

static void the_probe_and_the_buffer_say_so(void **state)
{
	struct fixture *f = *state;

	assert_true(device_probe(f->dev).features & HEAPSIM_FEATURE_PRECISE);
	assert_int_equal(device_buf_info(f->dev, f->fd).is_precise, 1);
	assert_int_equal(device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF,
					     f->fd, HEAPSIM_POLICY_STRICT), 0);
	assert_int_equal(device_buf_info(f->dev, f->fd).is_precise, 0);
	assert_int_equal(set_precise(f->dev, HEAPSIM_POLICY_OF_BUF, f->fd), 0);
	assert_int_equal(device_buf_info(f->dev, f->fd).is_precise, 1);
}

/* A page has stale and fresh lines; only stale ones that are read count. */
static void each_read_of_a_stale_line_is_reported_once(void **state)
{
	static const size_t stale[] = { 3, 5, 9, 63 };
	struct fixture *f = *state;
	size_t i, line, nr = f->page / f->line;

	for (i = 0; i < ARRAY_SIZE(stale); i++)
		make_stale(f, stale[i]);
	for (line = 0; line < nr; line++)
		if (line != 5)
			load(f->map + line * f->line + line % 7);
	assert_int_equal(stale_reads(f), 3);
	load(f->map + 4 * f->line);
	assert_int_equal(stale_reads(f), 3);
	load(f->map + 5 * f->line + 1);
	assert_int_equal(stale_reads(f), 4);
}

/* A record has the address of its access, not of the first one to the page. */
static void a_record_has_the_address_of_each(void **state)
{
	struct fixture *f = *state;
	int watch = open("/dev/heapsim", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	size_t line;

	assert_int_equal(device_watch_errno(watch, HEAPSIM_WATCH_PROCESS,
					    HEAPSIM_KINDS_ERRORS, 64), 0);
	for (line = 8; line < 20; line += 3) {
		uint8_t *at = f->map + line * f->line + 5;
		struct heapsim_record r;

		make_stale(f, line);
		load(f->map + (line + 1) * f->line);
		load(at);
		assert_int_equal(read(watch, &r, sizeof(r)), sizeof(r));
		assert_int_equal(r.kind, HEAPSIM_RECORD_STALE_READ);
		assert_int_equal(r.count, 1);
		assert_int_equal(r.off, line * f->line + 5);
		assert_int_equal(r.cpu.addr, (uintptr_t)at);
		store(f->map, 1);
		store(at, 1);
		device_checksum(f->dev, f->fd, line * f->line, f->line);
		assert_int_equal(read(watch, &r, sizeof(r)), sizeof(r));
		assert_int_equal(r.kind, HEAPSIM_RECORD_MISSING_CLEAN);
		assert_int_equal(r.off, line * f->line);
		assert_int_equal(r.cpu.addr, (uintptr_t)at);
		device_maintain(f->dev, f->fd, HEAPSIM_MAINT_CLEAN, 0, f->len);
		while (read(watch, &r, sizeof(r)) > 0)
			;
	}
	close(watch);
}

/* Stores that change no byte make their line dirty, too. */
static void each_store_makes_its_line_dirty(void **state)
{
	struct fixture *f = *state;
	size_t line, nr = f->page / f->line;

	for (line = 0; line < nr; line += 2)
		store(f->map + line * f->line + 3, 0);
	device_checksum(f->dev, f->fd, 0, f->page);
	assert_int_equal(missing_cleans(f), nr / 2);
}

static uint64_t load_8(const void *at)
{
	uint64_t value;

	__asm__ volatile("movq (%1), %0" : "=r"(value) : "r"(at) : "memory");
	return value;
}

static void an_access_of_two_pages_is_seen_on_both(void **state)
{
	struct fixture *f = *state;
	const size_t line = f->page / f->line;
	uint64_t value;

	make_stale(f, line - 1);
	make_stale(f, line);
	value = load_8(f->map + f->page - 3);
	assert_int_equal(value, 0);
	assert_int_equal(stale_reads(f), 2);
	load_8(f->map + f->page - 3);
	assert_int_equal(stale_reads(f), 4);
	__asm__ volatile("movq %0, (%1)" : : "r"(0x1122334455667788ULL),
			 "r"(f->map + 2 * f->page - 4) : "memory");
	assert_int_equal(load_8(f->map + 2 * f->page - 4),
			 0x1122334455667788ULL);
	device_checksum(f->dev, f->fd, f->page, 2 * f->page);
	assert_int_equal(missing_cleans(f), 2);
}

static void movs_between_two_pairs_of_pages_counts_each_line(void **state)
{
	struct fixture *f = *state;
	const void *from = f->map + f->page - 4;
	void *to = f->map + 3 * f->page - 4;

	store(f->map + f->page - 1, 0x12);
	store(f->map + f->page, 0x34);
	__asm__ volatile("movsq" : "+S"(from), "+D"(to) : : "memory");
	assert_int_equal(load(f->map + 3 * f->page - 1), 0x12);
	assert_int_equal(load(f->map + 3 * f->page), 0x34);
	/* Both lines are on one page, which is read first. */
	from = f->map;
	to = f->map + 64;
	store(f->map + 7, 0x56);
	__asm__ volatile("movsq" : "+S"(from), "+D"(to) : : "memory");
	assert_int_equal(load(f->map + 64 + 7), 0x56);
	device_checksum(f->dev, f->fd, 0, f->len);
	assert_int_equal(missing_cleans(f), 2 + 2 + 2);
}

static void each_round_of_rep_movs_is_an_access(void **state)
{
	struct fixture *f = *state;
	uint8_t copy[3 * 128], *to = copy;
	const uint8_t *from = f->map + 6 * f->line;
	size_t nr = 3 * f->line / 8;

	make_stale(f, 7);
	__asm__ volatile("rep movsq" : "+S"(from), "+D"(to), "+c"(nr) : :
			 "memory");
	assert_int_equal(stale_reads(f), f->line / 8);
	to = f->map + f->page - f->line;
	nr = 2 * f->line;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(nr) : "a"(0) : "memory");
	device_checksum(f->dev, f->fd, 0, f->len);
	assert_int_equal(missing_cleans(f), 2);
}

static void the_c_library_works_on_it(void **state)
{
	struct fixture *f = *state;
	uint8_t bytes[600], *at = f->map + f->page - sizeof(bytes) / 2;
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 31 >> 3;
	memcpy(at, bytes, sizeof(bytes));
	assert_int_equal(memcmp(at, bytes, sizeof(bytes)), 0);
	memmove(at + 1, at, sizeof(bytes));
	assert_int_equal(memcmp(at + 1, bytes, sizeof(bytes)), 0);
	memset(at, 'a', sizeof(bytes));
	at[sizeof(bytes)] = 0;
	assert_int_equal(strlen((char *)at), sizeof(bytes));
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(device_checksum(f->dev, f->fd, at - f->map,
					 sizeof(bytes)),
			 fnv1a(at, sizeof(bytes)));
}

/*
 * A system call's accesses count for the whole page; accesses by instructions
 * after it count precisely again.
 */
static void system_calls_are_seen_by_page(void **state)
{
	struct fixture *f = *state;
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	uint64_t was;

	make_stale(f, 2);
	make_stale(f, 4);
	assert_int_equal(read(zero, f->map + 3 * f->line, f->line), f->line);
	was = stale_reads(f);
	load(f->map + 2 * f->line);
	load(f->map + 3 * f->line);
	load(f->map + 4 * f->line);
	assert_int_equal(stale_reads(f), was + 2);
	assert_int_equal(read(zero, f->map, f->len), f->len);
	load(f->map + 4 * f->line);
	/* The second read stored to all lines, so none is stale any more. */
	assert_int_equal(stale_reads(f), was + 2);
	close(zero);
}

/* Each thread accesses its own page. */
struct reader {
	struct fixture *f;
	size_t page;
	size_t nr;
	pthread_t thread;
};

static void *read_often(void *arg)
{
	struct reader *r = arg;
	size_t i;

	for (i = 0; i < r->nr; i++) {
		load(r->f->map + r->page * r->f->page);
		load(r->f->map + r->page * r->f->page + r->f->line);
	}
	return NULL;
}

static void threads_are_stepped_each(void **state)
{
	struct fixture *f = *state;
	struct reader r[NR_PAGES];
	uint64_t was;
	size_t i;

	for (i = 0; i < NR_PAGES; i++)
		make_stale(f, i * f->page / f->line);
	was = stale_reads(f);
	for (i = 0; i < NR_PAGES; i++) {
		r[i] = (struct reader) { f, i, NR_ROUNDS, 0 };
		assert_int_equal(pthread_create(&r[i].thread, NULL, read_often,
						&r[i]), 0);
	}
	for (i = 0; i < NR_PAGES; i++)
		pthread_join(r[i].thread, NULL);
	assert_int_equal(stale_reads(f), was + NR_PAGES * NR_ROUNDS);
}

/* The timer's handler accesses memory, too, and checks for the trap flag. */
static struct fixture *interrupted;
static volatile size_t nr_signals, nr_flags;

static void on_timer(int signr, siginfo_t *si, void *context)
{
	const ucontext_t *u = context;

	nr_signals++;
	nr_flags += !!(u->uc_mcontext.gregs[REG_EFL] & FLAG_TRAP);
	load(interrupted->map + 2 * interrupted->page);
}

static void timer_begin(void (*fn)(int, siginfo_t *, void *), long us)
{
	struct sigaction action = {
		.sa_sigaction = fn,
		.sa_flags = SA_SIGINFO,
	};
	struct itimerval every = {
		.it_interval.tv_usec = us,
		.it_value.tv_usec = us,
	};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

static void timer_end(void)
{
	const struct itimerval never = { 0 };

	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
}

static void signals_leave_no_flag_and_count_nothing_twice(void **state)
{
	struct fixture *f = *state;
	uint64_t end = device_now_ns() + 2 * NSEC_PER_SEC;
	uint64_t nr = 0, was;

	make_stale(f, 0);
	make_stale(f, 2 * f->page / f->line);
	was = stale_reads(f);
	interrupted = f;
	nr_signals = 0;
	nr_flags = 0;
	timer_begin(on_timer, 300);
	do {
		load(f->map);
		nr++;
	} while (device_now_ns() < end);
	timer_end();
	printf("# %zu signals, %llu reads\n", nr_signals,
	       (unsigned long long)nr);
	assert_true(nr_signals > 0);
	assert_int_equal(nr_flags, 0);
	assert_int_equal(stale_reads(f), was + nr + nr_signals);
}

/* Handlers that end a child's accesses in different ways */
static void exit_on_timer(int signr, siginfo_t *si, void *context)
{
	_exit(3);
}

static void exec_on_timer(int signr, siginfo_t *si, void *context)
{
	execl("/bin/sh", "sh", "-c", "exit 4", NULL);
	_exit(1);
}

static void fork_on_timer(int signr, siginfo_t *si, void *context)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		load(interrupted->map);
		_exit(5);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		_exit(2);
	_exit(WEXITSTATUS(status));
}

static int touch_until(void *arg)
{
	uint64_t end = device_now_ns() + SETTLE_NS;

	timer_begin(arg, 1000);
	while (device_now_ns() < end) {
		load(interrupted->map);
		store(interrupted->map + interrupted->page, 1);
	}
	return 1;
}

static int touch_until_killed(void *arg)
{
	pid_t pid = fork();
	int status;

	while (!pid)
		load(interrupted->map);
	device_sleep_ns(20 * NSEC_PER_MSEC);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 1;
}

static void ends_of_all_kinds_leave_nothing(void **state)
{
	struct fixture *f = *state;
	int round;

	interrupted = f;
	for (round = 0; round < 20; round++) {
		assert_int_equal(device_in_child(touch_until, exit_on_timer),
				 3);
		assert_int_equal(device_in_child(touch_until, exec_on_timer),
				 4);
		assert_int_equal(device_in_child(touch_until, fork_on_timer),
				 5);
		assert_int_equal(device_in_child(touch_until_killed, NULL),
				 SIGKILL);
	}
}

/* A step holds a reference to the buffer, which must be dropped. */
static void no_buffer_is_kept(void **state)
{
	struct fixture *f = *state, one = *f;
	uint64_t before = device_info(f->dev).nr_bufs, end;
	int round;

	for (round = 0; round < 20; round++) {
		one.fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, f->len);
		one.map = device_map(one.fd, f->len);
		close(one.fd);
		interrupted = &one;
		device_in_child(touch_until_killed, NULL);
		load(one.map);
		device_unmap(one.map, f->len);
	}
	end = device_now_ns() + SETTLE_NS;
	while (device_info(f->dev).nr_bufs != before &&
	       device_now_ns() < end)
		device_sleep_ns(5 * NSEC_PER_MSEC);
	assert_int_equal(device_info(f->dev).nr_bufs, before);
}

static volatile bool forks_are_over;

static void *touch_meanwhile(void *arg)
{
	struct fixture *f = arg;
	uint8_t byte = 0;
	size_t nr_wrong = 0;

	while (!forks_are_over) {
		store(f->map + f->page, ++byte);
		nr_wrong += load(f->map + f->page) != byte;
	}
	return (void *)nr_wrong;
}

static int touch_a_bit(void *arg)
{
	struct fixture *f = arg;
	int i;

	for (i = 0; i < 10; i++) {
		load(f->map + f->page);
		store(f->map + 2 * f->page, i);
	}
	return 6;
}

static void a_fork_by_another_thread_copies_no_step(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;
	void *nr_wrong;
	int i;

	forks_are_over = false;
	assert_int_equal(pthread_create(&thread, NULL, touch_meanwhile, f), 0);
	for (i = 0; i < 50; i++)
		assert_int_equal(device_in_child(touch_a_bit, f), 6);
	forks_are_over = true;
	pthread_join(thread, &nr_wrong);
	assert_int_equal((size_t)nr_wrong, 0);
}

/* A debugger. */

/* Ten instructions, four of them accesses. */
void stepped(uint8_t *at);
__asm__(".text\n"
	".globl stepped\n"
	"stepped:\n"
	"	movb (%rdi), %al\n"
	"	nop\n"
	"	movb (%rdi), %al\n"
	"	movb %al, 4096(%rdi)\n"
	"	nop\n"
	"	nop\n"
	"	movb (%rdi), %al\n"
	"	nop\n"
	"	nop\n"
	"	ret\n");
#define NR_STEPPED	10

static int be_traced(void *arg)
{
	struct fixture *f = arg;

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	stepped(f->map);
	__asm__ volatile("int3");
	load(f->map);
	return 7;
}

/* Steps the child from the beginning of stepped() to its ret. */
static void step_through(pid_t pid)
{
	struct user_regs_struct regs;
	uintptr_t start = (uintptr_t)stepped, last = 0;
	int i, nr = 0, status;

	for (i = 0; i < 100000 && nr < NR_STEPPED; i++) {
		assert_int_equal(ptrace(PTRACE_GETREGS, pid, NULL, &regs), 0);
		assert_int_equal(regs.eflags & FLAG_TRAP, 0);
		if (regs.rip >= start && regs.rip < start + 64 &&
		    (!last || regs.rip > last)) {
			last = regs.rip;
			nr++;
		}
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL),
				 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSTOPPED(status));
		assert_int_equal(WSTOPSIG(status), SIGTRAP);
	}
	assert_int_equal(nr, NR_STEPPED);
}

static void a_debugger_steps_as_ever(void **state)
{
	struct fixture *f = *state;
	int status, round;

	make_stale(f, 0);
	for (round = 0; round < 2; round++) {
		uint64_t was = stale_reads(f);
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid)
			_exit(be_traced(f));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSTOPPED(status));
		if (!round)
			step_through(pid);
		/* The child must reach the int3 without an earlier trap. */
		assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSTOPPED(status));
		assert_int_equal(WSTOPSIG(status), SIGTRAP);
		assert_int_equal(stale_reads(f), was + 3);
		assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 7);
		assert_int_equal(stale_reads(f), was + 4);
	}
}

/* A program that uses the trap flag itself. */
static volatile size_t nr_traps;

static void on_trap(int signr)
{
	nr_traps++;
}

static size_t traps_of(uint8_t *at)
{
	nr_traps = 0;
	__asm__ volatile("subq $128, %%rsp\n\t"
			 "pushfq\n\t"
			 "orq $0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "nop\n\t"
			 "movb (%0), %%al\n\t"
			 "movb %%al, 4096(%0)\n\t"
			 "nop\n\t"
			 "pushfq\n\t"
			 "andq $~0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "addq $128, %%rsp\n\t"
			 : : "r"(at) : "rax", "memory", "cc");
	return nr_traps;
}

static void traps_of_its_own_reach_a_program(void **state)
{
	struct fixture *f = *state;
	uint8_t *plain = mmap(NULL, f->len, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t want, got;

	assert_true(plain != MAP_FAILED);
	signal(SIGTRAP, on_trap);
	want = traps_of(plain);
	got = traps_of(f->map);
	signal(SIGTRAP, SIG_DFL);
	munmap(plain, f->len);
	assert_true(want >= 6);
	assert_int_equal(got, want);
	make_stale(f, 0);
	load(f->map);
	assert_int_equal(stale_reads(f), 1);
}

/* One instruction accesses two buffers. */
static void an_instruction_may_touch_two_buffers(void **state)
{
	struct fixture *f = *state, other = *f;
	const void *from;
	void *to;
	int i;

	other.fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, f->len);
	other.map = device_map(other.fd, f->len);
	make_stale(f, 1);
	for (i = 0; i < 100; i++) {
		from = f->map + f->line;
		to = other.map + f->line;
		__asm__ volatile("movsb" : "+S"(from), "+D"(to) : : "memory");
	}
	assert_int_equal(stale_reads(f), 100);
	device_checksum(f->dev, other.fd, 0, f->len);
	assert_int_equal(missing_cleans(&other), 1);
	device_unmap(other.map, f->len);
	close(other.fd);
}

/*
 * Copies *@from to *@to in a restartable sequence, whose first instruction
 * reads *@from into *@before and whose last one stores. Returns false if the
 * kernel aborted the sequence.
 */
static bool copy_in_a_sequence(const uint64_t *from, uint64_t *to,
			       uint64_t *before)
{
	struct rseq *rseq = (struct rseq *)((char *)__builtin_thread_pointer() +
					    __rseq_offset);

	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n\t"
		     ".balign 32\n"
		     "3:\t.long 0, 0\n\t"
		     ".quad 1f, 2f - 1f, 4f\n\t"
		     ".popsection\n\t"
		     "movq %[from], %%rsi\n\t"
		     "movq %[to], %%rdi\n\t"
		     "leaq 3b(%%rip), %%rax\n\t"
		     "movq %%rax, %[cs]\n"
		     "1:\tmovq (%%rsi), %%rdx\n\t"
		     "movq %%rdx, (%[before])\n\t"
		     "movsq\n"
		     "2:\n\t"
		     ".pushsection __rseq_failure, \"ax\"\n\t"
		     ".byte 0x0f, 0xb9, 0x3d\n\t"
		     ".long %c[sig]\n"
		     "4:\tjmp %l[aborted]\n\t"
		     ".popsection"
		     : : [cs] "m"(rseq->rseq_cs), [from] "r"(from),
		     [to] "r"(to), [before] "r"(before), [sig] "i"(RSEQ_SIG)
		     : "memory", "rax", "rdx", "rsi", "rdi" : aborted);
	return true;

aborted:
	return false;
}

/**
 * struct rival - a thread that counts whenever it gets the processor
 * @count: number so far
 * @is_stopped: the thread must end
 */
struct rival {
	uint64_t count;
	bool is_stopped;
};

static void *count_on(void *arg)
{
	struct rival *rival = arg;

	while (!__atomic_load_n(&rival->is_stopped, __ATOMIC_RELAXED))
		__atomic_store_n(&rival->count, rival->count + 1,
				 __ATOMIC_RELAXED);
	return NULL;
}

/* The kernel must abort each sequence during which the rival ran. */
static void a_restartable_sequence_is_aborted_when_preempted(void **state)
{
	struct fixture *f = *state;
	struct rival rival = { 0 };
	unsigned int i, nr_aborted = 0;
	cpu_set_t one, old;
	uint64_t before;
	pthread_t thread;

	if (!__rseq_size)
		device_skip("the C library registers no rseq");
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_getaffinity(0, sizeof(old), &old);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(pthread_create(&thread, NULL, count_on, &rival), 0);
	for (i = 0; i < 100000 && nr_aborted < 30; i++) {
		if (!copy_in_a_sequence(&rival.count, (uint64_t *)f->map,
					&before))
			nr_aborted++;
		else
			assert_int_equal(*(volatile uint64_t *)f->map, before);
	}
	__atomic_store_n(&rival.is_stopped, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	sched_setaffinity(0, sizeof(old), &old);
	assert_true(nr_aborted > 0);
}

static void off_is_not_stepped(void **state)
{
	struct fixture *f = *state;
	struct heapsim_set_policy set = {
		.size = sizeof(set),
		.scope = HEAPSIM_POLICY_OF_BUF,
		.fd = f->fd,
		.policy = HEAPSIM_POLICY_OFF,
		.is_precise = 1,
	};

	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY, &set),
			 0);
	store(f->map, 1);
	device_fill(f->dev, f->fd, 0, f->len, 0x02020202);
	assert_int_equal(load(f->map), 2);
	set.policy = HEAPSIM_POLICY_RECORD;
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY, &set),
			 0);
	make_stale(f, 1);
	load(f->map);
	load(f->map + f->line);
	assert_int_equal(stale_reads(f), 1);
}

int main(void)
{
#define TEST(fn)	\
	cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
	static const struct CMUnitTest tests[] = {
		TEST(the_probe_and_the_buffer_say_so),
		TEST(each_read_of_a_stale_line_is_reported_once),
		TEST(a_record_has_the_address_of_each),
		TEST(each_store_makes_its_line_dirty),
		TEST(an_access_of_two_pages_is_seen_on_both),
		TEST(movs_between_two_pairs_of_pages_counts_each_line),
		TEST(each_round_of_rep_movs_is_an_access),
		TEST(an_instruction_may_touch_two_buffers),
		TEST(the_c_library_works_on_it),
		TEST(system_calls_are_seen_by_page),
		TEST(threads_are_stepped_each),
		TEST(signals_leave_no_flag_and_count_nothing_twice),
		TEST(ends_of_all_kinds_leave_nothing),
		TEST(no_buffer_is_kept),
		TEST(a_fork_by_another_thread_copies_no_step),
		TEST(a_debugger_steps_as_ever),
		TEST(traps_of_its_own_reach_a_program),
		TEST(a_restartable_sequence_is_aborted_when_preempted),
		TEST(off_is_not_stepped),
	};

	return cmocka_run_group_tests_name("precise", tests, NULL, NULL);
}
#endif
