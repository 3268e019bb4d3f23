/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A minimal host of the model in user space, in place of the kernel code that
 * uses kmod/model/line.c. Images are allocated by malloc(), brackets and
 * holders are counted here, and a process is a small number. One thread uses
 * it.
 */
#ifndef HEAPSIM_SELFTESTS_MODEL_HOST_H
#define HEAPSIM_SELFTESTS_MODEL_HOST_H

#include <line.h>

#include "ref.h"
#include "sequence.h"

/**
 * struct host - a buffer and its users
 * @lines: lines of the model
 * @job: running job of the model; its map is NULL if there is none
 * @p: shape
 * @has_pte: like @is_open of struct ref
 * @pte: like @pte of struct ref, for each process
 * @has_unseen: like that of struct ref, only for the table of operations
 * @brackets: brackets of each process
 * @nr_maps: number of mappings by importers, by HEAPSIM_DIR_*
 * @nr_vmaps: number of kernel mappings
 * @told: reports since the last query, by enum heapsim_record_kind
 */
struct host {
	struct line_buf lines;
	struct line_job job;
	struct ref_params p;
	bool *has_pte;
	enum ref_pte *pte[REF_MAX_WHO];
	bool has_unseen;
	struct line_bracket brackets[REF_MAX_WHO];
	unsigned int nr_maps[3];
	unsigned int nr_vmaps;
	struct ref_told told[HEAPSIM_NR_RECORD_KINDS];
};

extern const struct subject_ops host_ops;
extern const struct subject_ops host_unseen_ops;

struct host *host_create(const struct ref_params *p);
void host_destroy(struct host *host);

enum ref_state host_line_state(const struct host *host, size_t line);
uint8_t host_dram(const struct host *host, size_t off);
uint8_t host_cpu(const struct host *host, size_t off);
bool host_is_held_by_writer(const struct host *host);

void host_touch(struct host *host, size_t off, enum line_access access,
		unsigned int who);
void host_store(struct host *host, size_t off, const uint8_t *bytes,
		size_t len);
void host_write(struct host *host, size_t off, const uint8_t *bytes,
		size_t len, unsigned int who);
void host_job_start(struct host *host, size_t off, size_t len, bool is_write);
void host_job_end(struct host *host);
void host_engine_read(struct host *host, size_t off, size_t len);
void host_engine_write(struct host *host, size_t off, const uint8_t *bytes,
		       size_t len);
void host_clean(struct host *host, size_t off, size_t len);
void host_invalidate(struct host *host, size_t off, size_t len);
void host_take_in(struct host *host);
void host_compare(struct host *host);

#endif
