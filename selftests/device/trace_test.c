// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that the tracepoints have the right fields, also if no process watches.
 * The random sequences of selftests/model test those of fills and evictions
 * further.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "rights.h"

#define NR_PAGES	8
#define TEXT_LEN	(256 * KIB)
#define NAME		"name=\"" DEVICE_BUF_NAME "\""
#define COMM		"comm=\"trace_test\""	/* this program */
#define OTHER_IS	"other=%s other_name=\"%s\""
#define SUBMITTER	"other_pid=%u other_" COMM
#define NO_SUBMITTER	"other_pid=0 other_comm=\"\" job=0 stream=0 other_ns=0"
#define NO_CPU	"pid=0 tid=0 comm=\"\" ip=0 addr=0 is_write=0 cpu_ns=0"

#define JOB	"heapsim_job: job=%llu op=%u src=%llu dst=%llu len=%zu status=0"

/* The folder of a trace instance with only the module's events */
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

/*
 * All tracepoints are on during all tests. Switching one patches the kernel's
 * code, after which an emulator may continue with stale code.
 */
static int trace_begin(void **state)
{
	(void)state;
	snprintf(trace_dir, sizeof(trace_dir),
		 "/sys/kernel/tracing/instances/heapsim-%d", getpid());
	if (mkdir(trace_dir, 0700))
		fail_msg("%s: %s", trace_dir, strerror(errno));
	trace_write("events/heapsim/enable", "1");
	return 0;
}

static int trace_end(void **state)
{
	(void)state;
	return rmdir(trace_dir);
}

static int setup(void **state)
{
	fixture_setup(state, HEAPSIM_KIND_NONCOHERENT,
		      NR_PAGES * device_page_size());
	trace_write("trace", "");
	return 0;
}

/* Returns the trace so far, which the caller frees. */
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

/* Checks that exactly one line of the trace ends with this text. */
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

/* Waits for a line with this text, which must be the only one; free() it. */
__attribute__((format(printf, 1, 2)))
static char *line_of(const char *fmt, ...)
{
	char *text = trace_read(), *at, *line;
	char want[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(want, sizeof(want), fmt, args);
	va_end(args);
	at = strstr(text, want);
	if (!at || strstr(at + 1, want))
		fail_msg("not there once: %s, but:\n%s", want, text);
	line = strndup(at, strcspn(at, "\n"));
	assert_non_null(line);
	free(text);
	return line;
}

/* Returns the line of a record or an event of this kind. */
static char *told(struct fixture *f, const char *event, const char *kind)
{
	return line_of("%s: kind=%s buf=%llu " NAME " ", event, kind,
		       (unsigned long long)f->id);
}

/* Checks that the line has these fields with these values. */
__attribute__((format(printf, 2, 3)))
static void assert_has(const char *line, const char *fmt, ...)
{
	char want[256] = " ";
	const char *at;
	va_list args;

	va_start(args, fmt);
	vsnprintf(want + 1, sizeof(want) - 1, fmt, args);
	va_end(args);
	at = strstr(line, want);
	if (!at || (at[strlen(want)] != ' ' && at[strlen(want)]))
		fail_msg("lacks%s: %s", want, line);
}

static uint64_t number_of(const char *line, const char *field, int base)
{
	char want[64];
	const char *at;

	snprintf(want, sizeof(want), " %s=", field);
	at = strstr(line, want);
	if (!at)
		fail_msg("lacks%s: %s", want, line);
	return strtoull(at + strlen(want), NULL, base);
}

/* Checks that the line names this thread, and a time from @since_ns on. */
static void assert_is_ours(const char *line, uint64_t since_ns)
{
	const uint64_t cpu_ns = number_of(line, "cpu_ns", 10);

	assert_has(line, "pid=%u tid=%u " COMM, getpid(), gettid());
	assert_true(number_of(line, "ip", 16) != 0);
	assert_in_range(cpu_ns, since_ns, device_now_ns());
	assert_in_range(number_of(line, "time_ns", 10), since_ns,
			device_now_ns());
}

/* Reads are in a section of their own, to recognize them by address. */
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
	uint64_t before, between, job;
	char *line;

	read_at(f->map + off);
	before = device_now_ns();
	job = fill(f, 0, f->len);
	between = device_now_ns();
	device_revoke(f->dev, f->fd);
	assert_int_equal(read_at(f->map + off), 0);
	line = told(f, "heapsim_record", "stale_read");
	assert_has(line, "off=%zu len=%zu bytes=%zu count=1", off, f->line - 5,
		   f->line - 5);
	assert_has(line, "missing=start_read");
	assert_is_ours(line, between);
	assert_in_range(number_of(line, "ip", 16), (uintptr_t)__start_touches,
			(uintptr_t)__stop_touches - 1);
	assert_has(line, "addr=%llx is_write=0",
		   (unsigned long long)(uintptr_t)f->map + off);
	assert_has(line, OTHER_IS " " SUBMITTER " job=%llu stream=0", "engine",
		   "dma", getpid(), (unsigned long long)job);
	assert_in_range(number_of(line, "other_ns", 10), before, between);
	assert_has(line, "attach=0 attach_stream=0");
	assert_has(line, "access=0 op=0 src=0 status=0");
	free(line);
}

