// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dma engine: fill, copy and checksum jobs on any dma-buf.
 *
 * All that can fail or allocate is done before the fence of a job is
 * published. From then on the worker waits (bounded), moves bytes, changes
 * model state under lines_lock and signals. What takes locks comes after, in
 * work of its own: the fences of the jobs behind it are published already, and
 * who has such a lock may be waiting for one of them.
 *
 * Lines are judged when a job starts: at its submission if no fence keeps it. A
 * delay is time in which it runs, and may be at any of its bytes: then they are
 * judged once more when it really comes to them.
 */
#include <linux/dma-resv.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/iosys-map.h>
#include <linux/jiffies.h>
#include <linux/kref.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sync_file.h>

#include "heapsim.h"
#include "trace.h"

#define MAX_JOBS	64		/* of one open */
#define MAX_RUNNING	1024		/* of all, opens that are gone too */
#define MAX_WAIT_NS	3600000000000ULL
#define MAX_RUN_MS	60000		/* a job that moves bytes for longer */

#define FNV1A_BASIS	0xcbf29ce484222325ULL
#define FNV1A_PRIME	0x100000001b3ULL

/**
 * struct heapsim_side - source or destination of a job
 * @dmabuf: NULL: the operation has no such side
 * @buf: NULL: it is foreign
 * @is_used: @buf is in use by the job, and keeps the views it has
 * @has_two_views: they are two
 * @told: lines that a delayed job was told of; no map: it has no delay
 * @told_len: bytes of the map
 * @told_user: who has them
 * @off: of the first row
 * @pitch: from row to row
 * @lo: lowest byte of all rows
 * @len: from there to the end of the highest
 * @map: kernel mapping of a foreign one
 * @chunk: of an own one: where the last page was found
 * @chunk_first: first page of that chunk
 */
struct heapsim_side {
	struct dma_buf *dmabuf;
	struct heapsim_buf *buf;
	bool is_used;
	bool has_two_views;
	struct line_job told;
	u64 told_len;
	struct heapsim_user *told_user;
	u64 off;
	s64 pitch;
	u64 lo;
	u64 len;
	struct iosys_map map;
	size_t chunk;
	size_t chunk_first;
};

/**
 * struct heapsim_deps - fences to wait for
 * @fences: array
 * @nr: how many
 */
struct heapsim_deps {
	struct dma_fence **fences;
	unsigned int nr;
};

/**
 * struct heapsim_job - a job
 * @refs: the worker has one, the open another
 * @work: runs it
 * @end: tidies up after it
 * @id: of its open
 * @op: enum heapsim_dma_op
 * @pattern: byte i of a row is combined with byte i % 4
 * @row_len: bytes
 * @nr_rows: rows
 * @delay_ns: lasts at least so long
 * @is_started: it waits for no fence any more
 * @is_judged: without a delay: it was told of its lines when it was submitted
 * @src: source
 * @dst: destination
 * @deps: what @dst, then @src waits for
 * @fence: its own
 * @deadline: jiffies when it must have ended
 * @result: checksum or bytes written; valid once @fence is signalled
 * @status: 0 or -errno, as @result
 * @party: it, for records
 * @serial: the same, for pages
 */
struct heapsim_job {
	struct kref refs;
	struct work_struct work;
	struct work_struct end;
	u32 id;
	u32 op;
	u32 pattern;
	u64 row_len;
	u32 nr_rows;
	u64 delay_ns;
	bool is_started;
	bool is_judged;
	struct heapsim_side src;
	struct heapsim_side dst;
	struct heapsim_deps deps[2];
	struct dma_fence *fence;
	unsigned long deadline;
	u64 result;
	int status;
	struct heapsim_party party;
	u64 serial;
};

static struct workqueue_struct *engine;
static struct workqueue_struct *ends;
static atomic64_t nr_running = ATOMIC64_INIT(0);

static void job_free(struct kref *refs)
{
	struct heapsim_job *job = container_of(refs, struct heapsim_job, refs);

	dma_fence_put(job->fence);
	kfree(job);
}

static void job_put(struct heapsim_job *job)
{
	kref_put(&job->refs, job_free);
}

/* Where a byte of DRAM is; good up to the end of its page. */
static u8 *side_at(struct heapsim_side *side, u64 off)
{
	struct heapsim_buf *buf = side->buf;
	size_t page = off >> PAGE_SHIFT;

	if (!buf)
		return (u8 *)side->map.vaddr + off;
	if (page < side->chunk_first) {
		side->chunk = 0;
		side->chunk_first = 0;
	}
	while (page - side->chunk_first >= buf->chunks[side->chunk].nr_pages)
		side->chunk_first += buf->chunks[side->chunk++].nr_pages;
	return (u8 *)page_address(buf->chunks[side->chunk].page) +
	       (off - ((u64)side->chunk_first << PAGE_SHIFT));
}

