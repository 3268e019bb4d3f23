// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watchers and their queues of records to read.
 *
 * A record is queued with locks of the buffer held, or by a worker between
 * publication and signal of a fence. So nothing is allocated for it, and
 * watchers_lock is one of the innermost locks. The watchers of a process are
 * looked up at each of its faults, with only RCU.
 *
 * Pids are global here. A reader gets those of its own pid namespace.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/ktime.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ctx.h"
#include "watch.h"

/* Size in the first version of the ABI; fields were added at the end since. */
#define MIN_RECORD_SIZE	232
#define FOLD_DEPTH	8	/* newest records that are merged with */

/*
 * Bounded, because each record is checked against every watcher with a spinlock
 * held.
 */
#define MAX_WATCHERS	64	/* bits of heapsim_party.seen_by */
#define MAX_USERS_WATCHERS	16	/* of one user without CAP_SYS_PTRACE */

/**
 * struct sight - what a watcher may learn about a side of a record
 * @pid: process of the side
 * @time_ns: time of its action; identifies the side together with @pid
 * @is_its: the watcher watches the process
 * @is_seen: the watcher may know the process
 * @is_located: the watcher may know addresses in the process
 */
struct sight {
	u32 pid;
	u64 time_ns;
	bool is_its;
	bool is_seen;
	bool is_located;
};

/**
 * struct ring - queued records, oldest first
 * @records: array of @size records
 * @size: capacity; 0 if the watcher wants none of these
 * @first: index of the oldest record
 * @nr: number of queued records
 */
struct ring {
	struct heapsim_record *records;
	u32 size;
	u32 first;
	u32 nr;
};

/**
 * struct heapsim_watcher - an open of /dev/heapsim that watches
 * @slot: index in watchers
 * @since_ns: begin of the watch, CLOCK_MONOTONIC; an action noted before refers
 *	to another watcher in this slot
 * @wait: wait queue of the open
 * @tgid: process that began the watch, with a reference
 * @cred: credentials of that process, with a reference
 * @uid: user that the watcher counts for, from heapsim_limit_uid()
 * @is_privileged: may know all processes, and does not count for the user
 * @scope: HEAPSIM_WATCH_*
 * @kinds: HEAPSIM_KIND_BIT() of each kind of record wanted
 * @record_size: size of a record in the reader's version of the ABI, bytes
 * @stack_signal: signal that makes a watched thread record its stack, or 0
 * @readers: serialises readers; taken before mmap_lock
 * @mistakes: queued records of violations
 * @others: queued records of redundant operations, events and drops
 * @nr_records: upper bound of records in both rings
 * @taken: ring whose oldest record is being copied to user space; the record
 *	must not change. NULL if none is
 * @seq: number of the last record
 * @nr_dropped: dropped records that have not been reported
 * @nr_harmless: those of them that are no violations
 * @cpu: cached result for the CPU side of the last record
 * @other: cached result for the other side of the last record
 */
struct heapsim_watcher {
	unsigned int slot;
	u64 since_ns;
	wait_queue_head_t *wait;
	struct pid *tgid;
	const struct cred *cred;
	kuid_t uid;
	bool is_privileged;
	u32 scope;
	u64 kinds;
	u32 record_size;
	u32 stack_signal;
	struct mutex readers;
	struct ring mistakes;
	struct ring others;
	u32 nr_records;
	struct ring *taken;
	u64 seq;
	u64 nr_dropped;
	u64 nr_harmless;
	struct sight cpu;
	struct sight other;
};

static DEFINE_SPINLOCK(watchers_lock);	/* protects the rest, and rings */
static struct heapsim_watcher __rcu *watchers[MAX_WATCHERS];
static unsigned int end_watchers;	/* above the last slot ever used */
unsigned int heapsim_nr_watchers;
unsigned int heapsim_nr_event_watchers;

