// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests NvSciSync between two processes, the second of which is this program
 * again, and descriptors that a hostile process has changed.
 */
#include <signal.h>

#include "sync.h"

#define FRAMES	100

/* Two ends of a channel in this process */
static NvSciIpcEndpoint ends[2];

static void open_ends(const char *test)
{
	const char *name = channel_name(test);
	size_t i;

	for (i = 0; i < 2; i++)
		ends[i] = open_end(name);
	for (i = 0; i < 2; i++)
		wait_for_event(ends[i], NV_SCI_IPC_EVENT_CONN_EST);
}

static void close_ends(void)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		NvSciIpcCloseEndpoint(ends[i]);
		NvSciIpcDeinit();
	}
}

static NvSciError import_list(const void *desc, size_t len,
			      NvSciSyncAttrList *list)
{
	return NvSciSyncAttrListIpcImportUnreconciled(sync_module, ends[1],
						      desc, len, list);
}

static NvSciError import_result(const void *desc, size_t len,
				NvSciSyncAttrList *list)
{
	return NvSciSyncAttrListIpcImportReconciled(sync_module, ends[1], desc,
						    len, NULL, 0, list);
}

/* Each bit that is changed makes an import fail. */
static void is_checked(uint8_t *desc, size_t len,
		       NvSciError (*import)(const void *desc, size_t len,
					    NvSciSyncAttrList *list))
{
	NvSciSyncAttrList list = UNTOUCHED(NvSciSyncAttrList);
	size_t i;

	for (i = 0; i < 8 * len; i++) {
		desc[i / 8] ^= 1U << i % 8;
		bad(import(desc, len, &list));
		desc[i / 8] ^= 1U << i % 8;
	}
	bad(import(desc, len - 1, &list));
	bad(import(desc, 0, &list));
	bad(import(NULL, len, &list));
	assert_ptr_equal(list, UNTOUCHED(void *));
	ok(import(desc, len, &list));
	NvSciSyncAttrListFree(list);
}

static void changed_lists_are_refused(void **state)
{
	NvSciSyncAttrList list = cpu_list(NvSciSyncAccessPerm_WaitOnly);
	NvSciSyncAttrList result = cpu_reconciled(), other;
	const bool yes = true;
	size_t len;
	void *desc;

	(void)state;
	open_ends("changed_lists");
	ok(NvSciSyncAttrListIpcExportUnreconciled(&list, 1, ends[0], &desc,
						  &len));
	is_checked((uint8_t *)desc, len, import_list);
	bad(import_result(desc, len, &other));
	ok(import_list(desc, len, &other));
	bad(sync_set(other, NvSciSyncAttrKey_RequireDeterministicFences, &yes,
		     1));
	NvSciSyncAttrListFree(other);
	NvSciSyncAttrListFreeDesc(desc);
	ok(NvSciSyncAttrListIpcExportReconciled(result, ends[0], &desc, &len));
	is_checked((uint8_t *)desc, len, import_result);
	bad(import_list(desc, len, &other));
	NvSciSyncAttrListFreeDesc(desc);
	bad(NvSciSyncAttrListIpcExportReconciled(list, ends[0], &desc, &len));
	bad(NvSciSyncAttrListIpcExportUnreconciled(&result, 1, ends[0], &desc,
						   &len));
	bad(NvSciSyncAttrListIpcExportUnreconciled(&list, 1, 77, &desc, &len));
	NvSciSyncAttrListFree(list);
	NvSciSyncAttrListFree(result);
	close_ends();
}

/* A list for buffers is none for synchronisation, and the other way round. */
static void lists_of_buffers_are_refused(void **state)
{
	NvSciSyncAttrList list = cpu_list(NvSciSyncAccessPerm_WaitOnly), other;
	NvSciSyncAttrList result = cpu_reconciled();
	NvSciBufAttrList buf_list, buf_other;
	size_t len;
	void *desc;

	(void)state;
	open_ends("lists_of_buffers");
	assert_int_equal(open_module(NULL), 0);
	buf_list = new_raw_list(4096);
	ok(NvSciBufAttrListIpcExportUnreconciled(&buf_list, 1, ends[0], &desc,
						 &len));
	bad(import_list(desc, len, &other));
	free(desc);
	buf_list = reconciled(buf_list);
	ok(NvSciBufAttrListIpcExportReconciled(buf_list, ends[0], &desc,
					       &len));
	bad(import_result(desc, len, &other));
	free(desc);
	ok(NvSciSyncAttrListIpcExportUnreconciled(&list, 1, ends[0], &desc,
						  &len));
	bad(NvSciBufAttrListIpcImportUnreconciled(module, ends[1], desc, len,
						  &buf_other));
	free(desc);
	ok(NvSciSyncAttrListIpcExportReconciled(result, ends[0], &desc, &len));
	bad(NvSciBufAttrListIpcImportReconciled(module, ends[1], desc, len,
						NULL, 0, &buf_other));
	free(desc);
	NvSciBufAttrListFree(buf_list);
	NvSciSyncAttrListFree(list);
	NvSciSyncAttrListFree(result);
	close_module(NULL);
	close_ends();
}