static u64 piece_len(u64 off, u64 left)
{
	return min_t(u64, left, PAGE_SIZE - offset_in_page(off));
}

/* The same from behind: how much of the page that @end is in or closes. */
static u64 piece_len_back(u64 end, u64 left)
{
	return min_t(u64, left, offset_in_page(end - 1) + 1);
}

/* Which lines it was told of; NULL: of none yet. */
static struct line_job *told_of(const struct heapsim_job *job,
				struct heapsim_side *side)
{
	return side->told.told || job->is_judged ? &side->told : NULL;
}

/*
 * The job reads these bytes of a page, or may from now on. The CPU has no lines
 * of a buffer whose arrays were never needed, and no Dirty one in a page that
 * nobody stored to: its bytes need not be compared.
 */
static void account_read(struct heapsim_job *job, u64 off, u64 n)
{
	struct heapsim_buf *buf = job->src.buf;

	spin_lock(&buf->lines_lock);
	buf->acting = &job->party;
	if (buf->lines.pages && test_bit(off >> PAGE_SHIFT, buf->stored))
		line_engine_read(&buf->lines, off, n,
				 told_of(job, &job->src));
	buf->acting = NULL;
	spin_unlock(&buf->lines_lock);
}

/* The job may write these bytes from now on. */
static void account_will_write(struct heapsim_job *job, u64 off, u64 n)
{
	struct heapsim_buf *buf = job->dst.buf;

	spin_lock(&buf->lines_lock);
	buf->acting = &job->party;
	line_engine_will_write(&buf->lines, off, n, told_of(job, &job->dst));
	buf->acting = NULL;
	spin_unlock(&buf->lines_lock);
}

static bool is_late(const struct heapsim_job *job)
{
	return time_after(jiffies, job->deadline);
}

static void fill_bytes(u8 *d, size_t n, u32 pattern)
{
	__le32 word = cpu_to_le32(pattern);
	size_t i;

	if (pattern == ror32(pattern, 8)) {
		memset(d, pattern & 0xff, n);
		return;
	}
	for (i = 0; i + 4 <= n; i += 4)
		memcpy(d + i, &word, 4);
	for (; i < n; i++)
		d[i] = pattern >> (8 * (i % 4));
}

static void copy_bytes(u8 *d, const u8 *s, size_t n, u32 pattern, bool back)
{
	u32 word, le = (__force u32)cpu_to_le32(pattern);
	size_t i;

	if (!pattern) {
		memmove(d, s, n);
		return;
	}
	if (back) {
		for (i = n; i--;)
			d[i] = s[i] ^ (u8)(pattern >> (8 * (i % 4)));
		return;
	}
	for (i = 0; i + 4 <= n; i += 4) {
		memcpy(&word, s + i, 4);
		word ^= le;
		memcpy(d + i, &word, 4);
	}
	for (; i < n; i++)
		d[i] = s[i] ^ (u8)(pattern >> (8 * (i % 4)));
}

/* The pattern as seen from byte @pos of the row on. */
static u32 pattern_at(const struct heapsim_job *job, u64 pos)
{
	return ror32(job->pattern, 8 * (pos % 4));
}

static void copy_to_page(struct heapsim_job *job, u8 *d, u64 src_row, u64 pos,
			 u64 n, bool back)
{
	u64 done, len, at;

	for (done = 0; done < n; done += len) {
		if (back) {
			len = piece_len_back(src_row + pos + n - done,
					     n - done);
			at = n - done - len;
		} else {
			len = piece_len(src_row + pos + done, n - done);
			at = done;
		}
		copy_bytes(d + at, side_at(&job->src, src_row + pos + at),
			   len, pattern_at(job, pos + at), back);
	}
}

static void write_bytes(struct heapsim_job *job, u64 src_row, u64 dst_row,
			u64 pos, u64 n, bool back)
{
	u8 *d = side_at(&job->dst, dst_row + pos);

	if (job->op == HEAPSIM_DMA_FILL)
		fill_bytes(d, n, pattern_at(job, pos));
	else
		copy_to_page(job, d, src_row, pos, n, back);
}

/* Bytes and lines of a page of the destination change together. */
static void write_page(struct heapsim_job *job, u64 src_row, u64 dst_row,
		       u64 pos, u64 n, bool back)
{
	struct heapsim_buf *buf = job->dst.buf;

	if (!job->dst.has_two_views) {
		write_bytes(job, src_row, dst_row, pos, n, back);
		return;
	}
	spin_lock(&buf->lines_lock);
	buf->acting = &job->party;
	line_engine_write(&buf->lines, dst_row + pos, n,
			  told_of(job, &job->dst));
	buf->acting = NULL;
	buf->notes[(dst_row + pos) >> PAGE_SHIFT].engine = job->serial;
	write_bytes(job, src_row, dst_row, pos, n, back);
	spin_unlock(&buf->lines_lock);
}

