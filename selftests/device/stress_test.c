// SPDX-License-Identifier: GPL-2.0-only
/*
 * Four processes run random operations on shared and on their own buffers. The
 * fault knobs are on, signals interrupt the processes, and now and then one of
 * them is killed. Each result must be a documented one, a killed process must
 * end, and no object may be left. The kernel's sanitizers and the kernel log
 * report all other errors. HEAPSIM_STEPS= is the number of operations of all
 * processes together, HEAPSIM_SEED= is the seed of the random numbers.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rights.h"

#define NR_PROCESSES	4
#define NR_SHARED	6	/* buffers that all processes have */
#define NR_BUFS		12	/* buffers of a process, with the shared ones */
#define NR_DEVS		4
#define RIGHTS_DEV	3	/* its caller knows the order of its streams */
#define MAX_PAGES	24
#define MAX_ID		24	/* most ids are those of objects that exist */
#define KILL_EVERY_MS	700
/* An operation that takes longer is interrupted, and again after this time. */
#define INTERRUPT_AFTER_US	9000
#define SAY_EVERY	20000	/* operations between messages of progress */
#define KNOBS		"/sys/kernel/debug/heapsim"
/* A killed process that has not ended by then hangs. */
#define END_NS		(120 * NSEC_PER_SEC)
#define SETTLE_NS	(60 * NSEC_PER_SEC)

/**
 * struct buf - a buffer of a process
 * @fd: dma-buf; -1: none
 * @dev: slot of the open that allocated it; -1: a heap did
 * @id: id of a buffer that an open allocated, else 0
 * @len: length in bytes
 * @map: a shared mapping of the whole buffer, or NULL
 */
struct buf {
	int fd;
	int dev;
	uint64_t id;
	size_t len;
	uint8_t *map;
	uint8_t *view;
};

/**
 * struct process - the objects of a process
 * @random: state of its random numbers
 * @dev: opens of /dev/heapsim; -1: none
 * @bufs: buffers; all processes share the first NR_SHARED
 */
struct process {
	uint64_t random;
	int dev[NR_DEVS];
	struct buf bufs[NR_BUFS];
};

/**
 * struct shared - results of all processes
 * @nr_done: number of operations
 * @bad_op: number of an operation that returned the undocumented @bad_error;
 *	0: none
 * @bad_error: -errno
 */
struct shared {
	uint64_t nr_done;
	int bad_op;
	int bad_error;
};

static struct shared *shared;
static uint64_t nr_steps;
static sigjmp_buf refused;

static uint64_t next(struct process *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return p->random;
}

static uint64_t below(struct process *p, uint64_t limit)
{
	return next(p) % limit;
}

static void on_refused(int signal)
{
	siglongjmp(refused, signal);
}

/* There is no SA_RESTART, so an operation that waits returns EINTR. */
static void on_interrupt(int signal)
{
	(void)signal;
}

static void interrupts_start(void)
{
	static const struct sigaction interrupt = {
		.sa_handler = on_interrupt,
	};

	sigaction(SIGALRM, &interrupt, NULL);
}

/*
 * Sets a timer whose signal interrupts a long operation. A short one costs only
 * this call and no signal; on a slow machine signals would take most of the
 * time.
 */
static void interrupt_soon(void)
{
	static const struct itimerval soon = {
		.it_interval.tv_usec = INTERRUPT_AFTER_US,
		.it_value.tv_usec = INTERRUPT_AFTER_US,
	};

	setitimer(ITIMER_REAL, &soon, NULL);
}

static int some_dev(struct process *p)
{
	return p->dev[below(p, NR_DEVS)];
}

static struct buf *some_buf(struct process *p)
{
	return &p->bufs[below(p, NR_BUFS)];
}

static int rights_dev(const struct process *p)
{
	return p->dev[RIGHTS_DEV];
}

/* Mostly one that the rights are about, if there is one. */
static struct buf *rights_buf(struct process *p)
{
	struct buf *b = some_buf(p);
	unsigned int i;

	for (i = 0; i < 8 && b->dev != RIGHTS_DEV; i++)
		b = some_buf(p);
	return b;
}

