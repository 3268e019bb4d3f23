// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations on a large buffer hold its lock for a long time. A process that
 * does one, or waits for one, can be killed meanwhile; the next operation
 * completes the rest. Areas can change while a fault waits. A vmap is not
 * interruptible, since the dma-buf core warns if one fails.
 *
 * The tests read the progress of an operation from debugfs, which does not take
 * the lock. A test that kills an operation too late is repeated with another
 * buffer; an operation that cannot be killed always ends first. To make others
 * wait for an operation, a thread with higher priority takes its processor
 * away.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "rights.h"

#define LEN		(64 * MIB)
#define NR_ATTEMPTS	60
#define BUFS		"/sys/kernel/debug/heapsim/bufs"

/**
 * struct operation - an operation that holds the lock, or waits for it
 * @name: name for messages
 * @counter: counter in debugfs that shows the progress
 * @maintenance: HEAPSIM_MAINT_* that completes the rest
 * @prepare: prepares the buffer
 * @run: does the operation; returns 0 or -errno
 */
struct operation {
	const char *name;
	const char *counter;
	uint32_t maintenance;
	void (*prepare)(struct fixture *f);
	int (*run)(struct fixture *f);
};

static uint64_t counter_get(const struct fixture *f, const char *name)
{
	FILE *bufs = fopen(BUFS, "re");
	unsigned long long value = 0, id;
	char line[1024], key[48], *at;

	assert_non_null(bufs);
	snprintf(key, sizeof(key), " %s=", name);
	while (fgets(line, sizeof(line), bufs)) {
		if (sscanf(line, "%llu ", &id) != 1 || id != f->id)
			continue;
		at = strstr(line, key);
		if (at)
			value = strtoull(at + strlen(key), NULL, 10);
		break;
	}
	fclose(bufs);
	return value;
}

static void store_all(struct fixture *f)
{
	size_t off;

	for (off = 0; off < f->len; off += f->page)
		__atomic_store_n(f->map + off, 1, __ATOMIC_RELAXED);
}

static void read_all(struct fixture *f)
{
	size_t off;

	for (off = 0; off < f->len; off += f->page)
		device_peek(f->map + off);
}

static int maintain(struct fixture *f, uint32_t op)
{
	struct heapsim_range range = { .fd = f->fd, .op = op, .len = f->len };

	return device_maintain_errno(f->dev, &range, 1, NULL);
}

static int clean(struct fixture *f)
{
	return maintain(f, HEAPSIM_MAINT_CLEAN);
}

static int invalidate(struct fixture *f)
{
	return maintain(f, HEAPSIM_MAINT_INVALIDATE);
}

/* Invalidates all except the first page. */
static int invalidate_behind(struct fixture *f)
{
	struct heapsim_range range = {
		.fd = f->fd,
		.op = HEAPSIM_MAINT_INVALIDATE,
		.off = f->page,
		.len = f->len - f->page,
	};

	return device_maintain_errno(f->dev, &range, 1, NULL);
}

static int start(struct fixture *f)
{
	return device_sync_errno(f->fd, SYNC_START_READ);
}

static int end(struct fixture *f)
{
	return device_sync_errno(f->fd, SYNC_END_WRITE);
}

static int hold(struct fixture *f)
{
	struct heapsim_hold answer;

	return device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
				 HEAPSIM_DIR_BIDIRECTIONAL, &answer);
}

static int switch_off(struct fixture *f)
{
	return device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF, f->fd,
				   HEAPSIM_POLICY_OFF);
}

static int submit(struct fixture *f)
{
	struct heapsim_dma_submit cmd = device_fill_of(f->fd, 1, 0);

	return device_submit_errno(f->dev, &cmd);
}

static int ask(struct fixture *f)
{
	struct heapsim_buf_info info = { .size = sizeof(info), .fd = f->fd };

	return device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_INFO, &info);
}

static int touch(struct fixture *f)
{
	device_peek(f->map);
	return 0;
}

static const struct operation operations[] = {
	{ "clean", "lines_cleaned", HEAPSIM_MAINT_CLEAN, store_all, clean },
	{ "invalidate", "lines_invalidated", HEAPSIM_MAINT_INVALIDATE,
	  read_all, invalidate },
	{ "START", "lines_invalidated", HEAPSIM_MAINT_INVALIDATE, read_all,
	  start },
	{ "END", "lines_cleaned", HEAPSIM_MAINT_CLEAN, store_all, end },
	{ "map", "lines_cleaned", HEAPSIM_MAINT_CLEAN, store_all, hold },
	{ "switch", "lines_cleaned", HEAPSIM_MAINT_CLEAN, store_all,
	  switch_off },
};

