// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * NvSciSync: merging of lists. libmem only merges clients' keys that are equal,
 * so the values are merged here. The result becomes a reconciled list of libmem
 * for a small raw buffer, which is never allocated.
 */
#include <errno.h>
#include <string.h>

#include "sync.h"

/* The largest buffer of ids */
#define IDS_MAX	NV_SCI_BUF_MAX_GPUS

/* Types of primitives, the first of which is preferred */
static const uint32_t primitives[] = {
	NvSciSyncAttrValPrimitiveType_SysmemSemaphorePayload64b,
	NvSciSyncAttrValPrimitiveType_SysmemSemaphore,
	NvSciSyncAttrValPrimitiveType_Syncpoint,
};

/**
 * struct merged - values of all slots together
 * @nr_signalers: number of slots that signal
 * @perm: permissions of all
 * @cpu_perm: permissions of slots that need the CPU
 * @primitives: a bit for each type that all slots have
 * @need_cpu: a slot needs the CPU
 * @is_context_insensitive: a slot sets the key to true
 * @is_deterministic: the same
 * @nr_ids: number of @ids
 * @has_too_many_ids: there are more
 * @ids: GPUs of all slots
 */
struct merged {
	unsigned int nr_signalers;
	uint64_t perm;
	uint8_t cpu_perm;
	uint32_t primitives;
	uint8_t need_cpu;
	uint8_t is_context_insensitive;
	uint8_t is_deterministic;
	size_t nr_ids;
	bool has_too_many_ids;
	NvSciRmGpuId ids[IDS_MAX];
};

static uint32_t slot_primitives(const struct mem_attrs *attrs,
				unsigned int slot)
{
	const uint32_t *types;
	uint32_t bits = 0;
	size_t i, len;

	types = sync_get(attrs, slot, SYNC_PRIMITIVES, &len);
	if (!types)
		return UINT32_MAX;
	for (i = 0; i < len / sizeof(*types); i++)
		bits |= 1U << types[i];
	return bits;
}

static void merge_id(struct merged *all, const NvSciRmGpuId *id)
{
	size_t i;

	for (i = 0; i < all->nr_ids; i++)
		if (!memcmp(&all->ids[i], id, sizeof(*id)))
			return;
	if (all->nr_ids == IDS_MAX)
		all->has_too_many_ids = true;
	else
		all->ids[all->nr_ids++] = *id;
}

static void merge_slot(struct merged *all, const struct mem_attrs *attrs,
		       unsigned int slot)
{
	const uint64_t perm = sync_perm(attrs, slot);
	const NvSciRmGpuId *ids;
	size_t i, len = 0;

	all->nr_signalers += perm & MEM_WRITE ? 1 : 0;
	all->perm |= perm;
	if (sync_flag(attrs, slot, SYNC_NEED_CPU)) {
		all->need_cpu = 1;
		all->cpu_perm |= (uint8_t)perm;
	}
	all->primitives &= slot_primitives(attrs, slot);
	all->is_context_insensitive |= sync_flag(attrs, slot,
						 SYNC_CONTEXT_INSENSITIVE);
	all->is_deterministic |= sync_flag(attrs, slot, SYNC_DETERMINISTIC);
	ids = sync_get(attrs, slot, SYNC_GPU_IDS, &len);
	for (i = 0; ids && i < len / sizeof(*ids); i++)
		merge_id(all, &ids[i]);
}

static const uint32_t *merged_primitive(const struct merged *all)
{
	size_t i;

	for (i = 0; i < sizeof(primitives) / sizeof(*primitives); i++)
		if (all->primitives >> primitives[i] & 1)
			return &primitives[i];
	return NULL;
}

/* Returns why the lists conflict, or NULL. */
static const char *merged_conflict(const struct merged *all)
{
	if (!all->nr_signalers)
		return "no list has NvSciSyncAccessPerm_SignalOnly";
	if (all->nr_signalers > 1)
		return "two lists have NvSciSyncAccessPerm_SignalOnly";
	if (!(all->perm & MEM_READ))
		return "no list has NvSciSyncAccessPerm_WaitOnly";
	if (!merged_primitive(all))
		return "no NvSciSyncAttrKey_PrimitiveInfo that all lists have";
	if (all->has_too_many_ids)
		return "too many NvSciSyncAttrKey_GpuId";
	return NULL;
}

