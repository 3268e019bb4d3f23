// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests memory by its address, streams, events, host functions, kernels and
 * copies. LIBMEM_SOC or the module chooses the board; each test queries its
 * properties.
 */
#include "stream.h"

#include <inttypes.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Memory */

static void a_kernel_works_on_each_kind(void **state)
{
	uint32_t *from = memory(MEM_KIND_MANAGED);
	uint32_t *device = memory(MEM_KIND_DEVICE);
	uint32_t *to = memory(MEM_KIND_PINNED);

	(void)state;
	set_all(from, VALUE);
	start_add(stream, device, from, 1);
	start_add(stream, to, device, 1);
	start_add(stream, from, from, 7);
	sync_stream();
	all_are(to, VALUE + 2);
	all_are(from, VALUE + 7);
	nothing_found();
	release(from);
	release(device);
	release(to);
}

static void new_memory_is_poisoned_but_pinned(void **state)
{
	uint32_t *ptr = memory(MEM_KIND_MANAGED);
	uint32_t *device = memory(MEM_KIND_DEVICE);
	uint32_t *pinned = memory(MEM_KIND_PINNED);
	uint32_t word;

	(void)state;
	all_are(ptr, 0xa5a5a5a5U);
	all_are(pinned, 0);
	assert_int_equal(mem_copy(stream, &word, device, sizeof(word),
				  MEM_DIR_DEVICE_TO_HOST), 0);
	assert_int_equal(word, 0xa5a5a5a5U);
	release(ptr);
	release(device);
	release(pinned);
}

static void alloc_says_what_is_wrong(void **state)
{
	void *ptr = UNTOUCHED;
	uint64_t pitch;

	(void)state;
	assert_int_equal(mem_alloc(NULL, MEM_KIND_DEVICE, LEN, 0, &ptr),
			 -EINVAL);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, LEN, 0, NULL),
			 -EINVAL);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, 0, 0, &ptr), -EINVAL);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, LEN, 2, &ptr),
			 -EINVAL);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, LEN, 0, &ptr),
			 -EINVAL);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, LEN,
				   MEM_ATTACH_SINGLE, &ptr), -EINVAL);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, LEN,
				   MEM_ATTACH_GLOBAL | MEM_ATTACH_HOST, &ptr),
			 -EINVAL);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_PINNED, LEN, 8, &ptr),
			 -EINVAL);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_COHERENT, LEN, 0, &ptr),
			 -EINVAL);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, 1ULL << 40, 0, &ptr),
			 -ENOMEM);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, UINT64_MAX, 0, &ptr),
			 -EINVAL);
	assert_int_equal(mem_alloc_pitch(ctx, UINT64_MAX, 2, &pitch, &ptr),
			 -EINVAL);
	assert_int_equal(mem_alloc_pitch(ctx, 100, 0, &pitch, &ptr), -EINVAL);
	assert_ptr_equal(ptr, UNTOUCHED);
}

/* Programs on the board need no descriptors for this, either. */
static void memory_needs_none_of_the_programs_descriptors(void **state)
{
	uint32_t *ptrs[300];
	const size_t nr = sizeof(ptrs) / sizeof(ptrs[0]);
	struct rlimit old, few;
	size_t i;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	few = old;
	few.rlim_cur = 256;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	for (i = 0; i < nr; i++) {
		ptrs[i] = memory(MEM_KIND_PINNED);
		ptrs[i][0] = (uint32_t)i;
	}
	for (i = 0; i < nr; i++)
		assert_int_equal(ptrs[i][0], i);
	for (i = 0; i < nr; i++)
		release(ptrs[i]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

static void free_says_what_is_wrong(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct mem_ctx *other;
	int local;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_free(NULL, ptr), -EINVAL);
	assert_int_equal(mem_free(ctx, NULL), 0);
	assert_int_equal(mem_free(ctx, &local), -EINVAL);
	assert_int_equal(mem_free(ctx, ptr + 1), -EINVAL);
	assert_int_equal(mem_free(other, ptr), -EXDEV);
	release(ptr);
	assert_int_equal(mem_free(ctx, ptr), -EINVAL);
	mem_ctx_close(other);
}

static void free_waits_for_work(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *other = memory(MEM_KIND_PINNED);

	(void)state;
	set_all(ptr, 3);
	start_add(stream, other, ptr, 1);
	release(ptr);
	all_are(other, 4);
	release(other);
	nothing_found();
}

static void an_address_tells_what_it_is(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	uint32_t *device = memory(MEM_KIND_DEVICE);
	uint32_t *pinned = memory(MEM_KIND_PINNED);
	struct mem_ptr_info info;
	int local;

	(void)state;
	assert_int_equal(mem_set_name(ctx, ptr + 5, "frame"), 0);
	info = ptr_info_of(ptr + 5);
	assert_int_equal(info.kind, MEM_KIND_MANAGED);
	assert_ptr_equal(info.base, ptr);
	assert_int_equal(info.len, LEN);
	assert_ptr_equal(info.host, ptr + 5);
	assert_ptr_equal(info.device, ptr + 5);
	assert_int_equal(info.attach, MEM_ATTACH_HOST);
	assert_true(info.is_own);
	assert_string_equal(info.name, "frame");
	info = ptr_info_of(device + 1);
	assert_int_equal(info.kind, MEM_KIND_DEVICE);
	assert_null(info.host);
	assert_ptr_equal(info.device, device + 1);
	assert_int_equal(ptr_info_of(pinned).kind, MEM_KIND_PINNED);
	info = ptr_info_of(&local);
	assert_int_equal(info.kind, MEM_KIND_PAGEABLE);
	assert_null(info.device);
	assert_ptr_equal(info.host, &local);
	assert_int_equal(ptr_info_of(NULL).kind, MEM_KIND_PAGEABLE);
	release(ptr);
	assert_int_equal(ptr_info_of(ptr).kind, MEM_KIND_PAGEABLE);
	release(device);
	release(pinned);
}

static void registered_memory_has_two_addresses(void **state)
{
	uint32_t *host = aligned_alloc(4096, LEN);
	uint32_t *to = memory(MEM_KIND_PINNED);
	void *device;
	int err;

	(void)state;
	set_all(host, 21);
	err = mem_register(ctx, host, LEN, 0);
	if (!is_coherent()) {
		assert_int_equal(err, -EOPNOTSUPP);
		release(to);
		free(host);
		return;
	}
	if (err == -EOPNOTSUPP) {
		/* A generic board does not support this call. */
		release(to);
		free(host);
		return;
	}
	assert_int_equal(err, 0);
	all_are(host, 21);
	assert_int_equal(mem_register(ctx, host + 1, 4, 0), -EEXIST);
	assert_int_equal(mem_device_ptr(ctx, host + 3, &device), 0);
	assert_int_equal(ptr_info_of(host + 3).kind, MEM_KIND_REGISTERED);
	assert_ptr_equal(ptr_info_of(host + 3).device, device);
	assert_ptr_equal(ptr_info_of(device).host, host + 3);
	start_add(stream, to, (uint32_t *)device - 3, 1);
	start_add(stream, (uint32_t *)device - 3, (uint32_t *)device - 3, 2);
	sync_stream();
	all_are(to, 22);
	all_are(host, 23);
	assert_int_equal(mem_free(ctx, device), -EINVAL);
	assert_int_equal(mem_unregister(ctx, host + 1), -ENOENT);
	assert_int_equal(mem_unregister(ctx, host), 0);
	assert_int_equal(mem_unregister(ctx, host), -ENOENT);
	all_are(host, 23);
	release(to);
	free(host);
}

static uint8_t *pages_of(int prot, int flags)
{
	void *pages = mmap(NULL, LEN, prot, flags | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(pages, MAP_FAILED);
	return pages;
}

static void only_memory_of_its_own_is_registered(void **state)
{
	uint8_t *own = pages_of(PROT_READ | PROT_WRITE, MAP_PRIVATE);
	uint8_t *shared = pages_of(PROT_READ | PROT_WRITE, MAP_SHARED);
	uint8_t *constant = pages_of(PROT_READ, MAP_PRIVATE);
	uint8_t *hidden = pages_of(PROT_NONE, MAP_PRIVATE);
	int err = mem_register(ctx, own, LEN, 0);

	(void)state;
	if (err != -EOPNOTSUPP) {
		assert_int_equal(err, 0);
		assert_int_equal(mem_unregister(ctx, own), 0);
		assert_int_equal(mem_register(ctx, shared, LEN, 0), -EINVAL);
		assert_int_equal(mem_register(ctx, constant, 1, 0), -EINVAL);
		assert_int_equal(mem_register(ctx, hidden, 1, 0), -EINVAL);
		/* The stack frame of the caller can be registered. */
		assert_int_equal(mem_register(ctx, &own, sizeof(own), 0), 0);
		assert_int_equal(mem_unregister(ctx, &own), 0);
		/* A page can be registered once. */
		assert_int_equal(mem_register(ctx, own + 8, 8, 0), 0);
		assert_int_equal(mem_register(ctx, own + 32, 8, 0), -EEXIST);
		assert_int_equal(mem_register(ctx, own, LEN, 0), -EEXIST);
		assert_int_equal(ptr_info_of(own + 32).kind, MEM_KIND_PAGEABLE);
		assert_int_equal(mem_unregister(ctx, own + 8), 0);
		/* One page of the range cannot be read. */
		mprotect(own + LEN / 2, 1, PROT_NONE);
		assert_int_equal(mem_register(ctx, own, LEN, 0), -EINVAL);
		assert_int_equal(mem_register(ctx, own, LEN / 2, 0), 0);
		assert_int_equal(mem_unregister(ctx, own), 0);
		munmap(own + LEN / 2, LEN / 2);
		assert_int_equal(mem_register(ctx, own, LEN, 0), -EINVAL);
		assert_int_equal(ptr_info_of(own).kind, MEM_KIND_PAGEABLE);
	}
	munmap(own, LEN);
	munmap(shared, LEN);
	munmap(constant, LEN);
	munmap(hidden, LEN);
}

/* The pages may also have blocks that libmem allocated. */
static void registered_pages_may_be_the_heaps(void **state)
{
	(void)state;
	for (size_t len = 24; len < LEN; len += len / 2) {
		uint8_t *small = malloc(len);
		int err = mem_register(ctx, small, len, 0);

		if (err != -EOPNOTSUPP) {
			assert_int_equal(err, 0);
			memset(small, 5, len);
			assert_int_equal(mem_unregister(ctx, small), 0);
			assert_int_equal(small[len - 1], 5);
		}
		free(small);
	}
}

/* Permitted accesses */

static void the_cpu_is_refused_while_a_kernel_runs(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct gate gate;

	(void)state;
	set_all(ptr, 1);
	gate = hold_up(stream);
	is_refused(ptr);
	let_go(gate);
	sync_stream();
	is_allowed(ptr);
	release(ptr);
	release(gate.word);
}

static void a_touch_is_reported_with_the_buffers_user(void **state)
{
	struct mem_violation v = { .size = sizeof(v) };
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct gate gate;

	(void)state;
	assert_int_equal(mem_set_name(ctx, ptr, "frame"), 0);
	gate = hold_up(stream);
	touch(ptr + 5, true);
	if (!is_concurrent()) {
		assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
		assert_int_equal(v.kind, MEM_VIOLATION_CPU_WHILE_ACTIVE);
		assert_int_equal(v.missing, MEM_MISSING_SYNC);
		assert_int_equal(v.off, 5 * sizeof(*ptr));
		assert_true(v.is_write);
		assert_string_equal(v.name, "frame");
		assert_int_equal(v.attach, MEM_ATTACH_GLOBAL);
		assert_int_equal(v.other, MEM_OTHER_ENGINE);
		assert_string_equal(v.other_name, "gpu");
		assert_int_equal(v.other_stream, mem_stream_id(stream));
		assert_int_equal(v.other_kernel, (uintptr_t)k_wait_for);
	}
	nothing_found();
	let_go(gate);
	sync_stream();
	release(ptr);
	release(gate.word);
}

static void k_signal(const struct mem_block *block, void *arg)
{
	(void)block;
	__atomic_store_n(*(uint32_t **)arg, 1, __ATOMIC_RELEASE);
}

/* The record names the last kernel not waited for, finished or not. */
static void a_touch_is_reported_with_the_newest_kernel(uint32_t *ptr)
{
	struct mem_violation v = { .size = sizeof(v) };

	touch(ptr, false);
	if (is_concurrent())
		return;
	assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
	assert_int_equal(v.kind, MEM_VIOLATION_CPU_WHILE_ACTIVE);
	assert_int_equal(v.other, MEM_OTHER_ENGINE);
	assert_string_equal(v.other_name, "gpu");
	assert_int_equal(v.other_stream, mem_stream_id(stream));
	assert_int_equal(v.other_kernel, (uintptr_t)k_signal);
	assert_true(v.other_job > 0);
	nothing_found();
}

static void having_finished_is_not_enough(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *flag = memory(MEM_KIND_PINNED);
	uint64_t end = now_ns() + 5000 * NS_PER_MS;

	(void)state;
	*flag = 0;
	start(stream, k_signal, &flag, sizeof(flag));
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE) && now_ns() < end)
		usleep(1000);
	is_refused(ptr);
	/* The kernel ends after the flag is set; a query would be a wait. */
	usleep(100000);
	a_touch_is_reported_with_the_newest_kernel(ptr);
	sync_stream();
	is_allowed(ptr);
	release(ptr);
	release(flag);
}

