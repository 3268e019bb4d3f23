// SPDX-License-Identifier: GPL-2.0-only
/*
 * User mappings of buffers.
 *
 * A kind with one view is mapped as a whole at mmap; a kind that can have two
 * is mapped on faults. While a buffer has two views, its PTEs are read-only
 * until a store, so that the first store to a page faults, and
 * heapsim_ptes_revoke() revokes them. While its policy is off, a fault maps the
 * whole VMA writable, nothing is tracked, and the PTEs are revoked when the
 * policy changes.
 *
 * Managed memory with one view is also mapped on faults, and its PTEs are
 * revoked when the CPU must no longer access it. Device memory gets a PTE only
 * for a forbidden access that is allowed to continue, one at a time.
 */
#include <linux/mm.h>
#include <linux/sched/task_stack.h>

#include "ctx.h"
#include "importer.h"
#include "lines.h"
#include "step.h"
#include "trace.h"

/*
 * Locks the buffer after the access has been judged and carried out with memory
 * from @images, which is filled while the lock is not held. Nothing is judged
 * if the buffer has one view. An access that has been reported as forbidden is
 * not retried, or it would be reported again. @vmf: see heapsim_fault_lock().
 * Returns 0, or the result of the fault handler with the buffer not locked.
 */
static vm_fault_t mmap_lock_touched(const struct vm_fault *vmf,
				    struct heapsim_buf *buf,
			       struct heapsim_access *access,
			       struct heapsim_images *images,
			       struct heapsim_span *span)
{
	const struct heapsim_span whole = *span;

	for (;;) {
		size_t need = 0;
		bool is_ready;
		vm_fault_t ret;
		int err;

		*span = whole;
		ret = heapsim_fault_lock(vmf, buf->dmabuf, &buf->lock);
		if (ret)
			return ret;
		ret = heapsim_ctx_buf_touch(buf, access);
		if (ret) {
			mutex_unlock(&buf->lock);
			return ret;
		}
		if (!buf->has_two_views)
			return 0;
		if (access->is_wrong)
			vmf = NULL;
		images->wants_step = access->addr &&
				     heapsim_step_is_wanted(buf);
		/* The VMA may have been mapped while the policy was off. */
		is_ready = buf->lines.pages &&
			   (images->step || !images->wants_step);
		if (is_ready)
			need = heapsim_lines_touch(buf, access, images, span);
		if (is_ready && !need)
			return 0;
		mutex_unlock(&buf->lock);
		/*
		 * If the lock is held, heapsim_fault_lock() waits for it. Other
		 * errors must not be VM_FAULT_OOM, for the OOM killer.
		 */
		err = heapsim_lines_init(buf, false);
		if (err == -EAGAIN && !fatal_signal_pending(current))
			continue;
		if (err)
			return VM_FAULT_SIGBUS;
		ret = heapsim_images_get_for(vmf, buf, images, need,
					     !READ_ONCE(buf->is_touched));
		if (ret)
			return ret;
	}
}

static void mmap_revoke(struct heapsim_buf *buf,
			const struct heapsim_span *span)
{
	if (buf->has_two_views)
		heapsim_ptes_revoke(buf, span->first, span->end);
	else
		unmap_mapping_range(buf->mapping,
				    (loff_t)span->first << PAGE_SHIFT,
				    (loff_t)(span->end - span->first) <<
				    PAGE_SHIFT, 1);
}

static vm_fault_t mmap_fault_page(struct vm_fault *vmf,
				  enum heapsim_touch touch, bool has_pte)
{
	struct vm_area_struct *vma = vmf->vma;
	struct heapsim_buf *buf = vma->vm_private_data;
	size_t page = vmf->pgoff;
	const bool is_user = vmf->flags & FAULT_FLAG_USER;
	struct heapsim_access access = {
		.off = ((u64)page << PAGE_SHIFT) +
		       offset_in_page(vmf->real_address),
		.len = 1,
		.touch = touch,
		.addr = vmf->real_address,
		.ip = is_user ? instruction_pointer(task_pt_regs(current)) : 0,
	};
	struct heapsim_span span = {
		vma->vm_pgoff, vma->vm_pgoff + vma_pages(vma)
	};
	struct heapsim_images images;
	vm_fault_t ret;

	if (page >= buf->nr_pages)
		return VM_FAULT_SIGBUS;
	access.is_again = is_user && heapsim_step_is_again(buf, &access);
	heapsim_images_init(&images);
	ret = mmap_lock_touched(vmf, buf, &access, &images, &span);
	if (ret) {
		heapsim_images_put(&images);
		return ret;
	}
	/*
	 * The core must not upgrade a read-only PFN itself: between the return
	 * of this handler and the core's check of the PTE, a clean and another
	 * fault could set the same PFN again, and the store would not be
	 * tracked. So the PTE is revoked and set anew with the lock held. The
	 * other pages of the span have not been stored to, so no process loses
	 * a writable PTE.
	 */
	/* The next forbidden access must fault, too. */
	if (access.is_wrong && !buf->has_two_views)
		span = (struct heapsim_span){ page, page + 1 };
	if (has_pte)
		mmap_revoke(buf, &span);
	if (buf->rule.evicts && buf->has_two_views && !access.is_again)
		heapsim_lines_evict(buf, page);
	if (!buf->has_two_views)
		heapsim_buf_set_touched(buf);
	ret = buf->has_two_views ?
		heapsim_ptes_insert(vmf, buf, &span, touch) :
		heapsim_ptes_insert_dram(vmf, buf, &span, HEAPSIM_TOUCH_WRITE);
	/* An instruction fetch would fault again after the step. */
	if (!(vmf->flags & FAULT_FLAG_INSTRUCTION))
		heapsim_step_arm(buf, &images.step, &access, is_user);
	mutex_unlock(&buf->lock);
	heapsim_images_put(&images);
	return ret;
}

