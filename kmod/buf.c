// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers: their memory, their dma-bufs, the list of all. A buffer has one
 * dma-buf, and more that were made of its descriptors: these differ in what
 * their files may be used for, and in nothing else. The core has no access
 * modes of importers: a driver may do with each of them what it may with any.
 */
#include <linux/capability.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "bracket.h"
#include "ctx.h"
#include "devview.h"
#include "importer.h"
#include "lines.h"
#include "policy.h"
#include "trace.h"

LIST_HEAD(heapsim_bufs);
DEFINE_MUTEX(heapsim_bufs_lock);
static u64 nr_bufs;	/* under heapsim_bufs_lock */
static atomic64_t last_id;

static const char *const kind_names[] = {
	[HEAPSIM_KIND_SYSTEM] = "system",
	[HEAPSIM_KIND_NONCOHERENT] = "noncoherent",
	[HEAPSIM_KIND_COHERENT] = "coherent",
	[HEAPSIM_KIND_UNCACHED] = "system-uncached",
	[HEAPSIM_KIND_CONTIGUOUS] = "contiguous",
	[HEAPSIM_KIND_MANAGED] = "managed",
	[HEAPSIM_KIND_PINNED] = "pinned",
	[HEAPSIM_KIND_DEVICE] = "device",
};

/**
 * heapsim_kind_name() - the name of a kind of buffer
 * @kind: enum heapsim_kind but HEAPSIM_KIND_FOREIGN
 *
 * Return: the name, static; of a kind that has a heap, that of its heap.
 */
const char *heapsim_kind_name(u32 kind)
{
	return kind_names[kind];
}

/**
 * heapsim_kind_resolve() - what a kind stands for on this board
 * @kind: enum heapsim_kind but HEAPSIM_KIND_FOREIGN
 *
 * Return: the same, or for HEAPSIM_KIND_SYSTEM what the profile has.
 */
u32 heapsim_kind_resolve(u32 kind)
{
	if (kind != HEAPSIM_KIND_SYSTEM)
		return kind;
	return heapsim_config.profile->is_io_coherent ?
		HEAPSIM_KIND_COHERENT : HEAPSIM_KIND_NONCOHERENT;
}

static void buf_free(struct heapsim_buf *buf)
{
	heapsim_ctx_buf_destroy(buf);
	heapsim_brackets_fini(buf);
	heapsim_lines_fini(buf);
	heapsim_dram_free(buf);
	mutex_destroy(&buf->lock);
	mutex_destroy(&buf->vmap_lock);
	kfree(buf);
}

static void export_free(struct heapsim_export *export)
{
	struct heapsim_user *user = export->user;

	heapsim_limit_unreserve(user, HEAPSIM_CORE_BYTES);
	heapsim_limit_free(user, export);
	heapsim_limit_user_put(user);
}

static void buf_release(struct dma_buf *dmabuf)
{
	struct heapsim_export *export = dmabuf->priv;
	struct heapsim_buf *buf = export->buf;

	if (export != &buf->own) {
		export_free(export);
		dma_buf_put(buf->dmabuf);
		return;
	}
	mutex_lock(&heapsim_bufs_lock);
	list_del(&buf->node);
	nr_bufs--;
	mutex_unlock(&heapsim_bufs_lock);
	buf_free(buf);
}

static const struct dma_buf_ops buf_ops = {
	.attach = heapsim_importer_attach,
	.detach = heapsim_importer_detach,
	.map_dma_buf = heapsim_importer_map,
	.unmap_dma_buf = heapsim_importer_unmap,
	.begin_cpu_access = heapsim_cpu_access_begin,
	.end_cpu_access = heapsim_cpu_access_end,
	.mmap = heapsim_mmap,
	.vmap = heapsim_importer_vmap,
	.vunmap = heapsim_importer_vunmap,
	.release = buf_release,
};

/**
 * heapsim_buf_of() - the buffer behind a dma-buf
 * @dmabuf: any
 *
 * Return: the buffer, NULL if it is not ours. It lives as long as @dmabuf.
 */
struct heapsim_buf *heapsim_buf_of(struct dma_buf *dmabuf)
{
	return dmabuf->ops == &buf_ops ? heapsim_buf_of_ours(dmabuf) : NULL;
}

