// SPDX-License-Identifier: GPL-2.0-only
/*
 * A capture process hands the descriptor of its frame to a viewer, which maps
 * and reads it with no bracket of its own.
 *
 * Like the review of https://github.com/getopenscreen/openscreen/pull/508: a
 * descriptor that is passed on keeps the buffer alive, not its content.
 */
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "corpus.h"

#define LEN	(4 * PAGE)

static uint8_t copy[PAGE];

static int view(int sock)
{
	int fd = fd_receive(sock);
	const uint8_t *map = fd_map(fd, LEN);

#ifdef FIXED
	fd_sync(fd, START_READ);
#endif
	/* EXPECT: unbracketed-access off=4096 other=device */
	/* EXPECT: stale-read off=4096 other=engine evict=possible-stale-read */
	memcpy(copy, map + PAGE, PAGE);
#ifdef FIXED
	fd_sync(fd, END_READ);
#endif
	check(is_all(copy, 0xab, PAGE));
	return 0;
}

int main(void)
{
	int socks[2], status, dev;
	struct buf frame;
	uint64_t camera;
	pid_t viewer;

	need(!socketpair(AF_UNIX, SOCK_STREAM, 0, socks), "socketpair");
	viewer = fork();
	if (!viewer)
		_exit(view(socks[1]));
	dev = dev_open();
	frame = buf_alloc(LEN);
	/* The frame holds a test card before the first picture. */
	fd_sync(frame.fd, START_WRITE);
	memset(frame.map, 0x10, LEN);
	/* OTHER */
	camera = dev_hold(dev, frame.fd, HEAPSIM_HOLD_MAP,
			  HEAPSIM_DIR_FROM_DEVICE);
	memset(frame.map, 0x20, PAGE);
	fd_sync(frame.fd, END_WRITE);
	/* OTHER */
	dev_fill(dev, &frame, 0, LEN, 0xab);
	fd_send(socks[0], frame.fd);
	need(waitpid(viewer, &status, 0) == viewer, "wait for the viewer");
	check(!status);
	dev_release(dev, camera);
	return 0;
}
