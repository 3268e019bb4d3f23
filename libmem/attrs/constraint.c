// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: table of what the engines of each board need of a buffer. A figure
 * without a source is heapsim's own and marked so: a power of two that is large
 * enough for any such hardware known to us.
 *
 * All engines of an I/O-coherent board snoop the CPU's cache, and none of
 * another board do: that is what heapsim simulates (NVIDIA's "CUDA for Tegra",
 * "I/O Coherency").
 */
#include <string.h>

#include "constraint.h"

#define DMA_BIT		32U
#define CPU_BIT		33U

/* Plane sides of an engine without a limit */
#define ANY_SIDE	UINT32_MAX

/**
 * struct engine - an engine's needs
 * @at: bit of MEM_ATTR_ENGINES, or CPU_BIT
 * @since: lowest capability (times 10) to which the row applies: the SoC's, or
 *	a discrete GPU's own
 * @has_block_linear: supports block-linear images
 * @needs: needs, without the swizzle
 */
struct engine {
	unsigned int at;
	uint32_t since;
	bool has_block_linear;
	struct constraint needs;
};

/*
 * Alignments and sides of GPUs are those of textures in linear memory: CUDA C
 * Programming Guide, "Technical Specifications per Compute Capability", and
 * CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, _TEXTURE_PITCH_ALIGNMENT and
 * _MAXIMUM_TEXTURE2D_LINEAR_* of boards. The figures of a generic board's GPU
 * are heapsim's own.
 *
 * The compositor's rows are multiples of 256 bytes, as in NVMM buffers
 * (alliedvision/gst-vmbsrc, issue 8); sides are at most 16384 (VPI,
 * vpiSubmitRescale()). That planes are aligned to 256 bytes, too, is heapsim's
 * own rule. The minimum of 16 x 16 is a rule of its algorithms, not of images.
 *
 * The vision accelerator supports block-linear images since Orin's generation
 * (PVA SDK, cupva::SurfaceFormatType). Heapsim's own are: Xavier's does not,
 * bases and rows are aligned to 64 bytes, sides are at most 16384. VPI's limits
 * are those of its algorithms.
 *
 * Heapsim's dma engine copies any bytes. For the CPU, planes are aligned to a
 * cache line of the board, so that maintenance of one plane does not affect
 * another.
 */
static const struct engine engines[] = {
	{ MEM_ENGINE_GPU, 0, false, { "gpu", 64, 64, 16384, 16384, 0 } },
	{ MEM_ENGINE_GPU, 53, true, { "gpu", 512, 32, 131072, 65000, 0 } },
	{ MEM_ENGINE_DGPU, 0, true, { "dgpu", 512, 32, 131072, 65000, 0 } },
	{ MEM_ENGINE_VIC, 0, true, { "vic", 256, 256, 16384, 16384, 0 } },
	{ MEM_ENGINE_PVA, 0, false, { "pva", 64, 64, 16384, 16384, 0 } },
	{ MEM_ENGINE_PVA, 87, true, { "pva", 64, 64, 16384, 16384, 0 } },
	{ DMA_BIT, 0, true, { "dma", 1, 1, ANY_SIDE, ANY_SIDE, 0 } },
	{ CPU_BIT, 0, true, { "cpu", 64, 1, ANY_SIDE, ANY_SIDE, 0 } },
};

#define NR_ENGINE_ROWS	(sizeof(engines) / sizeof(*engines))

/*
 * The sector layout and page kinds are those of drm_fourcc.h,
 * DRM_FORMAT_MOD_NVIDIA_BLOCK_LINEAR_2D(). The engines of one SoC share a
 * layout.
 */
static enum swizzle constraint_swizzle_of(unsigned int at, uint32_t capability)
{
	if (at == DMA_BIT || at == CPU_BIT)
		return SWIZZLE_ANY;
	if (at == MEM_ENGINE_DGPU)
		return capability < 75 ? SWIZZLE_VOLTA : SWIZZLE_TURING;
	if (!capability)
		return SWIZZLE_NONE;
	if (capability < 72)
		return SWIZZLE_TEGRA;
	return capability < 75 ? SWIZZLE_VOLTA : SWIZZLE_TURING;
}

