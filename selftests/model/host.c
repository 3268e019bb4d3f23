// SPDX-License-Identifier: GPL-2.0-only
/*
 * See host.h.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "host.h"

static u32 log2_of(size_t size)
{
	u32 shift = 0;

	while (((size_t)1 << shift) < size)
		shift++;
	return shift;
}

static void hear(struct line_buf *lines, enum line_event event, u64 off,
		 u64 len)
{
	static const unsigned int kinds[] = {
		[LINE_STALE_READ] = HEAPSIM_RECORD_STALE_READ,
		[LINE_UNSEEN_STALE_READ] = HEAPSIM_RECORD_STALE_READ,
		[LINE_POSSIBLE_STALE_READ] =
			HEAPSIM_RECORD_POSSIBLE_STALE_READ,
		[LINE_LOST_DEVICE_WRITE] = HEAPSIM_RECORD_LOST_DEVICE_WRITE,
		[LINE_LOST_CPU_WRITE] = HEAPSIM_RECORD_LOST_CPU_WRITE,
		[LINE_MISSING_CLEAN] = HEAPSIM_RECORD_MISSING_CLEAN,
		[LINE_WRITE_CONFLICT] = HEAPSIM_RECORD_WRITE_CONFLICT,
		[LINE_SHARED] = HEAPSIM_RECORD_SHARED_LINE,
		[LINE_REDUNDANT_CLEAN] = HEAPSIM_RECORD_REDUNDANT_CLEAN,
		[LINE_REDUNDANT_INVALIDATE] =
			HEAPSIM_RECORD_REDUNDANT_INVALIDATE,
	};
	struct host *host = (struct host *)((char *)lines -
					    offsetof(struct host, lines));

	ref_told_add(&host->told[kinds[event]], 1, off, len);
}

/**
 * host_create() - make a zeroed buffer, with all lines Invalid
 * @p: shape
 *
 * Return: the buffer; the program ends if out of memory.
 */
struct host *host_create(const struct ref_params *p)
{
	struct host *host = calloc(1, sizeof(*host));
	struct line_buf *lines;
	size_t nr_words, i;
	u64 *bitmaps, *hidden;

	assert(host);
	host->p = *p;
	lines = &host->lines;
	lines->line_shift = log2_of(p->line_size);
	lines->page_shift = log2_of(p->page_size);
	lines->nr_pages = p->len / p->page_size;
	lines->report = hear;
	nr_words = line_bitmap_words(lines->nr_pages, lines->page_shift,
				     lines->line_shift);
	assert(nr_words * 64 >= p->len / p->line_size);
	bitmaps = calloc(LINE_NR_BITMAPS * nr_words, sizeof(*bitmaps));
	hidden = calloc(nr_words, sizeof(*hidden));
	lines->pages = calloc(lines->nr_pages, sizeof(*lines->pages));
	host->has_pte = calloc(lines->nr_pages, sizeof(*host->has_pte));
	assert(bitmaps && hidden && lines->pages && host->has_pte);
	for (i = 0; i < REF_MAX_WHO; i++) {
		host->pte[i] = calloc(lines->nr_pages, sizeof(*host->pte[i]));
		assert(host->pte[i]);
	}
	line_set_bitmaps(lines, bitmaps, hidden);
	for (i = 0; i < lines->nr_pages; i++) {
		lines->pages[i].dram = calloc(1, p->page_size);
		assert(lines->pages[i].dram);
	}
	return host;
}

/**
 * host_destroy() - free a buffer
 * @host: the buffer
 */
void host_destroy(struct host *host)
{
	size_t i;

	for (i = 0; i < host->lines.nr_pages; i++) {
		free(host->lines.pages[i].dram);
		free(host->lines.pages[i].cpu);
		free(host->lines.pages[i].twin);
	}
	free(host->lines.pages);
	free(host->lines.valid);
	free(host->lines.hidden);
	free(host->job.map);
	free(host->has_pte);
	for (i = 0; i < REF_MAX_WHO; i++)
		free(host->pte[i]);
	free(host);
}

static bool test_bit(const u64 *bits, size_t bit)
{
	return bits[bit / 64] >> (bit % 64) & 1;
}

