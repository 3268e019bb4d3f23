// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jobs of the dma engine: which bytes of own and foreign buffers they access,
 * and what is reported to the model.
 *
 * Everything that can fail, allocate or sleep is done before the fence of a job
 * is published (heapsim_job_prepare()) or after it is signalled
 * (heapsim_job_end()). In between a job only moves bytes and changes the state
 * of the model, with lines_lock held.
 *
 * Lines are judged when a job starts. During its delay a job counts as running
 * and may access any of its bytes, so the lines of a delayed job are judged
 * again when it reaches them.
 */
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/mm.h>

#include "importer.h"
#include "job.h"
#include "lines.h"

/* Pieces of at most a page between two reads of the clock. */
#define NR_PIECES	16

/* Returns the address of a byte of DRAM, valid up to the end of its page. */
static u8 *job_side_at(struct heapsim_side *side, u64 off)
{
	struct heapsim_buf *buf = side->buf;
	size_t page = off >> PAGE_SHIFT;

	if (!buf)
		return (u8 *)side->map.vaddr + off;
	while (page < side->chunk_first)
		side->chunk_first -= buf->chunks[--side->chunk].nr_pages;
	while (page - side->chunk_first >= buf->chunks[side->chunk].nr_pages)
		side->chunk_first += buf->chunks[side->chunk++].nr_pages;
	return (u8 *)page_address(buf->chunks[side->chunk].page) +
	       (off - ((u64)side->chunk_first << PAGE_SHIFT));
}

static u64 job_piece_len(u64 off, u64 left)
{
	return min_t(u64, left, PAGE_SIZE - offset_in_page(off));
}

/*
 * Returns the number of bytes before @end that lie in one page, at most @left.
 */
static u64 job_piece_len_back(u64 end, u64 left)
{
	return min_t(u64, left, offset_in_page(end - 1) + 1);
}

/* Returns a walk that visits each line of the rows once. */
static struct heapsim_walk job_walk_of_lines(const struct heapsim_side *side)
{
	struct heapsim_walk walk = { 0 };

	if (side->has_two_views)
		walk.rows = rows_by_line(&side->rows,
					 heapsim_config.profile->line_size);
	return walk;
}

/*
 * Gets the next bytes, which lie in one page. Returns false if there are none.
 */
static bool job_walk_next(struct heapsim_walk *walk, u64 *off, u64 *n)
{
	struct rows *rows = &walk->rows;

	if (!rows->nr)
		return false;
	*off = rows->off + walk->done;
	*n = job_piece_len(*off, rows->len - walk->done);
	walk->done += *n;
	if (walk->done == rows->len) {
		walk->done = 0;
		rows->off += rows->pitch;
		rows->nr--;
	}
	return true;
}

/*
 * Reports to the model that the job reads these bytes of a page, or may from
 * now on. If the buffer has no line state, or nobody has stored to the page,
 * there are no Dirty lines, and nothing needs to be compared.
 */
static void job_account_read(struct heapsim_job *job, u64 off, u64 n,
			     struct line_job *reported)
{
	struct heapsim_buf *buf = job->src.buf;

	spin_lock(&buf->lines_lock);
	buf->acting = &job->party;
	if (buf->lines.pages && test_bit(off >> PAGE_SHIFT, buf->stored))
		line_engine_read(&buf->lines, off, n, reported);
	buf->acting = NULL;
	spin_unlock(&buf->lines_lock);
}

/* A job without delay reaches each line only once. */
static struct line_job *job_news(struct heapsim_side *side)
{
	return side->reported.map ? &side->reported : NULL;
}

/* Reports to the model that the job may write these bytes from now on. */
static void job_will_write(struct heapsim_job *job, u64 off, u64 n)
{
	struct heapsim_buf *buf = job->dst.buf;

	spin_lock(&buf->lines_lock);
	buf->acting = &job->party;
	line_engine_will_write(&buf->lines, off, n, job_news(&job->dst));
	buf->acting = NULL;
	spin_unlock(&buf->lines_lock);
}

