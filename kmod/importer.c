// SPDX-License-Identifier: GPL-2.0-only
/*
 * Importers: the dma-buf operations by which drivers attach to a buffer and map
 * it for a device or into the kernel.
 */
#include <linux/dma-mapping.h>
#include <linux/iosys-map.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "importer.h"
#include "limit.h"
#include "lines.h"

/* It is unknown what a driver does with its kernel mapping. */
#define VMAP_ACCESS	(HEAPSIM_ACCESS_READ | HEAPSIM_ACCESS_WRITE)

/* Segments are not longer than the device supports. */
static int importer_table_init(struct sg_table *sgt,
			       const struct heapsim_buf *buf,
			       struct device *dev)
{
	size_t most = max_t(size_t, dma_get_max_seg_size(dev) >> PAGE_SHIFT, 1);
	size_t i, nr = 0;
	struct scatterlist *sg;
	int ret;

	most = min_t(size_t, most, (UINT_MAX >> PAGE_SHIFT));
	for (i = 0; i < buf->nr_chunks; i++)
		nr += DIV_ROUND_UP(buf->chunks[i].nr_pages, most);
	ret = sg_alloc_table(sgt, nr, HEAPSIM_GFP_USER);
	if (ret)
		return ret;
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
	return 0;
}

/* DMA_FROM_DEVICE means that the device writes. */
static u32 importer_access_of(enum dma_data_direction dir)
{
	return (dir != DMA_FROM_DEVICE ? HEAPSIM_ACCESS_READ : 0) |
	       (dir != DMA_TO_DEVICE ? HEAPSIM_ACCESS_WRITE : 0);
}

/**
 * heapsim_importer_attach() - attach a device
 * @dmabuf: dma-buf of a buffer
 * @a: attachment; its priv is set to a struct heapsim_attachment
 *
 * An attached device may add a fence at any time, whether or not it has mapped
 * the buffer. The fence is checked at the next fault, so accesses must fault
 * from now on, and after each bracket.
 *
 * Return: 0, -ENOMEM, or -EINTR if the caller is killed.
 */
int heapsim_importer_attach(struct dma_buf *dmabuf,
			    struct dma_buf_attachment *a)
{
	struct heapsim_buf *buf = heapsim_buf_of_ours(dmabuf);
	struct heapsim_attachment *at = kzalloc(sizeof(*at), HEAPSIM_GFP_USER);
	int ret;

	if (!at)
		return -ENOMEM;
	ret = importer_table_init(&at->sgt, buf, a->dev);
	if (ret)
		goto err_free;
	ret = importer_table_init(&at->lent, buf, a->dev);
	if (ret)
		goto err_sgt;
	at->dev = a->dev;
	at->dir = DMA_NONE;
	a->priv = at;
	ret = mutex_lock_killable(&buf->lock);
	if (ret)
		goto err_lent;
	ret = heapsim_ptes_revoke_until(buf, 0, buf->nr_pages,
					HEAPSIM_UNTIL_KILLED);
	if (!ret)
		list_add(&at->node, &buf->attachments);
	mutex_unlock(&buf->lock);
	if (ret)
		goto err_lent;
	return 0;

err_lent:
	sg_free_table(&at->lent);
err_sgt:
	sg_free_table(&at->sgt);
err_free:
	kfree(at);
	return ret;
}

/**
 * heapsim_importer_detach() - detach a device
 * @dmabuf: dma-buf of a buffer
 * @a: attachment
 */
void heapsim_importer_detach(struct dma_buf *dmabuf,
			     struct dma_buf_attachment *a)
{
	struct heapsim_buf *buf = heapsim_buf_of_ours(dmabuf);
	struct heapsim_attachment *at = a->priv;

	mutex_lock(&buf->lock);
	list_del(&at->node);
	mutex_unlock(&buf->lock);
	sg_free_table(&at->lent);
	sg_free_table(&at->sgt);
	kfree(at);
}

/**
 * heapsim_importers_sync_for_cpu() - sync all maps for the CPU
 * @buf: buffer
 *
 * In addition to the simulated cache there is the machine's own path to a
 * device, such as a bounce buffer, between DRAM and the device. A sync has the
 * length and direction of the map, by which DMA_API_DEBUG distinguishes the
 * maps of one device.
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: 0, or -EINTR if the caller is killed.
 */
int heapsim_importers_sync_for_cpu(struct heapsim_buf *buf)
{
	struct heapsim_attachment *at;

	list_for_each_entry(at, &buf->attachments, node) {
		if (heapsim_is_killed())
			return -EINTR;
		if (at->dir != DMA_NONE)
			dma_sync_sgtable_for_cpu(at->dev, &at->sgt, at->dir);
		cond_resched();
	}
	return 0;
}

