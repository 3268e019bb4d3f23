/* SPDX-License-Identifier: GPL-2.0-only */
/* All findings of a run, made from records and stacks */
#ifndef HEAPSIM_FINDINGS_H
#define HEAPSIM_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/heapsim.h>

#include "finding.h"

struct stacks;

/**
 * struct totals - sums over all findings
 * @errors: occurrences of errors, without suppressed ones
 * @places: findings that are errors, without suppressed ones
 * @suppressed: occurrences of errors that a suppression matches
 * @dropped: records that were lost, since they were not read in time
 * @dropped_errors: lost records of errors, suppressed or not
 * @lost_stacks: stacks for which the file had no room
 * @leaks: objects that were never destroyed, without suppressed ones
 * @leaked_bytes: bytes of these objects
 * @leak_places: places where these objects were made
 */
struct totals {
	uint64_t errors;
	uint64_t places;
	uint64_t suppressed;
	uint64_t dropped;
	uint64_t dropped_errors;
	uint64_t lost_stacks;
	uint64_t leaks;
	uint64_t leaked_bytes;
	uint64_t leak_places;
};

/** enum leak_check - how objects that were never destroyed are handled */
enum leak_check {
	LEAKS_ARE_IGNORED,
	LEAKS_ARE_LISTED,
	LEAKS_ARE_ERRORS,
};

struct findings;

struct findings *findings_open(struct stacks *stacks);
void findings_set_program(struct findings *findings, const char *path);
void findings_close(struct findings *findings);
void findings_set_leak_check(struct findings *findings, enum leak_check check);
int findings_add(struct findings *findings, struct heapsim_record *r);
int findings_add_reported(struct findings *findings, struct finding *finding,
			  uint32_t cpu_stack, uint32_t other_stack,
			  uint32_t kernel_stack);
void findings_add_dropped(struct findings *findings, uint64_t nr,
			  uint64_t nr_harmless);
bool findings_are_waiting(const struct findings *findings);
int findings_retry(struct findings *findings);
int findings_end(struct findings *findings);
void findings_find_causes(struct findings *findings);
struct finding *findings_first(const struct findings *findings);
struct totals findings_total(const struct findings *findings);
bool finding_is_error(const struct findings *findings,
		      const struct finding *finding);

#endif
