/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Endpoints, as the files of this folder have them: a Unix socket on which
 * frames go both ways. A frame is a message of the program or a part of one, a
 * file descriptor of an object's memory, or a few words between the two ends.
 *
 * Each end lets the other have MEM_ENDPOINT_QUEUE messages and as many
 * descriptors under way, and counts in a page that both have what its program
 * has taken. So an end always has room for all that may arrive, and a thread
 * that waits for one kind of frame keeps the others for whoever asks for them.
 */
#ifndef _LIBMEM_OBJECT_ENDPOINT_H
#define _LIBMEM_OBJECT_ENDPOINT_H

#include "../internal.h"

/* Bytes of an end's id and of a token */
#define ENDPOINT_ID_LEN		16
/* Longest part of a message in one frame */
#define PART_MAX		16384U
/* Tokens that one call of getrandom() gives */
#define NR_TOKENS		16

/**
 * enum credit - what is counted
 * @CREDIT_MESSAGE: messages of the program
 * @CREDIT_MEMORY: file descriptors
 * @NR_CREDITS: how many kinds there are
 */
enum credit {
	CREDIT_MESSAGE,
	CREDIT_MEMORY,
	NR_CREDITS,
};

/**
 * enum frame_type - kinds of frame
 * @FRAME_HELLO: the first of each end, with its ledger's descriptor; @token of
 *	the frame is the end's id
 * @FRAME_MESSAGE: a message or a part of one
 * @FRAME_MEMORY: a file descriptor
 * @FRAME_TAKEN: what its sender had been asked for has been taken
 * @FRAME_ASK: its sender waits until something of enum credit, which is in
 *	@seq, has been taken
 * @NR_FRAME_TYPES: how many kinds there are
 */
enum frame_type {
	FRAME_HELLO,
	FRAME_MESSAGE,
	FRAME_MEMORY,
	FRAME_TAKEN,
	FRAME_ASK,
	NR_FRAME_TYPES,
};

/**
 * struct frame - what each datagram begins with
 * @magic: FRAME_MAGIC
 * @type: enum frame_type
 * @len: of the message, bytes; else 0
 * @off: of the part in the message, bytes; else 0
 * @seq: number of the message or the memory, from 0; see FRAME_ASK; else 0
 * @reserved: 0
 * @token: id or token, else 0
 *
 * Both ends are on one machine: numbers are in its byte order.
 */
struct frame {
	uint32_t magic;
	uint32_t type;
	uint32_t len;
	uint32_t off;
	uint32_t seq;
	uint32_t reserved;
	uint8_t token[ENDPOINT_ID_LEN];
};

/* The last byte is the version of all that goes over the socket. */
#define FRAME_MAGIC		0x48534601U

/**
 * struct ledger - a page that an end writes and its peer reads
 * @nr_taken: by enum credit: what the end's program has taken
 *
 * Between two calls of a program nobody reads its socket: by this page its peer
 * knows all the same whether there is room. Whoever finds none asks, and is
 * told by a frame, which only wakes it.
 */
struct ledger {
	atomic_uint nr_taken[NR_CREDITS];
};

/**
 * struct message - a message that has arrived
 * @next: that arrived after it
 * @len: bytes
 * @bytes: the message
 */
struct message {
	struct message *next;
	size_t len;
	uint8_t bytes[];
};

/**
 * enum memory_state - an entry of the table of descriptors that have arrived
 * @MEMORY_FREE: no entry
 * @MEMORY_ARRIVED: it waits to be imported
 * @MEMORY_TAKEN: it is being imported
 * @MEMORY_LOST: the process had no number left for it
 */
enum memory_state {
	MEMORY_FREE,
	MEMORY_ARRIVED,
	MEMORY_TAKEN,
	MEMORY_LOST,
};

/**
 * struct ticket - what a descriptor of an object says of its memory
 * @seq: its number
 * @token: of its frame
 */
struct ticket {
	uint32_t seq;
	uint8_t token[ENDPOINT_ID_LEN];
};

/**
 * struct memory - a descriptor that has arrived
 * @state: enum memory_state
 * @fd: the descriptor, the endpoint's
 * @ticket: what it is known by
 */
struct memory {
	enum memory_state state;
	int fd;
	struct ticket ticket;
};