/* This tests the fields that are 0 in the test above. */
static void record_of_a_store_is_traced(void **state)
{
	struct fixture *f = *state;
	char *line;

	device_sync(f->fd, SYNC_END_WRITE);
	line = told(f, "heapsim_record", "unmatched_end");
	assert_has(line, "missing=start_write");
	assert_has(line, "addr=0 is_write=1");
	assert_has(line, OTHER_IS " " NO_SUBMITTER, "nobody", "");
	free(line);
}

#define STREAM	5
#define WORK	6

static struct managed stream_and_buffer(struct fixture *f)
{
	rights_stream_add(f->dev, STREAM);
	return managed_create(f->dev, HEAPSIM_KIND_MANAGED,
			      HEAPSIM_ATTACH_GLOBAL, f->len);
}

static void record_of_managed_memory_is_traced(void **state)
{
	struct fixture *f = *state;
	struct managed m = stream_and_buffer(f);
	char *line;

	assert_int_equal(rights_settle_errno(f->dev, STREAM, m.id,
					     HEAPSIM_ATTACH_SINGLE), 0);
	assert_int_equal(rights_work_submit_errno(f->dev, STREAM, WORK, "gpu"),
			 0);
	assert_false(cpu_writes(m.map + 77, 1));
	line = line_of("heapsim_record: kind=cpu_while_active buf=%llu ",
		       (unsigned long long)m.id);
	assert_has(line, "missing=sync");
	assert_has(line, "is_write=1");
	assert_has(line, OTHER_IS, "engine", "gpu");
	assert_has(line, "job=%u stream=%u", WORK, STREAM);
	assert_has(line, "attach=%u attach_stream=%u", HEAPSIM_ATTACH_SINGLE,
		   STREAM);
	free(line);
	managed_destroy(&m);
}

static void brackets_are_traced(void **state)
{
	const struct {
		const char *kind;
		uint64_t sync;
		uint32_t access;
	} steps[] = {
		{ "start", SYNC_START_READ, HEAPSIM_ACCESS_READ },
		{ "end", SYNC_END_READ, HEAPSIM_ACCESS_READ },
		{ "start", SYNC_START_WRITE, HEAPSIM_ACCESS_WRITE },
		{ "end", SYNC_END_WRITE, HEAPSIM_ACCESS_WRITE },
		{ "start", SYNC_START_RW,
		  HEAPSIM_ACCESS_READ | HEAPSIM_ACCESS_WRITE },
		{ "end", SYNC_END_RW,
		  HEAPSIM_ACCESS_READ | HEAPSIM_ACCESS_WRITE },
	};
	struct fixture *f = *state;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		const uint64_t before = device_now_ns();
		char *line;

		device_sync(f->fd, steps[i].sync);
		line = told(f, "heapsim_event", steps[i].kind);
		assert_has(line, "off=0 len=%zu bytes=%zu count=1", f->len,
			   f->len);
		assert_is_ours(line, before);
		assert_true(number_of(line, "cpu_ns", 10) <
			    number_of(line, "time_ns", 10));
		assert_has(line, "is_write=%u",
			   !!(steps[i].access & HEAPSIM_ACCESS_WRITE));
		assert_has(line, "access=%u", steps[i].access);
		assert_has(line, "missing=nothing");
		free(line);
		trace_write("trace", "");
	}
}

