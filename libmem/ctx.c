// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: contexts that are open (see open.c for how). The reference count is
 * atomic, and the hooks have a lock; all other members never change.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"
#include "sched.h"

/* Initialises what a backend does not know of a new context. */
void ctx_init(struct mem_ctx *ctx)
{
	sched_init(ctx);
	pthread_mutex_init(&ctx->hooks_lock, NULL);
}

/* Has a function called when the context is closed. */
void ctx_hook_add(struct mem_ctx *ctx, struct ctx_hook *hook)
{
	pthread_mutex_lock(&ctx->hooks_lock);
	hook->next = ctx->hooks;
	ctx->hooks = hook;
	pthread_mutex_unlock(&ctx->hooks_lock);
}

/* Afterwards the function neither runs nor is called. */
void ctx_hook_del(struct mem_ctx *ctx, struct ctx_hook *hook)
{
	struct ctx_hook **at = &ctx->hooks;

	pthread_mutex_lock(&ctx->hooks_lock);
	while (*at && *at != hook)
		at = &(*at)->next;
	if (*at)
		*at = hook->next;
	pthread_mutex_unlock(&ctx->hooks_lock);
}

/* The hooks keep references to the context, so it stays meanwhile. */
static void ctx_call_hooks(struct mem_ctx *ctx)
{
	struct ctx_hook *hook;
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_mutex_lock(&ctx->hooks_lock);
	while ((hook = ctx->hooks)) {
		ctx->hooks = hook->next;
		hook->closed(hook);
	}
	pthread_mutex_unlock(&ctx->hooks_lock);
	pthread_setcancelstate(cancel, NULL);
}

struct mem_ctx *ctx_get(struct mem_ctx *ctx)
{
	atomic_fetch_add_explicit(&ctx->nr_users, 1, memory_order_relaxed);
	return ctx;
}

bool ctx_is_forked(const struct mem_ctx *ctx)
{
	return ctx->sched.pid != getpid();
}

/* Takes a reference, unless the last one has been dropped. */
bool ctx_try(struct mem_ctx *ctx)
{
	unsigned int nr = atomic_load(&ctx->nr_users);

	while (nr && !atomic_compare_exchange_weak(&ctx->nr_users, &nr, nr + 1))
		;
	return nr;
}

/* Returns true if the context was freed and the caller was a thread of it. */
bool ctx_put(struct mem_ctx *ctx)
{
	bool ret = false;
	int cancel;

	if (atomic_fetch_sub_explicit(&ctx->nr_users, 1,
				      memory_order_acq_rel) != 1)
		return false;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	/* A child has none of the threads, and locks may be held for ever. */
	if (!ctx_is_forked(ctx)) {
		ret = sched_fini(ctx);
		pthread_mutex_destroy(&ctx->hooks_lock);
	}
	ctx->backend->close(ctx);
	pthread_setcancelstate(cancel, NULL);
	return ret;
}

/* Returns 0 if a call that only returns information may proceed, or -errno. */
int ctx_look(const struct mem_ctx *ctx)
{
	if (ctx_is_forked(ctx))
		return -EPERM;
	return ctx->backend->alloc_ptr ? 0 : -EOPNOTSUPP;
}

/*
 * The same for a call on a buffer or attribute list. The backend decides
 * whether it is possible in a child, in which locks of lost threads may be
 * held.
 */
int ctx_may_call(const struct mem_ctx *ctx)
{
	const int err = sched_check_call();

	if (err)
		return err;
	return ctx->backend->check ? ctx->backend->check() : 0;
}

/* The same for a call that frees something. */
int ctx_may_change(const struct mem_ctx *ctx)
{
	const int err = sched_check_call();

	return err ? err : ctx_look(ctx);
}

/* The same for a call that submits work. */
int ctx_check(struct mem_ctx *ctx)
{
	int err = ctx_may_change(ctx);

	return err ? err : atomic_load(&ctx->sched.error);
}

/* Returns the result of a call that has waited. */
int ctx_result(struct mem_ctx *ctx)
{
	const int err = atomic_load(&ctx->sched.error);

	return err ? err : atomic_exchange(&ctx->sched.lost, 0);
}

API unsigned int mem_version(void)
{
	return LIBMEM_VERSION;
}

API void mem_ctx_close(struct mem_ctx *ctx)
{
	if (!ctx)
		return;
	/* Other users of the shared context continue to work in it. */
	if (!ctx->is_shared && !ctx_is_forked(ctx)) {
		ctx_call_hooks(ctx);
		sched_close(ctx);
	}
	ctx_put(ctx);
}

