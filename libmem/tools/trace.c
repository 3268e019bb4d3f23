// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the timeline of a run from the records of its events. Only the named
 * tracks, and the slices that have begun and not yet ended, are kept in memory.
 *
 * The actions of a thread are on its own track. Brackets, holds, frames and
 * waits for fences overlap, so they are asynchronous slices: holds on the track
 * of a made-up process for all importers, the others on that of their process.
 * Jobs are on the tracks of their engines (track.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kind.h"
#include "../clock.h"
#include "../record/record.h"
#include "../record/tables.h"
#include "span.h"
#include "trace.h"
#include "track.h"
#include "tracefile.h"

/**
 * struct trace - a timeline that is being written
 * @file: file, which also keeps the first error
 * @tracks: its tracks
 * @spans: asynchronous slices that have not ended
 * @nr_lost: number of events that were not read in time
 */
struct trace {
	struct tracefile file;
	struct tracks tracks;
	struct spans spans;
	uint64_t nr_lost;
};

static void trace_put_buf(struct tracefile *file,
			  const struct heapsim_record *r)
{
	tracefile_put(file, "\"buffer\":%" PRIu64 ",", (uint64_t)r->buf);
	tracefile_put_text(file, "buffer_name", r->name, sizeof(r->name));
	tracefile_put(file, ",\"off\":%" PRIu64 ",\"len\":%" PRIu64,
		      (uint64_t)r->off, (uint64_t)r->len);
}

static const char *trace_access_name(uint32_t access)
{
	static const char *const names[] = {
		"", "read", "write", "read-write",
	};

	return names[access & (HEAPSIM_ACCESS_READ | HEAPSIM_ACCESS_WRITE)];
}

static void trace_put_access(struct tracefile *file,
			     const struct heapsim_record *r)
{
	if (r->access)
		tracefile_put(file, ",\"access\":\"%s\"",
			      trace_access_name(r->access));
}

/* Behind another argument. */
static void trace_put_stream(struct tracefile *file,
			     const struct heapsim_record *r)
{
	if (r->other.stream)
		tracefile_put(file, ",\"stream\":%" PRIu64,
			      (uint64_t)r->other.stream);
}

static void trace_put_job_ids(struct tracefile *file,
			      const struct heapsim_record *r)
{
	tracefile_put(file, "\"job\":%" PRIu64, (uint64_t)r->other.job);
	trace_put_stream(file, r);
}

static void trace_put_job(struct tracefile *file,
			  const struct heapsim_record *r,
			  const struct trace_job *job)
{
	trace_put_job_ids(file, r);
	/* For kernels, the buffers and their access are not known. */
	if (job->kernel) {
		tracefile_put(file, ",");
		tracefile_put_text(file, "kernel", job->kernel, SIZE_MAX);
	} else if (r->op) {
		tracefile_put(file, ",");
		trace_put_buf(file, r);
		trace_put_access(file, r);
		tracefile_put(file, ",\"bytes\":%" PRIu64, (uint64_t)r->bytes);
	}
	if (r->op == HEAPSIM_DMA_COPY)
		tracefile_put(file, ",\"source\":%" PRIu64, (uint64_t)r->src);
	tracefile_put(file, ",\"submitter_pid\":%u,", r->other.pid);
	tracefile_put_text(file, "submitter", r->other.comm,
			   sizeof(r->other.comm));
	tracefile_put(file, ",\"waited_us\":%" PRIu64,
		      r->time_ns > r->other.time_ns ?
		      (uint64_t)(r->time_ns - r->other.time_ns) / 1000 : 0);
}

static const char *trace_job_name(const struct heapsim_record *r,
				  const struct trace_job *job)
{
	static const char *const names[] = {
		[HEAPSIM_DMA_FILL] = "fill",
		[HEAPSIM_DMA_COPY] = "copy",
		[HEAPSIM_DMA_CHECKSUM] = "checksum",
	};

	if (job->kernel)
		return job->kernel;
	return r->op < sizeof(names) / sizeof(names[0]) && names[r->op] ?
	       names[r->op] : "job";
}

/* Begins the slice of a thread's action, with its arguments still to write. */
static void trace_slice_begin(struct trace *t, const struct heapsim_record *r,
			      const char *name)
{
	const uint64_t begin = r->cpu.time_ns;
	uint32_t track[2];

	track_of_record(&t->tracks, r, track);
	tracefile_event_begin(&t->file, "X", name, begin, track);
	tracefile_put_us(&t->file, "dur",
			 tracefile_since_start(&t->file, r->time_ns) -
			 tracefile_since_start(&t->file, begin));
	tracefile_put(&t->file, ",\"cat\":\"cpu\",\"args\":{");
}

/* Writes the slice of a thread's action, from its begin to its end. */
static void trace_put_slice(struct trace *t, const struct heapsim_record *r,
			    const char *name)
{
	trace_slice_begin(t, r, name);
	trace_put_buf(&t->file, r);
	if (r->kind == HEAPSIM_RECORD_CLEAN ||
	    r->kind == HEAPSIM_RECORD_INVALIDATE)
		tracefile_put(&t->file, ",\"lines\":%" PRIu64,
			      (uint64_t)r->count);
	trace_put_access(&t->file, r);
	if (r->kind == HEAPSIM_RECORD_SUBMIT) {
		tracefile_put(&t->file, ",");
		trace_put_job_ids(&t->file, r);
	}
	tracefile_put(&t->file, ",\"ip\":\"0x%" PRIx64 "\"}",
		      (uint64_t)r->cpu.ip);
	tracefile_event_end(&t->file);
}

/* Begins an event that takes no time, on the track of its thread. */
static void trace_instant_begin(struct trace *t, const struct heapsim_record *r,
				const char *name, const char *category)
{
	uint32_t track[2];

	track_of_record(&t->tracks, r, track);
	tracefile_event_begin(&t->file, "i", name, r->time_ns, track);
	tracefile_put(&t->file, ",\"cat\":\"%s\",\"s\":\"t\",\"args\":{",
		      category);
}

static void trace_put_instant(struct trace *t, const struct heapsim_record *r,
			      const char *name)
{
	trace_instant_begin(t, r, name, "cpu");
	trace_put_buf(&t->file, r);
	tracefile_put(&t->file, ",\"lines\":%" PRIu64, (uint64_t)r->count);
	trace_put_access(&t->file, r);
	tracefile_put(&t->file,
		      ",\"addr\":\"0x%" PRIx64 "\",\"ip\":\"0x%" PRIx64 "\"}",
		      (uint64_t)r->cpu.addr, (uint64_t)r->cpu.ip);
	tracefile_event_end(&t->file);
}

/* Writes a slice of libmem that concerns no buffer. */
static void trace_put_host(struct trace *t, const struct heapsim_record *r,
			   const char *what, const char *name)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %s", what, name);
	trace_slice_begin(t, r, text);
	if (r->other.stream)
		tracefile_put(&t->file, "\"stream\":%" PRIu64,
			      (uint64_t)r->other.stream);
	tracefile_put(&t->file, "}");
	tracefile_event_end(&t->file);
}

