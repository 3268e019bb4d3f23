// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Touches of the CPU that are detected: a touch of a page without access raises
 * SIGSEGV in the window; it is judged, and the page is made accessible. Any
 * other SIGSEGV is passed on to the application (signals.c).
 */
#define _GNU_SOURCE
#include <errno.h>

#include "../trap.h"
#include "embedded.h"

static bool can_write(const struct embedded_buf *buf)
{
	return !buf->base.is_read_only && gate_allows_cpu(buf->gate, true);
}

/**
 * fault_open() - give the access for which no touch needs to be detected
 * @buf: buffer of a heap, mapped, locked
 *
 * Removes the access that its gate does not allow; with two views, all access.
 *
 * Context: caller must hold the buffer's lock.
 * Return: 0 or -ENOMEM.
 */
int fault_open(struct embedded_buf *buf)
{
	enum page_access access = PAGE_NO_ACCESS;

	if (buf->has_two_views) {
		view_revoke(buf, 0, buf->nr_pages);
		return 0;
	}
	if (can_write(buf))
		access = PAGE_WRITE;
	else if (gate_allows_cpu(buf->gate, false))
		access = PAGE_READ;
	return window_protect(buf->first, buf->nr_pages, access);
}

/*
 * Gives access to a buffer with one view. Its access may have been removed
 * temporarily: by an export, or together with that of all buffers.
 */
static bool give(struct embedded_buf *buf, bool is_write)
{
	enum page_access access = PAGE_WRITE;

	if (buf->base.is_read_only)
		access = PAGE_READ;
	else if (!is_write && !can_write(buf) &&
		 gate_allows_cpu(buf->gate, false))
		access = PAGE_READ;
	return !(is_write && buf->base.is_read_only) &&
	       !window_protect(buf->first, buf->nr_pages, access);
}

/* Makes the page accessible if the buffer allows it. */
static bool is_ready(struct embedded_buf *buf, const struct touch *touch)
{
	const size_t page = buf->first + (touch->off >> window_page_shift());
	enum page_access access;

	if (!buf->is_mapped && !buf->is_lent)
		return false;
	if (!buf->has_two_views) {
		trace_touch(buf, touch, 0);
		return give(buf, touch->is_write);
	}
	access = window_access(page);
	/* Another thread has made it accessible. */
	if (access == PAGE_WRITE || (access == PAGE_READ && !touch->is_write))
		return !window_protect(page, 1, access);
	return view_touch(buf, touch);
}

static bool is_strict(const struct embedded_ctx *ctx)
{
	return ctx->policy == MEM_POLICY_STRICT;
}

/**
 * fault_is_judged() - check whether touches of a buffer can be refused
 * @buf: buffer
 *
 * Return: true if fault_touch() decides.
 */
bool fault_is_judged(const struct embedded_buf *buf)
{
	return buf->base.kind == MEM_KIND_MANAGED ||
	       buf->base.kind == MEM_KIND_DEVICE || atomic_is_looked_for(buf);
}

/* Judges a touch and gives access. The buffer's lock is held. */
static enum fault touch_held(struct embedded_buf *buf,
			     const struct touch *touch)
{
	/* Touches of kernels are not touches of the CPU. */
	if (!engine_is_worker() && !gate_is_own() &&
	    !gate_allows_cpu(buf->gate, touch->is_write))
		watch_gate_cpu(buf, touch);
	/* A system call that touches the page fails with EFAULT. */
	if (!engine_is_worker() && touch->is_write && !touch->is_call &&
	    buf->base.is_read_only && buf->is_mapped)
		watch_read_only(buf, touch);
	return is_ready(buf, touch) ? FAULT_READY : FAULT_STRANGE;
}

static enum fault touch_locked(struct embedded_buf *buf,
			       const struct touch *touch)
{
	enum fault ret;

	pthread_mutex_lock(&buf->lock);
	ret = touch_held(buf, touch);
	pthread_mutex_unlock(&buf->lock);
	return ret;
}

/* Returns true if the touch is refused. The buffer's lock is held. */
static bool is_refused(struct embedded_buf *buf, const struct touch *touch)
{
	struct refusal refusal;

	if (engine_is_worker()) {
		rights_enter(buf, touch->is_write);
		return false;
	}
	if (rights_touch(buf, touch->is_write, &refusal))
		return false;
	watch_cpu_while_active(buf, touch, &refusal);
	return is_strict(embedded_ctx_of(buf->base.ctx));
}

