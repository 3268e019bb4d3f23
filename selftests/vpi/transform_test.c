// SPDX-License-Identifier: GPL-2.0-only
/* Tests NvBufSurfTransform: batches, parts, sessions, asynchronous calls. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <cuda_runtime_api.h>
#include <nvbufsurface.h>
#include <nvbufsurftransform.h>

#include "test.h"

#define WIDTH	64
#define HEIGHT	32

static NvBufSurface *new_batch(NvBufSurfaceColorFormat format,
			       NvBufSurfaceMemType type, uint32_t width,
			       uint32_t height, uint32_t nr)
{
	NvBufSurfaceCreateParams params = {
		.width = width, .height = height, .colorFormat = format,
		.layout = NVBUF_LAYOUT_PITCH, .memType = type,
	};
	NvBufSurface *surf = NULL;

	assert_int_equal(NvBufSurfaceCreate(&surf, nr, &params), 0);
	surf->numFilled = nr;
	return surf;
}

static NvBufSurface *new_surface(NvBufSurfaceColorFormat format, uint32_t width,
				 uint32_t height)
{
	return new_batch(format, NVBUF_MEM_SURFACE_ARRAY, width, height, 1);
}

/* Returns the bytes in a row of a plane. */
static uint32_t row_len(const NvBufSurface *surf, uint32_t plane)
{
	const NvBufSurfacePlaneParams *planes =
		&surf->surfaceList[0].planeParams;

	return planes->width[plane] * planes->bytesPerPix[plane];
}

static uint8_t *row_of(const NvBufSurface *surf, uint32_t index, uint32_t plane,
		       uint32_t y)
{
	const NvBufSurfaceParams *shown = &surf->surfaceList[index];

	return (uint8_t *)shown->mappedAddr.addr[plane] +
	       y * shown->planeParams.pitch[plane];
}

/* Fills each buffer with another pattern, or with @value if not negative. */
static void batch_fill(NvBufSurface *surf, int value)
{
	const NvBufSurfacePlaneParams *planes =
		&surf->surfaceList[0].planeParams;
	uint32_t i, plane, x, y;

	assert_int_equal(NvBufSurfaceMap(surf, -1, -1, NVBUF_MAP_READ_WRITE),
			 0);
	NvBufSurfaceSyncForCpu(surf, -1, -1);
	for (i = 0; i < surf->batchSize; i++)
		for (plane = 0; plane < planes->num_planes; plane++)
			for (y = 0; y < planes->height[plane]; y++)
				for (x = 0; x < row_len(surf, plane); x++)
					row_of(surf, i, plane, y)[x] =
						value >= 0 ? value :
						pattern(x + i, y + plane);
	NvBufSurfaceSyncForDevice(surf, -1, -1);
	assert_int_equal(NvBufSurfaceUnMap(surf, -1, -1), 0);
}

static void batch_read(NvBufSurface *surf)
{
	assert_int_equal(NvBufSurfaceMap(surf, -1, -1, NVBUF_MAP_READ), 0);
	NvBufSurfaceSyncForCpu(surf, -1, -1);
}

static void batch_drop(NvBufSurface *surf)
{
	NvBufSurfaceUnMap(surf, -1, -1);
	assert_int_equal(NvBufSurfaceDestroy(surf), 0);
}

static void halves_of_a_picture_are_taken(void **state)
{
	NvBufSurfTransformRect rect = { 0, 0, WIDTH / 2, HEIGHT };
	NvBufSurfTransformParams params = {
		.transform_flag = NVBUFSURF_TRANSFORM_CROP_SRC |
				  NVBUFSURF_TRANSFORM_FILTER,
		.transform_filter = NvBufSurfTransformInter_Default,
		.src_rect = &rect,
	};
	NvBufSurface *src = new_surface(NVBUF_COLOR_FORMAT_NV12_ER, WIDTH,
					HEIGHT);
	NvBufSurface *dst[2];
	NvBufSurfTransformSyncObj_t wait[2];
	uint32_t i, plane, y;

	(void)state;
	batch_fill(src, -1);
	for (i = 0; i < 2; i++) {
		dst[i] = new_surface(NVBUF_COLOR_FORMAT_NV12_ER, WIDTH / 2,
				     HEIGHT);
		rect.left = i * WIDTH / 2;
		assert_int_equal(NvBufSurfTransformAsync(src, dst[i], &params,
							 &wait[i]), 0);
	}
	batch_read(src);
	for (i = 0; i < 2; i++) {
		assert_int_equal(NvBufSurfTransformSyncObjWait(wait[i], -1), 0);
		assert_int_equal(NvBufSurfTransformSyncObjDestroy(&wait[i]), 0);
		assert_null(wait[i]);
		batch_read(dst[i]);
		for (plane = 0; plane < 2; plane++)
			for (y = 0; y < HEIGHT / (plane + 1); y++)
				assert_memory_equal(row_of(dst[i], 0, plane, y),
						    row_of(src, 0, plane, y) +
						    i * WIDTH / 2, WIDTH / 2);
		batch_drop(dst[i]);
	}
	batch_drop(src);
}

