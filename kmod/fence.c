// SPDX-License-Identifier: GPL-2.0-only
/* Fences of jobs, and those of FENCE_CREATE, which programs signal. */
#include <linux/dma-resv.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sync_file.h>

#include "buf.h"
#include "ctx.h"

#define MAX_USER_FENCES		1024	/* of one open */
#define MAX_TIMEOUT_NS		10000000000ULL

/* @base is first, because the core frees the fence. */
struct heapsim_fence {
	struct dma_fence base;
	spinlock_t lock;
	const char *timeline;
};

/**
 * struct heapsim_user_fence - a fence that a program signals
 * @object: head
 * @fence: fence
 * @timeout: signals the fence if the program does not
 */
struct heapsim_user_fence {
	struct heapsim_object object;
	struct dma_fence *fence;
	struct hrtimer timeout;
};

static const char *fence_driver_name(struct dma_fence *fence)
{
	return "heapsim";
}

static const char *fence_timeline_name(struct dma_fence *fence)
{
	return container_of(fence, struct heapsim_fence, base)->timeline;
}

/* Unloading waits for a grace period, which ends after this function. */
static void fence_release(struct dma_fence *fence)
{
	rcu_read_lock();
	dma_fence_free(fence);
	module_put(THIS_MODULE);
	rcu_read_unlock();
}

static const struct dma_fence_ops fence_ops = {
	.get_driver_name = fence_driver_name,
	.get_timeline_name = fence_timeline_name,
	.release = fence_release,
};

/**
 * heapsim_fence_new() - create a fence
 * @timeline: name of the timeline, static
 * @context: fence context
 * @seqno: sequence number in the context
 *
 * The fence holds a reference to the module.
 *
 * Context: may sleep; the caller has a reference to the module.
 * Return: fence with one reference, or NULL without memory.
 */
struct dma_fence *heapsim_fence_new(const char *timeline, u64 context,
				    u64 seqno)
{
	struct heapsim_fence *f = kzalloc(sizeof(*f), HEAPSIM_GFP_USER);

	if (!f)
		return NULL;
	__module_get(THIS_MODULE);
	spin_lock_init(&f->lock);
	f->timeline = timeline;
	dma_fence_init(&f->base, &fence_ops, &f->lock, context, seqno);
	return &f->base;
}

/* The caller ensures that the fence is not signalled concurrently. */
static void fence_signal_once(struct dma_fence *fence, int error)
{
	if (dma_fence_is_signaled(fence))
		return;
	if (error)
		dma_fence_set_error(fence, error);
	dma_fence_signal(fence);
}

/*
 * A timer and not work, because memory reclaim may wait for the fence. A timer
 * of the timer wheel would be up to 640 ms late after 10 s.
 */
static enum hrtimer_restart user_fence_timeout(struct hrtimer *timer)
{
	struct heapsim_user_fence *f;

	f = container_of(timer, struct heapsim_user_fence, timeout);
	fence_signal_once(f->fence, -ETIMEDOUT);
	return HRTIMER_NORESTART;
}

static void user_fence_signal(struct heapsim_user_fence *f, int error)
{
	hrtimer_cancel(&f->timeout);
	fence_signal_once(f->fence, error);
}

/* Signals the fence if the open is closed before the program has done so. */
static void user_fence_end(struct heapsim_object *object)
{
	struct heapsim_user_fence *f = (void *)object;

	user_fence_signal(f, -ECANCELED);
	dma_fence_put(f->fence);
}

static const struct heapsim_object_ops fence_object_ops = {
	.type = HEAPSIM_OBJECT_FENCE,
	.size = HEAPSIM_OBJECT_SIZE(struct heapsim_user_fence),
	.max = MAX_USER_FENCES,
	.reserve = HEAPSIM_CORE_BYTES,
	.release = user_fence_end,
};

/* The fence was not published, so its timer is not running. */
static void user_fence_abort(struct heapsim_objects *objects,
			     struct heapsim_user_fence *f)
{
	dma_fence_put(f->fence);
	heapsim_object_abort(objects, &f->object);
}

static struct heapsim_user_fence *
user_fence_alloc(struct heapsim_objects *objects, const char *timeline)
{
	struct heapsim_user_fence *f;

	f = (void *)heapsim_object_alloc(objects, &fence_object_ops);
	if (IS_ERR(f))
		return f;
	hrtimer_setup(&f->timeout, user_fence_timeout, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL);
	/*
	 * Each fence has its own context, because they are signalled in any
	 * order.
	 */
	f->fence = heapsim_fence_new(timeline, dma_fence_context_alloc(1), 1);
	if (!f->fence) {
		user_fence_abort(objects, f);
		return ERR_PTR(-ENOMEM);
	}
	return f;
}

