// SPDX-License-Identifier: GPL-2.0-only
/*
 * A client draws into a buffer that it was sent, unmaps and closes it, and goes
 * on with other things; the END is forgotten. The server keeps the buffer.
 *
 * Like https://github.com/openmv/openmv/pull/1498: buffers went back to where
 * they came from before the CPU's writes had left the cache.
 */
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t want[LEN];

static void draw(int sock)
{
	struct buf frame = { .fd = fd_receive(sock), .len = LEN };

	frame.map = fd_map(frame.fd, LEN);
	/* EXPECT: missing-end off=0 */
	fd_sync(frame.fd, START_WRITE);
	/* EXPECT: missing-clean off=0 other=engine */
	memset(frame.map, 0x2f, LEN);
#ifdef FIXED
	fd_sync(frame.fd, END_WRITE);
#endif
	buf_free(&frame);
}

int main(void)
{
	struct buf frame;
	int socks[2], dev;
	uint64_t sum;
	pid_t client;
	char done;

	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, socks), "socketpair");
	client = fork();
	if (!client) {
		draw(socks[1]);
		need(write(socks[1], "d", 1) == 1, "tell that it is drawn");
		/* Wait until the server has continued. */
		need(read(socks[1], &done, 1) == 1, "wait for the server");
		_exit(0);
	}
	dev = dev_open();
	frame = buf_alloc(LEN);
	fd_send(socks[0], frame.fd);
	need(read(socks[0], &done, 1) == 1, "wait for the client");
	/* OTHER */
	sum = dev_sum(dev, &frame, 0, LEN);
	need(write(socks[0], "d", 1) == 1, "let the client go");
	need(waitpid(client, NULL, 0) == client, "see the client off");
	memset(want, 0x2f, LEN);
	check(sum == sum_of(want, LEN));
	return 0;
}
