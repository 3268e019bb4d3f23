/* SPDX-License-Identifier: GPL-2.0-only */
/* Device views. */
#ifndef HEAPSIM_DEVVIEW_H
#define HEAPSIM_DEVVIEW_H

#include "buf.h"

int heapsim_devview_create_fd(struct heapsim_buf *buf, int fd_flags,
			      struct dma_buf **dmabuf);
int heapsim_devview_settle(struct heapsim_buf *buf,
			   const struct heapsim_party *party, u64 serial);
int heapsim_devview_revoke(struct heapsim_buf *buf);
void heapsim_devview_add_written(struct heapsim_buf *buf);

#endif