static NvSciError import_object(const void *desc, size_t len,
				NvSciSyncObj *object)
{
	return NvSciSyncIpcImportAttrListAndObj(sync_module, ends[1], desc, len,
						NULL, 0,
						NvSciSyncAccessPerm_WaitOnly,
						LONG_US, object);
}

static void changed_objects_are_refused(void **state)
{
	NvSciSyncObj object = cpu_object(), other = UNTOUCHED(NvSciSyncObj);
	NvSciSyncObjIpcExportDescriptor bare;
	NvSciSyncAttrList own, result = cpu_reconciled();
	uint8_t *bytes = (uint8_t *)&bare;
	size_t i, len;
	void *desc;

	(void)state;
	open_ends("changed_objects");
	ok(NvSciSyncIpcExportAttrListAndObj(object, NvSciSyncAccessPerm_Auto,
					    ends[0], &desc, &len));
	bytes = (uint8_t *)desc;
	for (i = 0; i < 8 * len; i++) {
		bytes[i / 8] ^= 1U << i % 8;
		bad(import_object(desc, len, &other));
		bytes[i / 8] ^= 1U << i % 8;
	}
	assert_ptr_equal(other, UNTOUCHED(void *));
	bad(import_object(desc, 100, &other));
	ok(import_object(desc, len, &other));
	NvSciSyncAttrListAndObjFreeDesc(desc);
	ok(NvSciSyncObjGetAttrList(other, &own));
	sync_is(own, NvSciSyncAttrKey_ActualPerm, uint64_t,
		NvSciSyncAccessPerm_WaitOnly);
	/* It may not pass on more than it has. */
	bad(NvSciSyncObjIpcExport(other, NvSciSyncAccessPerm_SignalOnly,
				  ends[1], &bare));
	bad(NvSciSyncObjSignal(other));
	NvSciSyncObjFree(other);

	bytes = (uint8_t *)&bare;
	ok(NvSciSyncObjIpcExport(object, NvSciSyncAccessPerm_WaitOnly, ends[0],
				 &bare));
	for (i = 0; i < 8 * sizeof(bare); i++) {
		bytes[i / 8] ^= 1U << i % 8;
		bad(NvSciSyncObjIpcImport(ends[1], &bare, result,
					  NvSciSyncAccessPerm_Auto, LONG_US,
					  &other));
		bytes[i / 8] ^= 1U << i % 8;
	}
	bad(NvSciSyncObjIpcImport(ends[1], &bare, result,
				  NvSciSyncAccessPerm_WaitSignal, LONG_US,
				  &other));
	bad(NvSciSyncObjIpcImport(ends[1], &bare, result, 0, LONG_US, &other));
	ok(NvSciSyncObjIpcImport(ends[1], &bare, result,
				 NvSciSyncAccessPerm_Auto, LONG_US, &other));
	NvSciSyncObjFree(other);
	bad(NvSciSyncObjIpcImport(ends[1], &bare, result,
				  NvSciSyncAccessPerm_Auto, LONG_US, &other));
	NvSciSyncAttrListFree(result);
	NvSciSyncObjFree(object);
	close_ends();
}

static void changed_fences_are_refused(void **state)
{
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncFence other = NvSciSyncFenceInitializer;
	NvSciSyncObj object = cpu_object(), stranger = cpu_object();
	NvSciSyncFenceIpcExportDescriptor desc;
	uint8_t *bytes = (uint8_t *)&desc;
	uint64_t id, value;
	size_t i;

	(void)state;
	open_ends("changed_fences");
	ok(NvSciSyncObjGenerateFence(object, &fence));
	ok(NvSciSyncIpcExportFence(&fence, ends[0], &desc));
	for (i = 0; i < 8 * sizeof(desc); i++) {
		bytes[i / 8] ^= 1U << i % 8;
		bad(NvSciSyncIpcImportFence(object, &desc, &other));
		bytes[i / 8] ^= 1U << i % 8;
	}
	bad(NvSciSyncIpcImportFence(stranger, &desc, &other));
	bad(NvSciSyncIpcImportFence(NULL, &desc, &other));
	bad(NvSciSyncIpcExportFence(&fence, 77, &desc));
	/* A descriptor may be imported any number of times. */
	for (i = 0; i < 3; i++)
		ok(NvSciSyncIpcImportFence(object, &desc, &other));
	ok(NvSciSyncFenceExtractFence(&other, &id, &value));
	assert_int_equal(value, 1);
	NvSciSyncFenceClear(&fence);
	ok(NvSciSyncIpcExportFence(&fence, ends[0], &desc));
	ok(NvSciSyncIpcImportFence(object, &desc, &other));
	is(NvSciSyncFenceExtractFence(&other, &id, &value), ClearedFence);
	NvSciSyncObjFree(object);
	NvSciSyncObjFree(stranger);
	close_ends();
}

