/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internals of objects.
 */
#ifndef _LIBMEM_OBJECT_OBJECT_H
#define _LIBMEM_OBJECT_OBJECT_H

#include "../attrs/attrs.h"
#include "endpoint.h"

/**
 * struct object_memory - memory shared by objects with the same permission
 * @nr_users: number of objects that refer to it
 * @buf: buffer, which is read-only if the objects are
 * @lock: protects @addr
 * @addr: CPU address; NULL: mem_object_cpu_ptr() was not called yet
 */
struct object_memory {
	atomic_uint nr_users;
	struct mem_buf *buf;

	pthread_mutex_t lock;
	void *addr;
};

/**
 * struct mem_object - an object
 * @handle: the object's address is its handle; counts the references
 * @ctx: context; the object holds a reference
 * @attrs: attribute list, owned by the object, and lent to the program
 * @memory: memory; the object holds a reference
 */
struct mem_object {
	struct libmem_handle handle;
	struct mem_ctx *ctx;
	struct mem_attrs *attrs;
	struct object_memory *memory;
};

/**
 * enum desc_kind - what a descriptor describes
 * @DESC_UNRECONCILED: an unreconciled list
 * @DESC_RECONCILED: a reconciled list
 * @DESC_OBJECT: an object and its list
 * @DESC_BARE: an object without its list
 * @DESC_TIMELINE: a timeline
 */
enum desc_kind {
	DESC_UNRECONCILED = 1,
	DESC_RECONCILED,
	DESC_OBJECT,
	DESC_BARE,
	DESC_TIMELINE,
};

/**
 * struct desc - header of a descriptor
 * @magic: DESC_MAGIC
 * @version: DESC_VERSION
 * @len: length of header and list, bytes
 * @sum: checksum of header and list, computed with 0 in this field
 * @sender: id of the sender's end of the endpoint
 * @kind: enum desc_kind
 * @perm: MEM_READ or MEM_RW; MEM_WRITE is possible for a timeline; 0 if it
 *	describes neither
 * @buf_len: bytes of the object's memory; 0 if there is none
 * @backend: enum mem_backend; 0 if it describes no object
 * @seq: number in the memory's ticket; 0 if there is none
 * @token: token in the memory's ticket; 0 if there is none
 * @event_token: token in the ticket of a timeline's eventfd; else 0
 * @event_seq: number in that ticket; else 0
 * @life_seq: number in the ticket of a timeline's pipe; else 0
 * @life_token: token in that ticket; else 0
 * @reserved: 0
 *
 * Except in DESC_BARE and DESC_TIMELINE, a list in the format of attrs_pack()
 * follows. Numbers are in native byte order, since both processes are on one
 * machine.
 */
struct desc {
	uint64_t magic;
	uint64_t version;
	uint64_t len;
	uint64_t sum;
	uint8_t sender[ENDPOINT_ID_LEN];
	uint32_t kind;
	uint32_t perm;
	uint64_t buf_len;
	uint32_t backend;
	uint32_t seq;
	uint8_t token[ENDPOINT_ID_LEN];
	uint8_t event_token[ENDPOINT_ID_LEN];
	uint32_t event_seq;
	uint32_t life_seq;
	uint8_t life_token[ENDPOINT_ID_LEN];
	uint64_t reserved[16];
};

/* Returns true if a caller's pointer is an object; see libmem_handle_is(). */
static inline bool object_is(const struct mem_object *object)
{
	return libmem_handle_is(object, LIBMEM_HANDLE_OBJECT);
}

/* object.c */
int object_check(const struct mem_ctx *ctx);
int object_create(struct mem_ctx *ctx, struct mem_attrs *attrs,
		  struct mem_buf *buf, struct mem_object **object);
uint64_t object_buf_len(const struct mem_attrs *attrs);
int object_read_only_buf(struct mem_ctx *ctx, struct mem_buf *buf,
			 struct mem_buf **other);

/* share.c */
int object_pack(struct mem_object *object, void **bytes, size_t *len, int *fd);
int object_unpack(struct mem_ctx *ctx, const void *bytes, size_t len,
		  unsigned int perm, int fd, struct mem_object **object);

/** enum object_shape - object type in reports, as in enum record_type */
enum object_shape {
	OBJECT_SHAPE_OBJECT = 1,
	OBJECT_SHAPE_IMAGE,
	OBJECT_SHAPE_ARRAY,
};

/* shape.c */
void object_record_shape(const struct mem_object *object,
			 enum object_shape what, const char *format,
			 const char *name);

/* descriptor.c */
void desc_seal(struct desc *desc, enum desc_kind kind, size_t list_len,
	       const struct mem_endpoint *endpoint);
int desc_open(struct mem_endpoint *endpoint, const void *bytes, size_t len,
	      struct desc *desc);

#endif
