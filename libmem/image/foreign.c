// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Copies between an internal copy and memory of the program that libmem has not
 * allocated. By mistake, the program may unmap it at any moment. So the copies
 * are made by system calls, which then fail; a load or store would end the
 * program in a thread of libmem.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "store.h"

/* Limits on what one system call copies */
#define MAX_ROWS	64U
#define MAX_BYTES	(64UL * 1024)

/* Copies rows of a plane to @bytes if @is_in, else from @bytes. */
static int foreign_move_rows(const struct mem_plane *plane, uint32_t first,
			     uint32_t nr, uint8_t *bytes, bool is_in)
{
	const size_t len = (size_t)plane->width * plane->pixel_len;
	const struct iovec local = { bytes, nr * len };
	struct iovec rows[MAX_ROWS];
	ssize_t ret;
	uint32_t i;

	for (i = 0; i < nr; i++)
		rows[i] = (struct iovec) { row_of(plane, first + i), len };
	ret = is_in ? process_vm_readv(getpid(), &local, 1, rows, nr, 0) :
		      process_vm_writev(getpid(), &local, 1, rows, nr, 0);
	if (ret < 0)
		return -errno;
	return (size_t)ret == nr * len ? 0 : -EFAULT;
}

/* Copies rows from @bytes to libmem's plane if they differ. */
static void foreign_take_rows(const struct mem_plane *plane, uint32_t first,
			      uint32_t nr, const uint8_t *bytes)
{
	const size_t len = (size_t)plane->width * plane->pixel_len;
	uint32_t i;

	for (i = 0; i < nr; i++, bytes += len)
		if (memcmp(row_of(plane, first + i), bytes, len))
			memcpy(row_of(plane, first + i), bytes, len);
}

/*
 * Copies rows to the program's plane if they differ from @bytes, which has its
 * present rows.
 */
static int foreign_give_rows(const struct mem_plane *inside,
			     const struct mem_plane *plane, uint32_t first,
			     uint32_t nr, uint8_t *bytes)
{
	const size_t len = (size_t)plane->width * plane->pixel_len;
	uint32_t i;
	int err = 0;

	for (i = 0; i < nr && !err; i++, bytes += len)
		if (memcmp(row_of(inside, first + i), bytes, len))
			err = foreign_move_rows(plane, first + i, 1,
						row_of(inside, first + i),
						false);
	return err;
}

static int foreign_move_plane(const struct mem_plane *inside,
			      const struct mem_plane *plane, uint32_t nr_rows,
			      uint8_t *bytes, bool is_in)
{
	const size_t len = (size_t)plane->width * plane->pixel_len;
	const size_t most = len < MAX_BYTES ? MAX_BYTES / len : 1;
	uint32_t y, nr;
	int err = 0;

	for (y = 0; y < nr_rows && !err; y += nr) {
		nr = most < MAX_ROWS ? (uint32_t)most : MAX_ROWS;
		if (nr > nr_rows - y)
			nr = nr_rows - y;
		err = foreign_move_rows(plane, y, nr, bytes, true);
		if (!err && is_in)
			foreign_take_rows(inside, y, nr, bytes);
		else if (!err)
			err = foreign_give_rows(inside, plane, y, nr, bytes);
	}
	return err;
}

/* The source's count says how many elements are valid. */
static int foreign_count_of(const struct view *inside,
			    const struct view *foreign, bool is_in,
			    uint32_t *nr)
{
	const struct mem_plane *plane = &foreign->planes[ARRAY_COUNT];
	uint64_t count;
	int err = 0;

	if (is_in)
		err = foreign_move_rows(plane, 0, 1, (uint8_t *)&count, true);
	else
		memcpy(&count, inside->planes[ARRAY_COUNT].base, sizeof(count));
	if (!err)
		*nr = count < foreign->planes[0].height ? (uint32_t)count :
			      foreign->planes[0].height;
	return err;
}

/**
 * foreign_move() - copy pixels between libmem's and the program's memory
 * @inside: libmem's memory
 * @foreign: the program's memory, of the same format and sides; only written
 *	where it differs, since others may be reading it
 * @is_array: copy only as many rows as the count of the source says
 * @is_in: copy from the program's memory, else to it
 *
 * Return: 0, -EFAULT: the memory is not mapped or lacks the permission; -EPERM
 * or -ENOSYS: this process may not use the system call; -ENOMEM.
 */
int foreign_move(const struct view *inside, const struct view *foreign,
		 bool is_array, bool is_in)
{
	size_t most = MAX_BYTES;
	uint32_t i, nr, nr_elements = 0;
	uint8_t *bytes;
	int err = 0;

	for (i = 0; i < foreign->nr_planes; i++) {
		const struct mem_plane *plane = &foreign->planes[i];
		const size_t len = (size_t)plane->width * plane->pixel_len;

		if (len > most)
			most = len;
	}
	bytes = malloc(most);
	if (!bytes)
		return -ENOMEM;
	if (is_array)
		err = foreign_count_of(inside, foreign, is_in, &nr_elements);
	for (i = 0; i < foreign->nr_planes && !err; i++) {
		nr = is_array && i != ARRAY_COUNT ? nr_elements :
						   foreign->planes[i].height;
		err = foreign_move_plane(&inside->planes[i],
					 &foreign->planes[i], nr, bytes, is_in);
	}
	free(bytes);
	return err;
}

/**
 * foreign_exists() - check whether a file still has the bytes that are mapped
 * @byte: of a file's mapping that the CPU may read
 *
 * Return: false if it ends before; true also if the kernel does not help.
 */
bool foreign_exists(const void *byte)
{
	const struct iovec from = { (void *)byte, 1 };
	uint8_t value;
	const struct iovec to = { &value, sizeof(value) };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) >= 0 ||
	       errno != EFAULT;
}
