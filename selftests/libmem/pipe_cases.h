/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an EGLStream between a CUDA producer and a CUDA consumer in one process
 * did, step by step. An answer that CUDA gave as an unspecific error has the
 * error of the library here. Frames have the number of their presentation,
 * beginning with 1. A wait is a lower bound; the real one was less than 1 ms
 * longer.
 */
#ifndef _LIBMEM_PIPE_CASES_H
#define _LIBMEM_PIPE_CASES_H

#include <errno.h>
#include <stdint.h>

#include <libmem.h>

enum step_kind {
	STEP_END,
	STEP_CREATE,		/* arg: length */
	STEP_CONSUMER,
	STEP_PRODUCER,
	STEP_PRESENT,
	STEP_PRESENT_NO_PLANES,
	STEP_PRESENT_FOUR_PLANES,
	STEP_PRESENT_NULL,
	STEP_PRESENT_SMALLER,
	STEP_PRESENT_LARGER,
	STEP_ACQUIRE,		/* arg: time-out in ms */
	STEP_RELEASE,		/* arg: frame */
	STEP_RETURN,		/* arg: time-out in ms */
	STEP_CONSUMER_GOES,
	STEP_PRODUCER_GOES,
	STEP_DESTROY
};

struct step {
	enum step_kind kind;
	unsigned int arg;
	int err;
	unsigned int wait_ms;
	uint64_t frame;		/* of an acquire or return that succeeds */
	enum mem_pipe_state state;
};

struct pipe_case {
	const char *name;
	struct step steps[32];
};

#define CREATED		MEM_PIPE_CREATED
#define CONNECTING	MEM_PIPE_CONNECTING
#define EMPTY		MEM_PIPE_EMPTY
#define NEW		MEM_PIPE_NEW_FRAME
#define OLD		MEM_PIPE_OLD_FRAME
#define GONE		MEM_PIPE_DISCONNECTED