static void buf_drop(struct buf *b)
{
	if (b->map)
		munmap(b->map, b->len);
	if (b->view)
		munmap(b->view, b->len);
	if (b->fd >= 0)
		close(b->fd);
	*b = (struct buf) { .fd = -1, .dev = -1 };
}

static int do_alloc(struct process *p)
{
	static const char * const heaps[] = {
		"noncoherent", "coherent", "system-uncached", "contiguous",
	};
	static const uint32_t kinds[] = {
		HEAPSIM_KIND_MANAGED, HEAPSIM_KIND_PINNED, HEAPSIM_KIND_DEVICE,
	};
	struct buf *b = &p->bufs[NR_SHARED + below(p, NR_BUFS - NR_SHARED)];
	size_t len = device_page_size() * (1 + below(p, MAX_PAGES));
	struct heapsim_buf_alloc alloc = { .len = len };
	uint32_t kind = kinds[below(p, ARRAY_SIZE(kinds))];
	uint32_t flags = below(p, 2) * HEAPSIM_ALLOC_DEVICE_VIEW;
	char path[64];
	int heap, ret;

	buf_drop(b);
	b->len = len;
	if (below(p, 2)) {
		snprintf(path, sizeof(path), "/dev/dma_heap/%s",
			 heaps[below(p, ARRAY_SIZE(heaps))]);
		heap = open(path, O_RDONLY | O_CLOEXEC);
		if (heap < 0)
			return -errno;
		b->fd = device_heap_alloc_errno(heap, len, O_RDWR | O_CLOEXEC);
		close(heap);
		return b->fd < 0 ? b->fd : 0;
	}
	b->dev = below(p, NR_DEVS);
	ret = managed_alloc_errno(p->dev[b->dev], kind,
				  kind != HEAPSIM_KIND_MANAGED ? 0 :
				  below(p, 2) ? HEAPSIM_ATTACH_GLOBAL :
				  HEAPSIM_ATTACH_HOST,
				  flags, &alloc);
	if (ret) {
		b->dev = -1;
		return ret;
	}
	b->fd = alloc.fd;
	b->id = alloc.id;
	if (!flags)
		return 0;
	b->view = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED,
		       alloc.view_fd, 0);
	if (b->view == MAP_FAILED)
		b->view = NULL;
	close(alloc.view_fd);
	return b->view ? 0 : -errno;
}

static int do_map(struct process *p)
{
	struct buf *b = some_buf(p);
	void *map;

	if (b->map) {
		munmap(b->map, b->len);
		b->map = NULL;
		return 0;
	}
	map = mmap(NULL, b->len ?: device_page_size(), PROT_READ | PROT_WRITE,
		   MAP_SHARED, b->fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	b->map = map;
	return 0;
}

static int do_touch(struct process *p)
{
	struct buf *b = some_buf(p);
	volatile uint8_t *at = below(p, 2) && b->view ? b->view : b->map;

	if (!at)
		return -EBADF;
	at += below(p, b->len);
	/* What the board refuses, and what no page was left for, is SIGBUS. */
	if (sigsetjmp(refused, 1))
		return -EFAULT;
	if (below(p, 2))
		*at = next(p);
	else
		(void)*at;
	return 0;
}

static int do_sync(struct process *p)
{
	static const uint64_t flags[] = {
		SYNC_START_READ, SYNC_START_WRITE, SYNC_START_RW,
		SYNC_END_READ, SYNC_END_WRITE, SYNC_END_RW,
	};

	return device_sync_errno(some_buf(p)->fd,
				 flags[below(p, ARRAY_SIZE(flags))]);
}

static int do_maintain(struct process *p)
{
	struct buf *b = some_buf(p);
	struct heapsim_range ranges[3];
	uint32_t nr_done;

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		uint64_t off = b->len ? below(p, b->len) : 0;

		ranges[i] = (struct heapsim_range) {
			.fd = b->fd,
			.op = 1 + below(p, 3),
			.off = off,
			.len = b->len ? 1 + below(p, b->len - off) : 1,
		};
	}
	return device_maintain_errno(some_dev(p), ranges, ARRAY_SIZE(ranges),
				     &nr_done);
}

