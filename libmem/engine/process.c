// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The process of an engine. Its first thread comes from the fork, runs on a
 * stack of libmem, and waits for the end of the owner, at which the process
 * ends. A second thread handles requests of the owner, together with helpers.
 *
 * After the start, this file only writes to memory of the process: if libmem is
 * part of the program, its variables are read-only.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>

#include "process.h"

/* glibc, libio/libio.h: _IO_CURRENTLY_PUTTING */
#define CURRENTLY_PUTTING	0x0800

/* Allocators keep free blocks of up to 128 KiB, and map larger ones. */
#define MAX_TRIED_LEN	(256UL << 10)

/* Longest time to flush output when the owner has ended. */
#define LAST_SECONDS	2

/* Longest time to start; the owner gives up sooner, see START_NS. */
#define START_SECONDS	40

int __sigaction(int signal, const struct sigaction *action,
		struct sigaction *old);

struct process *process;

/**
 * process_send_event() - send an event to the owner
 * @event: event; the fields that belong to it are written
 *
 * Context: any, also a signal handler.
 */
void process_send_event(enum engine_event event)
{
	process->shared->event = event;
	atomic_fetch_add(&process->shared->nr_events, 1);
	futex_wake(&process->shared->nr_events, 1);
}

/**
 * process_take_fd() - receive a descriptor from the owner
 *
 * Context: any, also a signal handler.
 * Return: the descriptor, owned by the caller, or -1.
 */
int process_take_fd(void)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	int fd;

	if (syscall(SYS_recvmsg, process->start.sock, &msg,
		    MSG_CMSG_CLOEXEC) != 1 || !msg.msg_controllen)
		return -1;
	memcpy(&fd, CMSG_DATA(&control.head), sizeof(fd));
	return fd;
}

static int process_compare_fds(const void *one, const void *other)
{
	return *(const int *)one - *(const int *)other;
}

/* Closes descriptors from @from to @last, one by one. */
static int process_close_listed(unsigned int from, unsigned int last)
{
	const int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
	char entries[1024] __attribute__((aligned(8)));
	const struct dirent64 *entry;
	unsigned long fd;
	char *end;
	long got = -1, at;

	while (dir >= 0 && (got = syscall(SYS_getdents64, dir, entries,
					  sizeof(entries))) > 0) {
		for (at = 0; at < got; at += entry->d_reclen) {
			entry = (struct dirent64 *)(entries + at);
			fd = strtoul(entry->d_name, &end, 10);
			if (end != entry->d_name && fd >= from && fd <= last &&
			    fd != (unsigned long)dir)
				close((int)fd);
		}
	}
	if (dir >= 0)
		close(dir);
	return got < 0 ? -EAGAIN : 0;
}

/* The system call may be refused: containers refuse those they do not know. */
static int process_close_range(unsigned int from, unsigned int last)
{
	if (!syscall(SYS_close_range, from, last, 0))
		return 0;
	return process_close_listed(from, last);
}

/*
 * Closes all descriptors except the standard three and those that the process
 * needs. Otherwise the application could not really close them: the peer of a
 * socket would wait for its end.
 */
static int process_close_foreign(const struct engine_start *start)
{
	int needed[] = {
		STDERR_FILENO, start->sock, start->app_pidfd,
		start->window.view.nr, start->window.before.nr,
	};
	const size_t nr = sizeof(needed) / sizeof(*needed);
	unsigned int from;
	size_t i;
	int err = 0;

	qsort(needed, nr, sizeof(*needed), process_compare_fds);
	for (i = 0; !err && i < nr; i++) {
		unsigned int until = i + 1 < nr ? (unsigned int)needed[i + 1] :
						  UINT_MAX;

		if (needed[i] < STDERR_FILENO)
			continue;
		from = (unsigned int)needed[i] + 1;
		if (until > from)
			err = process_close_range(from, until - 1);
	}
	return err;
}

static void process_reset_signals(void)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };
	const stack_t no_stack = { .ss_flags = SS_DISABLE };
	int signal;

	for (signal = 1; signal < _NSIG; signal++)
		__sigaction(signal, &none, NULL);
	sigaltstack(&no_stack, NULL);
}

/* Blocks all signals except the synchronous ones and that of abort(). */
static void process_block_signals(void)
{
	sigset_t set;

	sigfillset(&set);
	sigdelset(&set, SIGSEGV);
	sigdelset(&set, SIGBUS);
	sigdelset(&set, SIGFPE);
	sigdelset(&set, SIGILL);
	sigdelset(&set, SIGTRAP);
	sigdelset(&set, SIGABRT);
	sigdelset(&set, SIGSYS);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, NULL, _NSIG / 8);
}

