// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watches the processes of a run through /dev/heapsim: reads the records of
 * their findings, and of their events if there is a timeline.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"
#include "events.h"
#include "findings.h"
#include "heapsim.h"
#include "../record/stacks.h"
#include "trace.h"
#include "watch.h"

#define NR_RECORDS	16384	/* room for records in the kernel */
#define NR_AT_ONCE	128	/* records in one read */
#define NR_EVENTS	HEAPSIM_WATCH_MAX_RECORDS
#define NR_READS	512	/* reads of a queue before other work is done */

static int watch_open_device(const struct watch *watch, int *fd)
{
	*fd = open(DEVICE_PATH, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (*fd >= 0)
		return 0;
	if (errno == ENOENT || errno == ENXIO)
		return error_print(watch->who,
				  "the module is not loaded (heapsim load)");
	return device_print_error(watch->who, -errno);
}

/* Makes the module queue records of this process's tree for an open. */
static int watch_begin_queue(const struct watch *watch, int fd,
			     struct heapsim_watch *queue)
{
	queue->size = sizeof(*queue);
	queue->scope = HEAPSIM_WATCH_TREE;
	queue->record_size = sizeof(struct heapsim_record);
	if (!ioctl(fd, HEAPSIM_IOC_WATCH, queue))
		return 0;
	if (errno == EBUSY)
		return error_print(watch->who,
				  "too many processes watch already");
	if (errno == EINVAL && queue->kinds == HEAPSIM_KINDS_EVENTS)
		return error_print(watch->who,
				  "--trace: the module is too old");
	return error_print(watch->who, "cannot watch: %s", strerror(errno));
}

/**
 * watch_open() - open the module
 * @watch: watch
 * @probe: out: description of the module and its board
 *
 * Return: 0, or EXIT_FAILED after a message.
 */
int watch_open(struct watch *watch, struct heapsim_probe *probe)
{
	int ret;

	ret = watch_open_device(watch, &watch->fd);
	if (ret)
		return ret;
	probe->size = sizeof(*probe);
	if (ioctl(watch->fd, HEAPSIM_IOC_PROBE, probe))
		return error_print(watch->who, DEVICE_PATH ": %s",
				  strerror(errno));
	return 0;
}

/**
 * watch_begin() - begin to watch for findings
 * @watch: watch after watch_open()
 * @probe: description of the module
 * @policy: policy of this process's tree, until the watch is closed
 *
 * Return: 0, or EXIT_FAILED after a message.
 */
int watch_begin(struct watch *watch, const struct heapsim_probe *probe,
		const struct heapsim_set_policy *policy)
{
	struct heapsim_watch queue = {
		.kinds = HEAPSIM_KINDS_ALL,
		.nr_records = NR_RECORDS,
		.stack_signal = STACKS_SIGNAL,
	};
	int ret;

	/* An older module refuses unknown kinds. */
	if (!(probe->features & HEAPSIM_FEATURE_RIGHTS))
		queue.kinds &= ~HEAPSIM_KINDS_STREAMS;
	ret = watch_begin_queue(watch, watch->fd, &queue);
	if (ret || !ioctl(watch->fd, HEAPSIM_IOC_POLICY, policy))
		return ret;
	if (errno == EOPNOTSUPP)
		return error_print(watch->who,
				   "--precise: not on this machine");
	return error_print(watch->who, "cannot set the policy: %s",
			  strerror(errno));
}

/**
 * watch_begin_seen() - begin to watch for the first use of a buffer
 * @watch: watch after watch_open()
 *
 * If a program uses the module's heaps without libmem, its first event shows
 * that it used a buffer. Buffers with one view may have no events.
 *
 * Return: 0, or EXIT_FAILED after a message.
 */
int watch_begin_seen(struct watch *watch)
{
	struct heapsim_watch queue = {
		.kinds = HEAPSIM_KINDS_EVENTS,
		.nr_records = 1,
	};
	int ret;

	ret = watch_open_device(watch, &watch->seen_fd);
	return ret ? ret : watch_begin_queue(watch, watch->seen_fd, &queue);
}

/**
 * watch_begin_events() - begin to watch for events
 * @watch: watch after watch_open()
 *
 * Return: 0, or EXIT_FAILED after a message.
 */
int watch_begin_events(struct watch *watch)
{
	struct heapsim_watch queue = {
		.kinds = HEAPSIM_KINDS_EVENTS,
		.nr_records = NR_EVENTS,
	};
	int ret;

	ret = watch_open_device(watch, &watch->events_fd);
	return ret ? ret : watch_begin_queue(watch, watch->events_fd, &queue);
}

/** watch_close() - close what is open */
void watch_close(struct watch *watch)
{
	if (watch->fd >= 0)
		close(watch->fd);
	if (watch->events_fd >= 0)
		close(watch->events_fd);
	if (watch->seen_fd >= 0)
		close(watch->seen_fd);
}

/**
 * watch_read_seen() - check for the first use of a buffer
 * @watch: watch
 *
 * One event is enough, and events cost time, so @seen_fd is closed after it.
 *
 * Return: true once, when a buffer has been used.
 */
bool watch_read_seen(struct watch *watch)
{
	struct heapsim_record record;

	if (watch->seen_fd < 0 ||
	    read(watch->seen_fd, &record, sizeof(record)) < 0)
		return false;
	close(watch->seen_fd);
	watch->seen_fd = -1;
	return true;
}

/* Reads up to NR_AT_ONCE records. Returns their number, or 0 or -errno. */
static ssize_t watch_read_some(int fd, struct heapsim_record *records)
{
	ssize_t n;

	do
		n = read(fd, records, NR_AT_ONCE * sizeof(*records));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	return n / (ssize_t)sizeof(*records);
}

/**
 * watch_read() - read the available records
 * @watch: watch
 * @findings: findings to add to
 * @events: writes events to the timeline; NULL: no timeline
 * @trace: timeline; NULL: none
 *
 * Reads events first, since they led to the findings. The number of reads is
 * limited, since a signal may have to be forwarded to the program, and findings
 * must be read in time even if there are many events.
 *
 * Return: 0 or -errno; -ENOMEM if findings are lost.
 */
int watch_read(struct watch *watch, struct findings *findings,
	       struct events *events, struct trace *trace)
{
	struct heapsim_record records[NR_AT_ONCE];
	int ret = 0, reads;
	ssize_t n = 0, i;

	for (reads = 0; watch->events_fd >= 0 && reads < NR_READS; reads++) {
		n = watch_read_some(watch->events_fd, records);
		if (n <= 0)
			break;
		for (i = 0; i < n; i++)
			events_write_of_module(events, &records[i]);
	}
	if (n < 0)
		return n;
	for (reads = 0; watch->fd >= 0 && reads < NR_READS; reads++) {
		n = watch_read_some(watch->fd, records);
		if (n <= 0)
			return n ? n : ret;
		for (i = 0; i < n; i++) {
			if (trace)
				trace_finding(trace, &records[i]);
			if (findings_add(findings, &records[i]))
				ret = -ENOMEM;
		}
	}
	return ret;
}
