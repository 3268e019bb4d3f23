// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs random right programs on the model: processes and an engine never use a
 * line at the same time, with the brackets that the documents require. No byte
 * may be wrong and nothing may be reported, whatever is written, including
 * bytes that a view already has, or only zeros. Any access may be unseen if a
 * PTE exists. SEED= runs one seed only, ROUNDS= is the number of seeds, STEPS=
 * the length.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "host.h"
#include "sequence.h"
#include "steps.h"

#define NR_PAGES	3
#define NR_WHO		3
#define NR_SESSIONS	4

/**
 * enum what - bytes that are written
 * @CONTENT_FLAT: zeros
 * @CONTENT_SAME: the bytes that the buffer already has
 * @CONTENT_OLD: the bytes that the CPU saw last, which may be in its cache
 * @CONTENT_FEW: bytes of a small set
 * @CONTENT_ANY: any bytes
 */
enum what {
	CONTENT_FLAT,
	CONTENT_SAME,
	CONTENT_OLD,
	CONTENT_FEW,
	CONTENT_ANY,
	NR_CONTENTS,
};

/**
 * struct session - lines that a process uses, and its bracket
 * @who: process; 0: none
 * @dir: REF_READ, REF_WRITE or REF_RW
 * @content: bytes that it writes
 * @off: first byte of its lines
 * @end: offset after the last byte
 */
struct session {
	unsigned int who;
	unsigned int dir;
	enum what content;
	size_t off;
	size_t end;
};

/**
 * struct world - a buffer and its users
 * @host: the model's host
 * @is_flat: only zeros are ever written
 * @evicts: the cache drops lines at any time
 * @truth: bytes that a right program must read
 * @seen: bytes that the CPU saw or wrote last
 * @is_due: for each byte: must be written before the END
 * @sessions: open sessions
 * @steps: random numbers and the last steps
 * @bytes: temporary bytes
 */
struct world {
	struct host *host;
	bool is_flat;
	bool evicts;
	uint8_t *truth;
	uint8_t *seen;
	bool *is_due;
	struct session sessions[NR_SESSIONS];
	struct steps steps;
	uint8_t *bytes;
};

static size_t below(struct world *w, size_t bound)
{
	return steps_draw(&w->steps, bound);
}

static void failed(struct world *w, const char *what, size_t off)
{
	fprintf(stderr, "# %s at %#zx; SEED=%#llx, line %zu; last steps:\n",
		what, off, (unsigned long long)w->steps.seed,
		w->host->p.line_size);
	steps_print(&w->steps, stderr);
	fail();
}

static void draw_content(struct world *w, enum what content, size_t off,
			 size_t end)
{
	size_t i;

	for (i = off; i < end; i++) {
		switch (w->is_flat ? CONTENT_FLAT : content) {
		case CONTENT_SAME:
			w->bytes[i] = w->truth[i];
			break;
		case CONTENT_OLD:
			w->bytes[i] = w->seen[i];
			break;
		case CONTENT_FEW:
			w->bytes[i] = (uint8_t)below(w, 3);
			break;
		case CONTENT_ANY:
			w->bytes[i] = (uint8_t)below(w, 256);
			break;
		default:
			w->bytes[i] = 0;
			break;
		}
	}
}

/*
 * Chooses a part of the lines [off, end), within a page if @is_in_page. It has
 * whole words, since a single byte equals the pattern in one of 256 cases.
 */
static void draw_piece(struct world *w, size_t off, size_t end, bool is_in_page,
		       size_t *first, size_t *stop)
{
	static const size_t lens[] = { 1, 8, 100, 1000, 4096 };
	const size_t page = w->host->p.page_size;

	*first = off + below(w, end - off) / 8 * 8;
	*stop = *first + 8 +
		below(w, lens[below(w, sizeof(lens) / sizeof(lens[0]))]) / 8 *
		8;
	if (*stop > end)
		*stop = end;
	if (is_in_page && *stop > *first - *first % page + page)
		*stop = *first - *first % page + page;
}

/* Chooses unused lines; returns false if it does not find any. */
static bool draw_free_lines(struct world *w, size_t *off, size_t *end)
{
	const size_t line = w->host->p.line_size;
	const size_t nr_lines = w->host->p.len / line;
	size_t i;

	*off = line * below(w, nr_lines);
	if (!below(w, 2))
		*off -= *off % w->host->p.page_size;
	*end = *off + line * (1 + below(w, below(w, 2) ? 6 : nr_lines));
	if (*end > w->host->p.len)
		*end = w->host->p.len;
	for (i = 0; i < NR_SESSIONS; i++)
		if (w->sessions[i].who && w->sessions[i].off < *end &&
		    *off < w->sessions[i].end)
			return false;
	return true;
}

static void store(struct world *w, unsigned int who, size_t off, size_t end)
{
	host_unseen_ops.cpu_write(w->host, off, w->bytes + off, end - off, who);
	memcpy(w->truth + off, w->bytes + off, end - off);
	memcpy(w->seen + off, w->bytes + off, end - off);
	memset(w->is_due + off, 0, (end - off) * sizeof(*w->is_due));
}

