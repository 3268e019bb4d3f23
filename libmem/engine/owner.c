// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The owner's side of an engine: it creates and destroys engines, sends jobs to
 * the process, and replies to its requests.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "../internal.h"
#include "owner.h"

#define FLUSH_NS	(10 * NS_PER_S)
/* The default of mem_launch.timeout_ns in include/libmem.h */
#define DEFAULT_TIMEOUT_NS	(10 * NS_PER_S)

/* Number of processes in succession that may die before they accept a job. */
#define NR_TRIES	4

/**
 * engine_has_valgrind() - check whether valgrind runs this process
 *
 * Context: any thread; reads the environment.
 * Return: true if it does.
 */
bool engine_has_valgrind(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	/* valgrind preloads its libraries. */
	return preloaded && strstr(preloaded, "/vgpreload_");
}

/**
 * engine_is_known() - check the value of LIBMEM_ENGINE
 *
 * Context: any thread; reads the environment.
 * Return: true if it is valid, empty or unset.
 */
bool engine_is_known(void)
{
	const char *wanted = getenv("LIBMEM_ENGINE");

	return !wanted || !*wanted || !strcmp(wanted, "inline") ||
	       !strcmp(wanted, "process");
}

/**
 * engine_is_inline() - check whether engines run in the application
 *
 * They do if LIBMEM_ENGINE is "inline", and under valgrind and ThreadSanitizer,
 * which see one process at a time, unless LIBMEM_ENGINE is "process".
 *
 * Context: any thread; reads the environment.
 * Return: true if they do.
 */
bool engine_is_inline(void)
{
	const char *wanted = getenv("LIBMEM_ENGINE");

	if (wanted && *wanted)
		return !strcmp(wanted, "inline");
	return __tsan_init || engine_has_valgrind();
}

/**
 * engine_create() - create an engine
 * @name: its name, which its threads have, too; cut off after 15 bytes
 * @window: shared memory; the files stay the caller's, and must remain open
 *	until engine_destroy()
 * @ops: functions of the owner
 * @owner: first argument of @ops
 * @made: out: engine, for engine_destroy()
 *
 * Its process is created for its first job.
 *
 * Context: any thread.
 * Return: 0, or -ENOMEM.
 */
int engine_create(const char *name, const struct engine_window *window,
		  const struct engine_ops *ops, void *owner,
		  struct engine **made)
{
	struct engine *engine;
	int err;

	err = engine_list_init();
	if (err)
		return err;
	engine = calloc(1, sizeof(*engine));
	if (!engine)
		return -ENOMEM;
	strncpy(engine->name, name, sizeof(engine->name) - 1);
	engine->window = *window;
	engine->ops = ops;
	engine->owner = owner;
	engine->sock = OWN_FD_NONE;
	engine->pidfd = OWN_FD_NONE;
	pthread_mutex_init(&engine->lock, NULL);
	if (window->is_inline || engine_is_inline()) {
		err = inline_create(name, window, &engine->in_process);
		if (err)
			goto err_free;
	}
	engine_list_add(engine);
	*made = engine;
	return 0;

err_free:
	free(engine);
	return err;
}

/**
 * engine_destroy() - end an engine
 * @engine: engine that runs no job, or NULL, which does nothing
 *
 * Output of its jobs is flushed.
 *
 * Context: any thread; may sleep.
 */
void engine_destroy(struct engine *engine)
{
	if (!engine)
		return;
	if (engine->in_process && !engine->is_foreign)
		inline_destroy(engine->in_process);
	if (!engine->is_foreign) {
		engine_list_del(engine);
		spawn_end(engine);
		spawn_release(engine);
		pthread_mutex_destroy(&engine->lock);
	}
	free(engine);
}

/* Ensures that there is a process that can run this job. */
static int owner_get_process(struct engine *engine,
			     const struct engine_job *job)
{
	const uintptr_t kernel = (uintptr_t)job->kernel;
	const uintptr_t entry = (uintptr_t)job->entry;

	if (engine->sock.nr >= 0 &&
	    (spawn_is_dead(engine, 0) ||
	     !objects_have(engine->objects, kernel) ||
	     (entry && entry != kernel &&
	      !objects_have(engine->objects, entry))))
		spawn_give_up(engine);
	return engine->sock.nr >= 0 ? 0 : spawn_start(engine);
}

