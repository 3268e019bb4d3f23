// SPDX-License-Identifier: GPL-2.0-only
/*
 * An image of VPI in two processes: a camera's process draws into it, and a
 * viewer's process smooths it, in the same memory. See README.rst.
 *
 * vpi-frames [kept]
 */
#include <nvscibuf.h>
#include <sys/wait.h>
#include <vpi/Context.h>
#include <vpi/Image.h>
#include <vpi/Stream.h>
#include <vpi/algo/BoxFilter.h>

#include "sample.h"
#include "sci-sample.h"
#include "vpi-sample.h"

#define WIDTH		640
#define HEIGHT		480
#define NR_FRAMES	3

/* Locks a whole plane for the CPU, until the unlock. */
static OWN_FRAME VPIImagePlanePitchLinear rows_of(VPIImage image,
						  VPILockMode mode)
{
	VPIImageData data;

	VPI(vpiImageLockData(image, mode, /* found here */
			     VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR, &data));
	return data.buffer.pitch.planes[0];
}

/* Draws squares of 32 pixels in a colour of the frame. */
static void draw(VPIImage image, int frame)
{
	const VPIImagePlanePitchLinear rows = rows_of(image, VPI_LOCK_WRITE);
	uint8_t *pixels = rows.pBase + rows.offsetBytes;

	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			pixels[y * rows.pitchBytes + x] =
				(uint8_t)((x / 32 + y / 32) % 2 * frame * 60);
	VPI(vpiImageUnlock(image));
}

static uint64_t sum_of(VPIImage image, bool is_kept)
{
	const VPIImagePlanePitchLinear rows = rows_of(image, VPI_LOCK_READ);
	const uint8_t *pixels = rows.pBase + rows.offsetBytes;
	uint64_t sum = 0;

	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			sum += pixels[y * rows.pitchBytes + x];
	if (!is_kept)
		VPI(vpiImageUnlock(image));
	return sum;
}

/* The camera's process: VPI allocates the image, for all backends. */

static void image_export(VPIImage image, NvSciIpcEndpoint end)
{
	VPIImageData data;
	void *desc;
	size_t len;

	VPI(vpiImageLockData(image, VPI_LOCK_READ, VPI_IMAGE_BUFFER_NVSCIBUF,
			     &data));
	SCI(NvSciBufIpcExportAttrListAndObj(data.buffer.nvscibuf.buffer,
					    NvSciBufAccessPerm_Readonly, end,
					    &desc, &len));
	VPI(vpiImageUnlock(image));
	send_desc(end, desc, len);
	NvSciBufAttrListAndObjFreeDesc(desc);
}

/* The squares are half of the image; smoothing keeps the mean. */
static int is_wrong(int frame, uint64_t sum)
{
	const uint64_t right = (uint64_t)WIDTH * HEIGHT / 2 * frame * 60;
	const int wrong = sum < right - right / 100 || sum > right + right / 100;

	printf("frame %d: %s\n", frame, wrong ? "WRONG" : "right");
	return wrong;
}

static int camera(void)
{
	NvSciIpcEndpoint end = end_open("vpi", 0);
	VPIImage image;
	uint64_t sum;
	int wrong = 0;

	print_device(use_integrated_gpu());
	VPI(vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8, 0, &image));
	image_export(image, end);
	for (int i = 1; i <= NR_FRAMES; i++) {
		draw(image, i);
		msg_send(end, &i, sizeof(i));
		msg_recv(end, &sum, sizeof(sum));
		wrong += is_wrong(i, sum);
	}
	print_copies("camera's", image);
	fflush(stdout);
	msg_send(end, &wrong, sizeof(wrong));
	vpiImageDestroy(image);
	end_close(end);
	return wrong;
}

/* The viewer's process: VPI wraps the object, and only reads it. */

static VPIImage image_import(NvSciBufModule module, NvSciIpcEndpoint end)
{
	VPIImageData data;
	NvSciBufObj object;
	VPIImage image;
	void *desc;
	size_t len;

	desc = recv_desc(end, &len);
	SCI(NvSciBufIpcImportAttrListAndObj(module, end, desc, len, NULL, 0,
					    NvSciBufAccessPerm_Readonly,
					    TIMEOUT_US, &object));
	free(desc);
	memset(&data, 0, sizeof(data));
	data.bufferType = VPI_IMAGE_BUFFER_NVSCIBUF;
	data.buffer.nvscibuf.buffer = object;
	data.buffer.nvscibuf.format = VPI_IMAGE_FORMAT_U8;
	VPI(vpiImageCreateWrapper(&data, NULL, 0, &image));
	/* The wrapper keeps the memory. */
	NvSciBufObjFree(object);
	return image;
}

/* The permission came with the object. */
static void try_to_write(VPIImage image)
{
	char why[VPI_MAX_STATUS_MESSAGE_LENGTH];
	VPIImageData data;

	if (vpiImageLockData(image, VPI_LOCK_WRITE,
			     VPI_IMAGE_BUFFER_HOST_PITCH_LINEAR,
			     &data) == VPI_SUCCESS) {
		VPI(vpiImageUnlock(image));
		return;
	}
	vpiGetLastStatusMessage(why, sizeof(why));
	printf("the viewer cannot write: %s\n", why);
}

static void viewer(bool is_kept)
{
	NvSciIpcEndpoint end = end_open("vpi", 1);
	NvSciBufModule module;
	VPIImage image, smooth;
	VPIStream stream;
	uint64_t sum;
	int i, wrong;

	SCI(NvSciBufModuleOpen(&module));
	image = image_import(module, end);
	VPI(vpiImageCreate(WIDTH, HEIGHT, VPI_IMAGE_FORMAT_U8, 0, &smooth));
	VPI(vpiStreamCreate(0, &stream));
	do {
		msg_recv(end, &i, sizeof(i));
		VPI(vpiSubmitBoxFilter(stream, VPI_BACKEND_CUDA, image, smooth,
				       5, 5, VPI_BORDER_CLAMP));
		VPI(vpiStreamSync(stream));
		sum = sum_of(smooth, is_kept && i == NR_FRAMES);
		msg_send(end, &sum, sizeof(sum));
	} while (i < NR_FRAMES);
	/* The camera has printed its lines. */
	msg_recv(end, &wrong, sizeof(wrong));
	print_copies("viewer's", image);
	try_to_write(image);
	vpiStreamDestroy(stream);
	vpiImageDestroy(smooth);
	vpiImageDestroy(image);
	NvSciBufModuleClose(module);
	end_close(end);
}

/* Before anything of VPI or NvSciBuf is called: a child has none of it. */
int main(int argc, char **argv)
{
	const bool is_kept = is_asked(argc, argv, "kept");
	int status, wrong;
	pid_t child;

	child = fork();
	if (child < 0)
		return 1;
	if (!child) {
		viewer(is_kept);
		exit(0);
	}
	wrong = camera();
	if (waitpid(child, &status, 0) != child || status)
		wrong++;
	puts(wrong ? "WRONG" : "right");
	return wrong != 0;
}
