/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libmem: shared memory of a simulated system-on-chip, for applications.
 *
 * Every call that can fail gives 0 or a count, or -errno. An object comes back
 * through the last argument, which stays untouched on failure. Nothing is
 * printed, nothing exits. The kernel backend has no global state; the embedded
 * one has an address window and a handler for SIGSEGV, one for the process
 * (Documentation/libmem.rst), and answers every call -EPERM in a child.
 * Objects may be used from several threads at a time unless a call says
 * otherwise; an object must not be destroyed while another thread uses it.
 * Buffers and jobs keep what they need of their context, so the order of
 * destruction is free.
 *
 * Lengths and offsets are bytes, times carry their unit in the name.
 */
#ifndef _LIBMEM_H
#define _LIBMEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mem_ctx;
struct mem_buf;
struct mem_job;
struct mem_ctx_options;

#define MEM_NAME_LEN		32
/* What a kernel's arguments may be long, bytes */
#define MEM_ARGS_MAX		4096U

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
 */
enum mem_kind {
	MEM_KIND_SYSTEM,
	MEM_KIND_NONCOHERENT,
	MEM_KIND_COHERENT,
	MEM_KIND_UNCACHED,
	MEM_KIND_CONTIGUOUS,
	MEM_KIND_FOREIGN
};

/** enum mem_policy - what happens to accesses that break the rules */
enum mem_policy {
	MEM_POLICY_STRICT,
	MEM_POLICY_RECORD,
	MEM_POLICY_OFF
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
 * @reserved: in: 0
 * @soc: in: name of the profile, terminated; empty: what the environment's
 *	LIBMEM_SOC says, else the module's own, else "generic". The module
 *	has one, and takes no other
 */
struct mem_ctx_options {
	uint32_t size;
	uint32_t backend;
	uint32_t fill_size;
	uint32_t reserved;
	char soc[MEM_NAME_LEN];
};

/**
 * struct mem_probe - the simulated SoC
 * @size: in: sizeof of this struct; fields beyond it are not written
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
	MEM_VIOLATION_REDUNDANT_INVALIDATE
};

/** enum mem_missing - the operation that would have mended it */
enum mem_missing {
	MEM_MISSING_NOTHING,
	MEM_MISSING_BEGIN_READ,
	MEM_MISSING_BEGIN_WRITE,
	MEM_MISSING_END,
	MEM_MISSING_WAIT
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
 * @size: in: sizeof of this struct; fields beyond it are not written
 * @kind: out: enum mem_violation_kind
 * @missing: out: enum mem_missing
 * @other: out: enum mem_other
 * @count: out: lines, accesses or operations that it stands for: what repeats
 *	at one place while it waits is folded into it
 * @buf: out: id of the buffer, as in struct mem_buf_info
 * @off: out: first byte; of an access the byte that was touched
 * @len: out: bytes up to the end of the last line
 * @time_ns: out: when it was found first, CLOCK_MONOTONIC
 * @name: out: name of the buffer, terminated
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
 * @size: in: sizeof of this struct; fields beyond it are not written
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
 * first version, a field has no meaning, no such board, LIBMEM_BACKEND or
 * LIBMEM_SOC says what is not known), -E2BIG (a tail of @options that this
 * library does not know is not 0), -EOPNOTSUPP (the module has another board
 * than @options->soc), -ENOENT (kernel: no /dev/heapsim, the module is not
 * loaded), -EACCES (kernel: no permission for it), -EPROTO (the module's
 * interface is older than any that this library knows), -EPERM (a child of a
 * process with an embedded context), -EMFILE or -ENFILE (no file descriptor is
 * left), -ENOMEM (embedded: also no room in the address space).
 */
int mem_ctx_open(const struct mem_ctx_options *options, struct mem_ctx **ctx);

/**
 * mem_ctx_close() - close a context
 * @ctx: context, or NULL, which does nothing
 *
 * Its buffers and jobs stay usable; what they share goes with the last.
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
 * struct's first version).
 */
int mem_ctx_probe(struct mem_ctx *ctx, struct mem_probe *probe);

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
 * with an embedded context), -EMFILE or -ENFILE (kernel: no file descriptor is
 * left), -ENOMEM.
 */
int mem_ctx_watch(struct mem_ctx *ctx, unsigned int what, uint32_t nr);

/**
 * mem_ctx_next_violation() - what was found, oldest first
 * @ctx: context that watches
 * @violation: in and out: @violation->size is set by the caller
 *
 * Context: does not wait; any thread.
 * Return: 1 with @violation filled in, 0 if there is none, or -EINVAL (an
 * argument is NULL, @violation->size is below the struct's first version, the
 * context does not watch), -EPERM (a child of a process with an embedded
 * context).
 */
int mem_ctx_next_violation(struct mem_ctx *ctx,
			   struct mem_violation *violation);

/**
 * mem_violation_name() - a kind of violation in a word
 * @kind: enum mem_violation_kind
 *
 * Context: any.
 * Return: "stale-read" and so on, as reports have it; "unknown".
 */
const char *mem_violation_name(enum mem_violation_kind kind);

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
int mem_buf_alloc(struct mem_ctx *ctx, enum mem_kind kind, uint64_t len,
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
 * mem_buf_import() - make a buffer of a dma-buf file descriptor
 * @ctx: context
 * @fd: dma-buf of any driver; duplicated, so that it stays the caller's
 * @buf: out: the buffer, owned by the caller: mem_buf_destroy()
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @fd is no dma-buf), -EBADF (@fd
 * is not open), -EOPNOTSUPP (embedded), -EMFILE (no file descriptor is left),
 * -ENOMEM.
 */
int mem_buf_import(struct mem_ctx *ctx, int fd, struct mem_buf **buf);

/**
 * mem_buf_export() - a file descriptor of a buffer
 * @buf: buffer
 * @fd: out: a new dma-buf descriptor with O_CLOEXEC, owned by the caller
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EOPNOTSUPP (embedded), -EMFILE
 * (no file descriptor is left).
 */
int mem_buf_export(struct mem_buf *buf, int *fd);

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
 * @buf: buffer, not NULL
 *
 * Context: any thread.
 * Return: what it is; never MEM_KIND_SYSTEM.
 */
enum mem_kind mem_buf_kind(const struct mem_buf *buf);

/**
 * mem_buf_info() - state and counters of a buffer
 * @buf: buffer
 * @info: in and out: @info->size is set by the caller
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, @info->size is below the
 * struct's first version).
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
 * Return: 0, or -EINVAL (@buf is NULL, no such @access), -ETIMEDOUT (an
 * engine does not get ready: no bracket is open), or what the exporter of a
 * foreign buffer answers.
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
 * struct's first version or @copy->reserved not 0, or the delay too long;
 * -E2BIG if a tail that this library does not know is not 0.
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
 * or the error that the job ended with, for good: -ETIME (a fence that it
 * waited for was not signalled within 5 s, or it moved bytes for more than
 * 60 s). A fence that was signalled in error counts as signalled.
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

#ifdef __cplusplus
}
#endif

#endif
