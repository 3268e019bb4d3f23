/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Timelines: counts that one process advances and others wait for. Part of
 * libmem.h.
 *
 * A timeline begins at 0 and only grows. A point is a number on it; it is
 * reached once the count is as high. Points can be waited for before they are
 * signalled, by threads and by streams, any number of times and in any process
 * that has imported the timeline. A point is therefore a fence that is a mere
 * number: it is sent to other processes as such.
 *
 * The count is in a page that all these processes map. A process that has
 * imported a timeline with MEM_READ alone cannot write the page.
 */
#ifndef _LIBMEM_TIMELINE_H
#define _LIBMEM_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mem_ctx;
struct mem_endpoint;
struct mem_stream;
struct mem_timeline;

/* Bytes of a timeline's id */
#define MEM_TIMELINE_ID_LEN	16U

/**
 * mem_timeline_create() - create a timeline
 * @ctx: context, only used to check that a call is permitted now
 * @timeline: out: timeline with the permission MEM_RW and one reference, owned
 *	by the caller: mem_timeline_put()
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EMFILE or -ENFILE (no file
 * descriptor is left), -ENOMEM, -EIO (no random numbers), or as
 * mem_stream_sync().
 */
int mem_timeline_create(struct mem_ctx *ctx, struct mem_timeline **timeline);

/**
 * mem_timeline_get() - take a reference
 * @timeline: timeline, or NULL
 *
 * Context: any thread.
 * Return: @timeline.
 */
struct mem_timeline *mem_timeline_get(struct mem_timeline *timeline);

/**
 * mem_timeline_put() - drop a reference
 * @timeline: timeline, or NULL, which does nothing
 *
 * Waits and signals that were submitted to streams have references.
 *
 * Context: any thread.
 */
void mem_timeline_put(struct mem_timeline *timeline);

/**
 * mem_timeline_id() - return the number by which processes recognise a timeline
 * @timeline: timeline
 * @id: out: MEM_TIMELINE_ID_LEN random bytes, the same in each process
 *
 * Context: any.
 * Return: 0, or -EINVAL (an argument is NULL).
 */
int mem_timeline_id(const struct mem_timeline *timeline, void *id);

/**
 * mem_timeline_perm() - return what this process may do
 * @timeline: timeline
 *
 * Context: any.
 * Return: MEM_READ (wait), MEM_WRITE (signal) or MEM_RW, or -EINVAL (@timeline
 * is NULL).
 */
int mem_timeline_perm(const struct mem_timeline *timeline);

/**
 * mem_timeline_next() - reserve the next point
 * @timeline: timeline that may be signalled
 * @point: out: the lowest point that no call has returned in any process
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EACCES (this process may not
 * signal).
 */
int mem_timeline_next(struct mem_timeline *timeline, uint64_t *point);

/**
 * mem_timeline_signal() - advance a timeline by 1
 * @timeline: timeline that may be signalled
 *
 * Context: any thread, also of a host function.
 * Return: 0, or -EINVAL (@timeline is NULL), -EACCES (this process may not
 * signal).
 */
int mem_timeline_signal(struct mem_timeline *timeline);

/**
 * mem_timeline_wait() - wait for a point
 * @timeline: timeline that may be waited for
 * @point: point; one that is reached is not waited for
 * @timeout_ns: maximum time to wait; MEM_WAIT_FOREVER
 *
 * Continues to wait if a signal interrupts it. The wait ends when all processes
 * that may signal have ended or have dropped the timeline. If this process may
 * signal, or a process that may has a child of fork() that executes no program,
 * that is not the case.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@timeline is NULL), -EACCES (this process may not
 * wait), -ETIMEDOUT, -EPIPE (@point is not reached, and nobody is left who may
 * signal), -EMFILE or -ENFILE (no file descriptor is left), -EBADF
 * (the program has closed the library's descriptors), -ENOMEM.
 */
int mem_timeline_wait(struct mem_timeline *timeline, uint64_t point,
		      uint64_t timeout_ns);

/**
 * mem_stream_wait_timeline() - make further work of a stream wait for a point
 * @stream: stream
 * @timeline: timeline, of any context, that may be waited for
 * @point: point
 *
 * As mem_stream_wait_fence(): no thread is blocked, and mem_ctx_cancel() and
 * mem_ctx_close() drop it. As the fence of a process, it also ends when nobody
 * is left who may signal, see mem_timeline_wait().
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EACCES (this process may not
 * wait), or as mem_stream_wait_semaphore().
 */
int mem_stream_wait_timeline(struct mem_stream *stream,
			     struct mem_timeline *timeline, uint64_t point);

/**
 * mem_stream_signal_timeline() - reach a point in order of a stream
 * @stream: stream
 * @timeline: timeline, of any context, that may be signalled
 * @point: point, usually of mem_timeline_next()
 *
 * When the work before it in the stream is done, @point is reached, and so are
 * all points before it. Unlike a semaphore, it is also reached if that work
 * failed or was dropped, so that no other process waits for ever.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EACCES (this process may not
 * signal), or as mem_stream_signal_semaphore().
 */
int mem_stream_signal_timeline(struct mem_stream *stream,
			       struct mem_timeline *timeline, uint64_t point);

/**
 * mem_timeline_export() - describe a timeline for another process
 * @timeline: timeline
 * @perm: what that process may do: MEM_READ, MEM_WRITE or MEM_RW
 * @endpoint: end to which the descriptor goes
 * @timeout_ns: how long to wait while the peer has MEM_ENDPOINT_QUEUE objects
 *	that it has not imported, of which a timeline counts as two
 * @desc: out: descriptor, MEM_OBJECT_DESC_LEN bytes. The program sends it to
 *	the peer, which may import it once
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, @perm), -EACCES (@perm is more than
 * this process has), -ETIMEDOUT, -EPIPE (the peer has gone), -EPERM (see
 * mem_endpoint_open()), -EMFILE or -ENFILE, -EBADF (the program has closed the
 * library's descriptors), -ENOMEM.
 */
int mem_timeline_export(struct mem_timeline *timeline, unsigned int perm,
			struct mem_endpoint *endpoint, uint64_t timeout_ns,
			void *desc);

/**
 * mem_timeline_import() - a timeline of another process
 * @endpoint: end that received the descriptor
 * @desc: MEM_OBJECT_DESC_LEN bytes, not trusted
 * @perm: what is needed; 0: all that was granted
 * @timeout_ns: how long to wait until the page has arrived
 * @timeline: out: timeline with the permission @perm and one reference, owned
 *	by the caller
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, @perm), -EACCES (@perm is more than
 * was granted), -EBADMSG (no descriptor of the peer's, or it was imported
 * before), -ETIMEDOUT, -EPIPE (the peer has gone), -EPERM (see
 * mem_endpoint_open()), -EMFILE, -ENOMEM.
 */
int mem_timeline_import(struct mem_endpoint *endpoint, const void *desc,
			unsigned int perm, uint64_t timeout_ns,
			struct mem_timeline **timeline);

#ifdef __cplusplus
}
#endif

#endif
