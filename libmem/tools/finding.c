// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was found, place by place. A record names its stacks by numbers, which
 * its threads put down as soon as they are scheduled: it waits for them a
 * while. Then it goes to its place, and is gone; so memory grows with the
 * places of a program, not with how long it runs.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "kind.h"
#include "outside.h"
#include "../clock.h"
#include "../record/stacks.h"

/*
 * A thread that takes no signal for so long was killed, or is stopped, or one
 * of many on a machine that has little time for them.
 */
#define PATIENCE_NS	10000000000ULL
#define MAX_WAITING	65536
#define NR_BUCKETS	4096
#define MAX_FRAMES	256	/* with those that were inlined */

/*
 * What is known of a stack before it is resolved: nothing, its index in
 * stacks.h, the index of a place that was seen from outside, or its one frame
 * as stacks.h has it.
 */
#define KEY_NONE	0ULL
#define KEY_STACK	(1ULL << 63)
#define KEY_OUTSIDE	(1ULL << 62)
#define KEY_FRAME	(1ULL << 61)
#define KEY_INDEX(key)	((key) & ~(KEY_STACK | KEY_OUTSIDE | KEY_FRAME))

/**
 * struct waiting - a record whose stacks are not there yet
 * @record: it
 * @until_ns: it is given up then, unless the thread runs
 * @outside: what could be seen of the CPU's side from outside, when it came:
 *	once a process is gone nobody can look into it
 */
struct waiting {
	struct heapsim_record record;
	uint64_t until_ns;
	uint64_t outside;
};

/**
 * struct findings - all of them, and what is not one yet
 * @stacks: what threads have put down
 * @symbols: where modules are looked up
 * @outside: where processes are looked at that put nothing down
 * @buckets: hash table of findings
 * @first: in the order in which they were found
 * @last: where the next goes
 * @waiting: whose stacks are not there yet, oldest first
 * @nr_waiting: how many
 * @dropped: records that were lost
 * @dropped_harmless: those of them that were no errors
 * @leak_check: what is done about leaks
 */
struct findings {
	struct stacks *stacks;
	struct symbols *symbols;
	struct outside *outside;
	struct finding *buckets[NR_BUCKETS];
	struct finding *first;
	struct finding **last;
	struct waiting *waiting;
	size_t nr_waiting;
	uint64_t dropped;
	uint64_t dropped_harmless;
	enum leak_check leak_check;
};

/**
 * finding_is_leak() - is it something that nobody destroyed?
 * @finding: it
 *
 * Return: whether it is.
 */
bool finding_is_leak(const struct finding *finding)
{
	return kind_of(finding->record.kind)->class == KIND_LEAK;
}

/**
 * finding_holder() - what holds the bytes
 * @finding: it
 *
 * Return: "image" and so on; "buffer" if nobody has said more.
 */
const char *finding_holder(const struct finding *finding)
{
	const uint32_t type = finding->shape ? finding->shape->type : 0;

	switch (type) {
	case TOLD_TYPE_OBJECT:
		return "object";
	case TOLD_TYPE_IMAGE:
		return "image";
	case TOLD_TYPE_ARRAY:
		return "array";
	default:
		return "buffer";
	}
}

/**
 * finding_row() - the row of an image that a finding begins in
 * @finding: it
 * @row: out: where
 *
 * Return: false: the buffer has no rows, or none is there.
 */
bool finding_row(const struct finding *finding, struct finding_row *row)
{
	const struct told_shape *shape = finding->shape;
	uint32_t i;

	/* The program can write there: nothing of it is trusted. */
	for (i = 0; shape && i < shape->nr_planes && i < TOLD_NR_PLANES; i++) {
		const struct told_plane plane = shape->planes[i];
		const uint64_t at = finding->record.off - plane.off;

		if (finding->record.off < plane.off || !plane.pitch ||
		    at / plane.pitch >= plane.nr_rows)
			continue;
		*row = (struct finding_row) {
			.plane = i,
			.row = at / plane.pitch,
			.byte = at % plane.pitch,
			.len = plane.row_len,
		};
		return true;
	}
	return false;
}

/**
 * finding_call() - what was called and is not there
 * @finding: any
 * @name: where to put it
 *
 * Return: @name; NULL: it is another kind.
 */
