// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suppresses findings that the user knows already. Suppressions are read from
 * files like
 *
 *	{
 *	  name: the vendor's converter
 *	  kind: stale-read
 *	  buffer: frame*
 *	  other: engine:dma
 *	  cpu: fun:convert_*
 *	  cpu: ...
 *	  cpu: src:main.c:30
 *	  by: obj:*vendor.so
 *	}
 *
 * Values are globs. A key that is left out matches all findings. cpu and by are
 * frames of the two stacks, innermost first; further frames match any pattern.
 * "..." stands for any number of frames. heapsim-run(1) describes the format.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "finding.h"
#include "kind.h"
#include "suppress.h"

#define MAX_PATTERNS	64	/* frames in the pattern of a stack */

/**
 * struct pattern - pattern of a stack
 * @nr: number of frames
 * @frames: each is "...", or fun:, obj: or src: with a glob
 */
struct pattern {
	int nr;
	char *frames[MAX_PATTERNS];
};

/**
 * struct suppression - conditions that a suppressed finding meets
 * @next: next suppression, in the order of the files
 * @name: name for reports
 * @kind: glob of the kind
 * @buffer: glob of the buffer's name; NULL: any
 * @call: glob of the unimplemented function; NULL: any
 * @other: glob of "type:name"; NULL: any
 * @cpu: pattern of the stack of the CPU's side
 * @by: pattern of the stack of the other side
 */
struct suppression {
	struct suppression *next;
	char *name;
	char *kind;
	char *buffer;
	char *call;
	char *other;
	struct pattern cpu;
	struct pattern by;
};

struct suppressions {
	struct suppression *first;
	struct suppression **last;
};

/**
 * suppressions_open() - make an empty list
 *
 * Return: for suppressions_close(); NULL without memory.
 */
struct suppressions *suppressions_open(void)
{
	struct suppressions *s = calloc(1, sizeof(*s));

	if (s)
		s->last = &s->first;
	return s;
}

static void pattern_free(struct pattern *pattern)
{
	while (pattern->nr)
		free(pattern->frames[--pattern->nr]);
}

static void suppression_free(struct suppression *s)
{
	pattern_free(&s->cpu);
	pattern_free(&s->by);
	free(s->name);
	free(s->kind);
	free(s->buffer);
	free(s->call);
	free(s->other);
	free(s);
}

/**
 * suppressions_close() - free a list, and the names that findings refer to
 * @suppressions: may be NULL
 */
void suppressions_close(struct suppressions *suppressions)
{
	if (!suppressions)
		return;
	while (suppressions->first) {
		struct suppression *next = suppressions->first->next;

		suppression_free(suppressions->first);
		suppressions->first = next;
	}
	free(suppressions);
}

static char *line_trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

static const char *pattern_add(struct pattern *pattern, const char *value)
{
	if (strcmp(value, "...") && strncmp(value, "fun:", 4) &&
	    strncmp(value, "obj:", 4) && strncmp(value, "src:", 4))
		return "a frame is ..., or begins with fun:, obj: or src:";
	if (pattern->nr == MAX_PATTERNS)
		return "too many frames";
	pattern->frames[pattern->nr] = strdup(value);
	if (!pattern->frames[pattern->nr])
		return "no memory";
	pattern->nr++;
	return NULL;
}

static const char *suppression_set(char **text, const char *value)
{
	if (*text)
		return "given twice";
	*text = strdup(value);
	return *text ? NULL : "no memory";
}

/* Lists valid kinds, each name once, as many as fit into the message. */
static const char *suppression_unknown_kind(const char *name)
{
	static char text[1024];
	uint32_t kind;
	size_t len;

	len = snprintf(text, sizeof(text),
		       "%.64s: unknown kind, valid ones are:", name);
	for (kind = 0; kind < kind_end(); kind++)
		if (kind_find(kind_of(kind)->name) == (int)kind &&
		    len < sizeof(text))
			len += snprintf(text + len, sizeof(text) - len, " %s",
					kind_of(kind)->name);
	return text;
}

