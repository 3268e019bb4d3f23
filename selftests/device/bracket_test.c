// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests which process an open bracket belongs to. A process is not identified
 * by its number alone, exists as long as one of its threads does, and has
 * released a buffer when its last descriptor and its last mapping are gone.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/sched.h>

#include "fixture.h"
#include "rights.h"

#define NR_PAGES	4
#define STORED		7	/* value that children store */
#define WRITTEN		0xee	/* value that an engine writes */

static int setup(void **state)
{
	return fixture_setup(state, HEAPSIM_KIND_NONCOHERENT,
			     NR_PAGES * device_page_size());
}

static int setup_managed(void **state)
{
	struct fixture *f = fixture_create();
	struct heapsim_buf_alloc alloc = { .len = NR_PAGES * f->page };

	assert_int_equal(managed_alloc_errno(f->dev, HEAPSIM_KIND_MANAGED,
					     HEAPSIM_ATTACH_GLOBAL, 0, &alloc),
			 0);
	f->len = alloc.len;
	f->fd = alloc.fd;
	f->id = alloc.id;
	f->map = device_map(f->fd, f->len);
	*state = f;
	return 0;
}

static uint64_t missing_ends(struct fixture *f)
{
	return count(f).missing_ends;
}

/* An action of a child, which returns 0 on success and must not use cmocka. */
typedef int (*step)(struct fixture *f);

static int start_read(struct fixture *f)
{
	return device_sync_errno(f->fd, SYNC_START_READ);
}

static int start_write(struct fixture *f)
{
	return device_sync_errno(f->fd, SYNC_START_WRITE);
}

static int start_rw(struct fixture *f)
{
	return device_sync_errno(f->fd, SYNC_START_RW);
}

static int end_write(struct fixture *f)
{
	return device_sync_errno(f->fd, SYNC_END_WRITE);
}

static int load(struct fixture *f)
{
	device_peek(f->map);
	return 0;
}

static int store(struct fixture *f)
{
	*(volatile uint8_t *)f->map = STORED;
	return 0;
}

static int store_half_a_line(struct fixture *f)
{
	memset(f->map, STORED, f->line / 2);
	return 0;
}

static int store_other_half(struct fixture *f)
{
	memset(f->map + f->line / 2, STORED, f->line / 2);
	return 0;
}

static int close_fd(struct fixture *f)
{
	return close(f->fd);
}

/* A second descriptor of the buffer, in a child */
static int copy;

static int copy_fd(struct fixture *f)
{
	copy = dup(f->fd);
	return copy < 0;
}

static int close_copy(struct fixture *f)
{
	return close(copy);
}

static int unmap(struct fixture *f)
{
	return munmap(f->map, f->len);
}

static int unmap_but_one_page(struct fixture *f)
{
	return munmap(f->map, f->page) ||
	       munmap(f->map + 2 * f->page, f->len - 2 * f->page);
}

static int move_that_page(struct fixture *f)
{
	void *to = mmap(NULL, f->page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	f->map = mremap(f->map + f->page, f->page, f->page,
			MREMAP_MAYMOVE | MREMAP_FIXED, to);
	f->len = f->page;
	return f->map == MAP_FAILED;
}

/* The state of this process if it is a child */
static struct {
	struct fixture *f;
	const step *next;
	int go;
	int done;
} self;

static void serve(void)
{
	char byte;

	while (*self.next && read(self.go, &byte, 1) == 1) {
		byte = (*self.next++)(self.f) != 0;
		if (write(self.done, &byte, 1) != 1)
			break;
	}
	/* Keep all resources until the parent lets this child end. */
	while (read(self.go, &byte, 1) == 1)
		;
	_exit(0);
}

static void *serve_from_a_thread(void *arg)
{
	char byte = 0;

	if (write(self.done, &byte, 1) != 1)
		_exit(1);
	serve();
	return NULL;
}

/* The first thread ends; another one continues. */
static int leader_ends(struct fixture *f)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, serve_from_a_thread, NULL))
		return 1;
	syscall(SYS_exit, 0);
	return 1;
}

