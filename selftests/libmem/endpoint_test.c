// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests endpoints: messages, how two ends find each other, and peers that are
 * slow or killed. The peer is a thread, or a second process of this program.
 */
#include "channel.h"

/* First argument of this program when it is started as a peer */
#define ECHO		"echo"
#define FLOOD		"flood"
/* Length of that peer's messages; long ones are sent in parts */
#define FLOOD_LEN(i)	((i) % 3 ? 20 + (i) % 100 : 40000)

static void messages_arrive_as_they_were_sent(void **state)
{
	static const size_t lens[] = {
		1, 48, 4095, 16383, 16384, 16385, 32768, 50000, 65535, 65536,
	};
	unsigned int i;

	(void)state;
	open_ends();
	for (i = 0; i < NR(lens); i++) {
		assert_int_equal(send_filled(ends[i % 2], lens[i], i, SOON),
				 0);
		assert_int_equal(recv_filled(ends[!(i % 2)], lens[i], i, SOON),
				 0);
	}
	for (i = 0; i < 40; i++)
		assert_int_equal(send_filled(ends[0], 100 + i, i, LONG), 0);
	for (i = 0; i < 40; i++)
		assert_int_equal(recv_filled(ends[1], 100 + i, i, LONG), 0);
	assert_int_equal(recv_filled(ends[1], 1, 0, 0), -ETIMEDOUT);
	close_ends();
}

static void a_message_that_is_too_long_stays(void **state)
{
	uint8_t bytes[8] = { 9 };

	(void)state;
	open_ends();
	assert_int_equal(send_filled(ends[0], 8, 1, LONG), 0);
	assert_int_equal(send_filled(ends[0], 4, 2, LONG), 0);
	assert_int_equal(mem_endpoint_recv(ends[1], bytes, 7, SOON),
			 -EMSGSIZE);
	assert_int_equal(mem_endpoint_recv(ends[1], bytes, 0, SOON),
			 -EMSGSIZE);
	assert_int_equal(bytes[0], 9);
	assert_true(polls(ends[1]));
	assert_int_equal(recv_filled(ends[1], 8, 1, 0), 0);
	assert_int_equal(recv_filled(ends[1], 4, 2, 0), 0);
	close_ends();
}

static void what_is_malformed_is_refused(void **state)
{
	struct mem_endpoint *end = UNTOUCHED;
	char name[MEM_ENDPOINT_NAME_LEN + 1] = "";
	uint8_t *bytes = calloc(1, MEM_ENDPOINT_MAX + 1);
	int socks[2], file;

	(void)state;
	assert_non_null(bytes);
	open_ends();
	assert_int_equal(mem_endpoint_send(NULL, bytes, 1, 0), -EINVAL);
	assert_int_equal(mem_endpoint_send(ends[0], NULL, 1, 0), -EINVAL);
	assert_int_equal(mem_endpoint_send(ends[0], bytes, 0, 0), -EINVAL);
	assert_int_equal(mem_endpoint_send(ends[0], bytes,
					   MEM_ENDPOINT_MAX + 1, 0), -EINVAL);
	assert_int_equal(mem_endpoint_recv(NULL, bytes, 1, 0), -EINVAL);
	assert_int_equal(mem_endpoint_recv(ends[0], NULL, 1, 0), -EINVAL);
	assert_int_equal(mem_endpoint_fd(NULL), -EINVAL);
	mem_endpoint_close(NULL);
	close_ends();
	free(bytes);

	assert_int_equal(mem_endpoint_open(NULL, "a", 0, &end), -EINVAL);
	assert_int_equal(mem_endpoint_open(ctx, NULL, 0, &end), -EINVAL);
	assert_int_equal(mem_endpoint_open(ctx, "a", 0, NULL), -EINVAL);
	assert_int_equal(mem_endpoint_open(ctx, "", 0, &end), -EINVAL);
	assert_int_equal(mem_endpoint_open(ctx, "a b", 0, &end), -EINVAL);
	assert_int_equal(mem_endpoint_open(ctx, "a/b", 0, &end), -EINVAL);
	memset(name, 'n', MEM_ENDPOINT_NAME_LEN);
	assert_int_equal(mem_endpoint_open(ctx, name, 0, &end), -EINVAL);
	name[MEM_ENDPOINT_NAME_LEN - 1] = 0;
	assert_int_equal(mem_endpoint_open(ctx, name, 0, &end), -ETIMEDOUT);

	assert_int_equal(mem_endpoint_from_fd(ctx, -1, &end), -EBADF);
	file = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_int_equal(mem_endpoint_from_fd(ctx, file, &end), -EINVAL);
	assert_int_equal(mem_endpoint_from_fd(NULL, file, &end), -EINVAL);
	assert_int_equal(mem_endpoint_from_fd(ctx, file, NULL), -EINVAL);
	close(file);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, socks), 0);
	assert_int_equal(mem_endpoint_from_fd(ctx, socks[0], &end), -EINVAL);
	close(socks[0]);
	close(socks[1]);
	file = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	assert_int_equal(mem_endpoint_from_fd(ctx, file, &end), -EINVAL);
	close(file);
	assert_ptr_equal(end, UNTOUCHED);
}

