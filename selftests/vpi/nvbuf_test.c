// SPDX-License-Identifier: GPL-2.0-only
/* Tests NvBufSurface and nvbuf_utils: kinds of memory, maintenance, errors. */
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <nvbuf_utils.h>
#include <nvbufsurface.h>

#include "test.h"

#include "../fds.h"

#define WIDTH	100
#define HEIGHT	30

static NvBufSurface *new_surface(NvBufSurfaceMemType type,
				 NvBufSurfaceColorFormat format, uint32_t nr)
{
	NvBufSurfaceCreateParams params = {
		.width = WIDTH, .height = HEIGHT, .colorFormat = format,
		.layout = NVBUF_LAYOUT_PITCH, .memType = type,
	};
	NvBufSurface *surf = NULL;

	if (NvBufSurfaceCreate(&surf, nr, &params))
		fail_msg("memory %d, format %d: errno %d", type, format,
			 errno);
	assert_int_equal(surf->batchSize, nr);
	return surf;
}

/* Checks that the call fails, and prints this reason. */
#define fails(call, number) \
	do { \
		errno = 0; \
		assert_int_equal(call, -1); \
		assert_int_equal(errno, number); \
	} while (0)

static uint8_t *row_of(NvBufSurface *surf, uint32_t index, uint32_t plane,
		       uint32_t y)
{
	const NvBufSurfaceParams *shown = &surf->surfaceList[index];

	assert_non_null(shown->mappedAddr.addr[plane]);
	return (uint8_t *)shown->mappedAddr.addr[plane] +
	       (size_t)y * shown->planeParams.pitch[plane];
}

static void each_memory_is_mapped_and_filled(void **state)
{
	static const NvBufSurfaceMemType types[] = {
		NVBUF_MEM_DEFAULT, NVBUF_MEM_CUDA_PINNED,
		NVBUF_MEM_CUDA_UNIFIED, NVBUF_MEM_SURFACE_ARRAY,
		NVBUF_MEM_HANDLE, NVBUF_MEM_SYSTEM,
	};
	NvBufSurface *surf;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(types) / sizeof(*types); i++) {
		surf = new_surface(types[i], NVBUF_COLOR_FORMAT_NV12, 2);
		assert_int_equal(surf->surfaceList[1].planeParams.num_planes,
				 2);
		assert_int_equal(surf->surfaceList[1].planeParams.width[1],
				 WIDTH / 2);
		assert_true(surf->surfaceList[1].planeParams.pitch[0] >= WIDTH);
		assert_int_equal(NvBufSurfaceMap(surf, -1, -1,
						 NVBUF_MAP_READ_WRITE), 0);
		assert_int_equal(NvBufSurfaceSyncForCpu(surf, -1, -1), 0);
		if (types[i] != NVBUF_MEM_CUDA_UNIFIED)
			assert_int_equal(row_of(surf, 1, 1, 0)[0], 0);
		row_of(surf, 1, 1, 2)[3] = 77;
		assert_int_equal(NvBufSurfaceSyncForDevice(surf, -1, -1), 0);
		assert_int_equal(NvBufSurfaceMemSet(surf, 0, -1, 9), 0);
		assert_int_equal(NvBufSurfaceSyncForCpu(surf, -1, -1), 0);
		assert_int_equal(row_of(surf, 0, 0, HEIGHT - 1)[WIDTH - 1], 9);
		assert_int_equal(row_of(surf, 1, 1, 2)[3], 77);
		assert_int_equal(NvBufSurfaceUnMap(surf, -1, -1), 0);
		assert_null(surf->surfaceList[0].mappedAddr.addr[0]);
		assert_int_equal(NvBufSurfaceDestroy(surf), 0);
	}
}

/* The kernel reads the byte, so no signal is raised. */
static bool is_accessible(const uint8_t *at)
{
	int fds[2];
	bool ret;

	assert_int_equal(pipe(fds), 0);
	ret = write(fds[1], at, 1) == 1;
	if (!ret)
		assert_int_equal(errno, EFAULT);
	close(fds[0]);
	close(fds[1]);
	return ret;
}