static void *start_write_in_thread(void *arg)
{
	return (void *)(intptr_t)start_write(arg);
}

static int thread_starts_write_and_ends(struct fixture *f)
{
	pthread_t thread;
	void *ret;

	return pthread_create(&thread, NULL, start_write_in_thread, f) ||
	       pthread_join(thread, &ret) || ret;
}

static void *take_own_descriptors(void *arg)
{
	sem_t *sem = arg;

	if (unshare(CLONE_FILES))
		_exit(1);
	sem_post(sem);
	for (;;)
		pause();
	return NULL;
}

static int thread_takes_own_descriptors(struct fixture *f)
{
	static sem_t sem;
	pthread_t thread;

	sem_init(&sem, 0, 0);
	return pthread_create(&thread, NULL, take_own_descriptors, &sem) ||
	       sem_wait(&sem);
}

static int become_cat(struct fixture *f)
{
	char byte = 0;

	dup2(self.go, STDIN_FILENO);
	if (write(self.done, &byte, 1) != 1)
		return 1;
	execlp("cat", "cat", NULL);
	return 1;
}

struct child {
	pid_t pid;
	int go;
	int done;
};

/*
 * Makes a child with a given number, for which glibc has no function. The child
 * must not use threads, since glibc's state was not updated.
 */
static pid_t fork_with_number(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&pid,
		.set_tid_size = 1,
	};

	return syscall(SYS_clone3, &args, sizeof(args));
}

/* Starts a child with the number @pid, or any number if 0. */
static struct child child_begin(struct fixture *f, const step *steps,
				pid_t pid)
{
	struct child child;
	int go[2], done[2];

	fflush(stdout);
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(done), 0);
	child.pid = pid ? fork_with_number(pid) : fork();
	if (child.pid < 0)
		fail_msg("fork with number %d: %s", pid, strerror(errno));
	if (!child.pid) {
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		close(go[1]);
		close(done[0]);
		self.f = f;
		self.next = steps;
		self.go = go[0];
		self.done = done[1];
		serve();
	}
	close(go[0]);
	close(done[1]);
	child.go = go[1];
	child.done = done[0];
	return child;
}

static void child_step(struct child *child)
{
	char byte = 0;

	assert_int_equal(write(child->go, &byte, 1), 1);
	if (read(child->done, &byte, 1) != 1)
		fail_msg("the child is gone");
	assert_int_equal(byte, 0);
}

static void child_end(struct child *child)
{
	int status;

	close(child->go);
	assert_int_equal(waitpid(child->pid, &status, 0), child->pid);
	close(child->done);
	assert_int_equal(status, 0);
}

/* Runs all steps; after step i and at the end, @nr has the missing ENDs. */
static void child_runs(struct fixture *f, const step *steps,
		       const uint64_t *nr)
{
	struct child child = child_begin(f, steps, 0);
	size_t i;

	for (i = 0; steps[i]; i++) {
		child_step(&child);
		assert_int_equal(missing_ends(f), nr[i]);
	}
	child_end(&child);
	assert_int_equal(missing_ends(f), nr[i]);
}

#define CHILD_RUNS(f, steps, ...) do { \
	static const step steps_of[] = { STEPS steps, NULL }; \
	static const uint64_t nr_of[] = { __VA_ARGS__ }; \
	static_assert(ARRAY_SIZE(nr_of) == ARRAY_SIZE(steps_of), \
		      "one after each step, one after the end"); \
	child_runs(f, steps_of, nr_of); \
} while (0)
#define STEPS(...)	__VA_ARGS__

static void end_of_the_process_is_a_missing_end(void **state)
{
	CHILD_RUNS(*state, (start_write, store), 0, 0, 1);
}

static void each_start_that_was_not_ended_is_a_missing_end(void **state)
{
	CHILD_RUNS(*state, (start_write, start_rw, start_write, end_write),
		   0, 0, 0, 0, 2);
}

static void a_read_bracket_is_no_missing_end(void **state)
{
	CHILD_RUNS(*state, (start_read, close_fd, unmap), 0, 0, 0, 0);
}