/* Another process holds the lock with this START while the test waits. */
static const struct operation takes_in = {
	"START", "lines_invalidated", HEAPSIM_MAINT_INVALIDATE, read_all, start
};

static const struct operation invalidates_behind = {
	"invalidate", "lines_invalidated", HEAPSIM_MAINT_INVALIDATE, read_all,
	invalidate_behind
};

static const struct operation waits[] = {
	{ .name = "clean", .run = clean },
	{ .name = "START", .run = start },
	{ .name = "END", .run = end },
	{ .name = "map", .run = hold },
	{ .name = "switch", .run = switch_off },
	{ .name = "job", .run = submit },
	{ .name = "info", .run = ask },
	{ .name = "touch", .run = touch },
};

static struct fixture *large_buffer(void)
{
	struct fixture *f = fixture_create();

	fixture_alloc(f, HEAPSIM_KIND_NONCOHERENT, LEN);
	return f;
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		_exit(2);
}

/* The child runs on processor 1, the test on the other one. */
static pid_t run_in_child(struct fixture *f, int (*run)(struct fixture *f))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		run_on(1);
		_exit(run(f) != 0);
	}
	return pid;
}

/* Waits until the child makes progress; returns false if it has ended. */
static bool is_midway(const struct fixture *f, const char *counter,
		      uint64_t before, pid_t pid)
{
	siginfo_t info = { 0 };

	while (counter_get(f, counter) == before) {
		assert_int_equal(waitid(P_PID, pid, &info,
					WEXITED | WNOHANG | WNOWAIT), 0);
		if (info.si_pid)
			return false;
	}
	return true;
}

/* Returns true if the signal ended the child. */
static bool kill_child(pid_t pid)
{
	int status;

	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status);
}

/* Returns the number of lines; there is one store in each page. */
static uint64_t count_all(const struct fixture *f, const struct operation *op)
{
	return f->len / (op->maintenance == HEAPSIM_MAINT_CLEAN ? f->page :
								  f->line);
}

static bool operation_is_killed(struct fixture *f, const struct operation *op)
{
	uint64_t before, total, done;
	pid_t pid;
	bool ret;

	op->prepare(f);
	before = counter_get(f, op->counter);
	total = count_all(f, op);
	pid = run_in_child(f, op->run);
	ret = is_midway(f, op->counter, before, pid);
	ret &= kill_child(pid);
	done = counter_get(f, op->counter) - before;
	if (!ret || done == total)
		return false;
	print_message("%s: killed after %llu of %llu lines\n", op->name,
		      (unsigned long long)done, (unsigned long long)total);
	assert_int_equal(device_buf_info(f->dev, f->fd).nr_holders, 0);
	/* Together, both operations maintain each line once. */
	assert_int_equal(maintain(f, op->maintenance), 0);
	assert_int_equal(counter_get(f, op->counter) - before, total);
	return true;
}

static void sigkill_ends_an_operation(void **state)
{
	bool is_killed = false;
	int i;

	for (i = 0; i < NR_ATTEMPTS && !is_killed; i++) {
		struct fixture *f = large_buffer();

		is_killed = operation_is_killed(f, *state);
		fixture_teardown((void **)&f);
	}
	assert_true(is_killed);
}

/* Shared with children; 1: the waiter may begin, 2: it has begun */
static int *stage;

static void stage_set(int value)
{
	__atomic_store_n(stage, value, __ATOMIC_SEQ_CST);
}

static void stage_wait(int value)
{
	while (__atomic_load_n(stage, __ATOMIC_SEQ_CST) < value)
		usleep(100);
}

/* From stage 1 on, this child occupies the processor of run_in_child(). */
static pid_t stop_at_stage_1(void)
{
	const struct sched_param param = { .sched_priority = 1 };
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	run_on(1);
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		_exit(1);
	stage_wait(1);
	for (;;)
		;
}

/* Lets the waiter begin, and gives it the time to reach the lock. */
static void waiter_let_go(void)
{
	stage_set(1);
	stage_wait(2);
	usleep(2000);
}

