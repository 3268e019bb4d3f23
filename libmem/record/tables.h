/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The records that libmem writes for `heapsim run`: tables of call sites
 * ("places") in the file of stacks (stacks.h). Repetitions at one call site are
 * counted in its entry. The command therefore need not read while the program
 * runs, memory is bounded, and the records remain when a program is killed.
 *
 * An entry is written once, its state last; afterwards only its sums change,
 * each atomically. Several processes share the tables.
 *
 * Events of a trace are in a ring, which the command reads while the program
 * runs. An event that finds the ring full is lost, and counted.
 */
#ifndef _LIBMEM_RECORD_TABLES_H
#define _LIBMEM_RECORD_TABLES_H

#include <stdatomic.h>
#include <stdint.h>

#include <linux/heapsim.h>

#define RECORD_NAME_LEN		32

/* Sizes of the tables; a test defines a smaller one. */
#ifndef RECORD_NR_PLACES
#define RECORD_NR_PLACES		16384
#endif
#define RECORD_NR_OBJECTS		4096
#define RECORD_NR_PROCESSES	256
#define RECORD_PROBES		64	/* before a table counts as full */
#define RECORD_PLACE_LEN		640
#define RECORD_NR_EVENTS		32768
#define RECORD_NR_SHAPES		2048
#define RECORD_NR_PLANES		3

/*
 * Kinds besides those of enum mem_violation_kind: unsupported calls, whose name
 * begins in @name and continues in @other_name, and objects that were not
 * destroyed.
 */
enum record_kind {
	RECORD_MISSING_CALL = 55,
	RECORD_LEAKED_BUF,
	RECORD_LEAKED_JOB,
	RECORD_LEAKED_STREAM,
	RECORD_LEAKED_EVENT,
	RECORD_LEAKED_REGISTRATION,

	/* Events: */
	RECORD_TOUCH,		/* a touch that filled no line */
	RECORD_ATTACH,		/* an attach, in order of @other.stream */
	RECORD_WAIT,		/* a wait of the host, for @other.name */
	RECORD_CALL,		/* a call of a host function */
	RECORD_FRAME,		/* enum record_frame_op in @op; frame in @buf */
	RECORD_FENCE,		/* enum record_fence_op in @op; wait in @buf */
};

/**
 * struct record_entry - the first finding at a call site
 * @size: bytes of this struct that the writer filled in; it grows at its end,
 *	and the missing rest counts as 0
 * @kind: enum mem_violation_kind or enum record_kind
 * @missing: enum mem_missing
 * @other: enum mem_other
 * @time_ns: when it was found, CLOCK_MONOTONIC
 * @seq: number of the entry, in the order in which entries were created
 * @off: first byte
 * @len: bytes
 * @pid: process
 * @tid: thread of the CPU's side
 * @is_write: the access was a store
 * @cpu_stack: number of the CPU's stack: its index plus 1; 0 none
 * @other_stack: number of the stack that submitted the job, or did the
 *	maintenance
 * @kernel_stack: number of a stack of the kernel that the job ran: the
 *	instruction that touched, if it is known, and the kernel's start
 * @cpu_ip: instruction of the access, 0 unknown
 * @cpu_addr: address that it touched, 0 none
 * @cpu_time_ns: when; 0: the CPU did not touch it
 * @other_time_ns: when the job was submitted, or the maintenance done
 * @other_job: id of the job, 0 none
 * @comm: the process's name, terminated
 * @name: name of the buffer, terminated
 * @other_name: name of the engine or operation, terminated
 * @other_stream: id of the job's stream, 0 none
 * @attach_stream: id of the stream to which the buffer is single
 * @attach: newest attach state of managed memory, MEM_ATTACH_*; 0: it is not
 *	managed memory
 * @reserved: 0
 * @attaches: the newest attaches of managed memory, the newest first; stacks
 *	are numbers like @cpu_stack
 */
struct record_entry {
	uint32_t size;
	uint32_t kind;
	uint32_t missing;
	uint32_t other;
	uint64_t time_ns;
	uint64_t seq;
	uint64_t off;
	uint64_t len;
	uint32_t pid;
	uint32_t tid;
	uint32_t is_write;
	uint32_t cpu_stack;
	uint32_t other_stack;
	uint32_t kernel_stack;
	uint64_t cpu_ip;
	uint64_t cpu_addr;
	uint64_t cpu_time_ns;
	uint64_t other_time_ns;
	uint64_t other_job;
	char comm[16];
	char name[RECORD_NAME_LEN];
	char other_name[RECORD_NAME_LEN];
	uint64_t other_stream;
	uint64_t attach_stream;
	uint32_t attach;
	uint32_t reserved;
	struct heapsim_record_attach attaches[HEAPSIM_RECORD_NR_ATTACHES];
};

/**
 * struct record_place - a call site and its sums
 * @state: enum stacks_state
 * @reserved: 0
 * @count: lines, accesses or operations; of objects: how many exist now
 * @bytes: their bytes
 * @buf: id of the first buffer
 * @nr_bufs: number of changes from one buffer to another, plus 1
 * @last_buf: id of the newest buffer
 * @first_off: lowest byte in the first buffer
 * @end_off: end of the highest byte in the first buffer
 * @record: the first finding
 * @room: space for members of later versions
 */
struct record_place {
	_Atomic uint32_t state;
	uint32_t reserved;
	_Atomic uint64_t count;
	_Atomic uint64_t bytes;
	uint64_t buf;
	_Atomic uint64_t nr_bufs;
	_Atomic uint64_t last_buf;
	_Atomic uint64_t first_off;
	_Atomic uint64_t end_off;
	union {
		struct record_entry record;
		unsigned char room[RECORD_PLACE_LEN - 64];
	};
};

