// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/heapsim: one table of commands, and those that are short. Two doors lead
 * to it: ioctl(), and io_uring, which must not wait where it submits.
 */
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "heapsim.h"

#define BATCH	64	/* ranges that are read at once */

union cmd {
	u32 size;
	struct heapsim_probe probe;
	struct heapsim_info info;
	struct heapsim_buf_alloc alloc;
	struct heapsim_buf_info buf_info;
	struct heapsim_buf_maintain maintain;
	struct heapsim_dma_submit submit;
	struct heapsim_job_wait wait;
	struct heapsim_fence_create create;
	struct heapsim_fence_signal signal;
	struct heapsim_hold hold;
	struct heapsim_release release;
	struct heapsim_buf_revoke revoke;
	struct heapsim_watch watch;
	struct heapsim_set_policy policy;
	struct heapsim_stream_op stream;
	struct heapsim_attach_op attach;
	struct heapsim_event_op event;
	struct heapsim_host_op host;
	struct heapsim_work_op work;
	struct heapsim_work_touch touch;
	struct heapsim_sync sync;
	struct heapsim_attach_info attach_info;
	struct heapsim_range_maintain range;
};

/**
 * struct publish - how a command runs, and what is to happen once the answer is
 *	out
 * @waits: the command may wait for a lock
 * @fd: number of the descriptor that the caller is to get, reserved
 * @file: its file, NULL none
 * @view_fd: of a second one
 * @view_file: the same
 * @job: to be forgotten, NULL none
 */
struct publish {
	bool waits;
	int fd;
	struct file *file;
	int view_fd;
	struct file *view_file;
	struct heapsim_job *job;
};

static int run_probe(struct heapsim_ctx *ctx, union cmd *cmd,
		     struct publish *publish)
{
	const struct profile *profile = heapsim_config.profile;
	struct heapsim_rule rule;

	heapsim_policy_of_all(&rule);
	cmd->probe = (struct heapsim_probe) {
		.size = sizeof(cmd->probe),
		.abi_version = HEAPSIM_ABI_VERSION,
		.features = (heapsim_has_write_combine() ?
			     HEAPSIM_FEATURE_WRITE_COMBINE : 0) |
			    (heapsim_can_step() ?
			     HEAPSIM_FEATURE_PRECISE : 0) |
			    HEAPSIM_FEATURE_STREAMS |
			    (IS_ENABLED(CONFIG_IO_URING) ?
			     HEAPSIM_FEATURE_URING : 0),
		.line_size = profile->line_size,
		.fill_size = heapsim_config.fill,
		.page_size = PAGE_SIZE,
		.policy = rule.policy,
		.seed = rule.seed,
		.evict_random = rule.evicts,
		.io_coherent = profile->is_io_coherent,
	};
	strscpy(cmd->probe.soc, profile->name, sizeof(cmd->probe.soc));
	return 0;
}

static int run_info(struct heapsim_ctx *ctx, union cmd *cmd,
		    struct publish *publish)
{
	struct heapsim_info *info = &cmd->info;

	if (info->flags)
		return -EINVAL;
	heapsim_bufs_get_info(info);
	info->nr_jobs = heapsim_dma_nr_jobs();
	info->limit_bytes = heapsim_config.limit;
	info->user_limit_bytes = heapsim_config.user_limit;
	return 0;
}

static bool is_kind(const struct heapsim_buf_alloc *alloc)
{
	if (alloc->kind == HEAPSIM_KIND_MANAGED)
		return alloc->attach == HEAPSIM_ATTACH_GLOBAL ||
		       alloc->attach == HEAPSIM_ATTACH_HOST;
	return alloc->kind <= HEAPSIM_KIND_DEVICE && !alloc->attach &&
	       alloc->kind != HEAPSIM_KIND_FOREIGN;
}

/* What the first version did not have. */
static bool is_malformed(const struct heapsim_buf_alloc *alloc)
{
	return alloc->alloc_flags & ~HEAPSIM_ALLOC_DEVICE_VIEW ||
	       (alloc->alloc_flags && alloc->kind < HEAPSIM_KIND_MANAGED) ||
	       alloc->view_fd || alloc->reserved;
}

