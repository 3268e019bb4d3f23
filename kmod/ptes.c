// SPDX-License-Identifier: GPL-2.0-only
/*
 * PTEs of user mappings: setting them, and revoking them in all processes. All
 * PTEs are PFNs. The caller holds heapsim_buf.lock.
 */
#include <linux/bitmap.h>
#include <linux/mm.h>

#include "ptes.h"
#include "trace.h"

/*
 * After a pfn_mkwrite the core ignores VM_FAULT_RETRY alone, and goes on with
 * the page table although mmap_lock was dropped.
 */
#define FAULT_AGAIN	(VM_FAULT_RETRY | VM_FAULT_NOPAGE)

/**
 * heapsim_ptes_image() - get the page that the CPU sees
 * @buf: buffer with one view, or with line state
 * @page: page number
 *
 * Context: the buffer's lock is held.
 * Return: kernel address.
 */
u8 *heapsim_ptes_image(const struct heapsim_buf *buf, size_t page)
{
	const struct line_page *p;

	if (!buf->has_two_views)
		return page_address(heapsim_dram_page(buf, page));
	p = &buf->lines.pages[page];
	return p->cpu ? p->cpu : p->twin ? p->twin : p->dram;
}

/**
 * heapsim_ptes_mapping() - get the mapping by which PTEs are revoked
 * @dmabuf: new dma-buf
 *
 * The core drops the inode of a dma-buf before it calls release(). Until that
 * has taken the buffer's lock, other threads may revoke PTEs, though no process
 * has any.
 *
 * Return: the mapping, with a reference to its inode, for iput().
 */
struct address_space *heapsim_ptes_mapping(const struct dma_buf *dmabuf)
{
	ihold(file_inode(dmabuf->file));
	return dmabuf->file->f_mapping;
}

static void ptes_unmap(struct heapsim_buf *buf, size_t first, size_t end)
{
	unmap_mapping_range(buf->mapping, (loff_t)first << PAGE_SHIFT,
			    (loff_t)(end - first) << PAGE_SHIFT, 1);
	trace_heapsim_revoke(buf->id, (u64)first << PAGE_SHIFT,
			     (u64)(end - first) << PAGE_SHIFT);
}

/**
 * heapsim_ptes_revoke() - revoke PTEs in all processes
 * @buf: buffer; PTEs of a buffer without line state stay
 * @first: first page
 * @end: page after the last
 *
 * Context: the buffer's lock is held.
 */
void heapsim_ptes_revoke(struct heapsim_buf *buf, size_t first, size_t end)
{
	if (!buf->mapped)
		return;
	first = find_next_bit(buf->mapped, end, first);
	if (first >= end)
		return;
	end = find_last_bit(buf->mapped, end) + 1;
	ptes_unmap(buf, first, end);
	bitmap_clear(buf->mapped, first, end - first);
}

/**
 * heapsim_ptes_revoke_until() - revoke PTEs in pieces that can be interrupted
 * @buf: buffer; PTEs of a buffer without line state stay
 * @first: first page
 * @end: page after the last
 * @until: when the operation ends
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: 0, or -EINTR if it was interrupted; some PTEs remain.
 */
int heapsim_ptes_revoke_until(struct heapsim_buf *buf, size_t first,
			      size_t end, enum heapsim_until until)
{
	size_t stop;

	if (!buf->mapped)
		return 0;
	for (; first < end; first = stop) {
		if (heapsim_is_over(until))
			return -EINTR;
		first = find_next_bit(buf->mapped, end, first);
		stop = min(first + heapsim_pages_at_once(buf), end);
		heapsim_ptes_revoke(buf, first, stop);
		cond_resched();
	}
	return 0;
}

/**
 * heapsim_ptes_unmap() - revoke all PTEs, whatever heapsim_buf.mapped says
 * @buf: buffer
 * @mapping: that of the buffer or of its device view
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: 0, or -EINTR if the caller is killed; some PTEs remain.
 */
int heapsim_ptes_unmap(struct heapsim_buf *buf, struct address_space *mapping)
{
	u64 off, step;

	for (off = 0; off < buf->len; off += step) {
		if (heapsim_is_killed())
			return -EINTR;
		step = (u64)heapsim_pages_at_once(buf) << PAGE_SHIFT;
		unmap_mapping_range(mapping, off, min(step, buf->len - off), 1);
		cond_resched();
	}
	return 0;
}

/**
 * heapsim_ptes_revoke_all() - revoke all PTEs, if accesses to the buffer are
 *	tracked
 * @buf: buffer
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: 0, or -EINTR if the caller is killed; some PTEs remain.
 */
