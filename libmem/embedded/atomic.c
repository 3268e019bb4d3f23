// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Atomic instructions on memory that the board's CPU does not cache: below
 * capability 7.2 they do not work on pinned memory ("CUDA for Tegra", 3.1). An
 * instruction is examined when its access faults. Therefore only the first
 * access to a page, or to a buffer, after its access was removed is detected.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "embedded.h"

#define MAX_INSTRUCTION	16

/* Reads code; that of an engine is at the same address in this process. */
static size_t atomic_read_code(uintptr_t ip, uint8_t code[MAX_INSTRUCTION])
{
	const struct iovec to = { code, MAX_INSTRUCTION };
	const size_t page_size = (size_t)1 << window_page_shift();
	const size_t to_page_end = page_size - ip % page_size;
	const struct iovec from = {
		(void *)ip,
		to_page_end < MAX_INSTRUCTION ? to_page_end : MAX_INSTRUCTION,
	};
	ssize_t len = process_vm_readv(getpid(), &to, 1, &from, 1, 0);

	return len > 0 ? (size_t)len : 0;
}

#if defined(__x86_64__)
/* Intel SDM volume 2, 2.1.1: prefixes that do not matter here, and REX. */
static bool atomic_is_other_prefix(uint8_t byte)
{
	static const uint8_t prefixes[] = {
		0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65,
	};

	return memchr(prefixes, byte, sizeof(prefixes)) || byte >> 4 == 4;
}

/* LOCK, or XCHG with memory, which locks without the prefix. */
static bool atomic_is_atomic(const uint8_t *code, size_t len)
{
	size_t i;

	for (i = 0; i < len && atomic_is_other_prefix(code[i]); i++)
		;
	return i < len &&
	       (code[i] == 0xf0 || code[i] == 0x86 || code[i] == 0x87);
}
#else
/*
 * Arm ARM, C4.1, loads and stores: exclusive ones, compare and swap, and the
 * atomic memory operations of FEAT_LSE.
 */
static bool atomic_is_atomic(const uint8_t *code, size_t len)
{
	uint32_t insn;

	if (len < sizeof(insn))
		return false;
	memcpy(&insn, code, sizeof(insn));
	return (insn & 0x3f800000) == 0x08000000 ||
	       (insn & 0x3fa07c00) == 0x08a07c00 ||
	       (insn & 0x3b200c00) == 0x38200000;
}
#endif

/**
 * atomic_is_at() - check whether an instruction is atomic
 * @ip: its address
 *
 * Context: any, also a signal handler.
 * Return: true if it is.
 */
bool atomic_is_at(uintptr_t ip)
{
	uint8_t code[MAX_INSTRUCTION];

	return atomic_is_atomic(code, atomic_read_code(ip, code));
}

/**
 * atomic_is_broken() - check whether an instruction does not work on a buffer
 * @buf: buffer
 * @ip: address of the instruction that accesses it
 *
 * Context: any, also a signal handler.
 * Return: true if it is atomic, and the CPU does not cache the buffer.
 */
bool atomic_is_broken(const struct embedded_buf *buf, uintptr_t ip)
{
	return atomic_is_looked_for(buf) && atomic_is_at(ip);
}

/**
 * atomic_is_looked_for() - check whether atomics do not work on a buffer
 * @buf: buffer
 *
 * Return: true if they do not: its accesses must fault.
 */
bool atomic_is_looked_for(const struct embedded_buf *buf)
{
	const struct embedded_ctx *ctx = embedded_ctx_of(buf->base.ctx);

	return buf->base.kind == MEM_KIND_PINNED &&
	       ctx->policy != MEM_POLICY_OFF &&
	       !attach_has_pinned_atomics(ctx->base.board);
}
