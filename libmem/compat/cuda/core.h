/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CUDA layer: the common core of the runtime's calls (libmem-cudart) and
 * the driver's (libmem-cuda). It is part of libmem-cuda and uses libmem.h and
 * cuda.h. It returns the driver's error numbers, which equal the runtime's
 * wherever both have the error.
 *
 * Unlike libmem it has global state, as CUDA has: the devices, their primary
 * contexts, the current context of each thread, and the program's objects and
 * kernels.
 */
#ifndef _COMPAT_CUDA_CORE_H
#define _COMPAT_CUDA_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cuda.h"
#include "heapsim_cu.h"
#include "libmem.h"

/* Exported by libmem-cuda for libmem-cudart only */
#define CORE_API	__attribute__((visibility("default")))
#define API		__attribute__((visibility("default")))

/**
 * struct core_device - a GPU of the board
 * @ordinal: number of the device for the program
 * @engine: enum mem_engine
 * @is_discrete: has memory of its own
 * @name: name in the device's properties
 * @board: properties of the board
 */
struct core_device {
	int ordinal;
	unsigned int engine;
	bool is_discrete;
	char name[64];
	struct mem_board board;
};

/**
 * struct CUctx_st - a context
 * @mem: libmem's context; primary contexts share one, as they share a board
 * @device: device of the context
 * @flags: flags with which it was created
 * @is_primary: primary context of @device; else created by the program
 * @nr_users: of a primary context: how often it is retained
 * @is_open: it exists; a primary context can be closed and opened again
 * @next: next context that the program created
 */
struct CUctx_st {
	struct mem_ctx *mem;
	const struct core_device *device;
	unsigned int flags;
	bool is_primary;
	unsigned int nr_users;
	bool is_open;
	struct CUctx_st *next;
};

/** struct CUstream_st - a stream that the program created */
struct CUstream_st {
	struct CUctx_st *ctx;
	struct mem_stream *mem;
	unsigned int flags;
};

/**
 * struct CUevent_st - an event
 * @ctx: context that owns it
 * @mem: libmem's event
 * @flags: CU_EVENT_*
 * @is_sync: made from an EGLSync: it cannot be recorded
 */
struct CUevent_st {
	struct CUctx_st *ctx;
	struct mem_event *mem;
	unsigned int flags;
	bool is_sync;
};

/**
 * struct CUextSemaphore_st - an imported semaphore
 * @ctx: context
 * @mem: semaphore; NULL: an NvSciSyncObj
 * @timeline: timeline of an NvSciSyncObj, a reference, or NULL
 * @cpu_perm: that of an NvSciSyncObj
 */
struct CUextSemaphore_st {
	struct CUctx_st *ctx;
	struct mem_semaphore *mem;
	struct mem_timeline *timeline;
	unsigned int cpu_perm;
};

/** enum core_type - types of the program's objects */
enum core_type {
	CORE_MEMORY,
	CORE_PINNED,
	CORE_REGISTERED,
	CORE_STREAM,
	CORE_EVENT,
	CORE_ARRAY,
	CORE_MIPMAP,
	CORE_SURFACE,
	CORE_TEXTURE,
	CORE_VIEWS,
	CORE_EXTERNAL,
	CORE_MAPPING,
	CORE_IPC,
	CORE_SEMAPHORE,
	CORE_CONNECTION,
	CORE_GRAPHICS,
	CORE_NR_TYPES,
};

/**
 * struct core_ptr - properties of an address
 * @kind: enum mem_kind; MEM_KIND_PAGEABLE: unknown to CUDA
 * @ctx: context that owns the memory, or NULL
 * @is_start: it is the address that the allocation returned
 * @info: libmem's information
 */
struct core_ptr {
	enum mem_kind kind;
	struct CUctx_st *ctx;
	bool is_start;
	struct mem_ptr_info info;
};

