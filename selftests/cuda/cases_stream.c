// SPDX-License-Identifier: GPL-2.0-only
/* Cases of streams, events, host functions and their order. */
#include <string.h>
#include <unistd.h>

#include "cases.h"

static cudaStream_t new_stream(unsigned int flags)
{
	cudaStream_t stream = NULL;

	cudaStreamCreateWithFlags(&stream, flags);
	need(stream, "stream");
	return stream;
}

static cudaEvent_t new_event(unsigned int flags)
{
	cudaEvent_t event = NULL;

	cudaEventCreateWithFlags(&event, flags);
	need(event, "event");
	return event;
}

static void ask_flags_of(const char *name, cudaStream_t stream)
{
	unsigned int flags = 0xdead;

	RT(cudaStreamGetFlags(stream, &flags), "stream.getflags%s", name);
	if (ask("stream.getflags%s.value", name))
		answer("%u", flags);
}

static void ask_stream(void)
{
	cudaStream_t stream = NULL, nonblocking;

	RT(cudaStreamCreate(NULL), "stream.create.null");
	RT(cudaStreamCreate(&stream), "stream.create");
	for (unsigned int flags = 0; flags <= 4; flags++)
		RT(cudaStreamCreateWithFlags(&stream, flags),
		   "stream.create.flags_%u", flags);
	nonblocking = new_stream(cudaStreamNonBlocking);
	ask_flags_of("", nonblocking);
	ask_flags_of(".blocking", new_stream(cudaStreamDefault));
	ask_flags_of(".null_stream", NULL);
	ask_flags_of(".legacy_handle", cudaStreamLegacy);
	ask_flags_of(".perthread_handle", cudaStreamPerThread);
	RT(cudaStreamGetFlags(nonblocking, NULL), "stream.getflags.null_out");
	RT(cudaStreamQuery(nonblocking), "stream.query.idle");
	RT(cudaStreamQuery(NULL), "stream.query.null");
	RT(cudaStreamQuery(cudaStreamLegacy), "stream.query.legacy_handle");
	RT(cudaStreamQuery(cudaStreamPerThread),
	   "stream.query.perthread_handle");
	RT(cudaStreamSynchronize(NULL), "stream.sync.null");
	RT(cudaStreamSynchronize(nonblocking), "stream.sync.idle");
	RT(cudaStreamDestroy(NULL), "stream.destroy.null");
	RT(cudaStreamDestroy(nonblocking), "stream.destroy.ok");
}

static void ask_event(void)
{
	cudaStream_t stream = new_stream(cudaStreamDefault);
	cudaEvent_t event = NULL, other = new_event(cudaEventDefault);
	float ms = 0;

	RT(cudaEventCreate(&event), "event.create");
	need(event, "event");
	RT(cudaEventCreate(NULL), "event.create.null");
	for (unsigned int flags = 0; flags <= 8; flags++) {
		cudaEvent_t one = NULL;

		RT(cudaEventCreateWithFlags(&one, flags),
		   "event.create.flags_%u", flags);
	}
	RT(cudaEventCreateWithFlags(&other, cudaEventDisableTiming),
	   "event.create.flags_timing_off");
	RT(cudaEventCreateWithFlags(&other, cudaEventInterprocess),
	   "event.create.flags_ipc_with_timing");
	RT(cudaEventCreateWithFlags(&other, cudaEventInterprocess |
				    cudaEventDisableTiming),
	   "event.create.flags_ipc_no_timing");
	other = new_event(cudaEventDefault);
	RT(cudaEventQuery(event), "event.query.unrecorded");
	RT(cudaEventSynchronize(event), "event.sync.unrecorded");
	RT(cudaEventElapsedTime(&ms, event, other),
	   "event.elapsed.unrecorded");
	RT(cudaStreamWaitEvent(stream, event, 0), "event.wait.unrecorded");
	RT(cudaStreamWaitEvent(stream, event, 1), "event.wait.flags_1");
	RT(cudaStreamWaitEvent(stream, event, 2), "event.wait.flags_2");
	RT(cudaStreamWaitEvent(stream, event, 3), "event.wait.flags_3");
	RT(cudaStreamWaitEvent(stream, NULL, 0), "event.wait.null");
	RT(cudaEventRecord(event, stream), "event.record.idle");
	RT(cudaEventRecordWithFlags(event, stream, 0),
	   "event.record.flags_0");
	RT(cudaEventRecordWithFlags(event, stream, 1),
	   "event.record.flags_1");
	RT(cudaEventRecordWithFlags(event, stream, 2),
	   "event.record.flags_2");
	RT(cudaEventElapsedTime(&ms, event, event), "event.elapsed.itself");
	RT(cudaEventElapsedTime(&ms, event, other),
	   "event.elapsed.one_unrecorded");
	RT(cudaEventRecord(NULL, stream), "event.record.null");
	RT(cudaEventQuery(NULL), "event.query.null");
	RT(cudaEventSynchronize(NULL), "event.sync.null");
	RT(cudaEventDestroy(NULL), "event.destroy.null");
	RT(cudaEventDestroy(event), "event.destroy.ok");
}