/* The caller holds the RCU read lock or watchers_lock. */
static struct heapsim_watcher *watcher_at(unsigned int slot)
{
	return rcu_dereference_check(watchers[slot],
				     lockdep_is_held(&watchers_lock));
}

/*
 * Follows the rules of ptrace, except those of LSMs: modules can call neither
 * ptrace_may_access() nor a security module. The caller holds the RCU read
 * lock.
 */
static bool watcher_may_see(const struct heapsim_watcher *w,
			    struct task_struct *task)
{
	const struct cred *theirs = __task_cred(task), *ours = w->cred;

	return w->is_privileged ||
	       (uid_eq(theirs->uid, ours->uid) &&
		uid_eq(theirs->euid, ours->uid) &&
		uid_eq(theirs->suid, ours->uid) &&
		gid_eq(theirs->gid, ours->gid) &&
		gid_eq(theirs->egid, ours->gid) &&
		gid_eq(theirs->sgid, ours->gid) &&
		theirs->user_ns == ours->user_ns &&
		cap_issubset(theirs->cap_permitted, ours->cap_permitted) &&
		heapsim_is_dumpable(task));
}

static bool watcher_has_in_scope(const struct heapsim_watcher *w,
				 struct task_struct *task)
{
	return w->scope == HEAPSIM_WATCH_PROCESS ?
		task_tgid(task) == w->tgid :
		heapsim_tree_depth(task, w->tgid) >= 0;
}

/**
 * heapsim_watching() - find the watchers of the calling process
 *
 * Actions are attributed at once, because the process may have ended later.
 *
 * Context: any of a thread.
 * Return: watchers of the process.
 */
struct heapsim_watching heapsim_watching(void)
{
	int depth, least = INT_MAX;
	struct heapsim_watching ret = { 0 };
	unsigned int i;

	if (!heapsim_is_watched() || current->flags & PF_KTHREAD)
		return ret;
	rcu_read_lock();
	for (i = 0; i < READ_ONCE(end_watchers); i++) {
		const struct heapsim_watcher *w = watcher_at(i);

		if (!w || (w->scope == HEAPSIM_WATCH_ALL && !w->stack_signal))
			continue;
		depth = heapsim_tree_depth(current, w->tgid);
		if (depth < 0 || (depth && w->scope == HEAPSIM_WATCH_PROCESS) ||
		    !watcher_may_see(w, current))
			continue;
		if (w->scope != HEAPSIM_WATCH_ALL)
			ret.seen_by |= BIT_ULL(i);
		if (w->stack_signal && depth < least) {
			least = depth;
			ret.signal = w->stack_signal;
		}
	}
	rcu_read_unlock();
	return ret;
}

/*
 * Returns the task that had the number at that time, not one that reused it.
 * The caller holds the RCU read lock.
 */
static struct task_struct *watch_task_of(u32 pid, u64 time_ns,
					 enum pid_type type)
{
	struct task_struct *task;

	if (!pid)
		return NULL;
	task = pid_task(find_pid_ns(pid, &init_pid_ns), type);
	return task && task->start_time <= time_ns ? task : NULL;
}

static void watcher_look(const struct heapsim_watcher *w, struct sight *sight,
			 u32 pid, u64 time_ns, u64 seen_by)
{
	struct task_struct *task;

	if (sight->pid == pid && sight->time_ns == time_ns)
		return;
	*sight = (struct sight) { .pid = pid, .time_ns = time_ns };
	/*
	 * There is nothing to hide about no process, or about a kernel thread.
	 */
	sight->is_seen = !pid || w->is_privileged;
	sight->is_located = sight->is_seen;
	if (w->scope == HEAPSIM_WATCH_ALL ||
	    (seen_by & BIT_ULL(w->slot) && w->since_ns < time_ns)) {
		sight->is_its = true;
		sight->is_seen = true;
		sight->is_located = true;
		return;
	}
	task = watch_task_of(pid, time_ns, PIDTYPE_TGID);
	if (!task || !watcher_may_see(w, task))
		return;
	sight->is_seen = true;
	sight->is_its = watcher_has_in_scope(w, task);
	sight->is_located |= sight->is_its;
}