static void trace_put_wait(struct trace *t, const struct heapsim_record *r)
{
	char name[HEAPSIM_NAME_LEN + 1] = "";

	/* The name may lack a terminating null byte. */
	memcpy(name, r->other.name, HEAPSIM_NAME_LEN);
	trace_put_host(t, r, "wait for", name);
}

static void trace_put_attach(struct trace *t, const struct heapsim_record *r)
{
	static const char *const names[] = {
		[HEAPSIM_ATTACH_GLOBAL] = "attach global",
		[HEAPSIM_ATTACH_HOST] = "attach host",
		[HEAPSIM_ATTACH_SINGLE] = "attach single",
	};
	const char *name = r->attach < sizeof(names) / sizeof(names[0]) ?
			   names[r->attach] : NULL;

	trace_instant_begin(t, r, name ? name : "attach", "cpu");
	trace_put_buf(&t->file, r);
	tracefile_put(&t->file, ",\"stream\":%" PRIu64 "}",
		      (uint64_t)r->other.stream);
	tracefile_event_end(&t->file);
}

static void trace_put_start(struct trace *t, const struct heapsim_record *r)
{
	struct span *span;
	uint32_t track[2];
	char name[32];

	snprintf(name, sizeof(name), "START %s", trace_access_name(r->access));
	trace_put_slice(t, r, name);
	track_of_record(&t->tracks, r, track);
	/* Brackets are on the track of the process's first thread. */
	tracks_add_process(&t->tracks, track[0], r);
	snprintf(name, sizeof(name), "bracket %s",
		 trace_access_name(r->access));
	span = span_begin(&t->spans, SPAN_BRACKET, track[0], name, r);
	if (!span)
		return;
	span->access = r->access;
	trace_put_buf(&t->file, r);
	tracefile_put(&t->file, "}");
	tracefile_event_end(&t->file);
}

