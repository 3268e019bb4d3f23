/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * heapsim: the interface between heapsim.ko and user space.
 *
 * /dev/dma_heap/<name> implements upstream's <linux/dma-heap.h>; this header is
 * for /dev/heapsim. Each command takes a struct that begins with its own size
 * in bytes. A struct that is shorter than the kernel's is extended with zeros.
 * In a longer one, the tail that the kernel does not know must be zero (else
 * E2BIG). The result is cut to the caller's size.
 *
 * Errors, checked in this order: ENOTTY no such command, EFAULT, E2BIG, EINVAL
 * malformed (also a size below the command's first version, unknown flags and
 * non-zero reserved fields), EOPNOTSUPP understood but not offered, EBADF no
 * such file descriptor, ENOENT no such id, EPERM, EBUSY wrong state, ENOMEM,
 * ETIMEDOUT. An fd that is a file but no dma-buf is EINVAL, as in the dma-buf
 * core. EINTR: the caller is being killed, and the command may have been
 * carried out for some pages only; other users of the buffer lose nothing.
 *
 * Ids of objects (streams, works, jobs, fences, holds) are valid for one open
 * of /dev/heapsim. The caller chooses those of streams and works. A new job,
 * fence or hold gets the lowest free id, so the id of an object that no longer
 * exists may name another one.
 */
#ifndef _UAPI_LINUX_HEAPSIM_H
#define _UAPI_LINUX_HEAPSIM_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Headers of kernels before 6.2 lack it. */
#ifndef __aligned_s64
#define __aligned_s64	__s64 __attribute__((aligned(8)))
#endif

#define HEAPSIM_ABI_VERSION	3
#define HEAPSIM_NAME_LEN	32

/**
 * enum heapsim_kind - kinds of buffer
 * @HEAPSIM_KIND_SYSTEM: noncoherent or coherent, as the SoC profile is: two
 *	views if it is not I/O-coherent, else one; never returned
 * @HEAPSIM_KIND_NONCOHERENT: CPU cached, engines uncached, two views always
 * @HEAPSIM_KIND_COHERENT: CPU cached and snooped, one view
 * @HEAPSIM_KIND_UNCACHED: one view, mapped write-combined where the
 *	architecture lets a module do that (x86), cached elsewhere
 * @HEAPSIM_KIND_CONTIGUOUS: physically contiguous, one view
 * @HEAPSIM_KIND_FOREIGN: a dma-buf of another driver; only returned
 * @HEAPSIM_KIND_MANAGED: unified memory: CPU and engines take turns, as streams
 *	and attaches say; two views when the SoC is not I/O-coherent. This and
 *	the next two belong to a context, and need HEAPSIM_FEATURE_RIGHTS
 * @HEAPSIM_KIND_PINNED: both may touch it at any time: one view, cached when
 *	the SoC is I/O-coherent, else as KIND_UNCACHED
 * @HEAPSIM_KIND_DEVICE: the CPU may not touch it; one view
 */
enum heapsim_kind {
	HEAPSIM_KIND_SYSTEM,
	HEAPSIM_KIND_NONCOHERENT,
	HEAPSIM_KIND_COHERENT,
	HEAPSIM_KIND_UNCACHED,
	HEAPSIM_KIND_CONTIGUOUS,
	HEAPSIM_KIND_FOREIGN,
	HEAPSIM_KIND_MANAGED,
	HEAPSIM_KIND_PINNED,
	HEAPSIM_KIND_DEVICE,
};

/** enum heapsim_policy - what happens to accesses that break the rules */
enum heapsim_policy {
	HEAPSIM_POLICY_STRICT,
	HEAPSIM_POLICY_RECORD,
	HEAPSIM_POLICY_OFF,
};

/* struct heapsim_probe.features: KIND_UNCACHED is uncached */
#define HEAPSIM_FEATURE_WRITE_COMBINE	(1ULL << 0)
/* ... struct heapsim_set_policy.is_precise may be 1 */
#define HEAPSIM_FEATURE_PRECISE		(1ULL << 1)
/* ... commands can be submitted by io_uring, see struct heapsim_uring_cmd */
#define HEAPSIM_FEATURE_URING		(1ULL << 3)
/*
 * ... the module has test_hooks=1: HEAPSIM_IOC_HOLD, and buffers with
 * HEAPSIM_IOC_FENCE_CREATE, are supported; otherwise they fail: EOPNOTSUPP
 */
#define HEAPSIM_FEATURE_TEST_HOOKS	(1ULL << 4)
/* ... HEAPSIM_IOC_BUF_REOPEN is supported */
#define HEAPSIM_FEATURE_REOPEN		(1ULL << 5)
/* HEAPSIM_IOC_STREAM_ADD to HEAPSIM_IOC_RIGHTS_INFO */
#define HEAPSIM_FEATURE_RIGHTS		(1ULL << 6)
/* HEAPSIM_IOC_FENCE_CREATE without a buffer */
#define HEAPSIM_FEATURE_FENCES		(1ULL << 7)

/* Attach states of a managed buffer; the numbers are CUDA's. */
#define HEAPSIM_ATTACH_GLOBAL	1	/* jobs of any stream */
#define HEAPSIM_ATTACH_HOST	2	/* only the CPU */
#define HEAPSIM_ATTACH_SINGLE	4	/* jobs of one stream */

/**
 * struct heapsim_probe - version, profile and features
 * @size: in: sizeof of this struct; out: bytes that the kernel knows
 * @abi_version: out: HEAPSIM_ABI_VERSION of the module
 * @features: out: HEAPSIM_FEATURE_*
 * @line_size: out: cache line, bytes
 * @fill_size: out: fill granule, bytes: a touch fills all Invalid lines of it
 * @page_size: out: bytes
 * @policy: out: enum heapsim_policy; this, @seed and @evict_random apply to
 *	buffers for which no other policy was set, see struct heapsim_set_policy
 * @seed: out: seed of random eviction
 * @evict_random: out: 1 if lines are evicted at random, else 0
 * @io_coherent: out: 1 if the SoC is I/O-coherent
 * @soc: out: name of the profile, terminated
 */
struct heapsim_probe {
	__u32 size;
	__u32 abi_version;
	__aligned_u64 features;
	__u32 line_size;
	__u32 fill_size;
	__u32 page_size;
	__u32 policy;
	__aligned_u64 seed;
	__u32 evict_random;
	__u32 io_coherent;
	char soc[HEAPSIM_NAME_LEN];
};

/**
 * struct heapsim_info - state of the module
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @nr_bufs: out: live buffers
 * @buf_bytes: out: DRAM of live buffers, and the maps of jobs with a delay (a
 *	bit for each line), bytes
 * @cpu_bytes: out: memory for CPU views that differ from DRAM, bytes
 * @pool_bytes: out: free pages kept for later, bytes
 * @nr_jobs: out: engine jobs not yet done
 * @limit_bytes: out: limit for all buffers together: their DRAM, and for a
 *	buffer with two views also the largest size of CPU view, twins and
 *	device view
 * @user_limit_bytes: out: the same for one user
 * @missing_ends: out: WRITE brackets that ended without END since the module
 *	was inserted, including those of buffers that no longer exist
 */
