// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Violations, for `heapsim run` (record/record.c) and for contexts that watch.
 * Each of these contexts has a ring of violations; repetitions at one call site
 * are counted in one entry. One lock protects all rings. It is taken last, with
 * all signals blocked; the caller may hold a buffer's lock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "embedded.h"

#define MAX_WATCHERS	64
/* So many of the newest are looked through for the same place. */
#define FOLD_DEPTH	64

/**
 * struct watch - a context that watches
 * @kinds: bit a kind
 * @size: places in the ring
 * @first: oldest
 * @nr: that wait
 * @nr_dropped: that found no room since one was told of that
 * @event: set while some wait; none as long as nobody asked for it
 * @ring: they
 */
struct watch {
	uint32_t kinds;
	uint32_t size;
	uint32_t first;
	uint32_t nr;
	uint64_t nr_dropped;
	struct own_fd event;
	struct mem_violation ring[];
};

static struct {
	pthread_mutex_t lock;
	struct watch *all[MAX_WATCHERS];
	atomic_uint nr;
} watchers = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/* So many buffers that are freed are remembered. */
#define NR_FREED	64

/**
 * struct freed - a buffer that was freed
 * @buf: number of it
 * @addr: where it was
 * @len: bytes, whole pages
 * @time_ns: when it was freed
 * @stack: from tell_stack(), of who freed it
 * @name: of it
 */
struct freed {
	uint64_t buf;
	uintptr_t addr;
	uint64_t len;
	uint64_t time_ns;
	uint32_t stack;
	char name[MEM_NAME_LEN];
};

static struct {
	pthread_mutex_t lock;		/* protects all */
	uint64_t nr;
	struct freed all[NR_FREED];	/* in turn */
} freed = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

static void watchers_lock(sigset_t *old)
{
	signals_block(old);
	pthread_mutex_lock(&watchers.lock);
}

static void watchers_unlock(const sigset_t *old)
{
	pthread_mutex_unlock(&watchers.lock);
	signals_restore(old);
}

static struct watch *watch_create(unsigned int what, uint32_t nr)
{
	const uint32_t waste = 1U << MEM_VIOLATION_SHARED_LINE |
			       1U << MEM_VIOLATION_REDUNDANT_CLEAN |
			       1U << MEM_VIOLATION_REDUNDANT_INVALIDATE;
	struct watch *watch = calloc(1, sizeof(*watch) +
				     (size_t)nr * sizeof(watch->ring[0]));

	if (!watch)
		return NULL;
	if (what & MEM_WATCH_ERRORS)
		watch->kinds |= ~waste;
	if (what & MEM_WATCH_WASTE)
		watch->kinds |= waste;
	watch->size = nr;
	watch->event = OWN_FD_NONE;
	return watch;
}

/* Publishes it; the watchers' lock is held. */
static int watch_add(struct embedded_ctx *ctx, struct watch *watch)
{
	size_t i;

	for (i = 0; !ctx->watch && i < MAX_WATCHERS; i++) {
		if (watchers.all[i])
			continue;
		watchers.all[i] = watch;
		ctx->watch = watch;
		atomic_fetch_add(&watchers.nr, 1);
		return 0;
	}
	return -EBUSY;
}

/**
 * watch_begin() - keep violations for a context
 * @ctx: context
 * @what: MEM_WATCH_*
 * @nr: how many may wait
 *
 * Return: 0, -EBUSY (it watches already, or too many do) or -ENOMEM.
 */
int watch_begin(struct embedded_ctx *ctx, unsigned int what, uint32_t nr)
{
	struct watch *watch = watch_create(what, nr);
	sigset_t old;
	int err;

	if (!watch)
		return -ENOMEM;
	watchers_lock(&old);
	err = watch_add(ctx, watch);
	watchers_unlock(&old);
	if (err)
		free(watch);
	return err;
}

/**
 * watch_end() - the context goes
 * @ctx: context
 */
