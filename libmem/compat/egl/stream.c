// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Streams: pipes with EGL's attributes and errors.
 *
 * A stream that is destroyed while an end is connected has its handle until an
 * end uses the stream again, but it can only be queried: this is what a real
 * EGLStream does.
 *
 * A stream's file descriptor is one end of a pair of sockets. The pipe is
 * exported to the other end, and imported by who makes a stream of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "egl.h"

#define NS_PER_US	1000ULL
/* How long a stream from a descriptor waits for the stream's process */
#define IMPORT_NS	(10ULL * 1000 * 1000 * 1000)

/* How CUDA answers without a value */
#define DEFAULT_LATENCY_US	1000

/**
 * struct egl_stream - a stream
 * @object: object
 * @pipe: pipe
 * @has_fd: a descriptor was made; set once
 * @is_deleted: the program has destroyed it; set once, after @last
 * @last: state of the pipe at that time
 */
struct egl_stream {
	struct egl_object object;
	struct mem_pipe *pipe;
	atomic_bool has_fd;
	atomic_bool is_deleted;
	struct mem_pipe_info last;
};

/* What may be done with an attribute */
#define MAY_CREATE	0x1U
#define MAY_SET		0x2U
#define MAY_QUERY	0x4U
#define MAY_QUERY64	0x8U
#define MAY_QUERY_TIME	0x10U

/**
 * struct stream_attribute - an attribute
 * @name: EGL_*
 * @may: MAY_*
 * @max: largest value; the least is 0
 */
struct stream_attribute {
	EGLint name;
	unsigned int may;
	EGLAttrib max;
};

static const struct stream_attribute attributes[] = {
	{ EGL_STREAM_STATE_KHR, MAY_QUERY, 0 },
	{ EGL_CONSUMER_LATENCY_USEC_KHR, MAY_CREATE | MAY_SET | MAY_QUERY,
	  INT32_MAX },
	{ EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR,
	  MAY_CREATE | MAY_SET | MAY_QUERY, INT32_MAX },
	{ EGL_STREAM_FIFO_LENGTH_KHR, MAY_CREATE | MAY_QUERY,
	  MEM_PIPE_FRAMES_MAX },
	{ EGL_STREAM_FIFO_SYNCHRONOUS_NV, MAY_CREATE | MAY_QUERY, EGL_TRUE },
	{ EGL_SUPPORT_RESET_NV, MAY_CREATE | MAY_QUERY, EGL_TRUE },
	{ EGL_SUPPORT_REUSE_NV, MAY_CREATE | MAY_QUERY, EGL_TRUE },
	{ EGL_PRODUCER_FRAME_KHR, MAY_QUERY64, 0 },
	{ EGL_CONSUMER_FRAME_KHR, MAY_QUERY64, 0 },
	{ EGL_STREAM_TIME_NOW_KHR, MAY_QUERY_TIME, 0 },
	{ EGL_STREAM_TIME_PRODUCER_KHR, MAY_QUERY_TIME, 0 },
	{ EGL_STREAM_TIME_CONSUMER_KHR, MAY_QUERY_TIME, 0 },
};

static const EGLint states[] = {
	[MEM_PIPE_CREATED] = EGL_STREAM_STATE_CREATED_KHR,
	[MEM_PIPE_CONNECTING] = EGL_STREAM_STATE_CONNECTING_KHR,
	[MEM_PIPE_EMPTY] = EGL_STREAM_STATE_EMPTY_KHR,
	[MEM_PIPE_NEW_FRAME] = EGL_STREAM_STATE_NEW_FRAME_AVAILABLE_KHR,
	[MEM_PIPE_OLD_FRAME] = EGL_STREAM_STATE_OLD_FRAME_AVAILABLE_KHR,
	[MEM_PIPE_DISCONNECTED] = EGL_STREAM_STATE_DISCONNECTED_KHR,
};

static const struct stream_attribute *stream_attribute_of(EGLAttrib name)
{
	size_t i;

	for (i = 0; i < NR(attributes); i++)
		if (attributes[i].name == name)
			return &attributes[i];
	return NULL;
}

