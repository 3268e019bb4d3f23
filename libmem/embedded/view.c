// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The two views of a buffer: this file carries out the model's decisions on
 * memory and page protections. Each page of the CPU view has an image, in the
 * window's file. When the CPU stores, the image is lent to the model as CPU
 * view; until then it contains the bytes with which the valid lines were
 * filled, and serves as the twin where one is needed. A separate twin has a
 * fixed address, too, so that a fault allocates nothing. The caller holds the
 * buffer's lock in all functions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "embedded.h"

/* Most pages that one store makes writable besides its own. */
#define STORE_AHEAD	64
#define WORD_BITS	64
/* The model's number of the only process. */
#define WHO		1

static size_t view_page_size(void)
{
	return (size_t)1 << window_page_shift();
}

static bool bit_is_set(const uint64_t *map, size_t bit)
{
	return map[bit / WORD_BITS] >> (bit % WORD_BITS) & 1;
}

static void bit_set(uint64_t *map, size_t bit)
{
	map[bit / WORD_BITS] |= 1ULL << (bit % WORD_BITS);
}

static void bit_clear(uint64_t *map, size_t bit)
{
	map[bit / WORD_BITS] &= ~(1ULL << (bit % WORD_BITS));
}

/* Returns the first bit of [bit, end) that is set, or @end. */
static size_t view_next_bit(const uint64_t *map, size_t bit, size_t end)
{
	while (bit < end) {
		uint64_t word = map[bit / WORD_BITS] >> (bit % WORD_BITS);

		if (word) {
			bit += (size_t)__builtin_ctzll(word);
			return bit < end ? bit : end;
		}
		bit = (bit / WORD_BITS + 1) * WORD_BITS;
	}
	return end;
}

/**
 * view_init() - allocate the state of a buffer's lines
 * @buf: two-view buffer with addresses in the window
 * @profile: the board
 *
 * Return: 0 or -ENOMEM.
 */
int view_init(struct embedded_buf *buf, const struct profile *profile)
{
	const uint32_t line_shift = (uint32_t)__builtin_ctz(profile->line_size);
	const size_t words = line_bitmap_words(buf->nr_pages,
					       window_page_shift(), line_shift);
	const size_t page_words = (buf->nr_pages + WORD_BITS - 1) / WORD_BITS;
	size_t i;

	buf->lines.pages = calloc(buf->nr_pages, sizeof(*buf->lines.pages));
	buf->lines.valid = calloc(LINE_NR_BITMAPS * words + 2 * page_words,
				  sizeof(uint64_t));
	buf->lines.hidden = calloc(words, sizeof(uint64_t));
	buf->notes = calloc(buf->nr_pages, sizeof(*buf->notes));
	if (!buf->lines.pages || !buf->lines.valid || !buf->lines.hidden ||
	    !buf->notes) {
		view_fini(buf);
		return -ENOMEM;
	}
	buf->lines.report = watch_lines;
	buf->lines.line_shift = line_shift;
	buf->lines.page_shift = window_page_shift();
	buf->lines.nr_pages = buf->nr_pages;
	line_set_bitmaps(&buf->lines, buf->lines.valid, buf->lines.hidden);
	buf->active = buf->lines.valid + LINE_NR_BITMAPS * words;
	buf->stored = buf->active + page_words;
	for (i = 0; i < buf->nr_pages; i++)
		buf->lines.pages[i].dram = buf->dram + i * view_page_size();
	return 0;
}

/**
 * view_fini() - free the line state of a buffer
 * @buf: buffer that nobody else uses
 */
void view_fini(struct embedded_buf *buf)
{
	free(buf->lines.pages);
	free(buf->lines.valid);
	free(buf->lines.hidden);
	free(buf->notes);
}

static enum page_access view_access_of(const struct embedded_buf *buf,
				       size_t page)
{
	return protect_get(buf->first + page);
}

/* Cannot fail: removing access needs no memory. */
static void view_take_access(struct embedded_buf *buf, size_t first, size_t end)
{
	if (protect_set(buf->first + first, end - first, PAGE_NO_ACCESS))
		abort();
}

/**
 * view_revoke() - remove access to pages, so that the next touch is detected
 * @buf: buffer
 * @first: first page
 * @end: page after the last
 */
void view_revoke(struct embedded_buf *buf, size_t first, size_t end)
{
	while (first < end && view_access_of(buf, first) == PAGE_NO_ACCESS)
		first++;
	while (first < end && view_access_of(buf, end - 1) == PAGE_NO_ACCESS)
		end--;
	if (first < end)
		view_take_access(buf, first, end);
}

