// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the features that a Tegra does not support, and of the errors that
 * programs get, on the board that LIBMEM_SOC names. NVIDIA's application note
 * "CUDA for Tegra" lists them in section 3.6 (newer editions: 3.7), and has the
 * synchronisation flags in 3.5. Documentation/cuda-limits.rst is for users.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <libmem.h>

#include "test.h"

#define LEN		65536UL
#define NAP_US		150000
#define NS_PER_MS	1000000ULL

/**
 * struct board - features of a board according to NVIDIA's documents
 * @name: name of the profile
 * @has_register: it has cudaHostRegister(), as from capability 7.2 on
 * @has_atomics: it has system-wide atomics, as from capability 7.2 on
 * @has_concurrent: CPU and GPU may access managed memory at the same time
 * @has_memory_ipc: other processes may import its memory
 * @nr_devices: number of CUDA GPUs; of two the first is the discrete one
 */
struct board {
	const char *name;
	bool has_register;
	bool has_atomics;
	bool has_concurrent;
	bool has_memory_ipc;
	int nr_devices;
};

static const struct board boards[] = {
	{ "nano", false, false, false, false, 1 },
	{ "tx2", false, false, false, false, 1 },
	{ "drive-px2", false, false, false, false, 2 },
	{ "xavier", true, true, false, false, 1 },
	{ "orin", true, true, false, false, 1 },
	{ "orin-nano", true, true, false, false, 1 },
	{ "thor", true, true, true, true, 1 },
};

static const struct board *board;

static int find_board(void **state)
{
	const char *soc = getenv("LIBMEM_SOC");

	(void)state;
	for (size_t i = 0; soc && i < sizeof(boards) / sizeof(*boards); i++) {
		if (!strcmp(boards[i].name, soc))
			board = &boards[i];
	}
	if (!board)
		print_error("LIBMEM_SOC has to name a board with CUDA\n");
	return !board;
}

/* The last device is the SoC's GPU. */
static int choose_integrated(void **state)
{
	(void)state;
	return cudaSetDevice(board->nr_devices - 1);
}

static void a_board_has_the_devices_that_it_should(void **state)
{
	int nr = 0;

	(void)state;
	ok(cudaGetDeviceCount(&nr));
	assert_int_equal(nr, board->nr_devices);
	for (int i = 0; i < nr; i++)
		assert_int_equal(attribute(cudaDevAttrIntegrated, i),
				 i == nr - 1);
}

static void no_device_reaches_anothers_memory(void **state)
{
	int can;

	(void)state;
	for (int i = 0; i < board->nr_devices; i++) {
		ok(cudaSetDevice(i));
		for (int k = 0; k < board->nr_devices; k++) {
			can = -1;
			ok(cudaDeviceCanAccessPeer(&can, i, k));
			assert_int_equal(can, 0);
			is(cudaDeviceEnablePeerAccess(k, 0),
			   cudaErrorPeerAccessUnsupported);
			is(cudaDeviceDisablePeerAccess(k),
			   cudaErrorPeerAccessNotEnabled);
		}
	}
	is(cudaDeviceCanAccessPeer(&can, 0, board->nr_devices),
	   cudaErrorInvalidDevice);
	/* Peer access is not needed for copies, which the dma engine does. */
	choose_integrated(NULL);
}

static void nobody_else_reaches_gpu_memory(void **state)
{
	const enum cudaFlushGPUDirectRDMAWritesTarget target =
		cudaFlushGPUDirectRDMAWritesTargetCurrentDevice;
	const enum cudaFlushGPUDirectRDMAWritesScope scope =
		cudaFlushGPUDirectRDMAWritesToOwner;
	const enum cudaDeviceAttr supported =
		cudaDevAttrGPUDirectRDMASupported;
	const enum cudaDeviceAttr flush =
		cudaDevAttrGPUDirectRDMAFlushWritesOptions;

	(void)state;
	for (int i = 0; i < board->nr_devices; i++) {
		assert_int_equal(attribute(supported, i), 0);
		assert_int_equal(attribute(flush, i), 0);
	}
	is(cudaDeviceFlushGPUDirectRDMAWrites(target, scope),
	   cudaErrorNotSupported);
}

