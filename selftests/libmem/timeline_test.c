// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests timelines: points that threads, streams and processes signal and wait
 * for, and descriptors of timelines that a hostile process made.
 */
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "stream.h"

/* A bound of waits: only a call that hangs exceeds it. */
#define LONG	(60 * NS_PER_S)
#define SHORT	NS_PER_MS

static struct mem_endpoint *ends[2];

static void open_ends(void)
{
	int socks[2], i;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    socks), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(mem_endpoint_from_fd(ctx, socks[i], &ends[i]),
				 0);
		close(socks[i]);
	}
}

static void close_ends(void)
{
	mem_endpoint_close(ends[0]);
	mem_endpoint_close(ends[1]);
}

static struct mem_timeline *new_timeline(void)
{
	struct mem_timeline *timeline;

	assert_int_equal(mem_timeline_create(ctx, &timeline), 0);
	return timeline;
}

static uint64_t next_of(struct mem_timeline *timeline)
{
	uint64_t point;

	assert_int_equal(mem_timeline_next(timeline, &point), 0);
	return point;
}

/* Imports a timeline at the other end, as another process would. */
static struct mem_timeline *shared_as(struct mem_timeline *timeline,
				      unsigned int perm)
{
	uint8_t desc[MEM_OBJECT_DESC_LEN];
	struct mem_timeline *other;

	assert_int_equal(mem_timeline_export(timeline, perm, ends[0], LONG,
					     desc), 0);
	assert_int_equal(mem_timeline_import(ends[1], desc, 0, LONG, &other),
			 0);
	assert_int_equal(mem_timeline_perm(other), perm);
	return other;
}

static void a_point_is_reached_by_its_signal(void **state)
{
	struct mem_timeline *timeline = new_timeline();

	(void)state;
	assert_int_equal(mem_timeline_wait(timeline, 0, 0), 0);
	assert_int_equal(next_of(timeline), 1);
	assert_int_equal(next_of(timeline), 2);
	assert_int_equal(mem_timeline_wait(timeline, 1, 0), -ETIMEDOUT);
	assert_int_equal(mem_timeline_wait(timeline, 1, SHORT), -ETIMEDOUT);
	assert_int_equal(mem_timeline_signal(timeline), 0);
	assert_int_equal(mem_timeline_wait(timeline, 1, 0), 0);
	assert_int_equal(mem_timeline_wait(timeline, 2, SHORT), -ETIMEDOUT);
	assert_int_equal(mem_timeline_signal(timeline), 0);
	assert_int_equal(mem_timeline_wait(timeline, 2, MEM_WAIT_FOREVER), 0);
	assert_int_equal(mem_timeline_wait(timeline, 3, SHORT), -ETIMEDOUT);
	assert_ptr_equal(mem_timeline_get(timeline), timeline);
	mem_timeline_put(timeline);
	mem_timeline_put(timeline);
}

static void *wait_for_five(void *arg)
{
	return (void *)(intptr_t)mem_timeline_wait(arg, 5, LONG);
}

static void threads_wait_for_one_point(void **state)
{
	struct mem_timeline *timeline = new_timeline();
	pthread_t threads[3];
	size_t i;
	void *ret;

	(void)state;
	for (i = 0; i < NR(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						wait_for_five, timeline), 0);
	for (i = 0; i < 5; i++)
		assert_int_equal(mem_timeline_signal(timeline), 0);
	for (i = 0; i < NR(threads); i++) {
		assert_int_equal(pthread_join(threads[i], &ret), 0);
		assert_null(ret);
	}
	mem_timeline_put(timeline);
}

