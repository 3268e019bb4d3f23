// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the limits of kernel memory that a user can occupy. In each test, a
 * process of an unprivileged user in a memory cgroup makes as many objects of
 * one kind as it can. The memory used must not exceed the cgroup's and the
 * user's limit. run.sh inserts the module with user_limit_mb=16 for this test.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "../nobody.h"

/*
 * Limit of the cgroup, so large that jobs reach the user's limit first. KASAN
 * adds a redzone to each object.
 */
#define CGROUP_BYTES	(24 * MIB)
#define CGROUP_BYTES_KASAN	(48 * MIB)
#define LIMIT_BYTES	(16 * MIB)
/* Tolerance for page tables, the process itself, and lists of processors */
#define SLACK_BYTES	(6 * MIB)

static char cgroup[64];
static size_t cgroup_limit;
static int64_t slack;

static void die(const char *what)
{
	perror(what);
	_exit(1);
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		die(path);
	close(fd);
}

/* Returns the available memory, including the pool, which is reusable. */
static int64_t memory_available(void)
{
	int dev = device_open();
	int64_t pooled = device_info(dev).pool_bytes;

	close(dev);
	return device_meminfo("MemAvailable") + pooled;
}

/* A kind of object; @take makes them until refused and returns their number. */
struct taker {
	const char *name;
	long (*take)(void);
	/* The documented number for a user, with pages of 4 KiB */
	long least;
};

static int open_dev(void)
{
	return open("/dev/heapsim", O_RDWR | O_CLOEXEC);
}

static int alloc(int dev, uint32_t kind, uint64_t len)
{
	struct heapsim_buf_alloc alloc = {
		.size = sizeof(alloc),
		.fd_flags = O_RDWR | O_CLOEXEC,
		.len = len,
		.kind = kind,
	};

	return ioctl(dev, HEAPSIM_IOC_BUF_ALLOC, &alloc) ? -1 : alloc.fd;
}

static long take_opens(void)
{
	long nr = 0;

	while (open_dev() >= 0)
		nr++;
	if (errno != EBUSY)
		die("open");
	return nr;
}

static long take_small_buffers(void)
{
	int dev = open_dev();
	long nr = 0;

	while (alloc(dev, HEAPSIM_KIND_COHERENT, 1) >= 0)
		nr++;
	if (errno != ENOMEM)
		die("alloc");
	return nr;
}

/* An invalidate makes the module allocate the state of each buffer's lines. */
static long take_small_noncoherent_buffers(void)
{
	int dev = open_dev(), fd;
	long nr = 0;

	while ((fd = alloc(dev, HEAPSIM_KIND_NONCOHERENT, 1)) >= 0) {
		struct heapsim_range_maintain invalidate = {
			.size = sizeof(invalidate),
			.range = {
				.fd = fd,
				.op = HEAPSIM_MAINT_INVALIDATE,
				.len = 1,
			},
		};

		if (ioctl(dev, HEAPSIM_IOC_RANGE_MAINTAIN, &invalidate))
			break;
		nr++;
	}
	if (errno != ENOMEM)
		die("invalidate");
	return nr;
}

/* A buffer that was allocated must be usable completely, in both views. */
static long take_two_views(void)
{
	int dev = open_dev(), fd;
	long nr = 0;
	uint8_t *map;

	while ((fd = alloc(dev, HEAPSIM_KIND_NONCOHERENT, MIB)) >= 0) {
		map = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			   0);
		if (map == MAP_FAILED)
			die("mmap");
		memset(map, 1, MIB);
		nr++;
	}
	if (errno != ENOMEM)
		die("alloc");
	return nr;
}

static long take_streams(void)
{
	struct heapsim_stream_id op = { .size = sizeof(op), .stream = 1 };
	int dev = open_dev();
	long nr = 0;

	while (!ioctl(dev, HEAPSIM_IOC_STREAM_ADD, &op)) {
		op.stream++;
		nr++;
	}
	if (errno != ENOMEM && errno != EBUSY)
		die("stream");
	return nr;
}

