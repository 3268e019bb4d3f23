// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records of violations, and events, which report operations whether or not
 * they are violations. A record is made where the model or a bracket finds a
 * violation: with locks of the buffer held, or by a worker between publication
 * and signal of a fence. If nobody watches, the only cost is what is noted for
 * each page about its last store and its last engine.
 */
#include <linux/ktime.h>
#include <linux/sched/task_stack.h>

#include <asm/processor.h>
#include <asm/ptrace.h>

#include "bracket.h"
#include "ctx_buf.h"
#include "trace.h"

#define NR_PARTIES	1024	/* jobs whose pages can still be attributed */

static DEFINE_SPINLOCK(parties_lock);	/* protects the variables below */
static struct heapsim_party parties[NR_PARTIES];
static u64 last_party;

static const u32 missing[HEAPSIM_NR_RECORD_KINDS] = {
	[HEAPSIM_RECORD_STALE_READ] = HEAPSIM_MISSING_START_READ,
	[HEAPSIM_RECORD_POSSIBLE_STALE_READ] = HEAPSIM_MISSING_START_READ,
	[HEAPSIM_RECORD_LOST_DEVICE_WRITE] = HEAPSIM_MISSING_START_READ,
	[HEAPSIM_RECORD_LOST_CPU_WRITE] = HEAPSIM_MISSING_END,
	[HEAPSIM_RECORD_MISSING_CLEAN] = HEAPSIM_MISSING_END,
	[HEAPSIM_RECORD_WRITE_CONFLICT] = HEAPSIM_MISSING_END,
	[HEAPSIM_RECORD_MISSING_END] = HEAPSIM_MISSING_END,
	[HEAPSIM_RECORD_CPU_WHILE_ACTIVE] = HEAPSIM_MISSING_SYNC,
	[HEAPSIM_RECORD_ENGINE_NOT_ATTACHED] = HEAPSIM_MISSING_ATTACH,
	[HEAPSIM_RECORD_CPU_ON_DEVICE] = HEAPSIM_MISSING_COPY,
	[HEAPSIM_RECORD_UNENDED_READ] = HEAPSIM_MISSING_END,
};

static void note_current(struct heapsim_record_cpu *cpu, u64 addr,
			 bool is_write)
{
	strscpy(cpu->comm, current->comm, sizeof(cpu->comm));
	cpu->addr = addr;
	cpu->is_write = is_write;
	cpu->time_ns = ktime_get_ns();
	if (current->flags & PF_KTHREAD)
		return;
	cpu->pid = task_tgid_nr(current);
	cpu->tid = task_pid_nr(current);
	cpu->ip = instruction_pointer(task_pt_regs(current));
}

static struct heapsim_watching note_init_side(struct heapsim_cpu *side,
					      u64 addr, bool is_write)
{
	const struct heapsim_watching watch = heapsim_watching();

	memset(side, 0, sizeof(*side));
	note_current(&side->cpu, addr, is_write);
	side->seen_by = watch.seen_by;
	return watch;
}

/**
 * heapsim_note_cpu() - note an action of the calling thread
 * @side: out
 * @addr: user address of its access, or 0
 * @is_write: the thread stores
 */
void heapsim_note_cpu(struct heapsim_cpu *side, u64 addr, bool is_write)
{
	const struct heapsim_watching watch =
		note_init_side(side, addr, is_write);

	side->stack = heapsim_stack_now(watch.signal);
}

/**
 * heapsim_note_store() - note a store by the calling thread
 * @side: out
 * @addr: user address of the store, or 0
 * @before: last store to the previous page, or NULL. In a row of stores from
 *	one place only the first makes the thread record its stack
 *
 * Context: no spinlock is held; reads user memory without faulting.
 */
void heapsim_note_store(struct heapsim_cpu *side, u64 addr,
			const struct heapsim_cpu *before)
{
	const struct heapsim_watching watch = note_init_side(side, addr, true);

	if (!watch.signal)
		return;
	side->place = heapsim_stack_place();
	if (side->place && before && before->place == side->place &&
	    before->cpu.tid == side->cpu.tid)
		side->stack = before->stack;
	if (!side->stack)
		side->stack = heapsim_stack_now(watch.signal);
}

