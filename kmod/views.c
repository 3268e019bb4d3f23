// SPDX-License-Identifier: GPL-2.0-only
/*
 * The two views of a buffer: the model's decisions carried out on pages and
 * page tables. heapsim_buf.lock serialises all that the CPU side does; the
 * inner lines_lock is for the engine's worker, who takes none around it.
 */
#include <linux/bitmap.h>
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "heapsim.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/* Most pages that one store makes ready besides its own. */
#define STORE_AHEAD	16

/* Pages that are got between two looks whether the caller is killed. */
#define IMAGES_AT_ONCE	512

static atomic64_t image_pages;

/**
 * heapsim_image_bytes() - memory for CPU views that differ from DRAM
 *
 * Return: bytes.
 */
u64 heapsim_image_bytes(void)
{
	return (u64)atomic64_read(&image_pages) << PAGE_SHIFT;
}

/**
 * heapsim_images_init() - begin with none
 * @images: stock
 */
void heapsim_images_init(struct heapsim_images *images)
{
	INIT_LIST_HEAD(&images->pages);
	INIT_LIST_HEAD(&images->zeroed);
	images->nr = 0;
	images->until = HEAPSIM_UNTIL_KILLED;
	images->wants_bracket = false;
	images->bracket = NULL;
	images->wants_step = false;
	images->step = NULL;
}

static bool is_over(enum heapsim_until until)
{
	return until == HEAPSIM_UNTIL_KILLED && heapsim_is_killed();
}

/**
 * heapsim_images_get() - stock up
 * @images: stock; it gets a bracket and a step too if they are wanted
 * @nr: pages that it shall have
 * @is_zero: zeroed ones are of use
 *
 * Context: may sleep; no lock of a buffer held.
 * Return: 0, or -ENOMEM (what was got stays in the stock).
 */
