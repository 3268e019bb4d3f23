// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/heapsim: the table of commands, and the commands that are short. They
 * are run by ioctl() or io_uring, whose submission must not wait for others.
 */
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "bracket.h"
#include "ctx.h"
#include "devview.h"
#include "doors.h"
#include "policy.h"
#include "rights.h"
#include "step.h"

static int cdev_probe(struct heapsim_call *call)
{
	const struct profile *profile = heapsim_config.profile;
	struct heapsim_probe *probe = &call->cmd.probe;
	struct heapsim_rule rule;

	heapsim_policy_of_all(&rule);
	*probe = (struct heapsim_probe) {
		.size = sizeof(*probe),
		.abi_version = HEAPSIM_ABI_VERSION,
		.features = (heapsim_has_write_combine() ?
			     HEAPSIM_FEATURE_WRITE_COMBINE : 0) |
			    (heapsim_can_step() ?
			     HEAPSIM_FEATURE_PRECISE : 0) |
			    HEAPSIM_FEATURE_RIGHTS |
			    HEAPSIM_FEATURE_FENCES |
			    HEAPSIM_FEATURE_REOPEN |
			    (heapsim_config.has_test_hooks ?
			     HEAPSIM_FEATURE_TEST_HOOKS : 0) |
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
	strscpy(probe->soc, profile->name, sizeof(probe->soc));
	return 0;
}

static int cdev_info(struct heapsim_call *call)
{
	struct heapsim_info *info = &call->cmd.info;

	if (info->flags)
		return -EINVAL;
	heapsim_bufs_get_info(info);
	info->nr_jobs = heapsim_queue_nr_jobs();
	info->limit_bytes = heapsim_config.limit;
	info->user_limit_bytes = heapsim_config.user_limit;
	return 0;
}

static bool cdev_is_kind(const struct heapsim_buf_alloc *alloc)
{
	if (alloc->kind == HEAPSIM_KIND_MANAGED)
		return alloc->attach == HEAPSIM_ATTACH_GLOBAL ||
		       alloc->attach == HEAPSIM_ATTACH_HOST;
	return alloc->kind <= HEAPSIM_KIND_DEVICE && !alloc->attach &&
	       alloc->kind != HEAPSIM_KIND_FOREIGN;
}

/* Checks the fields that the first version of the ABI did not have. */
static bool cdev_is_malformed(const struct heapsim_buf_alloc *alloc)
{
	return alloc->alloc_flags & ~HEAPSIM_ALLOC_DEVICE_VIEW ||
	       (alloc->alloc_flags && alloc->kind < HEAPSIM_KIND_MANAGED) ||
	       alloc->view_fd || alloc->reserved;
}

static bool cdev_fd_flags_are_valid(u32 fd_flags)
{
	return !(fd_flags & ~(O_CLOEXEC | O_ACCMODE)) &&
	       (fd_flags & O_ACCMODE) != O_ACCMODE;
}

static int cdev_alloc(struct heapsim_call *call)
{
	struct heapsim_buf_alloc *alloc = &call->cmd.alloc;
	const struct heapsim_buf_params params = {
		.len = alloc->len,
		.kind = alloc->kind,
		.fd_flags = alloc->fd_flags,
		.name = alloc->name,
		.attach = alloc->attach,
		.ctx = call->ctx,
	};
	struct dma_buf *dmabuf, *view;
	struct heapsim_buf *buf;
	int fd;

	if (!cdev_fd_flags_are_valid(alloc->fd_flags) || alloc->fd ||
	    !cdev_is_kind(alloc) || cdev_is_malformed(alloc) ||
	    strnlen(alloc->name, sizeof(alloc->name)) == sizeof(alloc->name))
		return -EINVAL;
	fd = heapsim_buf_create_fd(&params, &dmabuf);
	if (fd < 0)
		return fd;
	buf = heapsim_buf_of(dmabuf);
	alloc->fd = fd;
	alloc->len = dmabuf->size;
	alloc->id = buf->id;
	if (alloc->alloc_flags & HEAPSIM_ALLOC_DEVICE_VIEW) {
		fd = heapsim_devview_create_fd(buf, alloc->fd_flags, &view);
		if (fd < 0) {
			put_unused_fd(alloc->fd);
			dma_buf_put(dmabuf);
			return fd;
		}
		alloc->view_fd = fd;
		call->view_fd = fd;
		call->view_file = view->file;
	}
	call->fd = alloc->fd;
	call->file = dmabuf->file;
	return 0;
}

static int cdev_buf_get_info(struct heapsim_buf *buf,
			     struct heapsim_buf_info *info)
{
	u64 nr_spared;

	BUILD_BUG_ON(sizeof(info->count) != sizeof(buf->lines.count));
	info->id = buf->id;
	info->kind = buf->kind;
	heapsim_buf_get_name(buf, info->name);
	if (heapsim_rights_get_spared(buf, &nr_spared))
		return -EINTR;
	if (mutex_lock_killable(&buf->lock))
		return -EINTR;
	heapsim_brackets_reap(buf);
	info->nr_holders = buf->nr_holders;
	info->has_two_views = buf->has_two_views;
	info->policy = buf->rule.policy;
	info->evict_random = buf->rule.evicts;
	info->is_precise = buf->rule.is_precise;
	info->seed = buf->rule.seed;
	spin_lock(&buf->lines_lock);
	memcpy(&info->count, &buf->lines.count, sizeof(info->count));
	info->count.redundant_invalidates += nr_spared;
	spin_unlock(&buf->lines_lock);
	mutex_unlock(&buf->lock);
	return 0;
}

static int cdev_buf_info(struct heapsim_call *call)
{
	struct heapsim_buf_info *info = &call->cmd.buf_info;
	struct heapsim_buf *buf;
	struct dma_buf *dmabuf;
	int ret = 0;

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
		ret = cdev_buf_get_info(buf, info);
	dma_buf_put(dmabuf);
	return ret;
}

static int cdev_reopen(struct heapsim_call *call)
{
	struct heapsim_buf_reopen *reopen = &call->cmd.reopen;
	struct dma_buf *given, *dmabuf;
	int fd;

	if (!cdev_fd_flags_are_valid(reopen->fd_flags) || reopen->new_fd)
		return -EINVAL;
	given = dma_buf_get(reopen->fd);
	if (IS_ERR(given))
		return PTR_ERR(given);
	fd = heapsim_buf_reopen_fd(given, reopen->fd_flags, &dmabuf);
	dma_buf_put(given);
	if (fd < 0)
		return fd;
	reopen->new_fd = fd;
	call->fd = fd;
	call->file = dmabuf->file;
	return 0;
}

static int cdev_revoke(struct heapsim_call *call)
{
	struct dma_buf *dmabuf;
	int ret;

	dmabuf = dma_buf_get(call->cmd.revoke.fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	if (heapsim_buf_of(dmabuf) && !heapsim_watch_has_current(call->ctx))
		ret = -EPERM;
	else
		ret = heapsim_buf_revoke(dmabuf);
	dma_buf_put(dmabuf);
	return ret;
}

static int cdev_watch(struct heapsim_call *call)
{
	return heapsim_watch(call->ctx, &call->cmd.watch);
}

static int cdev_policy_of_fd(int fd, const struct heapsim_rule *rule)
{
	struct dma_buf *dmabuf = dma_buf_get(fd);
	int ret;

	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	ret = heapsim_buf_set_policy(dmabuf, rule);
	dma_buf_put(dmabuf);
	return ret;
}

static int cdev_policy(struct heapsim_call *call)
{
	const struct heapsim_set_policy *policy = &call->cmd.policy;
	const struct heapsim_rule rule = {
		.policy = policy->policy,
		.evicts = policy->evict_random,
		.is_precise = policy->is_precise,
		.seed = policy->seed,
	};

	if (policy->scope < HEAPSIM_POLICY_OF_BUF ||
	    policy->scope > HEAPSIM_POLICY_OF_ALL ||
	    (policy->scope != HEAPSIM_POLICY_OF_BUF && policy->fd != -1) ||
	    policy->policy > HEAPSIM_POLICY_OFF || policy->evict_random > 1 ||
	    policy->is_precise > 1)
		return -EINVAL;
	if (policy->is_precise && !heapsim_can_step())
		return -EOPNOTSUPP;
	switch (policy->scope) {
	case HEAPSIM_POLICY_OF_BUF:
		return cdev_policy_of_fd(policy->fd, &rule);
	case HEAPSIM_POLICY_OF_CONTEXT:
		heapsim_policy_set_of_context(call->ctx, &rule);
		return 0;
	case HEAPSIM_POLICY_OF_TREE:
		return heapsim_policy_set_of_tree(call->ctx, &rule);
	default:
		return heapsim_policy_set_of_all(&rule);
	}
}

/**
 * struct command - a command
 * @min_size: size of the struct in the first version of the ABI, bytes
 * @size: size of the struct now, bytes
 * @answers_failure: the struct is copied to user space on failure, too
 * @answers_nothing: the struct is not copied to user space
 * @may_block: sleeps for locks or fences, or takes long; never run inline
 * @run: runs the command
 */
struct command {
	u32 min_size;
	u32 size;
	bool answers_failure;
	bool answers_nothing;
	bool may_block;
	int (*run)(struct heapsim_call *call);
};

/* @last: last field of the struct in the first version of the ABI */
#define COMMAND(ioc, type, last, fn, ...)				\
	[_IOC_NR(HEAPSIM_IOC_##ioc)] = {				\
		.min_size = offsetofend(struct heapsim_##type, last),	\
		.size = sizeof(struct heapsim_##type) +			\
			BUILD_BUG_ON_ZERO(sizeof(struct heapsim_##type) > \
					  sizeof(union heapsim_cmd)),	\
		.run = fn,						\
		##__VA_ARGS__						\
	}

/* A struct that is only read may lie in an SQE. */
#define COMMAND_IN(ioc, type, last, fn, ...)				\
	COMMAND(ioc, type, last, fn, .answers_nothing = true, ##__VA_ARGS__)

static const struct command commands[] = {
	COMMAND(PROBE, probe, soc, cdev_probe),
	COMMAND(INFO, info, user_limit_bytes, cdev_info),
	COMMAND(BUF_ALLOC, buf_alloc, name, cdev_alloc, .may_block = true),
	COMMAND(BUF_INFO, buf_info, count, cdev_buf_info, .may_block = true),
	COMMAND(BUF_MAINTAIN, buf_maintain, reserved, heapsim_maintain,
		.answers_failure = true),
	COMMAND(DMA_SUBMIT, dma_submit, reserved, heapsim_dma_submit,
		.may_block = true),
	COMMAND(JOB_WAIT, job_wait, reserved, heapsim_dma_wait),
	COMMAND(FENCE_CREATE, fence_create, fence, heapsim_fence_create,
		.may_block = true),
	COMMAND_IN(FENCE_SIGNAL, fence_signal, fence, heapsim_fence_signal),
	COMMAND(HOLD, hold, max_segment, heapsim_hold, .may_block = true),
	COMMAND_IN(RELEASE, release, hold, heapsim_hold_release,
		   .may_block = true),
	COMMAND_IN(BUF_REVOKE, buf_revoke, fd, cdev_revoke, .may_block = true),
	COMMAND_IN(WATCH, watch, record_size, cdev_watch),
	COMMAND_IN(POLICY, set_policy, seed, cdev_policy, .may_block = true),
	COMMAND_IN(RANGE_MAINTAIN, range_maintain, range,
		   heapsim_maintain_range),
	COMMAND(BUF_REOPEN, buf_reopen, new_fd, cdev_reopen, .may_block = true),
	COMMAND_IN(STREAM_ADD, stream_id, stream, heapsim_order_stream_add),
	COMMAND_IN(STREAM_REMOVE, stream_id, stream,
		   heapsim_order_stream_remove),
	COMMAND_IN(STREAM_STATE, stream_state, stream,
		   heapsim_order_stream_state),
	COMMAND_IN(BUF_ATTACH, buf_attach, right, heapsim_order_attach),
	COMMAND_IN(WORK_ADD, work_add, name, heapsim_order_work_add),
	COMMAND_IN(WORK_START, work_start, reserved, heapsim_order_work_start),
	COMMAND_IN(WORK_FINISH, work_finish, work, heapsim_order_work_finish),
	COMMAND_IN(WORK_REPORT, work_report, buf, heapsim_order_work_report),
	COMMAND(RIGHTS_INFO, rights_info, cpu_on_device, heapsim_order_info),
};

static void cdev_finish_file(int fd, struct file *file, bool is_copied)
{
	if (!file)
		return;
	if (is_copied) {
		fd_install(fd, file);
		return;
	}
	put_unused_fd(fd);
	fput(file);
}

/* Checks the size of the caller's struct. */
static int cdev_check_size(const struct command *command, u32 size)
{
	if (size < command->min_size)
		return -EINVAL;
	return size > PAGE_SIZE ? -E2BIG : 0;
}

/*
 * Copies the caller's struct; bytes that this version does not know must be 0.
 * @size: out: its size, bytes
 */
static int cdev_copy_cmd(const struct command *command, union heapsim_cmd *cmd,
			 void __user *user, u32 *size)
{
	int ret;

	if (get_user(*size, (u32 __user *)user))
		return -EFAULT;
	ret = cdev_check_size(command, *size);
	if (!ret)
		ret = copy_struct_from_user(cmd, command->size, user, *size);
	cmd->size = *size;	/* the one that was checked */
	return ret;
}

/* Hands out what the command has made, or takes it back. */
static void cdev_finish(struct heapsim_call *call, bool is_copied)
{
	cdev_finish_file(call->fd, call->file, is_copied);
	cdev_finish_file(call->view_fd, call->view_file, is_copied);
	if (call->job)
		heapsim_dma_end_wait(call, is_copied);
	if (call->made && !is_copied)
		heapsim_object_remove(&call->ctx->objects, call->made);
	if (call->made)
		heapsim_object_put(call->made);
}

static int cdev_run(struct heapsim_ctx *ctx, const struct command *command,
		    void __user *user, bool waits)
{
	struct heapsim_call call = { .ctx = ctx, .waits = waits };
	bool is_copied;
	u32 size;
	int ret;

	ret = cdev_copy_cmd(command, &call.cmd, user, &size);
	if (ret)
		return ret;
	ret = command->run(&call);
	if (command->answers_nothing || (ret && !command->answers_failure) ||
	    (ret == -EAGAIN && !waits))
		return ret;
	/* Not cmd.size, because PROBE returns the size of the kernel there. */
	is_copied = !copy_to_user(user, &call.cmd, min(size, command->size));
	cdev_finish(&call, is_copied);
	return ret || is_copied ? ret : -EFAULT;
}

/* Returns NULL if there is no such command. */
static const struct command *cdev_find(unsigned int cmd)
{
	unsigned int nr = _IOC_NR(cmd);

	if (nr >= ARRAY_SIZE(commands) || cmd != _IO(HEAPSIM_IOC_MAGIC, nr))
		return NULL;
	return &commands[array_index_nospec(nr, ARRAY_SIZE(commands))];
}

static long cdev_ioctl(struct file *file, unsigned int cmd,
		       unsigned long arg)
{
	const struct command *command = cdev_find(cmd);

	if (!command)
		return -ENOTTY;
	return cdev_run(file->private_data, command, (void __user *)arg,
			   true);
}

/*
 * The program may write to the submission queue at any time, so the struct is
 * read only once.
 */
static int cdev_run_inline(struct heapsim_ctx *ctx,
			   const struct command *command, const void *from,
			   bool waits)
{
	struct heapsim_call call = { .ctx = ctx, .waits = waits };
	u32 size;
	int ret;

	if (!command->answers_nothing)
		return -EINVAL;
	memcpy(&call.cmd, from, HEAPSIM_URING_INLINE_LEN);
	size = call.cmd.size;
	ret = cdev_check_size(command, size);
	if (ret)
		return ret;
	if (size > HEAPSIM_URING_INLINE_LEN ||
	    (size > command->size &&
	     memchr_inv((u8 *)&call.cmd + command->size, 0,
			size - command->size)))
		return -E2BIG;
	/* Bytes of the SQE behind the struct do not belong to it. */
	if (size < command->size)
		memset((u8 *)&call.cmd + size, 0, command->size - size);
	return command->run(&call);
}

static int cdev_uring(struct io_uring_cmd *ioucmd, unsigned int flags)
{
	const struct command *command = cdev_find(ioucmd->cmd_op);
	const struct heapsim_uring_cmd *door = heapsim_uring_payload(ioucmd);
	struct heapsim_ctx *ctx = ioucmd->file->private_data;
	const bool waits = !(flags & IO_URING_F_NONBLOCK);
	const u64 arg = READ_ONCE(door->arg);
	int ret;

	if (!command)
		return -ENOTTY;
	if (READ_ONCE(door->reserved))
		return -EINVAL;
	/* A submitter, or a thread that polls the queue, must not block. */
	if (command->may_block && !waits)
		return -EAGAIN;
	if (arg)
		ret = cdev_run(ctx, command, u64_to_user_ptr(arg), waits);
	else if (flags & IO_URING_F_SQE128)
		ret = cdev_run_inline(ctx, command, door + 1, waits);
	else
		ret = -EFAULT;
	/* There is no system call to restart. */
	return ret == -ERESTARTSYS ? -EINTR : ret;
}

static int cdev_open(struct inode *inode, struct file *file)
{
	struct heapsim_ctx *ctx = kzalloc(sizeof(*ctx), HEAPSIM_GFP_USER);
	struct heapsim_user *user;

	if (!ctx)
		return -ENOMEM;
	user = heapsim_limit_open();
	if (IS_ERR(user)) {
		kfree(ctx);
		return PTR_ERR(user);
	}
	heapsim_objects_init(&ctx->objects, user);
	ctx->owner = heapsim_owner_create(&ctx->objects);
	if (!ctx->owner)
		goto err_close;
	ctx->queue = heapsim_queue_create();
	if (!ctx->queue)
		goto err_owner;
	init_waitqueue_head(&ctx->wait);
	file->private_data = ctx;
	return stream_open(inode, file);

err_owner:
	heapsim_owner_end(ctx->owner);
err_close:
	heapsim_limit_close(user);
	kfree(ctx);
	return -ENOMEM;
}

static int cdev_close(struct inode *inode, struct file *file)
{
	struct heapsim_ctx *ctx = file->private_data;

	heapsim_watch_end(ctx);
	heapsim_policy_forget(ctx);
	heapsim_objects_fini(&ctx->objects);
	heapsim_owner_end(ctx->owner);
	heapsim_queue_put(ctx->queue);
	heapsim_limit_close(ctx->objects.user);
	kfree(ctx);
	return 0;
}

static ssize_t cdev_read(struct file *file, char __user *to, size_t len,
			 loff_t *pos)
{
	return heapsim_watch_read(file->private_data, to, len,
				   !(file->f_flags & O_NONBLOCK));
}

static __poll_t cdev_poll(struct file *file, struct poll_table_struct *table)
{
	return heapsim_watch_poll(file->private_data, file, table);
}

static const struct file_operations cdev_fops = {
	.owner = THIS_MODULE,
	.open = cdev_open,
	.release = cdev_close,
	.read = cdev_read,
	.poll = cdev_poll,
	.unlocked_ioctl = cdev_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.uring_cmd = cdev_uring,
};

static struct miscdevice cdev_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "heapsim",
	.fops = &cdev_fops,
	.mode = 0660,
};

/**
 * heapsim_cdev_init() - register /dev/heapsim
 *
 * Return: 0 or -errno.
 */
int heapsim_cdev_init(void)
{
	return misc_register(&cdev_misc);
}

/** heapsim_cdev_fini() - unregister /dev/heapsim */
void heapsim_cdev_fini(void)
{
	misc_deregister(&cdev_misc);
}
