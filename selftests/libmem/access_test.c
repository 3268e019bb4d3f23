// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests which processor may access which memory, and whether it caches it:
 * Table 1 of NVIDIA's "CUDA for Tegra" application note, with a row for
 * registered memory (its section 3.2), on each board; with the module on the
 * board that it simulates. A cell is tested by an access of the CPU or by a
 * kernel of each engine.
 *
 * If the CPU caches memory, atomic instructions work. If a GPU does, the driver
 * counts cache maintenance. If neither does, each sees the other's stores at
 * once. No other processor can find out whether a GPU caches its device memory;
 * the test only checks that the driver does no maintenance.
 */
#include "stream.h"

#include <libmem/attrs.h>
#include <profile.h>

#define PAGE		4096UL
#define NR_ENGINES	(MEM_ENGINE_DGPU + 1)
#define GIB		(1ULL << 30)

/**
 * enum cell - an entry of the table
 * @NEVER: no access
 * @CACHED: access
 * @UNCACHED: access
 * @SNOOPED: cached where engines snoop, else uncached
 * @COHERENT: cached on a board that is coherent as a whole, else uncached
 * @PAGEABLE: as @CACHED if engines have pageable memory, else never
 */
enum cell {
	NEVER,
	CACHED,
	UNCACHED,
	SNOOPED,
	COHERENT,
	PAGEABLE,
};

/**
 * struct row - a kind of memory
 * @name: name for the test
 * @kind: enum mem_kind
 * @flags: flags of mem_alloc()
 * @told: name of the memory in the violation of an illegal access
 * @cpu: cell of the CPU
 * @igpu: cell of all engines of the SoC
 * @dgpu: cell of the discrete GPU
 */
struct row {
	const char *name;
	enum mem_kind kind;
	unsigned int flags;
	const char *told;
	enum cell cpu;
	enum cell igpu;
	enum cell dgpu;
};

static const struct row rows[] = {
	{ "device", MEM_KIND_DEVICE, 0, "device memory of the gpu",
	  NEVER, CACHED, NEVER },
	{ "discrete", MEM_KIND_DEVICE, MEM_DEVICE_DISCRETE,
	  "device memory of the dgpu", NEVER, NEVER, CACHED },
	{ "pageable", MEM_KIND_PAGEABLE, 0, "variable of the host",
	  CACHED, PAGEABLE, NEVER },
	{ "pinned", MEM_KIND_PINNED, 0, NULL, SNOOPED, UNCACHED, UNCACHED },
	{ "managed", MEM_KIND_MANAGED, MEM_ATTACH_GLOBAL, "managed memory",
	  CACHED, CACHED, NEVER },
	{ "registered", MEM_KIND_REGISTERED, 0, NULL,
	  CACHED, COHERENT, UNCACHED },
};

static const char *const engines[] = { "gpu", "pva", "vic", "dgpu" };

#define NR_ROWS		(sizeof(rows) / sizeof(rows[0]))
#define MAX_TESTS	128

/* Each cell has its own context, since an illegal access ends the context. */
static const struct profile *board;
static volatile uint32_t *host;
static uint32_t *device;

/* Pageable memory; unlike a heap, engines see it with any malloc(). */
static uint32_t variable;

static enum cell cell_of(enum cell cell)
{
	switch (cell) {
	case SNOOPED:
		return board->is_io_coherent ? CACHED : UNCACHED;
	case COHERENT:
		return board->is_fully_coherent ? CACHED : UNCACHED;
	case PAGEABLE:
		return board->has_pageable_access ? CACHED : NEVER;
	default:
		return cell;
	}
}

static bool has_engine(unsigned int engine)
{
	switch (engine) {
	case MEM_ENGINE_PVA:
		return board->has_pva;
	case MEM_ENGINE_VIC:
		return board->has_vic;
	case MEM_ENGINE_DGPU:
		return board->dgpu.capability;
	default:
		return true;
	}
}

static void open_board(uint32_t poison)
{
	struct mem_ctx_options options = {
		.size = sizeof(options),
		.policy = MEM_POLICY_STRICT,
		.poison = poison,
	};

	strcpy(options.soc, board->name);
	assert_int_equal(mem_ctx_open(&options, &ctx), 0);
	assert_int_equal(mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 100), 0);
	stream = mem_stream_legacy(ctx);
}

