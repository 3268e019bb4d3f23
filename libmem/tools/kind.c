// SPDX-License-Identifier: GPL-2.0-only
/*
 * The texts of reports: the first table has a row for each kind of finding, the
 * second one for each operation that may be missing, the third one for each
 * party other than the CPU. Kinds have the module's numbers; further numbers
 * are those of libmem's own violations, and of reports that are no violations.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <libmem.h>

#include "kind.h"
#include "../record/tables.h"

#define NR(table)	(sizeof(table) / sizeof((table)[0]))

/* NvSciBuf has only one call that maintains the CPU cache of an object. */
#define FLUSH_NVSCI(when)						\
	"to fix it: " when ", call\n"					\
	"NvSciBufObjFlushCpuCacheRange()"

/* In VPI, lock and unlock maintain the CPU cache. */
#define LOCK_VPI							\
	"to fix it: touch the image or array between\n"		\
	"vpiImageLockData() or vpiArrayLockData() and its unlock\n"	\
	"alone, when its stream is done: vpiStreamSync()"

/* Lines of headlines have at most 60 characters, since reports indent them. */
static const struct kind kinds[] = {
	[HEAPSIM_RECORD_DROPPED] = { .name = "dropped" },
	[HEAPSIM_RECORD_STALE_READ] = {
		"stale-read",
		"Stale read: the CPU read old bytes, memory holds newer ones",
		"read", "memory was written", "reads", KIND_ERROR,
	},
	[HEAPSIM_RECORD_POSSIBLE_STALE_READ] = {
		"possible-stale-read",
		"Possible stale read: a device has written this since the\n"
		"CPU's cache was invalidated, a cache may hold old bytes",
		"read", "memory was written", "reads", KIND_ERROR,
	},
	[HEAPSIM_RECORD_LOST_DEVICE_WRITE] = {
		"lost-device-write",
		"Lost device write: a line that was written back destroyed\n"
		"bytes beside the CPU's own that a device had written",
		"line written", "lost bytes written", "lines", KIND_ERROR,
	},
	[HEAPSIM_RECORD_LOST_CPU_WRITE] = {
		"lost-cpu-write",
		"Lost CPU write: bytes were dropped from the CPU's cache\n"
		"before they reached memory",
		"written", "dropped", "lines", KIND_ERROR,
	},
	[HEAPSIM_RECORD_MISSING_CLEAN] = {
		"missing-clean",
		"Missing clean: a device read old bytes from memory, those\n"
		"that the CPU wrote were still in its cache",
		"written", "memory was read", "lines", KIND_ERROR,
	},
	[HEAPSIM_RECORD_WRITE_CONFLICT] = {
		"write-conflict",
		"Write conflict: a device wrote lines that the CPU had\n"
		"written, too, and that were still in its cache",
		"written", "memory was written", "lines", KIND_ERROR,
	},
	[HEAPSIM_RECORD_UNBRACKETED_ACCESS] = {
		"unbracketed-access",
		NULL, NULL, "held", "accesses", KIND_ERROR,
	},
	[HEAPSIM_RECORD_MISSING_END] = {
		"missing-end",
		"Missing END: a process ended, or closed the buffer,\n"
		"in a write bracket; what it wrote may not reach memory",
		"begun", NULL, "brackets", KIND_ERROR,
	},
	[HEAPSIM_RECORD_UNMATCHED_END] = {
		"unmatched-end",
		"END without START: the process has no such bracket open",
		"ended", NULL, "times", KIND_ERROR,
	},
	[HEAPSIM_RECORD_SHARED_LINE] = {
		"shared-line",
		"invalidates whose range ends inside a line",
		NULL, NULL, NULL, KIND_WASTE,
	},
	[HEAPSIM_RECORD_REDUNDANT_CLEAN] = {
		"redundant-clean",
		"cleans that found nothing to write back",
		NULL, NULL, NULL, KIND_WASTE,
	},
	[HEAPSIM_RECORD_REDUNDANT_INVALIDATE] = {
		"redundant-invalidate",
		"invalidates that had nothing to do",
		NULL, NULL, NULL, KIND_WASTE,
	},
	[HEAPSIM_RECORD_CPU_WHILE_ACTIVE] = {
		"cpu-while-active",
		"CPU while active: the CPU touched managed memory before it\n"
		"had waited for the jobs that may use it",
		NULL, "in use", "accesses", KIND_ERROR,
	},
	[HEAPSIM_RECORD_ENGINE_NOT_ATTACHED] = {
		"engine-not-attached",
		"Engine not attached: a job touched managed memory that is\n"
		"not attached to its stream",
		NULL, "touched", "times", KIND_ERROR,
	},
	[HEAPSIM_RECORD_CPU_ON_DEVICE] = {
		"cpu-on-device",
		"CPU on device memory: the CPU touched memory that only\n"
		"engines can access",
		NULL, NULL, "accesses", KIND_ERROR,
	},
	[HEAPSIM_RECORD_UNENDED_READ] = {
		"unended-read",
		"brackets for reading that were never ended",
		"begun", NULL, "brackets", KIND_WASTE,
	},
	[MEM_VIOLATION_ATOMIC_ON_UNCACHED] = {
		"atomic-on-uncached",
		"Atomic on uncached memory: atomic instructions of this\n"
		"board do not work on memory that is not cached",
		NULL, "touched", "accesses", KIND_ERROR,
		"to fix it: keep what is changed atomically in managed\n"
		"memory, or in device memory if engines alone use it:\n"
		"mem_alloc()",
		"to fix it: keep what is changed atomically in managed\n"
		"memory (cudaMallocManaged()), or in device memory if\n"
		"kernels alone use it: cudaMalloc()",
	},
	[MEM_VIOLATION_ILLEGAL_ADDRESS] = {
		"illegal-address",
		"Illegal address: a kernel touched an address that its\n"
		"engine cannot access",
		NULL, "touched", "accesses", KIND_ERROR,
		"to fix it: pass the kernel a pointer to memory that its\n"
		"engine can access (see mem_ptr_info()), and free that\n"
		"memory only when the kernel is done",
		"to fix it: pass the kernel a pointer to memory that the\n"
		"device can access (see cudaPointerGetAttributes()), and\n"
		"free that memory only when the kernel is done",
	},
	[MEM_VIOLATION_OVERRUN] = {
		"overrun",
		"Overrun: bytes behind an allocation have changed",
		NULL, "written", "times", KIND_ERROR,
		"to fix it: keep indexes within the allocation, or allocate\n"
		"more; the offset is the first byte that has changed",
	},
	[MEM_VIOLATION_FAILED_KERNEL] = {
		"failed-kernel",
		"Failed kernel: it did not return, which ends all work of\n"
		"its context",
		NULL, "run", "times", KIND_ERROR,
		"to fix it: make the kernel return when it is done; if it\n"
		"needs more than 10 s, set mem_launch.timeout_ns",
		"to fix it: make the kernel return when it is done; if it\n"
		"needs more than 600 s, set HEAPSIM_CU_TIMEOUT (seconds)",
	},
	[MEM_VIOLATION_USE_AFTER_FREE] = {
		"use-after-free",
		"Use after free: the CPU touched a buffer that had been freed\n"
		"or unmapped",
		NULL, "freed or unmapped", "accesses", KIND_ERROR,
		"to fix it: free or unmap the buffer after its last use",
	},
	[MEM_VIOLATION_UNLOCKED_ACCESS] = {
		"unlocked-access",
		NULL, NULL, "touched", "accesses", KIND_ERROR,
		"to fix it: touch the memory of an image or array between\n"
		"mem_image_lock() or mem_array_lock() and its unlock alone,\n"
		"with a lock that allows the access",
		LOCK_VPI,
	},
	[MEM_VIOLATION_ENGINE_WHILE_LOCKED] = {
		"engine-while-locked",
		"Engine while locked: a kernel or copy touched an image or\n"
		"array that was locked for the CPU",
		"locked", "touched", "accesses", KIND_ERROR,
		"to fix it: unlock it before work that uses it is submitted,\n"
		"and lock it again when that is done",
	},
	[MEM_VIOLATION_MISSING_UNLOCK] = {
		"missing-unlock",
		"Missing unlock: an image or array was destroyed, or its\n"
		"process ended, while it was locked",
		"locked", NULL, "locks", KIND_ERROR,
		"to fix it: unlock it when its memory has been used:\n"
		"mem_image_unlock(), mem_array_unlock()",
		"to fix it: unlock it when its memory has been used:\n"
		"vpiImageUnlock(), vpiArrayUnlock()",
	},
	[MEM_VIOLATION_WRAPPED_GONE] = {
		"wrapped-gone",
		"Wrapped memory is gone: the program had freed it before an\n"
		"image or array was used, or before it was unregistered",
		"used", NULL, "times", KIND_ERROR,
		"to fix it: unregister it first (mem_unregister()), destroy\n"
		"the wrapper first, or have it wrap other memory:\n"
		"mem_image_rewrap(), mem_array_rewrap()",
		"to fix it: unregister it first (cudaHostUnregister()),\n"
		"destroy the wrapper first, or have it wrap other memory:\n"
		"vpiImageSetWrapper(), vpiArraySetWrapper()",
	},
	[MEM_VIOLATION_WIDTH_FOR_PITCH] = {
		"width-for-pitch",
		"Width for pitch: rows were stored one behind the other,\n"
		"though padding lies between the rows of the image",
		"locked", NULL, "times", KIND_ERROR,
		"to fix it: go from row to row by the pitch that the lock\n"
		"returns, which may be more than a row's pixels take",
	},
	[MEM_VIOLATION_READ_ONLY_WRITE] = {
		"read-only-write",
		"Write to a read-only object: its permission is to read",
		NULL, "written", "accesses", KIND_ERROR,
		"to fix it: do not store to it, or ask for MEM_RW where the\n"
		"object is exported and imported",
		"to fix it: do not store to it, or ask for\n"
		"NvSciBufAccessPerm_ReadWrite where the object is exported\n"
		"and imported",
	},
	[MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER] = {
		"frame-written-by-consumer",
		"Frame written by consumer: a frame of a pipe was stored to\n"
		"while the consumer held it",
		NULL, "written", "accesses", KIND_ERROR,
		"to fix it: only read frames that were acquired; copy one to\n"
		"other memory to change it",
	},
	[MEM_VIOLATION_FRAME_USED_AFTER_RELEASE] = {
		"frame-used-after-release",
		"Frame used after release: the producer may be writing to it",
		NULL, "touched", "accesses", KIND_ERROR,
		"to fix it: release the frame in the stream of its last use,\n"
		"or after the last use: mem_pipe_release()",
		"to fix it: release the frame in the stream of its last use,\n"
		"or after the last use: cudaEGLStreamConsumerReleaseFrame(),\n"
		"or mem_pipe_release()",
	},
	[MEM_VIOLATION_RACE] = {
		"race",
		"Race: jobs of two streams touched the same bytes, one of\n"
		"them wrote, and neither waited for the other",
		"touched before by a job that was submitted", "touched",
		"accesses", KIND_ERROR,
		"to fix it: have the stream of one wait for the other:\n"
		"mem_event_record(), mem_stream_wait_event(); or wait for one\n"
		"before the other is submitted: mem_stream_sync()",
		"to fix it: have the stream of one wait for the other by an\n"
		"EGLSync: eglCreateSync(), eglWaitSync(),\n"
		"cudaEventCreateFromEGLSync(), cudaStreamWaitEvent(); or wait\n"
		"for one before the other is submitted: glFinish(),\n"
		"cudaStreamSynchronize()",
	},
	[MEM_VIOLATION_INVALID_HANDLE] = {
		"invalid-handle",
		NULL, "used", "freed", "times", KIND_ERROR,
		"to fix it: free what a call returned once, and use it only\n"
		"before; do not free the list that an object returned",
	},
	[RECORD_MISSING_CALL] = {
		"missing-call",
		"Calls that are not supported",
		"called", NULL, "times", KIND_MISSING,
	},
	[RECORD_LEAKED_BUF] = {
		"leaked-buffer",
		"Leaked buffer: it was never destroyed",
		"allocated", NULL, "buffers", KIND_LEAK,
		"to fix it: free it: mem_free(), mem_buf_destroy(), or\n"
		"mem_object_put(), mem_image_destroy() of what has it",
		"to fix it: free it: cudaFree(), pinned memory by\n"
		"cudaFreeHost(), an array by cudaFreeArray(), an image by\n"
		"vpiImageDestroy(), an object by NvSciBufObjFree(), a\n"
		"surface by NvBufSurfaceDestroy(), a texture by\n"
		"glDeleteTextures()",
	},
	[RECORD_LEAKED_JOB] = {
		"leaked-job",
		"Leaked job: it was never destroyed",
		"submitted", NULL, "jobs", KIND_LEAK,
		"to fix it: destroy it when it is done: mem_job_destroy()",
	},
	[RECORD_LEAKED_STREAM] = {
		"leaked-stream",
		"Leaked stream: it was never destroyed",
		"created", NULL, "streams", KIND_LEAK,
		"to fix it: destroy it: mem_stream_destroy()",
		"to fix it: destroy it: cudaStreamDestroy(),\n"
		"vpiStreamDestroy(), or eglDestroyContext()",
	},
	[RECORD_LEAKED_EVENT] = {
		"leaked-event",
		"Leaked event: it was never destroyed",
		"created", NULL, "events", KIND_LEAK,
		"to fix it: destroy it: mem_event_destroy()",
		"to fix it: destroy it: cudaEventDestroy(), or\n"
		"vpiEventDestroy()",
	},
	[RECORD_LEAKED_REGISTRATION] = {
		"leaked-registration",
		"Leaked registration: it was never unregistered",
		"registered", NULL, "ranges", KIND_LEAK,
		"to fix it: unregister it: mem_unregister()",
		"to fix it: unregister it: cudaHostUnregister()",
	},
};

