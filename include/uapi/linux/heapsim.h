/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * heapsim: the contract between heapsim.ko and its users.
 *
 * /dev/dma_heap/<name> speaks upstream's <linux/dma-heap.h>; this header is
 * /dev/heapsim. Each command takes a struct that begins with its own size in
 * bytes. A shorter struct than the kernel's is extended with zeros, a longer
 * one is taken if the tail that the kernel does not know is zero (E2BIG
 * otherwise), and the answer is cut to the caller's size.
 *
 * Errors, checked in this order: ENOTTY no such command, EFAULT, E2BIG,
 * EINVAL malformed (also a size below the command's first version, unknown
 * flags and non-zero reserved fields), EOPNOTSUPP understood but not offered,
 * EBADF no such file descriptor, ENOENT no such id, EPERM, EBUSY wrong state,
 * ENOMEM, ETIMEDOUT. An fd that is a file but no dma-buf is EINVAL, as the
 * dma-buf core has it. EINTR: the caller is being killed, and each page that
 * the command is about is done or not; others who have the buffer lose nothing.
 *
 * Ids of objects (streams, events, host functions, works, jobs, fences, holds)
 * are numbers of one open of /dev/heapsim, the lowest that is free. An object
 * that is gone leaves its id to the next one, so an id that is kept longer may
 * name another object.
 */
#ifndef _UAPI_LINUX_HEAPSIM_H
#define _UAPI_LINUX_HEAPSIM_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Headers of kernels before 6.2 lack it. */
#ifndef __aligned_s64
#define __aligned_s64	__s64 __attribute__((aligned(8)))
#endif

#define HEAPSIM_ABI_VERSION	2
#define HEAPSIM_NAME_LEN	32

/**
 * enum heapsim_kind - kinds of buffer
 * @HEAPSIM_KIND_SYSTEM: what the SoC profile has: two views when it is not
 *	I/O-coherent, one otherwise; an answer never says this
 * @HEAPSIM_KIND_NONCOHERENT: CPU cached, engines uncached, two views always
 * @HEAPSIM_KIND_COHERENT: CPU cached and snooped, one view
 * @HEAPSIM_KIND_UNCACHED: one view, mapped write-combined where the
 *	architecture lets a module do that (x86), cached elsewhere
 * @HEAPSIM_KIND_CONTIGUOUS: physically contiguous, one view
 * @HEAPSIM_KIND_FOREIGN: not ours; only in answers
 * @HEAPSIM_KIND_MANAGED: unified memory: CPU and engines take turns, as streams
 *	and attaches say; two views when the SoC is not I/O-coherent. This and
 *	the next two belong to a context, and need HEAPSIM_FEATURE_STREAMS
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
/* ... contexts have streams, and the kinds and records that go with them */
#define HEAPSIM_FEATURE_STREAMS		(1ULL << 2)
/* ... io_uring takes the commands, see struct heapsim_uring_cmd */
#define HEAPSIM_FEATURE_URING		(1ULL << 3)
/*
 * ... the module has test_hooks=1: HEAPSIM_IOC_HOLD, HEAPSIM_IOC_FENCE_CREATE
 * and HEAPSIM_IOC_FENCE_SIGNAL are offered, else they are EOPNOTSUPP
 */
#define HEAPSIM_FEATURE_TEST_HOOKS	(1ULL << 4)
/* ... HEAPSIM_IOC_BUF_REOPEN is offered */
#define HEAPSIM_FEATURE_REOPEN		(1ULL << 5)

/* Attach states of a managed buffer; the numbers are CUDA's. */
#define HEAPSIM_ATTACH_GLOBAL	1	/* jobs of any stream */
#define HEAPSIM_ATTACH_HOST	2	/* the CPU alone */
#define HEAPSIM_ATTACH_SINGLE	4	/* jobs of one stream */