/* Checks a change of an attribute. Returns EGL_SUCCESS or an error. */
static EGLint stream_check(EGLAttrib name, EGLAttrib value, unsigned int how)
{
	const struct stream_attribute *attribute = stream_attribute_of(name);

	if (!attribute)
		return EGL_BAD_ATTRIBUTE;
	if (!(attribute->may & how))
		return EGL_BAD_ACCESS;
	if (value < 0 || value > attribute->max)
		return EGL_BAD_PARAMETER;
	return EGL_SUCCESS;
}

/* Reads the state, which may be in another process. Returns 0 or -errno. */
static int stream_info(const struct egl_stream *stream,
		       struct mem_pipe_info *info)
{
	*info = (struct mem_pipe_info){ .size = sizeof(*info) };
	return mem_pipe_info(stream->pipe, info);
}

/* Converts an error of a stream's pipe; 0 is EGL_SUCCESS. */
static EGLint stream_error_of(int err)
{
	switch (err) {
	case 0:
		return EGL_SUCCESS;
	/* The process that created the stream does not answer. */
	case -ETIMEDOUT:
	case -EPIPE:
		return EGL_BAD_STATE_KHR;
	default:
		return egl_error_of(err);
	}
}

/* Returns true if an end has used a destroyed stream. */
static bool stream_was_used(const struct egl_stream *stream,
			    const struct mem_pipe_info *now)
{
	const struct mem_pipe_info *last = &stream->last;

	return now->state != last->state || now->nr_held != last->nr_held ||
	       now->nr_active != last->nr_active ||
	       now->nr_returnable != last->nr_returnable ||
	       now->producer_frame != last->producer_frame ||
	       now->consumer_frame != last->consumer_frame;
}

static bool stream_is_gone(struct egl_object *object)
{
	const struct egl_stream *stream = (struct egl_stream *)object;
	struct mem_pipe_info info;

	return atomic_load(&stream->is_deleted) &&
	       !stream_info(stream, &info) && stream_was_used(stream, &info);
}

/* Finds a stream to work with. If there is none, the call has failed. */
static struct egl_stream *stream_get(EGLDisplay dpy, EGLStreamKHR handle)
{
	struct egl_stream *stream;

	if (!egl_is_ready(dpy))
		return NULL;
	stream = egl_object_get(EGL_KIND_STREAM, handle);
	if (stream && atomic_load(&stream->is_deleted)) {
		egl_object_put(stream);
		stream = NULL;
	}
	if (!stream)
		egl_fail(EGL_BAD_STREAM_KHR);
	return stream;
}

/* Ends the use of a stream, and the call with an error or EGL_SUCCESS. */
static EGLBoolean stream_put(struct egl_stream *stream, EGLint error)
{
	egl_object_put(stream);
	return error == EGL_SUCCESS ? egl_done() : egl_fail(error);
}

static void stream_destroy(struct egl_object *object)
{
	struct egl_stream *stream = (struct egl_stream *)object;

	mem_pipe_destroy(stream->pipe);
	free(stream);
}

static void stream_set_flag(struct mem_pipe_params *params, uint32_t flag,
			    bool is_set)
{
	params->flags &= ~flag;
	if (is_set)
		params->flags |= flag;
}

static void stream_set_param(struct mem_pipe_params *params, EGLAttrib name,
			     EGLAttrib value)
{
	switch (name) {
	case EGL_CONSUMER_LATENCY_USEC_KHR:
		params->latency_ns = value * NS_PER_US;
		break;
	case EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR:
		params->timeout_ns = value * NS_PER_US;
		break;
	case EGL_STREAM_FIFO_LENGTH_KHR:
		params->length = value;
		break;
	case EGL_STREAM_FIFO_SYNCHRONOUS_NV:
		stream_set_flag(params, MEM_PIPE_SYNCHRONOUS, value);
		break;
	case EGL_SUPPORT_RESET_NV:
		stream_set_flag(params, MEM_PIPE_RESET, value);
		break;
	case EGL_SUPPORT_REUSE_NV:
		stream_set_flag(params, MEM_PIPE_NO_REUSE, !value);
		break;
	}
}

