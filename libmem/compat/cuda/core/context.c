// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Devices, contexts, and the current context of each thread.
 *
 * All primary contexts share one libmem context, opened at the first call and
 * kept until the process ends: their devices are on one board and share its
 * pinned memory. All libraries of the process share that context. A context
 * that the program creates has a libmem context of its own.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../compat.h"
#include "core.h"
#include "internal.h"

#define MAX_DEVICES	2
#define MAX_DEPTH	64

static struct {
	pthread_mutex_t lock;	/* protects all; not needed once is_ready */
	bool is_ready;
	bool is_watched;	/* fork handler is installed */
	struct mem_ctx *mem;
	int nr_devices;
	struct core_device devices[MAX_DEVICES];
	struct CUctx_st primary[MAX_DEVICES];
	struct CUctx_st *contexts;
	struct CUctx_st *destroyed;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

static __thread struct {
	int device;
	unsigned int depth;
	struct CUctx_st *stack[MAX_DEPTH];
} self;

/* Every call checks this, so getpid() would be too slow. */
static bool is_child;

static void context_in_child(void)
{
	is_child = true;
}

/* Names reported by the boards' drivers */
static const struct {
	const char *soc;
	const char *gpu;
	const char *dgpu;
} names[] = {
	{ "nano", "NVIDIA Tegra X1", NULL },
	{ "tx2", "NVIDIA Tegra X2", NULL },
	{ "drive-px2", "NVIDIA Tegra X2", "DRIVE PX 2 AutoChauffeur" },
	{ "xavier", "Xavier", NULL },
	{ "orin", "Orin", NULL },
	{ "orin-nano", "Orin", NULL },
	{ "thor", "NVIDIA Thor", NULL },
};

/**
 * core_error() - convert an error of libmem
 * @err: 0 or -errno
 *
 * Return: CUDA_SUCCESS or an error.
 */
CORE_API int core_error(int err)
{
	switch (-err) {
	case 0:
		return CUDA_SUCCESS;
	case EINVAL:
	case EXDEV:
		return CUDA_ERROR_INVALID_VALUE;
	case ENOMEM:
		return CUDA_ERROR_OUT_OF_MEMORY;
	case EBUSY:
		return CUDA_ERROR_NOT_READY;
	case EACCES:
	case EPERM:
		return is_child ? CUDA_ERROR_NOT_INITIALIZED :
				  CUDA_ERROR_NOT_PERMITTED;
	case EOPNOTSUPP:
		return CUDA_ERROR_NOT_SUPPORTED;
	case EFAULT:
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	case ETIME:
		return CUDA_ERROR_LAUNCH_TIMEOUT;
	case ECANCELED:
		return CUDA_ERROR_ASSERT;
	case EDEADLK:
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	case EIO:
	case EOWNERDEAD:
		return CUDA_ERROR_LAUNCH_FAILED;
	case EEXIST:
		return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
	case ENOENT:
		return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
	case EMFILE:
	case ENFILE:
	case EAGAIN:
		return CUDA_ERROR_OPERATING_SYSTEM;
	default:
		return CUDA_ERROR_UNKNOWN;
	}
}

/* Converts errors of mem_ctx_open(), where ENOENT is not about a pointer. */
static int context_open_error(int err)
{
	switch (-err) {
	case ENOENT:
	case EACCES:
	case EPROTO:
		return CUDA_ERROR_NO_DEVICE;
	case EINVAL:
		return CUDA_ERROR_SYSTEM_NOT_READY;
	default:
		return core_error(err);
	}
}

static bool context_find_device(enum mem_engine engine,
				struct core_device *device)
{
	const char *name = NULL;
	size_t i;

	memset(device, 0, sizeof(*device));
	device->board.size = sizeof(device->board);
	if (mem_ctx_board(state.mem, engine, &device->board) ||
	    !device->board.capability)
		return false;
	device->engine = engine;
	device->is_discrete = engine == MEM_ENGINE_DGPU;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].soc, device->board.name))
			name = device->is_discrete ? names[i].dgpu :
						     names[i].gpu;
	strncpy(device->name, name ? name : device->board.name,
		sizeof(device->name) - 1);
	return true;
}

static void context_add_device(const struct core_device *found)
{
	struct core_device *device = &state.devices[state.nr_devices];

	*device = *found;
	device->ordinal = state.nr_devices;
	state.primary[state.nr_devices].mem = state.mem;
	state.primary[state.nr_devices].device = device;
	state.primary[state.nr_devices].is_primary = true;
	state.nr_devices++;
}