/**
 * heapsim_importers_sync_for_device() - sync all maps for devices
 * @buf: buffer
 * @dir: direction of the CPU's bracket; nothing is synced for a bidirectional
 *	map if the CPU only read
 *
 * Context: the buffer's lock is held; may sleep.
 * Return: 0, or -EINTR if the caller is killed.
 */
int heapsim_importers_sync_for_device(struct heapsim_buf *buf,
				      enum dma_data_direction dir)
{
	struct heapsim_attachment *at;

	list_for_each_entry(at, &buf->attachments, node) {
		if (heapsim_is_killed())
			return -EINTR;
		cond_resched();
		if (at->dir == DMA_NONE ||
		    (at->dir == DMA_BIDIRECTIONAL && dir == DMA_FROM_DEVICE))
			continue;
		dma_sync_sgtable_for_device(at->dev, &at->sgt, at->dir);
	}
	return 0;
}

/* Copies the DMA addresses to the table for the importer. */
static void importer_table_lend(struct sg_table *lent,
				const struct sg_table *sgt)
{
	struct scatterlist *to = lent->sgl, *from;
	unsigned int i;

	lent->nents = sgt->nents;
	for_each_sgtable_dma_sg(sgt, from, i) {
		sg_dma_address(to) = sg_dma_address(from);
		sg_dma_len(to) = sg_dma_len(from);
		to = sg_next(to);
	}
	/* Some importers walk beyond the entries that an IOMMU has merged. */
	if (to)
		sg_dma_len(to) = 0;
}

/**
 * heapsim_importer_map() - map a buffer for a device, which becomes a holder
 * @a: attachment
 * @dir: DMA_TO_DEVICE if the device only reads
 *
 * Context: the core holds the buffer's dma_resv.
 * Return: table owned by the attachment; ERR_PTR(-ENOMEM), also by fault
 * injection, ERR_PTR(-EINTR) if the caller is killed, or the error of the DMA
 * map.
 */
struct sg_table *heapsim_importer_map(struct dma_buf_attachment *a,
				      enum dma_data_direction dir)
{
	struct heapsim_buf *buf = heapsim_buf_of_ours(a->dmabuf);
	struct heapsim_attachment *at = a->priv;
	const u64 begin_ns = heapsim_event_begin();
	struct heapsim_party who;
	int ret;

	if (heapsim_fault(HEAPSIM_FAIL_MAP, buf->len))
		return ERR_PTR(-ENOMEM);
	/* No sync: the device gets what is in DRAM after the clean below. */
	ret = dma_map_sgtable(at->dev, &at->sgt, dir, DMA_ATTR_SKIP_CPU_SYNC);
	if (ret)
		return ERR_PTR(ret);
	heapsim_buf_set_touched(buf);
	heapsim_note_party(&who, HEAPSIM_OTHER_DEVICE, dev_name(at->dev));
	ret = heapsim_holder_add(buf, dir != DMA_TO_DEVICE, &who,
				 HEAPSIM_UNTIL_KILLED);
	if (ret) {
		dma_unmap_sgtable(at->dev, &at->sgt, dir,
				  DMA_ATTR_SKIP_CPU_SYNC);
		return ERR_PTR(ret);
	}
	at->dir = dir;
	at->who = who;
	dma_sync_sgtable_for_device(at->dev, &at->sgt, dir);
	heapsim_event_report_whole(buf, HEAPSIM_RECORD_HOLD,
				   importer_access_of(dir), begin_ns, &at->who);
	mutex_unlock(&buf->lock);
	importer_table_lend(&at->lent, &at->sgt);
	return &at->lent;
}

/**
 * heapsim_importer_unmap() - unmap a buffer; the device is no longer a holder
 * @a: attachment
 * @sgt: from heapsim_importer_map()
 * @dir: same as for heapsim_importer_map()
 */
void heapsim_importer_unmap(struct dma_buf_attachment *a, struct sg_table *sgt,
			    enum dma_data_direction dir)
{
	struct heapsim_buf *buf = heapsim_buf_of_ours(a->dmabuf);
	struct heapsim_attachment *at = a->priv;
	const u64 begin_ns = heapsim_event_begin();

	mutex_lock(&buf->lock);
	at->dir = DMA_NONE;
	dma_unmap_sgtable(a->dev, &at->sgt, dir, 0);
	mutex_unlock(&buf->lock);
	heapsim_holder_del(buf, dir != DMA_TO_DEVICE);
	heapsim_event_report_whole(buf, HEAPSIM_RECORD_RELEASE,
				   importer_access_of(dir), begin_ns, &at->who);
}

