// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users of DRAM besides the CPU: importers, called holders, that have mapped a
 * buffer; jobs; and kernel mappings of the CPU view.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>

#include "bracket.h"
#include "ctx_buf.h"
#include "lines.h"

/*
 * Returns the number of twins that pages [first, end) need before an engine
 * writes DRAM.
 */
static size_t holder_count_twins(struct heapsim_buf *buf, size_t first,
				 size_t end, enum heapsim_until until)
{
	size_t nr = 0;

	if (!buf->lines.pages)
		return 0;
	for_each_set_bit_from(first, buf->active, end) {
		if (heapsim_is_over(until))
			break;
		nr += line_needs_twin(&buf->lines, first);
		cond_resched();
	}
	return nr;
}

/* Returns 0 or -EINTR. */
static int holder_add_twins(struct heapsim_buf *buf, size_t first, size_t end,
			    struct heapsim_images *images)
{
	if (!buf->lines.pages)
		return 0;
	for_each_set_bit_from(first, buf->active, end) {
		if (heapsim_is_over(images->until))
			return -EINTR;
		spin_lock(&buf->lines_lock);
		if (line_needs_twin(&buf->lines, first))
			line_add_twin(&buf->lines, first,
				      heapsim_image_take(images));
		spin_unlock(&buf->lines_lock);
		cond_resched();
	}
	return 0;
}

static int holder_lock(struct mutex *lock, enum heapsim_until until)
{
	if (until == HEAPSIM_UNTIL_KILLED)
		return mutex_lock_killable(lock);
	mutex_lock(lock);
	return 0;
}

/*
 * Locks the buffer with a stock of all twins that pages [first, end) need.
 * stock_lock is held.
 */
static int holder_lock_with_twins(struct heapsim_buf *buf, size_t first,
				  size_t end, struct heapsim_images *images)
{
	size_t need;

	for (;;) {
		if (holder_lock(&buf->lock, images->until))
			return -EINTR;
		need = holder_count_twins(buf, first, end, images->until);
		if (need <= images->nr && !heapsim_is_over(images->until))
			return 0;
		mutex_unlock(&buf->lock);
		if (heapsim_is_over(images->until))
			return -EINTR;
		if (heapsim_images_get(images, need, false))
			return -ENOMEM;
	}
}

/**
 * heapsim_holder_add() - clean a buffer and add an importer that has mapped it
 * @buf: buffer
 * @may_write: the importer may write
 * @who: importer
 * @until: HEAPSIM_UNTIL_DONE if it must not be interrupted
 *
 * Context: may sleep; takes the buffer's lock, and returns with it held on
 * success.
 * Return: 0, -ENOMEM, or -EINTR if the caller is killed; without effect on
 * failure.
 */
int heapsim_holder_add(struct heapsim_buf *buf, bool may_write,
		       const struct heapsim_party *who,
		       enum heapsim_until until)
{
	struct heapsim_images images;
	int ret;

	ret = holder_lock(&buf->stock_lock, until);
	if (ret)
		return ret;
	heapsim_images_init(&images);
	images.until = until;
	ret = holder_lock_with_twins(buf, 0, may_write ? buf->nr_pages : 0,
				     &images);
	if (ret)
		goto out_put;
	if (buf->has_two_views) {
		heapsim_brackets_reap(buf);
		ret = heapsim_lines_clean(buf, 0, buf->len, until);
		if (!ret && may_write)
			ret = holder_add_twins(buf, 0, buf->nr_pages, &images);
		if (!ret)
			ret = heapsim_ptes_revoke_until(buf, 0, buf->nr_pages,
							until);
		if (ret) {
			mutex_unlock(&buf->lock);
			goto out_put;
		}
	}
	if (may_write) {
		spin_lock(&buf->lines_lock);
		buf->writer = *who;
		spin_unlock(&buf->lines_lock);
		heapsim_ctx_buf_note_lines(buf, false);
	}
	/* debugfs reads this without the lock. */
	WRITE_ONCE(buf->nr_holders, buf->nr_holders + 1);
	buf->nr_writers += may_write;
out_put:
	heapsim_images_put(&images);
	mutex_unlock(&buf->stock_lock);
	return ret;
}

