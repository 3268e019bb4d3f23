// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report for people. For each error it says what happened, where, and what
 * to do. Redundant maintenance and calls of unimplemented functions follow, and
 * one line sums up.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>

#include <libmem.h>

#include "kind.h"
#include "number.h"
#include "report.h"
#include "setting.h"
#include "suppress.h"
#include "../record/tables.h"

#define PREFIX	"==heapsim== "

/* Returns true if a lock is held that does not allow the access. */
static bool report_is_other_lock(const struct heapsim_record *r)
{
	if (r->kind != MEM_VIOLATION_UNLOCKED_ACCESS)
		return false;
	/* If an engine made the access, the other party is the engine. */
	if (r->other.type == HEAPSIM_OTHER_ENGINE)
		return r->cpu.time_ns;
	return r->other.type == HEAPSIM_OTHER_PROCESS &&
	       !strncmp(r->other.name, "lock", sizeof(r->other.name));
}

static bool report_is_frame(const struct heapsim_record *r)
{
	return r->kind == MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER ||
	       r->kind == MEM_VIOLATION_FRAME_USED_AFTER_RELEASE;
}

/* Returns true if imported memory was used without what it was imported by. */
static bool report_is_mapping(const struct heapsim_record *r)
{
	return r->kind == MEM_VIOLATION_USE_AFTER_FREE &&
	       (r->other.type == HEAPSIM_OTHER_ENGINE ||
		!strncmp(r->other.name, "destroy", sizeof(r->other.name)));
}

/*
 * Returns what the call did after which the access is a mistake, or NULL. Its
 * party is the other one, or the CPU if the other one is an engine.
 */
static const char *report_since(const struct heapsim_record *r)
{
	switch (r->kind) {
	case MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER:
		return "acquired";
	case MEM_VIOLATION_FRAME_USED_AFTER_RELEASE:
		return "released";
	case MEM_VIOLATION_UNLOCKED_ACCESS:
		return report_is_other_lock(r) ? "locked" : "unlocked";
	case MEM_VIOLATION_USE_AFTER_FREE:
		return report_is_mapping(r) ? "destroyed" : NULL;
	default:
		return NULL;
	}
}

static const char *report_headline(const struct heapsim_record *r)
{
	if (r->kind == MEM_VIOLATION_UNLOCKED_ACCESS)
		return report_is_other_lock(r) ?
			"Unlocked access: the lock that is held does not allow\n"
			"this access" :
			"Unlocked access: an image or array was touched that was\n"
			"not locked";
	if (report_is_mapping(r))
		return "Use after free: a mapping of external memory was used\n"
		       "after the external memory had been destroyed";
	if (r->kind == MEM_VIOLATION_INVALID_HANDLE)
		return r->other.type == HEAPSIM_OTHER_PROCESS ?
			"Invalid handle: a call got a handle that had been\n"
			"freed" :
			"Invalid handle: a call got what is no handle, or one\n"
			"that it may not free";
	if (r->kind != HEAPSIM_RECORD_UNBRACKETED_ACCESS)
		return kind_of(r->kind)->headline;
	if (r->missing == HEAPSIM_MISSING_WAIT)
		return r->cpu.is_write ?
			"Write before the fence: a job that uses the buffer\n"
			"was not done" :
			"Read before the fence: a job that writes the buffer\n"
			"was not done";
	return r->cpu.is_write ?
		"Unbracketed write: a device holds the buffer, and the\n"
		"process has not begun a bracket for writing" :
		"Unbracketed read: a device that may write holds the buffer,\n"
		"and the process has not begun a bracket for reading";
}

static void report_text(FILE *out, int indent, const char *text)
{
	while (*text) {
		const int len = strcspn(text, "\n");

		fprintf(out, PREFIX "%*s%.*s\n", indent, "", len, text);
		text += len + (text[len] == '\n');
	}
}

/* The text is from the program's file and may contain control sequences. */
static void report_put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
}