static void a_pointer_is_valid_until_the_unmap(void **state)
{
	NvBufSurface *surf = new_surface(NVBUF_MEM_SURFACE_ARRAY,
					 NVBUF_COLOR_FORMAT_NV12, 1);
	uint8_t *chroma;

	(void)state;
	assert_int_equal(NvBufSurfaceMap(surf, 0, -1, NVBUF_MAP_READ_WRITE),
			 0);
	/* Mapping it again has no effect. */
	assert_int_equal(NvBufSurfaceMap(surf, 0, 1, NVBUF_MAP_READ), 0);
	chroma = row_of(surf, 0, 1, 0);
	chroma[5] = 42;
	assert_int_equal(NvBufSurfaceUnMap(surf, 0, 0), 0);
	assert_true(is_accessible(chroma));
	assert_int_equal(NvBufSurfaceUnMap(surf, 0, 1), 0);
	assert_false(is_accessible(chroma));
	assert_int_equal(NvBufSurfaceMap(surf, 0, 1, NVBUF_MAP_READ_WRITE), 0);
	assert_int_equal(row_of(surf, 0, 1, 0)[5], 42);
	assert_int_equal(NvBufSurfaceUnMap(surf, 0, -1), 0);
	assert_int_equal(NvBufSurfaceDestroy(surf), 0);
}

static void buffers_are_copied_between_memories(void **state)
{
	static const NvBufSurfaceMemType types[] = {
		NVBUF_MEM_SURFACE_ARRAY, NVBUF_MEM_CUDA_DEVICE,
		NVBUF_MEM_CUDA_UNIFIED, NVBUF_MEM_SYSTEM,
		NVBUF_MEM_SURFACE_ARRAY,
	};
	uint8_t pixels[WIDTH / 2 * HEIGHT / 2 * 2];
	uint8_t back[sizeof(pixels)];
	NvBufSurface *surfs[5];
	NvBufSurface *other;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pixels); i++)
		pixels[i] = pattern(i, 3);
	for (i = 0; i < 5; i++)
		surfs[i] = new_surface(types[i], NVBUF_COLOR_FORMAT_NV12, 1);
	assert_int_equal(Raw2NvBufSurface(pixels, 0, 1, WIDTH / 2, HEIGHT / 2,
					  surfs[0]), 0);
	for (i = 1; i < 5; i++)
		assert_int_equal(NvBufSurfaceCopy(surfs[i - 1], surfs[i]), 0);
	assert_int_equal(NvBufSurface2Raw(surfs[4], 0, 1, WIDTH / 2,
					  HEIGHT / 2, back), 0);
	assert_memory_equal(pixels, back, sizeof(pixels));
	other = new_surface(NVBUF_MEM_DEFAULT, NVBUF_COLOR_FORMAT_RGBA, 1);
	fails(NvBufSurfaceCopy(surfs[0], other), EINVAL);
	fails(NvBufSurface2Raw(surfs[4], 0, 1, WIDTH, HEIGHT, back), EINVAL);
	fails(NvBufSurface2Raw(surfs[4], 1, 0, 1, 1, back), EINVAL);
	fails(NvBufSurface2Raw(surfs[4], 0, 2, 1, 1, back), EINVAL);
	assert_int_equal(NvBufSurfaceDestroy(other), 0);
	for (i = 0; i < 5; i++)
		assert_int_equal(NvBufSurfaceDestroy(surfs[i]), 0);
}

static void formats_have_their_planes(void **state)
{
	static const struct {
		NvBufSurfaceColorFormat format;
		uint32_t nr;
		uint32_t width;
		uint32_t height;
		uint32_t len;
	} planes[] = {
		{ NVBUF_COLOR_FORMAT_GRAY8, 1, WIDTH, HEIGHT, 1 },
		{ NVBUF_COLOR_FORMAT_YUV420, 3, WIDTH / 2, HEIGHT / 2, 1 },
		{ NVBUF_COLOR_FORMAT_NV12_10LE, 2, WIDTH / 2, HEIGHT / 2, 4 },
		{ NVBUF_COLOR_FORMAT_NV16, 2, WIDTH / 2, HEIGHT, 2 },
		{ NVBUF_COLOR_FORMAT_NV24, 2, WIDTH, HEIGHT, 2 },
		{ NVBUF_COLOR_FORMAT_YUV444, 3, WIDTH, HEIGHT, 1 },
		{ NVBUF_COLOR_FORMAT_YUYV, 1, WIDTH, HEIGHT, 2 },
		{ NVBUF_COLOR_FORMAT_RGBA, 1, WIDTH, HEIGHT, 4 },
		{ NVBUF_COLOR_FORMAT_BGRx, 1, WIDTH, HEIGHT, 4 },
		{ NVBUF_COLOR_FORMAT_RGB, 1, WIDTH, HEIGHT, 3 },
		{ NVBUF_COLOR_FORMAT_R8_G8_B8, 3, WIDTH, HEIGHT, 1 },
		{ NVBUF_COLOR_FORMAT_SIGNED_R16G16, 1, WIDTH, HEIGHT, 4 },
	};
	const NvBufSurfacePlaneParams *shown;
	NvBufSurface *surf;
	uint32_t last;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(planes) / sizeof(*planes); i++) {
		surf = new_surface(NVBUF_MEM_DEFAULT, planes[i].format, 1);
		shown = &surf->surfaceList[0].planeParams;
		last = planes[i].nr - 1;
		assert_int_equal(shown->num_planes, planes[i].nr);
		assert_int_equal(shown->width[last], planes[i].width);
		assert_int_equal(shown->height[last], planes[i].height);
		assert_int_equal(shown->bytesPerPix[last], planes[i].len);
		assert_true(shown->offset[last] + shown->psize[last] <=
			    surf->surfaceList[0].dataSize);
		assert_int_equal(NvBufSurfaceDestroy(surf), 0);
	}
}

