// SPDX-License-Identifier: GPL-2.0-only
/*
 * User mappings. A buffer of a one-view kind is mapped whole at mmap, one of
 * the other kind by faults. While that has two views: read-only until a store,
 * so that the first store to a page is seen; PTEs are PFNs and go away by
 * heapsim_views_revoke(). While its policy is off: a whole area at once, as it
 * may be used, and nothing is noted; these PTEs go when the policy is switched.
 * Managed memory of one view is mapped so, too, and its PTEs go when the CPU's
 * right to touch it does. Device memory has PTEs only after a touch that was
 * wrong and went on, each time one.
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

/**
 * struct insertion - PTEs to set
 * @vma: where
 * @pmd: of the fault
 * @fault_addr: of the fault
 * @buf: its buffer, locked
 * @prot: of the PTEs
 * @dram: pages from @dram_first on are mapped as they are; NULL: as the CPU
 *	sees them
 * @dram_first: page number
 */
struct insertion {
	struct vm_area_struct *vma;
	pmd_t *pmd;
	unsigned long fault_addr;
	struct heapsim_buf *buf;
	pgprot_t prot;
	struct page *dram;
	size_t dram_first;
};

static unsigned long pfn_of(const struct insertion *in, size_t page)
{
	if (in->dram)
		return page_to_pfn(in->dram) + (page - in->dram_first);
	return page_to_pfn(virt_to_page(heapsim_views_cpu_image(in->buf,
								page)));
}

/*
 * Both of these return VM_FAULT_NOPAGE, or VM_FAULT_SIGBUS without memory for
 * page tables: VM_FAULT_OOM would call the OOM killer.
 */
#ifdef CONFIG_X86
/*
 * The core's way to insert a PFN looks its memory type up in the resource tree,
 * page by page. What is mapped here is ordinary memory.
 */
static int insert_one(pte_t *pte, unsigned long addr, void *data)
{
	struct insertion *in = data;
	struct vm_area_struct *vma = in->vma;
	size_t page = vma->vm_pgoff + ((addr - vma->vm_start) >> PAGE_SHIFT);

	if (pte_none(ptep_get(pte)))
		set_pte_at(vma->vm_mm, addr, pte,
			   pte_mkspecial(pfn_pte(pfn_of(in, page), in->prot)));
	return 0;
}

#ifdef CONFIG_X86_64
/*
 * What the core has found for the fault need not be walked to again, for each
 * page of a row. An area's page table stays as long as the area, and what is
 * not there is made by the walk. Returns false if it is to be walked.
 */
static bool insert_beside(struct insertion *in, unsigned long addr, size_t nr)
{
	struct mm_struct *mm = in->vma->vm_mm;
	const unsigned long last = addr + ((nr - 1) << PAGE_SHIFT);
	spinlock_t *lock;
	pte_t *pte;

	if (((addr ^ in->fault_addr) | (last ^ in->fault_addr)) & PMD_MASK ||
	    !pmd_present(READ_ONCE(*in->pmd)))
		return false;
	lock = pte_lockptr(mm, in->pmd);
	pte = pte_offset_kernel(in->pmd, addr);
	spin_lock(lock);
	for (; addr <= last; addr += PAGE_SIZE)
		insert_one(pte++, addr, in);
	spin_unlock(lock);
	return true;
}
#else
static bool insert_beside(struct insertion *in, unsigned long addr, size_t nr)
{
	return false;
}
#endif

static vm_fault_t insert(struct insertion *in, unsigned long addr,
			 size_t page, size_t nr)
{
	if (insert_beside(in, addr, nr))
		return VM_FAULT_NOPAGE;
	return apply_to_page_range(in->vma->vm_mm, addr, nr << PAGE_SHIFT,
				   insert_one, in) ? VM_FAULT_SIGBUS :
						     VM_FAULT_NOPAGE;
}
#else
static vm_fault_t insert(struct insertion *in, unsigned long addr,
			 size_t page, size_t nr)
{
	vm_fault_t ret = VM_FAULT_NOPAGE;

	for (; nr && ret == VM_FAULT_NOPAGE; nr--, page++, addr += PAGE_SIZE)
		ret = vmf_insert_pfn_prot(in->vma, addr, pfn_of(in, page),
					  in->prot);
	return ret == VM_FAULT_OOM ? VM_FAULT_SIGBUS : ret;
}
#endif

static unsigned long addr_of(const struct vm_area_struct *vma, size_t page)
{
	return vma->vm_start + ((page - vma->vm_pgoff) << PAGE_SHIFT);
}