static void a_query_that_succeeds_is_a_wait(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct gate gate = hold_up(stream);

	(void)state;
	assert_int_equal(mem_stream_query(stream), -EBUSY);
	is_refused(ptr);
	let_go(gate);
	while (mem_stream_query(stream) == -EBUSY)
		usleep(100);
	is_allowed(ptr);
	release(ptr);
	release(gate.word);
}

static void host_memory_is_always_the_cpus(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	struct gate gate = hold_up(stream);

	(void)state;
	is_allowed(ptr);
	let_go(gate);
	sync_stream();
	release(ptr);
	release(gate.word);
}

static void single_memory_needs_its_own_stream_idle(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	struct mem_stream *other;
	struct gate gate;

	(void)state;
	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &other), 0);
	assert_int_equal(mem_stream_attach(other, ptr, 0, MEM_ATTACH_SINGLE),
			 0);
	assert_int_equal(mem_stream_sync(other), 0);
	gate = hold_up(stream);
	is_allowed(ptr);
	start_add(other, ptr, ptr, 1);
	is_refused(ptr);
	/* Both use one engine; a stream is active until it is waited for. */
	let_go(gate);
	assert_int_equal(mem_stream_sync(other), 0);
	is_allowed(ptr);
	sync_stream();
	assert_int_equal(mem_stream_destroy(other), 0);
	assert_int_equal(ptr_info_of(ptr).attach, MEM_ATTACH_HOST);
	release(ptr);
	release(gate.word);
}

static void a_kernel_on_another_stream_is_found(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	uint32_t *to = memory(MEM_KIND_PINNED);

	(void)state;
	set_all(ptr, 5);
	start_add(stream, to, ptr, 1);
	sync_stream();
	assert_int_equal(found(MEM_VIOLATION_ENGINE_NOT_ATTACHED),
			 is_concurrent() || !has_processes ? 0 : 1);
	release(ptr);
	release(to);
}

/* The discrete GPU of a DRIVE PX 2 has no managed memory. */
static void each_engine_obeys_the_attach_state(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	uint32_t *to = memory(MEM_KIND_PINNED);
	const struct args args = { to, ptr, N - 1, 1 };
	uint32_t engine;

	(void)state;
	set_all(ptr, 5);
	for (engine = MEM_ENGINE_GPU; engine < MEM_ENGINE_DGPU; engine++) {
		struct mem_launch launch = launch_of(k_add, &args,
						     sizeof(args));

		launch.engine = engine;
		if (mem_launch(stream, &launch) == -EOPNOTSUPP)
			continue;
		sync_stream();
		assert_int_equal(found(MEM_VIOLATION_ENGINE_NOT_ATTACHED),
				 is_concurrent() || !has_processes ? 0 : 1);
		assert_int_equal(mem_stream_attach(stream, ptr, 0,
						   MEM_ATTACH_SINGLE), 0);
		assert_int_equal(mem_launch(stream, &launch), 0);
		/* If kernels run in this process, their access hides this. */
		if (has_processes)
			is_refused(ptr + N - 1);
		sync_stream();
		assert_int_equal(mem_stream_attach(stream, ptr, 0,
						   MEM_ATTACH_HOST), 0);
		sync_stream();
		is_allowed(ptr + N - 1);
		assert_int_equal(to[0], 6);
		assert_int_equal(to[N - 2], 6);
		to[0] = 0;
	}
	release(ptr);
	release(to);
}

static void attach_says_what_is_wrong(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *pinned = memory(MEM_KIND_PINNED);
	struct mem_ctx *other;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_stream_attach(NULL, ptr, 0, MEM_ATTACH_HOST),
			 -EINVAL);
	assert_int_equal(mem_stream_attach(stream, NULL, 0, MEM_ATTACH_HOST),
			 -EINVAL);
	assert_int_equal(mem_stream_attach(stream, ptr + 1, 0,
					   MEM_ATTACH_HOST), -EINVAL);
	assert_int_equal(mem_stream_attach(stream, ptr, LEN / 2,
					   MEM_ATTACH_HOST), -EINVAL);
	assert_int_equal(mem_stream_attach(stream, ptr, LEN, 3), -EINVAL);
	assert_int_equal(mem_stream_attach(stream, pinned, 0,
					   MEM_ATTACH_HOST), -EINVAL);
	assert_int_equal(mem_stream_attach(mem_stream_legacy(other), ptr, 0,
					   MEM_ATTACH_HOST), -EXDEV);
	assert_int_equal(mem_stream_attach(stream, ptr, LEN, MEM_ATTACH_HOST),
			 0);
	sync_stream();
	release(ptr);
	release(pinned);
	mem_ctx_close(other);
}

static void device_memory_is_not_the_cpus(void **state)
{
	uint32_t *ptr = memory(MEM_KIND_DEVICE);

	(void)state;
	assert_int_equal(touch(ptr, false), SIGBUS);
	assert_int_equal(touch(ptr, true), SIGBUS);
	assert_int_equal(found(MEM_VIOLATION_CPU_ON_DEVICE), 2);
	release(ptr);
}

static void k_atomic(const struct mem_block *block, void *arg)
{
	(void)block;
	__atomic_fetch_add(*(uint32_t **)arg, 1, __ATOMIC_SEQ_CST);
}

static void atomics_on_pinned_memory_are_found(void **state)
{
	uint32_t *ptr = memory(MEM_KIND_PINNED);
	uint32_t *other = memory(MEM_KIND_MANAGED);
	/* The module sees no instructions. */
	const uint64_t nr = is_coherent() || !is_embedded() ? 0 : 1;

	(void)state;
	start(stream, k_atomic, &other, sizeof(other));
	sync_stream();
	nothing_found();
	start(stream, k_atomic, &ptr, sizeof(ptr));
	sync_stream();
	assert_int_equal(found(MEM_VIOLATION_ATOMIC_ON_UNCACHED), nr);
	start_add(stream, ptr, ptr, 1);
	sync_stream();
	nothing_found();
	__atomic_fetch_add(ptr, 1, __ATOMIC_SEQ_CST);
	/* If it ran in this process, the kernel's access was the first. */
	assert_int_equal(found(MEM_VIOLATION_ATOMIC_ON_UNCACHED),
			 has_processes ? nr : 0);
	assert_int_equal(ptr[0], 3);
	release(ptr);
	release(other);
}

static uint64_t nr_refused(const void *ptr)
{
	return counters(ptr).cpu_while_active;
}

/*
 * A system call that stores once counts once, as an instruction does. After a
 * failure of a long copy, some kernels retry byte by byte.
 */
static void a_system_call_is_refused_too(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct gate gate;
	int fd = open("/dev/zero", O_RDONLY), pipe_fds[2];
	uint64_t nr;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(read(fd, ptr, LEN), LEN);
	all_are(ptr, 0);
	gate = hold_up(stream);
	if (!is_concurrent()) {
		assert_int_equal(read(fd, ptr, LEN), -1);
		assert_int_equal(errno, EFAULT);
		nr = nr_refused(ptr);
		assert_in_range(nr, 1, 2);
		assert_int_equal(found(MEM_VIOLATION_CPU_WHILE_ACTIVE), nr);
		assert_int_equal(ioctl(pipe_fds[0], FIONREAD, ptr), -1);
		assert_int_equal(errno, EFAULT);
		assert_int_equal(nr_refused(ptr), nr + 1);
		assert_int_equal(found(MEM_VIOLATION_CPU_WHILE_ACTIVE), 1);
	}
	let_go(gate);
	sync_stream();
	assert_int_equal(read(fd, ptr, LEN), LEN);
	assert_int_equal(write(pipe_fds[1], "abc", 3), 3);
	assert_int_equal(ioctl(pipe_fds[0], FIONREAD, ptr), 0);
	assert_int_equal(ptr[0], 3);
	nothing_found();
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	close(fd);
	release(ptr);
	release(gate.word);
}