static void end_is_no_missing_end(void **state)
{
	CHILD_RUNS(*state, (start_write, end_write, close_fd, unmap),
		   0, 0, 0, 0, 0);
}

static void a_process_that_nobody_has_waited_for_has_ended(void **state)
{
	static const step steps[] = { start_write, NULL };
	struct fixture *f = *state;
	struct child child = child_begin(f, steps, 0);
	siginfo_t info;

	child_step(&child);
	assert_int_equal(missing_ends(f), 0);
	close(child.go);
	assert_int_equal(waitid(P_PID, child.pid, &info, WEXITED | WNOWAIT),
			 0);
	assert_int_equal(missing_ends(f), 1);
	child_end(&child);
	assert_int_equal(missing_ends(f), 1);
}

static void a_process_that_keeps_its_map_has_not_let_go(void **state)
{
	CHILD_RUNS(*state, (start_write, close_fd, store, unmap), 0, 0, 0, 1,
		   1);
}

static void a_process_that_keeps_a_descriptor_has_not_let_go(void **state)
{
	CHILD_RUNS(*state, (start_write, unmap, copy_fd, close_fd, close_copy),
		   0, 0, 0, 0, 1, 1);
}

static void a_map_is_known_in_parts_and_where_it_moves(void **state)
{
	CHILD_RUNS(*state, (start_write, close_fd, unmap_but_one_page,
			    move_that_page, store, unmap),
		   0, 0, 0, 0, 0, 1, 1);
}

static void a_table_of_a_thread_counts(void **state)
{
	/* The thread's own table of descriptors still has the descriptor. */
	CHILD_RUNS(*state, (start_write, thread_takes_own_descriptors, unmap,
			    close_fd), 0, 0, 0, 0, 1);
}

#define NR_IDLE		256
#define LONG_TABLE	(1 << 18)

static void *idle(void *arg)
{
	for (;;)
		pause();
	return NULL;
}

static int have_threads(struct fixture *f)
{
	pthread_t thread;
	int i, ret = 0;

	for (i = 0; i < NR_IDLE && !ret; i++)
		ret = pthread_create(&thread, NULL, idle, NULL);
	return ret;
}

/* Makes the table of descriptors long, with only a few in use. */
static int have_long_table(struct fixture *f)
{
	struct rlimit limit = { LONG_TABLE, LONG_TABLE };

	return setrlimit(RLIMIT_NOFILE, &limit) ||
	       dup2(f->fd, LONG_TABLE - 1) < 0 || close(LONG_TABLE - 1);
}

/* Returns how long the module takes to find that a child released a buffer. */
static uint64_t time_of_look(struct fixture *f, const step *steps)
{
	struct child child = child_begin(f, steps, 0);
	uint64_t before = missing_ends(f), ns;
	size_t i;

	for (i = 0; steps[i]; i++)
		child_step(&child);
	ns = device_now_ns();
	assert_int_equal(missing_ends(f), before + 1);
	ns = device_now_ns() - ns;
	child_end(&child);
	return ns;
}

/*
 * A table of descriptors that threads share must be searched once, not once for
 * each thread, which would lock up a processor for up to a minute.
 */
static void a_table_of_many_threads_is_looked_at_once(void **state)
{
	static const step one[] = {
		have_long_table, unmap, start_write, close_fd, NULL
	};
	static const step many[] = {
		have_long_table, have_threads, unmap, start_write, close_fd,
		NULL
	};
	uint64_t of_one, of_many;
	int nr_tries = 0;

	time_of_look(*state, one);	/* the first one is slower */
	/* Other work on the machine makes a measurement longer now and then. */
	do {
		of_one = time_of_look(*state, one);
		of_many = time_of_look(*state, many);
		print_message("# one thread: %lu us, %d: %lu us\n",
			      of_one / 1000, NR_IDLE + 1, of_many / 1000);
	} while (of_many >= NR_IDLE / 8 * of_one && ++nr_tries < 3);
	assert_true(of_many < NR_IDLE / 8 * of_one);
}