/* Memory that the board or the backend lacks is refused. */
static int take(const struct row *row)
{
	void *ptr;
	int err;

	switch (row->kind) {
	case MEM_KIND_PAGEABLE:
		host = &variable;
		device = &variable;
		return 0;
	case MEM_KIND_REGISTERED:
		ptr = aligned_alloc(PAGE, PAGE);
		assert_non_null(ptr);
		host = ptr;
		err = mem_register(ctx, ptr, PAGE, 0);
		if (err)
			free(ptr);
		else
			assert_int_equal(mem_device_ptr(ctx, ptr, &ptr), 0);
		device = ptr;
		return err;
	default:
		err = mem_alloc(ctx, row->kind, PAGE, row->flags, &ptr);
		host = ptr;
		device = ptr;
		return err;
	}
}

/* In a context with an error, these calls return that error. */
static void give(const struct row *row)
{
	switch (row->kind) {
	case MEM_KIND_PAGEABLE:
		break;
	case MEM_KIND_REGISTERED:
		mem_unregister(ctx, (void *)host);
		free((void *)host);
		break;
	default:
		mem_free(ctx, device);
		break;
	}
}

static bool is_there(const struct row *row)
{
	if (row->flags == MEM_DEVICE_DISCRETE && row->kind == MEM_KIND_DEVICE)
		return board->dgpu.capability;
	return row->kind != MEM_KIND_REGISTERED ||
	       (board->has_host_register && is_embedded());
}

static void cpu_touches(enum cell cell)
{
	if (cell == NEVER) {
		assert_int_equal(touch(host, false), SIGBUS);
		assert_int_equal(touch(host, true), SIGBUS);
		assert_int_equal(found(MEM_VIOLATION_CPU_ON_DEVICE), 2);
		return;
	}
	/* The first access reports this; the module sees no instructions. */
	__atomic_fetch_add(host, 1, __ATOMIC_SEQ_CST);
	assert_int_equal(found(MEM_VIOLATION_ATOMIC_ON_UNCACHED),
			 is_embedded() && cell == UNCACHED);
	assert_int_equal(touch(host, false), 0);
	assert_int_equal(touch(host, true), 0);
	nothing_found();
	assert_int_equal(*host, 1);
}

/* Kernels */

static void k_count(const struct mem_block *block, void *arg)
{
	uint32_t *word = *(uint32_t **)arg;

	(void)block;
	++*word;
}

/* Waits some seconds for the first word, and then sets the second. */
static void k_answer(const struct mem_block *block, void *arg)
{
	volatile uint32_t *words = *(uint32_t **)arg;
	uint64_t end = now_ns() + 5000 * NS_PER_MS;

	(void)block;
	words[2] = 1;
	while (words[0] != 7 && now_ns() < end)
		;
	words[1] = words[0];
}

static int start_on(unsigned int engine, mem_kernel kernel, uint32_t *word)
{
	struct mem_launch launch = launch_of(kernel, &word, sizeof(word));

	launch.engine = engine;
	return mem_launch(stream, &launch);
}

static void an_engine_is_refused(unsigned int engine, const struct row *row)
{
	struct mem_violation v = { .size = sizeof(v) };

	assert_int_equal(start_on(engine, k_count, device), 0);
	assert_int_equal(mem_stream_sync(stream), -EFAULT);
	assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
	assert_int_equal(v.kind, MEM_VIOLATION_ILLEGAL_ADDRESS);
	assert_int_equal(v.cpu_addr, (uintptr_t)device);
	assert_string_equal(v.name, row->told);
	assert_string_equal(v.other_name, engines[engine]);
	assert_int_equal(v.other_kernel, (uintptr_t)k_count);
	nothing_found();
}

static void wait_for(volatile uint32_t *word, uint32_t value)
{
	uint64_t end = now_ns() + 5000 * NS_PER_MS;

	while (*word != value && now_ns() < end)
		usleep(100);
	assert_int_equal(*word, value);
}

/* Stores must be visible while the kernel runs, without a wait. */
static void both_see_at_once(unsigned int engine)
{
	host[0] = 0;
	host[1] = 0;
	host[2] = 0;
	assert_int_equal(start_on(engine, k_answer, device), 0);
	wait_for(&host[2], 1);
	assert_int_equal(host[1], 0);
	host[0] = 7;
	wait_for(&host[1], 7);
	assert_int_equal(mem_stream_sync(stream), 0);
	nothing_found();
}

