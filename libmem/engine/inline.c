// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An inline engine: its jobs run on the calling thread and on threads of the
 * application. It is for boards whose engines can access all memory of a
 * process, and for tools that see one process.
 *
 * A kernel that fails is abandoned by a jump out of the signal's handler; locks
 * that it holds stay locked, and its memory stays allocated. A signal for which
 * the application, or a sanitizer, has a handler when an engine is created is
 * left to that handler.
 */
#define _GNU_SOURCE
/* The checking longjmp() only knows the thread's own stack. */
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
/* Length of the handlers' stack, which the window's handler uses, too. */
#define SIGNAL_STACK_LEN	(256UL << 10)

/* The C library's internal name, which no other library defines. */
int __sigaction(int signal, const struct sigaction *action,
		struct sigaction *old);

/**
 * struct inline_engine - an inline engine
 * @pool: its threads
 * @worker: state of the calling thread, one at a time
 * @window: window of the application
 * @stack: stack of signal handlers for the calling thread
 * @is_failed: a block of the job did not return
 * @result: result of the first such block
 * @args: copy of a job's arguments
 * @name: name of its threads
 * @threads: helpers
 * @nr_threads: number of helpers
 * @has_helpers: an attempt to start them was made
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
 * @at: target of the jump
 * @result: reason
 */
struct escape {
	sigjmp_buf at;
	struct engine_result result;
};

static _Thread_local struct inline_engine *mine;
static _Thread_local struct escape *escape;

/**
 * engine_is_worker() - check whether the calling thread runs an inline kernel
 *
 * Context: any, also a signal handler.
 * Return: true if it does.
 */
bool engine_is_worker(void)
{
	return mine;
}

/* A signal that another process sent was not caused by the kernel. */
static bool inline_is_own_signal(int signal, const siginfo_t *info)
{
	return signal == SIGABRT ? info->si_pid == getpid() : info->si_code > 0;
}

static enum engine_place inline_place_of(uintptr_t addr, const void *context)
{
	const struct engine_window *window = &mine->window;

	if (addr - (uintptr_t)window->addr < window->len)
		return ENGINE_WINDOW;
	return touch_is_beyond_stack(addr, context) ? ENGINE_STACK :
						      ENGINE_UNKNOWN;
}

/**
 * engine_leave_kernel() - abandon an inline kernel that cannot continue
 * @signal: signal
 * @info: from the signal
 * @context: context of the signal, ucontext_t
 *
 * Context: the handler of a synchronous signal, or of SIGABRT. Returns only if
 * no kernel caused the signal.
 */
void engine_leave_kernel(int signal, const siginfo_t *info,
			 const void *context)
{
	struct escape *to = escape;

	if (!to || !inline_is_own_signal(signal, info))
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
		to->result.place = inline_place_of(to->result.addr, context);
	}
	signals_restore(&((const ucontext_t *)context)->uc_sigmask);
	siglongjmp(to->at, 1);
}

/* Performs the default action of the signal. */
static void inline_on_signal(int signal, siginfo_t *info, void *context)
{
	const struct sigaction none = { .sa_handler = SIG_DFL };

	engine_leave_kernel(signal, info, context);
	__sigaction(signal, &none, NULL);
	/* A signal that was sent is not raised again by the instruction. */
	if (info->si_code <= 0)
		raise(signal);
}

static void inline_take_signals(void)
{
	static const int signals[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT,
	};
	const struct sigaction action = {
		.sa_sigaction = inline_on_signal,
		.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER,
	};
	struct sigaction old;
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (!__sigaction(signals[i], NULL, &old) &&
		    old.sa_handler == SIG_DFL)
			__sigaction(signals[i], &action, NULL);
}

/* Calls the kernel for a block; stores the result of the first that fails. */
static int inline_call_block(mem_kernel kernel, const struct mem_block *block,
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

static void *inline_stack_create(void)
{
	void *at = mmap(NULL, SIGNAL_STACK_LEN, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/*
 * Sets a separate stack for handlers, for a kernel without stack left. The
 * thread's own is restored after the kernel, because a sanitizer unmaps the one
 * that is set when the thread ends.
 */
static void inline_stack_enter(void *at, stack_t *old)
{
	const stack_t new = { .ss_sp = at, .ss_size = SIGNAL_STACK_LEN };

	if (!at || sigaltstack(&new, old))
		old->ss_flags = SS_ONSTACK;
}

static void inline_stack_leave(const stack_t *old)
{
	if (!(old->ss_flags & SS_ONSTACK))
		sigaltstack(old, NULL);
}

static void inline_stack_destroy(void *at)
{
	if (at)
		munmap(at, SIGNAL_STACK_LEN);
}

/**
 * inline_create() - create an inline engine
 * @name: its name
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
	engine->stack = inline_stack_create();
	if (!engine->stack) {
		free(engine);
		return -ENOMEM;
	}
	inline_take_signals();
	engine->window = *window;
	engine->pool.call = inline_call_block;
	strncpy(engine->name, name, sizeof(engine->name) - 1);
	*made = engine;
	return 0;
}

/**
 * inline_destroy() - end an inline engine
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
	inline_stack_destroy(engine->stack);
	free(engine->threads);
	free(engine);
}

static void *inline_help(void *arg)
{
	struct inline_engine *engine = arg;
	struct worker worker = { .is_helper = true };
	void *at = inline_stack_create();
	stack_t old;

	mine = engine;
	inline_stack_enter(at, &old);
	pool_help(&engine->pool, &worker);
	inline_stack_leave(&old);
	inline_stack_destroy(at);
	return NULL;
}

/* Starts helpers, with signals blocked. Jobs also run without them. */
static void inline_start_helpers(struct inline_engine *engine,
				 const uint32_t grid[3])
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
		if (pthread_create(thread, NULL, inline_help, engine))
			break;
		pthread_setname_np(*thread, engine->name);
		engine->nr_threads++;
	}
	signals_restore(&old);
}

/**
 * inline_run() - run a job
 * @engine: engine that runs no job
 * @job: job that pool_check() accepts
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
	inline_start_helpers(engine, job->grid);
	inline_stack_enter(engine->stack, &old);
	atomic_store(&engine->is_failed, false);
	mine = engine;
	result->status = pool_run(&engine->pool, &engine->worker, &wire,
				  engine->args);
	mine = NULL;
	inline_stack_leave(&old);
	if (atomic_load(&engine->is_failed))
		*result = engine->result;
}
