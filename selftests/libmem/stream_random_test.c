// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs random programs on streams and managed memory, and compares them with
 * the reference of DESIGN 2.4 and a simple model of bytes. The reference
 * determines permitted accesses and the driver's maintenance. Bytes are
 * compared as long as a buffer was used according to the rules. No two
 * unordered operations use the same bytes, except if a rule forbids them.
 * LIBMEM_SOC or the module chooses the board. SEED= runs one program only,
 * ROUNDS= is the number of programs, STEPS= their length, and after LIMIT_S=
 * seconds no other one begins. The same seed does the same, independent of the
 * speed.
 *
 * Host functions get their orders from this thread, so that it knows when each
 * begins and returns.
 */
#include "../env.h"
#include "test.h"

#include <attach_ref.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>

#define NR_BUFS		9
#define NR_STREAMS	6	/* existing at once; legacy, then per-thread */
#define NR_FIXED	2
#define NR_EVENTS	4
#define NR_HOSTS	4
#define NR_JOBS		512
#define NR_CMDS		6
#define MAX_LEN		20000U
#define NR_LOG		400
#define LOG_LEN		100
#define NO_BUF		(-1)

/**
 * struct cmd - a move of bytes
 * @to: destination buffer
 * @to_off: offset in @to
 * @from: source buffer, or NO_BUF
 * @from_off: offset in @from
 * @len: length in bytes; 0: a word, which is multiplied by 3
 * @value: number added to the word, or the byte to store
 */
struct cmd {
	int to;
	uint32_t to_off;
	int from;
	uint32_t from_off;
	uint32_t len;
	uint32_t value;
};

/**
 * struct job - a job of an engine
 * @op: number in the reference
 * @is_run: the model of bytes has run the job
 * @cmds: moves, in order
 * @nr_cmds: number of moves
 */
struct job {
	size_t op;
	bool is_run;
	struct cmd cmds[NR_CMDS];
	unsigned int nr_cmds;
};

/**
 * struct buf - an allocation
 * @kind: enum mem_kind; MEM_KIND_PAGEABLE: malloc(); MEM_KIND_FOREIGN: freed
 * @ref: number in the reference if the memory is managed
 * @id: id in violations
 * @ptr: address
 * @len: length in bytes
 * @bytes: expected bytes
 * @is_wrong: a rule was broken, so the bytes are not known any more
 * @min_while_active: smallest number of violations cpu-while-active
 * @max_while_active: largest number of these
 * @nr_not_attached: exact number of violations engine-not-attached
 * @seen_revokes: number of revocations at the last violation of the CPU
 */
struct buf {
	enum mem_kind kind;
	int ref;
	uint64_t id;
	uint8_t *ptr;
	uint32_t len;
	uint8_t *bytes;
	bool is_wrong;
	uint64_t min_while_active;
	uint64_t max_while_active;
	uint64_t nr_not_attached;
	uint64_t seen_revokes;
};

struct stream {
	struct mem_stream *real;
	int ref;
};

enum order { ORDER_RETURN, ORDER_READ, ORDER_WRITE };

/**
 * struct host - a host function
 * @is_used: submitted, and not known to have returned
 * @has_begun: the function was called
 * @op: number in the reference
 * @after: event recorded right after the function
 * @go: posted when there is an order
 * @done: posted when the order has been executed
 * @order: the order
 * @word: word to access
 * @value: value to store, or that was read
 */
struct host {
	bool is_used;
	bool has_begun;
	size_t op;
	struct mem_event *after;
	sem_t go;
	sem_t done;
	enum order order;
	volatile uint32_t *word;
	uint32_t value;
};

/**
 * board - the board that all programs run on
 * @probe: result of mem_ctx_probe()
 * @ref: the reference's kind of board
 * @has_processes: forbidden accesses of kernels are detected
 * @engines: engines of the board, without a discrete GPU, which has no managed
 *	memory
 * @nr_engines: number of engines
 */
static struct {
	struct mem_probe probe;
	enum attach_ref_board ref;
	bool has_processes;
	uint32_t engines[MEM_ENGINE_DGPU];
	uint32_t nr_engines;
} board = { .probe.size = sizeof(board.probe) };

static struct program {
	uint64_t random;
	uint64_t seed;
	uint64_t step;
	bool is_concurrent;
	struct attach_ref *ref;
	struct buf bufs[NR_BUFS];
	struct stream streams[NR_STREAMS];
	struct mem_event *events[NR_EVENTS];
	struct host hosts[NR_HOSTS];
	struct host *running;
	struct job jobs[NR_JOBS];
	unsigned int nr_jobs;
	char log[NR_LOG][LOG_LEN];
	unsigned int nr_log;
} p;

/* Posted by each host function that begins, in order. */
static struct host *volatile begun;

/*
 * Some programs access memory against the rules. These are races of the
 * program, while ThreadSanitizer is used to find those of the library.
 */
#define MAY_RACE	__attribute__((no_sanitize("thread")))
static sem_t has_begun;

static uint32_t any(uint32_t below)
{
	p.random ^= p.random << 13;
	p.random ^= p.random >> 7;
	p.random ^= p.random << 17;
	return (uint32_t)((p.random >> 16) % below);
}

static void __attribute__((format(printf, 1, 2))) note(const char *format, ...)
{
	char *line = p.log[p.nr_log++ % NR_LOG];
	int at = snprintf(line, LOG_LEN, "%3" PRIu64 ": ", p.step);
	va_list args;

	va_start(args, format);
	vsnprintf(line + at, LOG_LEN - (size_t)at, format, args);
	va_end(args);
}

