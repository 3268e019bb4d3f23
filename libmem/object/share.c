// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: sharing lists and objects with another process. The program sends a
 * descriptor; the memory of an object goes over the endpoint.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object.h"

/* Allocates a descriptor with a list; all other fields are 0. */
static int share_pack_list(struct mem_attrs *const *lists, size_t nr_lists,
			   struct desc **desc, size_t *list_len)
{
	void *list;
	int err;

	err = attrs_pack(lists, nr_lists, &list, list_len);
	if (err)
		return err;
	*desc = calloc(1, sizeof(**desc) + *list_len);
	if (*desc)
		memcpy(*desc + 1, list, *list_len);
	free(list);
	return *desc ? 0 : -ENOMEM;
}

API int mem_attrs_export(struct mem_attrs *const *lists, size_t nr_lists,
			 struct mem_endpoint *endpoint, void **bytes,
			 size_t *len)
{
	struct desc *desc;
	size_t list_len;
	int err;

	if (!lists || !nr_lists || !endpoint || !bytes || !len)
		return -EINVAL;
	err = object_check(endpoint->ctx);
	if (!err)
		err = share_pack_list(lists, nr_lists, &desc, &list_len);
	if (err)
		return err;
	desc_seal(desc, lists[0]->state == MEM_ATTRS_RECONCILED ?
		  DESC_RECONCILED : DESC_UNRECONCILED, list_len, endpoint);
	*len = desc->len;
	*bytes = desc;
	return 0;
}

/*
 * Unpacks the list of a descriptor. Returns -EBADMSG if it has another state.
 */
static int share_unpack_list(struct mem_endpoint *endpoint, const void *bytes,
			     size_t len, enum mem_attrs_state state,
			     struct mem_attrs **attrs)
{
	struct mem_attrs *new;
	int err;

	err = attrs_unpack(endpoint->ctx,
			   (const uint8_t *)bytes + sizeof(struct desc),
			   len - sizeof(struct desc), &new);
	if (err)
		return err;
	if (new->state != state) {
		mem_attrs_destroy(new);
		return -EBADMSG;
	}
	*attrs = new;
	return 0;
}

/* Unpacks a list once for all objects that have it. Holds list_lock. */
static int share_keep_list(struct mem_endpoint *endpoint, const void *bytes,
			   size_t len)
{
	const uint8_t *list = (const uint8_t *)bytes + sizeof(struct desc);
	const size_t list_len = len - sizeof(struct desc);
	struct mem_attrs *new;
	void *copy;
	int err;

	if (endpoint->list_bytes && endpoint->list_len == list_len &&
	    !memcmp(endpoint->list_bytes, list, list_len))
		return 0;
	copy = malloc(list_len);
	if (!copy)
		return -ENOMEM;
	err = share_unpack_list(endpoint, bytes, len, MEM_ATTRS_RECONCILED,
				&new);
	if (err) {
		free(copy);
		return err;
	}
	memcpy(copy, list, list_len);
	free(endpoint->list_bytes);
	mem_attrs_destroy(endpoint->list);
	endpoint->list_bytes = copy;
	endpoint->list_len = list_len;
	endpoint->list = new;
	return 0;
}

static int share_check_lists(struct mem_attrs *const *lists, size_t nr_lists)
{
	size_t i;

	if (nr_lists && !lists)
		return -EINVAL;
	for (i = 0; i < nr_lists; i++)
		if (!attrs_is(lists[i]) ||
		    lists[i]->state != MEM_ATTRS_UNRECONCILED)
			return -EINVAL;
	return 0;
}

static int share_validate(const struct mem_attrs *attrs,
			  struct mem_attrs *const *lists, size_t nr_lists)
{
	return nr_lists ? mem_attrs_validate(attrs, lists, nr_lists) : 0;
}

API int mem_attrs_import(struct mem_endpoint *endpoint, const void *bytes,
			 size_t len, struct mem_attrs *const *lists,
			 size_t nr_lists, struct mem_attrs **attrs)
{
	struct mem_attrs *new;
	struct desc desc;
	int err;

	if (!endpoint || !bytes || !attrs || share_check_lists(lists, nr_lists))
		return -EINVAL;
	err = object_check(endpoint->ctx);
	if (!err)
		err = desc_open(endpoint, bytes, len, &desc);
	if (err)
		return err;
	if (desc.kind == DESC_UNRECONCILED)
		err = share_unpack_list(endpoint, bytes, len,
					MEM_ATTRS_UNRECONCILED, &new);
	else if (desc.kind == DESC_RECONCILED)
		err = share_unpack_list(endpoint, bytes, len,
					MEM_ATTRS_RECONCILED, &new);
	else
		err = -EBADMSG;
	if (err)
		return err;
	if (desc.kind == DESC_RECONCILED)
		err = share_validate(new, lists, nr_lists);
	if (err) {
		mem_attrs_destroy(new);
		return err;
	}
	*attrs = new;
	return 0;
}