/* context.c */
CORE_API int core_init(void);
CORE_API int core_nr_devices(void);
CORE_API const struct core_device *core_device(int ordinal);
CORE_API int core_current(struct CUctx_st **ctx);
CORE_API struct CUctx_st *core_top(void);
CORE_API int core_push(struct CUctx_st *ctx);
CORE_API int core_pop(struct CUctx_st **ctx);
CORE_API int core_set_top(struct CUctx_st *ctx);
CORE_API int core_get_device(void);
CORE_API int core_set_device(int ordinal);
CORE_API struct CUctx_st *core_primary(int ordinal);
CORE_API int core_primary_open(int ordinal, struct CUctx_st **ctx);
CORE_API int core_primary_retain(int ordinal, struct CUctx_st **ctx);
CORE_API int core_primary_release(int ordinal);
CORE_API int core_primary_reset(int ordinal);
CORE_API int core_primary_state(int ordinal, unsigned int *flags,
				bool *is_active);
CORE_API int core_primary_set_flags(int ordinal, unsigned int flags);
CORE_API int core_ctx_create(int ordinal, unsigned int flags,
			     struct CUctx_st **ctx);
CORE_API int core_ctx_set_flags(struct CUctx_st *ctx, unsigned int flags);
CORE_API int core_ctx_destroy(struct CUctx_st *ctx);
CORE_API bool core_ctx_exists(const struct CUctx_st *ctx);
CORE_API int core_ctx_sync(struct CUctx_st *ctx);
CORE_API int core_error(int err);

/* attribute.c */
CORE_API int core_attribute(const struct core_device *device, int attr,
			    int *value);

/* identity.c */
CORE_API int core_pci_id(const struct core_device *device, char *id, int len);
CORE_API int core_device_at(const char *id, int *ordinal);
CORE_API int core_uuid(const struct core_device *device,
		       unsigned char *uuid);

/* object.c */
CORE_API int core_object_add(enum core_type type, void *object,
			     struct CUctx_st *ctx);
CORE_API struct CUctx_st *core_object_ctx(enum core_type type,
					  const void *object);
CORE_API bool core_object_del(enum core_type type, const void *object);

/* memory.c */
CORE_API int core_alloc(struct CUctx_st *ctx, enum mem_kind kind, uint64_t len,
			unsigned int flags, void **ptr);
CORE_API int core_free(enum core_type type, void *ptr);
CORE_API int core_register(struct CUctx_st *ctx, void *ptr, uint64_t len,
			   unsigned int flags);
CORE_API int core_unregister(void *ptr);
CORE_API void core_ptr(const void *ptr, struct core_ptr *what);
CORE_API int core_memory(struct CUctx_st *ctx, uint64_t *nr_free,
			 uint64_t *nr_all);

/* extmem.c */
CORE_API int core_extmem_import(const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *what,
				CUexternalMemory *memory);
CORE_API int
core_extmem_buffer(CUexternalMemory memory,
		   const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc, void **ptr);
CORE_API int
core_extmem_mipmap(CUexternalMemory memory,
		   const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *desc,
		   CUmipmappedArray *mipmap);
CORE_API int core_extmem_destroy(CUexternalMemory memory);

/* ipc.c */
CORE_API int core_ipc_export(const void *ptr, void *handle);
CORE_API int core_ipc_open(const void *handle, unsigned int flags,
			   void **ptr);
CORE_API int core_ipc_close(void *ptr);

/* copy.c */

/* Sides of a copy that must be device memory; others may be any memory */
#define CORE_SRC_DEVICE	0x1U
#define CORE_DST_DEVICE	0x2U

/**
 * struct core_copy - parameters of a copy of rows
 * @rows: rows
 * @sides: CORE_*_DEVICE
 * @stream: stream
 * @is_async: do not wait
 */
struct core_copy {
	struct mem_rows rows;
	unsigned int sides;
	CUstream stream;
	bool is_async;
};