/* Prints the place of a frame, and ends the line. */
static void report_place(FILE *out, const struct frame *frame)
{
	const char *module = frame->module;

	report_put_text(out, frame->function ? frame->function : "???");
	if (frame->file) {
		const char *base = strrchr(frame->file, '/');

		fputs(" (", out);
		report_put_text(out, base ? base + 1 : frame->file);
		fprintf(out, ":%d)", frame->line);
	} else if (module) {
		fputs(" (in ", out);
		report_put_text(out, module);
		fprintf(out, ", 0x%" PRIx64 ")", frame->address);
	} else {
		fprintf(out, " (0x%" PRIx64 ")", frame->address);
	}
	fputc('\n', out);
}

static void report_frame(FILE *out, const struct frame *frame, int nr)
{
	fprintf(out, PREFIX "      %s ", nr ? "by" : "at");
	report_place(out, frame);
}

static void report_backtrace(FILE *out, const struct backtrace *trace)
{
	int i;

	for (i = 0; i < trace->nr; i++)
		report_frame(out, &trace->frames[i], i);
}

/* Prints why a thread wrote no stack. */
static void report_why(FILE *out, const struct backtrace *trace,
		       enum outside_why why)
{
	static const char *const texts[] = {
		[OUTSIDE_STATIC] = "the program is linked statically",
		[OUTSIDE_SECURE] = "setuid, setgid or file capabilities:\n"
				   "LD_PRELOAD is ignored",
		[OUTSIDE_NOT_PRELOADED] = "LD_PRELOAD was cleared or replaced",
		[OUTSIDE_NO_RIGHTS] = "the process has other rights than\n"
				      "heapsim run, and cannot open its files",
		[OUTSIDE_GONE] = "the process had ended",
	};

	if (why == OUTSIDE_UNKNOWN)
		return;
	report_text(out, 6, trace->nr ? "callers unknown:" : "stack unknown:");
	report_text(out, 8, texts[why]);
}

/* Prints the image or other object in the buffer, or else the buffer. */
static void report_put_holder(FILE *out, const struct finding *f)
{
	const struct heapsim_record *r = &f->record;
	const struct record_shape *shape = f->shape;
	const char *name = r->name;

	if (shape && shape->name[0])
		name = shape->name;
	fprintf(out, PREFIX "    %s %" PRIu64,
		finding_holder(f), (uint64_t)r->buf);
	if (name[0])
		fprintf(out, " \"%.*s\"", (int)sizeof(r->name), name);
	if (shape && shape->type == RECORD_TYPE_ARRAY)
		fprintf(out, " (%" PRIu32 " %s)", shape->width, shape->format);
	else if (shape && shape->width)
		fprintf(out, " (%" PRIu32 "x%" PRIu32 " %s)", shape->width,
			shape->height, shape->format);
}

/* Findings about calls with an image or array concern no certain bytes. */
static bool report_has_place(const struct heapsim_record *r)
{
	return r->kind != MEM_VIOLATION_MISSING_UNLOCK &&
	       r->kind != MEM_VIOLATION_WRAPPED_GONE &&
	       (r->len || !report_is_frame(r));
}

/* Prints a line with the row of the first byte, if it is in one. */
static void report_row(FILE *out, const struct finding *f)
{
	struct finding_row row;

	if (!finding_row(f, &row))
		return;
	fprintf(out, PREFIX "      plane %" PRIu32 ", row %" PRIu64 ", byte %"
		PRIu64, row.plane, row.row, row.byte);
	if (row.byte >= row.len)
		fprintf(out, ", which is padding: a row has %" PRIu64 " bytes",
			row.len);
	fputc('\n', out);
}

