// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pools of free pages of orders 8, 4 and 0, most of them zeroed before they are
 * requested. A chunk that was never accessed is freed as zeroed; others are
 * zeroed by a worker, or at allocation if the worker is late. Pages of the
 * write-combined pool have a write-combined direct map. The pool of images has
 * single pages, and keeps as many zeroed ones as were missing at some time.
 */
#include <linux/gfp.h>
#include <linux/highmem.h>
#include <linux/shrinker.h>
#ifdef CONFIG_X86
#include <asm/memtype.h>
#include <asm/set_memory.h>
#endif

#include "pool.h"

const unsigned int heapsim_orders[HEAPSIM_NR_ORDERS] = { 8, 4, 0 };

/**
 * struct heapsim_pool - free pages with one kind of mapping
 * @is_wc: write-combined
 * @lock: protects the fields below; counters are also read without it
 * @zeroed: zeroed chunks, by index of their order
 * @used: other chunks, by index of their order
 * @nr_pages: number of pages
 * @nr_zeroed: number of zeroed pages
 * @most_zeroed: number of zeroed pages that is sufficient
 */
struct heapsim_pool {
	bool is_wc;

	spinlock_t lock;
	struct list_head zeroed[HEAPSIM_NR_ORDERS];
	struct list_head used[HEAPSIM_NR_ORDERS];
	unsigned long nr_pages;
	unsigned long nr_zeroed;
	unsigned long most_zeroed;
};

struct heapsim_pool heapsim_pool_cached = { .most_zeroed = ULONG_MAX };
struct heapsim_pool heapsim_pool_wc = {
	.is_wc = true,
	.most_zeroed = ULONG_MAX,
};

static struct heapsim_pool pool_images;

static struct heapsim_pool *const pools[] = {
	&heapsim_pool_cached, &heapsim_pool_wc, &pool_images,
};

static struct shrinker *shrinker;

static void pool_zero_used(struct work_struct *work);
static DECLARE_WORK(zero_work, pool_zero_used);

/**
 * heapsim_has_write_combine() - check whether pages can be mapped
 *	write-combined
 *
 * The direct map must change as well, or the CPU silently uses write-back. Only
 * x86 lets a module do that, and without PAT (nopat, no CONFIG_X86_PAT) a
 * write-combined mapping is uncached there.
 *
 * Return: true on x86 with PAT.
 */
bool heapsim_has_write_combine(void)
{
#ifdef CONFIG_X86
	return pat_enabled();
#else
	return false;
#endif
}

static int pool_pages_set_wc(struct page *page, unsigned int order)
{
#ifdef CONFIG_X86
	return set_memory_wc((unsigned long)page_address(page), 1 << order);
#else
	return 0;
#endif
}

static void pool_pages_set_wb(struct page *page, unsigned int order)
{
#ifdef CONFIG_X86
	set_memory_wb((unsigned long)page_address(page), 1 << order);
#endif
}

static void pool_pages_zero(struct page *page, unsigned int order)
{
	unsigned int i;

	for (i = 0; i < 1U << order; i++) {
		clear_page(page_address(page + i));
		cond_resched();
	}
}

static void pool_pages_free(struct heapsim_pool *pool, struct page *page,
			    unsigned int order)
{
	if (pool->is_wc)
		pool_pages_set_wb(page, order);
	__free_pages(page, order);
}

/* Adds @nr to the counters of a pool, which is locked. */
static void pool_count(struct heapsim_pool *pool, long nr, bool is_zero)
{
	WRITE_ONCE(pool->nr_pages, pool->nr_pages + nr);
	if (is_zero)
		WRITE_ONCE(pool->nr_zeroed, pool->nr_zeroed + nr);
}

/* @i: index of the order */
static struct page *pool_take(struct heapsim_pool *pool, unsigned int i,
			      bool is_zero)
{
	struct list_head *list = is_zero ? &pool->zeroed[i] : &pool->used[i];
	struct page *page;

	spin_lock(&pool->lock);
	page = list_first_entry_or_null(list, struct page, lru);
	if (page) {
		list_del_init(&page->lru);
		pool_count(pool, -(1L << heapsim_orders[i]), is_zero);
	}
	spin_unlock(&pool->lock);
	return page;
}

static void pool_give(struct heapsim_pool *pool, unsigned int i,
		      struct page *page, bool is_zero)
{
	unsigned long nr = 1UL << heapsim_orders[i];
	bool has_room;

