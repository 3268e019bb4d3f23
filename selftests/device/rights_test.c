// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the commands of a caller that knows the order of its streams, on the
 * real module: each with each of its errors, the table of DESIGN 2.4 with real
 * page tables, and bytes through both views. rights_race_test has threads,
 * random programs and killed callers.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rights.h"

#define NR_PAGES	20	/* more than a fill granule has */
#define NO_ID		987654
#define A		7ULL
#define B		(1ULL << 40 | 7)

/**
 * struct world - a context and its objects, with the idle streams A and B
 * @dev: the context
 * @page: page size in bytes
 * @is_concurrent: the board permits concurrent access by CPU and engines
 * @is_io_coherent: managed memory has one view
 * @global: a buffer attached globally
 * @host: a buffer attached to the host
 * @single: a buffer that is single to A
 * @last_work: last id of a work
 */
struct world {
	int dev;
	size_t page;
	bool is_concurrent;
	bool is_io_coherent;
	struct managed global;
	struct managed host;
	struct managed single;
	uint64_t last_work;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	struct heapsim_probe probe;
	size_t len;

	assert_non_null(w);
	w->dev = rights_open();
	w->page = device_page_size();
	len = NR_PAGES * w->page;
	probe = device_probe(w->dev);
	w->is_io_coherent = probe.io_coherent;
	w->is_concurrent = !strcmp(probe.soc, "thor");
	rights_stream_add(w->dev, A);
	rights_stream_add(w->dev, B);
	w->global = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
				   HEAPSIM_ATTACH_GLOBAL, len);
	w->host = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
				 HEAPSIM_ATTACH_HOST, len);
	w->single = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
				   HEAPSIM_ATTACH_GLOBAL, len);
	rights_attach(w->dev, A, &w->single, HEAPSIM_ATTACH_SINGLE);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	managed_destroy(&w->global);
	managed_destroy(&w->host);
	managed_destroy(&w->single);
	if (w->dev >= 0)
		close(w->dev);
	free(w);
	return 0;
}

/* What a launch and the begin of its kernel do. */
static uint64_t launch(struct world *w, uint64_t stream)
{
	uint64_t work = ++w->last_work;

	assert_int_equal(rights_work_add_errno(w->dev, stream, work, "gpu"),
			 0);
	rights_activate(w->dev, stream);
	assert_int_equal(rights_work_start_errno(w->dev, work, NULL, 0), 0);
	return work;
}

static void finish(struct world *w, uint64_t work)
{
	assert_int_equal(rights_work_finish_errno(w->dev, work), 0);
}

static void cpu_is(struct world *w, const struct managed *m, bool may)
{
	const uint64_t nr = rights_info(w->dev, m->id).cpu_while_active;

	may |= w->is_concurrent;
	assert_int_equal(rights_info(w->dev, m->id).is_cpu_allowed, may);
	assert_int_equal(cpu_reads(m->map + w->page, NULL), may);
	assert_int_equal(cpu_writes(m->map + 5, 1), may);
	assert_int_equal(rights_info(w->dev, m->id).cpu_while_active,
			 may ? nr : nr + 2);
}

/* The table */

static void the_table_decides_in_every_state(void **state)
{
	struct world *w = *state;
	unsigned int i;
	bool a, b;

	/* twice, with PTEs and without */
	for (i = 0; i < 8; i++) {
		a = i & 1;
		b = i & 2;
		if (a)
			rights_activate(w->dev, A);
		if (b)
			rights_activate(w->dev, B);
		cpu_is(w, &w->host, true);
		cpu_is(w, &w->global, !a && !b);
		cpu_is(w, &w->single, !a);
		assert_int_equal(rights_info(w->dev, 0).is_cpu_allowed,
				 (!a && !b) || w->is_concurrent);
		if (a)
			rights_idle(w->dev, A);
		if (b && !a)
			cpu_is(w, &w->single, true);
		if (b)
			rights_idle(w->dev, B);
		cpu_is(w, &w->global, true);
		cpu_is(w, &w->single, true);
	}
}

static void a_right_stated_again_changes_nothing(void **state)
{
	struct world *w = *state;

	rights_activate(w->dev, A);
	rights_activate(w->dev, A);
	rights_idle(w->dev, A);
	cpu_is(w, &w->global, true);
	rights_idle(w->dev, A);
	cpu_is(w, &w->single, true);
	rights_activate(w->dev, 0);
	cpu_is(w, &w->global, false);
	cpu_is(w, &w->single, true);
}

