// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An engine without a process: its jobs run in the caller and on other threads
 * of the application. This is for boards whose engines can access all memory of
 * a process, and for tools that do not follow a fork.
 *
 * A kernel that fails is left by a siglongjmp() out of the signal's handler;
 * locks and memory that it holds are not released. If the application or a
 * sanitizer handles a signal when an engine is made, its handler stays.
 */
#define _GNU_SOURCE
/* Its longjmp() only accepts jumps within the thread's own stack. */
#undef _FORTIFY_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "../internal.h"
#include "../trap.h"
#include "process.h"

#define MAX_HELPERS	1024U
/* For libmem's handler of the window's pages and the application's handlers */
#define SIGNAL_STACK_LEN	(256UL << 10)

/* glibc's internal name of sigaction(), which no other library replaces. */
int __sigaction(int signal, const struct sigaction *action,
		struct sigaction *old);

/**
 * struct inline_engine - an engine in the application
 * @pool: threads that run blocks
 * @worker: state of the thread in inline_run(), one at a time
 * @window: window of the application
 * @stack: signal stack for the thread in inline_run()
 * @is_failed: a block of the job did not return
 * @result: result of the first such block
 * @args: copy of the job's arguments
 * @name: name of the helpers
 * @threads: helpers
 * @nr_threads: number of helpers
 * @has_helpers: helpers have been created, as far as possible
 */
struct inline_engine {
	struct pool pool;
	struct worker worker;
	struct engine_window window;
	void *stack;
	atomic_bool is_failed;
	struct engine_result result;
	uint8_t args[MEM_ARGS_MAX] __attribute__((aligned(LINE)));
	char name[ENGINE_NAME_LEN];
	pthread_t *threads;
	unsigned int nr_threads;
	bool has_helpers;
};

/**
 * struct escape - how to leave a block
 * @at: where to jump to
 * @result: out: why the block was left
 */
struct escape {
	sigjmp_buf at;
	struct engine_result result;
};

static _Thread_local struct inline_engine *mine;
static _Thread_local struct escape *escape;

/**
 * engine_is_worker() - check whether the calling thread runs a kernel
 *
 * Context: any, signal handlers too.
 * Return: true if it runs one of an engine in the application.
 */
bool engine_is_worker(void)
{
	return mine;
}

/* Returns false for a signal sent from outside: no kernel caused it. */
static bool is_own(int signal, const siginfo_t *info)
{
	return signal == SIGABRT ? info->si_pid == getpid() : info->si_code > 0;
}

static enum engine_place place_of(uintptr_t addr, const void *context)
{
	const struct engine_window *window = &mine->window;

	if (addr - (uintptr_t)window->addr < window->len)
		return ENGINE_WINDOW;
	return touch_is_beyond_stack(addr, context) ? ENGINE_STACK :
						      ENGINE_UNKNOWN;
}

/**
 * engine_leave_kernel() - leave a kernel that cannot go on
 * @signal: signal
 * @info: its siginfo_t
 * @context: its ucontext_t
 *
 * Context: the handler of a synchronous signal, or of SIGABRT. Returns only if
 * no kernel caused the signal.
 */
void engine_leave_kernel(int signal, const siginfo_t *info,
			 const void *context)
{
	struct escape *to = escape;

	if (!to || !is_own(signal, info))
		return;
	escape = NULL;
	to->result = (struct engine_result) {
		.status = signal == SIGABRT ? -ECANCELED : -EIO,
		.signal = signal,
	};
	if (signal == SIGSEGV || signal == SIGBUS) {
		to->result.status = -EFAULT;
		to->result.addr = (uintptr_t)info->si_addr;
		to->result.ip = trap_ip(context);
		to->result.is_write = trap_is_store(context);
		to->result.place = place_of(to->result.addr, context);
	}
	signals_restore(&((const ucontext_t *)context)->uc_sigmask);
	siglongjmp(to->at, 1);
}

/* Leaves the kernel, or does what the signal does without a handler. */
static void on_signal(int signal, siginfo_t *info, void *context)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };

	engine_leave_kernel(signal, info, context);
	__sigaction(signal, &none, NULL);
	/* A signal that was sent does not recur on return. */
	if (info->si_code <= 0)
		raise(signal);
}