/* For a kind that only a newer module or libmem reports */
static const struct kind unknown = {
	"unknown", "A kind that this heapsim does not know", NULL, "used",
	"times", KIND_ERROR, NULL, NULL,
};

/*
 * A wait lets the driver maintain the cache of managed memory; the text names
 * the calls that wait.
 */
#define WAIT_CUDA							\
	"to fix it: wait for the work before the CPU touches the\n"	\
	"memory: cudaStreamSynchronize(), cudaEventSynchronize() or\n"	\
	"cudaDeviceSynchronize(); or keep it from the work: attached\n"	\
	"to the host, or to a stream that is idle, by\n"		\
	"cudaStreamAttachMemAsync()"

/*
 * Texts that propose a fix with the API's calls. A vendor API without its own
 * text uses that of CUDA, since its programs use CUDA for managed and device
 * memory.
 *
 * CUDA has no brackets, and managed memory is its only memory with separate CPU
 * and device views. So if a bracket is missing, its text proposes to wait.
 */
static const struct {
	const char *name;
	const char *fix[KIND_NR_APIS];
} missing_ops[] = {
	[HEAPSIM_MISSING_START_READ] = { "start-read", {
		"to fix it: begin a bracket for reading before the\n"
		"CPU reads, when the device is done: DMA_BUF_IOCTL_SYNC\n"
		"with DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ",
		"to fix it: begin a bracket for reading before the\n"
		"CPU reads, when the engine is done:\n"
		"mem_buf_begin(buf, MEM_READ)",
		WAIT_CUDA,
		FLUSH_NVSCI("before the CPU reads, when the\n"
			    "engine is done"),
		"to fix it: before the CPU reads what an engine wrote,\n"
		"call NvBufSurfaceSyncForCpu()",
		LOCK_VPI,
	} },
	[HEAPSIM_MISSING_START_WRITE] = { "start-write", {
		"to fix it: begin a bracket for writing before the\n"
		"CPU writes: DMA_BUF_IOCTL_SYNC with\n"
		"DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE",
		"to fix it: begin a bracket for writing before the\n"
		"CPU writes: mem_buf_begin(buf, MEM_WRITE)",
		WAIT_CUDA,
		FLUSH_NVSCI("before the CPU writes"),
		"to fix it: before the CPU writes, call\n"
		"NvBufSurfaceSyncForCpu()",
		LOCK_VPI,
	} },
	[HEAPSIM_MISSING_END] = { "end", {
		"to fix it: end the bracket when the CPU has written,\n"
		"before a device gets the buffer: DMA_BUF_IOCTL_SYNC\n"
		"with DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE",
		"to fix it: end the bracket when the CPU has written,\n"
		"before an engine gets the buffer:\n"
		"mem_buf_end(buf, MEM_WRITE)",
		WAIT_CUDA,
		FLUSH_NVSCI("when the CPU has written, before\n"
			    "an engine gets the object"),
		"to fix it: when the CPU has written, before an engine\n"
		"gets the surface, call NvBufSurfaceSyncForDevice()",
		LOCK_VPI,
	} },
	[HEAPSIM_MISSING_WAIT] = { "wait", {
		"to fix it: wait for the job before the CPU touches\n"
		"the buffer: poll() its descriptor or the job's fence, or\n"
		"begin a bracket (START waits)",
		"to fix it: wait for the job before the CPU touches\n"
		"the buffer: mem_job_wait(), or mem_buf_begin(), which waits",
		WAIT_CUDA, WAIT_CUDA, WAIT_CUDA, LOCK_VPI,
	} },
	[HEAPSIM_MISSING_SYNC] = { "sync", {
		"to fix it: wait for the stream, or for the device,\n"
		"before the CPU touches the buffer, or keep it attached to\n"
		"the host, or to a stream that is idle",
		"to fix it: wait for the stream, or for the device,\n"
		"before the CPU touches the buffer: mem_stream_sync(), or\n"
		"keep it attached to the host, or to a stream that is idle",
		WAIT_CUDA, WAIT_CUDA, WAIT_CUDA,
		"to fix it: wait for the stream before the CPU touches\n"
		"what a VPI job uses: vpiStreamSync()",
	} },
	[HEAPSIM_MISSING_ATTACH] = { "attach", {
		"to fix it: attach the buffer to the job's stream, or\n"
		"globally, in that stream or in one that it waits for,\n"
		"before the job is submitted",
		"to fix it: attach the buffer to the job's stream, or\n"
		"globally, in that stream or in one that it waits for,\n"
		"before the job is submitted: mem_stream_attach()",
		"to fix it: attach the memory to the job's stream\n"
		"(cudaMemAttachSingle), or to all (cudaMemAttachGlobal), in\n"
		"that stream or in one that it waits for, before the job is\n"
		"submitted: cudaStreamAttachMemAsync()",
		NULL, NULL, NULL,
	} },
	[HEAPSIM_MISSING_COPY] = { "copy", {
		"to fix it: copy what the CPU needs to memory that it\n"
		"may touch, or use managed or pinned memory",
		"to fix it: copy what the CPU needs to memory that it\n"
		"may touch (mem_copy()), or use managed or pinned memory",
		"to fix it: copy what the CPU needs to memory that it\n"
		"may touch: cudaMemcpy(); or use managed or pinned memory:\n"
		"cudaMallocManaged(), cudaMallocHost()",
		NULL, NULL, NULL,
	} },
};

