// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests both sides of a pipe between processes with a hostile peer: a bare
 * socket that sends what the library never sends, or reads nothing.
 */
#include "channel.h"

#include <sys/mman.h>

#include "stream.h"

#define WIRE_MAGIC	0x48535003U
#define ROW		64U
#define ROWS		4U
#define HANGS_NS	(60 * NS_PER_S)
#define NR_CREDITS	4U

enum {
	INFO = 1,
	CONNECT,
	DISCONNECT,
	RESET,
	TIMEOUT,
	LATENCY,
	ANNOUNCE,
	PRESENT,
	ANSWER,
	DONE,
};

/* Kinds of memory; 0 is a buffer. */
enum {
	IMAGE = 1,
	DEVICE,
};

/* A message of libmem/pipe/wire.h, as far as it is used here */
struct wire {
	uint32_t magic;
	uint32_t type;
	uint64_t seq;
	union {
		uint64_t value;
		struct {
			uint32_t index;
			uint32_t type;
			uint32_t perm;
			uint32_t rest[4];
			uint32_t flags;
			uint64_t len;
		} memory;
		struct {
			uint32_t index;
			uint32_t nr_planes;
			uint32_t memory[3];
			uint32_t has_fence;
			uint64_t user;
			struct mem_plane planes[3];
		} frame;
		struct {
			int32_t err;
			uint32_t backend;
			uint32_t takes_device;
			uint32_t reserved;
			char board[32];
			struct mem_pipe_info info;
		} answer;
		struct {
			uint32_t index;
			uint32_t has_fence;
			uint64_t number;
		} done;
	};
};

static struct mem_pipe *pipe_;
static struct mem_pipe_end *consumer;
static int memory_fd;
static struct mem_buf *memory_buf;

/* The counters that the bare socket shows to its peer */
static _Atomic unsigned int *counts;
static uint32_t nr_messages;

static int open_pair(void)
{
	const struct frame hello = { .magic = MAGIC, .type = HELLO };
	const int page = file_of(sysconf(_SC_PAGESIZE), F_SEAL_SHRINK);
	int socks[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    socks), 0);
	assert_int_equal(mem_endpoint_from_fd(ctx, socks[0], &ends[0]), 0);
	close(socks[0]);
	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, page, 0);
	assert_ptr_not_equal(counts, MAP_FAILED);
	send_fd(socks[1], &hello, sizeof(hello), page);
	close(page);
	nr_messages = 0;
	return socks[1];
}

static void close_pair(int sock)
{
	munmap((void *)counts, 4096);
	close(sock);
}

/* A client's socket */
static int open_client(uint32_t length, uint32_t flags)
{
	const struct mem_pipe_params params = {
		.size = sizeof(params),
		.length = length,
		.flags = flags,
	};
	const int sock = open_pair();

	assert_int_equal(mem_pipe_create(ctx, &params, &pipe_), 0);
	assert_int_equal(mem_pipe_connect_consumer(pipe_, ctx, &consumer), 0);
	assert_int_equal(mem_pipe_export(pipe_, ends[0]), 0);
	return sock;
}

static void close_client(int sock)
{
	mem_pipe_end_destroy(consumer);
	mem_pipe_destroy(pipe_);
	close_pair(sock);
}

/* Returns false if the peer has ended the connection. */
static bool put(int sock, const struct wire *wire, size_t len, const int *fds,
		size_t nr_fds)
{
	struct {
		struct frame frame;
		uint8_t bytes[4096];
	} all = {
		.frame = {
			.magic = MAGIC,
			.type = MESSAGE,
			.len = (uint32_t)len,
			.seq = nr_messages++,
		},
	};

	memcpy(all.bytes, wire, len < sizeof(*wire) ? len : sizeof(*wire));
	return pass_fds(sock, &all, sizeof(all.frame) + len, fds, nr_fds,
			MSG_NOSIGNAL) > 0;
}

static bool put_wire(int sock, struct wire wire, int fd)
{
	wire.magic = WIRE_MAGIC;
	return put(sock, &wire, sizeof(wire), &fd, fd >= 0);
}