/* The queue holds the same number of messages, however calls are mixed. */
static void a_full_queue_makes_the_sender_wait(void **state)
{
	uint64_t begin;
	unsigned int i, nr = 0, nr_taken = 0;

	(void)state;
	open_ends();
	for (i = 0; i < 5; i++) {
		while (!send_filled(ends[0], 16, nr, 0))
			nr++;
		assert_int_equal(nr - nr_taken, MEM_ENDPOINT_QUEUE);
		/* The full sender has asked for room here, but not below. */
		for (; nr_taken < 13 * (i + 1); nr_taken++)
			assert_int_equal(recv_filled(ends[1], 16, nr_taken, 0),
					 0);
		if (i % 2)
			continue;
		for (; nr - nr_taken < MEM_ENDPOINT_QUEUE; nr++)
			assert_int_equal(send_filled(ends[0], 16, nr, 0), 0);
		for (; nr_taken < 13 * (i + 1) + 7; nr_taken++)
			assert_int_equal(recv_filled(ends[1], 16, nr_taken, 0),
					 0);
		for (; nr - nr_taken < MEM_ENDPOINT_QUEUE; nr++)
			assert_int_equal(send_filled(ends[0], 16, nr, 0), 0);
	}
	while (!send_filled(ends[0], 16, nr, 0))
		nr++;
	begin = now_ns();
	assert_int_equal(send_filled(ends[0], 16, 0, SOON), -ETIMEDOUT);
	assert_true(now_ns() - begin >= SOON);
	close_ends();
}

static void room_can_be_waited_for(void **state)
{
	struct pollfd poll_fd = { .events = POLLIN };
	unsigned int i;

	(void)state;
	assert_int_equal(mem_endpoint_wait_room(NULL, 0), -EINVAL);
	open_ends();
	for (i = 0; i < MEM_ENDPOINT_QUEUE; i++) {
		assert_int_equal(mem_endpoint_wait_room(ends[0], 0), 0);
		assert_int_equal(send_filled(ends[0], 16, i, 0), 0);
	}
	assert_int_equal(mem_endpoint_wait_room(ends[0], SOON), -ETIMEDOUT);
	poll_fd.fd = mem_endpoint_fd(ends[0]);
	assert_int_equal(poll(&poll_fd, 1, 0), 0);
	assert_int_equal(recv_filled(ends[1], 16, 0, 0), 0);
	assert_int_equal(poll(&poll_fd, 1, 60000), 1);
	assert_int_equal(mem_endpoint_wait_room(ends[0], 0), 0);
	mem_endpoint_close(ends[1]);
	ends[1] = NULL;
	assert_int_equal(mem_endpoint_wait_room(ends[0], 60 * NS_PER_S),
			 -EPIPE);
	close_ends();
}

struct stream_of {
	struct mem_endpoint *end;
	unsigned int nr;
	size_t len;
	int err;
};

static void *send_stream(void *arg)
{
	struct stream_of *stream = arg;
	unsigned int i;

	for (i = 0; i < stream->nr && !stream->err; i++)
		stream->err = send_filled(stream->end, stream->len, i, LONG);
	return NULL;
}

static void *recv_stream(void *arg)
{
	struct stream_of *stream = arg;
	unsigned int i;

	for (i = 0; i < stream->nr && !stream->err; i++)
		stream->err = recv_filled(stream->end, stream->len, i, LONG);
	return NULL;
}

static void *send_then_recv(void *arg)
{
	send_stream(arg);
	return recv_stream(arg);
}

