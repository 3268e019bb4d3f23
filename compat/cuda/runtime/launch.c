// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: kernels, what can be asked of them, and limits of theirs. */
#include <string.h>

#include "runtime.h"

#define KIB	1024U

/* CUDA programming guide: what a device has where nobody asked for another. */
#define PRINTF_FIFO	(1024U * KIB)
#define MALLOC_HEAP	(8192U * KIB)
#define SYNC_DEPTH	2U
#define PENDING_LAUNCHES 2048U
#define FETCH_GRANULARITY 64U
#define MAX_FETCH	128U

#define WARP		32U

API HEAPSIM_TLS struct heapsim_config *heapsim_cu_config;

static struct {
	size_t printf_fifo;
	size_t malloc_heap;
	size_t sync_depth;
	size_t pending_launches;
	size_t fetch_granularity;
	size_t persisting_l2;
	enum cudaFuncCache cache;
	enum cudaSharedMemConfig banks;
} device = {
	.printf_fifo = PRINTF_FIFO,
	.malloc_heap = MALLOC_HEAP,
	.sync_depth = SYNC_DEPTH,
	.pending_launches = PENDING_LAUNCHES,
	.fetch_granularity = FETCH_GRANULARITY,
	.banks = cudaSharedMemBankSizeFourByte,
};

static int attribute(enum cudaDeviceAttr attr, int *value)
{
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	return rc ? rc : core_attribute(ctx->device, (int)attr, value);
}

static cudaError_t launch(const struct heapsim_kernel *kernel,
			  const struct heapsim_config *config, void **args)
{
	const struct core_launch what = {
		.kernel = kernel,
		.grid = { config->grid.x, config->grid.y, config->grid.z },
		.block = { config->block.x, config->block.y, config->block.z },
		.shared_len = config->shared,
		.stream = config->stream,
		.args = args,
	};

	if (!kernel)
		return cudart_return(cudaErrorInvalidDeviceFunction);
	if (!core_launch_fits(&what))
		return cudart_return(cudaErrorInvalidConfiguration);
	return cudart_return(core_launch(&what));
}

/**
 * heapsim_cu_kernel() - have cudaLaunchKernel() know a kernel
 * @kernel: stays the caller's, for good
 */
API void heapsim_cu_kernel(struct heapsim_kernel *kernel)
{
	core_kernel_add(kernel);
}

/**
 * heapsim_cu_is_kernel() - is it known?
 * @fn: any address
 *
 * Return: 1 if so, else 0.
 */
API int heapsim_cu_is_kernel(const void *fn)
{
	return !!core_kernel_find(fn);
}

/**
 * heapsim_cu_launch() - launch as heapsim_cu_config says, which is used up
 * @kernel: which
 * @args: pointers to its parameters' values
 *
 * Return: as cudaLaunchKernel().
 */
API cudaError_t heapsim_cu_launch(const struct heapsim_kernel *kernel,
				  void **args)
{
	const struct heapsim_config *config = heapsim_cu_config;

	heapsim_cu_config = config->before;
	return launch(kernel, config, args);
}

API cudaError_t cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim,
				 void **args, size_t sharedMem,
				 cudaStream_t stream)
{
	const struct heapsim_config config = {
		.grid = gridDim,
		.block = blockDim,
		.shared = sharedMem,
		.stream = stream,
	};

	return launch(core_kernel_find(func), &config, args);
}

API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
				    const void *func, void **args)
{
	if (!config)
		return cudart_return(cudaErrorInvalidValue);
	/* Clusters, programmatic events and so on: no board of ours has them. */
	if (config->numAttrs)
		return cudart_return(cudaErrorNotSupported);
	return cudaLaunchKernel(func, config->gridDim, config->blockDim, args,
				config->dynamicSmemBytes, config->stream);
}