/* Returns the next message of the pipe, or one of type 0 at the end of file. */
static struct wire take(int sock)
{
	struct {
		struct frame frame;
		struct wire wire;
	} all;
	ssize_t len;

	do {
		memset(&all, 0, sizeof(all));
		len = recv(sock, &all, sizeof(all), 0);
		counts[0] += len > 0 && all.frame.type == MESSAGE;
	} while (len > 0 && all.frame.type != MESSAGE);
	return all.wire;
}

static struct wire answer_to(int sock, struct wire wire, int fd)
{
	put_wire(sock, wire, fd);
	return take(sock);
}

static struct wire wire_of(uint32_t type)
{
	const struct wire wire = { .type = type, .seq = 1 };

	return wire;
}

static struct wire frame_of(uint32_t index)
{
	struct wire wire = { .type = PRESENT };

	wire.frame.index = index;
	wire.frame.nr_planes = 1;
	wire.frame.user = index + 1;
	wire.frame.planes[0].width = ROW;
	wire.frame.planes[0].height = ROWS;
	wire.frame.planes[0].pixel_len = 1;
	wire.frame.planes[0].pitch = ROW;
	return wire;
}

/* Connects and announces a buffer as the memory 0. */
static void connect_client(int sock)
{
	assert_int_equal(answer_to(sock, wire_of(CONNECT), -1).answer.err, 0);
	assert_int_equal(answer_to(sock, wire_of(ANNOUNCE),
				   memory_fd).answer.err, 0);
}

static struct mem_pipe_info info_of(void)
{
	struct mem_pipe_info info = { .size = sizeof(info) };

	assert_int_equal(mem_pipe_info(pipe_, &info), 0);
	return info;
}

static int acquire(struct mem_frame *frame)
{
	*frame = (struct mem_frame) { .size = sizeof(*frame) };
	return mem_pipe_acquire(consumer, stream, 0, frame);
}

static void what_a_client_sends_is_accepted(void **state)
{
	const int sock = open_client(4, MEM_PIPE_NO_REUSE);
	struct mem_frame frame;
	struct wire done;

	(void)state;
	connect_client(sock);
	assert_true(put_wire(sock, frame_of(5), -1));
	assert_int_equal(acquire(&frame), 0);
	assert_int_equal((uintptr_t)frame.user, 6);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
	done = take(sock);
	assert_int_equal(done.type, DONE);
	assert_int_equal(done.done.index, 5);
	assert_int_equal(info_of().nr_active, 1);
	counts[3] = 1;
	assert_int_equal(info_of().nr_active, 0);
	assert_int_equal(info_of().state, MEM_PIPE_EMPTY);
	close_client(sock);
}

/* A sealed file is device memory, which the module's engines cannot access. */
static void device_memory_is_accepted(void **state)
{
	const int sock = open_client(4, MEM_PIPE_NO_REUSE);
	const int file = file_of(LEN, F_SEAL_SHRINK);
	struct wire wire = wire_of(ANNOUNCE);
	struct mem_frame frame;

	(void)state;
	wire.memory.type = DEVICE;
	wire.memory.len = LEN;
	assert_int_equal(answer_to(sock, wire_of(CONNECT), -1).answer.err, 0);
	assert_int_equal(answer_to(sock, wire, file).answer.err,
			 is_embedded() ? 0 : -EOPNOTSUPP);
	close(file);
	if (is_embedded()) {
		assert_true(put_wire(sock, frame_of(5), -1));
		assert_int_equal(acquire(&frame), 0);
		assert_non_null(frame.planes[0].base);
		assert_int_equal(mem_pipe_release(consumer, &frame, stream),
				 0);
	}
	close_client(sock);
}

/* Work of the consumer that ends when it may, or far too late */

static atomic_bool may_end, has_ended;

