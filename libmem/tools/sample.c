// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the totals of the module, which all users may read from /dev/heapsim,
 * and the list of all buffers. The list is in debugfs, which only root may
 * read, since it has the names of other users' buffers.
 * Documentation/module.rst describes its lines.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../clock.h"
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

/* Any user may name a buffer, and names are printed on a terminal. */
static char sample_printable(char c)
{
	return c < ' ' || c > '~' ? '?' : c;
}

/* Parses the quoted name at @at. Returns its end, or NULL if there is none. */
static const char *sample_parse_name(char *name, size_t size, const char *at)
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
			name[len++] = sample_printable(c);
	}
	name[len] = '\0';
	return at + 1;
}

/* Parses "NAME=COUNT"; unknown names of a newer module are ignored. */
static void sample_parse_counter(struct heapsim_counters *count,
				 const char *word)
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

static int sample_parse_buf(struct sample_buf *buf, const char *line)
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
	at = sample_parse_name(buf->name, sizeof(buf->name), line + end);
	if (!at)
		return -EPROTO;
	for (at = strchr(at, ' '); at; at = strchr(at, ' '))
		sample_parse_counter(&buf->count, ++at);
	return 0;
}

static int sample_add_buf(struct sample_buf **bufs, size_t *nr, size_t *room,
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
	err = sample_parse_buf(*bufs + *nr, line);
	if (!err)
		(*nr)++;
	return err;
}

/**
 * sample_bufs_read() - read the list of all live buffers
 * @bufs: out: array sorted by id, which the caller frees; NULL after an error
 *	or if there are no buffers
 * @nr: out: number of buffers
 *
 * Return: 0; -ENOENT without debugfs or module; -EACCES; -EPERM if the kernel
 * is locked down; -EPROTO if the module has another format; -ENOMEM.
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
	/* The first line has the names of the columns. */
	if (getline(&line, &size, file) < 0 ||
	    strncmp(line, "id inode len kind holders name", 30))
		err = errno ? -errno : -EPROTO;
	while (!err && getline(&line, &size, file) >= 0)
		err = sample_add_buf(bufs, nr, &room, line);
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
 * sample_bufs_why() - explain why there is no list of buffers
 * @err: error of sample_bufs_read()
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
 * sample_take() - read the module's totals and its buffers
 * @sample: out; the caller calls sample_fini() if this succeeds
 *
 * If only the list of buffers cannot be read, this succeeds and sets
 * @sample->bufs_err.
 *
 * Return: 0 or -errno, for device_print_error().
 */
int sample_take(struct sample *sample)
{
	int err;

	memset(sample, 0, sizeof(*sample));
	err = device_read(&sample->device);
	if (err)
		return err;
	sample->bufs_err = sample_bufs_read(&sample->bufs, &sample->nr_bufs);
	sample->time_ns = now_ns();
	return 0;
}

/** sample_fini() - free the buffers of a sample */
void sample_fini(struct sample *sample)
{
	free(sample->bufs);
	memset(sample, 0, sizeof(*sample));
}

/**
 * sample_find() - find a buffer by its id
 * @sample: sample
 * @id: id of the buffer
 *
 * Return: the buffer, or NULL.
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

/** sample_findings() - count a buffer's violations of all kinds */
uint64_t sample_findings(const struct heapsim_counters *count)
{
	return count->stale_reads + count->possible_stale_reads +
	       count->lost_device_writes + count->lost_cpu_writes +
	       count->missing_cleans + count->write_conflicts +
	       count->unbracketed_accesses + count->missing_ends +
	       count->unmatched_ends;
}

/** sample_redundant() - count redundant cache operations */
uint64_t sample_redundant(const struct heapsim_counters *count)
{
	return count->redundant_cleans + count->redundant_invalidates;
}
