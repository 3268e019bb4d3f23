// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An engine without a process: its jobs run in the caller and on threads of the
 * application. For boards whose engines have all of a process's memory, and for
 * tools that follow no fork.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../internal.h"
#include "process.h"

#define MAX_HELPERS	1024U

/**
 * struct inline_engine - one
 * @pool: its threads
 * @worker: of the caller, one at a time
 * @args: a job's own copy
 * @name: for its threads
 * @threads: helpers
 * @nr_threads: how many
 * @has_helpers: it was tried to have some
 */
struct inline_engine {
	struct pool pool;
	struct worker worker;
	uint8_t args[MEM_ARGS_MAX] __attribute__((aligned(LINE)));
	char name[ENGINE_NAME_LEN];
	pthread_t *threads;
	unsigned int nr_threads;
	bool has_helpers;
};

static _Thread_local bool is_worker;

/**
 * engine_is_worker() - does the calling thread run a kernel?
 *
 * Context: any, signal handlers too.
 * Return: true if so: in the application itself.
 */
bool engine_is_worker(void)
{
	return is_worker;
}

/**
 * inline_create() - make one
 * @name: of it
 * @made: out: it, for inline_destroy()
 *
 * Return: 0, or -ENOMEM.
 */
int inline_create(const char *name, struct inline_engine **made)
{
	struct inline_engine *engine = aligned_alloc(LINE, sizeof(*engine));

	if (!engine)
		return -ENOMEM;
	memset(engine, 0, sizeof(*engine));
	strncpy(engine->name, name, sizeof(engine->name) - 1);
	*made = engine;
	return 0;
}

/**
 * inline_destroy() - end it
 * @engine: that runs nothing
 */
void inline_destroy(struct inline_engine *engine)
{
	unsigned int i;

	pool_stop(&engine->pool);
	for (i = 0; i < engine->nr_threads; i++)
		pthread_join(engine->threads[i], NULL);
	if (engine->worker.shared)
		munmap(engine->worker.shared, engine->worker.shared_len);
	free(engine->threads);
	free(engine);
}

static void *help(void *arg)
{
	struct inline_engine *engine = arg;
	struct worker worker = { .is_helper = true };

	is_worker = true;
	pool_help(&engine->pool, &worker);
	return NULL;
}

/* Signals are the application's other threads'. It works without helpers. */
static void get_helpers(struct inline_engine *engine, const uint32_t grid[3])
{
	unsigned int max = pool_nr_workers() - 1;
	pthread_t *thread;
	sigset_t old;

	if (engine->has_helpers ||
	    (grid[0] == 1 && grid[1] == 1 && grid[2] == 1))
		return;
	engine->has_helpers = true;
	max = max < MAX_HELPERS ? max : MAX_HELPERS;
	engine->threads = calloc(max + 1, sizeof(*engine->threads));
	if (!engine->threads)
		return;
	signals_block(&old);
	while (engine->nr_threads < max) {
		thread = &engine->threads[engine->nr_threads];
		if (pthread_create(thread, NULL, help, engine))
			break;
		pthread_setname_np(*thread, engine->name);
		engine->nr_threads++;
	}
	signals_restore(&old);
}

/**
 * inline_run() - run a job
 * @engine: that runs none
 * @job: checked
 *
 * Return: 0, or -ENOMEM.
 */
int inline_run(struct inline_engine *engine, const struct engine_job *job)
{
	struct wire_job wire;
	int err;

	wire.kernel = job->kernel;
	wire.shared_len = job->shared_len;
	memcpy(wire.grid, job->grid, sizeof(wire.grid));
	memcpy(wire.block, job->block, sizeof(wire.block));
	if (job->args_len)
		memcpy(engine->args, job->args, job->args_len);
	get_helpers(engine, job->grid);
	is_worker = true;
	err = pool_run(&engine->pool, &engine->worker, &wire, engine->args);
	is_worker = false;
	return err;
}
