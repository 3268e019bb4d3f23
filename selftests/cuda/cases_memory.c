// SPDX-License-Identifier: GPL-2.0-only
/* Cases of allocating, registering and freeing memory. */
#include <stdlib.h>
#include <sys/mman.h>

#include "cases.h"

static void ask_malloc(void)
{
	void *p = GARBAGE, *pinned = side_alloc(PINNED);
	char stack[16];

	RT(cudaMalloc(&p, 0), "malloc.zero");
	if (ask("malloc.zero.ptr"))
		answer("%s", p ? "not null" : "null");
	RT(cudaMalloc(NULL, LEN), "malloc.null");
	RT(cudaMalloc(&p, SIZE_MAX), "malloc.max");
	RT(cudaMalloc(&p, 1UL << 50), "malloc.huge");
	p = NULL;
	RT(cudaMalloc(&p, LEN), "malloc.ok");
	RT(cudaFree(p), "free.ok");
	RT(cudaFree(p), "free.twice");
	RT(cudaFree(NULL), "free.null");
	RT(cudaFree(GARBAGE), "free.garbage");
	RT(cudaMalloc(&p, LEN), "malloc.ok2");
	RT(cudaFree((char *)p + 256), "free.interior");
	RT(cudaFreeHost(p), "free.freehost_of_device");
	RT(cudaFree(pinned), "free.of_pinned");
	RT(cudaFree(stack), "free.of_stack");
	RT(cudaFree(p), "free.ok2");
}

static void ask_managed(void)
{
	void *p = NULL;

	RT(cudaMallocManaged(NULL, LEN, cudaMemAttachGlobal), "managed.null");
	RT(cudaMallocManaged(&p, 0, cudaMemAttachGlobal), "managed.zero");
	for (unsigned int flags = 0; flags <= 8; flags++) {
		p = NULL;
		RT(cudaMallocManaged(&p, LEN, flags), "managed.flags%u",
		   flags);
		cudaFree(p);
	}
	RT(cudaMallocManaged(&p, LEN, cudaMemAttachGlobal | cudaMemAttachHost),
	   "managed.flags_global_host");
	RT(cudaMallocManaged(&p, LEN, cudaMemAttachSingle),
	   "managed.flags_single");
	RT(cudaMallocManaged(&p, 1, cudaMemAttachGlobal), "managed.one_byte");
	RT(cudaFreeHost(p), "managed.freehost");
	RT(cudaFree(p), "managed.free");
	RT(cudaFree(p), "managed.free.twice");
	RT(cudaMallocManaged(&p, SIZE_MAX, cudaMemAttachGlobal),
	   "managed.max");
	RT(cudaMallocManaged(&p, 1UL << 50, cudaMemAttachGlobal),
	   "managed.huge");
}

static void ask_mallochost(void)
{
	void *p = NULL, *heap = malloc(LEN), *device = side_alloc(DEVICE);

	RT(cudaMallocHost(&p, LEN), "mallochost.ok");
	RT(cudaFreeHost(p), "mallochost.freehost");
	RT(cudaFreeHost(p), "mallochost.freehost.double");
	p = GARBAGE;
	RT(cudaMallocHost(&p, 0), "mallochost.zero");
	if (ask("mallochost.zero.ptr"))
		answer("%s", p ? "not null" : "null");
	RT(cudaMallocHost(NULL, LEN), "mallochost.null");
	RT(cudaMallocHost(&p, 1UL << 50), "mallochost.huge");
	RT(cudaMallocHost(&p, SIZE_MAX), "mallochost.max");
	RT(cudaFreeHost(NULL), "freehost.null");
	RT(cudaFreeHost(heap), "freehost.heap_pointer");
	RT(cudaFreeHost(device), "freehost.device_pointer");
	RT(cudaFreeHost(GARBAGE), "freehost.garbage");
	p = side_alloc(PINNED);
	RT(cudaFreeHost((char *)p + 64), "freehost.interior");
	RT(cudaFreeHost(p), "freehost.ok");
	free(heap);
}

static void ask_hostalloc_flags(unsigned int flags)
{
	void *p = NULL, *at_device = NULL;
	unsigned int got = 0;
	cudaError_t err;

	if (!ask("hostalloc.flags_%u", flags))
		return;
	err = cudaHostAlloc(&p, LEN, flags);
	if (err) {
		answer("%s getflags=-:0 devptr=-:-", cudaGetErrorName(err));
	} else {
		cudaError_t of_flags = cudaHostGetFlags(&got, p);
		cudaError_t of_ptr = cudaHostGetDevicePointer(&at_device, p,
							      0);

		answer("%s getflags=%s:%u devptr=%s:%s", cudaGetErrorName(err),
		       cudaGetErrorName(of_flags), got,
		       cudaGetErrorName(of_ptr), same(at_device, p));
		cudaFreeHost(p);
	}
}

