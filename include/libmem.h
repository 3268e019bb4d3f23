/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: shared memory of a simulated system-on-chip, for applications.
 *
 * Every call that can fail gives 0 or a count, or -errno. An object comes back
 * through the last argument, which stays untouched on failure. Nothing is
 * printed, nothing exits. The kernel backend has no global state; the embedded
 * one has an address window and a handler for SIGSEGV, one for the process
 * (Documentation/libmem.rst), and answers every call -EPERM in a child. So do
 * most in a host function: see mem_stream_call().
 * Objects may be used from several threads at a time unless a call says
 * otherwise; an object must not be destroyed while another thread uses it.
 * Buffers and jobs keep what they need of their context, so the order of
 * destruction is free.
 *
 * Lengths and offsets are bytes, times carry their unit in the name. A value of
 * an enumeration is passed as unsigned int and stored as uint32_t; a call
 * refuses one that it does not know.
 *
 * A struct that begins with its size grows at its end. The caller sets the size
 * to the sizeof that it was compiled with, a multiple of 8. Of a struct that a
 * call fills in, the library writes no more than that, zeroes the tail that it
 * does not know, and sets the size to what it filled in. In a struct that a
 * call reads, a tail that the library does not know must be 0 (-E2BIG), and
 * what an older caller leaves out counts as 0.
 */
#ifndef _LIBMEM_H
#define _LIBMEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header; mem_version() returns that of the library. */
#define LIBMEM_VERSION_MAJOR	0
#define LIBMEM_VERSION_MINOR	1
#define LIBMEM_VERSION_PATCH	0

/* Versions made by this compare as numbers. */
#define LIBMEM_MAKE_VERSION(major, minor, patch) \
	(((major) << 16) | ((minor) << 8) | (patch))
#define LIBMEM_VERSION \
	LIBMEM_MAKE_VERSION(LIBMEM_VERSION_MAJOR, LIBMEM_VERSION_MINOR, \
			    LIBMEM_VERSION_PATCH)

struct mem_ctx;
struct mem_buf;
struct mem_job;
struct mem_stream;
struct mem_event;
struct mem_semaphore;
struct mem_ctx_options;

#define MEM_NAME_LEN		32
#define MEM_DESCRIPTION_LEN	64
/* What a kernel's arguments may be long, bytes */
#define MEM_ARGS_MAX		8192U
/* How many blocks a kernel may be launched with */
#define MEM_BLOCKS_MAX		(1ULL << 48)

/* CPU access, for brackets */
#define MEM_READ		0x1U
#define MEM_WRITE		0x2U
#define MEM_RW			(MEM_READ | MEM_WRITE)

/* Without end; every job ends by itself, in error if need be. */
#define MEM_WAIT_FOREVER	UINT64_MAX

/**
 * enum mem_kind - kinds of buffer
 * @MEM_KIND_SYSTEM: what the simulated SoC has; only asked for, never answered
 * @MEM_KIND_NONCOHERENT: CPU cached, engines uncached: always needs brackets
 * @MEM_KIND_COHERENT: CPU cached and snooped: CPU and engines see the same
 * @MEM_KIND_UNCACHED: not cached by the CPU
 * @MEM_KIND_CONTIGUOUS: physically contiguous, CPU and engines see the same
 * @MEM_KIND_FOREIGN: a dma-buf of another driver; only answered
 * @MEM_KIND_MANAGED: unified memory: mem_alloc()
 * @MEM_KIND_PINNED: host memory that engines reach: mem_alloc()
 * @MEM_KIND_DEVICE: engines' own, the CPU has no access: mem_alloc()
 * @MEM_KIND_REGISTERED: the caller's pages, by mem_register()
 * @MEM_KIND_PAGEABLE: what is none of the others; only answered
 */
enum mem_kind {
	MEM_KIND_SYSTEM,
	MEM_KIND_NONCOHERENT,
	MEM_KIND_COHERENT,
	MEM_KIND_UNCACHED,
	MEM_KIND_CONTIGUOUS,
	MEM_KIND_FOREIGN,
	MEM_KIND_MANAGED,
	MEM_KIND_PINNED,
	MEM_KIND_DEVICE,
	MEM_KIND_REGISTERED,
	MEM_KIND_PAGEABLE
};

/**
 * enum mem_policy - what happens to accesses that break the rules
 * @MEM_POLICY_DEFAULT: what the environment's LIBMEM_POLICY says ("strict",
 *	"record" or "off"), else the module's own, or embedded strict; only
 *	asked for, never answered
 * @MEM_POLICY_STRICT: what the board refuses is refused (SIGBUS, EFAULT inside
 *	a system call), and all is recorded
 * @MEM_POLICY_RECORD: nothing is refused, all is recorded
 * @MEM_POLICY_OFF: one view, nothing is looked at
 */
enum mem_policy {
	MEM_POLICY_DEFAULT,
	MEM_POLICY_STRICT,
	MEM_POLICY_RECORD,
	MEM_POLICY_OFF
};

/**
 * enum mem_evict - do lines leave the CPU's cache before they are maintained?
 * @MEM_EVICT_DEFAULT: what the environment's LIBMEM_EVICT says ("none" or
 *	"random", with LIBMEM_SEED), else as the module has it, or embedded
 *	never; only asked for
 * @MEM_EVICT_NONE: never
 * @MEM_EVICT_RANDOM: and others come in, at any time, as a real cache may have
 *	it; the same seed and the same calls give the same result
 */
enum mem_evict {
	MEM_EVICT_DEFAULT,
	MEM_EVICT_NONE,
	MEM_EVICT_RANDOM
};

/** enum mem_maint_op - maintenance of the CPU's cache over a range */
enum mem_maint_op {
	MEM_MAINT_CLEAN = 1,
	MEM_MAINT_INVALIDATE = 2,
	MEM_MAINT_CLEAN_INVALIDATE = 3
};

/**
 * enum mem_backend - what does the work
 * @MEM_BACKEND_AUTO: what the environment's LIBMEM_BACKEND says ("embedded" or
 *	"kernel"); else the module where it is loaded, and else the process;
 *	only asked for, never answered
 * @MEM_BACKEND_EMBEDDED: the process itself: no module, root or VM
 * @MEM_BACKEND_KERNEL: the module
 */
enum mem_backend {
	MEM_BACKEND_AUTO,
	MEM_BACKEND_EMBEDDED,
	MEM_BACKEND_KERNEL
};

/**
 * struct mem_block - a block of a kernel, as the kernel sees it
 * @grid: blocks of the job in x, y and z
 * @block: threads of a block, as the launch said: the kernel loops over them
 * @index: which block
 * @shared_len: bytes at @shared
 * @shared: the block's own, zeroed; NULL if there are none
 *
 * It has no size: the library makes it, and only ever adds to its end.
 */
struct mem_block {
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t index[3];
	uint32_t shared_len;
	void *shared;
};

/*
 * A kernel: what an engine runs, called once a block. @args is the job's own
 * copy, which its blocks share.
 */
typedef void (*mem_kernel)(const struct mem_block *block, void *args);

/**
 * struct mem_ctx_options - what a context shall be
 * @size: in: sizeof of this struct
 * @backend: in: enum mem_backend
 * @fill_size: in: bytes that one CPU touch brings into the cache: a power of
 *	two from a page to 2 MiB; 0: 64 KiB. Embedded only: the module has its
 *	own
 * @policy: in: enum mem_policy. Over the module it is that of the buffers that
 *	the context allocates
 * @poison: in: what new managed and device memory is filled with: 0: byte
 *	0xa5; MEM_POISON_NONE: zeros; 1 to 255: that byte
 * @evict: in: enum mem_evict, of the buffers that the context allocates
 * @soc: in: name of the profile, terminated; empty: what the environment's
 *	LIBMEM_SOC says, else the module's own, else
 *	"generic-noncoherent". The module has one, and takes no other
 * @seed: in: of MEM_EVICT_RANDOM
 */
struct mem_ctx_options {
	uint32_t size;
	uint32_t backend;
	uint32_t fill_size;
	uint32_t policy;
	uint32_t poison;
	uint32_t evict;
	char soc[MEM_NAME_LEN];
	uint64_t seed;
};

#define MEM_POISON_NONE		UINT32_MAX

/**
 * struct mem_probe - the simulated SoC
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @abi_version: out: version of the module's interface, 0 embedded
 * @line_size: out: cache line, bytes
 * @fill_size: out: bytes that one CPU touch brings into the cache, aligned
 * @page_size: out: bytes
 * @policy: out: enum mem_policy
 * @evict_random: out: 1 when lines leave the cache at random, else 0
 * @io_coherent: out: 1 when engines snoop the CPU's cache, else 0
 * @seed: out: seed of random eviction
 * @soc: out: name of the profile, terminated
 * @backend: out: enum mem_backend, never MEM_BACKEND_AUTO
 * @reserved: out: 0
 */
struct mem_probe {
	uint32_t size;
	uint32_t abi_version;
	uint32_t line_size;
	uint32_t fill_size;
	uint32_t page_size;
	uint32_t policy;
	uint32_t evict_random;
	uint32_t io_coherent;
	uint64_t seed;
	char soc[MEM_NAME_LEN];
	uint32_t backend;
	uint32_t reserved;
};

