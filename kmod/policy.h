/* SPDX-License-Identifier: GPL-2.0-only */
/* Policies that new buffers get. */
#ifndef HEAPSIM_POLICY_H
#define HEAPSIM_POLICY_H

#include "heapsim.h"

struct heapsim_buf;
struct heapsim_ctx;

void heapsim_policy_init(const struct heapsim_rule *rule);
void heapsim_policy_of_all(struct heapsim_rule *rule);
void heapsim_policy_give(struct heapsim_buf *buf, struct heapsim_ctx *ctx);
void heapsim_policy_set_of_context(struct heapsim_ctx *ctx,
				   const struct heapsim_rule *rule);
int heapsim_policy_set_of_tree(struct heapsim_ctx *ctx,
			       const struct heapsim_rule *rule);
int heapsim_policy_set_of_all(const struct heapsim_rule *rule);
void heapsim_policy_forget(struct heapsim_ctx *ctx);

#endif
