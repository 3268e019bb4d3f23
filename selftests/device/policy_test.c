// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests policies that change at run time: which buffers get a policy, what a
 * switch does to the bytes and mappings of a live buffer, when it is refused,
 * and that the eviction of a buffer is repeatable.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "../nobody.h"
#include "vgem.h"

#define NR_PAGES	8
#define MAX_TREES	64
#define MAX_USERS_TREES	16
#define STRESS_NS	(2 * NSEC_PER_SEC)

static int setup(void **state)
{
	return fixture_setup(state, HEAPSIM_KIND_NONCOHERENT,
			     NR_PAGES * device_page_size());
}

static int of_buf(struct fixture *f, uint32_t policy)
{
	return device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF, f->fd,
				   policy);
}

static void buf_becomes(struct fixture *f, uint32_t policy)
{
	assert_int_equal(of_buf(f, policy), 0);
}

static int of_others(int dev, uint32_t scope, uint32_t policy)
{
	return device_policy_errno(dev, scope, -1, policy);
}

static struct heapsim_buf_info info(struct fixture *f)
{
	return device_buf_info(f->dev, f->fd);
}

static uint8_t engine_sees(struct fixture *f, uint64_t off)
{
	uint64_t sum = device_checksum(f->dev, f->fd, off, 1);
	unsigned int byte;

	for (byte = 0; byte < 256; byte++) {
		uint8_t b = byte;

		if (fnv1a(&b, 1) == sum)
			return b;
	}
	fail_msg("no byte has this checksum");
	return 0;
}

/* Returns the policy of a buffer that @dev allocates, or -errno. */
static int policy_of_new(int dev)
{
	struct heapsim_buf_info answer = { .size = sizeof(answer) };
	int ret;

	answer.fd = device_alloc_errno(dev, HEAPSIM_KIND_NONCOHERENT, 4096,
				       O_RDWR);
	if (answer.fd < 0)
		return answer.fd;
	ret = device_ioctl_errno(dev, HEAPSIM_IOC_BUF_INFO, &answer);
	close(answer.fd);
	return ret ? ret : (int)answer.policy;
}

/* The same for a buffer from a heap */
static int policy_from_heap(void)
{
	struct heapsim_buf_info answer = { .size = sizeof(answer) };
	int heap = open("/dev/dma_heap/noncoherent", O_RDWR | O_CLOEXEC);
	int dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC);
	int ret;

	answer.fd = device_heap_alloc_errno(heap, 4096, O_RDWR);
	ret = answer.fd;
	if (ret >= 0)
		ret = device_ioctl_errno(dev, HEAPSIM_IOC_BUF_INFO, &answer);
	close(answer.fd);
	close(heap);
	close(dev);
	return ret ? ret : (int)answer.policy;
}

static int answer_from_heap(void *arg)
{
	return policy_from_heap();
}

/* Errors, and the order of the checks. */

static void malformed_is_einval(void **state)
{
	struct fixture *f = *state;
	const struct heapsim_set_policy good = {
		.size = sizeof(good),
		.scope = HEAPSIM_POLICY_OF_CONTEXT,
		.fd = -1,
	};
	const struct {
		uint32_t scope;
		int fd;
		uint32_t policy, evict_random, is_precise;
	} bad[] = {
		{ 0, -1, 0, 0, 0 },
		{ HEAPSIM_POLICY_OF_ALL + 1, -1, 0, 0, 0 },
		{ HEAPSIM_POLICY_OF_CONTEXT, f->fd, 0, 0, 0 },
		{ HEAPSIM_POLICY_OF_TREE, 0, 0, 0, 0 },
		{ HEAPSIM_POLICY_OF_ALL, -2, 0, 0, 0 },
		{ HEAPSIM_POLICY_OF_CONTEXT, -1, HEAPSIM_POLICY_OFF + 1, 0, 0 },
		{ HEAPSIM_POLICY_OF_BUF, f->fd, ~0U, 0, 0 },
		{ HEAPSIM_POLICY_OF_CONTEXT, -1, 0, 2, 0 },
		{ HEAPSIM_POLICY_OF_CONTEXT, -1, 0, 0, 2 },
		/* EINVAL precedes EOPNOTSUPP and EBADF. */
		{ HEAPSIM_POLICY_OF_BUF, -1, HEAPSIM_POLICY_OFF + 1, 0, 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct heapsim_set_policy set = good;

		set.scope = bad[i].scope;
		set.fd = bad[i].fd;
		set.policy = bad[i].policy;
		set.evict_random = bad[i].evict_random;
		set.is_precise = bad[i].is_precise;
		assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY,
						    &set), -EINVAL);
	}
}

static void what_is_no_buffer_of_ours_is_refused(void **state)
{
	struct fixture *f = *state;
	int vgem = vgem_open();
	size_t len;
	int foreign;

	assert_int_equal(device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF, -1,
					     0), -EBADF);
	assert_int_equal(device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF,
					     f->dev, 0), -EINVAL);
	if (vgem < 0)
		device_skip("no vgem");
	foreign = device_vgem_dumb(vgem, 4096, &len);
	assert_int_equal(device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF,
					     foreign, 0), -EOPNOTSUPP);
	close(foreign);
	close(vgem);
}