static void a_descriptor_leads_to_its_batch(void **state)
{
	NvBufSurface *surf = new_surface(NVBUF_MEM_SURFACE_ARRAY,
					 NVBUF_COLOR_FORMAT_NV12, 2);
	NvBufSurfaceMapParams params;
	void *found = NULL;
	int fd = (int)surf->surfaceList[1].bufferDesc;

	(void)state;
	assert_int_equal(surf->memType, NVBUF_MEM_SURFACE_ARRAY);
	assert_int_equal(NvBufSurfaceFromFd(fd, &found), 0);
	assert_ptr_equal(found, surf);
	assert_int_equal(NvBufSurfaceGetMapParams(surf, 1, &params), 0);
	assert_int_equal(params.fd, fd);
	assert_int_equal(params.num_planes, 2);
	assert_int_equal(params.planes[1].offset,
			 surf->surfaceList[1].planeParams.offset[1]);
	fails(NvBufSurfaceFromFd(STDERR_FILENO, &found), ENOENT);
	fails(NvBufSurfaceFromFd(-1, &found), ENOENT);
	fails(NvBufSurfaceFromFd(fd, NULL), EINVAL);
	assert_int_equal(NvBufSurfaceDestroy(surf), 0);
	fails(NvBufSurfaceFromFd(fd, &found), ENOENT);
	fails(NvBufSurfaceDestroy(surf), EINVAL);
}

/*
 * A missing NvBufSurfaceSyncForDevice() is reported. With the module, the CPU
 * does not cache surfaces, so nothing is wrong.
 */
static void a_forgotten_sync_is_found(void **state)
{
	NvBufSurface *src = new_surface(NVBUF_MEM_DEFAULT,
					NVBUF_COLOR_FORMAT_RGBA, 1);
	NvBufSurface *dst = new_surface(NVBUF_MEM_DEFAULT,
					NVBUF_COLOR_FORMAT_RGBA, 1);
	struct mem_violation violation = { .size = sizeof(violation) };
	NvBufferTransformParams params = { .transform_flag = 0 };
	struct mem_probe probe = { .size = sizeof(probe) };
	struct mem_ctx *ctx;
	bool is_cached;
	int fds[2];
	int i;

	(void)state;
	ok(heapsim_vpi_ctx(&ctx));
	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	is_cached = !probe.io_coherent &&
		    probe.backend == MEM_BACKEND_EMBEDDED;
	fds[0] = (int)src->surfaceList[0].bufferDesc;
	fds[1] = (int)dst->surfaceList[0].bufferDesc;
	assert_int_equal(NvBufSurfaceMap(src, 0, 0, NVBUF_MAP_READ_WRITE), 0);
	assert_int_equal(NvBufSurfaceMap(dst, 0, 0, NVBUF_MAP_READ), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(NvBufSurfaceSyncForCpu(src, 0, 0), 0);
		memset(row_of(src, 0, 0, 0), 50 + i, 4);
		if (i)
			assert_int_equal(NvBufSurfaceSyncForDevice(src, 0, 0),
					 0);
		assert_int_equal(NvBufferTransform(fds[0], fds[1], &params),
				 0);
		assert_int_equal(NvBufSurfaceSyncForCpu(dst, 0, 0), 0);
		if (i || !is_cached) {
			assert_int_equal(row_of(dst, 0, 0, 0)[0], 50 + i);
			no_violation(state);
			continue;
		}
		assert_int_equal(mem_ctx_next_violation(ctx, &violation), 1);
		assert_int_equal(violation.kind,
				 MEM_VIOLATION_MISSING_CLEAN);
		while (mem_ctx_next_violation(ctx, &violation))
			;
		/* The next sync drops the CPU's stores. */
		assert_int_equal(NvBufSurfaceSyncForDevice(src, 0, 0), 0);
	}
	assert_int_equal(NvBufSurfaceDestroy(src), 0);
	assert_int_equal(NvBufSurfaceDestroy(dst), 0);
}