/* A new image is filled with garbage, as a reused page would be. */
static u8 *new_image(const struct host *host)
{
	u8 *image = malloc(host->p.page_size);

	assert(image);
	memset(image, 0xa5, host->p.page_size);
	return image;
}

static void take_images_back(struct host *host)
{
	size_t i;

	for (i = 0; i < host->lines.nr_pages; i++) {
		struct line_page *page = &host->lines.pages[i];

		if (line_page_has_valid(&host->lines, i))
			continue;
		free(page->cpu);
		free(page->twin);
		page->cpu = NULL;
		page->twin = NULL;
	}
}

static void add_twins(struct host *host, size_t first, size_t last)
{
	size_t i;

	for (i = first; i <= last && i < host->lines.nr_pages; i++)
		if (line_needs_twin(&host->lines, i))
			line_add_twin(&host->lines, i, new_image(host));
}

/* Removes the PTEs of pages [first, last]. */
static void unmap(struct host *host, size_t first, size_t last)
{
	size_t i;

	for (i = 0; i < REF_MAX_WHO; i++)
		memset(host->pte[i] + first, 0,
		       (last + 1 - first) * sizeof(*host->pte[i]));
}

static void revoke(struct host *host, size_t first, size_t last)
{
	unmap(host, first, last);
	memset(host->has_pte + first, 0,
	       (last + 1 - first) * sizeof(*host->has_pte));
}

static void revoke_all(struct host *host)
{
	revoke(host, 0, host->lines.nr_pages - 1);
}

static bool is_held(const struct host *host)
{
	return host->nr_maps[HEAPSIM_DIR_TO_DEVICE] ||
	       host_is_held_by_writer(host);
}

/**
 * host_is_held_by_writer() - check for an importer that may write
 * @host: the buffer
 *
 * Return: true if so.
 */
bool host_is_held_by_writer(const struct host *host)
{
	return host->nr_maps[HEAPSIM_DIR_BIDIRECTIONAL] ||
	       host->nr_maps[HEAPSIM_DIR_FROM_DEVICE] || host->nr_vmaps;
}

/**
 * host_dram() - read a byte of the device view
 * @host: the buffer
 * @off: bytes
 *
 * Return: the byte.
 */
uint8_t host_dram(const struct host *host, size_t off)
{
	return host->lines.pages[off / host->p.page_size]
		.dram[off % host->p.page_size];
}

/**
 * host_cpu() - read a byte of the CPU view
 * @host: the buffer
 * @off: bytes, in a valid line
 *
 * Return: the byte.
 */
uint8_t host_cpu(const struct host *host, size_t off)
{
	const struct line_page *page =
		&host->lines.pages[off / host->p.page_size];
	const u8 *image = page->cpu ? page->cpu :
			  page->twin ? page->twin : page->dram;

	return image[off % host->p.page_size];
}

/**
 * host_line_state() - find the state of a line from the model's bits and images
 * @host: the buffer
 * @line: index
 *
 * Return: the state.
 */
enum ref_state host_line_state(const struct host *host, size_t line)
{
	size_t off = line * host->p.line_size;
	const struct line_page *page =
		&host->lines.pages[off / host->p.page_size];
	size_t in_page = off % host->p.page_size;

	if (!test_bit(host->lines.valid, line))
		return REF_INVALID;
	if (test_bit(host->lines.stored, line))
		return REF_DIRTY;
	if (test_bit(host->lines.hidden, line)) {
		bool is_stored[REF_MAX_LINE];
		size_t i;

		ref_find_stored(page->cpu + in_page, off, host->p.line_size,
				is_stored);
		for (i = 0; i < host->p.line_size; i++)
			if (is_stored[i])
				return REF_DIRTY;
		return REF_CLEAN;
	}
	if (page->cpu && memcmp(page->cpu + in_page,
				(page->twin ? page->twin : page->dram) +
				in_page, host->p.line_size))
		return REF_DIRTY;
	return REF_CLEAN;
}

static void tell_access(struct host *host, size_t off)
{
	host->lines.count.unbracketed_accesses++;
	ref_told_add(&host->told[HEAPSIM_RECORD_UNBRACKETED_ACCESS], 1,
		     off / host->p.line_size * host->p.line_size,
		     host->p.line_size);
}

