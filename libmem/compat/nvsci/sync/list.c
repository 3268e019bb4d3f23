// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvSciSync: attribute lists. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sync.h"

#define PRIMITIVES_MAX	6U

/**
 * enum sync_as - which values a key has
 * @AS_BOOL: bool
 * @AS_FALSE: bool that must be false
 * @AS_PERM: permission
 * @AS_PRIMITIVES: types of primitives
 * @AS_IDS: any bytes
 * @AS_OUTPUT: only of reconciled lists
 * @AS_MISSING: not supported
 */
enum sync_as {
	AS_BOOL,
	AS_FALSE,
	AS_PERM,
	AS_PRIMITIVES,
	AS_IDS,
	AS_OUTPUT,
	AS_MISSING
};

/**
 * struct sync_key - a row of the table
 * @key: the vendor's key
 * @name: name in the vendor's headers
 * @as: enum sync_as
 * @kept: enum sync_kept, unless @as is AS_OUTPUT or AS_MISSING
 * @len: bytes of an element
 * @max: maximum number of elements
 */
struct sync_key {
	uint32_t key;
	const char *name;
	uint8_t as;
	uint8_t kept;
	uint16_t len;
	uint16_t max;
};

#define ROW(of)	.key = NvSciSyncAttrKey_##of, .name = "NvSciSyncAttrKey_" #of

static const struct sync_key keys[] = {
	{ ROW(NeedCpuAccess), AS_BOOL, SYNC_NEED_CPU, sizeof(bool), 1 },
	{ ROW(RequiredPerm), AS_PERM, SYNC_REQUIRED_PERM,
	  sizeof(NvSciSyncAccessPerm), 1 },
	{ ROW(ActualPerm), AS_OUTPUT },
	{ ROW(WaiterContextInsensitiveFenceExports), AS_BOOL,
	  SYNC_CONTEXT_INSENSITIVE, sizeof(bool), 1 },
	{ ROW(WaiterRequireTimestamps), AS_FALSE, SYNC_TIMESTAMPS,
	  sizeof(bool), 1 },
	{ ROW(RequireDeterministicFences), AS_BOOL, SYNC_DETERMINISTIC,
	  sizeof(bool), 1 },
	{ ROW(NumTimestampSlots), AS_OUTPUT },
	{ ROW(NumTaskStatusSlots), AS_OUTPUT },
	{ ROW(MaxPrimitiveValue), AS_OUTPUT },
	{ ROW(PrimitiveInfo), AS_PRIMITIVES, SYNC_PRIMITIVES,
	  sizeof(NvSciSyncAttrValPrimitiveType), PRIMITIVES_MAX },
	{ ROW(PeerLocationInfo), AS_MISSING },
	{ ROW(GpuId), AS_IDS, SYNC_GPU_IDS, sizeof(NvSciRmGpuId),
	  NV_SCI_BUF_MAX_GPUS },
	{ ROW(PeerHwEngineArray), AS_MISSING },
};

#define NR_KEYS	(sizeof(keys) / sizeof(*keys))

static const struct sync_key *sync_key_of(uint32_t key)
{
	size_t i;

	for (i = 0; i < NR_KEYS; i++)
		if (keys[i].key == key)
			return &keys[i];
	return NULL;
}

/* The life of a list */

static void sync_list_destroy(void *client)
{
	struct sync_list *list = client;

	sync_module_put(list->module);
	free(list);
}

/**
 * sync_list_own() - make a new list belong to a module
 * @attrs: list without a client; destroyed on failure
 * @module: module
 * @list: out: @attrs
 *
 * Return: NvSciError_Success or NvSciError_InsufficientMemory.
 */
NvSciError sync_list_own(struct mem_attrs *attrs,
			 struct NvSciSyncModuleRec *module,
			 struct mem_attrs **list)
{
	struct sync_list *new = calloc(1, sizeof(*new));

	if (!new || mem_attrs_set_client(attrs, new, sync_list_destroy)) {
		free(new);
		mem_attrs_destroy(attrs);
		return NvSciError_InsufficientMemory;
	}
	new->module = sync_module_get(module);
	*list = attrs;
	return NvSciError_Success;
}

/**
 * sync_list_is() - check the kind of a list
 * @list: list, or NULL
 * @state: enum mem_attrs_state
 *
 * Return: true if it is a list of NvSciSync of that kind.
 */
bool sync_list_is(NvSciSyncAttrList list, int state)
{
	const struct mem_attrs *attrs = sync_attrs_of(list);

	return mem_attrs_state(attrs) == state &&
	       (state == MEM_ATTRS_CONFLICT ||
		sync_get(attrs, 0, SYNC_MARK, NULL));
}