/* Makes a stream of a pipe, which is destroyed if that fails. */
static EGLStreamKHR stream_add(struct mem_pipe *pipe)
{
	struct egl_stream *stream = calloc(1, sizeof(*stream));

	if (!stream) {
		mem_pipe_destroy(pipe);
		egl_fail(EGL_BAD_ALLOC);
		return EGL_NO_STREAM_KHR;
	}
	stream->pipe = pipe;
	stream->object.kind = EGL_KIND_STREAM;
	stream->object.destroy = stream_destroy;
	egl_objects_sweep(EGL_KIND_STREAM, stream_is_gone);
	egl_object_add(&stream->object);
	egl_done();
	return stream;
}

static EGLStreamKHR stream_create(struct mem_pipe_params *params)
{
	struct mem_pipe *pipe;
	int err;

	/* Only a fifo can be synchronous. */
	if (!params->length)
		params->flags &= ~MEM_PIPE_SYNCHRONOUS;
	err = mem_pipe_create(egl_ctx(), params, &pipe);
	if (err) {
		egl_fail(egl_error_of(err));
		return EGL_NO_STREAM_KHR;
	}
	return stream_add(pipe);
}

API EGLStreamKHR eglCreateStreamAttribKHR(EGLDisplay dpy,
					  const EGLAttrib *attrib_list)
{
	struct mem_pipe_params params = {
		.size = sizeof(params),
		.latency_ns = DEFAULT_LATENCY_US * NS_PER_US,
	};
	EGLint error;

	if (!egl_is_ready(dpy))
		return EGL_NO_STREAM_KHR;
	for (; attrib_list && attrib_list[0] != EGL_NONE; attrib_list += 2) {
		error = stream_check(attrib_list[0], attrib_list[1],
				     MAY_CREATE);
		if (error != EGL_SUCCESS) {
			egl_fail(error);
			return EGL_NO_STREAM_KHR;
		}
		stream_set_param(&params, attrib_list[0], attrib_list[1]);
	}
	return stream_create(&params);
}

API EGLStreamKHR eglCreateStreamKHR(EGLDisplay dpy, const EGLint *attrib_list)
{
	EGLAttrib *wide;
	EGLStreamKHR stream;
	size_t nr = 0, i;

	while (attrib_list && attrib_list[nr] != EGL_NONE)
		nr += 2;
	wide = malloc((nr + 1) * sizeof(*wide));
	if (!wide) {
		egl_fail(EGL_BAD_ALLOC);
		return EGL_NO_STREAM_KHR;
	}
	for (i = 0; i < nr; i++)
		wide[i] = attrib_list[i];
	wide[nr] = EGL_NONE;
	stream = eglCreateStreamAttribKHR(dpy, wide);
	free(wide);
	return stream;
}

API EGLBoolean eglDestroyStreamKHR(EGLDisplay dpy, EGLStreamKHR handle)
{
	struct egl_stream *stream = stream_get(dpy, handle);
	struct mem_pipe_info info;
	int err;

	if (!stream)
		return EGL_FALSE;
	err = stream_info(stream, &info);
	if (err)
		return stream_put(stream, stream_error_of(err));
	if (info.state == MEM_PIPE_CREATED ||
	    info.state == MEM_PIPE_DISCONNECTED) {
		egl_object_del(EGL_KIND_STREAM, stream);
	} else {
		stream->last = info;
		atomic_store(&stream->is_deleted, true);
	}
	return stream_put(stream, EGL_SUCCESS);
}

