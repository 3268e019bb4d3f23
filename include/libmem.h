/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: shared memory of a simulated system-on-chip, for applications.
 *
 * Every call that can fail returns 0 or a count, or -errno. An object is
 * returned through the last argument, which is untouched on failure. The
 * library prints nothing and never exits. The embedded backend has an address
 * window and a handler for SIGSEGV, which all contexts of the process share
 * (Documentation/libmem-limits.rst); in a child of the process its calls return
 * -EPERM. Most calls return -EPERM in a host function: see mem_stream_call().
 * Objects may be used by several threads at the same time unless a call says
 * otherwise; an object must not be destroyed while another thread uses it.
 * No call is a cancellation point (pthread_cancel()).
 * Buffers and jobs keep a reference to their context, so objects can be
 * destroyed in any order.
 *
 * Lengths and offsets are bytes; the name of a time has its unit. A value of an
 * enumeration is passed as unsigned int and stored as uint32_t; a call refuses
 * a value that it does not know.
 *
 * A struct that begins with its size may grow at its end. The caller sets the
 * size to the sizeof that it was compiled with, a multiple of 8; more than 4096
 * is -EINVAL. If a call fills the struct in, the library writes no more than
 * that, zeroes the tail that it does not know, and sets the size to the number
 * of bytes that it filled in. If a call reads the struct, a tail that the
 * library does not know must be 0 (-E2BIG), and members that an older caller
 * does not have count as 0.
 */
#ifndef _LIBMEM_H
#define _LIBMEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
/* A call may have the name of a struct, as stat() has. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
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
/* Longest arguments of a kernel, bytes */
#define MEM_ARGS_MAX		8192U
/* Most blocks of a launch */
#define MEM_BLOCKS_MAX		(1ULL << 48)

/* CPU access, for brackets */
#define MEM_READ		0x1U
#define MEM_WRITE		0x2U
#define MEM_RW			(MEM_READ | MEM_WRITE)

/* No time limit. Every job ends, if necessary with an error. */
#define MEM_WAIT_FOREVER	UINT64_MAX

/**
 * enum mem_kind - kinds of buffer
 * @MEM_KIND_SYSTEM: noncoherent or coherent, as on the simulated SoC; only
 *	passed to calls, never returned
 * @MEM_KIND_NONCOHERENT: CPU cached, engines uncached: always needs brackets
 * @MEM_KIND_COHERENT: CPU cached and snooped: CPU and engines see the same
 * @MEM_KIND_UNCACHED: not cached by the CPU
 * @MEM_KIND_CONTIGUOUS: physically contiguous, CPU and engines see the same
 * @MEM_KIND_FOREIGN: a dma-buf of another driver; only returned
 * @MEM_KIND_MANAGED: unified memory: mem_alloc()
 * @MEM_KIND_PINNED: host memory that engines can access: mem_alloc()
 * @MEM_KIND_DEVICE: memory of engines, which the CPU cannot access: mem_alloc()
 * @MEM_KIND_REGISTERED: the caller's pages: mem_register()
 * @MEM_KIND_PAGEABLE: any other memory of the process; only returned
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
 * @MEM_POLICY_DEFAULT: the value of the environment variable LIBMEM_POLICY
 *	("strict", "record" or "off"), else the module's policy, or strict in
 *	the embedded backend; only passed to calls, never returned
 * @MEM_POLICY_STRICT: an access that the board refuses is refused (SIGBUS;
 *	EFAULT in a system call), and every violation is recorded
 * @MEM_POLICY_RECORD: nothing is refused, every violation is recorded
 * @MEM_POLICY_OFF: buffers have one view, and nothing is checked
 */
enum mem_policy {
	MEM_POLICY_DEFAULT,
	MEM_POLICY_STRICT,
	MEM_POLICY_RECORD,
	MEM_POLICY_OFF
};

/**
 * enum mem_evict - whether lines leave the CPU's cache without maintenance
 * @MEM_EVICT_DEFAULT: the value of the environment variable LIBMEM_EVICT
 *	("none" or "random", with LIBMEM_SEED), else the module's setting, or
 *	none in the embedded backend; only passed to calls
 * @MEM_EVICT_NONE: never
 * @MEM_EVICT_RANDOM: lines are evicted and fetched at any time, as in a real
 *	cache; the same seed and the same calls give the same result
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
 * enum mem_backend - what simulates the board
 * @MEM_BACKEND_AUTO: the value of the environment variable LIBMEM_BACKEND
 *	("embedded" or "kernel"); else the module if it is loaded, else the
 *	process; only passed to calls, never returned
 * @MEM_BACKEND_EMBEDDED: the process itself, without module, root or VM
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
 * @block: threads of a block, as in the launch: the kernel loops over them
 * @index: index of this block in x, y and z
 * @shared_len: bytes at @shared
 * @shared: zeroed memory of this block; NULL if @shared_len is 0
 *
 * It has no size, because the library creates it: members are only added at
 * its end.
 */
struct mem_block {
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t index[3];
	uint32_t shared_len;
	void *shared;
};

/*
 * A kernel: a function that an engine calls once for each block. @args is the
 * job's copy of the arguments, which all blocks share.
 */
typedef void (*mem_kernel)(const struct mem_block *block, void *args);

/**
 * struct mem_ctx_options - options of a context
 * @size: in: sizeof of this struct
 * @backend: in: enum mem_backend
 * @fill_size: in: bytes that one CPU touch brings into the cache: a power of
 *	two from a page to 2 MiB; 0: 64 KiB. Embedded only: the module has a
 *	parameter
 * @policy: in: enum mem_policy. Over the module it applies to the buffers that
 *	the context allocates
 * @poison: in: bytes that new managed and device memory is filled with: 0: byte
 *	0xa5; MEM_POISON_NONE: zeros; 1 to 255: that byte
 * @evict: in: enum mem_evict, for the buffers that the context allocates
 * @soc: in: name of the profile, terminated; empty: the value of the
 *	environment variable LIBMEM_SOC, else the module's profile, else
 *	"generic-noncoherent". A context over the module can have no other
 *	profile than the module's
 * @seed: in: seed of MEM_EVICT_RANDOM
 * @precise: in: 1: each access of the CPU to the context's buffers is detected,
 *	not only the first one to a page, on x86-64; 0: if the environment
 *	variable LIBMEM_PRECISE is "1"
 * @reserved: in: 0
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
	uint32_t precise;
	uint32_t reserved;
};

#define MEM_POISON_NONE		UINT32_MAX

/**
 * struct mem_probe - properties of the simulated SoC
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @abi_version: out: version of the module's interface, 0 embedded
 * @line_size: out: cache line, bytes
 * @fill_size: out: bytes that one CPU touch brings into the cache, aligned
 * @page_size: out: bytes
 * @policy: out: enum mem_policy
 * @evict_random: out: 1 if lines leave the cache at random, else 0
 * @io_coherent: out: 1 if engines snoop the CPU's cache, else 0
 * @seed: out: seed of random eviction
 * @soc: out: name of the profile, terminated
 * @backend: out: enum mem_backend, never MEM_BACKEND_AUTO
 * @precise: out: 1 if each access of the CPU is detected, else 0; the module
 *	may do so for buffers of a process tree when this is 0
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
	uint32_t precise;
};

/**
 * enum mem_violation_kind - kinds of violation; the numbers are the module's
 * @MEM_VIOLATION_DROPPED: the number of violations that were lost because the
 *	queue was full
 * @MEM_VIOLATION_STALE_READ: the CPU read a line that differs from DRAM
 * @MEM_VIOLATION_POSSIBLE_STALE_READ: the CPU read a line that an engine wrote
 *	since the last invalidate, and that happens to equal DRAM
 * @MEM_VIOLATION_LOST_DEVICE_WRITE: a clean overwrote bytes of an engine
 * @MEM_VIOLATION_LOST_CPU_WRITE: an invalidate discarded bytes of the CPU
 * @MEM_VIOLATION_MISSING_CLEAN: an engine read DRAM below a dirty line
 * @MEM_VIOLATION_WRITE_CONFLICT: an engine wrote DRAM below a dirty line
 * @MEM_VIOLATION_UNBRACKETED_ACCESS: a touch that the rules forbid
 * @MEM_VIOLATION_MISSING_END: a WRITE bracket that can no longer be ended
 * @MEM_VIOLATION_UNMATCHED_END: an end without its begin
 * @MEM_VIOLATION_SHARED_LINE: no error: a line partly inside a range that was
 *	invalidated
 * @MEM_VIOLATION_REDUNDANT_CLEAN: no error: a clean that found nothing dirty
 * @MEM_VIOLATION_REDUNDANT_INVALIDATE: no error: an invalidate that had nothing
 *	to do
 * @MEM_VIOLATION_CPU_WHILE_ACTIVE: the CPU touched managed memory that an
 *	engine may be using
 * @MEM_VIOLATION_ENGINE_NOT_ATTACHED: a job touched managed memory that is not
 *	attached to its stream
 * @MEM_VIOLATION_CPU_ON_DEVICE: the CPU touched device memory
 * @MEM_VIOLATION_UNENDED_READ: no error: a READ bracket that can no longer be
 *	ended
 * @MEM_VIOLATION_ATOMIC_ON_UNCACHED: an atomic instruction on pinned memory of
 *	a board whose CPU does not cache that memory
 * @MEM_VIOLATION_ILLEGAL_ADDRESS: a job touched an address that its engine
 *	cannot access
 * @MEM_VIOLATION_OVERRUN: the bytes behind a buffer have changed
 * @MEM_VIOLATION_FAILED_KERNEL: a kernel did not return: it called exit, abort
 *	or fork, or a signal, an exception or the watchdog ended it
 * @MEM_VIOLATION_USE_AFTER_FREE: the CPU touched an address of a buffer that
 *	had been freed or unmapped, or anyone touched a mapping of external
 *	memory that had been destroyed (CUDA)
 * @MEM_VIOLATION_UNLOCKED_ACCESS: the CPU or a kernel touched an image or
 *	array that was not locked, or not locked for that kind of access
 * @MEM_VIOLATION_ENGINE_WHILE_LOCKED: a kernel or copy touched an image or
 *	array that was locked for the CPU
 * @MEM_VIOLATION_MISSING_UNLOCK: an image or array was destroyed, or the
 *	process ended, while it was locked
 * @MEM_VIOLATION_WRAPPED_GONE: an image or array was used whose wrapped memory
 *	had been freed, or whose file had been shortened; or memory was
 *	unregistered that the program had freed or unmapped
 * @MEM_VIOLATION_WIDTH_FOR_PITCH: rows of an image were stored one behind the
 *	other, without the padding between them
 * @MEM_VIOLATION_READ_ONLY_WRITE: the CPU or a kernel stored to an object that
 *	it may only read
 * @MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER: a frame of a pipe was stored to
 *	while the consumer held it
 * @MEM_VIOLATION_FRAME_USED_AFTER_RELEASE: the consumer used a frame of a pipe
 *	that it had released
 * @MEM_VIOLATION_RACE: two jobs touched a byte of memory of mem_check_order(),
 *	one of them wrote it, and neither waited for the other
 * @MEM_VIOLATION_INVALID_HANDLE: a call got an object or attribute list that
 *	had been freed, or that never was one, or was to free the list of an
 *	object
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
	MEM_VIOLATION_READ_ONLY_WRITE,
	MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER,
	MEM_VIOLATION_FRAME_USED_AFTER_RELEASE,
	MEM_VIOLATION_RACE,
	MEM_VIOLATION_INVALID_HANDLE
};

/** enum mem_missing - the operation that would have prevented the violation */
enum mem_missing {
	MEM_MISSING_NOTHING,
	MEM_MISSING_BEGIN_READ,
	MEM_MISSING_BEGIN_WRITE,
	MEM_MISSING_END,
	MEM_MISSING_WAIT,
	MEM_MISSING_SYNC,
	MEM_MISSING_ATTACH
};

