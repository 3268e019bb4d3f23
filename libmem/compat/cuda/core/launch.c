// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lookup of kernels by address, and launches. libmem only knows blocks: it runs
 * block_run(), which runs the threads.
 */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "block.h"
#include "internal.h"

/* CUDA programming guide, technical specifications per compute capability */
#define MAX_BLOCK_X	1024U
#define MAX_BLOCK_Y	1024U
#define MAX_BLOCK_Z	64U
#define MAX_GRID_X	0x7fffffffU
#define MAX_GRID_Y	65535U
#define MAX_GRID_Z	65535U

/*
 * Stack of a thread. The program's limit is added to the base, since the host's
 * code needs more stack than a GPU's. The sum is rounded up to 64 KiB, a
 * multiple of every page size.
 */
#define BASE_STACK	(63UL << 10)
#define DEFAULT_STACK	1024UL
#define MAX_STACK	(8UL << 20)

/* Boards have no watchdog, and kernels are slower here than there. */
#define TIMEOUT_SECONDS	600UL

/* Protects the tree. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *tree;
static size_t stack_limit = DEFAULT_STACK;

static int launch_compare(const void *a, const void *b)
{
	const struct heapsim_kernel *x = a;
	const struct heapsim_kernel *y = b;

	if (x->fn != y->fn)
		return (uintptr_t)x->fn < (uintptr_t)y->fn ? -1 : 1;
	return 0;
}

/**
 * core_kernel_add() - register a kernel
 * @kernel: kernel; must stay valid until the process ends
 *
 * If a function is registered twice, the first one is used: each file that
 * contains an inline kernel registers it.
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_OUT_OF_MEMORY.
 */
CORE_API int core_kernel_add(struct heapsim_kernel *kernel)
{
	void *at;

	pthread_mutex_lock(&lock);
	at = tsearch(kernel, &tree, launch_compare);
	pthread_mutex_unlock(&lock);
	return at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/**
 * core_kernel_find() - find the kernel of a function
 * @fn: function, any address
 *
 * Return: kernel, or NULL if there is none.
 */
CORE_API struct heapsim_kernel *core_kernel_find(const void *fn)
{
	const struct heapsim_kernel wanted = { .fn = fn };
	struct heapsim_kernel **found;

	pthread_mutex_lock(&lock);
	found = tfind(&wanted, &tree, launch_compare);
	pthread_mutex_unlock(&lock);
	return found ? *found : NULL;
}

/**
 * core_set_stack_limit() - set the program's limit of a thread's stack
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
 * core_stack_limit() - return the limit of core_set_stack_limit()
 *
 * Return: bytes.
 */
CORE_API size_t core_stack_limit(void)
{
	return __atomic_load_n(&stack_limit, __ATOMIC_RELAXED);
}

/* HEAPSIM_CU_STACK, in KiB, replaces the base. */
static size_t launch_stack_len(void)
{
	const char *text = getenv("HEAPSIM_CU_STACK");
	unsigned long base = text ? strtoul(text, NULL, 10) : 0;
	const size_t page_len = 64UL << 10;

	base = base <= MAX_STACK >> 10 ? base << 10 : 0;
	if (!base)
		base = BASE_STACK;
	return (base + core_stack_limit() + page_len - 1) & ~(page_len - 1);
}

static uint64_t launch_timeout_ns(void)
{
	const char *text = getenv("HEAPSIM_CU_TIMEOUT");
	unsigned long seconds = text ? strtoul(text, NULL, 10) : 0;

	return (seconds ? seconds : TIMEOUT_SECONDS) * 1000000000ULL;
}

/**
 * core_launch_fits() - check the grid and the blocks of a launch
 * @launch: launch; its kernel and arguments are ignored
 *
 * Return: false if the board would refuse them.
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

static bool launch_is_one_block(const CUlaunchAttributeValue *value)
{
	return value->clusterDim.x == 1 && value->clusterDim.y == 1 &&
	       value->clusterDim.z == 1;
}

/* Returns true if the kernel runs as it would without the attribute. */
static bool launch_is_without_effect(const CUlaunchAttribute *attr)
{
	switch (attr->id) {
	case CU_LAUNCH_ATTRIBUTE_IGNORE:
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
	/* It permits an overlap with the previous kernel's end. */
	case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
		return true;
	case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
		return !attr->value.cooperative;
	case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
		return launch_is_one_block(&attr->value);
	default:
		return false;
	}
}

/**
 * core_launch_attributes() - check for attributes that are not modelled
 * @attrs: attributes; the runtime's are equal to the driver's
 * @nr: number of @attrs
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (@attrs is NULL),
 * CUDA_ERROR_NOT_SUPPORTED (blocks that wait for each other, events).
 */
CORE_API int core_launch_attributes(const CUlaunchAttribute *attrs,
				    unsigned int nr)
{
	unsigned int i;

	if (nr && !attrs)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < nr; i++)
		if (!launch_is_without_effect(&attrs[i]))
			return CUDA_ERROR_NOT_SUPPORTED;
	return CUDA_SUCCESS;
}

static void launch_pack(struct block_job *job, void **args)
{
	void *to[job->kernel.nr_params + 1];
	unsigned int i;

	block_args(&job->kernel, job->values, to);
	for (i = 0; i < job->kernel.nr_params; i++)
		memcpy(to[i], args[i], job->kernel.sizes[i]);
}

/**
 * core_launch() - launch a kernel on the current context's device
 * @launch: parameters; may be freed after the call
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (a grid or blocks that no
 * board accepts, too much shared memory, too many bytes of parameters, no
 * parameters), CUDA_ERROR_INVALID_HANDLE (no such kernel or stream), or
 * core_error() of mem_launch(). A kernel that calls this is ended.
 */
CORE_API int core_launch(const struct core_launch *launch)
{
	const struct heapsim_kernel *kernel = launch->kernel;
	struct block_job job = { .stack_len = launch_stack_len() };
	struct mem_launch what = {
		.size = sizeof(what),
		.kernel = block_run,
		.shared_len = launch->shared_len,
		.args = &job,
		.timeout_ns = launch_timeout_ns(),
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
	launch_pack(&job, launch->args);
	memcpy(what.grid, launch->grid, sizeof(what.grid));
	memcpy(what.block, launch->block, sizeof(what.block));
	what.engine = ctx->device->engine;
	what.args_len = offsetof(struct block_job, values) + len;
	what.entry = kernel->fn;
	return core_error(mem_launch(stream, &what));
}
