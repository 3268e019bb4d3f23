// SPDX-License-Identifier: GPL-2.0-only
/* Cases of the driver's calls, alone and mixed with the runtime's. */
#include <stdlib.h>

#include "cases.h"

#define DEV(p)		((CUdeviceptr)(uintptr_t)(p))
#define NO_ATTRIBUTE	((CUdevice_attribute)9999)

static void ask_context(void)
{
	CUcontext ctx = NULL, got = NULL;
	CUdeviceptr p = 0;
	CUdevice dev = -1;
	int value = -1;

	CU(cuDeviceGet(&dev, 0), "cu.device.before_init");
	CU(cuInit(1), "cu.init.flags1");
	CU(cuInit(0), "cu.init");
	CU(cuInit(0), "cu.init.again");
	CU(cuDeviceGet(NULL, 0), "cu.device.null");
	CU(cuDeviceGet(&dev, 99), "cu.device.bad");
	CU(cuDeviceGet(&dev, -1), "cu.device.negative");
	CU(cuDeviceGet(&dev, 0), "cu.device");
	CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_INTEGRATED, dev),
	   "cu.attr");
	CU(cuDeviceGetAttribute(&value, NO_ATTRIBUTE, dev), "cu.attr.bad");
	CU(cuDeviceGetAttribute(NULL, CU_DEVICE_ATTRIBUTE_INTEGRATED, dev),
	   "cu.attr.null");
	CU(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_INTEGRATED, 99),
	   "cu.attr.bad_device");
	CU(cuCtxGetCurrent(&got), "cu.ctx.current.none");
	if (ask("cu.ctx.current.none.value"))
		answer("%s", got ? "not null" : "null");
	CU(cuCtxGetCurrent(NULL), "cu.ctx.current.null");
	CU(cuMemAlloc(&p, LEN), "cu.malloc.no_ctx");
	CU(cuCtxSynchronize(), "cu.ctx.sync.no_ctx");
	CU(cuCtxPopCurrent(&got), "cu.ctx.pop.no_ctx");
	CU(cuDevicePrimaryCtxRetain(&ctx, dev), "cu.primary.retain");
	need(ctx, "context");
	CU(cuCtxPushCurrent(ctx), "cu.ctx.push");
	CU(cuCtxSynchronize(), "cu.ctx.sync");
	got = NULL;
	CU(cuCtxPopCurrent(&got), "cu.ctx.pop");
	if (ask("cu.ctx.pop.same"))
		answer("%d", got == ctx);
	CU(cuMemAlloc(&p, LEN), "cu.malloc.after_pop");
	CU(cuCtxSetCurrent(ctx), "cu.ctx.set");
	CU(cuMemAlloc(&p, LEN), "cu.malloc.after_set");
	CU(cuCtxSetCurrent(NULL), "cu.ctx.set_null");
	CU(cuMemAlloc(&p, LEN), "cu.malloc.after_set_null");
	CU(cuCtxPushCurrent(NULL), "cu.ctx.push_null");
	CU(cuDevicePrimaryCtxRetain(NULL, dev), "cu.primary.retain_null");
	CU(cuDevicePrimaryCtxRelease(dev), "cu.primary.release");
	CU(cuDevicePrimaryCtxRelease(dev), "cu.primary.release_again");
}

static CUcontext enter(void)
{
	CUcontext ctx = NULL;

	cuInit(0);
	cuDevicePrimaryCtxRetain(&ctx, 0);
	need(ctx, "context");
	cuCtxPushCurrent(ctx);
	return ctx;
}