/* What both processes do to set up an object that one of them signals */

static void send_list(NvSciIpcEndpoint end, NvSciSyncAttrList list)
{
	size_t len;
	void *desc;

	must(NvSciSyncAttrListIpcExportUnreconciled(&list, 1, end, &desc,
						    &len) ==
	     NvSciError_Success);
	send_desc(end, desc, len);
	NvSciSyncAttrListFreeDesc(desc);
}

static NvSciSyncObj give_object(NvSciIpcEndpoint end, NvSciSyncAccessPerm own,
				NvSciSyncAccessPerm theirs)
{
	NvSciSyncAttrList lists[2] = { cpu_list(own) }, conflict;
	NvSciSyncObj object;
	size_t len;
	void *desc = recv_desc(end, &len);

	must(NvSciSyncAttrListIpcImportUnreconciled(sync_module, end, desc,
						    len, &lists[1]) ==
	     NvSciError_Success);
	free(desc);
	must(NvSciSyncAttrListReconcileAndObjAlloc(lists, 2, &object,
						   &conflict) ==
	     NvSciError_Success);
	must(NvSciSyncIpcExportAttrListAndObj(object, theirs, end, &desc,
					      &len) == NvSciError_Success);
	send_desc(end, desc, len);
	NvSciSyncAttrListAndObjFreeDesc(desc);
	NvSciSyncAttrListFree(lists[0]);
	NvSciSyncAttrListFree(lists[1]);
	return object;
}

static NvSciSyncObj get_object(NvSciIpcEndpoint end, NvSciSyncAccessPerm perm)
{
	NvSciSyncAttrList list = cpu_list(perm), own;
	NvSciSyncObj object;
	size_t len;
	void *desc;

	send_list(end, list);
	desc = recv_desc(end, &len);
	must(NvSciSyncIpcImportAttrListAndObj(sync_module, end, desc, len,
					      &list, 1,
					      NvSciSyncAccessPerm_Auto,
					      LONG_US, &object) ==
	     NvSciError_Success);
	free(desc);
	must(NvSciSyncObjGetAttrList(object, &own) == NvSciError_Success);
	must(*(const uint64_t *)sync_value(own, NvSciSyncAttrKey_ActualPerm,
					   8) == perm);
	NvSciSyncAttrListFree(list);
	return object;
}

static void send_fence(NvSciIpcEndpoint end, const NvSciSyncFence *fence)
{
	NvSciSyncFenceIpcExportDescriptor desc;

	must(NvSciSyncIpcExportFence(fence, end, &desc) == NvSciError_Success);
	send_bytes(end, &desc, sizeof(desc));
}

static void recv_fence(NvSciIpcEndpoint end, NvSciSyncObj object,
		       NvSciSyncFence *fence)
{
	NvSciSyncFenceIpcExportDescriptor desc;

	recv_bytes(end, &desc, sizeof(desc));
	must(NvSciSyncIpcImportFence(object, &desc, fence) ==
	     NvSciError_Success);
}

