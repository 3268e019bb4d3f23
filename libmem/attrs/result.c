// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: computes the result from merged inputs: defaults, outputs that are
 * not part of the layout, and whether the board has the engines that are named.
 * The result depends on the inputs and the board only, so another process
 * computes the same.
 */
#include <string.h>

#include "attrs.h"
#include "constraint.h"
#include "layout.h"

/* Checks that the board has each engine, and adds the ids of its GPUs. */
static void result_engines(struct mem_ctx *ctx, struct attrs_slot *result,
			   struct attrs_conflicts *conflicts)
{
	struct constraint constraint;
	uint8_t id[MEM_GPU_ID_LEN];
	unsigned int at;

	for (at = 0; result->values.engines >> at; at++) {
		if (!(result->values.engines >> at & 1))
			continue;
		if (!constraint_find(ctx, at, &constraint))
			attrs_conflict(conflicts, MEM_ATTR_ENGINES,
				       RULE_NO_ENGINE, constraint_name(at), 0);
		else if (!mem_ctx_gpu_id(ctx, at, id) &&
			 attrs_add_gpu(result, id))
			attrs_conflict(conflicts, MEM_ATTR_GPU_IDS,
				       RULE_TOO_MANY, NULL, 0);
	}
	if (!slot_has(result, ROW_ENGINES))
		slot_mark(result, ROW_ENGINES, 1);
}

static void result_gpus(struct mem_ctx *ctx, const struct attrs_slot *result,
			struct attrs_conflicts *conflicts)
{
	unsigned int i;

	for (i = 0; i < result->nr[ROW_GPU_IDS]; i++)
		if (constraint_of_gpu(ctx, result->values.gpu_ids[i]) ==
		    NR_ENGINES)
			attrs_conflict(conflicts, MEM_ATTR_GPU_IDS, RULE_NO_GPU,
				       NULL, 0);
}

/* No other engine, nor the CPU, can access a discrete GPU's own memory. */
static void result_vidmem(struct mem_ctx *ctx, const struct attrs_slot *result,
			  uint64_t engines, struct attrs_conflicts *conflicts)
{
	const uint64_t may = 1ULL << MEM_ENGINE_DGPU | MEM_ATTR_ENGINE_DMA;

	if (!slot_has(result, ROW_VIDMEM_GPU_ID))
		return;
	if (constraint_of_gpu(ctx, result->values.vidmem_gpu_id) !=
	    MEM_ENGINE_DGPU)
		attrs_conflict(conflicts, MEM_ATTR_VIDMEM_GPU_ID, RULE_VIDMEM,
			       NULL, 0);
	else if (engines & ~may || result->values.need_cpu_access)
		attrs_conflict(conflicts, MEM_ATTR_VIDMEM_GPU_ID,
			       RULE_VIDMEM_REACH, NULL, 0);
}

static void result_defaults(struct attrs_slot *result)
{
	struct attrs_values *v = &result->values;

	if (!slot_has(result, ROW_NEED_CPU_ACCESS))
		slot_mark(result, ROW_NEED_CPU_ACCESS, 1);
	if (!slot_has(result, ROW_CPU_CACHE)) {
		v->cpu_cache = 1;
		slot_mark(result, ROW_CPU_CACHE, 1);
	}
	if (!slot_has(result, ROW_REQUIRED_PERM)) {
		v->required_perm = MEM_READ;
		slot_mark(result, ROW_REQUIRED_PERM, 1);
	}
	v->actual_perm = v->required_perm;
	slot_mark(result, ROW_ACTUAL_PERM, 1);
}

/* Returns the value that the inputs have for a GPU, or @otherwise. */
static uint32_t result_value_of(const struct attrs_slot *inputs,
				unsigned int row, const uint8_t *id,
				uint32_t otherwise)
{
	const struct mem_attr_gpu_value *values = slot_value_of(inputs, row);
	unsigned int i;

	for (i = 0; i < inputs->nr[row]; i++)
		if (!memcmp(values[i].gpu_id, id, MEM_GPU_ID_LEN))
			return values[i].value;
	return otherwise;
}

