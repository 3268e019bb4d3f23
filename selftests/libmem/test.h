/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by all tests of libmem: a context, and queries about the process */
#ifndef _LIBMEM_TEST_H
#define _LIBMEM_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <libmem.h>
#include <linux/heapsim.h>

#include "../../libmem/clock.h"
#include "../fnv1a.h"
#include "../nobody.h"
#include "../process.h"
#include "../skip.h"

#define LEN		(64 * 1024UL)
#define NS_PER_MS	1000000ULL

#define NR(array)	(sizeof(array) / sizeof((array)[0]))

/* Value of a result that a failed call must leave unchanged */
#define UNTOUCHED	((void *)0x5a5a)

static struct mem_ctx *ctx;

static inline int open_ctx(void **state)
{
	(void)state;
	return mem_ctx_open(NULL, &ctx);
}

static inline int close_ctx(void **state)
{
	(void)state;
	mem_ctx_close(ctx);
	return 0;
}

static inline bool is_embedded(void)
{
	struct mem_probe probe = { .size = sizeof(probe) };

	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	return probe.backend == MEM_BACKEND_EMBEDDED;
}

/* Returns a large number, divided by $SCALE: some machines are slow. */
static inline unsigned int scaled(unsigned int nr)
{
	const char *by = getenv("SCALE");
	const unsigned int div = by ? (unsigned int)atoi(by) : 1;

	nr /= div ? div : 1;
	return nr < 4 ? 4 : nr;
}

/* Returns true if the environment chooses the embedded backend. */
static inline bool is_to_be_embedded(void)
{
	const char *backend = getenv("LIBMEM_BACKEND");

	return backend && !strcmp(backend, "embedded");
}

/* Runs tests for both backends, then those for the one in LIBMEM_BACKEND. */
#define run_both(both, kernel, embedded)				\
	(cmocka_run_group_tests(both, open_ctx, close_ctx) |		\
	 (is_to_be_embedded() ?						\
	  cmocka_run_group_tests(embedded, open_ctx, close_ctx) :	\
	  cmocka_run_group_tests(kernel, open_ctx, close_ctx)))

static inline struct mem_buf *new_buf(enum mem_kind kind)
{
	struct mem_buf *buf;

	assert_int_equal(mem_buf_alloc(ctx, kind, LEN, NULL, &buf), 0);
	return buf;
}

static inline uint8_t *map_buf(struct mem_buf *buf)
{
	void *addr;

	assert_int_equal(mem_buf_map(buf, &addr), 0);
	return addr;
}

/* Loads a byte, which the compiler must not optimize away. */
static inline uint8_t byte_at(const uint8_t *addr)
{
	return __atomic_load_n(addr, __ATOMIC_RELAXED);
}

static inline struct mem_counters count_of(struct mem_buf *buf)
{
	struct mem_buf_info info = { .size = sizeof(info) };

	assert_int_equal(mem_buf_info(buf, &info), 0);
	return info.count;
}

static inline uint32_t line_size(void)
{
	struct mem_probe probe = { .size = sizeof(probe) };

	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	return probe.line_size;
}

static inline void k_nothing(const struct mem_block *block, void *arg)
{
	(void)block;
	(void)arg;
}

static inline struct mem_stream *new_stream(void)
{
	struct mem_stream *made;

	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &made), 0);
	return made;
}

static inline struct mem_ptr_info ptr_info_of(const void *ptr)
{
	struct mem_ptr_info info = { .size = sizeof(info) };

	assert_int_equal(mem_ptr_info(ctx, ptr, &info), 0);
	return info;
}

static inline struct mem_buf_info ptr_buf_info_of(const void *ptr)
{
	struct mem_buf_info info = { .size = sizeof(info) };

	assert_int_equal(mem_ptr_buf_info(ctx, ptr, &info), 0);
	return info;
}

/* Describes a launch of one thread on the GPU. */
static inline struct mem_launch launch_of(mem_kernel kernel, const void *args,
					  size_t len)
{
	return (struct mem_launch) {
		.size = sizeof(struct mem_launch),
		.kernel = kernel,
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
		.args = args,
		.args_len = (uint32_t)len,
	};
}

static inline uint64_t finish_job(struct mem_job *job)
{
	uint64_t result;

	assert_int_equal(mem_job_wait(job, MEM_WAIT_FOREVER, &result), 0);
	mem_job_destroy(job);
	return result;
}

static inline void fill_buf(struct mem_buf *buf, uint32_t pattern)
{
	struct mem_job *job;

	assert_int_equal(mem_job_fill(buf, 0, mem_buf_len(buf), pattern, &job),
			 0);
	assert_int_equal(finish_job(job), mem_buf_len(buf));
}

/* Starts a copy that takes @delay_ns. */
static inline struct mem_job *start_slow(struct mem_buf *buf, uint64_t delay_ns)
{
	struct mem_copy2d copy = {
		.size = sizeof(copy),
		.dst = buf,
		.src = buf,
		.row_len = LEN,
		.nr_rows = 1,
		.delay_ns = delay_ns,
	};
	struct mem_job *job;

	assert_int_equal(mem_job_copy2d(&copy, &job), 0);
	return job;
}