/* A row that overlaps its source from below is moved from its end. */
static int write_row(struct heapsim_job *job, u64 src_row, u64 dst_row)
{
	u64 done, n, pos;
	bool back;

	back = job->src.dmabuf == job->dst.dmabuf && dst_row > src_row &&
	       dst_row - src_row < job->row_len;
	for (done = 0; done < job->row_len; done += n) {
		u64 left = job->row_len - done;

		if (is_late(job))
			return -ETIMEDOUT;
		if (back) {
			n = piece_len_back(dst_row + left, left);
			pos = left - n;
		} else {
			n = piece_len(dst_row + done, left);
			pos = done;
		}
		write_page(job, src_row, dst_row, pos, n, back);
		job->result += n;
		cond_resched();
	}
	return 0;
}

static int read_row(struct heapsim_job *job, u64 row)
{
	u64 done, n, i, hash = job->result;

	for (done = 0; done < job->row_len; done += n) {
		const u8 *s;

		if (is_late(job))
			return -ETIMEDOUT;
		n = piece_len(row + done, job->row_len - done);
		if (job->src.has_two_views && !job->is_judged)
			account_read(job, row + done, n);
		if (job->op == HEAPSIM_DMA_CHECKSUM) {
			s = side_at(&job->src, row + done);
			for (i = 0; i < n; i++)
				hash = (hash ^ s[i]) * FNV1A_PRIME;
		}
		cond_resched();
	}
	job->result = hash;
	return 0;
}

static int run_rows(struct heapsim_job *job)
{
	u64 src_row = job->src.off, dst_row = job->dst.off;
	int ret = 0;
	u32 row;

	job->deadline = jiffies + msecs_to_jiffies(MAX_RUN_MS);
	if (job->op == HEAPSIM_DMA_CHECKSUM)
		job->result = FNV1A_BASIS;
	for (row = 0; row < job->nr_rows && !ret; row++) {
		if (job->src.dmabuf)
			ret = read_row(job, src_row);
		if (!ret && job->dst.dmabuf)
			ret = write_row(job, src_row, dst_row);
		src_row += job->src.pitch;
		dst_row += job->dst.pitch;
	}
	return ret;
}

/* Who submits may be killed meanwhile. */
static bool is_over(const struct heapsim_job *job)
{
	return is_late(job) || fatal_signal_pending(current);
}

static void start_bytes(struct heapsim_job *job, u64 off, u64 len,
			void (*account)(struct heapsim_job *job, u64 off,
					u64 n))
{
	u64 done, n;

	for (done = 0; done < len && !is_over(job); done += n) {
		n = piece_len(off + done, len - done);
		account(job, off + done, n);
		cond_resched();
	}
}

static void start_side(struct heapsim_job *job, const struct heapsim_side *side,
		       void (*account)(struct heapsim_job *job, u64 off, u64 n))
{
	u64 step = side->pitch < 0 ? -(u64)side->pitch : side->pitch;
	u64 off = side->off;
	u32 row;

	if (!side->has_two_views)
		return;
	/*
	 * If no line fits between two rows they are in all lines there are, and
	 * a map has each of them once.
	 */
	if (side->told.told &&
	    step < job->row_len + heapsim_config.profile->line_size) {
		start_bytes(job, side->lo, side->len, account);
		return;
	}
	for (row = 0; row < job->nr_rows && !is_over(job); row++) {
		start_bytes(job, off, job->row_len, account);
		off += side->pitch;
	}
}

/*
 * From here on the engine may read and write at any moment: what is Dirty is
 * told, though it may be clean when the engine really comes to it.
 */
static void judge(struct heapsim_job *job)
{
	job->deadline = jiffies + msecs_to_jiffies(MAX_RUN_MS);
	start_side(job, &job->src, account_read);
	start_side(job, &job->dst, account_will_write);
}

/* At the submission, so that it does not depend on when the worker wakes. */
static void start_now(struct heapsim_job *job)
{
	judge(job);
	job->is_judged = !job->delay_ns;
	job->is_started = true;
}

/* Behind a fence: without a delay it comes to its lines at once. */
static void start_late(struct heapsim_job *job)
{
	if (!job->status && job->delay_ns)
		judge(job);
	WRITE_ONCE(job->is_started, true);
}

static void deps_put(struct heapsim_job *job)
{
	struct heapsim_deps *deps;
	unsigned int i;

	for (deps = job->deps; deps < job->deps + 2; deps++) {
		for (i = 0; i < deps->nr; i++)
			dma_fence_put(deps->fences[i]);
		kfree(deps->fences);
		deps->fences = NULL;
		deps->nr = 0;
	}
}