/* Parses a line. Returns an error message, or NULL. */
static const char *suppression_take_line(struct suppression *s, char *line)
{
	char *colon = strchr(line, ':');
	const char *value;

	if (!colon)
		return "a line is \"word: value\"";
	*colon = '\0';
	value = line_trim(colon + 1);
	if (!*value)
		return "no value";
	if (!strcmp(line, "name"))
		return suppression_set(&s->name, value);
	if (!strcmp(line, "kind")) {
		if (!strpbrk(value, "*?[") && kind_find(value) < 0)
			return suppression_unknown_kind(value);
		return suppression_set(&s->kind, value);
	}
	if (!strcmp(line, "buffer"))
		return suppression_set(&s->buffer, value);
	if (!strcmp(line, "call"))
		return suppression_set(&s->call, value);
	if (!strcmp(line, "other"))
		return suppression_set(&s->other, value);
	if (!strcmp(line, "cpu"))
		return pattern_add(&s->cpu, value);
	if (!strcmp(line, "by"))
		return pattern_add(&s->by, value);
	return "the words are name, kind, buffer, call, other, cpu and by";
}

/**
 * struct reader - state while a file is read
 * @all: list that suppressions are added to
 * @one: suppression whose closing brace is missing yet; NULL: none
 */
struct reader {
	struct suppressions *all;
	struct suppression *one;
};

static const char *reader_begin(struct reader *reader)
{
	if (reader->one)
		return "{ inside { }";
	reader->one = calloc(1, sizeof(*reader->one));
	return reader->one ? NULL : "no memory";
}

static const char *reader_end(struct reader *reader)
{
	if (!reader->one)
		return "} without {";
	if (!reader->one->kind)
		return "no kind";
	if (!reader->one->name)
		return "no name";
	*reader->all->last = reader->one;
	reader->all->last = &reader->one->next;
	reader->one = NULL;
	return NULL;
}

static const char *reader_take_line(struct reader *reader, char *line)
{
	if (!*line || *line == '#')
		return NULL;
	if (!strcmp(line, "{"))
		return reader_begin(reader);
	if (!strcmp(line, "}"))
		return reader_end(reader);
	if (!reader->one)
		return "outside of { }";
	return suppression_take_line(reader->one, line);
}

/**
 * suppressions_read() - read the suppressions in a file
 * @suppressions: list to add to
 * @path: path of the file
 *
 * Errors are printed on standard error with the number of the line.
 *
 * Return: 0 or -errno; -EINVAL if the file has an error.
 */
int suppressions_read(struct suppressions *suppressions, const char *path)
{
	struct reader reader = { .all = suppressions };
	const char *wrong = NULL;
	char *line = NULL;
	size_t size = 0;
	int nr = 0, err = 0, ret;
	FILE *in;

	in = fopen(path, "re");
	if (!in) {
		ret = -errno;
		fprintf(stderr, "heapsim run: %s: %s\n", path, strerror(-ret));
		return ret;
	}
	while (!wrong && getline(&line, &size, in) > 0) {
		nr++;
		wrong = reader_take_line(&reader, line_trim(line));
	}
	if (ferror(in))
		err = -errno;
	if (!wrong && reader.one)
		wrong = "{ without }";
	ret = wrong ? -EINVAL : err;
	if (wrong)
		fprintf(stderr, "heapsim run: %s:%d: %s\n", path, nr, wrong);
	else if (err)
		fprintf(stderr, "heapsim run: %s: %s\n", path, strerror(-err));
	if (reader.one)
		suppression_free(reader.one);
	free(line);
	fclose(in);
	return ret;
}

static bool glob_matches(const char *glob, const char *text)
{
	return text && !fnmatch(glob, text, 0);
}

/* Matches the whole path, or its end after any of its slashes. */
static bool glob_matches_path(const char *glob, const char *path)
{
	for (; path; path = strchr(path, '/')) {
		path += *path == '/';
		if (glob_matches(glob, path))
			return true;
	}
	return false;
}

static bool glob_matches_source(const char *glob, const struct frame *frame)
{
	char *with_line;
	bool ret;

	if (!frame->file)
		return false;
	if (glob_matches_path(glob, frame->file))
		return true;
	if (asprintf(&with_line, "%s:%d", frame->file, frame->line) < 0)
		return false;
	ret = glob_matches_path(glob, with_line);
	free(with_line);
	return ret;
}

static bool frame_matches(const char *pattern, const struct frame *frame)
{
	const char *glob = pattern + 4;

	if (!strncmp(pattern, "fun:", 4))
		return glob_matches(glob, frame->function);
	if (!strncmp(pattern, "obj:", 4))
		return glob_matches(glob, frame->module) ||
		       glob_matches_path(glob, frame->module);
	return glob_matches_source(glob, frame);
}

