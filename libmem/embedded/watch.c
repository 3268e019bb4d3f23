// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Violations that the embedded backend has found, for `heapsim run`
 * (violation.c) and for the contexts that watch (watchers.c).
 */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../violations.h"
#include "embedded.h"

/* Number of freed buffers that are remembered. */
#define NR_FREED	64

/**
 * struct freed - a buffer that was freed
 * @buf: its number
 * @addr: its address
 * @len: bytes, whole pages
 * @time_ns: when it was freed
 * @stack: stack that freed it, from record_stack()
 * @name: its name
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
	pthread_mutex_t lock;		/* protects all members */
	uint64_t nr;
	struct freed all[NR_FREED];	/* a ring */
} freed = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/**
 * struct found - a violation, with what is recorded only for `heapsim run`
 * @v: violation
 * @beside: stacks and attaches
 */
struct found {
	struct mem_violation v;
	struct record_facts beside;
};

/* With this policy nothing is checked, and so nothing is reported. */
static bool watch_is_off(const struct embedded_buf *buf)
{
	return embedded_ctx_of(buf->base.ctx)->policy == MEM_POLICY_OFF;
}

static bool watch_has_readers(void)
{
	return watchers_exist() || record_is_on();
}

/**
 * watch_is_on() - check whether anything is reported
 *
 * Return: true if a context watches, or `heapsim run` does.
 */
bool watch_is_on(void)
{
	return watch_has_readers() || record_is_traced();
}

static void watch_report(const struct found *f)
{
	record_add_violation(&f->v, &f->beside);
	watchers_add(&f->v);
}

