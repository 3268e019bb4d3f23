// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the commands of /dev/heapsim: each documented errno, the order of the
 * checks, and the bytes that jobs of the dma engine write.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/udmabuf.h>

#include "device.h"
#include "vgem.h"

#define LEN	(64 * KIB)

struct fixture {
	int dev;
	int src;
	int dst;
	uint8_t *src_map;
	uint8_t *dst_map;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	size_t i;

	f->dev = device_open();
	f->src = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, LEN);
	f->dst = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, LEN);
	f->src_map = device_map(f->src, LEN);
	f->dst_map = device_map(f->dst, LEN);
	srand(1);
	for (i = 0; i < LEN; i++)
		f->src_map[i] = rand() >> 7;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	munmap(f->src_map, LEN);
	munmap(f->dst_map, LEN);
	close(f->src);
	close(f->dst);
	close(f->dev);
	free(f);
	return 0;
}

static struct heapsim_dma_submit copy_of(struct fixture *f, uint64_t len)
{
	return device_copy_of(f->src, f->dst, len);
}

static struct heapsim_dma_submit fill_of(struct fixture *f, uint64_t len)
{
	return device_fill_of(f->dst, len, 0);
}

static struct heapsim_dma_submit checksum_of(struct fixture *f, uint64_t len)
{
	return device_checksum_of(f->src, len);
}

static void submit_is(struct fixture *f, struct heapsim_dma_submit submit,
		      int expected)
{
	assert_int_equal(device_submit_errno(f->dev, &submit), expected);
}

/* Memory kept for a running job counts for the user, and is freed after it. */
static void a_job_that_lasts_counts(void **state)
{
	struct fixture *f = *state;
	int fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, LEN);
	const uint64_t before = device_info(f->dev).buf_bytes;
	struct heapsim_dma_submit submit = checksum_of(f, LEN);
	struct heapsim_job_wait wait;
	unsigned int tries;

	submit.src_fd = fd;
	submit.delay_ns = NSEC_PER_SEC / 2;
	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	assert_true(device_info(f->dev).buf_bytes > before);
	assert_int_equal(device_wait_errno(f->dev, submit.job,
					   30 * NSEC_PER_SEC, &wait), 0);
	/* The job's memory is freed a little after its fence is signalled. */
	for (tries = 0; tries < 1000; tries++) {
		if (device_info(f->dev).buf_bytes == before)
			break;
		usleep(10000);
	}
	assert_int_equal(device_info(f->dev).buf_bytes, before);
	close(submit.fence_fd);
	close(fd);
}

static void unknown_command_is_enotty(void **state)
{
	struct fixture *f = *state;
	uint32_t size = 8;

	assert_int_equal(device_ioctl_errno(f->dev, _IO(HEAPSIM_IOC_MAGIC,
							0xff), &size),
			 -ENOTTY);
	assert_int_equal(device_ioctl_errno(f->dev, _IO('b', 1), &size),
			 -ENOTTY);
	assert_int_equal(device_ioctl_errno(f->dev, _IO(HEAPSIM_IOC_MAGIC,
							0xff), NULL), -ENOTTY);
}

static void probe_describes_the_machine(void **state)
{
	struct fixture *f = *state;
	struct heapsim_probe probe = device_probe(f->dev);

	assert_int_equal(probe.abi_version, HEAPSIM_ABI_VERSION);
	assert_int_equal(probe.page_size, device_page_size());
	assert_true(probe.line_size == 32 || probe.line_size == 64 ||
		    probe.line_size == 128);
	assert_int_equal(probe.fill_size % probe.page_size, 0);
	assert_true(probe.fill_size >= probe.page_size);
	assert_true(probe.policy <= HEAPSIM_POLICY_OFF);
	assert_true(probe.io_coherent <= 1 && probe.evict_random <= 1);
	assert_true(memchr(probe.soc, 0, sizeof(probe.soc)));
	assert_true(probe.soc[0] != 0);
}

static void info_counts_buffers_and_bytes(void **state)
{
	struct fixture *f = *state;
	struct heapsim_info before = device_info(f->dev), after;
	int fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, LEN);
	uint8_t *map;

	after = device_info(f->dev);
	assert_int_equal(after.nr_bufs, before.nr_bufs + 1);
	assert_int_equal(after.buf_bytes, before.buf_bytes + LEN);
	assert_int_equal(after.cpu_bytes, before.cpu_bytes);
	map = device_map(fd, LEN);
	memset(map, 1, LEN);
	assert_int_equal(device_info(f->dev).cpu_bytes,
			 before.cpu_bytes + LEN);
	device_unmap(map, LEN);
	close(fd);
	after = device_info(f->dev);
	assert_int_equal(after.nr_bufs, before.nr_bufs);
	assert_int_equal(after.buf_bytes, before.buf_bytes);
	assert_int_equal(after.cpu_bytes, before.cpu_bytes);
	assert_true(after.limit_bytes > 0);
	assert_true(after.user_limit_bytes <= after.limit_bytes);
}

static void info_with_flags_is_einval(void **state)
{
	struct heapsim_info info = { .size = sizeof(info), .flags = 1 };
	struct fixture *f = *state;

	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_INFO, &info),
			 -EINVAL);
}

static int alloc(struct fixture *f, struct heapsim_buf_alloc *alloc)
{
	alloc->size = sizeof(*alloc);
	return device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_ALLOC, alloc);
}

