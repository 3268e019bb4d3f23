// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The boards, and what a description of a board must fulfil. */
#include "profile.h"

#define GIB	(1024ULL * 1024 * 1024)

static const struct profile profiles[] = {
	{
		.name = "nano",
		.description = "Jetson Nano (Tegra X1): no I/O coherency",
		.capability = 53,
		.nr_sms = 1,
		.cores_per_sm = 128,
		.gpu_mhz = 922,
		.gpu_l2_len = 262144,
		.dram_bus_bits = 64,
		.dram_mbps = 25600,
		.dram_len = 4 * GIB,
		.nr_cpus = 4,
		.cpu_mhz = 1480,
		.l1d_len = 32768,
		.l2_len = 2097152,
		.nr_l2 = 1,
		.line_size = 64,
		.has_vic = true,
	},
	{
		.name = "tx2",
		.description = "Jetson TX2: no I/O coherency",
		.capability = 62,
		.nr_sms = 2,
		.cores_per_sm = 128,
		.gpu_mhz = 1300,
		.gpu_l2_len = 524288,
		.dram_bus_bits = 128,
		.dram_mbps = 59700,
		.dram_len = 8 * GIB,
		.nr_cpus = 6,
		.cpu_mhz = 2000,
		.l1d_len = 32768,
		.l2_len = 2097152,
		.nr_l2 = 2,
		.line_size = 64,
		.has_vic = true,
	},
	{
		.name = "drive-px2",
		.description = "DRIVE PX 2: a TX2 and a discrete GPU",
		.capability = 62,
		.nr_sms = 2,
		.cores_per_sm = 128,
		.gpu_mhz = 1300,
		.gpu_l2_len = 524288,
		.dram_bus_bits = 128,
		.dram_mbps = 59700,
		.dram_len = 8 * GIB,
		.nr_cpus = 6,
		.cpu_mhz = 2000,
		.l1d_len = 32768,
		.l2_len = 2097152,
		.nr_l2 = 2,
		.line_size = 64,
		.has_vic = true,
		.dgpu = {
			.capability = 61,
			.nr_sms = 10,
			.cores_per_sm = 128,
			.mhz = 1250,
			.l2_len = 1048576,
			.bus_bits = 128,
			.mbps = 80000,
			.len = 4 * GIB,
		},
	},
	{
		.name = "xavier",
		.description = "Jetson AGX Xavier: I/O-coherent",
		.capability = 72,
		.nr_sms = 8,
		.cores_per_sm = 64,
		.gpu_mhz = 1377,
		.gpu_l2_len = 524288,
		.dram_bus_bits = 256,
		.dram_mbps = 136500,
		.dram_len = 32 * GIB,
		.nr_cpus = 8,
		.cpu_mhz = 2260,
		.l1d_len = 65536,
		.l2_len = 2097152,
		.nr_l2 = 4,
		.l3_len = 4194304,
		.line_size = 64,
		.is_io_coherent = true,
		.has_host_register = true,
		.has_system_atomics = true,
		.has_pva = true,
		.has_vic = true,
	},
	{
		.name = "orin",
		.description = "Jetson AGX Orin: I/O-coherent",
		.capability = 87,
		.nr_sms = 16,
		.cores_per_sm = 128,
		.gpu_mhz = 1300,
		.gpu_l2_len = 4194304,
		.dram_bus_bits = 256,
		.dram_mbps = 204800,
		.dram_len = 64 * GIB,
		.nr_cpus = 12,
		.cpu_mhz = 2200,
		.l1d_len = 65536,
		.l2_len = 262144,
		.nr_l2 = 12,
		.l3_len = 6291456,
		.system_cache_len = 4194304,
		.line_size = 64,
		.is_io_coherent = true,
		.has_host_register = true,
		.has_system_atomics = true,
		.has_pva = true,
		.has_vic = true,
	},
	{
		.name = "orin-nano",
		.description = "Jetson Orin Nano: I/O-coherent",
		.capability = 87,
		.nr_sms = 8,
		.cores_per_sm = 128,
		.gpu_mhz = 625,
		.gpu_l2_len = 2097152,
		.dram_bus_bits = 128,
		.dram_mbps = 68000,
		.dram_len = 8 * GIB,
		.nr_cpus = 6,
		.cpu_mhz = 1510,
		.l1d_len = 65536,
		.l2_len = 262144,
		.nr_l2 = 6,
		.l3_len = 4194304,
		.line_size = 64,
		.is_io_coherent = true,
		.has_host_register = true,
		.has_system_atomics = true,
		.has_vic = true,
	},
	{
		.name = "thor",
		.description = "Jetson AGX Thor: full coherency",
		.capability = 110,
		.nr_sms = 20,
		.cores_per_sm = 128,
		.gpu_mhz = 1575,
		.gpu_l2_len = 33554432,
		.dram_bus_bits = 256,
		.dram_mbps = 273000,
		.dram_len = 128 * GIB,
		.nr_cpus = 14,
		.cpu_mhz = 2600,
		.l1d_len = 65536,
		.l2_len = 1048576,
		.nr_l2 = 14,
		.l3_len = 16777216,
		.line_size = 64,
		.is_io_coherent = true,
		.is_fully_coherent = true,
		.has_host_register = true,
		.has_concurrent_access = true,
		.has_pageable_access = true,
		.has_system_atomics = true,
		.has_memory_ipc = true,
		.has_pva = true,
		.has_vic = true,
		.has_surface_export = true,
	},
	{
		.name = "generic-coherent",
		.description = "Arm board whose engines snoop the CPU's caches",
		.nr_cpus = 4,
		.cpu_mhz = 1500,
		.l1d_len = 32768,
		.l2_len = 524288,
		.nr_l2 = 1,
		.dram_bus_bits = 64,
		.dram_mbps = 25600,
		.dram_len = 4 * GIB,
		.line_size = 64,
		.is_io_coherent = true,
	},
	{
		.name = "generic-noncoherent",
		.description = "Arm board whose engines do not snoop",
		.nr_cpus = 4,
		.cpu_mhz = 1500,
		.l1d_len = 32768,
		.l2_len = 524288,
		.nr_l2 = 1,
		.dram_bus_bits = 64,
		.dram_mbps = 25600,
		.dram_len = 4 * GIB,
		.line_size = 64,
	},
};

