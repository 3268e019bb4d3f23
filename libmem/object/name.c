// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: names of endpoints, and the file that pairs them.
 *
 * The file has the format of NvSciIpc's configuration (NVIDIA DRIVE OS Linux
 * SDK, "NvSciIpc Configuration Data"). A line has a backend, two names, and
 * fields that depend on the backend and are ignored here. Lines of backends
 * other than INTER_PROCESS and INTER_THREAD have one name and are skipped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "endpoint.h"

/* Limits on the number of lines and on the bytes of a line */
#define MAX_LINES	65536
#define MAX_LINE_LEN	1024
#define SEPARATORS	" \t\r\n,"

/* Does not depend on the locale, unlike isalnum(). */
static bool name_char_is_valid(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

static bool name_is_valid(const char *name)
{
	const size_t len = strnlen(name, MEM_ENDPOINT_NAME_LEN);

	size_t i;

	for (i = 0; i < len; i++)
		if (!name_char_is_valid(name[i]))
			return false;
	return len && len < MEM_ENDPOINT_NAME_LEN;
}

/* Finds the two names of a line. Returns false if it has none. */
static bool name_parse_line(char *line, const char *names[2])
{
	char *rest, *word;

	line[strcspn(line, "#")] = 0;
	word = strtok_r(line, SEPARATORS, &rest);
	if (!word || (strcmp(word, "INTER_PROCESS") &&
		      strcmp(word, "INTER_THREAD")))
		return false;
	names[0] = strtok_r(NULL, SEPARATORS, &rest);
	names[1] = strtok_r(NULL, SEPARATORS, &rest);
	return names[0] && names[1] && name_is_valid(names[0]) &&
	       name_is_valid(names[1]);
}

/*
 * Copies the alphabetically first of the two names of the line that has @name,
 * or @name itself if no line has it.
 */
static int name_find_line(FILE *file, const char *name, char *first)
{
	const char *names[2];
	char line[MAX_LINE_LEN];
	unsigned int nr;

	for (nr = 0; nr < MAX_LINES && fgets(line, sizeof(line), file); nr++) {
		if (!name_parse_line(line, names) ||
		    (strcmp(names[0], name) && strcmp(names[1], name)))
			continue;
		strcpy(first, strcmp(names[0], names[1]) < 0 ? names[0] :
							       names[1]);
		return 0;
	}
	if (ferror(file))
		return -EIO;
	strcpy(first, name);
	return 0;
}

static int name_find_first(const char *name, char *first)
{
	const char *path = getenv("LIBMEM_IPC");
	FILE *file;
	int err;

	if (!path || !*path) {
		strcpy(first, name);
		return 0;
	}
	file = fopen(path, "re");
	if (!file)
		return -errno;
	err = name_find_line(file, name, first);
	fclose(file);
	return err;
}

/**
 * name_channel() - return the channel to which an endpoint's name belongs
 * @name: name of the endpoint
 * @channel: out: MEM_ENDPOINT_NAME_LEN bytes; the same for both ends
 *
 * Return: 0, -EINVAL: the name is invalid, or -errno: the file that LIBMEM_IPC
 * names cannot be read.
 */
int name_channel(const char *name, char *channel)
{
	size_t len;
	int err;

	if (!name_is_valid(name))
		return -EINVAL;
	err = name_find_first(name, channel);
	if (err)
		return err;
	len = strlen(channel);
	if (len > 2 && (!strcmp(channel + len - 2, "_0") ||
			!strcmp(channel + len - 2, "_1")))
		channel[len - 2] = 0;
	return 0;
}
