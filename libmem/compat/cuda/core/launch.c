// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Kernels by their address, and launches. libmem knows blocks: what it is to
 * run is block_run(), which knows threads.
 */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "internal.h"

/* CUDA programming guide, technical specifications per compute capability. */
#define MAX_BLOCK_X	1024U
#define MAX_BLOCK_Y	1024U
#define MAX_BLOCK_Z	64U
#define MAX_GRID_X	0x7fffffffU
#define MAX_GRID_Y	65535U
#define MAX_GRID_Z	65535U

/*
 * Of a thread: what the program asks for comes on top, since code of this
 * machine needs more than a GPU's. The length is rounded up to what is a page
 * everywhere: 64 KiB.
 */
#define BASE_STACK	(63UL << 10)
#define DEFAULT_STACK	1024UL
#define MAX_STACK	(8UL << 20)

/* Boards have no watchdog; here a kernel takes longer than there. */
#define TIMEOUT_SECONDS	600UL

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;	/* of tree */
static void *tree;
static size_t stack_limit = DEFAULT_STACK;

static int compare(const void *a, const void *b)
{
	const struct heapsim_kernel *x = a;
	const struct heapsim_kernel *y = b;

	if (x->fn != y->fn)
		return (uintptr_t)x->fn < (uintptr_t)y->fn ? -1 : 1;
	return 0;
}

/**
 * core_kernel_add() - make a kernel known
 * @kernel: stays the caller's, for good
 *
 * Of two that have one function the first counts: an inline one is registered
 * by each file that has it.
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_OUT_OF_MEMORY.
 */
CORE_API int core_kernel_add(struct heapsim_kernel *kernel)
{
	void *at;

	pthread_mutex_lock(&lock);
	at = tsearch(kernel, &tree, compare);
	pthread_mutex_unlock(&lock);
	return at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/**
 * core_kernel_find() - the kernel of a function
 * @fn: any address
 *
 * Return: NULL if there is none.
 */
CORE_API struct heapsim_kernel *core_kernel_find(const void *fn)
{
	const struct heapsim_kernel wanted = { .fn = fn };
	struct heapsim_kernel **found;

	pthread_mutex_lock(&lock);
	found = tfind(&wanted, &tree, compare);
	pthread_mutex_unlock(&lock);
	return found ? *found : NULL;
}

/**
 * core_set_stack_limit() - what the program wants a thread to have of stack
 * @len: bytes
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (too long).
 */
CORE_API int core_set_stack_limit(size_t len)
{
	if (len > MAX_STACK)
		return CUDA_ERROR_INVALID_VALUE;
	__atomic_store_n(&stack_limit, (len + 15) & ~(size_t)15,
			 __ATOMIC_RELAXED);
	return CUDA_SUCCESS;
}

/**
 * core_stack_limit() - the newest of core_set_stack_limit()
 *
 * Return: bytes.
 */
CORE_API size_t core_stack_limit(void)
{
	return __atomic_load_n(&stack_limit, __ATOMIC_RELAXED);
}

/* HEAPSIM_CU_STACK, in KiB, stands for what this machine needs. */
static size_t stack_len(void)
{
	const char *text = getenv("HEAPSIM_CU_STACK");
	unsigned long base = text ? strtoul(text, NULL, 10) : 0;
	const size_t page_len = 64UL << 10;

	base = base <= MAX_STACK >> 10 ? base << 10 : 0;
	if (!base)
		base = BASE_STACK;
	return (base + core_stack_limit() + page_len - 1) & ~(page_len - 1);
}

static uint64_t timeout_ns(void)
{
	const char *text = getenv("HEAPSIM_CU_TIMEOUT");
	unsigned long seconds = text ? strtoul(text, NULL, 10) : 0;

	return (seconds ? seconds : TIMEOUT_SECONDS) * 1000000000ULL;
}

/**
 * core_launch_fits() - may its grid and blocks be so?
 * @launch: whose kernel and arguments are not looked at
 *
 * Return: false if the board refuses them.
 */
CORE_API bool core_launch_fits(const struct core_launch *launch)
{
	const unsigned int *grid = launch->grid, *block = launch->block;

	return grid[0] && grid[1] && grid[2] &&
	       block[0] && block[1] && block[2] &&
	       grid[0] <= MAX_GRID_X && grid[1] <= MAX_GRID_Y &&
	       grid[2] <= MAX_GRID_Z && block[0] <= MAX_BLOCK_X &&
	       block[1] <= MAX_BLOCK_Y && block[2] <= MAX_BLOCK_Z &&
	       (uint64_t)block[0] * block[1] * block[2] <= BLOCK_MAX_THREADS;
}

static bool is_one_block(const CUlaunchAttributeValue *value)
{
	return value->clusterDim.x == 1 && value->clusterDim.y == 1 &&
	       value->clusterDim.z == 1;
}

/* Whatever it says, the kernel runs as it would without it. */
static bool is_without_effect(const CUlaunchAttribute *attr)
{
	switch (attr->id) {
	case CU_LAUNCH_ATTRIBUTE_IGNORE:
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
	/* That it may begin before the one in front of it has ended. */
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
		return true;
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		return !attr->value.cooperative;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		return is_one_block(&attr->value);
	default:
		return false;
	}
}

/**
 * core_launch_attributes() - is there anything in them that is not modelled?
 * @attrs: of a launch; the runtime's are the driver's
 * @nr: of them
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (@attrs is NULL),
 * CUDA_ERROR_NOT_SUPPORTED (blocks that wait for each other, events).
 */
CORE_API int core_launch_attributes(const CUlaunchAttribute *attrs,
				    unsigned int nr)
{
	unsigned int i;

	if (nr && !attrs)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < nr; i++)
		if (!is_without_effect(&attrs[i]))
			return CUDA_ERROR_NOT_SUPPORTED;
	return CUDA_SUCCESS;
}

