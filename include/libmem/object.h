/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Objects: buffers that are allocated from a reconciled attribute list, and go
 * from process to process over an endpoint, as lists do. Part of libmem.h.
 *
 * An object has up to two addresses: that of the CPU, if its list says that the
 * CPU needs access, and that of engines, for kernels and copies. Where the list
 * says MEM_ATTR_CPU_COHERENCY these are two views of the memory: what the CPU
 * has stored reaches engines by mem_object_flush() or by a bracket
 * (mem_object_begin(), mem_object_end()), and the other way round.
 *
 * What is exported is a descriptor: bytes that the program sends to the peer by
 * any means, mem_endpoint_send() among them. The memory itself goes over the
 * endpoint beside them, as a file descriptor, when the descriptor is made. A
 * descriptor is good for one import by the peer of the endpoint that it was
 * made for. It comes from another process: each byte of it is checked.
 */
#ifndef _LIBMEM_OBJECT_H
#define _LIBMEM_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include <libmem/attrs.h>
#include <libmem/endpoint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mem_buf;
struct mem_object;

/* Bytes of a descriptor of an object without its list */
#define MEM_OBJECT_DESC_LEN	256U

/**
 * mem_object_alloc() - allocate an object
 * @attrs: reconciled list; copied
 * @name: shorter than MEM_NAME_LEN, copied, for reports; NULL for none
 * @object: out: the object with one reference, owned by the caller:
 *	mem_object_put()
 *
 * The memory is zeroed.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, @name is too long), -EPERM (the
 * list is not reconciled, or see mem_attrs_create()), -EOPNOTSUPP (the backend
 * cannot give the engines of the list such memory: that of a discrete GPU),
 * -EMFILE or -ENFILE (no file descriptor is left), -ENOMEM.
 */
int mem_object_alloc(const struct mem_attrs *attrs, const char *name,
		     struct mem_object **object);

/**
 * mem_object_get() - one reference more
 * @object: object
 *
 * Context: any thread.
 * Return: @object; NULL: it is no object.
 */
struct mem_object *mem_object_get(struct mem_object *object);

/**
 * mem_object_put() - give a reference back
 * @object: object, or NULL, which does nothing
 *
 * A pointer that is no object, or no more, does nothing either, and is a
 * mistake that heapsim-run(1) reports (invalid-handle), as in any call.
 *
 * With the last one the memory goes, except for what images, imports of other
 * processes and work under way still use.
 *
 * Context: may sleep; any thread.
 */
void mem_object_put(struct mem_object *object);

/**
 * mem_object_restrict() - a second object of the same memory
 * @object: object
 * @perm: MEM_READ, or MEM_RW if @object has it
 * @other: out: the object with one reference: mem_object_put()
 *
 * If it may do less than @object, it has a buffer and addresses of its own, by
 * which the memory cannot be written. Embedded, memory of two views has one
 * from then on, as if it were exported.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, no such @perm), -EACCES (@perm is
 * more than @object has), -EPERM (see mem_attrs_create()), -ENOMEM; what
 * mem_buf_export_as() returns if @perm is less.
 */
int mem_object_restrict(struct mem_object *object, unsigned int perm,
			struct mem_object **other);

/**
 * mem_object_attrs() - the list of an object
 * @object: object
 *
 * Context: any thread.
 * Return: a reconciled list, the object's own, valid as long as that, not to be
 * destroyed; NULL: @object is no object.
 */
const struct mem_attrs *mem_object_attrs(const struct mem_object *object);

/**
 * mem_object_buf() - the buffer of an object
 * @object: object
 *
 * For jobs (mem_job_copy() and so on), names and counters.
 *
 * Context: any thread.
 * Return: the object's own, valid as long as that, not to be destroyed; NULL:
 * @object is no object.
 */
struct mem_buf *mem_object_buf(struct mem_object *object);

/**
 * mem_object_cpu_ptr() - where the CPU has an object
 * @object: object
 * @access: MEM_READ: the memory may be read; MEM_RW: also written
 * @ptr: out: address, valid as long as the object
 *
 * With MEM_READ a store through @ptr is SIGSEGV if the object has no permission
 * to be written.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL, no such @access), -EACCES (the
 * list has no MEM_ATTR_NEED_CPU_ACCESS, or @access is more than the object's
 * permission), -EPERM (see mem_attrs_create()), -ENOMEM.
 */
