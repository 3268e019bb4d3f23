// SPDX-License-Identifier: GPL-2.0-only
/* Facts about a finding, as all reports describe them. */
#include <stdio.h>

#include "finding.h"
#include "kind.h"
#include "../record/stacks.h"

/**
 * finding_is_leak() - check for an object that was never destroyed
 * @finding: finding
 *
 * Return: true if the finding is a leak.
 */
bool finding_is_leak(const struct finding *finding)
{
	return kind_of(finding->record.kind)->class == KIND_LEAK;
}

/**
 * finding_holder() - name the type of object that the bytes belong to
 * @finding: finding
 *
 * Return: "object", "image" or "array"; "buffer" if no layer reported a type.
 */
const char *finding_holder(const struct finding *finding)
{
	const uint32_t type = finding->shape ? finding->shape->type : 0;

	switch (type) {
	case RECORD_TYPE_OBJECT:
		return "object";
	case RECORD_TYPE_IMAGE:
		return "image";
	case RECORD_TYPE_ARRAY:
		return "array";
	default:
		return "buffer";
	}
}

/**
 * finding_row() - find the row of an image that a finding begins in
 * @finding: finding
 * @row: out: the row
 *
 * Return: false if the buffer has no rows, or the offset is outside of them.
 */
bool finding_row(const struct finding *finding, struct finding_row *row)
{
	const struct record_shape *shape = finding->shape;
	uint32_t i;

	/* The program can write the shape, so its values are not trusted. */
	for (i = 0;
	     shape && i < shape->nr_planes && i < RECORD_NR_PLANES; i++) {
		const struct record_plane plane = shape->planes[i];
		const uint64_t at = finding->record.off - plane.off;

		if (finding->record.off < plane.off || !plane.pitch ||
		    at / plane.pitch >= plane.nr_rows)
			continue;
		*row = (struct finding_row) {
			.plane = i,
			.row = at / plane.pitch,
			.byte = at % plane.pitch,
			.len = plane.row_len,
		};
		return true;
	}
	return false;
}

/**
 * finding_call() - name an unimplemented function that was called
 * @finding: finding of any kind
 * @name: out: name of the function
 *
 * Return: @name, or NULL if the finding is of another kind.
 */
const char *finding_call(const struct finding *finding,
			 char name[FINDING_CALL_LEN])
{
	const struct heapsim_record *r = &finding->record;

	if (kind_of(r->kind)->class != KIND_MISSING)
		return NULL;
	snprintf(name, FINDING_CALL_LEN, "%.*s%.*s", (int)sizeof(r->name),
		 r->name, (int)sizeof(r->other.name), r->other.name);
	return name;
}
