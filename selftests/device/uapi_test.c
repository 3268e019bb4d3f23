// SPDX-License-Identifier: GPL-2.0-only
/* The layout of linux/heapsim.h: numbers that never change once released. */
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"

#define SIZE_IS(type, nr) \
	static_assert(sizeof(struct type) == (nr) && \
		      sizeof(struct type) % 8 == 0 && \
		      offsetof(struct type, size) == 0, "size of " #type)
#define AT(type, field, nr) \
	static_assert(offsetof(struct type, field) == (nr), #type "." #field)

SIZE_IS(heapsim_probe, 80);
AT(heapsim_probe, abi_version, 4);
AT(heapsim_probe, features, 8);
AT(heapsim_probe, line_size, 16);
AT(heapsim_probe, fill_size, 20);
AT(heapsim_probe, page_size, 24);
AT(heapsim_probe, policy, 28);
AT(heapsim_probe, seed, 32);
AT(heapsim_probe, evict_random, 40);
AT(heapsim_probe, io_coherent, 44);
AT(heapsim_probe, soc, 48);

SIZE_IS(heapsim_info, 64);
AT(heapsim_info, flags, 4);
AT(heapsim_info, nr_bufs, 8);
AT(heapsim_info, buf_bytes, 16);
AT(heapsim_info, cpu_bytes, 24);
AT(heapsim_info, pool_bytes, 32);
AT(heapsim_info, nr_jobs, 40);
AT(heapsim_info, limit_bytes, 48);
AT(heapsim_info, user_limit_bytes, 56);

SIZE_IS(heapsim_buf_alloc, 64);
AT(heapsim_buf_alloc, fd_flags, 4);
AT(heapsim_buf_alloc, len, 8);
AT(heapsim_buf_alloc, kind, 16);
AT(heapsim_buf_alloc, fd, 20);
AT(heapsim_buf_alloc, id, 24);
AT(heapsim_buf_alloc, name, 32);

static_assert(sizeof(struct heapsim_counters) == 17 * 8, "counters");
AT(heapsim_counters, fills, 0);
AT(heapsim_counters, lines_filled, 8);
AT(heapsim_counters, lines_cleaned, 16);
AT(heapsim_counters, lines_invalidated, 24);
AT(heapsim_counters, evictions, 32);
AT(heapsim_counters, redundant_cleans, 40);
AT(heapsim_counters, redundant_invalidates, 48);
AT(heapsim_counters, shared_lines, 56);
AT(heapsim_counters, stale_reads, 64);
AT(heapsim_counters, possible_stale_reads, 72);
AT(heapsim_counters, lost_device_writes, 80);
AT(heapsim_counters, lost_cpu_writes, 88);
AT(heapsim_counters, missing_cleans, 96);
AT(heapsim_counters, write_conflicts, 104);
AT(heapsim_counters, unbracketed_accesses, 112);
AT(heapsim_counters, missing_ends, 120);
AT(heapsim_counters, unmatched_ends, 128);

SIZE_IS(heapsim_buf_info, 72 + 17 * 8);
AT(heapsim_buf_info, fd, 4);
AT(heapsim_buf_info, id, 8);
AT(heapsim_buf_info, len, 16);
AT(heapsim_buf_info, kind, 24);
AT(heapsim_buf_info, has_two_views, 28);
AT(heapsim_buf_info, nr_holders, 32);
AT(heapsim_buf_info, reserved, 36);
AT(heapsim_buf_info, name, 40);
AT(heapsim_buf_info, count, 72);

static_assert(sizeof(struct heapsim_range) == 24, "range");
AT(heapsim_range, fd, 0);
AT(heapsim_range, op, 4);
AT(heapsim_range, off, 8);
AT(heapsim_range, len, 16);

SIZE_IS(heapsim_buf_maintain, 24);
AT(heapsim_buf_maintain, nr_ranges, 4);
AT(heapsim_buf_maintain, ranges, 8);
AT(heapsim_buf_maintain, nr_done, 16);
AT(heapsim_buf_maintain, reserved, 20);

SIZE_IS(heapsim_dma_submit, 96);
AT(heapsim_dma_submit, op, 4);
AT(heapsim_dma_submit, flags, 8);
AT(heapsim_dma_submit, src_fd, 12);
AT(heapsim_dma_submit, dst_fd, 16);
AT(heapsim_dma_submit, pattern, 20);
AT(heapsim_dma_submit, src_off, 24);
AT(heapsim_dma_submit, dst_off, 32);
AT(heapsim_dma_submit, src_pitch, 40);
AT(heapsim_dma_submit, dst_pitch, 48);
AT(heapsim_dma_submit, row_len, 56);
AT(heapsim_dma_submit, nr_rows, 64);
AT(heapsim_dma_submit, fence_fd, 68);
AT(heapsim_dma_submit, delay_ns, 72);
AT(heapsim_dma_submit, job, 80);
AT(heapsim_dma_submit, reserved, 88);

SIZE_IS(heapsim_job_wait, 40);
AT(heapsim_job_wait, flags, 4);
AT(heapsim_job_wait, job, 8);
AT(heapsim_job_wait, timeout_ns, 16);
AT(heapsim_job_wait, result, 24);
AT(heapsim_job_wait, status, 32);
AT(heapsim_job_wait, reserved, 36);

SIZE_IS(heapsim_fence_create, 32);
AT(heapsim_fence_create, flags, 4);
AT(heapsim_fence_create, fd, 8);
AT(heapsim_fence_create, fence_fd, 12);
AT(heapsim_fence_create, timeout_ns, 16);
AT(heapsim_fence_create, fence, 24);

SIZE_IS(heapsim_fence_signal, 16);
AT(heapsim_fence_signal, error, 4);
AT(heapsim_fence_signal, fence, 8);

SIZE_IS(heapsim_hold, 48);
AT(heapsim_hold, how, 4);
AT(heapsim_hold, fd, 8);
AT(heapsim_hold, dir, 12);
AT(heapsim_hold, hold, 16);
AT(heapsim_hold, nr_segments, 24);
AT(heapsim_hold, reserved, 28);
AT(heapsim_hold, sg_bytes, 32);
AT(heapsim_hold, max_segment, 40);

SIZE_IS(heapsim_release, 16);
AT(heapsim_release, flags, 4);
AT(heapsim_release, hold, 8);

SIZE_IS(heapsim_buf_revoke, 8);
AT(heapsim_buf_revoke, fd, 4);

static_assert(HEAPSIM_IOC_PROBE == 0xe700, "probe");
static_assert(HEAPSIM_IOC_INFO == 0xe701, "info");
static_assert(HEAPSIM_IOC_BUF_ALLOC == 0xe702, "buf alloc");
static_assert(HEAPSIM_IOC_BUF_INFO == 0xe703, "buf info");
static_assert(HEAPSIM_IOC_BUF_MAINTAIN == 0xe704, "buf maintain");
static_assert(HEAPSIM_IOC_DMA_SUBMIT == 0xe705, "dma submit");
static_assert(HEAPSIM_IOC_JOB_WAIT == 0xe706, "job wait");
static_assert(HEAPSIM_IOC_FENCE_CREATE == 0xe707, "fence create");
static_assert(HEAPSIM_IOC_FENCE_SIGNAL == 0xe708, "fence signal");
static_assert(HEAPSIM_IOC_HOLD == 0xe709, "hold");
static_assert(HEAPSIM_IOC_RELEASE == 0xe70a, "release");
static_assert(HEAPSIM_IOC_BUF_REVOKE == 0xe70b, "buf revoke");

static_assert(HEAPSIM_KIND_SYSTEM == 0 && HEAPSIM_KIND_NONCOHERENT == 1 &&
	      HEAPSIM_KIND_COHERENT == 2 && HEAPSIM_KIND_UNCACHED == 3 &&
	      HEAPSIM_KIND_CONTIGUOUS == 4 && HEAPSIM_KIND_FOREIGN == 5,
	      "kinds");

/*
 * A call of each command that succeeds, on a fresh buffer. @prepare fills in
 * all but the size, @after puts back what the call made.
 */
struct world {
	int dev;
	int fd;
	struct heapsim_range range;
	uint64_t id;
};

union any {
	uint32_t size;
	struct heapsim_probe probe;
	struct heapsim_info info;
	struct heapsim_buf_alloc alloc;
	struct heapsim_buf_info buf_info;
	struct heapsim_buf_maintain maintain;
	struct heapsim_dma_submit submit;
	struct heapsim_job_wait wait;
	struct heapsim_fence_create create;
	struct heapsim_fence_signal signal;
	struct heapsim_hold hold;
	struct heapsim_release release;
	struct heapsim_buf_revoke revoke;
	uint8_t bytes[1024];
};

static void prepare_nothing(struct world *w, union any *any)
{
}

static void after_nothing(struct world *w, union any *any)
{
}

static void prepare_alloc(struct world *w, union any *any)
{
	any->alloc.len = 4096;
	any->alloc.kind = HEAPSIM_KIND_COHERENT;
}

static void after_alloc(struct world *w, union any *any)
{
	close(any->alloc.fd);
}

static void prepare_buf_info(struct world *w, union any *any)
{
	any->buf_info.fd = w->fd;
}

static void prepare_maintain(struct world *w, union any *any)
{
	w->range = (struct heapsim_range) {
		.fd = w->fd,
		.op = HEAPSIM_MAINT_CLEAN,
		.len = 64,
	};
	any->maintain.nr_ranges = 1;
	any->maintain.ranges = (uintptr_t)&w->range;
}

static void prepare_submit(struct world *w, union any *any)
{
	any->submit.op = HEAPSIM_DMA_FILL;
	any->submit.src_fd = -1;
	any->submit.dst_fd = w->fd;
	any->submit.row_len = 64;
	any->submit.nr_rows = 1;
}

static void after_submit(struct world *w, union any *any)
{
	struct heapsim_job_wait answer;

	close(any->submit.fence_fd);
	assert_int_equal(device_wait_errno(w->dev, any->submit.job,
					   10 * NSEC_PER_SEC, &answer), 0);
}

static void prepare_wait(struct world *w, union any *any)
{
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = w->fd,
		.row_len = 64,
		.nr_rows = 1,
	};

	assert_int_equal(device_submit_errno(w->dev, &submit), 0);
	close(submit.fence_fd);
	any->wait.job = submit.job;
	any->wait.timeout_ns = 10 * NSEC_PER_SEC;
}

static void prepare_create(struct world *w, union any *any)
{
	any->create.flags = HEAPSIM_FENCE_READ;
	any->create.fd = w->fd;
	any->create.timeout_ns = NSEC_PER_SEC;
}

static void after_create(struct world *w, union any *any)
{
	close(any->create.fence_fd);
	device_fence_signal(w->dev, any->create.fence, 0);
}

static void prepare_signal(struct world *w, union any *any)
{
	struct heapsim_fence_create create;

	assert_int_equal(device_fence_errno(w->dev, w->fd, HEAPSIM_FENCE_READ,
					    NSEC_PER_SEC, &create), 0);
	close(create.fence_fd);
	any->signal.fence = create.fence;
}

static void prepare_hold(struct world *w, union any *any)
{
	any->hold.how = HEAPSIM_HOLD_MAP;
	any->hold.fd = w->fd;
}

static void after_hold(struct world *w, union any *any)
{
	device_release(w->dev, any->hold.hold);
}

static void prepare_release(struct world *w, union any *any)
{
	struct heapsim_hold hold;

	assert_int_equal(device_hold_errno(w->dev, w->fd, HEAPSIM_HOLD_MAP, 0,
					   &hold), 0);
	any->release.hold = hold.hold;
}

static void prepare_revoke(struct world *w, union any *any)
{
	any->revoke.fd = w->fd;
}

static const struct command {
	const char *name;
	unsigned long cmd;
	size_t size;
	void (*prepare)(struct world *w, union any *any);
	void (*after)(struct world *w, union any *any);
} commands[] = {
	{ "probe", HEAPSIM_IOC_PROBE, sizeof(struct heapsim_probe),
	  prepare_nothing, after_nothing },
	{ "info", HEAPSIM_IOC_INFO, sizeof(struct heapsim_info),
	  prepare_nothing, after_nothing },
	{ "buf_alloc", HEAPSIM_IOC_BUF_ALLOC, sizeof(struct heapsim_buf_alloc),
	  prepare_alloc, after_alloc },
	{ "buf_info", HEAPSIM_IOC_BUF_INFO, sizeof(struct heapsim_buf_info),
	  prepare_buf_info, after_nothing },
	{ "buf_maintain", HEAPSIM_IOC_BUF_MAINTAIN,
	  sizeof(struct heapsim_buf_maintain),
	  prepare_maintain, after_nothing },
	{ "dma_submit", HEAPSIM_IOC_DMA_SUBMIT,
	  sizeof(struct heapsim_dma_submit), prepare_submit, after_submit },
	{ "job_wait", HEAPSIM_IOC_JOB_WAIT, sizeof(struct heapsim_job_wait),
	  prepare_wait, after_nothing },
	{ "fence_create", HEAPSIM_IOC_FENCE_CREATE,
	  sizeof(struct heapsim_fence_create), prepare_create, after_create },
	{ "fence_signal", HEAPSIM_IOC_FENCE_SIGNAL,
	  sizeof(struct heapsim_fence_signal),
	  prepare_signal, after_nothing },
	{ "hold", HEAPSIM_IOC_HOLD, sizeof(struct heapsim_hold),
	  prepare_hold, after_hold },
	{ "release", HEAPSIM_IOC_RELEASE, sizeof(struct heapsim_release),
	  prepare_release, after_nothing },
	{ "buf_revoke", HEAPSIM_IOC_BUF_REVOKE,
	  sizeof(struct heapsim_buf_revoke), prepare_revoke, after_nothing },
};

#define NR_COMMANDS	(ARRAY_SIZE(commands))

static const struct command *begin(void **state, struct world *w,
				   union any *any)
{
	const struct command *command = *state;

	memset(any, 0, sizeof(*any));
	w->dev = device_open();
	w->fd = device_alloc(w->dev, HEAPSIM_KIND_NONCOHERENT, 4096);
	command->prepare(w, any);
	return command;
}

static void end(struct world *w)
{
	close(w->fd);
	close(w->dev);
}

static int call(const struct command *command, struct world *w,
		union any *any, size_t size)
{
	any->size = size;
	return device_ioctl_errno(w->dev, command->cmd, any);
}

static void its_own_size_is_taken(void **state)
{
	const struct command *command;
	struct world w;
	union any any;

	command = begin(state, &w, &any);
	assert_int_equal(call(command, &w, &any, command->size), 0);
	command->after(&w, &any);
	end(&w);
}

static void smaller_size_is_einval(void **state)
{
	const struct command *command;
	struct world w;
	union any any;
	size_t size;

	command = begin(state, &w, &any);
	for (size = 0; size < command->size; size++)
		assert_int_equal(call(command, &w, &any, size), -EINVAL);
	/* Nothing was used up: the call is still good. */
	assert_int_equal(call(command, &w, &any, command->size), 0);
	command->after(&w, &any);
	end(&w);
}

static void bigger_size_with_a_zero_tail_is_taken(void **state)
{
	const struct command *command;
	struct world w;
	union any any;
	size_t more;

	for (more = 1; more <= 512; more += 73) {
		command = begin(state, &w, &any);
		assert_int_equal(call(command, &w, &any,
				      command->size + more), 0);
		assert_true(device_is_filled(any.bytes + command->size, 0,
					     more));
		command->after(&w, &any);
		end(&w);
	}
}

static void bigger_size_with_another_tail_is_e2big(void **state)
{
	const struct command *command;
	struct world w;
	union any any;
	size_t more;

	command = begin(state, &w, &any);
	for (more = 1; more <= 512; more += 73) {
		any.bytes[command->size + more - 1] = 1;
		assert_int_equal(call(command, &w, &any,
				      command->size + more), -E2BIG);
		any.bytes[command->size + more - 1] = 0;
	}
	assert_int_equal(call(command, &w, &any, command->size), 0);
	command->after(&w, &any);
	end(&w);
}

static void bytes_after_the_size_are_not_touched(void **state)
{
	const struct command *command;
	struct world w;
	union any any;

	command = begin(state, &w, &any);
	memset(any.bytes + command->size, 0xa5, 64);
	assert_int_equal(call(command, &w, &any, command->size), 0);
	assert_true(device_is_filled(any.bytes + command->size, 0xa5, 64));
	command->after(&w, &any);
	end(&w);
}

static void bad_pointer_is_efault(void **state)
{
	const struct command *command;
	struct world w;
	union any any;

	command = begin(state, &w, &any);
	assert_int_equal(device_ioctl_errno(w.dev, command->cmd, NULL),
			 -EFAULT);
	assert_int_equal(call(command, &w, &any, command->size), 0);
	command->after(&w, &any);
	end(&w);
}

static void a_tail_is_looked_at_before_the_contents(void **state)
{
	const struct command *command;
	struct world w;
	union any any;

	command = begin(state, &w, &any);
	memset(any.bytes, 0xff, command->size + 8);
	assert_int_equal(call(command, &w, &any, command->size + 8), -E2BIG);
	end(&w);
}

static void probe_tells_the_size_that_the_kernel_knows(void **state)
{
	union any any = { .size = sizeof(struct heapsim_probe) + 64 };
	int dev = device_open();

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_PROBE, &any), 0);
	assert_int_equal(any.size, sizeof(struct heapsim_probe));
	assert_int_equal(any.probe.abi_version, HEAPSIM_ABI_VERSION);
	close(dev);
}

