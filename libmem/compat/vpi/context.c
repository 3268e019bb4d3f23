// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Contexts: the backends of the board, and those that a thread's objects may
 * use. All contexts share the memory of the process's libmem context.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../compat.h"
#include "heapsim_vpi.h"
#include "vpi.h"

/**
 * struct entry - a context on a thread's stack
 * @ctx: its handle; may have been destroyed
 * @id: id of the context when it was pushed
 */
struct entry {
	VPIContext ctx;
	uint64_t id;
};

/**
 * struct live - a context that exists
 * @ctx: context
 * @next: next context
 */
struct live {
	struct VPIContextImpl *ctx;
	struct live *next;
};

static __thread struct entry stack[VPI_STACK_MAX];
static __thread unsigned int nr_entries;

/* Protects the variables below. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mem_ctx *mem_ctx;
static struct mem_board board;
static uint64_t available;
static uint64_t next_id = 1;
static struct live *lives;
static struct VPIContextImpl global = {
	.objects = { .prev = &global.objects, .next = &global.objects },
};

static const struct {
	uint64_t backend;
	uint64_t use;
	const char *name;
} backends[] = {
	{ VPI_BACKEND_CPU, MEM_USE_CPU, "CPU" },
	{ VPI_BACKEND_CUDA, 1ULL << MEM_ENGINE_GPU, "CUDA" },
	{ VPI_BACKEND_PVA, 1ULL << MEM_ENGINE_PVA, "PVA" },
	{ VPI_BACKEND_VIC, 1ULL << MEM_ENGINE_VIC, "VIC" },
	{ VPI_BACKEND_NVENC, 0, "NVENC" },
	{ VPI_BACKEND_OFA, 0, "OFA" },
};

#define NR_BACKENDS	(sizeof(backends) / sizeof(*backends))

/* The lock is held. */
static int context_open(void)
{
	struct mem_ctx *mem;
	int rc;

	if (mem_ctx)
		return 0;
	rc = compat_ctx_open(&mem);
	if (rc)
		return rc;
	board.size = sizeof(board);
	rc = mem_ctx_board(mem, MEM_ENGINE_GPU, &board);
	if (rc) {
		mem_ctx_close(mem);
		return rc;
	}
	available = VPI_BACKEND_CPU | VPI_BACKEND_CUDA;
	if (board.has_pva)
		available |= VPI_BACKEND_PVA;
	if (board.has_vic)
		available |= VPI_BACKEND_VIC;
	global.flags = available;
	mem_ctx = mem;
	return 0;
}

/**
 * vpi_mem() - return libmem's context
 * @mem: out: context
 *
 * Return: VPI_SUCCESS, or an error of vpi_errno().
 */
VPIStatus vpi_mem(struct mem_ctx **mem)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = context_open();
	pthread_mutex_unlock(&lock);
	if (rc)
		return vpi_fail(VPI_ERROR_INTERNAL,
				"libmem's context cannot be opened: %s",
				strerror(-rc));
	*mem = mem_ctx;
	return VPI_SUCCESS;
}

/**
 * vpi_board() - return the name of the board
 *
 * Only valid after vpi_mem().
 */
const char *vpi_board(void)
{
	return board.name;
}

/**
 * vpi_has_pageable_access() - return true if a GPU can access all memory
 *
 * Only valid after vpi_mem().
 */
bool vpi_has_pageable_access(void)
{
	return board.has_pageable_access;
}

/**
 * vpi_uses() - convert backends to libmem's users
 * @flags: backends; others are ignored
 *
 * Return: MEM_USE_*.
 */
uint64_t vpi_uses(uint64_t flags)
{
	uint64_t uses = 0;
	size_t i;

	for (i = 0; i < NR_BACKENDS; i++)
		if (flags & backends[i].backend)
			uses |= backends[i].use;
	return uses;
}

/**
 * vpi_backends_name() - list the names of backends
 * @flags: backends
 * @text: out: for example "CPU, CUDA"
 * @len: size of @text, bytes
 *
 * Return: @text.
 */
const char *vpi_backends_name(uint64_t flags, char *text, size_t len)
{
	size_t used = 0;
	size_t i;

	snprintf(text, len, "none");
	for (i = 0; i < NR_BACKENDS && used < len; i++)
		if (flags & backends[i].backend)
			used += snprintf(text + used, len - used, "%s%s",
					 used ? ", " : "", backends[i].name);
	return text;
}