/* Checks the driver's maintenance for two jobs and a wait. */
static void check_maintenance(const struct row *row,
			      const struct mem_attach_counters *before)
{
	const struct mem_attach_counters now = counters(NULL);
	const bool is_managed = row->kind == MEM_KIND_MANAGED &&
				!board->has_concurrent_access;
	const bool has_lines = is_managed && !board->is_io_coherent;

	assert_int_equal(now.gpu_invalidates - before->gpu_invalidates,
			 is_managed ? 2 : 0);
	assert_int_equal(now.gpu_cleans - before->gpu_cleans, is_managed);
	assert_int_equal(now.cleans - before->cleans, has_lines ? 2 : 0);
	assert_int_equal(now.cpu_invalidates - before->cpu_invalidates,
			 has_lines);
}

static void an_engine_works(unsigned int engine, const struct row *row)
{
	struct mem_attach_counters before;
	uint32_t word = 40;

	assert_int_equal(mem_copy(stream, device, &word, sizeof(word),
				  MEM_DIR_DEFAULT), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	before = counters(NULL);
	assert_int_equal(start_on(engine, k_count, device), 0);
	assert_int_equal(start_on(engine, k_count, device), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	check_maintenance(row, &before);
	assert_int_equal(mem_copy(stream, &word, device, sizeof(word),
				  MEM_DIR_DEFAULT), 0);
	assert_int_equal(word, 42);
	nothing_found();
}

static void engine_touches(unsigned int engine, const struct row *row)
{
	const enum cell cell = cell_of(engine == MEM_ENGINE_DGPU ? row->dgpu :
								   row->igpu);

	if (!has_engine(engine)) {
		assert_int_equal(start_on(engine, k_count, device),
				 -EOPNOTSUPP);
		return;
	}
	if (cell == NEVER) {
		an_engine_is_refused(engine, row);
		return;
	}
	an_engine_works(engine, row);
	if (cell == UNCACHED)
		both_see_at_once(engine);
}

/**
 * struct of_table - a row on a board
 * @row: row
 * @board: board
 */
struct of_table {
	const struct row *row;
	const struct profile *board;
};

static void a_row_is_as_the_table_says(void **state)
{
	const struct of_table *of = *state;
	const struct row *row = of->row;
	unsigned int i;

	board = of->board;
	for (i = 0; i <= NR_ENGINES; i++) {
		open_board(0);
		if (!is_there(row)) {
			assert_int_equal(take(row), -EOPNOTSUPP);
			mem_ctx_close(ctx);
			return;
		}
		assert_int_equal(take(row), 0);
		if (i < NR_ENGINES)
			engine_touches(i, row);
		else
			cpu_touches(cell_of(row->cpu));
		give(row);
		mem_ctx_close(ctx);
	}
}

/* The discrete GPU's memory */

static int of_dgpu(void **state)
{
	board = *state;
	open_board(MEM_POISON_NONE);
	return 0;
}

static int close_board(void **state)
{
	return close_ctx(state);
}

static int take_len(unsigned int flags, uint64_t len, void **ptr)
{
	return mem_alloc(ctx, MEM_KIND_DEVICE, len, flags, ptr);
}

static bool machine_has(uint64_t len)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) >= len / PAGE;
}

/* The memory is never written, so it uses no memory of the machine. */
static void the_dgpus_memory_has_a_size_of_its_own(void **state)
{
	const uint64_t len = board->dgpu.len;
	void *of_soc, *of_dgpu, *ptr = UNTOUCHED;

	(void)state;
	/* The library does not allocate more than the machine has. */
	if (!machine_has(len + 2 * GIB))
		skip_because("the machine has less memory than the dGPU");
	assert_int_equal(take_len(MEM_DEVICE_DISCRETE, len + 1, &ptr), -ENOMEM);
	assert_int_equal(take_len(0, GIB, &of_soc), 0);
	assert_int_equal(take_len(MEM_DEVICE_DISCRETE, len, &of_dgpu), 0);
	assert_int_equal(take_len(MEM_DEVICE_DISCRETE, 1, &ptr), -ENOMEM);
	/* Free memory of the SoC does not count for the discrete GPU. */
	assert_int_equal(mem_free(ctx, of_soc), 0);
	assert_int_equal(take_len(MEM_DEVICE_DISCRETE, 1, &ptr), -ENOMEM);
	assert_ptr_equal(ptr, UNTOUCHED);
	assert_int_equal(take_len(0, GIB, &of_soc), 0);
	assert_int_equal(mem_free(ctx, of_dgpu), 0);
	assert_int_equal(take_len(MEM_DEVICE_DISCRETE, len, &of_dgpu), 0);
	assert_int_equal(mem_free(ctx, of_soc), 0);
	assert_int_equal(mem_free(ctx, of_dgpu), 0);
}

