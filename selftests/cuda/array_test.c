// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of arrays, copies of boxes, and the creation of surface and texture
 * objects, on the board that LIBMEM_SOC names. Copies are compared with copies
 * that the test makes itself. texture_test.cu tests how kernels access arrays.
 */

#include <pthread.h>
#include <stdlib.h>

#include "test.h"

#define NR_ROUNDS	150
#define NR_THREADS	8
#define NR_MADE		40

static uint64_t seed = 1;

static unsigned int below(unsigned int n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % n;
}

static void fill(void *at, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		((unsigned char *)at)[i] = below(256);
}

static struct cudaChannelFormatDesc bytes(int nr)
{
	return cudaCreateChannelDesc(8, nr > 1 ? 8 : 0, nr > 2 ? 8 : 0,
				     nr > 2 ? 8 : 0,
				     cudaChannelFormatKindUnsigned);
}

static struct cudaExtent extent_of(size_t width, size_t height, size_t depth)
{
	return (struct cudaExtent){
		.width = width,
		.height = height,
		.depth = depth,
	};
}

/* The expected content of an array or memory, as a box in host memory */
struct model {
	unsigned char *at;
	size_t pitch;
	size_t width;
	size_t height;
	size_t depth;
};

static struct model model_create(size_t width, size_t height, size_t depth)
{
	struct model model = {
		.pitch = width + below(9),
		.width = width,
		.height = height,
		.depth = depth,
	};

	model.at = malloc(model.pitch * height * depth);
	fill(model.at, model.pitch * height * depth);
	return model;
}

static unsigned char *byte_of(const struct model *model, size_t x, size_t y,
			      size_t z)
{
	return model->at + (z * model->height + y) * model->pitch + x;
}

static struct cudaPitchedPtr pitched(const struct model *model)
{
	return (struct cudaPitchedPtr){
		.ptr = model->at,
		.pitch = model->pitch,
		.xsize = model->width,
		.ysize = model->height,
	};
}

/* Copy a box in the models, byte by byte. */
static void expect(const struct model *dst, const struct cudaPos *to,
		   const struct model *src, const struct cudaPos *from,
		   const struct cudaExtent *extent)
{
	size_t x, y, z;

	for (z = 0; z < extent->depth; z++)
		for (y = 0; y < extent->height; y++)
			for (x = 0; x < extent->width; x++)
				*byte_of(dst, to->x + x, to->y + y, to->z + z) =
					*byte_of(src, from->x + x, from->y + y,
						 from->z + z);
}

static void same(const struct model *a, const struct model *b)
{
	size_t y, z;

	for (z = 0; z < a->depth; z++)
		for (y = 0; y < a->height; y++)
			assert_memory_equal(byte_of(a, 0, y, z),
					    byte_of(b, 0, y, z), a->width);
}

static struct cudaPos pos_of(size_t x, size_t y, size_t z)
{
	return (struct cudaPos){ .x = x, .y = y, .z = z };
}

/* Kinds of memory that a copy may read or write */
enum place {
	IN_HOST,
	IN_DEVICE,
	IN_ARRAY,
	NR_PLACES,
};

struct side {
	enum place place;
	size_t len;		/* bytes of an element */
	struct model is;	/* expected content */
	void *device;
	cudaArray_t array;
};

static struct cudaPitchedPtr memory_of(const struct side *side)
{
	struct cudaPitchedPtr ptr = pitched(&side->is);

	if (side->place == IN_DEVICE)
		ptr.ptr = side->device;
	return ptr;
}

static size_t model_len(const struct model *model)
{
	return model->pitch * model->height * model->depth;
}

static void write_all(cudaArray_t array, const struct model *from, size_t len)
{
	struct cudaMemcpy3DParms copy = {
		.srcPtr = pitched(from),
		.dstArray = array,
		.extent = extent_of(from->width / len, from->height,
				    from->depth),
		.kind = cudaMemcpyHostToDevice,
	};

	ok(cudaMemcpy3D(&copy));
}

static void read_all(cudaArray_t array, const struct model *to, size_t len)
{
	struct cudaMemcpy3DParms copy = {
		.srcArray = array,
		.dstPtr = pitched(to),
		.extent = extent_of(to->width / len, to->height, to->depth),
		.kind = cudaMemcpyDeviceToHost,
	};

	ok(cudaMemcpy3D(&copy));
}

static void side_create(struct side *side, enum place place,
			const struct cudaExtent *size, size_t len)
{
	struct cudaChannelFormatDesc desc = bytes(len);

	memset(side, 0, sizeof(*side));
	side->place = place;
	side->len = len;
	side->is = model_create(size->width, size->height, size->depth);
	if (place == IN_DEVICE) {
		ok(cudaMalloc(&side->device, model_len(&side->is)));
		ok(cudaMemcpy(side->device, side->is.at, model_len(&side->is),
			      cudaMemcpyHostToDevice));
	}
	if (place == IN_ARRAY) {
		ok(cudaMalloc3DArray(&side->array, &desc,
				     extent_of(size->width / len, size->height,
					       size->depth), 0));
		write_all(side->array, &side->is, len);
	}
}

/*
 * Compare a side with its model. For host memory, @memory is what the copy has
 * written, as the model itself is the memory that copies use.
 */
static void side_check(const struct side *side, const struct model *memory)
{
	struct model is = side->is;

	is.at = malloc(model_len(&side->is));
	if (side->place == IN_HOST)
		memcpy(is.at, memory->at, model_len(&is));
	if (side->place == IN_DEVICE)
		ok(cudaMemcpy(is.at, side->device, model_len(&is),
			      cudaMemcpyDeviceToHost));
	if (side->place == IN_ARRAY)
		read_all(side->array, &is, side->len);
	same(&side->is, &is);
	free(is.at);
}

static void side_destroy(struct side *side)
{
	ok(cudaFree(side->device));
	ok(cudaFreeArray(side->array));
	free(side->is.at);
}

/* The x position counts elements in arrays, and bytes in memory. */
static struct cudaPos said(const struct side *side, const struct cudaPos *pos)
{
	return pos_of(side->place == IN_ARRAY ? pos->x / side->len : pos->x,
		      pos->y, pos->z);
}

static const enum cudaMemcpyKind kinds[2][2] = {
	{ cudaMemcpyHostToHost, cudaMemcpyHostToDevice },
	{ cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice },
};

static enum cudaMemcpyKind kind_of(const struct side *src,
				   const struct side *dst)
{
	if (!below(3))
		return cudaMemcpyDefault;
	return kinds[src->place != IN_HOST][dst->place != IN_HOST];
}