static void holds_are_traced(void **state)
{
	struct fixture *f = *state;
	const uint64_t before = device_now_ns();
	struct heapsim_hold hold;
	uint64_t held_ns;
	char *line;

	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_FROM_DEVICE, &hold), 0);
	line = told(f, "heapsim_event", "hold");
	assert_is_ours(line, before);
	assert_has(line, OTHER_IS " " SUBMITTER " job=0", "device", "heapsim",
		   getpid());
	assert_has(line, "access=%u", HEAPSIM_ACCESS_WRITE);
	held_ns = number_of(line, "other_ns", 10);
	assert_in_range(held_ns, before, device_now_ns());
	free(line);
	device_release(f->dev, hold.hold);
	line = told(f, "heapsim_event", "release");
	assert_has(line, OTHER_IS, "device", "heapsim");
	assert_has(line, "other_ns=%llu", (unsigned long long)held_ns);
	assert_has(line, "access=%u", HEAPSIM_ACCESS_WRITE);
	free(line);
}

/* Checks the fields of a job's event, and returns its time. */
static uint64_t assert_job_event(struct fixture *f, const char *kind,
				 const struct heapsim_dma_submit *submit,
				 uint64_t src, uint64_t since_ns)
{
	char *line = told(f, "heapsim_event", kind);
	uint64_t ret = number_of(line, "time_ns", 10);

	/* len spans all rows; bytes is the number of bytes in the rows. */
	assert_has(line, "off=0 len=%zu bytes=%zu count=1", 5 * f->line,
		   3 * f->line);
	assert_has(line, OTHER_IS " " SUBMITTER " job=%llu stream=0", "engine",
		   "dma", getpid(), (unsigned long long)submit->job);
	assert_has(line, "access=%u op=%u src=%llu status=0",
		   HEAPSIM_ACCESS_WRITE, submit->op, (unsigned long long)src);
	assert_in_range(ret, since_ns, device_now_ns());
	if (strcmp(kind, "submit"))
		assert_has(line, NO_CPU);
	else
		assert_is_ours(line, since_ns);
	free(line);
	return ret;
}

static void events_of_a_job_are_traced(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_COPY,
		.dst_fd = f->fd,
		.row_len = f->line,
		.nr_rows = 3,
		.src_pitch = f->line,
		.dst_pitch = 2 * f->line,
	};
	uint64_t src, ns = device_now_ns();

	submit.src_fd = device_alloc(f->dev, HEAPSIM_KIND_COHERENT, f->page);
	src = device_buf_info(f->dev, submit.src_fd).id;
	assert_int_equal(device_run(f->dev, &submit).status, 0);
	assert_job_event(f, "submit", &submit, src, ns);
	ns = assert_job_event(f, "job_begin", &submit, src, ns);
	assert_job_event(f, "job_end", &submit, src, ns);
	close(submit.src_fd);
}

/* The fence is pending for longer than a job waits for it. */
static void failure_of_a_job_is_traced(void **state)
{
	struct fixture *f = *state;
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = f->fd,
		.row_len = f->line,
		.nr_rows = 1,
	};
	struct heapsim_fence_create fence;
	char *line;

	assert_int_equal(device_fence_errno(f->dev, f->fd, HEAPSIM_FENCE_WRITE,
					    10 * NSEC_PER_SEC, &fence), 0);
	assert_int_equal(device_run(f->dev, &submit).status, -ETIMEDOUT);
	line = told(f, "heapsim_event", "job_end");
	assert_has(line, "status=%d", -ETIMEDOUT);
	free(line);
	device_fence_signal(f->dev, fence.fence, 0);
	close(fence.fence_fd);
}

static void fill_is_traced(void **state)
{
	struct fixture *f = *state;
	const size_t off = f->page + 3;
	const uint64_t before = device_now_ns();
	uint64_t first, len;
	char *line;

	read_at(f->map + off);
	line = told(f, "heapsim_event", "fill");
	first = number_of(line, "off", 10);
	len = number_of(line, "len", 10);
	assert_in_range(off, first, first + len - 1);
	assert_has(line, "count=%llu", (unsigned long long)len / f->line);
	assert_is_ours(line, before);
	assert_has(line, "addr=%llx is_write=0",
		   (unsigned long long)(uintptr_t)f->map + off);
	assert_has(line, "access=%u", HEAPSIM_ACCESS_READ);
	free(line);
	assert_traced("heapsim_fill: buf=%llu off=%llu len=%llu",
		      (unsigned long long)f->id, (unsigned long long)first,
		      (unsigned long long)len);
}

