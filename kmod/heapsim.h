/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the module share.
 *
 * Lock order: mmap_lock, dma_resv, heapsim_streams.lock, heapsim_buf.lock,
 * i_mmap_rwsem, PTE lock, heapsim_buf.lines_lock, then one of watchers_lock (of
 * watch.c), parties_lock (of record.c), stacks_lock (of stack.c) and
 * dma_buf.name_lock. Under heapsim_streams.lock no user memory is touched.
 * rules_lock (of policy.c) has none of these around or in it. Under
 * heapsim_buf.lock nothing that may sleep is allocated but page tables (by the
 * core, while a PFN is inserted).
 * A worker between publication and signal of its fence takes lines_lock,
 * watchers_lock, parties_lock, name_lock, heapsim_share.lock (of queue.c) and
 * those of fences alone.
 * heapsim_queue.lock (of queue.c) is taken before dma_resv.
 */
#ifndef HEAPSIM_H
#define HEAPSIM_H

#include <linux/atomic.h>
#include <linux/dma-buf.h>
#include <linux/dma-fence.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/tracepoint-defs.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include <linux/heapsim.h>

#include "compat.h"
#include "model/line.h"
#include "model/profile.h"

/* Every wait for fences of others ends after this. */
#define HEAPSIM_WAIT_MS		5000

/* At least so long: rounded up, and the present one is partly over. */
static inline unsigned long heapsim_jiffies_of(u64 ns)
{
	return nsecs_to_jiffies(ns + TICK_NSEC - 1) + 1;
}

/*
 * Asked for each page of a long operation. What a worker of io_uring's runs is
 * cancelled by a signal that is not fatal. The thread that polls a queue is a
 * worker by its flag, too: it gets such signals when any request is done.
 */
static inline bool heapsim_is_killed(void)
{
	return fatal_signal_pending(current) ||
	       (current->flags & PF_IO_WORKER && current->worker_private &&
		signal_pending(current));
}

/* Takes a lock whose holder may clean gigabytes, if the caller @waits. */
static inline int heapsim_lock(struct mutex *lock, bool waits)
{
	if (waits)
		return mutex_lock_killable(lock);
	return mutex_trylock(lock) ? 0 : -EAGAIN;
}

/**
 * enum heapsim_until - what ends an operation on many pages
 * @HEAPSIM_UNTIL_DONE: its last page
 * @HEAPSIM_UNTIL_KILLED: that, or SIGKILL of the caller
 */
enum heapsim_until {
	HEAPSIM_UNTIL_DONE,
	HEAPSIM_UNTIL_KILLED,
};

static inline bool heapsim_is_over(enum heapsim_until until)
{
	return until == HEAPSIM_UNTIL_KILLED && heapsim_is_killed();
}

/*
 * PTEs that are taken away between two looks whether it is over, and pages at
 * least: a call costs as much as some PTEs in each area, even if it has none.
 */
#define HEAPSIM_PTES_AT_ONCE	8192
#define HEAPSIM_PAGES_AT_ONCE	64
/* Each of them may be of one page. Children of fork may make it more. */
#define HEAPSIM_MAX_AREAS	8192

#define HEAPSIM_NR_ORDERS	3
extern const unsigned int heapsim_orders[HEAPSIM_NR_ORDERS];

/**
 * struct heapsim_rule - what holds for a buffer
 * @policy: enum heapsim_policy
 * @evicts: its lines are evicted and filled at random
 * @is_precise: each access of the CPU is seen
 * @seed: of random eviction
 */
struct heapsim_rule {
	u32 policy;
	bool evicts;
	bool is_precise;
	u64 seed;
};

/**
 * struct heapsim_config - what the parameters say; fixed once loaded
 * @profile: the board
 * @vmap_is_cpu: a vmap gives the CPU view, not DRAM
 * @fill: fill granule, bytes
 * @pool_pages: most pages that each pool keeps
 * @mem_accounting: DRAM is charged to memory cgroups, and no pool keeps it
 * @limit: most bytes of all buffers, with all their CPU images and twins
 * @user_limit: most bytes of one user's buffers, the same way
 * @has_test_hooks: HOLD, FENCE_CREATE and FENCE_SIGNAL are offered
 */