static void result_check_gpus(const struct attrs_slot *inputs,
			      const struct attrs_slot *result, unsigned int row,
			      struct attrs_conflicts *conflicts)
{
	const struct mem_attr_gpu_value *values = slot_value_of(inputs, row);
	unsigned int i, k;

	for (i = 0; i < inputs->nr[row]; i++) {
		for (k = 0; k < result->nr[ROW_GPU_IDS]; k++)
			if (!memcmp(values[i].gpu_id,
				    result->values.gpu_ids[k], MEM_GPU_ID_LEN))
				break;
		if (k == result->nr[ROW_GPU_IDS])
			attrs_conflict(conflicts, attrs_keys[row].key,
				       RULE_OTHER_GPU, NULL, 0);
	}
}

/* Sets a value for each GPU that accesses the buffer, sorted by id. */
static void result_gpu_values(struct mem_ctx *ctx,
			      const struct attrs_slot *inputs,
			      struct attrs_slot *result, uint64_t engines)
{
	struct attrs_values *v = &result->values;
	const unsigned int nr = result->nr[ROW_GPU_IDS];
	const bool is_own = slot_has(result, ROW_VIDMEM_GPU_ID);
	const bool has_others = engines & ~(1ULL << MEM_ENGINE_GPU |
					    1ULL << MEM_ENGINE_DGPU);
	bool one_does_not_cache = false;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		const uint8_t *id = v->gpu_ids[i];
		const bool is_integrated =
			constraint_of_gpu(ctx, id) == MEM_ENGINE_GPU;

		memcpy(v->gpu_cache[i].gpu_id, id, MEM_GPU_ID_LEN);
		v->gpu_cache[i].value =
			result_value_of(inputs, ROW_GPU_CACHE, id,
					is_integrated || is_own);
		one_does_not_cache |= !v->gpu_cache[i].value;
		memcpy(v->gpu_compression[i].gpu_id, id, MEM_GPU_ID_LEN);
		v->gpu_compression[i].value =
			nr > 1 || has_others || v->need_cpu_access ?
			MEM_COMPRESSION_NONE :
			result_value_of(inputs, ROW_GPU_COMPRESSION, id,
					MEM_COMPRESSION_NONE);
	}
	for (i = 0; i < nr; i++) {
		v->gpu_coherency[i] = v->gpu_cache[i];
		v->gpu_coherency[i].value &= one_does_not_cache || has_others ||
					     v->need_cpu_access;
	}
	if (!nr)
		return;
	slot_mark(result, ROW_GPU_CACHE, nr);
	slot_mark(result, ROW_GPU_COMPRESSION, nr);
	slot_mark(result, ROW_GPU_COHERENCY, nr);
}

/**
 * attrs_result() - compute the result of merged inputs
 * @ctx: context
 * @inputs: merged values of the lists, without a conflict
 * @result: out: inputs, defaults and outputs; invalid if there is a conflict
 * @conflicts: conflicts found are added
 */
void attrs_result(struct mem_ctx *ctx, const struct attrs_slot *inputs,
		  struct attrs_slot *result, struct attrs_conflicts *conflicts)
{
	struct attrs_values *v = &result->values;
	uint64_t all;

	*result = *inputs;
	result_engines(ctx, result, conflicts);
	result_gpus(ctx, result, conflicts);
	all = constraint_engines(ctx, result);
	result_vidmem(ctx, result, all, conflicts);
	result_check_gpus(inputs, result, ROW_GPU_CACHE, conflicts);
	result_check_gpus(inputs, result, ROW_GPU_COMPRESSION, conflicts);
	result_defaults(result);
	result_gpu_values(ctx, inputs, result, all);
	v->cpu_coherency = v->cpu_cache && v->need_cpu_access && all &&
			   !constraint_is_coherent(ctx);
	slot_mark(result, ROW_CPU_COHERENCY, 1);
	layout_compute(ctx, all | (v->need_cpu_access ? CONSTRAINT_CPU : 0),
		       result, conflicts);
}
