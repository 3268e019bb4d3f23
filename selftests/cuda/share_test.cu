// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of memory that CUDA shares with another process (IPC) or with another
 * driver (a file descriptor), on the board that LIBMEM_SOC names. The other
 * process is a new instance of this program, which reads a request from its
 * standard input.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime.h>

#include "test.h"
#include "../fds.h"

#define N		4096
#define LEN		(N * sizeof(unsigned int))
#define THEIRS		1000U

/* Requests to the other process, which answers with its exit code */
enum what {
	ADD,
	ADD_BY_DRIVER,
	OPEN_ONLY,
	OPEN_TWICE,
	DRAW_BACK,
	RESET,
};

struct request {
	enum what what;
	cudaIpcMemHandle_t handle;
	unsigned int flags;
	int expected;
};

__global__ void add(unsigned int *words, unsigned int value)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < N)
		words[i] += value;
}

static bool is_capable(CUdeviceptr ptr)
{
	const CUpointer_attribute which =
		CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE;
	int value = -1;

	return !cuPointerGetAttribute(&value, which, ptr) && value == 1;
}

static bool has_ipc(void)
{
	const char *soc = getenv("LIBMEM_SOC");

	return soc && !strcmp(soc, "thor");
}

static unsigned int *device(unsigned int value)
{
	static unsigned int words[N];
	void *ptr;

	for (int i = 0; i < N; i++)
		words[i] = value;
	ok(cudaMalloc(&ptr, LEN));
	ok(cudaMemcpy(ptr, words, LEN, cudaMemcpyHostToDevice));
	return (unsigned int *)ptr;
}

static bool device_has(const unsigned int *ptr, unsigned int value)
{
	static unsigned int words[N];

	if (cudaMemcpy(words, ptr, LEN, cudaMemcpyDeviceToHost))
		return false;
	for (int i = 0; i < N; i++)
		if (words[i] != value)
			return false;
	return true;
}

static cudaError_t run_add(unsigned int *ptr, unsigned int value)
{
	add<<<N / 128, 128>>>(ptr, value);
	return cudaDeviceSynchronize();
}

/* The other process */

static int expected(cudaError_t err, const struct request *request)
{
	return err == (cudaError_t)request->expected ? 0 : 100;
}

static int other_adds(const struct request *request)
{
	struct cudaPointerAttributes attributes;
	void *ptr;

	if (cudaIpcOpenMemHandle(&ptr, request->handle, request->flags))
		return 1;
	if (cudaPointerGetAttributes(&attributes, ptr) ||
	    attributes.type != cudaMemoryTypeDevice ||
	    attributes.devicePointer != ptr || attributes.hostPointer)
		return 2;
	if (run_add((unsigned int *)ptr, THEIRS))
		return 3;
	/* A process that imported memory cannot free or export it. */
	if (cudaFree(ptr) != cudaErrorInvalidValue)
		return 4;
	cudaIpcMemHandle_t again;
	if (cudaIpcGetMemHandle(&again, ptr) != cudaErrorInvalidValue)
		return 5;
	if (cudaIpcCloseMemHandle((char *)ptr + 4) != cudaErrorInvalidValue)
		return 6;
	if (cudaIpcCloseMemHandle(ptr))
		return 7;
	if (cudaIpcCloseMemHandle(ptr) != cudaErrorInvalidValue)
		return 8;
	return 0;
}

static int other_adds_by_driver(const struct request *request)
{
	CUipcMemHandle handle;
	CUdeviceptr ptr, base;
	CUcontext ctx;
	size_t len;

	memcpy(&handle, &request->handle, sizeof(handle));
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&ctx, 0) ||
	    cuCtxSetCurrent(ctx))
		return 1;
	if (cuIpcOpenMemHandle(&ptr, handle, request->flags))
		return 2;
	if (cuMemGetAddressRange(&base, &len, ptr + 8) || base != ptr ||
	    len != LEN || is_capable(ptr))
		return 3;
	if (run_add((unsigned int *)ptr, THEIRS))
		return 4;
	if (cuMemFree(ptr) != CUDA_ERROR_INVALID_VALUE)
		return 5;
	if (cuIpcCloseMemHandle(ptr))
		return 6;
	return cuIpcCloseMemHandle(ptr) == CUDA_ERROR_INVALID_VALUE ? 0 : 7;
}

