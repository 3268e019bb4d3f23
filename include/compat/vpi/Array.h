/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arrays: elements that algorithms write or read, up to a capacity. Wrappers of
 * memory of the program's are either the program's own memory, or, where an
 * engine has no access to that, have a copy inside: Documentation/vpi.rst.
 */
#ifndef NV_VPI_ARRAY_H
#define NV_VPI_ARRAY_H

#include <stdint.h>

#include "ArrayType.h"
#include "Export.h"
#include "Status.h"
#include "Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct VPIArrayBufferAOS - elements one after the other
 * @type: of an element
 * @sizePointer: where the number of elements is kept, in memory of the CPU
 * @capacity: elements
 * @strideBytes: from element to element, a multiple of the element's size; 0
 *	stands for that in a wrapper
 * @data: first element, of whoever the buffer type says
 */
typedef struct VPIArrayBufferAOS {
	VPIArrayType type;
	int32_t *sizePointer;
	int32_t capacity;
	int32_t strideBytes;
	void *data;
} VPIArrayBufferAOS;

typedef enum {
	VPI_ARRAY_BUFFER_INVALID,
	VPI_ARRAY_BUFFER_HOST_AOS,
	VPI_ARRAY_BUFFER_CUDA_AOS
} VPIArrayBufferType;

typedef struct VPIArrayBufferRec {
	VPIArrayBufferAOS aos;
} VPIArrayBuffer;

typedef struct VPIArrayDataRec {
	VPIArrayBufferType bufferType;
	VPIArrayBuffer buffer;
} VPIArrayData;

/**
 * vpiArrayCreate() - make an array
 * @capacity: elements, above 0
 * @type: of an element
 * @flags: backends that will use it, 0: all of the current context; flags of
 *	Types.h
 * @array: out: the array, empty and zeroed: vpiArrayDestroy()
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_ARRAY_TYPE,
 * INVALID_OPERATION (a backend is not enabled), INVALID_CONTEXT, OUT_OF_MEMORY.
 */
VPI_PUBLIC VPIStatus vpiArrayCreate(int32_t capacity, VPIArrayType type,
				    uint64_t flags, VPIArray *array);

/**
 * vpiArrayCreateWrapper() - make an array of the program's memory
 * @data: memory, which stays the program's and is to last as long as the array
 * @flags: as of vpiArrayCreate(); that of the memory is added
 * @array: out: the array: vpiArrayDestroy()
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or as vpiArrayCreate().
 */
VPI_PUBLIC VPIStatus vpiArrayCreateWrapper(const VPIArrayData *data,
					   uint64_t flags, VPIArray *array);

/**
 * vpiArraySetWrapper() - have a wrapper wrap other memory
 * @array: of vpiArrayCreateWrapper(), not locked
 * @data: of the same kind, type, stride and capacity
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION.
 */
VPI_PUBLIC VPIStatus vpiArraySetWrapper(VPIArray array,
					const VPIArrayData *data);

/**
 * vpiArrayDestroy() - give an array back
 * @array: array, or NULL, which does nothing
 *
 * Context: may sleep; any thread.
 */
VPI_PUBLIC void vpiArrayDestroy(VPIArray array);

/**
 * vpiArrayGetSize() - how many elements it holds
 * @array: array
 * @size: out: elements
 *
 * Waits for work that uses it.
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiArrayGetSize(VPIArray array, int32_t *size);

/**
 * vpiArraySetSize() - say how many elements it holds
 * @array: array, not locked by another
 * @size: 0 to its capacity
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, BUFFER_LOCKED.
 */
VPI_PUBLIC VPIStatus vpiArraySetSize(VPIArray array, int32_t size);

/**
 * vpiArrayGetCapacity() - how many elements it has room for
 * @array: array
 * @capacity: out: elements
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiArrayGetCapacity(VPIArray array, int32_t *capacity);

/**
 * vpiArrayGetStrideBytes() - how far elements are from each other
 * @array: array
 * @strideBytes: out: bytes
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiArrayGetStrideBytes(VPIArray array,
					    int32_t *strideBytes);

/**
 * vpiArrayGetFlags() - backends and flags of an array
 * @array: array
 * @flags: out: as of vpiArrayCreate(), never without a backend
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiArrayGetFlags(VPIArray array, uint64_t *flags);

/**
 * vpiArrayGetType() - what its elements are
 * @array: array
 * @type: out: type of an element
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiArrayGetType(VPIArray array, VPIArrayType *type);

/**
 * vpiArrayLock() - have a wrapper's memory up to date
 * @array: array
 * @mode: VPI_LOCK_READ, VPI_LOCK_WRITE or both
 *
 * Context: may sleep; any thread.
 * Return: as vpiArrayLockData().
 */
VPI_PUBLIC VPIStatus vpiArrayLock(VPIArray array, VPILockMode mode);

/**
 * vpiArrayLockData() - have the elements
 * @array: array
 * @mode: VPI_LOCK_READ, VPI_LOCK_WRITE or both
 * @bufType: whose pointers; the CPU or CUDA backend must be enabled
 * @data: out: the memory, valid until the unlock
 *
 * Waits for work that uses the array. Locks count.
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION (the
 * backend), BUFFER_LOCKED.
 */
VPI_PUBLIC VPIStatus vpiArrayLockData(VPIArray array, VPILockMode mode,
				      VPIArrayBufferType bufType,
				      VPIArrayData *data);

/**
 * vpiArrayUnlock() - give the elements back
 * @array: array
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION (it is
 * not locked).
 */
VPI_PUBLIC VPIStatus vpiArrayUnlock(VPIArray array);

#ifdef __cplusplus
}
#endif

#endif
