// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the driver's calls on the board that LIBMEM_SOC names: contexts and
 * their stack, memory of each kind, and handles that driver and runtime
 * exchange. cases_driver.c tests the answers of single calls.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cuda_runtime.h>
#include <heapsim_cu.h>

#include "gate.h"
#include "test.h"

#define LEN		65536U
#define NR_THREADS	8
#define NR_ROUNDS	25
#define WAIT_S		20
#define NAP_NS		200000

#define rt(call)	assert_int_equal(call, cudaSuccess)

#define PTR(p)		((void *)(uintptr_t)(p))
#define DEV(p)		((CUdeviceptr)(uintptr_t)(p))

/* The last device is the SoC's GPU. */
static CUdevice device;
static CUcontext primary;

static int fact(CUdevice_attribute which)
{
	int value = -1;

	cu(cuDeviceGetAttribute(&value, which, device));
	return value;
}

static int enter(int ordinal)
{
	if (cuDeviceGet(&device, ordinal) ||
	    cuDevicePrimaryCtxRetain(&primary, device))
		return -1;
	return cuCtxSetCurrent(primary) ? -1 : 0;
}

static int enter_soc(void **state)
{
	int nr;

	(void)state;
	return cuDeviceGetCount(&nr) ? -1 : enter(nr - 1);
}

static int enter_first(void **state)
{
	(void)state;
	return enter(0);
}

/* Release all contexts, so that no state is left for the next test. */
static int leave(void **state)
{
	CUcontext ctx;

	(void)state;
	while (!cuCtxPopCurrent(&ctx))
		;
	return cuDevicePrimaryCtxRelease(device) ? -1 : 0;
}

static CUcontext current(void)
{
	CUcontext ctx = (CUcontext)0x1;

	cu(cuCtxGetCurrent(&ctx));
	return ctx;
}

/* This has to be the first test, before any other call. */
static void nothing_goes_before_init(void **state)
{
	CUcontext ctx;
	CUdeviceptr p;
	CUdevice dev;
	int value;

	(void)state;
	cu_is(cuDeviceGet(&dev, 0), CUDA_ERROR_NOT_INITIALIZED);
	cu_is(cuDeviceGetCount(&value), CUDA_ERROR_NOT_INITIALIZED);
	cu_is(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0),
	      CUDA_ERROR_NOT_INITIALIZED);
	cu_is(cuCtxGetCurrent(&ctx), CUDA_ERROR_NOT_INITIALIZED);
	cu_is(cuDevicePrimaryCtxRetain(&ctx, 0), CUDA_ERROR_NOT_INITIALIZED);
	cu_is(cuMemAlloc(&p, LEN), CUDA_ERROR_NOT_INITIALIZED);
	cu(cuDriverGetVersion(&value));
	cu_is(cuInit(1), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuDeviceGet(&dev, 0), CUDA_ERROR_NOT_INITIALIZED);
	cu(cuInit(0));
	cu(cuDeviceGet(&dev, 0));
	assert_null(current());
}

static void a_call_needs_a_context(void **state)
{
	CUDA_MEMCPY2D box = { 0 };
	CUstream stream;
	CUevent event;
	CUdeviceptr p;
	char byte = 0;
	void *host;
	size_t len;

	(void)state;
	cu(cuCtxSetCurrent(NULL));
	cu_is(cuMemAlloc(&p, LEN), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuMemAllocManaged(&p, LEN, 1), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuMemHostAlloc(&host, LEN, 0), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuMemFree(0), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuMemGetInfo(&len, &len), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuMemcpyHtoD(0, &byte, 0), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuMemcpy2D(&box), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuMemsetD8(0, 0, 0), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuStreamCreate(&stream, 0), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuStreamSynchronize(NULL), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuEventCreate(&event, 0), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuCtxPopCurrent(NULL), CUDA_ERROR_INVALID_CONTEXT);
	assert_null(current());
}

static void contexts_are_a_stack(void **state)
{
	CUcontext a, b, got = NULL;
	CUdevice dev = -1;

	(void)state;
	cu(cuCtxCreate(&a, NULL, 0, device));
	assert_ptr_equal(current(), a);
	cu(cuCtxCreate(&b, NULL, 0, device));
	assert_ptr_equal(current(), b);
	cu(cuCtxPushCurrent(a));
	assert_ptr_equal(current(), a);
	cu(cuCtxPopCurrent(&got));
	assert_ptr_equal(got, a);
	assert_ptr_equal(current(), b);
	/* It replaces the current context instead of being pushed above it. */
	cu(cuCtxSetCurrent(a));
	assert_ptr_equal(current(), a);
	cu(cuCtxGetDevice(&dev));
	assert_int_equal(dev, device);
	cu(cuCtxPopCurrent(&got));
	assert_ptr_equal(got, a);
	assert_ptr_equal(current(), a);
	/* Destroying a context pops it from the calling thread's stack. */
	cu(cuCtxDestroy(a));
	assert_ptr_equal(current(), primary);
	cu(cuCtxDestroy(b));
	assert_ptr_equal(current(), primary);
	cu(cuCtxPopCurrent(NULL));
	assert_null(current());
	cu_is(cuCtxDestroy(a), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuCtxPushCurrent(b), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuCtxSetCurrent(b), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuCtxDestroy(primary), CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuCtxDestroy(NULL), CUDA_ERROR_INVALID_CONTEXT);
}

