// SPDX-License-Identifier: GPL-2.0-only
/*
 * Policies: which one a new buffer gets, and those of live ones. What they are
 * of, from the inside out: an open of /dev/heapsim, a tree of processes, all.
 *
 * rules_lock protects which there are; a buffer's own is under its lock.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "heapsim.h"
#include "trace.h"

/* Each allocation looks at all of them, under a spinlock. */
#define MAX_TREES	64
#define MAX_USERS_TREES	16	/* of one user without CAP_SYS_ADMIN */

/* Multiplied by a buffer's number: neighbours have unlike random states. */
#define GOLDEN		0x9e3779b97f4a7c15ULL

/**
 * struct heapsim_tree - a tree of processes whose buffers get a policy
 * @node: in trees, the newest first
 * @tgid: its uppermost process, referenced
 * @uid: for whom it counts, from heapsim_limit_uid()
 * @is_privileged: it does not count for that user
 * @rule: the policy
 * @nr_ruled: how many buffers got it
 */
struct heapsim_tree {
	struct list_head node;
	struct pid *tgid;
	kuid_t uid;
	bool is_privileged;
	struct heapsim_rule rule;
	u64 nr_ruled;
};

static DEFINE_SPINLOCK(rules_lock);	/* protects what follows */
static struct heapsim_rule rule_of_all;
static LIST_HEAD(trees);

/**
 * heapsim_policy_init() - what the module begins with
 * @rule: it
 */
void heapsim_policy_init(const struct heapsim_rule *rule)
{
	rule_of_all = *rule;
}

/**
 * heapsim_policy_of_all() - what a buffer gets that nothing else decides
 * @rule: out
 */
void heapsim_policy_of_all(struct heapsim_rule *rule)
{
	spin_lock(&rules_lock);
	*rule = rule_of_all;
	spin_unlock(&rules_lock);
}

/* The nearest tree that the calling process is in, or NULL. */
static struct heapsim_tree *tree_of_current(void)
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
 * heapsim_policy_give() - give a new buffer its policy
 * @buf: buffer that nobody has yet, with its id
 * @ctx: open of /dev/heapsim that allocates it, NULL none
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
		tree = tree_of_current();
		if (tree) {
			buf->rule = tree->rule;
			nr = ++tree->nr_ruled;
		}
	}
	spin_unlock(&rules_lock);
	buf->random = buf->rule.seed ^ nr * GOLDEN;
	buf->has_two_views = buf->is_noncoherent &&
			     buf->rule.policy != HEAPSIM_POLICY_OFF;
}

static int set_of_buf(int fd, const struct heapsim_rule *rule)
{
	struct heapsim_buf *buf;
	struct dma_buf *dmabuf;
	bool has_two_views;
	int ret = 0;

	dmabuf = dma_buf_get(fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	buf = heapsim_buf_of(dmabuf);
	if (!buf)
		ret = -EOPNOTSUPP;
	else if (!capable(CAP_SYS_ADMIN))
		ret = -EPERM;
	if (ret)
		goto out_put;
	has_two_views = buf->is_noncoherent &&
			rule->policy != HEAPSIM_POLICY_OFF;
	ret = mutex_lock_killable(&buf->lock);
	if (ret)
		goto out_put;
	if (has_two_views)
		ret = heapsim_dram_reserve_images(buf);
	/* What eviction does hangs on touches that are seen. */
	if (!ret)
		ret = heapsim_ptes_revoke_all(buf);
	if (!ret && has_two_views != buf->has_two_views)
		ret = heapsim_buf_switch_views(buf);
	if (!ret) {
		/* Faults and steps look at some of it without the lock. */
		WRITE_ONCE(buf->rule.policy, rule->policy);
		WRITE_ONCE(buf->rule.is_precise, rule->is_precise);
		buf->rule.evicts = rule->evicts;
		buf->rule.seed = rule->seed;
		buf->random = rule->seed;
		trace_heapsim_policy(HEAPSIM_POLICY_OF_BUF, buf->id,
				     task_tgid_nr(current), rule);
	}
	mutex_unlock(&buf->lock);
out_put:
	dma_buf_put(dmabuf);
	return ret;
}

static void set_of_context(struct heapsim_ctx *ctx,
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

static bool has_room(const struct heapsim_tree *fresh)
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

static void tree_free(struct heapsim_tree *tree)
{
	if (!tree)
		return;
	put_pid(tree->tgid);
	kfree(tree);
}

static int set_of_tree(struct heapsim_ctx *ctx, const struct heapsim_rule *rule)
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
	if (!old && !has_room(tree)) {
		spin_unlock(&rules_lock);
		tree_free(tree);
		return -EBUSY;
	}
	if (old)
		list_del(&old->node);
	list_add(&tree->node, &trees);
	ctx->tree = tree;
	trace_heapsim_policy(HEAPSIM_POLICY_OF_TREE, 0, pid_nr(tree->tgid),
			     rule);
	spin_unlock(&rules_lock);
	tree_free(old);
	return 0;
}

static int set_of_all(const struct heapsim_rule *rule)
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
 * heapsim_policy_set() - change what holds for a buffer, or for new ones
 * @ctx: open of /dev/heapsim
 * @cmd: command
 *
 * Return: 0, or what struct heapsim_set_policy says.
 */
int heapsim_policy_set(struct heapsim_ctx *ctx,
		       const struct heapsim_set_policy *cmd)
{
	const struct heapsim_rule rule = {
		.policy = cmd->policy,
		.evicts = cmd->evict_random,
		.is_precise = cmd->is_precise,
		.seed = cmd->seed,
	};

	if (cmd->scope < HEAPSIM_POLICY_OF_BUF ||
	    cmd->scope > HEAPSIM_POLICY_OF_ALL ||
	    (cmd->scope != HEAPSIM_POLICY_OF_BUF && cmd->fd != -1) ||
	    cmd->policy > HEAPSIM_POLICY_OFF || cmd->evict_random > 1 ||
	    cmd->is_precise > 1)
		return -EINVAL;
	if (cmd->is_precise && !heapsim_can_step())
		return -EOPNOTSUPP;
	switch (cmd->scope) {
	case HEAPSIM_POLICY_OF_BUF:
		return set_of_buf(cmd->fd, &rule);
	case HEAPSIM_POLICY_OF_CONTEXT:
		set_of_context(ctx, &rule);
		return 0;
	case HEAPSIM_POLICY_OF_TREE:
		return set_of_tree(ctx, &rule);
	default:
		return set_of_all(&rule);
	}
}

/**
 * heapsim_policy_forget() - an open that set a policy of a tree ends
 * @ctx: open of /dev/heapsim
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
	tree_free(ctx->tree);
}