static void wrong_arguments_are_refused(void **state)
{
	NvBufSurfaceCreateParams params = {
		.width = WIDTH, .height = HEIGHT,
		.colorFormat = NVBUF_COLOR_FORMAT_NV12,
	};
	NvBufSurface *surf = NULL;
	NvBufSurface *device;
	NvBufSurface *none = (NvBufSurface *)&params;

	(void)state;
	fails(NvBufSurfaceCreate(NULL, 1, &params), EINVAL);
	fails(NvBufSurfaceCreate(&surf, 0, &params), EINVAL);
	fails(NvBufSurfaceCreate(&surf, 1, NULL), EINVAL);
	fails(NvBufSurfaceAllocate(&surf, 1, NULL), EINVAL);
	params.memType = NVBUF_MEM_CUDA_ARRAY;
	fails(NvBufSurfaceCreate(&surf, 1, &params), EOPNOTSUPP);
	params.memType = (NvBufSurfaceMemType)99;
	fails(NvBufSurfaceCreate(&surf, 1, &params), EINVAL);
	params.memType = NVBUF_MEM_CUDA_DEVICE;
	params.layout = NVBUF_LAYOUT_BLOCK_LINEAR;
	fails(NvBufSurfaceCreate(&surf, 1, &params), EOPNOTSUPP);
	params.layout = NVBUF_LAYOUT_PITCH;
	params.colorFormat = NVBUF_COLOR_FORMAT_UYVP;
	fails(NvBufSurfaceCreate(&surf, 1, &params), EOPNOTSUPP);
	params.width = 0;
	fails(NvBufSurfaceCreate(&surf, 1, &params), EINVAL);
	assert_null(surf);
	fails(NvBufSurfaceMap(none, 0, 0, NVBUF_MAP_READ), EINVAL);
	fails(NvBufSurfaceDestroy(none), EINVAL);
	fails(NvBufSurfaceDestroy(NULL), EINVAL);
	surf = new_surface(NVBUF_MEM_DEFAULT, NVBUF_COLOR_FORMAT_NV12, 1);
	fails(NvBufSurfaceMap(surf, 1, 0, NVBUF_MAP_READ), EINVAL);
	fails(NvBufSurfaceMap(surf, 0, 2, NVBUF_MAP_READ), EINVAL);
	fails(NvBufSurfaceMap(surf, 0, 0, (NvBufSurfaceMemMapFlags)3), EINVAL);
	fails(NvBufSurfaceUnMap(surf, 0, 0), EINVAL);
	fails(NvBufSurfaceSyncForCpu(surf, 0, 0), EINVAL);
	fails(NvBufSurfaceSyncForDevice(surf, 0, 0), EINVAL);
	fails(NvBufSurfaceMapEglImage(surf, 0), ENOSYS);
	fails(NvBufSurfaceUnMapEglImage(surf, 0), ENOSYS);
	fails(NvBufSurfaceImport(&none, NULL), ENOSYS);
	fails(NvDestroyEGLImage(NULL, NULL), ENOSYS);
	assert_null(NvEGLImageFromFd(NULL, 0));
	assert_int_equal(NvBufSurfaceDestroy(surf), 0);
	device = new_surface(NVBUF_MEM_CUDA_DEVICE, NVBUF_COLOR_FORMAT_NV12,
			     1);
	fails(NvBufSurfaceMap(device, 0, 0, NVBUF_MAP_READ), EACCES);
	assert_int_equal(NvBufSurfaceDestroy(device), 0);
}