static int deps_wait(struct heapsim_job *job)
{
	long left = msecs_to_jiffies(HEAPSIM_WAIT_MS);
	unsigned int i, n;

	for (n = 0; n < 2; n++)
		for (i = 0; i < job->deps[n].nr; i++) {
			left = dma_fence_wait_timeout(job->deps[n].fences[i],
						      false, left);
			if (left <= 0)
				return left ? left : -ETIMEDOUT;
		}
	return 0;
}

/* At least so long by the clock that people look at: ticks may come in rows. */
static void delay(u64 ns)
{
	const u64 end = ktime_get_ns() + ns;
	u64 now;

	while (ns && (now = ktime_get_ns()) < end)
		schedule_timeout_uninterruptible(heapsim_jiffies_of(end - now));
}

/* Room for what a delayed job is told of; it counts as the user's. */
static int side_get_told(struct heapsim_job *job, struct heapsim_side *side)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_NOWARN |
			  __GFP_RETRY_MAYFAIL;
	const u32 line_shift = ilog2(heapsim_config.profile->line_size);
	struct heapsim_user *user;
	u64 *map;

	if (!side->has_two_views || !job->delay_ns)
		return 0;
	side->told_len = sizeof(*map) *
			 line_job_words(side->lo, side->len, line_shift);
	user = heapsim_limit_charge(side->told_len);
	if (IS_ERR(user))
		return PTR_ERR(user);
	map = kvzalloc(side->told_len, gfp);
	if (!map) {
		heapsim_limit_uncharge(user, side->told_len);
		return -ENOMEM;
	}
	side->told_user = user;
	line_job_init(&side->told, map, side->lo, line_shift);
	return 0;
}

static void side_put_told(struct heapsim_side *side)
{
	if (!side->told.told)
		return;
	kvfree(side->told.told);
	side->told.told = NULL;
	heapsim_limit_uncharge(side->told_user, side->told_len);
}

static bool writes_lines(const struct heapsim_job *job)
{
	return job->dst.has_two_views;
}

static void side_use(struct heapsim_side *side)
{
	if (!side->buf)
		return;
	side->has_two_views = heapsim_views_job_add(side->buf);
	side->is_used = true;
}

/* Who has waited for the job may change the policy at once. */
static void side_unuse(struct heapsim_side *side)
{
	if (side->is_used)
		heapsim_views_job_del(side->buf);
	side->is_used = false;
}

static void side_end(struct heapsim_side *side, enum dma_data_direction dir)
{
	if (!side->dmabuf || side->buf)
		return;
	dma_buf_end_cpu_access(side->dmabuf, dir);
	dma_buf_vunmap_unlocked(side->dmabuf, &side->map);
}

static void side_put(struct heapsim_side *side)
{
	if (side->dmabuf)
		dma_buf_put(side->dmabuf);
}

/* Also between publication and signal. */
static void tell_job(const struct heapsim_job *job, u32 kind, u64 begin_ns)
{
	const bool is_write = job->op != HEAPSIM_DMA_CHECKSUM;
	const struct heapsim_side *side = is_write ? &job->dst : &job->src;

	if (!heapsim_has_event_watchers())
		return;
	heapsim_event_tell(side->buf, &(struct heapsim_event) {
		.kind = kind,
		.access = is_write ? HEAPSIM_ACCESS_WRITE : HEAPSIM_ACCESS_READ,
		.off = side->lo,
		.len = side->len,
		.count = 1,
		.bytes = job->row_len * job->nr_rows,
		.begin_ns = begin_ns,
		.is_engines = kind != HEAPSIM_RECORD_SUBMIT,
		.party = &job->party,
		.op = job->op,
		.src = job->src.buf ? job->src.buf->id : 0,
		.status = kind == HEAPSIM_RECORD_JOB_END ? job->status : 0,
	});
}

static void job_run(struct work_struct *work)
{
	struct heapsim_job *job = container_of(work, struct heapsim_job, work);
	u64 src = job->src.buf ? job->src.buf->id : 0;
	u64 dst = job->dst.buf ? job->dst.buf->id : 0;
	bool cookie;

	job->status = deps_wait(job);
	deps_put(job);
	cookie = dma_fence_begin_signalling();
	tell_job(job, HEAPSIM_RECORD_JOB_BEGIN, 0);
	if (!job->is_started)
		start_late(job);
	if (!job->status)
		delay(job->delay_ns);
	if (!job->status)
		job->status = run_rows(job);
	if (job->status && !job->dst.dmabuf)
		job->result = 0;
	tell_job(job, HEAPSIM_RECORD_JOB_END, 0);
	if (writes_lines(job))
		heapsim_views_job_signalled(job->dst.buf);
	side_unuse(&job->dst);
	side_unuse(&job->src);
	if (job->status)
		dma_fence_set_error(job->fence, job->status);
	atomic64_dec(&nr_running);
	trace_heapsim_job(job->id, job->op, src, dst,
			  job->row_len * job->nr_rows, job->status);
	dma_fence_signal(job->fence);
	dma_fence_end_signalling(cookie);
	queue_work(ends, &job->end);
}

