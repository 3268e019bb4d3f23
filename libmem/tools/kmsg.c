// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads from the kernel log why the module refuses a parameter, which an errno
 * cannot express. Each read of /dev/kmsg returns one record,
 *
 *	priority,sequence,time,flags;text
 *
 * and only records that were logged after the file was opened are used.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "kmsg.h"

#define PREFIX	"heapsim: "

/**
 * kmsg_open() - open the kernel log at its end
 *
 * Return: fd, or negative if this is not permitted.
 */
int kmsg_open(void)
{
	int kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (kmsg >= 0)
		lseek(kmsg, 0, SEEK_END);
	return kmsg;
}

/**
 * kmsg_print() - print the module's messages since kmsg_open()
 * @kmsg: fd of kmsg_open(); if negative, nothing is printed
 * @out: file to print to
 * @before: prefix of each line
 *
 * Return: number of lines.
 */
int kmsg_print(int kmsg, FILE *out, const char *before)
{
	char record[8192], *text;	/* the largest record */
	ssize_t len;
	int nr = 0;

	if (kmsg < 0)
		return 0;
	for (;;) {
		len = read(kmsg, record, sizeof(record) - 1);
		if (len < 0 && (errno == EPIPE || errno == EINTR))
			continue;	/* records were overwritten */
		if (len <= 0)
			return nr;
		record[len] = '\0';
		text = strchr(record, ';');
		if (!text || strncmp(text + 1, PREFIX, strlen(PREFIX)))
			continue;
		text += 1 + strlen(PREFIX);
		text[strcspn(text, "\n")] = '\0';
		fprintf(out, "%s%s\n", before, text);
		nr++;
	}
}