/**
 * heapsim_holder_del() - remove an importer that unmaps, take in what it wrote
 * @buf: buffer
 * @may_write: same as for heapsim_holder_add()
 *
 * Context: takes the buffer's lock; may sleep.
 */
void heapsim_holder_del(struct heapsim_buf *buf, bool may_write)
{
	mutex_lock(&buf->lock);
	if (buf->has_two_views) {
		heapsim_lines_compare(buf, HEAPSIM_UNTIL_DONE);
		heapsim_brackets_reap(buf);
		if (may_write)
			heapsim_lines_take_in(buf, HEAPSIM_UNTIL_DONE);
	}
	WRITE_ONCE(buf->nr_holders, buf->nr_holders - 1);
	buf->nr_writers -= may_write;
	mutex_unlock(&buf->lock);
}

/**
 * heapsim_holder_job_add() - count a job that is going to use DRAM
 * @buf: buffer
 * @has_two_views: out: whether the buffer has two views; does not change until
 *	heapsim_holder_job_del()
 *
 * Context: takes the buffer's lock; may sleep.
 * Return: 0, or -EINTR if the caller is killed.
 */
int heapsim_holder_job_add(struct heapsim_buf *buf, bool *has_two_views)
{
	if (mutex_lock_killable(&buf->lock))
		return -EINTR;
	spin_lock(&buf->lines_lock);
	buf->nr_jobs++;
	spin_unlock(&buf->lines_lock);
	*has_two_views = buf->has_two_views;
	mutex_unlock(&buf->lock);
	return 0;
}

/**
 * heapsim_holder_job_del() - count a job that no longer uses DRAM
 * @buf: buffer
 *
 * Context: atomic; may be called between publication and signal of a fence.
 */
void heapsim_holder_job_del(struct heapsim_buf *buf)
{
	spin_lock(&buf->lines_lock);
	buf->nr_jobs--;
	spin_unlock(&buf->lines_lock);
}

/**
 * heapsim_holder_count_writers() - count engines that are going to write DRAM
 * @buf: two-view buffer
 * @nr: number to add; negative to subtract
 *
 * Context: atomic; may be called between publication and signal of a fence.
 */
void heapsim_holder_count_writers(struct heapsim_buf *buf, int nr)
{
	spin_lock(&buf->lines_lock);
	/* Also read with only the buffer's lock held. */
	WRITE_ONCE(buf->nr_write_jobs, buf->nr_write_jobs + nr);
	spin_unlock(&buf->lines_lock);
}

/**
 * heapsim_holder_job_begin() - prepare a buffer for a job that will write it
 * @buf: two-view buffer
 * @off: offset of the first byte that the job may write
 * @len: bytes up to the last one
 *
 * Context: takes the buffer's lock; may sleep.
 * Return: 0, -ENOMEM, or -EINTR if the caller is killed; without effect on
 * failure.
 */
int heapsim_holder_job_begin(struct heapsim_buf *buf, u64 off, u64 len)
{
	size_t first = off >> PAGE_SHIFT;
	size_t end = DIV_ROUND_UP(off + len, PAGE_SIZE);
	struct heapsim_images images;
	int ret;

	ret = heapsim_lines_init(buf, true);
	if (ret)
		return ret;
	ret = mutex_lock_killable(&buf->stock_lock);
	if (ret)
		return ret;
	heapsim_images_init(&images);
	ret = holder_lock_with_twins(buf, first, end, &images);
	if (ret)
		goto out_put;
	ret = holder_add_twins(buf, first, end, &images);
	if (!ret)
		ret = heapsim_ptes_revoke_until(buf, 0, buf->nr_pages,
						images.until);
	if (!ret) {
		bitmap_set(buf->active, first, end - first);
		buf->nr_job_ends++;
		heapsim_holder_count_writers(buf, 1);
		heapsim_ctx_buf_note_lines(buf, false);
	}
	mutex_unlock(&buf->lock);
out_put:
	heapsim_images_put(&images);
	mutex_unlock(&buf->stock_lock);
	return ret;
}