/* Revokes the pages of [first, end) that have a bit in @map. */
static void view_revoke_marked(struct embedded_buf *buf, const uint64_t *map,
			       size_t first, size_t end)
{
	size_t stop;

	for (first = view_next_bit(map, first, end); first < end;
	     first = view_next_bit(map, stop, end)) {
		for (stop = first + 1; stop < end && bit_is_set(map, stop);)
			stop++;
		view_revoke(buf, first, stop);
	}
}

/* Returns the number of pages before @page that the same code has stored to. */
static size_t view_row_before(const struct embedded_buf *buf, size_t page,
			      const struct note *note)
{
	size_t nr = 0;

	while (nr < STORE_AHEAD && page > nr &&
	       bit_is_set(buf->stored, page - nr - 1) &&
	       buf->notes[page - nr - 1].ip == note->ip &&
	       buf->notes[page - nr - 1].tid == note->tid)
		nr++;
	return nr;
}

/*
 * Continues a sequence of stores: makes as many further pages writable as it
 * has stored to. They need not be filled.
 */
static size_t view_store_end(const struct embedded_buf *buf, size_t page,
			     const struct note *note)
{
	size_t end = page + 1 + view_row_before(buf, page, note);
	size_t stop = page + 1;

	if (end > buf->nr_pages)
		end = buf->nr_pages;
	while (stop < end && line_page_is_harmless(&buf->lines, stop) &&
	       !bit_is_set(buf->stored, stop) &&
	       line_page_is_valid(&buf->lines, stop))
		stop++;
	return stop;
}

/* Also maps harmless pages around @page that are not mapped yet. */
static void view_read_span(const struct embedded_buf *buf, size_t page,
			   size_t *first, size_t *end)
{
	size_t from = page, to = page + 1;

	while (from > *first && line_page_is_harmless(&buf->lines, from - 1) &&
	       view_access_of(buf, from - 1) == PAGE_NO_ACCESS)
		from--;
	while (to < *end && line_page_is_harmless(&buf->lines, to) &&
	       view_access_of(buf, to) == PAGE_NO_ACCESS)
		to++;
	*first = from;
	*end = to;
}

static uint8_t *view_cpu_page(const struct embedded_buf *buf, size_t page)
{
	return buf->cpu + page * view_page_size();
}

static size_t view_end_page(uint64_t off, uint64_t len)
{
	return (off + len + view_page_size() - 1) >> window_page_shift();
}

/* Creates the twins that pages of [first, end) need before DRAM is written. */
static void view_add_twins(struct embedded_buf *buf, size_t first, size_t end)
{
	for (first = view_next_bit(buf->active, first, end); first < end;
	     first = view_next_bit(buf->active, first + 1, end)) {
		if (!line_needs_twin(&buf->lines, first))
			continue;
		if (buf->lines.pages[first].cpu)
			line_add_twin(&buf->lines, first,
				      buf->twin + first * view_page_size());
		else
			line_lend_twin(&buf->lines, first,
				       view_cpu_page(buf, first));
	}
}

/* The image becomes the CPU view, so a twin must be separate. */
static void view_lend_cpu(struct embedded_buf *buf, size_t page)
{
	struct line_page *p = &buf->lines.pages[page];
	uint8_t *twin = buf->twin + page * view_page_size();

	if (p->cpu)
		return;
	if (p->twin) {
		memcpy(twin, p->twin, view_page_size());
		line_lend_twin(&buf->lines, page, twin);
	}
	line_lend_cpu(&buf->lines, page, view_cpu_page(buf, page));
}

/* Returns true if an engine may write DRAM: a kernel may write any buffer. */
static bool view_is_engine_at_work(const struct embedded_buf *buf)
{
	return buf->nr_write_jobs ||
	       atomic_load(&embedded_ctx_of(buf->base.ctx)->nr_running);
}

static void view_engine_writes(struct embedded_buf *buf)
{
	if (buf->base.kind == MEM_KIND_MANAGED)
		rights_written(buf);
}

/**
 * view_begin_write() - prepare DRAM to be written by an engine
 * @buf: two-view buffer
 * @off: first byte that the engine may write
 * @len: bytes, above 0
 */
