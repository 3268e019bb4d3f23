// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests lists and objects between two processes. The peer is a second process
 * of this program, whose argument names its part.
 */
#include <signal.h>
#include <sys/mman.h>

#include "test.h"

/* The module of a process, and its end of the channel */
struct side {
	NvSciIpcEndpoint end;
};

static struct side begin(const char *name)
{
	struct side side = { .end = open_end(name) };

	wait_for_event(side.end, NV_SCI_IPC_EVENT_CONN_EST);
	return side;
}

static void end(struct side *side)
{
	NvSciIpcCloseEndpoint(side->end);
	NvSciIpcDeinit();
}

static void send_lists(const struct side *side, NvSciBufAttrList *lists,
		       size_t nr)
{
	size_t len;
	void *desc;

	must(NvSciBufAttrListIpcExportUnreconciled(lists, nr, side->end, &desc,
						   &len) == NvSciError_Success);
	send_desc(side->end, desc, len);
	NvSciBufAttrListFreeDesc(desc);
}

static NvSciBufAttrList recv_lists(const struct side *side)
{
	NvSciBufAttrList list;
	size_t len;
	void *desc = recv_desc(side->end, &len);

	must(NvSciBufAttrListIpcImportUnreconciled(module, side->end, desc,
						   len, &list) ==
	     NvSciError_Success);
	free(desc);
	return list;
}

static void send_object(const struct side *side, NvSciBufObj object,
			NvSciBufAttrValAccessPerm perm)
{
	size_t len;
	void *desc;

	must(NvSciBufIpcExportAttrListAndObj(object, perm, side->end, &desc,
					     &len) == NvSciError_Success);
	send_desc(side->end, desc, len);
	NvSciBufAttrListAndObjFreeDesc(desc);
}

static NvSciBufObj recv_object(const struct side *side, NvSciBufAttrList list,
			       NvSciBufAttrValAccessPerm perm)
{
	NvSciBufObj object;
	size_t len;
	void *desc = recv_desc(side->end, &len);

	must(NvSciBufIpcImportAttrListAndObj(module, side->end, desc, len,
					     list ? &list : NULL,
					     list ? 1 : 0, perm, 10000000,
					     &object) == NvSciError_Success);
	free(desc);
	return object;
}

static void done(const struct side *side)
{
	send_bytes(side->end, "done", 4);
}

static void wait_until_done(const struct side *side)
{
	char word[4];

	recv_bytes(side->end, word, sizeof(word));
	must(!memcmp(word, "done", 4));
}

/* Unreconciled lists are sent to the peer, which returns the reconciled one. */

static void peer_sends_lists(const char *name)
{
	NvSciBufAttrList lists[2], result;
	struct side side = begin(name);
	const uint64_t align = 65536, zero = 0, padding = 3;
	bool is_valid = false;
	size_t len;
	void *desc;

	lists[0] = new_raw_list(SIZE);
	lists[1] = new_list();
	set_number(lists[1], NvSciBufGeneralAttrKey_Types,
		   NvSciBufType_RawBuffer);
	must(!set_one(lists[1], NvSciBufRawBufferAttrKey_Align, &align,
		      sizeof(align)));
	send_lists(&side, lists, 2);
	desc = recv_desc(side.end, &len);
	/* The list cannot be imported as an unreconciled one. */
	must(NvSciBufAttrListIpcImportUnreconciled(module, side.end, desc, len,
						   &result) ==
	     NvSciError_BadParameter);
	must(NvSciBufAttrListIpcImportReconciled(module, side.end, desc, len,
						 lists, 2, &result) ==
	     NvSciError_Success);
	must(value(result, NvSciBufRawBufferAttrKey_Align, uint64_t) == align);
	must(NvSciBufAttrListValidateReconciled(result, lists, 2, &is_valid) ==
	     NvSciError_Success && is_valid);
	NvSciBufAttrListFree(result);
	free(desc);
	NvSciBufAttrListFree(lists[0]);
	NvSciBufAttrListFree(lists[1]);

	/* Keys that libmem does not know are sent, too. */
	lists[0] = new_list();
	set_number(lists[0], NvSciBufGeneralAttrKey_Types, NvSciBufType_Image);
	must(!set_one(lists[0], NvSciBufImageAttrKey_TopPadding, &padding,
		      sizeof(padding)));
	set_number(lists[0], NvSciBufImageAttrKey_PlaneColorFormat,
		   NvSciColor_X4Bayer12RCCB);
	send_lists(&side, lists, 1);
	NvSciBufAttrListFree(lists[0]);
	lists[0] = new_list();
	set_number(lists[0], NvSciBufGeneralAttrKey_Types,
		   NvSciBufType_RawBuffer);
	must(!set_one(lists[0], NvSciBufRawBufferAttrKey_Align, &zero,
		      sizeof(zero)));
	send_lists(&side, lists, 1);
	NvSciBufAttrListFree(lists[0]);
	wait_until_done(&side);
	end(&side);
}

