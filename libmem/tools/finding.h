/* SPDX-License-Identifier: GPL-2.0-only */
/* A finding: one place in a program, and what went wrong there */
#ifndef HEAPSIM_FINDING_H
#define HEAPSIM_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/heapsim.h>

#include "backtrace.h"
#include "kind.h"
#include "outside.h"

struct record_shape;

/**
 * struct finding - one place in a program, and what went wrong there
 * @next: next finding in the list
 * @hash_next: next finding in the bucket; private to findings.c
 * @record: the first record; its count and bytes are the sums of all records
 * @nr_bufs: number of buffers concerned, a lower bound: a buffer is counted
 *	when it differs from the one before
 * @last_buf: the last of them
 * @cpu_key: key of the CPU's stack (backtrace.h), until it is resolved
 * @other_key: key of the other side's stack
 * @cpu: stack of the CPU's side
 * @other: stack of the other side
 * @cpu_why: why the CPU's process wrote no stack
 * @other_why: why the other side's process wrote none
 * @suppressed_by: name of a suppression; NULL: none
 * @cause: finding under which this one is reported: of another kind, found
 *	before, and removed by the same fix; NULL: none
 * @api: API whose calls the program makes
 * @shape: object in the buffer, in the file of stacks; NULL: not reported
 * @kernel_key: key of @kernel
 * @kernel: the kernel that the other side's job ran: the instruction of the
 *	access, if it is known, and the begin of the kernel
 * @attach_keys: keys of @attaches
 * @attaches: stacks of @record.attaches
 */
struct finding {
	struct finding *next;
	struct finding *hash_next;
	struct heapsim_record record;
	uint64_t nr_bufs;
	uint64_t last_buf;
	uint64_t cpu_key;
	uint64_t other_key;
	struct backtrace cpu;
	struct backtrace other;
	enum outside_why cpu_why;
	enum outside_why other_why;
	const char *suppressed_by;
	const struct finding *cause;
	enum kind_api api;
	const struct record_shape *shape;
	uint64_t kernel_key;
	struct backtrace kernel;
	uint64_t attach_keys[HEAPSIM_RECORD_NR_ATTACHES];
	struct backtrace attaches[HEAPSIM_RECORD_NR_ATTACHES];
};

/* Including the terminating null byte */
#define FINDING_CALL_LEN	(2 * HEAPSIM_NAME_LEN)

/**
 * struct finding_row - position of an offset in an image
 * @plane: number of the plane, from 0
 * @row: number of the row, from 0
 * @byte: offset in the row; bytes from @len on are padding
 * @len: bytes of a row that hold pixels
 */
struct finding_row {
	uint32_t plane;
	uint64_t row;
	uint64_t byte;
	uint64_t len;
};

const char *finding_holder(const struct finding *finding);
bool finding_row(const struct finding *finding, struct finding_row *row);
bool finding_is_leak(const struct finding *finding);
const char *finding_call(const struct finding *finding,
			 char name[FINDING_CALL_LEN]);

#endif