/* Both ends send more than a socket holds before they receive anything. */
static void two_that_send_first_come_to_an_end(void **state)
{
	struct stream_of streams[2] = {
		{ .nr = MEM_ENDPOINT_QUEUE, .len = MEM_ENDPOINT_MAX },
		{ .nr = MEM_ENDPOINT_QUEUE, .len = MEM_ENDPOINT_MAX },
	};
	pthread_t threads[2];
	int i;

	(void)state;
	open_ends();
	for (i = 0; i < 2; i++) {
		streams[i].end = ends[i];
		pthread_create(&threads[i], NULL, send_then_recv, &streams[i]);
	}
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(streams[i].err, 0);
	}
	close_ends();
}

static void a_thread_each_way_and_none_is_held_up(void **state)
{
	struct stream_of streams[4] = {
		{ .nr = 3000, .len = 200 }, { .nr = 300, .len = 30000 },
		{ .nr = 3000, .len = 200 }, { .nr = 300, .len = 30000 },
	};
	pthread_t threads[4];
	int i;

	(void)state;
	open_ends();
	for (i = 0; i < 4; i++) {
		streams[i].end = ends[i == 1 || i == 2];
		pthread_create(&threads[i], NULL,
			       i < 2 ? send_stream : recv_stream, &streams[i]);
	}
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(streams[i].err, 0);
	}
	close_ends();
}

#define NR_EACH		500
#define NR_THREADS	4

static atomic_uint seen[NR_THREADS * NR_EACH];

struct many {
	struct mem_endpoint *end;
	unsigned int first;
	bool sends;
	int err;
};

static void *send_or_recv_many(void *arg)
{
	struct many *many = arg;
	unsigned int i, nr;
	uint8_t bytes[40000];
	int ret;

	for (i = many->first; i < many->first + NR_EACH; i++) {
		if (many->sends) {
			memset(bytes, 0, sizeof(bytes));
			memcpy(bytes, &i, sizeof(i));
			ret = mem_endpoint_send(many->end, bytes,
						i % 7 ? 100 : sizeof(bytes),
						LONG);
		} else {
			ret = mem_endpoint_recv(many->end, bytes,
						sizeof(bytes), LONG);
			memcpy(&nr, bytes, sizeof(nr));
			if (ret > 0 && nr < NR(seen) &&
			    ret == (nr % 7 ? 100 : (int)sizeof(bytes))) {
				seen[nr]++;
				ret = 0;
			} else if (ret > 0) {
				ret = -EILSEQ;
			}
		}
		if (ret) {
			many->err = ret;
			break;
		}
	}
	return NULL;
}

static void many_threads_have_one_end(void **state)
{
	struct many many[2 * NR_THREADS];
	pthread_t threads[2 * NR_THREADS];
	unsigned int i;

	(void)state;
	open_ends();
	memset(seen, 0, sizeof(seen));
	for (i = 0; i < NR(many); i++) {
		many[i] = (struct many) {
			.end = ends[i % 2],
			.first = i / 2 * NR_EACH,
			.sends = i % 2,
		};
		pthread_create(&threads[i], NULL, send_or_recv_many, &many[i]);
	}
	for (i = 0; i < NR(many); i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(many[i].err, 0);
	}
	for (i = 0; i < NR(seen); i++)
		assert_int_equal(seen[i], 1);
	close_ends();
}

static void a_wait_ends_in_time(void **state)
{
	uint64_t begin;
	uint8_t byte;

	(void)state;
	open_ends();
	begin = now_ns();
	assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1, 0), -ETIMEDOUT);
	assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1, SOON),
			 -ETIMEDOUT);
	assert_in_range(now_ns() - begin, SOON, LONG);
	/* Signals neither end the wait nor prolong it. */
	start_storm();
	begin = now_ns();
	assert_int_equal(mem_endpoint_recv(ends[0], &byte, 1, 2 * SOON),
			 -ETIMEDOUT);
	assert_in_range(now_ns() - begin, 2 * SOON, LONG);
	stop_storm();
	assert_true(nr_signals > 0);
	close_ends();
}

static void a_peer_that_has_gone_is_reported(void **state)
{
	uint8_t byte = 0;

	(void)state;
	open_ends();
	assert_int_equal(send_filled(ends[0], 30000, 1, LONG), 0);
	assert_int_equal(send_filled(ends[1], 3, 1, LONG), 0);
	mem_endpoint_close(ends[0]);
	ends[0] = NULL;
	assert_true(polls(ends[1]));
	assert_int_equal(mem_endpoint_send(ends[1], &byte, 1, LONG), -EPIPE);
	assert_int_equal(recv_filled(ends[1], 30000, 1, LONG), 0);
	assert_int_equal(mem_endpoint_recv(ends[1], &byte, 1, LONG), -EPIPE);
	assert_int_equal(mem_endpoint_recv(ends[1], &byte, 1, 0), -EPIPE);
	assert_true(polls(ends[1]));
	close_ends();
}

