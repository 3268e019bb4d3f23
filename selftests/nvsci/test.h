/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the tests of the NvSciBuf API, in C and in C++. */
#ifndef _NVSCI_TEST_H
#define _NVSCI_TEST_H

#include <poll.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif
#include <cmocka.h>
#ifdef __cplusplus
}
#endif
#include <libmem.h>
#include <nvscibuf.h>

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

#define ok(call)	assert_int_equal(call, NvSciError_Success)
#define is(call, error)	assert_int_equal(call, NvSciError_##error)
#define bad(call)	is(call, BadParameter)

#define SIZE		(128 * 1024UL)
/* Value of a result that a failed call must leave unchanged */
#define UNTOUCHED(type)	((type)0x5a5a)

#define PAIR(key, value) { key, &(value), sizeof(value) }

static NvSciBufModule module;

static inline int open_module(void **state)
{
	(void)state;
	return (int)NvSciBufModuleOpen(&module);
}

static inline int close_module(void **state)
{
	(void)state;
	NvSciBufModuleClose(module);
	return 0;
}

static inline struct mem_ctx *shared_ctx(void)
{
	struct mem_ctx *ctx;

	assert_int_equal(mem_ctx_open_shared(NULL, &ctx), 0);
	/* Another reference keeps the context, so the pointer stays valid. */
	mem_ctx_close(ctx);
	return ctx;
}

/* Returns the id of the board's integrated GPU; false if it has none. */
static inline bool gpu_id(NvSciRmGpuId *id)
{
	return !mem_ctx_gpu_id(shared_ctx(), MEM_ENGINE_GPU, id->bytes);
}

static inline bool is_embedded(void)
{
	struct mem_probe probe;

	memset(&probe, 0, sizeof(probe));
	probe.size = sizeof(probe);
	assert_int_equal(mem_ctx_probe(shared_ctx(), &probe), 0);
	return probe.backend == MEM_BACKEND_EMBEDDED;
}

static inline bool is_io_coherent(void)
{
	struct mem_board board;

	memset(&board, 0, sizeof(board));
	board.size = sizeof(board);
	assert_int_equal(mem_ctx_board(shared_ctx(), MEM_ENGINE_GPU, &board),
			 0);
	return board.is_io_coherent;
}

static inline NvSciBufAttrList new_list(void)
{
	NvSciBufAttrList list;

	ok(NvSciBufAttrListCreate(module, &list));
	return list;
}

static inline NvSciError set_one(NvSciBufAttrList list, NvSciBufAttrKey key,
				 const void *value, size_t len)
{
	NvSciBufAttrKeyValuePair pair = { key, value, len };

	return NvSciBufAttrListSetAttrs(list, &pair, 1);
}

static inline void set_number(NvSciBufAttrList list, NvSciBufAttrKey key,
			      uint32_t number)
{
	ok(set_one(list, key, &number, sizeof(number)));
}

static inline void set_bool(NvSciBufAttrList list, NvSciBufAttrKey key,
			    bool flag)
{
	ok(set_one(list, key, &flag, sizeof(flag)));
}

static inline const void *value_of(NvSciBufAttrList list, NvSciBufAttrKey key,
				   size_t len)
{
	NvSciBufAttrKeyValuePair pair = { key, NULL, 0 };

	ok(NvSciBufAttrListGetAttrs(list, &pair, 1));
	assert_int_equal(pair.len, len);
	return pair.value;
}

#define value(list, key, type) \
	(*(const type *)value_of(list, key, sizeof(type)))

static inline bool is_set(NvSciBufAttrList list, NvSciBufAttrKey key)
{
	NvSciBufAttrKeyValuePair pair = { key, NULL, 0 };

	ok(NvSciBufAttrListGetAttrs(list, &pair, 1));
	return pair.value;
}

/* Makes the list of a raw buffer for the GPU and the CPU, cached. */
static inline NvSciBufAttrList raw_list_for(uint64_t size,
					    NvSciBufAttrValAccessPerm perm)
{
	const uint64_t align = 4096;
	NvSciBufAttrList list = new_list();
	NvSciRmGpuId id;

	set_number(list, NvSciBufGeneralAttrKey_Types, NvSciBufType_RawBuffer);
	ok(set_one(list, NvSciBufRawBufferAttrKey_Size, &size, sizeof(size)));
	ok(set_one(list, NvSciBufRawBufferAttrKey_Align, &align,
		   sizeof(align)));
	set_bool(list, NvSciBufGeneralAttrKey_NeedCpuAccess, true);
	set_bool(list, NvSciBufGeneralAttrKey_EnableCpuCache, true);
	set_number(list, NvSciBufGeneralAttrKey_RequiredPerm, perm);
	if (gpu_id(&id))
		ok(set_one(list, NvSciBufGeneralAttrKey_GpuId, &id,
			   sizeof(id)));
	return list;
}