/**
 * struct record_event - an entry of the ring
 * @turn: number of the event, from 1, set when the entry is complete
 * @kernel: kernel of a job, or host function, as a frame of struct
 *	stacks_stack; 0 none
 * @thread: thread that runs the job
 * @reserved: 0
 * @record: event or violation, in the module's format
 */
struct record_event {
	_Atomic uint64_t turn;
	uint64_t kernel;
	uint32_t thread;
	uint32_t reserved;
	struct heapsim_record record;
};

/** enum record_type - what a buffer contains, for the report */
enum record_type {
	RECORD_TYPE_OBJECT = 1,
	RECORD_TYPE_IMAGE,
	RECORD_TYPE_ARRAY,
};

/**
 * struct record_plane - rows in a buffer
 * @off: first byte
 * @row_len: bytes of a row that hold pixels
 * @pitch: bytes from row to row, above 0
 * @nr_rows: rows
 */
struct record_plane {
	uint64_t off;
	uint64_t row_len;
	uint64_t pitch;
	uint64_t nr_rows;
};

/**
 * struct record_shape - what a buffer contains, so that a report can convert an
 *	offset to plane, row and byte
 * @state: enum stacks_state
 * @pid: process of the buffer; 0: a buffer of the module, whose ids are unique
 *	in all processes
 * @buf: id of the buffer
 * @type: enum record_type
 * @nr_planes: number of @planes; 0: its bytes have no rows
 * @width: pixels; of an array elements
 * @height: rows; of an array 1
 * @format: format of pixels or elements, terminated
 * @name: terminated; empty: the name of the buffer
 * @planes: the planes
 */
struct record_shape {
	_Atomic uint32_t state;
	uint32_t pid;
	uint64_t buf;
	uint32_t type;
	uint32_t nr_planes;
	uint32_t width;
	uint32_t height;
	char format[16];
	char name[RECORD_NAME_LEN];
	struct record_plane planes[RECORD_NR_PLANES];
};

/* Libraries with a vendor's interface that a process uses. */
#define RECORD_API_CUDA		0x1U
#define RECORD_API_NVSCI		0x2U
#define RECORD_API_VPI		0x4U
#define RECORD_API_NVBUF		0x8U

/**
 * struct record_tables - all records
 * @policy: enum heapsim_policy that the command requests
 * @evict_random: the command requests random eviction
 * @is_precise: the command requests that each access of the CPU is detected
 * @seed: seed of random eviction
 * @nr_processes: processes that have opened a context, over any backend
 * @processes: numbers of the first RECORD_NR_PROCESSES of them
 * @apis: for each of these RECORD_API_*, set before its number
 * @nr_engines: processes of engines that were started
 * @engines: numbers of the newest of them; a ring
 * @nr_contexts: embedded contexts that were opened
 * @nr_inline: contexts, over any backend, whose kernels run in the program
 * @bypassed_pid: a process with an embedded context in which calls of the C
 *	library do not pass through libmem, 0 none
 * @nr_failed: contexts that could not be opened
 * @failed_err: -errno of the first of these
 * @failed_name: environment variable that may be the cause, empty: none
 * @failed_value: its value, terminated; the end of a long value is cut off
 * @nr_seq: entries that were created in all tables
 * @nr_dropped: findings for which a table had no room
 * @nr_dropped_harmless: those of them that are no errors
 * @line_size: line size of the first context's board, bytes; 0 until @soc is
 *	set
 * @soc: name of that board, terminated
 * @places: hash table of findings
 * @objects: hash table of call sites that create objects
 * @shapes: hash table of the contents of buffers
 * @is_traced: events are recorded
 * @nr_events: events that have, or will have, an entry in the ring
 * @nr_read: events that the command has read
 * @nr_events_lost: events that found the ring full
 * @events: the ring
 */
struct record_tables {
	uint32_t policy;
	uint32_t evict_random;
	uint32_t is_precise;
	uint64_t seed;
	_Atomic uint32_t nr_processes;
	_Atomic uint32_t processes[RECORD_NR_PROCESSES];
	_Atomic uint32_t apis[RECORD_NR_PROCESSES];
	_Atomic uint32_t nr_engines;
	_Atomic uint32_t engines[RECORD_NR_PROCESSES];
	_Atomic uint32_t nr_contexts;
	_Atomic uint32_t nr_inline;
	_Atomic uint32_t bypassed_pid;
	_Atomic uint32_t nr_failed;
	_Atomic int32_t failed_err;
	char failed_name[RECORD_NAME_LEN];
	char failed_value[64];
	_Atomic uint64_t nr_seq;
	_Atomic uint64_t nr_dropped;
	_Atomic uint64_t nr_dropped_harmless;
	_Atomic uint32_t line_size;
	char soc[RECORD_NAME_LEN];
	struct record_place places[RECORD_NR_PLACES];
	struct record_place objects[RECORD_NR_OBJECTS];
	struct record_shape shapes[RECORD_NR_SHAPES];
	uint32_t is_traced;
	_Atomic uint64_t nr_events;
	_Atomic uint64_t nr_read;
	_Atomic uint64_t nr_events_lost;
	struct record_event events[RECORD_NR_EVENTS];
};

/**
 * record_shape_at() - return the index at which a search for a shape begins
 * @pid: as in struct record_shape
 * @buf: id of the buffer
 *
 * Return: index in @shapes.
 */
static inline uint32_t record_shape_at(uint32_t pid, uint64_t buf)
{
	const uint64_t key = (buf ^ (uint64_t)pid << 40) *
			     0x9e3779b97f4a7c15ULL;

	return (uint32_t)(key >> 40) % RECORD_NR_SHAPES;
}

#endif
