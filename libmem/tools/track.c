// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds and names the tracks of the timeline. Each thread has its own track.
 * Engines are threads of a made-up process, and each runs one job at a time. On
 * the embedded backend there is an engine's track for each thread that
 * simulates it. Kernels that programs run on the module belong to engines of
 * their open, but events do not show which open; so a name has as many tracks
 * as the process runs such jobs at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "track.h"

/* Made-up pids are larger than the largest possible pid (4194304). */
#define PID_UNKNOWN	5000000
#define PID_ENGINES	5000100

/**
 * struct track_thread - a thread whose track has been named
 * @next: next thread in the bucket
 * @pid: process
 * @tid: thread
 * @comm: name of the thread
 */
struct track_thread {
	struct track_thread *next;
	uint32_t pid;
	uint32_t tid;
	char comm[HEAPSIM_NAME_LEN];
};

/**
 * tracks_fini() - free the tracks
 * @tracks: tracks; all zeros but @file are an empty list
 */
void tracks_fini(struct tracks *tracks)
{
	size_t i;

	for (i = 0; i < TRACK_NR_BUCKETS; i++)
		while (tracks->threads[i]) {
			struct track_thread *next = tracks->threads[i]->next;

			free(tracks->threads[i]);
			tracks->threads[i] = next;
		}
}

static struct track_thread *track_thread_find(const struct tracks *tracks,
					      uint32_t pid, uint32_t tid)
{
	struct track_thread *thread;

	for (thread = tracks->threads[tid % TRACK_NR_BUCKETS]; thread;
	     thread = thread->next)
		if (thread->tid == tid && thread->pid == pid)
			break;
	return thread;
}

/**
 * tracks_add_thread() - name the track of a thread, if its name is new
 * @tracks: tracks
 * @track: process and thread
 * @comm: name of the thread
 * @max: bytes of @comm if it has no null byte
 */
void tracks_add_thread(struct tracks *tracks, const uint32_t track[2],
		       const char *comm, size_t max)
{
	struct track_thread **bucket =
		&tracks->threads[track[1] % TRACK_NR_BUCKETS];
	struct track_thread *thread;

	thread = track_thread_find(tracks, track[0], track[1]);
	if (max > sizeof(thread->comm))
		max = sizeof(thread->comm);
	if (thread && !strncmp(thread->comm, comm, max))
		return;
	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (!thread) {
			tracefile_fail(tracks->file, -ENOMEM);
			return;
		}
		thread->pid = track[0];
		thread->tid = track[1];
		thread->next = *bucket;
		*bucket = thread;
	}
	/* An exec changes the name. */
	memcpy(thread->comm, comm, max);
	/* A process gets the name of its first thread, if this is known. */
	if (track[0] == track[1] ||
	    !track_thread_find(tracks, track[0], track[0]))
		tracefile_name_track(tracks->file, "process_name", track, comm,
				     max);
	tracefile_name_track(tracks->file, "thread_name", track, comm, max);
}

/**
 * tracks_add_process() - name the track of a process's first thread
 * @tracks: tracks
 * @pid: process; its first thread may have no events
 * @r: record of another thread of it
 */
void tracks_add_process(struct tracks *tracks, uint32_t pid,
			const struct heapsim_record *r)
{
	const uint32_t track[2] = { pid, pid };

	if (!track_thread_find(tracks, pid, pid))
		tracks_add_thread(tracks, track, r->cpu.comm,
				  sizeof(r->cpu.comm));
}

/** track_of_unknown() - return the track of unknown threads */
void track_of_unknown(uint32_t track[2])
{
	track[0] = PID_UNKNOWN;
	track[1] = PID_UNKNOWN;
}

/**
 * track_of_record() - find the track of a record
 * @tracks: tracks
 * @r: record
 * @track: out: that of the CPU's thread, or else of the other's process
 */
