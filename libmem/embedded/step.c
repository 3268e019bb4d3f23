// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Precise tracking: each access of the CPU is detected, not only the first one
 * to a page.
 *
 * The handler of SIGSEGV judges an access, makes its page accessible, and sets
 * the trap flag and a mask of all but synchronous signals in the context to
 * which it returns. The CPU executes one instruction and raises SIGTRAP, whose
 * handler removes the access again, clears the flag and restores the mask. An
 * instruction that faults on further pages makes these accessible, too. If the
 * instruction cannot complete, because it faults elsewhere or because another
 * process sends a synchronous signal, everything is undone before a handler of
 * the program runs. What has been judged is then kept until the instruction
 * runs again, so that nothing counts twice.
 *
 * A page for which there is any doubt stays accessible ("kept") until something
 * else removes the access, as without precise tracking: progress is certain.
 *
 * Pages that must stay accessible are held: by a step, or by a system call from
 * the moment at which it is prepared to its end. Nobody removes the access to a
 * page that another thread holds. A hold names its buffer by a number, because
 * the buffer may be freed meanwhile.
 *
 * Nothing here allocates memory: both tables are bounded. A thread has at most
 * one step, which only the thread itself changes, in a handler. Threads are
 * known by their kernel ids, because a child of vfork() uses the thread
 * pointer of its parent. A thread may end with an unfinished instruction, and
 * such a child may be killed in a step: entries of threads that no longer exist
 * are reused.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../trap.h"
#include "embedded.h"

#if defined(__x86_64__)

#define NR_STEPS	512
#define NR_WAYS		16	/* places at which a thread's step may be */
#define NR_HOLDS	2048
#define NR_PAGES	32	/* of an instruction; a gather has 16 */
#define NR_PLAIN	1024

/* What precedes the abort handler of a restartable sequence. */
#define RSEQ_SIGNATURE	0x53053053U

/* A span is a page and a number of pages in one word, so that it is atomic. */
#define SPAN_BITS	32

/**
 * struct hold - pages that must stay accessible
 * @span: first page and number of pages; 0: the entry is free
 * @tid: thread that holds them; 0 while the entry changes
 * @call: identifies the system call; 0: a step
 * @buf: id of the buffer
 */
struct hold {
	atomic_ullong span;
	atomic_int tid;
	atomic_uintptr_t call;
	uint64_t buf;
};

/**
 * enum step_state - state of a step
 * @STEP_IDLE: its thread executes no instruction
 * @STEP_ARMED: its thread executes an instruction with the trap flag set
 * @STEP_UNFINISHED: the instruction did not complete, and may run again
 */
enum step_state {
	STEP_IDLE,
	STEP_ARMED,
	STEP_UNFINISHED,
};

/**
 * struct step - the instruction that a thread executes
 * @tid: thread; 0: the entry is free
 * @state: state
 * @had_flag: the program had set the trap flag, and needs the trap, too
 * @mask: signal mask of the program, in the kernel's format
 * @ip: address of the instruction
 * @nr_seen: accesses that were judged; those beyond NR_PAGES overwrite others
 * @seen: accesses
 * @nr_holds: number of holds
 * @holds: indices of its holds
 * @has_new: the last hold belongs to the access that is being judged, @addr
 * @addr: its address
 * @is_write: it is a store
 */
struct step {
	atomic_int tid;
	enum step_state state;
	bool had_flag;
	unsigned long mask;
	uintptr_t ip;
	unsigned int nr_seen;
	struct {
		uintptr_t addr;
		bool is_write;
	} seen[NR_PAGES];
	unsigned int nr_holds;
	unsigned int holds[NR_PAGES];
	bool has_new;
	uintptr_t addr;
	bool is_write;
};

static struct {
	atomic_bool is_on;
	atomic_uint nr_holds;	/* entries of @holds that were ever used */
	struct hold holds[NR_HOLDS];
	struct step steps[NR_STEPS];
	/* Instructions that can be stepped; a hash table without chains. */
	atomic_uintptr_t plain[NR_PLAIN];
} IN_OWN_PAGES stepping;

