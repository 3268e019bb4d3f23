// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: how a context is opened: its options, what the environment adds to
 * them, and the choice of a backend, which no other file knows by name. One
 * context of the process is shared: mem_ctx_open_shared() opens it once, and
 * the library keeps a reference to it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "sched.h"

static struct {
	pthread_mutex_t lock;	/* held while the context is opened */
	int err;		/* -errno if there is no fork handler */
	struct mem_ctx *_Atomic ctx;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A thread that held the lock does not exist in the child. */
static void shared_in_child(void)
{
	pthread_mutex_init(&shared.lock, NULL);
}

static void __attribute__((constructor)) shared_init(void)
{
	shared.err = -pthread_atfork(NULL, NULL, shared_in_child);
}

static int options_check(const struct mem_ctx_options *options)
{
	if (options->backend > MEM_BACKEND_KERNEL ||
	    options->policy > MEM_POLICY_OFF ||
	    (options->poison > UINT8_MAX &&
	     options->poison != MEM_POISON_NONE) ||
	    options->evict > MEM_EVICT_RANDOM || options->precise > 1 ||
	    options->reserved ||
	    !memchr(options->soc, 0, sizeof(options->soc)))
		return -EINVAL;
	return 0;
}

static int backend_parse(const char *name, uint32_t *backend)
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

static int policy_parse(const char *name, uint32_t *policy)
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

static int seed_parse(const char *name, uint64_t *seed)
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

static int evict_parse(const char *name, struct mem_ctx_options *all,
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
	return seed_parse(getenv(*variable), &all->seed);
}

static int precise_named(const char *name, uint32_t *precise)
{
	if (!name || !*name || !strcmp(name, "0"))
		return 0;
	if (strcmp(name, "1"))
		return -EINVAL;
	*precise = 1;
	return 0;
}

/*
 * Sets options that the caller has left at their default from the environment.
 * On an error @name is the variable that caused it. On success @name is the
 * variable to name if the context cannot be opened, or NULL.
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
		err = policy_parse(getenv(*name), &all->policy);
		if (err)
			return err;
	}
	if (all->evict == MEM_EVICT_DEFAULT) {
		*name = "LIBMEM_EVICT";
		err = evict_parse(getenv(*name), all, name);
		if (err)
			return err;
	}
	*name = "LIBMEM_PRECISE";
	err = precise_named(getenv(*name), &all->precise);
	if (err)
		return err;
	*name = "LIBMEM_BACKEND";
	if (all->backend == MEM_BACKEND_AUTO) {
		err = backend_parse(getenv(*name), &all->backend);
		if (err)
			return err;
	}
	*name = soc && *soc ? "LIBMEM_SOC" : NULL;
	return 0;
}

static int ctx_open_with(const struct backend *backend,
			 const struct mem_ctx_options *options,
			 struct mem_ctx **ctx)
{
	struct mem_ctx *new;
	int err, cancel;

	/* A cancelled thread would leave locks held. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = backend->open(options, &new);
	pthread_setcancelstate(cancel, NULL);
	if (err)
		return err;
	ctx_init(new);
	*ctx = new;
	return 0;
}

/*
 * Opens a context. The module determines its own board; the embedded backend
 * uses @soc if @all names none.
 */
static int ctx_open_any(struct mem_ctx_options *all, const char *soc,
			struct mem_ctx **ctx)
{
	int err;

	record_process();
	if (all->backend != MEM_BACKEND_EMBEDDED) {
		err = ctx_open_with(&kernel_backend, all, ctx);
		/* There is no module, or only its stale device node. */
		if (all->backend != MEM_BACKEND_AUTO ||
		    (err != -ENOENT && err != -ENXIO && err != -ENODEV))
			return err;
	}
	if (!all->soc[0])
		memcpy(all->soc, soc, sizeof(all->soc));
	return ctx_open_with(&embedded_backend, all, ctx);
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

static int ctx_open(struct mem_ctx_options *all, const char *soc,
		    struct mem_ctx **ctx)
{
	const char *variable;
	int err;

	record_init();
	err = options_complete(all, &variable);
	if (!err)
		err = ctx_open_any(all, soc, ctx);
	if (err)
		record_no_context(err, variable);
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
	return err ? err : ctx_open(&all, none, ctx);
}

/* The caller must hold the lock. Once set, shared.ctx never changes. */
static int shared_open(struct mem_ctx_options *all)
{
	char soc[MEM_NAME_LEN];
	struct mem_ctx *new;
	int err;

	if (atomic_load(&shared.ctx))
		return 0;
	memcpy(soc, all->soc, sizeof(soc));
	all->soc[0] = '\0';
	err = ctx_open(all, soc, &new);
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
		record_no_context(-EPERM, NULL);
		return -EPERM;
	}
	*ctx = ctx_get(shared.ctx);
	return 0;
}
