// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits: the memory of all buffers and of the buffers of one user, and the
 * number of opens and objects of a user. They bound what no memory cgroup is
 * charged for: pages in pools, and what the core allocates for dma-bufs,
 * attachments and fences.
 */
#include <linux/cred.h>
#include <linux/kref.h>
#include <linux/mm.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "limit.h"
#include "pool.h"

#define MAX_OBJECTS	262144	/* of a user, 64 to 128 MiB */
#define MAX_OPENS	1024	/* of a user */

/**
 * struct heapsim_user - a user
 * @node: entry in users
 * @uid: uid of the user
 * @refs: references of opens, objects and charges
 * @used: bytes charged and reserved
 * @nr_opens: opens of /dev/heapsim
 * @nr_objects: objects of all opens
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
static u64 reserved;	/* part of used */

/**
 * heapsim_limit_uid() - get the uid that the calling task's memory counts for
 *
 * The owner of a user namespace has many uids in it, so all of them count for
 * the owner. Outside of namespaces it is the uid of the task.
 *
 * Return: uid in the initial user namespace.
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

/* Returns the user with a reference, or @fresh as the user if there is none. */
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
 * heapsim_limit_user_get() - get the user of the calling task
 *
 * Context: may sleep.
 * Return: user for heapsim_limit_user_put(), or NULL without memory.
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
 * heapsim_limit_user_ref() - get another reference
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
 * heapsim_limit_user_put() - drop a reference
 * @user: user
 *
 * Context: may sleep.
 */
void heapsim_limit_user_put(struct heapsim_user *user)
{
	kref_put_mutex(&user->refs, limit_user_free, &limit_lock);
}

/* @as: additional counter to increase, or NULL */
static int limit_user_charge(struct heapsim_user *user, u64 len, u64 *as)
{
	int ret = -ENOMEM;

	if (len > heapsim_config.limit || len > heapsim_config.user_limit)
		return ret;
	/* For less than 1 MiB the page allocator decides well enough. */
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
 * heapsim_limit_charge() - charge memory to the calling user
 * @len: bytes, above 0
 *
 * Context: may sleep.
 * Return: user for heapsim_limit_uncharge(); ERR_PTR(-ENOMEM) above a limit,
 * or, from 1 MiB on, above what the machine has free.
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
 * heapsim_limit_uncharge() - uncharge memory and drop the reference to the user
 * @user: from heapsim_limit_charge()
 * @len: bytes charged, plus @of_reserve
 * @of_reserve: bytes of heapsim_limit_reserve() to release as well
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
 * heapsim_limit_reserve() - reserve memory that a user may need later
 * @user: user
 * @len: bytes, for CPU images and twins or for allocations of the core; 0 does
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
 * @user: user
 * @len: bytes; 0 does nothing
 */
void heapsim_limit_unreserve(struct heapsim_user *user, u64 len)
{
	if (!len)
		return;
	mutex_lock(&limit_lock);
	reserved -= len;
	used -= len;
	user->used -= len;
	mutex_unlock(&limit_lock);
}

/**
 * heapsim_limit_open() - count an open of /dev/heapsim by the calling user
 *
 * Context: may sleep.
 * Return: user for heapsim_limit_close(); ERR_PTR(-EBUSY) if there are too many
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
 * heapsim_limit_close() - undo heapsim_limit_open()
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
 * heapsim_limit_alloc() - allocate memory that counts as an object of a user
 * @user: user
 * @len: bytes
 * @reserve: bytes that the object counts in addition
 *
 * Context: may sleep; charges the calling task's memory cgroup.
 * Return: zeroed memory for heapsim_limit_free(), which keeps a reference to
 * the user; ERR_PTR(-EBUSY) if the user has too many objects, ERR_PTR(-ENOMEM).
 */
void *heapsim_limit_alloc(struct heapsim_user *user, size_t len, u32 reserve)
{
	void *object;

	if (!atomic_add_unless(&user->nr_objects, 1, MAX_OBJECTS))
		return ERR_PTR(-EBUSY);
	object = kzalloc(len, HEAPSIM_GFP_USER);
	if (object && !heapsim_limit_reserve(user, reserve)) {
		kref_get(&user->refs);
		return object;
	}
	kfree(object);
	atomic_dec(&user->nr_objects);
	return ERR_PTR(-ENOMEM);
}

/**
 * heapsim_limit_free() - free memory that counted as an object
 * @user: same as for heapsim_limit_alloc()
 * @object: from heapsim_limit_alloc()
 * @reserve: same as for heapsim_limit_alloc()
 */
void heapsim_limit_free(struct heapsim_user *user, void *object, u32 reserve)
{
	heapsim_limit_unreserve(user, reserve);
	kfree(object);
	atomic_dec(&user->nr_objects);
	heapsim_limit_user_put(user);
}

/**
 * heapsim_limit_used() - get the size of DRAM of all buffers
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
