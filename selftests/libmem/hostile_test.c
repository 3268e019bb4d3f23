// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests an endpoint with a hostile peer: a bare socket that sends datagrams
 * which the library never sends, and another user.
 */
#include "channel.h"

#include <sys/mman.h>

/* Sends a datagram with @nr_fds copies of a descriptor. */
static void send_files(int sock, const void *bytes, size_t len, int file,
		       int nr_fds)
{
	int fds[100], i;

	for (i = 0; i < nr_fds; i++)
		fds[i] = file;
	send_fds(sock, bytes, len, fds, (size_t)nr_fds);
}

static void send_bare(int sock, const void *bytes, size_t len, int nr_fds)
{
	send_files(sock, bytes, len, STDERR_FILENO, nr_fds);
}

/* The counters that the bare socket shows to its peer */
static _Atomic unsigned int *counts;

/* Opens a bare socket whose peer is an endpoint. */
static int open_silent(void)
{
	int socks[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    socks), 0);
	assert_int_equal(mem_endpoint_from_fd(ctx, socks[0], &ends[0]), 0);
	close(socks[0]);
	return socks[1];
}

static const struct frame hello = { .magic = MAGIC, .type = HELLO };

/* The same, and sends a hello with the page of counters. */
static int open_bare(void)
{
	const int sock = open_silent();
	const int fd = file_of(sysconf(_SC_PAGESIZE), F_SEAL_SHRINK);

	counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(counts, MAP_FAILED);
	send_files(sock, &hello, sizeof(hello), fd, 1);
	close(fd);
	return sock;
}

static void close_bare(int sock)
{
	munmap(counts, 4096);
	counts = NULL;
	close(sock);
}

static void is_cut_off(int sock)
{
	uint8_t byte = 0;

	assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1, LONG), -EPIPE);
	assert_int_equal(mem_endpoint_send(ends[0], &byte, 1, LONG), -EPIPE);
	assert_int_equal(send(sock, &byte, 1, MSG_NOSIGNAL), -1);
	mem_endpoint_close(ends[0]);
	close_bare(sock);
}

/* A message of one byte that is wrong in one respect */
struct bad {
	struct frame frame;
	int len;
	int nr_fds;
};

#define BAD(...) \
	{ .magic = MAGIC, .type = MESSAGE, .len = 1, __VA_ARGS__ }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const struct bad bads[] = {
	{ BAD(.magic = MAGIC + 1), 41, 0 },
	{ BAD(.type = 5), 41, 0 },
	{ BAD(.type = UINT32_MAX), 41, 0 },
	{ BAD(.type = HELLO), 41, 0 },
	{ BAD(.type = HELLO, .len = 0), 40, 0 },
	{ BAD(.type = TAKEN), 40, 0 },
	{ BAD(.type = ASK, .len = 0, .token = { 1 }), 40, 0 },
	{ BAD(.type = TAKEN, .len = 0), 41, 0 },
	{ BAD(.type = TAKEN, .len = 0), 40, 1 },
	{ BAD(.len = 0), 40, 0 },
	{ BAD(.len = 0), 41, 0 },
	{ BAD(.len = 2, .off = 1), 41, 0 },
	{ BAD(.len = 1, .off = 1), 41, 0 },
	{ BAD(.len = 1, .off = 2), 41, 0 },
	{ BAD(.len = 1, .off = UINT32_MAX), 41, 0 },
	{ BAD(.len = 1), 42, 0 },
	{ BAD(.len = MEM_ENDPOINT_MAX + 1), 41, 0 },
	{ BAD(.len = UINT32_MAX), 41, 0 },
	{ BAD(.seq = 1), 41, 0 },
	{ BAD(.seq = UINT32_MAX), 41, 0 },
	{ BAD(.type = ASK, .len = 0, .seq = 2), 40, 0 },
	{ BAD(.type = ASK, .len = 0, .off = 1), 40, 0 },
	{ BAD(.type = TAKEN, .len = 0, .seq = 1), 40, 0 },
	{ BAD(.reserved = 1), 41, 0 },
	{ BAD(.token = { [15] = 1 }), 41, 0 },
	{ BAD(.magic = MAGIC), 41, 1 },
	{ BAD(.magic = MAGIC), 39, 0 },
	{ BAD(.magic = MAGIC), 1, 0 },
	{ BAD(.magic = MAGIC), 1, 3 },
	{ BAD(.magic = MAGIC), 0, 0 },
	{ BAD(.magic = MAGIC), 65000, 0 },
	{ BAD(.type = MEMORY, .len = 0), 40, 0 },
	{ BAD(.type = MEMORY, .len = 0), 40, 2 },
	{ BAD(.type = MEMORY, .len = 0), 40, 100 },
	{ BAD(.type = MEMORY, .len = 0, .seq = 1), 40, 1 },
	{ BAD(.type = MEMORY, .len = 0), 41, 1 },
	{ BAD(.type = MEMORY, .len = 1), 40, 1 },
};

