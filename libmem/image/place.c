// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: the memory of images, as objects. An attribute list is made from the
 * format, the sides and the uses of an image; the reconciled list says where
 * the planes are.
 */
#include <errno.h>
#include <string.h>

#include "image.h"
#include "libmem/attrs.h"

#define MAX_KEYS	16U

/**
 * struct keys - keys of a list, with memory for their values
 * @keys: keys
 * @nr: number of @keys
 * @types: value of MEM_ATTR_TYPES
 * @engines: value of MEM_ATTR_ENGINES
 * @gpus: value of MEM_ATTR_GPU_IDS
 * @nr_gpus: number of @gpus
 * @needs_cpu: value of MEM_ATTR_NEED_CPU_ACCESS
 * @perm: value of MEM_ATTR_REQUIRED_PERM
 */
struct keys {
	struct mem_attr keys[MAX_KEYS];
	size_t nr;
	uint32_t types;
	uint64_t engines;
	uint8_t gpus[2][MEM_GPU_ID_LEN];
	size_t nr_gpus;
	uint8_t needs_cpu;
	uint32_t perm;
};

static void place_add_key(struct keys *keys, uint32_t key, const void *value,
			  size_t len)
{
	keys->keys[keys->nr++] = (struct mem_attr) {
		.key = key, .value = value, .len = len,
	};
}

static int place_add_gpu(struct keys *keys, struct mem_ctx *ctx, uint64_t uses,
			 unsigned int engine)
{
	if (!(uses & use_of(engine)))
		return 0;
	return mem_ctx_gpu_id(ctx, engine, keys->gpus[keys->nr_gpus++]);
}

/* Adds the keys that do not depend on the type. */
static int place_begin_keys(struct keys *keys, struct mem_ctx *ctx,
			    uint64_t uses, uint32_t type)
{
	int err;

	memset(keys, 0, sizeof(*keys));
	keys->types = type;
	keys->perm = MEM_RW;
	keys->needs_cpu = !!(uses & MEM_USE_CPU);
	keys->engines = uses & (MEM_USE_DMA | use_of(MEM_ENGINE_PVA) |
				use_of(MEM_ENGINE_VIC));
	err = place_add_gpu(keys, ctx, uses, MEM_ENGINE_GPU);
	if (!err)
		err = place_add_gpu(keys, ctx, uses, MEM_ENGINE_DGPU);
	if (err)
		return err;
	place_add_key(keys, MEM_ATTR_TYPES, &keys->types, sizeof(keys->types));
	place_add_key(keys, MEM_ATTR_REQUIRED_PERM, &keys->perm,
		      sizeof(keys->perm));
	place_add_key(keys, MEM_ATTR_NEED_CPU_ACCESS, &keys->needs_cpu,
		      sizeof(keys->needs_cpu));
	if (keys->engines)
		place_add_key(keys, MEM_ATTR_ENGINES, &keys->engines,
			      sizeof(keys->engines));
	if (keys->nr_gpus)
		place_add_key(keys, MEM_ATTR_GPU_IDS, keys->gpus,
			      keys->nr_gpus * MEM_GPU_ID_LEN);
	return 0;
}

/* Allocates an object. Returns -EOPNOTSUPP if the keys conflict. */
static int place_alloc_object(const struct keys *keys, struct mem_ctx *ctx,
			      struct mem_object **object)
{
	struct mem_attrs *list, *reconciled;
	int err;

	err = mem_attrs_create(ctx, &list);
	if (err)
		return err;
	err = mem_attrs_set(list, keys->keys, keys->nr);
	if (!err)
		err = mem_attrs_reconcile(&list, 1, &reconciled, NULL);
	mem_attrs_destroy(list);
	if (err)
		return err == -EADV ? -EOPNOTSUPP : err;
	err = mem_object_alloc(reconciled, NULL, object);
	mem_attrs_destroy(reconciled);
	return err;
}

/* Copies a value of an object's list. Returns -EINVAL if its length differs. */
static int place_value_get(const struct mem_object *object, uint32_t key,
			   void *value, size_t len)
{
	struct mem_attr attr = { .key = key };

	if (mem_attrs_get(mem_object_attrs(object), 0, &attr, 1) ||
	    attr.len != len)
		return -EINVAL;
	memcpy(value, attr.value, len);
	return 0;
}