/* Changes an attribute that may be set. Returns EGL_SUCCESS or an error. */
static EGLint stream_set(struct egl_stream *stream, EGLenum attribute,
			 EGLAttrib value)
{
	struct mem_pipe_info info;
	int err = stream_info(stream, &info);

	if (err)
		return stream_error_of(err);
	if (info.state == MEM_PIPE_DISCONNECTED)
		return EGL_BAD_STATE_KHR;
	if (attribute == EGL_CONSUMER_LATENCY_USEC_KHR)
		err = mem_pipe_set_latency(stream->pipe, value * NS_PER_US);
	else
		err = mem_pipe_set_timeout(stream->pipe, value * NS_PER_US);
	return stream_error_of(err);
}

API EGLBoolean eglSetStreamAttribKHR(EGLDisplay dpy, EGLStreamKHR handle,
				     EGLenum attribute, EGLAttrib value)
{
	struct egl_stream *stream = stream_get(dpy, handle);
	EGLint error;

	if (!stream)
		return EGL_FALSE;
	/* A real EGLStream refuses this without an error. */
	if (attribute == EGL_STREAM_STATE_KHR) {
		egl_object_put(stream);
		return egl_fail(EGL_SUCCESS);
	}
	error = stream_check(attribute, value, MAY_SET);
	if (error == EGL_SUCCESS)
		error = stream_set(stream, attribute, value);
	return stream_put(stream, error);
}

API EGLBoolean eglStreamAttribKHR(EGLDisplay dpy, EGLStreamKHR stream,
				  EGLenum attribute, EGLint value)
{
	return eglSetStreamAttribKHR(dpy, stream, attribute, value);
}

/* Returns the value of an attribute of any kind. */
static uint64_t stream_value(const struct mem_pipe_info *info, EGLint name)
{
	switch (name) {
	case EGL_STREAM_STATE_KHR:
		return states[info->state];
	case EGL_CONSUMER_LATENCY_USEC_KHR:
		return info->latency_ns / NS_PER_US;
	case EGL_CONSUMER_ACQUIRE_TIMEOUT_USEC_KHR:
		return info->timeout_ns / NS_PER_US;
	case EGL_STREAM_FIFO_LENGTH_KHR:
		return info->length;
	case EGL_STREAM_FIFO_SYNCHRONOUS_NV:
		return info->flags & MEM_PIPE_SYNCHRONOUS ? EGL_TRUE :
							     EGL_FALSE;
	case EGL_SUPPORT_RESET_NV:
		return info->flags & MEM_PIPE_RESET ? EGL_TRUE : EGL_FALSE;
	case EGL_SUPPORT_REUSE_NV:
		return info->flags & MEM_PIPE_NO_REUSE ? EGL_FALSE : EGL_TRUE;
	case EGL_PRODUCER_FRAME_KHR:
		return info->producer_frame;
	case EGL_CONSUMER_FRAME_KHR:
		return info->consumer_frame;
	case EGL_STREAM_TIME_NOW_KHR:
		return info->now_ns;
	case EGL_STREAM_TIME_PRODUCER_KHR:
		return info->producer_time_ns;
	default:
		return info->consumer_time_ns;
	}
}

static EGLBoolean stream_query(EGLDisplay dpy, EGLStreamKHR handle,
			       EGLenum name, unsigned int how, uint64_t *value)
{
	const struct stream_attribute *attribute;
	struct egl_stream *stream;
	struct mem_pipe_info info;
	int err;

	if (!egl_is_ready(dpy))
		return EGL_FALSE;
	stream = egl_object_get(EGL_KIND_STREAM, handle);
	if (!stream)
		return egl_fail(EGL_BAD_STREAM_KHR);
	err = stream_info(stream, &info);
	if (!err && atomic_load(&stream->is_deleted) &&
	    stream_was_used(stream, &info)) {
		egl_object_del(EGL_KIND_STREAM, stream);
		return stream_put(stream, EGL_BAD_STREAM_KHR);
	}
	attribute = stream_attribute_of(name);
	if (!attribute || !(attribute->may & how))
		return stream_put(stream, EGL_BAD_ATTRIBUTE);
	if (err)
		return stream_put(stream, stream_error_of(err));
	*value = stream_value(&info, attribute->name);
	return stream_put(stream, EGL_SUCCESS);
}