static const struct {
	const char *name;
	CMUnitTestFunction fn;
} tests[] = {
#define TEST(fn) { #fn, fn }
	TEST(its_own_size_is_taken),
	TEST(smaller_size_is_einval),
	TEST(bigger_size_with_a_zero_tail_is_taken),
	TEST(bigger_size_with_another_tail_is_e2big),
	TEST(bytes_after_the_size_are_not_touched),
	TEST(bad_pointer_is_efault),
	TEST(a_tail_is_looked_at_before_the_contents),
};

#define NR_TESTS	(ARRAY_SIZE(tests))

int main(void)
{
	static struct CMUnitTest list[1 + NR_COMMANDS * NR_TESTS];
	static char names[NR_COMMANDS * NR_TESTS][96];
	size_t i, k, nr = 0;

	list[nr++] = (struct CMUnitTest) {
		.name = "probe_tells_the_size_that_the_kernel_knows",
		.test_func = probe_tells_the_size_that_the_kernel_knows,
	};
	for (i = 0; i < NR_COMMANDS; i++)
		for (k = 0; k < NR_TESTS; k++) {
			char *name = names[i * NR_TESTS + k];

			snprintf(name, sizeof(names[0]), "%s: %s",
				 commands[i].name, tests[k].name);
			list[nr++] = (struct CMUnitTest) {
				.name = name,
				.test_func = tests[k].fn,
				.initial_state = (void *)&commands[i],
			};
		}
	return _cmocka_run_group_tests("uapi", list, nr, NULL, NULL);
}
