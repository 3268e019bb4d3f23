// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Handles: lookup that is safe for a handle that was never valid or has been
 * destroyed; and the list of a context's objects.
 */
#include <errno.h>
#include <search.h>
#include <stdlib.h>

#include "vpi.h"

/* Protects the tree and the contexts' lists. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *tree;

static const char *const kinds[] = {
	[VPI_KIND_ARRAY] = "array",
	[VPI_KIND_EVENT] = "event",
	[VPI_KIND_IMAGE] = "image",
	[VPI_KIND_PAYLOAD] = "payload",
	[VPI_KIND_STREAM] = "stream",
};

static int object_compare(const void *a, const void *b)
{
	if (a == b)
		return 0;
	return a < b ? -1 : 1;
}

/* The lock is held. */
static struct vpi_object *object_find(const void *handle, enum vpi_kind kind)
{
	struct vpi_object **found;

	found = handle ? tfind(handle, &tree, object_compare) : NULL;
	return found && (*found)->kind == kind ? *found : NULL;
}

/**
 * vpi_object_is() - returns true if a handle is one of ours
 * @handle: handle, any pointer
 * @kind: required kind
 */
bool vpi_object_is(const void *handle, enum vpi_kind kind)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = object_find(handle, kind);
	pthread_mutex_unlock(&lock);
	return is;
}

/**
 * vpi_object_check() - check a handle, with an error message
 * @handle: handle, any pointer
 * @kind: required kind
 * @argument: name of @handle in the call
 *
 * Return: VPI_SUCCESS or VPI_ERROR_INVALID_ARGUMENT.
 */
VPIStatus vpi_object_check(const void *handle, enum vpi_kind kind,
			   const char *argument)
{
	if (!handle)
		return vpi_null(argument);
	if (!vpi_object_is(handle, kind))
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"%s is no %s, or was destroyed", argument,
				kinds[kind]);
	return VPI_SUCCESS;
}

/**
 * vpi_object_check_out() - check a handle and the pointer to a result
 * @handle: handle, any pointer
 * @kind: required kind
 * @argument: name of @handle in the call
 * @out: pointer to the result, or NULL
 * @out_name: name of @out in the call
 *
 * Return: VPI_SUCCESS or VPI_ERROR_INVALID_ARGUMENT.
 */
VPIStatus vpi_object_check_out(const void *handle, enum vpi_kind kind,
			       const char *argument, const void *out,
			       const char *out_name)
{
	VPIStatus status = vpi_object_check(handle, kind, argument);

	return status || out ? status : vpi_null(out_name);
}

/**
 * vpi_object_add() - make a new object known
 * @handle: object, begins with a struct vpi_object
 * @kind: kind of the object
 * @flags: flags of the object
 * @ctx: context that will own it
 *
 * Return: VPI_SUCCESS or VPI_ERROR_OUT_OF_MEMORY.
 */
VPIStatus vpi_object_add(void *handle, enum vpi_kind kind, uint64_t flags,
			 struct VPIContextImpl *ctx)
{
	struct vpi_object *object = handle;
	struct vpi_object *ring = &ctx->objects;
	void *node;

	object->kind = kind;
	object->flags = flags;
	object->ctx = ctx;
	pthread_mutex_lock(&lock);
	node = tsearch(object, &tree, object_compare);
	if (node) {
		object->prev = ring;
		object->next = ring->next;
		ring->next->prev = object;
		ring->next = object;
	}
	pthread_mutex_unlock(&lock);
	return node ? VPI_SUCCESS : vpi_rc(-ENOMEM, kinds[kind]);
}

/* The lock is held. */
static void object_take_out(struct vpi_object *object)
{
	tdelete(object, &tree, object_compare);
	object->prev->next = object->next;
	object->next->prev = object->prev;
}

/**
 * vpi_object_del() - make an object unknown, to destroy it
 * @handle: handle, any pointer
 * @kind: required kind
 *
 * Return: true if it was known; if several threads call this, for only one.
 */
bool vpi_object_del(void *handle, enum vpi_kind kind)
{
	struct vpi_object *object;

	pthread_mutex_lock(&lock);
	object = object_find(handle, kind);
	if (object)
		object_take_out(object);
	pthread_mutex_unlock(&lock);
	return object;
}

/**
 * vpi_object_drop() - free an object that is not known any more
 * @object: object of any kind
 */
void vpi_object_drop(struct vpi_object *object)
{
	switch (object->kind) {
	case VPI_KIND_ARRAY:
		vpi_array_drop((struct VPIArrayImpl *)object);
		break;
	case VPI_KIND_EVENT:
		vpi_event_drop((struct VPIEventImpl *)object);
		break;
	case VPI_KIND_IMAGE:
		vpi_image_drop((struct VPIImageImpl *)object);
		break;
	case VPI_KIND_PAYLOAD:
		free(object);
		break;
	case VPI_KIND_STREAM:
		vpi_stream_drop((struct VPIStreamImpl *)object);
		break;
	}
}

/**
 * vpi_objects_drop() - destroy the objects of a context
 * @ctx: context
 *
 * Streams are destroyed first, since their work may use the others.
 */
void vpi_objects_drop(struct VPIContextImpl *ctx)
{
	struct vpi_object *ring = &ctx->objects;
	struct vpi_object *object;
	bool is_stream = true;

	for (;;) {
		pthread_mutex_lock(&lock);
		for (object = ring->next; object != ring; object = object->next)
			if (!is_stream || object->kind == VPI_KIND_STREAM)
				break;
		if (object != ring)
			object_take_out(object);
		pthread_mutex_unlock(&lock);
		if (object != ring)
			vpi_object_drop(object);
		else if (is_stream)
			is_stream = false;
		else
			break;
	}
}

/**
 * vpi_object_flags() - return the flags of an object
 * @handle: handle, any pointer
 * @kind: required kind
 * @flags: out: backends and flags
 *
 * Return: VPI_SUCCESS or VPI_ERROR_INVALID_ARGUMENT.
 */
VPIStatus vpi_object_flags(const void *handle, enum vpi_kind kind,
			   uint64_t *flags)
{
	const struct vpi_object *object = handle;
	VPIStatus status = vpi_object_check_out(handle, kind, kinds[kind],
						flags, "flags");

	if (!status)
		*flags = object->flags;
	return status;
}