static void polling_tells_of_messages(void **state)
{
	int i;

	(void)state;
	open_ends();
	/* The hello is no message. */
	assert_int_equal(recv_filled(ends[0], 1, 0, 0), -ETIMEDOUT);
	assert_false(polls(ends[0]));
	/* poll() also reports messages that were read during a send. */
	for (i = 0; i < 5; i++)
		assert_int_equal(send_filled(ends[1], 10, 7, LONG), 0);
	for (i = 0; i < (int)MEM_ENDPOINT_QUEUE; i++)
		assert_int_equal(send_filled(ends[0], 10, 7, 0), 0);
	assert_int_equal(send_filled(ends[0], 10, 7, 0), -ETIMEDOUT);
	for (i = 0; i < 5; i++) {
		assert_true(polls(ends[0]));
		assert_int_equal(recv_filled(ends[0], 10, 7, 0), 0);
	}
	assert_false(polls(ends[0]));
	close_ends();
}

/* The program has made the buffer of its socket small. */
static void long_messages_go_through_a_small_socket(void **state)
{
	struct stream_of stream = { .nr = 20, .len = MEM_ENDPOINT_MAX };
	const int small = 1;
	pthread_t thread;
	int socks[2], i;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    socks), 0);
	for (i = 0; i < 2; i++) {
		setsockopt(socks[i], SOL_SOCKET, SO_SNDBUF, &small,
			   sizeof(small));
		assert_int_equal(mem_endpoint_from_fd(ctx, socks[i], &ends[i]),
				 0);
		close(socks[i]);
	}
	stream.end = ends[0];
	pthread_create(&thread, NULL, send_stream, &stream);
	for (i = 0; i < 20; i++)
		assert_int_equal(recv_filled(ends[1], MEM_ENDPOINT_MAX,
					     (unsigned int)i, LONG), 0);
	pthread_join(thread, NULL);
	assert_int_equal(stream.err, 0);
	close_ends();
}

/* A send that times out within a message leaves nothing of it. */
static void half_a_message_is_dropped(void **state)
{
	unsigned int i, nr;

	(void)state;
	open_ends();
	for (nr = 0; !send_filled(ends[0], MEM_ENDPOINT_MAX, nr, 0); nr++)
		assert_true(nr < MEM_ENDPOINT_QUEUE);
	for (i = 0; i < nr; i++)
		assert_int_equal(recv_filled(ends[1], MEM_ENDPOINT_MAX, i, 0),
				 0);
	assert_int_equal(recv_filled(ends[1], 1, 0, 0), -ETIMEDOUT);
	assert_int_equal(send_filled(ends[0], 77, 5, 0), 0);
	assert_int_equal(recv_filled(ends[1], 77, 5, 0), 0);
	close_ends();
}

/* Opens two ends in two threads, in any order. */
static int open_pair(const char *a, const char *b, uint64_t timeout_ns)
{
	struct opening both[2] = {
		{ .name = a, .timeout_ns = timeout_ns },
		{ .name = b, .timeout_ns = timeout_ns },
	};
	static unsigned int nr;
	pthread_t threads[2];
	int i, err = 0;

	nr++;
	both[nr % 2].delay_ns = nr % 3 * 5 * NS_PER_MS;
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, open_end, &both[i]);
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		ends[i] = both[i].end;
		err = both[i].err ? both[i].err : err;
	}
	if (err)
		close_ends();
	return err;
}

static void are_a_channel(const char *a, const char *b)
{
	assert_int_equal(open_pair(a, b, LONG), 0);
	assert_int_equal(send_filled(ends[0], 10, 3, LONG), 0);
	assert_int_equal(recv_filled(ends[1], 10, 3, LONG), 0);
	assert_int_equal(send_filled(ends[1], 10, 4, LONG), 0);
	assert_int_equal(recv_filled(ends[0], 10, 4, LONG), 0);
	close_ends();
}

