/* SPDX-License-Identifier: GPL-2.0-only */
/* Line state of a buffer, CPU images and twins, holders. */
#ifndef HEAPSIM_LINES_H
#define HEAPSIM_LINES_H

#include "ptes.h"

struct heapsim_step;	/* step.c */

/**
 * struct heapsim_images - stock of memory, filled before a lock is taken
 * @pages: pages of any content for CPU images and twins, linked by lru
 * @zeroed: zeroed pages, linked by lru
 * @nr: number of pages in both lists
 * @lock: stock_lock of the buffer that a fault has filled the stock for, held
 *	until heapsim_images_put(), or NULL
 * @until: when filling the stock ends
 * @wants_bracket: @bracket is needed, since the process has none
 * @bracket: memory for the process, or NULL
 * @wants_step: @step is needed, since the access is to be stepped over
 * @step: memory for the step, or NULL
 */
struct heapsim_images {
	struct list_head pages;
	struct list_head zeroed;
	size_t nr;
	struct mutex *lock;
	enum heapsim_until until;
	bool wants_bracket;
	struct heapsim_bracket *bracket;
	bool wants_step;
	struct heapsim_step *step;
};

/* images.c */
u64 heapsim_image_bytes(void);
void heapsim_images_init(struct heapsim_images *images);
int heapsim_images_get(struct heapsim_images *images, size_t nr, bool is_zero);
vm_fault_t heapsim_images_get_for(const struct vm_fault *vmf,
				  struct heapsim_buf *buf,
				  struct heapsim_images *images, size_t nr,
				  bool is_zero);
void heapsim_images_put(struct heapsim_images *images);
void heapsim_images_rest(struct heapsim_images *images);
u8 *heapsim_image_take(struct heapsim_images *images);
void heapsim_image_lend(struct heapsim_buf *buf, size_t page,
			struct heapsim_images *images);
void heapsim_image_give(struct heapsim_images *images, u8 *image);

/* lines.c */
int heapsim_lines_init(struct heapsim_buf *buf, bool waits);
void heapsim_lines_fini(struct heapsim_buf *buf);
size_t heapsim_lines_touch(struct heapsim_buf *buf,
			   const struct heapsim_access *access,
			   struct heapsim_images *images,
			   struct heapsim_span *span);
void heapsim_lines_refill(struct heapsim_buf *buf, size_t page);
void heapsim_lines_evict(struct heapsim_buf *buf, size_t keep);
int heapsim_lines_clean(struct heapsim_buf *buf, u64 off, u64 len,
			enum heapsim_until until);
int heapsim_lines_invalidate(struct heapsim_buf *buf, u64 off, u64 len);
int heapsim_lines_take_in(struct heapsim_buf *buf, enum heapsim_until until);
int heapsim_lines_compare(struct heapsim_buf *buf, enum heapsim_until until);

/* holders.c */
int heapsim_holder_add(struct heapsim_buf *buf, bool may_write,
		       const struct heapsim_party *who,
		       enum heapsim_until until);
void heapsim_holder_del(struct heapsim_buf *buf, bool may_write);
int heapsim_holder_job_add(struct heapsim_buf *buf, bool *has_two_views);
void heapsim_holder_job_del(struct heapsim_buf *buf);
int heapsim_holder_job_begin(struct heapsim_buf *buf, u64 off, u64 len);
void heapsim_holder_job_end(struct heapsim_buf *buf, u64 off, u64 len);
void heapsim_holder_count_writers(struct heapsim_buf *buf, int nr);
int heapsim_holder_vmap_cpu(struct heapsim_buf *buf, struct page **pages);
void heapsim_holder_vunmap_cpu(struct heapsim_buf *buf);

#endif
