// SPDX-License-Identifier: GPL-2.0-only
/*
 * An image of VPI's, and who else can have it where it is: a kernel of CUDA, the
 * multimedia parts, another part by NvSciBuf. See README.rst.
 *
 * vpi-locks [cuda|surface|object|kept]
 */
#include <nvbufsurface.h>
#include <nvscibuf.h>
#include <vpi/Context.h>
#include <vpi/Image.h>
#include <vpi/Stream.h>
#include <vpi/algo/BoxFilter.h>

#include "sample.h"
#include "vpi-sample.h"

#define WIDTH		640
#define HEIGHT		480
#define NR_THREADS	96

/* Each thread adds up rows of its own. */
__global__ void add_up(const uint8_t *pixels, int pitch, uint64_t *sums)
{
	uint64_t sum = 0;

	for (int y = threadIdx.x; y < HEIGHT; y += NR_THREADS)
		for (int x = 0; x < WIDTH; x++)
			sum += pixels[y * pitch + x];
	sums[threadIdx.x] = sum;
}

static uint64_t sum_by_kernel(const uint8_t *pixels, int pitch)
{
	uint64_t sum = 0, *sums;

	CHECK(cudaMallocHost(&sums, NR_THREADS * sizeof(*sums)));
	add_up<<<1, NR_THREADS>>>(pixels, pitch, sums);
	CHECK_LAUNCH();
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < NR_THREADS; i++)
		sum += sums[i];
	CHECK(cudaFreeHost(sums));
	return sum;
}

static uint64_t sum_by_cpu(const uint8_t *pixels, int pitch)
{
	uint64_t sum = 0;

	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			sum += pixels[y * pitch + x];
	return sum;
}

