// SPDX-License-Identifier: GPL-2.0-only
/* The report for programs; its schema is in heapsim-run(1). */
#include <errno.h>
#include <json-c/json.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <wchar.h>

#include "kind.h"
#include "report.h"
#include "../record/tables.h"

#define JSON_VERSION	1

/* A program chose the text; bytes that are not UTF-8 are not valid in JSON. */
static json_object *json_text(const char *s, size_t max)
{
	json_object *o = NULL;
	mbstate_t state = { 0 };
	size_t i, n, len;
	char *clean;

	clean = s ? strndup(s, max) : NULL;
	if (!clean)
		return NULL;
	len = strlen(clean);
	for (i = 0; i < len; i += n) {
		n = mbrlen(clean + i, len - i, &state);
		if (n && n <= len - i)
			continue;
		clean[i] = '?';
		n = 1;
		memset(&state, 0, sizeof(state));
	}
	o = json_object_new_string_len(clean, len);
	free(clean);
	return o;
}

static json_object *json_number(uint64_t n)
{
	return json_object_new_uint64(n);
}

static json_object *json_frame(const struct frame *frame)
{
	json_object *o = json_object_new_object();

	json_object_object_add(o, "address", json_number(frame->address));
	json_object_object_add(o, "module", json_text(frame->module, SIZE_MAX));
	json_object_object_add(o, "function",
			       json_text(frame->function, SIZE_MAX));
	json_object_object_add(o, "file", json_text(frame->file, SIZE_MAX));
	json_object_object_add(o, "line", frame->line ?
			       json_object_new_int(frame->line) : NULL);
	json_object_object_add(o, "is_inlined",
			       json_object_new_boolean(frame->is_inlined));
	return o;
}

static json_object *json_stack(const struct backtrace *trace)
{
	json_object *o = json_object_new_array();
	int i;

	for (i = 0; i < trace->nr; i++)
		json_object_array_add(o, json_frame(&trace->frames[i]));
	return o;
}

static json_object *json_why(enum outside_why why)
{
	return json_object_new_string(outside_why_name(why));
}

static json_object *json_cpu(const struct finding *f)
{
	const struct heapsim_record_cpu *cpu = &f->record.cpu;
	json_object *o;

	if (!cpu->time_ns)
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "pid", json_number(cpu->pid));
	json_object_object_add(o, "tid", json_number(cpu->tid));
	json_object_object_add(o, "comm",
			       json_text(cpu->comm, sizeof(cpu->comm)));
	json_object_object_add(o, "ip", json_number(cpu->ip));
	json_object_object_add(o, "addr", json_number(cpu->addr));
	json_object_object_add(o, "time_ns", json_number(cpu->time_ns));
	json_object_object_add(o, "is_write",
			       json_object_new_boolean(cpu->is_write));
	json_object_object_add(o, "stack", json_stack(&f->cpu));
	json_object_object_add(o, "no_stack", json_why(f->cpu_why));
	return o;
}

static json_object *json_other(const struct finding *f)
{
	const struct heapsim_record_other *other = &f->record.other;
	const char *type = kind_other_name(other->type);
	json_object *o;

	if (!type)
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "type", json_object_new_string(type));
	json_object_object_add(o, "name",
			       json_text(other->name, sizeof(other->name)));
	json_object_object_add(o, "pid", json_number(other->pid));
	json_object_object_add(o, "comm",
			       json_text(other->comm, sizeof(other->comm)));
	json_object_object_add(o, "job", json_number(other->job));
	json_object_object_add(o, "stream", json_number(other->stream));
	json_object_object_add(o, "kernel", json_stack(&f->kernel));
	json_object_object_add(o, "time_ns", json_number(other->time_ns));
	json_object_object_add(o, "stack", json_stack(&f->other));
	json_object_object_add(o, "no_stack", json_why(f->other_why));
	return o;
}

static json_object *json_attach(uint32_t attach, uint64_t stream)
{
	switch (attach) {
	case HEAPSIM_ATTACH_GLOBAL:
		return json_text("global", SIZE_MAX);
	case HEAPSIM_ATTACH_HOST:
		return json_text("host", SIZE_MAX);
	case HEAPSIM_ATTACH_SINGLE:
		return json_number(stream);
	default:
		return NULL;
	}
}