static void take_signals(void)
{
	static const int signals[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT,
	};
	const struct sigaction action = {
		.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	struct sigaction old;
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!__sigaction(signals[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			__sigaction(signals[i], &action, NULL);
}

/* Returns 0, or why the block was left; the first such result is the job's. */
static int call_block(mem_kernel kernel, const struct mem_block *block,
		      void *args)
{
	struct escape own;

	if (sigsetjmp(own.at, 0)) {
		if (!atomic_exchange(&mine->is_failed, true))
			mine->result = own.result;
		return own.result.status;
	}
	escape = &own;
	kernel(block, args);
	escape = NULL;
	return 0;
}

static void *stack_create(void)
{
	void *at = mmap(NULL, SIGNAL_STACK_LEN, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/*
 * Signal handlers need their own stack if the kernel has used up its own. The
 * thread's previous signal stack is restored after the kernel, because a
 * sanitizer unmaps the current one when the thread ends.
 */
static void stack_enter(void *at, stack_t *old)
{
	const stack_t new = { .ss_sp = at, .ss_size = SIGNAL_STACK_LEN };

	if (!at || sigaltstack(&new, old))
		old->ss_flags = SS_ONSTACK;
}

static void stack_leave(const stack_t *old)
{
	if (!(old->ss_flags & SS_ONSTACK))
		sigaltstack(old, NULL);
}

static void stack_destroy(void *at)
{
	if (at)
		munmap(at, SIGNAL_STACK_LEN);
}

/**
 * inline_create() - make an engine in the application
 * @name: name of its threads
 * @window: window of the application
 * @made: out: engine, for inline_destroy()
 *
 * Return: 0, or -ENOMEM.
 */
int inline_create(const char *name, const struct engine_window *window,
		  struct inline_engine **made)
{
	struct inline_engine *engine = aligned_alloc(LINE, sizeof(*engine));

	if (!engine)
		return -ENOMEM;
	memset(engine, 0, sizeof(*engine));
	engine->stack = stack_create();
	if (!engine->stack) {
		free(engine);
		return -ENOMEM;
	}
	take_signals();
	engine->window = *window;
	engine->pool.call = call_block;
	strncpy(engine->name, name, sizeof(engine->name) - 1);
	*made = engine;
	return 0;
}

/**
 * inline_destroy() - destroy an engine in the application
 * @engine: engine that runs no job
 */
void inline_destroy(struct inline_engine *engine)
{
	unsigned int i;

	pool_stop(&engine->pool);
	for (i = 0; i < engine->nr_threads; i++)
		pthread_join(engine->threads[i], NULL);
	if (engine->worker.shared)
		munmap(engine->worker.shared, engine->worker.shared_len);
	stack_destroy(engine->stack);
	free(engine->threads);
	free(engine);
}

static void *help(void *arg)
{
	struct inline_engine *engine = arg;
	struct worker worker = { .is_helper = true };
	void *at = stack_create();
	stack_t old;

	mine = engine;
	stack_enter(at, &old);
	pool_help(&engine->pool, &worker);
	stack_leave(&old);
	stack_destroy(at);
	return NULL;
}

/*
 * Helpers block signals, which the application's other threads handle. If
 * helpers cannot be created, jobs run with fewer.
 */
static void get_helpers(struct inline_engine *engine, const uint32_t grid[3])
{
	unsigned int max = pool_nr_workers() - 1;
	pthread_t *thread;
	sigset_t old;

	if (engine->has_helpers ||
	    (grid[0] == 1 && grid[1] == 1 && grid[2] == 1))
		return;
	engine->has_helpers = true;
	max = max < MAX_HELPERS ? max : MAX_HELPERS;
	engine->threads = calloc(max + 1, sizeof(*engine->threads));
	if (!engine->threads)
		return;
	signals_block(&old);
	while (engine->nr_threads < max) {
		thread = &engine->threads[engine->nr_threads];
		if (pthread_create(thread, NULL, help, engine))
			break;
		pthread_setname_np(*thread, engine->name);
		engine->nr_threads++;
	}
	signals_restore(&old);
}

/**
 * inline_run() - run a job
 * @engine: engine that runs no job
 * @job: job, checked by pool_check()
 * @result: out: how it ended
 */
void inline_run(struct inline_engine *engine, const struct engine_job *job,
		struct engine_result *result)
{
	struct wire_job wire;
	stack_t old;

	wire.kernel = job->kernel;
	wire.shared_len = job->shared_len;
	memcpy(wire.grid, job->grid, sizeof(wire.grid));
	memcpy(wire.block, job->block, sizeof(wire.block));
	if (job->args_len)
		memcpy(engine->args, job->args, job->args_len);
	get_helpers(engine, job->grid);
	stack_enter(engine->stack, &old);
	atomic_store(&engine->is_failed, false);
	mine = engine;
	result->status = pool_run(&engine->pool, &engine->worker, &wire,
				  engine->args);
	mine = NULL;
	stack_leave(&old);
	if (atomic_load(&engine->is_failed))
		*result = engine->result;
}