void watch_end(struct embedded_ctx *ctx)
{
	sigset_t old;
	size_t i;

	if (!ctx->watch)
		return;
	/* In a child the lock may be anybody's; nobody else is there. */
	if (!window_is_forked()) {
		watchers_lock(&old);
		for (i = 0; i < MAX_WATCHERS; i++)
			if (watchers.all[i] == ctx->watch)
				watchers.all[i] = NULL;
		atomic_fetch_sub(&watchers.nr, 1);
		watchers_unlock(&old);
	}
	own_fd_close(&ctx->watch->event);
	free(ctx->watch);
}

static bool is_waiting(const struct watch *watch)
{
	return watch->nr || watch->nr_dropped;
}

/**
 * watch_next() - the oldest that waits
 * @ctx: context
 * @violation: out
 *
 * Return: 1, 0 if none waits, or -EINVAL (nobody watches).
 */
int watch_next(struct embedded_ctx *ctx, struct mem_violation *violation)
{
	struct watch *watch;
	sigset_t old;
	int ret = 0;

	watchers_lock(&old);
	watch = ctx->watch;
	if (!watch) {
		ret = -EINVAL;
	} else if (watch->nr) {
		*violation = watch->ring[watch->first];
		watch->first = (watch->first + 1) % watch->size;
		watch->nr--;
		ret = 1;
	} else if (watch->nr_dropped) {
		violation->kind = MEM_VIOLATION_DROPPED;
		violation->count = watch->nr_dropped;
		violation->time_ns = now_ns();
		watch->nr_dropped = 0;
		ret = 1;
	}
	if (watch && !is_waiting(watch))
		own_event_set(&watch->event, false);
	watchers_unlock(&old);
	return ret;
}

/**
 * watch_fd() - a descriptor that polls readable while violations wait
 * @ctx: context
 * @fd: out: owned by the caller
 *
 * Return: 0, -EINVAL (the context does not watch) or -errno.
 */
int watch_fd(struct embedded_ctx *ctx, int *fd)
{
	struct watch *watch;
	sigset_t old;
	int err = 0;

	watchers_lock(&old);
	watch = ctx->watch;
	if (!watch) {
		err = -EINVAL;
	} else if (watch->event.nr < 0) {
		err = own_event_open(&watch->event);
		if (!err && is_waiting(watch))
			own_event_set(&watch->event, true);
	}
	if (!err)
		err = own_fd_dup(&watch->event);
	watchers_unlock(&old);
	if (err < 0)
		return err;
	*fd = err;
	return 0;
}

static bool is_same_place(const struct mem_violation *a,
			  const struct mem_violation *b)
{
	return a->kind == b->kind && a->buf == b->buf &&
	       a->missing == b->missing && a->cpu_ip == b->cpu_ip &&
	       a->other == b->other && !strcmp(a->other_name, b->other_name);
}

static void fold(struct mem_violation *into, const struct mem_violation *v)
{
	const uint64_t end = into->off + into->len > v->off + v->len ?
			     into->off + into->len : v->off + v->len;

	into->count += v->count;
	if (v->off < into->off)
		into->off = v->off;
	into->len = end - into->off;
}

static void keep(struct watch *watch, const struct mem_violation *v)
{
	uint32_t i, depth = watch->nr < FOLD_DEPTH ? watch->nr : FOLD_DEPTH;

	if (!(watch->kinds & 1U << v->kind))
		return;
	for (i = 1; i <= depth; i++) {
		struct mem_violation *old =
			&watch->ring[(watch->first + watch->nr - i) %
				     watch->size];

		if (is_same_place(old, v)) {
			fold(old, v);
			return;
		}
	}
	if (!is_waiting(watch))
		own_event_set(&watch->event, true);
	if (watch->nr == watch->size) {
		watch->nr_dropped += v->count;
		return;
	}
	watch->ring[(watch->first + watch->nr++) % watch->size] = *v;
}

/**
 * struct found - what was found, with what `heapsim run` alone is told
 * @v: violation
 * @beside: stacks
 */
struct found {
	struct mem_violation v;
	struct tell beside;
};

static bool has_watchers(void)
{
	return atomic_load_explicit(&watchers.nr, memory_order_relaxed) > 0;
}

/* Where nothing is looked at nothing is told. */
static bool is_off(const struct embedded_buf *buf)
{
	return embedded_ctx_of(buf->base.ctx)->policy == MEM_POLICY_OFF;
}

