// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames from a GPU in one process to a GPU in another one, through NvSciBuf. A
 * fence of NvSciSync goes with each frame, so no CPU waits for a frame. See
 * README.rst.
 *
 * nvsci-stream [early]
 */
#include <nvscisync.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sample.h"
#include "sci-sample.h"

#define SIZE		(256 * 1024)
#define NR_BUFFERS	3
#define NR_FRAMES	12
#define NR_THREADS	256

__global__ void draw(uint8_t *frame, int nr, int value)
{
	const int first = threadIdx.x * nr;

	for (int i = 0; i < nr; i++)
		frame[first + i] = value;
}

/* Each thread has a part of its own. */
__global__ void add_up(const uint8_t *frame, uint32_t *sums, int nr)
{
	const int first = threadIdx.x * nr;
	uint32_t sum = 0;

	for (int i = 0; i < nr; i++)
		sum += frame[first + i];
	sums[threadIdx.x] = sum;
}

/* What a frame's message consists of, in both directions */
struct message {
	int buffer;
	NvSciSyncFenceIpcExportDescriptor fence;
};

struct buffer {
	NvSciBufObj object;
	cudaExternalMemory_t memory;
	uint8_t *frame;
	NvSciSyncFence fence;
};

/* One side of the stream; both have the same parts. */
struct side {
	bool is_producer;
	int device;
	NvSciIpcEndpoint end;
	NvSciSyncModule sync;
	NvSciBufModule buf;
	cudaStream_t stream;
	NvSciSyncObj own;	/* this side signals it */
	NvSciSyncObj peers;	/* the other side does */
	cudaExternalSemaphore_t signals;
	cudaExternalSemaphore_t waits;
	struct buffer buffers[NR_BUFFERS];
};

/* Fences */

static cudaExternalSemaphore_t semaphore_of(NvSciSyncObj object)
{
	struct cudaExternalSemaphoreHandleDesc desc = {};
	cudaExternalSemaphore_t semaphore;

	desc.type = cudaExternalSemaphoreHandleTypeNvSciSync;
	desc.handle.nvSciSyncObj = object;
	CHECK(cudaImportExternalSemaphore(&semaphore, &desc));
	return semaphore;
}

static NvSciSyncAttrList list_of_sync(struct side *side, int flags)
{
	NvSciSyncAttrList list;

	SCI(NvSciSyncAttrListCreate(side->sync, &list));
	CHECK(cudaDeviceGetNvSciSyncAttributes(list, side->device, flags));
	return list;
}

/*
 * Each side tells the other how its GPU waits, and allocates the object that it
 * signals accordingly.
 */
static void exchange_sync(struct side *side)
{
	NvSciSyncAttrList waits = list_of_sync(side, cudaNvSciSyncAttrWait);
	NvSciSyncAttrList lists[2], conflict;
	void *desc;
	size_t len;

	SCI(NvSciSyncAttrListIpcExportUnreconciled(&waits, 1, side->end, &desc,
						   &len));
	send_desc(side->end, desc, len);
	NvSciSyncAttrListFreeDesc(desc);

	lists[0] = list_of_sync(side, cudaNvSciSyncAttrSignal);
	desc = recv_desc(side->end, &len);
	SCI(NvSciSyncAttrListIpcImportUnreconciled(side->sync, side->end, desc,
						   len, &lists[1]));
	free(desc);
	SCI(NvSciSyncAttrListReconcileAndObjAlloc(lists, 2, &side->own,
						  &conflict));
	SCI(NvSciSyncIpcExportAttrListAndObj(side->own,
					     NvSciSyncAccessPerm_WaitOnly,
					     side->end, &desc, &len));
	send_desc(side->end, desc, len);
	NvSciSyncAttrListAndObjFreeDesc(desc);

	desc = recv_desc(side->end, &len);
	SCI(NvSciSyncIpcImportAttrListAndObj(side->sync, side->end, desc, len,
					     &waits, 1,
					     NvSciSyncAccessPerm_WaitOnly,
					     TIMEOUT_US, &side->peers));
	free(desc);
	NvSciSyncAttrListFree(lists[0]);
	NvSciSyncAttrListFree(lists[1]);
	NvSciSyncAttrListFree(waits);
	side->signals = semaphore_of(side->own);
	side->waits = semaphore_of(side->peers);
}

/* The stream waits for a buffer's fence; an empty one is signalled. */
static void stream_wait(struct side *side, struct buffer *buffer)
{
	struct cudaExternalSemaphoreWaitParams params = {};

	params.params.nvSciSync.fence = &buffer->fence;
	CHECK(cudaWaitExternalSemaphoresAsync(&side->waits, &params, 1,
					      side->stream));
	NvSciSyncFenceClear(&buffer->fence);
}

