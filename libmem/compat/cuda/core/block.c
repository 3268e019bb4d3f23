// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The threads of a block, run one after the other by one worker of an engine. A
 * thread that reaches a barrier keeps its stack and waits, and the next thread
 * begins on another stack. A thread that returns leaves its stack to the next
 * one, so a kernel without barriers needs one stack. The worker keeps its
 * stacks.
 *
 * In an engine's process no variable of the program can be stored to, so all
 * state is in thread-local variables and in mappings of the worker.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <valgrind/valgrind.h>

#include "device_functions.h"
#include "device_atomic_functions.h"

#include "block.h"

#define GUARD_LEN	(64UL << 10)
/* Offsets that keep waiting threads from using the same cache lines */
#define COLOUR_LEN	512U
#define NR_COLOURS	8U

/* AddressSanitizer must know which stack is used. */
void __sanitizer_start_switch_fiber(void **fake, const void *bottom,
				    size_t len);
void __sanitizer_finish_switch_fiber(void *fake, const void **bottom,
				     size_t *len);
#pragma weak __sanitizer_start_switch_fiber
#pragma weak __sanitizer_finish_switch_fiber

/**
 * struct fiber - a stack, and the thread on it
 * @sp: stack pointer while it does not run
 * @bottom: lowest address of the stack
 * @len: length of the stack, bytes
 * @fake: AddressSanitizer's state
 * @valgrind: valgrind's id of the stack
 * @index: index of the thread in its block
 * @next: next free fiber
 * @older: next fiber of the worker
 */
struct fiber {
	void *sp;
	void *bottom;
	size_t len;
	void *fake;
	unsigned int valgrind;
	uint3 index;
	struct fiber *next;
	struct fiber *older;
};

/**
 * struct worker - state of a worker
 * @kernel: kernel that it runs, or NULL
 * @args: arguments of @kernel
 * @nr_threads: number of threads in the block
 * @nr_begun: number of threads that have begun
 * @next_index: index of the next thread to begin
 * @now: running fiber
 * @waiting: fibers at barriers: from @nr_gone_on up to @nr_waiting, those that
 *	have to continue after the last barrier; up to @nr_arrived, those that
 *	wait at the next one
 * @nr_waiting: number of threads at the last barrier
 * @nr_gone_on: number of those that have continued
 * @nr_arrived: number of threads at the next barrier
 * @nr_true: number of those whose predicate is true
 * @last_true: @nr_true of the last barrier
 * @last_arrived: @nr_arrived of the last barrier
 * @free: free fibers
 * @last: newest of all fibers
 * @stack_len: length of each stack
 * @has_system_atomics: the board has them
 * @home: the worker's own stack
 */
struct worker {
	const struct heapsim_kernel *kernel;
	void **args;
	unsigned int nr_threads;
	unsigned int nr_begun;
	uint3 next_index;
	struct fiber *now;
	struct fiber **waiting;
	unsigned int nr_waiting;
	unsigned int nr_gone_on;
	unsigned int nr_arrived;
	unsigned int nr_true;
	unsigned int last_true;
	unsigned int last_arrived;
	struct fiber *free;
	struct fiber *last;
	size_t stack_len;
	bool has_system_atomics;
	struct fiber home;
};

static __thread struct worker *self;
static pthread_key_t at_end;

/* Built-in variables of kernels */
API HEAPSIM_TLS uint3 threadIdx;
API HEAPSIM_TLS uint3 blockIdx;
API HEAPSIM_TLS dim3 blockDim;
API HEAPSIM_TLS dim3 gridDim;
API HEAPSIM_TLS void *heapsim_cu_shared;

/*
 * block_switch(from, to): pushes the callee-saved registers, stores the stack
 * pointer at @from, loads it from @to and pops the registers.
 */
void block_switch(void **from, void *to);

#if defined(__x86_64__)
#define NR_KEPT		6U
#define AT_RETURN	NR_KEPT