static void what_is_outside_of_the_target_stays(void **state)
{
	NvBufSurfTransformRect rect = { 4, 8, 16, 8 };
	NvBufSurfTransformParams params = {
		.transform_flag = NVBUFSURF_TRANSFORM_CROP_DST,
		.dst_rect = &rect,
	};
	NvBufSurface *src = new_surface(NVBUF_COLOR_FORMAT_RGBA, 16, 8);
	NvBufSurface *dst = new_surface(NVBUF_COLOR_FORMAT_RGBA, WIDTH, HEIGHT);
	uint32_t x, y;

	(void)state;
	batch_fill(src, -1);
	batch_fill(dst, 7);
	assert_int_equal(NvBufSurfTransform(src, dst, &params), 0);
	batch_read(src);
	batch_read(dst);
	for (y = 0; y < HEIGHT; y++)
		for (x = 0; x < WIDTH * 4; x++)
			assert_int_equal(row_of(dst, 0, 0, y)[x],
					 y < 4 || y >= 12 || x < 32 ||
					 x >= 96 ? 7 :
					 row_of(src, 0, 0, y - 4)[x - 32]);
	batch_drop(src);
	batch_drop(dst);
}

static void a_batch_is_scaled_and_converted(void **state)
{
	NvBufSurfTransformParams params = {
		.transform_flag = NVBUFSURF_TRANSFORM_FILTER,
		.transform_filter = NvBufSurfTransformInter_Bilinear,
	};
	unsigned int filter;
	NvBufSurface *src = new_batch(NVBUF_COLOR_FORMAT_NV12_ER,
				      NVBUF_MEM_SURFACE_ARRAY, WIDTH, HEIGHT,
				      3);
	NvBufSurface *dst = new_batch(NVBUF_COLOR_FORMAT_RGBA,
				      NVBUF_MEM_SURFACE_ARRAY, 50, 20, 4);
	uint32_t i;

	(void)state;
	batch_fill(src, 128);
	batch_fill(dst, 1);
	src->numFilled = 2;
	for (filter = 0; filter <= NvBufSurfTransformInter_Default; filter++) {
		params.transform_filter = filter;
		assert_int_equal(NvBufSurfTransform(src, dst, &params), 0);
	}
	batch_read(dst);
	for (i = 0; i < 4; i++)
		assert_in_range(row_of(dst, i, 0, 19)[49 * 4],
				i < 2 ? 126 : 1, i < 2 ? 130 : 1);
	batch_drop(src);
	batch_drop(dst);
}

/* Alpha of converted pixels is 255. Nothing sets it if pixels are copied. */
static void pixels_without_alpha_are_converted(void **state)
{
	static const struct {
		NvBufSurfaceColorFormat from;
		NvBufSurfaceColorFormat to;
		int error;
	} cases[] = {
		{ NVBUF_COLOR_FORMAT_NV12_ER, NVBUF_COLOR_FORMAT_BGRx, 0 },
		{ NVBUF_COLOR_FORMAT_BGRx, NVBUF_COLOR_FORMAT_RGBA, 0 },
		{ NVBUF_COLOR_FORMAT_RGBx, NVBUF_COLOR_FORMAT_BGRA, 0 },
		{ NVBUF_COLOR_FORMAT_RGBx, NVBUF_COLOR_FORMAT_RGBA,
		  NvBufSurfTransformError_Unsupported },
		{ NVBUF_COLOR_FORMAT_BGRx, NVBUF_COLOR_FORMAT_BGRA,
		  NvBufSurfTransformError_Unsupported },
	};
	NvBufSurfTransformParams params = { 0 };
	NvBufSurface *src, *dst;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		src = new_surface(cases[i].from, WIDTH, HEIGHT);
		dst = new_surface(cases[i].to, WIDTH, HEIGHT);
		batch_fill(src, 128);
		batch_fill(dst, 1);
		assert_int_equal(NvBufSurfTransform(src, dst, &params),
				 cases[i].error);
		batch_read(dst);
		if (cases[i].error) {
			assert_int_equal(row_of(dst, 0, 0, 9)[4], 1);
		} else {
			assert_in_range(row_of(dst, 0, 0, 9)[4], 126, 130);
			assert_int_equal(row_of(dst, 0, 0, 9)[7], 255);
		}
		batch_drop(src);
		batch_drop(dst);
	}
}

