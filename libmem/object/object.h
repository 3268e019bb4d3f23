/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects, as the files of this folder have them.
 */
#ifndef _LIBMEM_OBJECT_OBJECT_H
#define _LIBMEM_OBJECT_OBJECT_H

#include "../attrs/attrs.h"
#include "endpoint.h"

/**
 * struct object_memory - the memory of objects with one permission
 * @nr_users: objects
 * @buf: read-only if they are
 * @lock: protects what follows
 * @addr: where the CPU has it; NULL: nobody has asked
 */
struct object_memory {
	atomic_uint nr_users;
	struct mem_buf *buf;

	pthread_mutex_t lock;
	void *addr;
};

/**
 * struct mem_object - an object
 * @ctx: kept
 * @nr_users: references
 * @attrs: its own list
 * @memory: kept
 */
struct mem_object {
	struct mem_ctx *ctx;
	atomic_uint nr_users;
	struct mem_attrs *attrs;
	struct object_memory *memory;
};

/**
 * enum desc_kind - what a descriptor is of
 * @DESC_UNRECONCILED: an unreconciled list
 * @DESC_RECONCILED: a reconciled list
 * @DESC_OBJECT: an object and its list
 * @DESC_BARE: an object
 */
enum desc_kind {
	DESC_UNRECONCILED = 1,
	DESC_RECONCILED,
	DESC_OBJECT,
	DESC_BARE,
};

/**
 * struct desc - what a descriptor begins with
 * @magic: DESC_MAGIC
 * @version: DESC_VERSION
 * @len: of the whole, bytes
 * @sum: of the whole, this as 0
 * @sender: id of the end that it was made for
 * @kind: enum desc_kind
 * @perm: of an object: MEM_READ or MEM_RW, else 0
 * @buf_len: of an object: bytes of its memory, else 0
 * @backend: of an object: enum mem_backend, else 0
 * @seq: of an object: of its memory's ticket, else 0
 * @token: of an object: of that, else 0
 * @reserved: 0
 *
 * A list follows as attrs_pack() has it, but of DESC_BARE. Both processes are
 * on one machine: numbers are in its byte order.
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
	uint64_t reserved[21];
};

/* object.c */
int object_check(const struct mem_ctx *ctx);
int object_create(struct mem_ctx *ctx, struct mem_attrs *attrs,
		  struct mem_buf *buf, struct mem_object **object);
uint64_t object_buf_len(const struct mem_attrs *attrs);
int object_read_only_buf(struct mem_ctx *ctx, struct mem_buf *buf,
			 struct mem_buf **other);

/** enum object_shape - what an object is for people; as enum told_type */
enum object_shape {
	OBJECT_SHAPE_OBJECT = 1,
	OBJECT_SHAPE_IMAGE,
	OBJECT_SHAPE_ARRAY,
};

/* shape.c */
void object_tell_shape(const struct mem_object *object, enum object_shape what,
		       const char *format, const char *name);

/* descriptor.c */
void desc_seal(struct desc *desc, enum desc_kind kind, size_t list_len,
	       const struct mem_endpoint *endpoint);
int desc_open(struct mem_endpoint *endpoint, const void *bytes, size_t len,
	      struct desc *desc);

#endif
