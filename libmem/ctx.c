// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: contexts, and which backend they have. The count of users is atomic;
 * all else never changes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct mem_ctx *ctx_get(struct mem_ctx *ctx)
{
	atomic_fetch_add_explicit(&ctx->nr_users, 1, memory_order_relaxed);
	return ctx;
}

void ctx_put(struct mem_ctx *ctx)
{
	if (atomic_fetch_sub_explicit(&ctx->nr_users, 1,
				      memory_order_acq_rel) == 1)
		ctx->backend->close(ctx);
}

/* A longer struct of a newer caller may say nothing that is not known here. */
static int options_check(const struct mem_ctx_options *options)
{
	const unsigned char *tail = (const unsigned char *)options;
	size_t i;

	if (options->size < sizeof(*options))
		return -EINVAL;
	for (i = sizeof(*options); i < options->size; i++)
		if (tail[i])
			return -E2BIG;
	if (options->backend > MEM_BACKEND_KERNEL || options->reserved ||
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

/* What the caller leaves open the environment says. */
static int options_complete(struct mem_ctx_options *all)
{
	const char *soc = getenv("LIBMEM_SOC");

	if (!all->soc[0] && soc) {
		if (strlen(soc) >= sizeof(all->soc))
			return -EINVAL;
		strcpy(all->soc, soc);
	}
	if (all->backend != MEM_BACKEND_AUTO)
		return 0;
	return backend_named(getenv("LIBMEM_BACKEND"), &all->backend);
}

API int mem_ctx_open(const struct mem_ctx_options *options,
		     struct mem_ctx **ctx)
{
	struct mem_ctx_options all = { .size = sizeof(all) };
	int err;

	if (!ctx)
		return -EINVAL;
	if (options) {
		err = options_check(options);
		if (err)
			return err;
		memcpy(&all, options, sizeof(all));
	}
	err = options_complete(&all);
	if (err)
		return err;
	if (all.backend == MEM_BACKEND_EMBEDDED)
		return embedded_backend.open(&all, ctx);
	err = kernel_backend.open(&all, ctx);
	/* No module, or a node that one has left behind. */
	if (all.backend == MEM_BACKEND_AUTO &&
	    (err == -ENOENT || err == -ENXIO || err == -ENODEV))
		err = embedded_backend.open(&all, ctx);
	return err;
}

API void mem_ctx_close(struct mem_ctx *ctx)
{
	if (ctx)
		ctx_put(ctx);
}

API int mem_ctx_probe(struct mem_ctx *ctx, struct mem_probe *probe)
{
	struct mem_probe all = { 0 };
	uint32_t size;
	int err;

	if (!ctx || !probe || probe->size < sizeof(all))
		return -EINVAL;
	err = ctx->backend->probe(ctx, &all);
	if (err)
		return err;
	size = probe->size;
	memcpy(probe, &all, sizeof(all));
	probe->size = size;
	return 0;
}

API int mem_ctx_watch(struct mem_ctx *ctx, unsigned int what, uint32_t nr)
{
	if (!ctx || !what || what & ~(MEM_WATCH_ERRORS | MEM_WATCH_WASTE) ||
	    !nr || nr > MEM_WATCH_MAX)
		return -EINVAL;
	return ctx->backend->watch(ctx, what, nr);
}

API int mem_ctx_next_violation(struct mem_ctx *ctx,
			       struct mem_violation *violation)
{
	struct mem_violation all = { 0 };
	uint32_t size;
	int ret;

	if (!ctx || !violation || violation->size < sizeof(all))
		return -EINVAL;
	ret = ctx->backend->next_violation(ctx, &all);
	if (ret <= 0)
		return ret;
	size = violation->size;
	memcpy(violation, &all, sizeof(all));
	violation->size = size;
	return ret;
}

API const char *mem_violation_name(enum mem_violation_kind kind)
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
	};

	if ((size_t)kind >= sizeof(names) / sizeof(*names))
		return "unknown";
	return names[kind];
}