static void report_buffer(FILE *out, const struct finding *f)
{
	const struct heapsim_record *r = &f->record;

	/* If the address is in no buffer, the name describes its memory. */
	if (!r->buf && r->kind == MEM_VIOLATION_ILLEGAL_ADDRESS) {
		fprintf(out, PREFIX "    address 0x%" PRIx64 ", %.*s\n",
			(uint64_t)r->cpu.addr, (int)sizeof(r->name), r->name);
		return;
	}
	if (r->kind == MEM_VIOLATION_FAILED_KERNEL) {
		fprintf(out, PREFIX "    ended by %.*s\n",
			(int)sizeof(r->name), r->name);
		return;
	}
	if (r->kind == MEM_VIOLATION_INVALID_HANDLE) {
		fprintf(out, PREFIX "    %.*s 0x%" PRIx64 "\n",
			(int)sizeof(r->name), r->name, (uint64_t)r->cpu.addr);
		return;
	}
	/* Memory of malloc() and the like is no numbered buffer. */
	if (!r->buf && r->kind == MEM_VIOLATION_WRAPPED_GONE) {
		fprintf(out, PREFIX "    memory of the program");
		fprintf(out, ", wrapped by \"%.*s\"\n", (int)sizeof(r->name),
			r->name);
		return;
	}
	report_put_holder(out, f);
	if (f->nr_bufs > 1)
		fprintf(out, " and %" PRIu64 " more", f->nr_bufs - 1);
	if (finding_is_leak(f)) {
		fprintf(out, ", %" PRIu64 " byte%s\n", (uint64_t)r->bytes,
			number_plural(r->bytes));
		return;
	}
	if (!report_has_place(r)) {
		fputc('\n', out);
		return;
	}
	/* Scattered bytes are reported as a range without a length. */
	if (r->count > 1 && r->bytes < r->len) {
		fprintf(out, ", %" PRIu64 " %s between offset %" PRIu64
			" and %" PRIu64 "\n", (uint64_t)r->count,
			kind_of(r->kind)->count, (uint64_t)r->off,
			(uint64_t)(r->off + r->len - 1));
		return;
	}
	fprintf(out, ", offset %" PRIu64, (uint64_t)r->off);
	if (r->kind != HEAPSIM_RECORD_MISSING_END &&
	    r->kind != HEAPSIM_RECORD_UNMATCHED_END)
		fprintf(out, ", %" PRIu64 " byte%s", (uint64_t)r->len,
			number_plural(r->len));
	if (r->count > 1)
		fprintf(out, "; %" PRIu64 " %s in all", (uint64_t)r->count,
			kind_of(r->kind)->count);
	fputc('\n', out);
	report_row(out, f);
}

/* Objects that are no buffers have only a count to print. */
static void report_count(FILE *out, const struct finding *f)
{
	const uint64_t count = f->record.count;
	const char *what = kind_of(f->record.kind)->count;

	fprintf(out, PREFIX "    %" PRIu64 " %.*s\n", count,
		(int)strlen(what) - (count == 1), what);
}

/* In CUDA, stream 0 is the NULL stream. */
static void report_put_stream(FILE *out, const struct finding *f,
			      uint64_t stream)
{
	if (f->api == KIND_API_CUDA && !stream)
		fputs("the NULL stream", out);
	else
		fprintf(out, "stream %" PRIu64, stream);
}

/* Prints which streams could use managed memory. */
static void report_attach(FILE *out, const struct finding *f)
{
	const struct heapsim_record *r = &f->record;

	switch (r->attach) {
	case HEAPSIM_ATTACH_GLOBAL:
		fputs(PREFIX "    attached to all streams\n", out);
		break;
	case HEAPSIM_ATTACH_HOST:
		fputs(PREFIX "    attached to the host\n", out);
		break;
	case HEAPSIM_ATTACH_SINGLE:
		fputs(PREFIX "    attached to ", out);
		report_put_stream(out, f, r->attach_stream);
		fputc('\n', out);
		break;
	}
}

static const struct frame *report_own_frame(const struct backtrace *trace)
{
	int i;

	for (i = 0; i < trace->nr; i++)
		if (!symbol_is_runtime(&trace->frames[i]))
			return &trace->frames[i];
	return trace->nr ? &trace->frames[0] : NULL;
}

/* Prints a line: how the memory was attached, since when, and by which call. */
static void report_attached(FILE *out, const struct finding *f, int i)
{
	const struct heapsim_record_attach *a = &f->record.attaches[i];
	const struct frame *frame = report_own_frame(&f->attaches[i]);

	fputs(PREFIX "      to ", out);
	if (a->attach == HEAPSIM_ATTACH_SINGLE)
		report_put_stream(out, f, a->stream);
	else
		fputs(a->attach == HEAPSIM_ATTACH_HOST ? "the host" :
							 "all streams", out);
	if (a->by == HEAPSIM_ATTACHED_BY_ALLOC) {
		fputs(" when allocated", out);
	} else if (a->by == HEAPSIM_ATTACHED_BY_DESTROY) {
		fprintf(out, " when stream %" PRIu64 " was destroyed",
			(uint64_t)a->stream);
	} else if (a->attach != HEAPSIM_ATTACH_SINGLE) {
		fputs(" in ", out);
		report_put_stream(out, f, a->stream);
	}
	fprintf(out, ", %.3f ms before",
		(f->record.time_ns - a->time_ns) / 1e6);
	if (frame) {
		fputs(",\n" PREFIX "        attached by ", out);
		report_place(out, frame);
	} else {
		fputc('\n', out);
	}
}