static long take_works(void)
{
	struct heapsim_work_add op = { .size = sizeof(op), .work = 1 };
	int dev = open_dev();
	long nr = 0;

	while (!ioctl(dev, HEAPSIM_IOC_WORK_ADD, &op)) {
		op.work++;
		nr++;
	}
	if (errno != ENOMEM && errno != EBUSY)
		die("work");
	return nr;
}

/*
 * In a full cgroup, open() itself would make the OOM killer kill the process.
 */
static void open_devs(int *devs, size_t nr)
{
	while (nr--) {
		devs[nr] = open_dev();
		if (devs[nr] < 0)
			die("open");
	}
}

static long take_holds(void)
{
	int devs[32], fd;
	struct heapsim_hold hold;
	long nr = 0;
	size_t i;

	open_devs(devs, ARRAY_SIZE(devs));
	fd = alloc(devs[0], HEAPSIM_KIND_COHERENT, MIB);
	for (i = 0; i < ARRAY_SIZE(devs); i++) {
		while (!device_hold_errno(devs[i], fd, HEAPSIM_HOLD_MAP,
					  HEAPSIM_DIR_BIDIRECTIONAL, &hold))
			nr++;
		if (errno != EBUSY)
			break;
	}
	if (errno != ENOMEM)
		die("hold");
	return nr;
}

/* The fences are on many buffers, since each is compared with its buffer's. */
static long take_fences(void)
{
	struct heapsim_fence_create fence;
	int devs[32], fds[64];
	long nr = 0;
	size_t i;

	open_devs(devs, ARRAY_SIZE(devs));
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		fds[i] = alloc(devs[0], HEAPSIM_KIND_COHERENT, 1);
	for (i = 0; i < ARRAY_SIZE(devs); i++) {
		while (!device_fence_errno(devs[i], fds[nr % ARRAY_SIZE(fds)],
					   HEAPSIM_FENCE_READ,
					   10 * NSEC_PER_SEC, &fence))
			nr++;
		if (errno != EBUSY)
			break;
	}
	if (errno != ENOMEM)
		die("fence");
	return nr;
}

/* Makes jobs that are done and never waited for. */
static long take_jobs(void)
{
	struct heapsim_info info = { .size = sizeof(info) };
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.row_len = 1,
		.nr_rows = 1,
	};
	int devs[400];
	long nr = 0;
	size_t i;

	open_devs(devs, ARRAY_SIZE(devs));
	submit.dst_fd = alloc(devs[0], HEAPSIM_KIND_COHERENT, 1);
	for (i = 0; i < ARRAY_SIZE(devs); i++) {
		for (; !device_submit_errno(devs[i], &submit); nr++)
			close(submit.fence_fd);
		if (errno != EBUSY)
			break;
		do {
			if (ioctl(devs[i], HEAPSIM_IOC_INFO, &info))
				die("info");
		} while (info.nr_jobs && !usleep(1000));
	}
	if (errno != ENOMEM)
		die("submit");
	return nr;
}

static long take_descriptors(void)
{
	struct heapsim_buf_reopen reopen = {
		.size = sizeof(reopen),
		.fd_flags = O_RDONLY | O_CLOEXEC,
	};
	int dev = open_dev();
	long nr = 0;

	reopen.fd = alloc(dev, HEAPSIM_KIND_COHERENT, 1);
	for (; !ioctl(dev, HEAPSIM_IOC_BUF_REOPEN, &reopen); nr++)
		reopen.new_fd = 0;
	if (errno != ENOMEM && errno != EBUSY)
		die("reopen");
	return nr;
}

