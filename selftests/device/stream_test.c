// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests streams, works and managed memory of the real module: bytes through
 * both views, records, and what remains of contexts that end. rights_test tests
 * each command, and who may touch what.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rights.h"

#define NR_PAGES	20	/* more than a fill granule has */

enum { STREAM_A = 1, STREAM_B };

/**
 * struct world - a context and its objects
 * @dev: the context, with STREAM_A and STREAM_B
 * @page: page size in bytes
 * @is_concurrent: the board permits concurrent access by CPU and engines
 * @is_io_coherent: managed memory has one view
 * @nr_works: number of works that have been added
 * @global: a buffer attached globally
 * @host: a buffer attached to the host
 */
struct world {
	int dev;
	size_t page;
	bool is_concurrent;
	bool is_io_coherent;
	uint64_t nr_works;
	struct managed global;
	struct managed host;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct heapsim_probe probe;

	assert_non_null(w);
	w->dev = device_open();
	w->page = device_page_size();
	probe = device_probe(w->dev);
	w->is_io_coherent = probe.io_coherent;
	w->is_concurrent = !strcmp(probe.soc, "thor");
	rights_stream_add(w->dev, STREAM_A);
	rights_stream_add(w->dev, STREAM_B);
	w->global = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
				   HEAPSIM_ATTACH_GLOBAL, NR_PAGES * w->page);
	w->host = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
				 HEAPSIM_ATTACH_HOST, NR_PAGES * w->page);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	managed_destroy(&w->global);
	managed_destroy(&w->host);
	if (w->dev >= 0)
		close(w->dev);
	free(w);
	return 0;
}

static uint64_t submit(struct world *w, uint64_t stream)
{
	const uint64_t work = ++w->nr_works;

	assert_int_equal(rights_work_submit_errno(w->dev, stream, work, "gpu"),
			 0);
	return work;
}

/* A work behind a host function, for which its stream is not active. */
static uint64_t submit_behind(struct world *w, uint64_t stream)
{
	const uint64_t work = ++w->nr_works;

	assert_int_equal(rights_work_add_errno(w->dev, stream, work, "gpu"), 0);
	return work;
}

static void begin(struct world *w, uint64_t work)
{
	assert_int_equal(rights_work_start_errno(w->dev, work, NULL, 0), 0);
}

static void end(struct world *w, uint64_t work)
{
	assert_int_equal(rights_work_finish_errno(w->dev, work), 0);
}

/* Runs a whole work, and does not wait for it. */
static void work(struct world *w, uint64_t stream)
{
	uint64_t id = submit(w, stream);

	begin(w, id);
	end(w, id);
}

static void attach(struct world *w, uint64_t stream, const struct managed *m,
		   uint32_t to)
{
	assert_int_equal(rights_settle_errno(w->dev, stream, m->id, to), 0);
}

static void state_is(struct world *w, uint64_t stream, uint32_t flags)
{
	assert_int_equal(rights_state_errno(w->dev, stream, flags), 0);
}

/* The host has waited for all works of a stream. */
static void sync_stream(struct world *w, uint64_t stream)
{
	state_is(w, stream, 0);
}

static uint64_t nr_refused(struct world *w, const struct managed *m)
{
	return rights_info(w->dev, m->id).cpu_while_active;
}

static void cpu_may(struct world *w, const struct managed *m)
{
	const uint64_t before = nr_refused(w, m);

	assert_true(rights_info(w->dev, m->id).is_cpu_allowed);
	assert_true(cpu_reads(m->map, NULL));
	assert_true(cpu_writes(m->map + w->page, 1));
	assert_int_equal(nr_refused(w, m), before);
}

static void cpu_may_not(struct world *w, const struct managed *m)
{
	const uint64_t before = nr_refused(w, m);

	if (w->is_concurrent) {
		cpu_may(w, m);
		return;
	}
	assert_false(rights_info(w->dev, m->id).is_cpu_allowed);
	assert_false(cpu_reads(m->map, NULL));
	assert_int_equal(nr_refused(w, m), before + 1);
	assert_false(cpu_writes(m->map + w->page, 1));
	assert_int_equal(nr_refused(w, m), before + 2);
}

/* Bytes */

static void engine_sees_what_the_cpu_wrote_when_it_begins(void **state)
{
	struct world *w = *state;
	uint64_t id;

	w->global.map[100] = 1;
	w->global.map[5 * w->page] = 2;
	id = submit(w, STREAM_A);
	if (!w->is_io_coherent)
		assert_int_equal(w->global.view[100], 0);
	begin(w, id);
	assert_int_equal(w->global.view[100], 1);
	assert_int_equal(w->global.view[5 * w->page], 2);
	end(w, id);
}

