/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The threads of a block: what a launch passes to an engine. */
#ifndef _COMPAT_CUDA_CORE_BLOCK_H
#define _COMPAT_CUDA_CORE_BLOCK_H

#include "core.h"

#define BLOCK_MAX_THREADS	1024U

/* CUDA programming guide, technical specifications */
#define BLOCK_MAX_PARAMS	4096U

/**
 * struct block_job - arguments of block_run()
 * @kernel: copy, since an engine may have been forked before the program
 *	registered the kernel
 * @stack_len: length of each thread's stack
 * @has_system_atomics: the board has them
 * @values: values of the parameters
 */
struct block_job {
	struct heapsim_kernel kernel;
	size_t stack_len;
	bool has_system_atomics;
	uint8_t values[BLOCK_MAX_PARAMS] __attribute__((aligned(64)));
};

size_t block_args(const struct heapsim_kernel *kernel, void *values,
		  void **args);
void block_run(const struct mem_block *block, void *at);
bool block_is_running(void);
void block_refuse(const char *what);

#endif
