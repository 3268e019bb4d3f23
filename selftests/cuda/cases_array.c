// SPDX-License-Identifier: GPL-2.0-only
/* Cases of arrays, mipmapped arrays and surfaces. */
#include <string.h>

#include "cases.h"

#define WIDTH		64
#define HEIGHT		32
#define ROW		(WIDTH * 4)

static struct cudaChannelFormatDesc desc(int x, int y, int z, int w,
					 enum cudaChannelFormatKind kind)
{
	struct cudaChannelFormatDesc made = { x, y, z, w, kind };

	return made;
}

#define UCHAR4		desc(8, 8, 8, 8, cudaChannelFormatKindUnsigned)
#define FLOAT		desc(32, 0, 0, 0, cudaChannelFormatKindFloat)

static void ask_copies(void)
{
	struct cudaChannelFormatDesc uchar4 = UCHAR4, got_desc;
	char *heap = side_alloc(PAGEABLE);
	const enum cudaMemcpyKind in = cudaMemcpyHostToDevice;
	struct cudaExtent extent;
	unsigned int flags;
	cudaArray_t array = NULL;

	RT(cudaMallocArray(&array, &uchar4, WIDTH, HEIGHT, 0), "array.malloc");
	need(array, "array");
	RT(cudaMemcpy2DToArray(array, 0, 0, heap, ROW, ROW, HEIGHT, in),
	   "array.to.ok");
	RT(cudaMemcpy2DToArray(array, 0, 0, heap, ROW, ROW, HEIGHT + 1, in),
	   "array.to.too_high");
	RT(cudaMemcpy2DToArray(array, 0, 0, heap, ROW + 4, ROW + 4, HEIGHT,
			       in), "array.to.too_wide");
	RT(cudaMemcpy2DToArray(array, ROW, 0, heap, ROW, ROW, HEIGHT, in),
	   "array.to.offset_past");
	RT(cudaMemcpy2DToArray(array, 0, 0, heap, ROW, ROW, HEIGHT,
			       cudaMemcpyDeviceToHost),
	   "array.to.wrong_kind");
	RT(cudaMemcpy2DToArray(array, 0, 0, NULL, ROW, ROW, HEIGHT, in),
	   "array.to.null");
	RT(cudaMemcpy2DFromArray(heap, ROW, array, 0, 0, ROW, HEIGHT,
				 cudaMemcpyDeviceToHost), "array.from.ok");
	RT(cudaMemcpy2DFromArray(heap, ROW, array, 0, 0, ROW, HEIGHT, in),
	   "array.from.wrong_kind");
	RT(cudaMemcpy2DFromArray(heap, ROW, array, 0, 0, ROW, HEIGHT + 1,
				 cudaMemcpyDeviceToHost),
	   "array.from.too_high");
	memset(&got_desc, 0, sizeof(got_desc));
	memset(&extent, 0, sizeof(extent));
	flags = 0xdead;
	RT(cudaArrayGetInfo(&got_desc, &extent, &flags, array),
	   "array.getinfo");
	if (ask("array.info"))
		answer("%zu %zu %zu %u %d%d%d%d %d", extent.width,
		       extent.height, extent.depth, flags, got_desc.x,
		       got_desc.y, got_desc.z, got_desc.w, (int)got_desc.f);
	RT(cudaFreeArray(array), "array.free");
	RT(cudaFreeArray(NULL), "array.free_null");
}

static void ask_malloc_as(const char *name, struct cudaChannelFormatDesc as,
			  size_t width, size_t height, unsigned int flags)
{
	cudaArray_t array = NULL;

	RT(cudaMallocArray(&array, &as, width, height, flags), "array.%s",
	   name);
	if (array)
		cudaFreeArray(array);
}