static void report_attaches(FILE *out, const struct finding *f)
{
	int i;

	for (i = 0; i < HEAPSIM_RECORD_NR_ATTACHES; i++)
		if (f->record.attaches[i].attach)
			report_attached(out, f, i);
}

static void report_cpu(FILE *out, const struct finding *f)
{
	const struct heapsim_record *r = &f->record;
	const char *did = r->other.type == HEAPSIM_OTHER_ENGINE ?
			  report_since(r) : NULL;

	if (!did)
		did = kind_of(r->kind)->cpu;
	if (!did)
		did = r->cpu.is_write ? "written" : "read";
	if (!r->cpu.time_ns)
		return;
	fprintf(out, PREFIX "    %s by ", did);
	if (!r->cpu.pid)
		fputs("the kernel, or a process that is hidden from you\n",
		      out);
	else
		fprintf(out, "%.*s (process %u, thread %u)\n",
			(int)sizeof(r->cpu.comm), r->cpu.comm, r->cpu.pid,
			r->cpu.tid);
	report_backtrace(out, &f->cpu);
	report_why(out, &f->cpu, f->cpu_why);
}

static void report_put_process(FILE *out, const struct heapsim_record *r)
{
	if (r->other.pid)
		fprintf(out, "%.*s (process %u)", (int)sizeof(r->other.comm),
			r->other.comm, r->other.pid);
	else
		fputs("the kernel, or a process that is hidden from you", out);
}

static void report_other(FILE *out, const struct finding *f)
{
	const struct heapsim_record *r = &f->record;
	const char *did = kind_of(r->kind)->other ? : "used";

	if (report_is_mapping(r) && r->other.type == HEAPSIM_OTHER_ENGINE)
		did = "touched";
	switch (r->other.type) {
	case HEAPSIM_OTHER_ENGINE:
		fprintf(out, PREFIX "    %s by engine %.*s, job %" PRIu64, did,
			(int)sizeof(r->other.name), r->other.name,
			(uint64_t)r->other.job);
		/* A job of libmem may be on no stream. */
		if (r->other.stream || r->attach || f->api == KIND_API_CUDA) {
			fputs(" on ", out);
			report_put_stream(out, f, r->other.stream);
		}
		fputs(", submitted by ", out);
		break;
	case HEAPSIM_OTHER_DEVICE:
		fprintf(out, PREFIX "    %s by device %.*s, mapped by ", did,
			(int)sizeof(r->other.name), r->other.name);
		break;
	case HEAPSIM_OTHER_VMAP:
		fprintf(out, PREFIX "    %s by a driver that vmapped it for ",
			did);
		break;
	case HEAPSIM_OTHER_PROCESS:
		did = report_since(r) ? : did;
		fprintf(out, PREFIX "    %s by ", did);
		break;
	default:
		return;
	}
	report_put_process(out, r);
	fputc('\n', out);
	report_backtrace(out, &f->other);
	report_why(out, &f->other, f->other_why);
	if (!f->kernel.nr)
		return;
	fputs(PREFIX "    its kernel\n", out);
	report_backtrace(out, &f->kernel);
}

/* Returns the next finding that is reported under another one, or NULL. */
static const struct finding *report_next(const struct finding *f,
					 const struct finding *cause)
{
	for (f = f->next; f; f = f->next)
		if (f->cause == cause)
			return f;
	return NULL;
}

/* Prints the other findings that the same fix removes. */
static void report_others(FILE *out, const struct finding *cause)
{
	const struct finding *f = cause;

	while ((f = report_next(f, cause))) {
		const char *headline = report_headline(&f->record);

		fprintf(out, PREFIX "    for the same reason, %.*s:\n",
			(int)strcspn(headline, ":"), headline);
		report_count(out, f);
		report_other(out, f);
	}
}