/**
 * host_touch() - handle a fault
 * @host: the buffer
 * @off: address of the fault
 * @access: read or write
 * @who: the process
 */
void host_touch(struct host *host, size_t off, enum line_access access,
		unsigned int who)
{
	const struct line_bracket *open = &host->brackets[who];
	size_t first = off / host->p.fill_size * host->p.fill_size;
	size_t page = off / host->p.page_size;
	size_t at;
	u64 nr_filled = 0;

	if (access == LINE_WRITE ? is_held(host) && !open->nr_write :
	    host_is_held_by_writer(host) && !open->nr_read)
		tell_access(host, off);
	for (at = first; at < first + host->p.fill_size && at < host->p.len;
	     at += host->p.page_size)
		nr_filled += line_fill_page(&host->lines,
					    at / host->p.page_size);
	if (nr_filled)
		host->lines.count.fills++;
	if (host_is_held_by_writer(host))
		add_twins(host, first / host->p.page_size,
			  at / host->p.page_size - 1);
	if (access == LINE_WRITE && !host->lines.pages[page].cpu)
		line_add_cpu(&host->lines, page, new_image(host));
	if (access == LINE_WRITE ? line_hide_page(&host->lines, page, open) :
				   line_show_page(&host->lines, page, open))
		revoke(host, page, page);
	line_touch(&host->lines, off, access, who);
	host->has_pte[page] = true;
	if (access == LINE_WRITE)
		host->pte[who][page] = REF_PTE_WRITE;
	else if (host->pte[who][page] == REF_NO_PTE)
		host->pte[who][page] = REF_PTE_READ;
}

/**
 * host_store() - store bytes through a writable PTE
 * @host: the buffer
 * @off: first byte
 * @bytes: what is stored
 * @len: how many, not past the page
 */
void host_store(struct host *host, size_t off, const uint8_t *bytes, size_t len)
{
	u8 *image = host->lines.pages[off / host->p.page_size].cpu;

	assert(image);
	memcpy(image + off % host->p.page_size, bytes, len);
}

/**
 * host_write() - handle a write fault, then store bytes
 * @host: the buffer
 * @off: first byte
 * @bytes: what is stored
 * @len: how many, not past the page
 * @who: the process
 */
void host_write(struct host *host, size_t off, const uint8_t *bytes,
		size_t len, unsigned int who)
{
	host_touch(host, off, LINE_WRITE, who);
	host_store(host, off, bytes, len);
}

static void write_dram(struct host *host, size_t off, const uint8_t *bytes,
		       size_t len)
{
	size_t i;

	for (i = off; i < off + len; i++)
		host->lines.pages[i / host->p.page_size]
			.dram[i % host->p.page_size] = bytes[i - off];
}

static struct line_job *job_of(struct host *host)
{
	return host->job.map ? &host->job : NULL;
}

/**
 * host_job_start() - begin a job, which does all engine accesses until its end
 * @host: the buffer; no job is running
 * @off: first byte
 * @len: how many, at least 1
 * @is_write: it will write them
 */
void host_job_start(struct host *host, size_t off, size_t len, bool is_write)
{
	size_t nr_words = line_job_words(off, len, host->lines.line_shift);
	u64 *map = calloc(nr_words, sizeof(*map));

	assert(map && !host->job.map);
	line_job_init(&host->job, map, off, host->lines.line_shift);
	if (is_write)
		line_engine_will_write(&host->lines, off, len, &host->job);
	else
		line_engine_read(&host->lines, off, len, &host->job);
}

/**
 * host_job_end() - end the job
 * @host: the buffer
 */
void host_job_end(struct host *host)
{
	free(host->job.map);
	host->job.map = NULL;
}

/**
 * host_engine_read() - read by an engine
 * @host: the buffer
 * @off: first byte
 * @len: how many
 */
void host_engine_read(struct host *host, size_t off, size_t len)
{
	line_engine_read(&host->lines, off, len, job_of(host));
}

/**
 * host_engine_write() - write by an engine
 * @host: the buffer
 * @off: first byte
 * @bytes: what it writes
 * @len: how many, at least 1
 */
