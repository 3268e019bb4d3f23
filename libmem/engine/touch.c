// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Touches of a job, in the process of the engine. For a page that it may not
 * touch yet, the owner is asked; the contents of a tracked page are saved
 * before the first store to it; any other fault ends the job.
 *
 * A handler holds the process's lock until it returns, so that there is one
 * request at a time, and calls only async-signal-safe functions. A handler that
 * ends the job keeps the lock: the owner then ends the process.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "../trap.h"
#include "process.h"

/* A stack overflow touches an address at most this far beyond the stack. */
#define STACK_NEAR	(64UL << 10)

/* The C library's internal name: the public function may be interposed. */
int __sigaction(int signal, const struct sigaction *action,
		struct sigaction *old);

static int touch_prot_of(enum engine_access access)
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

static void *touch_page_addr(size_t page)
{
	return process->window + page * process->page_len;
}

/* Without access, a file of a buffer is unmapped, so that it can be freed. */
static int touch_protect(const struct wire_grant *grant, int fd)
{
	void *addr = process->window + grant->off;
	const int prot = touch_prot_of(grant->access);
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
 * Pages that differ from their neighbours are separate mappings, whose number
 * is limited. Without any access there is one mapping, and touches fault again.
 */
static void touch_hide_all(void)
{
	mprotect(process->window, process->start.window.len, PROT_NONE);
	madvise(process->access, process->nr_pages, MADV_DONTNEED);
}

/*
 * Protects tracked pages. If this fails, the next touch asks the owner again.
 */
static void touch_set_prot(size_t page, size_t nr, int prot)
{
	if (mprotect(touch_page_addr(page), nr * process->page_len, prot))
		touch_hide_all();
}

/**
 * touch_change() - change the access of jobs
 * @grant: range and access
 * @fd: file to map there, -1 none
 *
 * Context: any, also a signal handler; the lock is held, or no job runs.
 * Return: 0, -ENOMEM (too many mappings), or another error of mmap().
 */
int touch_change(const struct wire_grant *grant, int fd)
{
	int err = touch_protect(grant, fd);

	if (err == -ENOMEM) {
		touch_hide_all();
		err = touch_protect(grant, fd);
	}
	if (!err)
		memset(process->access + grant->off / process->page_len,
		       (int)grant->access, grant->len / process->page_len);
	return err;
}

/* Applies to the pages of a run that are still tracked. */
static void touch_track_again(size_t page, size_t nr)
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
			touch_set_prot(first, page - first, PROT_READ);
	}
}

/**
 * touch_begin_job() - track pages again that the previous job stored to
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
		touch_track_again(page, nr);
	page_set_clear(stored);
	process->shared->nr_stored = 0;
}

static bool touch_is_unchanged(size_t page)
{
	const size_t len = process->page_len;

	return !memcmp(process->before + page * len, touch_page_addr(page),
		       len);
}

/*
 * Removes pages from the set that were made writable ahead and not stored to.
 * Returns false if one remains, because there are too many mappings: pages that
 * are to be compared are not hidden for that.
 */
static bool touch_drop_unchanged(size_t page, size_t end)
{
	size_t first;

	while (page < end) {
		while (page < end && !touch_is_unchanged(page))
			page++;
		first = page;
		while (page < end && touch_is_unchanged(page))
			page++;
		if (page > first && mprotect(touch_page_addr(first),
					     (page - first) * process->page_len,
					     PROT_READ))
			return false;
		for (; first < page; first++)
			page_set_remove(&process->stored, first);
	}
	return true;
}

/* Pages that had to be hidden meanwhile cannot be compared. */
static bool touch_can_compare(size_t page, size_t end)
{
	while (page < end && process->access[page] == ENGINE_TRACKED)
		page++;
	return page == end;
}