static const char *const other_names[] = {
	[HEAPSIM_OTHER_ENGINE] = "engine",
	[HEAPSIM_OTHER_DEVICE] = "device",
	[HEAPSIM_OTHER_VMAP] = "vmap",
	[HEAPSIM_OTHER_FENCE] = "fence",
	[HEAPSIM_OTHER_PROCESS] = "process",
};

/**
 * kind_of() - find a kind by its number
 * @number: enum heapsim_record_kind, or a number beyond it
 *
 * Return: the kind; never NULL, since a number without one is "unknown".
 */
const struct kind *kind_of(uint32_t number)
{
	return number < NR(kinds) && kinds[number].name ? &kinds[number] :
							   &unknown;
}

/**
 * kind_find() - find a kind by its name
 * @name: name of a kind
 *
 * Return: its number or -ENOENT.
 */
int kind_find(const char *name)
{
	uint32_t i;

	for (i = HEAPSIM_RECORD_DROPPED + 1; i < NR(kinds); i++)
		if (kinds[i].name && !strcmp(kinds[i].name, name))
			return (int)i;
	return -ENOENT;
}

/**
 * kind_end() - return the end of the range of numbers
 *
 * Return: a number greater than those of all known kinds.
 */
uint32_t kind_end(void)
{
	return NR(kinds);
}