static int ask_as_nobody(void *arg)
{
	struct fixture *f = arg;

	if (setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	if (of_buf(f, HEAPSIM_POLICY_RECORD) != -EPERM)
		return 2;
	if (of_others(f->dev, HEAPSIM_POLICY_OF_ALL, 0) != -EPERM)
		return 3;
	/* EBADF and EINVAL precede EPERM. */
	if (device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF, -1, 0) != -EBADF)
		return 4;
	if (of_others(f->dev, HEAPSIM_POLICY_OF_ALL, 7) != -EINVAL)
		return 5;
	if (of_others(f->dev, HEAPSIM_POLICY_OF_CONTEXT, HEAPSIM_POLICY_OFF) ||
	    policy_of_new(f->dev) != HEAPSIM_POLICY_OFF)
		return 6;
	if (of_others(f->dev, HEAPSIM_POLICY_OF_TREE, HEAPSIM_POLICY_RECORD))
		return 7;
	return 0;
}

static void only_the_privileged_change_what_others_have(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(device_in_child(ask_as_nobody, f), 0);
	assert_int_equal(info(f).policy, device_probe(f->dev).policy);
}

/* EPERM precedes EBUSY, so a process without permission learns no state. */
static int ask_of_a_bracketed_one_as_nobody(void *arg)
{
	if (setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	return of_buf(arg, HEAPSIM_POLICY_OFF) == -EPERM ? 0 : 2;
}

static void permission_comes_before_state(void **state)
{
	struct fixture *f = *state;

	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(device_in_child(ask_of_a_bracketed_one_as_nobody, f),
			 0);
	device_sync(f->fd, SYNC_END_READ);
}

/* Which buffers get a policy. */

static void a_buffer_has_what_probe_tells(void **state)
{
	struct fixture *f = *state;
	struct heapsim_probe probe = device_probe(f->dev);
	struct heapsim_buf_info got = info(f);

	assert_int_equal(got.policy, probe.policy);
	assert_int_equal(got.evict_random, probe.evict_random);
	assert_int_equal(got.seed, probe.seed);
	assert_int_equal(got.is_precise, 0);
	assert_int_equal(got.reserved2, 0);
}

static void of_a_context_are_its_buffers_to_come(void **state)
{
	struct fixture *f = *state;
	struct heapsim_set_policy set = {
		.size = sizeof(set),
		.scope = HEAPSIM_POLICY_OF_CONTEXT,
		.fd = -1,
		.policy = HEAPSIM_POLICY_RECORD,
		.evict_random = 1,
		.seed = 0x123456789abcdefULL,
	};
	int other = device_open(), fd;
	struct heapsim_buf_info got;

	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY, &set),
			 0);
	fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, f->len);
	got = device_buf_info(other, fd);
	assert_int_equal(got.policy, HEAPSIM_POLICY_RECORD);
	assert_int_equal(got.evict_random, 1);
	assert_int_equal(got.seed, set.seed);
	/*
	 * The policy applies neither to old buffers, nor other opens or heaps.
	 */
	assert_int_equal(info(f).policy, HEAPSIM_POLICY_STRICT);
	assert_int_equal(policy_of_new(other), HEAPSIM_POLICY_STRICT);
	assert_int_equal(policy_from_heap(), HEAPSIM_POLICY_STRICT);
	close(fd);
	close(other);
}

static void a_context_goes_before_a_tree(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(of_others(f->dev, HEAPSIM_POLICY_OF_TREE,
				   HEAPSIM_POLICY_OFF), 0);
	assert_int_equal(policy_of_new(f->dev), HEAPSIM_POLICY_OFF);
	assert_int_equal(of_others(f->dev, HEAPSIM_POLICY_OF_CONTEXT,
				   HEAPSIM_POLICY_RECORD), 0);
	assert_int_equal(policy_of_new(f->dev), HEAPSIM_POLICY_RECORD);
	assert_int_equal(policy_from_heap(), HEAPSIM_POLICY_OFF);
}

static int answer_of_grandchild(void *arg)
{
	return device_in_child(answer_from_heap, NULL);
}

static int become_a_tree_and_wait(void *arg)
{
	int *fds = arg, dev = device_open();
	char byte = of_others(dev, HEAPSIM_POLICY_OF_TREE, HEAPSIM_POLICY_OFF);

	if (write(fds[1], &byte, 1) != 1)
		return 1;
	close(fds[1]);
	pause();
	return 0;
}

static void of_a_tree_are_all_doors_and_descendants(void **state)
{
	struct fixture *f = *state;
	int fds[2], other = device_open();
	char byte = 1;
	pid_t pid;

	assert_int_equal(of_others(f->dev, HEAPSIM_POLICY_OF_TREE,
				   HEAPSIM_POLICY_RECORD), 0);
	assert_int_equal(policy_of_new(other), HEAPSIM_POLICY_RECORD);
	assert_int_equal(policy_from_heap(), HEAPSIM_POLICY_RECORD);
	assert_int_equal(device_in_child(answer_from_heap, NULL),
			 HEAPSIM_POLICY_RECORD);
	assert_int_equal(device_in_child(answer_of_grandchild, NULL),
			 HEAPSIM_POLICY_RECORD);
	/* A child's policy applies neither to its parent nor to a sibling. */
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(become_a_tree_and_wait(fds));
	close(fds[1]);
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(byte, 0);
	assert_int_equal(policy_from_heap(), HEAPSIM_POLICY_RECORD);
	assert_int_equal(device_in_child(answer_from_heap, NULL),
			 HEAPSIM_POLICY_RECORD);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(fds[0]);
	close(other);
}