static void wait_in_host(struct mem_stream *where, int status, void *arg)
{
	const uint64_t end = now_ns() + 20 * NS_PER_S;

	(void)where;
	(void)status;
	(void)arg;
	while (!may_end && now_ns() < end)
		usleep(1000);
	has_ended = true;
}

static void work_begins(void)
{
	may_end = false;
	has_ended = false;
	assert_int_equal(mem_stream_add_callback(stream, wait_in_host, NULL),
			 0);
}

static void work_ends(void)
{
	assert_false(has_ended);
	may_end = true;
	sync_stream();
}

static int announce_device(int sock, uint32_t index, int file)
{
	struct wire wire = wire_of(ANNOUNCE);

	wire.memory.type = DEVICE;
	wire.memory.index = index;
	wire.memory.len = LEN;
	return answer_to(sock, wire, file).answer.err;
}

#define SKIP_MODULE()							\
	do {								\
		if (!is_embedded())					\
			skip_because("the module shares no device memory"); \
	} while (0)

/* Nobody waits for the consumer's work, which may never end. */
static void memory_is_replaced_while_the_consumer_works(void **state)
{
	const int file = file_of(LEN, F_SEAL_SHRINK);
	int sock;

	(void)state;
	SKIP_MODULE();
	sock = open_client(4, MEM_PIPE_NO_REUSE);
	assert_int_equal(answer_to(sock, wire_of(CONNECT), -1).answer.err, 0);
	work_begins();
	assert_int_equal(announce_device(sock, 1, file), 0);
	assert_int_equal(announce_device(sock, 1, file), 0);
	info_of();
	assert_int_equal(mem_pipe_disconnect(consumer), 0);
	work_ends();
	close_client(sock);
	close(file);
}

static void work_keeps_the_memory_that_it_uses(void **state)
{
	uint32_t *words, *from;
	struct mem_frame frame;
	int sock, files[2];
	struct gate gate;

	(void)state;
	SKIP_MODULE();
	words = memory(MEM_KIND_PINNED);
	set_all(words, VALUE);
	files[0] = file_of(LEN, F_SEAL_SHRINK);
	files[1] = file_of(LEN, F_SEAL_SHRINK);
	assert_int_equal(pwrite(files[0], words, LEN, 0), LEN);
	sock = open_client(4, MEM_PIPE_NO_REUSE);
	assert_int_equal(answer_to(sock, wire_of(CONNECT), -1).answer.err, 0);
	assert_int_equal(announce_device(sock, 0, files[0]), 0);
	assert_true(put_wire(sock, frame_of(0), -1));
	assert_int_equal(acquire(&frame), 0);
	from = frame.planes[0].base;
	gate = hold_up(stream);
	start_add(stream, words, from, 1);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
	assert_int_equal(take(sock).type, DONE);
	counts[3] = 1;
	assert_int_equal(announce_device(sock, 0, files[1]), 0);
	assert_int_equal(ptr_info_of(from).kind, MEM_KIND_DEVICE);
	let_go(gate);
	sync_stream();
	all_are(words, VALUE + 1);
	assert_int_equal(ptr_info_of(from).kind, MEM_KIND_PAGEABLE);
	close_client(sock);
	close(files[0]);
	close(files[1]);
	release(gate.word);
	release(words);
	nothing_found();
}

static void a_replacement_hides_no_missing_wait(void **state)
{
	const int file = file_of(LEN, F_SEAL_SHRINK);
	uint32_t *words;
	int sock;

	(void)state;
	SKIP_MODULE();
	words = managed(MEM_ATTACH_GLOBAL);
	sock = open_client(4, MEM_PIPE_NO_REUSE);
	assert_int_equal(answer_to(sock, wire_of(CONNECT), -1).answer.err, 0);
	assert_int_equal(mem_fill_async(stream, words, 1, LEN), 0);
	assert_int_equal(announce_device(sock, 1, file), 0);
	assert_int_equal(announce_device(sock, 1, file), 0);
	is_refused(words);
	sync_stream();
	is_allowed(words);
	close_client(sock);
	close(file);
	release(words);
}

