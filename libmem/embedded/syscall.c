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

/**
 * struct part - the part of a call's memory that lies in one buffer
 * @off: first byte, in the buffer
 * @len: bytes
 * @dir: what the kernel does with it
 * @ip: instruction that makes the call
 * @area: area of the call
 */
struct part {
	uint64_t off;
	uint64_t len;
	enum direction dir;
	uintptr_t ip;
	const struct area *area;
};

/*
 * Returns true if the touch must be judged although it is not refused: a gate
 * does not allow it, or a buffer with one view has no access, as during an
 * export.
 */
static bool syscall_is_away(struct embedded_buf *buf, const struct part *part)
{
	const bool is_write = part->dir == KERNEL_WRITES;
	enum page_access access;
	bool is_closed;

	if (!is_heaps(&buf->base))
		return false;
	pthread_mutex_lock(&buf->lock);
	is_closed = !buf->has_two_views ||
		    !gate_allows_cpu(buf->gate, is_write);
	access = protect_get(buf->first + (part->off >> window_page_shift()));
	pthread_mutex_unlock(&buf->lock);
	return is_closed && (access == PAGE_NO_ACCESS ||
			     (access == PAGE_READ && is_write));
}

/*
 * Touches memory that may be refused. If it is, the page stays without access,
 * and the call returns EFAULT.
 */
static enum fault syscall_judge(struct embedded_buf *buf,
				const struct part *part)
{
	const struct touch touch = {
		.off = part->off,
		.is_write = part->dir == KERNEL_WRITES,
		.is_ahead = part->dir == KERNEL_WRITES,
		.is_call = true,
		.ip = part->ip,
	};

	return fault_is_judged(buf) || syscall_is_away(buf, part) ?
	       fault_touch(buf, &touch) : FAULT_READY;
}

/* The buffer's lock is held, also by those that follow. */
static void syscall_keep(struct embedded_buf *buf, const struct part *part)
{
	const uint64_t last = part->off + part->len - 1;
	size_t page = part->off >> window_page_shift();

	for (; page <= last >> window_page_shift(); page++)
		protect_keep(buf->first + page);
}

static void syscall_prepare(struct embedded_buf *buf, const struct part *part)
{
	if (buf->base.kind == MEM_KIND_MANAGED)
		rights_enter(buf, part->dir == KERNEL_WRITES);
	if (buf->is_mapped && buf->has_two_views)
		view_prepare(buf, part->off, part->len,
			     part->dir == KERNEL_WRITES, part->ip);
}

static void syscall_finish(struct embedded_buf *buf, const struct part *part)
{
	const struct touch touch = {
		.off = part->off,
		.is_write = true,
		.ip = part->ip,
	};

	fault_judge_gate(buf, &touch);
	if (buf->is_mapped && buf->has_two_views)
		view_finish_write(buf, part->off, part->len, part->ip);
}

static void syscall_end(struct embedded_buf *buf, const struct part *part)
{
	const uint64_t last = part->off + part->len - 1;

	if (buf->is_mapped && buf->has_two_views)
		view_finish_call(buf);
	/* The call may have stored nothing, so its access was not reported. */
	if (part->dir == KERNEL_WRITES && !gate_allows_cpu(buf->gate, true))
		fault_close(buf, buf->first +
			    (part->off >> window_page_shift()),
			    buf->first + (last >> window_page_shift()) + 1);
}

static void syscall_act_locked(struct embedded_buf *buf,
			       const struct part *part,
			       void (*act)(struct embedded_buf *buf,
					   const struct part *part))
{
	pthread_mutex_lock(&buf->lock);
	act(buf, part);
	pthread_mutex_unlock(&buf->lock);
}

