// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: launches, attributes of kernels, and limits of kernels. */
#include <string.h>

#include "runtime.h"

API HEAPSIM_TLS struct heapsim_config *heapsim_cu_config;

/* Finds a kernel, and the current context's device. */
static int launch_find_kernel(const void *func,
			      const struct core_device **device,
			      struct heapsim_kernel **kernel)
{
	struct CUctx_st *ctx;
	const int rc = core_current(&ctx);

	if (rc)
		return rc;
	*device = ctx->device;
	*kernel = core_kernel_find(func);
	return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

static cudaError_t launch_kernel(const struct heapsim_kernel *kernel,
				 const struct heapsim_config *config,
				 void **args)
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
 * heapsim_cu_kernel() - register a kernel for cudaLaunchKernel()
 * @kernel: kernel; must stay valid until the process ends
 */
API void heapsim_cu_kernel(struct heapsim_kernel *kernel)
{
	core_kernel_add(kernel);
}

/**
 * heapsim_cu_is_kernel() - check whether a function is a registered kernel
 * @fn: function, any address
 *
 * Return: 1 if it is, else 0.
 */
API int heapsim_cu_is_kernel(const void *fn)
{
	return !!core_kernel_find(fn);
}

/**
 * heapsim_cu_launch() - launch a kernel with the newest configuration
 * @kernel: kernel
 * @args: pointers to the values of its parameters
 *
 * Removes the configuration from heapsim_cu_config.
 *
 * Return: as cudaLaunchKernel().
 */
API cudaError_t heapsim_cu_launch(const struct heapsim_kernel *kernel,
				  void **args)
{
	const struct heapsim_config *config = heapsim_cu_config;

	heapsim_cu_config = config->before;
	return launch_kernel(kernel, config, args);
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

	return launch_kernel(core_kernel_find(func), &config, args);
}

API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
				    const void *func, void **args)
{
	int rc;

	if (!config)
		return cudart_return(cudaErrorInvalidValue);
	/* The attributes of runtime and driver are the same type. */
	rc = core_launch_attributes((const CUlaunchAttribute *)config->attrs,
				    config->numAttrs);
	if (rc)
		return cudart_return(rc);
	return cudaLaunchKernel(func, config->gridDim, config->blockDim, args,
				config->dynamicSmemBytes, config->stream);
}

static int func_limit(const struct heapsim_kernel *kernel,
		      const struct core_device *device,
		      CUfunction_attribute attr)
{
	int value = 0;

	core_function_attribute(kernel, device, attr, &value);
	return value;
}

API cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr,
				      const void *func)
{
	const struct core_device *device;
	struct heapsim_kernel *kernel;
	int rc;

	if (!attr)
		return cudart_return(cudaErrorInvalidValue);
	rc = launch_find_kernel(func, &device, &kernel);
	if (rc)
		return cudart_return(rc);
	memset(attr, 0, sizeof(*attr));
	attr->maxThreadsPerBlock =
		func_limit(kernel, device,
			   CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
	attr->numRegs = func_limit(kernel, device, CU_FUNC_ATTRIBUTE_NUM_REGS);
	attr->ptxVersion =
		func_limit(kernel, device, CU_FUNC_ATTRIBUTE_PTX_VERSION);
	attr->binaryVersion =
		func_limit(kernel, device, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
	attr->maxDynamicSharedSizeBytes =
		func_limit(kernel, device,
			   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
	attr->preferredShmemCarveout =
		func_limit(kernel, device,
			   CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
	return cudaSuccess;
}

API cudaError_t cudaFuncSetAttribute(const void *func,
				     enum cudaFuncAttribute attr, int value)
{
	const struct core_device *device;
	struct heapsim_kernel *kernel;
	int rc = launch_find_kernel(func, &device, &kernel);

	/* Attributes have the same values in the runtime and the driver. */
	if (!rc)
		rc = core_set_function_attribute(kernel, device, attr, value);
	return cudart_return(rc);
}

API cudaError_t cudaFuncSetCacheConfig(const void *func,
				       enum cudaFuncCache cacheConfig)
{
	const int rc = core_init();

	if (rc)
		return cudart_return(rc);
	if (!core_is_cache_config(cacheConfig))
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

/* The driver's handle is the function's address. */
API cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr,
				    const void *symbolPtr)
{
	const struct core_device *device;
	struct heapsim_kernel *kernel;
	int rc;

	if (!functionPtr)
		return cudart_return(cudaErrorInvalidValue);
	rc = launch_find_kernel(symbolPtr, &device, &kernel);
	if (!rc)
		*functionPtr = (cudaFunction_t)kernel->fn;
	return cudart_return(rc);
}

API cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr,
			      const void *entryFuncAddr)
{
	const struct core_device *device;
	struct heapsim_kernel *kernel;
	int rc;

	if (!kernelPtr)
		return cudart_return(cudaErrorInvalidValue);
	rc = launch_find_kernel(entryFuncAddr, &device, &kernel);
	if (!rc)
		*kernelPtr = (cudaKernel_t)kernel->fn;
	return cudart_return(rc);
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

API cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
					      int blockSize,
					      size_t dynamicSMemSize)
{
	const struct core_device *device;
	struct heapsim_kernel *kernel;
	int rc;

	if (!numBlocks || blockSize <= 0)
		return cudart_return(cudaErrorInvalidValue);
	rc = launch_find_kernel(func, &device, &kernel);
	if (!rc)
		*numBlocks = core_occupancy(device, blockSize,
					    dynamicSMemSize);
	return cudart_return(rc);
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
	const struct core_device *device;
	struct heapsim_kernel *kernel;
	int rc;

	if (!size || numBlocks <= 0 || blockSize <= 0)
		return cudart_return(cudaErrorInvalidValue);
	rc = launch_find_kernel(func, &device, &kernel);
	if (!rc)
		rc = core_occupancy_shared(device, numBlocks, blockSize, size);
	return cudart_return(rc);
}

API cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	struct CUctx_st *ctx;
	const int rc = core_current(&ctx);

	return cudart_return(rc ? rc : core_set_limit(limit, value));
}

API cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	struct CUctx_st *ctx;
	size_t own;
	int rc;

	if (!value || core_limit(limit, &own))
		return cudart_return(cudaErrorInvalidValue);
	rc = core_current(&ctx);
	if (!rc)
		*value = own;
	return cudart_return(rc);
}

API cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config)
{
	const int rc = core_init();

	if (!config)
		return cudart_return(cudaErrorInvalidValue);
	if (!rc)
		*config = core_cache_config();
	return cudart_return(rc);
}

API cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config)
{
	const int rc = core_init();

	if (!core_is_cache_config(config))
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(rc ? rc : core_set_cache_config(config));
}

API cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config)
{
	const int rc = core_init();

	if (!config)
		return cudart_return(cudaErrorInvalidValue);
	if (!rc)
		*config = cudaSharedMemBankSizeFourByte;
	return cudart_return(rc);
}

/* Banks have had four bytes since Maxwell, whatever is requested. */
API cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
	if ((unsigned int)config > cudaSharedMemBankSizeEightByte)
		return cudart_return(cudaErrorInvalidValue);
	return cudart_return(core_init());
}
