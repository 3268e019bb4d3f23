/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the tests of NvSciSync. */
#ifndef _NVSCI_SYNC_TEST_H
#define _NVSCI_SYNC_TEST_H

#include "test.h"
#include <nvscisync.h>

/* Microseconds: a wait that only a hang makes this long, and a short one */
#define LONG_US		60000000
#define SHORT_US	2000

static NvSciSyncModule sync_module;
static NvSciSyncCpuWaitContext cpu;

static inline int open_sync(void **state)
{
	(void)state;
	return NvSciSyncModuleOpen(&sync_module) ||
	       NvSciSyncCpuWaitContextAlloc(sync_module, &cpu);
}

static inline int close_sync(void **state)
{
	(void)state;
	NvSciSyncCpuWaitContextFree(cpu);
	NvSciSyncModuleClose(sync_module);
	return 0;
}

static inline NvSciSyncAttrList sync_list(void)
{
	NvSciSyncAttrList list = NULL;

	must(NvSciSyncAttrListCreate(sync_module, &list) ==
	     NvSciError_Success);
	return list;
}

static inline NvSciError sync_set(NvSciSyncAttrList list, NvSciSyncAttrKey key,
				  const void *value, size_t len)
{
	const NvSciSyncAttrKeyValuePair pair = { key, value, len };

	return NvSciSyncAttrListSetAttrs(list, &pair, 1);
}

/* A list of a part that the CPU plays */
static inline NvSciSyncAttrList cpu_list(NvSciSyncAccessPerm perm)
{
	const bool yes = true;
	NvSciSyncAttrList list = sync_list();
	const NvSciSyncAttrKeyValuePair pairs[] = {
		{ NvSciSyncAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
		{ NvSciSyncAttrKey_RequiredPerm, &perm, sizeof(perm) },
	};

	must(NvSciSyncAttrListSetAttrs(list, pairs, NR(pairs)) ==
	     NvSciError_Success);
	return list;
}

static inline const void *sync_value(NvSciSyncAttrList list,
				     NvSciSyncAttrKey key, size_t len)
{
	const void *found = NULL;
	size_t found_len = 0;

	must(NvSciSyncAttrListGetAttr(list, key, &found, &found_len) ==
	     NvSciError_Success);
	must(found && found_len == len);
	return found;
}

#define sync_is(list, key, type, number)				\
	assert_true(*(const type *)sync_value(list, key, sizeof(type)) ==\
		    (type)(number))

static inline bool sync_has(NvSciSyncAttrList list, NvSciSyncAttrKey key)
{
	const void *found;
	size_t len;

	must(NvSciSyncAttrListGetAttr(list, key, &found, &len) ==
	     NvSciError_Success);
	return found;
}

/* Reconciles a signaler's and a waiter's list, both of which the CPU plays. */
static inline NvSciSyncAttrList cpu_reconciled(void)
{
	NvSciSyncAttrList lists[2] = {
		cpu_list(NvSciSyncAccessPerm_SignalOnly),
		cpu_list(NvSciSyncAccessPerm_WaitOnly),
	};
	NvSciSyncAttrList result = NULL, conflict;

	must(NvSciSyncAttrListReconcile(lists, 2, &result, &conflict) ==
	     NvSciError_Success);
	NvSciSyncAttrListFree(lists[0]);
	NvSciSyncAttrListFree(lists[1]);
	return result;
}

static inline NvSciSyncObj cpu_object(void)
{
	NvSciSyncAttrList list = cpu_reconciled();
	NvSciSyncObj object = NULL;

	must(NvSciSyncObjAlloc(list, &object) == NvSciError_Success);
	NvSciSyncAttrListFree(list);
	return object;
}

#endif