static void alloc_refuses_what_is_malformed(void **state)
{
	struct fixture *f = *state;
	struct heapsim_buf_alloc bad[] = {
		{ .len = 0, .kind = HEAPSIM_KIND_COHERENT },
		{ .len = UINT64_MAX, .kind = HEAPSIM_KIND_COHERENT },
		{ .len = 1, .kind = HEAPSIM_KIND_FOREIGN },
		{ .len = 1, .kind = HEAPSIM_KIND_DEVICE + 1 },
		{ .len = 1, .kind = HEAPSIM_KIND_MANAGED },
		{ .len = 1, .kind = HEAPSIM_KIND_MANAGED,
		  .attach = HEAPSIM_ATTACH_SINGLE },
		{ .len = 1, .kind = HEAPSIM_KIND_PINNED,
		  .attach = HEAPSIM_ATTACH_HOST },
		{ .len = 1, .kind = HEAPSIM_KIND_COHERENT,
		  .alloc_flags = HEAPSIM_ALLOC_DEVICE_VIEW },
		{ .len = 1, .kind = HEAPSIM_KIND_PINNED, .alloc_flags = 2 },
		{ .len = 1, .kind = HEAPSIM_KIND_PINNED, .view_fd = -1 },
		{ .len = 1, .kind = HEAPSIM_KIND_PINNED, .reserved = 1 },
		{ .len = 1, .kind = UINT32_MAX },
		{ .len = 1, .kind = HEAPSIM_KIND_COHERENT,
		  .fd_flags = O_NONBLOCK },
		{ .len = 1, .kind = HEAPSIM_KIND_COHERENT, .fd = 1 },
		{ .len = 1, .kind = HEAPSIM_KIND_COHERENT, .fd = -1 },
		{ .len = 1, .kind = HEAPSIM_KIND_COHERENT,
		  .name = "0123456789abcdef0123456789abcdef" },
	};
	int fds = device_nr_fds();
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (alloc(f, &bad[i]) != -EINVAL)
			fail_msg("case %zu is not EINVAL", i);
	assert_int_equal(device_nr_fds(), fds);
}

static void alloc_above_the_limit_is_enomem(void **state)
{
	struct fixture *f = *state;
	struct heapsim_info info = device_info(f->dev);
	struct heapsim_buf_alloc above = {
		.len = info.limit_bytes + device_page_size(),
		.kind = HEAPSIM_KIND_NONCOHERENT,
	};
	struct heapsim_buf_alloc above_user = {
		.len = info.user_limit_bytes + device_page_size(),
		.kind = HEAPSIM_KIND_NONCOHERENT,
	};

	assert_int_equal(alloc(f, &above), -ENOMEM);
	if (info.user_limit_bytes < info.limit_bytes)
		assert_int_equal(alloc(f, &above_user), -ENOMEM);
	assert_int_equal(device_info(f->dev).buf_bytes, info.buf_bytes);
}

static void alloc_without_a_free_fd_is_emfile(void **state)
{
	struct fixture *f = *state;
	struct heapsim_buf_alloc ask = {
		.len = 4096,
		.kind = HEAPSIM_KIND_COHERENT,
	};
	uint64_t nr_bufs = device_info(f->dev).nr_bufs;
	int fds[2048], nr = 0, ret;

	while (nr < 2048 && (fds[nr] = dup(f->dev)) >= 0)
		nr++;
	ret = nr < 2048 ? alloc(f, &ask) : -EMFILE;
	while (nr)
		close(fds[--nr]);
	assert_int_equal(ret, -EMFILE);
	assert_int_equal(device_info(f->dev).nr_bufs, nr_bufs);
}

static void alloc_answers_length_id_and_name(void **state)
{
	struct fixture *f = *state;
	struct heapsim_buf_alloc one = {
		.len = 5000,
		.kind = HEAPSIM_KIND_NONCOHERENT,
		.fd_flags = O_RDWR | O_CLOEXEC,
		.name = "left eye",
	};
	struct heapsim_buf_alloc two = one;
	struct heapsim_buf_info info;

	assert_int_equal(alloc(f, &one), 0);
	assert_int_equal(alloc(f, &two), 0);
	assert_int_equal(one.len % device_page_size(), 0);
	assert_true(one.len >= 5000 && one.len < 5000 + device_page_size());
	assert_true(two.id > one.id && one.id > 0);
	assert_int_equal(fcntl(one.fd, F_GETFD), FD_CLOEXEC);
	info = device_buf_info(f->dev, one.fd);
	assert_int_equal(info.id, one.id);
	assert_int_equal(info.len, one.len);
	assert_string_equal(info.name, "left eye");
	assert_int_equal(info.kind, HEAPSIM_KIND_NONCOHERENT);
	assert_int_equal(info.has_two_views, 1);
	close(one.fd);
	close(two.fd);
}

static void alloc_that_cannot_answer_leaks_nothing(void **state)
{
	struct fixture *f = *state;
	uint64_t nr_bufs = device_info(f->dev).nr_bufs;
	size_t page = device_page_size();
	struct heapsim_buf_alloc *ask;
	int fds = device_nr_fds(), i;

	ask = mmap(NULL, page, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(ask != MAP_FAILED);
	ask->size = sizeof(*ask);
	ask->len = 4096;
	ask->kind = HEAPSIM_KIND_COHERENT;
	assert_int_equal(mprotect(ask, page, PROT_READ), 0);
	for (i = 0; i < 4; i++)
		assert_int_equal(device_ioctl_errno(f->dev,
						    HEAPSIM_IOC_BUF_ALLOC,
						    ask), -EFAULT);
	assert_int_equal(device_nr_fds(), fds);
	assert_int_equal(device_info(f->dev).nr_bufs, nr_bufs);
	munmap(ask, page);
}

/* Returns a read-only page with a copy of @what. */
static void *read_only(const void *what, size_t len)
{
	size_t page = device_page_size();
	void *at = mmap(NULL, page, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(at != MAP_FAILED);
	memcpy(at, what, len);
	assert_int_equal(mprotect(at, page, PROT_READ), 0);
	return at;
}

/* More submissions fail here than an open may have jobs. */
static void submit_that_cannot_answer_leaks_nothing(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = fill_of(f, 64), *ask;
	int fds = device_nr_fds(), i;

	submit.size = sizeof(submit);
	ask = read_only(&submit, sizeof(submit));
	for (i = 0; i < 100; i++)
		assert_int_equal(device_ioctl_errno(f->dev,
						    HEAPSIM_IOC_DMA_SUBMIT,
						    ask), -EFAULT);
	assert_int_equal(device_nr_fds(), fds);
	device_unmap(ask, device_page_size());
	/* The engine still runs jobs. */
	device_fill(f->dev, f->dst, 0, 64, 1);
}

static void wait_that_cannot_answer_keeps_the_job(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = checksum_of(f, 64);
	struct heapsim_job_wait wait = {
		.size = sizeof(wait),
		.timeout_ns = 10 * NSEC_PER_SEC,
	}, *ask;
	int i;

	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	close(submit.fence_fd);
	wait.job = submit.job;
	ask = read_only(&wait, sizeof(wait));
	for (i = 0; i < 3; i++)
		assert_int_equal(device_ioctl_errno(f->dev,
						    HEAPSIM_IOC_JOB_WAIT,
						    ask), -EFAULT);
	device_unmap(ask, device_page_size());
	assert_int_equal(device_wait_errno(f->dev, submit.job, 0, &wait), 0);
	assert_int_equal(wait.status, 0);
	assert_int_equal(device_wait_errno(f->dev, submit.job, 0, &wait),
			 -ENOENT);
}

static void commands_without_an_answer_take_read_only_memory(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_signal fence_signal = {
		.size = sizeof(fence_signal),
	};
	struct heapsim_release release = { .size = sizeof(release) };
	struct heapsim_buf_revoke revoke = {
		.size = sizeof(revoke),
		.fd = f->dst,
	};
	struct heapsim_fence_create fence;
	struct heapsim_hold hold;
	void *ask;

	assert_int_equal(device_fence_errno(f->dev, f->dst,
					    HEAPSIM_FENCE_READ, NSEC_PER_SEC,
					    &fence), 0);
	fence_signal.fence = fence.fence;
	ask = read_only(&fence_signal, sizeof(fence_signal));
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_FENCE_SIGNAL,
					    ask), 0);
	device_unmap(ask, device_page_size());
	close(fence.fence_fd);

	assert_int_equal(device_hold_errno(f->dev, f->dst, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_TO_DEVICE, &hold), 0);
	release.hold = hold.hold;
	ask = read_only(&release, sizeof(release));
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_RELEASE, ask),
			 0);
	device_unmap(ask, device_page_size());

	assert_int_equal(device_watch_errno(f->dev, HEAPSIM_WATCH_PROCESS, 0,
					    1), 0);
	ask = read_only(&revoke, sizeof(revoke));
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_REVOKE,
					    ask), 0);
	device_unmap(ask, device_page_size());
}