static void ask_memory(void)
{
	CUdeviceptr p = 0, base = 0, managed = 0;
	char bytes[16] = { 0 };
	void *host = GARBAGE;
	size_t len = 0;

	enter();
	CU(cuMemAlloc(NULL, LEN), "cu.malloc.null");
	CU(cuMemAlloc(&p, 0), "cu.malloc.zero");
	CU(cuMemAlloc(&p, SIZE_MAX), "cu.malloc.max");
	CU(cuMemAlloc(&p, LEN), "cu.malloc");
	need(p, "memory");
	CU(cuMemGetAddressRange(&base, &len, p + 100), "cu.range");
	if (ask("cu.range.value"))
		answer("%d %zu", base == p, len);
	CU(cuMemGetAddressRange(&base, &len, DEV(bytes)), "cu.range.bad");
	CU(cuMemGetAddressRange(NULL, NULL, p), "cu.range.null_out");
	CU(cuMemsetD8(p, 1, LEN), "cu.memset");
	CU(cuMemsetD8(p, 1, 0), "cu.memset.zero");
	CU(cuMemsetD8(DEV(GARBAGE), 1, LEN), "cu.memset.bad");
	CU(cuMemsetD8(p, 1, LEN + 1), "cu.memset.overrun");
	CU(cuMemsetD32(p, 1, LEN / 4), "cu.memset32");
	CU(cuMemsetD32(p + 1, 1, 4), "cu.memset32.unaligned");
	CU(cuMemcpyHtoD(p, bytes, sizeof(bytes)), "cu.memcpyHtoD");
	CU(cuMemcpyHtoD(p, bytes, 0), "cu.memcpy.zero");
	CU(cuMemcpyHtoD(p, NULL, LEN), "cu.memcpyHtoD.null");
	CU(cuMemcpyDtoH(bytes, p, sizeof(bytes)), "cu.memcpyDtoH");
	CU(cuMemcpyDtoH(NULL, p, LEN), "cu.memcpyDtoH.null");
	CU(cuMemcpyDtoD(p, p + LEN / 2, LEN / 2), "cu.memcpyDtoD");
	CU(cuMemcpyDtoD(p, DEV(bytes), 16), "cu.memcpyDtoD.pageable");
	CU(cuMemcpyHtoD(p, bytes, LEN * 2), "cu.memcpyHtoD.overrun");
	CU(cuMemFree(p + 256), "cu.free.interior");
	CU(cuMemFree(p), "cu.free");
	CU(cuMemFree(p), "cu.free.twice");
	CU(cuMemFree(0), "cu.free.null");
	for (unsigned int flags = 0; flags <= 8; flags++) {
		managed = 0;
		CU(cuMemAllocManaged(&managed, LEN, flags),
		   "cu.managed.flags_%u", flags);
	}
	CU(cuMemAllocManaged(&managed, 0, CU_MEM_ATTACH_GLOBAL),
	   "cu.managed.zero");
	CU(cuMemAllocManaged(NULL, LEN, CU_MEM_ATTACH_GLOBAL),
	   "cu.managed.null");
	CU(cuMemHostAlloc(&host, LEN, 0), "cu.hostalloc");
	CU(cuMemFreeHost(host), "cu.hostfree");
	for (unsigned int flags = 1; flags <= 9; flags++)
		CU(cuMemHostAlloc(&host, LEN, flags), "cu.hostalloc.flags%u",
		   flags);
	CU(cuMemHostAlloc(&host, 0, 0), "cu.hostalloc.zero");
	CU(cuMemHostAlloc(NULL, LEN, 0), "cu.hostalloc.null");
	CU(cuMemFreeHost(NULL), "cu.hostfree.null");
	CU(cuMemFreeHost(bytes), "cu.hostfree.stack");
}

static void ask_ptr_attr(const char *name, CUdeviceptr p)
{
	unsigned int type = 99, is_managed = 99;

	CU(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p),
	   "cu.ptr.memtype.%s", name);
	if (ask("cu.ptr.memtype.%s.value", name))
		answer("%u", type);
	CU(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
				 p), "cu.ptr.is_managed.%s", name);
	if (ask("cu.ptr.is_managed.%s.value", name))
		answer("%u", is_managed);
}

static void ask_attach(void)
{
	static const unsigned int all[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
	CUdeviceptr managed = 0, device = 0;
	unsigned int value = 99;
	CUstream stream = NULL;
	void *host = NULL;

	enter();
	CU(cuStreamCreate(&stream, 9), "cu.stream.create.flags9");
	CU(cuStreamCreate(&stream, 2), "cu.stream.create.flags2");
	CU(cuStreamCreate(NULL, 0), "cu.stream.create.null");
	CU(cuStreamCreate(&stream, 0), "cu.stream.create");
	need(stream, "stream");
	cuMemAllocManaged(&managed, LEN, CU_MEM_ATTACH_GLOBAL);
	cuMemAlloc(&device, LEN);
	cuMemHostAlloc(&host, LEN, 0);
	need(managed && device && host, "memory");
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		CU(cuStreamAttachMemAsync(stream, managed, 0, all[i]),
		   "cu.attach.flags%u", all[i]);
	CU(cuStreamAttachMemAsync(NULL, managed, 0, CU_MEM_ATTACH_SINGLE),
	   "cu.attach.null_stream.single");
	CU(cuStreamAttachMemAsync(stream, device, 0, CU_MEM_ATTACH_SINGLE),
	   "cu.attach.device");
	CU(cuStreamAttachMemAsync(stream, managed, 1, CU_MEM_ATTACH_SINGLE),
	   "cu.attach.len1");
	cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_IS_MANAGED,
			      managed);
	if (ask("cu.ptr.is_managed.value"))
		answer("%u", value);
	ask_ptr_attr("managed", managed);
	ask_ptr_attr("device", device);
	ask_ptr_attr("host", DEV(host));
	CU(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				 DEV(&value)), "cu.ptr.bad_ptr");
	CU(cuPointerGetAttribute(NULL, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				 managed), "cu.ptr.null_out");
}

