// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU images and twins: pages that hold the CPU view of a page, or a copy of
 * DRAM. They come from a stock that is filled before a lock is taken.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "bracket.h"
#include "lines.h"
#include "step.h"

/* Pages that are allocated between two checks whether the caller is killed. */
#define IMAGES_AT_ONCE	512

static atomic64_t image_pages;

/**
 * heapsim_image_bytes() - get the memory used by CPU images and twins
 *
 * Return: bytes, including what is in stocks.
 */
u64 heapsim_image_bytes(void)
{
	return (u64)atomic64_read(&image_pages) << PAGE_SHIFT;
}

/**
 * heapsim_images_init() - initialise an empty stock
 * @images: stock
 */
void heapsim_images_init(struct heapsim_images *images)
{
	INIT_LIST_HEAD(&images->pages);
	INIT_LIST_HEAD(&images->zeroed);
	images->nr = 0;
	images->lock = NULL;
	images->until = HEAPSIM_UNTIL_KILLED;
	images->wants_bracket = false;
	images->bracket = NULL;
	images->wants_step = false;
	images->step = NULL;
}

/**
 * heapsim_images_get() - fill a stock
 * @images: stock; also gets a bracket and a step if it wants them
 * @nr: number of pages that it should have
 * @is_zero: prefer zeroed pages
 *
 * Context: may sleep; no lock of a buffer is held.
 * Return: 0, or -ENOMEM; what was allocated stays in the stock.
 */
int heapsim_images_get(struct heapsim_images *images, size_t nr, bool is_zero)
{
	size_t had = images->nr;

	if (is_zero && images->nr < nr)
		images->nr += heapsim_pool_get_images(&images->zeroed,
						      nr - images->nr, true);
	while (images->nr < nr && !heapsim_is_over(images->until)) {
		size_t some = min(nr - images->nr, (size_t)IMAGES_AT_ONCE);
		size_t got = heapsim_pool_get_images(&images->pages, some,
						     false);

		images->nr += got;
		if (got < some)
			break;
	}
	atomic64_add(images->nr - had, &image_pages);
	if (images->wants_bracket && !images->bracket)
		images->bracket = heapsim_bracket_alloc();
	if (images->wants_step && !images->step)
		images->step = heapsim_step_alloc();
	return images->nr < nr || (images->wants_bracket && !images->bracket) ||
	       (images->wants_step && !images->step) ? -ENOMEM : 0;
}

/**
 * heapsim_images_get_for() - fill a stock for a fault
 * @vmf: see heapsim_fault_lock()
 * @buf: two-view buffer
 * @images: stock; a fault has one for one buffer
 * @nr: number of pages that it should have
 * @is_zero: prefer zeroed pages
 *
 * While many threads fault in the same granule, one of them has pages for it:
 * the first call only takes stock_lock, which heapsim_images_put() releases,
 * and the caller counts again what it needs.
 *
 * Context: may sleep; no lock of a buffer but stock_lock is held.
 * Return: 0, or the result of the fault handler; VM_FAULT_OOM would call the
 * OOM killer, so without memory it is VM_FAULT_SIGBUS.
 */
vm_fault_t heapsim_images_get_for(const struct vm_fault *vmf,
				  struct heapsim_buf *buf,
				  struct heapsim_images *images, size_t nr,
				  bool is_zero)
{
	vm_fault_t ret;

	if (!images->lock) {
		ret = heapsim_fault_lock(vmf, buf->dmabuf, &buf->stock_lock);
		if (!ret)
			images->lock = &buf->stock_lock;
		return ret;
	}
	return heapsim_images_get(images, nr, is_zero) ? VM_FAULT_SIGBUS : 0;
}

static u8 *image_take_from(struct heapsim_images *images,
			   struct list_head *list)
{
	struct page *page = list_first_entry(list, struct page, lru);

	list_del(&page->lru);
	images->nr--;
	return page_address(page);
}

/**
 * heapsim_image_take() - take a page from a stock
 * @images: stock that is not empty
 *
 * Return: kernel address of a page of any content.
 */
u8 *heapsim_image_take(struct heapsim_images *images)
{
	return image_take_from(images, list_empty(&images->pages) ?
			       &images->zeroed : &images->pages);
}

/**
 * heapsim_image_lend() - give a page of a buffer a CPU image
 * @buf: buffer with line state
 * @page: number of a page without CPU image
 * @images: stock that is not empty
 *
 * If DRAM is known to be zero, a zeroed page saves the copy.
 *
 * Context: the buffer's lock and lines_lock are held.
 */
void heapsim_image_lend(struct heapsim_buf *buf, size_t page,
			struct heapsim_images *images)
{
	if (!READ_ONCE(buf->is_touched) && !list_empty(&images->zeroed))
		line_lend_cpu(&buf->lines, page,
			      image_take_from(images, &images->zeroed));
	else
		line_add_cpu(&buf->lines, page, heapsim_image_take(images));
}

/**
 * heapsim_image_give() - put a page into a stock
 * @images: stock
 * @image: kernel address; NULL is ignored
 */
void heapsim_image_give(struct heapsim_images *images, u8 *image)
{
	if (!image)
		return;
	list_add(&virt_to_page(image)->lru, &images->pages);
	images->nr++;
}

/**
 * heapsim_images_put() - free what is left in a stock, which is empty then
 * @images: stock
 *
 * Context: may sleep.
 */
void heapsim_images_put(struct heapsim_images *images)
{
	kfree(images->bracket);
	images->bracket = NULL;
	kfree(images->step);
	images->step = NULL;
	if (images->nr) {
		atomic64_sub(images->nr, &image_pages);
		list_splice_init(&images->zeroed, &images->pages);
		heapsim_pool_put_images(&images->pages);
		images->nr = 0;
	}
	if (images->lock)
		mutex_unlock(images->lock);
	images->lock = NULL;
}

/**
 * heapsim_images_rest() - reschedule between two pages of a long operation
 * @images: stock that the operation gives pages to; freed here from time to
 *	time, since freeing all of them at the end would take long
 *
 * Context: may sleep.
 */
void heapsim_images_rest(struct heapsim_images *images)
{
	if (images->nr >= IMAGES_AT_ONCE)
		heapsim_images_put(images);
	cond_resched();
}