/* Copies to a page of the destination; @d is the address in it. */
static void job_copy_bytes(struct heapsim_job *job, u8 *d, u64 pos, u64 n,
			   bool back)
{
	const u64 off = job->src_row + pos;
	u64 done, len, at;

	for (done = 0; done < n; done += len) {
		if (back) {
			len = job_piece_len_back(off + n - done, n - done);
			at = n - done - len;
		} else {
			len = job_piece_len(off + done, n - done);
			at = done;
		}
		rows_copy(d + at, job_side_at(&job->src, off + at), len,
			  rows_pattern_at(job->pattern, pos + at), back);
	}
}

static void job_write_bytes(struct heapsim_job *job, u64 pos, u64 n, bool back)
{
	u8 *d = job_side_at(&job->dst, job->dst_row + pos);

	if (job->op == HEAPSIM_DMA_FILL)
		rows_fill(d, n, rows_pattern_at(job->pattern, pos));
	else
		job_copy_bytes(job, d, pos, n, back);
}

/*
 * Bytes and lines of a page of the destination change together, under the lock.
 */
static void job_write_page(struct heapsim_job *job, u64 pos, u64 n, bool back)
{
	const u64 off = job->dst_row + pos;
	struct heapsim_buf *buf = job->dst.buf;

	if (!job->dst.has_two_views) {
		job_write_bytes(job, pos, n, back);
		return;
	}
	spin_lock(&buf->lines_lock);
	buf->acting = &job->party;
	line_engine_write(&buf->lines, off, n, &job->dst.reported);
	buf->acting = NULL;
	buf->notes[off >> PAGE_SHIFT].engine = job->serial;
	job_write_bytes(job, pos, n, back);
	spin_unlock(&buf->lines_lock);
}

/* Several dma-bufs may belong to one buffer. */
static bool job_stays_in_buffer(const struct heapsim_job *job)
{
	return job->src.buf ? job->src.buf == job->dst.buf :
			      job->src.dmabuf == job->dst.dmabuf;
}

/* A row that overlaps its source and lies above it is moved from its end. */
static bool job_row_goes_back(const struct heapsim_job *job)
{
	return job_stays_in_buffer(job) && job->dst_row > job->src_row &&
	       job->dst_row - job->src_row < job->row_len;
}

static void job_write_piece(struct heapsim_job *job)
{
	const u64 left = job->row_len - job->done;
	u64 n, pos = job->done;
	bool back = job_row_goes_back(job);

	if (back) {
		n = job_piece_len_back(job->dst_row + left, left);
		pos = left - n;
	} else {
		n = job_piece_len(job->dst_row + pos, left);
	}
	job_write_page(job, pos, n, back);
	job->result += n;
	job->done += n;
}

static void job_read_piece(struct heapsim_job *job)
{
	const u64 off = job->src_row + job->done;
	const u64 n = job_piece_len(off, job->row_len - job->done);

	if (job->src.has_two_views && job->delay_ns)
		job_account_read(job, off, n, &job->src.reported);
	if (job->op == HEAPSIM_DMA_CHECKSUM)
		job->result = rows_checksum(job->result,
					    job_side_at(&job->src, off), n);
	job->done += n;
}

/*
 * Returns the first phase of a row. A source that needs no judging is read by
 * the copy.
 */
static enum heapsim_job_phase job_first_phase(const struct heapsim_job *job)
{
	if (job->op == HEAPSIM_DMA_CHECKSUM ||
	    (job->src.has_two_views && job->delay_ns))
		return HEAPSIM_JOB_READS;
	return HEAPSIM_JOB_WRITES;
}

static void job_end_of_row(struct heapsim_job *job)
{
	job->done = 0;
	if (job->phase == HEAPSIM_JOB_READS && job->dst.dmabuf) {
		job->phase = HEAPSIM_JOB_WRITES;
		return;
	}
	job->src_row += job->src.rows.pitch;
	job->dst_row += job->dst.rows.pitch;
	job->phase = ++job->row == job->nr_rows ? HEAPSIM_JOB_IS_DONE :
						  job_first_phase(job);
}