static void kind_system_is_answered_as_what_it_is(void **state)
{
	struct fixture *f = *state;
	int fd = device_alloc(f->dev, HEAPSIM_KIND_SYSTEM, LEN);
	uint32_t kind = device_buf_info(f->dev, fd).kind;

	assert_int_equal(kind, device_probe(f->dev).io_coherent ?
			 HEAPSIM_KIND_COHERENT : HEAPSIM_KIND_NONCOHERENT);
	close(fd);
}

/* Returns the error of one of the commands that take a dma-buf. */
static int with_fd(struct fixture *f, unsigned int which, int fd)
{
	struct heapsim_buf_info info = { .size = sizeof(info), .fd = fd };
	struct heapsim_range range = { .fd = fd, .op = HEAPSIM_MAINT_CLEAN };
	struct heapsim_dma_submit fill = fill_of(f, 64);
	struct heapsim_dma_submit sum = checksum_of(f, 64);
	struct heapsim_fence_create create;
	struct heapsim_hold hold;
	struct heapsim_buf_revoke revoke = {
		.size = sizeof(revoke),
		.fd = fd,
	};

	switch (which) {
	case 0:
		return device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_INFO, &info);
	case 1:
		return device_maintain_errno(f->dev, &range, 1, NULL);
	case 2:
		fill.dst_fd = fd;
		return device_submit_errno(f->dev, &fill);
	case 3:
		sum.src_fd = fd;
		return device_submit_errno(f->dev, &sum);
	case 4:
		return device_fence_errno(f->dev, fd, HEAPSIM_FENCE_READ,
					  NSEC_PER_SEC, &create);
	case 5:
		return device_hold_errno(f->dev, fd, HEAPSIM_HOLD_MAP, 0,
					 &hold);
	default:
		return device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_REVOKE,
					  &revoke);
	}
}

static void revoke_by_an_open_that_does_not_watch_is_eperm(void **state)
{
	struct fixture *f = *state;
	struct heapsim_buf_revoke revoke = {
		.size = sizeof(revoke),
		.fd = f->dst,
	};

	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_REVOKE,
					    &revoke), -EPERM);
	assert_int_equal(device_watch_errno(f->dev, HEAPSIM_WATCH_PROCESS, 0,
					    1), 0);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_REVOKE,
					    &revoke), 0);
}

struct revoker {
	int dev;
	int fd;
};

static int revoke_errno(void *arg)
{
	struct heapsim_buf_revoke revoke = { .size = sizeof(revoke) };
	struct revoker *r = arg;

	revoke.fd = r->fd;
	return ioctl(r->dev, HEAPSIM_IOC_BUF_REVOKE, &revoke) ? errno : 0;
}

static int watch_and_have_a_child_revoke(void *arg)
{
	struct heapsim_watch watch = {
		.size = sizeof(watch),
		.scope = HEAPSIM_WATCH_TREE,
		.nr_records = 1,
		.record_size = sizeof(struct heapsim_record),
	};
	struct revoker *r = arg;

	if (ioctl(r->dev, HEAPSIM_IOC_WATCH, &watch))
		return errno;
	return device_in_child(revoke_errno, arg);
}

static void revoke_by_a_process_that_is_not_of_the_tree_is_eperm(void **state)
{
	struct fixture *f = *state;
	struct revoker r = { .dev = f->dev, .fd = f->dst };

	/* All three processes have the descriptor of the open. */
	assert_int_equal(device_in_child(watch_and_have_a_child_revoke, &r), 0);
	assert_int_equal(revoke_errno(&r), EPERM);
}

static void closed_fd_is_ebadf(void **state)
{
	struct fixture *f = *state;
	unsigned int which;

	for (which = 0; which < 7; which++)
		if (with_fd(f, which, 987) != -EBADF)
			fail_msg("command %u: not EBADF", which);
}

static void file_that_is_no_dma_buf_is_einval(void **state)
{
	struct fixture *f = *state;
	unsigned int which;

	for (which = 0; which < 7; which++)
		if (with_fd(f, which, f->dev) != -EINVAL)
			fail_msg("command %u: not EINVAL", which);
}

static void malformed_comes_before_a_bad_fd(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = fill_of(f, 64);
	struct heapsim_range range = { .fd = 987, .op = 99 };
	struct heapsim_fence_create create;
	struct heapsim_hold hold;

	submit.dst_fd = 987;
	submit.flags = 1;
	submit_is(f, submit, -EINVAL);
	assert_int_equal(device_maintain_errno(f->dev, &range, 1, NULL),
			 -EINVAL);
	assert_int_equal(device_fence_errno(f->dev, 987, 0, NSEC_PER_SEC,
					    &create), -EINVAL);
	assert_int_equal(device_hold_errno(f->dev, 987, 3, 0, &hold),
			 -EINVAL);
}