#define wrong(...)							\
do {									\
	unsigned int at_ = p.nr_log > NR_LOG ? p.nr_log - NR_LOG : 0;	\
									\
	for (; at_ < p.nr_log; at_++)					\
		print_message("# %s\n", p.log[at_ % NR_LOG]);		\
	print_message("# on %s: SEED=%" PRIu64 " STEPS=%" PRIu64 "\n",	\
		      board.probe.soc, p.seed, p.step + 1);		\
	fail_msg(__VA_ARGS__);						\
} while (0)

static void must(int err, const char *what)
{
	if (err)
		wrong("%s: %d", what, err);
}

/* Which buffers are in use */

static bool is_known(const struct job *job)
{
	return p.ref->ops[job->op].is_known;
}

static bool uses(const struct job *job, int buf, bool is_write)
{
	unsigned int i;

	for (i = 0; i < job->nr_cmds; i++)
		if (job->cmds[i].to == buf ||
		    (is_write && job->cmds[i].from == buf))
			return true;
	return false;
}

/*
 * Returns true if a buffer is used by a job that is not ordered before the next
 * operation of @stream; -1: of the CPU.
 */
static bool is_in_use(int buf, bool is_write, int stream)
{
	unsigned int i;

	for (i = 0; i < p.nr_jobs; i++) {
		const struct job *job = &p.jobs[i];

		if (is_known(job) || !uses(job, buf, is_write))
			continue;
		if (stream < 0 ? attach_ref_is_held(p.ref, job->op) :
				 attach_ref_is_before(p.ref, job->op, stream))
			continue;
		return true;
	}
	return false;
}

/*
 * Returns true if the buffer has an attach that is neither known nor ordered
 * before the next operation of a stream. The rules permit its use, but do not
 * say when the driver has finished with it: once the attach is known, the CPU
 * may access the buffer whether such work is done or not, and no maintenance
 * follows.
 */
static bool is_attached_elsewhere(int buf, int stream)
{
	const struct attach_ref_buf *b;
	size_t i;

	if (p.bufs[buf].kind != MEM_KIND_MANAGED || p.is_concurrent)
		return false;
	b = &p.ref->bufs[p.bufs[buf].ref];
	for (i = 0; i < b->nr_attaches; i++)
		if (b->attaches[i].op &&
		    !p.ref->ops[b->attaches[i].op - 1].is_known &&
		    !attach_ref_is_before(p.ref, b->attaches[i].op - 1, stream))
			return true;
	return false;
}

static bool touches_wrong(const struct job *job)
{
	unsigned int i;

	for (i = 0; i < job->nr_cmds; i++)
		if (p.bufs[job->cmds[i].to].is_wrong ||
		    (job->cmds[i].from != NO_BUF &&
		     p.bufs[job->cmds[i].from].is_wrong))
			return true;
	return false;
}

static bool taint(const struct job *job)
{
	bool is_news = false;
	unsigned int i;

	for (i = 0; i < job->nr_cmds; i++) {
		struct buf *to = &p.bufs[job->cmds[i].to];

		is_news |= !to->is_wrong;
		to->is_wrong = true;
	}
	return is_news;
}

/* The bytes of the buffer, and of copies of it, are unknown from now on. */
static void goes_wrong(int buf)
{
	bool is_news = true;
	unsigned int i;

	p.bufs[buf].is_wrong = true;
	while (is_news) {
		is_news = false;
		for (i = 0; i < p.nr_jobs; i++)
			if (!is_known(&p.jobs[i]) &&
			    touches_wrong(&p.jobs[i]))
				is_news |= taint(&p.jobs[i]);
	}
}

static bool may_touch(int buf)
{
	return p.bufs[buf].kind != MEM_KIND_MANAGED ||
	       attach_ref_cpu_may(p.ref, p.bufs[buf].ref);
}

static bool sees(int stream, int buf)
{
	return p.bufs[buf].kind != MEM_KIND_MANAGED ||
	       attach_ref_job_may(p.ref, stream, p.bufs[buf].ref);
}

/* The CPU is about to break a rule, which is reported once per revocation. */
static void forbid(int buf, unsigned int nr)
{
	struct buf *b = &p.bufs[buf];
	const uint64_t revokes = p.ref->bufs[b->ref].count.revoked + 1;

	if (b->seen_revokes != revokes)
		b->min_while_active++;
	b->seen_revokes = revokes;
	/* A job that starts may revoke the page once more. */
	b->max_while_active += 3 * nr;
	goes_wrong(buf);
}

/* The model of bytes */

static void run_cmd(const struct cmd *cmd)
{
	uint8_t *to = p.bufs[cmd->to].bytes + cmd->to_off;
	const uint8_t *from = cmd->from == NO_BUF ? NULL :
			      p.bufs[cmd->from].bytes + cmd->from_off;
	uint32_t word = 0;

	if (cmd->len && from) {
		memcpy(to, from, cmd->len);
	} else if (cmd->len) {
		memset(to, (int)cmd->value, cmd->len);
	} else {
		if (from)
			memcpy(&word, from, sizeof(word));
		word = word * 3 + cmd->value;
		memcpy(to, &word, sizeof(word));
	}
}

static void run_job(struct job *job)
{
	unsigned int i;

	job->is_run = true;
	if (touches_wrong(job)) {
		for (i = 0; i < job->nr_cmds; i++)
			goes_wrong(job->cmds[i].to);
		return;
	}
	for (i = 0; i < job->nr_cmds; i++)
		run_cmd(&job->cmds[i]);
}