#pragma GCC diagnostic pop

static void what_no_end_sends_cuts_the_peer_off(void **state)
{
	size_t nr_fds = nr_of_process("fd"), i;
	const struct frame first = {
		.magic = MAGIC,
		.type = MESSAGE,
		.len = 1,
	};
	uint8_t bytes[66000] = { 0 };
	int sock;

	(void)state;
	for (i = 0; i < NR(bads); i++) {
		sock = open_bare();
		memcpy(bytes, &bads[i].frame, sizeof(bads[i].frame));
		send_bare(sock, bytes, (size_t)bads[i].len, bads[i].nr_fds);
		is_cut_off(sock);
		assert_int_equal(nr_of_process("fd"), nr_fds);
	}
	/* The first datagram must be a hello. */
	memcpy(bytes, &first, sizeof(first));
	sock = open_silent();
	send_bare(sock, bytes, 41, 0);
	is_cut_off(sock);
	/* After a hello this is a message, but the same again is not. */
	sock = open_bare();
	send_bare(sock, bytes, 41, 0);
	assert_int_equal(mem_endpoint_recv(ends[0], bytes + 100, 1, LONG), 1);
	send_bare(sock, bytes, 41, 0);
	is_cut_off(sock);
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

/* The page of counters must exist as long as the end, so it is sealed. */
static void a_ledger_is_a_page_that_stays(void **state)
{
	const off_t page = sysconf(_SC_PAGESIZE);
	const struct {
		off_t len;
		int seals;
		int nr_fds;
	} wrong[] = {
		{ page, 0, 1 }, { page, F_SEAL_GROW, 1 },
		{ 0, F_SEAL_SHRINK, 1 }, { 2 * page, F_SEAL_SHRINK, 1 },
		{ page - 1, F_SEAL_SHRINK, 1 }, { page, F_SEAL_SHRINK, 0 },
		{ page, F_SEAL_SHRINK, 2 },
	};
	size_t nr_fds = nr_of_process("fd"), i;
	int sock, fd;

	(void)state;
	for (i = 0; i < NR(wrong); i++) {
		sock = open_silent();
		fd = file_of(wrong[i].len, wrong[i].seals);
		send_files(sock, &hello, sizeof(hello), fd, wrong[i].nr_fds);
		close(fd);
		is_cut_off(sock);
		assert_int_equal(nr_of_process("fd"), nr_fds);
	}
	sock = open_silent();
	send_bare(sock, &hello, sizeof(hello), 1);
	is_cut_off(sock);
}

/* Wrong counters of the peer must not make room. */
static void a_wrong_ledger_gives_no_room(void **state)
{
	const int sock = open_bare();
	uint8_t bytes[100];
	unsigned int nr;

	(void)state;
	assert_int_equal(recv_filled(ends[0], 1, 0, 0), -ETIMEDOUT);
	atomic_store(&counts[0], 1);
	assert_int_equal(send_filled(ends[0], 1, 1, 0), -ETIMEDOUT);
	atomic_store(&counts[0], UINT32_MAX);
	for (nr = 0; !send_filled(ends[0], 1, 1, 0); nr++)
		;
	assert_int_equal(nr, MEM_ENDPOINT_QUEUE - 1);
	atomic_store(&counts[0], MEM_ENDPOINT_QUEUE);
	assert_int_equal(send_filled(ends[0], 1, 1, 0), -ETIMEDOUT);
	atomic_store(&counts[0], 1);
	assert_int_equal(send_filled(ends[0], 1, 1, 0), 0);
	assert_true(recv(sock, bytes, sizeof(bytes), 0) > 0);
	mem_endpoint_close(ends[0]);
	close_bare(sock);
}

/* The peer sends more than is permitted; messages before that are intact. */
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
	sock = open_bare();
	for (i = 0; i < 2 * (int)MEM_ENDPOINT_QUEUE; i++) {
		message.frame.seq = (uint32_t)i;
		message.byte = (uint8_t)i;
		send_bare(sock, &message, 41, 0);
	}
	/* One message is received before the others are read. */
	for (i = 0; i < (int)MEM_ENDPOINT_QUEUE + 1; i++) {
		assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1, LONG),
				 1);
		assert_int_equal(byte, i);
	}
	is_cut_off(sock);
	sock = open_bare();
	for (i = 0; i < (int)MEM_ENDPOINT_QUEUE + 1; i++) {
		memory.seq = (uint32_t)i;
		send_bare(sock, &memory, sizeof(memory), 1);
	}
	is_cut_off(sock);
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