static int do_submit(struct process *p)
{
	struct buf *src = some_buf(p), *dst = some_buf(p);
	struct heapsim_dma_submit submit = {
		.op = 1 + below(p, 3),
		.src_fd = src->fd,
		.dst_fd = dst->fd,
		.pattern = next(p),
		.row_len = 1 + below(p, 4096),
		.nr_rows = 1 + below(p, 4),
		.delay_ns = below(p, 2) * below(p, NSEC_PER_MSEC),
	};
	int ret;

	submit.src_pitch = submit.row_len;
	submit.dst_pitch = submit.row_len;
	switch (submit.op) {
	case HEAPSIM_DMA_FILL:
		submit.src_fd = -1;
		submit.src_pitch = 0;
		break;
	case HEAPSIM_DMA_CHECKSUM:
		submit.dst_fd = -1;
		submit.dst_pitch = 0;
		submit.pattern = 0;
		break;
	}
	ret = device_submit_errno(some_dev(p), &submit);
	if (!ret)
		close(submit.fence_fd);
	return ret;
}

static int do_job_wait(struct process *p)
{
	struct heapsim_job_wait wait;

	return device_wait_errno(some_dev(p), 1 + below(p, MAX_ID),
				 below(p, 4 * NSEC_PER_MSEC), &wait);
}

static int do_fence(struct process *p)
{
	struct heapsim_fence_create fence;
	const unsigned int flags = below(p, 4);
	int ret = device_fence_errno(some_dev(p),
				     flags ? some_buf(p)->fd : -1, flags,
				     1 + below(p, 20 * NSEC_PER_MSEC), &fence);

	if (!ret)
		close(fence.fence_fd);
	return ret;
}

static int do_fence_signal(struct process *p)
{
	struct heapsim_fence_signal signal = {
		.size = sizeof(signal),
		.fence = 1 + below(p, MAX_ID),
		.error = below(p, 2) ? -EIO : 0,
	};

	return device_ioctl_errno(some_dev(p), HEAPSIM_IOC_FENCE_SIGNAL,
				  &signal);
}

static int do_hold(struct process *p)
{
	struct heapsim_hold hold;

	return device_hold_errno(some_dev(p), some_buf(p)->fd,
				 1 + below(p, 2), below(p, 3), &hold);
}

static int do_release(struct process *p)
{
	struct heapsim_release release = {
		.size = sizeof(release),
		.hold = 1 + below(p, MAX_ID),
	};

	return device_ioctl_errno(some_dev(p), HEAPSIM_IOC_RELEASE, &release);
}

static int do_rights_attach(struct process *p)
{
	struct heapsim_buf_attach cmd = {
		.flags = below(p, 1 << 6),
		.buf = rights_buf(p)->id,
		.stream = below(p, 2) * below(p, MAX_ID),
		.blocker = below(p, 2) * below(p, MAX_ID),
		.attach = below(p, 5),
		.right = below(p, HEAPSIM_RIGHT_REFUSED + 1),
	};

	return rights_attach_errno(rights_dev(p), &cmd);
}

static int do_rights_work(struct process *p)
{
	const struct heapsim_work_verdict verdict = {
		.buf = rights_buf(p)->id,
		.sees = below(p, 2),
	};
	const uint64_t work = 1 + below(p, MAX_ID);

	switch (below(p, 4)) {
	case 0:
		return rights_work_add_errno(rights_dev(p), below(p, MAX_ID),
					     work, "gpu");
	case 1:
		return rights_work_start_errno(rights_dev(p), work, &verdict,
					       below(p, 2));
	case 2:
		return rights_work_finish_errno(rights_dev(p), work);
	default:
		return rights_work_report_errno(rights_dev(p), work,
						verdict.buf);
	}
}

static int do_rights_stream(struct process *p)
{
	switch (below(p, 6)) {
	case 0:
		return rights_stream_errno(rights_dev(p),
					   HEAPSIM_IOC_STREAM_ADD,
					   below(p, MAX_ID));
	case 1:
		return rights_stream_errno(rights_dev(p),
					   HEAPSIM_IOC_STREAM_REMOVE,
					   below(p, MAX_ID));
	default:
		return rights_state_errno(rights_dev(p), below(p, MAX_ID),
					  below(p, 8));
	}
}

