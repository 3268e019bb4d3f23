/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pipes: frames go from one producer to one consumer and back, with fences
 * instead of waits of the CPU. Part of libmem.h.
 *
 * A pipe has two ends. The consumer connects first. The producer presents a
 * frame in order of a stream; the consumer acquires it in order of a stream of
 * its own, whose further work starts when the producer's work has ended. It
 * releases the frame likewise, and the producer gets it back by a return. No
 * byte is copied. The behaviour is that of an EGLStream between two CUDA
 * contexts (NVIDIA, CUDA for Tegra, "EGLStream").
 *
 * The ends may be of one context or of two, also in two processes. In the
 * latter cases the consumer's frame refers to the same memory through an image,
 * or addresses, of the consumer's context.
 */
#ifndef _LIBMEM_PIPE_H
#define _LIBMEM_PIPE_H

#include <stddef.h>
#include <stdint.h>

#include <libmem/attrs.h>
#include <libmem/image.h>

#ifdef __cplusplus
extern "C" {
/* A call may have the name of a struct, as stat() has. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

struct mem_ctx;
struct mem_endpoint;
struct mem_pipe;
struct mem_pipe_end;
struct mem_stream;

/* Maximum number of active frames: presented and not returned */
#define MEM_PIPE_FRAMES_MAX	64U

/* A time-out that stands for that of the pipe, see mem_pipe_set_timeout() */
#define MEM_PIPE_TIMEOUT	(UINT64_MAX - 1)

/* No frame is acquired again: a released frame can be returned at once. */
#define MEM_PIPE_NO_REUSE	0x1U
/* A frame of a fifo is available once the producer's work has ended. */
#define MEM_PIPE_SYNCHRONOUS	0x2U
/* mem_pipe_reset() is permitted. */
#define MEM_PIPE_RESET		0x4U

/**
 * enum mem_pipe_state - states of a pipe
 * @MEM_PIPE_CREATED: no consumer is connected
 * @MEM_PIPE_CONNECTING: the consumer is connected, the producer is not
 * @MEM_PIPE_EMPTY: both are connected, and no frame can be acquired
 * @MEM_PIPE_NEW_FRAME: a frame waits that was not acquired before
 * @MEM_PIPE_OLD_FRAME: no such frame waits; the one that was acquired last can
 *	be acquired again once it has been released
 * @MEM_PIPE_DISCONNECTED: an end has disconnected. Only mem_pipe_reset() leads
 *	out of this state
 */
enum mem_pipe_state {
	MEM_PIPE_CREATED,
	MEM_PIPE_CONNECTING,
	MEM_PIPE_EMPTY,
	MEM_PIPE_NEW_FRAME,
	MEM_PIPE_OLD_FRAME,
	MEM_PIPE_DISCONNECTED
};

/**
 * struct mem_pipe_params - properties of a pipe
 * @size: in: sizeof of this struct
 * @length: in: 0: a mailbox, in which a new frame replaces the one that waits;
 *	1 to MEM_PIPE_FRAMES_MAX: a fifo of at most so many waiting frames
 * @flags: in: MEM_PIPE_*
 * @reserved: in: 0
 * @timeout_ns: in: what MEM_PIPE_TIMEOUT stands for in mem_pipe_acquire()
 * @latency_ns: in: time that the consumer says it takes for a frame; only for
 *	the producer's information
 */
struct mem_pipe_params {
	uint32_t size;
	uint32_t length;
	uint32_t flags;
	uint32_t reserved;
	uint64_t timeout_ns;
	uint64_t latency_ns;
};

/**
 * struct mem_frame - a frame
 * @size: sizeof of this struct; as for struct mem_image_info where a call
 *	fills it in
 * @nr_planes: of @planes, 1 to MEM_PLANES_MAX
 * @is_again: 1: the frame was acquired before
 * @reserved: 0
 * @image: image, or NULL: the frame consists of @planes. The image of an
 *	acquired frame is of the consumer's context, valid until the release,
 *	and is not to be destroyed by the consumer
 * @planes: with @image: of a presented frame ignored, else the planes of the
 *	image, without addresses. Without @image: planes with addresses for
 *	engines, of the context of the end; @off is ignored
 * @user: of the producer, who gets it back with the return; the consumer gets
 *	it, too
 * @number: out: 1 for the first frame of the pipe, and so on, with a gap for
 *	each mem_pipe_reset(); 0 in a returned frame: the pipe never had it,
 *	because of a reset during its present, or because frames that the
 *	consumer has held since before a disconnection left no place
 * @id: out: identifies the frame in mem_pipe_release()
 * @time_ns: out: when it was presented, CLOCK_MONOTONIC
 */
struct mem_frame {
	uint32_t size;
	uint32_t nr_planes;
	uint32_t is_again;
	uint32_t reserved;
	struct mem_image *image;
	struct mem_plane planes[MEM_PLANES_MAX];
	void *user;
	uint64_t number;
	uint64_t id;
	uint64_t time_ns;
};

/**
 * struct mem_pipe_info - the state of a pipe
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @state: out: enum mem_pipe_state
 * @length: out: as in struct mem_pipe_params
 * @flags: out: as in struct mem_pipe_params
 * @width: out: pixels, as the producer said when it connected; 0 before
 * @height: out: rows
 * @nr_active: out: frames that were presented and have not been returned
 * @nr_waiting: out: those of them that were never acquired and still can be
 * @nr_held: out: those of them that the consumer holds
 * @nr_returnable: out: those of them that a return would get
 * @timeout_ns: out: as in struct mem_pipe_params
 * @latency_ns: out: as in struct mem_pipe_params
 * @producer_frame: out: number of the frame that was presented last; after a
 *	reset @consumer_frame, until another one is presented; 0: none
 * @consumer_frame: out: number of the frame that was acquired last; 0: none
 * @now_ns: out: time of this call, CLOCK_MONOTONIC
 * @producer_time_ns: out: when @producer_frame was presented
 * @consumer_time_ns: out: when @consumer_frame was presented
 * @measured_latency_ns: out: from then to its first acquire; 0 after a reset,
 *	until another one is acquired
 * @nr_replaced: out: frames of a mailbox that were replaced and never acquired,
 *	since the last reset
 */
struct mem_pipe_info {
	uint32_t size;
	uint32_t state;
	uint32_t length;
	uint32_t flags;
	uint32_t width;
	uint32_t height;
	uint32_t nr_active;
	uint32_t nr_waiting;
	uint32_t nr_held;
	uint32_t nr_returnable;
	uint64_t timeout_ns;
	uint64_t latency_ns;
	uint64_t producer_frame;
	uint64_t consumer_frame;
	uint64_t now_ns;
	uint64_t producer_time_ns;
	uint64_t consumer_time_ns;
	uint64_t measured_latency_ns;
	uint64_t nr_replaced;
};

/**
 * mem_pipe_create() - create a pipe
 * @ctx: context; the pipe keeps a reference
 * @params: properties; NULL: a mailbox with a time-out of 0
 * @pipe: out: pipe, owned by the caller: mem_pipe_destroy()
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, a field of @params is invalid,
 * MEM_PIPE_SYNCHRONOUS for a mailbox), -E2BIG (a tail of @params that this
 * library does not know is not 0), -ENOMEM, or as mem_stream_sync().
 */
int mem_pipe_create(struct mem_ctx *ctx, const struct mem_pipe_params *params,
		    struct mem_pipe **pipe);

/**
 * mem_pipe_destroy() - destroy a pipe
 * @pipe: pipe, or NULL, which does nothing
 *
 * Ends that are connected continue to work.
 *
 * Context: any thread.
 */
void mem_pipe_destroy(struct mem_pipe *pipe);

/**
 * mem_pipe_export() - let the producer connect in another process
 * @pipe: pipe
 * @endpoint: endpoint; the peer process calls mem_pipe_import(). On success the
 *	pipe owns it, and the program must not use it any more
 *
 * The pipe stays in this process, in which the consumer connects. A thread
 * imports the memory of the producer's frames to the context of @endpoint,
 * which is best that of the consumer, and replaces the frames of a mailbox
 * while the consumer is busy. The pipe can be exported again, for example
 * after a reset, if the producer's process has gone.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EBUSY (a pipe has @endpoint),
 * -EOPNOTSUPP (@pipe is from mem_pipe_import()), -EXDEV (another backend or
 * board than that of @pipe), -EPERM (as for mem_pipe_reset()), -ENOMEM.
 */
int mem_pipe_export(struct mem_pipe *pipe, struct mem_endpoint *endpoint);

/**
 * mem_pipe_import() - get a pipe of another process
 * @endpoint: endpoint, whose peer process calls mem_pipe_export(). On success
 *	the pipe owns it, and the program must not use it any more
 * @timeout_ns: how long to wait for that call; MEM_WAIT_FOREVER
 * @pipe: out: pipe, owned by the caller: mem_pipe_destroy()
 *
 * The producer connects to @pipe in this process. All other calls of pipes and
 * of this end behave as in one process, with these additions. They return
 * -EPIPE if the other process has ended. If it is stopped, calls that wait for
 * its answer (connect, reset, settings, state, and the present of memory that
 * was not presented before) return -ETIMEDOUT after 10 s. A present waits for
 * at least 10 ms if the connection is full. What has been presented is the
 * producer's again when the connection ends, whatever the reason.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL), -EBUSY (a pipe has @endpoint),
 * -ETIMEDOUT, -EPIPE (the peer has gone, or exports no pipe), -EXDEV (the pipe
 * is of another backend or board), -EPERM (as for mem_pipe_reset()), -ENOMEM.
 * On failure, @endpoint should be closed.
 */
int mem_pipe_import(struct mem_endpoint *endpoint, uint64_t timeout_ns,
		    struct mem_pipe **pipe);

/**
 * mem_pipe_connect_consumer() - connect the consumer
 * @pipe: pipe
 * @ctx: context of the consumer; the end keeps a reference
 * @end: out: end, owned by the caller: mem_pipe_end_destroy()
 *
 * The end is disconnected when @ctx is closed, except for a context of
 * mem_ctx_open_shared().
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EISCONN (there is a consumer),
 * -EPIPE (the pipe is disconnected), -EXDEV (another backend or board than that
 * of the pipe), -EOPNOTSUPP (@pipe is from mem_pipe_import()), -ENOMEM, or as
 * mem_stream_sync().
 */
int mem_pipe_connect_consumer(struct mem_pipe *pipe, struct mem_ctx *ctx,
			      struct mem_pipe_end **end);

/**
 * mem_pipe_connect_producer() - connect the producer
 * @pipe: pipe
 * @ctx: context of the producer; the end keeps a reference
 * @width: of its frames, pixels; only for the consumer's information
 * @height: of its frames, rows
 * @end: out: end, owned by the caller: mem_pipe_end_destroy()
 *
 * If it is called before the consumer has connected, no producer can connect
 * any more. This is how a real EGLStream behaves.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (a pointer is NULL), -ENOTCONN (no consumer is
 * connected, or this was called before one was), -EISCONN (there is a
 * producer), or as mem_pipe_connect_consumer().
 */
int mem_pipe_connect_producer(struct mem_pipe *pipe, struct mem_ctx *ctx,
			      uint32_t width, uint32_t height,
			      struct mem_pipe_end **end);

/**
 * mem_pipe_disconnect() - disconnect an end, and so the pipe
 * @end: end of either kind
 *
 * Waits of both ends return -EPIPE at once. All frames are the producer's
 * again, except that the consumer can use those that it holds until it releases
 * them or disconnects. Work that was submitted continues.
 *
 * Context: any thread, also of a host function.
 * Return: 0, or -EINVAL (@end is NULL), -ENOTCONN (it is disconnected already),
 * -EPERM (a child of the process that opened the context).
 */
int mem_pipe_disconnect(struct mem_pipe_end *end);

/**
 * mem_pipe_end_destroy() - destroy an end, after disconnecting it if necessary
 * @end: end, or NULL, which does nothing
 *
 * Context: any thread, also of a host function.
 */
void mem_pipe_end_destroy(struct mem_pipe_end *end);

/**
 * mem_pipe_present() - present a frame
 * @end: producer
 * @frame: frame; not needed any more when the call returns. Its memory is to
 *	stay until the frame has been returned, or the pipe is disconnected
 * @stream: stream of the producer's context; the consumer's work on the frame
 *	starts when all work that it has now has ended
 * @timeout_ns: how long to wait while the fifo is full; MEM_WAIT_FOREVER
 *
 * The frame replaces the one that waits in a mailbox, which can then be
 * returned. The sizes of frames may differ.
 *
 * If the consumer is of another context, an image must be of
 * mem_image_create() or wrap an object, and planes must be in buffers whose
 * address mem_buf_device_ptr() or mem_object_device_ptr() returned. If it is in
 * another process (mem_pipe_import()), planes can also be in device memory of
 * mem_alloc(), which is shared as by mem_ptr_export(): the first present of it
 * waits until the context has no work.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @end is a consumer, @frame->size
 * or @frame->reserved is invalid, no or too many planes, a plane has no pixels,
 * a pitch is shorter than a row, a plane exceeds its memory), -E2BIG (a tail of
 * @frame that this library does not know is not 0), -EFAULT (a plane's address
 * is NULL or not in memory of the library), -EXDEV (stream, image or memory of
 * another context, or what the consumer's context cannot access), -EOPNOTSUPP
 * (memory that cannot be shared with another process, or not with the context
 * of the consumer there), -EBUSY (the image is locked, or the other process
 * cannot take more memory before its work has ended), -ENOBUFS
 * (MEM_PIPE_FRAMES_MAX frames are active, or with those that a consumer in
 * another process has held since before a disconnection), -ETIMEDOUT, -EPIPE
 * (the pipe is disconnected), -EMFILE or -ENFILE (no file descriptor is left,
 * for an end of another context), -ENOMEM, or as mem_stream_sync().
 */
int mem_pipe_present(struct mem_pipe_end *end, const struct mem_frame *frame,
		     struct mem_stream *stream, uint64_t timeout_ns);

/**
 * mem_pipe_return() - get a frame back
 * @end: producer
 * @stream: stream of the producer's context; further work of it starts when the
 *	consumer's work before the release has ended
 * @timeout_ns: how long to wait for a frame; MEM_WAIT_FOREVER
 * @frame: in and out: @frame->size is set by the caller; the frame as it was
 *	presented
 *
 * The frame that was acquired last stays in the pipe until a newer one can be
 * acquired, unless MEM_PIPE_NO_REUSE is set.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @end is a consumer, @frame->size
 * is below the struct's first version or no multiple of 8), -EXDEV (a stream of
 * another context), -ETIMEDOUT, -ENODATA (the same, and no frame is active),
 * -EPIPE (the pipe is disconnected), -EMFILE or -ENFILE, -ENOMEM, or as
 * mem_stream_sync(). On failure the frame stays in the pipe.
 */
int mem_pipe_return(struct mem_pipe_end *end, struct mem_stream *stream,
		    uint64_t timeout_ns, struct mem_frame *frame);

/**
 * mem_pipe_acquire() - acquire a frame
 * @end: consumer
 * @stream: stream of the consumer's context; further work of it starts when the
 *	producer's work before the present has ended
 * @timeout_ns: how long to wait for a new frame; MEM_WAIT_FOREVER,
 *	MEM_PIPE_TIMEOUT
 * @frame: in and out: @frame->size is set by the caller
 *
 * The result is the oldest frame that was never acquired. If none comes in
 * time, it is the one that was acquired last, if that has been released and
 * MEM_PIPE_NO_REUSE is not set. Several frames may be held at a time. The
 * consumer must not write to a frame.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -ETIMEDOUT (neither is the case), -EBUSY (the producer has
 * locked the image), -EFAULT (the producer has freed the frame's memory), or as
 * mem_pipe_return(). On failure the frame stays in the pipe.
 */
int mem_pipe_acquire(struct mem_pipe_end *end, struct mem_stream *stream,
		     uint64_t timeout_ns, struct mem_frame *frame);

/**
 * mem_pipe_release() - release a frame
 * @end: consumer
 * @frame: acquired frame, of which only @size and @id are read
 * @stream: stream of the consumer's context; the producer's further work on the
 *	frame starts when all work that it has now has ended
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @end is a producer, @frame->size
 * as for mem_pipe_return()), -ENOENT (the consumer does not hold such a frame:
 * it is of another pipe, or was released), -EXDEV (a stream of another
 * context), -EPIPE (the pipe is disconnected; the frame is released all the
 * same), -EMFILE or -ENFILE, -ENOMEM, or as mem_stream_sync().
 */
int mem_pipe_release(struct mem_pipe_end *end, const struct mem_frame *frame,
		     struct mem_stream *stream);

/**
 * mem_pipe_reset() - discard the frames of a pipe and reconnect it
 * @pipe: pipe with MEM_PIPE_RESET
 *
 * Frames that the consumer does not hold can be returned at once, those that it
 * holds after their release; acquired and returned frames keep their numbers.
 * Frames continue to be numbered, and a reset takes a number, as a real
 * EGLStream has it. A frame whose present has begun, but not ended, is
 * discarded as well, and has the number 0 when it is returned. Ends that are
 * connected stay so: if the pipe was disconnected, it is in the state that it
 * had before the other end connected.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@pipe is NULL), -EACCES (it was created without
 * MEM_PIPE_RESET), -EPERM (a child of the process that opened the context, or a
 * host function).
 */
int mem_pipe_reset(struct mem_pipe *pipe);

/**
 * mem_pipe_set_timeout() - set the time-out of acquires
 * @pipe: pipe
 * @timeout_ns: what MEM_PIPE_TIMEOUT stands for from the next call on;
 *	MEM_WAIT_FOREVER
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@pipe is NULL, @timeout_ns is MEM_PIPE_TIMEOUT),
 * -EPERM (as for mem_pipe_reset()).
 */
int mem_pipe_set_timeout(struct mem_pipe *pipe, uint64_t timeout_ns);

/**
 * mem_pipe_set_latency() - set the latency that the consumer announces
 * @pipe: pipe
 * @latency_ns: time that it takes for a frame
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@pipe is NULL), -EPERM (as for mem_pipe_reset()).
 */
int mem_pipe_set_latency(struct mem_pipe *pipe, uint64_t latency_ns);

/**
 * mem_pipe_info() - return the state of a pipe
 * @pipe: pipe
 * @info: in and out: @info->size is set by the caller
 *
 * If the producer is in another process, the call first processes what that
 * process has sent. In a host function it does not, so the state may be older.
 * For a pipe of mem_pipe_import() it asks the other process, also in a host
 * function, and waits for the answer.
 *
 * Context: any thread, also of a host function.
 * Return: 0, or -EINVAL (an argument is NULL, @info->size is below the struct's
 * first version or no multiple of 8), -EPERM (a child of the process that
 * opened the context), -ETIMEDOUT (the other process does not answer, see
 * mem_pipe_import()), -ENOMEM.
 */
int mem_pipe_info(struct mem_pipe *pipe, struct mem_pipe_info *info);

/**
 * mem_pipe_end_info() - return the state of the pipe of an end
 * @end: end of either kind
 * @info: in and out: @info->size is set by the caller
 *
 * Context: any thread.
 * Return: 0, or as mem_pipe_info().
 */
int mem_pipe_end_info(struct mem_pipe_end *end, struct mem_pipe_info *info);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

#endif