/* Returns the state of a child, as in /proc/PID/stat. */
static char child_state(pid_t pid)
{
	char path[32], text[256] = "", *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	end = strrchr(text, ')');
	assert_non_null(end);
	return end[2];
}

/* Lets the waiter begin. Returns false if it ends without a wait. */
static bool waiter_waits(pid_t waiter)
{
	char state = 0;
	int i;

	waiter_let_go();
	for (i = 0; state != 'D' && state != 'Z'; i++) {
		assert_true(i < DEVICE_HANGS_MS);
		usleep(1000);
		state = child_state(waiter);
	}
	return state == 'D';
}

/* Kills @wait while it waits for the lock, which @hold has. */
static bool wait_is_killed(struct fixture *f, const struct operation *wait,
			   const struct operation *hold)
{
	pid_t holder, waiter, stopper;
	uint64_t before;
	bool ret;

	hold->prepare(f);
	before = counter_get(f, hold->counter);
	stage_set(0);
	stopper = stop_at_stage_1();
	waiter = fork();
	assert_true(waiter >= 0);
	if (!waiter) {
		stage_wait(1);
		stage_set(2);
		_exit(wait->run(f) != 0);
	}
	holder = run_in_child(f, hold->run);
	ret = is_midway(f, hold->counter, before, holder);
	if (ret)
		ret = waiter_waits(waiter);
	ret &= kill_child(waiter);
	/* @hold may leave out the first page; it must not have ended. */
	ret &= counter_get(f, hold->counter) - before <
	       count_all(f, hold) - count_all(f, hold) / (f->len / f->page);
	ret &= kill_child(stopper);
	kill_child(holder);
	return ret;
}

static void sigkill_ends_a_wait_for_the_lock(void **state)
{
	bool is_killed = false;
	int i;

	for (i = 0; i < NR_ATTEMPTS && !is_killed; i++) {
		struct fixture *f = large_buffer();

		is_killed = wait_is_killed(f, *state, &takes_in);
		fixture_teardown((void **)&f);
	}
	assert_true(is_killed);
}

static int fill_all(struct fixture *f)
{
	struct heapsim_dma_submit cmd = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = f->fd,
		.row_len = f->len,
		.nr_rows = 1,
	};

	return device_submit_errno(f->dev, &cmd);
}

/* A submission waits again while it judges its job: another has the lock. */
static bool submission_is_killed(struct fixture *f)
{
	pid_t holder, submitter, stopper;
	bool ret;

	store_all(f);
	stage_set(0);
	stopper = stop_at_stage_1();
	submitter = fork();
	assert_true(submitter >= 0);
	if (!submitter)
		_exit(fill_all(f) != 0);
	ret = is_midway(f, "write_conflicts", 0, submitter);
	holder = run_in_child(f, start);
	ret &= is_midway(f, "lines_invalidated", 0, holder);
	stage_set(1);
	ret &= kill_child(submitter);
	ret &= counter_get(f, "write_conflicts") < f->len / f->page;
	ret &= counter_get(f, "lines_invalidated") < f->len / f->line;
	ret &= kill_child(stopper);
	kill_child(holder);
	/* A submission that was killed left no job, so this is permitted. */
	if (ret)
		assert_int_equal(switch_off(f), 0);
	return ret;
}

static void sigkill_ends_a_submission(void **state)
{
	bool is_killed = false;
	int i;

	for (i = 0; i < NR_ATTEMPTS && !is_killed; i++) {
		struct fixture *f = large_buffer();

		is_killed = submission_is_killed(f);
		fixture_teardown((void **)&f);
	}
	assert_true(is_killed);
}

static void *peek_later(void *at)
{
	stage_wait(1);
	stage_set(2);
	return (void *)(uintptr_t)device_peek(at);
}

static void *store_later(void *at)
{
	stage_wait(1);
	stage_set(2);
	__atomic_store_n((uint8_t *)at, 0x77, __ATOMIC_RELAXED);
	return (void *)(uintptr_t)device_peek(at);
}

/**
 * struct access - a fault that waits for the lock of the buffer
 * @name: for the test
 * @run: function of the thread; returns the byte that it sees
 * @page: that it accesses
 * @hold: keeps the lock
 * @seen: the byte, if the page belongs to another area by then
 */