/* The CPU draws, through a lock of its own. */
static void draw(VPIImage image)
{
	const VPIImagePlanePitchLinear *plane;
	VPIImageData data;

	VPI(vpiImageLockData(image, VPI_LOCK_WRITE,
			     VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	plane = &data.buffer.pitch.planes[0];
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			plane->pBase[plane->offsetBytes +
				     y * plane->pitchBytes + x] =
				(uint8_t)((x / 32 + y / 32) % 2 * 200 + 20);
	VPI(vpiImageUnlock(image));
}

static uint64_t as_host_pointer(VPIImage image)
{
	const VPIImagePlanePitchLinear *plane;
	VPIImageData data;
	uint64_t sum;

	VPI(vpiImageLockData(image, VPI_LOCK_READ,
			     VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	plane = &data.buffer.pitch.planes[0];
	sum = sum_by_cpu(plane->pBase + plane->offsetBytes, plane->pitchBytes);
	VPI(vpiImageUnlock(image));
	return sum;
}

/* A pointer for kernels, good until the unlock. */
static OWN_FRAME uint64_t as_cuda_pointer(VPIImage image, bool is_kept)
{
	const VPIImagePlanePitchLinear *plane;
	VPIImageData data;
	uint64_t sum;

	VPI(vpiImageLockData(image, VPI_LOCK_READ, /* found here */
			     VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR, &data));
	plane = &data.buffer.pitch.planes[0];
	sum = sum_by_kernel(plane->pBase + plane->offsetBytes,
			    plane->pitchBytes);
	if (!is_kept)
		VPI(vpiImageUnlock(image));
	return sum;
}

/* A descriptor, whose surface the multimedia parts know. */
static uint64_t as_surface(VPIImage image)
{
	NvBufSurface *surface;
	VPIImageData data;
	uint64_t sum;

	VPI(vpiImageLockData(image, VPI_LOCK_READ, VPI_IMAGE_BUFFER_NVBUFFER,
			     &data));
	if (NvBufSurfaceFromFd(data.buffer.fd, (void **)&surface) ||
	    NvBufSurfaceMap(surface, 0, 0, NVBUF_MAP_READ) ||
	    NvBufSurfaceSyncForCpu(surface, 0, 0)) {
		fprintf(stderr, "a surface cannot be mapped\n");
		exit(2);
	}
	sum = sum_by_cpu((const uint8_t *)surface->surfaceList[0].mappedAddr
				 .addr[0],
			 (int)surface->surfaceList[0].planeParams.pitch[0]);
	NvBufSurfaceUnMap(surface, 0, 0);
	VPI(vpiImageUnlock(image));
	return sum;
}

/* How far it is from row to row, and where the rows begin, say its attributes. */
static void rows_of(NvSciBufObj object, uint64_t *size, uint64_t *offset,
		    uint32_t *pitch)
{
	NvSciBufAttrKeyValuePair pairs[] = {
		{ NvSciBufImageAttrKey_Size, NULL, 0 },
		{ NvSciBufImageAttrKey_PlaneOffset, NULL, 0 },
		{ NvSciBufImageAttrKey_PlanePitch, NULL, 0 },
	};
	NvSciBufAttrList list;

	if (NvSciBufObjGetAttrList(object, &list) != NvSciError_Success ||
	    NvSciBufAttrListGetAttrs(list, pairs, 3) != NvSciError_Success) {
		fprintf(stderr, "an object has no image's attributes\n");
		exit(2);
	}
	*size = *(const uint64_t *)pairs[0].value;
	*offset = *(const uint64_t *)pairs[1].value;
	*pitch = *(const uint32_t *)pairs[2].value;
}

/* An object, which any part that speaks NvSciBuf imports. Here CUDA does. */
static uint64_t as_object(VPIImage image)
{
	struct cudaExternalMemoryHandleDesc handle = {};
	struct cudaExternalMemoryBufferDesc part = {};
	cudaExternalMemory_t memory;
	VPIImageData data;
	uint64_t sum, offset;
	uint32_t pitch;
	uint8_t *pixels;

	VPI(vpiImageLockData(image, VPI_LOCK_READ, VPI_IMAGE_BUFFER_NVSCIBUF,
			     &data));
	handle.type = cudaExternalMemoryHandleTypeNvSciBuf;
	handle.handle.nvSciBufObject = data.buffer.nvscibuf.buffer;
	rows_of(data.buffer.nvscibuf.buffer, (uint64_t *)&handle.size, &offset,
		&pitch);
	part.size = handle.size;
	CHECK(cudaImportExternalMemory(&memory, &handle));
	CHECK(cudaExternalMemoryGetMappedBuffer((void **)&pixels, memory,
						&part));
	sum = sum_by_kernel(pixels + offset, (int)pitch);
	CHECK(cudaFree(pixels));
	CHECK(cudaDestroyExternalMemory(memory));
	VPI(vpiImageUnlock(image));
	return sum;
}

/* Is the image exported as a surface on this board? */
static bool has_surfaces(VPIImage image)
{
	char why[VPI_MAX_STATUS_MESSAGE_LENGTH];
	VPIImageData data;

	if (vpiImageLockData(image, VPI_LOCK_READ, VPI_IMAGE_BUFFER_NVBUFFER,
			     &data) == VPI_SUCCESS) {
		VPI(vpiImageUnlock(image));
		return true;
	}
	vpiGetLastStatusMessage(why, sizeof(why));
	printf("surface: %s\n", why);
	return false;
}

static int is_wrong(const char *how, uint64_t sum, uint64_t right)
{
	printf("%s: %s\n", how, sum == right ? "right" : "WRONG");
	return sum != right;
}

int main(int argc, char **argv)
{
	const bool is_kept = is_asked(argc, argv, "kept");
	const bool is_all = argc < 2;
	VPIContext context;
	VPIStream stream;
	VPIImage image, smooth;
	uint64_t backends, right;
	int wrong = 0;

	print_device(use_integrated_gpu());
	VPI(vpiContextCreate(0, &context));
	VPI(vpiContextSetCurrent(context));
	VPI(vpiContextGetFlags(context, &backends));
	backends &= VPI_BACKEND_ALL;
	VPI(vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8, backends,
			   &image));
	VPI(vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8, backends,
			   &smooth));
	VPI(vpiStreamCreate(backends, &stream));
	draw(image);
	VPI(vpiSubmitBoxFilter(stream, VPI_BACKEND_CUDA, image, smooth, 5, 5,
			       VPI_BORDER_CLAMP));
	VPI(vpiStreamSync(stream));

	right = as_host_pointer(smooth);
	printf("the pixels add up to %llu\n", (unsigned long long)right);
	if (is_all || is_kept || is_asked(argc, argv, "cuda"))
		wrong += is_wrong("cuda", as_cuda_pointer(smooth, is_kept),
				  right);
	if ((is_all || is_asked(argc, argv, "surface")) && has_surfaces(smooth))
		wrong += is_wrong("surface", as_surface(smooth), right);
	if (is_all || is_asked(argc, argv, "object"))
		wrong += is_wrong("object", as_object(smooth), right);
	print_copies("smooth", smooth);

	vpiStreamDestroy(stream);
	vpiImageDestroy(smooth);
	vpiImageDestroy(image);
	vpiContextDestroy(context);
	return wrong ? 1 : 0;
}