static void reserved_fields_that_are_not_zero_are_einval(void **state)
{
	struct fixture *f = *state;
	struct heapsim_buf_info info = {
		.size = sizeof(info),
		.fd = f->src,
		.reserved = 1,
	};
	struct heapsim_buf_maintain maintain = {
		.size = sizeof(maintain),
		.reserved = 1,
	};
	struct heapsim_dma_submit submit = fill_of(f, 64);
	struct heapsim_job_wait wait = {
		.size = sizeof(wait),
		.reserved = 1,
	};
	struct heapsim_hold hold = {
		.size = sizeof(hold),
		.how = HEAPSIM_HOLD_MAP,
		.fd = f->src,
		.reserved = 1,
	};

	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_INFO,
					    &info), -EINVAL);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_MAINTAIN,
					    &maintain), -EINVAL);
	submit.reserved = 1;
	submit_is(f, submit, -EINVAL);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_JOB_WAIT,
					    &wait), -EINVAL);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_HOLD, &hold),
			 -EINVAL);
}

static void flags_that_are_not_known_are_einval(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = fill_of(f, 64);
	struct heapsim_job_wait wait = { .size = sizeof(wait), .flags = 1 };
	struct heapsim_release release = {
		.size = sizeof(release),
		.flags = 1,
	};
	struct heapsim_fence_create create;

	submit.flags = 1;
	submit_is(f, submit, -EINVAL);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_JOB_WAIT,
					    &wait), -EINVAL);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_RELEASE,
					    &release), -EINVAL);
	assert_int_equal(device_fence_errno(f->dev, f->src, 4, NSEC_PER_SEC,
					    &create), -EINVAL);
	/* Exactly one of the two flags must be set. */
	assert_int_equal(device_fence_errno(f->dev, f->src,
					    HEAPSIM_FENCE_READ |
					    HEAPSIM_FENCE_WRITE, NSEC_PER_SEC,
					    &create), -EINVAL);
}

static void ids_that_are_not_there_are_enoent(void **state)
{
	struct fixture *f = *state;
	struct heapsim_job_wait wait;
	struct heapsim_fence_signal signal = {
		.size = sizeof(signal),
		.fence = 12345,
	};
	struct heapsim_release release = {
		.size = sizeof(release),
		.hold = 12345,
	};

	assert_int_equal(device_wait_errno(f->dev, 12345, 0, &wait), -ENOENT);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_FENCE_SIGNAL,
					    &signal), -ENOENT);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_RELEASE,
					    &release), -ENOENT);
}

static void ids_belong_to_one_open(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = fill_of(f, 64);
	struct heapsim_job_wait wait;
	int other = device_open();

	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	close(submit.fence_fd);
	assert_int_equal(device_wait_errno(other, submit.job, NSEC_PER_SEC,
					   &wait), -ENOENT);
	assert_int_equal(device_wait_errno(f->dev, submit.job,
					   10 * NSEC_PER_SEC, &wait), 0);
	/* A job's result can be read once. */
	assert_int_equal(device_wait_errno(f->dev, submit.job, NSEC_PER_SEC,
					   &wait), -ENOENT);
	close(other);
}

static void wait_longer_than_an_hour_is_einval(void **state)
{
	struct fixture *f = *state;
	struct heapsim_job_wait wait;

	assert_int_equal(device_wait_errno(f->dev, 1, 3600 * NSEC_PER_SEC + 1,
					   &wait), -EINVAL);
	assert_int_equal(device_wait_errno(f->dev, 0x7fffffff,
					   3600 * NSEC_PER_SEC, &wait),
			 -ENOENT);
}

static void wait_for_a_job_that_is_not_done_times_out(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = fill_of(f, 64);
	struct heapsim_job_wait wait;
	uint64_t begin = device_now_ns();

	submit.delay_ns = NSEC_PER_SEC;
	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	assert_int_equal(device_info(f->dev).nr_jobs, 1);
	assert_int_equal(device_wait_errno(f->dev, submit.job, 0, &wait),
			 -ETIMEDOUT);
	assert_int_equal(device_wait_errno(f->dev, submit.job,
					   50 * NSEC_PER_MSEC, &wait),
			 -ETIMEDOUT);
	/* If the host stops the VM for a while, timers lag behind the clock. */
	assert_true(device_now_ns() - begin >= 25 * NSEC_PER_MSEC);
	assert_int_equal(device_fence_status(submit.fence_fd), 0);
	assert_int_equal(device_wait_errno(f->dev, submit.job,
					   30 * NSEC_PER_SEC, &wait), 0);
	assert_true(device_now_ns() - begin >= NSEC_PER_SEC);
	assert_int_equal(device_fence_status(submit.fence_fd), 1);
	assert_int_equal(device_info(f->dev).nr_jobs, 0);
	close(submit.fence_fd);
}

static void submit_refuses_what_is_malformed(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit;

	submit = fill_of(f, 64);
	submit.op = 0;
	submit_is(f, submit, -EINVAL);
	submit.op = 4;
	submit_is(f, submit, -EINVAL);
	submit_is(f, fill_of(f, 0), -EINVAL);
	submit = fill_of(f, 64);
	submit.nr_rows = 0;
	submit_is(f, submit, -EINVAL);
	submit = fill_of(f, 64);
	submit.src_fd = f->src;
	submit_is(f, submit, -EINVAL);
	submit = checksum_of(f, 64);
	submit.dst_fd = f->dst;
	submit_is(f, submit, -EINVAL);
	submit = checksum_of(f, 64);
	submit.pattern = 1;
	submit_is(f, submit, -EINVAL);
	submit = fill_of(f, 64);
	submit.delay_ns = HEAPSIM_DMA_MAX_DELAY_NS + 1;
	submit_is(f, submit, -EINVAL);
}