static vm_fault_t mmap_fault(struct vm_fault *vmf)
{
	return mmap_fault_page(vmf, vmf->flags & FAULT_FLAG_WRITE ?
			  HEAPSIM_TOUCH_WRITE : HEAPSIM_TOUCH_READ, false);
}

static void mmap_zap(struct vm_area_struct *vma)
{
	zap_special_vma_range(vma, vma->vm_start,
			      vma->vm_end - vma->vm_start);
}

/*
 * A child would use the PTEs of its parent, inside a bracket that only the
 * parent has, or beyond the step. Kernels copy them before or after this call,
 * so both VMAs lose theirs. A VMA that is split or moved belongs to the same
 * process.
 *
 * mmap_lock of both processes is held for writing, so this must not wait for
 * the lock of the buffer. It need not: what forbids a child the PTEs of its
 * parent was stored before a fault set them, with mmap_lock held.
 */
static void mmap_open(struct vm_area_struct *vma)
{
	struct heapsim_buf *buf = vma->vm_private_data;
	struct vm_area_struct *parent;

	heapsim_area_open(vma);
	parent = heapsim_area_parent(vma);
	if (!parent ||
	    (!READ_ONCE(buf->nr_holders) && list_empty(&buf->brackets) &&
	     !READ_ONCE(buf->rule.is_precise)))
		return;
	mmap_zap(parent);
	mmap_zap(vma);
	trace_heapsim_revoke(buf->id, (u64)vma->vm_pgoff << PAGE_SHIFT,
			     vma->vm_end - vma->vm_start);
}

static vm_fault_t mmap_pfn_mkwrite(struct vm_fault *vmf)
{
	return mmap_fault_page(vmf, HEAPSIM_TOUCH_WRITE, true);
}

static int mmap_access_page(struct heapsim_buf *buf,
			    struct heapsim_access *access, void *bytes)
{
	const size_t page = access->off >> PAGE_SHIFT;
	struct heapsim_span span = { page, page + 1 };
	struct heapsim_images images;
	int ret = 0;
	u8 *image;

	heapsim_images_init(&images);
	if (mmap_lock_touched(NULL, buf, access, &images, &span)) {
		ret = -EFAULT;
		goto out_put;
	}
	image = heapsim_ptes_image(buf, page) +
		offset_in_page(access->off);
	if (!buf->has_two_views)
		heapsim_buf_set_touched(buf);
	if (access->touch == HEAPSIM_TOUCH_WRITE)
		memcpy(image, bytes, access->len);
	else
		memcpy(bytes, image, access->len);
	mutex_unlock(&buf->lock);
out_put:
	heapsim_images_put(&images);
	return ret;
}

static int mmap_access(struct vm_area_struct *vma, unsigned long addr,
		       void *bytes, int len, int write)
{
	/* As for other shared memory, since the descriptor may be read-only. */
	if (write && !(vma->vm_flags & VM_WRITE))
		return -EFAULT;
	return heapsim_area_access(vma, addr, bytes, len,
				   write ? HEAPSIM_TOUCH_WRITE :
					   HEAPSIM_TOUCH_READ,
				   mmap_access_page);
}

static const struct vm_operations_struct mmap_whole_ops = {
	.access = mmap_access,
};

static const struct vm_operations_struct mmap_fault_ops = {
	.open = mmap_open,
	.close = heapsim_area_close,
	.may_split = heapsim_area_may_split,
	.fault = mmap_fault,
	.pfn_mkwrite = mmap_pfn_mkwrite,
	.access = mmap_access,
};

/**
 * heapsim_mmap() - map a buffer
 * @dmabuf: dma-buf of a buffer
 * @vma: VMA; the core has checked that it lies inside the buffer
 *
 * Context: mmap_lock is held for writing.
 * Return: 0, -EINVAL for a private mapping, -ENOMEM without memory or if there
 * are HEAPSIM_MAX_AREAS.
 */
int heapsim_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct heapsim_buf *buf = heapsim_buf_of_ours(dmabuf);
	int ret = 0;

	/* A shared mapping of a read-only descriptor lacks VM_SHARED. */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	vma->vm_private_data = buf;
	if (!buf->is_faulted) {
		heapsim_buf_set_touched(buf);
		vma->vm_ops = &mmap_whole_ops;
		return heapsim_ptes_map_whole(buf, vma);
	}
	/* A fault does it if the lock is held, since mmap_lock is held here. */
	if (READ_ONCE(buf->has_two_views))
		ret = heapsim_lines_init(buf, false);
	if (!ret || ret == -EAGAIN)
		ret = heapsim_area_add(buf);
	if (ret)
		return ret;
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &mmap_fault_ops;
	return 0;
}
