// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that a program does not notice the steps of precise tracking: its own
 * handlers, traps and masks, restartable sequences, threads and children.
 */
#include "precise.h"

#include <pthread.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifndef __x86_64__
int main(void)
{
	puts("1..0 # SKIP no precise tracking on this architecture");
	return 0;
}
#else

#if __has_include("sys/rseq.h")
#include <sys/rseq.h>
#endif

#define NR_ROUNDS	60
#define HANG_NS		(60ULL * NS_PER_S)

/* Returns the number of accesses of a stale line that are seen, of two. */
static uint64_t seen_of_two(const struct fixture *f, size_t page)
{
	const size_t line = page * PAGE / f->line;
	uint64_t was;

	load(f->map + page * PAGE);
	fill_range(f, page * PAGE, 2 * f->line, 0x5a5a5a5a);
	was = stale_reads(f);
	load(f->map + line * f->line);
	load(f->map + (line + 1) * f->line);
	return stale_reads(f) - was;
}

static void is_precise_still(const struct fixture *f)
{
	size_t page;

	for (page = 0; page < NR_PAGES; page++)
		assert_int_equal(seen_of_two(f, page), 2);
}

/* What a handler found in the context of its signal. */
static struct {
	volatile size_t nr;
	volatile size_t nr_flags;
	volatile size_t nr_masks;
	const uint8_t *touched;
	sigjmp_buf *jump;
} found;

static void find(const ucontext_t *context)
{
	sigset_t now;

	found.nr++;
	found.nr_flags += !!(context->uc_mcontext.gregs[REG_EFL] & FLAG_TRAP);
	/* The program blocks neither. */
	sigprocmask(SIG_BLOCK, NULL, &now);
	found.nr_masks += sigismember(&now, SIGUSR2) == 1 ||
			  sigismember(&context->uc_sigmask, SIGUSR2) == 1;
}

static void set_handler(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {
		.sa_sigaction = handler,
		.sa_flags = SA_SIGINFO,
	};

	memset(&found, 0, sizeof(found));
	assert_int_equal(sigaction(signal, &action, NULL), 0);
}

static void on_timer(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	find(context);
	if (found.touched)
		load(found.touched);
}

static void begin_timer(const struct fixture *f, long us)
{
	const struct itimerval every = {
		.it_interval.tv_usec = us,
		.it_value.tv_usec = us,
	};

	set_handler(SIGALRM, on_timer);
	found.touched = f->map + 2 * PAGE;
	assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
}

static void end_timer(void)
{
	stop_storm();
	signal(SIGALRM, SIG_DFL);
}

static void no_handler_runs_in_a_step(void **state)
{
	const struct fixture *f = *state;
	const uint64_t end = now_ns() + HANG_NS;
	uint64_t was, nr = 0;

	make_stale(f, 0);
	make_stale(f, 2 * PAGE / f->line);
	was = stale_reads(f);
	begin_timer(f, 1000);
	do {
		load(f->map);
		nr++;
	} while ((found.nr < 200 || nr < 500) && now_ns() < end);
	end_timer();
	assert_true(found.nr >= 200);
	assert_int_equal(found.nr_flags, 0);
	assert_int_equal(found.nr_masks, 0);
	assert_int_equal(stale_reads(f), was + nr + found.nr);
}

/* SIGTRAP of the program */

static void on_trap(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	found.nr++;
}

static size_t traps_of(uint8_t *at)
{
	found.nr = 0;
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
	return found.nr;
}

static void traps_of_its_own_reach_a_program(void **state)
{
	const struct fixture *f = *state;
	uint8_t *plain = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction old;
	size_t want;

	assert_true(plain != MAP_FAILED);
	set_handler(SIGTRAP, on_trap);
	want = traps_of(plain);
	assert_true(want >= 6);
	assert_int_equal(traps_of(f->map), want);
	found.nr = 0;
	load(f->map);
	assert_int_equal(found.nr, 0);
	__asm__ volatile("int3");
	assert_int_equal(found.nr, 1);
	raise(SIGTRAP);
	assert_int_equal(found.nr, 2);
	assert_int_equal(sigaction(SIGTRAP, NULL, &old), 0);
	assert_ptr_equal(old.sa_sigaction, on_trap);
	assert_true(signal(SIGTRAP, SIG_DFL) != SIG_ERR);
	munmap(plain, 2 * PAGE);
	is_precise_still(f);
}