static void record_refuses_nothing(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *device = memory(MEM_KIND_DEVICE);
	struct gate gate;

	(void)state;
	assert_int_equal(touch(device, true), 0);
	assert_int_equal(found(MEM_VIOLATION_CPU_ON_DEVICE), 1);
	gate = hold_up(stream);
	assert_int_equal(touch(ptr, false), 0);
	assert_int_equal(found(MEM_VIOLATION_CPU_WHILE_ACTIVE),
			 is_concurrent() ? 0 : 1);
	let_go(gate);
	sync_stream();
	release(ptr);
	release(device);
	release(gate.word);
}

/* Touches at the same instruction, wherever it is called. */
static int __attribute__((noinline)) touch_here(uint32_t *word)
{
	return touch(word, false);
}

/* Between two mistakes of one instruction it may touch the memory. */
static void a_right_between_two_touches_makes_them_two(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	const unsigned int nr = is_concurrent() ? 0 : 1;
	struct mem_stream *other;
	struct gate gate;

	(void)state;
	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &other), 0);
	gate = hold_up(stream);
	assert_int_equal(touch_here(ptr), 0);
	assert_int_equal(nr_refused(ptr), nr);
	assert_int_equal(mem_stream_attach(other, ptr, 0, MEM_ATTACH_HOST), 0);
	assert_int_equal(mem_stream_sync(other), 0);
	assert_int_equal(touch_here(ptr), 0);
	assert_int_equal(nr_refused(ptr), nr);
	/* It is in no group until the stream has reached the attach. */
	assert_int_equal(mem_stream_attach(stream, ptr, 0, MEM_ATTACH_SINGLE),
			 0);
	assert_int_equal(touch_here(ptr), 0);
	assert_int_equal(nr_refused(ptr), 2 * nr);
	let_go(gate);
	sync_stream();
	assert_int_equal(mem_stream_destroy(other), 0);
	found(MEM_VIOLATION_CPU_WHILE_ACTIVE);
	release(ptr);
	release(gate.word);
}

static int open_off(void **state)
{
	(void)state;
	return open_with(MEM_POLICY_OFF);
}

/* Returns true if the policy is always off, as under valgrind. */
static bool is_always_off(void)
{
	struct mem_probe probe = { .size = sizeof(probe) };
	bool ret;

	if (open_with(MEM_POLICY_STRICT) || mem_ctx_probe(ctx, &probe))
		exit(1);
	ret = probe.policy == MEM_POLICY_OFF;
	close_all(NULL);
	return ret;
}

static void off_looks_at_nothing(void **state)
{
	struct mem_probe probe = { .size = sizeof(probe) };
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *device = memory(MEM_KIND_DEVICE);
	struct gate gate;

	(void)state;
	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	assert_int_equal(probe.policy, MEM_POLICY_OFF);
	assert_int_equal(touch(device, true), 0);
	gate = hold_up(stream);
	assert_int_equal(touch(ptr, true), 0);
	let_go(gate);
	sync_stream();
	/* There is one view, so nothing is stale. */
	start_add(stream, ptr, ptr, 1);
	sync_stream();
	assert_int_equal(ptr[0], 2);
	/* System calls that libmem does not intercept succeed, too. */
	start_add(stream, ptr, ptr, 1);
	sync_stream();
	assert_int_equal(syscall(SYS_getrandom, ptr, sizeof(*ptr), 0),
			 sizeof(*ptr));
	nothing_found();
	release(ptr);
	release(device);
	release(gate.word);
}

/* Streams */

static void work_of_a_stream_is_in_order(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	int i;

	(void)state;
	set_all(ptr, 0);
	for (i = 0; i < 50; i++)
		start_add(stream, ptr, ptr, 1);
	assert_int_equal(mem_fill_async(stream, ptr, 0, LEN), 0);
	for (i = 0; i < 50; i++)
		start_add(stream, ptr, ptr, 2);
	sync_stream();
	all_are(ptr, 100);
	nothing_found();
	release(ptr);
}

struct note {
	atomic_int *clock;
	int time;
};

static void take_note(void *arg)
{
	struct note *note = arg;

	note->time = ++*note->clock;
}

static void blocking_streams_wait_for_the_legacy_one(void **state)
{
	struct mem_stream *legacy = mem_stream_legacy(ctx), *a, *b;
	atomic_int clock = 0;
	struct note notes[3] = { { &clock, 0 }, { &clock, 0 }, { &clock, 0 } };
	struct gate gate;

	(void)state;
	assert_int_equal(mem_stream_create(ctx, 0, 0, &a), 0);
	assert_int_equal(mem_stream_create(ctx, 0, 0, &b), 0);
	gate = hold_up(a);
	assert_int_equal(mem_stream_call(legacy, take_note, &notes[0]), 0);
	assert_int_equal(mem_stream_call(b, take_note, &notes[1]), 0);
	/* A non-blocking stream is not ordered with them. */
	assert_int_equal(mem_stream_call(stream, take_note, &notes[2]), 0);
	sync_stream();
	assert_int_equal(notes[2].time, 1);
	assert_int_equal(mem_stream_query(b), -EBUSY);
	assert_int_equal(mem_stream_query(legacy), -EBUSY);
	let_go(gate);
	assert_int_equal(mem_stream_sync(b), 0);
	assert_int_equal(notes[0].time, 2);
	assert_int_equal(notes[1].time, 3);
	assert_int_equal(mem_stream_destroy(a), 0);
	assert_int_equal(mem_stream_destroy(b), 0);
	release(gate.word);
}

static void an_event_can_be_copied(void **state)
{
	struct mem_event *event, *copy, *never;
	struct gate gate = hold_up(stream);

	(void)state;
	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	assert_int_equal(mem_event_create(ctx, 0, &copy), 0);
	assert_int_equal(mem_event_create(ctx, 0, &never), 0);
	assert_int_equal(mem_event_record(event, stream), 0);
	assert_int_equal(mem_event_copy(copy, event), 0);
	/* Neither a new record nor the end of the first one changes it. */
	assert_int_equal(mem_event_record(event, mem_stream_legacy(ctx)), 0);
	mem_event_destroy(event);
	assert_int_equal(mem_event_query(copy), -EBUSY);
	assert_int_equal(mem_event_copy(copy, copy), 0);
	assert_int_equal(mem_event_query(copy), -EBUSY);
	let_go(gate);
	assert_int_equal(mem_event_sync(copy), 0);
	release(gate.word);
	gate = hold_up(stream);
	assert_int_equal(mem_event_record(copy, stream), 0);
	assert_int_equal(mem_event_copy(copy, never), 0);
	assert_int_equal(mem_event_query(copy), 0);
	let_go(gate);
	assert_int_equal(mem_stream_sync(stream), 0);
	release(gate.word);
	mem_event_destroy(copy);
	mem_event_destroy(never);
}

static void an_event_orders_two_streams(void **state)
{
	struct mem_stream *other;
	atomic_int clock = 0;
	struct note notes[2] = { { &clock, 0 }, { &clock, 0 } };
	struct mem_event *event;
	struct gate gate;

	(void)state;
	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &other), 0);
	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	assert_int_equal(mem_event_query(event), 0);
	assert_int_equal(mem_stream_wait_event(other, event), 0);
	gate = hold_up(stream);
	assert_int_equal(mem_stream_call(stream, take_note, &notes[0]), 0);
	assert_int_equal(mem_event_record(event, stream), 0);
	assert_int_equal(mem_stream_wait_event(other, event), 0);
	assert_int_equal(mem_stream_call(other, take_note, &notes[1]), 0);
	mem_event_destroy(event);
	assert_int_equal(mem_stream_query(other), -EBUSY);
	let_go(gate);
	assert_int_equal(mem_stream_sync(other), 0);
	assert_int_equal(notes[0].time, 1);
	assert_int_equal(notes[1].time, 2);
	assert_int_equal(mem_stream_destroy(other), 0);
	release(gate.word);
}

static void events_tell_the_time(void **state)
{
	struct mem_event *first, *last, *untimed;
	struct mem_ctx *other;
	struct mem_event *strange;
	struct gate gate;
	int64_t ns = 77;

	(void)state;
	assert_int_equal(mem_event_create(ctx, 0, &first), 0);
	assert_int_equal(mem_event_create(ctx, MEM_EVENT_BLOCKING, &last), 0);
	assert_int_equal(mem_event_create(ctx, MEM_EVENT_NO_TIMING, &untimed),
			 0);
	assert_int_equal(mem_event_create(ctx, 4, &untimed), -EINVAL);
	assert_int_equal(mem_event_elapsed(first, last, &ns), -EINVAL);
	assert_int_equal(mem_event_record(first, stream), 0);
	assert_int_equal(mem_event_record(untimed, stream), 0);
	gate = hold_up(stream);
	assert_int_equal(mem_event_record(last, stream), 0);
	assert_int_equal(mem_event_elapsed(first, last, &ns), -EBUSY);
	assert_int_equal(mem_event_query(last), -EBUSY);
	usleep(3000);
	let_go(gate);
	assert_int_equal(mem_event_sync(last), 0);
	assert_int_equal(mem_event_elapsed(first, untimed, &ns), -EINVAL);
	assert_int_equal(ns, 77);
	assert_int_equal(mem_event_elapsed(first, last, &ns), 0);
	assert_true(ns >= (int64_t)(3 * NS_PER_MS));
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_event_create(other, 0, &strange), 0);
	assert_int_equal(mem_event_elapsed(first, strange, &ns), -EXDEV);
	assert_int_equal(mem_event_record(strange, stream), -EXDEV);
	assert_int_equal(mem_stream_wait_event(stream, strange), -EXDEV);
	mem_event_destroy(strange);
	mem_ctx_close(other);
	mem_event_destroy(first);
	mem_event_destroy(last);
	mem_event_destroy(untimed);
	mem_event_destroy(NULL);
	release(gate.word);
}

static int answer_in_call;