/* Finds the newest bracket of a process with an open direction in @access. */
static struct span **trace_bracket_find(struct trace *t, uint32_t pid,
					uint64_t buf, uint32_t access)
{
	struct span **at;

	for (at = &t->spans.first; *at; at = &(*at)->next)
		if ((*at)->category == SPAN_BRACKET &&
		    (*at)->access & access && (*at)->pid == pid &&
		    (*at)->buf == buf)
			return at;
	return NULL;
}

/* Closes the newest open bracket in one direction, if there is one. */
static void trace_bracket_close(struct trace *t, uint32_t pid,
				const struct heapsim_record *r, uint32_t access)
{
	struct span **at = trace_bracket_find(t, pid, r->buf, access);

	if (!at)
		return;
	if ((*at)->access == access)
		span_end(&t->spans, at, r->time_ns);
	else
		(*at)->access &= ~access;
}

/* As in the module, an END closes nothing unless its directions are open. */
static void trace_put_stop(struct trace *t, const struct heapsim_record *r)
{
	uint32_t access, track[2];
	char name[32];

	snprintf(name, sizeof(name), "END %s", trace_access_name(r->access));
	trace_put_slice(t, r, name);
	track_of_record(&t->tracks, r, track);
	for (access = 1; access <= HEAPSIM_ACCESS_WRITE; access <<= 1)
		if (r->access & access &&
		    !trace_bracket_find(t, track[0], r->buf, access))
			return;
	for (access = 1; access <= HEAPSIM_ACCESS_WRITE; access <<= 1)
		if (r->access & access)
			trace_bracket_close(t, track[0], r, access);
}

static void trace_put_hold(struct trace *t, const struct heapsim_record *r)
{
	const bool is_vmap = r->other.type == HEAPSIM_OTHER_VMAP;
	const uint32_t track[2] = { TRACK_IMPORTERS, TRACK_IMPORTERS };
	char name[HEAPSIM_NAME_LEN + 8];
	struct span *span;

	tracks_add_thread(&t->tracks, track, "importers", sizeof("importers"));
	if (r->cpu.pid)
		trace_put_slice(t, r, is_vmap ? "vmap" : "map");
	snprintf(name, sizeof(name), "%s %.*s", is_vmap ? "vmap" : "map",
		 HEAPSIM_NAME_LEN, r->other.name);
	span = span_begin(&t->spans, SPAN_HOLD, TRACK_IMPORTERS, name, r);
	if (!span)
		return;
	span->time_ns = r->other.time_ns;
	trace_put_buf(&t->file, r);
	trace_put_access(&t->file, r);
	tracefile_put(&t->file, ",\"by_pid\":%u,", r->other.pid);
	tracefile_put_text(&t->file, "by", r->other.comm,
			   sizeof(r->other.comm));
	tracefile_put(&t->file, "}");
	tracefile_event_end(&t->file);
}

static void trace_put_release(struct trace *t, const struct heapsim_record *r)
{
	const bool is_vmap = r->other.type == HEAPSIM_OTHER_VMAP;
	struct span **at;

	for (at = &t->spans.first; *at; at = &(*at)->next)
		if ((*at)->category == SPAN_HOLD && (*at)->buf == r->buf &&
		    (*at)->time_ns == r->other.time_ns) {
			span_end(&t->spans, at, r->time_ns);
			break;
		}
	if (r->cpu.pid)
		trace_put_slice(t, r, is_vmap ? "vunmap" : "unmap");
}

/* Frames of pipes, and fences */

static void trace_put_frame_ids(struct tracefile *file,
				const struct heapsim_record *r)
{
	tracefile_put(file, "\"pipe\":%" PRIu64, (uint64_t)r->src);
	if (r->bytes)
		tracefile_put(file, ",\"number\":%" PRIu64,
			      (uint64_t)r->bytes);
	trace_put_stream(file, r);
}

/* Begins a slice of a frame, or of a wait, on the track of its process. */
static void trace_own_span_begin(struct trace *t,
				 const struct heapsim_record *r,
				 enum span_category category,
				 const char *name)
{
	struct span *span;
	uint32_t track[2];

	track_of_record(&t->tracks, r, track);
	tracks_add_process(&t->tracks, track[0], r);
	span = span_begin(&t->spans, category, track[0], name, r);
	if (!span)
		return;
	span->pipe = r->src;
	if (category == SPAN_FENCE)
		tracefile_put(&t->file, "\"stream\":%" PRIu64,
			      (uint64_t)r->other.stream);
	else
		trace_put_frame_ids(&t->file, r);
	tracefile_put(&t->file, "}");
	tracefile_event_end(&t->file);
}