/* Breakpoints of all kinds that follow a step */
static void break_after_loads(const uint8_t *at)
{
	__asm__ volatile("movb (%0), %%al\n\t"
			 "int3\n\t"
			 "movb (%0), %%al\n\t"
			 ".byte 0xcd, 0x03\n\t"	/* int $3 */
			 "movb (%0), %%al\n\t"
			 ".byte 0xf1\n\t"		/* int1 */
			 : : "r"(at) : "rax", "memory");
}

static void breakpoints_after_a_step_reach_a_program(void **state)
{
	const struct fixture *f = *state;

	set_handler(SIGTRAP, on_trap);
	break_after_loads(f->map);
	assert_int_equal(found.nr, 3);
	assert_true(signal(SIGTRAP, SIG_DFL) != SIG_ERR);
	is_precise_still(f);
}

/* The signal is blocked until the step begins. */
static void a_trap_that_is_sent_in_a_step_reaches_a_program(void **state)
{
	const struct fixture *f = *state;
	sigset_t blocked, old;
	uint64_t was;

	make_stale(f, 0);
	was = stale_reads(f);
	set_handler(SIGTRAP, on_trap);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTRAP);
	assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, &old), 0);
	raise(SIGTRAP);
	load(f->map);
	assert_int_equal(found.nr, 1);
	assert_int_equal(stale_reads(f), was + 1);
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
	assert_true(signal(SIGTRAP, SIG_DFL) != SIG_ERR);
	is_precise_still(f);
}

/* The program that the next test traces. Returns its exit code. */
static int traced_main(void)
{
	void *state;

	if (open_precise(NULL) || make_fixture(&state))
		return 1;
	return seen_of_two(state, 0) == 2 ? 0 : 2;
}

static pid_t start_traced(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl("/proc/self/exe", "step_test", "traced", NULL);
		_exit(3);
	}
	/* exec raises SIGTRAP in a process that is traced. */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(ptrace(PTRACE_CONT, pid, NULL, 0), 0);
	return pid;
}

/* Passes each signal on. Returns the number of changed traps. */
static size_t hide_causes(pid_t pid, int *status)
{
	siginfo_t info;
	size_t nr = 0;

	while (waitpid(pid, status, 0) == pid && WIFSTOPPED(*status)) {
		assert_int_equal(ptrace(PTRACE_GETSIGINFO, pid, NULL, &info),
				 0);
		if (info.si_signo == SIGTRAP && info.si_code == TRAP_TRACE) {
			info.si_code = TRAP_BRKPT;
			ptrace(PTRACE_SETSIGINFO, pid, NULL, &info);
			nr++;
		}
		ptrace(PTRACE_CONT, pid, NULL, WSTOPSIG(*status));
	}
	return nr;
}

/* Virtual machines sometimes lose the cause of a trap. A tracer imitates it. */
static void a_trap_without_its_cause_ends_a_step(void **state)
{
	int status;

	(void)state;
	assert_true(hide_causes(start_traced(), &status) >= 3);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static pid_t child_with_a_trap(void (*handler)(int))
{
	pid_t pid = fork();

	if (!pid) {
		signal(SIGTRAP, handler);
		__asm__ volatile("int3");
		_exit(3);
	}
	return pid;
}

static void a_trap_that_is_not_handled_ends_a_process(void **state)
{
	int status;

	(void)state;
	assert_int_equal(waitpid(child_with_a_trap(SIG_DFL), &status, 0) > 0,
			 1);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTRAP);
	assert_int_equal(exit_code_of(child_with_a_trap(count_signal)), 3);
}

/* The program may block SIGTRAP: no debugger is there. */
static void blocked_signals_do_no_harm(void **state)
{
	const struct fixture *f = *state;
	sigset_t all, old;

	sigfillset(&all);
	assert_int_equal(sigprocmask(SIG_SETMASK, &all, &old), 0);
	is_precise_still(f);
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, &all), 0);
	assert_int_equal(sigismember(&all, SIGTRAP), 1);
	assert_int_equal(sigismember(&all, SIGUSR1), 1);
}

/* The handler is replaced without the C library: nothing may trap then. */
static void a_raw_handler_ends_the_steps(void **state)
{
	struct {
		void *handler;
		unsigned long flags;
		void *restorer;
		unsigned long mask;
	} none = { 0 }, old;
	const struct fixture *f = *state;

	assert_int_equal(syscall(SYS_rt_sigaction, SIGTRAP, &none, &old, 8), 0);
	/* With the default action a trap would end the process. */
	assert_int_equal(seen_of_two(f, 0), 1);
	assert_int_equal(syscall(SYS_rt_sigaction, SIGTRAP, &old, NULL, 8), 0);
	is_precise_still(f);
}

/* Other signals that the instruction of a step causes */