static void job_end(struct work_struct *work)
{
	struct heapsim_job *job = container_of(work, struct heapsim_job, end);

	if (writes_lines(job))
		heapsim_views_job_end(job->dst.buf, job->dst.lo, job->dst.len);
	side_end(&job->dst, DMA_BIDIRECTIONAL);
	side_end(&job->src, DMA_FROM_DEVICE);
	side_put_told(&job->dst);
	side_put_told(&job->src);
	side_put(&job->dst);
	side_put(&job->src);
	job_put(job);
}

static bool is_well_formed(const struct heapsim_dma_submit *cmd)
{
	if (cmd->flags || cmd->reserved || !cmd->row_len || !cmd->nr_rows ||
	    cmd->delay_ns > HEAPSIM_DMA_MAX_DELAY_NS)
		return false;
	switch (cmd->op) {
	case HEAPSIM_DMA_FILL:
		return cmd->src_fd == -1;
	case HEAPSIM_DMA_COPY:
		return true;
	case HEAPSIM_DMA_CHECKSUM:
		return cmd->dst_fd == -1 && !cmd->pattern;
	default:
		return false;
	}
}

static int side_bounds(struct heapsim_side *side, u64 row_len, u32 nr_rows)
{
	u64 walk = 0, last, hi, end;

	if (nr_rows > 1) {
		u64 step = side->pitch < 0 ? -(u64)side->pitch : side->pitch;

		if (check_mul_overflow(step, (u64)nr_rows - 1, &walk))
			return -EINVAL;
	}
	side->lo = side->off;
	hi = side->off;
	if (walk && side->pitch < 0) {
		if (walk > side->off)
			return -EINVAL;
		side->lo = side->off - walk;
	} else if (walk) {
		if (check_add_overflow(side->off, walk, &last))
			return -EINVAL;
		hi = last;
	}
	if (check_add_overflow(hi, row_len, &end) || end > side->dmabuf->size)
		return -EINVAL;
	side->len = end - side->lo;
	return 0;
}

static int side_get(struct heapsim_side *side, int fd, u64 off, s64 pitch)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	side->dmabuf = dmabuf;
	side->buf = heapsim_buf_of(dmabuf);
	side->off = off;
	side->pitch = pitch;
	return 0;
}

static bool side_has_no_vmap(const struct heapsim_side *side)
{
	return side->dmabuf && !side->buf && !side->dmabuf->ops->vmap;
}

/* Let a foreign one be touched; on failure nothing is done. */
static int side_begin(struct heapsim_side *side, enum dma_data_direction dir)
{
	struct dma_buf *dmabuf = side->dmabuf;
	bool may_write = dir != DMA_FROM_DEVICE;
	long left;
	int ret;

	if (!dmabuf || side->buf)
		return 0;
	ret = dma_buf_vmap_unlocked(dmabuf, &side->map);
	if (ret)
		return ret;
	ret = -EOPNOTSUPP;
	if (side->map.is_iomem)
		goto err_vunmap;
	/* The exporter or the core would wait too, but without bound. */
	left = dma_resv_wait_timeout(dmabuf->resv,
				     dma_resv_usage_rw(may_write), true,
				     msecs_to_jiffies(HEAPSIM_WAIT_MS));
	ret = left ? left : -ETIMEDOUT;
	if (left <= 0)
		goto err_vunmap;
	ret = dma_buf_begin_cpu_access(dmabuf, dir);
	if (ret)
		goto err_vunmap;
	return 0;
err_vunmap:
	dma_buf_vunmap_unlocked(dmabuf, &side->map);
	return ret;
}