static void lists_are_shared(void **state)
{
	const char *name = channel_name("lists");
	const pid_t pid = start_peer("peer_sends_lists", name);
	NvSciBufAttrList lists[2], result, conflict;
	struct side side = begin(name);
	const uint64_t size = SIZE;
	size_t len;
	void *desc;

	(void)state;
	lists[0] = recv_lists(&side);
	assert_int_equal(NvSciBufAttrListGetSlotCount(lists[0]), 2);
	assert_int_equal(value(lists[0], NvSciBufRawBufferAttrKey_Size,
			       uint64_t), SIZE);
	lists[1] = new_raw_list(SIZE);
	ok(NvSciBufAttrListReconcile(lists, 2, &result, &conflict));
	ok(NvSciBufAttrListIpcExportReconciled(result, side.end, &desc, &len));
	send_desc(side.end, desc, len);
	NvSciBufAttrListFreeDesc(desc);
	NvSciBufAttrListFree(result);
	NvSciBufAttrListFree(lists[0]);
	NvSciBufAttrListFree(lists[1]);

	lists[0] = recv_lists(&side);
	assert_int_equal(value(lists[0], NvSciBufImageAttrKey_TopPadding,
			       uint64_t), 3);
	assert_int_equal(value(lists[0],
			       NvSciBufImageAttrKey_PlaneColorFormat,
			       uint32_t), NvSciColor_X4Bayer12RCCB);
	NvSciBufAttrListFree(lists[0]);
	lists[0] = recv_lists(&side);
	lists[1] = new_list();
	set_number(lists[1], NvSciBufGeneralAttrKey_Types,
		   NvSciBufType_RawBuffer);
	ok(set_one(lists[1], NvSciBufRawBufferAttrKey_Size, &size,
		   sizeof(size)));
	ok(NvSciBufAttrListReconcile(lists, 2, &result, &conflict));
	assert_int_equal(value(result, NvSciBufRawBufferAttrKey_Align,
			       uint64_t), 0);
	NvSciBufAttrListFree(result);
	NvSciBufAttrListFree(lists[0]);
	NvSciBufAttrListFree(lists[1]);
	done(&side);
	end(&side);
	wait_for_peer(pid);
}

/* A read-only receiver */

static sigjmp_buf fault;

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(fault, 1);
}

static bool store_faults(volatile uint8_t *at)
{
	struct sigaction action = { .sa_handler = on_fault }, before;
	volatile bool has_faulted = true;

	must(!sigaction(SIGSEGV, &action, &before));
	if (!sigsetjmp(fault, 1)) {
		*at = 1;
		has_faulted = false;
	}
	must(!sigaction(SIGSEGV, &before, NULL));
	return has_faulted;
}

static void peer_reads(const char *name)
{
	NvSciBufAttrList list = new_raw_list(SIZE), own;
	struct side side = begin(name);
	NvSciBufObj object, other;
	const void *bytes;
	void *ptr;
	size_t i;

	object = recv_object(&side, list, NvSciBufAccessPerm_ReadOnly);
	must(!NvSciBufObjGetAttrList(object, &own));
	must(value(own, NvSciBufGeneralAttrKey_ActualPerm,
		   NvSciBufAttrValAccessPerm) == NvSciBufAccessPerm_Readonly);
	must(NvSciBufObjGetCpuPtr(object, &ptr) == NvSciError_BadParameter);
	must(NvSciBufObjDupWithReducePerm(object, NvSciBufAccessPerm_ReadWrite,
					  &other) == NvSciError_BadParameter);
	must(!NvSciBufObjGetConstCpuPtr(object, &bytes));
	must(!NvSciBufObjFlushCpuCacheRange(object, 0, SIZE));
	for (i = 0; i < SIZE; i++)
		must(((const uint8_t *)bytes)[i] == (uint8_t)(i * 7));
	must(store_faults((volatile uint8_t *)(uintptr_t)bytes));
	must(mprotect((void *)(uintptr_t)bytes, 4096,
		      PROT_READ | PROT_WRITE) != 0);
	/* The receiver cannot export it with more access than it got. */
	must(NvSciBufIpcExportAttrListAndObj(object,
					     NvSciBufAccessPerm_ReadWrite,
					     side.end, &ptr, &i) ==
	     NvSciError_AccessDenied);
	NvSciBufObjFree(object);
	NvSciBufAttrListFree(list);
	done(&side);
	end(&side);
}