/**
 * sync_lists() - check unreconciled lists that are used together
 * @lists: lists
 * @nr: number of @lists
 * @module: in: required module, or NULL; out: module of the lists
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * @nr is 0, a list is of another kind, of another module, or twice in @lists).
 */
NvSciError sync_lists(const NvSciSyncAttrList lists[], size_t nr,
		      struct NvSciSyncModuleRec **module)
{
	size_t i, k;

	if (!lists || !nr)
		return NvSciError_BadParameter;
	for (i = 0; i < nr; i++) {
		if (!sync_list_is(lists[i], MEM_ATTRS_UNRECONCILED))
			return NvSciError_BadParameter;
		for (k = 0; k < i; k++)
			if (lists[k] == lists[i])
				return NvSciError_BadParameter;
		if (!*module)
			*module = sync_list_of(sync_attrs_of(lists[i]))->module;
		if (sync_list_of(sync_attrs_of(lists[i]))->module != *module)
			return NvSciError_BadParameter;
	}
	return NvSciError_Success;
}

API NvSciError NvSciSyncAttrListCreate(NvSciSyncModule module,
				       NvSciSyncAttrList *attrList)
{
	static const uint8_t mark;
	const struct mem_attr value = {
		.key = MEM_ATTR_CLIENT + SYNC_MARK,
		.value = &mark,
		.len = sizeof(mark),
	};
	struct mem_attrs *attrs;
	int err;

	if (!attrList || !sync_module_is(module))
		return NvSciError_BadParameter;
	err = mem_attrs_create(module->ctx, &attrs);
	if (err)
		return nvsci_error(err);
	err = mem_attrs_set(attrs, &value, 1);
	if (err) {
		mem_attrs_destroy(attrs);
		return nvsci_error(err);
	}
	return sync_list_own(attrs, module, (struct mem_attrs **)attrList);
}

API void NvSciSyncAttrListFree(NvSciSyncAttrList attrList)
{
	mem_attrs_destroy(sync_attrs_of(attrList));
}

API NvSciError NvSciSyncAttrListIsReconciled(NvSciSyncAttrList attrList,
					     bool *isReconciled)
{
	if (!isReconciled || mem_attrs_state(sync_attrs_of(attrList)) < 0)
		return NvSciError_BadParameter;
	*isReconciled = sync_list_is(attrList, MEM_ATTRS_RECONCILED);
	return NvSciError_Success;
}

/* Values */

static bool primitives_are_valid(const void *value, size_t nr)
{
	uint32_t type;
	size_t i;

	for (i = 0; i < nr; i++) {
		memcpy(&type, (const uint8_t *)value + i * sizeof(type),
		       sizeof(type));
		if (type <= NvSciSyncAttrValPrimitiveType_LowerBound ||
		    type >= NvSciSyncAttrValPrimitiveType_UpperBound)
			return false;
	}
	return true;
}

static NvSciError sync_value_check(const struct sync_key *key,
				   const void *value, size_t len)
{
	uint64_t perm;

	if (!value || !len || !key->len || len % key->len ||
	    len / key->len > key->max)
		return NvSciError_BadParameter;
	switch (key->as) {
	case AS_BOOL:
	case AS_FALSE:
		if (*(const uint8_t *)value > 1)
			return NvSciError_BadParameter;
		if (key->as == AS_FALSE && *(const uint8_t *)value)
			return nvsci_missing(key->name);
		return NvSciError_Success;
	case AS_PERM:
		memcpy(&perm, value, sizeof(perm));
		return perm && !(perm & ~NvSciSyncAccessPerm_WaitSignal) ?
		       NvSciError_Success : NvSciError_BadParameter;
	case AS_PRIMITIVES:
		return primitives_are_valid(value, len / key->len) ?
		       NvSciError_Success : NvSciError_BadParameter;
	default:
		return NvSciError_Success;
	}
}

API NvSciError
NvSciSyncAttrListSetAttrs(NvSciSyncAttrList attrList,
			  const NvSciSyncAttrKeyValuePair *pairArray,
			  size_t pairCount)
{
	struct mem_attrs *attrs = sync_attrs_of(attrList);
	struct mem_attr values[NR_KEYS];
	const struct sync_key *key;
	NvSciError error;
	size_t i;

	if (!pairArray || !pairCount || pairCount > NR_KEYS ||
	    !sync_list_is(attrList, MEM_ATTRS_UNRECONCILED) ||
	    mem_attrs_slots(attrs) != 1 || sync_list_of(attrs)->is_imported)
		return NvSciError_BadParameter;
	for (i = 0; i < pairCount; i++) {
		key = sync_key_of(pairArray[i].attrKey);
		if (!key || key->as == AS_OUTPUT)
			return NvSciError_BadParameter;
		if (key->as == AS_MISSING)
			return nvsci_missing(key->name);
		error = sync_value_check(key, pairArray[i].value,
					 pairArray[i].len);
		if (error)
			return error;
		values[i] = (struct mem_attr) {
			.key = MEM_ATTR_CLIENT + key->kept,
			.value = pairArray[i].value,
			.len = pairArray[i].len,
		};
	}
	return nvsci_error(mem_attrs_set(attrs, values, pairCount));
}