#define SWITCH \
	".pushsection .text\n" \
	".hidden block_switch\n" \
	".globl block_switch\n" \
	".type block_switch, @function\n" \
	"block_switch:\n" \
	"	push %rbp\n" \
	"	push %rbx\n" \
	"	push %r12\n" \
	"	push %r13\n" \
	"	push %r14\n" \
	"	push %r15\n" \
	"	mov %rsp, (%rdi)\n" \
	"	mov %rsi, %rsp\n" \
	"	pop %r15\n" \
	"	pop %r14\n" \
	"	pop %r13\n" \
	"	pop %r12\n" \
	"	pop %rbx\n" \
	"	pop %rbp\n" \
	"	ret\n" \
	".size block_switch, . - block_switch\n" \
	".popsection\n"
#elif defined(__aarch64__)
#define NR_KEPT		20U
#define AT_RETURN	11U

#define SWITCH \
	".pushsection .text\n" \
	".hidden block_switch\n" \
	".globl block_switch\n" \
	".type block_switch, %function\n" \
	"block_switch:\n" \
	"	sub sp, sp, #160\n" \
	"	stp x19, x20, [sp]\n" \
	"	stp x21, x22, [sp, #16]\n" \
	"	stp x23, x24, [sp, #32]\n" \
	"	stp x25, x26, [sp, #48]\n" \
	"	stp x27, x28, [sp, #64]\n" \
	"	stp x29, x30, [sp, #80]\n" \
	"	stp d8, d9, [sp, #96]\n" \
	"	stp d10, d11, [sp, #112]\n" \
	"	stp d12, d13, [sp, #128]\n" \
	"	stp d14, d15, [sp, #144]\n" \
	"	mov x2, sp\n" \
	"	str x2, [x0]\n" \
	"	mov sp, x1\n" \
	"	ldp x19, x20, [sp]\n" \
	"	ldp x21, x22, [sp, #16]\n" \
	"	ldp x23, x24, [sp, #32]\n" \
	"	ldp x25, x26, [sp, #48]\n" \
	"	ldp x27, x28, [sp, #64]\n" \
	"	ldp x29, x30, [sp, #80]\n" \
	"	ldp d8, d9, [sp, #96]\n" \
	"	ldp d10, d11, [sp, #112]\n" \
	"	ldp d12, d13, [sp, #128]\n" \
	"	ldp d14, d15, [sp, #144]\n" \
	"	add sp, sp, #160\n" \
	"	ret\n" \
	".size block_switch, . - block_switch\n" \
	".popsection\n"
#else
#error "No switch of stacks for this architecture"
#endif

asm(SWITCH);

/* Without memory for its threads a kernel cannot continue: it fails. */
static void __attribute__((noreturn)) block_fail(void)
{
	abort();
}