struct heapsim_config {
	const struct profile *profile;
	bool vmap_is_cpu;
	u32 fill;
	unsigned long pool_pages;
	bool mem_accounting;
	u64 limit;
	u64 user_limit;
	bool has_test_hooks;
};

struct heapsim_step;	/* of step.c */

extern struct heapsim_config heapsim_config;

int heapsim_config_init(struct heapsim_rule *rule);

/* pool.c */
struct heapsim_pool;

/**
 * struct heapsim_chunk - physically contiguous pages
 * @page: the first
 * @nr_pages: how many
 * @order: of the allocation
 */
struct heapsim_chunk {
	struct page *page;
	unsigned int nr_pages;
	unsigned int order;
};

extern struct heapsim_pool heapsim_pool_cached;
extern struct heapsim_pool heapsim_pool_wc;

int heapsim_pool_init(void);
void heapsim_pool_fini(void);
int heapsim_pool_alloc(struct heapsim_pool *pool, unsigned long nr_pages,
		       unsigned int max_order, struct heapsim_chunk *chunk);
void heapsim_pool_free(struct heapsim_pool *pool,
		       const struct heapsim_chunk *chunk, bool is_zero);
size_t heapsim_pool_get_images(struct list_head *pages, size_t nr,
			       bool is_zero);
void heapsim_pool_put_images(struct list_head *pages);
u64 heapsim_pool_bytes(void);
gfp_t heapsim_pool_gfp(void);
bool heapsim_has_write_combine(void);

/*
 * Memory that a user causes: charged to the cgroup of the calling task. Where
 * there is no more, the allocation fails and no OOM killer is called.
 */
#define HEAPSIM_GFP_USER	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | \
				 __GFP_RETRY_MAYFAIL)

/*
 * What the core keeps for a dma-buf, an attachment or a sync_file and charges
 * to nobody: bytes, rounded up. It counts against the user's limit.
 */
#define HEAPSIM_CORE_BYTES	1024

/* fault.c */

/**
 * enum heapsim_fault - operations that can be made to fail
 * @HEAPSIM_FAIL_ALLOC: allocation of a chunk of a buffer: ENOMEM
 * @HEAPSIM_FAIL_MAP: an importer's map: ENOMEM
 * @HEAPSIM_FAIL_VMAP: a kernel mapping: ENOMEM
 * @HEAPSIM_FAIL_BEGIN: START of a bracket: EINTR
 * @HEAPSIM_LATE_FENCE: the fence of a job is signalled at its deadline, with
 *	ETIMEDOUT
 * @HEAPSIM_NR_FAULTS: number of these
 */
enum heapsim_fault {
	HEAPSIM_FAIL_ALLOC,
	HEAPSIM_FAIL_MAP,
	HEAPSIM_FAIL_VMAP,
	HEAPSIM_FAIL_BEGIN,
	HEAPSIM_LATE_FENCE,
	HEAPSIM_NR_FAULTS,
};

struct dentry;

void heapsim_faults_init(struct dentry *dir);
bool heapsim_fault(enum heapsim_fault which, size_t len);

/* limit.c */
struct heapsim_user;

kuid_t heapsim_limit_uid(void);
struct heapsim_user *heapsim_limit_user_get(void);
struct heapsim_user *heapsim_limit_user_ref(struct heapsim_user *user);
void heapsim_limit_user_put(struct heapsim_user *user);
struct heapsim_user *heapsim_limit_charge(u64 len);
void heapsim_limit_uncharge(struct heapsim_user *user, u64 len,
			    u64 of_reserve);
int heapsim_limit_reserve(struct heapsim_user *user, u64 len);
void heapsim_limit_unreserve(struct heapsim_user *user, u64 len);
u64 heapsim_limit_used(void);
struct heapsim_user *heapsim_limit_open(void);
void heapsim_limit_close(struct heapsim_user *user);
void *heapsim_limit_alloc(struct heapsim_user *user, size_t len);
void heapsim_limit_free(struct heapsim_user *user, void *object);

/* object.c */

/** enum heapsim_object_type - types of object */
enum heapsim_object_type {
	HEAPSIM_OBJECT_STREAM,
	HEAPSIM_OBJECT_EVENT,
	HEAPSIM_OBJECT_HOST,
	HEAPSIM_OBJECT_WORK,
	HEAPSIM_OBJECT_JOB,
	HEAPSIM_OBJECT_FENCE,
	HEAPSIM_OBJECT_HOLD,
	HEAPSIM_NR_OBJECTS
};