static void fill(NvSciBufObj object)
{
	uint8_t *bytes;
	void *ptr;
	size_t i;

	ok(NvSciBufObjGetCpuPtr(object, &ptr));
	bytes = ptr;
	for (i = 0; i < SIZE; i++)
		bytes[i] = (uint8_t)(i * 7);
	ok(NvSciBufObjFlushCpuCacheRange(object, 0, SIZE));
}

static void a_read_only_receiver_cannot_write(void **state)
{
	const char *name = channel_name("reads");
	const pid_t pid = start_peer("peer_reads", name);
	NvSciBufAttrValAccessPerm perm;
	struct side side = begin(name);
	NvSciBufObj object = new_raw_object();

	(void)state;
	fill(object);
	ok(NvSciBufObjGetMaxPerm(object, side.end, &perm));
	assert_int_equal(perm, NvSciBufAccessPerm_ReadWrite);
	bad(NvSciBufObjGetMaxPerm(object, side.end, NULL));
	bad(NvSciBufObjGetMaxPerm(object, 0, &perm));
	send_object(&side, object, NvSciBufAccessPerm_ReadOnly);
	wait_until_done(&side);
	NvSciBufObjFree(object);
	end(&side);
	wait_for_peer(pid);
}

/* A receiver with write access, whose writes must be visible */

static void peer_writes(const char *name)
{
	struct side side = begin(name);
	NvSciBufObj object;
	void *ptr;

	object = recv_object(&side, NULL, NvSciBufAccessPerm_Auto);
	must(!NvSciBufObjGetCpuPtr(object, &ptr));
	must(*(uint8_t *)ptr == 0);
	memset(ptr, 0x77, SIZE);
	must(!NvSciBufObjFlushCpuCacheRange(object, 0, SIZE));
	done(&side);
	NvSciBufObjFree(object);
	/* The memory is still shared with the sender. */
	wait_until_done(&side);
	end(&side);
}

static void a_receiver_that_may_write_does(void **state)
{
	const char *name = channel_name("writes");
	const pid_t pid = start_peer("peer_writes", name);
	struct side side = begin(name);
	NvSciBufObj object = new_raw_object();
	const void *bytes;

	(void)state;
	send_object(&side, object, NvSciBufAccessPerm_ReadWrite);
	wait_until_done(&side);
	ok(NvSciBufObjFlushCpuCacheRange(object, 0, SIZE));
	ok(NvSciBufObjGetConstCpuPtr(object, &bytes));
	assert_int_equal(((const uint8_t *)bytes)[SIZE - 1], 0x77);
	done(&side);
	NvSciBufObjFree(object);
	end(&side);
	wait_for_peer(pid);
}

/* The list is sent once, objects by a descriptor of fixed length */

