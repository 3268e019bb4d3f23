/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions for groups of cases. A case is announced before its call, and its
 * answer is printed after it, so that a call that crashes or hangs is known.
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

/* An address at which no allocation can be */
#define GARBAGE		((void *)0x123456000UL)

/**
 * struct group - cases that share state, and therefore a process
 * @name: the group's name on the command line
 * @ask: runs the cases in their order
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

/* Announce a case. Return: false if its call has crashed or hung before. */
bool ask(const char *name, ...) __attribute__((format(printf, 1, 2)));
/* Print the answer of the case that was announced last. */
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

/* Run a call as one case, whose name is given as to printf(). */
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

/* Compare a pointer with the expected one. */
static inline const char *same(const void *p, const void *as)
{
	return p == as ? "same" : p ? "other" : "null";
}

/* Kinds of memory; the tests have LEN bytes of each. */
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
 * struct gate - a host function that blocks its stream until it is released
 * @is_open: the function may return
 * @nr_before: value of @order when the function returned
 * @order: number of host functions that have returned
 */
struct gate {
	int is_open;
	int nr_before;
	int *order;
};

/* The host function; @gate is a struct gate. */
void gate_wait(void *gate);
void gate_open(struct gate *gate);

/* End the process if something that its cases need is missing. */
void need(bool is_there, const char *what);

#endif