/**
 * enum mem_violation_kind - what was found; the numbers are the module's
 * @MEM_VIOLATION_DROPPED: others found no room; only counted
 * @MEM_VIOLATION_STALE_READ: the CPU read a line that DRAM has other bytes for
 * @MEM_VIOLATION_POSSIBLE_STALE_READ: it read one that an engine wrote since
 *	the last invalidate, and that happens to be fresh
 * @MEM_VIOLATION_LOST_DEVICE_WRITE: a clean overwrote bytes of an engine
 * @MEM_VIOLATION_LOST_CPU_WRITE: an invalidate dropped bytes of the CPU
 * @MEM_VIOLATION_MISSING_CLEAN: an engine read over a dirty line
 * @MEM_VIOLATION_WRITE_CONFLICT: an engine wrote over a dirty line
 * @MEM_VIOLATION_UNBRACKETED_ACCESS: a touch that the rules forbid
 * @MEM_VIOLATION_MISSING_END: a WRITE bracket that nobody will end
 * @MEM_VIOLATION_UNMATCHED_END: an end without its begin
 * @MEM_VIOLATION_SHARED_LINE: no error: a line partly inside a range that was
 *	invalidated
 * @MEM_VIOLATION_REDUNDANT_CLEAN: no error: a clean that found nothing dirty
 * @MEM_VIOLATION_REDUNDANT_INVALIDATE: no error: one that had nothing to do
 * @MEM_VIOLATION_CPU_WHILE_ACTIVE: the CPU touched managed memory that an
 *	engine may be using
 * @MEM_VIOLATION_ENGINE_NOT_ATTACHED: a job touched managed memory that is not
 *	attached to its stream
 * @MEM_VIOLATION_CPU_ON_DEVICE: the CPU touched device memory
 * @MEM_VIOLATION_UNENDED_READ: no error: a READ bracket that nobody will end
 * @MEM_VIOLATION_ATOMIC_ON_UNCACHED: an atomic instruction on pinned memory of
 *	a board whose CPU does not cache that
 * @MEM_VIOLATION_ILLEGAL_ADDRESS: a job touched what its engine has not
 * @MEM_VIOLATION_OVERRUN: the bytes behind a buffer have changed
 * @MEM_VIOLATION_FAILED_KERNEL: a kernel did not return: it called exit, abort
 *	or fork, or a signal, an exception or the watchdog ended it
 * @MEM_VIOLATION_USE_AFTER_FREE: the CPU touched an address of a buffer that
 *	had been freed
 * @MEM_VIOLATION_UNLOCKED_ACCESS: the CPU or a kernel touched an image or
 *	array that was not locked, or not for that
 * @MEM_VIOLATION_ENGINE_WHILE_LOCKED: a kernel or copy touched an image or
 *	array that was locked for the CPU
 * @MEM_VIOLATION_MISSING_UNLOCK: an image or array was destroyed, or the
 *	process ended, while it was locked
 * @MEM_VIOLATION_WRAPPED_GONE: an image or array was used whose wrapped memory
 *	had been freed
 * @MEM_VIOLATION_WIDTH_FOR_PITCH: rows of an image were stored one behind the
 *	other, without the padding between them
 * @MEM_VIOLATION_READ_ONLY_WRITE: the CPU or a kernel stored to an object that
 *	it may only read
 */
enum mem_violation_kind {
	MEM_VIOLATION_DROPPED,
	MEM_VIOLATION_STALE_READ,
	MEM_VIOLATION_POSSIBLE_STALE_READ,
	MEM_VIOLATION_LOST_DEVICE_WRITE,
	MEM_VIOLATION_LOST_CPU_WRITE,
	MEM_VIOLATION_MISSING_CLEAN,
	MEM_VIOLATION_WRITE_CONFLICT,
	MEM_VIOLATION_UNBRACKETED_ACCESS,
	MEM_VIOLATION_MISSING_END,
	MEM_VIOLATION_UNMATCHED_END,
	MEM_VIOLATION_SHARED_LINE,
	MEM_VIOLATION_REDUNDANT_CLEAN,
	MEM_VIOLATION_REDUNDANT_INVALIDATE,
	MEM_VIOLATION_CPU_WHILE_ACTIVE,
	MEM_VIOLATION_ENGINE_NOT_ATTACHED,
	MEM_VIOLATION_CPU_ON_DEVICE,
	MEM_VIOLATION_UNENDED_READ,
	MEM_VIOLATION_ATOMIC_ON_UNCACHED,
	MEM_VIOLATION_ILLEGAL_ADDRESS,
	MEM_VIOLATION_OVERRUN,
	MEM_VIOLATION_FAILED_KERNEL,
	MEM_VIOLATION_USE_AFTER_FREE,
	MEM_VIOLATION_UNLOCKED_ACCESS,
	MEM_VIOLATION_ENGINE_WHILE_LOCKED,
	MEM_VIOLATION_MISSING_UNLOCK,
	MEM_VIOLATION_WRAPPED_GONE,
	MEM_VIOLATION_WIDTH_FOR_PITCH,
	MEM_VIOLATION_READ_ONLY_WRITE
};

/** enum mem_missing - the operation that would have mended it */
enum mem_missing {
	MEM_MISSING_NOTHING,
	MEM_MISSING_BEGIN_READ,
	MEM_MISSING_BEGIN_WRITE,
	MEM_MISSING_END,
	MEM_MISSING_WAIT,
	MEM_MISSING_SYNC,
	MEM_MISSING_ATTACH
};

/** enum mem_other - who is on the other side of a violation */
enum mem_other {
	MEM_OTHER_NOBODY,
	MEM_OTHER_ENGINE,
	MEM_OTHER_DEVICE,
	MEM_OTHER_VMAP,
	MEM_OTHER_FENCE,
	MEM_OTHER_PROCESS
};

/**
 * struct mem_violation - something that was found
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @kind: out: enum mem_violation_kind
 * @missing: out: enum mem_missing
 * @other: out: enum mem_other
 * @count: out: lines, accesses or operations that it stands for: what repeats
 *	at one place while it waits is folded into it
 * @buf: out: id of the buffer, as in struct mem_buf_info
 * @off: out: first byte; of an access the byte that was touched
 * @len: out: bytes up to the end of the last line
 * @time_ns: out: when it was found first, CLOCK_MONOTONIC
 * @name: out: name of the buffer, terminated; of an illegal address what is
 *	there: "managed memory"; of a failed kernel what ended it: "SIGABRT"
 * @cpu_ip: out: instruction of the CPU's access, or of the store before it
 *	that is concerned; 0: not known, as that of embedded maintenance
 * @cpu_addr: out: address that it touched; 0 none
 * @cpu_time_ns: out: when; 0: no such side
 * @cpu_tid: out: thread
 * @is_write: out: 1: it stored
 * @other_time_ns: out: when the other's job was submitted, or it mapped or
 *	maintained; 0: not known
 * @other_job: out: id of its job, 0 none
 * @other_name: out: of the engine, device or operation, terminated
 * @other_stream: out: id of its stream, 0: the legacy one or none
 * @other_kernel: out: address of the kernel that it runs, or of what that
 *	stands for, see struct mem_launch; 0 none
 * @other_ip: out: instruction of the kernel that touched, 0: not known
 * @attach: out: newest attach state of managed memory, MEM_ATTACH_*; 0: it is
 *	none
 * @reserved: out: 0
 * @attach_stream: out: MEM_ATTACH_SINGLE: id of the stream, 0: the legacy one
 */
struct mem_violation {
	uint32_t size;
	uint32_t kind;
	uint32_t missing;
	uint32_t other;
	uint64_t count;
	uint64_t buf;
	uint64_t off;
	uint64_t len;
	uint64_t time_ns;
	char name[MEM_NAME_LEN];
	uint64_t cpu_ip;
	uint64_t cpu_addr;
	uint64_t cpu_time_ns;
	uint32_t cpu_tid;
	uint32_t is_write;
	uint64_t other_time_ns;
	uint64_t other_job;
	char other_name[MEM_NAME_LEN];
	uint64_t other_stream;
	uint64_t other_kernel;
	uint64_t other_ip;
	uint32_t attach;
	uint32_t reserved;
	uint64_t attach_stream;
};

/**
 * struct mem_board - facts of the simulated board, as a GPU of it has them
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @is_discrete: out: 1: the discrete GPU, whose memory is its own
 * @capability: out: CUDA compute capability times 10; 0: no CUDA GPU
 * @nr_sms: out: streaming multiprocessors; 0 when @capability is
 * @cores_per_sm: out: CUDA cores each
 * @gpu_mhz: out: GPU clock, MHz
 * @gpu_l2_len: out: GPU L2 cache, bytes
 * @bus_bits: out: width of the memory's bus
 * @memory_mbps: out: peak bandwidth of the memory, 10^6 bytes a second
 * @nr_cpus: out: CPU cores; this and what follows is the board's, whichever the
 *	GPU
 * @memory_len: out: memory, bytes: the SoC's DRAM, or the discrete GPU's own
 * @cpu_mhz: out: CPU clock, MHz
 * @line_size: out: cache line, bytes
 * @is_io_coherent: out: 1: engines see the newest bytes in CPU caches
 * @is_fully_coherent: out: 1: the CPU also sees what is in the GPU's caches
 * @has_host_register: out: 1: mem_register() is to be had, over a backend that
 *	can
 * @has_concurrent_access: out: 1: CPU and GPU may touch managed memory together
 * @has_pageable_access: out: 1: the GPU has ordinary memory of the process
 * @has_system_atomics: out: 1: atomics between CPU and GPU
 * @has_memory_ipc: out: 1: CUDA memory IPC
 * @has_pva: out: 1: MEM_ENGINE_PVA
 * @has_vic: out: 1: MEM_ENGINE_VIC
 * @has_dgpu: out: 1: MEM_ENGINE_DGPU
 * @name: out: of the profile, terminated
 * @description: out: a line for people, terminated
 */
struct mem_board {
	uint32_t size;
	uint32_t is_discrete;
	uint32_t capability;
	uint32_t nr_sms;
	uint32_t cores_per_sm;
	uint32_t gpu_mhz;
	uint32_t gpu_l2_len;
	uint32_t bus_bits;
	uint32_t memory_mbps;
	uint32_t nr_cpus;
	uint64_t memory_len;
	uint32_t cpu_mhz;
	uint32_t line_size;
	uint32_t is_io_coherent;
	uint32_t is_fully_coherent;
	uint32_t has_host_register;
	uint32_t has_concurrent_access;
	uint32_t has_pageable_access;
	uint32_t has_system_atomics;
	uint32_t has_memory_ipc;
	uint32_t has_pva;
	uint32_t has_vic;
	uint32_t has_dgpu;
	char name[MEM_NAME_LEN];
	char description[MEM_DESCRIPTION_LEN];
};

