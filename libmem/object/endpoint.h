/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Internals of endpoints. An endpoint is one end of a Unix socket on which
 * frames go both ways. A frame is a message of the program or a part of one, a
 * file descriptor of an object's memory, or a short control frame of the
 * library.
 *
 * Each end permits its peer MEM_ENDPOINT_QUEUE messages and as many descriptors
 * in flight. A shared page, the ledger, counts how many of them the end's
 * program has taken. So an end always has room for all that may arrive, and a
 * thread that waits for one kind of frame can queue the others for other
 * threads.
 */
#ifndef _LIBMEM_OBJECT_ENDPOINT_H
#define _LIBMEM_OBJECT_ENDPOINT_H

#include "../internal.h"

/* Length of an end's id and of a token */
#define ENDPOINT_ID_LEN		16
/* Maximum length of the part of a message in one frame */
#define PART_MAX		16384U
/* Number of tokens made by one call of getrandom() */
#define NR_TOKENS		16

/**
 * enum credit - kinds of frame with a limited number in flight
 * @CREDIT_MESSAGE: messages of the program
 * @CREDIT_MEMORY: file descriptors of memory
 * @CREDIT_ROOM: frames in the fifo of a pipe; such a frame is a message, too
 * @CREDIT_BACK: frames that can be returned to the producer of a pipe; counted
 *	only
 * @NR_CREDITS: number of kinds
 */
enum credit {
	CREDIT_MESSAGE,
	CREDIT_MEMORY,
	CREDIT_ROOM,
	CREDIT_BACK,
	NR_CREDITS,
};

/**
 * enum frame_type - kinds of frame
 * @FRAME_HELLO: first frame of each end, with its ledger's descriptor; @token
 *	of the frame is the end's id
 * @FRAME_MESSAGE: a message or a part of one
 * @FRAME_MEMORY: a file descriptor of memory
 * @FRAME_TAKEN: replies to FRAME_ASK: the sender's program has taken something
 * @FRAME_ASK: the sender waits until the peer has taken something of the enum
 *	credit in @seq
 * @NR_FRAME_TYPES: number of types
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
 * struct frame - header of each datagram
 * @magic: FRAME_MAGIC
 * @type: enum frame_type
 * @len: bytes of the whole message; 0 in other frames
 * @off: offset of this part in the message, bytes; number that was sent in
 *	FRAME_ASK for CREDIT_ROOM; 0 in other frames
 * @seq: number of the message or descriptor, from 0; enum credit in FRAME_ASK;
 *	0 in other frames
 * @reserved: 0
 * @token: id or token; 0 in other frames
 *
 * Numbers are in native byte order, since both ends are on one machine.
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

/* The last byte is the version of the protocol on the socket. */
#define FRAME_MAGIC		0x48534601U

/**
 * struct ledger - a page that an end writes and its peer reads
 * @nr_taken: by enum credit: number taken by the end's program
 *
 * Nobody reads an end's socket while its program makes no call. By this page
 * the peer knows nevertheless whether there is room. A peer that finds no room
 * sends FRAME_ASK; the reply, FRAME_TAKEN, only wakes the peer, which then
 * reads the page again.
 */
struct ledger {
	atomic_uint nr_taken[NR_CREDITS];
};

/**
 * struct message - a message that has arrived
 * @next: the message that arrived after this one
 * @len: bytes
 * @fd: descriptor that came with it, owned by the message; -1: none
 * @is_fd_lost: the process had no free number for the descriptor
 * @bytes: the message's bytes, aligned for structs in them
 */
struct message {
	struct message *next;
	size_t len;
	int fd;
	bool is_fd_lost;
	uint8_t bytes[] __attribute__((aligned(8)));
};

/**
 * enum memory_state - state of an entry in the table of descriptors
 * @MEMORY_FREE: unused entry
 * @MEMORY_ARRIVED: the descriptor waits to be imported
 * @MEMORY_TAKEN: the descriptor is being imported
 * @MEMORY_LOST: the process had no free descriptor number when it arrived
 */
enum memory_state {
	MEMORY_FREE,
	MEMORY_ARRIVED,
	MEMORY_TAKEN,
	MEMORY_LOST,
};

/**
 * struct ticket - names the memory of an object in its descriptor
 * @seq: number of the FRAME_MEMORY that carries the memory
 * @token: random token of that frame
 */
struct ticket {
	uint32_t seq;
	uint8_t token[ENDPOINT_ID_LEN];
};

/**
 * struct memory - a file descriptor of memory that has arrived
 * @state: enum memory_state
 * @fd: the descriptor, owned by the endpoint
 * @ticket: identifies the memory
 */
struct memory {
	enum memory_state state;
	int fd;
	struct ticket ticket;
};