/* Takes addresses that the owner reserved, followed by a guard page. */
static void *process_take_addr(size_t len)
{
	const size_t page_len = process->page_len;
	const size_t all = (len + 2 * page_len - 1) / page_len * page_len;
	const uintptr_t addr = process->start.next;

	if (all > process->start.area.end - addr)
		return NULL;
	process->start.next = addr + all;
	return (void *)addr;
}

/**
 * process_map() - map memory of the process
 * @len: bytes
 *
 * Context: one thread at a time.
 * Return: its address, with guard pages around it, or NULL.
 */
void *process_map(size_t len)
{
	void *addr = process_take_addr(len);

	if (!addr || mprotect(addr, len, PROT_READ | PROT_WRITE))
		return NULL;
	return addr;
}

/* Drops buffered output of the application, which prints it itself. */
static int process_take_output(void)
{
	char *buffer = process_map(ENGINE_OUTPUT_LEN);

	if (!buffer)
		return -ENOMEM;
	__fpurge(stdout);
	__fpurge(stderr);
	/* Otherwise glibc treats the new buffer as full. */
	stdout->_flags &= ~CURRENTLY_PUTTING;
	return setvbuf(stdout, buffer, _IOFBF, ENGINE_OUTPUT_LEN) ?
	       -ENOMEM : 0;
}

static int process_map_window(struct process *own)
{
	const struct engine_window *window = &own->start.window;
	const int flags = window->view.nr >= 0 ? MAP_SHARED :
						 MAP_PRIVATE | MAP_ANONYMOUS;
	void *addr;

	addr = mmap(window->addr, window->len, PROT_NONE,
		    flags | MAP_FIXED_NOREPLACE | MAP_NORESERVE,
		    window->view.nr, 0);
	if (addr == MAP_FAILED)
		return -ENOMEM;
	own->window = addr;
	if (window->before.nr < 0)
		return 0;
	addr = process_take_addr(window->len);
	if (!addr || mmap(addr, window->len, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_FIXED | MAP_NORESERVE,
			  window->before.nr, 0) == MAP_FAILED)
		return -ENOMEM;
	own->before = addr;
	return 0;
}

static void process_close_files(const struct engine_window *window)
{
	if (window->view.nr >= 0)
		close(window->view.nr);
	if (window->before.nr >= 0)
		close(window->before.nr);
}

static int process_set_up(struct process *own)
{
	const struct engine_window *window = &own->start.window;
	int err;

	own->nr_pages = window->len >> window->page_shift;
	page_set_init(&own->stored, own->shared + 1, own->nr_pages);
	err = drop_memory(own);
	if (!err)
		err = process_take_output();
	if (!err)
		err = process_map_window(own);
	if (err)
		return err;
	process_close_files(window);
	own->access = process_map(own->nr_pages);
	own->args = process_map(MEM_ARGS_MAX);
	own->pool.begin_block = touch_begin_block;
	return own->access && own->args ? 0 : -ENOMEM;
}

/*
 * Handler of exit(), quick_exit() and fork(), which runs before those of the
 * application. A child of fork() would return from the kernel and be an engine,
 * too.
 */
static void process_on_exit(void)
{
	futex_lock(&process->lock);
	touch_end(-EIO, 0);
}

/* Called when a kernel ends its thread. */
static void process_on_thread_end(void *unused)
{
	(void)unused;
	process_on_exit();
}

/* Its stack, and that of its handlers, have guard pages below them. */
static int process_start_thread(void *(*run)(void *))
{
	void *stack = process_map(ENGINE_STACK_LEN);
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	if (!stack)
		return -ENOMEM;
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, ENGINE_STACK_LEN);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	err = pthread_create(&thread, &attr, run,
			     process_map(TOUCH_STACK_LEN));
	pthread_attr_destroy(&attr);
	return -err;
}

static void *process_help(void *stack)
{
	struct worker worker = { .is_helper = true };

	pthread_cleanup_push(process_on_thread_end, NULL);
	if (!touch_thread_init(stack))
		pool_help(&process->pool, &worker);
	pthread_cleanup_pop(0);
	return NULL;
}

/* Starts helpers. Jobs also run without them. */
static void process_start_helpers(const uint32_t grid[3])
{
	unsigned int i;

	if (process->has_helpers ||
	    (grid[0] == 1 && grid[1] == 1 && grid[2] == 1))
		return;
	process->has_helpers = true;
	for (i = 1; i < process->start.nr_workers; i++)
		if (process_start_thread(process_help))
			return;
}

