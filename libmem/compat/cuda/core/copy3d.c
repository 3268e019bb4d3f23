// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Copies of boxes between memory and arrays. A box is copied as rows: at once
 * if its slices are contiguous on both sides, else slice by slice.
 */
#include "core_array.h"
#include "internal.h"

/* CU_DEVICE_ATTRIBUTE_MAX_PITCH */
#define MAX_PITCH	0x7fffffffU

/**
 * struct side - a side of a copy
 * @at: first byte
 * @pitch: bytes from one row to the next
 * @slice: bytes from one slice to the next
 */
struct side {
	char *at;
	uint64_t pitch;
	uint64_t slice;
};

/**
 * struct where - a side of a copy, as described by the program
 * @type: type of memory
 * @ptr: address of host or device memory
 * @array: array, if @type is an array
 * @x: offset of the box, bytes
 * @y: offset, rows
 * @z: offset, slices
 * @pitch: bytes from one row of @ptr to the next
 * @height: rows of a slice of @ptr
 * @lod: must be 0
 */
struct where {
	CUmemorytype type;
	void *ptr;
	CUarray array;
	size_t x;
	size_t y;
	size_t z;
	size_t pitch;
	size_t height;
	size_t lod;
};

static struct where copy3d_src_of(const CUDA_MEMCPY3D *copy)
{
	return (struct where){
		.type = copy->srcMemoryType,
		.ptr = copy->srcMemoryType == CU_MEMORYTYPE_HOST ?
			(void *)copy->srcHost : (void *)copy->srcDevice,
		.array = copy->srcArray,
		.x = copy->srcXInBytes,
		.y = copy->srcY,
		.z = copy->srcZ,
		.pitch = copy->srcPitch,
		.height = copy->srcHeight,
		.lod = copy->srcLOD,
	};
}

static struct where copy3d_dst_of(const CUDA_MEMCPY3D *copy)
{
	return (struct where){
		.type = copy->dstMemoryType,
		.ptr = copy->dstMemoryType == CU_MEMORYTYPE_HOST ?
			copy->dstHost : (void *)copy->dstDevice,
		.array = copy->dstArray,
		.x = copy->dstXInBytes,
		.y = copy->dstY,
		.z = copy->dstZ,
		.pitch = copy->dstPitch,
		.height = copy->dstHeight,
		.lod = copy->dstLOD,
	};
}

static bool copy3d_is_inside(size_t at, size_t len, size_t whole)
{
	return at <= whole && len <= whole - at;
}

static size_t copy3d_at_least_one(size_t extent)
{
	return extent ? extent : 1;
}

/* A box of an array must consist of whole elements. */
static int copy3d_array_side(const struct CUctx_st *ctx,
			     const struct where *where,
			     const CUDA_MEMCPY3D *copy, struct side *side)
{
	const struct CUarray_st *array = where->array;
	const CUDA_ARRAY3D_DESCRIPTOR *desc;

	if (!core_array_exists(array))
		return CUDA_ERROR_INVALID_HANDLE;
	desc = &array->desc;
	if (array->ctx->mem != ctx->mem || where->x % array->element_len ||
	    copy->WidthInBytes % array->element_len ||
	    !copy3d_is_inside(where->x, copy->WidthInBytes,
			      desc->Width * array->element_len) ||
	    !copy3d_is_inside(where->y, copy->Height,
			      copy3d_at_least_one(desc->Height)) ||
	    !copy3d_is_inside(where->z, copy->Depth,
			      copy3d_at_least_one(desc->Depth)))
		return CUDA_ERROR_INVALID_VALUE;
	side->pitch = array->pitch;
	side->slice = array->slice;
	side->at = array->base + where->z * side->slice +
		where->y * side->pitch + where->x;
	return CUDA_SUCCESS;
}

/* Returns false if the offset exceeds 64 bits. */
static bool copy3d_offset_of(uint64_t z, uint64_t slice, uint64_t y,
			     uint64_t pitch, uint64_t *off)
{
	uint64_t rows, slices;

	return !__builtin_mul_overflow(z, slice, &slices) &&
	       !__builtin_mul_overflow(y, pitch, &rows) &&
	       !__builtin_add_overflow(slices, rows, off);
}

/*
 * Returns true if the bytes are inside their allocation, and always for the
 * program's own memory, since its extent is unknown.
 */
static bool copy3d_is_in_allocation(const struct core_ptr *what,
				    const void *ptr, uint64_t off, uint64_t len)
{
	const char *base = what->info.base;
	uint64_t end;

	if (what->kind == MEM_KIND_PAGEABLE)
		return true;
	/* The address may be the one for engines. */
	if (what->kind == MEM_KIND_REGISTERED && ptr == what->info.device)
		base = (char *)what->info.device -
			((char *)what->info.host - base);
	return !__builtin_add_overflow(off, len, &end) &&
	       copy3d_is_inside((char *)ptr - base, end, what->info.len);
}

/**
 * core_is_within() - check that a range is inside its allocation
 * @ptr: first byte
 * @len: bytes
 *
 * Return: false if @ptr is in an allocation that ends before the range does.
 * Always true for the program's own memory, since its extent is unknown.
 */
