// SPDX-License-Identifier: GPL-2.0-only
/* /sys/kernel/debug/heapsim: state of the module; described in module.rst. */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "buf.h"
#include "ctx.h"
#include "doors.h"

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

/* Counters that are 0 are not shown. */
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
		   heapsim_kind_name(buf->kind), READ_ONCE(buf->nr_holders));
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

/** heapsim_debugfs_init() - create the files, if the kernel has debugfs */
void heapsim_debugfs_init(void)
{
	dir = debugfs_create_dir("heapsim", NULL);
	debugfs_create_file("bufs", 0400, dir, NULL, &bufs_fops);
	debugfs_create_file("state", 0400, dir, NULL, &state_fops);
	heapsim_faults_init(dir);
}

/** heapsim_debugfs_fini() - remove the files */
void heapsim_debugfs_fini(void)
{
	debugfs_remove(dir);
}
