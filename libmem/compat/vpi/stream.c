// SPDX-License-Identifier: LGPL-2.1-or-later
/* Streams, and host functions in them. */
#include <errno.h>
#include <stdlib.h>

#include "heapsim_cuda.h"
#include "heapsim_vpi.h"
#include "vpi.h"
#include "vpi/CUDAInterop.h"
#include "vpi/HostFunction.h"

/* CUDA's functions are NULL if the program does not use libmem's CUDA. */
#pragma weak heapsim_cuda_stream
#pragma weak cudaStreamCreateWithFlags
#pragma weak cudaStreamDestroy

/**
 * struct call - a host function of the program
 * @stream: stream; it waits for the function before it is destroyed
 * @fn: function; NULL: @fn_ex
 * @fn_ex: function with the status of the stream as an argument
 * @arg: argument
 */
struct call {
	struct VPIStreamImpl *stream;
	VPIHostFunction fn;
	VPIHostFunctionEx fn_ex;
	void *arg;
};

/* Returns true if the program has destroyed the stream that is wrapped. */
static bool stream_is_gone(const struct VPIStreamImpl *stream)
{
	struct mem_stream *mem;
	int rc;

	/* Each thread has its own stream of that name. */
	if (!stream->is_wrapper || stream->cuda == CU_STREAM_PER_THREAD)
		return false;
	rc = heapsim_cuda_stream(stream->cuda, &mem);
	/* CUDA may have made another one at the same address. */
	return rc == CUDA_ERROR_INVALID_HANDLE || (!rc && mem != stream->mem);
}

/**
 * vpi_stream_check() - check an argument that is a stream
 * @stream: argument
 *
 * Return: VPI_SUCCESS, an error of vpi_object_check(), or
 * VPI_ERROR_INVALID_OPERATION: it wraps a stream that does not exist any more.
 */
VPIStatus vpi_stream_check(VPIStream stream)
{
	VPIStatus status;

	status = vpi_object_check(stream, VPI_KIND_STREAM, "stream");
	if (!status && stream_is_gone(stream))
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"the CUDA stream that stream wraps was destroyed: vpiStreamDestroy() first");
	return status;
}

/**
 * vpi_stream_drop() - free a stream
 * @stream: stream whose handle is not valid any more
 */
void vpi_stream_drop(struct VPIStreamImpl *stream)
{
	if (!stream_is_gone(stream))
		mem_stream_sync(stream->mem);
	if (!stream->is_wrapper) {
		mem_stream_destroy(stream->mem);
		if (stream->cuda)
			cudaStreamDestroy(stream->cuda);
	}
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}

/* @cuda: stream of CUDA that is wrapped, or NULL */
static VPIStatus vpi_stream_make(uint64_t flags, struct mem_stream *wrapped,
				 void *cuda, VPIStream *stream)
{
	struct VPIContextImpl *ctx;
	struct VPIStreamImpl *new;
	struct mem_ctx *mem;
	VPIStatus status;
	int rc;

	status = vpi_current(&ctx);
	if (!status)
		status = vpi_flags(ctx, &flags,
				   VPI_OBJECT_FLAGS | VPI_STREAM_GREEDY,
				   wrapped ? VPI_BACKEND_CUDA : 0);
	if (!status)
		status = vpi_mem(&mem);
	if (status)
		return status;
	new = calloc(1, sizeof(*new));
	if (!new)
		return vpi_rc(-ENOMEM, "the stream");
	new->mem = wrapped;
	new->cuda = cuda;
	new->is_wrapper = wrapped;
	if (!wrapped) {
		rc = mem_stream_create(mem, MEM_STREAM_NON_BLOCKING, 0,
				       &new->mem);
		if (rc) {
			free(new);
			return vpi_errno(rc, "the stream");
		}
	}
	pthread_mutex_init(&new->lock, NULL);
	status = vpi_object_add(new, VPI_KIND_STREAM, flags, ctx);
	if (status)
		vpi_stream_drop(new);
	else
		*stream = new;
	return status;
}

VPI_PUBLIC VPIStatus vpiStreamCreate(uint64_t flags, VPIStream *stream)
{
	VPI_ENTER();
	if (!stream)
		return vpi_null("stream");
	return vpi_stream_make(flags, NULL, NULL, stream);
}

static VPIStatus stream_cuda_missing(void)
{
	return vpi_fail(VPI_ERROR_INVALID_OPERATION,
			"the program is not linked with libmem-cudart");
}

VPI_PUBLIC VPIStatus vpiStreamCreateWrapperCUDA(CUstream cudaStream,
						uint64_t flags,
						VPIStream *stream)
{
	struct mem_stream *mem;
	int rc;

	VPI_ENTER();
	if (!stream)
		return vpi_null("stream");
	if (!cudaStream)
		return vpi_null("cudaStream");
	if (!heapsim_cuda_stream)
		return stream_cuda_missing();
	rc = heapsim_cuda_stream(cudaStream, &mem);
	if (rc)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"cudaStream is no stream of CUDA's: CUresult %d",
				rc);
	return vpi_stream_make(flags, mem, cudaStream, stream);
}

VPI_PUBLIC void vpiStreamDestroy(VPIStream stream)
{
	if (vpi_object_del(stream, VPI_KIND_STREAM))
		vpi_stream_drop(stream);
}

VPI_PUBLIC VPIStatus vpiStreamGetFlags(VPIStream stream, uint64_t *flags)
{
	VPI_ENTER();
	return vpi_object_flags(stream, VPI_KIND_STREAM, flags);
}

VPI_PUBLIC VPIStatus vpiStreamFlush(VPIStream stream)
{
	VPI_ENTER();
	return vpi_stream_check(stream);
}

