/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers and their DRAM. */
#ifndef HEAPSIM_BUF_H
#define HEAPSIM_BUF_H

#include <linux/atomic.h>
#include <linux/dma-buf.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "pool.h"
#include "record.h"

struct heapsim_ctx;
struct heapsim_ctx_buf;		/* ctx_buf.h */
struct heapsim_devview;		/* devview.c */
struct heapsim_user;		/* limit.c */

/** enum heapsim_touch - kind of access by the CPU */
enum heapsim_touch {
	HEAPSIM_TOUCH_READ,
	HEAPSIM_TOUCH_WRITE,
};

/**
 * struct heapsim_access - an access by the CPU, within one page
 * @off: offset of the first byte in the buffer
 * @len: bytes
 * @touch: read or write
 * @addr: user address of the first byte; 0 if a debugger accesses the buffer
 * @ip: user address of the instruction; 0 if the kernel or a debugger accesses
 *	the buffer
 * @is_again: the access has been judged already, but the instruction was
 *	interrupted before it completed
 * @is_wrong: the buffer's context forbids the access, which has been counted
 */
struct heapsim_access {
	u64 off;
	size_t len;
	enum heapsim_touch touch;
	u64 addr;
	u64 ip;
	bool is_again;
	bool is_wrong;
};

/**
 * struct heapsim_export - private data of a dma-buf of a buffer
 * @buf: the buffer; an additional dma-buf holds a reference to the first one
 * @user: user who is charged for an additional dma-buf; NULL for the first one
 */
struct heapsim_export {
	struct heapsim_buf *buf;
	struct heapsim_user *user;
};

/**
 * struct heapsim_buf - a buffer
 * @own: private data of @dmabuf
 * @dmabuf: the first dma-buf; each additional one and the device view hold a
 *	reference to it
 * @id: unique while the module is loaded
 * @mapping: that of @dmabuf, with a reference to its inode, which release()
 *	would find freed
 * @inode: inode number of @dmabuf, as fstat() and /proc/PID/maps report it
 * @len: bytes, a multiple of the page size
 * @nr_pages: @len in pages
 * @kind: enum heapsim_kind, never HEAPSIM_KIND_SYSTEM
 * @is_noncoherent: buffers of this kind have two views unless their policy is
 *	off
 * @is_faulted: mapped page by page on faults, so that PTEs can be revoked
 * @is_wc: mapped write-combined
 * @owned: state of the buffer in its context; NULL if it belongs to none
 * @pool: pool that the chunks are freed to; NULL for contiguous memory
 * @user: user whose limit the buffer counts against
 * @name: name given at allocation; see heapsim_buf_get_name()
 * @chunks: DRAM
 * @nr_chunks: number of chunks
 * @node: entry in heapsim_bufs
 * @is_touched: DRAM may have been written and so may be non-zero; see
 *	heapsim_buf_set_touched(). If a two-view buffer has line state, false
 *	also means that nobody can currently write DRAM
 * @vmap_lock: serialises vmap and vunmap of all dma-bufs of the buffer
 * @nr_vmapped: number of dma-bufs that are vmapped; protected by @vmap_lock
 * @stock_lock: held by a caller that stocks CPU images and twins. They are no
 *	more than the buffer has reserved only if one caller at a time has them
 * @lock: protects the fields below and the PTEs of the buffer
 * @rule: policy
 * @has_stores: CPU lines may be dirty
 * @view: device view, or NULL
 * @reserved: bytes that count against the limits in addition to @len
 * @has_images: @reserved includes what CPU images and twins can take
 * @has_two_views: CPU and engines may see different bytes. Does not change
 *	while the buffer has a holder, an open bracket or a job
 * @attachments: list of struct heapsim_attachment
 * @nr_areas: VMAs that map the buffer or its device view on faults
 * @nr_holders: importers that have mapped or vmapped the buffer
 * @nr_writers: holders that may write
 * @brackets: list of struct heapsim_bracket, one for each process
 * @last_who: last number given to an entry of @brackets
 * @is_vmapped: a kernel mapping exists or is being set up
 * @vmap_is_cpu: the kernel mapping shows CPU images
 * @vaddr: kernel mapping, or NULL; written with @vmap_lock held, not @lock
 * @vmapper: first caller of vmap; valid while @vaddr is set
 * @vmap_pages_cpu: CPU images are mapped into the kernel and must not be freed
 * @active: bitmap of pages that may have valid or engine-written lines
 * @stored: bitmap of pages that may have Dirty lines
 * @mapped: bitmap of pages that may have PTEs; a clean leaves the bits set
 * @nr_job_ends: jobs that have begun to write and whose end has not been
 *	handled
 * @reader: START of the bracket whose reads the model is judging, else NULL
 * @lines_lock: protects the fields below
 * @notes: array with an entry for each page; allocated with @lines
 * @access: CPU access that the model is judging, or NULL
 * @acting: job that accesses DRAM while the model judges it, or NULL
 * @writer: importer with write access that was the last to become a holder
 * @lines: state of the model; its arrays are NULL until they are needed
 * @nr_jobs: job sides that use DRAM of the buffer
 * @nr_write_jobs: jobs and device views that are going to write DRAM; also read
 *	without @lines_lock
 * @was_faulted: the CPU got PTEs while a job was going to write
 */