API int mem_ctx_probe(struct mem_ctx *ctx, struct mem_probe *probe)
{
	struct mem_probe all = { 0 };
	int err;

	if (!ctx || !probe ||
	    struct_check(probe, offsetofend(struct mem_probe, precise)))
		return -EINVAL;
	err = ctx->backend->probe(ctx, &all);
	if (err)
		return err;
	struct_out(probe, &all, sizeof(all));
	return 0;
}

API int mem_ctx_watch(struct mem_ctx *ctx, unsigned int what, uint32_t nr)
{
	int err;

	if (!ctx || !what || what & ~(MEM_WATCH_ERRORS | MEM_WATCH_WASTE) ||
	    !nr || nr > MEM_WATCH_MAX)
		return -EINVAL;
	err = sched_check_call();
	return err ? err : ctx->backend->watch(ctx, what, nr);
}

API int mem_ctx_watch_fd(struct mem_ctx *ctx, int *fd)
{
	int err, new;

	if (!ctx || !fd)
		return -EINVAL;
	err = sched_check_call();
	if (!err)
		err = ctx->backend->watch_fd(ctx, &new);
	if (!err)
		*fd = new;
	return err;
}

API int mem_ctx_next_violation(struct mem_ctx *ctx,
			       struct mem_violation *violation)
{
	struct mem_violation all = { 0 };
	int ret;

	if (!ctx || !violation ||
	    struct_check(violation,
			 offsetofend(struct mem_violation, attach_stream)))
		return -EINVAL;
	ret = ctx->backend->next_violation(ctx, &all);
	if (ret > 0)
		struct_out(violation, &all, sizeof(all));
	return ret;
}

API const char *mem_violation_name(unsigned int kind)
{
	static const char *const names[] = {
		[MEM_VIOLATION_DROPPED] = "dropped",
		[MEM_VIOLATION_STALE_READ] = "stale-read",
		[MEM_VIOLATION_POSSIBLE_STALE_READ] = "possible-stale-read",
		[MEM_VIOLATION_LOST_DEVICE_WRITE] = "lost-device-write",
		[MEM_VIOLATION_LOST_CPU_WRITE] = "lost-cpu-write",
		[MEM_VIOLATION_MISSING_CLEAN] = "missing-clean",
		[MEM_VIOLATION_WRITE_CONFLICT] = "write-conflict",
		[MEM_VIOLATION_UNBRACKETED_ACCESS] = "unbracketed-access",
		[MEM_VIOLATION_MISSING_END] = "missing-end",
		[MEM_VIOLATION_UNMATCHED_END] = "unmatched-end",
		[MEM_VIOLATION_SHARED_LINE] = "shared-line",
		[MEM_VIOLATION_REDUNDANT_CLEAN] = "redundant-clean",
		[MEM_VIOLATION_REDUNDANT_INVALIDATE] = "redundant-invalidate",
		[MEM_VIOLATION_CPU_WHILE_ACTIVE] = "cpu-while-active",
		[MEM_VIOLATION_ENGINE_NOT_ATTACHED] = "engine-not-attached",
		[MEM_VIOLATION_CPU_ON_DEVICE] = "cpu-on-device",
		[MEM_VIOLATION_UNENDED_READ] = "unended-read",
		[MEM_VIOLATION_ATOMIC_ON_UNCACHED] = "atomic-on-uncached",
		[MEM_VIOLATION_ILLEGAL_ADDRESS] = "illegal-address",
		[MEM_VIOLATION_OVERRUN] = "overrun",
		[MEM_VIOLATION_FAILED_KERNEL] = "failed-kernel",
		[MEM_VIOLATION_USE_AFTER_FREE] = "use-after-free",
		[MEM_VIOLATION_UNLOCKED_ACCESS] = "unlocked-access",
		[MEM_VIOLATION_ENGINE_WHILE_LOCKED] = "engine-while-locked",
		[MEM_VIOLATION_MISSING_UNLOCK] = "missing-unlock",
		[MEM_VIOLATION_WRAPPED_GONE] = "wrapped-gone",
		[MEM_VIOLATION_WIDTH_FOR_PITCH] = "width-for-pitch",
		[MEM_VIOLATION_READ_ONLY_WRITE] = "read-only-write",
		[MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER] =
			"frame-written-by-consumer",
		[MEM_VIOLATION_FRAME_USED_AFTER_RELEASE] =
			"frame-used-after-release",
		[MEM_VIOLATION_RACE] = "race",
		[MEM_VIOLATION_INVALID_HANDLE] = "invalid-handle",
	};

	if (kind >= sizeof(names) / sizeof(*names))
		return "unknown";
	return names[kind];
}

API void libmem_report_missing(const char *call)
{
	if (!call)
		return;
	/* The program may not have opened a context yet. */
	record_init();
	record_missing(call);
}