/* Sends the memory and fills in the fields of the descriptor that name it. */
static int share_send_memory(struct mem_object *object, unsigned int perm,
			     struct mem_endpoint *endpoint, uint64_t timeout_ns,
			     struct desc *desc)
{
	struct ticket ticket;
	int fd, err;

	err = mem_buf_export_as(object->memory->buf, perm, &fd);
	if (err)
		return err;
	err = endpoint_send_memory(endpoint, fd, timeout_ns, &ticket);
	fd_close(fd);
	if (err)
		return err;
	desc->perm = perm;
	desc->buf_len = mem_buf_len(object->memory->buf);
	desc->backend = object->ctx->backend->id;
	desc->seq = ticket.seq;
	memcpy(desc->token, ticket.token, sizeof(desc->token));
	return 0;
}

static int share_check_export(struct mem_object *object, unsigned int perm,
			      struct mem_endpoint *endpoint, const void *out)
{
	int err;

	if (!endpoint || !out || (perm != MEM_READ && perm != MEM_RW) ||
	    !object_is(object))
		return -EINVAL;
	err = object_check(object->ctx);
	if (!err)
		err = object_check(endpoint->ctx);
	if (err)
		return err;
	return perm & ~attrs_perm(object->attrs) ? -EACCES : 0;
}

API int mem_object_export(struct mem_object *object, unsigned int perm,
			  struct mem_endpoint *endpoint, uint64_t timeout_ns,
			  void **bytes, size_t *len)
{
	struct desc *desc;
	size_t list_len;
	int err;

	if (!len)
		return -EINVAL;
	err = share_check_export(object, perm, endpoint, bytes);
	if (!err)
		err = share_pack_list(&object->attrs, 1, &desc, &list_len);
	if (err)
		return err;
	err = share_send_memory(object, perm, endpoint, timeout_ns, desc);
	if (err) {
		free(desc);
		return err;
	}
	desc_seal(desc, DESC_OBJECT, list_len, endpoint);
	*len = desc->len;
	*bytes = desc;
	return 0;
}

API int mem_object_export_bare(struct mem_object *object, unsigned int perm,
			       struct mem_endpoint *endpoint,
			       uint64_t timeout_ns, void *desc)
{
	struct desc new = { 0 };
	int err;

	err = share_check_export(object, perm, endpoint, desc);
	if (!err)
		err = share_send_memory(object, perm, endpoint, timeout_ns,
					&new);
	if (err)
		return err;
	desc_seal(&new, DESC_BARE, 0, endpoint);
	memcpy(desc, &new, sizeof(new));
	return 0;
}

/*
 * Returns true if the descriptor's memory is of this backend and as long as a
 * buffer of the list would be here.
 */
static bool share_memory_matches(const struct mem_ctx *ctx,
				 const struct mem_attrs *attrs,
				 const struct desc *desc)
{
	return desc->backend == ctx->backend->id &&
	       desc->buf_len == object_buf_len(attrs);
}

/*
 * Returns true if the imported buffer matches the list. Its kind is not
 * compared in the embedded backend, where all shared memory has one view.
 */
static bool share_buf_matches(const struct mem_ctx *ctx,
			      const struct mem_attrs *attrs, uint32_t perm,
			      const struct mem_buf *buf)
{
	unsigned int flags;

	if (buf->len != object_buf_len(attrs) ||
	    (perm == MEM_RW && buf->is_read_only))
		return false;
	return ctx->backend->id == MEM_BACKEND_EMBEDDED ||
	       buf->kind == attrs_kind(attrs, &flags);
}

/* Makes the buffer read-only if only the sender's file permits writes. */
static int share_restrict_buf(struct mem_ctx *ctx, uint32_t perm,
			      struct mem_buf **buf)
{
	struct mem_buf *other;
	int err;

