// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where the threads of the process have their stacks, and the data that the
 * kernel and the C library keep for them. The kernel knows an address in the
 * C library's struct of each thread: that of the thread's robust futexes. The
 * struct is at the upper end of a thread's stack; that of the first thread, and
 * its thread-local variables, are in a mapping of their own.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#if __has_include("sys/rseq.h")
#include <sys/rseq.h>
#endif
#include <sys/syscall.h>
#include <unistd.h>

#include "process.h"

/* More than the C library's struct; thread-local variables lie below it */
#define THREAD_NEAR	(16UL << 10)
/* More than the frames of a thread on a stack that the program made */
#define FRAMES_NEAR	(64UL << 10)

#define ENTRIES_LEN	2048
#define TRIES		16

static bool threads_overlap(const struct range *at, uintptr_t start,
			    uintptr_t end)
{
	return at->start < end && start < at->end;
}

/* Returns the end of the inaccessible addresses below @addr. */
static uintptr_t threads_stack_of(const struct mappings *mappings,
				  uintptr_t addr)
{
	uintptr_t start = addr;
	size_t i;

	for (i = mappings->nr; i--;) {
		const struct mapping *at = &mappings->at[i];

		if (at->at.start >= start)
			continue;
		if (at->at.end < start || !at->is_writable)
			break;
		start = at->at.start;
	}
	return start;
}

/* Returns the address of the robust futexes' list, 0 if there is none. */
static uintptr_t threads_list_of(pid_t tid)
{
	struct robust_list_head *head = NULL;
	size_t len;

	if (syscall(SYS_get_robust_list, tid, &head, &len))
		return 0;
	return (uintptr_t)head;
}

/* A thread that has just been created is about to set its list. */
static uintptr_t threads_wait_list_of(pid_t tid)
{
	uintptr_t list = threads_list_of(tid);
	unsigned int i;

	for (i = 0; !list && i < TRIES; i++) {
		sched_yield();
		list = threads_list_of(tid);
	}
	return list;
}

static void threads_extend(struct range *at, uintptr_t start, size_t len)
{
	if (start < at->start)
		at->start = start;
	if (start + len > at->end)
		at->end = start + len;
}

/* What a signal, its handler and the kernel need of the caller's own data. */
static struct range threads_own(uintptr_t list)
{
	struct range own = { list, list + sizeof(struct robust_list_head) };

	threads_extend(&own, (uintptr_t)&errno, sizeof(errno));
#if __has_include("sys/rseq.h")
	threads_extend(&own, (uintptr_t)pthread_self() + __rseq_offset,
		       __rseq_size);
#endif
	return own;
}

/* These data have the same distance from the list in all threads. */
static bool threads_uses(const struct mappings *mappings,
			 const struct range *at, pid_t tid)
{
	const uintptr_t list = threads_wait_list_of(tid);
	const uintptr_t own_list = threads_list_of(0);
	const struct range own = threads_own(own_list);
	uintptr_t start = own.start - own_list + list - THREAD_NEAR;

	if (!list || !own_list)
		return true;
	if (tid != getpid())
		start = threads_stack_of(mappings, start);
	return threads_overlap(at, start, own.end - own_list + list);
}

/* Returns true if a thread that is listed in the folder @fd uses a range. */
static bool threads_any_uses(int fd, const struct mappings *mappings,
			     const struct range *at)
{
	char __attribute__((aligned(8))) entries[ENTRIES_LEN];
	const struct dirent64 *entry;
	long len, i;

	while ((len = syscall(SYS_getdents64, fd, entries, sizeof(entries))) >
	       0)
		for (i = 0; i < len; i += entry->d_reclen) {
			entry = (const struct dirent64 *)(entries + i);
			if (*entry->d_name != '.' &&
			    threads_uses(mappings, at, atoi(entry->d_name)))
				return true;
		}
	return len < 0;
}

/* The first thread's stack may have been cut by a registered range. */
static bool threads_first_uses(const struct mappings *mappings,
			       const struct range *at)
{
	size_t i;

	for (i = 0; i < mappings->nr; i++) {
		const struct range *stack = &mappings->at[i].at;

		if (mappings->at[i].grows &&
		    threads_overlap(at, threads_stack_of(mappings,
							 stack->end),
				    stack->end))
			return true;
	}
	return false;
}

/**
 * threads_use() - look for stacks and data of threads in a range
 * @mappings: all mappings of the process
 * @at: range, whole pages
 *
 * Stacks that the program uses without the C library (coroutines), and
 * alternate stacks for signals, are not found, except that of the caller.
 *
 * Context: any thread; calls no allocator.
 * Return: true if there are any, or if that is unknown.
 */
bool threads_use(const struct mappings *mappings, const struct range *at)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	bool ret;
	int fd;

	if (threads_overlap(at, frame - FRAMES_NEAR, frame + FRAMES_NEAR) ||
	    threads_first_uses(mappings, at))
		return true;
	fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return true;
	ret = threads_any_uses(fd, mappings, at);
	close(fd);
	return ret;
}
