// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device views: a second dma-buf of a buffer, with its own inode, so that its
 * PTEs can be revoked separately. It maps DRAM, for processes that simulate an
 * engine.
 *
 * If the buffer can have two views, stores are tracked by page. The first store
 * to a page saves a copy of the page, and gives the CPU a twin of it. When a
 * job of a stream ends, page and copy are compared line by line; lines that
 * differ were written by the engine. heapsim_buf.lock is held for all of this.
 */
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "ctx_buf.h"
#include "devview.h"
#include "lines.h"

/* Upper bound of pages that a store maps in advance. */
#define AHEAD	16

/**
 * struct heapsim_devview - a device view
 * @dmabuf: dma-buf of the view
 * @mapping: that of @dmabuf, with a reference to its inode
 * @buf: buffer; the view holds a reference to its dma-buf
 * @written: bitmap of pages with a copy; protected by heapsim_buf.lock, as are
 *	the fields below
 * @before: copies, by page; NULL if stores are not tracked
 * @nr_written: number of copies
 */
struct heapsim_devview {
	struct dma_buf *dmabuf;
	struct address_space *mapping;
	struct heapsim_buf *buf;
	unsigned long *written;
	u8 **before;
	size_t nr_written;
};

static void devview_ptes_revoke(struct heapsim_devview *view, size_t first,
				size_t end)
{
	unmap_mapping_range(view->mapping, (loff_t)first << PAGE_SHIFT,
			    (loff_t)(end - first) << PAGE_SHIFT, 1);
}

/*
 * Reports to the model which lines of a page the engine wrote. Returns true if
 * there are any.
 */
static bool devview_page_compare(struct heapsim_devview *view, size_t page)
{
	const size_t line = heapsim_config.profile->line_size;
	struct line_buf *lines = &view->buf->lines;
	const u8 *before = view->before[page];
	const u8 *dram = lines->pages[page].dram;
	size_t off, from = 0;
	bool is_changed = false, differs;

	for (off = 0; off <= PAGE_SIZE; off += line) {
		differs = off < PAGE_SIZE &&
			  memcmp(before + off, dram + off, line);
		if (!differs && from < off)
			line_engine_write(lines, ((u64)page << PAGE_SHIFT) +
						 from, off - from, NULL);
		if (!differs)
			from = off + line;
		is_changed |= differs;
	}
	return is_changed;
}

/*
 * Compares a page whose PTEs have been revoked with its copy, and frees the
 * copy.
 */
static void devview_page_settle(struct heapsim_devview *view, size_t page,
				const struct heapsim_party *party, u64 serial,
			struct heapsim_images *images)
{
	struct heapsim_buf *buf = view->buf;
	bool is_changed;

	spin_lock(&buf->lines_lock);
	buf->acting = party;
	is_changed = devview_page_compare(view, page);
	buf->acting = NULL;
	if (is_changed)
		buf->notes[page].engine = serial;
	spin_unlock(&buf->lines_lock);
	heapsim_image_give(images, view->before[page]);
	view->before[page] = NULL;
	/* Make the next CPU access to what was written fault. */
	if (is_changed)
		heapsim_ptes_revoke(buf, page, page + 1);
}

static int devview_settle(struct heapsim_devview *view,
			  const struct heapsim_party *party, u64 serial,
		       enum heapsim_until until)
{
	const size_t end = view->buf->nr_pages;
	struct heapsim_images images;
	size_t stop = 0, page = 0;

	if (!view->nr_written)
		return 0;
	heapsim_images_init(&images);
	for_each_set_bit_from(page, view->written, end) {
		if (until == HEAPSIM_UNTIL_KILLED && heapsim_is_killed())
			break;
		if (page >= stop) {
			stop = min(page + heapsim_pages_at_once(view->buf),
				   end);
			stop = find_next_zero_bit(view->written, stop, page);
			devview_ptes_revoke(view, page, stop);
		}
		devview_page_settle(view, page, party, serial, &images);
		__clear_bit(page, view->written);
		view->nr_written--;
		heapsim_images_rest(&images);
	}
	heapsim_images_put(&images);
	if (view->nr_written)
		return -EINTR;
	heapsim_holder_count_writers(view->buf, -1);
	return 0;
}

