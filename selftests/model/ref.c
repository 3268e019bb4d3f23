// SPDX-License-Identifier: GPL-2.0-only
/*
 * See ref.h. Each function implements one sentence or row of DESIGN 2.2 or 2.3.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ref.h"

/**
 * ref_create() - make a zeroed buffer, all lines Invalid
 * @p: shape
 *
 * Return: the buffer; the program ends if out of memory.
 */
struct ref *ref_create(const struct ref_params *p)
{
	struct ref *ref = calloc(1, sizeof(*ref));

	assert(ref && p->len && p->len % p->page_size == 0);
	ref->p = *p;
	ref->dram = calloc(p->len, 1);
	ref->cpu = calloc(p->len, 1);
	ref->fill = calloc(p->len, 1);
	ref->in_run = calloc(p->len, sizeof(*ref->in_run));
	ref->lines = calloc(p->len / p->line_size, sizeof(*ref->lines));
	ref->is_missed = calloc(ref_nr_lines(ref), sizeof(*ref->is_missed));
	ref->is_crossed = calloc(ref_nr_lines(ref), sizeof(*ref->is_crossed));
	ref->writer = calloc(p->len / p->page_size, sizeof(*ref->writer));
	ref->is_open = calloc(p->len / p->page_size, sizeof(*ref->is_open));
	ref->pte = calloc(p->len / p->page_size, sizeof(*ref->pte));
	assert(ref->dram && ref->cpu && ref->fill && ref->in_run &&
	       ref->lines && ref->is_missed && ref->is_crossed &&
	       ref->writer && ref->is_open && ref->pte);
	return ref;
}

/**
 * ref_destroy() - free a buffer
 * @ref: the buffer, or NULL
 */
void ref_destroy(struct ref *ref)
{
	if (!ref)
		return;
	free(ref->dram);
	free(ref->cpu);
	free(ref->fill);
	free(ref->in_run);
	free(ref->lines);
	free(ref->is_missed);
	free(ref->is_crossed);
	free(ref->writer);
	free(ref->is_open);
	free(ref->pte);
	free(ref);
}

/**
 * ref_told_add() - add to the reports of a kind
 * @told: reports of the kind
 * @nr: number of lines or operations
 * @off: first byte
 * @len: bytes up to the end of the last one
 */
void ref_told_add(struct ref_told *told, uint64_t nr, size_t off, size_t len)
{
	if (!told->nr || off < told->off)
		told->off = off;
	if (off + len > told->end)
		told->end = off + len;
	told->nr += nr;
}

static void tell_line(struct ref *ref, unsigned int kind, size_t line)
{
	ref_told_add(&ref->told[kind], 1, line * ref->p.line_size,
		     ref->p.line_size);
}

/**
 * ref_nr_lines() - count the lines of a buffer
 * @ref: the buffer
 *
 * Return: number of lines.
 */
size_t ref_nr_lines(const struct ref *ref)
{
	return ref->p.len / ref->p.line_size;
}

/**
 * ref_pattern() - compute a byte of the pattern
 * @off: offset in the buffer
 *
 * Return: the byte of splitmix64's output for its group of eight bytes.
 */
uint8_t ref_pattern(size_t off)
{
	uint64_t z = 0x9e3779b97f4a7c15ULL * (off / 8 + 1);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return (uint8_t)(z >> (8 * (off % 8)));
}

/**
 * ref_find_stored() - find the stored bytes of a line that had the pattern
 * @bytes: bytes of the line
 * @off: offset of the line in the buffer
 * @len: size of the line
 * @is_stored: out: for each byte, true if it was stored
 *
 * "Pattern bytes count as not stored only where eight or more are in a row, the
 * others only where there are sixteen or more in the line."
 */
void ref_find_stored(const uint8_t *bytes, size_t off, size_t len,
		     bool *is_stored)
{
	size_t nr_pattern = 0, nr_before, nr_after, i;

	for (i = 0; i < len; i++)
		nr_pattern += bytes[i] == ref_pattern(off + i);
	for (i = 0; i < len; i++) {
		is_stored[i] = bytes[i] != ref_pattern(off + i);
		if (is_stored[i] || nr_pattern >= 16)
			continue;
		for (nr_before = 0; nr_before < i; nr_before++)
			if (bytes[i - 1 - nr_before] !=
			    ref_pattern(off + i - 1 - nr_before))
				break;
		for (nr_after = 0; i + nr_after + 1 < len; nr_after++)
			if (bytes[i + 1 + nr_after] !=
			    ref_pattern(off + i + 1 + nr_after))
				break;
		is_stored[i] = nr_before + 1 + nr_after < 8;
	}
}