/*
 * Ends the slice with the @buf of the record, or without one those of its pipe.
 * There may be none: a begin was lost, or a fence was signalled before a wait.
 */
static void trace_own_span_end(struct trace *t, const struct heapsim_record *r,
			       enum span_category category)
{
	struct span **at = &t->spans.first;
	uint32_t track[2];

	track_of_record(&t->tracks, r, track);
	while (*at) {
		const struct span *span = *at;

		if (span->category == category && span->pid == track[0] &&
		    (r->buf ? span->buf == r->buf : span->pipe == r->src))
			span_end(&t->spans, at, r->time_ns);
		else
			at = &(*at)->next;
	}
}

static void trace_put_frame_call(struct trace *t,
				 const struct heapsim_record *r,
				 const char *call, const char *frame)
{
	char name[128];

	snprintf(name, sizeof(name), "%s %s", call, frame);
	trace_slice_begin(t, r, name);
	trace_put_frame_ids(&t->file, r);
	tracefile_put(&t->file, "}");
	tracefile_event_end(&t->file);
}

static void trace_put_frame(struct trace *t, const struct heapsim_record *r)
{
	char frame[64] = "frame", held[80];

	if (r->bytes)
		snprintf(frame, sizeof(frame), "frame %" PRIu64,
			 (uint64_t)r->bytes);
	switch (r->op) {
	case RECORD_FRAME_PRESENT:
		trace_put_frame_call(t, r, "present", frame);
		trace_own_span_begin(t, r, SPAN_FRAME, frame);
		break;
	case RECORD_FRAME_ACQUIRE:
		trace_put_frame_call(t, r, "acquire", frame);
		snprintf(held, sizeof(held), "%s held", frame);
		trace_own_span_begin(t, r, SPAN_HELD, held);
		break;
	case RECORD_FRAME_RELEASE:
		trace_own_span_end(t, r, SPAN_HELD);
		trace_put_frame_call(t, r, "release", frame);
		break;
	case RECORD_FRAME_RETURN:
		trace_own_span_end(t, r, SPAN_FRAME);
		trace_put_frame_call(t, r, "return", frame);
		break;
	case RECORD_FRAME_LOSE_ALL:
		trace_own_span_end(t, r, SPAN_HELD);
		trace_own_span_end(t, r, SPAN_FRAME);
		break;
	case RECORD_FRAME_LOSE:
		trace_own_span_end(t, r, SPAN_FRAME);
		break;
	}
}

static void trace_put_fence(struct trace *t, const struct heapsim_record *r)
{
	switch (r->op) {
	case RECORD_FENCE_WAIT:
		trace_own_span_begin(t, r, SPAN_FENCE, "wait for fence");
		break;
	case RECORD_FENCE_PASS:
		trace_own_span_end(t, r, SPAN_FENCE);
		break;
	case RECORD_FENCE_SIGNAL:
		trace_instant_begin(t, r, "signal fence", "fence");
		tracefile_put(&t->file, "\"stream\":%" PRIu64 "}",
			      (uint64_t)r->other.stream);
		tracefile_event_end(&t->file);
		break;
	}
}

/* Writes an arrow from the submission to the job; its time identifies it. */
static void trace_put_flow(struct tracefile *file,
			   const struct heapsim_record *r, const char *phase,
			   const uint32_t track[2], uint64_t time_ns)
{
	tracefile_event_begin(file, phase, "job", time_ns, track);
	tracefile_put(file, ",\"cat\":\"job\",\"id\":%" PRIu64 "%s",
		      tracefile_since_start(file, r->other.time_ns),
		      *phase == 'f' ? ",\"bp\":\"e\"" : "");
	tracefile_event_end(file);
}

static void trace_put_submit(struct trace *t, const struct heapsim_record *r,
			     const struct trace_job *job)
{
	uint32_t track[2];
	char *name;

	if (asprintf(&name, "submit %s", trace_job_name(r, job)) < 0) {
		tracefile_fail(&t->file, -ENOMEM);
		return;
	}
	trace_put_slice(t, r, name);
	free(name);
	track_of_record(&t->tracks, r, track);
	trace_put_flow(&t->file, r, "s", track, r->cpu.time_ns);
}