/* What the client replaces is freed later, but not any number of it. */
static void a_busy_consumer_keeps_no_more_than_its_bound(void **state)
{
	const size_t nr_fds = nr_of_process("fd");
	const int file = file_of(LEN, F_SEAL_SHRINK);
	unsigned int i;
	int sock;

	(void)state;
	SKIP_MODULE();
	sock = open_client(4, MEM_PIPE_NO_REUSE);
	assert_int_equal(answer_to(sock, wire_of(CONNECT), -1).answer.err, 0);
	work_begins();
	for (i = 0; i < 1 + MEM_PIPE_FRAMES_MAX * MEM_PLANES_MAX; i++)
		assert_int_equal(announce_device(sock, 1, file), 0);
	for (i = 0; i < 10; i++)
		assert_int_equal(announce_device(sock, 1, file), -EBUSY);
	work_ends();
	assert_int_equal(announce_device(sock, 1, file), 0);
	close_client(sock);
	close(file);
	assert_true(nr_of_process("fd") < nr_fds + 10);
}

static void disconnect_in_host(struct mem_stream *where, int status, void *arg)
{
	(void)where;
	(void)status;
	*(int *)arg = mem_pipe_disconnect(consumer);
}

static void a_host_function_frees_the_memory_of_a_client(void **state)
{
	const int file = file_of(LEN, F_SEAL_SHRINK);
	const unsigned int nr = 30;
	unsigned int i;
	size_t nr_fds = 0;
	int sock, err;

	(void)state;
	SKIP_MODULE();
	for (i = 0; i < nr; i++) {
		sock = open_client(4, MEM_PIPE_NO_REUSE);
		assert_int_equal(answer_to(sock, wire_of(CONNECT),
					   -1).answer.err, 0);
		assert_int_equal(announce_device(sock, 1, file), 0);
		assert_int_equal(mem_stream_add_callback(stream,
							 disconnect_in_host,
							 &err), 0);
		sync_stream();
		assert_int_equal(err, 0);
		close_client(sock);
		if (!i)
			nr_fds = nr_of_process("fd");
	}
	assert_true(nr_of_process("fd") < nr_fds + nr / 2);
	close(file);
}

static void look_in_host(struct mem_stream *where, int status, void *arg)
{
	const uint64_t end = now_ns() + 20 * NS_PER_S;
	struct mem_pipe_info info = { .size = sizeof(info) };
	int *err = arg;

	(void)where;
	(void)status;
	while (!*err && !may_end && now_ns() < end)
		*err = mem_pipe_info(pipe_, &info);
}

/* A host function may not import the memory that a client announces. */
static void a_host_function_refuses_nothing_to_a_client(void **state)
{
	const int sock = open_client(4, MEM_PIPE_NO_REUSE);
	int i, err = 0;

	(void)state;
	connect_client(sock);
	may_end = false;
	assert_int_equal(mem_stream_add_callback(stream, look_in_host, &err),
			 0);
	for (i = 0; i < 20; i++)
		assert_int_equal(answer_to(sock, wire_of(ANNOUNCE),
					   memory_fd).answer.err, 0);
	may_end = true;
	sync_stream();
	assert_int_equal(err, 0);
	close_client(sock);
}

/* What is wrong in a message, after those of the test above */

static void is_cut_off(int sock)
{
	struct wire wire;

	do {
		wire = take(sock);
	} while (wire.type);
	assert_int_equal(info_of().state, MEM_PIPE_DISCONNECTED);
	close_client(sock);
}

#define BAD_FRAME(change) do {						\
		const int sock = open_client(0, 0);			\
		struct wire wire = frame_of(0);				\
		int fd = -1;						\
									\
		connect_client(sock);					\
		change;							\
		put_wire(sock, wire, fd);				\
		is_cut_off(sock);					\
	} while (0)