/**
 * heapsim_note_party() - note an action that the calling process requests from
 *	an engine or a driver
 * @party: out
 * @type: enum heapsim_other
 * @name: name of the engine or device
 */
void heapsim_note_party(struct heapsim_party *party, u32 type, const char *name)
{
	const struct heapsim_watching watch = heapsim_watching();

	memset(party, 0, sizeof(*party));
	party->other.type = type;
	party->other.time_ns = ktime_get_ns();
	strscpy(party->other.name, name, sizeof(party->other.name));
	strscpy(party->other.comm, current->comm, sizeof(party->other.comm));
	if (!(current->flags & PF_KTHREAD))
		party->other.pid = task_tgid_nr(current);
	party->seen_by = watch.seen_by;
	party->stack = heapsim_stack_now(watch.signal);
}

/**
 * heapsim_note_attach() - note that the calling thread attaches a buffer to a
 *	stream
 * @how: out: everything except the state and the stream
 * @by: HEAPSIM_ATTACHED_BY_*
 */
void heapsim_note_attach(struct heapsim_record_attach *how, u32 by)
{
	const struct heapsim_watching watch = heapsim_watching();

	*how = (struct heapsim_record_attach) {
		.by = by,
		.time_ns = ktime_get_ns(),
		.stack = heapsim_stack_now(watch.signal),
	};
}

/**
 * heapsim_party_keep() - keep a party, so that pages can refer to it
 * @party: copied
 *
 * Return: number for heapsim_note.engine. It is forgotten after NR_PARTIES
 * more.
 */
u64 heapsim_party_keep(const struct heapsim_party *party)
{
	u64 serial;

	spin_lock(&parties_lock);
	serial = ++last_party;
	parties[serial % NR_PARTIES] = *party;
	spin_unlock(&parties_lock);
	return serial;
}

/*
 * Finds the last writer of DRAM of a page; zeroed if it is not known any more.
 */
static void record_find_writer(const struct heapsim_buf *buf, size_t page,
			       struct heapsim_party *party)
{
	u64 serial = buf->notes[page].engine;

	memset(party, 0, sizeof(*party));
	spin_lock(&parties_lock);
	if (serial && serial + NR_PARTIES > last_party)
		*party = parties[serial % NR_PARTIES];
	spin_unlock(&parties_lock);
	if (buf->writer.other.time_ns > party->other.time_ns)
		*party = buf->writer;
}

/*
 * Reads both fields without a lock; they may not match while the buffer is
 * being attached.
 */
static void record_describe(struct heapsim_record *r,
			    const struct heapsim_buf *buf)
{
	if (!buf->owned)
		return;
	r->attach = READ_ONCE(buf->owned->newest.attach);
	r->attach_stream = READ_ONCE(buf->owned->newest.stream);
}

/* Completes a record with its two sides, and queues and traces it. */
static void record_report(struct heapsim_record *r,
			  const struct heapsim_cpu *side,
			  const struct heapsim_party *party)
{
	r->bytes = r->len;
	r->cpu = side->cpu;
	r->cpu_stack = side->stack;
	r->other = party->other;
	r->other_stack = party->stack;
	r->kernel = party->kernel;
	trace_heapsim_record(r);
	heapsim_watch_report(r, side->seen_by, party->seen_by);
}

/* @buf is NULL if the buffer is foreign. */
static void record_init_place(struct heapsim_record *r,
			      const struct heapsim_buf *buf, u64 off, u64 len)
{
	memset(r, 0, sizeof(*r));
	r->time_ns = ktime_get_ns();
	r->count = 1;
	r->off = off;
	r->len = len;
	if (!buf)
		return;
	r->buf = buf->id;
	heapsim_buf_get_name(buf, r->name);
	record_describe(r, buf);
}