static void an_address_tells_whose_memory_it_is(void **state)
{
	struct mem_ptr_info info = { .size = sizeof(info) };
	void *of_soc, *of_dgpu;

	(void)state;
	assert_int_equal(take_len(0, PAGE, &of_soc), 0);
	assert_int_equal(take_len(MEM_DEVICE_DISCRETE, PAGE, &of_dgpu), 0);
	assert_int_equal(mem_ptr_info(ctx, of_soc, &info), 0);
	assert_int_equal(info.kind, MEM_KIND_DEVICE);
	assert_int_equal(info.flags, 0);
	assert_int_equal(mem_ptr_info(ctx, (char *)of_dgpu + 9, &info), 0);
	assert_int_equal(info.kind, MEM_KIND_DEVICE);
	assert_int_equal(info.flags, MEM_DEVICE_DISCRETE);
	assert_ptr_equal(info.base, of_dgpu);
	assert_ptr_equal(info.device, (char *)of_dgpu + 9);
	assert_null(info.host);
	assert_int_equal(mem_free(ctx, of_soc), 0);
	assert_int_equal(mem_free(ctx, of_dgpu), 0);
}

/* A result of one GPU is copied to the other's memory in stream order. */
static void two_gpus_pass_data_on_by_copies(void **state)
{
	void *of_soc, *of_dgpu;
	uint32_t word;

	(void)state;
	assert_int_equal(take_len(0, PAGE, &of_soc), 0);
	assert_int_equal(take_len(MEM_DEVICE_DISCRETE, PAGE, &of_dgpu), 0);
	assert_int_equal(mem_fill_async(stream, of_dgpu, 0, PAGE), 0);
	assert_int_equal(start_on(MEM_ENGINE_DGPU, k_count, of_dgpu), 0);
	assert_int_equal(mem_copy_async(stream, of_soc, of_dgpu, PAGE,
					MEM_DIR_DEVICE_TO_DEVICE), 0);
	assert_int_equal(start_on(MEM_ENGINE_GPU, k_count, of_soc), 0);
	assert_int_equal(mem_copy_async(stream, of_dgpu, of_soc, PAGE,
					MEM_DIR_DEVICE_TO_DEVICE), 0);
	assert_int_equal(start_on(MEM_ENGINE_DGPU, k_count, of_dgpu), 0);
	assert_int_equal(mem_copy(stream, &word, of_dgpu, sizeof(word),
				  MEM_DIR_DEVICE_TO_HOST), 0);
	assert_int_equal(word, 3);
	nothing_found();
	assert_int_equal(mem_free(ctx, of_soc), 0);
	assert_int_equal(mem_free(ctx, of_dgpu), 0);
}