static void cpu_sees_what_the_engine_wrote_when_it_has_waited(void **state)
{
	struct world *w = *state;
	struct heapsim_counters count;
	uint64_t id;
	size_t i;

	assert_int_equal(w->global.map[0], 0);
	w->global.map[70] = 1;
	id = submit(w, STREAM_A);
	begin(w, id);
	for (i = 0; i < w->global.len; i++)
		w->global.view[i] = i % 251;
	end(w, id);
	sync_stream(w, STREAM_A);
	for (i = 0; i < w->global.len; i++)
		if (w->global.map[i] != i % 251)
			fail_msg("byte %zu", i);
	count = device_count(w->dev, w->global.fd);
	assert_int_equal(count.stale_reads + count.possible_stale_reads +
			 count.lost_device_writes + count.lost_cpu_writes +
			 count.write_conflicts + count.missing_cleans, 0);
}

/* With policy record, forbidden accesses of the CPU continue. */
static void lines_that_the_engine_wrote_are_stale(void **state)
{
	struct world *w = *state;
	const size_t line = device_probe(w->dev).line_size;
	struct managed m;
	uint64_t id;

	if (w->is_io_coherent)
		device_skip("one view");
	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_CONTEXT,
					     -1, HEAPSIM_POLICY_RECORD), 0);
	m = managed_create(w->dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			   4 * w->page);
	assert_int_equal(m.map[0], 0);
	id = submit(w, STREAM_A);
	begin(w, id);
	m.view[3 * line] = 7;
	m.view[5 * line] = 0;
	end(w, id);
	assert_int_equal(m.map[3 * line], 0);
	assert_int_equal(device_count(w->dev, m.fd).stale_reads, 1);
	device_revoke(w->dev, m.fd);
	assert_int_equal(m.map[2 * line], 0);
	device_revoke(w->dev, m.fd);
	/* the stored value was equal, which cannot be detected */
	assert_int_equal(m.map[5 * line], 0);
	assert_int_equal(device_count(w->dev, m.fd).stale_reads, 1);
	assert_int_equal(device_count(w->dev, m.fd).possible_stale_reads, 0);
	assert_int_equal(nr_refused(w, &m), 3);
	sync_stream(w, STREAM_A);
	assert_int_equal(m.map[3 * line], 7);
	assert_int_equal(nr_refused(w, &m), 3);
	managed_destroy(&m);
}

/* The next work starts with the pages that the last one left. */
static void each_work_has_its_own_stores(void **state)
{
	struct world *w = *state;
	unsigned int i;
	uint64_t id;

	for (i = 1; i < 5; i++) {
		id = submit(w, STREAM_A);
		begin(w, id);
		assert_int_equal(w->global.view[8], i - 1);
		w->global.view[8] = i;
		w->global.view[3 * w->page + i] = i;
		end(w, id);
		sync_stream(w, STREAM_A);
		assert_int_equal(w->global.map[8], i);
		assert_int_equal(w->global.map[3 * w->page + i], i);
	}
}

/* A host function may store until it returns; the next work must see this. */
static void a_work_sees_what_a_host_function_before_it_wrote(void **state)
{
	struct world *w = *state;
	uint64_t id = submit_behind(w, STREAM_A);

	work(w, STREAM_B);
	state_is(w, STREAM_B, HEAPSIM_STREAM_GLOBAL_AGAIN);
	w->global.map[9] = 9;
	state_is(w, STREAM_A, HEAPSIM_STREAM_ACTIVE);
	begin(w, id);
	assert_int_equal(w->global.view[9], 9);
	end(w, id);
}

/* The same if an earlier work of the stream began before the submission. */
static void a_work_sees_it_behind_one_that_has_begun(void **state)
{
	struct world *w = *state;
	uint64_t first = submit(w, STREAM_A), id;

	begin(w, first);
	id = submit_behind(w, STREAM_A);
	end(w, first);
	state_is(w, STREAM_A, HEAPSIM_STREAM_SEEN_AGAIN |
			      HEAPSIM_STREAM_GLOBAL_AGAIN);
	w->global.map[9] = 9;
	state_is(w, STREAM_A, HEAPSIM_STREAM_ACTIVE);
	begin(w, id);
	assert_int_equal(w->global.view[9], 9);
	end(w, id);
}

/*
 * A wait gives the buffer to the CPU while a work that uses it has not begun.
 * The CPU's stores before and after the wait must not be lost, and what the
 * work stores is not stale afterwards.
 */
