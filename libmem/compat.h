/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What libmem offers to the layers in compat/ alone. It is not installed, and
 * its symbols have a version node that changes without notice: a layer comes
 * with the libmem that it was built with.
 */
#ifndef _LIBMEM_COMPAT_H
#define _LIBMEM_COMPAT_H

#include "libmem.h"
#include "libmem/object.h"
#include "libmem/pipe.h"

/* The board where nothing names one: what users of the vendor have today. */
#define COMPAT_SOC	"orin"

/* The context that all layers have. Returns as mem_ctx_open_shared(). */
static inline int compat_ctx_open(struct mem_ctx **ctx)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.soc = COMPAT_SOC,
	};

	return mem_ctx_open_shared(&options, ctx);
}

/**
 * libmem_report_missing() - report a call that the layer does not implement
 * @call: name of the call, as the program has it, of which 62 bytes are kept;
 *	NULL: nothing is reported
 *
 * The report of heapsim-run(1) lists each such call, with how often it was
 * called, and from where. It is no error. Without heapsim-run(1) this does
 * nothing.
 *
 * Context: any thread, also of a host function or a child; needs no context.
 */
void libmem_report_missing(const char *call);

/**
 * libmem_watch_frame() - say which memory a layer has imported for a frame
 * @end: consumer
 * @frame: frame that it holds
 * @nr: number of @bases, at most MEM_PLANES_MAX
 * @bases: address of each plane in memory of the consumer's context that only
 *	this frame needs; NULL: none
 *
 * What the consumer does with this memory is checked from now on, in place of
 * the frame's own planes. Without heapsim-run(1) this does nothing.
 *
 * Context: any thread.
 */
void libmem_watch_frame(struct mem_pipe_end *end, const struct mem_frame *frame,
			unsigned int nr, void *const *bases);

/**
 * libmem_object_map() - map an object's memory until it is unmapped again
 * @object: object
 * @access: MEM_READ or MEM_RW
 * @addr: out: address for the CPU, valid until mem_buf_unmap() of
 *	mem_object_buf()
 *
 * mem_object_cpu_ptr() maps the memory for the rest of its life instead. If
 * both are called, it stays mapped.
 *
 * Context: any thread, except in a host function.
 * Return: 0, or an error as documented for mem_object_cpu_ptr().
 */
int libmem_object_map(struct mem_object *object, unsigned int access,
		      void **addr);

#endif