static int do_info(struct process *p)
{
	struct heapsim_buf_info info = {
		.size = sizeof(info),
		.fd = some_buf(p)->fd,
	};
	struct heapsim_rights_info rights;

	if (below(p, 2))
		return device_ioctl_errno(some_dev(p), HEAPSIM_IOC_BUF_INFO,
					  &info);
	return rights_info_errno(some_dev(p), some_buf(p)->id, &rights);
}

static int do_watch(struct process *p)
{
	int dev = some_dev(p);
	char records[4 * sizeof(struct heapsim_record)];

	if (below(p, 2))
		return device_watch_errno(dev, HEAPSIM_WATCH_PROCESS,
					  HEAPSIM_KINDS_ALL |
					  HEAPSIM_KINDS_EVENTS, 64);
	return read(dev, records, sizeof(records)) < 0 ? -errno : 0;
}

static int do_policy(struct process *p)
{
	struct heapsim_set_policy set = {
		.size = sizeof(set),
		.scope = below(p, 2) ? HEAPSIM_POLICY_OF_BUF :
			 HEAPSIM_POLICY_OF_CONTEXT,
		.fd = -1,
		.policy = below(p, 3),
		.evict_random = below(p, 2),
		.is_precise = !below(p, 4),
		.seed = below(p, 8),
	};

	if (set.scope == HEAPSIM_POLICY_OF_BUF)
		set.fd = some_buf(p)->fd;
	return device_ioctl_errno(some_dev(p), HEAPSIM_IOC_POLICY, &set);
}

static int dev_open(size_t i)
{
	int dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	struct heapsim_rights_info info;

	/* The first command decides. */
	if (dev >= 0 && i == RIGHTS_DEV)
		rights_info_errno(dev, 0, &info);
	return dev;
}

static int do_reopen(struct process *p)
{
	size_t i = below(p, NR_DEVS);
	int dev = dev_open(i);

	if (dev < 0)
		return -errno;
	/* Buffers outlive the open that is closed here. */
	for (size_t b = 0; b < NR_BUFS; b++)
		if (p->bufs[b].dev == (int)i)
			p->bufs[b].dev = -1;
	close(p->dev[i]);
	p->dev[i] = dev;
	return 0;
}

static int do_revoke(struct process *p)
{
	struct heapsim_buf_revoke revoke = {
		.size = sizeof(revoke),
		.fd = some_buf(p)->fd,
	};

	return device_ioctl_errno(some_dev(p), HEAPSIM_IOC_BUF_REVOKE,
				  &revoke);
}

/* Takes the place of the other descriptor. */
static int do_buf_reopen(struct process *p)
{
	struct buf *b = some_buf(p);
	struct heapsim_buf_reopen reopen = {
		.size = sizeof(reopen),
		.fd_flags = O_CLOEXEC | O_RDWR,
		.fd = b->fd,
	};
	int ret = device_ioctl_errno(some_dev(p), HEAPSIM_IOC_BUF_REOPEN,
				     &reopen);

	if (!ret) {
		close(b->fd);
		b->fd = reopen.new_fd;
	}
	return ret;
}

static int do_fork(struct process *p)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid) {
		interrupt_soon();
		do_touch(p);
		do_sync(p);
		_exit(0);
	}
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

/* All operations, with the frequency at which each is chosen */
static const struct op {
	int (*run)(struct process *p);
	const char *name;
	unsigned int share;
} ops[] = {
	{ do_touch, "touch", 30 },
	{ do_sync, "sync", 14 },
	{ do_maintain, "maintain", 6 },
	{ do_submit, "submit", 6 },
	{ do_job_wait, "job_wait", 4 },
	{ do_alloc, "alloc", 6 },
	{ do_map, "map", 5 },
	{ do_fence, "fence", 2 },
	{ do_fence_signal, "fence_signal", 2 },
	{ do_hold, "hold", 4 },
	{ do_release, "release", 4 },
	{ do_rights_attach, "rights_attach", 5 },
	{ do_rights_work, "rights_work", 6 },
	{ do_rights_stream, "rights_stream", 6 },
	{ do_info, "info", 2 },
	{ do_watch, "watch", 2 },
	{ do_policy, "policy", 2 },
	{ do_reopen, "reopen", 1 },
	{ do_buf_reopen, "buf_reopen", 2 },
	{ do_revoke, "revoke", 1 },
	{ do_fork, "fork", 1 },
};

