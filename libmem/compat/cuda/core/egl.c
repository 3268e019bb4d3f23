// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Connections to EGL streams. A connection is an end of the stream's pipe. The
 * answers are those of a real EGLStream between two CUDA contexts, which
 * reports most errors as unknown.
 *
 * A connection is freed when the program has disconnected it and no call uses
 * it any more: a call may wait in one thread while another disconnects.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../../compat.h"
#include "core_egl.h"
#include "heapsim_egl.h"
#include "internal.h"

#pragma weak heapsim_egl_connect_consumer
#pragma weak heapsim_egl_connect_producer

#define NS_PER_MS	1000000ULL
#define NS_PER_S	1000000000ULL

/* How long a return waits, as it does for CUDA */
#define RETURN_NS	(1 * NS_PER_MS)
/* How long a present waits while the fifo is full */
#define PRESENT_NS	(10 * NS_PER_S)

/* A present that will be refused needs a slot, too. */
#define NR_SLOTS	(MEM_PIPE_FRAMES_MAX + 8)
#define NR_RESOURCES	MEM_PIPE_FRAMES_MAX

/**
 * struct slot - a frame that was presented
 * @is_used: it has not been returned
 * @frame: frame as it was presented
 */
struct slot {
	bool is_used;
	struct core_egl_frame frame;
};

/**
 * struct CUeglStreamConnection_st - a connection
 * @ctx: context
 * @role: role
 * @end: end of the pipe
 * @nr_users: the program and calls that use it; protected by the lock of all
 * @lock: protects the fields below
 * @slots: frames of the producer
 * @resources: frames of the consumer; NULL: not used yet
 * @age: number of acquires so far
 * @has_presented: of a producer: it has presented a frame
 * @share: records for a consumer of another context; NULL: none was needed
 */
struct CUeglStreamConnection_st {
	struct CUctx_st *ctx;
	enum core_egl_role role;
	struct mem_pipe_end *end;
	unsigned int nr_users;

	pthread_mutex_t lock;
	struct slot slots[NR_SLOTS];
	struct CUgraphicsResource_st *resources[NR_RESOURCES];
	uint64_t age;
	atomic_bool has_presented;
	struct core_egl_share *share;
};

/* Protects the numbers of users of all connections. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void egl_resource_empty(struct CUgraphicsResource_st *resource)
{
	core_graphics_unview(&resource->frame);
	core_egl_copy_free(resource);
	core_egl_import_free(resource->ctx, resource->imports);
	resource->from.frame.nr_planes = 0;
}

static void egl_put(struct CUeglStreamConnection_st *conn)
{
	bool is_last;
	unsigned int i;

	pthread_mutex_lock(&lock);
	is_last = !--conn->nr_users;
	pthread_mutex_unlock(&lock);
	if (!is_last)
		return;
	for (i = 0; i < NR_RESOURCES; i++) {
		if (!conn->resources[i])
			continue;
		core_object_del(CORE_GRAPHICS, conn->resources[i]);
		egl_resource_empty(conn->resources[i]);
		free(conn->resources[i]);
	}
	mem_pipe_end_destroy(conn->end);
	core_egl_share_destroy(conn->share);
	pthread_mutex_destroy(&conn->lock);
	free(conn);
}

/* Finds the connection and the stream of a call. */
static int egl_get(struct CUeglStreamConnection_st *conn,
		   enum core_egl_role role, CUstream handle,
		   struct mem_stream **stream)
{
	int rc = CUDA_ERROR_INVALID_HANDLE;

