// SPDX-License-Identifier: GPL-2.0-only
/* Tests contexts, streams, events, host functions and CUDA's streams. */
#include <pthread.h>
#include <unistd.h>

#include <cuda_runtime_api.h>
#include <vpi/CUDAInterop.h>
#include <vpi/algo/BoxFilter.h>

#include "test.h"

/* Contexts */

static void a_context_is_set_and_pushed(void **state)
{
	VPIContext current;
	VPIContext context;
	VPIContext other;
	uint64_t flags;

	(void)state;
	ok(vpiContextGetCurrent(&current));
	assert_ptr_equal(current, VPI_GLOBAL_CONTEXT);
	ok(vpiContextCreate(0, &context));
	ok(vpiContextCreate(VPI_BACKEND_CPU, &other));
	ok(vpiContextGetFlags(context, &flags));
	assert_true(flags & VPI_BACKEND_CUDA);
	ok(vpiContextGetFlags(other, &flags));
	assert_int_equal(flags, VPI_BACKEND_CPU);
	ok(vpiContextSetCurrent(context));
	ok(vpiContextPush(other));
	ok(vpiContextGetCurrent(&current));
	assert_ptr_equal(current, other);
	ok(vpiContextPop(&current));
	assert_ptr_equal(current, other);
	ok(vpiContextGetCurrent(&current));
	assert_ptr_equal(current, context);
	ok(vpiContextPop(NULL));
	is(vpiContextPop(NULL), VPI_ERROR_INVALID_OPERATION, "no context");
	vpiContextDestroy(other);
	vpiContextDestroy(context);
	vpiContextDestroy(context);
	vpiContextDestroy(NULL);
}

static void a_context_owns_what_was_made_in_it(void **state)
{
	VPIContext context;
	VPIStream stream;
	VPIEvent event;
	VPIImage image;
	VPIArray array;

	(void)state;
	ok(vpiContextCreate(VPI_BACKEND_CPU, &context));
	ok(vpiContextPush(context));
	ok(vpiImageCreate(8, 8, VPI_IMAGE_FORMAT_U8, 0, &image));
	ok(vpiArrayCreate(8, VPI_ARRAY_TYPE_U8, 0, &array));
	ok(vpiStreamCreate(0, &stream));
	ok(vpiEventCreate(0, &event));
	is(vpiImageCreate(8, 8, VPI_IMAGE_FORMAT_U8, VPI_BACKEND_CUDA, &image),
	   VPI_ERROR_INVALID_OPERATION, "CUDA");
	ok(vpiContextPush(VPI_GLOBAL_CONTEXT));
	vpiContextDestroy(context);
	is(vpiImageLock(image, VPI_LOCK_READ), VPI_ERROR_INVALID_ARGUMENT,
	   "destroyed");
	is(vpiArrayLock(array, VPI_LOCK_READ), VPI_ERROR_INVALID_ARGUMENT,
	   "destroyed");
	is(vpiStreamSync(stream), VPI_ERROR_INVALID_ARGUMENT, "destroyed");
	is(vpiEventSync(event), VPI_ERROR_INVALID_ARGUMENT, "destroyed");
	ok(vpiContextPop(NULL));
	is(vpiImageCreate(8, 8, VPI_IMAGE_FORMAT_U8, 0, &image),
	   VPI_ERROR_INVALID_CONTEXT, "destroyed");
	ok(vpiContextPop(NULL));
}

