// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes the timeline of a run as JSON trace events, which ui.perfetto.dev
 * opens. Events are written as they arrive, since Perfetto sorts them. Only the
 * named tracks, and the slices that have begun and not yet ended, are kept in
 * memory.
 *
 * The actions of a thread are on its own track. Brackets and holds overlap, so
 * they are asynchronous slices: brackets on the track of their process, holds
 * on that of a made-up process for all importers. Engines are threads of
 * another made-up process, and each runs one job at a time. On the embedded
 * backend there is an engine's track for each thread that simulates it. Kernels
 * that programs run on the module belong to engines of their open, but events
 * do not show which open; so a name has as many tracks as the process runs such
 * jobs at once.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "kind.h"
#include "../clock.h"
#include "../record/tables.h"
#include "trace.h"

#define NR_BUCKETS	1024
#define MAX_ENGINES	256

/* Made-up pids are larger than the largest possible pid (4194304). */
#define PID_NOBODY	5000000
#define PID_IMPORTERS	5000001
#define PID_ENGINES	5000100

/**
 * struct thread - a thread whose track has been named
 * @next: next thread in the bucket
 * @pid: process
 * @tid: thread
 * @comm: name of the thread
 */
struct thread {
	struct thread *next;
	uint32_t pid;
	uint32_t tid;
	char comm[HEAPSIM_NAME_LEN];
};

/**
 * struct span - a bracket or a hold that has not ended
 * @next: the span that began before this one
 * @id: id of its slice
 * @pid: process on whose track it is
 * @buf: buffer
 * @access: directions of a bracket that are still open; 0: a hold
 * @time_ns: begin of a hold, which identifies it
 * @name: name of its slice
 */
struct span {
	struct span *next;
	uint64_t id;
	uint32_t pid;
	uint64_t buf;
	uint32_t access;
	uint64_t time_ns;
	char name[HEAPSIM_NAME_LEN + 16];
};

/**
 * struct engine - track of an engine
 * @name: name of the engine
 * @pid: process that it is in; 0: the module
 * @thread: thread that simulates it
 * @has_works: it runs jobs that a process reports to the module
 * @is_running: a job has begun and not ended
 * @may_have_ended: events were lost, perhaps the end of this job
 * @job: id of the job
 * @time_ns: when the job was submitted
 */
struct engine {
	char name[HEAPSIM_NAME_LEN];
	uint32_t pid;
	uint32_t thread;
	bool has_works;
	bool is_running;
	bool may_have_ended;
	uint64_t job;
	uint64_t time_ns;
};

/**
 * struct trace - a timeline that is being written
 * @out: file, which also keeps its error state
 * @error: first error, -errno; 0: none
 * @start_ns: begin of the run
 * @end_ns: time of the latest event
 * @nr_events: number of events written
 * @nr_lost: number of events that were not read in time
 * @nr_spans: number of spans that have begun
 * @threads: hash table of threads by tid
 * @spans: brackets and holds that have not ended, newest first
 * @engines: engines that have run a job
 * @nr_engines: number of engines
 */
struct trace {
	FILE *out;
	int error;
	uint64_t start_ns;
	uint64_t end_ns;
	uint64_t nr_events;
	uint64_t nr_lost;
	uint64_t nr_spans;
	struct thread *threads[NR_BUCKETS];
	struct span *spans;
	struct engine engines[MAX_ENGINES];
	unsigned int nr_engines;
};

static const char *const op_names[] = {
	[HEAPSIM_DMA_FILL] = "fill",
	[HEAPSIM_DMA_COPY] = "copy",
	[HEAPSIM_DMA_CHECKSUM] = "checksum",
};

