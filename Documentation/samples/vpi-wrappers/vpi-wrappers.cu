// SPDX-License-Identifier: GPL-2.0-only
/*
 * The same picture in every kind of memory that VPI wraps, and what each kind
 * costs: a job of the GPU, one of the VIC and one of the CPU read it, and it is
 * told what was copied. See README.rst.
 *
 * vpi-wrappers [gone]
 */
#include <nvbufsurface.h>
#include <nvscibuf.h>
#include <vpi/Context.h>
#include <vpi/Image.h>
#include <vpi/Stream.h>
#include <vpi/algo/BoxFilter.h>
#include <vpi/algo/Rescale.h>

#include "sample.h"
#include "vpi-sample.h"

#define WIDTH	640
#define HEIGHT	480
/* 64 is enough for the PVA; the VIC takes rows of multiples of 256 alone. */
#define PITCH	640
#define SIZE	(PITCH * HEIGHT)

static const uint64_t backends =
	VPI_BACKEND_CPU | VPI_BACKEND_CUDA | VPI_BACKEND_VIC;

/* What the jobs write. */
static VPIStream stream;
static VPIImage smooth, small;

static uint8_t pixel(int x, int y)
{
	return (uint8_t)((x / 16 + y / 16) % 2 * 200 + 20);
}

static void draw(uint8_t *pixels, int pitch)
{
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			pixels[y * pitch + x] = pixel(x, y);
}

static VPIImage wrap(const VPIImageData *data)
{
	VPIImage image;

	VPI(vpiImageCreateWrapper(data, NULL, backends, &image));
	return image;
}

/* Memory that is rows, of the CPU or of CUDA. */
static VPIImage wrap_rows(void *pixels, VPIImageBufferType type)
{
	VPIImageData data = {};
	VPIImagePlanePitchLinear *plane = &data.buffer.pitch.planes[0];

	data.bufferType = type;
	data.buffer.pitch.format = VPI_IMAGE_FORMAT_Y8_ER;
	data.buffer.pitch.numPlanes = 1;
	plane->pixelType = VPI_PIXEL_TYPE_U8;
	plane->width = WIDTH;
	plane->height = HEIGHT;
	plane->pitchBytes = PITCH;
	plane->pBase = (VPIByte *)pixels;
	return wrap(&data);
}