struct access {
	const char *name;
	void *(*run)(void *at);
	size_t page;
	const struct operation *hold;
	uintptr_t seen;
};

/* The store faults at a PTE for reading, which the holder leaves. */
static const struct access accesses[] = {
	{ "read", peek_later, 3, &takes_in, 0 },
	{ "store", store_later, 0, &invalidates_behind, 0x77 },
};

/* With mmap_lock held by the fault, mmap() would wait as long as the fault. */
static bool area_is_changed(struct fixture *f, const struct access *access)
{
	const struct operation *hold = access->hold;
	uint8_t *at = f->map + access->page * f->page;
	uint64_t before, done;
	pid_t holder, stopper;
	pthread_t thread;
	void *seen;
	bool ret;

	device_fill(f->dev, f->fd, access->page * f->page, f->page,
		    0x55555555);
	hold->prepare(f);
	before = counter_get(f, hold->counter);
	stage_set(0);
	stopper = stop_at_stage_1();
	assert_int_equal(pthread_create(&thread, NULL, access->run, at), 0);
	holder = run_in_child(f, hold->run);
	ret = is_midway(f, hold->counter, before, holder);
	waiter_let_go();
	assert_ptr_equal(mmap(at, f->page, PROT_READ | PROT_WRITE, MAP_PRIVATE |
			      MAP_ANONYMOUS | MAP_FIXED, -1, 0), at);
	done = counter_get(f, hold->counter) - before;
	ret &= kill_child(stopper);
	kill_child(holder);
	assert_int_equal(pthread_join(thread, &seen), 0);
	/* All but the first page may be all. */
	if (!ret || done >= (f->len - f->page) / f->line)
		return false;
	/* The fault was taken again, and found the new area. */
	assert_int_equal((uintptr_t)seen, access->seen);
	assert_int_equal(device_peek(at), access->seen);
	return true;
}

static void areas_change_while_a_fault_waits(void **state)
{
	bool is_changed = false;
	int i;

	for (i = 0; i < NR_ATTEMPTS && !is_changed; i++) {
		struct fixture *f = large_buffer();

		is_changed = area_is_changed(f, *state);
		fixture_teardown((void **)&f);
	}
	assert_true(is_changed);
}

/* It gets no PTEs of a buffer with brackets, and fork holds mmap_lock. */
static bool child_is_made(struct fixture *f)
{
	uint64_t before, done;
	pid_t holder, stopper, child;
	int status;
	bool ret;

	store_all(f);
	read_all(f);
	before = counter_get(f, takes_in.counter);
	stage_set(0);
	stopper = stop_at_stage_1();
	holder = run_in_child(f, takes_in.run);
	ret = is_midway(f, takes_in.counter, before, holder);
	stage_set(1);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	done = counter_get(f, takes_in.counter) - before;
	ret &= kill_child(stopper);
	kill_child(holder);
	return ret && done < count_all(f, &takes_in);
}

static void children_are_made_without_the_lock(void **state)
{
	bool is_made = false;
	int i;

	for (i = 0; i < NR_ATTEMPTS && !is_made; i++) {
		struct fixture *f = large_buffer();

		is_made = child_is_made(f);
		fixture_teardown((void **)&f);
	}
	assert_true(is_made);
}

/*
 * A call has stored one byte of two, and waits for the other. The buffer is
 * precise, so the PTE of the store is revoked when the call ends.
 */
static bool step_is_killed(struct fixture *f)
{
	struct heapsim_set_policy precise = {
		.size = sizeof(precise),
		.scope = HEAPSIM_POLICY_OF_BUF,
		.fd = f->fd,
		.is_precise = 1,
	};
	pid_t holder, stopper, stepper;
	int pair[2], left = 1;
	uint64_t before;
	bool ret;

	read_all(f);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY,
					    &precise), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	before = counter_get(f, "lines_invalidated");
	stage_set(0);
	stopper = stop_at_stage_1();
	stepper = fork();
	assert_true(stepper >= 0);
	if (!stepper)
		_exit(recv(pair[0], f->map, 2, MSG_WAITALL) != 2);
	assert_int_equal(write(pair[1], "x", 1), 1);
	while (left)
		assert_int_equal(ioctl(pair[0], FIONREAD, &left), 0);
	holder = run_in_child(f, start);
	ret = is_midway(f, "lines_invalidated", before, holder);
	stage_set(1);
	ret &= kill_child(stepper);
	ret &= counter_get(f, "lines_invalidated") - before <
	       (f->len - f->page) / f->line;
	ret &= kill_child(stopper);
	kill_child(holder);
	close(pair[0]);
	close(pair[1]);
	return ret;
}

