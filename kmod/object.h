/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects of an open of /dev/heapsim, which have ids. */
#ifndef HEAPSIM_OBJECT_H
#define HEAPSIM_OBJECT_H

#include <linux/refcount.h>
#include <linux/xarray.h>

#include "limit.h"

/** enum heapsim_object_type - types of objects */
enum heapsim_object_type {
	HEAPSIM_OBJECT_JOB,
	HEAPSIM_OBJECT_FENCE,
	HEAPSIM_OBJECT_HOLD,
	HEAPSIM_NR_OBJECTS
};

struct heapsim_object;

/**
 * struct heapsim_object_ops - description of a type of objects
 * @type: type
 * @size: HEAPSIM_OBJECT_SIZE() of the struct
 * @max: upper bound of objects of this type in one open; 0 if only the limit of
 *	the user applies
 * @reserve: bytes that each object counts against the limit of the user
 * @release: drops references of the object before its memory is freed; may
 *	sleep; NULL if there are none
 */
struct heapsim_object_ops {
	enum heapsim_object_type type;
	size_t size;
	unsigned int max;
	u32 reserve;
	void (*release)(struct heapsim_object *object);
};

/* Size of a struct whose first member is its struct heapsim_object, object. */
#define HEAPSIM_OBJECT_SIZE(type) \
	(sizeof(type) + BUILD_BUG_ON_ZERO(offsetof(type, object)))

/**
 * struct heapsim_object - head of every object
 * @ops: description of the type
 * @user: user that the object counts for
 * @refs: references; the table holds one while the object can be found
 * @id: id in the table
 */
struct heapsim_object {
	const struct heapsim_object_ops *ops;
	struct heapsim_user *user;
	refcount_t refs;
	u32 id;
};

/**
 * struct heapsim_objects - table of the objects of an open
 * @ids: struct heapsim_object by id; an id is reserved before it has an entry
 * @user: user that opened /dev/heapsim
 * @nr: number of allocated ids, by type
 */
struct heapsim_objects {
	struct xarray ids;
	struct heapsim_user *user;
	atomic_t nr[HEAPSIM_NR_OBJECTS];
};

void heapsim_objects_init(struct heapsim_objects *objects,
			  struct heapsim_user *user);
void heapsim_objects_fini(struct heapsim_objects *objects);
struct heapsim_object *
heapsim_object_alloc(struct heapsim_objects *objects,
		     const struct heapsim_object_ops *ops);
void heapsim_object_abort(struct heapsim_objects *objects,
			  struct heapsim_object *object);
struct heapsim_object *
heapsim_object_publish(struct heapsim_objects *objects,
		       struct heapsim_object *object);
struct heapsim_object *
heapsim_object_get(struct heapsim_objects *objects,
		   const struct heapsim_object_ops *ops, u64 id);
struct heapsim_object *
heapsim_object_take(struct heapsim_objects *objects,
		    const struct heapsim_object_ops *ops, u64 id);
void heapsim_object_unlink(struct heapsim_objects *objects,
			   struct heapsim_object *object);
void heapsim_object_remove(struct heapsim_objects *objects,
			   struct heapsim_object *object);
void heapsim_object_put(struct heapsim_object *object);

#endif