static bool is_watched(void)
{
	return has_watchers() || tell_is_on();
}

/**
 * watch_is_on() - whether maintenance is reported, to anybody
 *
 * Return: true if it is.
 */
bool watch_is_on(void)
{
	return is_watched() || tell_is_traced();
}

static void tell(const struct found *f)
{
	size_t i;

	tell_violation(&f->v, &f->beside);
	if (!has_watchers())
		return;
	pthread_mutex_lock(&watchers.lock);
	for (i = 0; i < MAX_WATCHERS; i++)
		if (watchers.all[i])
			keep(watchers.all[i], &f->v);
	pthread_mutex_unlock(&watchers.lock);
}

static struct found found_of(const struct embedded_buf *buf,
			     uint32_t kind, uint64_t off, uint64_t len)
{
	const uint64_t newest = atomic_load_explicit(&buf->newest,
						     memory_order_relaxed);
	struct found f = {
		.v = {
			.kind = kind,
			.count = 1,
			.buf = buf->id,
			.off = off,
			.len = len,
			.time_ns = now_ns(),
			.attach = newest & ((1U << NEWEST_STREAM_SHIFT) - 1),
			.attach_stream = newest >> NEWEST_STREAM_SHIFT,
		},
	};

	memcpy(f.v.name, buf->name, sizeof(f.v.name));
	return f;
}

static void add_store(struct found *f, const struct note *store)
{
	f->v.cpu_ip = store->ip;
	f->v.cpu_addr = store->addr;
	f->v.cpu_time_ns = store->time_ns;
	f->v.cpu_tid = (uint32_t)store->tid;
	f->v.is_write = store->time_ns != 0;
	f->beside.cpu_stack = store->stack;
}

/* @from: as tell_stack() has it */
static void add_caller(struct found *f, bool is_write, uintptr_t from)
{
	f->v.cpu_time_ns = f->v.time_ns;
	f->v.cpu_tid = (uint32_t)gettid();
	f->v.is_write = is_write;
	f->beside.cpu_stack = tell_stack(from);
}

static void add_touch(struct found *f, const struct embedded_buf *buf,
		      const struct touch *touch)
{
	add_caller(f, touch->is_write, touch->ip);
	f->v.cpu_ip = touch->ip;
	f->v.cpu_addr = (uintptr_t)buf->addr + f->v.off;
}

static void add_engine(struct found *f, const struct acting *engine)
{
	if (!engine->job)
		return;
	f->v.other = MEM_OTHER_ENGINE;
	f->v.other_job = engine->job;
	f->v.other_time_ns = engine->time_ns;
	f->v.other_stream = engine->stream;
	f->v.other_kernel = engine->kernel;
	strcpy(f->v.other_name, engine->engine);
	f->beside.other_stack = engine->stack;
}

/* The calling thread's maintenance. */
static void add_invalidate(struct found *f)
{
	f->v.other = MEM_OTHER_PROCESS;
	f->v.other_time_ns = f->v.time_ns;
	strcpy(f->v.other_name, "invalidate");
	f->beside.other_stack = tell_stack(0);
}

/**
 * watch_lines() - line_buf.tell of every buffer
 * @lines: of a buffer, locked
 * @event: what happened
 * @off: first byte
 * @len: bytes
 */