static int callback_status;

static void on_callback(cudaStream_t stream, cudaError_t status, void *base)
{
	(void)stream;
	callback_status = *(int *)base + (int)status;
}

static void ask_busy(void)
{
	int order = 0, base = 100;
	struct gate gate = { .order = &order };
	struct gate follows = { .is_open = 1, .order = &order };
	cudaStream_t s = new_stream(cudaStreamDefault);
	cudaStream_t s2 = new_stream(cudaStreamDefault);
	cudaStream_t s3 = new_stream(cudaStreamDefault);
	cudaEvent_t e = new_event(cudaEventDefault);
	cudaEvent_t e2 = new_event(cudaEventDefault);
	cudaEvent_t untimed = new_event(cudaEventDisableTiming);
	cudaEvent_t before = new_event(cudaEventDefault);
	void *p = NULL, *managed = side_alloc(MANAGED);
	float ms;

	RT(cudaLaunchHostFunc(s, NULL, NULL), "hostfunc.null");
	cudaEventRecord(before, s2);
	RT(cudaLaunchHostFunc(s, gate_wait, &gate), "hostfunc.ok");
	RT(cudaEventRecord(e, s), "event.record.busy");
	RT(cudaEventRecord(e2, s), "event.record2.busy");
	cudaEventRecord(untimed, s);
	RT(cudaEventQuery(e), "event.query.busy");
	RT(cudaStreamQuery(s), "stream.query.busy");
	RT(cudaEventElapsedTime(&ms, e, e2), "event.elapsed.busy");
	RT(cudaEventElapsedTime(&ms, before, e), "event.elapsed.end_busy");
	RT(cudaEventElapsedTime(&ms, e, untimed),
	   "event.elapsed.timing_disabled");
	RT(cudaStreamQuery(s2), "stream2.query.other_busy");
	RT(cudaStreamQuery(NULL), "nullstream.query.other_busy");
	RT(cudaStreamWaitEvent(s2, e, 0), "event.wait.cross");
	RT(cudaStreamQuery(s2), "stream2.query.waiting");
	cudaLaunchHostFunc(s2, gate_wait, &follows);
	RT(cudaMalloc(&p, LEN), "malloc.while_busy");
	RT(cudaMallocManaged(&p, LEN, cudaMemAttachGlobal),
	   "managed.while_busy");
	RT(cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachSingle),
	   "attach.while_busy");
	cudaStreamWaitEvent(s3, e, 0);
	RT(cudaStreamQuery(s3), "stream3.query.waiting");
	RT(cudaStreamDestroy(s3), "stream.destroy.busy");
	gate_open(&gate);
	RT(cudaStreamSynchronize(s2), "stream.sync.release");
	RT(cudaDeviceSynchronize(), "device.sync");
	if (ask("order.after_release"))
		answer("%d", order);
	if (ask("order.of_waiting"))
		answer("%d", follows.nr_before);
	RT(cudaStreamQuery(s), "stream.query.done");
	RT(cudaEventQuery(e), "event.query.done");
	RT(cudaEventSynchronize(e), "event.sync.done");
	RT(cudaEventElapsedTime(&ms, e, e2), "event.elapsed.done");
	RT(cudaEventElapsedTime(NULL, e, e2), "event.elapsed.null_out");
	RT(cudaEventElapsedTime(&ms, before, e), "event.elapsed.other_stream");
	if (ask("event.elapsed.not_negative"))
		answer("%d", ms >= 0);
	RT(cudaStreamAddCallback(s, on_callback, &base, 0), "callback.add");
	cudaStreamSynchronize(s);
	if (ask("callback.status"))
		answer("%d", callback_status);
	RT(cudaStreamAddCallback(s, NULL, NULL, 0), "callback.null");
	RT(cudaStreamAddCallback(s, on_callback, &base, 1),
	   "callback.flags_1");
	RT(cudaStreamDestroy(s), "stream.destroy");
}