/**
 * heapsim_buf_revoke() - let the next touch of each page be seen
 * @dmabuf: any
 *
 * Nobody looks at touches of a one-view buffer, but for those of contexts: its
 * PTEs stay.
 *
 * Context: takes the buffer's lock; may sleep.
 * Return: 0, -EOPNOTSUPP a foreign buffer, -EINTR the caller is killed.
 */
int heapsim_buf_revoke(struct dma_buf *dmabuf)
{
	struct heapsim_buf *buf = heapsim_buf_of(dmabuf);
	int ret;

	if (!buf)
		return -EOPNOTSUPP;
	if (mutex_lock_killable(&buf->lock))
		return -EINTR;
	ret = heapsim_ptes_revoke_all(buf);
	mutex_unlock(&buf->lock);
	return ret;
}

static bool buf_is_in_use(struct heapsim_buf *buf)
{
	bool has_jobs;

	heapsim_brackets_reap(buf);
	spin_lock(&buf->lines_lock);
	has_jobs = buf->nr_jobs || buf->nr_write_jobs;
	spin_unlock(&buf->lines_lock);
	return has_jobs || buf->nr_holders || buf->is_vmapped ||
	       heapsim_bracket_any_open(buf);
}

/*
 * From two views to one, or back (DESIGN 2.5). Two become one by a clean and an
 * invalidate, which count as any. The buffer is locked. Returns 0, -EBUSY if it
 * is held, bracketed or in a job, -EINTR if the caller is killed.
 */
static int buf_switch_views(struct heapsim_buf *buf)
{
	int ret;

	if (buf_is_in_use(buf))
		return -EBUSY;
	if (buf->has_two_views) {
		ret = heapsim_lines_clean(buf, 0, buf->len,
					  HEAPSIM_UNTIL_KILLED);
		if (!ret && buf->lines.pages)
			ret = heapsim_lines_invalidate(buf, 0, buf->len);
		if (!ret)
			ret = heapsim_ptes_revoke_until(buf, 0, buf->nr_pages,
							HEAPSIM_UNTIL_KILLED);
	} else {
		ret = heapsim_ptes_unmap(buf, buf->dmabuf);
	}
	if (!ret)
		ret = heapsim_devview_revoke(buf);
	if (ret)
		return ret;
	/* Some look first without the lock, to see what they need. */
	WRITE_ONCE(buf->has_two_views, !buf->has_two_views);
	return 0;
}

/**
 * heapsim_buf_set_policy() - change the policy of a buffer
 * @dmabuf: any
 * @rule: policy
 *
 * Context: takes the buffer's lock; may sleep.
 * Return: 0, -EOPNOTSUPP a foreign buffer, -EPERM without CAP_SYS_ADMIN, -EBUSY
 * the number of views cannot change now, -ENOMEM, -EINTR the caller is killed.
 */
int heapsim_buf_set_policy(struct dma_buf *dmabuf,
			   const struct heapsim_rule *rule)
{
	struct heapsim_buf *buf = heapsim_buf_of(dmabuf);
	bool has_two_views;
	int ret;

	if (!buf)
		return -EOPNOTSUPP;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	has_two_views = buf->is_noncoherent &&
			rule->policy != HEAPSIM_POLICY_OFF;
	ret = mutex_lock_killable(&buf->lock);
	if (ret)
		return ret;
	if (has_two_views)
		ret = heapsim_dram_reserve_images(buf);
	/* What eviction does hangs on touches that are seen. */
	if (!ret)
		ret = heapsim_ptes_revoke_all(buf);
	if (!ret && has_two_views != buf->has_two_views)
		ret = buf_switch_views(buf);
	if (!ret) {
		/* Faults and steps look at some of it without the lock. */
		WRITE_ONCE(buf->rule.policy, rule->policy);
		WRITE_ONCE(buf->rule.is_precise, rule->is_precise);
		buf->rule.evicts = rule->evicts;
		buf->rule.seed = rule->seed;
		buf->random = rule->seed;
		trace_heapsim_policy(HEAPSIM_POLICY_OF_BUF, buf->id,
				     task_tgid_nr(current), rule);
	}
	mutex_unlock(&buf->lock);
	return ret;
}

