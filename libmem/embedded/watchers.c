// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The contexts of the embedded backend that watch. Each has a queue of
 * violations; a violation is added to all of them. One lock protects all
 * queues. It is taken last, under a buffer's lock, with all signals blocked.
 */
#define _GNU_SOURCE
#include <errno.h>

#include "../violations.h"
#include "embedded.h"

#define MAX_WATCHERS	64
static struct {
	pthread_mutex_t lock;
	struct violations *all[MAX_WATCHERS];
	atomic_uint nr;
} watchers = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

static void watchers_lock(sigset_t *old)
{
	signals_block(old);
	pthread_mutex_lock(&watchers.lock);
}

static void watchers_unlock(const sigset_t *old)
{
	pthread_mutex_unlock(&watchers.lock);
	signals_restore(old);
}

/* Publishes the queue. The caller must hold the watchers' lock. */
static int watchers_enter(struct embedded_ctx *ctx, struct violations *watch)
{
	size_t i;

	for (i = 0; !ctx->watch && i < MAX_WATCHERS; i++) {
		if (watchers.all[i])
			continue;
		watchers.all[i] = watch;
		ctx->watch = watch;
		atomic_fetch_add(&watchers.nr, 1);
		return 0;
	}
	return -EBUSY;
}

/**
 * watchers_begin() - start to queue violations for a context
 * @ctx: context
 * @what: MEM_WATCH_*
 * @nr: length of the queue
 *
 * Return: 0; -EBUSY if the context watches already, or if too many contexts do;
 * or -ENOMEM.
 */
int watchers_begin(struct embedded_ctx *ctx, unsigned int what, uint32_t nr)
{
	struct violations *watch = violations_create(what, nr);
	sigset_t old;
	int err;

	if (!watch)
		return -ENOMEM;
	watchers_lock(&old);
	err = watchers_enter(ctx, watch);
	watchers_unlock(&old);
	if (err)
		violations_destroy(watch);
	return err;
}

/**
 * watchers_end() - stop to queue violations
 * @ctx: context that is being freed
 */
void watchers_end(struct embedded_ctx *ctx)
{
	sigset_t old;
	size_t i;

	if (!ctx->watch)
		return;
	/*
	 * In a child a thread that does not exist may hold the lock; it is not
	 * needed.
	 */
	if (!window_is_forked()) {
		watchers_lock(&old);
		for (i = 0; i < MAX_WATCHERS; i++)
			if (watchers.all[i] == ctx->watch)
				watchers.all[i] = NULL;
		atomic_fetch_sub(&watchers.nr, 1);
		watchers_unlock(&old);
	}
	violations_destroy(ctx->watch);
}

/**
 * watchers_next() - return the oldest violation that waits
 * @ctx: context
 * @violation: out: all members except the size
 *
 * Return: 1, 0 if none waits, or -EINVAL (the context does not watch).
 */
int watchers_next(struct embedded_ctx *ctx, struct mem_violation *violation)
{
	sigset_t old;
	int ret;

	watchers_lock(&old);
	ret = ctx->watch ? violations_take(ctx->watch, violation) : -EINVAL;
	watchers_unlock(&old);
	return ret;
}

/**
 * watchers_fd() - return a descriptor to poll for violations
 * @ctx: context
 * @fd: out: owned by the caller
 *
 * Return: 0; -EINVAL if the context does not watch; or -errno.
 */
int watchers_fd(struct embedded_ctx *ctx, int *fd)
{
	sigset_t old;
	int err;

	watchers_lock(&old);
	err = ctx->watch ? violations_open_event(ctx->watch) : -EINVAL;
	if (!err)
		err = own_fd_dup(&ctx->watch->event);
	watchers_unlock(&old);
	if (err < 0)
		return err;
	*fd = err;
	return 0;
}

/**
 * watchers_exist() - check whether a context watches
 *
 * Return: true if one does.
 */
bool watchers_exist(void)
{
	return atomic_load_explicit(&watchers.nr, memory_order_relaxed) > 0;
}

/**
 * watchers_add() - add a violation to all queues
 * @violation: violation
 *
 * Context: all signals are blocked.
 */
void watchers_add(const struct mem_violation *violation)
{
	size_t i;

	if (!watchers_exist())
		return;
	pthread_mutex_lock(&watchers.lock);
	for (i = 0; i < MAX_WATCHERS; i++)
		if (watchers.all[i])
			violations_add(watchers.all[i], violation);
	pthread_mutex_unlock(&watchers.lock);
}