static void plane_fill(NvBufSurface *surf, uint32_t plane, uint8_t value)
{
	assert_int_equal(NvBufSurfaceMemSet(surf, 0, (int)plane, value), 0);
}

/* As encoders take pictures: planes of Y, Cb and Cr, all sides and parts */
static void planes_of_chroma_are_converted(void **state)
{
	NvBufSurfTransformRect rect = { 4, 8, 16, 18 };
	NvBufSurfTransformParams params = { .src_rect = &rect };
	NvBufSurface *src = new_surface(NVBUF_COLOR_FORMAT_NV12_ER, 64, 48);
	NvBufSurface *planar = new_surface(NVBUF_COLOR_FORMAT_YUV420_ER, 64,
					   48);
	NvBufSurface *small = new_surface(NVBUF_COLOR_FORMAT_YUV420_ER, 32,
					  24);
	NvBufSurface *back = new_surface(NVBUF_COLOR_FORMAT_NV12_ER, 32, 24);
	NvBufSurface *wide = new_surface(NVBUF_COLOR_FORMAT_NV24, 64, 48);
	static const uint8_t values[] = { 100, 90, 160 };
	uint32_t i;

	(void)state;
	plane_fill(src, 0, values[0]);
	plane_fill(src, 1, values[1]);
	assert_int_equal(NvBufSurfTransform(src, planar, &params), 0);
	batch_read(planar);
	assert_int_equal(row_of(planar, 0, 0, 47)[63], values[0]);
	for (i = 1; i < 3; i++)
		assert_int_equal(row_of(planar, 0, i, 23)[31], values[1]);
	for (i = 0; i < 3; i++)
		plane_fill(planar, i, values[i]);
	params.transform_flag = NVBUFSURF_TRANSFORM_CROP_SRC;
	assert_int_equal(NvBufSurfTransform(planar, small, &params), 0);
	assert_int_equal(NvBufSurfTransform(planar, back, &params), 0);
	batch_read(small);
	batch_read(back);
	for (i = 0; i < 3; i++)
		assert_int_equal(row_of(small, 0, i, 11)[15], values[i]);
	assert_int_equal(row_of(back, 0, 0, 23)[31], values[0]);
	assert_int_equal(row_of(back, 0, 1, 11)[30], values[1]);
	assert_int_equal(row_of(back, 0, 1, 11)[31], values[2]);
	params.transform_flag = 0;
	assert_int_equal(NvBufSurfTransform(planar, wide, &params),
			 NvBufSurfTransformError_Unsupported);
	batch_drop(src);
	batch_drop(planar);
	batch_drop(small);
	batch_drop(back);
	batch_drop(wide);
}

static NvBufSurface *new_blocks(NvBufSurfaceColorFormat format, uint32_t width,
				uint32_t height)
{
	NvBufSurfaceCreateParams params = {
		.width = width, .height = height, .colorFormat = format,
		.layout = NVBUF_LAYOUT_BLOCK_LINEAR,
		.memType = NVBUF_MEM_SURFACE_ARRAY,
	};
	NvBufSurface *surf = NULL;

	assert_int_equal(NvBufSurfaceCreate(&surf, 1, &params), 0);
	surf->numFilled = 1;
	return surf;
}

