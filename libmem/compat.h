/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What libmem offers to the layers in compat/ alone. It is not installed, and
 * its symbols have a version node that changes without notice: a layer comes
 * with the libmem that it was built with.
 */
#ifndef _LIBMEM_COMPAT_H
#define _LIBMEM_COMPAT_H

#include <stdbool.h>

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
 * enum libmem_handle_type - what a handle names; handle.c has their names
 * @LIBMEM_HANDLE_ATTRS: struct mem_attrs
 * @LIBMEM_HANDLE_OBJECT: struct mem_object
 * @LIBMEM_HANDLE_BUF_MODULE: NvSciBufModule
 * @LIBMEM_HANDLE_SYNC_MODULE: NvSciSyncModule
 * @LIBMEM_HANDLE_SYNC_CONTEXT: NvSciSyncCpuWaitContext
 * @LIBMEM_HANDLE_SYNC_OBJECT: NvSciSyncObj
 */
enum libmem_handle_type {
	LIBMEM_HANDLE_ATTRS,
	LIBMEM_HANDLE_OBJECT,
	LIBMEM_HANDLE_BUF_MODULE,
	LIBMEM_HANDLE_SYNC_MODULE,
	LIBMEM_HANDLE_SYNC_CONTEXT,
	LIBMEM_HANDLE_SYNC_OBJECT,
};

/**
 * struct libmem_handle - first member of an object whose address is a handle
 * @next: next handle in the bucket
 * @type: type of the object
 * @nr_users: references
 * @is_lent: another object owns this one, and the program must not free it
 *
 * A call recognises a handle that was freed, or that never was one, without an
 * access to its memory. The lock of handle.c protects all members.
 */
struct libmem_handle {
	struct libmem_handle *next;
	enum libmem_handle_type type;
	unsigned int nr_users;
	bool is_lent;
};

/**
 * libmem_handle_add() - make an object's address a handle
 * @handle: first member of the object, which is memory of malloc()
 * @type: type of the object
 *
 * The handle has one reference.
 *
 * Context: any thread.
 * Return: 0, or -ENOMEM.
 */
int libmem_handle_add(struct libmem_handle *handle,
		      enum libmem_handle_type type);

/**
 * libmem_handle_is() - check a handle that the program passed
 * @at: handle, not trusted
 * @type: type that the call needs
 *
 * A handle of no such object is reported to heapsim-run(1), except NULL.
 *
 * Context: any thread.
 * Return: true if it names an object.
 */
bool libmem_handle_is(const void *at, enum libmem_handle_type type);

/**
 * libmem_handle_get() - take a reference for the program
 * @at: handle, not trusted
 * @type: type that the call needs
 *
 * Context: any thread.
 * Return: as libmem_handle_is(); false: no reference was taken.
 */
bool libmem_handle_get(const void *at, enum libmem_handle_type type);

/**
 * libmem_handle_put() - drop a reference for the program
 * @at: handle, not trusted
 * @type: type that the call needs
 *
 * A handle of no such object, or of one that is lent, is reported to
 * heapsim-run(1), except NULL.
 *
 * Context: any thread.
 * Return: true if it was the last reference: the address is a handle no more,
 * and the caller destroys the object, at last with libmem_handle_free().
 */
bool libmem_handle_put(const void *at, enum libmem_handle_type type);

/**
 * libmem_handle_lend() - keep the program from freeing an object
 * @handle: handle of the object, which another object owns from now on
 */
void libmem_handle_lend(struct libmem_handle *handle);

/**
 * libmem_handle_take_back() - undo libmem_handle_lend()
 * @handle: handle of the object, which its owner will free
 */
void libmem_handle_take_back(struct libmem_handle *handle);

/**
 * libmem_handle_free() - free the memory of an object
 * @handle: handle whose last reference was dropped
 *
 * While heapsim-run(1) watches the process, the memory is freed later, so that
 * its address is not soon a handle again.
 */
void libmem_handle_free(struct libmem_handle *handle);

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
 * libmem_end_use() - report all accesses to imported memory from now on
 * @ctx: context
 * @ptr: what mem_ptr_import() returned
 * @id: number of the memory in struct mem_ptr_info at that time; if @ptr is
 *	other memory by now, nothing happens
 *
 * For a program that has destroyed what the memory was imported by, and still
 * has to free it. Reports name the call that is being made (use-after-free).
 * The accesses have their effect nevertheless. Without heapsim-run(1), and with
 * backends that do not detect accesses, this does nothing.
 *
 * Context: may sleep; any thread.
 */
void libmem_end_use(struct mem_ctx *ctx, const void *ptr, uint64_t id);

/**
 * libmem_object_check() - check whether libmem_object_map() is permitted
 * @object: object
 * @access: MEM_READ or MEM_RW
 *
 * Context: any thread.
 * Return: 0, or an error as documented for mem_object_cpu_ptr().
 */
int libmem_object_check(const struct mem_object *object, unsigned int access);

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
