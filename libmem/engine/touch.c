// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Handles a job's faults in the engine's process. For a page without sufficient
 * access, the owner is asked; a tracked page is copied before the first store
 * to it; any other fault ends the job.
 *
 * A handler holds the process's lock throughout, so the owner gets one question
 * at a time, and calls async-signal-safe functions only. The handler that ends
 * the job keeps the lock, so that nothing else happens until the owner ends the
 * process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "../trap.h"
#include "process.h"

/* A stack overflow touches an address this near to the stack pointer. */
#define STACK_NEAR	(64UL << 10)

/* glibc's internal name of sigaction(), which no other library replaces. */
int __sigaction(int signal, const struct sigaction *action,
		struct sigaction *old);

static int prot_of(enum engine_access access)
{
	switch (access) {
	case ENGINE_READ:
	case ENGINE_TRACKED:
		return PROT_READ;
	case ENGINE_WRITE:
		return PROT_READ | PROT_WRITE;
	default:
		return PROT_NONE;
	}
}

static void *page_addr(size_t page)
{
	return process->window + page * process->page_len;
}

/* Mapping a file keeps a reference to it, so without access it is unmapped. */
static int protect(const struct wire_grant *grant, int fd)
{
	void *addr = process->window + grant->off;
	const int prot = prot_of(grant->access);
	int flags = MAP_SHARED;

	if (fd < 0 && (process->start.window.view.nr >= 0 || prot != PROT_NONE))
		return mprotect(addr, grant->len, prot) ? -errno : 0;
	if (fd < 0)
		flags = MAP_PRIVATE | MAP_ANONYMOUS;
	return mmap(addr, grant->len, prot, flags | MAP_FIXED | MAP_NORESERVE,
		    fd, fd < 0 ? 0 : (off_t)grant->fd_off) == MAP_FAILED ?
	       -errno : 0;
}

/*
 * Adjacent pages of different access are separate mappings, whose number is
 * limited. Without any access there is one mapping, and pages are asked for
 * again.
 */
static void hide_all(void)
{
	mprotect(process->window, process->start.window.len, PROT_NONE);
	madvise(process->access, process->nr_pages, MADV_DONTNEED);
}

/* Protects tracked pages. If that fails, the next touch asks again. */
static void set_prot(size_t page, size_t nr, int prot)
{
	if (mprotect(page_addr(page), nr * process->page_len, prot))
		hide_all();
}

/**
 * touch_change() - change what jobs may do with a range
 * @grant: range and access
 * @fd: file to map there, or -1
 *
 * Context: any, signal handlers too; the lock is held, or no job runs.
 * Return: 0, -ENOMEM (too many mappings) or another error of mmap().
 */
int touch_change(const struct wire_grant *grant, int fd)
{
	int err = protect(grant, fd);

	if (err == -ENOMEM) {
		hide_all();
		err = protect(grant, fd);
	}
	if (!err)
		memset(process->access + grant->off / process->page_len,
		       (int)grant->access, grant->len / process->page_len);
	return err;
}

/* Protects those pages of a run that are still tracked. */
static void track_again(size_t page, size_t nr)
{
	const size_t end = page + nr;
	size_t first;

	while (page < end) {
		while (page < end && process->access[page] != ENGINE_TRACKED)
			page++;
		first = page;
		while (page < end && process->access[page] == ENGINE_TRACKED)
			page++;
		if (page > first)
			set_prot(first, page - first, PROT_READ);
	}
}

/**
 * touch_begin_job() - track the pages to which the previous job stored again
 *
 * Context: no job runs.
 */
void touch_begin_job(void)
{
	struct page_set *stored = &process->stored;
	size_t page, nr;

	touch_begin_block();
	process->shared->is_compared = false;
	if (!process->shared->nr_stored)
		return;
	for (page = page_set_next(stored, 0, &nr); nr;
	     page = page_set_next(stored, page + nr, &nr))
		track_again(page, nr);
	page_set_clear(stored);
	process->shared->nr_stored = 0;
}

static bool is_as_before(size_t page)
{
	const size_t len = process->page_len;

	return !memcmp(process->before + page * len, page_addr(page), len);
}

/*
 * Removes pages that were made ready along with others but not changed. Returns
 * false if one remains because there are too many mappings; pages are not
 * hidden then, since the rest must be compared.
 */
static bool drop_unchanged(size_t page, size_t end)
{
	size_t first;

	while (page < end) {
		while (page < end && !is_as_before(page))
			page++;
		first = page;
		while (page < end && is_as_before(page))
			page++;
		if (page > first && mprotect(page_addr(first),
					     (page - first) * process->page_len,
					     PROT_READ))
			return false;
		for (; first < page; first++)
			page_set_remove(&process->stored, first);
	}
	return true;
}

/* Pages that were hidden meanwhile cannot be read. */
static bool can_be_compared(size_t page, size_t end)
{
	while (page < end && process->access[page] == ENGINE_TRACKED)
		page++;
	return page == end;
}