static void report_error(FILE *out, const struct finding *f)
{
	const char *fix = kind_fix(f->record.kind, f->record.missing, f->api);

	report_text(out, 0, report_headline(&f->record));
	if (finding_is_leak(f) && !f->record.bytes)
		report_count(out, f);
	else
		report_buffer(out, f);
	report_attach(out, f);
	report_attaches(out, f);
	report_cpu(out, f);
	report_other(out, f);
	report_others(out, f);
	if (fix)
		report_text(out, 4, fix);
	fputs(PREFIX "\n", out);
}

static void report_waste(FILE *out, const struct finding *f)
{
	const struct frame *frame = report_own_frame(&f->cpu);
	const struct heapsim_record *r = &f->record;

	fprintf(out, PREFIX "  %8" PRIu64 "  %14" PRIu64 "  ",
		(uint64_t)r->count, (uint64_t)r->bytes);
	if (r->name[0])
		fprintf(out, "\"%.*s\" ", (int)sizeof(r->name), r->name);
	if (!frame)
		fprintf(out, "%.*s", (int)sizeof(r->cpu.comm), r->cpu.comm);
	else if (frame->file)
		fprintf(out, "%s (%s:%d)",
			frame->function ? frame->function : "???",
			frame->file, frame->line);
	else
		fprintf(out, "%s (in %s)",
			frame->function ? frame->function : "???",
			frame->module ? frame->module : "???");
	fputc('\n', out);
}

static void report_wastes(FILE *out, const struct findings *findings,
			  uint32_t kind)
{
	const struct finding *f;
	bool has_begun = false;

	for (f = findings_first(findings); f; f = f->next) {
		if (f->record.kind != kind || f->suppressed_by)
			continue;
		if (!has_begun)
			fprintf(out, PREFIX "No error, but %s:\n"
				PREFIX "     times           bytes  where\n",
				kind_of(kind)->headline);
		has_begun = true;
		report_waste(out, f);
	}
	if (has_begun)
		fputs(PREFIX "\n", out);
}

/* Prints either all leaks or all other errors. */
static void report_blocks(FILE *out, const struct findings *findings,
			  bool has_suppressions, bool are_leaks)
{
	const struct finding *f, *one;

	for (f = findings_first(findings); f; f = f->next) {
		if (f->suppressed_by || f->cause ||
		    finding_is_leak(f) != are_leaks ||
		    (!are_leaks && !finding_is_error(findings, f)))
			continue;
		report_error(out, f);
		for (one = f; has_suppressions && one;
		     one = report_next(one, f))
			suppression_print(out, "", one);
	}
}

/* Lists processes that were not watched and so cannot have findings. */
static void report_refusals(FILE *out, const struct run_facts *facts)
{
	uint32_t i;

	for (i = 0; i < facts->nr_refusals; i++) {
		const struct run_refusal *r = &facts->refusals[i];

		fputs(PREFIX, out);
		report_put_text(out, r->library);
		fputs(" in ", out);
		report_put_text(out, r->program);
		fprintf(out, " (process %" PRIu32 ")\n", r->pid);
		report_text(out, 2, "does not fit this heapsim ("
			    HEAPSIM_VERSION "): it was not watched.\n"
			    "Build it with the libmem of this heapsim");
	}
	if (facts->nr_refused > facts->nr_refusals)
		fprintf(out, PREFIX "%" PRIu32 " more process%s not watched\n",
			facts->nr_refused - facts->nr_refusals,
			facts->nr_refused - facts->nr_refusals == 1 ?
			" was" : "es were");
}

/* Lists processes with contexts that could not open the records. */
static void report_unwatched(FILE *out, const struct run_facts *facts)
{
	uint32_t i;

	for (i = 0; i < facts->nr_unwatched && i < RUN_NR_REFUSALS; i++) {
		const struct run_refusal *r = &facts->unwatched[i];

		fputs(PREFIX, out);
		report_put_text(out, r->program);
		if (r->pid)
			fprintf(out, " (process %" PRIu32 ")", r->pid);
		fputs(" opened a context that was not watched\n", out);
	}
	if (facts->nr_unwatched > RUN_NR_REFUSALS)
		fprintf(out, PREFIX "At least %" PRIu32 " more opened one\n",
			facts->nr_unwatched - RUN_NR_REFUSALS);
	if (facts->nr_unwatched)
		report_text(out, 2,
			    "it has other rights or namespaces than heapsim run,\n"
			    "or a cleared environment");
}