	spin_lock(&pool->lock);
	has_room = pool->nr_pages + nr <= heapsim_config.pool_pages;
	if (has_room) {
		list_add(&page->lru,
			 is_zero ? &pool->zeroed[i] : &pool->used[i]);
		pool_count(pool, nr, is_zero);
	}
	spin_unlock(&pool->lock);
	if (!has_room)
		pool_pages_free(pool, page, heapsim_orders[i]);
}

static void pool_zero_used(struct work_struct *work)
{
	unsigned int p, i;

	for (p = 0; p < ARRAY_SIZE(pools); p++)
		for (i = 0; i < HEAPSIM_NR_ORDERS; i++) {
			struct heapsim_pool *pool = pools[p];
			struct page *page;

			while (READ_ONCE(pool->nr_zeroed) <
			       READ_ONCE(pool->most_zeroed) &&
			       (page = pool_take(pool, i, false))) {
				pool_pages_zero(page, heapsim_orders[i]);
				pool_give(pool, i, page, true);
				cond_resched();
			}
		}
}

/**
 * heapsim_pool_gfp() - get the flags for allocating DRAM
 *
 * Return: flags; with mem_accounting=1 they charge the calling task's memory
 * cgroup.
 */
gfp_t heapsim_pool_gfp(void)
{
	return (heapsim_config.mem_accounting ? GFP_KERNEL_ACCOUNT :
						GFP_KERNEL) | __GFP_NOWARN;
}

static struct page *pool_fresh_pages(struct heapsim_pool *pool,
				     unsigned int order)
{
	gfp_t gfp = heapsim_pool_gfp() | __GFP_ZERO;
	struct page *page;

	/*
	 * Large chunks only if they are available at once. Never calls the OOM
	 * killer.
	 */
	if (order)
		gfp = (gfp | __GFP_NORETRY) & ~__GFP_RECLAIM;
	else
		gfp |= __GFP_RETRY_MAYFAIL;
	page = alloc_pages(gfp, order);
	if (page && pool->is_wc && pool_pages_set_wc(page, order)) {
		pool_pages_free(pool, page, order);
		return NULL;
	}
	return page;
}

/* Pages in a pool are charged to no cgroup. @i: index of the order */
static struct page *pool_pooled_pages(struct heapsim_pool *pool, unsigned int i)
{
	struct page *page;

	if (heapsim_config.mem_accounting)
		return NULL;
	page = pool_take(pool, i, true);
	if (page)
		return page;
	page = pool_take(pool, i, false);
	if (page)
		pool_pages_zero(page, heapsim_orders[i]);
	return page;
}

/**
 * heapsim_pool_alloc() - allocate one chunk of zeroed pages
 * @pool: pool
 * @nr_pages: upper bound of pages, above 0
 * @max_order: largest order to try; lets a caller skip an order that has failed
 *	before
 * @chunk: out: chunk
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or -EINTR if the caller is killed.
 */