/**
 * heapsim_devview_settle() - report to the model what was stored to a device
 *	view
 * @buf: buffer, locked; may have no device view
 * @party: job that stored
 * @serial: number of @party, from heapsim_party_keep()
 *
 * Return: 0, or -EINTR if the caller is killed; the next call reports the rest.
 */
int heapsim_devview_settle(struct heapsim_buf *buf,
			   const struct heapsim_party *party, u64 serial)
{
	return buf->view ? devview_settle(buf->view, party, serial,
				       HEAPSIM_UNTIL_KILLED) : 0;
}

/**
 * heapsim_devview_revoke() - revoke all PTEs of a device view
 * @buf: buffer, locked, whose stores have been settled; may have no device view
 *
 * Return: 0, or -EINTR if the caller is killed; some PTEs remain.
 */
int heapsim_devview_revoke(struct heapsim_buf *buf)
{
	return buf->view ? heapsim_ptes_unmap(buf, buf->view->mapping) : 0;
}

/*
 * If the page before was stored to, makes the pages after it writable in
 * advance.
 */
static void devview_span_widen(const struct heapsim_devview *view,
			       struct vm_area_struct *vma,
		       struct heapsim_span *span)
{
	const size_t area_end = min(vma->vm_pgoff + vma_pages(vma),
				    view->buf->nr_pages);
	size_t end;

	if (!span->first || !test_bit(span->first - 1, view->written))
		return;
	end = min(span->first + AHEAD, area_end);
	span->end = max(span->end, find_next_bit(view->written, end,
						 span->first + 1));
	span->end = min(span->end, end);
}

/* Returns the number of pages that the stores need from the stock. */
static size_t devview_count_needs(const struct heapsim_devview *view,
				  const struct heapsim_span *span)
{
	size_t page, nr = 0;

	for (page = span->first; page < span->end; page++)
		if (!test_bit(page, view->written))
			nr += 1 + line_needs_twin(&view->buf->lines, page);
	return nr;
}

static void devview_page_keep(struct heapsim_devview *view, size_t page,
			      struct heapsim_images *images)
{
	struct heapsim_buf *buf = view->buf;
	u8 *before;

	if (test_bit(page, view->written))
		return;
	spin_lock(&buf->lines_lock);
	if (line_needs_twin(&buf->lines, page))
		line_add_twin(&buf->lines, page, heapsim_image_take(images));
	spin_unlock(&buf->lines_lock);
	/* The CPU may have mapped the DRAM page itself. */
	heapsim_ptes_revoke(buf, page, page + 1);
	before = heapsim_image_take(images);
	copy_page(before, buf->lines.pages[page].dram);
	view->before[page] = before;
	__set_bit(page, view->written);
	__set_bit(page, buf->active);
	if (!view->nr_written++)
		heapsim_holder_count_writers(buf, 1);
}

/**
 * heapsim_devview_add_written() - put a buffer on the list of its context whose
 *	device views were stored to
 * @buf: buffer of a context; it or its context is locked
 */
void heapsim_devview_add_written(struct heapsim_buf *buf)
{
	struct heapsim_ctx_buf *m = buf->owned;
	struct heapsim_owner *owner = m->owner;

	spin_lock(&owner->rights_lock);
	if (list_empty(&m->written))
		list_add_tail(&m->written, &owner->written);
	spin_unlock(&owner->rights_lock);
}

static void devview_span_keep(struct heapsim_devview *view,
			      const struct heapsim_span *span,
		      struct heapsim_images *images)
{
	size_t page;

	for (page = span->first; page < span->end; page++)
		devview_page_keep(view, page, images);
	heapsim_buf_set_touched(view->buf);
	heapsim_devview_add_written(view->buf);
	heapsim_ctx_buf_note_lines(view->buf, false);
}

