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
#include <stdlib.h>
#include <string.h>

#include "findings.h"
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

/**
 * struct finding_waiting - a record whose stacks have not been written yet
 * @record: record
 * @until_ns: when to stop waiting, unless the thread is running
 * @outside: key of the CPU's place as read from /proc when the record arrived,
 *	since /proc has nothing once the process has ended
 */
struct finding_waiting {
	struct heapsim_record record;
	uint64_t until_ns;
	uint64_t outside;
};

/**
 * struct findings - all findings, and records that wait for their stacks
 * @from: sources of their stacks
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
	struct backtrace_sources from;
	struct finding *buckets[NR_BUCKETS];
	struct finding *first;
	struct finding **last;
	struct finding_waiting *waiting;
	size_t nr_waiting;
	uint64_t dropped;
	uint64_t dropped_harmless;
	enum leak_check leak_check;
};

/**
 * finding_is_error() - check for an error
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
	f->from.stacks = stacks;
	f->leak_check = LEAKS_ARE_LISTED;
	f->last = &f->first;
	f->from.symbols = symbols_open();
	f->from.outside = outside_open();
	f->waiting = malloc(MAX_WAITING * sizeof(*f->waiting));
	if (f->from.symbols && f->from.outside && f->waiting)
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
	outside_set_program(findings->from.outside, path);
}

/**
 * findings_set_leak_check() - set how leaks are handled
 * @findings: findings
 * @check: LEAKS_ARE_LISTED is the default
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
	outside_close(findings->from.outside);
	symbols_close(findings->from.symbols);
	free(findings);
}

/**
 * struct finding_keys - keys of the stacks of a record
 * @cpu: stack of the CPU's side
 * @other: stack of the other side
 * @attaches: stacks of the attaches
 */
struct finding_keys {
	uint64_t cpu;
	uint64_t other;
	uint64_t attaches[HEAPSIM_RECORD_NR_ATTACHES];
};

/* Returns false if the threads have not written all of the stacks yet. */
static bool finding_keys_find(const struct findings *f,
			      const struct heapsim_record *r,
			      struct finding_keys *keys)
{
	const struct backtrace_sources *from = &f->from;
	bool are_written = true;
	int i;

	*keys = (struct finding_keys) { .cpu = BACKTRACE_NONE };
	if (r->cpu_stack)
		are_written = backtrace_key_find(from, r->cpu_stack,
						 &keys->cpu);
	if (r->other_stack)
		are_written &= backtrace_key_find(from, r->other_stack,
						  &keys->other);
	for (i = 0; i < HEAPSIM_RECORD_NR_ATTACHES; i++)
		if (r->attaches[i].stack)
			are_written &= backtrace_key_find(from,
							  r->attaches[i].stack,
							  &keys->attaches[i]);
	return are_written;
}

static bool record_has_same_other(const struct heapsim_record *a,
				  const struct heapsim_record *b)
{
	return a->other.type == b->other.type &&
	       !strncmp(a->other.name, b->other.name, sizeof(a->other.name));
}

static bool record_is_alike(const struct heapsim_record *a,
			    const struct heapsim_record *b)
{
	return a->kind == b->kind && a->missing == b->missing &&
	       a->cpu.is_write == b->cpu.is_write &&
	       record_has_same_other(a, b) &&
	       !strncmp(a->name, b->name, sizeof(a->name));
}

static int record_compare(const struct heapsim_record *r,
			  const struct heapsim_record *s)
{
	if (r->time_ns != s->time_ns)
		return r->time_ns < s->time_ns ? -1 : 1;
	return r->seq < s->seq ? -1 : r->seq > s->seq;
}