static void wrong_contexts_are_refused(void **state)
{
	VPIParallelForConfig config = { 0 };
	VPIContext context = NULL;
	uint64_t flags;
	int i;

	(void)state;
	is(vpiContextCreate(0, NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "ctx is NULL");
	is(vpiContextCreate(VPI_BACKEND_OFA, &context),
	   VPI_ERROR_INVALID_OPERATION, "OFA");
	is(vpiContextCreate(1ULL << 50, &context), VPI_ERROR_INVALID_ARGUMENT,
	   "flags");
	is(vpiContextSetCurrent(NULL), VPI_ERROR_INVALID_ARGUMENT, "NULL");
	is(vpiContextSetCurrent((VPIContext)&i), VPI_ERROR_INVALID_ARGUMENT,
	   "no context");
	is(vpiContextPush((VPIContext)&i), VPI_ERROR_INVALID_CONTEXT,
	   "no context");
	is(vpiContextGetFlags((VPIContext)&i, &flags),
	   VPI_ERROR_INVALID_CONTEXT, "no context");
	is(vpiContextGetCurrent(NULL), VPI_ERROR_INVALID_ARGUMENT, "NULL");
	is(vpiContextSetParallelFor(VPI_GLOBAL_CONTEXT, &config),
	   VPI_ERROR_NOT_IMPLEMENTED, "vpiContextSetParallelFor()");
	for (i = 0; i < 8; i++)
		ok(vpiContextPush(VPI_GLOBAL_CONTEXT));
	is(vpiContextPush(VPI_GLOBAL_CONTEXT), VPI_ERROR_INVALID_OPERATION,
	   "8 contexts");
	for (i = 0; i < 8; i++)
		ok(vpiContextPop(NULL));
}

/* Each thread has its own last status. */
static void *fail_in_thread(void *arg)
{
	(void)arg;
	is(vpiStreamSync(NULL), VPI_ERROR_INVALID_ARGUMENT, "stream is NULL");
	vpiStreamSync(NULL);
	return NULL;
}

static void a_status_is_of_its_thread(void **state)
{
	char text[8];
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, fail_in_thread, NULL),
			 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(vpiPeekAtLastStatus(), VPI_SUCCESS);
	vpiEventSync(NULL);
	assert_int_equal(vpiPeekAtLastStatusMessage(text, sizeof(text)),
			 VPI_ERROR_INVALID_ARGUMENT);
	assert_string_equal(text, "vpiEven");
	/* Destroying objects keeps the status; so does a NULL buffer. */
	vpiImageDestroy(NULL);
	assert_int_equal(vpiPeekAtLastStatusMessage(NULL, 0),
			 VPI_ERROR_INVALID_ARGUMENT);
	assert_int_equal(vpiGetLastStatus(), VPI_ERROR_INVALID_ARGUMENT);
	assert_int_equal(vpiGetLastStatusMessage(text, sizeof(text)),
			 VPI_SUCCESS);
	assert_string_equal(text, "");
	assert_string_equal(vpiStatusGetName(VPI_ERROR_BUFFER_LOCKED),
			    "VPI_ERROR_BUFFER_LOCKED");
	assert_string_equal(vpiStatusGetName((VPIStatus)99),
			    "VPI_ERROR_UNKNOWN");
}

/* Streams and events */

static void events_order_streams(void **state)
{
	VPIEventState reached;
	VPIStream stream;
	VPIStream other;
	float msec = -1;
	uint64_t flags;
	VPIEvent start;
	VPIEvent end;

	(void)state;
	ok(vpiStreamCreate(VPI_BACKEND_CUDA, &stream));
	ok(vpiStreamGetFlags(stream, &flags));
	assert_int_equal(flags, VPI_BACKEND_CUDA);
	ok(vpiStreamCreate(VPI_STREAM_GREEDY, &other));
	ok(vpiEventCreate(0, &start));
	ok(vpiEventCreate(0, &end));
	is(vpiEventElapsedTimeMillis(start, end, &msec), VPI_ERROR_NOT_READY,
	   "never recorded");
	ok(vpiEventQuery(start, &reached));
	assert_int_equal(reached, VPI_EVENT_STATE_SIGNALED);
	ok(vpiEventRecord(start, stream));
	ok(vpiStreamWaitEvent(other, start));
	ok(vpiEventRecord(end, other));
	ok(vpiStreamFlush(other));
	ok(vpiEventSync(end));
	ok(vpiEventQuery(end, &reached));
	assert_int_equal(reached, VPI_EVENT_STATE_SIGNALED);
	ok(vpiEventElapsedTimeMillis(start, end, &msec));
	assert_true(msec >= 0);
	ok(vpiEventGetFlags(end, &flags));
	assert_true(flags & VPI_BACKEND_CUDA);
	vpiEventDestroy(end);
	ok(vpiEventCreate(VPI_EVENT_DISABLE_TIMESTAMP | VPI_BACKEND_CPU,
			  &end));
	is(vpiEventElapsedTimeMillis(start, end, &msec),
	   VPI_ERROR_INVALID_OPERATION, "VPI_EVENT_DISABLE_TIMESTAMP");
	is(vpiEventRecord(end, stream), VPI_ERROR_INVALID_OPERATION,
	   "in common");
	vpiEventDestroy(start);
	vpiEventDestroy(end);
	vpiStreamDestroy(stream);
	vpiStreamDestroy(other);
}

