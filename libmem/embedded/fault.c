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

static bool fault_can_write(const struct embedded_buf *buf)
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
	if (fault_can_write(buf))
		access = PAGE_WRITE;
	else if (gate_allows_cpu(buf->gate, false))
		access = PAGE_READ;
	return protect_set(buf->first, buf->nr_pages, access);
}

/*
 * Gives access to a buffer with one view. Its access may have been removed
 * temporarily: by an export, or together with that of all buffers.
 */
static bool fault_give(struct embedded_buf *buf, bool is_write)
{
	enum page_access access = PAGE_WRITE;

	if (buf->base.is_read_only)
		access = PAGE_READ;
	else if (!is_write && !fault_can_write(buf) &&
		 gate_allows_cpu(buf->gate, false))
		access = PAGE_READ;
	return !(is_write && buf->base.is_read_only) &&
	       !protect_set(buf->first, buf->nr_pages, access);
}

/* Removes access unless another thread, or a call, needs it. */
static void fault_close_one_view(struct embedded_buf *buf)
{
	if (protect_get(buf->first) == PAGE_NO_ACCESS ||
	    step_is_held(buf->first) || protect_is_kept(buf->first))
		return;
	if (is_heaps(&buf->base) && buf->is_mapped)
		fault_open(buf);
	else if (fault_is_judged(buf))
		protect_set(buf->first, buf->nr_pages, PAGE_NO_ACCESS);
}

static bool fault_must_stay(size_t page)
{
	return step_is_held(page) || protect_is_kept(page);
}

/**
 * fault_close() - remove access after an instruction or a system call
 * @buf: buffer that is tracked precisely, locked
 * @first: first page, in the window
 * @end: page after the last
 *
 * With one view, the whole buffer loses the access that it does not have by
 * itself. Pages that another thread needs stay accessible.
 *
 * Context: also signal handlers; the buffer's lock is held.
 */
void fault_close(struct embedded_buf *buf, size_t first, size_t end)
{
	size_t stop;

	if (!buf->has_two_views) {
		fault_close_one_view(buf);
		return;
	}
	for (; first < end; first = stop) {
		for (stop = first; stop < end && !fault_must_stay(stop); stop++)
			;
		if (stop > first)
			view_revoke(buf, first - buf->first, stop - buf->first);
		else
			stop++;
	}
}

/* Makes the page accessible if the buffer allows it. */
static bool fault_is_ready(struct embedded_buf *buf, const struct touch *touch)
{
	const size_t page = buf->first + (touch->off >> window_page_shift());
	enum page_access access;

	if (!buf->is_mapped && !buf->is_lent)
		return false;
	if (!buf->has_two_views) {
		trace_touch(buf, touch, 0);
		return fault_give(buf, touch->is_write);
	}
	access = protect_get(page);
	/* Another thread has made it accessible. Precise: judged even so. */
	if ((access == PAGE_WRITE ||
	     (access == PAGE_READ && !touch->is_write)) &&
	    (touch->is_again || !embedded_ctx_of(buf->base.ctx)->is_precise))
		return !protect_set(page, 1, access);
	return view_touch(buf, touch);
}

static bool fault_is_strict(const struct embedded_ctx *ctx)
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

/* Returns true if the next access to an accessible buffer may be a mistake. */
static bool fault_is_watched(struct embedded_buf *buf,
			     const struct touch *touch,
			     bool is_wrong)
{
	if (!embedded_ctx_of(buf->base.ctx)->is_precise || engine_is_worker())
		return false;
	return buf->has_two_views || is_wrong || atomic_is_looked_for(buf) ||
	       !gate_allows_cpu(buf->gate, touch->is_write);
}

/**
 * fault_judge_gate() - report a touch of the CPU that the gate does not allow
 * @buf: buffer, locked
 * @touch: touch
 */
void fault_judge_gate(const struct embedded_buf *buf, const struct touch *touch)
{
	/* Touches of kernels are not touches of the CPU. */
	if (!engine_is_worker() && !gate_is_own() &&
	    !gate_allows_cpu(buf->gate, touch->is_write))
		watch_gate_cpu(buf, touch);
}

/*
 * Judges a touch and gives access. @is_wrong: a mistake has been found already.
 * The buffer's lock is held.
 */
static enum fault fault_touch_held(struct embedded_buf *buf,
				   const struct touch *touch, bool is_wrong)
{
	/* A system call that is to store may store nothing. */
	if (!touch->is_again && !touch->is_ahead)
		fault_judge_gate(buf, touch);
	/* A system call that touches the page fails with EFAULT. */
	if (!engine_is_worker() && touch->is_write && !touch->is_call &&
	    buf->base.is_read_only && buf->is_mapped)
		watch_read_only(buf, touch);
	if (!fault_is_ready(buf, touch))
		return FAULT_STRANGE;
	return fault_is_watched(buf, touch,
				is_wrong) ? FAULT_WATCHED : FAULT_READY;
}

static enum fault fault_touch_locked(struct embedded_buf *buf,
				     const struct touch *touch, bool is_wrong)
{
	enum fault ret;

	pthread_mutex_lock(&buf->lock);
	ret = fault_touch_held(buf, touch, is_wrong);
	pthread_mutex_unlock(&buf->lock);
	return ret;
}

/*
 * Returns true if the touch is refused. @is_wrong: out: it is a mistake. The
 * buffer's lock is held.
 */