/* Returns NULL if there is no such context. The lock is held. */
static struct VPIContextImpl *context_find(VPIContext handle)
{
	struct live *live;

	if (handle == VPI_GLOBAL_CONTEXT)
		return &global;
	for (live = lives; live; live = live->next)
		if (live->ctx == handle)
			return live->ctx;
	return NULL;
}

/**
 * vpi_current() - return the context of the thread
 * @ctx: out: context
 *
 * Return: VPI_SUCCESS, VPI_ERROR_INVALID_CONTEXT (it was destroyed), or an
 * error of vpi_mem().
 */
VPIStatus vpi_current(struct VPIContextImpl **ctx)
{
	struct VPIContextImpl *found = &global;
	const struct entry *top;
	struct mem_ctx *mem;
	VPIStatus status;

	status = vpi_mem(&mem);
	if (status)
		return status;
	if (nr_entries) {
		top = &stack[nr_entries - 1];
		pthread_mutex_lock(&lock);
		found = context_find(top->ctx);
		if (found && found->id != top->id)
			found = NULL;
		pthread_mutex_unlock(&lock);
	}
	if (!found)
		return vpi_fail(VPI_ERROR_INVALID_CONTEXT,
				"the current context was destroyed");
	*ctx = found;
	return VPI_SUCCESS;
}

/**
 * vpi_flags() - check the flags of an object and add default backends
 * @ctx: context that will own the object
 * @flags: in: as passed by the program; out: with backends, all enabled in @ctx
 * @allowed: flags that are valid in addition to backends
 * @added: backends that the object always has
 *
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION.
 */
VPIStatus vpi_flags(struct VPIContextImpl *ctx, uint64_t *flags,
		    uint64_t allowed, uint64_t added)
{
	uint64_t asked = *flags & VPI_BACKEND_ALL;
	uint64_t enabled = ctx->flags & VPI_BACKEND_ALL;
	char text[48];

	asked |= *flags & VPI_BACKEND_NVENC;
	if (*flags & ~(VPI_BACKEND_ALL | VPI_BACKEND_NVENC | allowed))
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"flags 0x%llx have no meaning here",
				(unsigned long long)*flags);
	if (*flags & VPI_REQUIRE_BACKENDS) {
		if (!asked)
			return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
					"VPI_REQUIRE_BACKENDS needs backends");
		if (asked & ~enabled)
			goto err_disabled;
	}
	if (added & ~enabled) {
		asked = added;
		goto err_disabled;
	}
	if (asked && !((asked | added) & enabled))
		goto err_disabled;
	if (!asked)
		asked = enabled;
	*flags = (*flags & allowed) | ((asked | added) & enabled);
	return VPI_SUCCESS;

err_disabled:
	return vpi_fail(VPI_ERROR_INVALID_OPERATION,
			"the current context has not enabled: %s",
			vpi_backends_name(asked & ~enabled, text,
					  sizeof(text)));
}

VPI_PUBLIC VPIStatus heapsim_vpi_ctx(struct mem_ctx **ctx)
{
	VPI_ENTER();
	if (!ctx)
		return vpi_null("ctx");
	return vpi_mem(ctx);
}

VPI_PUBLIC VPIStatus vpiContextCreate(uint64_t flags, VPIContext *ctx)
{
	const uint64_t all = VPI_BACKEND_ALL | VPI_BACKEND_NVENC;
	struct VPIContextImpl *new;
	struct mem_ctx *mem;
	struct live *live;
	VPIStatus status;
	char text[48];

	VPI_ENTER();
	if (!ctx)
		return vpi_null("ctx");
	if (flags & ~(all | VPI_OBJECT_FLAGS))
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"flags 0x%llx have no meaning here",
				(unsigned long long)flags);
	if (flags & VPI_REQUIRE_BACKENDS && !(flags & all))
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"VPI_REQUIRE_BACKENDS needs backends");
	status = vpi_mem(&mem);
	if (status)
		return status;
	if (flags & all & ~available)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION, "%s lacks: %s",
				board.name,
				vpi_backends_name(flags & all & ~available,
						  text, sizeof(text)));
	if (!(flags & all))
		flags |= available;
	new = calloc(1, sizeof(*new));
	live = calloc(1, sizeof(*live));
	if (!new || !live) {
		free(new);
		free(live);
		return vpi_rc(-ENOMEM, "the context");
	}
	new->flags = flags;
	new->objects.prev = &new->objects;
	new->objects.next = &new->objects;
	live->ctx = new;
	pthread_mutex_lock(&lock);
	new->id = next_id++;
	live->next = lives;
	lives = live;
	pthread_mutex_unlock(&lock);
	*ctx = new;
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiContextCreateWrapperCUDA(uint64_t flags,
						 CUcontext cudaCtx,
						 VPIContext *ctx)
{
	VPI_ENTER();
	if (!cudaCtx)
		return vpi_null("cudaCtx");
	return vpiContextCreate(flags, ctx);
}