/**
 * struct core_set - parameters of a fill of rows
 * @dst: first byte
 * @pitch: bytes from one row to the next; ignored if there is only one row
 * @value: value of each element
 * @value_len: bytes of an element: 1, 2 or 4
 * @row_len: elements of a row
 * @nr_rows: number of rows
 * @stream: stream
 * @is_async: do not wait
 */
struct core_set {
	void *dst;
	uint64_t pitch;
	uint32_t value;
	unsigned int value_len;
	uint64_t row_len;
	uint64_t nr_rows;
	CUstream stream;
	bool is_async;
};

CORE_API int core_copy(const struct core_copy *copy);
CORE_API int core_set(const struct core_set *set);

/* pool.c */
CORE_API int core_alloc_async(uint64_t len, CUmemoryPool pool, CUstream stream,
			      void **ptr);
CORE_API int core_alloc_from_pool(uint64_t len, CUmemoryPool pool,
				  CUstream stream, void **ptr);
CORE_API int core_free_async(void *ptr, CUstream stream);
CORE_API CUmemoryPool core_pool_of(const void *ptr);
CORE_API int core_pool_default(int ordinal, CUmemoryPool *pool);
CORE_API int core_pool_current(int ordinal, CUmemoryPool *pool);
CORE_API int core_pool_set_current(int ordinal, CUmemoryPool pool);
CORE_API int core_pool_create(const CUmemPoolProps *props, CUmemoryPool *pool);
CORE_API int core_pool_destroy(CUmemoryPool pool);
CORE_API int core_pool_trim_to(CUmemoryPool pool);
CORE_API int core_pool_attribute(CUmemoryPool pool, unsigned int attr,
				 void *value);
CORE_API int core_pool_set_attribute(CUmemoryPool pool, unsigned int attr,
				     const void *value);
CORE_API int core_pool_access(CUmemoryPool pool, const CUmemLocation *location,
			      unsigned int *flags);
CORE_API int core_pool_set_access(CUmemoryPool pool,
				  const CUmemAccessDesc *access, size_t nr);

/* advice.c */
CORE_API int core_advise(const void *ptr, uint64_t len, unsigned int advice,
			 int location);
CORE_API int core_prefetch(const void *ptr, uint64_t len, int location,
			   CUstream stream);
CORE_API int core_range_attribute(void *to, size_t size,
				  unsigned int attribute, const void *ptr,
				  uint64_t len);

/*
 * stream.c, event.c. A stream may be NULL, CU_STREAM_LEGACY or
 * CU_STREAM_PER_THREAD.
 */
CORE_API int core_stream(struct CUctx_st *ctx, CUstream handle,
			 struct mem_stream **stream);
CORE_API int core_stream_create(struct CUctx_st *ctx, unsigned int flags,
				int priority, CUstream *stream);
CORE_API int core_stream_destroy(CUstream stream);
CORE_API int core_stream_attach(CUstream stream, void *ptr, uint64_t len,
				unsigned int flags);
CORE_API int core_stream_call(CUstream stream, void (*fn)(void *), void *arg);
CORE_API int core_stream_callback(CUstream stream, CUstreamCallback fn,
				  void *arg, unsigned int flags);
CORE_API int core_capture_mode(unsigned int *mode);
CORE_API int core_event_create(struct CUctx_st *ctx, unsigned int flags,
			       CUevent *event);
CORE_API int core_event_destroy(CUevent event);
CORE_API int core_event(CUevent handle, struct mem_event **event);
CORE_API int core_event_record(CUevent event, CUstream stream);
CORE_API int core_event_wait(CUstream stream, CUevent event,
			     unsigned int flags);
CORE_API int core_event_elapsed(CUevent start, CUevent end, float *ms);

/* semaphore.c */

/**
 * struct core_semaphore_desc - parameters of a semaphore's import
 * @call: name of the public function
 * @type: CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_*
 * @fd: descriptor, for types that have one
 * @object: NvSciSyncObj, for that type
 * @flags: flags of NvSciSync
 */
struct core_semaphore_desc {
	const char *call;
	unsigned int type;
	int fd;
	const void *object;
	unsigned int flags;
};

