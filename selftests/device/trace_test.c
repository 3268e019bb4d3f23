// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tracepoints: that what happens is in the trace, with the right fields, though
 * nobody watches. Of fills and evictions the random sequences of
 * selftests/model have more to say.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

#define NR_PAGES	8
#define TEXT_LEN	(64 * KIB)

#define SIDES	"pid=%u tid=%u ip=%llx other=%u job=%llu stream=0"
#define RECORD	"heapsim_record: kind=%u buf=%llu off=%zu len=%zu " SIDES
#define JOB	"heapsim_job: job=%llu op=%u src=%llu dst=%llu len=%zu status=0"

/* An instance of the trace that has these events alone. */
static char trace_dir[64];

static void trace_write(const char *file, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", trace_dir, file);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static int setup(void **state)
{
	struct fixture *f = fixture_create();

	fixture_alloc(f, HEAPSIM_KIND_NONCOHERENT, NR_PAGES * f->page);
	*state = f;
	snprintf(trace_dir, sizeof(trace_dir),
		 "/sys/kernel/tracing/instances/heapsim-%d", getpid());
	if (mkdir(trace_dir, 0700))
		fail_msg("%s: %s", trace_dir, strerror(errno));
	trace_write("events/heapsim/heapsim_record/enable", "1");
	trace_write("events/heapsim/heapsim_job/enable", "1");
	trace_write("events/heapsim/heapsim_invalidate/enable", "1");
	trace_write("events/heapsim/heapsim_revoke/enable", "1");
	return 0;
}

static int teardown(void **state)
{
	int ret = rmdir(trace_dir);

	return fixture_teardown(state) || ret;
}

/* The trace so far; free() it. */
static char *trace_read(void)
{
	char *text = calloc(1, TEXT_LEN);
	size_t len = 0;
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/trace", trace_dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(text && fd >= 0);
	while ((n = read(fd, text + len, TEXT_LEN - 1 - len)) > 0)
		len += n;
	assert_int_equal(n, 0);
	close(fd);
	return text;
}

/* Just one line ends with this. */
__attribute__((format(printf, 1, 2)))
static void assert_traced(const char *fmt, ...)
{
	char *text = trace_read();
	char want[256];
	const char *at;
	va_list args;

	va_start(args, fmt);
	vsnprintf(want, sizeof(want) - 1, fmt, args);
	va_end(args);
	strcat(want, "\n");
	at = strstr(text, want);
	if (!at || strstr(at + 1, want))
		fail_msg("not there once: %sbut:\n%s", want, text);
	free(text);
	trace_write("trace", "");
}

/* The only instruction that reads, so that it is known by address. */
__attribute__((noinline, section("touches")))
static uint8_t read_at(const uint8_t *at)
{
	return __atomic_load_n(at, __ATOMIC_RELAXED);
}

extern const char __start_touches[], __stop_touches[];

static uint64_t fill(struct fixture *f, uint64_t off, uint64_t len)
{
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = f->fd,
		.dst_off = off,
		.row_len = len,
		.nr_rows = 1,
		.pattern = 0x11111111,
	};

	assert_int_equal(device_run(f->dev, &submit).status, 0);
	return submit.job;
}

static void record_is_traced(void **state)
{
	struct fixture *f = *state;
	const size_t off = f->page + f->line + 5;
	unsigned long long ip;
	uint64_t job;
	char *text, *at;

	read_at(f->map + off);
	job = fill(f, 0, f->len);
	device_revoke(f->dev, f->fd);
	assert_int_equal(read_at(f->map + off), 0);
	text = trace_read();
	at = strstr(text, "heapsim_record: ");
	at = at ? strstr(at, " ip=") : NULL;
	if (!at || sscanf(at, " ip=%llx", &ip) != 1)
		fail_msg("no record in:\n%s", text);
	free(text);
	assert_in_range(ip, (uintptr_t)__start_touches,
			(uintptr_t)__stop_touches - 1);
	assert_traced(RECORD, HEAPSIM_RECORD_STALE_READ,
		      (unsigned long long)f->id, off, f->line - 5, getpid(),
		      gettid(), ip, HEAPSIM_OTHER_ENGINE,
		      (unsigned long long)job);
}

static void job_is_traced(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_COPY,
		.src_fd = f->fd,
		.row_len = f->line,
		.nr_rows = 3,
		.src_pitch = 2 * f->line,
		.dst_pitch = f->line,
	};
	uint64_t job = fill(f, f->line, 2 * f->line);
	unsigned long long dst;

	assert_traced(JOB, (unsigned long long)job, HEAPSIM_DMA_FILL, 0ULL,
		      (unsigned long long)f->id, 2 * f->line);
	submit.dst_fd = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, f->page);
	dst = device_buf_info(f->dev, submit.dst_fd).id;
	assert_int_equal(device_run(f->dev, &submit).status, 0);
	assert_traced(JOB, (unsigned long long)submit.job, HEAPSIM_DMA_COPY,
		      (unsigned long long)f->id, dst, 3 * f->line);
	close(submit.dst_fd);
}

static void invalidate_is_traced(void **state)
{
	struct fixture *f = *state;

	read_at(f->map);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, f->page,
			2 * f->line);
	assert_traced("heapsim_invalidate: buf=%llu off=%zu len=%zu",
		      (unsigned long long)f->id, f->page, 2 * f->line);
	device_sync(f->fd, SYNC_START_READ);
	assert_traced("heapsim_invalidate: buf=%llu off=0 len=%zu",
		      (unsigned long long)f->id, f->len);
	device_sync(f->fd, SYNC_END_READ);
}

/* From the first page that has a PTE to the last. */
static void revoke_is_traced(void **state)
{
	struct fixture *f = *state;

	__atomic_store_n(f->map + 3 * f->page, 1, __ATOMIC_RELAXED);
	__atomic_store_n(f->map + 5 * f->page, 1, __ATOMIC_RELAXED);
	device_revoke(f->dev, f->fd);
	assert_traced("heapsim_revoke: buf=%llu off=%zu len=%zu",
		      (unsigned long long)f->id, 3 * f->page, 3 * f->page);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(record_is_traced),
		TEST(job_is_traced),
		TEST(invalidate_is_traced),
		TEST(revoke_is_traced),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