int heapsim_ptes_revoke_all(struct heapsim_buf *buf)
{
	if (buf->has_two_views)
		return heapsim_ptes_revoke_until(buf, 0, buf->nr_pages,
						  HEAPSIM_UNTIL_KILLED);
	if (!buf->owned || !buf->is_faulted)
		return 0;
	return heapsim_ptes_unmap(buf, buf->mapping);
}

/**
 * heapsim_ptes_revoke_stored() - make the next store to each page fault
 * @buf: buffer with line state
 * @first: first page
 * @end: page after the last
 * @until: when the operation ends
 *
 * The pages keep their bits in heapsim_buf.mapped: their Clean lines may have
 * been read, and heapsim_lines_compare() has to look at them later.
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: 0, or -EINTR if it was interrupted; some PTEs remain.
 */
int heapsim_ptes_revoke_stored(struct heapsim_buf *buf, size_t first,
			       size_t end, enum heapsim_until until)
{
	size_t stop;

	for (first = find_next_bit(buf->stored, end, first); first < end;
	     first = find_next_bit(buf->stored, end, stop)) {
		if (heapsim_is_over(until))
			return -EINTR;
		stop = min(first + heapsim_pages_at_once(buf), end);
		stop = find_next_zero_bit(buf->stored, stop, first);
		ptes_unmap(buf, first, stop);
	}
	return 0;
}

static pgprot_t ptes_prot_of(const struct vm_area_struct *vma,
			     enum heapsim_touch touch)
{
	unsigned long flags = vma->vm_flags;

	if (touch == HEAPSIM_TOUCH_READ)
		flags &= ~VM_WRITE;
	return vm_get_page_prot(flags);
}

/**
 * struct insertion - PTEs to set
 * @vma: VMA of the fault
 * @pmd: page table directory entry of the fault
 * @fault_addr: address of the fault
 * @buf: buffer, locked
 * @prot: protection of the PTEs
 * @dram: DRAM page that corresponds to @dram_first; NULL to map CPU images
 * @dram_first: page number in the buffer
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

static unsigned long ptes_pfn_of(const struct insertion *in, size_t page)
{
	if (in->dram)
		return page_to_pfn(in->dram) + (page - in->dram_first);
	return page_to_pfn(virt_to_page(heapsim_ptes_image(in->buf,
								page)));
}

/*
 * Both versions return VM_FAULT_NOPAGE, or VM_FAULT_SIGBUS if a page table
 * cannot be allocated; VM_FAULT_OOM would call the OOM killer.
 */
#ifdef CONFIG_X86_64
/*
 * vmf_insert_pfn_prot() looks up the memory type of each PFN in the resource
 * tree. All pages here are ordinary memory, so that is skipped.
 */
static int ptes_insert_one(pte_t *pte, unsigned long addr, void *data)
{
	struct insertion *in = data;
	struct vm_area_struct *vma = in->vma;
	size_t page = vma->vm_pgoff + ((addr - vma->vm_start) >> PAGE_SHIFT);
	pte_t entry;

	if (pte_none(ptep_get(pte))) {
		entry = pfn_pte(ptes_pfn_of(in, page), in->prot);
		set_pte_at(vma->vm_mm, addr, pte, pte_mkspecial(entry));
	}
	return 0;
}

/*
 * Uses the page table that the core has found for the fault, if all pages lie
 * in it, instead of walking to it again. The page table stays as long as the
 * VMA. Returns false if the caller has to walk.
 */
static bool ptes_insert_beside(struct insertion *in, unsigned long addr,
			       size_t nr)
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
		ptes_insert_one(pte++, addr, in);
	spin_unlock(lock);
	return true;
}

static vm_fault_t ptes_insert(struct insertion *in, unsigned long addr,
			      size_t page, size_t nr)
{
	if (ptes_insert_beside(in, addr, nr))
		return VM_FAULT_NOPAGE;
	return apply_to_page_range(in->vma->vm_mm, addr, nr << PAGE_SHIFT,
				   ptes_insert_one, in) ? VM_FAULT_SIGBUS :
						     VM_FAULT_NOPAGE;
}
#else
static vm_fault_t ptes_insert(struct insertion *in, unsigned long addr,
			      size_t page, size_t nr)
{
	vm_fault_t ret = VM_FAULT_NOPAGE;

	for (; nr && ret == VM_FAULT_NOPAGE; nr--, page++, addr += PAGE_SIZE)
		ret = vmf_insert_pfn_prot(in->vma, addr, ptes_pfn_of(in, page),
					  in->prot);
	return ret == VM_FAULT_OOM ? VM_FAULT_SIGBUS : ret;
}
#endif