static int other_opens_twice(const struct request *request)
{
	void *one, *two;

	if (cudaIpcOpenMemHandle(&one, request->handle, request->flags) ||
	    cudaIpcOpenMemHandle(&two, request->handle, request->flags))
		return 1;
	if (one != two)
		return 2;
	if (cudaIpcCloseMemHandle(one) ||
	    run_add((unsigned int *)one, THEIRS) ||
	    cudaIpcCloseMemHandle(one))
		return 3;
	return cudaIpcCloseMemHandle(one) == cudaErrorInvalidValue ? 0 : 4;
}

static int other_resets(const struct request *request)
{
	void *ptr;

	if (cudaIpcOpenMemHandle(&ptr, request->handle, request->flags) ||
	    cudaDeviceReset())
		return 1;
	if (cudaIpcCloseMemHandle(ptr) != cudaErrorInvalidValue)
		return 2;
	cudaGetLastError();
	return other_adds(request);
}

/* Export memory; it is freed when this process ends. */
static int other_exports(int out)
{
	cudaIpcMemHandle_t handle;
	void *ptr;

	if (cudaMalloc(&ptr, LEN) || cudaIpcGetMemHandle(&handle, ptr))
		return 1;
	return write(out, &handle, sizeof(handle)) == sizeof(handle) ? 0 : 2;
}

static int act(void)
{
	struct request request;
	void *ptr;

	if (read(STDIN_FILENO, &request, sizeof(request)) != sizeof(request))
		return 50;
	switch (request.what) {
	case ADD:
		return other_adds(&request);
	case ADD_BY_DRIVER:
		return other_adds_by_driver(&request);
	case OPEN_ONLY:
		return expected(cudaIpcOpenMemHandle(&ptr, request.handle,
						     request.flags), &request);
	case OPEN_TWICE:
		return other_opens_twice(&request);
	case DRAW_BACK:
		return other_exports(STDOUT_FILENO);
	case RESET:
		return other_resets(&request);
	}
	return 51;
}