static void pack(struct block_job *job, void **args)
{
	void *to[job->kernel.nr_params + 1];
	unsigned int i;

	block_args(&job->kernel, job->values, to);
	for (i = 0; i < job->kernel.nr_params; i++)
		memcpy(to[i], args[i], job->kernel.sizes[i]);
}

/**
 * core_launch() - have the current context's device run a kernel
 * @launch: what; not needed any more when the call returns
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (a grid or blocks that no
 * board takes, too much shared memory, too many bytes of parameters, no
 * parameters), CUDA_ERROR_INVALID_HANDLE (no such kernel or stream), or as
 * core_error() of mem_launch(). A kernel that calls it is ended.
 */
CORE_API int core_launch(const struct core_launch *launch)
{
	const struct heapsim_kernel *kernel = launch->kernel;
	struct block_job job = { .stack_len = stack_len() };
	struct mem_launch what = {
		.size = sizeof(what),
		.kernel = block_run,
		.shared_len = launch->shared_len,
		.args = &job,
		.timeout_ns = timeout_ns(),
	};
	struct mem_stream *stream;
	struct CUctx_st *ctx;
	size_t len;
	int rc;

	if (block_is_running())
		block_refuse("a launch (dynamic parallelism)");
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	rc = core_current(&ctx);
	if (!rc)
		rc = core_stream(ctx, launch->stream, &stream);
	if (rc)
		return rc;
	len = block_args(kernel, NULL, NULL);
	if (!core_launch_fits(launch) || len > BLOCK_MAX_PARAMS ||
	    (kernel->nr_params && !launch->args) ||
	    launch->shared_len > core_shared_max(kernel))
		return CUDA_ERROR_INVALID_VALUE;
	job.kernel = *kernel;
	job.has_system_atomics = ctx->device->board.has_system_atomics;
	pack(&job, launch->args);
	memcpy(what.grid, launch->grid, sizeof(what.grid));
	memcpy(what.block, launch->block, sizeof(what.block));
	what.engine = ctx->device->engine;
	what.args_len = offsetof(struct block_job, values) + len;
	what.entry = kernel->fn;
	return core_error(mem_launch(stream, &what));
}