static int run_alloc(struct heapsim_ctx *ctx, union cmd *cmd,
		     struct publish *publish)
{
	struct heapsim_buf_alloc *alloc = &cmd->alloc;
	const struct heapsim_wish wish = {
		.len = alloc->len,
		.kind = alloc->kind,
		.fd_flags = alloc->fd_flags,
		.name = alloc->name,
		.attach = alloc->attach,
		.ctx = ctx,
	};
	struct dma_buf *dmabuf, *view;
	struct heapsim_buf *buf;
	int fd;

	if (alloc->fd_flags & ~(O_CLOEXEC | O_ACCMODE) ||
	    (alloc->fd_flags & O_ACCMODE) == O_ACCMODE || alloc->fd ||
	    !is_kind(alloc) || is_malformed(alloc) ||
	    strnlen(alloc->name, sizeof(alloc->name)) == sizeof(alloc->name))
		return -EINVAL;
	fd = heapsim_buf_create_fd(&wish, &dmabuf);
	if (fd < 0)
		return fd;
	buf = heapsim_buf_of(dmabuf);
	alloc->fd = fd;
	alloc->len = dmabuf->size;
	alloc->id = buf->id;
	if (alloc->alloc_flags & HEAPSIM_ALLOC_DEVICE_VIEW) {
		fd = heapsim_view_create_fd(buf, alloc->fd_flags, &view);
		if (fd < 0) {
			put_unused_fd(alloc->fd);
			dma_buf_put(dmabuf);
			return fd;
		}
		alloc->view_fd = fd;
		publish->view_fd = fd;
		publish->view_file = view->file;
	}
	publish->fd = alloc->fd;
	publish->file = dmabuf->file;
	return 0;
}

static void buf_get_info(struct heapsim_buf *buf, struct heapsim_buf_info *info)
{
	BUILD_BUG_ON(sizeof(info->count) != sizeof(buf->lines.count));
	info->id = buf->id;
	info->kind = buf->kind;
	memcpy(info->name, buf->name, sizeof(info->name));
	mutex_lock(&buf->lock);
	heapsim_brackets_reap(buf);
	info->nr_holders = buf->nr_holders;
	info->has_two_views = buf->has_two_views;
	info->policy = buf->rule.policy;
	info->evict_random = buf->rule.evicts;
	info->is_precise = buf->rule.is_precise;
	info->seed = buf->rule.seed;
	spin_lock(&buf->lines_lock);
	memcpy(&info->count, &buf->lines.count, sizeof(info->count));
	spin_unlock(&buf->lines_lock);
	mutex_unlock(&buf->lock);
}

static int run_buf_info(struct heapsim_ctx *ctx, union cmd *cmd,
			struct publish *publish)
{
	struct heapsim_buf_info *info = &cmd->buf_info;
	struct heapsim_buf *buf;
	struct dma_buf *dmabuf;

	if (info->reserved || info->reserved2)
		return -EINVAL;
	dmabuf = dma_buf_get(info->fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	*info = (struct heapsim_buf_info) {
		.size = info->size,
		.fd = info->fd,
		.len = dmabuf->size,
		.kind = HEAPSIM_KIND_FOREIGN,
	};
	buf = heapsim_buf_of(dmabuf);
	if (buf)
		buf_get_info(buf, info);
	dma_buf_put(dmabuf);
	return 0;
}

static int buf_maintain(struct heapsim_buf *buf,
			const struct heapsim_range *range, bool waits)
{
	u32 op = range->op;
	int ret;

	if (!READ_ONCE(buf->has_two_views) || !range->len)
		return 0;
	if (op & HEAPSIM_MAINT_INVALIDATE) {
		ret = heapsim_views_init(buf);
		if (ret)
			return ret;
	}
	if (waits)
		mutex_lock(&buf->lock);
	else if (!mutex_trylock(&buf->lock))
		return -EAGAIN;
	if (!buf->has_two_views)
		op = 0;
	if (op & HEAPSIM_MAINT_CLEAN)
		heapsim_views_clean(buf, range->off, range->len);
	if (op & HEAPSIM_MAINT_INVALIDATE)
		heapsim_views_invalidate(buf, range->off, range->len);
	mutex_unlock(&buf->lock);
	return 0;
}

static int range_maintain(const struct heapsim_range *range, bool waits)
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
		ret = buf_maintain(buf, range, waits);
	dma_buf_put(dmabuf);
	return ret;
}

