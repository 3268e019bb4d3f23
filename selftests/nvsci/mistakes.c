// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that passes handles that are none, for report_test. Arguments: a
 * name from the table at the end, and "wrong" or "right": the same without the
 * mistake.
 */
#include "sync.h"

#include <pthread.h>

#define NR_THREADS	4
#define NR_TIMES	200

static bool is_wrong;

static void check(NvSciError error, NvSciError if_wrong)
{
	must(error == (is_wrong ? if_wrong : NvSciError_Success));
}

/* Calls that return an error must return this one. */
static void check_call(NvSciError error)
{
	check(error, NvSciError_BadParameter);
}

static void object_freed_twice(void)
{
	NvSciBufObj object = new_raw_object(), other;

	if (!is_wrong)
		ok(NvSciBufObjDup(object, &other));
	NvSciBufObjFree(object);
	NvSciBufObjFree(object);
}

static void object_used_after_free(void)
{
	NvSciBufObj object = new_raw_object();
	NvSciBufAttrValAccessPerm perm = NvSciBufAccessPerm_Readonly;
	NvSciBufAttrList list;
	NvSciBufObj other;
	void *ptr;

	if (is_wrong)
		NvSciBufObjFree(object);
	check_call(NvSciBufObjGetCpuPtr(object, &ptr));
	check_call(NvSciBufObjFlushCpuCacheRange(object, 0, 64));
	check_call(NvSciBufObjGetAttrList(object, &list));
	check_call(NvSciBufObjValidate(object));
	check_call(NvSciBufObjDupWithReducePerm(object, perm, &other));
	if (!is_wrong)
		NvSciBufObjFree(other);
	check_call(NvSciBufObjDup(object, &other));
	if (is_wrong)
		return;
	NvSciBufObjFree(object);
	NvSciBufObjFree(other);
}

static void list_freed_twice(void)
{
	NvSciBufAttrList list = new_raw_list(SIZE);

	NvSciBufAttrListFree(list);
	if (!is_wrong)
		list = new_raw_list(SIZE);
	NvSciBufAttrListFree(list);
}

static void list_used_after_free(void)
{
	NvSciBufAttrList list = new_raw_list(SIZE), other, conflict, result;
	NvSciBufAttrKeyValuePair pair = {
		NvSciBufGeneralAttrKey_Types, NULL, 0
	};
	NvSciBufObj object;
	void *text;
	size_t len;

	if (is_wrong)
		NvSciBufAttrListFree(list);
	check_call(NvSciBufAttrListGetAttrs(list, &pair, 1));
	check_call(NvSciBufAttrListDebugDump(list, &text, &len));
	if (!is_wrong)
		free(text);
	check_call(NvSciBufAttrListClone(list, &other));
	if (!is_wrong)
		NvSciBufAttrListFree(other);
	check_call(NvSciBufAttrListReconcile(&list, 1, &result, &conflict));
	if (is_wrong) {
		check_call(NvSciBufObjAlloc(list, &object));
		return;
	}
	NvSciBufAttrListFree(list);
	NvSciBufAttrListFree(result);
}

static void list_of_object_freed(void)
{
	NvSciBufObj object = new_raw_object();
	NvSciBufAttrList list;

	ok(NvSciBufObjGetAttrList(object, &list));
	if (!is_wrong)
		ok(NvSciBufAttrListClone(list, &list));
	NvSciBufAttrListFree(list);
	ok(NvSciBufObjGetAttrList(object, &list));
	assert_int_equal(value(list, NvSciBufRawBufferAttrKey_Size, uint64_t),
			 SIZE);
	NvSciBufObjFree(object);
}

static void list_of_freed_object(void)
{
	NvSciBufObj object = new_raw_object();
	NvSciBufAttrList list;
	bool is_reconciled;

	ok(NvSciBufObjGetAttrList(object, &list));
	if (is_wrong)
		NvSciBufObjFree(object);
	check_call(NvSciBufAttrListIsReconciled(list, &is_reconciled));
	if (!is_wrong)
		NvSciBufObjFree(object);
}

/* An address of the program, and the handle of an object of another type */
static void foreign_pointer(void)
{
	NvSciBufObj object = new_raw_object();
	uint64_t words[64] = { 0 };

	if (is_wrong) {
		check_call(NvSciBufObjValidate((NvSciBufObj)words));
		NvSciBufObjFree((NvSciBufObj)words);
		NvSciBufAttrListFree((NvSciBufAttrList)object);
	}
	NvSciBufObjFree(object);
}

