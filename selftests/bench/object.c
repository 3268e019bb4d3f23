// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of sharing an object with another process, compared with
 * its lower limit: a file descriptor that is received by SCM_RIGHTS, mapped,
 * and acknowledged. Both are measured alternately, so that other load affects
 * both; results are medians.
 *
 * An object is exported, and its descriptor is sent as a message, received,
 * imported and mapped for the CPU; then it is released and acknowledged. A bare
 * object has no list in its descriptor. "Import and pointer" is the time in
 * mem_object_import() and mem_object_cpu_ptr(), which should be at most 1.5
 * times that of the round trip.
 *
 * usage: object [ROUNDS]
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <libmem.h>

#include "measure.h"

#define NR_TRIPS	2000
#define LEN		(64 * 1024UL)
#define MAX_ROUNDS	101

enum {
	BARE_SOCKET,
	WITH_LIST,
	BARE,
	NR_GAMES,
};

static struct mem_ctx *ctx;
static struct mem_endpoint *end;
static struct mem_attrs *attrs;	/* list of the objects, in both processes */
static int sock;		/* socket of the bare round trips */

static struct mem_attrs *list(void)
{
	const uint32_t type = MEM_ATTR_TYPE_RAW, perm = MEM_RW;
	const uint64_t len = LEN, engines = 1ULL << MEM_ENGINE_GPU;
	const uint8_t yes = 1;
	const struct mem_attr values[] = {
		{ MEM_ATTR_TYPES, 0, &type, sizeof(type) },
		{ MEM_ATTR_RAW_SIZE, 0, &len, sizeof(len) },
		{ MEM_ATTR_NEED_CPU_ACCESS, 0, &yes, sizeof(yes) },
		{ MEM_ATTR_REQUIRED_PERM, 0, &perm, sizeof(perm) },
		{ MEM_ATTR_ENGINES, 0, &engines, sizeof(engines) },
	};
	struct mem_attrs *unreconciled, *result;

	must(mem_attrs_create(ctx, &unreconciled), "list");
	must(mem_attrs_set(unreconciled, values,
			   sizeof(values) / sizeof(*values)), "list");
	must(mem_attrs_reconcile(&unreconciled, 1, &result, NULL), "list");
	mem_attrs_destroy(unreconciled);
	return result;
}

static void open_end(int fd)
{
	must(mem_ctx_open(NULL, &ctx), "context");
	must(mem_endpoint_from_fd(ctx, fd, &end), "endpoint");
	close(fd);
	attrs = list();
}

static void bare_send(int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	char byte = 0;
	struct iovec part = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	must(sendmsg(sock, &msg, 0) < 0 ? errno : 0, "sendmsg");
	must(recv(sock, &byte, 1, 0) < 0 ? errno : 0, "recv");
}

static void bare_serve(void)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec part = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	void *map;
	int fd;

	must(recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) < 0 ? errno : 0, "recvmsg");
	memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	map = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(map == MAP_FAILED ? errno : 0, "mmap");
	*(volatile char *)map = 1;
	munmap(map, LEN);
	close(fd);
	must(send(sock, &byte, 1, 0) < 0 ? errno : 0, "send");
}

static void object_send(struct mem_object *object, bool is_bare)
{
	uint8_t desc[MEM_OBJECT_DESC_LEN], byte;
	void *bytes = desc;
	size_t len = sizeof(desc);

	if (is_bare)
		must(mem_object_export_bare(object, MEM_RW, end,
					    MEM_WAIT_FOREVER, desc), "export");
	else
		must(mem_object_export(object, MEM_RW, end, MEM_WAIT_FOREVER,
				       &bytes, &len), "export");
	must(mem_endpoint_send(end, bytes, len, MEM_WAIT_FOREVER), "send");
	if (!is_bare)
		free(bytes);
	must(mem_endpoint_recv(end, &byte, 1, MEM_WAIT_FOREVER) != 1, "recv");
}