/* A host function that calls CUDA and prints the answers itself */
static void ask_inside(void *given)
{
	void *p = NULL;
	cudaStream_t stream = NULL;
	cudaEvent_t event = NULL;
	int device;

	RT(cudaMalloc(&p, LEN), "hostfunc.api.malloc");
	RT(cudaStreamSynchronize(NULL), "hostfunc.api.streamsync");
	RT(cudaMallocHost(&p, LEN), "hostfunc.api.mallochost");
	RT(cudaDeviceSynchronize(), "hostfunc.api.devicesync");
	RT(cudaMallocManaged(&p, LEN, cudaMemAttachGlobal),
	   "hostfunc.api.mallocmanaged");
	RT(cudaStreamCreate(&stream), "hostfunc.api.streamcreate");
	RT(cudaEventCreate(&event), "hostfunc.api.eventcreate");
	RT(cudaMemcpy(&device, &device, sizeof(device), cudaMemcpyHostToHost),
	   "hostfunc.api.memcpy");
	RT(cudaLaunchHostFunc(NULL, ask_inside, NULL),
	   "hostfunc.api.launchhostfunc");
	RT(cudaStreamQuery(NULL), "hostfunc.api.streamquery");
	RT(cudaDeviceReset(), "hostfunc.api.reset");
	RT(cudaFree(given), "hostfunc.api.free");
	RT(cudaMemset(given, 0, LEN), "hostfunc.api.memset");
	RT(cudaMemsetAsync(given, 0, LEN, NULL), "hostfunc.api.memsetasync");
	RT(cudaHostAlloc(&p, LEN, 0), "hostfunc.api.hostalloc");
}

static void ask_hostfunc(void)
{
	cudaStream_t s = new_stream(cudaStreamDefault);
	void *device = side_alloc(DEVICE);

	cudaLaunchHostFunc(s, ask_inside, device);
	cudaStreamSynchronize(s);
	RT(cudaStreamSynchronize(s), "hostfunc.api.sync");
	/* The calls that were refused have had no effect. */
	RT(cudaMemset(device, 0, LEN), "hostfunc.memory_is_there");
}