void watch_lines(struct line_buf *lines, enum line_event event, u64 off,
		 u64 len)
{
	static const struct {
		uint32_t kind;
		uint32_t missing;
	} of[] = {
		[LINE_STALE_READ] = { MEM_VIOLATION_STALE_READ,
				      MEM_MISSING_BEGIN_READ },
		[LINE_POSSIBLE_STALE_READ] = {
			MEM_VIOLATION_POSSIBLE_STALE_READ,
			MEM_MISSING_BEGIN_READ },
		[LINE_LOST_DEVICE_WRITE] = { MEM_VIOLATION_LOST_DEVICE_WRITE,
					     MEM_MISSING_BEGIN_READ },
		[LINE_LOST_CPU_WRITE] = { MEM_VIOLATION_LOST_CPU_WRITE,
					  MEM_MISSING_END },
		[LINE_MISSING_CLEAN] = { MEM_VIOLATION_MISSING_CLEAN,
					 MEM_MISSING_END },
		[LINE_WRITE_CONFLICT] = { MEM_VIOLATION_WRITE_CONFLICT,
					  MEM_MISSING_END },
		[LINE_SHARED] = { MEM_VIOLATION_SHARED_LINE, 0 },
		[LINE_REDUNDANT_CLEAN] = { MEM_VIOLATION_REDUNDANT_CLEAN, 0 },
		[LINE_REDUNDANT_INVALIDATE] = {
			MEM_VIOLATION_REDUNDANT_INVALIDATE, 0 },
	};
	struct embedded_buf *buf = containerof(lines, struct embedded_buf,
					       lines);
	const struct note *note = &buf->notes[off >> window_page_shift()];
	struct found f;

	if (!is_watched())
		return;
	f = found_of(buf, of[event].kind, off, len);
	f.v.missing = of[event].missing;
	/* The driver maintains managed memory when the host waits. */
	if (f.v.missing && buf->base.kind == MEM_KIND_MANAGED)
		f.v.missing = MEM_MISSING_SYNC;
	switch (event) {
	case LINE_STALE_READ:
	case LINE_POSSIBLE_STALE_READ:
		f.v.off = buf->touch->off;
		f.v.len = off + len - f.v.off;
		add_touch(&f, buf, buf->touch);
		add_engine(&f, &note->engine);
		break;
	case LINE_LOST_DEVICE_WRITE:
		add_store(&f, note);
		add_engine(&f, &note->engine);
		break;
	case LINE_LOST_CPU_WRITE:
		add_store(&f, note);
		add_invalidate(&f);
		break;
	case LINE_MISSING_CLEAN:
	case LINE_WRITE_CONFLICT:
		add_store(&f, note);
		add_engine(&f, &buf->acting);
		break;
	default:
		add_caller(&f, false, 0);
		break;
	}
	tell(&f);
}

/**
 * watch_unbracketed() - a touch while the engine has the buffer
 * @buf: buffer, locked
 * @touch: what was done
 */
void watch_unbracketed(const struct embedded_buf *buf,
		       const struct touch *touch)
{
	struct found f;

	if (!is_watched())
		return;
	f = found_of(buf, MEM_VIOLATION_UNBRACKETED_ACCESS, touch->off, 1);
	f.v.missing = MEM_MISSING_WAIT;
	f.v.other = MEM_OTHER_FENCE;
	add_touch(&f, buf, touch);
	tell(&f);
}

/**
 * watch_unmatched_end() - an end that lacks its begin
 * @buf: buffer, locked
 * @lacks_write: it lacks one for writing
 * @is_write: it was for writing
 */
void watch_unmatched_end(const struct embedded_buf *buf, bool lacks_write,
			 bool is_write)
{
	struct found f;

	if (!is_watched())
		return;
	f = found_of(buf, MEM_VIOLATION_UNMATCHED_END, 0, buf->base.len);
	f.v.missing = lacks_write ? MEM_MISSING_BEGIN_WRITE :
				    MEM_MISSING_BEGIN_READ;
	add_caller(&f, is_write, 0);
	tell(&f);
}

/* A bracket that nobody will end. */
static struct found open_bracket(const struct embedded_buf *buf,
				 enum bracket_dir dir)
{
	struct found f = found_of(buf, dir == BRACKET_WRITE ?
				  MEM_VIOLATION_MISSING_END :
				  MEM_VIOLATION_UNENDED_READ, 0,
				  buf->base.len);

	f.v.missing = MEM_MISSING_END;
	add_store(&f, &buf->begin[dir]);
	f.v.is_write = dir == BRACKET_WRITE;
	return f;
}

/* One for reading and writing is reported once, as one for writing. */
static uint64_t nr_open(const struct embedded_buf *buf, enum bracket_dir dir)
{
	const struct line_bracket *open = &buf->bracket;

	if (dir == BRACKET_WRITE)
		return open->nr_write;
	return open->nr_read > open->nr_write ?
	       open->nr_read - open->nr_write : 0;
}

static void bracket_gone(struct embedded_buf *buf, enum bracket_dir dir)
{
	tell_object_gone(buf->begun[dir], buf->base.len);
	buf->begun[dir] = NULL;
}