static void processes_have_no_service_for_a_gpu(void **state)
{
	(void)state;
	for (int i = 0; i < board->nr_devices; i++)
		assert_int_equal(attribute(cudaDevAttrMpsEnabled, i), 0);
}

static void nothing_is_there_of_nvml(void **state)
{
	(void)state;
	assert_null(dlsym(RTLD_DEFAULT, "nvmlInit_v2"));
	assert_null(dlsym(RTLD_DEFAULT, "nvmlDeviceGetCount_v2"));
	/* The runtime reports the size of memory instead. */
	assert_non_null(dlsym(RTLD_DEFAULT, "cudaMemGetInfo"));
}

static void take_a_nap(void *unused)
{
	(void)unused;
	usleep(NAP_US);
}

static uint64_t own_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000 * NS_PER_MS + now.tv_nsec;
}

static uint64_t cpu_of_waiting(unsigned int flags)
{
	unsigned int got = 0;
	uint64_t begin;

	ok(cudaSetDeviceFlags(flags));
	ok(cudaGetDeviceFlags(&got));
	assert_int_equal(got, flags | cudaDeviceMapHost);
	ok(cudaLaunchHostFunc(NULL, take_a_nap, NULL));
	begin = own_cpu_ns();
	ok(cudaDeviceSynchronize());
	return own_cpu_ns() - begin;
}

/* Blocking saves power; it was a Tegra's default until CUDA 10.1. */
static void blocking_sync_lets_the_cpu_rest(void **state)
{
	uint64_t spun, blocked;

	(void)state;
	assert_int_equal(cudaDeviceBlockingSync,
			 cudaDeviceScheduleBlockingSync);
	spun = cpu_of_waiting(cudaDeviceScheduleSpin);
	blocked = cpu_of_waiting(cudaDeviceBlockingSync);
	assert_true(blocked * 4 < spun);
	ok(cudaSetDeviceFlags(cudaDeviceScheduleAuto));
}

static int nr_uncached_atomics(struct mem_ctx *watch)
{
	struct mem_violation v = { .size = sizeof(v) };
	int nr = 0;

	while (mem_ctx_next_violation(watch, &v) > 0)
		nr += v.kind == MEM_VIOLATION_ATOMIC_ON_UNCACHED;
	return nr;
}

static void atomics_are_system_wide_from_7_2(void **state)
{
	struct mem_ctx *watch;
	int *pinned;

	(void)state;
	assert_int_equal(attribute(cudaDevAttrHostNativeAtomicSupported, 0),
			 board->has_atomics);
	assert_int_equal(mem_ctx_open(NULL, &watch), 0);
	assert_int_equal(mem_ctx_watch(watch, MEM_WATCH_ERRORS, 100), 0);
	ok(cudaMallocHost((void **)&pinned, LEN));
	assert_int_equal(nr_uncached_atomics(watch), 0);
	/* The first atomic access is found. */
	__atomic_store_n(pinned, 1, __ATOMIC_SEQ_CST);
	assert_int_equal(nr_uncached_atomics(watch),
			 !board->has_atomics && !is_over_module());
	assert_int_equal(*pinned, 1);
	ok(cudaFreeHost(pinned));
	mem_ctx_close(watch);
}

