// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reports to `heapsim run` what the buffer of an object holds, so that a
 * finding names the plane and row of an image instead of an offset alone.
 */
#include <stdio.h>
#include <string.h>

#include "../record/tables.h"
#include "object.h"

_Static_assert(OBJECT_SHAPE_OBJECT == (int)RECORD_TYPE_OBJECT &&
	       OBJECT_SHAPE_ARRAY == (int)RECORD_TYPE_ARRAY,
	       "types are those of the records");
_Static_assert(MEM_PLANES_MAX == RECORD_NR_PLANES, "planes have room");

/* Returns the value of a key, or NULL if the list does not have the key. */
static const void *shape_value_of(const struct mem_attrs *attrs, uint32_t key)
{
	struct mem_attr value = { .key = key };

	return mem_attrs_get(attrs, 0, &value, 1) ? NULL : value.value;
}

static void shape_add_plane(struct record_shape *shape,
			    const struct mem_attrs *attrs, uint32_t i)
{
	const uint64_t *offs =
		shape_value_of(attrs, MEM_ATTR_IMAGE_PLANE_OFFSET);
	const uint32_t *pitches =
		shape_value_of(attrs, MEM_ATTR_IMAGE_PLANE_PITCH);
	const uint32_t *bits = shape_value_of(attrs, MEM_ATTR_IMAGE_PLANE_BITS);
	const uint32_t *widths =
		shape_value_of(attrs, MEM_ATTR_IMAGE_PLANE_WIDTH);
	const uint32_t *heights =
		shape_value_of(attrs, MEM_ATTR_IMAGE_PLANE_HEIGHT);

	shape->planes[i] = (struct record_plane) {
		.off = offs[i],
		.row_len = (uint64_t)widths[i] * bits[i] / 8,
		.pitch = pitches[i],
		.nr_rows = heights[i],
	};
}

/*
 * Rows of a block-linear image are not contiguous, so no planes are reported.
 */
static void shape_add_image(struct record_shape *shape,
			    const struct mem_attrs *attrs)
{
	const uint32_t *nr = shape_value_of(attrs, MEM_ATTR_IMAGE_PLANE_COUNT);
	const uint32_t *layout = shape_value_of(attrs, MEM_ATTR_IMAGE_LAYOUT);
	const uint32_t *fourcc =
		shape_value_of(attrs, MEM_ATTR_IMAGE_PLANE_FORMAT);
	const uint32_t *widths =
		shape_value_of(attrs, MEM_ATTR_IMAGE_PLANE_WIDTH);
	const uint32_t *heights =
		shape_value_of(attrs, MEM_ATTR_IMAGE_PLANE_HEIGHT);
	uint32_t i;

	if (!nr || !shape_value_of(attrs, MEM_ATTR_IMAGE_PLANE_OFFSET))
		return;
	shape->width = widths[0];
	shape->height = heights[0];
	memcpy(shape->format, fourcc, sizeof(*fourcc));
	if (*layout != MEM_LAYOUT_PITCH_LINEAR)
		return;
	shape->nr_planes = *nr;
	for (i = 0; i < *nr; i++)
		shape_add_plane(shape, attrs, i);
}

static void shape_copy_name(char *to, size_t len, const char *from)
{
	if (from)
		snprintf(to, len, "%s", from);
}

/**
 * object_record_shape() - report what the buffer of an object holds
 * @object: object
 * @what: type of the object in reports
 * @format: name of the pixel or element format; NULL: from the attribute list
 * @name: name in reports; NULL: the buffer's own
 *
 * Context: any thread; one at a time per object.
 */
void object_record_shape(const struct mem_object *object,
			 enum object_shape what, const char *format,
			 const char *name)
{
	struct mem_buf_info info = { .size = sizeof(info) };
	struct record_shape shape = { .type = what };
	const uint64_t *capacity;

	if (!record_is_on() || mem_buf_info(object->memory->buf, &info))
		return;
	shape_add_image(&shape, object->attrs);
	capacity = shape_value_of(object->attrs, MEM_ATTR_ARRAY_CAPACITY);
	if (what == OBJECT_SHAPE_ARRAY && capacity) {
		shape.width = (uint32_t)*capacity;
		shape.height = 1;
	}
	shape_copy_name(shape.format, sizeof(shape.format), format);
	shape_copy_name(shape.name, sizeof(shape.name), name);
	record_add_shape(info.id,
			 object->ctx->backend->id == MEM_BACKEND_KERNEL,
			 &shape);
}
