// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the effects of the runtime's calls on the board that LIBMEM_SOC
 * names. cases.c tests the answers of single calls.
 */

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../libmem/clock.h"
#include "gate.h"
#include "test.h"

#define LEN		65536U
#define NR_THREADS	16
#define NR_ROUNDS	50

/* The module cannot map the program's own memory (see libmem.rst). */
static bool can_register(void)
{
	return own_attribute(cudaDevAttrHostRegisterSupported) &&
	       !is_over_module();
}

static void memory_has_the_attributes_of_its_kind(void **state)
{
	struct cudaPointerAttributes what;
	char *device, *pinned, *managed, *heap;

	(void)state;
	ok(cudaMalloc((void **)&device, LEN));
	ok(cudaPointerGetAttributes(&what, device + 5));
	assert_int_equal(what.type, cudaMemoryTypeDevice);
	assert_int_equal(what.device, 0);
	assert_ptr_equal(what.devicePointer, device + 5);
	assert_null(what.hostPointer);
	ok(cudaPointerGetAttributes(&what, device + LEN - 1));
	assert_int_equal(what.type, cudaMemoryTypeDevice);
	ok(cudaPointerGetAttributes(&what, device + LEN));
	assert_int_equal(what.type, cudaMemoryTypeUnregistered);

	ok(cudaMallocHost((void **)&pinned, LEN));
	ok(cudaPointerGetAttributes(&what, pinned + 5));
	assert_int_equal(what.type, cudaMemoryTypeHost);
	assert_ptr_equal(what.devicePointer, pinned + 5);
	assert_ptr_equal(what.hostPointer, pinned + 5);

	if (has_managed()) {
		ok(cudaMallocManaged((void **)&managed, LEN,
				     cudaMemAttachGlobal));
		ok(cudaPointerGetAttributes(&what, managed + 5));
		assert_int_equal(what.type, cudaMemoryTypeManaged);
		assert_ptr_equal(what.devicePointer, managed + 5);
		assert_ptr_equal(what.hostPointer, managed + 5);
		is(cudaFreeHost(managed), cudaErrorInvalidValue);
		ok(cudaFree(managed));
	} else {
		is(cudaMallocManaged((void **)&managed, LEN,
				     cudaMemAttachGlobal),
		   cudaErrorNotSupported);
	}

	heap = malloc(LEN);
	ok(cudaPointerGetAttributes(&what, heap));
	assert_int_equal(what.type, cudaMemoryTypeUnregistered);
	assert_null(what.devicePointer);
	assert_ptr_equal(what.hostPointer, heap);
	free(heap);

	is(cudaFree(pinned), cudaErrorInvalidValue);
	is(cudaFreeHost(device), cudaErrorInvalidValue);
	is(cudaFree(device + 5), cudaErrorInvalidValue);
	ok(cudaFree(device));
	is(cudaFree(device), cudaErrorInvalidValue);
	ok(cudaFreeHost(pinned));
}

/* Unregistering copies the pages, and fails if memory is short. */
static void unregister_without_memory(char *heap)
{
	struct rlimit old, none;

	assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
	none = old;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
	is(cudaHostUnregister(heap), cudaErrorMemoryAllocation);
	assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
}

static void registered_memory_is_the_devices_too(void **state)
{
	struct cudaPointerAttributes what;
	char *heap = malloc(LEN), back[16];
	void *device;

	(void)state;
	memset(heap, 3, LEN);
	if (!can_register()) {
		is(cudaHostRegister(heap, LEN, cudaHostRegisterDefault),
		   cudaErrorNotSupported);
		is(cudaHostUnregister(heap),
		   cudaErrorHostMemoryNotRegistered);
		free(heap);
		return;
	}
	ok(cudaHostRegister(heap, LEN, cudaHostRegisterDefault));
	is(cudaHostRegister(heap, LEN, cudaHostRegisterDefault),
	   cudaErrorHostMemoryAlreadyRegistered);
	ok(cudaHostGetDevicePointer(&device, heap, 0));
	ok(cudaPointerGetAttributes(&what, heap));
	assert_int_equal(what.type, cudaMemoryTypeHost);
	assert_ptr_equal(what.devicePointer, device);
	assert_ptr_equal(what.hostPointer, heap);
	ok(cudaMemset(device, 9, LEN));
	ok(cudaMemcpy(back, device, sizeof(back), cudaMemcpyDeviceToHost));
	assert_int_equal(back[15], 9);
	assert_int_equal(heap[LEN - 1], 9);
	is(cudaFreeHost(heap), cudaErrorInvalidValue);
	is(cudaHostUnregister(heap + 1),
	   cudaErrorHostMemoryNotRegistered);
	unregister_without_memory(heap);
	ok(cudaHostUnregister(heap));
	is(cudaHostUnregister(heap), cudaErrorHostMemoryNotRegistered);
	assert_int_equal(heap[LEN - 1], 9);
	free(heap);
}

