// SPDX-License-Identifier: LGPL-2.1-or-later
/* What can be asked of a kernel, and how many blocks of it fit together. */
#include "internal.h"

#define WARP		32U
#define MAX_THREADS	1024
#define DEFAULT_SHARED	(48 * 1024)

#define SHARED_OPTIN	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
#define SHARED_OF_SM	CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
#define RESERVED	CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK
#define THREADS_OF_SM	CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR
#define BLOCKS_OF_SM	CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR

/* Code of this machine has no registers of a GPU: what many kernels have. */
#define NR_REGS		32

static int capability(const struct core_device *device)
{
	return device->board.capability;
}

/**
 * core_shared_max() - how much dynamic shared memory a kernel may have
 * @kernel: which
 *
 * Return: bytes of a block.
 */
size_t core_shared_max(const struct heapsim_kernel *kernel)
{
	return kernel->max_shared ? kernel->max_shared : DEFAULT_SHARED;
}

/**
 * core_function_attribute() - a fact of a kernel
 * @kernel: which
 * @device: where it would run
 * @attr: CU_FUNC_ATTRIBUTE_*
 * @value: out
 *
 * What is shared, local or constant in it is in no list of the host's compiler:
 * 0.
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (no such fact).
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
		*value = capability(device);
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
 * core_set_function_attribute() - what a kernel may have
 * @kernel: which
 * @device: where it would run
 * @attr: CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, or
 *	_PREFERRED_SHARED_MEMORY_CARVEOUT, a wish that nothing follows
 * @value: bytes; or percent, -1: none
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (nothing that can be set,
 * more than the device has).
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

static size_t fact(const struct core_device *device, int attr)
{
	int value = 0;

	core_attribute(device, attr, &value);
	return value;
}

/**
 * core_occupancy() - how many blocks a multiprocessor has at a time
 * @device: whose
 * @block_size: threads of a block
 * @shared_len: dynamic shared memory of a block, bytes
 *
 * Threads, blocks and shared memory limit it; registers are not known.
 *
 * Return: blocks, 0 if none fits.
 */
CORE_API int core_occupancy(const struct core_device *device, int block_size,
			    size_t shared_len)
{
	const size_t warps = ((size_t)block_size + WARP - 1) / WARP;
	size_t nr, by_other;

	if (block_size > MAX_THREADS ||
	    shared_len > fact(device, SHARED_OPTIN))
		return 0;
	nr = fact(device, THREADS_OF_SM) / WARP / warps;
	by_other = fact(device, BLOCKS_OF_SM);
	if (nr > by_other)
		nr = by_other;
	shared_len += fact(device, RESERVED);
	by_other = shared_len ? fact(device, SHARED_OF_SM) / shared_len : nr;
	return nr < by_other ? nr : by_other;
}

/**
 * core_occupancy_shared() - shared memory that blocks leave each other
 * @device: whose
 * @nr_blocks: on a multiprocessor, above 0
 * @block_size: threads of one
 * @len: out: bytes for each
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (so many do not fit).
 */
CORE_API int core_occupancy_shared(const struct core_device *device,
				   int nr_blocks, int block_size, size_t *len)
{
	size_t each, max;

	if (core_occupancy(device, block_size, 0) < nr_blocks)
		return CUDA_ERROR_INVALID_VALUE;
	each = fact(device, SHARED_OF_SM) / nr_blocks - fact(device, RESERVED);
	max = fact(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
	*len = each < max ? each : max;
	return CUDA_SUCCESS;
}
