// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Variables of the program in libmem's memory: what CUDA's compiler makes of
 * __device__, __constant__ and __managed__. They are there before main(), and
 * stay where they are; no context owns them.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/**
 * struct entry - one of them
 * @symbol: it
 * @next: that was added before
 */
struct entry {
	struct core_symbol symbol;
	struct entry *next;
};

/* Protects the list. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;

/* It is no work of the program's: no stream is active after it. */
static int set_initial(struct mem_ctx *mem, const struct core_symbol *symbol)
{
	int err = mem_copy(mem_stream_legacy(mem), symbol->at, symbol->initial,
			   symbol->len, MEM_DIR_DEFAULT);

	return err ? err : mem_ctx_sync(mem);
}

static int alloc(struct mem_ctx *mem, struct core_symbol *symbol)
{
	char name[MEM_NAME_LEN] = "";
	unsigned int flags = 0;
	int err;

	if (symbol->kind == MEM_KIND_MANAGED)
		flags = MEM_ATTACH_GLOBAL;
	else if (core_device(0)->is_discrete)
		flags = MEM_DEVICE_DISCRETE;
	err = mem_alloc(mem, symbol->kind, symbol->len, flags, &symbol->at);
	if (err)
		return err;
	strncpy(name, symbol->name, sizeof(name) - 1);
	mem_set_name(mem, symbol->at, name);
	mem_set_lasting(mem, symbol->at);
	err = set_initial(mem, symbol);
	if (err)
		mem_free(mem, symbol->at);
	return err;
}

/**
 * core_symbol_add() - put a variable into libmem's memory
 * @symbol: which; its address is not looked at
 *
 * It is the first device's. Where there is none it stays the host's, and the
 * program's first call says why.
 *
 * Return: where it lies from now on.
 */
CORE_API void *core_symbol_add(const struct core_symbol *symbol)
{
	struct entry *new = malloc(sizeof(*new));

	if (!new)
		return (void *)symbol->initial;
	new->symbol = *symbol;
	if (core_init() || !core_device(0) ||
	    alloc(core_primary(0)->mem, &new->symbol)) {
		free(new);
		return (void *)symbol->initial;
	}
	pthread_mutex_lock(&lock);
	new->next = entries;
	entries = new;
	pthread_mutex_unlock(&lock);
	return new->symbol.at;
}

/**
 * core_symbol_find() - the variable that begins at an address
 * @at: any
 *
 * Return: NULL if there is none.
 */
CORE_API const struct core_symbol *core_symbol_find(const void *at)
{
	struct entry *entry;

	pthread_mutex_lock(&lock);
	for (entry = entries; entry && entry->symbol.at != at;
	     entry = entry->next)
		;
	pthread_mutex_unlock(&lock);
	return entry ? &entry->symbol : NULL;
}

/* A context is reset: its device's variables are as they were at first. */
void core_symbols_reset(struct CUctx_st *ctx)
{
	struct entry *entry;

	if (ctx != core_primary(0))
		return;
	pthread_mutex_lock(&lock);
	for (entry = entries; entry; entry = entry->next)
		set_initial(ctx->mem, &entry->symbol);
	pthread_mutex_unlock(&lock);
}
