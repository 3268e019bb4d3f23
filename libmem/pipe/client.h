/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libmem: interfaces between the files of a producer in another process. */
#ifndef _LIBMEM_PIPE_CLIENT_H
#define _LIBMEM_PIPE_CLIENT_H

#include "wire.h"

/* Longest wait for the answer to a request; the thread there is never busy. */
#define ANSWER_NS	(10 * NS_PER_S)

/**
 * enum client_state - where a frame is
 * @CLIENT_FREE: there is no frame
 * @CLIENT_BUSY: a call has it, on its way to another state
 * @CLIENT_ACTIVE: presented
 * @CLIENT_DONE: in the list of frames to be returned
 * @CLIENT_RETURNED: returned, unlike one that was done earlier
 */
enum client_state {
	CLIENT_FREE,
	CLIENT_BUSY,
	CLIENT_ACTIVE,
	CLIENT_DONE,
	CLIENT_RETURNED
};

/**
 * struct client_memory - memory of the producer's context
 * @nr_users: frames that use it
 * @is_known: the server has it
 * @store: of an image, with a reference; NULL: it is a buffer
 * @id: id of the buffer
 * @is_held: the server has refused to replace it, since the consumer holds a
 *	frame in it
 */
struct client_memory {
	atomic_uint nr_users;
	bool is_known;
	bool is_held;
	struct store *store;
	uint64_t id;
};

/**
 * struct client_frame - an active frame
 * @state: enum client_state
 * @session: as in struct pipe_client, when it was presented
 * @next: next that is done
 * @frame: as it was presented; with number, id and time once it is done
 * @store: the image's, with a reference; NULL: the frame has planes
 * @memories: memory of the frame; NULL after the last one
 * @consumed: end of the consumer's work
 */
struct client_frame {
	enum client_state state;
	uint64_t session;
	struct client_frame *next;
	struct mem_frame frame;
	struct store *store;
	struct client_memory *memories[MEM_PLANES_MAX];
	struct pipe_fence consumed;
};

/**
 * struct pipe_client - a pipe of another process
 * @pipe: the object for the program
 * @endpoint: connection, owned by the client
 * @call_lock: held during a request; protects @seq and @memories
 * @seq: number of the newest request
 * @memories: memory that the server has
 * @end: connected producer, or NULL; like all below protected by the endpoint's
 *	lock
 * @session: number of disconnections
 * @answer_seq: request of @answer
 * @answer: newest answer
 * @nr_active: frames that were presented and not returned
 * @nr_done: frames that were done
 * @nr_back: those of them that have been returned, like all that were done
 *	before
 * @order: those that were done and not counted by @nr_back, by their number
 * @done: oldest frame that can be returned
 * @last_done: newest; valid if @done is not NULL
 * @frames: frames, by their index
 */
struct pipe_client {
	struct mem_pipe *pipe;
	struct mem_endpoint *endpoint;

	pthread_mutex_t call_lock;
	uint64_t seq;
	struct client_memory memories[WIRE_MEMORIES];

	struct mem_pipe_end *end;
	uint64_t session;
	uint64_t answer_seq;
	struct wire_answer answer;
	uint32_t nr_active;
	uint32_t nr_done;
	uint32_t nr_back;
	struct client_frame *order[MEM_PIPE_FRAMES_MAX];
	struct client_frame *done;
	struct client_frame *last_done;
	struct client_frame frames[MEM_PIPE_FRAMES_MAX];
};

/* client.c */
void client_free_frame(struct client_frame *own);
bool client_is_lost(const struct pipe_client *client,
		    const struct client_frame *own);
void client_take_all(struct pipe_client *client);
int client_wait(struct pipe_client *client,
		bool (*has)(const struct pipe_client *client, uint64_t arg),
		uint64_t arg, uint64_t deadline);
int client_send(struct pipe_client *client, struct wire *wire,
		const void *tail, size_t tail_len, int fd, uint64_t deadline);
int client_call(struct pipe_client *client, struct wire *wire,
		const void *tail, size_t tail_len, int fd, uint64_t deadline);

/* client_frame.c */
void client_memory_fini(struct client_memory *memory);

#endif