static json_object *json_attached(const struct heapsim_record_attach *a,
				  const struct backtrace *trace)
{
	static const char *const by[] = {
		[HEAPSIM_ATTACHED_BY_CALL] = "call",
		[HEAPSIM_ATTACHED_BY_ALLOC] = "allocation",
		[HEAPSIM_ATTACHED_BY_DESTROY] = "stream-destroyed",
	};
	const bool is_known = a->by < sizeof(by) / sizeof(by[0]);
	json_object *o = json_object_new_object();

	json_object_object_add(o, "attach", json_attach(a->attach, a->stream));
	json_object_object_add(o, "by", json_text(is_known ? by[a->by] : NULL,
						  SIZE_MAX));
	json_object_object_add(o, "stream", json_number(a->stream));
	json_object_object_add(o, "time_ns", json_number(a->time_ns));
	json_object_object_add(o, "stack", json_stack(trace));
	return o;
}

static json_object *json_attaches(const struct finding *f)
{
	json_object *o = json_object_new_array();
	int i;

	for (i = 0; i < HEAPSIM_RECORD_NR_ATTACHES; i++) {
		const struct heapsim_record_attach *a = &f->record.attaches[i];

		if (!a->attach)
			continue;
		json_object_array_add(o, json_attached(a, &f->attaches[i]));
	}
	return o;
}

static json_object *json_row(const struct finding *f)
{
	struct finding_row row;
	json_object *o;

	if (!finding_row(f, &row))
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "plane", json_number(row.plane));
	json_object_object_add(o, "row", json_number(row.row));
	json_object_object_add(o, "byte", json_number(row.byte));
	json_object_object_add(o, "row_len", json_number(row.len));
	return o;
}

/* Returns the image or other object in the buffer. */
static json_object *json_holder(const struct finding *f)
{
	const struct record_shape *shape = f->shape;
	json_object *o;

	if (!shape)
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "type",
			       json_object_new_string(finding_holder(f)));
	json_object_object_add(o, "name",
			       json_text(shape->name, sizeof(shape->name)));
	json_object_object_add(o, "format",
			       json_text(shape->format, sizeof(shape->format)));
	json_object_object_add(o, "width", json_number(shape->width));
	json_object_object_add(o, "height", json_number(shape->height));
	return o;
}

static json_object *json_buffer(const struct finding *f)
{
	const struct heapsim_record *r = &f->record;
	char call[FINDING_CALL_LEN];
	json_object *o;

	if (finding_call(f, call))
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "id", json_number(r->buf));
	json_object_object_add(o, "name", json_text(r->name, sizeof(r->name)));
	json_object_object_add(o, "off", json_number(r->off));
	json_object_object_add(o, "len", json_number(r->len));
	json_object_object_add(o, "attach",
			       json_attach(r->attach, r->attach_stream));
	return o;
}

/* Returns the number of the finding under which this one is reported. */
static json_object *json_cause(const struct findings *findings,
			       const struct finding *f)
{
	const struct finding *one;
	uint64_t nr = 0;

	if (!f->cause)
		return NULL;
	for (one = findings_first(findings); one != f->cause; one = one->next)
		nr++;
	return json_number(nr);
}

/* Returns the proposed fix in one line. */
static json_object *json_fix(const struct finding *f)
{
	const char *fix = kind_fix(f->record.kind, f->record.missing, f->api);
	char *line = fix ? strdup(fix) : NULL;
	json_object *o;
	char *at;

	for (at = line; at && (at = strchr(at, '\n')); )
		*at = ' ';
	o = json_text(line, SIZE_MAX);
	free(line);
	return o;
}

static json_object *json_finding(const struct findings *findings,
				 const struct finding *f)
{
	const struct heapsim_record *r = &f->record;
	const char *missing = kind_missing_name(r->missing);
	const bool is_error = finding_is_error(findings, f);
	json_object *o = json_object_new_object();
	char call[FINDING_CALL_LEN];

	json_object_object_add(o, "kind",
			       json_text(kind_of(r->kind)->name, SIZE_MAX));
	json_object_object_add(o, "is_error",
			       json_object_new_boolean(is_error));
	json_object_object_add(o, "count", json_number(r->count));
	json_object_object_add(o, "bytes", json_number(r->bytes));
	json_object_object_add(o, "time_ns", json_number(r->time_ns));
	json_object_object_add(o, "call", json_text(finding_call(f, call),
						    SIZE_MAX));
	json_object_object_add(o, "buffer", json_buffer(f));
	json_object_object_add(o, "nr_buffers", json_number(f->nr_bufs));
	json_object_object_add(o, "holder", json_holder(f));
	json_object_object_add(o, "place", json_row(f));
	json_object_object_add(o, "attaches", json_attaches(f));
	json_object_object_add(o, "missing", json_text(missing, SIZE_MAX));
	json_object_object_add(o, "api",
			       json_text(kind_api_name(f->api), SIZE_MAX));
	json_object_object_add(o, "mend", json_fix(f));
	json_object_object_add(o, "cpu", json_cpu(f));
	json_object_object_add(o, "other", json_other(f));
	json_object_object_add(o, "cause", json_cause(findings, f));
	json_object_object_add(o, "suppressed_by",
			       json_text(f->suppressed_by, SIZE_MAX));
	return o;
}