static bool slot_has_types(const struct mem_attrs *attrs, unsigned int slot)
{
	struct mem_attr types = { .key = MEM_ATTR_TYPES };

	return mem_attrs_get(attrs, slot, &types, 1) || types.value;
}

/* Returns true if a slot has the marks and values that its kind has. */
static bool slot_is_valid(const struct mem_attrs *attrs, unsigned int slot,
			  bool is_reconciled)
{
	const uint8_t *mark;
	const void *value;
	size_t i, len;

	mark = sync_get(attrs, slot, SYNC_MARK, &len);
	if (!mark || len != 1 || *mark & ~MEM_RW || (!is_reconciled && *mark))
		return false;
	for (i = 0; i < SYNC_NEED_CPU; i++)
		if (sync_get(attrs, slot, (enum sync_kept)i, NULL))
			return false;
	if (!is_reconciled && slot_has_types(attrs, slot))
		return false;
	for (i = 0; i < NR_KEYS; i++) {
		if (!keys[i].len)
			continue;
		value = sync_get(attrs, slot, keys[i].kept, &len);
		if (value && sync_value_check(&keys[i], value, len))
			return false;
		if (!value && is_reconciled && keys[i].as != AS_IDS)
			return false;
	}
	return true;
}

/**
 * sync_list_is_valid() - check a list of another process
 * @attrs: list, whose clients' keys are bytes to libmem
 *
 * Return: true if NvSciSync could have made it here.
 */
bool sync_list_is_valid(const struct mem_attrs *attrs)
{
	const bool is_reconciled = mem_attrs_state(attrs) ==
				   MEM_ATTRS_RECONCILED;
	int slot;

	for (slot = 0; slot < mem_attrs_slots(attrs); slot++)
		if (!slot_is_valid(attrs, (unsigned int)slot, is_reconciled))
			return false;
	return true;
}

/* Reading */

static const void *sync_output(const struct mem_attrs *attrs, uint32_t key,
			       size_t *len)
{
	static const uint32_t none;
	static const uint64_t max_32 = UINT32_MAX, max_64 = UINT64_MAX;
	const struct sync_list *list = sync_list_of(attrs);
	const uint32_t *primitive;

	switch (key) {
	case NvSciSyncAttrKey_ActualPerm:
		if (!list->own_perm)
			return sync_get(attrs, 0, SYNC_REQUIRED_PERM, len);
		*len = sizeof(list->own_perm);
		return &list->own_perm;
	case NvSciSyncAttrKey_MaxPrimitiveValue:
		primitive = sync_get(attrs, 0, SYNC_PRIMITIVES, NULL);
		*len = sizeof(max_64);
		return *primitive == NvSciSyncAttrValPrimitiveType_Syncpoint ||
		       *primitive ==
			       NvSciSyncAttrValPrimitiveType_SysmemSemaphore ?
		       &max_32 : &max_64;
	default:
		*len = sizeof(none);
		return &none;
	}
}

static bool sync_read(const struct mem_attrs *attrs, unsigned int slot,
		      NvSciSyncAttrKeyValuePair *pair)
{
	const struct sync_key *key = sync_key_of(pair->attrKey);

	if (!key)
		return false;
	pair->value = NULL;
	pair->len = 0;
	if (key->len)
		pair->value = sync_get(attrs, slot, key->kept, &pair->len);
	else if (key->as == AS_OUTPUT &&
		 mem_attrs_state(attrs) == MEM_ATTRS_RECONCILED)
		pair->value = sync_output(attrs, pair->attrKey, &pair->len);
	return true;
}

API size_t NvSciSyncAttrListGetSlotCount(NvSciSyncAttrList attrList)
{
	const int nr = mem_attrs_slots(sync_attrs_of(attrList));

	return nr < 0 ? 0 : (size_t)nr;
}

API NvSciError
NvSciSyncAttrListSlotGetAttrs(NvSciSyncAttrList attrList, size_t slotIndex,
			      NvSciSyncAttrKeyValuePair *pairArray,
			      size_t pairCount)
{
	size_t i;

	if (!pairArray || !pairCount ||
	    slotIndex >= NvSciSyncAttrListGetSlotCount(attrList))
		return NvSciError_BadParameter;
	for (i = 0; i < pairCount; i++)
		if (!sync_read(sync_attrs_of(attrList), (unsigned int)slotIndex,
			       &pairArray[i]))
			return NvSciError_BadParameter;
	return NvSciError_Success;
}