#define KEPT(kept, of)	\
	{ .key = MEM_ATTR_CLIENT + (kept), .value = &(of), .len = sizeof(of) }

static int merged_list(const struct merged *all, struct mem_ctx *ctx,
		       struct mem_attrs **reconciled)
{
	static const uint32_t type = MEM_ATTR_TYPE_RAW;
	static const uint64_t one = 1;
	static const uint8_t no, yes = 1;
	const struct mem_attr values[] = {
		{ .key = MEM_ATTR_TYPES, .value = &type, .len = sizeof(type) },
		{ .key = MEM_ATTR_NEED_CPU_ACCESS, .value = &yes, .len = 1 },
		{ .key = MEM_ATTR_RAW_SIZE, .value = &one, .len = sizeof(one) },
		{ .key = MEM_ATTR_RAW_ALIGN, .value = &one,
		  .len = sizeof(one) },
		KEPT(SYNC_NEED_CPU, all->need_cpu),
		KEPT(SYNC_REQUIRED_PERM, all->perm),
		KEPT(SYNC_CONTEXT_INSENSITIVE, all->is_context_insensitive),
		KEPT(SYNC_TIMESTAMPS, no),
		KEPT(SYNC_DETERMINISTIC, all->is_deterministic),
		KEPT(SYNC_PRIMITIVES, *merged_primitive(all)),
		KEPT(SYNC_MARK, all->cpu_perm),
		/* The last one, which may be left out */
		{ .key = MEM_ATTR_CLIENT + SYNC_GPU_IDS, .value = all->ids,
		  .len = all->nr_ids * sizeof(*all->ids) },
	};
	const size_t nr = sizeof(values) / sizeof(*values) - !all->nr_ids;
	struct mem_attrs *list;
	int err;

	err = mem_attrs_create(ctx, &list);
	if (err)
		return err;
	err = mem_attrs_set(list, values, nr);
	if (!err)
		err = mem_attrs_reconcile(&list, 1, reconciled, NULL);
	mem_attrs_destroy(list);
	return err;
}

/*
 * Makes a conflict list, which libmem only makes of lists that conflict for it:
 * NvSciSync's unreconciled lists lack the type of a buffer.
 */
static NvSciError conflict_list(const NvSciSyncAttrList lists[], size_t nr,
				struct NvSciSyncModuleRec *module,
				const char *why, NvSciSyncAttrList *conflict)
{
	struct mem_attrs *reconciled, *attrs;
	NvSciError error;
	int err;

	err = mem_attrs_reconcile((struct mem_attrs *const *)lists, nr,
				  &reconciled, &attrs);
	if (err != -EADV)
		return nvsci_error(err);
	error = sync_list_own(attrs, module, &attrs);
	if (error)
		return error;
	sync_list_of(attrs)->conflict = why;
	*conflict = (NvSciSyncAttrList)attrs;
	return NvSciError_ReconciliationFailed;
}

/**
 * sync_perms_of() - return which permissions lists need
 * @lists: unreconciled lists
 * @nr: number of @lists
 * @is_imported_only: only count lists of other processes
 *
 * Return: MEM_READ, MEM_WRITE, both, or 0.
 */
uint64_t sync_perms_of(const NvSciSyncAttrList lists[], size_t nr,
		       bool is_imported_only)
{
	uint64_t perm = 0;
	size_t i;
	int slot;

	for (i = 0; i < nr; i++) {
		const struct mem_attrs *attrs = sync_attrs_of(lists[i]);

		if (is_imported_only && !sync_list_of(attrs)->is_imported)
			continue;
		for (slot = 0; slot < mem_attrs_slots(attrs); slot++)
			perm |= sync_perm(attrs, (unsigned int)slot);
	}
	return perm;
}

