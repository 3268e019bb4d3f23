// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what an end makes of a hostile peer: a bare socket that sends what no
 * end of the library does, and another user.
 */
#include "channel.h"

/*
 * What a frame is (libmem/object/endpoint.h): this is the peer's side of it.
 */
struct frame {
	uint32_t magic;
	uint32_t type;
	uint32_t len;
	uint32_t off;
	uint32_t seq;
	uint32_t nr_taken[2];
	uint32_t reserved;
	uint8_t token[16];
};

enum {
	HELLO,
	MESSAGE,
	MEMORY,
	TAKEN,
	ASK,
};

#define MAGIC	0x48534601U

/* A bare socket, whose peer is an end. */
static int open_bare(bool says_hello)
{
	const struct frame hello = { .magic = MAGIC, .type = HELLO };
	int socks[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    socks), 0);
	assert_int_equal(mem_endpoint_from_fd(ctx, socks[0], &ends[0]), 0);
	close(socks[0]);
	if (says_hello)
		assert_int_equal(send(socks[1], &hello, sizeof(hello), 0),
				 sizeof(hello));
	return socks[1];
}

static void send_bare(int sock, const void *bytes, size_t len, int nr_fds)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(100 * sizeof(int))];
	} control = { 0 };
	struct iovec part = { (void *)bytes, len };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };
	int fds[100], i;

	for (i = 0; i < nr_fds; i++)
		fds[i] = STDERR_FILENO;
	if (nr_fds) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, nr_fds * sizeof(int));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
	}
	assert_int_equal(sendmsg(sock, &msg, MSG_NOSIGNAL), len);
}

static void is_cut_off(int sock)
{
	uint8_t byte = 0;

	assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1, LONG), -EPIPE);
	assert_int_equal(mem_endpoint_send(ends[0], &byte, 1, LONG), -EPIPE);
	assert_int_equal(send(sock, &byte, 1, MSG_NOSIGNAL), -1);
	mem_endpoint_close(ends[0]);
	close(sock);
}

/* A message of one byte, but for one thing. */
struct bad {
	struct frame frame;
	int len;
	int nr_fds;
};

#define BAD(...)	{ .magic = MAGIC, .type = MESSAGE, .len = 1, __VA_ARGS__ }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const struct bad bads[] = {
	{ BAD(.magic = MAGIC + 1), 49, 0 },
	{ BAD(.type = 5), 49, 0 },
	{ BAD(.type = UINT32_MAX), 49, 0 },
	{ BAD(.type = HELLO), 49, 0 },
	{ BAD(.type = HELLO, .len = 0), 48, 0 },
	{ BAD(.type = TAKEN), 48, 0 },
	{ BAD(.type = ASK, .len = 0, .seq = 1), 48, 0 },
	{ BAD(.type = ASK, .len = 0, .token = { 1 }), 48, 0 },
	{ BAD(.type = TAKEN, .len = 0), 49, 0 },
	{ BAD(.type = TAKEN, .len = 0), 48, 1 },
	{ BAD(.len = 0), 48, 0 },
	{ BAD(.len = 0), 49, 0 },
	{ BAD(.len = 2, .off = 1), 49, 0 },
	{ BAD(.len = 1, .off = 1), 49, 0 },
	{ BAD(.len = 1, .off = 2), 49, 0 },
	{ BAD(.len = 1, .off = UINT32_MAX), 49, 0 },
	{ BAD(.len = 1), 50, 0 },
	{ BAD(.len = MEM_ENDPOINT_MAX + 1), 49, 0 },
	{ BAD(.len = UINT32_MAX), 49, 0 },
	{ BAD(.seq = 1), 49, 0 },
	{ BAD(.seq = UINT32_MAX), 49, 0 },
	{ BAD(.nr_taken = { 1, 0 }), 49, 0 },
	{ BAD(.nr_taken = { 0, 1 }), 49, 0 },
	{ BAD(.nr_taken = { INT32_MAX, 0 }), 49, 0 },
	{ BAD(.reserved = 1), 49, 0 },
	{ BAD(.token = { [15] = 1 }), 49, 0 },
	{ BAD(.magic = MAGIC), 49, 1 },
	{ BAD(.magic = MAGIC), 47, 0 },
	{ BAD(.magic = MAGIC), 1, 0 },
	{ BAD(.magic = MAGIC), 1, 3 },
	{ BAD(.magic = MAGIC), 0, 0 },
	{ BAD(.magic = MAGIC), 65000, 0 },
	{ BAD(.type = MEMORY, .len = 0), 48, 0 },
	{ BAD(.type = MEMORY, .len = 0), 48, 2 },
	{ BAD(.type = MEMORY, .len = 0), 48, 100 },
	{ BAD(.type = MEMORY, .len = 0, .seq = 1), 48, 1 },
	{ BAD(.type = MEMORY, .len = 0), 49, 1 },
	{ BAD(.type = MEMORY, .len = 1), 48, 1 },
};
#pragma GCC diagnostic pop