/* What a context watches for */
#define MEM_WATCH_ERRORS	0x1U
#define MEM_WATCH_WASTE		0x2U	/* shared lines, what was redundant */

/* Most violations that may wait to be read. */
#define MEM_WATCH_MAX		65536U

/**
 * struct mem_counters - what happened to a buffer since it was made
 * @fills: fill events
 * @lines_filled: lines brought into the cache
 * @lines_cleaned: lines written back to DRAM
 * @lines_invalidated: valid lines dropped
 * @evictions: lines evicted at random
 * @redundant_cleans: clean operations that found nothing dirty
 * @redundant_invalidates: invalidate operations that had nothing to do
 * @shared_lines: lines partly inside a range to be invalidated
 * @stale_reads: CPU reads of a line that is not what DRAM holds
 * @possible_stale_reads: CPU reads of a line that an engine wrote since its
 *	last invalidate and that happens not to be stale
 * @lost_device_writes: cleaned lines that overwrote bytes of an engine
 * @lost_cpu_writes: invalidated lines whose CPU bytes are gone
 * @missing_cleans: dirty lines that an engine read over
 * @write_conflicts: dirty lines that an engine wrote over
 * @unbracketed_accesses: CPU touches that the rules forbid
 * @missing_ends: WRITE brackets whose process ended, or closed its last
 *	descriptor and mapping of the buffer, without an end
 * @unmatched_ends: ends without their begin
 *
 * It has no size of its own: it is the end of struct mem_buf_info, and grows
 * with that.
 */
struct mem_counters {
	uint64_t fills;
	uint64_t lines_filled;
	uint64_t lines_cleaned;
	uint64_t lines_invalidated;
	uint64_t evictions;
	uint64_t redundant_cleans;
	uint64_t redundant_invalidates;
	uint64_t shared_lines;
	uint64_t stale_reads;
	uint64_t possible_stale_reads;
	uint64_t lost_device_writes;
	uint64_t lost_cpu_writes;
	uint64_t missing_cleans;
	uint64_t write_conflicts;
	uint64_t unbracketed_accesses;
	uint64_t missing_ends;
	uint64_t unmatched_ends;
};

/**
 * struct mem_buf_info - the state of a buffer
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @kind: out: enum mem_kind, never MEM_KIND_SYSTEM
 * @id: out: number of the buffer, never used again; 0 for a foreign one
 * @len: out: bytes
 * @has_two_views: out: 1 when CPU and engines may see different bytes
 * @nr_holders: out: importers that have it mapped now
 * @name: out: name given at allocation, terminated
 * @count: out: counters; all 0 for a foreign buffer or one of a single view
 */
struct mem_buf_info {
	uint32_t size;
	uint32_t kind;
	uint64_t id;
	uint64_t len;
	uint32_t has_two_views;
	uint32_t nr_holders;
	char name[MEM_NAME_LEN];
	struct mem_counters count;
};

/**
 * struct mem_range - one range to maintain
 * @buf: in: a buffer that is not foreign
 * @op: in: enum mem_maint_op
 * @reserved: in: 0
 * @off: in: bytes
 * @len: in: bytes; 0 does nothing
 *
 * It has no size, and does not grow: it is an element of a list.
 */
struct mem_range {
	struct mem_buf *buf;
	uint32_t op;
	uint32_t reserved;
	uint64_t off;
	uint64_t len;
};

/**
 * struct mem_copy2d - rows to copy by the dma engine
 * @size: in: sizeof of this struct
 * @pattern: in: byte i of a row is xored with byte i % 4 of this (little
 *	endian); 0 copies
 * @dst: in: buffer that is written
 * @src: in: buffer that is read; may be @dst
 * @dst_off: in: bytes, of the first row
 * @src_off: in: bytes, of the first row
 * @dst_pitch: in: bytes from row to row; negative walks upwards
 * @src_pitch: in: as @dst_pitch
 * @row_len: in: bytes of a row, above 0
 * @nr_rows: in: above 0; pitches are not looked at when 1
 * @reserved: in: 0
 * @delay_ns: in: the job lasts at least so long, at most 10 s; all that time it
 *	may be at any of its bytes
 */
struct mem_copy2d {
	uint32_t size;
	uint32_t pattern;
	struct mem_buf *dst;
	struct mem_buf *src;
	uint64_t dst_off;
	uint64_t src_off;
	int64_t dst_pitch;
	int64_t src_pitch;
	uint64_t row_len;
	uint32_t nr_rows;
	uint32_t reserved;
	uint64_t delay_ns;
};

/* Attach states of managed memory; of mem_alloc() global or host */
#define MEM_ATTACH_GLOBAL	0x1U
#define MEM_ATTACH_HOST		0x2U
#define MEM_ATTACH_SINGLE	0x4U

/* Flags of pinned memory, for mem_alloc() */
#define MEM_PINNED_PORTABLE	0x1U	/* nothing: contexts have one board */
#define MEM_PINNED_MAPPED	0x2U	/* nothing: all of it is mapped */
#define MEM_PINNED_WRITE_COMBINED 0x4U	/* nothing: kept, and told */

/* Flags of device memory, for mem_alloc() */
#define MEM_DEVICE_DISCRETE	0x1U	/* the discrete GPU's, in its own */
#define MEM_DEVICE_IMPORTED	0x2U	/* of mem_ptr_import(); only answered */

/* Flags of mem_register() */
#define MEM_REGISTER_PORTABLE	0x1U
#define MEM_REGISTER_MAPPED	0x2U
#define MEM_REGISTER_IO		0x4U
#define MEM_REGISTER_READ_ONLY	0x8U

/**
 * struct mem_ptr_info - what an address is
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @kind: out: enum mem_kind, MEM_KIND_PAGEABLE if libmem does not know it
 * @base: out: where the allocation begins, as the CPU has it; NULL: pageable
 * @len: out: its length as it was asked for, bytes
 * @host: out: the same byte for the CPU; NULL: it has no access
 * @device: out: the same byte for engines; NULL: none has access, or it is
 *	pageable, which engines of some boards have at the same address
 * @id: out: of the buffer, as in struct mem_violation; 0 none
 * @flags: out: as given to mem_alloc() or mem_register(): device memory with
 *	MEM_DEVICE_DISCRETE is the discrete GPU's, without it the SoC's; with
 *	MEM_DEVICE_IMPORTED in a file of somebody's
 * @attach: out: managed: newest attach state, MEM_ATTACH_*, else 0
 * @is_own: out: 1: it is of this context
 * @reserved: out: 0
 * @name: out: see mem_set_name()
 */
struct mem_ptr_info {
	uint32_t size;
	uint32_t kind;
	void *base;
	uint64_t len;
	void *host;
	void *device;
	uint64_t id;
	uint32_t flags;
	uint32_t attach;
	uint32_t is_own;
	uint32_t reserved;
	char name[MEM_NAME_LEN];
};

/**
 * struct mem_attach_counters - what the driver did for managed memory
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @reserved: out: 0
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
 */
struct mem_attach_counters {
	uint32_t size;
	uint32_t reserved;
	uint64_t revoked;
	uint64_t restored;
	uint64_t cleans;
	uint64_t cleaned_bytes;
	uint64_t cpu_invalidates;
	uint64_t cpu_invalidated_bytes;
	uint64_t gpu_cleans;
	uint64_t gpu_cleaned_bytes;
	uint64_t gpu_invalidates;
	uint64_t gpu_invalidated_bytes;
	uint64_t prefetches_to_cpu;
	uint64_t prefetches_to_gpu;
	uint64_t cpu_while_active;
	uint64_t engine_not_attached;
};

/**
 * enum mem_dir - from where to where a copy goes
 * @MEM_DIR_HOST_TO_HOST: both sides are the CPU's
 * @MEM_DIR_HOST_TO_DEVICE: the target is an engine's
 * @MEM_DIR_DEVICE_TO_HOST: the source is
 * @MEM_DIR_DEVICE_TO_DEVICE: both are
 * @MEM_DIR_DEFAULT: as the addresses are
 */
enum mem_dir {
	MEM_DIR_HOST_TO_HOST,
	MEM_DIR_HOST_TO_DEVICE,
	MEM_DIR_DEVICE_TO_HOST,
	MEM_DIR_DEVICE_TO_DEVICE,
	MEM_DIR_DEFAULT
};

/**
 * struct mem_rows - rows to copy or to fill
 * @dst: in: first byte of the first row that is written
 * @dst_pitch: in: bytes from row to row
 * @src: in: first byte of the first row that is read
 * @src_pitch: in: bytes from row to row
 * @row_len: in: bytes, at most either pitch
 * @nr_rows: in: rows
 *
 * It has no size, and does not grow: as struct iovec, it is a value. A copy of
 * another shape will be another call.
 */
struct mem_rows {
	void *dst;
	uint64_t dst_pitch;
	const void *src;
	uint64_t src_pitch;
	uint64_t row_len;
	uint64_t nr_rows;
};

/**
 * enum mem_engine - engines that run kernels
 * @MEM_ENGINE_GPU: the integrated GPU
 * @MEM_ENGINE_PVA: the vision accelerator
 * @MEM_ENGINE_VIC: the image compositor
 * @MEM_ENGINE_DGPU: a discrete GPU, which has memory of its own
 */
enum mem_engine {
	MEM_ENGINE_GPU,
	MEM_ENGINE_PVA,
	MEM_ENGINE_VIC,
	MEM_ENGINE_DGPU
};

/**
 * struct mem_launch - a kernel to run
 * @size: in: sizeof of this struct
 * @engine: in: enum mem_engine
 * @kernel: in: a function of the program or of a library
 * @grid: in: blocks in x, y and z, each above 0; their product is at most
 *	MEM_BLOCKS_MAX
 * @block: in: threads of a block, each above 0; the kernel is told
 * @shared_len: in: bytes of memory for each block, at most 1 MiB
 * @args_len: in: bytes at @args, at most MEM_ARGS_MAX
 * @args: in: copied; may be NULL if that is 0
 * @timeout_ns: in: the watchdog ends it then; 0: 10 s
 * @entry: in: the function that @kernel stands for: reports name that as the
 *	kernel, and its library must be loaded, too; NULL: @kernel itself
 */