API NvSciError NvSciSyncAttrListGetAttrs(NvSciSyncAttrList attrList,
					 NvSciSyncAttrKeyValuePair *pairArray,
					 size_t pairCount)
{
	return NvSciSyncAttrListSlotGetAttrs(attrList, 0, pairArray, pairCount);
}

API NvSciError NvSciSyncAttrListGetAttr(NvSciSyncAttrList attrList,
					NvSciSyncAttrKey key,
					const void **value, size_t *len)
{
	NvSciSyncAttrKeyValuePair pair = { .attrKey = key };
	NvSciError error;

	if (!value || !len)
		return NvSciError_BadParameter;
	error = NvSciSyncAttrListGetAttrs(attrList, &pair, 1);
	if (error)
		return error;
	*value = pair.value;
	*len = pair.len;
	return NvSciError_Success;
}

static void sync_print(FILE *to, const struct mem_attrs *attrs,
		       unsigned int slot)
{
	NvSciSyncAttrKeyValuePair pair;
	size_t i, k;

	for (i = 0; i < NR_KEYS; i++) {
		pair.attrKey = (NvSciSyncAttrKey)keys[i].key;
		sync_read(attrs, slot, &pair);
		if (!pair.value)
			continue;
		fprintf(to, "%u %s", slot, keys[i].name);
		for (k = 0; k < pair.len; k++)
			fprintf(to, " %02x", ((const uint8_t *)pair.value)[k]);
		fputc('\n', to);
	}
}

API NvSciError NvSciSyncAttrListDebugDump(NvSciSyncAttrList attrList,
					  void **buf, size_t *len)
{
	const struct mem_attrs *attrs = sync_attrs_of(attrList);
	size_t slot, text_len;
	char *text = NULL;
	FILE *to;

	if (!buf || !len || mem_attrs_state(attrs) < 0)
		return NvSciError_BadParameter;
	to = open_memstream(&text, &text_len);
	if (!to)
		return NvSciError_InsufficientMemory;
	if (mem_attrs_state(attrs) == MEM_ATTRS_CONFLICT)
		fprintf(to, "conflict: %s\n", sync_list_of(attrs)->conflict);
	for (slot = 0; slot < NvSciSyncAttrListGetSlotCount(attrList); slot++)
		sync_print(to, attrs, (unsigned int)slot);
	if (fclose(to)) {
		free(text);
		return NvSciError_InsufficientMemory;
	}
	*buf = text;
	*len = text_len + 1;
	return NvSciError_Success;
}

/* Lists of lists */

API NvSciError NvSciSyncAttrListClone(NvSciSyncAttrList origAttrList,
				      NvSciSyncAttrList *newAttrList)
{
	const struct mem_attrs *attrs = sync_attrs_of(origAttrList);
	const struct sync_list *list;
	struct mem_attrs *clone;
	NvSciError error;
	int err;

	if (!newAttrList)
		return NvSciError_BadParameter;
	err = mem_attrs_clone(attrs, &clone);
	if (err)
		return nvsci_error(err);
	list = sync_list_of(attrs);
	error = sync_list_own(clone, list->module, &clone);
	if (error)
		return error;
	sync_list_of(clone)->is_imported = list->is_imported;
	sync_list_of(clone)->own_perm = list->own_perm;
	sync_list_of(clone)->peer_perm = list->peer_perm;
	*newAttrList = (NvSciSyncAttrList)clone;
	return NvSciError_Success;
}

API NvSciError
NvSciSyncAttrListAppendUnreconciled(const NvSciSyncAttrList inputArray[],
				    size_t inputCount,
				    NvSciSyncAttrList *newUnreconciledAttrList)
{
	struct NvSciSyncModuleRec *module = NULL;
	struct mem_attrs *attrs;
	NvSciError error;
	bool is_imported = true;
	size_t i;
	int err;

	if (!newUnreconciledAttrList)
		return NvSciError_BadParameter;
	error = sync_lists(inputArray, inputCount, &module);
	if (error)
		return error;
	for (i = 0; i < inputCount; i++)
		is_imported &= sync_list_of(sync_attrs_of(inputArray[i]))
				       ->is_imported;
	err = mem_attrs_append((struct mem_attrs *const *)inputArray,
			       inputCount, &attrs);
	if (err)
		return nvsci_error(err);
	error = sync_list_own(attrs, module, &attrs);
	if (error)
		return error;
	sync_list_of(attrs)->is_imported = is_imported;
	*newUnreconciledAttrList = (NvSciSyncAttrList)attrs;
	return NvSciError_Success;
}
