// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/sync/sw_sync: timelines that tests advance, and their
 * fences, with the interface of the kernel's driver of that name
 * (CONFIG_SW_SYNC), which kernels of distributions do not have. Tests written
 * for that driver then run with this module.
 *
 * An open is a timeline. It lists the fences that are not signalled, without a
 * reference: they leave the list when they are signalled or freed. Unlike those
 * of the kernel's driver, they do not wait for more than 10 s.
 */
#include <linux/debugfs.h>
#include <linux/dma-fence.h>
#include <linux/file.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sync_file.h>
#include <linux/uaccess.h>

#include "doors.h"
#include "limit.h"

#define MAX_PENDING		1024	/* of one timeline */

/* drivers/dma-buf/sw_sync.c, which has no header for user space */
struct sw_sync_create_fence_data {
	__u32 value;
	char name[32];
	__s32 fence;
};

#define SW_SYNC_IOC_CREATE_FENCE \
	_IOWR('W', 0, struct sw_sync_create_fence_data)
#define SW_SYNC_IOC_INC		_IOW('W', 1, __u32)

/**
 * struct swsync_timeline - an open file
 * @advance: one thread at a time advances the timeline, so that fences are
 *	signalled in order
 * @context: fence context
 * @name: name of the program that opened it
 * @timer: signals fences that have waited for too long
 * @value: current value; protected by timelines_lock, as the members below
 * @pending: fences that are not signalled, by value
 * @nr_pending: their number
 * @is_timed: @timer is going to look at the fences
 */
struct swsync_timeline {
	struct mutex advance;
	u64 context;
	char name[TASK_COMM_LEN];
	struct hrtimer timer;

	u32 value;
	struct list_head pending;
	unsigned int nr_pending;
	bool is_timed;
};

/**
 * struct swsync_fence - a fence
 * @base: fence; first, because the core frees it
 * @lock: lock of @base
 * @name: name of the timeline, which may be closed before
 * @timeline: timeline that has it in its list, or NULL; protected by
 *	timelines_lock, as the members below
 * @node: in the list of the timeline, or of the thread that signals it
 * @deadline: when it is signalled at the latest
 */
struct swsync_fence {
	struct dma_fence base;
	spinlock_t lock;
	char name[TASK_COMM_LEN];

	struct swsync_timeline *timeline;
	struct list_head node;
	ktime_t deadline;
};

/*
 * Of all timelines: a fence that is freed cannot know otherwise that its
 * timeline still exists. Taken with interrupts disabled.
 */
static DEFINE_SPINLOCK(timelines_lock);
static struct dentry *dir;

static struct swsync_fence *swsync_of(struct dma_fence *fence)
{
	return container_of(fence, struct swsync_fence, base);
}

static const char *swsync_driver_name(struct dma_fence *fence)
{
	return "sw_sync";
}

static const char *swsync_timeline_name(struct dma_fence *fence)
{
	return swsync_of(fence)->name;
}

/* Caller must hold timelines_lock. */
static void swsync_unlist(struct swsync_fence *f)
{
	if (!f->timeline)
		return;
	list_del(&f->node);
	f->timeline->nr_pending--;
	f->timeline = NULL;
}

/* Unloading waits for a grace period, which ends after this function. */
static void swsync_release(struct dma_fence *fence)
{
	unsigned long flags;

	rcu_read_lock();
	spin_lock_irqsave(&timelines_lock, flags);
	swsync_unlist(swsync_of(fence));
	spin_unlock_irqrestore(&timelines_lock, flags);
	dma_fence_free(fence);
	module_put(THIS_MODULE);
	rcu_read_unlock();
}

static const struct dma_fence_ops swsync_ops = {
	.get_driver_name = swsync_driver_name,
	.get_timeline_name = swsync_timeline_name,
	.release = swsync_release,
};

/* Values wrap around. */
static bool swsync_is_later(u32 one, u32 other)
{
	return (s32)(one - other) > 0;
}