API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr,
				      const void *func)
{
	const struct heapsim_kernel *kernel;
	int major, minor, rc;

	if (!attr)
		return cudart_return(cudaErrorInvalidValue);
	rc = attribute(cudaDevAttrComputeCapabilityMajor, &major);
	if (!rc)
		rc = attribute(cudaDevAttrComputeCapabilityMinor, &minor);
	if (rc)
		return cudart_return(rc);
	kernel = core_kernel_find(func);
	if (!kernel)
		return cudart_return(cudaErrorInvalidDeviceFunction);
	/* What is shared and local is in no list of the host's compiler. */
	memset(attr, 0, sizeof(*attr));
	attr->maxThreadsPerBlock = 1024;
	attr->numRegs = WARP;
	attr->ptxVersion = 10 * major + minor;
	attr->binaryVersion = attr->ptxVersion;
	attr->maxDynamicSharedSizeBytes =
		(int)(kernel->max_shared ? kernel->max_shared : 48 * KIB);
	attr->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
	return cudaSuccess;
}

API cudaError_t cudaFuncSetAttribute(const void *func,
				     enum cudaFuncAttribute attr, int value)
{
	struct heapsim_kernel *kernel = core_kernel_find(func);
	int max, rc;

	rc = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, &max);
	if (rc)
		return cudart_return(rc);
	if (!kernel)
		return cudart_return(cudaErrorInvalidDeviceFunction);
	switch (attr) {
	case cudaFuncAttributeMaxDynamicSharedMemorySize:
		if (value < 0 || value > max)
			break;
		kernel->max_shared = (unsigned int)value;
		return cudaSuccess;
	case cudaFuncAttributePreferredSharedMemoryCarveout:
		if (value < cudaSharedmemCarveoutDefault ||
		    value > cudaSharedmemCarveoutMaxShared)
			break;
		/* A wish, and no cache is simulated that it could divide. */
		return cudaSuccess;
	default:
		break;
	}
	return cudart_return(cudaErrorInvalidValue);
}

static bool is_cache(enum cudaFuncCache config)
{
	return (unsigned int)config <= cudaFuncCachePreferEqual;
}

API cudaError_t cudaFuncSetCacheConfig(const void *func,
				       enum cudaFuncCache cacheConfig)
{
	const int rc = core_init();

	if (rc)
		return cudart_return(rc);
	if (!is_cache(cacheConfig))
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_kernel_find(func) ?
			     cudaSuccess : cudaErrorInvalidDeviceFunction);
}

API cudaError_t cudaFuncSetSharedMemConfig(const void *func,
					   enum cudaSharedMemConfig config)
{
	const int rc = core_init();

	if (rc)
		return cudart_return(rc);
	if ((unsigned int)config > cudaSharedMemBankSizeEightByte)
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_kernel_find(func) ?
			     cudaSuccess : cudaErrorInvalidDeviceFunction);
}

API cudaError_t cudaFuncGetName(const char **name, const void *func)
{
	const struct heapsim_kernel *kernel = core_kernel_find(func);

	if (!name)
		return cudart_return(cudaErrorInvalidValue);
	if (!kernel)
		return cudart_return(cudaErrorInvalidDeviceFunction);
	*name = kernel->name;
	return cudaSuccess;
}

API cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex,
				     size_t *paramOffset, size_t *paramSize)
{
	const struct heapsim_kernel *kernel = core_kernel_find(func);
	size_t off = 0, i;

	if (!paramOffset)
		return cudart_return(cudaErrorInvalidValue);
	if (!kernel)
		return cudart_return(cudaErrorInvalidDeviceFunction);
	if (paramIndex >= kernel->nr_params)
		return cudart_return(cudaErrorInvalidValue);
	for (i = 0; i <= paramIndex; i++) {
		if (i)
			off += kernel->sizes[i - 1];
		off = (off + kernel->aligns[i] - 1) & ~(kernel->aligns[i] - 1);
	}
	*paramOffset = off;
	if (paramSize)
		*paramSize = kernel->sizes[paramIndex];
	return cudaSuccess;
}