static void what_no_end_sends_cuts_the_peer_off(void **state)
{
	size_t nr_fds = nr_of_process("fd"), i;
	uint8_t bytes[66000] = { 0 };
	int sock;

	(void)state;
	for (i = 0; i < NR(bads); i++) {
		sock = open_bare(true);
		memcpy(bytes, &bads[i].frame, sizeof(bads[i].frame));
		send_bare(sock, bytes, (size_t)bads[i].len, bads[i].nr_fds);
		is_cut_off(sock);
		assert_int_equal(nr_of_process("fd"), nr_fds);
	}
	/* The first that is not a hello. */
	memcpy(bytes, &(struct frame) { .magic = MAGIC, .type = MESSAGE,
					.len = 1 }, sizeof(struct frame));
	sock = open_bare(false);
	send_bare(sock, bytes, 49, 0);
	is_cut_off(sock);
	/* The same is a message, and with a hello a second time is not. */
	sock = open_bare(true);
	send_bare(sock, bytes, 49, 0);
	assert_int_equal(mem_endpoint_recv(ends[0], bytes + 100, 1, SOON), 1);
	send_bare(sock, bytes, 49, 0);
	is_cut_off(sock);
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

/* More than an end may send; what came before is whole. */
static void a_flood_is_bounded(void **state)
{
	struct {
		struct frame frame;
		uint8_t byte;
	} message = { .frame = { .magic = MAGIC, .type = MESSAGE, .len = 1 } };
	struct frame memory = { .magic = MAGIC, .type = MEMORY };
	size_t nr_fds = nr_of_process("fd");
	uint8_t byte;
	int sock, i;

	(void)state;
	sock = open_bare(true);
	for (i = 0; i < (int)MEM_ENDPOINT_QUEUE + 1; i++) {
		message.frame.seq = (uint32_t)i;
		message.byte = (uint8_t)i;
		send_bare(sock, &message, 49, 0);
	}
	for (i = 0; i < (int)MEM_ENDPOINT_QUEUE; i++) {
		assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1, LONG),
				 1);
		assert_int_equal(byte, i);
	}
	is_cut_off(sock);
	sock = open_bare(true);
	for (i = 0; i < (int)MEM_ENDPOINT_QUEUE + 1; i++) {
		memory.seq = (uint32_t)i;
		send_bare(sock, &memory, sizeof(memory), 1);
	}
	is_cut_off(sock);
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

static atomic_bool is_enough;

/* Words that cost nothing, without end. */
static void *ask_for_ever(void *arg)
{
	const struct frame ask = { .magic = MAGIC, .type = ASK };

	while (!is_enough)
		send(*(int *)arg, &ask, sizeof(ask), MSG_NOSIGNAL);
	return NULL;
}

static void words_without_end_hold_nobody_up(void **state)
{
	uint64_t begin = now_ns();
	uint8_t byte;
	pthread_t thread;
	int sock = open_bare(true);

	(void)state;
	is_enough = false;
	pthread_create(&thread, NULL, ask_for_ever, &sock);
	assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1, 2 * SOON),
			 -ETIMEDOUT);
	assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1, 0), -ETIMEDOUT);
	assert_in_range(now_ns() - begin, 2 * SOON, LONG / 2);
	is_enough = true;
	mem_endpoint_close(ends[0]);
	close(sock);
	pthread_join(thread, NULL);
}

/* Another user knows the name, but is not taken. */
static void another_user_is_refused(void **state)
{
	const char *name = own("private");
	struct opening both[2] = {
		{ .name = name, .timeout_ns = LONG },
		{ .name = name, .timeout_ns = LONG },
	};
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	pthread_t threads[2];
	uint8_t bytes[64];
	pid_t pid;
	int status, len, fd;

	(void)state;
	if (getuid())
		skip_because("another user needs root");
	len = snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1,
		       "libmem/%u/%s", geteuid(), name);
	len += (int)offsetof(struct sockaddr_un, sun_path) + 1;
	pthread_create(&threads[0], NULL, open_end, &both[0]);
	usleep(20000);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
		if (setgid(65534) || setuid(65534) ||
		    connect(fd, (struct sockaddr *)&addr, (socklen_t)len))
			_exit(2);
		/* Not even a hello. */
		_exit(recv(fd, bytes, sizeof(bytes), 0) > 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	pthread_create(&threads[1], NULL, open_end, &both[1]);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert_int_equal(both[0].err | both[1].err, 0);
	mem_endpoint_close(both[0].end);
	mem_endpoint_close(both[1].end);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_no_end_sends_cuts_the_peer_off),
		cmocka_unit_test(a_flood_is_bounded),
		cmocka_unit_test(words_without_end_hold_nobody_up),
		cmocka_unit_test(another_user_is_refused),
	};

	return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
