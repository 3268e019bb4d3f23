/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What NvSciSync and CUDA share: keys of lists, and the beginnings of objects
 * and fences. CUDA thus signals and waits for objects by libmem's calls alone,
 * and need not be linked with NvSciSync. It is not installed.
 */
#ifndef _COMPAT_SYNC_H
#define _COMPAT_SYNC_H

#include <string.h>

#include "../compat.h"

/**
 * enum sync_kept - clients' keys of lists, relative to MEM_ATTR_CLIENT
 * @SYNC_NEED_CPU: uint8_t, bool
 * @SYNC_REQUIRED_PERM: uint64_t, MEM_READ (wait), MEM_WRITE (signal) or both
 * @SYNC_CONTEXT_INSENSITIVE: uint8_t, bool
 * @SYNC_TIMESTAMPS: uint8_t, bool that is false
 * @SYNC_DETERMINISTIC: uint8_t, bool
 * @SYNC_PRIMITIVES: uint32_t[], NvSciSyncAttrValPrimitiveType
 * @SYNC_GPU_IDS: NvSciRmGpuId[]
 * @SYNC_MARK: uint8_t, in each slot of each of NvSciSync's lists; what CPUs may
 *	do: 0 in an unreconciled list
 *
 * NvSciBuf has the numbers below. Other processes receive these numbers in
 * descriptors, so they must not change.
 */
enum sync_kept {
	SYNC_NEED_CPU = 24,
	SYNC_REQUIRED_PERM,
	SYNC_CONTEXT_INSENSITIVE,
	SYNC_TIMESTAMPS,
	SYNC_DETERMINISTIC,
	SYNC_PRIMITIVES,
	SYNC_GPU_IDS,
	SYNC_MARK
};

/**
 * struct sync_object - the beginning of an NvSciSyncObj
 * @handle: the object's address is its handle; counts the references
 * @timeline: timeline, a reference
 * @cpu_perm: what CPUs may do: MEM_READ, MEM_WRITE
 */
struct sync_object {
	struct libmem_handle handle;
	struct mem_timeline *timeline;
	unsigned int cpu_perm;
};

/**
 * struct sync_fence - an NvSciSyncFence; all 0: cleared
 * @timeline: timeline, a reference, or NULL
 * @point: point
 * @cpu_perm: that of the object
 * @reserved: 0
 */
struct sync_fence {
	struct mem_timeline *timeline;
	uint64_t point;
	uint64_t cpu_perm;
	uint64_t reserved[3];
};

/* Returns true if the program passed an NvSciSyncObj. */
static inline bool sync_object_is(const void *object)
{
	return libmem_handle_is(object, LIBMEM_HANDLE_SYNC_OBJECT);
}

/* Reads a fence of the program. */
static inline struct sync_fence sync_fence_get(const void *from)
{
	struct sync_fence fence;

	memcpy(&fence, from, sizeof(fence));
	return fence;
}

/* Replaces a fence of the program, which must be initialised. */
static inline void sync_fence_put(void *to, const struct sync_fence *fence)
{
	const struct sync_fence old = sync_fence_get(to);

	mem_timeline_get(fence->timeline);
	memcpy(to, fence, sizeof(*fence));
	mem_timeline_put(old.timeline);
}

/* Sets a fence of the program to a point of an object. */
static inline void sync_fence_set(void *to, const struct sync_object *object,
				  uint64_t point)
{
	const struct sync_fence fence = {
		.timeline = object->timeline,
		.point = point,
		.cpu_perm = object->cpu_perm,
	};

	sync_fence_put(to, &fence);
}

#endif
