// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: properties of the board, found by its name. They are the model's
 * profile, with either backend. Memory by address is counted here, for all
 * contexts of the process.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "../kmod/model/profile.h"
#include "internal.h"
#include "libmem/attrs.h"

#define MAX_BOARDS	32

/* Stands for a board that only a newer module knows. It has a GPU. */
static const struct profile unknown = { .name = "" };

/*
 * Bytes allocated in DRAM, and in the discrete GPU; one more for unknown
 * boards.
 */
static atomic_ullong used[MAX_BOARDS + 1][2];

/**
 * board_find() - find a board by its name
 * @name: name of the profile
 *
 * Return: never NULL; see board_is_known().
 */
const struct profile *board_find(const char *name)
{
	const struct profile *board = profile_find(name);

	return board ? board : &unknown;
}

/**
 * board_is_known() - check whether board_find() knew the name
 * @board: from board_find()
 *
 * Return: true if it did.
 */
bool board_is_known(const struct profile *board)
{
	return board != &unknown;
}

/**
 * board_name() - return the name of a board
 * @board: board
 *
 * Return: as in LIBMEM_SOC.
 */
const char *board_name(const struct profile *board)
{
	return board->name;
}

/**
 * board_has_engine() - check whether a board has an engine
 * @board: board
 * @at: enum mem_engine
 *
 * Return: true if it has. A generic board has a GPU of an unspecified kind.
 */
bool board_has_engine(const struct profile *board, unsigned int at)
{
	switch (at) {
	case MEM_ENGINE_PVA:
		return board->has_pva;
	case MEM_ENGINE_VIC:
		return board->has_vic;
	case MEM_ENGINE_DGPU:
		return board->dgpu.capability;
	default:
		return true;
	}
}

/**
 * board_has_pageable_access() - check for engines that access pageable memory
 * @board: board
 *
 * Return: true if they can.
 */
bool board_has_pageable_access(const struct profile *board)
{
	return board->has_pageable_access;
}

/**
 * board_has_concurrent_access() - check for concurrent access to managed memory
 * @board: board
 *
 * Return: true if CPU and GPU may touch it at the same time.
 */
bool board_has_concurrent_access(const struct profile *board)
{
	return board->has_concurrent_access;
}

/**
 * board_is_io_coherent() - check whether engines snoop CPU caches
 * @board: board
 *
 * Return: true if they do.
 */
bool board_is_io_coherent(const struct profile *board)
{
	return board->is_io_coherent;
}

/**
 * board_line_size() - return the length of a cache line
 * @board: board
 *
 * Return: bytes; 0 if the board is unknown.
 */
uint32_t board_line_size(const struct profile *board)
{
	return board->line_size;
}

/**
 * board_capability() - return the compute capability of a GPU
 * @board: board
 * @at: MEM_ENGINE_GPU or MEM_ENGINE_DGPU
 *
 * Return: its CUDA compute capability times 10; 0 if there is no such GPU, or
 * it does not support CUDA.
 */
uint32_t board_capability(const struct profile *board, unsigned int at)
{
	return at == MEM_ENGINE_DGPU ? board->dgpu.capability :
	       board->capability;
}

/**
 * board_has_surface_export() - check whether images can be exported as surfaces
 * @board: board
 *
 * Return: true if they can.
 */
bool board_has_surface_export(const struct profile *board)
{
	return board->has_surface_export;
}

static atomic_ullong *board_used(const struct profile *board, bool is_discrete)
{
	const size_t at = board_is_known(board) ?
			  (size_t)(board - profile_at(0)) : MAX_BOARDS;

	return &used[at][is_discrete];
}

static uint64_t board_memory_len(const struct profile *board, bool is_discrete)
{
	if (!board_is_known(board))
		return UINT64_MAX;
	return is_discrete ? board->dgpu.len : board->dram_len;
}

/**
 * board_take() - account for an allocation of a board's memory
 * @board: board
 * @kind: kind for mem_alloc()
 * @flags: flags for mem_alloc()
 * @len: bytes
 *
 * Return: 0, or -ENOMEM if the board has less memory left.
 */
int board_take(const struct profile *board, enum mem_kind kind,
	       unsigned int flags, uint64_t len)
{
	const bool of_dgpu = is_discrete(kind, flags);

	if (atomic_fetch_add(board_used(board, of_dgpu), len) + len <=
	    board_memory_len(board, of_dgpu))
		return 0;
	board_give(board, kind, flags, len);
	return -ENOMEM;
}

/**
 * board_give() - undo board_take()
 * @board: board
 * @kind: as for board_take()
 * @flags: as for board_take()
 * @len: as for board_take()
 */
void board_give(const struct profile *board, enum mem_kind kind,
		unsigned int flags, uint64_t len)
{
	atomic_fetch_sub(board_used(board, is_discrete(kind, flags)), len);
}