/* Sends a buffer to the other side, with a fence of the work so far. */
static void stream_send(struct side *side, int nr)
{
	struct buffer *buffer = &side->buffers[nr];
	struct cudaExternalSemaphoreSignalParams params = {};
	struct message message;

	params.params.nvSciSync.fence = &buffer->fence;
	CHECK(cudaSignalExternalSemaphoresAsync(&side->signals, &params, 1,
						side->stream));
	message.buffer = nr;
	SCI(NvSciSyncIpcExportFence(&buffer->fence, side->end, &message.fence));
	NvSciSyncFenceClear(&buffer->fence);
	msg_send(side->end, &message, sizeof(message));
}

static int stream_receive(struct side *side)
{
	struct message message;

	msg_recv(side->end, &message, sizeof(message));
	SCI(NvSciSyncIpcImportFence(side->peers, &message.fence,
				    &side->buffers[message.buffer].fence));
	return message.buffer;
}

/* Buffers */

/* The producer knows the size, the consumer only reads. */
static NvSciBufAttrList list_of_buf(struct side *side)
{
	NvSciBufType type = NvSciBufType_RawBuffer;
	NvSciBufAttrValAccessPerm perm = side->is_producer ?
		NvSciBufAccessPerm_ReadWrite : NvSciBufAccessPerm_Readonly;
	uint64_t size = SIZE, align = 4096;
	struct cudaDeviceProp prop;
	NvSciBufAttrList list;
	NvSciRmGpuId id;
	NvSciBufAttrKeyValuePair pairs[] = {
		{ NvSciBufGeneralAttrKey_Types, &type, sizeof(type) },
		{ NvSciBufGeneralAttrKey_RequiredPerm, &perm, sizeof(perm) },
		{ NvSciBufGeneralAttrKey_GpuId, &id, sizeof(id) },
		{ NvSciBufRawBufferAttrKey_Size, &size, sizeof(size) },
		{ NvSciBufRawBufferAttrKey_Align, &align, sizeof(align) },
	};

	CHECK(cudaGetDeviceProperties(&prop, side->device));
	memcpy(id.bytes, prop.uuid.bytes, sizeof(id.bytes));
	SCI(NvSciBufAttrListCreate(side->buf, &list));
	SCI(NvSciBufAttrListSetAttrs(list, pairs, side->is_producer ? 5 : 3));
	return list;
}

static void buffer_open(struct buffer *buffer, NvSciBufObj object)
{
	struct cudaExternalMemoryHandleDesc handle = {};
	struct cudaExternalMemoryBufferDesc part = {};

	buffer->object = object;
	handle.type = cudaExternalMemoryHandleTypeNvSciBuf;
	handle.handle.nvSciBufObject = object;
	handle.size = SIZE;
	CHECK(cudaImportExternalMemory(&buffer->memory, &handle));
	part.size = SIZE;
	CHECK(cudaExternalMemoryGetMappedBuffer((void **)&buffer->frame,
						buffer->memory, &part));
}

/* The producer's list and the consumer's give one list for all buffers. */
static void send_buffers(struct side *side)
{
	NvSciBufAttrList lists[2], all, conflict;
	NvSciBufObjIpcExportDescriptor desc;
	NvSciBufObj object;
	void *bytes;
	size_t len;

	lists[0] = list_of_buf(side);
	bytes = recv_desc(side->end, &len);
	SCI(NvSciBufAttrListIpcImportUnreconciled(side->buf, side->end, bytes,
						  len, &lists[1]));
	free(bytes);
	SCI(NvSciBufAttrListReconcile(lists, 2, &all, &conflict));
	SCI(NvSciBufAttrListIpcExportReconciled(all, side->end, &bytes, &len));
	send_desc(side->end, bytes, len);
	NvSciBufAttrListFreeDesc(bytes);
	for (int i = 0; i < NR_BUFFERS; i++) {
		SCI(NvSciBufObjAlloc(all, &object));
		SCI(NvSciBufObjIpcExport(object, NvSciBufAccessPerm_Readonly,
					 side->end, &desc));
		msg_send(side->end, &desc, sizeof(desc));
		buffer_open(&side->buffers[i], object);
	}
	NvSciBufAttrListFree(lists[0]);
	NvSciBufAttrListFree(lists[1]);
	NvSciBufAttrListFree(all);
}