/* Two streams wait for a stream that waits for the host. */
static void streams_signal_and_wait(void **state)
{
	struct mem_timeline *go = new_timeline(), *done = new_timeline();
	struct mem_stream *others[2];
	uint64_t point;
	size_t i, k;

	(void)state;
	for (i = 0; i < 2; i++)
		assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING,
						   0, &others[i]), 0);
	for (k = 0; k < 50; k++) {
		const uint64_t begin = next_of(go);

		point = next_of(done);
		for (i = 0; i < 2; i++)
			assert_int_equal(mem_stream_wait_timeline(others[i],
								  done, point),
					 0);
		assert_int_equal(mem_stream_wait_timeline(stream, go, begin),
				 0);
		assert_int_equal(mem_stream_signal_timeline(stream, done,
							    point), 0);
		assert_int_equal(mem_stream_query(stream), -EBUSY);
		assert_int_equal(mem_stream_query(others[0]), -EBUSY);
		assert_int_equal(mem_timeline_wait(done, point, 0),
				 -ETIMEDOUT);
		assert_int_equal(mem_timeline_signal(go), 0);
		for (i = 0; i < 2; i++)
			assert_int_equal(mem_stream_sync(others[i]), 0);
		assert_int_equal(mem_timeline_wait(done, point, LONG), 0);
	}
	/* A point that is reached is not waited for. */
	assert_int_equal(mem_stream_wait_timeline(stream, done, 1), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	for (i = 0; i < 2; i++)
		assert_int_equal(mem_stream_destroy(others[i]), 0);
	mem_timeline_put(go);
	mem_timeline_put(done);
}

/* The wait has a reference, so the program may drop its own. */
static void a_wait_keeps_its_timeline(void **state)
{
	struct mem_timeline *timeline = new_timeline(), *other;
	uint64_t point = next_of(timeline);

	(void)state;
	open_ends();
	other = shared_as(timeline, MEM_READ);
	assert_int_equal(mem_stream_wait_timeline(stream, other, point), 0);
	mem_timeline_put(other);
	assert_int_equal(mem_stream_query(stream), -EBUSY);
	assert_int_equal(mem_timeline_signal(timeline), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	mem_timeline_put(timeline);
	close_ends();
}

static void dropped_work_reaches_its_point(void **state)
{
	struct mem_timeline *never = new_timeline(), *done = new_timeline();
	struct mem_ctx *other;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_stream_wait_timeline(mem_stream_legacy(other),
						  never, 1), 0);
	assert_int_equal(mem_stream_signal_timeline(mem_stream_legacy(other),
						    done, 3), 0);
	assert_int_equal(mem_timeline_wait(done, 3, SHORT), -ETIMEDOUT);
	mem_ctx_cancel(other);
	assert_int_equal(mem_timeline_wait(done, 3, LONG), 0);
	mem_ctx_close(other);
	mem_timeline_put(never);
	mem_timeline_put(done);
}

static void permissions_are_kept(void **state)
{
	struct mem_timeline *timeline = new_timeline(), *waits, *signals;
	struct mem_timeline *other = UNTOUCHED;
	uint8_t desc[MEM_OBJECT_DESC_LEN], ids[2][MEM_TIMELINE_ID_LEN];
	uint64_t point = 7;

	(void)state;
	open_ends();
	waits = shared_as(timeline, MEM_READ);
	signals = shared_as(timeline, MEM_WRITE);
	assert_int_equal(mem_timeline_id(timeline, ids[0]), 0);
	assert_int_equal(mem_timeline_id(signals, ids[1]), 0);
	assert_memory_equal(ids[0], ids[1], sizeof(ids[0]));

	assert_int_equal(mem_timeline_signal(waits), -EACCES);
	assert_int_equal(mem_timeline_next(waits, &point), -EACCES);
	assert_int_equal(point, 7);
	assert_int_equal(mem_stream_signal_timeline(stream, waits, 1),
			 -EACCES);
	assert_int_equal(mem_timeline_export(waits, MEM_RW, ends[1], LONG,
					     desc), -EACCES);
	assert_int_equal(mem_timeline_wait(signals, 0, 0), -EACCES);
	assert_int_equal(mem_stream_wait_timeline(stream, signals, 0),
			 -EACCES);

	assert_int_equal(mem_timeline_export(timeline, MEM_READ, ends[0], LONG,
					     desc), 0);
	assert_int_equal(mem_timeline_import(ends[1], desc, MEM_WRITE, LONG,
					     &other), -EACCES);
	assert_ptr_equal(other, UNTOUCHED);

	/* Points are one sequence, whoever reserves them. */
	assert_int_equal(next_of(timeline), 1);
	assert_int_equal(next_of(signals), 2);
	assert_int_equal(mem_timeline_signal(signals), 0);
	assert_int_equal(mem_timeline_wait(waits, 1, 0), 0);
	mem_timeline_put(timeline);
	mem_timeline_put(waits);
	mem_timeline_put(signals);
	close_ends();
}

