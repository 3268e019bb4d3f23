/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An engine is a process (DESIGN 3.2). It has the window's device view at the
 * addresses at which the application has the CPU view, and no other memory of
 * the application. It runs one job at a time. At the first touch of each page,
 * the engine's owner decides what the job may do there.
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
 * struct range - addresses
 * @start: first byte
 * @end: behind the last byte
 */
struct range {
	uintptr_t start;
	uintptr_t end;
};

/**
 * struct engine_window - the memory that an engine shares with the application
 * @addr: address of the window, the same in both processes
 * @len: bytes
 * @page_shift: log2 of the page size
 * @view: file of the device view, with the offsets of the window; none: each
 *	grant brings a file
 * @before: file for copies of pages, made before a job's first store to them,
 *	with the same offsets; none: stores are not tracked
 * @is_inline: jobs run on threads of the application, with its memory and
 *	without protection; struct engine_ops is not used
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
 * @ENGINE_HIDDEN: nothing; any touch asks the owner
 * @ENGINE_READ: read; a store asks the owner
 * @ENGINE_TRACKED: read and store; a page is copied before its first store in
 *	each job
 * @ENGINE_WRITE: read and store
 */
enum engine_access {
	ENGINE_HIDDEN,
	ENGINE_READ,
	ENGINE_TRACKED,
	ENGINE_WRITE,
};

/**
 * struct engine_touch - an access for which a worker of an engine asks
 * @off: offset of the byte in the window
 * @ip: address of the instruction
 * @is_write: the access is a store
 */
struct engine_touch {
	uint64_t off;
	uintptr_t ip;
	bool is_write;
};

/**
 * struct engine_grant - access that the owner grants
 * @off: offset of the first byte in the window, multiple of the page size
 * @len: bytes, whole pages
 * @access: access from now on, including later jobs
 * @file: file to map there, owned by the owner; none: the window's
 * @fd_off: offset in @file
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
 * @ENGINE_UNKNOWN: the application had nothing mapped there
 * @ENGINE_HOST_HEAP: heap of the application
 * @ENGINE_HOST_STACK: stack of one of its threads
 * @ENGINE_HOST_GLOBAL: variable of the application or of a library
 * @ENGINE_HOST_CODE: code or constants of the application
 * @ENGINE_WINDOW: in the window, where the owner refused access
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
 * @kernel: function of the application or of one of its libraries
 * @entry: another function that the kernel needs, or NULL
 * @grid: number of blocks in x, y and z, each above 0
 * @block: threads of a block; only passed on to the kernel
 * @shared_len: bytes of block-shared memory, zeroed for each block
 * @args: arguments; copied
 * @args_len: bytes, at most MEM_ARGS_MAX
 * @timeout_ns: the job is ended after this time; 0: never. Jobs of an inline
 *	engine are never ended.
 * @changes: changes of access since the end of the previous job
 * @nr_changes: number of @changes
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
 *	-ECANCELED: the job called abort(); -EIO: it called exit() or fork(), or
 *	was ended by another signal; -EOWNERDEAD: the engine was killed from
 *	outside; -ENOMEM, -EAGAIN, -EMFILE or -ENFILE: no engine could be
 *	started, or it ran out of mappings; -EBADF: the program has closed a
 *	descriptor of the library; -EINVAL: too many blocks or bytes; -EPERM:
 *	the caller is a child of the process that made the engine
 * @signal: signal of -EIO, -ECANCELED and -EFAULT; 0: none
 * @addr: illegal address of -EFAULT
 * @ip: instruction of -EFAULT
 * @is_write: the access of -EFAULT was a store
 * @place: where @addr lies
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
 * struct engine_ops - callbacks to the owner, in the thread of engine_run()
 * @touch: fills in a grant that contains the touched page and returns 0; or
 *	returns -EFAULT, which ends the job
 * @written: called after the job, even if it failed, for each run of tracked
 *	pages that it stored to; @before has their previous bytes. If
 *	is_changed, the bytes of each page have changed. Otherwise the run may
 *	contain pages that were made writable along with others and not stored
 *	to.
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