/**
 * touch_end_job() - find out which writable pages the job has changed
 *
 * Done here because their bytes are in this processor's cache.
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
		if (!touch_can_compare(page, page + nr))
			return;
	for (page = page_set_next(stored, 0, &nr); nr;
	     page = page_set_next(stored, page + nr, &nr))
		if (!touch_drop_unchanged(page, page + nr))
			return;
	process->shared->is_compared = true;
}

/**
 * touch_begin_block() - protect variables again that the loader stored to
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
 * touch_end() - end the job with an error
 * @status: status of the result, whose other members are filled in
 * @signal: signal of the result
 *
 * Context: any, also a signal handler; the lock is held.
 */
void touch_end(int status, int signal)
{
	struct engine_result *result = &process->shared->result;

	result->status = status;
	result->signal = signal;
	process_send_event(EVENT_END);
	for (;;)
		pause();
}

/* Finds the run that a page continues; four times as many pages follow. */
static struct store_run *touch_run_of(size_t page)
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

static bool touch_is_ready(size_t page)
{
	return page_set_has(&process->stored, page);
}

static bool touch_may_be_ready(size_t page)
{
	return process->access[page] == ENGINE_TRACKED && !touch_is_ready(page);
}

/* Saves the page and those that follow, then makes them writable. */
static void touch_make_ready(size_t page)
{
	const size_t len = process->page_len;
	size_t first = page, end = page + 1, i;
	struct store_run *run;

	if (touch_is_ready(page)) {
		touch_set_prot(page, 1, PROT_READ | PROT_WRITE);
		return;
	}
	run = touch_run_of(page);
	if (page < run->first) {
		while (end - first < run->len && first > 0 &&
		       touch_may_be_ready(first - 1))
			first--;
		run->first = first;
	} else {
		while (end - first < run->len && end < process->nr_pages &&
		       touch_may_be_ready(end))
			end++;
		run->end = end;
	}
	memcpy(process->before + first * len, touch_page_addr(first),
	       (end - first) * len);
	for (i = first; i < end; i++)
		page_set_add(&process->stored, i);
	process->shared->nr_stored += end - first;
	touch_set_prot(first, end - first, PROT_READ | PROT_WRITE);
}

/* Sends a touch to the owner. */
static bool touch_request(const struct engine_touch *touch)
{
	struct engine_shared *shared = process->shared;
	const unsigned int seen = atomic_load(&shared->nr_replies);
	struct wire_grant grant;
	int fd = -1, err;

	shared->touch = *touch;
	process_send_event(EVENT_TOUCH);
	while (atomic_load(&shared->nr_replies) == seen)
		futex_wait(&shared->nr_replies, seen, FOREVER);
	grant = shared->reply;
	if (grant.has_fd)
		fd = process_take_fd();
	err = touch_change(&grant, fd);
	if (fd >= 0)
		close(fd);
	return !err;
}

/* Makes the page accessible, or ends the job. */
static bool touch_get_page(const struct engine_touch *touch)
{
	const size_t page = touch->off / process->page_len;
	const uint8_t *access = &process->access[page];

	if (*access == ENGINE_HIDDEN ||
	    (*access == ENGINE_READ && touch->is_write)) {
		if (!touch_request(touch))
			return false;
	} else if (*access != ENGINE_TRACKED) {
		/* Another thread has made it accessible. */
		return true;
	}
	if (*access == ENGINE_TRACKED && touch->is_write)
		touch_make_ready(page);
	return true;
}

static bool touch_range_has(const struct range *at, uintptr_t addr)
{
	return addr - at->start < at->end - at->start;
}

/*
 * The loader looks up a function at its first call, and stores its address in
 * memory of the program. Some variables of the C and C++ library are there,
 * too.
 */
static bool touch_is_by_runtime(uintptr_t addr, uintptr_t ip)
{
	const struct objects *objects = process->start.objects;
	const struct segment *storing = objects_find(objects, ip);
	size_t i;

	if (storing && storing->may_store)
		return true;
	for (i = 0; i < objects->nr_open; i++)
		if (touch_range_has(&objects->open[i], addr))
			return true;
	return false;
}

/*
 * Makes its page writable until the end of the block: a shorter time cannot be
 * determined. A handler may come here itself when it calls a function for the
 * first time, so the lock is not needed.
 */