static void record_init(struct heapsim_record *r, const struct heapsim_buf *buf,
			u32 kind, u64 off, u64 len)
{
	record_init_place(r, buf, off, len);
	r->kind = kind;
	r->missing = missing[kind];
	/*
	 * On a board, the driver maintains managed memory when the host
	 * synchronises.
	 */
	if (buf->kind == HEAPSIM_KIND_MANAGED &&
	    (r->missing == HEAPSIM_MISSING_START_READ ||
	     r->missing == HEAPSIM_MISSING_END))
		r->missing = HEAPSIM_MISSING_SYNC;
}

/**
 * heapsim_event_begin() - take the time at the begin of an operation
 *
 * Return: time for heapsim_event.begin_ns; 0 if nobody wants events.
 */
u64 heapsim_event_begin(void)
{
	return heapsim_has_event_watchers() ? ktime_get_ns() : 0;
}

/**
 * heapsim_event_report() - report an event
 * @buf: buffer, or NULL if it is foreign
 * @event: event
 *
 * Unless an engine acts, the calling thread is the CPU side. Its watchers are
 * looked up now, and no stack is requested. The event is also traced.
 *
 * Context: any, including with lines_lock held, and between publication and
 * signal of a fence.
 */
void heapsim_event_report(const struct heapsim_buf *buf,
			  const struct heapsim_event *event)
{
	struct heapsim_record r;

	record_init_place(&r, buf, event->off, event->len);
	r.kind = event->kind;
	r.count = event->count;
	r.bytes = event->bytes ? event->bytes : event->len;
	r.access = event->access;
	r.op = event->op;
	r.src = event->src;
	r.status = event->status;
	if (!event->is_engines) {
		note_current(&r.cpu, event->addr,
			     event->access & HEAPSIM_ACCESS_WRITE);
		r.time_ns = r.cpu.time_ns;
		if (event->begin_ns)
			r.cpu.time_ns = event->begin_ns;
	}
	if (event->party) {
		r.other = event->party->other;
		r.kernel = event->party->kernel;
	}
	trace_heapsim_event(&r);
	heapsim_watch_report(&r, 0, event->party ? event->party->seen_by : 0);
}

/**
 * heapsim_event_report_whole() - report an event of a whole buffer
 * @buf: buffer
 * @kind: HEAPSIM_RECORD_START, HEAPSIM_RECORD_HOLD and so on
 * @access: HEAPSIM_ACCESS_*
 * @begin_ns: from heapsim_event_begin()
 * @party: importer, NULL for a bracket
 */
void heapsim_event_report_whole(const struct heapsim_buf *buf, u32 kind,
				u32 access, u64 begin_ns,
				const struct heapsim_party *party)
{
	if (heapsim_has_event_watchers())
		heapsim_event_report(buf, &(struct heapsim_event) {
			.kind = kind,
			.access = access,
			.len = buf->len,
			.count = 1,
			.begin_ns = begin_ns,
			.party = party,
		});
}

/**
 * heapsim_event_report_work() - report an event of a job of an engine in user
 *	space
 * @party: the job
 * @kind: HEAPSIM_RECORD_SUBMIT, HEAPSIM_RECORD_JOB_BEGIN or
 *	HEAPSIM_RECORD_JOB_END
 * @status: result of the job
 */
void heapsim_event_report_work(const struct heapsim_party *party, u32 kind,
			       int status)
{
	const bool is_submit = kind == HEAPSIM_RECORD_SUBMIT;

	if (!heapsim_has_event_watchers())
		return;
	heapsim_event_report(NULL, &(struct heapsim_event) {
		.kind = kind,
		.count = 1,
		.begin_ns = is_submit ? party->other.time_ns : 0,
		.is_engines = !is_submit,
		.party = party,
		.status = status,
	});
}

/**
 * heapsim_record_is_wanted() - check whether anybody gets records
 *
 * Return: true if there is a watcher, or the tracepoint is enabled.
 */
bool heapsim_record_is_wanted(void)
{
	return heapsim_is_watched() || trace_heapsim_record_enabled();
}