/* As decoders and encoders have pictures: whole ones, scaled and converted */
static void blocks_are_transformed(void **state)
{
	NvBufSurfTransformRect rect = { 0, 0, 16, 16 };
	NvBufSurfTransformParams params = { .src_rect = &rect };
	NvBufSurface *src = new_surface(NVBUF_COLOR_FORMAT_NV12, 70, 38);
	NvBufSurface *blocks = new_blocks(NVBUF_COLOR_FORMAT_NV12, 70, 38);
	NvBufSurface *other = new_blocks(NVBUF_COLOR_FORMAT_NV12, 70, 38);
	NvBufSurface *planar = new_blocks(NVBUF_COLOR_FORMAT_YUV420, 70, 38);
	NvBufSurface *back = new_surface(NVBUF_COLOR_FORMAT_NV12, 70, 38);
	NvBufSurface *big = new_surface(NVBUF_COLOR_FORMAT_RGBA, 140, 76);
	uint32_t plane, y;

	(void)state;
	batch_fill(src, -1);
	assert_int_equal(NvBufSurfTransform(src, blocks, &params), 0);
	assert_int_equal(NvBufSurfTransform(blocks, other, &params), 0);
	assert_int_equal(NvBufSurfTransform(other, planar, &params), 0);
	assert_int_equal(NvBufSurfTransform(planar, back, &params), 0);
	batch_read(src);
	batch_read(back);
	for (plane = 0; plane < 2; plane++)
		for (y = 0; y < 38U >> plane; y++)
			assert_memory_equal(row_of(back, 0, plane, y),
					    row_of(src, 0, plane, y), 70);
	batch_fill(src, 128);
	assert_int_equal(NvBufSurfTransform(src, blocks, &params), 0);
	assert_int_equal(NvBufSurfTransform(blocks, big, &params), 0);
	batch_read(big);
	assert_in_range(row_of(big, 0, 0, 75)[139 * 4], 129, 132);
	params.transform_flag = NVBUFSURF_TRANSFORM_CROP_SRC;
	assert_int_equal(NvBufSurfTransform(blocks, big, &params),
			 NvBufSurfTransformError_Unsupported);
	/* A map shows the blocks as they are. */
	assert_int_equal(NvBufSurfaceMap(blocks, 0, 0, NVBUF_MAP_READ), 0);
	assert_int_equal(NvBufSurfaceUnMap(blocks, 0, 0), 0);
	assert_int_equal(NvBufSurfaceMemSet(blocks, 0, 0, 1), -1);
	batch_drop(src);
	batch_drop(blocks);
	batch_drop(other);
	batch_drop(planar);
	batch_drop(back);
	batch_drop(big);
}

/* VPI has no such format. */
static void vpi_has_no_planes_of_chroma(void **state)
{
	NvBufSurface *surf = new_surface(NVBUF_COLOR_FORMAT_YUV420, 64, 48);
	VPIImageData data = { .bufferType = VPI_IMAGE_BUFFER_NVBUFFER };
	VPIImage image = NULL;

	(void)state;
	data.buffer.fd = (int)surf->surfaceList[0].bufferDesc;
	is(vpiImageCreateWrapper(&data, NULL, VPI_BACKEND_CUDA, &image),
	   VPI_ERROR_INVALID_IMAGE_FORMAT, "planes of Y, Cb and Cr");
	assert_null(image);
	batch_drop(surf);
}

/* As DeepStream's plug-ins make batches of others' buffers */
static void a_copy_of_a_batch_has_its_buffers(void **state)
{
	NvBufSurfTransformParams params = { .transform_flag = 0 };
	NvBufSurface *src = new_batch(NVBUF_COLOR_FORMAT_RGBA,
				      NVBUF_MEM_SURFACE_ARRAY, 16, 8, 2);
	NvBufSurface *dst = new_surface(NVBUF_COLOR_FORMAT_RGBA, 16, 8);
	NvBufSurface second = *src;
	uint32_t y;

	(void)state;
	batch_fill(src, -1);
	second.numFilled = 1;
	second.batchSize = 1;
	second.surfaceList = &src->surfaceList[1];
	assert_int_equal(NvBufSurfTransform(&second, dst, &params), 0);
	batch_read(src);
	batch_read(dst);
	for (y = 0; y < 8; y++)
		assert_memory_equal(row_of(dst, 0, 0, y), row_of(src, 1, 0, y),
				    16 * 4);
	batch_drop(src);
	batch_drop(dst);
}

static NvBufSurface *lock_surface(VPIImage image, VPILockMode mode)
{
	VPIImageData data;
	void *surf;

	ok(vpiImageLockData(image, mode, VPI_IMAGE_BUFFER_NVBUFFER, &data));
	assert_int_equal(NvBufSurfaceFromFd(data.buffer.fd, &surf), 0);
	return surf;
}

