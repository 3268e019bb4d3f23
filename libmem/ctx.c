// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: contexts. The count of users is atomic, the list of orphaned jobs is
 * under the context's lock (job.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

struct mem_ctx *ctx_get(struct mem_ctx *ctx)
{
	atomic_fetch_add_explicit(&ctx->nr_users, 1, memory_order_relaxed);
	return ctx;
}

void ctx_put(struct mem_ctx *ctx)
{
	struct mem_job *job;

	if (atomic_fetch_sub_explicit(&ctx->nr_users, 1,
				      memory_order_acq_rel) != 1)
		return;
	while ((job = ctx->orphans)) {
		ctx->orphans = job->next;
		free(job);
	}
	close(ctx->fd);
	pthread_mutex_destroy(&ctx->lock);
	free(ctx);
}

API int mem_ctx_open(const struct mem_ctx_options *options,
		     struct mem_ctx **ctx)
{
	struct mem_probe probe = { .size = sizeof(probe) };
	struct mem_ctx *new;
	int err;

	if (options || !ctx)
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	err = kernel_open(&new->fd);
	if (err)
		goto err_free;
	err = kernel_probe(new->fd, &probe);
	if (err)
		goto err_close;
	if (probe.abi_version < 1) {
		err = -EPROTO;
		goto err_close;
	}
	pthread_mutex_init(&new->lock, NULL);
	atomic_init(&new->nr_users, 1);
	*ctx = new;
	return 0;

err_close:
	close(new->fd);
err_free:
	free(new);
	return err;
}

API void mem_ctx_close(struct mem_ctx *ctx)
{
	if (ctx)
		ctx_put(ctx);
}

API int mem_ctx_probe(struct mem_ctx *ctx, struct mem_probe *probe)
{
	struct mem_probe all = { .size = sizeof(all) };
	uint32_t size;
	int err;

	if (!ctx || !probe || probe->size < sizeof(all))
		return -EINVAL;
	err = kernel_probe(ctx->fd, &all);
	if (err)
		return err;
	size = probe->size;
	memcpy(probe, &all, sizeof(all));
	probe->size = size;
	return 0;
}