/* Both sides of a job with all that the caller may be told about them. */
static int sides_get(struct heapsim_job *job,
		     const struct heapsim_dma_submit *cmd)
{
	struct heapsim_side *src = &job->src, *dst = &job->dst;
	int ret = 0;

	if (cmd->op != HEAPSIM_DMA_FILL)
		ret = side_get(src, cmd->src_fd, cmd->src_off, cmd->src_pitch);
	if (!ret && cmd->op != HEAPSIM_DMA_CHECKSUM)
		ret = side_get(dst, cmd->dst_fd, cmd->dst_off, cmd->dst_pitch);
	if (!ret && src->dmabuf)
		ret = side_bounds(src, cmd->row_len, cmd->nr_rows);
	if (!ret && dst->dmabuf)
		ret = side_bounds(dst, cmd->row_len, cmd->nr_rows);
	if (!ret && (side_has_no_vmap(src) || side_has_no_vmap(dst)))
		ret = -EOPNOTSUPP;
	if (!ret && src->dmabuf && !(src->dmabuf->file->f_mode & FMODE_READ))
		ret = -EPERM;
	if (!ret && dst->dmabuf && !(dst->dmabuf->file->f_mode & FMODE_WRITE))
		ret = -EPERM;
	return ret;
}

/* Unlocks what it locked when it fails. @b may be NULL. */
static int resv_lock_both(struct dma_resv *a, struct dma_resv *b,
			  struct ww_acquire_ctx *ww)
{
	int ret;

	ret = dma_resv_lock_interruptible(a, ww);
	if (ret || !b)
		return ret;
	ret = dma_resv_lock_interruptible(b, ww);
	while (ret == -EDEADLK) {
		/* Let the other one go, queue for this one, turn round. */
		dma_resv_unlock(a);
		ret = dma_resv_lock_slow_interruptible(b, ww);
		if (ret)
			return ret;
		swap(a, b);
		ret = dma_resv_lock_interruptible(b, ww);
	}
	if (ret)
		dma_resv_unlock(a);
	return ret;
}

static int deps_get(struct heapsim_job *job, struct dma_resv *src,
		    struct dma_resv *dst)
{
	struct heapsim_deps *deps = job->deps;
	int ret = 0;

	if (dst) {
		ret = dma_resv_get_fences(dst, DMA_RESV_USAGE_READ,
					  &deps[0].nr, &deps[0].fences);
		if (!ret)
			ret = dma_resv_reserve_fences(dst, 1);
	}
	if (!ret && src) {
		ret = dma_resv_get_fences(src, DMA_RESV_USAGE_WRITE,
					  &deps[1].nr, &deps[1].fences);
		if (!ret)
			ret = dma_resv_reserve_fences(src, 1);
	}
	return ret;
}

static struct heapsim_job *job_find(struct heapsim_ctx *ctx, u64 id)
{
	struct heapsim_job *job;

	if (id > MAX_JOBS)
		return NULL;
	xa_lock(&ctx->jobs);
	job = xa_load(&ctx->jobs, id);
	if (job)
		kref_get(&job->refs);
	xa_unlock(&ctx->jobs);
	return job;
}

static bool has_fence(const struct heapsim_side *side, bool is_write)
{
	return side->dmabuf &&
	       !dma_resv_test_signaled(side->dmabuf->resv,
				       dma_resv_usage_rw(is_write));
}

/*
 * May it start at once? Not behind a fence, nor behind a job of the same open
 * that waits for one: who submitted both may know the order. That the engine is
 * busy with another is nothing that a program could rely on.
 */
static bool is_next(struct heapsim_ctx *ctx, const struct heapsim_job *job)
{
	struct heapsim_job *last;
	bool ret = true;

	if (has_fence(&job->src, false) || has_fence(&job->dst, true))
		return false;
	last = job_find(ctx, READ_ONCE(ctx->last_job));
	if (last) {
		ret = READ_ONCE(last->is_started);
		job_put(last);
	}
	return ret;
}

/*
 * Publish the fence and queue the job, or fail with nothing published. It is
 * queued under the locks, so jobs run in the order of their fences.
 */
static int job_publish(struct heapsim_job *job)
{
	struct dma_resv *src = job->src.dmabuf ? job->src.dmabuf->resv : NULL;
	struct dma_resv *dst = job->dst.dmabuf ? job->dst.dmabuf->resv : NULL;
	struct ww_acquire_ctx ww;
	int ret;

	if (src == dst)
		src = NULL;	/* the fence of a writer covers it */
	ww_acquire_init(&ww, &reservation_ww_class);
	ret = resv_lock_both(dst ? dst : src, dst ? src : NULL, &ww);
	if (ret)
		goto out_fini;
	ww_acquire_done(&ww);
	ret = deps_get(job, src, dst);
	if (!ret) {
		if (dst)
			dma_resv_add_fence(dst, job->fence,
					   DMA_RESV_USAGE_WRITE);
		if (src)
			dma_resv_add_fence(src, job->fence,
					   DMA_RESV_USAGE_READ);
		kref_get(&job->refs);
		/* From its queue on it may be over at any moment. */
		tell_job(job, HEAPSIM_RECORD_SUBMIT, job->party.other.time_ns);
		queue_work(engine, &job->work);
	}
	if (src)
		dma_resv_unlock(src);
	if (dst)
		dma_resv_unlock(dst);
out_fini:
	ww_acquire_fini(&ww);
	return ret;
}