static void a_buffer_made_while_active_is_not_the_cpus(void **state)
{
	struct world *w = *state;
	struct managed m;

	rights_activate(w->dev, B);
	m = managed_create(w->dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			   w->page * 2);
	cpu_is(w, &m, false);
	rights_idle(w->dev, B);
	cpu_is(w, &m, true);
	managed_destroy(&m);
}

static void a_stated_right_goes_before_the_table(void **state)
{
	struct world *w = *state;

	rights_set(w->dev, &w->global, HEAPSIM_RIGHT_ALONE, 0);
	rights_activate(w->dev, A);
	cpu_is(w, &w->global, true);
	rights_set(w->dev, &w->global, HEAPSIM_RIGHT_REFUSED, 0);
	cpu_is(w, &w->global, false);
	rights_idle(w->dev, A);
	cpu_is(w, &w->global, false);
	rights_set(w->dev, &w->global, HEAPSIM_RIGHT_ALLOWED, 0);
	cpu_is(w, &w->global, true);
	rights_activate(w->dev, A);
	cpu_is(w, &w->global, true);
	rights_set(w->dev, &w->global, HEAPSIM_RIGHT_TABLE, 0);
	cpu_is(w, &w->global, false);
	rights_set(w->dev, &w->global, HEAPSIM_RIGHT_ALONE, 0);
	rights_idle(w->dev, A);
	cpu_is(w, &w->global, false);
	rights_set(w->dev, &w->global, HEAPSIM_RIGHT_TABLE, 0);
	cpu_is(w, &w->global, true);
}

static void the_newest_state_moves_with_the_table(void **state)
{
	struct heapsim_buf_attach cmd = {
		.flags = HEAPSIM_ATTACH_NEWEST,
		.stream = B,
		.attach = HEAPSIM_ATTACH_SINGLE,
	};
	struct world *w = *state;
	struct heapsim_rights_info info;

	cmd.buf = w->global.id;
	assert_int_equal(rights_attach_errno(w->dev, &cmd), 0);
	info = rights_info(w->dev, w->global.id);
	assert_int_equal(info.attach, HEAPSIM_ATTACH_SINGLE);
	assert_int_equal(info.attach_stream, B);
	/* still in the group of the global ones */
	rights_activate(w->dev, A);
	cpu_is(w, &w->global, false);
	rights_set(w->dev, &w->global, HEAPSIM_RIGHT_TABLE, 0);
	cpu_is(w, &w->global, true);
	rights_activate(w->dev, B);
	cpu_is(w, &w->global, false);
	rights_attach(w->dev, B, &w->global, HEAPSIM_ATTACH_HOST);
	cpu_is(w, &w->global, true);
	rights_attach(w->dev, B, &w->global, HEAPSIM_ATTACH_GLOBAL);
	cpu_is(w, &w->global, false);
}

/* Bytes */

static void a_work_sees_what_the_cpu_wrote(void **state)
{
	struct world *w = *state;
	uint64_t work;

	w->global.map[0] = 1;
	w->single.map[0] = 2;
	w->host.map[0] = 3;
	work = launch(w, A);
	assert_int_equal(w->global.view[0], 1);
	assert_int_equal(w->single.view[0], 2);
	assert_int_equal(w->host.view[0], w->is_io_coherent ? 3 : 0);
	finish(w, work);
	rights_idle(w->dev, A);
	w->global.map[0] = 4;
	w->single.map[0] = 5;
	work = launch(w, B);
	assert_int_equal(w->global.view[0], 4);
	assert_int_equal(w->single.view[0], w->is_io_coherent ? 5 : 2);
	finish(w, work);
}

static void a_verdict_goes_before_the_table(void **state)
{
	struct heapsim_work_verdict verdicts[3] = {
		{ .sees = 0 },
		{ .sees = 1 },
		{ .buf = NO_ID, .sees = 1 },
	};
	struct world *w = *state;

	verdicts[0].buf = w->global.id;
	verdicts[1].buf = w->host.id;
	w->global.map[0] = 1;
	w->single.map[0] = 2;
	w->host.map[0] = 3;
	assert_int_equal(rights_work_add_errno(w->dev, A, 1, "gpu"), 0);
	assert_int_equal(rights_work_start_errno(w->dev, 1, verdicts, 3), 0);
	assert_int_equal(w->global.view[0], w->is_io_coherent ? 1 : 0);
	assert_int_equal(w->single.view[0], 2);
	assert_int_equal(w->host.view[0], 3);
	finish(w, 1);
	/* It is for one work alone. */
	assert_int_equal(rights_work_add_errno(w->dev, A, 1, "gpu"), 0);
	assert_int_equal(rights_work_start_errno(w->dev, 1, NULL, 0), 0);
	assert_int_equal(w->global.view[0], 1);
	finish(w, 1);
}