static size_t some_len(const struct side *src, const struct side *dst,
		       size_t limit)
{
	const size_t len = src->place == IN_ARRAY || dst->place == IN_ARRAY ?
		src->len : 1;

	return (1 + below(limit / len)) * len;
}

static size_t some_x(const struct side *side, size_t room)
{
	const size_t len = side->place == IN_ARRAY ? side->len : 1;

	return below(room / len + 1) * len;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static struct cudaPos some_pos(const struct side *side,
			       const struct cudaExtent *box)
{
	return pos_of(some_x(side, side->is.width - box->width),
		      below(side->is.height - box->height + 1),
		      below(side->is.depth - box->depth + 1));
}

static struct cudaExtent some_size(size_t len)
{
	return extent_of((1 + below(20)) * len, 1 + below(9), 1 + below(5));
}

static struct cudaExtent some_box(const struct side *src,
				  const struct side *dst)
{
	const struct model *a = &src->is;
	const struct model *b = &dst->is;

	return extent_of(some_len(src, dst, smaller(a->width, b->width)),
			 1 + below(smaller(a->height, b->height)),
			 1 + below(smaller(a->depth, b->depth)));
}

/* Copy a random box between two sides; @round selects the call. */
static void copy_some(struct side *src, struct side *dst, unsigned int round)
{
	struct cudaMemcpy3DParms copy = { .kind = kind_of(src, dst) };
	const struct cudaExtent box = some_box(src, dst);
	const struct cudaPos from = some_pos(src, &box);
	const struct cudaPos to = some_pos(dst, &box);
	struct model memory = dst->is;

	memory.at = malloc(model_len(&memory));
	memcpy(memory.at, dst->is.at, model_len(&memory));
	copy.extent = box;
	if (src->place == IN_ARRAY || dst->place == IN_ARRAY)
		copy.extent.width /= src->len;
	copy.srcPos = said(src, &from);
	copy.dstPos = said(dst, &to);
	if (src->place == IN_ARRAY)
		copy.srcArray = src->array;
	else
		copy.srcPtr = memory_of(src);
	if (dst->place == IN_ARRAY)
		copy.dstArray = dst->array;
	else
		copy.dstPtr = memory_of(dst);
	if (dst->place == IN_HOST)
		copy.dstPtr.ptr = memory.at;
	if (round % 2) {
		ok(cudaMemcpy3DAsync(&copy, cudaStreamPerThread));
		ok(cudaStreamSynchronize(cudaStreamPerThread));
	} else {
		ok(cudaMemcpy3D(&copy));
	}
	expect(&dst->is, &to, &src->is, &from, &box);
	side_check(dst, &memory);
	free(memory.at);
}

static void boxes_are_copied_and_nothing_around_them(void **state)
{
	struct cudaExtent size;
	struct side src, dst;
	unsigned int round;
	size_t len;

	(void)state;
	for (round = 0; round < NR_ROUNDS; round++) {
		len = 1U << below(3);
		size = some_size(len);
		side_create(&src, round % NR_PLACES, &size, len);
		size = some_size(len);
		side_create(&dst, round / NR_PLACES % NR_PLACES, &size, len);
		copy_some(&src, &dst, round);
		side_destroy(&src);
		side_destroy(&dst);
	}
}

static void rows_are_copied_by_the_calls_for_them(void **state)
{
	const struct cudaExtent size = extent_of(24, 7, 1);
	struct side a, b;
	struct model back;
	unsigned char out[7 * 32];
	struct cudaPos to, from;
	struct cudaExtent box;

	(void)state;
	side_create(&a, IN_ARRAY, &size, 4);
	side_create(&b, IN_ARRAY, &size, 4);
	back = model_create(24, 7, 1);
	fill(out, sizeof(out));

	/* Bytes and rows: 12 x 3 to (8, 2) */
	box = extent_of(12, 3, 1);
	to = pos_of(8, 2, 0);
	from = pos_of(0, 0, 0);
	ok(cudaMemcpy2DToArray(a.array, 8, 2, out, 32, 12, 3,
			       cudaMemcpyHostToDevice));
	expect(&a.is, &to, &(struct model){ out, 32, 32, 7, 1 }, &from, &box);
	side_check(&a, NULL);

	/* 16 x 4 from (4, 1) to (8, 3) */
	box = extent_of(16, 4, 1);
	from = pos_of(4, 1, 0);
	to = pos_of(8, 3, 0);
	ok(cudaMemcpy2DArrayToArray(b.array, 8, 3, a.array, 4, 1, 16, 4,
				    cudaMemcpyDeviceToDevice));
	expect(&b.is, &to, &a.is, &from, &box);
	side_check(&b, NULL);

	ok(cudaMemcpy2DFromArray(back.at, back.pitch, b.array, 0, 0, 24, 7,
				 cudaMemcpyDefault));
	same(&b.is, &back);
	ok(cudaMemcpy2DFromArrayAsync(back.at, back.pitch, a.array, 0, 0, 24,
				      7, cudaMemcpyDeviceToHost, NULL));
	ok(cudaDeviceSynchronize());
	same(&a.is, &back);
	ok(cudaMemcpy2DToArrayAsync(b.array, 0, 0, back.at, back.pitch, 24, 7,
				    cudaMemcpyHostToDevice, NULL));
	expect(&b.is, &(struct cudaPos){ 0 }, &a.is, &(struct cudaPos){ 0 },
	       &size);
	side_check(&b, NULL);

	/* A box with part of an element, or outside the array, is refused. */
	is(cudaMemcpy2DToArray(a.array, 2, 0, out, 32, 4, 1,
			       cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	is(cudaMemcpy2DToArray(a.array, 0, 0, out, 32, 6, 1,
			       cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	is(cudaMemcpy2DToArray(a.array, 16, 0, out, 32, 12, 1,
			       cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	is(cudaMemcpy2DToArray(a.array, 0, 6, out, 32, 12, 2,
			       cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	is(cudaMemcpy2DToArray(a.array, 0, 0, out, 8, 12, 2,
			       cudaMemcpyHostToDevice),
	   cudaErrorInvalidPitchValue);
	is(cudaMemcpy2DToArray(NULL, 0, 0, out, 32, 12, 2,
			       cudaMemcpyHostToDevice),
	   cudaErrorInvalidResourceHandle);
	is(cudaMemcpy2DToArray((cudaArray_t)out, 0, 0, out, 32, 12, 2,
			       cudaMemcpyHostToDevice),
	   cudaErrorInvalidResourceHandle);
	is(cudaMemcpy2DArrayToArray(b.array, 0, 0, a.array, 0, 0, 8, 1,
				    cudaMemcpyHostToDevice),
	   cudaErrorInvalidMemcpyDirection);
	side_check(&a, NULL);
	side_check(&b, NULL);
	side_destroy(&a);
	side_destroy(&b);
	free(back.at);
}

/* Calls without rows copy an array's bytes in order, from row to row. */
static void runs_go_on_in_the_next_row(void **state)
{
	const struct cudaExtent small = extent_of(12, 9, 1);
	const struct cudaExtent large = extent_of(28, 5, 1);
	unsigned char bytes_in[140], bytes_out[140];
	struct side a, b;
	unsigned int round;
	size_t at, to, len, i;

	(void)state;
	side_create(&a, IN_ARRAY, &small, 4);
	side_create(&b, IN_ARRAY, &large, 4);
	for (round = 0; round < NR_ROUNDS; round++) {
		fill(bytes_in, sizeof(bytes_in));
		at = below(27) * 4;
		len = (1 + below((108 - at) / 4)) * 4;
		ok(cudaMemcpyToArray(a.array, at % 12, at / 12, bytes_in, len,
				     cudaMemcpyHostToDevice));
		for (i = 0; i < len; i++)
			*byte_of(&a.is, (at + i) % 12, (at + i) / 12, 0) =
				bytes_in[i];
		to = below((140 - len) / 4 + 1) * 4;
		ok(cudaMemcpyArrayToArray(b.array, to % 28, to / 28, a.array,
					  at % 12, at / 12, len,
					  cudaMemcpyDeviceToDevice));
		for (i = 0; i < len; i++)
			*byte_of(&b.is, (to + i) % 28, (to + i) / 28, 0) =
				bytes_in[i];
		memset(bytes_out, 0, sizeof(bytes_out));
		ok(cudaMemcpyFromArray(bytes_out, b.array, to % 28, to / 28,
				       len, cudaMemcpyDeviceToHost));
		assert_memory_equal(bytes_in, bytes_out, len);
	}
	side_check(&a, NULL);
	side_check(&b, NULL);
	is(cudaMemcpyToArray(a.array, 4, 8, bytes_in, 12,
			     cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	is(cudaMemcpyToArray(a.array, 16, 0, bytes_in, 4,
			     cudaMemcpyHostToDevice), cudaErrorInvalidValue);
	is(cudaMemcpyFromArray(bytes_out, a.array, 0, 9, 4,
			       cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
	is(cudaMemcpyFromArray(bytes_out, a.array, 0, 0, 4,
			       cudaMemcpyHostToDevice),
	   cudaErrorInvalidMemcpyDirection);
	side_check(&a, NULL);
	side_destroy(&a);
	side_destroy(&b);
}

static void boxes_are_set_and_nothing_around_them(void **state)
{
	const struct cudaExtent size = extent_of(40, 6, 4);
	struct cudaPitchedPtr ptr;
	struct cudaExtent box;
	struct side side;
	unsigned int round;
	size_t x, y, z;

	(void)state;
	side_create(&side, IN_DEVICE, &size, 1);
	for (round = 0; round < NR_ROUNDS; round++) {
		box = extent_of(1 + below(40), 1 + below(6), 1 + below(4));
		ptr = memory_of(&side);
		if (round % 2)
			ok(cudaMemset3D(ptr, round, box));
		else
			ok(cudaMemset3DAsync(ptr, round, box, NULL));
		for (z = 0; z < box.depth; z++)
			for (y = 0; y < box.height; y++)
				for (x = 0; x < box.width; x++)
					*byte_of(&side.is, x, y, z) = round;
	}
	ok(cudaMemset3D(ptr, 9, extent_of(0, 6, 4)));
	ok(cudaMemset3D(ptr, 9, extent_of(4, 0, 4)));
	is(cudaMemset3D(ptr, 9, extent_of(4, 7, 2)), cudaErrorInvalidValue);
	is(cudaMemset3D(ptr, 9, extent_of(4, 6, 5)), cudaErrorInvalidValue);
	is(cudaMemset3D(ptr, 9, extent_of(side.is.pitch + 1, 1, 2)),
	   cudaErrorInvalidValue);
	side_check(&side, NULL);
	side_destroy(&side);
}

static void a_box_that_leaves_copies_nothing(void **state)
{
	const struct cudaExtent size = extent_of(16, 4, 3);
	struct cudaMemcpy3DParms good, copy;
	struct side host, array;
	unsigned int i;

	(void)state;
	side_create(&host, IN_HOST, &size, 2);
	side_create(&array, IN_ARRAY, &size, 2);
	memset(&good, 0, sizeof(good));
	good.srcPtr = memory_of(&host);
	good.dstArray = array.array;
	good.extent = extent_of(4, 2, 2);
	good.kind = cudaMemcpyHostToDevice;
	for (i = 0; i < 10; i++) {
		enum cudaError error = cudaErrorInvalidValue;

		copy = good;
		switch (i) {
		case 0:
			copy.dstPos.x = 5;
			break;
		case 1:
			copy.dstPos.y = 3;
			break;
		case 2:
			copy.dstPos.z = 2;
			break;
		case 3:
			copy.dstPos.x = SIZE_MAX / 2 + 1;
			break;
		case 4:
			copy.extent.height = 5;
			break;
		case 5:
			copy.srcArray = array.array;
			break;
		case 6:
			copy.dstPtr = good.srcPtr;
			break;
		case 7:
			copy.srcPtr.ptr = NULL;
			break;
		case 8:
			copy.srcPtr.pitch = 7;
			error = cudaErrorInvalidPitchValue;
			break;
		default:
			copy.srcPtr.ysize = 1;
		}
		is(cudaMemcpy3D(&copy), error);
	}
	side_check(&array, NULL);
	/* A kind that says that the array is on the host is corrected. */
	good.kind = cudaMemcpyHostToHost;
	ok(cudaMemcpy3D(&good));
	side_destroy(&host);
	side_destroy(&array);
}

static cudaError_t make(const struct cudaChannelFormatDesc *desc,
			struct cudaExtent extent, unsigned int flags)
{
	cudaArray_t array;
	const cudaError_t rc = cudaMalloc3DArray(&array, desc, extent, flags);

	if (!rc)
		ok(cudaFreeArray(array));
	cudaGetLastError();
	return rc;
}

/* Device attributes limit extents, and each shape allows certain flags. */
static void extents_are_as_flags_and_limits_say(void **state)
{
	const struct cudaChannelFormatDesc desc = bytes(1);
	const unsigned int layered = cudaArrayLayered;
	const unsigned int cube = cudaArrayCubemap;
	const struct {
		struct cudaExtent extent;
		unsigned int flags;
		cudaError_t answer;
	} rows[] = {
		{ { 8, 0, 0 }, 0, cudaSuccess },
		{ { 8, 8, 0 }, 0, cudaSuccess },
		{ { 8, 8, 8 }, 0, cudaSuccess },
		{ { 0, 8, 0 }, 0, cudaErrorInvalidValue },
		{ { 8, 0, 8 }, 0, cudaErrorInvalidValue },
		{ { 8, 0, 8 }, layered, cudaSuccess },
		{ { 8, 8, 8 }, layered, cudaSuccess },
		{ { 8, 8, 0 }, layered, cudaErrorInvalidValue },
		{ { 8, 8, 6 }, cube, cudaSuccess },
		{ { 8, 8, 5 }, cube, cudaErrorInvalidValue },
		{ { 8, 7, 6 }, cube, cudaErrorInvalidValue },
		{ { 8, 8, 12 }, cube, cudaErrorInvalidValue },
		{ { 8, 8, 12 }, cube | layered, cudaSuccess },
		{ { 8, 8, 10 }, cube | layered, cudaErrorInvalidValue },
		{ { 8, 8, 0 }, cudaArrayTextureGather, cudaSuccess },
		{ { 8, 8, 8 }, cudaArrayTextureGather, cudaErrorInvalidValue },
		{ { 8, 8, 8 }, cudaArraySurfaceLoadStore, cudaSuccess },
		{ { 8, 8, 0 }, cudaArrayColorAttachment, cudaSuccess },
		{ { 8, 8, 0 }, cudaArraySparse, cudaErrorNotSupported },
		{ { 8, 8, 0 }, cudaArrayDeferredMapping,
		  cudaErrorNotSupported },
		{ { 8, 8, 0 }, 0x10, cudaErrorInvalidValue },
		{ { 8, 8, 0 }, 0x4000, cudaErrorInvalidValue },
	};
	const size_t wide = own_attribute(cudaDevAttrMaxTexture1DWidth);
	const size_t deep = own_attribute(cudaDevAttrMaxTexture3DDepth);
	const size_t deepest = own_attribute(cudaDevAttrMaxTexture3DDepthAlt);
	const size_t layers =
		own_attribute(cudaDevAttrMaxTexture1DLayeredLayers);
	const size_t surface = own_attribute(cudaDevAttrMaxSurface1DWidth);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_int_equal(make(&desc, rows[i].extent, rows[i].flags),
				 rows[i].answer);
	ok(make(&desc, extent_of(wide, 0, 0), 0));
	assert_int_equal(make(&desc, extent_of(wide + 1, 0, 0), 0),
			 cudaErrorInvalidValue);
	ok(make(&desc, extent_of(surface, 0, 0), cudaArraySurfaceLoadStore));
	assert_int_equal(make(&desc, extent_of(surface + 1, 0, 0),
			      cudaArraySurfaceLoadStore),
			 cudaErrorInvalidValue);
	ok(make(&desc, extent_of(1, 0, layers), layered));
	assert_int_equal(make(&desc, extent_of(1, 0, layers + 1), layered),
			 cudaErrorInvalidValue);
	ok(make(&desc, extent_of(1, 1, deep), 0));
	/* Beyond it the other limits of three dimensions count. */
	ok(make(&desc, extent_of(1, 1, deepest), 0));
	assert_int_equal(make(&desc, extent_of(1, 1, deepest + 1), 0),
			 cudaErrorInvalidValue);
}

static struct cudaChannelFormatDesc channels(int bits, int nr,
					     enum cudaChannelFormatKind kind)
{
	return cudaCreateChannelDesc(bits, nr > 1 ? bits : 0, nr > 2 ? bits : 0,
				     nr > 2 ? bits : 0, kind);
}

static void check_told(const struct cudaChannelFormatDesc desc)
{
	struct cudaChannelFormatDesc got;
	struct cudaExtent extent;
	unsigned int flags;
	cudaArray_t array;

	ok(cudaMallocArray(&array, &desc, 5, 3, cudaArraySurfaceLoadStore));
	ok(cudaArrayGetInfo(&got, &extent, &flags, array));
	assert_memory_equal(&got, &desc, sizeof(got));
	assert_int_equal(extent.width, 5);
	assert_int_equal(extent.height, 3);
	assert_int_equal(extent.depth, 0);
	assert_int_equal(flags, cudaArraySurfaceLoadStore);
	ok(cudaGetChannelDesc(&got, array));
	assert_memory_equal(&got, &desc, sizeof(got));
	ok(cudaFreeArray(array));
}

static void an_array_tells_what_it_was_made_of(void **state)
{
	const enum cudaChannelFormatKind all[] = {
		cudaChannelFormatKindSigned, cudaChannelFormatKindUnsigned,
		cudaChannelFormatKindFloat,
	};
	struct cudaChannelFormatDesc desc, got;
	unsigned int kind, nr, bits;
	cudaArray_t array;

	(void)state;
	for (kind = 0; kind < 3; kind++)
		for (bits = kind == 2 ? 16 : 8; bits <= 32; bits *= 2)
			for (nr = 1; nr <= 4; nr *= 2)
				check_told(channels(bits, nr, all[kind]));
	desc = channels(16, 2, cudaChannelFormatKindSignedNormalized16X2);
	ok(cudaMallocArray(&array, &desc, 5, 5, 0));
	ok(cudaGetChannelDesc(&got, array));
	assert_memory_equal(&got, &desc, sizeof(got));
	is(cudaArrayGetPlane(&array, array, 0), cudaErrorInvalidValue);
	ok(cudaFreeArray(array));
	is(cudaFreeArray(array), cudaErrorInvalidValue);
	is(cudaArrayGetInfo(NULL, NULL, NULL, array),
	   cudaErrorInvalidResourceHandle);
	desc.y = 0;
	is(cudaMallocArray(&array, &desc, 5, 5, 0),
	   cudaErrorInvalidChannelDescriptor);
}

static void levels_are_halves_down_to_one(void **state)
{
	const struct cudaChannelFormatDesc desc = bytes(4);
	struct model in[5], out[5];
	struct cudaExtent extent;
	cudaMipmappedArray_t mipmap;
	cudaArray_t level[5];
	unsigned int i, flags;

	(void)state;
	/* 20 x 9: 20, 10, 5, 2, 1, and no more */
	ok(cudaMallocMipmappedArray(&mipmap, &desc, extent_of(20, 9, 0), 99,
				    cudaArraySurfaceLoadStore));
	for (i = 0; i < 5; i++) {
		ok(cudaGetMipmappedArrayLevel(&level[i], mipmap, i));
		ok(cudaArrayGetInfo(NULL, &extent, &flags, level[i]));
		assert_int_equal(extent.width, 20 >> i);
		assert_int_equal(extent.height, 9 >> i ? 9 >> i : 1);
		assert_int_equal(extent.depth, 0);
		assert_int_equal(flags, cudaArraySurfaceLoadStore);
		in[i] = model_create(4 * extent.width, extent.height, 1);
		out[i] = model_create(4 * extent.width, extent.height, 1);
		write_all(level[i], &in[i], 4);
	}
	is(cudaGetMipmappedArrayLevel(&level[0], mipmap, 5),
	   cudaErrorInvalidValue);
	is(cudaGetMipmappedArrayLevel(&level[0], NULL, 0),
	   cudaErrorInvalidResourceHandle);
	for (i = 0; i < 5; i++) {
		read_all(level[i], &out[i], 4);
		same(&in[i], &out[i]);
		free(in[i].at);
		free(out[i].at);
	}
	is(cudaFreeArray(level[1]), cudaErrorInvalidValue);
	ok(cudaFreeMipmappedArray(mipmap));
	is(cudaFreeMipmappedArray(mipmap), cudaErrorInvalidValue);
	is(cudaArrayGetInfo(NULL, NULL, NULL, level[1]),
	   cudaErrorInvalidResourceHandle);
	ok(cudaFreeMipmappedArray(NULL));

	/* Each level has all layers; only width and height are halved. */
	ok(cudaMallocMipmappedArray(&mipmap, &desc, extent_of(4, 4, 12), 99,
				    cudaArrayLayered));
	ok(cudaGetMipmappedArrayLevel(&level[0], mipmap, 2));
	ok(cudaArrayGetInfo(NULL, &extent, NULL, level[0]));
	assert_int_equal(extent.depth, 12);
	is(cudaGetMipmappedArrayLevel(&level[0], mipmap, 3),
	   cudaErrorInvalidValue);
	ok(cudaFreeMipmappedArray(mipmap));
}

static struct cudaResourceDesc of_array(cudaArray_t array)
{
	struct cudaResourceDesc what;

	memset(&what, 0, sizeof(what));
	what.resType = cudaResourceTypeArray;
	what.res.array.array = array;
	return what;
}

static struct cudaResourceDesc of_linear(void *ptr, size_t len)
{
	struct cudaResourceDesc what;

	memset(&what, 0, sizeof(what));
	what.resType = cudaResourceTypeLinear;
	what.res.linear.devPtr = ptr;
	what.res.linear.desc = bytes(4);
	what.res.linear.sizeInBytes = len;
	return what;
}

static struct cudaResourceDesc of_rows(void *ptr, size_t width, size_t height,
				       size_t pitch)
{
	struct cudaResourceDesc what;

	memset(&what, 0, sizeof(what));
	what.resType = cudaResourceTypePitch2D;
	what.res.pitch2D.devPtr = ptr;
	what.res.pitch2D.desc = bytes(4);
	what.res.pitch2D.width = width;
	what.res.pitch2D.height = height;
	what.res.pitch2D.pitchInBytes = pitch;
	return what;
}

static cudaError_t texture(const struct cudaResourceDesc *what,
			   const struct cudaTextureDesc *how,
			   const struct cudaResourceViewDesc *view)
{
	cudaTextureObject_t object;
	const cudaError_t rc = cudaCreateTextureObject(&object, what, how,
						       view);

	if (!rc)
		ok(cudaDestroyTextureObject(object));
	cudaGetLastError();
	return rc;
}

static void a_texture_is_refused_what_does_not_fit(void **state)
{
	const struct cudaChannelFormatDesc desc = bytes(4);
	struct cudaTextureDesc how, plain = { 0 };
	struct cudaResourceViewDesc view = { 0 };
	struct cudaResourceDesc what;
	cudaMipmappedArray_t mipmap;
	unsigned char *device;
	char *heap = aligned_alloc(4096, 4096);
	cudaArray_t array;

	(void)state;
	ok(cudaMallocArray(&array, &desc, 8, 8, 0));
	ok(cudaMallocMipmappedArray(&mipmap, &desc, extent_of(8, 8, 0), 3, 0));
	ok(cudaMalloc((void **)&device, 65536));
	what = of_array(array);
	ok(texture(&what, &plain, NULL));
	how = plain;
	how.filterMode = cudaFilterModeLinear;
	assert_int_equal(texture(&what, &how, NULL),
			 cudaErrorInvalidFilterSetting);
	how.readMode = cudaReadModeNormalizedFloat;
	ok(texture(&what, &how, NULL));
	how = plain;
	how.addressMode[1] = 4;
	assert_int_equal(texture(&what, &how, NULL), cudaErrorInvalidValue);
	how = plain;
	how.seamlessCubemap = 1;
	assert_int_equal(texture(&what, &how, NULL), cudaErrorInvalidValue);
	what = of_array(NULL);
	assert_int_equal(texture(&what, &plain, NULL),
			 cudaErrorInvalidResourceHandle);

	/* A view needs the array's extent, and elements of the same length. */
	what = of_array(array);
	view.format = cudaResViewFormatUnsignedInt1;
	view.width = 8;
	view.height = 8;
	ok(texture(&what, &plain, &view));
	view.format = cudaResViewFormatUnsignedInt2;
	assert_int_equal(texture(&what, &plain, &view), cudaErrorInvalidValue);
	view.format = cudaResViewFormatUnsignedBlockCompressed1;
	assert_int_equal(texture(&what, &plain, &view), cudaErrorNotSupported);
	view.format = cudaResViewFormatNone;
	view.width = 9;
	assert_int_equal(texture(&what, &plain, &view), cudaErrorInvalidValue);
	view.width = 8;
	view.lastMipmapLevel = 1;
	assert_int_equal(texture(&what, &plain, &view), cudaErrorInvalidValue);

	/* Textures of mipmapped arrays require normalised coordinates. */
	what.resType = cudaResourceTypeMipmappedArray;
	what.res.mipmap.mipmap = mipmap;
	assert_int_equal(texture(&what, &plain, NULL), cudaErrorInvalidValue);
	how = plain;
	how.normalizedCoords = 1;
	ok(texture(&what, &how, NULL));
	view.lastMipmapLevel = 2;
	ok(texture(&what, &how, &view));
	view.firstMipmapLevel = 3;
	view.lastMipmapLevel = 3;
	assert_int_equal(texture(&what, &how, &view), cudaErrorInvalidValue);

	what = of_linear(device, 4096);
	ok(texture(&what, &plain, NULL));
	/* Linear memory is not filtered, so any filter mode is accepted. */
	how = plain;
	how.filterMode = cudaFilterModeLinear;
	ok(texture(&what, &how, NULL));
	memset(&view, 0, sizeof(view));
	assert_int_equal(texture(&what, &plain, &view), cudaErrorInvalidValue);
	what = of_linear(device + 256, 4096);
	assert_int_equal(texture(&what, &plain, NULL), cudaErrorInvalidValue);
	what = of_linear(device, 0);
	assert_int_equal(texture(&what, &plain, NULL), cudaErrorInvalidValue);
	what = of_linear(device, 4UL * (1 +
		own_attribute(cudaDevAttrMaxTexture1DLinearWidth)));
	assert_int_equal(texture(&what, &plain, NULL), cudaErrorInvalidValue);
	what = of_linear(device, 4096);
	what.res.linear.desc.x = 7;
	assert_int_equal(texture(&what, &plain, NULL),
			 cudaErrorInvalidChannelDescriptor);
	what = of_linear(heap, 4096);
	assert_int_equal(texture(&what, &plain, NULL),
			 own_attribute(cudaDevAttrPageableMemoryAccess) ?
			 cudaSuccess : cudaErrorInvalidValue);
	what = of_rows(device, 64, 64, 512);
	ok(texture(&what, &plain, NULL));
	what = of_rows(device, 64, 64, 500);
	assert_int_equal(texture(&what, &plain, NULL), cudaErrorInvalidValue);
	what = of_rows(device, 64, 64, 224);
	assert_int_equal(texture(&what, &plain, NULL), cudaErrorInvalidValue);
	what = of_rows(device, 0, 64, 512);
	assert_int_equal(texture(&what, &plain, NULL), cudaErrorInvalidValue);
	ok(cudaFree(device));
	ok(cudaFreeArray(array));
	ok(cudaFreeMipmappedArray(mipmap));
	free(heap);
}

static void objects_tell_what_they_were_made_of(void **state)
{
	const struct cudaChannelFormatDesc desc = bytes(4);
	struct cudaTextureDesc got_how, how = {
		.addressMode = { cudaAddressModeWrap, cudaAddressModeMirror,
				 cudaAddressModeBorder },
		.filterMode = cudaFilterModeLinear,
		.readMode = cudaReadModeNormalizedFloat,
		.sRGB = 1,
		.borderColor = { 1, 2, 3, 4 },
		.normalizedCoords = 1,
		.maxAnisotropy = 5,
		.mipmapFilterMode = cudaFilterModeLinear,
		.mipmapLevelBias = 0.5f,
		.minMipmapLevelClamp = 1,
		.maxMipmapLevelClamp = 2,
		.disableTrilinearOptimization = 1,
	};
	struct cudaResourceViewDesc got_view, view = {
		.format = cudaResViewFormatUnsignedChar4,
		.width = 8,
		.height = 8,
	};
	struct cudaResourceDesc what, got;
	cudaTextureObject_t object;
	cudaSurfaceObject_t surface;
	cudaArray_t array, unfit;
	void *device;

	(void)state;
	ok(cudaMalloc(&device, 65536));
	ok(cudaMallocArray(&unfit, &desc, 8, 8, 0));
	ok(cudaMallocArray(&array, &desc, 8, 8, cudaArraySurfaceLoadStore));
	what = of_array(array);
	ok(cudaCreateTextureObject(&object, &what, &how, &view));
	ok(cudaGetTextureObjectResourceDesc(&got, object));
	assert_int_equal(got.resType, cudaResourceTypeArray);
	assert_ptr_equal(got.res.array.array, array);
	ok(cudaGetTextureObjectTextureDesc(&got_how, object));
	assert_memory_equal(&got_how, &how, sizeof(how));
	ok(cudaGetTextureObjectResourceViewDesc(&got_view, object));
	assert_memory_equal(&got_view, &view, sizeof(view));
	is(cudaGetSurfaceObjectResourceDesc(&got, object),
	   cudaErrorInvalidValue);
	is(cudaDestroySurfaceObject(object), cudaErrorInvalidValue);
	is(cudaDestroyTextureObject(object + 1), cudaErrorInvalidValue);
	ok(cudaDestroyTextureObject(object));
	is(cudaDestroyTextureObject(object), cudaErrorInvalidValue);
	is(cudaGetTextureObjectResourceDesc(&got, object),
	   cudaErrorInvalidValue);

	what = of_rows(device, 64, 32, 512);
	memset(&how, 0, sizeof(how));
	ok(cudaCreateTextureObject(&object, &what, &how, NULL));
	ok(cudaGetTextureObjectResourceDesc(&got, object));
	assert_memory_equal(&got.res.pitch2D, &what.res.pitch2D,
			    sizeof(got.res.pitch2D));
	is(cudaGetTextureObjectResourceViewDesc(&got_view, object),
	   cudaErrorInvalidValue);
	ok(cudaDestroyTextureObject(object));

	what = of_array(array);
	ok(cudaCreateSurfaceObject(&surface, &what));
	ok(cudaGetSurfaceObjectResourceDesc(&got, surface));
	assert_ptr_equal(got.res.array.array, array);
	ok(cudaDestroySurfaceObject(surface));
	what = of_array(unfit);
	is(cudaCreateSurfaceObject(&surface, &what), cudaErrorInvalidValue);
	what = of_array(NULL);
	is(cudaCreateSurfaceObject(&surface, &what),
	   cudaErrorInvalidResourceHandle);
	is(cudaDestroySurfaceObject(0), cudaErrorInvalidValue);
	ok(cudaFreeArray(array));
	ok(cudaFreeArray(unfit));
	ok(cudaFree(device));
}

/* Each thread creates its own objects and arrays, which no other changes. */
static void *churn(void *arg)
{
	const struct cudaChannelFormatDesc desc = bytes(4);
	cudaSurfaceObject_t surfaces[NR_MADE];
	struct cudaResourceDesc what, got;
	cudaArray_t arrays[NR_MADE];
	int i, j;

	for (i = 0; i < NR_MADE; i++) {
		if (cudaMallocArray(&arrays[i], &desc, 8, 8,
				    cudaArraySurfaceLoadStore))
			return arg;
		what = of_array(arrays[i]);
		if (cudaCreateSurfaceObject(&surfaces[i], &what))
			return arg;
	}
	for (i = 0; i < NR_MADE; i++) {
		if (cudaGetSurfaceObjectResourceDesc(&got, surfaces[i]) ||
		    got.res.array.array != arrays[i])
			return arg;
		for (j = 0; j < i; j++)
			if (surfaces[i] == surfaces[j])
				return arg;
	}
	for (i = 0; i < NR_MADE; i += 2)
		if (cudaDestroySurfaceObject(surfaces[i]) ||
		    cudaFreeArray(arrays[i]))
			return arg;
	return NULL;
}

static void a_reset_gives_all_back(void **state)
{
	size_t before, after, all;
	pthread_t threads[NR_THREADS];
	cudaMipmappedArray_t mipmap;
	const struct cudaChannelFormatDesc desc = bytes(4);
	cudaArray_t level;
	void *bad;
	int i;

	(void)state;
	ok(cudaDeviceReset());
	ok(cudaMemGetInfo(&before, &all));
	for (i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, churn,
						threads), 0);
	for (i = 0; i < NR_THREADS; i++) {
		pthread_join(threads[i], &bad);
		assert_null(bad);
	}
	ok(cudaMallocMipmappedArray(&mipmap, &desc, extent_of(64, 64, 0), 9,
				    0));
	ok(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
	ok(cudaMemGetInfo(&after, &all));
	assert_true(after < before);
	ok(cudaDeviceReset());
	ok(cudaMemGetInfo(&after, &all));
	assert_int_equal(after, before);
	is(cudaFreeMipmappedArray(mipmap), cudaErrorInvalidValue);
	is(cudaArrayGetInfo(NULL, NULL, NULL, level),
	   cudaErrorInvalidResourceHandle);
}

/* Creating an object is no GPU work, so the CPU may use managed memory. */
static void an_object_makes_no_stream_active(void **state)
{
	const struct cudaChannelFormatDesc desc = bytes(4);
	const struct cudaTextureDesc how = { 0 };
	struct cudaResourceDesc what;
	cudaTextureObject_t object;
	cudaArray_t array;
	char *managed;
	int nr;

	(void)state;
	/* The last device is the SoC's GPU, which has managed memory. */
	ok(cudaGetDeviceCount(&nr));
	ok(cudaSetDevice(nr - 1));
	ok(cudaMallocManaged((void **)&managed, 4096, cudaMemAttachGlobal));
	managed[0] = 1;
	ok(cudaMallocArray(&array, &desc, 8, 8, 0));
	what = of_array(array);
	ok(cudaCreateTextureObject(&object, &what, &how, NULL));
	ok(cudaStreamQuery(NULL));
	managed[0]++;
	ok(cudaDestroyTextureObject(object));
	managed[0]++;
	assert_int_equal(managed[0], 3);
	ok(cudaFreeArray(array));
	ok(cudaFree(managed));
	ok(cudaSetDevice(0));
}

/* Runtime and driver accept each other's arrays, and describe them equally. */
static void the_driver_has_the_same_arrays(void **state)
{
	const CUDA_ARRAY_DESCRIPTOR flat = {
		.Width = 6,
		.Height = 5,
		.Format = CU_AD_FORMAT_SIGNED_INT16,
		.NumChannels = 2,
	};
	CUDA_ARRAY3D_DESCRIPTOR got;
	CUDA_ARRAY_DESCRIPTOR got_flat;
	struct cudaChannelFormatDesc desc;
	struct cudaExtent extent;
	CUmipmappedArray mipmap;
	CUarray array, level;
	unsigned int flags;

	(void)state;
	ok(cudaFree(NULL));
	cu(cuArrayCreate(&array, &flat));
	cu(cuArrayGetDescriptor(&got_flat, array));
	assert_memory_equal(&got_flat, &flat, sizeof(flat));
	cu(cuArray3DGetDescriptor(&got, array));
	assert_int_equal(got.Depth, 0);
	ok(cudaArrayGetInfo(&desc, &extent, &flags, (cudaArray_t)array));
	assert_int_equal(desc.x, 16);
	assert_int_equal(desc.y, 16);
	assert_int_equal(desc.z, 0);
	assert_int_equal(desc.f, cudaChannelFormatKindSigned);
	assert_int_equal(extent.width, 6);
	assert_int_equal(extent.height, 5);
	ok(cudaFreeArray((cudaArray_t)array));
	cu_is(cuArrayDestroy(array), CUDA_ERROR_INVALID_HANDLE);
	cu_is(cuArrayDestroy(NULL), CUDA_ERROR_INVALID_HANDLE);
	cu_is(cuArrayCreate(NULL, &flat), CUDA_ERROR_INVALID_VALUE);

	got.Width = 8;
	got.Height = 8;
	got.Depth = 8;
	got.NumChannels = 3;
	cu_is(cuArray3DCreate(&array, &got), CUDA_ERROR_INVALID_VALUE);
	got.NumChannels = 4;
	cu(cuMipmappedArrayCreate(&mipmap, &got, 2));
	cu(cuMipmappedArrayGetLevel(&level, mipmap, 1));
	cu(cuArray3DGetDescriptor(&got, level));
	assert_int_equal(got.Depth, 4);
	cu_is(cuMipmappedArrayGetLevel(&level, mipmap, 2),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuArrayDestroy(level), CUDA_ERROR_INVALID_HANDLE);
	cu(cuMipmappedArrayDestroy(mipmap));
}

static void the_driver_copies_boxes_rows_and_runs(void **state)
{
	const struct cudaExtent size = extent_of(24, 7, 3);
	const struct cudaExtent box = extent_of(12, 4, 2);
	const struct cudaPos to = pos_of(8, 2, 1);
	const struct cudaPos from = pos_of(4, 1, 0);
	CUDA_MEMCPY3D copy = { 0 };
	CUDA_MEMCPY2D rows = { 0 };
	unsigned char bytes_in[40], bytes_out[40];
	struct side host, device, array;
	struct cudaPitchedPtr ptr;
	unsigned int i;

	(void)state;
	side_create(&host, IN_HOST, &size, 4);
	side_create(&device, IN_DEVICE, &size, 4);
	side_create(&array, IN_ARRAY, &size, 4);
	ptr = memory_of(&host);
	copy.srcMemoryType = CU_MEMORYTYPE_HOST;
	copy.srcHost = ptr.ptr;
	copy.srcPitch = ptr.pitch;
	copy.srcHeight = ptr.ysize;
	copy.srcXInBytes = from.x;
	copy.srcY = from.y;
	copy.srcZ = from.z;
	copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	copy.dstArray = (CUarray)array.array;
	copy.dstXInBytes = to.x;
	copy.dstY = to.y;
	copy.dstZ = to.z;
	copy.WidthInBytes = box.width;
	copy.Height = box.height;
	copy.Depth = box.depth;
	cu(cuMemcpy3D(&copy));
	expect(&array.is, &to, &host.is, &from, &box);
	side_check(&array, NULL);
	copy.srcLOD = 1;
	cu_is(cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);
	copy.srcLOD = 0;
	copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	copy.srcDevice = (uintptr_t)ptr.ptr;
	cu_is(cuMemcpy3D(&copy), CUDA_ERROR_INVALID_VALUE);

	/* Copy the same box of the array to memory of the type "unified". */
	copy = (CUDA_MEMCPY3D){
		.srcMemoryType = CU_MEMORYTYPE_ARRAY,
		.srcArray = (CUarray)array.array,
		.srcXInBytes = to.x,
		.srcY = to.y,
		.srcZ = to.z,
		.dstMemoryType = CU_MEMORYTYPE_UNIFIED,
		.dstDevice = (uintptr_t)device.device,
		.dstPitch = device.is.pitch,
		.dstHeight = device.is.height,
		.dstXInBytes = from.x,
		.WidthInBytes = box.width,
		.Height = box.height,
		.Depth = box.depth,
	};
	cu(cuMemcpy3DAsync(&copy, NULL));
	cu(cuCtxSynchronize());
	expect(&device.is, &(struct cudaPos){ .x = from.x }, &array.is, &to,
	       &box);
	side_check(&device, NULL);

	/* Copy rows of device memory; a pitch of 0 means contiguous rows. */
	rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	rows.srcDevice = (uintptr_t)device.device;
	rows.srcPitch = device.is.pitch;
	rows.dstMemoryType = CU_MEMORYTYPE_ARRAY;
	rows.dstArray = (CUarray)array.array;
	rows.dstY = 3;
	rows.WidthInBytes = 24;
	rows.Height = 4;
	cu(cuMemcpy2D(&rows));
	expect(&array.is, &(struct cudaPos){ .y = 3 }, &device.is,
	       &(struct cudaPos){ 0 }, &(struct cudaExtent){ 24, 4, 1 });
	side_check(&array, NULL);
	rows.Height = 5;
	cu_is(cuMemcpy2DUnaligned(&rows), CUDA_ERROR_INVALID_VALUE);
	/* The same holds for boxes. */
	copy = (CUDA_MEMCPY3D){
		.srcMemoryType = CU_MEMORYTYPE_ARRAY,
		.srcArray = (CUarray)array.array,
		.dstMemoryType = CU_MEMORYTYPE_HOST,
		.dstHost = bytes_out,
		.WidthInBytes = 8,
		.Height = 5,
		.Depth = 1,
	};
	cu(cuMemcpy3D(&copy));
	for (i = 0; i < 40; i++)
		assert_int_equal(bytes_out[i],
				 *byte_of(&array.is, i % 8, i / 8, 0));

	fill(bytes_in, sizeof(bytes_in));
	cu(cuMemcpyHtoA((CUarray)array.array, 36, bytes_in, 40));
	for (i = 0; i < 40; i++)
		*byte_of(&array.is, (36 + i) % 24, (36 + i) / 24, 0) =
			bytes_in[i];
	side_check(&array, NULL);
	cu(cuMemcpyAtoA((CUarray)array.array, 0, (CUarray)array.array, 36,
			12));
	cu(cuMemcpyAtoH(bytes_out, (CUarray)array.array, 0, 12));
	assert_memory_equal(bytes_out, bytes_in, 12);
	cu(cuMemcpyAtoD((uintptr_t)device.device, (CUarray)array.array, 36,
			40));
	cu(cuMemcpyDtoA((CUarray)array.array, 4, (uintptr_t)device.device,
			40));
	cu(cuMemcpyAtoH(bytes_out, (CUarray)array.array, 4, 40));
	assert_memory_equal(bytes_out, bytes_in, 40);
	cu_is(cuMemcpyAtoH(bytes_out, (CUarray)array.array, 24 * 7 - 36, 40),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemcpyAtoH(bytes_out, NULL, 0, 40), CUDA_ERROR_INVALID_HANDLE);
	side_destroy(&host);
	side_destroy(&device);
	side_destroy(&array);
}

static void the_driver_has_the_same_objects(void **state)
{
	const struct cudaChannelFormatDesc desc = bytes(4);
	CUDA_TEXTURE_DESC got_how, how = {
		.filterMode = CU_TR_FILTER_MODE_LINEAR,
		.borderColor = { 1, 2, 3, 4 },
	};
	CUDA_RESOURCE_VIEW_DESC view;
	CUDA_RESOURCE_DESC got, what = { 0 };
	struct cudaResourceDesc plain;
	CUtexObject texture;
	CUsurfObject surface;
	cudaArray_t array;

	(void)state;
	ok(cudaMallocArray(&array, &desc, 8, 8, cudaArraySurfaceLoadStore));
	what.resType = CU_RESOURCE_TYPE_ARRAY;
	what.res.array.hArray = (CUarray)array;
	cu(cuTexObjectCreate(&texture, &what, &how, NULL));
	cu(cuTexObjectGetTextureDesc(&got_how, texture));
	assert_memory_equal(&got_how, &how, sizeof(how));
	cu(cuTexObjectGetResourceDesc(&got, texture));
	assert_ptr_equal(got.res.array.hArray, array);
	cu_is(cuTexObjectGetResourceViewDesc(&view, texture),
	      CUDA_ERROR_INVALID_VALUE);
	ok(cudaGetTextureObjectResourceDesc(&plain, texture));
	assert_ptr_equal(plain.res.array.array, array);
	ok(cudaDestroyTextureObject(texture));
	cu_is(cuTexObjectDestroy(texture), CUDA_ERROR_INVALID_VALUE);
	how.flags = CU_TRSF_READ_AS_INTEGER;
	cu_is(cuTexObjectCreate(&texture, &what, &how, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	how.flags = 0x1000;
	cu_is(cuTexObjectCreate(&texture, &what, &how, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	cu(cuSurfObjectCreate(&surface, &what));
	cu(cuSurfObjectGetResourceDesc(&got, surface));
	assert_ptr_equal(got.res.array.hArray, array);
	cu(cuSurfObjectDestroy(surface));
	what.flags = 1;
	cu_is(cuSurfObjectCreate(&surface, &what), CUDA_ERROR_INVALID_VALUE);
	ok(cudaFreeArray(array));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_are_copied_and_nothing_around_them),
		cmocka_unit_test(rows_are_copied_by_the_calls_for_them),
		cmocka_unit_test(runs_go_on_in_the_next_row),
		cmocka_unit_test(boxes_are_set_and_nothing_around_them),
		cmocka_unit_test(a_box_that_leaves_copies_nothing),
		cmocka_unit_test(extents_are_as_flags_and_limits_say),
		cmocka_unit_test(an_array_tells_what_it_was_made_of),
		cmocka_unit_test(levels_are_halves_down_to_one),
		cmocka_unit_test(a_texture_is_refused_what_does_not_fit),
		cmocka_unit_test(objects_tell_what_they_were_made_of),
		cmocka_unit_test(a_reset_gives_all_back),
		cmocka_unit_test(an_object_makes_no_stream_active),
		cmocka_unit_test(the_driver_has_the_same_arrays),
		cmocka_unit_test(the_driver_copies_boxes_rows_and_runs),
		cmocka_unit_test(the_driver_has_the_same_objects),
	};

	return cmocka_run_group_tests(tests, reset, NULL);
}
