/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: messages of pipes between two processes. The consumer's process has
 * the pipe and serves the producer's, the client. Each message is one struct
 * wire and, in WIRE_MEMORY, the list of an image after it. Each side checks all
 * of what it receives: a message that the other one cannot have sent ends the
 * connection. No message is sent when frames are acquired or returned: the
 * ledgers count them.
 */
#ifndef _LIBMEM_PIPE_WIRE_H
#define _LIBMEM_PIPE_WIRE_H

#include "pipe.h"

#define WIRE_MAGIC		0x48535003U
/* Memory that a client has announced at the same time */
#define WIRE_MEMORIES	(MEM_PIPE_FRAMES_MAX * MEM_PLANES_MAX)

/**
 * enum wire_type - kinds of message
 * @WIRE_INFO: request: nothing but the answer
 * @WIRE_CONNECT: request: the producer connects
 * @WIRE_DISCONNECT: request: the producer disconnects
 * @WIRE_RESET: request: mem_pipe_reset()
 * @WIRE_TIMEOUT: request: mem_pipe_set_timeout()
 * @WIRE_LATENCY: request: mem_pipe_set_latency()
 * @WIRE_MEMORY: request: announces memory, whose descriptor it carries
 * @WIRE_PRESENT: a frame, with the fence of the producer's work if it has any
 * @WIRE_ANSWER: the server answers a request
 * @WIRE_DONE: a frame can be returned, with the fence of the consumer's work if
 *	it has any
 */
enum wire_type {
	WIRE_INFO = 1,
	WIRE_CONNECT,
	WIRE_DISCONNECT,
	WIRE_RESET,
	WIRE_TIMEOUT,
	WIRE_LATENCY,
	WIRE_MEMORY,
	WIRE_PRESENT,
	WIRE_ANSWER,
	WIRE_DONE
};

/**
 * enum wire_memory_type - kinds of memory
 * @WIRE_BUFFER: a buffer of a heap
 * @WIRE_IMAGE: an image
 * @WIRE_DEVICE: device memory of mem_alloc()
 */
enum wire_memory_type {
	WIRE_BUFFER,
	WIRE_IMAGE,
	WIRE_DEVICE
};

/**
 * struct wire_memory - memory of frames
 * @index: below WIRE_MEMORIES. -EEXIST: a frame uses what has it now
 * @type: enum wire_memory_type
 * @perm: of an image, as in struct image_pack, like the members below
 * @format: of an image
 * @width: of an image
 * @height: of an image
 * @nr_planes: of an image
 * @flags: of device memory, for mem_ptr_import()
 * @len: of device memory, bytes
 * @uses: of an image
 * @planes: of an image
 */
struct wire_memory {
	uint32_t index;
	uint32_t type;
	uint32_t perm;
	uint32_t format;
	uint32_t width;
	uint32_t height;
	uint32_t nr_planes;
	uint32_t flags;
	uint64_t len;
	uint64_t uses;
	struct mem_plane planes[MEM_PLANES_MAX];
};

/**
 * struct wire_frame - a frame
 * @index: below MEM_PIPE_FRAMES_MAX; the client's name for an active frame
 * @nr_planes: number of @planes; 0: the frame is an image
 * @memory: memory of the image or of each plane
 * @has_fence: the message carries a fence
 * @user: as in struct mem_frame
 * @planes: planes, without addresses, at their offset in the memory's buffer
 */
struct wire_frame {
	uint32_t index;
	uint32_t nr_planes;
	uint32_t memory[MEM_PLANES_MAX];
	uint32_t has_fence;
	uint64_t user;
	struct mem_plane planes[MEM_PLANES_MAX];
};

/**
 * struct wire_done - a frame that can be returned
 * @index: as in struct wire_frame
 * @has_fence: the message carries a fence
 * @number: as in struct mem_frame
 * @id: as in struct mem_frame; 0: the server had no place for the frame, which
 *	CREDIT_BACK does not count
 * @time_ns: as in struct mem_frame
 */
struct wire_done {
	uint32_t index;
	uint32_t has_fence;
	uint64_t number;
	uint64_t id;
	uint64_t time_ns;
};

/**
 * struct wire_answer - answer to a request
 * @err: 0 or -errno
 * @backend: enum mem_backend of the pipe
 * @takes_device: 1: the consumer has the context of the connection, to which
 *	device memory is imported
 * @reserved: 0
 * @board: name of the pipe's board
 * @info: state of the pipe
 */
struct wire_answer {
	int32_t err;
	uint32_t backend;
	uint32_t takes_device;
	uint32_t reserved;
	char board[32];
	struct mem_pipe_info info;
};

/**
 * struct wire - a message
 * @magic: WIRE_MAGIC
 * @type: enum wire_type
 * @seq: number of the request, also in the answer; 0 in other messages
 * @value: of WIRE_TIMEOUT and WIRE_LATENCY
 * @size: of WIRE_CONNECT: that of the frames, pixels and rows
 * @size.width: pixels
 * @size.height: rows
 * @memory: of WIRE_MEMORY
 * @frame: of WIRE_PRESENT
 * @answer: of WIRE_ANSWER
 * @done: of WIRE_DONE
 */
struct wire {
	uint32_t magic;
	uint32_t type;
	uint64_t seq;
	union {
		uint64_t value;
		struct {
			uint32_t width;
			uint32_t height;
		} size;
		struct wire_memory memory;
		struct wire_frame frame;
		struct wire_answer answer;
		struct wire_done done;
	};
};

/* wire.c */
int wire_send(struct mem_endpoint *endpoint, const struct wire *wire,
	      const void *tail, size_t tail_len, int fd, uint64_t deadline);
const struct wire *wire_open(const struct message *message);
void wire_put_planes(struct mem_plane *to, const struct mem_plane *from,
		     uint32_t nr);

#endif