CORE_API bool core_is_within(const void *ptr, uint64_t len)
{
	struct core_ptr what;

	core_ptr(ptr, &what);
	return copy3d_is_in_allocation(&what, ptr, 0, len);
}

static int copy3d_memory_side(const struct where *where,
			      const CUDA_MEMCPY3D *copy, struct side *side)
{
	const bool has_rows = copy->Height > 1 || copy->Depth > 1;
	uint64_t begin, end, last;
	struct core_ptr what;

	if (!where->ptr || where->pitch > MAX_PITCH ||
	    (has_rows && !copy3d_is_inside(where->x, copy->WidthInBytes,
					   where->pitch)) ||
	    (copy->Depth > 1 && !copy3d_is_inside(where->y, copy->Height,
						  where->height)))
		return CUDA_ERROR_INVALID_VALUE;
	side->pitch = where->pitch;
	if (__builtin_mul_overflow(side->pitch, where->height, &side->slice) ||
	    !copy3d_offset_of(where->z, side->slice, where->y, side->pitch,
			      &begin) ||
	    __builtin_add_overflow(begin, where->x, &begin) ||
	    !copy3d_offset_of(copy->Depth - 1, side->slice, copy->Height - 1,
			      side->pitch, &last) ||
	    __builtin_add_overflow(last, copy->WidthInBytes, &last) ||
	    __builtin_add_overflow(begin, last, &end) ||
	    __builtin_add_overflow((uintptr_t)where->ptr, end, &end))
		return CUDA_ERROR_INVALID_VALUE;
	side->at = (char *)where->ptr + begin;
	/* Look at the address itself, since the box may begin far from it. */
	core_ptr(where->ptr, &what);
	/* Pageable memory is the host's, as for core_copy(). */
	if (where->type == CU_MEMORYTYPE_DEVICE &&
	    what.kind == MEM_KIND_PAGEABLE)
		return CUDA_ERROR_INVALID_VALUE;
	/* Either the whole box is copied or nothing. */
	return copy3d_is_in_allocation(&what, where->ptr, begin, last) ?
		CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static int copy3d_side_of(const struct CUctx_st *ctx, const struct where *where,
			  const CUDA_MEMCPY3D *copy, struct side *side)
{
	if (where->lod)
		return CUDA_ERROR_INVALID_VALUE;
	switch (where->type) {
	case CU_MEMORYTYPE_ARRAY:
		return copy3d_array_side(ctx, where, copy, side);
	case CU_MEMORYTYPE_HOST:
	case CU_MEMORYTYPE_DEVICE:
	case CU_MEMORYTYPE_UNIFIED:
		return copy3d_memory_side(where, copy, side);
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static int copy3d_copy_rows(struct mem_stream *stream,
			    const struct mem_rows *rows, bool is_async)
{
	if (rows->nr_rows == 1)
		return is_async ?
			mem_copy_async(stream, rows->dst, rows->src,
				       rows->row_len, MEM_DIR_DEFAULT) :
			mem_copy(stream, rows->dst, rows->src, rows->row_len,
				 MEM_DIR_DEFAULT);
	return is_async ? mem_copy_rows_async(stream, rows, MEM_DIR_DEFAULT) :
			  mem_copy_rows(stream, rows, MEM_DIR_DEFAULT);
}

static int copy3d_copy_box(struct mem_stream *stream, const struct side *dst,
			   const struct side *src, const CUDA_MEMCPY3D *copy,
			   bool is_async)
{
	struct mem_rows rows = {
		.dst = dst->at,
		.dst_pitch = dst->pitch,
		.src = src->at,
		.src_pitch = src->pitch,
		.row_len = copy->WidthInBytes,
		.nr_rows = copy->Height,
	};
	size_t z;
	int rc = 0;

	if (copy->Height == 1) {
		rows.dst_pitch = dst->slice;
		rows.src_pitch = src->slice;
		rows.nr_rows = copy->Depth;
		return copy3d_copy_rows(stream, &rows, is_async);
	}
	if (dst->slice == copy->Height * dst->pitch &&
	    src->slice == copy->Height * src->pitch) {
		rows.nr_rows *= copy->Depth;
		return copy3d_copy_rows(stream, &rows, is_async);
	}
	for (z = 0; !rc && z < copy->Depth; z++) {
		rc = copy3d_copy_rows(stream, &rows, is_async);
		rows.dst = (char *)rows.dst + dst->slice;
		rows.src = (const char *)rows.src + src->slice;
	}
	return rc;
}

/**
 * core_copy3d() - copy a box
 * @copy: parameters; addresses of unified memory are in the device's fields
 * @stream: stream
 * @is_async: do not wait
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (a side is NULL or not of its
 * declared type, the box exceeds its array, its pitch or its memory, an element
 * is incomplete), CUDA_ERROR_INVALID_HANDLE (no such array or stream), or
 * core_error() of mem_copy().
 */
CORE_API int core_copy3d(const CUDA_MEMCPY3D *copy, CUstream stream,
			 bool is_async)
{
	const struct where from = copy3d_src_of(copy);
	const struct where to = copy3d_dst_of(copy);
	struct mem_stream *mem;
	struct side dst, src;
	struct CUctx_st *ctx;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	if (rc || !copy->WidthInBytes || !copy->Height || !copy->Depth)
		return rc;
	rc = copy3d_side_of(ctx, &to, copy, &dst);
	if (!rc)
		rc = copy3d_side_of(ctx, &from, copy, &src);
	if (rc)
		return rc;
	rc = core_error(copy3d_copy_box(mem, &dst, &src, copy, is_async));
	return core_memop(ctx, mem, is_async, rc);
}

/**
 * struct run - progress of a run of bytes, on one side
 * @row_len: bytes of the array's rows; 0: it is memory
 * @off: bytes from the start of the array or the memory
 */
struct run {
	uint64_t row_len;
	uint64_t off;
};

static struct run copy3d_run_of(const struct where *where)
{
	struct run run = { .off = where->x };

	if (where->type != CU_MEMORYTYPE_ARRAY)
		return run;
	run.row_len = where->array->desc.Width * where->array->element_len;
	run.off += where->y * run.row_len;
	return run;
}

static uint64_t copy3d_left_of_row(const struct run *run, uint64_t len)
{
	const uint64_t left = run->row_len ?
		run->row_len - run->off % run->row_len : len;

	return left < len ? left : len;
}

/* Computes the next step: whole rows at once, or a part of a row. */
static void copy3d_step_of(const struct run *dst, const struct run *src,
			   uint64_t len, CUDA_MEMCPY3D *step)
{
	const uint64_t row_len = dst->row_len ? dst->row_len : src->row_len;
	const bool has_rows = len >= row_len &&
		!(dst->row_len && dst->off % row_len) &&
		!(src->row_len && (src->row_len != row_len ||
				   src->off % row_len));
	const uint64_t in_dst = copy3d_left_of_row(dst, len);
	const uint64_t in_src = copy3d_left_of_row(src, len);

	step->WidthInBytes = has_rows ? row_len :
			     in_dst < in_src ? in_dst : in_src;
	step->Height = has_rows ? len / row_len : 1;
	step->dstXInBytes = dst->row_len ? dst->off % dst->row_len : dst->off;
	step->dstY = dst->row_len ? dst->off / dst->row_len : 0;
	step->srcXInBytes = src->row_len ? src->off % src->row_len : src->off;
	step->srcY = src->row_len ? src->off / src->row_len : 0;
}

/* Advances the sides that are memory, where rows are contiguous. */
static void copy3d_advance_memory(CUDA_MEMCPY3D *step)
{
	if (step->srcMemoryType != CU_MEMORYTYPE_ARRAY) {
		step->srcHost = (const char *)step->srcHost +
			step->srcXInBytes;
		step->srcDevice += step->srcXInBytes;
		step->srcXInBytes = 0;
		step->srcPitch = step->WidthInBytes;
	}
	if (step->dstMemoryType != CU_MEMORYTYPE_ARRAY) {
		step->dstHost = (char *)step->dstHost + step->dstXInBytes;
		step->dstDevice += step->dstXInBytes;
		step->dstXInBytes = 0;
		step->dstPitch = step->WidthInBytes;
	}
}

/**
 * core_copy_run() - copy bytes that continue across the rows of arrays
 * @copy: sides, of which at least one is an array, and their starts; x may
 *	exceed a row
 * @len: bytes
 * @stream: stream
 * @is_async: do not wait
 *
 * Return: CUDA_SUCCESS, or an error of core_copy3d(). If the run exceeds its
 * array, nothing is copied.
 */
CORE_API int core_copy_run(const CUDA_MEMCPY3D *copy, uint64_t len,
			   CUstream stream, bool is_async)
{
	const struct where sides[] = { copy3d_dst_of(copy),
				       copy3d_src_of(copy) };
	struct run runs[2];
	uint64_t done, nr_rows;
	CUDA_MEMCPY3D step;
	int rc = 0;
	int i;

	for (i = 0; i < 2; i++) {
		if (sides[i].type == CU_MEMORYTYPE_ARRAY &&
		    !core_array_exists(sides[i].array))
			return CUDA_ERROR_INVALID_HANDLE;
		runs[i] = copy3d_run_of(&sides[i]);
		if (sides[i].type != CU_MEMORYTYPE_ARRAY)
			continue;
		nr_rows = copy3d_at_least_one(sides[i].array->desc.Height);
		if (sides[i].x > nr_rows * runs[i].row_len ||
		    sides[i].y > nr_rows ||
		    !copy3d_is_inside(runs[i].off, len,
				      nr_rows * runs[i].row_len))
			return CUDA_ERROR_INVALID_VALUE;
	}
	while (len && !rc) {
		step = *copy;
		step.Depth = 1;
		copy3d_step_of(&runs[0], &runs[1], len, &step);
		done = step.WidthInBytes * step.Height;
		copy3d_advance_memory(&step);
		rc = core_copy3d(&step, stream, is_async);
		runs[0].off += done;
		runs[1].off += done;
		len -= done;
	}
	return rc;
}
