/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What libmem-nvbuf offers to libmem-vpi, which is not linked with it: each is
 * a weak reference there, and NULL if the program has no libmem-nvbuf.
 */
#ifndef _COMPAT_NVBUF_SHARE_H
#define _COMPAT_NVBUF_SHARE_H

#include <libmem/image.h>

/**
 * heapsim_nvbuf_add() - a descriptor is a surface from now on
 * @data: of mem_image_lock() with MEM_LOCK_FD
 *
 * NvBufSurfaceFromFd() of @data->fd gives an NvBufSurface. Calls count.
 *
 * Return: 0, -EOPNOTSUPP (NvBufSurface has no such format) or -ENOMEM.
 */
int heapsim_nvbuf_add(const struct mem_image_data *data);

/**
 * heapsim_nvbuf_del() - a descriptor of heapsim_nvbuf_add() is no surface again
 * @fd: descriptor
 */
void heapsim_nvbuf_del(int fd);

/**
 * heapsim_nvbuf_find() - the surface of a descriptor
 * @fd: of an NvBufSurface of this process
 * @data: out: for mem_image_wrap(): MEM_LOCK_OBJECT, and the object with one
 *	reference more: mem_object_put()
 *
 * Return: 0, -ENOENT (there is none), -EOPNOTSUPP (libmem has no such format).
 */
int heapsim_nvbuf_find(int fd, struct mem_image_data *data);

#endif