void view_begin_write(struct embedded_buf *buf, uint64_t off, uint64_t len)
{
	const size_t end = view_end_page(off, len);
	size_t page = off >> window_page_shift();

	view_add_twins(buf, page, end);
	for (; page < end; page++)
		bit_set(buf->active, page);
	view_engine_writes(buf);
	view_revoke(buf, 0, buf->nr_pages);
}

/*
 * Fills all Invalid lines of the granule from DRAM. The model fills pages of
 * which it has an image; other pages, which were not stored to, are copied
 * here.
 */
static uint64_t view_fill_granule(struct embedded_buf *buf, size_t first,
				  size_t end)
{
	uint64_t filled = 0, nr;
	size_t i;

	for (i = first; i < end; i++) {
		const struct line_page *page = &buf->lines.pages[i];

		nr = line_fill_page(&buf->lines, i);
		if (nr && !page->cpu && !page->twin)
			memcpy(view_cpu_page(buf, i), page->dram,
			       view_page_size());
		filled += nr;
		bit_set(buf->active, i);
	}
	buf->lines.count.fills += filled > 0;
	return filled;
}

static void view_store(struct embedded_buf *buf, size_t first, size_t end,
		       const struct note *note)
{
	size_t i;

	for (i = first; i < end; i++) {
		view_lend_cpu(buf, i);
		bit_set(buf->stored, i);
		buf->notes[i].ip = note->ip;
		buf->notes[i].addr = note->addr;
		buf->notes[i].time_ns = note->time_ns;
		buf->notes[i].tid = note->tid;
		buf->notes[i].stack = note->stack;
		buf->lines.pages[i].writer = WHO;
	}
}

/* Takes the images of a page back from the model once no line is valid. */
static void view_settle(struct embedded_buf *buf, size_t page)
{
	struct line_page *p = &buf->lines.pages[page];

	if (line_page_has_valid(&buf->lines, page))
		return;
	bit_clear(buf->stored, page);
	if (!buf->nr_write_jobs && !line_page_has_written(&buf->lines, page))
		bit_clear(buf->active, page);
	p->twin = NULL;
	p->cpu = NULL;
	p->writer = 0;
}

/* Evicts or fetches lines of one page, except @keep, as a cache may do. */
static void view_evict(struct embedded_buf *buf, size_t keep)
{
	const size_t line = line_choose(&buf->lines);
	const uint64_t off = (uint64_t)line << buf->lines.line_shift;
	const size_t page = off >> window_page_shift();

	if (page == keep || view_is_engine_at_work(buf))
		return;
	view_revoke(buf, page, page + 1);
	if (line_page_has_valid(&buf->lines, page)) {
		line_evict(&buf->lines, line);
		view_settle(buf, page);
		trace_random(buf, off, 1ULL << buf->lines.line_shift, 0);
	} else {
		trace_random(buf, (uint64_t)page << window_page_shift(),
			     view_page_size(), view_fill_granule(buf, page,
								 page + 1));
	}
}

/* Nothing is evicted while a system call needs its pages. */
static void view_evict_after(struct embedded_buf *buf,
			     const struct touch *touch)
{
	if (!embedded_ctx_of(buf->base.ctx)->evicts || touch->is_again)
		return;
	buf->nr_due++;
	if (touch->is_call)
		return;
	for (; buf->nr_due; buf->nr_due--)
		view_evict(buf, touch->off >> window_page_shift());
}

/**
 * view_finish_call() - end of a system call that touched pages for the CPU
 * @buf: two-view buffer
 */
void view_finish_call(struct embedded_buf *buf)
{
	for (; buf->nr_due; buf->nr_due--)
		view_evict(buf, SIZE_MAX);
}

/**
 * view_touch() - handle a touch of a page to which the CPU has no access
 * @buf: two-view buffer
 * @touch: touch
 *
 * Fills the granule, judges the touch, and gives access; then other lines may
 * be evicted.
 *
 * Context: also in signal handlers.
 * Return: false if the process has too many mappings to give access.
 */