static void on_fault_jump(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	find(context);
	siglongjmp(*found.jump, 1);
}

/* Divides by a number in the buffer, which is 0. */
static void divide_by(const uint8_t *at)
{
	__asm__ volatile("xorl %%edx, %%edx\n\t"
			 "movl $1, %%eax\n\t"
			 "divl (%0)" : : "r"(at) : "rax", "rdx", "cc",
			 "memory");
}

static void leave_a_division(const struct fixture *f, size_t page)
{
	sigjmp_buf jump;

	found.jump = &jump;
	if (!sigsetjmp(jump, 1))
		divide_by(f->map + page * PAGE);
}

static void a_step_that_divides_by_zero_is_undone(void **state)
{
	const struct fixture *f = *state;
	struct sigaction old;
	int i;

	memset(f->map, 0, 16);
	set_handler(SIGFPE, on_fault_jump);
	assert_int_equal(sigaction(SIGFPE, NULL, &old), 0);
	assert_ptr_equal(old.sa_sigaction, on_fault_jump);
	assert_int_equal(old.sa_flags & SA_SIGINFO, SA_SIGINFO);
	for (i = 0; i < 5; i++)
		leave_a_division(f, 0);
	assert_int_equal(found.nr, 5);
	assert_int_equal(found.nr_flags, 0);
	assert_int_equal(found.nr_masks, 0);
	is_precise_still(f);
	assert_true(signal(SIGFPE, SIG_IGN) != SIG_ERR);
	assert_int_equal(sigaction(SIGFPE, NULL, &old), 0);
	assert_ptr_equal(old.sa_handler, SIG_IGN);
	signal(SIGFPE, SIG_DFL);
}

static uint8_t *mended;
static int mended_fd;

/* Makes the instruction possible, which then runs again. */
static void on_fault_mend(int signal, siginfo_t *info, void *context)
{
	(void)info;
	find(context);
	if (signal == SIGBUS)
		assert_int_equal(ftruncate(mended_fd, PAGE), 0);
	else
		mprotect(mended, PAGE, PROT_READ | PROT_WRITE);
}

static void mend(const struct fixture *f, int signal)
{
	const void *from = f->map;
	void *to = mended;
	uint64_t was;

	make_stale(f, 0);
	was = stale_reads(f);
	set_handler(signal, on_fault_mend);
	__asm__ volatile("movsb" : "+S"(from), "+D"(to) : : "memory");
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.nr_flags, 0);
	assert_int_equal(found.nr_masks, 0);
	/* It runs twice, but it is one read. */
	assert_int_equal(stale_reads(f), was + 1);
	load(f->map);
	assert_int_equal(stale_reads(f), was + 2);
}

static void a_step_that_faults_elsewhere_counts_once(void **state)
{
	const struct fixture *f = *state;

	mended = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		      0);
	assert_true(mended != MAP_FAILED);
	mend(f, SIGSEGV);
	signal(SIGSEGV, SIG_DFL);
	munmap(mended, PAGE);
	mended_fd = memfd_create("short", MFD_CLOEXEC);
	mended = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
		      mended_fd, 0);
	assert_true(mended != MAP_FAILED);
	mend(f, SIGBUS);
	signal(SIGBUS, SIG_DFL);
	munmap(mended, PAGE);
	close(mended_fd);
	is_precise_still(f);
}

/* Progress */

#ifdef RSEQ_SIG
/*
 * Copies *@from to *@to in a restartable sequence. Returns false if the kernel
 * aborted the sequence.
 */
static bool copy_in_a_sequence(const uint64_t *from, uint64_t *to)
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
		     "movsq\n"
		     "2:\n\t"
		     ".pushsection __rseq_failure, \"ax\"\n\t"
		     ".byte 0x0f, 0xb9, 0x3d\n\t"
		     ".long %c[sig]\n"
		     "4:\tjmp %l[aborted]\n\t"
		     ".popsection"
		     : : [cs] "m"(rseq->rseq_cs), [from] "r"(from),
		     [to] "r"(to), [sig] "i"(RSEQ_SIG)
		     : "memory", "rax", "rdx", "rsi", "rdi" : aborted);
	return true;

aborted:
	return false;
}

static void a_restartable_sequence_ends(void **state)
{
	const struct fixture *f = *state;
	const uint64_t end = now_ns() + HANG_NS;
	int i;

	if (!__rseq_size)
		skip_because("the C library registers no rseq");
	for (i = 0; i < 10; i++) {
		store(f->map, (uint8_t)i);
		while (!copy_in_a_sequence((uint64_t *)f->map,
					   (uint64_t *)(f->map + PAGE)))
			assert_true(now_ns() < end);
		assert_int_equal(load(f->map + PAGE), i);
		assert_int_equal(mem_buf_revoke(f->buf), 0);
	}
	is_precise_still(f);
}
#else
static void a_restartable_sequence_ends(void **state)
{
	(void)state;
	skip_because("the C library has no rseq");
}
#endif

