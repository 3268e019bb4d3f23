// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests records whose stacks arrive late. Runs on any machine, without a
 * module.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <libmem.h>

#include "../../libmem/tools/findings.h"
#include "../../libmem/tools/outside.h"
#include "../../libmem/record/stacks.h"

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

/* Writes a stack of one address, as the thread of this event does. */
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

/* The reported attaches must belong to the reported record. */
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

/* Starts a process that spins, or one that sleeps. */
static pid_t child_start(bool does_run)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			if (!does_run)
				pause();
	}
	return pid;
}

static void child_end(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* On a busy machine the stack of one of many threads may arrive very late. */
static void a_thread_that_runs_is_waited_for(void **state)
{
	pid_t running = child_start(true), asleep = child_start(false);
	struct heapsim_record r = record_at(1, 2, 1, 3);
	struct finding *one;
	int i;

	(void)state;
	put_down(3, 0, 0x1000);
	/* Wait until the child sleeps, since it may not have run yet. */
	for (i = 0; i < 2000 && outside_is_running(asleep, asleep); i++)
		usleep(10000);
	r.cpu.pid = running;
	r.cpu.tid = running;
	assert_int_equal(findings_add(findings, &r), 0);
	r.cpu.pid = asleep;
	r.cpu.tid = asleep;
	r.cpu_stack = 4;
	assert_int_equal(findings_add(findings, &r), 0);
	assert_int_equal(findings_retry(findings), 0);
	assert_true(findings_are_waiting(findings));
	put_down(2, 1, 0x2000);
	assert_int_equal(findings_retry(findings), 0);
	assert_false(findings_are_waiting(findings));
	child_end(running);
	child_end(asleep);
	assert_false(outside_is_running(running, running));
	assert_int_equal(findings_end(findings), 0);
	one = findings_first(findings);
	assert_non_null(one);
	assert_int_equal(one->record.cpu.pid, asleep);
	assert_int_equal(one->cpu.nr, 0);
	one = one->next;
	assert_non_null(one);
	assert_int_equal(one->record.cpu.pid, running);
	assert_int_equal(one->cpu.nr, 1);
	assert_int_equal(one->cpu.frames[0].address, 0x2000);
	assert_null(one->next);
}

/* Frames of a library that the program calls are left out, too. */
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

#define LAUNCH(type, kernel)						\
	"heapsim::kernel<" type ", &" kernel ">::launch(int*, int)"

static const char launch_add[] =
	LAUNCH("void (*)(int*, int)",
	       "(void (anonymous namespace)::add<int>(int*, int))");
static const char launch_late[] =
	LAUNCH("void (*)(int*, int)", "(anonymous namespace)::late");

/* Inline functions of CUDA's headers are left out, too. */
static void a_stack_begins_behind_the_headers_of_cuda(void **state)
{
	static const char layer[] = "/lib/libmem-cudart.so.0";
	static const char program[] = "/bin/program";
	static const struct frame alloc[] = {
		{ .module = layer, .function = "cudaMalloc" },
		{ .module = program, .function = "cudaError cudaMalloc<int>",
		  .file = "/include/heapsim_cu.hpp", .line = 160 },
		{ .module = program, .function = "main", .file = "a.cu" },
	};
	struct frame launch[] = {
		{ .module = layer, .function = "heapsim_cu_launch" },
		{ .module = program, .function = launch_add,
		  .file = "/include/heapsim_cu.hpp" },
		{ .module = program, .function =
		  "void (anonymous namespace)::add<int>(int*, int)",
		  .file = "a.cu", .line = 5 },
		{ .module = program, .function = "main", .file = "a.cu" },
	};

	(void)state;
	assert_int_equal(symbol_in_libmem(alloc, 3), 2);
	assert_int_equal(symbol_in_libmem(launch, 4), 3);
	/* The kernel may be inlined in parts, or be called by a jump. */
	launch[2].function = "add<int>";
	assert_int_equal(symbol_in_libmem(launch, 4), 3);
	launch[3] = launch[2];
	assert_int_equal(symbol_in_libmem(launch, 4), 4);
	launch[2].function = "run(int*, int)";
	assert_int_equal(symbol_in_libmem(launch, 4), 2);
	/* A function named like a part of the kernel's name is another one. */
	launch[2].function = "int";
	assert_int_equal(symbol_in_libmem(launch, 4), 2);
	launch[2].function = "launch(int*, int)";
	assert_int_equal(symbol_in_libmem(launch, 4), 2);
	launch[2].function = "add";
	assert_int_equal(symbol_in_libmem(launch, 4), 2);
	/* There are no line numbers. */
	launch[1].file = NULL;
	launch[1].function = launch_late;
	launch[2].file = NULL;
	launch[2].function = "(anonymous namespace)::late(int*, int)";
	assert_int_equal(symbol_in_libmem(launch, 4), 3);
}

/* The API in the stacks decides, or else the libraries of the process. */
static void advice_is_of_the_calls_that_are_made(void **state)
{
	struct heapsim_record of_cuda = {
		.kind = HEAPSIM_RECORD_CPU_ON_DEVICE,
		.missing = HEAPSIM_MISSING_COPY,
		.time_ns = 100,
		.count = 1,
		.cpu = { .pid = 7, .ip = 0x2000, .time_ns = 100 },
	}, of_libmem = of_cuda, of_none = of_cuda;
	const struct finding *one;

	(void)state;
	stacks->tables.apis[0] = RECORD_API_CUDA;
	stacks->tables.processes[0] = 7;
	stacks->tables.apis[1] = 0;
	stacks->tables.processes[1] = 8;
	stacks->tables.nr_processes = 2;
	of_libmem.cpu.pid = 8;
	of_libmem.time_ns++;
	of_libmem.name[0] = 'l';
	of_none.cpu.pid = 9;
	of_none.time_ns += 2;
	of_none.name[0] = 'n';
	assert_int_equal(findings_add(findings, &of_cuda), 0);
	assert_int_equal(findings_add(findings, &of_libmem), 0);
	assert_int_equal(findings_add(findings, &of_none), 0);
	assert_int_equal(findings_end(findings), 0);
	one = findings_first(findings);
	assert_int_equal(one->api, KIND_API_CUDA);
	one = one->next;
	assert_int_equal(one->api, KIND_API_LIBMEM);
	one = one->next;
	assert_int_equal(one->api, KIND_API_DMABUF);
}

static void shape_add(uint32_t pid, uint64_t buf, uint32_t type)
{
	struct record_shape *shape =
		&stacks->tables.shapes[record_shape_at(pid, buf)];

	*shape = (struct record_shape) {
		.pid = pid,
		.buf = buf,
		.type = type,
		.nr_planes = 1,
		.planes = { { .off = 256, .row_len = 100, .pitch = 128,
			      .nr_rows = 2 } },
	};
	atomic_store(&shape->state, STACKS_READY);
}

/* A report proposes calls of the API that made the object in the buffer. */
static void what_holds_a_buffer_has_its_place_and_its_calls(void **state)
{
	static const struct {
		uint32_t pid;
		uint64_t buf;
		uint32_t type;
		uint64_t off;
		enum kind_api api;
		const char *holder;
		bool has_row;
	} cases[] = {
		{ 7, 1, RECORD_TYPE_OBJECT, 256 + 128 + 5, KIND_API_NVSCI,
		  "object", true },
		{ 7, 2, RECORD_TYPE_IMAGE, 255, KIND_API_VPI, "image", false },
		{ 0, 3, RECORD_TYPE_ARRAY, 256 + 2 * 128, KIND_API_VPI, "array",
		  false },
		{ 7, 4, 0, 256, KIND_API_CUDA, "buffer", false },
	};
	const size_t nr = sizeof(cases) / sizeof(cases[0]);
	const struct finding *one;
	struct finding_row row;
	size_t i;

	(void)state;
	stacks->tables.apis[0] = RECORD_API_CUDA | RECORD_API_NVSCI |
				 RECORD_API_VPI;
	stacks->tables.processes[0] = 7;
	stacks->tables.nr_processes = 1;
	for (i = 0; i < nr; i++) {
		struct heapsim_record r = {
			.kind = HEAPSIM_RECORD_MISSING_CLEAN,
			.missing = HEAPSIM_MISSING_END,
			.time_ns = 100 + i,
			.count = 1,
			.buf = cases[i].buf,
			.off = cases[i].off,
			.len = 1,
			.cpu = { .pid = 7, .ip = 0x2000, .time_ns = 100 },
			.name = { (char)('a' + i) },
		};

		if (cases[i].type)
			shape_add(cases[i].pid, cases[i].buf, cases[i].type);
		assert_int_equal(findings_add(findings, &r), 0);
	}
	assert_int_equal(findings_end(findings), 0);
	one = findings_first(findings);
	for (i = 0; i < nr; i++, one = one->next) {
		assert_non_null(one);
		assert_int_equal(one->api, cases[i].api);
		assert_string_equal(finding_holder(one), cases[i].holder);
		assert_int_equal(finding_row(one, &row), cases[i].has_row);
	}
	assert_true(finding_row(findings_first(findings), &row));
	assert_int_equal(row.plane, 0);
	assert_int_equal(row.row, 1);
	assert_int_equal(row.byte, 5);
	assert_int_equal(row.len, 100);
}

/* A record of the module has the number that libmem gave the kernel. */
static void a_record_of_the_module_has_its_kernel(void **state)
{
	struct heapsim_record record = {
		.kind = HEAPSIM_RECORD_CPU_WHILE_ACTIVE,
		.time_ns = 100,
		.count = 1,
		.kernel = 1ULL << STACKS_MODULE_SHIFT | 0x1234,
		.other = { .type = HEAPSIM_OTHER_ENGINE },
	};
	const struct finding *one;

	(void)state;
	strcpy(stacks->modules[0].path, "/no/such/module");
	assert_int_equal(findings_add(findings, &record), 0);
	assert_int_equal(findings_end(findings), 0);
	one = findings_first(findings);
	assert_int_equal(one->kernel.nr, 1);
	assert_int_equal(one->kernel.frames[0].address, 0x1234);
	assert_string_equal(one->kernel.frames[0].module, "/no/such/module");
}

/* This holds for every kind: a CUDA program cannot make other calls. */
static void advice_names_calls_that_the_program_can_make(void **state)
{
	uint32_t kind, missing;
	const char *fix;

	(void)state;
	for (kind = 0; kind < kind_end(); kind++)
		for (missing = 0; missing <= HEAPSIM_MISSING_COPY; missing++) {
			fix = kind_fix(kind, missing, KIND_API_CUDA);
			/* Jobs and pipes are of libmem alone. */
			if (fix && kind != RECORD_LEAKED_JOB &&
			    kind != MEM_VIOLATION_FRAME_USED_AFTER_RELEASE)
				assert_null(strstr(fix, "mem_"));
			fix = kind_fix(kind, missing, KIND_API_LIBMEM);
			if (fix)
				assert_null(strstr(fix, "cuda"));
			if (fix)
				assert_null(strstr(fix, "IOCTL"));
		}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_all, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_first_record_that_is_late_has_its_attaches),
		TEST(a_thread_that_runs_is_waited_for),
		TEST(a_stack_begins_where_the_program_calls),
		TEST(a_stack_begins_behind_the_headers_of_cuda),
		TEST(advice_is_of_the_calls_that_are_made),
		TEST(what_holds_a_buffer_has_its_place_and_its_calls),
		TEST(a_record_of_the_module_has_its_kernel),
		TEST(advice_names_calls_that_the_program_can_make),
	};

	return cmocka_run_group_tests_name("finding", tests, NULL, NULL);
}
