// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits: how much memory all buffers, and those of one user, may take, and how
 * many opens and objects a user may have. They bound what no memory cgroup is
 * charged for: pages that wait in pools, and what the core allocates for
 * dma-bufs, attachments and fences. One lock for all of it.
 */
#include <linux/cred.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "limit.h"
#include "pool.h"

#define MAX_OBJECTS	262144	/* of a user: some 64 MiB */
#define MAX_OPENS	1024	/* of a user */

/**
 * struct heapsim_user - what a user has
 * @node: in users
 * @uid: the user
 * @refs: opens, objects and charges; the last one frees
 * @used: bytes, with what is reserved
 * @nr_opens: opens of /dev/heapsim
 * @nr_objects: of all these opens
 */
struct heapsim_user {
	struct list_head node;
	kuid_t uid;
	struct kref refs;
	u64 used;
	atomic_t nr_opens;
	atomic_t nr_objects;
};

static DEFINE_MUTEX(limit_lock);	/* protects users and used */
static LIST_HEAD(users);
static u64 used;
static u64 reserved;	/* of used */

/**
 * heapsim_limit_uid() - whom the calling task's memory and objects count for
 *
 * A user namespace has as many uids as its owner was given, so what they have
 * counts for the owner: outside of namespaces that is one uid.
 *
 * Return: a uid of the initial user namespace.
 */