static void frames_that_no_client_presents_cut_it_off(void **state)
{
	const size_t nr_fds = nr_of_process("fd");
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	BAD_FRAME(wire.type = 0);
	BAD_FRAME(wire.type = DONE);
	BAD_FRAME(wire.type = ANSWER);
	BAD_FRAME(wire.type = UINT32_MAX);
	BAD_FRAME(wire.frame.index = 64);
	BAD_FRAME(wire.frame.index = UINT32_MAX);
	BAD_FRAME(wire.frame.nr_planes = 0);
	BAD_FRAME(wire.frame.nr_planes = 4);
	BAD_FRAME(wire.frame.nr_planes = UINT32_MAX);
	BAD_FRAME(wire.frame.memory[0] = 1);
	BAD_FRAME(wire.frame.memory[0] = 192);
	BAD_FRAME(wire.frame.memory[0] = UINT32_MAX);
	BAD_FRAME(wire.frame.has_fence = 1);
	BAD_FRAME(wire.frame.has_fence = 2);
	BAD_FRAME(fd = memory_fd);
	BAD_FRAME(wire.frame.has_fence = 1; fd = memory_fd);
	BAD_FRAME(wire.frame.has_fence = 1; fd = null);
	BAD_FRAME(wire.frame.planes[0].width = 0);
	BAD_FRAME(wire.frame.planes[0].height = UINT32_MAX);
	BAD_FRAME(wire.frame.planes[0].pitch = UINT32_MAX);
	BAD_FRAME(wire.frame.planes[0].pixel_len = UINT32_MAX);
	BAD_FRAME(wire.frame.planes[0].off = LEN - ROW * ROWS + 1);
	BAD_FRAME(wire.frame.planes[0].off = UINT64_MAX);
	BAD_FRAME(wire.frame.planes[0].off = UINT64_MAX - ROW);
	/* A second frame with the index of an active one */
	BAD_FRAME(put_wire(sock, wire, -1));
	close(null);
	wait_for_fds(nr_fds);
}

#define BAD_MEMORY(change) do {						\
		const int sock = open_client(0, 0);			\
		struct wire wire = wire_of(ANNOUNCE);			\
		int fd = memory_fd;					\
									\
		connect_client(sock);					\
		change;							\
		put_wire(sock, wire, fd);				\
		is_cut_off(sock);					\
	} while (0)

static void memory_that_no_client_announces_cuts_it_off(void **state)
{
	const size_t nr_fds = nr_of_process("fd");
	const int shrinkable = file_of(LEN, 0);
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	BAD_MEMORY(fd = -1);
	BAD_MEMORY(fd = null);
	BAD_MEMORY(fd = shrinkable);
	BAD_MEMORY(wire.memory.index = 192);
	BAD_MEMORY(wire.memory.index = UINT32_MAX);
	BAD_MEMORY(wire.memory.type = DEVICE + 1);
	BAD_MEMORY(wire.memory.type = UINT32_MAX);
	/* An image without a list */
	BAD_MEMORY(wire.memory.type = IMAGE; wire.memory.perm = MEM_RW);
	BAD_MEMORY(wire.memory.flags = 1);
	BAD_MEMORY(wire.memory.len = LEN);
	/* It could be truncated while an engine reads it. */
	BAD_MEMORY(fd = shrinkable; wire.memory.type = DEVICE;
		   wire.memory.len = LEN);
	if (is_embedded()) {
		BAD_MEMORY(wire.memory.type = DEVICE);
		BAD_MEMORY(wire.memory.type = DEVICE;
			   wire.memory.len = LEN + 1);
		BAD_MEMORY(wire.memory.type = DEVICE;
			   wire.memory.len = UINT64_MAX);
		BAD_MEMORY(wire.memory.type = DEVICE; wire.memory.len = LEN;
			   wire.memory.flags = UINT32_MAX);
	}
	close(shrinkable);
	close(null);
	wait_for_fds(nr_fds);
}

/* The client may have been disconnected while the consumer holds the frame. */
static void memory_of_a_frame_is_not_replaced(void **state)
{
	const int sock = open_client(0, 0);

	(void)state;
	connect_client(sock);
	assert_true(put_wire(sock, frame_of(0), -1));
	assert_int_equal(answer_to(sock, wire_of(ANNOUNCE),
				   memory_fd).answer.err, -EEXIST);
	assert_int_equal(info_of().nr_active, 1);
	close_client(sock);
}