const char *finding_call(const struct finding *finding,
			 char name[FINDING_CALL_LEN])
{
	const struct heapsim_record *r = &finding->record;

	if (kind_of(r->kind)->class != KIND_MISSING)
		return NULL;
	snprintf(name, FINDING_CALL_LEN, "%.*s%.*s", (int)sizeof(r->name),
		 r->name, (int)sizeof(r->other.name), r->other.name);
	return name;
}

/**
 * finding_is_error() - is it a mistake, or only waste?
 * @findings: all, which know what leaks are
 * @finding: one of them
 *
 * Return: whether it counts in the summary.
 */
bool finding_is_error(const struct findings *findings,
		      const struct finding *finding)
{
	if (finding_is_leak(finding))
		return findings->leak_check == LEAKS_ARE_ERRORS;
	return kind_of(finding->record.kind)->class == KIND_ERROR;
}

/**
 * findings_open() - begin to collect
 * @stacks: where threads put their stacks down; outlives the findings
 *
 * Return: for findings_close(); NULL without memory.
 */
struct findings *findings_open(struct stacks *stacks)
{
	struct findings *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->stacks = stacks;
	f->leak_check = LEAKS_TOLD;
	f->last = &f->first;
	f->symbols = symbols_open();
	f->outside = outside_open();
	f->waiting = malloc(MAX_WAITING * sizeof(*f->waiting));
	if (f->symbols && f->outside && f->waiting)
		return f;
	findings_close(f);
	return NULL;
}

/**
 * findings_set_program() - say what is run
 * @findings: all
 * @path: of the program
 */
void findings_set_program(struct findings *findings, const char *path)
{
	outside_set_program(findings->outside, path);
}

/**
 * findings_set_leak_check() - say what leaks are
 * @findings: all
 * @check: LEAKS_TOLD if nothing is said
 */
void findings_set_leak_check(struct findings *findings, enum leak_check check)
{
	findings->leak_check = check;
}

static void finding_free(struct finding *finding)
{
	int i;

	for (i = 0; i < HEAPSIM_RECORD_NR_ATTACHES; i++)
		free(finding->attaches[i].frames);
	free(finding->cpu.frames);
	free(finding->other.frames);
	free(finding->kernel.frames);
	free(finding);
}

/**
 * findings_close() - free them, and the names in them
 * @findings: may be NULL
 */
void findings_close(struct findings *findings)
{
	if (!findings)
		return;
	while (findings->first) {
		struct finding *next = findings->first->next;

		finding_free(findings->first);
		findings->first = next;
	}
	free(findings->waiting);
	outside_close(findings->outside);
	symbols_close(findings->symbols);
	free(findings);
}

/* False: its thread has not put it down yet. */
static bool stack_key(struct findings *f, uint64_t id, uint64_t *key)
{
	const uint64_t event = atomic_load(stacks_at(f->stacks, id));
	const uint64_t seen = event >> STACKS_INDEX_BITS;
	const uint64_t stack = event & STACKS_INDEX_MASK;

	if (seen < id)
		return false;
	*key = seen == id && stack < STACKS_NR_STACKS ? KEY_STACK | stack :
							 KEY_NONE;
	return true;
}

static uint64_t outside_key(struct findings *f, const struct heapsim_record *r)
{
	long place;

	if (!r->cpu.pid || !r->cpu.ip)
		return KEY_NONE;
	place = outside_find(f->outside, r->cpu.pid, r->cpu.ip);
	return place < 0 ? KEY_NONE : KEY_OUTSIDE | place;
}

/**
 * struct keys - of the stacks of a record
 * @cpu: of the CPU's
 * @other: of the other's
 * @attaches: of those of attaches
 */
struct keys {
	uint64_t cpu;
	uint64_t other;
	uint64_t attaches[HEAPSIM_RECORD_NR_ATTACHES];
};

/* False: the threads have not put all of it down yet. */
static bool keys_find(struct findings *f, const struct heapsim_record *r,
		      struct keys *keys)
{
	bool is_there = true;
	int i;

	*keys = (struct keys) { .cpu = KEY_NONE, .other = KEY_NONE };
	if (r->cpu_stack)
		is_there = stack_key(f, r->cpu_stack, &keys->cpu);
	if (r->other_stack)
		is_there &= stack_key(f, r->other_stack, &keys->other);
	for (i = 0; i < HEAPSIM_RECORD_NR_ATTACHES; i++)
		if (r->attaches[i].stack)
			is_there &= stack_key(f, r->attaches[i].stack,
					      &keys->attaches[i]);
	return is_there;
}

