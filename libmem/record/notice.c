// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reports to `heapsim run` that a context of this process is not watched. The
 * run is that of the environment; if that has none, or is not trusted, it is a
 * run among the ancestors of this process, since the command remains the
 * ancestor of all processes that it started. System calls bypass the C library,
 * as in walk.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "internal.h"
#include "notice.h"

/* Processes that are looked at; no tree is as deep. */
#define MAX_ANCESTORS	256

static bool notice_send(int sock, const char *run, const struct notice *notice)
{
	struct sockaddr_un address = { 0 };
	const socklen_t len = notice_address(run, &address);

	/* If the queue is full, the command has enough notices. */
	return syscall(SYS_sendto, sock, notice, sizeof(*notice),
		       MSG_NOSIGNAL | MSG_DONTWAIT, &address, len) >= 0 ||
	       errno == EAGAIN;
}

/* Returns 0 if the process is the first of the namespace, or is hidden. */
static pid_t notice_parent_of(pid_t pid)
{
	char path[32], line[512];
	const char *end;
	int parent = 0;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	len = syscall(SYS_read, fd, line, sizeof(line) - 1);
	syscall(SYS_close, fd);
	if (len <= 0)
		return 0;
	line[len] = '\0';
	/* A process chooses its name, which may contain a parenthesis. */
	end = strrchr(line, ')');
	return end && sscanf(end, ") %*c %d", &parent) == 1 ? parent : 0;
}

static void notice_send_up(int sock, const struct notice *notice)
{
	char run[NOTICE_RUN_LEN];
	pid_t pid = getppid();
	int i;

	for (i = 0; pid > 0 && i < MAX_ANCESTORS; i++) {
		if (notice_run_of(pid, run) || notice_send(sock, run, notice))
			return;
		pid = notice_parent_of(pid);
	}
}

/**
 * notice_unwatched() - report to the command that a context is not watched
 * @is_embedded: it is one of the embedded backend
 *
 * Does nothing if no command runs this process.
 *
 * Context: any thread; takes less than a millisecond.
 */
void notice_unwatched(bool is_embedded)
{
	const char *run = secure_getenv(NOTICE_ENV);
	struct notice notice = { .is_embedded = is_embedded };
	int sock;

	if (readlink("/proc/self/exe", notice.program,
		     sizeof(notice.program) - 1) < 0)
		record_copy_text(notice.program, program_invocation_short_name,
				 sizeof(notice.program));
	sock = (int)syscall(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (sock < 0)
		return;
	if (!run || !notice_send(sock, run, &notice))
		notice_send_up(sock, &notice);
	syscall(SYS_close, sock);
}