/**
 * constraint_swizzle() - return the block-linear layout of a board's own
 * engines
 * @ctx: context
 *
 * Return: enum swizzle; SWIZZLE_NONE: they do not support such images.
 */
enum swizzle constraint_swizzle(struct mem_ctx *ctx)
{
	return constraint_swizzle_of(MEM_ENGINE_GPU,
				     board_capability(ctx->board,
						      MEM_ENGINE_GPU));
}

/**
 * constraint_name() - return an engine's name
 * @at: bit of MEM_ATTR_ENGINES
 *
 * Return: name, or NULL if there is no such engine.
 */
const char *constraint_name(unsigned int at)
{
	size_t i;

	for (i = 0; i < NR_ENGINE_ROWS; i++)
		if (engines[i].at == at)
			return engines[i].needs.name;
	return NULL;
}

/**
 * constraint_find() - find what an engine of a board needs
 * @ctx: context
 * @at: bit of MEM_ATTR_ENGINES, or of CONSTRAINT_CPU
 * @constraint: out: needs
 *
 * Return: false if the board has no such engine.
 */
bool constraint_find(struct mem_ctx *ctx, unsigned int at,
		     struct constraint *constraint)
{
	const uint32_t capability =
		board_capability(ctx->board, at == MEM_ENGINE_DGPU ?
				 MEM_ENGINE_DGPU : MEM_ENGINE_GPU);
	const uint32_t line = board_line_size(ctx->board);
	const struct engine *found = NULL;
	size_t i;

	if (at < NR_ENGINES && !board_has_engine(ctx->board, at))
		return false;
	for (i = 0; i < NR_ENGINE_ROWS; i++)
		if (engines[i].at == at && engines[i].since <= capability)
			found = &engines[i];
	if (!found)
		return false;
	*constraint = found->needs;
	if (found->has_block_linear)
		constraint->swizzle = constraint_swizzle_of(at, capability);
	if (at == CPU_BIT && line > constraint->base_align)
		constraint->base_align = line;
	return true;
}

/**
 * constraint_of_gpu() - return the engine with a GPU's id
 * @ctx: context
 * @id: MEM_GPU_ID_LEN bytes
 *
 * Return: MEM_ENGINE_GPU or MEM_ENGINE_DGPU; NR_ENGINES: the board has no such
 * GPU.
 */
unsigned int constraint_of_gpu(struct mem_ctx *ctx, const uint8_t *id)
{
	static const unsigned int gpus[] = { MEM_ENGINE_GPU, MEM_ENGINE_DGPU };
	uint8_t own[MEM_GPU_ID_LEN];
	size_t i;

	for (i = 0; i < sizeof(gpus) / sizeof(*gpus); i++)
		if (!mem_ctx_gpu_id(ctx, gpus[i], own) &&
		    !memcmp(own, id, sizeof(own)))
			return gpus[i];
	return NR_ENGINES;
}

/**
 * constraint_engines() - return the engines that access a slot's buffer
 * @ctx: context
 * @slot: slot of a list
 *
 * Return: bits of MEM_ATTR_ENGINES, including those of GPUs named by id.
 */
uint64_t constraint_engines(struct mem_ctx *ctx, const struct attrs_slot *slot)
{
	uint64_t all = slot->values.engines;
	unsigned int i, at;

	for (i = 0; i < slot->nr[ROW_GPU_IDS]; i++) {
		at = constraint_of_gpu(ctx, slot->values.gpu_ids[i]);
		if (at < NR_ENGINES)
			all |= 1ULL << at;
	}
	return all;
}

/**
 * constraint_is_coherent() - check whether engines snoop the CPU's cache
 * @ctx: context
 *
 * If only the module knows the board, the module is asked.
 *
 * Return: true if they do.
 */
bool constraint_is_coherent(struct mem_ctx *ctx)
{
	struct mem_probe probe = { 0 };

	if (board_is_known(ctx->board))
		return board_is_io_coherent(ctx->board);
	return !ctx->backend->probe(ctx, &probe) && probe.io_coherent;
}