static bool is_same_other(const struct heapsim_record *a,
			  const struct heapsim_record *b)
{
	return a->other.type == b->other.type &&
	       !strncmp(a->other.name, b->other.name, sizeof(a->other.name));
}

static bool is_same_sort(const struct heapsim_record *a,
			 const struct heapsim_record *b)
{
	return a->kind == b->kind && a->missing == b->missing &&
	       a->cpu.is_write == b->cpu.is_write && is_same_other(a, b) &&
	       !strncmp(a->name, b->name, sizeof(a->name));
}

static int record_order(const struct heapsim_record *r,
			const struct heapsim_record *s)
{
	if (r->time_ns != s->time_ns)
		return r->time_ns < s->time_ns ? -1 : 1;
	return r->seq < s->seq ? -1 : r->seq > s->seq;
}

static void merge(struct finding *into, const struct finding *f)
{
	struct heapsim_record *first = &into->record, r = f->record;
	uint64_t end;

	/* The first and the last may be the same one. */
	into->nr_bufs += f->nr_bufs - (into->last_buf == r.buf);
	into->last_buf = f->last_buf;
	/* One that waited for its stack comes behind others of its place. */
	if (record_order(&r, first) < 0) {
		r = *first;
		*first = f->record;
		/* They are the record's; none is resolved yet. */
		memcpy(into->attach_keys, f->attach_keys,
		       sizeof(into->attach_keys));
	}
	first->count += r.count;
	first->bytes += r.bytes;
	if (first->buf != r.buf)
		return;
	end = first->off + first->len;
	if (end < r.off + r.len)
		end = r.off + r.len;
	if (first->off > r.off)
		first->off = r.off;
	first->len = end - first->off;
}

static uint64_t hash_number(uint64_t h, uint64_t n)
{
	return (h ^ n) * 0x9e3779b97f4a7c15ULL >> 7;
}

static uint64_t hash_text(uint64_t h, const char *text)
{
	while (text && *text)
		h = hash_number(h, (unsigned char)*text++);
	return h;
}

/* Of what is_same_sort() compares. */
static uint64_t hash_sort(const struct heapsim_record *r)
{
	return hash_text(hash_text(r->kind, r->name), r->other.name);
}

/* @new: with its keys */
static int place(struct findings *f, const struct finding *new)
{
	uint64_t h = hash_number(hash_number(hash_sort(&new->record),
					     new->cpu_key), new->other_key);
	struct finding **at = &f->buckets[h % NR_BUCKETS];

	for (; *at; at = &(*at)->next)
		if ((*at)->cpu_key == new->cpu_key &&
		    (*at)->other_key == new->other_key &&
		    (*at)->kernel_key == new->kernel_key &&
		    is_same_sort(&(*at)->record, &new->record)) {
			merge(*at, new);
			return 0;
		}
	*at = malloc(sizeof(**at));
	if (!*at)
		return -ENOMEM;
	**at = *new;
	return 0;
}

static void why_find(struct findings *f, struct finding *new)
{
	const struct heapsim_record *r = &new->record;
	const bool has_cpu = new->cpu_key & KEY_STACK;
	const bool has_other = new->other_key & KEY_STACK;

	if (!has_cpu && r->cpu.pid && r->cpu.time_ns)
		new->cpu_why = outside_why(f->outside, r->cpu.pid);
	if (!has_other && r->other.pid)
		new->other_why = outside_why(f->outside, r->other.pid);
	/* A process that puts stacks down has none for what its end does. */
	if (has_cpu && new->other_why == OUTSIDE_GONE)
		new->other_why = OUTSIDE_UNKNOWN;
	if (has_other && new->cpu_why == OUTSIDE_GONE)
		new->cpu_why = OUTSIDE_UNKNOWN;
}

static int record_place(struct findings *f, const struct heapsim_record *r,
			const struct keys *keys)
{
	struct finding new = {
		.record = *r,
		.nr_bufs = 1,
		.last_buf = r->buf,
		.cpu_key = keys->cpu,
		.other_key = keys->other,
		.kernel_key = r->kernel ? KEY_FRAME | KEY_INDEX(r->kernel) :
					  KEY_NONE,
	};

	memcpy(new.attach_keys, keys->attaches, sizeof(new.attach_keys));
	why_find(f, &new);
	return place(f, &new);
}