static void job_move_piece(struct heapsim_job *job)
{
	u64 off, n;

	switch (job->phase) {
	case HEAPSIM_JOB_JUDGES_SRC:
		if (job_walk_next(&job->walk, &off, &n)) {
			job_account_read(job, off, n, job_news(&job->src));
			return;
		}
		job->walk = job_walk_of_lines(&job->dst);
		job->phase = HEAPSIM_JOB_JUDGES_DST;
		return;
	case HEAPSIM_JOB_JUDGES_DST:
		if (job_walk_next(&job->walk, &off, &n))
			job_will_write(job, off, n);
		else
			job->phase = HEAPSIM_JOB_LASTS;
		return;
	case HEAPSIM_JOB_READS:
		job_read_piece(job);
		break;
	default:
		job_write_piece(job);
	}
	if (job->done == job->row_len)
		job_end_of_row(job);
}

/**
 * heapsim_job_is_moving() - check whether a job can run now
 * @job: job
 *
 * Return: true if it neither waits nor is done.
 */
bool heapsim_job_is_moving(const struct heapsim_job *job)
{
	return job->phase != HEAPSIM_JOB_WAITS &&
	       job->phase != HEAPSIM_JOB_LASTS &&
	       job->phase != HEAPSIM_JOB_IS_DONE;
}

/**
 * heapsim_job_move() - move bytes, or judge lines, until a time
 * @job: job
 * @end_ns: time to stop at, of ktime_get_ns()
 *
 * Context: may be called between publication and signal of a fence.
 */
void heapsim_job_move(struct heapsim_job *job, u64 end_ns)
{
	unsigned int i;

	do {
		for (i = 0; i < NR_PIECES && heapsim_job_is_moving(job); i++)
			job_move_piece(job);
	} while (heapsim_job_is_moving(job) && ktime_get_ns() < end_ns);
}

/**
 * heapsim_job_begin_judging() - start a job that has not been judged
 * @job: job
 *
 * The engine may access any byte from now on: a line that is Dirty now is
 * reported, although it may be clean when the engine reaches it.
 */
void heapsim_job_begin_judging(struct heapsim_job *job)
{
	job->walk = job_walk_of_lines(&job->src);
	job->phase = HEAPSIM_JOB_JUDGES_SRC;
}

/**
 * heapsim_job_judge() - judge the lines of a job that starts at once
 * @job: job
 *
 * Done at submission, so that the result does not depend on when the engine
 * gets to the job.
 *
 * Context: may sleep.
 * Return: 0, or -EINTR if the caller is killed.
 */
int heapsim_job_judge(struct heapsim_job *job)
{
	heapsim_job_begin_judging(job);
	while (heapsim_job_is_moving(job)) {
		if (heapsim_is_killed())
			return -EINTR;
		job_move_piece(job);
		cond_resched();
	}
	job->phase = HEAPSIM_JOB_WAITS;
	return 0;
}

/**
 * heapsim_job_begin_rows() - begin to move bytes after the delay
 * @job: job
 */
void heapsim_job_begin_rows(struct heapsim_job *job)
{
	job->src_row = job->src.rows.off;
	job->dst_row = job->dst.rows.off;
	if (job->op == HEAPSIM_DMA_CHECKSUM)
		job->result = ROWS_CHECKSUM_BASIS;
	job->phase = job_first_phase(job);
}

/* Allocates and charges the bitmap of lines that a delayed job has reported. */
static int job_side_get_reported(struct heapsim_job *job,
				 struct heapsim_side *side)
{
	const u32 line_shift = ilog2(heapsim_config.profile->line_size);
	struct heapsim_user *user;
	u64 *map;

