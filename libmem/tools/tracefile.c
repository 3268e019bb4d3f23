// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes JSON trace events to a file. Events are written as they arrive, since
 * Perfetto sorts them. After the first error of the file nothing more is
 * written.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "../clock.h"
#include "tracefile.h"

/**
 * tracefile_begin() - begin a file; its time 0 is now
 * @file: out: file to write
 * @out: where it is written to
 */
void tracefile_begin(struct tracefile *file, FILE *out)
{
	*file = (struct tracefile) { .out = out, .start_ns = now_ns() };
	tracefile_put(file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
}

/**
 * tracefile_end() - write what is buffered, after the last event
 * @file: file
 *
 * Return: 0, or the first error of the file or of tracefile_fail().
 */
int tracefile_end(struct tracefile *file)
{
	errno = 0;
	if (!file->error && fflush(file->out))
		file->error = errno ? -errno : -EIO;
	return file->error;
}

/**
 * tracefile_fail() - note that the file is incomplete
 * @file: file
 * @err: -errno; an earlier error is kept
 */
void tracefile_fail(struct tracefile *file, int err)
{
	if (!file->error)
		file->error = err;
}

/**
 * tracefile_put() - write text
 * @file: file
 * @format: as for printf()
 */
void tracefile_put(struct tracefile *file, const char *format, ...)
{
	va_list args;

	if (ferror(file->out))
		return;
	va_start(args, format);
	errno = 0;
	if (vfprintf(file->out, format, args) < 0)
		tracefile_fail(file, errno ? -errno : -EIO);
	va_end(args);
}

static bool tracefile_is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

/**
 * tracefile_put_string() - write a string in quotes
 * @file: file
 * @s: string, which a program chose: bytes that are not ASCII are replaced,
 *	since those that are not UTF-8 are not valid in JSON
 * @max: bytes of @s if it has no null byte
 */
void tracefile_put_string(struct tracefile *file, const char *s, size_t max)
{
	const size_t len = strnlen(s, max);
	size_t i, n;

	tracefile_put(file, "\"");
	for (i = 0; i < len; i += n ? n : 1) {
		const unsigned char c = s[i];

		for (n = 0; i + n < len && tracefile_is_plain(s[i + n]); n++)
			;
		if (n)
			tracefile_put(file, "%.*s", (int)n, s + i);
		else
			tracefile_put(file, "\\u%04x", c < 0x7f ? c : '?');
	}
	tracefile_put(file, "\"");
}

/**
 * tracefile_put_text() - write a field whose value is a string
 * @file: file
 * @key: name of the field
 * @s: as for tracefile_put_string()
 * @max: bytes of @s if it has no null byte
 */
void tracefile_put_text(struct tracefile *file, const char *key, const char *s,
			size_t max)
{
	tracefile_put(file, "\"%s\":", key);
	tracefile_put_string(file, s, max);
}

/**
 * tracefile_put_us() - write a comma, and a field whose value is a time
 * @file: file
 * @key: name of the field
 * @ns: time or length of time; the file has microseconds with a fraction
 */
void tracefile_put_us(struct tracefile *file, const char *key, uint64_t ns)
{
	tracefile_put(file, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000,
		      (unsigned int)(ns % 1000));
}

/**
 * tracefile_since_start() - convert a time to one of the file
 * @file: file
 * @ns: time, CLOCK_MONOTONIC
 *
 * Return: nanoseconds since the file began; 0 for times before.
 */
uint64_t tracefile_since_start(const struct tracefile *file, uint64_t ns)
{
	return ns > file->start_ns ? ns - file->start_ns : 0;
}

/**
 * tracefile_event_begin() - write the begin of an event
 * @file: file
 * @phase: type of the event, one letter
 * @name: name of the event
 * @time_ns: its time, CLOCK_MONOTONIC
 * @track: process and thread whose track it is on
 *
 * The caller may write further fields, and calls tracefile_event_end().
 */
void tracefile_event_begin(struct tracefile *file, const char *phase,
			   const char *name, uint64_t time_ns,
			   const uint32_t track[2])
{
	tracefile_put(file, "%s\n{\"ph\":\"%s\",",
		      file->nr_events++ ? "," : "", phase);
	tracefile_put_text(file, "name", name, SIZE_MAX);
	tracefile_put_us(file, "ts", tracefile_since_start(file, time_ns));
	tracefile_put(file, ",\"pid\":%u,\"tid\":%u", track[0], track[1]);
}

/** tracefile_event_end() - write the end of an event */
void tracefile_event_end(struct tracefile *file)
{
	tracefile_put(file, "}");
}

/**
 * tracefile_name_track() - name a track
 * @file: file
 * @name: name
 * @what: "process_name" or "thread_name"
 * @track: process and thread
 * @max: bytes of @name if it has no null byte
 */
void tracefile_name_track(struct tracefile *file, const char *what,
			  const uint32_t track[2], const char *name, size_t max)
{
	tracefile_event_begin(file, "M", what, file->start_ns, track);
	tracefile_put(file, ",\"args\":{");
	tracefile_put_text(file, "name", name, max);
	tracefile_put(file, "}");
	tracefile_event_end(file);
}