static void trace_job_end(struct trace *t, struct track_engine *engine,
			  uint64_t time_ns, int status)
{
	uint32_t track[2];

	track_of_engine(&t->tracks, engine, track);
	tracefile_event_begin(&t->file, "E", "job", time_ns, track);
	tracefile_put(&t->file, ",\"cat\":\"job\",\"args\":{\"status\":%d}",
		      status);
	tracefile_event_end(&t->file);
	engine->is_running = false;
}

static void trace_put_job_begin(struct trace *t, const struct heapsim_record *r,
				const struct trace_job *job)
{
	struct track_engine *engine = tracks_find_engine(&t->tracks, r, job);
	uint32_t track[2];

	if (!engine)
		engine = tracks_add_engine(&t->tracks, r, job);
	if (!engine)
		return;
	/* The end of the previous job was lost. */
	if (engine->is_running)
		trace_job_end(t, engine, r->time_ns, 0);
	engine->is_running = true;
	engine->may_have_ended = false;
	engine->job = r->other.job;
	engine->time_ns = r->other.time_ns;
	track_of_engine(&t->tracks, engine, track);
	tracefile_event_begin(&t->file, "B", trace_job_name(r, job), r->time_ns,
			      track);
	tracefile_put(&t->file, ",\"cat\":\"job\",\"args\":{");
	trace_put_job(&t->file, r, job);
	tracefile_put(&t->file, "}");
	tracefile_event_end(&t->file);
	trace_put_flow(&t->file, r, "f", track, r->time_ns);
}

static void trace_put_job_end(struct trace *t, const struct heapsim_record *r,
			      const struct trace_job *job)
{
	struct track_engine *engine = tracks_find_engine(&t->tracks, r, job);

	if (engine && engine->is_running)
		trace_job_end(t, engine, r->time_ns, r->status);
}

static void trace_put_lost(struct trace *t, const struct heapsim_record *r)
{
	uint32_t track[2];
	unsigned int i;

	track_of_unknown(track);
	for (i = 0; i < t->tracks.nr_engines; i++)
		t->tracks.engines[i].may_have_ended = true;
	t->nr_lost += r->count;
	tracefile_event_begin(&t->file, "i", "events lost", r->time_ns, track);
	tracefile_put(&t->file, ",\"cat\":\"lost\",\"s\":\"g\",\"args\":{");
	tracefile_put(&t->file, "\"count\":%" PRIu64 "}", (uint64_t)r->count);
	tracefile_event_end(&t->file);
}

/**
 * trace_open() - begin a timeline; its time 0 is now
 * @out: file, which the caller closes
 *
 * Return: for trace_close(); NULL without memory.
 */
struct trace *trace_open(FILE *out)
{
	struct trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->tracks.file = &t->file;
	t->spans.file = &t->file;
	tracefile_begin(&t->file, out);
	return t;
}

/**
 * trace_close() - free a timeline
 * @trace: may be NULL
 */
void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	tracks_fini(&trace->tracks);
	spans_fini(&trace->spans);
	free(trace);
}

/**
 * trace_event() - write an event
 * @trace: timeline; trace_end() returns the first error
 * @r: record of an event or of lost events; other records are ignored
 * @job: more about its job; NULL: nothing
 */
void trace_event(struct trace *trace, const struct heapsim_record *r,
		 const struct trace_job *job)
{
	static const struct trace_job of_module;

	job = job ? job : &of_module;

	switch (r->kind) {
	case HEAPSIM_RECORD_DROPPED:
		trace_put_lost(trace, r);
		break;
	case HEAPSIM_RECORD_FILL:
		trace_put_instant(trace, r, r->access ? "fill" :
				  "fill (random)");
		break;
	case RECORD_TOUCH:
		trace_put_instant(trace, r, "touch");
		break;
	case RECORD_ATTACH:
		trace_put_attach(trace, r);
		break;
	case RECORD_WAIT:
		trace_put_wait(trace, r);
		break;
	case RECORD_CALL:
		trace_put_host(trace, r, "call", job->kernel ? job->kernel :
			       "host function");
		break;
	case RECORD_FRAME:
		trace_put_frame(trace, r);
		break;
	case RECORD_FENCE:
		trace_put_fence(trace, r);
		break;
	case HEAPSIM_RECORD_EVICT:
		trace_put_instant(trace, r, "evict");
		break;
	case HEAPSIM_RECORD_CLEAN:
		trace_put_slice(trace, r, "clean");
		break;
	case HEAPSIM_RECORD_INVALIDATE:
		trace_put_slice(trace, r, "invalidate");
		break;
	case HEAPSIM_RECORD_START:
		trace_put_start(trace, r);
		break;
	case HEAPSIM_RECORD_END:
		trace_put_stop(trace, r);
		break;
	case HEAPSIM_RECORD_SUBMIT:
		trace_put_submit(trace, r, job);
		break;
	case HEAPSIM_RECORD_JOB_BEGIN:
		trace_put_job_begin(trace, r, job);
		break;
	case HEAPSIM_RECORD_JOB_END:
		trace_put_job_end(trace, r, job);
		break;
	case HEAPSIM_RECORD_HOLD:
		trace_put_hold(trace, r);
		break;
	case HEAPSIM_RECORD_RELEASE:
		trace_put_release(trace, r);
		break;
	default:
		break;
	}
}

