// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Creates and ends the process of an engine, for its owner.
 *
 * The process is forked by a helper, which shares the application's memory and
 * descriptors but is not one of its threads. When the helper has ended, the
 * engine has no parent in the application: the application's wait() does not
 * report it, and the application gets no SIGCHLD for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "../internal.h"
#include "owner.h"

#define NS_PER_MS	1000000ULL

/* Stack of the helper, which calls fork handlers, and of the first thread. */
#define STACK_LEN	(256UL << 10)
#define BEGIN_LEN	(STACK_LEN + (64UL << 10))

/* Longest time until the end of a process is noticed while a job runs. */
#define LOOK_NS		(10 * NS_PER_MS)
#define START_NS	(30 * NS_PER_S)
#define ASAN_START_NS	(2 * NS_PER_S)

/* Longest time to flush output when an engine ends. */
#define END_MS		1000

/*
 * Set in the thread that creates a process, and inherited by the helper and the
 * process. The declaration of clone() says that it calls nothing in this file:
 * without volatile the compiler would drop the stores.
 */
static __thread volatile bool is_forking;

/**
 * engine_is_forking() - distinguish an engine's fork from one of the program
 *
 * Context: fork handlers.
 * Return: true if the child is an engine.
 */
bool engine_is_forking(void)
{
	return is_forking;
}

/**
 * spawn_is_dead() - wait for the end of an engine's process
 * @engine: engine
 * @timeout_ms: longest time to wait; -1: any time
 *
 * Return: true if it has ended; false if it still runs after that time.
 */
bool spawn_is_dead(const struct engine *engine, int timeout_ms)
{
	struct pollfd end = { .fd = engine->pidfd.nr, .events = POLLIN };
	int got;

	/* The process ends by itself when its socket is closed. */
	if (!own_fd_is_open(&engine->pidfd))
		return true;
	do
		got = poll(&end, 1, timeout_ms);
	while (got < 0 && errno == EINTR);
	return got > 0;
}

/**
 * spawn_end() - end an engine's process
 * @engine: engine
 *
 * Flushes its output first, if possible.
 */
void spawn_end(struct engine *engine)
{
	if (engine->sock.nr < 0)
		return;
	if (own_fd_is_open(&engine->sock))
		shutdown(engine->sock.nr, SHUT_RDWR);
	if (!spawn_is_dead(engine, END_MS)) {
		syscall(SYS_pidfd_send_signal, engine->pidfd.nr, SIGKILL,
			NULL, 0);
		spawn_is_dead(engine, -1);
	}
}

/**
 * spawn_release() - release what the owner has of a process that has ended
 * @engine: engine
 */
void spawn_release(struct engine *engine)
{
	engine_list_lock();
	own_fd_close(&engine->sock);
	own_fd_close(&engine->pidfd);
	engine_list_unlock();
	if (engine->shared)
		munmap(engine->shared, engine->shared_len);
	engine->shared = NULL;
	if (engine->area.start)
		munmap((void *)engine->area.start,
		       engine->area.end - engine->area.start);
	engine->area = (struct range) { 0 };
	objects_free(engine->objects);
	engine->objects = NULL;
}

/**
 * spawn_give_up() - end and release an engine's process
 * @engine: engine
 */
void spawn_give_up(struct engine *engine)
{
	spawn_end(engine);
	spawn_release(engine);
}

/* Runs in the helper, which shares the application's memory. */
static NO_ASAN int spawn_fork_process(void *arg)
{
	struct engine_start *start = arg;
	pid_t pid;

	/* fork() may wait for a lock that a killed process held. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != start->app)
		_exit(1);
	pid = fork();
	if (!pid)
		process_main(start);
	start->err = pid < 0 ? -errno : 0;
	start->pid = pid;
	if (pid > 0) {
		/* The helper is still its parent: the number is not reused. */
		start->pidfd = fd_aside((int)syscall(SYS_pidfd_open, pid, 0));
		if (start->pidfd < 0) {
			start->err = -errno;
			kill(pid, SIGKILL);
		}
	}
	_exit(0);
}

/*
 * The helper uses the thread-local variables of this thread, which waits
 * meanwhile and calls nothing that uses them. CLONE_VFORK would do the same,
 * but with it a debugger stops the other threads, whose locks fork() takes.
 * Signals are blocked, because a handler would run in the helper as if it were
 * this thread.
 */