static bool touch_open_page(uintptr_t addr, uintptr_t ip)
{
	const struct objects *objects = process->start.objects;
	const struct segment *segment = objects_find(objects, addr);
	const uintptr_t page = addr & ~(process->page_len - 1);
	unsigned int nr;

	if (!segment || !segment->is_host || !segment->is_writable ||
	    !touch_is_by_runtime(addr, ip))
		return false;
	if (mprotect((void *)page, process->page_len, PROT_READ | PROT_WRITE))
		return false;
	nr = atomic_fetch_add(&process->nr_opened, 1);
	if (nr < MAX_OPENED)
		atomic_store(&process->opened[nr], page);
	return true;
}

static bool touch_is_in_window(uintptr_t addr)
{
	return addr - (uintptr_t)process->window < process->start.window.len;
}

static bool touch_may_continue(const struct engine_touch *touch)
{
	bool ret;

	futex_lock(&process->lock);
	ret = touch_get_page(touch);
	if (ret)
		futex_unlock(&process->lock);
	return ret;
}

/**
 * touch_is_beyond_stack() - check for a stack overflow
 * @addr: address of the touch
 * @context: context of the signal, ucontext_t
 *
 * Return: true if @addr is at most a large frame away from the stack.
 */
bool touch_is_beyond_stack(uintptr_t addr, const void *context)
{
	return addr - (trap_sp(context) - STACK_NEAR) < 2 * STACK_NEAR;
}

static void __attribute__((noreturn))
touch_end_by_fault(int signal, const siginfo_t *info, const ucontext_t *context)
{
	struct engine_result *result = &process->shared->result;

	result->addr = (uintptr_t)info->si_addr;
	result->ip = trap_ip(context);
	result->is_write = trap_is_store(context);
	if (touch_is_in_window(result->addr))
		result->place = ENGINE_WINDOW;
	else
		result->place = mappings_place(&process->mappings,
					       result->addr);
	if (result->place == ENGINE_UNKNOWN &&
	    touch_is_beyond_stack(result->addr, context))
		result->place = ENGINE_STACK;
	touch_end(-EFAULT, signal);
}

/* Returns true if an instruction accessed a page without the permission. */
static bool touch_is_access_fault(int signal, const siginfo_t *info,
				  const ucontext_t *context)
{
	return signal == SIGSEGV && info->si_code == SEGV_ACCERR &&
	       !trap_is_fetch(context);
}

static bool touch_handle(const siginfo_t *info, const ucontext_t *context)
{
	const uintptr_t addr = (uintptr_t)info->si_addr;
	const struct engine_touch touch = {
		.off = addr - (uintptr_t)process->window,
		.ip = trap_ip(context),
		.is_write = trap_is_store(context),
	};

	if (!touch_is_in_window(addr)) {
		if (touch.is_write && touch_open_page(addr, touch.ip))
			return true;
		futex_lock(&process->lock);
		return false;
	}
	return touch_may_continue(&touch);
}

static void touch_on_signal(int signal, siginfo_t *info, void *context)
{
	const int err = errno;

	if (touch_is_access_fault(signal, info, context)) {
		if (!touch_handle(info, context))
			touch_end_by_fault(signal, info, context);
		errno = err;
		return;
	}
	futex_lock(&process->lock);
	if (info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS))
		touch_end_by_fault(signal, info, context);
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
		.sa_sigaction = touch_on_signal,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	size_t i;

	/* The handler needs it before the loader may store. */
	errno = 0;
	sigfillset(&action.sa_mask);
	sigdelset(&action.sa_mask, SIGSEGV);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (__sigaction(signals[i], &action, NULL))
			return -errno;
	return 0;
}

/**
 * touch_thread_init() - set the stack of signal handlers for a thread
 * @at: TOUCH_STACK_LEN bytes, or NULL
 *
 * Return: 0, or -ENOMEM.
 */
int touch_thread_init(void *at)
{
	const stack_t stack = { .ss_sp = at, .ss_size = TOUCH_STACK_LEN };

	return at && !sigaltstack(&stack, NULL) ? 0 : -ENOMEM;
}