void track_of_record(struct tracks *tracks, const struct heapsim_record *r,
		     uint32_t track[2])
{
	static const char unknown[] = "not known";
	const char *comm = unknown;
	size_t max = sizeof(unknown);

	if (r->cpu.pid && r->cpu.tid) {
		track[0] = r->cpu.pid;
		track[1] = r->cpu.tid;
		comm = r->cpu.comm;
		max = sizeof(r->cpu.comm);
	} else if (r->other.pid) {
		track[0] = r->other.pid;
		track[1] = r->other.pid;
		comm = r->other.comm;
		max = sizeof(r->other.comm);
	} else {
		track_of_unknown(track);
	}
	tracks_add_thread(tracks, track, comm, max);
}

/* Returns true for a job that the program itself reports to the module. */
static bool track_job_is_work(const struct heapsim_record *r,
			      const struct trace_job *job)
{
	return !r->op && !job->thread;
}

/* Several opens use the same ids, so the time is compared, too. */
static bool track_engine_has_work(const struct track_engine *engine,
				  const struct heapsim_record *r)
{
	return engine->is_running && engine->job == r->other.job &&
	       engine->time_ns == r->other.time_ns;
}

static bool track_engine_has_room(const struct track_engine *engine)
{
	return !engine->is_running || engine->may_have_ended;
}

static bool track_engine_is_of(const struct track_engine *engine,
			       const struct heapsim_record *r,
			       const struct trace_job *job)
{
	const bool has_works = track_job_is_work(r, job);

	if (engine->thread != job->thread || engine->has_works != has_works ||
	    strncmp(engine->name, r->other.name, HEAPSIM_NAME_LEN))
		return false;
	if ((job->thread || has_works) && engine->pid != r->other.pid)
		return false;
	if (!has_works)
		return true;
	return r->kind == HEAPSIM_RECORD_JOB_END ?
	       track_engine_has_work(engine, r) : track_engine_has_room(engine);
}

/**
 * tracks_find_engine() - find the engine of a job
 * @tracks: tracks
 * @r: record of the begin or the end of the job
 * @job: more about the job
 *
 * Return: the engine, or NULL if it has no track yet.
 */
struct track_engine *tracks_find_engine(struct tracks *tracks,
					const struct heapsim_record *r,
					const struct trace_job *job)
{
	unsigned int i;

	for (i = 0; i < tracks->nr_engines; i++)
		if (track_engine_is_of(&tracks->engines[i], r, job))
			return &tracks->engines[i];
	return NULL;
}

/**
 * tracks_add_engine() - add and name the track of a job's engine
 * @tracks: tracks
 * @r: record of the job's begin
 * @job: more about the job
 *
 * Return: the engine, or NULL if there are too many.
 */
struct track_engine *tracks_add_engine(struct tracks *tracks,
				       const struct heapsim_record *r,
				       const struct trace_job *job)
{
	struct track_engine *engine = &tracks->engines[tracks->nr_engines];
	uint32_t track[2];

	if (tracks->nr_engines == TRACK_MAX_ENGINES)
		return NULL;
	track_of_engine(tracks, engine, track);
	if (!tracks->nr_engines++)
		tracefile_name_track(tracks->file, "process_name", track,
				     "engines", SIZE_MAX);
	tracefile_name_track(tracks->file, "thread_name", track, r->other.name,
			     HEAPSIM_NAME_LEN);
	memcpy(engine->name, r->other.name, HEAPSIM_NAME_LEN);
	engine->pid = r->other.pid;
	engine->thread = job->thread;
	engine->has_works = track_job_is_work(r, job);
	return engine;
}

/**
 * track_of_engine() - return the track of an engine
 * @tracks: tracks
 * @engine: one of their engines
 * @track: out: process and thread
 */
void track_of_engine(const struct tracks *tracks,
		     const struct track_engine *engine, uint32_t track[2])
{
	track[0] = PID_ENGINES;
	track[1] = PID_ENGINES + 1 + (engine - tracks->engines);
}