static void a_context_has_flags_and_an_id(void **state)
{
	unsigned long long ids[3] = { 0 };
	CUctxCreateParams params = { 0 };
	unsigned int flags = 0, version = 0;
	CUcontext a, b;

	(void)state;
	cu(cuCtxCreate(&a, NULL, CU_CTX_SCHED_YIELD, device));
	cu(cuCtxGetFlags(&flags));
	assert_int_equal(flags & CU_CTX_SCHED_MASK, CU_CTX_SCHED_YIELD);
	cu(cuCtxSetFlags(CU_CTX_SCHED_BLOCKING_SYNC));
	cu(cuCtxGetFlags(&flags));
	assert_int_equal(flags & CU_CTX_SCHED_MASK,
			 CU_CTX_SCHED_BLOCKING_SYNC);
	cu_is(cuCtxSetFlags(CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD),
	      CUDA_ERROR_INVALID_VALUE);
	cu(cuCtxGetApiVersion(a, &version));
	assert_true(version);
	cu(cuCtxGetId(a, &ids[0]));
	cu(cuCtxGetId(NULL, &ids[1]));
	assert_int_equal(ids[0], ids[1]);
	cu(cuCtxGetId(primary, &ids[1]));
	assert_true(ids[0] != ids[1]);
	cu(cuCtxDestroy(a));
	/* The ID of a context is not used again. */
	cu(cuCtxCreate(&b, &params, 0, device));
	cu(cuCtxGetId(b, &ids[2]));
	assert_true(ids[2] != ids[0] && ids[2] != ids[1]);
	cu_is(cuCtxGetId(a, &ids[2]), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	cu(cuCtxDestroy(b));
	params.numExecAffinityParams = 1;
	cu_is(cuCtxCreate(&b, &params, 0, device), CUDA_ERROR_NOT_SUPPORTED);
	cu_is(cuCtxCreate(NULL, NULL, 0, device), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuCtxCreate(&b, NULL, 0x1000, device), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuCtxCreate(&b, NULL, 0, 99), CUDA_ERROR_INVALID_DEVICE);
	assert_ptr_equal(current(), primary);
}

static void a_context_takes_what_is_in_it_along(void **state)
{
	CUdeviceptr p, other;
	CUcontext ctx;
	CUstream stream;
	CUevent event;
	unsigned int type;

	(void)state;
	cu(cuMemAlloc(&other, LEN));
	cu(cuCtxCreate(&ctx, NULL, 0, device));
	cu(cuMemAlloc(&p, LEN));
	cu(cuStreamCreate(&stream, 0));
	cu(cuEventCreate(&event, 0));
	cu(cuEventRecord(event, stream));
	cu(cuMemsetD8Async(p, 1, LEN, stream));
	cu(cuCtxDestroy(ctx));
	assert_ptr_equal(current(), primary);
	cu_is(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
	cu_is(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
	cu_is(cuEventQuery(event), CUDA_ERROR_INVALID_HANDLE);
	cu_is(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				    p), CUDA_ERROR_INVALID_VALUE);
	/* Memory of the other context still exists. */
	cu(cuMemsetD8(other, 1, LEN));
	cu(cuMemFree(other));
}

static void a_primary_context_is_counted(void **state)
{
	unsigned int flags = 99;
	CUcontext again = NULL;
	CUdeviceptr p, q;
	int is_active = -1;

	(void)state;
	cu(cuDevicePrimaryCtxGetState(device, &flags, &is_active));
	assert_int_equal(is_active, 1);
	cu(cuDevicePrimaryCtxRetain(&again, device));
	assert_ptr_equal(again, primary);
	cu(cuMemAlloc(&p, LEN));
	cu(cuDevicePrimaryCtxRelease(device));
	cu(cuMemsetD8(p, 1, LEN));
	cu(cuDevicePrimaryCtxRelease(device));
	cu(cuDevicePrimaryCtxGetState(device, &flags, &is_active));
	assert_int_equal(is_active, 0);
	/* The primary context is still current, although destroyed. */
	assert_ptr_equal(current(), primary);
	cu_is(cuMemAlloc(&q, LEN), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	cu_is(cuMemsetD8(p, 1, LEN), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	cu_is(cuDevicePrimaryCtxRelease(device), CUDA_ERROR_INVALID_CONTEXT);
	cu(cuDevicePrimaryCtxRetain(&again, device));
	assert_ptr_equal(again, primary);
	cu_is(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
	cu(cuMemAlloc(&q, LEN));
	cu(cuMemFree(q));
}

static void a_reset_leaves_the_context_to_who_keeps_it(void **state)
{
	unsigned int flags;
	CUdeviceptr p;
	int is_active;

	(void)state;
	cu(cuMemAlloc(&p, LEN));
	cu(cuDevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_SPIN));
	cu(cuDevicePrimaryCtxGetState(device, &flags, &is_active));
	assert_int_equal(flags & CU_CTX_SCHED_MASK, CU_CTX_SCHED_SPIN);
	cu(cuDevicePrimaryCtxReset(device));
	cu_is(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
	cu(cuMemAlloc(&p, LEN));
	cu(cuMemFree(p));
	cu_is(cuDevicePrimaryCtxSetFlags(device, 3), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuDevicePrimaryCtxReset(99), CUDA_ERROR_INVALID_DEVICE);
}

static void device_memory_keeps_its_bytes(void **state)
{
	static unsigned int in[LEN / 4], out[LEN / 4];
	CUdeviceptr p, q, base = 0;
	size_t len = 0, i;

	(void)state;
	for (i = 0; i < LEN / 4; i++)
		in[i] = i * 2654435761U;
	cu(cuMemAlloc(&p, LEN));
	cu(cuMemAlloc(&q, LEN));
	cu(cuMemcpyHtoD(p, in, LEN));
	cu(cuMemcpyDtoD(q, p, LEN));
	cu(cuMemcpyDtoH(out, q, LEN));
	assert_memory_equal(in, out, LEN);
	cu(cuMemcpy(p, DEV(out), LEN));
	cu(cuMemsetD32(q + 4, 0xdeadbeef, 2));
	cu(cuMemsetD16(q + 12, 0x1234, 1));
	cu(cuMemsetD8(q + 14, 0x56, 1));
	cu(cuMemcpy(DEV(out), q, LEN));
	assert_int_equal(out[0], in[0]);
	assert_int_equal(out[1], 0xdeadbeef);
	assert_int_equal(out[2], 0xdeadbeef);
	assert_int_equal(out[3], (in[3] & 0xff000000) | 0x561234);
	assert_memory_equal(&in[4], &out[4], LEN - 16);
	cu(cuMemGetAddressRange(&base, &len, q + 77));
	assert_int_equal(base, q);
	assert_int_equal(len, LEN);
	cu_is(cuMemcpyHtoD(p + 1, in, LEN), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemcpyDtoD(p, DEV(in), LEN), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemFree(p + 1), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemFreeHost(PTR(p)), CUDA_ERROR_INVALID_VALUE);
	cu(cuMemFree(p));
	cu(cuMemFree(q));
}

static void rows_go_from_box_to_box(void **state)
{
	unsigned char in[8][16], out[8][16];
	CUDA_MEMCPY2D box = { 0 };
	CUdeviceptr p;
	size_t pitch = 0;
	int x, y;

	(void)state;
	for (y = 0; y < 8; y++)
		for (x = 0; x < 16; x++)
			in[y][x] = y * 16 + x;
	cu_is(cuMemAllocPitch(&p, &pitch, 16, 8, 3), CUDA_ERROR_INVALID_VALUE);
	cu(cuMemAllocPitch(&p, &pitch, 16, 8, 4));
	assert_int_equal(pitch, 512);
	cu(cuMemsetD2D8(p, pitch, 0xee, 16, 8));
	box.srcMemoryType = CU_MEMORYTYPE_HOST;
	box.srcHost = in;
	box.srcPitch = 16;
	box.srcXInBytes = 2;
	box.srcY = 3;
	box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
	box.dstDevice = p;
	box.dstPitch = pitch;
	box.dstXInBytes = 1;
	box.dstY = 2;
	box.WidthInBytes = 5;
	box.Height = 4;
	cu(cuMemcpy2D(&box));
	memset(&box, 0, sizeof(box));
	box.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
	box.srcDevice = p;
	box.srcPitch = pitch;
	box.dstMemoryType = CU_MEMORYTYPE_HOST;
	box.dstHost = out;
	box.dstPitch = 16;
	box.WidthInBytes = 16;
	box.Height = 8;
	cu(cuMemcpy2DAsync(&box, NULL));
	cu(cuStreamSynchronize(NULL));
	for (y = 0; y < 4; y++)
		assert_memory_equal(&out[y + 2][1], &in[y + 3][2], 5);
	assert_int_equal(out[2][0], 0xee);
	assert_int_equal(out[2][6], 0xee);
	assert_int_equal(out[6][1], 0xee);
	cu(cuMemsetD2D16(p, pitch, 0xabcd, 3, 2));
	cu(cuMemcpy2DUnaligned(&box));
	assert_int_equal(out[1][4], 0xcd);
	assert_int_equal(out[1][5], 0xab);
	assert_int_equal(out[1][6], 0xee);
	/* A row longer than the pitch, and an invalid memory type */
	box.WidthInBytes = pitch + 1;
	cu_is(cuMemcpy2D(&box), CUDA_ERROR_INVALID_VALUE);
	box.WidthInBytes = 16;
	box.srcMemoryType = 77;
	cu_is(cuMemcpy2D(&box), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemcpy2D(NULL), CUDA_ERROR_INVALID_VALUE);
	cu(cuMemFree(p));
}

static void peers_memory_is_copied(void **state)
{
	unsigned char in[64], out[64];
	CUcontext first, last;
	CUdeviceptr p, q;
	CUdevice dev;

	(void)state;
	memset(in, 0x6b, sizeof(in));
	last = current();
	cu(cuDeviceGet(&dev, 0));
	cu(cuDevicePrimaryCtxRetain(&first, dev));
	cu(cuCtxPushCurrent(first));
	cu(cuMemAlloc(&p, sizeof(in)));
	cu(cuMemcpyHtoD(p, in, sizeof(in)));
	cu(cuCtxPopCurrent(NULL));
	cu(cuMemAlloc(&q, sizeof(in)));
	cu(cuMemcpyPeer(q, last, p, first, sizeof(in)));
	cu(cuMemcpyDtoH(out, q, sizeof(out)));
	assert_memory_equal(in, out, sizeof(in));
	cu(cuMemsetD8(q, 0, sizeof(in)));
	cu(cuMemcpyPeerAsync(q, last, p, first, sizeof(in), NULL));
	cu(cuMemcpyDtoH(out, q, sizeof(out)));
	assert_memory_equal(in, out, sizeof(in));
	cu_is(cuMemcpyPeer(q, NULL, p, first, sizeof(in)),
	      CUDA_ERROR_INVALID_CONTEXT);
	cu_is(cuMemcpyPeer(DEV(out), last, p, first, sizeof(in)),
	      CUDA_ERROR_INVALID_VALUE);
	cu(cuMemFree(q));
	cu(cuMemFree(p));
	cu(cuDevicePrimaryCtxRelease(dev));
}

static void managed_memory_is_the_boards(void **state)
{
	unsigned int value, *words;
	CUdeviceptr p = 0;

	(void)state;
	if (!fact(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY)) {
		cu_is(cuMemAllocManaged(&p, LEN, CU_MEM_ATTACH_GLOBAL),
		      CUDA_ERROR_NOT_SUPPORTED);
		return;
	}
	cu(cuMemAllocManaged(&p, LEN, CU_MEM_ATTACH_GLOBAL));
	words = PTR(p);
	cu(cuMemsetD32(p, 0x01020304, LEN / 4));
	cu(cuCtxSynchronize());
	assert_int_equal(words[LEN / 4 - 1], 0x01020304);
	words[5] = 99;
	cu(cuMemcpyDtoH(&value, p + 20, 4));
	assert_int_equal(value, 99);
	cu(cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_IS_MANAGED,
				 p + 20));
	assert_int_equal(value, 1);
	cu(cuStreamAttachMemAsync(NULL, p, 0, CU_MEM_ATTACH_HOST));
	cu(cuStreamSynchronize(NULL));
	words[5] = 100;
	cu_is(cuMemFreeHost(words), CUDA_ERROR_INVALID_VALUE);
	cu(cuMemFree(p));
}

static void host_memory_is_reached_by_the_device(void **state)
{
	CUdeviceptr p = 0, base = 0;
	unsigned int flags = 0;
	unsigned int *host;
	void *memory = NULL;
	size_t len = 0;

	(void)state;
	cu(cuMemHostAlloc(&memory, LEN, CU_MEMHOSTALLOC_WRITECOMBINED));
	host = memory;
	cu(cuMemHostGetDevicePointer(&p, host + 4, 0));
	assert_int_equal(p, DEV(host + 4));
	cu(cuMemHostGetFlags(&flags, host));
	assert_int_equal(flags, CU_MEMHOSTALLOC_WRITECOMBINED |
				CU_MEMHOSTALLOC_DEVICEMAP);
	cu(cuMemsetD32(DEV(host), 7, LEN / 4));
	assert_int_equal(host[LEN / 4 - 1], 7);
	cu(cuMemGetAddressRange(&base, &len, DEV(host) + 8));
	assert_int_equal(base, DEV(host));
	assert_int_equal(len, LEN);
	cu_is(cuMemFree(DEV(host)), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemFreeHost(host + 1), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemHostGetDevicePointer(&p, host, 1),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemHostGetDevicePointer(&p, &flags, 0),
	      CUDA_ERROR_INVALID_VALUE);
	cu(cuMemFreeHost(host));
	cu_is(cuMemFreeHost(host), CUDA_ERROR_INVALID_VALUE);
	cu(cuMemAllocHost(&memory, LEN));
	cu(cuMemFreeHost(memory));
}

static void registered_memory_is_the_boards(void **state)
{
	const CUdevice_attribute has_one_address =
		CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM;
	CUdeviceptr p = 0, base = 0;
	unsigned int *own;
	size_t len = 0;

	(void)state;
	own = aligned_alloc(4096, LEN);
	assert_non_null(own);
	if (!fact(CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED)) {
		cu_is(cuMemHostRegister(own, LEN, 0),
		      CUDA_ERROR_NOT_SUPPORTED);
		cu_is(cuMemHostUnregister(own), CUDA_ERROR_NOT_SUPPORTED);
		free(own);
		return;
	}
	cu_is(cuMemHostRegister(own, LEN, 0x40), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemHostRegister(NULL, LEN, 0), CUDA_ERROR_INVALID_VALUE);
	if (is_over_module()) {
		cu_is(cuMemHostRegister(own, LEN, 0),
		      CUDA_ERROR_NOT_SUPPORTED);
		free(own);
		return;
	}
	cu(cuMemHostRegister(own, LEN, CU_MEMHOSTREGISTER_DEVICEMAP));
	cu_is(cuMemHostRegister(own, LEN, 0),
	      CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
	cu(cuMemHostGetDevicePointer(&p, own, 0));
	assert_int_equal(p == DEV(own), fact(has_one_address));
	cu(cuMemsetD32(p, 0x22, LEN / 4));
	cu(cuCtxSynchronize());
	assert_int_equal(own[LEN / 4 - 1], 0x22);
	/* Each side has a start of its own. */
	cu(cuMemGetAddressRange(&base, &len, p + 100));
	assert_int_equal(base, p);
	assert_int_equal(len, LEN);
	cu(cuMemGetAddressRange(&base, &len, DEV(own) + 100));
	assert_int_equal(base, DEV(own));
	cu_is(cuMemFree(DEV(own)), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemFreeHost(own), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemHostUnregister(own + 1024),
	      CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
	cu(cuMemHostUnregister(own));
	cu_is(cuMemHostUnregister(own),
	      CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
	free(own);
}

static void an_address_tells_what_it_is(void **state)
{
	CUpointer_attribute ask[] = {
		CU_POINTER_ATTRIBUTE_CONTEXT,
		CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
		CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
		CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
		CU_POINTER_ATTRIBUTE_RANGE_SIZE,
		CU_POINTER_ATTRIBUTE_BUFFER_ID,
		CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
		CU_POINTER_ATTRIBUTE_HOST_POINTER,
	};
	unsigned long long id = 0, other = 0;
	CUdeviceptr p, q, start = 1, same = 1;
	CUcontext ctx = NULL;
	unsigned int type = 9;
	void *host = &type;
	int ordinal = -9;
	size_t len = 9;
	void *data[] = {
		&ctx, &type, &ordinal, &start, &len, &id, &same, &host,
	};

	(void)state;
	cu(cuMemAlloc(&p, LEN));
	cu(cuMemAlloc(&q, LEN));
	cu(cuPointerGetAttributes(8, ask, data, p + 4));
	assert_ptr_equal(ctx, primary);
	assert_int_equal(type, CU_MEMORYTYPE_DEVICE);
	assert_int_equal(ordinal, device);
	assert_int_equal(start, p);
	assert_int_equal(len, LEN);
	assert_int_equal(same, p + 4);
	assert_null(host);
	cu(cuPointerGetAttribute(&other, CU_POINTER_ATTRIBUTE_BUFFER_ID, q));
	assert_true(id && other && id != other);
	/* A single query for an address that does not exist is an error. */
	cu_is(cuPointerGetAttribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER,
				    p), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuPointerGetAttribute(&host, 99, p), CUDA_ERROR_INVALID_VALUE);
	/* Other memory is an error for the single query, not for the list. */
	cu_is(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
				    DEV(&type)), CUDA_ERROR_INVALID_VALUE);
	cu(cuPointerGetAttributes(8, ask, data, DEV(&type)));
	assert_null(ctx);
	assert_int_equal(type, 0);
	assert_int_equal(ordinal, -2);
	assert_int_equal(len, 0);
	assert_int_equal(id, 0);
	cu_is(cuPointerGetAttributes(0, ask, data, p),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuPointerGetAttributes(8, NULL, data, p),
	      CUDA_ERROR_INVALID_VALUE);
	cu(cuMemFree(p));
	cu(cuMemFree(q));
}

/* A gate whose host function first makes a call */
struct calling {
	struct gate gate;
	CUresult answer;
};

static void call_and_wait(void *arg)
{
	struct calling *calling = arg;

	calling->answer = cuStreamSynchronize(NULL);
	gate_wait(&calling->gate);
}

static bool comes_true(const atomic_bool *what)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	const time_t end = time(NULL) + WAIT_S;

	while (!atomic_load(what) && time(NULL) < end)
		nanosleep(&nap, NULL);
	return atomic_load(what);
}

struct called {
	CUstream stream;
	CUresult status;
	atomic_int nr;
};

static void count_call(CUstream stream, CUresult status, void *arg)
{
	struct called *called = arg;

	called->stream = stream;
	called->status = status;
	atomic_fetch_add(&called->nr, 1);
}

static void streams_tell_what_they_are(void **state)
{
	CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_ACTIVE;
	unsigned long long ids[2] = { 0 };
	int least, greatest, priority = 99;
	CUstream stream, other;
	unsigned int flags = 9;
	CUcontext ctx = NULL;
	CUdevice dev = -1;

	(void)state;
	cu(cuCtxGetStreamPriorityRange(&least, &greatest));
	assert_true(greatest < least);
	cu(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING,
				      greatest - 7));
	cu(cuStreamGetPriority(stream, &priority));
	assert_int_equal(priority, greatest);
	cu(cuStreamGetFlags(stream, &flags));
	assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
	cu(cuStreamGetCtx(stream, &ctx));
	assert_ptr_equal(ctx, primary);
	cu(cuStreamGetDevice(stream, &dev));
	assert_int_equal(dev, device);
	cu(cuStreamIsCapturing(stream, &capture));
	assert_int_equal(capture, CU_STREAM_CAPTURE_STATUS_NONE);
	cu(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	cu(cuStreamGetId(stream, &ids[0]));
	cu(cuStreamGetId(other, &ids[1]));
	assert_true(ids[0] != ids[1]);
	cu(cuStreamDestroy(other));
	cu(cuStreamDestroy(stream));
	cu_is(cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
	cu_is(cuStreamDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
	cu_is(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
	cu_is(cuStreamGetFlags(stream, &flags), CUDA_ERROR_INVALID_HANDLE);
	cu(cuStreamGetFlags(NULL, &flags));
	assert_int_equal(flags, CU_STREAM_DEFAULT);
}

static void streams_and_events_are_in_order(void **state)
{
	struct called called = { .status = CUDA_ERROR_UNKNOWN };
	struct calling calling = { .answer = CUDA_SUCCESS };
	CUevent before, after;
	CUstream stream, other;
	float ms = -1;

	(void)state;
	cu(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	cu(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
	cu(cuEventCreate(&before, CU_EVENT_DEFAULT));
	cu(cuEventCreate(&after, CU_EVENT_BLOCKING_SYNC));
	cu(cuEventRecord(before, stream));
	cu(cuLaunchHostFunc(stream, call_and_wait, &calling));
	cu(cuEventRecord(after, stream));
	cu(cuStreamWaitEvent(other, after, 0));
	cu(cuStreamAddCallback(other, count_call, &called, 0));
	assert_true(comes_true(&calling.gate.is_reached));
	cu_is(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
	cu_is(cuStreamQuery(other), CUDA_ERROR_NOT_READY);
	cu_is(cuEventQuery(after), CUDA_ERROR_NOT_READY);
	cu_is(cuEventElapsedTime(&ms, before, after), CUDA_ERROR_NOT_READY);
	assert_int_equal(atomic_load(&called.nr), 0);
	gate_open(&calling.gate);
	cu(cuEventSynchronize(after));
	cu(cuStreamSynchronize(other));
	/* No context is current in a host function. */
	assert_int_equal(calling.answer, CUDA_ERROR_INVALID_CONTEXT);
	assert_int_equal(atomic_load(&called.nr), 1);
	assert_ptr_equal(called.stream, other);
	assert_int_equal(called.status, CUDA_SUCCESS);
	cu(cuEventElapsedTime(&ms, before, after));
	assert_true(ms >= 0);
	cu_is(cuLaunchHostFunc(stream, NULL, NULL), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuStreamAddCallback(stream, NULL, NULL, 0),
	      CUDA_ERROR_INVALID_VALUE);
	cu(cuEventDestroy(before));
	cu_is(cuEventDestroy(before), CUDA_ERROR_INVALID_HANDLE);
	cu_is(cuEventRecord(before, stream), CUDA_ERROR_INVALID_HANDLE);
	cu(cuEventDestroy(after));
	cu(cuStreamDestroy(stream));
	cu(cuStreamDestroy(other));
}

static void streams_have_attributes(void **state)
{
	const CUstreamAttrID policy =
		CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;
	CUstreamAttrValue value = { .syncPolicy = CU_SYNC_POLICY_YIELD };
	CUstream a, b;

	(void)state;
	cu(cuStreamCreate(&a, 0));
	cu(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
	cu(cuStreamSetAttribute(a, policy, &value));
	value.syncPolicy = CU_SYNC_POLICY_AUTO;
	cu(cuStreamCopyAttributes(b, a));
	cu(cuStreamGetAttribute(b, policy, &value));
	assert_int_equal(value.syncPolicy, CU_SYNC_POLICY_YIELD);
	cu_is(cuStreamSetAttribute(a, policy, NULL), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuStreamGetAttribute(a, CU_LAUNCH_ATTRIBUTE_IGNORE, &value),
	      CUDA_ERROR_INVALID_VALUE);
	cu(cuStreamDestroy(a));
	cu_is(cuStreamGetAttribute(a, policy, &value),
	      CUDA_ERROR_INVALID_HANDLE);
	cu(cuStreamDestroy(b));
}

static void memory_in_a_streams_order_comes_and_goes(void **state)
{
	CUdeviceptr p = 0;
	CUstream stream;
	char byte = 0;

	(void)state;
	cu(cuStreamCreate(&stream, 0));
	cu(cuMemAllocAsync(&p, LEN, stream));
	cu(cuMemsetD8Async(p, 0x3c, LEN, stream));
	cu(cuMemcpyDtoHAsync(&byte, p + LEN - 1, 1, stream));
	cu(cuStreamSynchronize(stream));
	assert_int_equal(byte, 0x3c);
	cu(cuMemFreeAsync(p, stream));
	cu_is(cuMemFreeAsync(p, stream), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemAllocAsync(&p, 0, stream), CUDA_ERROR_INVALID_VALUE);
	cu(cuStreamDestroy(stream));
}

static void memory_is_the_runtimes(void **state)
{
	struct cudaPointerAttributes what;
	CUdeviceptr p;
	void *q = NULL;

	(void)state;
	rt(cudaSetDevice(device));
	assert_ptr_equal(current(), primary);
	cu(cuMemAlloc(&p, LEN));
	rt(cudaMemset(PTR(p), 0x11, LEN));
	rt(cudaPointerGetAttributes(&what, PTR(p)));
	assert_int_equal(what.type, cudaMemoryTypeDevice);
	assert_int_equal(what.device, device);
	rt(cudaFree(PTR(p)));
	cu_is(cuMemFree(p), CUDA_ERROR_INVALID_VALUE);
	rt(cudaMalloc(&q, LEN));
	cu(cuMemsetD8(DEV(q), 1, LEN));
	cu(cuMemFree(DEV(q)));
	rt(cudaMallocHost(&q, LEN));
	cu(cuMemFreeHost(q));
}

static void handles_are_the_runtimes(void **state)
{
	cudaStream_t stream;
	cudaEvent_t event;
	unsigned int flags = 0;
	CUdeviceptr p;
	CUstream own;
	CUevent mark;
	int nr = -1;

	(void)state;
	rt(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	rt(cudaEventCreate(&event));
	cu(cuStreamGetFlags(stream, &flags));
	assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
	cu(cuEventRecord(event, stream));
	rt(cudaEventSynchronize(event));
	cu(cuStreamCreate(&own, 0));
	cu(cuEventCreate(&mark, 0));
	rt(cudaEventRecord(mark, own));
	rt(cudaStreamWaitEvent(stream, mark, 0));
	rt(cudaStreamSynchronize(own));
	rt(cudaEventDestroy(mark));
	rt(cudaStreamDestroy(own));
	cu_is(cuStreamQuery(own), CUDA_ERROR_INVALID_HANDLE);
	cu(cuEventDestroy(event));
	cu(cuStreamDestroy(stream));
	/* An error of the driver's call is not the runtime's last error. */
	rt(cudaGetLastError());
	cu_is(cuMemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
	rt(cudaPeekAtLastError());
	/* The runtime uses the current context. */
	rt(cudaGetDevice(&nr));
	assert_int_equal(nr, device);
}

static void the_runtime_uses_a_context_of_the_programs(void **state)
{
	CUcontext ctx, got = NULL;
	void *p = NULL;

	(void)state;
	cu(cuCtxCreate(&ctx, NULL, 0, device));
	rt(cudaMalloc(&p, LEN));
	assert_ptr_equal(current(), ctx);
	cu(cuPointerGetAttribute(&got, CU_POINTER_ATTRIBUTE_CONTEXT, DEV(p)));
	assert_ptr_equal(got, ctx);
	rt(cudaMemset(p, 1, LEN));
	rt(cudaDeviceSynchronize());
	cu(cuCtxDestroy(ctx));
	assert_int_equal(cudaFree(p), cudaErrorInvalidValue);
	cudaGetLastError();
}

struct thread {
	CUcontext ctx;
	CUresult first;
	CUresult work;
	CUcontext seen;
	int nr_done;
};

static CUresult there_and_back(unsigned char *in, unsigned char *out,
			       size_t len)
{
	CUdeviceptr p;
	CUresult rc;

	rc = cuMemAlloc(&p, len);
	if (!rc)
		rc = cuMemcpyHtoD(p, in, len);
	if (!rc)
		rc = cuMemcpyDtoH(out, p, len);
	return rc ? rc : cuMemFree(p);
}

static void *work(void *arg)
{
	unsigned char in[64], out[64];
	struct thread *thread = arg;
	CUcontext got = NULL;
	CUdeviceptr p;
	int i;

	/* No context is current in a new thread. */
	thread->first = cuMemAlloc(&p, LEN);
	cuCtxGetCurrent(&thread->seen);
	thread->work = cuCtxPushCurrent(thread->ctx);
	for (i = 0; i < NR_ROUNDS && !thread->work; i++) {
		memset(in, i, sizeof(in));
		thread->work = there_and_back(in, out, sizeof(in));
		if (!thread->work && !memcmp(in, out, sizeof(in)))
			thread->nr_done++;
	}
	if (!thread->work)
		thread->work = cuCtxPopCurrent(&got);
	if (got != thread->ctx)
		thread->nr_done = -1;
	return NULL;
}

static void each_thread_has_a_stack_of_its_own(void **state)
{
	struct thread threads[NR_THREADS] = { 0 };
	pthread_t ids[NR_THREADS];
	CUcontext own;
	int i;

	(void)state;
	cu(cuCtxCreate(&own, NULL, 0, device));
	for (i = 0; i < NR_THREADS; i++) {
		threads[i].ctx = i % 2 ? own : primary;
		assert_int_equal(pthread_create(&ids[i], NULL, work,
						&threads[i]), 0);
	}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(ids[i], NULL);
	for (i = 0; i < NR_THREADS; i++) {
		assert_int_equal(threads[i].first, CUDA_ERROR_INVALID_CONTEXT);
		assert_null(threads[i].seen);
		assert_int_equal(threads[i].work, CUDA_SUCCESS);
		assert_int_equal(threads[i].nr_done, NR_ROUNDS);
	}
	assert_ptr_equal(current(), own);
	cu(cuCtxDestroy(own));
}

struct visitor {
	CUcontext ctx;
	atomic_bool is_in;
	atomic_bool may_go_on;
	CUresult alloc;
	CUresult sync;
	CUresult pop;
	CUcontext popped;
};

static void *visit(void *arg)
{
	struct visitor *visitor = arg;
	CUdeviceptr p;

	cuCtxPushCurrent(visitor->ctx);
	atomic_store(&visitor->is_in, true);
	if (!comes_true(&visitor->may_go_on))
		return NULL;
	visitor->alloc = cuMemAlloc(&p, LEN);
	visitor->sync = cuCtxSynchronize();
	visitor->pop = cuCtxPopCurrent(&visitor->popped);
	return NULL;
}

static void another_thread_finds_its_context_destroyed(void **state)
{
	struct visitor visitor = { .alloc = CUDA_SUCCESS };
	CUcontext next[4];
	pthread_t id;
	size_t i;

	(void)state;
	cu(cuCtxCreate(&visitor.ctx, NULL, 0, device));
	assert_int_equal(pthread_create(&id, NULL, visit, &visitor), 0);
	assert_true(comes_true(&visitor.is_in));
	cu(cuCtxDestroy(visitor.ctx));
	/* New contexts are not mistaken for the destroyed one. */
	for (i = 0; i < 4; i++) {
		cu(cuCtxCreate(&next[i], NULL, 0, device));
		assert_ptr_not_equal(next[i], visitor.ctx);
	}
	atomic_store(&visitor.may_go_on, true);
	pthread_join(id, NULL);
	assert_int_equal(visitor.alloc, CUDA_ERROR_CONTEXT_IS_DESTROYED);
	assert_int_equal(visitor.sync, CUDA_ERROR_CONTEXT_IS_DESTROYED);
	assert_int_equal(visitor.pop, CUDA_SUCCESS);
	assert_ptr_equal(visitor.popped, visitor.ctx);
	for (i = 4; i; i--)
		cu(cuCtxDestroy(next[i - 1]));
	assert_ptr_equal(current(), primary);
}

static int in_child(void)
{
	CUdevice dev;
	CUdeviceptr p;
	CUcontext ctx;

	if (cuInit(0) != CUDA_ERROR_NOT_INITIALIZED)
		return 1;
	if (cuDeviceGet(&dev, 0) != CUDA_ERROR_NOT_INITIALIZED)
		return 2;
	if (cuCtxGetCurrent(&ctx) != CUDA_ERROR_NOT_INITIALIZED)
		return 3;
	if (cuMemAlloc(&p, LEN) != CUDA_ERROR_NOT_INITIALIZED)
		return 4;
	if (cuCtxSynchronize() != CUDA_ERROR_NOT_INITIALIZED)
		return 5;
	return 0;
}

static void a_child_has_no_driver(void **state)
{
	CUdeviceptr p;
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(in_child());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	cu(cuMemAlloc(&p, LEN));
	cu(cuMemFree(p));
}

typedef CUresult (*alloc_fn)(CUdeviceptr *dptr, size_t len);
typedef CUresult (*query_fn)(CUstream stream);

static void calls_are_found_by_name(void **state)
{
	CUdriverProcAddressQueryResult status;
	void *fn = NULL, *own = NULL, *old = NULL;
	CUdeviceptr p;

	(void)state;
	cu(cuGetProcAddress("cuMemAlloc", &fn, 13000, 0, &status));
	assert_int_equal(status, CU_GET_PROC_ADDRESS_SUCCESS);
	assert_non_null(fn);
	cu(((alloc_fn)fn)(&p, LEN));
	cu(cuMemFree(p));
	cu(cuGetProcAddress("cuStreamQuery", &fn, 13000, 1, &status));
	cu(cuGetProcAddress("cuStreamQuery", &own, 13000, 2, &status));
	assert_ptr_not_equal(fn, own);
	cu(((query_fn)own)(NULL));
	cu(cuGetProcAddress("cuMemcpyHtoD", &own, 13000, 2, &status));
	cu(cuGetProcAddress("cuMemcpyHtoD", &fn, 13000, 1, &status));
	assert_ptr_not_equal(fn, own);
	/* The same name has another function in an older version. */
	cu(cuGetProcAddress("cuCtxCreate", &fn, 13000, 0, &status));
	cu(cuGetProcAddress("cuCtxCreate", &old, 12000, 0, &status));
	assert_ptr_not_equal(fn, old);
	assert_ptr_equal(fn, (void *)cuCtxCreate);
	/* Functions of other libraries are not found. */
	cu(cuGetProcAddress("cudaMalloc", &fn, 13000, 0, &status));
	assert_null(fn);
	assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	cu(cuGetProcAddress("cuNothing", &fn, 13000, 0, &status));
	assert_null(fn);
	assert_int_equal(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
	cu_is(cuGetProcAddress("cuNothing", &fn, 13000, 0, NULL),
	      CUDA_ERROR_NOT_FOUND);
	cu(cuGetProcAddress("cuMemAlloc", &fn, 99000, 0, &status));
	assert_null(fn);
	assert_int_equal(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
	cu_is(cuGetProcAddress("cuMemAlloc", &fn, 13000, 8, &status),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuGetProcAddress(NULL, &fn, 13000, 0, &status),
	      CUDA_ERROR_INVALID_VALUE);
}

/* The alignment of its parameters leaves gaps in a parameter buffer. */
static __global__ void k_write(unsigned char add, unsigned long long *to,
			       short factor)
{
	const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = i * factor + add;
}

CUDA_KERNEL(k_write, unsigned char, unsigned long long *, short);

static __global__ void k_nothing(void)
{
}

CUDA_KERNEL(k_nothing);

#define NR		64

static void check_written(CUdeviceptr p, int factor, int add)
{
	unsigned long long out[NR];
	unsigned int i;

	cu(cuMemcpyDtoH(out, p, sizeof(out)));
	for (i = 0; i < NR; i++)
		assert_int_equal(out[i], i * factor + add);
	cu(cuMemsetD8(p, 0, sizeof(out)));
}

static void kernels_run_with_their_parameters(void **state)
{
	CUfunction fn = (CUfunction)k_write;
	CUlaunchConfig config = {
		.gridDimX = 4, .gridDimY = 1, .gridDimZ = 1,
		.blockDimX = NR / 4, .blockDimY = 1, .blockDimZ = 1,
	};
	unsigned char add = 5, buf[24];
	short factor = 3;
	CUdeviceptr p;
	void *params[] = { &add, &p, &factor };
	size_t len = 18;
	void *extra[] = {
		CU_LAUNCH_PARAM_BUFFER_POINTER, buf,
		CU_LAUNCH_PARAM_BUFFER_SIZE, &len,
		CU_LAUNCH_PARAM_END,
	};
	CUstream stream;

	(void)state;
	cu(cuMemAlloc(&p, NR * sizeof(unsigned long long)));
	cu(cuStreamCreate(&stream, 0));
	cu(cuLaunchKernel(fn, 4, 1, 1, NR / 4, 1, 1, 0, NULL, params, NULL));
	check_written(p, 3, 5);
	memset(buf, 0xff, sizeof(buf));
	buf[0] = 9;
	memcpy(buf + 8, &p, sizeof(p));
	factor = -2;
	memcpy(buf + 16, &factor, sizeof(factor));
	cu(cuLaunchKernel(fn, 4, 1, 1, NR / 4, 1, 1, 0, stream, NULL, extra));
	cu(cuStreamSynchronize(stream));
	check_written(p, -2, 9);
	config.hStream = stream;
	cu(cuLaunchKernelEx(&config, fn, params, NULL));
	cu(cuStreamSynchronize(stream));
	check_written(p, -2, 5);
	cu(cuLaunchKernel((CUfunction)k_nothing, 1, 1, 1, 1, 1, 1, 0, NULL,
			  NULL, NULL));
	cu(cuCtxSynchronize());
	/* A buffer too short by a byte; both, or no, arguments; a bad key */
	len = 17;
	cu_is(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, NULL, params, extra),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	extra[0] = (void *)0x77;
	cu_is(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, extra),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuLaunchKernel((CUfunction)buf, 1, 1, 1, 1, 1, 1, 0, NULL,
			     params, NULL), CUDA_ERROR_INVALID_HANDLE);
	cu_is(cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
	      CUDA_ERROR_INVALID_HANDLE);
	cu_is(cuLaunchKernel(fn, 1, 0, 1, 1, 1, 1, 0, NULL, params, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuLaunchKernel(fn, 1, 1, 1, 2048, 1, 1, 0, NULL, params, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuLaunchKernelEx(NULL, fn, params, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	cu(cuStreamDestroy(stream));
	cu_is(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL),
	      CUDA_ERROR_INVALID_HANDLE);
	cu(cuMemFree(p));
}

static void a_kernel_is_the_runtimes(void **state)
{
	unsigned char add = 1;
	short factor = 1;
	cudaFunction_t fn = NULL;
	cudaKernel_t kernel = NULL;
	CUdeviceptr p;
	void *params[] = { &add, &p, &factor };

	(void)state;
	cu(cuMemAlloc(&p, NR * sizeof(unsigned long long)));
	rt(cudaGetFuncBySymbol(&fn, (const void *)k_write));
	cu(cuLaunchKernel(fn, 1, 1, 1, NR, 1, 1, 0, NULL, params, NULL));
	check_written(p, 1, 1);
	rt(cudaGetKernel(&kernel, (const void *)k_write));
	rt(cudaLaunchKernel((const void *)kernel, (struct dim3){ 1, 1, 1 },
			    (struct dim3){ NR, 1, 1 }, params, 0, NULL));
	check_written(p, 1, 1);
	assert_int_equal(cudaGetFuncBySymbol(&fn, &add),
			 cudaErrorInvalidDeviceFunction);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
	cu(cuMemFree(p));
}

static void a_kernel_tells_what_it_may_have(void **state)
{
	const CUdevice_attribute most =
		CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
	const CUdevice_attribute of_sm =
		CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR;
	const CUdevice_attribute reserved =
		CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK;
	const CUfunction_attribute dynamic =
		CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
	CUfunction fn = (CUfunction)k_nothing;
	struct cudaFuncAttributes attrs;
	const int optin = fact(most);
	int value = -1, blocks = -1, more = -1, threads;
	cudaError_t rc;

	(void)state;
	rt(cudaSetDevice(device));
	cu(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
			      fn));
	assert_int_equal(value, 1024);
	cu(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_BINARY_VERSION, fn));
	assert_int_equal(value, 10 *
		fact(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
		fact(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
	cu(cuFuncSetAttribute(fn, dynamic, optin));
	rt(cudaFuncGetAttributes(&attrs, (const void *)k_nothing));
	assert_int_equal(attrs.maxDynamicSharedSizeBytes, optin);
	cu(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, optin, NULL, NULL, NULL));
	cu_is(cuLaunchKernel(fn, 1, 1, 1, 1, 1, 1, optin + 1, NULL, NULL,
			     NULL), CUDA_ERROR_INVALID_VALUE);
	cu(cuCtxSynchronize());
	cu_is(cuFuncSetAttribute(fn, dynamic, optin + 1),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuFuncSetAttribute(fn, CU_FUNC_ATTRIBUTE_NUM_REGS, 1),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuFuncGetAttribute(&value, 99, fn), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, NULL),
	      CUDA_ERROR_INVALID_HANDLE);
	cu(cuFuncSetCacheConfig(fn, CU_FUNC_CACHE_PREFER_L1));
	cu_is(cuFuncSetCacheConfig(fn, 9), CUDA_ERROR_INVALID_VALUE);
	/* The limit is the number of threads, or the shared memory. */
	cu(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fn, 512, 0));
	threads = fact(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
	assert_int_equal(blocks, threads / 512);
	cu(cuOccupancyMaxActiveBlocksPerMultiprocessor(&more, fn, 32, optin));
	assert_int_equal(more, fact(of_sm) /
			       (optin + fact(reserved)));
	cu(cuOccupancyMaxActiveBlocksPerMultiprocessor(&more, fn, 1025, 0));
	assert_int_equal(more, 0);
	rc = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&more, fn, 512, 0);
	rt(rc);
	assert_int_equal(more, blocks);
	cu_is(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fn, 0, 0),
	      CUDA_ERROR_INVALID_VALUE);
}

static void limits_are_the_runtimes(void **state)
{
	enum cudaFuncCache same = cudaFuncCachePreferNone;
	CUfunc_cache cache = CU_FUNC_CACHE_PREFER_NONE;
	size_t value = 0, old = 0;

	(void)state;
	cu(cuCtxGetLimit(&old, CU_LIMIT_STACK_SIZE));
	cu(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 16384));
	rt(cudaDeviceGetLimit(&value, cudaLimitStackSize));
	assert_int_equal(value, 16384);
	cu(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, old));
	rt(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
	cu(cuCtxGetLimit(&value, CU_LIMIT_MALLOC_HEAP_SIZE));
	assert_int_equal(value, 1 << 20);
	cu_is(cuCtxGetLimit(&value, 99), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuCtxSetLimit(99, 0), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuCtxGetLimit(NULL, CU_LIMIT_STACK_SIZE),
	      CUDA_ERROR_INVALID_VALUE);
	cu(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_SHARED));
	rt(cudaDeviceGetCacheConfig(&same));
	assert_int_equal(same, cudaFuncCachePreferShared);
	rt(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
	cu(cuCtxGetCacheConfig(&cache));
	assert_int_equal(cache, CU_FUNC_CACHE_PREFER_NONE);
	cu_is(cuCtxSetCacheConfig(77), CUDA_ERROR_INVALID_VALUE);
}

static void there_is_as_much_memory_as_the_board_has(void **state)
{
	size_t free_before = 0, free_after = 0, all = 0, total = 0;
	const size_t len = 32 << 20;
	CUdeviceptr p;

	(void)state;
	cu(cuDeviceTotalMem(&total, device));
	cu(cuMemGetInfo(&free_before, &all));
	assert_int_equal(all, total);
	cu(cuMemAlloc(&p, len));
	cu(cuMemGetInfo(&free_after, &all));
	assert_true(free_before - free_after >= len);
	cu(cuMemFree(p));
	cu(cuMemGetInfo(&free_after, &all));
	assert_int_equal(free_after, free_before);
	cu_is(cuMemAlloc(&p, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
}

/* Run a test on the SoC's GPU, or on the first, which may be discrete. */
#define on_soc(test)	\
	cmocka_unit_test_setup_teardown(test, enter_soc, leave)
#define on_first(test)	\
	cmocka_unit_test_setup_teardown(test, enter_first, leave)
#define on_both(test)	on_soc(test), on_first(test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_goes_before_init),
		on_soc(a_call_needs_a_context),
		on_both(contexts_are_a_stack),
		on_soc(a_context_has_flags_and_an_id),
		on_both(a_context_takes_what_is_in_it_along),
		on_both(a_primary_context_is_counted),
		on_soc(a_reset_leaves_the_context_to_who_keeps_it),
		on_both(device_memory_keeps_its_bytes),
		on_both(rows_go_from_box_to_box),
		on_soc(peers_memory_is_copied),
		on_both(managed_memory_is_the_boards),
		on_both(host_memory_is_reached_by_the_device),
		on_soc(registered_memory_is_the_boards),
		on_both(an_address_tells_what_it_is),
		on_soc(streams_tell_what_they_are),
		on_both(streams_and_events_are_in_order),
		on_both(streams_have_attributes),
		on_soc(memory_in_a_streams_order_comes_and_goes),
		on_both(memory_is_the_runtimes),
		on_both(handles_are_the_runtimes),
		on_soc(the_runtime_uses_a_context_of_the_programs),
		on_both(each_thread_has_a_stack_of_its_own),
		on_soc(another_thread_finds_its_context_destroyed),
		on_both(kernels_run_with_their_parameters),
		on_soc(a_kernel_is_the_runtimes),
		on_both(a_kernel_tells_what_it_may_have),
		on_soc(limits_are_the_runtimes),
		on_soc(a_child_has_no_driver),
		on_soc(calls_are_found_by_name),
		on_both(there_is_as_much_memory_as_the_board_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