static void receive_buffers(struct side *side)
{
	NvSciBufAttrList list = list_of_buf(side), all;
	NvSciBufObjIpcExportDescriptor desc;
	NvSciBufObj object;
	void *bytes;
	size_t len;

	SCI(NvSciBufAttrListIpcExportUnreconciled(&list, 1, side->end, &bytes,
						  &len));
	send_desc(side->end, bytes, len);
	NvSciBufAttrListFreeDesc(bytes);
	bytes = recv_desc(side->end, &len);
	/* What comes must be good for the consumer's own list. */
	SCI(NvSciBufAttrListIpcImportReconciled(side->buf, side->end, bytes,
						len, &list, 1, &all));
	free(bytes);
	for (int i = 0; i < NR_BUFFERS; i++) {
		msg_recv(side->end, &desc, sizeof(desc));
		SCI(NvSciBufObjIpcImport(side->end, &desc, all,
					 NvSciBufAccessPerm_Readonly,
					 TIMEOUT_US, &object));
		buffer_open(&side->buffers[i], object);
	}
	NvSciBufAttrListFree(list);
	NvSciBufAttrListFree(all);
}

static void side_open(struct side *side, bool is_producer)
{
	memset(side, 0, sizeof(*side));
	side->is_producer = is_producer;
	side->device = use_integrated_gpu();
	if (!is_producer)
		print_device(side->device);
	side->end = end_open("stream", is_producer ? 0 : 1);
	SCI(NvSciSyncModuleOpen(&side->sync));
	SCI(NvSciBufModuleOpen(&side->buf));
	CHECK(cudaStreamCreateWithFlags(&side->stream, cudaStreamNonBlocking));
	exchange_sync(side);
	if (is_producer)
		send_buffers(side);
	else
		receive_buffers(side);
}

static void side_close(struct side *side)
{
	CHECK(cudaStreamSynchronize(side->stream));
	for (int i = 0; i < NR_BUFFERS; i++) {
		NvSciSyncFenceClear(&side->buffers[i].fence);
		CHECK(cudaFree(side->buffers[i].frame));
		CHECK(cudaDestroyExternalMemory(side->buffers[i].memory));
		NvSciBufObjFree(side->buffers[i].object);
	}
	CHECK(cudaDestroyExternalSemaphore(side->signals));
	CHECK(cudaDestroyExternalSemaphore(side->waits));
	CHECK(cudaStreamDestroy(side->stream));
	NvSciSyncObjFree(side->own);
	NvSciSyncObjFree(side->peers);
	NvSciBufModuleClose(side->buf);
	NvSciSyncModuleClose(side->sync);
	end_close(side->end);
}

static void produce(void)
{
	struct side side;
	int nr;

	side_open(&side, true);
	for (int i = 1; i <= NR_FRAMES; i++) {
		/* At first the producer has all buffers. */
		nr = i <= NR_BUFFERS ? i - 1 : stream_receive(&side);
		stream_wait(&side, &side.buffers[nr]);
		draw<<<1, NR_THREADS, 0, side.stream>>>(side.buffers[nr].frame,
							SIZE / NR_THREADS, i);
		CHECK_LAUNCH();
		stream_send(&side, nr);
	}
	/* The consumer still reads the last frames. */
	for (int i = 0; i < NR_BUFFERS; i++) {
		nr = stream_receive(&side);
		stream_wait(&side, &side.buffers[nr]);
	}
	side_close(&side);
}

static OWN_FRAME uint64_t sum_of(const uint32_t *sums)
{
	uint64_t sum = 0;

	for (int i = 0; i < NR_THREADS; i++)
		sum += sums[i];		/* found here */
	return sum;
}

static int consume(bool is_early)
{
	struct side side;
	uint32_t *sums;
	int nr, wrong = 0;

	side_open(&side, false);
	CHECK(cudaMallocManaged(&sums, NR_THREADS * sizeof(*sums)));
	for (int i = 1; i <= NR_FRAMES; i++) {
		nr = stream_receive(&side);
		stream_wait(&side, &side.buffers[nr]);
		add_up<<<1, NR_THREADS, 0, side.stream>>>(
			side.buffers[nr].frame, sums, SIZE / NR_THREADS);
		CHECK_LAUNCH();
		stream_send(&side, nr);
		if (!is_early)
			CHECK(cudaStreamSynchronize(side.stream));
		if (sum_of(sums) != (uint64_t)i * SIZE) {
			printf("frame %d is wrong\n", i);
			wrong = 1;
		}
	}
	side_close(&side);
	CHECK(cudaFree(sums));
	printf("%d frames in %d buffers: %s\n", NR_FRAMES, NR_BUFFERS,
	       wrong ? "WRONG" : "right");
	return wrong;
}

int main(int argc, char **argv)
{
	int status;
	pid_t child;

	/* Before anything of CUDA or NvSci is called: a child has none of it. */
	child = fork();
	if (child < 0)
		return 1;
	if (!child)
		exit(consume(is_asked(argc, argv, "early")));
	produce();
	return waitpid(child, &status, 0) != child || status;
}