/* Checks the first row of an NV12 image that image_fill() has filled. */
static void check_image(VPIImage image)
{
	VPIImageData data;
	uint32_t i, x;

	ok(vpiImageLockData(image, VPI_LOCK_READ,
			    VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	for (i = 0; i < 2; i++)
		for (x = 0; x < WIDTH; x++)
			assert_int_equal(data.buffer.pitch.planes[i].pBase[x],
					 pattern(x, 0));
	ok(vpiImageUnlock(image));
}

static void surfaces_of_locks_are_transformed(void **state)
{
	NvBufSurfTransformParams params = { .transform_flag = 0 };
	VPIImage from, to[2];
	NvBufSurface *src, *dst;
	uint8_t row[WIDTH];
	int i;

	(void)state;
	if (!is_board("thor"))
		return;
	ok(vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12_ER, 0, &from));
	image_fill(from);
	for (i = 0; i < 2; i++) {
		ok(vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12_ER, 0,
				  &to[i]));
		src = lock_surface(from, VPI_LOCK_READ);
		dst = lock_surface(to[i], i ? VPI_LOCK_WRITE :
					  VPI_LOCK_READ_WRITE);
		assert_int_equal(src->numFilled, 1);
		if (i)
			assert_int_equal(NvBufSurfaceCopy(src, dst), 0);
		else
			assert_int_equal(NvBufSurfTransform(src, dst, &params),
					 NvBufSurfTransformError_Success);
		ok(vpiImageUnlock(to[i]));
		ok(vpiImageUnlock(from));
		check_image(to[i]);
	}
	src = lock_surface(from, VPI_LOCK_READ);
	assert_int_equal(NvBufSurface2Raw(src, 0, 0, WIDTH, 1, row), 0);
	assert_int_equal(row[5], pattern(5, 0));
	ok(vpiImageUnlock(from));
	for (i = 0; i < 2; i++)
		vpiImageDestroy(to[i]);
	vpiImageDestroy(from);
}

static void a_surface_to_read_is_no_target(void **state)
{
	NvBufSurfTransformParams params = { .transform_flag = 0 };
	VPIImage from, to;
	NvBufSurface *src, *dst;

	(void)state;
	if (!is_board("thor"))
		return;
	ok(vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12_ER, 0, &from));
	ok(vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_NV12_ER, 0, &to));
	image_fill(to);
	src = lock_surface(from, VPI_LOCK_READ_WRITE);
	dst = lock_surface(to, VPI_LOCK_READ);
	errno = 0;
	assert_int_equal(NvBufSurfTransform(src, dst, &params),
			 NvBufSurfTransformError_Unsupported);
	assert_int_equal(errno, EACCES);
	errno = 0;
	assert_int_equal(NvBufSurfaceCopy(src, dst), -1);
	assert_int_equal(errno, EACCES);
	assert_int_equal(NvBufSurfaceMemSet(dst, 0, 0, 1), -1);
	ok(vpiImageUnlock(to));
	ok(vpiImageUnlock(from));
	check_image(to);
	vpiImageDestroy(from);
	vpiImageDestroy(to);
}

static void the_gpu_has_memory_of_cuda(void **state)
{
	NvBufSurfTransformConfigParams config = {
		.compute_mode = NvBufSurfTransformCompute_GPU,
	};
	NvBufSurfTransformRect rect = { 2, 4, 8, 4 };
	NvBufSurfTransformParams params = {
		.transform_flag = NVBUFSURF_TRANSFORM_CROP_SRC,
		.src_rect = &rect,
	};
	NvBufSurface *src = new_surface(NVBUF_COLOR_FORMAT_RGBA, 16, 8);
	NvBufSurface *dst = new_batch(NVBUF_COLOR_FORMAT_RGBA,
				      NVBUF_MEM_CUDA_DEVICE, 8, 4, 1);
	NvBufSurfTransformConfigParams got;
	uint8_t back[4][8 * 4];
	uint32_t y;

	(void)state;
	batch_fill(src, -1);
	assert_int_equal(cudaStreamCreateWithFlags(&config.cuda_stream,
						   cudaStreamNonBlocking), 0);
	assert_int_equal(NvBufSurfTransformSetSessionParams(&config), 0);
	assert_int_equal(NvBufSurfTransformGetSessionParams(&got), 0);
	assert_ptr_equal(got.cuda_stream, config.cuda_stream);
	assert_int_equal(NvBufSurfTransform(src, dst, &params), 0);
	assert_int_equal(cudaMemcpy2D(back, sizeof(back[0]),
				      dst->surfaceList[0].dataPtr,
				      dst->surfaceList[0].pitch,
				      sizeof(back[0]), 4,
				      cudaMemcpyDeviceToHost), 0);
	batch_read(src);
	for (y = 0; y < 4; y++)
		assert_memory_equal(back[y], row_of(src, 0, 0, y + 2) + 16,
				    sizeof(back[0]));
	assert_int_equal(cudaStreamDestroy(config.cuda_stream), 0);
	assert_int_equal(NvBufSurfTransformSetSessionParams(&config),
			 NvBufSurfTransformError_Invalid_Params);
	assert_int_equal(NvBufSurfTransformSetDefaultSession(), 0);
	assert_int_equal(NvBufSurfTransformGetSessionParams(&got), 0);
	assert_null(got.cuda_stream);
	batch_drop(src);
	batch_drop(dst);
}