/* It was announced to a consumer of the connection's context. */
static void device_memory_for_another_context_cuts_it_off(void **state)
{
	const int file = file_of(LEN, F_SEAL_SHRINK);
	struct mem_ctx *other;
	int sock;

	(void)state;
	SKIP_MODULE();
	sock = open_client(4, MEM_PIPE_RESET);
	assert_int_equal(answer_to(sock, wire_of(CONNECT), -1).answer.err, 0);
	assert_int_equal(announce_device(sock, 0, file), 0);
	assert_int_equal(answer_to(sock, wire_of(DISCONNECT), -1).answer.err,
			 0);
	assert_int_equal(mem_pipe_reset(pipe_), 0);
	mem_pipe_end_destroy(consumer);
	assert_int_equal(mem_pipe_reset(pipe_), 0);
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_pipe_connect_consumer(pipe_, other, &consumer), 0);
	assert_int_equal(answer_to(sock, wire_of(CONNECT), -1).answer.err, 0);
	assert_int_equal(announce_device(sock, 1, file), -EOPNOTSUPP);
	assert_true(put_wire(sock, frame_of(0), -1));
	is_cut_off(sock);
	mem_ctx_close(other);
	close(file);
}

static void other_bytes_and_descriptors_cut_it_off(void **state)
{
	const size_t nr_fds = nr_of_process("fd");
	const size_t lens[] = { 1, 8, sizeof(struct wire) - 1,
				sizeof(struct wire) + 1, 4000 };
	const int fds[3] = { 0, 1, 2 };
	struct wire wire = frame_of(0);
	size_t i;
	int sock;

	(void)state;
	wire.magic = WIRE_MAGIC;
	for (i = 0; i < NR(lens); i++) {
		sock = open_client(0, 0);
		connect_client(sock);
		put(sock, &wire, lens[i], NULL, 0);
		is_cut_off(sock);
	}
	for (i = 1; i <= 3; i++) {
		sock = open_client(0, 0);
		connect_client(sock);
		put(sock, &wire, sizeof(wire), fds, i);
		is_cut_off(sock);
	}
	wire.magic++;
	sock = open_client(0, 0);
	connect_client(sock);
	put(sock, &wire, sizeof(wire), NULL, 0);
	is_cut_off(sock);
	wait_for_fds(nr_fds);
}

static void a_client_that_returns_too_much_is_cut_off(void **state)
{
	const int sock = open_client(0, 0);

	(void)state;
	connect_client(sock);
	assert_true(put_wire(sock, frame_of(0), -1));
	counts[3] = 1;
	assert_int_equal(info_of().state, MEM_PIPE_DISCONNECTED);
	close_client(sock);
}

/* The consumer does not wait for a client that reads nothing. */
static void a_client_that_does_not_read_stops_nobody(void **state)
{
	const int sock = open_client(0, MEM_PIPE_NO_REUSE);
	const uint64_t begin = now_ns();
	struct mem_frame frame;
	struct wire wire;
	uint32_t i, nr_requests;

	(void)state;
	connect_client(sock);
	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++) {
		assert_true(put_wire(sock, frame_of(i), -1));
		assert_int_equal(acquire(&frame), 0);
		assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
	}
	/* Some requests more, whose answers have no room */
	for (nr_requests = 0; nr_requests < 50; nr_requests++)
		assert_true(put_wire(sock, wire_of(INFO), -1));
	assert_int_equal(info_of().nr_returnable, MEM_PIPE_FRAMES_MAX);
	assert_int_equal(acquire(&frame), -ETIMEDOUT);
	assert_true(now_ns() - begin < HANGS_NS);
	for (i = 0; i < MEM_PIPE_FRAMES_MAX;) {
		wire = take(sock);
		assert_true(wire.type == DONE || wire.type == ANSWER);
		i += wire.type == DONE;
		nr_requests -= wire.type == ANSWER;
	}
	while (nr_requests--)
		assert_int_equal(take(sock).type, ANSWER);
	close_client(sock);
}