/* Finds the stored bytes of a valid line, as far as their values show. */
static void find_changed(const struct ref *ref, size_t line, bool *is_changed)
{
	size_t off = line * ref->p.line_size;
	size_t i;

	if (ref->lines[line].has_aside) {
		ref_find_stored(ref->cpu + off, off, ref->p.line_size,
				is_changed);
		return;
	}
	for (i = 0; i < ref->p.line_size; i++)
		is_changed[i] = ref->cpu[off + i] != ref->fill[off + i];
}

static bool line_bytes_changed(const struct ref *ref, size_t line)
{
	size_t off = line * ref->p.line_size;
	bool is_changed[REF_MAX_LINE];

	if (!ref->lines[line].has_aside)
		return memcmp(ref->cpu + off, ref->fill + off,
			      ref->p.line_size) != 0;
	find_changed(ref, line, is_changed);
	return memchr(is_changed, true, ref->p.line_size);
}

/**
 * ref_line_state() - find whether a line is Invalid, Clean or Dirty
 * @ref: the buffer
 * @line: index
 *
 * Return: the state.
 */
enum ref_state ref_line_state(const struct ref *ref, size_t line)
{
	if (!ref->lines[line].is_valid)
		return REF_INVALID;
	if (ref->lines[line].is_stored || line_bytes_changed(ref, line))
		return REF_DIRTY;
	return REF_CLEAN;
}

/**
 * ref_line_is_stale() - check if DRAM differs from the fill of a valid line
 * @ref: the buffer
 * @line: index
 *
 * If the old bytes are aside, bytes stored since then are not stale.
 *
 * Return: true if so; an Invalid line is never stale.
 */
bool ref_line_is_stale(const struct ref *ref, size_t line)
{
	size_t off = line * ref->p.line_size;
	bool is_stored[REF_MAX_LINE] = { false };
	size_t i;

	if (!ref->lines[line].is_valid ||
	    !memcmp(ref->dram + off, ref->fill + off, ref->p.line_size))
		return false;
	if (ref->lines[line].has_aside)
		find_changed(ref, line, is_stored);
	for (i = 0; i < ref->p.line_size; i++)
		if (ref->dram[off + i] != ref->fill[off + i] && !is_stored[i])
			return true;
	return false;
}

/**
 * ref_is_held() - check if an importer has the buffer mapped or vmapped
 * @ref: the buffer
 *
 * Return: true if so.
 */
bool ref_is_held(const struct ref *ref)
{
	return ref->nr_maps[HEAPSIM_DIR_TO_DEVICE] ||
	       ref_is_held_by_writer(ref);
}

/**
 * ref_is_held_by_writer() - check if an importer that holds the buffer may
 * write
 * @ref: the buffer
 *
 * Return: true if so.
 */
bool ref_is_held_by_writer(const struct ref *ref)
{
	return ref->nr_maps[HEAPSIM_DIR_BIDIRECTIONAL] ||
	       ref->nr_maps[HEAPSIM_DIR_FROM_DEVICE] || ref->nr_vmaps;
}

/* Makes the next access to each page of a range seen. */
static void close_pages(struct ref *ref, size_t off, size_t len)
{
	size_t page;

	for (page = off / ref->p.page_size;
	     page * ref->p.page_size < off + len; page++) {
		ref->is_open[page] = false;
		ref->pte[page] = REF_NO_PTE;
	}
}

/**
 * ref_revoke() - make the next access to every page seen
 * @ref: the buffer
 */
void ref_revoke(struct ref *ref)
{
	close_pages(ref, 0, ref->p.len);
}