static void run_jobs(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < p.nr_jobs; i++)
		if (!p.jobs[i].is_run &&
		    !attach_ref_is_held(p.ref, p.jobs[i].op))
			run_job(&p.jobs[i]);
	for (i = 0; i < p.nr_jobs; i++)
		if (!p.jobs[i].is_run || !is_known(&p.jobs[i]))
			p.jobs[nr++] = p.jobs[i];
	p.nr_jobs = nr;
}

static void compare_word(int buf, uint32_t off, uint32_t value)
{
	uint32_t right;

	if (p.bufs[buf].is_wrong)
		return;
	memcpy(&right, p.bufs[buf].bytes + off, sizeof(right));
	if (value != right)
		wrong("buffer %d, offset %u: %#x, not %#x", buf, off, value,
		      right);
}

/* Host functions */

static MAY_RACE void carry_out(struct host *host)
{
	if (host->order == ORDER_READ)
		host->value = *host->word;
	else
		*host->word = host->value;
}

static void host_function(void *arg)
{
	struct host *host = arg;

	begun = host;
	sem_post(&has_begun);
	for (;;) {
		while (sem_wait(&host->go))
			;
		if (host->order == ORDER_RETURN)
			return;
		carry_out(host);
		sem_post(&host->done);
	}
}

static void wait_for(sem_t *sem, const char *what)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	while (sem_timedwait(sem, &until))
		if (errno != EINTR)
			wrong("%s does not come", what);
}

static bool can_begin(const struct host *host)
{
	return host->is_used && !host->has_begun &&
	       !attach_ref_is_held(p.ref, host->op);
}

/* Waits until all host functions that can begin have begun. */
static void settle(void)
{
	unsigned int i;

	for (i = 0; i < NR_HOSTS && !p.running; i++) {
		if (!can_begin(&p.hosts[i]))
			continue;
		wait_for(&has_begun, "a host function");
		p.running = begun;
		p.running->has_begun = true;
		note("host function %td begins", p.running - p.hosts);
		must(attach_ref_host_begin(p.ref, p.running->op), "begin");
	}
	run_jobs();
}

static void host_return(void)
{
	struct host *host = p.running;
	int64_t ns;
	int err;

	note("host function %td returns", host - p.hosts);
	host->order = ORDER_RETURN;
	sem_post(&host->go);
	while ((err = mem_event_elapsed(host->after, host->after, &ns)))
		if (err != -EBUSY)
			must(err, "elapsed");
	must(attach_ref_host_return(p.ref, host->op), "return");
	mem_event_destroy(host->after);
	host->is_used = false;
	p.running = NULL;
}

static void host_submit(struct stream *stream)
{
	struct host *host = NULL;
	unsigned int i;

	for (i = 0; i < NR_HOSTS; i++)
		if (!p.hosts[i].is_used)
			host = &p.hosts[i];
	if (!host)
		return;
	i = (unsigned int)(host - p.hosts);
	note("host function %u on stream %d", i, stream->ref);
	host->is_used = true;
	host->has_begun = false;
	must(mem_event_create(ctx, 0, &host->after), "event");
	must(mem_stream_call(stream->real, host_function, host), "call");
	must(attach_ref_host(p.ref, stream->ref, &host->op), "host");
	must(mem_event_record(host->after, stream->real), "record");
	must(attach_ref_record(p.ref, (int)(NR_EVENTS + i), stream->ref),
	     "record");
}

static bool has_hosts(void)
{
	unsigned int i;

	for (i = 0; i < NR_HOSTS; i++)
		if (p.hosts[i].is_used)
			return true;
	return false;
}

/* Buffers */

static uint64_t revokes_at_first(const struct buf *b)
{
	/* The CPU may lack access from the beginning. */
	return p.ref->bufs[b->ref].has_access ? 1 : 0;
}

static void buf_create(int at)
{
	static const enum mem_kind kinds[NR_BUFS] = {
		MEM_KIND_MANAGED, MEM_KIND_MANAGED, MEM_KIND_MANAGED,
		MEM_KIND_MANAGED, MEM_KIND_MANAGED, MEM_KIND_MANAGED,
		MEM_KIND_PINNED, MEM_KIND_DEVICE, MEM_KIND_PAGEABLE,
	};
	struct mem_ptr_info info = { .size = sizeof(info) };
	struct buf *b = &p.bufs[at];
	const bool is_host = any(3) == 0;
	unsigned int flags = 0;
	void *ptr;

	*b = (struct buf) { .kind = kinds[at], .len = 16 + any(MAX_LEN - 16) };
	b->bytes = malloc(b->len);
	assert_non_null(b->bytes);
	memset(b->bytes, b->kind == MEM_KIND_PINNED ? 0 : 0xa5, b->len);
	if (b->kind == MEM_KIND_PAGEABLE) {
		b->ptr = malloc(b->len);
		assert_non_null(b->ptr);
		memset(b->ptr, 0xa5, b->len);
		return;
	}
	if (b->kind == MEM_KIND_MANAGED) {
		flags = is_host ? MEM_ATTACH_HOST : MEM_ATTACH_GLOBAL;
		b->ref = attach_ref_buf_create(p.ref, is_host ?
					       ATTACH_REF_HOST :
					       ATTACH_REF_GLOBAL);
		b->seen_revokes = revokes_at_first(b) ? 0 : UINT64_MAX;
	}
	must(mem_alloc(ctx, b->kind, b->len, flags, &ptr), "alloc");
	b->ptr = ptr;
	must(mem_ptr_info(ctx, ptr, &info), "info");
	b->id = info.id;
	note("buffer %d: %s, %u bytes, id %" PRIu64, at,
	     b->kind == MEM_KIND_MANAGED ? is_host ? "host" : "global" :
	     b->kind == MEM_KIND_PINNED ? "pinned" : "device", b->len, b->id);
}