static const u32 kind_of[] = {
	[LINE_STALE_READ] = HEAPSIM_RECORD_STALE_READ,
	[LINE_UNSEEN_STALE_READ] = HEAPSIM_RECORD_STALE_READ,
	[LINE_POSSIBLE_STALE_READ] = HEAPSIM_RECORD_POSSIBLE_STALE_READ,
	[LINE_LOST_DEVICE_WRITE] = HEAPSIM_RECORD_LOST_DEVICE_WRITE,
	[LINE_LOST_CPU_WRITE] = HEAPSIM_RECORD_LOST_CPU_WRITE,
	[LINE_MISSING_CLEAN] = HEAPSIM_RECORD_MISSING_CLEAN,
	[LINE_WRITE_CONFLICT] = HEAPSIM_RECORD_WRITE_CONFLICT,
	[LINE_SHARED] = HEAPSIM_RECORD_SHARED_LINE,
	[LINE_REDUNDANT_CLEAN] = HEAPSIM_RECORD_REDUNDANT_CLEAN,
	[LINE_REDUNDANT_INVALIDATE] = HEAPSIM_RECORD_REDUNDANT_INVALIDATE,
};

/**
 * heapsim_record_lines() - report findings; line_buf.report of every
 *	buffer
 * @lines: lines of a struct heapsim_buf
 * @event: finding
 * @off: offset of the first byte
 * @len: bytes
 *
 * Context: lines_lock is held; also called between publication and signal.
 */
void heapsim_record_lines(struct line_buf *lines, enum line_event event,
			  u64 off, u64 len)
{
	struct heapsim_buf *buf = container_of(lines, struct heapsim_buf,
					       lines);
	const struct heapsim_access *access = buf->access;
	const size_t page = off >> PAGE_SHIFT;
	struct heapsim_party party = { 0 };
	struct heapsim_cpu side;
	struct heapsim_record r;
	u64 end = off + len;

	if (!heapsim_record_is_wanted())
		return;
	record_init(&r, buf, kind_of[event], off, len);
	switch (event) {
	case LINE_STALE_READ:
	case LINE_POSSIBLE_STALE_READ:
		r.off = max(off, access->off);
		r.len = end - r.off;
		heapsim_note_cpu(&side, access->addr ?
				 access->addr + (r.off - access->off) : 0,
				 false);
		record_find_writer(buf, page, &party);
		break;
	case LINE_UNSEEN_STALE_READ:
		side = *buf->reader;
		record_find_writer(buf, page, &party);
		break;
	case LINE_LOST_DEVICE_WRITE:
		side = buf->notes[page].store;
		record_find_writer(buf, page, &party);
		break;
	case LINE_LOST_CPU_WRITE:
		side = buf->notes[page].store;
		heapsim_note_party(&party, HEAPSIM_OTHER_PROCESS, "invalidate");
		break;
	case LINE_MISSING_CLEAN:
	case LINE_WRITE_CONFLICT:
		side = buf->notes[page].store;
		party = *buf->acting;
		break;
	default:
		/* The buffer may have no line state here, and so no notes. */
		heapsim_note_cpu(&side, 0, false);
		break;
	}
	record_report(&r, &side, &party);
}

/**
 * heapsim_record_unbracketed() - report a CPU access without a bracket
 * @buf: two-view buffer
 * @access: access
 * @party: fence or holder that forbids the access
 *
 * Context: the buffer's lock is held.
 */
void heapsim_record_unbracketed(struct heapsim_buf *buf,
				const struct heapsim_access *access,
				const struct heapsim_party *party)
{
	const bool has_fence = party->other.type == HEAPSIM_OTHER_FENCE;
	const bool is_write = access->touch == HEAPSIM_TOUCH_WRITE;
	struct heapsim_cpu side;
	struct heapsim_record r;

	if (!heapsim_record_is_wanted())
		return;
	record_init(&r, buf, HEAPSIM_RECORD_UNBRACKETED_ACCESS, access->off,
		    access->len);
	heapsim_note_cpu(&side, access->addr, is_write);
	r.missing = has_fence ? HEAPSIM_MISSING_WAIT :
		    is_write ? HEAPSIM_MISSING_START_WRITE :
			       HEAPSIM_MISSING_START_READ;
	record_report(&r, &side, party);
}