/**
 * touch_end_job() - keep the pages in the set that have changed
 *
 * The process compares, since the pages are probably in its CPU's cache; the
 * owner's CPU would have to fetch them.
 *
 * Context: no job runs.
 */
void touch_end_job(void)
{
	const struct page_set *stored = &process->stored;
	size_t page, nr;

	if (!process->shared->nr_stored)
		return;
	for (page = page_set_next(stored, 0, &nr); nr;
	     page = page_set_next(stored, page + nr, &nr))
		if (!can_be_compared(page, page + nr))
			return;
	for (page = page_set_next(stored, 0, &nr); nr;
	     page = page_set_next(stored, page + nr, &nr))
		if (!drop_unchanged(page, page + nr))
			return;
	process->shared->is_compared = true;
}

/**
 * touch_begin_block() - make variables that the runtime stored to read-only
 * again
 *
 * Context: any thread that runs blocks.
 */
void touch_begin_block(void)
{
	unsigned int nr;

	if (!atomic_load_explicit(&process->nr_opened, memory_order_relaxed))
		return;
	nr = atomic_exchange(&process->nr_opened, 0);
	nr = nr < MAX_OPENED ? nr : MAX_OPENED;
	while (nr--)
		mprotect((void *)atomic_load(&process->opened[nr]),
			 process->page_len, PROT_READ);
}

/**
 * touch_end() - end a job that cannot go on
 * @status: status of the result; its place and address are filled in
 * @signal: signal of the result
 *
 * Context: any, signal handlers too; the lock is held.
 */
void touch_end(int status, int signal)
{
	struct engine_result *result = &process->shared->result;

	result->status = status;
	result->signal = signal;
	process_tell(EVENT_END);
	for (;;)
		pause();
}

/*
 * Returns the run that a page continues, or a new one. Four times as many pages
 * of a continued run are made ready as before.
 */
static struct store_run *run_of(size_t page)
{
	struct store_run *run;
	size_t i;

	for (i = 0; i < NR_RUNS; i++) {
		run = &process->runs[i];
		if (page - run->end >= run->len &&
		    run->first - 1 - page >= run->len)
			continue;
		run->len = run->len < MAX_RUN / 4 ? 4 * run->len : MAX_RUN;
		return run;
	}
	run = &process->runs[process->next_run++ % NR_RUNS];
	*run = (struct store_run) { page, page, 1 };
	return run;
}

static bool is_ready(size_t page)
{
	return page_set_has(&process->stored, page);
}

static bool may_be_ready(size_t page)
{
	return process->access[page] == ENGINE_TRACKED && !is_ready(page);
}

/* Copies a page and following ones of its run, and permits stores to them. */
static void make_ready(size_t page)
{
	const size_t len = process->page_len;
	size_t first = page, end = page + 1, i;
	struct store_run *run;

	if (is_ready(page)) {
		set_prot(page, 1, PROT_READ | PROT_WRITE);
		return;
	}
	run = run_of(page);
	if (page < run->first) {
		while (end - first < run->len && first > 0 &&
		       may_be_ready(first - 1))
			first--;
		run->first = first;
	} else {
		while (end - first < run->len && end < process->nr_pages &&
		       may_be_ready(end))
			end++;
		run->end = end;
	}
	memcpy(process->before + first * len, page_addr(first),
	       (end - first) * len);
	for (i = first; i < end; i++)
		page_set_add(&process->stored, i);
	process->shared->nr_stored += end - first;
	set_prot(first, end - first, PROT_READ | PROT_WRITE);
}

/* Asks the owner for access. Returns false if it cannot be set up. */
static bool ask(const struct engine_touch *touch)
{
	struct engine_shared *shared = process->shared;
	const unsigned int seen = atomic_load(&shared->nr_answers);
	struct wire_grant grant;
	int fd = -1, err;

	shared->touch = *touch;
	process_tell(EVENT_TOUCH);
	while (atomic_load(&shared->nr_answers) == seen)
		futex_wait(&shared->nr_answers, seen, FOREVER);
	grant = shared->answer;
	if (grant.has_fd)
		fd = process_take_fd();
	err = touch_change(&grant, fd);
	if (fd >= 0)
		close(fd);
	return !err;
}

/* Returns true if the access is permitted now. */
static bool get_page(const struct engine_touch *touch)
{
	const size_t page = touch->off / process->page_len;
	const uint8_t *access = &process->access[page];

	if (*access == ENGINE_HIDDEN ||
	    (*access == ENGINE_READ && touch->is_write)) {
		if (!ask(touch))
			return false;
	} else if (*access != ENGINE_TRACKED) {
		/* Another thread has got the access meanwhile. */
		return true;
	}
	if (*access == ENGINE_TRACKED && touch->is_write)
		make_ready(page);
	return true;
}

static bool is_in(const struct range *at, uintptr_t addr)
{
	return addr - at->start < at->end - at->start;
}

