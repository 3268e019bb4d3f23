// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: structs of callers that were built with an older or a newer version
 * of libmem.h. Each begins with its size, as a uint32_t, and grows at its end.
 */
#include <errno.h>
#include <string.h>

#include "internal.h"

/* No struct is longer: with a larger size, the caller has not set it. */
#define MAX_LEN		4096U

static uint32_t struct_size(const void *from)
{
	uint32_t size;

	memcpy(&size, from, sizeof(size));
	return size;
}

/**
 * struct_check() - check the size of a caller's struct
 * @from: struct, not NULL
 * @first: size of the struct's first version
 *
 * Return: 0, or -EINVAL: the size is below @first, no multiple of 8, or above
 * 4096.
 */
int struct_check(const void *from, size_t first)
{
	const uint32_t size = struct_size(from);

	return size < first || size % 8 || size > MAX_LEN ? -EINVAL : 0;
}

/**
 * struct_in() - copy a struct that the caller filled in
 * @to: out: struct of @len bytes; members that an older caller lacks are 0
 * @len: size that this library knows
 * @from: struct of the caller, not NULL
 * @first: size of the struct's first version
 *
 * Return: 0, -EINVAL as struct_check(), or -E2BIG: a newer caller set bytes
 * that this library does not know.
 */
int struct_in(void *to, size_t len, const void *from, size_t first)
{
	const unsigned char *tail = from;
	const uint32_t known = (uint32_t)len;
	const uint32_t size = struct_size(from);
	size_t i;

	if (struct_check(from, first))
		return -EINVAL;
	for (i = len; i < size; i++)
		if (tail[i])
			return -E2BIG;
	memset(to, 0, len);
	memcpy(to, from, size < len ? size : len);
	memcpy(to, &known, sizeof(known));
	return 0;
}

/**
 * struct_out() - fill in a struct of the caller
 * @to: out: struct of the caller, whose size struct_check() accepted
 * @from: struct of @len bytes; its size is ignored
 * @len: size that this library knows
 *
 * The tail that this library does not know is zeroed, and the size becomes the
 * number of bytes that were filled in.
 */
void struct_out(void *to, const void *from, size_t len)
{
	const uint32_t size = struct_size(to);
	const uint32_t filled = size < len ? size : (uint32_t)len;

	memcpy(to, from, filled);
	memset((char *)to + filled, 0, size - filled);
	memcpy(to, &filled, sizeof(filled));
}