/* "While a buffer is held, its Clean lines are compared with DRAM ..." */
static void compare_clean_lines(struct ref *ref)
{
	bool is_reading = false;
	unsigned int who;
	size_t i;

	for (who = 0; who < REF_MAX_WHO; who++)
		is_reading |= ref->brackets[who].nr_read > 0;
	if (!is_reading || !ref_is_held_by_writer(ref))
		return;
	for (i = 0; i < ref_nr_lines(ref); i++) {
		if (!ref->is_open[i * ref->p.line_size / ref->p.page_size] ||
		    ref_line_state(ref, i) != REF_CLEAN ||
		    !ref_line_is_stale(ref, i))
			continue;
		ref->count.stale_reads++;
		tell_line(ref, HEAPSIM_RECORD_STALE_READ, i);
	}
	ref_revoke(ref);
}

/* Any touch fills all Invalid lines of its fill granule. */
static void fill_granule(struct ref *ref, size_t off)
{
	ref_fetch(ref, off - off % ref->p.fill_size, ref->p.fill_size);
}

/**
 * ref_fetch() - let the cache fetch Invalid lines
 * @ref: the buffer
 * @off: offset of the first line
 * @len: number of bytes; may exceed the buffer
 */
void ref_fetch(struct ref *ref, size_t off, size_t len)
{
	size_t nr_filled = 0;
	size_t at;

	for (at = off; at < off + len && at < ref->p.len;
	     at += ref->p.line_size) {
		struct ref_line *line = &ref->lines[at / ref->p.line_size];

		if (line->is_valid)
			continue;
		memcpy(ref->fill + at, ref->dram + at, ref->p.line_size);
		memcpy(ref->cpu + at, ref->dram + at, ref->p.line_size);
		line->is_valid = true;
		line->is_stored = false;
		nr_filled++;
	}
	if (nr_filled)
		ref->count.fills++;
	ref->count.lines_filled += nr_filled;
}

/**
 * ref_would_fill() - check if an access fills lines, also in other pages
 * @ref: buffer
 * @off: offset of the access
 *
 * A subject that does not see the access would fill nothing.
 *
 * Return: true if a line of the granule is Invalid; false if a granule is a
 * page, in which each access that fills is seen.
 */
bool ref_would_fill(const struct ref *ref, size_t off)
{
	size_t at = off - off % ref->p.fill_size;
	size_t end = at + ref->p.fill_size;

	if (ref->p.fill_size == ref->p.page_size)
		return false;
	for (; at < end && at < ref->p.len; at += ref->p.line_size)
		if (!ref->lines[at / ref->p.line_size].is_valid)
			return true;
	return false;
}

/* Returns true if the access faults. */
static bool is_seen(const struct ref *ref, size_t off, enum ref_pte touch)
{
	return !ref->has_unseen || ref->pte[off / ref->p.page_size] < touch;
}

static void open_page(struct ref *ref, size_t off, enum ref_pte touch)
{
	size_t page = off / ref->p.page_size;

	ref->is_open[page] = true;
	if (ref->pte[page] < touch)
		ref->pte[page] = touch;
}

/* "In a bracket for WRITE alone or in none" */
static bool may_put_aside(const struct ref_brackets *open)
{
	return open->nr_write_alone || open->nr_read + open->nr_write == 0;
}

/* "The page's Clean stale lines are filled with a pattern" */
static void put_old_bytes_aside(struct ref *ref, size_t off)
{
	size_t page = off - off % ref->p.page_size;
	size_t at, i;

	for (at = page; at < page + ref->p.page_size; at += ref->p.line_size) {
		struct ref_line *line = &ref->lines[at / ref->p.line_size];

		if (line->has_aside ||
		    ref_line_state(ref, at / ref->p.line_size) != REF_CLEAN ||
		    !ref_line_is_stale(ref, at / ref->p.line_size))
			continue;
		line->has_aside = true;
		for (i = at; i < at + ref->p.line_size; i++)
			ref->cpu[i] = ref_pattern(i);
		ref->pte[page / ref->p.page_size] = REF_NO_PTE;
	}
}

/* "Its lines with bytes aside and no store: the old bytes again" */
static void give_old_bytes_back(struct ref *ref, size_t off)
{
	size_t page = off - off % ref->p.page_size;
	size_t at;

	for (at = page; at < page + ref->p.page_size; at += ref->p.line_size) {
		struct ref_line *line = &ref->lines[at / ref->p.line_size];

		if (!line->has_aside ||
		    ref_line_state(ref, at / ref->p.line_size) == REF_DIRTY)
			continue;
		line->has_aside = false;
		memcpy(ref->cpu + at, ref->fill + at, ref->p.line_size);
		ref->pte[page / ref->p.page_size] = REF_NO_PTE;
	}
}