/* Messages of a client with random changes, at random times */
static void send_random(int sock, unsigned int *seed)
{
	static const uint32_t types[] = { INFO, CONNECT, DISCONNECT, RESET,
					  TIMEOUT, ANNOUNCE, PRESENT, PRESENT };
	const uint32_t type = types[(unsigned int)rand_r(seed) % NR(types)];
	struct wire wire = type == PRESENT ?
			   frame_of((uint32_t)rand_r(seed) % 4) : wire_of(type);
	uint8_t *bytes = (uint8_t *)&wire;
	const int fds[2] = { memory_fd, memory_fd };

	wire.magic = WIRE_MAGIC;
	if (rand_r(seed) % 4 == 0)
		bytes[(size_t)rand_r(seed) % sizeof(wire)] ^=
			(uint8_t)(1 << rand_r(seed) % 8);
	if (rand_r(seed) % 8 == 0)
		counts[rand_r(seed) % NR_CREDITS] += 1;
	put(sock, &wire, sizeof(wire), fds, type == ANNOUNCE ? 1 :
	    (size_t)(rand_r(seed) % 16 == 0));
}

static void drain(int sock)
{
	uint8_t bytes[4096];

	while (recv(sock, bytes, sizeof(bytes), MSG_DONTWAIT) > 0)
		counts[0]++;
}

static void random_messages_break_nothing(void **state)
{
	const unsigned int nr = scaled(400);
	struct mem_frame frame;
	unsigned int i, j, seed = 3;
	size_t nr_fds = 0;
	int sock, err;

	(void)state;
	for (i = 0; i < nr; i++) {
		if (i == 4)
			nr_fds = nr_of_process("fd");
		sock = open_client((unsigned int)rand_r(&seed) % 3,
				   MEM_PIPE_RESET);
		if (rand_r(&seed) % 4)
			connect_client(sock);
		for (j = 0; j < 30; j++) {
			send_random(sock, &seed);
			drain(sock);
			if (rand_r(&seed) % 2)
				continue;
			err = acquire(&frame);
			if (!err)
				err = mem_pipe_release(consumer, &frame,
						       stream);
			assert_true(!err || err == -ETIMEDOUT ||
				    err == -EPIPE);
			assert_true(info_of().nr_active <=
				    MEM_PIPE_FRAMES_MAX);
		}
		close_client(sock);
	}
	wait_for_fds(nr_fds);
}

/* Hostile servers */

struct server {
	int sock;
	struct wire answer;
};

static void *serve(void *arg)
{
	struct server *server = arg;

	if (take(server->sock).type == INFO)
		put_wire(server->sock, server->answer, -1);
	return NULL;
}

static int import_from(struct wire answer)
{
	struct mem_pipe *pipe = UNTOUCHED;
	struct server server = { open_pair(), answer };
	pthread_t thread;
	int err;

	assert_int_equal(pthread_create(&thread, NULL, serve, &server), 0);
	err = mem_pipe_import(ends[0], HANGS_NS, &pipe);
	if (!err)
		mem_pipe_destroy(pipe);
	else
		mem_endpoint_close(ends[0]);
	pthread_join(thread, NULL);
	close_pair(server.sock);
	return err;
}