struct mem_launch {
	uint32_t size;
	uint32_t engine;
	mem_kernel kernel;
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t shared_len;
	uint32_t args_len;
	const void *args;
	uint64_t timeout_ns;
	const void *entry;
};

/* Flags of mem_stream_create() */
#define MEM_STREAM_NON_BLOCKING	0x1U	/* not ordered with the legacy stream */

/* Priorities: lower is sooner. */
#define MEM_PRIORITY_LEAST	0
#define MEM_PRIORITY_GREATEST	(-5)

/* Flags of mem_event_create() */
#define MEM_EVENT_BLOCKING	0x1U	/* waits for it block, always */
#define MEM_EVENT_NO_TIMING	0x2U

/** enum mem_wait_policy - how the host waits */
enum mem_wait_policy {
	MEM_WAIT_AUTO,
	MEM_WAIT_SPIN,
	MEM_WAIT_YIELD,
	MEM_WAIT_BLOCK
};

typedef void (*mem_host_fn)(void *arg);
typedef void (*mem_callback)(struct mem_stream *stream, int status, void *arg);

/**
 * mem_version() - the version of the library that is loaded
 *
 * Context: any thread, also of a host function or a child; needs no context.
 * Return: as LIBMEM_MAKE_VERSION() makes it; LIBMEM_VERSION is the version of
 * the header.
 */
unsigned int mem_version(void);

/**
 * mem_ctx_open() - open a context
 * @options: what it shall be; NULL leaves all open
 * @ctx: out: the context, owned by the caller: mem_ctx_close()
 *
 * The first embedded context of a process makes its address window, which
 * stays.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@ctx is NULL, @options->size is below the struct's
 * first version or no multiple of 8, a field has no meaning, no such board,
 * LIBMEM_BACKEND, LIBMEM_SOC, LIBMEM_POLICY, LIBMEM_EVICT, LIBMEM_SEED or
 * LIBMEM_ENGINE says what is not known), -E2BIG (a tail of @options that this
 * library does not know is not 0), -EOPNOTSUPP (the module has another board
 * than @options->soc), -ENOENT (kernel: no /dev/heapsim, the module is not
 * loaded), -EACCES (kernel: no permission for it), -EPROTO (the module's
 * interface is older than any that this library knows), -EPERM (a child of a
 * process with an embedded context, or a host function), -EMFILE or -ENFILE
 * (no file descriptor is left), -ENOMEM (embedded: also no room in the address
 * space).
 */
int mem_ctx_open(const struct mem_ctx_options *options, struct mem_ctx **ctx);

/**
 * mem_ctx_open_shared() - have the context that the process shares
 * @options: what it shall be if it is not open yet; NULL leaves all open
 * @ctx: out: the context with one reference, owned by the caller:
 *	mem_ctx_close()
 *
 * For libraries whose memory is to be valid in each other's calls. The first
 * call opens the context, and it stays until the process ends; later calls get
 * the same one, whatever their @options say. The board @options->soc is a
 * default: it is taken only if LIBMEM_SOC names none and the context is
 * embedded.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_ctx_open(); also -EPERM (a child of the process that
 * opened it, over the module too).
 */
int mem_ctx_open_shared(const struct mem_ctx_options *options,
			struct mem_ctx **ctx);

/**
 * mem_ctx_close() - close a context
 * @ctx: context, or NULL, which does nothing
 *
 * Of mem_ctx_open_shared() a reference is given back, which changes nothing for
 * whoever else has one. Else:
 *
 * Its buffers and jobs stay usable; what they share goes with the last. Work
 * goes on, but from now on no wait for a semaphore lasts longer than all other
 * work: then it, and what is behind it, is dropped as by mem_ctx_cancel().
 *
 * Context: may sleep; any thread.
 */
void mem_ctx_close(struct mem_ctx *ctx);

/**
 * mem_ctx_probe() - what is simulated
 * @ctx: context
 * @probe: in and out: @probe->size is set by the caller
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @probe->size is below the
 * struct's first version or no multiple of 8), -EPERM (a child of a process
 * with an embedded context).
 */
int mem_ctx_probe(struct mem_ctx *ctx, struct mem_probe *probe);

/**
 * mem_ctx_board() - what the simulated board is like
 * @ctx: context
 * @engine: MEM_ENGINE_GPU or MEM_ENGINE_DGPU
 * @board: in and out: @board->size is set by the caller
 *
 * Nothing of it changes as long as the context is there.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @engine is no GPU, @board->size
 * is below the struct's first version or no multiple of 8), -EOPNOTSUPP (the
 * board has no such engine, or is a newer module's, which this library does not
 * know), -EPERM (a child of the process that opened @ctx).
 */
int mem_ctx_board(struct mem_ctx *ctx, unsigned int engine,
		  struct mem_board *board);

/**
 * mem_ctx_gpu_id() - which GPU an engine of a context is
 * @ctx: context
 * @engine: MEM_ENGINE_GPU or MEM_ENGINE_DGPU
 * @id: out: a UUID of 16 bytes (MEM_GPU_ID_LEN of libmem/attrs.h): what
 *	cuDeviceGetUuid() returns
 *
 * The same in every process and at every start, for one GPU of one kind of
 * board.
 *
 * Context: any thread.
 * Return: 0, or as mem_ctx_board().
 */
int mem_ctx_gpu_id(struct mem_ctx *ctx, unsigned int engine, uint8_t *id);

/**
 * mem_ctx_memory() - how much memory mem_alloc() has left
 * @ctx: context
 * @engine: MEM_ENGINE_GPU: the SoC's, or MEM_ENGINE_DGPU: the discrete GPU's
 * @free_len: out: bytes that all allocations of the process leave
 * @len: out: bytes that there are, as struct mem_board has it
 *
 * The machine may have less than the board.
 *
 * Context: any thread.
 * Return: 0, or as mem_ctx_board().
 */
int mem_ctx_memory(struct mem_ctx *ctx, unsigned int engine,
		   uint64_t *free_len, uint64_t *len);

/**
 * mem_ctx_watch() - have violations kept for mem_ctx_next_violation()
 * @ctx: context that does not watch yet
 * @what: MEM_WATCH_ERRORS, MEM_WATCH_WASTE or both
 * @nr: how many may wait at most, 1 to MEM_WATCH_MAX; what finds no room is
 *	dropped, and counted
 *
 * Those of all buffers that the process uses over this backend from now on,
 * whichever context they are of, until the context goes.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@ctx is NULL, no such @what, @nr out of range),
 * -EBUSY (it watches already, or too many do), -EPERM (a child of a process
 * with an embedded context, or a host function), -EMFILE or -ENFILE (kernel: no
 * file descriptor is left), -ENOMEM.
 */
int mem_ctx_watch(struct mem_ctx *ctx, unsigned int what, uint32_t nr);

/**
 * mem_ctx_next_violation() - what was found, oldest first
 * @ctx: context that watches
 * @violation: in and out: @violation->size is set by the caller
 *
 * Context: does not wait; any thread.
 * Return: 1 with @violation filled in, 0 if there is none, or -EINVAL (an
 * argument is NULL, @violation->size is below the struct's first version or no
 * multiple of 8, the context does not watch), -EPERM (a child of a process with
 * an embedded context).
 */
int mem_ctx_next_violation(struct mem_ctx *ctx,
			   struct mem_violation *violation);

/**
 * mem_ctx_watch_fd() - a descriptor that tells when there is a violation
 * @ctx: context that watches
 * @fd: out: a descriptor with O_CLOEXEC, owned by the caller
 *
 * For an event loop: poll() finds POLLIN as long as mem_ctx_next_violation()
 * may return one. After POLLIN call that until it returns 0. Do nothing else
 * with the descriptor; it becomes useless when the context goes.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, the context does not watch),
 * -EPERM (a child of a process with an embedded context, or a host function),
 * -EBADF (the program has closed the library's descriptors), -EMFILE or -ENFILE
 * (no file descriptor is left), -ENOMEM.
 */
int mem_ctx_watch_fd(struct mem_ctx *ctx, int *fd);

/**
 * mem_violation_name() - a kind of violation in a word
 * @kind: enum mem_violation_kind
 *
 * Context: any.
 * Return: "stale-read" and so on, as reports have it; "unknown".
 */
const char *mem_violation_name(unsigned int kind);

/**
 * mem_buf_alloc() - allocate a zeroed buffer of a kind
 * @ctx: context
 * @kind: enum mem_kind but MEM_KIND_FOREIGN
 * @len: bytes, above 0; rounded up to pages
 * @name: shorter than MEM_NAME_LEN, copied; NULL for none
 * @buf: out: the buffer, owned by the caller: mem_buf_destroy()
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @len is 0 or more than can be,
 * no such @kind, @name is too long), -EMFILE or -ENFILE (kernel: no file
 * descriptor is left), -ENOMEM (a limit is reached or there is no memory).
 */
int mem_buf_alloc(struct mem_ctx *ctx, unsigned int kind, uint64_t len,
		  const char *name, struct mem_buf **buf);

/**
 * mem_buf_alloc_heap() - allocate a zeroed buffer from a heap
 * @ctx: context
 * @heap: name below /dev/dma_heap, also of a heap that is not ours; embedded:
 *	one of the module's
 * @len: bytes, above 0; rounded up to pages
 * @buf: out: the buffer, owned by the caller: mem_buf_destroy()
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @heap is no file name, @len is 0
 * or more than can be), -ENOENT (no such heap), -EACCES (no permission for
 * it), -ENOTTY (it is no heap), -EMFILE or -ENFILE (no file descriptor is
 * left), -ENOMEM (a limit is reached or there is no memory).
 */
int mem_buf_alloc_heap(struct mem_ctx *ctx, const char *heap, uint64_t len,
		       struct mem_buf **buf);