void host_engine_write(struct host *host, size_t off, const uint8_t *bytes,
		       size_t len)
{
	add_twins(host, off / host->p.page_size,
		  (off + len - 1) / host->p.page_size);
	line_engine_write(&host->lines, off, len, job_of(host));
	write_dram(host, off, bytes, len);
	revoke_all(host);
}

/**
 * host_clean() - clean a range
 * @host: the buffer
 * @off: first byte
 * @len: how many
 */
void host_clean(struct host *host, size_t off, size_t len)
{
	struct line_op op;
	size_t i;

	if (!len)
		return;
	unmap(host, off / host->p.page_size,
	      (off + len - 1) / host->p.page_size);
	line_op_begin(&op, off, len);
	for (i = off / host->p.page_size;
	     i <= (off + len - 1) / host->p.page_size; i++)
		line_clean_page(&host->lines, i, &op);
	line_clean_end(&host->lines, &op);
}

/*
 * line_op_begin() permits the host to skip pages without valid lines and engine
 * writes. A page with an edge of the range must not be skipped, since a line
 * that is partly inside counts in any state.
 */
static bool may_leave_out(const struct host *host, size_t page, size_t off,
			  size_t end)
{
	size_t nr_lines = host->p.page_size / host->p.line_size;
	size_t i;

	if (page * host->p.page_size < off ||
	    (page + 1) * host->p.page_size > end)
		return false;
	for (i = page * nr_lines; i < (page + 1) * nr_lines; i++)
		if (test_bit(host->lines.valid, i) ||
		    test_bit(host->lines.written, i))
			return false;
	return true;
}

/**
 * host_invalidate() - invalidate a range
 * @host: the buffer
 * @off: first byte
 * @len: how many
 */
void host_invalidate(struct host *host, size_t off, size_t len)
{
	struct line_op op;
	size_t i;

	if (!len)
		return;
	revoke(host, off / host->p.page_size,
	       (off + len - 1) / host->p.page_size);
	line_op_begin(&op, off, len);
	for (i = off / host->p.page_size;
	     i <= (off + len - 1) / host->p.page_size; i++)
		if (!may_leave_out(host, i, off, off + len))
			line_invalidate_page(&host->lines, i, &op);
	line_invalidate_end(&host->lines, &op, host_is_held_by_writer(host));
	take_images_back(host);
}

/**
 * host_take_in() - invalidate, as for START with READ, unmap and last vunmap
 * @host: the buffer
 */
void host_take_in(struct host *host)
{
	struct line_op op;
	size_t i;

	revoke_all(host);
	line_op_begin(&op, 0, host->p.len);
	for (i = 0; i < host->lines.nr_pages; i++) {
		u32 writer = host->lines.pages[i].writer;
		bool keep_dirty = writer && host->brackets[writer].nr_write;

		if (!may_leave_out(host, i, 0, host->p.len))
			line_take_in_page(&host->lines, i, keep_dirty, &op);
	}
	line_invalidate_end(&host->lines, &op, host_is_held_by_writer(host));
	take_images_back(host);
}

/**
 * host_compare() - compare lines, as before each START, END and release
 * @host: the buffer
 */
void host_compare(struct host *host)
{
	bool is_reading = false;
	unsigned int who;
	size_t i;

	for (who = 0; who < REF_MAX_WHO; who++)
		is_reading |= host->brackets[who].nr_read > 0;
	if (!is_reading || !host_is_held_by_writer(host))
		return;
	for (i = 0; i < host->lines.nr_pages; i++)
		if (host->has_pte[i])
			line_compare_page(&host->lines, i);
	revoke_all(host);
}

/* The same functions as a table, for random sequences */

static void *op_create(const struct ref_params *p)
{
	return host_create(p);
}

static void *op_create_unseen(const struct ref_params *p)
{
	struct host *host = host_create(p);

	host->has_unseen = true;
	return host;
}

static bool is_seen(const struct host *host, size_t off, enum ref_pte touch,
		    unsigned int who)
{
	return !host->has_unseen ||
	       host->pte[who][off / host->p.page_size] < touch;
}

static void op_destroy(void *subject)
{
	host_destroy(subject);
}

