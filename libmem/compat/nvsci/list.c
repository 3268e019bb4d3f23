// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvSciBuf: attribute lists. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "key.h"

/* More than the number of keys */
#define PAIRS_MAX	72U

static void list_destroy(void *client)
{
	struct nvsci_list *list = client;

	nvsci_list_drop_values(list);
	nvsci_module_put(list->module);
	free(list);
}

/**
 * nvsci_list() - return the data that a list keeps for NvSciBuf
 * @attrs: list, may be one of another vendor layer
 *
 * The data is added if the list has none.
 *
 * Return: data, or NULL if there is no memory.
 */
struct nvsci_list *nvsci_list(const struct mem_attrs *attrs)
{
	struct nvsci_list *list = mem_attrs_client(attrs);

	if (list)
		return list;
	list = calloc(1, sizeof(*list));
	if (!list || !mem_attrs_set_client(attrs, list, list_destroy))
		return list;
	free(list);
	/* Another thread is adding it: wait until it is complete. */
	do
		list = mem_attrs_client(attrs);
	while (!list);
	return list;
}

/**
 * nvsci_list_own() - make a new list belong to a module
 * @attrs: list without a client; destroyed on failure
 * @module: module, or NULL
 * @list: out: the list
 *
 * Return: NvSciError_Success or NvSciError_InsufficientMemory.
 */
NvSciError nvsci_list_own(struct mem_attrs *attrs,
			  struct NvSciBufModuleRec *module,
			  NvSciBufAttrList *list)
{
	struct nvsci_list *new = calloc(1, sizeof(*new));

	if (!new || mem_attrs_set_client(attrs, new, list_destroy)) {
		free(new);
		mem_attrs_destroy(attrs);
		return NvSciError_InsufficientMemory;
	}
	new->module = nvsci_module_get(module);
	*list = (NvSciBufAttrList)attrs;
	return NvSciError_Success;
}

static struct NvSciBufModuleRec *list_module_of(const struct mem_attrs *attrs)
{
	const struct nvsci_list *list = mem_attrs_client(attrs);

	return list ? list->module : NULL;
}

/**
 * nvsci_lists() - check unreconciled lists that are used together
 * @lists: lists
 * @nr: number of @lists
 * @module: in: required module, or NULL; out: module of the lists
 *
 * Return: NvSciError_Success, NvSciError_BadParameter (a pointer is NULL, @nr
 * is 0, a list is not unreconciled, or belongs to another module or to none).
 */
NvSciError nvsci_lists(const NvSciBufAttrList lists[], size_t nr,
		       struct NvSciBufModuleRec **module)
{
	size_t i;

	if (!lists || !nr)
		return NvSciError_BadParameter;
	for (i = 0; i < nr; i++) {
		const struct mem_attrs *attrs = attrs_of(lists[i]);

		if (mem_attrs_state(attrs) != MEM_ATTRS_UNRECONCILED)
			return NvSciError_BadParameter;
		if (!*module)
			*module = list_module_of(attrs);
		if (!*module || list_module_of(attrs) != *module)
			return NvSciError_BadParameter;
	}
	return NvSciError_Success;
}

API NvSciError NvSciBufAttrListCreate(NvSciBufModule module,
				      NvSciBufAttrList *newAttrList)
{
	struct mem_attrs *attrs;
	int err;

	if (!newAttrList || !nvsci_module_is(module))
		return NvSciError_BadParameter;
	err = mem_attrs_create(module->ctx, &attrs);
	if (err)
		return nvsci_error(err);
	return nvsci_list_own(attrs, module, newAttrList);
}

API void NvSciBufAttrListFree(NvSciBufAttrList attrList)
{
	mem_attrs_destroy(attrs_of(attrList));
}

/* Setting */

/*
 * Refuses a repeated key, so that @values cannot overflow, and a key of a type
 * that the list does not have and does not get. libmem would not refuse keys
 * that it only keeps.
 */
static NvSciError list_pairs_in(const struct mem_attrs *attrs,
				struct nvsci_values *values,
				const NvSciBufAttrKeyValuePair *pairs,
				size_t nr)
{
	const struct nvsci_key *key;
	const void *types;
	NvSciError error;
	size_t i, k, len = 0;

	if (nr > PAIRS_MAX)
		return NvSciError_BadParameter;
	types = nvsci_get(attrs, 0, MEM_ATTR_TYPES, &len);
	for (i = 0; i < nr; i++) {
		if (pairs[i].key != NvSciBufGeneralAttrKey_Types)
			continue;
		types = pairs[i].value;
		len = pairs[i].len;
	}
	for (i = 0; i < nr; i++) {
		for (k = 0; k < i; k++)
			if (pairs[k].key == pairs[i].key)
				return NvSciError_BadParameter;
		key = nvsci_key((uint32_t)pairs[i].key);
		if (!key || !nvsci_key_is_of_types(key, types, len))
			return NvSciError_BadParameter;
		error = nvsci_value_in(values, key, pairs[i].value,
				       pairs[i].len);
		if (error)
			return error;
	}
	return NvSciError_Success;
}