/* A thread of io_uring's is told by a signal that is none. */
static bool is_cancelled(void)
{
	return fatal_signal_pending(current) ||
	       (current->flags & PF_USER_WORKER && signal_pending(current));
}

static int run_maintain(struct heapsim_ctx *ctx, union cmd *cmd,
			struct publish *publish)
{
	struct heapsim_buf_maintain *maintain = &cmd->maintain;
	struct heapsim_range __user *user = u64_to_user_ptr(maintain->ranges);
	struct heapsim_range *ranges;
	u32 i, nr;
	int ret = 0;

	maintain->nr_done = 0;
	if (maintain->nr_ranges > HEAPSIM_MAX_RANGES || maintain->reserved)
		return -EINVAL;
	ranges = kmalloc_array(BATCH, sizeof(*ranges), GFP_KERNEL);
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
			/* What is done is done: the first alone comes again. */
			ret = is_cancelled() ? -EINTR :
			      range_maintain(&ranges[i], publish->waits ||
					     maintain->nr_done);
			if (!ret)
				maintain->nr_done++;
			cond_resched();
		}
	}
	kfree(ranges);
	return ret;
}

static int run_range(struct heapsim_ctx *ctx, union cmd *cmd,
		     struct publish *publish)
{
	if (cmd->range.reserved)
		return -EINVAL;
	return range_maintain(&cmd->range.range, publish->waits);
}

static int run_submit(struct heapsim_ctx *ctx, union cmd *cmd,
		      struct publish *publish)
{
	int ret = heapsim_dma_submit(ctx, &cmd->submit, &publish->file);

	publish->fd = cmd->submit.fence_fd;
	return ret;
}

static void undo_submit(struct heapsim_ctx *ctx, const union cmd *cmd)
{
	heapsim_dma_disown(ctx, cmd->submit.job);
}

static int run_wait(struct heapsim_ctx *ctx, union cmd *cmd,
		    struct publish *publish)
{
	const u64 timeout_ns = cmd->wait.timeout_ns;
	int ret;

	if (publish->waits || !timeout_ns)
		return heapsim_job_wait(ctx, &cmd->wait, &publish->job);
	cmd->wait.timeout_ns = 0;
	ret = heapsim_job_wait(ctx, &cmd->wait, &publish->job);
	cmd->wait.timeout_ns = timeout_ns;
	return ret == -ETIMEDOUT ? -EAGAIN : ret;
}

static int run_create(struct heapsim_ctx *ctx, union cmd *cmd,
		      struct publish *publish)
{
	int ret = heapsim_fence_create(ctx, &cmd->create, &publish->file);

	publish->fd = cmd->create.fence_fd;
	return ret;
}

static void undo_create(struct heapsim_ctx *ctx, const union cmd *cmd)
{
	struct heapsim_fence_signal signal = {
		.size = sizeof(signal),
		.error = -ECANCELED,
		.fence = cmd->create.fence,
	};

	heapsim_fence_signal(ctx, &signal);
}

static int run_signal(struct heapsim_ctx *ctx, union cmd *cmd,
		      struct publish *publish)
{
	return heapsim_fence_signal(ctx, &cmd->signal);
}

static int run_hold(struct heapsim_ctx *ctx, union cmd *cmd,
		    struct publish *publish)
{
	return heapsim_hold(ctx, &cmd->hold);
}

static void undo_hold(struct heapsim_ctx *ctx, const union cmd *cmd)
{
	struct heapsim_release release = {
		.size = sizeof(release),
		.hold = cmd->hold.hold,
	};

	heapsim_release(ctx, &release);
}

static int run_release(struct heapsim_ctx *ctx, union cmd *cmd,
		       struct publish *publish)
{
	return heapsim_release(ctx, &cmd->release);
}

static int run_revoke(struct heapsim_ctx *ctx, union cmd *cmd,
		      struct publish *publish)
{
	struct dma_buf *dmabuf;
	int ret;

