/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The owner's side of an engine: what its files share. */
#ifndef _LIBMEM_OWNER_H
#define _LIBMEM_OWNER_H

#include "process.h"

/**
 * struct engine - an engine
 * @name: its name
 * @window: shared memory
 * @ops: functions of the owner
 * @owner: their first argument
 * @in_process: runs the jobs of an inline engine; else NULL
 * @next: next in the list of all engines
 * @is_foreign: this is a child of the process that created the engine
 * @lock: protects the members below
 * @sock: socket to the process; none: there is no process
 * @pidfd: pidfd of the process
 * @shared: memory that owner and process share
 * @shared_len: bytes
 * @stored: pages that its job stored to
 * @area: addresses reserved for mappings of the process
 * @objects: libraries that were loaded when the process began
 * @nr_seen: number of events that the owner has read
 */
struct engine {
	char name[ENGINE_NAME_LEN];
	struct engine_window window;
	const struct engine_ops *ops;
	void *owner;
	struct inline_engine *in_process;
	struct engine *next;
	bool is_foreign;

	pthread_mutex_t lock;
	struct own_fd sock;
	struct own_fd pidfd;
	struct engine_shared *shared;
	size_t shared_len;
	struct page_set stored;
	struct range area;
	struct objects *objects;
	unsigned int nr_seen;
};

/* list.c */
int engine_list_init(void);
void engine_list_add(struct engine *engine);
void engine_list_del(const struct engine *engine);
void engine_list_lock(void);
void engine_list_unlock(void);

/* spawn.c */
int spawn_start(struct engine *engine);
bool spawn_is_dead(const struct engine *engine, int timeout_ms);
int spawn_wait_event(struct engine *engine, uint64_t deadline);
void spawn_end(struct engine *engine);
void spawn_release(struct engine *engine);
void spawn_give_up(struct engine *engine);

#endif
