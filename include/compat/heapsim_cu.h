/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What CUDA has in its compiler, as functions and macros: kernels that are
 * known by their address, the launch that is about to happen, variables in
 * device memory. heapsim-cu writes calls of these; CUDA_KERNEL() is for
 * programs in C, and for C++ without heapsim-cu.
 */
#ifndef _HEAPSIM_CU_H
#define _HEAPSIM_CU_H

#include <stddef.h>

#include "cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct heapsim_kernel - a kernel of the program: one call a thread
 * @fn: the function, which reports name
 * @call: calls @fn with the values that @args point to
 * @nr_params: of them
 * @sizes: of each, bytes
 * @aligns: of each, bytes: a power of two
 * @name: as the program has it; may be NULL
 * @max_shared: dynamic shared memory that it may have; 0: 48 KiB. Of
 *	cudaFuncSetAttribute()
 */
struct heapsim_kernel {
	const void *fn;
	void (*call)(const void *fn, void **args);
	unsigned int nr_params;
	const size_t *sizes;
	const size_t *aligns;
	const char *name;
	unsigned int max_shared;
};

/**
 * struct heapsim_config - what is between <<< and >>>
 * @grid: blocks
 * @block: threads of one
 * @shared: dynamic shared memory of a block, bytes
 * @stream: where
 * @before: the one around this, as arguments may launch kernels, too
 */
struct heapsim_config {
	struct dim3 grid;
	struct dim3 block;
	size_t shared;
	cudaStream_t stream;
	struct heapsim_config *before;
};

/** enum heapsim_place - where a variable of heapsim_cu_variable() lies */
enum heapsim_place {
	HEAPSIM_DEVICE,
	HEAPSIM_CONSTANT,
	HEAPSIM_MANAGED,
};

#define HEAPSIM_TLS __thread __attribute__((tls_model("initial-exec")))

/* Of the calling thread: the launch that the next kernel called is meant by. */
extern HEAPSIM_TLS struct heapsim_config *heapsim_cu_config;
/* Dynamic shared memory of the block that runs. */
extern HEAPSIM_TLS void *heapsim_cu_shared;

void heapsim_cu_kernel(struct heapsim_kernel *kernel);
int heapsim_cu_is_kernel(const void *fn);
cudaError_t heapsim_cu_launch(const struct heapsim_kernel *kernel,
			      void **args);
void *heapsim_cu_variable(void *initial, size_t len, enum heapsim_place place,
			  const char *name);

#ifdef __cplusplus
}
#endif

/*
 * CUDA_KERNEL(name, type...): cudaLaunchKernel() can launch it. Where all of
 * its parameters' types are said, at most 16. In C++ they may be left out, if
 * there is one function of the name.
 */
#ifndef __cplusplus
#define CUDA_KERNEL(...)						\
	HEAPSIM_JOIN(HEAPSIM_KERNEL_, HEAPSIM_IS_ONE(__VA_ARGS__))(__VA_ARGS__)

#define HEAPSIM_JOIN(a, b)	HEAPSIM_JOIN_(a, b)
#define HEAPSIM_JOIN_(a, b)	a ## b
#define HEAPSIM_NTH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, \
		    nth, ...)						\
	nth
#define HEAPSIM_IS_ONE(...)						\
	HEAPSIM_NTH(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
		    0, 1, )
#define HEAPSIM_COUNT(...)						\
	HEAPSIM_NTH(0, __VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, \
		    4, 3, 2, 1, 0)

#define HEAPSIM_KERNEL_1(kernel)					\
	static void kernel ## _heapsim_call(const void *fn, void **args) \
	{								\
		(void)args;						\
		((void (*)(void))fn)();					\
	}								\
	HEAPSIM_KERNEL_ADD(kernel, 0, NULL, NULL)

