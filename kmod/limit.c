// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits: how much DRAM all buffers, and those of one user, may have, and how
 * many objects of contexts. Exported memory cannot be charged to a memory
 * cgroup, so this is what keeps one user from taking it all. One lock for all
 * of it.
 */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "heapsim.h"

#define MAX_OBJECTS	262144	/* of a user: some 64 MiB */

/**
 * struct heapsim_user - what a user has
 * @node: in users
 * @uid: the user
 * @used: bytes
 * @nr_contexts: opens; the entry goes when this and @used fall to 0
 * @nr_objects: of all these contexts
 */
struct heapsim_user {
	struct list_head node;
	kuid_t uid;
	u64 used;
	u64 nr_contexts;
	atomic_t nr_objects;
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

/* The calling user's entry, which may be the fresh one. */
static struct heapsim_user *user_get(struct heapsim_user **fresh)
{
	struct heapsim_user *user = user_find(current_uid());

	if (user)
		return user;
	user = *fresh;
	*fresh = NULL;
	user->uid = current_uid();
	list_add(&user->node, &users);
	return user;
}

static void user_settle(struct heapsim_user *user)
{
	if (user->used || user->nr_contexts)
		return;
	list_del(&user->node);
	kfree(user);
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
		user = user_get(&fresh);
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
	user_settle(user);
	mutex_unlock(&limit_lock);
}

/**
 * heapsim_limit_user_get() - the calling user gets a context
 *
 * Context: may sleep.
 * Return: the user, for heapsim_limit_user_put(), or NULL without memory.
 */
struct heapsim_user *heapsim_limit_user_get(void)
{
	struct heapsim_user *user, *fresh;

	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL);
	if (!fresh)
		return NULL;
	mutex_lock(&limit_lock);
	user = user_get(&fresh);
	user->nr_contexts++;
	mutex_unlock(&limit_lock);
	kfree(fresh);
	return user;
}

/**
 * heapsim_limit_user_put() - the context and its objects are gone
 * @user: from heapsim_limit_user_get()
 */
void heapsim_limit_user_put(struct heapsim_user *user)
{
	mutex_lock(&limit_lock);
	user->nr_contexts--;
	user_settle(user);
	mutex_unlock(&limit_lock);
}

/**
 * heapsim_limit_object_add() - a context of the user gets an object
 * @user: of the context
 *
 * Return: false: it has too many.
 */
bool heapsim_limit_object_add(struct heapsim_user *user)
{
	return atomic_add_unless(&user->nr_objects, 1, MAX_OBJECTS);
}

/**
 * heapsim_limit_object_del() - the object is gone
 * @user: of the context
 */
void heapsim_limit_object_del(struct heapsim_user *user)
{
	atomic_dec(&user->nr_objects);
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