/**
 * mem_buf_import() - make a buffer of a file descriptor
 * @ctx: context
 * @fd: dma-buf of any driver; embedded, a memfd that mem_buf_export() of any
 *	process has given; duplicated, so that it stays the caller's
 * @buf: out: the buffer, owned by the caller: mem_buf_destroy()
 *
 * If @fd is open for reading alone, the buffer is read-only: its mapping cannot
 * be stored to, brackets and copies to write it are -EACCES, jobs -EPERM, and a
 * kernel that stores to it ends with an illegal address. Embedded, what is
 * imported is MEM_KIND_COHERENT: one view, whatever it was in the other
 * process.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @fd is no dma-buf; embedded: no
 * memfd of whole pages that is sealed against getting shorter), -EBADF (@fd is
 * not open), -EACCES (embedded: it is open for writing alone), -EMFILE (no file
 * descriptor is left), -ENOMEM.
 */
int mem_buf_import(struct mem_ctx *ctx, int fd, struct mem_buf **buf);

/**
 * mem_buf_export() - a file descriptor of a buffer
 * @buf: buffer
 * @fd: out: a new descriptor with O_CLOEXEC, owned by the caller: a dma-buf,
 *	embedded a memfd; read-only if the buffer is
 *
 * Embedded, the first export moves the bytes to a file of their own, at the
 * same address. It waits for kernels and copies that use the buffer just then;
 * threads that touch it meanwhile wait for the move. A buffer of two views has
 * one from then on, with all that the CPU has stored: no maintenance is needed
 * any more, and none that is forgotten is found. Each such buffer takes a
 * descriptor.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EMFILE or -ENFILE (no file
 * descriptor is left); embedded: -ENOMEM, -ETIMEDOUT (a kernel or copy has not
 * ended), -EBADF (the program has closed a descriptor of the library), -EPERM
 * (a child of the process, or a host function).
 */
int mem_buf_export(struct mem_buf *buf, int *fd);

/**
 * mem_buf_export_as() - a file descriptor that allows no more than is said
 * @buf: buffer
 * @access: MEM_RW: as mem_buf_export(); MEM_READ: it cannot be mapped to be
 *	written
 * @fd: out: as mem_buf_export() has it
 *
 * Whoever has a descriptor of MEM_READ can read the memory, and cannot write
 * it: not by mmap(), mprotect() or a system call, nor by opening it once more
 * from /proc. Embedded this holds against processes of other users; one of the
 * same user, or root, can change the file's mode, or look into this process.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_buf_export(); -EINVAL also if @access is neither;
 * -EACCES (MEM_RW, and the buffer is read-only; embedded also: MEM_READ of what
 * another user has exported), -EOPNOTSUPP (MEM_READ: an older module, or a
 * dma-buf of another driver; embedded: without /proc).
 */
int mem_buf_export_as(struct mem_buf *buf, unsigned int access, int *fd);

/**
 * mem_buf_device_ptr() - where kernels have a buffer
 * @buf: buffer
 * @ptr: out: its first byte for kernels of its context, valid as long as the
 *	buffer, mapped or not
 *
 * A buffer that is mapped has the same address for the CPU. In copies it is
 * device memory where the direction says so, with MEM_DIR_DEFAULT once this
 * call has been made or while it is not mapped, and in sets always; else the
 * calling thread touches it. mem_ptr_info() tells the buffer by any address of
 * it.
 *
 * Context: may sleep; any thread, also of a host function.
 * Return: 0, or -EINVAL (an argument is NULL), -EOPNOTSUPP (kernels do not
 * reach it: over the module what is not MEM_KIND_COHERENT, MEM_KIND_UNCACHED or
 * MEM_KIND_CONTIGUOUS), -EPERM (a child of the process); over the module also
 * -ENOMEM, -EMFILE or -ENFILE (at the first call), or what mmap() returns.
 */
int mem_buf_device_ptr(struct mem_buf *buf, void **ptr);

/**
 * mem_buf_destroy() - give a buffer back
 * @buf: buffer, or NULL, which does nothing
 *
 * Unmaps it, however often it was mapped. The memory lives on as long as
 * others (descriptors, importers, jobs) use it. A bracket that is still open
 * gets no maintenance.
 *
 * Context: may sleep; any thread.
 */
void mem_buf_destroy(struct mem_buf *buf);

/**
 * mem_buf_map() - map a whole buffer
 * @buf: buffer
 * @addr: out: address, valid until as many mem_buf_unmap() calls
 *
 * Readable and writable, or only readable if the descriptor that was imported
 * allows no more. All calls give the same address.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EACCES (the descriptor that
 * was imported is not readable), -EOVERFLOW (mapped 2^32 - 1 times), -ENOMEM
 * (no room), or what the exporter of a foreign buffer answers to mmap().
 */
int mem_buf_map(struct mem_buf *buf, void **addr);

/**
 * mem_buf_unmap() - undo one mem_buf_map()
 * @buf: buffer
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@buf is NULL or not mapped).
 */
int mem_buf_unmap(struct mem_buf *buf);

/**
 * mem_buf_len() - length of a buffer
 * @buf: buffer
 *
 * Context: any thread.
 * Return: bytes, a multiple of pages; 0 if @buf is NULL.
 */
uint64_t mem_buf_len(const struct mem_buf *buf);

/**
 * mem_buf_kind() - kind of a buffer
 * @buf: buffer, or NULL
 *
 * Context: any thread.
 * Return: enum mem_kind; MEM_KIND_SYSTEM only if @buf is NULL.
 */
unsigned int mem_buf_kind(const struct mem_buf *buf);

/**
 * mem_buf_info() - state and counters of a buffer
 * @buf: buffer
 * @info: in and out: @info->size is set by the caller
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @info->size is below the
 * struct's first version or no multiple of 8).
 */
int mem_buf_info(struct mem_buf *buf, struct mem_buf_info *info);

/**
 * mem_buf_begin() - begin CPU access to a whole buffer
 * @buf: buffer
 * @access: MEM_READ, MEM_WRITE or MEM_RW
 *
 * Waits for engines (writers, and readers as well if @access has MEM_WRITE);
 * with MEM_READ the CPU then sees what they wrote. Starts anew when a signal
 * interrupts it. Brackets of a process count; each needs its mem_buf_end().
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@buf is NULL, no such @access), -EACCES (it is to be
 * written, and read-only), -ETIMEDOUT (an engine does not get ready: no bracket
 * is open), or what the exporter of a foreign buffer answers.
 */
int mem_buf_begin(struct mem_buf *buf, unsigned int access);

/**
 * mem_buf_end() - end CPU access to a whole buffer
 * @buf: buffer
 * @access: as at mem_buf_begin()
 *
 * With MEM_WRITE engines then see what the CPU wrote. Starts anew when a
 * signal interrupts it. Without its begin, the maintenance is done all the
 * same, and counted as unmatched.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@buf is NULL, no such @access), or what the exporter
 * of a foreign buffer answers.
 */
int mem_buf_end(struct mem_buf *buf, unsigned int access);

/**
 * mem_buf_begin_range() - begin CPU access to a part of a buffer
 * @buf: buffer
 * @off: bytes
 * @len: bytes; 0 only waits for engines
 * @access: MEM_READ, MEM_WRITE or MEM_RW
 *
 * Waits as mem_buf_begin() does, at most 20 s. With MEM_READ the lines of the
 * range then leave the CPU's cache: whole lines; one that is partly inside is
 * written back first, so bytes outside the range are never lost, while bytes
 * that the CPU wrote inside without an end are. Costs as much as the range
 * is long, not the buffer. It opens no bracket for the kernel: a buffer that
 * an importer has mapped needs mem_buf_begin(). A foreign buffer takes
 * mem_buf_begin() as a whole.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@buf is NULL, the range leaves the buffer, no such
 * @access), -ETIMEDOUT (an engine does not get ready), or as mem_buf_begin().
 */
int mem_buf_begin_range(struct mem_buf *buf, uint64_t off, uint64_t len,
			unsigned int access);

/**
 * mem_buf_end_range() - end CPU access to a part of a buffer
 * @buf: buffer
 * @off: bytes
 * @len: bytes; 0 does nothing
 * @access: as at mem_buf_begin_range()
 *
 * With MEM_WRITE the dirty lines of the range, those partly inside too, are
 * written back. A foreign buffer takes mem_buf_end() as a whole.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@buf is NULL, the range leaves the buffer, no such
 * @access), or as mem_buf_end().
 */
int mem_buf_end_range(struct mem_buf *buf, uint64_t off, uint64_t len,
		      unsigned int access);

/**
 * mem_buf_maintain() - maintain a list of ranges in one call, in order
 * @ctx: context
 * @ranges: list of @nr_ranges, of buffers of the same backend; may be NULL if
 *	that is 0
 * @nr_ranges: at most 65536
 * @nr_done: out, also on failure: ranges that were maintained; may be NULL
 *
 * Waits for nobody; brackets are not concerned.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, too many ranges, unknown
 * operation, reserved is not 0, a range leaves its buffer), -EOPNOTSUPP (a
 * foreign buffer), -ENOMEM.
 */
int mem_buf_maintain(struct mem_ctx *ctx, const struct mem_range *ranges,
		     size_t nr_ranges, size_t *nr_done);

/**
 * mem_buf_revoke() - let the CPU's next touch of each page be seen
 * @buf: buffer
 *
 * For tests: a touch of a page is judged when the CPU has no access to it yet,
 * and this takes all access away. It changes nothing else.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@buf is NULL), -EOPNOTSUPP (a foreign buffer).
 */
int mem_buf_revoke(struct mem_buf *buf);

/**
 * mem_job_fill() - let the dma engine fill a range
 * @dst: buffer
 * @off: bytes
 * @len: bytes, above 0
 * @pattern: byte i of the range becomes byte i % 4 of this (little endian)
 * @job: out: the job, owned by the caller: mem_job_destroy()
 *
 * As all jobs, it waits for earlier work on its buffers, and the buffers'
 * later users that heed fences wait for it.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, @len is 0, the range leaves the
 * buffer), -EOPNOTSUPP (a foreign buffer that the kernel cannot map), -EPERM
 * (the descriptor that was imported is not writable), -EBUSY (too many jobs
 * under way), -EMFILE or -ENFILE (no file descriptor is left), -ENOMEM.
 */