/* Make both sides ready and publish; on failure nothing is done. */
static int job_start(struct heapsim_ctx *ctx, struct heapsim_job *job)
{
	struct heapsim_side *src = &job->src, *dst = &job->dst;
	int ret;

	ret = side_begin(src, DMA_FROM_DEVICE);
	if (ret)
		return ret;
	ret = side_begin(dst, DMA_BIDIRECTIONAL);
	if (ret)
		goto err_src;
	if (dst->buf)
		heapsim_buf_set_touched(dst->buf);
	side_use(src);
	side_use(dst);
	ret = side_get_told(job, src);
	if (!ret)
		ret = side_get_told(job, dst);
	if (ret)
		goto err_dst;
	if (writes_lines(job)) {
		ret = heapsim_views_job_begin(dst->buf, dst->lo, dst->len);
		if (ret)
			goto err_dst;
	}
	/* Before locks are taken that others may wait for. */
	if (is_next(ctx, job))
		start_now(job);
	ret = job_publish(job);
	if (!ret)
		return 0;
	deps_put(job);
	if (writes_lines(job)) {
		heapsim_views_job_signalled(dst->buf);
		heapsim_views_job_end(dst->buf, dst->lo, dst->len);
	}
err_dst:
	side_put_told(dst);
	side_put_told(src);
	side_unuse(dst);
	side_unuse(src);
	side_end(dst, DMA_BIDIRECTIONAL);
err_src:
	side_end(src, DMA_FROM_DEVICE);
	return ret;
}

static struct heapsim_job *job_alloc(const struct heapsim_dma_submit *cmd)
{
	struct heapsim_job *job = kzalloc(sizeof(*job), GFP_KERNEL);

	if (!job)
		return NULL;
	job->fence = heapsim_fence_new("dma");
	if (!job->fence) {
		kfree(job);
		return NULL;
	}
	kref_init(&job->refs);
	INIT_WORK(&job->work, job_run);
	INIT_WORK(&job->end, job_end);
	job->op = cmd->op;
	job->pattern = cmd->pattern;
	job->row_len = cmd->row_len;
	job->nr_rows = cmd->nr_rows;
	job->delay_ns = cmd->delay_ns;
	return job;
}

/**
 * heapsim_dma_submit() - start a job of the dma engine
 * @ctx: open of /dev/heapsim
 * @cmd: command; answered in place
 * @file: out: sync_file for the reserved @cmd->fence_fd, which the caller
 *	installs or gives back
 *
 * Return: 0, or what struct heapsim_dma_submit says; -ETIMEDOUT a foreign
 * buffer stayed busy, -ERESTARTSYS.
 */
int heapsim_dma_submit(struct heapsim_ctx *ctx, struct heapsim_dma_submit *cmd,
		       struct file **file)
{
	struct heapsim_job *job;
	struct sync_file *sync;
	int ret, fd;

	if (!is_well_formed(cmd))
		return -EINVAL;
	job = job_alloc(cmd);
	if (!job)
		return -ENOMEM;
	ret = sides_get(job, cmd);
	if (ret)
		goto err_sides;
	ret = -EBUSY;
	if (atomic_inc_return(&ctx->nr_jobs) > MAX_JOBS)
		goto err_count;
	if (!atomic64_add_unless(&nr_running, 1, MAX_RUNNING))
		goto err_count;
	ret = -ENOMEM;
	sync = sync_file_create(job->fence);
	if (!sync)
		goto err_running;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		ret = fd;
		goto err_sync;
	}
	/* The id is taken, but nobody finds the job before it is whole. */
	ret = xa_alloc(&ctx->jobs, &job->id, NULL, XA_LIMIT(1, MAX_JOBS),
		       GFP_KERNEL);
	if (ret)
		goto err_fd;
	heapsim_party_now(&job->party, HEAPSIM_OTHER_ENGINE, "dma");
	job->party.other.job = job->id;
	job->serial = heapsim_party_keep(&job->party);
	ret = job_start(ctx, job);
	if (ret)
		goto err_id;
	/* Takes no memory: the slot is there. */
	xa_store(&ctx->jobs, job->id, job, GFP_KERNEL);
	WRITE_ONCE(ctx->last_job, job->id);
	cmd->job = job->id;
	cmd->fence_fd = fd;
	*file = sync->file;
	return 0;
err_id:
	xa_erase(&ctx->jobs, job->id);
err_fd:
	put_unused_fd(fd);
err_sync:
	fput(sync->file);
err_running:
	atomic64_dec(&nr_running);
err_count:
	atomic_dec(&ctx->nr_jobs);