static void the_cpu_sees_what_a_work_wrote(void **state)
{
	struct world *w = *state;
	uint64_t work;

	assert_int_equal(w->global.map[0], 0);
	assert_int_equal(w->single.map[0], 0);
	work = launch(w, A);
	w->global.view[0] = 1;
	w->single.view[0] = 2;
	finish(w, work);
	rights_idle(w->dev, A);
	assert_int_equal(w->global.map[0], 1);
	assert_int_equal(w->single.map[0], 2);
	/* without lines of the CPU */
	work = launch(w, A);
	w->global.view[w->page * 9] = 3;
	finish(w, work);
	rights_idle(w->dev, A);
	assert_int_equal(w->global.map[w->page * 9], 3);
	assert_int_equal(device_count(w->dev, w->global.fd).stale_reads, 0);
	assert_int_equal(device_count(w->dev, w->global.fd).
			 possible_stale_reads, 0);
}

/* A job behind a host function writes after the CPU got the right. */
static void what_is_seen_again_is_due_again(void **state)
{
	const uint32_t again = HEAPSIM_STREAM_SEEN_AGAIN |
			       HEAPSIM_STREAM_GLOBAL_AGAIN;
	struct world *w = *state;
	uint64_t work;

	work = launch(w, A);
	assert_int_equal(rights_state_errno(w->dev, A, again), 0);
	assert_int_equal(w->global.map[0], 0);
	assert_int_equal(w->single.map[0], 0);
	rights_activate(w->dev, A);
	w->global.view[0] = 1;
	w->single.view[0] = 2;
	finish(w, work);
	rights_idle(w->dev, A);
	assert_int_equal(w->global.map[0], 1);
	assert_int_equal(w->single.map[0], 2);
}

static void what_nobody_has_seen_is_not_invalidated(void **state)
{
	struct world *w = *state;

	w->global.map[0] = 1;
	rights_activate(w->dev, A);
	rights_idle(w->dev, A);
	assert_int_equal(w->global.map[0], 1);
	if (!w->is_io_coherent)
		assert_int_equal(w->global.view[0], 0);
}

static void stores_that_no_job_has_seen_are_not_lost(void **state)
{
	struct world *w = *state;

	w->global.map[0] = 1;
	rights_set(w->dev, &w->global, HEAPSIM_RIGHT_SAME,
		   HEAPSIM_ATTACH_INVALIDATE);
	assert_int_equal(w->global.view[0], 1);
	assert_int_equal(w->global.map[0], 1);
}

static void an_attach_cleans_and_invalidates(void **state)
{
	struct world *w = *state;

	w->host.map[0] = 1;
	rights_set(w->dev, &w->host, HEAPSIM_RIGHT_SAME, HEAPSIM_ATTACH_CLEAN);
	assert_int_equal(w->host.view[0], 1);
	w->host.view[0] = 2;
	if (!w->is_io_coherent)
		assert_int_equal(w->host.map[0], 1);
	rights_set(w->dev, &w->host, HEAPSIM_RIGHT_SAME,
		   HEAPSIM_ATTACH_INVALIDATE);
	assert_int_equal(w->host.map[0], 2);
}

static void what_is_due_at_an_attach_is_invalidated_later(void **state)
{
	struct world *w = *state;
	uint64_t work;

	assert_int_equal(w->global.map[0], 0);
	work = launch(w, A);
	rights_set(w->dev, &w->global, HEAPSIM_RIGHT_ALONE, 0);
	w->global.view[0] = 1;
	finish(w, work);
	rights_set(w->dev, &w->global, HEAPSIM_RIGHT_TABLE, HEAPSIM_ATTACH_DUE);
	cpu_is(w, &w->global, false);
	rights_idle(w->dev, A);
	assert_int_equal(w->global.map[0], 1);
}

static void redundant_invalidates_count_though_they_are_spared(void **state)
{
	struct world *w = *state;
	uint64_t nr;

	if (w->is_io_coherent)
		device_skip("one view");
	nr = device_count(w->dev, w->host.fd).redundant_invalidates;
	finish(w, launch(w, A));
	rights_idle(w->dev, A);
	assert_int_equal(device_count(w->dev, w->global.fd).
			 redundant_invalidates, 1);
	assert_int_equal(device_count(w->dev, w->host.fd).
			 redundant_invalidates, nr);
	/* Nobody has seen it since. */
	rights_activate(w->dev, A);
	rights_idle(w->dev, A);
	assert_int_equal(device_count(w->dev, w->global.fd).
			 redundant_invalidates, 1);
}

/* Refused touches */

