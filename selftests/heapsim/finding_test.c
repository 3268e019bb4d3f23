// SPDX-License-Identifier: GPL-2.0-only
/*
 * What becomes of records whose stacks come late: no module, any machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

#include "../../heapsim/finding.h"
#include "../../heapsim/told/stacks.h"

static struct stacks *stacks;
static struct findings *findings;

static int open_all(void **state)
{
	(void)state;
	stacks = mmap(NULL, sizeof(*stacks), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (stacks == MAP_FAILED)
		return -1;
	findings = findings_open(stacks);
	return findings ? 0 : -1;
}

static int close_all(void **state)
{
	(void)state;
	findings_close(findings);
	return munmap(stacks, sizeof(*stacks));
}

/* The thread that has the number has put down a stack of one address. */
static void put_down(uint64_t id, uint64_t index, uint64_t address)
{
	struct stacks_stack *stack = &stacks->stacks[index];

	stack->nr = 1;
	stack->frames[0] = address;
	stack->state = STACKS_READY;
	*stacks_at(stacks, id) = id << STACKS_INDEX_BITS | index;
}

static struct heapsim_record record_at(uint64_t time_ns, uint64_t cpu_stack,
				       uint64_t attached_ns,
				       uint64_t attach_stack)
{
	return (struct heapsim_record) {
		.kind = HEAPSIM_RECORD_CPU_WHILE_ACTIVE,
		.count = 1,
		.time_ns = time_ns,
		.cpu_stack = cpu_stack,
		.attaches[0] = {
			.attach = HEAPSIM_ATTACH_GLOBAL,
			.by = HEAPSIM_ATTACHED_BY_ALLOC,
			.time_ns = attached_ns,
			.stack = attach_stack,
		},
	};
}

/* The attaches that are told are all of the record that is. */
static void a_first_record_that_is_late_has_its_attaches(void **state)
{
	struct heapsim_record late, other;
	struct finding *one;
	struct timespec t;
	uint64_t now;

	(void)state;
	clock_gettime(CLOCK_MONOTONIC, &t);
	now = t.tv_sec * 1000000000ULL + t.tv_nsec;
	late = record_at(now, 2, now - 10, 3);
	other = record_at(now + 1, 4, now - 20, 5);
	put_down(3, 0, 0x1000);
	put_down(5, 1, 0x2000);
	put_down(4, 2, 0x3000);
	assert_int_equal(findings_add(findings, &late), 0);
	assert_int_equal(findings_add(findings, &other), 0);
	assert_true(findings_are_waiting(findings));
	put_down(2, 2, 0x3000);
	findings_retry(findings);
	assert_false(findings_are_waiting(findings));
	assert_int_equal(findings_end(findings), 0);
	one = findings_first(findings);
	assert_non_null(one);
	assert_null(one->next);
	assert_int_equal(one->record.count, 2);
	assert_int_equal(one->record.time_ns, now);
	assert_int_equal(one->record.attaches[0].time_ns, now - 10);
	assert_int_equal(one->attaches[0].nr, 1);
	assert_int_equal(one->attaches[0].frames[0].address, 0x1000);
}

/* What the program calls is no more of its own than what that calls. */
static void a_stack_begins_where_the_program_calls(void **state)
{
	static const struct frame of_cuda[] = {
		{ .module = "/lib/libc.so.6", .function = "futex" },
		{ .module = "/lib/libmem.so.0.1.0", .function = "tell" },
		{ .module = "/lib/libmem-cuda.so.0.1.0", .function = "core" },
		{ .module = "/lib/libmem-cudart.so.0", .function = "cudaFree" },
		{ .module = "/bin/program", .function = "main" },
		{ .module = "/lib/libmem-cudart.so.0", .function = "again" },
	};
	static const struct frame of_others[] = {
		{ .module = "/lib/libmem-other.so.0", .function = "call" },
		{ .module = "/lib/libmem.so.0.1.0", .function = "tell" },
	};

	(void)state;
	assert_int_equal(symbol_in_libmem(of_cuda, 6), 4);
	assert_int_equal(symbol_in_libmem(of_cuda + 3, 3), 1);
	assert_int_equal(symbol_in_libmem(of_cuda + 4, 2), 0);
	assert_int_equal(symbol_in_libmem(of_others, 2), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_first_record_that_is_late_has_its_attaches),
		TEST(a_stack_begins_where_the_program_calls),
	};

	return cmocka_run_group_tests_name("finding", tests, NULL, NULL);
}
