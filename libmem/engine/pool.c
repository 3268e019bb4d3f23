// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Distributes the blocks of a job over threads. The calling thread runs blocks,
 * too; helpers that are late find no block left. A thread takes a block by
 * decrementing the number of blocks left. A result above 0 is a block of the
 * current job, however late the thread is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

#include "process.h"

/**
 * pool_nr_workers() - return how many threads are to run blocks
 *
 * Return: number of CPUs that the caller may use, at least 1.
 */
unsigned int pool_nr_workers(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned int)CPU_COUNT(&set);
}

static uint64_t pool_count_blocks(const uint32_t grid[3])
{
	const unsigned __int128 nr = (unsigned __int128)grid[0] * grid[1] *
				     grid[2];

	return nr > MEM_BLOCKS_MAX ? 0 : (uint64_t)nr;
}

/**
 * pool_check() - check a job
 * @job: job
 *
 * Return: 0, or -EINVAL (no blocks or too many, too many bytes of arguments).
 */
int pool_check(const struct engine_job *job)
{
	return pool_count_blocks(job->grid) && job->args_len <= MEM_ARGS_MAX ?
	       0 : -EINVAL;
}

/* Provides block-shared memory for the job's blocks. */
static int pool_get_shared(struct worker *worker, size_t len)
{
	void *shared;

	if (len <= worker->shared_len)
		return 0;
	shared = mmap(NULL, len, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return -ENOMEM;
	if (worker->shared)
		munmap(worker->shared, worker->shared_len);
	worker->shared = shared;
	worker->shared_len = len;
	return 0;
}

static int pool_run_block(struct pool *pool, struct worker *worker,
			  uint64_t index)
{
	const struct wire_job *job = &pool->job;
	struct mem_block block = {
		.shared_len = job->shared_len,
		.shared = job->shared_len ? worker->shared : NULL,
	};

	memcpy(block.grid, job->grid, sizeof(block.grid));
	memcpy(block.block, job->block, sizeof(block.block));
	block.index[0] = (uint32_t)(index % job->grid[0]);
	block.index[1] = (uint32_t)(index / job->grid[0] % job->grid[1]);
	block.index[2] = (uint32_t)(index / job->grid[0] / job->grid[1]);
	if (job->shared_len)
		memset(worker->shared, 0, job->shared_len);
	if (pool->begin_block)
		pool->begin_block();
	if (pool->call)
		return pool->call(job->kernel, &block, pool->args);
	job->kernel(&block, pool->args);
	return 0;
}

/* Stores the first error, which is that of the job. */
static void pool_try_block(struct pool *pool, struct worker *worker,
			   uint64_t index)
{
	int none = 0;
	int err;

	if (atomic_load(&pool->err))
		return;
	err = pool_get_shared(worker, pool->job.shared_len);
	if (!err)
		err = pool_run_block(pool, worker, index);
	if (err)
		atomic_compare_exchange_strong(&pool->err, &none, err);
}

/*
 * Tells ThreadSanitizer that what the thread did so far happens before what
 * other threads do after pool_acquire() of the same counter. A process of an
 * engine has no ThreadSanitizer, and its pool no @call.
 */
static void pool_release(const struct pool *pool, void *counter)
{
	if (__tsan_release && pool->call)
		__tsan_release(counter);
}

static void pool_acquire(const struct pool *pool, void *counter)
{
	if (__tsan_acquire && pool->call)
		__tsan_acquire(counter);
}

/* Runs blocks until none is left. */
static void pool_run_blocks(struct pool *pool, struct worker *worker)
{
	long left;

	while ((left = atomic_fetch_sub(&pool->left, 1)) > 0) {
		pool_acquire(pool, &pool->left);
		pool_try_block(pool, worker,
			       (uint64_t)(pool->nr_blocks - left));
		pool_release(pool, &pool->nr_undone);
		if (atomic_fetch_sub(&pool->nr_undone, 1) == 1 &&
		    worker->is_helper) {
			atomic_fetch_add(&pool->nr_done, 1);
			futex_wake(&pool->nr_done, 1);
		}
	}
}

/**
 * pool_run() - run a job
 * @pool: pool that runs no job
 * @worker: state of the caller
 * @job: job that pool_check() accepts
 * @args: arguments for its blocks
 *
 * Return: 0 when all blocks have run, -ENOMEM (no block-shared memory), or an
 * error of @pool->call.
 */
int pool_run(struct pool *pool, struct worker *worker,
	     const struct wire_job *job, void *args)
{
	const long nr_blocks = (long)pool_count_blocks(job->grid);
	unsigned int seen;

	memcpy(&pool->job, job, offsetof(struct wire_job, args));
	pool->args = args;
	pool->nr_blocks = nr_blocks;
	atomic_store(&pool->err, 0);
	atomic_store(&pool->nr_undone, nr_blocks);
	pool_release(pool, &pool->left);
	atomic_store(&pool->left, nr_blocks);
	if (nr_blocks > 1) {
		atomic_fetch_add(&pool->nr_jobs, 1);
		futex_wake(&pool->nr_jobs, nr_blocks < INT_MAX ?
					   (int)nr_blocks - 1 : INT_MAX);
	}
	pool_run_blocks(pool, worker);
	for (;;) {
		seen = atomic_load(&pool->nr_done);
		if (!atomic_load(&pool->nr_undone)) {
			pool_acquire(pool, &pool->nr_undone);
			return atomic_load(&pool->err);
		}
		futex_wait(&pool->nr_done, seen, FOREVER);
	}
}

/**
 * pool_help() - help to run jobs, until the pool is stopped
 * @pool: pool
 * @worker: state of the caller
 */
void pool_help(struct pool *pool, struct worker *worker)
{
	unsigned int seen;

	for (;;) {
		seen = atomic_load(&pool->nr_jobs);
		pool_run_blocks(pool, worker);
		if (atomic_load(&pool->is_stopped))
			break;
		futex_wait(&pool->nr_jobs, seen, FOREVER);
	}
	if (worker->shared)
		munmap(worker->shared, worker->shared_len);
}

/**
 * pool_stop() - make all helpers return
 * @pool: pool that runs no job
 */
void pool_stop(struct pool *pool)
{
	atomic_store(&pool->is_stopped, true);
	atomic_fetch_add(&pool->nr_jobs, 1);
	futex_wake(&pool->nr_jobs, INT_MAX);
}