/**
 * ref_cpu_read() - handle the read fault of a process
 * @ref: the buffer
 * @off: the address of the fault
 * @who: the process
 *
 * Afterwards @cpu has the bytes that the process reads.
 */
void ref_cpu_read(struct ref *ref, size_t off, unsigned int who)
{
	size_t index = off / ref->p.line_size;
	struct ref_line *line = &ref->lines[index];

	if (ref_is_held_by_writer(ref) && !ref->brackets[who].nr_read) {
		ref->count.unbracketed_accesses++;
		tell_line(ref, HEAPSIM_RECORD_UNBRACKETED_ACCESS, index);
	}
	fill_granule(ref, off);
	if (is_seen(ref, off, REF_PTE_READ) && !ref->brackets[who].nr_read)
		give_old_bytes_back(ref, off);
	if (ref_line_is_stale(ref, index)) {
		ref->count.stale_reads++;
		tell_line(ref, HEAPSIM_RECORD_STALE_READ, index);
	} else if (line->is_engine_written && !line->is_settled &&
		   ref_line_state(ref, index) != REF_DIRTY) {
		ref->count.possible_stale_reads++;
		tell_line(ref, HEAPSIM_RECORD_POSSIBLE_STALE_READ, index);
	}
	line->is_settled = true;
	open_page(ref, off, REF_PTE_READ);
}

/**
 * ref_cpu_write_fault() - handle a write fault, before the store
 * @ref: the buffer
 * @off: the address of the fault
 * @who: the process
 */
void ref_cpu_write_fault(struct ref *ref, size_t off, unsigned int who)
{
	if (ref_is_held(ref) && !ref->brackets[who].nr_write) {
		ref->count.unbracketed_accesses++;
		tell_line(ref, HEAPSIM_RECORD_UNBRACKETED_ACCESS,
			  off / ref->p.line_size);
	}
	fill_granule(ref, off);
	if (is_seen(ref, off, REF_PTE_WRITE) &&
	    may_put_aside(&ref->brackets[who]))
		put_old_bytes_aside(ref, off);
	ref->lines[off / ref->p.line_size].is_stored = true;
	ref->writer[off / ref->p.page_size] = who;
	open_page(ref, off, REF_PTE_WRITE);
}

/**
 * ref_cpu_write() - handle a write fault and the stores after it
 * @ref: the buffer
 * @off: the address of the fault, and of the first byte
 * @bytes: bytes stored before the PTE is revoked again
 * @len: number of bytes, not past the page
 * @who: the process
 */
void ref_cpu_write(struct ref *ref, size_t off, const uint8_t *bytes,
		   size_t len, unsigned int who)
{
	ref_cpu_write_fault(ref, off, who);
	ref_cpu_store(ref, off, bytes, len);
}

/**
 * ref_cpu_store() - store through an existing PTE, which is not seen
 * @ref: the buffer
 * @off: first byte
 * @bytes: what is stored
 * @len: how many, not past the page, all in valid lines
 */
void ref_cpu_store(struct ref *ref, size_t off, const uint8_t *bytes,
		   size_t len)
{
	assert(off / ref->p.page_size == (off + len - 1) / ref->p.page_size);
	assert(ref->lines[off / ref->p.line_size].is_valid);
	memcpy(ref->cpu + off, bytes, len);
}

/*
 * A line with bytes aside that was kept by a clean is Dirty, although all
 * stored bytes are in DRAM. It needs no clean and loses nothing.
 */
static bool is_all_in_dram(const struct ref *ref, size_t line)
{
	size_t off = line * ref->p.line_size;
	bool is_stored[REF_MAX_LINE];
	size_t i;

	if (!ref->lines[line].has_aside || ref->lines[line].is_stored)
		return false;
	find_changed(ref, line, is_stored);
	for (i = 0; i < ref->p.line_size; i++)
		if (is_stored[i] && ref->cpu[off + i] != ref->dram[off + i])
			return false;
	return true;
}

/* Returns true if the line's dirty bytes conflict with an engine's access. */
static bool is_in_the_way(const struct ref *ref, size_t line)
{
	return ref_line_state(ref, line) == REF_DIRTY &&
	       !is_all_in_dram(ref, line);
}