/* Each decimal digit is the policy at one step. */
static int nest(void *arg)
{
	int dev = device_open(), newer = device_open(), ret;

	ret = policy_from_heap() * 1000;
	of_others(dev, HEAPSIM_POLICY_OF_TREE, HEAPSIM_POLICY_OFF);
	ret += device_in_child(answer_from_heap, NULL) * 100;
	of_others(newer, HEAPSIM_POLICY_OF_TREE, HEAPSIM_POLICY_STRICT);
	ret += device_in_child(answer_from_heap, NULL) * 10;
	close(newer);
	if (policy_from_heap() != HEAPSIM_POLICY_OFF)
		return 1;
	close(dev);
	ret += policy_from_heap();
	return ret == 1000 * HEAPSIM_POLICY_RECORD + 100 * HEAPSIM_POLICY_OFF +
		      HEAPSIM_POLICY_RECORD ? 0 : 2;
}

static void the_innermost_tree_wins_and_ends_with_its_open(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(of_others(f->dev, HEAPSIM_POLICY_OF_TREE,
				   HEAPSIM_POLICY_RECORD), 0);
	assert_int_equal(device_in_child(nest, NULL), 0);
	/* An open has only one tree policy: the last one that was set. */
	assert_int_equal(of_others(f->dev, HEAPSIM_POLICY_OF_TREE,
				   HEAPSIM_POLICY_OFF), 0);
	assert_int_equal(policy_from_heap(), HEAPSIM_POLICY_OFF);
	close(f->dev);
	assert_int_equal(policy_from_heap(), HEAPSIM_POLICY_STRICT);
	f->dev = device_open();
}

/* Returns how many trees a user could set; one of them can still be changed. */
static int nr_trees(void *arg)
{
	const uid_t *uid = arg;
	int devs[MAX_TREES + 1], nr, ret;

	for (nr = 0; nr <= MAX_TREES; nr++)
		devs[nr] = device_open();
	if (setresuid(*uid, *uid, *uid))
		return -1;
	for (nr = 0; nr <= MAX_TREES; nr++) {
		ret = of_others(devs[nr], HEAPSIM_POLICY_OF_TREE, 0);
		if (ret)
			break;
	}
	if (ret != -EBUSY ||
	    of_others(devs[0], HEAPSIM_POLICY_OF_TREE, HEAPSIM_POLICY_OFF) ||
	    policy_of_new(devs[1]) != HEAPSIM_POLICY_OFF)
		return -2;
	return nr;
}

static void trees_are_bounded(void **state)
{
	uid_t root = 0, nobody = NOBODY;

	assert_int_equal(device_in_child(nr_trees, &root), MAX_TREES);
	assert_int_equal(device_in_child(nr_trees, &nobody), MAX_USERS_TREES);
}

static void of_all_is_what_nothing_else_decides(void **state)
{
	struct fixture *f = *state;
	struct heapsim_set_policy set = {
		.size = sizeof(set),
		.scope = HEAPSIM_POLICY_OF_ALL,
		.fd = -1,
		.policy = HEAPSIM_POLICY_OFF,
		.evict_random = 1,
		.seed = 5,
	};
	struct heapsim_probe probe = device_probe(f->dev), now;
	int new, tree, context = device_open(), live;

	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY, &set),
			 0);
	now = device_probe(f->dev);
	live = info(f).policy;
	new = policy_from_heap();
	tree = of_others(f->dev, HEAPSIM_POLICY_OF_TREE, HEAPSIM_POLICY_RECORD);
	tree = tree ? tree : policy_from_heap();
	set.policy = probe.policy;
	set.evict_random = probe.evict_random;
	set.seed = probe.seed;
	assert_int_equal(device_ioctl_errno(context, HEAPSIM_IOC_POLICY, &set),
			 0);
	assert_int_equal(now.policy, HEAPSIM_POLICY_OFF);
	assert_int_equal(now.evict_random, 1);
	assert_int_equal(now.seed, 5);
	assert_int_equal(live, HEAPSIM_POLICY_STRICT);
	assert_int_equal(new, HEAPSIM_POLICY_OFF);
	assert_int_equal(tree, HEAPSIM_POLICY_RECORD);
	close(context);
}

static void a_kind_of_one_view_takes_note(void **state)
{
	struct fixture *f = *state;
	int fd = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, f->len);
	uint8_t *map = device_map(fd, f->len);
	struct heapsim_hold hold;

	assert_int_equal(device_hold_errno(f->dev, fd, HEAPSIM_HOLD_MAP, 0,
					   &hold), 0);
	map[0] = 1;
	assert_int_equal(device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF, fd,
					     HEAPSIM_POLICY_OFF), 0);
	assert_int_equal(device_buf_info(f->dev, fd).policy,
			 HEAPSIM_POLICY_OFF);
	assert_int_equal(device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF, fd,
					     HEAPSIM_POLICY_RECORD), 0);
	assert_int_equal(device_buf_info(f->dev, fd).has_two_views, 0);
	assert_int_equal(map[0], 1);
	device_release(f->dev, hold.hold);
	device_unmap(map, f->len);
	close(fd);
}