/*
 * Locks the buffer with a stock that suffices for the store. Returns 0, or the
 * result of the fault handler with the buffer not locked.
 */
static vm_fault_t devview_lock_for_store(const struct vm_fault *vmf,
					 struct heapsim_devview *view,
				 struct heapsim_span *span,
				 struct heapsim_images *images)
{
	struct heapsim_buf *buf = view->buf;
	vm_fault_t ret;
	size_t need;
	int err;

	for (;;) {
		ret = heapsim_fault_lock(vmf, view->dmabuf, &buf->lock);
		if (ret)
			return ret;
		if (!buf->has_two_views)
			return 0;
		need = 0;
		if (buf->lines.pages) {
			devview_span_widen(view, vmf->vma, span);
			need = devview_count_needs(view, span);
			if (need <= images->nr)
				return 0;
		}
		mutex_unlock(&buf->lock);
		err = heapsim_lines_init(buf, false);
		if (err == -EAGAIN && !fatal_signal_pending(current))
			continue;
		if (err)
			return VM_FAULT_SIGBUS;
		ret = heapsim_images_get_for(vmf, buf, images, need, false);
		if (ret)
			return ret;
	}
}

static vm_fault_t devview_touch(struct vm_fault *vmf, bool is_store,
				bool has_pte)
{
	struct heapsim_span span = { vmf->pgoff, vmf->pgoff + 1 };
	struct heapsim_buf *buf = vmf->vma->vm_private_data;
	struct heapsim_devview *view = buf->view;
	struct heapsim_images images;
	vm_fault_t ret;

	if (vmf->pgoff >= buf->nr_pages)
		return VM_FAULT_SIGBUS;
	heapsim_images_init(&images);
	ret = is_store ? devview_lock_for_store(vmf, view, &span, &images) :
			 heapsim_fault_lock(vmf, view->dmabuf, &buf->lock);
	if (ret) {
		heapsim_images_put(&images);
		return ret;
	}
	if (is_store && buf->has_two_views)
		devview_span_keep(view, &span, &images);
	if (is_store)
		heapsim_buf_set_touched(buf);
	/* The core must not upgrade a PFN itself, see mmap_fault_page(). */
	if (has_pte || span.end > span.first + 1)
		devview_ptes_revoke(view, span.first, span.end);
	ret = heapsim_ptes_insert_dram(vmf, buf, &span, is_store ?
				HEAPSIM_TOUCH_WRITE : HEAPSIM_TOUCH_READ);
	mutex_unlock(&buf->lock);
	heapsim_images_put(&images);
	return ret;
}

static vm_fault_t devview_fault(struct vm_fault *vmf)
{
	return devview_touch(vmf, vmf->flags & FAULT_FLAG_WRITE, false);
}

static vm_fault_t devview_pfn_mkwrite(struct vm_fault *vmf)
{
	return devview_touch(vmf, true, true);
}

static int devview_access_page(struct heapsim_buf *buf,
			       struct heapsim_access *access, void *bytes)
{
	struct page *page = heapsim_dram_page(buf, access->off >> PAGE_SHIFT);

	memcpy(bytes, page_address(page) + offset_in_page(access->off),
	       access->len);
	return 0;
}

/* Debuggers may only read. */
static int devview_access(struct vm_area_struct *vma, unsigned long addr,
			  void *bytes, int len, int write)
{
	if (write)
		return -EFAULT;
	return heapsim_area_access(vma, addr, bytes, len, HEAPSIM_TOUCH_READ,
				   devview_access_page);
}

static const struct vm_operations_struct devview_vm_ops = {
	.open = heapsim_area_open,
	.close = heapsim_area_close,
	.may_split = heapsim_area_may_split,
	.fault = devview_fault,
	.pfn_mkwrite = devview_pfn_mkwrite,
	.access = devview_access,
};

