// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the properties of the devices of the board that LIBMEM_SOC names.
 * A table here, independent of the library's, has the values of each board;
 * other properties are tested for their relations to each other.
 */
#include <stdio.h>
#include <stdlib.h>

#include <heapsim_cuda.h>

#include "test.h"

/* The attribute numbers of CUDA 13.0, without a gap */
#define FIRST_ID	1
#define LAST_ID		147

#define GIB		(1024UL * 1024 * 1024)

/**
 * struct facts - properties of a device
 * @soc: name of the board
 * @major: major number of the compute capability
 * @minor: minor number of the compute capability
 * @sms: number of multiprocessors
 * @mhz: clock rate of the GPU
 * @l2: size of the L2 cache in bytes
 * @bus_bits: width of the memory's bus
 * @mbps: peak bandwidth of the memory, 10^6 bytes a second
 * @gib: size of the memory
 * @has_register: hostRegisterSupported
 * @has_concurrent: concurrentManagedAccess, pageableMemoryAccess
 * @has_atomics: the device has system-wide atomics
 * @is_integrated: the GPU is part of the SoC
 */
struct facts {
	const char *soc;
	int major;
	int minor;
	int sms;
	int mhz;
	int l2;
	int bus_bits;
	int mbps;
	unsigned int gib;
	bool has_register;
	bool has_concurrent;
	bool has_atomics;
	bool is_integrated;
};

/* The numbers are from NVIDIA's data sheets of the modules. */
static const struct facts table[] = {
	{ "nano", 5, 3, 1, 922, 262144, 64, 25600, 4,
	  false, false, false, true },
	{ "tx2", 6, 2, 2, 1300, 524288, 128, 59700, 8,
	  false, false, false, true },
	{ "xavier", 7, 2, 8, 1377, 524288, 256, 136500, 32,
	  true, false, true, true },
	{ "orin", 8, 7, 16, 1300, 4194304, 256, 204800, 64,
	  true, false, true, true },
	{ "orin-nano", 8, 7, 8, 625, 2097152, 128, 68000, 8,
	  true, false, true, true },
	{ "thor", 11, 0, 20, 1575, 33554432, 256, 273000, 128,
	  true, true, true, true },
	/* A faster discrete GPU is the first device, a TX2's the second. */
	{ "drive-px2", 6, 1, 10, 1250, 1048576, 128, 80000, 4,
	  false, false, false, false },
	{ "drive-px2", 6, 2, 2, 1300, 524288, 128, 59700, 8,
	  false, false, false, true },
};

static const struct facts *devices[4];
static int nr_devices;

static int find_board(void **state)
{
	const char *soc = getenv("LIBMEM_SOC");
	size_t i;

	(void)state;
	for (i = 0; soc && i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(table[i].soc, soc))
			devices[nr_devices++] = &table[i];
	if (!nr_devices)
		print_error("LIBMEM_SOC names no board that this test knows\n");
	return nr_devices ? 0 : -1;
}

static void a_board_has_its_devices(void **state)
{
	int nr = -1;

	(void)state;
	ok(cudaGetDeviceCount(&nr));
	assert_int_equal(nr, nr_devices);
}

static void a_device_has_the_boards_numbers(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < nr_devices; i++) {
		const struct facts *f = devices[i];
		struct cudaDeviceProp prop;
		int khz;

		ok(cudaGetDeviceProperties(&prop, i));
		assert_int_equal(prop.major, f->major);
		assert_int_equal(prop.minor, f->minor);
		assert_int_equal(prop.multiProcessorCount, f->sms);
		assert_int_equal(prop.l2CacheSize, f->l2);
		assert_int_equal(prop.memoryBusWidth, f->bus_bits);
		assert_int_equal(prop.totalGlobalMem, f->gib * GIB);
		assert_int_equal(attribute(cudaDevAttrClockRate, i),
				 f->mhz * 1000);
		/* Programs compute the peak so: two transfers a clock cycle. */
		khz = attribute(cudaDevAttrMemoryClockRate, i);
		assert_in_range(2LL * khz * f->bus_bits / 8 / 1000,
				f->mbps - 10, f->mbps);
	}
}

