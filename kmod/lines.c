// SPDX-License-Identifier: GPL-2.0-only
/*
 * Line state of a buffer: carries out the decisions of the model on the pages
 * of the two views. The CPU side runs with heapsim_buf.lock held. lines_lock
 * protects the state from the workers of the dma engine, which do not take
 * heapsim_buf.lock.
 */
#include <linux/bitmap.h>
#include <linux/dma-resv.h>
#include <linux/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "bracket.h"
#include "importer.h"
#include "limit.h"
#include "lines.h"
#include "trace.h"

/* Upper bound of pages that a store maps in advance. */
#define STORE_AHEAD	16

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
 * heapsim_lines_init() - allocate the line state of a buffer
 * @buf: two-view buffer; nothing happens if it has line state
 * @waits: wait for the buffer's lock
 *
 * Context: may sleep; takes the buffer's lock.
 * Return: 0, -ENOMEM, -EINTR if the caller is killed, or -EAGAIN if it would
 * have to wait.
 */
int heapsim_lines_init(struct heapsim_buf *buf, bool waits)
{
	const gfp_t gfp = HEAPSIM_GFP_USER;
	const u32 line_shift = ilog2(heapsim_config.profile->line_size);
	size_t words = line_bitmap_words(buf->nr_pages, PAGE_SHIFT, line_shift);
	size_t longs = BITS_TO_LONGS(buf->nr_pages);
	unsigned long *pages;
	struct heapsim_note *notes;
	struct line_buf lines = { 0 };
	size_t i, page = 0;
	int ret;

	if (READ_ONCE(buf->lines.pages))
		return 0;
	if (!waits && mutex_is_locked(&buf->lock))
		return -EAGAIN;
	/*
	 * The first access pays for this. kvcalloc() rounds up to a power of
	 * two and zeroes all of it, so the fifth bitmap is allocated apart from
	 * the other four. Pages need no zeroing, because they are set below.
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
	/* Another thread may have been first, and be cleaning gigabytes. */
	ret = heapsim_lock(&buf->lock, waits);
	if (ret) {
		lines_free(&lines, pages, notes);
		return ret;
	}
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
	/* A reader that sees the pages without the lock also sees the rest. */
	smp_store_release(&buf->lines.pages, lines.pages);
	spin_unlock(&buf->lines_lock);
	mutex_unlock(&buf->lock);
	return 0;
}

/**
 * heapsim_lines_fini() - free the line state, CPU images and twins
 * @buf: buffer without users
 */
void heapsim_lines_fini(struct heapsim_buf *buf)
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

/* Returns true if a fence forbids the CPU access. */
static bool lines_are_fenced(struct heapsim_buf *buf, enum heapsim_touch touch)
{
	bool is_write = touch == HEAPSIM_TOUCH_WRITE;

	return !dma_resv_test_signaled(buf->dmabuf->resv,
				       dma_resv_usage_rw(is_write));
}

/*
 * Returns true if a holder forbids the CPU access, because the process has no
 * bracket that allows it.
 */
static bool lines_are_held_from(struct heapsim_buf *buf,
				enum heapsim_touch touch, u32 who)
{
	bool is_write = touch == HEAPSIM_TOUCH_WRITE;

	if (is_write ? !buf->nr_holders : !buf->nr_writers)
		return false;
	return !heapsim_bracket_is_open(buf, who, touch);
}

/*
 * Finds an importer that forbids the access: any holder forbids a write, a
 * writer also a read. Leaves @who unchanged if there is none.
 */
static void lines_get_holder(const struct heapsim_buf *buf, bool is_write,
			     struct heapsim_party *who)
{
	const struct heapsim_attachment *at;

	list_for_each_entry(at, &buf->attachments, node)
		if (at->dir != DMA_NONE &&
		    (is_write || at->dir != DMA_TO_DEVICE)) {
			*who = at->who;
			return;
		}
	if (READ_ONCE(buf->vaddr) && !buf->vmap_is_cpu)
		*who = buf->vmapper;
}