/**
 * struct mem_endpoint - one end
 * @ctx: kept
 * @sock: the socket
 * @event: polls readable while @first is set
 * @poll: an epoll of the two
 * @own_fd: of @own, until the peer has been sent it
 * @own: this end's ledger
 * @is_own: the library has made the socket
 * @id: random
 * @part_len: longest part that the socket takes; whoever @is_sending has it
 * @input: of whoever @is_reading: a frame
 * @input_len: bytes of it that wait to be looked at, 0 none
 * @input_fds: descriptors that came with it
 * @nr_input_fds: of those
 * @is_cut: more of them came than there was room for
 * @list_lock: protects @list_bytes, @list_len and @list
 * @list_bytes: the list of the last object that was imported, as it came; NULL:
 *	none was
 * @list_len: bytes of it
 * @list: what it is; most objects of a channel have one list
 * @lock: protects what follows; nobody waits with it
 * @changed: something of it has
 * @is_reading: a thread reads from the socket
 * @is_sending: a thread sends a message or a descriptor
 * @is_followed: what arrived last is memory, whose message comes next if the
 *	program sends its descriptor over the endpoint
 * @is_gone: nothing more arrives
 * @peers: ledger of the other end; NULL: it has said nothing
 * @peer: its id
 * @is_set: @event is
 * @first: messages that wait, the oldest
 * @last: and the newest
 * @partial: message of which @nr_partial bytes have arrived; NULL: none
 * @nr_partial: bytes
 * @memories: descriptors that wait
 * @nr_sent: by enum credit: what this end has sent
 * @nr_arrived: what has arrived
 * @nr_taken: what has been taken of it; @own is a copy, since the peer may be
 *	hostile
 * @is_asked: the peer waits to be told of that
 * @tokens: random bytes that have not been used
 * @nr_tokens: how many of them
 */
struct mem_endpoint {
	struct mem_ctx *ctx;
	struct own_fd sock;
	struct own_fd event;
	struct own_fd poll;
	struct own_fd own_fd;
	struct ledger *own;
	bool is_own;
	uint8_t id[ENDPOINT_ID_LEN];

	size_t part_len;

	struct {
		struct frame frame;
		uint8_t bytes[PART_MAX];
	} input;
	size_t input_len;
	int input_fds[2];
	size_t nr_input_fds;
	bool is_cut;

	pthread_mutex_t list_lock;
	void *list_bytes;
	size_t list_len;
	struct mem_attrs *list;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_reading;
	bool is_sending;
	bool is_followed;
	bool is_gone;
	const struct ledger *peers;
	uint8_t peer[ENDPOINT_ID_LEN];
	bool is_set;
	struct message *first;
	struct message *last;
	struct message *partial;
	size_t nr_partial;
	struct memory memories[MEM_ENDPOINT_QUEUE];
	uint32_t nr_sent[NR_CREDITS];
	uint32_t nr_arrived[NR_CREDITS];
	uint32_t nr_taken[NR_CREDITS];
	bool is_asked[NR_CREDITS];
	uint8_t tokens[NR_TOKENS][ENDPOINT_ID_LEN];
	size_t nr_tokens;
};

/* What an endpoint waits for; the lock is held. */
typedef bool (*endpoint_has)(const struct mem_endpoint *endpoint,
			     const void *arg);

/* ledger.c */
int ledger_create(struct ledger **ledger, struct own_fd *file);
int ledger_map(int fd, const struct ledger **ledger);
void ledger_unmap(const struct ledger *ledger);

/* channel.c */
uint64_t deadline_of(uint64_t timeout_ns);
bool deadline_is_over(uint64_t deadline);
short socket_poll(int fd, short events, uint64_t deadline);
int endpoint_wait(struct mem_endpoint *endpoint, endpoint_has has,
		  const void *arg, uint64_t deadline);
void endpoint_drain(struct mem_endpoint *endpoint);
void endpoint_took(struct mem_endpoint *endpoint, enum credit credit);
int endpoint_send_hello(struct mem_endpoint *endpoint);
int endpoint_send_message(struct mem_endpoint *endpoint, const void *bytes,
			  size_t len, uint64_t deadline);
int endpoint_send_fd(struct mem_endpoint *endpoint, int fd, uint64_t deadline,
		     struct ticket *ticket);

/* frame.c */
int frame_read(struct mem_endpoint *endpoint);
int frame_take_in(struct mem_endpoint *endpoint);
int frame_send(struct mem_endpoint *endpoint, struct frame *frame,
	       const void *bytes, size_t len, int fd);
void frame_answer(struct mem_endpoint *endpoint);
void endpoint_break(struct mem_endpoint *endpoint);

/* endpoint.c */
int endpoint_check(const struct mem_endpoint *endpoint);
int endpoint_create(struct mem_ctx *ctx, int fd, bool is_own,
		    struct mem_endpoint **endpoint);
void endpoint_enter(struct mem_endpoint *endpoint, int *cancel);
void endpoint_leave(struct mem_endpoint *endpoint, int cancel);
int endpoint_send_memory(struct mem_endpoint *endpoint, int fd,
			 uint64_t timeout_ns, struct ticket *ticket);
bool endpoint_is_peer(struct mem_endpoint *endpoint, const uint8_t *id);
int endpoint_take_memory(struct mem_endpoint *endpoint,
			 const struct ticket *ticket, uint64_t timeout_ns,
			 int *fd);
void endpoint_end_memory(struct mem_endpoint *endpoint,
			 const struct ticket *ticket, bool is_spent);

/* name.c */
int name_channel(const char *name, char *channel);

#endif
