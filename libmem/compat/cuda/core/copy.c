// SPDX-License-Identifier: LGPL-2.1-or-later
/* Copies and sets. */
#include <errno.h>

#include "internal.h"

/* CU_DEVICE_ATTRIBUTE_MAX_PITCH */
#define MAX_PITCH	0x7fffffffU

/*
 * Returns true if the address is in an allocation. Pageable memory counts as
 * the host's even on a board whose engines can access it: no document says
 * otherwise, and no recorded case contradicts it.
 */
static bool copy_is_allocated(const void *ptr)
{
	struct core_ptr what;

	core_ptr(ptr, &what);
	return what.kind != MEM_KIND_PAGEABLE;
}

/* Returns true if the sides that must be device memory are. */
static bool copy_sides_are_right(const struct core_copy *copy)
{
	return (!(copy->sides & CORE_SRC_DEVICE) ||
		copy_is_allocated(copy->rows.src)) &&
	       (!(copy->sides & CORE_DST_DEVICE) ||
		copy_is_allocated(copy->rows.dst));
}

static int copy_as(struct mem_stream *stream, const struct core_copy *copy,
		   enum mem_dir dir)
{
	const struct mem_rows *rows = &copy->rows;

	if (rows->nr_rows != 1)
		return copy->is_async ?
			mem_copy_rows_async(stream, rows, dir) :
			mem_copy_rows(stream, rows, dir);
	return copy->is_async ?
		mem_copy_async(stream, rows->dst, rows->src, rows->row_len,
			       dir) :
		mem_copy(stream, rows->dst, rows->src, rows->row_len, dir);
}

/*
 * libmem checks both sides in any case, so it is called first. It also refuses
 * device memory on the host's side, which CUDA accepts.
 */
static int copy_sides(struct mem_stream *stream, const struct core_copy *copy)
{
	static const enum mem_dir dirs[] = {
		[0] = MEM_DIR_DEFAULT,
		[CORE_DST_DEVICE] = MEM_DIR_HOST_TO_DEVICE,
		[CORE_SRC_DEVICE] = MEM_DIR_DEVICE_TO_HOST,
		[CORE_SRC_DEVICE | CORE_DST_DEVICE] = MEM_DIR_DEVICE_TO_DEVICE,
	};
	int err = copy_as(stream, copy, dirs[copy->sides]);

	if (err == -EINVAL && copy->sides && copy_sides_are_right(copy))
		err = copy_as(stream, copy, MEM_DIR_DEFAULT);
	return err;
}

/**
 * core_memop() - end a copy or a set
 * @ctx: context
 * @stream: stream to which it was submitted
 * @is_async: it must not wait
 * @rc: result of the submission
 *
 * Not all synchronous operations wait: one within device memory only does if
 * the context has CU_CTX_SYNC_MEMOPS.
 *
 * Return: @rc, or core_error() of mem_stream_sync().
 */
int core_memop(struct CUctx_st *ctx, struct mem_stream *stream, bool is_async,
	       int rc)
{
	if (rc || is_async || !(ctx->flags & CU_CTX_SYNC_MEMOPS))
		return rc;
	return core_error(mem_stream_sync(stream));
}

/**
 * core_copy() - copy rows
 * @copy: parameters
 *
 * A side in @copy->sides must be in an allocation. A side that the caller
 * declared as the host's may be any memory, as in a CUDA 13.0 runtime.
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (a side is NULL or not device
 * memory although it must be, a row exceeds its pitch or its memory),
 * CUDA_ERROR_INVALID_HANDLE, or core_error() of mem_copy().
 */
CORE_API int core_copy(const struct core_copy *copy)
{
	const struct mem_rows *rows = &copy->rows;
	struct mem_stream *stream;
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_stream(ctx, copy->stream, &stream);
	if (rc || !rows->row_len || !rows->nr_rows)
		return rc;
	if (!rows->dst || !rows->src ||
	    (rows->nr_rows > 1 && (rows->dst_pitch > MAX_PITCH ||
				   rows->src_pitch > MAX_PITCH)))
		return CUDA_ERROR_INVALID_VALUE;
	return core_memop(ctx, stream, copy->is_async,
			  core_error(copy_sides(stream, copy)));
}