static void buffers_of_bytes_have_a_size(void **state)
{
	NvBufSurfaceAllocateParams params = {
		.params = { .size = 5000, .memType = NVBUF_MEM_HANDLE },
	};
	NvBufSurface *surf;

	(void)state;
	assert_int_equal(NvBufSurfaceAllocate(&surf, 1, &params), 0);
	assert_int_equal(surf->surfaceList[0].dataSize, 5000);
	assert_int_equal(NvBufSurfaceMap(surf, 0, 0, NVBUF_MAP_READ_WRITE), 0);
	row_of(surf, 0, 0, 0)[4999] = 1;
	assert_int_equal(NvBufSurfaceDestroy(surf), 0);
	params.params.size = 0;
	params.params.width = WIDTH;
	params.params.height = HEIGHT;
	params.params.colorFormat = NVBUF_COLOR_FORMAT_RGB;
	params.params.memType = NVBUF_MEM_CUDA_PINNED;
	params.disablePitchPadding = true;
	assert_int_equal(NvBufSurfaceAllocate(&surf, 1, &params), 0);
	assert_int_equal(surf->surfaceList[0].pitch, 3 * WIDTH);
	assert_int_equal(NvBufSurfaceDestroy(surf), 0);
}

/* nvbuf_utils */

/* No page can follow memory of this length, so it is refused. */
static void the_longest_buffer_finds_no_room(void **state)
{
	NvBufSurfaceCreateParams params = {
		.size = UINT32_MAX, .memType = NVBUF_MEM_SYSTEM,
	};
	struct rlimit before, low;
	NvBufSurface *surf = NULL;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip_because("AddressSanitizer ends a program that has no room");
#endif
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	low = before;
	low.rlim_cur = 1 << 20;
	assert_int_equal(setrlimit(RLIMIT_AS, &low), 0);
	errno = 0;
	assert_int_equal(NvBufSurfaceCreate(&surf, 1, &params), -1);
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_null(surf);
}

static void buffers_are_known_by_descriptors(void **state)
{
	NvBufferCreateParams create = {
		.width = WIDTH, .height = HEIGHT,
		.payloadType = NvBufferPayload_SurfArray,
		.layout = NvBufferLayout_Pitch,
		.colorFormat = NvBufferColorFormat_NV12,
	};
	uint8_t pixels[WIDTH * HEIGHT];
	uint8_t back[WIDTH * HEIGHT];
	NvBufferParamsEx params;
	void *addr = NULL;
	int found = -1;
	int fd = -1;

	(void)state;
	assert_int_equal(NvBufferGetSize(), sizeof(NvBufSurface));
	assert_int_equal(NvBufferCreateEx(&fd, &create), 0);
	assert_int_equal(NvBufferGetParamsEx(fd, &params), 0);
	assert_int_equal(params.params.dmabuf_fd, fd);
	assert_int_equal(params.params.pixel_format, NvBufferColorFormat_NV12);
	assert_int_equal(params.params.num_planes, 2);
	assert_int_equal(params.params.height[1], HEIGHT / 2);
	assert_int_equal(ExtractFdFromNvBuffer(params.params.nv_buffer,
					       &found), 0);
	assert_int_equal(found, fd);
	assert_int_equal(NvReleaseFd(fd), 0);
	memset(pixels, 33, sizeof(pixels));
	assert_int_equal(Raw2NvBuffer(pixels, 0, WIDTH, HEIGHT, fd), 0);
	assert_int_equal(NvBufferMemMap(fd, 0, NvBufferMem_Read, &addr), 0);
	assert_int_equal(NvBufferMemSyncForCpu(fd, 0, &addr), 0);
	assert_int_equal(*(uint8_t *)addr, 33);
	assert_int_equal(NvBufferMemSyncForDevice(fd, 0, &addr), 0);
	assert_int_equal(NvBufferMemUnMap(fd, 0, &addr), 0);
	assert_int_equal(NvBuffer2Raw(fd, 0, WIDTH, HEIGHT, back), 0);
	assert_memory_equal(pixels, back, sizeof(pixels));
	fails(NvBufferMemMap(fd, 4, NvBufferMem_Read, &addr), EINVAL);
	fails(NvBufferMemMap(fd, 0, NvBufferMem_Read, NULL), EINVAL);
	fails(NvBufferMemUnMap(fd, 0, &addr), EINVAL);
	assert_int_equal(NvBufferDestroy(fd), 0);
	fails(NvBufferDestroy(fd), ENOENT);
	fails(NvBufferGetParams(fd, &params.params), ENOENT);
	create.payloadType = NvBufferPayload_MemHandle;
	fails(NvBufferCreateEx(&fd, &create), EINVAL);
	create.memsize = 4096;
	assert_int_equal(NvBufferCreateEx(&fd, &create), 0);
	assert_int_equal(NvBufferGetParams(fd, &params.params), 0);
	assert_int_equal(params.params.payloadType, NvBufferPayload_MemHandle);
	assert_int_equal(params.params.memsize, 4096);
	assert_int_equal(NvBufferDestroy(fd), 0);
}

