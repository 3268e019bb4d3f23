// SPDX-License-Identifier: GPL-2.0-only
/*
 * The module says in the kernel log why it refuses a parameter: errno has no
 * room for that. /dev/kmsg gives one record a read,
 *
 *	priority,sequence,time,flags;text
 *
 * and records that came after the file was opened are those that count.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "kmsg.h"

#define PREFIX	"heapsim: "

/**
 * kmsg_open() - begin to listen
 *
 * Return: fd, negative when we may not.
 */
int kmsg_open(void)
{
	int kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (kmsg >= 0)
		lseek(kmsg, 0, SEEK_END);
	return kmsg;
}

/**
 * kmsg_print() - print what the module said since
 * @kmsg: from kmsg_open(); negative prints nothing
 * @out: where to
 * @before: what to print before each line
 *
 * Return: lines.
 */
int kmsg_print(int kmsg, FILE *out, const char *before)
{
	char record[8192], *text;	/* the most that a read gives */
	ssize_t len;
	int nr = 0;

	if (kmsg < 0)
		return 0;
	for (;;) {
		len = read(kmsg, record, sizeof(record) - 1);
		if (len < 0 && (errno == EPIPE || errno == EINTR))
			continue;	/* the log has overtaken us */
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
