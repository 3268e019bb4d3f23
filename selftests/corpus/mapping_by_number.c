// SPDX-License-Identifier: GPL-2.0-only
/*
 * An encoder finds its mappings of imported frames by descriptor number. A new
 * frame has the number of an earlier one that was closed: the encoder syncs the
 * new frame, and encodes the old one.
 *
 * Like https://github.com/hgaiser/moonshine/pull/137: a cache of imports found
 * the frame that had the number before, and streams showed old pictures.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[LEN];

/* Mappings by descriptor number; the corrected program compares files, too. */
static const uint8_t *import(int fd)
{
	static const uint8_t *kept;
	static int kept_fd = -1;

	if (IS_FIXED || fd != kept_fd)
		kept = fd_map(fd, LEN);
	kept_fd = fd;
	return kept;
}

static void encode(int sock, uint8_t value)
{
	int fd = fd_receive(sock);
	const uint8_t *frame = import(fd);

	fd_sync(fd, START_READ);
	/* EXPECT: stale-read off=0 other=engine evict=possible-stale-read */
	memcpy(copy, frame, LEN);
	fd_sync(fd, END_READ);
	check(is_all(copy, value, LEN));
	close(fd);
}

int main(void)
{
	struct buf frames[2] = { buf_alloc(LEN), buf_alloc(LEN) };
	int dev = dev_open();
	int socks[2];

	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, socks), "socketpair");
	dev_fill(dev, &frames[0], 0, LEN, 1);
	fd_send(socks[0], frames[0].fd);
	encode(socks[1], 1);
	dev_fill(dev, &frames[1], 0, LEN, 2);
	fd_send(socks[0], frames[1].fd);
	/* OTHER */
	dev_fill(dev, &frames[0], 0, LEN, 3);
	encode(socks[1], 2);
	return 0;
}