static void finding_merge(struct finding *into, const struct finding *f)
{
	struct heapsim_record *first = &into->record, r = f->record;
	uint64_t end;

	/* The last buffer so far and the first of the other may be the same. */
	into->nr_bufs += f->nr_bufs - (into->last_buf == r.buf);
	into->last_buf = f->last_buf;
	/* A record that waited for its stack may be older than the others. */
	if (record_compare(&r, first) < 0) {
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

/* Hashes some of the fields that record_is_alike() compares. */
static uint64_t hash_record(const struct heapsim_record *r)
{
	return hash_text(hash_text(r->kind, r->name), r->other.name);
}

/* Adds a finding, whose keys are set, or merges it into that of its place. */
static int findings_place(struct findings *f, const struct finding *new)
{
	uint64_t h = hash_number(hash_number(hash_record(&new->record),
					     new->cpu_key), new->other_key);
	struct finding **at = &f->buckets[h % NR_BUCKETS];

	for (; *at; at = &(*at)->next)
		if ((*at)->cpu_key == new->cpu_key &&
		    (*at)->other_key == new->other_key &&
		    (*at)->kernel_key == new->kernel_key &&
		    record_is_alike(&(*at)->record, &new->record)) {
			finding_merge(*at, new);
			return 0;
		}
	*at = malloc(sizeof(**at));
	if (!*at)
		return -ENOMEM;
	**at = *new;
	return 0;
}

static void finding_find_why(struct finding *new, struct outside *outside)
{
	const struct heapsim_record *r = &new->record;
	const bool has_cpu = backtrace_key_is_stack(new->cpu_key);
	const bool has_other = backtrace_key_is_stack(new->other_key);

	if (!has_cpu && r->cpu.pid && r->cpu.time_ns)
		new->cpu_why = outside_why(outside, r->cpu.pid);
	if (!has_other && r->other.pid)
		new->other_why = outside_why(outside, r->other.pid);
	/*
	 * A process that writes stacks has none for what happens as it ends,
	 * so the reason "it had ended" would be misleading.
	 */
	if (has_cpu && new->other_why == OUTSIDE_GONE)
		new->other_why = OUTSIDE_UNKNOWN;
	if (has_other && new->cpu_why == OUTSIDE_GONE)
		new->cpu_why = OUTSIDE_UNKNOWN;
}

static int findings_place_record(struct findings *f,
				 const struct heapsim_record *r,
				 const struct finding_keys *keys)
{
	struct finding new = {
		.record = *r,
		.nr_bufs = 1,
		.last_buf = r->buf,
		.cpu_key = keys->cpu,
		.other_key = keys->other,
		.kernel_key = backtrace_key_of_frame(r->kernel),
	};

	memcpy(new.attach_keys, keys->attaches, sizeof(new.attach_keys));
	finding_find_why(&new, f->from.outside);
	return findings_place(f, &new);
}

static bool finding_must_wait(struct finding_waiting *w, uint64_t now)
{
	const struct heapsim_record_cpu *cpu = &w->record.cpu;

	if (w->until_ns > now)
		return true;
	w->until_ns = now + PATIENCE_NS;
	return outside_is_running(cpu->pid, cpu->tid);
}

/* Adds records whose stacks are complete, or that have waited long enough. */
static int findings_retry_all(struct findings *f, bool is_last)
{
	const uint64_t now = now_ns();
	size_t i, nr = 0;
	int ret = 0;

	for (i = 0; i < f->nr_waiting; i++) {
		const struct heapsim_record *r = &f->waiting[i].record;
		struct finding_keys keys;
		int err;

		if (!finding_keys_find(f, r, &keys) && !is_last &&
		    finding_must_wait(&f->waiting[i], now)) {
			f->waiting[nr++] = f->waiting[i];
			continue;
		}
		if (keys.cpu == BACKTRACE_NONE)
			keys.cpu = f->waiting[i].outside;
		err = findings_place_record(f, r, &keys);
		if (err)
			ret = err;
	}
	f->nr_waiting = nr;
	return ret;
}

/* The program chose the text, which may contain control sequences. */
static void record_clean_text(char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size - 1 && text[i]; i++)
		if (iscntrl((unsigned char)text[i]))
			text[i] = '?';
	text[i] = '\0';
}

static void record_clean(struct heapsim_record *r)
{
	record_clean_text(r->name, sizeof(r->name));
	record_clean_text(r->cpu.comm, sizeof(r->cpu.comm));
	record_clean_text(r->other.comm, sizeof(r->other.comm));
	record_clean_text(r->other.name, sizeof(r->other.name));
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
	struct finding_waiting *waiting;
	struct finding_keys keys;
	bool are_written;

	record_clean(r);
	if (r->kind == HEAPSIM_RECORD_DROPPED) {
		findings->dropped += r->count;
		/* An older module leaves this field 0. */
		findings->dropped_harmless += r->nr_harmless;
		return 0;
	}
	are_written = finding_keys_find(findings, r, &keys);
	if (keys.cpu == BACKTRACE_NONE)
		keys.cpu = backtrace_key_outside(&findings->from, &r->cpu);
	if (are_written || findings->nr_waiting == MAX_WAITING)
		return findings_place_record(findings, r, &keys);
	waiting = &findings->waiting[findings->nr_waiting++];
	waiting->record = *r;
	waiting->until_ns = r->time_ns + PATIENCE_NS;
	waiting->outside = keys.cpu;
	return 0;
}

/**
 * findings_add_reported() - add a finding that libmem reported
 * @findings: findings
 * @finding: finding without keys; its record has the numbers of the attaches'
 *	stacks; control characters in its names are replaced
 * @cpu_stack: number of the CPU's stack, from 1; 0: none
 * @other_stack: number of the other side's stack; 0: none
 * @kernel_stack: number of the kernel's stack; 0: none
 *
 * Return: 0, or -ENOMEM if the finding is lost.
 */
int findings_add_reported(struct findings *findings, struct finding *finding,
			  uint32_t cpu_stack, uint32_t other_stack,
			  uint32_t kernel_stack)
{
	struct heapsim_record *r = &finding->record;
	int i;

	if (finding_is_leak(finding) &&
	    findings->leak_check == LEAKS_ARE_IGNORED)
		return 0;
	record_clean(r);
	finding->cpu_key = backtrace_key_of_stack(cpu_stack);
	finding->other_key = backtrace_key_of_stack(other_stack);
	finding->kernel_key = backtrace_key_of_stack(kernel_stack);
	for (i = 0; i < HEAPSIM_RECORD_NR_ATTACHES; i++)
		finding->attach_keys[i] =
			backtrace_key_of_stack(r->attaches[i].stack);
	if (finding->cpu_key == BACKTRACE_NONE)
		finding->cpu_key = backtrace_key_outside(&findings->from,
							 &r->cpu);
	return findings_place(findings, finding);
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
	return findings_retry_all(findings, false);
}

static void finding_raise_api(enum kind_api *api, enum kind_api seen)
{
	if (*api < seen)
		*api = seen;
}

/* Returns the object in the buffer, or NULL if no layer reported one. */
static const struct record_shape *
finding_find_shape(const struct record_tables *tables,
		   uint32_t pid, uint64_t buf)
{
	uint32_t at = record_shape_at(pid, buf), i;

	for (i = 0; i < RECORD_PROBES; i++, at++) {
		const struct record_shape *shape =
			&tables->shapes[at % RECORD_NR_SHAPES];

		if (atomic_load(&shape->state) == STACKS_READY &&
		    shape->pid == pid && shape->buf == buf)
			return shape;
	}
	return NULL;
}

/* Returns which of the APIs that the process uses made the buffer. */
static enum kind_api finding_api_in(uint32_t apis,
				    const struct record_shape *shape)
{
	const uint32_t type = shape ? shape->type : 0;

	if (type == RECORD_TYPE_OBJECT && apis & RECORD_API_NVSCI)
		return KIND_API_NVSCI;
	if ((type == RECORD_TYPE_IMAGE || type == RECORD_TYPE_ARRAY) &&
	    apis & RECORD_API_VPI)
		return KIND_API_VPI;
	if (type == RECORD_TYPE_IMAGE && apis & RECORD_API_NVBUF)
		return KIND_API_NVBUF;
	return apis & RECORD_API_CUDA ? KIND_API_CUDA : KIND_API_LIBMEM;
}

/* Returns the API for a buffer from those that its process reported. */
static enum kind_api finding_api_of(const struct record_tables *tables,
				    uint32_t pid,
				    const struct record_shape *shape)
{
	uint32_t nr = atomic_load(&tables->nr_processes), i;

	for (i = 0; i < nr && i < RECORD_NR_PROCESSES; i++)
		if (pid && atomic_load(&tables->processes[i]) == pid)
			return finding_api_in(atomic_load(&tables->apis[i]),
					      shape);
	return KIND_API_DMABUF;
}

static int finding_compare(const void *a, const void *b)
{
	const struct finding *const *x = a, *const *y = b;

	return record_compare(&(*x)->record, &(*y)->record);
}

static struct finding **findings_sort(struct findings *f, size_t *nr)
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
	qsort(all, n, sizeof(*all), finding_compare);
	return all;
}