VPI_PUBLIC void vpiContextDestroy(VPIContext ctx)
{
	struct live **at;
	struct live *live;

	if (!ctx || ctx == VPI_GLOBAL_CONTEXT)
		return;
	pthread_mutex_lock(&lock);
	for (at = &lives; *at; at = &(*at)->next)
		if ((*at)->ctx == ctx)
			break;
	live = *at;
	if (live)
		*at = live->next;
	pthread_mutex_unlock(&lock);
	if (!live)
		return;
	if (nr_entries && stack[nr_entries - 1].ctx == ctx &&
	    stack[nr_entries - 1].id == live->ctx->id)
		nr_entries--;
	vpi_objects_drop(live->ctx);
	free(live->ctx);
	free(live);
}

VPI_PUBLIC VPIStatus vpiContextGetCurrent(VPIContext *ctx)
{
	struct VPIContextImpl *found;
	VPIStatus status;

	VPI_ENTER();
	if (!ctx)
		return vpi_null("ctx");
	status = vpi_current(&found);
	if (!status)
		*ctx = found == &global ? VPI_GLOBAL_CONTEXT : found;
	return status;
}

static VPIStatus context_entry(VPIContext ctx, VPIStatus refusal,
			       struct entry *entry)
{
	struct VPIContextImpl *found;
	struct mem_ctx *mem;
	VPIStatus status;

	if (!ctx)
		return vpi_null("ctx");
	status = vpi_mem(&mem);
	if (status)
		return status;
	pthread_mutex_lock(&lock);
	found = context_find(ctx);
	if (found) {
		entry->ctx = ctx;
		entry->id = found->id;
	}
	pthread_mutex_unlock(&lock);
	if (!found)
		return vpi_fail(refusal,
				"ctx is no context, or was destroyed");
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiContextSetCurrent(VPIContext ctx)
{
	struct entry entry;
	VPIStatus status;

	VPI_ENTER();
	status = context_entry(ctx, VPI_ERROR_INVALID_ARGUMENT, &entry);
	if (status)
		return status;
	if (!nr_entries)
		nr_entries = 1;
	stack[nr_entries - 1] = entry;
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiContextPush(VPIContext ctx)
{
	struct entry entry;
	VPIStatus status;

	VPI_ENTER();
	status = context_entry(ctx, VPI_ERROR_INVALID_CONTEXT, &entry);
	if (status)
		return status;
	if (nr_entries == VPI_STACK_MAX)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"the thread has %d contexts already",
				VPI_STACK_MAX);
	stack[nr_entries++] = entry;
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiContextPop(VPIContext *ctx)
{
	VPI_ENTER();
	if (!nr_entries)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"the thread has set no context");
	nr_entries--;
	if (ctx)
		*ctx = stack[nr_entries].ctx;
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiContextGetFlags(VPIContext ctx, uint64_t *flags)
{
	struct VPIContextImpl *found;
	struct mem_ctx *mem;
	VPIStatus status;

	VPI_ENTER();
	if (!ctx)
		return vpi_null("ctx");
	if (!flags)
		return vpi_null("flags");
	status = vpi_mem(&mem);
	if (status)
		return status;
	pthread_mutex_lock(&lock);
	found = context_find(ctx);
	if (found)
		*flags = found->flags;
	pthread_mutex_unlock(&lock);
	if (!found)
		return vpi_fail(VPI_ERROR_INVALID_CONTEXT,
				"ctx is no context, or was destroyed");
	return VPI_SUCCESS;
}
