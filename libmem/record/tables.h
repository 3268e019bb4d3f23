/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What libmem's embedded backend tells `heapsim run`: not a stream but tables
 * of places, in the file of stacks (stacks.h). What repeats at one place is
 * counted there, so nobody has to read while the program runs, memory is
 * bounded, and all that was told is there still when a program is killed.
 *
 * A place that has found room is written once, with its state as the last
 * thing; from then on its sums alone change, each by itself. Places of several
 * processes stand side by side.
 *
 * What is drawn over time is a stream, in a ring that the command reads while
 * the program runs. An event that finds it full is lost, and counted.
 */
#ifndef TOLD_H
#define TOLD_H

#include <stdatomic.h>
#include <stdint.h>

#include <linux/heapsim.h>

#define TOLD_NAME_LEN		32

/* What is remembered; a test has less. */
#ifndef TOLD_NR_PLACES
#define TOLD_NR_PLACES		16384
#endif
#define TOLD_NR_OBJECTS		4096
#define TOLD_NR_PROCESSES	256
#define TOLD_PROBES		64	/* of a table that is full */
#define TOLD_PLACE_LEN		640
#define TOLD_NR_EVENTS		32768
#define TOLD_NR_SHAPES		2048
#define TOLD_NR_PLANES		3

/*
 * Kinds beyond enum mem_violation_kind, which all others are of: calls that are
 * not there, whose name goes on in @other_name where that of a buffer ends, and
 * objects that nobody has destroyed.
 */
enum told_kind {
	TOLD_MISSING_CALL = 55,
	TOLD_LEAKED_BUF,
	TOLD_LEAKED_JOB,
	TOLD_LEAKED_STREAM,
	TOLD_LEAKED_EVENT,
	TOLD_LEAKED_REGISTRATION,

	/* Events: */
	TOLD_TOUCH,		/* that filled no line */
	TOLD_ATTACH,		/* in order of @other.stream */
	TOLD_WAIT,		/* of the host, for what @other.name says */
	TOLD_CALL,		/* of a host function */
};

/**
 * struct told_record - what is known of a place: what was found there first
 * @size: bytes of this struct that the writer knows of; it grows at its end,
 *	and what is missing is 0
 * @kind: enum mem_violation_kind or enum told_kind
 * @missing: enum mem_missing
 * @other: enum mem_other
 * @time_ns: when it was found, CLOCK_MONOTONIC
 * @seq: it was the so manyth place
 * @off: first byte
 * @len: bytes
 * @pid: process
 * @tid: thread of the CPU's side
 * @is_write: it stored
 * @cpu_stack: number of the CPU's stack, its index from 1; 0 none
 * @other_stack: the same of who submitted the job, or did the maintenance
 * @kernel_stack: of the kernel that the job ran: the instruction that touched,
 *	if it is known, and where the kernel begins
 * @cpu_ip: instruction of the access, 0 unknown
 * @cpu_addr: that it touched, 0 none
 * @cpu_time_ns: when; 0: there is no such side
 * @other_time_ns: when the job was submitted, or the maintenance done
 * @other_job: id of the job, 0 none
 * @comm: the process's name, terminated
 * @name: of the buffer, terminated
 * @other_name: of the engine or operation, terminated
 * @other_stream: id of the stream that the job was on, 0 none
 * @attach_stream: id of the stream that the buffer is single to
 * @attach: newest attach state of managed memory, MEM_ATTACH_*; 0: it is none
 * @reserved: 0
 * @attaches: of managed memory that has one how it came to @attach, the newest
 *	first; stacks are numbers as @cpu_stack
 */
struct told_record {
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
	char name[TOLD_NAME_LEN];
	char other_name[TOLD_NAME_LEN];
	uint64_t other_stream;
	uint64_t attach_stream;
	uint32_t attach;
	uint32_t reserved;
	struct heapsim_record_attach attaches[HEAPSIM_RECORD_NR_ATTACHES];
};

/**
 * struct told_place - a place, and how often
 * @state: enum stacks_state
 * @reserved: 0
 * @count: lines, accesses or operations; of objects: how many live now
 * @bytes: of them
 * @buf: id of the first buffer that it concerned
 * @nr_bufs: buffers, one after the other: a lower bound
 * @last_buf: the last of them
 * @first_off: of the first buffer, the lowest byte
 * @end_off: after the highest
 * @record: the first
 * @room: for what is not known yet
 */
struct told_place {
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
		struct told_record record;
		unsigned char room[TOLD_PLACE_LEN - 64];
	};
};

/**
 * struct told_event - a place of the ring
 * @turn: number of the event that is there, from 1, once it is all there
 * @kernel: of a job, as struct stacks_stack has frames; or a host function;
 *	0 none
 * @thread: of a job, the thread that plays the engine
 * @reserved: 0
 * @record: as the module has it, of an event or of what was found
 */
struct told_event {
	_Atomic uint64_t turn;
	uint64_t kernel;
	uint32_t thread;
	uint32_t reserved;
	struct heapsim_record record;
};