static void call_inside(void *arg)
{
	(void)arg;
	answer_in_call = mem_stream_sync(stream);
}

static void a_host_function_may_not_call(void **state)
{
	(void)state;
	answer_in_call = 0;
	assert_int_equal(mem_stream_call(stream, call_inside, NULL), 0);
	sync_stream();
	assert_int_equal(answer_in_call, -EPERM);
}

static void touch_inside(void *arg)
{
	*(uint32_t *)arg = VALUE;
}

static void a_host_function_may_touch(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);

	(void)state;
	set_all(ptr, 1);
	start_add(stream, ptr, ptr, 1);
	assert_int_equal(mem_stream_call(stream, touch_inside, ptr), 0);
	start_add(stream, ptr, ptr, 1);
	sync_stream();
	assert_int_equal(ptr[0], VALUE + 1);
	assert_int_equal(ptr[1], 3);
	nothing_found();
	release(ptr);
}

/* Records the order of jobs: each takes the next place. */
struct queue {
	uint32_t nr;
	uint32_t who[8];
};

struct turn {
	struct queue *queue;
	uint32_t who;
};

static void k_take_turn(const struct mem_block *block, void *arg)
{
	const struct turn *turn = arg;

	(void)block;
	turn->queue->who[turn->queue->nr++] = turn->who;
}

static void take_turn(void *arg)
{
	k_take_turn(NULL, arg);
}

static void stays_until_told(void *arg)
{
	const uint64_t end = now_ns() + 60000 * NS_PER_MS;

	while (!atomic_load((atomic_int *)arg) && now_ns() < end)
		usleep(1000);
}

static const int priorities[] = {
	MEM_PRIORITY_LEAST, MEM_PRIORITY_LEAST - 2, MEM_PRIORITY_GREATEST,
};

static void must_be_by_priority(const struct queue *queue)
{
	assert_int_equal(queue->nr, 6);
	assert_int_equal(queue->who[0], 2);
	assert_int_equal(queue->who[1], 5);
	assert_int_equal(queue->who[2], 1);
	assert_int_equal(queue->who[3], 4);
	assert_int_equal(queue->who[4], 0);
	assert_int_equal(queue->who[5], 3);
}

/* Jobs are submitted, least urgent first, while the engine is busy. */
static void the_most_urgent_job_is_next(void **state)
{
	void *word = memory(MEM_KIND_PINNED);
	struct queue *queue = word, of_host = { 0 };
	struct mem_stream *streams[3], *first;
	struct turn turns[6];
	atomic_int is_told = 0;
	struct gate gate;
	uint32_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING,
						   priorities[i], &streams[i]),
				 0);
		assert_int_equal(mem_stream_priority(streams[i]),
				 priorities[i]);
	}
	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING,
					   MEM_PRIORITY_GREATEST, &first), 0);
	gate = hold_up(first);
	for (i = 0; i < 6; i++) {
		const struct turn turn = { queue, i };

		start(streams[i % 3], k_take_turn, &turn, sizeof(turn));
	}
	let_go(gate);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	must_be_by_priority(queue);
	assert_int_equal(mem_stream_call(first, stays_until_told, &is_told), 0);
	for (i = 0; i < 6; i++) {
		turns[i] = (struct turn) { &of_host, i };
		assert_int_equal(mem_stream_call(streams[i % 3], take_turn,
						 &turns[i]), 0);
	}
	atomic_store(&is_told, 1);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	must_be_by_priority(&of_host);
	assert_int_equal(mem_stream_destroy(first), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(mem_stream_destroy(streams[i]), 0);
	release(gate.word);
	release(word);
}

static void priorities_have_bounds(void **state)
{
	static const int asked[][2] = {
		{ 5, MEM_PRIORITY_LEAST }, { INT32_MAX, MEM_PRIORITY_LEAST },
		{ -99, MEM_PRIORITY_GREATEST },
		{ INT32_MIN, MEM_PRIORITY_GREATEST },
	};
	struct mem_stream *one;
	size_t i;

	(void)state;
	for (i = 0; i < 4; i++) {
		assert_int_equal(mem_stream_create(ctx, 0, asked[i][0], &one),
				 0);
		assert_int_equal(mem_stream_priority(one), asked[i][1]);
		start(one, k_nothing, NULL, 0);
		assert_int_equal(mem_stream_sync(one), 0);
		assert_int_equal(mem_stream_destroy(one), 0);
	}
	assert_int_equal(mem_stream_priority(mem_stream_legacy(ctx)),
			 MEM_PRIORITY_LEAST);
}

/* How the host waits */

#define MOST_BLOCKED_NS	(25 * NS_PER_MS)

/* Ends the kernel when the waiting thread has used enough CPU time, or late. */
struct watcher {
	struct gate gate;
	clockid_t clock;
	uint64_t from_ns;
	uint64_t limit_ns;
};

static void *watch(void *arg)
{
	const struct watcher *watcher = arg;
	const uint64_t end = now_ns() + watcher->limit_ns;

	while (cpu_ns(watcher->clock) - watcher->from_ns < MOST_BLOCKED_NS &&
	       now_ns() < end)
		usleep(1000);
	let_go(watcher->gate);
	return NULL;
}

static int wait_for_stream(void *unused)
{
	(void)unused;
	return mem_stream_sync(stream);
}

static int wait_for_event(void *event)
{
	return mem_event_sync(event);
}

/* Returns the CPU time that this thread uses to wait for a kernel. */
static uint64_t cost_of_wait(int (*wait)(void *of), struct mem_event *event,
			     uint64_t limit_ns)
{
	struct watcher watcher = {
		.gate = hold_up(stream),
		.limit_ns = limit_ns,
	};
	pthread_t thread;

	if (event)
		assert_int_equal(mem_event_record(event, stream), 0);
	assert_int_equal(pthread_getcpuclockid(pthread_self(), &watcher.clock),
			 0);
	watcher.from_ns = cpu_ns(watcher.clock);
	assert_int_equal(pthread_create(&thread, NULL, watch, &watcher), 0);
	assert_int_equal(wait(event), 0);
	watcher.from_ns = cpu_ns(watcher.clock) - watcher.from_ns;
	pthread_join(thread, NULL);
	release(watcher.gate.word);
	return watcher.from_ns;
}

/*
 * One of several tries must be cheap. In a VM on a busy host, a thread's CPU
 * time includes the time that its processor did not run.
 */
static void must_sleep(int (*wait)(void *of), struct mem_event *event)
{
	uint64_t cost = MOST_BLOCKED_NS;
	int i;

	for (i = 0; i < 20 && cost >= MOST_BLOCKED_NS; i++)
		cost = cost_of_wait(wait, event, 100 * NS_PER_MS);
	assert_true(cost < MOST_BLOCKED_NS);
}

/* The thread gets at least some CPU time, however busy the machine is. */
static void must_burn(int (*wait)(void *of), struct mem_event *event)
{
	assert_true(cost_of_wait(wait, event, 4500 * NS_PER_MS) >=
		    MOST_BLOCKED_NS);
}

/* The thread uses idle CPU time only; on a busy machine it yields often. */
static void must_yield(int (*wait)(void *of), struct mem_event *event)
{
	struct rusage before, after;
	uint64_t cost;

	assert_int_equal(getrusage(RUSAGE_THREAD, &before), 0);
	cost = cost_of_wait(wait, event, 4500 * NS_PER_MS);
	assert_int_equal(getrusage(RUSAGE_THREAD, &after), 0);
	assert_true(cost >= MOST_BLOCKED_NS ||
		    after.ru_nivcsw - before.ru_nivcsw >= 10);
}

static void a_thread_waits_as_its_policy_says(void **state)
{
	struct mem_event *plain, *blocking;

	(void)state;
	assert_int_equal(mem_event_create(ctx, 0, &plain), 0);
	assert_int_equal(mem_event_create(ctx, MEM_EVENT_BLOCKING, &blocking),
			 0);
	assert_int_equal(mem_ctx_set_wait_policy(NULL, MEM_WAIT_SPIN), -EINVAL);
	assert_int_equal(mem_ctx_set_wait_policy(ctx, MEM_WAIT_BLOCK + 1),
			 -EINVAL);
	must_sleep(wait_for_stream, NULL);
	assert_int_equal(mem_ctx_set_wait_policy(ctx, MEM_WAIT_BLOCK), 0);
	must_sleep(wait_for_stream, NULL);
	must_sleep(wait_for_event, plain);
	assert_int_equal(mem_ctx_set_wait_policy(ctx, MEM_WAIT_YIELD), 0);
	must_yield(wait_for_stream, NULL);
	assert_int_equal(mem_ctx_set_wait_policy(ctx, MEM_WAIT_SPIN), 0);
	must_burn(wait_for_stream, NULL);
	must_burn(wait_for_event, plain);
	must_sleep(wait_for_event, blocking);
	assert_int_equal(mem_ctx_set_wait_policy(ctx, MEM_WAIT_AUTO), 0);
	mem_event_destroy(plain);
	mem_event_destroy(blocking);
}

/* Host functions */

struct crowd {
	atomic_int nr_inside;
	atomic_int most_inside;
	atomic_int nr_calls;
};

static void stay_a_while(void *arg)
{
	struct crowd *crowd = arg;
	int nr = ++crowd->nr_inside;

	if (nr > crowd->most_inside)
		crowd->most_inside = nr;
	usleep(5000);
	crowd->nr_inside--;
	crowd->nr_calls++;
}

static void stay_in_callback(struct mem_stream *where, int status, void *arg)
{
	(void)where;
	(void)status;
	stay_a_while(arg);
}

static void host_functions_run_one_at_a_time(void **state)
{
	struct mem_stream *streams[3];
	struct crowd crowd = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING,
						   -i, &streams[i]), 0);
	for (i = 0; i < 12; i++)
		assert_int_equal(i % 4 ?
				 mem_stream_call(streams[i % 3], stay_a_while,
						 &crowd) :
				 mem_stream_add_callback(streams[i % 3],
							 stay_in_callback,
							 &crowd), 0);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	assert_int_equal(crowd.nr_calls, 12);
	assert_int_equal(crowd.most_inside, 1);
	for (i = 0; i < 3; i++)
		assert_int_equal(mem_stream_destroy(streams[i]), 0);
}

struct told {
	struct mem_stream *where;
	atomic_int *clock;
	int time;
	int status;
	int answer;
};

static void be_told(struct mem_stream *where, int status, void *arg)
{
	struct told *told = arg;

	told->where = where;
	told->status = status;
	told->time = ++*told->clock;
	told->answer = mem_stream_query(where);
}