__attribute__((format(printf, 2, 3)))
static void put(struct trace *t, const char *format, ...)
{
	va_list args;

	if (t->error)
		return;
	va_start(args, format);
	errno = 0;
	if (vfprintf(t->out, format, args) < 0)
		t->error = errno ? -errno : -EIO;
	va_end(args);
}

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/* A program chose the text; bytes that are not UTF-8 are not valid in JSON. */
static void put_string(struct trace *t, const char *s, size_t max)
{
	const size_t len = strnlen(s, max);
	size_t i, n;

	put(t, "\"");
	for (i = 0; i < len; i += n ? n : 1) {
		const unsigned char c = s[i];

		for (n = 0; i + n < len && is_plain(s[i + n]); n++)
			;
		if (n)
			put(t, "%.*s", (int)n, s + i);
		else
			put(t, "\\u%04x", c < 0x7f ? c : '?');
	}
	put(t, "\"");
}

static void put_text(struct trace *t, const char *key, const char *s,
		     size_t max)
{
	put(t, "\"%s\":", key);
	put_string(t, s, max);
}

/* Times in the file are microseconds with a fraction. */
static void put_us(struct trace *t, const char *key, uint64_t ns)
{
	put(t, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000,
	    (unsigned int)(ns % 1000));
}

static uint64_t since_start(struct trace *t, uint64_t ns)
{
	if (t->end_ns < ns)
		t->end_ns = ns;
	return ns > t->start_ns ? ns - t->start_ns : 0;
}

/* Writes the begin of an event on a track; event_end() closes it. */
static void event_begin(struct trace *t, const char *phase, const char *name,
			uint64_t time_ns, const uint32_t track[2])
{
	put(t, "%s\n{\"ph\":\"%s\",", t->nr_events++ ? "," : "", phase);
	put_text(t, "name", name, SIZE_MAX);
	put_us(t, "ts", since_start(t, time_ns));
	put(t, ",\"pid\":%u,\"tid\":%u", track[0], track[1]);
}

static void event_end(struct trace *t)
{
	put(t, "}");
}

/* Names a track; @what is "process_name" or "thread_name". */
static void name_track(struct trace *t, const char *what,
		       const uint32_t track[2], const char *name, size_t max)
{
	event_begin(t, "M", what, t->start_ns, track);
	put(t, ",\"args\":{");
	put_text(t, "name", name, max);
	put(t, "}");
	event_end(t);
}

static struct thread *thread_find(const struct trace *t, uint32_t pid,
				  uint32_t tid)
{
	struct thread *thread;

	for (thread = t->threads[tid % NR_BUCKETS]; thread;
	     thread = thread->next)
		if (thread->tid == tid && thread->pid == pid)
			break;
	return thread;
}

static int know_thread(struct trace *t, const uint32_t track[2],
		       const char *comm, size_t max)
{
	struct thread **bucket = &t->threads[track[1] % NR_BUCKETS];
	struct thread *thread = thread_find(t, track[0], track[1]);

	if (max > sizeof(thread->comm))
		max = sizeof(thread->comm);
	if (thread && !strncmp(thread->comm, comm, max))
		return 0;
	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (!thread)
			return -ENOMEM;
		thread->pid = track[0];
		thread->tid = track[1];
		thread->next = *bucket;
		*bucket = thread;
	}
	/* An exec changes the name. */
	memcpy(thread->comm, comm, max);
	/* A process gets the name of its first thread, if this is known. */
	if (track[0] == track[1] || !thread_find(t, track[0], track[0]))
		name_track(t, "process_name", track, comm, max);
	name_track(t, "thread_name", track, comm, max);
	return 0;
}

/* Finds the track of the CPU's thread, or else of the other's process. */
static int track_of(struct trace *t, const struct heapsim_record *r,
		    uint32_t track[2])
{
	static const char nobody[] = "not known";

	track[0] = r->cpu.pid;
	track[1] = r->cpu.tid;
	if (track[0] && track[1])
		return know_thread(t, track, r->cpu.comm, sizeof(r->cpu.comm));
	track[0] = r->other.pid;
	track[1] = r->other.pid;
	if (track[0])
		return know_thread(t, track, r->other.comm,
				   sizeof(r->other.comm));
	track[0] = PID_NOBODY;
	track[1] = PID_NOBODY;
	return know_thread(t, track, nobody, sizeof(nobody));
}

