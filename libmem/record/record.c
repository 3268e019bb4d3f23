// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records for `heapsim run`: violations with the stacks of both sides, and the
 * call sites that created objects which exist. They are in tables that the
 * command shares with its processes (tables.h). They are written without a
 * lock, from any handler, and remain readable however the process ends.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "../clock.h"
#include "record.h"
#include "walk.h"

/* Set once: when the library is loaded, or by the first context. */
static struct stacks *_Atomic stacks;

static struct stacks *record_stacks(void)
{
	return atomic_load_explicit(&stacks, memory_order_acquire);
}

static void record_copy_text(char *to, const char *from, size_t size)
{
	size_t len = from ? strnlen(from, size - 1) : 0;

	memcpy(to, from ? from : "", len);
	memset(to + len, 0, size - len);
}

/* @library: reported if the file has another version; NULL: not reported yet */
static void record_look(const char *library)
{
	const char *path;

	if (record_stacks())
		return;
	path = secure_getenv(STACKS_ENV);
	if (path && !stacks_init())
		atomic_store(&stacks, stacks_map(path, library));
}

/* Before the program drops the privilege that opening the file needs. */
__attribute__((constructor)) static void record_look_early(void)
{
	record_look(NULL);
}

static void record_look_once(void)
{
	record_look(LIBRARY_NAME);
}

/**
 * tell_init() - find out whether `heapsim run` watches this process
 *
 * Context: any thread; with the first context.
 */
void tell_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const int err = errno;

	pthread_once(&once, record_look_once);
	errno = err;
}

/**
 * tell_is_on() - return whether `heapsim run` watches this process
 *
 * Context: any.
 * Return: true if it does.
 */
bool tell_is_on(void)
{
	return record_stacks();
}

/**
 * tell_policy() - return the policy that the command requests
 *
 * Context: any.
 * Return: its --policy; MEM_POLICY_STRICT if the process is not watched.
 */
enum mem_policy tell_policy(void)
{
	static const enum mem_policy policies[] = {
		[HEAPSIM_POLICY_STRICT] = MEM_POLICY_STRICT,
		[HEAPSIM_POLICY_RECORD] = MEM_POLICY_RECORD,
		[HEAPSIM_POLICY_OFF] = MEM_POLICY_OFF,
	};
	const struct stacks *s = record_stacks();

	return s && s->told.policy <= HEAPSIM_POLICY_OFF ?
	       policies[s->told.policy] : MEM_POLICY_STRICT;
}

/**
 * tell_evicts() - return whether the command requests random eviction
 * @seed: out: its seed
 *
 * Context: any.
 * Return: true if it does; false if the process is not watched.
 */
bool tell_evicts(uint64_t *seed)
{
	const struct stacks *s = record_stacks();

	*seed = s ? s->told.seed : 0;
	return s && s->told.evict_random;
}