/*
 * Moves a fence to a list of those to be signalled, with a reference, unless it
 * is being freed. Caller must hold timelines_lock.
 */
static void swsync_take(struct swsync_fence *f, struct list_head *taken)
{
	swsync_unlist(f);
	if (dma_fence_get_rcu(&f->base))
		list_add_tail(&f->node, taken);
}

static void swsync_signal(struct list_head *taken, int error)
{
	struct swsync_fence *f, *next;
	bool cookie = dma_fence_begin_signalling();

	list_for_each_entry_safe(f, next, taken, node) {
		if (error)
			dma_fence_set_error(&f->base, error);
		dma_fence_signal(&f->base);
		dma_fence_put(&f->base);
	}
	dma_fence_end_signalling(cookie);
}

/* A timer and not work, because memory reclaim may wait for a fence. */
static enum hrtimer_restart swsync_timeout(struct hrtimer *timer)
{
	struct swsync_timeline *timeline;
	const ktime_t now = ktime_get();
	struct swsync_fence *f, *next;
	ktime_t first = KTIME_MAX;
	unsigned long flags;
	LIST_HEAD(taken);

	timeline = container_of(timer, struct swsync_timeline, timer);
	spin_lock_irqsave(&timelines_lock, flags);
	list_for_each_entry_safe(f, next, &timeline->pending, node) {
		if (f->deadline <= now)
			swsync_take(f, &taken);
		else
			first = min(first, f->deadline);
	}
	timeline->is_timed = first != KTIME_MAX;
	spin_unlock_irqrestore(&timelines_lock, flags);
	swsync_signal(&taken, -ETIMEDOUT);
	if (first == KTIME_MAX)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, first);
	return HRTIMER_RESTART;
}

/* Adds a fence, or moves it to @taken if its value has been reached. */
static int swsync_list(struct swsync_timeline *timeline,
		       struct swsync_fence *f, struct list_head *taken)
{
	struct swsync_fence *at;
	const u32 value = f->base.seqno;

	if (!swsync_is_later(value, timeline->value)) {
		swsync_take(f, taken);
		return 0;
	}
	if (timeline->nr_pending == MAX_PENDING)
		return -EBUSY;
	/* Most tests create fences in the order of their values. */
	list_for_each_entry_reverse(at, &timeline->pending, node)
		if (!swsync_is_later(at->base.seqno, value))
			break;
	list_add(&f->node, &at->node);
	f->timeline = timeline;
	f->deadline = ktime_add_ns(ktime_get(), HEAPSIM_FENCE_LIFE_NS);
	timeline->nr_pending++;
	if (!timeline->is_timed) {
		timeline->is_timed = true;
		hrtimer_start(&timeline->timer, f->deadline, HRTIMER_MODE_ABS);
	}
	return 0;
}

/* Returns a fence with one reference, or ERR_PTR(). */
static struct dma_fence *swsync_fence(struct swsync_timeline *timeline,
				      u32 value)
{
	struct swsync_fence *f = kzalloc(sizeof(*f), HEAPSIM_GFP_USER);
	LIST_HEAD(taken);
	int ret;

	if (!f)
		return ERR_PTR(-ENOMEM);
	__module_get(THIS_MODULE);
	spin_lock_init(&f->lock);
	memcpy(f->name, timeline->name, sizeof(f->name));
	dma_fence_init(&f->base, &swsync_ops, &f->lock, timeline->context,
		       value);
	spin_lock_irq(&timelines_lock);
	ret = swsync_list(timeline, f, &taken);
	spin_unlock_irq(&timelines_lock);
	swsync_signal(&taken, 0);
	if (ret) {
		dma_fence_put(&f->base);
		return ERR_PTR(ret);
	}
	return &f->base;
}

static int swsync_create(struct swsync_timeline *timeline,
			 struct sw_sync_create_fence_data __user *arg)
{
	struct sw_sync_create_fence_data data;
	struct dma_fence *fence;
	struct sync_file *sync;
	int fd;