static int op_cpu_read(void *subject, size_t off, uint8_t *bytes, size_t len,
		       unsigned int who)
{
	size_t i;

	if (is_seen(subject, off, REF_PTE_READ, who))
		host_touch(subject, off, LINE_READ, who);
	for (i = 0; i < len; i++)
		bytes[i] = host_cpu(subject, off + i);
	return 0;
}

static int op_cpu_write(void *subject, size_t off, const uint8_t *bytes,
			size_t len, unsigned int who)
{
	if (is_seen(subject, off, REF_PTE_WRITE, who))
		host_write(subject, off, bytes, len, who);
	else
		host_store(subject, off, bytes, len);
	return 0;
}

static int op_cpu_store(void *subject, size_t off, const uint8_t *bytes,
			size_t len)
{
	host_store(subject, off, bytes, len);
	return 0;
}

static int op_job_start(void *subject, size_t off, size_t len, bool is_write)
{
	host_job_start(subject, off, len, is_write);
	return 0;
}

static int op_job_end(void *subject)
{
	host_job_end(subject);
	return 0;
}

static int op_engine_read(void *subject, size_t off, uint8_t *bytes,
			  size_t len)
{
	struct host *host = subject;
	size_t i;

	host_engine_read(host, off, len);
	for (i = 0; i < len; i++)
		bytes[i] = host_dram(host, off + i);
	return 0;
}

static int op_engine_write(void *subject, size_t off, const uint8_t *bytes,
			   size_t len)
{
	host_engine_write(subject, off, bytes, len);
	return 0;
}

static int op_holder_write(void *subject, size_t off, const uint8_t *bytes,
			   size_t len)
{
	write_dram(subject, off, bytes, len);
	return 0;
}

static int op_maintain(void *subject, unsigned int op, size_t off, size_t len)
{
	if (op & HEAPSIM_MAINT_CLEAN)
		host_clean(subject, off, len);
	if (op & HEAPSIM_MAINT_INVALIDATE)
		host_invalidate(subject, off, len);
	return 0;
}

static int op_evict(void *subject, size_t line)
{
	struct host *host = subject;

	revoke(host, line * host->p.line_size / host->p.page_size,
	       line * host->p.line_size / host->p.page_size);
	line_evict(&host->lines, line);
	take_images_back(host);
	return 0;
}

static int op_sync_start(void *subject, unsigned int who, unsigned int dir)
{
	struct host *host = subject;
	struct line_bracket *open = &host->brackets[who];
	bool could_hide = line_bracket_hides(open);

	host_compare(host);
	if (dir & REF_READ)
		host_take_in(host);
	line_bracket_open(&host->lines, open, dir);
	if (!could_hide && line_bracket_hides(open))
		revoke_all(host);
	return 0;
}

static int op_sync_end(void *subject, unsigned int who, unsigned int dir)
{
	struct host *host = subject;

	host_compare(host);
	if (!line_bracket_close(&host->lines, &host->brackets[who], dir)) {
		host->lines.count.unmatched_ends++;
		ref_told_add(&host->told[HEAPSIM_RECORD_UNMATCHED_END], 1, 0,
			     host->p.len);
	}
	if (dir & REF_WRITE)
		host_clean(host, 0, host->p.len);
	if (is_held(host))
		revoke_all(host);
	return 0;
}

static int op_process_end(void *subject, unsigned int who)
{
	struct host *host = subject;
	struct line_bracket *open = &host->brackets[who];

	host->lines.count.missing_ends += open->nr_write;
	if (open->nr_write)
		ref_told_add(&host->told[HEAPSIM_RECORD_MISSING_END],
			     open->nr_write, 0, host->p.len);
	if (open->nr_read > open->nr_write)
		ref_told_add(&host->told[HEAPSIM_RECORD_UNENDED_READ],
			     open->nr_read - open->nr_write, 0, host->p.len);
	line_bracket_end(&host->lines, open);
	return 0;
}

static int op_map(void *subject, unsigned int dir)
{
	struct host *host = subject;

	host_clean(host, 0, host->p.len);
	revoke_all(host);
	host->nr_maps[dir]++;
	if (host_is_held_by_writer(host))
		add_twins(host, 0, host->lines.nr_pages - 1);
	return 0;
}

