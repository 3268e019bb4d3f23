// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: objects. An object is an attribute list and a reference to memory,
 * which objects with the same permission share. Only the CPU address changes
 * after creation. A read-only object has its own buffer, imported from a
 * descriptor that permits no writes, so every use of the buffer is limited to
 * reads.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object.h"
#include "../compat.h"

/**
 * object_check() - check whether a call is permitted now
 * @ctx: context of an object
 *
 * Return: 0, or -EPERM in a host function or in a child of the process.
 */
int object_check(const struct mem_ctx *ctx)
{
	const int err = sched_check_call();

	if (err)
		return err;
	return ctx_is_forked(ctx) ? -EPERM : 0;
}

static struct object_memory *object_memory_create(struct mem_buf *buf)
{
	struct object_memory *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	atomic_init(&new->nr_users, 1);
	new->buf = buf;
	pthread_mutex_init(&new->lock, NULL);
	return new;
}

static void object_memory_put(struct mem_ctx *ctx, struct object_memory *memory)
{
	if (atomic_fetch_sub(&memory->nr_users, 1) != 1)
		return;
	mem_buf_destroy(memory->buf);
	if (!ctx_is_forked(ctx))
		pthread_mutex_destroy(&memory->lock);
	free(memory);
}

static int object_new(struct mem_ctx *ctx, struct mem_attrs *attrs,
		      struct object_memory *memory, struct mem_object **object)
{
	struct mem_object *new = calloc(1, sizeof(*new));
	int err;

	if (!new)
		return -ENOMEM;
	err = libmem_handle_add(&new->handle, LIBMEM_HANDLE_OBJECT);
	if (err) {
		free(new);
		return err;
	}
	new->ctx = ctx_get(ctx);
	libmem_handle_lend(&attrs->handle);
	new->attrs = attrs;
	new->memory = memory;
	*object = new;
	return 0;
}

/**
 * object_create() - make an object from a buffer
 * @ctx: context of @attrs and @buf
 * @attrs: attribute list; owned by the object on success
 * @buf: buffer; owned by the object on success
 * @object: out: with one reference
 *
 * Return: 0, or -ENOMEM: the caller still owns @attrs and @buf.
 */
int object_create(struct mem_ctx *ctx, struct mem_attrs *attrs,
		  struct mem_buf *buf, struct mem_object **object)
{
	struct object_memory *memory = object_memory_create(buf);
	int err;

	if (!memory)
		return -ENOMEM;
	err = object_new(ctx, attrs, memory, object);
	if (err) {
		pthread_mutex_destroy(&memory->lock);
		free(memory);
		return err;
	}
	object_record_shape(*object, OBJECT_SHAPE_OBJECT, NULL, NULL);
	return 0;
}

/**
 * object_buf_len() - return the length of an object's buffer
 * @attrs: attribute list of the object
 *
 * The length is at least the alignment if that exceeds a page, since the
 * backends place buffers at multiples of their length.
 *
 * Return: bytes, whole pages.
 */
uint64_t object_buf_len(const struct mem_attrs *attrs)
{
	const uint64_t page_len = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t len = attrs_len(attrs);

	if (len < attrs_align(attrs))
		len = attrs_align(attrs);
	return (len + page_len - 1) & ~(page_len - 1);
}

/* A discrete GPU's memory comes from mem_alloc() only and cannot be shared. */
static int object_alloc_buf(struct mem_ctx *ctx, const struct mem_attrs *attrs,
			    const char *name, struct mem_buf **buf)
{
	unsigned int flags;
	const enum mem_kind kind = attrs_kind(attrs, &flags);

	if (kind == MEM_KIND_DEVICE)
		return -EOPNOTSUPP;
	return mem_buf_alloc(ctx, kind, object_buf_len(attrs), name, buf);
}

API int mem_object_alloc(const struct mem_attrs *attrs, const char *name,
			 struct mem_object **object)
{
	struct mem_attrs *own;
	struct mem_buf *buf;
	int err;

	if (!object || (name && strlen(name) >= MEM_NAME_LEN) ||
	    !attrs_is(attrs))
		return -EINVAL;
	err = object_check(attrs->ctx);
	if (!err && attrs->state != MEM_ATTRS_RECONCILED)
		err = -EPERM;
	if (!err)
		err = attrs_with_perm(attrs, MEM_RW, &own);
	if (err)
		return err;
	err = object_alloc_buf(attrs->ctx, own, name, &buf);
	if (err)
		goto err_destroy_attrs;
	err = object_create(attrs->ctx, own, buf, object);
	if (!err)
		return 0;
	mem_buf_destroy(buf);
err_destroy_attrs:
	mem_attrs_destroy(own);
	return err;
}

API struct mem_object *mem_object_get(struct mem_object *object)
{
	return libmem_handle_get(object, LIBMEM_HANDLE_OBJECT) ? object : NULL;
}

API void mem_object_put(struct mem_object *object)
{
	struct mem_ctx *ctx;

	if (!libmem_handle_put(object, LIBMEM_HANDLE_OBJECT))
		return;
	ctx = object->ctx;
	object_memory_put(ctx, object->memory);
	libmem_handle_take_back(&object->attrs->handle);
	mem_attrs_destroy(object->attrs);
	libmem_handle_free(&object->handle);
	ctx_put(ctx);
}

/**
 * object_read_only_buf() - make a read-only buffer of the same bytes
 * @ctx: context of both buffers
 * @buf: buffer; in the embedded backend it has one view from then on
 * @other: out: owned by the caller: mem_buf_destroy()
 *
 * Context: may sleep.
 * Return: 0, or an error of mem_buf_export_as() or mem_buf_import().
 */