static void the_compositor_converts_and_scales(void **state)
{
	NvBufferTransformParams params = {
		.transform_flag = NVBUFFER_TRANSFORM_FILTER,
		.transform_filter = NvBufferTransform_Filter_Bilinear,
	};
	NvBufferSession session = NvBufferSessionCreate();
	uint8_t pixels[WIDTH * HEIGHT];
	uint8_t back[50 * 16 * 4];
	int src = -1;
	int dst = -1;

	(void)state;
	assert_non_null(session);
	params.session = session;
	assert_int_equal(NvBufferCreate(&src, WIDTH, HEIGHT,
					NvBufferLayout_Pitch,
					NvBufferColorFormat_NV12_ER), 0);
	assert_int_equal(NvBufferCreate(&dst, 50, 16, NvBufferLayout_Pitch,
					NvBufferColorFormat_ABGR32), 0);
	memset(pixels, 128, sizeof(pixels));
	assert_int_equal(Raw2NvBuffer(pixels, 0, WIDTH, HEIGHT, src), 0);
	assert_int_equal(Raw2NvBuffer(pixels, 1, WIDTH / 2, HEIGHT / 2, src),
			 0);
	assert_int_equal(NvBufferTransform(src, dst, &params), 0);
	assert_int_equal(NvBuffer2Raw(dst, 0, 50, 16, back), 0);
	assert_in_range(back[0], 126, 130);
	assert_in_range(back[sizeof(back) - 2], 126, 130);
	params.transform_flag |= NVBUFFER_TRANSFORM_FLIP;
	params.transform_flip = NvBufferTransform_Rotate90;
	fails(NvBufferTransform(src, dst, &params), EOPNOTSUPP);
	params.transform_flag = NVBUFFER_TRANSFORM_CROP_SRC;
	params.src_rect.width = 16;
	params.src_rect.height = 16;
	assert_int_equal(NvBufferTransform(src, dst, &params), 0);
	params.src_rect.left = WIDTH - 15;
	fails(NvBufferTransform(src, dst, &params), EINVAL);
	fails(NvBufferTransform(src, -1, &params), ENOENT);
	fails(NvBufferTransform(src, dst, NULL), EINVAL);
	assert_int_equal(NvBufferDestroy(src), 0);
	assert_int_equal(NvBufferDestroy(dst), 0);
	NvBufferSessionDestroy(session);
}

/*
 * Part of a row ends within a cache line, the rest of which an engine has
 * written since the CPU fetched it.
 */
static void what_is_beside_a_part_stays(void **state)
{
	static uint8_t pixels[WIDTH * HEIGHT * 4], back[WIDTH * HEIGHT * 4];
	NvBufSurface *src = new_surface(NVBUF_MEM_SURFACE_ARRAY,
					NVBUF_COLOR_FORMAT_RGBA, 1);
	NvBufSurface *dst = new_surface(NVBUF_MEM_SURFACE_ARRAY,
					NVBUF_COLOR_FORMAT_RGBA, 1);
	NvBufferTransformParams params = { .transform_flag = 0 };
	const int from = (int)src->surfaceList[0].bufferDesc;
	const int to = (int)dst->surfaceList[0].bufferDesc;
	uint32_t x, y;

	(void)state;
	memset(pixels, 9, sizeof(pixels));
	assert_int_equal(Raw2NvBufSurface(pixels, 0, 0, WIDTH, HEIGHT, src),
			 0);
	assert_int_equal(NvBufSurface2Raw(dst, 0, 0, WIDTH, HEIGHT, back), 0);
	assert_int_equal(NvBufferTransform(from, to, &params), 0);
	memset(pixels, 5, sizeof(pixels));
	assert_int_equal(Raw2NvBufSurface(pixels, 0, 0, 10, HEIGHT, dst), 0);
	assert_int_equal(NvBufferTransform(to, from, &params), 0);
	assert_int_equal(NvBufSurface2Raw(src, 0, 0, WIDTH, HEIGHT, back), 0);
	for (y = 0; y < HEIGHT; y++)
		for (x = 0; x < WIDTH * 4; x++)
			assert_int_equal(back[y * WIDTH * 4 + x],
					 x < 10 * 4 ? 5 : 9);
	assert_int_equal(NvBufSurfaceDestroy(src), 0);
	assert_int_equal(NvBufSurfaceDestroy(dst), 0);
}