CORE_API int core_semaphore_import(struct CUctx_st *ctx,
				   const struct core_semaphore_desc *desc,
				   CUexternalSemaphore *semaphore);
CORE_API int
core_semaphores_signal(const CUexternalSemaphore *all,
		       const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS *params,
		       unsigned int nr, CUstream stream);
CORE_API int
core_semaphores_wait(const CUexternalSemaphore *all,
		     const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params,
		     unsigned int nr, CUstream stream);
CORE_API int core_sync_attributes(void *list, unsigned int flags);
CORE_API int core_semaphore_destroy(CUexternalSemaphore semaphore);

/* stream_attribute.c */
CORE_API int core_stream_attribute(CUstream stream, unsigned int attr,
				   CUlaunchAttributeValue *value);
CORE_API int core_stream_set_attribute(CUstream stream, unsigned int attr,
				       const CUlaunchAttributeValue *value);
CORE_API int core_stream_copy_attributes(CUstream dst, CUstream src);

/* launch.c */

CORE_API int core_kernel_add(struct heapsim_kernel *kernel);
CORE_API struct heapsim_kernel *core_kernel_find(const void *fn);

/**
 * struct core_launch - parameters of a launch
 * @kernel: kernel
 * @grid: number of blocks
 * @block: number of threads in a block
 * @shared_len: dynamic shared memory of a block, bytes
 * @stream: stream
 * @args: pointers to the values of the parameters
 */
struct core_launch {
	const struct heapsim_kernel *kernel;
	unsigned int grid[3];
	unsigned int block[3];
	size_t shared_len;
	CUstream stream;
	void **args;
};

CORE_API bool core_launch_fits(const struct core_launch *launch);
CORE_API int core_launch_attributes(const CUlaunchAttribute *attrs,
				    unsigned int nr);
CORE_API int core_launch(const struct core_launch *launch);
CORE_API int core_set_stack_limit(size_t len);
CORE_API size_t core_stack_limit(void);

/* limit.c */
CORE_API int core_limit(unsigned int limit, size_t *value);
CORE_API int core_set_limit(unsigned int limit, size_t value);
CORE_API bool core_is_cache_config(unsigned int config);
CORE_API unsigned int core_cache_config(void);
CORE_API int core_set_cache_config(unsigned int config);

/* function.c */
CORE_API int core_function_attribute(const struct heapsim_kernel *kernel,
				     const struct core_device *device,
				     unsigned int attr, int *value);
CORE_API int core_set_function_attribute(struct heapsim_kernel *kernel,
					 const struct core_device *device,
					 unsigned int attr, int value);
CORE_API int core_occupancy(const struct core_device *device, int block_size,
			    size_t shared_len);
CORE_API int core_occupancy_shared(const struct core_device *device,
				   int nr_blocks, int block_size, size_t *len);

/* symbol.c */

/**
 * struct core_symbol - a variable of the program in libmem's memory
 * @at: address
 * @len: bytes
 * @initial: initial value, also after a reset
 * @kind: MEM_KIND_DEVICE or MEM_KIND_MANAGED
 * @name: name in the program
 */
struct core_symbol {
	void *at;
	size_t len;
	const void *initial;
	enum mem_kind kind;
	const char *name;
};

CORE_API void *core_symbol_add(const struct core_symbol *symbol);
CORE_API const struct core_symbol *core_symbol_find(const void *at);

/* error.c */

/**
 * struct core_error_text - an error's names and text
 * @code: number
 * @runtime: the runtime's name; NULL: the runtime does not have it
 * @driver: the driver's name; NULL: the driver does not have it
 * @text: description for people
 */
struct core_error_text {
	int code;
	const char *runtime;
	const char *driver;
	const char *text;
};

CORE_API const struct core_error_text *core_error_text(int code);

/* context.c: for a call that is not implemented; reports list it once. */
CORE_API int core_missing(const char *call);

#endif
