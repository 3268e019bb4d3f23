/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libmem: interfaces between the files that serve a producer's process. */
#ifndef _LIBMEM_PIPE_SERVE_H
#define _LIBMEM_PIPE_SERVE_H

#include "wire.h"

/**
 * struct serve_memory - memory that the client has announced
 * @image: image, or NULL
 * @buf: buffer of a heap, or NULL
 * @device: device memory, with a reference, or NULL
 * @base: address for engines; NULL: it is an image, or there is none
 * @len: bytes at @base
 */
struct serve_memory {
	struct mem_image *image;
	struct mem_buf *buf;
	struct mem_buf *device;
	uint8_t *base;
	uint64_t len;
};

/**
 * struct pipe_server - serves the producer's process
 * @next: next of the pipe
 * @id: unique in the process, never 0
 * @pipe: pipe, without a reference
 * @endpoint: connection, owned by the server
 * @end: producer of the queue, in the context of @endpoint
 * @thread: processes messages until the client has gone
 * @is_cut: the client has gone, or was disconnected
 * @is_over: the thread has ended
 * @memories: memory, in the context of @endpoint; protected by the pipe's
 *	servers_lock
 * @lock: held while messages are processed; protects @has_answer and @answer
 * @has_answer: @answer has not been sent yet, so no message is processed
 * @answer: answer to a request
 * @nr_users: calls that use the server; like all below protected by the pipe's
 *	lock
 * @nr_published: frames that had a place in the fifo
 * @nr_returned: frames that have been returned
 * @refused: bits of frames, by index, that had no slot and are to be returned
 * @is_behind: something could not be sent yet
 * @has_leader: a consumer's thread waits for messages and processes them
 * @is_polling: it sleeps, and @wake wakes it
 * @wake: eventfd
 * @parked: signalled when the thread has to go on; it waits until then, if
 * @is_parked, because of @has_leader
 * @is_parked: see there
 * @last_call_ns: when a consumer last processed messages
 */
struct pipe_server {
	struct pipe_server *next;
	uint64_t id;
	struct mem_pipe *pipe;
	struct mem_endpoint *endpoint;
	struct mem_pipe_end end;
	pthread_t thread;
	atomic_bool is_cut;
	atomic_bool is_over;
	struct serve_memory memories[WIRE_MEMORIES];

	pthread_mutex_t lock;
	bool has_answer;
	struct wire answer;

	unsigned int nr_users;
	uint32_t nr_published;
	uint32_t nr_returned;
	uint64_t refused;
	bool is_behind;
	bool has_leader;
	bool is_polling;
	struct own_fd wake;
	pthread_cond_t parked;
	bool is_parked;
	uint64_t last_call_ns;
};

/* serve_frame.c */
void serve_memory_fini(const struct pipe_server *server,
		       struct serve_memory *memory);
bool serve_takes_device(const struct pipe_server *server);
bool serve_has_slots(const struct pipe_server *server);
int serve_take_memory(struct pipe_server *server, const struct message *message,
		      int *err);
void serve_trim(struct pipe_server *server);
bool serve_is_signalled(const struct pipe_fence *fence);
int serve_collect(struct pipe_server *server);
int serve_take_frame(struct pipe_server *server, const struct wire *wire,
		     struct message *message);

#endif
