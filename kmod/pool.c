// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools of free pages in orders 8, 4 and 0, as far as possible zeroed before
 * they are asked for. What was never touched goes back as it came; the rest is
 * zeroed by a worker, or at allocation when the worker is behind. The
 * write-combined pool has pages whose direct map is write-combined too.
 */
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/sched/signal.h>
#include <linux/shrinker.h>
#ifdef CONFIG_X86
#include <asm/set_memory.h>
#endif

#include "heapsim.h"

const unsigned int heapsim_orders[HEAPSIM_NR_ORDERS] = { 8, 4, 0 };

/**
 * struct heapsim_pool - free pages of one kind of mapping
 * @is_wc: write-combined
 * @lock: protects what follows
 * @zeroed: chunks that are all zero, by index of their order
 * @used: chunks that are not
 * @nr_pages: pages in all
 */
struct heapsim_pool {
	bool is_wc;

	spinlock_t lock;
	struct list_head zeroed[HEAPSIM_NR_ORDERS];
	struct list_head used[HEAPSIM_NR_ORDERS];
	unsigned long nr_pages;
};

struct heapsim_pool heapsim_pool_cached;
struct heapsim_pool heapsim_pool_wc = { .is_wc = true };

static struct heapsim_pool *const pools[] = {
	&heapsim_pool_cached, &heapsim_pool_wc,
};

static struct shrinker *shrinker;

static void zero_used(struct work_struct *work);
static DECLARE_WORK(zero_work, zero_used);

/**
 * heapsim_has_write_combine() - can pages be mapped write-combined?
 *
 * The direct map must change too, or the CPU silently keeps write-back; only
 * x86 lets a module do that.
 *
 * Return: true on x86.
 */
bool heapsim_has_write_combine(void)
{
	return IS_ENABLED(CONFIG_X86);
}

static int pages_set_wc(struct page *page, unsigned int order)
{
#ifdef CONFIG_X86
	return set_memory_wc((unsigned long)page_address(page), 1 << order);
#else
	return 0;
#endif
}

static void pages_set_wb(struct page *page, unsigned int order)
{
#ifdef CONFIG_X86
	set_memory_wb((unsigned long)page_address(page), 1 << order);
#endif
}

static void pages_zero(struct page *page, unsigned int order)
{
	unsigned int i;

	for (i = 0; i < 1U << order; i++) {
		clear_page(page_address(page + i));
		cond_resched();
	}
}

static void pages_free(struct heapsim_pool *pool, struct page *page,
		       unsigned int order)
{
	if (pool->is_wc)
		pages_set_wb(page, order);
	__free_pages(page, order);
}

static struct page *take(struct heapsim_pool *pool, struct list_head *list,
			 unsigned int order)
{
	struct page *page;

	spin_lock(&pool->lock);
	page = list_first_entry_or_null(list, struct page, lru);
	if (page) {
		list_del_init(&page->lru);
		pool->nr_pages -= 1UL << order;
	}
	spin_unlock(&pool->lock);
	return page;
}

static bool give(struct heapsim_pool *pool, struct list_head *list,
		 struct page *page, unsigned int order)
{
	bool has_room;

	spin_lock(&pool->lock);
	has_room = pool->nr_pages + (1UL << order) <= heapsim_config.pool_pages;
	if (has_room) {
		list_add(&page->lru, list);
		pool->nr_pages += 1UL << order;
	}
	spin_unlock(&pool->lock);
	return has_room;
}

static void zero_used(struct work_struct *work)
{
	unsigned int p, i;

	for (p = 0; p < ARRAY_SIZE(pools); p++)
		for (i = 0; i < HEAPSIM_NR_ORDERS; i++) {
			struct heapsim_pool *pool = pools[p];
			unsigned int order = heapsim_orders[i];
			struct page *page;

			while ((page = take(pool, &pool->used[i], order))) {
				pages_zero(page, order);
				if (!give(pool, &pool->zeroed[i], page, order))
					pages_free(pool, page, order);
				cond_resched();
			}
		}
}

static struct page *fresh_pages(struct heapsim_pool *pool, unsigned int order)
{
	gfp_t gfp = GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN;
	struct page *page;

	/* Large chunks only if they are there; never the OOM killer. */
	if (order)
		gfp = (gfp | __GFP_NORETRY) & ~__GFP_RECLAIM;
	else
		gfp |= __GFP_RETRY_MAYFAIL;
	page = alloc_pages(gfp, order);
	if (page && pool->is_wc && pages_set_wc(page, order)) {
		pages_free(pool, page, order);
		return NULL;
	}
	return page;
}