static void buffers_become_one(void **state)
{
	NvBufSurfTransformRect from[] = { { 0, 0, 16, 8 }, { 0, 0, 16, 8 } };
	NvBufSurfTransformRect to[] = { { 0, 0, 16, 8 }, { 8, 16, 16, 8 } };
	NvBufSurfTransformCompositeParams params = {
		.composite_flag = NVBUFSURF_TRANSFORM_COMPOSITE,
		.input_buf_count = 2,
		.src_comp_rect = from,
		.dst_comp_rect = to,
	};
	NvBufSurface *src = new_batch(NVBUF_COLOR_FORMAT_RGBA,
				      NVBUF_MEM_SURFACE_ARRAY, 16, 8, 2);
	NvBufSurface *dst = new_surface(NVBUF_COLOR_FORMAT_RGBA, 32, 16);
	uint32_t y;

	(void)state;
	batch_fill(src, -1);
	batch_fill(dst, 9);
	assert_int_equal(NvBufSurfTransformComposite(src, dst, &params), 0);
	batch_read(src);
	batch_read(dst);
	for (y = 0; y < 8; y++) {
		assert_memory_equal(row_of(dst, 0, 0, y), row_of(src, 0, 0, y),
				    16 * 4);
		assert_int_equal(row_of(dst, 0, 0, y)[16 * 4], 9);
		assert_memory_equal(row_of(dst, 0, 0, y + 8) + 16 * 4,
				    row_of(src, 1, 0, y), 16 * 4);
	}
	params.composite_flag |= NVBUFSURF_TRANSFORM_BLEND;
	assert_int_equal(NvBufSurfTransformComposite(src, dst, &params),
			 NvBufSurfTransformError_Unsupported);
	params.composite_flag = NVBUFSURF_TRANSFORM_COMPOSITE;
	params.input_buf_count = 3;
	assert_int_equal(NvBufSurfTransformComposite(src, dst, &params),
			 NvBufSurfTransformError_Invalid_Params);
	batch_drop(src);
	batch_drop(dst);
}

/* System memory has descriptor 0, which may belong to another surface. */
static void system_memory_has_no_transforms(void **state)
{
	const char *backend = getenv("LIBMEM_BACKEND");
	const int input = dup(0);
	NvBufSurfTransformParams params = { 0 };
	NvBufSurface *memory = new_batch(NVBUF_COLOR_FORMAT_RGBA,
					 NVBUF_MEM_SYSTEM, 16, 8, 1);
	NvBufSurface *surf, *dst;

	(void)state;
	dst = new_surface(NVBUF_COLOR_FORMAT_RGBA, 16, 8);
	close(0);
	surf = new_surface(NVBUF_COLOR_FORMAT_RGBA, 16, 8);
	/* With the module, libmem uses the lowest descriptor itself. */
	if (!backend || strcmp(backend, "kernel"))
		assert_int_equal(surf->surfaceList[0].bufferDesc, 0);
	assert_int_equal(NvBufSurfTransform(memory, dst, &params),
			 NvBufSurfTransformError_Unsupported);
	assert_int_equal(NvBufSurfaceDestroy(surf), 0);
	assert_int_equal(dup2(input, 0), 0);
	close(input);
	assert_int_equal(NvBufSurfaceDestroy(dst), 0);
	assert_int_equal(NvBufSurfaceDestroy(memory), 0);
}