static unsigned long ptes_addr_of(const struct vm_area_struct *vma, size_t page)
{
	return vma->vm_start + ((page - vma->vm_pgoff) << PAGE_SHIFT);
}

static struct insertion ptes_insertion(const struct vm_fault *vmf,
				       struct heapsim_buf *buf,
				       enum heapsim_touch touch)
{
	return (struct insertion) {
		.vma = vmf->vma,
		.pmd = vmf->pmd,
		.fault_addr = vmf->address,
		.buf = buf,
		.prot = ptes_prot_of(vmf->vma, touch),
	};
}

/**
 * heapsim_ptes_insert() - set PTEs that show the CPU view
 * @vmf: fault
 * @buf: buffer with line state
 * @span: pages; all of them belong to the VMA
 * @touch: access that the PTEs allow
 *
 * Does not change existing PTEs.
 *
 * Context: the buffer's lock is held.
 * Return: result for the fault handler.
 */
vm_fault_t heapsim_ptes_insert(const struct vm_fault *vmf,
			       struct heapsim_buf *buf,
			      const struct heapsim_span *span,
			      enum heapsim_touch touch)
{
	struct vm_area_struct *vma = vmf->vma;
	struct insertion in = ptes_insertion(vmf, buf, touch);
	size_t nr = span->end - span->first;

	bitmap_set(buf->mapped, span->first, nr);
	return ptes_insert(&in, ptes_addr_of(vma, span->first), span->first,
			   nr);
}

/**
 * heapsim_ptes_insert_dram() - set PTEs that show DRAM
 * @vmf: fault
 * @buf: buffer
 * @span: pages; all of them belong to the VMA
 * @touch: access that the PTEs allow
 *
 * Does not change existing PTEs.
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: result for the fault handler; VM_FAULT_SIGBUS also if the caller is
 * killed, where it has no further effect.
 */
vm_fault_t heapsim_ptes_insert_dram(const struct vm_fault *vmf,
				    struct heapsim_buf *buf,
				    const struct heapsim_span *span,
				    enum heapsim_touch touch)
{
	struct vm_area_struct *vma = vmf->vma;
	const size_t end = min(span->end, buf->nr_pages);
	struct insertion in = ptes_insertion(vmf, buf, touch);
	vm_fault_t ret = VM_FAULT_NOPAGE;
	size_t i, first, stop;

	for (i = 0; i < buf->nr_chunks && in.dram_first < end &&
	     ret == VM_FAULT_NOPAGE; i++) {
		in.dram = buf->chunks[i].page;
		first = max(in.dram_first, span->first);
		stop = min(in.dram_first + buf->chunks[i].nr_pages, end);
		if (first < stop)
			ret = ptes_insert(&in, ptes_addr_of(vma, first), first,
					  stop - first);
		in.dram_first += buf->chunks[i].nr_pages;
		if (fatal_signal_pending(current))
			ret = VM_FAULT_SIGBUS;
		cond_resched();
	}
	return ret;
}

/**
 * heapsim_fault_lock() - take a lock in a fault handler
 * @vmf: fault in a VMA of @dmabuf; NULL if the fault cannot be retried
 * @dmabuf: keeps the object that contains the lock
 * @lock: lock of the buffer or of its context
 *
 * The holder of the lock may be cleaning gigabytes. The fault drops mmap_lock
 * meanwhile, which other threads and readers of /proc need, and is retried.
 *
 * Context: may sleep.
 * Return: 0 with the lock held; VM_FAULT_RETRY | VM_FAULT_NOPAGE without the
 * lock, and @vmf must not be used any more; VM_FAULT_SIGBUS if the caller is
 * killed.
 */
vm_fault_t heapsim_fault_lock(const struct vm_fault *vmf,
			      struct dma_buf *dmabuf, struct mutex *lock)
{
	struct mm_struct *mm;

	if (mutex_trylock(lock))
		return 0;
	if (!vmf || !fault_flag_allow_retry_first(vmf->flags) ||
	    vmf->flags & FAULT_FLAG_VMA_LOCK)
		return mutex_lock_killable(lock) ? VM_FAULT_SIGBUS : 0;
	if (vmf->flags & FAULT_FLAG_RETRY_NOWAIT)
		return FAULT_AGAIN;
	mm = vmf->vma->vm_mm;
	get_dma_buf(dmabuf);
	mmap_read_unlock(mm);
	if (!mutex_lock_killable(lock))
		mutex_unlock(lock);
	dma_buf_put(dmabuf);
	return FAULT_AGAIN;
}