/* A stack in the buffer, without room for the frame of a signal */
static void a_stack_in_a_buffer_works(void **state)
{
	const struct fixture *f = *state;
	const stack_t none = { .ss_flags = SS_DISABLE };
	static uint8_t frames[64 * 1024];
	const stack_t other = { .ss_sp = frames, .ss_size = sizeof(frames) };
	uint64_t got;

	assert_int_equal(sigaltstack(&other, NULL), 0);
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "leaq 4096(%1), %%rsp\n\t"
			 "pushq $17\n\t"
			 "pushq $18\n\t"
			 "popq %%rax\n\t"
			 "popq %0\n\t"
			 "movq %%rbx, %%rsp"
			 : "=r"(got) : "r"(f->map) : "rax", "rbx", "memory");
	assert_int_equal(got, 17);
	assert_int_equal(sigaltstack(&none, NULL), 0);
}

/* The kernel needs the page of a lock that a thread waits for. */
struct shared {
	pthread_mutex_t lock;
	uint64_t count;
	uint64_t others[16];
};

static void *count_under_the_lock(void *arg)
{
	struct shared *shared = arg;
	int i;

	for (i = 0; i < NR_ROUNDS; i++) {
		pthread_mutex_lock(&shared->lock);
		shared->count++;
		shared->others[i % 16] = shared->count;
		pthread_mutex_unlock(&shared->lock);
	}
	return NULL;
}