/* Returns true if the part was refused. */
static bool syscall_prepare_part(struct embedded_buf *buf,
				 const struct part *part)
{
	const bool is_precise = embedded_ctx_of(buf->base.ctx)->is_precise;
	bool is_held = false;
	enum fault fault;

	/* Held until the end of the call, before it becomes accessible. */
	if (is_precise)
		is_held = step_hold(buf, part->off, part->len, part->area);
	fault = syscall_judge(buf, part);
	if (fault != FAULT_READY && fault != FAULT_WATCHED) {
		if (is_held)
			step_unhold(buf, part->area);
		return true;
	}
	syscall_act_locked(buf, part, syscall_prepare);
	/* What needs no tracking stays accessible. */
	if (is_held && !buf->has_two_views && fault == FAULT_READY)
		step_unhold(buf, part->area);
	else if (is_precise && !is_held)
		syscall_act_locked(buf, part, syscall_keep);
	return false;
}

/*
 * Walks the part of a call's memory that is in the window, buffer by buffer.
 * Returns true if a part of it was to be prepared, and was refused.
 */
static bool syscall_for_each_buf(const struct area *area,
				 void (*act)(struct embedded_buf *buf,
					     const struct part *part),
				 enum direction dir, uintptr_t ip)
{
	uintptr_t at = (uintptr_t)area->addr;
	size_t left = area->len;
	struct embedded_buf *buf;
	bool ret = false;
	sigset_t old;

	while (left && window_has(at)) {
		struct part part = { .dir = dir, .ip = ip, .area = area };

		signals_block(&old);
		buf = window_find_buf(at);
		if (!buf) {
			signals_restore(&old);
			break;
		}
		part.off = at - (uintptr_t)buf->addr;
		part.len = buf->base.len - part.off < left ?
			   buf->base.len - part.off : left;
		if (act == syscall_prepare)
			ret |= syscall_prepare_part(buf, &part);
		else
			syscall_act_locked(buf, &part, act);
		signals_restore(&old);
		embedded_buf_put(buf);
		at += part.len;
		left -= part.len;
	}
	return ret;
}

static bool syscall_is_in_window(const struct area *areas, size_t nr)
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
static bool syscall_prepare_all(const struct area *areas, size_t nr,
				enum direction dir, uintptr_t ip)
{
	bool ret = false;
	size_t i;

	for (i = 0; i < nr; i++)
		ret |= syscall_for_each_buf(&areas[i], syscall_prepare, dir,
					    ip);
	return ret;
}

/* Called when the first @done bytes have been written. */
static void syscall_finish_all(const struct area *areas, size_t nr, size_t done,
			       uintptr_t ip)
{
	size_t i;

	for (i = 0; i < nr && done; i++) {
		const struct area area = {
			.addr = areas[i].addr,
			.len = areas[i].len < done ? areas[i].len : done,
		};

		syscall_for_each_buf(&area, syscall_finish, KERNEL_WRITES, ip);
		done -= area.len;
	}
}

/* Called at the end of a call: releases what it needed. */
static void syscall_end_all(const struct area *areas, size_t nr,
			    enum direction dir,
			    uintptr_t ip)
{
	const int err = errno;
	sigset_t old;
	size_t i;

	for (i = 0; i < nr; i++)
		syscall_for_each_buf(&areas[i], syscall_end, dir, ip);
	signals_block(&old);
	for (i = 0; i < nr; i++)
		step_release(&areas[i]);
	signals_restore(&old);
	errno = err;
}

/* Returns true if the memory can be stored to, maybe after a wait. */
static bool syscall_waits_for(const struct area *area)
{
	const uintptr_t page_len = (uintptr_t)1 << window_page_shift();
	const uintptr_t first = (uintptr_t)area->addr;
	uintptr_t at;

	if (!area->len)
		return true;
	for (at = first; at < first + area->len;
	     at = (at | (page_len - 1)) + 1)
		if (!register_wait(at))
			return false;
	return true;
}

static bool syscall_was_held_back(const struct area *areas, size_t nr)
{
	const int err = errno;
	bool ret = window_is_there() && nr <= IOV_MAX;
	size_t i;

	for (i = 0; i < nr && ret; i++)
		ret = syscall_waits_for(&areas[i]);
	errno = err;
	return ret;
}

const struct trap_ops syscall_ops = {
	.is_ours = syscall_is_in_window,
	.prepare = syscall_prepare_all,
	.finish = syscall_finish_all,
	.end = syscall_end_all,
	.was_held_back = syscall_was_held_back,
	.sigaction = signals_action,
	.mlockall = lock_all,
};