static bool fault_is_refused(struct embedded_buf *buf,
			     const struct touch *touch,
			     bool *is_wrong)
{
	struct refusal refusal;

	*is_wrong = touch->is_again;
	if (engine_is_worker() || touch->is_again) {
		rights_enter(buf, touch->is_write);
		return false;
	}
	if (rights_touch(buf, touch, &refusal))
		return false;
	*is_wrong = true;
	if (!refusal.is_repeated)
		watch_cpu_while_active(buf, touch, &refusal);
	return fault_is_strict(embedded_ctx_of(buf->base.ctx));
}

/* The lock is held from the decision until the page is accessible. */
static enum fault fault_touch_managed(struct embedded_buf *buf,
				      const struct touch *touch)
{
	enum fault ret = FAULT_REFUSED;
	bool is_wrong;

	pthread_mutex_lock(&buf->lock);
	if (!fault_is_refused(buf, touch, &is_wrong))
		ret = fault_touch_held(buf, touch, is_wrong);
	pthread_mutex_unlock(&buf->lock);
	return ret;
}

/* Gives a page to an inline kernel until its job ends. */
static enum fault fault_touch_lent(struct embedded_buf *buf,
				   const struct touch *touch)
{
	enum fault ret;

	pthread_mutex_lock(&buf->lock);
	rights_lend(buf);
	ret = fault_touch_held(buf, touch, false);
	pthread_mutex_unlock(&buf->lock);
	return ret;
}

static bool fault_is_unmapped(struct embedded_buf *buf)
{
	bool ret;

	pthread_mutex_lock(&buf->lock);
	ret = !buf->is_mapped;
	pthread_mutex_unlock(&buf->lock);
	return ret;
}

static enum fault fault_touch_device(struct embedded_buf *buf,
				     const struct touch *touch)
{
	if (engine_is_worker())
		return fault_touch_lent(buf, touch);
	if (!touch->is_again)
		watch_cpu_on_device(buf, touch);
	return fault_is_strict(embedded_ctx_of(buf->base.ctx)) ?
	       FAULT_REFUSED : fault_touch_locked(buf, touch, true);
}

/**
 * fault_touch() - handle a touch of a page to which the CPU has no access
 * @buf: buffer
 * @touch: touch
 *
 * Context: takes the buffer's lock and the rights lock; all signals blocked.
 * Return: enum fault; FAULT_WATCHED only in precise mode.
 */
enum fault fault_touch(struct embedded_buf *buf, const struct touch *touch)
{
	if (buf->base.kind == MEM_KIND_MANAGED)
		return fault_touch_managed(buf, touch);
	if (buf->base.kind == MEM_KIND_DEVICE)
		return fault_touch_device(buf, touch);
	/* Engines access it at another address, or it is not mapped. */
	if (engine_is_worker() && (buf->base.kind == MEM_KIND_REGISTERED ||
				   (is_heaps(&buf->base) &&
				    fault_is_unmapped(buf))))
		return fault_touch_lent(buf, touch);
	if (atomic_is_looked_for(buf)) {
		if (!touch->is_again && atomic_is_broken(buf, touch->ip))
			watch_atomic(buf, touch, NULL);
		return fault_touch_locked(buf, touch, false);
	}
	/* Pinned memory is always accessible. */
	return is_heaps(&buf->base) ? fault_touch_locked(buf, touch, false) :
				      FAULT_STRANGE;
}

/* The page stays accessible, because the access cannot be stepped. */
static void fault_keep_page(struct embedded_buf *buf, const struct touch *touch)
{
	pthread_mutex_lock(&buf->lock);
	protect_keep(buf->has_two_views ?
		     buf->first + (touch->off >> window_page_shift()) :
		     buf->first);
	pthread_mutex_unlock(&buf->lock);
}

/* Judges a touch of a buffer; in precise mode, lets it happen once. */
static enum fault fault_touch_once(struct embedded_buf *buf,
				   struct touch *touch,
				   ucontext_t *context)
{
	const bool is_stepped = step_begin(buf, touch, context);
	enum fault ret = fault_touch(buf, touch);

	if (ret != FAULT_WATCHED) {
		if (is_stepped)
			step_cancel();
		return ret;
	}
	if (is_stepped)
		step_arm(context);
	else
		fault_keep_page(buf, touch);
	return FAULT_READY;
}

static enum fault fault_what_is(uintptr_t addr, ucontext_t *context)
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
	ret = fault_touch_once(buf, &touch, context);
	if (ret == FAULT_STRANGE && !engine_is_worker() &&
	    fault_is_unmapped(buf))
		watch_use_after_free(addr, buf, &touch);
	embedded_buf_put(buf);
	return ret;
}

/**
 * fault_handle() - handle SIGSEGV
 * @info: from the signal
 * @context: context of the signal; the instruction may be stepped
 *
 * Context: signal handler, with all signals blocked that can be.
 * Return: enum fault.
 */
enum fault fault_handle(const siginfo_t *info, ucontext_t *context)
{
	enum fault ret = FAULT_STRANGE;
	const int err = errno;

	if (info->si_code == SEGV_ACCERR && !trap_is_fetch(context)) {
		ret = fault_what_is((uintptr_t)info->si_addr, context);
		if (ret == FAULT_STRANGE &&
		    register_wait((uintptr_t)info->si_addr))
			ret = FAULT_READY;
	}
	errno = err;
	return ret;
}
