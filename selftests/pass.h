/* SPDX-License-Identifier: GPL-2.0-only */
/* Passes descriptors over UNIX sockets. */
#ifndef _SELFTESTS_PASS_H
#define _SELFTESTS_PASS_H

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#define PASS_MAX	100	/* descriptors of a message */

/* Sends a message with descriptors, and returns what sendmsg() does. */
static inline ssize_t pass_fds(int sock, const void *bytes, size_t len,
			       const int *fds, size_t nr_fds, int flags)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(PASS_MAX * sizeof(int))];
	} control = { 0 };
	struct iovec part = { (void *)bytes, len };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };

	if (nr_fds > PASS_MAX) {
		errno = EINVAL;
		return -1;
	}
	if (nr_fds) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fds, nr_fds * sizeof(int));
		msg.msg_control = &control;
		msg.msg_controllen = CMSG_SPACE(nr_fds * sizeof(int));
	}
	return sendmsg(sock, &msg, flags);
}

/* Sends a byte with a descriptor. Returns 0 or -1. */
static inline int pass_fd(int sock, int fd)
{
	return pass_fds(sock, "", 1, &fd, 1, 0) == 1 ? 0 : -1;
}

/* Receives a byte with @nr descriptors. Returns 0, or -1. */
static inline int passed_fds(int sock, int *fds, size_t nr)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(PASS_MAX * sizeof(int))];
	} control;
	char byte;
	struct iovec part = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = CMSG_SPACE(nr * sizeof(int)),
	};

	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != 1 ||
	    !CMSG_FIRSTHDR(&msg) ||
	    CMSG_FIRSTHDR(&msg)->cmsg_len != CMSG_LEN(nr * sizeof(int)))
		return -1;
	memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&msg)), nr * sizeof(int));
	return 0;
}

/* Receives a byte with a descriptor, which is returned, or -1. */
static inline int passed_fd(int sock)
{
	int fd;

	return passed_fds(sock, &fd, 1) ? -1 : fd;
}

#endif