static void peer_takes_bare_objects(const char *name)
{
	NvSciBufObjIpcExportDescriptor desc, wrong;
	NvSciBufAttrList list = new_raw_list(SIZE), result;
	struct side side = begin(name);
	NvSciBufObj object;
	const void *bytes;
	void *listed;
	size_t len;
	int i;

	send_lists(&side, &list, 1);
	listed = recv_desc(side.end, &len);
	must(!NvSciBufAttrListIpcImportReconciled(module, side.end, listed,
						  len, &list, 1, &result));
	free(listed);
	for (i = 0; i < 3; i++) {
		recv_bytes(side.end, &desc, sizeof(desc));
		wrong = desc;
		wrong.data[1] ^= 1;
		must(NvSciBufObjIpcImport(side.end, &wrong, result,
					  NvSciBufAccessPerm_Readonly, 1000,
					  &object) ==
		     NvSciError_BadParameter);
		must(NvSciBufObjIpcImport(side.end, &desc, list,
					  NvSciBufAccessPerm_Readonly, 1000,
					  &object) ==
		     NvSciError_BadParameter);
		must(!NvSciBufObjIpcImport(side.end, &desc, result,
					   NvSciBufAccessPerm_Readonly, 1000,
					   &object));
		must(!NvSciBufObjGetConstCpuPtr(object, &bytes));
		must(*(const uint8_t *)bytes == i + 1);
		NvSciBufObjFree(object);
	}
	NvSciBufAttrListFree(result);
	NvSciBufAttrListFree(list);
	done(&side);
	end(&side);
}

static void objects_are_shared_without_their_list(void **state)
{
	const char *name = channel_name("bare");
	const pid_t pid = start_peer("peer_takes_bare_objects", name);
	NvSciBufObjIpcExportDescriptor desc;
	NvSciBufAttrList lists[2], result, conflict;
	struct side side = begin(name);
	NvSciBufObj objects[3];
	size_t len;
	void *listed, *ptr;
	int i;

	(void)state;
	lists[0] = recv_lists(&side);
	lists[1] = new_raw_list(SIZE);
	ok(NvSciBufAttrListReconcile(lists, 2, &result, &conflict));
	ok(NvSciBufAttrListIpcExportReconciled(result, side.end, &listed,
					       &len));
	send_desc(side.end, listed, len);
	NvSciBufAttrListFreeDesc(listed);
	for (i = 0; i < 3; i++) {
		ok(NvSciBufObjAlloc(result, &objects[i]));
		ok(NvSciBufObjGetCpuPtr(objects[i], &ptr));
		*(uint8_t *)ptr = (uint8_t)(i + 1);
		ok(NvSciBufObjFlushCpuCacheRange(objects[i], 0, SIZE));
		ok(NvSciBufObjIpcExport(objects[i],
					NvSciBufAccessPerm_Readonly, side.end,
					&desc));
		send_bytes(side.end, &desc, sizeof(desc));
	}
	wait_until_done(&side);
	for (i = 0; i < 3; i++)
		NvSciBufObjFree(objects[i]);
	NvSciBufAttrListFree(result);
	NvSciBufAttrListFree(lists[0]);
	NvSciBufAttrListFree(lists[1]);
	end(&side);
	wait_for_peer(pid);
}

/* Objects that do not match the lists */

static void peer_is_choosy(const char *name)
{
	NvSciBufAttrList larger = raw_list_for(2 * SIZE,
					       NvSciBufAccessPerm_Readonly);
	NvSciBufAttrList writer = new_raw_list(SIZE), result;
	NvSciBufModule other;
	NvSciBufAttrList strange;
	struct side side = begin(name);
	NvSciBufObj object = UNTOUCHED(NvSciBufObj);
	size_t len;
	void *desc;

	desc = recv_desc(side.end, &len);
	must(NvSciBufAttrListIpcImportReconciled(module, side.end, desc, len,
						 &larger, 1, &result) ==
	     NvSciError_AttrListValidationFailed);
	must(NvSciBufAttrListIpcImportReconciled(module, side.end, desc,
						 len - 1, NULL, 0, &result) ==
	     NvSciError_BadParameter);
	must(!NvSciBufModuleOpen(&other));
	must(!NvSciBufAttrListCreate(other, &strange));
	must(NvSciBufAttrListIpcImportReconciled(module, side.end, desc, len,
						 &strange, 1, &result) ==
	     NvSciError_BadParameter);
	NvSciBufAttrListFree(strange);
	NvSciBufModuleClose(other);
	free(desc);

	desc = recv_desc(side.end, &len);
	must(NvSciBufIpcImportAttrListAndObj(module, side.end, desc, len,
					     &larger, 1,
					     NvSciBufAccessPerm_ReadOnly, 1000,
					     &object) ==
	     NvSciError_AttrListValidationFailed);
	must(NvSciBufIpcImportAttrListAndObj(module, side.end, desc, len,
					     &writer, 1,
					     NvSciBufAccessPerm_Auto, 1000,
					     &object) ==
	     NvSciError_AttrListValidationFailed);
	must(NvSciBufIpcImportAttrListAndObj(module, side.end, desc, len, NULL,
					     0, NvSciBufAccessPerm_ReadWrite,
					     1000, &object) ==
	     NvSciError_AccessDenied);
	((uint8_t *)desc)[len - 1] ^= 1;
	must(NvSciBufIpcImportAttrListAndObj(module, side.end, desc, len, NULL,
					     0, NvSciBufAccessPerm_ReadOnly,
					     1000, &object) ==
	     NvSciError_BadParameter);
	((uint8_t *)desc)[len - 1] ^= 1;
	must(object == UNTOUCHED(NvSciBufObj));
	/* A refused descriptor can still be imported, but only once. */
	must(!NvSciBufIpcImportAttrListAndObj(module, side.end, desc, len,
					      NULL, 0,
					      NvSciBufAccessPerm_ReadOnly,
					      1000, &object));
	NvSciBufObjFree(object);
	must(NvSciBufIpcImportAttrListAndObj(module, side.end, desc, len, NULL,
					     0, NvSciBufAccessPerm_ReadOnly,
					     1000, &object) ==
	     NvSciError_BadParameter);
	free(desc);
	NvSciBufAttrListFree(larger);
	NvSciBufAttrListFree(writer);
	done(&side);
	end(&side);
}