	if (perm == MEM_RW || (*buf)->is_read_only)
		return 0;
	err = object_read_only_buf(ctx, *buf, &other);
	if (err)
		return err;
	mem_buf_destroy(*buf);
	*buf = other;
	return 0;
}

/* Returns true if the file has the length that the list demands. */
static bool share_fd_matches(int fd, const struct mem_attrs *attrs)
{
	struct stat stat;

	return !fstat(fd, &stat) &&
	       stat.st_size == (off_t)object_buf_len(attrs);
}

/* Returns -EBADMSG if the memory does not match the list. */
static int share_import_buf(struct mem_ctx *ctx, const struct mem_attrs *attrs,
			    uint32_t perm, int fd, struct mem_buf **buf)
{
	struct mem_buf *new;
	int err;

	err = mem_buf_import(ctx, fd, &new);
	/* A much too long file may fail with ENOMEM: it is malformed, too. */
	if (err == -EINVAL || err == -EACCES ||
	    (err && !share_fd_matches(fd, attrs)))
		return -EBADMSG;
	if (err)
		return err;
	err = share_buf_matches(ctx, attrs, perm, new) ?
	      share_restrict_buf(ctx, perm, &new) : -EBADMSG;
	if (err) {
		mem_buf_destroy(new);
		return err;
	}
	*buf = new;
	return 0;
}

/* On success, the object owns @attrs. */
static int share_import_memory(struct mem_endpoint *endpoint,
			       struct mem_attrs *attrs, const struct desc *desc,
			       uint64_t timeout_ns, struct mem_object **object)
{
	struct mem_ctx *ctx = endpoint->ctx;
	struct ticket ticket = { .seq = desc->seq };
	struct mem_buf *buf;
	int fd, err;

	if (!share_memory_matches(ctx, attrs, desc))
		return -EBADMSG;
	memcpy(ticket.token, desc->token, sizeof(ticket.token));
	err = endpoint_take_memory(endpoint, &ticket, timeout_ns, &fd);
	if (err)
		return err;
	err = share_import_buf(ctx, attrs, attrs_perm(attrs), fd, &buf);
	if (!err) {
		err = object_create(ctx, attrs, buf, object);
		if (err)
			mem_buf_destroy(buf);
	}
	/*
	 * Malformed memory is discarded; after other errors retry is possible.
	 */
	endpoint_end_memory(endpoint, &ticket, !err || err == -EBADMSG);
	return err;
}

/* Returns -EACCES if more is asked for than was granted; 0 asks for all. */
static int share_perm_of(const struct desc *desc, unsigned int asked,
			 uint32_t *perm)
{
	*perm = asked ? asked : desc->perm;
	return *perm & ~desc->perm ? -EACCES : 0;
}

/* Returns the list of an object's descriptor with permission @perm. */
static int share_object_list(struct mem_endpoint *endpoint, const void *bytes,
			     size_t len, uint32_t perm,
			     struct mem_attrs **attrs)
{
	int err;

	pthread_mutex_lock(&endpoint->list_lock);
	err = share_keep_list(endpoint, bytes, len);
	if (!err)
		err = attrs_with_perm(endpoint->list, perm, attrs);
	pthread_mutex_unlock(&endpoint->list_lock);
	return err;
}

/*
 * An importer that asks for a permission agrees to it, so the permission in its
 * lists is not compared.
 */
static int share_validate_object(struct mem_attrs *attrs, unsigned int asked,
				 struct mem_attrs *const *lists,
				 size_t nr_lists)
{
	struct mem_attrs *all;
	int err;

	if (!asked || !nr_lists)
		return share_validate(attrs, lists, nr_lists);
	err = attrs_with_perm(attrs, MEM_RW, &all);
	if (err)
		return err;
	err = share_validate(all, lists, nr_lists);
	mem_attrs_destroy(all);
	return err;
}

static bool share_perm_is_valid(unsigned int perm)
{
	return !perm || perm == MEM_READ || perm == MEM_RW;
}