/* Bytes. */

static void assert_one_view(struct fixture *f, uint8_t *map, size_t page)
{
	uint8_t was = map[0];

	map[0] = was + 1;
	assert_int_equal(engine_sees(f, page * f->page), was + 1);
	device_fill(f->dev, f->fd, page * f->page, f->page, 0x5c5c5c5c);
	assert_true(device_is_filled(map, 0x5c, f->page));
}

static void off_is_one_view_and_counts_nothing(void **state)
{
	struct fixture *f = *state;
	struct heapsim_counters before, after;
	struct heapsim_hold hold;
	size_t i;

	buf_becomes(f, HEAPSIM_POLICY_OFF);
	assert_int_equal(info(f).has_two_views, 0);
	before = info(f).count;
	for (i = 0; i < NR_PAGES; i++)
		assert_one_view(f, f->map + i * f->page, i);
	device_sync(f->fd, SYNC_START_RW);
	assert_one_view(f, f->map, 0);
	device_sync(f->fd, SYNC_END_RW);
	device_sync(f->fd, SYNC_END_WRITE);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_CLEAN_INVALIDATE, 0,
			f->len);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, 1, 2);
	device_revoke(f->dev, f->fd);
	assert_one_view(f, f->map, 0);
	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP, 0,
					   &hold), 0);
	assert_one_view(f, f->map, 0);
	device_release(f->dev, hold.hold);
	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_VMAP, 0,
					   &hold), 0);
	assert_int_equal(info(f).nr_holders, 1);
	assert_one_view(f, f->map, 0);
	device_release(f->dev, hold.hold);
	after = info(f).count;
	assert_memory_equal(&before, &after, sizeof(after));
}

static void a_new_buffer_may_be_off(void **state)
{
	static const struct heapsim_counters none;
	struct fixture *f = *state, other = *f;
	struct heapsim_counters got;

	assert_int_equal(of_others(f->dev, HEAPSIM_POLICY_OF_CONTEXT,
				   HEAPSIM_POLICY_OFF), 0);
	other.fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, f->len);
	other.map = device_map(other.fd, f->len);
	assert_true(device_is_filled(other.map, 0, f->len));
	assert_one_view(&other, other.map, 0);
	got = info(&other).count;
	assert_memory_equal(&got, &none, sizeof(none));
	/* The buffer has line state from now on. */
	buf_becomes(&other, HEAPSIM_POLICY_STRICT);
	assert_int_equal(info(&other).has_two_views, 1);
	other.map[0] = 0x77;
	assert_int_equal(engine_sees(&other, 0), 0x5c);
	assert_int_equal(info(&other).count.missing_cleans, 1);
	device_sync(other.fd, SYNC_END_WRITE);
	assert_int_equal(engine_sees(&other, 0), 0x77);
	device_unmap(other.map, f->len);
	close(other.fd);
}

/* Memory that was only written while off must not be assumed to be zero. */
static void what_was_written_while_off_is_not_kept_as_zeros(void **state)
{
	struct fixture *f = *state;
	uint8_t byte = 0xee;
	int i, fd, mem;

	assert_int_equal(of_others(f->dev, HEAPSIM_POLICY_OF_CONTEXT,
				   HEAPSIM_POLICY_OFF), 0);
	for (i = 0; i < 3; i++) {
		uint8_t *map;

		fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, f->len);
		map = device_map(fd, f->len);
		mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
		assert_int_equal(pwrite(mem, &byte, 1, (uintptr_t)map + 1), 1);
		close(mem);
		if (i)
			memset(map + f->page, 0xee, f->page);
		device_unmap(map, f->len);
		close(fd);
	}
	for (i = 0; i < 3; i++) {
		uint8_t *map;

		fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, f->len);
		map = device_map(fd, f->len);
		assert_true(device_is_filled(map, 0, f->len));
		device_unmap(map, f->len);
		close(fd);
	}
}

static void a_switch_to_off_cleans_and_drops(void **state)
{
	struct fixture *f = *state;
	struct heapsim_counters count;

	f->map[0] = 0x11;			/* dirty */
	device_peek(f->map + f->page);
	device_fill(f->dev, f->fd, f->page, f->page, 0x22222222); /* stale */
	f->map[2 * f->page] = 0x33;
	device_fill(f->dev, f->fd, 2 * f->page, 64, 0x44444444); /* both */
	buf_becomes(f, HEAPSIM_POLICY_OFF);
	count = info(f).count;
	assert_int_equal(f->map[0], 0x11);
	assert_int_equal(engine_sees(f, 0), 0x11);
	assert_true(device_is_filled(f->map + f->page, 0x22, f->page));
	assert_int_equal(f->map[2 * f->page], 0x33);
	assert_int_equal(count.lines_cleaned, 2);
	assert_int_equal(count.write_conflicts, 1);
	assert_int_equal(count.lost_device_writes, 1);
	assert_int_equal(count.lost_cpu_writes, 0);
	assert_true(count.lines_invalidated > 0);
	assert_int_equal(count.redundant_cleans, 0);
	assert_int_equal(count.redundant_invalidates, 0);
	assert_int_equal(device_info(f->dev).cpu_bytes, 0);
}

