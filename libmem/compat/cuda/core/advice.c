// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Advice about managed memory, and its prefetch, in pages of 4 KiB. They are
 * for boards on which CPU and GPU can access it concurrently, and are refused
 * elsewhere, as on the board (CUDA for Tegra, 3.3). Nothing is moved, since
 * such a board has one memory; but the program can query what it advised.
 */
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define PAGE		4096ULL
#define NO_LOCATION	(-2)	/* like CU_DEVICE_INVALID */

/**
 * struct advice - advice about a page
 * @is_read_mostly: mostly read
 * @accessed_by: by the CPU (bit 0) and by devices (bit 1 and up)
 * @preferred: device, CU_DEVICE_CPU, or NO_LOCATION
 * @prefetched: location of the last prefetch, as @preferred
 */
struct advice {
	uint8_t is_read_mostly;
	uint8_t accessed_by;
	int8_t preferred;
	int8_t prefetched;
};

/**
 * struct advised - memory about which there is advice
 * @base: start of the memory
 * @nr_pages: number of @pages
 * @pages: advice about each page
 */
struct advised {
	const void *base;
	uint64_t nr_pages;
	struct advice pages[];
};

/* Protects the tree. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *tree;

static int advice_compare(const void *a, const void *b)
{
	const struct advised *x = a;
	const struct advised *y = b;

	return (x->base > y->base) - (x->base < y->base);
}

static struct advised *advice_find(const void *base)
{
	const struct advised wanted = { .base = base };
	struct advised **found = tfind(&wanted, &tree, advice_compare);

	return found ? *found : NULL;
}

static struct advised *advice_add(const void *base, uint64_t len)
{
	const uint64_t nr = (len + PAGE - 1) / PAGE;
	const struct advice none = {
		.preferred = NO_LOCATION,
		.prefetched = NO_LOCATION,
	};
	struct advised *new;
	uint64_t i;

	new = malloc(sizeof(*new) + nr * sizeof(*new->pages));
	if (!new)
		return NULL;
	new->base = base;
	new->nr_pages = nr;
	for (i = 0; i < nr; i++)
		new->pages[i] = none;
	if (!tsearch(new, &tree, advice_compare)) {
		free(new);
		return NULL;
	}
	return new;
}

/**
 * struct range - pages of managed memory
 * @base: start of the memory
 * @len: bytes of the memory
 * @first: first page
 * @end: page behind the last
 */
struct range {
	const void *base;
	uint64_t len;
	uint64_t first;
	uint64_t end;
};

static int advice_range_of(const void *ptr, uint64_t len, struct range *range)
{
	struct core_ptr what;
	uint64_t off;

	if (!ptr || !len)
		return CUDA_ERROR_INVALID_VALUE;
	core_ptr(ptr, &what);
	if (what.kind != MEM_KIND_MANAGED)
		return CUDA_ERROR_INVALID_VALUE;
	off = (const char *)ptr - (const char *)what.info.base;
	if (len > what.info.len - off)
		return CUDA_ERROR_INVALID_VALUE;
	range->base = what.info.base;
	range->len = what.info.len;
	range->first = off / PAGE;
	range->end = (off + len + PAGE - 1) / PAGE;
	return CUDA_SUCCESS;
}

/*
 * Checks that the location exists and can access managed memory while others
 * do.
 */
static int advice_check_location(int location)
{
	const struct core_device *device = core_device(location);

	if (location == CU_DEVICE_CPU)
		device = core_device(core_get_device());
	if (!device)
		return CUDA_ERROR_INVALID_VALUE;
	return device->board.has_concurrent_access ? CUDA_SUCCESS :
						     CUDA_ERROR_INVALID_DEVICE;
}

static void advice_set_page(struct advice *page, unsigned int advice,
			    int location)
{
	const uint8_t bit = 1U << (location + 1);

	switch (advice) {
	case CU_MEM_ADVISE_SET_READ_MOSTLY:
		page->is_read_mostly = 1;
		break;
	case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
		page->is_read_mostly = 0;
		break;
	case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
		page->preferred = location;
		break;
	case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
		page->preferred = NO_LOCATION;
		break;
	case CU_MEM_ADVISE_SET_ACCESSED_BY:
		page->accessed_by |= bit;
		break;
	case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
		page->accessed_by &= ~bit;
		break;
	}
}

static bool advice_needs_location(unsigned int advice)
{
	return advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
	       advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
	       advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
}