int mem_job_fill(struct mem_buf *dst, uint64_t off, uint64_t len,
		 uint32_t pattern, struct mem_job **job);

/**
 * mem_job_copy() - let the dma engine copy a range
 * @dst: buffer that is written
 * @dst_off: bytes
 * @src: buffer that is read; may be @dst
 * @src_off: bytes
 * @len: bytes, above 0
 * @job: out: the job, owned by the caller: mem_job_destroy()
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_job_fill(); -EPERM also if @src is not readable.
 */
int mem_job_copy(struct mem_buf *dst, uint64_t dst_off, struct mem_buf *src,
		 uint64_t src_off, uint64_t len, struct mem_job **job);

/**
 * mem_job_copy2d() - let the dma engine copy rows
 * @copy: what to copy; not needed any more when the call returns
 * @job: out: the job, owned by the caller: mem_job_destroy()
 *
 * Rows that overlap between source and destination are copied in order.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_job_copy(); -EINVAL also if @copy->size is below the
 * struct's first version or no multiple of 8, @copy->reserved is not 0, the
 * delay is too long, or all rows together are longer than 64 times the larger
 * buffer; -E2BIG if a tail that this library does not know is not 0.
 */
int mem_job_copy2d(const struct mem_copy2d *copy, struct mem_job **job);

/**
 * mem_job_checksum() - let the dma engine sum a range up
 * @src: buffer that is read
 * @off: bytes
 * @len: bytes, above 0
 * @job: out: the job, owned by the caller: mem_job_destroy()
 *
 * The result of mem_job_wait() is the 64-bit FNV-1a of the bytes.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_job_fill(); -EPERM if @src is not readable.
 */
int mem_job_checksum(struct mem_buf *src, uint64_t off, uint64_t len,
		     struct mem_job **job);

/**
 * mem_job_wait() - wait for a job
 * @job: job
 * @timeout_ns: at most so long; 0 only asks; MEM_WAIT_FOREVER
 * @result: out: checksum, or bytes written for the other jobs; may be NULL
 *
 * Goes on waiting when a signal interrupts it. Once it has succeeded, each
 * later call answers the same at once.
 *
 * Context: may sleep; one thread per job at a time.
 * Return: 0, or -EINVAL (@job is NULL), -ETIMEDOUT (not done yet: ask again),
 * or the error that the job ended with, for good: -ETIME (with the module: it
 * was not done 10 s after its submission, whatever it waited for; in the
 * process: it moved bytes for more than 60 s). A fence that was signalled in
 * error counts as signalled.
 */
int mem_job_wait(struct mem_job *job, uint64_t timeout_ns, uint64_t *result);

/**
 * mem_job_fence() - a descriptor that tells when a job is done
 * @job: job
 * @fd: out: a sync_file (embedded: an eventfd) with O_CLOEXEC, owned by the
 *	caller; poll() finds POLLIN when the job is done, well or not
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EMFILE (no file descriptor is
 * left).
 */
int mem_job_fence(struct mem_job *job, int *fd);

/**
 * mem_job_destroy() - forget a job
 * @job: job, or NULL, which does nothing
 *
 * The engine goes on with it.
 *
 * Context: any thread.
 */
void mem_job_destroy(struct mem_job *job);

/**
 * mem_alloc() - allocate memory that has one address for all
 * @ctx: context
 * @kind: MEM_KIND_MANAGED, MEM_KIND_PINNED or MEM_KIND_DEVICE
 * @len: bytes, above 0
 * @flags: managed: MEM_ATTACH_GLOBAL or MEM_ATTACH_HOST: who may touch it, and
 *	what it falls back to; pinned: MEM_PINNED_*; device: 0, or
 *	MEM_DEVICE_DISCRETE
 * @ptr: out: the memory, owned by the caller: mem_free()
 *
 * The CPU and engines have it at the same address; who may touch it when is in
 * Documentation/libmem.rst. Managed and device memory is not zeroed but
 * poisoned, see struct mem_ctx_options; pinned memory is zeroed.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @len is 0 or more than can be, no
 * such @kind or @flags), -ENOMEM (no memory is left, of the machine, of the
 * board or of its discrete GPU), -EOPNOTSUPP (the backend cannot, the board has
 * no discrete GPU), or as mem_stream_sync().
 */
int mem_alloc(struct mem_ctx *ctx, unsigned int kind, uint64_t len,
	      unsigned int flags, void **ptr);

/**
 * mem_alloc_pitch() - allocate rows of the SoC's device memory
 * @ctx: context
 * @row_len: bytes, above 0
 * @nr_rows: rows, above 0
 * @pitch: out: bytes from row to row, a multiple of 512
 * @ptr: out: the memory, owned by the caller: mem_free()
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_alloc().
 */
int mem_alloc_pitch(struct mem_ctx *ctx, uint64_t row_len, uint64_t nr_rows,
		    uint64_t *pitch, void **ptr);

/**
 * mem_free() - give memory back
 * @ctx: context that it is of
 * @ptr: what mem_alloc() or mem_ptr_import() gave, or NULL, which does nothing
 *
 * Waits for all work of the context first, as mem_ctx_sync() does. An error of
 * that work is returned by the next wait, not by this call.
 *
 * Context: may sleep; any thread.
 * Return: 0: the memory is given back, also after an error of the context. Else
 * it is not: -EINVAL (@ctx is NULL, @ptr is not the start of an allocation:
 * freed before, interior, registered), -EXDEV (it is of another context),
 * -EPERM (called from a host function, or in a child of the process).
 */
int mem_free(struct mem_ctx *ctx, void *ptr);

/**
 * mem_ptr_export() - let others have device memory
 * @ctx: context that it is of
 * @ptr: what mem_alloc() gave: device memory
 * @fd: out: a memfd with O_CLOEXEC, owned by the caller; its first byte is that
 *	at @ptr. It is longer than the allocation: what is behind that is
 *	nobody's, and looked at
 *
 * Another process, which gets the descriptor by a socket or /proc, has the
 * memory by mem_ptr_import() or mmap() with MAP_SHARED; what either side's
 * engines store the other's see at once. mem_free() takes the memory from this
 * process alone: it lasts as long as somebody has it.
 *
 * The first time the bytes move to a file of their own, at the same address;
 * the call waits for that until no work of the context is under way, what other
 * threads submit meanwhile included. For who may touch managed memory that is
 * no wait. Each memory that is exported takes a descriptor until it is freed.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @ptr is not the start of device
 * memory, it is freed meanwhile, it was imported), -EXDEV (it is of another
 * context), -EMFILE or -ENFILE (no descriptor is left), -ENOMEM, -EOPNOTSUPP
 * (over the module), or as mem_stream_sync().
 */
int mem_ptr_export(struct mem_ctx *ctx, const void *ptr, int *fd);

/**
 * mem_ptr_import() - let engines have memory of somebody's, by its file
 * @ctx: context
 * @fd: what can be mapped shared, to read and write: of mem_ptr_export() in
 *	another process, any memfd, a dma-buf; stays the caller's, who need not
 *	keep it
 * @off: of the first byte in that
 * @len: bytes, above 0
 * @flags: 0, or MEM_DEVICE_DISCRETE
 * @ptr: out: the memory, owned by the caller: mem_free()
 *
 * Kernels, copies and sets have it as device memory of the context, with the
 * bytes that it has: it is not poisoned, and takes nothing of the board's
 * memory. The CPU may not touch it by this address, but by a mapping of its own
 * of the same file, at any time: what it stores there engines see at once, and
 * the reverse. Nobody looks for stale bytes of such a mapping, nor takes a
 * dma-buf's brackets. Who makes the file shorter ends what touches it then.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@ctx or @ptr is NULL, @len is 0, the file is shorter
 * than that, no such @flags), -EBADF (@fd is none), -EPERM (it cannot be read
 * and written, or is sealed), -EOPNOTSUPP (it cannot be mapped; over the
 * module; the board has no discrete GPU), -EMFILE (no descriptor is left),
 * -ENOMEM, or as mem_stream_sync().
 */
int mem_ptr_import(struct mem_ctx *ctx, int fd, uint64_t off, uint64_t len,
		   unsigned int flags, void **ptr);

/**
 * mem_register() - let engines reach memory of the caller's
 * @ctx: context
 * @ptr: memory of this process, readable and writable, and private: of
 *	malloc(), or variables, also on a stack
 * @len: bytes, above 0
 * @flags: MEM_REGISTER_*
 *
 * The pages that it is in are moved in place: no other thread may store to
 * them meanwhile. A child of fork() has copies of them, any other child shares
 * them. Engines have them at another address: mem_device_ptr().
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL or 0, no such @flags, some of it
 * is no such memory), -EOPNOTSUPP (a board below capability 7.2, or the backend
 * cannot), -EEXIST (some of its pages are registered, or are libmem's own),
 * -EMFILE, -ENFILE or -ENOENT (it cannot open /proc/self/maps), -ENOMEM.
 */
int mem_register(struct mem_ctx *ctx, void *ptr, uint64_t len,
		 unsigned int flags);

/**
 * mem_unregister() - undo mem_register()
 * @ctx: context that it is of
 * @ptr: exactly what was registered
 *
 * Waits for all work of the context first, as mem_free() does. The pages are
 * copied: it needs as much memory again until it returns.
 *
 * Context: may sleep; any thread.
 * Return: 0: done, also after an error of the context. Else it is not: -EINVAL
 * (@ctx or @ptr is NULL), -ENOENT (not registered at exactly @ptr), -EXDEV (it
 * is of another context), -EPERM (called from a host function, or in a child of
 * the process), -ENOMEM.
 */
int mem_unregister(struct mem_ctx *ctx, void *ptr);

/**
 * mem_device_ptr() - where engines have memory of the host
 * @ctx: context
 * @ptr: in pinned, registered or managed memory
 * @device: out: the same byte for engines
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @ptr is not such memory).
 */
int mem_device_ptr(struct mem_ctx *ctx, const void *ptr, void **device);

