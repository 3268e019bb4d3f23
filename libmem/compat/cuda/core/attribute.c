// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attributes of a device. CU_DEVICE_ATTRIBUTE_* and cudaDevAttr* have the same
 * numbers.
 *
 * The values are the board's. What heapsim does not model is reported as not
 * supported even if the board supports it, so that a program that checks takes
 * its alternative: virtual memory management, cooperative and cluster launches,
 * stream memory operations, L2 persistence, tensor maps, sparse arrays,
 * timeline semaphores, sharing of memory pools, pools of other memory than the
 * device's.
 */
#include <stddef.h>

#include "core.h"

#define KIB	1024

/**
 * struct limits - limits of a compute capability
 * @capability: capability times 10
 * @threads_per_sm: resident threads of a multiprocessor
 * @blocks_per_sm: resident blocks of a multiprocessor
 * @regs_per_block: 32-bit registers
 * @shared_per_sm: shared memory of a multiprocessor, bytes
 * @shared_optin: maximum of a block that asks for more than 48 KiB, bytes
 * @shared_reserved: shared memory of each block that the driver reserves, bytes
 * @fp64_ratio: speed of single precision divided by that of double
 * @tex1d_linear: elements of a texture in linear memory
 * @copy_engines: number of copies that can run beside a kernel
 */
struct limits {
	uint32_t capability;
	uint32_t threads_per_sm;
	uint32_t blocks_per_sm;
	uint32_t regs_per_block;
	uint32_t shared_per_sm;
	uint32_t shared_optin;
	uint32_t shared_reserved;
	uint32_t fp64_ratio;
	uint32_t tex1d_linear;
	uint32_t copy_engines;
};

/*
 * 5.3 to 8.7: CUDA C++ Programming Guide 11.7, appendix K.1, table "Technical
 * Specifications per Compute Capability"; the ratio: its 5.4.1, "Throughput of
 * Native Arithmetic Instructions". 8.7 and 11.0: CUDA Programming Guide 13,
 * 5.1.3, tables 30 and 31. Reserved memory: 11.7, K.7.3. Copy engines: output
 * of deviceQuery on Jetson Nano, TX2, Xavier, AGX Orin and AGX Thor.
 */
static const struct limits limits[] = {
	{ 53, 2048, 32, 32 * KIB, 64 * KIB, 48 * KIB, 0, 32, 1 << 27, 1 },
	{ 61, 2048, 32, 64 * KIB, 96 * KIB, 48 * KIB, 0, 32, 1 << 27, 2 },
	{ 62, 2048, 32, 32 * KIB, 64 * KIB, 48 * KIB, 0, 32, 1 << 27, 1 },
	{ 72, 2048, 32, 64 * KIB, 96 * KIB, 96 * KIB, 0, 2, 1 << 27, 1 },
	{ 87, 1536, 16, 64 * KIB, 164 * KIB, 163 * KIB, KIB, 64, 1 << 28, 2 },
	{ 110, 1536, 24, 64 * KIB, 228 * KIB, 227 * KIB, KIB, 64, 1 << 28, 1 },
};

/**
 * struct sizes - limits of textures and surfaces, in elements
 * @wide: width of 1D and 2D
 * @high: height of 2D
 * @deep: each side of 3D
 * @alternate: width and height of the alternate 3D shape
 * @alternate_depth: depth of the alternate 3D shape
 * @layered: each side if layered, a cubemap, with gather or with mipmaps
 * @surface1d: width of a 1D surface
 * @linear_width: width of 2D in linear memory
 * @linear_height: height of 2D in linear memory
 * @linear_pitch: pitch of 2D in linear memory, bytes
 */
struct sizes {
	uint32_t wide;
	uint32_t high;
	uint32_t deep;
	uint32_t alternate;
	uint32_t alternate_depth;
	uint32_t layered;
	uint32_t surface1d;
	uint32_t linear_width;
	uint32_t linear_height;
	uint32_t linear_pitch;
};

/* K.1 again; alternate size and pitch as reported by devices */
static const struct sizes sizes_5x = {
	65536, 65536, 4096, 2048, 16384, 16384, 16384, 65536, 65536, 1048544
};

static const struct sizes sizes_6x = {
	131072, 65536, 16384, 8192, 32768, 32768, 32768, 131072, 65000, 2097120
};