static bool is_to_wait(struct waiting *w, uint64_t now)
{
	const struct heapsim_record_cpu *cpu = &w->record.cpu;

	if (w->until_ns > now)
		return true;
	w->until_ns = now + PATIENCE_NS;
	return outside_is_running(cpu->pid, cpu->tid);
}

/* Place those whose stacks have come, and those that waited long enough. */
static int retry_all(struct findings *f, bool is_last)
{
	const uint64_t now = now_ns();
	size_t i, nr = 0;
	int ret = 0;

	for (i = 0; i < f->nr_waiting; i++) {
		const struct heapsim_record *r = &f->waiting[i].record;
		struct keys keys;
		int err;

		if (!keys_find(f, r, &keys) && !is_last &&
		    is_to_wait(&f->waiting[i], now)) {
			f->waiting[nr++] = f->waiting[i];
			continue;
		}
		if (keys.cpu == KEY_NONE)
			keys.cpu = f->waiting[i].outside;
		err = record_place(f, r, &keys);
		if (err)
			ret = err;
	}
	f->nr_waiting = nr;
	return ret;
}

/* A program chose it, and a terminal may obey what is in it. */
static void text_clean(char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size - 1 && text[i]; i++)
		if (iscntrl((unsigned char)text[i]))
			text[i] = '?';
	text[i] = '\0';
}

static void record_clean(struct heapsim_record *r)
{
	text_clean(r->name, sizeof(r->name));
	text_clean(r->cpu.comm, sizeof(r->cpu.comm));
	text_clean(r->other.comm, sizeof(r->other.comm));
	text_clean(r->other.name, sizeof(r->other.name));
}

/**
 * findings_add() - take a record
 * @findings: all
 * @r: record; its names are made fit to be printed
 *
 * Return: 0 or -ENOMEM: it is lost.
 */
int findings_add(struct findings *findings, struct heapsim_record *r)
{
	struct waiting *waiting;
	struct keys keys;
	bool is_there;

	record_clean(r);
	if (r->kind == HEAPSIM_RECORD_DROPPED) {
		findings->dropped += r->count;
		/* A module that is older than this does not say. */
		findings->dropped_harmless += r->nr_harmless;
		return 0;
	}
	is_there = keys_find(findings, r, &keys);
	if (keys.cpu == KEY_NONE)
		keys.cpu = outside_key(findings, r);
	if (is_there || findings->nr_waiting == MAX_WAITING)
		return record_place(findings, r, &keys);
	waiting = &findings->waiting[findings->nr_waiting++];
	waiting->record = *r;
	waiting->until_ns = r->time_ns + PATIENCE_NS;
	waiting->outside = keys.cpu;
	return 0;
}

static uint64_t told_key(uint32_t stack)
{
	return stack && stack <= STACKS_NR_STACKS ? KEY_STACK | (stack - 1) :
						    KEY_NONE;
}

/**
 * findings_add_told() - take a place of what libmem has told
 * @findings: all
 * @finding: with all but its stacks, of which those of attaches are in its
 *	record, by number; its names are made fit to be printed
 * @cpu_stack: number of the CPU's stack, from 1; 0 none
 * @other_stack: of the other's
 * @kernel_stack: of its kernel
 *
 * Return: 0 or -ENOMEM: it is lost.
 */
int findings_add_told(struct findings *findings, struct finding *finding,
		      uint32_t cpu_stack, uint32_t other_stack,
		      uint32_t kernel_stack)
{
	int i;

	if (finding_is_leak(finding) &&
	    findings->leak_check == LEAKS_NOT_TOLD)
		return 0;
	record_clean(&finding->record);
	finding->cpu_key = told_key(cpu_stack);
	finding->other_key = told_key(other_stack);
	finding->kernel_key = told_key(kernel_stack);
	for (i = 0; i < HEAPSIM_RECORD_NR_ATTACHES; i++)
		finding->attach_keys[i] =
			told_key(finding->record.attaches[i].stack);
	if (finding->cpu_key == KEY_NONE)
		finding->cpu_key = outside_key(findings, &finding->record);
	return place(findings, finding);
}

