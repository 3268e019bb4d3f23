/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libmem: interfaces between the files of images and arrays. */
#ifndef _LIBMEM_IMAGE_IMAGE_H
#define _LIBMEM_IMAGE_IMAGE_H

#include "store.h"

/**
 * struct mem_image - an image
 * @store: common part of images and arrays; must be the first member
 * @wrapped_as: enum mem_lock_as of the memory that a wrapper was given
 */
struct mem_image {
	struct store store;
	unsigned int wrapped_as;
};

/**
 * struct mem_array - an array
 * @store: common part of images and arrays; must be the first member
 * @data_type: enum mem_data_type
 * @stride: bytes from one element to the next
 * @capacity: maximum number of elements
 * @wrapped_as: enum mem_lock_as of the memory that a wrapper was given
 */
struct mem_array {
	struct store store;
	uint32_t data_type;
	uint32_t stride;
	uint64_t capacity;
	unsigned int wrapped_as;
};

/**
 * struct wrapped - memory of the caller, to be wrapped
 * @place: memory
 * @lacking: engines and the CPU, MEM_USE_*, that cannot work on it
 * @why: enum mem_wrap_why
 * @is_read_only: it must not be written
 */
struct wrapped {
	struct place place;
	uint64_t lacking;
	uint32_t why;
	bool is_read_only;
};

/**
 * struct image_pack - description of an image for another context or process
 * @uses: users, MEM_USE_*
 * @perm: MEM_READ or MEM_RW
 * @format: MEM_FORMAT_*
 * @width: pixels
 * @height: rows
 * @nr_planes: number of @planes; 0: as the object's list says
 * @planes: planes, with their offsets
 * @list: list of the object, from attrs_pack()
 * @list_len: bytes
 */
struct image_pack {
	uint64_t uses;
	uint32_t perm;
	uint32_t format;
	uint32_t width;
	uint32_t height;
	uint32_t nr_planes;
	struct mem_plane planes[MEM_PLANES_MAX];
	void *list;
	size_t list_len;
};

void image_name_make(struct mem_image *image);
size_t image_nr_channels(unsigned int format);
int image_geometry(unsigned int format, uint32_t width, uint32_t height,
		   struct view *view);
int image_place_alloc(struct mem_ctx *ctx, const struct view *view,
		      uint64_t uses, struct place *place);
int image_place_of(struct mem_object *object, uint64_t uses, uint32_t flags,
		   struct place *place);
int array_place_alloc(struct mem_ctx *ctx, const struct mem_array *array,
		      uint64_t uses, struct place *place);
int array_place_of(struct mem_object *object, const struct mem_array *array,
		   uint64_t uses, struct place *place);
int count_alloc(struct mem_ctx *ctx, struct place *place);

int wrap_plane(struct mem_ctx *ctx, unsigned int as, uint32_t plane,
	       void *base, struct wrapped *wrapped);
int wrap_check(struct mem_ctx *ctx, uint64_t uses, bool is_array,
	       struct wrapped *wrapped);
int store_wrap(struct store *store, struct wrapped *wrapped);
int rewrap_begin(struct store *store, bool is_alike, struct hold **hold);
uint64_t plane_len(const struct mem_plane *plane);
bool image_has_ctxs(const struct mem_image *image);
int image_pack(struct mem_image *image, struct image_pack *pack, int *fd);
int image_unpack(struct mem_ctx *ctx, const struct image_pack *pack, int fd,
		 struct mem_image **image);
int image_in_ctx(struct mem_image *image, struct mem_ctx *ctx,
		 struct mem_image **other);

#endif