static void ask_stream(void)
{
	CUevent event = NULL, untimed = NULL, other = NULL;
	CUstream stream = NULL;
	const char *name = "unset";
	float ms = 0;

	enter();
	cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
	need(stream, "stream");
	CU(cuStreamQuery(stream), "cu.stream.query");
	CU(cuStreamQuery(NULL), "cu.stream.query.null");
	CU(cuStreamSynchronize(stream), "cu.stream.sync");
	CU(cuEventCreate(&event, 99), "cu.event.create.flags99");
	CU(cuEventCreate(&event, 4), "cu.event.create.flags4");
	CU(cuEventCreate(NULL, 0), "cu.event.create.null");
	CU(cuEventCreate(&event, 0), "cu.event.create");
	need(event, "event");
	cuEventCreate(&other, 0);
	cuEventCreate(&untimed, CU_EVENT_DISABLE_TIMING);
	CU(cuEventQuery(event), "cu.event.query.unrecorded");
	CU(cuEventElapsedTime(&ms, event, other),
	   "cu.event.elapsed.unrecorded");
	CU(cuEventRecord(event, stream), "cu.event.record");
	cuEventRecord(other, stream);
	cuEventRecord(untimed, stream);
	CU(cuEventSynchronize(event), "cu.event.sync");
	cuStreamSynchronize(stream);
	CU(cuEventElapsedTime(&ms, event, untimed),
	   "cu.event.elapsed.no_timing");
	CU(cuEventElapsedTime(&ms, event, other), "cu.event.elapsed");
	CU(cuStreamWaitEvent(stream, event, 0), "cu.wait");
	CU(cuStreamWaitEvent(stream, event, 7), "cu.wait.flags7");
	CU(cuEventDestroy(event), "cu.event.destroy");
	CU(cuStreamDestroy(stream), "cu.stream.destroy");
	CU(cuGetErrorName((CUresult)9999, &name), "cu.errname.bad");
	if (ask("cu.errname.bad.value"))
		answer("%s", name ? name : "null");
	CU(cuGetErrorName(CUDA_SUCCESS, NULL), "cu.errname.null");
	CU(cuGetErrorString((CUresult)9999, &name), "cu.errstring.bad");
}

static void ask_mix(void)
{
	struct cudaPointerAttributes what;
	cudaStream_t stream = NULL;
	CUevent event = NULL;
	CUcontext ctx = NULL;
	CUdeviceptr p = 0;
	void *q = NULL;

	cudaFree(NULL);
	CU(cuCtxGetCurrent(&ctx), "mix.ctx_current_after_runtime");
	if (ask("mix.ctx_set"))
		answer("%d", !!ctx);
	need(!cudaStreamCreate(&stream), "stream");
	CU(cuStreamQuery((CUstream)stream), "mix.cuStreamQuery_of_runtime");
	cudaMalloc(&q, LEN);
	CU(cuMemFree(DEV(q)), "mix.cuMemFree_of_cudaMalloc");
	cuMemAlloc(&p, LEN);
	RT(cudaFree((void *)(uintptr_t)p), "mix.cudaFree_of_cuMemAlloc");
	cuMemAllocManaged(&p, LEN, CU_MEM_ATTACH_GLOBAL);
	RT(cudaPointerGetAttributes(&what, (void *)(uintptr_t)p),
	   "mix.attrs_of_cuManaged");
	if (ask("mix.attrs_of_cuManaged.type"))
		answer("%d", (int)what.type);
	cuEventCreate(&event, 0);
	need(event, "event");
	RT(cudaEventRecord((cudaEvent_t)event, stream), "mix.record_cuEvent");
	RT(cudaEventSynchronize((cudaEvent_t)event), "mix.sync_cuEvent");
	cudaGetLastError();
	CU(cuMemAlloc(&p, 0), "mix.bad_call");
	/* An error of the driver's call is not the runtime's last error. */
	RT(cudaGetLastError(), "mix.last_after_bad_call");
	RT(cudaStreamDestroy(stream), "mix.destroy");
}

const struct group driver_groups[] = {
	{ "cu_context", ask_context },
	{ "cu_memory", ask_memory },
	{ "cu_attach", ask_attach },
	{ "cu_stream", ask_stream },
	{ "mix", ask_mix },
	{ 0 },
};