static void exec_lets_go(void **state)
{
	static const step steps[] = { start_write, become_cat, NULL };
	struct fixture *f = *state;
	struct child child = child_begin(f, steps, 0);
	int i;

	child_step(&child);
	assert_int_equal(missing_ends(f), 0);
	child_step(&child);
	/* The child reports the step before exec, which may still go on. */
	for (i = 0; i < 100 && !missing_ends(f); i++)
		device_sleep_ns(20 * NSEC_PER_MSEC);
	assert_int_equal(missing_ends(f), 1);
	assert_int_equal(kill(child.pid, 0), 0);
	child_end(&child);
	assert_int_equal(missing_ends(f), 1);
}

static void a_bracket_outlives_the_thread_that_began_it(void **state)
{
	struct fixture *f = *state;

	CHILD_RUNS(f, (thread_starts_write_and_ends, store, end_write), 0, 0,
		   0, 0);
	assert_int_equal(count(f).unmatched_ends, 0);
}

static bool is_zombie(pid_t pid)
{
	char path[64], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
	fclose(file);
	return state == 'Z';
}

static void a_bracket_outlives_the_first_thread(void **state)
{
	static const step steps[] = {
		start_write, leader_ends, store, end_write, start_write, NULL
	};
	struct fixture *f = *state;
	struct child child = child_begin(f, steps, 0);
	int i;

	child_step(&child);
	child_step(&child);
	for (i = 0; i < 100 && !is_zombie(child.pid); i++)
		device_sleep_ns(20 * NSEC_PER_MSEC);
	assert_true(is_zombie(child.pid));
	assert_int_equal(missing_ends(f), 0);
	child_step(&child);
	child_step(&child);
	assert_int_equal(missing_ends(f), 0);
	assert_int_equal(count(f).unmatched_ends, 0);
	child_step(&child);
	assert_int_equal(missing_ends(f), 0);
	child_end(&child);
	assert_int_equal(missing_ends(f), 1);
}

static void fork_inherits_no_bracket(void **state)
{
	struct fixture *f = *state;

	device_sync(f->fd, SYNC_START_WRITE);
	CHILD_RUNS(f, (store, end_write, close_fd, unmap), 0, 0, 0, 0, 0);
	assert_int_equal(count(f).unmatched_ends, 1);
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(count(f).unmatched_ends, 1);
	assert_int_equal(missing_ends(f), 0);
}

/* The child must not inherit a PTE that the parent's bracket permitted. */
static void fork_inherits_no_right_to_touch(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold hold;

	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_BIDIRECTIONAL, &hold),
			 0);
	device_sync(f->fd, SYNC_START_RW);
	store(f);
	assert_int_equal(count(f).unbracketed_accesses, 0);
	CHILD_RUNS(f, (load, store), 0, 0, 0);
	assert_int_equal(count(f).unbracketed_accesses, 2);
	store(f);
	assert_int_equal(count(f).unbracketed_accesses, 2);
	device_sync(f->fd, SYNC_END_RW);
	device_release(f->dev, hold.hold);
}

/* A START of another process does not clean lines of an open bracket. */
static void dirty_lines_stay_until_their_writer_has_let_go(void **state)
{
	static const step steps[] = {
		start_write, store, close_fd, unmap, NULL
	};
	struct fixture *f = *state;
	struct child child = child_begin(f, steps, 0);

	child_step(&child);
	child_step(&child);
	child_step(&child);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(count(f).lines_cleaned, 0);
	child_step(&child);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(count(f).missing_ends, 1);
	assert_int_equal(count(f).lines_cleaned, 1);
	child_end(&child);
}

/* A store before the START belongs to the bracket's process, too. */
static void dirty_lines_of_before_the_start_stay(void **state)
{
	static const step steps[] = { store, start_write, NULL };
	struct fixture *f = *state;
	struct child child = child_begin(f, steps, 0);

	child_step(&child);
	child_step(&child);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(count(f).lines_cleaned, 0);
	child_end(&child);
}