static void what_the_cpu_stored_before_a_work_began_stays(void **state)
{
	struct world *w = *state;
	uint64_t id;

	id = submit_behind(w, STREAM_A);
	w->global.map[9] = 9;
	work(w, STREAM_B);
	state_is(w, STREAM_B, HEAPSIM_STREAM_GLOBAL_AGAIN);
	assert_int_equal(w->global.map[9], 9);
	w->global.map[10] = 10;
	state_is(w, STREAM_A, HEAPSIM_STREAM_ACTIVE);
	begin(w, id);
	assert_int_equal(w->global.view[9], 9);
	assert_int_equal(w->global.view[10], 10);
	w->global.view[9] = 19;
	end(w, id);
	sync_stream(w, STREAM_A);
	assert_int_equal(w->global.map[9], 19);
	assert_int_equal(w->global.map[10], 10);
}

static void hints_keep_what_the_cpu_wrote(void **state)
{
	struct world *w = *state;

	w->host.map[3] = 3;
	work(w, STREAM_A);
	sync_stream(w, STREAM_A);
	assert_int_equal(w->host.map[3], 3);
	attach(w, STREAM_A, &w->host, HEAPSIM_ATTACH_SINGLE);
	assert_int_equal(w->host.view[3], 3);
}

static void pinned_memory_is_everybodys(void **state)
{
	struct world *w = *state;
	struct managed m = managed_create(w->dev, HEAPSIM_KIND_PINNED, 0,
					  3 * w->page);

	m.map[w->page] = 1;
	assert_int_equal(m.view[w->page], 1);
	m.view[0] = 2;
	assert_int_equal(m.map[0], 2);
	assert_int_equal(rights_settle_errno(w->dev, 0, m.id,
					     HEAPSIM_ATTACH_HOST), -EINVAL);
	managed_destroy(&m);
}

/* Lets the kernel store to memory, and returns the result. */
static int read_into(void *at)
{
	int fds[2], ret;

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "x", 1), 1);
	ret = read(fds[0], at, 1) < 0 ? -errno : 0;
	close(fds[0]);
	close(fds[1]);
	return ret;
}

static int peek_from(int mem, volatile uint8_t *at)
{
	uint8_t byte;

	return pread(mem, &byte, 1, (off_t)(uintptr_t)at) < 0 ? -errno : 0;
}

static void device_memory_is_not_the_cpus(void **state)
{
	struct world *w = *state;
	struct managed m = managed_create(w->dev, HEAPSIM_KIND_DEVICE, 0,
					  3 * w->page);
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	assert_false(cpu_reads(m.map, NULL));
	assert_false(cpu_writes(m.map, 1));
	assert_int_equal(read_into((void *)m.map), -EFAULT);
	assert_int_equal(peek_from(mem, m.map), -EIO);
	/* the kernel retries byte by byte */
	assert_true(rights_info(w->dev, m.id).cpu_on_device >= 4);
	assert_true(rights_info(w->dev, 0).cpu_on_device >= 4);
	assert_false(rights_info(w->dev, m.id).is_cpu_allowed);
	m.view[5] = 5;
	assert_int_equal(m.view[5], 5);
	close(mem);
	managed_destroy(&m);
}

static void device_memory_is_recorded_and_goes_on(void **state)
{
	struct world *w = *state;
	struct managed m;

	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_CONTEXT,
					     -1, HEAPSIM_POLICY_RECORD), 0);
	m = managed_create(w->dev, HEAPSIM_KIND_DEVICE, 0, 3 * w->page);
	m.view[1] = 4;
	assert_int_equal(m.map[1], 4);
	assert_int_equal(m.map[w->page], 0);
	assert_int_equal(rights_info(w->dev, m.id).cpu_on_device, 2);
	device_revoke(w->dev, m.fd);
	m.map[1] = 6;
	assert_int_equal(m.view[1], 6);
	assert_int_equal(rights_info(w->dev, m.id).cpu_on_device, 3);
	managed_destroy(&m);
}

static void with_policy_off_nothing_is_looked_at(void **state)
{
	struct world *w = *state;
	struct managed m, device;

	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_CONTEXT,
					     -1, HEAPSIM_POLICY_OFF), 0);
	m = managed_create(w->dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			   3 * w->page);
	device = managed_create(w->dev, HEAPSIM_KIND_DEVICE, 0, 3 * w->page);
	work(w, STREAM_A);
	m.map[1] = 1;
	assert_int_equal(m.view[1], 1);
	m.view[2] = 2;
	assert_int_equal(m.map[2], 2);
	device.map[3] = 3;
	assert_int_equal(device.view[3], 3);
	assert_int_equal(nr_refused(w, &m), 0);
	/* the switch of a mapped buffer must revoke its PTEs */
	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_BUF,
					     m.fd, HEAPSIM_POLICY_STRICT), 0);
	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_BUF,
					     device.fd, HEAPSIM_POLICY_STRICT),
			 0);
	cpu_may_not(w, &m);
	assert_false(cpu_reads(device.map, NULL));
	sync_stream(w, STREAM_A);
	assert_int_equal(m.map[1], 1);
	managed_destroy(&m);
	managed_destroy(&device);
}