static void sigkill_ends_the_end_of_a_step(void **state)
{
	bool is_killed = false;
	int i;

	for (i = 0; i < NR_ATTEMPTS && !is_killed; i++) {
		struct fixture *f = large_buffer();

		if (!(device_probe(f->dev).features & HEAPSIM_FEATURE_PRECISE))
			device_skip("nothing is stepped here");
		is_killed = step_is_killed(f);
		fixture_teardown((void **)&f);
	}
	assert_true(is_killed);
}

/* Managed memory of a context that parent and child share. */
struct shared {
	struct fixture f;
	struct managed m;
};

static void shared_create(struct shared *s)
{
	const int dev = device_open();
	const struct heapsim_probe probe = device_probe(dev);

	s->m = managed_create(dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			      LEN);
	s->f = (struct fixture) {
		.dev = dev,
		.fd = s->m.fd,
		.id = s->m.id,
		.line = probe.line_size,
		.page = probe.page_size,
		.len = LEN,
		.map = (uint8_t *)s->m.map,
	};
}

static void shared_destroy(struct shared *s)
{
	managed_destroy(&s->m);
	close(s->f.dev);
}

#define WORK	1	/* the work that a child begins or ends */

static volatile sig_atomic_t nr_signals;

static void count_signal(int signal)
{
	nr_signals++;
}

static int work_begin(struct fixture *f)
{
	return rights_work_start_errno(f->dev, WORK, NULL, 0);
}

static int work_submit(struct fixture *f)
{
	return rights_work_submit_errno(f->dev, 0, WORK, "work");
}

static int sync_device(struct fixture *f)
{
	return rights_state_errno(f->dev, 0, 0);
}

static bool begin_is_killed(struct shared *s)
{
	const uint64_t total = s->f.len / s->f.page;
	uint64_t before, done;
	pid_t pid;
	bool ret;

	store_all(&s->f);
	assert_int_equal(work_submit(&s->f), 0);
	before = counter_get(&s->f, "lines_cleaned");
	pid = run_in_child(&s->f, work_begin);
	ret = is_midway(&s->f, "lines_cleaned", before, pid);
	ret &= kill_child(pid);
	done = counter_get(&s->f, "lines_cleaned") - before;
	if (!ret || done == total)
		return false;
	assert_int_equal(work_begin(&s->f), 0);
	assert_int_equal(counter_get(&s->f, "lines_cleaned") - before, total);
	assert_int_equal(rights_work_finish_errno(s->f.dev, WORK), 0);
	return true;
}

/* The submission waits for the buffer's lock to revoke the CPU's PTEs. */
static bool wait_of_submit_is_killed(struct shared *s)
{
	static const struct operation wait = { .run = work_submit };

	if (!wait_is_killed(&s->f, &wait, &takes_in))
		return false;
	assert_false(cpu_reads(s->m.map, NULL));
	return true;
}

/* The same, but the first page has PTEs, which the next command revokes. */
static bool wait_of_submit_is_killed_with_ptes(struct shared *s)
{
	static const struct operation wait = { .run = work_submit };

	if (!wait_is_killed(&s->f, &wait, &invalidates_behind))
		return false;
	assert_int_equal(rights_state_errno(s->f.dev, 0, HEAPSIM_STREAM_ACTIVE),
			 0);
	assert_false(cpu_reads(s->m.map, NULL));
	return true;
}

static int work_end(struct fixture *f)
{
	return rights_work_finish_errno(f->dev, WORK);
}

/* A signal interrupts the system call each millisecond. */
static int work_end_in_a_storm(struct fixture *f)
{
	struct sigaction action = { .sa_handler = count_signal };
	const struct itimerval often = {
		.it_interval.tv_usec = 1000,
		.it_value.tv_usec = 1000,
	};
	int ret;

	if (sigaction(SIGALRM, &action, NULL) ||
	    setitimer(ITIMER_REAL, &often, NULL))
		return 1;
	ret = work_end(f);
	return ret ? ret : !nr_signals;
}

