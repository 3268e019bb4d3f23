// SPDX-License-Identifier: GPL-2.0-only
/* Loading and unloading the module. */
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "ctx.h"
#include "doors.h"
#include "policy.h"
#include "step.h"

static int __init heapsim_init(void)
{
	struct heapsim_rule rule;
	int ret;

	ret = heapsim_config_init(&rule);
	if (ret)
		return ret;
	heapsim_policy_init(&rule);
	ret = heapsim_hold_init();
	if (ret)
		return ret;
	ret = heapsim_pool_init();
	if (ret)
		goto err_hold;
	ret = heapsim_step_init();
	if (ret)
		goto err_pool;
	ret = heapsim_queues_init();
	if (ret)
		goto err_step;
	heapsim_debugfs_init();
	heapsim_swsync_init();
	ret = heapsim_heap_init();
	if (ret)
		goto err_debugfs;
	/* Last, because nothing may fail once a program can open it. */
	ret = heapsim_cdev_init();
	if (ret)
		goto err_heap;
	return 0;

err_heap:
	heapsim_heap_fini();
err_debugfs:
	heapsim_swsync_fini();
	heapsim_debugfs_fini();
	heapsim_queues_fini();
err_step:
	heapsim_step_fini();
err_pool:
	heapsim_pool_fini();
err_hold:
	heapsim_hold_fini();
	return ret;
}

static void __exit heapsim_exit(void)
{
	heapsim_cdev_fini();
	heapsim_heap_fini();
	heapsim_swsync_fini();
	heapsim_debugfs_fini();
	heapsim_queues_fini();
	heapsim_step_fini();
	heapsim_stack_fini();
	heapsim_pool_fini();
	heapsim_hold_fini();
	/*
	 * fence_release() drops the last module reference inside an RCU read
	 * section, and the core frees the fence without calling the module.
	 */
	synchronize_rcu();
}

module_init(heapsim_init);
module_exit(heapsim_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("dma-buf heaps of boards with incoherent caches");
MODULE_VERSION("0.1.0");
HEAPSIM_IMPORT_DMA_BUF;