/* Reports an access that a fence or a holder forbids. */
static void lines_report_forbidden(struct heapsim_buf *buf,
				   const struct heapsim_access *access,
				   bool has_fence)
{
	struct heapsim_party party = { 0 };

	if (has_fence)
		party.other.type = HEAPSIM_OTHER_FENCE;
	else
		lines_get_holder(buf, access->touch == HEAPSIM_TOUCH_WRITE,
				 &party);
	heapsim_record_unbracketed(buf, access, &party);
}

static bool lines_is_same_row(const struct heapsim_cpu *store,
			      const struct heapsim_cpu *other)
{
	return other->cpu.ip == store->cpu.ip &&
	       other->cpu.tid == store->cpu.tid;
}

/*
 * Returns the number of pages just before @page that the same code has stored
 * to.
 */
static size_t lines_row_before(const struct heapsim_buf *buf, size_t page,
			       const struct heapsim_cpu *store)
{
	size_t nr = 0;

	while (nr < STORE_AHEAD && page > nr &&
	       test_bit(page - nr - 1, buf->stored)) {
		if (!lines_is_same_row(store, &buf->notes[page - nr - 1].store))
			break;
		nr++;
	}
	return nr;
}

/*
 * Returns the number of pages after @page that belonged to the same row of
 * stores as @page when the same code stored to it last.
 */
static size_t lines_row_again(const struct heapsim_buf *buf, size_t page,
			      const struct heapsim_cpu *store)
{
	const struct heapsim_cpu *last = &buf->notes[page].store;
	size_t nr = 0;

	if (!last->place || !lines_is_same_row(store, last))
		return 0;
	while (nr < STORE_AHEAD && page + nr + 1 < buf->nr_pages) {
		const struct heapsim_cpu *next =
			&buf->notes[page + nr + 1].store;

		if (next->place != last->place ||
		    !lines_is_same_row(store, next))
			break;
		nr++;
	}
	return nr;
}

/*
 * Shrinks the span to pages around @page, the accessed one, that may be mapped
 * together with it because accesses to them need not be tracked. A store is
 * assumed to belong to a row of stores if the same code has stored to the page
 * before: then as many clean pages as the row has so far are made writable in
 * advance.
 *
 * If the process is watched, pages after the row may be stored to by other
 * code, and a record would name the wrong place. Then only the pages that the
 * same row had last time are made writable.
 */
static void lines_span_shrink(const struct heapsim_buf *buf, size_t page,
			      const struct heapsim_cpu *store,
			struct heapsim_span *span)
{
	size_t first = page, end = page + 1, ahead;

	if (buf->nr_holders || buf->nr_write_jobs || buf->rule.evicts ||
	    buf->rule.is_precise)
		goto out;
	if (!store) {
		while (first > span->first &&
		       line_page_is_harmless(&buf->lines, first - 1))
			first--;
		while (end < span->end &&
		       line_page_is_harmless(&buf->lines, end))
			end++;
	} else {
		ahead = store->seen_by ? lines_row_again(buf, page, store) :
					 lines_row_before(buf, page, store);
		span->end = min(span->end, end + ahead);
		while (end < span->end &&
		       line_page_is_harmless(&buf->lines, end) &&
		       !test_bit(end, buf->stored))
			end++;
	}
out:
	span->first = first;
	span->end = end;
}

/*
 * Gives all pages of the span CPU images and marks them stored. Returns true if
 * a page was shared with DRAM before.
 */
static bool lines_span_store(struct heapsim_buf *buf,
			     const struct heapsim_span *span, u32 who,
			     const struct heapsim_cpu *store,
			     struct heapsim_images *images)
{
	struct line_page *pages = buf->lines.pages;
	bool was_shared = false;
	size_t i;

	for (i = span->first; i < span->end; i++) {
		if (!pages[i].cpu) {
			heapsim_image_lend(buf, i, images);
			was_shared = true;
		}
		pages[i].writer = who;
		buf->notes[i].store = *store;
	}
	bitmap_set(buf->stored, span->first, span->end - span->first);
	buf->has_stores = true;
	return was_shared;
}