static json_object *json_program(const struct run_facts *facts)
{
	json_object *o = json_object_new_object();
	json_object *argv = json_object_new_array();
	int i;

	for (i = 0; facts->argv[i]; i++)
		json_object_array_add(argv,
				      json_text(facts->argv[i], SIZE_MAX));
	json_object_object_add(o, "argv", argv);
	json_object_object_add(o, "pid", json_number(facts->pid));
	json_object_object_add(o, "exit_code", WIFEXITED(facts->status) ?
			       json_object_new_int(WEXITSTATUS(facts->status)) :
			       NULL);
	json_object_object_add(o, "signal", WIFSIGNALED(facts->status) ?
			       json_object_new_int(WTERMSIG(facts->status)) :
			       NULL);
	return o;
}

/* For unwatched processes the library is unknown. */
static json_object *json_refused(const struct run_refusal *refusals,
				 uint32_t nr)
{
	json_object *o = json_object_new_array();
	uint32_t i;

	for (i = 0; i < nr && i < RUN_NR_REFUSALS; i++) {
		const struct run_refusal *r = &refusals[i];
		json_object *one = json_object_new_object();

		json_object_object_add(one, "pid", json_number(r->pid));
		json_object_object_add(one, "program",
				       json_text(r->program, SIZE_MAX));
		if (*r->library)
			json_object_object_add(one, "library",
					       json_text(r->library, SIZE_MAX));
		json_object_array_add(o, one);
	}
	return o;
}

/**
 * report_write_json() - write the report for programs
 * @out: file to write to
 * @findings: findings after findings_end(), with suppressions applied
 * @facts: facts about the run
 *
 * Return: 0 or -EIO.
 */
int report_write_json(FILE *out, const struct findings *findings,
		      const struct run_facts *facts)
{
	const int flags = JSON_C_TO_STRING_PRETTY |
			  JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *backend = facts->backend == RUN_EMBEDDED ? "embedded" :
							       "kernel";
	const struct totals t = findings_total(findings);
	json_object *all = json_object_new_object();
	json_object *list = json_object_new_array();
	const struct finding *f;
	int ret;

	/* mbrlen() depends on the locale. */
	setlocale(LC_CTYPE, "C.UTF-8");
	for (f = findings_first(findings); f; f = f->next)
		json_object_array_add(list, json_finding(findings, f));
	json_object_object_add(all, "version",
			       json_object_new_int(JSON_VERSION));
	json_object_object_add(all, "program", json_program(facts));
	json_object_object_add(all, "backend", json_text(backend, SIZE_MAX));
	json_object_object_add(all, "contexts",
			       json_number(facts->nr_contexts));
	json_object_object_add(all, "inline_contexts",
			       json_number(facts->nr_inline));
	json_object_object_add(all, "is_seen",
			       json_object_new_boolean(facts->is_seen));
	json_object_object_add(all, "refused",
			       json_refused(facts->refusals,
					    facts->nr_refusals));
	json_object_object_add(all, "unwatched",
			       json_refused(facts->unwatched,
					    facts->nr_unwatched));
	json_object_object_add(all, "soc", json_text(facts->probe.soc,
						     sizeof(facts->probe.soc)));
	json_object_object_add(all, "line_size",
			       json_number(facts->probe.line_size));
	json_object_object_add(all, "findings", list);
	json_object_object_add(all, "dropped", json_number(t.dropped));
	json_object_object_add(all, "dropped_errors",
			       json_number(t.dropped_errors));
	json_object_object_add(all, "suppressed", json_number(t.suppressed));
	json_object_object_add(all, "leaks", json_number(t.leaks));
	json_object_object_add(all, "leaked_bytes",
			       json_number(t.leaked_bytes));
	json_object_object_add(all, "places", json_number(t.places));
	json_object_object_add(all, "errors", json_number(t.errors));
	ret = fprintf(out, "%s\n",
		      json_object_to_json_string_ext(all, flags)) < 0 ? -EIO :
									0;
	json_object_put(all);
	return ret;
}