/**
 * profile_count() - how many boards there are
 *
 * Return: a number above 0.
 */
size_t profile_count(void)
{
	return sizeof(profiles) / sizeof(profiles[0]);
}

/**
 * profile_at() - a board by its place in the list
 * @i: from 0
 *
 * Return: the board, NULL past the end.
 */
const struct profile *profile_at(size_t i)
{
	return i < profile_count() ? &profiles[i] : NULL;
}

/**
 * profile_find() - a board by its name
 * @name: terminated
 *
 * Return: the board, NULL if there is none of that name.
 */
const struct profile *profile_find(const char *name)
{
	size_t i;

	for (i = 0; i < profile_count(); i++)
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}

static const char *dgpu_refusal(const struct profile_dgpu *g)
{
	const bool has_all = g->nr_sms && g->cores_per_sm && g->mhz &&
			     g->l2_len && g->bus_bits && g->mbps && g->len;
	const bool has_any = g->nr_sms || g->cores_per_sm || g->mhz ||
			     g->l2_len || g->bus_bits || g->mbps || g->len;

	if (g->capability ? !has_all : has_any)
		return "a discrete GPU has all of its facts, or none";
	return NULL;
}

static const char *refusal(const struct profile *p)
{
	if (!p->name || !p->name[0] || strlen(p->name) > 31)
		return "name must have 1 to 31 bytes";
	if (!p->description)
		return "description is missing";
	if (p->line_size != 32 && p->line_size != 64 && p->line_size != 128)
		return "line_size must be 32, 64 or 128";
	if (!p->nr_cpus || !p->cpu_mhz)
		return "a board has CPUs with a clock";
	if (!p->l1d_len || !p->l2_len || !p->nr_l2 || p->nr_l2 > p->nr_cpus)
		return "a CPU has an L1 and an L2 cache, maybe with others";
	if (!p->dram_bus_bits || !p->dram_mbps || !p->dram_len)
		return "a board has DRAM";
	if (!p->capability &&
	    (p->nr_sms || p->cores_per_sm || p->gpu_mhz || p->gpu_l2_len))
		return "GPU facts without a capability";
	if (p->capability &&
	    (!p->nr_sms || !p->cores_per_sm || !p->gpu_mhz || !p->gpu_l2_len))
		return "a capability without the GPU's facts";
	if (p->dgpu.capability && !p->capability)
		return "a discrete GPU stands beside a Tegra's own";
	if (p->is_fully_coherent && !p->is_io_coherent)
		return "full coherency takes in I/O coherency";
	if (p->has_host_register && !p->is_io_coherent)
		return "registered memory needs I/O coherency";
	if (p->has_system_atomics && !p->is_io_coherent)
		return "system-wide atomics need I/O coherency";
	if (p->has_pageable_access && !p->has_concurrent_access)
		return "pageable access takes in concurrent access";
	if (p->has_concurrent_access && !p->is_fully_coherent)
		return "concurrent access needs full coherency";
	return dgpu_refusal(&p->dgpu);
}

/**
 * profile_validate() - check whether a board can be simulated
 * @p: board
 * @why: out: a static string that says what is wrong, NULL if nothing is
 *
 * Return: 0, or -EINVAL if a fact is missing or two contradict each other.
 */
int profile_validate(const struct profile *p, const char **why)
{
	*why = refusal(p);
	return *why ? -EINVAL : 0;
}