static struct found watch_found_of(const struct embedded_buf *buf,
				   uint32_t kind, uint64_t off, uint64_t len)
{
	const uint64_t newest = atomic_load_explicit(&buf->order.newest,
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

static void watch_add_store(struct found *f, const struct note *store)
{
	f->v.cpu_ip = store->ip;
	f->v.cpu_addr = store->addr;
	f->v.cpu_time_ns = store->time_ns;
	f->v.cpu_tid = (uint32_t)store->tid;
	f->v.is_write = store->time_ns != 0;
	f->beside.cpu_stack = store->stack;
}

/* @from: as in record_stack() */
static void watch_add_caller(struct found *f, bool is_write, uintptr_t from)
{
	f->v.cpu_time_ns = f->v.time_ns;
	f->v.cpu_tid = (uint32_t)gettid();
	f->v.is_write = is_write;
	f->beside.cpu_stack = record_stack(from);
}

static void watch_add_touch(struct found *f, const struct embedded_buf *buf,
			    const struct touch *touch)
{
	watch_add_caller(f, touch->is_write, touch->ip);
	f->v.cpu_ip = touch->ip;
	f->v.cpu_addr = (uintptr_t)buf->addr + f->v.off;
}

static void watch_add_engine(struct found *f, const struct acting *engine)
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

/* Fills in the calling thread as the one that does the maintenance. */
static void watch_add_invalidate(struct found *f)
{
	f->v.other = MEM_OTHER_PROCESS;
	f->v.other_time_ns = f->v.time_ns;
	strcpy(f->v.other_name, "invalidate");
	f->beside.other_stack = record_stack(0);
}

/* What libmem itself wastes, the program could not have left out. */
static bool watch_is_waste(enum line_event event)
{
	return event == LINE_SHARED || event == LINE_REDUNDANT_CLEAN ||
	       event == LINE_REDUNDANT_INVALIDATE;
}

/**
 * watch_lines() - report an event of the model; line_buf.report of every buffer
 * @lines: lines of a buffer, which is locked
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

	if (!watch_has_readers() || (watch_is_waste(event) && gate_is_own()))
		return;
	f = watch_found_of(buf, of[event].kind, off, len);
	f.v.missing = of[event].missing;
	/* Managed memory is maintained by the driver when the host waits. */
	if (f.v.missing && buf->base.kind == MEM_KIND_MANAGED)
		f.v.missing = MEM_MISSING_SYNC;
	switch (event) {
	case LINE_STALE_READ:
	case LINE_POSSIBLE_STALE_READ:
		f.v.off = buf->touch->off;
		f.v.len = off + len - f.v.off;
		watch_add_touch(&f, buf, buf->touch);
		watch_add_engine(&f, &note->engine);
		break;
	case LINE_LOST_DEVICE_WRITE:
		watch_add_store(&f, note);
		watch_add_engine(&f, &note->engine);
		break;
	case LINE_LOST_CPU_WRITE:
		watch_add_store(&f, note);
		watch_add_invalidate(&f);
		break;
	case LINE_MISSING_CLEAN:
	case LINE_WRITE_CONFLICT:
		watch_add_store(&f, note);
		watch_add_engine(&f, &buf->acting);
		break;
	default:
		watch_add_caller(&f, false, 0);
		break;
	}
	watch_report(&f);
}

/**
 * watch_unbracketed() - report a touch while the engine uses the buffer
 * @buf: buffer, locked
 * @touch: touch
 */
void watch_unbracketed(const struct embedded_buf *buf,
		       const struct touch *touch)
{
	struct found f;

	if (!watch_has_readers())
		return;
	f = watch_found_of(buf, MEM_VIOLATION_UNBRACKETED_ACCESS, touch->off,
			   1);
	f.v.missing = MEM_MISSING_WAIT;
	f.v.other = MEM_OTHER_FENCE;
	watch_add_touch(&f, buf, touch);
	watch_report(&f);
}

/**
 * watch_unmatched_end() - report an end without its begin
 * @buf: buffer, locked
 * @lacks_write: no bracket for writing is open
 * @is_write: the end was for writing
 */
void watch_unmatched_end(const struct embedded_buf *buf, bool lacks_write,
			 bool is_write)
{
	struct found f;

	if (!watch_has_readers())
		return;
	f = watch_found_of(buf, MEM_VIOLATION_UNMATCHED_END, 0, buf->base.len);
	f.v.missing = lacks_write ? MEM_MISSING_BEGIN_WRITE :
				    MEM_MISSING_BEGIN_READ;
	watch_add_caller(&f, is_write, 0);
	watch_report(&f);
}

/* Composes the report of a bracket that can no longer be ended. */
static struct found watch_open_bracket(const struct embedded_buf *buf,
				       enum bracket_dir dir)
{
	struct found f = watch_found_of(buf, dir == BRACKET_WRITE ?
					MEM_VIOLATION_MISSING_END :
					MEM_VIOLATION_UNENDED_READ, 0,
					buf->base.len);

	f.v.missing = MEM_MISSING_END;
	watch_add_store(&f, &buf->begin[dir]);
	f.v.is_write = dir == BRACKET_WRITE;
	return f;
}

static enum bracket_dir watch_dir_of(unsigned int access)
{
	return access & MEM_WRITE ? BRACKET_WRITE : BRACKET_READ;
}

/*
 * Returns how many brackets the program has to end. One for reading and writing
 * is reported once, as one for writing.
 */
static uint64_t watch_nr_open(const struct embedded_buf *buf,
			      enum bracket_dir dir)
{
	const struct line_bracket *open = &buf->bracket;
	const uint64_t others = buf->nr_own[dir] +
				(dir == BRACKET_READ ? open->nr_write : 0);
	const uint64_t nr = dir == BRACKET_READ ? open->nr_read :
						  open->nr_write;

	return nr > others ? nr - others : 0;
}

static void watch_bracket_gone(struct embedded_buf *buf, enum bracket_dir dir)
{
	record_destroy_object(buf->begun[dir], buf->base.len);
	buf->begun[dir] = NULL;
}

/**
 * watch_open_brackets() - report brackets that are open when a buffer is freed
 * @buf: buffer, locked
 */
void watch_open_brackets(struct embedded_buf *buf)
{
	enum bracket_dir dir;
	struct found f;

	if (!watch_has_readers())
		return;
	for (dir = BRACKET_READ; dir <= BRACKET_WRITE; dir++) {
		if (!watch_nr_open(buf, dir))
			continue;
		f = watch_open_bracket(buf, dir);
		f.v.count = watch_nr_open(buf, dir);
		watch_report(&f);
		watch_bracket_gone(buf, dir);
	}
}

/**
 * watch_bracket_begin() - store where a bracket was begun
 * @buf: buffer, locked
 * @access: what the bracket is for, MEM_READ, MEM_WRITE or both
 */
void watch_bracket_begin(struct embedded_buf *buf, unsigned int access)
{
	const struct note note = {
		.time_ns = now_ns(),
		.tid = gettid(),
		.stack = record_stack(0),
	};

	if (gate_is_own()) {
		buf->nr_own[watch_dir_of(access)]++;
		return;
	}
	if (access & MEM_READ)
		buf->begin[BRACKET_READ] = note;
	if (access & MEM_WRITE)
		buf->begin[BRACKET_WRITE] = note;
}

/**
 * watch_bracket_end() - account for a bracket that is ended
 * @buf: buffer, locked
 * @access: what the bracket is for, MEM_READ, MEM_WRITE or both
 */
void watch_bracket_end(struct embedded_buf *buf, unsigned int access)
{
	if (gate_is_own())
		buf->nr_own[watch_dir_of(access)]--;
}

/**
 * watch_brackets() - record the open brackets after a change
 * @buf: buffer, locked
 *
 * They are recorded in advance, because a process that ends in a bracket cannot
 * report it any more. libmem itself may be working on an image at that time,
 * which is no mistake of the program.
 */
void watch_brackets(struct embedded_buf *buf)
{
	enum bracket_dir dir;
	struct found f;

	for (dir = BRACKET_READ; dir <= BRACKET_WRITE; dir++) {
		if (!watch_nr_open(buf, dir)) {
			watch_bracket_gone(buf, dir);
		} else if (!buf->begun[dir] && record_is_on()) {
			f = watch_open_bracket(buf, dir);
			buf->begun[dir] =
				record_create_object(&f.v, f.beside.cpu_stack);
		}
	}
}

/**
 * watch_alloc() - record new memory by address
 * @buf: buffer that no other thread knows yet
 */
void watch_alloc(struct embedded_buf *buf)
{
	struct mem_buf_info info = {
		.id = buf->id,
		.len = buf->base.asked_len,
	};

	memcpy(info.name, buf->name, sizeof(info.name));
	if (record_is_on())
		living_begin_buf(&buf->base.living, &info);
}

/**
 * watch_register() - record a new registration
 * @buf: buffer that no other thread knows yet
 */
void watch_register(struct embedded_buf *buf)
{
	const struct mem_buf_info info = {
		.id = buf->id,
		.len = buf->base.asked_len,
	};

	if (record_is_on())
		living_begin_registration(&buf->base.living, &info);
}

/**
 * watch_registered_gone() - report memory that was freed while registered
 * @buf: registered buffer
 *
 * Context: the thread that unregisters it; all signals blocked.
 */
void watch_registered_gone(const struct embedded_buf *buf)
{
	struct found f;

	if (watch_is_off(buf) || !watch_has_readers())
		return;
	f = watch_found_of(buf, MEM_VIOLATION_WRAPPED_GONE, 0,
			   buf->base.asked_len);
	watch_add_caller(&f, false, 0);
	watch_report(&f);
}

/**
 * watch_free() - record that memory is freed
 * @buf: buffer
 */
void watch_free(struct embedded_buf *buf)
{
	living_end(&buf->base.living);
}

/**
 * watch_freed() - remember a freed buffer, to detect a later touch
 * @buf: buffer
 *
 * Context: the thread that frees it; all signals blocked.
 */
void watch_freed(const struct embedded_buf *buf)
{
	struct freed one = {
		.buf = buf->id,
		.addr = (uintptr_t)buf->addr,
		.len = buf->nr_pages << window_page_shift(),
		.time_ns = now_ns(),
	};

	if (watch_is_off(buf) || !watch_has_readers())
		return;
	memcpy(one.name, buf->name, sizeof(one.name));
	one.stack = record_stack(0);
	pthread_mutex_lock(&freed.lock);
	/* It was unmapped to be freed. */
	if (freed.nr && freed.all[(freed.nr - 1) % NR_FREED].buf == one.buf)
		freed.nr--;
	freed.all[freed.nr++ % NR_FREED] = one;
	pthread_mutex_unlock(&freed.lock);
}

/* Returns the newest freed buffer that contained an address, or NULL. */
static bool watch_freed_find(uintptr_t addr, struct freed *found)
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
 * watch_use_after_free() - report an access to freed or unmapped memory
 * @addr: address in the window
 * @buf: buffer at the address, which was mapped; NULL if there is none
 * @touch: the access
 *
 * Context: signal handler.
 */
void watch_use_after_free(uintptr_t addr, const struct embedded_buf *buf,
			  const struct touch *touch)
{
	struct freed one;
	struct found f;

	if (!watch_has_readers() || !watch_freed_find(addr, &one) ||
	    (buf && one.buf != buf->id))
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
	watch_add_caller(&f, touch->is_write, touch->ip);
	f.v.cpu_ip = touch->ip;
	f.v.cpu_addr = addr;
	watch_report(&f);
}

/* Copies how the buffer came to its attach state. The order lock is held. */
static void watch_add_attaches(struct found *f, const struct embedded_buf *buf)
{
	if (buf->base.kind == MEM_KIND_MANAGED)
		f->beside.attaches = buf->attaches;
}

/**
 * watch_cpu_while_active() - report an access to managed memory in use
 * @buf: buffer
 * @touch: the access
 * @refusal: why it is not allowed
 */
void watch_cpu_while_active(const struct embedded_buf *buf,
			    const struct touch *touch,
			    const struct refusal *refusal)
{
	struct found f;

	if (watch_is_off(buf) || !watch_has_readers())
		return;
	f = watch_found_of(buf, MEM_VIOLATION_CPU_WHILE_ACTIVE, touch->off, 1);
	f.v.missing = MEM_MISSING_SYNC;
	watch_add_touch(&f, buf, touch);
	f.beside.attaches = refusal->attaches;
	f.v.other = MEM_OTHER_ENGINE;
	f.v.other_stream = refusal->stream;
	watch_add_engine(&f, &refusal->newest);
	watch_report(&f);
}

/**
 * watch_cpu_on_device() - report a touch of device memory by the CPU
 * @buf: buffer
 * @touch: touch
 */
void watch_cpu_on_device(const struct embedded_buf *buf,
			 const struct touch *touch)
{
	struct found f;

	if (watch_is_off(buf) || !watch_has_readers())
		return;
	f = watch_found_of(buf, MEM_VIOLATION_CPU_ON_DEVICE, touch->off, 1);
	watch_add_touch(&f, buf, touch);
	watch_report(&f);
}

/**
 * watch_not_attached() - report a job's touch of managed memory not attached to
 * it
 * @buf: buffer
 * @off: first byte
 * @is_write: the touch is a store
 * @ip: instruction of a kernel, 0 none
 * @work: the job
 *
 * Context: caller must hold the order lock.
 */
void watch_not_attached(const struct embedded_buf *buf, uint64_t off,
			bool is_write, uintptr_t ip, const struct work *work)
{
	struct found f;

	if (watch_is_off(buf) || !watch_has_readers())
		return;
	f = watch_found_of(buf, MEM_VIOLATION_ENGINE_NOT_ATTACHED, off, 1);
	f.v.missing = MEM_MISSING_ATTACH;
	f.v.is_write = is_write;
	watch_add_engine(&f, &work->acting);
	f.v.other_ip = ip;
	watch_add_attaches(&f, buf);
	watch_report(&f);
}

static bool watch_is_closed(const struct embedded_buf *buf)
{
	return buf->gate == GATE_CLOSED;
}

static uint32_t watch_gate_kind(const struct embedded_buf *buf, bool is_engine)
{
	if (buf->gate == GATE_FRAME_RELEASED)
		return MEM_VIOLATION_FRAME_USED_AFTER_RELEASE;
	if (buf->gate & GATE_FRAME)
		return MEM_VIOLATION_FRAME_WRITTEN_BY_CONSUMER;
	if (buf->gate & GATE_EXTERNAL)
		return MEM_VIOLATION_USE_AFTER_FREE;
	/* Also a store of an engine to what is locked for it to read. */
	if (!is_engine || watch_is_closed(buf) ||
	    gate_allows_device(buf->gate, false))
		return MEM_VIOLATION_UNLOCKED_ACCESS;
	return MEM_VIOLATION_ENGINE_WHILE_LOCKED;
}

/* Returns the name of the call because of which the gate is as it is. */
static const char *watch_gate_call(const struct embedded_buf *buf)
{
	switch (buf->gate) {
	case GATE_FRAME_HELD:
		return "acquire";
	case GATE_FRAME_RELEASED:
		return "release";
	case GATE_EXTERNAL_GONE:
		return "destroy";
	case GATE_CLOSED:
		return "unlock";
	default:
		return "lock";
	}
}

/**
 * watch_gate_cpu() - report a touch by the CPU that a gate does not allow
 * @buf: buffer of an image, array or frame, locked
 * @touch: touch
 */
void watch_gate_cpu(const struct embedded_buf *buf, const struct touch *touch)
{
	struct found f;

	if (!watch_has_readers())
		return;
	f = watch_found_of(buf, watch_gate_kind(buf, false), touch->off, 1);
	watch_add_touch(&f, buf, touch);
	f.v.other = MEM_OTHER_PROCESS;
	f.v.other_time_ns = buf->gated.time_ns;
	strcpy(f.v.other_name, watch_gate_call(buf));
	f.beside.other_stack = buf->gated.stack;
	watch_report(&f);
}

/**
 * watch_gate_engine() - report a touch by a job that a gate does not allow
 * @buf: buffer of an image, array or frame
 * @off: first byte
 * @is_write: the touch is a store
 * @ip: instruction of a kernel, 0 none
 * @work: the job
 */
void watch_gate_engine(const struct embedded_buf *buf, uint64_t off,
		       bool is_write, uintptr_t ip, const struct work *work)
{
	struct found f;

	if (!watch_has_readers())
		return;
	f = watch_found_of(buf, watch_gate_kind(buf, true), off, 1);
	if (!watch_is_closed(buf)) {
		f.v.cpu_time_ns = buf->gated.time_ns;
		f.v.cpu_tid = buf->gated.tid;
		f.beside.cpu_stack = buf->gated.stack;
	}
	f.v.is_write = is_write;
	watch_add_engine(&f, &work->acting);
	f.v.other_ip = ip;
	watch_report(&f);
}

/**
 * watch_race() - report a touch by a job that races with another job
 * @buf: buffer
 * @off: first byte
 * @is_write: the touch is a store
 * @ip: instruction of a kernel, 0 none
 * @work: the job
 * @party: the other job, which has touched the byte before
 */
void watch_race(const struct embedded_buf *buf, uint64_t off, bool is_write,
		uintptr_t ip, const struct work *work,
		const struct race_party *party)
{
	struct found f;

	if (watch_is_off(buf) || !watch_has_readers())
		return;
	f = watch_found_of(buf, MEM_VIOLATION_RACE, off, 1);
	f.v.cpu_time_ns = party->acting.time_ns;
	f.v.cpu_tid = party->tid;
	f.beside.cpu_stack = party->acting.stack;
	f.v.is_write = is_write;
	watch_add_engine(&f, &work->acting);
	f.v.other_ip = ip;
	watch_report(&f);
}

/**
 * watch_read_only() - report a store of the CPU to read-only memory
 * @buf: buffer, locked
 * @touch: touch
 */
void watch_read_only(const struct embedded_buf *buf, const struct touch *touch)
{
	struct found f;

	if (watch_is_off(buf) || !watch_has_readers())
		return;
	f = watch_found_of(buf, MEM_VIOLATION_READ_ONLY_WRITE, touch->off, 1);
	watch_add_touch(&f, buf, touch);
	watch_report(&f);
}

/**
 * watch_atomic() - report an atomic instruction on memory that is not cached
 * @buf: buffer
 * @touch: touch
 * @work: work of the kernel; NULL: the CPU
 */
void watch_atomic(const struct embedded_buf *buf, const struct touch *touch,
		  const struct work *work)
{
	struct found f;

	if (!watch_has_readers())
		return;
	f = watch_found_of(buf, MEM_VIOLATION_ATOMIC_ON_UNCACHED, touch->off,
			   1);
	if (work) {
		f.v.is_write = touch->is_write;
		watch_add_engine(&f, &work->acting);
		f.v.other_ip = touch->ip;
	} else {
		watch_add_touch(&f, buf, touch);
	}
	watch_report(&f);
}

/**
 * watch_failed() - report an illegal address, or a kernel that failed
 * @result: result for which engine_is_failed() returns true
 * @work: the job
 * @refused: kind of memory that it touched, as text; NULL: @result has it
 */
void watch_failed(const struct engine_result *result,
		  const struct work *work, const char *refused)
{
	struct found f = { .v = violation_of_failed(result, refused) };

	if (!watch_has_readers())
		return;
	watch_add_engine(&f, &work->acting);
	watch_report(&f);
}

/*
 * The store to the page that faulted last, if it was behind, too. All of the
 * page may be: it may have been made ready for a row of stores.
 */
static void watch_add_store_behind(struct found *f,
				   const struct embedded_buf *buf,
				   uint64_t off)
{
	const size_t page = off >> window_page_shift();
	const struct note *store = &buf->notes[page];

	if (store->time_ns &&
	    (page << window_page_shift() >= buf->base.asked_len ||
	     store->addr >= (uintptr_t)buf->addr + buf->base.asked_len))
		watch_add_store(f, store);
}

/**
 * watch_overrun() - report that bytes behind an allocation have changed
 * @buf: allocation
 * @off: first byte that has changed
 * @work: work that changed it; NULL: the CPU
 */
void watch_overrun(const struct embedded_buf *buf, uint64_t off,
		   const struct work *work)
{
	struct found f;

	if (watch_is_off(buf) || !watch_has_readers())
		return;
	f = watch_found_of(buf, MEM_VIOLATION_OVERRUN, off, 1);
	f.v.is_write = true;
	if (work)
		watch_add_engine(&f, &work->acting);
	else if (buf->has_two_views)
		watch_add_store_behind(&f, buf, off);
	watch_report(&f);
}
