// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measures the cost of an access that the embedded backend tracks precisely,
 * compared with its lower limit: a process that makes a page accessible in its
 * handler of SIGSEGV, sets the trap flag, and removes the access in its handler
 * of SIGTRAP. Both are measured alternately, so that other load affects both;
 * results are medians. The loads read one line of a buffer with two views, the
 * stores write it, and the buffer of the last row is managed memory, which no
 * stream uses.
 *
 * usage: precise [ROUNDS]
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
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <libmem.h>

#include "measure.h"

#if defined(__x86_64__)

#define NR_ACCESSES	20000
#define PAGE		4096UL
#define TRAP_FLAG	0x100
#define MAX_ROUNDS	101

static uint64_t loads_ns(const volatile uint8_t *at)
{
	const uint64_t start = now_ns();
	int i;

	for (i = 0; i < NR_ACCESSES; i++)
		(void)*at;
	return (now_ns() - start) / NR_ACCESSES;
}

static uint64_t stores_ns(volatile uint8_t *at)
{
	const uint64_t start = now_ns();
	int i;

	for (i = 0; i < NR_ACCESSES; i++)
		*at = (uint8_t)i;
	return (now_ns() - start) / NR_ACCESSES;
}

/* The peer, a process of its own, since libmem takes these signals over */

static uint8_t *page;

static void on_segv(int signal, siginfo_t *info, void *context)
{
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	mprotect(page, PAGE, PROT_NONE);
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {
		.sa_sigaction = handler,
		.sa_flags = SA_SIGINFO,
	};

	sigfillset(&action.sa_mask);
	must(sigaction(signal, &action, NULL) ? errno : 0, "sigaction");
}

/* Returns a time for each byte that it gets. */
static void peer_run(int in, int out)
{
	uint64_t ns;
	char byte;

	page = mmap(NULL, PAGE, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(page == MAP_FAILED ? errno : 0, "mmap");
	handle(SIGSEGV, on_segv);
	handle(SIGTRAP, on_trap);
	while (read(in, &byte, 1) == 1) {
		ns = loads_ns(page);
		if (write(out, &ns, sizeof(ns)) != sizeof(ns))
			break;
	}
	_exit(0);
}

/**
 * struct peer - the process
 * @pid: its process id
 * @in: its requests
 * @out: its times
 */
struct peer {
	pid_t pid;
	int in;
	int out;
};

static struct peer peer_start(void)
{
	int in[2], out[2];
	struct peer peer;

	must(pipe(in) || pipe(out) ? errno : 0, "pipe");
	peer.pid = fork();
	must(peer.pid < 0 ? errno : 0, "fork");
	if (!peer.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(in[1]);
		close(out[0]);
		peer_run(in[0], out[1]);
	}
	close(in[0]);
	close(out[1]);
	peer.in = in[1];
	peer.out = out[0];
	return peer;
}

static uint64_t peer_ns(const struct peer *peer)
{
	uint64_t ns;

	must(write(peer->in, "", 1) != 1 ||
	     read(peer->out, &ns, sizeof(ns)) != sizeof(ns) ? EPIPE : 0,
	     "peer");
	return ns;
}

static void peer_end(const struct peer *peer)
{
	close(peer->in);
	close(peer->out);
	waitpid(peer->pid, NULL, 0);
}

static void row(const char *what, uint64_t *ns, uint64_t *peer, int nr)
{
	const double own = (double)median_ns(ns, (size_t)nr);
	const double other = (double)median_ns(peer, (size_t)nr);

	printf("%-34s %9.1f us %9.1f us %6.2f   3\n", what, own / 1000,
	       other / 1000, own / other);
}

int main(int argc, char **argv)
{
	static uint64_t peers[MAX_ROUNDS], loads[MAX_ROUNDS];
	static uint64_t stores[MAX_ROUNDS], managed[MAX_ROUNDS];
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.policy = MEM_POLICY_RECORD,
		.precise = 1,
	};
	int i, nr = argc > 1 ? atoi(argv[1]) : 9;
	struct mem_ctx *ctx;
	struct mem_buf *buf;
	struct peer peer;
	void *views, *at;

	if (nr < 1 || nr > MAX_ROUNDS) {
		fprintf(stderr, "usage: precise [1-%d]\n", MAX_ROUNDS);
		return 2;
	}
	peer = peer_start();
	must(mem_ctx_open(&options, &ctx), "context");
	must(mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, 4 * PAGE, NULL, &buf),
	     "buffer");
	must(mem_buf_map(buf, &views), "map");
	must(mem_alloc(ctx, MEM_KIND_MANAGED, 4 * PAGE, MEM_ATTACH_GLOBAL, &at),
	     "managed memory");
	for (i = 0; i < nr; i++) {
		peers[i] = peer_ns(&peer);
		loads[i] = loads_ns(views);
		stores[i] = stores_ns(views);
		managed[i] = loads_ns(at);
	}
	printf("%-34s %12s %12s %6s   bar\n", "precise tracking, embedded",
	       "median", "peer", "ratio");
	row("load", loads, peers, nr);
	row("store", stores, peers, nr);
	row("load of idle managed memory", managed, peers, nr);
	must(mem_free(ctx, at), "free");
	mem_buf_unmap(buf);
	mem_buf_destroy(buf);
	mem_ctx_close(ctx);
	peer_end(&peer);
	return 0;
}

#else

/* mem_ctx_open() refuses precise tracking. */
int main(void)
{
	printf("precise tracking, embedded: not on this architecture\n");
	return 0;
}

#endif