/** enum mem_other - the other side of a violation, besides the CPU */
enum mem_other {
	MEM_OTHER_NOBODY,
	MEM_OTHER_ENGINE,
	MEM_OTHER_DEVICE,
	MEM_OTHER_VMAP,
	MEM_OTHER_FENCE,
	MEM_OTHER_PROCESS
};

/**
 * struct mem_violation - a violation, or redundant maintenance
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @kind: out: enum mem_violation_kind
 * @missing: out: enum mem_missing
 * @other: out: enum mem_other
 * @count: out: lines, accesses or operations that it stands for: repetitions at
 *	one call site are counted in the entry that is waiting to be read
 * @buf: out: id of the buffer, as in struct mem_buf_info
 * @off: out: first byte; of an access the byte that was touched
 * @len: out: bytes up to the end of the last line
 * @time_ns: out: when it was found first, CLOCK_MONOTONIC
 * @name: out: name of the buffer, terminated; of an illegal address the kind of
 *	memory there: "managed memory"; of a failed kernel the cause of its end:
 *	"SIGABRT"
 * @cpu_ip: out: instruction of the CPU's access, or of the earlier store that
 *	is concerned; 0: unknown, as for maintenance in the embedded backend
 * @cpu_addr: out: address that the CPU touched; 0 none
 * @cpu_time_ns: out: when; 0: the CPU did not touch it
 * @cpu_tid: out: thread
 * @is_write: out: 1: the access was a store
 * @other_time_ns: out: when the other side's job was submitted, or when it
 *	mapped or maintained the buffer; 0: unknown
 * @other_job: out: id of its job, 0 none
 * @other_name: out: name of the engine, device or operation, terminated
 * @other_stream: out: id of its stream, 0: the legacy stream or none
 * @other_kernel: out: address of the kernel that it runs, or of the function
 *	that the kernel stands for, see struct mem_launch; 0 none
 * @other_ip: out: instruction of the kernel that touched, 0: unknown
 * @attach: out: newest attach state of managed memory, MEM_ATTACH_*; 0: it is
 *	not managed memory
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
 * struct mem_board - properties of the simulated board and of one of its GPUs
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @is_discrete: out: 1: the discrete GPU, which has memory of its own
 * @capability: out: CUDA compute capability times 10; 0: no CUDA GPU
 * @nr_sms: out: streaming multiprocessors; 0 if @capability is 0
 * @cores_per_sm: out: CUDA cores each
 * @gpu_mhz: out: GPU clock, MHz
 * @gpu_l2_len: out: GPU L2 cache, bytes
 * @bus_bits: out: width of the memory's bus
 * @memory_mbps: out: peak bandwidth of the memory, 10^6 bytes a second
 * @nr_cpus: out: CPU cores; this and, except for @memory_len, all that follows
 *	is the same for each GPU of the board
 * @memory_len: out: memory, bytes: the SoC's DRAM, or the discrete GPU's memory
 * @cpu_mhz: out: CPU clock, MHz
 * @line_size: out: cache line, bytes
 * @is_io_coherent: out: 1: engines see the newest bytes in CPU caches
 * @is_fully_coherent: out: 1: the CPU also sees what is in the GPU's caches
 * @has_host_register: out: 1: the board supports mem_register(); the kernel
 *	backend does not
 * @has_concurrent_access: out: 1: CPU and GPU may touch managed memory at the
 *	same time
 * @has_pageable_access: out: 1: the GPU can access all memory of the process
 * @has_system_atomics: out: 1: atomics between CPU and GPU
 * @has_memory_ipc: out: 1: CUDA memory IPC
 * @has_pva: out: 1: MEM_ENGINE_PVA
 * @has_vic: out: 1: MEM_ENGINE_VIC
 * @has_dgpu: out: 1: MEM_ENGINE_DGPU
 * @name: out: name of the profile, terminated
 * @description: out: one line of text, terminated
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
/* Shared lines and redundant maintenance */
#define MEM_WATCH_WASTE		0x2U

/* Largest number of violations that can wait to be read. */
#define MEM_WATCH_MAX		65536U

/**
 * struct mem_counters - events of a buffer since it was created
 * @fills: fill events
 * @lines_filled: lines brought into the cache
 * @lines_cleaned: lines written back to DRAM
 * @lines_invalidated: valid lines dropped
 * @evictions: lines evicted at random
 * @redundant_cleans: clean operations that found nothing dirty
 * @redundant_invalidates: invalidate operations that had nothing to do
 * @shared_lines: lines partly inside a range to be invalidated
 * @stale_reads: CPU reads of a line that differs from DRAM
 * @possible_stale_reads: CPU reads of a line that an engine wrote since its
 *	last invalidate and that happens to equal DRAM
 * @lost_device_writes: cleaned lines that overwrote bytes of an engine
 * @lost_cpu_writes: invalidated lines whose CPU stores are lost
 * @missing_cleans: dirty lines below which an engine read DRAM
 * @write_conflicts: dirty lines below which an engine wrote DRAM
 * @unbracketed_accesses: CPU touches that the rules forbid
 * @missing_ends: WRITE brackets whose process ended, or closed its last
 *	descriptor and mapping of the buffer, without an end
 * @unmatched_ends: ends without their begin
 *
 * It has no size: it is the last member of struct mem_buf_info, and grows with
 * that struct.
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
 * @has_two_views: out: 1 if CPU and engines may see different bytes
 * @nr_holders: out: importers that have mapped it
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
 * struct mem_copy2d - rows for the dma engine to copy
 * @size: in: sizeof of this struct
 * @pattern: in: byte i of a row is xored with byte i % 4 of this (little
 *	endian); 0 copies
 * @dst: in: buffer that is written
 * @src: in: buffer that is read; may be @dst
 * @dst_off: in: bytes, of the first row
 * @src_off: in: bytes, of the first row
 * @dst_pitch: in: bytes from row to row; negative: rows are at descending
 *	addresses
 * @src_pitch: in: as @dst_pitch
 * @row_len: in: bytes of a row, above 0
 * @nr_rows: in: above 0; if it is 1, pitches are ignored
 * @reserved: in: 0
 * @delay_ns: in: shortest duration of the job, at most 10 s; the job may access
 *	any of its bytes at any time until it is done
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
/* No effect: all contexts have one board, and all of it is mapped. */
#define MEM_PINNED_PORTABLE	0x1U
#define MEM_PINNED_MAPPED	0x2U
/* No effect, except that mem_ptr_info() returns it. */
#define MEM_PINNED_WRITE_COMBINED 0x4U