/* PTEs that are there already stay as they are. */
static vm_fault_t insert_span(const struct vm_fault *vmf,
			      struct heapsim_buf *buf,
			      const struct heapsim_span *span,
			      enum heapsim_touch touch)
{
	struct vm_area_struct *vma = vmf->vma;
	struct insertion in = {
		.vma = vma,
		.pmd = vmf->pmd,
		.fault_addr = vmf->address,
		.buf = buf,
		.prot = prot_of(vma, touch),
	};
	size_t nr = span->end - span->first;

	bitmap_set(buf->mapped, span->first, nr);
	return insert(&in, addr_of(vma, span->first), span->first, nr);
}

/**
 * heapsim_mmap_dram() - set PTEs of pages of DRAM
 * @vmf: fault
 * @buf: buffer
 * @span: pages, those of the area
 * @touch: which PTEs are to allow
 *
 * PTEs that are there stay as they are.
 *
 * Context: the buffer's lock is held.
 * Return: what the fault handler is to answer; VM_FAULT_SIGBUS also if the
 * caller is killed, who never sees it.
 */
vm_fault_t heapsim_mmap_dram(const struct vm_fault *vmf,
			     struct heapsim_buf *buf,
			     const struct heapsim_span *span,
			     enum heapsim_touch touch)
{
	struct vm_area_struct *vma = vmf->vma;
	const size_t end = min(span->end, buf->nr_pages);
	struct insertion in = {
		.vma = vma,
		.pmd = vmf->pmd,
		.fault_addr = vmf->address,
		.buf = buf,
		.prot = prot_of(vma, touch),
	};
	vm_fault_t ret = VM_FAULT_NOPAGE;
	size_t i, first, stop;

	for (i = 0; i < buf->nr_chunks && in.dram_first < end &&
	     ret == VM_FAULT_NOPAGE; i++) {
		in.dram = buf->chunks[i].page;
		first = max(in.dram_first, span->first);
		stop = min(in.dram_first + buf->chunks[i].nr_pages, end);
		if (first < stop)
			ret = insert(&in, addr_of(vma, first), first,
				     stop - first);
		in.dram_first += buf->chunks[i].nr_pages;
		if (fatal_signal_pending(current))
			ret = VM_FAULT_SIGBUS;
		cond_resched();
	}
	return ret;
}

/**
 * heapsim_mmap_lock() - take a lock in a fault
 * @vmf: fault, of an area of @dmabuf; NULL: it is none that may be retried
 * @dmabuf: keeps the lock
 * @lock: a buffer's, or that of the context that has the buffer
 *
 * The holder may clean gigabytes. Meanwhile the fault gives up mmap_lock, which
 * other threads and readers of /proc need, and is retried. A pfn_mkwrite is
 * not: the core goes on with mmap_lock after VM_FAULT_RETRY there.
 *
 * Context: may sleep.
 * Return: 0 with the lock held; else without it: VM_FAULT_RETRY, where @vmf
 * must not be used any more, or VM_FAULT_SIGBUS: the caller is killed.
 */
vm_fault_t heapsim_mmap_lock(const struct vm_fault *vmf,
			     struct dma_buf *dmabuf, struct mutex *lock)
{
	struct mm_struct *mm;

	if (mutex_trylock(lock))
		return 0;
	if (!vmf || !fault_flag_allow_retry_first(vmf->flags) ||
	    vmf->flags & (FAULT_FLAG_VMA_LOCK | FAULT_FLAG_MKWRITE))
		return mutex_lock_killable(lock) ? VM_FAULT_SIGBUS : 0;
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return VM_FAULT_RETRY;
	mm = vmf->vma->vm_mm;
	get_dma_buf(dmabuf);
	mmap_read_unlock(mm);
	if (!mutex_lock_killable(lock))
		mutex_unlock(lock);
	dma_buf_put(dmabuf);
	return VM_FAULT_RETRY;
}

/* Must the context that has the buffer be asked? The buffer is locked. */
static bool is_in_doubt(const struct heapsim_buf *buf,
			const struct heapsim_access *access)
{
	return READ_ONCE(buf->is_revoked) && !access->is_wrong &&
	       !access->is_again && buf->rule.policy != HEAPSIM_POLICY_OFF;
}

/*
 * Lock the buffer with the touch done, and what it used up taken from @images,
 * which are stocked up while the lock is not held. Of one view there is nothing
 * to be done. A touch that was told to be wrong is not retried: it would be
 * told again. @vmf: as heapsim_mmap_lock() has it. Returns 0, or with the
 * buffer not locked what the fault handler returns.
 */