static const struct taker takers[] = {
	{ "opens", take_opens, 1000 },
	{ "small_buffers", take_small_buffers, 3000 },
	{ "small_noncoherent_buffers", take_small_noncoherent_buffers, 1000 },
	{ "buffers_of_two_views", take_two_views, 5 },
	{ "streams", take_streams, 10000 },
	{ "works", take_works, 10000 },
	{ "holds", take_holds, 5000 },
	{ "fences", take_fences, 5000 },
	{ "jobs", take_jobs, 5000 },
	{ "descriptors", take_descriptors, 5000 },
};

static void enter_cgroup_as_nobody(void)
{
	const struct rlimit files = { 1 << 20, 1 << 20 };
	char pid[16];

	if (setrlimit(RLIMIT_NOFILE, &files))
		die("setrlimit");
	snprintf(pid, sizeof(pid), "%d", getpid());
	write_file(cgroup, "cgroup.procs", pid);
	if (become_nobody())
		die("setuid");
}

/*
 * The child reports its number through shared memory that exists already, since
 * in a full cgroup any system call that allocates may call the OOM killer.
 */
static void user_takes_no_more_than_his_limits(void **state)
{
	const struct taker *taker = *state;
	const int64_t before = memory_available();
	int64_t taken;
	int status;
	pid_t pid;
	long *nr;

	nr = mmap(NULL, sizeof(*nr), PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	assert_ptr_not_equal(nr, MAP_FAILED);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		enter_cgroup_as_nobody();
		__atomic_store_n(nr, taker->take(), __ATOMIC_RELEASE);
		for (;;)
			pause();
	}
	while (!__atomic_load_n(nr, __ATOMIC_ACQUIRE)) {
		assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
		usleep(10000);
	}
	taken = before - memory_available();
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	print_message("%s: %ld, %lld KiB\n", taker->name, *nr,
		      (long long)taken / 1024);
	assert_true(*nr >= (long)((size_t)taker->least * 4 * KIB /
				  device_page_size()));
	assert_true(taken <= (int64_t)(cgroup_limit + LIMIT_BYTES) + slack);
	munmap(nr, sizeof(*nr));
}

/*
 * Functions that make objects and return 0 or errno. The objects exist as long
 * as the process.
 */
static int get_10_mib(void)
{
	return alloc(open_dev(), HEAPSIM_KIND_COHERENT, 10 * MIB) < 0 ? errno :
									 0;
}

static int get_watcher(void)
{
	return -device_watch_errno(open_dev(), HEAPSIM_WATCH_PROCESS,
				   HEAPSIM_KINDS_ALL, 1);
}

static int get_most_watchers(void)
{
	int i, ret = 0;

	for (i = 0; i < 16 && !ret; i++)
		ret = get_watcher();
	return ret;
}

/*
 * The child runs with another uid in a user namespace that uid 65534 owns. The
 * parent writes the maps of the namespace.
 */