/**
 * enum source - where an attribute's value is
 * @UNKNOWN: there is no such attribute
 * @ALL: the same for all devices
 * @BOARD: in struct mem_board
 * @LIMIT: in struct limits
 * @SIZE: in struct sizes
 * @OTHER: computed by attribute_computed()
 */
enum source {
	UNKNOWN,
	ALL,
	BOARD,
	LIMIT,
	SIZE,
	OTHER,
};

/**
 * struct fact - an attribute
 * @source: where the value is
 * @value: the value, or its offset in the struct
 */
struct fact {
	enum source source;
	int value;
};

#define FACT(name) \
	[CU_DEVICE_ATTRIBUTE_##name]
#define IN_BOARD(field)	BOARD, offsetof(struct mem_board, field)
#define IN_LIMITS(field) LIMIT, offsetof(struct limits, field)
#define IN_SIZES(field)	SIZE, offsetof(struct sizes, field)

static const struct fact facts[] = {
	/* K.1: the same for all capabilities */
	FACT(MAX_THREADS_PER_BLOCK) = { ALL, 1024 },
	FACT(MAX_BLOCK_DIM_X) = { ALL, 1024 },
	FACT(MAX_BLOCK_DIM_Y) = { ALL, 1024 },
	FACT(MAX_BLOCK_DIM_Z) = { ALL, 64 },
	FACT(MAX_GRID_DIM_X) = { ALL, 0x7fffffff },
	FACT(MAX_GRID_DIM_Y) = { ALL, 65535 },
	FACT(MAX_GRID_DIM_Z) = { ALL, 65535 },
	FACT(MAX_SHARED_MEMORY_PER_BLOCK) = { ALL, 48 * KIB },
	FACT(TOTAL_CONSTANT_MEMORY) = { ALL, 64 * KIB },
	FACT(WARP_SIZE) = { ALL, 32 },
	FACT(MAX_PITCH) = { ALL, 0x7fffffff },
	FACT(MAX_REGISTERS_PER_MULTIPROCESSOR) = { ALL, 64 * KIB },
	FACT(MAX_REGISTERS_PER_BLOCK) = { IN_LIMITS(regs_per_block) },
	FACT(MAX_THREADS_PER_MULTIPROCESSOR) = { IN_LIMITS(threads_per_sm) },
	FACT(MAX_BLOCKS_PER_MULTIPROCESSOR) = { IN_LIMITS(blocks_per_sm) },
	FACT(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR) = {
		IN_LIMITS(shared_per_sm)
	},
	FACT(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) = { IN_LIMITS(shared_optin) },
	FACT(RESERVED_SHARED_MEMORY_PER_BLOCK) = {
		IN_LIMITS(shared_reserved)
	},
	FACT(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO) = { IN_LIMITS(fp64_ratio) },
	FACT(COMPUTE_CAPABILITY_MAJOR) = { OTHER },
	FACT(COMPUTE_CAPABILITY_MINOR) = { OTHER },

	/* Properties of the board */
	FACT(CLOCK_RATE) = { OTHER },
	FACT(MEMORY_CLOCK_RATE) = { OTHER },
	FACT(MULTIPROCESSOR_COUNT) = { IN_BOARD(nr_sms) },
	FACT(GLOBAL_MEMORY_BUS_WIDTH) = { IN_BOARD(bus_bits) },
	FACT(L2_CACHE_SIZE) = { IN_BOARD(gpu_l2_len) },
	FACT(PCI_BUS_ID) = { OTHER },
	FACT(PCI_DEVICE_ID) = { ALL, 0 },
	FACT(PCI_DOMAIN_ID) = { ALL, 0 },
	FACT(GPU_PCI_DEVICE_ID) = { ALL, 0 },
	FACT(GPU_PCI_SUBSYSTEM_ID) = { ALL, 0 },

	/* Execution */
	FACT(GPU_OVERLAP) = { ALL, 1 },
	FACT(ASYNC_ENGINE_COUNT) = { IN_LIMITS(copy_engines) },
	FACT(CONCURRENT_KERNELS) = { ALL, 1 },
	FACT(STREAM_PRIORITIES_SUPPORTED) = { ALL, 1 },
	FACT(COMPUTE_PREEMPTION_SUPPORTED) = { OTHER },
	/* libmem's watchdog ends a kernel, as a display's would. */
	FACT(KERNEL_EXEC_TIMEOUT) = { ALL, 1 },
	FACT(COMPUTE_MODE) = { ALL, CU_COMPUTEMODE_DEFAULT },
	FACT(ECC_ENABLED) = { ALL, 0 },
	FACT(TCC_DRIVER) = { ALL, 0 },
	FACT(GLOBAL_L1_CACHE_SUPPORTED) = { ALL, 1 },
	FACT(LOCAL_L1_CACHE_SUPPORTED) = { ALL, 1 },
	FACT(MULTI_GPU_BOARD) = { ALL, 0 },
	FACT(MULTI_GPU_BOARD_GROUP_ID) = { OTHER },
	FACT(COOPERATIVE_LAUNCH) = { ALL, 0 },
	FACT(COOPERATIVE_MULTI_DEVICE_LAUNCH) = { ALL, 0 },
	FACT(CLUSTER_LAUNCH) = { ALL, 0 },
	FACT(MPS_ENABLED) = { ALL, 0 },	/* CUDA for Tegra, 3.6 */
	FACT(UNIFIED_FUNCTION_POINTERS) = { ALL, 0 },

	/* Memory. A discrete GPU has no managed memory: CUDA for Tegra, 3.6 */
	FACT(INTEGRATED) = { OTHER },
	FACT(MANAGED_MEMORY) = { OTHER },
	FACT(UNIFIED_ADDRESSING) = { ALL, 1 },
	FACT(CAN_MAP_HOST_MEMORY) = { ALL, 1 },
	FACT(HOST_REGISTER_SUPPORTED) = { IN_BOARD(has_host_register) },
	FACT(READ_ONLY_HOST_REGISTER_SUPPORTED) = {
		IN_BOARD(has_host_register)
	},
	FACT(CONCURRENT_MANAGED_ACCESS) = { IN_BOARD(has_concurrent_access) },
	FACT(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST) = {
		IN_BOARD(has_concurrent_access)
	},
	FACT(PAGEABLE_MEMORY_ACCESS) = { IN_BOARD(has_pageable_access) },
	FACT(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES) = {
		IN_BOARD(has_pageable_access)
	},
	/* Otherwise registered memory has a second address. */
	FACT(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM) = {
		IN_BOARD(has_pageable_access)
	},
	FACT(HOST_NATIVE_ATOMIC_SUPPORTED) = { IN_BOARD(has_system_atomics) },
	FACT(ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED) = { ALL, 0 },
	FACT(MEMORY_POOLS_SUPPORTED) = { OTHER },
	FACT(MEMPOOL_SUPPORTED_HANDLE_TYPES) = { ALL, 0 },
	FACT(HOST_MEMORY_POOLS_SUPPORTED) = { ALL, 0 },
	FACT(HOST_NUMA_MEMORY_POOLS_SUPPORTED) = { ALL, 0 },
	FACT(HOST_NUMA_MULTINODE_IPC_SUPPORTED) = { ALL, 0 },
	FACT(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) = { ALL, 0 },
	FACT(HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) = { ALL, 0 },
	FACT(HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) = { ALL, 0 },
	FACT(HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) = { ALL, 0 },
	FACT(HANDLE_TYPE_WIN32_HANDLE_SUPPORTED) = { ALL, 0 },
	FACT(HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED) = { ALL, 0 },
	FACT(HANDLE_TYPE_FABRIC_SUPPORTED) = { ALL, 0 },
	/* CUDA for Tegra, 3.6; Thor's support is not modelled. */
	FACT(IPC_EVENT_SUPPORTED) = { ALL, 0 },
	FACT(DMA_BUF_SUPPORTED) = { ALL, 0 },
	FACT(HOST_ALLOC_DMA_BUF_SUPPORTED) = { ALL, 0 },
	FACT(GENERIC_COMPRESSION_SUPPORTED) = { ALL, 0 },
	FACT(MAX_PERSISTING_L2_CACHE_SIZE) = { ALL, 0 },
	FACT(MAX_ACCESS_POLICY_WINDOW_SIZE) = { ALL, 0 },
	FACT(MEM_SYNC_DOMAIN_COUNT) = { ALL, 1 },
	FACT(NUMA_CONFIG) = { ALL, 0 },
	FACT(NUMA_ID) = { ALL, -1 },
	FACT(HOST_NUMA_ID) = { ALL, 0 },
	FACT(MULTICAST_SUPPORTED) = { ALL, 0 },
	FACT(MEM_DECOMPRESS_ALGORITHM_MASK) = { ALL, 0 },
	FACT(MEM_DECOMPRESS_MAXIMUM_LENGTH) = { ALL, 0 },

	/* RDMA: CUDA for Tegra, 3.6 */
	FACT(GPU_DIRECT_RDMA_SUPPORTED) = { ALL, 0 },
	FACT(GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED) = { ALL, 0 },
	FACT(GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS) = { ALL, 0 },
	FACT(GPU_DIRECT_RDMA_WRITES_ORDERING) = { ALL, 0 },
	FACT(CAN_FLUSH_REMOTE_WRITES) = { ALL, 0 },

	/* Not modelled */
	FACT(CAN_USE_STREAM_MEM_OPS_V1) = { ALL, 0 },
	FACT(CAN_USE_64_BIT_STREAM_MEM_OPS_V1) = { ALL, 0 },
	FACT(CAN_USE_STREAM_WAIT_VALUE_NOR_V1) = { ALL, 0 },
	FACT(CAN_USE_64_BIT_STREAM_MEM_OPS) = { ALL, 0 },
	FACT(CAN_USE_STREAM_WAIT_VALUE_NOR) = { ALL, 0 },
	FACT(TIMELINE_SEMAPHORE_INTEROP_SUPPORTED) = { ALL, 0 },
	FACT(TENSOR_MAP_ACCESS_SUPPORTED) = { ALL, 0 },
	FACT(D3D12_CIG_SUPPORTED) = { ALL, 0 },
	FACT(VULKAN_CIG_SUPPORTED) = { ALL, 0 },

	/* Textures and surfaces */
	FACT(TEXTURE_ALIGNMENT) = { ALL, 512 },
	FACT(TEXTURE_PITCH_ALIGNMENT) = { ALL, 32 },
	FACT(SURFACE_ALIGNMENT) = { ALL, 512 },
	FACT(CAN_TEX2D_GATHER) = { ALL, 1 },
	FACT(SPARSE_CUDA_ARRAY_SUPPORTED) = { ALL, 0 },
	FACT(DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED) = { ALL, 0 },
	FACT(MAXIMUM_TEXTURE1D_WIDTH) = { IN_SIZES(wide) },
	FACT(MAXIMUM_TEXTURE1D_LINEAR_WIDTH) = { IN_LIMITS(tex1d_linear) },
	FACT(MAXIMUM_TEXTURE1D_LAYERED_WIDTH) = { IN_SIZES(layered) },
	FACT(MAXIMUM_TEXTURE1D_LAYERED_LAYERS) = { ALL, 2048 },
	FACT(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH) = { IN_SIZES(layered) },
	FACT(MAXIMUM_TEXTURE2D_WIDTH) = { IN_SIZES(wide) },
	FACT(MAXIMUM_TEXTURE2D_HEIGHT) = { IN_SIZES(high) },
	FACT(MAXIMUM_TEXTURE2D_LINEAR_WIDTH) = { IN_SIZES(linear_width) },
	FACT(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT) = { IN_SIZES(linear_height) },
	FACT(MAXIMUM_TEXTURE2D_LINEAR_PITCH) = { IN_SIZES(linear_pitch) },
	FACT(MAXIMUM_TEXTURE2D_GATHER_WIDTH) = { IN_SIZES(layered) },
	FACT(MAXIMUM_TEXTURE2D_GATHER_HEIGHT) = { IN_SIZES(layered) },
	FACT(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH) = { IN_SIZES(layered) },
	FACT(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT) = { IN_SIZES(layered) },
	FACT(MAXIMUM_TEXTURE2D_LAYERED_WIDTH) = { IN_SIZES(layered) },
	FACT(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT) = { IN_SIZES(layered) },
	FACT(MAXIMUM_TEXTURE2D_LAYERED_LAYERS) = { ALL, 2048 },
	FACT(MAXIMUM_TEXTURE3D_WIDTH) = { IN_SIZES(deep) },
	FACT(MAXIMUM_TEXTURE3D_HEIGHT) = { IN_SIZES(deep) },
	FACT(MAXIMUM_TEXTURE3D_DEPTH) = { IN_SIZES(deep) },
	FACT(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE) = { IN_SIZES(alternate) },
	FACT(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE) = { IN_SIZES(alternate) },
	FACT(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE) = {
		IN_SIZES(alternate_depth)
	},
	FACT(MAXIMUM_TEXTURECUBEMAP_WIDTH) = { IN_SIZES(layered) },
	FACT(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH) = { IN_SIZES(layered) },
	FACT(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS) = { ALL, 2046 },
	FACT(MAXIMUM_SURFACE1D_WIDTH) = { IN_SIZES(surface1d) },
	FACT(MAXIMUM_SURFACE1D_LAYERED_WIDTH) = { IN_SIZES(surface1d) },
	FACT(MAXIMUM_SURFACE1D_LAYERED_LAYERS) = { ALL, 2048 },
	FACT(MAXIMUM_SURFACE2D_WIDTH) = { IN_SIZES(wide) },
	FACT(MAXIMUM_SURFACE2D_HEIGHT) = { IN_SIZES(high) },
	FACT(MAXIMUM_SURFACE2D_LAYERED_WIDTH) = { IN_SIZES(layered) },
	FACT(MAXIMUM_SURFACE2D_LAYERED_HEIGHT) = { IN_SIZES(layered) },
	FACT(MAXIMUM_SURFACE2D_LAYERED_LAYERS) = { ALL, 2048 },
	FACT(MAXIMUM_SURFACE3D_WIDTH) = { IN_SIZES(deep) },
	FACT(MAXIMUM_SURFACE3D_HEIGHT) = { IN_SIZES(deep) },
	FACT(MAXIMUM_SURFACE3D_DEPTH) = { IN_SIZES(deep) },
	FACT(MAXIMUM_SURFACECUBEMAP_WIDTH) = { IN_SIZES(layered) },
	FACT(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH) = { IN_SIZES(layered) },
	FACT(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS) = { ALL, 2046 },
};

static const struct limits *attribute_limits(const struct core_device *device)
{
	const size_t nr = sizeof(limits) / sizeof(*limits);
	size_t i;

	/* A newer board has at least the last row's limits. */
	for (i = 0; i < nr - 1; i++)
		if (limits[i].capability >= device->board.capability)
			break;
	return &limits[i];
}

/*
 * Among the GPUs of SoCs only Thor's appears on PCI, as bus 1 (deviceQuery). A
 * discrete GPU needs another number; any will do.
 */
static int attribute_pci_bus(const struct core_device *device)
{
	if (device->is_discrete)
		return 4;
	return device->board.capability >= 110;
}

static int attribute_computed(const struct core_device *device, int attr)
{
	const struct mem_board *board = &device->board;

	switch (attr) {
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
		return board->capability / 10;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
		return board->capability % 10;
	case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
		return board->gpu_mhz * 1000;
	case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
		/* In kHz; each clock transfers twice the bus's width. */
		return board->memory_mbps * 4000ULL / board->bus_bits;
	case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
		return attribute_pci_bus(device);
	case CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID:
		return device->ordinal;
	case CU_DEVICE_ATTRIBUTE_INTEGRATED:
	case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
		return !device->is_discrete;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
		return board->capability >= 60;
	case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
		/*
		 * Since CUDA 11.2. Nano and TX2 stopped at 10.2, so no Maxwell
		 * GPU has them.
		 */
		return board->capability >= 72;
	}
	return 0;
}

static uint32_t attribute_field(const void *base, size_t off)
{
	return *(const uint32_t *)((const char *)base + off);
}

/**
 * core_attribute() - return an attribute of a device
 * @device: device
 * @attr: CU_DEVICE_ATTRIBUTE_*
 * @value: out: value
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (no such attribute).
 */
CORE_API int core_attribute(const struct core_device *device, int attr,
			    int *value)
{
	const struct fact *fact;

	if (attr < 0 || (size_t)attr >= sizeof(facts) / sizeof(*facts))
		return CUDA_ERROR_INVALID_VALUE;
	fact = &facts[attr];
	switch (fact->source) {
	case UNKNOWN:
		return CUDA_ERROR_INVALID_VALUE;
	case ALL:
		*value = fact->value;
		break;
	case BOARD:
		*value = attribute_field(&device->board, fact->value);
		break;
	case LIMIT:
		*value = attribute_field(attribute_limits(device), fact->value);
		break;
	case SIZE:
		*value = attribute_field(device->board.capability < 60 ?
					 &sizes_5x : &sizes_6x, fact->value);
		break;
	case OTHER:
		*value = attribute_computed(device, attr);
		break;
	}
	return CUDA_SUCCESS;
}
