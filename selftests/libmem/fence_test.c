// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests fences: descriptors that streams wait for and that stand for the work
 * of a stream or an event, in this program and in others. LIBMEM_SOC or the
 * module chooses the board.
 */
#include "stream.h"

#include <libmem/pipe.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "../pass.h"

/* A time in which something must not happen */
#define A_WHILE_US	30000
/* A time in which only what hangs does not happen */
#define HANGS_MS	300000

/* Makes the further work of a stream wait until open_gate(). */
static int close_gate(struct mem_stream *of)
{
	const int fd = eventfd(0, EFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(mem_stream_wait_fence(of, fd), 0);
	return fd;
}

static void open_gate(int fd)
{
	assert_int_equal(eventfd_write(fd, 1), 0);
	close(fd);
}

static void is_pending(struct mem_stream *of)
{
	usleep(A_WHILE_US);
	assert_int_equal(mem_stream_query(of), -EBUSY);
}

/* Returns 0 until it is signalled, then 1 or the error that it carries. */
static int status_within(int fd, int ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct sync_file_info info = { 0 };
	const int ready = poll(&poll_fd, 1, ms);

	assert_in_range(ready, 0, 1);
	/* A pipe carries none. */
	if (is_embedded())
		return ready;
	assert_int_equal(ioctl(fd, SYNC_IOC_FILE_INFO, &info), 0);
	return info.status;
}

static int fence_of_stream(struct mem_stream *of)
{
	int fd;

	assert_int_equal(mem_stream_fence(of, &fd), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	return fd;
}

static int fence_of_event(struct mem_event *of)
{
	int fd;

	assert_int_equal(mem_event_fence(of, &fd), 0);
	return fd;
}

static struct mem_event *new_event(void)
{
	struct mem_event *event;

	assert_int_equal(mem_event_create(ctx, 0, &event), 0);
	return event;
}

static void streams_wait_for_a_jobs_fence(void **state)
{
	struct mem_buf *from = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_buf *to = new_buf(MEM_KIND_NONCOHERENT);
	const struct mem_copy2d copy = {
		.size = sizeof(copy),
		.dst = to,
		.src = from,
		.row_len = LEN,
		.nr_rows = 1,
		.delay_ns = 200 * NS_PER_MS,
	};
	struct mem_stream *other = new_stream();
	struct mem_job *job;
	int fd;

	(void)state;
	assert_int_equal(mem_job_copy2d(&copy, &job), 0);
	assert_int_equal(mem_job_fence(job, &fd), 0);
	assert_int_equal(mem_stream_wait_fence(stream, fd), 0);
	assert_int_equal(mem_stream_wait_fence(other, fd), 0);
	close(fd);
	/* The job is done when one of the streams is idle. */
	sync_stream();
	assert_int_equal(mem_job_wait(job, 0, NULL), 0);
	assert_int_equal(mem_stream_sync(other), 0);
	assert_int_equal(mem_stream_destroy(other), 0);
	mem_job_destroy(job);
	mem_buf_destroy(from);
	mem_buf_destroy(to);
}

static void a_fence_stays_signalled(void **state)
{
	const int fd = eventfd(0, EFD_CLOEXEC);
	eventfd_t count;

	(void)state;
	assert_int_equal(mem_stream_wait_fence(stream, fd), 0);
	is_pending(stream);
	assert_int_equal(eventfd_write(fd, 3), 0);
	sync_stream();
	assert_int_equal(mem_stream_wait_fence(stream, fd), 0);
	sync_stream();
	assert_int_equal(eventfd_read(fd, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(mem_stream_wait_fence(stream, fd), 0);
	assert_int_equal(mem_ctx_cancel(ctx), -EDEADLK);
	close(fd);
}

static void what_is_no_fence_is_refused(void **state)
{
	const int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	/* A wait for it would never end. */
	assert_int_equal(mem_stream_wait_fence(stream, fds[1]), -EINVAL);
	close(fds[1]);
	assert_int_equal(mem_stream_wait_fence(stream, fds[0]), 0);
	close(fds[0]);
	assert_int_equal(mem_stream_wait_fence(NULL, fd), -EINVAL);
	assert_int_equal(mem_stream_wait_fence(stream, fd), -EINVAL);
	close(fd);
	assert_int_equal(mem_stream_wait_fence(stream, fd), -EBADF);
	assert_int_equal(mem_stream_wait_fence(stream, -1), -EBADF);
	sync_stream();
}

/* Other drivers wait for a sync_file. */
static void it_is_a_fence_of_the_kernel(void **state)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = {
		.num_fences = 1,
		.sync_fence_info = (uintptr_t)&fence,
	};
	/* Newer kernels forget the driver of a fence that is signalled. */
	const int gate = close_gate(stream);
	const int fd = fence_of_stream(stream);

	(void)state;
	if (!is_embedded()) {
		assert_int_equal(ioctl(fd, SYNC_IOC_FILE_INFO, &info), 0);
		assert_string_equal(fence.driver_name, "heapsim");
		assert_string_equal(fence.obj_name, "stream");
	}
	open_gate(gate);
	assert_int_equal(status_within(fd, HANGS_MS), 1);
	close(fd);
}

static void it_is_signalled_after_what_is_before_it(void **state)
{
	const int go = close_gate(stream);
	const int fd = fence_of_stream(stream);
	const int later = close_gate(stream);

	(void)state;
	assert_int_equal(status_within(fd, A_WHILE_US / 1000), 0);
	open_gate(go);
	assert_int_equal(status_within(fd, HANGS_MS), 1);
	is_pending(stream);
	open_gate(later);
	sync_stream();
	close(fd);
}

/* It stands for what the event stood for, whatever becomes of the event. */
static void an_event_becomes_a_fence(void **state)
{
	struct mem_event *event = new_event();
	int go, later, fd;

	(void)state;
	go = close_gate(stream);
	assert_int_equal(mem_event_record(event, stream), 0);
	later = close_gate(stream);
	fd = fence_of_event(event);
	assert_int_equal(mem_event_record(event, stream), 0);
	assert_int_equal(status_within(fd, A_WHILE_US / 1000), 0);
	open_gate(go);
	assert_int_equal(status_within(fd, HANGS_MS), 1);
	is_pending(stream);
	open_gate(later);
	sync_stream();
	close(fd);
	mem_event_destroy(event);
}

static void an_event_without_work_is_a_signalled_fence(void **state)
{
	struct mem_event *event = new_event();
	int fd = fence_of_event(event);

	(void)state;
	assert_int_equal(status_within(fd, HANGS_MS), 1);
	close(fd);
	assert_int_equal(mem_event_record(event, stream), 0);
	sync_stream();
	fd = fence_of_event(event);
	assert_int_equal(status_within(fd, HANGS_MS), 1);
	close(fd);
	mem_event_destroy(event);
}

static void a_fence_becomes_an_event(void **state)
{
	struct mem_event *event = new_event();
	struct mem_ctx *other;
	int go, fd;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	go = close_gate(mem_stream_legacy(other));
	fd = fence_of_stream(mem_stream_legacy(other));
	assert_int_equal(mem_stream_wait_fence(stream, fd), 0);
	close(fd);
	assert_int_equal(mem_event_record(event, stream), 0);
	is_pending(stream);
	assert_int_equal(mem_event_query(event), -EBUSY);
	open_gate(go);
	assert_int_equal(mem_event_sync(event), 0);
	mem_event_destroy(event);
	mem_ctx_close(other);
}

static void one_of_dropped_work_carries_an_error(void **state)
{
	const int go = close_gate(stream);
	const int fd = fence_of_stream(stream);

	(void)state;
	assert_int_equal(mem_ctx_cancel(ctx), -EDEADLK);
	assert_int_equal(status_within(fd, HANGS_MS),
			 is_embedded() ? 1 : -ECANCELED);
	close(fd);
	close(go);
}

static void one_of_a_closed_context_is_signalled(void **state)
{
	struct mem_ctx *other;
	int go, fd, status;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	go = close_gate(mem_stream_legacy(other));
	fd = fence_of_stream(mem_stream_legacy(other));
	mem_ctx_close(other);
	status = status_within(fd, HANGS_MS);
	assert_int_equal(status, is_embedded() ? 1 : -ECANCELED);
	close(fd);
	close(go);
}

/* Sends a fence of work that never ends. */
static void run_child(int sock)
{
	struct mem_stream *own;
	struct mem_ctx *opened;
	int fd = eventfd(0, EFD_CLOEXEC);

	if (!mem_ctx_open(NULL, &opened) &&
	    !mem_stream_create(opened, 0, 0, &own) &&
	    !mem_stream_wait_fence(own, fd) &&
	    !mem_stream_fence(own, &fd))
		pass_fd(sock, fd);
	close(sock);
	for (;;)
		pause();
}

static void one_of_a_killed_process_is_signalled(void **state)
{
	int pair[2], fd;
	pid_t child;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    pair), 0);
	child = fork();
	if (!child)
		run_child(pair[1]);
	assert_true(child > 0);
	close(pair[1]);
	assert_int_equal(open_strict(state), 0);
	fd = passed_fd(pair[0]);
	assert_true(fd >= 0);
	assert_int_equal(status_within(fd, A_WHILE_US / 1000), 0);
	assert_int_equal(mem_stream_wait_fence(stream, fd), 0);
	is_pending(stream);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	sync_stream();
	assert_int_equal(status_within(fd, 0), is_embedded() ? 1 : -ECANCELED);
	close(fd);
	close(pair[0]);
	assert_int_equal(close_all(state), 0);
}

static void many_are_signalled_in_their_order(void **state)
{
	int fds[100], go, i;

	(void)state;
	go = close_gate(stream);
	for (i = 0; i < 100; i++)
		fds[i] = fence_of_stream(stream);
	assert_int_equal(status_within(fds[0], 0), 0);
	open_gate(go);
	assert_int_equal(status_within(fds[99], HANGS_MS), 1);
	for (i = 0; i < 100; i++) {
		assert_int_equal(status_within(fds[i], 0), 1);
		close(fds[i]);
	}
}

static void one_without_a_descriptor_changes_nothing(void **state)
{
	struct mem_event *event = new_event();
	struct rlimit old;
	int fd = -2;

	(void)state;
	assert_int_equal(mem_stream_fence(NULL, &fd), -EINVAL);
	assert_int_equal(mem_stream_fence(stream, NULL), -EINVAL);
	assert_int_equal(mem_event_fence(NULL, &fd), -EINVAL);
	assert_int_equal(mem_event_fence(event, NULL), -EINVAL);
	old = take_all_fds();
	assert_int_equal(mem_stream_fence(stream, &fd), -EMFILE);
	assert_int_equal(mem_event_fence(event, &fd), -EMFILE);
	give_fds_back(old);
	assert_int_equal(fd, -2);
	sync_stream();
	mem_event_destroy(event);
}

/* Adds the fence to what other drivers do with the buffer, and closes it. */
static void import_fence(int buf_fd, int fence)
{
	struct dma_buf_import_sync_file arg = {
		.flags = DMA_BUF_SYNC_WRITE,
		.fd = fence,
	};

	assert_int_equal(ioctl(buf_fd, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &arg),
			 0);
	close(fence);
}

/* Presents a frame of a buffer and acquires it in another stream. */
static void pass_frame(struct mem_buf *buf, struct mem_stream *to)
{
	const struct mem_pipe_params params = {
		.size = sizeof(params),
		.length = 1,
	};
	struct mem_frame frame = {
		.size = sizeof(frame),
		.nr_planes = 1,
		.planes = { { 64, 64, 1, 64, 0, NULL } },
	};
	struct mem_pipe_end *consumer, *producer;
	struct mem_pipe *pipe;

	assert_int_equal(mem_buf_device_ptr(buf, &frame.planes[0].base), 0);
	assert_int_equal(mem_pipe_create(ctx, &params, &pipe), 0);
	assert_int_equal(mem_pipe_connect_consumer(pipe, ctx, &consumer), 0);
	assert_int_equal(mem_pipe_connect_producer(pipe, ctx, 64, 64,
						   &producer), 0);
	assert_int_equal(mem_pipe_present(producer, &frame, stream, 0), 0);
	assert_int_equal(mem_pipe_acquire(consumer, to, 0, &frame), 0);
	mem_pipe_end_destroy(producer);
	mem_pipe_end_destroy(consumer);
	mem_pipe_destroy(pipe);
}

/* So does a display or a camera to which the consumer hands the frame. */
static void a_buffer_with_the_fence_of_a_frame_waits(void **state)
{
	struct dma_buf_export_sync_file arg = { .flags = DMA_BUF_SYNC_READ };
	struct mem_buf *buf = new_buf(MEM_KIND_UNCACHED);
	struct pollfd poll_fd = { .events = POLLIN };
	struct mem_stream *other = new_stream();
	int go;

	(void)state;
	assert_int_equal(mem_buf_export(buf, &poll_fd.fd), 0);
	go = close_gate(stream);
	pass_frame(buf, other);
	import_fence(poll_fd.fd, fence_of_stream(other));
	assert_int_equal(poll(&poll_fd, 1, A_WHILE_US / 1000), 0);
	assert_int_equal(ioctl(poll_fd.fd, DMA_BUF_IOCTL_EXPORT_SYNC_FILE,
			       &arg), 0);
	assert_int_equal(status_within(arg.fd, 0), 0);
	open_gate(go);
	assert_int_equal(poll(&poll_fd, 1, HANGS_MS), 1);
	assert_int_equal(status_within(arg.fd, HANGS_MS), 1);
	close(arg.fd);
	close(poll_fd.fd);
	assert_int_equal(mem_stream_destroy(other), 0);
	mem_buf_destroy(buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_wait_for_a_jobs_fence),
		cmocka_unit_test(a_fence_stays_signalled),
		cmocka_unit_test(what_is_no_fence_is_refused),
		cmocka_unit_test(it_is_a_fence_of_the_kernel),
		cmocka_unit_test(it_is_signalled_after_what_is_before_it),
		cmocka_unit_test(an_event_becomes_a_fence),
		cmocka_unit_test(an_event_without_work_is_a_signalled_fence),
		cmocka_unit_test(a_fence_becomes_an_event),
		cmocka_unit_test(one_of_dropped_work_carries_an_error),
		cmocka_unit_test(one_of_a_closed_context_is_signalled),
		cmocka_unit_test(many_are_signalled_in_their_order),
		cmocka_unit_test(one_without_a_descriptor_changes_nothing),
	};
	/* This test opens its context after the fork. */
	const struct CMUnitTest alone[] = {
		cmocka_unit_test(one_of_a_killed_process_is_signalled),
	};

	/* Embedded, no other driver has a buffer. */
	const struct CMUnitTest kernel[] = {
		cmocka_unit_test(a_buffer_with_the_fence_of_a_frame_waits),
	};

	return cmocka_run_group_tests(alone, NULL, NULL) |
	       cmocka_run_group_tests(tests, open_strict, close_all) |
	       (is_to_be_embedded() ? 0 :
		cmocka_run_group_tests(kernel, open_strict, close_all));
}