/**
 * struct mem_endpoint - one end
 * @ctx: context; the endpoint holds a reference
 * @sock: the socket
 * @event: polls readable while @first or @is_poked is set
 * @poll: epoll instance with @sock and @event
 * @own_fd: file of @own, until it has been sent to the peer
 * @own: this end's ledger
 * @is_own: libmem made the socket, so no other process has it
 * @is_of_pipe: a pipe has it: the program cannot use it, and messages may come
 *	with a descriptor
 * @id: random id of this end
 * @part_len: maximum length of a part that the socket accepts; used by the
 *	thread that set @is_sending
 * @input: frame that was read; used by the thread that set @is_reading
 * @input_len: bytes in @input that have not been processed; 0: none
 * @input_fds: descriptors that came with @input
 * @nr_input_fds: number of @input_fds
 * @is_cut: the kernel dropped some of the descriptors of @input
 * @list_lock: protects @list_bytes, @list_len and @list
 * @list_bytes: packed list of the object imported last; NULL: none yet. It is
 *	kept because most objects of a channel have the same list.
 * @list_len: bytes in @list_bytes
 * @list: @list_bytes, unpacked
 * @lock: protects the fields below; not held while a thread waits
 * @changed: signals any change of the fields below
 * @is_reading: a thread reads from the socket
 * @is_sending: a thread sends a message or a descriptor
 * @is_followed: the last frame was memory, so a message with its descriptor
 *	probably follows
 * @is_gone: nothing more arrives
 * @peers: ledger of the peer; NULL: its hello has not arrived
 * @peer: id of the peer
 * @is_set: @event is signalled
 * @is_poked: it is signalled although no message may have arrived
 * @first: queue of complete messages, oldest first
 * @last: newest message of the queue; valid if @first is not NULL
 * @partial: message of which only @nr_partial bytes have arrived, or NULL
 * @nr_partial: bytes
 * @memories: table of descriptors that have arrived
 * @nr_sent: by enum credit: number sent by this end
 * @nr_arrived: by enum credit: number that has arrived; of CREDIT_ROOM, number
 *	that the peer had sent when it asked
 * @nr_taken: by enum credit: number taken by the program; @own has only a copy,
 *	since a hostile peer might write to the page
 * @limit: by enum credit: maximum number in flight
 * @is_asked: by enum credit: the peer has sent FRAME_ASK, without a reply yet
 * @tokens: random tokens for future frames
 * @nr_tokens: number of unused @tokens
 */
struct mem_endpoint {
	struct mem_ctx *ctx;
	struct own_fd sock;
	struct own_fd event;
	struct own_fd poll;
	struct own_fd own_fd;
	struct ledger *own;
	bool is_own;
	atomic_bool is_of_pipe;
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
	bool is_poked;
	struct message *first;
	struct message *last;
	struct message *partial;
	size_t nr_partial;
	struct memory memories[MEM_ENDPOINT_QUEUE];
	uint32_t nr_sent[NR_CREDITS];
	uint32_t nr_arrived[NR_CREDITS];
	uint32_t nr_taken[NR_CREDITS];
	uint32_t limit[NR_CREDITS];
	bool is_asked[NR_CREDITS];
	uint8_t tokens[NR_TOKENS][ENDPOINT_ID_LEN];
	size_t nr_tokens;
};

/* Condition of endpoint_wait(). The endpoint's lock is held. */
typedef bool (*endpoint_has)(const struct mem_endpoint *endpoint,
			     const void *arg);

/* channel.c */
uint64_t deadline_of(uint64_t timeout_ns);
bool deadline_is_over(uint64_t deadline);
short socket_poll(int fd, short events, uint64_t deadline);
int endpoint_wait(struct mem_endpoint *endpoint, endpoint_has has,
		  const void *arg, uint64_t deadline);
void endpoint_drain(struct mem_endpoint *endpoint);
void endpoint_took(struct mem_endpoint *endpoint, enum credit credit);
void endpoint_set_taken(struct mem_endpoint *endpoint, enum credit credit,
			uint32_t nr);
int endpoint_wait_credit(struct mem_endpoint *endpoint, enum credit credit,
			 uint64_t deadline);
uint32_t endpoint_peer_took(const struct mem_endpoint *endpoint,
			    enum credit credit);
void endpoint_wait_send(struct mem_endpoint *endpoint, uint64_t deadline);
int endpoint_send_hello(struct mem_endpoint *endpoint);
int endpoint_send_message(struct mem_endpoint *endpoint, const void *bytes,
			  size_t len, int fd, uint64_t deadline);
int endpoint_send_fd(struct mem_endpoint *endpoint, int fd, uint64_t deadline,
		     struct ticket *ticket);

/* frame.c */
int frame_read(struct mem_endpoint *endpoint);
int frame_take_in(struct mem_endpoint *endpoint);
int frame_send(struct mem_endpoint *endpoint, struct frame *frame,
	       const void *bytes, size_t len, int fd);
void frame_reply(struct mem_endpoint *endpoint);
void message_free(struct message *message);
void endpoint_break(struct mem_endpoint *endpoint);

/* endpoint.c */
int endpoint_check(const struct mem_endpoint *endpoint);
struct message *endpoint_pop(struct mem_endpoint *endpoint);
void endpoint_poke(struct mem_endpoint *endpoint);
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