struct heapsim_object;

/**
 * struct heapsim_object_ops - a type of object
 * @type: the type
 * @size: HEAPSIM_OBJECT_SIZE() of the struct
 * @max: most that one open may have; 0: what the user may have
 * @reserve: bytes that each one counts against the user's limit
 * @release: drops what the object refers to, before its memory is freed; may
 *	sleep; NULL: it refers to nothing
 */
struct heapsim_object_ops {
	enum heapsim_object_type type;
	size_t size;
	unsigned int max;
	u32 reserve;
	void (*release)(struct heapsim_object *object);
};

/* Bytes of a struct whose first member is its struct heapsim_object, object. */
#define HEAPSIM_OBJECT_SIZE(type) \
	(sizeof(type) + BUILD_BUG_ON_ZERO(offsetof(type, object)))

/**
 * struct heapsim_object - what each object begins with
 * @ops: of its type
 * @user: for whom it counts, referenced
 * @refs: references; the table has one while the object can be found
 * @id: id in the table
 */
struct heapsim_object {
	const struct heapsim_object_ops *ops;
	struct heapsim_user *user;
	refcount_t refs;
	u32 id;
};

/**
 * struct heapsim_objects - the objects of an open
 * @ids: struct heapsim_object by id; an id is reserved before it has an entry
 * @user: that opened
 * @nr: ids that are taken, by type
 */
struct heapsim_objects {
	struct xarray ids;
	struct heapsim_user *user;
	atomic_t nr[HEAPSIM_NR_OBJECTS];
};

void heapsim_objects_init(struct heapsim_objects *objects,
			  struct heapsim_user *user);
void heapsim_objects_fini(struct heapsim_objects *objects);
struct heapsim_object *
heapsim_object_alloc(struct heapsim_objects *objects,
		     const struct heapsim_object_ops *ops);
void heapsim_object_abort(struct heapsim_objects *objects,
			  struct heapsim_object *object);
void heapsim_object_publish(struct heapsim_objects *objects,
			    struct heapsim_object *object);
struct heapsim_object *
heapsim_object_find(struct heapsim_objects *objects,
		    const struct heapsim_object_ops *ops, u64 id);
struct heapsim_object *
heapsim_object_get(struct heapsim_objects *objects,
		   const struct heapsim_object_ops *ops, u64 id);
struct heapsim_object *
heapsim_object_take(struct heapsim_objects *objects,
		    const struct heapsim_object_ops *ops, u64 id);
void heapsim_object_unlink(struct heapsim_objects *objects,
			   struct heapsim_object *object);
void heapsim_object_remove(struct heapsim_objects *objects,
			   struct heapsim_object *object);
void heapsim_objects_remove(struct heapsim_objects *objects,
			    const struct heapsim_object_ops *ops);
void heapsim_object_put(struct heapsim_object *object);

/**
 * struct heapsim_cpu - what the CPU did, for records
 * @cpu: as records have it, with global pids
 * @seen_by: slots of those who watched the process then
 * @place: where it was, from heapsim_stack_place()
 * @stack: from heapsim_stack_now()
 */
struct heapsim_cpu {
	struct heapsim_record_cpu cpu;
	u64 seen_by;
	u64 place;
	u64 stack;
};

/**
 * struct heapsim_party - who did something to a buffer that the CPU did not
 * @other: as records have it, with a global pid
 * @seen_by: slots of those who watched the process then
 * @stack: of the thread that had it done, from heapsim_stack_now()
 * @kernel: of a work, what it was submitted with; else 0
 */
struct heapsim_party {
	struct heapsim_record_other other;
	u64 seen_by;
	u64 stack;
	u64 kernel;
};

/**
 * struct heapsim_note - what a page of a buffer remembers for records
 * @store: the last store that was seen
 * @engine: the last job that wrote it, from heapsim_party_keep(); 0 none
 */
struct heapsim_note {
	struct heapsim_cpu store;
	u64 engine;
};

/**
 * struct heapsim_bracket - a process that has begun a bracket, or stored
 * @node: in heapsim_buf.brackets
 * @tgid: the process, referenced
 * @who: its number, as the model has it
 * @write_start: its last START that may write
 * @read_start: its last START that may read
 * @had_buf: it had a descriptor or mapping of the buffer at a START
 * @open: its STARTs without END
 */
