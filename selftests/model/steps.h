/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by random programs: numbers from a seed, and a log of steps */
#ifndef HEAPSIM_SELFTESTS_MODEL_STEPS_H
#define HEAPSIM_SELFTESTS_MODEL_STEPS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STEPS_KEPT	40
#define STEPS_LEN	96

/**
 * struct steps - random numbers and log of a program
 * @seed: the same seed gives the same numbers
 * @random: state of the generator
 * @log: the last steps
 * @nr: number of steps so far
 */
struct steps {
	uint64_t seed;
	uint64_t random;
	char log[STEPS_KEPT][STEPS_LEN];
	unsigned int nr;
};

static inline void steps_begin(struct steps *steps, uint64_t seed)
{
	steps->seed = seed;
	steps->random = seed;
	steps->nr = 0;
}

/* Returns a random number below @bound, by splitmix64. */
static inline size_t steps_draw(struct steps *steps, size_t bound)
{
	uint64_t z = steps->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (z ^ (z >> 31)) % bound;
}

static inline void __attribute__((format(printf, 2, 3)))
steps_log(struct steps *steps, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(steps->log[steps->nr++ % STEPS_KEPT], STEPS_LEN, format,
		  args);
	va_end(args);
}

static inline void steps_print(const struct steps *steps, FILE *to)
{
	unsigned int i = steps->nr > STEPS_KEPT ? steps->nr - STEPS_KEPT : 0;

	for (; i < steps->nr; i++)
		fprintf(to, "#   %s\n", steps->log[i % STEPS_KEPT]);
}

#endif