static void board_set_soc(const struct profile *p, struct mem_board *board)
{
	board->capability = p->capability;
	board->nr_sms = p->nr_sms;
	board->cores_per_sm = p->cores_per_sm;
	board->gpu_mhz = p->gpu_mhz;
	board->gpu_l2_len = p->gpu_l2_len;
	board->bus_bits = p->dram_bus_bits;
	board->memory_mbps = p->dram_mbps;
	board->memory_len = p->dram_len;
}

static void board_set_dgpu(const struct profile_dgpu *g,
			   struct mem_board *board)
{
	board->is_discrete = 1;
	board->capability = g->capability;
	board->nr_sms = g->nr_sms;
	board->cores_per_sm = g->cores_per_sm;
	board->gpu_mhz = g->mhz;
	board->gpu_l2_len = g->l2_len;
	board->bus_bits = g->bus_bits;
	board->memory_mbps = g->mbps;
	board->memory_len = g->len;
}

static void board_set_common(const struct profile *p, struct mem_board *board)
{
	board->nr_cpus = p->nr_cpus;
	board->cpu_mhz = p->cpu_mhz;
	board->line_size = p->line_size;
	board->is_io_coherent = p->is_io_coherent;
	board->is_fully_coherent = p->is_fully_coherent;
	board->has_host_register = p->has_host_register;
	board->has_concurrent_access = p->has_concurrent_access;
	board->has_pageable_access = p->has_pageable_access;
	board->has_system_atomics = p->has_system_atomics;
	board->has_memory_ipc = p->has_memory_ipc;
	board->has_pva = p->has_pva;
	board->has_vic = p->has_vic;
	board->has_dgpu = !!p->dgpu.capability;
	strncpy(board->name, p->name, sizeof(board->name) - 1);
	strncpy(board->description, p->description,
		sizeof(board->description) - 1);
}

/* Checks the arguments of a call on a GPU of the board. */
static int gpu_check(struct mem_ctx *ctx, unsigned int engine)
{
	int err;

	if (!ctx || (engine != MEM_ENGINE_GPU && engine != MEM_ENGINE_DGPU))
		return -EINVAL;
	err = ctx_look(ctx);
	if (err)
		return err;
	if (!board_is_known(ctx->board) ||
	    !board_has_engine(ctx->board, engine))
		return -EOPNOTSUPP;
	return 0;
}

API int mem_ctx_board(struct mem_ctx *ctx, unsigned int engine,
		      struct mem_board *board)
{
	struct mem_board all = { 0 };
	int err;

	if (!board ||
	    struct_check(board, offsetofend(struct mem_board, description)))
		return -EINVAL;
	err = gpu_check(ctx, engine);
	if (err)
		return err;
	if (engine == MEM_ENGINE_DGPU)
		board_set_dgpu(&ctx->board->dgpu, &all);
	else
		board_set_soc(ctx->board, &all);
	board_set_common(ctx->board, &all);
	struct_out(board, &all, sizeof(all));
	return 0;
}

/*
 * FNV-1a of the board and the engine, in the form of a UUID (RFC 9562, version
 * 8).
 */
API int mem_ctx_gpu_id(struct mem_ctx *ctx, unsigned int engine, uint8_t *id)
{
	uint64_t hash = 0xcbf29ce484222325ULL;
	char text[MEM_NAME_LEN + 32];
	const char *c;
	size_t i;
	int err;

	if (!id)
		return -EINVAL;
	err = gpu_check(ctx, engine);
	if (err)
		return err;
	snprintf(text, sizeof(text), "heapsim %s %u", ctx->board->name, engine);
	for (i = 0; i < MEM_GPU_ID_LEN; i++) {
		for (c = text; *c; c++) {
			hash ^= (unsigned char)*c;
			hash *= 0x100000001b3ULL;
		}
		id[i] = hash >> 56;
	}
	id[6] = (id[6] & 0x0f) | 0x80;
	id[8] = (id[8] & 0x3f) | 0x80;
	return 0;
}

API int mem_ctx_memory(struct mem_ctx *ctx, unsigned int engine,
		       uint64_t *free_len, uint64_t *len)
{
	const bool of_dgpu = engine == MEM_ENGINE_DGPU;
	uint64_t all, taken;
	int err;

	if (!free_len || !len)
		return -EINVAL;
	err = gpu_check(ctx, engine);
	if (err)
		return err;
	all = board_memory_len(ctx->board, of_dgpu);
	/* An allocation that is being refused is counted for a moment. */
	taken = atomic_load(board_used(ctx->board, of_dgpu));
	*free_len = taken < all ? all - taken : 0;
	*len = all;
	return 0;
}