static void what_does_not_fit_is_refused(void **state)
{
	const char *name = channel_name("choosy");
	const pid_t pid = start_peer("peer_is_choosy", name);
	NvSciBufAttrList result = reconciled(new_raw_list(SIZE));
	struct side side = begin(name);
	NvSciBufObj object;
	size_t len;
	void *desc;

	(void)state;
	ok(NvSciBufAttrListIpcExportReconciled(result, side.end, &desc, &len));
	send_desc(side.end, desc, len);
	NvSciBufAttrListFreeDesc(desc);
	ok(NvSciBufObjAlloc(result, &object));
	send_object(&side, object, NvSciBufAccessPerm_ReadOnly);
	wait_until_done(&side);
	NvSciBufObjFree(object);
	NvSciBufAttrListFree(result);
	end(&side);
	wait_for_peer(pid);
}

/* Values of NvSciBuf that libmem lacks, by their number in descriptors */
#define KEPT(nr, type, value)	\
	{ MEM_ATTR_CLIENT + (nr), 0, &(const type) { value }, sizeof(type) }

static NvSciBufAttrList image_list(const struct mem_attr *kept)
{
	const NvSciBufAttrValColorFmt color = NvSciColor_Y8;
	NvSciBufAttrList list = new_list();

	set_number(list, NvSciBufGeneralAttrKey_Types, NvSciBufType_Image);
	set_number(list, NvSciBufImageAttrKey_Layout,
		   NvSciBufImage_PitchLinearType);
	set_number(list, NvSciBufImageAttrKey_PlaneCount, 1);
	set_number(list, NvSciBufImageAttrKey_PlaneWidth, 64);
	set_number(list, NvSciBufImageAttrKey_PlaneHeight, 32);
	if (!kept || kept->key != MEM_ATTR_CLIENT + 4)
		ok(set_one(list, NvSciBufImageAttrKey_PlaneColorFormat, &color,
			   sizeof(color)));
	if (kept)
		assert_int_equal(mem_attrs_set((struct mem_attrs *)list, kept,
					       1), 0);
	return list;
}

static NvSciError list_crosses(const struct side *ends, NvSciBufAttrList list)
{
	NvSciBufAttrList other;
	NvSciError error;
	size_t len;
	void *desc;

	ok(NvSciBufAttrListIpcExportUnreconciled(&list, 1, ends[0].end, &desc,
						 &len));
	error = NvSciBufAttrListIpcImportUnreconciled(module, ends[1].end, desc,
						      len, &other);
	NvSciBufAttrListFreeDesc(desc);
	if (!error)
		NvSciBufAttrListFree(other);
	return error;
}

