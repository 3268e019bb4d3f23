// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Calls of the C library in which the kernel touches memory for the
 * application. At a page without access the kernel does not raise SIGSEGV, but
 * returns EFAULT. Therefore libmem-trap passes these calls to this file, which
 * touches the pages first. Memory outside the window costs one comparison.
 *
 * A page to which the call has written counts as stored to by the application;
 * a page that the call did not reach does not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>

#include "embedded.h"

/* A buffer with one view has no access during an export, or by its gate. */
static bool is_away(struct embedded_buf *buf, enum direction dir)
{
	enum page_access access;
	bool has_one_view;

	if (!is_heaps(&buf->base))
		return false;
	pthread_mutex_lock(&buf->lock);
	has_one_view = !buf->has_two_views;
	access = window_access(buf->first);
	pthread_mutex_unlock(&buf->lock);
	return has_one_view &&
	       (access == PAGE_NO_ACCESS ||
		(access == PAGE_READ && dir == KERNEL_WRITES));
}

/*
 * Touches memory that may be refused. If it is, the page stays without access,
 * and the call returns EFAULT.
 */
static bool is_refused(struct embedded_buf *buf, uint64_t off,
		       enum direction dir, uintptr_t ip)
{
	const struct touch touch = {
		.off = off,
		.is_write = dir == KERNEL_WRITES,
		.is_ahead = dir == KERNEL_WRITES,
		.is_call = true,
		.ip = ip,
	};

	return (fault_is_judged(buf) || is_away(buf, dir)) &&
	       fault_touch(buf, &touch) != FAULT_READY;
}

static void prepare(struct embedded_buf *buf, uint64_t off, uint64_t len,
		    enum direction dir, uintptr_t ip)
{
	view_prepare(buf, off, len, dir == KERNEL_WRITES, ip);
}

static void finish(struct embedded_buf *buf, uint64_t off, uint64_t len,
		   enum direction dir, uintptr_t ip)
{
	(void)dir;
	view_finish_write(buf, off, len, ip);
}

static void end(struct embedded_buf *buf, uint64_t off, uint64_t len,
		enum direction dir, uintptr_t ip)
{
	(void)off;
	(void)len;
	(void)dir;
	(void)ip;
	view_finish_call(buf);
}

/*
 * Walks the part of a call's memory that is in the window, buffer by buffer.
 * Returns true if a part of it was to be prepared, and was refused.
 */
static bool for_each_buf(const struct area *area,
			 void (*act)(struct embedded_buf *buf, uint64_t off,
				     uint64_t len, enum direction dir,
				     uintptr_t ip),
			 enum direction dir, uintptr_t ip)
{
	uintptr_t at = (uintptr_t)area->addr;
	size_t left = area->len;
	struct embedded_buf *buf;
	bool ret = false;
	sigset_t old;

	while (left && window_has(at)) {
		uint64_t off, len;

		signals_block(&old);
		buf = window_find_buf(at);
		if (!buf) {
			signals_restore(&old);
			break;
		}
		off = at - (uintptr_t)buf->addr;
		len = buf->base.len - off < left ? buf->base.len - off : left;
		if (act == prepare && is_refused(buf, off, dir, ip)) {
			ret = true;
		} else {
			pthread_mutex_lock(&buf->lock);
			if (act == prepare &&
			    buf->base.kind == MEM_KIND_MANAGED)
				rights_enter(buf, dir == KERNEL_WRITES);
			if (buf->is_mapped && buf->has_two_views)
				act(buf, off, len, dir, ip);
			pthread_mutex_unlock(&buf->lock);
		}
		signals_restore(&old);
		embedded_buf_put(buf);
		at += len;
		left -= len;
	}
	return ret;
}

static bool is_in_window(const struct area *areas, size_t nr)
{
	fork_restore();
	/* The kernel refuses a longer list without reading it. */
	if (!window_is_there() || nr > IOV_MAX)
		return false;
	while (nr--)
		if (window_has((uintptr_t)areas[nr].addr))
			return true;
	return false;
}

/* Returns true if a part was refused, which has been reported. */
static bool prepare_all(const struct area *areas, size_t nr,
			enum direction dir, uintptr_t ip)
{
	bool ret = false;
	size_t i;

	for (i = 0; i < nr; i++)
		ret |= for_each_buf(&areas[i], prepare, dir, ip);
	return ret;
}

/* Called when the first @done bytes have been written. */
static void finish_all(const struct area *areas, size_t nr, size_t done,
		       uintptr_t ip)
{
	size_t i;

	for (i = 0; i < nr && done; i++) {
		const struct area area = {
			.addr = areas[i].addr,
			.len = areas[i].len < done ? areas[i].len : done,
		};

		for_each_buf(&area, finish, KERNEL_WRITES, ip);
		done -= area.len;
	}
}

/* Called at the end of a call: releases what it needed. */
static void end_all(const struct area *areas, size_t nr, enum direction dir,
		    uintptr_t ip)
{
	const int err = errno;
	size_t i;

	for (i = 0; i < nr; i++)
		for_each_buf(&areas[i], end, dir, ip);
	errno = err;
}

const struct trap_ops syscall_ops = {
	.is_ours = is_in_window,
	.prepare = prepare_all,
	.finish = finish_all,
	.end = end_all,
	.sigaction = signals_action,
};