/* Threads */

/* Returns false in doubt. */
static bool thread_is_gone(pid_t tid)
{
	return tid && syscall(SYS_tkill, tid, 0) && errno == ESRCH;
}

/* Holds */

static size_t span_first(unsigned long long span)
{
	return (size_t)(span >> SPAN_BITS);
}

static size_t span_end(unsigned long long span)
{
	return span_first(span) + (size_t)(span & ((1ULL << SPAN_BITS) - 1));
}

/* Returns the index of the entry, or NR_HOLDS if there is none. */
static unsigned int hold_add(const struct embedded_buf *buf, size_t first,
			     size_t nr, uintptr_t call)
{
	const unsigned long long span = (unsigned long long)first << SPAN_BITS |
					nr;
	unsigned int i, was = atomic_load(&stepping.nr_holds);

	for (i = 0; i < NR_HOLDS; i++) {
		unsigned long long none = 0;

		if (!atomic_load_explicit(&stepping.holds[i].span,
					  memory_order_relaxed) &&
		    atomic_compare_exchange_strong(&stepping.holds[i].span,
						   &none, span))
			break;
	}
	if (i == NR_HOLDS)
		return i;
	stepping.holds[i].buf = buf->id;
	atomic_store(&stepping.holds[i].call, call);
	atomic_store(&stepping.holds[i].tid, gettid());
	while (was <= i &&
	       !atomic_compare_exchange_weak(&stepping.nr_holds, &was, i + 1))
		;
	return i;
}

static void hold_del(unsigned int i)
{
	struct hold *hold = &stepping.holds[i];

	atomic_store(&hold->tid, 0);
	atomic_store(&hold->call, 0);
	atomic_store(&hold->span, 0);
}

/*
 * Drops a hold and removes the access to its pages, unless they are kept or
 * somebody else holds them. If the buffer has been freed, the pages may belong
 * to another one.
 */
static void hold_end(unsigned int i)
{
	const unsigned long long span = atomic_load(&stepping.holds[i].span);
	const uint64_t id = stepping.holds[i].buf;
	struct embedded_buf *buf;

	buf = window_lock_buf(window_addr((uint64_t)span_first(span) <<
					  window_page_shift()));
	hold_del(i);
	if (!buf)
		return;
	if (buf->id == id)
		fault_close(buf, span_first(span), span_end(span));
	pthread_mutex_unlock(&buf->lock);
	embedded_buf_put(buf);
}

static bool hold_is_of(unsigned int i, pid_t tid, const void *call)
{
	return atomic_load(&stepping.holds[i].tid) == tid &&
	       atomic_load(&stepping.holds[i].call) == (uintptr_t)call;
}

/**
 * step_is_held() - check whether a page must stay accessible
 * @page: page
 *
 * Context: also signal handlers; the lock of its buffer is held.
 * Return: true if a step or a system call needs it.
 */
bool step_is_held(size_t page)
{
	const unsigned int nr = atomic_load(&stepping.nr_holds);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		struct hold *hold = &stepping.holds[i];
		const unsigned long long span = atomic_load(&hold->span);

		if (!span || page < span_first(span) || page >= span_end(span))
			continue;
		if (!thread_is_gone(atomic_load(&hold->tid)))
			return true;
		hold_del(i);
	}
	return false;
}

/**
 * step_hold() - keep pages accessible during a system call
 * @buf: buffer that is tracked precisely
 * @off: first byte
 * @len: bytes
 * @call: identifies the call, and the area that it names
 *
 * Context: signals are blocked; the lock of the buffer may be held.
 * Return: false if there is no room.
 */
bool step_hold(const struct embedded_buf *buf, uint64_t off, uint64_t len,
	       const void *call)
{
	const uint64_t last = off + len - 1;
	size_t first = buf->first + (off >> window_page_shift());
	size_t end = buf->first + (last >> window_page_shift()) + 1;

	if (!buf->has_two_views) {
		first = buf->first;
		end = first + buf->nr_pages;
	}
	return hold_add(buf, first, end - first, (uintptr_t)call) < NR_HOLDS;
}