	dmabuf = dma_buf_get(cmd->revoke.fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	ret = heapsim_buf_revoke(dmabuf);
	dma_buf_put(dmabuf);
	return ret;
}

static int run_watch(struct heapsim_ctx *ctx, union cmd *cmd,
		     struct publish *publish)
{
	return heapsim_watch(ctx, &cmd->watch);
}

static int run_policy(struct heapsim_ctx *ctx, union cmd *cmd,
		      struct publish *publish)
{
	return heapsim_policy_set(ctx, &cmd->policy);
}

/* The struct of each is a member of the union. */
#define STREAM_COMMAND(name)						\
static int run_##name(struct heapsim_ctx *ctx, union cmd *cmd,		\
		      struct publish *publish)				\
{									\
	return heapsim_##name(ctx, (void *)cmd, publish->waits);	\
}

STREAM_COMMAND(stream_create)
STREAM_COMMAND(stream_destroy)
STREAM_COMMAND(attach)
STREAM_COMMAND(event_create)
STREAM_COMMAND(event_destroy)
STREAM_COMMAND(event_record)
STREAM_COMMAND(event_wait)
STREAM_COMMAND(host_submit)
STREAM_COMMAND(host_begin)
STREAM_COMMAND(host_return)
STREAM_COMMAND(work_submit)
STREAM_COMMAND(work_begin)
STREAM_COMMAND(work_end)
STREAM_COMMAND(work_touch)
STREAM_COMMAND(sync)
STREAM_COMMAND(attach_info)

static void undo_stream_create(struct heapsim_ctx *ctx, const union cmd *cmd)
{
	struct heapsim_stream_op op = { .stream = cmd->stream.stream };

	heapsim_stream_destroy(ctx, &op, true);
}

static void undo_event_create(struct heapsim_ctx *ctx, const union cmd *cmd)
{
	struct heapsim_event_op op = { .event = cmd->event.event };

	heapsim_event_destroy(ctx, &op, true);
}

/* What has been submitted stays so, but nobody is to wait for it. */
static void undo_host_submit(struct heapsim_ctx *ctx, const union cmd *cmd)
{
	heapsim_host_disown(ctx, cmd->host.host);
}

static void undo_work_submit(struct heapsim_ctx *ctx, const union cmd *cmd)
{
	heapsim_work_disown(ctx, cmd->work.work);
}

/**
 * struct command - a command
 * @min_size: of its first version's struct
 * @size: of its struct now
 * @answers_failure: the struct is given back on failure too
 * @answers_nothing: the struct is only read
 * @run: does it
 * @undo: takes back what nobody can name, since the answer had nowhere to go;
 *	may be NULL
 */
struct command {
	u32 min_size;
	u32 size;
	bool answers_failure;
	bool answers_nothing;
	int (*run)(struct heapsim_ctx *ctx, union cmd *cmd,
		   struct publish *publish);
	void (*undo)(struct heapsim_ctx *ctx, const union cmd *cmd);
};