	pthread_mutex_lock(&lock);
	if (core_object_ctx(CORE_CONNECTION, conn) && conn->role == role) {
		conn->nr_users++;
		rc = CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	if (rc)
		return rc;
	rc = core_stream(conn->ctx, handle, stream);
	if (rc)
		egl_put(conn);
	return rc;
}

/* Errors of the calls that move frames */
static int egl_error(int err)
{
	switch (err) {
	case -EFAULT:
		return CUDA_ERROR_INVALID_HANDLE;
	case -ETIMEDOUT:
		return CUDA_ERROR_LAUNCH_TIMEOUT;
	case -ENOENT:
	case -ENOBUFS:
	case -ENODATA:
	case -EPIPE:
		return CUDA_ERROR_UNKNOWN;
	default:
		return core_error(err);
	}
}

static int egl_attach(struct CUeglStreamConnection_st *conn, void *stream,
		      unsigned int width, unsigned int height)
{
	const int err = conn->role == CORE_EGL_CONSUMER ?
		heapsim_egl_connect_consumer(stream, conn->ctx->mem,
					     &conn->end) :
		heapsim_egl_connect_producer(stream, conn->ctx->mem, width,
					     height, &conn->end);

	switch (err) {
	case -EBADF:
	case -EISCONN:
	case -ENOTCONN:
	case -EPIPE:
	case -EXDEV:
		return CUDA_ERROR_UNKNOWN;
	default:
		return core_error(err);
	}
}

/**
 * core_egl_connect() - connect to a stream
 * @role: role
 * @stream: handle, any value
 * @width: of a producer's frames, pixels
 * @height: of a producer's frames, rows
 * @conn: out: connection, owned by the caller: core_egl_disconnect()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_UNKNOWN (no such stream, its state does not
 * permit it), CUDA_ERROR_NOT_SUPPORTED (no libmem-egl),
 * CUDA_ERROR_OUT_OF_MEMORY, or core_error() of mem_pipe_connect_producer().
 */
CORE_API int core_egl_connect(enum core_egl_role role, void *stream,
			      unsigned int width, unsigned int height,
			      struct CUeglStreamConnection_st **conn)
{
	struct CUeglStreamConnection_st *new;
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (rc)
		return rc;
	if (!heapsim_egl_connect_consumer || !heapsim_egl_connect_producer)
		return core_missing(role == CORE_EGL_CONSUMER ?
				    "cuEGLStreamConsumerConnect" :
				    "cuEGLStreamProducerConnect");
	new = calloc(1, sizeof(*new));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	new->ctx = ctx;
	new->role = role;
	new->nr_users = 1;
	pthread_mutex_init(&new->lock, NULL);
	rc = egl_attach(new, stream, width, height);
	if (!rc)
		rc = core_object_add(CORE_CONNECTION, new, ctx);
	if (rc)
		egl_put(new);
	else
		*conn = new;
	return rc;
}

/**
 * core_egl_disconnect() - disconnect from a stream
 * @role: role
 * @conn: handle, any value; not valid any more
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE.
 */
CORE_API int core_egl_disconnect(enum core_egl_role role,
				 struct CUeglStreamConnection_st *conn)
{
	bool is_found;

	pthread_mutex_lock(&lock);
	is_found = core_object_ctx(CORE_CONNECTION, conn) &&
		   conn->role == role && core_object_del(CORE_CONNECTION, conn);
	pthread_mutex_unlock(&lock);
	if (!is_found)
		return CUDA_ERROR_INVALID_HANDLE;
	core_connection_drop(conn->ctx, conn);
	return CUDA_SUCCESS;
}

/* Also called by core_objects_drop(). The handle is not valid any more. */
void core_connection_drop(struct CUctx_st *ctx, void *object)
{
	struct CUeglStreamConnection_st *conn = object;

	(void)ctx;
	/* Wakes calls that wait. The stream may be disconnected already. */
	mem_pipe_disconnect(conn->end);
	egl_put(conn);
}

/*
 * Returns true if two frames are the same one for a real EGLStream, which
 * compares the depth of arrays only.
 */
static bool egl_is_equal(const struct core_egl_frame *a,
			 const struct core_egl_frame *b)
{
	unsigned int i;

	if (a->nr_planes != b->nr_planes || a->is_array != b->is_array ||
	    a->color != b->color || a->format != b->format ||
	    (a->is_array && a->depth != b->depth))
		return false;
	for (i = 0; i < a->nr_planes; i++)
		if (a->planes[i].ptr != b->planes[i].ptr ||
		    a->planes[i].array != b->planes[i].array ||
		    a->planes[i].width != b->planes[i].width ||
		    a->planes[i].height != b->planes[i].height ||
		    a->planes[i].pitch != b->planes[i].pitch ||
		    a->planes[i].nr_channels != b->planes[i].nr_channels)
			return false;
	return true;
}

/* Returns a free slot, or -1: there is none, or one has the frame. */
static int egl_slot_take(struct CUeglStreamConnection_st *conn,
			 const struct core_egl_frame *frame)
{
	unsigned int i;
	int found = -1;

	pthread_mutex_lock(&conn->lock);
	for (i = 0; i < NR_SLOTS; i++) {
		if (!conn->slots[i].is_used) {
			found = found < 0 ? (int)i : found;
		} else if (egl_is_equal(&conn->slots[i].frame, frame)) {
			found = -1;
			break;
		}
	}
	if (found >= 0) {
		conn->slots[found].is_used = true;
		conn->slots[found].frame = *frame;
	}
	pthread_mutex_unlock(&conn->lock);
	return found;
}

static void egl_slot_give(struct CUeglStreamConnection_st *conn,
			  unsigned int slot, struct core_egl_frame *frame)
{
	pthread_mutex_lock(&conn->lock);
	if (frame)
		*frame = conn->slots[slot].frame;
	conn->slots[slot].is_used = false;
	pthread_mutex_unlock(&conn->lock);
}

/*
 * Presents a token of a frame that the consumer's context cannot access. Memory
 * that cannot be exported is an error as if the consumer had asked for it.
 */
static int egl_present_token(struct CUeglStreamConnection_st *conn,
			     struct mem_frame *frame, struct mem_stream *stream)
{
	int err, rc = CUDA_SUCCESS;