/* Memory at a reused address is judged by its new kind. */
static void a_place_that_is_used_again_is_another(void **state)
{
	struct mem_violation v = { .size = sizeof(v) };
	void *ptr, *again;

	(void)state;
	assert_int_equal(take_len(MEM_DEVICE_DISCRETE, PAGE, &ptr), 0);
	assert_int_equal(start_on(MEM_ENGINE_DGPU, k_count, ptr), 0);
	assert_int_equal(mem_free(ctx, ptr), 0);
	assert_int_equal(take_len(0, PAGE, &again), 0);
	if (is_embedded())
		assert_ptr_equal(again, ptr);
	assert_int_equal(start_on(MEM_ENGINE_GPU, k_count, again), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_int_equal(start_on(MEM_ENGINE_DGPU, k_count, again), 0);
	assert_int_equal(mem_stream_sync(stream), -EFAULT);
	assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
	assert_string_equal(v.name, "device memory of the gpu");
	nothing_found();
	assert_int_equal(mem_free(ctx, again), 0);
}

/* The discrete GPU reads DRAM, as the SoC's engines do. */
static void the_dgpu_reads_a_heaps_buffer(void **state)
{
	struct mem_violation v = { .size = sizeof(v) };
	struct mem_buf *buf;
	void *addr;

	(void)state;
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, PAGE, NULL,
				       &buf), 0);
	assert_int_equal(mem_buf_map(buf, &addr), 0);
	assert_int_equal(mem_buf_begin(buf, MEM_RW), 0);
	*(uint32_t *)addr = 1;
	assert_int_equal(mem_buf_end(buf, MEM_RW), 0);
	assert_int_equal(start_on(MEM_ENGINE_DGPU, k_count, addr), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_int_equal(mem_buf_begin(buf, MEM_RW), 0);
	assert_int_equal(*(uint32_t *)addr, 2);
	nothing_found();
	*(uint32_t *)addr = 1;
	assert_int_equal(start_on(MEM_ENGINE_DGPU, k_count, addr), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
	assert_int_equal(v.kind, MEM_VIOLATION_MISSING_CLEAN);
	assert_string_equal(v.other_name, "dgpu");
	mem_buf_destroy(buf);
}

static int of_board(void **state)
{
	board = *state;
	open_board(0);
	return 0;
}

/* Checks the facts about the SoC, which are the same for each GPU. */
static void is_the_boards(const struct mem_board *told)
{
	assert_string_equal(told->name, board->name);
	assert_string_equal(told->description, board->description);
	assert_int_equal(told->nr_cpus, board->nr_cpus);
	assert_int_equal(told->cpu_mhz, board->cpu_mhz);
	assert_int_equal(told->line_size, board->line_size);
	assert_int_equal(told->is_io_coherent, board->is_io_coherent);
	assert_int_equal(told->is_fully_coherent, board->is_fully_coherent);
	assert_int_equal(told->has_host_register, board->has_host_register);
	assert_int_equal(told->has_concurrent_access,
			 board->has_concurrent_access);
	assert_int_equal(told->has_pageable_access, board->has_pageable_access);
	assert_int_equal(told->has_system_atomics, board->has_system_atomics);
	assert_int_equal(told->has_memory_ipc, board->has_memory_ipc);
	assert_int_equal(told->has_pva, board->has_pva);
	assert_int_equal(told->has_vic, board->has_vic);
	assert_int_equal(told->has_dgpu, board->dgpu.capability ? 1 : 0);
}

static void a_board_tells_its_facts(void **state)
{
	struct mem_board board_told = { .size = sizeof(board_told) };
	struct mem_board *told = &board_told;

	(void)state;
	memset(&told->is_discrete, 0xff,
	       sizeof(*told) - offsetof(struct mem_board, is_discrete));
	assert_int_equal(mem_ctx_board(ctx, MEM_ENGINE_GPU, told), 0);
	assert_int_equal(told->is_discrete, 0);
	assert_int_equal(told->capability, board->capability);
	assert_int_equal(told->nr_sms, board->nr_sms);
	assert_int_equal(told->cores_per_sm, board->cores_per_sm);
	assert_int_equal(told->gpu_mhz, board->gpu_mhz);
	assert_int_equal(told->gpu_l2_len, board->gpu_l2_len);
	assert_int_equal(told->bus_bits, board->dram_bus_bits);
	assert_int_equal(told->memory_mbps, board->dram_mbps);
	assert_int_equal(told->memory_len, board->dram_len);
	is_the_boards(told);
}

static void a_discrete_gpu_has_facts_of_its_own(void **state)
{
	struct mem_board told = { .size = sizeof(told) };

	(void)state;
	assert_int_equal(mem_ctx_board(ctx, MEM_ENGINE_DGPU, &told), 0);
	assert_int_equal(told.is_discrete, 1);
	assert_int_equal(told.capability, board->dgpu.capability);
	assert_int_equal(told.nr_sms, board->dgpu.nr_sms);
	assert_int_equal(told.cores_per_sm, board->dgpu.cores_per_sm);
	assert_int_equal(told.gpu_mhz, board->dgpu.mhz);
	assert_int_equal(told.gpu_l2_len, board->dgpu.l2_len);
	assert_int_equal(told.bus_bits, board->dgpu.bus_bits);
	assert_int_equal(told.memory_mbps, board->dgpu.mbps);
	assert_int_equal(told.memory_len, board->dgpu.len);
	is_the_boards(&told);
}

static void facts_of_what_is_no_gpu_are_refused(void **state)
{
	struct mem_board told = { .size = sizeof(told) - 1 };
	uint64_t left = 7, all = 7;

	(void)state;
	assert_int_equal(mem_ctx_board(ctx, MEM_ENGINE_GPU, &told), -EINVAL);
	told.size = sizeof(told);
	assert_int_equal(mem_ctx_board(NULL, MEM_ENGINE_GPU, &told), -EINVAL);
	assert_int_equal(mem_ctx_board(ctx, MEM_ENGINE_GPU, NULL), -EINVAL);
	assert_int_equal(mem_ctx_board(ctx, MEM_ENGINE_VIC, &told), -EINVAL);
	assert_int_equal(mem_ctx_board(ctx, NR_ENGINES, &told), -EINVAL);
	assert_int_equal(mem_ctx_memory(NULL, MEM_ENGINE_GPU, &left, &all),
			 -EINVAL);
	assert_int_equal(mem_ctx_memory(ctx, MEM_ENGINE_PVA, &left, &all),
			 -EINVAL);
	assert_int_equal(mem_ctx_memory(ctx, MEM_ENGINE_GPU, NULL, &all),
			 -EINVAL);
	assert_int_equal(mem_ctx_memory(ctx, MEM_ENGINE_GPU, &left, NULL),
			 -EINVAL);
	if (!board->dgpu.capability) {
		assert_int_equal(mem_ctx_board(ctx, MEM_ENGINE_DGPU, &told),
				 -EOPNOTSUPP);
		assert_int_equal(mem_ctx_memory(ctx, MEM_ENGINE_DGPU, &left,
						&all), -EOPNOTSUPP);
	}
	assert_int_equal(told.nr_cpus, 0);
	assert_int_equal(left, 7);
	assert_int_equal(all, 7);
}

/* A name-based UUID, which no other board's GPU has. */
static void a_gpu_has_an_id_of_its_own(void **state)
{
	static uint8_t before[MEM_GPU_ID_LEN];
	uint8_t id[MEM_GPU_ID_LEN], of_dgpu[MEM_GPU_ID_LEN];

	(void)state;
	assert_int_equal(mem_ctx_gpu_id(ctx, MEM_ENGINE_GPU, id), 0);
	assert_int_equal(id[6] >> 4, 8);
	assert_int_equal(id[8] >> 6, 2);
	assert_memory_not_equal(id, before, sizeof(id));
	memcpy(before, id, sizeof(id));
	memcpy(of_dgpu, id, sizeof(id));
	if (board->dgpu.capability) {
		assert_int_equal(mem_ctx_gpu_id(ctx, MEM_ENGINE_DGPU, of_dgpu),
				 0);
		assert_memory_not_equal(of_dgpu, id, sizeof(id));
	} else {
		assert_int_equal(mem_ctx_gpu_id(ctx, MEM_ENGINE_DGPU, of_dgpu),
				 -EOPNOTSUPP);
		assert_memory_equal(of_dgpu, id, sizeof(id));
	}
	assert_int_equal(mem_ctx_gpu_id(ctx, MEM_ENGINE_VIC, id), -EINVAL);
	assert_int_equal(mem_ctx_gpu_id(NULL, MEM_ENGINE_GPU, id), -EINVAL);
	assert_int_equal(mem_ctx_gpu_id(ctx, MEM_ENGINE_GPU, NULL), -EINVAL);
}

static uint64_t left_of(unsigned int engine, uint64_t len)
{
	uint64_t left, all;

	assert_int_equal(mem_ctx_memory(ctx, engine, &left, &all), 0);
	assert_int_equal(all, len);
	return left;
}

static void what_is_allocated_is_not_left(void **state)
{
	static const enum mem_kind kinds[] = {
		MEM_KIND_MANAGED, MEM_KIND_PINNED, MEM_KIND_DEVICE,
	};
	const uint64_t len = board->dram_len;
	const uint64_t left = left_of(MEM_ENGINE_GPU, len);
	uint64_t of_dgpu = 0;
	void *ptr[3], *more;
	size_t i;

	(void)state;
	if (board->dgpu.capability)
		of_dgpu = left_of(MEM_ENGINE_DGPU, board->dgpu.len);
	for (i = 0; i < 3; i++) {
		assert_int_equal(mem_alloc(ctx, kinds[i], PAGE + 1,
					   i ? 0 : MEM_ATTACH_GLOBAL, &ptr[i]),
				 0);
		assert_int_equal(left_of(MEM_ENGINE_GPU, len),
				 left - (i + 1) * (PAGE + 1));
	}
	assert_int_equal(mem_alloc(ctx, MEM_KIND_PINNED, left, 0, &more),
			 -ENOMEM);
	assert_int_equal(left_of(MEM_ENGINE_GPU, len), left - 3 * (PAGE + 1));
	if (board->dgpu.capability) {
		assert_int_equal(left_of(MEM_ENGINE_DGPU, board->dgpu.len),
				 of_dgpu);
		assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, 7,
					   MEM_DEVICE_DISCRETE, &more), 0);
		assert_int_equal(left_of(MEM_ENGINE_DGPU, board->dgpu.len),
				 of_dgpu - 7);
		assert_int_equal(mem_free(ctx, more), 0);
		assert_int_equal(left_of(MEM_ENGINE_DGPU, board->dgpu.len),
				 of_dgpu);
	}
	for (i = 0; i < 3; i++)
		assert_int_equal(mem_free(ctx, ptr[i]), 0);
	assert_int_equal(left_of(MEM_ENGINE_GPU, len), left);
}