/* Arguments of k_fill() */
struct fill {
	char *dst;
	uint64_t pitch;
	uint64_t row_len;
	uint32_t value;
	uint32_t value_len;
};

static void k_fill(const struct mem_block *block, void *args)
{
	const struct fill *fill = args;
	char *row = fill->dst + block->index[0] * fill->pitch;
	uint64_t i;

	if (fill->value_len == 2)
		for (i = 0; i < fill->row_len; i++)
			((uint16_t *)row)[i] = fill->value;
	else
		for (i = 0; i < fill->row_len; i++)
			((uint32_t *)row)[i] = fill->value;
}

static bool set_is_of_one_byte(const struct core_set *set)
{
	const uint32_t bytes = (uint8_t)set->value * 0x01010101U;

	switch (set->value_len) {
	case 1:
		return true;
	case 2:
		return (uint16_t)set->value == (uint16_t)bytes;
	default:
		return set->value == bytes;
	}
}

static int set_bytes(struct mem_stream *stream, const struct core_set *set)
{
	const struct mem_rows rows = {
		.dst = set->dst,
		.dst_pitch = set->nr_rows != 1 ? set->pitch :
						 set->row_len * set->value_len,
		.row_len = set->row_len * set->value_len,
		.nr_rows = set->nr_rows,
	};

	return set->is_async ? mem_fill_rows_async(stream, &rows, set->value) :
			       mem_fill_rows(stream, &rows, set->value);
}

/* Fills by a kernel what mem_fill() cannot; waits as mem_fill() does. */
static int set_words(struct CUctx_st *ctx, struct mem_stream *stream,
		     const struct core_set *set)
{
	const uint64_t row_len = set->row_len * set->value_len;
	const uint64_t len = (set->nr_rows - 1) * set->pitch + row_len;
	struct fill fill = {
		.pitch = set->pitch,
		.row_len = set->row_len,
		.value = set->value,
		.value_len = set->value_len,
	};
	const struct mem_launch launch = {
		.size = sizeof(launch),
		.engine = ctx->device->engine,
		.kernel = k_fill,
		.grid = { set->nr_rows, 1, 1 },
		.block = { 1, 1, 1 },
		.args = &fill,
		.args_len = sizeof(fill),
	};
	struct core_ptr what;
	uint64_t off;
	int rc;

	core_ptr(set->dst, &what);
	off = (char *)set->dst - (char *)what.info.base;
	if (what.kind == MEM_KIND_PAGEABLE || !what.info.device)
		return CUDA_ERROR_INVALID_VALUE;
	/* The address may be the one for engines. */
	if (what.kind == MEM_KIND_REGISTERED && set->dst == what.info.device)
		off = (char *)what.info.host - (char *)what.info.base;
	if (len > what.info.len - off)
		return CUDA_ERROR_INVALID_VALUE;
	fill.dst = what.info.device;
	rc = mem_launch(stream, &launch);
	if (!rc && !set->is_async && what.kind != MEM_KIND_DEVICE)
		rc = mem_stream_sync(stream);
	return core_error(rc);
}

/**
 * core_set() - fill rows
 * @set: parameters
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (devices cannot access the
 * memory, it is not aligned to its elements, a row exceeds its pitch or its
 * memory), CUDA_ERROR_INVALID_HANDLE, or core_error() of mem_fill().
 */
CORE_API int core_set(const struct core_set *set)
{
	const uint64_t max_rows = 0x7fffffff;
	struct mem_stream *stream;
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_stream(ctx, set->stream, &stream);
	if (rc || !set->row_len || !set->nr_rows)
		return rc;
	if (!set->dst || set->nr_rows > max_rows ||
	    set->row_len > UINT64_MAX / set->value_len ||
	    (uintptr_t)set->dst % set->value_len)
		return CUDA_ERROR_INVALID_VALUE;
	if (set->nr_rows > 1 &&
	    (set->pitch > MAX_PITCH || set->pitch % set->value_len ||
	     set->pitch < set->row_len * set->value_len))
		return CUDA_ERROR_INVALID_VALUE;
	rc = set_is_of_one_byte(set) ? core_error(set_bytes(stream, set)) :
				   set_words(ctx, stream, set);
	return core_memop(ctx, stream, set->is_async, rc);
}
