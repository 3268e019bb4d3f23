/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions of libmem-nvbuf for libmem-vpi, which is not linked with it: there,
 * they are weak references, NULL if the program does not use libmem-nvbuf.
 */
#ifndef _COMPAT_NVBUF_SHARE_H
#define _COMPAT_NVBUF_SHARE_H

#include <libmem/image.h>

/**
 * heapsim_nvbuf_add() - make a descriptor known as a surface
 * @data: from mem_image_lock() with MEM_LOCK_FD
 * @access: access of that lock: MEM_READ, MEM_WRITE or MEM_RW
 *
 * NvBufSurfaceFromFd() of @data->fd then returns an NvBufSurface, which
 * transforms and copies only read if @access is MEM_READ. Calls are counted:
 * each needs a heapsim_nvbuf_del().
 *
 * Return: 0, -EOPNOTSUPP (NvBufSurface does not support the format) or -ENOMEM.
 */
int heapsim_nvbuf_add(const struct mem_image_data *data, unsigned int access);

/**
 * heapsim_nvbuf_del() - undo heapsim_nvbuf_add()
 * @fd: descriptor
 */
void heapsim_nvbuf_del(int fd);

/**
 * heapsim_nvbuf_find() - find the surface with a descriptor
 * @fd: descriptor of an NvBufSurface of this process
 * @data: out: data for mem_image_wrap(): MEM_LOCK_OBJECT, and a reference to
 *	the object: mem_object_put(); its format is MEM_FORMAT_INVALID if libmem
 *	does not support that of the surface
 *
 * Return: 0, -ENOENT (there is none), -EOPNOTSUPP (the surface is that of a
 * lock).
 */
int heapsim_nvbuf_find(int fd, struct mem_image_data *data);

#endif
