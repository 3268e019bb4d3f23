// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: variables of the program in device, constant and managed memory. */
#include "runtime.h"

/**
 * heapsim_cu_variable() - put a variable into libmem's memory
 * @initial: initial value; must stay valid, since cudaDeviceReset() uses it
 * @len: bytes
 * @place: kind of memory
 * @name: name in the program
 *
 * This is usually called before main(), so the board must be chosen by then.
 *
 * Return: address of the variable; @initial if there is no board.
 */
API void *heapsim_cu_variable(void *initial, size_t len,
			      enum heapsim_place place, const char *name)
{
	const struct core_symbol symbol = {
		.len = len,
		.initial = initial,
		.kind = place == HEAPSIM_MANAGED ? MEM_KIND_MANAGED :
						   MEM_KIND_DEVICE,
		.name = name,
	};

	return core_symbol_add(&symbol);
}

static int runtime_find_symbol(const void *at,
			       const struct core_symbol **symbol)
{
	const int rc = core_init();

	if (rc)
		return rc;
	*symbol = core_symbol_find(at);
	return *symbol ? 0 : cudaErrorInvalidSymbol;
}

API cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
	const struct core_symbol *found;
	int rc;

	if (!devPtr)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_find_symbol(symbol, &found);
	if (!rc)
		*devPtr = found->at;
	return cudart_return(rc);
}

API cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
	const struct core_symbol *found;
	int rc;

	if (!size)
		return cudart_return(cudaErrorInvalidValue);
	rc = runtime_find_symbol(symbol, &found);
	if (!rc)
		*size = found->len;
	return cudart_return(rc);
}

/*
 * Returns the address of a part of a variable, or NULL after setting the
 * thread's last error.
 */
static char *runtime_symbol_part(const void *symbol, size_t count,
				 size_t offset)
{
	const struct core_symbol *found;
	int rc = runtime_find_symbol(symbol, &found);

	if (!rc && (offset > found->len || count > found->len - offset))
		rc = cudaErrorInvalidValue;
	if (rc) {
		cudart_return(rc);
		return NULL;
	}
	return (char *)found->at + offset;
}

static bool runtime_is_to_symbol(enum cudaMemcpyKind kind)
{
	return kind == cudaMemcpyHostToDevice ||
	       kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

static bool runtime_is_from_symbol(enum cudaMemcpyKind kind)
{
	return kind == cudaMemcpyDeviceToHost ||
	       kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

API cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src,
				   size_t count, size_t offset,
				   enum cudaMemcpyKind kind)
{
	char *to = runtime_symbol_part(symbol, count, offset);

	if (!to)
		return cudaPeekAtLastError();
	if (!runtime_is_to_symbol(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	return cudaMemcpy(to, src, count, kind);
}

API cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *src,
					size_t count, size_t offset,
					enum cudaMemcpyKind kind)
{
	char *to = runtime_symbol_part(symbol, count, offset);

	if (!to)
		return cudaPeekAtLastError();
	if (!runtime_is_to_symbol(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	return cudaMemcpy_ptds(to, src, count, kind);
}

API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol,
				     size_t count, size_t offset,
				     enum cudaMemcpyKind kind)
{
	const char *from = runtime_symbol_part(symbol, count, offset);

	if (!from)
		return cudaPeekAtLastError();
	if (!runtime_is_from_symbol(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	return cudaMemcpy(dst, from, count, kind);
}

API cudaError_t cudaMemcpyFromSymbol_ptds(void *dst, const void *symbol,
					  size_t count, size_t offset,
					  enum cudaMemcpyKind kind)
{
	const char *from = runtime_symbol_part(symbol, count, offset);

	if (!from)
		return cudaPeekAtLastError();
	if (!runtime_is_from_symbol(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	return cudaMemcpy_ptds(dst, from, count, kind);
}

API cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src,
					size_t count, size_t offset,
					enum cudaMemcpyKind kind,
					cudaStream_t stream)
{
	char *to = runtime_symbol_part(symbol, count, offset);

	if (!to)
		return cudaPeekAtLastError();
	if (!runtime_is_to_symbol(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	return cudaMemcpyAsync(to, src, count, kind, stream);
}

API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol,
					  size_t count, size_t offset,
					  enum cudaMemcpyKind kind,
					  cudaStream_t stream)
{
	const char *from = runtime_symbol_part(symbol, count, offset);

	if (!from)
		return cudaPeekAtLastError();
	if (!runtime_is_from_symbol(kind))
		return cudart_return(cudaErrorInvalidMemcpyDirection);
	return cudaMemcpyAsync(dst, from, count, kind, stream);
}