struct heapsim_info {
	__u32 size;
	__u32 flags;
	__aligned_u64 nr_bufs;
	__aligned_u64 buf_bytes;
	__aligned_u64 cpu_bytes;
	__aligned_u64 pool_bytes;
	__aligned_u64 nr_jobs;
	__aligned_u64 limit_bytes;
	__aligned_u64 user_limit_bytes;
	__aligned_u64 missing_ends;
};

/**
 * struct heapsim_buf_alloc - allocate a zeroed buffer
 * @size: in: sizeof of this struct
 * @fd_flags: in: O_CLOEXEC or 0, with O_RDONLY, O_WRONLY or O_RDWR
 * @len: in: bytes, above 0; out: rounded up to pages
 * @kind: in: enum heapsim_kind except KIND_FOREIGN
 * @fd: out: dma-buf, owned by the caller; its mappings show the CPU view
 * @id: out: number of the buffer, never reused while the module is loaded
 * @name: in: name of the buffer, terminated; may be empty
 * @attach: in: KIND_MANAGED: HEAPSIM_ATTACH_GLOBAL or HEAPSIM_ATTACH_HOST, the
 *	first attach state, to which it also falls back; other kinds: 0
 * @alloc_flags: in: HEAPSIM_ALLOC_*
 * @view_fd: out: with HEAPSIM_ALLOC_DEVICE_VIEW a second dma-buf with
 *	@fd_flags, owned by the caller: its mappings show DRAM. No driver can
 *	import it
 * @reserved: 0
 *
 * EINVAL (0 or too long a length, unknown kind, flags or fd out not 0), EMFILE,
 * ENOMEM (limit reached or no memory; never the OOM killer). EBUSY: the user
 * has too many objects, see struct heapsim_stream_id.
 */
struct heapsim_buf_alloc {
	__u32 size;
	__u32 fd_flags;
	__aligned_u64 len;
	__u32 kind;
	__s32 fd;
	__aligned_u64 id;
	char name[HEAPSIM_NAME_LEN];
	__u32 attach;
	__u32 alloc_flags;
	__s32 view_fd;
	__u32 reserved;
};

/* Also return a device view; for KIND_MANAGED, KIND_PINNED and KIND_DEVICE. */
#define HEAPSIM_ALLOC_DEVICE_VIEW	(1U << 0)

/**
 * struct heapsim_buf_reopen - return a descriptor with another access mode
 * @size: in: sizeof of this struct
 * @fd_flags: in: O_CLOEXEC or 0, with O_RDONLY, O_WRONLY or O_RDWR
 * @fd: in: any descriptor of a buffer of heapsim
 * @new_fd: out: dma-buf, owned by the caller; in: 0
 *
 * For a receiver that must not write: a descriptor with O_RDONLY cannot be
 * mapped writable, nor be the target of a job. It refers to a new dma-buf, with
 * its own inode and name, of the same buffer: memory, lines, brackets, fences,
 * id and counters are shared. As with any dma-buf, the access mode restricts
 * neither drivers nor cache maintenance: an importer may write by DMA, and
 * DMA_BUF_IOCTL_SYNC and HEAPSIM_IOC_BUF_MAINTAIN can discard stores of others
 * that have not been cleaned. It counts as an object of the calling user.
 *
 * EINVAL (unknown flags, @new_fd not 0), EOPNOTSUPP a foreign buffer or a
 * device view, EPERM @fd allows less than @fd_flags ask for, EBUSY the user has
 * too many objects, EMFILE, ENOMEM. Needs HEAPSIM_FEATURE_REOPEN.
 */
struct heapsim_buf_reopen {
	__u32 size;
	__u32 fd_flags;
	__s32 fd;
	__s32 new_fd;
};

/**
 * struct heapsim_counters - events of a buffer since it was created
 * @fills: fill events
 * @lines_filled: lines
 * @lines_cleaned: lines written back to DRAM
 * @lines_invalidated: valid lines dropped
 * @evictions: lines evicted at random
 * @redundant_cleans: clean operations that found nothing Dirty
 * @redundant_invalidates: invalidate operations that had nothing to do
 * @shared_lines: lines partly inside a range to be invalidated
 * @stale_reads: CPU reads of a line that differs from DRAM
 * @possible_stale_reads: CPU reads of a line that an engine wrote since its
 *	last invalidate and that happens to equal DRAM
 * @lost_device_writes: cleaned lines that overwrote bytes of an engine
 * @lost_cpu_writes: invalidated lines whose CPU stores are lost
 * @missing_cleans: Dirty lines below which an engine read DRAM
 * @write_conflicts: Dirty lines below which an engine wrote DRAM
 * @unbracketed_accesses: CPU touches of a held buffer outside a bracket, or
 *	while a fence forbids them
 * @missing_ends: WRITE brackets whose process ended, or closed its last
 *	descriptor and mapping of the buffer, without END
 * @unmatched_ends: END without its START
 */
struct heapsim_counters {
	__aligned_u64 fills;
	__aligned_u64 lines_filled;
	__aligned_u64 lines_cleaned;
	__aligned_u64 lines_invalidated;
	__aligned_u64 evictions;
	__aligned_u64 redundant_cleans;
	__aligned_u64 redundant_invalidates;
	__aligned_u64 shared_lines;
	__aligned_u64 stale_reads;
	__aligned_u64 possible_stale_reads;
	__aligned_u64 lost_device_writes;
	__aligned_u64 lost_cpu_writes;
	__aligned_u64 missing_cleans;
	__aligned_u64 write_conflicts;
	__aligned_u64 unbracketed_accesses;
	__aligned_u64 missing_ends;
	__aligned_u64 unmatched_ends;
};

/**
 * struct heapsim_buf_info - return state and counters of a buffer
 * @size: in: sizeof of this struct
 * @fd: in: a dma-buf
 * @id: out: 0 for a foreign one
 * @len: out: bytes
 * @kind: out: enum heapsim_kind, never HEAPSIM_KIND_SYSTEM
 * @has_two_views: out: 1 if CPU and engines may see different bytes now
 * @nr_holders: out: importers that have it mapped or vmapped now
 * @reserved: 0
 * @name: out: name given by DMA_BUF_SET_NAME, else at allocation, terminated
 * @count: out: counters; all 0 for a foreign buffer or a kind of one view.
 *	While the policy is off they stay as they are
 * @policy: out: enum heapsim_policy; this and the next three are 0 for a
 *	foreign buffer
 * @evict_random: out: 1 if its lines are evicted at random
 * @is_precise: out: 1 if each access of the CPU is detected
 * @reserved2: 0
 * @seed: out: seed of random eviction
 */
struct heapsim_buf_info {
	__u32 size;
	__s32 fd;
	__aligned_u64 id;
	__aligned_u64 len;
	__u32 kind;
	__u32 has_two_views;
	__u32 nr_holders;
	__u32 reserved;
	char name[HEAPSIM_NAME_LEN];
	struct heapsim_counters count;
	__u32 policy;
	__u32 evict_random;
	__u32 is_precise;
	__u32 reserved2;
	__aligned_u64 seed;
};

/** enum heapsim_maint_op - range maintenance */
enum heapsim_maint_op {
	HEAPSIM_MAINT_CLEAN = 1,
	HEAPSIM_MAINT_INVALIDATE = 2,
	HEAPSIM_MAINT_CLEAN_INVALIDATE = 3,
};