static void put_buf(struct trace *t, const struct heapsim_record *r)
{
	put(t, "\"buffer\":%" PRIu64 ",", (uint64_t)r->buf);
	put_text(t, "buffer_name", r->name, sizeof(r->name));
	put(t, ",\"off\":%" PRIu64 ",\"len\":%" PRIu64, (uint64_t)r->off,
	    (uint64_t)r->len);
}

static const char *access_name(uint32_t access)
{
	static const char *const names[] = {
		"", "read", "write", "read-write",
	};

	return names[access & (HEAPSIM_ACCESS_READ | HEAPSIM_ACCESS_WRITE)];
}

static void put_access(struct trace *t, const struct heapsim_record *r)
{
	if (r->access)
		put(t, ",\"access\":\"%s\"", access_name(r->access));
}

static void put_job_ids(struct trace *t, const struct heapsim_record *r)
{
	put(t, "\"job\":%" PRIu64, (uint64_t)r->other.job);
	if (r->other.stream)
		put(t, ",\"stream\":%" PRIu64, (uint64_t)r->other.stream);
}

static void put_job(struct trace *t, const struct heapsim_record *r,
		    const struct trace_job *job)
{
	put_job_ids(t, r);
	/* For kernels, the buffers and their access are not known. */
	if (job->kernel) {
		put(t, ",");
		put_text(t, "kernel", job->kernel, SIZE_MAX);
	} else if (r->op) {
		put(t, ",");
		put_buf(t, r);
		put_access(t, r);
		put(t, ",\"bytes\":%" PRIu64, (uint64_t)r->bytes);
	}
	if (r->op == HEAPSIM_DMA_COPY)
		put(t, ",\"source\":%" PRIu64, (uint64_t)r->src);
	put(t, ",\"submitter_pid\":%u,", r->other.pid);
	put_text(t, "submitter", r->other.comm, sizeof(r->other.comm));
	put(t, ",\"waited_us\":%" PRIu64, r->time_ns > r->other.time_ns ?
	    (uint64_t)(r->time_ns - r->other.time_ns) / 1000 : 0);
}

static const char *job_name(const struct heapsim_record *r,
			    const struct trace_job *job)
{
	if (job->kernel)
		return job->kernel;
	return r->op < sizeof(op_names) / sizeof(op_names[0]) &&
	       op_names[r->op] ? op_names[r->op] : "job";
}

/* Writes the slice of a thread's action, from its begin to its end. */
static int put_slice(struct trace *t, const struct heapsim_record *r,
		     const char *name)
{
	const uint64_t begin = r->cpu.time_ns;
	uint32_t track[2];
	int ret;

	ret = track_of(t, r, track);
	if (ret)
		return ret;
	event_begin(t, "X", name, begin, track);
	put_us(t, "dur", since_start(t, r->time_ns) - since_start(t, begin));
	put(t, ",\"cat\":\"cpu\",\"args\":{");
	put_buf(t, r);
	if (r->kind == HEAPSIM_RECORD_CLEAN ||
	    r->kind == HEAPSIM_RECORD_INVALIDATE)
		put(t, ",\"lines\":%" PRIu64, (uint64_t)r->count);
	put_access(t, r);
	if (r->kind == HEAPSIM_RECORD_SUBMIT) {
		put(t, ",");
		put_job_ids(t, r);
	}
	put(t, ",\"ip\":\"0x%" PRIx64 "\"}", (uint64_t)r->cpu.ip);
	event_end(t);
	return 0;
}