#define HEAPSIM_KERNEL_0(kernel, ...)					\
	static const size_t kernel ## _heapsim_sizes[] = {		\
		HEAPSIM_EACH(HEAPSIM_SIZE, __VA_ARGS__)			\
	};								\
	static const size_t kernel ## _heapsim_aligns[] = {		\
		HEAPSIM_EACH(HEAPSIM_ALIGN, __VA_ARGS__)		\
	};								\
	static void kernel ## _heapsim_call(const void *fn, void **args) \
	{								\
		((void (*)(__VA_ARGS__))fn)(				\
			HEAPSIM_EACH(HEAPSIM_ARG, __VA_ARGS__));	\
	}								\
	HEAPSIM_KERNEL_ADD(kernel, HEAPSIM_COUNT(__VA_ARGS__),		\
			   kernel ## _heapsim_sizes,			\
			   kernel ## _heapsim_aligns)

#define HEAPSIM_KERNEL_ADD(kernel, nr, its_sizes, its_aligns)		\
	static void __attribute__((constructor)) kernel ## _heapsim_add(void) \
	{								\
		static struct heapsim_kernel added = {			\
			.call = kernel ## _heapsim_call,		\
			.nr_params = nr,				\
			.sizes = its_sizes,				\
			.aligns = its_aligns,				\
			.name = #kernel,				\
		};							\
									\
		added.fn = (const void *)kernel;			\
		heapsim_cu_kernel(&added);				\
	}								\
	struct heapsim_kernel

#define HEAPSIM_SIZE(nr, type)	sizeof(type)
#define HEAPSIM_ALIGN(nr, type)	__alignof__(type)
#define HEAPSIM_ARG(nr, type)	*(type *)args[nr]

#define HEAPSIM_EACH(what, ...)						\
	HEAPSIM_JOIN(HEAPSIM_EACH_, HEAPSIM_COUNT(__VA_ARGS__))		\
		(what, __VA_ARGS__)
#define HEAPSIM_EACH_1(what, a) what(0, a)
#define HEAPSIM_EACH_2(what, a, b) \
	HEAPSIM_EACH_1(what, a), what(1, b)
#define HEAPSIM_EACH_3(what, a, b, c) \
	HEAPSIM_EACH_2(what, a, b), what(2, c)
#define HEAPSIM_EACH_4(what, a, b, c, d) \
	HEAPSIM_EACH_3(what, a, b, c), what(3, d)
#define HEAPSIM_EACH_5(what, a, b, c, d, e) \
	HEAPSIM_EACH_4(what, a, b, c, d), what(4, e)
#define HEAPSIM_EACH_6(what, a, b, c, d, e, f) \
	HEAPSIM_EACH_5(what, a, b, c, d, e), what(5, f)
#define HEAPSIM_EACH_7(what, a, b, c, d, e, f, g) \
	HEAPSIM_EACH_6(what, a, b, c, d, e, f), what(6, g)
#define HEAPSIM_EACH_8(what, a, b, c, d, e, f, g, h) \
	HEAPSIM_EACH_7(what, a, b, c, d, e, f, g), what(7, h)
#define HEAPSIM_EACH_9(what, a, b, c, d, e, f, g, h, i) \
	HEAPSIM_EACH_8(what, a, b, c, d, e, f, g, h), what(8, i)
#define HEAPSIM_EACH_10(what, a, b, c, d, e, f, g, h, i, j) \
	HEAPSIM_EACH_9(what, a, b, c, d, e, f, g, h, i), what(9, j)
#define HEAPSIM_EACH_11(what, a, b, c, d, e, f, g, h, i, j, k) \
	HEAPSIM_EACH_10(what, a, b, c, d, e, f, g, h, i, j), what(10, k)
#define HEAPSIM_EACH_12(what, a, b, c, d, e, f, g, h, i, j, k, l) \
	HEAPSIM_EACH_11(what, a, b, c, d, e, f, g, h, i, j, k), what(11, l)
#define HEAPSIM_EACH_13(what, a, b, c, d, e, f, g, h, i, j, k, l, m) \
	HEAPSIM_EACH_12(what, a, b, c, d, e, f, g, h, i, j, k, l), what(12, m)
#define HEAPSIM_EACH_14(what, a, b, c, d, e, f, g, h, i, j, k, l, m, n) \
	HEAPSIM_EACH_13(what, a, b, c, d, e, f, g, h, i, j, k, l, m), \
		what(13, n)
#define HEAPSIM_EACH_15(what, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) \
	HEAPSIM_EACH_14(what, a, b, c, d, e, f, g, h, i, j, k, l, m, n), \
		what(14, o)
#define HEAPSIM_EACH_16(what, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) \
	HEAPSIM_EACH_15(what, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o), \
		what(15, p)
#endif

#endif