static vm_fault_t lock_touched(const struct vm_fault *vmf,
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

		*span = whole;
		ret = heapsim_mmap_lock(access->is_wrong ? NULL : vmf,
					buf->dmabuf, &buf->lock);
		if (ret)
			return ret;
		if (is_in_doubt(buf, access)) {
			mutex_unlock(&buf->lock);
			ret = heapsim_managed_touch(vmf, buf, access);
			if (ret)
				return ret;
			continue;
		}
		if (!buf->has_two_views)
			return 0;
		images->wants_step = access->addr &&
				     heapsim_step_is_wanted(buf);
		/* It may have been mapped while the policy was off. */
		is_ready = buf->lines.pages &&
			   (images->step || !images->wants_step);
		if (is_ready)
			need = heapsim_views_touch(buf, access, images, span);
		if (is_ready && !need)
			return 0;
		mutex_unlock(&buf->lock);
		/* VM_FAULT_OOM would call the OOM killer. */
		if (heapsim_views_init(buf))
			return VM_FAULT_SIGBUS;
		if (heapsim_images_get(images, need,
				       !READ_ONCE(buf->is_touched)))
			return VM_FAULT_SIGBUS;
	}
}

static void revoke(struct heapsim_buf *buf, const struct heapsim_span *span)
{
	if (buf->has_two_views)
		heapsim_views_revoke(buf, span->first, span->end);
	else
		unmap_mapping_range(buf->dmabuf->file->f_mapping,
				    (loff_t)span->first << PAGE_SHIFT,
				    (loff_t)(span->end - span->first) <<
				    PAGE_SHIFT, 1);
}

static vm_fault_t fault_page(struct vm_fault *vmf, enum heapsim_touch touch,
			     bool has_pte)
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
	ret = lock_touched(vmf, buf, &access, &images, &span);
	if (ret) {
		heapsim_images_put(&images);
		return ret;
	}
	/*
	 * The core must not upgrade a read-only PFN itself: between our answer
	 * and its look at the PTE a clean and a refault could put the same PFN
	 * back, and the store would go unseen. So it is taken away and put
	 * anew, all under the lock. Others of the span are not stored to, so
	 * no process loses a writable PTE of them.
	 */
	/* The next touch of what may not be touched is to be seen, too. */
	if (access.is_wrong && !buf->has_two_views)
		span = (struct heapsim_span){ page, page + 1 };
	if (has_pte)
		revoke(buf, &span);
	if (buf->rule.evicts && buf->has_two_views && !access.is_again)
		heapsim_views_evict(buf, page);
	if (!buf->has_two_views)
		heapsim_buf_set_touched(buf);
	ret = buf->has_two_views ? insert_span(vmf, buf, &span, touch) :
				   heapsim_mmap_dram(vmf, buf, &span,
						     HEAPSIM_TOUCH_WRITE);
	/* What is fetched to be run would be fetched again after a step. */
	if (!(vmf->flags & FAULT_FLAG_INSTRUCTION))
		heapsim_step_arm(buf, &images.step, &access, is_user);
	mutex_unlock(&buf->lock);
	heapsim_images_put(&images);
	return ret;
}

static vm_fault_t heapsim_vm_fault(struct vm_fault *vmf)
{
	return fault_page(vmf, vmf->flags & FAULT_FLAG_WRITE ?
			  HEAPSIM_TOUCH_WRITE : HEAPSIM_TOUCH_READ, false);
}

/**
 * heapsim_area_add() - one area more maps a buffer by faults
 * @buf: buffer
 *
 * Who takes the PTEs of a page away goes through all of its areas, with the
 * buffer's lock held and no place to be killed.
 *
 * Return: 0, or -ENOMEM: there are HEAPSIM_MAX_AREAS.
 */
int heapsim_area_add(struct heapsim_buf *buf)
{
	if (atomic_inc_return(&buf->nr_areas) <= HEAPSIM_MAX_AREAS)
		return 0;
	atomic_dec(&buf->nr_areas);
	return -ENOMEM;
}

/**
 * heapsim_area_open() - an area was forked, split or moved
 * @vma: the new one, whose private data is the buffer
 */
void heapsim_area_open(struct vm_area_struct *vma)
{
	struct heapsim_buf *buf = vma->vm_private_data;

	atomic_inc(&buf->nr_areas);
}

/**
 * heapsim_area_close() - an area goes
 * @vma: it, whose private data is the buffer
 */
void heapsim_area_close(struct vm_area_struct *vma)
{
	struct heapsim_buf *buf = vma->vm_private_data;

	atomic_dec(&buf->nr_areas);
}

/**
 * heapsim_area_may_split() - may an area become two?
 * @vma: it, whose private data is the buffer
 * @addr: where
 *
 * Return: 0, or -ENOMEM: the buffer has HEAPSIM_MAX_AREAS.
 */