/* Sets the pointers for the CPU and for engines, if they are users. */
static int place_get_pointers(struct place *place, uint64_t uses,
			      unsigned int access)
{
	void *host = NULL, *device = NULL;
	uint32_t i;
	int err = 0;

	if (uses & MEM_USE_CPU)
		err = mem_object_cpu_ptr(place->object, access, &host);
	if (!err && uses & USE_KERNELS)
		err = mem_object_device_ptr(place->object, &device);
	if (err)
		return err;
	for (i = 0; i < place->view.nr_planes; i++) {
		const uint64_t off = place->view.planes[i].off;

		place->host[i] = host ? (uint8_t *)host + off : NULL;
		place->device[i] = device ? (uint8_t *)device + off : NULL;
	}
	if (place->host[0])
		place->buf = mem_object_buf(place->object);
	return 0;
}

/*
 * Sets the pointers of the caller's object. A user without access to it gets no
 * pointer, and will work on a copy.
 */
static int place_find_pointers(struct place *place, uint64_t uses,
			       unsigned int access)
{
	uint64_t having = uses;
	void *ptr;
	int err = 0;

	/* This maps the object for good, so only the CPU's images do it. */
	if (uses & MEM_USE_CPU)
		err = mem_object_cpu_ptr(place->object, access, &ptr);
	if (err == -EACCES)
		having &= ~MEM_USE_CPU;
	else if (err)
		return err;
	err = mem_object_device_ptr(place->object, &ptr);
	if (err == -EACCES || err == -EOPNOTSUPP)
		having &= ~USE_KERNELS;
	else if (err)
		return err;
	return place_get_pointers(place, having, access);
}

static unsigned int place_access_of(const struct mem_object *object)
{
	uint32_t perm = MEM_RW;

	if (place_value_get(object, MEM_ATTR_ACTUAL_PERM, &perm, sizeof(perm)))
		return MEM_RW;
	return perm;
}

/* Images */

/**
 * image_nr_channels() - return the number of a format's components
 * @format: enum mem_format
 *
 * Return: number of components of a pixel, over all planes.
 */
size_t image_nr_channels(unsigned int format)
{
	struct mem_format_info info = { .size = sizeof(info) };
	size_t nr = 0;
	uint32_t i;

	if (mem_format_info(format, &info))
		return 0;
	for (i = 0; i < info.nr_planes; i++)
		nr += info.planes[i].nr_channels;
	return nr;
}

/**
 * image_geometry() - compute the sides of an image's planes
 * @format: enum mem_format
 * @width: width, pixels
 * @height: height, rows
 * @view: out: complete except for pitches, offsets and bases
 *
 * Return: 0, or -EINVAL.
 */
int image_geometry(unsigned int format, uint32_t width, uint32_t height,
		   struct view *view)
{
	struct mem_format_info info = { .size = sizeof(info) };
	uint32_t i;

	if (!width || !height || width > MEM_IMAGE_MAX ||
	    height > MEM_IMAGE_MAX || mem_format_info(format, &info))
		return -EINVAL;
	memset(view, 0, sizeof(*view));
	view->format = format;
	view->width = width;
	view->height = height;
	view->nr_planes = info.nr_planes;
	for (i = 0; i < info.nr_planes; i++) {
		const struct mem_format_plane *plane = &info.planes[i];

		view->planes[i].width = (width - 1) / plane->x_div + 1;
		view->planes[i].height = (height - 1) / plane->y_div + 1;
		view->planes[i].pixel_len = plane->pixel_len;
	}
	return 0;
}

/* Sets offsets and pitches of the planes from the object's list. */
static int place_get_planes(const struct mem_object *object, struct view *view)
{
	uint64_t offs[MEM_PLANES_MAX];
	uint32_t pitches[MEM_PLANES_MAX];
	const size_t nr = view->nr_planes;
	size_t i;
	int err;

	err = place_value_get(object, MEM_ATTR_IMAGE_PLANE_OFFSET, offs,
			      nr * sizeof(*offs));
	if (!err)
		err = place_value_get(object, MEM_ATTR_IMAGE_PLANE_PITCH,
				      pitches, nr * sizeof(*pitches));
	for (i = 0; i < nr && !err; i++) {
		view->planes[i].off = offs[i];
		view->planes[i].pitch = pitches[i];
	}
	return err;
}