/*
 * A work stores to each page where the CPU has stored, too, against the rules.
 * The end of the work compares all pages and counts each conflict.
 */
static void work_stores_all(struct shared *s)
{
	size_t off;

	assert_int_equal(device_policy_errno(s->f.dev, HEAPSIM_POLICY_OF_BUF,
					     s->f.fd, HEAPSIM_POLICY_RECORD),
			 0);
	assert_int_equal(work_submit(&s->f), 0);
	assert_int_equal(work_begin(&s->f), 0);
	store_all(&s->f);
	for (off = 0; off < s->f.len; off += s->f.page)
		s->m.view[off] = 2;
	assert_int_equal(counter_get(&s->f, "write_conflicts"), 0);
}

static bool end_is_killed(struct shared *s)
{
	const uint64_t total = s->f.len / s->f.page;
	pid_t pid;
	bool ret;

	work_stores_all(s);
	pid = run_in_child(&s->f, work_end);
	ret = is_midway(&s->f, "write_conflicts", 0, pid);
	ret &= kill_child(pid);
	if (!ret || counter_get(&s->f, "write_conflicts") == total)
		return false;
	/* The killed end did not end the work; the next one counts the rest. */
	assert_int_equal(work_end(&s->f), 0);
	assert_int_equal(counter_get(&s->f, "write_conflicts"), total);
	assert_int_equal(work_end(&s->f), -ENOENT);
	return true;
}

/* The end of a work waits for the buffer's lock. */
static bool wait_of_end_is_killed(struct shared *s)
{
	static const struct operation wait = { .run = work_end };

	work_stores_all(s);
	if (!wait_is_killed(&s->f, &wait, &takes_in))
		return false;
	assert_int_equal(work_end(&s->f), 0);
	return true;
}

static void store_and_submit(struct fixture *f)
{
	store_all(f);
	assert_int_equal(work_submit(f), 0);
}

static int allocate(struct fixture *f)
{
	const int fd = device_alloc_errno(f->dev, HEAPSIM_KIND_PINNED, f->page,
					  O_RDWR | O_CLOEXEC);

	return fd < 0 ? fd : 0;
}

/* The allocation waits for the context's lock. */
static bool wait_of_alloc_is_killed(struct shared *s)
{
	static const struct operation wait = { .run = allocate };
	static const struct operation begins = {
		"begin", "lines_cleaned", HEAPSIM_MAINT_CLEAN, store_and_submit,
		work_begin
	};

	return wait_is_killed(&s->f, &wait, &begins);
}

static bool sync_is_killed(struct shared *s, uint64_t before)
{
	const uint64_t total = s->f.len / s->f.line;
	pid_t pid;
	bool ret;

	read_all(&s->f);
	assert_int_equal(work_submit(&s->f), 0);
	assert_int_equal(work_begin(&s->f), 0);
	s->m.view[s->f.len - 1] = 0x77;
	assert_int_equal(rights_work_finish_errno(s->f.dev, WORK), 0);
	pid = run_in_child(&s->f, sync_device);
	ret = is_midway(&s->f, "lines_invalidated", before, pid);
	ret &= kill_child(pid);
	return ret &&
	       counter_get(&s->f, "lines_invalidated") - before < total;
}

/* The killed sync did not invalidate the last page; a later command does. */
static void cpu_reads_what_the_work_wrote(struct shared *s, uint64_t before)
{
	uint8_t value = 0;

	assert_true(cpu_reads(s->m.map + s->f.len - 1, &value));
	assert_int_equal(value, 0x77);
	assert_int_equal(counter_get(&s->f, "lines_invalidated") - before,
			 s->f.len / s->f.line);
	assert_int_equal(counter_get(&s->f, "stale_reads"), 0);
}

/* The CPU loses access and regains it, with no work that uses the buffer. */
static bool sync_is_killed_before_another(struct shared *s)
{
	const uint64_t before = counter_get(&s->f, "lines_invalidated");

	if (!sync_is_killed(s, before))
		return false;
	assert_int_equal(rights_settle_errno(s->f.dev, 0, s->f.id,
					     HEAPSIM_ATTACH_HOST), 0);
	assert_int_equal(work_submit(&s->f), 0);
	assert_int_equal(sync_device(&s->f), 0);
	cpu_reads_what_the_work_wrote(s, before);
	return true;
}

