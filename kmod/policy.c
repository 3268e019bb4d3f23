// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policies of new buffers. Scopes, innermost first: an open of /dev/heapsim, a
 * process tree, all buffers.
 *
 * rules_lock protects the policies of scopes; the policy of a buffer is
 * protected by its lock.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "buf.h"
#include "ctx.h"
#include "policy.h"
#include "trace.h"

/* Bounded, because each allocation checks all of them with a spinlock held. */
#define MAX_TREES	64
#define MAX_USERS_TREES	16	/* of one user without CAP_SYS_ADMIN */

/**
 * struct heapsim_tree - a process tree whose new buffers get a policy
 * @node: entry in trees, newest first
 * @tgid: root of the tree, with a reference
 * @uid: user that the tree counts for, from heapsim_limit_uid()
 * @is_privileged: does not count for the user
 * @rule: policy
 * @nr_ruled: number of buffers that got the policy
 */
struct heapsim_tree {
	struct list_head node;
	struct pid *tgid;
	kuid_t uid;
	bool is_privileged;
	struct heapsim_rule rule;
	u64 nr_ruled;
};

static DEFINE_SPINLOCK(rules_lock);	/* protects the variables below */
static struct heapsim_rule rule_of_all;
static LIST_HEAD(trees);

/**
 * heapsim_policy_init() - set the initial policy of all buffers
 * @rule: policy
 */
void heapsim_policy_init(const struct heapsim_rule *rule)
{
	rule_of_all = *rule;
}

/**
 * heapsim_policy_of_all() - get the policy of buffers outside of other scopes
 * @rule: out: policy
 */
void heapsim_policy_of_all(struct heapsim_rule *rule)
{
	spin_lock(&rules_lock);
	*rule = rule_of_all;
	spin_unlock(&rules_lock);
}

/* Returns the innermost tree that the calling process belongs to, or NULL. */
static struct heapsim_tree *policy_tree_of_current(void)
{
	struct heapsim_tree *tree, *nearest = NULL;
	int depth, least = INT_MAX;

	rcu_read_lock();
	list_for_each_entry(tree, &trees, node) {
		depth = heapsim_tree_depth(current, tree->tgid);
		if (depth >= 0 && depth < least) {
			nearest = tree;
			least = depth;
		}
	}
	rcu_read_unlock();
	return nearest;
}

/**
 * heapsim_policy_give() - set the policy of a new buffer
 * @buf: buffer without other users, with its id
 * @ctx: open of /dev/heapsim that allocates it, or NULL
 */
void heapsim_policy_give(struct heapsim_buf *buf, struct heapsim_ctx *ctx)
{
	struct heapsim_tree *tree;
	u64 nr = buf->id;

	spin_lock(&rules_lock);
	buf->rule = rule_of_all;
	if (ctx && ctx->has_rule) {
		buf->rule = ctx->rule;
		nr = ++ctx->nr_ruled;
	} else if (!list_empty(&trees)) {
		tree = policy_tree_of_current();
		if (tree) {
			buf->rule = tree->rule;
			nr = ++tree->nr_ruled;
		}
	}
	spin_unlock(&rules_lock);
	line_seed(&buf->lines, buf->rule.seed, nr);
	buf->has_two_views = buf->is_noncoherent &&
			     buf->rule.policy != HEAPSIM_POLICY_OFF;
}

/**
 * heapsim_policy_set_of_context() - set the policy of the buffers that an open
 *	will allocate
 * @ctx: open of /dev/heapsim
 * @rule: policy
 */
void heapsim_policy_set_of_context(struct heapsim_ctx *ctx,
				   const struct heapsim_rule *rule)
{
	spin_lock(&rules_lock);
	ctx->rule = *rule;
	ctx->nr_ruled = 0;
	ctx->has_rule = true;
	trace_heapsim_policy(HEAPSIM_POLICY_OF_CONTEXT, 0,
			     task_tgid_nr(current), rule);
	spin_unlock(&rules_lock);
}

static bool policy_has_room(const struct heapsim_tree *fresh)
{
	const struct heapsim_tree *tree;
	unsigned int nr = 0, nr_same = 0;

	list_for_each_entry(tree, &trees, node) {
		nr++;
		nr_same += !tree->is_privileged &&
			   uid_eq(tree->uid, fresh->uid);
	}
	return nr < MAX_TREES &&
	       (fresh->is_privileged || nr_same < MAX_USERS_TREES);
}

static void policy_tree_free(struct heapsim_tree *tree)
{
	if (!tree)
		return;
	put_pid(tree->tgid);
	kfree(tree);
}

/**
 * heapsim_policy_set_of_tree() - set the policy of the buffers that the calling
 *	process and its descendants will allocate
 * @ctx: open of /dev/heapsim; the policy ends when it is closed
 * @rule: policy
 *
 * Return: 0, -EBUSY if there are too many trees, -ENOMEM.
 */
int heapsim_policy_set_of_tree(struct heapsim_ctx *ctx,
			       const struct heapsim_rule *rule)
{
	struct heapsim_tree *tree, *old;

	tree = kzalloc(sizeof(*tree), HEAPSIM_GFP_USER);
	if (!tree)
		return -ENOMEM;
	tree->tgid = get_pid(task_tgid(current));
	tree->uid = heapsim_limit_uid();
	tree->is_privileged = ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
	tree->rule = *rule;
	spin_lock(&rules_lock);
	old = ctx->tree;
	if (!old && !policy_has_room(tree)) {
		spin_unlock(&rules_lock);
		policy_tree_free(tree);
		return -EBUSY;
	}
	if (old)
		list_del(&old->node);
	list_add(&tree->node, &trees);
	ctx->tree = tree;
	trace_heapsim_policy(HEAPSIM_POLICY_OF_TREE, 0, pid_nr(tree->tgid),
			     rule);
	spin_unlock(&rules_lock);
	policy_tree_free(old);
	return 0;
}

/**
 * heapsim_policy_set_of_all() - set the policy of new buffers outside of other
 *	scopes
 * @rule: policy
 *
 * Return: 0, or -EPERM without CAP_SYS_ADMIN.
 */
int heapsim_policy_set_of_all(const struct heapsim_rule *rule)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	spin_lock(&rules_lock);
	rule_of_all = *rule;
	trace_heapsim_policy(HEAPSIM_POLICY_OF_ALL, 0, task_tgid_nr(current),
			     rule);
	spin_unlock(&rules_lock);
	return 0;
}

/**
 * heapsim_policy_forget() - remove the tree policy of an open
 * @ctx: open of /dev/heapsim that is closed
 */
void heapsim_policy_forget(struct heapsim_ctx *ctx)
{
	if (!ctx->tree)
		return;
	spin_lock(&rules_lock);
	list_del(&ctx->tree->node);
	trace_heapsim_policy(HEAPSIM_POLICY_OF_TREE, 0,
			     pid_nr(ctx->tree->tgid), NULL);
	spin_unlock(&rules_lock);
	policy_tree_free(ctx->tree);
}
