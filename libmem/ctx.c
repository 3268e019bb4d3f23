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