static void list_note_align(struct nvsci_list *list,
			    const NvSciBufAttrKeyValuePair *pairs, size_t nr)
{
	static const uint64_t zero;
	size_t i;

	for (i = 0; i < nr; i++)
		if (pairs[i].key == NvSciBufRawBufferAttrKey_Align)
			list->is_align_0 = !memcmp(pairs[i].value, &zero,
						   sizeof(zero));
}

static NvSciError list_set(struct mem_attrs *attrs,
			   const NvSciBufAttrKeyValuePair *pairs, size_t nr)
{
	struct nvsci_values values;
	NvSciError error;

	values.nr = 0;
	values.used = 0;
	error = list_pairs_in(attrs, &values, pairs, nr);
	if (!error)
		error = nvsci_surface_in(attrs, &values);
	if (error)
		return error;
	return nvsci_error(mem_attrs_set(attrs, values.attrs, values.nr));
}

API NvSciError NvSciBufAttrListSetAttrs(NvSciBufAttrList attrList,
					NvSciBufAttrKeyValuePair *pairArray,
					size_t pairCount)
{
	struct mem_attrs *attrs = attrs_of(attrList);
	NvSciError error;

	if (!pairArray || !pairCount ||
	    mem_attrs_state(attrs) != MEM_ATTRS_UNRECONCILED ||
	    mem_attrs_slots(attrs) != 1)
		return NvSciError_BadParameter;
	error = list_set(attrs, pairArray, pairCount);
	if (!error)
		list_note_align(nvsci_list(attrs), pairArray, pairCount);
	return error;
}

/* Reading */

API size_t NvSciBufAttrListGetSlotCount(NvSciBufAttrList attrList)
{
	const int nr = mem_attrs_slots(attrs_of(attrList));

	return nr < 0 ? 0 : (size_t)nr;
}

static bool list_may_be_read(const struct nvsci_key *key, int state)
{
	if (!key)
		return false;
	return key->access != (state == MEM_ATTRS_RECONCILED ? ACCESS_INPUT :
			       ACCESS_OUTPUT);
}

API NvSciError NvSciBufAttrListSlotGetAttrs(NvSciBufAttrList attrList,
					    size_t slotIndex,
					    NvSciBufAttrKeyValuePair *pairArray,
					    size_t pairCount)
{
	const struct mem_attrs *attrs = attrs_of(attrList);
	const int state = mem_attrs_state(attrs);
	NvSciError error = NvSciError_Success;
	size_t i;

	if (!pairArray || !pairCount || state < 0 ||
	    state == MEM_ATTRS_CONFLICT ||
	    slotIndex >= NvSciBufAttrListGetSlotCount(attrList))
		return NvSciError_BadParameter;
	for (i = 0; i < pairCount; i++)
		if (!list_may_be_read(nvsci_key((uint32_t)pairArray[i].key),
				      state))
			return NvSciError_BadParameter;
	for (i = 0; i < pairCount && !error; i++)
		error = nvsci_value_out(attrs, (unsigned int)slotIndex,
					nvsci_key((uint32_t)pairArray[i].key),
					&pairArray[i].value,
					&pairArray[i].len);
	return error;
}

API NvSciError NvSciBufAttrListGetAttrs(NvSciBufAttrList attrList,
					NvSciBufAttrKeyValuePair *pairArray,
					size_t pairCount)
{
	return NvSciBufAttrListSlotGetAttrs(attrList, 0, pairArray, pairCount);
}

API NvSciError NvSciBufAttrListDebugDump(NvSciBufAttrList attrList, void **buf,
					 size_t *len)
{
	const struct mem_attrs *attrs = attrs_of(attrList);
	int need;
	char *text;

	if (!buf || !len || !nvsci_list_is(attrList))
		return NvSciError_BadParameter;
	need = mem_attrs_dump(attrs, NULL, 0);
	if (need < 0)
		return nvsci_error(need);
	text = malloc((size_t)need + 1);
	if (!text)
		return NvSciError_InsufficientMemory;
	mem_attrs_dump(attrs, text, (size_t)need + 1);
	*buf = text;
	*len = (size_t)need + 1;
	return NvSciError_Success;
}

API NvSciError NvSciBufAttrListDump(NvSciBufAttrList attrList, void **buf,
				    size_t *len)
{
	return NvSciBufAttrListDebugDump(attrList, buf, len);
}