/* Flags of device memory, for mem_alloc() */
#define MEM_DEVICE_DISCRETE	0x1U	/* in the discrete GPU's own memory */
#define MEM_DEVICE_IMPORTED	0x2U	/* by mem_ptr_import(); only returned */

/* Flags of mem_register() */
#define MEM_REGISTER_PORTABLE	0x1U
#define MEM_REGISTER_MAPPED	0x2U
#define MEM_REGISTER_IO		0x4U
#define MEM_REGISTER_READ_ONLY	0x8U

/**
 * struct mem_ptr_info - the allocation that contains an address
 * @size: in: sizeof of this struct; out: bytes that were filled in
 * @kind: out: enum mem_kind, MEM_KIND_PAGEABLE if libmem does not know it
 * @base: out: the CPU's address of the allocation; NULL: pageable
 * @len: out: length of the allocation as it was requested, bytes
 * @host: out: address of this byte for the CPU; NULL: the CPU has no access
 * @device: out: address of this byte for engines; NULL: no engine has access,
 *	or it is pageable, which engines of some boards access at the CPU's
 *	address
 * @id: out: id of the buffer, as in struct mem_violation; 0 none
 * @flags: out: as passed to mem_alloc() or mem_register(): device memory with
 *	MEM_DEVICE_DISCRETE is in the discrete GPU's memory, without it in the
 *	SoC's; with MEM_DEVICE_IMPORTED it is in the file that was imported
 * @attach: out: managed: newest attach state, MEM_ATTACH_*, else 0
 * @is_own: out: 1: the allocation belongs to this context
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
 * @revoked: times that the CPU lost its access
 * @restored: times that the CPU regained it, because the host had waited
 * @cleans: buffers whose CPU lines were written back
 * @cleaned_bytes: sum of the lengths of these buffers, as they were requested;
 *	the same holds for all bytes below
 * @cpu_invalidates: buffers whose CPU lines were invalidated
 * @cpu_invalidated_bytes: their bytes
 * @gpu_cleans: buffers whose lines in the GPU's cache were written back
 * @gpu_cleaned_bytes: their bytes
 * @gpu_invalidates: buffers whose lines in the GPU's cache were invalidated
 * @gpu_invalidated_bytes: their bytes
 * @prefetches_to_cpu: attaches from global or single to host
 * @prefetches_to_gpu: attaches from host to global or single
 * @cpu_while_active: violations: the CPU touched a buffer while it might not
 * @engine_not_attached: violations: a job touched a buffer that its stream may
 *	not use
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
 * enum mem_dir - direction of a copy
 * @MEM_DIR_HOST_TO_HOST: both sides are memory of the CPU
 * @MEM_DIR_HOST_TO_DEVICE: the target is memory of engines
 * @MEM_DIR_DEVICE_TO_HOST: the source is memory of engines
 * @MEM_DIR_DEVICE_TO_DEVICE: both sides are memory of engines
 * @MEM_DIR_DEFAULT: determined by the addresses
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
 * @row_len: in: bytes of a row, not more than either pitch
 * @nr_rows: in: number of rows
 *
 * It has no size, and does not grow: like struct iovec, it is a value. A copy
 * of another shape would be another call.
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
 * @block: in: threads of a block in x, y and z, each above 0; passed to the
 *	kernel, see struct mem_block
 * @shared_len: in: bytes of memory for each block, at most 1 MiB
 * @args_len: in: bytes at @args, at most MEM_ARGS_MAX
 * @args: in: arguments, which are copied; may be NULL if @args_len is 0
 * @timeout_ns: in: time after which the watchdog ends the kernel; 0: 10 s
 * @entry: in: the function that @kernel stands for: reports call that function
 *	the kernel, and its library must be loaded; NULL: @kernel itself
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
/* Of an API beside that of the other streams, such as OpenGL beside CUDA. */
#define MEM_STREAM_FOREIGN	0x2U

/* Priorities: work with a lower number runs first. */
#define MEM_PRIORITY_LEAST	0
#define MEM_PRIORITY_GREATEST	(-5)

/* Flags of mem_event_create() */
/* Waits for the event block, whatever the wait policy of the context is. */
#define MEM_EVENT_BLOCKING	0x1U
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
 * mem_version() - return the version of the loaded library
 *
 * Context: any thread, also in a host function or a child process.
 * Return: a version in the form of LIBMEM_MAKE_VERSION(); LIBMEM_VERSION is the
 * version of the header.
 */
unsigned int mem_version(void);

/**
 * mem_ctx_open() - open a context
 * @options: options of the context; NULL: the defaults
 * @ctx: out: the context, owned by the caller: mem_ctx_close()
 *
 * The first embedded context of a process creates the process's address window,
 * which remains until the process ends.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@ctx is NULL, @options->size is below the struct's
 * first version or no multiple of 8, an invalid field, no such board, an
 * invalid value of LIBMEM_BACKEND, LIBMEM_SOC, LIBMEM_POLICY, LIBMEM_EVICT,
 * LIBMEM_SEED, LIBMEM_PRECISE or LIBMEM_ENGINE), -E2BIG (a tail of @options
 * that this library does not know is not 0), -EOPNOTSUPP (the module simulates
 * another board than @options->soc, or precise tracking is not possible on this
 * machine), -ENOENT (kernel: no /dev/heapsim, the module is not loaded),
 * -EACCES (kernel: no permission for it), -EPROTO (the module's interface is
 * older than any that this library supports), -EPERM (a child of a process with
 * an embedded context, or a host function), -EMFILE or -ENFILE (no file
 * descriptor is left), -ENOMEM (embedded: also no room in the address space).
 */
int mem_ctx_open(const struct mem_ctx_options *options, struct mem_ctx **ctx);

/**
 * mem_ctx_open_shared() - return the context that the process shares
 * @options: options if it is not open yet; NULL: the defaults
 * @ctx: out: a reference to the context, owned by the caller: mem_ctx_close()
 *
 * For libraries whose memory is to be valid in each other's calls. The first
 * call opens the context, which then stays open until the process ends; later
 * calls return the same context and ignore their @options. The board
 * @options->soc is a default: it is used only if LIBMEM_SOC is not set and the
 * context is embedded.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_ctx_open(); also -EPERM (a child of the process that
 * opened it, over the module, too).
 */
int mem_ctx_open_shared(const struct mem_ctx_options *options,
			struct mem_ctx **ctx);

/**
 * mem_ctx_close() - close a context
 * @ctx: context, or NULL, which does nothing
 *
 * For the context of mem_ctx_open_shared() this drops the caller's reference
 * and does nothing else. Any other context is closed:
 *
 * Its buffers and jobs remain usable, and the last of them to be destroyed
 * frees what they share. Submitted work continues. Once only waits for
 * semaphores that are not signalled are left, they, and the work behind them,
 * are dropped as by mem_ctx_cancel().
 *
 * Context: may sleep; any thread.
 */
void mem_ctx_close(struct mem_ctx *ctx);

/**
 * mem_ctx_probe() - return the properties of the simulated SoC
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
 * mem_ctx_board() - return the properties of the board and of one of its GPUs
 * @ctx: context
 * @engine: MEM_ENGINE_GPU or MEM_ENGINE_DGPU
 * @board: in and out: @board->size is set by the caller
 *
 * The properties do not change while the context is open.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @engine is no GPU, @board->size
 * is below the struct's first version or no multiple of 8), -EOPNOTSUPP (the
 * board has no such engine, or this library does not know the board, which a
 * newer module simulates), -EPERM (a child of the process that opened @ctx).
 */
int mem_ctx_board(struct mem_ctx *ctx, unsigned int engine,
		  struct mem_board *board);

/**
 * mem_ctx_gpu_id() - return the UUID of a GPU
 * @ctx: context
 * @engine: MEM_ENGINE_GPU or MEM_ENGINE_DGPU
 * @id: out: a UUID of 16 bytes (MEM_GPU_ID_LEN of libmem/attrs.h), which
 *	cuDeviceGetUuid() returns, too
 *
 * It depends only on the kind of board and on which of its GPUs it is: it is
 * the same in every process.
 *
 * Context: any thread.
 * Return: 0, or as mem_ctx_board().
 */
int mem_ctx_gpu_id(struct mem_ctx *ctx, unsigned int engine, uint8_t *id);

/**
 * mem_ctx_memory() - return the free and total memory of the board
 * @ctx: context
 * @engine: MEM_ENGINE_GPU: the SoC's memory, or MEM_ENGINE_DGPU: that of the
 *	discrete GPU
 * @free_len: out: bytes that are not allocated by this process
 * @len: out: @memory_len of struct mem_board
 *
 * The machine may have less memory than the board.
 *
 * Context: any thread.
 * Return: 0, or as mem_ctx_board().
 */
