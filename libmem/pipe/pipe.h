/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: internals of pipes.
 *
 * Locks: a context's lock of its hooks, a server's, that of the servers, the
 * pipe's, then those of endpoints, images and of the scheduler. A slot that is
 * neither free nor in a list is used by one thread without the lock.
 */
#ifndef _LIBMEM_PIPE_PIPE_H
#define _LIBMEM_PIPE_PIPE_H

#include "../record/record.h"
#include "../sched.h"
#include "libmem/pipe.h"

struct mem_endpoint;
struct pipe_client;
struct pipe_map;
struct pipe_server;
struct store;

/** enum pipe_role - the two ends of a pipe */
enum pipe_role {
	PIPE_CONSUMER,
	PIPE_PRODUCER,
	NR_PIPE_ROLES
};

/* Ends whose waits pipe_unlock() wakes */
#define WAKE_CONSUMER	(1U << PIPE_CONSUMER)
#define WAKE_PRODUCER	(1U << PIPE_PRODUCER)

/**
 * struct pipe_fence - the end of one side's work on a frame
 * @is_set: there is such work
 * @is_by_fd: @fd is used, since the other side has another context; else @event
 * @event: event of the side's context, kept for the next frame; NULL: none
 * @fd: from stream_fence()
 */
struct pipe_fence {
	bool is_set;
	bool is_by_fd;
	struct mem_event *event;
	struct own_fd fd;
};

/**
 * enum slot_state - where a frame is
 * @SLOT_FREE: there is no frame
 * @SLOT_BUSY: one call of the library has it, on its way to another state
 * @SLOT_WAITING: in the list of waiting frames
 * @SLOT_HELD: acquired
 * @SLOT_KEPT: released; it was acquired last and can be acquired again
 * @SLOT_DONE: in the list of frames to be returned
 */
enum slot_state {
	SLOT_FREE,
	SLOT_BUSY,
	SLOT_WAITING,
	SLOT_HELD,
	SLOT_KEPT,
	SLOT_DONE
};

/**
 * struct pipe_watch - what is checked of a frame that was acquired
 * @is_held: it was not released
 * @is_shared: the producer has the same context
 * @ctx: context of the consumer; NULL: nothing is checked
 * @store: of the consumer's image, with a reference; NULL: the frame has planes
 * @nr: number of @bases
 * @bases: addresses of planes
 * @ids: of the buffers that had these addresses at the acquire
 */
struct pipe_watch {
	bool is_held;
	bool is_shared;
	struct mem_ctx *ctx;
	struct store *store;
	uint32_t nr;
	void *bases[MEM_PLANES_MAX];
	uint64_t ids[MEM_PLANES_MAX];
};

/**
 * struct pipe_slot - an active frame
 * @state: enum slot_state
 * @next: next in its list
 * @session: number of disconnections of the pipe before it was presented: the
 *	frame is the producer's again after another one
 * @epoch: number of resets of the pipe before it was presented
 * @is_ready: it can be acquired
 * @is_for_other: the consumer has another context
 * @is_again: it was acquired before
 * @frame: as it was presented, with number, id and time
 * @ctx: the producer's; only compared
 * @store: the image's, with a reference; NULL: the frame has planes
 * @maps: memory in the consumer's context, while it holds the frame: of the
 *	image, or of each plane
 * @produced: end of the producer's work
 * @consumed: end of the consumer's work
 * @server: of the producer's process; NULL: the producer is in this process
 * @index: of the frame in that process
 * @memories: memory of the frame in @server; WIRE_MEMORIES: none
 * @is_notified: that process knows that the frame can be returned
 * @watch: what is checked while the consumer holds it
 */
struct pipe_slot {
	enum slot_state state;
	struct pipe_slot *next;
	uint64_t session;
	uint64_t epoch;
	bool is_ready;
	bool is_for_other;
	bool is_again;
	struct mem_frame frame;
	const struct mem_ctx *ctx;
	struct store *store;
	struct pipe_map *maps[MEM_PLANES_MAX];
	struct pipe_fence produced;
	struct pipe_fence consumed;
	const struct pipe_server *server;
	uint32_t index;
	uint32_t memories[MEM_PLANES_MAX];
	bool is_notified;
	struct pipe_watch watch;
};

/**
 * struct pipe_list - slots in a list
 * @first: first, or NULL
 * @last: valid if @first is not NULL
 * @nr: number of slots
 */
struct pipe_list {
	struct pipe_slot *first;
	struct pipe_slot *last;
	uint32_t nr;
};

