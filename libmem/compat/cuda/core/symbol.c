// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Variables of the program in libmem's memory: __device__, __constant__ and
 * __managed__ in CUDA. They exist before main() at an address that does not
 * change, and belong to no context.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/**
 * struct entry - a variable
 * @symbol: variable
 * @next: next older entry
 */
struct entry {
	struct core_symbol symbol;
	struct entry *next;
};

/* Protects the list. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries;

/* Waits, so that no stream is active because of this copy. */
static int symbol_set_initial(struct mem_ctx *mem,
			      const struct core_symbol *symbol)
{
	int err = mem_copy(mem_stream_legacy(mem), symbol->at, symbol->initial,
			   symbol->len, MEM_DIR_DEFAULT);

	return err ? err : mem_ctx_sync(mem);
}

static int symbol_alloc(struct mem_ctx *mem, struct core_symbol *symbol)
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
	err = symbol_set_initial(mem, symbol);
	if (err)
		mem_free(mem, symbol->at);
	return err;
}

/**
 * core_symbol_add() - put a variable into libmem's memory
 * @symbol: variable; @at is ignored
 *
 * It belongs to the first device. If there is none, the variable remains in
 * host memory, and the program's first call returns the error.
 *
 * Return: address of the variable from now on.
 */
CORE_API void *core_symbol_add(const struct core_symbol *symbol)
{
	struct entry *new = malloc(sizeof(*new));

	if (!new)
		return (void *)symbol->initial;
	new->symbol = *symbol;
	if (core_init() || !core_device(0) ||
	    symbol_alloc(core_primary(0)->mem, &new->symbol)) {
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
 * core_symbol_find() - find the variable that begins at an address
 * @at: any address
 *
 * Return: variable, or NULL if there is none.
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

/* Sets a device's variables to their initial values after a reset. */
void core_symbols_reset(struct CUctx_st *ctx)
{
	struct entry *entry;

	if (ctx != core_primary(0))
		return;
	pthread_mutex_lock(&lock);
	for (entry = entries; entry; entry = entry->next)
		symbol_set_initial(ctx->mem, &entry->symbol);
	pthread_mutex_unlock(&lock);
}
