// SPDX-License-Identifier: GPL-2.0-only
/*
 * User mappings. A one-view buffer is mapped whole at mmap. A two-view buffer
 * is mapped by faults: read-only until a store, so that the first store to a
 * page is seen; PTEs are PFNs and go away by heapsim_views_revoke().
 */
#include <linux/mm.h>

#include "heapsim.h"

static pgprot_t prot_of(const struct vm_area_struct *vma,
			enum heapsim_touch touch)
{
	unsigned long flags = vma->vm_flags;

	if (touch == HEAPSIM_TOUCH_READ)
		flags &= ~VM_WRITE;
	return vm_get_page_prot(flags);
}

static vm_fault_t insert(struct vm_area_struct *vma, struct heapsim_buf *buf,
			 size_t page, enum heapsim_touch touch)
{
	u8 *image = heapsim_views_cpu_image(buf, page);
	unsigned long addr = vma->vm_start +
			     ((page - vma->vm_pgoff) << PAGE_SHIFT);

	return vmf_insert_pfn_prot(vma, addr, page_to_pfn(virt_to_page(image)),
				   prot_of(vma, touch));
}

/* Reads of a page that cannot be a mistake need not be seen one by one. */
static void insert_around(struct vm_area_struct *vma, struct heapsim_buf *buf,
			  size_t page)
{
	const size_t per_fill = heapsim_config.fill >> PAGE_SHIFT;
	size_t first = round_down(page, per_fill);
	size_t vma_end = vma->vm_pgoff + vma_pages(vma);
	size_t end = min3(first + per_fill, buf->nr_pages, vma_end);
	size_t i;

	for (i = max_t(size_t, first, vma->vm_pgoff); i < end; i++)
		if (i != page && heapsim_views_can_map_ahead(buf, i))
			insert(vma, buf, i, HEAPSIM_TOUCH_READ);
}

static vm_fault_t fault_page(struct vm_fault *vmf, enum heapsim_touch touch,
			     bool has_pte)
{
	struct vm_area_struct *vma = vmf->vma;
	struct heapsim_buf *buf = vma->vm_private_data;
	size_t page = vmf->pgoff;
	u64 off = ((u64)page << PAGE_SHIFT) + offset_in_page(vmf->real_address);
	struct heapsim_images images;
	vm_fault_t ret;
	size_t need;

	if (page >= buf->nr_pages)
		return VM_FAULT_SIGBUS;
	heapsim_images_init(&images);
	mutex_lock(&buf->lock);
	while ((need = heapsim_views_touch(buf, off, 1, touch, &images))) {
		mutex_unlock(&buf->lock);
		if (heapsim_images_get(&images, need)) {
			heapsim_images_put(&images);
			/* VM_FAULT_OOM would call the OOM killer. */
			return VM_FAULT_SIGBUS;
		}
		mutex_lock(&buf->lock);
	}
	/*
	 * The core must not upgrade a read-only PFN itself: between our answer
	 * and its look at the PTE a clean and a refault could put the same PFN
	 * back, and the store would go unseen. So it is taken away and put
	 * anew, all under the lock.
	 */
	if (has_pte)
		heapsim_views_revoke(buf, (u64)page << PAGE_SHIFT, PAGE_SIZE);
	if (heapsim_config.evicts)
		heapsim_views_evict(buf, page);
	ret = insert(vma, buf, page, touch);
	if (touch == HEAPSIM_TOUCH_READ && ret == VM_FAULT_NOPAGE)
		insert_around(vma, buf, page);
	mutex_unlock(&buf->lock);
	heapsim_images_put(&images);
	return ret;
}

static vm_fault_t heapsim_vm_fault(struct vm_fault *vmf)
{
	return fault_page(vmf, vmf->flags & FAULT_FLAG_WRITE ?
			  HEAPSIM_TOUCH_WRITE : HEAPSIM_TOUCH_READ, false);
}

static vm_fault_t heapsim_vm_pfn_mkwrite(struct vm_fault *vmf)
{
	return fault_page(vmf, HEAPSIM_TOUCH_WRITE, true);
}