static void *block_map(size_t len, int prot)
{
	void *at = mmap(NULL, len, prot,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		block_fail();
	return at;
}

static void fiber_go_on(struct worker *worker, struct fiber *to)
{
	struct fiber *from = worker->now;

	if (from == to)
		return;
	worker->now = to;
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(&from->fake, to->bottom,
					       to->len);
	block_switch(&from->sp, to->sp);
	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
}

static struct fiber *fiber_next(struct worker *worker);

/* Runs the worker's next thread on this stack. */
static void block_run_thread(struct worker *worker, struct fiber *fiber)
{
	uint3 *next = &worker->next_index;

	fiber->index = *next;
	threadIdx = *next;
	worker->nr_begun++;
	if (++next->x == blockDim.x) {
		next->x = 0;
		if (++next->y == blockDim.y) {
			next->y = 0;
			next->z++;
		}
	}
	worker->kernel->call(worker->kernel->fn, worker->args);
}

static void __attribute__((noreturn)) fiber_main(void)
{
	struct worker *worker = self;
	struct fiber *fiber = worker->now;

	const void *bottom = NULL;
	size_t len = 0;

	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(NULL, &bottom, &len);
	/* The first fiber is entered from the worker's own stack. */
	if (!worker->home.bottom) {
		worker->home.bottom = (void *)bottom;
		worker->home.len = len;
	}
	for (;;) {
		while (worker->nr_begun < worker->nr_threads)
			block_run_thread(worker, fiber);
		fiber->next = worker->free;
		worker->free = fiber;
		fiber_go_on(worker, fiber_next(worker));
	}
}

/*
 * The fiber is at the top of its mapping, its stack below it, and a guard below
 * the stack: a stack overflow touches an illegal address.
 */
static struct fiber *fiber_create(struct worker *worker)
{
	const size_t len = worker->stack_len;
	char *at = block_map(GUARD_LEN + len, PROT_NONE);
	unsigned int colour = (uintptr_t)at / (GUARD_LEN + len) % NR_COLOURS;
	struct fiber *fiber;
	void **sp;

	if (mprotect(at + GUARD_LEN, len, PROT_READ | PROT_WRITE))
		block_fail();
	fiber = (struct fiber *)(at + GUARD_LEN + len - colour * COLOUR_LEN) -
		1;
	fiber->bottom = at + GUARD_LEN;
	fiber->len = (size_t)((char *)fiber - (char *)fiber->bottom);
	fiber->valgrind = VALGRIND_STACK_REGISTER(fiber->bottom,
						  (char *)fiber->bottom +
						  fiber->len);
	/* The return address of the first function remains 0. */
	sp = (void **)((uintptr_t)fiber & ~(uintptr_t)15) - 2 - NR_KEPT;
	sp[AT_RETURN] = (void *)fiber_main;
	fiber->sp = sp;
	fiber->older = worker->last;
	worker->last = fiber;
	return fiber;
}

static void fiber_destroy(struct worker *worker, struct fiber *fiber)
{
	VALGRIND_STACK_DEREGISTER(fiber->valgrind);
	munmap((char *)fiber->bottom - GUARD_LEN,
	       GUARD_LEN + worker->stack_len);
}

static struct fiber *fiber_get(struct worker *worker)
{
	struct fiber *fiber = worker->free;

	if (!fiber)
		return fiber_create(worker);
	worker->free = fiber->next;
	return fiber;
}

/*
 * Returns the fiber to run next: a thread that has not begun, else one that
 * continues after the last barrier. If there is none, all threads have reached
 * the next barrier or returned; if none waits there, the block has ended.
 */
static struct fiber *fiber_next(struct worker *worker)
{
	if (worker->nr_begun < worker->nr_threads)
		return fiber_get(worker);
	if (worker->nr_gone_on == worker->nr_waiting) {
		worker->nr_waiting = worker->nr_arrived;
		worker->nr_gone_on = 0;
		worker->last_arrived = worker->nr_arrived;
		worker->last_true = worker->nr_true;
		worker->nr_arrived = 0;
		worker->nr_true = 0;
		if (!worker->nr_waiting)
			return &worker->home;
	}
	return worker->waiting[worker->nr_gone_on++];
}

static struct worker *block_wait_for_all(bool is_true)
{
	struct worker *worker = self;
	struct fiber *fiber;

	/* Host code has no block. */
	if (!worker || !worker->kernel)
		block_fail();
	fiber = worker->now;
	worker->waiting[worker->nr_arrived++] = fiber;
	worker->nr_true += is_true;
	fiber_go_on(worker, fiber_next(worker));
	threadIdx = fiber->index;
	return worker;
}

API void heapsim_cu_syncthreads(void)
{
	block_wait_for_all(false);
}

API int heapsim_cu_syncthreads_count(int is_true)
{
	return (int)block_wait_for_all(is_true)->last_true;
}

API int heapsim_cu_syncthreads_and(int is_true)
{
	const struct worker *worker = block_wait_for_all(is_true);

	return worker->last_true == worker->last_arrived;
}

API int heapsim_cu_syncthreads_or(int is_true)
{
	return !!block_wait_for_all(is_true)->last_true;
}

/**
 * block_refuse() - end the calling kernel
 * @what: what it must not do
 *
 * Few kernels check results, so an error would not be noticed.
 */
void block_refuse(const char *what)
{
	fprintf(stderr,
		"heapsim: %s: refused in a kernel, see cuda-limits.rst\n",
		what);
	__builtin_trap();
}

API void heapsim_cu_system_atomic(void)
{
	if (self && self->kernel && !self->has_system_atomics)
		block_refuse("atomic functions with _system below 7.2");
}

/* Sleeps for at most a millisecond, as on a GPU. */
API void heapsim_cu_nanosleep(unsigned int ns)
{
	const struct timespec time = {
		.tv_nsec = ns < 1000000 ? ns : 1000000,
	};

	nanosleep(&time, NULL);
}

/* No thread may be using a stack. */
static void block_drop_stacks(struct worker *worker)
{
	struct fiber *fiber;

	worker->free = NULL;
	while ((fiber = worker->last)) {
		worker->last = fiber->older;
		fiber_destroy(worker, fiber);
	}
}

#define WORKER_LEN	(sizeof(struct worker) + \
			 BLOCK_MAX_THREADS * sizeof(struct fiber *))

