// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module as a whole is known to all (/dev/heapsim); the list of all buffers
 * to root alone, since it names what others have: debugfs has it, in lines
 * that Documentation/module.rst describes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sample.h"

#define BUFS_PATH	"/sys/kernel/debug/heapsim/bufs"

const char *const sample_counter_names[SAMPLE_NR_COUNTERS] = {
	"fills", "lines_filled", "lines_cleaned", "lines_invalidated",
	"evictions", "redundant_cleans", "redundant_invalidates",
	"shared_lines", "stale_reads", "possible_stale_reads",
	"lost_device_writes", "lost_cpu_writes", "missing_cleans",
	"write_conflicts", "unbracketed_accesses", "missing_ends",
	"unmatched_ends",
};

/* What goes to a terminal comes from whoever named the buffer. */
static char printable(char c)
{
	return c < ' ' || c > '~' ? '?' : c;
}

/* The quoted name at @at; what follows it, or NULL when it does not end. */
static const char *name_parse(char *name, size_t size, const char *at)
{
	size_t len = 0;
	char c;

	if (*at++ != '"')
		return NULL;
	while (*at != '"') {
		if (!*at)
			return NULL;
		c = *at++;
		if (c == '\\' && at[0] && at[1] && at[2]) {
			c = (at[0] - '0') << 6 | (at[1] - '0') << 3 |
			    (at[2] - '0');
			at += 3;
		}
		if (len + 1 < size)
			name[len++] = printable(c);
	}
	name[len] = '\0';
	return at + 1;
}

/* "NAME=COUNT"; a newer module may know more of them. */
static void counter_parse(struct heapsim_counters *count, const char *word)
{
	const char *value = strchr(word, '=');
	uint64_t number;
	size_t i;

	if (!value)
		return;
	number = strtoull(value + 1, NULL, 10);
	for (i = 0; i < SAMPLE_NR_COUNTERS; i++)
		if (strlen(sample_counter_names[i]) == (size_t)(value - word) &&
		    !strncmp(word, sample_counter_names[i], value - word))
			memcpy((char *)count + i * sizeof(number), &number,
			       sizeof(number));
}

static int buf_parse(struct sample_buf *buf, const char *line)
{
	unsigned long long id, inode, len;
	const char *at;
	int end = 0;

	memset(buf, 0, sizeof(*buf));
	if (sscanf(line, "%llu %llu %llu %23s %u %n", &id, &inode, &len,
		   buf->kind, &buf->nr_holders, &end) != 5 || !end)
		return -EPROTO;
	buf->id = id;
	buf->inode = inode;
	buf->len = len;
	at = name_parse(buf->name, sizeof(buf->name), line + end);
	if (!at)
		return -EPROTO;
	for (at = strchr(at, ' '); at; at = strchr(at, ' '))
		counter_parse(&buf->count, ++at);
	return 0;
}

static int bufs_add(struct sample_buf **bufs, size_t *nr, size_t *room,
		    const char *line)
{
	struct sample_buf *more;
	size_t want = *room ? *room * 2 : 64;
	int err;

	if (*nr == *room) {
		more = realloc(*bufs, want * sizeof(*more));
		if (!more)
			return -ENOMEM;
		*bufs = more;
		*room = want;
	}
	err = buf_parse(*bufs + *nr, line);
	if (!err)
		(*nr)++;
	return err;
}

/**
 * sample_bufs_read() - the list of all live buffers
 * @bufs: out: for free(), by id; NULL when this fails or there are none
 * @nr: out: how many
 *
 * Return: 0, -ENOENT no debugfs or no module, -EACCES, -EPERM (a kernel that is
 * locked down), -EPROTO a module of another form, -ENOMEM.
 */
int sample_bufs_read(struct sample_buf **bufs, size_t *nr)
{
	FILE *file = fopen(BUFS_PATH, "re");
	size_t room = 0, size = 0;
	char *line = NULL;
	int err = 0;

	*bufs = NULL;
	*nr = 0;
	if (!file)
		return -errno;
	errno = 0;
	/* The first line names the columns. */
	if (getline(&line, &size, file) < 0 ||
	    strncmp(line, "id inode len kind holders name", 30))
		err = errno ? -errno : -EPROTO;
	while (!err && getline(&line, &size, file) >= 0)
		err = bufs_add(bufs, nr, &room, line);
	free(line);
	fclose(file);
	if (err) {
		free(*bufs);
		*bufs = NULL;
		*nr = 0;
	}
	return err;
}

/**
 * sample_bufs_why() - why there is no list of buffers, and what helps
 * @err: from sample_bufs_read()
 */
const char *sample_bufs_why(int err)
{
	switch (err) {
	case -EACCES:
		return "only root sees each buffer (sudo)";
	case -EPERM:
		return "this kernel is locked down and shows no debugfs";
	case -ENOENT:
		return "no debugfs: mount -t debugfs none /sys/kernel/debug";
	case -EPROTO:
		return "the module is of another version";
	default:
		return strerror(-err);
	}
}

/**
 * sample_take() - look at the module and its buffers
 * @sample: filled in; sample_fini() afterwards if this succeeds
 *
 * Without the list of buffers, it says so in @sample->bufs_err and succeeds.
 *
 * Return: 0 or -errno, for device_tell_error().
 */
int sample_take(struct sample *sample)
{
	struct timespec now;
	int err;

	memset(sample, 0, sizeof(*sample));
	err = device_ask(&sample->device);
	if (err)
		return err;
	sample->bufs_err = sample_bufs_read(&sample->bufs, &sample->nr_bufs);
	clock_gettime(CLOCK_MONOTONIC, &now);
	sample->time_ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	return 0;
}

/** sample_fini() - give back what sample_take() got */
void sample_fini(struct sample *sample)
{
	free(sample->bufs);
	memset(sample, 0, sizeof(*sample));
}

/**
 * sample_find() - a buffer by its id
 * @sample: where
 * @id: id
 *
 * Return: the buffer, NULL when it is not there.
 */
const struct sample_buf *sample_find(const struct sample *sample, uint64_t id)
{
	size_t from = 0, to = sample->nr_bufs, mid;

	while (from < to) {
		mid = from + (to - from) / 2;
		if (sample->bufs[mid].id == id)
			return &sample->bufs[mid];
		if (sample->bufs[mid].id < id)
			from = mid + 1;
		else
			to = mid;
	}
	return NULL;
}

/** sample_findings() - mistakes of a program, all kinds, since it was made */
uint64_t sample_findings(const struct heapsim_counters *count)
{
	return count->stale_reads + count->possible_stale_reads +
	       count->lost_device_writes + count->lost_cpu_writes +
	       count->missing_cleans + count->write_conflicts +
	       count->unbracketed_accesses + count->missing_ends +
	       count->unmatched_ends;
}

/** sample_redundant() - cache operations that had nothing to do */
uint64_t sample_redundant(const struct heapsim_counters *count)
{
	return count->redundant_cleans + count->redundant_invalidates;
}