static void names_make_channels(void **state)
{
	(void)state;
	are_a_channel(own("same"), own("same"));
	are_a_channel(own("cam_0"), own("cam_1"));
	are_a_channel(own("cam_1"), own("cam_0"));
	are_a_channel(own("cam_0"), own("cam_0"));
	are_a_channel(own("a-b.C_9"), own("a-b.C_9"));
	assert_int_equal(open_pair(own("cam_0"), own("cam_2"), SOON),
			 -ETIMEDOUT);
	assert_int_equal(open_pair(own("one"), own("two"), SOON), -ETIMEDOUT);
}

static void a_file_makes_channels(void **state)
{
	char path[] = "/tmp/libmem-ipc-XXXXXX";
	const int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	dprintf(fd, "# channels\n\n"
		"INTER_VM\tivm_test 255\n"
		"INTER_PROCESS %s  %s\t64 1536 # cameras\n"
		"INTER_THREAD, %s, %s, 16, 128\n"
		"INTER_PROCESS lonely\n"
		"INTER_PROCESS %s %s 64 1536\n",
		own("front"), own("view"), own("p"), own("q"), own("x_0"),
		own("x_1"));
	close(fd);
	setenv("LIBMEM_IPC", path, 1);
	are_a_channel(own("front"), own("view"));
	are_a_channel(own("view"), own("front"));
	are_a_channel(own("q"), own("p"));
	are_a_channel(own("x_0"), own("x_1"));
	are_a_channel(own("cam_0"), own("cam_1"));
	assert_int_equal(open_pair(own("front"), own("p"), SOON), -ETIMEDOUT);
	unlink(path);
	assert_int_equal(mem_endpoint_open(ctx, own("front"), 0, &ends[0]),
			 -ENOENT);
	unsetenv("LIBMEM_IPC");
	assert_int_equal(open_pair(own("front"), own("view"), SOON),
			 -ETIMEDOUT);
}

#define NR_OPENINGS	24

/* Each end gets exactly one peer, and all find one. */
static void whoever_comes_third_waits_for_the_next(void **state)
{
	struct opening openings[NR_OPENINGS];
	pthread_t threads[NR_OPENINGS];
	const char *name = own("crowd");
	uint8_t has[NR_OPENINGS] = { 0 };
	int i, round, alone = 0;
	uint8_t byte;

	(void)state;
	for (round = 0; round < 10; round++) {
		memset(has, 0, sizeof(has));
		for (i = 0; i < NR_OPENINGS; i++) {
			openings[i] = (struct opening) {
				.name = name,
				.timeout_ns = LONG,
			};
			pthread_create(&threads[i], NULL, open_end,
				       &openings[i]);
		}
		for (i = 0; i < NR_OPENINGS; i++) {
			pthread_join(threads[i], NULL);
			assert_int_equal(openings[i].err, 0);
		}
		for (i = 0; i < NR_OPENINGS; i++) {
			byte = (uint8_t)i;
			assert_int_equal(mem_endpoint_send(openings[i].end,
							   &byte, 1, LONG), 0);
		}
		for (i = 0; i < NR_OPENINGS; i++) {
			assert_int_equal(mem_endpoint_recv(openings[i].end,
							   &byte, 1, LONG), 1);
			assert_int_not_equal(byte, i);
			has[byte]++;
		}
		for (i = 0; i < NR_OPENINGS; i++) {
			assert_int_equal(has[i], 1);
			mem_endpoint_close(openings[i].end);
		}
	}
	/* With an odd number, one end finds no peer and fails. */
	for (i = 0; i < 3; i++) {
		openings[i] = (struct opening) {
			.name = name,
			.timeout_ns = 40 * SOON,
		};
		pthread_create(&threads[i], NULL, open_end, &openings[i]);
	}
	for (i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		alone += openings[i].err == -ETIMEDOUT;
		mem_endpoint_close(openings[i].end);
	}
	assert_int_equal(alone, 1);
}