API EGLBoolean eglQueryStreamAttribKHR(EGLDisplay dpy, EGLStreamKHR stream,
				       EGLenum attribute, EGLAttrib *value)
{
	uint64_t found;

	if (!value)
		return egl_fail(EGL_BAD_PARAMETER);
	if (!stream_query(dpy, stream, attribute, MAY_QUERY, &found))
		return EGL_FALSE;
	*value = (EGLAttrib)found;
	return EGL_TRUE;
}

API EGLBoolean eglQueryStreamKHR(EGLDisplay dpy, EGLStreamKHR stream,
				 EGLenum attribute, EGLint *value)
{
	uint64_t found;

	if (!value)
		return egl_fail(EGL_BAD_PARAMETER);
	if (!stream_query(dpy, stream, attribute, MAY_QUERY, &found))
		return EGL_FALSE;
	*value = (EGLint)found;
	return EGL_TRUE;
}

API EGLBoolean eglQueryStreamu64KHR(EGLDisplay dpy, EGLStreamKHR stream,
				    EGLenum attribute, EGLuint64KHR *value)
{
	uint64_t found;

	if (!value)
		return egl_fail(EGL_BAD_PARAMETER);
	if (!stream_query(dpy, stream, attribute, MAY_QUERY64, &found))
		return EGL_FALSE;
	*value = found;
	return EGL_TRUE;
}

API EGLBoolean eglQueryStreamTimeKHR(EGLDisplay dpy, EGLStreamKHR stream,
				     EGLenum attribute, EGLTimeKHR *value)
{
	uint64_t found;

	if (!value)
		return egl_fail(EGL_BAD_PARAMETER);
	if (!stream_query(dpy, stream, attribute, MAY_QUERY_TIME, &found))
		return EGL_FALSE;
	*value = found;
	return EGL_TRUE;
}

API EGLBoolean eglResetStreamNV(EGLDisplay dpy, EGLStreamKHR handle)
{
	struct egl_stream *stream = stream_get(dpy, handle);
	struct mem_pipe_info info;
	int err;

	if (!stream)
		return EGL_FALSE;
	err = stream_info(stream, &info);
	if (!err && (info.state == MEM_PIPE_CREATED ||
		     info.state == MEM_PIPE_CONNECTING ||
		     info.state == MEM_PIPE_DISCONNECTED))
		return stream_put(stream, EGL_BAD_STATE_KHR);
	if (!err)
		err = mem_pipe_reset(stream->pipe);
	return stream_put(stream, stream_error_of(err));
}

/* Streams between processes */

/* Exports a pipe. Returns the descriptor to import it, or -errno. */
static int stream_export(struct mem_pipe *pipe)
{
	struct mem_endpoint *endpoint;
	int ends[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	err = mem_endpoint_from_fd(egl_ctx(), ends[0], &endpoint);
	close(ends[0]);
	if (!err) {
		err = mem_pipe_export(pipe, endpoint);
		if (err)
			mem_endpoint_close(endpoint);
	}
	if (err)
		close(ends[1]);
	return err ? err : ends[1];
}

API EGLNativeFileDescriptorKHR
eglGetStreamFileDescriptorKHR(EGLDisplay dpy, EGLStreamKHR handle)
{
	struct egl_stream *stream = stream_get(dpy, handle);
	struct mem_pipe_info info;
	EGLint error;
	int fd;

	if (!stream)
		return EGL_NO_FILE_DESCRIPTOR_KHR;
	error = stream_error_of(stream_info(stream, &info));
	/* A real EGLStream has one descriptor, too. */
	if (error == EGL_SUCCESS && (info.state != MEM_PIPE_CREATED ||
				     atomic_exchange(&stream->has_fd, true)))
		error = EGL_BAD_STATE_KHR;
	if (error != EGL_SUCCESS) {
		stream_put(stream, error);
		return EGL_NO_FILE_DESCRIPTOR_KHR;
	}
	fd = stream_export(stream->pipe);
	if (fd < 0) {
		atomic_store(&stream->has_fd, false);
		error = egl_error_of(fd);
		fd = EGL_NO_FILE_DESCRIPTOR_KHR;
	}
	stream_put(stream, error);
	return fd;
}

static int stream_option(int fd, int name)
{
	socklen_t len = sizeof(int);
	int value;

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) ? -1 : value;
}