static void system_calls_are_refused_with_efault(void **state)
{
	struct world *w = *state;
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	char byte;

	if (w->is_concurrent)
		device_skip("access is concurrent");
	assert_int_equal(read(zero, (void *)w->global.map, 1), 1);
	rights_activate(w->dev, A);
	assert_int_equal(read(zero, (void *)w->global.map, 1), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(pread(mem, &byte, 1, (off_t)(uintptr_t)w->global.map),
			 -1);
	assert_true(rights_info(w->dev, w->global.id).cpu_while_active >= 2);
	close(zero);
	close(mem);
}

static void a_refused_touch_is_recorded_and_goes_on(void **state)
{
	struct world *w = *state;
	struct managed m;
	unsigned int i;

	if (w->is_concurrent)
		device_skip("access is concurrent");
	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_CONTEXT,
					     -1, HEAPSIM_POLICY_RECORD), 0);
	m = managed_create(w->dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			   NR_PAGES * w->page);
	for (i = 1; i < 4; i++) {
		rights_activate(w->dev, A);
		assert_true(cpu_writes(m.map, i));
		assert_int_equal(rights_info(w->dev, m.id).cpu_while_active, i);
		/* What went on wrongly is revoked the next time, too. */
		rights_idle(w->dev, A);
		assert_true(cpu_writes(m.map, i));
		assert_int_equal(rights_info(w->dev, m.id).cpu_while_active, i);
	}
	managed_destroy(&m);
}

/* As when a page is revoked before its instruction completes */
static void a_refused_touch_that_faults_again_is_one(void **state)
{
	struct world *w = *state;
	struct managed m;

	if (w->is_concurrent)
		device_skip("access is concurrent");
	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_CONTEXT,
					     -1, HEAPSIM_POLICY_RECORD), 0);
	m = managed_create(w->dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			   w->page);
	rights_activate(w->dev, A);
	assert_true(cpu_writes(m.map, 1));
	device_revoke(w->dev, m.fd);
	assert_true(cpu_writes(m.map, 1));
	assert_int_equal(rights_info(w->dev, m.id).cpu_while_active, 1);
	/* It had the right in between, so this is another mistake. */
	rights_set(w->dev, &m, HEAPSIM_RIGHT_ALLOWED, 0);
	assert_true(cpu_writes(m.map, 1));
	rights_set(w->dev, &m, HEAPSIM_RIGHT_REFUSED, 0);
	assert_true(cpu_writes(m.map, 1));
	assert_int_equal(rights_info(w->dev, m.id).cpu_while_active, 2);
	rights_set(w->dev, &m, HEAPSIM_RIGHT_TABLE, 0);
	rights_idle(w->dev, A);
	rights_activate(w->dev, A);
	assert_true(cpu_writes(m.map, 1));
	assert_int_equal(rights_info(w->dev, m.id).cpu_while_active, 3);
	managed_destroy(&m);
}

/* The store that was refused has a PTE, so the next one does not fault. */
static void a_store_after_a_refused_one_is_not_lost(void **state)
{
	struct world *w = *state;
	struct managed m;

	if (w->is_concurrent)
		device_skip("access is concurrent");
	assert_int_equal(device_policy_errno(w->dev, HEAPSIM_POLICY_OF_CONTEXT,
					     -1, HEAPSIM_POLICY_RECORD), 0);
	rights_activate(w->dev, A);
	m = managed_create(w->dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			   w->page);
	assert_true(cpu_writes(m.map, 1));
	assert_int_equal(rights_info(w->dev, m.id).cpu_while_active, 1);
	rights_idle(w->dev, A);
	m.map[0] = 2;
	/* A work that has not begun may need it. */
	assert_int_equal(rights_work_add_errno(w->dev, A, 1, "gpu"), 0);
	rights_activate(w->dev, A);
	rights_idle(w->dev, A);
	assert_int_equal(m.map[0], 2);
	assert_int_equal(m.view[0], 2);
	assert_int_equal(rights_work_start_errno(w->dev, 1, NULL, 0), 0);
	assert_int_equal(rights_work_finish_errno(w->dev, 1), 0);
	managed_destroy(&m);
}

static void device_memory_is_never_the_cpus(void **state)
{
	struct world *w = *state;
	struct managed m = managed_create(w->dev, HEAPSIM_KIND_DEVICE, 0,
					  2 * w->page);

	assert_false(cpu_reads(m.map, NULL));
	assert_int_equal(rights_info(w->dev, m.id).cpu_on_device, 1);
	assert_int_equal(rights_info(w->dev, 0).cpu_on_device, 1);
	assert_int_equal(rights_info(w->dev, m.id).is_cpu_allowed, 0);
	assert_int_equal(rights_info(w->dev, m.id).attach, 0);
	managed_destroy(&m);
}