/* The policy of the buffer may change again afterwards. */
static void importer_vmap_ended(struct heapsim_buf *buf)
{
	mutex_lock(&buf->lock);
	buf->is_vmapped = false;
	mutex_unlock(&buf->lock);
}

static int importer_vmap_first(struct heapsim_buf *buf)
{
	const u64 begin_ns = heapsim_event_begin();
	struct heapsim_party who;
	struct page **pages;
	int ret;
	size_t i, n, p = 0;
	void *vaddr;
	bool is_cpu;

	pages = kvmalloc_array(buf->nr_pages, sizeof(*pages), HEAPSIM_GFP_USER);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < buf->nr_chunks; i++)
		for (n = 0; n < buf->chunks[i].nr_pages; n++)
			pages[p++] = buf->chunks[i].page + n;
	/* It is unknown which device the mapping is for. */
	heapsim_note_party(&who, HEAPSIM_OTHER_VMAP, current->comm);
	mutex_lock(&buf->lock);
	is_cpu = buf->has_two_views && heapsim_config.vmap_is_cpu;
	buf->is_vmapped = true;
	buf->vmap_is_cpu = is_cpu;
	buf->vmapper = who;
	mutex_unlock(&buf->lock);
	if (is_cpu) {
		ret = heapsim_holder_vmap_cpu(buf, pages);
		if (ret)
			goto err_vmapped;
	}
	ret = -ENOMEM;
	vaddr = vmap(pages, buf->nr_pages, VM_MAP, buf->is_wc ?
		     pgprot_writecombine(PAGE_KERNEL) : PAGE_KERNEL);
	if (!vaddr)
		goto err_vunmap_cpu;
	WRITE_ONCE(buf->vaddr, vaddr);
	heapsim_buf_set_touched(buf);
	ret = 0;
	if (!is_cpu) {
		ret = heapsim_holder_add(buf, true, &who, HEAPSIM_UNTIL_DONE);
		if (ret)
			goto err_vunmap;
		mutex_unlock(&buf->lock);
	}
	heapsim_event_report_whole(buf, HEAPSIM_RECORD_HOLD, VMAP_ACCESS,
				   begin_ns, &who);
	goto out_free;

err_vunmap:
	WRITE_ONCE(buf->vaddr, NULL);
	vunmap(vaddr);
err_vunmap_cpu:
	if (is_cpu)
		heapsim_holder_vunmap_cpu(buf);
err_vmapped:
	importer_vmap_ended(buf);
out_free:
	kvfree(pages);
	return ret;
}

/**
 * heapsim_importer_vmap() - map a buffer into the kernel
 * @dmabuf: dma-buf of a buffer
 * @map: out: mapping
 *
 * The core counts the vmaps of each dma-buf and calls this for the first one.
 * It warns about a vmap that fails, so this does not fail because the caller is
 * killed.
 *
 * Return: 0 or -ENOMEM.
 */
int heapsim_importer_vmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct heapsim_buf *buf = heapsim_buf_of_ours(dmabuf);
	int ret = 0;

	if (heapsim_fault(HEAPSIM_FAIL_VMAP, buf->len))
		return -ENOMEM;
	mutex_lock(&buf->vmap_lock);
	if (!buf->nr_vmapped)
		ret = importer_vmap_first(buf);
	if (!ret) {
		buf->nr_vmapped++;
		iosys_map_set_vaddr(map, buf->vaddr);
	}
	mutex_unlock(&buf->vmap_lock);
	return ret;
}

static void importer_vunmap_last(struct heapsim_buf *buf)
{
	const u64 begin_ns = heapsim_event_begin();
	void *vaddr = buf->vaddr;

	WRITE_ONCE(buf->vaddr, NULL);
	vunmap(vaddr);
	if (buf->vmap_is_cpu)
		heapsim_holder_vunmap_cpu(buf);
	else
		heapsim_holder_del(buf, true);
	heapsim_event_report_whole(buf, HEAPSIM_RECORD_RELEASE, VMAP_ACCESS,
				   begin_ns, &buf->vmapper);
	importer_vmap_ended(buf);
}

/**
 * heapsim_importer_vunmap() - drop the last vmap of a dma-buf
 * @dmabuf: dma-buf of a buffer
 * @map: from heapsim_importer_vmap()
 */
void heapsim_importer_vunmap(struct dma_buf *dmabuf, struct iosys_map *map)
{
	struct heapsim_buf *buf = heapsim_buf_of_ours(dmabuf);

	mutex_lock(&buf->vmap_lock);
	if (!--buf->nr_vmapped)
		importer_vunmap_last(buf);
	mutex_unlock(&buf->vmap_lock);
}
