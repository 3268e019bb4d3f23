// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: fences that travel with frames. Within a context a fence is an event.
 * Between two contexts it is a descriptor, which can also be sent to another
 * process.
 */
#include <errno.h>

#include "pipe.h"

/**
 * pipe_fence_record() - record the work of one side
 * @fence: fence
 * @stream: stream with the work
 * @is_for_other: the other side has another context, maybe in another process
 *
 * Return: 0, or an error of mem_event_record() or stream_fence(): the fence is
 * unchanged.
 */
int pipe_fence_record(struct pipe_fence *fence, struct mem_stream *stream,
		      bool is_for_other)
{
	struct own_fd fd;
	int err = 0;

	if (!stream_has_work(stream, is_for_other)) {
		pipe_fence_clear(fence);
		return 0;
	}
	if (is_for_other) {
		err = stream_fence(stream, &fd);
		if (err)
			return err;
		own_fd_close(&fence->fd);
		fence->fd = fd;
	} else {
		if (!fence->event)
			err = event_make(stream->ctx, MEM_EVENT_NO_TIMING,
					 &fence->event);
		if (!err)
			err = mem_event_record(fence->event, stream);
		if (err)
			return err;
	}
	fence->is_set = true;
	fence->is_by_fd = is_for_other;
	return 0;
}

/**
 * pipe_fence_wait() - make the further work of a stream wait for a fence
 * @fence: fence
 * @stream: stream
 *
 * Return: 0, or an error of mem_stream_wait_event() or
 * mem_stream_wait_fence().
 */
int pipe_fence_wait(const struct pipe_fence *fence, struct mem_stream *stream)
{
	if (!fence->is_set)
		return 0;
	if (fence->is_by_fd)
		return mem_stream_wait_fence(stream, fence->fd.nr);
	return mem_stream_wait_event(stream, fence->event);
}

/**
 * pipe_fence_clear() - forget the work that a fence stands for
 * @fence: fence; its event is kept for the next frame
 */
void pipe_fence_clear(struct pipe_fence *fence)
{
	own_fd_close(&fence->fd);
	fence->is_set = false;
}

/**
 * pipe_fence_fini() - free what a fence consists of
 * @fence: fence
 */
void pipe_fence_fini(struct pipe_fence *fence)
{
	pipe_fence_clear(fence);
	mem_event_destroy(fence->event);
	fence->event = NULL;
}
