// SPDX-License-Identifier: GPL-2.0-only
/* Range maintenance by commands of /dev/heapsim. */
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ctx.h"
#include "lines.h"

#define BATCH	64	/* ranges copied at a time */

static int maintain_buf(struct heapsim_buf *buf,
			const struct heapsim_range *range, bool waits)
{
	u32 op = range->op;
	int ret;

	if (!READ_ONCE(buf->has_two_views) || !range->len)
		return 0;
	if (op & HEAPSIM_MAINT_INVALIDATE) {
		ret = heapsim_lines_init(buf, waits);
		if (ret)
			return ret;
	}
	ret = heapsim_lock(&buf->lock, waits);
	if (ret)
		return ret;
	if (!buf->has_two_views)
		op = 0;
	if (op & HEAPSIM_MAINT_CLEAN)
		ret = heapsim_lines_clean(buf, range->off, range->len,
					  HEAPSIM_UNTIL_KILLED);
	if (!ret && op & HEAPSIM_MAINT_INVALIDATE)
		ret = heapsim_lines_invalidate(buf, range->off, range->len);
	mutex_unlock(&buf->lock);
	return ret;
}

static int maintain_range(const struct heapsim_range *range, bool waits)
{
	struct heapsim_buf *buf;
	struct dma_buf *dmabuf;
	u64 end;
	int ret;

	if (range->op < HEAPSIM_MAINT_CLEAN ||
	    range->op > HEAPSIM_MAINT_CLEAN_INVALIDATE ||
	    check_add_overflow((u64)range->off, (u64)range->len, &end))
		return -EINVAL;
	dmabuf = dma_buf_get(range->fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	buf = heapsim_buf_of(dmabuf);
	if (end > dmabuf->size)
		ret = -EINVAL;
	else if (!buf)
		ret = -EOPNOTSUPP;
	else
		ret = maintain_buf(buf, range, waits);
	dma_buf_put(dmabuf);
	return ret;
}

/**
 * heapsim_maintain() - maintain a list of ranges
 * @call: command with a struct heapsim_buf_maintain; receives the result
 *
 * Return: 0, or an error described at struct heapsim_buf_maintain; -EAGAIN if
 * it would have to sleep before the first range.
 */
int heapsim_maintain(struct heapsim_call *call)
{
	struct heapsim_buf_maintain *maintain = &call->cmd.maintain;
	struct heapsim_range __user *user = u64_to_user_ptr(maintain->ranges);
	struct heapsim_range *ranges;
	u32 i, nr;
	int ret = 0;

	maintain->nr_done = 0;
	if (maintain->nr_ranges > HEAPSIM_MAX_RANGES || maintain->reserved)
		return -EINVAL;
	ranges = kmalloc_array(BATCH, sizeof(*ranges), HEAPSIM_GFP_USER);
	if (!ranges)
		return -ENOMEM;
	while (!ret && maintain->nr_done < maintain->nr_ranges) {
		nr = min_t(u32, maintain->nr_ranges - maintain->nr_done, BATCH);
		if (copy_from_user(ranges, user + maintain->nr_done,
				   nr * sizeof(*ranges))) {
			ret = -EFAULT;
			break;
		}
		for (i = 0; i < nr && !ret; i++) {
			/*
			 * Only before the first range is done may the command
			 * return -EAGAIN and be run again.
			 */
			ret = heapsim_is_killed() ? -EINTR :
			      maintain_range(&ranges[i], call->waits ||
					     maintain->nr_done);
			if (!ret)
				maintain->nr_done++;
			cond_resched();
		}
	}
	kfree(ranges);
	return ret;
}

/**
 * heapsim_maintain_range() - maintain a range
 * @call: command with a struct heapsim_range_maintain
 *
 * Return: 0, or an error described at struct heapsim_range_maintain; -EAGAIN if
 * it would have to sleep.
 */
int heapsim_maintain_range(struct heapsim_call *call)
{
	if (call->cmd.range.reserved)
		return -EINVAL;
	return maintain_range(&call->cmd.range.range, call->waits);
}