/* Waits for each frame, and signals that it was taken. */
static void peer_consumes(const char *name)
{
	NvSciIpcEndpoint end = open_end(name);
	NvSciSyncFence ready = NvSciSyncFenceInitializer;
	NvSciSyncFence taken = NvSciSyncFenceInitializer;
	NvSciSyncObj in, out;
	size_t i;

	wait_for_event(end, NV_SCI_IPC_EVENT_CONN_EST);
	in = get_object(end, NvSciSyncAccessPerm_WaitOnly);
	out = give_object(end, NvSciSyncAccessPerm_SignalOnly,
			  NvSciSyncAccessPerm_Auto);
	must(NvSciSyncObjSignal(in) == NvSciError_BadParameter);
	for (i = 0; i < FRAMES; i++) {
		recv_fence(end, in, &ready);
		must(NvSciSyncObjGenerateFence(out, &taken) ==
		     NvSciError_Success);
		send_fence(end, &taken);
		must(NvSciSyncFenceWait(&ready, cpu, LONG_US) ==
		     NvSciError_Success);
		must(NvSciSyncObjSignal(out) == NvSciError_Success);
	}
	NvSciSyncFenceClear(&ready);
	NvSciSyncFenceClear(&taken);
	NvSciSyncObjFree(in);
	NvSciSyncObjFree(out);
	/* The other process must have received the last fence. */
	recv_bytes(end, &i, sizeof(i));
	NvSciIpcCloseEndpoint(end);
	NvSciIpcDeinit();
}

static void frames_go_to_and_fro(void **state)
{
	const char *name = channel_name("frames_go_to_and_fro");
	const pid_t pid = start_peer("peer_consumes", name);
	NvSciSyncFence ready = NvSciSyncFenceInitializer;
	NvSciSyncFence taken = NvSciSyncFenceInitializer;
	NvSciIpcEndpoint end = open_end(name);
	NvSciSyncObj out, in;
	size_t i;

	(void)state;
	wait_for_event(end, NV_SCI_IPC_EVENT_CONN_EST);
	out = give_object(end, NvSciSyncAccessPerm_SignalOnly,
			  NvSciSyncAccessPerm_WaitOnly);
	in = get_object(end, NvSciSyncAccessPerm_WaitOnly);
	for (i = 0; i < FRAMES; i++) {
		ok(NvSciSyncObjGenerateFence(out, &ready));
		send_fence(end, &ready);
		recv_fence(end, in, &taken);
		is(NvSciSyncFenceWait(&taken, cpu, 0), Timeout);
		ok(NvSciSyncObjSignal(out));
		ok(NvSciSyncFenceWait(&taken, cpu, LONG_US));
	}
	send_bytes(end, &i, sizeof(i));
	NvSciSyncFenceClear(&ready);
	NvSciSyncFenceClear(&taken);
	NvSciSyncObjFree(in);
	NvSciSyncObjFree(out);
	wait_for_peer(pid);
	NvSciIpcCloseEndpoint(end);
	NvSciIpcDeinit();
}

/* The peer signals one point of three, and is killed. */
static void peer_dies(const char *name)
{
	NvSciIpcEndpoint end = open_end(name);
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncObj object;
	size_t i;

	wait_for_event(end, NV_SCI_IPC_EVENT_CONN_EST);
	object = get_object(end, NvSciSyncAccessPerm_SignalOnly);
	/* It may signal, but not wait. */
	for (i = 0; i < 3; i++) {
		must(NvSciSyncObjGenerateFence(object, &fence) ==
		     NvSciError_Success);
		must(NvSciSyncFenceWait(&fence, cpu, 0) ==
		     NvSciError_BadParameter);
		send_fence(end, &fence);
	}
	must(NvSciSyncObjSignal(object) == NvSciError_Success);
	recv_bytes(end, &i, sizeof(i));
	raise(SIGKILL);
}

static void a_killed_signaler_leaves_its_fences(void **state)
{
	const char *name = channel_name("a_killed_signaler");
	const pid_t pid = start_peer("peer_dies", name);
	NvSciIpcEndpoint end = open_end(name);
	NvSciSyncFence fences[3];
	NvSciSyncObj object;
	size_t i;
	int status;

	(void)state;
	wait_for_event(end, NV_SCI_IPC_EVENT_CONN_EST);
	object = give_object(end, NvSciSyncAccessPerm_WaitOnly,
			     NvSciSyncAccessPerm_Auto);
	for (i = 0; i < 3; i++) {
		fences[i] = NvSciSyncFenceInitializer;
		recv_fence(end, object, &fences[i]);
	}
	send_bytes(end, &i, sizeof(i));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	wait_for_event(end, NV_SCI_IPC_EVENT_CONN_RESET);
	ok(NvSciSyncFenceWait(&fences[0], cpu, LONG_US));
	is(NvSciSyncFenceWait(&fences[1], cpu, SHORT_US), Timeout);
	for (i = 0; i < 3; i++)
		NvSciSyncFenceClear(&fences[i]);
	NvSciSyncObjFree(object);
	NvSciIpcCloseEndpoint(end);
	NvSciIpcDeinit();
}