static void a_switch_from_off_lets_touches_be_seen(void **state)
{
	struct fixture *f = *state;
	struct heapsim_counters before, after;

	buf_becomes(f, HEAPSIM_POLICY_OFF);
	memset(f->map, 0x10, f->len);
	before = info(f).count;
	buf_becomes(f, HEAPSIM_POLICY_RECORD);
	after = info(f).count;
	assert_memory_equal(&before, &after, sizeof(after));
	assert_int_equal(device_peek(f->map), 0x10);
	assert_true(info(f).count.lines_filled > before.lines_filled);
	device_fill(f->dev, f->fd, 0, f->len, 0x20202020);
	assert_int_equal(device_peek(f->map), 0x10);
	assert_int_equal(info(f).count.stale_reads, before.stale_reads + 1);
	device_sync(f->fd, SYNC_START_READ);
	assert_int_equal(device_peek(f->map), 0x20);
	device_sync(f->fd, SYNC_END_READ);
	f->map[1] = 0x30;
	assert_int_equal(engine_sees(f, 1), 0x20);
	assert_int_equal(info(f).count.missing_cleans,
			 before.missing_cleans + 1);
}

/* Each page has its own byte; the chunks are also mapped from an offset. */
static void all_pages_are_where_they_were(void **state)
{
	struct fixture *f = *state, big = *f;
	const size_t nr = 8 * MIB / f->page + 3, skip = 5;
	size_t i, round;
	uint8_t *part;

	big.len = nr * f->page;
	big.fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, big.len);
	big.map = device_map(big.fd, big.len);
	part = mmap(NULL, big.len - (skip + 2) * f->page, PROT_READ, MAP_SHARED,
		    big.fd, skip * f->page);
	assert_true(part != MAP_FAILED);
	for (i = 0; i < nr; i++)
		big.map[i * f->page] = i % 251;
	for (round = 0; round < 4; round++) {
		buf_becomes(&big, round % 2 ? HEAPSIM_POLICY_STRICT :
					      HEAPSIM_POLICY_OFF);
		for (i = 0; i < nr - skip - 2; i++)
			assert_int_equal(part[i * f->page],
					 (i + skip + round) % 251);
		for (i = 0; i < nr; i++) {
			assert_int_equal(big.map[i * f->page],
					 (i + round) % 251);
			big.map[i * f->page] = (i + round + 1) % 251;
		}
	}
	munmap(part, big.len - (skip + 2) * f->page);
	device_unmap(big.map, big.len);
	close(big.fd);
}

static void protection_is_kept_while_off(void **state)
{
	struct fixture *f = *state;
	uint8_t *ro = mmap(NULL, f->len, PROT_READ, MAP_SHARED, f->fd, 0);

	assert_true(ro != MAP_FAILED);
	buf_becomes(f, HEAPSIM_POLICY_OFF);
	device_peek(ro);
	assert_int_equal(device_signal_of_write(ro), SIGSEGV);
	assert_int_equal(mprotect(f->map, f->len, PROT_READ), 0);
	assert_int_equal(device_signal_of_write(f->map), SIGSEGV);
	assert_int_equal(mprotect(f->map, f->len, PROT_READ | PROT_WRITE), 0);
	device_peek(f->map);
	assert_one_view(f, f->map, 0);
	f->map[0] = 9;
	assert_int_equal(device_peek(ro), 9);
	/* The area is split into three parts, and one is moved. */
	assert_int_equal(mprotect(f->map + f->page, f->page, PROT_READ), 0);
	f->map[0] = 10;
	f->map[2 * f->page] = 11;
	assert_int_equal(device_peek(ro), 10);
	assert_int_equal(device_peek(ro + 2 * f->page), 11);
	buf_becomes(f, HEAPSIM_POLICY_STRICT);
	f->map[0] = 12;
	assert_int_equal(engine_sees(f, 0), 10);
	assert_int_equal(device_signal_of_write(f->map + f->page), SIGSEGV);
	munmap(ro, f->len);
}

static void debuggers_see_what_the_cpu_sees(void **state)
{
	struct fixture *f = *state;
	int mem = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	uint8_t bytes[2] = { 1, 2 };
	const uintptr_t at = (uintptr_t)f->map + f->page - 1;

	assert_true(mem >= 0);
	buf_becomes(f, HEAPSIM_POLICY_OFF);
	assert_int_equal(pwrite(mem, bytes, 2, at), 2);
	assert_int_equal(engine_sees(f, f->page - 1), 1);
	assert_int_equal(engine_sees(f, f->page), 2);
	assert_int_equal(f->map[f->page], 2);
	buf_becomes(f, HEAPSIM_POLICY_STRICT);
	bytes[0] = 3;
	assert_int_equal(pwrite(mem, bytes, 1, at), 1);
	assert_int_equal(engine_sees(f, f->page - 1), 1);
	assert_int_equal(pread(mem, bytes, 2, at), 2);
	assert_int_equal(bytes[0], 3);
	close(mem);
}

/* Another process that has mappings, too, and stores on request */
struct other {
	int ask[2];
	int answer[2];
	pid_t pid;
};

