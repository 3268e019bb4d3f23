/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a real EGLStream between a CUDA producer and a CUDA consumer in one
 * process answered, step by step. The recorded times are lower bounds; a step
 * may take up to twice as long and 10 ms more.
 */
#ifndef _EGL_CASES_H
#define _EGL_CASES_H

#include <cuda_egl_interop.h>

enum step_kind {
	END,
	CREATE,			/* number: length of the fifo */
	CONSUMER,
	PRODUCER,
	PRESENT,		/* number: of the frame, from 0 */
	PRESENT_UNTIL,		/* frames from 0 to before number */
	NARROW,			/* frames of half the width */
	LARGER,			/* of twice the height, beyond the memory */
	NO_PLANES,
	FOUR_PLANES,
	NO_ADDRESS,
	ACQUIRE,		/* number: of the acquire, for RELEASE */
	RELEASE,		/* number: of the acquire */
	RELEASE_NULL,
	RETURN,
	CONSUMER_GOES,
	PRODUCER_GOES
};

/**
 * struct step - a step
 * @kind: what is called
 * @number: see enum step_kind
 * @timeout_ms: of an acquire
 * @answer: what the call returns
 * @wait_ms: how long it takes at least
 * @frame: of an acquire, from 1; of a return, from 0; -1: none
 * @state: of the stream after the step; 0: any
 */
struct step {
	enum step_kind kind;
	unsigned int number;
	unsigned int timeout_ms;
	cudaError_t answer;
	unsigned int wait_ms;
	int frame;
	EGLint state;
};

struct stream_case {
	const char *name;
	struct step steps[24];
};

#define CREATED		EGL_STREAM_STATE_CREATED_KHR
#define CONNECTING	EGL_STREAM_STATE_CONNECTING_KHR
#define EMPTY		EGL_STREAM_STATE_EMPTY_KHR
#define NEW		EGL_STREAM_STATE_NEW_FRAME_AVAILABLE_KHR
#define OLD		EGL_STREAM_STATE_OLD_FRAME_AVAILABLE_KHR
#define GONE		EGL_STREAM_STATE_DISCONNECTED_KHR

/* Answers */
#define OK		cudaSuccess
#define UNKNOWN		cudaErrorUnknown
#define LATE		cudaErrorLaunchTimeout
#define VALUE		cudaErrorInvalidValue
#define HANDLE		cudaErrorInvalidResourceHandle

