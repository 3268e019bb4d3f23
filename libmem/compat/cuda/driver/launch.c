// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Driver: kernels, launches, and limits of kernels. A CUfunction is the address
 * of a kernel in the program, as in the runtime; there are no modules.
 */
#include "driver.h"

static struct heapsim_kernel *driver_kernel_of(CUfunction function)
{
	return core_kernel_find(function);
}

/*
 * Finds the parameters in a buffer that contains all of them, each aligned.
 * Returns false if the buffer is too short.
 */
static bool driver_unpack(const struct heapsim_kernel *kernel, char *buf,
			  size_t len, void **params)
{
	size_t off = 0;
	unsigned int i;

	for (i = 0; i < kernel->nr_params; i++) {
		off = (off + kernel->aligns[i] - 1) & ~(kernel->aligns[i] - 1);
		if (off > len || kernel->sizes[i] > len - off)
			return false;
		params[i] = buf + off;
		off += kernel->sizes[i];
	}
	return true;
}

/* Parses the list of names and values in @extra of cuLaunchKernel(). */
static bool driver_buffer_of(void **extra, char **buf, size_t *len)
{
	*buf = NULL;
	*len = 0;
	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			*buf = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
			*len = *(size_t *)extra[1];
		else
			return false;
	}
	return *buf;
}

static int driver_launch(struct core_launch *what, CUfunction function,
			 void **params, void **extra)
{
	struct CUctx_st *ctx;
	int rc = driver_ctx(&ctx);
	char *buf;
	size_t len;

	if (rc)
		return rc;
	what->kernel = driver_kernel_of(function);
	if (!what->kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	if (params && extra)
		return CUDA_ERROR_INVALID_VALUE;
	if (extra) {
		void *at[what->kernel->nr_params + 1];

		if (!driver_buffer_of(extra, &buf, &len) ||
		    !driver_unpack(what->kernel, buf, len, at))
			return CUDA_ERROR_INVALID_VALUE;
		what->args = at;
		return core_launch(what);
	}
	what->args = params;
	return core_launch(what);
}

API CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX,
			    unsigned int gridDimY, unsigned int gridDimZ,
			    unsigned int blockDimX, unsigned int blockDimY,
			    unsigned int blockDimZ, unsigned int sharedMemBytes,
			    CUstream hStream, void **kernelParams, void **extra)
{
	struct core_launch what = {
		.grid = { gridDimX, gridDimY, gridDimZ },
		.block = { blockDimX, blockDimY, blockDimZ },
		.shared_len = sharedMemBytes,
		.stream = hStream,
	};

	return driver_launch(&what, f, kernelParams, extra);
}

PER_THREAD(cuLaunchKernel, _ptsz);

API CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned int gridDimX,
				 unsigned int gridDimY, unsigned int gridDimZ,
				 unsigned int blockDimX, unsigned int blockDimY,
				 unsigned int blockDimZ,
				 unsigned int sharedMemBytes, CUstream hStream,
				 void **kernelParams, void **extra)
{
	return cuLaunchKernel(f, gridDimX, gridDimY, gridDimZ, blockDimX,
			      blockDimY, blockDimZ, sharedMemBytes,
			      driver_own(hStream), kernelParams, extra);
}

API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f,
			      void **kernelParams, void **extra)
{
	struct CUctx_st *ctx;
	int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!config)
		return CUDA_ERROR_INVALID_VALUE;
	rc = core_launch_attributes(config->attrs, config->numAttrs);
	if (rc)
		return rc;
	return cuLaunchKernel(f, config->gridDimX, config->gridDimY,
			      config->gridDimZ, config->blockDimX,
			      config->blockDimY, config->blockDimZ,
			      config->sharedMemBytes, config->hStream,
			      kernelParams, extra);
}

PER_THREAD(cuLaunchKernelEx, _ptsz);

API CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f,
				   void **kernelParams, void **extra)
{
	CUlaunchConfig own;

	if (!config)
		return cuLaunchKernelEx(NULL, f, kernelParams, extra);
	own = *config;
	own.hStream = driver_own(own.hStream);
	return cuLaunchKernelEx(&own, f, kernelParams, extra);
}

/* Finds a kernel, and the current context's device. */
static int driver_find_kernel(CUfunction function,
			      const struct core_device **device,
			      struct heapsim_kernel **kernel)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	*device = ctx->device;
	*kernel = driver_kernel_of(function);
	return *kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

API CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib,
				CUfunction hfunc)
{
	const struct core_device *device;
	struct heapsim_kernel *kernel;
	const int rc = driver_find_kernel(hfunc, &device, &kernel);

	if (rc)
		return rc;
	return pi ? core_function_attribute(kernel, device, attrib, pi) :
		    CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib,
				int value)
{
	const struct core_device *device;
	struct heapsim_kernel *kernel;
	const int rc = driver_find_kernel(hfunc, &device, &kernel);

	return rc ? rc : core_set_function_attribute(kernel, device, attrib,
						     value);
}

/* A hint without effect */
API CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
	const struct core_device *device;
	struct heapsim_kernel *kernel;
	const int rc = driver_find_kernel(hfunc, &device, &kernel);

	if (rc)
		return rc;
	return core_is_cache_config(config) ? CUDA_SUCCESS :
					      CUDA_ERROR_INVALID_VALUE;
}

API CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
						     CUfunction func,
						     int blockSize,
						     size_t dynamicSMemSize,
						     unsigned int flags)
{
	const struct core_device *device;
	struct heapsim_kernel *kernel;
	const int rc = driver_find_kernel(func, &device, &kernel);

	if (rc)
		return rc;
	if (!numBlocks || blockSize <= 0 ||
	    flags & ~(unsigned int)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	*numBlocks = core_occupancy(device, blockSize, dynamicSMemSize);
	return CUDA_SUCCESS;
}

API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks,
							 CUfunction func,
							 int blockSize,
							 size_t dynamicSMemSize)
{
	return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks,
			func, blockSize, dynamicSMemSize, CU_OCCUPANCY_DEFAULT);
}

API CUresult cuCtxGetLimit(size_t *pvalue, CUlimit limit)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	return pvalue ? core_limit(limit, pvalue) : CUDA_ERROR_INVALID_VALUE;
}

API CUresult cuCtxSetLimit(CUlimit limit, size_t value)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_set_limit(limit, value);
}

API CUresult cuCtxGetCacheConfig(CUfunc_cache *pconfig)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pconfig)
		return CUDA_ERROR_INVALID_VALUE;
	*pconfig = core_cache_config();
	return CUDA_SUCCESS;
}

API CUresult cuCtxSetCacheConfig(CUfunc_cache config)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	return rc ? rc : core_set_cache_config(config);
}

/* Banks have had four bytes since Maxwell, whatever is requested. */
API CUresult cuCtxGetSharedMemConfig(CUsharedconfig *pConfig)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!pConfig)
		return CUDA_ERROR_INVALID_VALUE;
	*pConfig = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
	return CUDA_SUCCESS;
}

API CUresult cuCtxSetSharedMemConfig(CUsharedconfig config)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	return config <= CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ?
		CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
