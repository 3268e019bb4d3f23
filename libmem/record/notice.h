/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How a process that cannot open the file of the records (stacks.h) reports
 * this to `heapsim run`: by a datagram to a socket with an abstract name. A
 * process of another user, mount namespace or root directory can send to it,
 * unlike open a file.
 */
#ifndef _LIBMEM_RECORD_NOTICE_H
#define _LIBMEM_RECORD_NOTICE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Environment variable with the number of the run, from notice_run_of(). */
#define NOTICE_ENV	"HEAPSIM_RUN"

#define NOTICE_RUN_LEN	48

/**
 * struct notice - a datagram: a process opened a context that is not watched
 * @is_embedded: the context is one of the embedded backend
 * @reserved: 0
 * @program: path of the executable, terminated; the end of a long path is cut
 *	off
 */
struct notice {
	uint32_t is_embedded;
	uint32_t reserved;
	char program[192];
};

/**
 * notice_run_of() - return the number of the run of a process
 * @pid: process, in the caller's pid namespace
 * @run: out: "NAMESPACE-PID", unique in all pid namespaces, terminated
 *
 * Return: 0, or -1 without /proc.
 */
static inline int notice_run_of(pid_t pid, char run[NOTICE_RUN_LEN])
{
	char link[32] = "";
	unsigned long ns;

	if (readlink("/proc/self/ns/pid", link, sizeof(link) - 1) < 0 ||
	    sscanf(link, "pid:[%lu]", &ns) != 1)
		return -1;
	snprintf(run, NOTICE_RUN_LEN, "%lu-%d", ns, (int)pid);
	return 0;
}

/**
 * notice_address() - return the address of a run's socket
 * @run: number of the run; a longer one is cut off
 * @address: out: address
 *
 * Return: length of the address.
 */
static inline socklen_t notice_address(const char *run,
				       struct sockaddr_un *address)
{
	const int len = snprintf(address->sun_path + 1, NOTICE_RUN_LEN + 16,
				 "heapsim-run-%.*s", NOTICE_RUN_LEN, run);

	address->sun_family = AF_UNIX;
	address->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) +
	       (socklen_t)len;
}

#endif