/**
 * struct heapsim_probe - version, profile and features
 * @size: in: sizeof of this struct; out: what the kernel knows
 * @abi_version: out: HEAPSIM_ABI_VERSION of the module
 * @features: out: HEAPSIM_FEATURE_*
 * @line_size: out: cache line, bytes
 * @fill_size: out: fill granule, bytes: a touch fills all Invalid lines of it
 * @page_size: out: bytes
 * @policy: out: enum heapsim_policy; this, @seed and @evict_random are what
 *	buffers get that nothing else decides, see struct heapsim_set_policy
 * @seed: out: seed of random eviction
 * @evict_random: out: 1 when lines are evicted at random, else 0
 * @io_coherent: out: 1 when the SoC is I/O-coherent
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
 * struct heapsim_info - what the module holds now
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @nr_bufs: out: live buffers
 * @buf_bytes: out: DRAM of live buffers, bytes, and what is kept for jobs that
 *	last: a bit a line
 * @cpu_bytes: out: memory for CPU views that differ from DRAM, bytes
 * @pool_bytes: out: free pages kept for later, bytes
 * @nr_jobs: out: engine jobs not yet done
 * @limit_bytes: out: most that all buffers together may take: their DRAM, and
 *	of a buffer of two views also what CPU views, twins and a device view
 *	may take
 * @user_limit_bytes: out: the same for one user
 * @missing_ends: out: WRITE brackets that ended without END since the module
 *	was inserted; also those of buffers that are gone, which only this tells
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
 * @kind: in: enum heapsim_kind but KIND_FOREIGN
 * @fd: out: dma-buf, owned by the caller; what it maps is the CPU's view
 * @id: out: never used again while the module lives
 * @name: in: name of the buffer, terminated; may be empty
 * @attach: in: KIND_MANAGED: HEAPSIM_ATTACH_GLOBAL or HEAPSIM_ATTACH_HOST, its
 *	state and what it falls back to; all others 0
 * @alloc_flags: in: HEAPSIM_ALLOC_*
 * @view_fd: out: with HEAPSIM_ALLOC_DEVICE_VIEW a second dma-buf, as @fd_flags
 *	say, owned by the caller: what it maps is DRAM. No driver can import it
 * @reserved: 0
 *
 * EINVAL (0 or too long a length, unknown kind, flags or fd out not 0), EMFILE,
 * ENOMEM (limit reached or no memory; never the OOM killer). EBUSY: the user
 * has too many objects, see struct heapsim_stream_op.
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

/* A device view, too; KIND_MANAGED, KIND_PINNED and KIND_DEVICE have one. */
#define HEAPSIM_ALLOC_DEVICE_VIEW	(1U << 0)