static void a_device_has_the_boards_abilities(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < nr_devices; i++) {
		const struct facts *f = devices[i];

		assert_int_equal(attribute(cudaDevAttrIntegrated, i),
				 f->is_integrated);
		assert_int_equal(attribute(cudaDevAttrManagedMemory, i),
				 f->is_integrated);
		assert_int_equal(attribute(cudaDevAttrCanMapHostMemory, i), 1);
		assert_int_equal(attribute(cudaDevAttrUnifiedAddressing, i), 1);
		assert_int_equal(attribute(cudaDevAttrHostRegisterSupported,
					   i), f->has_register);
		assert_int_equal(attribute(cudaDevAttrConcurrentManagedAccess,
					   i), f->has_concurrent);
		assert_int_equal(attribute(cudaDevAttrPageableMemoryAccess, i),
				 f->has_concurrent);
		assert_int_equal(attribute(cudaDevAttrHostNativeAtomicSupported,
					   i), f->has_atomics);
		assert_int_equal(attribute(cudaDevAttrMpsEnabled, i), 0);
		assert_int_equal(attribute(cudaDevAttrGPUDirectRDMASupported,
					   i), 0);
	}
}

/**
 * struct shape - limits of a compute capability
 * @capability: ten times the compute capability
 * @threads: most resident threads of a multiprocessor
 * @blocks: most resident blocks of a multiprocessor
 * @regs: registers of a block
 * @shared: shared memory of a multiprocessor, KiB
 * @optin: shared memory of a block after opt-in, KiB
 * @texture: largest width of a 1D texture
 * @volume: largest width, height and depth of a 3D texture
 */
struct shape {
	int capability;
	int threads;
	int blocks;
	int regs;
	int shared;
	int optin;
	int texture;
	int volume;
};

/* From the CUDA programming guide, "technical specifications" */
static const struct shape shapes[] = {
	{ 53, 2048, 32, 32768, 64, 48, 65536, 4096 },
	{ 61, 2048, 32, 65536, 96, 48, 131072, 16384 },
	{ 62, 2048, 32, 32768, 64, 48, 131072, 16384 },
	{ 72, 2048, 32, 65536, 96, 96, 131072, 16384 },
	{ 87, 1536, 16, 65536, 164, 163, 131072, 16384 },
	{ 110, 1536, 24, 65536, 228, 227, 131072, 16384 },
};

static const struct shape *shape_of(int device)
{
	const int capability = devices[device]->major * 10 +
		devices[device]->minor;
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		if (shapes[i].capability == capability)
			return &shapes[i];
	fail_msg("no such capability: %d", capability);
	return NULL;
}

static void a_device_has_what_its_capability_has(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < nr_devices; i++) {
		const struct shape *s = shape_of(i);
		struct cudaDeviceProp prop;

		ok(cudaGetDeviceProperties(&prop, i));
		assert_int_equal(prop.maxThreadsPerMultiProcessor, s->threads);
		assert_int_equal(prop.maxBlocksPerMultiProcessor, s->blocks);
		assert_int_equal(prop.regsPerBlock, s->regs);
		assert_int_equal(prop.regsPerMultiprocessor, 65536);
		assert_int_equal(prop.sharedMemPerMultiprocessor,
				 s->shared * 1024);
		assert_int_equal(prop.sharedMemPerBlockOptin, s->optin * 1024);
		assert_int_equal(prop.sharedMemPerBlock, 49152);
		assert_int_equal(prop.maxTexture1D, s->texture);
		assert_int_equal(prop.maxTexture3D[2], s->volume);
		assert_int_equal(prop.warpSize, 32);
		assert_int_equal(prop.maxThreadsPerBlock, 1024);
		assert_int_equal(prop.maxThreadsDim[2], 64);
		assert_int_equal(prop.maxGridSize[0], INT32_MAX);
		assert_int_equal(prop.maxGridSize[1], 65535);
		assert_int_equal(prop.totalConstMem, 65536);
		/* The driver's reserved part counts towards the total. */
		assert_true(prop.sharedMemPerBlockOptin +
			    prop.reservedSharedMemPerBlock <=
			    prop.sharedMemPerMultiprocessor);
	}
}