/* First versions end where the struct did when it was first released. */
static const struct command commands[] = {
	[_IOC_NR(HEAPSIM_IOC_PROBE)] = {
		.min_size = 80,
		.size = sizeof(struct heapsim_probe),
		.run = run_probe,
	},
	[_IOC_NR(HEAPSIM_IOC_INFO)] = {
		.min_size = 64,
		.size = sizeof(struct heapsim_info),
		.run = run_info,
	},
	[_IOC_NR(HEAPSIM_IOC_BUF_ALLOC)] = {
		.min_size = 64,
		.size = sizeof(struct heapsim_buf_alloc),
		.run = run_alloc,
	},
	[_IOC_NR(HEAPSIM_IOC_BUF_INFO)] = {
		.min_size = 208,
		.size = sizeof(struct heapsim_buf_info),
		.run = run_buf_info,
	},
	[_IOC_NR(HEAPSIM_IOC_BUF_MAINTAIN)] = {
		.min_size = 24,
		.size = sizeof(struct heapsim_buf_maintain),
		.answers_failure = true,
		.run = run_maintain,
	},
	[_IOC_NR(HEAPSIM_IOC_DMA_SUBMIT)] = {
		.min_size = 96,
		.size = sizeof(struct heapsim_dma_submit),
		.run = run_submit,
		.undo = undo_submit,
	},
	[_IOC_NR(HEAPSIM_IOC_JOB_WAIT)] = {
		.min_size = 40,
		.size = sizeof(struct heapsim_job_wait),
		.run = run_wait,
	},
	[_IOC_NR(HEAPSIM_IOC_FENCE_CREATE)] = {
		.min_size = 32,
		.size = sizeof(struct heapsim_fence_create),
		.run = run_create,
		.undo = undo_create,
	},
	[_IOC_NR(HEAPSIM_IOC_FENCE_SIGNAL)] = {
		.min_size = 16,
		.size = sizeof(struct heapsim_fence_signal),
		.answers_nothing = true,
		.run = run_signal,
	},
	[_IOC_NR(HEAPSIM_IOC_HOLD)] = {
		.min_size = 48,
		.size = sizeof(struct heapsim_hold),
		.run = run_hold,
		.undo = undo_hold,
	},
	[_IOC_NR(HEAPSIM_IOC_RELEASE)] = {
		.min_size = 16,
		.size = sizeof(struct heapsim_release),
		.answers_nothing = true,
		.run = run_release,
	},
	[_IOC_NR(HEAPSIM_IOC_BUF_REVOKE)] = {
		.min_size = 8,
		.size = sizeof(struct heapsim_buf_revoke),
		.answers_nothing = true,
		.run = run_revoke,
	},
	[_IOC_NR(HEAPSIM_IOC_WATCH)] = {
		.min_size = 24,
		.size = sizeof(struct heapsim_watch),
		.answers_nothing = true,
		.run = run_watch,
	},
	[_IOC_NR(HEAPSIM_IOC_POLICY)] = {
		.min_size = 32,
		.size = sizeof(struct heapsim_set_policy),
		.answers_nothing = true,
		.run = run_policy,
	},
	[_IOC_NR(HEAPSIM_IOC_STREAM_CREATE)] = {
		.min_size = 16,
		.size = sizeof(struct heapsim_stream_op),
		.run = run_stream_create,
		.undo = undo_stream_create,
	},
	[_IOC_NR(HEAPSIM_IOC_STREAM_DESTROY)] = {
		.min_size = 16,
		.size = sizeof(struct heapsim_stream_op),
		.answers_nothing = true,
		.run = run_stream_destroy,
	},
	[_IOC_NR(HEAPSIM_IOC_ATTACH)] = {
		.min_size = 24,
		.size = sizeof(struct heapsim_attach_op),
		.answers_nothing = true,
		.run = run_attach,
	},
	[_IOC_NR(HEAPSIM_IOC_EVENT_CREATE)] = {
		.min_size = 24,
		.size = sizeof(struct heapsim_event_op),
		.run = run_event_create,
		.undo = undo_event_create,
	},
	[_IOC_NR(HEAPSIM_IOC_EVENT_DESTROY)] = {
		.min_size = 24,
		.size = sizeof(struct heapsim_event_op),
		.answers_nothing = true,
		.run = run_event_destroy,
	},
	[_IOC_NR(HEAPSIM_IOC_EVENT_RECORD)] = {
		.min_size = 24,
		.size = sizeof(struct heapsim_event_op),
		.answers_nothing = true,
		.run = run_event_record,
	},
	[_IOC_NR(HEAPSIM_IOC_EVENT_WAIT)] = {
		.min_size = 24,
		.size = sizeof(struct heapsim_event_op),
		.answers_nothing = true,
		.run = run_event_wait,
	},
	[_IOC_NR(HEAPSIM_IOC_HOST_SUBMIT)] = {
		.min_size = 24,
		.size = sizeof(struct heapsim_host_op),
		.run = run_host_submit,
		.undo = undo_host_submit,
	},
	[_IOC_NR(HEAPSIM_IOC_HOST_BEGIN)] = {
		.min_size = 24,
		.size = sizeof(struct heapsim_host_op),
		.answers_nothing = true,
		.run = run_host_begin,
	},
	[_IOC_NR(HEAPSIM_IOC_HOST_RETURN)] = {
		.min_size = 24,
		.size = sizeof(struct heapsim_host_op),
		.answers_nothing = true,
		.run = run_host_return,
	},
	[_IOC_NR(HEAPSIM_IOC_WORK_SUBMIT)] = {
		.min_size = 56,
		.size = sizeof(struct heapsim_work_op),
		.run = run_work_submit,
		.undo = undo_work_submit,
	},
	[_IOC_NR(HEAPSIM_IOC_WORK_BEGIN)] = {
		.min_size = 56,
		.size = sizeof(struct heapsim_work_op),
		.answers_nothing = true,
		.run = run_work_begin,
	},
	[_IOC_NR(HEAPSIM_IOC_WORK_END)] = {
		.min_size = 56,
		.size = sizeof(struct heapsim_work_op),
		.answers_nothing = true,
		.run = run_work_end,
	},
	[_IOC_NR(HEAPSIM_IOC_WORK_TOUCH)] = {
		.min_size = 40,
		.size = sizeof(struct heapsim_work_touch),
		.run = run_work_touch,
	},
	[_IOC_NR(HEAPSIM_IOC_SYNC)] = {
		.min_size = 16,
		.size = sizeof(struct heapsim_sync),
		.answers_nothing = true,
		.run = run_sync,
	},
	[_IOC_NR(HEAPSIM_IOC_ATTACH_INFO)] = {
		.min_size = 152,
		.size = sizeof(struct heapsim_attach_info),
		.run = run_attach_info,
	},
	[_IOC_NR(HEAPSIM_IOC_RANGE_MAINTAIN)] = {
		.min_size = 32,
		.size = sizeof(struct heapsim_range_maintain),
		.answers_nothing = true,
		.run = run_range,
	},
};