	pthread_mutex_lock(&conn->lock);
	if (!conn->share)
		rc = core_egl_share_create(conn->ctx, &conn->share);
	pthread_mutex_unlock(&conn->lock);
	if (rc)
		return rc;
	err = core_egl_share_pack(conn->share, core_egl_slot(frame), frame);
	if (!err)
		err = mem_pipe_present(conn->end, frame, stream, PRESENT_NS);
	return egl_error(err);
}

static int egl_present(struct CUeglStreamConnection_st *conn,
		       struct mem_frame *frame, struct mem_stream *stream)
{
	const int err = mem_pipe_present(conn->end, frame, stream, PRESENT_NS);

	return err == -EXDEV ? egl_present_token(conn, frame, stream) :
			       egl_error(err);
}

/**
 * core_egl_present() - present a frame
 * @conn: handle of a producer, any value
 * @frame: frame
 * @stream: handle
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such connection, stream
 * or array, no address, memory that no engine can access),
 * CUDA_ERROR_INVALID_VALUE (planes, sides, formats, memory of another context),
 * CUDA_ERROR_LAUNCH_TIMEOUT (the fifo was full for 10 s), CUDA_ERROR_UNKNOWN
 * (64 frames are active, or the same one; the stream is disconnected), or
 * core_error() of mem_pipe_present().
 */
CORE_API int core_egl_present(struct CUeglStreamConnection_st *conn,
			      const struct core_egl_frame *frame,
			      CUstream stream)
{
	struct mem_frame presented;
	struct mem_stream *mem;
	int slot, rc;

	rc = egl_get(conn, CORE_EGL_PRODUCER, stream, &mem);
	if (rc)
		return rc;
	slot = egl_slot_take(conn, frame);
	if (slot < 0) {
		egl_put(conn);
		return CUDA_ERROR_UNKNOWN;
	}
	rc = core_egl_pack(frame, slot, &presented);
	if (!rc)
		rc = egl_present(conn, &presented, mem);
	if (rc)
		egl_slot_give(conn, slot, NULL);
	else
		atomic_store(&conn->has_presented, true);
	egl_put(conn);
	return rc;
}

/* A return waits even if the stream is disconnected, as it does for CUDA. */
static void egl_wait_until(const struct timespec *start, uint64_t ns)
{
	struct timespec end = *start;

	end.tv_nsec += ns;
	if (end.tv_nsec >= (long)NS_PER_S) {
		end.tv_nsec -= NS_PER_S;
		end.tv_sec++;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) ==
	       EINTR)
		;
}

/**
 * core_egl_return() - get a frame back
 * @conn: handle of a producer, any value
 * @stream: handle
 * @frame: out: frame as it was presented
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such connection or
 * stream), CUDA_ERROR_LAUNCH_TIMEOUT (none in RETURN_NS), CUDA_ERROR_UNKNOWN
 * (no frame was ever presented, the stream is disconnected), or core_error() of
 * mem_pipe_return().
 */