/* A process that may only wait cannot map the page for writing. */
static void a_waiter_cannot_write_the_page(void **state)
{
	struct mem_timeline *timeline = new_timeline(), *waits;
	char path[64], link[64];
	unsigned int nr_found = 0;
	int fd, flags;
	ssize_t len;

	(void)state;
	open_ends();
	waits = shared_as(timeline, MEM_READ);
	for (fd = 0; fd < 2048; fd++) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		len = readlink(path, link, sizeof(link) - 1);
		if (len < 0)
			continue;
		link[len] = 0;
		flags = fcntl(fd, F_GETFL);
		if (!strstr(link, "libmem-page") ||
		    (flags & O_ACCMODE) != O_RDONLY)
			continue;
		nr_found++;
		assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				      MAP_SHARED, fd, 0), MAP_FAILED);
	}
	assert_int_equal(nr_found, 1);
	mem_timeline_put(timeline);
	mem_timeline_put(waits);
	close_ends();
}

static void each_changed_byte_is_refused(void **state)
{
	struct mem_timeline *timeline = new_timeline(), *other = UNTOUCHED;
	uint8_t desc[MEM_OBJECT_DESC_LEN];
	size_t i, bit;

	(void)state;
	open_ends();
	assert_int_equal(mem_timeline_export(timeline, MEM_READ, ends[0], LONG,
					     desc), 0);
	for (i = 0; i < sizeof(desc); i++)
		for (bit = 0; bit < 8; bit++) {
			desc[i] ^= 1U << bit;
			assert_int_equal(mem_timeline_import(ends[1], desc, 0,
							     LONG, &other),
					 -EBADMSG);
			desc[i] ^= 1U << bit;
		}
	/* It is only valid at the other end, and for one import. */
	assert_int_equal(mem_timeline_import(ends[0], desc, 0, LONG, &other),
			 -EBADMSG);
	assert_ptr_equal(other, UNTOUCHED);
	assert_int_equal(mem_timeline_import(ends[1], desc, 0, LONG, &other),
			 0);
	mem_timeline_put(other);
	assert_int_equal(mem_timeline_import(ends[1], desc, 0, LONG, &other),
			 -EBADMSG);
	mem_timeline_put(timeline);
	close_ends();
}

static void descriptors_of_other_kinds_are_refused(void **state)
{
	struct mem_timeline *timeline = new_timeline(), *other;
	uint8_t desc[MEM_OBJECT_DESC_LEN];
	struct mem_attrs *list;
	void *bytes;
	size_t len;

	(void)state;
	open_ends();
	assert_int_equal(mem_attrs_create(ctx, &list), 0);
	assert_int_equal(mem_attrs_export(&list, 1, ends[0], &bytes, &len), 0);
	assert_true(len >= MEM_OBJECT_DESC_LEN);
	assert_int_equal(mem_timeline_import(ends[1], bytes, 0, LONG, &other),
			 -EBADMSG);
	free(bytes);
	mem_attrs_destroy(list);
	assert_int_equal(mem_timeline_export(timeline, MEM_READ, ends[0], LONG,
					     desc), 0);
	assert_int_equal(mem_attrs_import(ends[1], desc, sizeof(desc), NULL, 0,
					  &list), -EBADMSG);
	mem_timeline_put(timeline);
	close_ends();
}