static void a_callback_gets_its_stream(void **state)
{
	atomic_int clock = 0;
	struct told told[2] = { { .clock = &clock }, { .clock = &clock } };
	struct note note = { &clock, 0 };
	struct gate gate = hold_up(stream);

	(void)state;
	assert_int_equal(mem_stream_add_callback(NULL, be_told, told), -EINVAL);
	assert_int_equal(mem_stream_add_callback(stream, NULL, told), -EINVAL);
	told[0].status = -1;
	assert_int_equal(mem_stream_add_callback(stream, be_told, &told[0]), 0);
	assert_int_equal(mem_stream_call(stream, take_note, &note), 0);
	assert_int_equal(mem_stream_add_callback(stream, be_told, &told[1]), 0);
	assert_int_equal(clock, 0);
	let_go(gate);
	sync_stream();
	assert_int_equal(told[0].time, 1);
	assert_int_equal(note.time, 2);
	assert_int_equal(told[1].time, 3);
	assert_ptr_equal(told[0].where, stream);
	assert_int_equal(told[0].status, 0);
	assert_int_equal(told[0].answer, -EPERM);
	release(gate.word);
}

/* Reads which signals a thread blocks; false if it is not the library's. */
static bool blocked_by(const char *task, uint64_t *blocked)
{
	char path[300], line[256];
	bool is_ours = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		is_ours |= !strncmp(line, "Name:\tlibmem", 12);
		if (sscanf(line, "SigBlk: %" SCNx64, blocked) == 1)
			break;
	}
	if (file)
		fclose(file);
	return is_ours;
}

/* Signals caused by the thread itself are not blocked. */
static void the_librarys_threads_block_signals(void **state)
{
	static const int some[] = {
		SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM,
		SIGTERM, SIGCHLD, SIGPROF, SIGWINCH, SIGIO,
	};
	struct dirent *entry;
	size_t nr = 0, i;
	DIR *dir;

	(void)state;
	start(stream, k_nothing, NULL, 0);
	assert_int_equal(mem_stream_call(stream, take_note, &(struct note) {
					 &(atomic_int) { 0 }, 0 }), 0);
	sync_stream();
	dir = opendir("/proc/self/task");
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		uint64_t blocked = 0;

		if (entry->d_name[0] == '.' ||
		    !blocked_by(entry->d_name, &blocked))
			continue;
		nr++;
		for (i = 0; i < sizeof(some) / sizeof(some[0]); i++)
			if (!(blocked & 1ULL << (some[i] - 1)))
				fail_msg("a thread does not block signal %d",
					 some[i]);
		assert_false(blocked & 1ULL << (SIGSEGV - 1));
		assert_false(blocked & 1ULL << (SIGBUS - 1));
	}
	closedir(dir);
	assert_true(nr >= 2);
}

static void a_destroyed_stream_ends_its_work(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct mem_stream *other;
	struct gate gate;

	(void)state;
	set_all(ptr, 1);
	assert_int_equal(mem_stream_create(ctx, 0, 0, &other), 0);
	gate = hold_up(other);
	start_add(other, ptr, ptr, 1);
	assert_int_equal(mem_stream_destroy(other), 0);
	assert_int_equal(mem_stream_destroy(NULL), 0);
	assert_int_equal(mem_stream_priority(NULL), MEM_PRIORITY_LEAST);
	assert_int_equal(mem_stream_destroy(mem_stream_legacy(ctx)), -EINVAL);
	is_refused(ptr);
	let_go(gate);
	assert_int_equal(mem_ctx_sync(ctx), 0);
	all_are(ptr, 2);
	nothing_found();
	release(ptr);
	release(gate.word);
}

static void *other_thread(void *arg)
{
	struct mem_stream **mine = arg;
	struct mem_stream *again;

	assert_int_equal(mem_stream_per_thread(ctx, mine), 0);
	assert_int_equal(mem_stream_per_thread(ctx, &again), 0);
	assert_ptr_equal(*mine, again);
	start(*mine, k_nothing, NULL, 0);
	assert_int_equal(mem_stream_sync(*mine), 0);
	assert_int_equal(mem_stream_destroy(*mine), -EINVAL);
	return NULL;
}

static void a_thread_has_its_own_stream(void **state)
{
	struct mem_stream *mine, *theirs;
	pthread_t thread;

	(void)state;
	assert_int_equal(mem_stream_per_thread(ctx, &mine), 0);
	assert_int_equal(pthread_create(&thread, NULL, other_thread, &theirs),
			 0);
	pthread_join(thread, NULL);
	assert_ptr_not_equal(mine, theirs);
	start(mine, k_nothing, NULL, 0);
	assert_int_equal(mem_stream_sync(mine), 0);
}

/* Copies and sets */

static uint32_t *discrete(void)
{
	void *ptr;
	int err;

	err = mem_alloc(ctx, MEM_KIND_DEVICE, LEN, MEM_DEVICE_DISCRETE, &ptr);
	if (err)
		assert_int_equal(err, -EOPNOTSUPP);
	return err ? NULL : ptr;
}

static void copies_go_in_every_direction(void **state)
{
	static const enum mem_kind kinds[] = {
		MEM_KIND_PAGEABLE, MEM_KIND_PINNED, MEM_KIND_DEVICE,
		MEM_KIND_MANAGED,
	};
	uint32_t *place[5][2], *back = malloc(LEN);
	size_t i, j, nr;

	(void)state;
	for (i = 0; i < 4; i++)
		for (j = 0; j < 2; j++)
			place[i][j] = kinds[i] == MEM_KIND_PAGEABLE ?
				      malloc(LEN) : memory(kinds[i]);
	/* Only some boards have the fifth kind. */
	place[4][0] = discrete();
	place[4][1] = discrete();
	nr = place[4][0] ? 5 : 4;
	for (i = 0; i < nr; i++)
		for (j = 0; j < nr; j++) {
			const uint32_t value = (uint32_t)(100 * i + j);

			set_all(back, value);
			assert_int_equal(mem_copy(stream, place[i][0], back,
						  LEN, MEM_DIR_DEFAULT), 0);
			assert_int_equal(mem_copy(stream, place[j][1],
						  place[i][0], LEN,
						  MEM_DIR_DEFAULT), 0);
			set_all(back, 0);
			assert_int_equal(mem_copy(stream, back, place[j][1],
						  LEN, MEM_DIR_DEFAULT), 0);
			all_are(back, value);
			assert_int_equal(mem_copy_async(stream, place[j][0],
							place[i][0], LEN,
							MEM_DIR_DEFAULT), 0);
			sync_stream();
		}
	nothing_found();
	for (i = 1; i < nr; i++)
		for (j = 0; j < 2; j++)
			release(place[i][j]);
	free(place[0][0]);
	free(place[0][1]);
	free(back);
}

static void rows_are_copied_and_set(void **state)
{
	uint8_t *from = malloc(LEN), *back = calloc(1, LEN);
	uint64_t pitch;
	struct mem_rows rows;
	void *device;
	size_t i, j;

	(void)state;
	for (i = 0; i < LEN; i++)
		from[i] = (uint8_t)(i * 7);
	assert_int_equal(mem_alloc_pitch(ctx, 100, 30, &pitch, &device), 0);
	assert_int_equal(pitch, 512);
	rows = (struct mem_rows) { device, pitch, from, 200, 100, 30 };
	assert_int_equal(mem_copy_rows(stream, &rows,
				       MEM_DIR_HOST_TO_DEVICE), 0);
	/* A fill ignores the source. */
	rows = (struct mem_rows) { (char *)device + 10, pitch, from, 1, 5, 30 };
	assert_int_equal(mem_fill_rows(stream, &rows, 8), 0);
	assert_int_equal(mem_fill_rows_async(stream, &rows, 9), 0);
	rows.dst_pitch = 4;
	assert_int_equal(mem_fill_rows(stream, &rows, 8), -EINVAL);
	rows = (struct mem_rows) { back, 100, device, pitch, 100, 30 };
	assert_int_equal(mem_copy_rows(stream, &rows,
				       MEM_DIR_DEVICE_TO_HOST), 0);
	for (i = 0; i < 30; i++)
		for (j = 0; j < 100; j++)
			assert_int_equal(back[100 * i + j],
					 j >= 10 && j < 15 ? 9 :
					 from[200 * i + j]);
	rows.dst_pitch = 99;
	assert_int_equal(mem_copy_rows(stream, &rows, MEM_DIR_DEFAULT),
			 -EINVAL);
	rows.dst_pitch = 100;
	rows.nr_rows = 31;
	assert_int_equal(mem_copy_rows(stream, &rows, MEM_DIR_DEFAULT),
			 -EINVAL);
	release(device);
	free(from);
	free(back);
}

static void rows_are_copied_in_order_of_a_stream(void **state)
{
	uint8_t *from = (void *)memory(MEM_KIND_PINNED);
	uint8_t *to = (void *)memory(MEM_KIND_PINNED);
	uint8_t *device = (void *)memory(MEM_KIND_DEVICE);
	const struct mem_rows up = { device, 500, from, 300, 200, 40 };
	const struct mem_rows down = { to, 250, device, 500, 200, 40 };
	struct gate gate = hold_up(stream);
	struct mem_rows bad = down;
	size_t i, j;

	(void)state;
	for (i = 0; i < LEN; i++)
		from[i] = (uint8_t)(i * 11);
	assert_int_equal(mem_copy_rows_async(stream, &up, MEM_DIR_DEFAULT), 0);
	assert_int_equal(mem_copy_rows_async(stream, &down,
					     MEM_DIR_DEVICE_TO_HOST), 0);
	assert_int_equal(mem_stream_query(stream), -EBUSY);
	for (i = 0; i < LEN; i++)
		assert_int_equal(to[i], 0);
	/* The source is read when the copy runs. */
	from[0] = 99;
	let_go(gate);
	sync_stream();
	for (i = 0; i < 40; i++)
		for (j = 0; j < 250; j++)
			assert_int_equal(to[250 * i + j],
					 j < 200 ? from[300 * i + j] : 0);
	bad.src_pitch = 199;
	assert_int_equal(mem_copy_rows_async(stream, &bad, MEM_DIR_DEFAULT),
			 -EINVAL);
	assert_int_equal(mem_copy_rows_async(NULL, &down, MEM_DIR_DEFAULT),
			 -EINVAL);
	assert_int_equal(mem_copy_rows_async(stream, NULL, MEM_DIR_DEFAULT),
			 -EINVAL);
	assert_int_equal(mem_copy_rows_async(stream, &down,
					     MEM_DIR_HOST_TO_DEVICE), -EINVAL);
	nothing_found();
	release(from);
	release(to);
	release(device);
	release(gate.word);
}