/*
 * Adds the devices, the fastest first, as CUDA numbers them. If the environment
 * lists some, adds those in its order, up to the first that does not exist.
 */
static void context_add_devices(void)
{
	const char *list = getenv("CUDA_VISIBLE_DEVICES");
	struct core_device found[MAX_DEVICES];
	bool is_taken[MAX_DEVICES] = { false };
	long nr = 0, i;
	char *end;

	nr += context_find_device(MEM_ENGINE_DGPU, &found[nr]);
	nr += context_find_device(MEM_ENGINE_GPU, &found[nr]);
	if (!list) {
		for (i = 0; i < nr; i++)
			context_add_device(&found[i]);
		return;
	}
	do {
		i = strtol(list, &end, 10);
		if (end == list || i < 0 || i >= nr || is_taken[i])
			return;
		is_taken[i] = true;
		context_add_device(&found[i]);
		list = end + 1;
	} while (*end == ',');
}

/*
 * CUDA's error only says that the system is not ready. These variables are
 * libmem's, so CUDA's documents do not explain them either.
 */
static void context_report_settings(void)
{
	static const char *const variables[] = {
		"LIBMEM_BACKEND", "LIBMEM_SOC", "LIBMEM_POLICY", "LIBMEM_EVICT",
		"LIBMEM_SEED", "LIBMEM_PRECISE", "LIBMEM_ENGINE",
	};
	const char *value;
	size_t i;

	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		value = getenv(variables[i]);
		if (value && *value)
			fprintf(stderr, "heapsim: %s=%s\n", variables[i],
				value);
	}
	fputs("heapsim: one of these is not known: heapsim run names it\n",
	      stderr);
}

static int context_open_board(void)
{
	const int err = compat_ctx_open(&state.mem);

	if (err == -EINVAL)
		context_report_settings();
	if (err)
		return context_open_error(err);
	context_add_devices();
	return CUDA_SUCCESS;
}

/**
 * core_init() - find the board, once
 *
 * Context: any thread.
 * Return: CUDA_SUCCESS, CUDA_ERROR_NO_DEVICE (the board has no CUDA GPU, the
 * module is not loaded), CUDA_ERROR_SYSTEM_NOT_READY (an environment variable
 * of libmem has an unknown value), CUDA_ERROR_NOT_INITIALIZED (in a child of a
 * process that uses CUDA).
 */
CORE_API int core_init(void)
{
	int rc = CUDA_SUCCESS;

	if (__atomic_load_n(&state.is_ready, __ATOMIC_ACQUIRE)) {
		if (is_child)
			return CUDA_ERROR_NOT_INITIALIZED;
		return state.nr_devices ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
	}
	pthread_mutex_lock(&state.lock);
	if (!state.is_watched && !pthread_atfork(NULL, NULL, context_in_child))
		state.is_watched = true;
	if (!state.is_watched)
		rc = CUDA_ERROR_OUT_OF_MEMORY;
	else if (!state.is_ready)
		rc = context_open_board();
	if (!rc) {
		__atomic_store_n(&state.is_ready, true, __ATOMIC_RELEASE);
		if (!state.nr_devices)
			rc = CUDA_ERROR_NO_DEVICE;
	}
	pthread_mutex_unlock(&state.lock);
	return rc;
}

/**
 * core_nr_devices() - return the number of GPUs of the board
 *
 * Return: number of GPUs; 0 before core_init().
 */
CORE_API int core_nr_devices(void)
{
	return state.nr_devices;
}

/**
 * core_device() - find a GPU by its number
 * @ordinal: number, from 0
 *
 * Return: GPU, or NULL if there is none.
 */
CORE_API const struct core_device *core_device(int ordinal)
{
	if (ordinal < 0 || ordinal >= state.nr_devices)
		return NULL;
	return &state.devices[ordinal];
}

