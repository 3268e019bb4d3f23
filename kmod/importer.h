/* SPDX-License-Identifier: GPL-2.0-only */
/* The dma-buf operations of a buffer. */
#ifndef HEAPSIM_IMPORTER_H
#define HEAPSIM_IMPORTER_H

#include "buf.h"

/**
 * struct heapsim_attachment - an attached device
 * @node: entry in heapsim_buf.attachments
 * @dev: device
 * @sgt: table of the buffer's pages, never given out
 * @lent: copy of @sgt for the importer. With CONFIG_DMABUF_DEBUG the core
 *	mangles the page links of a table that it has given out
 * @dir: direction of the map, DMA_NONE if not mapped
 * @who: importer, valid while mapped
 */
struct heapsim_attachment {
	struct list_head node;
	struct device *dev;
	struct sg_table sgt;
	struct sg_table lent;
	enum dma_data_direction dir;
	struct heapsim_party who;
};

/* importer.c */
int heapsim_importer_attach(struct dma_buf *dmabuf,
			    struct dma_buf_attachment *a);
void heapsim_importer_detach(struct dma_buf *dmabuf,
			     struct dma_buf_attachment *a);
struct sg_table *heapsim_importer_map(struct dma_buf_attachment *a,
				      enum dma_data_direction dir);
void heapsim_importer_unmap(struct dma_buf_attachment *a, struct sg_table *sgt,
			    enum dma_data_direction dir);
int heapsim_importer_vmap(struct dma_buf *dmabuf, struct iosys_map *map);
void heapsim_importer_vunmap(struct dma_buf *dmabuf, struct iosys_map *map);
int heapsim_importers_sync_for_cpu(struct heapsim_buf *buf);
int heapsim_importers_sync_for_device(struct heapsim_buf *buf,
				      enum dma_data_direction dir);

/* cpu_access.c */
int heapsim_cpu_access_wait(struct dma_buf *dmabuf, bool for_write);
int heapsim_cpu_access_begin(struct dma_buf *dmabuf,
			     enum dma_data_direction dir);
int heapsim_cpu_access_end(struct dma_buf *dmabuf, enum dma_data_direction dir);

/* mmap.c */
int heapsim_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma);

#endif