static struct heapsim_record *ring_at(const struct ring *ring, u32 i)
{
	return &ring->records[(ring->first + i) % ring->size];
}

static u32 watcher_nr_waiting(const struct heapsim_watcher *w)
{
	return w->mistakes.nr + w->others.nr;
}

static bool watch_is_mistake(const struct heapsim_record *r)
{
	return HEAPSIM_KIND_BIT(r->kind) & HEAPSIM_KINDS_ERRORS;
}

static struct ring *watcher_ring_of(struct heapsim_watcher *w,
				    const struct heapsim_record *r)
{
	return watch_is_mistake(r) || !w->others.size ? &w->mistakes :
							&w->others;
}

static bool watch_is_same_place(const struct heapsim_record *a,
				const struct heapsim_record *b)
{
	return a->kind == b->kind && a->buf == b->buf &&
	       a->missing == b->missing && a->cpu.pid == b->cpu.pid &&
	       a->cpu.ip == b->cpu.ip && a->other.type == b->other.type &&
	       a->other.pid == b->other.pid &&
	       a->cpu_stack == b->cpu_stack &&
	       a->other_stack == b->other_stack &&
	       !strncmp(a->other.name, b->other.name, sizeof(a->other.name));
}

static bool watch_is_event(const struct heapsim_record *r)
{
	return HEAPSIM_KIND_BIT(r->kind) & HEAPSIM_KINDS_EVENTS;
}

static bool watcher_fold(struct heapsim_watcher *w, struct ring *ring,
			 const struct heapsim_record *r)
{
	u32 i, lowest = ring->nr > FOLD_DEPTH ? ring->nr - FOLD_DEPTH : 0;

	lowest = max_t(u32, lowest, w->taken == ring);
	for (i = ring->nr; i > lowest; i--) {
		struct heapsim_record *old = ring_at(ring, i - 1);
		u64 end = max(old->off + old->len, r->off + r->len);

		if (!watch_is_same_place(old, r))
			continue;
		old->count += r->count;
		old->bytes += r->bytes;
		old->off = min(old->off, r->off);
		old->len = end - old->off;
		return true;
	}
	return false;
}

static void watcher_push(struct heapsim_watcher *w,
			 const struct heapsim_record *r)
{
	struct ring *ring = watcher_ring_of(w, r);
	struct heapsim_record *slot = ring_at(ring, ring->nr++);

	*slot = *r;
	slot->size = w->record_size;
	slot->seq = ++w->seq;
}

/*
 * Queues a record of drops as soon as there is room for it and another record,
 * so that it marks the place of the gap.
 */
static void watcher_push_drops(struct heapsim_watcher *w)
{
	struct heapsim_record r = { .kind = HEAPSIM_RECORD_DROPPED };

	if (!w->nr_dropped)
		return;
	r.time_ns = ktime_get_ns();
	r.count = w->nr_dropped;
	r.nr_harmless = w->nr_harmless;
	watcher_push(w, &r);
	w->nr_dropped = 0;
	w->nr_harmless = 0;
}

static void watcher_drop(struct heapsim_watcher *w,
			 const struct heapsim_record *r)
{
	const bool is_drop = r->kind == HEAPSIM_RECORD_DROPPED;

	w->nr_dropped += is_drop ? r->count : 1;
	w->nr_harmless += is_drop ? r->nr_harmless : !watch_is_mistake(r);
}

/*
 * There may be many redundant operations: the newest is dropped for a
 * violation.
 */
static bool watcher_make_room(struct heapsim_watcher *w)
{
	struct ring *others = &w->others;
	const u32 nr_kept = w->taken == others;

	if (others->nr <= nr_kept)
		return false;
	watcher_drop(w, ring_at(others, --others->nr));
	return true;
}

