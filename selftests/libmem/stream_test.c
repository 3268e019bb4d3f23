// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory by its address, streams, events, host functions, kernels and copies.
 * Which board it is LIBMEM_SOC says, or the module: each test asks what is true
 * of it.
 */
#include "stream.h"

#include <pthread.h>
#include <sys/mman.h>
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
				  MEM_DEVICE_TO_HOST), 0);
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

static struct mem_ptr_info info_of(const void *ptr)
{
	struct mem_ptr_info info = { .size = sizeof(info) };

	assert_int_equal(mem_ptr_info(ctx, ptr, &info), 0);
	return info;
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
	info = info_of(ptr + 5);
	assert_int_equal(info.kind, MEM_KIND_MANAGED);
	assert_ptr_equal(info.base, ptr);
	assert_int_equal(info.len, LEN);
	assert_ptr_equal(info.host, ptr + 5);
	assert_ptr_equal(info.device, ptr + 5);
	assert_int_equal(info.attach, MEM_ATTACH_HOST);
	assert_true(info.is_own);
	assert_string_equal(info.name, "frame");
	info = info_of(device + 1);
	assert_int_equal(info.kind, MEM_KIND_DEVICE);
	assert_null(info.host);
	assert_ptr_equal(info.device, device + 1);
	assert_int_equal(info_of(pinned).kind, MEM_KIND_PINNED);
	info = info_of(&local);
	assert_int_equal(info.kind, MEM_KIND_PAGEABLE);
	assert_null(info.device);
	assert_ptr_equal(info.host, &local);
	assert_int_equal(info_of(NULL).kind, MEM_KIND_PAGEABLE);
	release(ptr);
	assert_int_equal(info_of(ptr).kind, MEM_KIND_PAGEABLE);
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
		/* A generic board has no such call. */
		release(to);
		free(host);
		return;
	}
	assert_int_equal(err, 0);
	all_are(host, 21);
	assert_int_equal(mem_register(ctx, host + 1, 4, 0), -EEXIST);
	assert_int_equal(mem_device_ptr(ctx, host + 3, &device), 0);
	assert_int_equal(info_of(host + 3).kind, MEM_KIND_REGISTERED);
	assert_ptr_equal(info_of(host + 3).device, device);
	assert_ptr_equal(info_of(device).host, host + 3);
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

/* Who may touch what when */

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

static void a_touch_is_told_with_who_has_the_buffer(void **state)
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
	assert_int_equal(mem_stream_sync(other), 0);
	is_allowed(ptr);
	let_go(gate);
	sync_stream();
	assert_int_equal(mem_stream_destroy(other), 0);
	assert_int_equal(info_of(ptr).attach, MEM_ATTACH_HOST);
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

/* Of a DRIVE PX 2 the discrete GPU has no managed memory at all. */
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
	struct mem_stream *legacy = mem_stream_legacy(ctx);
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
	assert_int_equal(mem_stream_attach(legacy, ptr, 0, MEM_ATTACH_SINGLE),
			 -EINVAL);
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
	/* A kernel of this process was the first to touch it. */
	assert_int_equal(found(MEM_VIOLATION_ATOMIC_ON_UNCACHED),
			 has_processes ? nr : 0);
	assert_int_equal(ptr[0], 3);
	release(ptr);
	release(other);
}

static void a_system_call_is_refused_too(void **state)
{
	uint32_t *ptr = managed(MEM_ATTACH_GLOBAL);
	struct gate gate;
	int fd = open("/dev/zero", O_RDONLY);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(read(fd, ptr, LEN), LEN);
	all_are(ptr, 0);
	gate = hold_up(stream);
	if (!is_concurrent()) {
		assert_int_equal(read(fd, ptr, LEN), -1);
		assert_int_equal(errno, EFAULT);
		assert_true(found(MEM_VIOLATION_CPU_WHILE_ACTIVE) > 0);
	}
	let_go(gate);
	sync_stream();
	assert_int_equal(read(fd, ptr, LEN), LEN);
	nothing_found();
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

static int open_off(void **state)
{
	(void)state;
	return open_with(MEM_POLICY_OFF);
}

/* Under valgrind it is off whatever is asked for. */
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
	/* There is one view: nothing is stale. */
	start_add(stream, ptr, ptr, 1);
	sync_stream();
	assert_int_equal(ptr[0], 2);
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
	assert_int_equal(mem_set_async(stream, ptr, 0, LEN), 0);
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
	/* Not ordered with them. */
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
	assert_int_equal(mem_stream_destroy(NULL), -EINVAL);
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
	/* Not each board has the fifth. */
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
	assert_int_equal(mem_copy_rows(stream, &rows, MEM_HOST_TO_DEVICE), 0);
	assert_int_equal(mem_set_rows(stream, (char *)device + 10, pitch, 9, 5,
				      30, 0), 0);
	rows = (struct mem_rows) { back, 100, device, pitch, 100, 30 };
	assert_int_equal(mem_copy_rows(stream, &rows, MEM_DEVICE_TO_HOST), 0);
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
				  MEM_HOST_TO_HOST), -EINVAL);
	assert_int_equal(mem_copy(stream, device, &local, 4,
				  MEM_DEVICE_TO_DEVICE), -EINVAL);
	assert_int_equal(mem_copy(stream, &local, device, 4,
				  MEM_HOST_TO_DEVICE), -EINVAL);
	assert_int_equal(mem_copy(stream, device + N - 1, &local, 8,
				  MEM_DIR_DEFAULT), -EINVAL);
	assert_int_equal(mem_copy(mem_stream_legacy(other), device, &local, 4,
				  MEM_DIR_DEFAULT), -EXDEV);
	assert_int_equal(mem_copy(stream, device, &local, 0,
				  MEM_DIR_DEFAULT), 0);
	assert_int_equal(mem_set(stream, &local, 1, 4), -EINVAL);
	assert_int_equal(mem_set(stream, device, 1, LEN + 1), -EINVAL);
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
				  MEM_HOST_TO_DEVICE), 0);
	is_refused(ptr);
	assert_int_equal(mem_copy(stream, &word, device, sizeof(word),
				  MEM_DEVICE_TO_HOST), 0);
	is_allowed(ptr);
	assert_int_equal(mem_set(stream, device, 0, LEN), 0);
	is_refused(ptr);
	assert_int_equal(mem_set(stream, ptr, 0, LEN), 0);
	is_allowed(ptr);
	release(ptr);
	release(device);
}