static void copies_say_what_is_wrong(void **state)
{
	uint32_t *device = memory(MEM_KIND_DEVICE);
	struct mem_ctx *other;
	uint32_t local = 0;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_copy(NULL, device, &local, 4, MEM_DIR_DEFAULT),
			 -EINVAL);
	assert_int_equal(mem_copy(stream, NULL, &local, 4, MEM_DIR_DEFAULT),
			 -EINVAL);
	assert_int_equal(mem_copy(stream, device, NULL, 4, MEM_DIR_DEFAULT),
			 -EINVAL);
	assert_int_equal(mem_copy(stream, device, &local, 4, 5), -EINVAL);
	assert_int_equal(mem_copy(stream, device, &local, 4,
				  MEM_DIR_HOST_TO_HOST), -EINVAL);
	assert_int_equal(mem_copy(stream, device, &local, 4,
				  MEM_DIR_DEVICE_TO_DEVICE), -EINVAL);
	assert_int_equal(mem_copy(stream, &local, device, 4,
				  MEM_DIR_HOST_TO_DEVICE), -EINVAL);
	assert_int_equal(mem_copy(stream, device + N - 1, &local, 8,
				  MEM_DIR_DEFAULT), -EINVAL);
	assert_int_equal(mem_copy(mem_stream_legacy(other), device, &local, 4,
				  MEM_DIR_DEFAULT), -EXDEV);
	assert_int_equal(mem_copy(stream, device, &local, 0,
				  MEM_DIR_DEFAULT), 0);
	assert_int_equal(mem_fill(stream, &local, 1, 4), -EINVAL);
	assert_int_equal(mem_fill(stream, device, 1, LEN + 1), -EINVAL);
	mem_ctx_close(other);
	release(device);
}

static void a_copy_to_the_host_is_a_wait(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	uint32_t *device = memory(MEM_KIND_DEVICE);
	uint32_t word = 4;

	(void)state;
	assert_int_equal(mem_copy(stream, device, &word, sizeof(word),
				  MEM_DIR_HOST_TO_DEVICE), 0);
	is_refused(ptr);
	assert_int_equal(mem_copy(stream, &word, device, sizeof(word),
				  MEM_DIR_DEVICE_TO_HOST), 0);
	is_allowed(ptr);
	assert_int_equal(mem_fill(stream, device, 0, LEN), 0);
	is_refused(ptr);
	assert_int_equal(mem_fill(stream, ptr, 0, LEN), 0);
	is_allowed(ptr);
	release(ptr);
	release(device);
}

/* Maintenance by the driver */

/**
 * struct work - cache maintenance that was done
 * @lines: bytes in lines of the CPU's cache that were cleaned or invalidated
 * @cleaned: bytes in lines that were cleaned
 * @ranges: ranges of the operations, including those on the GPU's cache
 */
struct work {
	uint64_t lines;
	uint64_t cleaned;
	struct mem_attach_counters ranges;
};

static struct work work_on(uint32_t **bufs, size_t nr)
{
	struct work work = { .ranges = counters(NULL) };
	size_t i;

	for (i = 0; i < nr; i++) {
		struct mem_buf_info info = { .size = sizeof(info) };

		assert_int_equal(mem_ptr_buf_info(ctx, bufs[i], &info), 0);
		work.cleaned += info.count.lines_cleaned * line_size();
		work.lines += (info.count.lines_cleaned +
			       info.count.lines_invalidated) * line_size();
	}
	return work;
}

static struct work work_since(const struct work *before, uint32_t **bufs,
			      size_t nr)
{
	struct work work = work_on(bufs, nr);

	work.lines -= before->lines;
	work.cleaned -= before->cleaned;
	work.ranges.cleaned_bytes -= before->ranges.cleaned_bytes;
	work.ranges.cpu_invalidated_bytes -=
		before->ranges.cpu_invalidated_bytes;
	work.ranges.gpu_cleaned_bytes -= before->ranges.gpu_cleaned_bytes;
	work.ranges.gpu_invalidated_bytes -=
		before->ranges.gpu_invalidated_bytes;
	return work;
}

#define MOST_BUFS	8

/*
 * Each launch uses one of several buffers, while the CPU works on the others.
 */
static struct work work_of_loop(unsigned int how, uint32_t nr, bool *is_two)
{
	uint32_t *bufs[MOST_BUFS] = { NULL };
	struct work work;
	uint32_t i, j;

	for (i = 0; i < nr; i++)
		bufs[i] = managed(how);
	*is_two = ptr_buf_info_of(bufs[0]).has_two_views;
	work = work_on(bufs, nr);
	for (i = 0; i < nr; i++) {
		for (j = 0; j < nr; j++)
			set_all(bufs[j], 2 * i);
		if (how == MEM_ATTACH_HOST)
			assert_int_equal(mem_stream_attach(stream, bufs[i], 0,
							   MEM_ATTACH_SINGLE),
					 0);
		start_add(stream, bufs[i], bufs[i], 1);
		if (how == MEM_ATTACH_HOST)
			assert_int_equal(mem_stream_attach(stream, bufs[i], 0,
							   MEM_ATTACH_HOST),
					 0);
		sync_stream();
		all_are(bufs[i], 2 * i + 1);
	}
	work = work_since(&work, bufs, nr);
	for (i = 0; i < nr; i++)
		release(bufs[i]);
	return work;
}

static void loop_of(uint32_t nr)
{
	const uint64_t clean = is_coherent() ? 0 : nr * LEN;
	const uint64_t gpu = is_concurrent() ? 0 : nr * LEN;
	struct work all, one;
	bool is_two;

	all = work_of_loop(MEM_ATTACH_GLOBAL, nr, &is_two);
	nothing_found();
	one = work_of_loop(MEM_ATTACH_HOST, nr, &is_two);
	nothing_found();
	/* Each line is cleaned for the job, and invalidated after it. */
	assert_int_equal(all.lines, is_two ? 2 * nr * nr * LEN : 0);
	assert_int_equal(one.lines, is_two ? 2 * nr * LEN : 0);
	assert_int_equal(all.cleaned, is_two ? nr * nr * LEN : 0);
	assert_int_equal(one.cleaned, is_two ? nr * LEN : 0);
	assert_int_equal(all.ranges.cleaned_bytes, nr * clean);
	/* One clean is the prefetch's, one is the job's, with no effect. */
	assert_int_equal(one.ranges.cleaned_bytes, 2 * clean);
	assert_int_equal(all.ranges.cpu_invalidated_bytes, nr * clean);
	assert_int_equal(one.ranges.cpu_invalidated_bytes, clean);
	assert_int_equal(all.ranges.gpu_cleaned_bytes, nr * gpu);
	assert_int_equal(one.ranges.gpu_cleaned_bytes, gpu);
	assert_int_equal(all.ranges.gpu_invalidated_bytes, nr * gpu);
	assert_int_equal(one.ranges.gpu_invalidated_bytes, gpu);
}

static void hints_save_maintenance(void **state)
{
	(void)state;
	loop_of(1);
	loop_of(3);
	loop_of(MOST_BUFS);
}

#define SIDE		128

_Static_assert(SIDE * SIDE == N, "a buffer is a matrix");

struct product {
	uint32_t *r;
	const uint32_t *p;
	const uint32_t *q;
};

static uint32_t element(const uint32_t *p, const uint32_t *q, uint32_t at)
{
	const uint32_t row = at / SIDE, col = at % SIDE;
	uint32_t sum = 0, i;

	for (i = 0; i < SIDE; i++)
		sum += p[SIDE * row + i] * q[SIDE * i + col];
	return sum;
}

static void k_multiply(const struct mem_block *block, void *arg)
{
	const struct product *product = arg;
	uint32_t i;

	for (i = block->index[0]; i < N; i += block->grid[0])
		product->r[i] = element(product->p, product->q, i);
}

static void make_matrices(uint32_t **bufs, unsigned int how)
{
	uint32_t i;

	bufs[0] = managed(how);
	bufs[1] = managed(how);
	bufs[2] = managed(MEM_ATTACH_GLOBAL);
	for (i = 0; i < N; i++) {
		bufs[0][i] = i;
		bufs[1][i] = i ^ VALUE;
	}
}

static void attach(struct mem_stream *where, void *ptr, unsigned int how)
{
	assert_int_equal(mem_stream_attach(where, ptr, 0, how), 0);
}

/* The application note's MatrixMul. @at_launch: maintenance since the launch */
static struct work work_of_product(bool has_hints, struct work *at_launch,
				   bool *is_two)
{
	struct mem_stream *where = mem_stream_legacy(ctx);
	struct product product;
	struct mem_launch launch = launch_of(k_multiply, &product,
					     sizeof(product));
	uint32_t *bufs[3], i;
	struct work work;

	make_matrices(bufs, has_hints ? MEM_ATTACH_HOST : MEM_ATTACH_GLOBAL);
	*is_two = ptr_buf_info_of(bufs[0]).has_two_views;
	product = (struct product) { bufs[2], bufs[0], bufs[1] };
	launch.grid[0] = 4;
	work = work_on(bufs, 3);
	if (has_hints) {
		attach(where, bufs[0], MEM_ATTACH_GLOBAL);
		attach(where, bufs[1], MEM_ATTACH_GLOBAL);
	}
	/* This wait only separates the maintenance of the launch. */
	assert_int_equal(mem_stream_sync(where), 0);
	*at_launch = work_on(bufs, 3);
	assert_int_equal(mem_launch(where, &launch), 0);
	if (has_hints)
		attach(where, bufs[2], MEM_ATTACH_HOST);
	assert_int_equal(mem_stream_sync(where), 0);
	*at_launch = work_since(at_launch, bufs, 3);
	work = work_since(&work, bufs, 3);
	for (i = 0; i < N; i += 77)
		assert_int_equal(bufs[2][i], element(bufs[0], bufs[1], i));
	for (i = 0; i < 3; i++)
		release(bufs[i]);
	return work;
}