static void answers_that_no_server_gives_are_refused(void **state)
{
	const size_t nr_fds = nr_of_process("fd");
	struct mem_probe probe = { .size = sizeof(probe) };
	struct wire good = wire_of(ANSWER), bad;

	(void)state;
	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	good.answer.backend = probe.backend;
	strcpy(good.answer.board, probe.soc);
	assert_int_equal(import_from(good), 0);
	bad = good;
	bad.answer.board[0]++;
	assert_int_equal(import_from(bad), -EXDEV);
	memset(bad.answer.board, 'x', sizeof(bad.answer.board));
	assert_int_equal(import_from(bad), -EXDEV);
	bad = good;
	bad.answer.info.length = MEM_PIPE_FRAMES_MAX + 1;
	assert_int_equal(import_from(bad), -EPIPE);
	bad = good;
	bad.answer.info.state = MEM_PIPE_DISCONNECTED + 1;
	assert_int_equal(import_from(bad), -EPIPE);
	bad = good;
	bad.answer.err = 1;
	assert_int_equal(import_from(bad), -EPIPE);
	bad.answer.err = INT32_MIN;
	assert_int_equal(import_from(bad), -EPIPE);
	bad = good;
	bad.type = PRESENT;
	assert_int_equal(import_from(bad), -EPIPE);
	wait_for_fds(nr_fds);
}

static void a_silent_server_is_not_waited_for_too_long(void **state)
{
	struct mem_pipe *pipe = UNTOUCHED;
	const int sock = open_pair();

	(void)state;
	assert_int_equal(mem_pipe_import(ends[0], NS_PER_MS, &pipe),
			 -ETIMEDOUT);
	assert_ptr_equal(pipe, UNTOUCHED);
	close_pair(sock);
	mem_endpoint_close(ends[0]);
}

static void arguments_are_checked(void **state)
{
	const int sock = open_client(0, 0);
	struct mem_pipe *pipe = UNTOUCHED;
	uint8_t byte = 0;

	(void)state;
	assert_int_equal(mem_pipe_export(NULL, ends[0]), -EINVAL);
	assert_int_equal(mem_pipe_export(pipe_, NULL), -EINVAL);
	assert_int_equal(mem_pipe_import(NULL, 0, &pipe), -EINVAL);
	assert_int_equal(mem_pipe_import(ends[0], 0, NULL), -EINVAL);
	assert_int_equal(mem_pipe_export(pipe_, ends[0]), -EBUSY);
	assert_int_equal(mem_pipe_import(ends[0], 0, &pipe), -EBUSY);
	assert_int_equal(mem_endpoint_send(ends[0], &byte, 1, 0), -EBUSY);
	assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1, 0), -EBUSY);
	assert_ptr_equal(pipe, UNTOUCHED);
	close_client(sock);
}

static int open_hostile(void **state)
{
	if (open_strict(state))
		return -1;
	memory_buf = new_buf(MEM_KIND_UNCACHED);
	return mem_buf_export(memory_buf, &memory_fd);
}

static int close_hostile(void **state)
{
	close(memory_fd);
	mem_buf_destroy(memory_buf);
	return close_all(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_client_sends_is_accepted),
		cmocka_unit_test(device_memory_is_accepted),
		cmocka_unit_test(memory_is_replaced_while_the_consumer_works),
		cmocka_unit_test(work_keeps_the_memory_that_it_uses),
		cmocka_unit_test(a_replacement_hides_no_missing_wait),
		cmocka_unit_test(a_busy_consumer_keeps_no_more_than_its_bound),
		cmocka_unit_test(a_host_function_frees_the_memory_of_a_client),
		cmocka_unit_test(a_host_function_refuses_nothing_to_a_client),
		cmocka_unit_test(frames_that_no_client_presents_cut_it_off),
		cmocka_unit_test(memory_that_no_client_announces_cuts_it_off),
		cmocka_unit_test(memory_of_a_frame_is_not_replaced),
		cmocka_unit_test(device_memory_for_another_context_cuts_it_off),
		cmocka_unit_test(other_bytes_and_descriptors_cut_it_off),
		cmocka_unit_test(a_client_that_returns_too_much_is_cut_off),
		cmocka_unit_test(a_client_that_does_not_read_stops_nobody),
		cmocka_unit_test(random_messages_break_nothing),
		cmocka_unit_test(answers_that_no_server_gives_are_refused),
		cmocka_unit_test(a_silent_server_is_not_waited_for_too_long),
		cmocka_unit_test(arguments_are_checked),
	};

	return cmocka_run_group_tests(tests, open_hostile, close_hostile);
}