int heapsim_area_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	struct heapsim_buf *buf = vma->vm_private_data;

	return atomic_read(&buf->nr_areas) < HEAPSIM_MAX_AREAS ? 0 : -ENOMEM;
}

/*
 * A child would touch by the PTEs that its parent was given, inside the bracket
 * that only the parent has, or for one step. An area that is split or moved
 * stays its process's, and does not wait for the lock. If the parent is killed
 * the child never runs.
 */
static void heapsim_vm_open(struct vm_area_struct *vma)
{
	struct heapsim_buf *buf = vma->vm_private_data;

	heapsim_area_open(vma);
	if (vma->vm_mm == current->mm)
		return;
	if (mutex_lock_killable(&buf->lock))
		return;
	if (buf->nr_holders || !list_empty(&buf->brackets) ||
	    buf->rule.is_precise)
		heapsim_views_revoke_until(buf, 0, buf->nr_pages,
					   HEAPSIM_UNTIL_KILLED);
	mutex_unlock(&buf->lock);
}

static vm_fault_t heapsim_vm_pfn_mkwrite(struct vm_fault *vmf)
{
	return fault_page(vmf, HEAPSIM_TOUCH_WRITE, true);
}

/* For ptrace, gdb and /proc/PID/mem, which cannot fault PFNs in. */
static int access_page(struct heapsim_buf *buf, struct heapsim_access *access,
		       void *bytes)
{
	const size_t page = access->off >> PAGE_SHIFT;
	struct heapsim_span span = { page, page + 1 };
	struct heapsim_images images;
	int ret = 0;
	u8 *image;

	heapsim_images_init(&images);
	if (lock_touched(NULL, buf, access, &images, &span)) {
		ret = -EFAULT;
		goto out_put;
	}
	image = heapsim_views_cpu_image(buf, page) +
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

static int heapsim_vm_access(struct vm_area_struct *vma, unsigned long addr,
			     void *bytes, int len, int write)
{
	struct heapsim_buf *buf = vma->vm_private_data;
	u64 off = (addr - vma->vm_start) + ((u64)vma->vm_pgoff << PAGE_SHIFT);
	int done = 0;

	if (off >= buf->len)
		return -EFAULT;
	/* As for any shared memory: the descriptor may be for reading alone. */
	if (write && !(vma->vm_flags & VM_WRITE))
		return -EFAULT;
	len = min_t(u64, len, buf->len - off);
	while (done < len) {
		u64 at = off + done;
		size_t piece = min_t(size_t, len - done,
				     PAGE_SIZE - offset_in_page(at));
		struct heapsim_access access = {
			.off = at,
			.len = piece,
			.touch = write ? HEAPSIM_TOUCH_WRITE :
					 HEAPSIM_TOUCH_READ,
		};
		int ret = access_page(buf, &access, bytes + done);

		if (ret)
			return done ? done : ret;
		done += piece;
	}
	return done;
}

static const struct vm_operations_struct whole_ops = {
	.access = heapsim_vm_access,
};

static const struct vm_operations_struct fault_ops = {
	.open = heapsim_vm_open,
	.close = heapsim_area_close,
	.may_split = heapsim_area_may_split,
	.fault = heapsim_vm_fault,
	.pfn_mkwrite = heapsim_vm_pfn_mkwrite,
	.access = heapsim_vm_access,
};

/**
 * heapsim_mmap_whole() - map DRAM, once for all
 * @buf: buffer
 * @vma: range, checked by the core to be inside the buffer
 *
 * Return: 0 or -ENOMEM.
 */
int heapsim_mmap_whole(struct heapsim_buf *buf, struct vm_area_struct *vma)
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
 * Return: 0, -EINVAL for a private mapping, -ENOMEM, also for what
 * heapsim_area_add() refuses.
 */
int heapsim_buf_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma)
{
	struct heapsim_buf *buf = heapsim_buf_of_ours(dmabuf);
	int ret = 0;

	/* a shared map of an fd that is open for reading lacks VM_SHARED */
	if (!(vma->vm_flags & VM_MAYSHARE))
		return -EINVAL;
	vma->vm_private_data = buf;
	if (!buf->is_faulted) {
		heapsim_buf_set_touched(buf);
		vma->vm_ops = &whole_ops;
		return heapsim_mmap_whole(buf, vma);
	}
	if (READ_ONCE(buf->has_two_views))
		ret = heapsim_views_init(buf);
	if (!ret)
		ret = heapsim_area_add(buf);
	if (ret)
		return ret;
	vm_flags_set(vma, VM_PFNMAP | VM_IO | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &fault_ops;
	return 0;
}
