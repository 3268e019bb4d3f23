/* SPDX-License-Identifier: GPL-2.0-only */
/* Pools of free pages. */
#ifndef HEAPSIM_POOL_H
#define HEAPSIM_POOL_H

#include <linux/list.h>

#include "heapsim.h"

#define HEAPSIM_NR_ORDERS	3
extern const unsigned int heapsim_orders[HEAPSIM_NR_ORDERS];

struct heapsim_pool;

/**
 * struct heapsim_chunk - physically contiguous pages
 * @page: first page
 * @nr_pages: number of pages
 * @order: order of the allocation
 */
struct heapsim_chunk {
	struct page *page;
	unsigned int nr_pages;
	unsigned int order;
};

extern struct heapsim_pool heapsim_pool_cached;
extern struct heapsim_pool heapsim_pool_wc;

int heapsim_pool_init(void);
void heapsim_pool_fini(void);
int heapsim_pool_alloc(struct heapsim_pool *pool, unsigned long nr_pages,
		       unsigned int max_order, struct heapsim_chunk *chunk);
void heapsim_pool_free(struct heapsim_pool *pool,
		       const struct heapsim_chunk *chunk, bool is_zero);
size_t heapsim_pool_get_images(struct list_head *pages, size_t nr,
			       bool is_zero);
void heapsim_pool_put_images(struct list_head *pages);
u64 heapsim_pool_bytes(void);
gfp_t heapsim_pool_gfp(void);
bool heapsim_has_write_combine(void);

#endif