kuid_t heapsim_limit_uid(void)
{
	const struct user_namespace *ns = current_user_ns();
	kuid_t uid = current_uid();

	for (; ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

static struct heapsim_user *limit_user_find(kuid_t uid)
{
	struct heapsim_user *user;

	list_for_each_entry(user, &users, node)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/* The user with a reference more; @fresh becomes it where there is none. */
static struct heapsim_user *limit_user_get(kuid_t uid,
					   struct heapsim_user *fresh)
{
	struct heapsim_user *user;

	mutex_lock(&limit_lock);
	user = limit_user_find(uid);
	if (user) {
		kref_get(&user->refs);
	} else if (fresh) {
		user = fresh;
		user->uid = uid;
		kref_init(&user->refs);
		list_add(&user->node, &users);
	}
	mutex_unlock(&limit_lock);
	return user;
}

/**
 * heapsim_limit_user_get() - the calling task's user
 *
 * Context: may sleep.
 * Return: the user, for heapsim_limit_user_put(), or NULL without memory.
 */
struct heapsim_user *heapsim_limit_user_get(void)
{
	const kuid_t uid = heapsim_limit_uid();
	struct heapsim_user *user = limit_user_get(uid, NULL), *fresh;

	if (user)
		return user;
	fresh = kzalloc(sizeof(*fresh), HEAPSIM_GFP_USER);
	user = limit_user_get(uid, fresh);
	if (user != fresh)
		kfree(fresh);
	return user;
}

static void limit_user_free(struct kref *refs)
{
	struct heapsim_user *user = container_of(refs, struct heapsim_user,
						 refs);

	list_del(&user->node);
	mutex_unlock(&limit_lock);
	kfree(user);
}

/**
 * heapsim_limit_user_ref() - take another reference
 * @user: user
 *
 * Return: @user.
 */
struct heapsim_user *heapsim_limit_user_ref(struct heapsim_user *user)
{
	kref_get(&user->refs);
	return user;
}

/**
 * heapsim_limit_user_put() - give a reference back
 * @user: user
 *
 * Context: may sleep.
 */
void heapsim_limit_user_put(struct heapsim_user *user)
{
	kref_put_mutex(&user->refs, limit_user_free, &limit_lock);
}

/* @as: NULL, or what of used it is */
static int limit_user_charge(struct heapsim_user *user, u64 len, u64 *as)
{
	int ret = -ENOMEM;

	if (len > heapsim_config.limit || len > heapsim_config.user_limit)
		return ret;
	/* Of less the page allocator knows as well whether it is there. */
	if (len >= SZ_1M &&
	    len >> PAGE_SHIFT > (u64)si_mem_available() +
				(heapsim_pool_bytes() >> PAGE_SHIFT))
		return ret;
	mutex_lock(&limit_lock);
	if (used + len <= heapsim_config.limit &&
	    user->used + len <= heapsim_config.user_limit) {
		user->used += len;
		used += len;
		if (as)
			*as += len;
		ret = 0;
	}
	mutex_unlock(&limit_lock);
	return ret;
}

/**
 * heapsim_limit_charge() - the calling user gets memory
 * @len: bytes, above 0
 *
 * Context: may sleep.
 * Return: the user, for heapsim_limit_uncharge(), or ERR_PTR(-ENOMEM): a limit
 * would be exceeded, or, from 1 MiB on, what the machine has free.
 */
struct heapsim_user *heapsim_limit_charge(u64 len)
{
	struct heapsim_user *user = heapsim_limit_user_get();
	int ret;

	if (!user)
		return ERR_PTR(-ENOMEM);
	ret = limit_user_charge(user, len, NULL);
	if (!ret)
		return user;
	heapsim_limit_user_put(user);
	return ERR_PTR(ret);
}

/**
 * heapsim_limit_uncharge() - memory is given back
 * @user: from heapsim_limit_charge()
 * @len: bytes charged there, and those of @of_reserve
 * @of_reserve: bytes of heapsim_limit_reserve() that are given back, too
 *
 * Context: may sleep.
 */
void heapsim_limit_uncharge(struct heapsim_user *user, u64 len, u64 of_reserve)
{
	mutex_lock(&limit_lock);
	reserved -= of_reserve;
	used -= len;
	user->used -= len;
	mutex_unlock(&limit_lock);
	heapsim_limit_user_put(user);
}

/**
 * heapsim_limit_reserve() - count what a user may come to need
 * @user: user
 * @len: bytes, of CPU images and twins or of what the core allocates; 0 does
 *	nothing
 *
 * Context: may sleep; allocates nothing.
 * Return: 0 or -ENOMEM.
 */
int heapsim_limit_reserve(struct heapsim_user *user, u64 len)
{
	return len ? limit_user_charge(user, len, &reserved) : 0;
}

/**
 * heapsim_limit_unreserve() - undo heapsim_limit_reserve()
 * @user: as there
 * @len: as there
 */
void heapsim_limit_unreserve(struct heapsim_user *user, u64 len)
{
	mutex_lock(&limit_lock);
	reserved -= len;
	used -= len;
	user->used -= len;
	mutex_unlock(&limit_lock);
}

/**
 * heapsim_limit_open() - the calling user opens /dev/heapsim
 *
 * Context: may sleep.
 * Return: the user, for heapsim_limit_close(), or ERR_PTR(-EBUSY) too many
 * opens, ERR_PTR(-ENOMEM).
 */
struct heapsim_user *heapsim_limit_open(void)
{
	struct heapsim_user *user = heapsim_limit_user_get();

	if (!user)
		return ERR_PTR(-ENOMEM);
	if (atomic_add_unless(&user->nr_opens, 1, MAX_OPENS))
		return user;
	heapsim_limit_user_put(user);
	return ERR_PTR(-EBUSY);
}

/**
 * heapsim_limit_close() - /dev/heapsim is closed
 * @user: from heapsim_limit_open()
 *
 * Context: may sleep.
 */
void heapsim_limit_close(struct heapsim_user *user)
{
	atomic_dec(&user->nr_opens);
	heapsim_limit_user_put(user);
}

/**
 * heapsim_limit_alloc() - memory that counts as an object of a user
 * @user: user
 * @len: bytes
 *
 * Context: may sleep; charges the calling task's memory cgroup.
 * Return: memory, zeroed, for heapsim_limit_free(); ERR_PTR(-EBUSY) the user
 * has too many objects, ERR_PTR(-ENOMEM).
 */
void *heapsim_limit_alloc(struct heapsim_user *user, size_t len)
{
	void *object;

	if (!atomic_add_unless(&user->nr_objects, 1, MAX_OBJECTS))
		return ERR_PTR(-EBUSY);
	object = kzalloc(len, HEAPSIM_GFP_USER);
	if (object)
		return object;
	atomic_dec(&user->nr_objects);
	return ERR_PTR(-ENOMEM);
}

/**
 * heapsim_limit_free() - free memory that counted as an object
 * @user: as when it was allocated
 * @object: from heapsim_limit_alloc(); NULL does nothing
 */
void heapsim_limit_free(struct heapsim_user *user, void *object)
{
	if (!object)
		return;
	kfree(object);
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
	ret = used - reserved;
	mutex_unlock(&limit_lock);
	return ret;
}