/**
 * heapsim_pool_alloc() - get one chunk of zeroed pages
 * @pool: pool
 * @nr_pages: most pages wanted, above 0
 * @max_order: largest order to try, so that a caller who was once refused a
 *	large chunk does not ask for it again
 * @chunk: out
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or -EINTR if the task is being killed.
 */
int heapsim_pool_alloc(struct heapsim_pool *pool, unsigned long nr_pages,
		       unsigned int max_order, struct heapsim_chunk *chunk)
{
	unsigned int i;

	if (fatal_signal_pending(current))
		return -EINTR;
	for (i = 0; i < HEAPSIM_NR_ORDERS; i++) {
		unsigned int order = heapsim_orders[i];
		struct page *page;

		if (order > max_order || nr_pages < 1UL << order)
			continue;
		page = take(pool, &pool->zeroed[i], order);
		if (!page) {
			page = take(pool, &pool->used[i], order);
			if (page)
				pages_zero(page, order);
		}
		if (!page)
			page = fresh_pages(pool, order);
		if (page) {
			*chunk = (struct heapsim_chunk) {
				.page = page,
				.nr_pages = 1U << order,
				.order = order,
			};
			return 0;
		}
	}
	return -ENOMEM;
}

/**
 * heapsim_pool_free() - give a chunk back
 * @pool: pool it came from
 * @chunk: chunk
 * @is_zero: nobody can have written to it
 */
void heapsim_pool_free(struct heapsim_pool *pool,
		       const struct heapsim_chunk *chunk, bool is_zero)
{
	unsigned int i = 0;

	while (heapsim_orders[i] != chunk->order)
		i++;
	if (!give(pool, is_zero ? &pool->zeroed[i] : &pool->used[i],
		  chunk->page, chunk->order))
		pages_free(pool, chunk->page, chunk->order);
	else if (!is_zero)
		queue_work(system_unbound_wq, &zero_work);
}

/**
 * heapsim_pool_bytes() - memory that waits in the pools
 *
 * Return: bytes.
 */
u64 heapsim_pool_bytes(void)
{
	u64 nr = 0;
	unsigned int p;

	for (p = 0; p < ARRAY_SIZE(pools); p++)
		nr += READ_ONCE(pools[p]->nr_pages);
	return nr << PAGE_SHIFT;
}

/* Free about @nr pages, small orders last: they are the quickest to get. */
static unsigned long drain(struct heapsim_pool *pool, unsigned long nr)
{
	unsigned long freed = 0;
	unsigned int i;

	for (i = 0; i < HEAPSIM_NR_ORDERS; i++) {
		unsigned int order = heapsim_orders[i];

		while (freed < nr) {
			struct page *page;

			page = take(pool, &pool->used[i], order);
			if (!page)
				page = take(pool, &pool->zeroed[i], order);
			if (!page)
				break;
			pages_free(pool, page, order);
			freed += 1UL << order;
		}
	}
	return freed;
}

/* Write-combined pages stay: changing their mapping may itself allocate. */
static unsigned long count_objects(struct shrinker *s,
				   struct shrink_control *sc)
{
	unsigned long nr = READ_ONCE(heapsim_pool_cached.nr_pages);

	return nr ? nr : SHRINK_EMPTY;
}

static unsigned long scan_objects(struct shrinker *s,
				  struct shrink_control *sc)
{
	unsigned long freed = drain(&heapsim_pool_cached, sc->nr_to_scan);

	return freed ? freed : SHRINK_STOP;
}

/**
 * heapsim_pool_init() - make the pools, empty
 *
 * Return: 0 or -ENOMEM.
 */
int heapsim_pool_init(void)
{
	unsigned int p, i;
	int ret;

	for (p = 0; p < ARRAY_SIZE(pools); p++) {
		spin_lock_init(&pools[p]->lock);
		for (i = 0; i < HEAPSIM_NR_ORDERS; i++) {
			INIT_LIST_HEAD(&pools[p]->zeroed[i]);
			INIT_LIST_HEAD(&pools[p]->used[i]);
		}
	}
	shrinker = shrinker_alloc(0, "heapsim");
	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = count_objects;
	shrinker->scan_objects = scan_objects;
	ret = heapsim_shrinker_register(shrinker);
	if (ret)
		kfree(shrinker);
	return ret;
}

/** heapsim_pool_fini() - give all pages back to the kernel */
void heapsim_pool_fini(void)
{
	unsigned int p;

	shrinker_free(shrinker);
	cancel_work_sync(&zero_work);
	for (p = 0; p < ARRAY_SIZE(pools); p++)
		drain(pools[p], ULONG_MAX);
}