static void rows_that_leave_the_buffer_are_einval(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit;

	submit_is(f, fill_of(f, LEN + 1), -EINVAL);
	submit_is(f, fill_of(f, UINT64_MAX), -EINVAL);
	submit = fill_of(f, 64);
	submit.dst_off = LEN - 63;
	submit_is(f, submit, -EINVAL);
	submit.dst_off = UINT64_MAX;
	submit_is(f, submit, -EINVAL);
	submit.dst_off = UINT64_MAX - 63;
	submit_is(f, submit, -EINVAL);
	/* A later row is outside: forwards, backwards, and by overflow. */
	submit = fill_of(f, 64);
	submit.nr_rows = 3;
	submit.dst_pitch = LEN / 2;
	submit_is(f, submit, -EINVAL);
	submit.dst_off = 64;
	submit.dst_pitch = -64;
	submit_is(f, submit, -EINVAL);
	submit.dst_off = 0;
	submit.nr_rows = UINT32_MAX;
	submit.dst_pitch = INT64_MAX;
	submit_is(f, submit, -EINVAL);
	submit.dst_pitch = INT64_MIN;
	submit_is(f, submit, -EINVAL);
	submit.dst_pitch = 1LL << 32;
	submit_is(f, submit, -EINVAL);
	submit = copy_of(f, 64);
	submit.src_off = LEN;
	submit_is(f, submit, -EINVAL);
	/* With one row the pitches are ignored. */
	submit = copy_of(f, 64);
	submit.src_pitch = INT64_MIN;
	submit.dst_pitch = INT64_MAX;
	assert_int_equal(device_run(f->dev, &submit).result, 64);
}

static int reopen(struct fixture *f, uint32_t fd_flags)
{
	int fd = device_alloc_errno(f->dev, HEAPSIM_KIND_COHERENT, LEN,
				    fd_flags);

	assert_true(fd >= 0);
	return fd;
}

static void fd_that_does_not_allow_the_access_is_eperm(void **state)
{
	struct fixture *f = *state;
	int read_only = reopen(f, O_RDONLY), write_only = reopen(f, O_WRONLY);
	struct heapsim_dma_submit submit;

	submit = fill_of(f, 64);
	submit.dst_fd = read_only;
	submit_is(f, submit, -EPERM);
	submit = copy_of(f, 64);
	submit.dst_fd = read_only;
	submit_is(f, submit, -EPERM);
	submit = copy_of(f, 64);
	submit.src_fd = write_only;
	submit_is(f, submit, -EPERM);
	submit = checksum_of(f, 64);
	submit.src_fd = write_only;
	submit_is(f, submit, -EPERM);
	/* The opposite direction is permitted. */
	submit = copy_of(f, 64);
	submit.src_fd = read_only;
	submit.dst_fd = write_only;
	assert_int_equal(device_run(f->dev, &submit).status, 0);
	close(read_only);
	close(write_only);
}

static void too_many_jobs_are_ebusy(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit;
	struct heapsim_job_wait wait;
	int ret = 0, nr = 0;
	uint64_t last = 0;

	/*
	 * The other jobs wait for the first, since they write the same bytes.
	 */
	while (nr < 100000) {
		submit = fill_of(f, 64);
		submit.delay_ns = nr ? 0 : 3 * NSEC_PER_SEC;
		ret = device_submit_errno(f->dev, &submit);
		if (ret)
			break;
		close(submit.fence_fd);
		last = submit.job;
		nr++;
	}
	assert_int_equal(ret, -EBUSY);
	assert_int_equal(nr, 64);
	assert_int_equal(device_wait_errno(f->dev, last, 60 * NSEC_PER_SEC,
					   &wait), 0);
	/* The id of a finished job is used again. */
	submit = fill_of(f, 64);
	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	close(submit.fence_fd);
	assert_int_equal(submit.job, last);
	assert_int_equal(device_wait_errno(f->dev, last, 60 * NSEC_PER_SEC,
					   &wait), 0);
}

/* Jobs continue after their open is closed, and nobody can wait for them. */
static void too_many_jobs_of_closed_opens_are_ebusy(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit;
	const uint64_t begin = device_now_ns();
	int ret = 0, nr = 0, dev = -1;
	uint64_t held_ns = 0;
	bool is_slow;

	for (; nr < 3000; nr++) {
		const uint64_t now_ns = device_now_ns();
		/* If submitting is slow, the first delayed jobs would end. */
		const bool holds = nr < 3 ||
			now_ns - held_ns > 4 * NSEC_PER_SEC;

		if (nr % 64 == 0) {
			if (dev >= 0)
				close(dev);
			dev = device_open();
		}
		submit = fill_of(f, 64);
		submit.delay_ns = holds ? 5 * NSEC_PER_SEC : 0;
		if (holds)
			held_ns = now_ns;
		ret = device_submit_errno(dev, &submit);
		if (ret)
			break;
		close(submit.fence_fd);
	}
	close(dev);
	/* A job exists for at most 10 s. */
	is_slow = !ret &&
		  device_now_ns() - begin > 3000 * 10 * NSEC_PER_SEC / 1024;
	if (!is_slow) {
		assert_int_equal(ret, -EBUSY);
		/* On a slow machine many jobs have ended by now. */
		assert_in_range(nr, 1024, 2999);
	}
	while (device_info(f->dev).nr_jobs)
		device_sleep_ns(100 * NSEC_PER_MSEC);
	submit = fill_of(f, 64);
	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	close(submit.fence_fd);
	if (is_slow)
		device_skip("this machine submits too few in 10 s");
}

static void too_many_fences_are_ebusy(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create create;
	int ret = 0, nr = 0;

	for (; nr < 2000; nr++) {
		ret = device_fence_errno(f->dev, f->src, HEAPSIM_FENCE_READ,
					 NSEC_PER_MSEC, &create);
		if (ret)
			break;
		close(create.fence_fd);
	}
	assert_int_equal(ret, -EBUSY);
	assert_int_equal(nr, 1024);
	device_fence_signal(f->dev, 7, 0);
	assert_int_equal(device_fence_errno(f->dev, f->src, HEAPSIM_FENCE_READ,
					    NSEC_PER_MSEC, &create), 0);
	close(create.fence_fd);
	assert_int_equal(create.fence, 7);
}

