// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: contexts, and which backend they have. The count of users is atomic;
 * all else never changes. One context of the process is shared: whoever asks
 * for it gets a reference to it, and the library keeps one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compat.h"
#include "engine/engine.h"
#include "sched.h"

static struct {
	pthread_mutex_t lock;	/* who opens it */
	int err;		/* no handler for forks */
	struct mem_ctx *_Atomic ctx;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The thread that had it, if any, is not there. */
static void shared_in_child(void)
{
	pthread_mutex_init(&shared.lock, NULL);
}

static void __attribute__((constructor)) init_shared(void)
{
	shared.err = -pthread_atfork(NULL, NULL, shared_in_child);
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

/* For who knows that it is there, but not that somebody keeps it. */
bool ctx_try(struct mem_ctx *ctx)
{
	unsigned int nr = atomic_load(&ctx->nr_users);

	while (nr && !atomic_compare_exchange_weak(&ctx->nr_users, &nr, nr + 1))
		;
	return nr;
}

/* Returns true if the caller is a thread of the context, which is gone. */
bool ctx_put(struct mem_ctx *ctx)
{
	bool ret = false;

	if (atomic_fetch_sub_explicit(&ctx->nr_users, 1,
				      memory_order_acq_rel) != 1)
		return false;
	/* In a child no thread of it is there, and its locks may be held. */
	if (!ctx_is_forked(ctx))
		ret = sched_fini(ctx);
	ctx->backend->close(ctx);
	return ret;
}

/* May a call go on that only looks? */
int ctx_look(const struct mem_ctx *ctx)
{
	if (ctx_is_forked(ctx))
		return -EPERM;
	return ctx->backend->alloc_ptr ? 0 : -EOPNOTSUPP;
}

/*
 * One on a buffer or list? A child may have locks of threads that are not
 * there, but where the backend says that it has none.
 */
int ctx_may_call(const struct mem_ctx *ctx)
{
	const int err = sched_check_call();

	if (err)
		return err;
	return ctx->backend->check ? ctx->backend->check() : 0;
}

/* One that gives something back? */
int ctx_may_change(const struct mem_ctx *ctx)
{
	const int err = sched_check_call();

	return err ? err : ctx_look(ctx);
}

/* One that works on it? */
int ctx_check(struct mem_ctx *ctx)
{
	int err = ctx_may_change(ctx);

	return err ? err : atomic_load(&ctx->sched.error);
}

/* What a call answers that has waited. */
int ctx_result(struct mem_ctx *ctx)
{
	const int err = atomic_load(&ctx->sched.error);

	return err ? err : atomic_exchange(&ctx->sched.lost, 0);
}

static int options_check(const struct mem_ctx_options *options)
{
	if (options->backend > MEM_BACKEND_KERNEL ||
	    options->policy > MEM_POLICY_OFF ||
	    (options->poison > UINT8_MAX &&
	     options->poison != MEM_POISON_NONE) ||
	    options->evict > MEM_EVICT_RANDOM ||
	    !memchr(options->soc, 0, sizeof(options->soc)))
		return -EINVAL;
	return 0;
}

static int backend_named(const char *name, uint32_t *backend)
{
	if (!name || !*name || !strcmp(name, "auto"))
		*backend = MEM_BACKEND_AUTO;
	else if (!strcmp(name, embedded_backend.name))
		*backend = MEM_BACKEND_EMBEDDED;
	else if (!strcmp(name, kernel_backend.name))
		*backend = MEM_BACKEND_KERNEL;
	else
		return -EINVAL;
	return 0;
}

static int policy_named(const char *name, uint32_t *policy)
{
	static const char *const names[] = {
		[MEM_POLICY_STRICT] = "strict",
		[MEM_POLICY_RECORD] = "record",
		[MEM_POLICY_OFF] = "off",
	};
	uint32_t i;

	*policy = MEM_POLICY_DEFAULT;
	if (!name || !*name)
		return 0;
	for (i = MEM_POLICY_STRICT; i <= MEM_POLICY_OFF; i++)
		if (!strcmp(name, names[i])) {
			*policy = i;
			return 0;
		}
	return -EINVAL;
}

static int seed_named(const char *name, uint64_t *seed)
{
	char *end;

	*seed = 0;
	if (!name || !*name)
		return 0;
	if (*name < '0' || *name > '9')
		return -EINVAL;
	errno = 0;
	*seed = strtoull(name, &end, 0);
	return errno || *end ? -EINVAL : 0;
}

static int evict_named(const char *name, struct mem_ctx_options *all,
		       const char **variable)
{
	if (!name || !*name)
		return 0;
	if (!strcmp(name, "none"))
		all->evict = MEM_EVICT_NONE;
	else if (!strcmp(name, "random"))
		all->evict = MEM_EVICT_RANDOM;
	else
		return -EINVAL;
	*variable = "LIBMEM_SEED";
	return seed_named(getenv(*variable), &all->seed);
}

/*
 * What the caller leaves open the environment says. @name is the variable that
 * is to blame if this fails or, where it names one, if the context cannot be
 * opened.
 */
static int options_complete(struct mem_ctx_options *all, const char **name)
{
	const char *soc = getenv("LIBMEM_SOC");
	int err;

	*name = "LIBMEM_ENGINE";
	if (!engine_is_known())
		return -EINVAL;
	*name = "LIBMEM_SOC";
	if (!all->soc[0] && soc) {
		if (strlen(soc) >= sizeof(all->soc))
			return -EINVAL;
		strcpy(all->soc, soc);
	} else {
		soc = NULL;
	}
	*name = "LIBMEM_POLICY";
	if (all->policy == MEM_POLICY_DEFAULT) {
		err = policy_named(getenv(*name), &all->policy);
		if (err)
			return err;
	}
	if (all->evict == MEM_EVICT_DEFAULT) {
		*name = "LIBMEM_EVICT";
		err = evict_named(getenv(*name), all, name);
		if (err)
			return err;
	}
	*name = "LIBMEM_BACKEND";
	if (all->backend == MEM_BACKEND_AUTO) {
		err = backend_named(getenv(*name), &all->backend);
		if (err)
			return err;
	}
	*name = soc && *soc ? "LIBMEM_SOC" : NULL;
	return 0;
}

static int open_with(const struct backend *backend,
		     const struct mem_ctx_options *options,
		     struct mem_ctx **ctx)
{
	struct mem_ctx *new;
	int err, cancel;

	/* Nobody who is cancelled leaves a lock taken. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = backend->open(options, &new);
	pthread_setcancelstate(cancel, NULL);
	if (err)
		return err;
	sched_init(new);
	*ctx = new;
	return 0;
}

API unsigned int mem_version(void)
{
	return LIBMEM_VERSION;
}

/* The module has its board; elsewhere @soc is one if @all names none. */
static int open_any(struct mem_ctx_options *all, const char *soc,
		    struct mem_ctx **ctx)
{
	int err;

	tell_process();
	if (all->backend != MEM_BACKEND_EMBEDDED) {
		err = open_with(&kernel_backend, all, ctx);
		/* No module, or a node that one has left behind. */
		if (all->backend != MEM_BACKEND_AUTO ||
		    (err != -ENOENT && err != -ENXIO && err != -ENODEV))
			return err;
	}
	if (!all->soc[0])
		memcpy(all->soc, soc, sizeof(all->soc));
	return open_with(&embedded_backend, all, ctx);
}

static int options_take(struct mem_ctx_options *all,
			const struct mem_ctx_options *options)
{
	int err;

	*all = (struct mem_ctx_options) { .size = sizeof(*all) };
	if (!options)
		return 0;
	err = struct_in(all, sizeof(*all), options,
			offsetofend(struct mem_ctx_options, soc));
	return err ? err : options_check(all);
}

static int open_told(struct mem_ctx_options *all, const char *soc,
		     struct mem_ctx **ctx)
{
	const char *variable;
	int err;

	tell_init();
	err = options_complete(all, &variable);
	if (!err)
		err = open_any(all, soc, ctx);
	if (err)
		tell_no_context(err, variable);
	return err;
}

API int mem_ctx_open(const struct mem_ctx_options *options,
		     struct mem_ctx **ctx)
{
	static const char none[MEM_NAME_LEN];
	struct mem_ctx_options all;
	int err;

	if (!ctx)
		return -EINVAL;
	err = options_take(&all, options);
	if (!err)
		err = sched_check_call();
	return err ? err : open_told(&all, none, ctx);
}

/* The lock is held. It is there for whoever sees it, and stays. */
static int shared_open(struct mem_ctx_options *all)
{
	char soc[MEM_NAME_LEN];
	struct mem_ctx *new;
	int err;

	if (atomic_load(&shared.ctx))
		return 0;
	memcpy(soc, all->soc, sizeof(soc));
	all->soc[0] = '\0';
	err = open_told(all, soc, &new);
	if (err)
		return err;
	new->is_shared = true;
	atomic_store(&shared.ctx, new);
	return 0;
}

API int mem_ctx_open_shared(const struct mem_ctx_options *options,
			    struct mem_ctx **ctx)
{
	struct mem_ctx_options all;
	int err, cancel;

	if (!ctx)
		return -EINVAL;
	err = options_take(&all, options);
	if (!err)
		err = sched_check_call();
	if (!err)
		err = shared.err;
	if (err)
		return err;
	if (!atomic_load(&shared.ctx)) {
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
		pthread_mutex_lock(&shared.lock);
		err = shared_open(&all);
		pthread_mutex_unlock(&shared.lock);
		pthread_setcancelstate(cancel, NULL);
		if (err)
			return err;
	}
	if (ctx_is_forked(shared.ctx)) {
		tell_no_context(-EPERM, NULL);
		return -EPERM;
	}
	*ctx = ctx_get(shared.ctx);
	return 0;
}

API void mem_ctx_close(struct mem_ctx *ctx)
{
	if (!ctx)
		return;
	/* Others work in the shared one, and go on to. */
	if (!ctx->is_shared && !ctx_is_forked(ctx))
		sched_close(ctx);
	ctx_put(ctx);
}

API int mem_ctx_probe(struct mem_ctx *ctx, struct mem_probe *probe)
{
	struct mem_probe all = { 0 };
	int err;

	if (!ctx || !probe ||
	    struct_check(probe, offsetofend(struct mem_probe, reserved)))
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
	};

	if (kind >= sizeof(names) / sizeof(*names))
		return "unknown";
	return names[kind];
}

API void libmem_tell_missing(const char *call)
{
	if (!call)
		return;
	/* The program may have opened none so far, or never. */
	tell_init();
	tell_missing(call);
}