/* Also called in threads of the program, if engines have no process. */
static void block_worker_destroy(void *at)
{
	struct worker *worker = at;

	block_drop_stacks(worker);
	munmap(worker, WORKER_LEN);
}

static void __attribute__((constructor)) block_make_key(void)
{
	pthread_key_create(&at_end, block_worker_destroy);
}

static struct worker *block_get_worker(size_t stack_len)
{
	if (!self) {
		self = block_map(WORKER_LEN, PROT_READ | PROT_WRITE);
		self->waiting = (struct fiber **)(self + 1);
		pthread_setspecific(at_end, self);
	}
	/* Set if an engine in the program has left a kernel that failed. */
	if (self->kernel || self->stack_len != stack_len) {
		block_drop_stacks(self);
		self->stack_len = stack_len;
	}
	return self;
}

/**
 * block_args() - find the value of each parameter
 * @kernel: kernel
 * @values: values, packed as in struct block_job; NULL: only the length is
 *	needed
 * @args: out: pointers to the values; may be NULL
 *
 * Return: bytes of the values, including padding.
 */
size_t block_args(const struct heapsim_kernel *kernel, void *values,
		  void **args)
{
	size_t off = 0;
	unsigned int i;

	for (i = 0; i < kernel->nr_params; i++) {
		off = (off + kernel->aligns[i] - 1) & ~(kernel->aligns[i] - 1);
		if (args)
			args[i] = (char *)values + off;
		off += kernel->sizes[i];
	}
	return off;
}

/**
 * block_run() - run the threads of a block
 * @block: block
 * @at: struct block_job
 *
 * Context: a worker of an engine.
 */
void block_run(const struct mem_block *block, void *at)
{
	struct block_job *job = at;
	struct worker *worker = block_get_worker(job->stack_len);
	void *args[job->kernel.nr_params + 1];

	block_args(&job->kernel, job->values, args);
	worker->kernel = &job->kernel;
	worker->args = args;
	worker->has_system_atomics = job->has_system_atomics;
	worker->nr_threads = block->block[0] * block->block[1] *
			     block->block[2];
	worker->nr_begun = 0;
	worker->next_index = (uint3){ 0, 0, 0 };
	blockIdx = (uint3){ block->index[0], block->index[1],
			    block->index[2] };
	blockDim.x = block->block[0];
	blockDim.y = block->block[1];
	blockDim.z = block->block[2];
	gridDim.x = block->grid[0];
	gridDim.y = block->grid[1];
	gridDim.z = block->grid[2];
	heapsim_cu_shared = block->shared;
	worker->now = &worker->home;
	fiber_go_on(worker, fiber_get(worker));
	worker->kernel = NULL;
}

/**
 * block_is_running() - check whether the caller is a kernel
 *
 * Return: true if it is.
 */
bool block_is_running(void)
{
	return self && self->kernel;
}