/**
 * struct heapsim_range - one range to maintain
 * @fd: a buffer of heapsim
 * @op: enum heapsim_maint_op
 * @off: bytes
 * @len: bytes; 0 does nothing
 */
struct heapsim_range {
	__s32 fd;
	__u32 op;
	__aligned_u64 off;
	__aligned_u64 len;
};

#define HEAPSIM_MAX_RANGES	65536

/**
 * struct heapsim_buf_maintain - maintain a list of ranges, in order
 * @size: in: sizeof of this struct
 * @nr_ranges: in: at most HEAPSIM_MAX_RANGES
 * @ranges: in: user pointer to struct heapsim_range[@nr_ranges]
 * @nr_done: out, also on failure: ranges that were maintained
 * @reserved: 0
 *
 * EINVAL also for a range outside its buffer; EOPNOTSUPP for a foreign buffer.
 */
struct heapsim_buf_maintain {
	__u32 size;
	__u32 nr_ranges;
	__aligned_u64 ranges;
	__u32 nr_done;
	__u32 reserved;
};

/**
 * struct heapsim_range_maintain - maintain a range
 * @size: in: sizeof of this struct
 * @reserved: 0
 * @range: in: range, as in struct heapsim_buf_maintain
 *
 * For many ranges a list or io_uring costs less. Needs HEAPSIM_FEATURE_URING.
 */
struct heapsim_range_maintain {
	__u32 size;
	__u32 reserved;
	struct heapsim_range range;
};

/** enum heapsim_dma_op - jobs of the dma engine */
enum heapsim_dma_op {
	HEAPSIM_DMA_FILL = 1,		/* dst = pattern */
	HEAPSIM_DMA_COPY = 2,		/* dst = src ^ pattern */
	HEAPSIM_DMA_CHECKSUM = 3,	/* result = 64-bit FNV-1a of src */
};

#define HEAPSIM_DMA_MAX_DELAY_NS	10000000000ULL
/* Longest sum of all rows of a job, in lengths of its larger buffer. */
#define HEAPSIM_DMA_MAX_PASSES		64

/**
 * struct heapsim_dma_submit - start a job of the dma engine
 * @size: in: sizeof of this struct
 * @op: in: enum heapsim_dma_op
 * @flags: in: 0
 * @src_fd: in: copy, checksum: any dma-buf; fill: -1
 * @dst_fd: in: fill, copy: any dma-buf; checksum: -1
 * @pattern: in: fill, copy: byte i of a row is combined with byte i % 4 of
 *	this (little endian); checksum: 0
 * @src_off: in: bytes, of the first row
 * @dst_off: in: bytes, of the first row
 * @src_pitch: in: bytes from row to row; negative: descending addresses
 * @dst_pitch: in: as @src_pitch
 * @row_len: in: bytes of a row, above 0
 * @nr_rows: in: above 0; if it is 1, pitches are ignored
 * @delay_ns: in: shortest duration of the job, at most
 *	HEAPSIM_DMA_MAX_DELAY_NS; until then it may access any of its bytes
 * @fence_fd: out: sync_file, owned by the caller, O_CLOEXEC
 * @reserved: 0
 * @job: out: id for HEAPSIM_IOC_JOB_WAIT, of this open of /dev/heapsim
 *
 * The job waits for the fences it must, its own fence is attached to the
 * buffers. Rows of one buffer that overlap between source and destination are
 * copied in order. EINVAL also if a row leaves its buffer or all rows together
 * are longer than HEAPSIM_DMA_MAX_PASSES times the larger buffer; EOPNOTSUPP
 * for a foreign buffer that has no vmap, EBUSY if 64 jobs of this open have not
 * been waited for (the kernel keeps their results), 1024 of the user are not
 * done (those of an open that was closed run on), or the user has too many
 * objects, see struct heapsim_stream_id; EPERM if the fd does not allow the
 * access (dst not writable, src not readable).
 *
 * Jobs of one open run one after the other, in the order of their submission;
 * jobs of different opens share the engine. Others wait for the fence of a job,
 * so each job ends within 10 s of its submission: with -ETIMEDOUT if it is not
 * done then, whatever it waited for. The bytes written until then are its
 * result. A fence that was signalled in error counts as signalled.
 */
struct heapsim_dma_submit {
	__u32 size;
	__u32 op;
	__u32 flags;
	__s32 src_fd;
	__s32 dst_fd;
	__u32 pattern;
	__aligned_u64 src_off;
	__aligned_u64 dst_off;
	__aligned_s64 src_pitch;
	__aligned_s64 dst_pitch;
	__aligned_u64 row_len;
	__u32 nr_rows;
	__s32 fence_fd;
	__aligned_u64 delay_ns;
	__aligned_u64 job;
	__aligned_u64 reserved;
};

/**
 * struct heapsim_job_wait - wait for a job and take its result
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @job: in: id, which is free for reuse after a wait that succeeded
 * @timeout_ns: in: longest wait, at most an hour; 0: does not wait
 * @result: out: checksum; bytes written for the other operations
 * @status: out: 0 or the -errno that the job ended with
 * @reserved: 0
 *
 * ENOENT no such job of this open, EINTR, ETIMEDOUT not done yet. If the wait
 * succeeds, @status has the result of the job, which may also be -ETIMEDOUT.
 */
struct heapsim_job_wait {
	__u32 size;
	__u32 flags;
	__aligned_u64 job;
	__aligned_u64 timeout_ns;
	__aligned_u64 result;
	__s32 status;
	__u32 reserved;
};

#define HEAPSIM_FENCE_READ	(1U << 0)	/* of an engine that reads */
#define HEAPSIM_FENCE_WRITE	(1U << 1)	/* of an engine that writes */

/**
 * struct heapsim_fence_create - create a fence that the program signals
 * @size: in: sizeof of this struct
 * @flags: in: 0; or HEAPSIM_FENCE_READ or HEAPSIM_FENCE_WRITE: the fence is
 *	also added to a buffer, for tests
 * @fd: in: any dma-buf; -1 if @flags is 0
 * @fence_fd: out: sync_file, owned by the caller, O_CLOEXEC
 * @timeout_ns: in: time after which it is signalled with -ETIMEDOUT; above 0,
 *	at most 10 s
 * @fence: out: id for HEAPSIM_IOC_FENCE_SIGNAL, of this open
 *
 * Needs HEAPSIM_FEATURE_FENCES, with a buffer HEAPSIM_FEATURE_TEST_HOOKS. When
 * this open is closed its fences are signalled with -ECANCELED. EBUSY if this
 * open has 1024 fences that were not signalled by HEAPSIM_IOC_FENCE_SIGNAL (a
 * fence that has timed out keeps its id), or the user has too many objects, see
 * struct heapsim_stream_id.
 */
struct heapsim_fence_create {
	__u32 size;
	__u32 flags;
	__s32 fd;
	__s32 fence_fd;
	__aligned_u64 timeout_ns;
	__aligned_u64 fence;
};

/**
 * struct heapsim_fence_signal - signal a fence
 * @size: in: sizeof of this struct
 * @error: in: 0 or a -errno from -4095
 * @fence: in: id, which is free for reuse afterwards
 *
 * ENOENT no such fence of this open; one that has timed out still exists.
 */
struct heapsim_fence_signal {
	__u32 size;
	__s32 error;
	__aligned_u64 fence;
};