static void too_many_holds_are_ebusy(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold hold;
	int ret = 0, nr = 0;

	for (; nr < 2000; nr++) {
		ret = device_hold_errno(f->dev, f->src, HEAPSIM_HOLD_MAP,
					HEAPSIM_DIR_TO_DEVICE, &hold);
		if (ret)
			break;
	}
	assert_int_equal(ret, -EBUSY);
	assert_int_equal(nr, 1024);
	device_release(f->dev, 7);
	assert_int_equal(device_hold_errno(f->dev, f->src, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_TO_DEVICE, &hold), 0);
	assert_int_equal(hold.hold, 7);
}

static void maintain_refuses_what_is_malformed(void **state)
{
	struct fixture *f = *state;
	struct heapsim_range range = {
		.fd = f->src,
		.op = HEAPSIM_MAINT_CLEAN,
		.len = 64,
	};
	uint32_t nr_done = 7;

	range.op = 0;
	assert_int_equal(device_maintain_errno(f->dev, &range, 1, &nr_done),
			 -EINVAL);
	assert_int_equal(nr_done, 0);
	range.op = 4;
	assert_int_equal(device_maintain_errno(f->dev, &range, 1, NULL),
			 -EINVAL);
	range.op = HEAPSIM_MAINT_CLEAN;
	range.off = LEN - 63;
	assert_int_equal(device_maintain_errno(f->dev, &range, 1, NULL),
			 -EINVAL);
	range.off = UINT64_MAX - 63;
	assert_int_equal(device_maintain_errno(f->dev, &range, 1, NULL),
			 -EINVAL);
	range.off = 64;
	range.len = UINT64_MAX - 63;
	assert_int_equal(device_maintain_errno(f->dev, &range, 1, NULL),
			 -EINVAL);
	range.off = LEN;
	range.len = 0;
	assert_int_equal(device_maintain_errno(f->dev, &range, 1, NULL), 0);
	assert_int_equal(device_maintain_errno(f->dev, NULL, 0, &nr_done), 0);
	assert_int_equal(nr_done, 0);
	assert_int_equal(device_maintain_errno(f->dev, &range,
					       HEAPSIM_MAX_RANGES + 1, NULL),
			 -EINVAL);
	assert_int_equal(device_maintain_errno(f->dev, (void *)8, 1, NULL),
			 -EFAULT);
}

static void list_that_ends_in_bad_memory_tells_what_was_done(void **state)
{
	struct fixture *f = *state;
	size_t page = device_page_size(), nr = page / sizeof(struct
							     heapsim_range);
	struct heapsim_range *ranges;
	uint32_t nr_done = UINT32_MAX;
	uint8_t *pages;
	size_t i;

	pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(pages != MAP_FAILED);
	assert_int_equal(mprotect(pages + page, page, PROT_NONE), 0);
	ranges = (void *)(pages + page - nr * sizeof(*ranges));
	for (i = 0; i < nr; i++)
		ranges[i] = (struct heapsim_range) {
			.fd = f->src,
			.op = HEAPSIM_MAINT_CLEAN,
			.len = 64,
		};
	assert_int_equal(device_maintain_errno(f->dev, ranges, nr, &nr_done),
			 0);
	assert_int_equal(nr_done, nr);
	assert_int_equal(device_maintain_errno(f->dev, ranges, nr + 1,
					       &nr_done), -EFAULT);
	assert_true(nr_done <= nr);
	munmap(pages, 2 * page);
}

static void hold_refuses_what_is_malformed(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold hold;

	assert_int_equal(device_hold_errno(f->dev, f->src, 0, 0, &hold),
			 -EINVAL);
	assert_int_equal(device_hold_errno(f->dev, f->src, 3, 0, &hold),
			 -EINVAL);
	assert_int_equal(device_hold_errno(f->dev, f->src, HEAPSIM_HOLD_MAP, 3,
					   &hold), -EINVAL);
	assert_int_equal(device_hold_errno(f->dev, f->src, HEAPSIM_HOLD_VMAP,
					   1, &hold), -EINVAL);
}

static void fence_refuses_what_is_malformed(void **state)
{
	struct fixture *f = *state;
	struct heapsim_fence_create create;
	struct heapsim_fence_signal signal = {
		.size = sizeof(signal),
		.error = 1,
	};

	assert_int_equal(device_fence_errno(f->dev, f->src, 0, NSEC_PER_SEC,
					    &create), -EINVAL);
	assert_int_equal(device_fence_errno(f->dev, f->src,
					    HEAPSIM_FENCE_READ, 0, &create),
			 -EINVAL);
	assert_int_equal(device_fence_errno(f->dev, f->src,
					    HEAPSIM_FENCE_READ,
					    10 * NSEC_PER_SEC + 1, &create),
			 -EINVAL);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_FENCE_SIGNAL,
					    &signal), -EINVAL);
	signal.error = -4096;
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_FENCE_SIGNAL,
					    &signal), -EINVAL);
}

static void fill_repeats_its_pattern_little_endian(void **state)
{
	static const uint8_t pattern[] = { 0x44, 0x33, 0x22, 0x11 };
	struct fixture *f = *state;
	size_t i;

	memset(f->dst_map, 0xee, LEN);
	device_fill(f->dev, f->dst, 3, 1001, 0x11223344);
	assert_true(device_is_filled(f->dst_map, 0xee, 3));
	for (i = 0; i < 1001; i++)
		assert_int_equal(f->dst_map[3 + i], pattern[i % 4]);
	assert_true(device_is_filled(f->dst_map + 1004, 0xee, LEN - 1004));
}

static void pattern_begins_anew_in_each_row(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = fill_of(f, 5);
	size_t row;

	submit.pattern = 0x04030201;
	submit.nr_rows = 4;
	submit.dst_off = 2;
	submit.dst_pitch = 7;
	assert_int_equal(device_run(f->dev, &submit).result, 20);
	for (row = 0; row < 4; row++)
		assert_memory_equal(f->dst_map + 2 + 7 * row,
				    "\1\2\3\4\1\0\0", 7);
}

static void copy_moves_bytes_at_any_offset(void **state)
{
	struct fixture *f = *state;

	device_copy(f->dev, f->src, 5, f->dst, 4094, 9000);
	assert_memory_equal(f->dst_map + 4094, f->src_map + 5, 9000);
	assert_true(device_is_filled(f->dst_map, 0, 4094));
	assert_true(device_is_filled(f->dst_map + 13094, 0, LEN - 13094));
}