static void watcher_queue(struct heapsim_watcher *w,
			  const struct heapsim_record *r)
{
	if (!watch_is_event(r) && watcher_fold(w, watcher_ring_of(w, r), r))
		return;
	if (watcher_nr_waiting(w) == w->nr_records &&
	    !(watch_is_mistake(r) && watcher_make_room(w))) {
		watcher_drop(w, r);
		w->seq++;
		return;
	}
	if (watcher_nr_waiting(w) + 1 < w->nr_records)
		watcher_push_drops(w);
	watcher_push(w, r);
	wake_up_interruptible(w->wait);
}

/*
 * Removes addresses of a process that is not watched. /proc shows the pid and
 * the name of a process to everybody, but not its memory layout, which a
 * security module may protect.
 */
static void watch_blank_places(struct heapsim_record *r,
			       const struct sight *cpu,
			       const struct sight *other)
{
	if (!cpu->is_located) {
		r->cpu.ip = 0;
		r->cpu.addr = 0;
	}
	if (!other->is_located)
		r->kernel = 0;
}

/* Removes what identifies a process that the watcher must not know. */
static void watch_blank_cpu(struct heapsim_record *r)
{
	r->cpu = (struct heapsim_record_cpu) {
		.time_ns = r->cpu.time_ns,
		.is_write = r->cpu.is_write,
	};
	r->cpu_stack = 0;
}

static void watch_blank_other(struct heapsim_record *r)
{
	struct heapsim_record_other *other = &r->other;

	r->other_stack = 0;
	other->pid = 0;
	other->job = 0;
	other->stream = 0;
	r->kernel = 0;
	memset(other->comm, 0, sizeof(other->comm));
	/* The name of a vmap is that of the task. */
	if (other->type == HEAPSIM_OTHER_VMAP)
		memset(other->name, 0, sizeof(other->name));
}

/* A stack may be that of either side or of a third process. */
static void watch_blank_attaches(struct heapsim_record *r)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(r->attaches); i++)
		r->attaches[i].stack = 0;
}

static void watcher_report(struct heapsim_watcher *w,
			   const struct heapsim_record *r, u64 cpu_seen_by,
			   u64 other_seen_by)
{
	struct heapsim_record seen;

	if (!(w->kinds & HEAPSIM_KIND_BIT(r->kind)))
		return;
	watcher_look(w, &w->cpu, r->cpu.pid, r->cpu.time_ns, cpu_seen_by);
	watcher_look(w, &w->other, r->other.pid, r->other.time_ns,
		     other_seen_by);
	if (!w->cpu.is_its && !w->other.is_its)
		return;
	if (w->cpu.is_located && w->other.is_located) {
		watcher_queue(w, r);
		return;
	}
	seen = *r;
	watch_blank_places(&seen, &w->cpu, &w->other);
	if (!w->cpu.is_seen)
		watch_blank_cpu(&seen);
	if (!w->other.is_seen)
		watch_blank_other(&seen);
	if (!w->cpu.is_seen || !w->other.is_seen)
		watch_blank_attaches(&seen);
	watcher_queue(w, &seen);
}

/**
 * heapsim_watch_report() - queue a record for all its watchers
 * @r: record
 * @cpu_seen_by: bitmap of watchers of the process on the CPU side
 * @other_seen_by: bitmap of watchers of the process on the other side
 *
 * Context: any, including between publication and signal of a fence.
 */
void heapsim_watch_report(const struct heapsim_record *r, u64 cpu_seen_by,
			  u64 other_seen_by)
{
	unsigned int i;

	rcu_read_lock();
	spin_lock(&watchers_lock);
	for (i = 0; i < end_watchers; i++)
		if (watcher_at(i))
			watcher_report(watcher_at(i), r, cpu_seen_by,
				       other_seen_by);
	spin_unlock(&watchers_lock);
	rcu_read_unlock();
}