int mem_ctx_memory(struct mem_ctx *ctx, unsigned int engine,
		   uint64_t *free_len, uint64_t *len);

/**
 * mem_ctx_watch() - start to queue violations for mem_ctx_next_violation()
 * @ctx: context that does not watch yet
 * @what: MEM_WATCH_ERRORS, MEM_WATCH_WASTE or both
 * @nr: length of the queue, 1 to MEM_WATCH_MAX; violations that find it full
 *	are dropped, and counted
 *
 * From now on, until the context is closed, the violations of all buffers that
 * the process uses over this backend are queued, whichever context the buffers
 * belong to.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@ctx is NULL, no such @what, @nr out of range),
 * -EBUSY (it watches already, or too many do), -EPERM (a child of a process
 * with an embedded context, or a host function), -EMFILE or -ENFILE (kernel: no
 * file descriptor is left), -ENOMEM.
 */
int mem_ctx_watch(struct mem_ctx *ctx, unsigned int what, uint32_t nr);

/**
 * mem_ctx_next_violation() - return the oldest violation of the queue
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
 * mem_ctx_watch_fd() - return a descriptor to poll for violations
 * @ctx: context that watches
 * @fd: out: a descriptor with O_CLOEXEC, owned by the caller
 *
 * For an event loop: poll() reports POLLIN as long as mem_ctx_next_violation()
 * may return a violation. After POLLIN call that function until it returns 0.
 * Do nothing else with the descriptor; it is useless once the context is
 * closed.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, the context does not watch),
 * -EPERM (a child of a process with an embedded context, or a host function),
 * -EBADF (the program has closed the library's descriptors), -EMFILE or -ENFILE
 * (no file descriptor is left), -ENOMEM.
 */
int mem_ctx_watch_fd(struct mem_ctx *ctx, int *fd);

/**
 * mem_violation_name() - return the name of a kind of violation
 * @kind: enum mem_violation_kind
 *
 * Context: any.
 * Return: the name that reports use, such as "stale-read"; "unknown" if there
 * is no such kind.
 */
const char *mem_violation_name(unsigned int kind);

/**
 * mem_buf_alloc() - allocate a zeroed buffer of a kind
 * @ctx: context
 * @kind: enum mem_kind up to MEM_KIND_CONTIGUOUS
 * @len: bytes, above 0; rounded up to pages
 * @name: shorter than MEM_NAME_LEN, copied; NULL for none
 * @buf: out: the buffer, owned by the caller: mem_buf_destroy()
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @len is 0 or too large, no such
 * @kind, @name is too long), -EMFILE or -ENFILE (kernel: no file descriptor is
 * left), -ENOMEM (a limit is reached or there is no memory).
 */
int mem_buf_alloc(struct mem_ctx *ctx, unsigned int kind, uint64_t len,
		  const char *name, struct mem_buf **buf);

/**
 * mem_buf_alloc_heap() - allocate a zeroed buffer from a heap
 * @ctx: context
 * @heap: name below /dev/dma_heap, also of a heap of another driver; embedded:
 *	the name of one of the module's heaps
 * @len: bytes, above 0; rounded up to pages
 * @buf: out: the buffer, owned by the caller: mem_buf_destroy()
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @heap is no file name, @len is 0
 * or too large), -ENOENT (no such heap), -EACCES (no permission for it),
 * -ENOTTY (it is no heap), -EMFILE or -ENFILE (no file descriptor is left),
 * -ENOMEM (a limit is reached or there is no memory).
 */
int mem_buf_alloc_heap(struct mem_ctx *ctx, const char *heap, uint64_t len,
		       struct mem_buf **buf);

/**
 * mem_buf_import() - create a buffer from a file descriptor
 * @ctx: context
 * @fd: a dma-buf of any driver; embedded: a memfd that mem_buf_export()
 *	returned in any process. It is duplicated: the caller may close it
 * @buf: out: the buffer, owned by the caller: mem_buf_destroy()
 *
 * If @fd is open only for reading, the buffer is read-only: its mapping cannot
 * be stored to, brackets and copies that would write it return -EACCES, jobs
 * return -EPERM, and a kernel that stores to it ends with an illegal address.
 * Embedded, the imported buffer is MEM_KIND_COHERENT: it has one view, whatever
 * it has in the other process.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @fd is no dma-buf; embedded: it
 * is no memfd of whole pages that is sealed against shrinking), -EBADF (@fd is
 * not open), -EACCES (embedded: it is open only for writing), -EMFILE (no file
 * descriptor is left), -ENOMEM.
 */
int mem_buf_import(struct mem_ctx *ctx, int fd, struct mem_buf **buf);

/**
 * mem_buf_export() - return a file descriptor of a buffer
 * @buf: buffer
 * @fd: out: a new descriptor with O_CLOEXEC, owned by the caller: a dma-buf,
 *	embedded a memfd; read-only if the buffer is
 *
 * Embedded, the first export moves the bytes to a file of their own, at the
 * same address. It waits until no kernel or copy uses the buffer; threads that
 * touch the buffer meanwhile wait for the move. A buffer with two views has one
 * view from then on, which contains all that the CPU has stored: the buffer
 * needs no maintenance any more, and missing maintenance is not detected. Each
 * such buffer uses a descriptor.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EMFILE or -ENFILE (no file
 * descriptor is left); embedded: -ENOMEM, -ETIMEDOUT (a kernel or copy has not
 * ended), -EBADF (the program has closed a descriptor of the library), -EPERM
 * (a child of the process, or a host function).
 */
int mem_buf_export(struct mem_buf *buf, int *fd);

/**
 * mem_buf_export_as() - return a file descriptor with limited access
 * @buf: buffer
 * @access: MEM_RW: as mem_buf_export(); MEM_READ: read-only
 * @fd: out: as for mem_buf_export()
 *
 * A process that has a descriptor of MEM_READ can read the memory but cannot
 * write it, neither by mmap(), mprotect() or a system call, nor by opening the
 * file again from /proc. Embedded this holds for processes of other users; one
 * of the same user, or root, can change the file's mode or access this process.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_buf_export(); -EINVAL also if @access is neither;
 * -EACCES (MEM_RW, and the buffer is read-only; embedded also: MEM_READ of a
 * buffer that another user has exported), -EOPNOTSUPP (MEM_READ: an older
 * module, or a dma-buf of another driver; embedded: no /proc).
 */
int mem_buf_export_as(struct mem_buf *buf, unsigned int access, int *fd);

/**
 * mem_buf_device_ptr() - return the address of a buffer for kernels
 * @buf: buffer
 * @ptr: out: its first byte for kernels of its context, valid as long as the
 *	buffer, mapped or not
 *
 * If the buffer is mapped, the CPU's address is the same. Fills treat it as
 * device memory. So do copies if their direction says that it is; with
 * MEM_DIR_DEFAULT, once this call has been made or while it is not mapped. Any
 * other copy touches it on the calling thread. mem_ptr_info() finds the buffer
 * by any address in it.
 *
 * Context: may sleep; any thread, also of a host function.
 * Return: 0, or -EINVAL (an argument is NULL), -EOPNOTSUPP (kernels cannot
 * access it: over the module any kind except MEM_KIND_COHERENT,
 * MEM_KIND_UNCACHED and MEM_KIND_CONTIGUOUS), -EPERM (a child of the process);
 * over the module also -ENOMEM, -EMFILE or -ENFILE (at the first call), or what
 * mmap() returns.
 */
int mem_buf_device_ptr(struct mem_buf *buf, void **ptr);

/**
 * mem_buf_destroy() - unmap and free a buffer
 * @buf: buffer, or NULL, which does nothing
 *
 * Unmaps it, however often it was mapped. The memory is freed when no
 * descriptor, importer or job uses it any more. A bracket that is still open is
 * closed without maintenance.
 *
 * Context: may sleep; any thread.
 */
void mem_buf_destroy(struct mem_buf *buf);

/**
 * mem_buf_map() - map a whole buffer
 * @buf: buffer
 * @addr: out: address, valid until mem_buf_unmap() was called as often as
 *	mem_buf_map()
 *
 * The mapping is readable and writable, or only readable if the imported
 * descriptor allows no more. All calls return the same address.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EACCES (the imported descriptor
 * is not readable), -EOVERFLOW (mapped 2^32 - 1 times), -ENOMEM (no address
 * space is left), or what the exporter of a foreign buffer returns from mmap().
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
 * mem_buf_len() - return the length of a buffer
 * @buf: buffer
 *
 * Context: any thread.
 * Return: bytes, a multiple of pages; 0 if @buf is NULL.
 */
uint64_t mem_buf_len(const struct mem_buf *buf);

/**
 * mem_buf_kind() - return the kind of a buffer
 * @buf: buffer, or NULL
 *
 * Context: any thread.
 * Return: enum mem_kind; MEM_KIND_SYSTEM only if @buf is NULL.
 */