/* Sets advice for the pages of a range; @advice is NULL for a prefetch. */
static int advice_set(const struct range *range, const unsigned int *advice,
		      int location)
{
	struct advised *advised;
	uint64_t i;

	pthread_mutex_lock(&lock);
	advised = advice_find(range->base);
	if (!advised)
		advised = advice_add(range->base, range->len);
	for (i = range->first; advised && i < range->end; i++) {
		if (advice)
			advice_set_page(&advised->pages[i], *advice, location);
		else
			advised->pages[i].prefetched = location;
	}
	pthread_mutex_unlock(&lock);
	return advised ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/**
 * core_advise() - advise how managed memory will be used
 * @ptr: address in managed memory
 * @len: bytes, above 0, all in the same memory
 * @advice: CU_MEM_ADVISE_*
 * @location: ordinal of a device, or CU_DEVICE_CPU; ignored if the advice has
 *	no location
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (the range is not in managed
 * memory, no such advice or location), CUDA_ERROR_INVALID_DEVICE (the board has
 * no concurrent access), CUDA_ERROR_OUT_OF_MEMORY, or an error of core_init().
 */
CORE_API int core_advise(const void *ptr, uint64_t len, unsigned int advice,
			 int location)
{
	struct range range;
	int rc = core_init();

	if (rc)
		return rc;
	if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY ||
	    advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
		return CUDA_ERROR_INVALID_VALUE;
	rc = advice_range_of(ptr, len, &range);
	if (rc)
		return rc;
	rc = advice_check_location(advice_needs_location(advice) ? location :
				   CU_DEVICE_CPU);
	return rc ? rc : advice_set(&range, &advice, location);
}

/**
 * core_prefetch() - prefetch managed memory to a location
 * @ptr: address in managed memory
 * @len: bytes, above 0, all in the same memory
 * @location: ordinal of a device, or CU_DEVICE_CPU
 * @stream: stream
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such stream), or an error
 * of core_advise().
 */
CORE_API int core_prefetch(const void *ptr, uint64_t len, int location,
			   CUstream stream)
{
	struct mem_stream *mem;
	struct CUctx_st *ctx;
	struct range range;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	if (!rc)
		rc = advice_range_of(ptr, len, &range);
	if (!rc)
		rc = advice_check_location(location);
	return rc ? rc : advice_set(&range, NULL, location);
}

static bool advice_agrees(const struct advice *a, const struct advice *b,
			  unsigned int attribute)
{
	switch (attribute) {
	case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
		return a->is_read_mostly == b->is_read_mostly;
	case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
		return true;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
		return a->preferred == b->preferred;
	default:
		return a->prefetched == b->prefetched;
	}
}

/* Returns the advice that all pages have in common. */
static struct advice advice_of_range(const struct range *range,
				     unsigned int attribute)
{
	struct advice all = {
		.preferred = NO_LOCATION,
		.prefetched = NO_LOCATION,
	};
	const struct advice none = all;
	struct advised *advised;
	uint64_t i;

	pthread_mutex_lock(&lock);
	advised = advice_find(range->base);
	if (advised)
		all = advised->pages[range->first];
	for (i = range->first; advised && i < range->end; i++) {
		if (!advice_agrees(&all, &advised->pages[i], attribute)) {
			all = none;
			break;
		}
		all.accessed_by &= advised->pages[i].accessed_by;
	}
	pthread_mutex_unlock(&lock);
	return all;
}

static int advice_location_type(int location)
{
	if (location == NO_LOCATION)
		return CU_MEM_LOCATION_TYPE_INVALID;
	return location == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST :
					   CU_MEM_LOCATION_TYPE_DEVICE;
}

static void advice_fill_accessed_by(int *to, size_t nr, uint8_t accessed_by)
{
	size_t at = 0;
	int i;

	for (i = CU_DEVICE_CPU; i < core_nr_devices() && at < nr; i++)
		if (accessed_by & 1U << (i + 1))
			to[at++] = i;
	while (at < nr)
		to[at++] = NO_LOCATION;
}

/**
 * core_range_attribute() - query advice about managed memory
 * @to: out: an int; for CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY an array that fills
 *	@size
 * @size: bytes of @to
 * @attribute: CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, _ACCESSED_BY,
 *	_PREFERRED_LOCATION or _LAST_PREFETCH_LOCATION, or _TYPE or _ID of the
 *	last two; the type is CU_MEM_LOCATION_TYPE_*
 * @ptr: address in managed memory
 * @len: bytes, above 0, all in the same memory
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (the range is not in managed
 * memory, no such attribute, wrong size), or an error of core_init().
 */
CORE_API int core_range_attribute(void *to, size_t size,
				  unsigned int attribute, const void *ptr,
				  uint64_t len)
{
	struct advice advice;
	struct range range;
	int *value = to;
	int rc = core_init();

	if (rc)
		return rc;
	if (!to || !size || size % sizeof(*value) ||
	    attribute < CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY ||
	    attribute > CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID ||
	    (attribute != CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY &&
	     size != sizeof(*value)))
		return CUDA_ERROR_INVALID_VALUE;
	rc = advice_range_of(ptr, len, &range);
	if (rc)
		return rc;
	advice = advice_of_range(&range, attribute);
	switch (attribute) {
	case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
		*value = advice.is_read_mostly;
		break;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
		*value = advice.preferred;
		break;
	case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
		*value = advice_location_type(advice.preferred);
		break;
	case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
		*value = advice_location_type(advice.prefetched);
		break;
	case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
		advice_fill_accessed_by(value, size / sizeof(*value),
					advice.accessed_by);
		break;
	default:
		*value = advice.prefetched;
		break;
	}
	return CUDA_SUCCESS;
}

/**
 * core_advice_forget() - drop the advice about memory that is freed
 * @base: start of the memory
 */
void core_advice_forget(const void *base)
{
	struct advised *advised;

	pthread_mutex_lock(&lock);
	advised = advice_find(base);
	if (advised)
		tdelete(advised, &tree, advice_compare);
	pthread_mutex_unlock(&lock);
	free(advised);
}