/**
 * step_unhold() - undo step_hold()
 * @buf: buffer
 * @call: identifies the call, and the area that it names
 *
 * Context: signals are blocked.
 */
void step_unhold(const struct embedded_buf *buf, const void *call)
{
	const unsigned int nr = atomic_load(&stepping.nr_holds);
	const pid_t tid = gettid();
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (hold_is_of(i, tid, call) &&
		    stepping.holds[i].buf == buf->id)
			hold_del(i);
}

/**
 * step_release() - end what step_hold() has begun
 * @call: identifies the call, and the area that it names
 *
 * Context: signals are blocked; no lock held.
 */
void step_release(const void *call)
{
	const unsigned int nr = atomic_load(&stepping.nr_holds);
	const pid_t tid = gettid();
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (hold_is_of(i, tid, call))
			hold_end(i);
}

/* Steps */

static struct step *step_find(pid_t tid)
{
	unsigned int way;

	for (way = 0; way < NR_WAYS; way++) {
		struct step *step = &stepping.steps[((unsigned int)tid + way) %
						    NR_STEPS];

		if (atomic_load(&step->tid) == tid)
			return step;
	}
	return NULL;
}

/* Returns NULL if all places of the thread are in use. */
static struct step *step_create(pid_t tid)
{
	unsigned int way;

	for (way = 0; way < NR_WAYS; way++) {
		struct step *step = &stepping.steps[((unsigned int)tid + way) %
						    NR_STEPS];
		pid_t owner = atomic_load(&step->tid);

		if (owner && !thread_is_gone(owner))
			continue;
		if (!atomic_compare_exchange_strong(&step->tid, &owner, tid))
			continue;
		step->state = STEP_IDLE;
		step->nr_holds = 0;
		step->nr_seen = 0;
		step->has_new = false;
		return step;
	}
	return NULL;
}

static void step_destroy(struct step *step)
{
	step->state = STEP_IDLE;
	atomic_store(&step->tid, 0);
}

static bool step_has_seen(const struct step *step, uintptr_t addr,
			  bool is_write)
{
	unsigned int i, nr = step->nr_seen;

	for (i = 0; i < nr && i < NR_PAGES; i++)
		if (step->seen[i].addr == addr &&
		    step->seen[i].is_write == is_write)
			return true;
	return false;
}

static void step_see(struct step *step, uintptr_t addr, bool is_write)
{
	if (step_has_seen(step, addr, is_write))
		return;
	step->seen[step->nr_seen % NR_PAGES].addr = addr;
	step->seen[step->nr_seen % NR_PAGES].is_write = is_write;
	step->nr_seen++;
}

/* The context of a signal has only as much of a mask as the kernel knows. */
static void step_set_mask(ucontext_t *context, unsigned long mask)
{
	memcpy(&context->uc_sigmask, &mask, sizeof(mask));
}

static unsigned long step_mask_of(const ucontext_t *context)
{
	unsigned long mask;

	memcpy(&mask, &context->uc_sigmask, sizeof(mask));
	return mask;
}

/*
 * The mask during a step. If a synchronous signal were blocked, the kernel
 * would end the process. The signals that the C library reserves are blocked,
 * too: the handler of one of them ends the thread.
 */
static unsigned long step_mask(void)
{
	static const int synchronous[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGTRAP,
	};
	unsigned long mask = ~0UL;
	size_t i;

	for (i = 0; i < sizeof(synchronous) / sizeof(synchronous[0]); i++)
		mask &= ~(1UL << (synchronous[i] - 1));
	return mask;
}

static void step_end_holds(struct step *step)
{
	while (step->nr_holds)
		hold_end(step->holds[--step->nr_holds]);
	step->has_new = false;
}

/* Restores what step_arm() has changed. */
static void step_restore(const struct step *step, ucontext_t *context)
{
	trap_set_flag(context, step->had_flag);
	step_set_mask(context, step->mask);
}

/* Instructions */