static void store_as_told(struct fixture *f, struct other *o)
{
	uint8_t byte;

	close(o->ask[1]);
	while (read(o->ask[0], &byte, 1) == 1) {
		memset(f->map, byte, f->len);
		if (write(o->answer[1], &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static void other_begin(struct fixture *f, struct other *o)
{
	assert_int_equal(pipe(o->ask) | pipe(o->answer), 0);
	o->pid = fork();
	assert_true(o->pid >= 0);
	if (!o->pid)
		store_as_told(f, o);
	close(o->ask[0]);
	close(o->answer[1]);
}

static void other_stores(struct other *o, uint8_t byte)
{
	assert_int_equal(write(o->ask[1], &byte, 1), 1);
	assert_int_equal(read(o->answer[0], &byte, 1), 1);
}

static void other_end(struct other *o)
{
	close(o->ask[1]);
	close(o->answer[0]);
	assert_int_equal(waitpid(o->pid, NULL, 0), o->pid);
}

static void maps_of_another_process_are_switched(void **state)
{
	struct fixture *f = *state;
	struct other o;
	int round;

	other_begin(f, &o);
	for (round = 0; round < 4; round++) {
		uint64_t missing;

		buf_becomes(f, HEAPSIM_POLICY_STRICT);
		missing = info(f).count.missing_cleans;
		other_stores(&o, 4 * round + 1);
		assert_int_equal(engine_sees(f, 0), round ? 4 * round : 0);
		assert_int_equal(info(f).count.missing_cleans, missing + 1);
		buf_becomes(f, HEAPSIM_POLICY_OFF);
		assert_int_equal(engine_sees(f, 0), 4 * round + 1);
		other_stores(&o, 4 * round + 2);
		assert_int_equal(engine_sees(f, 0), 4 * round + 2);
		device_fill(f->dev, f->fd, 0, f->len,
			    0x01010101 * (4 * round + 3));
		other_stores(&o, 4 * round + 4);
		assert_true(device_is_filled(f->map, 4 * round + 4, f->len));
	}
	other_end(&o);
}

/* When a switch is refused, and that it succeeds once the reason is gone. */

static void assert_busy(struct fixture *f, uint32_t to)
{
	struct heapsim_buf_info before = info(f);

	assert_int_equal(of_buf(f, to), -EBUSY);
	assert_int_equal(info(f).policy, before.policy);
	assert_int_equal(info(f).has_two_views, before.has_two_views);
	/* A change that is no switch between one and two views succeeds. */
	if (to == HEAPSIM_POLICY_OFF) {
		buf_becomes(f, HEAPSIM_POLICY_RECORD);
		buf_becomes(f, HEAPSIM_POLICY_STRICT);
	} else {
		buf_becomes(f, HEAPSIM_POLICY_OFF);
	}
}

static void a_held_buffer_is_ebusy(void **state)
{
	static const uint32_t hows[] = { HEAPSIM_HOLD_MAP, HEAPSIM_HOLD_VMAP };
	struct fixture *f = *state;
	struct heapsim_hold hold;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hows); i++) {
		assert_int_equal(device_hold_errno(f->dev, f->fd, hows[i], 0,
						   &hold), 0);
		assert_busy(f, HEAPSIM_POLICY_OFF);
		device_release(f->dev, hold.hold);
		buf_becomes(f, HEAPSIM_POLICY_OFF);
		assert_int_equal(device_hold_errno(f->dev, f->fd, hows[i], 0,
						   &hold), 0);
		assert_busy(f, HEAPSIM_POLICY_STRICT);
		device_release(f->dev, hold.hold);
		buf_becomes(f, HEAPSIM_POLICY_STRICT);
	}
}

static int start_and_die(void *arg)
{
	struct fixture *f = arg;

	return device_sync_errno(f->fd, SYNC_START_READ);
}

static void an_open_bracket_is_ebusy(void **state)
{
	static const struct { uint64_t start, end; } pairs[] = {
		{ SYNC_START_READ, SYNC_END_READ },
		{ SYNC_START_WRITE, SYNC_END_WRITE },
		{ SYNC_START_RW, SYNC_END_RW },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		device_sync(f->fd, pairs[i].start);
		assert_busy(f, HEAPSIM_POLICY_OFF);
		device_sync(f->fd, pairs[i].end);
		buf_becomes(f, HEAPSIM_POLICY_OFF);
		buf_becomes(f, HEAPSIM_POLICY_STRICT);
	}
	/* The bracket of an ended process does not prevent a switch. */
	assert_int_equal(device_in_child(start_and_die, f), 0);
	buf_becomes(f, HEAPSIM_POLICY_OFF);
}

static void a_buffer_in_a_job_is_ebusy(void **state)
{
	struct fixture *f = *state, other = *f;
	int round;

	other.fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, f->len);
	for (round = 0; round < 4; round++) {
		const uint32_t to = round & 1 ? HEAPSIM_POLICY_STRICT :
						HEAPSIM_POLICY_OFF;
		struct heapsim_dma_submit submit = {
			.op = HEAPSIM_DMA_COPY,
			.src_fd = round & 2 ? f->fd : other.fd,
			.dst_fd = round & 2 ? other.fd : f->fd,
			.row_len = 64,
			.nr_rows = 1,
			.delay_ns = 200 * NSEC_PER_MSEC,
		};
		struct heapsim_job_wait answer;

		assert_int_equal(device_submit_errno(f->dev, &submit), 0);
		close(submit.fence_fd);
		assert_busy(f, to);
		assert_int_equal(device_wait_errno(f->dev, submit.job,
						   10 * NSEC_PER_SEC, &answer),
				 0);
		/*
		 * After the wait for the job, the switch must succeed at once.
		 */
		buf_becomes(f, to);
	}
	close(other.fd);
}

/* A job that could not be submitted holds no buffer. */
static void a_refused_job_is_not_ebusy(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = f->fd,
		.row_len = f->len + 1,
		.nr_rows = 1,
	};

	assert_int_equal(device_submit_errno(f->dev, &submit), -EINVAL);
	buf_becomes(f, HEAPSIM_POLICY_OFF);
}