/**
 * struct pipe_queue - the frames of a pipe and its state
 * @length: most waiting frames; 0: a mailbox
 * @flags: MEM_PIPE_*
 * @is_connected: by enum pipe_role
 * @is_disconnected: an end has disconnected
 * @is_spoiled: a producer came before the consumer
 * @session: number of disconnections
 * @epoch: number of resets
 * @waiting: frames to be acquired, oldest first
 * @nr_coming: frames that are being presented and have room in @waiting
 * @done: frames to be returned, in order
 * @nr_active: slots that are not free
 * @last: frame that was acquired last, SLOT_HELD, SLOT_KEPT or on its way; NULL
 * @last_number: of the last frame or reset
 * @producer_frame: see struct mem_pipe_info, as the members below
 * @consumer_frame: number
 * @producer_time_ns: time
 * @consumer_time_ns: time
 * @measured_latency_ns: time
 * @nr_replaced: number of frames
 * @slots: frames
 */
struct pipe_queue {
	uint32_t length;
	uint32_t flags;
	bool is_connected[NR_PIPE_ROLES];
	bool is_disconnected;
	bool is_spoiled;
	uint64_t session;
	uint64_t epoch;
	struct pipe_list waiting;
	uint32_t nr_coming;
	struct pipe_list done;
	uint32_t nr_active;
	struct pipe_slot *last;
	uint64_t last_number;
	uint64_t producer_frame;
	uint64_t consumer_frame;
	uint64_t producer_time_ns;
	uint64_t consumer_time_ns;
	uint64_t measured_latency_ns;
	uint64_t nr_replaced;
	struct pipe_slot slots[MEM_PIPE_FRAMES_MAX];
};

/**
 * struct mem_pipe - a pipe
 * @ctx: context of its creator, with a reference; its backend and board are
 *	those of the ends
 * @nr: number of the pipe in this process
 * @nr_users: references: of the caller, of ends, of host functions under way
 * @client: the pipe is another process's; NULL: it is of this one
 * @maps_lock: protects @maps; taken before no other lock of pipes
 * @maps: memory of frames in the consumer's context
 * @servers_lock: protects @servers and their memory; taken before @lock
 * @servers: of processes to which the pipe was exported
 * @lock: protects all members below
 * @changed: by enum pipe_role: signalled when an end may have to go on
 * @nr_waiters: by enum pipe_role: threads that wait for @changed
 * @ctxs: by enum pipe_role: context of the end that connected last, with a
 *	reference; NULL: none did
 * @width: of the producer's frames
 * @height: of the producer's frames
 * @timeout_ns: default of acquires
 * @latency_ns: announced by the consumer
 * @server: that of @servers whose producer is connected; NULL: none
 * @queue: frames
 */
struct mem_pipe {
	struct mem_ctx *ctx;
	uint64_t nr;
	atomic_uint nr_users;
	struct pipe_client *client;

	pthread_mutex_t maps_lock;
	struct pipe_map *maps;

	pthread_mutex_t servers_lock;
	struct pipe_server *servers;

	pthread_mutex_t lock;
	pthread_cond_t changed[NR_PIPE_ROLES];
	unsigned int nr_waiters[NR_PIPE_ROLES];
	struct mem_ctx *ctxs[NR_PIPE_ROLES];
	uint32_t width;
	uint32_t height;
	uint64_t timeout_ns;
	uint64_t latency_ns;
	struct pipe_server *server;
	struct pipe_queue queue;
};

/**
 * struct mem_pipe_end - an end of a pipe
 * @pipe: pipe, with a reference
 * @ctx: context, with a reference
 * @role: enum pipe_role
 * @server: the end is that of this server; else NULL
 * @hook: called when the context is closed
 * @is_attached: it has not been disconnected; protected by the pipe's lock
 */
struct mem_pipe_end {
	struct mem_pipe *pipe;
	struct mem_ctx *ctx;
	enum pipe_role role;
	struct pipe_server *server;
	struct ctx_hook hook;
	bool is_attached;
};

/* queue.c */
enum mem_pipe_state queue_state(const struct pipe_queue *queue);
struct pipe_slot *queue_reserve(struct pipe_queue *queue, int *err);
struct pipe_slot *queue_reserve_any(struct pipe_queue *queue, int *err);
void queue_publish(struct pipe_queue *queue, struct pipe_slot *slot,
		   uint64_t time_ns);
bool queue_has_new(const struct pipe_queue *queue);
bool queue_has_old(const struct pipe_queue *queue);
struct pipe_slot *queue_take(struct pipe_queue *queue);
void queue_put_back(struct pipe_queue *queue, struct pipe_slot *slot);
void queue_hold(struct pipe_queue *queue, struct pipe_slot *slot,
		uint64_t time_ns);
struct pipe_slot *queue_find(struct pipe_queue *queue, uint64_t id);
struct pipe_slot *queue_find_take(struct pipe_queue *queue, uint64_t id);
void queue_release(struct pipe_queue *queue, struct pipe_slot *slot);
bool queue_settle(struct pipe_queue *queue);
struct pipe_slot *queue_return(struct pipe_queue *queue);
void queue_return_failed(struct pipe_queue *queue, struct pipe_slot *slot);
void queue_free(struct pipe_queue *queue, struct pipe_slot *slot);
bool queue_is_lost(const struct pipe_queue *queue,
		   const struct pipe_slot *slot);
