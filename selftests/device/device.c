// SPDX-License-Identifier: GPL-2.0-only
/* What every test of the real module needs; see device.h. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <drm.h>
#include <drm_mode.h>
#include <linux/sync_file.h>

#include "device.h"
#include "../fds.h"

void device_skip(const char *fmt, ...)
{
	va_list args;

	printf("# skipped: ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	skip();
	abort();
}

size_t device_page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

int device_ioctl_errno(int fd, unsigned long cmd, void *arg)
{
	int ret = ioctl(fd, cmd, arg);

	return ret < 0 ? -errno : ret;
}

uint64_t device_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

void device_sleep_ns(uint64_t ns)
{
	struct timespec left = {
		.tv_sec = ns / NSEC_PER_SEC,
		.tv_nsec = ns % NSEC_PER_SEC,
	};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

int device_nr_fds(void)
{
	return nr_of_process("fd") - 3;	/* ".", ".." and the directory's own */
}

static const char * const heap_names[] = {
	"system", "system-uncached", "coherent", "noncoherent", "contiguous",
};

bool device_has_heap(const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/class/misc/heapsim-%s", name);
	return access(path, F_OK) == 0;
}

size_t device_heaps(const char *names[DEVICE_MAX_HEAPS])
{
	size_t i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(heap_names); i++)
		if (device_has_heap(heap_names[i]))
			names[nr++] = heap_names[i];
	return nr;
}

int device_run_on_heaps(const char *group, const struct CMUnitTest *once,
			size_t nr_once, const struct CMUnitTest *on_each,
			size_t nr_on_each)
{
	const char *heaps[DEVICE_MAX_HEAPS];
	size_t nr_heaps = device_heaps(heaps), nr = nr_once, i, k;
	struct CMUnitTest *list;
	int failed;

	list = calloc(nr_once + nr_heaps * nr_on_each, sizeof(*list));
	if (!list)
		return 1;
	memcpy(list, once, nr_once * sizeof(*list));
	for (i = 0; i < nr_heaps; i++)
		for (k = 0; k < nr_on_each; k++, nr++) {
			char *name = NULL;

			if (asprintf(&name, "%s: %s", heaps[i],
				     on_each[k].name) < 0)
				return 1;
			list[nr] = on_each[k];
			list[nr].name = name;
			list[nr].initial_state = (void *)heaps[i];
		}
	failed = _cmocka_run_group_tests(group, list, nr, NULL, NULL);
	while (nr-- > nr_once)
		free((void *)list[nr].name);
	free(list);
	return failed;
}

int device_heap_open(const char *name, int flags)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/dev/dma_heap/%s", name);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	return fd;
}

int device_heap_alloc_errno(int heap, uint64_t len, uint32_t fd_flags)
{
	struct dma_heap_allocation_data data = {
		.len = len,
		.fd_flags = fd_flags,
	};
	int ret = device_ioctl_errno(heap, DMA_HEAP_IOCTL_ALLOC, &data);

	return ret < 0 ? ret : (int)data.fd;
}

int device_heap_alloc(const char *name, uint64_t len)
{
	int heap = device_heap_open(name, O_RDWR);
	int fd = device_heap_alloc_errno(heap, len, O_RDWR | O_CLOEXEC);

	close(heap);
	if (fd < 0)
		fail_msg("%s: %llu bytes: %s", name,
			 (unsigned long long)len, strerror(-fd));
	return fd;
}

int device_open(void)
{
	int fd = open("/dev/heapsim", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail_msg("/dev/heapsim: %s", strerror(errno));
	return fd;
}

struct heapsim_probe device_probe(int dev)
{
	struct heapsim_probe probe = { .size = sizeof(probe) };

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_PROBE, &probe),
			 0);
	return probe;
}

struct heapsim_info device_info(int dev)
{
	struct heapsim_info info = { .size = sizeof(info) };

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_INFO, &info), 0);
	return info;
}