static void file_take_back(int fd, struct file *file)
{
	if (!file)
		return;
	put_unused_fd(fd);
	fput(file);
}

/* Of a struct of that size; what of it is not zero must be known. */
static int size_check(const struct command *command, u32 size)
{
	if (size < command->min_size)
		return -EINVAL;
	return size > PAGE_SIZE ? -E2BIG : 0;
}

/* @size: out: of the caller's struct, bytes */
static int cmd_copy(const struct command *command, union cmd *cmd,
		    void __user *user, u32 *size)
{
	int ret;

	if (get_user(*size, (u32 __user *)user))
		return -EFAULT;
	ret = size_check(command, *size);
	if (!ret)
		ret = copy_struct_from_user(cmd, command->size, user, *size);
	cmd->size = *size;	/* the one checked: user space may change it */
	return ret;
}

static void answer_take_back(struct heapsim_ctx *ctx,
			     const struct command *command,
			     const union cmd *cmd,
			     const struct publish *publish, bool has_run)
{
	file_take_back(publish->fd, publish->file);
	file_take_back(publish->view_fd, publish->view_file);
	if (publish->job)
		heapsim_job_give_back(ctx, publish->job);
	if (has_run && command->undo)
		command->undo(ctx, cmd);
}

static int command_run(struct heapsim_ctx *ctx, const struct command *command,
		       void __user *user, bool waits)
{
	struct publish publish = { .waits = waits, .fd = -1 };
	union cmd cmd;
	u32 size;
	int ret;

	ret = cmd_copy(command, &cmd, user, &size);
	if (ret)
		return ret;
	ret = command->run(ctx, &cmd, &publish);
	if (command->answers_nothing || (ret && !command->answers_failure) ||
	    (ret == -EAGAIN && !waits))
		return ret;
	/* Not cmd.size: PROBE reports the kernel's there. */
	if (copy_to_user(user, &cmd, min(size, command->size))) {
		answer_take_back(ctx, command, &cmd, &publish, !ret);
		return ret ? ret : -EFAULT;
	}
	if (publish.file)
		fd_install(publish.fd, publish.file);
	if (publish.view_file)
		fd_install(publish.view_fd, publish.view_file);
	if (publish.job)
		heapsim_job_forget(ctx, publish.job);
	return ret;
}

/* NULL: there is no such command. */
static const struct command *command_find(unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);

	if (nr >= ARRAY_SIZE(commands) || cmd != _IO(HEAPSIM_IOC_MAGIC, nr))
		return NULL;
	return &commands[array_index_nospec(nr, ARRAY_SIZE(commands))];
}

static long heapsim_ioctl(struct file *file, unsigned int cmd,
			  unsigned long arg)
{
	const struct command *command = command_find(cmd);

	if (!command)
		return -ENOTTY;
	return command_run(file->private_data, command, (void __user *)arg,
			   true);
}

/*
 * The struct lies in the submission queue, which the program may write to
 * meanwhile: it is read once, whole.
 */
