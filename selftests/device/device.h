/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions that all tests of the real module share: open, allocate, map, sync,
 * submit a job, query. Functions whose name ends in _errno return 0 (or an fd)
 * or -errno; the others fail the running test if the kernel refuses.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <assert.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <cmocka.h>

#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/heapsim.h>

#include "../fnv1a.h"

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define DEVICE_MAX_HEAPS	8
#define DEVICE_BUF_NAME	"of the test"	/* name set by device_alloc() */
#define NSEC_PER_MSEC		1000000ULL
#define NSEC_PER_SEC		1000000000ULL
#define KIB			1024UL
#define MIB			(1024UL * 1024)

#define SYNC_START_READ		(DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ)
#define SYNC_START_WRITE	(DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE)
#define SYNC_START_RW		(DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW)
#define SYNC_END_READ		(DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ)
#define SYNC_END_WRITE		(DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE)
#define SYNC_END_RW		(DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW)

/* Skips the running test and prints the reason. */
__attribute__((noreturn, format(printf, 1, 2)))
void device_skip(const char *fmt, ...);

/* Reads a byte that others access; the compiler must not optimize it away. */
static inline uint8_t device_peek(const void *at)
{
	return __atomic_load_n((const uint8_t *)at, __ATOMIC_RELAXED);
}

size_t device_page_size(void);
int device_ioctl_errno(int fd, unsigned long cmd, void *arg);
uint64_t device_now_ns(void);
void device_sleep_ns(uint64_t ns);
int device_nr_fds(void);
/* Returns true if the kernel was built with KASAN, and is many times slower. */
bool device_has_kasan(void);

/* Returns the names of the module's heaps, without those of the kernel. */
size_t device_heaps(const char *names[DEVICE_MAX_HEAPS]);
bool device_has_heap(const char *name);
/*
 * Runs some tests once, and others on each of these heaps, whose name is the
 * test's state. Returns the number of failed tests.
 */
int device_run_on_heaps(const char *group, const struct CMUnitTest *once,
			size_t nr_once, const struct CMUnitTest *on_each,
			size_t nr_on_each);
int device_heap_open(const char *name, int flags);
int device_heap_alloc_errno(int heap, uint64_t len, uint32_t fd_flags);
int device_heap_alloc(const char *name, uint64_t len);

int device_open(void);
struct heapsim_probe device_probe(int dev);
struct heapsim_info device_info(int dev);
int device_alloc_errno(int dev, uint32_t kind, uint64_t len,
		       uint32_t fd_flags);
int device_alloc(int dev, uint32_t kind, uint64_t len);
struct heapsim_buf_info device_buf_info(int dev, int fd);
struct heapsim_counters device_count(int dev, int fd);

/* Maps the whole buffer for reading and writing. */
uint8_t *device_map(int fd, size_t len);
void device_unmap(void *map, size_t len);
int device_sync_errno(int fd, uint64_t flags);
void device_sync(int fd, uint64_t flags);
int device_maintain_errno(int dev, struct heapsim_range *ranges, uint32_t nr,
			  uint32_t *nr_done);
void device_maintain(int dev, int fd, uint32_t op, uint64_t off,
		     uint64_t len);
void device_revoke(int dev, int fd);

/* Submitting jobs, and waiting for them */
int device_submit_errno(int dev, struct heapsim_dma_submit *submit);
int device_wait_errno(int dev, uint64_t job, uint64_t timeout_ns,
		      struct heapsim_job_wait *answer);
struct heapsim_job_wait device_run(int dev, struct heapsim_dma_submit *submit);
void device_fill(int dev, int fd, uint64_t off, uint64_t len,
		 uint32_t pattern);
void device_copy(int dev, int src, uint64_t src_off, int dst,
		 uint64_t dst_off, uint64_t len);
uint64_t device_checksum(int dev, int fd, uint64_t off, uint64_t len);

/* Returns a copy of a buffer as engines see it; the caller frees it. */
uint8_t *device_dram(int dev, int fd, size_t len);

/* Describe jobs on the first bytes of buffers. */
struct heapsim_dma_submit device_fill_of(int fd, uint64_t len,
					 uint32_t pattern);
struct heapsim_dma_submit device_copy_of(int src, int dst, uint64_t len);
struct heapsim_dma_submit device_checksum_of(int fd, uint64_t len);

int device_fence_errno(int dev, int fd, uint32_t flags, uint64_t timeout_ns,
		       struct heapsim_fence_create *answer);
void device_fence_signal(int dev, uint64_t fence, int error);
/*
 * A bound of waits. Only a call that hangs exceeds it: on a starved machine a
 * wait of milliseconds may last for a minute.
 */
#define DEVICE_HANGS_MS	300000
#define DEVICE_HANGS_NS	(300 * NSEC_PER_SEC)

/*
 * On a starved machine a test may be too late for what it tests, for example if
 * a fence with a time limit has ended before the test does something under it.
 * It then tries again, at most so many times.
 */
#define DEVICE_NR_TRIES	20

/* Returns 0 if pending, 1 if signalled, or the -errno of the signal. */
int device_fence_status(int fence_fd);
/* Returns when a fence was signalled, on the clock of device_now_ns(). */
uint64_t device_fence_time_ns(int fence_fd);
/*
 * Begins to measure how late the machine is, for device_fence_is_in_time(); a
 * setup of a group of tests.
 */
int device_measure_lateness(void **state);
/*
 * Checks, by the kernel's clock, that a fence was signalled within the limit
 * after its publication. The bound is larger on a machine that is late.
 */
void device_fence_is_in_time(int fence_fd, uint64_t published_ns);
/* Exports the fences of @fd that DMA_BUF_SYNC_* waits for as a sync_file. */
int device_sync_file_export(int fd, uint32_t flags);
void device_sync_file_import(int fd, uint32_t flags, int fence_fd);

int device_hold_errno(int dev, int fd, uint32_t how, uint32_t dir,
		      struct heapsim_hold *answer);
void device_release(int dev, uint64_t hold);

/* Watches for records of these kinds, in the size of this test's struct. */
int device_watch_errno(int dev, uint32_t scope, uint64_t kinds, uint32_t nr);
/* Watches the process's tree, and asks for stacks unless the signal is 0. */
int device_watch_stacks_errno(int dev, uint32_t stack_signal,
			      uint32_t reserved);
/* Reads the next record; returns false if there is none. */
bool record_next(int watch, struct heapsim_record *r);
/* Discards the records that the preparation of a test has caused. */
void record_drain(int watch);

/* @fd is -1 for all scopes except that of a buffer. */
int device_policy_errno(int dev, uint32_t scope, int fd, uint32_t policy);

bool device_is_filled(const void *bytes, uint8_t value, size_t len);
/* Returns a line of /proc/meminfo, in bytes. */
size_t device_meminfo(const char *name);
/* Returns the events that poll(2) reports. */
short device_poll(int fd, short events, int timeout_ms);
/* Reads the value of "key:" in this process's fdinfo of @fd. */
void device_fdinfo(int fd, const char *key, char *value, size_t len);

/*
 * Runs @fn in a child. Returns the result of @fn, or minus the signal that
 * ended the child, which must not use cmocka.
 */
int device_in_child(int (*fn)(void *arg), void *arg);
/* Return the signal that a read or a write of @at raises, or 0. */
int device_signal_of_read(const uint8_t *at);
int device_signal_of_write(uint8_t *at);

/* Makes a dumb buffer of vgem, and exports it by PRIME. */
int device_vgem_dumb(int vgem, size_t at_least, size_t *len);

#endif