int device_alloc_errno(int dev, uint32_t kind, uint64_t len,
		       uint32_t fd_flags)
{
	struct heapsim_buf_alloc alloc = {
		.size = sizeof(alloc),
		.fd_flags = fd_flags,
		.len = len,
		.kind = kind,
		.name = DEVICE_BUF_NAME,
	};
	int ret = device_ioctl_errno(dev, HEAPSIM_IOC_BUF_ALLOC, &alloc);

	return ret < 0 ? ret : alloc.fd;
}

int device_alloc(int dev, uint32_t kind, uint64_t len)
{
	int fd = device_alloc_errno(dev, kind, len, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		fail_msg("kind %u, %llu bytes: %s", kind,
			 (unsigned long long)len, strerror(-fd));
	return fd;
}

struct heapsim_buf_info device_buf_info(int dev, int fd)
{
	struct heapsim_buf_info info = { .size = sizeof(info), .fd = fd };

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_BUF_INFO, &info),
			 0);
	return info;
}

struct heapsim_counters device_count(int dev, int fd)
{
	return device_buf_info(dev, fd).count;
}

uint8_t *device_map(int fd, size_t len)
{
	void *map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED)
		fail_msg("mmap of %zu bytes: %s", len, strerror(errno));
	return map;
}

void device_unmap(void *map, size_t len)
{
	assert_int_equal(munmap(map, len), 0);
}

int device_sync_errno(int fd, uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	return device_ioctl_errno(fd, DMA_BUF_IOCTL_SYNC, &sync);
}

void device_sync(int fd, uint64_t flags)
{
	int ret = device_sync_errno(fd, flags);

	if (ret)
		fail_msg("sync %llu: %s", (unsigned long long)flags,
			 strerror(-ret));
}

int device_maintain_errno(int dev, struct heapsim_range *ranges, uint32_t nr,
			  uint32_t *nr_done)
{
	struct heapsim_buf_maintain maintain = {
		.size = sizeof(maintain),
		.nr_ranges = nr,
		.ranges = (uintptr_t)ranges,
	};
	int ret = device_ioctl_errno(dev, HEAPSIM_IOC_BUF_MAINTAIN, &maintain);

	if (nr_done)
		*nr_done = maintain.nr_done;
	return ret;
}

void device_maintain(int dev, int fd, uint32_t op, uint64_t off, uint64_t len)
{
	struct heapsim_range range = {
		.fd = fd,
		.op = op,
		.off = off,
		.len = len,
	};

	assert_int_equal(device_maintain_errno(dev, &range, 1, NULL), 0);
}

/* Only an open that watches may revoke, so one is made that gets no records. */
void device_revoke(int dev, int fd)
{
	struct heapsim_buf_revoke revoke = {
		.size = sizeof(revoke),
		.fd = fd,
	};
	int watcher = device_open();

	assert_int_equal(device_watch_errno(watcher, HEAPSIM_WATCH_PROCESS, 0,
					    1), 0);
	assert_int_equal(device_ioctl_errno(watcher, HEAPSIM_IOC_BUF_REVOKE,
					    &revoke), 0);
	close(watcher);
}

int device_submit_errno(int dev, struct heapsim_dma_submit *submit)
{
	submit->size = sizeof(*submit);
	return device_ioctl_errno(dev, HEAPSIM_IOC_DMA_SUBMIT, submit);
}

int device_wait_errno(int dev, uint64_t job, uint64_t timeout_ns,
		      struct heapsim_job_wait *answer)
{
	*answer = (struct heapsim_job_wait) {
		.size = sizeof(*answer),
		.job = job,
		.timeout_ns = timeout_ns,
	};
	return device_ioctl_errno(dev, HEAPSIM_IOC_JOB_WAIT, answer);
}

struct heapsim_job_wait device_run(int dev, struct heapsim_dma_submit *submit)
{
	struct heapsim_job_wait answer;
	int ret = device_submit_errno(dev, submit);