/**
 * mem_ptr_info() - what an address is
 * @ctx: context
 * @ptr: any, also freed, interior or of another context
 * @info: in and out: @info->size is set by the caller
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@ctx or @info is NULL, @info->size is below the
 * struct's first version or no multiple of 8).
 */
int mem_ptr_info(struct mem_ctx *ctx, const void *ptr,
		 struct mem_ptr_info *info);

/**
 * mem_ptr_buf_info() - state and counters of what an address is in
 * @ctx: context
 * @ptr: in an allocation
 * @info: in and out: @info->size is set by the caller
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @ptr is in no allocation,
 * @info->size is below the struct's first version or no multiple of 8).
 */
int mem_ptr_buf_info(struct mem_ctx *ctx, const void *ptr,
		     struct mem_buf_info *info);

/**
 * mem_ptr_attach_counters() - what the driver did for managed memory
 * @ctx: context
 * @ptr: in managed memory; NULL: all there was in the context
 * @count: in and out: @count->size is set by the caller
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@ctx or @count is NULL, @ptr is not managed,
 * @count->size is below the struct's first version or no multiple of 8).
 */
int mem_ptr_attach_counters(struct mem_ctx *ctx, const void *ptr,
			    struct mem_attach_counters *count);

/**
 * mem_set_name() - name an allocation, for reports
 * @ctx: context
 * @ptr: in it
 * @name: shorter than MEM_NAME_LEN, copied
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @name is too long, @ptr is in no
 * allocation).
 */
int mem_set_name(struct mem_ctx *ctx, const void *ptr, const char *name);

/**
 * mem_set_lasting() - say that an allocation is kept to the program's end
 * @ctx: context
 * @ptr: in it
 *
 * For what a library keeps for good: reports do not tell of it as leaked, and
 * neither does LeakSanitizer.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @ptr is in no allocation), -EPERM
 * (called from a host function, or in a child of the process).
 */
int mem_set_lasting(struct mem_ctx *ctx, const void *ptr);

/**
 * mem_ctx_sync() - wait for all work of a context
 * @ctx: context
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_stream_sync().
 */
int mem_ctx_sync(struct mem_ctx *ctx);

/**
 * mem_ctx_cancel() - wait for all work that needs nobody else's signal
 * @ctx: context
 *
 * Once nothing of the context goes on any more, waits for semaphores that are
 * not signalled are given up. They, and all that is behind them, are dropped:
 * kernels and copies do nothing, host functions are not called, semaphores not
 * signalled; a callback is called with -EDEADLK. Attaches happen all the
 * same. Who waits meanwhile is answered -EDEADLK, too. The context can be
 * worked with as before.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EDEADLK (something was dropped), or as mem_stream_sync().
 */
int mem_ctx_cancel(struct mem_ctx *ctx);

/**
 * mem_ctx_error() - the error that ended a context's work
 * @ctx: context
 *
 * Context: any thread.
 * Return: 0; -EFAULT, -ETIME, -ECANCELED or -EIO, see mem_stream_sync(), for
 * good; -EINVAL (@ctx is NULL), -EPERM (a child of the process that opened it).
 */
int mem_ctx_error(struct mem_ctx *ctx);

/**
 * mem_ctx_set_wait_policy() - how the host waits for engines
 * @ctx: context
 * @policy: enum mem_wait_policy; MEM_WAIT_AUTO spins a little and then blocks
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@ctx is NULL, no such @policy), -EPERM (called from a
 * host function, or in a child of the process that opened @ctx).
 */
int mem_ctx_set_wait_policy(struct mem_ctx *ctx, unsigned int policy);

/**
 * mem_stream_create() - make a stream
 * @ctx: context
 * @flags: 0 or MEM_STREAM_NON_BLOCKING
 * @priority: from MEM_PRIORITY_GREATEST to MEM_PRIORITY_LEAST; what is beyond
 *	counts as the nearer
 * @stream: out: the stream, owned by the caller: mem_stream_destroy()
 *
 * Work of a stream runs in order. A blocking stream is also ordered with the
 * legacy stream: what is submitted there waits for all that was submitted to
 * blocking streams, and they for it.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, no such @flags), -ENOMEM, or as
 * mem_stream_sync().
 */
int mem_stream_create(struct mem_ctx *ctx, unsigned int flags, int priority,
		      struct mem_stream **stream);

/**
 * mem_stream_legacy() - the stream of a context that all others wait for
 * @ctx: context
 *
 * Context: any thread.
 * Return: the context's, which cannot be destroyed; NULL if @ctx is.
 */
struct mem_stream *mem_stream_legacy(struct mem_ctx *ctx);

/**
 * mem_stream_per_thread() - a stream of the calling thread
 * @ctx: context
 * @stream: out: a blocking stream, the library's: it goes with the thread
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_stream_create().
 */
int mem_stream_per_thread(struct mem_ctx *ctx, struct mem_stream **stream);

/**
 * mem_stream_destroy() - a stream takes no more work
 * @stream: stream that mem_stream_create() gave, or NULL, which does nothing
 *
 * Does not wait: what it has goes on. Managed memory attached to it falls back
 * to its default at the stream's end.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (the legacy stream or one of a thread), -ENOMEM
 * (nothing has changed).
 */
int mem_stream_destroy(struct mem_stream *stream);

/**
 * mem_stream_id() - number of a stream, as in struct mem_violation
 * @stream: stream, or NULL
 *
 * Context: any thread.
 * Return: above 0; 0: the legacy stream, or NULL.
 */
uint64_t mem_stream_id(const struct mem_stream *stream);

/**
 * mem_stream_priority() - its priority
 * @stream: stream, or NULL
 *
 * Context: any thread.
 * Return: from MEM_PRIORITY_GREATEST to MEM_PRIORITY_LEAST; the latter if
 * @stream is NULL.
 */
int mem_stream_priority(const struct mem_stream *stream);

/**
 * mem_stream_sync() - wait for what a stream has so far
 * @stream: stream
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@stream is NULL), -EPERM (called from a host
 * function, or in a child of the process), -EOWNERDEAD (an engine was killed
 * and a job of it is lost: told once), -EMFILE, -ENFILE, -ENOMEM or -EAGAIN (an
 * engine's process could not be made, its job is lost: told once, and the next
 * job tries again), or what ended all work of the context, for good: -EFAULT (a
 * kernel touched an illegal address), -ETIME (one ran for too long), -ECANCELED
 * (one called abort, as a failed assert and an exception that nobody catches
 * do), -EIO (one called exit or fork, or another signal ended it). -EDEADLK:
 * some of it was dropped, see mem_ctx_cancel().
 */
int mem_stream_sync(struct mem_stream *stream);

/**
 * mem_stream_query() - is all done that a stream has so far?
 * @stream: stream
 *
 * If so, it counts as waited for.
 *
 * Context: any thread.
 * Return: 0: it is; -EBUSY: it is not; else as mem_stream_sync().
 */
int mem_stream_query(struct mem_stream *stream);

/**
 * mem_stream_wait_event() - further work of a stream waits for an event
 * @stream: stream
 * @event: event of the same context, as it was recorded last; never: nothing
 *	is waited for
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EXDEV (the event is of another
 * context), -ENOMEM, or as mem_stream_sync().
 */
int mem_stream_wait_event(struct mem_stream *stream, struct mem_event *event);

/**
 * mem_stream_attach() - say who may touch managed memory
 * @stream: ordered in this one
 * @ptr: the start of managed memory
 * @len: 0 or the length that was asked for
 * @how: MEM_ATTACH_GLOBAL, MEM_ATTACH_HOST or MEM_ATTACH_SINGLE: only work of
 *	@stream, and the CPU while that is idle
 *
 * Single to the legacy stream it is for that one's own work: that of blocking
 * streams, which it is ordered with, has no part in it.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @ptr is not the start of managed
 * memory, another @len, no such @how), -EXDEV (it is of another context),
 * -ENOMEM, or as mem_stream_sync().
 */
int mem_stream_attach(struct mem_stream *stream, void *ptr, uint64_t len,
		      unsigned int how);

/**
 * mem_stream_call() - have a function of the host called
 * @stream: in order of this one
 * @fn: called on a thread of the library
 * @arg: for it
 *
 * One at a time in a context. Not called any more once the context has an
 * error.
 *
 * In @fn libmem can be asked, of any context: mem_ctx_probe(), mem_ctx_board(),
 * mem_ctx_memory(), mem_ctx_error(), mem_ctx_next_violation(),
 * mem_violation_name(), mem_buf_len(), mem_buf_kind(), mem_buf_info(),
 * mem_ptr_info(), mem_ptr_buf_info(), mem_ptr_attach_counters(),
 * mem_stream_legacy(), mem_stream_id(), mem_stream_priority(),
 * mem_attrs_state(), mem_attrs_slots(), mem_attrs_get(), mem_attrs_dump(),
 * mem_attrs_set_client(), mem_attrs_client(), mem_attr_name(),
 * mem_format_info() and mem_image_info(). It can be given back what needs no
 * answer: mem_ctx_close(), mem_buf_destroy(), mem_job_destroy(),
 * mem_event_destroy(), mem_semaphore_destroy(), mem_attrs_destroy(),
 * mem_image_destroy() and mem_array_destroy(). mem_version() does as ever.
 * All other functions answer -EPERM.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@stream or @fn is NULL), -ENOMEM, or as
 * mem_stream_sync().
 */
int mem_stream_call(struct mem_stream *stream, mem_host_fn fn, void *arg);

/**
 * mem_stream_add_callback() - as mem_stream_call(), and told of errors
 * @stream: in order of this one
 * @fn: called in any case, with 0 or the context's error
 * @arg: for it
 *
 * Context: any thread.
 * Return: 0, or as mem_stream_call().
 */
int mem_stream_add_callback(struct mem_stream *stream, mem_callback fn,
			    void *arg);