CORE_API int core_egl_return(struct CUeglStreamConnection_st *conn,
			     CUstream stream, struct core_egl_frame *frame)
{
	struct mem_frame returned = { .size = sizeof(returned) };
	struct mem_stream *mem;
	struct timespec start;
	int err, rc;

	rc = egl_get(conn, CORE_EGL_PRODUCER, stream, &mem);
	if (rc)
		return rc;
	clock_gettime(CLOCK_MONOTONIC, &start);
	err = mem_pipe_return(conn->end, mem, RETURN_NS, &returned);
	if (err == -EPIPE)
		egl_wait_until(&start, RETURN_NS);
	if (err == -ENODATA && atomic_load(&conn->has_presented))
		err = -ETIMEDOUT;
	if (!err)
		egl_slot_give(conn, core_egl_slot(&returned), frame);
	egl_put(conn);
	return egl_error(err);
}

/* Returns true if both frames have the same memory and formats. */
static bool egl_is_same(const struct core_egl_shared *a,
			const struct core_egl_shared *b)
{
	unsigned int i;

	if (!egl_is_equal(&a->frame, &b->frame))
		return false;
	for (i = 0; i < a->frame.nr_planes; i++)
		if (a->memory[i].id != b->memory[i].id)
			return false;
	return true;
}

/*
 * Chooses the place of a frame: the resource that had it before, so that its
 * handle is the same; or an empty place; or the resource whose frame was
 * acquired first of those that are released. The lock is held.
 */
static struct CUgraphicsResource_st **
egl_place_for(struct CUeglStreamConnection_st *conn,
	      const struct core_egl_shared *from)
{
	struct CUgraphicsResource_st **place, **best = NULL;

	for (place = conn->resources; place < conn->resources + NR_RESOURCES;
	     place++) {
		if (!*place) {
			best = !best || *best ? place : best;
			continue;
		}
		if ((*place)->is_held)
			continue;
		if (egl_is_same(&(*place)->from, from))
			return place;
		if (!best || (*best && (*place)->age < (*best)->age))
			best = place;
	}
	return best;
}

/* The connection's lock is held. */
static int egl_place_fill(struct CUeglStreamConnection_st *conn,
			  struct CUgraphicsResource_st **place,
			  const struct core_egl_shared *from)
{
	struct CUgraphicsResource_st *resource = *place;
	int rc;

	if (resource && egl_is_same(&resource->from, from))
		return CUDA_SUCCESS;
	if (!resource) {
		resource = calloc(1, sizeof(*resource));
		if (!resource)
			return CUDA_ERROR_OUT_OF_MEMORY;
		resource->ctx = conn->ctx;
		rc = core_object_add(CORE_GRAPHICS, resource, conn->ctx);
		if (rc) {
			free(resource);
			return rc;
		}
		*place = resource;
	}
	egl_resource_empty(resource);
	rc = core_egl_import(conn->ctx, from, &resource->frame,
			     resource->imports);
	if (!rc)
		rc = core_egl_copy_make(resource);
	if (!rc)
		rc = core_graphics_view(conn->ctx, &resource->frame);
	if (!rc)
		resource->from = *from;
	return rc;
}

/* Imports are no memory that the pipe knows. A token is not used any more. */
static void egl_watch(struct CUeglStreamConnection_st *conn,
		      const struct mem_frame *acquired,
		      const struct CUgraphicsResource_st *resource)
{
	void *const *imports = resource->imports;

	if (imports[0] || imports[1] || imports[2])
		libmem_watch_frame(conn->end, acquired, MEM_PLANES_MAX,
				   imports);
}

static int egl_take(struct CUeglStreamConnection_st *conn,
		    const struct mem_frame *acquired, struct mem_stream *stream,
		    CUgraphicsResource *resource)
{
	struct CUgraphicsResource_st **place;
	struct core_egl_shared from;
	int rc = core_egl_share_open(acquired, &from);

	if (rc)
		return rc;
	pthread_mutex_lock(&conn->lock);
	place = egl_place_for(conn, &from);
	rc = place ? egl_place_fill(conn, place, &from) : CUDA_ERROR_UNKNOWN;
	if (!rc) {
		/* The copy reads what was released before. */
		egl_watch(conn, acquired, *place);
		rc = core_egl_copy_run(*place, stream);
	}
	if (!rc) {
		(*place)->id = acquired->id;
		(*place)->age = ++conn->age;
		(*place)->is_held = true;
		*resource = *place;
	}
	pthread_mutex_unlock(&conn->lock);
	core_egl_share_close(&from);
	return rc;
}

