// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/heapsim: what the module holds, and faults to inject;
 * module.rst has the form.
 */
#include <linux/debugfs.h>
#include <linux/fault-inject.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/seq_file.h>

#include "heapsim.h"

static struct dentry *dir;

static const char *const counters[] = {
	"fills", "lines_filled", "lines_cleaned", "lines_invalidated",
	"evictions", "redundant_cleans", "redundant_invalidates",
	"shared_lines", "stale_reads", "possible_stale_reads",
	"lost_device_writes", "lost_cpu_writes", "missing_cleans",
	"write_conflicts", "unbracketed_accesses", "missing_ends",
	"unmatched_ends",
};

static void *bufs_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&heapsim_bufs_lock);
	return seq_list_start_head(&heapsim_bufs, *pos);
}

static void *bufs_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &heapsim_bufs, pos);
}

static void bufs_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&heapsim_bufs_lock);
}

/* Counters that are 0 are left out. */
static int bufs_show(struct seq_file *m, void *v)
{
	struct heapsim_buf *buf;
	u64 count[ARRAY_SIZE(counters)];
	char name[HEAPSIM_NAME_LEN];
	size_t i;

	BUILD_BUG_ON(sizeof(count) != sizeof(buf->lines.count));
	if (v == &heapsim_bufs) {
		seq_puts(m, "id inode len kind holders name counters\n");
		return 0;
	}
	buf = list_entry(v, struct heapsim_buf, node);
	spin_lock(&buf->lines_lock);
	memcpy(count, &buf->lines.count, sizeof(count));
	spin_unlock(&buf->lines_lock);
	seq_printf(m, "%llu %llu %zu %s %u \"", buf->id, buf->inode, buf->len,
		   heapsim_heap_name(buf->kind), READ_ONCE(buf->nr_holders));
	heapsim_buf_get_name(buf, name);
	seq_escape(m, name, "\n\t\"\\");
	seq_putc(m, '"');
	for (i = 0; i < ARRAY_SIZE(counters); i++)
		if (count[i])
			seq_printf(m, " %s=%llu", counters[i], count[i]);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations bufs_sops = {
	.start = bufs_start,
	.next = bufs_next,
	.stop = bufs_stop,
	.show = bufs_show,
};
DEFINE_SEQ_ATTRIBUTE(bufs);

static int state_show(struct seq_file *m, void *v)
{
	struct heapsim_info info = { 0 };

	heapsim_bufs_get_info(&info);
	seq_printf(m, "soc %s\n", heapsim_config.profile->name);
	seq_printf(m, "bufs %llu\n", info.nr_bufs);
	seq_printf(m, "buf_bytes %llu\n", info.buf_bytes);
	seq_printf(m, "cpu_bytes %llu\n", info.cpu_bytes);
	seq_printf(m, "pool_bytes %llu\n", info.pool_bytes);
	seq_printf(m, "jobs %llu\n", heapsim_queue_nr_jobs());
	seq_printf(m, "missing_ends %llu\n", info.missing_ends);
	seq_printf(m, "limit_bytes %llu\n", heapsim_config.limit);
	seq_printf(m, "user_limit_bytes %llu\n", heapsim_config.user_limit);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static const char *const faults[HEAPSIM_NR_FAULTS] = {
	[HEAPSIM_FAIL_ALLOC] = "fail_alloc",
	[HEAPSIM_FAIL_MAP] = "fail_map",
	[HEAPSIM_FAIL_VMAP] = "fail_vmap",
	[HEAPSIM_FAIL_BEGIN] = "fail_begin",
	[HEAPSIM_LATE_FENCE] = "late_fence",
};

#ifdef CONFIG_FAULT_INJECTION_DEBUG_FS
static struct fault_attr fault_attrs[HEAPSIM_NR_FAULTS];

static void fault_init(enum heapsim_fault which)
{
	struct fault_attr *attr = &fault_attrs[which];

	*attr = (struct fault_attr)FAULT_ATTR_INITIALIZER;
	/* A stack in the log for each fault is for whoever asks for it. */
	attr->verbose = 0;
	fault_create_debugfs_attr(faults[which], dir, attr);
}

bool heapsim_fault(enum heapsim_fault which, size_t len)
{
	struct fault_attr *attr = &fault_attrs[which];

	/* What /proc/PID/fail-nth counts is not ours: an unset knob is off. */
	return attr->probability && should_fail(attr, len);
}
#else
/**
 * struct fault_knobs - what the kernel's struct fault_attr is to users
 * @probability: per cent
 * @interval: only each so many-th call may fail
 * @times: how often it fails still; -1 always
 * @space: bytes that succeed first
 * @nr_calls: counted for @interval
 */
struct fault_knobs {
	u32 probability;
	u32 interval;
	atomic_t times;
	atomic_t space;
	atomic_t nr_calls;
};

static struct fault_knobs fault_knobs[HEAPSIM_NR_FAULTS];

static void fault_init(enum heapsim_fault which)
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
 * heapsim_fault() - shall this operation fail?
 * @which: the operation
 * @len: bytes that it is about, 0 none
 *
 * The rules are those of the kernel's should_fail(), which kernels of
 * distributions do not have.
 *
 * Context: any.
 * Return: true if a fault is to be injected.
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

/** heapsim_debugfs_init() - make the files; without debugfs there are none */
void heapsim_debugfs_init(void)
{
	unsigned int i;

	dir = debugfs_create_dir("heapsim", NULL);
	debugfs_create_file("bufs", 0400, dir, NULL, &bufs_fops);
	debugfs_create_file("state", 0400, dir, NULL, &state_fops);
	for (i = 0; i < HEAPSIM_NR_FAULTS; i++)
		fault_init(i);
}

/** heapsim_debugfs_fini() - take the files away */
void heapsim_debugfs_fini(void)
{
	debugfs_remove(dir);
}