static struct CMUnitTest tests[MAX_TESTS];
static struct of_table of_tables[MAX_TESTS];
static size_t nr_tests;

static void add_row(const struct row *row, const struct profile *on)
{
	char *name;

	if (nr_tests == MAX_TESTS ||
	    asprintf(&name, "%s_memory_on_%s", row->name, on->name) < 0)
		abort();
	of_tables[nr_tests] = (struct of_table) { row, on };
	tests[nr_tests] = (struct CMUnitTest) {
		.name = name,
		.test_func = a_row_is_as_the_table_says,
		.initial_state = &of_tables[nr_tests],
	};
	nr_tests++;
}

static void add_test(const struct CMUnitTest *test,
		     CMFixtureFunction setup, const struct profile *on)
{
	if (nr_tests == MAX_TESTS)
		abort();
	tests[nr_tests] = *test;
	tests[nr_tests].setup_func = setup;
	tests[nr_tests].teardown_func = close_board;
	tests[nr_tests++].initial_state = (void *)on;
}

static void add_board(const struct profile *on, bool embedded)
{
	static const struct CMUnitTest every[] = {
		cmocka_unit_test(a_board_tells_its_facts),
		cmocka_unit_test(facts_of_what_is_no_gpu_are_refused),
		cmocka_unit_test(a_gpu_has_an_id_of_its_own),
		cmocka_unit_test(what_is_allocated_is_not_left),
	};
	static const struct CMUnitTest own[] = {
		cmocka_unit_test(a_discrete_gpu_has_facts_of_its_own),
		cmocka_unit_test(an_address_tells_whose_memory_it_is),
		cmocka_unit_test(two_gpus_pass_data_on_by_copies),
		cmocka_unit_test(a_place_that_is_used_again_is_another),
		/*
		 * The module really allocates memory, and its kernels cannot
		 * use buffers of heaps.
		 */
		cmocka_unit_test(the_dgpus_memory_has_a_size_of_its_own),
		cmocka_unit_test(the_dgpu_reads_a_heaps_buffer),
	};
	const size_t nr_own = !on->dgpu.capability ? 0 : embedded ? 6 : 4;
	size_t i;

	for (i = 0; i < NR_ROWS; i++)
		add_row(&rows[i], on);
	for (i = 0; i < sizeof(every) / sizeof(*every); i++)
		add_test(&every[i], of_board, on);
	for (i = 0; i < nr_own; i++)
		add_test(&own[i], of_dgpu, on);
}

int main(void)
{
	struct mem_probe probe = { .size = sizeof(probe) };
	bool embedded;
	size_t i;

	if (mem_ctx_open(NULL, &ctx) || mem_ctx_probe(ctx, &probe))
		return 1;
	mem_ctx_close(ctx);
	embedded = probe.backend == MEM_BACKEND_EMBEDDED;
	for (i = 0; i < profile_count(); i++)
		if (embedded || !strcmp(probe.soc, profile_at(i)->name))
			add_board(profile_at(i), embedded);
	return _cmocka_run_group_tests("access", tests, nr_tests, NULL, NULL);
}