	if (ret)
		fail_msg("submit: %s", strerror(-ret));
	close(submit->fence_fd);
	ret = device_wait_errno(dev, submit->job, DEVICE_HANGS_NS, &answer);
	if (ret)
		fail_msg("wait: %s", strerror(-ret));
	return answer;
}

struct heapsim_dma_submit device_fill_of(int fd, uint64_t len,
					 uint32_t pattern)
{
	return (struct heapsim_dma_submit) {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = fd,
		.pattern = pattern,
		.row_len = len,
		.nr_rows = 1,
	};
}

void device_fill(int dev, int fd, uint64_t off, uint64_t len,
		 uint32_t pattern)
{
	struct heapsim_dma_submit submit = device_fill_of(fd, len, pattern);
	struct heapsim_job_wait answer;

	submit.dst_off = off;
	answer = device_run(dev, &submit);
	assert_int_equal(answer.status, 0);
	assert_int_equal(answer.result, len);
}

struct heapsim_dma_submit device_copy_of(int src, int dst, uint64_t len)
{
	return (struct heapsim_dma_submit) {
		.op = HEAPSIM_DMA_COPY,
		.src_fd = src,
		.dst_fd = dst,
		.row_len = len,
		.nr_rows = 1,
	};
}

void device_copy(int dev, int src, uint64_t src_off, int dst,
		 uint64_t dst_off, uint64_t len)
{
	struct heapsim_dma_submit submit = device_copy_of(src, dst, len);
	struct heapsim_job_wait answer;

	submit.src_off = src_off;
	submit.dst_off = dst_off;
	answer = device_run(dev, &submit);
	assert_int_equal(answer.status, 0);
	assert_int_equal(answer.result, len);
}

struct heapsim_dma_submit device_checksum_of(int fd, uint64_t len)
{
	return (struct heapsim_dma_submit) {
		.op = HEAPSIM_DMA_CHECKSUM,
		.src_fd = fd,
		.dst_fd = -1,
		.row_len = len,
		.nr_rows = 1,
	};
}

uint64_t device_checksum(int dev, int fd, uint64_t off, uint64_t len)
{
	struct heapsim_dma_submit submit = device_checksum_of(fd, len);
	struct heapsim_job_wait answer;

	submit.src_off = off;
	answer = device_run(dev, &submit);
	assert_int_equal(answer.status, 0);
	return answer.result;
}

uint8_t *device_dram(int dev, int fd, size_t len)
{
	int one_view = device_alloc(dev, HEAPSIM_KIND_COHERENT, len);
	uint8_t *bytes = malloc(len), *map = device_map(one_view, len);

	assert_non_null(bytes);
	device_copy(dev, fd, 0, one_view, 0, len);
	memcpy(bytes, map, len);
	device_unmap(map, len);
	close(one_view);
	return bytes;
}

int device_fence_errno(int dev, int fd, uint32_t flags, uint64_t timeout_ns,
		       struct heapsim_fence_create *answer)
{
	*answer = (struct heapsim_fence_create) {
		.size = sizeof(*answer),
		.flags = flags,
		.fd = fd,
		.timeout_ns = timeout_ns,
	};
	return device_ioctl_errno(dev, HEAPSIM_IOC_FENCE_CREATE, answer);
}

void device_fence_signal(int dev, uint64_t fence, int error)
{
	struct heapsim_fence_signal fence_signal = {
		.size = sizeof(fence_signal),
		.error = error,
		.fence = fence,
	};

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_FENCE_SIGNAL,
					    &fence_signal), 0);
}

int device_fence_status(int fence_fd)
{
	struct sync_file_info info = { 0 };

	assert_int_equal(device_ioctl_errno(fence_fd, SYNC_IOC_FILE_INFO,
					    &info), 0);
	return info.status;
}