static int ring_init(struct ring *ring, u32 size)
{
	ring->records = kvcalloc(size, sizeof(*ring->records),
				 HEAPSIM_GFP_USER);
	if (!ring->records)
		return -ENOMEM;
	ring->size = size;
	return 0;
}

static void watcher_free(struct heapsim_watcher *w)
{
	put_cred(w->cred);
	put_pid(w->tgid);
	kvfree(w->mistakes.records);
	kvfree(w->others.records);
	mutex_destroy(&w->readers);
	kfree(w);
}

static int watcher_add(struct heapsim_ctx *ctx, struct heapsim_watcher *w)
{
	unsigned int i, free = MAX_WATCHERS, nr_same = 0;
	int ret = -EBUSY;

	spin_lock(&watchers_lock);
	for (i = 0; i < MAX_WATCHERS; i++) {
		const struct heapsim_watcher *old = watcher_at(i);

		if (!old)
			free = min(free, i);
		else if (!old->is_privileged)
			nr_same += uid_eq(old->uid, w->uid);
	}
	if (ctx->watcher || free == MAX_WATCHERS ||
	    (!w->is_privileged && nr_same >= MAX_USERS_WATCHERS))
		goto out_unlock;
	w->slot = free;
	w->since_ns = ktime_get_ns();
	rcu_assign_pointer(watchers[free], w);
	WRITE_ONCE(end_watchers, max(end_watchers, free + 1));
	WRITE_ONCE(heapsim_nr_watchers, heapsim_nr_watchers + 1);
	WRITE_ONCE(heapsim_nr_event_watchers, heapsim_nr_event_watchers +
		   !!(w->kinds & HEAPSIM_KINDS_EVENTS));
	/* Publishes a complete watcher to readers that do not take the lock. */
	smp_store_release(&ctx->watcher, w);
	ret = 0;
out_unlock:
	spin_unlock(&watchers_lock);
	return ret;
}

/**
 * heapsim_watch() - begin to watch
 * @ctx: open of /dev/heapsim
 * @cmd: command
 *
 * Return: 0, or an error described at struct heapsim_watch.
 */
int heapsim_watch(struct heapsim_ctx *ctx, const struct heapsim_watch *cmd)
{
	struct heapsim_watcher *w;
	int ret;

	if (cmd->scope < HEAPSIM_WATCH_PROCESS ||
	    cmd->scope > HEAPSIM_WATCH_ALL ||
	    cmd->kinds & ~(HEAPSIM_KINDS_ALL | HEAPSIM_KINDS_EVENTS) ||
	    !cmd->nr_records ||
	    cmd->nr_records > HEAPSIM_WATCH_MAX_RECORDS ||
	    cmd->record_size < MIN_RECORD_SIZE ||
	    cmd->record_size > HEAPSIM_WATCH_MAX_SIZE ||
	    cmd->record_size % sizeof(u64) ||
	    !valid_signal(cmd->stack_signal) || cmd->reserved)
		return -EINVAL;
	if (cmd->scope == HEAPSIM_WATCH_ALL && !capable(CAP_SYS_PTRACE))
		return -EPERM;
	if (READ_ONCE(ctx->watcher))
		return -EBUSY;
	w = kzalloc(sizeof(*w), HEAPSIM_GFP_USER);
	if (!w)
		return -ENOMEM;
	w->nr_records = cmd->nr_records;
	if ((cmd->kinds & HEAPSIM_KINDS_ERRORS &&
	     ring_init(&w->mistakes, w->nr_records)) ||
	    (cmd->kinds & ~HEAPSIM_KINDS_ERRORS &&
	     ring_init(&w->others, w->nr_records))) {
		kvfree(w->mistakes.records);
		kfree(w);
		return -ENOMEM;
	}
	w->wait = &ctx->wait;
	w->tgid = get_pid(task_tgid(current));
	w->cred = get_current_cred();
	w->uid = heapsim_limit_uid();
	w->is_privileged = ns_capable_noaudit(&init_user_ns, CAP_SYS_PTRACE);
	w->scope = cmd->scope;
	w->kinds = cmd->kinds;
	w->record_size = cmd->record_size;
	w->stack_signal = cmd->stack_signal;
	/* Matches no side. */
	w->cpu.time_ns = U64_MAX;
	w->other.time_ns = U64_MAX;
	mutex_init(&w->readers);
	ret = watcher_add(ctx, w);
	if (ret)
		watcher_free(w);
	return ret;
}