err_sides:
	side_put(&job->dst);
	side_put(&job->src);
	job_put(job);
	return ret;
}

/*
 * One of several that waited takes the job, with the table's reference. Its id
 * stays reserved: a NULL in an allocating array is that.
 */
static bool job_take(struct heapsim_ctx *ctx, struct heapsim_job *job)
{
	bool is_ours;

	xa_lock(&ctx->jobs);
	is_ours = xa_load(&ctx->jobs, job->id) == job;
	if (is_ours)
		__xa_store(&ctx->jobs, job->id, NULL, GFP_ATOMIC);
	xa_unlock(&ctx->jobs);
	return is_ours;
}

/**
 * heapsim_job_forget() - a job that was waited for is done with
 * @ctx: open of /dev/heapsim
 * @job: from heapsim_job_wait()
 */
void heapsim_job_forget(struct heapsim_ctx *ctx, struct heapsim_job *job)
{
	xa_erase(&ctx->jobs, job->id);
	atomic_dec(&ctx->nr_jobs);
	job_put(job);
}

/**
 * heapsim_job_give_back() - a job that was waited for can be again
 * @ctx: open of /dev/heapsim
 * @job: from heapsim_job_wait()
 */
void heapsim_job_give_back(struct heapsim_ctx *ctx, struct heapsim_job *job)
{
	/* Takes no memory: the slot is there. */
	xa_store(&ctx->jobs, job->id, job, GFP_KERNEL);
}

/**
 * heapsim_dma_disown() - forget a job whose id nobody was told; it runs on
 * @ctx: open of /dev/heapsim
 * @id: of the job
 */
void heapsim_dma_disown(struct heapsim_ctx *ctx, u64 id)
{
	struct heapsim_job *job = job_find(ctx, id);

	if (!job)
		return;
	if (job_take(ctx, job))
		heapsim_job_forget(ctx, job);
	job_put(job);
}

/**
 * heapsim_job_wait() - wait for a job and take its result
 * @ctx: open of /dev/heapsim
 * @cmd: command; answered in place
 * @taken: out: the job, which nobody finds now; the caller forgets it once the
 *	answer is out, or gives it back
 *
 * Return: 0, -EINVAL malformed, -ENOENT no such job, -EINTR, -ETIMEDOUT not
 * done yet.
 */
int heapsim_job_wait(struct heapsim_ctx *ctx, struct heapsim_job_wait *cmd,
		     struct heapsim_job **taken)
{
	const long jiffies_most = heapsim_jiffies_of(cmd->timeout_ns);
	struct heapsim_job *job;
	long left;
	int ret;

	if (cmd->flags || cmd->reserved || cmd->timeout_ns > MAX_WAIT_NS)
		return -EINVAL;
	job = job_find(ctx, cmd->job);
	if (!job)
		return -ENOENT;
	if (cmd->timeout_ns)
		left = dma_fence_wait_timeout(job->fence, true, jiffies_most);
	else
		left = dma_fence_is_signaled(job->fence);
	if (left < 0) {
		ret = left == -ERESTARTSYS ? -EINTR : left;
	} else if (!left) {
		ret = -ETIMEDOUT;
	} else if (!job_take(ctx, job)) {
		ret = -ENOENT;
	} else {
		/* Pairs with the atomic test and set of the signal. */
		smp_rmb();
		cmd->result = job->result;
		cmd->status = job->status;
		*taken = job;
		ret = 0;
	}
	job_put(job);
	return ret;
}

/**
 * heapsim_dma_forget() - forget the jobs of an open that ends; they run on
 * @ctx: open of /dev/heapsim
 */
void heapsim_dma_forget(struct heapsim_ctx *ctx)
{
	struct heapsim_job *job;
	unsigned long id;

	xa_for_each(&ctx->jobs, id, job)
		heapsim_job_forget(ctx, job);
}

/**
 * heapsim_dma_nr_jobs() - jobs of all opens that are not yet done
 *
 * Return: how many.
 */
u64 heapsim_dma_nr_jobs(void)
{
	return atomic64_read(&nr_running);
}

/**
 * heapsim_dma_init() - make the engine
 *
 * Return: 0 or -ENOMEM.
 */
int heapsim_dma_init(void)
{
	ends = alloc_workqueue("heapsim-end", WQ_UNBOUND, 0);
	if (!ends)
		return -ENOMEM;
	engine = alloc_ordered_workqueue("heapsim-dma", WQ_MEM_RECLAIM);
	if (!engine) {
		destroy_workqueue(ends);
		return -ENOMEM;
	}
	return 0;
}

/**
 * heapsim_dma_fini() - end the engine; waits until the last job has ended
 */
void heapsim_dma_fini(void)
{
	destroy_workqueue(engine);
	destroy_workqueue(ends);
}