unsigned int mem_buf_kind(const struct mem_buf *buf);

/**
 * mem_buf_info() - return state and counters of a buffer
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
 * Waits for engines that write the buffer, and if @access has MEM_WRITE also
 * for those that read it. With MEM_READ the CPU then sees what they wrote. If a
 * signal interrupts the call, it starts again. Brackets of a process are
 * counted: each needs its mem_buf_end().
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@buf is NULL, no such @access), -EACCES (MEM_WRITE,
 * and the buffer is read-only), -ETIMEDOUT (an engine does not finish: no
 * bracket is open), or what the exporter of a foreign buffer returns.
 */
int mem_buf_begin(struct mem_buf *buf, unsigned int access);

/**
 * mem_buf_end() - end CPU access to a whole buffer
 * @buf: buffer
 * @access: as at mem_buf_begin()
 *
 * With MEM_WRITE engines then see what the CPU wrote. If a signal interrupts
 * the call, it starts again. An end without its begin does the maintenance,
 * too, and is counted as unmatched.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@buf is NULL, no such @access), or what the exporter
 * of a foreign buffer returns.
 */
int mem_buf_end(struct mem_buf *buf, unsigned int access);

/**
 * mem_buf_begin_range() - begin CPU access to a part of a buffer
 * @buf: buffer
 * @off: bytes
 * @len: bytes; 0 only waits for engines
 * @access: MEM_READ, MEM_WRITE or MEM_RW
 *
 * Waits like mem_buf_begin(), at most 20 s. With MEM_READ the whole lines of
 * the range are then invalidated. A line that is partly inside the range is
 * written back first: bytes outside the range are never lost, but bytes inside
 * that the CPU wrote without an end are. The cost depends on the length of the
 * range, not of the buffer. The kernel knows no bracket of a range: if an
 * importer has mapped the buffer, use mem_buf_begin(). For a foreign buffer
 * this is mem_buf_begin().
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@buf is NULL, the range exceeds the buffer, no such
 * @access), -ETIMEDOUT (an engine does not finish), or as mem_buf_begin().
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
 * With MEM_WRITE the dirty lines that are at least partly inside the range are
 * written back. For a foreign buffer this is mem_buf_end().
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@buf is NULL, the range exceeds the buffer, no such
 * @access), or as mem_buf_end().
 */
int mem_buf_end_range(struct mem_buf *buf, uint64_t off, uint64_t len,
		      unsigned int access);

/**
 * mem_buf_maintain() - maintain a list of ranges in one call, in order
 * @ctx: context
 * @ranges: list of @nr_ranges ranges, of buffers of the same backend; may be
 *	NULL if @nr_ranges is 0
 * @nr_ranges: at most 65536
 * @nr_done: out, also on failure: ranges that were maintained; may be NULL
 *
 * Does not wait for engines, and neither needs nor changes brackets.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, too many ranges, unknown operation,
 * reserved is not 0, a range exceeds its buffer), -EOPNOTSUPP (a foreign
 * buffer), -ENOMEM.
 */
int mem_buf_maintain(struct mem_ctx *ctx, const struct mem_range *ranges,
		     size_t nr_ranges, size_t *nr_done);

/**
 * mem_buf_revoke() - make the CPU's next touch of each page fault
 * @buf: buffer
 *
 * For tests: a touch of a page is checked only while the CPU has no access to
 * the page, and this call removes all access. It changes nothing else.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@buf is NULL), -EOPNOTSUPP (a foreign buffer).
 */
int mem_buf_revoke(struct mem_buf *buf);

/**
 * mem_job_fill() - fill a range by the dma engine
 * @dst: buffer
 * @off: bytes
 * @len: bytes, above 0
 * @pattern: byte i of the range becomes byte i % 4 of this (little endian)
 * @job: out: the job, owned by the caller: mem_job_destroy()
 *
 * Like all jobs, it waits for earlier work on its buffers; later users of these
 * buffers that wait for fences wait for it.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, @len is 0, the range exceeds the
 * buffer), -EOPNOTSUPP (a foreign buffer that the kernel cannot map), -EPERM
 * (the imported descriptor is not writable), -EBUSY (too many jobs are not
 * done), -EMFILE or -ENFILE (no file descriptor is left), -ENOMEM.
 */
int mem_job_fill(struct mem_buf *dst, uint64_t off, uint64_t len,
		 uint32_t pattern, struct mem_job **job);

/**
 * mem_job_copy() - copy a range by the dma engine
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
 * mem_job_copy2d() - copy rows by the dma engine
 * @copy: the rows; not needed any more when the call returns
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
 * mem_job_checksum() - compute a checksum of a range by the dma engine
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
 * @timeout_ns: longest wait; 0: does not wait; MEM_WAIT_FOREVER
 * @result: out: checksum, or bytes written for the other jobs; may be NULL
 *
 * Continues to wait if a signal interrupts it. Once it has succeeded, each
 * later call returns the same at once.
 *
 * Context: may sleep; one thread per job at a time.
 * Return: 0, or -EINVAL (@job is NULL), -ETIMEDOUT (not done yet: call again),
 * or the error that the job ended with, which does not change any more: -ETIME
 * (kernel: it was not done 10 s after its submission, whatever it waited for;
 * embedded: it moved bytes for more than 60 s). A fence that was signalled with
 * an error counts as signalled.
 */
int mem_job_wait(struct mem_job *job, uint64_t timeout_ns, uint64_t *result);

/**
 * mem_job_fence() - return a descriptor to poll for the end of a job
 * @job: job
 * @fd: out: a sync_file (embedded: an eventfd) with O_CLOEXEC, owned by the
 *	caller; poll() reports POLLIN when the job is done, also with an error
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EMFILE (no file descriptor is
 * left).
 */
int mem_job_fence(struct mem_job *job, int *fd);

/**
 * mem_job_destroy() - free a job
 * @job: job, or NULL, which does nothing
 *
 * The engine completes the job nevertheless.
 *
 * Context: any thread.
 */
void mem_job_destroy(struct mem_job *job);

/**
 * mem_alloc() - allocate memory with one address for CPU and engines
 * @ctx: context
 * @kind: MEM_KIND_MANAGED, MEM_KIND_PINNED or MEM_KIND_DEVICE
 * @len: bytes, above 0
 * @flags: managed: the first attach state, MEM_ATTACH_GLOBAL or
 *	MEM_ATTACH_HOST, to which it also falls back; pinned: MEM_PINNED_*;
 *	device: 0, or MEM_DEVICE_DISCRETE
 * @ptr: out: the memory, owned by the caller: mem_free()
 *
 * Documentation/libmem.rst says when CPU and engines may touch it. Managed and
 * device memory is not zeroed but poisoned, see struct mem_ctx_options; pinned
 * memory is zeroed.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @len is 0 or too large, no such
 * @kind or @flags), -ENOMEM (no memory is left, of the machine, of the board or
 * of its discrete GPU), -EOPNOTSUPP (unsupported by the backend, or the board
 * has no discrete GPU), or as mem_stream_sync().
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
 * mem_free() - free memory
 * @ctx: context of the memory
 * @ptr: returned by mem_alloc(), mem_alloc_pitch() or mem_ptr_import(), or
 *	NULL, which does nothing
 *
 * Waits for all work of the context first, as mem_ctx_sync() does. An error of
 * that work is returned by the next wait, not by this call.
 *
 * Context: may sleep; any thread.
 * Return: 0: the memory is freed, also after an error of the context. Else it
 * is not freed: -EINVAL (@ctx is NULL, @ptr is not the start of an allocation:
 * already freed, interior, registered), -EXDEV (another context's memory),
 * -EPERM (called from a host function, or in a child of the process).
 */
int mem_free(struct mem_ctx *ctx, void *ptr);

/**
 * mem_ptr_export() - share device memory with other processes
 * @ctx: context of the memory
 * @ptr: device memory that mem_alloc() returned
 * @fd: out: a memfd with O_CLOEXEC, owned by the caller; its first byte is the
 *	byte at @ptr. The file is longer than the allocation: its tail is a
 *	guard area that is checked for overruns
 *
 * Another process, which receives the descriptor over a socket or opens it in
 * /proc, accesses the memory by mem_ptr_import() or by mmap() with MAP_SHARED.
 * Stores of engines on either side are visible to engines on the other side at
 * once. mem_free() frees the memory for this process only: it exists as long as
 * a process uses it.
 *
 * The first call moves the bytes to a file of their own, at the same address.
 * It first waits until no work of the context is left, including work that
 * other threads submit meanwhile. This does not count as a wait of the host
 * that permits access to managed memory. Each exported allocation uses a
 * descriptor until it is freed.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @ptr is not the start of device
 * memory, it is freed meanwhile, it was imported), -EXDEV (another context's
 * memory), -EMFILE or -ENFILE (no descriptor is left), -ENOMEM, -EOPNOTSUPP
 * (over the module), or as mem_stream_sync().
 */