static int child_touches(void *arg)
{
	return device_signal_of_write(arg);
}

static void a_right_that_ends_ends_in_all_processes(void **state)
{
	struct world *w = *state;
	int fds[2], status;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	w->global.map[0] = 1;
	pid = fork();
	if (!pid) {
		/* It inherits PTEs, and gets more. */
		w->global.map[0] = 2;
		w->global.map[w->page * 3] = 2;
		if (write(fds[1], "x", 1) != 1)
			_exit(9);
		raise(SIGSTOP);
		_exit(device_signal_of_write((void *)(w->global.map +
						      w->page * 3)));
	}
	assert_int_equal(read(fds[0], &byte, 1), 1);
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	rights_activate(w->dev, A);
	kill(pid, SIGCONT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), w->is_concurrent ? 0 : SIGBUS);
	/* a child that is made afterwards */
	assert_int_equal(device_in_child(child_touches, (void *)w->global.map),
			 w->is_concurrent ? 0 : SIGBUS);
	close(fds[0]);
	close(fds[1]);
}

/* Records */

static int watch_streams(void)
{
	int watch = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);

	assert_int_equal(device_watch_errno(watch, HEAPSIM_WATCH_PROCESS,
					    HEAPSIM_KINDS_STREAMS, 8), 0);
	return watch;
}

static struct heapsim_record only_record(int watch)
{
	struct heapsim_record r, more;

	if (read(watch, &r, sizeof(r)) != sizeof(r))
		fail_msg("no record");
	if (read(watch, &more, sizeof(more)) == sizeof(more))
		fail_msg("another record, of kind %u", more.kind);
	return r;
}

static void records_name_stream_work_and_state(void **state)
{
	struct world *w = *state;
	struct heapsim_work_add add = {
		.size = sizeof(add),
		.stream = A,
		.work = B,
		.kernel = 0x5eed,
		.name = "gpu",
	};
	struct heapsim_record r;
	int watch;

	if (w->is_concurrent)
		device_skip("access is concurrent");
	watch = watch_streams();
	assert_int_equal(device_ioctl_errno(w->dev, HEAPSIM_IOC_WORK_ADD, &add),
			 0);
	rights_activate(w->dev, A);
	assert_false(cpu_writes(w->single.map + 77, 1));
	r = only_record(watch);
	assert_int_equal(r.kind, HEAPSIM_RECORD_CPU_WHILE_ACTIVE);
	assert_int_equal(r.missing, HEAPSIM_MISSING_SYNC);
	assert_int_equal(r.buf, w->single.id);
	assert_int_equal(r.off, 77);
	assert_int_equal(r.cpu.pid, getpid());
	assert_int_equal(r.cpu.is_write, 1);
	assert_int_equal(r.other.type, HEAPSIM_OTHER_ENGINE);
	assert_int_equal(r.other.job, B);
	assert_int_equal(r.other.stream, A);
	assert_int_equal(r.kernel, 0x5eed);
	assert_string_equal(r.other.name, "gpu");
	assert_int_equal(r.attach, HEAPSIM_ATTACH_SINGLE);
	assert_int_equal(r.attach_stream, A);

	/* of a global one: the oldest stream that is active */
	assert_int_equal(rights_work_add_errno(w->dev, B, 5, "pva"), 0);
	rights_activate(w->dev, B);
	assert_false(cpu_writes(w->global.map, 1));
	assert_int_equal(only_record(watch).other.job, B);
	rights_idle(w->dev, A);
	assert_false(cpu_writes(w->global.map, 1));
	assert_int_equal(only_record(watch).other.job, 5);

	assert_int_equal(rights_work_report_errno(w->dev, 5, w->host.id), 0);
	r = only_record(watch);
	assert_int_equal(r.kind, HEAPSIM_RECORD_ENGINE_NOT_ATTACHED);
	assert_int_equal(r.missing, HEAPSIM_MISSING_ATTACH);
	assert_int_equal(r.other.job, 5);
	assert_int_equal(r.attach, HEAPSIM_ATTACH_HOST);
	assert_int_equal(rights_info(w->dev, w->host.id).engine_not_attached,
			 1);
	assert_int_equal(rights_info(w->dev, 0).engine_not_attached, 1);
	close(watch);
}