static void compare_all(int at)
{
	const struct buf *b = &p.bufs[at];
	uint32_t i;

	if (b->is_wrong)
		return;
	for (i = 0; i < b->len; i++)
		if (b->ptr[i] != b->bytes[i])
			wrong("buffer %d, offset %u: %#x, not %#x", at, i,
			      b->ptr[i], b->bytes[i]);
}

static void check_violations(void);
static void check_counters(bool is_idle);

static void buf_destroy(int at)
{
	struct buf *b = &p.bufs[at];

	if (b->kind == MEM_KIND_PAGEABLE) {
		compare_all(at);
		free(b->ptr);
		free(b->bytes);
		return;
	}
	must(mem_ctx_sync(ctx), "ctx_sync");
	must(attach_ref_sync_device(p.ref), "sync_device");
	run_jobs();
	check_violations();
	check_counters(true);
	if (b->kind == MEM_KIND_DEVICE) {
		uint8_t *host = malloc(b->len);

		assert_non_null(host);
		must(mem_copy(p.streams[0].real, host, b->ptr, b->len,
			      MEM_DIR_DEVICE_TO_HOST), "copy");
		must(attach_ref_work(p.ref, 0), "work");
		must(attach_ref_sync_stream(p.ref, 0), "sync");
		if (!b->is_wrong && memcmp(host, b->bytes, b->len))
			wrong("buffer %d is not right", at);
		free(host);
	} else {
		compare_all(at);
	}
	note("buffer %d is freed", at);
	must(mem_free(ctx, b->ptr), "free");
	if (b->kind == MEM_KIND_MANAGED)
		attach_ref_buf_destroy(p.ref, b->ref);
	free(b->bytes);
	b->kind = MEM_KIND_FOREIGN;
}

/* Violations may only be of buffers that were used against the rules. */
static void check_violations(void)
{
	struct mem_violation v = { .size = sizeof(v) };
	unsigned int i;

	while (mem_ctx_next_violation(ctx, &v) == 1) {
		bool is_right = false;

		/* After a failure, an older context may still exist. */
		for (i = 0; i < NR_BUFS; i++)
			if (p.bufs[i].id == v.buf)
				is_right = !p.bufs[i].is_wrong;
		if (is_right && v.kind != MEM_VIOLATION_DROPPED)
			wrong("%s of id %" PRIu64 ", offset %" PRIu64,
			      mem_violation_name(v.kind), v.buf, v.off);
	}
}

static void equal(int buf, const char *what, uint64_t real, uint64_t right)
{
	if (real != right)
		wrong("buffer %d: %" PRIu64 " %s, not %" PRIu64, buf, real,
		      what, right);
}

static void check_counters_of(int at, bool is_idle)
{
	const struct buf *b = &p.bufs[at];
	const struct attach_ref_count *count = &p.ref->bufs[b->ref].count;
	struct mem_attach_counters real = { .size = sizeof(real) };

	must(mem_ptr_attach_counters(ctx, b->ptr, &real), "counters");
	equal(at, "revoked", real.revoked, count->revoked);
	equal(at, "restored", real.restored, count->restored);
	equal(at, "cleans", real.cleans, count->cleans);
	equal(at, "cleaned bytes", real.cleaned_bytes, count->cleans * b->len);
	equal(at, "CPU invalidates", real.cpu_invalidates,
	      count->cpu_invalidates);
	equal(at, "CPU invalidated bytes", real.cpu_invalidated_bytes,
	      count->cpu_invalidates * b->len);
	equal(at, "GPU cleans", real.gpu_cleans, count->gpu_cleans);
	equal(at, "GPU invalidates", real.gpu_invalidates,
	      count->gpu_invalidates);
	equal(at, "prefetches to CPU", real.prefetches_to_cpu, count->to_cpu);
	equal(at, "prefetches to GPU", real.prefetches_to_gpu, count->to_gpu);
	/* If kernels run in this process, their access hides the CPU's. */
	if ((board.has_processes &&
	     real.cpu_while_active < b->min_while_active) ||
	    real.cpu_while_active > b->max_while_active)
		wrong("buffer %d: %" PRIu64 " cpu-while-active, not %" PRIu64
		      " to %" PRIu64, at, real.cpu_while_active,
		      b->min_while_active, b->max_while_active);
	if (is_idle && board.has_processes)
		equal(at, "engine-not-attached", real.engine_not_attached,
		      b->nr_not_attached);
}

/* @is_idle: no job is running, so violations of all jobs are counted. */
static void check_counters(bool is_idle)
{
	int i;

	for (i = 0; i < NR_BUFS; i++)
		if (p.bufs[i].kind == MEM_KIND_MANAGED)
			check_counters_of(i, is_idle);
}

/* Steps */

static struct stream *any_stream(void)
{
	struct stream *stream;

	do {
		stream = &p.streams[any(NR_STREAMS)];
	} while (!stream->real);
	return stream;
}