static int new_buffer(int width, int height, NvBufferColorFormat format)
{
	int fd = -1;

	assert_int_equal(NvBufferCreate(&fd, width, height,
					NvBufferLayout_Pitch, format), 0);
	return fd;
}

static void a_transform_may_be_waited_for(void **state)
{
	int src = new_buffer(32, 16, NvBufferColorFormat_ABGR32);
	int dst = new_buffer(32, 16, NvBufferColorFormat_ABGR32);
	NvBufferTransformParams params = { .transform_flag = 0 };
	NvBufferSyncObj sync = { .use_outsyncobj = 1 };
	uint8_t pixels[32 * 16 * 4];

	(void)state;
	memset(pixels, 77, sizeof(pixels));
	assert_int_equal(Raw2NvBuffer(pixels, 0, 32, 16, src), 0);
	assert_int_equal(NvBufferTransformAsync(src, dst, &params, &sync), 0);
	assert_int_equal(NvBufferSyncObjWait(&sync.outsyncobj,
					     NVBUFFER_SYNCPOINT_WAIT_INFINITE),
			 0);
	memset(pixels, 0, sizeof(pixels));
	assert_int_equal(NvBuffer2Raw(dst, 0, 32, 16, pixels), 0);
	assert_int_equal(pixels[0], 77);
	assert_int_equal(pixels[sizeof(pixels) - 1], 77);
	fails(NvBufferTransformAsync(src, dst, &params, NULL), EINVAL);
	fails(NvBufferTransformAsync(src, -1, &params, &sync), ENOENT);
	fails(NvBufferSyncObjWait(NULL, 0), EINVAL);
	assert_int_equal(NvBufferDestroy(src), 0);
	assert_int_equal(NvBufferDestroy(dst), 0);
}

/* Two beside each other, the second scaled, above a stripe of background */
static void buffers_lie_on_a_background(void **state)
{
	int fds[2] = {
		new_buffer(32, 32, NvBufferColorFormat_ABGR32),
		new_buffer(32, 32, NvBufferColorFormat_NV12_ER)
	};
	int dst = new_buffer(64, 48, NvBufferColorFormat_ABGR32);
	NvBufferCompositeParams params = {
		.composite_flag = NVBUFFER_COMPOSITE |
				  NVBUFFER_COMPOSITE_FILTER,
		.input_buf_count = 2,
		.src_comp_rect = { { 0, 0, 32, 32 }, { 8, 8, 16, 16 } },
		.dst_comp_rect = { { 0, 0, 32, 32 }, { 0, 32, 32, 32 } },
		.composite_bgcolor = { 1, 0.5f, 0 },
	};
	static const uint8_t background[] = { 255, 128, 0, 255 };
	uint8_t back[48][64][4];
	uint8_t pixels[32 * 32 * 4];

	(void)state;
	memset(pixels, 40, sizeof(pixels));
	assert_int_equal(Raw2NvBuffer(pixels, 0, 32, 32, fds[0]), 0);
	memset(pixels, 128, sizeof(pixels));
	assert_int_equal(Raw2NvBuffer(pixels, 0, 32, 32, fds[1]), 0);
	assert_int_equal(Raw2NvBuffer(pixels, 1, 16, 16, fds[1]), 0);
	assert_int_equal(NvBufferComposite(fds, dst, &params), 0);
	assert_int_equal(NvBuffer2Raw(dst, 0, 64, 48, back[0][0]), 0);
	assert_memory_equal(back[0][0], "((((", 4);
	assert_memory_equal(back[31][31], "((((", 4);
	assert_in_range(back[0][32][0], 126, 130);
	assert_in_range(back[31][63][2], 126, 130);
	assert_memory_equal(back[32][0], background, 4);
	assert_memory_equal(back[47][63], background, 4);

	/* One that covers all: what is below does not matter. */
	params.input_buf_count = 1;
	params.dst_comp_rect[0] = (NvBufferRect) { 0, 0, 64, 48 };
	assert_int_equal(NvBufferComposite(fds, dst, &params), 0);
	assert_int_equal(NvBuffer2Raw(dst, 0, 64, 48, back[0][0]), 0);
	assert_memory_equal(back[47][63], "((((", 4);

	params.composite_flag |= NVBUFFER_BLEND;
	params.dst_comp_rect_alpha[0] = 1;
	assert_int_equal(NvBufferComposite(fds, dst, &params), 0);
	params.dst_comp_rect_alpha[0] = 0.5f;
	fails(NvBufferComposite(fds, dst, &params), EOPNOTSUPP);
	params.composite_flag = NVBUFFER_COMPOSITE;
	params.dst_comp_rect[0].left = 1;
	fails(NvBufferComposite(fds, dst, &params), EINVAL);
	params.input_buf_count = 0;
	fails(NvBufferComposite(fds, dst, &params), EINVAL);
	params.input_buf_count = MAX_COMPOSITE_FRAME + 1;
	fails(NvBufferComposite(fds, dst, &params), EINVAL);
	fails(NvBufferComposite(fds, dst, NULL), EINVAL);
	params.input_buf_count = 1;
	fails(NvBufferComposite(fds, -1, &params), ENOENT);
	assert_int_equal(NvBufferDestroy(fds[0]), 0);
	fails(NvBufferComposite(fds, dst, &params), ENOENT);
	assert_int_equal(NvBufferDestroy(fds[1]), 0);
	assert_int_equal(NvBufferDestroy(dst), 0);
}

