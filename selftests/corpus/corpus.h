/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that the programs of the corpus need to make their mistake: buffers
 * of the noncoherent heap, brackets, and the dma engine as a device. None of
 * them returns an error; if the machine lacks something, the program exits with
 * 2.
 */
#ifndef CORPUS_H
#define CORPUS_H

#include <linux/dma-buf.h>
#include <linux/heapsim.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINE		64
#define PAGE		4096
#define KIB		1024
#define MSEC		1000000ULL	/* in ns */

#define START_READ	(DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ)
#define START_WRITE	(DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE)
#define START_RW	(DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW)
#define END_READ	(DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ)
#define END_WRITE	(DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE)
#define END_RW		(DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW)

#ifdef FIXED
#define IS_FIXED	true
#else
#define IS_FIXED	false
#endif

/* A dma-buf, and its mapping in this process */
struct buf {
	int fd;
	size_t len;
	uint8_t *map;
};

void need(bool is_there, const char *what);
/* Exits with 1 if a corrected program has wrong bytes. */
#define check(is_right)	check_if(IS_FIXED, is_right, #is_right, __LINE__)
void check_if(bool matters, bool is_right, const char *what, int line);

struct buf buf_alloc(size_t len);
void buf_free(struct buf *buf);
int fd_alloc(size_t len, uint32_t flags);
uint8_t *fd_map(int fd, size_t len);
void fd_sync(int fd, uint64_t flags);
void fd_wait(int fence_fd);

/* Functions for the dma engine; @dev is an open of /dev/heapsim. */
int dev_open(void);
void dev_fill(int dev, const struct buf *buf, size_t off, size_t len,
	      uint8_t value);
void dev_copy(int dev, const struct buf *dst, size_t dst_off,
	      const struct buf *src, size_t src_off, size_t len);
/* Inverts bytes in place. */
void dev_invert(int dev, const struct buf *buf, size_t off, size_t len);
uint64_t dev_sum(int dev, const struct buf *buf, size_t off, size_t len);

/* The same without a wait; they return the id of a job that lasts @delay_ns. */
uint64_t dev_start_fill(int dev, const struct buf *buf, size_t off, size_t len,
			uint8_t value, uint64_t delay_ns);
uint64_t dev_start_sum(int dev, const struct buf *buf, size_t off, size_t len,
		       uint64_t delay_ns);
uint64_t dev_wait(int dev, uint64_t job);

/* Does HEAPSIM_MAINT_* on a range. */
void dev_maintain(int dev, const struct buf *buf, uint32_t op, size_t off,
		  size_t len);
/* Lets another driver import it, with HEAPSIM_HOLD_* and HEAPSIM_DIR_*. */
uint64_t dev_hold(int dev, int fd, uint32_t how, uint32_t dir);
void dev_release(int dev, uint64_t hold);

/* Returns the sum that dev_sum() must return for these bytes. */
uint64_t sum_of(const void *bytes, size_t len);
bool is_all(const void *bytes, uint8_t value, size_t len);

/* Send and receive a descriptor through a socket. */
void fd_send(int sock, int fd);
int fd_receive(int sock);

#endif