static void report_failed(FILE *out, const struct run_facts *facts)
{
	const char *name = facts->failed_name, *value = facts->failed_value;

	fprintf(out, PREFIX "%" PRIu32 " context%s not opened: %s\n",
		facts->nr_failed, facts->nr_failed == 1 ? " was" : "s were",
		strerror(-facts->failed_err));
	if (facts->failed_err == -ENOENT && facts->backend == RUN_EMBEDDED)
		fputs(PREFIX "  the module is not loaded (heapsim load)\n",
		      out);
	if (facts->failed_err == -EPERM && facts->backend == RUN_EMBEDDED)
		fputs(PREFIX
		      "  a host function, or a child of fork(), opens none\n",
		      out);
	if (facts->failed_err == -ENOMEM && facts->backend == RUN_EMBEDDED)
		fputs(PREFIX
		      "  it needs many addresses (ulimit -v) and long files (ulimit -f)\n",
		      out);
	if (!*name)
		return;
	if (!setting_is_good(name, value)) {
		fputs(PREFIX "  ", out);
		setting_print(out, name, value);
		fputc('\n', out);
	} else if (facts->failed_err == -EOPNOTSUPP && *facts->probe.soc) {
		fprintf(out, PREFIX "  %s=%s: the module simulates %s\n", name,
			value, facts->probe.soc);
	}
}

static void report_inline(FILE *out, const struct run_facts *facts)
{
	report_text(out, 0, facts->backend == RUN_EMBEDDED ?
		    "Engines were inline: kernels ran in the program,\n"
		    "and were not checked; with one view, nor were\n"
		    "stale bytes" :
		    "Engines were inline: kernels ran in the program,\n"
		    "and were not checked");
	report_text(out, 0,
		    "With --error-exitcode this is an error, unless\n"
		    "--allow-inline is given");
}

/* Prints why the report may be incomplete or empty. */
static void report_contexts(FILE *out, const struct run_facts *facts)
{
	if (facts->nr_failed)
		report_failed(out, facts);
	if (facts->nr_inline)
		report_inline(out, facts);
	report_refusals(out, facts);
	report_unwatched(out, facts);
	if (facts->bypassed_pid)
		fprintf(out,
			PREFIX "System calls of process %" PRIu32
			" did not pass through libmem, which was\n"
			PREFIX "loaded by dlopen() and not preloaded:\n"
			PREFIX "LD_PRELOAD was replaced, or is ignored.\n"
			PREFIX "Those that touch managed memory can fail with\n"
			PREFIX "EFAULT\n",
			facts->bypassed_pid);
	if (facts->is_seen && !facts->nr_unwatched)
		return;
	if (!facts->is_seen && !facts->nr_unwatched)
		report_text(out, 0, facts->backend == RUN_EMBEDDED ?
			    "No libmem context was seen. Programs without libmem are\n"
			    "checked only with the module (heapsim load)" :
			    "No libmem context was seen, and no use of a buffer");
	report_text(out, 0,
		    "With --error-exitcode this is an error, unless\n"
		    "--allow-no-context is given");
}

static bool report_is_call(const struct finding *f, const char *call)
{
	char name[FINDING_CALL_LEN];

	return !f->suppressed_by && finding_call(f, name) &&
	       !strcmp(name, call);
}

/* Prints an unimplemented function once, with all places that called it. */
static void report_call(FILE *out, const struct findings *findings,
			const struct finding *first, const char *call)
{
	const struct frame *frame = report_own_frame(&first->cpu);
	const struct finding *f;
	uint64_t nr = 0;

	for (f = findings_first(findings); f != first; f = f->next)
		if (report_is_call(f, call))
			return;
	for (; f; f = f->next)
		if (report_is_call(f, call))
			nr += f->record.count;
	fprintf(out, PREFIX "  %s (%" PRIu64 " time%s)", call, nr,
		number_plural(nr));
	if (frame) {
		fputs(", first by ", out);
		report_place(out, frame);
	} else {
		fputc('\n', out);
	}
}