struct wire {
	uint32_t nr;
	struct {
		uint32_t *to;
		const uint32_t *from;
		uint32_t value;
	} cmds[NR_CMDS];
};

static MAY_RACE void k_run(const struct mem_block *block, void *arg)
{
	const struct wire *wire = arg;
	uint32_t i;

	(void)block;
	for (i = 0; i < wire->nr; i++)
		*wire->cmds[i].to = (wire->cmds[i].from ?
				     *wire->cmds[i].from * 3 : 0) +
				    wire->cmds[i].value;
}

static uint32_t any_word(int buf)
{
	/* Half of the accesses are to the same few lines. */
	const uint32_t nr = p.bufs[buf].len / 4;

	return 4 * (any(2) ? any(nr) : any(nr < 40 ? nr : 40));
}

/* Chooses a buffer that the stream may use now, or sometimes a wrong one. */
static int any_for_job(int stream, bool is_write)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		int buf = (int)any(NR_BUFS - 1);

		if (is_in_use(buf, is_write, stream))
			continue;
		if ((sees(stream, buf) &&
		     !is_attached_elsewhere(buf, stream)) || any(40) == 0)
			return buf;
	}
	return NO_BUF;
}

static struct job *job_new(void)
{
	struct job *job = &p.jobs[p.nr_jobs];

	if (p.nr_jobs == NR_JOBS)
		wrong("too many jobs");
	*job = (struct job) { 0 };
	return job;
}

/* Marks buffers that the job uses against the rules. */
static void job_submitted(struct job *job, int stream)
{
	bool is_told[NR_BUFS] = { false };
	unsigned int i, side;

	for (i = 0; i < job->nr_cmds; i++)
		for (side = 0; side < 2; side++) {
			int buf = side ? job->cmds[i].from : job->cmds[i].to;

			if (buf == NO_BUF || is_told[buf])
				continue;
			if (is_attached_elsewhere(buf, stream))
				goes_wrong(buf);
			if (sees(stream, buf))
				continue;
			is_told[buf] = true;
			note("buffer %d is not attached to stream %d", buf,
			     stream);
			p.bufs[buf].nr_not_attached++;
		}
	must(attach_ref_work(p.ref, stream), "work");
	job->op = p.ref->nr_ops - 1;
	p.nr_jobs++;
	for (i = 0; i < NR_BUFS; i++)
		if (is_told[i])
			goes_wrong((int)i);
	for (i = 0; i < job->nr_cmds; i++)
		if (touches_wrong(job))
			goes_wrong(job->cmds[i].to);
	run_jobs();
}

static bool add_word(struct job *job, int stream)
{
	struct cmd cmd = { .from = NO_BUF, .value = any(1U << 31) };

	cmd.to = any_for_job(stream, true);
	if (cmd.to == NO_BUF)
		return false;
	cmd.to_off = any_word(cmd.to);
	if (any(3))
		cmd.from = any_for_job(stream, false);
	if (cmd.from != NO_BUF)
		cmd.from_off = any_word(cmd.from);
	note("  %d+%u = %d+%u, %#x", cmd.to, cmd.to_off, cmd.from,
	     cmd.from_off, cmd.value);
	job->cmds[job->nr_cmds++] = cmd;
	return true;
}

static void to_wire(const struct job *job, struct wire *wire)
{
	unsigned int i;

	memset(wire, 0, sizeof(*wire));
	wire->nr = job->nr_cmds;
	for (i = 0; i < job->nr_cmds; i++) {
		const struct cmd *cmd = &job->cmds[i];

		wire->cmds[i].to = (void *)(p.bufs[cmd->to].ptr + cmd->to_off);
		wire->cmds[i].value = cmd->value;
		if (cmd->from != NO_BUF)
			wire->cmds[i].from = (void *)(p.bufs[cmd->from].ptr +
						      cmd->from_off);
	}
}

static int start(struct mem_stream *stream, const struct wire *wire)
{
	struct mem_launch launch = launch_of(k_run, wire, sizeof(*wire));

	launch.engine = board.engines[any(board.nr_engines)];
	return mem_launch(stream, &launch);
}

static void step_launch(void)
{
	struct stream *stream = any_stream();
	struct job *job = job_new();
	unsigned int nr = any(NR_CMDS + 1);
	struct wire wire;

	note("kernel on stream %d", stream->ref);
	while (job->nr_cmds < nr && add_word(job, stream->ref))
		;
	to_wire(job, &wire);
	must(start(stream->real, &wire), "launch");
	job_submitted(job, stream->ref);
}

/* A thread with its own stream, which is destroyed with it */
struct visit {
	struct wire wire;
	int err;
};

static void *visit_main(void *arg)
{
	struct visit *visit = arg;
	struct mem_stream *stream;

	visit->err = mem_stream_per_thread(ctx, &stream);
	if (!visit->err)
		visit->err = start(stream, &visit->wire);
	return NULL;
}

static void step_thread(void)
{
	struct job *job = job_new();
	struct visit visit = { .err = 0 };
	pthread_t thread;
	int stream;

	if (p.ref->nr_streams >= ATTACH_REF_STREAMS / 2)
		return;
	stream = attach_ref_stream_create(p.ref, true, false);
	note("a thread, stream %d", stream);
	while (job->nr_cmds < 3 && add_word(job, stream))
		;
	to_wire(job, &visit.wire);
	assert_int_equal(pthread_create(&thread, NULL, visit_main, &visit), 0);
	pthread_join(thread, NULL);
	must(visit.err, "thread");
	job_submitted(job, stream);
	must(attach_ref_stream_destroy(p.ref, stream), "destroy");
}