#define HEAPSIM_HOLD_MAP	1	/* attach and map, as a device does */
#define HEAPSIM_HOLD_VMAP	2	/* kernel mapping */

#define HEAPSIM_DIR_BIDIRECTIONAL	0
#define HEAPSIM_DIR_TO_DEVICE		1
#define HEAPSIM_DIR_FROM_DEVICE		2

/**
 * struct heapsim_hold - import a buffer, for tests
 * @size: in: sizeof of this struct
 * @how: in: HEAPSIM_HOLD_MAP or HEAPSIM_HOLD_VMAP
 * @fd: in: any dma-buf
 * @dir: in: HEAPSIM_DIR_*, for a map; 0 for a vmap
 * @hold: out: id for HEAPSIM_IOC_RELEASE, of this open
 * @nr_segments: out, map: entries of the sg table
 * @reserved: 0
 * @sg_bytes: out, map: sum of their lengths
 * @max_segment: out, map: the longest, bytes
 *
 * Needs HEAPSIM_FEATURE_TEST_HOOKS. Closing the open releases. EOPNOTSUPP also
 * if the exporter has no vmap. EBUSY if this open has 1024 holds, or the user
 * has too many objects, see struct heapsim_stream_id.
 */
struct heapsim_hold {
	__u32 size;
	__u32 how;
	__s32 fd;
	__u32 dir;
	__aligned_u64 hold;
	__u32 nr_segments;
	__u32 reserved;
	__aligned_u64 sg_bytes;
	__aligned_u64 max_segment;
};

/**
 * struct heapsim_release - end a hold
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @hold: in: id, which is free for reuse afterwards
 *
 * ENOENT no such hold of this open.
 */
struct heapsim_release {
	__u32 size;
	__u32 flags;
	__aligned_u64 hold;
};

/**
 * struct heapsim_buf_revoke - remove all PTEs of a buffer
 * @size: in: sizeof of this struct
 * @fd: in: a buffer of heapsim
 *
 * The next touch of each page is then detected; nothing else changes. For
 * watchers: EPERM unless this open watches (HEAPSIM_IOC_WATCH) and the caller
 * is the process that began to watch, or a descendant. Has no effect on a
 * buffer with one view. EOPNOTSUPP for a foreign one.
 */
struct heapsim_buf_revoke {
	__u32 size;
	__s32 fd;
};

/** enum heapsim_record_kind - kinds of record */
enum heapsim_record_kind {
	HEAPSIM_RECORD_DROPPED,			/* records were dropped */
	HEAPSIM_RECORD_STALE_READ,
	HEAPSIM_RECORD_POSSIBLE_STALE_READ,
	HEAPSIM_RECORD_LOST_DEVICE_WRITE,
	HEAPSIM_RECORD_LOST_CPU_WRITE,
	HEAPSIM_RECORD_MISSING_CLEAN,
	HEAPSIM_RECORD_WRITE_CONFLICT,
	HEAPSIM_RECORD_UNBRACKETED_ACCESS,
	HEAPSIM_RECORD_MISSING_END,
	HEAPSIM_RECORD_UNMATCHED_END,
	HEAPSIM_RECORD_SHARED_LINE,		/* no error */
	HEAPSIM_RECORD_REDUNDANT_CLEAN,		/* no error */
	HEAPSIM_RECORD_REDUNDANT_INVALIDATE,	/* no error */
	HEAPSIM_RECORD_CPU_WHILE_ACTIVE,	/* managed memory */
	HEAPSIM_RECORD_ENGINE_NOT_ATTACHED,	/* managed memory */
	HEAPSIM_RECORD_CPU_ON_DEVICE,		/* device memory */
	HEAPSIM_RECORD_UNENDED_READ,		/* no error */
	HEAPSIM_NR_RECORD_KINDS,		/* of findings */

	/*
	 * Events: what is done, right or wrong, for a timeline. Only watchers
	 * that request them get them. Events are never folded into another
	 * record, and no stack is recorded for them.
	 */
	HEAPSIM_RECORD_FILL = 32,		/* lines into the CPU's cache */
	HEAPSIM_RECORD_EVICT,			/* one out of it, at random */
	HEAPSIM_RECORD_CLEAN,			/* by any cause */
	HEAPSIM_RECORD_INVALIDATE,		/* or take in */
	HEAPSIM_RECORD_START,			/* of a bracket */
	HEAPSIM_RECORD_END,
	HEAPSIM_RECORD_SUBMIT,			/* of a job, or a work */
	HEAPSIM_RECORD_JOB_BEGIN,		/* its waits are over */
	HEAPSIM_RECORD_JOB_END,			/* before its fence signals */
	HEAPSIM_RECORD_HOLD,			/* map, or first vmap */
	HEAPSIM_RECORD_RELEASE,			/* unmap, or last vunmap */
	HEAPSIM_RECORD_EVENTS_END,		/* no kind */
};

/* Bits of struct heapsim_watch.kinds; drops are always recorded. */
#define HEAPSIM_KIND_BIT(kind)	(1ULL << (kind))
#define HEAPSIM_KINDS_ALL \
	(HEAPSIM_KIND_BIT(HEAPSIM_NR_RECORD_KINDS) - 2)
#define HEAPSIM_KINDS_WASTE \
	(HEAPSIM_KIND_BIT(HEAPSIM_RECORD_SHARED_LINE) | \
	 HEAPSIM_KIND_BIT(HEAPSIM_RECORD_REDUNDANT_CLEAN) | \
	 HEAPSIM_KIND_BIT(HEAPSIM_RECORD_REDUNDANT_INVALIDATE) | \
	 HEAPSIM_KIND_BIT(HEAPSIM_RECORD_UNENDED_READ))
#define HEAPSIM_KINDS_ERRORS	(HEAPSIM_KINDS_ALL & ~HEAPSIM_KINDS_WASTE)
/* Kinds that need HEAPSIM_FEATURE_RIGHTS: else EINVAL. */
#define HEAPSIM_KINDS_STREAMS \
	(HEAPSIM_KIND_BIT(HEAPSIM_RECORD_CPU_WHILE_ACTIVE) | \
	 HEAPSIM_KIND_BIT(HEAPSIM_RECORD_ENGINE_NOT_ATTACHED) | \
	 HEAPSIM_KIND_BIT(HEAPSIM_RECORD_CPU_ON_DEVICE))
#define HEAPSIM_KINDS_EVENTS \
	(HEAPSIM_KIND_BIT(HEAPSIM_RECORD_EVENTS_END) - \
	 HEAPSIM_KIND_BIT(HEAPSIM_RECORD_FILL))

/* Bits of struct heapsim_record.access */
#define HEAPSIM_ACCESS_READ	(1U << 0)
#define HEAPSIM_ACCESS_WRITE	(1U << 1)

/** enum heapsim_missing - the operation that would have prevented a finding */
enum heapsim_missing {
	HEAPSIM_MISSING_NOTHING,
	HEAPSIM_MISSING_START_READ,	/* START, READ, or an invalidate */
	HEAPSIM_MISSING_START_WRITE,	/* START, WRITE */
	HEAPSIM_MISSING_END,		/* END, WRITE, or a clean */
	HEAPSIM_MISSING_WAIT,		/* a wait for a fence */
	HEAPSIM_MISSING_SYNC,		/* a wait for a stream, or all */
	HEAPSIM_MISSING_ATTACH,		/* to the job's stream */
	HEAPSIM_MISSING_COPY,		/* to memory that the CPU may touch */
};

