// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests CUDA's signals and waits of NvSciSync objects: in one process, and with
 * a second process of this program, which waits on its CPU.
 */
#include <cuda.h>
#include <cuda_runtime.h>
#include <signal.h>
#include <sys/eventfd.h>

#include "sync.h"

#define cuda(call)	assert_int_equal(call, cudaSuccess)
#define cuda_is(call, error)	assert_int_equal(call, error)
#define cu(call)	assert_int_equal(call, CUDA_SUCCESS)

#define SIGNALS		NvSciSyncAccessPerm_SignalOnly
#define WAITS		NvSciSyncAccessPerm_WaitOnly

static NvSciSyncAttrList gpu_list(int flags)
{
	NvSciSyncAttrList list = sync_list();

	must(cudaDeviceGetNvSciSyncAttributes(list, 0, flags) == cudaSuccess);
	return list;
}

static NvSciSyncObj object_of(NvSciSyncAttrList a, NvSciSyncAttrList b)
{
	NvSciSyncAttrList lists[] = { a, b }, conflict;
	NvSciSyncObj object = NULL;

	must(NvSciSyncAttrListReconcileAndObjAlloc(lists, 2, &object,
						   &conflict) ==
	     NvSciError_Success);
	NvSciSyncAttrListFree(a);
	NvSciSyncAttrListFree(b);
	return object;
}

static cudaExternalSemaphore_t import(const void *object)
{
	const struct cudaExternalSemaphoreHandleDesc desc = {
		.type = cudaExternalSemaphoreHandleTypeNvSciSync,
		.handle.nvSciSyncObj = object,
	};
	cudaExternalSemaphore_t made;

	must(cudaImportExternalSemaphore(&made, &desc) == cudaSuccess);
	return made;
}

static cudaError_t signal_in(cudaExternalSemaphore_t semaphore,
			     NvSciSyncFence *fence, cudaStream_t stream)
{
	const struct cudaExternalSemaphoreSignalParams params = {
		.params.nvSciSync.fence = fence,
	};

	return cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1,
						 stream);
}

static cudaError_t wait_in(cudaExternalSemaphore_t semaphore,
			   NvSciSyncFence *fence, cudaStream_t stream)
{
	const struct cudaExternalSemaphoreWaitParams params = {
		.params.nvSciSync.fence = fence,
	};

	return cudaWaitExternalSemaphoresAsync(&semaphore, &params, 1, stream);
}

/* Work that a stream cannot end before the eventfd is written */
static int hold_up(cudaStream_t stream, cudaExternalSemaphore_t *gate)
{
	const struct cudaExternalSemaphoreWaitParams none = { 0 };
	const int fd = eventfd(0, EFD_CLOEXEC);
	const struct cudaExternalSemaphoreHandleDesc desc = {
		.type = cudaExternalSemaphoreHandleTypeOpaqueFd,
		.handle.fd = dup(fd),
	};

	must(cudaImportExternalSemaphore(gate, &desc) == cudaSuccess);
	must(cudaWaitExternalSemaphoresAsync(gate, &none, 1, stream) ==
	     cudaSuccess);
	return fd;
}

static void let_go(int fd, cudaExternalSemaphore_t gate)
{
	must(!eventfd_write(fd, 1));
	must(cudaDestroyExternalSemaphore(gate) == cudaSuccess);
	close(fd);
}