static void load(struct world *w, unsigned int who, size_t off, size_t end)
{
	size_t i;

	host_unseen_ops.cpu_read(w->host, off, w->bytes + off, end - off, who);
	for (i = off; i < end; i++)
		if (w->bytes[i] != w->truth[i])
			failed(w, "the CPU reads another byte", i);
	memcpy(w->seen + off, w->truth + off, end - off);
}

static void check_dram(struct world *w, size_t off, size_t end)
{
	size_t i;

	for (i = off; i < end; i++)
		if (host_dram(w->host, i) != w->truth[i])
			failed(w, "DRAM has another byte", i);
}

static void session_begin(struct world *w, struct session *s)
{
	s->dir = 1 + (unsigned int)below(w, 3);
	/* This test is mostly about brackets for WRITE alone. */
	if (below(w, 2))
		s->dir = REF_WRITE;
	s->content = (enum what)below(w, NR_CONTENTS);
	if (!draw_free_lines(w, &s->off, &s->end))
		return;
	s->who = 1 + (unsigned int)below(w, NR_WHO);
	steps_log(&w->steps, "%u: START %u of %u, %#zx to %#zx, content %d",
		  w->steps.nr, s->dir, s->who, s->off, s->end, s->content);
	host_unseen_ops.sync_start(w->host, s->who, s->dir);
	if (s->dir == REF_WRITE)
		memset(w->is_due + s->off, true,
		       (s->end - s->off) * sizeof(*w->is_due));
}

static void session_store(struct world *w, const struct session *s)
{
	size_t off, end;

	draw_piece(w, s->off, s->end, true, &off, &end);
	if (!below(w, 6))
		draw_content(w, (enum what)below(w, NR_CONTENTS), off, end);
	else
		draw_content(w, s->content, off, end);
	steps_log(&w->steps, "%u: store of %u, %#zx to %#zx", w->steps.nr,
		  s->who, off, end);
	store(w, s->who, off, end);
}

static void session_load(struct world *w, const struct session *s)
{
	size_t off, end;

	draw_piece(w, s->off, s->end, true, &off, &end);
	steps_log(&w->steps, "%u: load of %u, %#zx to %#zx", w->steps.nr,
		  s->who, off, end);
	load(w, s->who, off, end);
}

/* A session may clean its lines before it has finished. */
static void session_maintain(struct world *w, const struct session *s)
{
	const unsigned int op = below(w, 3) ? HEAPSIM_MAINT_CLEAN :
					      HEAPSIM_MAINT_CLEAN_INVALIDATE;
	const size_t line = w->host->p.line_size;
	size_t off, end, i;

	draw_piece(w, s->off, s->end, false, &off, &end);
	/* Clean whole lines; otherwise some bytes may not be written back. */
	if (s->dir == REF_WRITE) {
		off -= off % line;
		end += (line - end % line) % line;
	}
	for (i = off; i < end; i++)
		if (w->is_due[i])
			end = i - i % line;
	if (off >= end)
		return;
	steps_log(&w->steps, "%u: maintain %u of %u, %#zx to %#zx", w->steps.nr,
		  op, s->who, off, end);
	host_unseen_ops.maintain(w->host, op, off, end - off);
	check_dram(w, off, end);
}

static void session_end(struct world *w, struct session *s)
{
	const size_t page = w->host->p.page_size;
	size_t off, end;

	for (off = s->off; off < s->end; off = end) {
		end = off + 1;
		if (!w->is_due[off])
			continue;
		while (end < s->end && end % page && w->is_due[end])
			end++;
		draw_content(w, s->content, off, end);
		store(w, s->who, off, end);
	}
	steps_log(&w->steps, "%u: END %u of %u, %#zx to %#zx", w->steps.nr,
		  s->dir, s->who, s->off, s->end);
	host_unseen_ops.sync_end(w->host, s->who, s->dir);
	check_dram(w, s->off, s->end);
	s->who = 0;
}

static void session_step(struct world *w, struct session *s)
{
	size_t choice = below(w, 10);

	if (!s->who)
		session_begin(w, s);
	else if (choice < 2)
		session_end(w, s);
	else if (choice < 4 && s->dir & REF_WRITE)
		session_maintain(w, s);
	else if (s->dir == REF_WRITE || (s->dir == REF_RW && choice < 7))
		session_store(w, s);
	else
		session_load(w, s);
}

static void engine_step(struct world *w)
{
	const enum what content = (enum what)below(w, NR_CONTENTS);
	size_t from, to, off, end;

	if (!draw_free_lines(w, &from, &to))
		return;
	draw_piece(w, from, to, false, &off, &end);
	if (below(w, 2)) {
		off = from;
		end = to;
	}
	if (below(w, 4)) {
		steps_log(&w->steps, "%u: engine writes %#zx to %#zx, %d",
			  w->steps.nr, off, end, content);
		draw_content(w, content, off, end);
		host_unseen_ops.engine_write(w->host, off, w->bytes + off,
					     end - off);
		memcpy(w->truth + off, w->bytes + off, end - off);
	} else {
		steps_log(&w->steps, "%u: engine reads %#zx to %#zx",
			  w->steps.nr, off, end);
		host_engine_read(w->host, off, end - off);
		check_dram(w, off, end);
	}
}