/* The child has no use of the context, but the page is shared with it. */
static void a_killed_signaller_leaves_its_point(void **state)
{
	struct mem_timeline *timeline = new_timeline();
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		mem_timeline_signal(timeline);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(mem_timeline_wait(timeline, 1, LONG), 0);
	assert_int_equal(mem_timeline_wait(timeline, 2, SHORT), -ETIMEDOUT);
	mem_timeline_put(timeline);
}

static void *wait_for_one(void *arg)
{
	return (void *)(intptr_t)mem_timeline_wait(arg, 1, LONG);
}

/* Threads and streams wait for a point that nobody can signal any more. */
static void a_wait_ends_with_the_last_signaller(void **state)
{
	struct mem_timeline *timeline = new_timeline(), *waiter, *signaller;
	pthread_t thread;
	void *ret;

	(void)state;
	open_ends();
	waiter = shared_as(timeline, MEM_READ);
	signaller = shared_as(timeline, MEM_WRITE);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_one, waiter),
			 0);
	assert_int_equal(mem_stream_wait_timeline(stream, waiter, 1), 0);
	mem_timeline_put(timeline);
	usleep(20000);
	assert_int_equal(mem_stream_query(stream), -EBUSY);
	assert_int_equal(mem_timeline_wait(waiter, 1, 0), -ETIMEDOUT);
	mem_timeline_put(signaller);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_int_equal((intptr_t)ret, -EPIPE);
	sync_stream();
	/* So does one that begins later. */
	assert_int_equal(mem_timeline_wait(waiter, 1, LONG), -EPIPE);
	assert_int_equal(mem_timeline_wait(waiter, 0, LONG), 0);
	assert_int_equal(mem_stream_wait_timeline(stream, waiter, 1), 0);
	sync_stream();
	mem_timeline_put(waiter);
	close_ends();
}

/* The signal that a stream owes is a signaller, too. */
static void submitted_signals_are_waited_for(void **state)
{
	struct mem_timeline *timeline = new_timeline(), *waiter;
	struct gate gate = hold_up(stream);
	pthread_t thread;
	void *ret;

	(void)state;
	open_ends();
	waiter = shared_as(timeline, MEM_READ);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_one, waiter),
			 0);
	assert_int_equal(mem_stream_signal_timeline(stream, timeline, 1), 0);
	mem_timeline_put(timeline);
	assert_int_equal(mem_timeline_wait(waiter, 1, SHORT), -ETIMEDOUT);
	let_go(gate);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_int_equal((intptr_t)ret, 0);
	assert_int_equal(mem_timeline_wait(waiter, 1, LONG), 0);
	assert_int_equal(mem_timeline_wait(waiter, 2, LONG), -EPIPE);
	mem_timeline_put(waiter);
	close_ends();
}

/* A process that may do both waits as one that may only wait. */
static void a_part_of_the_rights_can_be_imported(void **state)
{
	struct mem_timeline *timeline = new_timeline(), *waiter;
	uint8_t desc[MEM_OBJECT_DESC_LEN];

	(void)state;
	open_ends();
	assert_int_equal(mem_timeline_export(timeline, MEM_RW, ends[0], LONG,
					     desc), 0);
	assert_int_equal(mem_timeline_import(ends[1], desc, MEM_READ, LONG,
					     &waiter), 0);
	assert_int_equal(mem_timeline_perm(waiter), MEM_READ);
	assert_int_equal(mem_timeline_signal(timeline), 0);
	assert_int_equal(mem_timeline_wait(waiter, 1, LONG), 0);
	assert_int_equal(mem_timeline_wait(waiter, 2, SHORT), -ETIMEDOUT);
	mem_timeline_put(timeline);
	assert_int_equal(mem_timeline_wait(waiter, 2, LONG), -EPIPE);
	mem_timeline_put(waiter);
	close_ends();
}