static void clean_is_traced(void **state)
{
	struct fixture *f = *state;
	const uint64_t before = device_now_ns();
	char *line;

	__atomic_store_n(f->map + f->page, 1, __ATOMIC_RELAXED);
	__atomic_store_n(f->map + f->page + f->line, 1, __ATOMIC_RELAXED);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_CLEAN, f->page,
			4 * f->line);
	line = told(f, "heapsim_event", "clean");
	assert_has(line, "off=%zu len=%zu bytes=%zu count=2", f->page,
		   4 * f->line, 4 * f->line);
	assert_is_ours(line, before);
	free(line);
	assert_traced("heapsim_clean: buf=%llu off=%zu len=%zu",
		      (unsigned long long)f->id, f->page, 4 * f->line);
}

static void evict_is_traced(void **state)
{
	struct fixture *f = *state;
	struct heapsim_set_policy policy = {
		.size = sizeof(policy),
		.scope = HEAPSIM_POLICY_OF_BUF,
		.fd = f->fd,
		.policy = HEAPSIM_POLICY_RECORD,
		.evict_random = 1,
		.seed = 7,
	};
	uint64_t off;
	char *line;
	size_t i;

	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY,
					    &policy), 0);
	for (i = 0; !device_count(f->dev, f->fd).evictions; i++) {
		assert_true(i < 1000);
		trace_write("trace", "");
		device_revoke(f->dev, f->fd);
		read_at(f->map + i % NR_PAGES * f->page);
	}
	line = told(f, "heapsim_event", "evict");
	off = number_of(line, "off", 10);
	assert_int_equal(off % f->line, 0);
	assert_has(line, "len=%zu bytes=%zu count=1", f->line, f->line);
	free(line);
	assert_traced("heapsim_evict: buf=%llu off=%llu len=%zu",
		      (unsigned long long)f->id, (unsigned long long)off,
		      f->line);
}

/* All events of a work have the fields of its submission. */
static void assert_work_is_traced(const char *kind)
{
	char *line = line_of("heapsim_event: kind=%s buf=0 ", kind);

	assert_has(line, OTHER_IS " " SUBMITTER " job=%u stream=%u", "engine",
		   "gpu", getpid(), WORK, STREAM);
	assert_has(line, "status=0 kernel=5eed");
	free(line);
}

static void work_is_traced(void **state)
{
	struct fixture *f = *state;
	struct heapsim_work_add add = {
		.size = sizeof(add),
		.stream = STREAM,
		.work = WORK,
		.name = "gpu",
		.kernel = 0x5eed,
	};

	rights_stream_add(f->dev, STREAM);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_WORK_ADD,
					    &add), 0);
	assert_int_equal(rights_work_start_errno(f->dev, WORK, NULL, 0), 0);
	assert_int_equal(rights_work_finish_errno(f->dev, WORK), 0);
	assert_work_is_traced("submit");
	assert_work_is_traced("job_begin");
	assert_work_is_traced("job_end");
}

static void attach_and_work_are_traced(void **state)
{
	struct fixture *f = *state;
	struct managed m = stream_and_buffer(f);

	assert_int_equal(rights_settle_errno(f->dev, STREAM, m.id,
					     HEAPSIM_ATTACH_SINGLE), 0);
	assert_traced("heapsim_attach: buf=%llu attach=%u stream=%u",
		      (unsigned long long)m.id, HEAPSIM_ATTACH_SINGLE, STREAM);
	assert_int_equal(rights_work_submit_errno(f->dev, STREAM, WORK, "gpu"),
			 0);
	assert_traced("heapsim_work: work=%u stream=%u what=0", WORK, STREAM);
	assert_int_equal(rights_work_start_errno(f->dev, WORK, NULL, 0), 0);
	assert_traced("heapsim_work: work=%u stream=%u what=1", WORK, STREAM);
	assert_int_equal(rights_work_finish_errno(f->dev, WORK), 0);
	assert_traced("heapsim_work: work=%u stream=%u what=2", WORK, STREAM);
	managed_destroy(&m);
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
	char *line;

	read_at(f->map + f->page);
	device_maintain(f->dev, f->fd, HEAPSIM_MAINT_INVALIDATE, f->page,
			2 * f->line);
	line = told(f, "heapsim_event", "invalidate");
	assert_has(line, "off=%zu len=%zu bytes=%zu count=2", f->page,
		   2 * f->line, 2 * f->line);
	free(line);
	assert_traced("heapsim_invalidate: buf=%llu off=%zu len=%zu",
		      (unsigned long long)f->id, f->page, 2 * f->line);
	device_sync(f->fd, SYNC_START_READ);
	assert_traced("heapsim_invalidate: buf=%llu off=0 len=%zu",
		      (unsigned long long)f->id, f->len);
	device_sync(f->fd, SYNC_END_READ);
}