bool view_touch(struct embedded_buf *buf, const struct touch *touch)
{
	const size_t per_fill = buf->fill >> window_page_shift();
	const size_t page = touch->off >> window_page_shift();
	const struct note note = {
		.ip = touch->ip,
		.addr = (uintptr_t)buf->addr + touch->off,
		.time_ns = touch->is_write ? now_ns() : 0,
		.tid = gettid(),
		.stack = touch->is_write ? record_stack(touch->ip) : 0,
	};
	const struct embedded_ctx *ctx = embedded_ctx_of(buf->base.ctx);
	const bool is_fenced = touch->is_write ? buf->nr_jobs :
						 buf->nr_write_jobs;
	const bool is_judged = !touch->is_ahead && !touch->is_again;
	size_t first = page - page % per_fill;
	size_t end = first + per_fill;
	uint64_t nr_filled;
	bool is_alone;

	if (end > buf->nr_pages)
		end = buf->nr_pages;
	nr_filled = view_fill_granule(buf, first, end);
	trace_touch(buf, touch, nr_filled);
	/* Lines that were filled remain valid. */
	if (view_is_engine_at_work(buf))
		view_add_twins(buf, first, end);
	if (is_fenced && is_judged) {
		buf->lines.count.unbracketed_accesses++;
		watch_unbracketed(buf, touch);
	}
	buf->was_faulted |= buf->nr_write_jobs > 0;
	/* Evictions depend only on touches that are detected. */
	is_alone = is_fenced || view_is_engine_at_work(buf) || ctx->evicts ||
		   ctx->is_precise;
	if (is_alone) {
		first = page;
		end = page + 1;
	} else if (touch->is_write) {
		first = page;
		end = view_store_end(buf, page, &note);
	} else {
		view_read_span(buf, page, &first, &end);
	}
	/* Pages that are mapped ahead are harmless: nothing to hide or show. */
	if (touch->is_write) {
		view_store(buf, first, end, &note);
		line_hide_page(&buf->lines, page, &buf->bracket);
	} else {
		line_show_page(&buf->lines, page, &buf->bracket);
	}
	buf->touch = touch;
	if (is_judged)
		line_touch(&buf->lines, touch->off,
			   touch->is_write ? LINE_WRITE : LINE_READ, WHO);
	buf->touch = NULL;
	if (protect_set(buf->first + first, end - first,
			touch->is_write ? PAGE_WRITE : PAGE_READ))
		return false;
	view_evict_after(buf, touch);
	return true;
}

/**
 * view_engine_access() - account for an engine that uses DRAM, now or later
 * @buf: two-view buffer
 * @off: first byte
 * @len: bytes, above 0
 * @reported: lines that were already reported for its job, or NULL
 * @account: line_engine_read() or line_engine_will_write()
 *
 * Only pages that were stored to are compared: others have no Dirty lines.
 */
void view_engine_access(struct embedded_buf *buf, uint64_t off, uint64_t len,
			struct line_job *reported,
			void (*account)(struct line_buf *lines, u64 off,
					u64 len, struct line_job *reported))
{
	const size_t end = view_end_page(off, len);
	size_t page = off >> window_page_shift();

	for (page = view_next_bit(buf->stored, page, end); page < end;
	     page = view_next_bit(buf->stored, page + 1, end)) {
		uint64_t from = (uint64_t)page << window_page_shift();
		uint64_t to = from + view_page_size();

		if (from < off)
			from = off;
		if (to > off + len)
			to = off + len;
		account(&buf->lines, from, to - from, reported);
	}
}

/**
 * view_prepare() - make a range accessible for a system call
 * @buf: two-view buffer that is mapped
 * @off: first byte
 * @len: bytes
 * @is_write: the call may store
 * @ip: instruction that makes the call
 *
 * Each page to which the CPU has no access is touched at its first byte in the
 * range. If the call has stored to it, call view_finish_write() afterwards.
 */
void view_prepare(struct embedded_buf *buf, uint64_t off, uint64_t len,
		  bool is_write, uintptr_t ip)
{
	const uint64_t end = off + len;

	while (off < end) {
		const struct touch touch = {
			.off = off,
			.is_write = is_write,
			.is_ahead = is_write,
			.is_call = true,
			.ip = ip,
		};
		const size_t page = off >> window_page_shift();
		const enum page_access access = view_access_of(buf, page);

		if (access != PAGE_WRITE && (is_write || access != PAGE_READ))
			view_touch(buf, &touch);
		off = (uint64_t)(page + 1) << window_page_shift();
	}
}

/**
 * view_finish_write() - account for the stores of a system call
 * @buf: two-view buffer
 * @off: first byte
 * @len: bytes
 * @ip: instruction that made the call
 */
