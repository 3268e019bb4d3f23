/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An engine is a process. It has the device view of the window at the addresses
 * at which the application has the CPU view, and nothing else of the
 * application's memory. It runs one job at a time. At each first touch of a
 * page its owner, a backend, decides what the job may do there.
 *
 * This code knows neither streams nor attach states nor the model.
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
 * struct range - a range of addresses
 * @start: first address
 * @end: address after the last
 */
struct range {
	uintptr_t start;
	uintptr_t end;
};

/**
 * struct engine_window - the memory that an engine shares with the application
 * @addr: address of the window, the same on both sides
 * @len: bytes
 * @page_shift: log2 of the page size
 * @view: file of the device view, with the window's offsets; none: each grant
 *	has a file
 * @before: file for the contents of pages before a job's first store to them,
 *	with the window's offsets; none: stores are not tracked
 * @is_inline: jobs run on threads of the application, with its memory and
 *	without protection; struct engine_ops is not called
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
 * enum engine_access - access of a job to a range
 * @ENGINE_HIDDEN: none: the next touch calls the owner
 * @ENGINE_READ: reads; a store calls the owner
 * @ENGINE_TRACKED: reads and stores; the contents of a page before its first
 *	store in each job are kept
 * @ENGINE_WRITE: reads and stores
 */
enum engine_access {
	ENGINE_HIDDEN,
	ENGINE_READ,
	ENGINE_TRACKED,
	ENGINE_WRITE,
};

/**
 * struct engine_touch - a touch for which an engine lacks the access
 * @off: byte of the window
 * @ip: instruction
 * @is_write: the touch is a store
 */
struct engine_touch {
	uint64_t off;
	uintptr_t ip;
	bool is_write;
};

/**
 * struct engine_grant - a change of an engine's access
 * @off: first byte in the window, at a page
 * @len: bytes, whole pages
 * @access: access from now on, also for later jobs
 * @file: file to map there, which stays the owner's; none: the window's
 * @fd_off: offset of @off in @file
 */
struct engine_grant {
	uint64_t off;
	uint64_t len;
	enum engine_access access;
	struct own_fd file;
	uint64_t fd_off;
};

/**
 * enum engine_place - what an illegal address is in the application
 * @ENGINE_UNKNOWN: not mapped
 * @ENGINE_HOST_HEAP: its heap
 * @ENGINE_HOST_STACK: one of its stacks
 * @ENGINE_HOST_GLOBAL: a variable of the program or of a library
 * @ENGINE_HOST_CODE: code or constants
 * @ENGINE_WINDOW: in the window, where the owner refused the access
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
 * @kernel: a function of the application or of one of its libraries
 * @entry: another function, whose library @kernel needs; NULL: none
 * @grid: blocks in x, y and z, each above 0
 * @block: threads of a block, passed to the kernel
 * @shared_len: bytes of block-shared memory, zeroed for each block
 * @args: arguments, which are copied
 * @args_len: bytes, at most MEM_ARGS_MAX
 * @timeout_ns: time after which the job is ended; 0: none. An inline job is
 *	never ended
 * @changes: changes of access since the end of the previous job
 * @nr_changes: number of changes
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
 * struct engine_result - how a job ended
 * @status: 0; -EFAULT: illegal address; -ETIME: ended by the watchdog;
 *	-ECANCELED: the kernel called abort; -EIO: it called exit or fork, or
 *	another signal ended it; -EOWNERDEAD: the engine was killed; -ENOMEM,
 *	-EAGAIN, -EMFILE or -ENFILE: no engine could be started, or it ran out
 *	of mappings; -EBADF: the program has closed a descriptor of the library;
 *	-EINVAL: too many blocks or bytes; -EPERM: called in a child of the
 *	process that created the engine
 * @signal: -EIO, -ECANCELED, -EFAULT: the signal, 0 none
 * @addr: -EFAULT: the address
 * @ip: -EFAULT: the instruction
 * @is_write: -EFAULT: the access was a store
 * @place: -EFAULT: what the address is
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
 * struct engine_ops - functions of the owner, called in engine_run()'s thread
 * @touch: decides on a touch: fills in a grant that contains the page and
 *	returns 0, or returns -EFAULT, which ends the job
 * @written: called when the job has ended, also with an error, for each run of
 *	tracked pages; the file @before has their previous contents. If
 *	is_changed is set, every page of the run has changed; otherwise some may
 *	not have been stored to, because pages are made writable ahead
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
struct mappings *mappings_get(void);
void mappings_put(struct mappings *mappings);
size_t mappings_nr(const struct mappings *mappings);
size_t mappings_run_of(const struct mappings *mappings, const struct range *at,
		       const struct own_fd *file, uint64_t off, bool *is_there);
int mappings_check_own(uintptr_t start, uintptr_t end, bool *can_hold_back,
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