/* The range is from the first page with a PTE to the last. */
static void revoke_is_traced(void **state)
{
	struct fixture *f = *state;

	__atomic_store_n(f->map + 3 * f->page, 1, __ATOMIC_RELAXED);
	__atomic_store_n(f->map + 5 * f->page, 1, __ATOMIC_RELAXED);
	device_revoke(f->dev, f->fd);
	assert_traced("heapsim_revoke: buf=%llu off=%zu len=%zu",
		      (unsigned long long)f->id, 3 * f->page, 3 * f->page);
}

#define POLICY	"heapsim_policy: scope=%u buf=%llu pid=%u is_set=%u policy=%u "
#define RULE	"evict_random=%u is_precise=%u seed=%llu"

static void set_and_assert(int dev, uint32_t scope, int fd, uint64_t buf)
{
	struct heapsim_set_policy set = {
		.size = sizeof(set),
		.scope = scope,
		.fd = fd,
		.policy = HEAPSIM_POLICY_RECORD,
		.evict_random = 1,
		.is_precise = !!(device_probe(dev).features &
				 HEAPSIM_FEATURE_PRECISE),
		.seed = 0x123456789abcdefULL,
	};

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_POLICY, &set), 0);
	assert_traced(POLICY RULE, scope, (unsigned long long)buf, getpid(), 1,
		      HEAPSIM_POLICY_RECORD, 1, set.is_precise,
		      (unsigned long long)set.seed);
}

static void policy_is_traced(void **state)
{
	struct fixture *f = *state;
	const struct heapsim_probe probe = device_probe(f->dev);
	struct heapsim_set_policy all = {
		.size = sizeof(all),
		.scope = HEAPSIM_POLICY_OF_ALL,
		.fd = -1,
		.policy = probe.policy,
		.evict_random = probe.evict_random,
		.seed = probe.seed,
	};
	int dev = device_open();

	set_and_assert(f->dev, HEAPSIM_POLICY_OF_BUF, f->fd, f->id);
	set_and_assert(dev, HEAPSIM_POLICY_OF_CONTEXT, -1, 0);
	set_and_assert(dev, HEAPSIM_POLICY_OF_TREE, -1, 0);
	close(dev);
	assert_traced(POLICY RULE, HEAPSIM_POLICY_OF_TREE, 0ULL, getpid(), 0,
		      0, 0, 0, 0ULL);
	set_and_assert(f->dev, HEAPSIM_POLICY_OF_ALL, -1, 0);
	assert_int_equal(device_ioctl_errno(f->dev, HEAPSIM_IOC_POLICY, &all),
			 0);
}

static void refused_policy_is_not_traced(void **state)
{
	struct fixture *f = *state;
	struct heapsim_hold hold;
	char *text;

	assert_int_equal(device_hold_errno(f->dev, f->fd, HEAPSIM_HOLD_MAP,
					   HEAPSIM_DIR_TO_DEVICE, &hold), 0);
	assert_int_equal(device_policy_errno(f->dev, HEAPSIM_POLICY_OF_BUF,
					     f->fd, HEAPSIM_POLICY_OFF),
			 -EBUSY);
	text = trace_read();
	assert_null(strstr(text, "heapsim_policy:"));
	free(text);
	device_release(f->dev, hold.hold);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, \
						   fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(record_is_traced),
		TEST(record_of_a_store_is_traced),
		TEST(record_of_managed_memory_is_traced),
		TEST(brackets_are_traced),
		TEST(holds_are_traced),
		TEST(events_of_a_job_are_traced),
		TEST(failure_of_a_job_is_traced),
		TEST(job_is_traced),
		TEST(fill_is_traced),
		TEST(clean_is_traced),
		TEST(invalidate_is_traced),
		TEST(evict_is_traced),
		TEST(revoke_is_traced),
		TEST(work_is_traced),
		TEST(attach_and_work_are_traced),
		TEST(policy_is_traced),
		TEST(refused_policy_is_not_traced),
	};

	return cmocka_run_group_tests_name("trace", tests, trace_begin,
					   trace_end);
}