static const struct pipe_case pipe_cases[] = {
	{ "a producer that comes first spoils the pipe", {
		{ STEP_CREATE, 0, 0, 0, 0, CREATED },
		{ STEP_PRODUCER, 0, -ENOTCONN, 0, 0, CREATED },
		{ STEP_CONSUMER, 0, 0, 0, 0, CONNECTING },
		{ STEP_PRODUCER, 0, -ENOTCONN, 0, 0, CONNECTING },
		{ STEP_CONSUMER, 0, -EISCONN, 0, 0, CONNECTING },
		{ STEP_PRODUCER, 0, -ENOTCONN, 0, 0, CONNECTING },
	} },
	{ "mailbox", {
		{ STEP_CREATE, 0, 0, 0, 0, CREATED },
		{ STEP_CONSUMER, 0, 0, 0, 0, CONNECTING },
		{ STEP_PRODUCER, 0, 0, 0, 0, EMPTY },
		{ STEP_ACQUIRE, 16, -ETIMEDOUT, 16, 0, EMPTY },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_ACQUIRE, 16, 0, 0, 3, OLD },
		{ STEP_ACQUIRE, 16, -ETIMEDOUT, 16, 0, OLD },
		{ STEP_RELEASE, 3, 0, 0, 0, OLD },
		{ STEP_ACQUIRE, 16, 0, 16, 3, OLD },
		{ STEP_RELEASE, 3, 0, 0, 0, OLD },
		{ STEP_RETURN, 1, 0, 0, 1, OLD },
		{ STEP_RETURN, 1, 0, 0, 2, OLD },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_ACQUIRE, 16, 0, 0, 4, OLD },
		{ STEP_RELEASE, 4, 0, 0, 0, OLD },
		{ STEP_RETURN, 1, 0, 0, 3, OLD },
		{ STEP_RETURN, 1, -ETIMEDOUT, 1, 0, OLD },
	} },
	{ "fifo", {
		{ STEP_CREATE, 4, 0, 0, 0, CREATED },
		{ STEP_CONSUMER, 0, 0, 0, 0, CONNECTING },
		{ STEP_PRODUCER, 0, 0, 0, 0, EMPTY },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_ACQUIRE, 16, 0, 0, 1, NEW },
		{ STEP_ACQUIRE, 16, 0, 0, 2, NEW },
		{ STEP_RELEASE, 1, 0, 0, 0, NEW },
		{ STEP_RELEASE, 2, 0, 0, 0, NEW },
		{ STEP_ACQUIRE, 16, 0, 0, 3, OLD },
		{ STEP_RELEASE, 3, 0, 0, 0, OLD },
		{ STEP_ACQUIRE, 16, 0, 16, 3, OLD },
		{ STEP_RELEASE, 3, 0, 0, 0, OLD },
		{ STEP_RETURN, 1, 0, 0, 1, OLD },
		{ STEP_RETURN, 1, 0, 0, 2, OLD },
		{ STEP_RETURN, 1, -ETIMEDOUT, 1, 0, OLD },
		{ STEP_RETURN, 1, -ETIMEDOUT, 1, 0, OLD },
	} },
	{ "sizes and planes", {
		{ STEP_CREATE, 0, 0, 0, 0, CREATED },
		{ STEP_CONSUMER, 0, 0, 0, 0, CONNECTING },
		{ STEP_PRODUCER, 0, 0, 0, 0, EMPTY },
		{ STEP_PRESENT_SMALLER, 0, 0, 0, 0, NEW },
		{ STEP_PRESENT_LARGER, 0, 0, 0, 0, NEW },
		{ STEP_PRESENT_NO_PLANES, 0, -EINVAL, 0, 0, NEW },
		{ STEP_PRESENT_FOUR_PLANES, 0, -EINVAL, 0, 0, NEW },
		{ STEP_PRESENT_NULL, 0, -EFAULT, 0, 0, NEW },
	} },
	{ "release", {
		{ STEP_CREATE, 0, 0, 0, 0, CREATED },
		{ STEP_CONSUMER, 0, 0, 0, 0, CONNECTING },
		{ STEP_PRODUCER, 0, 0, 0, 0, EMPTY },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_ACQUIRE, 16, 0, 0, 1, OLD },
		{ STEP_RELEASE, 1, 0, 0, 0, OLD },
		{ STEP_RELEASE, 1, -ENOENT, 0, 0, OLD },
		{ STEP_RELEASE, 0, -ENOENT, 0, 0, OLD },
	} },
	/* CUDA's return waits for 1 ms even if the stream is disconnected. */
	{ "the consumer disconnects", {
		{ STEP_CREATE, 4, 0, 0, 0, CREATED },
		{ STEP_CONSUMER, 0, 0, 0, 0, CONNECTING },
		{ STEP_PRODUCER, 0, 0, 0, 0, EMPTY },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_ACQUIRE, 16, 0, 0, 1, NEW },
		{ STEP_CONSUMER_GOES, 0, 0, 0, 0, GONE },
		{ STEP_PRESENT, 0, -EPIPE, 0, 0, GONE },
		{ STEP_RETURN, 1, -EPIPE, 0, 0, GONE },
		{ STEP_RETURN, 1, -EPIPE, 0, 0, GONE },
		{ STEP_RETURN, 1, -EPIPE, 0, 0, GONE },
		{ STEP_PRODUCER_GOES, 0, 0, 0, 0, GONE },
		{ STEP_PRODUCER_GOES, 0, -ENOTCONN, 0, 0, GONE },
	} },
	{ "a return while the pipe is empty", {
		{ STEP_CREATE, 0, 0, 0, 0, CREATED },
		{ STEP_CONSUMER, 0, 0, 0, 0, CONNECTING },
		{ STEP_PRODUCER, 0, 0, 0, 0, EMPTY },
		{ STEP_RETURN, 1, -ENODATA, 1, 0, EMPTY },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_RETURN, 1, -ETIMEDOUT, 1, 0, NEW },
	} },
	{ "an acquire while the pipe is empty", {
		{ STEP_CREATE, 0, 0, 0, 0, CREATED },
		{ STEP_CONSUMER, 0, 0, 0, 0, CONNECTING },
		{ STEP_PRODUCER, 0, 0, 0, 0, EMPTY },
		{ STEP_ACQUIRE, 0, -ETIMEDOUT, 0, 0, EMPTY },
		{ STEP_ACQUIRE, 100, -ETIMEDOUT, 100, 0, EMPTY },
		{ STEP_ACQUIRE, 1000, -ETIMEDOUT, 1000, 0, EMPTY },
	} },
	{ "ends work after the pipe was destroyed", {
		{ STEP_CREATE, 4, 0, 0, 0, CREATED },
		{ STEP_CONSUMER, 0, 0, 0, 0, CONNECTING },
		{ STEP_PRODUCER, 0, 0, 0, 0, EMPTY },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_PRESENT, 0, 0, 0, 0, NEW },
		{ STEP_ACQUIRE, 16, 0, 0, 1, NEW },
		{ STEP_DESTROY, 0, 0, 0, 0, NEW },
		{ STEP_ACQUIRE, 16, 0, 0, 2, OLD },
	} },
};

#endif
