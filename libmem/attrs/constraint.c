// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: what the engines of each board need of a buffer, as data. A figure
 * that has no source is heapsim's own: a power of two that is large enough for
 * any such hardware that we know of, and says so.
 *
 * All engines of an I/O-coherent board see what is in the CPU's cache, and none
 * of another board: that is what heapsim simulates (NVIDIA's "CUDA for Tegra",
 * "I/O Coherency").
 */
#include <string.h>

#include "constraint.h"

#define DMA_BIT		32U
#define CPU_BIT		33U

/* Plane sides that no engine has a limit for */
#define ANY_SIDE	UINT32_MAX

/**
 * struct engine - an engine's needs
 * @at: bit of MEM_ATTR_ENGINES, or CPU_BIT
 * @since: capability, times 10, of the SoC from which on the row is true; of a
 *	discrete GPU its own
 * @has_block_linear: it takes block-linear images
 * @needs: all but the swizzle
 */
struct engine {
	unsigned int at;
	uint32_t since;
	bool has_block_linear;
	struct constraint needs;
};

/*
 * The GPUs' alignments and sides are those of textures in linear memory: CUDA C
 * Programming Guide, "Technical Specifications per Compute Capability", and
 * CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, _TEXTURE_PITCH_ALIGNMENT and
 * _MAXIMUM_TEXTURE2D_LINEAR_* of boards. Of the GPU of a generic board nothing
 * is known: heapsim's own figures.
 *
 * The compositor's rows are multiples of 256 bytes, as NVMM buffers have them
 * (alliedvision/gst-vmbsrc, issue 8); sides are at most 16384 (VPI,
 * vpiSubmitRescale()). That planes begin at such a multiple, too, is heapsim's
 * own. The least of 16 x 16 is a rule of its algorithms, not of images.
 *
 * The vision accelerator takes block-linear images from Orin's generation on
 * (PVA SDK, cupva::SurfaceFormatType); that Xavier's does not, base and rows of
 * 64 bytes, and sides of 16384 are heapsim's own. VPI's limits are those of its
 * algorithms.
 *
 * The dma engine of heapsim copies any bytes. For the CPU planes begin at a
 * cache line, whatever the board's is, so that maintenance of one plane leaves
 * the other alone.
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
 * Sector layout and page kinds: drm_fourcc.h, DRM_FORMAT_MOD_NVIDIA_
 * BLOCK_LINEAR_2D(). The engines of one SoC have one layout.
 */
static enum swizzle swizzle_of(unsigned int at, uint32_t capability)
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
 * constraint_swizzle() - how a board's own engines place block-linear images
 * @ctx: context
 *
 * Return: enum swizzle; SWIZZLE_NONE: they have no such images.
 */
enum swizzle constraint_swizzle(struct mem_ctx *ctx)
{
	return swizzle_of(MEM_ENGINE_GPU,
			  board_capability(ctx->board, MEM_ENGINE_GPU));
}

/**
 * constraint_name() - an engine in a word
 * @at: bit of MEM_ATTR_ENGINES
 *
 * Return: its name; NULL: there is none.
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
 * constraint_find() - what an engine of a board needs
 * @ctx: context
 * @at: bit of MEM_ATTR_ENGINES, or of CONSTRAINT_CPU
 * @constraint: out: its needs
 *
 * Return: true; false: the board has no such engine.
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
		constraint->swizzle = swizzle_of(at, capability);
	if (at == CPU_BIT && line > constraint->base_align)
		constraint->base_align = line;
	return true;
}

/**
 * constraint_of_gpu() - which engine a GPU's id stands for
 * @ctx: context
 * @id: MEM_GPU_ID_LEN bytes
 *
 * Return: MEM_ENGINE_GPU or MEM_ENGINE_DGPU; else the board has no such GPU.
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
 * constraint_engines() - who accesses the buffer of a slot beside the CPU
 * @ctx: context
 * @slot: of a list
 *
 * Return: bits as MEM_ATTR_ENGINES has them, those of GPU ids included.
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
 * constraint_is_coherent() - look whether engines see what is in CPU caches
 * @ctx: context
 *
 * Of a board that only the module knows, the module says so.
 *
 * Return: true if so.
 */
bool constraint_is_coherent(struct mem_ctx *ctx)
{
	struct mem_probe probe = { 0 };

	if (board_is_known(ctx->board))
		return board_is_io_coherent(ctx->board);
	return !ctx->backend->probe(ctx, &probe) && probe.io_coherent;
}