/* The peer allocates the object, so that nobody else may signal it. */
static void peer_gives_and_dies(const char *name)
{
	NvSciIpcEndpoint end = open_end(name);
	NvSciSyncFence fence = NvSciSyncFenceInitializer;
	NvSciSyncObj object;
	size_t i;

	wait_for_event(end, NV_SCI_IPC_EVENT_CONN_EST);
	object = give_object(end, NvSciSyncAccessPerm_SignalOnly,
			     NvSciSyncAccessPerm_WaitOnly);
	for (i = 0; i < 2; i++) {
		must(NvSciSyncObjGenerateFence(object, &fence) ==
		     NvSciError_Success);
		send_fence(end, &fence);
	}
	must(NvSciSyncObjSignal(object) == NvSciError_Success);
	recv_bytes(end, &i, sizeof(i));
	raise(SIGKILL);
}

static void a_fence_of_a_killed_signaler_is_an_error(void **state)
{
	const char *name = channel_name("a_fence_of_a_killed");
	const pid_t pid = start_peer("peer_gives_and_dies", name);
	NvSciIpcEndpoint end = open_end(name);
	NvSciSyncFence fences[2];
	NvSciSyncObj object;
	size_t i;
	int status;

	(void)state;
	wait_for_event(end, NV_SCI_IPC_EVENT_CONN_EST);
	object = get_object(end, NvSciSyncAccessPerm_WaitOnly);
	for (i = 0; i < 2; i++) {
		fences[i] = NvSciSyncFenceInitializer;
		recv_fence(end, object, &fences[i]);
	}
	is(NvSciSyncFenceWait(&fences[1], cpu, SHORT_US), Timeout);
	send_bytes(end, &i, sizeof(i));
	/* Without a time-out. */
	is(NvSciSyncFenceWait(&fences[1], cpu, -1), ConnectionReset);
	ok(NvSciSyncFenceWait(&fences[0], cpu, -1));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	for (i = 0; i < 2; i++)
		NvSciSyncFenceClear(&fences[i]);
	NvSciSyncObjFree(object);
	NvSciIpcCloseEndpoint(end);
	NvSciIpcDeinit();
}

static void what_does_not_fit_is_not_imported(void **state)
{
	NvSciSyncAttrList list = cpu_list(NvSciSyncAccessPerm_WaitOnly), other;
	NvSciSyncAttrList result = cpu_reconciled();
	NvSciSyncObj object = cpu_object(), none;
	const bool yes = true;
	size_t len;
	void *desc;

	(void)state;
	open_ends("what_does_not_fit");
	ok(sync_set(list, NvSciSyncAttrKey_RequireDeterministicFences, &yes,
		    1));
	ok(NvSciSyncAttrListIpcExportReconciled(result, ends[0], &desc, &len));
	is(NvSciSyncAttrListIpcImportReconciled(sync_module, ends[1], desc, len,
						&list, 1, &other),
	   AttrListValidationFailed);
	NvSciSyncAttrListFreeDesc(desc);
	ok(NvSciSyncIpcExportAttrListAndObj(object, NvSciSyncAccessPerm_Auto,
					    ends[0], &desc, &len));
	is(NvSciSyncIpcImportAttrListAndObj(sync_module, ends[1], desc, len,
					    &list, 1, NvSciSyncAccessPerm_Auto,
					    LONG_US, &none),
	   AttrListValidationFailed);
	NvSciSyncAttrListAndObjFreeDesc(desc);
	NvSciSyncAttrListFree(list);
	NvSciSyncAttrListFree(result);
	NvSciSyncObjFree(object);
	close_ends();
}

static const struct {
	const char *part;
	void (*play)(const char *name);
} peers[] = {
	{ "peer_consumes", peer_consumes },
	{ "peer_dies", peer_dies },
	{ "peer_gives_and_dies", peer_gives_and_dies },
};

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changed_lists_are_refused),
		cmocka_unit_test(lists_of_buffers_are_refused),
		cmocka_unit_test(changed_objects_are_refused),
		cmocka_unit_test(changed_fences_are_refused),
		cmocka_unit_test(frames_go_to_and_fro),
		cmocka_unit_test(a_killed_signaler_leaves_its_fences),
		cmocka_unit_test(a_fence_of_a_killed_signaler_is_an_error),
		cmocka_unit_test(what_does_not_fit_is_not_imported),
	};
	size_t i;

	for (i = 0; argc == 3 && i < NR(peers); i++) {
		if (strcmp(argv[1], peers[i].part))
			continue;
		must(!open_sync(NULL));
		peers[i].play(argv[2]);
		close_sync(NULL);
		return 0;
	}
	return cmocka_run_group_tests(tests, open_sync, close_sync);
}