/*
 * Returns true if a store to a variable is the runtime's: the dynamic linker
 * stores a function's address in the program at its first call, and some
 * variables of the C and C++ libraries lie in the program.
 */
static bool is_runtimes(uintptr_t addr, uintptr_t ip)
{
	const struct objects *objects = process->start.objects;
	const struct segment *storing = objects_find(objects, ip);
	size_t i;

	if (storing && storing->may_store)
		return true;
	for (i = 0; i < objects->nr_open; i++)
		if (is_in(&objects->open[i], addr))
			return true;
	return false;
}

/*
 * Makes the page writable until the block ends, since a single store cannot be
 * permitted. Runs without the lock, because the handler itself faults here when
 * it calls a function for the first time.
 */
static bool open_page(uintptr_t addr, uintptr_t ip)
{
	const struct objects *objects = process->start.objects;
	const struct segment *segment = objects_find(objects, addr);
	const uintptr_t page = addr & ~(process->page_len - 1);
	unsigned int nr;

	if (!segment || !segment->is_host || !segment->is_writable ||
	    !is_runtimes(addr, ip))
		return false;
	if (mprotect((void *)page, process->page_len, PROT_READ | PROT_WRITE))
		return false;
	nr = atomic_fetch_add(&process->nr_opened, 1);
	if (nr < MAX_OPENED)
		atomic_store(&process->opened[nr], page);
	return true;
}

static bool is_in_window(uintptr_t addr)
{
	return addr - (uintptr_t)process->window < process->start.window.len;
}

static bool may_go_on(const struct engine_touch *touch)
{
	bool ret;

	futex_lock(&process->lock);
	ret = get_page(touch);
	if (ret)
		futex_unlock(&process->lock);
	return ret;
}

/**
 * touch_is_beyond_stack() - check for a stack overflow
 * @addr: address that was touched
 * @context: ucontext_t of the signal
 *
 * Return: true if the address is no further than a large frame from the stack
 * pointer.
 */
bool touch_is_beyond_stack(uintptr_t addr, const void *context)
{
	return addr - (trap_sp(context) - STACK_NEAR) < 2 * STACK_NEAR;
}

static void __attribute__((noreturn)) end_by_fault(int signal,
						   const siginfo_t *info,
						   const ucontext_t *context)
{
	struct engine_result *result = &process->shared->result;

	result->addr = (uintptr_t)info->si_addr;
	result->ip = trap_ip(context);
	result->is_write = trap_is_store(context);
	if (is_in_window(result->addr))
		result->place = ENGINE_WINDOW;
	else
		result->place = mappings_place(&process->mappings,
					       result->addr);
	if (result->place == ENGINE_UNKNOWN &&
	    touch_is_beyond_stack(result->addr, context))
		result->place = ENGINE_STACK;
	touch_end(-EFAULT, signal);
}

/* Returns true if a data access, and no fetch, was denied by protection. */
static bool is_access(int signal, const siginfo_t *info,
		      const ucontext_t *context)
{
	return signal == SIGSEGV && info->si_code == SEGV_ACCERR &&
	       !trap_is_fetch(context);
}

static bool handle(const siginfo_t *info, const ucontext_t *context)
{
	const uintptr_t addr = (uintptr_t)info->si_addr;
	const struct engine_touch touch = {
		.off = addr - (uintptr_t)process->window,
		.ip = trap_ip(context),
		.is_write = trap_is_store(context),
	};

	if (!is_in_window(addr)) {
		if (touch.is_write && open_page(addr, touch.ip))
			return true;
		futex_lock(&process->lock);
		return false;
	}
	return may_go_on(&touch);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	const int err = errno;

	if (is_access(signal, info, context)) {
		if (!handle(info, context))
			end_by_fault(signal, info, context);
		errno = err;
		return;
	}
	futex_lock(&process->lock);
	if (info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS))
		end_by_fault(signal, info, context);
	touch_end(signal == SIGABRT ? -ECANCELED : -EIO, signal);
}

/**
 * touch_init() - install the process's signal handlers
 *
 * Return: 0 or -errno.
 */
int touch_init(void)
{
	static const int signals[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS,
	};
	struct sigaction action = {
		.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	size_t i;

	/* Bind errno now: the handler uses it before it can permit stores. */
	errno = 0;
	sigfillset(&action.sa_mask);
	sigdelset(&action.sa_mask, SIGSEGV);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (__sigaction(signals[i], &action, NULL))
			return -errno;
	return 0;
}

/**
 * touch_thread_init() - set up a signal stack for a thread that runs jobs
 * @at: stack of TOUCH_STACK_LEN bytes, or NULL
 *
 * Return: 0, or -ENOMEM.
 */
int touch_thread_init(void *at)
{
	const stack_t stack = { .ss_sp = at, .ss_size = TOUCH_STACK_LEN };

	return at && !sigaltstack(&stack, NULL) ? 0 : -ENOMEM;
}