/**
 * ref_job_start() - begin a job that will access DRAM at some time
 * @ref: the buffer
 * @off: first byte
 * @len: how many
 * @is_write: it will write them
 *
 * From now on the engine may access any of the bytes. Dirty lines are reported
 * now, and not again by later accesses of the same job.
 */
void ref_job_start(struct ref *ref, size_t off, size_t len, bool is_write)
{
	size_t at;

	for (at = off - off % ref->p.line_size; at < off + len;
	     at += ref->p.line_size) {
		size_t i = at / ref->p.line_size;

		if (!is_in_the_way(ref, i))
			continue;
		if (is_write) {
			ref->is_crossed[i] = true;
			ref->count.write_conflicts++;
			tell_line(ref, HEAPSIM_RECORD_WRITE_CONFLICT, i);
		} else {
			ref->is_missed[i] = true;
			ref->count.missing_cleans++;
			tell_line(ref, HEAPSIM_RECORD_MISSING_CLEAN, i);
		}
	}
}

/**
 * ref_job_end() - end the job
 * @ref: the buffer
 */
void ref_job_end(struct ref *ref)
{
	memset(ref->is_missed, 0, ref_nr_lines(ref));
	memset(ref->is_crossed, 0, ref_nr_lines(ref));
}

/**
 * ref_engine_read() - read DRAM by an engine
 * @ref: the buffer
 * @off: first byte
 * @len: how many
 */
void ref_engine_read(struct ref *ref, size_t off, size_t len)
{
	size_t i;

	for (i = 0; i < ref_nr_lines(ref); i++) {
		if ((i + 1) * ref->p.line_size <= off ||
		    i * ref->p.line_size >= off + len || !len)
			continue;
		if (is_in_the_way(ref, i) && !ref->is_missed[i]) {
			ref->count.missing_cleans++;
			tell_line(ref, HEAPSIM_RECORD_MISSING_CLEAN, i);
		}
	}
}

/**
 * ref_engine_write() - write DRAM by an engine
 * @ref: the buffer
 * @off: first byte
 * @bytes: what it writes
 * @len: how many
 */
void ref_engine_write(struct ref *ref, size_t off, const uint8_t *bytes,
		      size_t len)
{
	size_t i;

	for (i = 0; i < ref_nr_lines(ref); i++) {
		if ((i + 1) * ref->p.line_size <= off ||
		    i * ref->p.line_size >= off + len || !len)
			continue;
		if (is_in_the_way(ref, i) && !ref->is_crossed[i]) {
			ref->count.write_conflicts++;
			tell_line(ref, HEAPSIM_RECORD_WRITE_CONFLICT, i);
		}
		ref->lines[i].is_engine_written = true;
		ref->lines[i].is_settled = false;
	}
	memcpy(ref->dram + off, bytes, len);
	ref_revoke(ref);
}

/**
 * ref_holder_write() - write DRAM by an importer that holds the buffer
 * @ref: the buffer
 * @off: first byte
 * @bytes: what it writes
 * @len: how many
 *
 * The write is not seen, except by its bytes.
 */
void ref_holder_write(struct ref *ref, size_t off, const uint8_t *bytes,
		      size_t len)
{
	assert(ref_is_held_by_writer(ref));
	memcpy(ref->dram + off, bytes, len);
}

/* Mark the bytes inside runs of changed bytes, over the whole buffer. */
static void find_runs(struct ref *ref)
{
	size_t nr_since = SIZE_MAX;	/* unchanged bytes since the last */
	size_t i, back;

	for (i = 0; i < ref_nr_lines(ref); i++) {
		bool *is_changed = ref->in_run + i * ref->p.line_size;

		if (ref->lines[i].is_valid)
			find_changed(ref, i, is_changed);
		else
			memset(is_changed, 0,
			       ref->p.line_size * sizeof(*is_changed));
	}
	for (i = 0; i < ref->p.len; i++) {
		bool is_changed = ref->in_run[i];

		if (!is_changed) {
			if (nr_since != SIZE_MAX)
				nr_since++;
			continue;
		}
		if (nr_since < ref->p.line_size)
			for (back = 1; back <= nr_since; back++)
				ref->in_run[i - back] = true;
		nr_since = 0;
	}
}

