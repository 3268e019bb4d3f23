// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collects findings, one for each place in a program. A record refers to its
 * stacks by numbers; a thread writes its stack as soon as it is scheduled, so
 * the record waits for a while. Then it is merged into the finding of its place
 * and freed; so memory grows with the number of places in a program, not with
 * the time that it runs.
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
 * How long a record waits for a stack. A thread that handles no signal for this
 * time was killed, is stopped, or waits for a processor on a busy machine.
 */
#define PATIENCE_NS	10000000000ULL
#define MAX_WAITING	65536
#define NR_BUCKETS	4096
#define MAX_FRAMES	256	/* including inlined functions */

/*
 * A stack that is not yet resolved has a key: KEY_NONE if it is unknown, or the
 * stack's index in the file of stacks (stacks.h), the index of a place that was
 * read from /proc (outside.h), or a single frame as in stacks.h.
 */
#define KEY_NONE	0ULL
#define KEY_STACK	(1ULL << 63)
#define KEY_OUTSIDE	(1ULL << 62)
#define KEY_FRAME	(1ULL << 61)
#define KEY_INDEX(key)	((key) & ~(KEY_STACK | KEY_OUTSIDE | KEY_FRAME))

/**
 * struct waiting - a record whose stacks have not been written yet
 * @record: the record
 * @until_ns: when to stop waiting, unless the thread is running
 * @outside: key of the CPU's place as read from /proc when the record arrived,
 *	since /proc has nothing once the process has ended
 */
struct waiting {
	struct heapsim_record record;
	uint64_t until_ns;
	uint64_t outside;
};

/**
 * struct findings - all findings, and records that wait for their stacks
 * @stacks: file in which threads write their stacks
 * @symbols: looks up functions and lines
 * @outside: looks up places in processes that write no stacks
 * @buckets: hash table of findings
 * @first: list of findings in the order in which they were found
 * @last: end of this list
 * @waiting: records whose stacks have not been written yet, oldest first
 * @nr_waiting: number of these
 * @dropped: number of lost records
 * @dropped_harmless: number of lost records that were no errors
 * @leak_check: how leaks are handled
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
 * finding_is_leak() - check for an object that was never destroyed
 * @finding: finding
 *
 * Return: true if the finding is a leak.
 */
bool finding_is_leak(const struct finding *finding)
{
	return kind_of(finding->record.kind)->class == KIND_LEAK;
}

/**
 * finding_holder() - name the type of object that the bytes belong to
 * @finding: finding
 *
 * Return: "object", "image" or "array"; "buffer" if no layer reported a type.
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
 * finding_row() - find the row of an image that a finding begins in
 * @finding: finding
 * @row: out: the row
 *
 * Return: false if the buffer has no rows, or the offset is outside of them.
 */