/*
 * Priorities of a descriptor's socket: all processes that have it see them, and
 * they have no effect on sockets of this kind.
 */
#define FD_UNUSED	0
#define FD_USED		1

static bool stream_mark(int fd, int priority)
{
	return !setsockopt(fd, SOL_SOCKET, SO_PRIORITY, &priority,
			   sizeof(priority));
}

/*
 * Claims a descriptor, which can be used once. Returns false if it was used, or
 * is none of a stream.
 */
static bool stream_claim(int fd)
{
	return stream_option(fd, SO_DOMAIN) == AF_UNIX &&
	       stream_option(fd, SO_TYPE) == SOCK_SEQPACKET &&
	       stream_option(fd, SO_PRIORITY) != FD_USED &&
	       stream_mark(fd, FD_USED);
}

/* Returns true if a descriptor is none of a stream, or its process has gone. */
static bool stream_fd_is_bad(int err)
{
	return err == -EINVAL || err == -EBADF || err == -EPIPE ||
	       err == -ETIMEDOUT;
}

/* Imports the pipe of a descriptor that was claimed. Returns 0 or -errno. */
static int stream_import(int fd, struct mem_pipe **pipe)
{
	struct mem_endpoint *endpoint;
	int err = mem_endpoint_from_fd(egl_ctx(), fd, &endpoint);

	if (err) {
		/* Nothing was sent: it may be used when there is a place. */
		if (!stream_fd_is_bad(err))
			stream_mark(fd, FD_UNUSED);
		return err;
	}
	err = mem_pipe_import(endpoint, IMPORT_NS, pipe);
	if (err)
		mem_endpoint_close(endpoint);
	return err;
}

API EGLStreamKHR
eglCreateStreamFromFileDescriptorKHR(EGLDisplay dpy,
				     EGLNativeFileDescriptorKHR fd)
{
	struct mem_pipe *pipe;
	int err;

	if (!egl_is_ready(dpy))
		return EGL_NO_STREAM_KHR;
	if (!stream_claim(fd)) {
		egl_fail(EGL_BAD_ATTRIBUTE);
		return EGL_NO_STREAM_KHR;
	}
	err = stream_import(fd, &pipe);
	if (!err)
		return stream_add(pipe);
	egl_fail(stream_fd_is_bad(err) ? EGL_BAD_ATTRIBUTE : egl_error_of(err));
	return EGL_NO_STREAM_KHR;
}

/* For connections. Returns NULL if there is no such stream. */
static struct egl_stream *stream_to_connect(void *handle)
{
	struct egl_stream *stream = egl_object_get(EGL_KIND_STREAM, handle);

	if (stream && atomic_load(&stream->is_deleted)) {
		egl_object_put(stream);
		stream = NULL;
	}
	return stream;
}

API int heapsim_egl_connect_consumer(void *handle, struct mem_ctx *ctx,
				     struct mem_pipe_end **end)
{
	struct egl_stream *stream = stream_to_connect(handle);
	int err;

	if (!stream)
		return -EBADF;
	err = mem_pipe_connect_consumer(stream->pipe, ctx, end);
	egl_object_put(stream);
	return err;
}

API int heapsim_egl_connect_producer(void *handle, struct mem_ctx *ctx,
				     uint32_t width, uint32_t height,
				     struct mem_pipe_end **end)
{
	struct egl_stream *stream = stream_to_connect(handle);
	int err;

	if (!stream)
		return -EBADF;
	err = mem_pipe_connect_producer(stream->pipe, ctx, width, height, end);
	egl_object_put(stream);
	return err;
}