static void a_stream_signals_the_cpu(void **state)
{
	NvSciSyncObj object = object_of(gpu_list(cudaNvSciSyncAttrSignal),
					cpu_list(WAITS));
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	cudaExternalSemaphore_t semaphore = import(object), gate;
	cudaStream_t stream;
	uint64_t id, value;
	int fd;

	(void)state;
	/* The semaphore has a reference. */
	NvSciSyncObjFree(object);
	cuda(cudaStreamCreate(&stream));
	fd = hold_up(stream, &gate);
	cuda(signal_in(semaphore, &fence, stream));
	is(NvSciSyncFenceWait(&fence, cpu, SHORT_US), Timeout);
	let_go(fd, gate);
	ok(NvSciSyncFenceWait(&fence, cpu, LONG_US));
	cuda(signal_in(semaphore, &fence, stream));
	ok(NvSciSyncFenceExtractFence(&fence, &id, &value));
	assert_int_equal(value, 2);
	ok(NvSciSyncFenceWait(&fence, cpu, LONG_US));
	cuda_is(wait_in(semaphore, &fence, stream), cudaSuccess);
	cuda(cudaStreamSynchronize(stream));
	cuda(cudaDestroyExternalSemaphore(semaphore));
	cuda(cudaStreamDestroy(stream));
	NvSciSyncFenceClear(&fence);
}