int mem_object_cpu_ptr(struct mem_object *object, unsigned int access,
		       void **ptr);

/**
 * mem_object_device_ptr() - where engines have an object
 * @object: object
 * @ptr: out: address for kernels and copies of the object's context, valid as
 *	long as the object
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EACCES (no engine that runs
 * kernels is in the list), -EOPNOTSUPP (engines have no such address: over the
 * module, memory of two views), -EPERM (see mem_attrs_create()).
 */
int mem_object_device_ptr(struct mem_object *object, void **ptr);

/**
 * mem_object_flush() - maintain the CPU's cache over a part of an object
 * @object: object with CPU access
 * @off: bytes
 * @len: bytes; 0 does nothing
 *
 * Writes the CPU's lines back to memory and drops them: NvSciBuf's
 * NvSciBufObjFlushCpuCacheRange(). Where no maintenance is needed it does
 * nothing.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (@object is NULL, the range leaves it), -EACCES (no CPU
 * access, or no permission to write), -EPERM (see mem_attrs_create()), -ENOMEM.
 */
int mem_object_flush(struct mem_object *object, uint64_t off, uint64_t len);

/**
 * mem_object_begin() - begin CPU access
 * @object: object with CPU access
 * @access: MEM_READ, MEM_WRITE or MEM_RW
 *
 * As mem_buf_begin().
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EACCES (no CPU access, or more than the permission), or as
 * mem_buf_begin().
 */
int mem_object_begin(struct mem_object *object, unsigned int access);

/**
 * mem_object_end() - end CPU access
 * @object: object with CPU access
 * @access: as at mem_object_begin()
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EACCES (no CPU access), or as mem_buf_end().
 */
int mem_object_end(struct mem_object *object, unsigned int access);

/**
 * mem_object_fd() - a file descriptor of an object's memory
 * @object: object
 * @fd: out: with O_CLOEXEC, owned by the caller. Over the module a dma-buf,
 *	embedded a memfd; without permission to write it cannot be mapped to
 *	write
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (an argument is NULL), -EPERM (see mem_attrs_create()),
 * -EOPNOTSUPP (an older module cannot restrict a descriptor), -EMFILE or
 * -ENFILE, -ENOMEM.
 */
int mem_object_fd(struct mem_object *object, int *fd);

/**
 * mem_attrs_export() - a descriptor of lists
 * @lists: unreconciled lists, whose slots become one list, or one reconciled
 *	list
 * @nr_lists: 1 to MEM_SLOTS_MAX, of a reconciled list 1
 * @endpoint: whose peer it is for
 * @bytes: out: the descriptor, owned by the caller: free()
 * @len: out: bytes of it
 *
 * An unreconciled list that has been through an endpoint says so: the object
 * that is allocated from it in the end can be shared.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, no or too many lists, a conflict
 * list or two kinds), -EPERM (see mem_attrs_create()), -ENOMEM.
 */
int mem_attrs_export(struct mem_attrs *const *lists, size_t nr_lists,
		     struct mem_endpoint *endpoint, void **bytes, size_t *len);

/**
 * mem_attrs_import() - a list of a descriptor
 * @endpoint: where it came from; the list is of its context
 * @bytes: what mem_attrs_export() gave the peer
 * @len: bytes of it
 * @lists: unreconciled lists of the caller's that a reconciled list must
 *	satisfy; may be NULL if @nr_lists is 0
 * @nr_lists: of those
 * @attrs: out: the list, owned by the caller: mem_attrs_destroy()
 *
 * Context: any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, lists of the wrong kind), -EBADMSG
 * (no such descriptor: cut, changed, of another version or endpoint), -EADV (it
 * does not satisfy @lists), -EPERM (see mem_attrs_create()), -ENOMEM.
 */
int mem_attrs_import(struct mem_endpoint *endpoint, const void *bytes,
		     size_t len, struct mem_attrs *const *lists,
		     size_t nr_lists, struct mem_attrs **attrs);