static void calls_that_are_missing_fail(void **state)
{
	NvBufferCreateParams create = { .width = 16, .height = 16 };
	NvBufferChromaSubsamplingParams chroma = { 0 };
	NvBufferTransformParams params = { 0 };
	NvBufferParamsEx info = { 0 };
	void *addr = NULL;
	int fd = -1;

	(void)state;
	fails(NvBufferCreateInterlace(&fd, &create), ENOSYS);
	fails(NvBufferCreateWithChromaLoc(&fd, &create, &chroma), ENOSYS);
	fails(NvBufferMemMapEx(fd, &info, 0, NvBufferMem_Read, &addr), ENOSYS);
	fails(NvBufferMemUnMapEx(fd, &info, 0, &addr), ENOSYS);
	fails(NvBufferMemSyncForCpuEx(fd, &info, 0, &addr), ENOSYS);
	fails(NvBufferMemSyncForDeviceEx(fd, &info, 0, &addr), ENOSYS);
	fails(NvBufferTransformEx(fd, &info, fd, &info, &params), ENOSYS);
}

static void use_surfaces(void)
{
	NvBufferTransformParams params = { .transform_flag = 0 };
	NvBufSurface *surf = new_surface(NVBUF_MEM_DEFAULT,
					 NVBUF_COLOR_FORMAT_RGBA, 2);
	NvBufSurface *other = new_surface(NVBUF_MEM_SURFACE_ARRAY,
					  NVBUF_COLOR_FORMAT_RGBA, 1);

	assert_int_equal(NvBufSurfaceMap(surf, -1, -1, NVBUF_MAP_READ_WRITE),
			 0);
	assert_int_equal(NvBufferTransform((int)surf->surfaceList[0].bufferDesc,
					   (int)
					   other->surfaceList[0].bufferDesc,
					   &params), 0);
	assert_int_equal(NvBufSurfaceUnMap(surf, -1, -1), 0);
	assert_int_equal(NvBufSurfaceDestroy(surf), 0);
	assert_int_equal(NvBufSurfaceDestroy(other), 0);
}

static void no_descriptor_is_left(void **state)
{
	(void)state;
	check_leaves_no_fd(use_surfaces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(each_memory_is_mapped_and_filled,
					  no_violation),
		cmocka_unit_test(a_pointer_is_valid_until_the_unmap),
		cmocka_unit_test_teardown(buffers_are_copied_between_memories,
					  no_violation),
		cmocka_unit_test(formats_have_their_planes),
		cmocka_unit_test(a_descriptor_leads_to_its_batch),
		cmocka_unit_test(a_forgotten_sync_is_found),
		cmocka_unit_test(wrong_arguments_are_refused),
		cmocka_unit_test(buffers_of_bytes_have_a_size),
		cmocka_unit_test(the_longest_buffer_finds_no_room),
		cmocka_unit_test_teardown(buffers_are_known_by_descriptors,
					  no_violation),
		cmocka_unit_test_teardown(the_compositor_converts_and_scales,
					  no_violation),
		cmocka_unit_test_teardown(what_is_beside_a_part_stays,
					  no_violation),
		cmocka_unit_test_teardown(a_transform_may_be_waited_for,
					  no_violation),
		cmocka_unit_test_teardown(buffers_lie_on_a_background,
					  no_violation),
		cmocka_unit_test(calls_that_are_missing_fail),
		cmocka_unit_test(no_descriptor_is_left),
	};

	return cmocka_run_group_tests_name("nvbuf", tests, watch, NULL);
}
