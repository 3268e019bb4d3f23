// SPDX-License-Identifier: GPL-2.0-only
/* HOLD: importers for tests. */
#include <linux/dma-mapping.h>
#include <linux/iosys-map.h>
#include <linux/platform_device.h>
#include <linux/scatterlist.h>

#include "ctx.h"

#define MAX_HOLDS	1024	/* of one open */

static struct platform_device *hold_device;	/* device of all importers */

/**
 * struct heapsim_test_hold - an importer
 * @object: head
 * @dmabuf: imported dma-buf
 * @attach: attachment of a map, NULL for a vmap
 * @sgt: table of a map
 * @dir: direction of a map
 * @map: mapping of a vmap
 */
struct heapsim_test_hold {
	struct heapsim_object object;
	struct dma_buf *dmabuf;
	struct dma_buf_attachment *attach;
	struct sg_table *sgt;
	enum dma_data_direction dir;
	struct iosys_map map;
};

static int hold_map(struct heapsim_test_hold *h)
{
	h->attach = dma_buf_attach(h->dmabuf, &hold_device->dev);
	if (IS_ERR(h->attach))
		return PTR_ERR(h->attach);
	h->sgt = dma_buf_map_attachment_unlocked(h->attach, h->dir);
	if (IS_ERR(h->sgt)) {
		dma_buf_detach(h->dmabuf, h->attach);
		return PTR_ERR(h->sgt);
	}
	return 0;
}

static void hold_end(struct heapsim_object *object)
{
	struct heapsim_test_hold *h = (void *)object;

	if (h->attach) {
		dma_buf_unmap_attachment_unlocked(h->attach, h->sgt, h->dir);
		dma_buf_detach(h->dmabuf, h->attach);
	} else {
		dma_buf_vunmap_unlocked(h->dmabuf, &h->map);
	}
	dma_buf_put(h->dmabuf);
}

static const struct heapsim_object_ops hold_ops = {
	.type = HEAPSIM_OBJECT_HOLD,
	.size = HEAPSIM_OBJECT_SIZE(struct heapsim_test_hold),
	.max = MAX_HOLDS,
	.reserve = HEAPSIM_CORE_BYTES,
	.release = hold_end,
};

static void hold_describe(const struct heapsim_test_hold *h,
			  struct heapsim_hold *cmd)
{
	struct scatterlist *sg;
	unsigned int i;

	cmd->nr_segments = 0;
	cmd->sg_bytes = 0;
	cmd->max_segment = 0;
	if (!h->attach)
		return;
	cmd->nr_segments = h->sgt->orig_nents;
	for_each_sgtable_sg(h->sgt, sg, i) {
		cmd->sg_bytes += sg->length;
		cmd->max_segment = max_t(u64, cmd->max_segment, sg->length);
	}
}

/**
 * heapsim_hold() - import a buffer
 * @call: command with a struct heapsim_hold; receives the result
 *
 * Return: 0, an error described at struct heapsim_hold, or that of the
 * exporter.
 */
int heapsim_hold(struct heapsim_call *call)
{
	struct heapsim_objects *objects = &call->ctx->objects;
	struct heapsim_hold *cmd = &call->cmd.hold;
	struct heapsim_object *object;
	struct heapsim_test_hold *h;
	struct dma_buf *dmabuf;
	int ret;

	if (cmd->how != HEAPSIM_HOLD_MAP && cmd->how != HEAPSIM_HOLD_VMAP)
		return -EINVAL;
	if (cmd->reserved || cmd->dir > HEAPSIM_DIR_FROM_DEVICE ||
	    (cmd->how == HEAPSIM_HOLD_VMAP && cmd->dir))
		return -EINVAL;
	if (!heapsim_config.has_test_hooks)
		return -EOPNOTSUPP;
	dmabuf = dma_buf_get(cmd->fd);
	if (IS_ERR(dmabuf))
		return PTR_ERR(dmabuf);
	ret = -EOPNOTSUPP;
	if (cmd->how == HEAPSIM_HOLD_VMAP && !dmabuf->ops->vmap)
		goto err_put_buf;
	object = heapsim_object_alloc(objects, &hold_ops);
	if (IS_ERR(object)) {
		ret = PTR_ERR(object);
		goto err_put_buf;
	}
	h = (void *)object;
	h->dmabuf = dmabuf;
	h->dir = cmd->dir;	/* HEAPSIM_DIR_* equal DMA_* */
	ret = cmd->how == HEAPSIM_HOLD_MAP ?
		hold_map(h) : dma_buf_vmap_unlocked(dmabuf, &h->map);
	if (ret)
		goto err_hold;
	hold_describe(h, cmd);
	cmd->hold = object->id;
	call->made = heapsim_object_publish(objects, object);
	return 0;
err_hold:
	heapsim_object_abort(objects, object);
err_put_buf:
	dma_buf_put(dmabuf);
	return ret;
}

/**
 * heapsim_hold_release() - end a hold
 * @call: command with a struct heapsim_release
 *
 * Return: 0, -EINVAL for unknown flags, -ENOENT if there is no such hold.
 */
int heapsim_hold_release(struct heapsim_call *call)
{
	const struct heapsim_release *cmd = &call->cmd.release;
	struct heapsim_object *object;

	if (cmd->flags)
		return -EINVAL;
	object = heapsim_object_take(&call->ctx->objects, &hold_ops, cmd->hold);
	if (!object)
		return -ENOENT;
	heapsim_object_put(object);
	return 0;
}

/**
 * heapsim_hold_init() - register the device of the importers
 *
 * Return: 0 or -errno.
 */
int heapsim_hold_init(void)
{
	struct device *dev;
	int ret;

	hold_device = platform_device_register_simple("heapsim",
						      PLATFORM_DEVID_NONE,
						      NULL, 0);
	if (IS_ERR(hold_device))
		return PTR_ERR(hold_device);
	dev = &hold_device->dev;
	ret = dma_coerce_mask_and_coherent(dev, DMA_BIT_MASK(64));
	if (ret) {
		platform_device_unregister(hold_device);
		return ret;
	}
	dma_set_max_seg_size(dev, UINT_MAX);
	return 0;
}

/** heapsim_hold_fini() - unregister the device of the importers */
void heapsim_hold_fini(void)
{
	platform_device_unregister(hold_device);
}
