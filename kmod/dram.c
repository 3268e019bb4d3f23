// SPDX-License-Identifier: GPL-2.0-only
/* DRAM of buffers: allocating it and charging it to the user. */
#include <linux/mm.h>
#include <linux/slab.h>

#include "buf.h"
#include "limit.h"

/**
 * heapsim_dram_page() - get a page of DRAM
 * @buf: buffer
 * @page: page number, below nr_pages
 *
 * Return: the page.
 */
struct page *heapsim_dram_page(const struct heapsim_buf *buf, size_t page)
{
	const struct heapsim_chunk *chunk = buf->chunks;

	while (page >= chunk->nr_pages) {
		page -= chunk->nr_pages;
		chunk++;
	}
	return chunk->page + page;
}

/*
 * Chunks are allocated in falling orders, so few large ones suffice and the
 * array stays short.
 */
static int dram_alloc_chunks(struct heapsim_buf *buf)
{
	size_t room = min_t(size_t, buf->nr_pages, 64);
	unsigned int max_order = heapsim_orders[0];
	size_t left = buf->nr_pages;
	int ret;

	buf->chunks = kvmalloc_array(room, sizeof(*buf->chunks),
				     HEAPSIM_GFP_USER);
	if (!buf->chunks)
		return -ENOMEM;
	while (left) {
		struct heapsim_chunk *chunk;

		if (buf->nr_chunks == room) {
			chunk = kvmalloc_array(room * 2, sizeof(*chunk),
					       HEAPSIM_GFP_USER);
			if (!chunk)
				return -ENOMEM;
			memcpy(chunk, buf->chunks, room * sizeof(*chunk));
			kvfree(buf->chunks);
			buf->chunks = chunk;
			room *= 2;
		}
		chunk = &buf->chunks[buf->nr_chunks];
		if (heapsim_fault(HEAPSIM_FAIL_ALLOC,
				  min(left, 1UL << max_order) << PAGE_SHIFT))
			return -ENOMEM;
		ret = heapsim_pool_alloc(buf->pool, left, max_order, chunk);
		if (ret)
			return ret;
		buf->nr_chunks++;
		max_order = chunk->order;
		left -= chunk->nr_pages;
	}
	return 0;
}

static int dram_alloc_contiguous(struct heapsim_buf *buf)
{
	void *mem;

	if (get_order(buf->len) > MAX_PAGE_ORDER ||
	    heapsim_fault(HEAPSIM_FAIL_ALLOC, buf->len))
		return -ENOMEM;
	buf->chunks = kvmalloc_array(1, sizeof(*buf->chunks), HEAPSIM_GFP_USER);
	if (!buf->chunks)
		return -ENOMEM;
	mem = alloc_pages_exact(buf->len, heapsim_pool_gfp() | __GFP_ZERO |
				__GFP_RETRY_MAYFAIL);
	if (!mem)
		return -ENOMEM;
	buf->chunks[0].page = virt_to_page(mem);
	buf->chunks[0].nr_pages = buf->nr_pages;
	buf->nr_chunks = 1;
	return 0;
}

/* Upper bound of the bytes that two views need in addition to DRAM. */
static u64 dram_images_len(const struct heapsim_buf *buf)
{
	return (u64)buf->len * (buf->view ? 3 : 2);
}

static int dram_reserve(struct heapsim_buf *buf, u64 len)
{
	int ret = heapsim_limit_reserve(buf->user, len);

	if (!ret)
		buf->reserved += len;
	return ret;
}

/**
 * heapsim_dram_alloc() - allocate zeroed DRAM and reserve what views can need
 * @buf: buffer without other users; its length, kind, policy and user are set
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or -EINTR if the caller is killed. On failure the caller
 * frees what was allocated with heapsim_dram_free().
 */
int heapsim_dram_alloc(struct heapsim_buf *buf)
{
	int ret;

	ret = dram_reserve(buf, HEAPSIM_CORE_BYTES +
			   (buf->has_two_views ? dram_images_len(buf) : 0));
	if (ret)
		return ret;
	buf->has_images = buf->has_two_views;
	return buf->pool ? dram_alloc_chunks(buf) : dram_alloc_contiguous(buf);
}

/**
 * heapsim_dram_free() - free DRAM and uncharge the user
 * @buf: buffer without users
 *
 * Context: may sleep.
 */
void heapsim_dram_free(struct heapsim_buf *buf)
{
	size_t i;

	for (i = 0; i < buf->nr_chunks; i++) {
		if (buf->pool)
			heapsim_pool_free(buf->pool, &buf->chunks[i],
					  !buf->is_touched);
		else
			free_pages_exact(page_address(buf->chunks[i].page),
					 buf->len);
		cond_resched();
	}
	kvfree(buf->chunks);
	heapsim_limit_uncharge(buf->user, buf->len + buf->reserved,
			       buf->reserved);
}

/**
 * heapsim_dram_reserve_images() - reserve what two views can need
 * @buf: buffer that has two views or will get them; may have the reservation
 *
 * For each page a CPU image, a twin, and, with a device view, a copy. They are
 * allocated when the CPU or an engine stores for the first time. If they were
 * counted only then, a store of a correct program could fail with SIGBUS; now
 * allocations fail instead.
 *
 * Context: the buffer's lock is held, or it has no other users.
 * Return: 0 or -ENOMEM.
 */
int heapsim_dram_reserve_images(struct heapsim_buf *buf)
{
	int ret;

	if (buf->has_images)
		return 0;
	ret = dram_reserve(buf, dram_images_len(buf));
	buf->has_images = !ret;
	return ret;
}

/**
 * heapsim_dram_reserve_view() - reserve what a new device view can need
 * @buf: buffer with the view and without other users
 *
 * Return: 0 or -ENOMEM.
 */
int heapsim_dram_reserve_view(struct heapsim_buf *buf)
{
	return dram_reserve(buf, HEAPSIM_CORE_BYTES +
			   (buf->has_images ? buf->len : 0));
}