	if (copy_from_user(&data, arg, sizeof(data)))
		return -EFAULT;
	fence = swsync_fence(timeline, data.value);
	if (IS_ERR(fence))
		return PTR_ERR(fence);
	sync = sync_file_create(fence);
	dma_fence_put(fence);
	if (!sync)
		return -ENOMEM;
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd >= 0 && put_user(fd, &arg->fence)) {
		put_unused_fd(fd);
		fd = -EFAULT;
	}
	if (fd < 0) {
		fput(sync->file);
		return fd;
	}
	fd_install(fd, sync->file);
	return 0;
}

static int swsync_advance(struct swsync_timeline *timeline, u32 __user *arg)
{
	struct swsync_fence *f, *next;
	LIST_HEAD(taken);
	u32 by, step;

	if (get_user(by, arg))
		return -EFAULT;
	if (mutex_lock_interruptible(&timeline->advance))
		return -ERESTARTSYS;
	spin_lock_irq(&timelines_lock);
	/* A fence is later than the value by INT_MAX at most. */
	do {
		step = min_t(u32, by, INT_MAX);
		timeline->value += step;
		by -= step;
		list_for_each_entry_safe(f, next, &timeline->pending, node) {
			if (swsync_is_later(f->base.seqno, timeline->value))
				break;
			swsync_take(f, &taken);
		}
	} while (by);
	spin_unlock_irq(&timelines_lock);
	swsync_signal(&taken, 0);
	mutex_unlock(&timeline->advance);
	return 0;
}

static long swsync_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct swsync_timeline *timeline = file->private_data;

	switch (cmd) {
	case SW_SYNC_IOC_CREATE_FENCE:
		return swsync_create(timeline, (void __user *)arg);
	case SW_SYNC_IOC_INC:
		return swsync_advance(timeline, (void __user *)arg);
	}
	return -ENOTTY;
}

static int swsync_open(struct inode *inode, struct file *file)
{
	struct swsync_timeline *timeline;

	timeline = kzalloc(sizeof(*timeline), HEAPSIM_GFP_USER);
	if (!timeline)
		return -ENOMEM;
	mutex_init(&timeline->advance);
	timeline->context = dma_fence_context_alloc(1);
	get_task_comm(timeline->name, current);
	hrtimer_setup(&timeline->timer, swsync_timeout, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS);
	INIT_LIST_HEAD(&timeline->pending);
	file->private_data = timeline;
	return nonseekable_open(inode, file);
}

static int swsync_close(struct inode *inode, struct file *file)
{
	struct swsync_timeline *timeline = file->private_data;
	struct swsync_fence *f, *next;
	LIST_HEAD(taken);

	hrtimer_cancel(&timeline->timer);
	spin_lock_irq(&timelines_lock);
	list_for_each_entry_safe(f, next, &timeline->pending, node)
		swsync_take(f, &taken);
	spin_unlock_irq(&timelines_lock);
	swsync_signal(&taken, -ENOENT);
	mutex_destroy(&timeline->advance);
	kfree(timeline);
	return 0;
}

static const struct file_operations swsync_fops = {
	.owner = THIS_MODULE,
	.open = swsync_open,
	.release = swsync_close,
	.unlocked_ioctl = swsync_ioctl,
};

/**
 * heapsim_swsync_init() - create the file, with test hooks and if the kernel
 * does not have it
 */
void heapsim_swsync_init(void)
{
	struct dentry *other;

	if (!heapsim_config.has_test_hooks)
		return;
	other = debugfs_lookup("sync", NULL);
	if (!IS_ERR_OR_NULL(other)) {
		dput(other);
		return;
	}
	dir = debugfs_create_dir("sync", NULL);
	debugfs_create_file("sw_sync", 0600, dir, NULL, &swsync_fops);
}

/** heapsim_swsync_fini() - remove the file */
void heapsim_swsync_fini(void)
{
	debugfs_remove(dir);
}