int heapsim_pool_alloc(struct heapsim_pool *pool, unsigned long nr_pages,
		       unsigned int max_order, struct heapsim_chunk *chunk)
{
	unsigned int i;

	if (heapsim_is_killed())
		return -EINTR;
	for (i = 0; i < HEAPSIM_NR_ORDERS; i++) {
		unsigned int order = heapsim_orders[i];
		struct page *page;

		if (order > max_order || nr_pages < 1UL << order)
			continue;
		page = pool_pooled_pages(pool, i);
		if (!page)
			page = pool_fresh_pages(pool, order);
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
 * heapsim_pool_free() - free a chunk
 * @pool: pool that it was allocated from
 * @chunk: chunk
 * @is_zero: it was never written to
 */
void heapsim_pool_free(struct heapsim_pool *pool,
		       const struct heapsim_chunk *chunk, bool is_zero)
{
	unsigned int i = 0;

	if (heapsim_config.mem_accounting) {
		pool_pages_free(pool, chunk->page, chunk->order);
		return;
	}
	while (heapsim_orders[i] != chunk->order)
		i++;
	pool_give(pool, i, chunk->page, is_zero);
	if (!is_zero)
		queue_work(system_dfl_wq, &zero_work);
}

/*
 * CPU images count against the limits, but others may have used the memory
 * since. So 1/64 of RAM is kept free: otherwise the next allocation elsewhere
 * would call the OOM killer, even though this module never does.
 */
static bool pool_can_spare(size_t nr)
{
	unsigned long reserve = totalram_pages() / 64;
	unsigned long pooled = READ_ONCE(heapsim_pool_cached.nr_pages);

	return (long)(nr + reserve) <= si_mem_available() + (long)pooled;
}

/* Index of order 0, the only order of images. */
#define SINGLE	(HEAPSIM_NR_ORDERS - 1)

/**
 * heapsim_pool_get_images() - allocate single pages
 * @pages: list to add them to, by lru
 * @nr: number of pages
 * @is_zero: zeroed pages; otherwise of any content, which the caller overwrites
 *	before anybody else can see it
 *
 * Context: may sleep.
 * Return: number of pages. Less than @nr if no more memory can be spared or, of
 * zeroed pages, if none is ready; the worker will keep more of them ready.
 */
size_t heapsim_pool_get_images(struct list_head *pages, size_t nr,
			       bool is_zero)
{
	struct heapsim_pool *pool = &pool_images;
	struct list_head *list = is_zero ? &pool->zeroed[SINGLE] :
					   &pool->used[SINGLE];
	size_t got = 0;

	spin_lock(&pool->lock);
	for (; got < nr && !list_empty(list); got++)
		list_move(list->next, pages);
	pool_count(pool, -(long)got, is_zero);
	if (is_zero)
		WRITE_ONCE(pool->most_zeroed,
			   min(pool->most_zeroed + nr - got,
			       heapsim_config.pool_pages));
	spin_unlock(&pool->lock);
	if (is_zero || got == nr || !pool_can_spare(nr - got))
		return got;
	for (; got < nr; got++) {
		struct page *page = alloc_page(GFP_KERNEL | __GFP_NOWARN |
					       __GFP_RETRY_MAYFAIL);

		if (!page)
			break;
		list_add(&page->lru, pages);
	}
	return got;
}

/**
 * heapsim_pool_put_images() - free single pages
 * @pages: list of pages, by lru; empty afterwards
 *
 * Context: may sleep.
 */
void heapsim_pool_put_images(struct list_head *pages)
{
	struct heapsim_pool *pool = &pool_images;
	struct page *page, *next;
	bool is_behind;

	spin_lock(&pool->lock);
	list_for_each_entry_safe(page, next, pages, lru) {
		if (pool->nr_pages >= heapsim_config.pool_pages)
			break;
		list_move(&page->lru, &pool->used[SINGLE]);
		pool_count(pool, 1, false);
	}
	is_behind = pool->nr_zeroed < pool->most_zeroed;
	spin_unlock(&pool->lock);
	if (is_behind)
		queue_work(system_dfl_wq, &zero_work);
	list_for_each_entry_safe(page, next, pages, lru) {
		list_del(&page->lru);
		__free_page(page);
		cond_resched();
	}
}

/**
 * heapsim_pool_bytes() - get the size of all pools
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

/*
 * Frees about @nr pages, small orders last, since they are fastest to allocate
 * again.
 */
static unsigned long pool_drain(struct heapsim_pool *pool, unsigned long nr)
{
	unsigned long freed = 0;
	unsigned int i;

	for (i = 0; i < HEAPSIM_NR_ORDERS; i++) {
		unsigned int order = heapsim_orders[i];

		while (freed < nr) {
			struct page *page;

			page = pool_take(pool, i, false);
			if (!page)
				page = pool_take(pool, i, true);
			if (!page)
				break;
			pool_pages_free(pool, page, order);
			freed += 1UL << order;
		}
	}
	return freed;
}

/* Write-combined pages are not counted: changing their mapping may allocate. */
static unsigned long pool_count_objects(struct shrinker *s,
					struct shrink_control *sc)
{
	unsigned long nr = READ_ONCE(heapsim_pool_cached.nr_pages) +
			   READ_ONCE(pool_images.nr_pages);

	return nr ? nr : SHRINK_EMPTY;
}

static unsigned long pool_scan_objects(struct shrinker *s,
				       struct shrink_control *sc)
{
	unsigned long freed = pool_drain(&pool_images, sc->nr_to_scan);

	if (freed < sc->nr_to_scan)
		freed += pool_drain(&heapsim_pool_cached,
				    sc->nr_to_scan - freed);
	return freed ? freed : SHRINK_STOP;
}

/**
 * heapsim_pool_init() - initialise empty pools
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
	shrinker->count_objects = pool_count_objects;
	shrinker->scan_objects = pool_scan_objects;
	ret = heapsim_shrinker_register(shrinker);
	if (ret)
		kfree(shrinker);
	return ret;
}

/** heapsim_pool_fini() - free all pages of the pools */
void heapsim_pool_fini(void)
{
	unsigned int p;

	shrinker_free(shrinker);
	cancel_work_sync(&zero_work);
	for (p = 0; p < ARRAY_SIZE(pools); p++)
		pool_drain(pools[p], ULONG_MAX);
}
