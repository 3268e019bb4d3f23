/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * SoC profiles: what board is simulated, as plain data.
 *
 * Facts come from NVIDIA's "CUDA for Tegra" application note, the boards' data
 * sheets and technical briefs, and sbc-bench's public results (cache sizes,
 * clocks). The generic boards are the two kinds of Arm board that dma-buf
 * drivers meet: engines that snoop the CPU's caches, and engines that do not.
 *
 * Of a DRIVE PX 2 the board is one half of an AutoChauffeur: a Tegra of the
 * TX2's class ("Parker") and the Pascal GPU behind its PCIe. Of that NVIDIA
 * stated at GTC 2016: 4 GB of GDDR5, 128 bits, 80 GB/s, 1.25 GHz. GP106
 * (capability 6.1, 10 SMs) is what the chip was found to be; its L2 is 256 KiB
 * for each 32 bits of its bus.
 */
#ifndef HEAPSIM_MODEL_PROFILE_H
#define HEAPSIM_MODEL_PROFILE_H

#include "env.h"

/**
 * struct profile_dgpu - a discrete GPU; all 0: the board has none
 * @capability: CUDA compute capability times 10
 * @nr_sms: streaming multiprocessors
 * @cores_per_sm: CUDA cores each
 * @mhz: clock, MHz
 * @l2_len: L2 cache, bytes
 * @bus_bits: width of the bus of its own memory
 * @mbps: peak bandwidth of that, 10^6 bytes a second
 * @len: how much it has of it, bytes
 */
struct profile_dgpu {
	u32 capability;
	u32 nr_sms;
	u32 cores_per_sm;
	u32 mhz;
	u32 l2_len;
	u32 bus_bits;
	u32 mbps;
	u64 len;
};

/**
 * struct profile - a board
 * @name: as the parameter soc= has it, at most 31 bytes
 * @description: a line for people
 * @capability: CUDA compute capability times 10; 0 no CUDA GPU
 * @nr_sms: streaming multiprocessors; 0 when @capability is
 * @cores_per_sm: CUDA cores each
 * @gpu_mhz: GPU clock, MHz
 * @gpu_l2_len: GPU L2 cache, bytes
 * @dram_bus_bits: width of the DRAM bus
 * @dram_mbps: peak bandwidth of DRAM, 10^6 bytes a second
 * @dram_len: DRAM, bytes
 * @nr_cpus: CPU cores
 * @cpu_mhz: CPU clock, MHz
 * @l1d_len: L1 data cache of a CPU core, bytes
 * @l2_len: one of the CPU's L2 caches, bytes
 * @nr_l2: L2 caches, each of a core or of some
 * @l3_len: the CPU's L3 cache, bytes; 0 none
 * @system_cache_len: cache of the whole SoC, bytes; 0 none, or one with the L3
 * @line_size: cache line, bytes: 32, 64 or 128
 * @is_io_coherent: engines see the newest bytes in CPU caches
 * @is_fully_coherent: the CPU also sees what is in the GPU's caches
 * @has_host_register: cudaHostRegister is offered
 * @has_concurrent_access: CPU and GPU may touch managed memory together
 * @has_pageable_access: the GPU reads ordinary process memory
 * @has_system_atomics: atomics between CPU and GPU
 * @has_memory_ipc: CUDA memory IPC
 * @has_pva: a programmable vision accelerator
 * @has_vic: a video image compositor
 * @has_surface_export: VPI gives an image as a surface, a dma-buf: Thor alone
 *	(VPI, sample "Lock And Extract Interop Handles")
 * @dgpu: a GPU beside the SoC's
 */
struct profile {
	const char *name;
	const char *description;
	u32 capability;
	u32 nr_sms;
	u32 cores_per_sm;
	u32 gpu_mhz;
	u32 gpu_l2_len;
	u32 dram_bus_bits;
	u32 dram_mbps;
	u64 dram_len;
	u32 nr_cpus;
	u32 cpu_mhz;
	u32 l1d_len;
	u32 l2_len;
	u32 nr_l2;
	u32 l3_len;
	u32 system_cache_len;
	u32 line_size;
	bool is_io_coherent;
	bool is_fully_coherent;
	bool has_host_register;
	bool has_concurrent_access;
	bool has_pageable_access;
	bool has_system_atomics;
	bool has_memory_ipc;
	bool has_pva;
	bool has_vic;
	bool has_surface_export;
	struct profile_dgpu dgpu;
};

size_t profile_count(void);
const struct profile *profile_at(size_t i);
const struct profile *profile_find(const char *name);
int profile_validate(const struct profile *p, const char **why);

#endif