/* What the driver does */

static struct mem_attach_counters counters(const void *ptr)
{
	struct mem_attach_counters count;

	assert_int_equal(mem_ptr_attach_counters(ctx, ptr, &count), 0);
	return count;
}

/* Each launch uses one of several buffers. */
static uint64_t maintained_by_loop(unsigned int how, size_t nr)
{
	uint32_t *bufs[8];
	uint64_t before, after;
	size_t i;

	for (i = 0; i < nr; i++) {
		bufs[i] = managed(how);
		set_all(bufs[i], 1);
	}
	before = counters(NULL).cleaned_bytes;
	for (i = 0; i < nr; i++) {
		if (how == MEM_ATTACH_HOST)
			assert_int_equal(mem_stream_attach(stream, bufs[i], 0,
							   MEM_ATTACH_SINGLE),
					 0);
		start_add(stream, bufs[i], bufs[i], 1);
		sync_stream();
		if (how == MEM_ATTACH_HOST)
			assert_int_equal(mem_stream_attach(stream, bufs[i], 0,
							   MEM_ATTACH_HOST),
					 0);
		sync_stream();
		all_are(bufs[i], 2);
	}
	after = counters(NULL).cleaned_bytes;
	for (i = 0; i < nr; i++)
		release(bufs[i]);
	return after - before;
}

static void hints_save_maintenance(void **state)
{
	uint64_t without, with;

	(void)state;
	without = maintained_by_loop(MEM_ATTACH_GLOBAL, 8);
	nothing_found();
	with = maintained_by_loop(MEM_ATTACH_HOST, 8);
	nothing_found();
	if (is_coherent()) {
		assert_int_equal(without, 0);
		return;
	}
	assert_int_equal(without, 8 * 8 * LEN);
	/* One prefetch, and one clean as the job starts. */
	assert_int_equal(with, 2 * 8 * LEN);
}

/* What goes wrong in kernels */

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
	/* An engine has the output that the application had at its start. */
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
	/* There is no page behind it that a thread could be given. */
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
	launch = good;
	launch.engine = MEM_NR_ENGINES;
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
	int status;
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
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	release(ptr);
}

int main(void)
{
	const struct CMUnitTest strict[] = {
		cmocka_unit_test(a_kernel_works_on_each_kind),
		cmocka_unit_test(new_memory_is_poisoned_but_pinned),
		cmocka_unit_test(alloc_says_what_is_wrong),
		cmocka_unit_test(free_says_what_is_wrong),
		cmocka_unit_test(free_waits_for_work),
		cmocka_unit_test(an_address_tells_what_it_is),
		cmocka_unit_test(registered_memory_has_two_addresses),
		cmocka_unit_test(the_cpu_is_refused_while_a_kernel_runs),
		cmocka_unit_test(a_touch_is_told_with_who_has_the_buffer),
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
		cmocka_unit_test(an_event_orders_two_streams),
		cmocka_unit_test(events_tell_the_time),
		cmocka_unit_test(a_host_function_may_not_call),
		cmocka_unit_test(a_host_function_may_touch),
		cmocka_unit_test(a_destroyed_stream_ends_its_work),
		cmocka_unit_test(a_thread_has_its_own_stream),
		cmocka_unit_test(copies_go_in_every_direction),
		cmocka_unit_test(rows_are_copied_and_set),
		cmocka_unit_test(copies_say_what_is_wrong),
		cmocka_unit_test(a_copy_to_the_host_is_a_wait),
		cmocka_unit_test(hints_save_maintenance),
		cmocka_unit_test(what_a_kernel_prints_is_there_after_the_wait),
		cmocka_unit_test(an_overrun_is_found),
		cmocka_unit_test(launch_says_what_is_wrong),
		cmocka_unit_test(a_child_has_no_board),
		/* Nothing can be done with the context after it. */
		cmocka_unit_test(an_illegal_address_ends_the_context),
	};
	const struct CMUnitTest record[] = {
		cmocka_unit_test(record_refuses_nothing),
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
		cmocka_unit_test(host_memory_is_always_the_cpus),
		cmocka_unit_test(attach_says_what_is_wrong),
		cmocka_unit_test(work_of_a_stream_is_in_order),
		cmocka_unit_test(blocking_streams_wait_for_the_legacy_one),
		cmocka_unit_test(an_event_orders_two_streams),
		cmocka_unit_test(events_tell_the_time),
		cmocka_unit_test(a_host_function_may_not_call),
		cmocka_unit_test(a_host_function_may_touch),
		cmocka_unit_test(a_thread_has_its_own_stream),
		cmocka_unit_test(copies_go_in_every_direction),
		cmocka_unit_test(rows_are_copied_and_set),
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
