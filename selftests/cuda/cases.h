/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the groups of cases have in common: a case is announced, asked and
 * answered, so that a call that crashes or hangs is an answer of its own.
 */
#ifndef _CUDA_CASES_H
#define _CUDA_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>
#include <cuda.h>

#define LEN		65536UL
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Where no allocation can be. */
#define GARBAGE		((void *)0x123456000UL)

/**
 * struct group - cases that share their state, and so a process
 * @name: for the command line
 * @ask: asks them in their order
 */
struct group {
	const char *name;
	void (*ask)(void);
};

/* Each list ends with a group without a name. */
extern const struct group memory_groups[];
extern const struct group attach_groups[];
extern const struct group stream_groups[];
extern const struct group copy_groups[];
extern const struct group array_groups[];
extern const struct group device_groups[];
extern const struct group driver_groups[];

/* False: not this time, since the call has crashed or hung before. */
bool ask(const char *name, ...) __attribute__((format(printf, 1, 2)));
/* Of the case asked last */
void answer(const char *text, ...) __attribute__((format(printf, 1, 2)));

static inline void answer_rt(cudaError_t err)
{
	const char *name = cudaGetErrorName(err);

	answer("%s", name ? name : "null");
}

static inline void answer_cu(CUresult res)
{
	const char *name = NULL;

	cuGetErrorName(res, &name);
	answer("%s", name ? name : "null");
}

/* One call, one case: its name is made as printf does. */
#define RT(call, ...)				\
	do {					\
		if (ask(__VA_ARGS__))		\
			answer_rt(call);	\
	} while (0)

#define CU(call, ...)				\
	do {					\
		if (ask(__VA_ARGS__))		\
			answer_cu(call);	\
	} while (0)

/* What a pointer is beside the one it should be. */
static inline const char *same(const void *p, const void *as)
{
	return p == as ? "same" : p ? "other" : "null";
}

/* One of each, LEN bytes. */
enum side {
	PAGEABLE,
	PINNED,
	DEVICE,
	MANAGED,
	MANAGED_HOST,
	NR_SIDES
};

extern const char * const side_names[NR_SIDES];

void *side_alloc(enum side side);
void side_free(enum side side, void *p);

/**
 * struct gate - a host function that holds its stream until it is let go
 * @is_open: it may return
 * @nr_before: of @order, when it returned
 * @order: counts host functions that have returned
 */
struct gate {
	int is_open;
	int nr_before;
	int *order;
};

/* A host function; @gate: struct gate */
void gate_wait(void *gate);
void gate_open(struct gate *gate);

/* Ends the process: what a case needs is not there. */
void need(bool is_there, const char *what);

#endif