static void ask_legacy(void)
{
	struct gate first = { 0 }, second = { 0 }, third = { 0 };
	cudaStream_t blocking = new_stream(cudaStreamDefault);
	cudaStream_t nonblocking = new_stream(cudaStreamNonBlocking);

	cudaLaunchHostFunc(blocking, gate_wait, &first);
	RT(cudaStreamQuery(nonblocking),
	   "legacy.nonblocking_while_blocking_busy");
	RT(cudaStreamQuery(NULL), "legacy.null_while_blocking_busy");
	RT(cudaStreamQuery(cudaStreamLegacy),
	   "legacy.handle_while_blocking_busy");
	gate_open(&first);
	RT(cudaDeviceSynchronize(), "legacy.device_sync");
	RT(cudaStreamQuery(NULL), "legacy.null_after");
	cudaLaunchHostFunc(NULL, gate_wait, &second);
	RT(cudaStreamQuery(NULL), "legacy.null_while_null_busy");
	RT(cudaStreamQuery(blocking), "legacy.blocking_while_null_busy");
	RT(cudaStreamQuery(nonblocking),
	   "legacy.nonblocking_while_null_busy");
	RT(cudaStreamQuery(cudaStreamPerThread),
	   "legacy.perthread_while_null_busy");
	gate_open(&second);
	RT(cudaDeviceSynchronize(), "legacy.device_sync2");
	RT(cudaStreamQuery(blocking), "legacy.blocking_after");
	RT(cudaStreamQuery(cudaStreamPerThread), "legacy.perthread_after");
	cudaLaunchHostFunc(nonblocking, gate_wait, &third);
	RT(cudaStreamQuery(NULL), "legacy.null_while_nonblocking_busy");
	RT(cudaStreamQuery(blocking),
	   "legacy.blocking_while_nonblocking_busy");
	gate_open(&third);
	RT(cudaDeviceSynchronize(), "legacy.device_sync3");
}

static void ask_one_at_a_time(void)
{
	int order = 0;
	struct gate gate = { 0 }, other = { .is_open = 1, .order = &order };
	cudaStream_t s = new_stream(cudaStreamNonBlocking);
	cudaStream_t s2 = new_stream(cudaStreamNonBlocking);

	cudaLaunchHostFunc(s, gate_wait, &gate);
	usleep(100000);
	cudaLaunchHostFunc(s2, gate_wait, &other);
	usleep(200000);
	if (ask("hostfunc.other_stream_ran_while_one_blocks"))
		answer("%d", __atomic_load_n(&order, __ATOMIC_SEQ_CST));
	gate_open(&gate);
	cudaDeviceSynchronize();
	if (ask("hostfunc.other_stream_ran_after"))
		answer("%d", order);
}

static void ask_priority(void)
{
	int least = -99, greatest = -99, got = -99;
	cudaStream_t stream = NULL;

	RT(cudaDeviceGetStreamPriorityRange(&least, &greatest),
	   "priority.range");
	if (ask("priority.least.value"))
		answer("%d", least);
	if (ask("priority.has_levels"))
		answer("%d", greatest < least);
	RT(cudaDeviceGetStreamPriorityRange(NULL, NULL),
	   "priority.range_null");
	RT(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
					greatest), "priority.create.high");
	RT(cudaStreamGetPriority(stream, &got), "priority.get");
	if (ask("priority.get.value_is_highest"))
		answer("%d", got == greatest);
	RT(cudaStreamGetPriority(stream, NULL), "priority.get.null_out");
	RT(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
					greatest - 100),
	   "priority.create.beyond");
	cudaStreamGetPriority(stream, &got);
	if (ask("priority.beyond.clamped"))
		answer("%d", got == greatest);
	RT(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
					least + 100),
	   "priority.create.positive");
	cudaStreamGetPriority(stream, &got);
	if (ask("priority.positive.clamped"))
		answer("%d", got == least);
	RT(cudaStreamCreateWithPriority(&stream, 2, 0),
	   "priority.create.flags_2");
	RT(cudaStreamCreateWithPriority(NULL, 0, 0), "priority.create.null");
	got = -99;
	RT(cudaStreamGetPriority(NULL, &got), "priority.get.null_stream");
	if (ask("priority.get.null_stream.value"))
		answer("%d", got);
}

const struct group stream_groups[] = {
	{ "stream", ask_stream },
	{ "event", ask_event },
	{ "busy", ask_busy },
	{ "hostfunc", ask_hostfunc },
	{ "legacy", ask_legacy },
	{ "one_at_a_time", ask_one_at_a_time },
	{ "priority", ask_priority },
	{ 0 },
};