/**
 * struct heapsim_record_cpu - the CPU's side of a record
 * @pid: process (thread group), in the reader's pid namespace; 0: a kernel
 *	thread, a process outside of that namespace, or one of a user about whom
 *	the watcher gets no information (then @tid, @comm, @ip and @addr are 0,
 *	too). In the initial namespace also the number of a process that has
 *	ended
 * @tid: thread, like @pid
 * @comm: name of the thread at that time, terminated
 * @ip: instruction pointer in user space; of a system call its return address
 * @addr: address of the access; 0: no access, or that of a debugger
 * @time_ns: when, CLOCK_MONOTONIC; 0: there is no such side
 * @is_write: 1 for a store, or for a START or END that has WRITE
 * @reserved: 0
 */
struct heapsim_record_cpu {
	__u32 pid;
	__u32 tid;
	char comm[16];
	__aligned_u64 ip;
	__aligned_u64 addr;
	__aligned_u64 time_ns;
	__u32 is_write;
	__u32 reserved;
};

/** enum heapsim_other - the other side of a record */
enum heapsim_other {
	HEAPSIM_OTHER_NOBODY,	/* none, or not known any more */
	HEAPSIM_OTHER_ENGINE,	/* an engine of heapsim, by a job */
	HEAPSIM_OTHER_DEVICE,	/* an importer that has or had it mapped */
	HEAPSIM_OTHER_VMAP,	/* a driver that has or had it vmapped */
	HEAPSIM_OTHER_FENCE,	/* a job or driver that will signal a fence */
	HEAPSIM_OTHER_PROCESS,	/* a process that did maintenance */
};

/**
 * struct heapsim_record_other - the other side of a record
 * @type: enum heapsim_other
 * @pid: process that submitted the job, mapped or maintained; as in struct
 *	heapsim_record_cpu, with @comm and @job
 * @comm: name of that process at that time, terminated
 * @name: name of the engine or device, terminated; of a vmap, like @comm
 * @job: id of the job or work, of the open that submitted it; 0 none
 * @stream: id of its stream, of the same open; 0 the NULL stream, or none
 * @time_ns: when it was submitted, mapped or maintained, CLOCK_MONOTONIC
 */
struct heapsim_record_other {
	__u32 type;
	__u32 pid;
	char comm[16];
	char name[HEAPSIM_NAME_LEN];
	__aligned_u64 job;
	__aligned_u64 stream;
	__aligned_u64 time_ns;
};

/* How a managed buffer came to its attach state. */
#define HEAPSIM_ATTACHED_BY_CALL	1
#define HEAPSIM_ATTACHED_BY_ALLOC	2	/* its first one */
#define HEAPSIM_ATTACHED_BY_DESTROY	3	/* of its stream */

/**
 * struct heapsim_record_attach - an attach of a managed buffer
 * @attach: HEAPSIM_ATTACH_*; 0: there were no more attaches
 * @by: HEAPSIM_ATTACHED_BY_*
 * @stream: id of the stream in whose order it takes effect, and to which
 *	ATTACH_SINGLE attaches
 * @time_ns: when it was called, CLOCK_MONOTONIC
 * @stack: number with which the calling thread was signalled, like @cpu_stack
 *	of struct heapsim_record; 0: it was not
 */
struct heapsim_record_attach {
	__u32 attach;
	__u32 by;
	__aligned_u64 stream;
	__aligned_u64 time_ns;
	__aligned_u64 stack;
};

/* Number of attaches of a buffer that are remembered. */
#define HEAPSIM_RECORD_NR_ATTACHES	4

/**
 * struct heapsim_record - a record, as read() of a watcher returns it
 * @size: bytes of this record: the next one follows it
 * @kind: enum heapsim_record_kind
 * @missing: enum heapsim_missing
 * @reserved: 0
 * @seq: number of the record for this watcher, from 1; dropped records have
 *	numbers, too
 * @time_ns: when it was found first, CLOCK_MONOTONIC
 * @count: lines (accesses, operations) that it stands for: repetitions with the
 *	same kind, buffer, process and code of the CPU, and type, process and
 *	name of the other side are added to a record that waits to be read; both
 *	sides are those of the first. Of a drop: records
 * @buf: id of the buffer
 * @off: first byte; of an access the byte that faulted
 * @len: bytes up to the end of the last line, holes between included; of an
 *	access outside a bracket those that it touched, of an operation its
 *	range, of a bracket all of the buffer
 * @name: name of the buffer, terminated
 * @cpu: the access; if an earlier access is concerned (a store whose line was
 *	lost or is missing), that access
 * @other: the other side
 * @cpu_stack: number with which the thread of @cpu was signalled, see struct
 *	heapsim_watch; 0: it was not. Records with different numbers are not
 *	merged
 * @other_stack: the same for the thread that submitted, mapped or maintained
 * @bytes: sum of the lengths that it stands for, if @len has holes
 * @access: of an event HEAPSIM_ACCESS_*: of the touch that fills (0: it is a
 *	fill at random), of the bracket, of the job to @buf, or what the
 *	importer may do; else 0
 * @op: of a job enum heapsim_dma_op, else 0
 * @src: of a job: id of the buffer that it reads; 0 none, or a foreign one
 * @status: of the end of a job 0 or the -errno that it ended with, else 0
 * @attach: of a managed buffer HEAPSIM_ATTACH_*, its newest state, else 0
 * @nr_harmless: of a drop: how many of these records were no mistakes, but
 *	waste or events; else 0
 * @attach_stream: the stream that @attach is single to
 * @kernel: kernel of the work that @other is, as it was submitted, else 0
 * @attaches: of RECORD_CPU_WHILE_ACTIVE and RECORD_ENGINE_NOT_ATTACHED the last
 *	attaches of the buffer, the newest, which @attach is, first; else 0
 *
 * For an event, @time_ns is the time of its end and @cpu.time_ns that of its
 * begin; they are equal if it takes no time. A START waits, and maintenance
 * that is part of it is between its begin and end. @count is the number of
 * lines that were filled, written back or invalidated, which may be 0; for
 * other events it is 1. @other is the importer of a hold and of its release,
 * with the same time, and the job of events of jobs, with the time at which its
 * submission began. The begin and end of a job have no @cpu; @buf is the buffer
 * that the job writes, or else reads, 0 for a foreign buffer; @off and @len
 * cover all rows, and @bytes is the number of bytes to move.
 *
 * A work (struct heapsim_work_add) has the events of a job, without @op and
 * buffer, because what it touches is unknown before. Ids of works, of jobs, and
 * of different opens are independent of each other; together with @other.pid
 * and @other.time_ns they are unique. A work begins before its buffers are
 * cleaned, and ends when its stores have been accounted for; @status is
 * -ECANCELED if its open was closed before.
 */