/**
 * kind_missing_name() - name the operation that was missing
 * @missing: enum heapsim_missing
 *
 * Return: its name, or NULL if no operation was missing.
 */
const char *kind_missing_name(uint32_t missing)
{
	return missing < NR(missing_ops) ? missing_ops[missing].name : NULL;
}

/**
 * kind_fix() - propose a fix
 * @number: number of the kind
 * @missing: enum heapsim_missing
 * @api: API whose calls the text names
 *
 * Return: lines of text, or NULL if there is no proposal.
 */
const char *kind_fix(uint32_t number, uint32_t missing, enum kind_api api)
{
	const struct kind *kind = kind_of(number);
	const char *fix;

	if (missing != HEAPSIM_MISSING_NOTHING) {
		if (missing >= NR(missing_ops))
			return NULL;
		fix = missing_ops[missing].fix[api];
		return fix ? fix : missing_ops[missing].fix[KIND_API_CUDA];
	}
	return api >= KIND_API_CUDA && kind->fix_cuda ? kind->fix_cuda :
							kind->fix;
}

/**
 * kind_api_name() - name an API
 * @api: API whose calls a program makes
 *
 * Return: the name in reports.
 */
const char *kind_api_name(enum kind_api api)
{
	static const char *const names[] = {
		[KIND_API_DMABUF] = "dma-buf",
		[KIND_API_LIBMEM] = "libmem",
		[KIND_API_CUDA] = "cuda",
		[KIND_API_NVSCI] = "nvscibuf",
		[KIND_API_NVBUF] = "nvbufsurface",
		[KIND_API_VPI] = "vpi",
	};

	return names[api];
}

/**
 * kind_other_name() - name the party on the other side
 * @type: enum heapsim_other
 *
 * Return: its name, or NULL if there was no other side or it is unknown.
 */
const char *kind_other_name(uint32_t type)
{
	return type < NR(other_names) ? other_names[type] : NULL;
}
