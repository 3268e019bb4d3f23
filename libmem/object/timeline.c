// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: sharing timelines with another process. The page, the eventfd and the
 * end of the pipe go over the endpoint as the memory of objects does.
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

/* Sends a descriptor and closes it; or returns the error in its place. */
static int timeline_send_fd(struct mem_endpoint *endpoint, int fd,
			    uint64_t timeout_ns, struct ticket *ticket)
{
	int err;

	if (fd < 0)
		return fd;
	err = endpoint_send_memory(endpoint, fd, timeout_ns, ticket);
	fd_close(fd);
	return err;
}

static int timeline_send(const struct mem_timeline *timeline, unsigned int perm,
			 struct mem_endpoint *endpoint, uint64_t timeout_ns,
			 struct desc *desc)
{
	struct ticket page, event, life;
	int err;

	if (!own_fd_is_open(&timeline->life))
		return -EBADF;
	err = timeline_send_fd(endpoint, timeline_open_file(timeline, perm),
			       timeout_ns, &page);
	if (!err)
		err = timeline_send_fd(endpoint, own_fd_dup(&timeline->event),
				       timeout_ns, &event);
	if (!err)
		err = timeline_send_fd(endpoint,
				       timeline_open_life(timeline->life.nr,
							  perm),
				       timeout_ns, &life);
	if (err)
		return err;
	desc->perm = perm;
	desc->seq = page.seq;
	memcpy(desc->token, page.token, sizeof(desc->token));
	desc->event_seq = event.seq;
	memcpy(desc->event_token, event.token, sizeof(desc->event_token));
	desc->life_seq = life.seq;
	memcpy(desc->life_token, life.token, sizeof(desc->life_token));
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

/* Descriptors of a timeline, in the order in which they were sent */
enum timeline_fd {
	FD_PAGE,
	FD_EVENT,
	FD_LIFE,
	NR_FDS
};

static struct ticket timeline_ticket(uint32_t seq, const uint8_t *token)
{
	struct ticket ticket = { .seq = seq };

	memcpy(ticket.token, token, sizeof(ticket.token));
	return ticket;
}

static int timeline_take(struct mem_endpoint *endpoint, const struct desc *desc,
			 unsigned int perm, uint64_t timeout_ns,
			 struct mem_timeline **timeline)
{
	const struct ticket tickets[NR_FDS] = {
		[FD_PAGE] = timeline_ticket(desc->seq, desc->token),
		[FD_EVENT] = timeline_ticket(desc->event_seq,
					     desc->event_token),
		[FD_LIFE] = timeline_ticket(desc->life_seq, desc->life_token),
	};
	int fds[NR_FDS], nr, err = 0;

	for (nr = 0; nr < NR_FDS; nr++) {
		err = endpoint_take_memory(endpoint, &tickets[nr], timeout_ns,
					   &fds[nr]);
		if (err)
			break;
	}
	if (!err) {
		err = timeline_from_fds(fds[FD_PAGE], fds[FD_EVENT],
					fds[FD_LIFE], perm, timeline);
		if (err == -EINVAL)
			err = -EBADMSG;
	}
	while (nr--)
		endpoint_end_memory(endpoint, &tickets[nr],
				    !err || err == -EBADMSG);
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