/* The error of a real EGLStream depends on whether there is reuse. */
static int egl_acquire_error(const struct CUeglStreamConnection_st *conn,
			     int err)
{
	struct mem_pipe_info info = { .size = sizeof(info) };

	if (err == -ETIMEDOUT && !mem_pipe_end_info(conn->end, &info) &&
	    (!(info.flags & MEM_PIPE_NO_REUSE) ||
	     info.state == MEM_PIPE_CONNECTING))
		return CUDA_ERROR_UNKNOWN;
	return egl_error(err);
}

/**
 * core_egl_acquire() - acquire a frame
 * @conn: handle of a consumer, any value
 * @stream: handle
 * @timeout_ns: how long to wait for a new frame; MEM_WAIT_FOREVER
 * @resource: out: frame: core_egl_release()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such connection or
 * stream), CUDA_ERROR_UNKNOWN (no frame in time, the stream is disconnected),
 * CUDA_ERROR_LAUNCH_TIMEOUT (no frame in time, of a stream without reuse),
 * CUDA_ERROR_NOT_SUPPORTED (arrays of another device; an image of libmem, of a
 * producer that is not CUDA; pixels that cannot be as the producer says), or
 * core_error() of mem_pipe_acquire().
 */
CORE_API int core_egl_acquire(struct CUeglStreamConnection_st *conn,
			      CUstream stream, uint64_t timeout_ns,
			      CUgraphicsResource *resource)
{
	struct mem_frame acquired = { .size = sizeof(acquired) };
	struct mem_stream *mem;
	int err, rc;

	rc = egl_get(conn, CORE_EGL_CONSUMER, stream, &mem);
	if (rc)
		return rc;
	err = mem_pipe_acquire(conn->end, mem, timeout_ns, &acquired);
	if (err) {
		rc = egl_acquire_error(conn, err);
	} else {
		rc = egl_take(conn, &acquired, mem, resource);
		if (rc)
			mem_pipe_release(conn->end, &acquired, mem);
	}
	egl_put(conn);
	return rc;
}

/* The lock is held. Returns false if the program does not hold the frame. */
static bool egl_is_held(const struct CUeglStreamConnection_st *conn,
			const struct CUgraphicsResource_st *resource)
{
	unsigned int i;

	for (i = 0; i < NR_RESOURCES; i++)
		if (conn->resources[i] == resource)
			return resource->is_held;
	return false;
}

/*
 * The lock is held until the pipe has released the frame: another thread that
 * acquires a frame must neither fill the resource meanwhile, since the release
 * may fail, nor find it held afterwards.
 */
static int egl_give_up(struct CUeglStreamConnection_st *conn,
		       struct CUgraphicsResource_st *resource,
		       struct mem_stream *stream)
{
	const struct mem_frame released = {
		.size = sizeof(released),
		.id = resource->id,
	};
	int rc = core_egl_copy_end(resource, stream);
	const int err = mem_pipe_release(conn->end, &released, stream);

	/* A pipe that was disconnected does not have it any more. */
	if (err && err != -EPIPE)
		rc = egl_error(err);
	/* Else the pipe still has it: no descriptor was left, say. */
	if (!err || err == -EPIPE || err == -ENOENT)
		resource->is_held = false;
	return rc;
}

/**
 * core_egl_release() - release a frame
 * @conn: handle of a consumer, any value
 * @resource: handle, any value
 * @stream: handle
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such connection, frame or
 * stream), CUDA_ERROR_UNKNOWN (it was released before, it is of another
 * stream), or core_error() of mem_pipe_release().
 */
CORE_API int core_egl_release(struct CUeglStreamConnection_st *conn,
			      CUgraphicsResource resource, CUstream stream)
{
	struct mem_stream *mem;
	int rc;

	rc = egl_get(conn, CORE_EGL_CONSUMER, stream, &mem);
	if (rc)
		return rc;
	if (!core_object_ctx(CORE_GRAPHICS, resource) || resource->is_image) {
		rc = CUDA_ERROR_INVALID_HANDLE;
	} else {
		pthread_mutex_lock(&conn->lock);
		rc = egl_is_held(conn, resource) ?
			egl_give_up(conn, resource, mem) : CUDA_ERROR_UNKNOWN;
		pthread_mutex_unlock(&conn->lock);
	}
	egl_put(conn);
	return rc;
}
