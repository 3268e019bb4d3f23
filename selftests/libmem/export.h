/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by tests of buffers that are exported to other processes */
#ifndef _LIBMEM_EXPORT_H
#define _LIBMEM_EXPORT_H

#include "stream.h"

static const enum mem_kind kinds[] = {
	MEM_KIND_NONCOHERENT, MEM_KIND_COHERENT, MEM_KIND_UNCACHED,
	MEM_KIND_CONTIGUOUS, MEM_KIND_SYSTEM,
};

#define NR_KINDS	(sizeof(kinds) / sizeof(*kinds))

static inline int export_of(struct mem_buf *buf, unsigned int access)
{
	int fd;

	assert_int_equal(mem_buf_export_as(buf, access, &fd), 0);
	return fd;
}

static inline struct mem_buf *import_of(int fd)
{
	struct mem_buf *buf;

	assert_int_equal(mem_buf_import(ctx, fd, &buf), 0);
	return buf;
}

static inline uint32_t *words_of(struct mem_buf *buf)
{
	return (uint32_t *)map_buf(buf);
}

static inline uint32_t *device_of(struct mem_buf *buf)
{
	void *ptr;

	assert_int_equal(mem_buf_device_ptr(buf, &ptr), 0);
	return ptr;
}

static inline bool has_two_views(struct mem_buf *buf)
{
	struct mem_buf_info info = { .size = sizeof(info) };

	assert_int_equal(mem_buf_info(buf, &info), 0);
	return info.has_two_views;
}

static inline void store(struct mem_buf *buf, uint32_t value)
{
	assert_int_equal(mem_buf_begin(buf, MEM_WRITE), 0);
	set_all(words_of(buf), value);
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	assert_int_equal(mem_buf_unmap(buf), 0);
}

static inline void holds(struct mem_buf *buf, uint32_t value)
{
	assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
	all_are(words_of(buf), value);
	assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
	assert_int_equal(mem_buf_unmap(buf), 0);
}

static inline void engines_add(struct mem_buf *buf, uint32_t value)
{
	uint32_t *ptr = device_of(buf);

	start_add(stream, ptr, ptr, value);
	sync_stream();
}

#endif