int mem_ptr_export(struct mem_ctx *ctx, const void *ptr, int *fd);

/**
 * mem_ptr_import() - give engines access to the memory of a file
 * @ctx: context
 * @fd: a file that can be mapped shared, readable and writable: from
 *	mem_ptr_export() in another process, any memfd, a dma-buf; the caller
 *	may close it
 * @off: offset of the first byte in the file
 * @len: bytes, above 0
 * @flags: 0, or MEM_DEVICE_DISCRETE
 * @ptr: out: the memory, owned by the caller: mem_free()
 *
 * Kernels, copies and fills use it as device memory of the context. Its bytes
 * are not changed by the import, and it is not counted as memory of the board.
 * The CPU may not touch it at this address, but may use a mapping of its own of
 * the same file at any time: stores through that mapping are visible to engines
 * at once, and the reverse. Stale bytes of such a mapping are not detected, and
 * brackets of a dma-buf are not opened. If the file is truncated, a later touch
 * of the lost part ends the program or the kernel.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@ctx or @ptr is NULL, @len is 0, the range exceeds the
 * file, no such @flags), -EBADF (@fd is not open), -EPERM (it is not readable
 * and writable, or is sealed), -EOPNOTSUPP (it cannot be mapped; over the
 * module; the board has no discrete GPU), -EMFILE (no descriptor is left),
 * -ENOMEM, or as mem_stream_sync().
 */
int mem_ptr_import(struct mem_ctx *ctx, int fd, uint64_t off, uint64_t len,
		   unsigned int flags, void **ptr);

/**
 * mem_register() - give engines access to memory of the caller
 * @ctx: context
 * @ptr: memory of this process that is readable, writable and private: from
 *	malloc(), or variables, also on a stack
 * @len: bytes, above 0
 * @flags: MEM_REGISTER_*
 *
 * The pages that contain the memory are replaced in place: no other thread may
 * store to them meanwhile. A child of fork() has copies of them, any other
 * child shares them. Engines access them at another address: mem_device_ptr().
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL or 0, no such @flags, a part of
 * the range is no such memory), -EOPNOTSUPP (a board below capability 7.2, or
 * unsupported by the backend), -EEXIST (a page is already registered, or
 * belongs to libmem), -EMFILE, -ENFILE or -ENOENT (/proc/self/maps cannot be
 * opened), -ENOMEM.
 */
int mem_register(struct mem_ctx *ctx, void *ptr, uint64_t len,
		 unsigned int flags);

/**
 * mem_unregister() - undo mem_register()
 * @ctx: context of the registration
 * @ptr: the address that was registered
 *
 * Waits for all work of the context first, as mem_free() does. The pages are
 * copied: the call temporarily needs the same amount of memory again. Pages
 * that the program has unmapped since, as free() may do, are left alone, with
 * whatever lies there now: MEM_VIOLATION_WRAPPED_GONE.
 *
 * Context: may sleep; any thread.
 * Return: 0, also after an error of the context. Else the memory is still
 * registered: -EINVAL (@ctx or @ptr is NULL), -ENOENT (no registration begins
 * at @ptr), -EXDEV (another context's registration), -EPERM (called from a host
 * function, or in a child of the process), -ENOMEM.
 */
int mem_unregister(struct mem_ctx *ctx, void *ptr);

/**
 * mem_device_ptr() - return the address of host memory for engines
 * @ctx: context
 * @ptr: in pinned, registered or managed memory
 * @device: out: address of the same byte for engines
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @ptr is not such memory).
 */
int mem_device_ptr(struct mem_ctx *ctx, const void *ptr, void **device);

/**
 * mem_ptr_info() - return the allocation that contains an address
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
 * mem_ptr_buf_info() - return state and counters of an allocation
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
 * mem_ptr_attach_counters() - return what the driver did for managed memory
 * @ctx: context
 * @ptr: in managed memory; NULL: the sums of all managed memory that the
 *	context has and had
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
 * @ptr: in the allocation
 * @name: shorter than MEM_NAME_LEN, copied
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @name is too long, @ptr is in no
 * allocation).
 */
int mem_set_name(struct mem_ctx *ctx, const void *ptr, const char *name);

/**
 * mem_check_order() - look for races of jobs in device memory
 * @ctx: context
 * @ptr: in memory of mem_alloc() of kind MEM_KIND_DEVICE
 *
 * For memory that users of several streams share, and that they have to order
 * by events or waits. From now on, two jobs of streams of @ctx that touch the
 * same byte, one of them writing, are reported as MEM_VIOLATION_RACE unless one
 * is ordered after the other. Copies and fills are compared byte by byte; of a
 * kernel the first read and the first store in each page are seen, or in each
 * 1024th part of larger memory. Jobs count as ordered if a semaphore, a fence
 * or a host function may have ordered them; but a kernel that waits for the CPU
 * by reading memory is not ordered by that.
 *
 * Only the embedded backend reports races.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @ptr is in no such memory),
 * -EPERM (called from a host function, or in a child of the process), -ENOMEM.
 */
int mem_check_order(struct mem_ctx *ctx, const void *ptr);

/**
 * mem_set_lasting() - mark an allocation as kept until the program ends
 * @ctx: context
 * @ptr: in the allocation
 *
 * For memory that a library never frees: neither reports nor LeakSanitizer list
 * it as leaked.
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
 * mem_ctx_cancel() - wait for all work that needs no signal from elsewhere
 * @ctx: context
 *
 * Once only waits for semaphores that are not signalled are left, these waits,
 * and all work behind them, are dropped: kernels and copies do nothing, host
 * functions are not called, semaphores are not signalled; a callback is called
 * with -EDEADLK. Attaches take effect nevertheless. Other threads that are
 * waiting for the work get -EDEADLK, too. The context remains usable.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EDEADLK (something was dropped), or as mem_stream_sync().
 */
int mem_ctx_cancel(struct mem_ctx *ctx);

/**
 * mem_ctx_error() - return the sticky error of a context
 * @ctx: context
 *
 * Context: any thread.
 * Return: 0 if there is none; -EFAULT, -ETIME, -ECANCELED or -EIO, see
 * mem_stream_sync(); -EINVAL (@ctx is NULL), -EPERM (a child of the process
 * that opened it).
 */
int mem_ctx_error(struct mem_ctx *ctx);

/**
 * mem_ctx_set_wait_policy() - set how the host waits for engines
 * @ctx: context
 * @policy: enum mem_wait_policy; MEM_WAIT_AUTO spins a little and then blocks
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@ctx is NULL, no such @policy), -EPERM (called from a
 * host function, or in a child of the process that opened @ctx).
 */
int mem_ctx_set_wait_policy(struct mem_ctx *ctx, unsigned int policy);

/**
 * mem_stream_create() - create a stream
 * @ctx: context
 * @flags: 0, or MEM_STREAM_NON_BLOCKING and MEM_STREAM_FOREIGN
 * @priority: from MEM_PRIORITY_GREATEST to MEM_PRIORITY_LEAST; a value beyond
 *	counts as the nearer one
 * @stream: out: the stream, owned by the caller: mem_stream_destroy()
 *
 * Work of a stream runs in order. A blocking stream is also ordered with the
 * legacy stream: work of the legacy stream waits for all earlier work of
 * blocking streams, and later work of blocking streams waits for it.
 *
 * A foreign stream is for the work of another API: it is not blocking, its work
 * must not use managed memory, which the CPU may touch meanwhile, and
 * mem_ctx_sync() does not make it known done, although it waits for it: a wait
 * for the stream itself or for an event behind its work does. Reports and
 * traces call the engine of its copies and fills "gl".
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, no such @flags), -ENOMEM, or as
 * mem_stream_sync().
 */
int mem_stream_create(struct mem_ctx *ctx, unsigned int flags, int priority,
		      struct mem_stream **stream);

/**
 * mem_stream_legacy() - return the legacy stream of a context
 * @ctx: context
 *
 * All blocking streams are ordered with it. In CUDA it is the NULL stream.
 *
 * Context: any thread.
 * Return: the stream, which cannot be destroyed; NULL if @ctx is NULL.
 */
struct mem_stream *mem_stream_legacy(struct mem_ctx *ctx);

/**
 * mem_stream_per_thread() - return the stream of the calling thread
 * @ctx: context
 * @stream: out: a blocking stream, owned by the library, which destroys it when
 *	the thread ends
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_stream_create().
 */
int mem_stream_per_thread(struct mem_ctx *ctx, struct mem_stream **stream);

/**
 * mem_stream_destroy() - destroy a stream
 * @stream: stream from mem_stream_create(), or NULL, which does nothing
 *
 * Does not wait: work that was submitted continues. Behind that work, managed
 * memory that is attached to the stream returns to its first attach state.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (the legacy stream or the stream of a thread), -ENOMEM
 * (nothing has changed).
 */
int mem_stream_destroy(struct mem_stream *stream);

/**
 * mem_stream_id() - return the number of a stream, as in struct mem_violation
 * @stream: stream, or NULL
 *
 * Context: any thread.
 * Return: a number above 0; 0 for the legacy stream and for NULL.
 */