/**
 * findings_add_dropped() - records were lost elsewhere
 * @findings: all
 * @nr: so many
 * @nr_harmless: of these, no errors
 */
void findings_add_dropped(struct findings *findings, uint64_t nr,
			  uint64_t nr_harmless)
{
	findings->dropped += nr;
	findings->dropped_harmless += nr_harmless;
}

/**
 * findings_are_waiting() - are there records whose stacks are not there yet?
 * @findings: all
 *
 * Return: whether findings_retry() is of use.
 */
bool findings_are_waiting(const struct findings *findings)
{
	return findings->nr_waiting;
}

/**
 * findings_retry() - look again for stacks that were not there yet
 * @findings: all
 *
 * Return: 0 or -ENOMEM: records are lost.
 */
int findings_retry(struct findings *findings)
{
	return retry_all(findings, false);
}

static int frames_add(struct backtrace *trace, const struct frame *frames,
		      int nr)
{
	struct frame *more;

	more = reallocarray(trace->frames, trace->nr + nr, sizeof(*frames));
	if (!more)
		return -ENOMEM;
	trace->frames = more;
	memcpy(more + trace->nr, frames, nr * sizeof(*frames));
	trace->nr += nr;
	return 0;
}

static int frame_resolve(struct findings *f, struct backtrace *trace,
			 const char *module, uint64_t address)
{
	struct frame frames[32] = { { .address = address } };
	int nr = 1;

	if (module)
		nr = symbols_find(f->symbols, module, address, frames,
				  sizeof(frames) / sizeof(frames[0]));
	return frames_add(trace, frames, nr);
}

/* What called that is the same for all programs. */
static bool is_main(const struct backtrace *trace)
{
	const struct frame *last = trace->frames + trace->nr - !!trace->nr;

	return trace->nr && last->function && !strcmp(last->function, "main");
}

/* As stacks.h has it. */
static int number_resolve(struct findings *f, struct backtrace *trace,
			  uint64_t frame)
{
	const uint64_t number = frame >> STACKS_MODULE_SHIFT;
	const bool has_module = number && number <= STACKS_NR_MODULES;
	char path[STACKS_PATH_LEN + 1] = "";

	/* The program can write there, too: it may have no end. */
	if (has_module)
		memcpy(path, f->stacks->modules[number - 1].path,
		       STACKS_PATH_LEN);
	return frame_resolve(f, trace, has_module ? path : NULL,
			     frame & STACKS_OFF_MASK);
}

static int stack_resolve(struct findings *f, struct backtrace *trace,
			 const struct stacks_stack *stack)
{
	const uint32_t nr = stack->nr < STACKS_DEPTH ? stack->nr : STACKS_DEPTH;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < nr && !ret && trace->nr < MAX_FRAMES &&
	     !is_main(trace); i++)
		ret = number_resolve(f, trace, stack->frames[i]);
	return ret;
}

static void api_raise(enum kind_api *api, enum kind_api seen)
{
	if (*api < seen)
		*api = seen;
}

static void frames_cut(struct backtrace *trace, int nr)
{
	trace->nr -= nr;
	memmove(trace->frames, trace->frames + nr,
		trace->nr * sizeof(*trace->frames));
}

/*
 * What a call of libmem does inside is not the program's: its stack begins
 * where the program calls. Returns whose call that was, as far as it shows.
 */
static enum kind_api libmem_cut(struct backtrace *trace)
{
	const int nr = symbol_in_libmem(trace->frames, trace->nr);
	enum kind_api api = KIND_API_DMABUF;
	int i;

	/* A thread of libmem's own has nothing else. */
	if (nr >= trace->nr)
		return api;
	for (i = 0; i < nr; i++)
		api_raise(&api, symbol_api(&trace->frames[i]));
	frames_cut(trace, nr);
	return api;
}

/* What the buffer holds; NULL: nobody has said. */
static const struct told_shape *shape_of(const struct findings *f,
					 uint32_t pid, uint64_t buf)
{
	const struct told *told = &f->stacks->told;
	uint32_t at = told_shape_at(pid, buf), i;

	for (i = 0; i < TOLD_PROBES; i++, at++) {
		const struct told_shape *shape =
			&told->shapes[at % TOLD_NR_SHAPES];

		if (atomic_load(&shape->state) == STACKS_READY &&
		    shape->pid == pid && shape->buf == buf)
			return shape;
	}
	return NULL;
}