static int put_instant(struct trace *t, const struct heapsim_record *r,
		       const char *name)
{
	uint32_t track[2];
	int ret;

	ret = track_of(t, r, track);
	if (ret)
		return ret;
	event_begin(t, "i", name, r->time_ns, track);
	put(t, ",\"cat\":\"cpu\",\"s\":\"t\",\"args\":{");
	put_buf(t, r);
	put(t, ",\"lines\":%" PRIu64, (uint64_t)r->count);
	put_access(t, r);
	put(t, ",\"addr\":\"0x%" PRIx64 "\",\"ip\":\"0x%" PRIx64 "\"}",
	    (uint64_t)r->cpu.addr, (uint64_t)r->cpu.ip);
	event_end(t);
	return 0;
}

/* Writes a slice of libmem that concerns no buffer. */
static int put_hosts(struct trace *t, const struct heapsim_record *r,
		     const char *what, const char *name)
{
	const uint64_t begin = r->cpu.time_ns;
	uint32_t track[2];
	char text[128];
	int ret;

	ret = track_of(t, r, track);
	if (ret)
		return ret;
	snprintf(text, sizeof(text), "%s %s", what, name);
	event_begin(t, "X", text, begin, track);
	put_us(t, "dur", since_start(t, r->time_ns) - since_start(t, begin));
	put(t, ",\"cat\":\"cpu\",\"args\":{");
	if (r->other.stream)
		put(t, "\"stream\":%" PRIu64, (uint64_t)r->other.stream);
	put(t, "}");
	event_end(t);
	return 0;
}

static int put_wait(struct trace *t, const struct heapsim_record *r)
{
	char name[HEAPSIM_NAME_LEN + 1] = "";

	/* The name may lack a terminating null byte. */
	memcpy(name, r->other.name, HEAPSIM_NAME_LEN);
	return put_hosts(t, r, "wait for", name);
}

static int put_attach(struct trace *t, const struct heapsim_record *r)
{
	static const char *const names[] = {
		[HEAPSIM_ATTACH_GLOBAL] = "attach global",
		[HEAPSIM_ATTACH_HOST] = "attach host",
		[HEAPSIM_ATTACH_SINGLE] = "attach single",
	};
	const char *name = r->attach < sizeof(names) / sizeof(names[0]) ?
			   names[r->attach] : NULL;
	uint32_t track[2];
	int ret;

	ret = track_of(t, r, track);
	if (ret)
		return ret;
	event_begin(t, "i", name ? name : "attach", r->time_ns, track);
	put(t, ",\"cat\":\"cpu\",\"s\":\"t\",\"args\":{");
	put_buf(t, r);
	put(t, ",\"stream\":%" PRIu64 "}", (uint64_t)r->other.stream);
	event_end(t);
	return 0;
}

/* Writes the begin or the end of a span's slice. */
static void put_span(struct trace *t, const char *phase,
		     const struct span *span, uint64_t time_ns)
{
	const uint32_t track[2] = { span->pid, span->pid };

	event_begin(t, phase, span->name, time_ns, track);
	put(t, ",\"cat\":\"%s\",\"id\":\"0x%" PRIx64 "\"",
	    span->access ? "bracket" : "hold", span->id);
}

/* Brackets are on the track of the first thread, which may have no events. */
static int know_process(struct trace *t, const struct heapsim_record *r,
			uint32_t pid)
{
	const uint32_t track[2] = { pid, pid };

	if (thread_find(t, pid, pid))
		return 0;
	return know_thread(t, track, r->cpu.comm, sizeof(r->cpu.comm));
}

static struct span *span_begin(struct trace *t, const struct heapsim_record *r,
			       uint32_t pid)
{
	struct span *span = calloc(1, sizeof(*span));

	if (!span)
		return NULL;
	span->id = ++t->nr_spans;
	span->pid = pid;
	span->buf = r->buf;
	span->next = t->spans;
	t->spans = span;
	return span;
}

/* Removes the span at @at, and ends its slice. */
static void span_end(struct trace *t, struct span **at, uint64_t time_ns,
		     uint32_t access)
{
	struct span *span = *at;

	*at = span->next;
	span->access = access;
	put_span(t, "e", span, time_ns);
	event_end(t);
	free(span);
}