/* Returns the FNV-1a hash of the bytes that engines see. */
static inline uint64_t sum_of(struct mem_buf *buf)
{
	struct mem_job *job;

	assert_int_equal(mem_job_checksum(buf, 0, mem_buf_len(buf), &job), 0);
	return finish_job(job);
}

/* No descriptor is left to open until it is given the old limit again. */
static inline struct rlimit take_all_fds(void)
{
	struct rlimit old, none;
	int fd = dup(0);

	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = old;
	none.rlim_cur = (rlim_t)fd;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	return old;
}

static inline void give_fds_back(struct rlimit old)
{
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
}

/* Adds a fence to a buffer, as an engine that reads or writes does. */
static inline int put_fence(struct mem_buf *buf, uint32_t flags,
			    uint64_t timeout_ns, uint64_t *fence)
{
	struct heapsim_fence_create arg = {
		.size = sizeof(arg),
		.flags = flags,
		.timeout_ns = timeout_ns,
	};
	int dev, fd;

	dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC);
	assert_true(dev >= 0);
	assert_int_equal(mem_buf_export(buf, &fd), 0);
	arg.fd = fd;
	assert_int_equal(ioctl(dev, HEAPSIM_IOC_FENCE_CREATE, &arg), 0);
	close(fd);
	close(arg.fence_fd);
	*fence = arg.fence;
	return dev;
}

/* Returns the exit code of a child, or 128 if a signal ended it. */
static inline int exit_code_of(pid_t pid)
{
	int status;

	assert_true(pid >= 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Starts this program again with a word, a file and a name as arguments. */
static inline pid_t start_again_for(const char *how, int fd, const char *name)
{
	char number[16];
	pid_t pid;

	snprintf(number, sizeof(number), "%d", fd);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		fcntl(fd, F_SETFD, 0);
		execl("/proc/self/exe", "again", how, number, name, NULL);
		_exit(127);
	}
	return pid;
}

/* The same without a name; @fd is -1 if the program needs no file, either. */
static inline pid_t start_again(const char *how, int fd)
{
	return start_again_for(how, fd, NULL);
}

/*
 * Waits until there are not more threads or descriptors than @nr: the last
 * thread of a context may free it after mem_ctx_close() has returned. With
 * AddressSanitizer an engine may need several attempts of many seconds to
 * start: the more likely, the more often this thread, which allocates, is
 * interrupted.
 */
static inline void wait_for_nr(const char *what, size_t nr)
{
	const uint64_t end = now_ns() + 200000 * NS_PER_MS;

	while (nr_of_process(what) > nr) {
		assert_true(now_ns() < end);
		usleep(20000);
	}
}

static inline void wait_for_threads(size_t nr)
{
	wait_for_nr("task", nr);
}

static inline void wait_for_fds(size_t nr)
{
	wait_for_nr("fd", nr);
}

/* Makes a file in memory, as another program would. */
static inline int file_of(off_t len, int seals)
{
	const int fd = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, len), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

static inline uint64_t cpu_ns(clockid_t clock)
{
	struct timespec now;

	assert_int_equal(clock_gettime(clock, &now), 0);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline size_t nr_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	size_t nr = 0;
	int c;

	assert_non_null(file);
	while ((c = fgetc(file)) != EOF)
		nr += c == '\n';
	fclose(file);
	return nr;
}

static inline void k_tell_pid(const struct mem_block *block, void *arg)
{
	(void)block;
	**(pid_t **)arg = getpid();
}

/*
 * Returns the process that runs kernels. This is the application itself on
 * boards with pageable access, with LIBMEM_ENGINE=inline, and under
 * ThreadSanitizer and valgrind.
 */
static inline pid_t engine_pid_of(struct mem_ctx *of)
{
	struct mem_launch launch;
	void *word;
	pid_t pid;

	assert_int_equal(mem_alloc(of, MEM_KIND_PINNED, sizeof(pid), 0, &word),
			 0);
	launch = launch_of(k_tell_pid, &word, sizeof(word));
	assert_int_equal(mem_launch(mem_stream_legacy(of), &launch), 0);
	assert_int_equal(mem_ctx_sync(of), 0);
	pid = *(pid_t *)word;
	assert_int_equal(mem_free(of, word), 0);
	return pid;
}

static atomic_int nr_signals;

static inline void count_signal(int signal)
{
	(void)signal;
	nr_signals++;
}

/* Sends a signal each millisecond, which interrupts system calls. */
static inline void start_storm(void)
{
	struct sigaction action = { .sa_handler = count_signal };
	struct itimerval often = {
		.it_interval.tv_usec = 1000,
		.it_value.tv_usec = 1000,
	};

	nr_signals = 0;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
}

static inline void stop_storm(void)
{
	struct itimerval never = { 0 };

	setitimer(ITIMER_REAL, &never, NULL);
}

#endif