bool finding_row(const struct finding *finding, struct finding_row *row)
{
	const struct told_shape *shape = finding->shape;
	uint32_t i;

	/* The program can write the shape, so its values are not trusted. */
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
 * finding_call() - name an unimplemented function that was called
 * @finding: finding of any kind
 * @name: out: name of the function
 *
 * Return: @name, or NULL if the finding is of another kind.
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
 * finding_is_error() - tell errors from redundant work
 * @findings: findings with the setting whether leaks are errors
 * @finding: one of them
 *
 * Return: true if the finding counts as an error in the summary.
 */
bool finding_is_error(const struct findings *findings,
		      const struct finding *finding)
{
	if (finding_is_leak(finding))
		return findings->leak_check == LEAKS_ARE_ERRORS;
	return kind_of(finding->record.kind)->class == KIND_ERROR;
}

/**
 * findings_open() - begin to collect findings
 * @stacks: file in which threads write stacks; must outlive the findings
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
 * findings_set_program() - set the program that is run
 * @findings: findings
 * @path: path of the program
 */
void findings_set_program(struct findings *findings, const char *path)
{
	outside_set_program(findings->outside, path);
}

/**
 * findings_set_leak_check() - set how leaks are handled
 * @findings: findings
 * @check: LEAKS_TOLD is the default
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
 * findings_close() - free all findings, and the names in them
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

/* Returns false if the thread has not written the stack yet. */
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
 * struct keys - keys of the stacks of a record
 * @cpu: stack of the CPU's side
 * @other: stack of the other side
 * @attaches: stacks of the attaches
 */
struct keys {
	uint64_t cpu;
	uint64_t other;
	uint64_t attaches[HEAPSIM_RECORD_NR_ATTACHES];
};

/* Returns false if the threads have not written all of the stacks yet. */
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

	/* The last buffer so far and the first of the other may be the same. */
	into->nr_bufs += f->nr_bufs - (into->last_buf == r.buf);
	into->last_buf = f->last_buf;
	/* A record that waited for its stack may be older than the others. */
	if (record_order(&r, first) < 0) {
		r = *first;
		*first = f->record;
		/* The keys belong to the record, and none is resolved yet. */
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

/* Hashes some of the fields that is_same_sort() compares. */
static uint64_t hash_sort(const struct heapsim_record *r)
{
	return hash_text(hash_text(r->kind, r->name), r->other.name);
}

/* Adds a finding, whose keys are set, or merges it into that of its place. */
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
	/*
	 * A process that writes stacks has none for what happens as it ends,
	 * so the reason "it had ended" would be misleading.
	 */
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

/* Adds records whose stacks are complete, or that have waited long enough. */
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

/* The program chose the text, which may contain control sequences. */
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
 * findings_add() - add a record
 * @findings: findings
 * @r: record; control characters in its names are replaced
 *
 * Return: 0, or -ENOMEM if the record is lost.
 */
int findings_add(struct findings *findings, struct heapsim_record *r)
{
	struct waiting *waiting;
	struct keys keys;
	bool is_there;

	record_clean(r);
	if (r->kind == HEAPSIM_RECORD_DROPPED) {
		findings->dropped += r->count;
		/* An older module leaves this field 0. */
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
 * findings_add_told() - add a finding that libmem reported
 * @findings: findings
 * @finding: finding without keys; its record has the numbers of the attaches'
 *	stacks; control characters in its names are replaced
 * @cpu_stack: number of the CPU's stack, from 1; 0: none
 * @other_stack: number of the other side's stack; 0: none
 * @kernel_stack: number of the kernel's stack; 0: none
 *
 * Return: 0, or -ENOMEM if the finding is lost.
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
 * findings_add_dropped() - count records that were lost elsewhere
 * @findings: findings
 * @nr: number of lost records
 * @nr_harmless: number of these that were no errors
 */
void findings_add_dropped(struct findings *findings, uint64_t nr,
			  uint64_t nr_harmless)
{
	findings->dropped += nr;
	findings->dropped_harmless += nr_harmless;
}

/**
 * findings_are_waiting() - check for records that wait for their stacks
 * @findings: findings
 *
 * Return: true if findings_retry() must be called later.
 */
bool findings_are_waiting(const struct findings *findings)
{
	return findings->nr_waiting;
}

/**
 * findings_retry() - look again for stacks that were incomplete
 * @findings: findings
 *
 * Return: 0, or -ENOMEM if records are lost.
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

/* Frames outside of main() are the same for all programs and left out. */
static bool is_main(const struct backtrace *trace)
{
	const struct frame *last = trace->frames + trace->nr - !!trace->nr;

	return trace->nr && last->function && !strcmp(last->function, "main");
}

/* Resolves a frame in the form that stacks.h describes. */
static int number_resolve(struct findings *f, struct backtrace *trace,
			  uint64_t frame)
{
	const uint64_t number = frame >> STACKS_MODULE_SHIFT;
	const bool has_module = number && number <= STACKS_NR_MODULES;
	char path[STACKS_PATH_LEN + 1] = "";

	/* The program can write the path, which may lack a null byte. */
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
 * Removes the frames inside libmem, so that the stack begins where the program
 * calls it. Returns the API of that call, as far as the frames show it.
 */
static enum kind_api libmem_cut(struct backtrace *trace)
{
	const int nr = symbol_in_libmem(trace->frames, trace->nr);
	enum kind_api api = KIND_API_DMABUF;
	int i;

	/* The stack of one of libmem's own threads has no other frames. */
	if (nr >= trace->nr)
		return api;
	for (i = 0; i < nr; i++)
		api_raise(&api, symbol_api(&trace->frames[i]));
	frames_cut(trace, nr);
	return api;
}

/* Returns the object in the buffer, or NULL if no layer reported one. */
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

/* Returns which of the APIs that the process uses made the buffer. */
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

/* Returns the API for a buffer from those that its process reported. */
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

/*
 * Removes the headers' frames, and the frame of the kernel's first instruction
 * if the access was in the same function, as it mostly is.
 */
static void kernel_cut(struct backtrace *trace)
{
	const int nr = symbol_in_headers(trace->frames, trace->nr);
	const struct frame *last;

	/* Functions of CUDA that are inline in headers touch memory, too. */
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

/* Two instructions of one source line count as the same place. */
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

/* Adds a finding to the list, or merges it if one has the same lines. */
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

/* Returns 0 or -ENOMEM. */
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

/*
 * Removes frames of libraries, and sets the API whose calls the report
 * proposes. APIs in the finding's own stacks count more than others of the
 * process.
 */
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
	/* The object in the buffer decides, or else the calls in the stacks. */
	if (shown == KIND_API_DMABUF || one->shape) {
		api_raise(&shown, api_of(f, one->record.cpu.pid, one->shape));
		api_raise(&shown, api_of(f, one->record.other.pid,
					 one->shape));
	}
	api_raise(&one->api, shown);
}

/*
 * A wait makes only the memory visible that the job could use. If managed
 * memory was attached elsewhere while a job wrote it, the attach is the
 * mistake, and a wait would not help.
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
 * findings_end() - look up functions and lines after the last record
 * @findings: findings
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
 * findings_first() - return the list, in the order in which they were found
 * @findings: findings after findings_end()
 *
 * Return: the first finding, or NULL if there is none.
 */
struct finding *findings_first(const struct findings *findings)
{
	return findings->first;
}

/**
 * findings_total() - sum up the findings
 * @findings: findings after findings_end(), with suppressions applied
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