static void until_it_is_killed(bool (*is_killed)(struct shared *s))
{
	struct shared s;
	bool ret = false;
	int i;

	for (i = 0; i < NR_ATTEMPTS && !ret; i++) {
		shared_create(&s);
		ret = is_killed(&s);
		shared_destroy(&s);
	}
	assert_true(ret);
}

static void work_that_was_killed_when_it_began_can_begin(void **state)
{
	until_it_is_killed(begin_is_killed);
}

static void work_whose_submission_was_killed_is_active(void **state)
{
	until_it_is_killed(wait_of_submit_is_killed);
}

static void work_whose_end_was_killed_can_end(void **state)
{
	until_it_is_killed(end_is_killed);
}

static void work_whose_end_waited_and_was_killed_can_end(void **state)
{
	until_it_is_killed(wait_of_end_is_killed);
}

static void sigkill_ends_an_allocation(void **state)
{
	until_it_is_killed(wait_of_alloc_is_killed);
}

static void signals_do_not_interrupt_an_end(void **state)
{
	struct shared s;
	int status;
	pid_t pid;

	shared_create(&s);
	work_stores_all(&s);
	pid = run_in_child(&s.f, work_end_in_a_storm);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(counter_get(&s.f, "write_conflicts"),
			 s.f.len / s.f.page);
	assert_int_equal(work_end(&s.f), -ENOENT);
	shared_destroy(&s);
}

static void killed_submission_leaves_ptes_to_a_command(void **state)
{
	until_it_is_killed(wait_of_submit_is_killed_with_ptes);
}

static void killed_sync_leaves_the_rest_to_a_command(void **state)
{
	until_it_is_killed(sync_is_killed_before_another);
}

static int group_setup(void **state)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		print_message("needs two processors\n");
		return -1;
	}
	run_on(0);
	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return stage == MAP_FAILED ? -1 : 0;
}

int main(void)
{
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(sigkill_ends_a_submission),
		cmocka_unit_test(children_are_made_without_the_lock),
		cmocka_unit_test(sigkill_ends_the_end_of_a_step),
		cmocka_unit_test(work_that_was_killed_when_it_began_can_begin),
		cmocka_unit_test(work_whose_submission_was_killed_is_active),
		cmocka_unit_test(work_whose_end_was_killed_can_end),
		cmocka_unit_test(work_whose_end_waited_and_was_killed_can_end),
		cmocka_unit_test(sigkill_ends_an_allocation),
		cmocka_unit_test(signals_do_not_interrupt_an_end),
		cmocka_unit_test(killed_submission_leaves_ptes_to_a_command),
		cmocka_unit_test(killed_sync_leaves_the_rest_to_a_command),
	};
	static struct CMUnitTest tests[ARRAY_SIZE(operations) +
				       ARRAY_SIZE(waits) +
				       ARRAY_SIZE(accesses) +
				       ARRAY_SIZE(others)];
	static char names[ARRAY_SIZE(tests)][64];
	size_t i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(operations); i++, nr++) {
		snprintf(names[nr], sizeof(names[nr]),
			 "%s: sigkill_ends_an_operation", operations[i].name);
		tests[nr] = (struct CMUnitTest) {
			.name = names[nr],
			.test_func = sigkill_ends_an_operation,
			.initial_state = (void *)&operations[i],
		};
	}
	for (i = 0; i < ARRAY_SIZE(waits); i++, nr++) {
		snprintf(names[nr], sizeof(names[nr]),
			 "%s: sigkill_ends_a_wait_for_the_lock",
			 waits[i].name);
		tests[nr] = (struct CMUnitTest) {
			.name = names[nr],
			.test_func = sigkill_ends_a_wait_for_the_lock,
			.initial_state = (void *)&waits[i],
		};
	}
	for (i = 0; i < ARRAY_SIZE(accesses); i++, nr++) {
		snprintf(names[nr], sizeof(names[nr]),
			 "%s: areas_change_while_a_fault_waits",
			 accesses[i].name);
		tests[nr] = (struct CMUnitTest) {
			.name = names[nr],
			.test_func = areas_change_while_a_fault_waits,
			.initial_state = (void *)&accesses[i],
		};
	}
	memcpy(tests + nr, others, sizeof(others));
	return _cmocka_run_group_tests("lock", tests, ARRAY_SIZE(tests),
				       group_setup, NULL);
}
