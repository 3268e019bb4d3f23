/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Jobs of images: the work of a kernel or host function, as a struct that is
 * copied to an engine's process; the table of which engine does what;
 * submission.
 */
#ifndef _LIBMEM_IMAGE_JOB_H
#define _LIBMEM_IMAGE_JOB_H

#include "store.h"
#include "view.h"

/* Maximum number of images and arrays of a job */
#define MAX_STORES	3U

/**
 * enum work_op - function that does the work
 * @WORK_COPY: view_copy()
 * @WORK_FILL: view_fill()
 * @WORK_CONVERT: view_convert()
 * @WORK_RESCALE: view_rescale()
 * @WORK_BOX: view_box()
 * @WORK_SCORES: harris_scores()
 * @WORK_PICK: harris_pick(), after WORK_SCORES
 * @WORK_UPDATE: views_update(): a copy to or from the internal copy, or of an
 *	array
 */
enum work_op {
	WORK_COPY,
	WORK_FILL,
	WORK_CONVERT,
	WORK_RESCALE,
	WORK_BOX,
	WORK_SCORES,
	WORK_PICK,
	WORK_UPDATE,
};

/**
 * struct work_rescale - parameters of WORK_RESCALE
 * @interp: enum mem_interp
 * @border: enum mem_border
 */
struct work_rescale {
	uint32_t interp;
	uint32_t border;
};

/**
 * struct work_box - parameters of WORK_BOX
 * @width: width of the window
 * @height: height of the window
 * @border: enum mem_border
 */
struct work_box {
	uint32_t width;
	uint32_t height;
	uint32_t border;
};

/**
 * struct work_harris - parameters of WORK_SCORES and WORK_PICK
 * @how: parameters
 * @scratch: scratch memory of both steps
 * @out: memory of the keypoints
 */
struct work_harris {
	struct mem_harris how;
	void *scratch;
	struct harris_out out;
};

/**
 * struct work_args - the work of a job
 * @op: function that does the work
 * @dst: image that is written; unused by WORK_SCORES and WORK_PICK
 * @src: image that is read; unused by WORK_FILL
 * @value: WORK_FILL: a number for each component
 * @how: parameters of WORK_CONVERT
 * @rescale: parameters of WORK_RESCALE
 * @box: parameters of WORK_BOX
 * @harris: parameters of WORK_SCORES and WORK_PICK
 * @is_array: WORK_UPDATE: the views are of arrays
 */
struct work_args {
	enum work_op op;
	struct view dst;
	struct view src;
	union {
		double value[MAX_CHANNELS];
		struct mem_convert how;
		struct work_rescale rescale;
		struct work_box box;
		struct work_harris harris;
		bool is_array;
	};
};

void work_run(const struct work_args *work, const struct part *part);
bool work_is_offered(const struct work_args *work, unsigned int engine);

int job_move(struct mem_stream *stream, unsigned int engine,
	     struct store *store, bool is_in, const struct op_done *done);

#endif
