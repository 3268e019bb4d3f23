// SPDX-License-Identifier: GPL-2.0-only
/* Keeps the asynchronous slices of the timeline until they end. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "span.h"

/* Begins the event that begins or ends a span's slice. */
static void span_event_begin(struct tracefile *file, const char *phase,
			     const struct span *span, uint64_t time_ns)
{
	static const char *const categories[] = {
		[SPAN_BRACKET] = "bracket",
		[SPAN_HOLD] = "hold",
		[SPAN_FRAME] = "frame",
		[SPAN_HELD] = "frame",
		[SPAN_FENCE] = "fence",
	};
	const uint32_t track[2] = { span->pid, span->pid };

	tracefile_event_begin(file, phase, span->name, time_ns, track);
	tracefile_put(file, ",\"cat\":\"%s\",\"id\":\"0x%" PRIx64 "\"",
		      categories[span->category], span->id);
}

/**
 * span_begin() - begin a slice
 * @spans: spans
 * @category: what it shows
 * @pid: process on whose track it is
 * @name: name
 * @r: record with its time and buffer
 *
 * The caller writes the arguments of the slice, and ends them and the event.
 *
 * Return: the span, or NULL without memory.
 */
struct span *span_begin(struct spans *spans, enum span_category category,
			uint32_t pid, const char *name,
			const struct heapsim_record *r)
{
	struct span *span = calloc(1, sizeof(*span));

	if (!span) {
		tracefile_fail(spans->file, -ENOMEM);
		return NULL;
	}
	span->category = category;
	span->id = ++spans->nr;
	span->pid = pid;
	span->buf = r->buf;
	snprintf(span->name, sizeof(span->name), "%s", name);
	span->next = spans->first;
	spans->first = span;
	span_event_begin(spans->file, "b", span, r->time_ns);
	tracefile_put(spans->file, ",\"args\":{");
	return span;
}

/**
 * span_end() - end a slice
 * @spans: spans
 * @at: link to its span, which is removed and freed
 * @time_ns: end
 */
void span_end(struct spans *spans, struct span **at, uint64_t time_ns)
{
	struct span *span = *at;

	*at = span->next;
	span_event_begin(spans->file, "e", span, time_ns);
	tracefile_event_end(spans->file);
	free(span);
}

/**
 * spans_end() - end all slices
 * @spans: spans
 * @time_ns: end
 */
void spans_end(struct spans *spans, uint64_t time_ns)
{
	while (spans->first)
		span_end(spans, &spans->first, time_ns);
}

/**
 * spans_fini() - free spans without ending their slices
 * @spans: spans
 */
void spans_fini(struct spans *spans)
{
	struct span *next;

	while (spans->first) {
		next = spans->first->next;
		free(spans->first);
		spans->first = next;
	}
}
