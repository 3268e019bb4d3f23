// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers: creation, release, the list of all buffers. A buffer has one dma-buf
 * and may get additional ones, made from its descriptors, whose files have
 * other access modes. They differ in nothing else: the core has no access modes
 * for importers, so a driver may use each of them in the same way.
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
static u64 nr_bufs;	/* protected by heapsim_bufs_lock */
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
 * heapsim_kind_name() - get the name of a kind of buffer
 * @kind: enum heapsim_kind except HEAPSIM_KIND_FOREIGN
 *
 * Return: static string; the name of the heap if there is one for the kind.
 */
const char *heapsim_kind_name(u32 kind)
{
	return kind_names[kind];
}

/**
 * heapsim_kind_resolve() - get the kind that buffers of a kind have on this
 *	board
 * @kind: enum heapsim_kind except HEAPSIM_KIND_FOREIGN
 *
 * Return: @kind, except for HEAPSIM_KIND_SYSTEM, which depends on the profile.
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
	if (buf->mapping)
		iput(buf->mapping->host);
	mutex_destroy(&buf->lock);
	mutex_destroy(&buf->stock_lock);
	mutex_destroy(&buf->vmap_lock);
	kfree(buf);
}

static void export_free(struct heapsim_export *export)
{
	heapsim_limit_free(export->user, export, HEAPSIM_CORE_BYTES);
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
 * heapsim_buf_of() - get the buffer of a dma-buf
 * @dmabuf: any dma-buf
 *
 * Return: the buffer, valid as long as @dmabuf; NULL if it is foreign.
 */
struct heapsim_buf *heapsim_buf_of(struct dma_buf *dmabuf)
{
	return dmabuf->ops == &buf_ops ? heapsim_buf_of_ours(dmabuf) : NULL;
}

/**
 * heapsim_buf_revoke() - make the next access to each page fault
 * @dmabuf: any dma-buf
 *
 * Accesses to a buffer with one view are tracked only if it belongs to a
 * context; otherwise its PTEs stay.
 *
 * Context: takes the buffer's lock; may sleep.
 * Return: 0, -EOPNOTSUPP for a foreign buffer, -EINTR if the caller is killed.
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
 * Switches from two views to one, or back. Two views become one by a clean and
 * an invalidate, which count as any other. The buffer is locked.
 * Returns 0, -EBUSY if it has a holder, an open bracket or a job, or -EINTR if
 * the caller is killed.
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
		ret = heapsim_ptes_unmap(buf, buf->mapping);
	}
	if (!ret)
		ret = heapsim_devview_revoke(buf);
	if (ret)
		return ret;
	/* Also read without the lock, to decide what to allocate. */
	WRITE_ONCE(buf->has_two_views, !buf->has_two_views);
	return 0;
}

/**
 * heapsim_buf_set_policy() - change the policy of a buffer
 * @dmabuf: any dma-buf
 * @rule: policy
 *
 * Context: takes the buffer's lock; may sleep.
 * Return: 0, -EOPNOTSUPP for a foreign buffer, -EPERM without CAP_SYS_ADMIN,
 * -EBUSY if the number of views cannot change now, -ENOMEM, or -EINTR if the
 * caller is killed.
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
	/*
	 * Random eviction happens on faults, so all accesses must fault again.
	 */
	if (!ret)
		ret = heapsim_ptes_revoke_all(buf);
	if (!ret && has_two_views != buf->has_two_views)
		ret = buf_switch_views(buf);
	if (!ret) {
		/* Faults and steps read these fields without the lock. */
		WRITE_ONCE(buf->rule.policy, rule->policy);
		WRITE_ONCE(buf->rule.is_precise, rule->is_precise);
		buf->rule.evicts = rule->evicts;
		buf->rule.seed = rule->seed;
		line_seed(&buf->lines, rule->seed, 0);
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
	buf->is_wc = is_uncached && heapsim_has_write_combine();
	if (kind != HEAPSIM_KIND_CONTIGUOUS)
		buf->pool = buf->is_wc ? &heapsim_pool_wc :
					 &heapsim_pool_cached;
}

static struct heapsim_buf *buf_alloc(const struct heapsim_buf_params *params)
{
	const u64 len = PAGE_ALIGN(params->len);
	struct heapsim_buf *buf;
	int ret;

	buf = kzalloc(sizeof(*buf), HEAPSIM_GFP_USER);
	if (!buf)
		return ERR_PTR(-ENOMEM);
	buf->user = heapsim_limit_charge(len);
	if (IS_ERR(buf->user)) {
		ret = PTR_ERR(buf->user);
		kfree(buf);
		return ERR_PTR(ret);
	}
	mutex_init(&buf->lock);
	mutex_init(&buf->stock_lock);
	mutex_init(&buf->vmap_lock);
	spin_lock_init(&buf->lines_lock);
	INIT_LIST_HEAD(&buf->node);
	INIT_LIST_HEAD(&buf->brackets);
	INIT_LIST_HEAD(&buf->attachments);
	buf->own.buf = buf;
	buf->lines.report = heapsim_record_lines;
	strscpy(buf->name, params->name, sizeof(buf->name));
	buf->len = len;
	buf->nr_pages = len >> PAGE_SHIFT;
	buf_init_kind(buf, params->kind);
	buf->id = atomic64_inc_return(&last_id);
	heapsim_policy_give(buf, params->ctx);
	ret = heapsim_dram_alloc(buf);
	if (!ret)
		return buf;
	buf_free(buf);
	return ERR_PTR(ret);
}