API NvSciError
NvSciSyncAttrListReconcile(const NvSciSyncAttrList inputArray[],
			   size_t inputCount,
			   NvSciSyncAttrList *newReconciledList,
			   NvSciSyncAttrList *newConflictList)
{
	struct merged all = { .primitives = UINT32_MAX };
	struct NvSciSyncModuleRec *module = NULL;
	struct mem_attrs *attrs;
	const char *why;
	NvSciError error;
	size_t i;
	int err, slot;

	if (!newReconciledList || !newConflictList)
		return NvSciError_BadParameter;
	error = sync_lists(inputArray, inputCount, &module);
	if (error)
		return error;
	for (i = 0; i < inputCount; i++) {
		attrs = sync_attrs_of(inputArray[i]);
		for (slot = 0; slot < mem_attrs_slots(attrs); slot++)
			merge_slot(&all, attrs, (unsigned int)slot);
	}
	why = merged_conflict(&all);
	if (why)
		return conflict_list(inputArray, inputCount, module, why,
				     newConflictList);
	err = merged_list(&all, module->ctx, &attrs);
	if (err)
		return nvsci_error(err);
	error = sync_list_own(attrs, module, &attrs);
	if (error)
		return error;
	sync_list_of(attrs)->peer_perm = sync_perms_of(inputArray, inputCount,
						       true);
	*newReconciledList = (NvSciSyncAttrList)attrs;
	/* Programs free a conflict list that is not NULL, uninitialised. */
	*newConflictList = NULL;
	return NvSciError_Success;
}

/* Validation */

static bool slot_is_met(const struct mem_attrs *reconciled,
			const struct mem_attrs *attrs, unsigned int slot)
{
	static const enum sync_kept flags[] = {
		SYNC_NEED_CPU, SYNC_CONTEXT_INSENSITIVE, SYNC_DETERMINISTIC,
	};
	const uint32_t *primitive = sync_get(reconciled, 0, SYNC_PRIMITIVES,
					     NULL);
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (sync_flag(attrs, slot, flags[i]) &&
		    !sync_flag(reconciled, 0, flags[i]))
			return false;
	return !(sync_perm(attrs, slot) & ~sync_perm(reconciled, 0)) &&
	       slot_primitives(attrs, slot) >> *primitive & 1;
}

/**
 * sync_list_meets() - check a reconciled list against unreconciled ones
 * @reconciled: reconciled list
 * @lists: unreconciled lists
 * @nr: number of @lists
 *
 * Return: true if it has what all of them need.
 */
bool sync_list_meets(const struct mem_attrs *reconciled,
		     const NvSciSyncAttrList lists[], size_t nr)
{
	size_t i;
	int slot;

	for (i = 0; i < nr; i++) {
		const struct mem_attrs *attrs = sync_attrs_of(lists[i]);

		for (slot = 0; slot < mem_attrs_slots(attrs); slot++)
			if (!slot_is_met(reconciled, attrs,
					 (unsigned int)slot))
				return false;
	}
	return true;
}

API NvSciError
NvSciSyncAttrListValidateReconciled(NvSciSyncAttrList reconciledAttrList,
				    const NvSciSyncAttrList inputArray[],
				    size_t inputCount,
				    bool *isReconciledListValid)
{
	struct NvSciSyncModuleRec *module;
	NvSciError error;

	if (!isReconciledListValid ||
	    !sync_list_is(reconciledAttrList, MEM_ATTRS_RECONCILED))
		return NvSciError_BadParameter;
	module = sync_list_of(sync_attrs_of(reconciledAttrList))->module;
	error = sync_lists(inputArray, inputCount, &module);
	if (error)
		return error;
	*isReconciledListValid =
		sync_list_meets(sync_attrs_of(reconciledAttrList), inputArray,
				inputCount);
	return *isReconciledListValid ? NvSciError_Success :
					NvSciError_BadParameter;
}

API NvSciError
NvSciSyncAttrListValidateReconciledAgainstAttrs(NvSciSyncAttrList list,
						const NvSciSyncAttrKeyValuePair
							*pairArray,
						size_t pairCount,
						NvSciSyncAccessPerm
							permissions)
{
	(void)list;
	(void)pairArray;
	(void)pairCount;
	(void)permissions;
	return NvSciError_Success;
}