static void ask_hostalloc(void)
{
	void *p = GARBAGE;

	for (unsigned int flags = 0; flags <= 17; flags++)
		ask_hostalloc_flags(flags);
	ask_hostalloc_flags(32);
	ask_hostalloc_flags(1U << 31);
	RT(cudaHostAlloc(&p, 0, cudaHostAllocDefault), "hostalloc.zero");
	if (ask("hostalloc.zero.ptr"))
		answer("%s", p ? "not null" : "null");
	RT(cudaHostAlloc(NULL, LEN, cudaHostAllocDefault), "hostalloc.null");
	RT(cudaHostAlloc(&p, SIZE_MAX, cudaHostAllocDefault), "hostalloc.max");
}

static void ask_mallocpitch(void)
{
	static const size_t widths[] = { 8, 218, 512, 513, 1024, 1093, 5000 };
	size_t pitch = 0;
	void *p = NULL;

	RT(cudaMallocPitch(&p, &pitch, 100, 10), "mallocpitch.ok");
	RT(cudaMallocPitch(NULL, &pitch, 100, 10), "mallocpitch.null");
	RT(cudaMallocPitch(&p, NULL, 100, 10), "mallocpitch.null_pitch");
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		pitch = 0;
		if (!ask("mallocpitch.width_%zu", widths[i]))
			continue;
		cudaMallocPitch(&p, &pitch, widths[i], 4);
		answer("%zu", pitch);
	}
}