static void every_number_of_13_0_is_answered(void **state)
{
	int i, id, value;

	(void)state;
	for (i = 0; i < nr_devices; i++)
		for (id = FIRST_ID; id <= LAST_ID; id++)
			assert_int_equal(cudaDeviceGetAttribute(&value, id, i),
					 cudaSuccess);
	is(cudaDeviceGetAttribute(&value, 0, 0), cudaErrorInvalidValue);
	is(cudaDeviceGetAttribute(&value, -1, 0), cudaErrorInvalidValue);
	is(cudaDeviceGetAttribute(&value, LAST_ID + 1, 0),
	   cudaErrorInvalidValue);
	is(cudaDeviceGetAttribute(&value, INT32_MAX, 0),
	   cudaErrorInvalidValue);
	is(cudaDeviceGetAttribute(NULL, FIRST_ID, 0), cudaErrorInvalidValue);
	is(cudaDeviceGetAttribute(&value, FIRST_ID, nr_devices),
	   cudaErrorInvalidDevice);
	is(cudaDeviceGetAttribute(&value, FIRST_ID, -1),
	   cudaErrorInvalidDevice);
}

static void the_driver_says_what_the_runtime_says(void **state)
{
	struct cudaDeviceProp prop;
	int i, id, value, nr = -1;
	char name[256], few[5];
	size_t len = 0;
	CUuuid uuid;
	CUdevice dev;

	(void)state;
	assert_int_equal(cuInit(0), CUDA_SUCCESS);
	assert_int_equal(cuDeviceGetCount(&nr), CUDA_SUCCESS);
	assert_int_equal(nr, nr_devices);
	for (i = 0; i < nr_devices; i++) {
		assert_int_equal(cuDeviceGet(&dev, i), CUDA_SUCCESS);
		for (id = FIRST_ID; id <= LAST_ID; id++) {
			assert_int_equal(cuDeviceGetAttribute(&value, id, dev),
					 CUDA_SUCCESS);
			assert_int_equal(value, attribute(id, i));
		}
		ok(cudaGetDeviceProperties(&prop, i));
		assert_int_equal(cuDeviceGetName(name, sizeof(name), dev),
				 CUDA_SUCCESS);
		assert_string_equal(name, prop.name);
		assert_int_equal(cuDeviceGetName(few, sizeof(few), dev),
				 CUDA_SUCCESS);
		assert_memory_equal(few, name, sizeof(few) - 1);
		assert_int_equal(few[4], 0);
		assert_int_equal(cuDeviceTotalMem(&len, dev), CUDA_SUCCESS);
		assert_int_equal(len, prop.totalGlobalMem);
		assert_int_equal(cuDeviceGetUuid(&uuid, dev), CUDA_SUCCESS);
		assert_memory_equal(&uuid, &prop.uuid, sizeof(uuid));
	}
	assert_int_equal(cuDeviceGetAttribute(&value, LAST_ID + 1, 0),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuDeviceGetAttribute(&value, 1, nr_devices),
			 CUDA_ERROR_INVALID_DEVICE);
}

