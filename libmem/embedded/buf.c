// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Buffers of the embedded backend: their life, references and lock. What they
 * contain belongs to the other files of this folder.
 */
#include <stdlib.h>

#include "embedded.h"

static atomic_ullong last_id;

static bool buf_has_two_views(const struct embedded_ctx *ctx,
			      enum mem_kind kind)
{
	if (ctx->policy == MEM_POLICY_OFF || engine_is_inline())
		return false;
	return kind == MEM_KIND_NONCOHERENT ||
	       (kind == MEM_KIND_MANAGED && !ctx->base.board->is_io_coherent);
}

/**
 * embedded_buf_create() - create a buffer without memory in the window
 * @ctx: context
 * @kind: never MEM_KIND_SYSTEM
 * @len: bytes, rounded up to pages
 *
 * Return: the buffer, with one reference, or NULL.
 */
struct embedded_buf *embedded_buf_create(struct embedded_ctx *ctx,
					 enum mem_kind kind, uint64_t len)
{
	const uint64_t page_size = 1ULL << window_page_shift();
	const uint64_t nr_pages = (len + page_size - 1) >> window_page_shift();
	struct embedded_buf *buf = calloc(1, sizeof(*buf));

	if (!buf)
		return NULL;
	buf_init(&buf->base, kind, nr_pages << window_page_shift());
	pthread_mutex_init(&buf->lock, NULL);
	atomic_init(&buf->nr_users, 1);
	buf->has_two_views = buf_has_two_views(ctx, kind);
	buf->fill = ctx->fill;
	buf->nr_pages = nr_pages;
	buf->file = OWN_FD_NONE;
	if (buf->has_two_views)
		line_seed(&buf->lines, ctx->seed,
			  atomic_fetch_add(&ctx->nr_made, 1) + 1);
	buf->id = atomic_fetch_add(&last_id, 1) + 1;
	return buf;
}

/**
 * embedded_buf_destroy() - undo embedded_buf_create()
 * @buf: buffer without memory in the window
 */
void embedded_buf_destroy(struct embedded_buf *buf)
{
	own_fd_close(&buf->file);
	pthread_mutex_destroy(&buf->lock);
	free(buf);
}

/**
 * embedded_buf_put() - drop a reference
 * @buf: buffer; the last reference frees it
 *
 * Context: no lock held but the scheduler's.
 */
void embedded_buf_put(struct embedded_buf *buf)
{
	sigset_t old;

	if (atomic_fetch_sub(&buf->nr_users, 1) != 1)
		return;
	signals_block(&old);
	if (!window_is_forked())
		window_free(buf);
	if (buf->has_two_views)
		view_fini(buf);
	embedded_buf_destroy(buf);
	signals_restore(&old);
}

/**
 * buf_lock() - lock a buffer
 * @buf: buffer
 * @old: out: the previous signal mask, for buf_unlock()
 */
void buf_lock(struct embedded_buf *buf, sigset_t *old)
{
	signals_block(old);
	pthread_mutex_lock(&buf->lock);
}

/**
 * buf_unlock() - unlock a buffer
 * @buf: buffer
 * @old: from buf_lock()
 */
void buf_unlock(struct embedded_buf *buf, const sigset_t *old)
{
	pthread_mutex_unlock(&buf->lock);
	signals_restore(old);
}