/**
 * watch_open_brackets() - report the brackets in which a buffer goes
 * @buf: buffer, locked
 */
void watch_open_brackets(struct embedded_buf *buf)
{
	enum bracket_dir dir;
	struct found f;

	if (!is_watched())
		return;
	for (dir = BRACKET_READ; dir <= BRACKET_WRITE; dir++) {
		if (!nr_open(buf, dir))
			continue;
		f = open_bracket(buf, dir);
		f.v.count = nr_open(buf, dir);
		tell(&f);
		bracket_gone(buf, dir);
	}
}

/**
 * watch_bracket_begin() - note where a bracket was begun
 * @buf: buffer, locked
 * @is_read: it is for reading
 * @is_write: it is for writing
 */
void watch_bracket_begin(struct embedded_buf *buf, bool is_read, bool is_write)
{
	const struct note note = {
		.time_ns = now_ns(),
		.tid = gettid(),
		.stack = tell_stack(0),
	};

	if (is_read)
		buf->begin[BRACKET_READ] = note;
	if (is_write)
		buf->begin[BRACKET_WRITE] = note;
}

/**
 * watch_brackets() - keep the report up to date: brackets have changed
 * @buf: buffer, locked
 *
 * A process that ends inside a bracket cannot report it any more.
 */
void watch_brackets(struct embedded_buf *buf)
{
	enum bracket_dir dir;
	struct found f;

	for (dir = BRACKET_READ; dir <= BRACKET_WRITE; dir++) {
		if (!nr_open(buf, dir)) {
			bracket_gone(buf, dir);
		} else if (!buf->begun[dir] && tell_is_on()) {
			f = open_bracket(buf, dir);
			buf->begun[dir] = tell_object(&f.v,
						      f.beside.cpu_stack);
		}
	}
}

/**
 * watch_alloc() - memory was made that is known by its address
 * @buf: it, which nobody else knows yet
 */
void watch_alloc(struct embedded_buf *buf)
{
	struct mem_buf_info info = {
		.id = buf->id,
		.len = buf->base.asked_len,
	};

	memcpy(info.name, buf->name, sizeof(info.name));
	if (tell_is_on())
		tell_buf(&buf->base.living, &info);
}

/**
 * watch_register() - memory of the application's was registered
 * @buf: it, which nobody else knows yet
 */
void watch_register(struct embedded_buf *buf)
{
	const struct mem_buf_info info = {
		.id = buf->id,
		.len = buf->base.asked_len,
	};

	if (tell_is_on())
		tell_registered(&buf->base.living, &info);
}

/**
 * watch_free() - its owner lets go of it
 * @buf: buffer
 */
void watch_free(struct embedded_buf *buf)
{
	tell_gone(&buf->base.living);
}

/**
 * watch_freed() - a buffer is being freed: remember it, for who touches it
 * @buf: buffer
 *
 * Context: called by who frees it; all signals blocked.
 */
void watch_freed(const struct embedded_buf *buf)
{
	struct freed one = {
		.buf = buf->id,
		.addr = (uintptr_t)buf->addr,
		.len = buf->nr_pages << window_page_shift(),
		.time_ns = now_ns(),
	};

	if (is_off(buf) || !is_watched())
		return;
	memcpy(one.name, buf->name, sizeof(one.name));
	one.stack = tell_stack(0);
	pthread_mutex_lock(&freed.lock);
	freed.all[freed.nr++ % NR_FREED] = one;
	pthread_mutex_unlock(&freed.lock);
}

/* The newest that was there. */
static bool freed_find(uintptr_t addr, struct freed *found)
{
	uint64_t i;
	bool ret = false;

	pthread_mutex_lock(&freed.lock);
	for (i = freed.nr; i && i + NR_FREED > freed.nr && !ret; i--) {
		*found = freed.all[(i - 1) % NR_FREED];
		ret = addr - found->addr < found->len;
	}
	pthread_mutex_unlock(&freed.lock);
	return ret;
}

/**
 * watch_use_after_free() - the CPU touches what no buffer has
 * @addr: in the window
 * @touch: of it
 *
 * Context: signal handler.
 */