struct heapsim_bracket {
	struct list_head node;
	struct pid *tgid;
	u32 who;
	struct heapsim_cpu write_start;
	struct heapsim_cpu read_start;
	bool had_buf;
	struct line_bracket open;
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

/* dram.c */
int heapsim_dram_alloc(struct heapsim_buf *buf);
void heapsim_dram_free(struct heapsim_buf *buf);
int heapsim_dram_reserve_images(struct heapsim_buf *buf);
int heapsim_dram_reserve_view(struct heapsim_buf *buf);
struct page *heapsim_dram_page(const struct heapsim_buf *buf, size_t page);

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

struct heapsim_ctx;
struct heapsim_queue;		/* queue.h */
struct heapsim_ctx_buf;		/* these two: streams.h */
struct heapsim_streams;
struct heapsim_devview;		/* devview.c */

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

/* The CPU's accesses */

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

/* ptes.c */

/**
 * struct heapsim_span - pages that are mapped together
 * @first: the first
 * @end: after the last
 */
struct heapsim_span {
	size_t first;
	size_t end;
};

/* Pages that have about HEAPSIM_PTES_AT_ONCE in all areas that map them. */
static inline size_t heapsim_pages_at_once(const struct heapsim_buf *buf)
{
	const unsigned int nr_areas = max(atomic_read(&buf->nr_areas), 1);
	const unsigned int nr = HEAPSIM_PTES_AT_ONCE / nr_areas;

	return max_t(size_t, nr, HEAPSIM_PAGES_AT_ONCE);
}

u8 *heapsim_ptes_image(const struct heapsim_buf *buf, size_t page);
void heapsim_ptes_revoke(struct heapsim_buf *buf, size_t first, size_t end);
int heapsim_ptes_revoke_until(struct heapsim_buf *buf, size_t first,
			      size_t end, enum heapsim_until until);
int heapsim_ptes_revoke_stored(struct heapsim_buf *buf, size_t first,
			       size_t end, enum heapsim_until until);
int heapsim_ptes_revoke_all(struct heapsim_buf *buf);
int heapsim_ptes_unmap(struct heapsim_buf *buf, struct dma_buf *dmabuf);
vm_fault_t heapsim_ptes_insert(const struct vm_fault *vmf,
			       struct heapsim_buf *buf,
			       const struct heapsim_span *span,
			       enum heapsim_touch touch);
vm_fault_t heapsim_ptes_insert_dram(const struct vm_fault *vmf,
				    struct heapsim_buf *buf,
				    const struct heapsim_span *span,
				    enum heapsim_touch touch);
int heapsim_ptes_map_whole(struct heapsim_buf *buf, struct vm_area_struct *vma);
vm_fault_t heapsim_fault_lock(const struct vm_fault *vmf,
			      struct dma_buf *dmabuf, struct mutex *lock);
int heapsim_area_add(struct heapsim_buf *buf);
void heapsim_area_open(struct vm_area_struct *vma);
void heapsim_area_close(struct vm_area_struct *vma);
int heapsim_area_may_split(struct vm_area_struct *vma, unsigned long addr);

/* images.c */

/**
 * struct heapsim_images - what a touch may use up, got before a lock
 * @pages: for CPU images and twins, of any content, linked by lru
 * @zeroed: the same, all zero
 * @nr: how many of both
 * @until: what ends stocking up
 * @wants_bracket: the process was not seen before
 * @bracket: for such a process, or NULL
 * @wants_step: the touch is to be stepped over
 * @step: for that, or NULL
 */
struct heapsim_images {
	struct list_head pages;
	struct list_head zeroed;
	size_t nr;
	enum heapsim_until until;
	bool wants_bracket;
	struct heapsim_bracket *bracket;
	bool wants_step;
	struct heapsim_step *step;
};

u64 heapsim_image_bytes(void);
void heapsim_images_init(struct heapsim_images *images);
int heapsim_images_get(struct heapsim_images *images, size_t nr, bool is_zero);
void heapsim_images_put(struct heapsim_images *images);
void heapsim_images_rest(struct heapsim_images *images);
u8 *heapsim_image_take(struct heapsim_images *images);
void heapsim_image_lend(struct heapsim_buf *buf, size_t page,
			struct heapsim_images *images);
void heapsim_image_give(struct heapsim_images *images, u8 *image);

/* lines.c */
int heapsim_lines_init(struct heapsim_buf *buf);
void heapsim_lines_fini(struct heapsim_buf *buf);
size_t heapsim_lines_touch(struct heapsim_buf *buf,
			   const struct heapsim_access *access,
			   struct heapsim_images *images,
			   struct heapsim_span *span);
void heapsim_lines_refill(struct heapsim_buf *buf, size_t page);
void heapsim_lines_evict(struct heapsim_buf *buf, size_t keep);
int heapsim_lines_clean(struct heapsim_buf *buf, u64 off, u64 len,
			enum heapsim_until until);
int heapsim_lines_invalidate(struct heapsim_buf *buf, u64 off, u64 len);
int heapsim_lines_take_in(struct heapsim_buf *buf, enum heapsim_until until);
int heapsim_lines_compare(struct heapsim_buf *buf, enum heapsim_until until);

/* holders.c */
int heapsim_holder_add(struct heapsim_buf *buf, bool may_write,
		       const struct heapsim_party *who,
		       enum heapsim_until until);
void heapsim_holder_del(struct heapsim_buf *buf, bool may_write);
int heapsim_holder_job_add(struct heapsim_buf *buf, bool *has_two_views);
void heapsim_holder_job_del(struct heapsim_buf *buf);
int heapsim_holder_job_begin(struct heapsim_buf *buf, u64 off, u64 len);
void heapsim_holder_job_end(struct heapsim_buf *buf, u64 off, u64 len);
void heapsim_holder_count_writers(struct heapsim_buf *buf, int nr);
int heapsim_holder_vmap_cpu(struct heapsim_buf *buf, struct page **pages);
void heapsim_holder_vunmap_cpu(struct heapsim_buf *buf);

/* mmap.c */
int heapsim_mmap(struct dma_buf *dmabuf, struct vm_area_struct *vma);

/* devview.c: device views */
int heapsim_devview_create_fd(struct heapsim_buf *buf, int fd_flags,
			      struct dma_buf **dmabuf);
int heapsim_devview_settle(struct heapsim_buf *buf,
			   const struct heapsim_party *party, u64 serial);
int heapsim_devview_revoke(struct heapsim_buf *buf);
void heapsim_devview_add_written(struct heapsim_buf *buf);

/* importer.c */

/**
 * struct heapsim_attachment - a device that uses the buffer
 * @node: in heapsim_buf.attachments
 * @dev: the device
 * @sgt: its table, which nobody else sees
 * @lent: the same for the importer; with CONFIG_DMABUF_DEBUG the core hides the
 *	pages of a table that it gave out
 * @dir: how it has mapped the buffer, DMA_NONE not
 * @who: it, while mapped
 */
struct heapsim_attachment {
	struct list_head node;
	struct device *dev;
	struct sg_table sgt;
	struct sg_table lent;
	enum dma_data_direction dir;
	struct heapsim_party who;
};

int heapsim_importer_attach(struct dma_buf *dmabuf,
			    struct dma_buf_attachment *a);
void heapsim_importer_detach(struct dma_buf *dmabuf,
			     struct dma_buf_attachment *a);
struct sg_table *heapsim_importer_map(struct dma_buf_attachment *a,
				      enum dma_data_direction dir);
void heapsim_importer_unmap(struct dma_buf_attachment *a, struct sg_table *sgt,
			    enum dma_data_direction dir);
int heapsim_importer_vmap(struct dma_buf *dmabuf, struct iosys_map *map);
void heapsim_importer_vunmap(struct dma_buf *dmabuf, struct iosys_map *map);
int heapsim_importers_sync_for_cpu(struct heapsim_buf *buf);
int heapsim_importers_sync_for_device(struct heapsim_buf *buf,
				      enum dma_data_direction dir);

/* cpu_access.c */
int heapsim_cpu_access_begin(struct dma_buf *dmabuf,
			     enum dma_data_direction dir);
int heapsim_cpu_access_end(struct dma_buf *dmabuf, enum dma_data_direction dir);

/* bracket.c */
u64 heapsim_missing_ends(void);
struct heapsim_bracket *heapsim_bracket_alloc(void);
u32 heapsim_bracket_who(const struct heapsim_buf *buf);
u32 heapsim_bracket_add(struct heapsim_buf *buf, struct heapsim_bracket *fresh);
bool heapsim_bracket_is_open(const struct heapsim_buf *buf, u32 who,
			     enum heapsim_touch touch);
const struct line_bracket *
heapsim_bracket_of_current(const struct heapsim_buf *buf);
bool heapsim_bracket_any_open(const struct heapsim_buf *buf);
const struct heapsim_cpu *
heapsim_bracket_reader(const struct heapsim_buf *buf);
void heapsim_bracket_open(struct heapsim_buf *buf, enum dma_data_direction dir,
			  struct heapsim_bracket **fresh);
bool heapsim_bracket_close(struct heapsim_buf *buf,
			   enum dma_data_direction dir);
void heapsim_bracket_reopen(struct heapsim_buf *buf,
			    enum dma_data_direction dir);
void heapsim_brackets_reap(struct heapsim_buf *buf);
void heapsim_brackets_fini(struct heapsim_buf *buf);

/**
 * struct heapsim_ctx - one open of /dev/heapsim
 * @objects: all of it that has an id
 * @queue: of the dma engine
 * @has_rule: its buffers have a policy of their own, see policy.c
 * @rule: which
 * @nr_ruled: how many of its buffers got it
 * @tree: of policy.c; NULL: it has not set the policy of a tree
 * @watcher: of watch.c; NULL: it does not watch
 * @wait: readers and pollers of its records
 * @streams: and all that goes with them
 */
struct heapsim_ctx {
	struct heapsim_objects objects;
	struct heapsim_queue *queue;
	bool has_rule;
	struct heapsim_rule rule;
	u64 nr_ruled;
	struct heapsim_tree *tree;
	struct heapsim_watcher *watcher;
	wait_queue_head_t wait;
	struct heapsim_streams *streams;
};

struct heapsim_job;

/** union heapsim_cmd - the struct of a command */
union heapsim_cmd {
	u32 size;
	struct heapsim_probe probe;
	struct heapsim_info info;
	struct heapsim_buf_alloc alloc;
	struct heapsim_buf_info buf_info;
	struct heapsim_buf_maintain maintain;
	struct heapsim_dma_submit submit;
	struct heapsim_job_wait wait;
	struct heapsim_fence_create create;
	struct heapsim_fence_signal signal;
	struct heapsim_hold hold;
	struct heapsim_release release;
	struct heapsim_buf_revoke revoke;
	struct heapsim_watch watch;
	struct heapsim_set_policy policy;
	struct heapsim_stream_op stream;
	struct heapsim_attach_op attach;
	struct heapsim_event_op event;
	struct heapsim_host_op host;
	struct heapsim_work_op work;
	struct heapsim_work_touch touch;
	struct heapsim_sync sync;
	struct heapsim_attach_info attach_info;
	struct heapsim_range_maintain range;
	struct heapsim_buf_reopen reopen;
};

/**
 * struct heapsim_call - a command while it runs
 * @ctx: open of /dev/heapsim
 * @waits: the command may wait for a lock; if not, it returns -EAGAIN instead
 * @cmd: its struct, a copy; what the command answers goes there
 * @fd: reserved number, at which @file is installed once the answer is out
 * @file: file for the caller, NULL none
 * @view_fd: as @fd, for a second one
 * @view_file: as @file
 * @job: job to be forgotten once the answer is out, NULL none
 */
struct heapsim_call {
	struct heapsim_ctx *ctx;
	bool waits;
	union heapsim_cmd cmd;
	int fd;
	struct file *file;
	int view_fd;
	struct file *view_file;
	struct heapsim_job *job;
};

/* stream.c: streams, events, host functions, works */
struct heapsim_streams *
heapsim_streams_create(struct heapsim_objects *objects);
void heapsim_streams_end(struct heapsim_streams *s);
int heapsim_stream_create(struct heapsim_call *call);
int heapsim_stream_destroy(struct heapsim_call *call);
int heapsim_stream_attach(struct heapsim_call *call);
int heapsim_stream_event_create(struct heapsim_call *call);
int heapsim_stream_event_destroy(struct heapsim_call *call);
int heapsim_stream_event_record(struct heapsim_call *call);
int heapsim_stream_event_wait(struct heapsim_call *call);
int heapsim_host_submit(struct heapsim_call *call);
int heapsim_host_begin(struct heapsim_call *call);
int heapsim_host_return(struct heapsim_call *call);
int heapsim_work_submit(struct heapsim_call *call);
int heapsim_work_begin(struct heapsim_call *call);
int heapsim_work_end(struct heapsim_call *call);
int heapsim_work_touch(struct heapsim_call *call);
int heapsim_stream_sync(struct heapsim_call *call);
int heapsim_stream_attach_info(struct heapsim_call *call);
void heapsim_host_disown(struct heapsim_ctx *ctx, u64 id);
void heapsim_work_disown(struct heapsim_ctx *ctx, u64 id);

/* managed.c: buffers of a context */
int heapsim_ctx_buf_create(struct heapsim_buf *buf,
			   const struct heapsim_wish *wish);
void heapsim_ctx_buf_destroy(struct heapsim_buf *buf);
vm_fault_t heapsim_managed_touch(const struct vm_fault *vmf,
				 struct heapsim_buf *buf,
				 struct heapsim_access *access);

/* tree.c */
int heapsim_tree_depth(struct task_struct *task, const struct pid *tgid);

/* policy.c */
void heapsim_policy_init(const struct heapsim_rule *rule);
void heapsim_policy_of_all(struct heapsim_rule *rule);
void heapsim_policy_give(struct heapsim_buf *buf, struct heapsim_ctx *ctx);
void heapsim_policy_set_of_context(struct heapsim_ctx *ctx,
				   const struct heapsim_rule *rule);
int heapsim_policy_set_of_tree(struct heapsim_ctx *ctx,
			       const struct heapsim_rule *rule);
int heapsim_policy_set_of_all(const struct heapsim_rule *rule);
void heapsim_policy_forget(struct heapsim_ctx *ctx);

/* step.c */
int heapsim_step_init(void);
void heapsim_step_fini(void);
bool heapsim_can_step(void);
struct heapsim_step *heapsim_step_alloc(void);
bool heapsim_step_is_wanted(const struct heapsim_buf *buf);
bool heapsim_step_is_again(const struct heapsim_buf *buf,
			   const struct heapsim_access *access);
void heapsim_step_arm(struct heapsim_buf *buf, struct heapsim_step **fresh,
		      const struct heapsim_access *access, bool is_user);

/* record.c */
struct poll_table_struct;

/**
 * struct heapsim_event - what is done, right or wrong, for who asks for events
 * @kind: HEAPSIM_RECORD_FILL to HEAPSIM_RECORD_RELEASE
 * @access: HEAPSIM_ACCESS_*
 * @off: first byte
 * @len: bytes
 * @count: lines; 1 where it is about none
 * @bytes: that it moves; 0: @len
 * @begin_ns: when it began; 0: it takes no time
 * @addr: of the CPU's access, or 0
 * @is_engines: the calling thread is not who does it
 * @party: who else, NULL nobody
 * @op: enum heapsim_dma_op of a job
 * @src: id of the buffer that it reads
 * @status: that it ended with
 */
struct heapsim_event {
	u32 kind;
	u32 access;
	u64 off;
	u64 len;
	u64 count;
	u64 bytes;
	u64 begin_ns;
	u64 addr;
	bool is_engines;
	const struct heapsim_party *party;
	u32 op;
	u64 src;
	int status;
};

extern unsigned int heapsim_nr_event_watchers;	/* protected by watch.c */
DECLARE_TRACEPOINT(heapsim_event);

/*
 * Does anybody ask for events, a watcher or the trace? All that they cost while
 * nobody does.
 */
static inline bool heapsim_has_event_watchers(void)
{
	return READ_ONCE(heapsim_nr_event_watchers) ||
	       tracepoint_enabled(heapsim_event);
}

u64 heapsim_event_begin(void);
void heapsim_event_report_whole(const struct heapsim_buf *buf, u32 kind,
				u32 access, u64 begin_ns,
				const struct heapsim_party *party);
void heapsim_event_report(const struct heapsim_buf *buf,
			  const struct heapsim_event *event);

void heapsim_note_cpu(struct heapsim_cpu *side, u64 addr, bool is_write);
void heapsim_note_store(struct heapsim_cpu *side, u64 addr,
			const struct heapsim_cpu *before);
void heapsim_note_attach(struct heapsim_record_attach *how, u32 by);
void heapsim_note_party(struct heapsim_party *party, u32 type,
			const char *name);
u64 heapsim_party_keep(const struct heapsim_party *party);
void heapsim_record_lines(struct line_buf *lines, enum line_event event,
			  u64 off, u64 len);
void heapsim_record_unbracketed(struct heapsim_buf *buf,
				const struct heapsim_access *access,
				const struct heapsim_party *party);
void heapsim_record_cpu_forbidden(struct heapsim_buf *buf, u32 kind,
				  const struct heapsim_access *access,
				  const struct heapsim_party *party);
void heapsim_record_not_attached(struct heapsim_buf *buf,
				 const struct heapsim_party *party);
void heapsim_record_open_bracket(struct heapsim_buf *buf,
				 const struct heapsim_bracket *b);
void heapsim_record_unmatched_end(struct heapsim_buf *buf, bool lacks_write,
				  bool is_write);

/* watch.c */

/**
 * struct heapsim_watching - who watches the calling process, or a tree it is of
 * @seen_by: a bit a slot of theirs; who is in it later is another watcher
 * @signal: how it tells its stacks: the one that its nearest watcher named, 0:
 *	nobody asks for stacks
 */
struct heapsim_watching {
	u64 seen_by;
	int signal;
};

extern unsigned int heapsim_nr_watchers;	/* protected by watch.c */

static inline bool heapsim_is_watched(void)
{
	return READ_ONCE(heapsim_nr_watchers);
}

struct heapsim_watching heapsim_watching(void);
void heapsim_watch_report(const struct heapsim_record *r, u64 cpu_seen_by,
			  u64 other_seen_by);
int heapsim_watch(struct heapsim_ctx *ctx, const struct heapsim_watch *cmd);
void heapsim_watch_end(struct heapsim_ctx *ctx);
bool heapsim_watch_has_current(const struct heapsim_ctx *ctx);
ssize_t heapsim_watch_read(struct heapsim_ctx *ctx, char __user *to,
			   size_t len, bool waits);
__poll_t heapsim_watch_poll(struct heapsim_ctx *ctx, struct file *file,
			    struct poll_table_struct *table);

/* stack.c */
u64 heapsim_stack_place(void);
u64 heapsim_stack_now(int signal);
void heapsim_stack_fini(void);

/* heap.c */
int heapsim_heap_init(void);
void heapsim_heap_fini(void);

int heapsim_cdev_init(void);
void heapsim_cdev_fini(void);

/*
 * dma.c. A command that answers with a descriptor reserves its number and
 * gives the file in *@file: the caller installs it once the answer is out, or
 * gives both back.
 */
int heapsim_dma_submit(struct heapsim_ctx *ctx, struct heapsim_dma_submit *cmd,
		       struct file **file);
int heapsim_dma_wait(struct heapsim_ctx *ctx, struct heapsim_job_wait *cmd,
		     struct heapsim_job **taken);
void heapsim_dma_forget_job(struct heapsim_ctx *ctx, struct heapsim_job *job);
void heapsim_dma_give_back_job(struct heapsim_job *job);
void heapsim_dma_disown(struct heapsim_ctx *ctx, u64 id);
void heapsim_dma_forget(struct heapsim_ctx *ctx);

/* queue.c */
int heapsim_queues_init(void);
void heapsim_queues_fini(void);
struct heapsim_queue *heapsim_queue_create(void);
void heapsim_queue_put(struct heapsim_queue *q);
u64 heapsim_queue_nr_jobs(void);

/* fence.c */
struct dma_fence *heapsim_fence_new(const char *timeline, u64 context,
				    u64 seqno);
int heapsim_fence_create(struct heapsim_ctx *ctx,
			 struct heapsim_fence_create *cmd, struct file **file);
int heapsim_fence_signal(struct heapsim_ctx *ctx,
			 struct heapsim_fence_signal *cmd);
void heapsim_fence_forget(struct heapsim_ctx *ctx);

/* hold.c */
int heapsim_hold_init(void);
void heapsim_hold_fini(void);
int heapsim_hold(struct heapsim_ctx *ctx, struct heapsim_hold *cmd);
int heapsim_hold_release(struct heapsim_ctx *ctx, struct heapsim_release *cmd);
void heapsim_hold_forget(struct heapsim_ctx *ctx);

/* debugfs.c */
void heapsim_debugfs_init(void);
void heapsim_debugfs_fini(void);

#endif
