// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/dma_heap/<name>, compatible with drivers/dma-buf/dma-heap.c. The nodes
 * are misc devices, because the class dma_heap is taken if the kernel has heaps
 * itself.
 */
#define pr_fmt(fmt) "heapsim: " fmt

#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/namei.h>
#include <linux/pid_namespace.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <uapi/linux/dma-heap.h>

#include "buf.h"
#include "doors.h"
#include "limit.h"

/**
 * struct heap - a heap
 * @misc: device
 * @misc_name: name of @misc
 * @node_name: path of the node in /dev
 * @is_registered: @misc is registered
 */
struct heap {
	struct miscdevice misc;
	char misc_name[32];
	char node_name[32];
	bool is_registered;
};

static struct heap heaps[HEAPSIM_KIND_CONTIGUOUS + 1];	/* by kind */

static int heap_alloc(struct heap *heap, struct dma_heap_allocation_data *data,
		      struct file **file)
{
	const struct heapsim_buf_params params = {
		.len = data->len,
		.kind = heap - heaps,
		.fd_flags = data->fd_flags,
		.name = "",
	};
	struct dma_buf *dmabuf;
	int fd;

	if (data->fd || data->heap_flags ||
	    data->fd_flags & ~(O_CLOEXEC | O_ACCMODE))
		return -EINVAL;
	fd = heapsim_buf_create_fd(&params, &dmabuf);
	if (fd < 0)
		return fd;
	data->fd = fd;
	*file = dmabuf->file;
	return 0;
}

/*
 * Like upstream, checks only the number of the command, and copies as many
 * bytes as its size and direction say.
 */
static long heap_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct miscdevice *misc = file->private_data;
	struct heap *heap = container_of(misc, struct heap, misc);
	struct dma_heap_allocation_data small, *data = &small;
	unsigned int in_size = cmd & IOC_IN ? _IOC_SIZE(cmd) : 0;
	unsigned int out_size = cmd & IOC_OUT ? _IOC_SIZE(cmd) : 0;
	size_t size = max3(in_size, out_size, (unsigned int)sizeof(*data));
	void __user *user = (void __user *)arg;
	struct file *made = NULL;
	int ret, fd;

	if (_IOC_NR(cmd) != _IOC_NR(DMA_HEAP_IOCTL_ALLOC))
		return -EINVAL;
	if (size > sizeof(small)) {
		data = kmalloc(size, HEAPSIM_GFP_USER);
		if (!data)
			return -ENOMEM;
	}
	if (copy_from_user(data, user, in_size)) {
		ret = -EFAULT;
		goto out;
	}
	memset((u8 *)data + in_size, 0, size - in_size);
	ret = heap_alloc(heap, data, &made);
	fd = data->fd;
	if (copy_to_user(user, data, out_size))
		ret = -EFAULT;
	if (made && ret) {
		put_unused_fd(fd);
		fput(made);
	} else if (made) {
		fd_install(fd, made);
	}
out:
	if (data != &small)
		kfree(data);
	return ret;
}

static const struct file_operations heap_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = heap_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static void heap_describe(struct heap *heap)
{
	const char *name = heapsim_kind_name(heap - heaps);

	snprintf(heap->misc_name, sizeof(heap->misc_name), "heapsim-%s", name);
	snprintf(heap->node_name, sizeof(heap->node_name), "dma_heap/%s", name);
	heap->misc = (struct miscdevice) {
		.minor = MISC_DYNAMIC_MINOR,
		.name = heap->misc_name,
		.nodename = heap->node_name,
		.fops = &heap_fops,
		.mode = 0660,
	};
}

/*
 * Gets the root directory of the first process, because the process that loads
 * the module may have its own /dev, and kernel threads have none since Linux 7.
 */
static void heap_get_init_root(struct path *root)
{
	struct task_struct *init = init_pid_ns.child_reaper;

	task_lock(init);
	get_fs_root(init->fs, root);
	task_unlock(init);
}

static bool heap_is_taken(const struct heap *heap)
{
	struct path root, path;
	char name[64];
	bool ret;

	snprintf(name, sizeof(name), "dev/%s", heap->misc.nodename);
	heap_get_init_root(&root);
	ret = !vfs_path_lookup(root.dentry, root.mnt, name, 0, &path);
	if (ret)
		path_put(&path);
	path_put(&root);
	return ret;
}

/**
 * heapsim_heap_init() - register the heaps
 *
 * A heap is skipped if another one has its name: devtmpfs would report no
 * error, and the second one would have no node. Heaps that other modules
 * register later are not noticed.
 *
 * Return: 0, or -errno with no heap registered.
 */
int heapsim_heap_init(void)
{
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(heaps); i++) {
		heap_describe(&heaps[i]);
		if (heap_is_taken(&heaps[i])) {
			pr_info("/dev/%s exists already, heap not registered\n",
				heaps[i].misc.nodename);
			continue;
		}
		ret = misc_register(&heaps[i].misc);
		if (ret) {
			heapsim_heap_fini();
			return ret;
		}
		heaps[i].is_registered = true;
	}
	return 0;
}

/** heapsim_heap_fini() - unregister the heaps */
void heapsim_heap_fini(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(heaps); i++) {
		if (heaps[i].is_registered)
			misc_deregister(&heaps[i].misc);
		heaps[i].is_registered = false;
	}
}