static void report_calls(FILE *out, const struct findings *findings,
			 bool has_suppressions)
{
	const struct finding *f;
	char name[FINDING_CALL_LEN];
	bool has_begun = false, is_cuda = false;

	for (f = findings_first(findings); f; f = f->next) {
		if (f->suppressed_by || !finding_call(f, name))
			continue;
		is_cuda |= f->api == KIND_API_CUDA;
		if (!has_begun)
			fprintf(out, PREFIX "%s:\n",
				kind_of(f->record.kind)->headline);
		has_begun = true;
		report_call(out, findings, f, name);
		if (has_suppressions)
			suppression_print(out, "", f);
	}
	if (has_begun && is_cuda)
		report_text(out, 2,
			    "They returned cudaErrorNotSupported, or\n"
			    "CUDA_ERROR_NOT_SUPPORTED; cuda-limits.rst lists them");
	if (has_begun)
		fputs(PREFIX "\n", out);
}

static bool report_has_nameless(const struct backtrace *trace)
{
	return trace->nr && !trace->frames[0].function &&
	       symbol_is_runtime(&trace->frames[0]);
}

/* Functions of the C library that are not exported have names in a package. */
static void report_nameless(FILE *out, const struct findings *findings)
{
	const struct finding *f = findings_first(findings);

	while (f && (f->suppressed_by || !report_has_nameless(&f->cpu)))
		f = f->next;
	if (f)
		report_text(out, 0,
			    "Functions of the C library have no names (\?\?\?):\n"
			    "install its symbols, for example libc6-dbg");
}

static void report_leaks(FILE *out, const struct totals *t)
{
	if (!t->leaks)
		return;
	fprintf(out, PREFIX "LEAK SUMMARY: %" PRIu64 " object%s (%" PRIu64
		" byte%s) from %" PRIu64 " place%s\n", t->leaks,
		number_plural(t->leaks), t->leaked_bytes,
		number_plural(t->leaked_bytes), t->leak_places,
		number_plural(t->leak_places));
}

/* Reports a signal, as a shell would if it had started the program. */
static void report_end(FILE *out, const struct run_facts *facts)
{
	const char *name;
	int signal;

	if (facts->status < 0 || !WIFSIGNALED(facts->status))
		return;
	signal = WTERMSIG(facts->status);
	name = sigabbrev_np(signal);
	if (name)
		fprintf(out, PREFIX "%s was ended by SIG%s\n", facts->argv[0],
			name);
	else
		fprintf(out, PREFIX "%s was ended by signal %d\n",
			facts->argv[0], signal);
}

/**
 * report_print() - print the report for people
 * @out: file to print to
 * @findings: findings after findings_end(), with suppressions applied
 * @facts: facts about the run
 * @has_suppressions: also print a suppression for each finding
 */
void report_print(FILE *out, const struct findings *findings,
		  const struct run_facts *facts, bool has_suppressions)
{
	const struct totals t = findings_total(findings);
	uint32_t kind;

	fputs(PREFIX "\n", out);
	report_blocks(out, findings, has_suppressions, false);
	report_blocks(out, findings, has_suppressions, true);
	for (kind = 0; kind < kind_end(); kind++)
		if (kind_of(kind)->class == KIND_WASTE)
			report_wastes(out, findings, kind);
	report_calls(out, findings, has_suppressions);
	if (t.dropped)
		fprintf(out, PREFIX "%" PRIu64 " record%s lost, %" PRIu64
			" of them of errors: too many\n", t.dropped,
			number_plural(t.dropped), t.dropped_errors);
	if (t.lost_stacks)
		fprintf(out, PREFIX "%" PRIu64 " stack%s could not be stored\n",
			t.lost_stacks, number_plural(t.lost_stacks));
	if (t.suppressed)
		fprintf(out, PREFIX "%" PRIu64 " error%s suppressed\n",
			t.suppressed, t.suppressed == 1 ? " is" : "s are");
	report_nameless(out, findings);
	report_contexts(out, facts);
	report_end(out, facts);
	report_leaks(out, &t);
	fprintf(out, PREFIX "ERROR SUMMARY: %" PRIu64 " error%s from %" PRIu64
		" place%s\n", t.errors, number_plural(t.errors), t.places,
		number_plural(t.places));
}