static void copy_xors_with_the_pattern(void **state)
{
	static const uint8_t pattern[] = { 0xff, 0x00, 0x0f, 0x80 };
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = copy_of(f, 333);
	size_t i;

	submit.src_off = 1;
	submit.dst_off = 2;
	submit.pattern = 0x800f00ff;
	assert_int_equal(device_run(f->dev, &submit).result, 333);
	for (i = 0; i < 333; i++)
		assert_int_equal(f->dst_map[2 + i],
				 f->src_map[1 + i] ^ pattern[i % 4]);
}

static void copy_of_rows_takes_a_rectangle(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = copy_of(f, 40);
	size_t row;

	submit.nr_rows = 100;
	submit.src_off = 17;
	submit.src_pitch = 320;
	submit.dst_off = 9;
	submit.dst_pitch = 64;
	assert_int_equal(device_run(f->dev, &submit).result, 4000);
	for (row = 0; row < 100; row++) {
		assert_memory_equal(f->dst_map + 9 + 64 * row,
				    f->src_map + 17 + 320 * row, 40);
		assert_true(device_is_filled(f->dst_map + 49 + 64 * row, 0,
					     24));
	}
}

static void negative_pitch_turns_a_picture_over(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = copy_of(f, 64);
	size_t row;

	submit.nr_rows = 50;
	submit.src_off = 49 * 64;
	submit.src_pitch = -64;
	submit.dst_pitch = 64;
	assert_int_equal(device_run(f->dev, &submit).result, 3200);
	for (row = 0; row < 50; row++)
		assert_memory_equal(f->dst_map + 64 * row,
				    f->src_map + 64 * (49 - row), 64);
}

static void pitch_of_zero_reads_one_row_again(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = copy_of(f, 16);
	size_t row;

	submit.nr_rows = 8;
	submit.src_off = 100;
	submit.dst_pitch = 16;
	assert_int_equal(device_run(f->dev, &submit).result, 128);
	for (row = 0; row < 8; row++)
		assert_memory_equal(f->dst_map + 16 * row, f->src_map + 100,
				    16);
}

/* Rows are copied in order; each is read completely before it is written. */
static void rows_that_overlap_are_copied_in_order(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = copy_of(f, 64);
	uint8_t *expected = malloc(LEN);
	size_t row;

	memcpy(expected, f->src_map, LEN);
	for (row = 0; row < 20; row++)
		memcpy(expected + 64 * (row + 1), expected + 64 * row, 64);
	submit.dst_fd = f->src;
	submit.nr_rows = 20;
	submit.src_pitch = 64;
	submit.dst_off = 64;
	submit.dst_pitch = 64;
	assert_int_equal(device_run(f->dev, &submit).status, 0);
	assert_memory_equal(f->src_map, expected, LEN);
	free(expected);
}

static void checksum_is_fnv1a(void **state)
{
	static const size_t lens[] = { 1, 2, 63, 4096, 4097, 40000 };
	struct fixture *f = *state;
	size_t i;

	assert_true(fnv1a("a", 1) == 0xaf63dc4c8601ec8cULL);
	for (i = 0; i < ARRAY_SIZE(lens); i++)
		assert_true(device_checksum(f->dev, f->src, 11, lens[i]) ==
			    fnv1a(f->src_map + 11, lens[i]));
}

static void checksum_of_rows_joins_them(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = checksum_of(f, 32);
	uint8_t joined[32 * 10];
	size_t row;

	for (row = 0; row < 10; row++)
		memcpy(joined + 32 * row, f->src_map + 9 * 100 - 100 * row,
		       32);
	submit.nr_rows = 10;
	submit.src_off = 9 * 100;
	submit.src_pitch = -100;
	assert_true(device_run(f->dev, &submit).result ==
		    fnv1a(joined, sizeof(joined)));
}

static void jobs_on_one_buffer_run_in_order(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit;
	struct heapsim_job_wait wait;
	uint64_t job = 0;
	int i;

	for (i = 1; i <= 10; i++) {
		submit = fill_of(f, LEN);
		submit.pattern = 0x01010101 * i;
		submit.delay_ns = (11 - i) * 5 * NSEC_PER_MSEC;
		assert_int_equal(device_submit_errno(f->dev, &submit), 0);
		close(submit.fence_fd);
		job = submit.job;
	}
	assert_int_equal(device_wait_errno(f->dev, job, 30 * NSEC_PER_SEC,
					   &wait), 0);
	assert_true(device_is_filled(f->dst_map, 10, LEN));
}

static void buffer_closed_under_a_job_stays_until_it_is_done(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = copy_of(f, LEN);
	struct heapsim_job_wait wait;
	uint64_t nr_bufs = device_info(f->dev).nr_bufs;
	unsigned int i;

	submit.src_fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, LEN);
	submit.delay_ns = 100 * NSEC_PER_MSEC;
	memset(f->dst_map, 1, LEN);
	assert_int_equal(device_submit_errno(f->dev, &submit), 0);
	close(submit.src_fd);
	close(submit.fence_fd);
	assert_int_equal(device_wait_errno(f->dev, submit.job,
					   30 * NSEC_PER_SEC, &wait), 0);
	assert_true(device_is_filled(f->dst_map, 0, LEN));
	/* The kernel may delay the last fput() of a kernel thread. */
	for (i = 0; i < 5000 && device_info(f->dev).nr_bufs != nr_bufs; i++)
		usleep(1000);
	assert_int_equal(device_info(f->dev).nr_bufs, nr_bufs);
}

/* The engine reads and writes a buffer of another exporter. */
static void engine_works_on(struct fixture *f, int fd, size_t len)
{
	struct heapsim_range range = { .fd = fd, .op = HEAPSIM_MAINT_CLEAN };
	struct heapsim_buf_revoke revoke = {
		.size = sizeof(revoke),
		.fd = fd,
	};
	struct heapsim_buf_info info = device_buf_info(f->dev, fd);
	uint8_t *map = device_map(fd, len);
	static const struct heapsim_counters none;

	assert_true(len >= 8192);
	assert_int_equal(info.kind, HEAPSIM_KIND_FOREIGN);
	assert_int_equal(info.id, 0);
	assert_int_equal(info.len, len);
	assert_memory_equal(&info.count, &none, sizeof(none));
	device_fill(f->dev, fd, 0, len, 0x9c9c9c9c);
	device_sync(fd, SYNC_START_RW);
	assert_true(device_is_filled(map, 0x9c, len));
	memcpy(map, f->src_map, 4096);
	device_sync(fd, SYNC_END_RW);
	device_copy(f->dev, fd, 0, f->dst, 0, 8192);
	assert_memory_equal(f->dst_map, f->src_map, 4096);
	assert_true(device_is_filled(f->dst_map + 4096, 0x9c, 4096));
	assert_true(device_checksum(f->dev, fd, 0, 4096) ==
		    fnv1a(f->src_map, 4096));
	assert_int_equal(device_maintain_errno(f->dev, &range, 1, NULL),
			 -EOPNOTSUPP);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_BUF_REVOKE,
					    &revoke), -EOPNOTSUPP);
	device_unmap(map, len);
}

