// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames that the CPU writes and the GPU reads, through NvSciBuf: in one process,
 * or from a camera's process to a viewer's. See README.rst.
 *
 * nvsci-frames [two] [forgot]
 */
#include <nvscibuf.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"
#include "sci-sample.h"

#define SIZE		(256 * 1024)
#define NR_FRAMES	4
#define NR_THREADS	256

/* Each thread has a part of its own. */
__global__ void add_up(const uint8_t *frame, uint32_t *sums, int nr)
{
	const int first = threadIdx.x * nr;
	uint32_t sum = 0;

	for (int i = 0; i < nr; i++)
		sum += frame[first + i];
	sums[threadIdx.x] = sum;
}

/* Lists: what each part needs of a frame */

static NvSciBufAttrList list_of(NvSciBufModule module,
				NvSciBufAttrKeyValuePair *pairs, size_t nr)
{
	NvSciBufAttrList list;

	SCI(NvSciBufAttrListCreate(module, &list));
	SCI(NvSciBufAttrListSetAttrs(list, pairs, nr));
	return list;
}

/* The camera knows the size, and writes with the CPU, through its cache. */
static NvSciBufAttrList list_of_camera(NvSciBufModule module)
{
	NvSciBufType type = NvSciBufType_RawBuffer;
	NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_ReadWrite;
	uint64_t size = SIZE, align = 4096;
	bool yes = true;
	NvSciBufAttrKeyValuePair pairs[] = {
		{ NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
		{ NvSciBufGeneralAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
		{ NvSciBufGeneralAttrKey_EnableCpuCache, &yes, sizeof(yes) },
		{ NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
		{ NvSciBufRawBufferAttrKey_Size, &size, sizeof(size) },
		{ NvSciBufRawBufferAttrKey_Align, &align, sizeof(align) },
	};

	return list_of(module, pairs, sizeof(pairs) / sizeof(pairs[0]));
}

/* The viewer reads, on this GPU. */
static NvSciBufAttrList list_of_viewer(NvSciBufModule module, int device)
{
	NvSciBufType type = NvSciBufType_RawBuffer;
	NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_Readonly;
	struct cudaDeviceProp prop;
	NvSciRmGpuId id;
	NvSciBufAttrKeyValuePair pairs[] = {
		{ NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
		{ NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
		{ NvSciBufGeneralAttrKey_GpuId, &id, sizeof(id) },
	};

	CHECK(cudaGetDeviceProperties(&prop, device));
	memcpy(id.bytes, prop.uuid.bytes, sizeof(id.bytes));
	return list_of(module, pairs, sizeof(pairs) / sizeof(pairs[0]));
}

static NvSciBufObj frame_alloc(NvSciBufAttrList camera, NvSciBufAttrList viewer)
{
	NvSciBufAttrList lists[] = { camera, viewer }, conflict;
	NvSciBufObj frame;

	SCI(NvSciBufAttrListReconcileAndObjAlloc(lists, 2, &frame, &conflict));
	NvSciBufAttrListFree(camera);
	NvSciBufAttrListFree(viewer);
	return frame;
}

/* The camera's part */

/* Does whoever writes with the CPU have to see to its cache? */
static bool needs_flush(NvSciBufObj frame)
{
	NvSciBufAttrKeyValuePair pair = {
		NvSciBufGeneralAttrKey_CpuNeedSwCacheCoherency, NULL, 0
	};
	NvSciBufAttrList list;

	SCI(NvSciBufObjGetAttrList(frame, &list));
	SCI(NvSciBufAttrListGetAttrs(list, &pair, 1));
	return *(const bool *)pair.value;
}

static OWN_FRAME void frame_fill(NvSciBufObj frame, int value, bool is_forgot)
{
	void *pixels;

	SCI(NvSciBufObjGetCpuPtr(frame, &pixels));
	memset(pixels, value, SIZE);	/* found here */
	if (needs_flush(frame) && !is_forgot)
		SCI(NvSciBufObjFlushCpuCacheRange(frame, 0, SIZE));
}

/* The viewer's part */

struct view {
	cudaExternalMemory_t memory;
	uint8_t *frame;
	uint32_t *sums;
};

static void view_open(struct view *view, NvSciBufObj frame)
{
	struct cudaExternalMemoryHandleDesc handle = {};
	struct cudaExternalMemoryBufferDesc part = {};

	handle.type = cudaExternalMemoryHandleTypeNvSciBuf;
	handle.handle.nvSciBufObject = frame;
	handle.size = SIZE;
	CHECK(cudaImportExternalMemory(&view->memory, &handle));
	part.size = SIZE;
	CHECK(cudaExternalMemoryGetMappedBuffer((void **)&view->frame,
						view->memory, &part));
	CHECK(cudaMallocHost(&view->sums, NR_THREADS * sizeof(*view->sums)));
}

static void view_close(struct view *view)
{
	CHECK(cudaFreeHost(view->sums));
	CHECK(cudaFree(view->frame));
	CHECK(cudaDestroyExternalMemory(view->memory));
}

static OWN_FRAME uint64_t view_sum(struct view *view)
{
	uint64_t sum = 0;

	add_up<<<1, NR_THREADS>>>(view->frame, view->sums, SIZE / NR_THREADS);
	CHECK_LAUNCH();
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < NR_THREADS; i++)
		sum += view->sums[i];
	return sum;
}

static int is_wrong(int value, uint64_t sum)
{
	const int wrong = sum != (uint64_t)value * SIZE;

	printf("frame of %d: %s\n", value, wrong ? "WRONG" : "right");
	return wrong;
}

static int one_process(bool is_forgot)
{
	const int device = use_integrated_gpu();
	NvSciBufModule module;
	NvSciBufObj frame;
	struct view view;
	int wrong = 0;

	print_device(device);
	SCI(NvSciBufModuleOpen(&module));
	frame = frame_alloc(list_of_camera(module),
			    list_of_viewer(module, device));
	printf("the CPU's cache is %s\n",
	       needs_flush(frame) ? "the program's matter" : "coherent");
	view_open(&view, frame);
	for (int i = 1; i <= NR_FRAMES; i++) {
		frame_fill(frame, i, is_forgot);
		wrong += is_wrong(i, view_sum(&view));
	}
	view_close(&view);
	NvSciBufObjFree(frame);
	NvSciBufModuleClose(module);
	return wrong;
}

/* Two processes: an end of a channel each */

static int camera(bool is_forgot)
{
	NvSciIpcEndpoint end = end_open("frames", 0);
	NvSciBufAttrList list;
	NvSciBufModule module;
	NvSciBufObj frame;
	uint64_t sum;
	void *desc;
	size_t len;
	int wrong = 0;

	SCI(NvSciBufModuleOpen(&module));
	desc = recv_desc(end, &len);
	SCI(NvSciBufAttrListIpcImportUnreconciled(module, end, desc, len,
						  &list));
	free(desc);
	frame = frame_alloc(list_of_camera(module), list);
	SCI(NvSciBufIpcExportAttrListAndObj(frame, NvSciBufAccessPerm_Readonly,
					    end, &desc, &len));
	send_desc(end, desc, len);
	NvSciBufAttrListAndObjFreeDesc(desc);
	for (int i = 1; i <= NR_FRAMES; i++) {
		frame_fill(frame, i, is_forgot);
		msg_send(end, &i, sizeof(i));
		msg_recv(end, &sum, sizeof(sum));
		wrong += is_wrong(i, sum);
	}
	NvSciBufObjFree(frame);
	NvSciBufModuleClose(module);
	end_close(end);
	return wrong;
}

static void viewer(void)
{
	const int device = use_integrated_gpu();
	NvSciIpcEndpoint end = end_open("frames", 1);
	NvSciBufAttrList list;
	NvSciBufModule module;
	NvSciBufObj frame;
	struct view view;
	uint64_t sum;
	void *desc;
	size_t len;
	int i;

	SCI(NvSciBufModuleOpen(&module));
	list = list_of_viewer(module, device);
	SCI(NvSciBufAttrListIpcExportUnreconciled(&list, 1, end, &desc, &len));
	send_desc(end, desc, len);
	NvSciBufAttrListFreeDesc(desc);
	desc = recv_desc(end, &len);
	/* What comes must be good for the viewer's own list. */
	SCI(NvSciBufIpcImportAttrListAndObj(module, end, desc, len, &list, 1,
					    NvSciBufAccessPerm_Readonly,
					    TIMEOUT_US, &frame));
	free(desc);
	NvSciBufAttrListFree(list);
	view_open(&view, frame);
	do {
		msg_recv(end, &i, sizeof(i));
		sum = view_sum(&view);
		msg_send(end, &sum, sizeof(sum));
	} while (i < NR_FRAMES);
	view_close(&view);
	NvSciBufObjFree(frame);
	NvSciBufModuleClose(module);
	end_close(end);
}

/* Before anything of CUDA or NvSciBuf is called: a child has none of it. */
static int two_processes(bool is_forgot)
{
	int status, wrong;
	pid_t child;

	child = fork();
	if (child < 0)
		return 1;
	if (!child) {
		viewer();
		exit(0);
	}
	wrong = camera(is_forgot);
	if (waitpid(child, &status, 0) != child || status)
		wrong++;
	return wrong;
}

int main(int argc, char **argv)
{
	const bool is_forgot = is_asked(argc, argv, "forgot");
	int wrong;

	wrong = is_asked(argc, argv, "two") ? two_processes(is_forgot) :
		one_process(is_forgot);
	puts(wrong ? "WRONG" : "right");
	return wrong != 0;
}