/*
 * Returns true if the calling thread is at an instruction that also stores to
 * the page by another mapping. Each of its faults would revoke the PTE of the
 * other.
 */
static bool lines_is_storing_elsewhere(const struct heapsim_buf *buf,
				       size_t page,
				       const struct heapsim_access *access)
{
	const struct heapsim_record_cpu *store = &buf->notes[page].store.cpu;

	return !(current->flags & PF_KTHREAD) &&
	       store->tid == task_pid_nr(current) &&
	       store->ip == instruction_pointer(task_pt_regs(current)) &&
	       (store->addr ^ access->addr) & PAGE_MASK;
}

/*
 * Hides old bytes of stale lines, or shows them again, depending on the
 * brackets of the process. Returns true if the PTEs of the page must be
 * revoked.
 */
static bool lines_page_turn(struct heapsim_buf *buf, size_t page,
			    const struct heapsim_access *access)
{
	struct line_buf *lines = &buf->lines;
	const struct line_bracket *open;

	/* Without a twin no line is stale. A kernel mapping never faults. */
	if (!lines->pages[page].twin || buf->vmap_pages_cpu)
		return false;
	open = heapsim_bracket_of_current(buf);
	if (access->touch == HEAPSIM_TOUCH_WRITE)
		return line_hide_page(lines, page, open);
	if (access->is_again || lines_is_storing_elsewhere(buf, page, access))
		return false;
	return line_show_page(lines, page, open);
}

/**
 * heapsim_lines_touch() - judge a CPU access and make its pages ready
 * @buf: buffer with line state
 * @access: access; each of its lines is judged
 * @images: stock
 * @span: in: pages that could be mapped, including the accessed one; out: pages
 *	that may be mapped now
 *
 * Fills the granule, and makes pages private where the access needs that.
 *
 * Context: the buffer's lock is held.
 * Return: 0, or the number of pages that the stock must have; then nothing has
 * been done, except that @span may have shrunk.
 */
