/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Jobs of images: the work of a kernel or host function, as a value that an
 * engine's process has a copy of; which engine does what; submission.
 */
#ifndef _LIBMEM_IMAGE_JOB_H
#define _LIBMEM_IMAGE_JOB_H

#include "store.h"
#include "view.h"

/* Images and arrays of a job */
#define MAX_STORES	3U

/**
 * enum work_op - what is done
 * @WORK_COPY: view_copy()
 * @WORK_FILL: view_fill()
 * @WORK_CONVERT: view_convert()
 * @WORK_RESCALE: view_rescale()
 * @WORK_BOX: view_box()
 * @WORK_SCORES: harris_scores()
 * @WORK_PICK: harris_pick(), after that
 * @WORK_UPDATE: views_update(): a copy to or from the one inside
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
 * @width: of the window
 * @height: of the window
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
 * @scratch: memory between the two
 * @out: where keypoints go
 */
struct work_harris {
	struct mem_harris how;
	void *scratch;
	struct harris_out out;
};

/**
 * struct work_args - the work of a job
 * @op: what is done
 * @dst: what is written; WORK_SCORES, WORK_PICK: nothing
 * @src: what is read; WORK_FILL: nothing
 * @value: WORK_FILL: a component each
 * @how: WORK_CONVERT
 * @rescale: WORK_RESCALE
 * @box: WORK_BOX
 * @harris: WORK_SCORES, WORK_PICK
 * @is_array: WORK_UPDATE
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