static NvSciError object_crosses(const struct side *ends, NvSciBufAttrList list)
{
	NvSciBufObj object = new_object(list), other;
	NvSciError error;
	size_t len;
	void *desc;

	ok(NvSciBufIpcExportAttrListAndObj(object, NvSciBufAccessPerm_Readonly,
					   ends[0].end, &desc, &len));
	error = NvSciBufIpcImportAttrListAndObj(module, ends[1].end, desc, len,
						NULL, 0,
						NvSciBufAccessPerm_Readonly,
						10000000, &other);
	NvSciBufAttrListAndObjFreeDesc(desc);
	NvSciBufObjFree(object);
	if (!error)
		NvSciBufObjFree(other);
	return error;
}

/* A sender may use another implementation than this library. */
static void what_a_stranger_keeps_in_a_list_is_checked(void **state)
{
	const struct mem_attr wrong[] = {
		KEPT(0, uint32_t, 1),			/* top padding */
		KEPT(4, uint8_t, NvSciColor_Y8),	/* colours of planes */
		KEPT(4, uint32_t, NvSciColor_Y16),
		KEPT(5, uint16_t, 0),			/* their standards */
		KEPT(5, uint32_t, 1000),
		KEPT(6, uint32_t, NvSciColor_UpperBound), /* of a tensor */
		KEPT(7, uint64_t, 2),			/* images */
		KEPT(8, uint8_t, 0),			/* surface: its type */
		KEPT(11, uint32_t, NvSciSurfBPC_MaxValid),
		KEPT(15, uint32_t, 1000),		/* and its standard */
	};
	const struct mem_attr right = KEPT(0, uint64_t, 1);
	const uint32_t r8 = MEM_FOURCC('R', '8', ' ', ' ');
	const struct mem_attr format = { MEM_ATTR_IMAGE_PLANE_FORMAT, 0, &r8,
					 sizeof(r8) };
	struct side ends[2];
	char name[80];
	NvSciBufAttrList list;
	size_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s_%zu",
			 channel_name("stranger"), i);
		ends[i].end = open_end(name);
	}
	for (i = 0; i < 2; i++)
		wait_for_event(ends[i].end, NV_SCI_IPC_EVENT_CONN_EST);
	for (i = 0; i < NR(wrong); i++) {
		list = image_list(&wrong[i]);
		if (wrong[i].key == MEM_ATTR_CLIENT + 4)
			assert_int_equal(mem_attrs_set((struct mem_attrs *)list,
						       &format, 1), 0);
		bad(list_crosses(ends, list));
		bad(object_crosses(ends, list));
	}
	list = image_list(NULL);
	ok(list_crosses(ends, list));
	ok(object_crosses(ends, list));
	list = image_list(&right);
	ok(list_crosses(ends, list));
	ok(object_crosses(ends, list));
	for (i = 0; i < 2; i++)
		end(&ends[i]);
}