/* Return: the other process' exit code. A handle it writes goes to @got. */
static int other(const struct request *request, cudaIpcMemHandle_t *got)
{
	int in[2], out[2], status;
	pid_t pid;

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		dup2(in[0], STDIN_FILENO);
		if (got)
			dup2(out[1], STDOUT_FILENO);
		execl("/proc/self/exe", "share_test", "other", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	assert_int_equal(write(in[1], request, sizeof(*request)),
			 sizeof(*request));
	close(in[1]);
	if (got)
		assert_int_equal(read(out[0], got, sizeof(*got)),
				 sizeof(*got));
	close(out[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int ask(enum what what, const cudaIpcMemHandle_t *handle)
{
	struct request request = {};

	request.what = what;
	request.handle = *handle;
	request.flags = cudaIpcMemLazyEnablePeerAccess;
	return other(&request, NULL);
}

static int ask_to_open(const cudaIpcMemHandle_t *handle, unsigned int flags,
		       cudaError_t answer)
{
	struct request request = {};

	request.what = OPEN_ONLY;
	request.handle = *handle;
	request.flags = flags;
	request.expected = answer;
	return other(&request, NULL);
}

/* IPC */

static void another_process_has_the_memory(void **state)
{
	unsigned int *ptr = device(1);
	cudaIpcMemHandle_t handle;

	(void)state;
	ok(run_add(ptr, 1));
	ok(cudaIpcGetMemHandle(&handle, ptr));
	assert_int_equal(ask(ADD, &handle), 0);
	assert_true(device_has(ptr, 2 + THEIRS));
	ok(run_add(ptr, 1));
	assert_int_equal(ask(ADD_BY_DRIVER, &handle), 0);
	assert_int_equal(ask(OPEN_TWICE, &handle), 0);
	assert_int_equal(ask(RESET, &handle), 0);
	assert_true(device_has(ptr, 3 + 4 * THEIRS));
	ok(cudaFree(ptr));
}

static void a_handle_is_of_the_whole(void **state)
{
	unsigned int *ptr = device(5);
	cudaIpcMemHandle_t handle, inside;
	CUipcMemHandle drivers;

	(void)state;
	ok(cudaIpcGetMemHandle(&handle, ptr));
	ok(cudaIpcGetMemHandle(&inside, ptr + 100));
	assert_memory_equal(&handle, &inside, sizeof(handle));
	assert_true(is_capable((CUdeviceptr)ptr));
	cu(cuIpcGetMemHandle(&drivers, (CUdeviceptr)ptr));
	assert_memory_equal(&handle, &drivers, sizeof(handle));
	assert_int_equal(ask(ADD, &inside), 0);
	assert_true(device_has(ptr, 5 + THEIRS));
	ok(cudaFree(ptr));
}

static void a_handle_ends_with_its_memory(void **state)
{
	unsigned int *ptr = device(1), *next;
	cudaIpcMemHandle_t handle, other_handle;
	struct request request = {};

	(void)state;
	ok(cudaIpcGetMemHandle(&handle, ptr));
	ok(cudaFree(ptr));
	assert_int_equal(ask_to_open(&handle, cudaIpcMemLazyEnablePeerAccess,
				     cudaErrorInvalidResourceHandle), 0);
	/* It stays invalid if new memory has its address and descriptor. */
	next = device(2);
	ok(cudaIpcGetMemHandle(&other_handle, next));
	assert_memory_not_equal(&handle, &other_handle, sizeof(handle));
	assert_int_equal(ask_to_open(&handle, cudaIpcMemLazyEnablePeerAccess,
				     cudaErrorInvalidResourceHandle), 0);
	assert_int_equal(ask(ADD, &other_handle), 0);
	ok(cudaFree(next));
	/* The end of the exporting process ends the handle, too. */
	request.what = DRAW_BACK;
	assert_int_equal(other(&request, &handle), 0);
	void *none = &none;
	is(cudaIpcOpenMemHandle(&none, handle, cudaIpcMemLazyEnablePeerAccess),
	   cudaErrorInvalidResourceHandle);
	assert_ptr_equal(none, &none);
}

static void what_is_no_handle_is_refused(void **state)
{
	unsigned int *ptr = device(1);
	cudaIpcMemHandle_t handle, none = {};
	void *managed, *pinned, *opened;

	(void)state;
	ok(cudaIpcGetMemHandle(&handle, ptr));
	/* The exporting process itself cannot open the handle. */
	is(cudaIpcOpenMemHandle(&opened, handle,
				cudaIpcMemLazyEnablePeerAccess),
	   cudaErrorDeviceUninitialized);
	is(cudaIpcOpenMemHandle(NULL, handle, cudaIpcMemLazyEnablePeerAccess),
	   cudaErrorInvalidValue);
	is(cudaIpcOpenMemHandle(&opened, none, cudaIpcMemLazyEnablePeerAccess),
	   cudaErrorInvalidValue);
	assert_int_equal(ask_to_open(&handle, 0, cudaErrorInvalidValue), 0);
	assert_int_equal(ask_to_open(&handle, 3, cudaErrorInvalidValue), 0);
	is(cudaIpcCloseMemHandle(ptr), cudaErrorInvalidValue);
	is(cudaIpcCloseMemHandle(NULL), cudaErrorInvalidValue);
	is(cudaIpcGetMemHandle(NULL, ptr), cudaErrorInvalidValue);
	is(cudaIpcGetMemHandle(&none, NULL), cudaErrorInvalidValue);
	is(cudaIpcGetMemHandle(&none, &none), cudaErrorInvalidValue);
	ok(cudaMallocManaged(&managed, LEN));
	ok(cudaMallocHost(&pinned, LEN));
	is(cudaIpcGetMemHandle(&none, managed), cudaErrorInvalidValue);
	is(cudaIpcGetMemHandle(&none, pinned), cudaErrorInvalidValue);
	ok(cudaFree(managed));
	ok(cudaFreeHost(pinned));
	ok(cudaFree(ptr));
	is(cudaIpcGetMemHandle(&none, ptr), cudaErrorInvalidValue);
}

static void an_export_leaks_nothing(void **state)
{
	cudaIpcMemHandle_t handle;
	int before = 0;

	(void)state;
	for (int i = 0; i < 8; i++) {
		unsigned int *ptr = device(1);

		ok(cudaIpcGetMemHandle(&handle, ptr));
		ok(cudaIpcGetMemHandle(&handle, ptr));
		ok(run_add(ptr, 1));
		ok(cudaFree(ptr));
		if (!i)
			before = nr_of_process("fd");
	}
	assert_int_equal(nr_of_process("fd"), before);
}

static void no_other_board_has_it(void **state)
{
	unsigned int *ptr = device(1);
	cudaIpcMemHandle_t handle = {};
	void *opened;

	(void)state;
	is(cudaIpcGetMemHandle(&handle, ptr), cudaErrorNotSupported);
	is(cudaIpcOpenMemHandle(&opened, handle,
				cudaIpcMemLazyEnablePeerAccess),
	   cudaErrorNotSupported);
	is(cudaIpcCloseMemHandle(ptr), cudaErrorNotSupported);
	ok(cudaFree(ptr));
}

/* External memory */

static int others_file(unsigned int value)
{
	int fd = memfd_create("others", MFD_CLOEXEC);
	unsigned int words[N];

	assert_true(fd >= 0);
	for (int i = 0; i < N; i++)
		words[i] = value;
	assert_int_equal(write(fd, words, LEN), LEN);
	return fd;
}

static struct cudaExternalMemoryHandleDesc handle_of(int fd)
{
	struct cudaExternalMemoryHandleDesc desc = {};

	desc.type = cudaExternalMemoryHandleTypeOpaqueFd;
	desc.handle.fd = fd;
	desc.size = LEN;
	return desc;
}

static struct cudaExternalMemoryBufferDesc part(size_t off, size_t len)
{
	struct cudaExternalMemoryBufferDesc desc = {};

	desc.offset = off;
	desc.size = len;
	return desc;
}

/* Map the file again, as the other driver would. */
static unsigned int *map(int fd, size_t len)
{
	void *addr = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			  0);

	assert_ptr_not_equal(addr, MAP_FAILED);
	return (unsigned int *)addr;
}

static bool all_are(const unsigned int *words, unsigned int value)
{
	for (int i = 0; i < N; i++)
		if (words[i] != value)
			return false;
	return true;
}

static void kernels_have_another_drivers_memory(void **state)
{
	const int fd = others_file(4);
	unsigned int *words = map(fd, LEN);
	struct cudaExternalMemoryHandleDesc desc = handle_of(fd);
	struct cudaExternalMemoryBufferDesc all = part(0, LEN);
	struct cudaPointerAttributes attributes;
	cudaExternalMemory_t memory;
	void *ptr;

	(void)state;
	ok(cudaImportExternalMemory(&memory, &desc));
	ok(cudaExternalMemoryGetMappedBuffer(&ptr, memory, &all));
	ok(cudaPointerGetAttributes(&attributes, ptr));
	assert_int_equal(attributes.type, cudaMemoryTypeDevice);
	assert_ptr_equal(attributes.devicePointer, ptr);
	assert_null(attributes.hostPointer);
	assert_true(device_has((unsigned int *)ptr, 4));
	ok(run_add((unsigned int *)ptr, 3));
	assert_true(all_are(words, 7));
	words[0] = 7;
	ok(cudaMemset(ptr, 0, LEN));
	ok(cudaDeviceSynchronize());
	assert_true(all_are(words, 0));
	/* As CUDA documents, a mapping outlives its external memory. */
	ok(cudaDestroyExternalMemory(memory));
	ok(run_add((unsigned int *)ptr, 9));
	assert_true(all_are(words, 9));
	ok(cudaFree(ptr));
	is(cudaFree(ptr), cudaErrorInvalidValue);
	assert_true(all_are(words, 9));
	munmap(words, LEN);
}

static void the_descriptor_is_cudas(void **state)
{
	const int fd = others_file(0), before = nr_of_process("fd");
	struct cudaExternalMemoryHandleDesc desc = handle_of(fd);
	struct cudaExternalMemoryBufferDesc all = part(0, LEN);
	cudaExternalMemory_t memory;
	struct stat stat;
	void *ptr;

	(void)state;
	/* If the import fails, the program still owns the descriptor. */
	desc.size = 0;
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
	assert_int_equal(fstat(fd, &stat), 0);
	desc.size = LEN;
	ok(cudaImportExternalMemory(&memory, &desc));
	ok(cudaExternalMemoryGetMappedBuffer(&ptr, memory, &all));
	ok(cudaDestroyExternalMemory(memory));
	assert_int_equal(fstat(fd, &stat), -1);
	ok(cudaFree(ptr));
	assert_int_equal(nr_of_process("fd"), before - 1);
}

static void parts_of_it_are_mapped(void **state)
{
	const int fd = others_file(1);
	unsigned int *words = map(fd, LEN);
	struct cudaExternalMemoryHandleDesc desc = handle_of(fd);
	struct cudaExternalMemoryBufferDesc what;
	cudaExternalMemory_t memory;
	void *one, *two, *none = &none;

	(void)state;
	ok(cudaImportExternalMemory(&memory, &desc));
	what = part(256, 512);
	ok(cudaExternalMemoryGetMappedBuffer(&one, memory, &what));
	what = part(LEN - 512, 512);
	ok(cudaExternalMemoryGetMappedBuffer(&two, memory, &what));
	ok(cudaMemset(one, 0, 512));
	ok(cudaMemset(two, 0xff, 512));
	ok(cudaDeviceSynchronize());
	assert_int_equal(words[63], 1);
	assert_int_equal(words[64], 0);
	assert_int_equal(words[64 + 127], 0);
	assert_int_equal(words[64 + 128], 1);
	assert_int_equal(words[N - 129], 1);
	assert_int_equal(words[N - 128], 0xffffffff);
	is(cudaMemset(one, 0, 513), cudaErrorInvalidValue);
	what = part(0, LEN + 1);
	is(cudaExternalMemoryGetMappedBuffer(&none, memory, &what),
	   cudaErrorInvalidValue);
	what = part(LEN, 1);
	is(cudaExternalMemoryGetMappedBuffer(&none, memory, &what),
	   cudaErrorInvalidValue);
	what = part(4, SIZE_MAX - 2);
	is(cudaExternalMemoryGetMappedBuffer(&none, memory, &what),
	   cudaErrorInvalidValue);
	what = part(0, 0);
	is(cudaExternalMemoryGetMappedBuffer(&none, memory, &what),
	   cudaErrorInvalidValue);
	what = part(0, LEN);
	what.flags = 1;
	is(cudaExternalMemoryGetMappedBuffer(&none, memory, &what),
	   cudaErrorInvalidValue);
	is(cudaExternalMemoryGetMappedBuffer(NULL, memory, &what),
	   cudaErrorInvalidValue);
	is(cudaExternalMemoryGetMappedBuffer(&none, memory, NULL),
	   cudaErrorInvalidValue);
	assert_ptr_equal(none, &none);
	ok(cudaFree(one));
	ok(cudaFree(two));
	ok(cudaDestroyExternalMemory(memory));
	what = part(0, LEN);
	is(cudaExternalMemoryGetMappedBuffer(&none, memory, &what),
	   cudaErrorInvalidResourceHandle);
	is(cudaDestroyExternalMemory(memory), cudaErrorInvalidResourceHandle);
	is(cudaDestroyExternalMemory(NULL), cudaErrorInvalidResourceHandle);
	munmap(words, LEN);
}

static void what_cannot_be_imported_is_refused(void **state)
{
	const int fd = others_file(1);
	struct cudaExternalMemoryHandleDesc desc = handle_of(fd);
	cudaExternalMemory_t memory = (cudaExternalMemory_t)&desc;
	char path[32];
	int reading, pair[2];

	(void)state;
	is(cudaImportExternalMemory(NULL, &desc), cudaErrorInvalidValue);
	is(cudaImportExternalMemory(&memory, NULL), cudaErrorInvalidValue);
	desc.flags = 2;
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
	desc.flags = cudaExternalMemoryDedicated;
	desc.size = LEN + 1;
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
	desc.size = LEN;
	desc.handle.fd = -1;
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	reading = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(reading >= 0);
	desc.handle.fd = reading;
	is(cudaImportExternalMemory(&memory, &desc),
	   cudaErrorOperatingSystem);
	close(reading);
	assert_int_equal(pipe(pair), 0);
	desc.handle.fd = pair[1];
	is(cudaImportExternalMemory(&memory, &desc),
	   cudaErrorOperatingSystem);
	close(pair[0]);
	close(pair[1]);
	desc.handle.fd = fd;
	desc.type = cudaExternalMemoryHandleTypeOpaqueWin32;
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorNotSupported);
	desc.type = cudaExternalMemoryHandleTypeNvSciBuf;
	desc.handle.nvSciBufObject = NULL;
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
	desc.type = (enum cudaExternalMemoryHandleType)9;
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
	assert_ptr_equal(memory, &desc);
	close(fd);
}

/* Levels follow each other, and each has rows of 512 bytes. */
static void arrays_are_mapped(void **state)
{
	const size_t len = (8 + 4 + 2) * 512;
	int fd = memfd_create("others", MFD_CLOEXEC);
	struct cudaExternalMemoryHandleDesc desc = handle_of(fd);
	struct cudaExternalMemoryMipmappedArrayDesc what = {};
	unsigned int *words, row[8];
	cudaExternalMemory_t memory;
	cudaMipmappedArray_t mipmap;
	cudaArray_t level;

	(void)state;
	assert_int_equal(ftruncate(fd, len), 0);
	words = map(fd, len);
	words[128 + 2] = 77;
	words[(8 + 3) * 128 + 3] = 78;
	desc.size = len;
	ok(cudaImportExternalMemory(&memory, &desc));
	what.formatDesc = cudaCreateChannelDesc<unsigned int>();
	what.extent = make_cudaExtent(8, 8, 0);
	what.numLevels = 3;
	ok(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &what));
	ok(cudaGetMipmappedArrayLevel(&level, mipmap, 0));
	ok(cudaMemcpy2DFromArray(row, sizeof(row), level, 0, 1, sizeof(row), 1,
				 cudaMemcpyDeviceToHost));
	assert_int_equal(row[2], 77);
	ok(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
	ok(cudaMemcpy2DFromArray(row, 16, level, 0, 3, 16, 1,
				 cudaMemcpyDeviceToHost));
	assert_int_equal(row[3], 78);
	ok(cudaGetMipmappedArrayLevel(&level, mipmap, 2));
	row[0] = 79;
	ok(cudaMemcpy2DToArray(level, 4, 1, row, 4, 4, 1,
			       cudaMemcpyHostToDevice));
	assert_int_equal(words[(8 + 4 + 1) * 128 + 1], 79);
	ok(cudaFreeMipmappedArray(mipmap));
	/* Arrays that exceed the memory, are empty, or are invalid */
	what.offset = 512;
	is(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &what),
	   cudaErrorInvalidValue);
	what.offset = len;
	is(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &what),
	   cudaErrorInvalidValue);
	what.offset = 0;
	what.extent = make_cudaExtent(0, 8, 0);
	is(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &what),
	   cudaErrorInvalidValue);
	is(cudaExternalMemoryGetMappedMipmappedArray(NULL, memory, &what),
	   cudaErrorInvalidValue);
	is(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, NULL),
	   cudaErrorInvalidValue);
	ok(cudaDestroyExternalMemory(memory));
	is(cudaExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &what),
	   cudaErrorInvalidResourceHandle);
	munmap(words, len);
}