/**
 * trace_finding() - write a finding on the track of its thread
 * @trace: timeline; trace_end() returns the first error
 * @r: record of a finding; a record of lost ones is ignored
 */
void trace_finding(struct trace *trace, const struct heapsim_record *r)
{
	struct tracefile *file = &trace->file;
	const char *missing = kind_missing_name(r->missing);
	const char *kind = kind_of(r->kind)->name;
	uint32_t track[2];

	if (r->kind == HEAPSIM_RECORD_DROPPED)
		return;
	track_of_record(&trace->tracks, r, track);
	/* This bracket will never be ended. */
	if (r->kind == HEAPSIM_RECORD_MISSING_END)
		trace_bracket_close(trace, track[0], r, HEAPSIM_ACCESS_WRITE);
	trace_instant_begin(trace, r, kind, "finding");
	tracefile_put(file, "\"kind\":\"%s\",", kind);
	trace_put_buf(file, r);
	tracefile_put(file, ",\"count\":%" PRIu64, (uint64_t)r->count);
	if (missing)
		tracefile_put(file, ",\"missing\":\"%s\"", missing);
	if (r->other.type != HEAPSIM_OTHER_NOBODY) {
		tracefile_put(file, ",");
		tracefile_put_text(file, "other", r->other.name,
				   sizeof(r->other.name));
		tracefile_put(file, ",\"other_pid\":%u,\"job\":%" PRIu64,
			      r->other.pid, (uint64_t)r->other.job);
	}
	tracefile_put(file, ",\"ip\":\"0x%" PRIx64 "\"}", (uint64_t)r->cpu.ip);
	tracefile_event_end(file);
}

static void trace_put_program(struct tracefile *file,
			      const struct run_facts *facts)
{
	int i;

	tracefile_put(file, "\"pid\":%d,\"arguments\":[", facts->pid);
	for (i = 0; facts->argv[i]; i++) {
		tracefile_put(file, "%s", i ? "," : "");
		tracefile_put_string(file, facts->argv[i], SIZE_MAX);
	}
	tracefile_put(file, "],");
}

/**
 * trace_end() - end the open slices, and complete the file
 * @trace: timeline
 * @facts: facts about the run
 *
 * Return: 0; -ENOMEM; or why the file could not be written.
 */
int trace_end(struct trace *trace, const struct run_facts *facts)
{
	struct tracefile *file = &trace->file;
	const uint64_t now = now_ns();
	unsigned int i;

	for (i = 0; i < trace->tracks.nr_engines; i++)
		if (trace->tracks.engines[i].is_running)
			trace_job_end(trace, &trace->tracks.engines[i], now, 0);
	spans_end(&trace->spans, now);
	tracefile_put(file, "\n],\"otherData\":{");
	trace_put_program(file, facts);
	tracefile_put_text(file, "soc", facts->probe.soc,
			   sizeof(facts->probe.soc));
	tracefile_put(file, ",\"line_size\":%u", facts->probe.line_size);
	tracefile_put(file, ",\"start_ns\":%" PRIu64, file->start_ns);
	tracefile_put_us(file, "duration_us",
			 tracefile_since_start(file, now));
	tracefile_put(file, ",\"events_lost\":%" PRIu64 "}}\n", trace->nr_lost);
	return tracefile_end(file);
}

/**
 * trace_nr_lost() - count events that were not read in time
 * @trace: timeline
 *
 * Return: number of lost events.
 */
uint64_t trace_nr_lost(const struct trace *trace)
{
	return trace->nr_lost;
}