static void records_name_the_stated_blocker(void **state)
{
	struct world *w = *state;
	struct heapsim_buf_attach cmd = {
		.flags = HEAPSIM_ATTACH_HAS_BLOCKER,
		.blocker = B,
		.right = HEAPSIM_RIGHT_REFUSED,
	};
	int watch;

	if (w->is_concurrent)
		device_skip("access is concurrent");
	watch = watch_streams();
	cmd.buf = w->global.id;
	assert_int_equal(rights_work_add_errno(w->dev, A, 1, "gpu"), 0);
	assert_int_equal(rights_work_add_errno(w->dev, B, 2, "gpu"), 0);
	rights_activate(w->dev, A);
	rights_activate(w->dev, B);
	assert_int_equal(rights_attach_errno(w->dev, &cmd), 0);
	assert_false(cpu_reads(w->global.map, NULL));
	assert_int_equal(only_record(watch).other.job, 2);
	/* It does not keep the stream. */
	rights_idle(w->dev, B);
	assert_int_equal(rights_work_start_errno(w->dev, 2, NULL, 0), 0);
	assert_int_equal(rights_work_finish_errno(w->dev, 2), 0);
	assert_int_equal(rights_stream_errno(w->dev, HEAPSIM_IOC_STREAM_REMOVE,
					     B), 0);
	assert_false(cpu_reads(w->global.map, NULL));
	assert_int_equal(only_record(watch).other.job, 0);
	rights_set(w->dev, &w->global, HEAPSIM_RIGHT_TABLE, 0);
	assert_false(cpu_reads(w->global.map, NULL));
	assert_int_equal(only_record(watch).other.job, 1);
	close(watch);
}

static void records_tell_attaches_the_newest_first(void **state)
{
	struct heapsim_buf_attach cmd = {
		.flags = HEAPSIM_ATTACH_NEWEST | HEAPSIM_ATTACH_IS_DESTROY,
		.stream = A,
		.attach = HEAPSIM_ATTACH_GLOBAL,
		.right = HEAPSIM_RIGHT_TABLE,
	};
	struct world *w = *state;
	struct heapsim_record r;
	int watch = watch_streams();

	cmd.buf = w->single.id;
	assert_int_equal(rights_attach_errno(w->dev, &cmd), 0);
	assert_int_equal(rights_work_add_errno(w->dev, B, 1, "gpu"), 0);
	assert_int_equal(rights_work_report_errno(w->dev, 1, w->single.id), 0);
	r = only_record(watch);
	assert_int_equal(r.attaches[0].attach, HEAPSIM_ATTACH_GLOBAL);
	assert_int_equal(r.attaches[0].by, HEAPSIM_ATTACHED_BY_DESTROY);
	assert_int_equal(r.attaches[0].stream, A);
	assert_int_equal(r.attaches[1].attach, HEAPSIM_ATTACH_SINGLE);
	assert_int_equal(r.attaches[1].by, HEAPSIM_ATTACHED_BY_CALL);
	assert_int_equal(r.attaches[1].stream, A);
	assert_int_equal(r.attaches[2].attach, HEAPSIM_ATTACH_GLOBAL);
	assert_int_equal(r.attaches[2].by, HEAPSIM_ATTACHED_BY_ALLOC);
	assert_int_equal(r.attaches[3].attach, 0);
	close(watch);
}

/* Commands */

static int attach_with(struct world *w, struct heapsim_buf_attach cmd)
{
	if (!cmd.buf)
		cmd.buf = w->global.id;
	return rights_attach_errno(w->dev, &cmd);
}