static int owner_send_file(const struct engine *engine,
			   const struct own_fd *file)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {
		.head = {
			.cmsg_len = CMSG_LEN(sizeof(int)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		},
	};
	char byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	const struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};

	if (!own_fd_is_open(&engine->sock) || !own_fd_is_open(file))
		return -EBADF;
	memcpy(CMSG_DATA(&control.head), &file->nr, sizeof(file->nr));
	if (sendmsg(engine->sock.nr, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
		return -errno;
	return 0;
}

static int owner_send_grant(const struct engine *engine,
			    const struct engine_grant *grant,
			    struct wire_grant *to)
{
	enum engine_access access = grant->access;

	if (access == ENGINE_TRACKED && engine->window.before.nr < 0)
		access = ENGINE_WRITE;
	*to = (struct wire_grant) {
		.off = grant->off,
		.len = grant->len,
		.fd_off = grant->fd_off,
		.access = access,
		.has_fd = grant->file.nr >= 0,
	};
	return grant->file.nr >= 0 ? owner_send_file(engine, &grant->file) : 0;
}

static void owner_request(struct engine *engine, enum engine_request what)
{
	engine->shared->request = what;
	atomic_fetch_add(&engine->shared->nr_requests, 1);
	futex_wake(&engine->shared->nr_requests, 1);
}

static bool owner_grant_has_page(const struct engine_grant *grant, uint64_t off)
{
	return off - grant->off < grant->len;
}

/*
 * Replies to EVENT_TOUCH. Returns 0, -EFAULT with the result filled in, or an
 * error of owner_send_file().
 */
static int owner_reply(struct engine *engine, struct engine_result *result)
{
	struct engine_shared *shared = engine->shared;
	const struct engine_touch touch = shared->touch;
	struct engine_grant grant = { .file = OWN_FD_NONE };
	int err;

	err = engine->ops->touch(engine->owner, &touch, &grant);
	if (!err && owner_grant_has_page(&grant, touch.off))
		err = owner_send_grant(engine, &grant, &shared->reply);
	else
		err = -EFAULT;
	if (err && err != -EFAULT)
		return err;
	if (err) {
		result->addr = (uintptr_t)engine->window.addr + touch.off;
		result->ip = touch.ip;
		result->is_write = touch.is_write;
		result->place = ENGINE_WINDOW;
		result->signal = SIGSEGV;
		return -EFAULT;
	}
	atomic_fetch_add(&shared->nr_replies, 1);
	futex_wake(&shared->nr_replies, 1);
	return 0;
}

/* The process does not have a library that was loaded after it began. */
static void owner_find_place(struct engine_result *result)
{
	struct mappings mappings;
	struct objects *objects;
	void *area;

	if (result->status != -EFAULT || result->place != ENGINE_UNKNOWN ||
	    objects_list(&objects))
		return;
	area = mmap(NULL, MAPPINGS_LEN, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area != MAP_FAILED) {
		mappings_read(&mappings, area, objects);
		result->place = mappings_place(&mappings, result->addr);
		munmap(area, MAPPINGS_LEN);
	}
	objects_free(objects);
}

/* Waits until the request is done. Returns false if the process has failed. */
static bool owner_finish(struct engine *engine, uint64_t deadline,
			 struct engine_result *result)
{
	for (;;) {
		result->status = spawn_wait_event(engine, deadline);
		if (result->status)
			return false;
		switch (engine->shared->event) {
		case EVENT_TOUCH:
			result->status = owner_reply(engine, result);
			if (result->status)
				return false;
			break;
		case EVENT_DONE:
			*result = engine->shared->result;
			return true;
		case EVENT_END:
			*result = engine->shared->result;
			return false;
		}
	}
}

/* Sends changes that do not fit into the job's request before it. */
static int owner_send_changes(struct engine *engine,
			      const struct engine_job *job, uint64_t deadline,
			      struct engine_result *result)
{
	struct engine_shared *shared = engine->shared;
	size_t i;
	int err;

	shared->nr_changes = 0;
	for (i = 0; i < job->nr_changes; i++) {
		if (shared->nr_changes == NR_CHANGES) {
			owner_request(engine, REQUEST_CHANGES);
			if (!owner_finish(engine, deadline, result) ||
			    result->status)
				return -EIO;
			shared->nr_changes = 0;
		}
		err = owner_send_grant(engine, &job->changes[i],
				       &shared->changes[shared->nr_changes]);
		if (err) {
			result->status = err;
			return err;
		}
		shared->nr_changes++;
	}
	return 0;
}

static void owner_send_job(struct engine *engine, const struct engine_job *job)
{
	struct wire_job *wire = &engine->shared->job;

	wire->kernel = job->kernel;
	wire->shared_len = job->shared_len;
	wire->args_len = job->args_len;
	memcpy(wire->grid, job->grid, sizeof(wire->grid));
	memcpy(wire->block, job->block, sizeof(wire->block));
	if (job->args_len)
		memcpy(wire->args, job->args, job->args_len);
	owner_request(engine, REQUEST_JOB);
}

static void owner_report_written(const struct engine *engine)
{
	const uint32_t shift = engine->window.page_shift;
	size_t page, nr;

	if (!engine->shared->nr_stored)
		return;
	for (page = page_set_next(&engine->stored, 0, &nr); nr;
	     page = page_set_next(&engine->stored, page + nr, &nr))
		engine->ops->written(engine->owner, (uint64_t)page << shift,
				     (uint64_t)nr << shift,
				     engine->shared->is_compared);
}

static bool owner_is_accepted(const struct engine *engine)
{
	const struct engine_shared *shared = engine->shared;

	return atomic_load(&shared->nr_taken) ==
	       atomic_load(&shared->nr_requests);
}

/* Returns false if the process died before it accepted the job. */
static bool owner_run_once(struct engine *engine, const struct engine_job *job,
			   struct engine_result *result)
{
	bool is_well, is_begun = false;
	uint64_t deadline;

	result->status = owner_get_process(engine, job);
	if (result->status)
		return true;
	deadline = job->timeout_ns ? now_ns() + job->timeout_ns : FOREVER;
	if (deadline < job->timeout_ns)
		deadline = FOREVER;
	is_well = !owner_send_changes(engine, job, deadline, result);
	if (is_well) {
		owner_send_job(engine, job);
		is_well = owner_finish(engine, deadline, result);
		is_begun = owner_is_accepted(engine);
	}
	if (!is_well || result->status)
		spawn_end(engine);
	owner_report_written(engine);
	if (!is_well || result->status) {
		owner_find_place(result);
		spawn_release(engine);
	}
	return is_begun || result->status != -EOWNERDEAD;
}

/* Flushes output before the job counts as done. */
static void owner_flush(struct engine *engine)
{
	struct engine_result result;

	if (engine->sock.nr < 0 || !engine->shared->has_output)
		return;
	owner_request(engine, REQUEST_FLUSH);
	if (!owner_finish(engine, now_ns() + FLUSH_NS, &result))
		spawn_give_up(engine);
}

static void owner_run(struct engine *engine, const struct engine_job *job,
		      struct engine_result *result)
{
	unsigned int i;

	for (i = 0; i < NR_TRIES; i++)
		if (owner_run_once(engine, job, result))
			break;
	owner_flush(engine);
}

/**
 * engine_run() - run a job
 * @engine: engine
 * @job: job; not needed any more when the call returns
 * @result: out: how it ended
 *
 * The job's output has been flushed, unless its reader is blocked.
 *
 * Context: any thread; sleeps for as long as the job runs. Jobs of an engine
 * run one at a time. The callbacks of the owner are called in this thread.
 */
void engine_run(struct engine *engine, const struct engine_job *job,
		struct engine_result *result)
{
	*result = (struct engine_result) { .status = pool_check(job) };
	if (engine->is_foreign)
		result->status = -EPERM;
	if (result->status)
		return;
	pthread_mutex_lock(&engine->lock);
	if (engine->in_process)
		inline_run(engine->in_process, job, result);
	else
		owner_run(engine, job, result);
	pthread_mutex_unlock(&engine->lock);
}

/**
 * engine_job_of() - convert a launch to a job
 * @launch: launch
 *
 * Return: the job, without changes of access; it refers to the launch's
 * arguments.
 */
struct engine_job engine_job_of(const struct mem_launch *launch)
{
	struct engine_job job = {
		.kernel = launch->kernel,
		.entry = launch->entry,
		.shared_len = launch->shared_len,
		.args = launch->args,
		.args_len = launch->args_len,
		.timeout_ns = launch->timeout_ns ? launch->timeout_ns :
						   DEFAULT_TIMEOUT_NS,
	};

	memcpy(job.grid, launch->grid, sizeof(job.grid));
	memcpy(job.block, launch->block, sizeof(job.block));
	return job;
}