static int put_start(struct trace *t, const struct heapsim_record *r)
{
	uint32_t track[2];
	struct span *span;
	char name[32];
	int ret;

	snprintf(name, sizeof(name), "START %s", access_name(r->access));
	ret = put_slice(t, r, name);
	if (!ret)
		ret = track_of(t, r, track);
	if (!ret)
		ret = know_process(t, r, track[0]);
	if (ret)
		return ret;
	span = span_begin(t, r, track[0]);
	if (!span)
		return -ENOMEM;
	span->access = r->access;
	snprintf(span->name, sizeof(span->name), "bracket %s",
		 access_name(r->access));
	put_span(t, "b", span, r->time_ns);
	put(t, ",\"args\":{");
	put_buf(t, r);
	put(t, "}");
	event_end(t);
	return 0;
}

/* Finds the newest bracket of a process with an open direction in @access. */
static struct span **bracket_find(struct trace *t, uint32_t pid, uint64_t buf,
				  uint32_t access)
{
	struct span **at;

	for (at = &t->spans; *at; at = &(*at)->next)
		if ((*at)->access & access && (*at)->pid == pid &&
		    (*at)->buf == buf)
			return at;
	return NULL;
}

/* Closes the newest open bracket in one direction, if there is one. */
static void bracket_close(struct trace *t, const uint32_t track[2],
			  const struct heapsim_record *r, uint32_t access)
{
	struct span **at = bracket_find(t, track[0], r->buf, access);

	if (!at)
		return;
	if ((*at)->access == access)
		span_end(t, at, r->time_ns, access);
	else
		(*at)->access &= ~access;
}

/* Like the module: an END of which one direction is not open closes nothing. */
static int put_stop(struct trace *t, const struct heapsim_record *r)
{
	uint32_t access, track[2];
	char name[32];
	int ret;

	snprintf(name, sizeof(name), "END %s", access_name(r->access));
	ret = put_slice(t, r, name);
	if (!ret)
		ret = track_of(t, r, track);
	if (ret)
		return ret;
	for (access = 1; access <= HEAPSIM_ACCESS_WRITE; access <<= 1)
		if (r->access & access &&
		    !bracket_find(t, track[0], r->buf, access))
			return 0;
	for (access = 1; access <= HEAPSIM_ACCESS_WRITE; access <<= 1)
		if (r->access & access)
			bracket_close(t, track, r, access);
	return 0;
}

static int put_hold(struct trace *t, const struct heapsim_record *r)
{
	const bool is_vmap = r->other.type == HEAPSIM_OTHER_VMAP;
	const uint32_t track[2] = { PID_IMPORTERS, PID_IMPORTERS };
	struct span *span;
	int ret;

	ret = know_thread(t, track, "importers", sizeof("importers"));
	if (!ret && r->cpu.pid)
		ret = put_slice(t, r, is_vmap ? "vmap" : "map");
	if (ret)
		return ret;
	span = span_begin(t, r, PID_IMPORTERS);
	if (!span)
		return -ENOMEM;
	span->time_ns = r->other.time_ns;
	snprintf(span->name, sizeof(span->name), "%s %.*s",
		 is_vmap ? "vmap" : "map", HEAPSIM_NAME_LEN, r->other.name);
	put_span(t, "b", span, r->time_ns);
	put(t, ",\"args\":{");
	put_buf(t, r);
	put_access(t, r);
	put(t, ",\"by_pid\":%u,", r->other.pid);
	put_text(t, "by", r->other.comm, sizeof(r->other.comm));
	put(t, "}");
	event_end(t);
	return 0;
}

static int put_release(struct trace *t, const struct heapsim_record *r)
{
	const bool is_vmap = r->other.type == HEAPSIM_OTHER_VMAP;
	struct span **at;

	for (at = &t->spans; *at; at = &(*at)->next)
		if (!(*at)->access && (*at)->buf == r->buf &&
		    (*at)->time_ns == r->other.time_ns) {
			span_end(t, at, r->time_ns, 0);
			break;
		}
	return r->cpu.pid ? put_slice(t, r, is_vmap ? "vunmap" : "unmap") : 0;
}