static uint64_t object_serve(bool is_bare)
{
	static uint8_t bytes[MEM_ENDPOINT_MAX];
	struct mem_object *object;
	uint64_t begin_ns, ns;
	void *ptr;
	int len;

	len = mem_endpoint_recv(end, bytes, sizeof(bytes), MEM_WAIT_FOREVER);
	must(len < 0 ? len : 0, "recv");
	begin_ns = now_ns();
	if (is_bare)
		must(mem_object_import_bare(end, bytes, attrs, 0,
					    MEM_WAIT_FOREVER, &object),
		     "import");
	else
		must(mem_object_import(end, bytes, (size_t)len, NULL, 0, 0,
				       MEM_WAIT_FOREVER, &object), "import");
	must(mem_object_cpu_ptr(object, MEM_RW, &ptr), "pointer");
	ns = now_ns() - begin_ns;
	*(volatile char *)ptr = 1;
	mem_object_put(object);
	must(mem_endpoint_send(end, bytes, 1, MEM_WAIT_FOREVER), "send");
	return ns;
}

/* The importing process, which sends the time of its part to the parent. */
static int serve(int fd, unsigned long rounds)
{
	uint64_t ns[NR_GAMES];
	unsigned long round;
	int i, game;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	open_end(fd);
	for (round = 0; round < rounds; round++) {
		memset(ns, 0, sizeof(ns));
		for (game = 0; game < NR_GAMES; game++)
			for (i = 0; i < NR_TRIPS; i++)
				if (game == BARE_SOCKET)
					bare_serve();
				else
					ns[game] += object_serve(game == BARE);
		must(write(sock, ns, sizeof(ns)) < 0 ? errno : 0, "write");
	}
	return 0;
}

static void play(unsigned long rounds)
{
	static const char *const names[] = {
		[BARE_SOCKET] = "descriptor by SCM_RIGHTS, mmap, answer",
		[WITH_LIST] = "object with its list, pointer, answer",
		[BARE] = "bare object, pointer, answer",
	};
	static double trips[NR_GAMES][MAX_ROUNDS];
	static double imports[NR_GAMES][MAX_ROUNDS];
	struct mem_object *object;
	uint64_t ns[NR_GAMES], begin_ns;
	unsigned long round;
	int fd, i, game;

	must(mem_object_alloc(attrs, NULL, &object), "object");
	must(mem_object_fd(object, &fd), "descriptor");
	for (round = 0; round < rounds; round++) {
		for (game = 0; game < NR_GAMES; game++) {
			begin_ns = now_ns();
			for (i = 0; i < NR_TRIPS; i++)
				if (game == BARE_SOCKET)
					bare_send(fd);
				else
					object_send(object, game == BARE);
			trips[game][round] = (double)(now_ns() - begin_ns) /
					     NR_TRIPS / 1000;
		}
		must(read(sock, ns, sizeof(ns)) != sizeof(ns), "read");
		for (game = 0; game < NR_GAMES; game++)
			imports[game][round] = (double)ns[game] / NR_TRIPS /
					       1000;
	}
	for (game = 0; game < NR_GAMES; game++) {
		const double us = median(trips[game], rounds);

		printf("%-40s %7.2f us  %5.2f times", names[game], us,
		       us / median(trips[BARE_SOCKET], rounds));
		putchar('\n');
		if (game != BARE_SOCKET)
			printf("  %-38s %7.2f us  %5.2f times\n",
			       "of which import and pointer",
			       median(imports[game], rounds),
			       median(imports[game], rounds) /
			       median(trips[BARE_SOCKET], rounds));
	}
	close(fd);
	mem_object_put(object);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 9;
	int ends[2], bare[2], status;
	pid_t pid;

	if (!rounds || rounds > MAX_ROUNDS)
		rounds = 9;
	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ?
	     errno : 0, "socketpair");
	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, bare) ?
	     errno : 0, "socketpair");
	/* Fork before a context exists, since a child cannot use it. */
	pid = fork();
	must(pid < 0 ? errno : 0, "fork");
	if (!pid) {
		sock = bare[1];
		close(bare[0]);
		close(ends[0]);
		return serve(ends[1], rounds);
	}
	sock = bare[0];
	close(bare[1]);
	close(ends[1]);
	open_end(ends[0]);
	play(rounds);
	mem_endpoint_close(end);
	must(waitpid(pid, &status, 0) < 0 ? errno : status, "importer");
	mem_attrs_destroy(attrs);
	mem_ctx_close(ctx);
	return 0;
}