static void the_driver_has_the_same(void **state)
{
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {};
	CUDA_EXTERNAL_MEMORY_BUFFER_DESC all = {};
	CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC arrays = {};
	const int fd = others_file(4);
	unsigned int *words = map(fd, LEN);
	CUexternalMemory memory;
	CUmipmappedArray mipmap;
	CUdeviceptr ptr;

	(void)state;
	desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
	desc.handle.fd = fd;
	desc.size = LEN;
	all.size = LEN;
	cu_is(cuImportExternalMemory(NULL, &desc), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuImportExternalMemory(&memory, NULL), CUDA_ERROR_INVALID_VALUE);
	cu(cuImportExternalMemory(&memory, &desc));
	cu_is(cuExternalMemoryGetMappedBuffer(&ptr, memory, NULL),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuExternalMemoryGetMappedBuffer(NULL, memory, &all),
	      CUDA_ERROR_INVALID_VALUE);
	cu(cuExternalMemoryGetMappedBuffer(&ptr, memory, &all));
	cu(cuMemsetD32(ptr, 6, N));
	cu(cuCtxSynchronize());
	assert_true(all_are(words, 6));
	arrays.arrayDesc.Format = CU_AD_FORMAT_UNSIGNED_INT8;
	arrays.arrayDesc.NumChannels = 1;
	arrays.arrayDesc.Width = 16;
	arrays.numLevels = 1;
	cu(cuExternalMemoryGetMappedMipmappedArray(&mipmap, memory,
						      &arrays));
	cu(cuMipmappedArrayDestroy(mipmap));
	cu_is(cuExternalMemoryGetMappedMipmappedArray(&mipmap, NULL, &arrays),
	      CUDA_ERROR_INVALID_HANDLE);
	cu(cuDestroyExternalMemory(memory));
	cu_is(cuDestroyExternalMemory(memory), CUDA_ERROR_INVALID_HANDLE);
	cu(cuMemFree(ptr));
	munmap(words, LEN);
}