static void mistakes_are_refused(void **state)
{
	struct mem_timeline *timeline = new_timeline(), *other = UNTOUCHED;
	uint8_t desc[MEM_OBJECT_DESC_LEN] = { 0 };
	uint64_t point;

	(void)state;
	open_ends();
	assert_int_equal(mem_timeline_create(NULL, &other), -EINVAL);
	assert_int_equal(mem_timeline_create(ctx, NULL), -EINVAL);
	assert_null(mem_timeline_get(NULL));
	mem_timeline_put(NULL);
	assert_int_equal(mem_timeline_id(NULL, desc), -EINVAL);
	assert_int_equal(mem_timeline_id(timeline, NULL), -EINVAL);
	assert_int_equal(mem_timeline_perm(NULL), -EINVAL);
	assert_int_equal(mem_timeline_next(NULL, &point), -EINVAL);
	assert_int_equal(mem_timeline_next(timeline, NULL), -EINVAL);
	assert_int_equal(mem_timeline_signal(NULL), -EINVAL);
	assert_int_equal(mem_timeline_wait(NULL, 0, 0), -EINVAL);
	assert_int_equal(mem_stream_wait_timeline(NULL, timeline, 0),
			 -EINVAL);
	assert_int_equal(mem_stream_wait_timeline(stream, NULL, 0), -EINVAL);
	assert_int_equal(mem_stream_signal_timeline(NULL, timeline, 0),
			 -EINVAL);
	assert_int_equal(mem_stream_signal_timeline(stream, NULL, 0),
			 -EINVAL);
	assert_int_equal(mem_timeline_export(NULL, MEM_RW, ends[0], 0, desc),
			 -EINVAL);
	assert_int_equal(mem_timeline_export(timeline, 0, ends[0], 0, desc),
			 -EINVAL);
	assert_int_equal(mem_timeline_export(timeline, 4, ends[0], 0, desc),
			 -EINVAL);
	assert_int_equal(mem_timeline_export(timeline, MEM_RW, NULL, 0, desc),
			 -EINVAL);
	assert_int_equal(mem_timeline_export(timeline, MEM_RW, ends[0], 0,
					     NULL), -EINVAL);
	assert_int_equal(mem_timeline_import(NULL, desc, 0, 0, &other),
			 -EINVAL);
	assert_int_equal(mem_timeline_import(ends[1], NULL, 0, 0, &other),
			 -EINVAL);
	assert_int_equal(mem_timeline_import(ends[1], desc, 4, 0, &other),
			 -EINVAL);
	assert_int_equal(mem_timeline_import(ends[1], desc, 0, 0, NULL),
			 -EINVAL);
	assert_int_equal(mem_timeline_import(ends[1], desc, 0, 0, &other),
			 -EBADMSG);
	assert_ptr_equal(other, UNTOUCHED);
	mem_timeline_put(timeline);
	close_ends();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_point_is_reached_by_its_signal),
		cmocka_unit_test(threads_wait_for_one_point),
		cmocka_unit_test(streams_signal_and_wait),
		cmocka_unit_test(a_wait_keeps_its_timeline),
		cmocka_unit_test(dropped_work_reaches_its_point),
		cmocka_unit_test(permissions_are_kept),
		cmocka_unit_test(a_waiter_cannot_write_the_page),
		cmocka_unit_test(each_changed_byte_is_refused),
		cmocka_unit_test(descriptors_of_other_kinds_are_refused),
		cmocka_unit_test(a_killed_signaller_leaves_its_point),
		cmocka_unit_test(a_wait_ends_with_the_last_signaller),
		cmocka_unit_test(submitted_signals_are_waited_for),
		cmocka_unit_test(a_part_of_the_rights_can_be_imported),
		cmocka_unit_test(mistakes_are_refused),
	};

	return cmocka_run_group_tests(tests, open_strict, close_all);
}