static int record_add_api(struct dl_phdr_info *info, size_t len, void *arg)
{
	static const struct {
		const char *prefix;
		uint32_t api;
	} layers[] = {
		{ "libmem-cuda", TOLD_API_CUDA },
		{ "libmem-nvsci", TOLD_API_NVSCI },
		{ "libmem-vpi", TOLD_API_VPI },
		{ "libmem-nvbuf", TOLD_API_NVBUF },
	};
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;
	uint32_t *apis = arg;
	size_t i;

	(void)len;
	for (i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		if (!strncmp(name, layers[i].prefix, strlen(layers[i].prefix)))
			*apis |= layers[i].api;
	return 0;
}

/**
 * tell_process() - record that this process uses libmem, and which interfaces
 *
 * Context: any thread, after tell_init().
 */
void tell_process(void)
{
	static atomic_int told;
	struct stacks *s = record_stacks();
	const pid_t pid = getpid();
	uint32_t apis = 0, i;

	/* A child is another process. */
	if (!s || atomic_exchange(&told, pid) == pid)
		return;
	i = atomic_fetch_add(&s->told.nr_processes, 1);
	if (i >= TOLD_NR_PROCESSES)
		return;
	/* If a library of these opens the context, it is loaded by now. */
	dl_iterate_phdr(record_add_api, &apis);
	atomic_store(&s->told.apis[i], apis);
	atomic_store(&s->told.processes[i], (uint32_t)pid);
}

/**
 * tell_engine() - record the process of an engine, which may end late
 * @pid: its number
 *
 * Context: any thread, after tell_init().
 */
void tell_engine(pid_t pid)
{
	struct stacks *s = record_stacks();
	uint32_t i;

	if (!s)
		return;
	i = atomic_fetch_add(&s->told.nr_engines, 1) % TOLD_NR_PROCESSES;
	atomic_store(&s->told.engines[i], (uint32_t)pid);
}

/**
 * tell_inline() - record that kernels of a context run in the program,
 * unchecked
 *
 * Context: any thread, after tell_init().
 */
void tell_inline(void)
{
	struct stacks *s = record_stacks();

	if (s)
		atomic_fetch_add(&s->told.nr_inline, 1);
}

/**
 * tell_context() - record that an embedded context was opened
 * @soc: name of its board
 * @line_size: bytes
 */
void tell_context(const char *soc, uint32_t line_size)
{
	struct stacks *s = record_stacks();

	if (!s || atomic_fetch_add(&s->told.nr_contexts, 1))
		return;
	strncpy(s->told.soc, soc, sizeof(s->told.soc) - 1);
	atomic_store(&s->told.line_size, line_size);
}

/**
 * tell_bypassed() - record that calls of the C library do not pass through
 * libmem
 *
 * Context: any thread, after tell_init().
 */
void tell_bypassed(void)
{
	struct stacks *s = record_stacks();

	if (s)
		atomic_store(&s->told.bypassed_pid, (uint32_t)getpid());
}

/**
 * tell_no_context() - record that a context could not be opened
 * @err: -errno
 * @variable: environment variable whose value may be the cause; NULL none
 */
void tell_no_context(int err, const char *variable)
{
	const char *value = variable ? getenv(variable) : NULL;
	struct stacks *s = record_stacks();

	if (!s || atomic_fetch_add(&s->told.nr_failed, 1))
		return;
	if (value) {
		record_copy_text(s->told.failed_name, variable,
				 sizeof(s->told.failed_name));
		record_copy_text(s->told.failed_value, value,
				 sizeof(s->told.failed_value));
	}
	atomic_store(&s->told.failed_err, err);
}

/* What the thread does is done for the call with this stack; 0: for itself. */
static __thread uint32_t done_for;

/**
 * tell_done_for() - have what the calling thread does reported for a call
 * @stack: of that call, from tell_stack(); 0: for the thread itself again
 *
 * Context: any.
 */
void tell_done_for(uint32_t stack)
{
	done_for = stack;
}

/**
 * tell_stack() - record the calling thread's stack
 * @from: instruction that was interrupted, or the return address of a call of
 *	the library; 0: here. The report leaves out frames of the library
 *
 * Context: any; takes some microseconds.
 * Return: number of the stack; 0: it was not recorded.
 */
uint32_t tell_stack(uintptr_t from)
{
	struct stacks *s = record_stacks();
	uint32_t index;

	if (!s)
		return 0;
	if (done_for)
		return done_for;
	index = stacks_put(s, from);
	return index < STACKS_NR_STACKS ? index + 1 : 0;
}

static struct told_record record_of_violation(const struct mem_violation *v)
{
	struct told_record r = {
		.size = sizeof(r),
		.kind = v->kind,
		.missing = v->missing,
		.other = v->other,
		.time_ns = v->time_ns,
		.off = v->off,
		.len = v->len,
		.pid = (uint32_t)getpid(),
		.tid = v->cpu_tid,
		.is_write = v->is_write,
		.cpu_ip = v->cpu_ip,
		.cpu_addr = v->cpu_addr,
		.cpu_time_ns = v->cpu_time_ns,
		.other_time_ns = v->other_time_ns,
		.other_job = v->other_job,
		.other_stream = v->other_stream,
		.attach = v->attach,
		.attach_stream = v->attach_stream,
	};

	record_copy_text(r.comm, program_invocation_short_name, sizeof(r.comm));
	record_copy_text(r.name, v->name, sizeof(r.name));
	record_copy_text(r.other_name, v->other_name, sizeof(r.other_name));
	return r;
}

static uint64_t record_mix(uint64_t h, uint64_t n)
{
	h = (h ^ n) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 29;
}

static uint64_t record_mix_text(uint64_t h, const char *text)
{
	while (*text)
		h = record_mix(h, (unsigned char)*text++);
	return h;
}

/* The module's rule, except that buffers of one name share an entry. */
static bool record_is_same_place(const struct told_record *a,
				 const struct told_record *b)
{
	return a->kind == b->kind && a->missing == b->missing &&
	       a->other == b->other && a->is_write == b->is_write &&
	       a->cpu_stack == b->cpu_stack &&
	       a->other_stack == b->other_stack &&
	       (a->cpu_stack || a->cpu_ip == b->cpu_ip) &&
	       !strcmp(a->name, b->name) &&
	       !strcmp(a->other_name, b->other_name) &&
	       a->kernel_stack == b->kernel_stack;
}

/* Objects of one kind that one call site created, whatever their names. */
static bool record_is_same_maker(const struct told_record *a,
				 const struct told_record *b)
{
	return a->kind == b->kind && a->cpu_stack == b->cpu_stack;
}

/**
 * struct table - a hash table of call sites
 * @places: entries
 * @nr: number of entries
 * @is_same: returns true if two records belong to one entry
 */
struct table {
	struct told_place *places;
	uint32_t nr;
	bool (*is_same)(const struct told_record *a,
			const struct told_record *b);
};

/* Fills in a new entry and publishes it. */
static void record_place_fill(struct told_place *place,
			      const struct told_record *r,
			      const struct mem_violation *v)
{
	place->record = *r;
	place->buf = v->buf;
	atomic_init(&place->count, v->count);
	atomic_init(&place->bytes, v->len);
	atomic_init(&place->nr_bufs, 1);
	atomic_init(&place->last_buf, v->buf);
	atomic_init(&place->first_off, v->off);
	atomic_init(&place->end_off, v->off + v->len);
	atomic_store_explicit(&place->state, STACKS_READY,
			      memory_order_release);
}

static void record_lower(_Atomic uint64_t *at, uint64_t value)
{
	uint64_t seen = atomic_load(at);

	while (value < seen && !atomic_compare_exchange_weak(at, &seen, value))
		;
}

static void record_raise(_Atomic uint64_t *at, uint64_t value)
{
	uint64_t seen = atomic_load(at);

	while (value > seen && !atomic_compare_exchange_weak(at, &seen, value))
		;
}

static void record_place_add(struct told_place *place,
			     const struct mem_violation *v)
{
	atomic_fetch_add(&place->count, v->count);
	atomic_fetch_add(&place->bytes, v->len);
	if (place->buf == v->buf) {
		record_lower(&place->first_off, v->off);
		record_raise(&place->end_off, v->off + v->len);
	}
	if (atomic_exchange(&place->last_buf, v->buf) != v->buf)
		atomic_fetch_add(&place->nr_bufs, 1);
}

/*
 * Returns the entry of a record, with @v added to it, or NULL if there is no
 * room. Skips an entry that another thread is writing, or whose writer was
 * killed: a call site then has two entries, which the command merges.
 */
static struct told_place *record_place_get(struct told *told,
					   const struct table *table,
					   struct told_record *r,
					   const struct mem_violation *v)
{
	uint64_t at = record_mix(record_mix(record_mix(r->kind, r->cpu_stack),
					    r->other_stack),
				 r->cpu_stack ? 0 : r->cpu_ip);
	uint32_t i;

	if (table->is_same == record_is_same_place)
		at = record_mix_text(at, r->name);
	for (i = 0; i < TOLD_PROBES; i++, at++) {
		struct told_place *place = &table->places[at % table->nr];
		uint32_t state = atomic_load_explicit(&place->state,
						      memory_order_acquire);

		if (state == STACKS_FREE &&
		    atomic_compare_exchange_strong(&place->state, &state,
						   STACKS_BUSY)) {
			r->seq = atomic_fetch_add(&told->nr_seq, 1) + 1;
			record_place_fill(place, r, v);
			return place;
		}
		if (state == STACKS_READY &&
		    table->is_same(&place->record, r)) {
			record_place_add(place, v);
			return place;
		}
	}
	return NULL;
}

/* The kernel runs on another thread, whose stack is not walked. */
static uint32_t record_kernel_stack(struct stacks *s,
				    const struct mem_violation *v)
{
	uintptr_t ips[2];
	uint32_t nr = 0, index;

	if (v->other_ip)
		ips[nr++] = v->other_ip;
	if (v->other_kernel)
		ips[nr++] = v->other_kernel;
	if (!nr)
		return 0;
	index = stacks_put_at(s, ips, nr);
	return index < STACKS_NR_STACKS ? index + 1 : 0;
}

static_assert(HEAPSIM_RECORD_NR_ATTACHES == (int)TELL_NR_ATTACHES &&
	      HEAPSIM_ATTACHED_BY_CALL == (int)TELL_ATTACHED_BY_CALL &&
	      HEAPSIM_ATTACHED_BY_ALLOC == (int)TELL_ATTACHED_BY_ALLOC &&
	      HEAPSIM_ATTACHED_BY_DESTROY == (int)TELL_ATTACHED_BY_DESTROY &&
	      HEAPSIM_ATTACH_SINGLE == (int)MEM_ATTACH_SINGLE,
	      "attaches are the module's");

static void record_attaches(struct told_record *r,
			    const struct tell_attach *attaches)
{
	int i;

	for (i = 0; i < TELL_NR_ATTACHES; i++)
		r->attaches[i] = (struct heapsim_record_attach) {
			.attach = attaches[i].attach,
			.by = attaches[i].by,
			.stream = attaches[i].stream,
			.time_ns = attaches[i].time_ns,
			.stack = attaches[i].stack,
		};
}

static bool record_is_harmless(uint32_t kind)
{
	return kind == MEM_VIOLATION_SHARED_LINE ||
	       kind == MEM_VIOLATION_REDUNDANT_CLEAN ||
	       kind == MEM_VIOLATION_REDUNDANT_INVALIDATE ||
	       kind == TOLD_MISSING_CALL;
}

/**
 * tell_is_traced() - return whether events are recorded
 *
 * Context: any.
 * Return: true under `heapsim run --trace`.
 */
bool tell_is_traced(void)
{
	const struct stacks *s = record_stacks();

	return s && s->told.is_traced;
}

/**
 * tell_kernel() - return a number for a kernel, to pass to the module
 * @kernel: function; 0 none
 *
 * Context: any.
 * Return: a number by which the command finds the name; 0: not watched.
 */
uint64_t tell_kernel(uintptr_t kernel)
{
	struct stacks *s = record_stacks();

	return s && kernel ? stacks_frame(s, kernel) : 0;
}

/* Returns a free entry of the ring, and its number, or NULL if it is full. */
static struct told_event *record_event_get(struct told *told, uint64_t *turn)
{
	uint64_t nr = atomic_load(&told->nr_events);

	do {
		if (nr - atomic_load(&told->nr_read) >= TOLD_NR_EVENTS)
			return NULL;
	} while (!atomic_compare_exchange_weak(&told->nr_events, &nr, nr + 1));
	*turn = nr + 1;
	return &told->events[nr % TOLD_NR_EVENTS];
}

/**
 * tell_traced() - record an event
 * @r: event; this call fills in the process, and if @cpu.time_ns is not 0 the
 *	calling thread
 * @job: of a job that begins, else NULL
 *
 * Context: any.
 */
void tell_traced(struct heapsim_record *r, const struct tell_job *job)
{
	struct stacks *s = record_stacks();
	struct told_event *event;
	uint64_t turn;

	if (!s || !s->told.is_traced)
		return;
	event = record_event_get(&s->told, &turn);
	if (!event) {
		atomic_fetch_add(&s->told.nr_events_lost, 1);
		return;
	}
	r->size = sizeof(*r);
	if (r->cpu.time_ns) {
		r->cpu.pid = (uint32_t)getpid();
		if (!r->cpu.tid || r->cpu.tid == (uint32_t)gettid()) {
			r->cpu.tid = (uint32_t)gettid();
			prctl(PR_GET_NAME, r->cpu.comm, 0, 0, 0);
		} else {
			record_copy_text(r->cpu.comm,
					 program_invocation_short_name,
					 sizeof(r->cpu.comm));
		}
	}
	if (r->other.type) {
		r->other.pid = (uint32_t)getpid();
		record_copy_text(r->other.comm, program_invocation_short_name,
				 sizeof(r->other.comm));
	}
	event->record = *r;
	event->kernel = job && job->kernel ? stacks_frame(s, job->kernel) : 0;
	event->thread = job ? (uint32_t)job->thread : 0;
	atomic_store_explicit(&event->turn, turn, memory_order_release);
}

/**
 * tell_begin() - return the time at which an event begins
 *
 * Context: any.
 * Return: CLOCK_MONOTONIC; 0: events are not recorded.
 */
uint64_t tell_begin(void)
{
	return tell_is_traced() ? now_ns() : 0;
}

static struct heapsim_record record_done_by_host(uint32_t kind, uint64_t stream,
						 uint64_t begin_ns)
{
	return (struct heapsim_record) {
		.kind = kind,
		.count = 1,
		.time_ns = now_ns(),
		.cpu.time_ns = begin_ns,
		.other.stream = stream,
	};
}

/**
 * tell_waited() - record that the calling thread has waited
 * @what: what it waited for
 * @stream: number of that stream, else 0
 * @begin_ns: from tell_begin(); 0: not recorded
 */
void tell_waited(const char *what, uint64_t stream, uint64_t begin_ns)
{
	struct heapsim_record r;

	if (!begin_ns)
		return;
	r = record_done_by_host(TOLD_WAIT, stream, begin_ns);
	record_copy_text(r.other.name, what, sizeof(r.other.name));
	tell_traced(&r, NULL);
}

/**
 * tell_called() - record that the calling thread has run a host function
 * @function: the function
 * @stream: number of its stream
 * @begin_ns: from tell_begin(); 0: not recorded
 */
void tell_called(uintptr_t function, uint64_t stream, uint64_t begin_ns)
{
	const struct tell_job job = { .kernel = function };
	struct heapsim_record r;

	if (!begin_ns)
		return;
	r = record_done_by_host(TOLD_CALL, stream, begin_ns);
	tell_traced(&r, &job);
}

/**
 * tell_attached() - record that the calling thread has attached a buffer
 * @info: the buffer
 * @how: MEM_ATTACH_*
 * @stream: number of the stream in whose order the attach takes effect
 */
void tell_attached(const struct mem_buf_info *info, uint32_t how,
		   uint64_t stream)
{
	struct heapsim_record r;

	if (!tell_is_traced())
		return;
	r = record_done_by_host(TOLD_ATTACH, stream, now_ns());
	r.buf = info->id;
	r.len = info->len;
	r.attach = how;
	record_copy_text(r.name, info->name, sizeof(r.name));
	tell_traced(&r, NULL);
}

/* Records a violation as an event, each time that it happens. */
static void record_violation_event(const struct mem_violation *v)
{
	struct heapsim_record r = {
		.kind = v->kind,
		.missing = v->missing,
		.time_ns = v->time_ns,
		.count = v->count,
		.buf = v->buf,
		.off = v->off,
		.len = v->len,
		.bytes = v->len,
		.cpu = {
			.tid = v->cpu_tid,
			.ip = v->cpu_ip,
			.addr = v->cpu_addr,
			.time_ns = v->cpu_time_ns,
			.is_write = v->is_write,
		},
		.other = {
			.type = v->other,
			.job = v->other_job,
			.stream = v->other_stream,
			.time_ns = v->other_time_ns,
		},
	};

	record_copy_text(r.name, v->name, sizeof(r.name));
	record_copy_text(r.other.name, v->other_name, sizeof(r.other.name));
	tell_traced(&r, NULL);
}

static void record_add_place(struct stacks *s, struct told_record *r,
			     const struct mem_violation *v)
{
	const struct table table = {
		s->told.places, TOLD_NR_PLACES, record_is_same_place,
	};

	if (record_place_get(&s->told, &table, r, v))
		return;
	/* In this order, so that the second never exceeds the first. */
	atomic_fetch_add(&s->told.nr_dropped, v->count);
	if (record_is_harmless(v->kind))
		atomic_fetch_add(&s->told.nr_dropped_harmless, v->count);
}

/**
 * tell_violation() - record a violation
 * @v: violation
 * @beside: its stacks, and facts that @v lacks
 *
 * Context: any.
 */
void tell_violation(const struct mem_violation *v, const struct tell *beside)
{
	struct stacks *s = record_stacks();
	struct told_record r;

	if (!s)
		return;
	if (s->told.is_traced)
		record_violation_event(v);
	r = record_of_violation(v);
	r.cpu_stack = beside->cpu_stack;
	r.other_stack = beside->other_stack;
	r.kernel_stack = record_kernel_stack(s, v);
	if (beside->attaches)
		record_attaches(&r, beside->attaches);
	record_add_place(s, &r, v);
}

/**
 * tell_missing() - record a call of an unsupported function
 * @call: name of the function; the end of a long name is cut off
 *
 * Context: any thread.
 */
void tell_missing(const char *call)
{
	struct mem_violation v = {
		.kind = TOLD_MISSING_CALL,
		.count = 1,
		.cpu_tid = (uint32_t)gettid(),
	};
	struct stacks *s = record_stacks();
	struct told_record r;

	if (!s)
		return;
	v.time_ns = now_ns();
	v.cpu_time_ns = v.time_ns;
	record_copy_text(v.name, call, sizeof(v.name));
	/* A long name continues in the second field. */
	record_copy_text(v.other_name, call + strlen(v.name),
			 sizeof(v.other_name));
	r = record_of_violation(&v);
	r.cpu_stack = tell_stack(0);
	record_add_place(s, &r, &v);
}

/**
 * tell_object() - record a new object, which is a finding if it is not
 * destroyed
 * @v: that finding
 * @cpu_stack: stack that creates it
 *
 * Context: any.
 * Return: entry for tell_object_gone(); NULL: not recorded.
 */
struct told_place *tell_object(const struct mem_violation *v,
			       uint32_t cpu_stack)
{
	struct stacks *s = record_stacks();
	struct told_record r;
	struct table table;

	if (!s)
		return NULL;
	r = record_of_violation(v);
	r.cpu_stack = cpu_stack;
	table = (struct table) { s->told.objects, TOLD_NR_OBJECTS,
				 record_is_same_maker };
	return record_place_get(&s->told, &table, &r, v);
}

/**
 * tell_object_gone() - record that an object was destroyed
 * @place: from tell_object(); may be NULL
 * @len: its bytes
 *
 * Context: any; not in a child that was forked after tell_object().
 */
void tell_object_gone(struct told_place *place, uint64_t len)
{
	if (!place)
		return;
	atomic_fetch_sub(&place->count, 1);
	atomic_fetch_sub(&place->bytes, len);
}

static void record_living_begin(struct living *living, struct mem_violation *v)
{
	v->time_ns = now_ns();
	v->cpu_time_ns = v->time_ns;
	v->cpu_tid = (uint32_t)gettid();
	v->count = 1;
	living->len = v->len;
	living->buf = v->buf;
	living->maker = getpid();
	living->place = tell_object(v, tell_stack(0));
}

static void record_memory_begin(struct living *living, uint32_t kind,
				const struct mem_buf_info *info)
{
	struct mem_violation v = {
		.kind = kind,
		.buf = info->id,
		.len = info->len,
	};

	memcpy(v.name, info->name, sizeof(v.name));
	record_living_begin(living, &v);
}

/**
 * tell_buf() - record a new buffer
 * @living: member of the buffer, zeroed
 * @info: the buffer
 */
void tell_buf(struct living *living, const struct mem_buf_info *info)
{
	record_memory_begin(living, TOLD_LEAKED_BUF, info);
}

/**
 * tell_registered() - record a new registration
 * @living: member of the registration, zeroed
 * @info: the registration
 */
void tell_registered(struct living *living, const struct mem_buf_info *info)
{
	record_memory_begin(living, TOLD_LEAKED_REGISTRATION, info);
}

/**
 * tell_lock() - record a new lock of an image or array
 * @living: member of the lock, zeroed
 * @info: its buffer, with the name of the image
 */
void tell_lock(struct living *living, const struct mem_buf_info *info)
{
	record_memory_begin(living, MEM_VIOLATION_MISSING_UNLOCK, info);
}

static void record_thing_begin(struct living *living, uint32_t kind)
{
	struct mem_violation v = { .kind = kind };

	*living = (struct living) { 0 };
	if (tell_is_on())
		record_living_begin(living, &v);
}

/**
 * tell_job() - record a new job
 * @living: member of the job
 */
void tell_job(struct living *living)
{
	record_thing_begin(living, TOLD_LEAKED_JOB);
}

/**
 * tell_stream() - record a new stream that the caller owns
 * @living: member of the stream
 */
void tell_stream(struct living *living)
{
	record_thing_begin(living, TOLD_LEAKED_STREAM);
}

/**
 * tell_event() - record a new event
 * @living: member of the event
 */
void tell_event(struct living *living)
{
	record_thing_begin(living, TOLD_LEAKED_EVENT);
}

/* Returns the entry of a buffer, else a free one, now busy, or NULL. */
static struct told_shape *record_shape_get(struct told *told, uint32_t pid,
					   uint64_t buf)
{
	uint32_t at = told_shape_at(pid, buf), i;

	for (i = 0; i < TOLD_PROBES; i++, at++) {
		struct told_shape *shape = &told->shapes[at % TOLD_NR_SHAPES];
		uint32_t state = atomic_load_explicit(&shape->state,
						      memory_order_acquire);

		if (state == STACKS_READY && shape->pid == pid &&
		    shape->buf == buf)
			return shape;
		if (state == STACKS_FREE &&
		    atomic_compare_exchange_strong(&shape->state, &state,
						   STACKS_BUSY))
			return shape;
	}
	return NULL;
}

/**
 * tell_shape() - record what a buffer contains
 * @buf: id of the buffer
 * @is_modules: the id is the module's, else this process's
 * @shape: all members except @state, @pid and @buf
 *
 * Replaces an earlier record of the buffer. If there is no room, reports show
 * only the buffer's number.
 *
 * Context: one thread per buffer at a time.
 */
void tell_shape(uint64_t buf, bool is_modules, const struct told_shape *shape)
{
	const uint32_t pid = is_modules ? 0 : (uint32_t)getpid();
	struct stacks *s = record_stacks();
	struct told_shape *place;

	if (!s)
		return;
	place = record_shape_get(&s->told, pid, buf);
	if (!place)
		return;
	place->pid = pid;
	place->buf = buf;
	memcpy(&place->type, &shape->type,
	       sizeof(*shape) - offsetof(struct told_shape, type));
	atomic_store_explicit(&place->state, STACKS_READY,
			      memory_order_release);
}

/**
 * tell_named() - record the name of a buffer
 * @living: member of the buffer
 * @name: shorter than TOLD_NAME_LEN
 *
 * An entry has the name of its first buffer.
 */
void tell_named(struct living *living, const char *name)
{
	struct told_place *place;

	place = __atomic_load_n(&living->place, __ATOMIC_ACQUIRE);
	if (place && living->maker == getpid() && place->buf == living->buf)
		record_copy_text(place->record.name, name,
				 sizeof(place->record.name));
}

/**
 * tell_gone() - record that an object is destroyed
 * @living: member of the object
 */
void tell_gone(struct living *living)
{
	if (living->place && living->maker == getpid())
		tell_object_gone(living->place, living->len);
}

/**
 * tell_lasting() - do not report an object as leaked
 * @living: member of the object
 */
void tell_lasting(struct living *living)
{
	struct told_place *place;

	place = __atomic_exchange_n(&living->place, NULL, __ATOMIC_ACQ_REL);
	if (place && living->maker == getpid())
		tell_object_gone(place, living->len);
}