/* Eviction. */

static int set_eviction(struct fixture *f, uint32_t scope, uint64_t seed)
{
	struct heapsim_set_policy set = {
		.size = sizeof(set),
		.scope = scope,
		.fd = scope == HEAPSIM_POLICY_OF_BUF ? f->fd : -1,
		.evict_random = 1,
		.seed = seed,
	};

	return device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY, &set);
}

/*
 * The result of a series of accesses to a new buffer of many fill granules. The
 * checksum includes stores that an eviction wrote to DRAM.
 */
struct outcome {
	struct heapsim_counters count;
	uint64_t sum;
};

static struct outcome outcome_of(struct fixture *f)
{
	struct outcome out;
	size_t i;

	for (i = 0; i < 60; i++) {
		size_t at = i * 7919 * 64 % f->len;

		device_revoke(f->dev, f->fd);
		if (i % 3)
			device_peek(f->map + at);
		else
			f->map[at] = i;
	}
	out.sum = device_checksum(f->dev, f->fd, 0, f->len);
	out.count = info(f).count;
	return out;
}

static struct fixture fresh(struct fixture *f, uint64_t len)
{
	struct fixture one = *f;

	one.len = len;
	one.fd = device_alloc(f->dev, HEAPSIM_KIND_NONCOHERENT, len);
	one.map = device_map(one.fd, len);
	return one;
}

static void drop(struct fixture *f)
{
	device_unmap(f->map, f->len);
	close(f->fd);
}

static bool is_same(const struct outcome *a, const struct outcome *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static void eviction_of_a_buffer_repeats(void **state)
{
	static const uint64_t seeds[] = { 7, 7, 8, 0, 0 };
	struct outcome out[ARRAY_SIZE(seeds)];
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(seeds); i++) {
		struct fixture one = fresh(f, 512 * KIB);

		assert_int_equal(set_eviction(&one, HEAPSIM_POLICY_OF_BUF,
					      seeds[i]), 0);
		out[i] = outcome_of(&one);
		assert_true(out[i].count.evictions > 0);
		drop(&one);
	}
	assert_true(is_same(&out[0], &out[1]));
	assert_false(is_same(&out[0], &out[2]));
	assert_true(is_same(&out[3], &out[4]));
	assert_int_equal(info(f).count.evictions, 0);
}

static void eviction_of_a_context_repeats_buffer_by_buffer(void **state)
{
	struct fixture *f = *state;
	struct outcome out[2][2];
	size_t i, k;

	for (i = 0; i < 2; i++) {
		/* The same open allocates again, then another one. */
		assert_int_equal(set_eviction(f, HEAPSIM_POLICY_OF_CONTEXT, 3),
				 0);
		for (k = 0; k < 2; k++) {
			struct fixture one = fresh(f, 512 * KIB);

			out[i][k] = outcome_of(&one);
			drop(&one);
		}
		close(f->dev);
		f->dev = device_open();
	}
	assert_true(is_same(&out[0][0], &out[1][0]));
	assert_true(is_same(&out[0][1], &out[1][1]));
	assert_false(is_same(&out[0][0], &out[0][1]));
}

static void eviction_can_be_switched_off_again(void **state)
{
	struct fixture *f = *state;
	uint64_t evictions;

	assert_int_equal(set_eviction(f, HEAPSIM_POLICY_OF_BUF, 1), 0);
	outcome_of(f);
	evictions = info(f).count.evictions;
	assert_true(evictions > 0);
	buf_becomes(f, HEAPSIM_POLICY_STRICT);
	outcome_of(f);
	assert_int_equal(info(f).count.evictions, evictions);
	/* A buffer that is off has no lines to evict. */
	assert_int_equal(set_eviction(f, HEAPSIM_POLICY_OF_BUF, 1), 0);
	buf_becomes(f, HEAPSIM_POLICY_OFF);
	outcome_of(f);
	assert_int_equal(info(f).count.evictions, evictions);
}

/* Switches, accesses and jobs at the same time. */

struct stress {
	struct fixture *f;
	size_t page;
	volatile bool is_over;
	uint64_t nr;
	uint64_t nr_wrong;
};

/* Only this thread writes the page, so it must load what it stored. */
static void *stress_touch(void *arg)
{
	struct stress *s = arg;
	volatile uint8_t *at = s->f->map + s->page * s->f->page;
	uint8_t byte = 0;
	size_t i;

	while (!s->is_over) {
		for (i = 0; i < 64; i++)
			at[i * 61] = byte;
		for (i = 0; i < 64; i++)
			s->nr_wrong += at[i * 61] != byte;
		byte++;
		s->nr++;
	}
	return NULL;
}