struct heapsim_record {
	__u32 size;
	__u32 kind;
	__u32 missing;
	__u32 reserved;
	__aligned_u64 seq;
	__aligned_u64 time_ns;
	__aligned_u64 count;
	__aligned_u64 buf;
	__aligned_u64 off;
	__aligned_u64 len;
	char name[HEAPSIM_NAME_LEN];
	struct heapsim_record_cpu cpu;
	struct heapsim_record_other other;
	__aligned_u64 cpu_stack;
	__aligned_u64 other_stack;
	__aligned_u64 bytes;
	__u32 access;
	__u32 op;
	__aligned_u64 src;
	__s32 status;
	__u32 attach;
	__aligned_u64 nr_harmless;
	__aligned_u64 attach_stream;
	__aligned_u64 kernel;
	struct heapsim_record_attach attaches[HEAPSIM_RECORD_NR_ATTACHES];
};

#define HEAPSIM_WATCH_PROCESS	1	/* the calling process */
#define HEAPSIM_WATCH_TREE	2	/* it and its descendants */
#define HEAPSIM_WATCH_ALL	3	/* all; needs CAP_SYS_PTRACE */

/* siginfo.si_code that neither the kernel nor sigqueue() uses. */
#define HEAPSIM_SI_STACK	(-0x4853)

/*
 * Numbers of stacks increase by two: even for accesses, odd for system calls.
 */
#define HEAPSIM_STACK_CALL	1

/*
 * sigaction.sa_flags that mark a handler for stacks; any other handler is not
 * called. The kernel drops flags that it does not know, so these are three
 * known ones, which together have no meaning for a signal without a child or an
 * address: SA_EXPOSE_TAGBITS, which a handler of arm64 may have alone,
 * SA_NOCLDSTOP and SA_NOCLDWAIT.
 */
#define HEAPSIM_SA_STACK	0x803

#define HEAPSIM_WATCH_MAX_RECORDS	65536
#define HEAPSIM_WATCH_MAX_SIZE		4096

/**
 * struct heapsim_watch - start to queue records for read() and poll()
 * @size: in: sizeof of this struct
 * @scope: in: HEAPSIM_WATCH_*: a record is queued if one of its processes is in
 *	this scope, at most 64 generations below, and, unless the watcher has
 *	CAP_SYS_PTRACE, is one that the watcher could ptrace: with its user,
 *	group and user namespace, no more capabilities, and dumpable. About a
 *	side that the watcher could not ptrace, the record only says that it
 *	exists; a side that is not in the scope has no addresses
 * @kinds: in: HEAPSIM_KIND_BIT()s
 * @nr_records: in: length of the queue, 1 to HEAPSIM_WATCH_MAX_RECORDS; records
 *	that find it full are dropped, which is recorded; waste and events are
 *	dropped before mistakes
 * @record_size: in: sizeof(struct heapsim_record) of the caller, from that of
 *	its first version to HEAPSIM_WATCH_MAX_SIZE, a multiple of 8; longer
 *	records of the kernel are cut
 * @stack_signal: in: 0, or a signal at which watched threads (those that the
 *	watcher could ptrace) record their stack. A thread that has made a
 *	finding, or may be a side of a later one, gets the signal before it
 *	returns to user space, if its process has a handler with SA_SIGINFO |
 *	HEAPSIM_SA_STACK and the thread does not block the signal. si_code is
 *	HEAPSIM_SI_STACK, si_value a number, and the instruction pointer is in
 *	si_pid (lower half) and si_uid (upper half). If the handler runs later,
 *	during or after that of another signal, the instruction pointer of its
 *	context is another one
 * @reserved: 0
 *
 * read() returns as many whole records as fit. It waits for the first one
 * unless O_NONBLOCK is set (then EAGAIN). It fails with EINVAL if not even one
 * fits, or if this open does not watch; in the latter case poll() reports
 * POLLERR. Watching ends when the open is closed. EPERM: WATCH_ALL. EBUSY: this
 * open watches already, 16 opens of the user do (without CAP_SYS_PTRACE), or 64
 * in all. ENOMEM.
 */
struct heapsim_watch {
	__u32 size;
	__u32 scope;
	__aligned_u64 kinds;
	__u32 nr_records;
	__u32 record_size;
	__u32 stack_signal;
	__u32 reserved;
};

#define HEAPSIM_POLICY_OF_BUF		1	/* needs CAP_SYS_ADMIN */
#define HEAPSIM_POLICY_OF_CONTEXT	2
#define HEAPSIM_POLICY_OF_TREE		3
#define HEAPSIM_POLICY_OF_ALL		4	/* needs CAP_SYS_ADMIN */

/**
 * struct heapsim_set_policy - set the policy of a buffer, or of new buffers
 * @size: in: sizeof of this struct
 * @scope: in: HEAPSIM_POLICY_OF_*
 * @fd: in: OF_BUF: a buffer of heapsim; else -1
 * @policy: in: enum heapsim_policy
 * @evict_random: in: 1: lines are evicted and filled at random, else 0
 * @is_precise: in: 1: each access of a process in user mode is detected, not
 *	only the first to a page: very slow; else 0
 * @seed: in: seed of random eviction
 *
 * OF_BUF changes an existing buffer. A change to or from off cleans and then
 * invalidates the buffer, and its mappings then show DRAM or the CPU view;
 * EBUSY while an importer has it mapped or vmapped, a bracket is open, or a job
 * of the engine uses it. All other changes are possible at any time. Random
 * eviction starts again, so the same calls give the same result. For a kind
 * with one view the policy is only stored. While the policy is off, a START
 * opens no bracket.
 *
 * The other scopes apply to buffers that are allocated from then on; the first
 * that applies decides. OF_CONTEXT: buffers of this open, from
 * HEAPSIM_IOC_BUF_ALLOC. OF_TREE: buffers that the calling process or its
 * descendants (at most 64 generations below) allocate in any way while this
 * open exists. If a process is in several trees, the nearest ancestor decides,
 * and its newest policy. An open has one tree, that of the last call. OF_ALL:
 * all other buffers; initially the module's parameters apply.
 *
 * @seed is combined with the buffer's number: 0 OF_BUF, from 1 on in order of
 * allocation OF_CONTEXT and OF_TREE (counted since the command), the id OF_ALL.
 *
 * EOPNOTSUPP: a foreign buffer, @is_precise without HEAPSIM_FEATURE_PRECISE
 * (which exists on x86). EPERM. EBUSY also: OF_TREE, if 16 opens of the user
 * have a tree (without CAP_SYS_ADMIN), or 64 in all.
 */
struct heapsim_set_policy {
	__u32 size;
	__u32 scope;
	__s32 fd;
	__u32 policy;
	__u32 evict_random;
	__u32 is_precise;
	__aligned_u64 seed;
};

/**
 * struct heapsim_stream_id - add a stream, or remove one
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @stream: in: id, which the caller chooses, except 0: that is the NULL stream,
 *	which always exists
 *
 * The commands from HEAPSIM_IOC_STREAM_ADD to HEAPSIM_IOC_RIGHTS_INFO are for a
 * caller that knows the order of its streams itself. It states which streams
 * are active and which attach state a managed buffer has, and the module
 * enforces the table of Documentation/model.rst, "Managed memory". Ids of
 * streams and works are valid in the open alone. Needs HEAPSIM_FEATURE_RIGHTS.
 *
 * The caller makes one call at a time, in the order of its own decisions. A
 * command has been carried out when it returns: if it takes a right away, no
 * thread of any process can use it any more.
 *
 * EINVAL a size or flag that is not known. ADD: EEXIST; EBUSY the user has
 * 262144 streams, works, buffers of contexts, jobs, fences and holds; ENOMEM.
 * REMOVE: ENOENT; EBUSY the stream is active, has works, or a buffer is single
 * to it, by its newest state or in the table.
 *
 * Any of these commands returns EINTR only if the caller is killed, or if
 * io_uring cancels it. Then it has either had no effect, or it is a change of
 * rights that has begun: what is left of it is done by the next of these
 * commands, before anything else, or when the open ends. Until then the CPU
 * keeps no right that the change takes, except that PTEs which other processes
 * have already may remain, and gets none that it gives. HEAPSIM_IOC_WORK_START
 * and HEAPSIM_IOC_WORK_FINISH may have cleaned or compared some buffers, and
 * have to be repeated.
 */
