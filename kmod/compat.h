/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file that knows about kernels other than the newest. Each name here
 * is that of the newest kernel, or wraps what has no common name.
 */
#ifndef HEAPSIM_COMPAT_H
#define HEAPSIM_COMPAT_H

#include <linux/dma-buf.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/task.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
int vfs_path_lookup(struct dentry *dentry, struct vfsmount *mnt,
		    const char *name, unsigned int flags, struct path *path);
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma,
				unsigned long flags)
{
	vma->vm_flags |= flags;
}
#endif

/*
 * Set if a fault holds only the lock of its VMA; an enumerator in newer
 * kernels.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define FAULT_FLAG_VMA_LOCK	0
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 4, 0)
#define MAX_PAGE_ORDER	(MAX_ORDER - 1)
#elif LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define MAX_PAGE_ORDER	MAX_ORDER
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define dma_buf_vmap_unlocked(dmabuf, map)	dma_buf_vmap(dmabuf, map)
#define dma_buf_vunmap_unlocked(dmabuf, map)	dma_buf_vunmap(dmabuf, map)
#define dma_buf_map_attachment_unlocked(attach, dir) \
	dma_buf_map_attachment(attach, dir)
#define dma_buf_unmap_attachment_unlocked(attach, sgt, dir) \
	dma_buf_unmap_attachment(attach, sgt, dir)
#endif

/* PTEs of a VMA without pages of the core. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(7, 1, 0)
#define zap_special_vma_range(vma, addr, len)	zap_vma_ptes(vma, addr, len)
#endif

/* Sets up a timer together with its function. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*fn)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#endif

/*
 * Threads of io_uring were the first user threads that never return to user
 * space.
 */
#ifndef PF_USER_WORKER
#define PF_USER_WORKER	PF_IO_WORKER
#endif

/*
 * Location and declaration of the 16 bytes of payload of an io_uring command.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#include <linux/io_uring.h>
#else
#include <linux/io_uring/cmd.h>
#endif

static inline const void *heapsim_uring_payload(const struct io_uring_cmd *cmd)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
	return cmd->cmd;
#else
	return cmd->sqe->cmd;
#endif
}

/* Symbol namespaces became strings. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define HEAPSIM_IMPORT_DMA_BUF	MODULE_IMPORT_NS(DMA_BUF)
#else
#define HEAPSIM_IMPORT_DMA_BUF	MODULE_IMPORT_NS("DMA_BUF")
#endif

/*
 * The old name still exists in some newer kernels, the new one in some older
 * ones.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define system_dfl_wq	system_unbound_wq
#endif

/*
 * Dumpability moved from the mm to the task. The caller holds the RCU read
 * lock. A task without mm or state is exiting and counts as dumpable.
 */
#ifdef SUID_DUMP_USER
static inline bool heapsim_is_dumpable(struct task_struct *task)
{
	bool ret;

	task_lock(task);
	ret = !task->mm || get_dumpable(task->mm) == SUID_DUMP_USER;
	task_unlock(task);
	return ret;
}
#else
#include <linux/sched/exec_state.h>

static inline bool heapsim_is_dumpable(struct task_struct *task)
{
	const struct task_exec_state *state = rcu_dereference(task->exec_state);

	return !state || state->dumpable == TASK_DUMPABLE_OWNER;
}
#endif

/* Shrinkers are allocated dynamically. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
static inline struct shrinker *shrinker_alloc(unsigned int flags,
					      const char *fmt)
{
	struct shrinker *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (s) {
		s->flags = flags;
		s->seeks = DEFAULT_SEEKS;
	}
	return s;
}

static inline int heapsim_shrinker_register(struct shrinker *s)
{
	return register_shrinker(s, "heapsim");
}

static inline void shrinker_free(struct shrinker *s)
{
	unregister_shrinker(s);
	kfree(s);
}
#else
static inline int heapsim_shrinker_register(struct shrinker *s)
{
	shrinker_register(s);
	return 0;
}
#endif

#endif