static void exports_and_imports_are_checked(void **state)
{
	NvSciBufAttrList list = new_raw_list(SIZE), result, conflict, other;
	NvSciBufAttrList many[65];
	NvSciBufObjIpcExportDescriptor bare = { { 0 } };
	NvSciBufObj object = new_raw_object(), none;
	const NvSciIpcEndpoint end = 12345;
	uint8_t bytes[64] = { 0 };
	size_t len, i;
	void *desc;

	(void)state;
	ok(NvSciIpcInit());
	ok(NvSciBufAttrListReconcile(&list, 1, &result, &conflict));
	bad(NvSciBufAttrListIpcExportUnreconciled(&list, 1, end, &desc, &len));
	bad(NvSciBufAttrListIpcExportUnreconciled(NULL, 1, end, &desc, &len));
	bad(NvSciBufAttrListIpcExportUnreconciled(&list, 0, end, &desc, &len));
	for (i = 0; i < NR(many); i++)
		many[i] = list;
	is(NvSciBufAttrListIpcExportUnreconciled(many, NR(many), end, &desc,
						 &len), TooBig);
	bad(NvSciBufAttrListIpcExportUnreconciled(&list, 1, end, NULL, &len));
	bad(NvSciBufAttrListIpcExportUnreconciled(&list, 1, end, &desc, NULL));
	bad(NvSciBufAttrListIpcExportUnreconciled(&result, 1, end, &desc,
						  &len));
	bad(NvSciBufAttrListIpcExportReconciled(NULL, end, &desc, &len));
	bad(NvSciBufAttrListIpcExportReconciled(list, end, &desc, &len));
	bad(NvSciBufAttrListIpcExportReconciled(result, end, NULL, &len));
	bad(NvSciBufAttrListIpcExportReconciled(result, end, &desc, NULL));
	bad(NvSciBufAttrListIpcExportReconciled(result, end, &desc, &len));
	bad(NvSciBufAttrListIpcImportUnreconciled(NULL, end, bytes, 64,
						  &other));
	bad(NvSciBufAttrListIpcImportUnreconciled(module, end, NULL, 64,
						  &other));
	bad(NvSciBufAttrListIpcImportUnreconciled(module, end, bytes, 0,
						  &other));
	bad(NvSciBufAttrListIpcImportUnreconciled(module, end, bytes, 64,
						  NULL));
	bad(NvSciBufAttrListIpcImportUnreconciled(module, end, bytes, 64,
						  &other));
	bad(NvSciBufAttrListIpcImportReconciled(module, end, bytes, 64, &list,
						0, &other));
	bad(NvSciBufIpcExportAttrListAndObj(NULL, NvSciBufAccessPerm_Auto, end,
					    &desc, &len));
	bad(NvSciBufIpcExportAttrListAndObj(object, NvSciBufAccessPerm_Invalid,
					    end, &desc, &len));
	bad(NvSciBufIpcExportAttrListAndObj(object, NvSciBufAccessPerm_Auto,
					    end, NULL, &len));
	bad(NvSciBufIpcExportAttrListAndObj(object, NvSciBufAccessPerm_Auto,
					    end, &desc, NULL));
	bad(NvSciBufIpcExportAttrListAndObj(object, NvSciBufAccessPerm_Auto,
					    end, &desc, &len));
	bad(NvSciBufIpcImportAttrListAndObj(module, end, bytes, 64, NULL, 0,
					    NvSciBufAccessPerm_Invalid, 0,
					    &none));
	bad(NvSciBufIpcImportAttrListAndObj(module, end, bytes, 64, NULL, 0,
					    NvSciBufAccessPerm_Auto, 0, NULL));
	bad(NvSciBufIpcImportAttrListAndObj(module, end, bytes, 64, NULL, 0,
					    NvSciBufAccessPerm_Auto, 0,
					    &none));
	bad(NvSciBufObjIpcExport(NULL, NvSciBufAccessPerm_Auto, end, &bare));
	bad(NvSciBufObjIpcExport(object, NvSciBufAccessPerm_Auto, end, NULL));
	bad(NvSciBufObjIpcExport(object, NvSciBufAccessPerm_Invalid, end,
				 &bare));
	bad(NvSciBufObjIpcImport(end, NULL, result, NvSciBufAccessPerm_Auto, 0,
				 &none));
	bad(NvSciBufObjIpcImport(end, &bare, NULL, NvSciBufAccessPerm_Auto, 0,
				 &none));
	bad(NvSciBufObjIpcImport(end, &bare, result, NvSciBufAccessPerm_Auto,
				 0, NULL));
	NvSciBufAttrListFreeDesc(NULL);
	NvSciBufAttrListAndObjFreeDesc(NULL);
	NvSciBufObjFree(object);
	NvSciBufAttrListFree(result);
	NvSciBufAttrListFree(list);
	NvSciIpcDeinit();
}

static const struct {
	const char *part;
	void (*play)(const char *name);
} peers[] = {
	{ "peer_sends_lists", peer_sends_lists },
	{ "peer_reads", peer_reads },
	{ "peer_writes", peer_writes },
	{ "peer_takes_bare_objects", peer_takes_bare_objects },
	{ "peer_is_choosy", peer_is_choosy },
};

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_shared),
		cmocka_unit_test(a_read_only_receiver_cannot_write),
		cmocka_unit_test(a_receiver_that_may_write_does),
		cmocka_unit_test(objects_are_shared_without_their_list),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(what_a_stranger_keeps_in_a_list_is_checked),
		cmocka_unit_test(exports_and_imports_are_checked),
	};
	size_t i;

	for (i = 0; argc == 3 && i < NR(peers); i++) {
		if (strcmp(argv[1], peers[i].part))
			continue;
		must(!open_module(NULL));
		peers[i].play(argv[2]);
		close_module(NULL);
		return 0;
	}
	return cmocka_run_group_tests(tests, open_module, close_module);
}
