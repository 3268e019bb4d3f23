/* SPDX-License-Identifier: GPL-2.0-only */
/* A file of JSON trace events, which ui.perfetto.dev opens */
#ifndef HEAPSIM_TRACEFILE_H
#define HEAPSIM_TRACEFILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * struct tracefile - a file that is being written
 * @out: the file, which the caller closes
 * @error: first error, -errno; 0: none
 * @start_ns: time 0 of the file, CLOCK_MONOTONIC
 * @nr_events: number of events written
 */
struct tracefile {
	FILE *out;
	int error;
	uint64_t start_ns;
	uint64_t nr_events;
};

void tracefile_begin(struct tracefile *file, FILE *out);
int tracefile_end(struct tracefile *file);
void tracefile_fail(struct tracefile *file, int err);
uint64_t tracefile_since_start(const struct tracefile *file, uint64_t ns);

__attribute__((format(printf, 2, 3)))
void tracefile_put(struct tracefile *file, const char *format, ...);
void tracefile_put_string(struct tracefile *file, const char *s, size_t max);
void tracefile_put_text(struct tracefile *file, const char *key, const char *s,
			size_t max);
void tracefile_put_us(struct tracefile *file, const char *key, uint64_t ns);

void tracefile_event_begin(struct tracefile *file, const char *phase,
			   const char *name, uint64_t time_ns,
			   const uint32_t track[2]);
void tracefile_event_end(struct tracefile *file);
void tracefile_name_track(struct tracefile *file, const char *what,
			  const uint32_t track[2], const char *name,
			  size_t max);

#endif