VPI_PUBLIC VPIStatus vpiStreamSync(VPIStream stream)
{
	VPIStatus status;
	int rc;

	VPI_ENTER();
	status = vpi_stream_check(stream);
	if (status)
		return status;
	rc = mem_stream_sync(stream->mem);
	if (rc)
		return vpi_errno(rc, "stream");
	pthread_mutex_lock(&stream->lock);
	status = stream->status;
	stream->status = VPI_SUCCESS;
	pthread_mutex_unlock(&stream->lock);
	if (status)
		vpi_fail(status, "a host function has returned %s",
			 vpiStatusGetName(status));
	return status;
}

VPI_PUBLIC VPIStatus vpiStreamWaitEvent(VPIStream stream, VPIEvent event)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_stream_check(stream);
	if (!status)
		status = vpi_object_check(event, VPI_KIND_EVENT, "event");
	if (status)
		return status;
	return vpi_rc(mem_stream_wait_event(stream->mem, event->mem), "event");
}

VPI_PUBLIC VPIStatus heapsim_vpi_stream(VPIStream stream,
					struct mem_stream **mem)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check_out(stream, VPI_KIND_STREAM, "stream", mem,
				      "mem");
	if (!status)
		*mem = stream->mem;
	return status;
}

static void stream_call_run(struct mem_stream *mem, int rc, void *arg)
{
	struct call *call = arg;
	struct VPIStreamImpl *stream = call->stream;
	VPIStatus status;

	(void)mem;
	pthread_mutex_lock(&stream->lock);
	status = rc ? VPI_ERROR_DEVICE : stream->status;
	pthread_mutex_unlock(&stream->lock);
	if (call->fn && !status)
		call->fn(call->arg);
	if (call->fn_ex) {
		status = call->fn_ex(stream, status, call->arg);
		pthread_mutex_lock(&stream->lock);
		stream->status = status;
		pthread_mutex_unlock(&stream->lock);
	}
	free(call);
}

static VPIStatus stream_call_submit(VPIStream stream, VPIHostFunction fn,
				    VPIHostFunctionEx fn_ex, void *arg)
{
	struct call *call;
	VPIStatus status;
	int rc;

	status = vpi_stream_check(stream);
	if (status)
		return status;
	if (!fn && !fn_ex)
		return vpi_null("hostFunc");
	call = malloc(sizeof(*call));
	if (!call)
		return vpi_rc(-ENOMEM, "the function");
	*call = (struct call) { stream, fn, fn_ex, arg };
	rc = mem_stream_add_callback(stream->mem, stream_call_run, call);
	if (rc)
		free(call);
	return vpi_rc(rc, "stream");
}

VPI_PUBLIC VPIStatus vpiSubmitHostFunction(VPIStream stream,
					   VPIHostFunction hostFunc,
					   void *hostData)
{
	VPI_ENTER();
	return stream_call_submit(stream, hostFunc, NULL, hostData);
}

VPI_PUBLIC VPIStatus vpiSubmitHostFunctionEx(VPIStream stream,
					     VPIHostFunctionEx hostFunc,
					     void *hostData)
{
	VPI_ENTER();
	return stream_call_submit(stream, NULL, hostFunc, hostData);
}

/* Creates a CUDA stream for a stream that wraps none. The lock is held. */
static VPIStatus stream_make_cuda(struct VPIStreamImpl *stream)
{
	cudaStream_t cuda;
	int rc;

	if (stream->cuda)
		return VPI_SUCCESS;
	if (!cudaStreamCreateWithFlags)
		return stream_cuda_missing();
	rc = cudaStreamCreateWithFlags(&cuda, cudaStreamNonBlocking);
	if (rc)
		return vpi_fail(VPI_ERROR_DEVICE,
				"no CUDA stream: cudaError_t %d", rc);
	stream->cuda = cuda;
	return VPI_SUCCESS;
}

/* Makes later work of @to wait for the present work of @from. */
static int vpi_stream_join(struct mem_ctx *ctx, struct mem_stream *from,
			   struct mem_stream *to)
{
	struct mem_event *event;
	int rc;

	if (from == to)
		return 0;
	rc = mem_event_create(ctx, MEM_EVENT_NO_TIMING, &event);
	if (rc)
		return rc;
	rc = mem_event_record(event, from);
	if (!rc)
		rc = mem_stream_wait_event(to, event);
	mem_event_destroy(event);
	return rc;
}

VPI_PUBLIC VPIStatus vpiSubmitCUDAHostFunction(VPIStream stream,
					       VPICUDAHostFunction hostFunc,
					       void *userData)
{
	struct mem_stream *cuda;
	struct mem_ctx *ctx;
	VPIStatus status;
	int rc;

	VPI_ENTER();
	status = vpi_stream_check(stream);
	if (status)
		return status;
	if (!hostFunc)
		return vpi_null("hostFunc");
	if (!(stream->object.flags & VPI_BACKEND_CUDA))
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"stream was made without the backend CUDA");
	if (!heapsim_cuda_stream)
		return stream_cuda_missing();
	status = vpi_mem(&ctx);
	if (status)
		return status;
	pthread_mutex_lock(&stream->lock);
	status = stream_make_cuda(stream);
	pthread_mutex_unlock(&stream->lock);
	if (status)
		return status;
	if (heapsim_cuda_stream(stream->cuda, &cuda))
		return vpi_fail(VPI_ERROR_DEVICE,
				"CUDA has no such stream any more");
	rc = vpi_stream_join(ctx, stream->mem, cuda);
	if (rc)
		return vpi_errno(rc, "stream");
	hostFunc(stream->cuda, userData);
	return vpi_rc(vpi_stream_join(ctx, cuda, stream->mem), "stream");
}