/* With more threads than processors the socket is never empty. */
#define NR_ASKING	12

static atomic_bool is_enough;

/* Sends control frames, which need no room, without end. */
static void *ask_for_ever(void *arg)
{
	const struct frame words[] = {
		{ .magic = MAGIC, .type = ASK },
		{ .magic = MAGIC, .type = TAKEN },
	};
	size_t i;

	for (i = 0; !is_enough; i++)
		send(*(int *)arg, &words[i % 16 != 0], sizeof(*words),
		     MSG_NOSIGNAL);
	return NULL;
}

static void words_without_end_hold_nobody_up(void **state)
{
	uint8_t byte;
	pthread_t threads[NR_ASKING];
	uint64_t begin;
	int sock = open_bare(), i;

	(void)state;
	is_enough = false;
	for (i = 0; i < NR_ASKING; i++)
		pthread_create(&threads[i], NULL, ask_for_ever, &sock);
	usleep(SOON / 1000);
	begin = now_ns();
	for (i = 0; i < 5; i++)
		assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1,
						   2 * SOON), -ETIMEDOUT);
	assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1, 0), -ETIMEDOUT);
	/* Without an end to these words it would never return. */
	assert_true(now_ns() - begin >= 10 * SOON);
	is_enough = true;
	/* The threads wait in send() until the other end is closed. */
	mem_endpoint_close(ends[0]);
	for (i = 0; i < NR_ASKING; i++)
		pthread_join(threads[i], NULL);
	close_bare(sock);
}

/* Another user who knows the name is refused. */
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
	int len, fd;

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
		if (become_nobody())
			_exit(2);
		/* The thread may not have come so far. */
		alarm(20);
		while (connect(fd, (struct sockaddr *)&addr, (socklen_t)len))
			usleep(1000);
		/* The other user does not even get a hello. */
		_exit(recv(fd, bytes, sizeof(bytes), 0) > 0);
	}
	assert_int_equal(exit_code_of(pid), 0);
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
		cmocka_unit_test(a_ledger_is_a_page_that_stays),
		cmocka_unit_test(a_wrong_ledger_gives_no_room),
		cmocka_unit_test(a_flood_is_bounded),
		cmocka_unit_test(words_without_end_hold_nobody_up),
		cmocka_unit_test(another_user_is_refused),
	};

	return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