static void lose_device_write(struct ref *ref, size_t line)
{
	ref->count.lost_device_writes++;
	tell_line(ref, HEAPSIM_RECORD_LOST_DEVICE_WRITE, line);
}

static bool is_any_write_open(const struct ref *ref)
{
	unsigned int who;

	for (who = 0; who < REF_MAX_WHO; who++)
		if (ref->brackets[who].nr_write)
			return true;
	return false;
}

/*
 * "A WRITE bracket open in any process: stored bytes to DRAM; if all are,
 * Clean; else the line stays."
 */
static void clean_stored_bytes(struct ref *ref, size_t line)
{
	size_t off = line * ref->p.line_size;
	bool is_stored[REF_MAX_LINE];
	bool is_whole = true, is_any = false;
	size_t i;

	ref_find_stored(ref->cpu + off, off, ref->p.line_size, is_stored);
	for (i = 0; i < ref->p.line_size; i++) {
		is_whole &= is_stored[i];
		is_any |= is_stored[i];
		if (is_stored[i])
			ref->dram[off + i] = ref->cpu[off + i];
	}
	if (is_any)
		ref->lines[line].is_stored = false;
	ref->count.lines_cleaned++;
	if (!is_whole)
		return;
	memcpy(ref->fill + off, ref->cpu + off, ref->p.line_size);
	ref->lines[line].has_aside = false;
	ref->lines[line].is_settled = true;
}

/* "No WRITE bracket open: stored bytes to DRAM, old bytes for the rest" */
static void clean_with_old_bytes(struct ref *ref, size_t line)
{
	size_t off = line * ref->p.line_size;
	bool is_lost = ref_line_is_stale(ref, line);
	bool is_stored[REF_MAX_LINE];
	size_t i;

	ref_find_stored(ref->cpu + off, off, ref->p.line_size, is_stored);
	if (is_lost)
		lose_device_write(ref, line);
	for (i = 0; i < ref->p.line_size; i++) {
		bool is_pattern = ref->cpu[off + i] == ref_pattern(off + i);

		if (is_lost ? is_pattern : !is_stored[i])
			ref->cpu[off + i] = ref->fill[off + i];
	}
	ref->lines[line].has_aside = false;
}

/* The rows "clean of ...". Runs have been found. */
static void clean_line(struct ref *ref, size_t line)
{
	size_t off = line * ref->p.line_size;
	bool is_lost = false;
	size_t i;

	if (ref_line_state(ref, line) != REF_DIRTY) {
		if (!ref->lines[line].has_aside || is_any_write_open(ref))
			return;
		ref->lines[line].has_aside = false;
		memcpy(ref->cpu + off, ref->fill + off, ref->p.line_size);
		return;
	}
	if (ref->lines[line].has_aside) {
		if (is_any_write_open(ref)) {
			clean_stored_bytes(ref, line);
			return;
		}
		clean_with_old_bytes(ref, line);
	} else {
		for (i = off; i < off + ref->p.line_size; i++)
			if (ref->cpu[i] == ref->fill[i] && !ref->in_run[i] &&
			    ref->dram[i] != ref->fill[i])
				is_lost = true;
		if (is_lost)
			lose_device_write(ref, line);
	}
	memcpy(ref->dram + off, ref->cpu + off, ref->p.line_size);
	memcpy(ref->fill + off, ref->cpu + off, ref->p.line_size);
	ref->lines[line].is_stored = false;
	ref->lines[line].is_settled = true;
	ref->count.lines_cleaned++;
}

/* Makes the line Invalid, and resets the mark of an engine's write. */
static void drop_line(struct ref *ref, size_t line)
{
	if (ref->lines[line].is_valid)
		ref->count.lines_invalidated++;
	memset(&ref->lines[line], 0, sizeof(ref->lines[line]));
}

/**
 * ref_clean() - write Dirty lines of a range back
 * @ref: the buffer
 * @off: first byte
 * @len: how many; 0 does nothing
 */