/**
 * image_place_alloc() - allocate the memory of an image
 * @ctx: context
 * @view: planes from image_geometry()
 * @uses: users, MEM_USE_*
 * @place: out: memory, for place_fini()
 *
 * Return: 0, or an error as documented for mem_image_create().
 */
int image_place_alloc(struct mem_ctx *ctx, const struct view *view,
		      uint64_t uses, struct place *place)
{
	struct mem_format_info info = { .size = sizeof(info) };
	uint32_t fourccs[MEM_PLANES_MAX], stds[MEM_PLANES_MAX];
	uint32_t widths[MEM_PLANES_MAX], heights[MEM_PLANES_MAX];
	struct place new = { .view = *view };
	const uint32_t nr = view->nr_planes;
	struct keys keys;
	uint32_t i;
	int err;

	err = mem_format_info(view->format, &info);
	if (!err)
		err = place_begin_keys(&keys, ctx, uses, MEM_ATTR_TYPE_IMAGE);
	if (err)
		return err;
	for (i = 0; i < nr; i++) {
		fourccs[i] = info.planes[i].fourcc;
		stds[i] = info.color_std;
		widths[i] = view->planes[i].width;
		heights[i] = view->planes[i].height;
	}
	place_add_key(&keys, MEM_ATTR_IMAGE_LAYOUT, &info.layout,
		      sizeof(info.layout));
	place_add_key(&keys, MEM_ATTR_IMAGE_PLANE_COUNT, &nr, sizeof(nr));
	place_add_key(&keys, MEM_ATTR_IMAGE_PLANE_FORMAT, fourccs,
		      nr * sizeof(*fourccs));
	place_add_key(&keys, MEM_ATTR_IMAGE_PLANE_STD, stds,
		      nr * sizeof(*stds));
	place_add_key(&keys, MEM_ATTR_IMAGE_PLANE_WIDTH, widths,
		      nr * sizeof(*widths));
	place_add_key(&keys, MEM_ATTR_IMAGE_PLANE_HEIGHT, heights,
		      nr * sizeof(*heights));
	err = place_alloc_object(&keys, ctx, &new.object);
	if (err)
		return err;
	err = place_get_planes(new.object, &new.view);
	if (!err)
		err = place_get_pointers(&new, uses, MEM_RW);
	if (err)
		place_fini(&new);
	else
		*place = new;
	return err;
}

/*
 * Returns a number for the range of a standard's values. Standards of different
 * ranges are never treated as equal.
 */
static unsigned int place_range_of(uint32_t std)
{
	switch (std) {
	case MEM_COLOR_STD_REC601_SR:
	case MEM_COLOR_STD_REC709_SR:
	case MEM_COLOR_STD_REC2020_SR:
		return 1;
	case MEM_COLOR_STD_SRGB:
	case MEM_COLOR_STD_REC601_ER:
	case MEM_COLOR_STD_REC709_ER:
	case MEM_COLOR_STD_REC2020_ER:
		return 2;
	default:
		return 0;
	}
}

/**
 * enum std_match - how the standard of an object's plane is compared
 * @STD_EQUAL: it is that of the format
 * @STD_LIKE: it has the range of the format, which may be one of plain numbers
 * @STD_ANY: it is ignored
 */
enum std_match {
	STD_EQUAL,
	STD_LIKE,
	STD_ANY,
};

/* Returns true if a plane of standard @std may be a plane of the format. */
static bool place_std_fits(uint32_t std, const struct mem_format_info *info,
			   enum std_match match)
{
	switch (match) {
	case STD_EQUAL:
		return std == info->color_std;
	case STD_LIKE:
		return std == info->color_std || !info->color_std ||
		       place_range_of(std) == place_range_of(info->color_std);
	default:
		return true;
	}
}

