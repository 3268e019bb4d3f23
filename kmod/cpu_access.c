// SPDX-License-Identifier: GPL-2.0-only
/*
 * begin_cpu_access and end_cpu_access of a buffer: START and END of the CPU's
 * brackets. The list of open brackets is in bracket.c.
 */
#include <linux/dma-resv.h>
#include <linux/slab.h>

#include "bracket.h"
#include "importer.h"
#include "lines.h"

static u32 cpu_access_of(enum dma_data_direction dir)
{
	return (dir != DMA_TO_DEVICE ? HEAPSIM_ACCESS_READ : 0) |
	       (dir != DMA_FROM_DEVICE ? HEAPSIM_ACCESS_WRITE : 0);
}

/**
 * heapsim_cpu_access_wait() - wait for fences
 * @dmabuf: any dma-buf
 * @for_write: also wait for fences of readers
 *
 * Return: 0, -ETIMEDOUT if a fence was not signalled in HEAPSIM_WAIT_MS, or
 * -ERESTARTSYS.
 */
int heapsim_cpu_access_wait(struct dma_buf *dmabuf, bool for_write)
{
	long ret = dma_resv_wait_timeout(dmabuf->resv,
					 dma_resv_usage_rw(for_write), true,
					 msecs_to_jiffies(HEAPSIM_WAIT_MS));

	if (ret < 0)
		return ret;
	return ret ? 0 : -ETIMEDOUT;
}

/**
 * heapsim_cpu_access_begin() - START of a bracket
 * @dmabuf: dma-buf of a buffer; with one view it has no brackets
 * @dir: DMA_FROM_DEVICE to read, DMA_TO_DEVICE to write, DMA_BIDIRECTIONAL for
 *	both
 *
 * Context: may sleep.
 * Return: 0, -ETIMEDOUT if a fence was not signalled in HEAPSIM_WAIT_MS,
 * -ERESTARTSYS, -ENOMEM; without bracket and maintenance on failure. -EINTR if
 * the caller is killed; some pages may have been taken in.
 */
int heapsim_cpu_access_begin(struct dma_buf *dmabuf,
			     enum dma_data_direction dir)
{
	struct heapsim_buf *buf = heapsim_buf_of_ours(dmabuf);
	const u64 begin_ns = heapsim_event_begin();
	struct heapsim_bracket *fresh = NULL;
	int ret;

	if (heapsim_fault(HEAPSIM_FAIL_BEGIN, buf->len))
		return -EINTR;
	/*
	 * The core waits after this function, and can be interrupted then. So
	 * wait before the bracket is opened.
	 */
	ret = heapsim_cpu_access_wait(dmabuf, dir != DMA_FROM_DEVICE);
	if (ret)
		return ret;
	if (buf->is_noncoherent) {
		fresh = heapsim_bracket_alloc();
		if (!fresh)
			return -ENOMEM;
	}
	ret = mutex_lock_killable(&buf->lock);
	if (ret)
		goto out_free;
	ret = heapsim_importers_sync_for_cpu(buf);
	if (ret)
		goto out_unlock;
	if (buf->has_two_views) {
		ret = heapsim_lines_compare(buf, HEAPSIM_UNTIL_KILLED);
		heapsim_brackets_reap(buf);
		if (!ret && dir != DMA_TO_DEVICE)
			ret = heapsim_lines_take_in(buf, HEAPSIM_UNTIL_KILLED);
		if (ret)
			goto out_unlock;
		heapsim_bracket_open(buf, dir, &fresh);
	}
	heapsim_event_report_whole(buf, HEAPSIM_RECORD_START,
				   cpu_access_of(dir), begin_ns, NULL);
out_unlock:
	mutex_unlock(&buf->lock);
out_free:
	kfree(fresh);
	return ret;
}

/**
 * heapsim_cpu_access_end() - END of a bracket
 * @dmabuf: dma-buf of a buffer
 * @dir: same as for heapsim_cpu_access_begin()
 *
 * If a START is missing in one of the directions, nothing is closed and the END
 * is counted; its maintenance is done nevertheless.
 *
 * Context: may sleep.
 * Return: 0, or -EINTR if the caller is killed; some pages may have been
 * cleaned, and the bracket stays open.
 */
int heapsim_cpu_access_end(struct dma_buf *dmabuf, enum dma_data_direction dir)
{
	struct heapsim_buf *buf = heapsim_buf_of_ours(dmabuf);
	const u64 begin_ns = heapsim_event_begin();
	bool was_open;
	int ret;

	ret = mutex_lock_killable(&buf->lock);
	if (ret)
		return ret;
	if (!buf->has_two_views) {
		ret = heapsim_importers_sync_for_device(buf, dir);
		if (ret)
			goto out_unlock;
		goto out_report;
	}
	ret = heapsim_lines_compare(buf, HEAPSIM_UNTIL_KILLED);
	if (ret)
		goto out_unlock;
	/*
	 * Close this bracket first, so that it is not counted as a missing END.
	 */
	was_open = heapsim_bracket_close(buf, dir);
	heapsim_brackets_reap(buf);
	/* Partial lines stay only while other brackets are open. */
	if (dir != DMA_FROM_DEVICE)
		ret = heapsim_lines_clean(buf, 0, buf->len,
					  HEAPSIM_UNTIL_KILLED);
	if (!ret && (buf->nr_holders || !list_empty(&buf->attachments)))
		ret = heapsim_ptes_revoke_until(buf, 0, buf->nr_pages,
						HEAPSIM_UNTIL_KILLED);
	if (!ret)
		ret = heapsim_importers_sync_for_device(buf, dir);
	if (ret) {
		if (was_open)
			heapsim_bracket_reopen(buf, dir);
		goto out_unlock;
	}
out_report:
	heapsim_event_report_whole(buf, HEAPSIM_RECORD_END, cpu_access_of(dir),
				   begin_ns, NULL);
out_unlock:
	mutex_unlock(&buf->lock);
	return ret;
}