static int spawn_run_helper(struct engine_start *start)
{
	const int flags = CLONE_VM | CLONE_FILES | CLONE_FS;
	sigset_t all, old;
	pid_t pid;
	int err = 0;

	sigfillset(&all);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, _NSIG / 8);
	is_forking = true;
	pid = clone(spawn_fork_process, start, flags, start);
	if (pid < 0)
		err = -errno;
	else
		syscall(SYS_wait4, pid, NULL, __WCLONE, NULL);
	is_forking = false;
	signals_restore(&old);
	if (!err && start->pid > 0)
		record_engine(start->pid);
	return err ? err : start->err;
}

static size_t spawn_round_up(size_t len, size_t page_len)
{
	return (len + page_len - 1) / page_len * page_len;
}

/* Sum of the lengths that the process maps, each with a guard page. */
static size_t spawn_area_len(const struct engine_window *window,
			     unsigned int nr_workers)
{
	const size_t page_len = (size_t)1 << window->page_shift;
	const size_t of_worker = ENGINE_STACK_LEN + TOUCH_STACK_LEN;
	size_t len = STACK_LEN + sizeof(struct process) + MAPPINGS_LEN +
		     ENGINE_OUTPUT_LEN + MEM_ARGS_MAX +
		     (window->len >> window->page_shift);

	if (window->before.nr >= 0)
		len += window->len;
	len += nr_workers * (of_worker + 2 * page_len);
	return spawn_round_up(len + 16 * page_len, page_len);
}

/* Lays out the stack, struct engine_start and struct process in the area. */
static struct engine_start *spawn_map_start(struct engine *engine)
{
	const unsigned int nr_workers = pool_nr_workers();
	const size_t len = spawn_area_len(&engine->window, nr_workers);
	struct engine_start *start;
	char *area;

