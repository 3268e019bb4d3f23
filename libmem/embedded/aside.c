// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A separate stack, on which a thread runs while it changes mappings that may
 * contain its own frames: no store of it is lost meanwhile.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include <valgrind/valgrind.h>

#include "embedded.h"

/* Enough for few calls, and the frame of a signal that cannot be blocked. */
#define ASIDE_LEN	(64UL << 10)
/* Distance from the caller's frame: more than the length of most stacks. */
#define ASIDE_GAP	(1UL << 30)

/**
 * struct aside - the start of the stack's mapping
 * @id: valgrind's id of the stack
 */
struct aside {
	unsigned int id;
};

/**
 * aside_create() - create a separate stack
 *
 * It is below the caller's stack if there is room: gdb treats a caller's frame
 * at a lower address as a corrupt stack.
 *
 * Context: any; calls no allocator.
 * Return: the stack, for aside_destroy(), or NULL.
 */
struct aside *aside_create(void)
{
	const uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
	void *below = (void *)((frame - ASIDE_GAP) & -ASIDE_LEN);
	struct aside *aside = mmap(below, ASIDE_LEN, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (aside == MAP_FAILED)
		return NULL;
	aside->id = VALGRIND_STACK_REGISTER(aside, (char *)aside + ASIDE_LEN);
	return aside;
}

/**
 * aside_destroy() - free a separate stack
 * @aside: stack, or NULL, which does nothing
 */
void aside_destroy(struct aside *aside)
{
	if (!aside)
		return;
	VALGRIND_STACK_DEREGISTER(aside->id);
	munmap(aside, ASIDE_LEN);
}

/* The compiler must not infer which registers a call preserves. */
#if __has_attribute(noipa)
#define IS_OPAQUE	__attribute__((noipa))
#else
#define IS_OPAQUE	__attribute__((noinline))
#endif

/*
 * Keeps the stack pointer in a register that a call preserves. Other registers
 * may change, as in any call. __builtin_frame_address() makes the compiler keep
 * a frame pointer, by which debuggers find the caller's frame.
 */
static void IS_OPAQUE call_on(void *top, void (*what)(void *), void *arg)
{
	void *frame = __builtin_frame_address(0);

#if defined(__x86_64__)
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[what]\n\t"
			 "movq %%rbx, %%rsp"
			 : "+D" (arg)
			 : [top] "r" (top), [what] "r" (what), "r" (frame)
			 : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9",
			   "r10", "r11", "cc", "memory");
#elif defined(__aarch64__)
	register void *x0 __asm__("x0") = arg;

	__asm__ volatile("mov x19, sp\n\t"
			 "mov sp, %[top]\n\t"
			 "blr %[what]\n\t"
			 "mov sp, x19"
			 : "+r" (x0)
			 : [top] "r" (top), [what] "r" (what), "r" (frame)
			 : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9",
			   "x10", "x11", "x12", "x13", "x14", "x15", "x16",
			   "x17", "x19", "x30", "cc", "memory");
#else
#error libmem knows the stacks of x86-64 and arm64.
#endif
}

/**
 * aside_run() - call a function on a separate stack
 * @aside: stack
 * @what: function
 * @arg: its argument
 *
 * Context: the caller has blocked all signals.
 */
void aside_run(struct aside *aside, void (*what)(void *), void *arg)
{
	call_on((char *)aside + ASIDE_LEN, what, arg);
}