static struct dma_buf *buf_create(const struct heapsim_buf_params *params)
{
	DEFINE_DMA_BUF_EXPORT_INFO(exp);
	struct heapsim_buf *buf;
	struct dma_buf *dmabuf;
	int ret;

	if (!params->len || params->len > SSIZE_MAX - PAGE_SIZE)
		return ERR_PTR(-EINVAL);
	buf = buf_alloc(params);
	if (IS_ERR(buf))
		return ERR_CAST(buf);
	exp.exp_name = heapsim_kind_name(params->kind);
	exp.ops = &buf_ops;
	exp.size = buf->len;
	exp.flags = params->fd_flags;
	exp.priv = &buf->own;
	dmabuf = dma_buf_export(&exp);
	if (IS_ERR(dmabuf)) {
		buf_free(buf);
		return dmabuf;
	}
	buf->dmabuf = dmabuf;
	buf->mapping = heapsim_ptes_mapping(dmabuf);
	/* Stored because the dma-buf is gone when the buffer is released. */
	buf->inode = file_inode(dmabuf->file)->i_ino;
	mutex_lock(&heapsim_bufs_lock);
	list_add_tail(&buf->node, &heapsim_bufs);
	nr_bufs++;
	mutex_unlock(&heapsim_bufs_lock);
	if (buf->kind < HEAPSIM_KIND_MANAGED)
		return dmabuf;
	ret = heapsim_ctx_buf_create(buf, params);
	if (!ret)
		return dmabuf;
	dma_buf_put(dmabuf);
	return ERR_PTR(ret);
}

/* Returns a descriptor for a new dma-buf, or -errno without the dma-buf. */
static int buf_reserve_fd(struct dma_buf *made, int fd_flags,
			  struct dma_buf **dmabuf)
{
	int fd;

	if (IS_ERR(made))
		return PTR_ERR(made);
	fd = get_unused_fd_flags(fd_flags);
	if (fd < 0)
		dma_buf_put(made);
	else
		*dmabuf = made;
	return fd;
}

/**
 * heapsim_buf_create_fd() - create a buffer and reserve a descriptor
 * @params: parameters
 * @dmabuf: out: dma-buf with one reference. The caller installs its file at the
 *	reserved descriptor or releases both; nobody can close or dup it before
 *
 * Context: may sleep.
 * Return: reserved descriptor; -EINVAL if the length is 0 or too large, -ENOMEM
 * without memory or above a limit, -EINTR if the caller is killed, -EMFILE,
 * -EBUSY if the user of the context has too many objects.
 */
int heapsim_buf_create_fd(const struct heapsim_buf_params *params,
			  struct dma_buf **dmabuf)
{
	return buf_reserve_fd(buf_create(params), params->fd_flags, dmabuf);
}

static struct heapsim_export *export_new(struct heapsim_buf *buf)
{
	struct heapsim_user *user = heapsim_limit_user_get();
	struct heapsim_export *export;

	if (!user)
		return ERR_PTR(-ENOMEM);
	export = heapsim_limit_alloc(user, sizeof(*export), HEAPSIM_CORE_BYTES);
	if (!IS_ERR(export)) {
		export->buf = buf;
		export->user = user;
	}
	heapsim_limit_user_put(user);
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
	/* PTEs are revoked by this mapping. Nobody else has the file yet. */
	dmabuf->file->f_mapping = buf->mapping;
	return dmabuf;
}

/**
 * heapsim_buf_reopen_fd() - create an additional dma-buf and reserve a
 *	descriptor
 * @given: dma-buf that the caller has a descriptor of
 * @fd_flags: O_ACCMODE and O_CLOEXEC of the file
 * @dmabuf: out: same as for heapsim_buf_create_fd()
 *
 * Context: may sleep.
 * Return: reserved descriptor; -EOPNOTSUPP for a foreign buffer, -EPERM if the
 * access mode exceeds that of @given, -EBUSY if the user has too many objects,
 * -ENOMEM, -EMFILE.
 */
int heapsim_buf_reopen_fd(struct dma_buf *given, int fd_flags,
			  struct dma_buf **dmabuf)
{
	struct heapsim_buf *buf = heapsim_buf_of(given);

	if (!buf)
		return -EOPNOTSUPP;
	if (OPEN_FMODE(fd_flags) & (FMODE_READ | FMODE_WRITE) &
	    ~given->file->f_mode)
		return -EPERM;
	return buf_reserve_fd(buf_reopen(buf, fd_flags), fd_flags, dmabuf);
}

/**
 * heapsim_bufs_get_info() - get totals of all buffers
 * @info: the fields about buffers are set
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