uint64_t device_fence_time_ns(int fence_fd)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = {
		.num_fences = 1,
		.sync_fence_info = (uintptr_t)&fence,
	};

	assert_int_equal(device_ioctl_errno(fence_fd, SYNC_IOC_FILE_INFO,
					    &info), 0);
	assert_int_not_equal(fence.status, 0);
	return fence.timestamp_ns;
}

#define SLEEP_NS	(NSEC_PER_SEC / 10)

/* How much longer sleeps have lasted so far, apart from inexact timers */
static _Atomic uint64_t lateness_ns;

static void *lateness_measure(void *arg)
{
	uint64_t begin, took;

	(void)arg;
	for (;;) {
		begin = device_now_ns();
		device_sleep_ns(SLEEP_NS);
		took = device_now_ns() - begin;
		if (took > 2 * SLEEP_NS)
			atomic_fetch_add(&lateness_ns, took - SLEEP_NS);
	}
	return NULL;
}

int device_measure_lateness(void **state)
{
	pthread_t thread;

	(void)state;
	return pthread_create(&thread, NULL, lateness_measure, NULL);
}

/*
 * The module's limit is 10 s. On a loaded machine the signal may come later: by
 * 2.2 s on an emulated kernel with KASAN, and by 26 s on a starved one, where
 * sleeps last longer, too. The latest is printed.
 */
#define LIMIT_NS	(10 * NSEC_PER_SEC)
#define MOST_NS		(20 * NSEC_PER_SEC)

void device_fence_is_in_time(int fence_fd, uint64_t published_ns)
{
	const uint64_t life = device_fence_time_ns(fence_fd) - published_ns;
	static uint64_t latest = LIMIT_NS;

	if (life > latest) {
		latest = life;
		print_message("a fence was signalled after %llu ms\n",
			      (unsigned long long)(life / NSEC_PER_MSEC));
	}
	assert_in_range(life, 0, MOST_NS + 3 * atomic_load(&lateness_ns));
}

int device_sync_file_export(int fd, uint32_t flags)
{
	struct dma_buf_export_sync_file export = { .flags = flags };

	assert_int_equal(device_ioctl_errno(fd,
					    DMA_BUF_IOCTL_EXPORT_SYNC_FILE,
					    &export), 0);
	return export.fd;
}

void device_sync_file_import(int fd, uint32_t flags, int fence_fd)
{
	struct dma_buf_import_sync_file import = {
		.flags = flags,
		.fd = fence_fd,
	};

	assert_int_equal(device_ioctl_errno(fd,
					    DMA_BUF_IOCTL_IMPORT_SYNC_FILE,
					    &import), 0);
}

int device_hold_errno(int dev, int fd, uint32_t how, uint32_t dir,
		      struct heapsim_hold *answer)
{
	*answer = (struct heapsim_hold) {
		.size = sizeof(*answer),
		.how = how,
		.fd = fd,
		.dir = dir,
	};
	return device_ioctl_errno(dev, HEAPSIM_IOC_HOLD, answer);
}

void device_release(int dev, uint64_t hold)
{
	struct heapsim_release release = {
		.size = sizeof(release),
		.hold = hold,
	};

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_RELEASE,
					    &release), 0);
}

int device_watch_errno(int dev, uint32_t scope, uint64_t kinds, uint32_t nr)
{
	struct heapsim_watch watch = {
		.size = sizeof(watch),
		.scope = scope,
		.kinds = kinds,
		.nr_records = nr,
		.record_size = sizeof(struct heapsim_record),
	};

	return device_ioctl_errno(dev, HEAPSIM_IOC_WATCH, &watch);
}

int device_watch_stacks_errno(int dev, uint32_t stack_signal, uint32_t reserved)
{
	struct heapsim_watch watch = {
		.size = sizeof(watch),
		.scope = HEAPSIM_WATCH_TREE,
		.kinds = HEAPSIM_KINDS_ALL,
		.nr_records = 64,
		.record_size = sizeof(struct heapsim_record),
		.stack_signal = stack_signal,
		.reserved = reserved,
	};

	return device_ioctl_errno(dev, HEAPSIM_IOC_WATCH, &watch);
}

