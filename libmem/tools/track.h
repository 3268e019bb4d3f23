/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracks of the timeline: of threads, and of engines */
#ifndef HEAPSIM_TRACK_H
#define HEAPSIM_TRACK_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/heapsim.h>

#include "trace.h"
#include "tracefile.h"

#define TRACK_NR_BUCKETS	1024
#define TRACK_MAX_ENGINES	256

/* A made-up process for all importers; its pid exceeds all possible ones. */
#define TRACK_IMPORTERS	5000001

struct track_thread;

/**
 * struct track_engine - track of an engine
 * @name: name of the engine
 * @pid: process that it is in; 0: the module
 * @thread: thread that simulates it
 * @has_works: it runs jobs that a process reports to the module
 * @is_running: a job has begun and not ended
 * @may_have_ended: events were lost, perhaps the end of this job
 * @job: id of the job
 * @time_ns: when the job was submitted
 */
struct track_engine {
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
 * struct tracks - tracks that have been named
 * @file: file that the names are written to
 * @threads: hash table of threads by tid
 * @engines: engines that have run a job
 * @nr_engines: number of engines
 */
struct tracks {
	struct tracefile *file;
	struct track_thread *threads[TRACK_NR_BUCKETS];
	struct track_engine engines[TRACK_MAX_ENGINES];
	unsigned int nr_engines;
};

void tracks_fini(struct tracks *tracks);
void tracks_add_thread(struct tracks *tracks, const uint32_t track[2],
		       const char *comm, size_t max);
void tracks_add_process(struct tracks *tracks, uint32_t pid,
			const struct heapsim_record *r);
void track_of_unknown(uint32_t track[2]);
void track_of_record(struct tracks *tracks, const struct heapsim_record *r,
		     uint32_t track[2]);

struct track_engine *tracks_find_engine(struct tracks *tracks,
					const struct heapsim_record *r,
					const struct trace_job *job);
struct track_engine *tracks_add_engine(struct tracks *tracks,
				       const struct heapsim_record *r,
				       const struct trace_job *job);
void track_of_engine(const struct tracks *tracks,
		     const struct track_engine *engine, uint32_t track[2]);

#endif
