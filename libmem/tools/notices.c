// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receives the notices of processes that could not open the file of the
 * records, and so are not watched (record/notice.h).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "heapsim.h"
#include "notices.h"
#include "../record/notice.h"

/**
 * notices_open() - receive notices, and set the variable that programs inherit
 * @who: prefix of messages
 *
 * Return: socket; -1, after a message: it is not known then which processes
 * are not watched.
 */
int notices_open(const char *who)
{
	const int on = 1;
	struct sockaddr_un address = { 0 };
	char run[NOTICE_RUN_LEN];
	int sock;

	sock = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock >= 0 && !notice_run_of(getpid(), run) &&
	    !bind(sock, (struct sockaddr *)&address,
		  notice_address(run, &address)) &&
	    !setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) &&
	    !setenv(NOTICE_ENV, run, 1))
		return sock;
	error_print(who, "contexts that are not watched are not found: %s",
		    strerror(errno));
	if (sock >= 0)
		close(sock);
	return -1;
}

/* Returns the process that sent a message, 0 if it is in no namespace here. */
static uint32_t notice_sender(struct msghdr *message)
{
	const struct cmsghdr *c = CMSG_FIRSTHDR(message);
	struct ucred sender;

	if (!c || c->cmsg_level != SOL_SOCKET ||
	    c->cmsg_type != SCM_CREDENTIALS)
		return 0;
	memcpy(&sender, CMSG_DATA(c), sizeof(sender));
	return (uint32_t)sender.pid;
}

static void notice_add(const struct notice *notice, uint32_t pid,
		       struct run_facts *facts)
{
	struct run_refusal *to;

	/* The module watches processes that do not know of it. */
	if (!notice->is_embedded && facts->backend == RUN_KERNEL)
		return;
	if (facts->nr_unwatched++ >= RUN_NR_REFUSALS)
		return;
	to = &facts->unwatched[facts->nr_unwatched - 1];
	to->pid = pid;
	snprintf(to->program, sizeof(to->program), "%.*s",
		 (int)sizeof(notice->program) - 1, notice->program);
}

/**
 * notices_read() - read the available notices
 * @sock: socket from notices_open(); -1: none
 * @facts: facts to add the processes to
 */
void notices_read(int sock, struct run_facts *facts)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr aligned;
	} control;
	struct notice notice;
	struct iovec to = { &notice, sizeof(notice) };
	struct msghdr message;
	ssize_t n;

	while (sock >= 0) {
		message = (struct msghdr) {
			.msg_iov = &to,
			.msg_iovlen = 1,
			.msg_control = &control,
			.msg_controllen = sizeof(control),
		};
		n = recvmsg(sock, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (n < 0)
			return;
		if (n == sizeof(notice))
			notice_add(&notice, notice_sender(&message), facts);
	}
}