static void hints_move_maintenance_from_the_launch(void **state)
{
	struct work without, with, at_launch;
	bool is_two;

	(void)state;
	without = work_of_product(false, &at_launch, &is_two);
	nothing_found();
	assert_int_equal(at_launch.cleaned, is_two ? 2 * LEN : 0);
	with = work_of_product(true, &at_launch, &is_two);
	nothing_found();
	assert_int_equal(at_launch.cleaned, 0);
	assert_int_equal(without.cleaned, is_two ? 2 * LEN : 0);
	assert_int_equal(with.cleaned, without.cleaned);
	assert_int_equal(without.lines, is_two ? 4 * LEN : 0);
	assert_int_equal(with.lines, without.lines);
	/* After two prefetches, the launch has no lines to clean. */
	assert_int_equal(without.ranges.cleaned_bytes,
			 is_coherent() ? 0 : 3 * LEN);
	assert_int_equal(with.ranges.cleaned_bytes,
			 is_coherent() ? 0 : 5 * LEN);
	assert_int_equal(with.ranges.cpu_invalidated_bytes,
			 without.ranges.cpu_invalidated_bytes);
	assert_int_equal(with.ranges.gpu_cleaned_bytes,
			 without.ranges.gpu_cleaned_bytes);
	assert_int_equal(with.ranges.gpu_invalidated_bytes,
			 without.ranges.gpu_invalidated_bytes);
}

/* Errors in kernels */

static int host_global;

static void k_store_global(const struct mem_block *block, void *arg)
{
	(void)block;
	(void)arg;
	host_global = 1;
}

static void k_overrun(const struct mem_block *block, void *arg)
{
	uint8_t *at = *(uint8_t **)arg;

	(void)block;
	at[LEN] = 1;
}

static void k_exit(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
	exit(0);
}

static void k_abort(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
	abort();
}

static void k_no_end(const struct mem_block *block, void *args)
{
	(void)block;
	(void)args;
	for (;;)
		pause();
}

static void a_kernel_that_does_not_return_is_reported(void **state)
{
	static const struct {
		mem_kernel kernel;
		int status;
		const char *name;
	} ends[] = {
		{ k_exit, -EIO, "exit or fork" },
		{ k_abort, -ECANCELED,
		  "SIGABRT: abort, assert, throw" },
		{ k_no_end, -ETIME, "the watchdog" },
	};
	struct mem_violation v = { .size = sizeof(v) };
	struct mem_launch launch;
	size_t i;

	for (i = 0; has_processes && i < sizeof(ends) / sizeof(*ends); i++) {
		launch = launch_of(ends[i].kernel, NULL, 0);
		launch.timeout_ns = 100 * NS_PER_MS;
		if (ends[i].status != -ETIME)
			launch.timeout_ns = 0;
		assert_int_equal(mem_launch(stream, &launch), 0);
		assert_int_equal(mem_stream_sync(stream), ends[i].status);
		assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
		assert_int_equal(v.kind, MEM_VIOLATION_FAILED_KERNEL);
		assert_string_equal(v.name, ends[i].name);
		assert_string_equal(v.other_name, "gpu");
		assert_int_equal(v.other_kernel, (uintptr_t)ends[i].kernel);
		nothing_found();
		/* The context cannot be used any more. */
		close_all(state);
		assert_int_equal(open_strict(state), 0);
	}
}

static void an_illegal_address_ends_the_context(void **state)
{
	struct mem_violation v = { .size = sizeof(v) };
	void *ptr = UNTOUCHED;

	(void)state;
	if (!has_processes)
		return;
	start(stream, k_store_global, NULL, 0);
	assert_int_equal(mem_stream_sync(stream), -EFAULT);
	assert_int_equal(host_global, 0);
	assert_int_equal(mem_ctx_error(ctx), -EFAULT);
	assert_int_equal(mem_stream_sync(stream), -EFAULT);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, LEN, 0, &ptr),
			 -EFAULT);
	assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
	assert_int_equal(v.kind, MEM_VIOLATION_ILLEGAL_ADDRESS);
	assert_int_equal(v.cpu_addr, (uintptr_t)&host_global);
	assert_string_equal(v.name, "variable of the host");
	assert_string_equal(v.other_name, "gpu");
	assert_int_equal(v.other_kernel, (uintptr_t)k_store_global);
	nothing_found();
}

/* Launches @kernel, which reports must name as @entry. */
static void start_for(mem_kernel entry, mem_kernel kernel, const void *args,
		      uint32_t len)
{
	struct mem_launch launch = launch_of(kernel, args, len);

	launch.entry = (const void *)(uintptr_t)entry;
	assert_int_equal(mem_launch(stream, &launch), 0);
}

static void is_told_as(enum mem_violation_kind kind, mem_kernel kernel)
{
	struct mem_violation v = { .size = sizeof(v) };

	assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
	assert_string_equal(mem_violation_name(v.kind),
			    mem_violation_name(kind));
	assert_string_equal(v.other_name, "gpu");
	assert_int_equal(v.other_kernel, (uintptr_t)kernel);
	nothing_found();
}

static void a_kernel_is_reported_as_what_it_stands_for(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	const struct args args = { ptr, ptr, 1, 1 };
	struct gate gate = { memory(MEM_KIND_PINNED) };

	start_for(k_nothing, k_add, &args, sizeof(args));
	sync_stream();
	if (!is_concurrent() && has_processes)
		is_told_as(MEM_VIOLATION_ENGINE_NOT_ATTACHED, k_nothing);
	assert_int_equal(mem_stream_attach(stream, ptr, 0, MEM_ATTACH_GLOBAL),
			 0);
	sync_stream();
	*gate.word = 0;
	start_for(k_nothing, k_wait_for, &gate.word, sizeof(gate.word));
	touch(ptr, true);
	if (!is_concurrent())
		is_told_as(MEM_VIOLATION_CPU_WHILE_ACTIVE, k_nothing);
	let_go(gate);
	sync_stream();
	nothing_found();
	release(gate.word);
	release(ptr);
	if (!has_processes)
		return;
	start_for(k_nothing, k_store_global, NULL, 0);
	assert_int_equal(mem_stream_sync(stream), -EFAULT);
	is_told_as(MEM_VIOLATION_ILLEGAL_ADDRESS, k_nothing);
	close_all(state);
	assert_int_equal(open_strict(state), 0);
	start_for(k_nothing, k_exit, NULL, 0);
	assert_int_equal(mem_stream_sync(stream), -EIO);
	is_told_as(MEM_VIOLATION_FAILED_KERNEL, k_nothing);
	close_all(state);
	assert_int_equal(open_strict(state), 0);
}

/* The struct of an older program is shorter and has other data after it. */
static void a_launch_of_the_first_version_does(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_HOST);
	const struct args args = { ptr, ptr, 1, 1 };
	struct mem_launch launch = launch_of(k_add, &args, sizeof(args));

	(void)state;
	launch.size = offsetof(struct mem_launch, entry);
	memset(&launch.entry, 0xff, sizeof(launch.entry));
	assert_int_equal(mem_launch(stream, &launch), 0);
	sync_stream();
	if (!is_concurrent() && has_processes)
		is_told_as(MEM_VIOLATION_ENGINE_NOT_ATTACHED, k_add);
	nothing_found();
	launch.size -= 8;
	assert_int_equal(mem_launch(stream, &launch), -EINVAL);
	launch.size += 12;
	assert_int_equal(mem_launch(stream, &launch), -EINVAL);
	release(ptr);
}

static void a_callback_gets_an_error(void **state)
{
	atomic_int clock = 0;
	struct told told[3] = {
		{ .clock = &clock }, { .clock = &clock }, { .clock = &clock },
	};
	struct note note = { &clock, 0 };
	struct mem_violation v = { .size = sizeof(v) };
	struct mem_stream *where;
	struct mem_ctx *other;

	(void)state;
	if (!has_processes)
		return;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_ctx_watch(other, MEM_WATCH_ERRORS, 10), 0);
	assert_int_equal(mem_stream_create(other, 0, 0, &where), 0);
	assert_int_equal(mem_stream_add_callback(where, be_told, &told[0]), 0);
	/* The second callback must be added before the kernel fails. */
	assert_int_equal(mem_stream_call(where, stays_until_told,
					 &told[2].status), 0);
	start(where, k_store_global, NULL, 0);
	assert_int_equal(mem_stream_add_callback(where, be_told, &told[1]), 0);
	assert_int_equal(mem_stream_call(where, take_note, &note), 0);
	__atomic_store_n(&told[2].status, 1, __ATOMIC_SEQ_CST);
	assert_int_equal(mem_stream_sync(where), -EFAULT);
	assert_int_equal(told[0].time, 1);
	assert_int_equal(told[0].status, 0);
	assert_int_equal(told[1].time, 2);
	assert_int_equal(told[1].status, -EFAULT);
	assert_ptr_equal(told[1].where, where);
	assert_int_equal(note.time, 0);
	assert_int_equal(mem_stream_add_callback(where, be_told, &told[2]),
			 -EFAULT);
	assert_int_equal(clock, 2);
	assert_int_equal(mem_ctx_next_violation(other, &v), 1);
	assert_int_equal(v.kind, MEM_VIOLATION_ILLEGAL_ADDRESS);
	/* With the module, only the context itself gets the violation. */
	assert_int_equal(found(MEM_VIOLATION_ILLEGAL_ADDRESS),
			 is_embedded() ? 1 : 0);
	mem_stream_destroy(where);
	mem_ctx_close(other);
}

static void k_print(const struct mem_block *block, void *arg)
{
	(void)arg;
	printf("block %u of %u\n", block->index[0], block->grid[0]);
}

static void what_a_kernel_prints_is_there_after_the_wait(void **state)
{
	struct mem_stream *legacy;
	struct mem_ctx *other;
	char text[64] = "";
	int file, out;

	(void)state;
	fflush(stdout);
	file = memfd_create("output", 0);
	out = dup(1);
	assert_true(file >= 0 && out >= 0);
	assert_int_equal(dup2(file, 1), 1);
	/* An engine inherits the application's output when it starts. */
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	legacy = mem_stream_legacy(other);
	start(legacy, k_print, NULL, 0);
	assert_int_equal(mem_stream_sync(legacy), 0);
	mem_ctx_close(other);
	fflush(stdout);
	assert_int_equal(dup2(out, 1), 1);
	assert_true(pread(file, text, sizeof(text) - 1, 0) > 0);
	assert_string_equal(text, "block 0 of 1\n");
	close(file);
	close(out);
}

