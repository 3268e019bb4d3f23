/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An engine is a process (DESIGN 3.2): it has the window's device view at the
 * addresses at which the application has the CPU's, and nothing else of the
 * application's memory. It runs one job at a time. Whoever owns it says, at
 * each first touch of a page, what its job may do there.
 *
 * Nothing here knows streams, attach states or the model.
 */
#ifndef _LIBMEM_ENGINE_H
#define _LIBMEM_ENGINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../fd.h"
#include "libmem.h"

struct engine;

/**
 * struct range - addresses
 * @start: first
 * @end: behind the last
 */
struct range {
	uintptr_t start;
	uintptr_t end;
};

/**
 * struct engine_window - the memory that an engine shares with the application
 * @addr: of the window, the same on both sides
 * @len: bytes
 * @page_shift: log2 of the page size
 * @view: file of the device view, same offsets; none: each grant has one
 * @before: file for pages as they were before a job's first store to them,
 *	same offsets; none: nothing is tracked
 * @is_inline: jobs run on threads of the application, with its memory and
 *	without a process or protection: nobody is asked or told
 */
struct engine_window {
	void *addr;
	size_t len;
	uint32_t page_shift;
	struct own_fd view;
	struct own_fd before;
	bool is_inline;
};

/**
 * enum engine_access - what a job may do with a range
 * @ENGINE_HIDDEN: nothing: the next touch asks
 * @ENGINE_READ: a store asks
 * @ENGINE_TRACKED: both; a page is kept as it was before its first store in
 *	each job
 * @ENGINE_WRITE: both
 */
enum engine_access {
	ENGINE_HIDDEN,
	ENGINE_READ,
	ENGINE_TRACKED,
	ENGINE_WRITE,
};

/**
 * struct engine_touch - a worker of an engine touches what it has no access to
 * @off: byte of the window
 * @ip: instruction
 * @is_write: it stores
 */
struct engine_touch {
	uint64_t off;
	uintptr_t ip;
	bool is_write;
};

/**
 * struct engine_grant - what it gets
 * @off: first byte of the window, of a page
 * @len: bytes, whole pages
 * @access: from now on, for later jobs too
 * @file: to map there, the owner's; none: the window's
 * @fd_off: where in that
 */
struct engine_grant {
	uint64_t off;
	uint64_t len;
	enum engine_access access;
	struct own_fd file;
	uint64_t fd_off;
};

/**
 * enum engine_place - where an illegal address lies
 * @ENGINE_UNKNOWN: nothing of the application's was there
 * @ENGINE_HOST_HEAP: its heap
 * @ENGINE_HOST_STACK: a stack of it
 * @ENGINE_HOST_GLOBAL: a variable of it or of a library
 * @ENGINE_HOST_CODE: its code or constants
 * @ENGINE_WINDOW: in the window, but the owner refused
 * @ENGINE_STACK: beyond the end of the kernel's own stack
 */
enum engine_place {
	ENGINE_UNKNOWN,
	ENGINE_HOST_HEAP,
	ENGINE_HOST_STACK,
	ENGINE_HOST_GLOBAL,
	ENGINE_HOST_CODE,
	ENGINE_WINDOW,
	ENGINE_STACK,
};

/**
 * struct engine_job - a job
 * @kernel: a function of the application or of a library of it
 * @entry: another, which that needs; NULL: none
 * @grid: blocks in x, y and z, each above 0
 * @block: threads of a block, only told to the kernel
 * @shared_len: bytes of block-shared memory, zeroed for each block
 * @args: copied
 * @args_len: bytes, at most MEM_ARGS_MAX
 * @timeout_ns: it is ended after that; 0: never. Nothing ends an inline one
 * @changes: access that is other than at the end of the job before
 * @nr_changes: how many
 */
struct engine_job {
	mem_kernel kernel;
	const void *entry;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared_len;
	const void *args;
	size_t args_len;
	uint64_t timeout_ns;
	const struct engine_grant *changes;
	size_t nr_changes;
};

/**
 * struct engine_result - how it ended
 * @status: 0; -EFAULT: illegal address; -ETIME: the watchdog ended it;
 *	-ECANCELED: it called abort; -EIO: it called exit or fork, or another
 *	signal ended it; -EOWNERDEAD: somebody killed the engine; -ENOMEM,
 *	-EAGAIN, -EMFILE or -ENFILE: no engine could be started, or it ran out
 *	of mappings; -EBADF: the program has closed a descriptor of the library;
 *	-EINVAL: too many blocks or bytes; -EPERM: a child of the process that
 *	made it
 * @signal: of -EIO, -ECANCELED and -EFAULT: which, 0 none
 * @addr: of -EFAULT: what it touched
 * @ip: of -EFAULT: the instruction
 * @is_write: of -EFAULT: it stored
 * @place: of -EFAULT: where that lies
 */
struct engine_result {
	int status;
	int signal;
	uintptr_t addr;
	uintptr_t ip;
	bool is_write;
	enum engine_place place;
};

/**
 * struct engine_ops - what an engine asks its owner; in engine_run()'s thread
 * @touch: fills in the grant, which has the touched page, and returns 0; or
 *	returns -EFAULT: the job ends there
 * @written: a run of tracked pages that the job stored to, when it has ended,
 *	well or not; @before has what they were. is_changed: each of them has
 *	other bytes now. Else some of a run may have been made ready with those
 *	before them and not been stored to
 */
struct engine_ops {
	int (*touch)(void *owner, const struct engine_touch *touch,
		     struct engine_grant *grant);
	void (*written)(void *owner, uint64_t off, uint64_t len,
			bool is_changed);
};

int engine_create(const char *name, const struct engine_window *window,
		  const struct engine_ops *ops, void *owner,
		  struct engine **engine);
void engine_destroy(struct engine *engine);
void engine_run(struct engine *engine, const struct engine_job *job,
		struct engine_result *result);
int mappings_check_own(uintptr_t start, uintptr_t end, bool *is_heap,
		       bool *grows);
const char *engine_name(unsigned int at);
const char *engine_place_name(enum engine_place place);
void engine_leave_kernel(int signal, const siginfo_t *info,
			 const void *context);
bool engine_status_is_final(int status);
bool engine_is_failed(const struct engine_result *result);
const char *engine_end_name(const struct engine_result *result);
struct engine_job engine_job_of(const struct mem_launch *launch);
bool engine_has_valgrind(void);
bool engine_is_forking(void);
bool engine_is_known(void);
bool engine_is_inline(void);
bool engine_is_worker(void);

#endif