uint64_t mem_stream_id(const struct mem_stream *stream);

/**
 * mem_stream_priority() - return the priority of a stream
 * @stream: stream, or NULL
 *
 * Context: any thread.
 * Return: from MEM_PRIORITY_GREATEST to MEM_PRIORITY_LEAST; MEM_PRIORITY_LEAST
 * if @stream is NULL.
 */
int mem_stream_priority(const struct mem_stream *stream);

/**
 * mem_stream_sync() - wait for all work that a stream has
 * @stream: stream
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@stream is NULL), -EPERM (called from a host function,
 * or in a child of the process), -EOWNERDEAD (an engine was killed, and its job
 * is lost: returned once), -EMFILE, -ENFILE, -ENOMEM or -EAGAIN (an engine's
 * process could not be created, and its job is lost: returned once, and the
 * next job tries again), -EDEADLK (some of the work was dropped, see
 * mem_ctx_cancel()), or the sticky error that ended all work of the context:
 * -EFAULT (a kernel touched an illegal address), -ETIME (a kernel ran for too
 * long), -ECANCELED (a kernel called abort, as a failed assert and an uncaught
 * exception do), -EIO (a kernel called exit or fork, or another signal ended
 * it).
 */
int mem_stream_sync(struct mem_stream *stream);

/**
 * mem_stream_query() - return whether all work of a stream is done
 * @stream: stream
 *
 * If it is done, the host counts as having waited for it.
 *
 * Context: any thread.
 * Return: 0 if it is done; -EBUSY if not; else as mem_stream_sync().
 */
int mem_stream_query(struct mem_stream *stream);

/**
 * mem_stream_wait_event() - make further work of a stream wait for an event
 * @stream: stream
 * @event: event of the same context, as it was recorded last; if it never was,
 *	nothing waits
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EXDEV (another context's
 * event), -ENOMEM, or as mem_stream_sync().
 */
int mem_stream_wait_event(struct mem_stream *stream, struct mem_event *event);

/**
 * mem_stream_attach() - set who may touch managed memory
 * @stream: stream in whose order the attach takes effect
 * @ptr: the start of managed memory
 * @len: 0 or the length that was requested
 * @how: MEM_ATTACH_GLOBAL, MEM_ATTACH_HOST, or MEM_ATTACH_SINGLE: only work of
 *	@stream, and the CPU while @stream is idle
 *
 * Memory that is single to the legacy stream is for work of the legacy stream
 * only, not for work of the blocking streams that are ordered with it.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @ptr is not the start of managed
 * memory, another @len, no such @how), -EXDEV (another context's memory),
 * -ENOMEM, or as mem_stream_sync().
 */
int mem_stream_attach(struct mem_stream *stream, void *ptr, uint64_t len,
		      unsigned int how);

/**
 * mem_stream_call() - submit a call of a host function
 * @stream: stream in whose order the function is called
 * @fn: called on a thread of the library
 * @arg: argument of @fn
 *
 * A context calls one host function at a time, and none once it has a sticky
 * error.
 *
 * @fn may call functions that return information, of any context:
 * mem_version(), mem_ctx_probe(), mem_ctx_board(), mem_ctx_memory(),
 * mem_ctx_error(), mem_ctx_next_violation(), mem_violation_name(),
 * mem_buf_len(), mem_buf_kind(), mem_buf_info(), mem_ptr_info(),
 * mem_ptr_buf_info(), mem_ptr_attach_counters(), mem_stream_legacy(),
 * mem_stream_id(), mem_stream_priority(), mem_attrs_state(), mem_attrs_slots(),
 * mem_attrs_get(), mem_attrs_dump(), mem_attrs_set_client(),
 * mem_attrs_client(), mem_attr_name(), mem_format_info(), mem_image_info() and
 * mem_pipe_info(). It may also call mem_pipe_disconnect(), functions that use a
 * timeline and no stream or endpoint: mem_timeline_get(), mem_timeline_put(),
 * mem_timeline_id(), mem_timeline_perm(), mem_timeline_next(),
 * mem_timeline_signal() and mem_timeline_wait(), and functions that free an
 * object and return nothing:
 * mem_ctx_close(), mem_buf_destroy(), mem_job_destroy(), mem_event_destroy(),
 * mem_semaphore_destroy(), mem_attrs_destroy(), mem_image_destroy(),
 * mem_array_destroy(), mem_pipe_destroy() and mem_pipe_end_destroy(). All other
 * functions return -EPERM.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@stream or @fn is NULL), -ENOMEM, or as
 * mem_stream_sync().
 */
int mem_stream_call(struct mem_stream *stream, mem_host_fn fn, void *arg);

/**
 * mem_stream_add_callback() - submit a call of a host function with the status
 * @stream: stream in whose order the function is called
 * @fn: always called, with 0 or the context's error
 * @arg: argument of @fn
 *
 * The rest is as for mem_stream_call().
 *
 * Context: any thread.
 * Return: 0, or as mem_stream_call().
 */
int mem_stream_add_callback(struct mem_stream *stream, mem_callback fn,
			    void *arg);

/**
 * mem_launch() - submit a kernel to an engine
 * @stream: stream in whose order the kernel runs
 * @launch: the kernel; not needed any more when the call returns
 *
 * The kernel can access the context's memory of mem_alloc() and mem_register(),
 * and buffers whose address mem_buf_device_ptr() returned; in the embedded
 * backend also buffers that mem_buf_map() has mapped. Over the module a kernel
 * that touches any other buffer ends with -EFAULT and a violation
 * MEM_VIOLATION_ILLEGAL_ADDRESS with the name "buffer of a heap". An inline
 * engine touches buffers as the CPU does.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, an invalid field of @launch,
 * @launch->size is below the struct's first version or no multiple of 8),
 * -E2BIG (a tail of @launch that this library does not know is not 0),
 * -EOPNOTSUPP (the board has no such engine, or unsupported by the backend),
 * -ENOMEM, or as mem_stream_sync().
 */
int mem_launch(struct mem_stream *stream, const struct mem_launch *launch);

/**
 * mem_copy() - copy memory and wait
 * @stream: stream in whose order the copy is made
 * @dst: target
 * @src: source
 * @len: bytes; 0 does nothing
 * @dir: enum mem_dir: required kinds of memory; MEM_DIR_DEFAULT: any
 *
 * Returns when the copy is done, with two exceptions: a copy from pageable to
 * device memory returns when the source has been read, and a copy within device
 * memory returns immediately. Pageable memory is touched by the calling thread.
 * A managed side is accessed by the engine if a job of @stream may touch it,
 * else by the CPU. For buffers see mem_buf_device_ptr().
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, a range exceeds its allocation,
 * the addresses contradict @dir), -EXDEV (another context's allocation),
 * -EACCES (the target is a read-only buffer), -ENOMEM, or as mem_stream_sync().
 */
int mem_copy(struct mem_stream *stream, void *dst, const void *src,
	     uint64_t len, unsigned int dir);

/**
 * mem_copy_async() - copy memory without waiting
 * @stream: stream in whose order the copy is made
 * @dst: target
 * @src: source
 * @len: bytes; 0 does nothing
 * @dir: enum mem_dir: required kinds of memory; MEM_DIR_DEFAULT: any
 *
 * If one side is pageable memory, it waits, and the calling thread copies.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_copy().
 */
int mem_copy_async(struct mem_stream *stream, void *dst, const void *src,
		   uint64_t len, unsigned int dir);

/**
 * mem_copy_rows() - copy rows and wait, like mem_copy()
 * @stream: stream in whose order the copy is made
 * @rows: the rows; not needed any more when the call returns
 * @dir: enum mem_dir: required kinds of memory; MEM_DIR_DEFAULT: any
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_copy(); -EINVAL also if a pitch is below the length of
 * a row.
 */
int mem_copy_rows(struct mem_stream *stream, const struct mem_rows *rows,
		  unsigned int dir);

/**
 * mem_copy_rows_async() - copy rows without waiting, like mem_copy_async()
 * @stream: stream in whose order the copy is made
 * @rows: the rows; not needed any more when the call returns
 * @dir: enum mem_dir: required kinds of memory; MEM_DIR_DEFAULT: any
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_copy_rows().
 */
int mem_copy_rows_async(struct mem_stream *stream, const struct mem_rows *rows,
			unsigned int dir);

/**
 * mem_fill() - fill memory by an engine and wait
 * @stream: stream in whose order the memory is filled
 * @dst: in device, managed, pinned or registered memory, or in a buffer that
 *	kernels can access
 * @value: its low byte is stored
 * @len: bytes; 0 does nothing
 *
 * Returns when it is done; for device memory it returns immediately.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, the range is not in one
 * allocation that engines can access), -EXDEV (another context's allocation),
 * -EACCES (a read-only buffer), -ENOMEM, or as mem_stream_sync().
 */
int mem_fill(struct mem_stream *stream, void *dst, int value, uint64_t len);