static const struct vm_operations_struct devview_whole_ops = {
	.access = devview_access,
};

static int devview_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct heapsim_devview *view = dmabuf->priv;
	int ret;

	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	vma->vm_private_data = view->buf;
	if (!view->before) {
		heapsim_buf_set_touched(view->buf);
		vma->vm_ops = &devview_whole_ops;
		return heapsim_ptes_map_whole(view->buf, vma);
	}
	ret = heapsim_area_add(view->buf);
	if (ret)
		return ret;
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &devview_vm_ops;
	return 0;
}

static int devview_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *a)
{
	return -EOPNOTSUPP;
}

/* Required by the core, but never called, since attaching fails. */
static struct sg_table *devview_map(struct dma_buf_attachment *a,
				    enum dma_data_direction dir)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void devview_unmap(struct dma_buf_attachment *a, struct sg_table *sgt,
			  enum dma_data_direction dir)
{
}

static void devview_free(struct heapsim_devview *view)
{
	if (view->mapping)
		iput(view->mapping->host);
	bitmap_free(view->written);
	kvfree(view->before);
	kfree(view);
}

static void devview_release(struct dma_buf *dmabuf)
{
	const struct heapsim_party nobody = { 0 };
	struct heapsim_devview *view = dmabuf->priv;
	struct heapsim_buf *buf = view->buf;

	mutex_lock(&buf->lock);
	devview_settle(view, &nobody, 0, HEAPSIM_UNTIL_DONE);
	buf->view = NULL;
	mutex_unlock(&buf->lock);
	devview_free(view);
	dma_buf_put(buf->dmabuf);
}

static const struct dma_buf_ops devview_ops = {
	.attach = devview_attach,
	.map_dma_buf = devview_map,
	.unmap_dma_buf = devview_unmap,
	.mmap = devview_mmap,
	.release = devview_release,
};

static struct heapsim_devview *devview_new(struct heapsim_buf *buf)
{
	struct heapsim_devview *view = kzalloc(sizeof(*view), HEAPSIM_GFP_USER);

	if (!view)
		return NULL;
	view->buf = buf;
	if (!buf->is_noncoherent)
		return view;
	view->written = bitmap_zalloc(buf->nr_pages, HEAPSIM_GFP_USER);
	view->before = kvcalloc(buf->nr_pages, sizeof(*view->before),
				HEAPSIM_GFP_USER);
	if (view->written && view->before)
		return view;
	devview_free(view);
	return NULL;
}

/**
 * heapsim_devview_create_fd() - create a device view and reserve a descriptor
 * @buf: buffer without other users
 * @fd_flags: O_ACCMODE and O_CLOEXEC of the file
 * @dmabuf: out: same as for heapsim_buf_create_fd()
 *
 * Context: may sleep.
 * Return: reserved descriptor, -ENOMEM or -EMFILE.
 */
int heapsim_devview_create_fd(struct heapsim_buf *buf, int fd_flags,
			      struct dma_buf **dmabuf)
{
	struct heapsim_devview *view = devview_new(buf);
	DEFINE_DMA_BUF_EXPORT_INFO(exp);
	int fd;

	if (!view)
		return -ENOMEM;
	exp.exp_name = "device view";
	exp.ops = &devview_ops;
	exp.size = buf->len;
	exp.flags = fd_flags;
	exp.priv = view;
	view->dmabuf = dma_buf_export(&exp);
	if (IS_ERR(view->dmabuf)) {
		fd = PTR_ERR(view->dmabuf);
		devview_free(view);
		return fd;
	}
	view->mapping = heapsim_ptes_mapping(view->dmabuf);
	get_dma_buf(buf->dmabuf);
	buf->view = view;
	fd = heapsim_dram_reserve_view(buf);
	if (!fd)
		fd = get_unused_fd_flags(fd_flags);
	if (fd < 0) {
		dma_buf_put(view->dmabuf);
		return fd;
	}
	*dmabuf = view->dmabuf;
	return fd;
}