static void engine_works_on_a_buffer_of_vgem(void **state)
{
	struct fixture *f = *state;
	int vgem = vgem_open(), fd;
	size_t len;

	if (vgem < 0)
		device_skip("this kernel has no vgem");
	fd = device_vgem_dumb(vgem, LEN, &len);
	engine_works_on(f, fd, len);
	close(fd);
	close(vgem);
}

static bool kernel_has_symbol(const char *name)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[256], symbol[128];
	bool is_there = false;

	assert_non_null(file);
	while (!is_there && fgets(line, sizeof(line), file))
		is_there = sscanf(line, "%*s %*c %127s", symbol) == 1 &&
			   !strcmp(symbol, name);
	fclose(file);
	return is_there;
}

/* Jobs and holds of a foreign buffer without vmap are refused. */
static void engine_refuses(struct fixture *f, int fd)
{
	struct heapsim_dma_submit fill = fill_of(f, 64), copy = fill;
	struct heapsim_hold hold;

	fill.dst_fd = fd;
	assert_int_equal(device_submit_errno(f->dev, &fill), -EOPNOTSUPP);
	copy.op = HEAPSIM_DMA_COPY;
	copy.src_fd = fd;
	assert_int_equal(device_submit_errno(f->dev, &copy), -EOPNOTSUPP);
	assert_int_equal(device_hold_errno(f->dev, fd, HEAPSIM_HOLD_VMAP, 0,
					   &hold), -EOPNOTSUPP);
}

/* udmabuf supports vmap only after 6.1. */
static void engine_works_on_a_udmabuf(void **state)
{
	struct fixture *f = *state;
	struct udmabuf_create create = { .size = LEN };
	int ctl = open("/dev/udmabuf", O_RDWR | O_CLOEXEC), fd;

	if (ctl < 0)
		device_skip("this kernel has no udmabuf");
	create.memfd = memfd_create("udmabuf", MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(create.memfd, LEN), 0);
	assert_int_equal(fcntl(create.memfd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	fd = ioctl(ctl, UDMABUF_CREATE, &create);
	assert_true(fd >= 0);
	if (kernel_has_symbol("vmap_udmabuf"))
		engine_works_on(f, fd, LEN);
	else
		engine_refuses(f, fd);
	close(fd);
	close(create.memfd);
	close(ctl);
}

int main(void)
{
#define TEST(fn)	cmocka_unit_test_setup_teardown(fn, setup, teardown)
	static const struct CMUnitTest tests[] = {
		TEST(unknown_command_is_enotty),
		TEST(probe_describes_the_machine),
		TEST(info_counts_buffers_and_bytes),
		TEST(info_with_flags_is_einval),
		TEST(alloc_refuses_what_is_malformed),
		TEST(alloc_above_the_limit_is_enomem),
		TEST(a_job_that_lasts_counts),
		TEST(alloc_without_a_free_fd_is_emfile),
		TEST(alloc_answers_length_id_and_name),
		TEST(alloc_that_cannot_answer_leaks_nothing),
		TEST(submit_that_cannot_answer_leaks_nothing),
		TEST(wait_that_cannot_answer_keeps_the_job),
		TEST(commands_without_an_answer_take_read_only_memory),
		TEST(kind_system_is_answered_as_what_it_is),
		TEST(revoke_by_an_open_that_does_not_watch_is_eperm),
		TEST(revoke_by_a_process_that_is_not_of_the_tree_is_eperm),
		TEST(closed_fd_is_ebadf),
		TEST(file_that_is_no_dma_buf_is_einval),
		TEST(malformed_comes_before_a_bad_fd),
		TEST(reserved_fields_that_are_not_zero_are_einval),
		TEST(flags_that_are_not_known_are_einval),
		TEST(ids_that_are_not_there_are_enoent),
		TEST(ids_belong_to_one_open),
		TEST(wait_longer_than_an_hour_is_einval),
		TEST(wait_for_a_job_that_is_not_done_times_out),
		TEST(submit_refuses_what_is_malformed),
		TEST(rows_that_leave_the_buffer_are_einval),
		TEST(fd_that_does_not_allow_the_access_is_eperm),
		TEST(too_many_jobs_are_ebusy),
		TEST(too_many_jobs_of_closed_opens_are_ebusy),
		TEST(too_many_fences_are_ebusy),
		TEST(too_many_holds_are_ebusy),
		TEST(maintain_refuses_what_is_malformed),
		TEST(list_that_ends_in_bad_memory_tells_what_was_done),
		TEST(hold_refuses_what_is_malformed),
		TEST(fence_refuses_what_is_malformed),
		TEST(fill_repeats_its_pattern_little_endian),
		TEST(pattern_begins_anew_in_each_row),
		TEST(copy_moves_bytes_at_any_offset),
		TEST(copy_xors_with_the_pattern),
		TEST(copy_of_rows_takes_a_rectangle),
		TEST(negative_pitch_turns_a_picture_over),
		TEST(pitch_of_zero_reads_one_row_again),
		TEST(rows_that_overlap_are_copied_in_order),
		TEST(checksum_is_fnv1a),
		TEST(checksum_of_rows_joins_them),
		TEST(jobs_on_one_buffer_run_in_order),
		TEST(buffer_closed_under_a_job_stays_until_it_is_done),
		TEST(engine_works_on_a_buffer_of_vgem),
		TEST(engine_works_on_a_udmabuf),
	};

	return cmocka_run_group_tests_name("cdev", tests, NULL, NULL);
}
