// SPDX-License-Identifier: LGPL-2.1-or-later
/* Attributes of kernels, and how many blocks fit on a multiprocessor. */
#include "internal.h"

#define WARP		32U
#define MAX_THREADS	1024
#define DEFAULT_SHARED	(48 * 1024)

#define SHARED_OPTIN	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
#define SHARED_OF_SM	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
#define RESERVED	CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK
#define THREADS_OF_SM	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR
#define BLOCKS_OF_SM	CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR

/* Assumed, since the host's code has no GPU registers: a typical number */
#define NR_REGS		32

static int function_capability(const struct core_device *device)
{
	return device->board.capability;
}

/**
 * core_shared_max() - return the maximum dynamic shared memory of a kernel
 * @kernel: kernel
 *
 * Return: bytes of a block.
 */
size_t core_shared_max(const struct heapsim_kernel *kernel)
{
	return kernel->max_shared ? kernel->max_shared : DEFAULT_SHARED;
}

/**
 * core_function_attribute() - return an attribute of a kernel
 * @kernel: kernel
 * @device: device that would run it
 * @attr: CU_FUNC_ATTRIBUTE_*
 * @value: out: value
 *
 * Sizes of shared, local and constant memory are 0, since the host's compiler
 * does not list them.
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (no such attribute).
 */
CORE_API int core_function_attribute(const struct heapsim_kernel *kernel,
				     const struct core_device *device,
				     unsigned int attr, int *value)
{
	switch (attr) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = MAX_THREADS;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value = NR_REGS;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = function_capability(device);
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = (int)core_shared_max(kernel);
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = -1;
		return CUDA_SUCCESS;
	default:
		if (attr >= CU_FUNC_ATTRIBUTE_MAX)
			return CUDA_ERROR_INVALID_VALUE;
		*value = 0;
		return CUDA_SUCCESS;
	}
}

/**
 * core_set_function_attribute() - set an attribute of a kernel
 * @kernel: kernel
 * @device: device that would run it
 * @attr: CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, or
 *	_PREFERRED_SHARED_MEMORY_CARVEOUT, a hint without effect
 * @value: bytes; or percent, -1: no preference
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (the attribute cannot be
 * set, the device has less).
 */
CORE_API int core_set_function_attribute(struct heapsim_kernel *kernel,
					 const struct core_device *device,
					 unsigned int attr, int value)
{
	int max = 0;

	switch (attr) {
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		core_attribute(device, SHARED_OPTIN, &max);
		if (value < 0 || value > max)
			break;
		kernel->max_shared = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			break;
		return CUDA_SUCCESS;
	}
	return CUDA_ERROR_INVALID_VALUE;
}

static size_t function_limit(const struct core_device *device, int attr)
{
	int value = 0;

	core_attribute(device, attr, &value);
	return value;
}

/**
 * core_occupancy() - return the number of resident blocks of a multiprocessor
 * @device: device
 * @block_size: threads of a block
 * @shared_len: dynamic shared memory of a block, bytes
 *
 * Threads, blocks and shared memory limit the number. Registers do not, since
 * their use is unknown.
 *
 * Return: number of blocks; 0: not even one fits.
 */
CORE_API int core_occupancy(const struct core_device *device, int block_size,
			    size_t shared_len)
{
	const size_t warps = ((size_t)block_size + WARP - 1) / WARP;
	size_t nr, by_other;

	if (block_size > MAX_THREADS ||
	    shared_len > function_limit(device, SHARED_OPTIN))
		return 0;
	nr = function_limit(device, THREADS_OF_SM) / WARP / warps;
	by_other = function_limit(device, BLOCKS_OF_SM);
	if (nr > by_other)
		nr = by_other;
	shared_len += function_limit(device, RESERVED);
	by_other = shared_len ?
		function_limit(device, SHARED_OF_SM) / shared_len : nr;
	return nr < by_other ? nr : by_other;
}

/**
 * core_occupancy_shared() - return the shared memory available to each block
 * @device: device
 * @nr_blocks: blocks on a multiprocessor, above 0
 * @block_size: threads of a block
 * @len: out: bytes for each block
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (so many blocks do not fit).
 */
CORE_API int core_occupancy_shared(const struct core_device *device,
				   int nr_blocks, int block_size, size_t *len)
{
	size_t each, max;

	if (core_occupancy(device, block_size, 0) < nr_blocks)
		return CUDA_ERROR_INVALID_VALUE;
	each = function_limit(device, SHARED_OF_SM) / nr_blocks -
	       function_limit(device, RESERVED);
	max = function_limit(device,
			     CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
	*len = each < max ? each : max;
	return CUDA_SUCCESS;
}