/**
 * heapsim_watch_has_current() - check whether the calling process may act as
 *	the watcher
 * @ctx: open of /dev/heapsim
 *
 * Return: true if the open watches, and the calling process began the watch or
 * is a descendant of the process that did.
 */
bool heapsim_watch_has_current(const struct heapsim_ctx *ctx)
{
	const struct heapsim_watcher *w = READ_ONCE(ctx->watcher);
	bool ret = false;

	if (!w)
		return false;
	rcu_read_lock();
	ret = heapsim_tree_depth(current, w->tgid) >= 0;
	rcu_read_unlock();
	return ret;
}

/**
 * heapsim_watch_end() - end a watch, if there is one
 * @ctx: open of /dev/heapsim that is closed
 */
void heapsim_watch_end(struct heapsim_ctx *ctx)
{
	struct heapsim_watcher *w = ctx->watcher;

	if (!w)
		return;
	spin_lock(&watchers_lock);
	RCU_INIT_POINTER(watchers[w->slot], NULL);
	WRITE_ONCE(heapsim_nr_watchers, heapsim_nr_watchers - 1);
	WRITE_ONCE(heapsim_nr_event_watchers, heapsim_nr_event_watchers -
		   !!(w->kinds & HEAPSIM_KINDS_EVENTS));
	spin_unlock(&watchers_lock);
	/* Faults of other threads may still use the watcher. */
	synchronize_rcu();
	watcher_free(w);
}

static struct heapsim_watcher *watcher_of(const struct heapsim_ctx *ctx)
{
	/* Pairs with the release in watcher_add(). */
	return smp_load_acquire(&ctx->watcher);
}

static bool watcher_has_records(struct heapsim_watcher *w)
{
	bool ret;

	spin_lock(&watchers_lock);
	ret = watcher_nr_waiting(w) || w->nr_dropped;
	spin_unlock(&watchers_lock);
	return ret;
}

/* Returns the ring that holds the oldest record. */
static struct ring *watcher_oldest_ring(struct heapsim_watcher *w)
{
	if (!w->mistakes.nr)
		return &w->others;
	if (!w->others.nr)
		return &w->mistakes;
	return ring_at(&w->mistakes, 0)->seq < ring_at(&w->others, 0)->seq ?
		&w->mistakes : &w->others;
}

static bool watcher_take(struct heapsim_watcher *w, struct heapsim_record *r)
{
	bool ret;

	spin_lock(&watchers_lock);
	if (!watcher_nr_waiting(w))
		watcher_push_drops(w);
	ret = watcher_nr_waiting(w);
	if (ret) {
		w->taken = watcher_oldest_ring(w);
		*r = *ring_at(w->taken, 0);
	}
	spin_unlock(&watchers_lock);
	return ret;
}

static void watcher_taken(struct heapsim_watcher *w, bool is_gone)
{
	struct ring *ring = w->taken;

	spin_lock(&watchers_lock);
	w->taken = NULL;
	if (is_gone) {
		ring->first = (ring->first + 1) % ring->size;
		ring->nr--;
	}
	spin_unlock(&watchers_lock);
}