static int inline_run(struct heapsim_ctx *ctx, const struct command *command,
		      const void *from, bool waits)
{
	struct publish publish = { .waits = waits, .fd = -1 };
	union cmd cmd;
	u32 size;
	int ret;

	if (!command->answers_nothing)
		return -EINVAL;
	memcpy(&cmd, from, HEAPSIM_URING_INLINE_LEN);
	size = cmd.size;
	ret = size_check(command, size);
	if (ret)
		return ret;
	if (size > HEAPSIM_URING_INLINE_LEN ||
	    (size > command->size && memchr_inv((u8 *)&cmd + command->size, 0,
						size - command->size)))
		return -E2BIG;
	/* What lies behind it is none of it. */
	if (size < command->size)
		memset((u8 *)&cmd + size, 0, command->size - size);
	return command->run(ctx, &cmd, &publish);
}

static int heapsim_uring(struct io_uring_cmd *ioucmd, unsigned int flags)
{
	const struct command *command = command_find(ioucmd->cmd_op);
	const struct heapsim_uring_cmd *door = heapsim_uring_payload(ioucmd);
	struct heapsim_ctx *ctx = ioucmd->file->private_data;
	const bool waits = !(flags & IO_URING_F_NONBLOCK);
	const u64 arg = READ_ONCE(door->arg);
	int ret;

	if (!command)
		return -ENOTTY;
	if (READ_ONCE(door->reserved))
		return -EINVAL;
	if (arg)
		ret = command_run(ctx, command, u64_to_user_ptr(arg), waits);
	else if (flags & IO_URING_F_SQE128)
		ret = inline_run(ctx, command, door + 1, waits);
	else
		ret = -EFAULT;
	/* No system call is there to be started anew. */
	return ret == -ERESTARTSYS ? -EINTR : ret;
}

static int heapsim_open(struct inode *inode, struct file *file)
{
	struct heapsim_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);

	if (!ctx)
		return -ENOMEM;
	ctx->streams = heapsim_streams_create();
	if (!ctx->streams) {
		kfree(ctx);
		return -ENOMEM;
	}
	xa_init_flags(&ctx->jobs, XA_FLAGS_ALLOC1);
	xa_init_flags(&ctx->fences, XA_FLAGS_ALLOC1);
	xa_init_flags(&ctx->holds, XA_FLAGS_ALLOC1);
	init_waitqueue_head(&ctx->wait);
	file->private_data = ctx;
	return stream_open(inode, file);
}

static int heapsim_close(struct inode *inode, struct file *file)
{
	struct heapsim_ctx *ctx = file->private_data;

	heapsim_watch_end(ctx);
	heapsim_policy_forget(ctx);
	heapsim_dma_forget(ctx);
	heapsim_fence_forget(ctx);
	heapsim_hold_forget(ctx);
	heapsim_streams_end(ctx->streams);
	xa_destroy(&ctx->jobs);
	xa_destroy(&ctx->fences);
	xa_destroy(&ctx->holds);
	kfree(ctx);
	return 0;
}

static ssize_t heapsim_read(struct file *file, char __user *to, size_t len,
			    loff_t *pos)
{
	return heapsim_record_read(file->private_data, to, len,
				   !(file->f_flags & O_NONBLOCK));
}

static __poll_t heapsim_poll(struct file *file, struct poll_table_struct *table)
{
	return heapsim_record_poll(file->private_data, file, table);
}

static const struct file_operations heapsim_fops = {
	.owner = THIS_MODULE,
	.open = heapsim_open,
	.release = heapsim_close,
	.read = heapsim_read,
	.poll = heapsim_poll,
	.unlocked_ioctl = heapsim_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.uring_cmd = heapsim_uring,
};

static struct miscdevice heapsim_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "heapsim",
	.fops = &heapsim_fops,
	.mode = 0660,
};

/**
 * heapsim_cdev_init() - publish /dev/heapsim
 *
 * Return: 0 or -errno.
 */
int heapsim_cdev_init(void)
{
	return misc_register(&heapsim_misc);
}

/** heapsim_cdev_fini() - take /dev/heapsim away */
void heapsim_cdev_fini(void)
{
	misc_deregister(&heapsim_misc);
}