static void an_overrun_is_found(void **state)
{
	uint32_t *ptr = memory(MEM_KIND_DEVICE);

	(void)state;
	/* The page after the memory cannot be made accessible to a thread. */
	if (!has_processes && !is_embedded()) {
		release(ptr);
		return;
	}
	start(stream, k_overrun, &ptr, sizeof(ptr));
	sync_stream();
	if (!has_processes) {
		release(ptr);
		assert_int_equal(found(MEM_VIOLATION_OVERRUN), 1);
		return;
	}
	assert_int_equal(found(MEM_VIOLATION_OVERRUN), 1);
	start(stream, k_nothing, NULL, 0);
	sync_stream();
	nothing_found();
	release(ptr);
}

/* No job follows: what is still in the CPU's cache counts, too. */
static void a_store_behind_is_found_at_the_free(void **state)
{
	static const struct {
		enum mem_kind kind;
		unsigned int flags;
		uint64_t len;
	} all[] = {
		{ MEM_KIND_MANAGED, MEM_ATTACH_GLOBAL, LEN },
		{ MEM_KIND_MANAGED, MEM_ATTACH_HOST, 100 },
		{ MEM_KIND_PINNED, 0, 100 },
	};
	void *ptr;
	size_t i;

	(void)state;
	if (!is_embedded())
		return;
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		volatile uint8_t *bytes;

		assert_int_equal(mem_alloc(ctx, all[i].kind, all[i].len,
					   all[i].flags, &ptr), 0);
		bytes = ptr;
		bytes[all[i].len - 1] = 1;
		assert_int_equal(mem_free(ctx, ptr), 0);
		nothing_found();
		assert_int_equal(mem_alloc(ctx, all[i].kind, all[i].len,
					   all[i].flags, &ptr), 0);
		bytes = ptr;
		bytes[all[i].len] = 1;
		assert_int_equal(mem_free(ctx, ptr), 0);
		assert_int_equal(found(MEM_VIOLATION_OVERRUN), 1);
		nothing_found();
	}
}

static void launch_says_what_is_wrong(void **state)
{
	struct mem_launch good = launch_of(k_nothing, NULL, 0), launch;
	struct {
		struct mem_launch launch;
		uint64_t tail;
	} longer = { good, 1 };

	(void)state;
	assert_int_equal(mem_launch(NULL, &good), -EINVAL);
	assert_int_equal(mem_launch(stream, NULL), -EINVAL);
	launch = good;
	launch.kernel = NULL;
	assert_int_equal(mem_launch(stream, &launch), -EINVAL);
	launch = good;
	launch.grid[1] = 0;
	assert_int_equal(mem_launch(stream, &launch), -EINVAL);
	/* The product of these numbers is 0 in 64 bits. */
	memset(launch.grid, 0xff, sizeof(launch.grid));
	assert_int_equal(mem_launch(stream, &launch), -EINVAL);
	launch.grid[0] = MEM_BLOCKS_MAX >> 32;
	launch.grid[1] = 1U << 31;
	launch.grid[2] = 3;
	assert_int_equal(mem_launch(stream, &launch), -EINVAL);
	launch.grid[2] = 1U << 17;
	assert_int_equal(mem_launch(stream, &launch), -EINVAL);
	launch = good;
	launch.engine = MEM_ENGINE_DGPU + 1;
	assert_int_equal(mem_launch(stream, &launch), -EINVAL);
	launch = good;
	launch.args_len = 4;
	assert_int_equal(mem_launch(stream, &launch), -EINVAL);
	launch.args = &launch;
	launch.args_len = MEM_ARGS_MAX + 1;
	assert_int_equal(mem_launch(stream, &launch), -EINVAL);
	longer.launch.size = sizeof(longer);
	assert_int_equal(mem_launch(stream, &longer.launch), -E2BIG);
	longer.tail = 0;
	assert_int_equal(mem_launch(stream, &longer.launch), 0);
	sync_stream();
}

static void a_child_has_no_board(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	pid_t child;

	(void)state;
	start(stream, k_nothing, NULL, 0);
	sync_stream();
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		struct mem_stream *other;

		if (mem_stream_sync(stream) != -EPERM ||
		    mem_stream_create(ctx, 0, 0, &other) != -EPERM ||
		    mem_free(ctx, ptr) != -EPERM)
			_exit(1);
		mem_ctx_close(ctx);
		_exit(0);
	}
	assert_int_equal(exit_code_of(child), 0);
	release(ptr);
}

int main(void)
{
	const struct CMUnitTest strict[] = {
		cmocka_unit_test(a_kernel_works_on_each_kind),
		cmocka_unit_test(new_memory_is_poisoned_but_pinned),
		cmocka_unit_test(alloc_says_what_is_wrong),
		cmocka_unit_test(memory_needs_none_of_the_programs_descriptors),
		cmocka_unit_test(free_says_what_is_wrong),
		cmocka_unit_test(free_waits_for_work),
		cmocka_unit_test(an_address_tells_what_it_is),
		cmocka_unit_test(registered_memory_has_two_addresses),
		cmocka_unit_test(only_memory_of_its_own_is_registered),
		cmocka_unit_test(registered_pages_may_be_the_heaps),
		cmocka_unit_test(the_cpu_is_refused_while_a_kernel_runs),
		cmocka_unit_test(a_touch_is_reported_with_the_buffers_user),
		cmocka_unit_test(having_finished_is_not_enough),
		cmocka_unit_test(a_query_that_succeeds_is_a_wait),
		cmocka_unit_test(host_memory_is_always_the_cpus),
		cmocka_unit_test(single_memory_needs_its_own_stream_idle),
		cmocka_unit_test(a_kernel_on_another_stream_is_found),
		cmocka_unit_test(each_engine_obeys_the_attach_state),
		cmocka_unit_test(attach_says_what_is_wrong),
		cmocka_unit_test(device_memory_is_not_the_cpus),
		cmocka_unit_test(atomics_on_pinned_memory_are_found),
		cmocka_unit_test(a_system_call_is_refused_too),
		cmocka_unit_test(work_of_a_stream_is_in_order),
		cmocka_unit_test(blocking_streams_wait_for_the_legacy_one),
		cmocka_unit_test(an_event_can_be_copied),
		cmocka_unit_test(an_event_orders_two_streams),
		cmocka_unit_test(events_tell_the_time),
		cmocka_unit_test(a_host_function_may_not_call),
		cmocka_unit_test(a_host_function_may_touch),
		cmocka_unit_test(the_most_urgent_job_is_next),
		cmocka_unit_test(priorities_have_bounds),
		cmocka_unit_test(a_thread_waits_as_its_policy_says),
		cmocka_unit_test(host_functions_run_one_at_a_time),
		cmocka_unit_test(a_callback_gets_its_stream),
		cmocka_unit_test(the_librarys_threads_block_signals),
		cmocka_unit_test(a_destroyed_stream_ends_its_work),
		cmocka_unit_test(a_thread_has_its_own_stream),
		cmocka_unit_test(copies_go_in_every_direction),
		cmocka_unit_test(rows_are_copied_and_set),
		cmocka_unit_test(rows_are_copied_in_order_of_a_stream),
		cmocka_unit_test(copies_say_what_is_wrong),
		cmocka_unit_test(a_copy_to_the_host_is_a_wait),
		cmocka_unit_test(hints_save_maintenance),
		cmocka_unit_test(hints_move_maintenance_from_the_launch),
		cmocka_unit_test(a_callback_gets_an_error),
		cmocka_unit_test(what_a_kernel_prints_is_there_after_the_wait),
		cmocka_unit_test(an_overrun_is_found),
		cmocka_unit_test(a_store_behind_is_found_at_the_free),
		cmocka_unit_test(launch_says_what_is_wrong),
		cmocka_unit_test(a_child_has_no_board),
		cmocka_unit_test(a_launch_of_the_first_version_does),
		/* The context cannot be used after these tests. */
		cmocka_unit_test(a_kernel_is_reported_as_what_it_stands_for),
		cmocka_unit_test(a_kernel_that_does_not_return_is_reported),
		cmocka_unit_test(an_illegal_address_ends_the_context),
	};
	const struct CMUnitTest record[] = {
		cmocka_unit_test(record_refuses_nothing),
		cmocka_unit_test(a_right_between_two_touches_makes_them_two),
	};

	const struct CMUnitTest off[] = {
		cmocka_unit_test(off_looks_at_nothing),
		cmocka_unit_test(a_kernel_works_on_each_kind),
		cmocka_unit_test(new_memory_is_poisoned_but_pinned),
		cmocka_unit_test(alloc_says_what_is_wrong),
		cmocka_unit_test(free_says_what_is_wrong),
		cmocka_unit_test(free_waits_for_work),
		cmocka_unit_test(an_address_tells_what_it_is),
		cmocka_unit_test(registered_memory_has_two_addresses),
		cmocka_unit_test(only_memory_of_its_own_is_registered),
		cmocka_unit_test(registered_pages_may_be_the_heaps),
		cmocka_unit_test(host_memory_is_always_the_cpus),
		cmocka_unit_test(attach_says_what_is_wrong),
		cmocka_unit_test(work_of_a_stream_is_in_order),
		cmocka_unit_test(blocking_streams_wait_for_the_legacy_one),
		cmocka_unit_test(an_event_can_be_copied),
		cmocka_unit_test(an_event_orders_two_streams),
		cmocka_unit_test(events_tell_the_time),
		cmocka_unit_test(a_host_function_may_not_call),
		cmocka_unit_test(a_host_function_may_touch),
		cmocka_unit_test(the_most_urgent_job_is_next),
		cmocka_unit_test(priorities_have_bounds),
		cmocka_unit_test(host_functions_run_one_at_a_time),
		cmocka_unit_test(a_callback_gets_its_stream),
		cmocka_unit_test(the_librarys_threads_block_signals),
		cmocka_unit_test(a_thread_has_its_own_stream),
		cmocka_unit_test(copies_go_in_every_direction),
		cmocka_unit_test(rows_are_copied_and_set),
		cmocka_unit_test(rows_are_copied_in_order_of_a_stream),
		cmocka_unit_test(copies_say_what_is_wrong),
		cmocka_unit_test(launch_says_what_is_wrong),
		cmocka_unit_test(a_child_has_no_board),
	};

	if (is_always_off())
		return cmocka_run_group_tests(off, open_off, close_all);
	return cmocka_run_group_tests(strict, open_strict, close_all) |
	       cmocka_run_group_tests(record, open_record, close_all) |
	       cmocka_run_group_tests(off, open_off, close_all);
}