void queue_disconnect(struct pipe_queue *queue, enum pipe_role role);
void queue_reset(struct pipe_queue *queue);

/* fence.c */
int pipe_fence_record(struct pipe_fence *fence, struct mem_stream *stream,
		      bool is_for_other);
int pipe_fence_wait(const struct pipe_fence *fence, struct mem_stream *stream);
void pipe_fence_clear(struct pipe_fence *fence);
void pipe_fence_fini(struct pipe_fence *fence);

/* frame.c */
/**
 * enum frame_way - where a frame goes, or comes from
 * @FRAME_WITHIN: to a consumer of the same context
 * @FRAME_TO_CTX: to a consumer of another context
 * @FRAME_TO_PROCESS: to the process that has the pipe
 * @FRAME_FROM_PROCESS: from the client of a server, in memory that it announced
 */
enum frame_way {
	FRAME_WITHIN,
	FRAME_TO_CTX,
	FRAME_TO_PROCESS,
	FRAME_FROM_PROCESS,
};

int frame_take(const struct mem_pipe_end *end, const struct mem_frame *from,
	       enum frame_way way, struct mem_frame *frame);
void frame_take_planes(struct mem_frame *frame);
int frame_map(struct mem_pipe_end *end, struct pipe_slot *slot,
	      struct mem_frame *frame);
void frame_unmap(struct mem_pipe *pipe, struct pipe_slot *slot);
void frame_forget(struct mem_pipe *pipe);
int frame_wait_back(struct mem_image *image, const struct pipe_fence *fence,
		    struct mem_stream *stream);
int frame_wait(struct mem_image *image, const struct pipe_fence *fence,
	       const struct pipe_fence *own, struct mem_stream *stream);

/* pipe.c */
int pipe_new(struct mem_ctx *ctx, struct mem_pipe **pipe);
struct mem_pipe *pipe_get(struct mem_pipe *pipe);
void pipe_put(struct mem_pipe *pipe);
int pipe_check(const struct mem_pipe_end *end, const struct mem_stream *stream);
int pipe_wait(struct mem_pipe_end *end, uint64_t deadline);
void pipe_unlock(struct mem_pipe *pipe, unsigned int wake);
void pipe_slot_drop(struct mem_pipe *pipe, struct pipe_slot *slot);
void pipe_record(const struct mem_pipe *pipe, enum record_frame_op op,
		 const void *place, uint64_t number,
		 const struct mem_stream *stream, uint64_t begin_ns);
void pipe_fill_info(struct mem_pipe *pipe, struct mem_pipe_info *info);
int pipe_check_change(const struct mem_pipe *pipe);
int pipe_reset(struct mem_pipe *pipe);
int end_attach(struct mem_pipe_end *end, uint32_t width, uint32_t height);
bool end_detach(struct mem_pipe_end *end);

/* produce.c */
void produce_fill(const struct mem_pipe_end *end, const struct mem_frame *frame,
		  struct pipe_slot *slot);

/* serve.c */
void serve_catch_up(struct mem_pipe *pipe);
bool serve_wait(struct mem_pipe *pipe, uint64_t deadline);
void serve_wake(struct mem_pipe *pipe);
void serve_notify(struct mem_pipe *pipe);
void serve_cut(struct pipe_server *server);
void serve_forget(struct mem_pipe *pipe);
void servers_fini(struct mem_pipe *pipe);

/* watched.c */
void watch_begin(const struct mem_pipe_end *end, struct pipe_slot *slot,
		 const struct mem_frame *frame, struct mem_stream *stream);
void watch_release(struct pipe_slot *slot, struct mem_stream *stream);
void watch_undo_release(struct pipe_slot *slot);
void watch_end(struct pipe_slot *slot, bool is_lost);

/* client.c */
int client_connect(struct mem_pipe_end *end, uint32_t width, uint32_t height);
bool client_detach(struct mem_pipe_end *end);
int client_present(struct mem_pipe_end *end, const struct mem_frame *frame,
		   struct mem_stream *stream, uint64_t deadline);
int client_return(struct mem_pipe_end *end, struct mem_stream *stream,
		  uint64_t deadline, struct mem_frame *frame);
int client_info(struct pipe_client *client, struct mem_pipe_info *info);
int client_reset(struct pipe_client *client);
int client_set_timeout(struct pipe_client *client, uint64_t timeout_ns);
int client_set_latency(struct pipe_client *client, uint64_t latency_ns);
void client_free(struct pipe_client *client);

#endif