/* Returns true if an object's list has the planes of a format. */
static bool place_is_of_format(const struct mem_object *object,
			       unsigned int format, enum std_match match)
{
	struct mem_format_info info = { .size = sizeof(info) };
	uint32_t fourccs[MEM_PLANES_MAX], stds[MEM_PLANES_MAX], layout, i;
	size_t len;

	if (mem_format_info(format, &info))
		return false;
	len = info.nr_planes * sizeof(*fourccs);
	if (place_value_get(object, MEM_ATTR_IMAGE_PLANE_FORMAT, fourccs,
			    len) ||
	    place_value_get(object, MEM_ATTR_IMAGE_LAYOUT, &layout,
			    sizeof(layout)) ||
	    layout != info.layout)
		return false;
	/* A list without a standard fits any. */
	if (place_value_get(object, MEM_ATTR_IMAGE_PLANE_STD, stds, len))
		for (i = 0; i < info.nr_planes; i++)
			stds[i] = info.color_std;
	for (i = 0; i < info.nr_planes; i++)
		if (fourccs[i] != info.planes[i].fourcc ||
		    !place_std_fits(stds[i], &info, match))
			return false;
	return true;
}

/*
 * Returns the format of a list's planes. If no format has the standard of the
 * list, one of the same range with a single plane is used: such standards only
 * differ in the matrix between luma, chroma and colours, which does not matter
 * without colour, or if all colour is in one plane. With MEM_IMAGE_ANY_STD, any
 * format with a standard is used.
 */
static unsigned int place_format_of(const struct mem_object *object,
				    uint32_t flags)
{
	struct mem_format_info info;
	unsigned int i, like = MEM_FORMAT_INVALID;

	for (i = 1;; i++) {
		info = (struct mem_format_info) { .size = sizeof(info) };
		if (mem_format_info(i, &info))
			break;
		if (place_is_of_format(object, i, STD_EQUAL))
			return i;
		if (like || !info.color_std)
			continue;
		if (flags & MEM_IMAGE_ANY_STD ?
		    place_is_of_format(object, i, STD_ANY) :
		    info.nr_planes == 1 &&
		    place_is_of_format(object, i, STD_LIKE))
			like = i;
	}
	return like;
}

/**
 * image_place_of() - use the memory of an object for an image
 * @object: object; a reference is taken on success
 * @uses: users, MEM_USE_*
 * @flags: 0 or MEM_IMAGE_ANY_STD
 * @place: in: format (MEM_FORMAT_INVALID: found by place_format_of()) and sides
 *	(0: those of the list); out: memory, for place_fini()
 *
 * Return: 0, or an error as documented for mem_image_wrap().
 */
int image_place_of(struct mem_object *object, uint64_t uses, uint32_t flags,
		   struct place *place)
{
	uint32_t widths[MEM_PLANES_MAX], heights[MEM_PLANES_MAX];
	unsigned int format = place->view.format;
	struct place new = { .view = { .format = 0 } };
	uint32_t layout, scan, i;
	size_t len;
	int err;

	if (place_value_get(object, MEM_ATTR_IMAGE_LAYOUT, &layout,
			    sizeof(layout)) ||
	    place_value_get(object, MEM_ATTR_IMAGE_SCAN, &scan, sizeof(scan)))
		return -EINVAL;
	/* In memory, the rows of two fields do not alternate. */
	if (scan != MEM_SCAN_PROGRESSIVE)
		return -EOPNOTSUPP;
	if (!format)
		format = place_format_of(object, flags);
	else if (!place_is_of_format(object, format,
				     flags & MEM_IMAGE_ANY_STD ? STD_ANY :
								 STD_LIKE))
		return -EINVAL;
	if (!format)
		return -EOPNOTSUPP;
	err = image_geometry(format, 1, 1, &new.view);
	if (err)
		return err;
	len = new.view.nr_planes * sizeof(*widths);
	if (place_value_get(object, MEM_ATTR_IMAGE_PLANE_WIDTH, widths, len) ||
	    place_value_get(object, MEM_ATTR_IMAGE_PLANE_HEIGHT, heights, len))
		return -EINVAL;
	err = image_geometry(format, widths[0], heights[0], &new.view);
	if (!err)
		err = place_get_planes(object, &new.view);
	if (err)
		return err;
	for (i = 0; i < new.view.nr_planes; i++)
		if (widths[i] != new.view.planes[i].width ||
		    heights[i] != new.view.planes[i].height)
			return -EINVAL;
	if ((place->view.width && place->view.width != widths[0]) ||
	    (place->view.height && place->view.height != heights[0]))
		return -EINVAL;
	new.object = mem_object_get(object);
	err = place_find_pointers(&new, uses, place_access_of(object));
	if (err)
		place_fini(&new);
	else
		*place = new;
	return err;
}

