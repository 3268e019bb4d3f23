/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A reference of managed memory, written only from the text of DESIGN 2.4. It
 * is simple on purpose: a list of all operations ever made, a graph of their
 * order, reachability by search; states are computed anew for each query.
 * Streams, events, buffers and operations are numbers; stream 0 is the NULL
 * stream. It has no lock; one thread uses it.
 */
#ifndef HEAPSIM_SELFTESTS_MODEL_ATTACH_REF_H
#define HEAPSIM_SELFTESTS_MODEL_ATTACH_REF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ATTACH_REF_STREAMS	256	/* limit of all streams ever created */
#define ATTACH_REF_EVENTS	16
#define ATTACH_REF_BUFS		256	/* limit of all buffers ever created */

/** enum attach_ref_board - a column of the table */
enum attach_ref_board {
	ATTACH_REF_NONCOHERENT,
	ATTACH_REF_IO_COHERENT,
	ATTACH_REF_CONCURRENT,
};

/** enum attach_ref_kind - an attach state */
enum attach_ref_kind {
	ATTACH_REF_GLOBAL,
	ATTACH_REF_HOST,
	ATTACH_REF_SINGLE,
};

/**
 * struct attach_ref_count - counters; bytes are a counter times the length
 * @revoked: access revoked
 * @restored: access restored
 * @cleans: clean
 * @cpu_invalidates: CPU invalidate
 * @gpu_cleans: GPU clean
 * @gpu_invalidates: GPU invalidate
 * @to_cpu: prefetch to CPU
 * @to_gpu: prefetch to GPU
 */
struct attach_ref_count {
	uint64_t revoked;
	uint64_t restored;
	uint64_t cleans;
	uint64_t cpu_invalidates;
	uint64_t gpu_cleans;
	uint64_t gpu_invalidates;
	uint64_t to_cpu;
	uint64_t to_gpu;
};

/** enum attach_ref_what - kind of an operation */
enum attach_ref_what {
	ATTACH_REF_WORK,
	ATTACH_REF_HOST_FUNCTION,
	ATTACH_REF_OTHER,
};

/**
 * struct attach_ref_op - an operation
 * @what: kind of the operation
 * @stream: its stream
 * @before: its direct predecessors
 * @nr_before: number of predecessors
 * @is_known: the operation is known done
 * @has_begun: host function: the function was called
 * @has_returned: host function: the function has returned
 */
struct attach_ref_op {
	enum attach_ref_what what;
	int stream;
	size_t *before;
	size_t nr_before;
	bool is_known;
	bool has_begun;
	bool has_returned;
};

/**
 * struct attach_ref_stream - a stream
 * @is_blocking: ordered with the NULL stream
 * @is_foreign: of another API
 * @is_destroyed: accepts no further operations
 * @last: its last operation plus one; 0: none
 */
struct attach_ref_stream {
	bool is_blocking;
	bool is_foreign;
	bool is_destroyed;
	size_t last;
};

/**
 * struct attach_ref_attach - an attach
 * @kind: new state
 * @stream: stream of ATTACH_REF_SINGLE
 * @op: its operation plus one; 0: it has always been known done
 */
struct attach_ref_attach {
	enum attach_ref_kind kind;
	int stream;
	size_t op;
};

/**
 * struct attach_ref_buf - a buffer
 * @exists: created and not destroyed
 * @fallback: state after its stream was destroyed
 * @attaches: all attaches ever made, in call order
 * @nr_attaches: number of attaches
 * @has_access: the CPU has access
 * @is_seen: a job saw the buffer since the last GPU clean
 * @count: counters of the maintenance
 */
struct attach_ref_buf {
	bool exists;
	enum attach_ref_kind fallback;
	struct attach_ref_attach *attaches;
	size_t nr_attaches;
	bool has_access;
	bool is_seen;
	struct attach_ref_count count;
};

/**
 * struct attach_ref - a context
 * @board: column of the table
 * @ops: all operations, in call order
 * @nr_ops: number of operations
 * @is_found: temporary marks of the search, for each operation
 * @streams: streams by number
 * @nr_streams: number of streams ever created
 * @events: operation of the last record plus one; 0: none
 * @bufs: buffers by number
 * @nr_bufs: number of buffers ever created
 */
struct attach_ref {
	enum attach_ref_board board;
	struct attach_ref_op *ops;
	size_t nr_ops;
	bool *is_found;
	struct attach_ref_stream streams[ATTACH_REF_STREAMS];
	int nr_streams;
	size_t events[ATTACH_REF_EVENTS];
	struct attach_ref_buf bufs[ATTACH_REF_BUFS];
	int nr_bufs;
};

struct attach_ref *attach_ref_create(enum attach_ref_board board);
void attach_ref_destroy(struct attach_ref *ref);

int attach_ref_stream_create(struct attach_ref *ref, bool is_blocking,
			     bool is_foreign);
int attach_ref_stream_destroy(struct attach_ref *ref, int stream);
int attach_ref_buf_create(struct attach_ref *ref, enum attach_ref_kind kind);
void attach_ref_buf_destroy(struct attach_ref *ref, int buf);

int attach_ref_work(struct attach_ref *ref, int stream);
int attach_ref_attach(struct attach_ref *ref, int stream, int buf,
		      enum attach_ref_kind kind);
int attach_ref_host(struct attach_ref *ref, int stream, size_t *op);
int attach_ref_host_begin(struct attach_ref *ref, size_t op);
int attach_ref_host_return(struct attach_ref *ref, size_t op);
int attach_ref_record(struct attach_ref *ref, int event, int stream);
int attach_ref_wait(struct attach_ref *ref, int stream, int event);

int attach_ref_sync_device(struct attach_ref *ref);
int attach_ref_sync_stream(struct attach_ref *ref, int stream);
int attach_ref_sync_event(struct attach_ref *ref, int event);

bool attach_ref_is_before(struct attach_ref *ref, size_t op, int stream);
bool attach_ref_is_held(struct attach_ref *ref, size_t op);
bool attach_ref_waits_for_host(struct attach_ref *ref, int stream);

bool attach_ref_is_active(struct attach_ref *ref, int stream);
bool attach_ref_cpu_may(struct attach_ref *ref, int buf);
bool attach_ref_job_may(struct attach_ref *ref, int stream, int buf);

#endif