/* The caller holds the RCU read lock. */
static u32 watch_pid_here(u32 pid, u64 time_ns, enum pid_type type)
{
	struct task_struct *task = watch_task_of(pid, time_ns, type);

	return task ? pid_nr_ns(task_pid(task), task_active_pid_ns(current)) :
		      0;
}

/* In the initial namespace a process that has ended keeps its old number. */
static void watch_translate(struct heapsim_record *r)
{
	if (task_active_pid_ns(current) == &init_pid_ns)
		return;
	rcu_read_lock();
	r->cpu.pid = watch_pid_here(r->cpu.pid, r->cpu.time_ns, PIDTYPE_TGID);
	r->cpu.tid = watch_pid_here(r->cpu.tid, r->cpu.time_ns, PIDTYPE_PID);
	r->other.pid =
		watch_pid_here(r->other.pid, r->other.time_ns, PIDTYPE_TGID);
	rcu_read_unlock();
}

static int watcher_copy(const struct heapsim_watcher *w,
			struct heapsim_record *r, char __user *to)
{
	size_t n = min_t(size_t, w->record_size, sizeof(*r));

	watch_translate(r);
	return copy_to_user(to, r, n) || clear_user(to + n, w->record_size - n)
		? -EFAULT : 0;
}

/*
 * Copies as many records as fit. Returns the number of bytes; 0 if there is no
 * record.
 */
static ssize_t watcher_copy_all(struct heapsim_watcher *w, char __user *to,
				size_t len, bool waits)
{
	struct heapsim_record r;
	ssize_t done = 0;
	int ret = 0;

	if (waits)
		ret = mutex_lock_interruptible(&w->readers);
	else if (!mutex_trylock(&w->readers))
		ret = -EAGAIN;
	if (ret)
		return ret == -EINTR ? -ERESTARTSYS : ret;
	while (!ret && len - done >= w->record_size &&
	       !(done && signal_pending(current)) && watcher_take(w, &r)) {
		ret = watcher_copy(w, &r, to + done);
		watcher_taken(w, !ret);
		if (!ret)
			done += w->record_size;
		cond_resched();
	}
	mutex_unlock(&w->readers);
	return done ? done : ret;
}

/**
 * heapsim_watch_read() - read() of /dev/heapsim
 * @ctx: open of /dev/heapsim
 * @to: buffer in user space
 * @len: its size, bytes
 * @waits: wait for the first record
 *
 * Return: bytes, -EINVAL if the open does not watch or no record fits, -EAGAIN,
 * -ERESTARTSYS, or -EFAULT; no record is lost on failure.
 */
ssize_t heapsim_watch_read(struct heapsim_ctx *ctx, char __user *to,
			   size_t len, bool waits)
{
	struct heapsim_watcher *w = watcher_of(ctx);
	ssize_t ret;

	if (!w || len < w->record_size)
		return -EINVAL;
	len = min_t(size_t, len, INT_MAX);
	while (!(ret = watcher_copy_all(w, to, len, waits))) {
		if (!waits)
			return -EAGAIN;
		ret = wait_event_interruptible(ctx->wait,
					       watcher_has_records(w));
		if (ret)
			return ret;
	}
	return ret;
}

/**
 * heapsim_watch_poll() - poll() of /dev/heapsim
 * @ctx: open of /dev/heapsim
 * @file: its file
 * @table: poll table
 *
 * Return: EPOLLIN if there are records, EPOLLERR if the open does not watch.
 */
__poll_t heapsim_watch_poll(struct heapsim_ctx *ctx, struct file *file,
			    struct poll_table_struct *table)
{
	struct heapsim_watcher *w;

	/*
	 * epoll asks for the wait queue only once, maybe before the watch
	 * begins.
	 */
	poll_wait(file, &ctx->wait, table);
	w = watcher_of(ctx);
	if (!w)
		return EPOLLERR;
	return watcher_has_records(w) ? EPOLLIN | EPOLLRDNORM : 0;
}
