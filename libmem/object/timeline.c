// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: sharing timelines with another process. The page and the eventfd go
 * over the endpoint as the memory of objects does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "../timeline.h"
#include "object.h"

static bool timeline_perm_is_valid(unsigned int perm)
{
	return perm && !(perm & ~MEM_RW);
}

/* Opens the page for a process that may only wait, or for any other. */
static int timeline_open_file(const struct mem_timeline *timeline,
			      unsigned int perm)
{
	char path[32];
	int fd;

	if (!own_fd_is_open(&timeline->file))
		return -EBADF;
	if (perm & MEM_WRITE)
		return dup_cloexec(timeline->file.nr);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", timeline->file.nr);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int timeline_send(const struct mem_timeline *timeline, unsigned int perm,
			 struct mem_endpoint *endpoint, uint64_t timeout_ns,
			 struct desc *desc)
{
	struct ticket page, event;
	int fd, err;

	if (!own_fd_is_open(&timeline->event))
		return -EBADF;
	fd = timeline_open_file(timeline, perm);
	if (fd < 0)
		return fd;
	err = endpoint_send_memory(endpoint, fd, timeout_ns, &page);
	fd_close(fd);
	if (!err)
		err = endpoint_send_memory(endpoint, timeline->event.nr,
					   timeout_ns, &event);
	if (err)
		return err;
	desc->perm = perm;
	desc->seq = page.seq;
	memcpy(desc->token, page.token, sizeof(desc->token));
	desc->event_seq = event.seq;
	memcpy(desc->event_token, event.token, sizeof(desc->event_token));
	return 0;
}

API int mem_timeline_export(struct mem_timeline *timeline, unsigned int perm,
			    struct mem_endpoint *endpoint, uint64_t timeout_ns,
			    void *desc)
{
	struct desc new = { 0 };
	int err;

	if (!timeline || !endpoint || !desc || !timeline_perm_is_valid(perm))
		return -EINVAL;
	err = object_check(endpoint->ctx);
	if (err)
		return err;
	if (perm & ~timeline->perm)
		return -EACCES;
	err = timeline_send(timeline, perm, endpoint, timeout_ns, &new);
	if (err)
		return err;
	desc_seal(&new, DESC_TIMELINE, 0, endpoint);
	memcpy(desc, &new, sizeof(new));
	return 0;
}

static int timeline_take_event(struct mem_endpoint *endpoint, int file,
			       const struct desc *desc, unsigned int perm,
			       uint64_t timeout_ns,
			       struct mem_timeline **timeline)
{
	struct ticket ticket = { .seq = desc->event_seq };
	int fd, err;

	memcpy(ticket.token, desc->event_token, sizeof(ticket.token));
	err = endpoint_take_memory(endpoint, &ticket, timeout_ns, &fd);
	if (err)
		return err;
	err = timeline_from_fds(file, fd, perm, timeline);
	if (err == -EINVAL)
		err = -EBADMSG;
	endpoint_end_memory(endpoint, &ticket, !err || err == -EBADMSG);
	return err;
}

static int timeline_take(struct mem_endpoint *endpoint, const struct desc *desc,
			 unsigned int perm, uint64_t timeout_ns,
			 struct mem_timeline **timeline)
{
	struct ticket ticket = { .seq = desc->seq };
	int fd, err;

	memcpy(ticket.token, desc->token, sizeof(ticket.token));
	err = endpoint_take_memory(endpoint, &ticket, timeout_ns, &fd);
	if (err)
		return err;
	err = timeline_take_event(endpoint, fd, desc, perm, timeout_ns,
				  timeline);
	endpoint_end_memory(endpoint, &ticket, !err || err == -EBADMSG);
	return err;
}

API int mem_timeline_import(struct mem_endpoint *endpoint, const void *desc,
			    unsigned int perm, uint64_t timeout_ns,
			    struct mem_timeline **timeline)
{
	struct desc opened;
	int err;

	if (!endpoint || !desc || !timeline ||
	    (perm && !timeline_perm_is_valid(perm)))
		return -EINVAL;
	err = object_check(endpoint->ctx);
	if (!err)
		err = desc_open(endpoint, desc, sizeof(opened), &opened);
	if (!err && opened.kind != DESC_TIMELINE)
		err = -EBADMSG;
	if (err)
		return err;
	if (!perm)
		perm = opened.perm;
	if (perm & ~opened.perm)
		return -EACCES;
	return timeline_take(endpoint, &opened, perm, timeout_ns, timeline);
}