void watch_use_after_free(uintptr_t addr, const struct touch *touch)
{
	struct freed one;
	struct found f;

	if (!is_watched() || !freed_find(addr, &one))
		return;
	f = (struct found) {
		.v = {
			.kind = MEM_VIOLATION_USE_AFTER_FREE,
			.count = 1,
			.buf = one.buf,
			.off = addr - one.addr,
			.len = 1,
			.time_ns = now_ns(),
			.other = MEM_OTHER_PROCESS,
			.other_time_ns = one.time_ns,
			.other_name = "free",
		},
		.beside.other_stack = one.stack,
	};
	memcpy(f.v.name, one.name, sizeof(f.v.name));
	add_caller(&f, touch->is_write, touch->ip);
	f.v.cpu_ip = touch->ip;
	f.v.cpu_addr = addr;
	tell(&f);
}

/* How it came to its attach state; the order lock is held. */
static void add_attaches(struct found *f, const struct embedded_buf *buf)
{
	if (buf->base.kind == MEM_KIND_MANAGED)
		f->beside.attaches = buf->attaches;
}

/**
 * watch_attached_now() - note that the calling thread attaches memory
 * @how: out: with all but the state
 * @by: enum tell_attached_by
 * @stream: number of the one that it is ordered in
 *
 * Return: whether anybody wants to know.
 */
bool watch_attached_now(struct tell_attach *how, enum tell_attached_by by,
			uint64_t stream)
{
	if (!tell_is_on())
		return false;
	*how = (struct tell_attach) {
		.by = by,
		.stream = stream,
		.time_ns = now_ns(),
		.stack = tell_stack(0),
	};
	return true;
}

/**
 * watch_cpu_while_active() - the CPU touched managed memory that it may not now
 * @buf: buffer
 * @touch: what was done
 * @refusal: why it may not
 */
void watch_cpu_while_active(const struct embedded_buf *buf,
			    const struct touch *touch,
			    const struct refusal *refusal)
{
	struct found f;

	if (is_off(buf) || !is_watched())
		return;
	f = found_of(buf, MEM_VIOLATION_CPU_WHILE_ACTIVE, touch->off, 1);
	f.v.missing = MEM_MISSING_SYNC;
	add_touch(&f, buf, touch);
	f.beside.attaches = refusal->attaches;
	f.v.other = MEM_OTHER_ENGINE;
	f.v.other_stream = refusal->stream;
	add_engine(&f, &refusal->newest);
	tell(&f);
}

/**
 * watch_cpu_on_device() - the CPU touched device memory
 * @buf: buffer
 * @touch: what was done
 */
void watch_cpu_on_device(const struct embedded_buf *buf,
			 const struct touch *touch)
{
	struct found f;

	if (is_off(buf) || !is_watched())
		return;
	f = found_of(buf, MEM_VIOLATION_CPU_ON_DEVICE, touch->off, 1);
	add_touch(&f, buf, touch);
	tell(&f);
}

/**
 * watch_not_attached() - a job touched managed memory that it may not
 * @buf: buffer
 * @off: where first
 * @is_write: it stored
 * @ip: instruction of a kernel, 0 none
 * @work: the job
 *
 * Context: the order lock is held.
 */
void watch_not_attached(const struct embedded_buf *buf, uint64_t off,
			bool is_write, uintptr_t ip, const struct work *work)
{
	struct found f;

	if (is_off(buf) || !is_watched())
		return;
	f = found_of(buf, MEM_VIOLATION_ENGINE_NOT_ATTACHED, off, 1);
	f.v.missing = MEM_MISSING_ATTACH;
	f.v.is_write = is_write;
	add_engine(&f, &work->acting);
	f.v.other_ip = ip;
	add_attaches(&f, buf);
	tell(&f);
}

static bool is_closed(const struct embedded_buf *buf)
{
	return buf->gate == GATE_CLOSED;
}

/**
 * watch_gate_cpu() - the CPU touched an image that it has not locked for that
 * @buf: buffer of it, locked
 * @touch: what was done
 */