static void debuggers_see_device_views(void **state)
{
	static const uint32_t kinds[] = {
		HEAPSIM_KIND_MANAGED, HEAPSIM_KIND_PINNED, HEAPSIM_KIND_DEVICE,
	};
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	struct world *w = *state;
	uint8_t bytes[2];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct managed m = managed_create(w->dev, kinds[i], i ? 0 :
						  HEAPSIM_ATTACH_GLOBAL,
						  2 * w->page);

		m.view[w->page - 1] = 1;
		m.view[w->page] = 2;
		assert_int_equal(pread(mem, bytes, 2, (off_t)(uintptr_t)m.view +
						      w->page - 1), 2);
		assert_int_equal(bytes[0], 1);
		assert_int_equal(bytes[1], 2);
		assert_int_equal(rights_info(w->dev, m.id).cpu_on_device,
				 0);
		managed_destroy(&m);
	}
	close(mem);
}

static void a_bracket_may_be_open_at_the_end_of_a_buffer(void **state)
{
	struct world *w = *state;
	int watch = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	struct heapsim_record r;
	struct managed m;

	if (w->is_io_coherent)
		device_skip("one view");
	assert_int_equal(device_watch_errno(watch, HEAPSIM_WATCH_PROCESS,
					    HEAPSIM_KINDS_ERRORS, 4), 0);
	m = managed_create(w->dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			   w->page);
	device_sync(m.fd, SYNC_START_WRITE);
	managed_destroy(&m);
	/* the buffer is released before close() of the last fd returns */
	assert_int_equal(read(watch, &r, sizeof(r)), sizeof(r));
	assert_int_equal(r.kind, HEAPSIM_RECORD_MISSING_END);
	assert_int_equal(r.buf, m.id);
	close(watch);
}

static void a_buffer_of_another_context_is_enoent(void **state)
{
	struct world *w = *state;
	int other = device_open();

	assert_int_equal(rights_settle_errno(other, 0, w->global.id,
					     HEAPSIM_ATTACH_HOST), -ENOENT);
	close(other);
}

/* The end */

/* A freed buffer must leave no pages to the remaining ones. */
static void views_of_a_closed_context_are_stored_to(void **state)
{
	struct world *w = *state;
	struct managed gone = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
					     HEAPSIM_ATTACH_GLOBAL, w->page);
	struct managed fresh[8];
	unsigned int i;

	close(w->dev);
	w->dev = device_open();
	w->global.view[0] = 1;
	gone.view[0] = 2;
	managed_destroy(&gone);
	/* New buffers may reuse the freed memory. */
	for (i = 0; i < ARRAY_SIZE(fresh); i++)
		fresh[i] = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
					  HEAPSIM_ATTACH_GLOBAL, w->page);
	w->host.view[0] = 3;
	assert_int_equal(w->global.view[0], 1);
	assert_int_equal(w->host.view[0], 3);
	for (i = 0; i < ARRAY_SIZE(fresh); i++)
		managed_destroy(&fresh[i]);
}

/* Runs stream operations until the process is killed. */
static int works_on(void *arg)
{
	struct world *w = arg;
	uint64_t i;

	for (i = 1;; i++) {
		struct managed m = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
						  HEAPSIM_ATTACH_GLOBAL,
						  2 * w->page);

		rights_stream_add(w->dev, i);
		rights_work_submit_errno(w->dev, i, i, "gpu");
		rights_settle_errno(w->dev, i, m.id, HEAPSIM_ATTACH_SINGLE);
		rights_work_start_errno(w->dev, i, NULL, 0);
		m.view[i % w->page] = i;
		cpu_writes(m.map, 1);
		if (i & 2)
			rights_work_finish_errno(w->dev, i);
		if (i & 4)
			rights_state_errno(w->dev, i, 0);
		managed_destroy(&m);
		rights_stream_errno(w->dev, HEAPSIM_IOC_STREAM_REMOVE, i);
	}
	return 0;
}