static void prefetch_needs_concurrent_access(void **state)
{
	const cudaError_t answer = board->has_concurrent ?
		cudaSuccess : cudaErrorInvalidDevice;
	const struct cudaMemLocation device = {
		.type = cudaMemLocationTypeDevice,
		.id = board->nr_devices - 1,
	};
	const struct cudaMemLocation host = {
		.type = cudaMemLocationTypeHost,
	};
	void *managed;

	(void)state;
	assert_int_equal(attribute(cudaDevAttrConcurrentManagedAccess,
				   device.id), board->has_concurrent);
	ok(cudaMallocManaged(&managed, LEN, cudaMemAttachGlobal));
	is(cudaMemPrefetchAsync(managed, LEN, device, 0, NULL), answer);
	is(cudaMemPrefetchAsync(managed, LEN, host, 0, NULL), answer);
	is(cudaMemAdvise(managed, LEN, cudaMemAdviseSetPreferredLocation,
			 device), answer);
	/* Invalid arguments are reported first. */
	is(cudaMemPrefetchAsync(managed, LEN, device, 1, NULL),
	   cudaErrorInvalidValue);
	ok(cudaDeviceSynchronize());
	ok(cudaFree(managed));
}

/* Only thor shares memory (tested in share_test.cu), and no board events. */
static void memory_stays_in_its_process(void **state)
{
	cudaIpcMemHandle_t memory;
	cudaIpcEventHandle_t handle;
	cudaEvent_t event;
	void *device;

	(void)state;
	assert_int_equal(attribute(cudaDevAttrIpcEventSupport,
				   board->nr_devices - 1), 0);
	ok(cudaMalloc(&device, LEN));
	ok(cudaEventCreateWithFlags(&event, cudaEventInterprocess |
				    cudaEventDisableTiming));
	is(cudaIpcGetMemHandle(&memory, device),
	   board->has_memory_ipc && !is_over_module() ? cudaSuccess :
						   cudaErrorNotSupported);
	is(cudaIpcGetEventHandle(&handle, event), cudaErrorNotSupported);
	ok(cudaEventDestroy(event));
	ok(cudaFree(device));
}

static void a_discrete_gpu_has_no_unified_memory(void **state)
{
	void *p = NULL;

	(void)state;
	for (int i = 0; i < board->nr_devices; i++) {
		const bool is_discrete = i != board->nr_devices - 1;

		ok(cudaSetDevice(i));
		assert_int_equal(attribute(cudaDevAttrManagedMemory, i),
				 !is_discrete);
		if (is_discrete) {
			is(cudaMallocManaged(&p, LEN, cudaMemAttachGlobal),
			   cudaErrorNotSupported);
			assert_null(p);
			continue;
		}
		ok(cudaMallocManaged(&p, LEN, cudaMemAttachGlobal));
		ok(cudaFree(p));
	}
}

static void host_memory_is_registered_from_7_2(void **state)
{
	void *heap = aligned_alloc(65536, LEN), *device;

	(void)state;
	assert_int_equal(attribute(cudaDevAttrHostRegisterSupported,
				   board->nr_devices - 1),
			 board->has_register);
	if (board->has_register && !is_over_module()) {
		ok(cudaHostRegister(heap, LEN, cudaHostRegisterMapped));
		ok(cudaHostGetDevicePointer(&device, heap, 0));
		ok(cudaHostUnregister(heap));
	} else {
		is(cudaHostRegister(heap, LEN, cudaHostRegisterMapped),
		   cudaErrorNotSupported);
		is(cudaHostGetDevicePointer(&device, heap, 0),
		   cudaErrorInvalidValue);
	}
	free(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup(name, choose_integrated)
		TEST(a_board_has_the_devices_that_it_should),
		TEST(no_device_reaches_anothers_memory),
		TEST(nobody_else_reaches_gpu_memory),
		TEST(processes_have_no_service_for_a_gpu),
		TEST(nothing_is_there_of_nvml),
		TEST(blocking_sync_lets_the_cpu_rest),
		TEST(atomics_are_system_wide_from_7_2),
		TEST(prefetch_needs_concurrent_access),
		TEST(memory_stays_in_its_process),
		TEST(a_discrete_gpu_has_no_unified_memory),
		TEST(host_memory_is_registered_from_7_2),
#undef TEST
	};

	return cmocka_run_group_tests_name("limits", tests, find_board, NULL);
}
