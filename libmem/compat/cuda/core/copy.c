// SPDX-License-Identifier: LGPL-2.1-or-later
/* Copies and sets. */
#include <errno.h>

#include "internal.h"

/* The longest pitch there is: CU_DEVICE_ATTRIBUTE_MAX_PITCH. */
#define MAX_PITCH	0x7fffffffU

/*
 * Is it of an allocation? Pageable memory is the host's, also on a board whose
 * engines reach it: no document says otherwise, and what was recorded does not.
 */
static bool is_allocated(const void *ptr)
{
	struct core_ptr what;

	core_ptr(ptr, &what);
	return what.kind != MEM_KIND_PAGEABLE;
}

/* What a side is said to be a device's for has to be so. */
static bool are_sides_right(const struct core_copy *copy)
{
	return (!(copy->sides & CORE_SRC_DEVICE) ||
		is_allocated(copy->rows.src)) &&
	       (!(copy->sides & CORE_DST_DEVICE) ||
		is_allocated(copy->rows.dst));
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
 * libmem looks at both sides in any case, and is asked first: it demands of a
 * host's side that it is no device memory, and else the same.
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

	if (err == -EINVAL && copy->sides && are_sides_right(copy))
		err = copy_as(stream, copy, MEM_DIR_DEFAULT);
	return err;
}

/**
 * core_memop() - end a copy or a set
 * @ctx: context
 * @stream: where
 * @is_async: it is one that does not wait
 * @rc: its answer
 *
 * Of those that are called synchronous not all wait: one within the device's
 * memory does where the context was told that all shall (CU_CTX_SYNC_MEMOPS).
 *
 * Return: @rc, or as core_error() of mem_stream_sync().
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
 * @copy: what
 *
 * A side that is said to be a device's has to be memory of an allocation. Of
 * one that is said to be the host's nothing is demanded: what it is decides
 * (asked of a CUDA 13.0 runtime).
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (a side is NULL or not what
 * it is said to be, a row leaves its pitch or its memory),
 * CUDA_ERROR_INVALID_HANDLE, or as core_error() of mem_copy().
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

/* What a kernel fills. */
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

static bool is_of_one_byte(const struct core_set *set)
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

/* What libmem's sets cannot, a kernel does; as they, it is waited for. */
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
	/* The address may be the engine's. */
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
 * @set: what
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_INVALID_VALUE (it is not memory that
 * devices reach, not aligned to its elements, a row leaves its pitch or its
 * memory), CUDA_ERROR_INVALID_HANDLE, or as core_error() of mem_fill().
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
	rc = is_of_one_byte(set) ? core_error(set_bytes(stream, set)) :
				   set_words(ctx, stream, set);
	return core_memop(ctx, stream, set->is_async, rc);
}
