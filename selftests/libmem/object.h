/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by tests of objects: lists, objects made of them, and accesses */
#ifndef _LIBMEM_TEST_OBJECT_H
#define _LIBMEM_TEST_OBJECT_H

#include "attrs.h"
#include "touch.h"

#include <sys/mman.h>
#include <sys/stat.h>

#define ENGINE(engine)	(1ULL << MEM_ENGINE_##engine)

/* Makes the list of a raw buffer that the CPU and the GPU access. */
static inline struct mem_attrs *raw_list(uint64_t len)
{
	return LIST(RAW(len), ATTR(NEED_CPU_ACCESS, uint8_t, 1),
		    ATTR(REQUIRED_PERM, uint32_t, MEM_RW),
		    ATTR(ENGINES, uint64_t, ENGINE(GPU)));
}

static inline struct mem_object *object_of(struct mem_attrs *list)
{
	struct mem_attrs *result = reconciled(&list, 1);
	struct mem_object *object;

	assert_int_equal(mem_object_alloc(result, "object", &object), 0);
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
	return object;
}

static inline struct mem_object *raw_object(void)
{
	return object_of(raw_list(LEN));
}

static inline uint8_t *cpu_of(struct mem_object *object, unsigned int access)
{
	void *ptr;

	assert_int_equal(mem_object_cpu_ptr(object, access, &ptr), 0);
	return ptr;
}

static inline void begin(struct mem_object *object, unsigned int access)
{
	assert_int_equal(mem_object_begin(object, access), 0);
}

static inline void end(struct mem_object *object, unsigned int access)
{
	assert_int_equal(mem_object_end(object, access), 0);
}

/* Sets all bytes by the CPU, in a bracket. */
static inline void set_bytes(struct mem_object *object, uint8_t value)
{
	uint8_t *bytes = cpu_of(object, MEM_RW);

	begin(object, MEM_RW);
	memset(bytes, value, LEN);
	end(object, MEM_RW);
}

static inline bool has_bytes(struct mem_object *object, uint8_t value)
{
	const uint8_t *bytes = cpu_of(object, MEM_READ);
	size_t i;

	begin(object, MEM_READ);
	for (i = 0; i < LEN && bytes[i] == value; i++)
		;
	end(object, MEM_READ);
	return i == LEN;
}

/* Returns the signal that a store of the CPU raises, or 0. */
static inline int store_to(struct mem_object *object)
{
	return touch((uint32_t *)cpu_of(object, MEM_READ), true);
}

/* Checks that a read-only descriptor cannot be written in any way. */
static inline void cannot_be_written(int fd)
{
	void *map = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_ptr_equal(map, MAP_FAILED);
	assert_int_equal(errno, EACCES);
	map = mmap(NULL, LEN, PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_equal(map, MAP_FAILED);
	map = mmap(NULL, LEN, PROT_READ, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(mprotect(map, LEN, PROT_READ | PROT_WRITE), -1);
	assert_int_equal(touch(map, true), SIGSEGV);
	munmap(map, LEN);
	assert_int_equal(write(fd, "", 1), -1);
	assert_int_equal(pwrite(fd, "", 1, 0), -1);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE |
				   FALLOC_FL_KEEP_SIZE, 0, LEN), -1);
	assert_int_equal(fcntl(fd, F_SETFL, O_RDWR), 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
}

#endif