static bool is_engines(int stream, int buf)
{
	if (p.bufs[buf].kind == MEM_KIND_MANAGED)
		return sees(stream, buf);
	return p.bufs[buf].kind == MEM_KIND_DEVICE;
}

static bool is_cpus(int stream, int buf)
{
	return p.bufs[buf].kind == MEM_KIND_PAGEABLE ||
	       (p.bufs[buf].kind == MEM_KIND_MANAGED && !sees(stream, buf));
}

/* Handles a side of a copy that the CPU accesses for this thread. */
static void cpu_side(int buf)
{
	if (!may_touch(buf))
		forbid(buf, MAX_LEN / 4096 + 2);
}

static void copy(struct stream *stream, const struct cmd *cmd, bool is_async)
{
	const bool to = is_engines(stream->ref, cmd->to);
	const bool from = is_engines(stream->ref, cmd->from);
	const bool to_cpu = is_cpus(stream->ref, cmd->to);
	const bool from_cpu = is_cpus(stream->ref, cmd->from);
	const bool is_own = to_cpu || from_cpu;
	const bool is_waited = !is_async &&
		(!to || (!from &&
			 p.bufs[cmd->from].kind == MEM_KIND_PINNED));
	uint8_t *dst = p.bufs[cmd->to].ptr + cmd->to_off;
	const uint8_t *src = p.bufs[cmd->from].ptr + cmd->from_off;
	struct job *job = job_new();

	if ((is_own || is_waited) &&
	    attach_ref_waits_for_host(p.ref, stream->ref))
		return;
	/* A copy without an engine or a wait is no operation of a stream. */
	if (!to && !from && !is_waited && !is_own)
		return;
	note("mem_copy on stream %d: %d+%u = %d+%u, %u bytes%s", stream->ref,
	     cmd->to, cmd->to_off, cmd->from, cmd->from_off, cmd->len,
	     is_async ? ", async" : "");
	job->cmds[job->nr_cmds++] = *cmd;
	if (to || from)
		must(attach_ref_work(p.ref, stream->ref), "work");
	if (to_cpu)
		cpu_side(cmd->to);
	if (from_cpu)
		cpu_side(cmd->from);
	must((is_async ? mem_copy_async : mem_copy)
	     (stream->real, dst, src, cmd->len, MEM_DIR_DEFAULT), "mem_copy");
	if (to || from) {
		job->op = p.ref->nr_ops - 1;
		p.nr_jobs++;
		run_jobs();
	} else {
		run_job(job);
	}
	if (is_waited)
		must(attach_ref_sync_stream(p.ref, stream->ref), "sync");
}

static void step_copy(void)
{
	struct stream *stream = any_stream();
	struct cmd cmd = { .to = (int)any(NR_BUFS), .from = (int)any(NR_BUFS) };
	uint32_t len;

	if (cmd.to == cmd.from || is_in_use(cmd.to, true, stream->ref) ||
	    is_in_use(cmd.from, false, stream->ref) ||
	    is_attached_elsewhere(cmd.to, stream->ref) ||
	    is_attached_elsewhere(cmd.from, stream->ref))
		return;
	/* Only few copies make the CPU access forbidden memory. */
	if (((is_cpus(stream->ref, cmd.to) && !may_touch(cmd.to)) ||
	     (is_cpus(stream->ref, cmd.from) && !may_touch(cmd.from))) &&
	    any(10))
		return;
	cmd.to_off = any(p.bufs[cmd.to].len);
	cmd.from_off = any(p.bufs[cmd.from].len);
	len = p.bufs[cmd.to].len - cmd.to_off;
	if (len > p.bufs[cmd.from].len - cmd.from_off)
		len = p.bufs[cmd.from].len - cmd.from_off;
	cmd.len = 1 + any(len);
	copy(stream, &cmd, any(2));
}

static void step_set(void)
{
	struct stream *stream = any_stream();
	struct job *job = job_new();
	struct cmd cmd = { .from = NO_BUF, .value = any(256) };
	const bool is_async = any(2);
	bool is_waited;

	cmd.to = any_for_job(stream->ref, true);
	if (cmd.to == NO_BUF)
		return;
	is_waited = !is_async && p.bufs[cmd.to].kind != MEM_KIND_DEVICE;
	if (is_waited && attach_ref_waits_for_host(p.ref, stream->ref))
		return;
	cmd.to_off = any(p.bufs[cmd.to].len);
	cmd.len = 1 + any(p.bufs[cmd.to].len - cmd.to_off);
	note("set on stream %d: %d+%u = %#x, %u bytes%s", stream->ref, cmd.to,
	     cmd.to_off, cmd.value, cmd.len, is_async ? ", async" : "");
	job->cmds[job->nr_cmds++] = cmd;
	must((is_async ? mem_fill_async : mem_fill)
	     (stream->real, p.bufs[cmd.to].ptr + cmd.to_off, (int)cmd.value,
	      cmd.len), "set");
	job_submitted(job, stream->ref);
	if (is_waited)
		must(attach_ref_sync_stream(p.ref, stream->ref), "sync");
}