/**
 * heapsim_area_add() - count one more VMA that maps a buffer on faults
 * @buf: buffer
 *
 * The number is bounded because revoking the PTEs of a page visits all VMAs,
 * with the buffer's lock held, and cannot be interrupted.
 *
 * Return: 0, or -ENOMEM if there are HEAPSIM_MAX_AREAS.
 */
int heapsim_area_add(struct heapsim_buf *buf)
{
	if (atomic_inc_return(&buf->nr_areas) <= HEAPSIM_MAX_AREAS)
		return 0;
	atomic_dec(&buf->nr_areas);
	return -ENOMEM;
}

/**
 * heapsim_area_parent() - get the VMA that a VMA was forked from
 * @vma: new VMA; its private data is the buffer
 *
 * Context: vm_operations_struct.open().
 * Return: VMA of the calling process, whose mmap_lock is held for writing; NULL
 * if @vma was split or moved.
 */
struct vm_area_struct *heapsim_area_parent(const struct vm_area_struct *vma)
{
	struct vm_area_struct *parent;

	if (vma->vm_mm == current->mm)
		return NULL;
	parent = vma_lookup(current->mm, vma->vm_start);
	return parent && parent->vm_private_data == vma->vm_private_data ?
		parent : NULL;
}

/**
 * heapsim_area_open() - count a VMA that was forked, split or moved
 * @vma: the new VMA; its private data is the buffer
 *
 * If fork has made too many, neither this VMA nor its parent is inherited by
 * another process.
 */
void heapsim_area_open(struct vm_area_struct *vma)
{
	struct heapsim_buf *buf = vma->vm_private_data;
	struct vm_area_struct *parent;

	if (atomic_inc_return(&buf->nr_areas) <= HEAPSIM_MAX_FORKED)
		return;
	parent = heapsim_area_parent(vma);
	if (!parent)
		return;
	vm_flags_set(parent, VM_DONTCOPY);
	vm_flags_set(vma, VM_DONTCOPY);
}

/**
 * heapsim_area_close() - count a VMA that is removed
 * @vma: the VMA; its private data is the buffer
 */
void heapsim_area_close(struct vm_area_struct *vma)
{
	struct heapsim_buf *buf = vma->vm_private_data;

	atomic_dec(&buf->nr_areas);
}

/**
 * heapsim_area_may_split() - check whether a VMA may be split
 * @vma: the VMA; its private data is the buffer
 * @addr: address of the split
 *
 * Return: 0, or -ENOMEM if the buffer has HEAPSIM_MAX_AREAS.
 */
int heapsim_area_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	struct heapsim_buf *buf = vma->vm_private_data;

	return atomic_read(&buf->nr_areas) < HEAPSIM_MAX_AREAS ? 0 : -ENOMEM;
}

/**
 * heapsim_area_access() - access a VMA page by page, without its PTEs
 * @vma: the VMA; its private data is the buffer
 * @addr: address in @vma
 * @bytes: bytes to store, or room for those that are read
 * @len: bytes; the end of the buffer limits it
 * @touch: read or write
 * @access_page: accesses a part of one page, and returns 0 or -errno
 *
 * Used by ptrace, gdb and /proc/PID/mem, which cannot fault PFNs in.
 *
 * Return: bytes that were accessed, or -errno if none was.
 */
int heapsim_area_access(struct vm_area_struct *vma, unsigned long addr,
			void *bytes, int len, enum heapsim_touch touch,
			int (*access_page)(struct heapsim_buf *buf,
					   struct heapsim_access *access,
					   void *bytes))
{
	struct heapsim_buf *buf = vma->vm_private_data;
	u64 off = (addr - vma->vm_start) + ((u64)vma->vm_pgoff << PAGE_SHIFT);
	int done = 0;

	if (off >= buf->len)
		return -EFAULT;
	len = min_t(u64, len, buf->len - off);
	while (done < len) {
		u64 at = off + done;
		struct heapsim_access access = {
			.off = at,
			.len = min_t(size_t, len - done,
				     PAGE_SIZE - offset_in_page(at)),
			.touch = touch,
		};
		int ret = access_page(buf, &access, bytes + done);

		if (ret)
			return done ? done : ret;
		done += access.len;
	}
	return done;
}

/**
 * heapsim_ptes_map_whole() - map all DRAM of a VMA at mmap
 * @buf: buffer
 * @vma: VMA; the core has checked that it lies inside the buffer
 *
 * Return: 0 or -ENOMEM.
 */
int heapsim_ptes_map_whole(struct heapsim_buf *buf, struct vm_area_struct *vma)
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
		if (heapsim_is_killed())
			return -EINTR;
		cond_resched();
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