void ref_clean(struct ref *ref, size_t off, size_t len)
{
	size_t nr_dirty = 0;
	size_t i;

	if (!len)
		return;
	for (i = off / ref->p.page_size; i * ref->p.page_size < off + len; i++)
		ref->pte[i] = REF_NO_PTE;
	find_runs(ref);
	for (i = off / ref->p.line_size;
	     i <= (off + len - 1) / ref->p.line_size; i++) {
		if (ref_line_state(ref, i) == REF_DIRTY)
			nr_dirty++;
		clean_line(ref, i);
	}
	if (!nr_dirty) {
		ref->count.redundant_cleans++;
		ref_told_add(&ref->told[HEAPSIM_RECORD_REDUNDANT_CLEAN], 1,
			     off, len);
	}
}

/* Returns true if an invalidate of these lines has an effect. */
static bool is_any_line_of_interest(const struct ref *ref, size_t first,
				    size_t last)
{
	size_t i;

	for (i = first; i <= last; i++)
		if (ref->lines[i].is_valid || ref->lines[i].is_engine_written)
			return true;
	return ref_is_held_by_writer(ref);
}

static void redundant_invalidate(struct ref *ref, size_t off, size_t len)
{
	ref->count.redundant_invalidates++;
	ref_told_add(&ref->told[HEAPSIM_RECORD_REDUNDANT_INVALIDATE], 1, off,
		     len);
}

static void lose_cpu_write(struct ref *ref, size_t line)
{
	ref->count.lost_cpu_writes++;
	tell_line(ref, HEAPSIM_RECORD_LOST_CPU_WRITE, line);
}

/**
 * ref_invalidate() - drop the lines of a range
 * @ref: the buffer
 * @off: first byte
 * @len: how many; 0 does nothing
 */
void ref_invalidate(struct ref *ref, size_t off, size_t len)
{
	size_t first = off / ref->p.line_size;
	size_t last;
	size_t i;

	if (!len)
		return;
	last = (off + len - 1) / ref->p.line_size;
	if (!is_any_line_of_interest(ref, first, last))
		redundant_invalidate(ref, off, len);
	close_pages(ref, off, len);
	find_runs(ref);
	for (i = first; i <= last; i++) {
		if (i * ref->p.line_size < off ||
		    (i + 1) * ref->p.line_size > off + len) {
			ref->count.shared_lines++;
			tell_line(ref, HEAPSIM_RECORD_SHARED_LINE, i);
			clean_line(ref, i);
		} else if (ref_line_state(ref, i) == REF_DIRTY &&
			   line_bytes_changed(ref, i) &&
			   !is_all_in_dram(ref, i)) {
			lose_cpu_write(ref, i);
		}
		drop_line(ref, i);
	}
}

/**
 * ref_clean_invalidate() - clean and then invalidate a range
 * @ref: the buffer
 * @off: first byte
 * @len: how many; 0 does nothing
 */
void ref_clean_invalidate(struct ref *ref, size_t off, size_t len)
{
	ref_clean(ref, off, len);
	ref_invalidate(ref, off, len);
}

static void clean_all(struct ref *ref)
{
	ref_clean(ref, 0, ref->p.len);
}

static void take_in(struct ref *ref)
{
	size_t i;

	if (!is_any_line_of_interest(ref, 0, ref_nr_lines(ref) - 1))
		redundant_invalidate(ref, 0, ref->p.len);
	ref_revoke(ref);
	find_runs(ref);
	for (i = 0; i < ref_nr_lines(ref); i++) {
		size_t page = i * ref->p.line_size / ref->p.page_size;
		unsigned int writer = ref->writer[page];

		if (ref->lines[i].has_aside &&
		    ref_line_state(ref, i) == REF_DIRTY) {
			if (is_any_write_open(ref))
				continue;
			lose_cpu_write(ref, i);
		} else if (ref_line_state(ref, i) == REF_DIRTY) {
			if (writer && ref->brackets[writer].nr_write)
				continue;
			if (!ref_line_is_stale(ref, i))
				clean_line(ref, i);
			else
				lose_cpu_write(ref, i);
		}
		drop_line(ref, i);
	}
}

/**
 * ref_evict() - evict a line
 * @ref: the buffer
 * @line: index
 *
 * Unlike an invalidate, this keeps the mark of an engine's write.
 */
void ref_evict(struct ref *ref, size_t line)
{
	close_pages(ref, line * ref->p.line_size, 1);
	if (!ref->lines[line].is_valid)
		return;
	find_runs(ref);
	clean_line(ref, line);
	if (ref->lines[line].has_aside)
		return;
	ref->lines[line].is_valid = false;
	ref->lines[line].is_stored = false;
	ref->count.evictions++;
}