/*
 * If the access was part of a restartable sequence, the kernel has aborted the
 * sequence, because it delivers a signal: it would be repeated for ever.
 */
static bool insn_is_abort(uintptr_t ip)
{
	uint32_t word = 0;
	const struct iovec to = { &word, sizeof(word) };
	const struct iovec from = { (void *)(ip - sizeof(word)), sizeof(word) };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) ==
	       sizeof(word) && word == RSEQ_SIGNATURE;
}

/*
 * Returns true if an instruction can be stepped. A system call may
 * follow an atomic instruction, which needs the page: a futex.
 */
static bool insn_is_plain(uintptr_t ip)
{
	atomic_uintptr_t *plain = &stepping.plain[ip % NR_PLAIN];

	if (atomic_load_explicit(plain, memory_order_relaxed) == ip)
		return true;
	if (insn_is_abort(ip) || atomic_is_at(ip))
		return false;
	atomic_store_explicit(plain, ip, memory_order_relaxed);
	return true;
}

/*
 * A stack in a buffer may have no room for the frame of a signal. The program
 * may have replaced the handler of SIGTRAP by a system call of its own.
 */
static bool insn_can_be_stepped(const ucontext_t *context)
{
	return !window_has(trap_sp(context)) && signals_has_traps() &&
	       insn_is_plain(trap_ip(context));
}

/* Returns NULL if the access is not stepped. */
static struct step *step_of(const ucontext_t *context)
{
	const pid_t tid = gettid();
	struct step *step = step_find(tid);

	if (step && step->state == STEP_ARMED) {
		/* A handler of a signal that is not blocked interrupts it. */
		if (!trap_has_flag(context))
			return NULL;
		/* Instructions that load SS are stepped with the next one. */
		if (step->ip != trap_ip(context)) {
			step_end_holds(step);
			step->nr_seen = 0;
			step->ip = trap_ip(context);
		}
		return step;
	}
	if (!insn_can_be_stepped(context))
		return NULL;
	if (!step)
		step = step_create(tid);
	if (!step)
		return NULL;
	if (step->state != STEP_UNFINISHED || step->ip != trap_ip(context))
		step->nr_seen = 0;
	step->state = STEP_IDLE;
	step->ip = trap_ip(context);
	step->had_flag = trap_has_flag(context);
	step->mask = step_mask_of(context);
	return step;
}

static bool step_add_hold(struct step *step, const struct embedded_buf *buf,
			  const struct touch *touch)
{
	size_t first = buf->first + (touch->off >> window_page_shift());
	size_t nr = 1;

	if (!buf->has_two_views) {
		first = buf->first;
		nr = buf->nr_pages;
	}
	if (step->nr_holds == NR_PAGES)
		return false;
	step->holds[step->nr_holds] = hold_add(buf, first, nr, 0);
	if (step->holds[step->nr_holds] == NR_HOLDS)
		return false;
	step->nr_holds++;
	step->has_new = true;
	return true;
}

/**
 * step_init() - prepare precise tracking
 *
 * Context: any thread; not a signal handler.
 * Return: 0; -EOPNOTSUPP if the architecture has no trap flag for programs; or
 * -errno of sigaction().
 */
int step_init(void)
{
	int err = signals_take_traps();

	if (!err)
		atomic_store(&stepping.is_on, true);
	return err;
}

/**
 * step_begin() - prepare to step over an access
 * @buf: buffer
 * @touch: access; @is_again is set if it has been judged already
 * @context: context of the signal
 *
 * If the access turns out to need a step, call step_arm(), else step_cancel().
 *
 * Context: handler of SIGSEGV; no lock held.
 * Return: false if the buffer is not tracked precisely, or the access cannot be
 * stepped: then neither is called.
 */