static unsigned int min_of(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * What is resident together: threads, blocks and shared memory limit it;
 * registers are not known.
 */
API cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
					      int blockSize,
					      size_t dynamicSMemSize)
{
	int threads, blocks, shared, reserved, rc;
	unsigned int warps, nr;

	if (!numBlocks || blockSize <= 0)
		return cudart_return(cudaErrorInvalidValue);
	rc = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, &threads);
	if (!rc)
		rc = attribute(cudaDevAttrMaxBlocksPerMultiprocessor, &blocks);
	if (!rc)
		rc = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor,
			       &shared);
	if (!rc)
		rc = attribute(cudaDevAttrReservedSharedMemoryPerBlock,
			       &reserved);
	if (rc)
		return cudart_return(rc);
	if (!core_kernel_find(func))
		return cudart_return(cudaErrorInvalidDeviceFunction);
	*numBlocks = 0;
	if (blockSize > 1024)
		return cudaSuccess;
	warps = ((unsigned int)blockSize + WARP - 1) / WARP;
	nr = min_of((unsigned int)threads / WARP / warps,
		    (unsigned int)blocks);
	if (dynamicSMemSize + (size_t)reserved)
		nr = min_of(nr, (unsigned int)((size_t)shared /
					       (dynamicSMemSize +
						(size_t)reserved)));
	*numBlocks = (int)nr;
	return cudaSuccess;
}

API cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
						       const void *func,
						       int blockSize,
						       size_t dynamicSMemSize,
						       unsigned int flags)
{
	if (flags & ~(unsigned int)cudaOccupancyDisableCachingOverride)
		return cudart_return(cudaErrorInvalidValue);
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func,
							     blockSize,
							     dynamicSMemSize);
}

API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *size,
							  const void *func,
							  int numBlocks,
							  int blockSize)
{
	int shared, reserved, max, nr, rc;

	if (!size || numBlocks <= 0)
		return cudart_return(cudaErrorInvalidValue);
	rc = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&nr, func,
							   blockSize, 0);
	if (rc)
		return rc;
	if (nr < numBlocks)
		return cudart_return(cudaErrorInvalidValue);
	rc = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, &shared);
	if (!rc)
		rc = attribute(cudaDevAttrMaxSharedMemoryPerBlock, &max);
	if (!rc)
		rc = attribute(cudaDevAttrReservedSharedMemoryPerBlock,
			       &reserved);
	if (rc)
		return cudart_return(rc);
	*size = min_of((unsigned int)(shared / numBlocks - reserved),
		       (unsigned int)max);
	return cudaSuccess;
}

/* Where a limit is kept; NULL: there is no such one. */
static size_t *limit_of(enum cudaLimit limit)
{
	switch (limit) {
	case cudaLimitPrintfFifoSize:
		return &device.printf_fifo;
	case cudaLimitMallocHeapSize:
		return &device.malloc_heap;
	case cudaLimitDevRuntimeSyncDepth:
		return &device.sync_depth;
	case cudaLimitDevRuntimePendingLaunchCount:
		return &device.pending_launches;
	case cudaLimitMaxL2FetchGranularity:
		return &device.fetch_granularity;
	case cudaLimitPersistingL2CacheSize:
		return &device.persisting_l2;
	default:
		return NULL;
	}
}

/* But for the stack's they are kept and told: nothing here is so small. */
API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	size_t *at = limit_of(limit);
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (rc)
		return cudart_return(rc);
	if (limit == cudaLimitStackSize)
		return cudart_return(core_set_stack_limit(value));
	if (!at || (limit == cudaLimitMaxL2FetchGranularity &&
		    value > MAX_FETCH))
		return cudart_return(cudaErrorInvalidValue);
	__atomic_store_n(at, value, __ATOMIC_RELAXED);
	return cudaSuccess;
}

API cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	const size_t *at = limit_of(limit);
	struct CUctx_st *ctx;
	int rc;

	if (!value || (!at && limit != cudaLimitStackSize))
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (rc)
		return cudart_return(rc);
	*value = at ? __atomic_load_n(at, __ATOMIC_RELAXED) :
		      core_stack_limit();
	return cudaSuccess;
}

API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	const int rc = core_init();

	if (!config)
		return cudart_return(cudaErrorInvalidValue);
	if (!rc)
		*config = device.cache;
	return cudart_return(rc);
}

API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	const int rc = core_init();

	if (!is_cache(config))
		return cudart_return(cudaErrorInvalidValue);
	if (!rc)
		device.cache = config;
	return cudart_return(rc);
}

API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	const int rc = core_init();

	if (!config)
		return cudart_return(cudaErrorInvalidValue);
	if (!rc)
		*config = device.banks;
	return cudart_return(rc);
}

/* Banks have had four bytes since Maxwell, whatever is wished for. */
API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	if ((unsigned int)config > cudaSharedMemBankSizeEightByte)
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_init());
}