static void wrong_transforms_are_refused(void **state)
{
	NvBufSurfTransformRect rect = { 0, 8, 16, 8 };
	NvBufSurfTransformParams params = {
		.transform_flag = NVBUFSURF_TRANSFORM_CROP_SRC,
		.src_rect = &rect,
	};
	NvBufSurface *src = new_surface(NVBUF_COLOR_FORMAT_RGBA, 16, 8);
	NvBufSurface *dst = new_surface(NVBUF_COLOR_FORMAT_RGBA, 16, 8);
	NvBufSurface *two = new_batch(NVBUF_COLOR_FORMAT_RGBA,
				      NVBUF_MEM_SURFACE_ARRAY, 16, 8, 2);
	NvBufSurface overfilled = *two;
	NvBufSurfTransformConfigParams config = { .compute_mode = 3 };
	NvBufSurfTransformSyncObj_t wait = NULL;

	(void)state;
	assert_int_equal(NvBufSurfTransform(src, dst, &params),
			 NvBufSurfTransformError_ROI_Error);
	rect = (NvBufSurfTransformRect) { 0, 0, 0, 8 };
	assert_int_equal(NvBufSurfTransform(src, dst, &params),
			 NvBufSurfTransformError_ROI_Error);
	params.src_rect = NULL;
	assert_int_equal(NvBufSurfTransform(src, dst, &params),
			 NvBufSurfTransformError_Invalid_Params);
	params.transform_flag = NVBUFSURF_TRANSFORM_FLIP;
	params.transform_flip = NvBufSurfTransform_Rotate90;
	assert_int_equal(NvBufSurfTransformAsync(src, dst, &params, &wait),
			 NvBufSurfTransformError_Unsupported);
	assert_null(wait);
	params.transform_flag = NVBUFSURF_TRANSFORM_FILTER;
	params.transform_filter = NvBufSurfTransformInter_Default + 1;
	assert_int_equal(NvBufSurfTransform(src, dst, &params),
			 NvBufSurfTransformError_Invalid_Params);
	params.transform_flag = 0;
	assert_int_equal(NvBufSurfTransform(NULL, dst, &params),
			 NvBufSurfTransformError_Invalid_Params);
	assert_int_equal(NvBufSurfTransform(src, dst, NULL),
			 NvBufSurfTransformError_Invalid_Params);
	overfilled.batchSize = 1;
	overfilled.numFilled = 2;
	assert_int_equal(NvBufSurfTransform(&overfilled, two, &params),
			 NvBufSurfTransformError_Invalid_Params);
	assert_int_equal(NvBufSurfTransformSetSessionParams(&config),
			 NvBufSurfTransformError_Invalid_Params);
	assert_int_equal(NvBufSurfTransformSetSessionParams(NULL),
			 NvBufSurfTransformError_Invalid_Params);
	assert_int_equal(NvBufSurfTransformSyncObjWait(NULL, 0),
			 NvBufSurfTransformError_Invalid_Params);
	assert_int_equal(NvBufSurfTransformSyncObjDestroy(&wait),
			 NvBufSurfTransformError_Invalid_Params);
	batch_drop(src);
	batch_drop(dst);
	batch_drop(two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(halves_of_a_picture_are_taken,
					  no_violation),
		cmocka_unit_test_teardown(what_is_outside_of_the_target_stays,
					  no_violation),
		cmocka_unit_test_teardown(a_batch_is_scaled_and_converted,
					  no_violation),
		cmocka_unit_test_teardown(pixels_without_alpha_are_converted,
					  no_violation),
		cmocka_unit_test_teardown(a_copy_of_a_batch_has_its_buffers,
					  no_violation),
		cmocka_unit_test_teardown(surfaces_of_locks_are_transformed,
					  no_violation),
		cmocka_unit_test_teardown(a_surface_to_read_is_no_target,
					  no_violation),
		cmocka_unit_test_teardown(the_gpu_has_memory_of_cuda,
					  no_violation),
		cmocka_unit_test_teardown(buffers_become_one, no_violation),
		cmocka_unit_test_teardown(system_memory_has_no_transforms,
					  no_violation),
		cmocka_unit_test_teardown(planes_of_chroma_are_converted,
					  no_violation),
		cmocka_unit_test_teardown(blocks_are_transformed,
					  no_violation),
		cmocka_unit_test_teardown(vpi_has_no_planes_of_chroma,
					  no_violation),
		cmocka_unit_test_teardown(wrong_transforms_are_refused,
					  no_violation),
	};

	return cmocka_run_group_tests(tests, watch_cuda, NULL);
}