/* Writes an arrow from the submission to the job; its time identifies it. */
static void put_flow(struct trace *t, const struct heapsim_record *r,
		     const char *phase, const uint32_t track[2],
		     uint64_t time_ns)
{
	event_begin(t, phase, "job", time_ns, track);
	put(t, ",\"cat\":\"job\",\"id\":%" PRIu64 "%s",
	    since_start(t, r->other.time_ns),
	    *phase == 'f' ? ",\"bp\":\"e\"" : "");
	event_end(t);
}

static int put_submit(struct trace *t, const struct heapsim_record *r,
		      const struct trace_job *job)
{
	uint32_t track[2];
	char *name;
	int ret;

	if (asprintf(&name, "submit %s", job_name(r, job)) < 0)
		return -ENOMEM;
	ret = put_slice(t, r, name);
	free(name);
	if (!ret)
		ret = track_of(t, r, track);
	if (!ret)
		put_flow(t, r, "s", track, r->cpu.time_ns);
	return ret;
}

/* Returns true for a job that the program itself reports to the module. */
static bool is_work(const struct heapsim_record *r, const struct trace_job *job)
{
	return !r->op && !job->thread;
}

/* Several opens use the same ids, so the time is compared, too. */
static bool has_work(const struct engine *engine,
		     const struct heapsim_record *r)
{
	return engine->is_running && engine->job == r->other.job &&
	       engine->time_ns == r->other.time_ns;
}

static bool has_room(const struct engine *engine)
{
	return !engine->is_running || engine->may_have_ended;
}

static bool is_engine(const struct engine *engine,
		      const struct heapsim_record *r,
		      const struct trace_job *job)
{
	const bool has_works = is_work(r, job);

	if (engine->thread != job->thread || engine->has_works != has_works ||
	    strncmp(engine->name, r->other.name, HEAPSIM_NAME_LEN))
		return false;
	if ((job->thread || has_works) && engine->pid != r->other.pid)
		return false;
	if (!has_works)
		return true;
	return r->kind == HEAPSIM_RECORD_JOB_END ? has_work(engine, r) :
						   has_room(engine);
}

/* Returns NULL if there is none yet. */
static struct engine *engine_find(struct trace *t,
				  const struct heapsim_record *r,
				  const struct trace_job *job)
{
	unsigned int i;

	for (i = 0; i < t->nr_engines; i++)
		if (is_engine(&t->engines[i], r, job))
			return &t->engines[i];
	return NULL;
}

static void track_of_engine(const struct trace *t, const struct engine *engine,
			    uint32_t track[2])
{
	track[0] = PID_ENGINES;
	track[1] = PID_ENGINES + 1 + (engine - t->engines);
}

/* Returns NULL if there are too many. */
static struct engine *engine_add(struct trace *t,
				 const struct heapsim_record *r,
				 const struct trace_job *job)
{
	struct engine *engine = &t->engines[t->nr_engines];
	uint32_t track[2];

	if (t->nr_engines == MAX_ENGINES)
		return NULL;
	track_of_engine(t, engine, track);
	if (!t->nr_engines++)
		name_track(t, "process_name", track, "engines", SIZE_MAX);
	name_track(t, "thread_name", track, r->other.name, HEAPSIM_NAME_LEN);
	memcpy(engine->name, r->other.name, HEAPSIM_NAME_LEN);
	engine->pid = r->other.pid;
	engine->thread = job->thread;
	engine->has_works = is_work(r, job);
	return engine;
}

static void job_end(struct trace *t, struct engine *engine, uint64_t time_ns,
		    int status)
{
	uint32_t track[2];

	track_of_engine(t, engine, track);
	event_begin(t, "E", "job", time_ns, track);
	put(t, ",\"cat\":\"job\",\"args\":{\"status\":%d}", status);
	event_end(t);
	engine->is_running = false;
}