API NvSciError NvSciBufAttrListIsReconciled(NvSciBufAttrList attrList,
					    bool *isReconciled)
{
	const int state = mem_attrs_state(attrs_of(attrList));

	if (state < 0 || !isReconciled)
		return NvSciError_BadParameter;
	*isReconciled = state == MEM_ATTRS_RECONCILED;
	return NvSciError_Success;
}

/* Lists of lists */

static bool list_has_types(const struct mem_attrs *attrs)
{
	int slot;

	for (slot = 0; slot < mem_attrs_slots(attrs); slot++)
		if (nvsci_get(attrs, (unsigned int)slot, MEM_ATTR_TYPES, NULL))
			return true;
	return false;
}

API NvSciError NvSciBufAttrListClone(NvSciBufAttrList origAttrList,
				     NvSciBufAttrList *newAttrList)
{
	const struct mem_attrs *attrs = attrs_of(origAttrList);
	struct mem_attrs *clone;
	NvSciError error;
	int err;

	if (!newAttrList || !nvsci_list_is(origAttrList) ||
	    !list_has_types(attrs))
		return NvSciError_BadParameter;
	err = mem_attrs_clone(attrs, &clone);
	if (err)
		return nvsci_error(err);
	error = nvsci_list_own(clone, list_module_of(attrs), newAttrList);
	if (!error && nvsci_list(attrs))
		nvsci_list(clone)->is_align_0 = nvsci_list(attrs)->is_align_0;
	return error;
}

API NvSciError
NvSciBufAttrListAppendUnreconciled(const NvSciBufAttrList inputArray[],
				   size_t inputCount,
				   NvSciBufAttrList *newAttrList)
{
	struct NvSciBufModuleRec *module = NULL;
	struct mem_attrs *attrs;
	NvSciError error;
	size_t i;
	int err;

	if (!newAttrList)
		return NvSciError_BadParameter;
	error = nvsci_lists(inputArray, inputCount, &module);
	if (error)
		return error;
	for (i = 0; i < inputCount; i++)
		if (!list_has_types(attrs_of(inputArray[i])))
			return NvSciError_BadParameter;
	err = mem_attrs_append((struct mem_attrs *const *)inputArray,
			       inputCount, &attrs);
	if (err)
		return nvsci_error(err);
	return nvsci_list_own(attrs, module, newAttrList);
}

/* Returns true if all alignments that were set were 0, stored as 1. */
static bool lists_have_align_0(const NvSciBufAttrList lists[], size_t nr)
{
	bool is_set = false;
	size_t i;
	int slot;

	for (i = 0; i < nr; i++) {
		const struct mem_attrs *attrs = attrs_of(lists[i]);

		for (slot = 0; slot < mem_attrs_slots(attrs); slot++) {
			const uint64_t *align =
				nvsci_get(attrs, (unsigned int)slot,
					  MEM_ATTR_RAW_ALIGN, NULL);

			if (align && *align > 1)
				return false;
			is_set |= !!align;
		}
	}
	return is_set;
}

/* Replaces a conflict by the one that does not list the module's defaults. */
static void list_conflict_of(struct mem_attrs *const *lists, size_t nr,
			     struct mem_attrs **conflict)
{
	struct mem_attrs *reconciled = NULL, *own = NULL;

	if (mem_attrs_reconcile(lists, nr, &reconciled, &own) == -EADV) {
		mem_attrs_destroy(*conflict);
		*conflict = own;
	}
	mem_attrs_destroy(reconciled);
}

API NvSciError
NvSciBufAttrListReconcile(const NvSciBufAttrList inputArray[],
			  size_t inputCount,
			  NvSciBufAttrList *newReconciledAttrList,
			  NvSciBufAttrList *newConflictList)
{
	struct mem_attrs **all, *attrs = NULL, *conflict = NULL;
	struct NvSciBufModuleRec *module = NULL;
	enum nvsci_hidden hidden;
	NvSciError error;
	size_t i;
	int err;

	if (!newReconciledAttrList || !newConflictList)
		return NvSciError_BadParameter;
	error = nvsci_lists(inputArray, inputCount, &module);
	if (error)
		return error;
	all = malloc((inputCount + 1) * sizeof(*all));
	if (!all)
		return NvSciError_InsufficientMemory;
	for (i = 0; i < inputCount; i++)
		all[i] = attrs_of(inputArray[i]);
	hidden = lists_have_align_0(inputArray, inputCount) ? HIDDEN_ALIGN_0 :
							      HIDDEN_DEFAULTS;
	all[inputCount] = module->hidden[hidden];
	err = mem_attrs_reconcile(all, inputCount + 1, &attrs, &conflict);
	if (err == -EADV)
		list_conflict_of(all, inputCount, &conflict);
	free(all);
	if (err == -EADV) {
		error = nvsci_list_own(conflict, module, newConflictList);
		return error ? error : NvSciError_ReconciliationFailed;
	}
	if (err)
		return nvsci_error(err);
	error = nvsci_list_own(attrs, module, newReconciledAttrList);
	/* Programs free a conflict list that is not NULL, uninitialised. */
	if (!error)
		*newConflictList = NULL;
	return error;
}