/* Three jobs, one of each backend, read the image. Are their results right? */
static OWN_FRAME int is_wrong(const char *kind, VPIImage image)
{
	const VPIImagePlanePitchLinear *plane;
	VPIImageData data;
	int wrong = 0;

	VPI(vpiSubmitBoxFilter(stream, VPI_BACKEND_CUDA, /* found here */
			       image, smooth, 3, 3, VPI_BORDER_CLAMP));
	VPI(vpiSubmitRescale(stream, VPI_BACKEND_VIC, image, small,
			     VPI_INTERP_LINEAR, VPI_BORDER_CLAMP, 0));
	VPI(vpiSubmitBoxFilter(stream, VPI_BACKEND_CPU, image, smooth, 3, 3,
			       VPI_BORDER_CLAMP));
	VPI(vpiStreamSync(stream));
	VPI(vpiImageLockData(smooth, VPI_LOCK_READ,
			     VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	plane = &data.buffer.pitch.planes[0];
	/* In the middle of a square its neighbours do not show. */
	for (int y = 8; y < HEIGHT; y += 16)
		for (int x = 8; x < WIDTH; x += 16)
			wrong += plane->pBase[plane->offsetBytes +
					      y * plane->pitchBytes + x] !=
				 pixel(x, y);
	VPI(vpiImageUnlock(smooth));
	print_copies(kind, image);
	if (wrong)
		printf("  %s: %d pixels are WRONG\n", kind, wrong);
	return wrong;
}

/* VPI's own: made for its backends, and never copied. */
static int of_vpi(void)
{
	VPIImageData data;
	VPIImage image;
	int wrong;

	VPI(vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_Y8_ER, backends,
			   &image));
	VPI(vpiImageLockData(image, VPI_LOCK_WRITE,
			     VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	draw(data.buffer.pitch.planes[0].pBase +
		     data.buffer.pitch.planes[0].offsetBytes,
	     data.buffer.pitch.planes[0].pitchBytes);
	VPI(vpiImageUnlock(image));
	wrong = is_wrong("VPI's own", image);
	vpiImageDestroy(image);
	return wrong;
}

static int of_malloc(void)
{
	uint8_t *pixels = (uint8_t *)malloc(SIZE);
	VPIImage image;
	int wrong;

	if (!pixels)
		exit(2);
	draw(pixels, PITCH);
	image = wrap_rows(pixels, VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR);
	wrong = is_wrong("malloc", image);
	vpiImageDestroy(image);
	free(pixels);
	return wrong;
}

static OWN_FRAME int of_pinned(bool is_gone)
{
	uint8_t *pixels;
	VPIImage image;
	int wrong;

	CHECK(cudaMallocHost(&pixels, SIZE));
	draw(pixels, PITCH);
	image = wrap_rows(pixels, VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR);
	if (is_gone)
		CHECK(cudaFreeHost(pixels));
	wrong = is_wrong("pinned", image);
	vpiImageDestroy(image);
	if (!is_gone)
		CHECK(cudaFreeHost(pixels));
	return wrong;
}

static int of_managed(void)
{
	uint8_t *pixels;
	VPIImage image;
	int wrong;

	CHECK(cudaMallocManaged(&pixels, SIZE));
	draw(pixels, PITCH);
	image = wrap_rows(pixels, VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR);
	wrong = is_wrong("managed", image);
	vpiImageDestroy(image);
	CHECK(cudaFree(pixels));
	return wrong;
}

static int of_device(void)
{
	uint8_t *pixels, *host = (uint8_t *)malloc(SIZE);
	VPIImage image;
	int wrong;

	if (!host)
		exit(2);
	draw(host, PITCH);
	CHECK(cudaMalloc(&pixels, SIZE));
	CHECK(cudaMemcpy(pixels, host, SIZE, cudaMemcpyHostToDevice));
	image = wrap_rows(pixels, VPI_IMAGE_BUFFER_CUDA_PITCH_LINEAR);
	wrong = is_wrong("device", image);
	vpiImageDestroy(image);
	CHECK(cudaFree(pixels));
	free(host);
	return wrong;
}

/* A surface has rows that suit all parts of the board. */
static int of_surface(void)
{
	NvBufSurfaceCreateParams params = {};
	NvBufSurfaceParams *buffer;
	VPIImageData data = {};
	NvBufSurface *surface;
	VPIImage image;
	int wrong;

	params.width = WIDTH;
	params.height = HEIGHT;
	params.colorFormat = NVBUF_COLOR_FORMAT_GRAY8;
	params.layout = NVBUF_LAYOUT_PITCH;
	params.memType = NVBUF_MEM_SURFACE_ARRAY;
	if (NvBufSurfaceCreate(&surface, 1, &params)) {
		fprintf(stderr, "NvBufSurfaceCreate failed\n");
		exit(2);
	}
	buffer = surface->surfaceList;
	if (NvBufSurfaceMap(surface, 0, 0, NVBUF_MAP_READ_WRITE)) {
		fprintf(stderr, "NvBufSurfaceMap failed\n");
		exit(2);
	}
	draw((uint8_t *)buffer->mappedAddr.addr[0],
	     (int)buffer->planeParams.pitch[0]);
	/* Written by the CPU: what engines read is in its cache. */
	NvBufSurfaceSyncForDevice(surface, 0, 0);
	NvBufSurfaceUnMap(surface, 0, 0);

	data.bufferType = VPI_IMAGE_BUFFER_NVBUFFER;
	data.buffer.fd = (int)buffer->bufferDesc;
	image = wrap(&data);
	wrong = is_wrong("NvBufSurface", image);
	vpiImageDestroy(image);
	NvBufSurfaceDestroy(surface);
	return wrong;
}

static void sci(NvSciError err, const char *call, int line)
{
	if (err == NvSciError_Success)
		return;
	fprintf(stderr, "%s:%d: %s: 0x%x\n", __FILE__, line, call, err);
	exit(2);
}

#define SCI(call)	sci(call, #call, __LINE__)

/* An object has the rows that its list came to. */
static NvSciBufObj object_alloc(NvSciBufModule module)
{
	NvSciBufType type = NvSciBufType_Image;
	NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
	NvSciBufAttrValImageLayoutType layout = NvSciBufImage_PitchLinearType;
	NvSciBufAttrValImageScanType scan = NvSciBufScan_ProgressiveType;
	NvSciBufAttrValColorFmt format = NvSciColor_Y8;
	NvSciBufAttrValColorStd standard = NvSciColorStd_REC709_ER;
	uint32_t nr_planes = 1, width = WIDTH, height = HEIGHT;
	struct cudaDeviceProp prop;
	NvSciRmGpuId gpu;
	bool yes = true;
	NvSciBufAttrKeyValuePair pairs[] = {
		{ NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
		{ NvSciBufGeneralAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
		{ NvSciBufGeneralAttrKey_EnableCpuCache, &yes, sizeof(yes) },
		{ NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
		{ NvSciBufGeneralAttrKey_GpuId, &gpu, sizeof(gpu) },
		{ NvSciBufImageAttrKey_Layout, &layout, sizeof(layout) },
		{ NvSciBufImageAttrKey_ScanType, &scan, sizeof(scan) },
		{ NvSciBufImageAttrKey_PlaneCount, &nr_planes,
		  sizeof(nr_planes) },
		{ NvSciBufImageAttrKey_PlaneColorFormat, &format,
		  sizeof(format) },
		{ NvSciBufImageAttrKey_PlaneColorStd, &standard,
		  sizeof(standard) },
		{ NvSciBufImageAttrKey_PlaneWidth, &width, sizeof(width) },
		{ NvSciBufImageAttrKey_PlaneHeight, &height, sizeof(height) },
	};
	NvSciBufAttrList list, conflict;
	NvSciBufObj object;
	int device;

	CHECK(cudaGetDevice(&device));
	CHECK(cudaGetDeviceProperties(&prop, device));
	memcpy(gpu.bytes, prop.uuid.bytes, sizeof(gpu.bytes));
	SCI(NvSciBufAttrListCreate(module, &list));
	SCI(NvSciBufAttrListSetAttrs(list, pairs,
				     sizeof(pairs) / sizeof(pairs[0])));
	SCI(NvSciBufAttrListReconcileAndObjAlloc(&list, 1, &object, &conflict));
	NvSciBufAttrListFree(list);
	return object;
}

static int of_object(void)
{
	NvSciBufAttrKeyValuePair pitch = {
		NvSciBufImageAttrKey_PlanePitch, NULL, 0
	};
	VPIImageData data = {};
	NvSciBufModule module;
	NvSciBufAttrList list;
	NvSciBufObj object;
	VPIImage image;
	void *pixels;
	int wrong;

	SCI(NvSciBufModuleOpen(&module));
	object = object_alloc(module);
	SCI(NvSciBufObjGetAttrList(object, &list));
	SCI(NvSciBufAttrListGetAttrs(list, &pitch, 1));
	SCI(NvSciBufObjGetCpuPtr(object, &pixels));
	draw((uint8_t *)pixels, (int)*(const uint32_t *)pitch.value);
	SCI(NvSciBufObjFlushCpuCacheRange(object, 0, WIDTH * HEIGHT));

	data.bufferType = VPI_IMAGE_BUFFER_NVSCIBUF;
	data.buffer.nvscibuf.buffer = object;
	image = wrap(&data);
	wrong = is_wrong("NvSciBuf", image);
	vpiImageDestroy(image);
	NvSciBufObjFree(object);
	NvSciBufModuleClose(module);
	return wrong;
}

int main(int argc, char **argv)
{
	const bool is_gone = is_asked(argc, argv, "gone");
	int wrong;

	print_device(use_integrated_gpu());
	VPI(vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_Y8_ER, backends,
			   &smooth));
	VPI(vpiImageCreate(WIDTH / 2, HEIGHT / 2, VPI_IMAGE_FORMAT_Y8_ER, backends,
			   &small));
	VPI(vpiStreamCreate(backends, &stream));
	wrong = of_vpi();
	wrong += of_malloc();
	wrong += of_pinned(is_gone);
	wrong += of_managed();
	wrong += of_device();
	wrong += of_surface();
	wrong += of_object();
	printf("%s\n", wrong ? "WRONG" : "right");
	vpiStreamDestroy(stream);
	vpiImageDestroy(small);
	vpiImageDestroy(smooth);
	return wrong ? 1 : 0;
}