static void a_reset_gives_all_back(void **state)
{
	const int fd = others_file(4), before = nr_of_process("fd");
	struct cudaExternalMemoryHandleDesc desc = handle_of(fd);
	struct cudaExternalMemoryBufferDesc all = part(0, LEN);
	cudaExternalMemory_t memory;
	void *ptr;

	(void)state;
	ok(cudaImportExternalMemory(&memory, &desc));
	ok(cudaExternalMemoryGetMappedBuffer(&ptr, memory, &all));
	ok(cudaDeviceReset());
	is(cudaDestroyExternalMemory(memory), cudaErrorInvalidResourceHandle);
	is(cudaFree(ptr), cudaErrorInvalidValue);
	assert_int_equal(nr_of_process("fd"), before - 1);
}

static void the_module_has_none(void **state)
{
	const int fd = others_file(4);
	struct cudaExternalMemoryHandleDesc desc = handle_of(fd);
	unsigned int *ptr = device(1);
	cudaIpcMemHandle_t handle;
	cudaExternalMemory_t memory;

	(void)state;
	is(cudaImportExternalMemory(&memory, &desc), cudaErrorNotSupported);
	is(cudaIpcGetMemHandle(&handle, ptr), cudaErrorNotSupported);
	ok(cudaFree(ptr));
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest ipc[] = {
		cmocka_unit_test(another_process_has_the_memory),
		cmocka_unit_test(a_handle_is_of_the_whole),
		cmocka_unit_test(a_handle_ends_with_its_memory),
		cmocka_unit_test(what_is_no_handle_is_refused),
		cmocka_unit_test(an_export_leaks_nothing),
	};
	const struct CMUnitTest no_ipc[] = {
		cmocka_unit_test(no_other_board_has_it),
	};
	const struct CMUnitTest external[] = {
		cmocka_unit_test(kernels_have_another_drivers_memory),
		cmocka_unit_test(the_descriptor_is_cudas),
		cmocka_unit_test(parts_of_it_are_mapped),
		cmocka_unit_test(what_cannot_be_imported_is_refused),
		cmocka_unit_test(arrays_are_mapped),
		cmocka_unit_test(the_driver_has_the_same),
		cmocka_unit_test(a_reset_gives_all_back),
	};
	const struct CMUnitTest kernel[] = {
		cmocka_unit_test(the_module_has_none),
	};
	int rc;

	(void)argv;
	if (argc > 1)
		return act();
	if (is_over_module())
		return cmocka_run_group_tests(kernel, NULL, NULL);
	rc = has_ipc() ? cmocka_run_group_tests(ipc, NULL, NULL) :
			 cmocka_run_group_tests(no_ipc, NULL, NULL);
	return rc | cmocka_run_group_tests(external, NULL, NULL);
}