/*
 * Without a bracket, a process writes whole lines and cleans them, or
 * invalidates and reads them. Invalidates by others, or evictions, would
 * disturb this, so it is one step. A process with an open bracket for reading
 * is not used for it.
 */
static void maintainer_step(struct world *w)
{
	const unsigned int who = 1 + (unsigned int)below(w, NR_WHO);
	const size_t page = w->host->p.page_size;
	const struct line_bracket *open = &w->host->brackets[who];
	size_t from, to, off, end;

	if (!draw_free_lines(w, &from, &to))
		return;
	if (!open->nr_read && below(w, 2)) {
		steps_log(&w->steps, "%u: %u writes and cleans %#zx to %#zx",
			  w->steps.nr, who, from, to);
		draw_content(w, (enum what)below(w, NR_CONTENTS), from, to);
		for (off = from; off < to; off = end) {
			end = off - off % page + page;
			store(w, who, off, end < to ? end : to);
		}
		host_unseen_ops.maintain(w->host, HEAPSIM_MAINT_CLEAN, from,
					 to - from);
	} else {
		steps_log(&w->steps, "%u: %u drops and reads %#zx to %#zx",
			  w->steps.nr, who, from, to);
		host_unseen_ops.maintain(w->host, HEAPSIM_MAINT_INVALIDATE,
					 from, to - from);
		draw_piece(w, from, to, true, &off, &end);
		load(w, who, off, end);
	}
	check_dram(w, from, to);
}

static void evict_step(struct world *w)
{
	size_t line = below(w, w->host->p.len / w->host->p.line_size);

	if (!w->evicts)
		return;
	steps_log(&w->steps, "%u: evict %#zx", w->steps.nr,
		  line * w->host->p.line_size);
	host_unseen_ops.evict(w->host, line);
}

static void check_untold(struct world *w)
{
	const struct line_counters *count = &w->host->lines.count;

	if (count->stale_reads || count->possible_stale_reads ||
	    count->lost_device_writes || count->lost_cpu_writes ||
	    count->missing_cleans || count->write_conflicts ||
	    count->unbracketed_accesses || count->unmatched_ends)
		failed(w, "a right program is called wrong", 0);
}

static void step(struct world *w)
{
	size_t choice = below(w, 20);

	if (choice < 13)
		session_step(w, &w->sessions[below(w, NR_SESSIONS)]);
	else if (choice < 16)
		engine_step(w);
	else if (choice < 18)
		maintainer_step(w);
	else
		evict_step(w);
	check_untold(w);
}

static void play_one(const struct ref_params *p, uint64_t seed,
		     unsigned int nr_steps)
{
	struct world w = {
		.host = host_unseen_ops.create(p),
		.is_flat = seed % 4 == 0,
		.evicts = seed % 2,
		.truth = calloc(p->len, 1),
		.seen = calloc(p->len, 1),
		.is_due = calloc(p->len, sizeof(bool)),
		.bytes = calloc(p->len, 1),
	};
	unsigned int i;

	assert_true(w.truth && w.seen && w.is_due && w.bytes);
	steps_begin(&w.steps, seed);
	for (i = 0; i < nr_steps; i++)
		step(&w);
	for (i = 0; i < NR_SESSIONS; i++)
		if (w.sessions[i].who)
			session_end(&w, &w.sessions[i]);
	check_dram(&w, 0, p->len);
	check_untold(&w);
	host_destroy(w.host);
	free(w.truth);
	free(w.seen);
	free(w.is_due);
	free(w.bytes);
}

static void play(size_t line_size)
{
	const struct ref_params p = {
		.len = NR_PAGES * 4096,
		.line_size = line_size,
		.fill_size = 4096,
		.page_size = 4096,
	};
	uint64_t only = env_or("SEED", 0);
	uint64_t nr_rounds = only ? 1 : env_or("ROUNDS", 300);
	uint64_t i;

	for (i = 0; i < nr_rounds; i++)
		play_one(&p, only ? only : 1 + i,
			 (unsigned int)env_or("STEPS", 300));
}

static void right_programs_have_right_bytes_lines_of_32(void **state)
{
	(void)state;
	play(32);
}

static void right_programs_have_right_bytes_lines_of_64(void **state)
{
	(void)state;
	play(64);
}

static void right_programs_have_right_bytes_lines_of_128(void **state)
{
	(void)state;
	play(128);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_programs_have_right_bytes_lines_of_32),
		cmocka_unit_test(right_programs_have_right_bytes_lines_of_64),
		cmocka_unit_test(right_programs_have_right_bytes_lines_of_128),
	};

	return cmocka_run_group_tests_name("right", tests, NULL, NULL);
}
