/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facts about the access that caused a signal, from the signal's context.
 */
#ifndef _LIBMEM_TRAP_H
#define _LIBMEM_TRAP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)
static inline uintptr_t trap_ip(const ucontext_t *context)
{
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
}

static inline uintptr_t trap_sp(const ucontext_t *context)
{
	return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

/* Intel SDM volume 3, 4.7: bit 1 of a page fault's error code. */
static inline bool trap_is_store(const ucontext_t *context)
{
	return context->uc_mcontext.gregs[REG_ERR] & 2;
}

/* The trap flag: the CPU raises #DB after one instruction. */
#define TRAP_FLAG	0x100

static inline bool trap_has_flag(const ucontext_t *context)
{
	return context->uc_mcontext.gregs[REG_EFL] & TRAP_FLAG;
}

static inline void trap_set_flag(ucontext_t *context, bool is_set)
{
	if (is_set)
		context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
	else
		context->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
}

/* Bit 4: an instruction fetch. Pages of buffers are never executable. */
static inline bool trap_is_fetch(const ucontext_t *context)
{
	return context->uc_mcontext.gregs[REG_ERR] & 16;
}
#elif defined(__aarch64__)
static inline uintptr_t trap_ip(const ucontext_t *context)
{
	return (uintptr_t)context->uc_mcontext.pc;
}

static inline uintptr_t trap_sp(const ucontext_t *context)
{
	return (uintptr_t)context->uc_mcontext.sp;
}

/* The kernel stores ESR_EL1 in a record of its own, behind the registers. */
static inline uint64_t trap_syndrome(const ucontext_t *context)
{
	const unsigned char *at = context->uc_mcontext.__reserved;
	const struct _aarch64_ctx *head = (const struct _aarch64_ctx *)at;

	for (; head->magic; head = (const struct _aarch64_ctx *)at) {
		if (head->magic == ESR_MAGIC)
			return ((const struct esr_context *)head)->esr;
		at += head->size;
	}
	return 0;
}

/* Arm ARM, ESR_EL1 of a data abort: bit 6, WnR. */
static inline bool trap_is_store(const ucontext_t *context)
{
	return trap_syndrome(context) >> 6 & 1;
}

/* Exception class, bits 26 to 31: 0x20 and 0x21 are instruction aborts. */
static inline bool trap_is_fetch(const ucontext_t *context)
{
	return (trap_syndrome(context) >> 26 & 0x3e) == 0x20;
}
#else
#error libmem knows the faults of x86-64 and arm64.
#endif

#endif