static void *stress_jobs(void *arg)
{
	struct stress *s = arg;
	int dev = device_open();

	while (!s->is_over) {
		device_fill(dev, s->f->fd, s->page * s->f->page, s->f->page,
			    s->nr);
		device_checksum(dev, s->f->fd, 0, s->f->len);
		s->nr++;
	}
	close(dev);
	return NULL;
}

static void *stress_brackets(void *arg)
{
	struct stress *s = arg;
	struct heapsim_hold hold;
	int dev = device_open();

	while (!s->is_over) {
		device_sync_errno(s->f->fd, SYNC_START_WRITE);
		device_sync_errno(s->f->fd, SYNC_END_WRITE);
		if (!device_hold_errno(dev, s->f->fd,
				       s->nr % 2 ? HEAPSIM_HOLD_VMAP :
						   HEAPSIM_HOLD_MAP, 0, &hold))
			device_release(dev, hold.hold);
		s->nr++;
	}
	close(dev);
	return NULL;
}

static void *stress_maps(void *arg)
{
	struct stress *s = arg;
	uint8_t *map;

	while (!s->is_over) {
		map = device_map(s->f->fd, s->f->len);
		device_peek(map + s->page * s->f->page);
		mprotect(map, s->f->page, PROT_READ);
		mprotect(map, s->f->page, PROT_READ | PROT_WRITE);
		device_peek(map);
		device_unmap(map, s->f->len);
		s->nr++;
	}
	return NULL;
}

static void no_write_is_lost_while_the_policy_switches(void **state)
{
	static const struct {
		void *(*fn)(void *arg);
		size_t page;
	} what[] = {
		{ stress_touch, 0 },
		{ stress_touch, 1 },
		{ stress_jobs, 2 },
		{ stress_brackets, 0 },
		{ stress_maps, 3 },
	};
	struct stress s[ARRAY_SIZE(what)];
	pthread_t threads[ARRAY_SIZE(what)];
	uint64_t end = device_now_ns() + STRESS_NS, nr = 0, nr_busy = 0;
	struct fixture *f = *state;
	size_t i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(what); i++) {
		s[i] = (struct stress) { .f = f, .page = what[i].page };
		assert_int_equal(pthread_create(&threads[i], NULL, what[i].fn,
						&s[i]), 0);
	}
	/* On a loaded machine the buffer may be busy for a long time. */
	while (device_now_ns() < end ||
	       (!nr && device_now_ns() < end + 10 * STRESS_NS)) {
		ret = of_buf(f, nr % 2 ? HEAPSIM_POLICY_STRICT :
					 HEAPSIM_POLICY_OFF);
		if (ret && ret != -EBUSY)
			break;
		nr += !ret;
		nr_busy += ret == -EBUSY;
	}
	for (i = 0; i < ARRAY_SIZE(what); i++)
		s[i].is_over = true;
	for (i = 0; i < ARRAY_SIZE(what); i++)
		pthread_join(threads[i], NULL);
	printf("# %llu switches, %llu busy\n", (unsigned long long)nr,
	       (unsigned long long)nr_busy);
	for (i = 0; i < ARRAY_SIZE(what); i++)
		printf("# thread %zu: %llu rounds\n", i,
		       (unsigned long long)s[i].nr);
	fflush(stdout);
	assert_true(ret == 0 || ret == -EBUSY);
	assert_true(nr > 0);
	assert_int_equal(s[0].nr_wrong + s[1].nr_wrong, 0);
}

int main(void)
{
#define TEST(fn)	\
	cmocka_unit_test_setup_teardown(fn, setup, fixture_teardown)
	static const struct CMUnitTest tests[] = {
		TEST(malformed_is_einval),
		TEST(what_is_no_buffer_of_ours_is_refused),
		TEST(only_the_privileged_change_what_others_have),
		TEST(permission_comes_before_state),
		TEST(a_buffer_has_what_probe_tells),
		TEST(of_a_context_are_its_buffers_to_come),
		TEST(a_context_goes_before_a_tree),
		TEST(of_a_tree_are_all_doors_and_descendants),
		TEST(the_innermost_tree_wins_and_ends_with_its_open),
		TEST(trees_are_bounded),
		TEST(of_all_is_what_nothing_else_decides),
		TEST(a_kind_of_one_view_takes_note),
		TEST(off_is_one_view_and_counts_nothing),
		TEST(a_new_buffer_may_be_off),
		TEST(what_was_written_while_off_is_not_kept_as_zeros),
		TEST(a_switch_to_off_cleans_and_drops),
		TEST(a_switch_from_off_lets_touches_be_seen),
		TEST(all_pages_are_where_they_were),
		TEST(protection_is_kept_while_off),
		TEST(debuggers_see_what_the_cpu_sees),
		TEST(maps_of_another_process_are_switched),
		TEST(a_held_buffer_is_ebusy),
		TEST(an_open_bracket_is_ebusy),
		TEST(a_buffer_in_a_job_is_ebusy),
		TEST(a_refused_job_is_not_ebusy),
		TEST(eviction_of_a_buffer_repeats),
		TEST(eviction_of_a_context_repeats_buffer_by_buffer),
		TEST(eviction_can_be_switched_off_again),
		TEST(no_write_is_lost_while_the_policy_switches),
	};

	return cmocka_run_group_tests_name("policy", tests, NULL, NULL);
}