/**
 * heapsim_holder_job_end() - make the next access fault after a job has ended
 * @buf: two-view buffer
 * @off: same as for heapsim_holder_job_begin()
 * @len: same as for heapsim_holder_job_begin()
 *
 * Context: takes the buffer's lock; may sleep.
 */
void heapsim_holder_job_end(struct heapsim_buf *buf, u64 off, u64 len)
{
	bool was_faulted;

	mutex_lock(&buf->lock);
	spin_lock(&buf->lines_lock);
	was_faulted = buf->was_faulted;
	if (!--buf->nr_job_ends)
		buf->was_faulted = false;
	spin_unlock(&buf->lines_lock);
	if (was_faulted)
		heapsim_ptes_revoke(buf, off >> PAGE_SHIFT,
				    DIV_ROUND_UP(off + len, PAGE_SIZE));
	mutex_unlock(&buf->lock);
}

/*
 * Returns the number of images that a buffer lacks if all its pages are to have
 * one for the CPU and, if @has_twins, a twin.
 */
static size_t holder_count_images(const struct heapsim_buf *buf, bool has_twins)
{
	const struct line_page *pages = buf->lines.pages;
	size_t i, nr = 0;

	for (i = 0; i < buf->nr_pages; i++) {
		nr += !pages[i].cpu;
		nr += has_twins && !pages[i].twin;
		cond_resched();
	}
	return nr;
}

/**
 * heapsim_holder_vmap_cpu() - get the pages of the CPU view for a kernel
 *	mapping
 * @buf: two-view buffer
 * @pages: out: array of nr_pages pages; they stay until
 *	heapsim_holder_vunmap_cpu()
 *
 * Context: takes the buffer's lock; may sleep.
 * Return: 0 or -ENOMEM.
 */
int heapsim_holder_vmap_cpu(struct heapsim_buf *buf, struct page **pages)
{
	struct heapsim_images images;
	bool has_twins;
	size_t i, need;
	int ret;

	ret = heapsim_lines_init(buf, true);
	if (ret)
		return ret;
	mutex_lock(&buf->stock_lock);
	heapsim_images_init(&images);
	images.until = HEAPSIM_UNTIL_DONE;
	for (;;) {
		mutex_lock(&buf->lock);
		has_twins = heapsim_buf_is_written(buf);
		need = holder_count_images(buf, has_twins);
		if (need <= images.nr)
			break;
		mutex_unlock(&buf->lock);
		ret = heapsim_images_get(&images, need, false);
		if (ret)
			goto out_put;
	}
	heapsim_ptes_revoke(buf, 0, buf->nr_pages);
	heapsim_ctx_buf_note_lines(buf, true);
	buf->vmap_pages_cpu = true;
	for (i = 0; i < buf->nr_pages; i++) {
		spin_lock(&buf->lines_lock);
		line_show_all(&buf->lines, i);
		heapsim_lines_refill(buf, i);
		if (has_twins && !buf->lines.pages[i].twin)
			line_add_twin(&buf->lines, i,
				      heapsim_image_take(&images));
		if (!buf->lines.pages[i].cpu)
			heapsim_image_lend(buf, i, &images);
		pages[i] = virt_to_page(buf->lines.pages[i].cpu);
		spin_unlock(&buf->lines_lock);
		cond_resched();
	}
	mutex_unlock(&buf->lock);
out_put:
	heapsim_images_put(&images);
	mutex_unlock(&buf->stock_lock);
	return ret;
}

/**
 * heapsim_holder_vunmap_cpu() - release the pages of the CPU view
 * @buf: two-view buffer
 *
 * The lines stay: what the driver wrote is dirty until it is cleaned.
 *
 * Context: takes the buffer's lock; may sleep.
 */
void heapsim_holder_vunmap_cpu(struct heapsim_buf *buf)
{
	mutex_lock(&buf->lock);
	buf->vmap_pages_cpu = false;
	mutex_unlock(&buf->lock);
}