/* Arrays */

/**
 * count_alloc() - allocate memory for the count of an array
 * @ctx: context
 * @place: in and out: the count becomes its second plane
 *
 * The memory has one view on every board, so it needs no maintenance.
 *
 * Return: 0, or an error of mem_buf_alloc().
 */
int count_alloc(struct mem_ctx *ctx, struct place *place)
{
	void *host, *device = NULL;
	struct mem_buf *buf;
	int err;

	err = mem_buf_alloc(ctx, MEM_KIND_UNCACHED, sizeof(uint64_t), NULL,
			    &buf);
	if (err)
		return err;
	err = mem_buf_map(buf, &host);
	if (!err)
		err = mem_buf_device_ptr(buf, &device);
	if (err) {
		mem_buf_destroy(buf);
		return err;
	}
	place->own = buf;
	place->host[ARRAY_COUNT] = host;
	place->device[ARRAY_COUNT] = device;
	return 0;
}

/**
 * array_place_alloc() - allocate the memory of an array
 * @ctx: context
 * @array: array with its type, stride and capacity
 * @uses: users, MEM_USE_*
 * @place: in: planes; out: memory, for place_fini()
 *
 * Return: 0, or an error as documented for mem_array_create().
 */
int array_place_alloc(struct mem_ctx *ctx, const struct mem_array *array,
		      uint64_t uses, struct place *place)
{
	const uint64_t stride = array->stride;
	struct place new = { .view = place->view };
	struct keys keys;
	int err;

	err = place_begin_keys(&keys, ctx, uses, MEM_ATTR_TYPE_ARRAY);
	if (err)
		return err;
	place_add_key(&keys, MEM_ATTR_ARRAY_DATA_TYPE, &array->data_type,
		      sizeof(array->data_type));
	place_add_key(&keys, MEM_ATTR_ARRAY_STRIDE, &stride, sizeof(stride));
	place_add_key(&keys, MEM_ATTR_ARRAY_CAPACITY, &array->capacity,
		      sizeof(array->capacity));
	err = place_alloc_object(&keys, ctx, &new.object);
	if (err)
		return err;
	new.view.planes[0].pitch = array->stride;
	err = place_get_pointers(&new, uses, MEM_RW);
	if (!err)
		err = count_alloc(ctx, &new);
	if (err)
		place_fini(&new);
	else
		*place = new;
	return err;
}

/**
 * array_place_of() - use the memory of an object for an array
 * @object: object; a reference is taken on success
 * @array: array, whose type, stride and capacity must equal those of the list
 * @uses: users, MEM_USE_*
 * @place: in: planes; out: memory, for place_fini()
 *
 * Return: 0, or an error as documented for mem_array_wrap().
 */
int array_place_of(struct mem_object *object, const struct mem_array *array,
		   uint64_t uses, struct place *place)
{
	struct place new = { .view = place->view };
	uint64_t stride, capacity;
	uint32_t type;
	int err;

	if (place_value_get(object, MEM_ATTR_ARRAY_DATA_TYPE, &type,
			    sizeof(type)) ||
	    place_value_get(object, MEM_ATTR_ARRAY_STRIDE, &stride,
			    sizeof(stride)) ||
	    place_value_get(object, MEM_ATTR_ARRAY_CAPACITY, &capacity,
			    sizeof(capacity)) ||
	    type != array->data_type || stride != array->stride ||
	    capacity != array->capacity)
		return -EINVAL;
	new.object = mem_object_get(object);
	err = place_find_pointers(&new, uses, place_access_of(object));
	if (!err)
		err = count_alloc(mem_object_buf(object)->ctx, &new);
	if (err)
		place_fini(&new);
	else
		*place = new;
	return err;
}