/**
 * ref_sync_start() - DMA_BUF_IOCTL_SYNC START that succeeds
 * @ref: the buffer
 * @who: the process
 * @dir: REF_READ, REF_WRITE or REF_RW
 */
void ref_sync_start(struct ref *ref, unsigned int who, unsigned int dir)
{
	struct ref_brackets *open = &ref->brackets[who];
	bool could = may_put_aside(open);

	compare_clean_lines(ref);
	if (dir & REF_READ)
		take_in(ref);
	if (dir & REF_READ)
		open->nr_read++;
	if (dir & REF_WRITE)
		open->nr_write++;
	if (dir == REF_WRITE)
		open->nr_write_alone++;
	/* Stores have another effect from now on, so they must be seen. */
	if (!could && may_put_aside(open))
		ref_revoke(ref);
}

/**
 * ref_sync_end() - DMA_BUF_IOCTL_SYNC END
 * @ref: the buffer
 * @who: the process
 * @dir: REF_READ, REF_WRITE or REF_RW
 *
 * An END that matches no open bracket in one of its directions closes none.
 */
void ref_sync_end(struct ref *ref, unsigned int who, unsigned int dir)
{
	struct ref_brackets *open = &ref->brackets[who];

	compare_clean_lines(ref);
	if (((dir & REF_READ) && !open->nr_read) ||
	    ((dir & REF_WRITE) && !open->nr_write)) {
		ref->count.unmatched_ends++;
		ref_told_add(&ref->told[HEAPSIM_RECORD_UNMATCHED_END], 1, 0,
			     ref->p.len);
	} else {
		if (dir & REF_READ)
			open->nr_read--;
		if (dir & REF_WRITE)
			open->nr_write--;
		if (open->nr_write_alone &&
		    (dir == REF_WRITE || open->nr_write_alone > open->nr_write))
			open->nr_write_alone--;
	}
	if (dir & REF_WRITE)
		clean_all(ref);
	if (ref_is_held(ref))
		ref_revoke(ref);
}

/**
 * ref_process_end() - end a process, or close all its references to the buffer
 * @ref: the buffer
 * @who: the process
 */
void ref_process_end(struct ref *ref, unsigned int who)
{
	struct ref_brackets *open = &ref->brackets[who];

	ref->count.missing_ends += open->nr_write;
	if (open->nr_write)
		ref_told_add(&ref->told[HEAPSIM_RECORD_MISSING_END],
			     open->nr_write, 0, ref->p.len);
	if (open->nr_read > open->nr_write)
		ref_told_add(&ref->told[HEAPSIM_RECORD_UNENDED_READ],
			     open->nr_read - open->nr_write, 0, ref->p.len);
	memset(open, 0, sizeof(*open));
}

/**
 * ref_map() - map the buffer by an importer
 * @ref: the buffer
 * @dir: HEAPSIM_DIR_*
 */
void ref_map(struct ref *ref, unsigned int dir)
{
	clean_all(ref);
	ref_revoke(ref);
	ref->nr_maps[dir]++;
}

/**
 * ref_unmap() - unmap the buffer by an importer
 * @ref: the buffer
 * @dir: direction of the mapping
 */
void ref_unmap(struct ref *ref, unsigned int dir)
{
	assert(ref->nr_maps[dir]);
	compare_clean_lines(ref);
	if (dir != HEAPSIM_DIR_TO_DEVICE)
		take_in(ref);
	ref->nr_maps[dir]--;
}

/**
 * ref_vmap() - map the buffer into the kernel by a driver
 * @ref: the buffer
 */
void ref_vmap(struct ref *ref)
{
	if (!ref->nr_vmaps) {
		clean_all(ref);
		ref_revoke(ref);
	}
	ref->nr_vmaps++;
}

/**
 * ref_vunmap() - unmap the buffer from the kernel
 * @ref: the buffer
 */
void ref_vunmap(struct ref *ref)
{
	assert(ref->nr_vmaps);
	if (ref->nr_vmaps == 1) {
		compare_clean_lines(ref);
		take_in(ref);
	}
	ref->nr_vmaps--;
}