static void a_used_number_has_no_old_bracket(void **state)
{
	static const step first[] = { start_rw, NULL };
	static const step second[] = { load, store, NULL };
	struct fixture *f = *state;
	struct heapsim_hold hold;
	struct child child;
	pid_t pid;

	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_BIDIRECTIONAL, &hold),
			 0);
	child = child_begin(f, first, 0);
	pid = child.pid;
	child_step(&child);
	child_end(&child);
	/* The module has not looked for ended processes since. */
	child = child_begin(f, second, pid);
	assert_int_equal(child.pid, pid);
	child_step(&child);
	child_step(&child);
	assert_int_equal(count(f).unbracketed_accesses, 2);
	assert_int_equal(missing_ends(f), 1);
	child_end(&child);
	device_release(f->dev, hold.hold);
}

static void a_used_number_has_no_old_lines(void **state)
{
	static const step first[] = { store, NULL };
	static const step second[] = { start_write, NULL };
	struct fixture *f = *state;
	struct child child = child_begin(f, first, 0);
	pid_t pid = child.pid;

	child_step(&child);
	child_end(&child);
	child = child_begin(f, second, pid);
	assert_int_equal(child.pid, pid);
	child_step(&child);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(count(f).lines_cleaned, 1);
	child_end(&child);
}

/* A released buffer cannot be queried, so the count of all buffers is read. */
static void release_of_the_buffer_is_a_missing_end(void **state)
{
	struct fixture *f = *state;
	uint64_t before = device_info(f->dev).missing_ends;
	int fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, f->page);

	device_sync(fd, SYNC_START_WRITE);
	device_sync(fd, SYNC_START_READ);
	assert_int_equal(device_info(f->dev).missing_ends, before);
	close(fd);
	assert_int_equal(device_info(f->dev).missing_ends, before + 1);
}

static void missing_ends_of_all_buffers_are_summed_up(void **state)
{
	struct fixture *f = *state;
	uint64_t before = device_info(f->dev).missing_ends;

	CHILD_RUNS(f, (start_write, start_write), 0, 0, 2);
	assert_int_equal(device_info(f->dev).missing_ends, before + 2);
	fixture_teardown(state);
	setup(state);
	f = *state;
	assert_int_equal(device_info(f->dev).missing_ends, before + 2);
}

/* The module keeps a number for each process that stores, until it ends. */
static void many_processes_store(void **state)
{
	static const step steps[] = { store, NULL };
	struct fixture *f = *state;
	struct child child;
	int i;

	for (i = 0; i < 200; i++) {
		child = child_begin(f, steps, 0);
		child_step(&child);
		child_end(&child);
	}
	device_sync(f->fd, SYNC_END_WRITE);
	assert_int_equal(count(f).lines_cleaned, 1);
	assert_int_equal(missing_ends(f), 0);
}

/* A child has a WRITE bracket, and has stored half of a line that is stale. */
static struct child store_in_stale_line(struct fixture *f)
{
	static const step steps[] = {
		start_write, store_half_a_line, store_other_half, end_write,
		NULL
	};
	struct child child;

	load(f);
	device_fill(f->dev, f->fd, 0, f->line, 0x01010101U * WRITTEN);
	child = child_begin(f, steps, 0);
	child_step(&child);
	child_step(&child);
	return child;
}

static void attach_to(struct fixture *f, uint32_t attach)
{
	assert_int_equal(rights_settle_errno(f->dev, 0, f->id, attach), 0);
}

/* Attaching to the host and back cleans the lines for engines. */
static void attach_anew(struct fixture *f)
{
	attach_to(f, HEAPSIM_ATTACH_HOST);
	attach_to(f, HEAPSIM_ATTACH_GLOBAL);
}

static void run_work(struct fixture *f)
{
	assert_int_equal(rights_work_submit_errno(f->dev, 0, 1, "work"), 0);
	assert_int_equal(rights_work_start_errno(f->dev, 1, NULL, 0), 0);
	assert_int_equal(rights_work_finish_errno(f->dev, 1), 0);
	assert_int_equal(rights_state_errno(f->dev, 0, 0), 0);
}