struct heapsim_stream_id {
	__u32 size;
	__u32 flags;
	__aligned_u64 stream;
};

#define HEAPSIM_STREAM_ACTIVE		(1U << 0)
#define HEAPSIM_STREAM_SEEN_AGAIN	(1U << 1)
#define HEAPSIM_STREAM_GLOBAL_AGAIN	(1U << 2)

/**
 * struct heapsim_stream_state - state whether a stream is active
 * @size: in: sizeof of this struct
 * @flags: in: HEAPSIM_STREAM_ACTIVE: it is now. Without it, the stream is idle
 *	now, and jobs behind a host function may still see what is single to it
 *	(HEAPSIM_STREAM_SEEN_AGAIN) or what is global
 *	(HEAPSIM_STREAM_GLOBAL_AGAIN): an invalidate that is carried out now
 *	stays due the next time
 * @stream: in: id; 0 the NULL stream
 *
 * A stream that becomes active takes the CPU's right to the buffers that are
 * single to it; the first one also that to the global ones. A stream that
 * becomes idle gives them back, after lines that a job may have made stale were
 * invalidated. Costs what is mapped or has lines, not the number of buffers. No
 * effect if the stream is in that state already. ENOENT. EINVAL also:
 * HEAPSIM_STREAM_ACTIVE with another flag.
 */
struct heapsim_stream_state {
	__u32 size;
	__u32 flags;
	__aligned_u64 stream;
};

/* Who may touch a managed buffer from now on. */
#define HEAPSIM_RIGHT_SAME	0	/* no change */
#define HEAPSIM_RIGHT_TABLE	1	/* by its newest attach state */
#define HEAPSIM_RIGHT_ALONE	2	/* no longer by that; the CPU as now */
#define HEAPSIM_RIGHT_ALLOWED	3	/* no longer by that; the CPU may */
#define HEAPSIM_RIGHT_REFUSED	4	/* no longer by that; the CPU may not */

#define HEAPSIM_ATTACH_NEWEST		(1U << 0)
#define HEAPSIM_ATTACH_IS_DESTROY	(1U << 1)
#define HEAPSIM_ATTACH_CLEAN		(1U << 2)
#define HEAPSIM_ATTACH_INVALIDATE	(1U << 3)
#define HEAPSIM_ATTACH_DUE		(1U << 4)
#define HEAPSIM_ATTACH_HAS_BLOCKER	(1U << 5)

/**
 * struct heapsim_buf_attach - state the attach state of a managed buffer
 * @size: in: sizeof of this struct
 * @flags: in: HEAPSIM_ATTACH_NEWEST: @attach and @stream are its newest state
 *	from now on, and are remembered for records. HEAPSIM_ATTACH_IS_DESTROY:
 *	because @stream, to which it was single, is destroyed: @attach is its
 *	first state again. HEAPSIM_ATTACH_CLEAN: lines that the CPU stored to
 *	are written back now. HEAPSIM_ATTACH_INVALIDATE: lines are invalidated
 *	now. HEAPSIM_ATTACH_DUE: with HEAPSIM_RIGHT_TABLE: a job has seen it
 *	since the last invalidate, which is therefore due the next time that the
 *	table gives the CPU the right. HEAPSIM_ATTACH_HAS_BLOCKER: @blocker is
 *	valid
 * @buf: in: id of a managed buffer of this open
 * @stream: in: with HEAPSIM_ATTACH_NEWEST: id of the stream in whose order the
 *	state takes effect, and to which HEAPSIM_ATTACH_SINGLE attaches; else 0
 * @blocker: in: with HEAPSIM_ATTACH_HAS_BLOCKER: id of the active stream that a
 *	record names if the CPU touches the buffer; else 0
 * @attach: in: with HEAPSIM_ATTACH_NEWEST: HEAPSIM_ATTACH_*; else 0
 * @right: in: HEAPSIM_RIGHT_*
 *
 * While an attach is in flight, several states are possible, and the caller
 * states the right itself: HEAPSIM_RIGHT_ALONE and above. When the newest state
 * is known to have taken effect, HEAPSIM_RIGHT_TABLE returns the buffer to the
 * table. A new buffer is in the table with its first state. A buffer that is in
 * the table keeps the place that it has there until its right is stated, even
 * if its newest state is another one by then. A blocker stays the same until
 * another one is stated, or HEAPSIM_RIGHT_TABLE.
 *
 * What is stated takes effect in this order: the newest state; a right that
 * ends; the clean; the invalidate; a right that begins. An invalidate first
 * cleans stores that were allowed and that no job has seen yet.
 *
 * ENOENT no such buffer or stream. EINVAL also: not managed, a field that is
 * not 0 without its flag, HEAPSIM_ATTACH_IS_DESTROY without
 * HEAPSIM_ATTACH_NEWEST or with HEAPSIM_ATTACH_SINGLE, a blocker with
 * HEAPSIM_RIGHT_TABLE, HEAPSIM_ATTACH_DUE without it.
 */
struct heapsim_buf_attach {
	__u32 size;
	__u32 flags;
	__aligned_u64 buf;
	__aligned_u64 stream;
	__aligned_u64 blocker;
	__u32 attach;
	__u32 right;
};

/**
 * struct heapsim_work_add - add a job of an engine in user space to a stream
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @stream: in: its stream
 * @work: in: id, which the caller chooses, above 0
 * @kernel: in: the kernel, a number that the submitter chooses for watchers of
 *	events; 0 none
 * @name: in: name of the engine for records, terminated
 *
 * One more job sees the global buffers and those that are single to the stream.
 * No right changes. ENOENT. EEXIST. EBUSY the user has too many objects, see
 * struct heapsim_stream_id. ENOMEM.
 */
struct heapsim_work_add {
	__u32 size;
	__u32 flags;
	__aligned_u64 stream;
	__aligned_u64 work;
	__aligned_u64 kernel;
	char name[HEAPSIM_NAME_LEN];
};

/**
 * struct heapsim_work_verdict - whether a work may touch a buffer
 * @buf: in: id of a managed buffer of this open; one that does not exist any
 *	more is ignored
 * @sees: in: 1: the work may touch it, else 0
 * @reserved: in: 0
 */
struct heapsim_work_verdict {
	__aligned_u64 buf;
	__u32 sees;
	__u32 reserved;
};

#define HEAPSIM_MAX_VERDICTS	(1U << 20)