	if (!side->has_two_views || !job->delay_ns)
		return 0;
	side->reported_len = sizeof(*map) *
			 line_job_words(side->lo, side->len, line_shift);
	user = heapsim_limit_charge(side->reported_len);
	if (IS_ERR(user))
		return PTR_ERR(user);
	map = kvzalloc(side->reported_len, HEAPSIM_GFP_USER);
	if (!map) {
		heapsim_limit_uncharge(user, side->reported_len, 0);
		return -ENOMEM;
	}
	side->reported_user = user;
	line_job_init(&side->reported, map, side->lo, line_shift);
	return 0;
}

static void job_side_put_reported(struct heapsim_side *side)
{
	if (!side->reported.map)
		return;
	kvfree(side->reported.map);
	side->reported.map = NULL;
	heapsim_limit_uncharge(side->reported_user, side->reported_len, 0);
}

static int job_side_use(struct heapsim_side *side)
{
	int ret = 0;

	if (side->buf) {
		ret = heapsim_holder_job_add(side->buf, &side->has_two_views);
		side->is_used = !ret;
	}
	return ret;
}

/*
 * Done before the signal: a program that has waited for the job may change the
 * policy at once.
 */
static void job_side_unuse(struct heapsim_side *side)
{
	if (side->is_used)
		heapsim_holder_job_del(side->buf);
	side->is_used = false;
}

static void job_side_end(struct heapsim_side *side, enum dma_data_direction dir)
{
	if (!side->dmabuf || side->buf)
		return;
	dma_buf_end_cpu_access(side->dmabuf, dir);
	dma_buf_vunmap_unlocked(side->dmabuf, &side->map);
}

static int job_side_get(struct heapsim_side *side, int fd,
			const struct rows *rows)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	side->dmabuf = dmabuf;
	side->buf = heapsim_buf_of(dmabuf);
	side->rows = *rows;
	return 0;
}

/* @size: raised to the size of the buffer */
static int job_side_bounds(struct heapsim_side *side, u64 *size)
{
	if (!side->dmabuf)
		return 0;
	*size = max_t(u64, *size, side->dmabuf->size);
	return rows_bounds(&side->rows, side->dmabuf->size, &side->lo,
			   &side->len);
}

static bool job_side_has_no_vmap(const struct heapsim_side *side)
{
	return side->dmabuf && !side->buf && !side->dmabuf->ops->vmap;
}

/* Maps a foreign buffer and begins CPU access; without effect on failure. */
static int job_side_begin(struct heapsim_side *side,
			  enum dma_data_direction dir)
{
	struct dma_buf *dmabuf = side->dmabuf;
	int ret;

	if (!dmabuf || side->buf)
		return 0;
	ret = dma_buf_vmap_unlocked(dmabuf, &side->map);
	if (ret)
		return ret;
	ret = -EOPNOTSUPP;
	if (side->map.is_iomem)
		goto err_vunmap;
	/* The exporter or the core would wait, too, but without a bound. */
	ret = heapsim_cpu_access_wait(dmabuf, dir != DMA_FROM_DEVICE);
	if (!ret)
		ret = dma_buf_begin_cpu_access(dmabuf, dir);
	if (!ret)
		return 0;
err_vunmap:
	dma_buf_vunmap_unlocked(dmabuf, &side->map);
	return ret;
}

/**
 * heapsim_job_get_sides() - look up and check the buffers of a job
 * @cmd: command
 * @src: zeroed; out: source, with a reference, also on failure
 * @dst: zeroed; out: destination, with a reference, also on failure
 *
 * Return: 0, or an error described at struct heapsim_dma_submit.
 */
int heapsim_job_get_sides(const struct heapsim_dma_submit *cmd,
			  struct heapsim_side *src, struct heapsim_side *dst)
{
	const struct rows src_rows = { cmd->src_off, cmd->src_pitch,
				       cmd->row_len, cmd->nr_rows };
	const struct rows dst_rows = { cmd->dst_off, cmd->dst_pitch,
				       cmd->row_len, cmd->nr_rows };
	u64 size = 0;
	int ret = 0;