static void a_lock_in_a_buffer_works(void **state)
{
	const struct fixture *f = *state;
	struct shared *shared = (struct shared *)f->map;
	pthread_t threads[4];
	size_t i;

	pthread_mutex_init(&shared->lock, NULL);
	shared->count = 0;
	for (i = 0; i < NR(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						count_under_the_lock, shared),
				 0);
	for (i = 0; i < NR(threads); i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(shared->count, NR(threads) * NR_ROUNDS);
}

/* Threads */

struct reader {
	const struct fixture *f;
	size_t page;
	pthread_t thread;
};

static void *read_often(void *arg)
{
	const struct reader *r = arg;
	const uint8_t *at = r->f->map + r->page * PAGE;
	int i;

	for (i = 0; i < NR_ROUNDS; i++) {
		load(at);
		load(at + r->f->line);
	}
	return NULL;
}

static void threads_are_stepped_each(void **state)
{
	const struct fixture *f = *state;
	struct reader r[NR_PAGES];
	uint64_t was;
	size_t i;

	for (i = 0; i < NR_PAGES; i++)
		make_stale(f, i * PAGE / f->line);
	was = stale_reads(f);
	for (i = 0; i < NR_PAGES; i++) {
		r[i] = (struct reader) { f, i, 0 };
		assert_int_equal(pthread_create(&r[i].thread, NULL, read_often,
						&r[i]), 0);
	}
	for (i = 0; i < NR_PAGES; i++)
		pthread_join(r[i].thread, NULL);
	assert_int_equal(stale_reads(f), was + NR_PAGES * NR_ROUNDS);
}

struct writer {
	uint8_t *at;
	pthread_t thread;
};

/* Returns the number of wrong bytes. */
static void *write_often(void *arg)
{
	const struct writer *w = arg;
	size_t nr_wrong = 0;
	int i;

	for (i = 0; i < NR_ROUNDS; i++) {
		store(w->at, (uint8_t)i);
		nr_wrong += load(w->at) != (uint8_t)i;
	}
	return (void *)nr_wrong;
}

/* Accesses by others during a step are lost, but no more than that. */
static void threads_may_share_a_page(void **state)
{
	const struct fixture *f = *state;
	struct writer w[4];
	void *nr_wrong;
	size_t i;

	for (i = 0; i < NR(w); i++) {
		w[i].at = f->map + PAGE + i * f->line;
		assert_int_equal(pthread_create(&w[i].thread, NULL, write_often,
						&w[i]), 0);
	}
	for (i = 0; i < NR(w); i++) {
		pthread_join(w[i].thread, &nr_wrong);
		assert_int_equal((size_t)nr_wrong, 0);
	}
	is_precise_still(f);
}

static void *leave_unfinished(void *arg)
{
	leave_a_division(arg, 0);
	return NULL;
}

static void *read_until_cancelled(void *arg)
{
	const struct fixture *f = arg;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		load(f->map);
	return NULL;
}

/* More threads than steps have room end with their instruction unfinished. */
static void threads_that_end_leave_nothing(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;
	int i;

	memset(f->map, 0, 16);
	set_handler(SIGFPE, on_fault_jump);
	for (i = 0; i < 1200; i++) {
		assert_int_equal(pthread_create(&thread, NULL,
						leave_unfinished, f), 0);
		pthread_join(thread, NULL);
	}
	assert_int_equal(found.nr, 1200);
	signal(SIGFPE, SIG_DFL);
	is_precise_still(f);
	for (i = 0; i < 20; i++) {
		assert_int_equal(pthread_create(&thread, NULL,
						read_until_cancelled, f), 0);
		usleep(1000);
		assert_int_equal(pthread_cancel(thread), 0);
		pthread_join(thread, NULL);
	}
	is_precise_still(f);
}

/* Children */

static void a_child_of_vfork_is_stepped(void **state)
{
	const struct fixture *f = *state;
	uint64_t was;
	pid_t pid;

	make_stale(f, 0);
	was = stale_reads(f);
	pid = vfork();
	if (!pid) {
		load(f->map);
		load(f->map + f->line);
		load(f->map + 1);
		_exit(5);
	}
	assert_int_equal(exit_code_of(pid), 5);
	assert_int_equal(stale_reads(f), was + 2);
	is_precise_still(f);
}

static volatile bool forks_are_over;

static void *write_meanwhile(void *arg)
{
	const struct fixture *f = arg;
	size_t nr_wrong = 0;
	uint8_t byte = 0;

	while (!forks_are_over) {
		store(f->map + PAGE, ++byte);
		nr_wrong += load(f->map + PAGE) != byte;
	}
	return (void *)nr_wrong;
}

static void a_fork_copies_no_step(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;
	void *nr_wrong;
	int i, status;
	pid_t pid;

	forks_are_over = false;
	assert_int_equal(pthread_create(&thread, NULL, write_meanwhile, f), 0);
	for (i = 0; i < 20; i++) {
		pid = fork();
		if (!pid) {
			raise(SIGCONT);
			_exit(6);
		}
		assert_int_equal(exit_code_of(pid), 6);
	}
	forks_are_over = true;
	pthread_join(thread, &nr_wrong);
	assert_int_equal((size_t)nr_wrong, 0);
	/* A child has no buffers. */
	pid = fork();
	if (!pid) {
		signal(SIGSEGV, SIG_DFL);
		load(f->map);
		_exit(6);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	is_precise_still(f);
}

static void an_access_after_free_is_refused(void **state)
{
	const struct fixture *f = *state;
	struct fixture *other;
	sigjmp_buf jump;

	make_fixture((void **)&other);
	load(other->map);
	set_handler(SIGSEGV, on_fault_jump);
	found.jump = &jump;
	mem_buf_unmap(other->buf);
	mem_buf_destroy(other->buf);
	if (!sigsetjmp(jump, 1))
		load(other->map);
	assert_int_equal(found.nr, 1);
	assert_int_equal(found.nr_flags, 0);
	assert_int_equal(found.nr_masks, 0);
	signal(SIGSEGV, SIG_DFL);
	free(other);
	is_precise_still(f);
}

int main(int argc, char **argv)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, make_fixture, free_fixture)
	static const struct CMUnitTest tests[] = {
		TEST(no_handler_runs_in_a_step),
		TEST(traps_of_its_own_reach_a_program),
		TEST(breakpoints_after_a_step_reach_a_program),
		TEST(a_trap_that_is_sent_in_a_step_reaches_a_program),
		TEST(a_trap_without_its_cause_ends_a_step),
		TEST(a_trap_that_is_not_handled_ends_a_process),
		TEST(blocked_signals_do_no_harm),
		TEST(a_raw_handler_ends_the_steps),
		TEST(a_step_that_divides_by_zero_is_undone),
		TEST(a_step_that_faults_elsewhere_counts_once),
		TEST(an_access_after_free_is_refused),
		TEST(a_restartable_sequence_ends),
		TEST(a_stack_in_a_buffer_works),
		TEST(a_lock_in_a_buffer_works),
		TEST(threads_are_stepped_each),
		TEST(threads_may_share_a_page),
		TEST(threads_that_end_leave_nothing),
		TEST(a_child_of_vfork_is_stepped),
		TEST(a_fork_copies_no_step),
	};

	if (argc == 2 && !strcmp(argv[1], "traced"))
		return traced_main();
	return cmocka_run_group_tests(tests, open_precise, close_ctx);
}
#endif