static void step_attach(void)
{
	static const unsigned int hows[] = {
		MEM_ATTACH_GLOBAL, MEM_ATTACH_HOST, MEM_ATTACH_SINGLE,
	};
	static const enum attach_ref_kind kinds[] = {
		ATTACH_REF_GLOBAL, ATTACH_REF_HOST, ATTACH_REF_SINGLE,
	};
	struct stream *stream = any_stream();
	const int buf = (int)any(6);
	const unsigned int how = any(3);

	/* An attach while unordered work uses the buffer breaks the rules. */
	if (is_in_use(buf, true, stream->ref) && !p.is_concurrent) {
		if (any(20))
			return;
		goes_wrong(buf);
	}
	note("attach on stream %d: buffer %d %s", stream->ref, buf,
	     how == 2 ? "single" : how ? "host" : "global");
	must(mem_stream_attach(stream->real, p.bufs[buf].ptr,
			       any(2) ? p.bufs[buf].len : 0, hows[how]),
	     "attach");
	must(attach_ref_attach(p.ref, stream->ref, p.bufs[buf].ref,
			       kinds[how]), "attach");
}

static MAY_RACE uint32_t touch(volatile uint32_t *word, bool is_write,
			       uint32_t value)
{
	struct host *host = p.running;

	if (!host || any(2)) {
		if (is_write)
			*word = value;
		return is_write ? value : *word;
	}
	host->order = is_write ? ORDER_WRITE : ORDER_READ;
	host->word = word;
	host->value = value;
	sem_post(&host->go);
	wait_for(&host->done, "what a host function does");
	return host->value;
}

static void touch_word(int buf, bool is_write)
{
	const uint32_t off = any_word(buf);
	struct cmd cmd = {
		.to = buf, .to_off = off, .from = NO_BUF,
		.value = any(1U << 31),
	};
	uint32_t value;

	note("CPU %s %d+%u", is_write ? "writes" : "reads", buf, off);
	value = touch((void *)(p.bufs[buf].ptr + off), is_write, cmd.value);
	if (is_write)
		run_cmd(&cmd);
	else
		compare_word(buf, off, value);
}

static void step_touch(void)
{
	const int buf = (int)any(7);
	const unsigned int nr = 1 + any(4);
	const bool is_write = any(2);
	const bool is_used = is_in_use(buf, is_write, -1);
	unsigned int i;

	if (!may_touch(buf)) {
		if (any(12))
			return;
		note("CPU may not touch %d", buf);
		forbid(buf, nr);
	} else if (is_used) {
		/*
		 * No rule forbids this: the memory is pinned or concurrent, or
		 * was attached elsewhere while unordered work uses it.
		 */
		return;
	}
	for (i = 0; i < nr; i++)
		touch_word(buf, is_write);
}

/* Repeats a query until it succeeds; before that it has no effect. */
static void query(bool is_possible, int (*ask)(void *), void *of)
{
	int err = ask(of);

	if (!is_possible) {
		if (err != -EBUSY)
			wrong("asked: %d, not EBUSY", err);
		return;
	}
	while ((err = ask(of)) == -EBUSY)
		sched_yield();
	must(err, "asked");
}

static int ask_stream(void *stream)
{
	return mem_stream_query(stream);
}

static int ask_event(void *event)
{
	return mem_event_query(event);
}

static void step_sync(void)
{
	struct stream *stream = any_stream();
	const int event = (int)any(NR_EVENTS);
	bool is_possible;

	switch (any(5)) {
	case 0:
		if (has_hosts())
			return;
		note("ctx_sync");
		must(mem_ctx_sync(ctx), "ctx_sync");
		must(attach_ref_sync_device(p.ref), "sync_device");
		run_jobs();
		check_counters(true);
		return;
	case 1:
		note("stream_sync %d", stream->ref);
		if (attach_ref_sync_stream(p.ref, stream->ref))
			return;
		must(mem_stream_sync(stream->real), "stream_sync");
		return;
	case 2:
		note("stream_query %d", stream->ref);
		is_possible = !attach_ref_sync_stream(p.ref, stream->ref);
		query(is_possible, ask_stream, stream->real);
		return;
	case 3:
		note("event_sync %d", event);
		if (attach_ref_sync_event(p.ref, event))
			return;
		must(mem_event_sync(p.events[event]), "event_sync");
		return;
	default:
		note("event_query %d", event);
		is_possible = !attach_ref_sync_event(p.ref, event);
		query(is_possible, ask_event, p.events[event]);
	}
}

static void event_create(int event)
{
	static const unsigned int flags[] = {
		0, MEM_EVENT_BLOCKING, MEM_EVENT_NO_TIMING,
	};

	must(mem_event_create(ctx, flags[any(3)], &p.events[event]), "event");
	p.ref->events[event] = 0;
}

static void step_event(void)
{
	struct stream *stream = any_stream();
	const int event = (int)any(NR_EVENTS);

	switch (any(9)) {
	case 0:
		note("event %d is another", event);
		mem_event_destroy(p.events[event]);
		event_create(event);
		return;
	case 1 ... 4:
		note("record %d on stream %d", event, stream->ref);
		must(mem_event_record(p.events[event], stream->real), "record");
		must(attach_ref_record(p.ref, event, stream->ref), "record");
		return;
	default:
		note("stream %d waits for event %d", stream->ref, event);
		must(mem_stream_wait_event(stream->real, p.events[event]),
		     "wait");
		must(attach_ref_wait(p.ref, stream->ref, event), "wait");
	}
}

static void stream_create(struct stream *stream)
{
	const bool is_blocking = any(2);

	must(mem_stream_create(ctx, is_blocking ? 0 : MEM_STREAM_NON_BLOCKING,
			       -(int)any(6), &stream->real), "stream");
	stream->ref = attach_ref_stream_create(p.ref, is_blocking, false);
	note("stream %d%s", stream->ref, is_blocking ? ", blocking" : "");
}