static void what_is_malformed_is_einval(void **state)
{
	struct heapsim_work_verdict verdict = { .sees = 2 };
	struct world *w = *state;
	struct heapsim_work_start start = {
		.size = sizeof(start),
		.work = 1,
		.reserved = 1,
	};
	struct heapsim_work_add add = {
		.size = sizeof(add),
		.work = 1,
	};
	struct heapsim_rights_info info = { .size = sizeof(info), .flags = 1 };
	struct managed pinned;
	unsigned int i;
	const struct heapsim_buf_attach bad[] = {
		{ .flags = 1U << 6 },
		{ .right = HEAPSIM_RIGHT_REFUSED + 1 },
		{ .attach = HEAPSIM_ATTACH_HOST },
		{ .stream = A },
		{ .blocker = A },
		{ .flags = HEAPSIM_ATTACH_NEWEST },
		{ .flags = HEAPSIM_ATTACH_NEWEST, .attach = 3 },
		{ .flags = HEAPSIM_ATTACH_IS_DESTROY },
		{ .flags = HEAPSIM_ATTACH_NEWEST | HEAPSIM_ATTACH_IS_DESTROY,
		  .attach = HEAPSIM_ATTACH_SINGLE, .stream = A },
		{ .flags = HEAPSIM_ATTACH_HAS_BLOCKER,
		  .right = HEAPSIM_RIGHT_TABLE },
		{ .flags = HEAPSIM_ATTACH_DUE },
		{ .flags = HEAPSIM_ATTACH_DUE,
		  .right = HEAPSIM_RIGHT_ALLOWED },
	};

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		if (attach_with(w, bad[i]) != -EINVAL)
			fail_msg("attach %u is accepted", i);
	pinned = managed_create(w->dev, HEAPSIM_KIND_PINNED, 0, w->page);
	assert_int_equal(attach_with(w, (struct heapsim_buf_attach) {
				.buf = pinned.id }), -EINVAL);
	assert_int_equal(rights_stream_errno(w->dev, HEAPSIM_IOC_STREAM_ADD, 0),
			 -EINVAL);
	assert_int_equal(rights_stream_errno(w->dev, HEAPSIM_IOC_STREAM_REMOVE,
					     0), -EINVAL);
	assert_int_equal(rights_state_errno(w->dev, A, 1U << 3), -EINVAL);
	assert_int_equal(rights_state_errno(w->dev, A, HEAPSIM_STREAM_ACTIVE |
					    HEAPSIM_STREAM_SEEN_AGAIN),
			 -EINVAL);
	assert_int_equal(rights_work_add_errno(w->dev, A, 0, "gpu"), -EINVAL);
	memset(add.name, 'x', sizeof(add.name));
	assert_int_equal(device_ioctl_errno(w->dev, HEAPSIM_IOC_WORK_ADD, &add),
			 -EINVAL);
	assert_int_equal(rights_work_add_errno(w->dev, A, 1, "gpu"), 0);
	assert_int_equal(device_ioctl_errno(w->dev, HEAPSIM_IOC_WORK_START,
					    &start), -EINVAL);
	assert_int_equal(rights_work_start_errno(w->dev, 1, &verdict, 1),
			 -EINVAL);
	verdict = (struct heapsim_work_verdict) { .reserved = 1 };
	assert_int_equal(rights_work_start_errno(w->dev, 1, &verdict, 1),
			 -EINVAL);
	assert_int_equal(rights_work_start_errno(w->dev, 1, &verdict,
						 HEAPSIM_MAX_VERDICTS + 1),
			 -EINVAL);
	assert_int_equal(rights_work_start_errno(w->dev, 1, (void *)8, 1),
			 -EFAULT);
	assert_int_equal(rights_work_report_errno(w->dev, 1, pinned.id),
			 -EINVAL);
	assert_int_equal(device_ioctl_errno(w->dev, HEAPSIM_IOC_RIGHTS_INFO,
					    &info), -EINVAL);
	managed_destroy(&pinned);
}

static void what_does_not_exist_is_enoent(void **state)
{
	struct world *w = *state;
	struct heapsim_rights_info info;
	struct managed other;
	int dev = rights_open();

	other = managed_create(dev, HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL,
			       w->page);
	assert_int_equal(rights_stream_errno(w->dev, HEAPSIM_IOC_STREAM_REMOVE,
					     NO_ID), -ENOENT);
	assert_int_equal(rights_state_errno(w->dev, NO_ID, 0), -ENOENT);
	assert_int_equal(attach_with(w, (struct heapsim_buf_attach) {
				.buf = NO_ID }), -ENOENT);
	assert_int_equal(attach_with(w, (struct heapsim_buf_attach) {
				.buf = other.id }), -ENOENT);
	assert_int_equal(attach_with(w, (struct heapsim_buf_attach) {
				.flags = HEAPSIM_ATTACH_NEWEST,
				.attach = HEAPSIM_ATTACH_HOST,
				.stream = NO_ID }), -ENOENT);
	assert_int_equal(attach_with(w, (struct heapsim_buf_attach) {
				.flags = HEAPSIM_ATTACH_HAS_BLOCKER,
				.blocker = NO_ID }), -ENOENT);
	assert_int_equal(rights_work_add_errno(w->dev, NO_ID, 1, "gpu"),
			 -ENOENT);
	assert_int_equal(rights_work_start_errno(w->dev, NO_ID, NULL, 0),
			 -ENOENT);
	assert_int_equal(rights_work_finish_errno(w->dev, NO_ID), -ENOENT);
	assert_int_equal(rights_work_report_errno(w->dev, NO_ID, w->host.id),
			 -ENOENT);
	assert_int_equal(rights_work_add_errno(w->dev, A, 1, "gpu"), 0);
	assert_int_equal(rights_work_report_errno(w->dev, 1, other.id),
			 -ENOENT);
	assert_int_equal(rights_info_errno(w->dev, other.id, &info), -ENOENT);
	managed_destroy(&other);
	close(dev);
}

static int remove_errno(struct world *w, uint64_t stream)
{
	return rights_stream_errno(w->dev, HEAPSIM_IOC_STREAM_REMOVE, stream);
}

