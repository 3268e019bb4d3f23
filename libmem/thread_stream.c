// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: the streams of threads. Each thread has one in each context that it
 * asks for one. It ends with the thread or with the context, whichever is
 * first.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "sched.h"

/**
 * struct thread_stream - the stream of a thread in a context
 * @pid: process of the thread
 * @ctx: context; valid while @stream is not NULL
 * @stream: stream; NULL: the context has been freed
 * @is_left: the thread has ended
 * @next: next stream of the thread
 * @next_in_ctx: next stream of a thread in the context
 */
struct thread_stream {
	pid_t pid;
	struct mem_ctx *ctx;
	struct mem_stream *stream;
	bool is_left;
	struct thread_stream *next;
	struct thread_stream *next_in_ctx;
};

/* The value of the key is the list of the thread's streams. */
static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;
static int thread_key_err;
/* Protects the lists of contexts, and all members except @pid and @next. */
static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;

static void thread_stream_unlink(struct thread_stream *one)
{
	struct thread_stream **at = &one->ctx->sched.thread_streams;

	while (*at != one)
		at = &(*at)->next_in_ctx;
	*at = one->next_in_ctx;
}

/*
 * Returns the stream of a thread that has ended to the context, which frees it
 * at its end.
 */
static void thread_stream_keep(struct thread_stream *one)
{
	pthread_mutex_lock(&threads_lock);
	one->is_left = true;
	one->next_in_ctx = one->ctx->sched.thread_streams;
	one->ctx->sched.thread_streams = one;
	pthread_mutex_unlock(&threads_lock);
}

static void thread_stream_end(struct thread_stream *one)
{
	struct mem_ctx *ctx = one->ctx;
	int err;

	sched_lock(ctx);
	err = stream_forget(one->stream);
	sched_unlock(ctx);
	if (err) {
		thread_stream_keep(one);
	} else {
		stream_drop(one->stream);
		free(one);
	}
	ctx_put(ctx);
}

/*
 * Ends the streams of a thread that ends. In a child of fork(), the entries
 * from before the fork are skipped, because they are the parent's: a thread
 * that does not exist in the child may hold the lock of their context. They are
 * the last of the list.
 */
static void thread_streams_end(void *first)
{
	struct thread_stream *one, *next;
	const pid_t pid = getpid();
	bool is_ours;

	for (one = first; one && one->pid == pid; one = next) {
		next = one->next;
		pthread_mutex_lock(&threads_lock);
		is_ours = one->stream && ctx_try(one->ctx);
		if (is_ours)
			thread_stream_unlink(one);
		else
			one->is_left = true;
		pthread_mutex_unlock(&threads_lock);
		if (is_ours)
			thread_stream_end(one);
		else if (!one->stream)
			free(one);
	}
}

/**
 * thread_streams_fini() - free the streams of threads of a context
 * @ctx: context that is being freed
 *
 * The struct of a thread that still runs is freed when the thread ends.
 */
void thread_streams_fini(struct mem_ctx *ctx)
{
	struct thread_stream *one, *next;

	pthread_mutex_lock(&threads_lock);
	for (one = ctx->sched.thread_streams; one; one = next) {
		next = one->next_in_ctx;
		stream_drop(one->stream);
		one->stream = NULL;
		if (one->is_left)
			free(one);
	}
	pthread_mutex_unlock(&threads_lock);
}

/* A thread that does not exist in the child may have held the lock. */
static void thread_streams_in_child(void)
{
	pthread_mutex_init(&threads_lock, NULL);
}

static void thread_streams_init(void)
{
	thread_key_err = pthread_atfork(NULL, NULL, thread_streams_in_child);
	if (!thread_key_err)
		thread_key_err = pthread_key_create(&thread_key,
						    thread_streams_end);
}

static int thread_stream_make(struct mem_ctx *ctx, struct mem_stream **stream)
{
	struct thread_stream *one = calloc(1, sizeof(*one));
	int err;

	if (!one)
		return -ENOMEM;
	one->pid = getpid();
	one->ctx = ctx;
	one->next = pthread_getspecific(thread_key);
	if (pthread_setspecific(thread_key, one)) {
		free(one);
		return -ENOMEM;
	}
	/* If this fails, the entry is as one whose context has been freed. */
	err = stream_make(ctx, 0, MEM_PRIORITY_LEAST, true, &one->stream);
	if (err)
		return err;
	pthread_mutex_lock(&threads_lock);
	one->next_in_ctx = ctx->sched.thread_streams;
	ctx->sched.thread_streams = one;
	pthread_mutex_unlock(&threads_lock);
	*stream = one->stream;
	return 0;
}

API int mem_stream_per_thread(struct mem_ctx *ctx, struct mem_stream **stream)
{
	struct thread_stream *one;
	int err;

	if (!ctx || !stream)
		return -EINVAL;
	err = ctx_check(ctx);
	if (err)
		return err;
	pthread_once(&thread_once, thread_streams_init);
	if (thread_key_err)
		return -ENOMEM;
	for (one = pthread_getspecific(thread_key); one; one = one->next)
		if (one->stream && one->ctx == ctx) {
			*stream = one->stream;
			return 0;
		}
	return thread_stream_make(ctx, stream);
}