size_t heapsim_lines_touch(struct heapsim_buf *buf,
			   const struct heapsim_access *access,
			   struct heapsim_images *images,
			   struct heapsim_span *span)
{
	const enum heapsim_touch touch = access->touch;
	const u64 off = access->off;
	/* Do not fill again what was evicted from other pages since. */
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
	has_fence = lines_are_fenced(buf, touch);
	is_forbidden = has_fence || lines_are_held_from(buf, touch, who);
	is_alone = is_forbidden || access->is_wrong;
	span->first = max(span->first, is_alone ? page : first);
	span->end = min(span->end, is_alone ? page + 1 : end);
	if (touch == HEAPSIM_TOUCH_WRITE && !access->is_again)
		heapsim_note_store(&store, access->addr,
				   page && test_bit(page - 1, buf->stored) ?
				  &buf->notes[page - 1].store : NULL);
	spin_lock(&buf->lines_lock);
	/* Noting the store again would signal the thread again, without end. */
	if (touch == HEAPSIM_TOUCH_WRITE && access->is_again)
		store = buf->notes[page].store;
	lines_span_shrink(buf, page,
			  touch == HEAPSIM_TOUCH_WRITE ? &store : NULL, span);
	if (heapsim_buf_is_written(buf))
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
		if (heapsim_buf_is_written(buf) && !lines->pages[i].twin)
			line_add_twin(lines, i, heapsim_image_take(images));
	}
	lines->count.fills += filled > 0;
	bitmap_set(buf->active, first, end - first);
	if (touch == HEAPSIM_TOUCH_WRITE)
		was_shared = lines_span_store(buf, span, who, &store, images);
	is_turned = lines_page_turn(buf, page, access);
	if (is_forbidden && !access->is_again) {
		lines->count.unbracketed_accesses++;
		lines_report_forbidden(buf, access, has_fence);
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
		heapsim_ptes_revoke(buf, span->first, span->end);
	if (!filled)
		return 0;
	trace_heapsim_fill(buf->id, (u64)first << PAGE_SHIFT,
			   (u64)(end - first) << PAGE_SHIFT);
	if (heapsim_has_event_watchers())
		heapsim_event_report(buf, &(struct heapsim_event) {
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

/* Reports a maintenance operation by the calling thread. */
static void lines_report_maintenance(const struct heapsim_buf *buf, u32 kind,
				     const struct line_op *op, u64 nr_lines,
				     u64 begin_ns)
{
	if (heapsim_has_event_watchers())
		heapsim_event_report(buf, &(struct heapsim_event) {
			.kind = kind,
			.off = op->off,
			.len = op->end - op->off,
			.count = nr_lines,
			.begin_ns = begin_ns,
		});
}

/* @before: number of invalidated lines before the operation */
static void lines_invalidate_end(struct heapsim_buf *buf, struct line_op *op,
				 u64 before, u64 begin_ns)
{
	spin_lock(&buf->lines_lock);
	line_invalidate_end(&buf->lines, op, buf->nr_writers > 0);
	spin_unlock(&buf->lines_lock);
	trace_heapsim_invalidate(buf->id, op->off, op->end - op->off);
	lines_report_maintenance(buf, HEAPSIM_RECORD_INVALIDATE, op,
				 buf->lines.count.lines_invalidated - before,
				 begin_ns);
}

/*
 * Frees the images of a page that has no valid line. If the page has no
 * engine-written line either, and no job is going to write, it becomes
 * inactive.
 */
static void lines_page_settle(struct heapsim_buf *buf, size_t page,
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

/**
 * heapsim_lines_refill() - fill the lines of a page again for a kernel mapping
 * @buf: buffer with line state; does nothing unless a vmap shows its CPU images
 * @page: page number
 *
 * An access by the kernel mapping does not fault, so the lines must stay valid.
 *
 * Context: the buffer's lock and lines_lock are held.
 */
void heapsim_lines_refill(struct heapsim_buf *buf, size_t page)
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
 * heapsim_lines_clean() - clean a range
 * @buf: two-view buffer
 * @off: offset of the first byte
 * @len: bytes; 0 does nothing
 * @until: HEAPSIM_UNTIL_DONE if it must not be interrupted
 *
 * The cost is proportional to the number of pages that were stored to.
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: 0, or -EINTR if the caller is killed; some pages are clean then.
 */
int heapsim_lines_clean(struct heapsim_buf *buf, u64 off, u64 len,
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
		ret = heapsim_ptes_revoke_stored(buf, first, end, until);
		if (ret)
			return ret;
		for_each_set_bit_from(first, buf->stored, end) {
			if (heapsim_is_over(until)) {
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
	lines_report_maintenance(buf, HEAPSIM_RECORD_CLEAN, &op, op.nr_dirty,
				 begin_ns);
	return 0;
}

/**
 * heapsim_lines_invalidate() - invalidate a range
 * @buf: two-view buffer with line state
 * @off: offset of the first byte
 * @len: bytes; 0 does nothing
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: 0, or -EINTR if the caller is killed. Some pages may be invalid then;
 * if any is, no page of the range has PTEs.
 */
int heapsim_lines_invalidate(struct heapsim_buf *buf, u64 off, u64 len)
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
	ret = heapsim_ptes_revoke_until(buf, first, end, HEAPSIM_UNTIL_KILLED);
	if (ret)
		return ret;
	heapsim_images_init(&images);
	line_op_begin(&op, off, len);
	for (page = first; page < end; page++) {
		if (heapsim_is_killed()) {
			ret = -EINTR;
			break;
		}
		/*
		 * Shared lines at the edges are counted in any state, so visit
		 * both edges.
		 */
		if (page != first && page != end - 1)
			page = min(find_next_bit(buf->active, end, page),
				   end - 1);
		spin_lock(&buf->lines_lock);
		line_invalidate_page(&buf->lines, page, &op);
		heapsim_lines_refill(buf, page);
		lines_page_settle(buf, page, &images);
		spin_unlock(&buf->lines_lock);
		heapsim_images_rest(&images);
	}
	heapsim_images_put(&images);
	heapsim_buf_set_touched(buf);
	if (!ret)
		lines_invalidate_end(buf, &op, before, begin_ns);
	return ret;
}

/**
 * heapsim_lines_take_in() - make the CPU see DRAM
 * @buf: two-view buffer
 * @until: HEAPSIM_UNTIL_DONE if the caller cannot report an interruption
 *
 * The cost is proportional to the number of pages that have valid or
 * engine-written lines.
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: 0, or -EINTR if the caller is killed. Some pages may be done then; if
 * any is, no page has PTEs.
 */
int heapsim_lines_take_in(struct heapsim_buf *buf, enum heapsim_until until)
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
		ret = heapsim_ptes_revoke_until(buf, 0, buf->nr_pages, until);
		if (ret)
			return ret;
		for_each_set_bit_from(page, buf->active, buf->nr_pages) {
			u32 who = buf->lines.pages[page].writer;
			bool keep = heapsim_bracket_is_open(buf, who,
						HEAPSIM_TOUCH_WRITE);

			if (heapsim_is_over(until)) {
				ret = -EINTR;
				break;
			}
			if (test_bit(page, buf->stored))
				heapsim_buf_set_touched(buf);
			spin_lock(&buf->lines_lock);
			line_take_in_page(&buf->lines, page, keep, &op);
			heapsim_lines_refill(buf, page);
			lines_page_settle(buf, page, &images);
			spin_unlock(&buf->lines_lock);
			heapsim_images_rest(&images);
		}
	}
	heapsim_images_put(&images);
	if (!ret)
		lines_invalidate_end(buf, &op, before, begin_ns);
	return ret;
}

/**
 * heapsim_lines_compare() - find reads of lines that a holder has overwritten
 * @buf: two-view buffer
 * @until: HEAPSIM_UNTIL_DONE if the caller cannot report an interruption
 *
 * Neither a write by a holder nor a read through an existing PTE can be
 * observed. An open READ bracket permits such reads, so each Clean line of a
 * page with PTEs counts as read, and as stale if it differs from DRAM. Call
 * this before brackets change and before lines are taken in. The cost is
 * proportional to the number of pages with PTEs.
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: 0, or -EINTR if the caller is killed.
 */
int heapsim_lines_compare(struct heapsim_buf *buf, enum heapsim_until until)
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

		if (heapsim_is_over(until)) {
			ret = -EINTR;
			break;
		}
		spin_lock(&buf->lines_lock);
		nr_stale = line_compare_page(&buf->lines, page);
		spin_unlock(&buf->lines_lock);
		/*
		 * Make the next read fault, so that these lines are not
		 * reported again.
		 */
		if (nr_stale)
			heapsim_ptes_revoke(buf, page, page + 1);
		cond_resched();
	}
	buf->reader = NULL;
	return ret;
}

/**
 * heapsim_lines_evict() - evict or fill lines of one page, chosen at random
 * @buf: buffer with line state
 * @keep: page that is being accessed and must not change
 *
 * Context: the buffer's lock is held.
 */
void heapsim_lines_evict(struct heapsim_buf *buf, size_t keep)
{
	const size_t line = line_choose(&buf->lines);
	const u64 off = (u64)line << buf->lines.line_shift;
	const size_t page = off >> PAGE_SHIFT;
	struct heapsim_event event = { .count = 1 };
	struct heapsim_images images;

	if (page == keep || heapsim_buf_is_written(buf))
		return;
	heapsim_images_init(&images);
	heapsim_ptes_revoke(buf, page, page + 1);
	spin_lock(&buf->lines_lock);
	if (line_page_has_valid(&buf->lines, page)) {
		line_evict(&buf->lines, line);
		heapsim_lines_refill(buf, page);
		lines_page_settle(buf, page, &images);
		trace_heapsim_evict(buf->id, off, 1 << buf->lines.line_shift);
		event.kind = HEAPSIM_RECORD_EVICT;
		event.off = off;
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
		heapsim_event_report(buf, &event);
}