int heapsim_images_get(struct heapsim_images *images, size_t nr, bool is_zero)
{
	size_t had = images->nr;

	if (is_zero && images->nr < nr)
		images->nr += heapsim_pool_get_images(&images->zeroed,
						      nr - images->nr, true);
	while (images->nr < nr && !is_over(images->until)) {
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

static u8 *take_from(struct heapsim_images *images, struct list_head *list)
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
 * Return: kernel address; of any content.
 */
u8 *heapsim_image_take(struct heapsim_images *images)
{
	return take_from(images, list_empty(&images->pages) ? &images->zeroed :
							      &images->pages);
}

/* Give a page of the buffer a CPU image: of zeros there is no need to copy. */
static void image_lend(struct heapsim_buf *buf, size_t page,
		       struct heapsim_images *images)
{
	if (!READ_ONCE(buf->is_touched) && !list_empty(&images->zeroed))
		line_lend_cpu(&buf->lines, page,
			      take_from(images, &images->zeroed));
	else
		line_add_cpu(&buf->lines, page, heapsim_image_take(images));
}

/**
 * heapsim_image_give() - put a page into a stock
 * @images: stock
 * @image: kernel address; NULL does nothing
 */
void heapsim_image_give(struct heapsim_images *images, u8 *image)
{
	if (!image)
		return;
	list_add(&virt_to_page(image)->lru, &images->pages);
	images->nr++;
}

/**
 * heapsim_images_put() - give back what is left
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
	if (!images->nr)
		return;
	atomic64_sub(images->nr, &image_pages);
	list_splice_init(&images->zeroed, &images->pages);
	heapsim_pool_put_images(&images->pages);
	images->nr = 0;
}

/**
 * heapsim_images_rest() - rest between two pages of a long operation
 * @images: stock that it gives images to; all at its end would take long
 *
 * Context: may sleep.
 */
void heapsim_images_rest(struct heapsim_images *images)
{
	if (images->nr >= IMAGES_AT_ONCE)
		heapsim_images_put(images);
	cond_resched();
}

static void lines_free(struct line_buf *lines, unsigned long *pages,
		       struct heapsim_note *notes)
{
	kvfree(lines->pages);
	kvfree(lines->valid);
	kvfree(lines->hidden);
	kvfree(pages);
	kvfree(notes);
}

/**
 * heapsim_views_init() - give a two-view buffer the state of its lines
 * @buf: two-view buffer; it may have it already
 *
 * Context: may sleep; takes the buffer's lock.
 * Return: 0 or -ENOMEM.
 */
int heapsim_views_init(struct heapsim_buf *buf)
{
	const gfp_t gfp = HEAPSIM_GFP_USER;
	const u32 line_shift = ilog2(heapsim_config.profile->line_size);
	size_t words = line_bitmap_words(buf->nr_pages, PAGE_SHIFT, line_shift);
	size_t longs = BITS_TO_LONGS(buf->nr_pages);
	unsigned long *pages;
	struct heapsim_note *notes;
	struct line_buf lines = { 0 };
	size_t i, page = 0;

	if (READ_ONCE(buf->lines.pages))
		return 0;
	/*
	 * The first touch pays for this. kvcalloc() rounds up to a power of two
	 * and zeroes all of it, so the fifth bitmap is allocated apart from the
	 * other four. Pages need no zeroing: they are set whole below.
	 */
	lines.pages = kvmalloc_array(buf->nr_pages, sizeof(*lines.pages), gfp);
	lines.valid = kvcalloc(LINE_NR_BITMAPS * words, sizeof(u64), gfp);
	lines.hidden = kvcalloc(words, sizeof(u64), gfp);
	pages = kvcalloc(3 * longs, sizeof(*pages), gfp);
	notes = kvcalloc(buf->nr_pages, sizeof(*notes), gfp);
	if (!lines.pages || !lines.valid || !lines.hidden || !pages ||
	    !notes) {
		lines_free(&lines, pages, notes);
		return -ENOMEM;
	}
	for (i = 0; i < buf->nr_chunks; i++) {
		u8 *dram = page_address(buf->chunks[i].page);
		size_t n;

		for (n = 0; n < buf->chunks[i].nr_pages; n++)
			lines.pages[page++] = (struct line_page) {
				.dram = dram + n * PAGE_SIZE,
			};
		cond_resched();
	}
	/* Nobody holds the lock for long while there are no lines. */
	mutex_lock(&buf->lock);
	if (buf->lines.pages) {
		mutex_unlock(&buf->lock);
		lines_free(&lines, pages, notes);
		return 0;
	}
	buf->active = pages;
	buf->stored = pages + longs;
	buf->mapped = pages + 2 * longs;
	spin_lock(&buf->lines_lock);
	buf->notes = notes;
	buf->lines.line_shift = line_shift;
	buf->lines.page_shift = PAGE_SHIFT;
	buf->lines.nr_pages = buf->nr_pages;
	line_set_bitmaps(&buf->lines, lines.valid, lines.hidden);
	/* who sees the pages without the lock sees the rest as well */
	smp_store_release(&buf->lines.pages, lines.pages);
	spin_unlock(&buf->lines_lock);
	mutex_unlock(&buf->lock);
	return 0;
}

/**
 * heapsim_views_fini() - free the state and all images
 * @buf: buffer that nobody uses any more
 */
void heapsim_views_fini(struct heapsim_buf *buf)
{
	struct heapsim_images images;
	size_t i;

	if (!buf->lines.pages)
		return;
	heapsim_images_init(&images);
	for (i = 0; i < buf->nr_pages; i++) {
		heapsim_image_give(&images, buf->lines.pages[i].cpu);
		heapsim_image_give(&images, buf->lines.pages[i].twin);
		heapsim_images_rest(&images);
	}
	heapsim_images_put(&images);
	lines_free(&buf->lines, buf->active, buf->notes);
}

/**
 * heapsim_views_cpu_image() - the page that the CPU sees
 * @buf: buffer of one view, or with lines
 * @page: page number
 *
 * Context: the buffer's lock is held.
 * Return: kernel address.
 */
u8 *heapsim_views_cpu_image(struct heapsim_buf *buf, size_t page)
{
	const struct line_page *p;

	if (!buf->has_two_views)
		return page_address(heapsim_buf_page(buf, page));
	p = &buf->lines.pages[page];
	return p->cpu ? p->cpu : p->twin ? p->twin : p->dram;
}

static void ptes_unmap(struct heapsim_buf *buf, size_t first, size_t end)
{
	unmap_mapping_range(buf->dmabuf->file->f_mapping,
			    (loff_t)first << PAGE_SHIFT,
			    (loff_t)(end - first) << PAGE_SHIFT, 1);
	trace_heapsim_revoke(buf->id, (u64)first << PAGE_SHIFT,
			     (u64)(end - first) << PAGE_SHIFT);
}

/**
 * heapsim_views_revoke() - take PTEs away, in all processes
 * @buf: buffer
 * @first: first page
 * @end: after the last page
 *
 * Those of a buffer of one view stay.
 *
 * Context: the buffer's lock is held.
 */
void heapsim_views_revoke(struct heapsim_buf *buf, size_t first, size_t end)
{
	if (!buf->mapped)
		return;
	first = find_next_bit(buf->mapped, end, first);
	if (first >= end)
		return;
	end = find_last_bit(buf->mapped, end) + 1;
	ptes_unmap(buf, first, end);
	bitmap_clear(buf->mapped, first, end - first);
}

/**
 * heapsim_views_revoke_until() - the same in pieces
 * @buf: buffer
 * @first: first page
 * @end: after the last page
 * @until: when it is over
 *
 * Context: the buffer's lock is held.
 * Return: 0, or -EINTR if it is over: some PTEs stay.
 */
int heapsim_views_revoke_until(struct heapsim_buf *buf, size_t first,
			       size_t end, enum heapsim_until until)
{
	size_t stop;

	if (!buf->mapped)
		return 0;
	for (; first < end; first = stop) {
		if (is_over(until))
			return -EINTR;
		first = find_next_bit(buf->mapped, end, first);
		stop = min(first + heapsim_pages_at_once(buf), end);
		heapsim_views_revoke(buf, first, stop);
		cond_resched();
	}
	return 0;
}

/**
 * heapsim_views_unmap() - take away PTEs of which nobody took note
 * @buf: buffer
 * @dmabuf: its own, or that of its device view
 *
 * Context: the buffer's lock is held.
 * Return: 0, or -EINTR if the caller is killed: some PTEs stay.
 */
int heapsim_views_unmap(struct heapsim_buf *buf, struct dma_buf *dmabuf)
{
	u64 off, step;

	for (off = 0; off < buf->len; off += step) {
		if (heapsim_is_killed())
			return -EINTR;
		step = (u64)heapsim_pages_at_once(buf) << PAGE_SHIFT;
		unmap_mapping_range(dmabuf->file->f_mapping, off,
				    min(step, buf->len - off), 1);
		cond_resched();
	}
	return 0;
}

/**
 * heapsim_views_revoke_all() - take away all PTEs of touches that are looked at
 * @buf: buffer
 *
 * Context: the buffer's lock is held.
 * Return: 0, or -EINTR if the caller is killed: some PTEs stay.
 */
int heapsim_views_revoke_all(struct heapsim_buf *buf)
{
	if (buf->has_two_views)
		return heapsim_views_revoke_until(buf, 0, buf->nr_pages,
						  HEAPSIM_UNTIL_KILLED);
	if (!buf->owned || !buf->is_faulted)
		return 0;
	return heapsim_views_unmap(buf, buf->dmabuf);
}

/*
 * Let the next store to each page of [first, end) be seen. The pages keep their
 * bits in @mapped: lines that were read stay Clean, and are compared later.
 * Returns -EINTR as above.
 */
static int unmap_stored(struct heapsim_buf *buf, size_t first, size_t end,
			enum heapsim_until until)
{
	size_t stop;

	for (first = find_next_bit(buf->stored, end, first); first < end;
	     first = find_next_bit(buf->stored, end, stop)) {
		if (is_over(until))
			return -EINTR;
		stop = min(first + heapsim_pages_at_once(buf), end);
		stop = find_next_zero_bit(buf->stored, stop, first);
		ptes_unmap(buf, first, stop);
	}
	return 0;
}

/* An engine may write DRAM while the CPU looks: no sharing of its pages. */
static bool is_written_by_others(const struct heapsim_buf *buf)
{
	return buf->nr_writers || READ_ONCE(buf->nr_write_jobs);
}

/* Does a fence keep the CPU from touching the buffer? (DESIGN 2.3) */
static bool is_fenced(struct heapsim_buf *buf, enum heapsim_touch touch)
{
	bool is_write = touch == HEAPSIM_TOUCH_WRITE;

	return !dma_resv_test_signaled(buf->dmabuf->resv,
				       dma_resv_usage_rw(is_write));
}

/* Does a holder, without a bracket of the process? (DESIGN 2.3) */
static bool is_held_from(struct heapsim_buf *buf, enum heapsim_touch touch,
			 u32 who)
{
	bool is_write = touch == HEAPSIM_TOUCH_WRITE;

	if (is_write ? !buf->nr_holders : !buf->nr_writers)
		return false;
	return !heapsim_bracket_is_open(buf, who, touch);
}

/* Can no read or store of a page, filled, be a mistake as things are? */
static bool is_harmless(const struct heapsim_buf *buf, size_t page)
{
	return !buf->lines.pages[page].twin &&
	       !line_page_has_written(&buf->lines, page);
}

static bool is_of_row(const struct heapsim_cpu *store,
		      const struct heapsim_cpu *other)
{
	return other->cpu.ip == store->cpu.ip &&
	       other->cpu.tid == store->cpu.tid;
}

/* To how many pages just before @page has the same code stored? */
static size_t row_before(const struct heapsim_buf *buf, size_t page,
			 const struct heapsim_cpu *store)
{
	size_t nr = 0;

	while (nr < STORE_AHEAD && page > nr &&
	       test_bit(page - nr - 1, buf->stored)) {
		if (!is_of_row(store, &buf->notes[page - nr - 1].store))
			break;
		nr++;
	}
	return nr;
}

/*
 * How many pages behind @page were in one row with it when the same code stored
 * to it last. That was seen page by page, or found so before.
 */
static size_t row_again(const struct heapsim_buf *buf, size_t page,
			const struct heapsim_cpu *store)
{
	const struct heapsim_cpu *last = &buf->notes[page].store;
	size_t nr = 0;

	if (!last->place || !is_of_row(store, last))
		return 0;
	while (nr < STORE_AHEAD && page + nr + 1 < buf->nr_pages) {
		const struct heapsim_cpu *next =
			&buf->notes[page + nr + 1].store;

		if (next->place != last->place || !is_of_row(store, next))
			break;
		nr++;
	}
	return nr;
}

/*
 * Shrink the span to pages around @page, the touched one, that may get PTEs
 * together with it, since touches of them need not be seen. A store is taken
 * for one of a row if the same code has stored to the page before it: then as
 * many pages as the row has so far, clean ones, are made ready for it too.
 *
 * If the process is watched, what is behind the row may be other code's, and
 * somebody is told: then it is only the pages that the same row had last time.
 */
static void span_shrink(const struct heapsim_buf *buf, size_t page,
			const struct heapsim_cpu *store,
			struct heapsim_span *span)
{
	size_t first = page, end = page + 1, ahead;

	if (buf->nr_holders || buf->nr_write_jobs || buf->rule.evicts ||
	    buf->rule.is_precise)
		goto out;
	if (!store) {
		while (first > span->first && is_harmless(buf, first - 1))
			first--;
		while (end < span->end && is_harmless(buf, end))
			end++;
	} else {
		ahead = store->seen_by ? row_again(buf, page, store) :
					 row_before(buf, page, store);
		span->end = min(span->end, end + ahead);
		while (end < span->end && is_harmless(buf, end) &&
		       !test_bit(end, buf->stored))
			end++;
	}
out:
	span->first = first;
	span->end = end;
}

/* Make pages of the span the CPU's own. Returns false if none was shared. */
static bool span_store(struct heapsim_buf *buf, const struct heapsim_span *span,
		       u32 who, const struct heapsim_cpu *store,
		       struct heapsim_images *images)
{
	struct line_page *pages = buf->lines.pages;
	bool was_shared = false;
	size_t i;

	for (i = span->first; i < span->end; i++) {
		if (!pages[i].cpu) {
			image_lend(buf, i, images);
			was_shared = true;
		}
		pages[i].writer = who;
		buf->notes[i].store = *store;
	}
	bitmap_set(buf->stored, span->first, span->end - span->first);
	buf->has_stores = true;
	buf->has_own_stores |= !READ_ONCE(buf->is_revoked);
	return was_shared;
}

/*
 * Is the calling thread at an instruction that stores to the page, too, by
 * another mapping? Each of its faults would take away the other's PTE.
 */
static bool is_storing_elsewhere(const struct heapsim_buf *buf, size_t page,
				 const struct heapsim_access *access)
{
	const struct heapsim_record_cpu *store = &buf->notes[page].store.cpu;

	return !(current->flags & PF_KTHREAD) &&
	       store->tid == task_pid_nr(current) &&
	       store->ip == instruction_pointer(task_pt_regs(current)) &&
	       (store->addr ^ access->addr) & PAGE_MASK;
}

/*
 * Put old bytes of stale lines aside, or back. Returns true if PTEs of the page
 * must be revoked.
 */
static bool page_turn(struct heapsim_buf *buf, size_t page,
		      const struct heapsim_access *access)
{
	struct line_buf *lines = &buf->lines;
	const struct line_bracket *open;

	/* Without a twin nothing is stale. A driver's mapping never faults. */
	if (!lines->pages[page].twin || buf->vmap_pages_cpu)
		return false;
	open = heapsim_bracket_of_current(buf);
	if (access->touch == HEAPSIM_TOUCH_WRITE)
		return line_hide_page(lines, page, open);
	if (access->is_again || is_storing_elsewhere(buf, page, access))
		return false;
	return line_show_page(lines, page, open);
}

/**
 * heapsim_views_touch() - the CPU touches bytes of one page
 * @buf: buffer with lines
 * @access: what it touches; each line of it is judged
 * @images: stock of images
 * @span: in: pages that could be mapped, the touched one among them; out:
 *	those that may be mapped now
 *
 * Fills the granule, makes pages private that must be, judges.
 *
 * Context: the buffer's lock is held.
 * Return: 0, or the number of images that the stock must have for this; then
 * nothing has happened, but @span may be smaller.
 */
size_t heapsim_views_touch(struct heapsim_buf *buf,
			   const struct heapsim_access *access,
			   struct heapsim_images *images,
			   struct heapsim_span *span)
{
	const enum heapsim_touch touch = access->touch;
	const u64 off = access->off;
	/* What was evicted elsewhere since then is not fetched again. */
	const size_t per_fill = access->is_again ? 1 :
				heapsim_config.fill >> PAGE_SHIFT;
	const size_t page = off >> PAGE_SHIFT;
	const size_t first = round_down(page, per_fill);
	const size_t end = min(first + per_fill, buf->nr_pages);
	struct line_buf *lines = &buf->lines;
	u32 who = heapsim_bracket_who(buf);
	bool has_fence, is_forbidden, is_alone;
	struct heapsim_cpu store;
	bool is_turned, was_shared = false;
	size_t i, need = 0;
	u64 filled = 0, at;

	if (touch == HEAPSIM_TOUCH_WRITE && !who) {
		images->wants_bracket = !images->bracket;
		if (images->wants_bracket)
			return max_t(size_t, images->nr, 1);
		who = heapsim_bracket_add(buf, images->bracket);
		images->bracket = NULL;
	}
	has_fence = is_fenced(buf, touch);
	is_forbidden = has_fence || is_held_from(buf, touch, who);
	is_alone = is_forbidden || access->is_wrong;
	span->first = max(span->first, is_alone ? page : first);
	span->end = min(span->end, is_alone ? page + 1 : end);
	if (touch == HEAPSIM_TOUCH_WRITE && !access->is_again)
		heapsim_store_now(&store, access->addr,
				  page && test_bit(page - 1, buf->stored) ?
				  &buf->notes[page - 1].store : NULL);
	spin_lock(&buf->lines_lock);
	/* Noted before: to note it again would signal it again, without end. */
	if (touch == HEAPSIM_TOUCH_WRITE && access->is_again)
		store = buf->notes[page].store;
	span_shrink(buf, page, touch == HEAPSIM_TOUCH_WRITE ? &store : NULL,
		    span);
	if (is_written_by_others(buf))
		for (i = first; i < end; i++)
			need += !lines->pages[i].twin;
	if (touch == HEAPSIM_TOUCH_WRITE)
		for (i = span->first; i < span->end; i++)
			need += !lines->pages[i].cpu;
	if (need > images->nr) {
		spin_unlock(&buf->lines_lock);
		return need;
	}
	for (i = first; i < end; i++) {
		filled += line_fill_page(lines, i);
		if (is_written_by_others(buf) && !lines->pages[i].twin)
			line_add_twin(lines, i, heapsim_image_take(images));
	}
	lines->count.fills += filled > 0;
	bitmap_set(buf->active, first, end - first);
	if (touch == HEAPSIM_TOUCH_WRITE)
		was_shared = span_store(buf, span, who, &store, images);
	is_turned = page_turn(buf, page, access);
	if (is_forbidden && !access->is_again) {
		lines->count.unbracketed_accesses++;
		heapsim_record_unbracketed(buf, access, has_fence);
	}
	buf->access = access;
	for (at = off; at < off + access->len &&
	     !(access->is_again && touch == HEAPSIM_TOUCH_READ);
	     at = round_down(at, heapsim_config.profile->line_size) +
		  heapsim_config.profile->line_size)
		line_touch(lines, at, touch == HEAPSIM_TOUCH_WRITE ?
			   LINE_WRITE : LINE_READ, who);
	buf->access = NULL;
	buf->was_faulted |= buf->nr_write_jobs > 0;
	spin_unlock(&buf->lines_lock);

	if (was_shared || is_turned)
		heapsim_views_revoke(buf, span->first, span->end);
	if (!filled)
		return 0;
	trace_heapsim_fill(buf->id, (u64)first << PAGE_SHIFT,
			   (u64)(end - first) << PAGE_SHIFT);
	if (heapsim_has_event_watchers())
		heapsim_event_tell(buf, &(struct heapsim_event) {
			.kind = HEAPSIM_RECORD_FILL,
			.access = touch == HEAPSIM_TOUCH_WRITE ?
				  HEAPSIM_ACCESS_WRITE : HEAPSIM_ACCESS_READ,
			.off = (u64)first << PAGE_SHIFT,
			.len = (u64)(end - first) << PAGE_SHIFT,
			.count = filled,
			.addr = access->addr,
		});
	return 0;
}

/* An operation on a range, which the calling thread did or caused. */
static void tell_maintenance(const struct heapsim_buf *buf, u32 kind,
			     const struct line_op *op, u64 nr_lines,
			     u64 begin_ns)
{
	if (heapsim_has_event_watchers())
		heapsim_event_tell(buf, &(struct heapsim_event) {
			.kind = kind,
			.off = op->off,
			.len = op->end - op->off,
			.count = nr_lines,
			.begin_ns = begin_ns,
		});
}

/*
 * Take the images of a page back once it has no valid line. A page with no
 * engine write either, nor one to come, is not active any more.
 */
static void page_settle(struct heapsim_buf *buf, size_t page,
			struct heapsim_images *images)
{
	struct line_page *p = &buf->lines.pages[page];

	if (line_page_has_valid(&buf->lines, page))
		return;
	__clear_bit(page, buf->stored);
	if (!buf->nr_write_jobs && !line_page_has_written(&buf->lines, page))
		__clear_bit(page, buf->active);
	if (buf->vmap_pages_cpu)
		return;
	heapsim_image_give(images, p->cpu);
	heapsim_image_give(images, p->twin);
	p->cpu = NULL;
	p->twin = NULL;
	p->writer = 0;
}

/* A driver's mapping of the CPU view never faults: its lines are refilled. */
static void refill_for_vmap(struct heapsim_buf *buf, size_t page)
{
	if (!buf->vmap_pages_cpu)
		return;
	if (line_fill_page(&buf->lines, page))
		buf->lines.count.fills++;
	__set_bit(page, buf->active);
	__set_bit(page, buf->stored);
	buf->has_stores = true;
}

/**
 * heapsim_views_clean() - clean a range
 * @buf: two-view buffer
 * @off: first byte
 * @len: bytes; 0 does nothing
 * @until: HEAPSIM_UNTIL_DONE if it must not be interrupted
 *
 * Context: the buffer's lock is held. Costs what the pages cost that were
 * stored to.
 * Return: 0, or -EINTR if the caller is killed: some pages are cleaned.
 */
int heapsim_views_clean(struct heapsim_buf *buf, u64 off, u64 len,
			enum heapsim_until until)
{
	size_t first = off >> PAGE_SHIFT, page;
	size_t end = DIV_ROUND_UP(off + len, PAGE_SIZE);
	const u64 begin_ns = heapsim_event_begin();
	struct line_op op;
	int ret = 0;

	if (!len)
		return 0;
	line_op_begin(&op, off, len);
	if (buf->lines.pages) {
		ret = unmap_stored(buf, first, end, until);
		if (ret)
			return ret;
		for_each_set_bit_from(first, buf->stored, end) {
			if (is_over(until)) {
				ret = -EINTR;
				break;
			}
			page = first;
			spin_lock(&buf->lines_lock);
			line_clean_page(&buf->lines, page, &op);
			if (!buf->vmap_pages_cpu &&
			    (u64)page << PAGE_SHIFT >= off &&
			    (u64)(page + 1) << PAGE_SHIFT <= off + len &&
			    !line_page_has_hidden(&buf->lines, page))
				__clear_bit(page, buf->stored);
			spin_unlock(&buf->lines_lock);
			cond_resched();
		}
	}
	if (op.nr_dirty)
		heapsim_buf_set_touched(buf);
	if (ret)
		return ret;
	spin_lock(&buf->lines_lock);
	line_clean_end(&buf->lines, &op);
	spin_unlock(&buf->lines_lock);
	trace_heapsim_clean(buf->id, off, len);
	tell_maintenance(buf, HEAPSIM_RECORD_CLEAN, &op, op.nr_dirty, begin_ns);
	return 0;
}

/**
 * heapsim_views_invalidate() - invalidate a range
 * @buf: two-view buffer with lines
 * @off: first byte
 * @len: bytes; 0 does nothing
 *
 * Context: the buffer's lock is held.
 * Return: 0, or -EINTR if the caller is killed: some pages are invalidated, and
 * if any is, none of the range has PTEs.
 */
int heapsim_views_invalidate(struct heapsim_buf *buf, u64 off, u64 len)
{
	size_t first = off >> PAGE_SHIFT, page;
	size_t end = DIV_ROUND_UP(off + len, PAGE_SIZE);
	const u64 before = buf->lines.count.lines_invalidated;
	const u64 begin_ns = heapsim_event_begin();
	struct heapsim_images images;
	struct line_op op;
	int ret = 0;

	if (!len)
		return 0;
	ret = heapsim_views_revoke_until(buf, first, end, HEAPSIM_UNTIL_KILLED);
	if (ret)
		return ret;
	heapsim_images_init(&images);
	line_op_begin(&op, off, len);
	for (page = first; page < end; page++) {
		if (heapsim_is_killed()) {
			ret = -EINTR;
			break;
		}
		/* The edges count shared lines whatever their state. */
		if (page != first && page != end - 1)
			page = min(find_next_bit(buf->active, end, page),
				   end - 1);
		spin_lock(&buf->lines_lock);
		line_invalidate_page(&buf->lines, page, &op);
		refill_for_vmap(buf, page);
		page_settle(buf, page, &images);
		spin_unlock(&buf->lines_lock);
		heapsim_images_rest(&images);
	}
	heapsim_images_put(&images);
	heapsim_buf_set_touched(buf);
	if (ret)
		return ret;
	spin_lock(&buf->lines_lock);
	line_invalidate_end(&buf->lines, &op, buf->nr_writers > 0);
	spin_unlock(&buf->lines_lock);
	trace_heapsim_invalidate(buf->id, off, len);
	tell_maintenance(buf, HEAPSIM_RECORD_INVALIDATE, &op,
			 buf->lines.count.lines_invalidated - before, begin_ns);
	return 0;
}

/**
 * heapsim_views_take_in() - make the CPU see DRAM (DESIGN 2.3)
 * @buf: two-view buffer
 * @until: HEAPSIM_UNTIL_DONE if nobody would hear that it was interrupted
 *
 * Context: the buffer's lock is held. Costs what the pages cost that have
 * valid or engine-written lines.
 * Return: 0, or -EINTR if the caller is killed: some pages are taken in, and if
 * any is, none has PTEs.
 */
int heapsim_views_take_in(struct heapsim_buf *buf, enum heapsim_until until)
{
	const u64 before = buf->lines.count.lines_invalidated;
	const u64 begin_ns = heapsim_event_begin();
	struct heapsim_images images;
	struct line_op op;
	size_t page = 0;
	int ret = 0;

	heapsim_images_init(&images);
	line_op_begin(&op, 0, buf->len);
	if (buf->lines.pages) {
		ret = heapsim_views_revoke_until(buf, 0, buf->nr_pages, until);
		if (ret)
			return ret;
		for_each_set_bit_from(page, buf->active, buf->nr_pages) {
			u32 who = buf->lines.pages[page].writer;
			bool keep = heapsim_bracket_is_open(buf, who,
						HEAPSIM_TOUCH_WRITE);

			if (is_over(until)) {
				ret = -EINTR;
				break;
			}
			if (test_bit(page, buf->stored))
				heapsim_buf_set_touched(buf);
			spin_lock(&buf->lines_lock);
			line_take_in_page(&buf->lines, page, keep, &op);
			refill_for_vmap(buf, page);
			page_settle(buf, page, &images);
			spin_unlock(&buf->lines_lock);
			heapsim_images_rest(&images);
		}
	}
	heapsim_images_put(&images);
	if (ret)
		return ret;
	spin_lock(&buf->lines_lock);
	line_invalidate_end(&buf->lines, &op, buf->nr_writers > 0);
	spin_unlock(&buf->lines_lock);
	trace_heapsim_invalidate(buf->id, 0, buf->len);
	tell_maintenance(buf, HEAPSIM_RECORD_INVALIDATE, &op,
			 buf->lines.count.lines_invalidated - before, begin_ns);
	return 0;
}

/**
 * heapsim_views_compare() - find reads of what a holder has overwritten
 * @buf: two-view buffer
 * @until: HEAPSIM_UNTIL_DONE if nobody would hear that it was interrupted
 *
 * Nobody sees a holder write, nor a read through a PTE that is there. A READ
 * bracket that is open licenses such reads: each Clean line of a page that has
 * PTEs then counts as read, and as stale if DRAM differs from it. To be called
 * before the brackets change, and before lines are taken in.
 *
 * Context: the buffer's lock is held. Costs what the pages cost that have PTEs.
 * Return: 0, or -EINTR if the caller is killed.
 */
int heapsim_views_compare(struct heapsim_buf *buf, enum heapsim_until until)
{
	size_t page;
	int ret = 0;

	if (!buf->nr_writers || !buf->lines.pages)
		return 0;
	buf->reader = heapsim_bracket_reader(buf);
	if (!buf->reader)
		return 0;
	for_each_set_bit(page, buf->mapped, buf->nr_pages) {
		u64 nr_stale;

		if (is_over(until)) {
			ret = -EINTR;
			break;
		}
		spin_lock(&buf->lines_lock);
		nr_stale = line_compare_page(&buf->lines, page);
		spin_unlock(&buf->lines_lock);
		/* The next read is seen, and these are not found again. */
		if (nr_stale)
			heapsim_views_revoke(buf, page, page + 1);
		cond_resched();
	}
	buf->reader = NULL;
	return ret;
}

static bool is_in_use(struct heapsim_buf *buf)
{
	bool has_jobs;

	heapsim_brackets_reap(buf);
	spin_lock(&buf->lines_lock);
	has_jobs = buf->nr_jobs || buf->nr_write_jobs;
	spin_unlock(&buf->lines_lock);
	return has_jobs || buf->nr_holders || buf->is_vmapped ||
	       heapsim_bracket_any_open(buf);
}

/**
 * heapsim_views_switch() - from two views to one, or back (DESIGN 2.5)
 * @buf: buffer of a kind that can have two
 *
 * Two become one by a clean and an invalidate, which count as any.
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: 0, -EBUSY it is held, bracketed or in a job, -EINTR the caller is
 * killed.
 */
int heapsim_views_switch(struct heapsim_buf *buf)
{
	int ret;

	if (is_in_use(buf))
		return -EBUSY;
	if (buf->has_two_views) {
		ret = heapsim_views_clean(buf, 0, buf->len,
					  HEAPSIM_UNTIL_KILLED);
		if (!ret && buf->lines.pages)
			ret = heapsim_views_invalidate(buf, 0, buf->len);
		if (!ret)
			ret = heapsim_views_revoke_until(buf, 0, buf->nr_pages,
							 HEAPSIM_UNTIL_KILLED);
	} else {
		ret = heapsim_views_unmap(buf, buf->dmabuf);
	}
	if (!ret)
		ret = heapsim_view_revoke(buf);
	if (ret)
		return ret;
	/* Some look first without the lock, to see what they need. */
	WRITE_ONCE(buf->has_two_views, !buf->has_two_views);
	return 0;
}

/* xorshift64: the same seed and the same calls give the same lines. */
static u64 next_random(struct heapsim_buf *buf)
{
	u64 x = buf->random ? buf->random : 1;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	buf->random = x;
	return x;
}

/**
 * heapsim_views_evict() - drop or fetch lines of one page, as a cache may
 * @buf: buffer with lines
 * @keep: page that is being touched, and stays
 *
 * Context: the buffer's lock is held.
 */
void heapsim_views_evict(struct heapsim_buf *buf, size_t keep)
{
	const size_t per_page = PAGE_SIZE >> buf->lines.line_shift;
	struct heapsim_event event = { .count = 1 };
	struct heapsim_images images;
	u64 random = next_random(buf);
	size_t page = random % buf->nr_pages;
	size_t line = page * per_page + (random >> 32) % per_page;

	if (page == keep || is_written_by_others(buf))
		return;
	heapsim_images_init(&images);
	heapsim_views_revoke(buf, page, page + 1);
	spin_lock(&buf->lines_lock);
	if (line_page_has_valid(&buf->lines, page)) {
		line_evict(&buf->lines, line);
		refill_for_vmap(buf, page);
		page_settle(buf, page, &images);
		trace_heapsim_evict(buf->id, (u64)line <<
				    buf->lines.line_shift,
				    1 << buf->lines.line_shift);
		event.kind = HEAPSIM_RECORD_EVICT;
		event.off = (u64)line << buf->lines.line_shift;
		event.len = 1 << buf->lines.line_shift;
	} else {
		event.count = line_fill_page(&buf->lines, page);
		buf->lines.count.fills += event.count > 0;
		__set_bit(page, buf->active);
		trace_heapsim_fill(buf->id, (u64)page << PAGE_SHIFT, PAGE_SIZE);
		event.kind = HEAPSIM_RECORD_FILL;
		event.off = (u64)page << PAGE_SHIFT;
		event.len = PAGE_SIZE;
	}
	heapsim_buf_set_touched(buf);
	spin_unlock(&buf->lines_lock);
	heapsim_images_put(&images);
	if (heapsim_has_event_watchers())
		heapsim_event_tell(buf, &event);
}

/* Twins that pages of [first, end) lack for an engine to write DRAM. */
static size_t count_missing_twins(struct heapsim_buf *buf, size_t first,
				  size_t end, enum heapsim_until until)
{
	size_t nr = 0;

	if (!buf->lines.pages)
		return 0;
	for_each_set_bit_from(first, buf->active, end) {
		if (is_over(until))
			break;
		nr += line_needs_twin(&buf->lines, first);
		cond_resched();
	}
	return nr;
}

/* Returns 0 or -EINTR. */
static int add_twins(struct heapsim_buf *buf, size_t first, size_t end,
		     struct heapsim_images *images)
{
	if (!buf->lines.pages)
		return 0;
	for_each_set_bit_from(first, buf->active, end) {
		if (is_over(images->until))
			return -EINTR;
		spin_lock(&buf->lines_lock);
		if (line_needs_twin(&buf->lines, first))
			line_add_twin(&buf->lines, first,
				      heapsim_image_take(images));
		spin_unlock(&buf->lines_lock);
		cond_resched();
	}
	return 0;
}

/* Lock the buffer with all twins in stock that pages [first, end) lack. */
static int lock_with_twins(struct heapsim_buf *buf, size_t first, size_t end,
			   struct heapsim_images *images)
{
	size_t need;

	for (;;) {
		if (images->until == HEAPSIM_UNTIL_DONE)
			mutex_lock(&buf->lock);
		else if (mutex_lock_killable(&buf->lock))
			return -EINTR;
		need = count_missing_twins(buf, first, end, images->until);
		if (need <= images->nr && !is_over(images->until))
			return 0;
		mutex_unlock(&buf->lock);
		if (is_over(images->until))
			return -EINTR;
		if (heapsim_images_get(images, need, false))
			return -ENOMEM;
	}
}

/**
 * heapsim_views_hold() - an importer maps or vmaps: clean, and hold
 * @buf: buffer
 * @may_write: it may write
 * @who: it
 * @until: HEAPSIM_UNTIL_DONE if it must not be interrupted
 *
 * Context: may sleep; takes the buffer's lock, and keeps it where it answers 0.
 * Return: 0; -ENOMEM, or -EINTR if the caller is killed: it does not hold.
 */
int heapsim_views_hold(struct heapsim_buf *buf, bool may_write,
		       const struct heapsim_party *who,
		       enum heapsim_until until)
{
	struct heapsim_images images;
	int ret;

	heapsim_images_init(&images);
	images.until = until;
	ret = lock_with_twins(buf, 0, may_write ? buf->nr_pages : 0, &images);
	if (ret)
		goto out_put;
	if (buf->has_two_views) {
		heapsim_brackets_reap(buf);
		ret = heapsim_views_clean(buf, 0, buf->len, until);
		if (!ret && may_write)
			ret = add_twins(buf, 0, buf->nr_pages, &images);
		if (!ret)
			ret = heapsim_views_revoke_until(buf, 0, buf->nr_pages,
							 until);
		if (ret) {
			mutex_unlock(&buf->lock);
			goto out_put;
		}
	}
	if (may_write) {
		spin_lock(&buf->lines_lock);
		buf->writer = *who;
		spin_unlock(&buf->lines_lock);
	}
	/* debugfs reads it without the lock. */
	WRITE_ONCE(buf->nr_holders, buf->nr_holders + 1);
	buf->nr_writers += may_write;
out_put:
	heapsim_images_put(&images);
	return ret;
}

/**
 * heapsim_views_release() - an importer unmaps or vunmaps
 * @buf: buffer
 * @may_write: as when it began to hold
 *
 * Takes in what the importer may have written.
 *
 * Context: takes the buffer's lock; may sleep.
 */
void heapsim_views_release(struct heapsim_buf *buf, bool may_write)
{
	mutex_lock(&buf->lock);
	if (buf->has_two_views) {
		heapsim_views_compare(buf, HEAPSIM_UNTIL_DONE);
		heapsim_brackets_reap(buf);
		if (may_write)
			heapsim_views_take_in(buf, HEAPSIM_UNTIL_DONE);
	}
	WRITE_ONCE(buf->nr_holders, buf->nr_holders - 1);
	buf->nr_writers -= may_write;
	mutex_unlock(&buf->lock);
}

/**
 * heapsim_views_job_add() - an engine's job is going to use DRAM
 * @buf: buffer of ours
 * @has_two_views: out: it has; so it stays until heapsim_views_job_del()
 *
 * Context: takes the buffer's lock; may sleep.
 * Return: 0, or -EINTR if the caller is killed.
 */
int heapsim_views_job_add(struct heapsim_buf *buf, bool *has_two_views)
{
	if (mutex_lock_killable(&buf->lock))
		return -EINTR;
	spin_lock(&buf->lines_lock);
	buf->nr_jobs++;
	spin_unlock(&buf->lines_lock);
	*has_two_views = buf->has_two_views;
	mutex_unlock(&buf->lock);
	return 0;
}

/**
 * heapsim_views_job_del() - the job will not use DRAM any more
 * @buf: buffer of ours
 *
 * Context: atomic; fit for the time between publication and signal.
 */
void heapsim_views_job_del(struct heapsim_buf *buf)
{
	spin_lock(&buf->lines_lock);
	buf->nr_jobs--;
	spin_unlock(&buf->lines_lock);
}

/**
 * heapsim_views_count_writers() - engines will write DRAM, or have
 * @buf: two-view buffer
 * @nr: how many more, or fewer if negative
 *
 * Context: atomic; fit for the time between publication and signal.
 */
void heapsim_views_count_writers(struct heapsim_buf *buf, int nr)
{
	spin_lock(&buf->lines_lock);
	/* Who has the buffer's lock alone reads it, too. */
	WRITE_ONCE(buf->nr_write_jobs, buf->nr_write_jobs + nr);
	spin_unlock(&buf->lines_lock);
}

/**
 * heapsim_views_job_begin() - an engine's job is going to write DRAM
 * @buf: two-view buffer
 * @off: first byte it may write
 * @len: bytes up to the last
 *
 * Context: takes the buffer's lock; may sleep.
 * Return: 0; -ENOMEM, or -EINTR if the caller is killed: it has not begun.
 */
int heapsim_views_job_begin(struct heapsim_buf *buf, u64 off, u64 len)
{
	size_t first = off >> PAGE_SHIFT;
	size_t end = DIV_ROUND_UP(off + len, PAGE_SIZE);
	struct heapsim_images images;
	int ret;

	ret = heapsim_views_init(buf);
	if (ret)
		return ret;
	heapsim_images_init(&images);
	ret = lock_with_twins(buf, first, end, &images);
	if (ret)
		goto out_put;
	ret = add_twins(buf, first, end, &images);
	if (!ret)
		ret = heapsim_views_revoke_until(buf, 0, buf->nr_pages,
						 images.until);
	if (!ret) {
		bitmap_set(buf->active, first, end - first);
		buf->nr_job_ends++;
		heapsim_views_count_writers(buf, 1);
	}
	mutex_unlock(&buf->lock);
out_put:
	heapsim_images_put(&images);
	return ret;
}

/**
 * heapsim_views_job_end() - after the signal: let the next touch be seen
 * @buf: two-view buffer
 * @off: as at the begin
 * @len: as at the begin
 *
 * Context: takes the buffer's lock; may sleep.
 */
void heapsim_views_job_end(struct heapsim_buf *buf, u64 off, u64 len)
{
	bool was_faulted;

	mutex_lock(&buf->lock);
	spin_lock(&buf->lines_lock);
	was_faulted = buf->was_faulted;
	if (!--buf->nr_job_ends)
		buf->was_faulted = false;
	spin_unlock(&buf->lines_lock);
	if (was_faulted)
		heapsim_views_revoke(buf, off >> PAGE_SHIFT,
				     DIV_ROUND_UP(off + len, PAGE_SIZE));
	mutex_unlock(&buf->lock);
}

/**
 * heapsim_views_vmap_cpu() - let a driver use the CPU view
 * @buf: two-view buffer
 * @pages: out: nr_pages pages to map; they stay until the vunmap
 *
 * Context: takes the buffer's lock; may sleep.
 * Return: 0 or -ENOMEM.
 */
int heapsim_views_vmap_cpu(struct heapsim_buf *buf, struct page **pages)
{
	struct heapsim_images images;
	size_t i, need = buf->nr_pages;
	int ret;

	ret = heapsim_views_init(buf);
	if (ret)
		return ret;
	heapsim_images_init(&images);
	images.until = HEAPSIM_UNTIL_DONE;
	for (;; need = 2 * buf->nr_pages) {
		ret = heapsim_images_get(&images, need, false);
		if (ret) {
			heapsim_images_put(&images);
			return ret;
		}
		mutex_lock(&buf->lock);
		/* each page needs a twin, too, if engines are writing */
		if (!is_written_by_others(buf) || need > buf->nr_pages)
			break;
		mutex_unlock(&buf->lock);
	}
	heapsim_views_revoke(buf, 0, buf->nr_pages);
	buf->vmap_pages_cpu = true;
	for (i = 0; i < buf->nr_pages; i++) {
		spin_lock(&buf->lines_lock);
		line_show_all(&buf->lines, i);
		refill_for_vmap(buf, i);
		if (need > buf->nr_pages && !buf->lines.pages[i].twin)
			line_add_twin(&buf->lines, i,
				      heapsim_image_take(&images));
		if (!buf->lines.pages[i].cpu)
			image_lend(buf, i, &images);
		pages[i] = virt_to_page(buf->lines.pages[i].cpu);
		spin_unlock(&buf->lines_lock);
		cond_resched();
	}
	mutex_unlock(&buf->lock);
	heapsim_images_put(&images);
	return 0;
}

/**
 * heapsim_views_vunmap_cpu() - the driver's mapping of the CPU view is gone
 * @buf: two-view buffer
 *
 * Its lines stay as they are: what it wrote is dirty until it is cleaned.
 *
 * Context: takes the buffer's lock; may sleep.
 */
void heapsim_views_vunmap_cpu(struct heapsim_buf *buf)
{
	mutex_lock(&buf->lock);
	buf->vmap_pages_cpu = false;
	mutex_unlock(&buf->lock);
}