/**
 * struct heapsim_work_start - a work begins to run
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @work: in: id
 * @verdicts: in: user pointer to @nr_verdicts struct heapsim_work_verdict, or 0
 * @nr_verdicts: in: number of verdicts, at most HEAPSIM_MAX_VERDICTS
 * @reserved: in: 0
 *
 * Stores of the CPU to buffers that the work may touch are cleaned. It may
 * touch what is global and what is single to its stream, except buffers with a
 * verdict: the state of these was in flight when the work was submitted, or has
 * changed since. Of several verdicts on a buffer the first counts.
 *
 * ENOENT. EBUSY it has begun already. EFAULT. ENOMEM: the verdicts are more
 * than fit; nothing has changed.
 */
struct heapsim_work_start {
	__u32 size;
	__u32 flags;
	__aligned_u64 work;
	__aligned_u64 verdicts;
	__u32 nr_verdicts;
	__u32 reserved;
};

/**
 * struct heapsim_work_finish - a work ends
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @work: in: id, which may be used again afterwards
 *
 * Device views are compared with their contents at the last end of a work, and
 * changes count as its stores. No right changes. ENOENT. EBUSY it has not
 * begun.
 */
struct heapsim_work_finish {
	__u32 size;
	__u32 flags;
	__aligned_u64 work;
};

/**
 * struct heapsim_work_report - report a touch by a work that is not allowed
 * @size: in: sizeof of this struct
 * @access: in: HEAPSIM_ACCESS_READ, HEAPSIM_ACCESS_WRITE or both
 * @work: in: id
 * @buf: in: id of a managed buffer of this open
 *
 * Counts and records engine-not-attached. ENOENT. EINVAL also: not managed.
 */
struct heapsim_work_report {
	__u32 size;
	__u32 access;
	__aligned_u64 work;
	__aligned_u64 buf;
};

/**
 * struct heapsim_rights_info - return who may touch a buffer, and violations
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @buf: in: id of a buffer of this open; 0: all buffers that it ever had
 * @attach: out: HEAPSIM_ATTACH_*, the newest state of a managed buffer, else 0
 * @is_cpu_allowed: out: 1 if the CPU may touch it now; for all: if no stream is
 *	active, and always if access is concurrent
 * @attach_stream: out: the stream to which @attach is single
 * @cpu_while_active: out: violations: the CPU touched it while it might not.
 *	An instruction that faults again before it completes counts once
 * @engine_not_attached: out: violations that HEAPSIM_IOC_WORK_REPORT reported
 * @cpu_on_device: out: violations: the CPU touched device memory
 *
 * ENOENT.
 */
struct heapsim_rights_info {
	__u32 size;
	__u32 flags;
	__aligned_u64 buf;
	__u32 attach;
	__u32 is_cpu_allowed;
	__aligned_u64 attach_stream;
	__aligned_u64 cpu_while_active;
	__aligned_u64 engine_not_attached;
	__aligned_u64 cpu_on_device;
};

#define HEAPSIM_URING_INLINE_LEN	64

/**
 * struct heapsim_uring_cmd - a command through io_uring
 * @arg: user pointer to the struct of the command; 0: it follows behind
 *	@reserved, at most HEAPSIM_URING_INLINE_LEN bytes. For that the ring has
 *	IORING_SETUP_SQE128, and the command returns only 0 or an error
 * @reserved: 0
 *
 * This is what the cmd field of an IORING_OP_URING_CMD on /dev/heapsim holds;
 * cmd_op is HEAPSIM_IOC_*, the result what ioctl() gives, as -errno. Commands
 * run when they are submitted, except if they would have to wait for a lock or
 * a job, and those that may take long: DMA_SUBMIT, FENCE_CREATE, HOLD, RELEASE,
 * BUF_ALLOC, BUF_INFO, BUF_REVOKE and POLICY. These are run by a thread of
 * io_uring's, whose wait IORING_OP_ASYNC_CANCEL ends (EINTR, or ECANCELED).
 * What that leaves undone is as after a signal. A command of streams cleans,
 * invalidates and revokes wherever it runs, and waits for the locks of these
 * buffers and for memory.
 */
struct heapsim_uring_cmd {
	__aligned_u64 arg;
	__aligned_u64 reserved;
};

#define HEAPSIM_IOC_MAGIC	0xE7
#define HEAPSIM_IOC_PROBE	_IO(HEAPSIM_IOC_MAGIC, 0x00)
#define HEAPSIM_IOC_INFO	_IO(HEAPSIM_IOC_MAGIC, 0x01)
#define HEAPSIM_IOC_BUF_ALLOC	_IO(HEAPSIM_IOC_MAGIC, 0x02)
#define HEAPSIM_IOC_BUF_INFO	_IO(HEAPSIM_IOC_MAGIC, 0x03)
#define HEAPSIM_IOC_BUF_MAINTAIN	_IO(HEAPSIM_IOC_MAGIC, 0x04)
#define HEAPSIM_IOC_DMA_SUBMIT	_IO(HEAPSIM_IOC_MAGIC, 0x05)
#define HEAPSIM_IOC_JOB_WAIT	_IO(HEAPSIM_IOC_MAGIC, 0x06)
#define HEAPSIM_IOC_FENCE_CREATE	_IO(HEAPSIM_IOC_MAGIC, 0x07)
#define HEAPSIM_IOC_FENCE_SIGNAL	_IO(HEAPSIM_IOC_MAGIC, 0x08)
#define HEAPSIM_IOC_HOLD	_IO(HEAPSIM_IOC_MAGIC, 0x09)
#define HEAPSIM_IOC_RELEASE	_IO(HEAPSIM_IOC_MAGIC, 0x0a)
#define HEAPSIM_IOC_BUF_REVOKE	_IO(HEAPSIM_IOC_MAGIC, 0x0b)
#define HEAPSIM_IOC_WATCH	_IO(HEAPSIM_IOC_MAGIC, 0x0c)
#define HEAPSIM_IOC_POLICY	_IO(HEAPSIM_IOC_MAGIC, 0x0d)
#define HEAPSIM_IOC_RANGE_MAINTAIN	_IO(HEAPSIM_IOC_MAGIC, 0x1e)
#define HEAPSIM_IOC_BUF_REOPEN	_IO(HEAPSIM_IOC_MAGIC, 0x1f)
#define HEAPSIM_IOC_STREAM_ADD	_IO(HEAPSIM_IOC_MAGIC, 0x20)
#define HEAPSIM_IOC_STREAM_REMOVE	_IO(HEAPSIM_IOC_MAGIC, 0x21)
#define HEAPSIM_IOC_STREAM_STATE	_IO(HEAPSIM_IOC_MAGIC, 0x22)
#define HEAPSIM_IOC_BUF_ATTACH	_IO(HEAPSIM_IOC_MAGIC, 0x23)
#define HEAPSIM_IOC_WORK_ADD	_IO(HEAPSIM_IOC_MAGIC, 0x24)
#define HEAPSIM_IOC_WORK_START	_IO(HEAPSIM_IOC_MAGIC, 0x25)
#define HEAPSIM_IOC_WORK_FINISH	_IO(HEAPSIM_IOC_MAGIC, 0x26)
#define HEAPSIM_IOC_WORK_REPORT	_IO(HEAPSIM_IOC_MAGIC, 0x27)
#define HEAPSIM_IOC_RIGHTS_INFO	_IO(HEAPSIM_IOC_MAGIC, 0x28)

#endif
