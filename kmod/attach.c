// SPDX-License-Identifier: GPL-2.0-only
/*
 * What importers and the CPU's brackets do to a buffer: the dma-buf operations
 * of DESIGN 2.3. Whose bracket is open: bracket.c.
 */
#include <linux/dma-mapping.h>
#include <linux/dma-resv.h>
#include <linux/iosys-map.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "heapsim.h"

/* No longer a segment than the device says it can take. */
static struct sg_table *table_of(const struct heapsim_buf *buf,
				 struct device *dev)
{
	size_t most = max_t(size_t, dma_get_max_seg_size(dev) >> PAGE_SHIFT, 1);
	size_t i, nr = 0;
	struct scatterlist *sg;
	struct sg_table *sgt;

	most = min_t(size_t, most, (UINT_MAX >> PAGE_SHIFT));
	sgt = kzalloc(sizeof(*sgt), GFP_KERNEL);
	if (!sgt)
		return ERR_PTR(-ENOMEM);
	for (i = 0; i < buf->nr_chunks; i++)
		nr += DIV_ROUND_UP(buf->chunks[i].nr_pages, most);
	if (sg_alloc_table(sgt, nr, GFP_KERNEL)) {
		kfree(sgt);
		return ERR_PTR(-ENOMEM);
	}
	sg = sgt->sgl;
	for (i = 0; i < buf->nr_chunks; i++) {
		struct page *page = buf->chunks[i].page;
		size_t left = buf->chunks[i].nr_pages;

		while (left) {
			size_t n = min(left, most);

			sg_set_page(sg, page, n << PAGE_SHIFT, 0);
			sg = sg_next(sg);
			page += n;
			left -= n;
		}
	}
	return sgt;
}

/**
 * heapsim_buf_attach() - a device will use the buffer
 * @dmabuf: ours
 * @a: attachment; its priv becomes the sg table
 *
 * Return: 0 or -ENOMEM.
 */
int heapsim_buf_attach(struct dma_buf *dmabuf, struct dma_buf_attachment *a)
{
	struct sg_table *sgt = table_of(dmabuf->priv, a->dev);

	if (IS_ERR(sgt))
		return PTR_ERR(sgt);
	a->priv = sgt;
	return 0;
}

/**
 * heapsim_buf_detach() - the device is done
 * @dmabuf: ours
 * @a: attachment
 */
void heapsim_buf_detach(struct dma_buf *dmabuf, struct dma_buf_attachment *a)
{
	sg_free_table(a->priv);
	kfree(a->priv);
}

/**
 * heapsim_buf_map() - the device begins to hold the buffer
 * @a: attachment
 * @dir: DMA_TO_DEVICE: it only reads
 *
 * Context: the buffer's dma_resv is held (the core sees to it).
 * Return: the table, owned by the attachment, or an ERR_PTR: -ENOMEM, or what
 * mapping it for the device failed with.
 */
struct sg_table *heapsim_buf_map(struct dma_buf_attachment *a,
				 enum dma_data_direction dir)
{
	struct heapsim_buf *buf = a->dmabuf->priv;
	struct sg_table *sgt = a->priv;
	int ret;

	ret = dma_map_sgtable(a->dev, sgt, dir, 0);
	if (ret)
		return ERR_PTR(ret);
	buf->is_touched = true;
	if (!buf->has_two_views) {
		mutex_lock(&buf->lock);
		buf->nr_holders++;
		mutex_unlock(&buf->lock);
		return sgt;
	}
	ret = heapsim_views_hold(buf, dir != DMA_TO_DEVICE);
	if (ret) {
		dma_unmap_sgtable(a->dev, sgt, dir, 0);
		return ERR_PTR(ret);
	}
	return sgt;
}

/**
 * heapsim_buf_unmap() - the device holds the buffer no longer
 * @a: attachment
 * @sgt: from heapsim_buf_map()
 * @dir: as there
 */
void heapsim_buf_unmap(struct dma_buf_attachment *a, struct sg_table *sgt,
		       enum dma_data_direction dir)
{
	struct heapsim_buf *buf = a->dmabuf->priv;

	dma_unmap_sgtable(a->dev, sgt, dir, 0);
	if (buf->has_two_views) {
		heapsim_views_release(buf, dir != DMA_TO_DEVICE);
		return;
	}
	mutex_lock(&buf->lock);
	buf->nr_holders--;
	mutex_unlock(&buf->lock);
}

static bool vmaps_cpu_view(const struct heapsim_buf *buf)
{
	return buf->has_two_views && heapsim_config.vmap_is_cpu;
}

/**
 * heapsim_buf_vmap() - a driver maps the buffer into the kernel
 * @dmabuf: ours
 * @map: out
 *
 * The core counts: this is the first vmap.
 *
 * Return: 0 or -ENOMEM.
 */