/**
 * mem_launch() - have an engine run a kernel
 * @stream: in order of this one
 * @launch: what; not needed any more when the call returns
 *
 * The kernel has the context's memory of mem_alloc() and mem_register(), and on
 * the embedded backend buffers that mem_buf_map() has mapped. Over the module
 * it has none of these: one that touches such a buffer ends with -EFAULT, and a
 * violation MEM_VIOLATION_ILLEGAL_ADDRESS with the name "buffer of a heap". An
 * engine that runs in the program itself touches it as the CPU does.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, a field of @launch has no
 * meaning, @launch->size is below the struct's first version or no multiple of
 * 8), -E2BIG (a tail of @launch that this library does not know is not 0),
 * -EOPNOTSUPP (the board has no such engine, or the backend cannot), -ENOMEM,
 * or as mem_stream_sync().
 */
int mem_launch(struct mem_stream *stream, const struct mem_launch *launch);

/**
 * mem_copy() - copy as a synchronous call
 * @stream: in order of this one
 * @dst: target
 * @src: source
 * @len: bytes; 0 does nothing
 * @dir: enum mem_dir: what the addresses must be; MEM_DIR_DEFAULT: any
 *
 * Returns when the copy is done, but for one from pageable memory to device
 * memory, whose source has been read, and for one within device memory. Memory
 * of the host that libmem does not know is touched by the calling thread.
 * A managed side is the engine's if a job of @stream may touch it, else the
 * CPU's. Of a buffer mem_buf_device_ptr() says whose it is.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, a range leaves its allocation,
 * the addresses are not what @dir says), -EXDEV (an allocation is of another
 * context), -EACCES (the target is a read-only buffer), -ENOMEM, or as
 * mem_stream_sync().
 */
int mem_copy(struct mem_stream *stream, void *dst, const void *src,
	     uint64_t len, unsigned int dir);

/**
 * mem_copy_async() - copy in order of a stream
 * @stream: in order of this one
 * @dst: target
 * @src: source
 * @len: bytes; 0 does nothing
 * @dir: enum mem_dir: what the addresses must be; MEM_DIR_DEFAULT: any
 *
 * Where a side is pageable memory it waits, and the calling thread copies.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_copy().
 */
int mem_copy_async(struct mem_stream *stream, void *dst, const void *src,
		   uint64_t len, unsigned int dir);

/**
 * mem_copy_rows() - mem_copy() of rows
 * @stream: in order of this one
 * @rows: what; not needed any more when the call returns
 * @dir: enum mem_dir: what the addresses must be; MEM_DIR_DEFAULT: any
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_copy(); -EINVAL also if a pitch is below the length of
 * a row.
 */
int mem_copy_rows(struct mem_stream *stream, const struct mem_rows *rows,
		  unsigned int dir);

/**
 * mem_copy_rows_async() - mem_copy_async() of rows
 * @stream: in order of this one
 * @rows: what; not needed any more when the call returns
 * @dir: enum mem_dir: what the addresses must be; MEM_DIR_DEFAULT: any
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_copy_rows().
 */
int mem_copy_rows_async(struct mem_stream *stream, const struct mem_rows *rows,
			unsigned int dir);

/**
 * mem_fill() - have an engine fill memory
 * @stream: in order of this one
 * @dst: in device, managed, pinned or registered memory, or in a buffer that
 *	kernels have
 * @value: its low byte
 * @len: bytes; 0 does nothing
 *
 * Returns when it is done, but for device memory.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, the range is not in one
 * allocation that engines reach), -EXDEV, -EACCES (a read-only buffer),
 * -ENOMEM, or as mem_stream_sync().
 */
int mem_fill(struct mem_stream *stream, void *dst, int value, uint64_t len);

/**
 * mem_fill_async() - mem_fill() that does not wait
 * @stream: in order of this one
 * @dst: in device, managed, pinned or registered memory, or in a buffer that
 *	kernels have
 * @value: its low byte
 * @len: bytes; 0 does nothing
 *
 * Context: any thread.
 * Return: 0, or as mem_fill().
 */
int mem_fill_async(struct mem_stream *stream, void *dst, int value,
		   uint64_t len);

/**
 * mem_fill_rows() - mem_fill() of rows
 * @stream: in order of this one
 * @rows: what, except that its source is ignored; not needed any more when the
 *	call returns
 * @value: its low byte
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_fill(); -EINVAL also if the pitch is below the length of
 * a row.
 */
int mem_fill_rows(struct mem_stream *stream, const struct mem_rows *rows,
		  int value);

/**
 * mem_fill_rows_async() - mem_fill_async() of rows
 * @stream: in order of this one
 * @rows: what, except that its source is ignored; not needed any more when the
 *	call returns
 * @value: its low byte
 *
 * Context: any thread.
 * Return: 0, or as mem_fill_rows().
 */
int mem_fill_rows_async(struct mem_stream *stream, const struct mem_rows *rows,
			int value);

/**
 * mem_event_create() - make an event
 * @ctx: context
 * @flags: MEM_EVENT_*
 * @event: out: the event, owned by the caller: mem_event_destroy()
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, no such @flags), -ENOMEM, or as
 * mem_stream_sync().
 */
int mem_event_create(struct mem_ctx *ctx, unsigned int flags,
		     struct mem_event **event);

/**
 * mem_event_destroy() - forget an event
 * @event: event, or NULL, which does nothing
 *
 * Who waits for it goes on waiting.
 *
 * Context: any thread.
 */
void mem_event_destroy(struct mem_event *event);

/**
 * mem_event_record() - let an event stand for all that a stream has so far
 * @event: event
 * @stream: stream of the same context
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EXDEV (the stream is of
 * another context), -ENOMEM, or as mem_stream_sync().
 */
int mem_event_record(struct mem_event *event, struct mem_stream *stream);

/**
 * mem_event_sync() - wait for what an event stands for
 * @event: event; never recorded: there is nothing to wait for
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_stream_sync().
 */
int mem_event_sync(struct mem_event *event);

/**
 * mem_event_query() - is all done that an event stands for?
 * @event: event; never recorded: it is
 *
 * If so, it counts as waited for.
 *
 * Context: any thread.
 * Return: 0: it is; -EBUSY: it is not; else as mem_stream_sync().
 */
int mem_event_query(struct mem_event *event);

/**
 * mem_event_elapsed() - time between two events
 * @start: recorded event
 * @end: recorded event of the same context
 * @ns: out: from when all before @start was done to the same of @end; negative
 *	if that was earlier
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, one has no timing or was never
 * recorded), -EXDEV (they are of two contexts), -EBUSY (one is not done), or
 * as mem_stream_sync().
 */
int mem_event_elapsed(struct mem_event *start, struct mem_event *end,
		      int64_t *ns);

/**
 * mem_semaphore_import() - have a semaphore that others have, too
 * @ctx: context
 * @fd: an eventfd, which stays the caller's: it may be closed at once
 * @semaphore: out: the semaphore, owned by the caller: mem_semaphore_destroy()
 *
 * It is signalled while the eventfd's counter is above 0. Of one that was made
 * with EFD_SEMAPHORE a wait takes one from the counter, else all of it. Whoever
 * has the eventfd can signal it, by writing to it, and wait for it, by reading:
 * any thread or process, and other contexts.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, @fd is no eventfd), -EBADF (@fd is
 * not open), -EMFILE (no file descriptor is left), -ENOMEM, or as
 * mem_stream_sync().
 */
int mem_semaphore_import(struct mem_ctx *ctx, int fd,
			 struct mem_semaphore **semaphore);

/**
 * mem_semaphore_destroy() - forget a semaphore
 * @semaphore: semaphore, or NULL, which does nothing
 *
 * Waits and signals that streams have go on.
 *
 * Context: any thread.
 */
void mem_semaphore_destroy(struct mem_semaphore *semaphore);

/**
 * mem_stream_wait_semaphore() - further work of a stream waits for a signal
 * @stream: stream
 * @semaphore: of the same context
 *
 * When the stream comes to it, it waits until the semaphore is signalled, and
 * takes the signal. Of several waits of the context the one that began first
 * takes the first. Other streams go on meanwhile, and so do host functions. No
 * thread is held up. It is no wait of the host: what was done before the signal
 * is not known done by it, and neither cache nor attach state changes.
 *
 * Nothing bounds it: see mem_ctx_cancel().
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EXDEV (the semaphore is of
 * another context), -EMFILE or -ENFILE (no file descriptor is left, at the
 * first wait of a context), -ENOMEM, -EOPNOTSUPP (an older module), or as
 * mem_stream_sync().
 */
int mem_stream_wait_semaphore(struct mem_stream *stream,
			      struct mem_semaphore *semaphore);

/**
 * mem_stream_wait_fence() - further work of a stream waits for a fence
 * @stream: stream
 * @fd: what mem_job_fence() gave, of any context; a sync_file of any driver; an
 *	eventfd. It stays the caller's: it may be closed at once
 *
 * When the stream comes to it, it waits until the descriptor polls readable. It
 * takes nothing: any number of streams may wait for one fence. The rest is as
 * of mem_stream_wait_semaphore(): other streams go on, it is no wait of the
 * host, and mem_ctx_cancel() and mem_ctx_close() give it up.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@stream is NULL, @fd is neither sync_file nor
 * eventfd), -EBADF (@fd is not open), -EMFILE or -ENFILE (no file descriptor is
 * left), -ENOMEM, -EOPNOTSUPP (an older module), or as mem_stream_sync().
 */
int mem_stream_wait_fence(struct mem_stream *stream, int fd);

/**
 * mem_stream_signal_semaphore() - signal a semaphore in order of a stream
 * @stream: stream
 * @semaphore: of the same context
 *
 * When all before it in the stream is done 1 is added to the eventfd's counter;
 * one that is full stays as it is. After an error of the context, or if it is
 * dropped (mem_ctx_cancel()), it is not signalled.
 *
 * Context: any thread.
 * Return: 0, or as mem_stream_wait_semaphore().
 */
int mem_stream_signal_semaphore(struct mem_stream *stream,
				struct mem_semaphore *semaphore);

#ifdef __cplusplus
}
#endif

/* Its parts */
#include <libmem/attrs.h>
#include <libmem/endpoint.h>
#include <libmem/format.h>
#include <libmem/image.h>
#include <libmem/object.h>

#endif