int object_read_only_buf(struct mem_ctx *ctx, struct mem_buf *buf,
			 struct mem_buf **other)
{
	int fd, err;

	err = mem_buf_export_as(buf, MEM_READ, &fd);
	if (err)
		return err;
	err = mem_buf_import(ctx, fd, other);
	fd_close(fd);
	return err;
}

static int object_read_only_memory(struct mem_object *object,
				   struct object_memory **memory)
{
	struct object_memory *new;
	struct mem_buf *buf;
	int err;

	err = object_read_only_buf(object->ctx, object->memory->buf, &buf);
	if (err)
		return err;
	new = object_memory_create(buf);
	if (!new) {
		mem_buf_destroy(buf);
		return -ENOMEM;
	}
	*memory = new;
	return 0;
}

API int mem_object_restrict(struct mem_object *object, unsigned int perm,
			    struct mem_object **other)
{
	struct object_memory *memory;
	struct mem_attrs *attrs;
	int err;

	if (!other || (perm != MEM_READ && perm != MEM_RW) ||
	    !object_is(object))
		return -EINVAL;
	err = object_check(object->ctx);
	if (!err && perm & ~attrs_perm(object->attrs))
		err = -EACCES;
	if (!err)
		err = attrs_with_perm(object->attrs, perm, &attrs);
	if (err)
		return err;
	if (perm == attrs_perm(object->attrs)) {
		memory = object->memory;
		atomic_fetch_add(&memory->nr_users, 1);
	} else {
		err = object_read_only_memory(object, &memory);
	}
	if (err)
		goto err_destroy_attrs;
	err = object_new(object->ctx, attrs, memory, other);
	if (!err && memory != object->memory)
		object_record_shape(*other, OBJECT_SHAPE_OBJECT, NULL, NULL);
	if (!err)
		return 0;
	object_memory_put(object->ctx, memory);
err_destroy_attrs:
	mem_attrs_destroy(attrs);
	return err;
}

API const struct mem_attrs *mem_object_attrs(const struct mem_object *object)
{
	return object_is(object) ? object->attrs : NULL;
}

API struct mem_buf *mem_object_buf(struct mem_object *object)
{
	return object_is(object) ? object->memory->buf : NULL;
}

/* Checks the permission for CPU access. */
static int object_check_access(const struct mem_object *object,
			       unsigned int access)
{
	const int err = object_check(object->ctx);

	if (err)
		return err;
	if (!attrs_has_cpu_access(object->attrs) ||
	    access & ~attrs_perm(object->attrs))
		return -EACCES;
	return 0;
}

API int mem_object_cpu_ptr(struct mem_object *object, unsigned int access,
			   void **ptr)
{
	struct object_memory *memory;
	void *addr;
	int err;

	if (!ptr || (access != MEM_READ && access != MEM_RW) ||
	    !object_is(object))
		return -EINVAL;
	err = object_check_access(object, access);
	if (err)
		return err;
	memory = object->memory;
	pthread_mutex_lock(&memory->lock);
	if (!memory->addr)
		err = mem_buf_map(memory->buf, &memory->addr);
	addr = memory->addr;
	pthread_mutex_unlock(&memory->lock);
	/* No lock is held, since the store to the caller's memory may fault. */
	if (!err)
		*ptr = addr;
	return err;
}

API int libmem_object_check(const struct mem_object *object,
			    unsigned int access)
{
	return object_is(object) ? object_check_access(object, access) :
				   -EINVAL;
}

API int libmem_object_map(struct mem_object *object, unsigned int access,
			  void **addr)
{
	const int err = libmem_object_check(object, access);

	return err ? err : mem_buf_map(object->memory->buf, addr);
}

API int mem_object_device_ptr(struct mem_object *object, void **ptr)
{
	int err;

	if (!ptr || !object_is(object))
		return -EINVAL;
	err = object_check(object->ctx);
	if (err)
		return err;
	if (!(attrs_engines(object->attrs) & ~MEM_ATTR_ENGINE_DMA))
		return -EACCES;
	return mem_buf_device_ptr(object->memory->buf, ptr);
}

API int mem_object_flush(struct mem_object *object, uint64_t off, uint64_t len)
{
	struct mem_range range = {
		.op = MEM_MAINT_CLEAN_INVALIDATE,
		.off = off,
		.len = len,
	};
	int err;

	if (!object_is(object) || off > attrs_len(object->attrs) ||
	    len > attrs_len(object->attrs) - off)
		return -EINVAL;
	err = object_check_access(object, MEM_RW);
	if (err || !len || !attrs_needs_maintenance(object->attrs))
		return err;
	range.buf = object->memory->buf;
	return mem_buf_maintain(object->ctx, &range, 1, NULL);
}

API int mem_object_begin(struct mem_object *object, unsigned int access)
{
	int err;

	if (!object_is(object) || !access || access & ~MEM_RW)
		return -EINVAL;
	err = object_check_access(object, access);
	return err ? err : mem_buf_begin(object->memory->buf, access);
}

API int mem_object_end(struct mem_object *object, unsigned int access)
{
	int err;

	if (!object_is(object) || !access || access & ~MEM_RW)
		return -EINVAL;
	err = object_check_access(object, 0);
	return err ? err : mem_buf_end(object->memory->buf, access);
}

API int mem_object_fd(struct mem_object *object, int *fd)
{
	int err;

	if (!fd || !object_is(object))
		return -EINVAL;
	err = object_check(object->ctx);
	if (err)
		return err;
	return mem_buf_export_as(object->memory->buf,
				 attrs_perm(object->attrs), fd);
}
