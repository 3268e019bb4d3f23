/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The common part of images and arrays: memory with addresses for the CPU and
 * engines, an internal copy of it if needed, the jobs that use it, and its
 * locks. The structs of images and arrays begin with it.
 */
#ifndef _LIBMEM_IMAGE_STORE_H
#define _LIBMEM_IMAGE_STORE_H

#include "../sched.h"
#include "libmem/object.h"
#include "view.h"

/* Streams whose jobs are waited for one by one; with more, all work is. */
#define MAX_USES	8U

/* Plane of an array that has its count */
#define ARRAY_COUNT	1U

/**
 * struct place - memory with addresses for the CPU and engines
 * @view: planes, without their bases
 * @host: address of each plane for the CPU; NULL in the first: no access
 * @device: address of each plane for engines; NULL in the first: no access
 * @object: object that has the memory; holds a reference; or NULL
 * @buf: buffer on which CPU accesses are bracketed, or NULL
 * @own: buffer to be destroyed with the place, or NULL
 * @map: mapping to be unmapped with the place, or NULL
 * @map_len: length of @map, bytes
 * @may_be_cut: @map is of a file that other processes may shorten
 * @buf_id: of a wrapper: id of libmem's memory that has the plane; 0: none
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
 * @next: next older lock
 * @as: enum mem_lock_as
 * @access: MEM_READ, MEM_WRITE or both
 * @is_complete: can be released
 * @owner: thread that took the lock
 * @place: memory whose addresses were returned
 * @fd: descriptor of MEM_LOCK_FD, or -1
 * @living: record for the report of locks that are never released
 * @time_ns: time at which it was taken; like the fields below, only set if
 *	reports are enabled
 * @tid: thread that took it
 * @stack: stack of that call
 * @snapshot: bytes at that time; NULL: they are not compared
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
 * @stream: id of the stream plus 1; 0: unused
 * @event: recorded after each of the jobs; NULL: never used
 */
struct store_use {
	uint64_t stream;
	struct mem_event *event;
};

/**
 * struct store - an image or array
 * @ctx: context; the store holds a reference
 * @nr_users: number of references: the caller's, and one of each job
 * @uses: users, MEM_USE_*
 * @is_array: part of an array, else of an image
 * @is_wrapper: @main is memory of the caller
 * @is_read_only: @main must not be written
 * @why: enum mem_wrap_why
 * @inside_for: those of @uses that work on @inside, since they cannot work on
 *	@main
 * @main: memory
 * @inside: internal copy of @main; without planes: there is none
 * @nr_copies: number of copies between @main and @inside
 * @copied_bytes: bytes of those copies
 * @gate_lock: taken to set the gate, before @lock
 * @lock: protects the fields below
 * @idle: signalled when @nr_submitting becomes 0
 * @nr_submitting: number of jobs being submitted
 * @holds: locks, the newest first
 * @nr_holds: number of @holds
 * @access: access of all @holds together; 0: there is none
 * @nr_jobs: number of jobs submitted so far
 * @job_uses: streams to which they were submitted
 * @is_crowded: @job_uses is incomplete
 * @has_escaped: was locked as a surface or object
 * @nr_frames: frames of pipes with this image that a consumer holds
 * @is_consumers: only a consumer may use it, as long as it holds such a frame
 * @frame_note: newest acquire or release of such a frame
 * @name: name in reports
 * @format: name of the pixel or element format in reports
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
	int nr_frames;
	bool is_consumers;
	struct gate_note frame_note;
	char name[MEM_NAME_LEN];
	char format[16];
};

/* Bits of engines that run kernels, in @uses of struct store */
#define USE_KERNELS	((1ULL << NR_ENGINES) - 1)

static inline uint64_t use_of(unsigned int engine)
{
	return engine == MEM_ENGINE_CPU ? MEM_USE_CPU : 1ULL << engine;
}

int uses_take(const struct mem_ctx *ctx, uint64_t *uses);
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
int store_check_main(struct store *store, unsigned int access);
int store_job_begin(struct store *store, unsigned int access);
void store_job_end(struct store *store, struct mem_stream *stream);
int store_wait(struct store *store);

void views_update(const struct view *dst, const struct view *src, bool is_array,
		  const struct part *part);
int foreign_move(const struct view *inside, const struct view *foreign,
		 bool is_array, bool is_in);
bool foreign_exists(const void *byte);
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
void store_record(const struct store *store);
void hold_record(struct store *store, struct hold *hold);
void hold_record_gone(struct store *store, struct hold *hold);
void place_remember(struct place *place, struct mem_ctx *ctx);
int store_check_wrapped(const struct store *store);
void store_change_frames(struct store *store, const struct gate_change *change);
void store_check_frame(struct store *store, unsigned int access);

#endif