static void buf_init_kind(struct heapsim_buf *buf, u32 kind)
{
	const bool is_io_coherent = heapsim_config.profile->is_io_coherent;
	const bool is_managed = kind == HEAPSIM_KIND_MANAGED;
	const bool is_uncached = kind == HEAPSIM_KIND_UNCACHED ||
		(kind == HEAPSIM_KIND_PINNED && !is_io_coherent);

	buf->kind = heapsim_kind_resolve(kind);
	buf->is_noncoherent = buf->kind == HEAPSIM_KIND_NONCOHERENT ||
			      (is_managed && !is_io_coherent);
	buf->is_faulted = buf->is_noncoherent || is_managed ||
			  kind == HEAPSIM_KIND_DEVICE;
	buf->is_revoked = kind == HEAPSIM_KIND_DEVICE;
	buf->is_wc = is_uncached && heapsim_has_write_combine();
	if (kind != HEAPSIM_KIND_CONTIGUOUS)
		buf->pool = buf->is_wc ? &heapsim_pool_wc :
					 &heapsim_pool_cached;
}

static struct heapsim_buf *buf_alloc(const struct heapsim_wish *wish)
{
	const u64 len = PAGE_ALIGN(wish->len);
	struct heapsim_buf *buf;
	int ret;

	buf = kzalloc(sizeof(*buf), HEAPSIM_GFP_USER);
	if (!buf)
		return ERR_PTR(-ENOMEM);
	mutex_init(&buf->lock);
	mutex_init(&buf->vmap_lock);
	spin_lock_init(&buf->lines_lock);
	INIT_LIST_HEAD(&buf->node);
	INIT_LIST_HEAD(&buf->brackets);
	INIT_LIST_HEAD(&buf->attachments);
	buf->own.buf = buf;
	buf->lines.tell = heapsim_record_lines;
	strscpy(buf->name, wish->name, sizeof(buf->name));
	buf->len = len;
	buf->nr_pages = len >> PAGE_SHIFT;
	buf_init_kind(buf, wish->kind);
	buf->user = heapsim_limit_charge(len);
	if (IS_ERR(buf->user)) {
		ret = PTR_ERR(buf->user);
		mutex_destroy(&buf->lock);
		mutex_destroy(&buf->vmap_lock);
		kfree(buf);
		return ERR_PTR(ret);
	}
	buf->id = atomic64_inc_return(&last_id);
	heapsim_policy_give(buf, wish->ctx);
	ret = heapsim_dram_alloc(buf);
	if (ret)
		goto err_free;
	return buf;

err_free:
	buf_free(buf);
	return ERR_PTR(ret);
}

static struct dma_buf *buf_create(const struct heapsim_wish *wish)
{
	DEFINE_DMA_BUF_EXPORT_INFO(exp);
	struct heapsim_buf *buf;
	struct dma_buf *dmabuf;
	int ret;

	if (!wish->len || wish->len > SSIZE_MAX - PAGE_SIZE)
		return ERR_PTR(-EINVAL);
	buf = buf_alloc(wish);
	if (IS_ERR(buf))
		return ERR_CAST(buf);
	exp.exp_name = heapsim_kind_name(wish->kind);
	exp.ops = &buf_ops;
	exp.size = buf->len;
	exp.flags = wish->fd_flags;
	exp.priv = &buf->own;
	dmabuf = dma_buf_export(&exp);
	if (IS_ERR(dmabuf)) {
		buf_free(buf);
		return dmabuf;
	}
	buf->dmabuf = dmabuf;
	/* Kept: when the buffer is released it is gone already. */
	buf->inode = file_inode(dmabuf->file)->i_ino;
	mutex_lock(&heapsim_bufs_lock);
	list_add_tail(&buf->node, &heapsim_bufs);
	nr_bufs++;
	mutex_unlock(&heapsim_bufs_lock);
	if (buf->kind < HEAPSIM_KIND_MANAGED)
		return dmabuf;
	ret = heapsim_ctx_buf_create(buf, wish);
	if (ret) {
		dma_buf_put(dmabuf);
		return ERR_PTR(ret);
	}
	return dmabuf;
}