static int run_as_another_uid(void *arg)
{
	int (*const *get)(void) = arg;
	int go[2], ready[2], status;
	char path[64], byte;
	pid_t pid;

	if (pipe(go) || pipe(ready))
		return 1;
	pid = fork();
	if (!pid) {
		close(go[1]);
		close(ready[0]);
		if (become_nobody() ||
		    unshare(CLONE_NEWUSER) || write(ready[1], "", 1) != 1 ||
		    read(go[0], &byte, 1) != 1 || setgid(5) || setuid(5))
			_exit(252);
		_exit((*get)());
	}
	/* If the child ends early, the read below must not block. */
	close(ready[1]);
	close(go[0]);
	if (read(ready[0], &byte, 1) != 1)
		return 253;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	write_file(path, "uid_map", "0 100000 10");
	write_file(path, "gid_map", "0 100000 10");
	if (write(go[1], "", 1) != 1 || waitpid(pid, &status, 0) != pid)
		return 254;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int run_here(void *arg)
{
	int (*const *get)(void) = arg;

	return (*get)();
}

/* If user nobody has reached a limit, its namespace has reached it, too. */
static void namespace_counts_for_its_owner(int (*most)(void),
					   int (*more)(void), int err)
{
	int go[2], ready[2], status;
	char byte;
	pid_t pid;

	if (access("/proc/self/ns/user", F_OK))
		device_skip("this kernel has no user namespaces");
	assert_int_equal(device_in_child(run_as_another_uid, &more), 0);
	assert_int_equal(pipe(go) | pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(go[1]);
		_exit(become_nobody() || most() ||
		      write(ready[1], "", 1) != 1 || read(go[0], &byte, 1));
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(device_in_child(run_as_another_uid, &more), err);
	/* The limit does not apply to root. */
	assert_int_equal(device_in_child(run_here, &more), 0);
	close(go[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void memory_of_a_namespace_counts_for_its_owner(void **state)
{
	namespace_counts_for_its_owner(get_10_mib, get_10_mib, ENOMEM);
}

static void watchers_of_a_namespace_count_for_its_owner(void **state)
{
	namespace_counts_for_its_owner(get_most_watchers, get_watcher, EBUSY);
}

static long cgroup_bytes(void)
{
	char path[96], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/memory.current", cgroup);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	return atol(text);
}

static bool is_accounted(void)
{
	int fd = open("/sys/module/heapsim/parameters/mem_accounting",
		      O_RDONLY | O_CLOEXEC);
	char value = 0;

	if (fd < 0 || read(fd, &value, 1) != 1)
		die("mem_accounting");
	close(fd);
	return value == 'Y';
}

/* The child waits to allocate until the memory before that was measured. */
static void pages_are_charged_if_asked(void **state)
{
	const size_t len = 8 * MIB;
	int go[2], ready[2], status;
	long before;
	pid_t pid;
	char byte;

	assert_int_equal(pipe(go) | pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(go[1]);
		enter_cgroup_as_nobody();
		_exit(write(ready[1], "", 1) != 1 ||
		      read(go[0], &byte, 1) != 1 ||
		      alloc(open_dev(), HEAPSIM_KIND_COHERENT, len) < 0 ||
		      write(ready[1], "", 1) != 1 || read(go[0], &byte, 1));
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	before = cgroup_bytes();
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	if (is_accounted())
		assert_true(cgroup_bytes() - before >= (long)len);
	else
		assert_true(cgroup_bytes() - before < (long)len / 2);
	close(go[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

#define NR_IN_RUSH	12

/**
 * struct rush - threads that use the same buffer at once
 * @fd: buffer
 * @map: its mapping
 * @len: its length, bytes
 * @line_up: before each use
 * @nr_left: threads that have not used it
 */
struct rush {
	int fd;
	uint8_t *map;
	size_t len;
	pthread_barrier_t line_up;
	atomic_int nr_left;
};

/* Returns NULL if it succeeded. */
static void *submit_in_rush(void *arg)
{
	struct rush *rush = arg;
	struct heapsim_dma_submit fill = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = rush->fd,
		.row_len = rush->len,
		.nr_rows = 1,
	};
	int dev = open_dev(), ret;

	pthread_barrier_wait(&rush->line_up);
	ret = device_submit_errno(dev, &fill);
	atomic_fetch_sub(&rush->nr_left, 1);
	if (!ret)
		close(fill.fence_fd);
	close(dev);
	return ret ? rush : NULL;
}

/*
 * Waits until no buffer of earlier tests is left: a job that has ended may keep
 * one for a while. Returns the bytes for CPU views and twins that remain.
 */
static uint64_t cpu_bytes_without_buffers(int dev)
{
	const uint64_t end = device_now_ns() + DEVICE_HANGS_NS;

	while (device_info(dev).nr_bufs) {
		assert_true(device_now_ns() < end);
		usleep(1000);
	}
	return device_info(dev).cpu_bytes;
}

/* Returns the most bytes for CPU views and twins that were seen meanwhile. */
static uint64_t rush_once(struct rush *rush, void *(*use)(void *), int dev)
{
	pthread_t threads[NR_IN_RUSH];
	uint64_t most = 0, now;
	void *failure;
	size_t i;

	atomic_store(&rush->nr_left, NR_IN_RUSH);
	for (i = 0; i < NR_IN_RUSH; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						use, rush), 0);
	pthread_barrier_wait(&rush->line_up);
	while (atomic_load(&rush->nr_left)) {
		now = device_info(dev).cpu_bytes;
		most = now > most ? now : most;
	}
	for (i = 0; i < NR_IN_RUSH; i++) {
		assert_int_equal(pthread_join(threads[i], &failure), 0);
		assert_null(failure);
	}
	while (device_info(dev).nr_jobs)
		usleep(1000);
	return most;
}

/*
 * Before a job writes what the CPU has read, each page needs a twin, which the
 * buffer has reserved. Twins that several callers get at once and only one can
 * use are no more than that either.
 */
static void twins_of_many_callers_are_reserved(void **state)
{
	int dev = device_open();
	const uint64_t before = cpu_bytes_without_buffers(dev);
	struct rush rush = { .len = 4 * MIB };
	uint64_t most = before, now;
	size_t off, i;

	rush.fd = device_alloc(dev, HEAPSIM_KIND_NONCOHERENT, rush.len);
	rush.map = device_map(rush.fd, rush.len);
	pthread_barrier_init(&rush.line_up, NULL, NR_IN_RUSH + 1);
	for (i = 0; i < 20; i++) {
		device_maintain(dev, rush.fd, HEAPSIM_MAINT_INVALIDATE, 0,
				rush.len);
		for (off = 0; off < rush.len; off += device_page_size())
			device_peek(rush.map + off);
		now = rush_once(&rush, submit_in_rush, dev);
		most = now > most ? now : most;
	}
	print_message("%llu KiB\n",
		      (unsigned long long)(most - before) / 1024);
	assert_true(most - before <= 2 * rush.len);
	pthread_barrier_destroy(&rush.line_up);
	device_unmap(rush.map, rush.len);
	close(rush.fd);
	close(dev);
}

/* Returns NULL. */
static void *read_in_rush(void *arg)
{
	struct rush *rush = arg;

	pthread_barrier_wait(&rush->line_up);
	device_peek(rush->map);
	atomic_fetch_sub(&rush->nr_left, 1);
	return NULL;
}

/*
 * While a device may write, a read needs twins for its whole granule, here the
 * buffer. Threads that read at once have the twins of one of them.
 */
static void twins_of_many_readers_are_reserved(void **state)
{
	struct heapsim_hold hold;
	int dev = device_open();
	const uint64_t before = cpu_bytes_without_buffers(dev);
	struct rush rush = { .len = 2 * MIB };
	uint64_t most = before, now;
	size_t i;

	rush.fd = device_alloc(dev, HEAPSIM_KIND_NONCOHERENT, rush.len);
	rush.map = device_map(rush.fd, rush.len);
	pthread_barrier_init(&rush.line_up, NULL, NR_IN_RUSH + 1);
	for (i = 0; i < 20; i++) {
		device_maintain(dev, rush.fd, HEAPSIM_MAINT_INVALIDATE, 0,
				rush.len);
		assert_int_equal(device_hold_errno(dev, rush.fd,
						   HEAPSIM_HOLD_MAP,
						   HEAPSIM_DIR_FROM_DEVICE,
						   &hold), 0);
		now = rush_once(&rush, read_in_rush, dev);
		most = now > most ? now : most;
		device_release(dev, hold.hold);
	}
	print_message("%llu KiB\n",
		      (unsigned long long)(most - before) / 1024);
	assert_true(most > before);
	assert_true(most - before <= rush.len);
	pthread_barrier_destroy(&rush.line_up);
	device_unmap(rush.map, rush.len);
	close(rush.fd);
	close(dev);
}

/* Jobs, fences and holds share their ids. */
static void id_of_another_type_is_enoent(void **state)
{
	struct heapsim_fence_signal signal = { .size = sizeof(signal) };
	struct heapsim_job_wait wait = {
		.size = sizeof(wait),
		.timeout_ns = NSEC_PER_SEC,
	};
	int dev = device_open();
	const int fd = device_alloc(dev, HEAPSIM_KIND_NONCOHERENT,
				    device_page_size());
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = fd,
		.row_len = 1,
		.nr_rows = 1,
	};

	assert_int_equal(device_submit_errno(dev, &submit), 0);
	close(submit.fence_fd);
	signal.fence = submit.job;
	assert_int_not_equal(device_ioctl_errno(dev, HEAPSIM_IOC_FENCE_SIGNAL,
						&signal), 0);
	wait.job = submit.job;
	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_JOB_WAIT, &wait),
			 0);
	close(fd);
	close(dev);
}

static int group_setup(void **state)
{
	char mount_dir[] = "/tmp/limit_test.XXXXXX";
	int dev = device_open();
	bool is_small = device_info(dev).user_limit_bytes == LIMIT_BYTES;
	char max[16];

	close(dev);
	if (!is_small) {
		print_message("needs user_limit_mb=16\n");
		return -1;
	}
	if (chmod("/dev/heapsim", 0666) || !mkdtemp(mount_dir) ||
	    mount("none", mount_dir, "cgroup2", 0, NULL))
		return -1;
	snprintf(cgroup, sizeof(cgroup), "%s/t", mount_dir);
	write_file(mount_dir, "cgroup.subtree_control", "+memory");
	if (mkdir(cgroup, 0755))
		return -1;
	cgroup_limit = CGROUP_BYTES;
	slack = SLACK_BYTES;
	if (device_has_kasan()) {
		cgroup_limit = CGROUP_BYTES_KASAN;
		/* KASAN's quarantine keeps this much freed memory. */
		slack += device_meminfo("MemTotal") / 32;
	}
	snprintf(max, sizeof(max), "%zu", cgroup_limit);
	write_file(cgroup, "memory.max", max);
	return 0;
}

static int group_teardown(void **state)
{
	rmdir(cgroup);
	*strrchr(cgroup, '/') = 0;
	umount(cgroup);
	rmdir(cgroup);
	return chmod("/dev/heapsim", 0660);
}

int main(void)
{
	static struct CMUnitTest tests[ARRAY_SIZE(takers) + 6];
	static char names[ARRAY_SIZE(takers)][96];
	size_t i;

	/* Charged pages would fill the cgroup, and other allocations fail. */
	if (is_accounted()) {
		tests[0] = (struct CMUnitTest)
			cmocka_unit_test(pages_are_charged_if_asked);
		return _cmocka_run_group_tests("limit", tests, 1, group_setup,
					       group_teardown);
	}
	for (i = 0; i < ARRAY_SIZE(takers); i++) {
		snprintf(names[i], sizeof(names[i]),
			 "%s: user_takes_no_more_than_his_limits",
			 takers[i].name);
		tests[i] = (struct CMUnitTest) {
			.name = names[i],
			.test_func = user_takes_no_more_than_his_limits,
			.initial_state = (void *)&takers[i],
		};
	}
	tests[i++] = (struct CMUnitTest)
		cmocka_unit_test(memory_of_a_namespace_counts_for_its_owner);
	tests[i++] = (struct CMUnitTest)
		cmocka_unit_test(watchers_of_a_namespace_count_for_its_owner);
	tests[i++] = (struct CMUnitTest)
		cmocka_unit_test(pages_are_charged_if_asked);
	tests[i++] = (struct CMUnitTest)
		cmocka_unit_test(twins_of_many_callers_are_reserved);
	tests[i++] = (struct CMUnitTest)
		cmocka_unit_test(twins_of_many_readers_are_reserved);
	tests[i++] = (struct CMUnitTest)
		cmocka_unit_test(id_of_another_type_is_enoent);
	return _cmocka_run_group_tests("limit", tests, ARRAY_SIZE(tests),
				       group_setup, group_teardown);
}