/* Else the peer could have a channel that has no other end. */
static void a_wait_goes_on_until_the_peer_answers(void **state)
{
	struct opening opening = { .name = own("slow"), .timeout_ns = SOON };
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct frame got;
	pthread_t thread;
	int len, sock;

	(void)state;
	len = snprintf(addr.sun_path + 1, sizeof(addr.sun_path) - 1,
		       "libmem/%u/%s", geteuid(), opening.name);
	len += (int)offsetof(struct sockaddr_un, sun_path) + 1;
	assert_int_equal(bind(listener, (const struct sockaddr *)&addr,
			      (socklen_t)len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(pthread_create(&thread, NULL, open_end, &opening), 0);
	sock = accept(listener, NULL, NULL);
	assert_true(sock >= 0);
	assert_int_equal(recv(sock, &got, sizeof(got), 0), sizeof(got));
	assert_int_equal(got.type, HELLO);
	usleep(4 * SOON / 1000);
	send_hello(sock, 9);
	pthread_join(thread, NULL);
	assert_int_equal(opening.err, 0);
	mem_endpoint_close(opening.end);
	close(sock);
	close(listener);
}

static void another_process_answers(void **state)
{
	const char *name = own("process");
	const pid_t pid = start_again_for(ECHO, -1, name);
	unsigned int i;

	(void)state;
	assert_int_equal(mem_endpoint_open(ctx, name, LONG, &ends[0]), 0);
	for (i = 0; i < 100; i++) {
		assert_int_equal(send_filled(ends[0], 1 + i * 600, i, LONG),
				 0);
		assert_int_equal(recv_filled(ends[0], 1 + i * 600, i, LONG),
				 0);
	}
	mem_endpoint_close(ends[0]);
	assert_int_equal(exit_code_of(pid), 0);
}

/* Wherever the peer is killed, whole messages and then an end arrive. */
static void a_killed_peer_leaves_whole_messages(void **state)
{
	size_t nr_fds = nr_of_process("fd");
	unsigned int i, round, nr_some = 0;
	int socks[2], err;
	pid_t pid;

	(void)state;
	for (round = 0; round < 60; round++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET |
					    SOCK_CLOEXEC, 0, socks), 0);
		assert_int_equal(mem_endpoint_from_fd(ctx, socks[0], &ends[0]),
				 0);
		close(socks[0]);
		pid = start_again(FLOOD, socks[1]);
		close(socks[1]);
		/* The time varies from before its first message to its wait. */
		if (round > 20)
			assert_int_equal(recv_filled(ends[0], FLOOD_LEN(0), 0,
						     LONG), 0);
		usleep(round * 37 % 1000);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		i = round > 20;
		while (!(err = recv_filled(ends[0], FLOOD_LEN(i), i, LONG)))
			i++;
		assert_int_equal(err, -EPIPE);
		nr_some += i > 1;
		assert_int_equal(send_filled(ends[0], 1, 0, LONG), -EPIPE);
		mem_endpoint_close(ends[0]);
	}
	assert_true(nr_some > 10);
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

static void the_first_may_be_killed_while_it_waits(void **state)
{
	const char *name = own("mortal");
	pid_t pid = start_again_for(ECHO, -1, name), other;

	(void)state;
	usleep(100000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(mem_endpoint_open(ctx, name, SOON, &ends[0]),
			 -ETIMEDOUT);
	/* The peer is killed at some time during the open. */
	for (int i = 0; i < 20; i++) {
		pid = start_again_for(ECHO, -1, name);
		usleep(1000 + i * 300);
		kill(pid, SIGKILL);
		other = start_again_for(ECHO, -1, name);
		for (;;) {
			assert_int_equal(mem_endpoint_open(ctx, name, LONG,
							   &ends[0]), 0);
			if (!send_filled(ends[0], 9, 9, LONG) &&
			    !recv_filled(ends[0], 9, 9, LONG))
				break;
			/* The killed peer had opened its end. */
			mem_endpoint_close(ends[0]);
		}
		mem_endpoint_close(ends[0]);
		waitpid(pid, NULL, 0);
		waitpid(other, NULL, 0);
	}
}

static void a_child_has_none(void **state)
{
	struct mem_endpoint *end;
	uint8_t byte = 0;
	pid_t pid;

	(void)state;
	open_ends();
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (mem_endpoint_send(ends[0], &byte, 1, 0) != -EPERM ||
		    mem_endpoint_recv(ends[0], &byte, 1, 0) != -EPERM ||
		    mem_endpoint_open(ctx, "a", 0, &end) != -EPERM ||
		    mem_endpoint_from_fd(ctx, 0, &end) != -EPERM)
			_exit(1);
		close_ends();
		_exit(0);
	}
	assert_int_equal(exit_code_of(pid), 0);
	assert_int_equal(send_filled(ends[0], 5, 5, LONG), 0);
	assert_int_equal(recv_filled(ends[1], 5, 5, LONG), 0);
	close_ends();
}

/* A child that inherited the socket does not keep the channel open. */
static void a_child_does_not_stand_for_its_parent(void **state)
{
	uint8_t byte;
	pid_t pid;

	(void)state;
	assert_int_equal(open_pair(own("fork"), own("fork"), LONG), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		pause();
		_exit(0);
	}
	mem_endpoint_close(ends[0]);
	assert_int_equal(mem_endpoint_recv(ends[1], &byte, 1, LONG), -EPIPE);
	mem_endpoint_close(ends[1]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void no_descriptor_is_left(void **state)
{
	struct mem_endpoint *end = UNTOUCHED;
	struct rlimit old;
	int socks[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    socks), 0);
	old = take_all_fds();
	assert_int_equal(mem_endpoint_open(ctx, "a", 0, &end), -EMFILE);
	assert_int_equal(mem_endpoint_from_fd(ctx, socks[0], &end), -EMFILE);
	give_fds_back(old);
	assert_ptr_equal(end, UNTOUCHED);
	close(socks[0]);
	close(socks[1]);
}

static void nothing_leaks(void **state)
{
	size_t nr_fds = 0;
	int i;

	(void)state;
	for (i = 0; i < 200; i++) {
		if (i == 2)
			nr_fds = nr_of_process("fd");
		open_ends();
		assert_int_equal(send_filled(ends[0], 70, 1, LONG), 0);
		assert_int_equal(send_filled(ends[0], 60000, 1, LONG), 0);
		assert_int_equal(send_filled(ends[1], 60000, 1, LONG), 0);
		assert_int_equal(recv_filled(ends[1], 70, 1, LONG), 0);
		close_ends();
	}
	assert_int_equal(nr_of_process("fd"), nr_fds);
}

/* The peer that returns each message. */
static int echo(const char *name)
{
	static uint8_t bytes[MEM_ENDPOINT_MAX];
	int len, err = 0;

	if (mem_endpoint_open(ctx, name, LONG, &ends[0]))
		return 1;
	while (!err) {
		len = mem_endpoint_recv(ends[0], bytes, sizeof(bytes), LONG);
		if (len < 0)
			break;
		err = mem_endpoint_send(ends[0], bytes, (size_t)len, LONG);
	}
	mem_endpoint_close(ends[0]);
	return len != -EPIPE && err != -EPIPE;
}

/* The peer that sends until it is killed. */
static int flood(int fd)
{
	unsigned int i;

	if (mem_endpoint_from_fd(ctx, fd, &ends[0]))
		return 1;
	close(fd);
	for (i = 0; !send_filled(ends[0], FLOOD_LEN(i), i, LONG); i++)
		;
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_arrive_as_they_were_sent),
		cmocka_unit_test(a_message_that_is_too_long_stays),
		cmocka_unit_test(what_is_malformed_is_refused),
		cmocka_unit_test(a_full_queue_makes_the_sender_wait),
		cmocka_unit_test(room_can_be_waited_for),
		cmocka_unit_test(two_that_send_first_come_to_an_end),
		cmocka_unit_test(a_thread_each_way_and_none_is_held_up),
		cmocka_unit_test(many_threads_have_one_end),
		cmocka_unit_test(a_wait_ends_in_time),
		cmocka_unit_test(a_peer_that_has_gone_is_reported),
		cmocka_unit_test(polling_tells_of_messages),
		cmocka_unit_test(long_messages_go_through_a_small_socket),
		cmocka_unit_test(half_a_message_is_dropped),
		cmocka_unit_test(names_make_channels),
		cmocka_unit_test(a_file_makes_channels),
		cmocka_unit_test(whoever_comes_third_waits_for_the_next),
		cmocka_unit_test(a_wait_goes_on_until_the_peer_answers),
		cmocka_unit_test(another_process_answers),
		cmocka_unit_test(a_killed_peer_leaves_whole_messages),
		cmocka_unit_test(the_first_may_be_killed_while_it_waits),
		cmocka_unit_test(a_child_has_none),
		cmocka_unit_test(a_child_does_not_stand_for_its_parent),
		cmocka_unit_test(no_descriptor_is_left),
		cmocka_unit_test(nothing_leaks),
	};

	signal(SIGPIPE, SIG_DFL);
	if (argc > 2) {
		if (open_ctx(NULL))
			return 1;
		return strcmp(argv[1], ECHO) ? flood(atoi(argv[2])) :
					       echo(argv[3]);
	}
	return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