API NvSciError
NvSciBufAttrListValidateReconciled(NvSciBufAttrList reconciledAttrList,
				   const NvSciBufAttrList unreconciledArray[],
				   size_t unreconciledCount,
				   bool *isReconcileListValid)
{
	const struct mem_attrs *attrs = attrs_of(reconciledAttrList);
	struct NvSciBufModuleRec *module = NULL;
	NvSciError error;
	int err;

	if (mem_attrs_state(attrs) != MEM_ATTRS_RECONCILED ||
	    !isReconcileListValid)
		return NvSciError_BadParameter;
	error = nvsci_lists(unreconciledArray, unreconciledCount, &module);
	if (error)
		return error;
	err = mem_attrs_validate(attrs,
				 (struct mem_attrs *const *)unreconciledArray,
				 unreconciledCount);
	if (!err || err == -EADV)
		*isReconcileListValid = !err;
	return nvsci_error(err);
}

/* Outputs of a reconciled list must be equal. */
static NvSciError list_compare_output(const struct mem_attrs *attrs,
				      const NvSciBufAttrKeyValuePair *pair)
{
	const struct nvsci_key *key = nvsci_key((uint32_t)pair->key);
	const void *value;
	NvSciError error;
	size_t len;

	if (!pair->value || !pair->len || pair->len % key->len)
		return NvSciError_BadParameter;
	error = nvsci_value_out(attrs, 0, key, &value, &len);
	if (error)
		return error;
	if (!value || len != pair->len || memcmp(value, pair->value, len))
		return NvSciError_AttrListValidationFailed;
	return NvSciError_Success;
}

/* Inputs are validated as a list of their own. */
static NvSciError list_compare_inputs(struct mem_ctx *ctx,
				      const struct mem_attrs *attrs,
				      const NvSciBufAttrKeyValuePair *pairs,
				      size_t nr)
{
	struct mem_attr types = { .key = MEM_ATTR_TYPES };
	struct mem_attrs *list = NULL;
	NvSciError error;
	bool has = false;
	size_t i;
	int err;

	for (i = 0; i < nr; i++)
		has |= pairs[i].key == NvSciBufGeneralAttrKey_Types;
	err = mem_attrs_create(ctx, &list);
	if (!err && !has) {
		mem_attrs_get(attrs, 0, &types, 1);
		err = mem_attrs_set(list, &types, 1);
	}
	error = nvsci_error(err);
	if (!error)
		error = list_set(list, pairs, nr);
	if (!error) {
		err = mem_attrs_validate(attrs, &list, 1);
		error = err == -EADV ? NvSciError_AttrListValidationFailed :
			nvsci_error(err);
	}
	mem_attrs_destroy(list);
	return error;
}

API NvSciError NvSciBufAttrListValidateReconciledAgainstAttrs
	(const NvSciBufAttrList reconciledAttrList,
	 const NvSciBufAttrKeyValuePair *pairArray, const size_t pairCount)
{
	const struct mem_attrs *attrs = attrs_of(reconciledAttrList);
	NvSciBufAttrKeyValuePair inputs[PAIRS_MAX];
	struct mem_ctx *ctx;
	NvSciError error;
	size_t i, nr = 0;
	int err;

	if (mem_attrs_state(attrs) != MEM_ATTRS_RECONCILED || !pairArray ||
	    !pairCount || pairCount > PAIRS_MAX)
		return NvSciError_BadParameter;
	for (i = 0; i < pairCount; i++) {
		const struct nvsci_key *key =
			nvsci_key((uint32_t)pairArray[i].key);

		if (!key)
			return NvSciError_BadParameter;
		if (key->access != ACCESS_OUTPUT) {
			inputs[nr++] = pairArray[i];
			continue;
		}
		error = list_compare_output(attrs, &pairArray[i]);
		if (error)
			return error;
	}
	if (!nr)
		return NvSciError_Success;
	err = mem_ctx_open_shared(NULL, &ctx);
	if (err)
		return nvsci_error(err);
	error = list_compare_inputs(ctx, attrs, inputs, nr);
	mem_ctx_close(ctx);
	return error;
}