static int process_apply_changes(void)
{
	const struct engine_shared *shared = process->shared;
	size_t i;

	for (i = 0; i < shared->nr_changes; i++) {
		const struct wire_grant *change = &shared->changes[i];
		int fd = change->has_fd ? process_take_fd() : -1, err;

		err = touch_change(change, fd);
		if (fd >= 0)
			close(fd);
		if (err)
			return err;
	}
	return 0;
}

static int process_run_job(struct worker *worker)
{
	const struct wire_job *job = &process->shared->job;
	int err = process_apply_changes();

	if (err)
		return err;
	memcpy(process->args, job->args, job->args_len);
	process_start_helpers(job->grid);
	return pool_run(&process->pool, worker, job, process->args);
}

static int process_serve(struct worker *worker)
{
	int err;

	switch (process->shared->request) {
	case REQUEST_CHANGES:
		touch_begin_job();
		return process_apply_changes();
	case REQUEST_JOB:
		touch_begin_job();
		err = process_run_job(worker);
		touch_end_job();
		return err;
	case REQUEST_FLUSH:
		fflush(stdout);
		return 0;
	}
	return -EINVAL;
}

static void process_serve_all(void *stack)
{
	struct engine_shared *shared = process->shared;
	struct worker worker = { 0 };
	int status = touch_thread_init(stack);
	unsigned int seen;

	for (seen = 0;; seen++) {
		shared->result = (struct engine_result) {
			.status = status,
		};
		shared->has_output = __fpending(stdout) > 0;
		process_send_event(EVENT_DONE);
		while (atomic_load(&shared->nr_requests) == seen)
			futex_wait(&shared->nr_requests, seen, FOREVER);
		atomic_store(&shared->nr_taken, seen + 1);
		status = process_serve(&worker);
	}
}

/*
 * Tries the allocator: if it needs memory that the process has unmapped, or one
 * of its locks was held by a thread that does not exist (AddressSanitizer's),
 * the start fails, instead of a kernel. This thread is new, and has no free
 * blocks of any length yet.
 */
static void process_try_allocator(void)
{
	volatile char *block;
	size_t len;

	for (len = 16; len <= MAX_TRIED_LEN; len += len / 8 + 16) {
		block = malloc(len);
		if (block)
			block[len - 1] = 1;
		free((void *)block);
	}
}

static void *process_serve_main(void *stack)
{
	pthread_cleanup_push(process_on_thread_end, NULL);
	process_try_allocator();
	process_serve_all(stack);
	pthread_cleanup_pop(0);
	return NULL;
}

/* Kills this process if what follows takes longer, or never ends. */
static NO_ASAN void process_limit(unsigned int seconds)
{
	sigset_t alarm_only;

	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	alarm(seconds);
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &alarm_only, NULL, _NSIG / 8);
}

/* Flushes output, unless a thread that does not exist holds its lock. */
static NO_ASAN void __attribute__((noreturn)) process_end(void)
{
	process_limit(LAST_SECONDS);
	fflush(stdout);
	_exit(0);
}

static NO_ASAN void __attribute__((noreturn)) process_wait_for_end(void)
{
	struct pollfd fds[] = {
		{ .fd = process->start.sock },
		{ .fd = process->start.app_pidfd, .events = POLLIN },
	};

	while (poll(fds, 2, -1) <= 0)
		;
	process_end();
}

/**
 * process_main() - main function of an engine's process
 * @start: its arguments
 *
 * Context: the only thread of a new process, all signals blocked.
 */
NO_ASAN void process_main(struct engine_start *start)
{
	struct process *own = (struct process *)start->next;
	int err;

	/* Unmaps buffers of heaps, which children of the program inherit. */
	munmap(start->window.addr, start->window.len);
	process_reset_signals();
	/*
	 * A thread of the program that was in exit() or atexit() has left a
	 * lock that is never released. Its process may have ended by now, and
	 * then nobody gives this one up.
	 */
	process_limit(START_SECONDS);
	err = process_close_foreign(start);
	own->start = *start;
	own->page_len = (size_t)1 << start->window.page_shift;
	process = own;
	process_map(sizeof(*own));
	prctl(PR_SET_NAME, start->name);
	own->shared = own->start.shared;
	if (!err)
		err = process_set_up(own);
	if (!err)
		err = touch_init();
	if (!err &&
	    (atexit(process_on_exit) || at_quick_exit(process_on_exit) ||
	     pthread_atfork(process_on_exit, NULL, NULL)))
		err = -ENOMEM;
	alarm(0);
	process_block_signals();
	if (!err) {
		drop_stores(own);
		err = process_start_thread(process_serve_main);
	}
	if (err) {
		own->shared->result = (struct engine_result) { .status = err };
		process_send_event(EVENT_DONE);
		_exit(1);
	}
	process_wait_for_end();
}