static uint64_t hash_backtrace(uint64_t h, const struct backtrace *trace)
{
	int i;

	for (i = 0; i < trace->nr; i++)
		h = hash_number(hash_text(h, trace->frames[i].function),
				trace->frames[i].line);
	return h;
}

/* Adds a finding to the list, or merges it if one has the same lines. */
static void findings_list_add(struct findings *f, struct finding *one)
{
	struct finding **bucket, *other;
	uint64_t h;

	h = hash_backtrace(hash_record(&one->record), &one->cpu);
	h = hash_backtrace(h, &one->other);
	bucket = &f->buckets[h % NR_BUCKETS];
	one->next = NULL;
	for (other = *bucket; other; other = other->hash_next) {
		if (!record_is_alike(&other->record, &one->record) ||
		    !backtrace_is_same(&other->kernel, &one->kernel) ||
		    !backtrace_is_same(&other->cpu, &one->cpu) ||
		    !backtrace_is_same(&other->other, &one->other))
			continue;
		finding_merge(other, one);
		finding_free(one);
		return;
	}
	one->hash_next = *bucket;
	*bucket = one;
	*f->last = one;
	f->last = &one->next;
}

/* Returns 0 or -ENOMEM. */
static int finding_resolve(struct finding *one,
			   const struct backtrace_sources *from)
{
	int err, i;

	err = backtrace_resolve(&one->cpu, one->cpu_key, from);
	if (!err)
		err = backtrace_resolve(&one->other, one->other_key, from);
	if (!err)
		err = backtrace_resolve(&one->kernel, one->kernel_key, from);
	for (i = 0; !err && i < HEAPSIM_RECORD_NR_ATTACHES; i++)
		err = backtrace_resolve(&one->attaches[i], one->attach_keys[i],
					from);
	return err;
}

