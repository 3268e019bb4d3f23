// SPDX-License-Identifier: LGPL-2.1-or-later
/* Objects and their handles. */
#include <pthread.h>
#include <stdlib.h>

#include "egl.h"

/*
 * Protects the list, the last number, and the numbers of users. Nothing waits
 * while it is held.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct egl_object *all;
static uint64_t last_number;

/**
 * egl_object_add() - give an object a handle, which is its address
 * @object: object with one user, which is the handle from now on
 */
void egl_object_add(struct egl_object *object)
{
	object->nr_users = 1;
	pthread_mutex_lock(&lock);
	object->number = ++last_number;
	object->next = all;
	all = object;
	pthread_mutex_unlock(&lock);
}

/* The lock is held. Returns the link to the object, or to NULL. */
static struct egl_object **object_find(enum egl_kind kind, const void *handle)
{
	struct egl_object **at = &all;

	while (*at && (*at != handle || (*at)->kind != kind))
		at = &(*at)->next;
	return at;
}

/**
 * egl_object_get() - find an object by its handle
 * @kind: required kind
 * @handle: any value
 *
 * Return: object, with a user more: egl_object_put(); NULL: there is none.
 */
void *egl_object_get(enum egl_kind kind, const void *handle)
{
	struct egl_object *object;

	pthread_mutex_lock(&lock);
	object = *object_find(kind, handle);
	if (object)
		object->nr_users++;
	pthread_mutex_unlock(&lock);
	return object;
}

/**
 * egl_object_find() - find an object by a name
 * @kind: required kind
 * @is_it: returns true for an object that has the name; called with a lock held
 * @name: name
 *
 * Return: object, with a user more: egl_object_put(); NULL: there is none.
 */
void *egl_object_find(enum egl_kind kind,
		      bool (*is_it)(const struct egl_object *object,
				    unsigned int name),
		      unsigned int name)
{
	struct egl_object *object;

	pthread_mutex_lock(&lock);
	object = all;
	while (object && (object->kind != kind || !is_it(object, name)))
		object = object->next;
	if (object)
		object->nr_users++;
	pthread_mutex_unlock(&lock);
	return object;
}

/**
 * egl_object_put() - end the use of an object
 * @object: object, or NULL, which does nothing
 *
 * Context: any thread, also of a host function.
 */
EGL_CORE_API void egl_object_put(void *object)
{
	struct egl_object *own = object;
	bool is_last;

	if (!own)
		return;
	pthread_mutex_lock(&lock);
	is_last = !--own->nr_users;
	pthread_mutex_unlock(&lock);
	if (is_last)
		own->destroy(own);
}

/* Ends the use by the handle, which is not in the list any more. */
static void object_drop(struct egl_object *object)
{
	if (object->drop)
		object->drop(object);
	egl_object_put(object);
}

/**
 * egl_object_del() - take an object's handle away
 * @kind: required kind
 * @handle: any value
 *
 * Return: true if there was such an object; if several threads call this, for
 * only one.
 */
bool egl_object_del(enum egl_kind kind, const void *handle)
{
	struct egl_object **at, *object;

	pthread_mutex_lock(&lock);
	at = object_find(kind, handle);
	object = *at;
	if (object)
		*at = object->next;
	pthread_mutex_unlock(&lock);
	if (object)
		object_drop(object);
	return object;
}

/* Finds the newest object of a kind that is older than a number. */
static struct egl_object *object_get_before(enum egl_kind kind, uint64_t number)
{
	struct egl_object *object;

	pthread_mutex_lock(&lock);
	object = all;
	while (object && (object->kind != kind || object->number >= number))
		object = object->next;
	if (object)
		object->nr_users++;
	pthread_mutex_unlock(&lock);
	return object;
}

/**
 * egl_objects_sweep() - take away handles of some objects
 * @kind: kind
 * @is_gone: returns true for an object that is not to have a handle any more;
 *	called without a lock, so it may wait
 */
void egl_objects_sweep(enum egl_kind kind,
		       bool (*is_gone)(struct egl_object *object))
{
	struct egl_object *object;
	uint64_t number = UINT64_MAX;

	while ((object = object_get_before(kind, number))) {
		number = object->number;
		if (is_gone(object))
			egl_object_del(kind, object);
		egl_object_put(object);
	}
}

/** egl_objects_drop() - take away all handles */
void egl_objects_drop(void)
{
	struct egl_object *object, *gone;

	pthread_mutex_lock(&lock);
	gone = all;
	all = NULL;
	pthread_mutex_unlock(&lock);
	while ((object = gone)) {
		gone = object->next;
		object_drop(object);
	}
}