/**
 * mem_object_export() - a descriptor of an object and its list
 * @object: object
 * @perm: MEM_READ or MEM_RW: what the peer may do at most
 * @endpoint: whose peer it is for
 * @timeout_ns: how long to wait while the peer's queue is full
 * @bytes: out: the descriptor, owned by the caller: free()
 * @len: out: bytes of it
 *
 * Embedded, memory of two views has one from then on: what the processes store
 * is seen by all at once, and forgotten maintenance of it is not found.
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, no such @perm), -EACCES (@perm is
 * more than the object has), -EPIPE (the peer has gone), -ETIMEDOUT,
 * -EOPNOTSUPP (an older module cannot restrict a descriptor), -EPERM (see
 * mem_attrs_create()), -EMFILE or -ENFILE, -ENOMEM.
 */
int mem_object_export(struct mem_object *object, unsigned int perm,
		      struct mem_endpoint *endpoint, uint64_t timeout_ns,
		      void **bytes, size_t *len);

/**
 * mem_object_import() - an object of a descriptor
 * @endpoint: where it came from; the object is of its context
 * @bytes: what mem_object_export() gave the peer
 * @len: bytes of it
 * @lists: unreconciled lists of the caller's that the object's list must
 *	satisfy; may be NULL if @nr_lists is 0
 * @nr_lists: of those
 * @perm: MEM_READ or MEM_RW, what is asked for, whatever @lists say of it; 0:
 *	what was given, which must be as much as @lists ask for
 * @timeout_ns: how long to wait for the memory to arrive
 * @object: out: the object with one reference: mem_object_put()
 *
 * Context: may sleep; any thread.
 * Return: 0, or -EINVAL (a pointer is NULL, no such @perm, lists of the wrong
 * kind), -EBADMSG (no such descriptor: cut, changed, of another version or
 * endpoint, imported already; or the memory is shorter than its list says),
 * -EADV (the list does not satisfy @lists), -EACCES (@perm is more than was
 * given), -ETIMEDOUT, -EPIPE (the peer has gone before the memory came), -EPERM
 * (see mem_attrs_create()), -EMFILE, -ENOMEM. Unless that is -EBADMSG the same
 * descriptor may be tried again; where no file descriptor was left when the
 * memory came, it is lost. Until then it stays one of the MEM_ENDPOINT_QUEUE
 * that the peer may have under way: who does not want an object imports it
 * without @lists, and puts it.
 */
int mem_object_import(struct mem_endpoint *endpoint, const void *bytes,
		      size_t len, struct mem_attrs *const *lists,
		      size_t nr_lists, unsigned int perm, uint64_t timeout_ns,
		      struct mem_object **object);

/**
 * mem_object_export_bare() - a descriptor of an object without its list
 * @object: object
 * @perm: as mem_object_export()
 * @endpoint: whose peer it is for
 * @timeout_ns: as mem_object_export()
 * @desc: out: MEM_OBJECT_DESC_LEN bytes, all of which are written
 *
 * For a peer that has the list by mem_attrs_export(), and many such objects.
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_object_export().
 */
int mem_object_export_bare(struct mem_object *object, unsigned int perm,
			   struct mem_endpoint *endpoint, uint64_t timeout_ns,
			   void *desc);

/**
 * mem_object_import_bare() - an object of a descriptor without a list
 * @endpoint: where it came from; the object is of its context
 * @desc: what mem_object_export_bare() gave the peer
 * @attrs: the object's list: reconciled, of the same context; copied
 * @perm: as mem_object_import()
 * @timeout_ns: as mem_object_import()
 * @object: out: the object with one reference: mem_object_put()
 *
 * Context: may sleep; any thread.
 * Return: 0, or as mem_object_import(); -EBADMSG also if the memory is not such
 * as @attrs says; -EINVAL also if @attrs is not reconciled; -EXDEV (it is of
 * another context).
 */
int mem_object_import_bare(struct mem_endpoint *endpoint, const void *desc,
			   const struct mem_attrs *attrs, unsigned int perm,
			   uint64_t timeout_ns, struct mem_object **object);

#ifdef __cplusplus
}
#endif

#endif
