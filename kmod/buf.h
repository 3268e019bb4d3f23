/* SPDX-License-Identifier: GPL-2.0-only */
/* Buffers, and the DRAM that they have. */
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
struct heapsim_ctx_buf;		/* streams.h */
struct heapsim_devview;		/* devview.c */
struct heapsim_user;		/* limit.c */

/** enum heapsim_touch - what the CPU does */
enum heapsim_touch {
	HEAPSIM_TOUCH_READ,
	HEAPSIM_TOUCH_WRITE,
};

/**
 * struct heapsim_access - the CPU touches bytes of one page
 * @off: first byte, in the buffer
 * @len: bytes
 * @touch: read or write
 * @addr: of the first byte, in the process that touches; 0: a debugger does
 * @is_again: the instruction was interrupted when this had been judged
 * @is_wrong: the context that has the buffer does not allow it: it was told
 */
struct heapsim_access {
	u64 off;
	size_t len;
	enum heapsim_touch touch;
	u64 addr;
	bool is_again;
	bool is_wrong;
};

/**
 * struct heapsim_export - priv of a dma-buf of a buffer
 * @buf: the buffer; a further dma-buf has a reference of its own dma-buf
 * @user: user who is charged for a further dma-buf; NULL of its own
 */
struct heapsim_export {
	struct heapsim_buf *buf;
	struct heapsim_user *user;
};

/**
 * struct heapsim_buf - a buffer of ours
 * @own: priv of @dmabuf
 * @dmabuf: its own dma-buf; those that were made of it keep it
 * @id: never used again
 * @inode: number of the dma-buf's, as fstat() and /proc/PID/maps tell it
 * @len: bytes
 * @nr_pages: pages
 * @kind: enum heapsim_kind, never HEAPSIM_KIND_SYSTEM
 * @is_noncoherent: its kind has two views, unless its policy is off
 * @is_faulted: its PTEs can be taken away: mapped by faults
 * @is_wc: mapped write-combined
 * @owned: what the context that it belongs to has of it, NULL none
 * @pool: where its chunks go
 * @user: whose limit it counts against
 * @name: as given at allocation; see heapsim_buf_get_name()
 * @chunks: DRAM
 * @nr_chunks: how many
 * @node: in heapsim_bufs
 * @is_touched: DRAM may have been written and so may be non-zero; see
 *	heapsim_buf_set_touched(). Of a two-view buffer with lines it is false
 *	only while nobody can write DRAM
 * @vmap_lock: around vmap and vunmap, of which each dma-buf has its own count
 * @nr_vmapped: dma-bufs that are vmapped; under @vmap_lock
 * @lock: protects what follows, and what PTEs show
 * @rule: its policy
 * @is_revoked: the CPU may not touch it now; with policy off nobody looks.
 *	A caller that is killed may set it without this lock: only those who
 *	have the context's lock change it
 * @has_stores: CPU lines of it may be dirty
 * @has_own_stores: the CPU stored when it might, and was not cleaned since
 * @view: its device view, NULL none
 * @reserved: bytes that count against the limits besides @len
 * @has_images: @reserved has what CPU images and twins may take
 * @has_two_views: CPU and engines may see different bytes; stays as it is while
 *	somebody holds the buffer, has a bracket open or a job to run
 * @attachments: struct heapsim_attachment, of importer.c
 * @nr_areas: of processes that map it or its device view by faults
 * @nr_holders: importers that map or vmap
 * @nr_writers: those of them that may write
 * @brackets: struct heapsim_bracket, one a process
 * @last_who: the last number that one of them got
 * @is_vmapped: a driver has a kernel mapping, or is about to
 * @vmap_is_cpu: it shows CPU images
 * @vaddr: that mapping or NULL; written under @vmap_lock, not the lock
 * @vmapper: who vmapped it first, while @vaddr
 * @vmap_pages_cpu: the vmap shows CPU images: they stay
 * @active: bit a page: it may have valid or engine-written lines
 * @stored: bit a page: it may have Dirty lines
 * @mapped: bit a page: it may have PTEs, or had them until it was cleaned
 * @nr_job_ends: engine jobs that will end or have, and are to be tidied up
 * @random: state of random eviction
 * @reader: START of the bracket whose reads the model judges, else NULL
 * @lines_lock: protects what follows
 * @notes: an array of as many as there are pages, with @lines
 * @access: what the CPU is doing while the model judges it
 * @acting: whose job reads or writes DRAM while the model judges it
 * @writer: the importer that may write and began to hold last
 * @lines: the model's state; its arrays are NULL until first needed
 * @nr_jobs: times that engine jobs will read or write DRAM
 * @nr_write_jobs: engine jobs and device views that will write DRAM; also read
 *	without @lines_lock
 * @was_faulted: the CPU got PTEs while a job was to write
 */
struct heapsim_buf {
	struct heapsim_export own;
	struct dma_buf *dmabuf;
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

	struct mutex lock;
	struct heapsim_rule rule;
	bool is_revoked;
	bool has_stores;
	bool has_own_stores;
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
	u64 random;
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
 * heapsim_buf_set_touched() - DRAM is no longer known to be zero
 * @buf: buffer
 *
 * Called before DRAM can be written, with or without the buffer's lock: it
 * only ever stores true. A read-modify-write could store back an old false,
 * and the pages would go to the next user as zeroed ones. No test can hit that
 * window, so the field is const: no other store compiles.
 */
static inline void heapsim_buf_set_touched(struct heapsim_buf *buf)
{
	if (!READ_ONCE(buf->is_touched))
		WRITE_ONCE(*(bool *)&buf->is_touched, true);
}

/**
 * heapsim_buf_of_ours() - the buffer behind a dma-buf of a buffer
 * @dmabuf: one whose operations are those of buffers
 *
 * Return: the buffer.
 */
static inline struct heapsim_buf *
heapsim_buf_of_ours(const struct dma_buf *dmabuf)
{
	const struct heapsim_export *export = dmabuf->priv;

	return export->buf;
}

/* An engine may write DRAM while the CPU looks: no sharing of its pages. */
static inline bool heapsim_buf_is_written(const struct heapsim_buf *buf)
{
	return buf->nr_writers || READ_ONCE(buf->nr_write_jobs);
}

/**
 * heapsim_buf_get_name() - the name of a buffer
 * @buf: buffer
 * @name: out: HEAPSIM_NAME_LEN bytes: the name that DMA_BUF_SET_NAME gave it,
 *	else the one given at allocation
 *
 * Context: any but interrupts.
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
 * struct heapsim_wish - a buffer to make
 * @len: bytes, above 0; rounded up to pages
 * @kind: enum heapsim_kind but HEAPSIM_KIND_FOREIGN
 * @fd_flags: O_ACCMODE and O_CLOEXEC for the file
 * @name: name for reports, at most HEAPSIM_NAME_LEN - 1 bytes; copied
 * @attach: of KIND_MANAGED: HEAPSIM_ATTACH_GLOBAL or HEAPSIM_ATTACH_HOST
 * @ctx: open of /dev/heapsim that asks, NULL none
 */
struct heapsim_wish {
	u64 len;
	u32 kind;
	int fd_flags;
	const char *name;
	u32 attach;
	struct heapsim_ctx *ctx;
};

int heapsim_buf_create_fd(const struct heapsim_wish *wish,
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