static void wrong_streams_and_events_are_refused(void **state)
{
	VPINativeThreadHandle handle;
	VPIEventState reached;
	VPIStream stream;
	VPIEvent event;
	float msec;

	(void)state;
	ok(vpiStreamCreate(0, &stream));
	ok(vpiEventCreate(0, &event));
	is(vpiStreamCreate(0, NULL), VPI_ERROR_INVALID_ARGUMENT, "stream");
	is(vpiEventCreate(0, NULL), VPI_ERROR_INVALID_ARGUMENT, "event");
	is(vpiStreamCreate(1ULL << 40, &stream), VPI_ERROR_INVALID_ARGUMENT,
	   "flags");
	is(vpiStreamWaitEvent(stream, NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "event is NULL");
	is(vpiStreamWaitEvent(stream, (VPIEvent)stream),
	   VPI_ERROR_INVALID_ARGUMENT, "event is no event");
	is(vpiEventRecord(event, NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "stream is NULL");
	is(vpiEventQuery(event, NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "state is NULL");
	is(vpiEventQuery(NULL, &reached), VPI_ERROR_INVALID_ARGUMENT,
	   "event is NULL");
	is(vpiEventElapsedTimeMillis(event, NULL, &msec),
	   VPI_ERROR_INVALID_ARGUMENT, "end is NULL");
	is(vpiEventElapsedTimeMillis(event, event, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "msec is NULL");
	is(vpiStreamGetFlags(stream, NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "flags is NULL");
	is(vpiStreamGetThreadHandle(stream, &handle),
	   VPI_ERROR_NOT_IMPLEMENTED, "vpiStreamGetThreadHandle()");
	is(vpiSubmitHostFunction(stream, NULL, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "hostFunc is NULL");
	is(vpiSubmitHostFunctionEx(NULL, NULL, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "stream is NULL");
	vpiStreamDestroy(stream);
	vpiStreamDestroy(NULL);
	vpiEventDestroy(event);
	vpiEventDestroy(NULL);
}

static void count_up(void *arg)
{
	++*(int *)arg;
}

static VPIStatus turn_status(VPIStream stream, VPIStatus status, void *arg)
{
	(void)stream;
	*(VPIStatus *)arg = status;
	return status ? VPI_SUCCESS : VPI_ERROR_NOT_READY;
}

static void functions_are_called_in_order(void **state)
{
	VPIStatus seen = VPI_ERROR_INTERNAL;
	VPIStream stream;
	int count = 0;

	(void)state;
	ok(vpiStreamCreate(0, &stream));
	ok(vpiSubmitHostFunction(stream, count_up, &count));
	ok(vpiStreamSync(stream));
	assert_int_equal(count, 1);
	/* After a function that fails, the next one is not called. */
	ok(vpiSubmitHostFunctionEx(stream, turn_status, &seen));
	ok(vpiSubmitHostFunction(stream, count_up, &count));
	is(vpiStreamSync(stream), VPI_ERROR_NOT_READY, "VPI_ERROR_NOT_READY");
	assert_int_equal(seen, VPI_SUCCESS);
	assert_int_equal(count, 1);
	ok(vpiSubmitHostFunctionEx(stream, turn_status, &seen));
	ok(vpiSubmitHostFunctionEx(stream, turn_status, &seen));
	ok(vpiSubmitHostFunction(stream, count_up, &count));
	ok(vpiStreamSync(stream));
	assert_int_equal(seen, VPI_ERROR_NOT_READY);
	assert_int_equal(count, 2);
	vpiStreamDestroy(stream);
}

static void call_vpi(void *arg)
{
	VPIImage image;

	*(VPIStatus *)arg = vpiImageCreate(8, 8, VPI_IMAGE_FORMAT_U8, 0,
					   &image);
}

static void a_function_may_not_call_vpi(void **state)
{
	VPIStatus status = VPI_SUCCESS;
	VPIStream stream;

	(void)state;
	ok(vpiStreamCreate(0, &stream));
	ok(vpiSubmitHostFunction(stream, call_vpi, &status));
	ok(vpiStreamSync(stream));
	assert_int_equal(status, VPI_ERROR_INVALID_OPERATION);
	vpiStreamDestroy(stream);
}

/* CUDA */

static void put_cuda_work(cudaStream_t stream, void *arg)
{
	void **memory = arg;

	assert_non_null(stream);
	assert_int_equal(cudaMemsetAsync(memory[0], 0x5a, 4096, stream), 0);
	memory[1] = stream;
}

static void cuda_work_is_in_order(void **state)
{
	unsigned char bytes[4096] = { 0 };
	void *memory[2] = { NULL };
	cudaStream_t cuda;
	VPIStream stream;
	uint64_t flags;

	(void)state;
	assert_int_equal(cudaMalloc(&memory[0], 4096), 0);
	/* The stream is VPI's own. */
	ok(vpiStreamCreate(0, &stream));
	ok(vpiSubmitCUDAHostFunction(stream, put_cuda_work, memory));
	ok(vpiStreamSync(stream));
	assert_int_equal(cudaMemcpy(bytes, memory[0], 4096,
				    cudaMemcpyDeviceToHost), 0);
	assert_int_equal(bytes[4095], 0x5a);
	is(vpiSubmitCUDAHostFunction(stream, NULL, memory),
	   VPI_ERROR_INVALID_ARGUMENT, "hostFunc is NULL");
	vpiStreamDestroy(stream);
	/* The stream wraps one of CUDA. */
	assert_int_equal(cudaStreamCreateWithFlags(&cuda,
						   cudaStreamNonBlocking), 0);
	ok(vpiStreamCreateWrapperCUDA(cuda, 0, &stream));
	ok(vpiStreamGetFlags(stream, &flags));
	assert_true(flags & VPI_BACKEND_CUDA);
	ok(vpiSubmitCUDAHostFunction(stream, put_cuda_work, memory));
	assert_ptr_equal(memory[1], cuda);
	ok(vpiStreamSync(stream));
	vpiStreamDestroy(stream);
	assert_int_equal(cudaStreamDestroy(cuda), 0);
	is(vpiStreamCreateWrapperCUDA(NULL, 0, &stream),
	   VPI_ERROR_INVALID_ARGUMENT, "cudaStream is NULL");
	is(vpiStreamCreateWrapperCUDA(cuda, 0, &stream),
	   VPI_ERROR_INVALID_ARGUMENT, "no stream of CUDA's");
	ok(vpiStreamCreate(VPI_BACKEND_CPU, &stream));
	is(vpiSubmitCUDAHostFunction(stream, put_cuda_work, memory),
	   VPI_ERROR_INVALID_OPERATION, "backend CUDA");
	vpiStreamDestroy(stream);
	assert_int_equal(cudaFree(memory[0]), 0);
}

static void a_wrapper_outlives_no_stream(void **state)
{
	static const char text[] = "was destroyed";
	void *memory[2] = { NULL };
	cudaStream_t cuda;
	VPIStream stream;
	VPIEvent event;

	(void)state;
	ok(vpiEventCreate(0, &event));
	assert_int_equal(cudaStreamCreate(&cuda), 0);
	ok(vpiStreamCreateWrapperCUDA(cuda, 0, &stream));
	ok(vpiStreamSync(stream));
	assert_int_equal(cudaStreamDestroy(cuda), 0);
	is(vpiStreamSync(stream), VPI_ERROR_INVALID_OPERATION, text);
	is(vpiStreamFlush(stream), VPI_ERROR_INVALID_OPERATION, text);
	is(vpiStreamWaitEvent(stream, event), VPI_ERROR_INVALID_OPERATION,
	   text);
	is(vpiEventRecord(event, stream), VPI_ERROR_INVALID_OPERATION, text);
	is(vpiSubmitCUDAHostFunction(stream, put_cuda_work, memory),
	   VPI_ERROR_INVALID_OPERATION, text);
	vpiStreamDestroy(stream);
	vpiEventDestroy(event);
}

/* CUDA writes, VPI reads, CUDA reads, without a wait in between. */
static void one_stream_is_of_both(void **state)
{
	const size_t len = (size_t)512 * 16;
	unsigned char *bytes;
	VPIImageData data;
	cudaStream_t cuda;
	VPIStream stream;
	VPIImage output;
	VPIImage input;
	void *memory;

	(void)state;
	assert_int_equal(cudaMallocHost((void **)&bytes, len), 0);
	assert_int_equal(cudaMalloc(&memory, 2 * len), 0);
	assert_int_equal(cudaStreamCreate(&cuda), 0);
	ok(vpiStreamCreateWrapperCUDA(cuda, 0, &stream));
	memset(&data, 0, sizeof(data));
	data.bufferType = VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR;
	data.buffer.pitch.format = VPI_IMAGE_FORMAT_U8;
	data.buffer.pitch.numPlanes = 1;
	data.buffer.pitch.planes[0].width = 512;
	data.buffer.pitch.planes[0].height = 16;
	data.buffer.pitch.planes[0].pitchBytes = 512;
	data.buffer.pitch.planes[0].pBase = memory;
	ok(vpiImageCreateWrapper(&data, NULL, VPI_BACKEND_CUDA, &input));
	data.buffer.pitch.planes[0].pBase += len;
	ok(vpiImageCreateWrapper(&data, NULL, VPI_BACKEND_CUDA, &output));
	assert_int_equal(cudaMemsetAsync(memory, 40, len, cuda), 0);
	ok(vpiSubmitBoxFilter(stream, VPI_BACKEND_CUDA, input, output, 3, 3,
			      VPI_BORDER_CLAMP));
	assert_int_equal(cudaMemcpyAsync(bytes, (char *)memory + len, len,
					 cudaMemcpyDeviceToHost, cuda), 0);
	assert_int_equal(cudaStreamSynchronize(cuda), 0);
	assert_int_equal(bytes[0], 40);
	assert_int_equal(bytes[len - 1], 40);
	vpiStreamDestroy(stream);
	vpiImageDestroy(input);
	vpiImageDestroy(output);
	assert_int_equal(cudaStreamDestroy(cuda), 0);
	assert_int_equal(cudaFree(memory), 0);
	assert_int_equal(cudaFreeHost(bytes), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_context_is_set_and_pushed),
		cmocka_unit_test(a_context_owns_what_was_made_in_it),
		cmocka_unit_test(wrong_contexts_are_refused),
		cmocka_unit_test(a_status_is_of_its_thread),
		cmocka_unit_test(events_order_streams),
		cmocka_unit_test(wrong_streams_and_events_are_refused),
		cmocka_unit_test(functions_are_called_in_order),
		cmocka_unit_test(a_function_may_not_call_vpi),
		cmocka_unit_test_teardown(cuda_work_is_in_order,
					  no_violation),
		cmocka_unit_test_teardown(a_wrapper_outlives_no_stream,
					  no_violation),
		cmocka_unit_test_teardown(one_stream_is_of_both,
					  no_violation),
	};

	return cmocka_run_group_tests_name("vpi stream", tests, watch_cuda,
					   NULL);
}
