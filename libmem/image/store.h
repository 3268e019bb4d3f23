/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What images and arrays have in common: memory as the CPU and engines have it,
 * perhaps a copy of it inside, the jobs that use it, and who has locked it. An
 * image and an array begin with their store.
 */
#ifndef _LIBMEM_IMAGE_STORE_H
#define _LIBMEM_IMAGE_STORE_H

#include "../sched.h"
#include "libmem/object.h"
#include "view.h"

/* Streams of jobs that are waited for one by one; of more, for all work. */
#define MAX_USES	8U

/* Of an array, which has two planes: a row for each element, then its count. */
#define ARRAY_COUNT	1U

/**
 * struct place - memory as the CPU and engines have it
 * @view: planes; their bases are not set
 * @host: first byte of each plane for the CPU; NULL in the first: no access
 * @device: the same for engines
 * @object: that it is; kept; NULL: none
 * @buf: whose accesses by the CPU are bracketed; NULL: none
 * @own: to be destroyed with it, mapped; NULL: none
 * @map: to be unmapped with it; NULL: nothing
 * @map_len: bytes
 * @may_be_cut: @map is of a file that anybody may shorten
 * @buf_id: of a wrapper, of each plane: id of libmem's memory; 0: it is none
 */
struct place {
	struct view view;
	void *host[MEM_PLANES_MAX];
	void *device[MEM_PLANES_MAX];
	struct mem_object *object;
	struct mem_buf *buf;
	struct mem_buf *own;
	void *map;
	size_t map_len;
	bool may_be_cut;
	uint64_t buf_id[MEM_PLANES_MAX];
};

struct snapshot;

/**
 * struct hold - a lock
 * @next: older
 * @as: enum mem_lock_as
 * @access: MEM_READ, MEM_WRITE or both
 * @is_complete: it may be given back
 * @owner: thread that took it
 * @place: whose pointers were given
 * @fd: MEM_LOCK_FD: the descriptor; else -1
 * @living: told of if nobody gives it back
 * @time_ns: when it was taken; this and what follows if somebody is told
 * @tid: thread that took it
 * @stack: of that
 * @snapshot: bytes as they were then; NULL: they are not compared
 */
struct hold {
	struct hold *next;
	unsigned int as;
	unsigned int access;
	bool is_complete;
	pthread_t owner;
	struct place *place;
	int fd;
	struct living living;
	uint64_t time_ns;
	uint32_t tid;
	uint32_t stack;
	struct snapshot *snapshot;
};

/**
 * struct store_use - jobs of one stream
 * @stream: its id plus 1; 0: none
 * @event: all that were submitted; NULL: it never had one
 */
struct store_use {
	uint64_t stream;
	struct mem_event *event;
};

/**
 * struct store - an image or array
 * @ctx: kept
 * @nr_users: the caller, and each job that is not done
 * @uses: MEM_USE_*, who may use it
 * @is_array: else it is an image
 * @is_wrapper: @main is the caller's
 * @is_read_only: @main is not to be written
 * @why: enum mem_wrap_why
 * @inside_for: who works on the copy inside: those of @uses who cannot work on
 *	@main
 * @main: memory
 * @inside: copy of it; without planes: there is none
 * @nr_copies: between the two
 * @copied_bytes: of those
 * @gate_lock: the gate is set by one at a time; taken before @lock
 * @lock: protects what follows
 * @idle: @nr_submitting has become 0
 * @nr_submitting: jobs on their way into a stream
 * @holds: locks, the newest first
 * @nr_holds: locks
 * @access: of them; 0: it is not locked
 * @nr_jobs: that were submitted so far
 * @job_uses: where they were
 * @is_crowded: that is not all
 * @has_escaped: it was locked as a surface or object
 * @name: for reports
 * @format: of pixels or elements, in a word
 */
struct store {
	struct mem_ctx *ctx;
	atomic_uint nr_users;
	uint64_t uses;
	bool is_array;
	bool is_wrapper;
	bool is_read_only;
	uint32_t why;
	uint64_t inside_for;
	struct place main;
	struct place inside;
	atomic_ullong nr_copies;
	atomic_ullong copied_bytes;

	pthread_mutex_t gate_lock;
	pthread_mutex_t lock;
	pthread_cond_t idle;
	unsigned int nr_submitting;
	struct hold *holds;
	uint32_t nr_holds;
	unsigned int access;
	uint64_t nr_jobs;
	struct store_use job_uses[MAX_USES];
	bool is_crowded;
	bool has_escaped;
	char name[MEM_NAME_LEN];
	char format[16];
};

/* Of struct store's @uses: engines that run kernels */
#define USE_KERNELS	((1ULL << NR_ENGINES) - 1)

static inline uint64_t use_of(unsigned int engine)
{
	return engine == MEM_ENGINE_CPU ? MEM_USE_CPU : 1ULL << engine;
}

int uses_check(struct mem_ctx *ctx, uint64_t *uses);

void place_fini(struct place *place);
struct view place_view(const struct place *place, bool is_device);
int place_begin(const struct place *place, unsigned int access);
void place_end(const struct place *place, unsigned int access);

void store_init(struct store *store, struct mem_ctx *ctx, uint64_t uses);
struct store *store_get(struct store *store);
void store_put(struct store *store);
void store_destroy(struct store *store);
int store_set_name(struct store *store, const char *name);
struct place *store_place(struct store *store, unsigned int engine);
int store_check_main(const struct store *store, unsigned int access);
int store_job_begin(struct store *store, unsigned int access);
void store_job_end(struct store *store, struct mem_stream *stream);
int store_wait(struct store *store);

void views_update(const struct view *dst, const struct view *src, bool is_array,
		  const struct part *part);
int foreign_move(const struct view *inside, const struct view *foreign,
		 bool is_array, bool is_in);
bool foreign_is_there(const void *byte);
int store_move_by_cpu(struct store *store, bool is_in);
int store_move(struct store *store, bool is_in);
void store_count_move(struct store *store);

int store_hold(struct store *store, unsigned int access, struct hold **hold);
void store_drop(struct store *store, struct hold *hold);
int store_lock(struct store *store, unsigned int access, unsigned int as,
	       struct hold *held);
int store_unlock(struct store *store);

/* watched.c */
void store_set_gate(struct store *store);
void store_open_gate(struct store *store);
void store_tell(const struct store *store);
void hold_tell(struct store *store, struct hold *hold);
void hold_tell_gone(struct store *store, struct hold *hold);
void place_remember(struct place *place, struct mem_ctx *ctx);
int store_check_wrapped(const struct store *store);

#endif