void view_finish_write(struct embedded_buf *buf, uint64_t off, uint64_t len,
		       uintptr_t ip)
{
	const uint64_t end = off + len;

	while (off < end) {
		const size_t page = off >> window_page_shift();
		const struct touch touch = {
			.off = off,
			.is_write = true,
			.ip = ip,
		};

		if (buf->nr_jobs) {
			buf->lines.count.unbracketed_accesses++;
			watch_unbracketed(buf, &touch);
		}
		/* Unless access was removed meanwhile. */
		if (view_access_of(buf, page) == PAGE_WRITE)
			line_touch(&buf->lines, off, LINE_WRITE, WHO);
		off = (uint64_t)(page + 1) << window_page_shift();
	}
}

/**
 * view_engine_begin_write() - prepare DRAM to be written by a copy or fill
 * @buf: two-view buffer
 * @off: first byte
 * @len: bytes, above 0
 *
 * Like view_begin_write(), but only for the pages that it writes.
 */
void view_engine_begin_write(struct embedded_buf *buf, uint64_t off,
			     uint64_t len)
{
	const size_t first = off >> window_page_shift();
	const size_t end = view_end_page(off, len);
	size_t page;

	view_add_twins(buf, first, end);
	for (page = first; page < end; page++) {
		bit_set(buf->active, page);
		buf->notes[page].engine = buf->acting;
	}
	view_engine_writes(buf);
	view_revoke(buf, first, end);
}

/* Lines were filled with what DRAM contained before the first store. */
static void view_add_twin_of(struct embedded_buf *buf, size_t page,
			     const uint8_t *before)
{
	uint8_t *twin = buf->twin + page * view_page_size();

	if (!line_needs_twin(&buf->lines, page))
		return;
	if (!buf->lines.pages[page].cpu) {
		line_lend_twin(&buf->lines, page, view_cpu_page(buf, page));
		return;
	}
	memcpy(twin, before, view_page_size());
	line_lend_twin(&buf->lines, page, twin);
}

/* Compares 32 bytes or more: lines are too short for the cost of memcmp(). */
static bool view_differs(const uint8_t *a, const uint8_t *b, size_t len)
{
	const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;
	size_t i;

	for (i = 0; i < len / sizeof(*x); i += 4)
		if ((x[i] ^ y[i]) | (x[i + 1] ^ y[i + 1]) |
		    (x[i + 2] ^ y[i + 2]) | (x[i + 3] ^ y[i + 3]))
			return true;
	return false;
}

static void view_add_changed_lines(struct embedded_buf *buf, size_t page,
				   const uint8_t *before)
{
	const size_t line_size = (size_t)1 << buf->lines.line_shift;
	const uint8_t *now = buf->dram + page * view_page_size();
	size_t off, end;

	for (off = 0; off < view_page_size(); off = end + line_size) {
		for (end = off; end < view_page_size() &&
		     view_differs(before + end, now + end, line_size);)
			end += line_size;
		if (end > off)
			line_engine_write(&buf->lines,
					  page * view_page_size() + off,
					  end - off, NULL);
	}
}

/**
 * view_engine_wrote() - account for pages that a kernel has written
 * @buf: two-view buffer
 * @off: offset of the first page
 * @len: bytes, whole pages
 * @before: their previous contents
 * @is_changed: each page has changed
 * @acting: the job
 *
 * Only lines whose bytes have changed count as written.
 */
void view_engine_wrote(struct embedded_buf *buf, uint64_t off, uint64_t len,
		       const uint8_t *before, bool is_changed,
		       const struct acting *acting)
{
	const size_t first = off >> window_page_shift();
	const size_t end = view_end_page(off, len);
	size_t page;

	buf->acting = *acting;
	for (page = first; page < end; page++, before += view_page_size()) {
		if (!is_changed && !memcmp(before,
					   buf->dram + page * view_page_size(),
					   view_page_size()))
			continue;
		view_add_twin_of(buf, page, before);
		if (!line_page_is_written(&buf->lines, page))
			view_add_changed_lines(buf, page, before);
		bit_set(buf->active, page);
		buf->notes[page].engine = *acting;
	}
	view_engine_writes(buf);
	view_revoke(buf, first, end);
}

/**
 * view_has_lines() - check whether an invalidate may have something to do
 * @buf: two-view buffer
 *
 * Return: true if a line may be valid, or an engine wrote one.
 */
bool view_has_lines(const struct embedded_buf *buf)
{
	return view_next_bit(buf->active, 0, buf->nr_pages) < buf->nr_pages;
}

/**
 * view_clean_run() - return the length of a range without Dirty lines
 * @buf: two-view buffer
 * @off: offset of a page
 *
 * Return: bytes from @off, whole pages; 0 if that page may have a Dirty line.
 */