	area = mmap(NULL, len, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		return NULL;
	engine->area = (struct range) {
		(uintptr_t)area, (uintptr_t)area + len,
	};
	if (mprotect(area, BEGIN_LEN, PROT_READ | PROT_WRITE))
		return NULL;
	/* clone() needs a stack aligned to 16 bytes. */
	start = (struct engine_start *)(area + STACK_LEN) - 1;
	start = (struct engine_start *)((uintptr_t)start & ~15UL);
	*start = (struct engine_start) {
		.window = engine->window,
		.shared = engine->shared,
		.shared_len = engine->shared_len,
		.objects = engine->objects,
		.area = engine->area,
		.next = (uintptr_t)area + STACK_LEN,
		.nr_workers = nr_workers,
		.app = getpid(),
		.pidfd = -1,
		.err = -EAGAIN,
	};
	memcpy(start->name, engine->name, sizeof(start->name));
	return start;
}

/* The process has copies of them by now. */
static void spawn_clear_start(const struct engine *engine)
{
	mmap((void *)engine->area.start, BEGIN_LEN, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static int spawn_fork(struct engine *engine, enum keep keep, int pair[2])
{
	struct engine_start *start = spawn_map_start(engine);
	int err;

	if (!start)
		return -ENOMEM;
	start->keep = keep;
	start->sock = pair[1];
	start->app_pidfd = fd_aside((int)syscall(SYS_pidfd_open, getpid(), 0));
	err = start->app_pidfd < 0 ? -errno : 0;
	if (!err) {
		err = spawn_run_helper(start);
		close(start->app_pidfd);
	}
	if (!err)
		err = own_fd_take(&engine->pidfd, start->pidfd);
	spawn_clear_start(engine);
	return err;
}

static int spawn_map_shared(struct engine *engine)
{
	const size_t nr_pages = engine->window.len >> engine->window.page_shift;
	const size_t len = sizeof(*engine->shared) + page_set_len(nr_pages);
	void *shared;

	shared = mmap(NULL, len, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED)
		return -ENOMEM;
	engine->shared = shared;
	engine->shared_len = len;
	engine->nr_seen = 0;
	page_set_init(&engine->stored, engine->shared + 1, nr_pages);
	return 0;
}

/**
 * spawn_wait_event() - wait for an event of the process
 * @engine: engine
 * @deadline: until when, CLOCK_MONOTONIC; FOREVER: any time
 *
 * Return: 0, -ETIME (none until then), or -EOWNERDEAD (the process has ended).
 */
int spawn_wait_event(struct engine *engine, uint64_t deadline)
{
	struct engine_shared *shared = engine->shared;
	uint64_t now, until;

	for (;;) {
		if (atomic_load(&shared->nr_events) != engine->nr_seen)
			break;
		now = now_ns();
		if (now >= deadline)
			return -ETIME;
		until = deadline - now < LOOK_NS ? deadline : now + LOOK_NS;
		futex_wait(&shared->nr_events, engine->nr_seen, until);
		if (atomic_load(&shared->nr_events) != engine->nr_seen)
			break;
		if (now_ns() >= until && spawn_is_dead(engine, 0) &&
		    atomic_load(&shared->nr_events) == engine->nr_seen)
			return -EOWNERDEAD;
	}
	engine->nr_seen++;
	return 0;
}

static int spawn_open_pair(int pair[2])
{
	int err = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pair[0] = fd_aside(pair[0]);
	if (pair[0] < 0)
		err = -errno;
	pair[1] = fd_aside(pair[1]);
	if (pair[1] < 0 && !err)
		err = -errno;
	if (!err)
		return 0;
	if (pair[0] >= 0)
		close(pair[0]);
	if (pair[1] >= 0)
		close(pair[1]);
	return err;
}

/* If the program reused the number, the process would map a foreign file. */
static bool spawn_is_open(const struct own_fd *file)
{
	return file->nr < 0 || own_fd_is_open(file);
}

static int spawn_try(struct engine *engine, enum keep keep,
		     uint64_t timeout_ns)
{
	int pair[2], err;

	if (!spawn_is_open(&engine->window.view) ||
	    !spawn_is_open(&engine->window.before))
		return -EBADF;
	err = spawn_map_shared(engine);
	if (!err)
		err = objects_list(&engine->objects);
	if (!err)
		err = spawn_open_pair(pair);
	if (err)
		goto err_release;
	err = spawn_fork(engine, keep, pair);
	close(pair[1]);
	if (err)
		close(pair[0]);
	else
		err = own_fd_take(&engine->sock, pair[0]);
	if (err)
		goto err_release;
	err = spawn_wait_event(engine, now_ns() + timeout_ns);
	if (!err)
		err = engine->shared->result.status;
	if (err) {
		spawn_give_up(engine);
		return err;
	}
	madvise(engine->shared, engine->shared_len, MADV_DONTFORK);
	return 0;

err_release:
	spawn_release(engine);
	return err;
}

/*
 * A fork does not take the locks of AddressSanitizer's allocator (GCC 12): if
 * another thread holds one, the process never starts. Another attempt may.
 */
static int spawn_keeping(struct engine *engine, enum keep keep)
{
	uint64_t timeout_ns = __asan_init ? ASAN_START_NS : START_NS;
	int err;

	do {
		err = spawn_try(engine, keep, timeout_ns);
		timeout_ns *= 2;
	} while (err == -ETIME && timeout_ns <= START_NS);
	return err;
}

/* Returns true if the process failed, not a system call of the owner. */
static bool spawn_is_broken(int err)
{
	return err == -EOWNERDEAD || err == -ETIME ||
	       engine_status_is_final(err);
}

/* Says on standard error that some mistakes are not detected. */
static void spawn_warn_kept(void)
{
	static const char text[] =
		"libmem: engines keep private memory for the allocator\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		return;
}

/**
 * spawn_start() - create the process of an engine
 * @engine: engine without a process
 *
 * The less memory of the application a process keeps, the more mistakes it
 * detects. If the program's allocator needs more memory, the start fails, and
 * is repeated with more. A start may also fail by chance, because of what other
 * threads do to shared pages of the heap.
 *
 * Return: 0, -EAGAIN (the process fails each time), or another error of the
 * system calls.
 */
int spawn_start(struct engine *engine)
{
	static const enum keep tries[] = {
		KEEP_NEEDED, KEEP_NEEDED, KEEP_LIBRARIES, KEEP_LIBRARIES,
		KEEP_ALL, KEEP_ALL,
	};
	static _Atomic enum keep works;
	int err = -EAGAIN;
	size_t i;

	for (i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		if (tries[i] < atomic_load(&works))
			continue;
		err = spawn_keeping(engine, tries[i]);
		if (!spawn_is_broken(err))
			break;
	}
	if (!err && atomic_exchange(&works, tries[i]) < tries[i])
		spawn_warn_kept();
	return spawn_is_broken(err) ? -EAGAIN : err;
}