static const struct stream_case stream_cases[] = {
	{ "a producer that comes first spoils the stream", {
		{ CREATE, 0, 0, OK, 0, 0, CREATED },
		{ PRODUCER, 0, 0, UNKNOWN, 0, 0, CREATED },
		{ CONSUMER, 0, 0, OK, 0, 0, CONNECTING },
		{ PRODUCER, 0, 0, UNKNOWN, 0, 0, CONNECTING },
		{ CONSUMER, 0, 0, UNKNOWN, 0, 0, CONNECTING },
		{ PRODUCER, 0, 0, UNKNOWN, 0, 0, CONNECTING },
	} },
	{ "mailbox", {
		{ CREATE, 0, 0, OK, 0, 0, CREATED },
		{ CONSUMER, 0, 0, OK, 0, 0, CONNECTING },
		{ PRODUCER, 0, 0, OK, 0, 0, EMPTY },
		{ ACQUIRE, 9, 16, UNKNOWN, 16, -1, EMPTY },
		{ PRESENT, 0, 0, OK, 0, 0, NEW },
		{ PRESENT, 1, 0, OK, 0, 0, NEW },
		{ PRESENT, 2, 0, OK, 0, 0, NEW },
		{ ACQUIRE, 0, 16, OK, 0, 3, OLD },
		{ ACQUIRE, 1, 16, UNKNOWN, 16, -1, OLD },
		{ RELEASE, 0, 0, OK, 0, 0, OLD },
		{ ACQUIRE, 2, 16, OK, 16, 3, OLD },
		{ RELEASE, 2, 0, OK, 0, 0, OLD },
		{ RETURN, 0, 0, OK, 0, 0, OLD },
		{ RETURN, 0, 0, OK, 0, 1, OLD },
		{ PRESENT, 3, 0, OK, 0, 0, NEW },
		{ ACQUIRE, 3, 16, OK, 0, 4, OLD },
		{ RELEASE, 3, 0, OK, 0, 0, OLD },
		{ RETURN, 0, 0, OK, 0, 2, OLD },
		{ RETURN, 0, 0, LATE, 1, -1, OLD },
	} },
	{ "fifo", {
		{ CREATE, 4, 0, OK, 0, 0, CREATED },
		{ CONSUMER, 0, 0, OK, 0, 0, CONNECTING },
		{ PRODUCER, 0, 0, OK, 0, 0, EMPTY },
		{ PRESENT, 0, 0, OK, 0, 0, NEW },
		{ PRESENT, 1, 0, OK, 0, 0, NEW },
		{ PRESENT, 2, 0, OK, 0, 0, NEW },
		{ ACQUIRE, 0, 16, OK, 0, 1, NEW },
		{ ACQUIRE, 1, 16, OK, 0, 2, NEW },
		{ RELEASE, 0, 0, OK, 0, 0, NEW },
		{ RELEASE, 1, 0, OK, 0, 0, NEW },
		{ ACQUIRE, 2, 16, OK, 0, 3, OLD },
		{ RELEASE, 2, 0, OK, 0, 0, OLD },
		{ ACQUIRE, 3, 16, OK, 16, 3, OLD },
		{ RELEASE, 3, 0, OK, 0, 0, OLD },
		{ RETURN, 0, 0, OK, 0, 0, OLD },
		{ RETURN, 0, 0, OK, 0, 1, OLD },
		{ RETURN, 0, 0, LATE, 1, -1, OLD },
		{ RETURN, 0, 0, LATE, 1, -1, OLD },
	} },
	{ "64 frames", {
		{ CREATE, 0, 0, OK, 0, 0, CREATED },
		{ CONSUMER, 0, 0, OK, 0, 0, CONNECTING },
		{ PRODUCER, 0, 0, OK, 0, 0, EMPTY },
		{ PRESENT_UNTIL, 62, 0, OK, 0, 0, 0 },
		{ PRESENT, 62, 0, OK, 0, 0, 0 },
		{ PRESENT, 63, 0, OK, 0, 0, 0 },
		{ PRESENT, 64, 0, UNKNOWN, 0, 0, 0 },
	} },
	{ "sides and planes", {
		{ CREATE, 0, 0, OK, 0, 0, CREATED },
		{ CONSUMER, 0, 0, OK, 0, 0, CONNECTING },
		{ PRODUCER, 0, 0, OK, 0, 0, EMPTY },
		{ NARROW, 0, 0, OK, 0, 0, NEW },
		{ LARGER, 0, 0, OK, 0, 0, NEW },
		{ NO_PLANES, 0, 0, VALUE, 0, 0, NEW },
		{ FOUR_PLANES, 0, 0, VALUE, 0, 0, NEW },
		{ NO_ADDRESS, 0, 0, HANDLE, 0, 0, NEW },
	} },
	{ "release", {
		{ CREATE, 0, 0, OK, 0, 0, CREATED },
		{ CONSUMER, 0, 0, OK, 0, 0, CONNECTING },
		{ PRODUCER, 0, 0, OK, 0, 0, EMPTY },
		{ PRESENT, 0, 0, OK, 0, 0, NEW },
		{ ACQUIRE, 0, 16, OK, 0, 1, OLD },
		{ RELEASE, 0, 0, OK, 0, 0, OLD },
		{ RELEASE, 0, 0, UNKNOWN, 0, 0, OLD },
		{ RELEASE_NULL, 0, 0, HANDLE, 0, 0, OLD },
	} },
	{ "the consumer disconnects", {
		{ CREATE, 4, 0, OK, 0, 0, CREATED },
		{ CONSUMER, 0, 0, OK, 0, 0, CONNECTING },
		{ PRODUCER, 0, 0, OK, 0, 0, EMPTY },
		{ PRESENT, 0, 0, OK, 0, 0, NEW },
		{ PRESENT, 1, 0, OK, 0, 0, NEW },
		{ ACQUIRE, 0, 16, OK, 0, 1, NEW },
		{ CONSUMER_GOES, 0, 0, OK, 0, 0, GONE },
		{ PRESENT, 2, 0, UNKNOWN, 0, 0, GONE },
		{ RETURN, 0, 0, UNKNOWN, 1, -1, GONE },
		{ RETURN, 0, 0, UNKNOWN, 1, -1, GONE },
		{ RETURN, 0, 0, UNKNOWN, 1, -1, GONE },
		{ PRODUCER_GOES, 0, 0, OK, 0, 0, GONE },
		{ PRODUCER_GOES, 0, 0, HANDLE, 0, 0, GONE },
	} },
	{ "return without a frame", {
		{ CREATE, 0, 0, OK, 0, 0, CREATED },
		{ CONSUMER, 0, 0, OK, 0, 0, CONNECTING },
		{ PRODUCER, 0, 0, OK, 0, 0, EMPTY },
		{ RETURN, 0, 0, UNKNOWN, 1, -1, EMPTY },
		{ PRESENT, 0, 0, OK, 0, 0, NEW },
		{ RETURN, 0, 0, LATE, 1, -1, NEW },
	} },
	{ "acquire without a frame", {
		{ CREATE, 0, 0, OK, 0, 0, CREATED },
		{ CONSUMER, 0, 0, OK, 0, 0, CONNECTING },
		{ PRODUCER, 0, 0, OK, 0, 0, EMPTY },
		{ ACQUIRE, 0, 0, UNKNOWN, 0, -1, EMPTY },
		{ ACQUIRE, 1, 100, UNKNOWN, 100, -1, EMPTY },
		{ ACQUIRE, 2, 1000, UNKNOWN, 1000, -1, EMPTY },
	} },
};

#endif