/** enum told_type - what a buffer holds, for people */
enum told_type {
	TOLD_TYPE_OBJECT = 1,
	TOLD_TYPE_IMAGE,
	TOLD_TYPE_ARRAY,
};

/**
 * struct told_plane - rows of a buffer
 * @off: first byte
 * @row_len: bytes of a row that hold pixels
 * @pitch: bytes from row to row, above 0
 * @nr_rows: rows
 */
struct told_plane {
	uint64_t off;
	uint64_t row_len;
	uint64_t pitch;
	uint64_t nr_rows;
};

/**
 * struct told_shape - what a buffer holds: an offset of it is a place in that
 * @state: enum stacks_state
 * @pid: process whose buffer it is; 0: the module's, whose numbers are no
 *	process's own
 * @buf: id of the buffer
 * @type: enum told_type
 * @nr_planes: of @planes; 0: its bytes have no rows
 * @width: pixels; of an array elements
 * @height: rows; of an array 1
 * @format: of pixels or elements, terminated
 * @name: terminated, empty: that of the buffer
 * @planes: each
 */
struct told_shape {
	_Atomic uint32_t state;
	uint32_t pid;
	uint64_t buf;
	uint32_t type;
	uint32_t nr_planes;
	uint32_t width;
	uint32_t height;
	char format[16];
	char name[TOLD_NAME_LEN];
	struct told_plane planes[TOLD_NR_PLANES];
};

/* Layers with a vendor's calls that a process has; libmem itself is no bit. */
#define TOLD_API_CUDA		0x1U
#define TOLD_API_NVSCI		0x2U
#define TOLD_API_VPI		0x4U
#define TOLD_API_NVBUF		0x8U

/**
 * struct told - all of it
 * @policy: enum heapsim_policy, that the command asks for
 * @evict_random: lines are to leave the cache at random
 * @seed: of that
 * @nr_processes: that have opened a context, over any backend
 * @processes: their numbers, as far as there is room
 * @apis: of each, TOLD_API_*, set before its number
 * @nr_engines: processes of engines that were started
 * @engines: the numbers of the newest of them, each at its turn
 * @nr_contexts: embedded contexts that were opened
 * @nr_inline: contexts, over any backend, whose kernels run in the program
 * @bypassed_pid: a process with an embedded context in which calls of the C
 *	library do not come by libmem, 0 none
 * @nr_failed: contexts that could not be opened
 * @failed_err: -errno of the first of these
 * @failed_name: the variable of the environment that it may come from, empty
 *	none
 * @failed_value: its value, terminated; what is too long is cut
 * @nr_seq: places so far
 * @nr_dropped: what was found and had no room, as it is counted in a place
 * @nr_dropped_harmless: those of it that were no errors
 * @line_size: of the board of the first context, bytes; 0 until @soc is there
 * @soc: its name, terminated
 * @places: hash table of what was found
 * @objects: hash table of where objects were made
 * @shapes: hash table of what buffers hold
 * @is_traced: events are wanted
 * @nr_events: that have, or will have, a place in the ring
 * @nr_read: of them that the command has read
 * @nr_events_lost: that found none
 * @events: the ring
 */
struct told {
	uint32_t policy;
	uint32_t evict_random;
	uint64_t seed;
	_Atomic uint32_t nr_processes;
	_Atomic uint32_t processes[TOLD_NR_PROCESSES];
	_Atomic uint32_t apis[TOLD_NR_PROCESSES];
	_Atomic uint32_t nr_engines;
	_Atomic uint32_t engines[TOLD_NR_PROCESSES];
	_Atomic uint32_t nr_contexts;
	_Atomic uint32_t nr_inline;
	_Atomic uint32_t bypassed_pid;
	_Atomic uint32_t nr_failed;
	_Atomic int32_t failed_err;
	char failed_name[TOLD_NAME_LEN];
	char failed_value[64];
	_Atomic uint64_t nr_seq;
	_Atomic uint64_t nr_dropped;
	_Atomic uint64_t nr_dropped_harmless;
	_Atomic uint32_t line_size;
	char soc[TOLD_NAME_LEN];
	struct told_place places[TOLD_NR_PLACES];
	struct told_place objects[TOLD_NR_OBJECTS];
	struct told_shape shapes[TOLD_NR_SHAPES];
	uint32_t is_traced;
	_Atomic uint64_t nr_events;
	_Atomic uint64_t nr_read;
	_Atomic uint64_t nr_events_lost;
	struct told_event events[TOLD_NR_EVENTS];
};

/**
 * told_shape_at() - where the probing for a shape begins
 * @pid: as struct told_shape has it
 * @buf: id of the buffer
 *
 * Return: index of @shapes.
 */
static inline uint32_t told_shape_at(uint32_t pid, uint64_t buf)
{
	const uint64_t key = (buf ^ (uint64_t)pid << 40) *
			     0x9e3779b97f4a7c15ULL;

	return (uint32_t)(key >> 40) % TOLD_NR_SHAPES;
}

#endif