/**
 * struct heapsim_buf_reopen - another descriptor of a buffer, with its own mode
 * @size: in: sizeof of this struct
 * @fd_flags: in: O_CLOEXEC or 0, with O_RDONLY, O_WRONLY or O_RDWR
 * @fd: in: a buffer of ours, by any of its descriptors
 * @new_fd: out: dma-buf, owned by the caller; in: 0
 *
 * For a receiver that must not write: a descriptor with O_RDONLY cannot be
 * mapped to be written, nor be the target of a job. What it names is a dma-buf
 * of its own, with its own inode and name, of the same buffer: memory, lines,
 * brackets, fences, id, counters. An access mode binds no driver and no cache
 * maintenance, as with any dma-buf: whoever imports it may write by DMA, and
 * DMA_BUF_IOCTL_SYNC and HEAPSIM_IOC_BUF_MAINTAIN can drop what others have
 * stored and not cleaned. It counts for the calling user as an object.
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
 * struct heapsim_counters - what happened to a buffer since it was made
 * @fills: fill events
 * @lines_filled: lines
 * @lines_cleaned: lines written back to DRAM
 * @lines_invalidated: valid lines dropped
 * @evictions: lines evicted at random
 * @redundant_cleans: clean operations that found nothing Dirty
 * @redundant_invalidates: invalidate operations that had nothing to do
 * @shared_lines: lines partly inside a range to be invalidated
 * @stale_reads: CPU reads of a line that is not what DRAM holds
 * @possible_stale_reads: CPU reads of a line that an engine wrote since its
 *	last invalidate and that happens not to be stale
 * @lost_device_writes: cleaned lines that overwrote bytes of an engine
 * @lost_cpu_writes: invalidated lines whose CPU bytes are gone
 * @missing_cleans: Dirty lines that an engine read over
 * @write_conflicts: Dirty lines that an engine wrote over
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
 * struct heapsim_buf_info - ask about a buffer
 * @size: in: sizeof of this struct
 * @fd: in: a dma-buf
 * @id: out: 0 for a foreign one
 * @len: out: bytes
 * @kind: out: enum heapsim_kind; what system stands for, never system
 * @has_two_views: out: 1 when CPU and engines may see different bytes now
 * @nr_holders: out: importers that have it mapped or vmapped now
 * @reserved: 0
 * @name: out: name given by DMA_BUF_SET_NAME, else at allocation, terminated
 * @count: out: counters; all 0 for a foreign buffer or a kind of one view.
 *	While the policy is off they stay as they are
 * @policy: out: enum heapsim_policy; this and the next three are 0 for a
 *	foreign buffer
 * @evict_random: out: 1 when its lines are evicted at random
 * @is_precise: out: 1 when each access of the CPU is seen
 * @reserved2: 0
 * @seed: out: of random eviction
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
 * @fd: a buffer of ours
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
 * @range: in: as struct heapsim_buf_maintain has them
 *
 * Of many ranges a list costs less, or io_uring. Needs HEAPSIM_FEATURE_URING.
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
/* How often all rows together may go over the larger buffer of a job. */
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
 * @src_pitch: in: bytes from row to row; negative walks upwards
 * @dst_pitch: in: as @src_pitch
 * @row_len: in: bytes of a row, above 0
 * @nr_rows: in: above 0; pitches are not looked at when 1
 * @delay_ns: in: the job lasts at least so long, at most
 *	HEAPSIM_DMA_MAX_DELAY_NS; all that time it may be at any of its bytes
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
 * objects, see struct heapsim_stream_op; EPERM if the fd does not allow the
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
 * @job: in: id; gone after a wait that succeeded, and then used again
 * @timeout_ns: in: 0 only asks; at most an hour
 * @result: out: checksum; bytes written for the other operations
 * @status: out: 0 or the -errno that the job ended with
 * @reserved: 0
 *
 * ENOENT no such job of this open, EINTR, ETIMEDOUT not done yet: the job's own
 * end, -ETIMEDOUT too, is in @status of a wait that succeeded.
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
 * struct heapsim_fence_create - put a fence on a buffer, for tests
 * @size: in: sizeof of this struct
 * @flags: in: HEAPSIM_FENCE_READ or HEAPSIM_FENCE_WRITE
 * @fd: in: any dma-buf
 * @fence_fd: out: sync_file, owned by the caller, O_CLOEXEC
 * @timeout_ns: in: signalled with -ETIMEDOUT after so long; above 0, at most
 *	10 s
 * @fence: out: id for HEAPSIM_IOC_FENCE_SIGNAL, of this open
 *
 * Needs HEAPSIM_FEATURE_TEST_HOOKS. When this open is closed its fences are
 * signalled with -ECANCELED. EBUSY if this open has 1024 fences that were not
 * signalled by HEAPSIM_IOC_FENCE_SIGNAL (a fence that has timed out keeps its
 * id), or the user has too many objects, see struct heapsim_stream_op.
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
 * @fence: in: id; gone afterwards, and then used again
 *
 * Needs HEAPSIM_FEATURE_TEST_HOOKS. ENOENT no such fence of this open; one that
 * has timed out still exists.
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
 * struct heapsim_hold - be an importer, for tests
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
 * has too many objects, see struct heapsim_stream_op.
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
 * @hold: in: id; gone afterwards, and then used again
 *
 * ENOENT no such hold of this open.
 */
struct heapsim_release {
	__u32 size;
	__u32 flags;
	__aligned_u64 hold;
};

/**
 * struct heapsim_buf_revoke - take away all PTEs, change no state
 * @size: in: sizeof of this struct
 * @fd: in: a buffer of ours
 *
 * The next touch of each page is then seen. For watchers: EPERM unless this
 * open watches (HEAPSIM_IOC_WATCH) and the caller is the process that began
 * that, or a descendant. Does nothing to a buffer of one view. EOPNOTSUPP for a
 * foreign one.
 */
struct heapsim_buf_revoke {
	__u32 size;
	__s32 fd;
};

/** enum heapsim_record_kind - what a record tells */
enum heapsim_record_kind {
	HEAPSIM_RECORD_DROPPED,			/* of records themselves */
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
	HEAPSIM_NR_RECORD_KINDS,		/* of what was found */