bool step_begin(const struct embedded_buf *buf, struct touch *touch,
		const ucontext_t *context)
{
	struct step *step;

	if (!embedded_ctx_of(buf->base.ctx)->is_precise || engine_is_worker())
		return false;
	step = step_of(context);
	if (!step)
		return false;
	step->addr = (uintptr_t)buf->addr + touch->off;
	step->is_write = touch->is_write;
	touch->is_again = step_has_seen(step, step->addr, step->is_write);
	if (!step_add_hold(step, buf, touch)) {
		if (step->state == STEP_IDLE)
			step_destroy(step);
		return false;
	}
	return true;
}

/**
 * step_arm() - let the thread execute one instruction
 * @context: context of the signal
 *
 * Context: handler of SIGSEGV, after step_begin().
 */
void step_arm(ucontext_t *context)
{
	struct step *step = step_find(gettid());

	step_see(step, step->addr, step->is_write);
	step->has_new = false;
	step->state = STEP_ARMED;
	trap_set_flag(context, true);
	step_set_mask(context, step_mask());
}

/**
 * step_cancel() - do not step over an access
 *
 * Context: handler of SIGSEGV, after step_begin().
 */
void step_cancel(void)
{
	struct step *step = step_find(gettid());

	/* Its page is accessible as far as it may be. */
	if (step->has_new)
		hold_del(step->holds[--step->nr_holds]);
	step->has_new = false;
	if (step->state != STEP_ARMED && !step->nr_holds)
		step_destroy(step);
}

/**
 * step_disarm() - undo a step whose instruction does not complete
 * @context: context of the signal that interrupts it
 *
 * Context: handler of a synchronous signal, before it calls a handler of the
 * program; no lock held.
 * Return: true if the thread was executing a step.
 */
bool step_disarm(ucontext_t *context)
{
	struct step *step;

	if (!atomic_load(&stepping.is_on))
		return false;
	step = step_find(gettid());
	if (!step || step->state != STEP_ARMED || !trap_has_flag(context))
		return false;
	step_end_holds(step);
	step_restore(step, context);
	step->state = STEP_UNFINISHED;
	return true;
}

/*
 * Under virtualisation the CPU sometimes does not report that it has raised #DB
 * because of the trap flag, and the kernel then reports TRAP_BRKPT. INT1 has
 * that code, too, but a step does not execute it: it accesses no memory. The
 * code of INT3 is SI_KERNEL, and other processes cannot send positive codes.
 */
static bool step_is_cause_of(const siginfo_t *info)
{
	return info->si_code == TRAP_TRACE || info->si_code == TRAP_BRKPT;
}

/**
 * step_end() - end a step
 * @info: from SIGTRAP
 * @context: context of the signal
 *
 * Context: handler of SIGTRAP; no lock held.
 * Return: true if the program must not see the signal.
 */
bool step_end(const siginfo_t *info, ucontext_t *context)
{
	struct step *step;
	bool ret;

	if (!step_is_cause_of(info)) {
		step_disarm(context);
		return false;
	}
	step = step_find(gettid());
	if (!step || step->state != STEP_ARMED)
		return false;
	step_end_holds(step);
	step_restore(step, context);
	ret = !step->had_flag;
	step_destroy(step);
	return ret;
}

#else

/* On arm64 a program cannot single-step itself. */
int step_init(void)
{
	return -EOPNOTSUPP;
}

bool step_begin(const struct embedded_buf *buf, struct touch *touch,
		const ucontext_t *context)
{
	(void)buf;
	(void)touch;
	(void)context;
	return false;
}

void step_arm(ucontext_t *context)
{
	(void)context;
}

void step_cancel(void)
{
}

bool step_disarm(ucontext_t *context)
{
	(void)context;
	return false;
}

bool step_end(const siginfo_t *info, ucontext_t *context)
{
	(void)info;
	(void)context;
	return false;
}

bool step_hold(const struct embedded_buf *buf, uint64_t off, uint64_t len,
	       const void *call)
{
	(void)buf;
	(void)off;
	(void)len;
	(void)call;
	return false;
}

void step_unhold(const struct embedded_buf *buf, const void *call)
{
	(void)buf;
	(void)call;
}

void step_release(const void *call)
{
	(void)call;
}

bool step_is_held(size_t page)
{
	(void)page;
	return false;
}

#endif
