// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: handles. A table has the addresses of all objects that a program can
 * name and free, so that a call recognises a handle that was freed, or that
 * never was one, without an access to its memory. heapsim-run(1) reports such
 * calls. The lock protects the table and all handles; no other lock is taken
 * while it is held.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "compat.h"
#include "internal.h"

#define BUCKETS_SHIFT	12
#define FREED_SHIFT	10

/**
 * struct freed - a handle that was freed
 * @at: handle; NULL: none
 * @memory: its memory, which is freed when this entry is used again; NULL: the
 *	owner still has it
 * @type: what the handle named
 * @stack: stack of the call that freed it
 * @time_ns: time of that call
 */
struct freed {
	const void *at;
	void *memory;
	enum libmem_handle_type type;
	uint32_t stack;
	uint64_t time_ns;
};

/*
 * @err and @once: of the fork handlers, which keep the lock from being held by
 * a thread that a child does not have.
 */
static struct {
	pthread_once_t once;
	int err;

	pthread_mutex_t lock;
	struct libmem_handle *buckets[1U << BUCKETS_SHIFT];
	struct freed freed[1U << FREED_SHIFT];
} table = {
	.once = PTHREAD_ONCE_INIT,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

static void handles_lock(void)
{
	pthread_mutex_lock(&table.lock);
}

static void handles_unlock(void)
{
	pthread_mutex_unlock(&table.lock);
}

static void handles_init_once(void)
{
	table.err = -pthread_atfork(handles_lock, handles_unlock,
				    handles_unlock);
}

static size_t handle_hash(const void *at, unsigned int shift)
{
	return (uintptr_t)at * 0x9e3779b97f4a7c15ULL >> (64 - shift);
}

/*
 * Returns the pointer to the handle, or to the end of its bucket. The lock is
 * held.
 */
static struct libmem_handle **handle_look_up(const void *at)
{
	struct libmem_handle **link;

	link = &table.buckets[handle_hash(at, BUCKETS_SHIFT)];
	while (*link && *link != at)
		link = &(*link)->next;
	return link;
}

/* Returns the handle, or NULL. The lock is held. */
static struct libmem_handle *handle_find(const void *at,
					 enum libmem_handle_type type)
{
	struct libmem_handle *handle = *handle_look_up(at);

	return handle && handle->type == type ? handle : NULL;
}

static struct freed *handle_freed_entry(const void *at)
{
	return &table.freed[handle_hash(at, FREED_SHIFT)];
}

static struct freed handle_find_freed(const void *at)
{
	struct freed freed;

	handles_lock();
	freed = *handle_freed_entry(at);
	handles_unlock();
	if (freed.at != at)
		freed.at = NULL;
	return freed;
}

/* Reports that a call got a handle that is none, or that is lent. */
static void handle_report(const void *at, enum libmem_handle_type type)
{
	static const char *const names[] = {
		[LIBMEM_HANDLE_ATTRS] = "attribute list",
		[LIBMEM_HANDLE_OBJECT] = "object",
		[LIBMEM_HANDLE_BUF_MODULE] = "NvSciBufModule",
		[LIBMEM_HANDLE_SYNC_MODULE] = "NvSciSyncModule",
		[LIBMEM_HANDLE_SYNC_CONTEXT] = "NvSciSyncCpuWaitContext",
		[LIBMEM_HANDLE_SYNC_OBJECT] = "NvSciSyncObj",
	};
	struct mem_violation v = {
		.kind = MEM_VIOLATION_INVALID_HANDLE,
		.count = 1,
		.cpu_addr = (uintptr_t)at,
	};
	struct record_facts beside = { 0 };
	struct freed freed;

	if (!record_is_on())
		return;
	freed = handle_find_freed(at);
	v.time_ns = now_ns();
	v.cpu_time_ns = v.time_ns;
	v.cpu_tid = (uint32_t)gettid();
	strcpy(v.name, names[type]);
	beside.cpu_stack = record_stack(0);
	if (freed.at && freed.type == type) {
		v.other = MEM_OTHER_PROCESS;
		v.other_time_ns = freed.time_ns;
		strcpy(v.other_name, "free");
		beside.other_stack = freed.stack;
	}
	record_add_violation(&v, &beside);
}

API int libmem_handle_add(struct libmem_handle *handle,
			  enum libmem_handle_type type)
{
	struct libmem_handle **link;

	pthread_once(&table.once, handles_init_once);
	if (table.err)
		return table.err;
	handle->type = type;
	handle->nr_users = 1;
	handle->is_lent = false;
	handles_lock();
	link = &table.buckets[handle_hash(handle, BUCKETS_SHIFT)];
	handle->next = *link;
	*link = handle;
	handles_unlock();
	return 0;
}

API bool libmem_handle_is(const void *at, enum libmem_handle_type type)
{
	bool is;

	if (!at)
		return false;
	handles_lock();
	is = handle_find(at, type);
	handles_unlock();
	if (!is)
		handle_report(at, type);
	return is;
}

API bool libmem_handle_get(const void *at, enum libmem_handle_type type)
{
	struct libmem_handle *handle;

	if (!at)
		return false;
	handles_lock();
	handle = handle_find(at, type);
	if (handle)
		handle->nr_users++;
	handles_unlock();
	if (!handle)
		handle_report(at, type);
	return handle;
}

/* Remembers which call freed a handle. */
static void handle_note_freed(const void *at, enum libmem_handle_type type)
{
	const struct freed new = {
		.at = at,
		.type = type,
		.stack = record_stack(0),
		.time_ns = now_ns(),
	};
	void *memory;

	handles_lock();
	memory = handle_freed_entry(at)->memory;
	*handle_freed_entry(at) = new;
	handles_unlock();
	free(memory);
}

API bool libmem_handle_put(const void *at, enum libmem_handle_type type)
{
	struct libmem_handle **link, *handle;
	bool is_last = false;

	if (!at)
		return false;
	handles_lock();
	link = handle_look_up(at);
	handle = *link;
	if (handle && (handle->type != type || handle->is_lent))
		handle = NULL;
	if (handle && !--handle->nr_users) {
		is_last = true;
		*link = handle->next;
	}
	handles_unlock();
	if (!handle)
		handle_report(at, type);
	if (is_last && record_is_on())
		handle_note_freed(at, type);
	return is_last;
}

API void libmem_handle_lend(struct libmem_handle *handle)
{
	handles_lock();
	handle->is_lent = true;
	handles_unlock();
}

API void libmem_handle_take_back(struct libmem_handle *handle)
{
	handles_lock();
	handle->is_lent = false;
	handles_unlock();
}

API void libmem_handle_free(struct libmem_handle *handle)
{
	struct freed *entry = handle_freed_entry(handle);
	bool is_kept = false;

	if (record_is_on()) {
		handles_lock();
		is_kept = entry->at == handle;
		if (is_kept)
			entry->memory = handle;
		handles_unlock();
	}
	if (!is_kept)
		free(handle);
}