/**
 * heapsim_buf_create_fd() - make a buffer, its dma-buf and room for its fd
 * @wish: what it shall be
 * @dmabuf: out: the dma-buf with one reference, whose file the caller installs
 *	at the reserved number, or gives both back; nobody can close or dup it
 *	before
 *
 * Context: may sleep.
 * Return: the number, or -EINVAL length 0 or not representable, -ENOMEM a
 * limit or no memory, -EINTR being killed, -EMFILE, -EBUSY a buffer of a
 * context whose user has too many objects.
 */
int heapsim_buf_create_fd(const struct heapsim_wish *wish,
			  struct dma_buf **dmabuf)
{
	struct dma_buf *made = buf_create(wish);
	int fd;

	if (IS_ERR(made))
		return PTR_ERR(made);
	fd = get_unused_fd_flags(wish->fd_flags);
	if (fd < 0) {
		dma_buf_put(made);
		return fd;
	}
	*dmabuf = made;
	return fd;
}

static struct heapsim_export *export_new(struct heapsim_buf *buf)
{
	struct heapsim_user *user = heapsim_limit_user_get();
	struct heapsim_export *export;
	int ret;

	if (!user)
		return ERR_PTR(-ENOMEM);
	export = heapsim_limit_alloc(user, sizeof(*export));
	if (IS_ERR(export)) {
		heapsim_limit_user_put(user);
		return export;
	}
	ret = heapsim_limit_reserve(user, HEAPSIM_CORE_BYTES);
	if (ret) {
		heapsim_limit_free(user, export);
		heapsim_limit_user_put(user);
		return ERR_PTR(ret);
	}
	export->buf = buf;
	export->user = user;
	return export;
}

static struct dma_buf *buf_reopen(struct heapsim_buf *buf, int fd_flags)
{
	struct heapsim_export *export = export_new(buf);
	DEFINE_DMA_BUF_EXPORT_INFO(exp);
	struct dma_buf *dmabuf;

	if (IS_ERR(export))
		return ERR_CAST(export);
	exp.exp_name = buf->dmabuf->exp_name;
	exp.ops = &buf_ops;
	exp.size = buf->len;
	exp.flags = fd_flags;
	exp.resv = buf->dmabuf->resv;
	exp.priv = export;
	dmabuf = dma_buf_export(&exp);
	if (IS_ERR(dmabuf)) {
		export_free(export);
		return dmabuf;
	}
	get_dma_buf(buf->dmabuf);
	/* Its areas are where PTEs are taken away; nobody has the file yet. */
	dmabuf->file->f_mapping = buf->dmabuf->file->f_mapping;
	return dmabuf;
}

/**
 * heapsim_buf_reopen_fd() - make a further dma-buf and room for its fd
 * @given: a dma-buf that the caller has
 * @fd_flags: O_ACCMODE and O_CLOEXEC for the file
 * @dmabuf: out: as heapsim_buf_create_fd() has it
 *
 * Context: may sleep.
 * Return: the number, -EOPNOTSUPP a foreign buffer, -EPERM the file of @given
 * may not be used for so much, -EBUSY the user has too many objects, -ENOMEM,
 * -EMFILE.
 */
int heapsim_buf_reopen_fd(struct dma_buf *given, int fd_flags,
			  struct dma_buf **dmabuf)
{
	struct heapsim_buf *buf = heapsim_buf_of(given);
	struct dma_buf *made;
	int fd;

	if (!buf)
		return -EOPNOTSUPP;
	if (OPEN_FMODE(fd_flags) & (FMODE_READ | FMODE_WRITE) &
	    ~given->file->f_mode)
		return -EPERM;
	made = buf_reopen(buf, fd_flags);
	if (IS_ERR(made))
		return PTR_ERR(made);
	fd = get_unused_fd_flags(fd_flags);
	if (fd < 0) {
		dma_buf_put(made);
		return fd;
	}
	*dmabuf = made;
	return fd;
}

/**
 * heapsim_bufs_get_info() - what all buffers have
 * @info: filled in part
 */
void heapsim_bufs_get_info(struct heapsim_info *info)
{
	mutex_lock(&heapsim_bufs_lock);
	info->nr_bufs = nr_bufs;
	mutex_unlock(&heapsim_bufs_lock);
	info->buf_bytes = heapsim_limit_used();
	info->cpu_bytes = heapsim_image_bytes();
	info->pool_bytes = heapsim_pool_bytes();
	info->missing_ends = heapsim_missing_ends();
}