static void a_killed_program_leaves_nothing(void **state)
{
	struct world *w = *state;
	struct heapsim_info before = device_info(w->dev), after;
	unsigned int i, tries;
	int status;
	pid_t pid;

	for (i = 0; i < 12; i++) {
		pid = fork();
		if (!pid) {
			struct world mine = *w;

			mine.dev = device_open();
			_exit(works_on(&mine));
		}
		device_sleep_ns((5 + 13 * i) * NSEC_PER_MSEC);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
	}
	for (tries = 0; tries < 500; tries++) {
		after = device_info(w->dev);
		if (after.nr_bufs == before.nr_bufs &&
		    after.cpu_bytes == before.cpu_bytes)
			break;
		device_sleep_ns(10 * NSEC_PER_MSEC);
	}
	assert_int_equal(after.nr_bufs, before.nr_bufs);
	assert_int_equal(after.cpu_bytes, before.cpu_bytes);
	assert_int_equal(after.buf_bytes, before.buf_bytes);
}

#define NR_STORED	8	/* buffers */

/**
 * struct storer - a thread that stores to device views
 * @bufs: buffers
 * @until: time at which the thread gives up
 * @is_stopped: the thread must end
 * @nr_rounds: number of rounds of stores to all buffers
 */
struct storer {
	struct managed bufs[NR_STORED];
	uint64_t until;
	bool is_stopped;
	unsigned long nr_rounds;
};

static void *store_until_stopped(void *arg)
{
	struct storer *storer = arg;
	unsigned int i;

	while (!__atomic_load_n(&storer->is_stopped, __ATOMIC_ACQUIRE) &&
	       device_now_ns() < storer->until) {
		for (i = 0; i < NR_STORED; i++)
			storer->bufs[i].view[0]++;
		__atomic_fetch_add(&storer->nr_rounds, 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Stores after the end of a work count for the next one. */
static void a_work_ends_while_a_thread_stores(void **state)
{
	struct storer storer = { .until = device_now_ns() + 60 * NSEC_PER_SEC };
	struct world *w = *state;
	pthread_t thread;
	unsigned int i;

	for (i = 0; i < NR_STORED; i++)
		storer.bufs[i] = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
						HEAPSIM_ATTACH_GLOBAL, w->page);
	assert_int_equal(pthread_create(&thread, NULL, store_until_stopped,
					&storer), 0);
	while (__atomic_load_n(&storer.nr_rounds, __ATOMIC_ACQUIRE) < 10)
		usleep(1000);
	for (i = 0; i < 20; i++)
		work(w, STREAM_A);
	assert_true(device_now_ns() < storer.until);
	__atomic_store_n(&storer.is_stopped, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
	for (i = 0; i < NR_STORED; i++)
		managed_destroy(&storer.bufs[i]);
}

static void objects_of_a_user_are_limited(void **state)
{
	struct world *w = *state;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < 300000 && !ret; i++)
		ret = rights_stream_errno(w->dev, HEAPSIM_IOC_STREAM_ADD,
					  10 + i);
	assert_int_equal(ret, -EBUSY);
	assert_true(i > 200000);
	/* existing streams still work, and one that is removed makes room */
	state_is(w, 10, HEAPSIM_STREAM_ACTIVE);
	sync_stream(w, 10);
	assert_int_equal(rights_stream_errno(w->dev, HEAPSIM_IOC_STREAM_REMOVE,
					     10), 0);
	rights_stream_add(w->dev, 10);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(engine_sees_what_the_cpu_wrote_when_it_begins),
		TEST(cpu_sees_what_the_engine_wrote_when_it_has_waited),
		TEST(lines_that_the_engine_wrote_are_stale),
		TEST(each_work_has_its_own_stores),
		TEST(a_work_sees_what_a_host_function_before_it_wrote),
		TEST(a_work_sees_it_behind_one_that_has_begun),
		TEST(what_the_cpu_stored_before_a_work_began_stays),
		TEST(hints_keep_what_the_cpu_wrote),
		TEST(pinned_memory_is_everybodys),
		TEST(device_memory_is_not_the_cpus),
		TEST(device_memory_is_recorded_and_goes_on),
		TEST(with_policy_off_nothing_is_looked_at),
		TEST(debuggers_see_device_views),
		TEST(a_bracket_may_be_open_at_the_end_of_a_buffer),
		TEST(a_buffer_of_another_context_is_enoent),
		TEST(views_of_a_closed_context_are_stored_to),
		TEST(a_killed_program_leaves_nothing),
		TEST(a_work_ends_while_a_thread_stores),
		TEST(objects_of_a_user_are_limited),
	};

	return cmocka_run_group_tests_name("stream", tests, NULL, NULL);
}
