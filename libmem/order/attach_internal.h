/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Managed memory: declarations that the files of the model of attach.h share.
 */
#ifndef _LIBMEM_ORDER_ATTACH_INTERNAL_H
#define _LIBMEM_ORDER_ATTACH_INTERNAL_H

#include "attach.h"

#define of_link(link, type, member) \
	((type *)((char *)(link) - offsetof(type, member)))

/* Returns the operation at a link of its stream's queue, or of the pool. */
static inline struct attach_op *attach_op_of(struct attach_link *in_stream)
{
	return of_link(in_stream, struct attach_op, in_stream);
}

/* Returns the operation at a link of a buffer's states. */
static inline struct attach_op *attach_state_op(struct attach_link *in_buf)
{
	return of_link(in_buf, struct attach_op, in_buf);
}

/* Returns the claim at a link of a state's claims. */
static inline struct attach_claim *
attach_claim_of(struct attach_link *in_claims)
{
	return of_link(in_claims, struct attach_claim, in_claims);
}

/* Returns the buffer that a member of a group belongs to. */
static inline struct attach_buf *attach_buf_of(struct right_buf *right)
{
	return of_link(right, struct attach_buf, right);
}

static inline bool attach_is_null(const struct attach_ctx *ctx,
				  const struct attach_stream *s)
{
	return s == &ctx->null_stream;
}

/* attach_op.c */
void attach_recheck_later(struct attach_ctx *ctx, struct attach_stream *s);
void attach_stream_get(struct attach_stream *s);
void attach_stream_put(struct attach_ctx *ctx, struct attach_stream *s);
void attach_op_drop(struct attach_ctx *ctx, struct attach_op *op);
u64 attach_null_now(const struct attach_ctx *ctx,
		    const struct attach_stream *s);
u64 attach_take_ticket(struct attach_ctx *ctx, struct attach_stream *s);
struct attach_point attach_point_now(const struct attach_ctx *ctx,
				     struct attach_stream *s);
struct attach_op *attach_op_submit(struct attach_ctx *ctx,
				   struct attach_stream *s,
				   enum attach_op_kind kind);
struct attach_op *attach_queue_first(const struct attach_ctx *ctx,
				     struct attach_queue *queue,
				     enum attach_op_kind kind);
void attach_search(struct attach_ctx *ctx, const struct attach_point *point,
		   struct attach_op **host);
void attach_search_all(struct attach_ctx *ctx,
		       const struct attach_point *point);
struct attach_op *attach_point_held(struct attach_ctx *ctx,
				    const struct attach_point *point);
void attach_find_held(struct attach_ctx *ctx);
bool attach_is_reached(const struct attach_ctx *ctx,
		       const struct attach_op *op);
bool attach_is_reached_whole(const struct attach_ctx *ctx,
			     const struct attach_op *op);
struct attach_link *attach_domain_place(struct attach_ctx *ctx, u64 at);
struct attach_op *attach_state_at_end(struct attach_ctx *ctx,
				      struct attach_stream *s,
				      struct attach_link *at);

/* attach_state.c */
void attach_buf_join(struct attach_ctx *ctx, struct attach_buf *buf);
void attach_buf_list_newest(struct attach_buf *buf);
void attach_buf_set_base(struct attach_ctx *ctx, struct attach_buf *buf,
			 struct attach_state state, struct attach_op *until);
void attach_buf_settle(struct attach_ctx *ctx, struct attach_buf *buf);
void attach_may_be_dirty(struct attach_ctx *ctx, struct right_buf *buf);
struct attach_op *attach_stream_work(struct attach_stream *s);
u32 attach_gpu_clean(const struct attach_ctx *ctx);
const struct attach_state *attach_forbids_cpu(struct attach_ctx *ctx,
					      const struct attach_buf *buf);
void attach_buf_update(struct attach_ctx *ctx, struct attach_buf *buf);
void attach_buf_change(struct attach_ctx *ctx, struct attach_buf *buf,
		       struct attach_state state, struct attach_op *op);

/* attach_update.c */
void attach_stream_unwatch(struct attach_stream *s);
void attach_end_call(struct attach_ctx *ctx);
void attach_queue_known(struct attach_ctx *ctx, struct attach_queue *queue,
			u64 at);
void attach_reached_known(struct attach_ctx *ctx);
int attach_point_known(struct attach_ctx *ctx,
		       const struct attach_point *point);

#endif