static int op_unmap(void *subject, unsigned int dir)
{
	struct host *host = subject;

	host_compare(host);
	if (dir != HEAPSIM_DIR_TO_DEVICE)
		host_take_in(host);
	host->nr_maps[dir]--;
	return 0;
}

static int op_vmap(void *subject)
{
	struct host *host = subject;

	if (!host->nr_vmaps) {
		host_clean(host, 0, host->p.len);
		revoke_all(host);
	}
	host->nr_vmaps++;
	add_twins(host, 0, host->lines.nr_pages - 1);
	return 0;
}

static int op_vunmap(void *subject)
{
	struct host *host = subject;

	if (host->nr_vmaps == 1) {
		host_compare(host);
		host_take_in(host);
	}
	host->nr_vmaps--;
	return 0;
}

static int op_counters(void *subject, struct heapsim_counters *count)
{
	const struct host *host = subject;

	_Static_assert(sizeof(*count) == sizeof(host->lines.count),
		       "the same counters");
	memcpy(count, &host->lines.count, sizeof(*count));
	return 0;
}

static int op_told(void *subject, struct ref_told *told)
{
	struct host *host = subject;

	memcpy(told, host->told, sizeof(host->told));
	memset(host->told, 0, sizeof(host->told));
	return 0;
}

/* Compares the three images of the line that begins at @off. */
static int compare_line(const struct host *host, const struct ref *ref,
			size_t off)
{
	const struct line_page *page =
		&host->lines.pages[off / host->p.page_size];
	const u8 *twin = page->twin ? page->twin : page->dram;
	const u8 *cpu = page->cpu ? page->cpu : twin;
	size_t in_page = off % host->p.page_size;
	size_t len = host->p.line_size;
	const char *what = NULL;

	if (memcmp(page->dram + in_page, ref->dram + off, len))
		what = "DRAM";
	else if (!ref->lines[off / len].is_valid)
		return 0;
	else if (memcmp(cpu + in_page, ref->cpu + off, len))
		what = "CPU view";
	else if (memcmp(twin + in_page, ref->fill + off, len))
		what = "twin";
	if (!what)
		return 0;
	fprintf(stderr, "# %s differs in the line at %#zx\n", what, off);
	return -EINVAL;
}

static int op_compare(void *subject, const struct ref *ref)
{
	struct host *host = subject;
	size_t i;
	int ret;

	for (i = 0; i < ref_nr_lines(ref); i++) {
		if (host_line_state(host, i) == ref_line_state(ref, i))
			continue;
		fprintf(stderr, "# line %zu at %#zx: state %d, reference %d\n",
			i, i * ref->p.line_size, host_line_state(host, i),
			ref_line_state(ref, i));
		return -EINVAL;
	}
	for (i = 0; i < ref->p.len; i += ref->p.line_size) {
		ret = compare_line(host, ref, i);
		if (ret)
			return ret;
	}
	return 0;
}

/* The tables differ in the accesses that are seen. */
#define HOST_OPS(what, begin) {						\
	.name = what,							\
	.create = begin,						\
	.nr_who = 2,							\
	.destroy = op_destroy,						\
	.cpu_read = op_cpu_read,					\
	.cpu_write = op_cpu_write,					\
	.cpu_store = op_cpu_store,					\
	.job_start = op_job_start,					\
	.job_end = op_job_end,						\
	.engine_read = op_engine_read,					\
	.engine_write = op_engine_write,				\
	.holder_write = op_holder_write,				\
	.maintain = op_maintain,					\
	.evict = op_evict,						\
	.sync_start = op_sync_start,					\
	.sync_end = op_sync_end,					\
	.process_end = op_process_end,					\
	.map = op_map,							\
	.unmap = op_unmap,						\
	.vmap = op_vmap,						\
	.vunmap = op_vunmap,						\
	.counters = op_counters,					\
	.compare = op_compare,						\
	.told = op_told,						\
}

const struct subject_ops host_ops = HOST_OPS("model", op_create);

const struct subject_ops host_unseen_ops =
	HOST_OPS("model, what is unseen", op_create_unseen);