#define SAME(field, attr) \
	assert_int_equal(prop.field, attribute(cudaDevAttr##attr, i))

/* This finds fields that are not filled, or from a wrong attribute. */
static void properties_are_the_attributes(void **state)
{
	struct cudaDeviceProp prop;
	int i;

	(void)state;
	for (i = 0; i < nr_devices; i++) {
		memset(&prop, 0x5a, sizeof(prop));
		ok(cudaGetDeviceProperties(&prop, i));
		SAME(memPitch, MaxPitch);
		SAME(textureAlignment, TextureAlignment);
		SAME(texturePitchAlignment, TexturePitchAlignment);
		SAME(surfaceAlignment, SurfaceAlignment);
		SAME(maxTexture2D[0], MaxTexture2DWidth);
		SAME(maxTexture2D[1], MaxTexture2DHeight);
		SAME(maxTexture2DLinear[2], MaxTexture2DLinearPitch);
		SAME(maxTexture3DAlt[2], MaxTexture3DDepthAlt);
		SAME(maxTexture2DLayered[2], MaxTexture2DLayeredLayers);
		SAME(maxTextureCubemapLayered[1],
		     MaxTextureCubemapLayeredLayers);
		SAME(maxSurface2D[1], MaxSurface2DHeight);
		SAME(maxSurfaceCubemapLayered[0],
		     MaxSurfaceCubemapLayeredWidth);
		SAME(asyncEngineCount, AsyncEngineCount);
		SAME(concurrentKernels, ConcurrentKernels);
		SAME(streamPrioritiesSupported, StreamPrioritiesSupported);
		SAME(computePreemptionSupported, ComputePreemptionSupported);
		SAME(cooperativeLaunch, CooperativeLaunch);
		SAME(memoryPoolsSupported, MemoryPoolsSupported);
		SAME(hostRegisterReadOnlySupported,
		     HostRegisterReadOnlySupported);
		SAME(canUseHostPointerForRegisteredMem,
		     CanUseHostPointerForRegisteredMem);
		SAME(pageableMemoryAccessUsesHostPageTables,
		     PageableMemoryAccessUsesHostPageTables);
		SAME(directManagedMemAccessFromHost,
		     DirectManagedMemAccessFromHost);
		SAME(ipcEventSupported, IpcEventSupport);
		SAME(deviceNumaId, NumaId);
		SAME(pciBusID, PciBusId);
		SAME(multiGpuBoardGroupID, MultiGpuBoardGroupID);
		assert_true(prop.name[0]);
		assert_int_equal(prop.luid[0], 0);
		assert_int_equal(prop.luidDeviceNodeMask, 0);
	}
	is(cudaGetDeviceProperties(NULL, 0), cudaErrorInvalidValue);
	is(cudaGetDeviceProperties(&prop, nr_devices), cudaErrorInvalidDevice);
	is(cudaGetDeviceProperties(&prop, -1), cudaErrorInvalidDevice);
}

/* Libmem's context is the one that all libraries of the process share. */
static void libmem_tells_the_same_uuids(void **state)
{
	struct cudaDeviceProp prop;
	struct mem_ctx *mem, *shared;
	uint8_t id[16];
	int i;

	(void)state;
	ok(heapsim_cuda_ctx(&mem));
	assert_int_equal(mem_ctx_open_shared(NULL, &shared), 0);
	assert_ptr_equal(shared, mem);
	for (i = 0; i < nr_devices; i++) {
		ok(cudaGetDeviceProperties(&prop, i));
		assert_int_equal(mem_ctx_gpu_id(mem, prop.integrated ?
						MEM_ENGINE_GPU :
						MEM_ENGINE_DGPU, id), 0);
		assert_memory_equal(prop.uuid.bytes, id, sizeof(id));
	}
	mem_ctx_close(shared);
}

static void devices_are_distinguished(void **state)
{
	struct cudaDeviceProp a, b;
	char id[2][32];
	int i, k;

	(void)state;
	for (i = 0; i < nr_devices; i++) {
		ok(cudaGetDeviceProperties(&a, i));
		ok(cudaDeviceGetPCIBusId(id[0], sizeof(id[0]), i));
		assert_true(strlen(a.name) && a.uuid.bytes[15]);
		for (k = 0; k < i; k++) {
			ok(cudaGetDeviceProperties(&b, k));
			assert_string_not_equal(a.name, b.name);
			assert_memory_not_equal(&a.uuid, &b.uuid,
						sizeof(a.uuid));
			ok(cudaDeviceGetPCIBusId(id[1], sizeof(id[1]), k));
			assert_string_not_equal(id[0], id[1]);
		}
	}
}

static void a_device_is_found_where_it_is(void **state)
{
	char id[32], tight[13], short_of_one[12];
	int i, found, got;

	(void)state;
	for (i = 0; i < nr_devices; i++) {
		ok(cudaDeviceGetPCIBusId(id, sizeof(id), i));
		assert_int_equal(strlen(id), 12);
		assert_int_equal(strtol(id + 5, NULL, 16),
				 attribute(cudaDevAttrPciBusId, i));
		found = -1;
		ok(cudaDeviceGetByPCIBusId(&found, id));
		assert_int_equal(found, i);
		found = -1;
		id[10] = '\0';	/* removes the PCI function */
		ok(cudaDeviceGetByPCIBusId(&found, id));
		assert_int_equal(found, i);
		snprintf(id, sizeof(id), "%x:0.0",
			 attribute(cudaDevAttrPciBusId, i));
		found = -1;
		assert_int_equal(cuDeviceGetByPCIBusId(&found, id),
				 CUDA_SUCCESS);
		assert_int_equal(found, i);
		ok(cudaDeviceGetPCIBusId(tight, sizeof(tight), i));
		is(cudaDeviceGetPCIBusId(short_of_one, sizeof(short_of_one),
					 i), cudaErrorInvalidValue);
	}
	got = -7;
	is(cudaDeviceGetByPCIBusId(&got, "0000:77:00.0"),
	   cudaErrorInvalidDevice);
	is(cudaDeviceGetByPCIBusId(&got, "here"), cudaErrorInvalidValue);
	is(cudaDeviceGetByPCIBusId(&got, "0000:00:00.0 "),
	   cudaErrorInvalidValue);
	is(cudaDeviceGetByPCIBusId(&got, NULL), cudaErrorInvalidValue);
	assert_int_equal(got, -7);
	is(cudaDeviceGetPCIBusId(NULL, 13, 0), cudaErrorInvalidValue);
	is(cudaDeviceGetPCIBusId(id, sizeof(id), nr_devices),
	   cudaErrorInvalidDevice);
}

static void there_are_no_peers(void **state)
{
	int i, k, can;

	(void)state;
	for (i = 0; i < nr_devices; i++)
		for (k = 0; k < nr_devices; k++) {
			can = -1;
			ok(cudaDeviceCanAccessPeer(&can, i, k));
			assert_int_equal(can, 0);
			if (i == k) {
				is(cudaDeviceGetP2PAttribute(&can, 2, i, k),
				   cudaErrorInvalidDevice);
				continue;
			}
			can = -1;
			ok(cudaDeviceGetP2PAttribute(&can, 2, i, k));
			assert_int_equal(can, 0);
			is(cudaDeviceGetP2PAttribute(&can, 99, i, k),
			   cudaErrorInvalidValue);
		}
	is(cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
	is(cudaDeviceEnablePeerAccess(0, 1), cudaErrorInvalidValue);
	is(cudaDeviceEnablePeerAccess(nr_devices, 0), cudaErrorInvalidDevice);
	is(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
	is(cudaDeviceCanAccessPeer(&can, 0, nr_devices),
	   cudaErrorInvalidDevice);
	is(cudaDeviceCanAccessPeer(NULL, 0, 0), cudaErrorInvalidValue);
}

static void a_device_is_chosen_by_what_it_has(void **state)
{
	struct cudaDeviceProp want = { 0 };
	int device = -1;

	(void)state;
	ok(cudaChooseDevice(&device, &want));
	assert_int_equal(device, 0);
	/* The SoC's GPU is the last device. */
	want.integrated = 1;
	ok(cudaChooseDevice(&device, &want));
	assert_int_equal(device, nr_devices - 1);
	memset(&want, 0, sizeof(want));
	want.major = devices[nr_devices - 1]->major;
	want.minor = devices[nr_devices - 1]->minor;
	ok(cudaChooseDevice(&device, &want));
	assert_int_equal(device, nr_devices - 1);
	/* If no device has all properties, the best match is chosen. */
	memset(&want, 0, sizeof(want));
	want.major = 99;
	want.multiProcessorCount = devices[0]->sms;
	ok(cudaChooseDevice(&device, &want));
	assert_int_equal(device, 0);
	is(cudaChooseDevice(NULL, &want), cudaErrorInvalidValue);
	is(cudaChooseDevice(&device, NULL), cudaErrorInvalidValue);
}

static void a_texture_in_linear_memory_has_a_limit(void **state)
{
	const struct cudaChannelFormatDesc floats = {
		32, 0, 0, 0, cudaChannelFormatKindFloat
	};
	size_t width = 0, same = 0;
	CUresult rc;

	(void)state;
	ok(cudaDeviceGetTexture1DLinearMaxWidth(&width, &floats, 0));
	assert_int_equal(width,
			 attribute(cudaDevAttrMaxTexture1DLinearWidth, 0));
	assert_true(width >= 1UL << 27);
	assert_int_equal(cuInit(0), CUDA_SUCCESS);
	rc = cuDeviceGetTexture1DLinearMaxWidth(&same, CU_AD_FORMAT_FLOAT, 1,
						0);
	assert_int_equal(rc, CUDA_SUCCESS);
	assert_int_equal(same, width);
	is(cudaDeviceGetTexture1DLinearMaxWidth(NULL, &floats, 0),
	   cudaErrorInvalidValue);
	is(cudaDeviceGetTexture1DLinearMaxWidth(&width, NULL, 0),
	   cudaErrorInvalidValue);
	is(cudaDeviceGetTexture1DLinearMaxWidth(&width, &floats, nr_devices),
	   cudaErrorInvalidDevice);
}

static void versions_are_of_13_0(void **state)
{
	int driver = 0, runtime = 0, same = 0;

	(void)state;
	ok(cudaDriverGetVersion(&driver));
	ok(cudaRuntimeGetVersion(&runtime));
	assert_int_equal(driver, 13000);
	assert_int_equal(runtime, 13000);
	assert_int_equal(cuDriverGetVersion(&same), CUDA_SUCCESS);
	assert_int_equal(same, driver);
	is(cudaDriverGetVersion(NULL), cudaErrorInvalidValue);
	is(cudaRuntimeGetVersion(NULL), cudaErrorInvalidValue);
}

/* A Tegra's discrete GPU has no managed memory: CUDA for Tegra, 3.6. */
static void managed_memory_is_there_where_it_is_said(void **state)
{
	void *ptr;
	int i;

	(void)state;
	for (i = 0; i < nr_devices; i++) {
		ok(cudaSetDevice(i));
		if (attribute(cudaDevAttrManagedMemory, i)) {
			ok(cudaMallocManaged(&ptr, 4096, 1));
			ok(cudaFree(ptr));
		} else {
			is(cudaMallocManaged(&ptr, 4096, 1),
			   cudaErrorNotSupported);
		}
	}
}

static void host_memory_is_registered_where_it_is_said(void **state)
{
	const int same = cudaDevAttrCanUseHostPointerForRegisteredMem;
	static char page[3 * 4096] __attribute__((aligned(4096)));
	const char *backend = getenv("LIBMEM_BACKEND");
	int i;

	(void)state;
	for (i = 0; i < nr_devices; i++) {
		ok(cudaSetDevice(i));
		/* The module does not support registering (libmem.rst). */
		if (attribute(cudaDevAttrHostRegisterSupported, i) &&
		    !(backend && !strcmp(backend, "kernel"))) {
			void *device = NULL;

			ok(cudaHostRegister(page, sizeof(page), 0));
			ok(cudaHostGetDevicePointer(&device, page, 0));
			assert_int_equal(device == page, attribute(same, i));
			ok(cudaHostUnregister(page));
		} else {
			is(cudaHostRegister(page, sizeof(page), 0),
			   cudaErrorNotSupported);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_board_has_its_devices),
		cmocka_unit_test(a_device_has_the_boards_numbers),
		cmocka_unit_test(a_device_has_the_boards_abilities),
		cmocka_unit_test(a_device_has_what_its_capability_has),
		cmocka_unit_test(every_number_of_13_0_is_answered),
		cmocka_unit_test(the_driver_says_what_the_runtime_says),
		cmocka_unit_test(properties_are_the_attributes),
		cmocka_unit_test(libmem_tells_the_same_uuids),
		cmocka_unit_test(devices_are_distinguished),
		cmocka_unit_test(a_device_is_found_where_it_is),
		cmocka_unit_test(there_are_no_peers),
		cmocka_unit_test(a_device_is_chosen_by_what_it_has),
		cmocka_unit_test(a_texture_in_linear_memory_has_a_limit),
		cmocka_unit_test(versions_are_of_13_0),
		cmocka_unit_test(managed_memory_is_there_where_it_is_said),
		cmocka_unit_test(host_memory_is_registered_where_it_is_said),
	};

	return cmocka_run_group_tests(tests, find_board, NULL);
}