uint64_t view_clean_run(const struct embedded_buf *buf, uint64_t off)
{
	const size_t page = off >> window_page_shift();

	return (view_next_bit(buf->stored, page, buf->nr_pages) - page) *
	       view_page_size();
}

/* No line is Dirty any more: the image equals the bytes of the fill. */
static void view_take_cpu_back(struct embedded_buf *buf, size_t page)
{
	struct line_page *p = &buf->lines.pages[page];

	bit_clear(buf->stored, page);
	p->cpu = NULL;
	if (p->twin)
		line_lend_twin(&buf->lines, page, view_cpu_page(buf, page));
}

/**
 * view_clean() - clean a range
 * @buf: two-view buffer
 * @off: first byte
 * @len: bytes; 0 does nothing
 */
void view_clean(struct embedded_buf *buf, uint64_t off, uint64_t len)
{
	const uint64_t before = buf->lines.count.lines_cleaned;
	const uint64_t begin_ns = record_begin();
	size_t page = off >> window_page_shift();
	size_t end = view_end_page(off, len);
	struct line_op op;

	if (!len)
		return;
	line_op_begin(&op, off, len);
	view_revoke_marked(buf, buf->stored, page, end);
	for (page = view_next_bit(buf->stored, page, end); page < end;
	     page = view_next_bit(buf->stored, page + 1, end)) {
		const uint64_t at = (uint64_t)page << window_page_shift();

		line_clean_page(&buf->lines, page, &op);
		if (at >= off && at + view_page_size() <= off + len &&
		    !line_page_has_hidden(&buf->lines, page))
			view_take_cpu_back(buf, page);
	}
	line_clean_end(&buf->lines, &op);
	trace_maintain(buf, &op, true,
		       buf->lines.count.lines_cleaned - before, begin_ns);
}

/**
 * view_write_back() - write all stores of the CPU to DRAM, and close brackets
 * @buf: two-view buffer whose lines are not used any more
 */
void view_write_back(struct embedded_buf *buf)
{
	/* Without stores, the clean would be reported as redundant. */
	if (view_next_bit(buf->stored, 0, buf->nr_pages) < buf->nr_pages)
		view_clean(buf, 0, buf->base.len);
	line_bracket_end(&buf->lines, &buf->bracket);
	watch_brackets(buf);
}

/**
 * view_invalidate() - invalidate a range
 * @buf: two-view buffer
 * @off: first byte
 * @len: bytes; 0 does nothing
 */
void view_invalidate(struct embedded_buf *buf, uint64_t off, uint64_t len)
{
	const uint64_t before = buf->lines.count.lines_invalidated;
	const uint64_t begin_ns = record_begin();
	const size_t first = off >> window_page_shift();
	const size_t end = view_end_page(off, len);
	struct line_op op;
	size_t page;

	if (!len)
		return;
	line_op_begin(&op, off, len);
	view_revoke_marked(buf, buf->active, first, end);
	for (page = first; page < end; page++) {
		/* The edges are counted as shared lines in any state. */
		if (page != first && page != end - 1)
			page = view_next_bit(buf->active, page, end - 1);
		line_invalidate_page(&buf->lines, page, &op);
		view_settle(buf, page);
	}
	line_invalidate_end(&buf->lines, &op, false);
	trace_maintain(buf, &op, false,
		       buf->lines.count.lines_invalidated - before, begin_ns);
}

/**
 * view_take_in() - make the CPU see DRAM: "take in" in Documentation/model.rst
 * @buf: two-view buffer
 */
void view_take_in(struct embedded_buf *buf)
{
	const uint64_t before = buf->lines.count.lines_invalidated;
	const uint64_t begin_ns = record_begin();
	const bool keep = buf->bracket.nr_write;
	struct line_op op;
	size_t page;

	line_op_begin(&op, 0, buf->base.len);
	view_revoke_marked(buf, buf->active, 0, buf->nr_pages);
	for (page = view_next_bit(buf->active, 0, buf->nr_pages);
	     page < buf->nr_pages;
	     page = view_next_bit(buf->active, page + 1, buf->nr_pages)) {
		line_take_in_page(&buf->lines, page,
				  keep && buf->lines.pages[page].writer, &op);
		view_settle(buf, page);
	}
	line_invalidate_end(&buf->lines, &op, false);
	trace_maintain(buf, &op, false,
		       buf->lines.count.lines_invalidated - before, begin_ns);
}