bool record_next(int watch, struct heapsim_record *r)
{
	ssize_t n = read(watch, r, sizeof(*r));

	if (n < 0) {
		assert_int_equal(errno, EAGAIN);
		return false;
	}
	assert_int_equal(n, sizeof(*r));
	assert_int_equal(r->size, sizeof(*r));
	return true;
}

void record_drain(int watch)
{
	struct heapsim_record r;

	while (record_next(watch, &r))
		;
}

int device_policy_errno(int dev, uint32_t scope, int fd, uint32_t policy)
{
	struct heapsim_set_policy set = {
		.size = sizeof(set),
		.scope = scope,
		.fd = fd,
		.policy = policy,
	};

	return device_ioctl_errno(dev, HEAPSIM_IOC_POLICY, &set);
}

size_t device_meminfo(const char *name)
{
	FILE *meminfo = fopen("/proc/meminfo", "r");
	unsigned long kib = 0;
	char line[128];

	assert_non_null(meminfo);
	while (!kib && fgets(line, sizeof(line), meminfo))
		if (!strncmp(line, name, strlen(name)))
			sscanf(line + strlen(name), ": %lu kB", &kib);
	fclose(meminfo);
	assert_true(kib);
	return kib * KIB;
}

bool device_is_filled(const void *bytes, uint8_t value, size_t len)
{
	const uint8_t *at = bytes;

	while (len--)
		if (*at++ != value)
			return false;
	return true;
}

short device_poll(int fd, short events, int timeout_ms)
{
	struct pollfd pollfd = { .fd = fd, .events = events };
	int ret = poll(&pollfd, 1, timeout_ms);

	assert_true(ret >= 0);
	return ret ? pollfd.revents : 0;
}

void device_fdinfo(int fd, const char *key, char *value, size_t len)
{
	char path[64], line[256];
	size_t key_len = strlen(key);
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	assert_non_null(file);
	value[0] = '\0';
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, key_len) || line[key_len] != ':')
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(value, len, "%s",
			 line + key_len + 1 + strspn(line + key_len + 1,
						     " \t"));
	}
	fclose(file);
}

int device_in_child(int (*fn)(void *arg), void *arg)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		/* cmocka's handlers would keep the child from dying. */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		_exit(fn(arg));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int read_byte(void *at)
{
	device_peek(at);
	return 0;
}

static int write_byte(void *at)
{
	*(uint8_t *)at = 1;
	return 0;
}

int device_signal_of_read(const uint8_t *at)
{
	return -device_in_child(read_byte, (void *)at);
}

int device_signal_of_write(uint8_t *at)
{
	return -device_in_child(write_byte, (void *)at);
}

int device_vgem_dumb(int vgem, size_t at_least, size_t *len)
{
	struct drm_mode_create_dumb create = {
		.width = 1024,
		.height = (at_least + 4095) / 4096,
		.bpp = 32,
	};
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };
	struct drm_gem_close gem_close = { 0 };

	assert_int_equal(device_ioctl_errno(vgem, DRM_IOCTL_MODE_CREATE_DUMB,
					    &create), 0);
	prime.handle = create.handle;
	gem_close.handle = create.handle;
	assert_int_equal(device_ioctl_errno(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD,
					    &prime), 0);
	assert_int_equal(device_ioctl_errno(vgem, DRM_IOCTL_GEM_CLOSE,
					    &gem_close), 0);
	*len = create.size;
	return prime.fd;
}

bool device_has_kasan(void)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	bool found = false;
	char line[512];

	if (!symbols)
		return false;
	while (!found && fgets(line, sizeof(line), symbols))
		found = strstr(line, " kasan_unpoison_");
	fclose(symbols);
	return found;
}