/* Checks both halves of the line as engines see it. */
static void dram_is(struct fixture *f, uint8_t half, uint8_t other)
{
	uint8_t *dram = device_dram(f->dev, f->fd, f->len);

	assert_true(device_is_filled(dram, half, f->line / 2));
	assert_true(device_is_filled(dram + f->line / 2, other, f->line / 2));
	free(dram);
}

static uint64_t nr_lost(struct fixture *f)
{
	const struct heapsim_counters c = count(f);

	return c.lost_device_writes + c.lost_cpu_writes;
}

/*
 * Managed memory is cleaned after another process, in its bracket, has stored
 * half of a line. The process then stores the rest, and no byte is lost.
 */
static void nothing_is_lost_in_the_bracket(struct fixture *f,
					   void (*clean)(struct fixture *f))
{
	struct child child = store_in_stale_line(f);

	clean(f);
	dram_is(f, STORED, WRITTEN);
	child_step(&child);
	child_step(&child);
	dram_is(f, STORED, STORED);
	child_end(&child);
	assert_true(device_is_filled(f->map, STORED, f->line));
	assert_int_equal(nr_lost(f), 0);
	assert_int_equal(count(f).missing_cleans, 0);
	assert_int_equal(missing_ends(f), 0);
}

static void an_attach_cleans_in_the_bracket_of_another(void **state)
{
	nothing_is_lost_in_the_bracket(*state, attach_anew);
}

static void a_work_cleans_in_the_bracket_of_another(void **state)
{
	nothing_is_lost_in_the_bracket(*state, run_work);
}

/*
 * Lost bytes of an ended bracket count although no store came after the clean.
 */
static void a_clean_settles_the_lines_of_a_bracket_that_ended(void **state)
{
	struct fixture *f = *state;
	struct child child = store_in_stale_line(f);

	attach_anew(f);
	dram_is(f, STORED, WRITTEN);
	child_end(&child);
	assert_int_equal(missing_ends(f), 1);
	assert_int_equal(nr_lost(f), 0);
	attach_anew(f);
	assert_int_equal(count(f).lost_device_writes, 1);
	dram_is(f, STORED, 0);
	assert_true(device_is_filled(f->map + f->line / 2, 0, f->line / 2));
}

int main(void)
{
#define TEST(fn)	\
	cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
#define MANAGED(fn)	\
	cmocka_unit_test_setup_teardown(fn, setup_managed, fixture_teardown)
	static const struct CMUnitTest tests[] = {
		TEST(end_of_the_process_is_a_missing_end),
		TEST(each_start_that_was_not_ended_is_a_missing_end),
		TEST(a_read_bracket_is_no_missing_end),
		TEST(end_is_no_missing_end),
		TEST(a_process_that_nobody_has_waited_for_has_ended),
		TEST(a_process_that_keeps_its_map_has_not_let_go),
		TEST(a_process_that_keeps_a_descriptor_has_not_let_go),
		TEST(a_map_is_known_in_parts_and_where_it_moves),
		TEST(a_table_of_a_thread_counts),
		TEST(a_table_of_many_threads_is_looked_at_once),
		TEST(exec_lets_go),
		TEST(a_bracket_outlives_the_thread_that_began_it),
		TEST(a_bracket_outlives_the_first_thread),
		TEST(fork_inherits_no_bracket),
		TEST(fork_inherits_no_right_to_touch),
		TEST(dirty_lines_stay_until_their_writer_has_let_go),
		TEST(dirty_lines_of_before_the_start_stay),
		TEST(a_used_number_has_no_old_bracket),
		TEST(a_used_number_has_no_old_lines),
		TEST(release_of_the_buffer_is_a_missing_end),
		TEST(missing_ends_of_all_buffers_are_summed_up),
		TEST(many_processes_store),
		MANAGED(an_attach_cleans_in_the_bracket_of_another),
		MANAGED(a_work_cleans_in_the_bracket_of_another),
		MANAGED(a_clean_settles_the_lines_of_a_bracket_that_ended),
	};

	return cmocka_run_group_tests_name("bracket", tests, NULL, NULL);
}
