// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Touches of the CPU that are seen: SIGSEGV in the window is a page without
 * access, which is judged and given. What is not ours goes on to the
 * application (signals.c).
 */
#define _GNU_SOURCE
#include <errno.h>

#include "../trap.h"
#include "embedded.h"

/**
 * buf_lock() - lock a buffer
 * @buf: buffer
 * @old: out: for buf_unlock()
 */
void buf_lock(struct embedded_buf *buf, sigset_t *old)
{
	signals_block(old);
	pthread_mutex_lock(&buf->lock);
}

/**
 * buf_unlock() - and unlock it
 * @buf: buffer
 * @old: from buf_lock()
 */
void buf_unlock(struct embedded_buf *buf, const sigset_t *old)
{
	pthread_mutex_unlock(&buf->lock);
	signals_restore(old);
}

/* A page that it can have is ready afterwards. */
static bool is_ready(struct embedded_buf *buf, const struct touch *touch)
{
	const size_t page = buf->first + (touch->off >> window_page_shift());
	const enum page_access access = window_access(page);

	if (!buf->is_mapped || !buf->has_two_views)
		return false;
	/* Another thread was faster. */
	if (access == PAGE_WRITE || (access == PAGE_READ && !touch->is_write))
		return !window_protect(page, 1, access);
	return view_touch(buf, touch);
}

static bool is_ours(uintptr_t addr, const ucontext_t *context)
{
	struct embedded_buf *buf;
	struct touch touch;
	bool ret;

	if (!window_has(addr))
		return false;
	buf = window_lock_buf(addr);
	if (!buf)
		return false;
	touch.off = addr - (uintptr_t)buf->addr;
	touch.is_write = trap_is_store(context);
	touch.is_ahead = false;
	touch.ip = trap_ip(context);
	ret = is_ready(buf, &touch);
	pthread_mutex_unlock(&buf->lock);
	embedded_buf_put(buf);
	return ret;
}

/**
 * fault_handle() - a SIGSEGV: was it a touch to be seen?
 * @info: of the signal
 * @context: where it came from, ucontext_t
 *
 * Context: signal handler with all signals blocked that can be.
 * Return: true if it was, and may be made again.
 */
bool fault_handle(const siginfo_t *info, const void *context)
{
	const int err = errno;
	bool ret;

	ret = info->si_code == SEGV_ACCERR && !trap_is_fetch(context) &&
	      is_ours((uintptr_t)info->si_addr, context);
	errno = err;
	return ret;
}