/*
 * Returns true if the contract of the commands permits an error. Most numbers
 * are guesses, so objects may be missing, busy or of another kind. A command
 * must not return EFAULT, since its pointers are valid, nor E2BIG or ENOTTY.
 */
static bool is_documented(const struct op *op, int error)
{
	switch (error) {
	case 0: case -EINVAL: case -ENOENT: case -EBADF: case -EBUSY:
	case -ENOMEM: case -EOPNOTSUPP: case -EINTR: case -EAGAIN:
	case -ETIMEDOUT: case -EPERM: case -EEXIST:
		return true;
	case -EFAULT:
		return op->run == do_touch;
	/* the CPU cannot map device memory */
	case -ENODEV:
		return op->run == do_map;
	}
	return false;
}

static void process_open(struct process *p, uint64_t seed)
{
	p->random = seed * 0x9e3779b97f4a7c15ULL | 1;
	for (size_t i = 0; i < NR_DEVS; i++)
		p->dev[i] = dev_open(i);
	for (size_t i = NR_SHARED; i < NR_BUFS; i++)
		p->bufs[i] = (struct buf) { .fd = -1, .dev = -1 };
}

static int process_main(struct process *p)
{
	unsigned int sum = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGBUS, on_refused);
	signal(SIGSEGV, SIG_DFL);
	interrupts_start();
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		sum += ops[i].share;
	while (__atomic_fetch_add(&shared->nr_done, 1, __ATOMIC_RELAXED) <
	       nr_steps) {
		unsigned int at = below(p, sum);
		size_t i = 0;
		int error;

		while (at >= ops[i].share)
			at -= ops[i++].share;
		interrupt_soon();
		error = ops[i].run(p);
		if (!is_documented(&ops[i], error)) {
			shared->bad_error = error;
			__atomic_store_n(&shared->bad_op, i + 1,
					 __ATOMIC_RELEASE);
			return 1;
		}
	}
	return 0;
}

static void write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		fail_msg("%s: %s", path, strerror(errno));
	close(fd);
}

/* Sets all knobs; each is a folder with a probability in percent. */
static size_t knobs_set(const char *probability, const char *times)
{
	struct dirent *entry;
	DIR *dir = opendir(KNOBS);
	size_t nr = 0;
	char path[512];

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), KNOBS "/%s/probability",
			 entry->d_name);
		if (access(path, W_OK))
			continue;
		write_to(path, probability);
		snprintf(path, sizeof(path), KNOBS "/%s/times", entry->d_name);
		write_to(path, times);
		nr++;
	}
	closedir(dir);
	return nr;
}

static pid_t process_start(struct process *p, uint64_t seed)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		process_open(p, seed);
		_exit(process_main(p));
	}
	return pid;
}

/* Returns the wait status of a process that must end; -1: it does not. */
static int process_end(pid_t pid)
{
	const uint64_t end = device_now_ns() + END_NS;
	int status;

	while (device_now_ns() < end) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		device_sleep_ns(5 * NSEC_PER_MSEC);
	}
	return -1;
}

static void assert_nothing_left(int dev, const struct heapsim_info *before)
{
	const uint64_t end = device_now_ns() + SETTLE_NS;
	struct heapsim_info now;

	do {
		now = device_info(dev);
		if (now.nr_bufs == before->nr_bufs &&
		    now.buf_bytes == before->buf_bytes &&
		    now.cpu_bytes == before->cpu_bytes &&
		    now.nr_jobs == before->nr_jobs)
			return;
		device_sleep_ns(20 * NSEC_PER_MSEC);
	} while (device_now_ns() < end);
	fail_msg("left: %lld buffers, %lld bytes, %lld of the CPU's, %lld jobs",
		 (long long)(now.nr_bufs - before->nr_bufs),
		 (long long)(now.buf_bytes - before->buf_bytes),
		 (long long)(now.cpu_bytes - before->cpu_bytes),
		 (long long)(now.nr_jobs - before->nr_jobs));
}

