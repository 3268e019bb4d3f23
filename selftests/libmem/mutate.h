/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes inputs of fuzzers from valid ones by random changes, which are the same
 * in each run.
 */
#ifndef _LIBMEM_MUTATE_H
#define _LIBMEM_MUTATE_H

#include <stdint.h>
#include <string.h>
#include <time.h>

#ifndef NR
#define NR(array)	(sizeof(array) / sizeof((array)[0]))
#endif
#define INPUT_MAX	16384U	/* bytes */

/* Sets length and checksum of a packed list, so that both checks pass. */
static inline void repair_list(uint8_t *bytes, size_t len)
{
	const uint32_t whole = (uint32_t)len;
	uint64_t sum = 0xcbf29ce484222325ULL;
	size_t i;

	if (len < 32)
		return;
	for (i = 32; i < len; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3ULL;
	memcpy(bytes + 8, &whole, sizeof(whole));
	memcpy(bytes + 24, &sum, sizeof(sum));
}

static uint64_t seed;

static inline void seed_set(uint64_t from)
{
	seed = from * 0x9e3779b97f4a7c15ULL | 1;
}

static inline uint64_t random_number(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static inline uint32_t below(uint32_t limit)
{
	return (uint32_t)(random_number() >> 32) % limit;
}

/**
 * struct input - an input of the fuzzer
 * @len: length of @bytes
 * @bytes: bytes; the first chooses the test
 */
struct input {
	size_t len;
	uint8_t bytes[INPUT_MAX];
};

/* The valid inputs */
static const struct input *corpus;
static size_t nr_inputs;

static inline void store_number(struct input *input)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 3, 7, 8, 16, 64, 255, 256, 512, 4096, 65536,
		INT32_MAX, 1ULL << 31, UINT32_MAX, 1ULL << 32, 1ULL << 46,
		INT64_MAX, 1ULL << 63, UINT64_MAX,
	};
	const uint64_t number = numbers[below(NR(numbers))];
	const size_t len = below(2) ? 4 : 8;
	const size_t at = 1 + 4 * (size_t)below((uint32_t)input->len / 4);

	if (at + len <= input->len)
		memcpy(input->bytes + at, &number, len);
}

/* Copies bytes within the input, or from another one. */
static inline void copy_bytes(struct input *input)
{
	const struct input *from = &corpus[below((uint32_t)nr_inputs)];
	const size_t len = 1 + below(64);
	const size_t at = 1 + below((uint32_t)input->len);
	const size_t from_at = 1 + below((uint32_t)from->len);

	if (at + len <= input->len && from_at + len <= from->len)
		memcpy(input->bytes + at, from->bytes + from_at, len);
}

static inline void cut_bytes(struct input *input)
{
	const size_t len = below(2) ? 8 * (1 + below(4)) : 1 + below(32);
	const size_t at = 1 + below((uint32_t)input->len);

	if (at + len > input->len)
		return;
	memmove(input->bytes + at, input->bytes + at + len,
		input->len - at - len);
	input->len -= len;
}

/* Duplicates a run of bytes, which may be a value or a slot. */
static inline void double_bytes(struct input *input)
{
	const size_t len = 8 * (1 + below(16));
	const size_t at = 1 + 8 * (size_t)below((uint32_t)input->len / 8 + 1);

	if (at + len > input->len || input->len + len > INPUT_MAX)
		return;
	memmove(input->bytes + at + len, input->bytes + at, input->len - at);
	input->len += len;
}

static inline void change(struct input *input)
{
	if (input->len < 16)
		return;
	switch (below(8)) {
	case 0:
		cut_bytes(input);
		break;
	case 1:
		double_bytes(input);
		break;
	case 2:
		copy_bytes(input);
		break;
	case 3:
	case 4:
		store_number(input);
		break;
	case 5:
		input->bytes[1 + below((uint32_t)input->len - 1)] =
			(uint8_t)random_number();
		break;
	default:
		input->bytes[1 + below((uint32_t)input->len - 1)] ^=
			1U << below(8);
	}
}

/* Chooses a valid input, and mostly changes it. */
static inline void mutate(struct input *input)
{
	const struct input *whole = &corpus[below((uint32_t)nr_inputs)];
	int changes;

	input->len = whole->len;
	memcpy(input->bytes, whole->bytes, whole->len);
	for (changes = (int)below(6); changes--;)
		change(input);
}

static inline double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