	/*
	 * Events: what is done, right or wrong, for who draws it over time.
	 * They are told to those alone who ask for them, one by one: none is
	 * folded into another, and none has a thread note its stack.
	 */
	HEAPSIM_RECORD_FILL = 32,		/* lines into the CPU's cache */
	HEAPSIM_RECORD_EVICT,			/* one out of it, at random */
	HEAPSIM_RECORD_CLEAN,			/* whoever caused it */
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

/* Bits of struct heapsim_watch.kinds; records of drops come always. */
#define HEAPSIM_KIND_BIT(kind)	(1ULL << (kind))
#define HEAPSIM_KINDS_ALL \
	(HEAPSIM_KIND_BIT(HEAPSIM_NR_RECORD_KINDS) - 2)
#define HEAPSIM_KINDS_WASTE \
	(HEAPSIM_KIND_BIT(HEAPSIM_RECORD_SHARED_LINE) | \
	 HEAPSIM_KIND_BIT(HEAPSIM_RECORD_REDUNDANT_CLEAN) | \
	 HEAPSIM_KIND_BIT(HEAPSIM_RECORD_REDUNDANT_INVALIDATE) | \
	 HEAPSIM_KIND_BIT(HEAPSIM_RECORD_UNENDED_READ))
#define HEAPSIM_KINDS_ERRORS	(HEAPSIM_KINDS_ALL & ~HEAPSIM_KINDS_WASTE)
/* Those that need HEAPSIM_FEATURE_STREAMS: EINVAL of a module without. */
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

/** enum heapsim_missing - the operation that would have mended it */
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
 * @pid: process (thread group), as the reader's pid namespace has it; 0: a
 *	kernel thread, one that is not in it, or whose user is none that the
 *	watcher may be told of (then @tid, @comm, @ip and @addr are 0 too). In
 *	the initial namespace also the number of one that is gone
 * @tid: thread, as @pid
 * @comm: its name then, terminated
 * @ip: instruction pointer in user space; of a system call where it returns to
 * @addr: address of the access; 0: it was none, or a debugger's
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

/** enum heapsim_other - who is on the other side */
enum heapsim_other {
	HEAPSIM_OTHER_NOBODY,	/* or not known any more */
	HEAPSIM_OTHER_ENGINE,	/* one of ours, by a job */
	HEAPSIM_OTHER_DEVICE,	/* an importer that has or had it mapped */
	HEAPSIM_OTHER_VMAP,	/* a driver that has or had it vmapped */
	HEAPSIM_OTHER_FENCE,	/* who will signal a fence */
	HEAPSIM_OTHER_PROCESS,	/* who did the maintenance */
};

/**
 * struct heapsim_record_other - the other side of a record
 * @type: enum heapsim_other
 * @pid: process that submitted the job, mapped or maintained; as in struct
 *	heapsim_record_cpu, with @comm and @job
 * @comm: its name then, terminated
 * @name: of the engine or device, terminated; of a vmap, as @comm
 * @job: id of the job or work, of the open that submitted it; 0 none
 * @stream: id of the stream that it is of, of the same open; 0 the NULL stream,
 *	or none
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
 * @attach: HEAPSIM_ATTACH_*; 0: there were no more
 * @by: HEAPSIM_ATTACHED_BY_*
 * @stream: id of the stream that it is ordered in; ATTACH_SINGLE: and single to
 * @time_ns: when it was called for, CLOCK_MONOTONIC
 * @stack: number that the calling thread was signalled with, as @cpu_stack of
 *	struct heapsim_record; 0 it was not
 */
struct heapsim_record_attach {
	__u32 attach;
	__u32 by;
	__aligned_u64 stream;
	__aligned_u64 time_ns;
	__aligned_u64 stack;
};

/* So many attaches of a buffer are remembered. */
#define HEAPSIM_RECORD_NR_ATTACHES	4

/**
 * struct heapsim_record - what read() of a watching /dev/heapsim gives
 * @size: bytes of this record, where the next one begins
 * @kind: enum heapsim_record_kind
 * @missing: enum heapsim_missing
 * @reserved: 0
 * @seq: of this watcher, from 1; records that are never given out have one too
 * @time_ns: when it was found first, CLOCK_MONOTONIC
 * @count: lines (accesses, operations) that it stands for: what repeats at one
 *	place while the record waits to be read is folded into it; of a drop:
 *	records. A place is a kind, a buffer, the CPU's process and code, and
 *	the other's type, process and name; the sides are those of the first
 * @buf: id of the buffer
 * @off: first byte; of an access the byte that faulted
 * @len: bytes up to the end of the last line, holes between included; of an
 *	access outside a bracket those that it touched, of an operation its
 *	range, of a bracket all of the buffer
 * @name: of the buffer, terminated
 * @cpu: the access; where the access came before what is told (a store whose
 *	line was lost or is missing), that one
 * @other: the other side
 * @cpu_stack: number that the thread of @cpu was signalled with, see struct
 *	heapsim_watch; 0 it was not. Two numbers are two places
 * @other_stack: the same of the thread that submitted, mapped or maintained
 * @bytes: sum of the lengths of what it stands for, where @len has holes
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
 * @kernel: of a work, which @other is, what it was submitted with, else 0
 * @attaches: of RECORD_CPU_WHILE_ACTIVE and RECORD_ENGINE_NOT_ATTACHED the last
 *	attaches of the buffer, the newest, which @attach is, first; else 0
 *
 * Of an event @time_ns is when it ended, and @cpu.time_ns when it began, the
 * same where it takes no time: a START waits, and maintenance that is part of
 * it lies between. @count is the lines that were filled, written back or
 * dropped, maybe 0, and 1 of all else. @other is the importer of a hold and of
 * its release, with the same time, and the job of one, with the time at which
 * it began to be submitted. The engine that begins and ends one has no @cpu;
 * @buf is what the job writes, or else reads, 0 a foreign buffer, with the
 * bytes from its first row to its last, and @bytes those that it is to move.
 *
 * A work (struct heapsim_work_op) has the events of a job, with neither @op nor
 * buffer: what it touches nobody knows before. Ids of works and of jobs count
 * by themselves, and those of another open, too: with @other.pid and
 * @other.time_ns they are one's own. It begins before what it sees is cleaned,
 * and ends when what it stored was told; @status is -ECANCELED if its open was
 * closed before.
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

/* siginfo.si_code: none that the kernel or sigqueue() has. */
#define HEAPSIM_SI_STACK	(-0x4853)

/*
 * Numbers of stacks count up by two: those of accesses are even, those of
 * system calls are odd.
 */
#define HEAPSIM_STACK_CALL	1

/*
 * sigaction.sa_flags of a handler that is for stacks: a handler that lacks one
 * of these is for something else. The kernel keeps no flags but those that it
 * knows, so these are three that together mean nothing to a signal without a
 * child or an address: SA_EXPOSE_TAGBITS, which alone a handler of arm64 may
 * have, SA_NOCLDSTOP and SA_NOCLDWAIT.
 */
#define HEAPSIM_SA_STACK	0x803

#define HEAPSIM_WATCH_MAX_RECORDS	65536
#define HEAPSIM_WATCH_MAX_SIZE		4096

/**
 * struct heapsim_watch - have records queued for read() and poll()
 * @size: in: sizeof of this struct
 * @scope: in: HEAPSIM_WATCH_*: one of the processes that a record is about has
 *	to be in it, at most 64 generations below, and, unless the watcher has
 *	CAP_SYS_PTRACE, to be one that it could ptrace: of its user, group and
 *	user namespace, with no more capabilities, dumpable; of a side that is
 *	not so no more is told than that there is one, and of a side that is so
 *	but not in the scope no addresses
 * @kinds: in: HEAPSIM_KIND_BIT()s
 * @nr_records: in: how many wait at most, 1 to HEAPSIM_WATCH_MAX_RECORDS;
 *	what finds no room is dropped, and told by a record; waste and events
 *	before mistakes
 * @record_size: in: sizeof(struct heapsim_record) of the caller, from that of
 *	its first version to HEAPSIM_WATCH_MAX_SIZE, a multiple of 8; records
 *	that the kernel knows more of are cut
 * @stack_signal: in: 0, or a signal for watched threads (those that the watcher
 *	could ptrace) to note their stack at: one that has made a finding or
 *	could be a side of a later one gets it before it goes on in user space,
 *	if its process has a handler for it by SA_SIGINFO | HEAPSIM_SA_STACK and
 *	it does not block it, with si_code HEAPSIM_SI_STACK, a number in
 *	si_value, and where it was: the lower half of the instruction pointer in
 *	si_pid, the upper in si_uid. A handler may run later, on top of that of
 *	another signal, or when that was left for good: the context's
 *	instruction pointer is another then
 * @reserved: 0
 *
 * read() gives as many whole records as fit, waits for the first unless
 * O_NONBLOCK is set (EAGAIN then), and fails with EINVAL where not one fits or
 * this open does not watch; poll() tells POLLERR then. Watching ends when the
 * open is closed. EPERM: WATCH_ALL. EBUSY: this open watches already, 16 of
 * the user do (without CAP_SYS_PTRACE), or 64 in all. ENOMEM.
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
 * struct heapsim_set_policy - what holds for a buffer, or for buffers to come
 * @size: in: sizeof of this struct
 * @scope: in: HEAPSIM_POLICY_OF_*
 * @fd: in: OF_BUF: a buffer of ours; else -1
 * @policy: in: enum heapsim_policy
 * @evict_random: in: 1: lines are evicted and filled at random, else 0
 * @is_precise: in: 1: each access that a process makes in user mode is seen,
 *	not just the first to a page: very slow; else 0
 * @seed: in: of random eviction
 *
 * OF_BUF changes a live buffer. To off or from it, it is cleaned, then
 * invalidated, and all its mappings begin to show DRAM or the CPU's cache;
 * EBUSY while an importer has it mapped or vmapped, a bracket is open or a job
 * of the engine is to use it. The rest may change at any time. Random eviction
 * begins anew: the same calls give the same result. A kind of one view only
 * takes note. A START while it is off opens no bracket.
 *
 * The others are about buffers that are allocated from then on; the first of
 * these decides. OF_CONTEXT: those of this open, by HEAPSIM_IOC_BUF_ALLOC.
 * OF_TREE: those that the calling process allocates, and its descendants (at
 * most 64 generations below), by any door, while this open lives: of several
 * trees that a process is in, the nearest ancestor's, of one process the
 * newest. An open has one tree, the last it was told of. OF_ALL: all others;
 * at first it is as the parameters of the module say.
 *
 * @seed is combined with the buffer's number: 0 OF_BUF, from 1 on in order of
 * allocation OF_CONTEXT and OF_TREE (counted since the command), the id OF_ALL.
 *
 * EOPNOTSUPP: a foreign buffer, @is_precise without HEAPSIM_FEATURE_PRECISE
 * (it is there on x86). EPERM. EBUSY also: OF_TREE, 16
 * opens of the user have one (without CAP_SYS_ADMIN), or 64 in all.
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

#define HEAPSIM_STREAM_NON_BLOCKING	(1U << 0)

/**
 * struct heapsim_stream_op - create a stream, or destroy one
 * @size: in: sizeof of this struct
 * @flags: in: create: HEAPSIM_STREAM_NON_BLOCKING: it has no part in the order
 *	of the NULL stream; destroy: 0
 * @stream: create: out; destroy: in; gone afterwards, and then used again
 *
 * An open of /dev/heapsim is a context: streams, events, host functions, works
 * and managed buffers are its own, and the rules are those of "Managed memory"
 * in Documentation/model.rst. Nothing here runs or waits: the caller says what
 * is submitted, begun, and waited for, in the order of its program, and is
 * told who may touch what. Stream 0 is the NULL stream, which is always there.
 *
 * What a destroyed stream holds goes on, and each buffer that is single to it
 * falls back to its default at its end. ENOENT no such stream of this open;
 * EBUSY: the user has 262144 streams, events, host functions, works, buffers
 * of contexts and operations that are not known done.
 */
struct heapsim_stream_op {
	__u32 size;
	__u32 flags;
	__aligned_u64 stream;
};

/**
 * struct heapsim_attach_op - attach a managed buffer
 * @size: in: sizeof of this struct
 * @attach: in: HEAPSIM_ATTACH_*
 * @stream: in: it is ordered in this, and single to it
 * @buf: in: id of a buffer of this open
 *
 * EINVAL: also a buffer that is not managed. ENOENT: also a buffer that is
 * gone. EBUSY as struct heapsim_stream_op has it; so for all that follow.
 */
struct heapsim_attach_op {
	__u32 size;
	__u32 attach;
	__aligned_u64 stream;
	__aligned_u64 buf;
};

/* Record: the event stands for what the stream has, and is no more in it. */
#define HEAPSIM_EVENT_END	(1U << 0)

/**
 * struct heapsim_event_op - create, destroy, record or wait for an event
 * @size: in: sizeof of this struct
 * @flags: in: record: HEAPSIM_EVENT_END: of a stream that is about to be
 *	destroyed: its end stays where it is; else 0
 * @event: create: out; else in; gone when it is destroyed, and then used again
 * @stream: in: record: behind all of it so far; wait: what comes in it is
 *	behind the event as it was recorded last; else 0
 */
struct heapsim_event_op {
	__u32 size;
	__u32 flags;
	__aligned_u64 event;
	__aligned_u64 stream;
};

/**
 * struct heapsim_host_op - submit, begin or end a host function
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @stream: in: submit: its stream; else 0
 * @host: submit: out; else in; gone when it has returned, and then used again
 *
 * EBUSY: it begins behind another that has not returned, has begun already, or
 * returns and has not begun.
 */
struct heapsim_host_op {
	__u32 size;
	__u32 flags;
	__aligned_u64 stream;
	__aligned_u64 host;
};

/**
 * struct heapsim_work_op - submit, begin or end a job of somebody's engine
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @stream: in: submit: its stream; else 0
 * @work: submit: out; else in; gone when it has ended, and then used again
 * @name: in: submit: engine, for records, terminated; else empty
 * @kernel: in: submit: what it runs, a number of the submitter's own for who
 *	watches events (libmem has one if heapsim run draws them), 0 none; else
 *	0. E2BIG of an older module
 *
 * When it begins, what the CPU wrote into buffers that it sees is cleaned.
 * When it ends, what was stored to device views since the last end is compared
 * with what was there before, and told as written by it. That it has ended
 * makes nothing known done. EBUSY: it begins again, or ends before.
 */
struct heapsim_work_op {
	__u32 size;
	__u32 flags;
	__aligned_u64 stream;
	__aligned_u64 work;
	char name[HEAPSIM_NAME_LEN];
	__aligned_u64 kernel;
};

/**
 * struct heapsim_work_touch - an engine touches a buffer for a work
 * @size: in: sizeof of this struct
 * @access: in: HEAPSIM_ACCESS_READ, HEAPSIM_ACCESS_WRITE or both
 * @work: in: id
 * @buf: in: id of a buffer of this open
 * @is_allowed: out: 1; 0: it is engine-not-attached, which is counted and
 *	recorded; the engine is to run on all the same
 * @attach: out: when it is 0, the state that forbids it; else 0
 * @attach_stream: out: the stream that this is single to
 *
 * Judged as of the submission of the work. Buffers that are not managed may be
 * touched always.
 */
struct heapsim_work_touch {
	__u32 size;
	__u32 access;
	__aligned_u64 work;
	__aligned_u64 buf;
	__u32 is_allowed;
	__u32 attach;
	__aligned_u64 attach_stream;
};

#define HEAPSIM_SYNC_DEVICE	1	/* all of the context */
#define HEAPSIM_SYNC_STREAM	2
#define HEAPSIM_SYNC_EVENT	3

/**
 * struct heapsim_sync - the host has waited
 * @size: in: sizeof of this struct
 * @scope: in: HEAPSIM_SYNC_*
 * @id: in: of the stream or event, else 0
 *
 * Does not wait: it is told of a synchronise that has returned, of a query that
 * answered success, and of a fully synchronous copy or set. EBUSY: a host
 * function that has not returned is in the way, so it cannot have.
 */
struct heapsim_sync {
	__u32 size;
	__u32 scope;
	__aligned_u64 id;
};

/**
 * struct heapsim_attach_counters - what was done for managed memory
 * @revoked: the CPU's right ended
 * @restored: the host waited, and the buffer became touchable by the CPU
 * @cleans: CPU lines written back, whole buffers
 * @cleaned_bytes: the sum of their lengths, as they were asked for; so are all
 *	bytes below
 * @cpu_invalidates: CPU lines dropped
 * @cpu_invalidated_bytes: bytes of that
 * @gpu_cleans: GPU cache written back
 * @gpu_cleaned_bytes: bytes of that
 * @gpu_invalidates: GPU cache dropped
 * @gpu_invalidated_bytes: bytes of that
 * @prefetches_to_cpu: attaches from global or single to host
 * @prefetches_to_gpu: attaches from host to global or single
 * @cpu_while_active: violations: the CPU touched what it may not now
 * @engine_not_attached: violations: a job touched what its stream may not
 * @cpu_on_device: violations: the CPU touched device memory
 */
struct heapsim_attach_counters {
	__aligned_u64 revoked;
	__aligned_u64 restored;
	__aligned_u64 cleans;
	__aligned_u64 cleaned_bytes;
	__aligned_u64 cpu_invalidates;
	__aligned_u64 cpu_invalidated_bytes;
	__aligned_u64 gpu_cleans;
	__aligned_u64 gpu_cleaned_bytes;
	__aligned_u64 gpu_invalidates;
	__aligned_u64 gpu_invalidated_bytes;
	__aligned_u64 prefetches_to_cpu;
	__aligned_u64 prefetches_to_gpu;
	__aligned_u64 cpu_while_active;
	__aligned_u64 engine_not_attached;
	__aligned_u64 cpu_on_device;
};

/**
 * struct heapsim_attach_info - what was done for a buffer, or for all
 * @size: in: sizeof of this struct
 * @flags: in: 0
 * @buf: in: id of a buffer of this open, 0: all that it ever had
 * @attach: out: HEAPSIM_ATTACH_*, the newest state of a managed buffer, else 0
 * @is_cpu_allowed: out: 1 when the CPU may touch it now; of all: when no stream
 *	is active
 * @attach_stream: out: the stream that the state is single to
 * @count: out: counters
 */
struct heapsim_attach_info {
	__u32 size;
	__u32 flags;
	__aligned_u64 buf;
	__u32 attach;
	__u32 is_cpu_allowed;
	__aligned_u64 attach_stream;
	struct heapsim_attach_counters count;
};

#define HEAPSIM_URING_INLINE_LEN	64

/**
 * struct heapsim_uring_cmd - a command through io_uring
 * @arg: user pointer to the struct of the command; 0: it follows behind
 *	@reserved, at most HEAPSIM_URING_INLINE_LEN bytes. For that the ring has
 *	IORING_SETUP_SQE128, and the command answers nothing but 0 or an error
 * @reserved: 0
 *
 * This is what the cmd field of an IORING_OP_URING_CMD on /dev/heapsim holds;
 * cmd_op is HEAPSIM_IOC_*, the result what ioctl() gives, as -errno. Commands
 * run when they are submitted, except if they would have to wait for a lock or
 * a job, and those that may take long: DMA_SUBMIT, FENCE_CREATE, HOLD, RELEASE,
 * BUF_ALLOC, BUF_INFO, BUF_REVOKE and POLICY. These are run by a thread of
 * io_uring's, whose wait IORING_OP_ASYNC_CANCEL ends (EINTR, or ECANCELED).
 * What that leaves undone is as after a signal. For the locks of the buffers
 * that a command of streams cleans, invalidates or revokes it waits wherever it
 * runs.
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
#define HEAPSIM_IOC_STREAM_CREATE	_IO(HEAPSIM_IOC_MAGIC, 0x0e)
#define HEAPSIM_IOC_STREAM_DESTROY	_IO(HEAPSIM_IOC_MAGIC, 0x0f)
#define HEAPSIM_IOC_ATTACH	_IO(HEAPSIM_IOC_MAGIC, 0x10)
#define HEAPSIM_IOC_EVENT_CREATE	_IO(HEAPSIM_IOC_MAGIC, 0x11)
#define HEAPSIM_IOC_EVENT_DESTROY	_IO(HEAPSIM_IOC_MAGIC, 0x12)
#define HEAPSIM_IOC_EVENT_RECORD	_IO(HEAPSIM_IOC_MAGIC, 0x13)
#define HEAPSIM_IOC_EVENT_WAIT	_IO(HEAPSIM_IOC_MAGIC, 0x14)
#define HEAPSIM_IOC_HOST_SUBMIT	_IO(HEAPSIM_IOC_MAGIC, 0x15)
#define HEAPSIM_IOC_HOST_BEGIN	_IO(HEAPSIM_IOC_MAGIC, 0x16)
#define HEAPSIM_IOC_HOST_RETURN	_IO(HEAPSIM_IOC_MAGIC, 0x17)
#define HEAPSIM_IOC_WORK_SUBMIT	_IO(HEAPSIM_IOC_MAGIC, 0x18)
#define HEAPSIM_IOC_WORK_BEGIN	_IO(HEAPSIM_IOC_MAGIC, 0x19)
#define HEAPSIM_IOC_WORK_END	_IO(HEAPSIM_IOC_MAGIC, 0x1a)
#define HEAPSIM_IOC_WORK_TOUCH	_IO(HEAPSIM_IOC_MAGIC, 0x1b)
#define HEAPSIM_IOC_SYNC	_IO(HEAPSIM_IOC_MAGIC, 0x1c)
#define HEAPSIM_IOC_ATTACH_INFO	_IO(HEAPSIM_IOC_MAGIC, 0x1d)
#define HEAPSIM_IOC_RANGE_MAINTAIN	_IO(HEAPSIM_IOC_MAGIC, 0x1e)
#define HEAPSIM_IOC_BUF_REOPEN	_IO(HEAPSIM_IOC_MAGIC, 0x1f)

#endif
