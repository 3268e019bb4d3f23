/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internals of timelines. */
#ifndef _LIBMEM_TIMELINE_INTERNAL_H
#define _LIBMEM_TIMELINE_INTERNAL_H

#include "internal.h"

/**
 * struct timeline_page - what all processes see of a timeline
 * @magic: TIMELINE_MAGIC
 * @id: random id
 * @reserved: last point that was reserved
 * @reached: count
 *
 * A process that may signal may write anything here. Others are then woken too
 * early or too late, which such a process can cause anyway.
 */
struct timeline_page {
	uint64_t magic;
	uint8_t id[MEM_TIMELINE_ID_LEN];
	atomic_uint_least64_t reserved;
	atomic_uint_least64_t reached;
};

/**
 * struct mem_timeline - a timeline in this process
 * @nr_users: reference count
 * @perm: MEM_READ, MEM_WRITE or MEM_RW
 * @id: copy of the page's
 * @page: page; writable if @perm has MEM_WRITE
 * @file: file of @page
 * @event: eventfd that is written, and never read, whenever the count has
 *	changed: an edge-triggered epoll of each process reports it
 * @life: of a pipe, the writing end if @perm has MEM_WRITE, else the reading
 *	end, which hangs up when no process is left that may signal
 */
struct mem_timeline {
	atomic_uint nr_users;
	unsigned int perm;
	uint8_t id[MEM_TIMELINE_ID_LEN];
	struct timeline_page *page;
	struct own_fd file;
	struct own_fd event;
	struct own_fd life;
};

int timeline_from_fds(int file, int event, int life, unsigned int perm,
		      struct mem_timeline **timeline);
int timeline_open_life(int fd, unsigned int perm);
bool timeline_is_orphan(const struct mem_timeline *timeline);
bool timeline_is_reached(const struct mem_timeline *timeline, uint64_t point);
void timeline_reach(struct mem_timeline *timeline, uint64_t point);

#endif
