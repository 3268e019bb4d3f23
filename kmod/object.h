/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects of an open that have an id. */
#ifndef HEAPSIM_OBJECT_H
#define HEAPSIM_OBJECT_H

#include <linux/refcount.h>
#include <linux/xarray.h>

#include "limit.h"

/** enum heapsim_object_type - types of object */
enum heapsim_object_type {
	HEAPSIM_OBJECT_STREAM,
	HEAPSIM_OBJECT_EVENT,
	HEAPSIM_OBJECT_HOST,
	HEAPSIM_OBJECT_WORK,
	HEAPSIM_OBJECT_JOB,
	HEAPSIM_OBJECT_FENCE,
	HEAPSIM_OBJECT_HOLD,
	HEAPSIM_NR_OBJECTS
};

struct heapsim_object;

/**
 * struct heapsim_object_ops - a type of object
 * @type: the type
 * @size: HEAPSIM_OBJECT_SIZE() of the struct
 * @max: most that one open may have; 0: what the user may have
 * @reserve: bytes that each one counts against the user's limit
 * @release: drops what the object refers to, before its memory is freed; may
 *	sleep; NULL: it refers to nothing
 */
struct heapsim_object_ops {
	enum heapsim_object_type type;
	size_t size;
	unsigned int max;
	u32 reserve;
	void (*release)(struct heapsim_object *object);
};

/* Bytes of a struct whose first member is its struct heapsim_object, object. */
#define HEAPSIM_OBJECT_SIZE(type) \
	(sizeof(type) + BUILD_BUG_ON_ZERO(offsetof(type, object)))

/**
 * struct heapsim_object - what each object begins with
 * @ops: of its type
 * @user: for whom it counts, referenced
 * @refs: references; the table has one while the object can be found
 * @id: id in the table
 */
struct heapsim_object {
	const struct heapsim_object_ops *ops;
	struct heapsim_user *user;
	refcount_t refs;
	u32 id;
};

/**
 * struct heapsim_objects - the objects of an open
 * @ids: struct heapsim_object by id; an id is reserved before it has an entry
 * @user: that opened
 * @nr: ids that are taken, by type
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
void heapsim_object_publish(struct heapsim_objects *objects,
			    struct heapsim_object *object);
struct heapsim_object *
heapsim_object_find(struct heapsim_objects *objects,
		    const struct heapsim_object_ops *ops, u64 id);
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
void heapsim_objects_remove(struct heapsim_objects *objects,
			    const struct heapsim_object_ops *ops);
void heapsim_object_put(struct heapsim_object *object);

#endif