static void rows_are_copied_and_set(void **state)
{
	const size_t width = 100, height = 7;
	unsigned char host[7 * 128], back[7 * 128];
	size_t pitch, x, y;
	void *device;

	(void)state;
	for (x = 0; x < sizeof(host); x++)
		host[x] = x * 7;
	memset(back, 0xee, sizeof(back));
	ok(cudaMallocPitch(&device, &pitch, width, height));
	assert_int_equal(pitch, 512);
	ok(cudaMemset2D(device, pitch, 0x11, pitch, height));
	ok(cudaMemcpy2D(device, pitch, host, 128, width, height,
			cudaMemcpyHostToDevice));
	ok(cudaMemset2D((char *)device + pitch, pitch, 0x22, 10, 2));
	ok(cudaMemcpy2D(back, 128, device, pitch, width + 1, height,
			cudaMemcpyDeviceToHost));
	for (y = 0; y < height; y++)
		for (x = 0; x < 128; x++) {
			unsigned char want = host[y * 128 + x];

			if (x > width)
				want = 0xee;
			else if (x == width)
				want = 0x11;
			else if ((y == 1 || y == 2) && x < 10)
				want = 0x22;
			assert_int_equal(back[y * 128 + x], want);
		}
	is(cudaMemcpy2D(back, 64, device, pitch, width, height,
			cudaMemcpyDeviceToHost), cudaErrorInvalidPitchValue);
	is(cudaMemcpy2D(back, 128, device, pitch, width, height + 1,
			cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
	ok(cudaFree(device));
}

static void a_reset_gives_all_back(void **state)
{
	struct cudaPointerAttributes what;
	size_t before, after, all;
	void *device, *spare, *pinned;
	cudaStream_t stream;
	cudaEvent_t event;

	(void)state;
	ok(cudaMemGetInfo(&before, &all));
	ok(cudaMalloc(&device, LEN));
	ok(cudaMallocHost(&pinned, LEN));
	ok(cudaStreamCreate(&stream));
	ok(cudaEventCreate(&event));
	ok(cudaMallocAsync(&spare, LEN, stream));
	ok(cudaFreeAsync(spare, stream));
	ok(cudaMemsetAsync(device, 1, LEN, stream));
	ok(cudaEventRecord(event, stream));
	ok(cudaMemGetInfo(&after, &all));
	assert_true(after < before);
	ok(cudaDeviceReset());
	ok(cudaMemGetInfo(&after, &all));
	assert_int_equal(after, before);
	ok(cudaPointerGetAttributes(&what, device));
	assert_int_equal(what.type, cudaMemoryTypeUnregistered);
	is(cudaFree(device), cudaErrorInvalidValue);
	is(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
	is(cudaEventQuery(event), cudaErrorInvalidResourceHandle);
	ok(cudaMalloc(&device, LEN));
	ok(cudaFree(device));
}

static void memory_in_a_streams_order_comes_again(void **state)
{
	struct gate gate = { 0 };
	void *first, *other, *again;
	size_t before, after, all;
	cudaStream_t a, b;

	(void)state;
	ok(cudaStreamCreate(&a));
	ok(cudaStreamCreate(&b));
	ok(cudaMemGetInfo(&before, &all));
	ok(cudaMallocAsync(&first, LEN, a));
	ok(cudaLaunchHostFunc(a, gate_wait, &gate));
	ok(cudaMemsetAsync(first, 1, LEN, a));
	/* The call does not wait, and no other stream reuses the memory yet. */
	ok(cudaFreeAsync(first, a));
	assert_int_equal(cudaStreamQuery(a), cudaErrorNotReady);
	ok(cudaMallocAsync(&other, LEN, b));
	assert_ptr_not_equal(other, first);
	ok(cudaMallocAsync(&again, LEN, a));
	assert_ptr_equal(again, first);
	ok(cudaFreeAsync(again, a));
	is(cudaFreeAsync(again, a), cudaErrorInvalidValue);
	gate_open(&gate);
	ok(cudaStreamSynchronize(a));
	ok(cudaStreamDestroy(a));
	ok(cudaFree(other));
	ok(cudaDeviceSynchronize());
	ok(cudaMemGetInfo(&after, &all));
	assert_int_equal(after, before);
	ok(cudaStreamDestroy(b));
}

/* Advice does not apply to later memory at the same address. */
static void advice_ends_with_its_memory(void **state)
{
	const struct cudaMemLocation place = {
		.type = cudaMemLocationTypeDevice,
	};
	void *small, *large;
	int is_mostly_read;

	(void)state;
	if (!own_attribute(cudaDevAttrConcurrentManagedAccess))
		return;
	ok(cudaMallocManaged(&small, LEN, cudaMemAttachGlobal));
	ok(cudaMemAdvise(small, LEN, cudaMemAdviseSetReadMostly, place));
	ok(cudaFreeAsync(small, NULL));
	ok(cudaDeviceSynchronize());
	ok(cudaMallocManaged(&large, 64 * LEN, cudaMemAttachGlobal));
	assert_ptr_equal(large, small);
	ok(cudaMemRangeGetAttribute(&is_mostly_read, sizeof(is_mostly_read),
				    cudaMemRangeAttributeReadMostly, large,
				    64 * LEN));
	assert_int_equal(is_mostly_read, 0);
	ok(cudaMemAdvise(large, 64 * LEN, cudaMemAdviseSetReadMostly, place));
	ok(cudaFree(large));
}

static int range_attribute(const void *ptr, enum cudaMemRangeAttribute which)
{
	int value = 77;

	ok(cudaMemRangeGetAttribute(&value, sizeof(value), which, ptr, LEN));
	return value;
}

static void advised_places_have_a_type(void **state)
{
	const struct cudaMemLocation device = {
		.type = cudaMemLocationTypeDevice,
	};
	const struct cudaMemLocation host = {
		.type = cudaMemLocationTypeHost,
	};
	enum cudaMemoryAdvise prefer = cudaMemAdviseSetPreferredLocation;
	void *ptr;

	(void)state;
	if (!has_managed())
		return;
	ok(cudaMallocManaged(&ptr, LEN, cudaMemAttachGlobal));
#define PREFERRED(what) \
	range_attribute(ptr, cudaMemRangeAttributePreferredLocation ## what)
#define LAST(what) \
	range_attribute(ptr, cudaMemRangeAttributeLastPrefetchLocation ## what)
	assert_int_equal(PREFERRED(Type), cudaMemLocationTypeInvalid);
	assert_int_equal(LAST(Type), cudaMemLocationTypeInvalid);
	if (own_attribute(cudaDevAttrConcurrentManagedAccess)) {
		ok(cudaMemAdvise(ptr, LEN, prefer, device));
		ok(cudaMemPrefetchAsync(ptr, LEN, host, 0, NULL));
		assert_int_equal(PREFERRED(Type), cudaMemLocationTypeDevice);
		assert_int_equal(PREFERRED(Id), 0);
		assert_int_equal(LAST(Type), cudaMemLocationTypeHost);
		/* Advise another location for half of the memory. */
		ok(cudaMemAdvise(ptr, LEN / 2, prefer, host));
		assert_int_equal(PREFERRED(Type), cudaMemLocationTypeInvalid);
	}
	ok(cudaFree(ptr));
}

static void *look_at_own_error(void *arg)
{
	(void)arg;
	return (void *)(uintptr_t)cudaPeekAtLastError();
}

static void an_error_is_its_threads(void **state)
{
	struct gate gate = { 0 };
	cudaStream_t stream;
	pthread_t thread;
	void *other;

	(void)state;
	assert_int_equal(cudaFree((void *)16), cudaErrorInvalidValue);
	assert_int_equal(pthread_create(&thread, NULL, look_at_own_error,
					NULL), 0);
	assert_int_equal(pthread_join(thread, &other), 0);
	assert_int_equal((uintptr_t)other, cudaSuccess);
	ok(cudaStreamCreate(&stream));
	ok(cudaLaunchHostFunc(stream, gate_wait, &gate));
	assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
	gate_open(&gate);
	assert_int_equal(cudaPeekAtLastError(), cudaErrorInvalidValue);
	assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
	assert_int_equal(cudaGetLastError(), cudaSuccess);
	ok(cudaStreamSynchronize(stream));
	ok(cudaStreamDestroy(stream));
}

struct called {
	cudaStream_t stream;
	cudaError_t status;
	cudaError_t inside;
	unsigned int nr;
};

static void call_back(cudaStream_t stream, cudaError_t status, void *arg)
{
	struct called *called = arg;
	void *ptr;

	called->stream = stream;
	called->status = status;
	called->inside = cudaMalloc(&ptr, LEN);
	called->nr++;
}

static void a_callback_gets_its_stream_and_may_not_call(void **state)
{
	struct called called = { 0 };
	cudaStream_t stream;

	(void)state;
	ok(cudaStreamCreate(&stream));
	is(cudaStreamAddCallback(stream, NULL, NULL, 0),
	   cudaErrorInvalidValue);
	is(cudaStreamAddCallback(stream, call_back, &called, 1),
	   cudaErrorInvalidValue);
	ok(cudaStreamAddCallback(stream, call_back, &called, 0));
	ok(cudaStreamSynchronize(stream));
	assert_int_equal(called.nr, 1);
	assert_ptr_equal(called.stream, stream);
	assert_int_equal(called.status, cudaSuccess);
	assert_int_equal(called.inside, cudaErrorNotPermitted);
	ok(cudaStreamDestroy(stream));
	is(cudaStreamAddCallback(stream, call_back, &called, 0),
	   cudaErrorInvalidResourceHandle);
}

static void a_child_of_fork_is_not_initialised(void **state)
{
	void *ptr;
	pid_t pid;
	int status;

	(void)state;
	ok(cudaMalloc(&ptr, LEN));
	pid = fork();
	if (!pid) {
		unsigned int flags;
		void *mine;

		_exit(cudaMalloc(&mine, LEN) != cudaErrorInitializationError ||
		      cudaFree(ptr) != cudaErrorInitializationError ||
		      cudaHostGetDevicePointer(&mine, ptr, 0) !=
		      cudaErrorInitializationError ||
		      cudaHostGetFlags(&flags, ptr) !=
		      cudaErrorInitializationError ||
		      cudaDeviceSynchronize() != cudaErrorInitializationError);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	ok(cudaFree(ptr));
}

static void a_call_of_the_driver_has_its_name(void **state)
{
	enum cudaDriverEntryPointQueryResult answer;
	int (*init)(unsigned int flags);
	void *call;

	(void)state;
	ok(cudaGetDriverEntryPoint("cuInit", (void **)&init, 0, &answer));
	assert_int_equal(answer, cudaDriverEntryPointSuccess);
	assert_int_equal(init(0), 0);
	ok(cudaGetDriverEntryPoint("cuNone", &call, 0, &answer));
	assert_int_equal(answer, cudaDriverEntryPointSymbolNotFound);
	assert_null(call);
	/* Without a pointer for the answer the call returns an error. */
	is(cudaGetDriverEntryPoint("cuNone", &call, 0, NULL),
	   cudaErrorSymbolNotFound);
	is(cudaGetDriverEntryPoint(NULL, &call, 0, &answer),
	   cudaErrorInvalidValue);
}

static void *have_own_stream(void *arg)
{
	struct gate *gate = arg;
	cudaError_t *seen = calloc(2, sizeof(*seen));

	/* The other thread's stream is busy, but this thread's is idle. */
	seen[0] = cudaStreamQuery(cudaStreamPerThread);
	(void)gate;
	seen[1] = cudaStreamSynchronize(cudaStreamPerThread);
	return seen;
}

static void each_thread_has_a_stream(void **state)
{
	struct gate gate = { 0 };
	cudaError_t *seen;
	pthread_t thread;
	void *out;

	(void)state;
	ok(cudaLaunchHostFunc(cudaStreamPerThread, gate_wait, &gate));
	assert_int_equal(cudaStreamQuery(cudaStreamPerThread),
			 cudaErrorNotReady);
	assert_int_equal(pthread_create(&thread, NULL, have_own_stream, &gate),
			 0);
	assert_int_equal(pthread_join(thread, &out), 0);
	seen = out;
	assert_int_equal(seen[0], cudaSuccess);
	assert_int_equal(seen[1], cudaSuccess);
	free(seen);
	/* Work in the legacy stream delays this stream, too. */
	assert_int_equal(cudaStreamQuery(cudaStreamPerThread),
			 cudaErrorNotReady);
	gate_open(&gate);
	ok(cudaStreamSynchronize(cudaStreamPerThread));
}

static cudaLaunchAttributeValue told(cudaStream_t stream,
				     cudaLaunchAttributeID attr)
{
	cudaLaunchAttributeValue value;

	memset(&value, 0xee, sizeof(value));
	ok(cudaStreamGetAttribute(stream, attr, &value));
	return value;
}

#define priority_of(stream) \
	told(stream, cudaLaunchAttributePriority).priority
#define policy_of(stream) \
	told(stream, cudaLaunchAttributeSynchronizationPolicy).syncPolicy
#define domain_of(stream) \
	told(stream, cudaLaunchAttributeMemSyncDomain).memSyncDomain

static void a_stream_has_attributes(void **state)
{
	const cudaLaunchAttributeID domains =
		cudaLaunchAttributeMemSyncDomainMap;
	cudaLaunchAttributeValue value = { .priority = -3 };
	struct cudaAccessPolicyWindow window;
	cudaStream_t a, b;

	(void)state;
	ok(cudaStreamCreateWithPriority(&a, cudaStreamDefault, -1));
	ok(cudaStreamCreate(&b));
	/* These are the defaults. */
	assert_int_equal(priority_of(a), -1);
	assert_int_equal(policy_of(a), cudaSyncPolicyAuto);
	assert_int_equal(domain_of(a), cudaLaunchMemSyncDomainDefault);
	assert_int_equal(told(a, domains).memSyncDomainMap.default_, 0);
	assert_int_equal(told(a, domains).memSyncDomainMap.remote, 0);
	window = told(a, cudaLaunchAttributeAccessPolicyWindow)
			 .accessPolicyWindow;
	assert_int_equal(window.num_bytes, 0);

	ok(cudaStreamSetAttribute(a, cudaLaunchAttributePriority, &value));
	assert_int_equal(priority_of(a), -3);
	assert_int_equal(priority_of(b), 0);
	value.priority = -100;
	ok(cudaStreamSetAttribute(b, cudaLaunchAttributePriority, &value));
	assert_int_equal(priority_of(b), -5);
	value.syncPolicy = cudaSyncPolicyBlockingSync;
	ok(cudaStreamSetAttribute(a, cudaLaunchAttributeSynchronizationPolicy,
				  &value));
	value.memSyncDomain = cudaLaunchMemSyncDomainRemote;
	ok(cudaStreamSetAttribute(a, cudaLaunchAttributeMemSyncDomain,
				  &value));
	memset(&value, 0, sizeof(value));
	ok(cudaStreamSetAttribute(a, domains, &value));
	value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
	ok(cudaStreamSetAttribute(a, cudaLaunchAttributeAccessPolicyWindow,
				  &value));
	assert_int_equal(policy_of(b), cudaSyncPolicyAuto);
	ok(cudaStreamCopyAttributes(b, a));
	assert_int_equal(priority_of(b), -3);
	assert_int_equal(policy_of(b), cudaSyncPolicyBlockingSync);
	assert_int_equal(domain_of(b), cudaLaunchMemSyncDomainRemote);
	window = told(b, cudaLaunchAttributeAccessPolicyWindow)
			 .accessPolicyWindow;
	assert_int_equal(window.hitProp, cudaAccessPropertyPersisting);
	/* The default stream keeps attributes until the device is reset. */
	ok(cudaStreamCopyAttributes(0, a));
	assert_int_equal(policy_of(0), cudaSyncPolicyBlockingSync);
	assert_int_equal(policy_of(cudaStreamLegacy),
			 cudaSyncPolicyBlockingSync);
	assert_int_equal(policy_of(cudaStreamPerThread), cudaSyncPolicyAuto);
	ok(cudaStreamDestroy(a));
	is(cudaStreamCopyAttributes(b, a), cudaErrorInvalidResourceHandle);
	is(cudaStreamSetAttribute(a, domains, &value),
	   cudaErrorInvalidResourceHandle);
	ok(cudaStreamDestroy(b));
	ok(cudaDeviceReset());
	assert_int_equal(policy_of(0), cudaSyncPolicyAuto);
}

static void refused(cudaLaunchAttributeID attr,
		    const cudaLaunchAttributeValue *value)
{
	is(cudaStreamSetAttribute(0, attr, value), cudaErrorInvalidValue);
}

static void wrong_attributes_are_refused(void **state)
{
	cudaLaunchAttributeValue value = { .accessPolicyWindow.num_bytes = 0 };

	(void)state;
	is(cudaStreamGetAttribute(0, cudaLaunchAttributePriority, NULL),
	   cudaErrorInvalidValue);
	is(cudaStreamGetAttribute(0, cudaLaunchAttributeCooperative, &value),
	   cudaErrorInvalidValue);
	refused(cudaLaunchAttributePriority, NULL);
	refused(cudaLaunchAttributeCooperative, &value);
	refused((cudaLaunchAttributeID)99, &value);
	value.accessPolicyWindow.num_bytes =
		own_attribute(cudaDevAttrMaxAccessPolicyWindowSize) + 1UL;
	refused(cudaLaunchAttributeAccessPolicyWindow, &value);
	value.accessPolicyWindow.num_bytes = 0;
	value.accessPolicyWindow.hitRatio = 1.5f;
	refused(cudaLaunchAttributeAccessPolicyWindow, &value);
	value.accessPolicyWindow.hitRatio = 0.5f;
	value.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
	refused(cudaLaunchAttributeAccessPolicyWindow, &value);
	memset(&value, 0, sizeof(value));
	refused(cudaLaunchAttributeSynchronizationPolicy, &value);
	value.syncPolicy = (enum cudaSynchronizationPolicy)5;
	refused(cudaLaunchAttributeSynchronizationPolicy, &value);
	value.memSyncDomain = (cudaLaunchMemSyncDomain)2;
	refused(cudaLaunchAttributeMemSyncDomain, &value);
	value.memSyncDomainMap.default_ = 0;
	value.memSyncDomainMap.remote =
		own_attribute(cudaDevAttrMemSyncDomainCount);
	refused(cudaLaunchAttributeMemSyncDomainMap, &value);
}

static enum cudaStreamCaptureMode exchange(enum cudaStreamCaptureMode mode)
{
	ok(cudaThreadExchangeStreamCaptureMode(&mode));
	return mode;
}

static void *have_own_mode(void *arg)
{
	enum cudaStreamCaptureMode *mode = arg;

	return cudaThreadExchangeStreamCaptureMode(mode) ? NULL : mode;
}

static void a_thread_has_a_mode_of_capture(void **state)
{
	enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
	CUstreamCaptureMode driver = CU_STREAM_CAPTURE_MODE_GLOBAL;
	pthread_t thread;
	void *out;

	(void)state;
	assert_int_equal(exchange(cudaStreamCaptureModeRelaxed),
			 cudaStreamCaptureModeGlobal);
	assert_int_equal(exchange(cudaStreamCaptureModeThreadLocal),
			 cudaStreamCaptureModeRelaxed);
	assert_int_equal(pthread_create(&thread, NULL, have_own_mode, &mode),
			 0);
	assert_int_equal(pthread_join(thread, &out), 0);
	assert_ptr_equal(out, &mode);
	assert_int_equal(mode, cudaStreamCaptureModeGlobal);
	/* Runtime and driver have the same mode. */
	cu(cuThreadExchangeStreamCaptureMode(&driver));
	assert_int_equal(driver, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
	mode = (enum cudaStreamCaptureMode)3;
	is(cudaThreadExchangeStreamCaptureMode(&mode), cudaErrorInvalidValue);
	assert_int_equal(mode, 3);
	is(cudaThreadExchangeStreamCaptureMode(NULL), cudaErrorInvalidValue);
	assert_int_equal(exchange(cudaStreamCaptureModeGlobal),
			 cudaStreamCaptureModeGlobal);
}

static void *work(void *arg)
{
	const unsigned int seed = (uintptr_t)arg;
	unsigned char back[64];
	cudaStream_t stream;
	cudaEvent_t event;
	unsigned int i;
	void *device;

	for (i = 0; i < NR_ROUNDS; i++) {
		if (cudaStreamCreateWithFlags(&stream,
					      cudaStreamNonBlocking) ||
		    cudaEventCreateWithFlags(&event,
					     cudaEventDisableTiming) ||
		    cudaMalloc(&device, LEN) ||
		    cudaMemsetAsync(device, seed, LEN, stream) ||
		    cudaMemcpyAsync(back, (char *)device + LEN - 64, 64,
				    cudaMemcpyDeviceToHost, stream) ||
		    cudaEventRecord(event, stream) ||
		    cudaEventSynchronize(event) ||
		    back[63] != seed || cudaFree(device) ||
		    cudaEventDestroy(event) || cudaStreamDestroy(stream))
			return (void *)(uintptr_t)(i + 1);
	}
	return NULL;
}

static void many_threads_call_at_once(void **state)
{
	pthread_t threads[NR_THREADS];
	size_t before, after, all;
	unsigned int i;
	void *wrong;

	(void)state;
	ok(cudaMemGetInfo(&before, &all));
	for (i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work,
						(void *)(uintptr_t)(i + 1)),
				 0);
	for (i = 0; i < NR_THREADS; i++) {
		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	ok(cudaMemGetInfo(&after, &all));
	assert_int_equal(after, before);
}

static void the_flags_of_a_device_are_kept(void **state)
{
	unsigned int flags;

	(void)state;
	ok(cudaSetDeviceFlags(cudaDeviceScheduleYield));
	ok(cudaGetDeviceFlags(&flags));
	assert_int_equal(flags & cudaDeviceScheduleMask,
			 cudaDeviceScheduleYield);
	is(cudaSetDeviceFlags(cudaDeviceScheduleSpin |
			      cudaDeviceScheduleYield), cudaErrorInvalidValue);
	is(cudaSetDeviceFlags(0x100), cudaErrorInvalidValue);
	ok(cudaGetDeviceFlags(&flags));
	assert_int_equal(flags & cudaDeviceScheduleMask,
			 cudaDeviceScheduleYield);
	ok(cudaDeviceReset());
	ok(cudaGetDeviceFlags(&flags));
	assert_int_equal(flags & cudaDeviceScheduleMask,
			 cudaDeviceScheduleAuto);
}

static void nap(void *arg)
{
	struct gate *gate = arg;

	usleep(50000);
	atomic_store(&gate->is_reached, true);
}

/* Copies within device memory wait only if a setting asks for it. */
static void synchronous_calls_may_all_wait(void **state)
{
	struct gate gate = { 0 }, naps[4] = { 0 };
	struct cudaMemcpy3DParms box = {
		.kind = cudaMemcpyDeviceToDevice,
		.extent = { 64, 4, 4 },
	};
	unsigned int flags;
	char *device;

	(void)state;
	ok(cudaMalloc((void **)&device, LEN));
	ok(cudaLaunchHostFunc(0, gate_wait, &gate));
	ok(cudaMemset(device, 1, LEN));
	assert_int_equal(cudaStreamQuery(0), cudaErrorNotReady);
	gate_open(&gate);
	ok(cudaDeviceSynchronize());

	ok(cudaSetDeviceFlags(cudaDeviceSyncMemops));
	ok(cudaGetDeviceFlags(&flags));
	assert_true(flags & cudaDeviceSyncMemops);
	ok(cudaLaunchHostFunc(0, nap, &naps[0]));
	ok(cudaMemset(device, 2, LEN));
	assert_true(atomic_load(&naps[0].is_reached));
	ok(cudaLaunchHostFunc(0, nap, &naps[1]));
	ok(cudaMemcpy(device, device + LEN / 2, LEN / 2,
		      cudaMemcpyDeviceToDevice));
	assert_true(atomic_load(&naps[1].is_reached));
	ok(cudaLaunchHostFunc(0, nap, &naps[2]));
	cu(cuMemsetD32((CUdeviceptr)(uintptr_t)device, 0x12345678, LEN / 4));
	assert_true(atomic_load(&naps[2].is_reached));
	box.srcPtr.ptr = device;
	box.dstPtr.ptr = device + LEN / 2;
	box.srcPtr.pitch = 64;
	box.dstPtr.pitch = 64;
	box.srcPtr.ysize = 4;
	box.dstPtr.ysize = 4;
	ok(cudaLaunchHostFunc(0, nap, &naps[3]));
	ok(cudaMemcpy3D(&box));
	assert_true(atomic_load(&naps[3].is_reached));
	/* Calls with "Async" in their names do not wait. */
	atomic_store(&gate.is_open, false);
	ok(cudaLaunchHostFunc(0, gate_wait, &gate));
	ok(cudaMemsetAsync(device, 3, LEN, 0));
	assert_int_equal(cudaStreamQuery(0), cudaErrorNotReady);
	gate_open(&gate);
	ok(cudaDeviceSynchronize());
	ok(cudaFree(device));
	ok(cudaDeviceReset());
	ok(cudaGetDeviceFlags(&flags));
	assert_false(flags & cudaDeviceSyncMemops);
}

static void a_device_is_chosen_for_a_thread(void **state)
{
	int nr, device;

	(void)state;
	ok(cudaGetDeviceCount(&nr));
	assert_in_range(nr, 1, 2);
	is(cudaSetDevice(nr), cudaErrorInvalidDevice);
	is(cudaSetDevice(-1), cudaErrorInvalidDevice);
	ok(cudaGetDevice(&device));
	assert_int_equal(device, 0);
	ok(cudaSetDevice(nr - 1));
	ok(cudaGetDevice(&device));
	assert_int_equal(device, nr - 1);
	/* The last device is the SoC's GPU, which has managed memory. */
	assert_true(has_managed());
	assert_int_equal(own_attribute(cudaDevAttrIntegrated), 1);
	ok(cudaSetDevice(0));
	assert_int_equal(own_attribute(cudaDevAttrIntegrated), nr == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_has_the_attributes_of_its_kind),
		cmocka_unit_test(registered_memory_is_the_devices_too),
		cmocka_unit_test(rows_are_copied_and_set),
		cmocka_unit_test(a_reset_gives_all_back),
		cmocka_unit_test(memory_in_a_streams_order_comes_again),
		cmocka_unit_test(advice_ends_with_its_memory),
		cmocka_unit_test(advised_places_have_a_type),
		cmocka_unit_test(an_error_is_its_threads),
		cmocka_unit_test(a_callback_gets_its_stream_and_may_not_call),
		cmocka_unit_test(a_child_of_fork_is_not_initialised),
		cmocka_unit_test(a_call_of_the_driver_has_its_name),
		cmocka_unit_test(each_thread_has_a_stream),
		cmocka_unit_test(a_stream_has_attributes),
		cmocka_unit_test(wrong_attributes_are_refused),
		cmocka_unit_test(a_thread_has_a_mode_of_capture),
		cmocka_unit_test(many_threads_call_at_once),
		cmocka_unit_test(the_flags_of_a_device_are_kept),
		cmocka_unit_test(synchronous_calls_may_all_wait),
		cmocka_unit_test(a_device_is_chosen_for_a_thread),
	};

	return cmocka_run_group_tests(tests, reset, NULL);
}