/*
 * The timer is started before anybody can wait for the fence. Without a buffer
 * only the sync_file will refer to it.
 */
static void user_fence_publish(struct dma_resv *resv,
			       struct heapsim_user_fence *f,
			       enum dma_resv_usage usage, u64 timeout_ns)
{
	bool cookie = dma_fence_begin_signalling();

	hrtimer_start(&f->timeout,
		      ns_to_ktime(min_t(u64, timeout_ns,
					HEAPSIM_FENCE_LIFE_NS)),
		      HRTIMER_MODE_REL);
	if (resv)
		dma_resv_add_fence(resv, f->fence, usage);
	dma_fence_end_signalling(cookie);
}

static int user_fence_attach(struct dma_buf *dmabuf,
			     struct heapsim_user_fence *f,
			     enum dma_resv_usage usage, u64 timeout_ns)
{
	int ret = dma_resv_lock_interruptible(dmabuf->resv, NULL);

	if (ret)
		return ret;
	ret = dma_resv_reserve_fences(dmabuf->resv, 1);
	if (!ret)
		user_fence_publish(dmabuf->resv, f, usage, timeout_ns);
	dma_resv_unlock(dmabuf->resv);
	return ret;
}

/*
 * Creates a fence, adds it to the buffer, which may be NULL, and makes a
 * sync_file of it.
 */
static int user_fence_create(struct heapsim_call *call, struct dma_buf *dmabuf,
			     enum dma_resv_usage usage)
{
	struct heapsim_fence_create *cmd = &call->cmd.create;
	struct heapsim_objects *objects = &call->ctx->objects;
	struct heapsim_user_fence *f;
	struct sync_file *sync;
	int ret, fd;

	f = user_fence_alloc(objects, dmabuf ? "test" : "stream");
	if (IS_ERR(f))
		return PTR_ERR(f);
	ret = -ENOMEM;
	sync = sync_file_create(f->fence);
	if (!sync)
		goto err_fence;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		ret = fd;
		goto err_sync;
	}
	if (dmabuf) {
		ret = user_fence_attach(dmabuf, f, usage, cmd->timeout_ns);
		if (ret)
			goto err_fd;
	} else {
		user_fence_publish(NULL, f, usage, cmd->timeout_ns);
	}
	cmd->fence = f->object.id;
	cmd->fence_fd = fd;
	call->made = heapsim_object_publish(objects, &f->object);
	call->fd = fd;
	call->file = sync->file;
	return 0;
err_fd:
	put_unused_fd(fd);
err_sync:
	fput(sync->file);
err_fence:
	user_fence_abort(objects, f);
	return ret;
}

/**
 * heapsim_fence_create() - create a fence that the program signals
 * @call: command with a struct heapsim_fence_create; receives the result
 *
 * Return: 0, or an error described at struct heapsim_fence_create.
 */
int heapsim_fence_create(struct heapsim_call *call)
{
	const struct heapsim_fence_create *cmd = &call->cmd.create;
	struct dma_buf *dmabuf;
	int ret;

	if (cmd->flags && cmd->flags != HEAPSIM_FENCE_READ &&
	    cmd->flags != HEAPSIM_FENCE_WRITE)
		return -EINVAL;
	if (!cmd->timeout_ns || cmd->timeout_ns > MAX_TIMEOUT_NS)
		return -EINVAL;
	if (!cmd->flags)
		return cmd->fd == -1 ? user_fence_create(call, NULL, 0) :
				       -EINVAL;
	if (!heapsim_config.has_test_hooks)
		return -EOPNOTSUPP;
	dmabuf = dma_buf_get(cmd->fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	ret = user_fence_create(call, dmabuf,
				cmd->flags == HEAPSIM_FENCE_WRITE ?
				DMA_RESV_USAGE_WRITE : DMA_RESV_USAGE_READ);
	/* The next CPU access that the fence forbids must fault. */
	if (!ret)
		heapsim_buf_revoke(dmabuf);
	dma_buf_put(dmabuf);
	return ret;
}

/**
 * heapsim_fence_signal() - signal a fence of FENCE_CREATE
 * @call: command with a struct heapsim_fence_signal
 *
 * Return: 0, -EINVAL if the error number is not valid, -ENOENT if there is no
 * such fence.
 */
int heapsim_fence_signal(struct heapsim_call *call)
{
	const struct heapsim_fence_signal *cmd = &call->cmd.signal;
	struct heapsim_object *object;

	if (cmd->error > 0 || cmd->error < -MAX_ERRNO)
		return -EINVAL;
	object = heapsim_object_take(&call->ctx->objects, &fence_object_ops,
				     cmd->fence);
	if (!object)
		return -ENOENT;
	user_fence_signal((void *)object, cmd->error);
	heapsim_object_put(object);
	return 0;
}
