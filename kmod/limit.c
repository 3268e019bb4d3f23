// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits: how much DRAM all buffers, and those of one user, may have. Exported
 * memory cannot be charged to a memory cgroup, so this is what keeps one user
 * from taking it all. One lock for all of it.
 */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "heapsim.h"

/**
 * struct heapsim_user - what a user has
 * @node: in users
 * @uid: the user
 * @used: bytes; the entry goes when it falls to 0
 */
struct heapsim_user {
	struct list_head node;
	kuid_t uid;
	u64 used;
};

static DEFINE_MUTEX(limit_lock);	/* protects users and used */
static LIST_HEAD(users);
static u64 used;

static struct heapsim_user *user_find(kuid_t uid)
{
	struct heapsim_user *user;

	list_for_each_entry(user, &users, node)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/**
 * heapsim_limit_charge() - the calling user gets memory
 * @len: bytes, above 0
 *
 * Context: may sleep.
 * Return: the user, for heapsim_limit_uncharge(), or ERR_PTR(-ENOMEM): a limit
 * or what the machine has free would be exceeded.
 */
struct heapsim_user *heapsim_limit_charge(u64 len)
{
	struct heapsim_user *user, *fresh;

	if (len > heapsim_config.limit || len > heapsim_config.user_limit)
		return ERR_PTR(-ENOMEM);
	if (len >> PAGE_SHIFT > (u64)si_mem_available() +
				(heapsim_pool_bytes() >> PAGE_SHIFT))
		return ERR_PTR(-ENOMEM);
	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL);
	if (!fresh)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&limit_lock);
	user = user_find(current_uid());
	if (used + len > heapsim_config.limit ||
	    (user && user->used + len > heapsim_config.user_limit)) {
		user = ERR_PTR(-ENOMEM);
	} else {
		if (!user) {
			user = fresh;
			fresh = NULL;
			user->uid = current_uid();
			list_add(&user->node, &users);
		}
		user->used += len;
		used += len;
	}
	mutex_unlock(&limit_lock);
	kfree(fresh);
	return user;
}

/**
 * heapsim_limit_uncharge() - memory is given back
 * @user: from heapsim_limit_charge()
 * @len: as there
 */
void heapsim_limit_uncharge(struct heapsim_user *user, u64 len)
{
	mutex_lock(&limit_lock);
	used -= len;
	user->used -= len;
	if (!user->used) {
		list_del(&user->node);
		kfree(user);
	}
	mutex_unlock(&limit_lock);
}

/**
 * heapsim_limit_used() - DRAM of all live buffers
 *
 * Return: bytes.
 */
u64 heapsim_limit_used(void)
{
	u64 ret;

	mutex_lock(&limit_lock);
	ret = used;
	mutex_unlock(&limit_lock);
	return ret;
}
