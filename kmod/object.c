// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects of an open of /dev/heapsim: jobs, test fences and holds. They share
 * one table of ids, and count for the user that opened it.
 *
 * A command allocates an object together with an id that cannot be found yet,
 * initialises it, and publishes it, which cannot fail. If initialising fails,
 * it aborts the object. The table holds one reference to a published object.
 */
#include <linux/slab.h>

#include "object.h"

/**
 * heapsim_objects_init() - initialise an empty table
 * @objects: table of an open
 * @user: user; must stay valid as long as the table
 */
void heapsim_objects_init(struct heapsim_objects *objects,
			  struct heapsim_user *user)
{
	xa_init_flags(&objects->ids, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	objects->user = user;
}

static void object_free(struct heapsim_object *object)
{
	heapsim_limit_free(object->user, object, object->ops->reserve);
}

/**
 * heapsim_object_alloc() - allocate an object and its id
 * @objects: table of an open
 * @ops: type
 *
 * Context: may sleep; charges the calling task's memory cgroup.
 * Return: object, zeroed except for its head, for heapsim_object_publish() or
 * heapsim_object_abort(); ERR_PTR(-EBUSY) if the open or its user has too many,
 * ERR_PTR(-ENOMEM).
 */
struct heapsim_object *
heapsim_object_alloc(struct heapsim_objects *objects,
		     const struct heapsim_object_ops *ops)
{
	struct heapsim_object *object;
	int ret;

	if (!atomic_add_unless(&objects->nr[ops->type], 1,
			       ops->max ? ops->max : INT_MAX))
		return ERR_PTR(-EBUSY);
	object = heapsim_limit_alloc(objects->user, ops->size, ops->reserve);
	if (IS_ERR(object)) {
		ret = PTR_ERR(object);
		goto err_count;
	}
	object->ops = ops;
	object->user = objects->user;
	refcount_set(&object->refs, 1);
	ret = xa_alloc(&objects->ids, &object->id, NULL, xa_limit_31b,
		       HEAPSIM_GFP_USER);
	if (ret) {
		object_free(object);
		goto err_count;
	}
	return object;

err_count:
	atomic_dec(&objects->nr[ops->type]);
	return ERR_PTR(ret);
}

/**
 * heapsim_object_abort() - free an object that was not published
 * @objects: table of the open
 * @object: from heapsim_object_alloc(); its ops->release() is not called
 */
void heapsim_object_abort(struct heapsim_objects *objects,
			  struct heapsim_object *object)
{
	heapsim_object_unlink(objects, object);
	object_free(object);
}

/**
 * heapsim_object_publish() - make an object available for look-ups
 * @objects: table of the open
 * @object: from heapsim_object_alloc(); the caller's reference becomes that of
 *	the table
 *
 * Context: any; allocates nothing, because the slot of the id is reserved.
 * Return: @object, with another reference for the caller.
 */
struct heapsim_object *
heapsim_object_publish(struct heapsim_objects *objects,
		       struct heapsim_object *object)
{
	refcount_inc(&object->refs);
	xa_store(&objects->ids, object->id, object, GFP_NOWAIT);
	return object;
}

/* The table is locked, so that no object in it is freed. */
static struct heapsim_object *
object_find(struct heapsim_objects *objects,
	    const struct heapsim_object_ops *ops, u64 id)
{
	struct heapsim_object *object;

	object = id > U32_MAX ? NULL : xa_load(&objects->ids, id);
	return object && object->ops == ops ? object : NULL;
}

/**
 * heapsim_object_get() - look up an object and take a reference
 * @objects: table of the open
 * @ops: type that the object must have
 * @id: from user space
 *
 * Return: object for heapsim_object_put(), or NULL.
 */
struct heapsim_object *
heapsim_object_get(struct heapsim_objects *objects,
		   const struct heapsim_object_ops *ops, u64 id)
{
	struct heapsim_object *object;

	xa_lock(&objects->ids);
	object = object_find(objects, ops, id);
	if (object)
		refcount_inc(&object->refs);
	xa_unlock(&objects->ids);
	return object;
}

/**
 * heapsim_object_take() - look up an object and remove it from the table
 * @objects: table of the open
 * @ops: type that the object must have
 * @id: from user space
 *
 * If several callers race, one gets the object and the reference of the table.
 *
 * Return: object for heapsim_object_put(), or NULL.
 */
struct heapsim_object *
heapsim_object_take(struct heapsim_objects *objects,
		    const struct heapsim_object_ops *ops, u64 id)
{
	struct heapsim_object *object;

	xa_lock(&objects->ids);
	object = object_find(objects, ops, id);
	if (object)
		__xa_erase(&objects->ids, id);
	xa_unlock(&objects->ids);
	if (object)
		atomic_dec(&objects->nr[ops->type]);
	return object;
}

/**
 * heapsim_object_unlink() - free the id of an object that was not published
 * @objects: table of the open
 * @object: from heapsim_object_alloc()
 */
void heapsim_object_unlink(struct heapsim_objects *objects,
			   struct heapsim_object *object)
{
	xa_erase(&objects->ids, object->id);
	atomic_dec(&objects->nr[object->ops->type]);
}

/**
 * heapsim_object_remove() - remove an object from the table and drop its
 *	reference
 * @objects: table of the open
 * @object: object with a reference of the caller; may have been removed
 *
 * Context: may sleep.
 */
void heapsim_object_remove(struct heapsim_objects *objects,
			   struct heapsim_object *object)
{
	if (xa_cmpxchg(&objects->ids, object->id, object, NULL, 0) != object)
		return;
	atomic_dec(&objects->nr[object->ops->type]);
	heapsim_object_put(object);
}

/**
 * heapsim_objects_fini() - free the table and drop its references
 * @objects: table of an open that is closed
 *
 * Context: may sleep.
 */
void heapsim_objects_fini(struct heapsim_objects *objects)
{
	struct heapsim_object *object;
	unsigned long id;

	xa_for_each(&objects->ids, id, object) {
		heapsim_object_remove(objects, object);
		cond_resched();
	}
	xa_destroy(&objects->ids);
}

/**
 * heapsim_object_put() - drop a reference
 * @object: object; not in a table if this is its last reference
 *
 * Context: may sleep; not between publication and signal of a fence.
 */
void heapsim_object_put(struct heapsim_object *object)
{
	if (!refcount_dec_and_test(&object->refs))
		return;
	if (object->ops->release)
		object->ops->release(object);
	object_free(object);
}