/*
 * Removes frames of libraries, and sets the API whose calls the report
 * proposes. APIs in the finding's own stacks count more than others of the
 * process.
 */
static void finding_cut(struct finding *one, const struct record_tables *tables)
{
	const struct heapsim_record *r = &one->record;
	enum kind_api shown = KIND_API_DMABUF;
	int i;

	backtrace_cut_headers(&one->kernel);
	finding_raise_api(&shown, backtrace_cut_libmem(&one->cpu));
	finding_raise_api(&shown, backtrace_cut_libmem(&one->other));
	for (i = 0; i < HEAPSIM_RECORD_NR_ATTACHES; i++)
		finding_raise_api(&shown,
				  backtrace_cut_libmem(&one->attaches[i]));
	one->shape = finding_find_shape(tables, r->cpu.pid, r->buf);
	if (!one->shape)
		one->shape = finding_find_shape(tables, 0, r->buf);
	/* The object in the buffer decides, or else the calls in the stacks. */
	if (shown == KIND_API_DMABUF || one->shape) {
		finding_raise_api(&shown, finding_api_of(tables, r->cpu.pid,
							 one->shape));
		finding_raise_api(&shown, finding_api_of(tables, r->other.pid,
							 one->shape));
	}
	finding_raise_api(&one->api, shown);
}

/*
 * A wait makes only the memory visible that the job could use. If managed
 * memory was attached elsewhere while a job wrote it, the attach is the
 * mistake, and a wait would not help.
 */
static void record_settle_missing(struct heapsim_record *r)
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
	const struct backtrace_sources *from = &findings->from;
	struct finding **all;
	size_t i, nr = 0;
	int ret, err;

	ret = findings_retry_all(findings, true);
	all = findings_sort(findings, &nr);
	if (!all)
		return -ENOMEM;
	for (i = 0; i < nr; i++) {
		err = finding_resolve(all[i], from);
		if (err)
			ret = err;
		finding_cut(all[i], &from->stacks->tables);
		record_settle_missing(&all[i]->record);
		findings_list_add(findings, all[i]);
	}
	free(all);
	return ret;
}

static bool record_is_of_uncleaned(const struct heapsim_record *r)
{
	return r->kind == HEAPSIM_RECORD_MISSING_CLEAN ||
	       r->kind == HEAPSIM_RECORD_WRITE_CONFLICT ||
	       r->kind == HEAPSIM_RECORD_LOST_CPU_WRITE;
}

/*
 * Bytes that the CPU wrote, and that were not cleaned, can be missed by a read,
 * collide with a write, and be dropped in the end: one mistake, if the same
 * operation is missing after the same stores.
 */
static bool finding_is_cause(const struct finding *cause,
			     const struct finding *one)
{
	const struct heapsim_record *a = &cause->record, *b = &one->record;

	return record_is_of_uncleaned(a) && !cause->cause &&
	       !cause->suppressed_by && a->kind != b->kind &&
	       a->missing == b->missing &&
	       !strncmp(a->name, b->name, sizeof(a->name)) &&
	       backtrace_is_same(&cause->cpu, &one->cpu);
}

/**
 * findings_find_causes() - find the findings that are reported under others
 * @findings: findings after findings_end(), with suppressions applied
 */
void findings_find_causes(struct findings *findings)
{
	struct finding *one, *cause;

	for (one = findings->first; one; one = one->next) {
		if (!record_is_of_uncleaned(&one->record) || !one->cpu.nr ||
		    one->suppressed_by)
			continue;
		for (cause = findings->first; cause != one; cause = cause->next)
			if (finding_is_cause(cause, one))
				break;
		if (cause != one)
			one->cause = cause;
	}
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
		.lost_stacks = atomic_load(&findings->from.stacks->nr_lost),
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
		t.places += !one->cause;
	}
	return t;
}