static bool frames_match(char *const *patterns, int nr_patterns,
			 const struct frame *frames, int nr)
{
	if (!nr_patterns)
		return true;
	if (!strcmp(patterns[0], "...")) {
		for (;; frames++, nr--) {
			if (frames_match(patterns + 1, nr_patterns - 1, frames,
					 nr))
				return true;
			if (!nr)
				return false;
		}
	}
	return nr && frame_matches(patterns[0], frames) &&
	       frames_match(patterns + 1, nr_patterns - 1, frames + 1, nr - 1);
}

static bool glob_matches_other(const char *glob, const struct heapsim_record *r)
{
	const char *type = kind_other_name(r->other.type);
	char text[64];

	snprintf(text, sizeof(text), "%s:%.*s", type ? type : "",
		 (int)sizeof(r->other.name), r->other.name);
	return glob_matches(glob, text);
}

static bool glob_matches_buffer(const char *glob, const struct finding *f)
{
	char call[FINDING_CALL_LEN];

	return !finding_call(f, call) && glob_matches(glob, f->record.name);
}

static bool glob_matches_call(const char *glob, const struct finding *f)
{
	char call[FINDING_CALL_LEN];

	return glob_matches(glob, finding_call(f, call));
}

static bool suppression_matches(const struct suppression *s,
				const struct finding *f)
{
	const struct heapsim_record *r = &f->record;

	return glob_matches(s->kind, kind_of(r->kind)->name) &&
	       (!s->buffer || glob_matches_buffer(s->buffer, f)) &&
	       (!s->call || glob_matches_call(s->call, f)) &&
	       (!s->other || glob_matches_other(s->other, r)) &&
	       frames_match(s->cpu.frames, s->cpu.nr, f->cpu.frames,
			    f->cpu.nr) &&
	       frames_match(s->by.frames, s->by.nr, f->other.frames,
			    f->other.nr);
}

/**
 * suppressions_match() - find a suppression for a finding
 * @suppressions: list
 * @finding: finding with resolved stacks
 *
 * Return: name of the first suppression that matches, or NULL.
 */
const char *suppressions_match(const struct suppressions *suppressions,
			       const struct finding *finding)
{
	const struct suppression *s;

	for (s = suppressions->first; s; s = s->next)
		if (suppression_matches(s, finding))
			return s->name;
	return NULL;
}

/* Prints a text as a glob that matches only this text. */
static void glob_print(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("*?[\\", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void suppression_print_stack(FILE *out, const char *prefix,
				    const char *word,
				    const struct backtrace *trace)
{
	int i;

	for (i = 0; i < trace->nr && i < MAX_PATTERNS; i++) {
		const struct frame *frame = &trace->frames[i];
		const char *name = frame->function ? frame->function :
							frame->module;

		if (!name) {
			fprintf(out, "%s  %s: ...\n", prefix, word);
			continue;
		}
		fprintf(out, "%s  %s: %s", prefix, word,
			frame->function ? "fun:" : "obj:");
		glob_print(out, name);
		fputc('\n', out);
	}
}

/**
 * suppression_print() - print a suppression for a finding
 * @out: file to print to
 * @prefix: prefix of each line
 * @finding: finding with resolved stacks
 */
void suppression_print(FILE *out, const char *prefix,
		       const struct finding *finding)
{
	const struct heapsim_record *r = &finding->record;
	const char *other = kind_other_name(r->other.type);
	char call[FINDING_CALL_LEN];

	fprintf(out, "%s{\n%s  name: put a name here\n%s  kind: %s\n", prefix,
		prefix, prefix, kind_of(r->kind)->name);
	if (finding_call(finding, call)) {
		fprintf(out, "%s  call: ", prefix);
		glob_print(out, call);
		fputc('\n', out);
	} else if (r->name[0]) {
		fprintf(out, "%s  buffer: ", prefix);
		glob_print(out, r->name);
		fputc('\n', out);
	}
	if (other) {
		fprintf(out, "%s  other: %s:", prefix, other);
		glob_print(out, r->other.name);
		fputc('\n', out);
	}
	suppression_print_stack(out, prefix, "cpu", &finding->cpu);
	suppression_print_stack(out, prefix, "by", &finding->other);
	fprintf(out, "%s}\n", prefix);
}