/**
 * heapsim_record_cpu_forbidden() - report a CPU access that the context forbids
 * @buf: buffer of the context
 * @kind: HEAPSIM_RECORD_CPU_WHILE_ACTIVE or HEAPSIM_RECORD_CPU_ON_DEVICE
 * @access: access
 * @party: job of a stream because of which the access is forbidden
 *
 * Context: managed memory: nobody attaches the buffer meanwhile.
 */
void heapsim_record_cpu_forbidden(struct heapsim_buf *buf, u32 kind,
				  const struct heapsim_access *access,
				  const struct heapsim_party *party)
{
	struct heapsim_cpu side;
	struct heapsim_record r;

	if (!heapsim_record_is_wanted())
		return;
	record_init(&r, buf, kind, access->off, access->len);
	memcpy(r.attaches, buf->owned->attaches, sizeof(r.attaches));
	heapsim_note_cpu(&side, access->addr,
			 access->touch == HEAPSIM_TOUCH_WRITE);
	record_report(&r, &side, party);
}

/**
 * heapsim_record_not_attached() - report a stream's job that accesses a buffer
 *	its stream must not access
 * @buf: managed buffer
 * @party: job
 *
 * Context: heapsim_owner.lock is held.
 */
void heapsim_record_not_attached(struct heapsim_buf *buf,
				 const struct heapsim_party *party)
{
	const struct heapsim_cpu nobody = { 0 };
	struct heapsim_record r;

	if (!heapsim_record_is_wanted())
		return;
	record_init(&r, buf, HEAPSIM_RECORD_ENGINE_NOT_ATTACHED, 0, buf->len);
	memcpy(r.attaches, buf->owned->attaches, sizeof(r.attaches));
	record_report(&r, &nobody, party);
}

static void record_brackets(struct heapsim_buf *buf, u32 kind, u32 nr,
			    const struct heapsim_cpu *start)
{
	const struct heapsim_party nobody = { 0 };
	struct heapsim_record r;

	if (!nr)
		return;
	record_init(&r, buf, kind, 0, buf->len);
	r.count = nr;
	record_report(&r, start, &nobody);
}

/**
 * heapsim_record_open_bracket() - report brackets that will not be ended
 * @buf: two-view buffer
 * @b: brackets of a process that has ended or no longer has access to @buf
 *
 * A bracket for reading and writing is reported once, as one for writing.
 *
 * Context: the buffer's lock is held, or the buffer has no users.
 */
void heapsim_record_open_bracket(struct heapsim_buf *buf,
				 const struct heapsim_bracket *b)
{
	if (!heapsim_record_is_wanted())
		return;
	record_brackets(buf, HEAPSIM_RECORD_MISSING_END, b->open.nr_write,
			&b->write_start);
	record_brackets(buf, HEAPSIM_RECORD_UNENDED_READ,
			b->open.nr_read -
			min(b->open.nr_read, b->open.nr_write),
			&b->read_start);
}

/**
 * heapsim_record_unmatched_end() - report an END without START by the calling
 *	process
 * @buf: two-view buffer
 * @lacks_write: the START of a WRITE bracket is missing; false: that of a READ
 *	bracket
 * @is_write: the END is that of a WRITE bracket
 *
 * Context: the buffer's lock is held.
 */
void heapsim_record_unmatched_end(struct heapsim_buf *buf, bool lacks_write,
				  bool is_write)
{
	const struct heapsim_party nobody = { 0 };
	struct heapsim_cpu side;
	struct heapsim_record r;

	if (!heapsim_record_is_wanted())
		return;
	record_init(&r, buf, HEAPSIM_RECORD_UNMATCHED_END, 0, buf->len);
	r.missing = lacks_write ? HEAPSIM_MISSING_START_WRITE :
				  HEAPSIM_MISSING_START_READ;
	heapsim_note_cpu(&side, 0, is_write);
	record_report(&r, &side, &nobody);
}