/* The layer that made the buffer, of those that the process has. */
static enum kind_api api_in(uint32_t apis, const struct told_shape *shape)
{
	const uint32_t type = shape ? shape->type : 0;

	if (type == TOLD_TYPE_OBJECT && apis & TOLD_API_NVSCI)
		return KIND_API_NVSCI;
	if ((type == TOLD_TYPE_IMAGE || type == TOLD_TYPE_ARRAY) &&
	    apis & TOLD_API_VPI)
		return KIND_API_VPI;
	if (type == TOLD_TYPE_IMAGE && apis & TOLD_API_NVBUF)
		return KIND_API_NVBUF;
	return apis & TOLD_API_CUDA ? KIND_API_CUDA : KIND_API_LIBMEM;
}

/* What its process has told that it uses. */
static enum kind_api api_of(const struct findings *f, uint32_t pid,
			    const struct told_shape *shape)
{
	const struct told *told = &f->stacks->told;
	uint32_t nr = atomic_load(&told->nr_processes), i;

	for (i = 0; i < nr && i < TOLD_NR_PROCESSES; i++)
		if (pid && atomic_load(&told->processes[i]) == pid)
			return api_in(atomic_load(&told->apis[i]), shape);
	return KIND_API_DMABUF;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Where it touched and where it begins are mostly in one function. */
static void kernel_cut(struct backtrace *trace)
{
	const int nr = symbol_in_headers(trace->frames, trace->nr);
	const struct frame *last;

	/* By what of CUDA's stands in a header. */
	if (nr < trace->nr)
		frames_cut(trace, nr);
	last = trace->frames + trace->nr - 1;
	if (trace->nr > 1 && is_same_text(last->function, last[-1].function))
		trace->nr--;
}

static int resolve(struct findings *f, uint64_t key, struct backtrace *trace)
{
	const uint64_t index = KEY_INDEX(key);

	if (key & KEY_STACK)
		return stack_resolve(f, trace, &f->stacks->stacks[index]);
	if (key & KEY_FRAME)
		return number_resolve(f, trace, index);
	if (key & KEY_OUTSIDE) {
		uint64_t address;
		const char *module = outside_at(f->outside, index, f->symbols,
						&address);

		return frame_resolve(f, trace, module, address);
	}
	return 0;
}

/* Two instructions of a line are one place for whoever has to fix it. */
static bool is_same_frame(const struct frame *a, const struct frame *b)
{
	if (!is_same_text(a->module, b->module) ||
	    !is_same_text(a->function, b->function))
		return false;
	if (a->line || b->line)
		return a->line == b->line && is_same_text(a->file, b->file);
	return a->function || a->address == b->address;
}

static bool is_same_trace(const struct backtrace *a, const struct backtrace *b)
{
	int i;

	if (a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++)
		if (!is_same_frame(&a->frames[i], &b->frames[i]))
			return false;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct finding *const *x = a, *const *y = b;

	return record_order(&(*x)->record, &(*y)->record);
}

static struct finding **sorted(struct findings *f, size_t *nr)
{
	struct finding **all, *one;
	size_t i, n = 0;

	for (i = 0; i < NR_BUCKETS; i++)
		for (one = f->buckets[i]; one; one = one->next)
			n++;
	all = calloc(n + 1, sizeof(*all));
	if (!all)
		return NULL;
	*nr = 0;
	for (i = 0; i < NR_BUCKETS; i++) {
		for (one = f->buckets[i]; one; one = one->next)
			all[(*nr)++] = one;
		f->buckets[i] = NULL;
	}
	qsort(all, n, sizeof(*all), by_time);
	return all;
}

static uint64_t hash_trace(uint64_t h, const struct backtrace *trace)
{
	int i;

	for (i = 0; i < trace->nr; i++)
		h = hash_number(hash_text(h, trace->frames[i].function),
				trace->frames[i].line);
	return h;
}

/* Those of other addresses in the same lines are one. */
static void list_add(struct findings *f, struct finding *one)
{
	uint64_t h = hash_trace(hash_trace(hash_sort(&one->record), &one->cpu),
				&one->other);
	struct finding **bucket = &f->buckets[h % NR_BUCKETS];
	struct finding *other;

	one->next = NULL;
	for (other = *bucket; other; other = other->hash_next) {
		if (!is_same_sort(&other->record, &one->record) ||
		    !is_same_trace(&other->kernel, &one->kernel) ||
		    !is_same_trace(&other->cpu, &one->cpu) ||
		    !is_same_trace(&other->other, &one->other))
			continue;
		merge(other, one);
		finding_free(one);
		return;
	}
	one->hash_next = *bucket;
	*bucket = one;
	*f->last = one;
	f->last = &one->next;
}

/* 0 or -ENOMEM */
static int all_resolve(struct findings *f, struct finding *one)
{
	int err, i;

	err = resolve(f, one->cpu_key, &one->cpu);
	if (!err)
		err = resolve(f, one->other_key, &one->other);
	if (!err)
		err = resolve(f, one->kernel_key, &one->kernel);
	for (i = 0; !err && i < HEAPSIM_RECORD_NR_ATTACHES; i++)
		err = resolve(f, one->attach_keys[i], &one->attaches[i]);
	return err;
}

/* The calls that it shows itself count more than what else a process does. */
static void all_cut(struct findings *f, struct finding *one)
{
	enum kind_api shown = KIND_API_DMABUF;
	int i;

	kernel_cut(&one->kernel);
	api_raise(&shown, libmem_cut(&one->cpu));
	api_raise(&shown, libmem_cut(&one->other));
	for (i = 0; i < HEAPSIM_RECORD_NR_ATTACHES; i++)
		api_raise(&shown, libmem_cut(&one->attaches[i]));
	one->shape = shape_of(f, one->record.cpu.pid, one->record.buf);
	if (!one->shape)
		one->shape = shape_of(f, 0, one->record.buf);
	/* What holds the buffer decides; without that, what the stacks show. */
	if (shown == KIND_API_DMABUF || one->shape) {
		api_raise(&shown, api_of(f, one->record.cpu.pid, one->shape));
		api_raise(&shown, api_of(f, one->record.other.pid,
					 one->shape));
	}
	api_raise(&one->api, shown);
}

/*
 * A wait takes in what the work could use. Of managed memory that was attached
 * elsewhere while a job wrote it that was the mistake: no wait would help.
 */
static void missing_settle(struct heapsim_record *r)
{
	if (r->missing != HEAPSIM_MISSING_SYNC ||
	    r->kind == HEAPSIM_RECORD_CPU_WHILE_ACTIVE ||
	    r->other.type != HEAPSIM_OTHER_ENGINE)
		return;
	if (r->attach == HEAPSIM_ATTACH_HOST ||
	    (r->attach == HEAPSIM_ATTACH_SINGLE &&
	     r->attach_stream != r->other.stream))
		r->missing = HEAPSIM_MISSING_ATTACH;
}

/**
 * findings_end() - no record comes any more: find functions and lines
 * @findings: all
 *
 * Return: 0 or -ENOMEM.
 */
int findings_end(struct findings *findings)
{
	struct finding **all;
	size_t i, nr = 0;
	int ret, err;

	ret = retry_all(findings, true);
	all = sorted(findings, &nr);
	if (!all)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		err = all_resolve(findings, all[i]);
		if (err)
			ret = err;
		all_cut(findings, all[i]);
		missing_settle(&all[i]->record);
		list_add(findings, all[i]);
	}
	free(all);
	return ret;
}

/**
 * findings_first() - in the order in which they were found
 * @findings: after findings_end()
 *
 * Return: NULL none.
 */
struct finding *findings_first(const struct findings *findings)
{
	return findings->first;
}

/**
 * findings_total() - add them up
 * @findings: after findings_end(), with suppressions applied
 *
 * Return: the sums.
 */
struct totals findings_total(const struct findings *findings)
{
	struct totals t = {
		.dropped = findings->dropped,
		.dropped_errors = findings->dropped -
				  findings->dropped_harmless,
		.lost_stacks = atomic_load(&findings->stacks->nr_lost),
	};
	const struct finding *one;

	for (one = findings->first; one; one = one->next) {
		if (finding_is_leak(one) && !one->suppressed_by) {
			t.leaks += one->record.count;
			t.leaked_bytes += one->record.bytes;
			t.leak_places++;
		}
		if (!finding_is_error(findings, one))
			continue;
		if (one->suppressed_by) {
			t.suppressed += one->record.count;
			continue;
		}
		t.errors += one->record.count;
		t.places++;
	}
	return t;
}