int heapsim_buf_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct heapsim_buf *buf = dmabuf->priv;
	struct page **pages;
	int ret = -ENOMEM;
	size_t i, n, p = 0;

	pages = kvmalloc_array(buf->nr_pages, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < buf->nr_chunks; i++)
		for (n = 0; n < buf->chunks[i].nr_pages; n++)
			pages[p++] = buf->chunks[i].page + n;
	if (vmaps_cpu_view(buf)) {
		ret = heapsim_views_vmap_cpu(buf, pages);
		if (ret)
			goto out_free;
	}
	ret = -ENOMEM;
	buf->vaddr = vmap(pages, buf->nr_pages, VM_MAP, buf->is_wc ?
			  pgprot_writecombine(PAGE_KERNEL) : PAGE_KERNEL);
	if (!buf->vaddr)
		goto err_vunmap_cpu;
	buf->is_touched = true;
	ret = 0;
	if (buf->has_two_views && !vmaps_cpu_view(buf)) {
		ret = heapsim_views_hold(buf, true);
	} else {
		mutex_lock(&buf->lock);
		buf->nr_holders += !buf->has_two_views;
		mutex_unlock(&buf->lock);
	}
	if (ret)
		goto err_vunmap;
	iosys_map_set_vaddr(map, buf->vaddr);
	goto out_free;

err_vunmap:
	vunmap(buf->vaddr);
	buf->vaddr = NULL;
err_vunmap_cpu:
	if (vmaps_cpu_view(buf))
		heapsim_views_vunmap_cpu(buf);
out_free:
	kvfree(pages);
	return ret;
}

/**
 * heapsim_buf_vunmap() - the last vmap goes
 * @dmabuf: ours
 * @map: as given out
 */
void heapsim_buf_vunmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct heapsim_buf *buf = dmabuf->priv;

	vunmap(buf->vaddr);
	buf->vaddr = NULL;
	if (vmaps_cpu_view(buf)) {
		heapsim_views_vunmap_cpu(buf);
	} else if (buf->has_two_views) {
		heapsim_views_release(buf, true);
	} else {
		mutex_lock(&buf->lock);
		buf->nr_holders--;
		mutex_unlock(&buf->lock);
	}
}

/*
 * Wait here, before the bracket opens: the core waits too, but after us, and
 * may be interrupted.
 */
static int wait_for_fences(struct dma_buf *dmabuf, bool for_write)
{
	long ret = dma_resv_wait_timeout(dmabuf->resv,
					 dma_resv_usage_rw(for_write), true,
					 msecs_to_jiffies(HEAPSIM_WAIT_MS));

	if (ret < 0)
		return ret;
	return ret ? 0 : -ETIMEDOUT;
}

/**
 * heapsim_buf_begin() - START of a bracket
 * @dmabuf: ours
 * @dir: DMA_FROM_DEVICE reads, DMA_TO_DEVICE writes, DMA_BIDIRECTIONAL both
 *
 * Context: may sleep.
 * Return: 0, -ETIMEDOUT a fence was not signalled in HEAPSIM_WAIT_MS,
 * -ERESTARTSYS, -ENOMEM; on failure there is no bracket and no maintenance.
 */
int heapsim_buf_begin(struct dma_buf *dmabuf, enum dma_data_direction dir)
{
	struct heapsim_buf *buf = dmabuf->priv;
	struct heapsim_bracket *fresh;
	int ret;

	ret = wait_for_fences(dmabuf, dir != DMA_FROM_DEVICE);
	if (ret || !buf->has_two_views)
		return ret;
	fresh = heapsim_bracket_alloc();
	if (!fresh)
		return -ENOMEM;
	mutex_lock(&buf->lock);
	heapsim_brackets_reap(buf);
	if (dir != DMA_TO_DEVICE)
		heapsim_views_take_in(buf);
	heapsim_bracket_open(buf, dir, &fresh);
	mutex_unlock(&buf->lock);
	kfree(fresh);
	return 0;
}

/**
 * heapsim_buf_end() - END of a bracket
 * @dmabuf: ours
 * @dir: as at heapsim_buf_begin()
 *
 * An END that lacks its START in one of its directions closes nothing and is
 * counted; its maintenance is done all the same.
 *
 * Context: may sleep.
 * Return: 0.
 */
int heapsim_buf_end(struct dma_buf *dmabuf, enum dma_data_direction dir)
{
	struct heapsim_buf *buf = dmabuf->priv;

	if (!buf->has_two_views)
		return 0;
	mutex_lock(&buf->lock);
	if (dir != DMA_FROM_DEVICE)
		heapsim_views_clean(buf, 0, buf->len);
	/* This one first: it is no missing end that comes just now. */
	heapsim_bracket_close(buf, dir);
	heapsim_brackets_reap(buf);
	if (buf->nr_holders)
		heapsim_views_revoke(buf, 0, buf->len);
	mutex_unlock(&buf->lock);
	return 0;
}