/* The lock is held from the decision until the page is accessible. */
static enum fault touch_managed(struct embedded_buf *buf,
				const struct touch *touch)
{
	enum fault ret = FAULT_REFUSED;

	pthread_mutex_lock(&buf->lock);
	if (!is_refused(buf, touch))
		ret = touch_held(buf, touch);
	pthread_mutex_unlock(&buf->lock);
	return ret;
}

/* Gives a page to an inline kernel until its job ends. */
static enum fault touch_lent(struct embedded_buf *buf,
			     const struct touch *touch)
{
	enum fault ret;

	pthread_mutex_lock(&buf->lock);
	rights_lend(buf);
	ret = touch_held(buf, touch);
	pthread_mutex_unlock(&buf->lock);
	return ret;
}

static bool is_unmapped(struct embedded_buf *buf)
{
	bool ret;

	pthread_mutex_lock(&buf->lock);
	ret = !buf->is_mapped;
	pthread_mutex_unlock(&buf->lock);
	return ret;
}

static enum fault touch_device(struct embedded_buf *buf,
			       const struct touch *touch)
{
	if (engine_is_worker())
		return touch_lent(buf, touch);
	watch_cpu_on_device(buf, touch);
	return is_strict(embedded_ctx_of(buf->base.ctx)) ?
	       FAULT_REFUSED : touch_locked(buf, touch);
}

/**
 * fault_touch() - handle a touch of a page to which the CPU has no access
 * @buf: buffer
 * @touch: touch
 *
 * Context: takes the buffer's lock and the rights lock; all signals blocked.
 * Return: enum fault.
 */
enum fault fault_touch(struct embedded_buf *buf, const struct touch *touch)
{
	if (buf->base.kind == MEM_KIND_MANAGED)
		return touch_managed(buf, touch);
	if (buf->base.kind == MEM_KIND_DEVICE)
		return touch_device(buf, touch);
	/* Engines access it at another address, or it is not mapped. */
	if (engine_is_worker() && (buf->base.kind == MEM_KIND_REGISTERED ||
				   (is_heaps(&buf->base) && is_unmapped(buf))))
		return touch_lent(buf, touch);
	if (atomic_is_looked_for(buf)) {
		if (atomic_is_broken(buf, touch->ip))
			watch_atomic(buf, touch, NULL);
		return touch_locked(buf, touch);
	}
	/* Pinned memory is always accessible. */
	return is_heaps(&buf->base) ? touch_locked(buf, touch) : FAULT_STRANGE;
}

static enum fault what_is(uintptr_t addr, const ucontext_t *context)
{
	struct touch touch = {
		.is_write = trap_is_store(context),
		.ip = trap_ip(context),
	};
	struct embedded_buf *buf;
	enum fault ret;

	if (!window_has(addr))
		return FAULT_STRANGE;
	buf = window_find_buf(addr);
	if (!buf) {
		/* Touches of inline kernels are handled by the engine. */
		if (!engine_is_worker())
			watch_use_after_free(addr, NULL, &touch);
		return FAULT_STRANGE;
	}
	touch.off = addr - (uintptr_t)buf->addr;
	ret = fault_touch(buf, &touch);
	if (ret == FAULT_STRANGE && !engine_is_worker() && is_unmapped(buf))
		watch_use_after_free(addr, buf, &touch);
	embedded_buf_put(buf);
	return ret;
}

/**
 * fault_handle() - handle SIGSEGV
 * @info: from the signal
 * @context: context of the signal, ucontext_t
 *
 * Context: signal handler, with all signals blocked that can be.
 * Return: enum fault.
 */
enum fault fault_handle(const siginfo_t *info, const void *context)
{
	enum fault ret = FAULT_STRANGE;
	const int err = errno;

	if (info->si_code == SEGV_ACCERR && !trap_is_fetch(context)) {
		ret = what_is((uintptr_t)info->si_addr, context);
		if (ret == FAULT_STRANGE &&
		    register_wait((uintptr_t)info->si_addr))
			ret = FAULT_READY;
	}
	errno = err;
	return ret;
}