void watch_gate_cpu(const struct embedded_buf *buf, const struct touch *touch)
{
	struct found f;

	if (!is_watched())
		return;
	f = found_of(buf, MEM_VIOLATION_UNLOCKED_ACCESS, touch->off, 1);
	add_touch(&f, buf, touch);
	f.v.other = MEM_OTHER_PROCESS;
	f.v.other_time_ns = buf->gated.time_ns;
	strcpy(f.v.other_name, is_closed(buf) ? "unlock" : "lock");
	f.beside.other_stack = buf->gated.stack;
	tell(&f);
}

/**
 * watch_gate_engine() - a job touched an image that is not locked for engines
 * @buf: buffer of it
 * @off: where first
 * @is_write: it stored
 * @ip: instruction of a kernel, 0 none
 * @work: the job
 */
void watch_gate_engine(const struct embedded_buf *buf, uint64_t off,
		       bool is_write, uintptr_t ip, const struct work *work)
{
	struct found f;

	if (!is_watched())
		return;
	f = found_of(buf, is_closed(buf) ? MEM_VIOLATION_UNLOCKED_ACCESS :
					   MEM_VIOLATION_ENGINE_WHILE_LOCKED,
		     off, 1);
	if (!is_closed(buf)) {
		f.v.cpu_time_ns = buf->gated.time_ns;
		f.v.cpu_tid = (uint32_t)buf->gated.tid;
		f.beside.cpu_stack = buf->gated.stack;
	}
	f.v.is_write = is_write;
	add_engine(&f, &work->acting);
	f.v.other_ip = ip;
	tell(&f);
}

/**
 * watch_read_only() - the CPU stored to memory that may only be read
 * @buf: buffer, locked
 * @touch: what was done
 */
void watch_read_only(const struct embedded_buf *buf, const struct touch *touch)
{
	struct found f;

	if (is_off(buf) || !is_watched())
		return;
	f = found_of(buf, MEM_VIOLATION_READ_ONLY_WRITE, touch->off, 1);
	add_touch(&f, buf, touch);
	tell(&f);
}

/**
 * watch_atomic() - an atomic instruction on memory that is not cached
 * @buf: buffer
 * @touch: of it
 * @work: a kernel's; NULL: the CPU's
 */
void watch_atomic(const struct embedded_buf *buf, const struct touch *touch,
		  const struct work *work)
{
	struct found f;

	if (!is_watched())
		return;
	f = found_of(buf, MEM_VIOLATION_ATOMIC_ON_UNCACHED, touch->off, 1);
	if (work) {
		f.v.is_write = touch->is_write;
		add_engine(&f, &work->acting);
		f.v.other_ip = touch->ip;
	} else {
		add_touch(&f, buf, touch);
	}
	tell(&f);
}

/**
 * watch_failed() - a kernel touched what is not an engine's, or did not return
 * @result: of its job, as engine_is_failed() has it
 * @work: the job
 * @refused: what was not given to it, in words; NULL: @result knows
 */
void watch_failed(const struct engine_result *result,
		  const struct work *work, const char *refused)
{
	const bool is_illegal = result->status == -EFAULT;
	struct found f = {
		.v.kind = is_illegal ? MEM_VIOLATION_ILLEGAL_ADDRESS :
				       MEM_VIOLATION_FAILED_KERNEL,
		.v.count = 1,
		.v.time_ns = now_ns(),
		.v.cpu_addr = result->addr,
		.v.is_write = result->is_write,
	};

	if (!is_watched())
		return;
	if (!is_illegal)
		strcpy(f.v.name, engine_end_name(result));
	else
		strcpy(f.v.name, refused ? refused :
					   engine_place_name(result->place));
	add_engine(&f, &work->acting);
	f.v.other_ip = result->ip;
	tell(&f);
}

/**
 * watch_overrun() - bytes behind an allocation have changed
 * @buf: allocation
 * @off: the first of them
 * @work: that did it; NULL: the CPU
 */
void watch_overrun(const struct embedded_buf *buf, uint64_t off,
		   const struct work *work)
{
	struct found f;

	if (is_off(buf) || !is_watched())
		return;
	f = found_of(buf, MEM_VIOLATION_OVERRUN, off, 1);
	f.v.is_write = true;
	if (work)
		add_engine(&f, &work->acting);
	tell(&f);
}