/* For ptrace, gdb and /proc/PID/mem, which cannot fault PFNs in. */
static int access_page(struct heapsim_buf *buf, u64 off, void *bytes,
		       size_t len, enum heapsim_touch touch)
{
	struct heapsim_images images;
	size_t need;
	u8 *image;

	heapsim_images_init(&images);
	mutex_lock(&buf->lock);
	while ((need = heapsim_views_touch(buf, off, len, touch, &images))) {
		mutex_unlock(&buf->lock);
		if (heapsim_images_get(&images, need)) {
			heapsim_images_put(&images);
			return -ENOMEM;
		}
		mutex_lock(&buf->lock);
	}
	image = heapsim_views_cpu_image(buf, off >> PAGE_SHIFT) +
		offset_in_page(off);
	if (touch == HEAPSIM_TOUCH_WRITE)
		memcpy(image, bytes, len);
	else
		memcpy(bytes, image, len);
	mutex_unlock(&buf->lock);
	heapsim_images_put(&images);
	return 0;
}

static int heapsim_vm_access(struct vm_area_struct *vma, unsigned long addr,
			     void *bytes, int len, int write)
{
	struct heapsim_buf *buf = vma->vm_private_data;
	u64 off = (addr - vma->vm_start) + ((u64)vma->vm_pgoff << PAGE_SHIFT);
	int done = 0;

	if (off >= buf->len)
		return -EFAULT;
	len = min_t(u64, len, buf->len - off);
	while (done < len) {
		u64 at = off + done;
		size_t piece = min_t(size_t, len - done,
				     PAGE_SIZE - offset_in_page(at));
		int ret = 0;

		if (buf->has_two_views) {
			ret = access_page(buf, at, bytes + done, piece,
					  write ? HEAPSIM_TOUCH_WRITE :
						  HEAPSIM_TOUCH_READ);
		} else {
			u8 *dram = page_address(heapsim_buf_page(buf,
							at >> PAGE_SHIFT));

			dram += offset_in_page(at);
			if (write)
				memcpy(dram, bytes + done, piece);
			else
				memcpy(bytes + done, dram, piece);
		}
		if (ret)
			return done ? done : ret;
		done += piece;
	}
	return done;
}

static const struct vm_operations_struct one_view_ops = {
	.access = heapsim_vm_access,
};

static const struct vm_operations_struct two_views_ops = {
	.fault = heapsim_vm_fault,
	.pfn_mkwrite = heapsim_vm_pfn_mkwrite,
	.access = heapsim_vm_access,
};

static int map_whole(struct heapsim_buf *buf, struct vm_area_struct *vma)
{
	unsigned long addr = vma->vm_start;
	size_t skip = vma->vm_pgoff;
	pgprot_t prot = vma->vm_page_prot;
	size_t i;

	if (buf->is_wc)
		prot = pgprot_writecombine(prot);
	for (i = 0; i < buf->nr_chunks && addr < vma->vm_end; i++) {
		const struct heapsim_chunk *chunk = &buf->chunks[i];
		size_t nr = chunk->nr_pages;
		int ret;

		if (skip >= nr) {
			skip -= nr;
			continue;
		}
		nr = min_t(size_t, nr - skip,
			   (vma->vm_end - addr) >> PAGE_SHIFT);
		ret = remap_pfn_range(vma, addr,
				      page_to_pfn(chunk->page + skip),
				      nr << PAGE_SHIFT, prot);
		if (ret)
			return ret;
		addr += nr << PAGE_SHIFT;
		skip = 0;
	}
	return 0;
}

/**
 * heapsim_buf_mmap() - map a buffer
 * @dmabuf: ours
 * @vma: range, checked by the core to be inside the buffer
 *
 * Context: mmap_lock is held for writing.
 * Return: 0, -EINVAL for a private mapping, -ENOMEM.
 */
int heapsim_buf_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct heapsim_buf *buf = dmabuf->priv;
	int ret;

	/* a shared map of an fd that is open for reading lacks VM_SHARED */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	buf->is_touched = true;
	vma->vm_private_data = buf;
	if (!buf->has_two_views) {
		vma->vm_ops = &one_view_ops;
		return map_whole(buf, vma);
	}
	ret = heapsim_views_init(buf);
	if (ret)
		return ret;
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &two_views_ops;
	return 0;
}
