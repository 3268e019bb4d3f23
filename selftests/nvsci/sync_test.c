// SPDX-License-Identifier: GPL-2.0-only
/* Tests NvSciSync within a process: lists, objects and fences. */
#include <pthread.h>

#include "sync.h"

static void keys_are_set_once_and_checked(void **state)
{
	const NvSciSyncAccessPerm none = 0, wrong = 4, waits =
		NvSciSyncAccessPerm_WaitOnly, any = NvSciSyncAccessPerm_Auto;
	const uint32_t types[] = {
		NvSciSyncAttrValPrimitiveType_Syncpoint,
		NvSciSyncAttrValPrimitiveType_UpperBound,
	};
	const uint8_t two = 2;
	const bool yes = true, no = false;
	const uint64_t number = 1;
	NvSciSyncAttrList list = sync_list();
	const NvSciSyncAttrKeyValuePair twice[] = {
		{ NvSciSyncAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
		{ NvSciSyncAttrKey_NeedCpuAccess, &yes, sizeof(yes) },
	};

	(void)state;
	bad(NvSciSyncAttrListSetAttrs(list, twice, 2));
	assert_false(sync_has(list, NvSciSyncAttrKey_NeedCpuAccess));
	bad(sync_set(list, NvSciSyncAttrKey_NeedCpuAccess, &two, 1));
	bad(sync_set(list, NvSciSyncAttrKey_NeedCpuAccess, &number, 8));
	bad(sync_set(list, NvSciSyncAttrKey_NeedCpuAccess, NULL, 1));
	bad(sync_set(list, NvSciSyncAttrKey_NeedCpuAccess, &yes, 0));
	bad(sync_set(list, NvSciSyncAttrKey_RequiredPerm, &none, 8));
	bad(sync_set(list, NvSciSyncAttrKey_RequiredPerm, &wrong, 8));
	bad(sync_set(list, NvSciSyncAttrKey_RequiredPerm, &any, 8));
	bad(sync_set(list, NvSciSyncAttrKey_RequiredPerm, &waits, 4));
	bad(sync_set(list, NvSciSyncAttrKey_PrimitiveInfo, types, 8));
	bad(sync_set(list, NvSciSyncAttrKey_PrimitiveInfo, types, 3));
	bad(sync_set(list, NvSciSyncAttrKey_ActualPerm, &waits, 8));
	bad(sync_set(list, NvSciSyncAttrKey_NumTimestampSlots, types, 4));
	bad(sync_set(list, NvSciSyncAttrKey_LowerBound, &yes, 1));
	bad(sync_set(list, NvSciSyncAttrKey_UpperBound, &yes, 1));
	bad(sync_set(NULL, NvSciSyncAttrKey_NeedCpuAccess, &yes, 1));
	bad(NvSciSyncAttrListSetAttrs(list, NULL, 1));
	bad(NvSciSyncAttrListSetAttrs(list, twice, 0));

	ok(sync_set(list, NvSciSyncAttrKey_NeedCpuAccess, &yes, 1));
	bad(sync_set(list, NvSciSyncAttrKey_NeedCpuAccess, &yes, 1));
	ok(sync_set(list, NvSciSyncAttrKey_RequiredPerm, &waits, 8));
	ok(sync_set(list, NvSciSyncAttrKey_PrimitiveInfo, types, 4));
	ok(sync_set(list, NvSciSyncAttrKey_WaiterRequireTimestamps, &no, 1));
	sync_is(list, NvSciSyncAttrKey_NeedCpuAccess, bool, true);
	sync_is(list, NvSciSyncAttrKey_RequiredPerm, uint64_t, waits);
	sync_is(list, NvSciSyncAttrKey_PrimitiveInfo, uint32_t, types[0]);
	assert_false(sync_has(list, NvSciSyncAttrKey_ActualPerm));
	assert_false(sync_has(list, NvSciSyncAttrKey_GpuId));
	assert_int_equal(NvSciSyncAttrListGetSlotCount(list), 1);
	assert_int_equal(NvSciSyncAttrListGetSlotCount(NULL), 0);
	NvSciSyncAttrListFree(list);
	NvSciSyncAttrListFree(NULL);
}

static void lists_merge(void **state)
{
	NvSciSyncAttrList lists[3], result, conflict, both;
	const bool yes = true;
	bool is = true;

	(void)state;
	lists[0] = cpu_list(NvSciSyncAccessPerm_SignalOnly);
	lists[1] = sync_list();
	ok(sync_set(lists[1], NvSciSyncAttrKey_RequireDeterministicFences,
		    &yes, 1));
	lists[2] = cpu_list(NvSciSyncAccessPerm_WaitOnly);
	ok(NvSciSyncAttrListAppendUnreconciled(lists, 2, &both));
	assert_int_equal(NvSciSyncAttrListGetSlotCount(both), 2);
	bad(sync_set(both, NvSciSyncAttrKey_NeedCpuAccess, &yes, 1));
	NvSciSyncAttrListFree(lists[0]);
	lists[0] = both;
	ok(NvSciSyncAttrListIsReconciled(both, &is));
	assert_false(is);

	ok(NvSciSyncAttrListReconcile((NvSciSyncAttrList[]) { both, lists[2] },
				      2, &result, &conflict));
	ok(NvSciSyncAttrListIsReconciled(result, &is));
	assert_true(is);
	sync_is(result, NvSciSyncAttrKey_NeedCpuAccess, bool, true);
	sync_is(result, NvSciSyncAttrKey_RequiredPerm, uint64_t, 3);
	sync_is(result, NvSciSyncAttrKey_ActualPerm, uint64_t, 3);
	sync_is(result, NvSciSyncAttrKey_RequireDeterministicFences, bool,
		true);
	sync_is(result, NvSciSyncAttrKey_WaiterContextInsensitiveFenceExports,
		bool, false);
	sync_is(result, NvSciSyncAttrKey_WaiterRequireTimestamps, bool, false);
	sync_is(result, NvSciSyncAttrKey_NumTimestampSlots, uint32_t, 0);
	sync_is(result, NvSciSyncAttrKey_NumTaskStatusSlots, uint32_t, 0);
	sync_is(result, NvSciSyncAttrKey_PrimitiveInfo, uint32_t,
		NvSciSyncAttrValPrimitiveType_SysmemSemaphorePayload64b);
	sync_is(result, NvSciSyncAttrKey_MaxPrimitiveValue, uint64_t,
		UINT64_MAX);
	bad(sync_set(result, NvSciSyncAttrKey_NeedCpuAccess, &yes, 1));

	ok(NvSciSyncAttrListValidateReconciled(result, lists, 3, &is));
	assert_true(is);
	bad(NvSciSyncAttrListValidateReconciled(both, lists, 3, &is));
	bad(NvSciSyncAttrListValidateReconciled(result, &result, 1, &is));
	bad(NvSciSyncAttrListValidateReconciled(result, lists, 0, &is));
	ok(sync_set(lists[2],
		    NvSciSyncAttrKey_WaiterContextInsensitiveFenceExports,
		    &yes, 1));
	bad(NvSciSyncAttrListValidateReconciled(result, lists, 3, &is));
	assert_false(is);
	NvSciSyncAttrListFree(result);
	NvSciSyncAttrListFree(both);
	NvSciSyncAttrListFree(lists[1]);
	NvSciSyncAttrListFree(lists[2]);
}

static void does_not_merge(NvSciSyncAttrList a, NvSciSyncAttrList b,
			   const char *why)
{
	NvSciSyncAttrList lists[] = { a, b }, conflict = NULL;
	NvSciSyncAttrList result = UNTOUCHED(NvSciSyncAttrList);
	NvSciSyncObj object = UNTOUCHED(NvSciSyncObj);
	bool is = true;
	void *text;
	size_t len;

	is(NvSciSyncAttrListReconcile(lists, 2, &result, &conflict),
	   ReconciliationFailed);
	assert_ptr_equal(result, UNTOUCHED(void *));
	assert_int_equal(NvSciSyncAttrListGetSlotCount(conflict), 0);
	ok(NvSciSyncAttrListIsReconciled(conflict, &is));
	assert_false(is);
	ok(NvSciSyncAttrListDebugDump(conflict, &text, &len));
	assert_int_equal(strlen((char *)text) + 1, len);
	assert_non_null(strstr((char *)text, why));
	free(text);
	bad(NvSciSyncAttrListClone(conflict, &result));
	bad(NvSciSyncObjAlloc(conflict, &object));
	NvSciSyncAttrListFree(conflict);
	is(NvSciSyncAttrListReconcileAndObjAlloc(lists, 2, &object, &conflict),
	   ReconciliationFailed);
	assert_ptr_equal(object, UNTOUCHED(void *));
	NvSciSyncAttrListFree(conflict);
	NvSciSyncAttrListFree(a);
	NvSciSyncAttrListFree(b);
}

static NvSciSyncAttrList list_with(uint32_t primitive)
{
	NvSciSyncAttrList list = cpu_list(NvSciSyncAccessPerm_WaitOnly);

	ok(sync_set(list, NvSciSyncAttrKey_PrimitiveInfo, &primitive,
		    sizeof(primitive)));
	return list;
}

static void lists_conflict(void **state)
{
	const uint64_t waits = NvSciSyncAccessPerm_WaitOnly;
	const uint64_t signals = NvSciSyncAccessPerm_SignalOnly;
	const uint32_t video = NvSciSyncAttrValPrimitiveType_VidmemSemaphore;

	(void)state;
	does_not_merge(cpu_list(waits), cpu_list(waits), "no list has");
	does_not_merge(cpu_list(signals), cpu_list(signals), "two lists");
	does_not_merge(cpu_list(signals), sync_list(), "WaitOnly");
	does_not_merge(cpu_list(signals), list_with(video), "PrimitiveInfo");
}

static void a_primitive_that_all_have_is_chosen(void **state)
{
	NvSciSyncAttrList lists[2], result;
	NvSciSyncAttrList conflict = UNTOUCHED(NvSciSyncAttrList);
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncObj object;

	(void)state;
	lists[0] = cpu_list(NvSciSyncAccessPerm_SignalOnly);
	lists[1] = list_with(NvSciSyncAttrValPrimitiveType_Syncpoint);
	ok(NvSciSyncAttrListReconcile(lists, 2, &result, &conflict));
	/* Programs free it if it is not NULL: NVIDIA's cudaNvSciNvMedia */
	assert_null(conflict);
	sync_is(result, NvSciSyncAttrKey_PrimitiveInfo, uint32_t,
		NvSciSyncAttrValPrimitiveType_Syncpoint);
	sync_is(result, NvSciSyncAttrKey_MaxPrimitiveValue, uint64_t,
		UINT32_MAX);
	ok(NvSciSyncObjAlloc(result, &object));
	is(NvSciSyncFenceUpdateFence(object, 0, 1ULL << 32, &fence), Overflow);
	ok(NvSciSyncFenceUpdateFence(object, 0, UINT32_MAX, &fence));
	NvSciSyncFenceClear(&fence);
	NvSciSyncObjFree(object);
	NvSciSyncAttrListFree(result);
	NvSciSyncAttrListFree(lists[0]);
	NvSciSyncAttrListFree(lists[1]);
}

static void lists_of_two_modules_do_not_mix(void **state)
{
	NvSciSyncAttrList lists[2], other, result, conflict;
	NvSciSyncModule second;
	bool is;

	(void)state;
	ok(NvSciSyncModuleOpen(&second));
	lists[0] = cpu_list(NvSciSyncAccessPerm_WaitSignal);
	ok(NvSciSyncAttrListCreate(second, &lists[1]));
	NvSciSyncModuleClose(second);
	bad(NvSciSyncAttrListReconcile(lists, 2, &result, &conflict));
	bad(NvSciSyncAttrListAppendUnreconciled(lists, 2, &other));
	NvSciSyncAttrListFree(lists[1]);
	lists[1] = lists[0];
	bad(NvSciSyncAttrListReconcile(lists, 2, &result, &conflict));
	bad(NvSciSyncAttrListReconcile(lists, 0, &result, &conflict));
	bad(NvSciSyncAttrListReconcile(NULL, 1, &result, &conflict));
	bad(NvSciSyncAttrListReconcile(lists, 1, NULL, &conflict));
	bad(NvSciSyncAttrListReconcile(lists, 1, &result, NULL));
	/* One list that signals and waits is sufficient. */
	ok(NvSciSyncAttrListReconcile(lists, 1, &result, &conflict));
	ok(NvSciSyncAttrListClone(result, &other));
	ok(NvSciSyncAttrListIsReconciled(other, &is));
	assert_true(is);
	NvSciSyncAttrListFree(other);
	NvSciSyncAttrListFree(result);
	NvSciSyncAttrListFree(lists[0]);
}

static void fences_are_points_of_their_object(void **state)
{
	NvSciSyncFence fences[2] = {
		NvSciSyncFenceInitializer, NvSciSyncFenceInitializer,
	};
	NvSciSyncFence copy = NvSciSyncFenceInitializer;
	NvSciSyncObj object = cpu_object(), twin;
	uint64_t id = 7, value = 7;

	(void)state;
	ok(NvSciSyncFenceWait(&copy, cpu, 0));
	is(NvSciSyncFenceExtractFence(&copy, &id, &value), ClearedFence);
	ok(NvSciSyncObjGenerateFence(object, &fences[0]));
	ok(NvSciSyncObjDup(object, &twin));
	ok(NvSciSyncObjGenerateFence(twin, &fences[1]));
	ok(NvSciSyncFenceExtractFence(&fences[1], &id, &value));
	assert_int_equal(id, 0);
	assert_int_equal(value, 2);
	ok(NvSciSyncFenceDup(&fences[1], &copy));
	bad(NvSciSyncFenceDup(&copy, &copy));
	is(NvSciSyncFenceWait(&fences[0], cpu, 0), Timeout);
	is(NvSciSyncFenceWait(&fences[0], cpu, SHORT_US), Timeout);
	ok(NvSciSyncObjSignal(object));
	ok(NvSciSyncFenceWait(&fences[0], cpu, -1));
	is(NvSciSyncFenceWait(&copy, cpu, SHORT_US), Timeout);
	/* Fences hold their object. */
	ok(NvSciSyncObjSignal(twin));
	NvSciSyncObjFree(object);
	NvSciSyncObjFree(twin);
	ok(NvSciSyncFenceWait(&copy, cpu, LONG_US));
	ok(NvSciSyncFenceWaitWithMode(&fences[1], cpu, LONG_US,
				      NvSciSyncWaitMode_BusyNoYield));
	bad(NvSciSyncFenceWaitWithMode(&fences[1], cpu, LONG_US,
				       (NvSciSyncWaitMode)4));
	bad(NvSciSyncFenceWait(NULL, cpu, 0));
	bad(NvSciSyncFenceWait(&copy, NULL, 0));
	bad(NvSciSyncFenceWait(&copy, cpu, -2));
	bad(NvSciSyncFenceWait(&copy, cpu, NvSciSyncFenceMaxTimeout + 1));
	ok(NvSciSyncFenceWait(&copy, cpu, NvSciSyncFenceMaxTimeout));
	NvSciSyncFenceClear(&fences[0]);
	NvSciSyncFenceClear(&fences[1]);
	NvSciSyncFenceClear(&copy);
	NvSciSyncFenceClear(&copy);
	NvSciSyncFenceClear(NULL);
	assert_memory_equal(&copy, &NvSciSyncFenceInitializer, sizeof(copy));
}

/* A waiter may wait for a point that nobody has reserved yet. */
static void points_can_be_waited_for_first(void **state)
{
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncObj object = cpu_object();

	(void)state;
	is(NvSciSyncFenceUpdateFence(object, 1, 1, &fence), Overflow);
	ok(NvSciSyncFenceUpdateFence(object, 0, 1, &fence));
	is(NvSciSyncFenceWait(&fence, cpu, SHORT_US), Timeout);
	ok(NvSciSyncObjSignal(object));
	ok(NvSciSyncFenceWait(&fence, cpu, LONG_US));
	NvSciSyncFenceClear(&fence);
	NvSciSyncObjFree(object);
}

static void *signal_it(void *object)
{
	usleep(SHORT_US);
	return (void *)(intptr_t)NvSciSyncObjSignal((NvSciSyncObj)object);
}

static void a_thread_ends_a_wait(void **state)
{
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncObj object = cpu_object();
	pthread_t thread;

	(void)state;
	ok(NvSciSyncObjGenerateFence(object, &fence));
	assert_int_equal(pthread_create(&thread, NULL, signal_it, object), 0);
	ok(NvSciSyncFenceWait(&fence, cpu, LONG_US));
	assert_int_equal(pthread_join(thread, NULL), 0);
	NvSciSyncFenceClear(&fence);
	NvSciSyncObjFree(object);
}

/* A CPU that no list names can neither signal nor wait. */
static void the_cpu_needs_permission(void **state)
{
	const uint64_t perm = NvSciSyncAccessPerm_WaitSignal;
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncAttrList list = sync_list(), conflict, own;
	NvSciSyncObj object;

	(void)state;
	ok(sync_set(list, NvSciSyncAttrKey_RequiredPerm, &perm, 8));
	ok(NvSciSyncAttrListReconcileAndObjAlloc(&list, 1, &object,
						 &conflict));
	bad(NvSciSyncObjGenerateFence(object, &fence));
	bad(NvSciSyncObjSignal(object));
	ok(NvSciSyncFenceUpdateFence(object, 0, 0, &fence));
	bad(NvSciSyncFenceWait(&fence, cpu, 0));
	ok(NvSciSyncObjGetAttrList(object, &own));
	sync_is(own, NvSciSyncAttrKey_ActualPerm, uint64_t, perm);
	sync_is(own, NvSciSyncAttrKey_NeedCpuAccess, bool, false);
	ok(NvSciSyncObjValidate(object));
	bad(NvSciSyncObjValidate(NULL));
	bad(NvSciSyncObjGetAttrList(NULL, &own));
	bad(NvSciSyncObjDup(NULL, &object));
	bad(NvSciSyncObjSignal(NULL));
	NvSciSyncFenceClear(&fence);
	NvSciSyncObjFree(object);
	NvSciSyncObjFree(NULL);
	NvSciSyncAttrListFree(list);
}

static void what_is_missing_says_so(void **state)
{
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncAttrList list = sync_list();
	NvSciSyncTaskStatus status;
	const bool yes = true;
	uint64_t time;
	uint32_t slot;

	(void)state;
	is(sync_set(list, NvSciSyncAttrKey_WaiterRequireTimestamps, &yes, 1),
	   NotSupported);
	is(sync_set(list, NvSciSyncAttrKey_PeerLocationInfo, &yes, 1),
	   NotSupported);
	is(sync_set(list, NvSciSyncAttrKey_PeerHwEngineArray, &yes, 1),
	   NotSupported);
	is(NvSciSyncFenceAddTimestampSlot(&fence, 0), NotSupported);
	is(NvSciSyncFenceAddTaskStatusSlot(&fence, 0), NotSupported);
	is(NvSciSyncFenceExtractTimestampSlot(&fence, &slot), NotSupported);
	is(NvSciSyncFenceGetTimestamp(&fence, &time), NotSupported);
	is(NvSciSyncFenceGetTaskStatus(&fence, &status), NotSupported);
	is(NvSciSyncObjAttachPeer(NULL, &list, 1), NotSupported);
	is(NvSciSyncFillC2cAttrs(list, NvSciSyncAccessPerm_WaitOnly),
	   NotSupported);
	NvSciSyncAttrListFree(list);
}

static void what_is_freed_is_refused(void **state)
{
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncAttrList list = cpu_reconciled(), own;
	NvSciSyncObj object = cpu_object(), other;
	NvSciSyncCpuWaitContext context;
	bool flag;

	(void)state;
	ok(NvSciSyncObjGetAttrList(object, &own));
	/* The list is the object's. */
	NvSciSyncAttrListFree(own);
	ok(NvSciSyncAttrListIsReconciled(own, &flag));
	ok(NvSciSyncObjDup(object, &other));
	NvSciSyncObjFree(object);
	ok(NvSciSyncObjValidate(other));
	NvSciSyncObjFree(other);
	NvSciSyncObjFree(object);
	bad(NvSciSyncObjValidate(object));
	bad(NvSciSyncObjDup(object, &other));
	bad(NvSciSyncObjSignal(object));
	bad(NvSciSyncObjGenerateFence(object, &fence));
	bad(NvSciSyncAttrListIsReconciled(own, &flag));
	NvSciSyncAttrListFree(list);
	NvSciSyncAttrListFree(list);
	bad(NvSciSyncObjAlloc(list, &object));
	bad(NvSciSyncAttrListClone(list, &own));
	ok(NvSciSyncCpuWaitContextAlloc(sync_module, &context));
	NvSciSyncCpuWaitContextFree(context);
	NvSciSyncCpuWaitContextFree(context);
	bad(NvSciSyncFenceWait(&fence, context, 0));
}

static void versions_are_compared(void **state)
{
	bool is = false;

	(void)state;
	ok(NvSciSyncCheckVersionCompatibility(NvSciSyncMajorVersion,
					      NvSciSyncMinorVersion, &is));
	assert_true(is);
	ok(NvSciSyncCheckVersionCompatibility(NvSciSyncMajorVersion + 1, 0,
					      &is));
	assert_false(is);
	bad(NvSciSyncCheckVersionCompatibility(0, 0, NULL));
	bad(NvSciSyncModuleOpen(NULL));
	bad(NvSciSyncCpuWaitContextAlloc(NULL, &cpu));
	NvSciSyncModuleClose(NULL);
	NvSciSyncCpuWaitContextFree(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_set_once_and_checked),
		cmocka_unit_test(lists_merge),
		cmocka_unit_test(lists_conflict),
		cmocka_unit_test(a_primitive_that_all_have_is_chosen),
		cmocka_unit_test(lists_of_two_modules_do_not_mix),
		cmocka_unit_test(fences_are_points_of_their_object),
		cmocka_unit_test(points_can_be_waited_for_first),
		cmocka_unit_test(a_thread_ends_a_wait),
		cmocka_unit_test(the_cpu_needs_permission),
		cmocka_unit_test(what_is_missing_says_so),
		cmocka_unit_test(what_is_freed_is_refused),
		cmocka_unit_test(versions_are_compared),
	};

	return cmocka_run_group_tests(tests, open_sync, close_sync);
}