static void the_cpu_signals_a_stream(void **state)
{
	NvSciSyncObj object = object_of(cpu_list(SIGNALS),
					gpu_list(cudaNvSciSyncAttrWait));
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	cudaExternalSemaphore_t semaphore = import(object);
	cudaStream_t stream, other;

	(void)state;
	cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	cuda(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	/* A cleared fence is not waited for. */
	cuda(wait_in(semaphore, &fence, stream));
	cuda(cudaStreamSynchronize(stream));
	ok(NvSciSyncObjGenerateFence(object, &fence));
	cuda(wait_in(semaphore, &fence, stream));
	cuda(wait_in(semaphore, &fence, other));
	NvSciSyncFenceClear(&fence);
	cuda_is(cudaStreamQuery(stream), cudaErrorNotReady);
	ok(NvSciSyncObjSignal(object));
	cuda(cudaStreamSynchronize(stream));
	cuda(cudaStreamSynchronize(other));
	cuda(cudaDestroyExternalSemaphore(semaphore));
	cuda(cudaStreamDestroy(stream));
	cuda(cudaStreamDestroy(other));
	NvSciSyncObjFree(object);
}

/* The waits are submitted before the signals. */
static void a_stream_follows_a_stream(void **state)
{
	NvSciSyncObj object = object_of(gpu_list(cudaNvSciSyncAttrSignal),
					gpu_list(cudaNvSciSyncAttrWait));
	cudaExternalSemaphore_t semaphore = import(object), gate;
	NvSciSyncFence wanted = NvSciSyncFenceInitializer;
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	cudaStream_t streams[2];
	int fd, i;

	(void)state;
	for (i = 0; i < 2; i++)
		cuda(cudaStreamCreateWithFlags(&streams[i],
					       cudaStreamNonBlocking));
	ok(NvSciSyncFenceUpdateFence(object, 0, 10, &wanted));
	cuda(wait_in(semaphore, &wanted, streams[1]));
	fd = hold_up(streams[0], &gate);
	for (i = 0; i < 10; i++) {
		cuda_is(cudaStreamQuery(streams[1]), cudaErrorNotReady);
		cuda(signal_in(semaphore, &fence, streams[0]));
	}
	let_go(fd, gate);
	cuda(cudaStreamSynchronize(streams[1]));
	for (i = 0; i < 2; i++)
		cuda(cudaStreamDestroy(streams[i]));
	cuda(cudaDestroyExternalSemaphore(semaphore));
	NvSciSyncFenceClear(&wanted);
	NvSciSyncFenceClear(&fence);
	NvSciSyncObjFree(object);
}

static void the_driver_has_the_same(void **state)
{
	NvSciSyncAttrList lists[2] = { sync_list(), sync_list() };
	CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = { 0 };
	CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = { 0 };
	CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = { 0 };
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	CUexternalSemaphore made;
	NvSciSyncObj object;

	(void)state;
	cuda(cudaFree(NULL));
	cu(cuDeviceGetNvSciSyncAttributes(lists[0], 0,
					  CUDA_NVSCISYNC_ATTR_SIGNAL |
					  CUDA_NVSCISYNC_ATTR_WAIT));
	sync_is(lists[0], NvSciSyncAttrKey_RequiredPerm, uint64_t, 3);
	cuda_is(cuDeviceGetNvSciSyncAttributes(lists[1], 99,
					       CUDA_NVSCISYNC_ATTR_WAIT),
		CUDA_ERROR_INVALID_DEVICE);
	object = object_of(lists[0], lists[1]);
	desc.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC;
	desc.handle.nvSciSyncObj = object;
	desc.flags = CUDA_NVSCISYNC_ATTR_SIGNAL;
	cu(cuImportExternalSemaphore(&made, &desc));
	signal.params.nvSciSync.fence = &fence;
	signal.flags = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_SKIP_NVSCIBUF_MEMSYNC;
	wait.params.nvSciSync.fence = &fence;
	wait.flags = CUDA_EXTERNAL_SEMAPHORE_WAIT_SKIP_NVSCIBUF_MEMSYNC;
	cu(cuSignalExternalSemaphoresAsync(&made, &signal, 1, NULL));
	cu(cuWaitExternalSemaphoresAsync(&made, &wait, 1, NULL));
	cu(cuStreamSynchronize(NULL));
	cu(cuDestroyExternalSemaphore(made));
	NvSciSyncFenceClear(&fence);
	NvSciSyncObjFree(object);
}

static void mistakes_are_refused(void **state)
{
	NvSciSyncAttrList list = sync_list(), result = cpu_reconciled();
	NvSciSyncObj object = object_of(gpu_list(cudaNvSciSyncAttrSignal),
					cpu_list(WAITS));
	struct cudaExternalSemaphoreHandleDesc desc = {
		.type = cudaExternalSemaphoreHandleTypeNvSciSync,
	};
	struct cudaExternalSemaphoreSignalParams params = { 0 };
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	cudaExternalSemaphore_t semaphore = import(object);

	(void)state;
	cuda_is(cudaDeviceGetNvSciSyncAttributes(NULL, 0, 1),
		cudaErrorInvalidValue);
	cuda_is(cudaDeviceGetNvSciSyncAttributes(list, 0, 0),
		cudaErrorInvalidValue);
	cuda_is(cudaDeviceGetNvSciSyncAttributes(list, 0, 4),
		cudaErrorInvalidValue);
	cuda_is(cudaDeviceGetNvSciSyncAttributes(list, 99, 1),
		cudaErrorInvalidDevice);
	cuda_is(cudaDeviceGetNvSciSyncAttributes(result, 0, 1),
		cudaErrorInvalidValue);
	cuda(cudaDeviceGetNvSciSyncAttributes(list, 0, 1));
	cuda_is(cudaDeviceGetNvSciSyncAttributes(list, 0, 1),
		cudaErrorInvalidValue);
	cuda_is(cudaImportExternalSemaphore(&semaphore, &desc),
		cudaErrorInvalidValue);
	desc.handle.nvSciSyncObj = object;
	desc.flags = 4;
	cuda_is(cudaImportExternalSemaphore(&semaphore, &desc),
		cudaErrorInvalidValue);
	cuda_is(signal_in(semaphore, NULL, NULL), cudaErrorInvalidValue);
	cuda_is(wait_in(semaphore, NULL, NULL), cudaErrorInvalidValue);
	params.params.nvSciSync.fence = &fence;
	params.flags = 2;
	cuda_is(cudaSignalExternalSemaphoresAsync(&semaphore, &params, 1,
						  NULL),
		cudaErrorInvalidValue);
	/* Only one of the flags was refused, so nothing was reserved. */
	cuda(signal_in(semaphore, &fence, NULL));
	ok(NvSciSyncFenceWait(&fence, cpu, LONG_US));
	assert_int_equal(fence.payload[1], 1);
	NvSciSyncFenceClear(&fence);
	cuda(cudaDestroyExternalSemaphore(semaphore));
	NvSciSyncObjFree(object);
	NvSciSyncAttrListFree(list);
	NvSciSyncAttrListFree(result);
}

/* The peer's CPU waits for the other process's GPU, and signals it. */
static void peer_waits(const char *name)
{
	NvSciIpcEndpoint end = open_end(name);
	NvSciSyncAttrList list = cpu_list(WAITS);
	NvSciSyncFenceIpcExportDescriptor fence_desc;
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncObj object;
	size_t len;
	void *desc;

	wait_for_event(end, NV_SCI_IPC_EVENT_CONN_EST);
	must(NvSciSyncAttrListIpcExportUnreconciled(&list, 1, end, &desc,
						    &len) ==
	     NvSciError_Success);
	send_desc(end, desc, len);
	NvSciSyncAttrListFreeDesc(desc);
	desc = recv_desc(end, &len);
	must(NvSciSyncIpcImportAttrListAndObj(sync_module, end, desc, len,
					      &list, 1, WAITS, LONG_US,
					      &object) == NvSciError_Success);
	free(desc);
	NvSciSyncAttrListFree(list);
	recv_bytes(end, &fence_desc, sizeof(fence_desc));
	must(NvSciSyncIpcImportFence(object, &fence_desc, &fence) ==
	     NvSciError_Success);
	must(NvSciSyncFenceWait(&fence, cpu, SHORT_US) == NvSciError_Timeout);
	send_bytes(end, &len, sizeof(len));
	must(NvSciSyncFenceWait(&fence, cpu, LONG_US) == NvSciError_Success);
	NvSciSyncFenceClear(&fence);
	NvSciSyncObjFree(object);
	NvSciIpcCloseEndpoint(end);
	NvSciIpcDeinit();
}

static void a_stream_signals_another_process(void **state)
{
	const char *name = channel_name("a_stream_signals");
	const pid_t pid = start_peer("peer_waits", name);
	NvSciIpcEndpoint end = open_end(name);
	NvSciSyncAttrList list;
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncFenceIpcExportDescriptor fence_desc;
	cudaExternalSemaphore_t semaphore, gate;
	NvSciSyncObj object;
	cudaStream_t stream;
	size_t len;
	void *desc;
	int fd;

	(void)state;
	wait_for_event(end, NV_SCI_IPC_EVENT_CONN_EST);
	desc = recv_desc(end, &len);
	ok(NvSciSyncAttrListIpcImportUnreconciled(sync_module, end, desc, len,
						  &list));
	free(desc);
	object = object_of(gpu_list(cudaNvSciSyncAttrSignal), list);
	ok(NvSciSyncIpcExportAttrListAndObj(object, WAITS, end, &desc, &len));
	send_desc(end, desc, len);
	NvSciSyncAttrListAndObjFreeDesc(desc);
	semaphore = import(object);
	cuda(cudaStreamCreate(&stream));
	fd = hold_up(stream, &gate);
	cuda(signal_in(semaphore, &fence, stream));
	ok(NvSciSyncIpcExportFence(&fence, end, &fence_desc));
	send_bytes(end, &fence_desc, sizeof(fence_desc));
	recv_bytes(end, &len, sizeof(len));
	let_go(fd, gate);
	wait_for_peer(pid);
	cuda(cudaDestroyExternalSemaphore(semaphore));
	cuda(cudaStreamDestroy(stream));
	NvSciSyncFenceClear(&fence);
	NvSciSyncObjFree(object);
	NvSciIpcCloseEndpoint(end);
	NvSciIpcDeinit();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_signals_the_cpu),
		cmocka_unit_test(the_cpu_signals_a_stream),
		cmocka_unit_test(a_stream_follows_a_stream),
		cmocka_unit_test(the_driver_has_the_same),
		cmocka_unit_test(mistakes_are_refused),
		cmocka_unit_test(a_stream_signals_another_process),
	};

	if (argc == 3 && !strcmp(argv[1], "peer_waits")) {
		must(!open_sync(NULL));
		peer_waits(argv[2]);
		close_sync(NULL);
		return 0;
	}
	return cmocka_run_group_tests(tests, open_sync, close_sync);
}
