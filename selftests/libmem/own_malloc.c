// SPDX-License-Identifier: GPL-2.0-only
/*
 * An allocator that is part of a program and takes its blocks from a variable,
 * as programs in other languages do. Free blocks of each power of two are in a
 * list.
 */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN		16UL
#define MAX_SHIFT	26

struct head {
	struct head *next;
	size_t shift;		/* size of the block, including this head */
};

static _Alignas(4096) uint8_t memory[1UL << MAX_SHIFT];
static size_t used;
static struct head *unused[MAX_SHIFT + 1];
static atomic_flag lock = ATOMIC_FLAG_INIT;

/* All further allocations of the thread fail. */
_Thread_local bool malloc_fails;

static struct head *take(size_t shift)
{
	struct head *head = unused[shift];
	const size_t len = (size_t)1 << shift;

	if (head) {
		unused[shift] = head->next;
		return head;
	}
	if (sizeof(memory) - used < len)
		return NULL;
	head = (struct head *)(memory + used);
	used += len;
	return head;
}

void *malloc(size_t len)
{
	struct head *head = NULL;
	size_t shift = 5;

	while (shift <= MAX_SHIFT && (1UL << shift) < len + sizeof(*head))
		shift++;
	while (atomic_flag_test_and_set(&lock))
		;
	if (shift <= MAX_SHIFT && !malloc_fails)
		head = take(shift);
	atomic_flag_clear(&lock);
	if (!head) {
		errno = ENOMEM;
		return NULL;
	}
	head->shift = shift;
	return head + 1;
}

void free(void *block)
{
	struct head *head = (struct head *)block - 1;

	/* Aligned blocks are not reused. */
	if (!block || !head->shift)
		return;
	/* The pattern exposes uses after the free. */
	memset(block, 0xdd, (1UL << head->shift) - sizeof(*head));
	while (atomic_flag_test_and_set(&lock))
		;
	head->next = unused[head->shift];
	unused[head->shift] = head;
	atomic_flag_clear(&lock);
}

void *calloc(size_t nr, size_t len)
{
	void *block = NULL;

	if (!__builtin_mul_overflow(nr, len, &len))
		block = malloc(len);
	return block ? memset(block, 0, len) : NULL;
}

void *realloc(void *block, size_t len)
{
	void *new = malloc(len);
	size_t old;

	if (!block || !new)
		return new;
	old = (1UL << ((struct head *)block - 1)->shift) - sizeof(struct head);
	memcpy(new, block, old < len ? old : len);
	free(block);
	return new;
}

void *aligned_alloc(size_t align, size_t len)
{
	uint8_t *block = malloc(len + align + sizeof(struct head));
	struct head *head;

	if (!block || align <= ALIGN)
		return block;
	block += sizeof(*head);
	block += -(uintptr_t)block & (align - 1);
	head = (struct head *)block - 1;
	head->shift = 0;
	return block;
}

void *memalign(size_t align, size_t len)
{
	return aligned_alloc(align, len);
}

int posix_memalign(void **block, size_t align, size_t len)
{
	*block = aligned_alloc(align, len);
	return *block ? 0 : ENOMEM;
}