/* The buffer is read and written. */
static inline NvSciBufAttrList new_raw_list(uint64_t size)
{
	return raw_list_for(size, NvSciBufAccessPerm_ReadWrite);
}

static inline NvSciBufAttrList reconciled(NvSciBufAttrList list)
{
	NvSciBufAttrList result, conflict;

	ok(NvSciBufAttrListReconcile(&list, 1, &result, &conflict));
	NvSciBufAttrListFree(list);
	return result;
}

static inline NvSciBufObj new_object(NvSciBufAttrList list)
{
	NvSciBufAttrList result = reconciled(list);
	NvSciBufObj object;

	ok(NvSciBufObjAlloc(result, &object));
	NvSciBufAttrListFree(result);
	return object;
}

static inline NvSciBufObj new_raw_object(void)
{
	return new_object(new_raw_list(SIZE));
}

/* Other processes of this program, whose argument names their part. */

extern char **environ;

static inline pid_t start_peer(const char *part, const char *channel)
{
	char *const argv[] = { (char *)"peer", (char *)part, (char *)channel,
			       NULL };
	pid_t pid;

	assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv,
				     environ), 0);
	return pid;
}

static inline void wait_for_peer(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Returns a name that no other test uses. */
static inline const char *channel_name(const char *test)
{
	static char name[64];

	snprintf(name, sizeof(name), "%s.%d", test, (int)getpid());
	return name;
}

/* cmocka cannot be used in a peer. */
#define must(condition)							\
	do {								\
		if (!(condition)) {					\
			printf("# peer: %s:%d: %s\n", __FILE__,		\
			       __LINE__, #condition);			\
			fflush(stdout);					\
			exit(1);					\
		}							\
	} while (0)

static inline NvSciIpcEndpoint open_end(const char *name)
{
	NvSciIpcEndpoint end = 0;

	must(NvSciIpcInit() == NvSciError_Success);
	must(NvSciIpcOpenEndpoint(name, &end) == NvSciError_Success);
	must(NvSciIpcResetEndpointSafe(end) == NvSciError_Success);
	return end;
}

static inline void wait_for_event(NvSciIpcEndpoint end, uint32_t wanted)
{
	struct pollfd fd;
	uint32_t events;
	int32_t nr;

	must(NvSciIpcGetLinuxEventFd(end, &nr) == NvSciError_Success);
	fd.fd = nr;
	fd.events = POLLIN;
	for (;;) {
		must(NvSciIpcGetEventSafe(end, &events) == NvSciError_Success);
		if (events & wanted)
			return;
		must(!(events & NV_SCI_IPC_EVENT_CONN_RESET));
		must(poll(&fd, 1, 20000) == 1);
	}
}

static inline void send_bytes(NvSciIpcEndpoint end, const void *bytes,
			      size_t len)
{
	int32_t sent;

	must(NvSciIpcWrite(end, bytes, len, &sent) == NvSciError_Success);
	must((size_t)sent == len);
}

static inline void recv_bytes(NvSciIpcEndpoint end, void *bytes, size_t len)
{
	int32_t nr;

	wait_for_event(end, NV_SCI_IPC_EVENT_READ);
	must(NvSciIpcRead(end, bytes, len, &nr) == NvSciError_Success);
	must((size_t)nr == len);
}

/* Sends the length of a descriptor, and then the descriptor. */
static inline void send_desc(NvSciIpcEndpoint end, const void *desc, size_t len)
{
	send_bytes(end, &len, sizeof(len));
	send_bytes(end, desc, len);
}

static inline void *recv_desc(NvSciIpcEndpoint end, size_t *len)
{
	void *desc;

	recv_bytes(end, len, sizeof(*len));
	desc = malloc(*len);
	must(desc);
	recv_bytes(end, desc, *len);
	return desc;
}

#endif