/**
 * mem_fill_async() - fill memory by an engine without waiting
 * @stream: stream in whose order the memory is filled
 * @dst: in device, managed, pinned or registered memory, or in a buffer that
 *	kernels can access
 * @value: its low byte is stored
 * @len: bytes; 0 does nothing
 *
 * Context: any thread.
 * Return: 0, or as mem_fill().
 */
int mem_fill_async(struct mem_stream *stream, void *dst, int value,
		   uint64_t len);

/**
 * mem_fill_rows() - fill rows and wait, like mem_fill()
 * @stream: stream in whose order the memory is filled
 * @rows: the rows, whose source is ignored; not needed any more when the call
 *	returns
 * @value: its low byte is stored
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_fill(); -EINVAL also if the pitch is below the length of
 * a row.
 */
int mem_fill_rows(struct mem_stream *stream, const struct mem_rows *rows,
		  int value);

/**
 * mem_fill_rows_async() - fill rows without waiting, like mem_fill_async()
 * @stream: stream in whose order the memory is filled
 * @rows: the rows, whose source is ignored; not needed any more when the call
 *	returns
 * @value: its low byte is stored
 *
 * Context: any thread.
 * Return: 0, or as mem_fill_rows().
 */
int mem_fill_rows_async(struct mem_stream *stream, const struct mem_rows *rows,
			int value);

/**
 * mem_event_create() - create an event
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
 * mem_event_destroy() - destroy an event
 * @event: event, or NULL, which does nothing
 *
 * Streams and threads that wait for it continue to wait.
 *
 * Context: any thread.
 */
void mem_event_destroy(struct mem_event *event);

/**
 * mem_event_record() - record all work that a stream has in an event
 * @event: event; what it recorded before is replaced
 * @stream: stream of the same context
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EXDEV (another context's
 * stream), -ENOMEM, or as mem_stream_sync().
 */
int mem_event_record(struct mem_event *event, struct mem_stream *stream);

/**
 * mem_event_copy() - let an event stand for the work that another recorded
 * @event: event; what it recorded before is replaced
 * @from: event of the same context; if it was never recorded, @event counts as
 *	never recorded, too
 *
 * A later mem_event_record() of one does not change the other.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EXDEV (another context's
 * event), or as mem_stream_sync().
 */
int mem_event_copy(struct mem_event *event, struct mem_event *from);

/**
 * mem_event_sync() - wait for the work that an event recorded
 * @event: event; if it was never recorded, the call does not wait
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_stream_sync().
 */
int mem_event_sync(struct mem_event *event);

/**
 * mem_event_query() - return whether the work that an event recorded is done
 * @event: event; if it was never recorded, it counts as done
 *
 * If the work is done, the host counts as having waited for it.
 *
 * Context: any thread.
 * Return: 0 if it is done; -EBUSY if not; else as mem_stream_sync().
 */
int mem_event_query(struct mem_event *event);

/**
 * mem_event_elapsed() - return the time between two events
 * @start: recorded event
 * @end: recorded event of the same context
 * @ns: out: time from the end of the work that @start recorded to the end of
 *	the work that @end recorded; negative if the latter ended first
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL, an event has no timing or was
 * never recorded), -EXDEV (events of two contexts), -EBUSY (the work of an
 * event is not done), or as mem_stream_sync().
 */
int mem_event_elapsed(struct mem_event *start, struct mem_event *end,
		      int64_t *ns);

/**
 * mem_semaphore_import() - create a semaphore from an eventfd
 * @ctx: context
 * @fd: an eventfd; the caller may close it at once
 * @semaphore: out: the semaphore, owned by the caller: mem_semaphore_destroy()
 *
 * It is signalled while the eventfd's counter is above 0. A wait subtracts one
 * from the counter of an eventfd that was created with EFD_SEMAPHORE, and
 * resets any other to 0. Any thread or process that has the eventfd, and other
 * contexts, can signal it by writing to it and wait for it by reading.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, @fd is no eventfd), -EBADF (@fd is
 * not open), -EMFILE (no file descriptor is left), -ENOMEM, or as
 * mem_stream_sync().
 */
int mem_semaphore_import(struct mem_ctx *ctx, int fd,
			 struct mem_semaphore **semaphore);

/**
 * mem_semaphore_destroy() - destroy a semaphore
 * @semaphore: semaphore, or NULL, which does nothing
 *
 * Waits and signals that were submitted to streams remain.
 *
 * Context: any thread.
 */
void mem_semaphore_destroy(struct mem_semaphore *semaphore);

/**
 * mem_stream_wait_semaphore() - make further work of a stream wait for a signal
 * @stream: stream
 * @semaphore: semaphore of the same context
 *
 * When the work before the wait is done, the stream waits until the semaphore
 * is signalled, and consumes the signal. If several waits of the context have
 * begun, the first of them consumes the first signal. Other streams and host
 * functions continue meanwhile, and no thread is blocked. It is not a wait of
 * the host: work that was done before the signal is not known done because of
 * it, and neither cache nor attach state changes.
 *
 * The wait has no time limit: see mem_ctx_cancel().
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EXDEV (the semaphore is of
 * another context), -EMFILE or -ENFILE (no file descriptor is left, at the
 * first wait of a context), -EBADF (the program has closed the library's
 * descriptors), -ENOMEM, or as mem_stream_sync().
 */
int mem_stream_wait_semaphore(struct mem_stream *stream,
			      struct mem_semaphore *semaphore);

/**
 * mem_stream_wait_fence() - make further work of a stream wait for a fence
 * @stream: stream
 * @fd: a descriptor from mem_stream_fence(), mem_event_fence() or
 *	mem_job_fence(), of any context and process; a sync_file of any driver;
 *	an eventfd; the reading end of a pipe. The caller may close it at once
 *
 * When the work before the wait is done, the stream waits until the descriptor
 * polls readable. It consumes nothing: any number of streams may wait for one
 * fence. The rest is as for mem_stream_wait_semaphore(): other streams
 * continue, it is not a wait of the host, and mem_ctx_cancel() and
 * mem_ctx_close() drop it.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (@stream is NULL, @fd is none of these), -EBADF (@fd is
 * not open), -EMFILE or -ENFILE (no file descriptor is left), -ENOMEM, or as
 * mem_stream_sync().
 */
int mem_stream_wait_fence(struct mem_stream *stream, int fd);

/**
 * mem_stream_fence() - return a fence of the work of a stream
 * @stream: stream
 * @fd: out: a sync_file (embedded: the reading end of a pipe) with O_CLOEXEC,
 *	owned by the caller; poll() reports that it can be read when all work
 *	that the stream has now is done
 *
 * Other drivers wait for a sync_file: a display's IN_FENCE_FD, or
 * DMA_BUF_IOCTL_IMPORT_SYNC_FILE for all drivers that use a dma-buf. Its fence
 * is signalled with an error if the work has failed (the sticky error of the
 * context), was dropped (-ECANCELED), its process has ended (-ECANCELED), or if
 * it is not done after 10 s (-ETIMEDOUT), since the kernel allows no fence
 * without a limit. The pipe has no limit and carries no error.
 *
 * If the fence is added to a dma-buf, a host function that is already in the
 * stream must not begin CPU access to that buffer by DMA_BUF_IOCTL_SYNC: it
 * would wait for itself until the limit. The same holds for jobs of images on
 * the CPU.
 *
 * It is not a wait of the host: what the fence stands for is not known done
 * when it is signalled.
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EMFILE or -ENFILE (no file
 * descriptor is left), -EBUSY (the process has 1024 such fences that are not
 * signalled, or its user too many objects), -EOPNOTSUPP (kernel: an older
 * module), -ENOMEM, or as mem_stream_sync().
 */
int mem_stream_fence(struct mem_stream *stream, int *fd);

/**
 * mem_event_fence() - return a fence of an event
 * @event: event
 * @fd: out: as for mem_stream_fence(): signalled when the work is done that the
 *	event stands for now; signalled if the event was never recorded
 *
 * The opposite, an event that stands for a fence, is mem_event_record() behind
 * mem_stream_wait_fence().
 *
 * Context: any thread.
 * Return: as mem_stream_fence().
 */
int mem_event_fence(struct mem_event *event, int *fd);

/**
 * mem_stream_signal_semaphore() - signal a semaphore in order of a stream
 * @stream: stream
 * @semaphore: semaphore of the same context
 *
 * When the work before it in the stream is done, 1 is added to the eventfd's
 * counter, unless the counter is full. The semaphore is not signalled after a
 * sticky error of the context, or if the signal is dropped (mem_ctx_cancel()).
 *
 * Context: any thread.
 * Return: 0, or as mem_stream_wait_semaphore().
 */
int mem_stream_signal_semaphore(struct mem_stream *stream,
				struct mem_semaphore *semaphore);

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif

/* The other parts of the interface */
#include <libmem/attrs.h>
#include <libmem/endpoint.h>
#include <libmem/format.h>
#include <libmem/image.h>
#include <libmem/object.h>
#include <libmem/pipe.h>
#include <libmem/timeline.h>

#endif