static void put_job_begin(struct trace *t, const struct heapsim_record *r,
			  const struct trace_job *job)
{
	struct engine *engine = engine_find(t, r, job);
	uint32_t track[2];

	if (!engine)
		engine = engine_add(t, r, job);
	if (!engine)
		return;
	/* The end of the previous job was lost. */
	if (engine->is_running)
		job_end(t, engine, r->time_ns, 0);
	engine->is_running = true;
	engine->may_have_ended = false;
	engine->job = r->other.job;
	engine->time_ns = r->other.time_ns;
	track_of_engine(t, engine, track);
	event_begin(t, "B", job_name(r, job), r->time_ns, track);
	put(t, ",\"cat\":\"job\",\"args\":{");
	put_job(t, r, job);
	put(t, "}");
	event_end(t);
	put_flow(t, r, "f", track, r->time_ns);
}

static void put_job_end(struct trace *t, const struct heapsim_record *r,
			const struct trace_job *job)
{
	struct engine *engine = engine_find(t, r, job);

	if (engine && engine->is_running)
		job_end(t, engine, r->time_ns, r->status);
}

static void put_lost(struct trace *t, const struct heapsim_record *r)
{
	const uint32_t track[2] = { PID_NOBODY, PID_NOBODY };
	unsigned int i;

	for (i = 0; i < t->nr_engines; i++)
		t->engines[i].may_have_ended = true;
	t->nr_lost += r->count;
	event_begin(t, "i", "events lost", r->time_ns, track);
	put(t, ",\"cat\":\"lost\",\"s\":\"g\",\"args\":{\"count\":%" PRIu64 "}",
	    (uint64_t)r->count);
	event_end(t);
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
	t->out = out;
	t->start_ns = now_ns();
	put(t, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return t;
}

/**
 * trace_close() - free a timeline
 * @trace: may be NULL
 */
void trace_close(struct trace *trace)
{
	size_t i;

	if (!trace)
		return;
	for (i = 0; i < NR_BUCKETS; i++)
		while (trace->threads[i]) {
			struct thread *next = trace->threads[i]->next;

			free(trace->threads[i]);
			trace->threads[i] = next;
		}
	while (trace->spans) {
		struct span *next = trace->spans->next;

		free(trace->spans);
		trace->spans = next;
	}
	free(trace);
}

/**
 * trace_event() - write an event
 * @trace: timeline
 * @r: record of an event or of lost events; other records are ignored
 * @job: more about its job; NULL: nothing
 *
 * Return: 0, -ENOMEM, or why the file cannot be written.
 */
int trace_event(struct trace *trace, const struct heapsim_record *r,
		const struct trace_job *job)
{
	static const struct trace_job of_module;
	int ret = 0;

	job = job ? job : &of_module;

	switch (r->kind) {
	case HEAPSIM_RECORD_DROPPED:
		put_lost(trace, r);
		break;
	case HEAPSIM_RECORD_FILL:
		ret = put_instant(trace, r, r->access ? "fill" :
				  "fill (random)");
		break;
	case TOLD_TOUCH:
		ret = put_instant(trace, r, "touch");
		break;
	case TOLD_ATTACH:
		ret = put_attach(trace, r);
		break;
	case TOLD_WAIT:
		ret = put_wait(trace, r);
		break;
	case TOLD_CALL:
		ret = put_hosts(trace, r, "call", job->kernel ? job->kernel :
				"host function");
		break;
	case HEAPSIM_RECORD_EVICT:
		ret = put_instant(trace, r, "evict");
		break;
	case HEAPSIM_RECORD_CLEAN:
		ret = put_slice(trace, r, "clean");
		break;
	case HEAPSIM_RECORD_INVALIDATE:
		ret = put_slice(trace, r, "invalidate");
		break;
	case HEAPSIM_RECORD_START:
		ret = put_start(trace, r);
		break;
	case HEAPSIM_RECORD_END:
		ret = put_stop(trace, r);
		break;
	case HEAPSIM_RECORD_SUBMIT:
		ret = put_submit(trace, r, job);
		break;
	case HEAPSIM_RECORD_JOB_BEGIN:
		put_job_begin(trace, r, job);
		break;
	case HEAPSIM_RECORD_JOB_END:
		put_job_end(trace, r, job);
		break;
	case HEAPSIM_RECORD_HOLD:
		ret = put_hold(trace, r);
		break;
	case HEAPSIM_RECORD_RELEASE:
		ret = put_release(trace, r);
		break;
	default:
		break;
	}
	return ret ? ret : trace->error;
}

/**
 * trace_finding() - write a finding on the track of its thread
 * @trace: timeline
 * @r: record of a finding; a record of lost ones is ignored
 *
 * Return: 0, -ENOMEM, or why the file cannot be written.
 */
int trace_finding(struct trace *trace, const struct heapsim_record *r)
{
	const char *missing = kind_missing_name(r->missing);
	const char *kind = kind_of(r->kind)->name;
	uint32_t track[2];
	int ret;

	if (r->kind == HEAPSIM_RECORD_DROPPED)
		return 0;
	ret = track_of(trace, r, track);
	if (ret)
		return ret;
	/* This bracket will never be ended. */
	if (r->kind == HEAPSIM_RECORD_MISSING_END)
		bracket_close(trace, track, r, HEAPSIM_ACCESS_WRITE);
	event_begin(trace, "i", kind, r->time_ns, track);
	put(trace, ",\"cat\":\"finding\",\"s\":\"t\",\"args\":{");
	put(trace, "\"kind\":\"%s\",", kind);
	put_buf(trace, r);
	put(trace, ",\"count\":%" PRIu64, (uint64_t)r->count);
	if (missing)
		put(trace, ",\"missing\":\"%s\"", missing);
	if (r->other.type != HEAPSIM_OTHER_NOBODY) {
		put(trace, ",");
		put_text(trace, "other", r->other.name, sizeof(r->other.name));
		put(trace, ",\"other_pid\":%u,\"job\":%" PRIu64, r->other.pid,
		    (uint64_t)r->other.job);
	}
	put(trace, ",\"ip\":\"0x%" PRIx64 "\"}", (uint64_t)r->cpu.ip);
	event_end(trace);
	return trace->error;
}

static void put_program(struct trace *t, const struct run_facts *facts)
{
	int i;

	put(t, "\"pid\":%d,\"arguments\":[", facts->pid);
	for (i = 0; facts->argv[i]; i++) {
		put(t, "%s", i ? "," : "");
		put_string(t, facts->argv[i], SIZE_MAX);
	}
	put(t, "],");
}

/**
 * trace_end() - end the open slices, and complete the file
 * @trace: timeline
 * @facts: facts about the run
 *
 * Return: 0 or why the file cannot be written.
 */
int trace_end(struct trace *trace, const struct run_facts *facts)
{
	const uint64_t now = now_ns();
	unsigned int i;

	for (i = 0; i < trace->nr_engines; i++)
		if (trace->engines[i].is_running)
			job_end(trace, &trace->engines[i], now, 0);
	while (trace->spans)
		span_end(trace, &trace->spans, now, trace->spans->access);
	put(trace, "\n],\"otherData\":{");
	put_program(trace, facts);
	put_text(trace, "soc", facts->probe.soc, sizeof(facts->probe.soc));
	put(trace, ",\"line_size\":%u", facts->probe.line_size);
	put(trace, ",\"start_ns\":%" PRIu64, trace->start_ns);
	put_us(trace, "duration_us", since_start(trace, now));
	put(trace, ",\"events_lost\":%" PRIu64 "}}\n", trace->nr_lost);
	errno = 0;
	if (!trace->error && fflush(trace->out))
		trace->error = errno ? -errno : -EIO;
	return trace->error;
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