static void module_closed_twice(void)
{
	NvSciBufModule other;
	NvSciBufAttrList list;

	ok(NvSciBufModuleOpen(&other));
	ok(NvSciBufAttrListCreate(other, &list));
	NvSciBufModuleClose(other);
	/* The module's memory remains, since the list needs it. */
	if (is_wrong)
		NvSciBufModuleClose(other);
	NvSciBufAttrListFree(list);
}

static void sync_object_freed_twice(void)
{
	NvSciSyncObj object = cpu_object(), other;

	if (!is_wrong)
		ok(NvSciSyncObjDup(object, &other));
	NvSciSyncObjFree(object);
	NvSciSyncObjFree(object);
}

static void sync_object_used_after_free(void)
{
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncObj object = cpu_object(), other;
	NvSciSyncAttrList list;

	if (is_wrong)
		NvSciSyncObjFree(object);
	check_call(NvSciSyncObjGenerateFence(object, &fence));
	check_call(NvSciSyncObjSignal(object));
	check_call(NvSciSyncObjGetAttrList(object, &list));
	check_call(NvSciSyncObjValidate(object));
	check_call(NvSciSyncObjDup(object, &other));
	NvSciSyncFenceClear(&fence);
	if (is_wrong)
		return;
	NvSciSyncObjFree(object);
	NvSciSyncObjFree(other);
}

static void sync_list_freed_twice(void)
{
	NvSciSyncAttrList list = cpu_reconciled();
	bool is_reconciled;

	NvSciSyncAttrListFree(list);
	if (!is_wrong)
		list = cpu_reconciled();
	check_call(NvSciSyncAttrListIsReconciled(list, &is_reconciled));
	NvSciSyncAttrListFree(list);
}

static void wait_context_freed_twice(void)
{
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncCpuWaitContext context;

	ok(NvSciSyncCpuWaitContextAlloc(sync_module, &context));
	if (is_wrong)
		NvSciSyncCpuWaitContextFree(context);
	check_call(NvSciSyncFenceWait(&fence, context, 0));
	NvSciSyncCpuWaitContextFree(context);
}

static void *use_in_thread(void *arg)
{
	NvSciBufObj object = arg, other;
	NvSciBufAttrList list;
	int i;

	for (i = 0; i < NR_TIMES; i++) {
		must(!NvSciBufObjDup(object, &other));
		must(!NvSciBufObjValidate(other));
		must(!NvSciBufAttrListCreate(module, &list));
		NvSciBufAttrListFree(list);
		NvSciBufObjFree(other);
	}
	return NULL;
}

static void child_frees(NvSciBufObj object, int nr_times)
{
	const pid_t pid = fork();
	int status;

	must(pid >= 0);
	if (!pid) {
		while (nr_times--)
			NvSciBufObjFree(object);
		_exit(0);
	}
	must(waitpid(pid, &status, 0) == pid && !status);
}

/* Threads use a handle while a child is forked that frees it. */
static void threads_and_children(void)
{
	NvSciBufObj object = new_raw_object();
	pthread_t threads[NR_THREADS];
	int i;

	for (i = 0; i < NR_THREADS; i++)
		must(!pthread_create(&threads[i], NULL, use_in_thread,
				     object));
	child_frees(object, 1);
	for (i = 0; i < NR_THREADS; i++)
		must(!pthread_join(threads[i], NULL));
	child_frees(object, is_wrong ? 2 : 1);
	NvSciBufObjFree(object);
}

#define MISTAKE(name)	{ #name, name }

static const struct {
	const char *name;
	void (*make)(void);
} mistakes[] = {
	MISTAKE(object_freed_twice),
	MISTAKE(object_used_after_free),
	MISTAKE(list_freed_twice),
	MISTAKE(list_used_after_free),
	MISTAKE(list_of_object_freed),
	MISTAKE(list_of_freed_object),
	MISTAKE(foreign_pointer),
	MISTAKE(module_closed_twice),
	MISTAKE(sync_object_freed_twice),
	MISTAKE(sync_object_used_after_free),
	MISTAKE(sync_list_freed_twice),
	MISTAKE(wait_context_freed_twice),
	MISTAKE(threads_and_children),
};

int main(int argc, char **argv)
{
	size_t i;

	must(argc == 3 && !open_module(NULL) && !open_sync(NULL));
	is_wrong = !strcmp(argv[2], "wrong");
	for (i = 0; i < NR(mistakes); i++) {
		if (strcmp(mistakes[i].name, argv[1]))
			continue;
		mistakes[i].make();
		close_sync(NULL);
		close_module(NULL);
		return 0;
	}
	return 99;
}