static void *unmapped(void)
{
	void *p = mmap(NULL, LEN, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	munmap(p, LEN);
	return p;
}

static void ask_hostregister(void)
{
	char *p = side_alloc(PAGEABLE), *stranger = side_alloc(PAGEABLE);
	void *pinned = side_alloc(PINNED), *device = side_alloc(DEVICE);
	void *managed = side_alloc(MANAGED), *at_device = NULL;
	char *heap = malloc(5000);
	unsigned int flags;

	RT(cudaHostRegister(p, LEN, 0), "hostregister.ok");
	RT(cudaHostRegister(p, LEN, 0), "hostregister.twice");
	RT(cudaHostRegister(p + 4096, 8192, 0), "hostregister.overlap");
	RT(cudaHostGetDevicePointer(&at_device, p, 0), "hostregister.devptr");
	RT(cudaHostGetDevicePointer(&at_device, p + 100, 0),
	   "hostregister.devptr.interior");
	RT(cudaHostGetFlags(&flags, p), "hostregister.getflags");
	RT(cudaFreeHost(p), "hostregister.freehost");
	RT(cudaHostUnregister(p + 4096), "hostunregister.interior");
	RT(cudaHostUnregister(p), "hostunregister.ok");
	RT(cudaHostUnregister(p), "hostunregister.twice");
	RT(cudaHostUnregister(stranger), "hostunregister.stranger");
	RT(cudaHostUnregister(NULL), "hostunregister.null");
	RT(cudaHostRegister(p + 100, 1000, 0), "hostregister.unaligned");
	RT(cudaHostUnregister(p + 100), "hostunregister.unaligned");
	RT(cudaHostRegister(NULL, LEN, 0), "hostregister.null");
	RT(cudaHostRegister(p, 0, 0), "hostregister.zero");
	RT(cudaHostRegister(heap, 5000, 0), "hostregister.heap");
	RT(cudaHostUnregister(heap), "hostunregister.heap");
	for (unsigned int i = 0; i <= 19; i++) {
		RT(cudaHostRegister(p, LEN, i), "hostregister.flags_%u", i);
		cudaHostUnregister(p);
	}
	RT(cudaHostRegister(unmapped(), LEN, 0), "hostregister.unmapped");
	RT(cudaHostRegister(pinned, LEN, 0), "hostregister.pinned_pointer");
	RT(cudaHostRegister(device, LEN, 0), "hostregister.device_pointer");
	RT(cudaHostRegister(managed, LEN, 0), "hostregister.managed_pointer");
}

static void ask_getdeviceptr(void)
{
	void *pageable = side_alloc(PAGEABLE), *pinned = side_alloc(PINNED);
	void *managed = side_alloc(MANAGED), *out = NULL;
	char *device = side_alloc(DEVICE);
	unsigned int flags = 0;

	RT(cudaHostGetDevicePointer(&out, pageable, 0),
	   "getdeviceptr.pageable");
	RT(cudaHostGetDevicePointer(&out, pinned, 0), "getdeviceptr.pinned");
	RT(cudaHostGetDevicePointer(&out, (char *)pinned + 100, 0),
	   "getdeviceptr.pinned.interior");
	if (ask("getdeviceptr.pinned.interior.value"))
		answer("%s", same(out, (char *)pinned + 100));
	RT(cudaHostGetDevicePointer(&out, pinned, 1), "getdeviceptr.flags1");
	RT(cudaHostGetDevicePointer(NULL, pinned, 0), "getdeviceptr.null_out");
	RT(cudaHostGetDevicePointer(&out, NULL, 0), "getdeviceptr.null");
	RT(cudaHostGetDevicePointer(&out, managed, 0), "getdeviceptr.managed");
	RT(cudaHostGetDevicePointer(&out, device, 0), "getdeviceptr.device");
	RT(cudaHostGetFlags(&flags, managed), "hostgetflags.managed");
	RT(cudaHostGetFlags(&flags, pinned), "hostgetflags.pinned");
	RT(cudaHostGetFlags(&flags, pageable), "hostgetflags.pageable");
	RT(cudaHostGetFlags(&flags, device), "hostgetflags.device");
	RT(cudaHostGetFlags(NULL, pinned), "hostgetflags.null_out");
	RT(cudaHostGetFlags(&flags, NULL), "hostgetflags.null");
}

static const char *type_name(enum cudaMemoryType type)
{
	switch (type) {
	case cudaMemoryTypeUnregistered:
		return "Unregistered";
	case cudaMemoryTypeHost:
		return "Host";
	case cudaMemoryTypeDevice:
		return "Device";
	case cudaMemoryTypeManaged:
		return "Managed";
	default:
		return "other";
	}
}

static void ask_ptr_of(const char *name, const void *p)
{
	struct cudaPointerAttributes what = { .device = -99 };
	cudaError_t err;

	if (!ask("ptr.%s", name))
		return;
	err = cudaPointerGetAttributes(&what, p);
	if (err)
		answer("%s", cudaGetErrorName(err));
	else
		answer("%s type=%s device=%d devptr=%s hostptr=%s",
		       cudaGetErrorName(err), type_name(what.type),
		       what.device,
		       what.devicePointer ? same(what.devicePointer, p) :
					    "null",
		       what.hostPointer ? same(what.hostPointer, p) : "null");
}

static void ask_ptr(void)
{
	char *managed = side_alloc(MANAGED), *pinned = side_alloc(PINNED);
	char *managed_host = side_alloc(MANAGED_HOST);
	char *device = side_alloc(DEVICE), *heap = malloc(100);
	char *registered = side_alloc(PAGEABLE), stack[16];
	void *combined = NULL;

	ask_ptr_of("managed", managed);
	ask_ptr_of("managed.host", managed_host);
	ask_ptr_of("managed.interior", managed + 100);
	ask_ptr_of("device", device);
	ask_ptr_of("device.interior", device + 100);
	ask_ptr_of("pinned", pinned);
	ask_ptr_of("pinned.interior", pinned + 100);
	cudaHostAlloc(&combined, LEN, cudaHostAllocWriteCombined);
	ask_ptr_of("write_combined", combined);
	ask_ptr_of("heap", heap);
	ask_ptr_of("stack", stack);
	ask_ptr_of("null", NULL);
	ask_ptr_of("garbage", GARBAGE);
	cudaHostRegister(registered, LEN, 0);
	ask_ptr_of("registered", registered);
	ask_ptr_of("registered.interior", registered + 100);
	cudaHostUnregister(registered);
	ask_ptr_of("registered.unregistered", registered);
	RT(cudaPointerGetAttributes(NULL, managed), "ptr.null_out");
	cudaFree(managed);
	ask_ptr_of("managed.freed", managed);
	cudaFree(device);
	ask_ptr_of("device.freed", device);
	cudaFreeHost(pinned);
	ask_ptr_of("pinned.freed", pinned);
	free(heap);
}

static struct cudaMemLocation place(enum cudaMemLocationType type)
{
	struct cudaMemLocation where = { .type = type, .id = 0 };

	return where;
}

#define ON_DEVICE	place(cudaMemLocationTypeDevice)
#define ON_HOST		place(cudaMemLocationTypeHost)
#define NOWHERE		place(cudaMemLocationTypeInvalid)

static void ask_prefetch(void)
{
	char *managed = side_alloc(MANAGED), *pageable = side_alloc(PAGEABLE);
	char *device = side_alloc(DEVICE), *pinned = side_alloc(PINNED);
	struct cudaMemLocation bad = ON_DEVICE;
	int value = -1;

	bad.id = 99;
	RT(cudaMemPrefetchAsync(managed, LEN, ON_DEVICE, 0, NULL),
	   "prefetch.ok");
	RT(cudaMemPrefetchAsync(managed, LEN, ON_HOST, 0, NULL),
	   "prefetch.host");
	RT(cudaMemPrefetchAsync(managed, LEN, NOWHERE, 0, NULL),
	   "prefetch.invalid_location");
	RT(cudaMemPrefetchAsync(managed, LEN, bad, 0, NULL),
	   "prefetch.bad_device");
	RT(cudaMemPrefetchAsync(managed, LEN, ON_DEVICE, 1, NULL),
	   "prefetch.flags1");
	RT(cudaMemPrefetchAsync(pageable, LEN, ON_DEVICE, 0, NULL),
	   "prefetch.pageable");
	RT(cudaMemPrefetchAsync(device, LEN, ON_DEVICE, 0, NULL),
	   "prefetch.device_memory");
	RT(cudaMemPrefetchAsync(pinned, LEN, ON_DEVICE, 0, NULL),
	   "prefetch.pinned");
	RT(cudaMemPrefetchAsync(NULL, LEN, ON_DEVICE, 0, NULL),
	   "prefetch.null");
	RT(cudaMemPrefetchAsync(managed, 2 * LEN, ON_DEVICE, 0, NULL),
	   "prefetch.overrun");
	RT(cudaMemAdvise(managed, LEN, cudaMemAdviseSetReadMostly, ON_DEVICE),
	   "advise.readmostly");
	RT(cudaMemAdvise(managed, LEN, cudaMemAdviseSetPreferredLocation,
			 ON_DEVICE), "advise.preferred");
	RT(cudaMemAdvise(managed, LEN, cudaMemAdviseSetAccessedBy, ON_DEVICE),
	   "advise.accessedby");
	RT(cudaMemAdvise(managed, LEN, (enum cudaMemoryAdvise)99, ON_DEVICE),
	   "advise.bad_advice");
	RT(cudaMemAdvise(device, LEN, cudaMemAdviseSetReadMostly, ON_DEVICE),
	   "advise.device_memory");
	RT(cudaMemAdvise(NULL, LEN, cudaMemAdviseSetReadMostly, ON_DEVICE),
	   "advise.null");
	RT(cudaMemRangeGetAttribute(&value, sizeof(value),
				    cudaMemRangeAttributeReadMostly, managed,
				    LEN), "rangeattr.readmostly");
	RT(cudaMemRangeGetAttribute(&value, 3,
				    cudaMemRangeAttributeReadMostly, managed,
				    LEN), "rangeattr.wrong_size");
	RT(cudaMemRangeGetAttribute(&value, sizeof(value),
				    cudaMemRangeAttributeReadMostly, device,
				    LEN), "rangeattr.device_memory");
	RT(cudaMemRangeGetAttribute(NULL, sizeof(value),
				    cudaMemRangeAttributeReadMostly, managed,
				    LEN), "rangeattr.null_out");
	RT(cudaMemRangeGetAttribute(&value, sizeof(value),
				    (enum cudaMemRangeAttribute)99, managed,
				    LEN), "rangeattr.bad_attribute");
}

static void ask_freeasync(void)
{
	char *pageable = side_alloc(PAGEABLE);
	cudaStream_t stream = NULL;
	void *p = NULL;

	need(!cudaStreamCreate(&stream), "stream");
	RT(cudaMallocAsync(&p, LEN, stream), "mallocasync.ok");
	RT(cudaFreeAsync(p, stream), "freeasync.ok");
	RT(cudaFreeAsync(p, stream), "freeasync.twice");
	RT(cudaFreeAsync(NULL, stream), "freeasync.null");
	RT(cudaFreeAsync(pageable, stream), "freeasync.pageable");
	RT(cudaMallocAsync(NULL, LEN, stream), "mallocasync.null");
	RT(cudaMallocAsync(&p, LEN, stream), "mallocasync.ok2");
	RT(cudaStreamSynchronize(stream), "mallocasync.sync");
	RT(cudaFree(p), "free.of_mallocasync");
	RT(cudaStreamDestroy(stream), "mallocasync.stream_destroy");
}

const struct group memory_groups[] = {
	{ "malloc", ask_malloc },
	{ "managed", ask_managed },
	{ "mallochost", ask_mallochost },
	{ "hostalloc", ask_hostalloc },
	{ "mallocpitch", ask_mallocpitch },
	{ "hostregister", ask_hostregister },
	{ "getdeviceptr", ask_getdeviceptr },
	{ "ptr", ask_ptr },
	{ "prefetch", ask_prefetch },
	{ "freeasync", ask_freeasync },
	{ 0 },
};