/* Checks that there is a board with this GPU. */
static int context_check_device(int ordinal)
{
	const int rc = core_init();

	if (rc)
		return rc;
	return core_device(ordinal) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

/**
 * core_top() - return the current context of this thread
 *
 * Return: context, or NULL if there is none.
 */
CORE_API struct CUctx_st *core_top(void)
{
	return self.depth ? self.stack[self.depth - 1] : NULL;
}

/**
 * core_push() - push a context onto the thread's stack and make it current
 * @ctx: context
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_CONTEXT (no such context),
 * CUDA_ERROR_OUT_OF_MEMORY (the stack is full).
 */
CORE_API int core_push(struct CUctx_st *ctx)
{
	if (!core_ctx_exists(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (self.depth == MAX_DEPTH)
		return CUDA_ERROR_OUT_OF_MEMORY;
	self.stack[self.depth++] = ctx;
	self.device = ctx->device->ordinal;
	return CUDA_SUCCESS;
}

/**
 * core_pop() - pop the current context
 * @ctx: out: context that was current; may be NULL
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_CONTEXT (there is none).
 */
CORE_API int core_pop(struct CUctx_st **ctx)
{
	if (!self.depth)
		return CUDA_ERROR_INVALID_CONTEXT;
	self.depth--;
	if (ctx)
		*ctx = self.stack[self.depth];
	if (self.depth)
		self.device = core_top()->device->ordinal;
	return CUDA_SUCCESS;
}

/**
 * core_set_top() - replace the current context
 * @ctx: context; NULL: only pop the current one
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_CONTEXT (no such context).
 */
CORE_API int core_set_top(struct CUctx_st *ctx)
{
	if (ctx && !core_ctx_exists(ctx))
		return CUDA_ERROR_INVALID_CONTEXT;
	if (self.depth)
		self.depth--;
	return ctx ? core_push(ctx) : CUDA_SUCCESS;
}

/**
 * core_get_device() - return the device that this thread has chosen
 *
 * Return: number of the device.
 */
CORE_API int core_get_device(void)
{
	return self.device;
}

/**
 * core_primary() - return a device's primary context, open or not
 * @ordinal: number of an existing device
 *
 * Return: context.
 */
CORE_API struct CUctx_st *core_primary(int ordinal)
{
	return &state.primary[ordinal];
}

/**
 * core_primary_open() - open a device's primary context without retaining it
 * @ordinal: number of the device
 * @ctx: out: context
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_DEVICE, or an error of core_init().
 */
CORE_API int core_primary_open(int ordinal, struct CUctx_st **ctx)
{
	int rc = context_check_device(ordinal);

	if (rc)
		return rc;
	pthread_mutex_lock(&state.lock);
	state.primary[ordinal].is_open = true;
	pthread_mutex_unlock(&state.lock);
	*ctx = &state.primary[ordinal];
	return CUDA_SUCCESS;
}

/**
 * core_set_device() - choose a device and make its primary context current
 * @ordinal: number of the device
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_DEVICE, or an error of core_init().
 */
CORE_API int core_set_device(int ordinal)
{
	struct CUctx_st *ctx;
	int rc = core_primary_open(ordinal, &ctx);

	if (rc)
		return rc;
	self.device = ordinal;
	return core_set_top(ctx);
}

/**
 * core_current() - return the current context, by default the primary one
 * @ctx: out: context
 *
 * The runtime's calls use this context. A primary context that is used by
 * default becomes current.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_CONTEXT_IS_DESTROYED, or an error of
 * core_init().
 */
CORE_API int core_current(struct CUctx_st **ctx)
{
	int rc = core_init();

	if (rc)
		return rc;
	if (!self.depth) {
		rc = core_set_device(self.device);
		if (rc)
			return rc;
	}
	*ctx = core_top();
	if (!core_ctx_exists(*ctx))
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	if ((*ctx)->is_primary && !(*ctx)->is_open)
		return core_primary_open((*ctx)->device->ordinal, ctx);
	return CUDA_SUCCESS;
}

/**
 * core_primary_retain() - retain a device's primary context
 * @ordinal: number of the device
 * @ctx: out: context
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_DEVICE, or an error of core_init().
 */
CORE_API int core_primary_retain(int ordinal, struct CUctx_st **ctx)
{
	int rc = context_check_device(ordinal);

	if (rc)
		return rc;
	pthread_mutex_lock(&state.lock);
	state.primary[ordinal].nr_users++;
	state.primary[ordinal].is_open = true;
	pthread_mutex_unlock(&state.lock);
	*ctx = &state.primary[ordinal];
	return CUDA_SUCCESS;
}

/**
 * core_primary_release() - release a device's primary context
 * @ordinal: number of the device
 *
 * The last release destroys everything in the context.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_CONTEXT
 * (it is not retained).
 */
CORE_API int core_primary_release(int ordinal)
{
	bool is_last;
	int rc = context_check_device(ordinal);

	if (rc)
		return rc;
	pthread_mutex_lock(&state.lock);
	if (!state.primary[ordinal].nr_users) {
		pthread_mutex_unlock(&state.lock);
		return CUDA_ERROR_INVALID_CONTEXT;
	}
	is_last = !--state.primary[ordinal].nr_users;
	pthread_mutex_unlock(&state.lock);
	if (is_last)
		rc = core_primary_reset(ordinal);
	if (rc == CUDA_ERROR_NOT_PERMITTED) {
		pthread_mutex_lock(&state.lock);
		state.primary[ordinal].nr_users++;
		pthread_mutex_unlock(&state.lock);
	}
	return rc;
}

/* Waits for work; cancels work that waits for a semaphore in vain. */
static int context_wait_or_cancel(struct CUctx_st *ctx)
{
	const int err = mem_ctx_cancel(ctx->mem);

	return err == -EDEADLK ? 0 : err;
}

/**
 * core_primary_reset() - destroy everything in a primary context
 * @ordinal: number of the device
 *
 * Memory, streams and events are destroyed. A wait for a semaphore that is
 * never signalled is cancelled, and the work behind it is dropped, also of the
 * board's other device. An error that has ended the context's work remains, as
 * in CUDA.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_NOT_PERMITTED (in
 * a host function: nothing has changed), an error of core_init(), or the error
 * that remains.
 */
CORE_API int core_primary_reset(int ordinal)
{
	struct CUctx_st *primary;
	int rc = context_check_device(ordinal);

	if (rc)
		return rc;
	primary = &state.primary[ordinal];
	rc = core_error(context_wait_or_cancel(primary));
	if (rc == CUDA_ERROR_NOT_PERMITTED)
		return rc;
	core_pool_trim(primary);
	core_objects_drop(primary);
	core_pools_reset(primary->device);
	core_symbols_reset(primary);
	pthread_mutex_lock(&state.lock);
	primary->is_open = primary->nr_users;
	primary->flags = 0;
	pthread_mutex_unlock(&state.lock);
	core_wait_policy(primary);
	return rc;
}

/**
 * core_primary_state() - return the state of a primary context
 * @ordinal: number of the device
 * @flags: out: flags of the context
 * @is_active: out: it is open
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_DEVICE, or an error of core_init().
 */
CORE_API int core_primary_state(int ordinal, unsigned int *flags,
				bool *is_active)
{
	int rc = context_check_device(ordinal);

	if (rc)
		return rc;
	pthread_mutex_lock(&state.lock);
	*flags = state.primary[ordinal].flags;
	*is_active = state.primary[ordinal].is_open;
	pthread_mutex_unlock(&state.lock);
	return CUDA_SUCCESS;
}

/**
 * core_wait_policy() - set libmem's wait policy from a context's flags
 * @ctx: context
 *
 * Primary contexts share libmem's context, so the newest flags apply to all.
 */
void core_wait_policy(struct CUctx_st *ctx)
{
	enum mem_wait_policy policy = MEM_WAIT_AUTO;

	switch (ctx->flags & CU_CTX_SCHED_MASK) {
	case CU_CTX_SCHED_SPIN:
		policy = MEM_WAIT_SPIN;
		break;
	case CU_CTX_SCHED_YIELD:
		policy = MEM_WAIT_YIELD;
		break;
	case CU_CTX_SCHED_BLOCKING_SYNC:
		policy = MEM_WAIT_BLOCK;
		break;
	}
	mem_ctx_set_wait_policy(ctx->mem, policy);
}

static bool context_flags_are_valid(unsigned int flags)
{
	const unsigned int sched = flags & CU_CTX_SCHED_MASK;

	return !(flags & ~(CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST |
			   CU_CTX_LMEM_RESIZE_TO_MAX | CU_CTX_SYNC_MEMOPS)) &&
	       !(sched & (sched - 1));
}

/**
 * core_primary_set_flags() - set how the host waits in a primary context
 * @ordinal: number of the device
 * @flags: CU_CTX_*
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such flags),
 * CUDA_ERROR_INVALID_DEVICE, or an error of core_init().
 */
CORE_API int core_primary_set_flags(int ordinal, unsigned int flags)
{
	int rc;

	if (!context_flags_are_valid(flags))
		return CUDA_ERROR_INVALID_VALUE;
	rc = context_check_device(ordinal);
	if (rc)
		return rc;
	pthread_mutex_lock(&state.lock);
	state.primary[ordinal].flags = flags;
	pthread_mutex_unlock(&state.lock);
	core_wait_policy(&state.primary[ordinal]);
	return CUDA_SUCCESS;
}

/**
 * core_ctx_set_flags() - set how the host waits in a context
 * @ctx: context
 * @flags: CU_CTX_*
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (no such flags).
 */
CORE_API int core_ctx_set_flags(struct CUctx_st *ctx, unsigned int flags)
{
	if (!context_flags_are_valid(flags))
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&state.lock);
	ctx->flags = flags;
	pthread_mutex_unlock(&state.lock);
	core_wait_policy(ctx);
	return CUDA_SUCCESS;
}

/**
 * core_ctx_create() - create a context and make it current
 * @ordinal: number of its device
 * @flags: CU_CTX_*
 * @ctx: out: context, owned by the caller: core_ctx_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (no such flags),
 * CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_OUT_OF_MEMORY, or an error of
 * core_init().
 */
CORE_API int core_ctx_create(int ordinal, unsigned int flags,
			     struct CUctx_st **ctx)
{
	struct mem_ctx_options options = { .size = sizeof(options) };
	struct mem_probe probe = { .size = sizeof(probe) };
	struct CUctx_st *new;
	int rc;

	if (!context_flags_are_valid(flags))
		return CUDA_ERROR_INVALID_VALUE;
	rc = context_check_device(ordinal);
	if (rc)
		return rc;
	new = calloc(1, sizeof(*new));
	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	/* Use the board that was found, even if it was chosen by default. */
	rc = mem_ctx_probe(state.mem, &probe);
	if (!rc) {
		options.backend = probe.backend;
		memcpy(options.soc, probe.soc, sizeof(options.soc));
		rc = mem_ctx_open(&options, &new->mem);
	}
	if (rc) {
		free(new);
		return context_open_error(rc);
	}
	new->device = core_device(ordinal);
	new->flags = flags;
	new->is_open = true;
	core_wait_policy(new);
	pthread_mutex_lock(&state.lock);
	new->next = state.contexts;
	state.contexts = new;
	pthread_mutex_unlock(&state.lock);
	rc = core_push(new);
	if (rc)
		core_ctx_destroy(new);
	else
		*ctx = new;
	return rc;
}

/**
 * core_ctx_destroy() - destroy a context and everything in it
 * @ctx: context from core_ctx_create()
 *
 * If it is current in the calling thread, it is popped. Other threads in which
 * it is current get CUDA_ERROR_CONTEXT_IS_DESTROYED.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_CONTEXT (no such context, or a
 * primary one), CUDA_ERROR_NOT_PERMITTED (in a host function).
 */
CORE_API int core_ctx_destroy(struct CUctx_st *ctx)
{
	struct CUctx_st **at;

	if (!core_ctx_exists(ctx) || ctx->is_primary)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (context_wait_or_cancel(ctx) == -EPERM)
		return core_error(-EPERM);
	pthread_mutex_lock(&state.lock);
	for (at = &state.contexts; *at && *at != ctx; at = &(*at)->next)
		;
	if (!*at) {
		pthread_mutex_unlock(&state.lock);
		return CUDA_ERROR_INVALID_CONTEXT;
	}
	*at = ctx->next;
	pthread_mutex_unlock(&state.lock);
	if (core_top() == ctx)
		core_pop(NULL);
	core_pool_trim(ctx);
	core_objects_drop(ctx);
	mem_ctx_close(ctx->mem);
	/*
	 * Not freed: no later context may get the address, since this context
	 * may be current in another thread.
	 */
	ctx->is_open = false;
	pthread_mutex_lock(&state.lock);
	ctx->next = state.destroyed;
	state.destroyed = ctx;
	pthread_mutex_unlock(&state.lock);
	return CUDA_SUCCESS;
}

/**
 * core_ctx_exists() - check a context
 * @ctx: context, any address
 *
 * Return: true if it is a context that has not been destroyed.
 */
CORE_API bool core_ctx_exists(const struct CUctx_st *ctx)
{
	const struct CUctx_st *at;

	if (ctx >= state.primary && ctx < state.primary + state.nr_devices)
		return true;
	pthread_mutex_lock(&state.lock);
	for (at = state.contexts; at && at != ctx; at = at->next)
		;
	pthread_mutex_unlock(&state.lock);
	return at;
}

/**
 * core_ctx_sync() - wait for all work of a context
 * @ctx: context
 *
 * Return: CUDA_SUCCESS, or the error that ended its work.
 */
CORE_API int core_ctx_sync(struct CUctx_st *ctx)
{
	const int rc = core_error(mem_ctx_sync(ctx->mem));

	if (rc != CUDA_ERROR_NOT_PERMITTED)
		core_pool_trim(ctx);
	return rc;
}

/**
 * core_missing() - report a call that is not implemented
 * @call: name of the call
 *
 * Return: CUDA_ERROR_NOT_SUPPORTED.
 */
CORE_API int core_missing(const char *call)
{
	libmem_report_missing(call);
	return CUDA_ERROR_NOT_SUPPORTED;
}