static void stream_destroy(struct stream *stream)
{
	note("stream %d is destroyed", stream->ref);
	must(mem_stream_destroy(stream->real), "stream_destroy");
	must(attach_ref_stream_destroy(p.ref, stream->ref), "destroy");
	stream->real = NULL;
}

static void step_stream(void)
{
	struct stream *stream = &p.streams[NR_FIXED +
					   any(NR_STREAMS - NR_FIXED)];

	if (stream->real)
		stream_destroy(stream);
	else if (p.ref->nr_streams < ATTACH_REF_STREAMS - 1)
		stream_create(stream);
}

static void step_buf(void)
{
	const int buf = (int)any(NR_BUFS - 1);

	if (has_hosts() || p.ref->nr_bufs == ATTACH_REF_BUFS)
		return;
	buf_destroy(buf);
	buf_create(buf);
}

static void step_host(void)
{
	if (p.running && any(2))
		host_return();
	else
		host_submit(any_stream());
}

static void step(void)
{
	static const struct {
		void (*step)(void);
		unsigned int weight;
	} steps[] = {
		{ step_launch, 20 }, { step_copy, 10 }, { step_set, 4 },
		{ step_attach, 12 }, { step_touch, 22 }, { step_sync, 12 },
		{ step_event, 8 }, { step_host, 8 }, { step_stream, 3 },
		{ step_buf, 2 }, { step_thread, 1 },
	};
	unsigned int i = 0, at = any(102);

	while (at >= steps[i].weight)
		at -= steps[i++].weight;
	steps[i].step();
	settle();
	check_violations();
	check_counters(false);
}

static void look_at_board(void)
{
	struct mem_launch launch = launch_of(k_nothing, NULL, 0);
	struct mem_ctx *one;
	uint32_t i;
	int err;

	must(mem_ctx_open(NULL, &one), "open");
	must(mem_ctx_probe(one, &board.probe), "probe");
	board.ref = !strcmp(board.probe.soc, "thor") ? ATTACH_REF_CONCURRENT :
		    board.probe.io_coherent ? ATTACH_REF_IO_COHERENT :
					      ATTACH_REF_NONCOHERENT;
	board.has_processes = engine_pid_of(one) != getpid();
	for (i = MEM_ENGINE_GPU; i < MEM_ENGINE_DGPU; i++) {
		launch.engine = i;
		err = mem_launch(mem_stream_legacy(one), &launch);
		if (!err)
			board.engines[board.nr_engines++] = i;
		else if (err != -EOPNOTSUPP)
			must(err, "launch");
	}
	mem_ctx_close(one);
}

static void begin(uint64_t seed)
{
	struct mem_ctx_options options = {
		.size = sizeof(options),
		.policy = MEM_POLICY_RECORD,
	};
	bool is_small;
	unsigned int i;

	memset(&p, 0, sizeof(p));
	p.seed = seed;
	p.random = seed * 0x9e3779b97f4a7c15ULL + 1;
	p.is_concurrent = board.ref == ATTACH_REF_CONCURRENT;
	is_small = any(2);
	if (is_small && board.probe.backend == MEM_BACKEND_EMBEDDED)
		options.fill_size = 4096;
	must(mem_ctx_open(&options, &ctx), "open");
	must(mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 1000), "watch");
	p.ref = attach_ref_create(board.ref);
	p.streams[0].real = mem_stream_legacy(ctx);
	must(mem_stream_per_thread(ctx, &p.streams[1].real), "per thread");
	p.streams[1].ref = attach_ref_stream_create(p.ref, true, false);
	stream_create(&p.streams[NR_FIXED]);
	for (i = 0; i < NR_BUFS; i++)
		buf_create((int)i);
	for (i = 0; i < NR_EVENTS; i++)
		event_create((int)i);
	for (i = 0; i < NR_HOSTS; i++) {
		sem_init(&p.hosts[i].go, 0, 0);
		sem_init(&p.hosts[i].done, 0, 0);
	}
}

static void end(void)
{
	unsigned int i;

	settle();
	while (p.running) {
		host_return();
		settle();
	}
	for (i = 0; i < NR_BUFS; i++)
		buf_destroy((int)i);
	for (i = NR_FIXED; i < NR_STREAMS; i++)
		if (p.streams[i].real)
			must(mem_stream_destroy(p.streams[i].real), "destroy");
	for (i = 0; i < NR_EVENTS; i++)
		mem_event_destroy(p.events[i]);
	mem_ctx_close(ctx);
	attach_ref_destroy(p.ref);
}

static void programs_equal_the_reference(void **state)
{
	const uint64_t only = env_or("SEED", 0);
	const uint64_t nr_rounds = only ? 1 : env_or("ROUNDS", 100);
	const uint64_t nr_steps = env_or("STEPS", 150);
	const uint64_t limit_ns = env_or("LIMIT_S", 3600) * 1000 * NS_PER_MS;
	const uint64_t from = now_ns();
	uint64_t i;

	(void)state;
	look_at_board();
	for (i = 0; i < nr_rounds && now_ns() - from < limit_ns; i++) {
		begin(only ? only : i + 1);
		for (p.step = 0; p.step < nr_steps; p.step++)
			step();
		end();
	}
	print_message("# %" PRIu64 " programs on %s\n", i, board.probe.soc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_equal_the_reference),
	};

	sem_init(&has_begun, 0, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