struct heapsim_buf {
	struct heapsim_export own;
	struct dma_buf *dmabuf;
	struct address_space *mapping;
	u64 id;
	u64 inode;
	size_t len;
	size_t nr_pages;
	u32 kind;
	bool is_noncoherent;
	bool is_faulted;
	bool is_wc;
	struct heapsim_ctx_buf *owned;
	struct heapsim_pool *pool;
	struct heapsim_user *user;
	char name[HEAPSIM_NAME_LEN];
	struct heapsim_chunk *chunks;
	size_t nr_chunks;
	struct list_head node;
	const bool is_touched;

	struct mutex vmap_lock;
	u32 nr_vmapped;

	struct mutex stock_lock;

	struct mutex lock;
	struct heapsim_rule rule;
	bool has_stores;
	struct heapsim_devview *view;
	u64 reserved;
	bool has_images;
	bool has_two_views;
	struct list_head attachments;
	atomic_t nr_areas;
	u32 nr_holders;
	u32 nr_writers;
	struct list_head brackets;
	u32 last_who;
	bool is_vmapped;
	bool vmap_is_cpu;
	void *vaddr;
	struct heapsim_party vmapper;
	bool vmap_pages_cpu;
	unsigned long *active;
	unsigned long *stored;
	unsigned long *mapped;
	u32 nr_job_ends;
	const struct heapsim_cpu *reader;

	spinlock_t lines_lock;
	struct heapsim_note *notes;
	const struct heapsim_access *access;
	const struct heapsim_party *acting;
	struct heapsim_party writer;
	struct line_buf lines;
	u32 nr_jobs;
	u32 nr_write_jobs;
	bool was_faulted;
};

/**
 * heapsim_buf_set_touched() - note that DRAM is no longer known to be zero
 * @buf: buffer
 *
 * Called before DRAM can be written, with or without the buffer's lock, and so
 * only ever stores true. A read-modify-write could store an old false back, and
 * the pages would be handed to the next user as zeroed ones. No test can hit
 * that window, so the field is const: no other store compiles.
 */
static inline void heapsim_buf_set_touched(struct heapsim_buf *buf)
{
	if (!READ_ONCE(buf->is_touched))
		WRITE_ONCE(*(bool *)&buf->is_touched, true);
}

/**
 * heapsim_buf_of_ours() - get the buffer of a dma-buf that this module exported
 * @dmabuf: dma-buf whose operations are those of buffers
 *
 * Return: the buffer.
 */
static inline struct heapsim_buf *
heapsim_buf_of_ours(const struct dma_buf *dmabuf)
{
	const struct heapsim_export *export = dmabuf->priv;

	return export->buf;
}

/*
 * Returns true if DRAM may be written at any time: the CPU must not share its
 * pages.
 */
static inline bool heapsim_buf_is_written(const struct heapsim_buf *buf)
{
	return buf->nr_writers || READ_ONCE(buf->nr_write_jobs);
}

/**
 * heapsim_buf_get_name() - get the name of a buffer
 * @buf: buffer
 * @name: out: HEAPSIM_NAME_LEN bytes; the name set by DMA_BUF_SET_NAME if there
 *	is one, else the name given at allocation
 *
 * Context: any except interrupts.
 */
static inline void heapsim_buf_get_name(const struct heapsim_buf *buf,
					char *name)
{
	struct dma_buf *dmabuf = buf->dmabuf;

	memcpy(name, buf->name, HEAPSIM_NAME_LEN);
	spin_lock(&dmabuf->name_lock);
	if (dmabuf->name)
		strscpy_pad(name, dmabuf->name, HEAPSIM_NAME_LEN);
	spin_unlock(&dmabuf->name_lock);
}

/* dram.c */
int heapsim_dram_alloc(struct heapsim_buf *buf);
void heapsim_dram_free(struct heapsim_buf *buf);
int heapsim_dram_reserve_images(struct heapsim_buf *buf);
int heapsim_dram_reserve_view(struct heapsim_buf *buf);
struct page *heapsim_dram_page(const struct heapsim_buf *buf, size_t page);

/* buf.c */
extern struct list_head heapsim_bufs;
extern struct mutex heapsim_bufs_lock;	/* protects heapsim_bufs */

/**
 * struct heapsim_buf_params - parameters of a buffer to allocate
 * @len: bytes, above 0; rounded up to whole pages
 * @kind: enum heapsim_kind except HEAPSIM_KIND_FOREIGN
 * @fd_flags: O_ACCMODE and O_CLOEXEC of the file
 * @name: name for reports, at most HEAPSIM_NAME_LEN - 1 bytes; copied
 * @attach: HEAPSIM_ATTACH_GLOBAL or HEAPSIM_ATTACH_HOST for KIND_MANAGED
 * @ctx: open of /dev/heapsim that allocates the buffer; NULL for a heap
 */
struct heapsim_buf_params {
	u64 len;
	u32 kind;
	int fd_flags;
	const char *name;
	u32 attach;
	struct heapsim_ctx *ctx;
};

int heapsim_buf_create_fd(const struct heapsim_buf_params *params,
			  struct dma_buf **dmabuf);
int heapsim_buf_reopen_fd(struct dma_buf *given, int fd_flags,
			  struct dma_buf **dmabuf);
struct heapsim_buf *heapsim_buf_of(struct dma_buf *dmabuf);
int heapsim_buf_revoke(struct dma_buf *dmabuf);
int heapsim_buf_set_policy(struct dma_buf *dmabuf,
			   const struct heapsim_rule *rule);
const char *heapsim_kind_name(u32 kind);
u32 heapsim_kind_resolve(u32 kind);
void heapsim_bufs_get_info(struct heapsim_info *info);

#endif