static void what_cannot_be_now_is_ebusy(void **state)
{
	struct world *w = *state;

	assert_int_equal(rights_stream_errno(w->dev, HEAPSIM_IOC_STREAM_ADD, A),
			 -EEXIST);
	assert_int_equal(remove_errno(w, A), -EBUSY);	/* single */
	rights_activate(w->dev, B);
	assert_int_equal(remove_errno(w, B), -EBUSY);	/* active */
	rights_idle(w->dev, B);
	assert_int_equal(rights_work_add_errno(w->dev, B, 1, "gpu"), 0);
	assert_int_equal(rights_work_add_errno(w->dev, A, 1, "gpu"), -EEXIST);
	assert_int_equal(remove_errno(w, B), -EBUSY);	/* a work */
	assert_int_equal(rights_work_finish_errno(w->dev, 1), -EBUSY);
	assert_int_equal(rights_work_start_errno(w->dev, 1, NULL, 0), 0);
	assert_int_equal(rights_work_start_errno(w->dev, 1, NULL, 0), -EBUSY);
	finish(w, 1);
	assert_int_equal(remove_errno(w, B), 0);
	assert_int_equal(remove_errno(w, B), -ENOENT);
	rights_stream_add(w->dev, B);
	/* Neither the newest state nor the place in the table may remain. */
	assert_int_equal(attach_with(w, (struct heapsim_buf_attach) {
				.buf = w->single.id,
				.flags = HEAPSIM_ATTACH_NEWEST,
				.attach = HEAPSIM_ATTACH_GLOBAL }), 0);
	assert_int_equal(remove_errno(w, A), -EBUSY);
	rights_set(w->dev, &w->single, HEAPSIM_RIGHT_TABLE, 0);
	assert_int_equal(remove_errno(w, A), 0);
	cpu_is(w, &w->single, true);
}

static void a_freed_buffer_is_single_to_nothing(void **state)
{
	struct world *w = *state;
	struct managed m = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
					  HEAPSIM_ATTACH_GLOBAL, w->page);

	rights_attach(w->dev, B, &m, HEAPSIM_ATTACH_SINGLE);
	m.map[0] = 1;
	rights_activate(w->dev, B);
	managed_destroy(&m);
	rights_idle(w->dev, B);
	assert_int_equal(remove_errno(w, B), 0);
}

static void buffers_of_a_closed_context_are_the_cpus(void **state)
{
	struct world *w = *state;

	launch(w, A);
	w->global.view[0] = 3;
	if (!w->is_concurrent)
		assert_false(cpu_reads(w->global.map, NULL));
	rights_set(w->dev, &w->host, HEAPSIM_RIGHT_REFUSED, 0);
	close(w->dev);
	w->dev = -1;
	assert_true(cpu_reads(w->global.map, NULL));
	assert_true(cpu_writes(w->host.map, 1));
	assert_true(cpu_writes(w->single.map, 1));
	assert_int_equal(w->global.view[0], 3);
	w->global.view[w->page] = 4;
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_table_decides_in_every_state),
		TEST(a_right_stated_again_changes_nothing),
		TEST(a_buffer_made_while_active_is_not_the_cpus),
		TEST(a_stated_right_goes_before_the_table),
		TEST(the_newest_state_moves_with_the_table),
		TEST(a_work_sees_what_the_cpu_wrote),
		TEST(a_verdict_goes_before_the_table),
		TEST(the_cpu_sees_what_a_work_wrote),
		TEST(what_is_seen_again_is_due_again),
		TEST(what_nobody_has_seen_is_not_invalidated),
		TEST(stores_that_no_job_has_seen_are_not_lost),
		TEST(an_attach_cleans_and_invalidates),
		TEST(what_is_due_at_an_attach_is_invalidated_later),
		TEST(redundant_invalidates_count_though_they_are_spared),
		TEST(system_calls_are_refused_with_efault),
		TEST(a_refused_touch_is_recorded_and_goes_on),
		TEST(a_refused_touch_that_faults_again_is_one),
		TEST(a_store_after_a_refused_one_is_not_lost),
		TEST(device_memory_is_never_the_cpus),
		TEST(a_right_that_ends_ends_in_all_processes),
		TEST(records_name_stream_work_and_state),
		TEST(records_name_the_stated_blocker),
		TEST(records_tell_attaches_the_newest_first),
		TEST(what_is_malformed_is_einval),
		TEST(what_does_not_exist_is_enoent),
		TEST(what_cannot_be_now_is_ebusy),
		TEST(a_freed_buffer_is_single_to_nothing),
		TEST(buffers_of_a_closed_context_are_the_cpus),
	};

	return cmocka_run_group_tests_name("rights", tests, NULL, NULL);
}