API int mem_object_import(struct mem_endpoint *endpoint, const void *bytes,
			  size_t len, struct mem_attrs *const *lists,
			  size_t nr_lists, unsigned int perm,
			  uint64_t timeout_ns, struct mem_object **object)
{
	struct mem_attrs *attrs;
	struct desc desc;
	uint32_t own_perm;
	int err;

	if (!endpoint || !bytes || !object || !share_perm_is_valid(perm) ||
	    share_check_lists(lists, nr_lists))
		return -EINVAL;
	err = object_check(endpoint->ctx);
	if (!err)
		err = desc_open(endpoint, bytes, len, &desc);
	if (!err && desc.kind != DESC_OBJECT)
		err = -EBADMSG;
	if (!err)
		err = share_perm_of(&desc, perm, &own_perm);
	if (!err)
		err = share_object_list(endpoint, bytes, len, own_perm, &attrs);
	if (err)
		return err;
	err = share_validate_object(attrs, perm, lists, nr_lists);
	if (!err)
		err = share_import_memory(endpoint, attrs, &desc, timeout_ns,
					  object);
	if (err)
		mem_attrs_destroy(attrs);
	return err;
}

API int mem_object_import_bare(struct mem_endpoint *endpoint, const void *desc,
			       const struct mem_attrs *attrs, unsigned int perm,
			       uint64_t timeout_ns, struct mem_object **object)
{
	struct mem_attrs *own;
	struct desc opened;
	uint32_t own_perm;
	int err;

	if (!endpoint || !desc || !object || !share_perm_is_valid(perm) ||
	    !attrs_is(attrs) || attrs->state != MEM_ATTRS_RECONCILED)
		return -EINVAL;
	err = object_check(endpoint->ctx);
	if (!err && attrs->ctx != endpoint->ctx)
		err = -EXDEV;
	if (!err)
		err = desc_open(endpoint, desc, sizeof(opened), &opened);
	if (!err && opened.kind != DESC_BARE)
		err = -EBADMSG;
	if (!err)
		err = share_perm_of(&opened, perm, &own_perm);
	if (!err)
		err = attrs_with_perm(attrs, own_perm, &own);
	if (err)
		return err;
	err = share_import_memory(endpoint, own, &opened, timeout_ns, object);
	if (err)
		mem_attrs_destroy(own);
	return err;
}

/**
 * object_pack() - describe an object for another context or process
 * @object: object
 * @bytes: out: its list, to be freed
 * @len: out: number of @bytes
 * @fd: out: descriptor of its memory, owned by the caller
 *
 * In the embedded backend the memory has one view from then on, as after
 * mem_object_export().
 *
 * Context: may sleep.
 * Return: 0, or an error of mem_buf_export_as(), -ENOMEM.
 */
int object_pack(struct mem_object *object, void **bytes, size_t *len, int *fd)
{
	int err;

	err = attrs_pack(&object->attrs, 1, bytes, len);
	if (err)
		return err;
	err = mem_buf_export_as(object->memory->buf, attrs_perm(object->attrs),
				fd);
	if (err)
		free(*bytes);
	return err;
}

static int object_unpack_list(struct mem_ctx *ctx, const void *bytes,
			      size_t len, unsigned int perm,
			      struct mem_attrs **attrs)
{
	struct mem_attrs *new;
	int err;

	err = attrs_unpack(ctx, bytes, len, &new);
	if (err)
		return err;
	err = new->state == MEM_ATTRS_RECONCILED ?
	      attrs_with_perm(new, perm, attrs) : -EBADMSG;
	mem_attrs_destroy(new);
	return err;
}

/**
 * object_unpack() - make an object from what object_pack() returned
 * @ctx: context
 * @bytes: list; like @fd, another process may have made it
 * @len: number of @bytes
 * @perm: MEM_READ or MEM_RW
 * @fd: descriptor of the memory; remains the caller's
 * @object: out: object with one reference
 *
 * Context: may sleep.
 * Return: 0, -EBADMSG (the list is malformed, or the memory does not match it),
 * or an error of mem_buf_import(), -ENOMEM.
 */
int object_unpack(struct mem_ctx *ctx, const void *bytes, size_t len,
		  unsigned int perm, int fd, struct mem_object **object)
{
	struct mem_attrs *attrs;
	struct mem_buf *buf;
	int err;

	err = object_unpack_list(ctx, bytes, len, perm, &attrs);
	if (err)
		return err;
	err = share_import_buf(ctx, attrs, perm, fd, &buf);
	if (err)
		goto err_destroy_attrs;
	err = object_create(ctx, attrs, buf, object);
	if (!err)
		return 0;
	mem_buf_destroy(buf);
err_destroy_attrs:
	mem_attrs_destroy(attrs);
	return err;
}