static void ask_mallocs(void)
{
	struct cudaChannelFormatDesc uchar4 = UCHAR4;
	cudaArray_t array = NULL;

	ask_malloc_as("zero_width", UCHAR4, 0, 0, 0);
	ask_malloc_as("one_row", UCHAR4, WIDTH, 0, 0);
	RT(cudaMallocArray(NULL, &uchar4, WIDTH, HEIGHT, 0), "array.null");
	RT(cudaMallocArray(&array, NULL, WIDTH, HEIGHT, 0),
	   "array.null_desc");
	ask_malloc_as("bits7", desc(7, 0, 0, 0, cudaChannelFormatKindUnsigned),
		      WIDTH, HEIGHT, 0);
	ask_malloc_as("bits0", desc(0, 0, 0, 0, cudaChannelFormatKindUnsigned),
		      WIDTH, HEIGHT, 0);
	ask_malloc_as("three_channels",
		      desc(8, 8, 8, 0, cudaChannelFormatKindUnsigned), WIDTH,
		      HEIGHT, 0);
	ask_malloc_as("float8", desc(8, 0, 0, 0, cudaChannelFormatKindFloat),
		      WIDTH, HEIGHT, 0);
	ask_malloc_as("float", FLOAT, WIDTH, HEIGHT, 0);
	ask_malloc_as("half", desc(16, 0, 0, 0, cudaChannelFormatKindFloat),
		      WIDTH, HEIGHT, 0);
	ask_malloc_as("int16x2", desc(16, 16, 0, 0,
				      cudaChannelFormatKindSigned), WIDTH,
		      HEIGHT, 0);
	ask_malloc_as("surface_flag", FLOAT, WIDTH, HEIGHT,
		      cudaArraySurfaceLoadStore);
	ask_malloc_as("bad_flag", FLOAT, WIDTH, HEIGHT, 0x8000);
	ask_malloc_as("huge", FLOAT, 1UL << 20, 1UL << 20, 0);
}

static void ask_surface(void)
{
	struct cudaChannelFormatDesc uchar4 = UCHAR4;
	cudaSurfaceObject_t surface = 0;
	struct cudaResourceDesc what;
	cudaArray_t array = NULL;
	void *device = side_alloc(DEVICE);

	cudaMallocArray(&array, &uchar4, WIDTH, HEIGHT,
			cudaArraySurfaceLoadStore);
	need(array, "array");
	memset(&what, 0, sizeof(what));
	what.resType = cudaResourceTypeArray;
	what.res.array.array = array;
	RT(cudaCreateSurfaceObject(&surface, &what), "surface.ok");
	RT(cudaDestroySurfaceObject(surface), "surface.destroy");
	RT(cudaCreateSurfaceObject(NULL, &what), "surface.null");
	RT(cudaCreateSurfaceObject(&surface, NULL), "surface.null_desc");
	memset(&what, 0, sizeof(what));
	what.resType = cudaResourceTypeLinear;
	what.res.linear.devPtr = device;
	what.res.linear.desc = uchar4;
	what.res.linear.sizeInBytes = LEN;
	RT(cudaCreateSurfaceObject(&surface, &what), "surface.linear");
	cudaFreeArray(array);
}

static void ask_mipmap(void)
{
	struct cudaChannelFormatDesc uchar4 = UCHAR4;
	struct cudaExtent extent = { WIDTH, HEIGHT, 0 };
	cudaMipmappedArray_t mipmap = NULL;
	cudaArray_t level = NULL;

	RT(cudaMallocMipmappedArray(&mipmap, &uchar4, extent, 3, 0),
	   "mipmap.malloc");
	need(mipmap, "mipmapped array");
	RT(cudaGetMipmappedArrayLevel(&level, mipmap, 0), "mipmap.level0");
	RT(cudaGetMipmappedArrayLevel(&level, mipmap, 2), "mipmap.level2");
	RT(cudaGetMipmappedArrayLevel(&level, mipmap, 3), "mipmap.level3");
	RT(cudaGetMipmappedArrayLevel(&level, mipmap, 9), "mipmap.level9");
	RT(cudaGetMipmappedArrayLevel(NULL, mipmap, 0), "mipmap.level_null");
	RT(cudaFreeMipmappedArray(mipmap), "mipmap.free");
	RT(cudaMallocMipmappedArray(&mipmap, &uchar4, extent, 0, 0),
	   "mipmap.zero_levels");
	RT(cudaMallocMipmappedArray(NULL, &uchar4, extent, 3, 0),
	   "mipmap.null");
	RT(cudaMallocMipmappedArray(&mipmap, NULL, extent, 3, 0),
	   "mipmap.null_desc");
}

const struct group array_groups[] = {
	{ "array_copies", ask_copies },
	{ "array_mallocs", ask_mallocs },
	{ "surface", ask_surface },
	{ "mipmap", ask_mipmap },
	{ 0 },
};