static void nothing_breaks_and_nothing_stays(void **state)
{
	static const uint32_t kinds[NR_SHARED] = {
		HEAPSIM_KIND_NONCOHERENT, HEAPSIM_KIND_NONCOHERENT,
		HEAPSIM_KIND_NONCOHERENT, HEAPSIM_KIND_COHERENT,
		HEAPSIM_KIND_MANAGED, HEAPSIM_KIND_PINNED,
	};
	const char *text = getenv("HEAPSIM_SEED");
	uint64_t seed = text ? strtoull(text, NULL, 0) : device_now_ns();
	int dev = device_open();
	struct heapsim_info before = device_info(dev);
	int owner = device_open();
	struct process p = { 0 };
	pid_t pids[NR_PROCESSES];
	size_t nr_killed = 0, nr_knobs;
	uint64_t nr_seeds = 0, nr_done, nr_said = 0;

	text = getenv("HEAPSIM_STEPS");
	nr_steps = text ? strtoull(text, NULL, 0) : 8000;
	printf("# HEAPSIM_SEED=%llu HEAPSIM_STEPS=%llu\n",
	       (unsigned long long)seed, (unsigned long long)nr_steps);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(shared != MAP_FAILED);
	for (size_t i = 0; i < NR_SHARED; i++) {
		const size_t len = device_page_size() * (1 + i * 3);
		struct heapsim_buf_alloc alloc = { .len = len };
		struct buf *b = &p.bufs[i];
		uint32_t attach = 0;

		b->len = len;
		if (kinds[i] == HEAPSIM_KIND_MANAGED)
			attach = HEAPSIM_ATTACH_GLOBAL;
		assert_int_equal(managed_alloc_errno(owner, kinds[i], attach, 0,
						     &alloc), 0);
		b->fd = alloc.fd;
		b->dev = -1;
		b->map = device_map(b->fd, b->len);
	}
	nr_knobs = knobs_set("3", "-1");
	printf("# %zu fault knobs\n", nr_knobs);
	for (size_t i = 0; i < NR_PROCESSES; i++)
		pids[i] = process_start(&p, seed + nr_seeds++);
	while ((nr_done = __atomic_load_n(&shared->nr_done,
					  __ATOMIC_RELAXED)) < nr_steps &&
	       !__atomic_load_n(&shared->bad_op, __ATOMIC_ACQUIRE)) {
		size_t victim = nr_killed % NR_PROCESSES;

		if (nr_done - nr_said >= SAY_EVERY) {
			printf("# %llu operations, %zu processes killed\n",
			       (unsigned long long)nr_done, nr_killed);
			fflush(stdout);
			nr_said = nr_done;
		}
		device_sleep_ns(KILL_EVERY_MS * NSEC_PER_MSEC);
		kill(pids[victim], SIGKILL);
		if (process_end(pids[victim]) == -1)
			fail_msg("process %d outlives SIGKILL", pids[victim]);
		nr_killed++;
		pids[victim] = process_start(&p, seed + nr_seeds++);
	}
	for (size_t i = 0; i < NR_PROCESSES; i++) {
		int status = process_end(pids[i]);

		if (status == -1)
			fail_msg("process %d does not end", pids[i]);
		if (!shared->bad_op && status)
			fail_msg("a process ended with status %#x", status);
	}
	knobs_set("0", "1");
	if (shared->bad_op)
		fail_msg("%s answered %s", ops[shared->bad_op - 1].name,
			 strerror(-shared->bad_error));
	printf("# %zu processes killed\n", nr_killed);
	for (size_t i = 0; i < NR_SHARED; i++)
		buf_drop(&p.bufs[i]);
	close(owner);
	assert_nothing_left(dev, &before);
	close(dev);
	munmap(shared, sizeof(*shared));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_breaks_and_nothing_stays),
	};

	return cmocka_run_group_tests_name("stress", tests, NULL, NULL);
}