	if (cmd->op != HEAPSIM_DMA_FILL)
		ret = job_side_get(src, cmd->src_fd, &src_rows);
	if (!ret && cmd->op != HEAPSIM_DMA_CHECKSUM)
		ret = job_side_get(dst, cmd->dst_fd, &dst_rows);
	if (!ret)
		ret = job_side_bounds(src, &size);
	if (!ret)
		ret = job_side_bounds(dst, &size);
	if (!ret && !rows_are_within_passes(&src_rows, size,
					    HEAPSIM_DMA_MAX_PASSES))
		ret = -EINVAL;
	if (!ret && (job_side_has_no_vmap(src) || job_side_has_no_vmap(dst)))
		ret = -EOPNOTSUPP;
	if (!ret && src->dmabuf && !(src->dmabuf->file->f_mode & FMODE_READ))
		ret = -EPERM;
	if (!ret && dst->dmabuf && !(dst->dmabuf->file->f_mode & FMODE_WRITE))
		ret = -EPERM;
	return ret;
}

/**
 * heapsim_job_put_sides() - drop the references to the buffers of a job
 * @src: source
 * @dst: destination
 */
void heapsim_job_put_sides(struct heapsim_side *src, struct heapsim_side *dst)
{
	if (dst->dmabuf)
		dma_buf_put(dst->dmabuf);
	if (src->dmabuf)
		dma_buf_put(src->dmabuf);
}

static void job_unprepare_sides(struct heapsim_job *job)
{
	job_side_put_reported(&job->dst);
	job_side_put_reported(&job->src);
	job_side_unuse(&job->dst);
	job_side_unuse(&job->src);
	job_side_end(&job->dst, DMA_BIDIRECTIONAL);
	job_side_end(&job->src, DMA_FROM_DEVICE);
}

/**
 * heapsim_job_prepare() - prepare both buffers for a job
 * @job: job with its sides
 *
 * Context: may sleep.
 * Return: 0; -ETIMEDOUT if a foreign buffer stayed busy, -EINTR, -ERESTARTSYS,
 * -ENOMEM, -EOPNOTSUPP, or an error of a foreign exporter; without effect on
 * failure.
 */
int heapsim_job_prepare(struct heapsim_job *job)
{
	struct heapsim_side *src = &job->src, *dst = &job->dst;
	int ret;

	ret = job_side_begin(src, DMA_FROM_DEVICE);
	if (ret)
		return ret;
	ret = job_side_begin(dst, DMA_BIDIRECTIONAL);
	if (ret) {
		job_side_end(src, DMA_FROM_DEVICE);
		return ret;
	}
	if (dst->buf)
		heapsim_buf_set_touched(dst->buf);
	ret = job_side_use(src);
	if (!ret)
		ret = job_side_use(dst);
	if (!ret)
		ret = job_side_get_reported(job, src);
	if (!ret)
		ret = job_side_get_reported(job, dst);
	if (!ret && dst->has_two_views)
		ret = heapsim_holder_job_begin(dst->buf, dst->lo, dst->len);
	if (ret)
		job_unprepare_sides(job);
	return ret;
}

/**
 * heapsim_job_stop() - stop using DRAM, just before the signal
 * @job: job
 *
 * Context: atomic; may be called between publication and signal of a fence.
 */
void heapsim_job_stop(struct heapsim_job *job)
{
	if (job->status && !job->dst.dmabuf)
		job->result = 0;
	if (job->dst.has_two_views)
		heapsim_holder_count_writers(job->dst.buf, -1);
	job_side_unuse(&job->dst);
	job_side_unuse(&job->src);
}

/**
 * heapsim_job_end() - release what a job holds, after the signal
 * @job: job
 *
 * Context: may sleep.
 */
void heapsim_job_end(struct heapsim_job *job)
{
	struct heapsim_side *dst = &job->dst;

	if (dst->has_two_views)
		heapsim_holder_job_end(dst->buf, dst->lo, dst->len);
	job_side_end(dst, DMA_BIDIRECTIONAL);
	job_side_end(&job->src, DMA_FROM_DEVICE);
	job_side_put_reported(dst);
	job_side_put_reported(&job->src);
	heapsim_job_put_sides(&job->src, dst);
}
