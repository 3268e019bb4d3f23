// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault injection, controlled by files in debugfs; module.rst describes them.
 */
#include <linux/debugfs.h>
#include <linux/fault-inject.h>
#include <linux/random.h>

#include "heapsim.h"

static const char *const faults[HEAPSIM_NR_FAULTS] = {
	[HEAPSIM_FAIL_ALLOC] = "fail_alloc",
	[HEAPSIM_FAIL_MAP] = "fail_map",
	[HEAPSIM_FAIL_VMAP] = "fail_vmap",
	[HEAPSIM_FAIL_BEGIN] = "fail_begin",
	[HEAPSIM_LATE_FENCE] = "late_fence",
};

#ifdef CONFIG_FAULT_INJECTION_DEBUG_FS
static struct fault_attr fault_attrs[HEAPSIM_NR_FAULTS];

static void fault_init(enum heapsim_fault which, struct dentry *dir)
{
	struct fault_attr *attr = &fault_attrs[which];

	*attr = (struct fault_attr)FAULT_ATTR_INITIALIZER;
	/* By default, do not log a stack for each fault. */
	attr->verbose = 0;
	fault_create_debugfs_attr(faults[which], dir, attr);
}

bool heapsim_fault(enum heapsim_fault which, size_t len)
{
	struct fault_attr *attr = &fault_attrs[which];

	/*
	 * should_fail() also fails by /proc/PID/fail-nth; an unset knob must
	 * not.
	 */
	return attr->probability && should_fail(attr, len);
}
#else
/**
 * struct fault_knobs - what struct fault_attr of the kernel offers to users
 * @probability: per cent
 * @interval: only every so many-th call may fail
 * @times: number of calls that may still fail; -1 for any number
 * @space: bytes that succeed first
 * @nr_calls: calls, counted for @interval
 */
struct fault_knobs {
	u32 probability;
	u32 interval;
	atomic_t times;
	atomic_t space;
	atomic_t nr_calls;
};

static struct fault_knobs fault_knobs[HEAPSIM_NR_FAULTS];

static void fault_init(enum heapsim_fault which, struct dentry *dir)
{
	struct dentry *knobs = debugfs_create_dir(faults[which], dir);
	struct fault_knobs *f = &fault_knobs[which];

	f->interval = 1;
	atomic_set(&f->times, 1);
	debugfs_create_u32("probability", 0600, knobs, &f->probability);
	debugfs_create_u32("interval", 0600, knobs, &f->interval);
	debugfs_create_atomic_t("times", 0600, knobs, &f->times);
	debugfs_create_atomic_t("space", 0600, knobs, &f->space);
}

/**
 * heapsim_fault() - check whether to inject a fault
 * @which: operation
 * @len: size of the operation in bytes, or 0
 *
 * Follows the rules of should_fail(), which kernels of distributions lack.
 *
 * Context: any.
 * Return: true if the operation should fail.
 */
bool heapsim_fault(enum heapsim_fault which, size_t len)
{
	struct fault_knobs *f = &fault_knobs[which];
	u32 probability = READ_ONCE(f->probability);
	u32 interval = READ_ONCE(f->interval);

	if (!probability || !atomic_read(&f->times))
		return false;
	if (atomic_read(&f->space) > (long)len) {
		atomic_sub(len, &f->space);
		return false;
	}
	if (interval > 1 && (u32)atomic_inc_return(&f->nr_calls) % interval)
		return false;
	if (probability <= get_random_u32() % 100)
		return false;
	return atomic_read(&f->times) < 0 ||
	       atomic_dec_if_positive(&f->times) >= 0;
}
#endif

/**
 * heapsim_faults_init() - create the files
 * @dir: directory in debugfs
 */
void heapsim_faults_init(struct dentry *dir)
{
	unsigned int i;

	for (i = 0; i < HEAPSIM_NR_FAULTS; i++)
		fault_init(i, dir);
}
