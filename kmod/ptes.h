/* SPDX-License-Identifier: GPL-2.0-only */
/* Page table entries of user mappings. */
#ifndef HEAPSIM_PTES_H
#define HEAPSIM_PTES_H

#include "buf.h"

/*
 * Upper bound of PTEs revoked, and lower bound of pages visited, between two
 * checks whether the caller is killed. A call visits each VMA, even one without
 * PTEs.
 */
#define HEAPSIM_PTES_AT_ONCE	8192
#define HEAPSIM_PAGES_AT_ONCE	64
/*
 * Upper bound of VMAs, each of which may map a single page, and of those that
 * fork adds. Fork cannot fail, so it may about double the latter.
 */
#define HEAPSIM_MAX_AREAS	8192
#define HEAPSIM_MAX_FORKED	65536

/**
 * struct heapsim_span - a range of pages that are mapped together
 * @first: first page
 * @end: page after the last
 */
struct heapsim_span {
	size_t first;
	size_t end;
};

/* Returns the number of pages that have about HEAPSIM_PTES_AT_ONCE PTEs. */
static inline size_t heapsim_pages_at_once(const struct heapsim_buf *buf)
{
	const unsigned int nr_areas = max(atomic_read(&buf->nr_areas), 1);
	const unsigned int nr = HEAPSIM_PTES_AT_ONCE / nr_areas;

	return max_t(size_t, nr, HEAPSIM_PAGES_AT_ONCE);
}

u8 *heapsim_ptes_image(const struct heapsim_buf *buf, size_t page);
void heapsim_ptes_revoke(struct heapsim_buf *buf, size_t first, size_t end);
int heapsim_ptes_revoke_until(struct heapsim_buf *buf, size_t first,
			      size_t end, enum heapsim_until until);
int heapsim_ptes_revoke_stored(struct heapsim_buf *buf, size_t first,
			       size_t end, enum heapsim_until until);
int heapsim_ptes_revoke_all(struct heapsim_buf *buf);
struct address_space *heapsim_ptes_mapping(const struct dma_buf *dmabuf);
int heapsim_ptes_unmap(struct heapsim_buf *buf, struct address_space *mapping);
vm_fault_t heapsim_ptes_insert(const struct vm_fault *vmf,
			       struct heapsim_buf *buf,
			       const struct heapsim_span *span,
			       enum heapsim_touch touch);
vm_fault_t heapsim_ptes_insert_dram(const struct vm_fault *vmf,
				    struct heapsim_buf *buf,
				    const struct heapsim_span *span,
				    enum heapsim_touch touch);
int heapsim_ptes_map_whole(struct heapsim_buf *buf, struct vm_area_struct *vma);
vm_fault_t heapsim_fault_lock(const struct vm_fault *vmf,
			      struct dma_buf *dmabuf, struct mutex *lock);
int heapsim_area_add(struct heapsim_buf *buf);
struct vm_area_struct *heapsim_area_parent(const struct vm_area_struct *vma);
void heapsim_area_open(struct vm_area_struct *vma);
void heapsim_area_close(struct vm_area_struct *vma);
int heapsim_area_access(struct vm_area_struct *vma, unsigned long addr,
			void *bytes, int len, enum heapsim_touch touch,
			int (*access_page)(struct heapsim_buf *buf,
					   struct heapsim_access *access,
					   void *bytes));
int heapsim_area_may_split(struct vm_area_struct *vma, unsigned long addr);

#endif
