// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams between processes, by descriptor. The other process, mostly the
 * producer's, is this program again, with its socket as argument.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "../asleep.h"
#include "../pass.h"
#include "../skip.h"
#include "descriptors.h"
#include "test.h"

#define NR_FRAMES	20
#define NR_BUFFERS	3

/* How long the other process lives, seconds; only a hang exceeds it */
#define LIFE_S		120

static EGLStreamKHR stream;
static cudaEglStreamConnection producer, consumer;
/* The producer's; the address of a frame that was not made is NULL. */
static cudaEglFrame frames[NR_BUFFERS];
static pid_t child;
static int sock;

/* The other process: it ends with 1 at the first call that fails. */

static void must(bool is_ok, int line)
{
	if (is_ok)
		return;
	fprintf(stderr, "child: line %d: EGL 0x%x\n", line, eglGetError());
	_exit(1);
}

#define MUST(condition)	must(condition, __LINE__)

static void must_be_in(EGLint state)
{
	EGLint now;

	MUST(eglQueryStreamKHR(display, stream, EGL_STREAM_STATE_KHR, &now));
	MUST(now == state);
}

static void producer_connect(int from)
{
	int fd = passed_fd(from);

	MUST(fd >= 0);
	display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
	MUST(eglInitialize(display, NULL, NULL));
	stream = eglCreateStreamFromFileDescriptorKHR(display, fd);
	MUST(stream != EGL_NO_STREAM_KHR);
	close(fd);
	/* The consumer says when it has connected. */
	MUST(read(from, &fd, 1) == 1);
	MUST(cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT) ==
	     cudaSuccess);
	MUST(write(from, "", 1) == 1);
}

/* Frames are filled with their numbers, from 1. */
static void producer_run(int nr_frames)
{
	cudaEglFrame frame;
	int i;

	for (i = 0; i < NR_BUFFERS; i++) {
		frames[i] = new_frame(cudaEglFrameTypePitch);
		MUST(cudaMalloc(&frames[i].frame.pPitch[0].ptr, FRAME_LEN) ==
		     cudaSuccess);
	}
	for (i = 1; i <= nr_frames; i++) {
		frame = frames[(i - 1) % NR_BUFFERS];
		while (i > NR_BUFFERS &&
		       cudaEGLStreamProducerReturnFrame(&producer, &frame,
							NULL) != cudaSuccess)
			;
		MUST(cudaMemset(frame.frame.pPitch[0].ptr, i, FRAME_LEN) ==
		     cudaSuccess);
		MUST(cudaEGLStreamProducerPresentFrame(&producer, frame,
						       NULL) == cudaSuccess);
	}
}

static int producer_main(int from, const char *what)
{
	char byte;
	int i;

	producer_connect(from);
	if (strcmp(what, "connect"))
		producer_run(NR_FRAMES);
	else
		must_be_in(EGL_STREAM_STATE_EMPTY_KHR);
	/* Ends when the other process says so, or is killed. */
	MUST(read(from, &byte, 1) == 1);
	MUST(cudaEGLStreamProducerDisconnect(&producer) == cudaSuccess);
	must_be_in(EGL_STREAM_STATE_DISCONNECTED_KHR);
	MUST(eglDestroyStreamKHR(display, stream));
	for (i = 0; i < NR_BUFFERS; i++)
		MUST(cudaFree(frames[i].frame.pPitch[0].ptr) == cudaSuccess);
	return 0;
}

/* Owns the stream: the consumer is here. */
static int owner_main(int to)
{
	char byte;
	int fd;

	display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
	MUST(eglInitialize(display, NULL, NULL));
	stream = eglCreateStreamKHR(display, NULL);
	fd = eglGetStreamFileDescriptorKHR(display, stream);
	MUST(fd >= 0);
	MUST(cudaEGLStreamConsumerConnect(&consumer, stream) == cudaSuccess);
	MUST(pass_fd(to, fd) == 0);
	close(fd);
	MUST(read(to, &byte, 1) == 1);
	MUST(cudaEGLStreamConsumerDisconnect(&consumer) == cudaSuccess);
	MUST(eglDestroyStreamKHR(display, stream));
	return 0;
}

static int child_main(int socket, const char *what)
{
	/* It may be stopped, so that no alarm ends it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(LIFE_S);
	return strcmp(what, "own") ? producer_main(socket, what) :
				     owner_main(socket);
}

/* The process of the tests */

static void start(const char *what)
{
	char number[12];
	int socks[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
				    socks), 0);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		fcntl(socks[1], F_SETFD, 0);
		snprintf(number, sizeof(number), "%d", socks[1]);
		execl("/proc/self/exe", "process_test", number, what, NULL);
		_exit(127);
	}
	close(socks[1]);
	sock = socks[0];
}

static void wait_until(EGLint state)
{
	const uint64_t start_ns = now_ns();

	while (state_of(stream) != state) {
		assert_true(now_ns() - start_ns < 60 * NS_PER_S);
		usleep(1000);
	}
}

/* Returns when both sides are connected. */
static void pass_stream(EGLint length)
{
	char byte;
	int fd;

	stream = new_stream(length);
	fd = eglGetStreamFileDescriptorKHR(display, stream);
	assert_true(fd >= 0);
	assert_int_equal(pass_fd(sock, fd), 0);
	close(fd);
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	assert_int_equal(write(sock, "", 1), 1);
	assert_int_equal(read(sock, &byte, 1), 1);
}

static void finish(int wanted)
{
	int status;

	assert_int_equal(write(sock, "", 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, wanted);
	close(sock);
	wait_until(EGL_STREAM_STATE_DISCONNECTED_KHR);
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_ok(eglDestroyStreamKHR(display, stream));
}

static void check_frame(int value)
{
	static unsigned char bytes[FRAME_LEN];
	cudaGraphicsResource_t resource;
	cudaEglFrame frame;
	unsigned int i;

	ok(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, NULL,
					     60 * 1000 * 1000));
	ok(cudaGraphicsResourceGetMappedEglFrame(&frame, resource, 0, 0));
	ok(cudaMemcpy(bytes, frame.frame.pPitch[0].ptr, FRAME_LEN,
		      cudaMemcpyDeviceToHost));
	for (i = 0; i < FRAME_LEN; i++)
		assert_int_equal(bytes[i], value);
	ok(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, NULL));
}

/* Memory of cudaMalloc() */
static void skip_if_not_shared(void)
{
	if (!is_embedded())
		skip_because("the module's device memory is the process's own");
}

static void frames_arrive_from_another_process(void **state)
{
	int i;

	(void)state;
	skip_if_not_shared();
	start("run");
	pass_stream(NR_BUFFERS);
	for (i = 1; i <= NR_FRAMES; i++)
		check_frame(i);
	finish(0);
}

static void both_processes_see_the_state(void **state)
{
	(void)state;
	start("connect");
	pass_stream(0);
	wait_until(EGL_STREAM_STATE_EMPTY_KHR);
	finish(0);
}

static void a_killed_producer_disconnects_the_stream(void **state)
{
	int status;

	(void)state;
	skip_if_not_shared();
	start("run");
	pass_stream(NR_BUFFERS);
	check_frame(1);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	wait_until(EGL_STREAM_STATE_DISCONNECTED_KHR);
	close(sock);
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_ok(eglDestroyStreamKHR(display, stream));
}

/* As in programs that use two GPUs: a handle for each side */
static void a_process_may_have_both_handles(void **state)
{
	EGLStreamKHR other;
	cudaEglFrame frame;
	int fd;

	(void)state;
	stream = new_stream(1);
	fd = eglGetStreamFileDescriptorKHR(display, stream);
	assert_true(fd >= 0);
	other = eglCreateStreamFromFileDescriptorKHR(display, fd);
	assert_non_null(other);
	assert_ptr_not_equal(other, stream);
	assert_int_equal(state_of(other), EGL_STREAM_STATE_CREATED_KHR);
	/* As a real EGLStream: one descriptor, to be used once */
	egl_fails(eglGetStreamFileDescriptorKHR(display, stream),
		  EGL_NO_FILE_DESCRIPTOR_KHR, EGL_BAD_STATE_KHR);
	egl_fails(eglCreateStreamFromFileDescriptorKHR(display, fd),
		  EGL_NO_STREAM_KHR, EGL_BAD_ATTRIBUTE);
	close(fd);
	assert_int_equal(cudaEGLStreamConsumerConnect(&consumer, other),
			 cudaErrorNotSupported);
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	ok(cudaEGLStreamProducerConnect(&producer, other, WIDTH, HEIGHT));
	frame = new_pitch_frame();
	ok(cudaMemset(frame.frame.pPitch[0].ptr, 5, FRAME_LEN));
	if (is_embedded()) {
		ok(cudaEGLStreamProducerPresentFrame(&producer, frame, NULL));
		check_frame(5);
	} else {
		assert_int_equal(cudaEGLStreamProducerPresentFrame(&producer,
								   frame, NULL),
				 cudaErrorNotSupported);
	}
	ok(cudaEGLStreamProducerDisconnect(&producer));
	wait_until(EGL_STREAM_STATE_DISCONNECTED_KHR);
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_ok(eglDestroyStreamKHR(display, other));
	egl_ok(eglDestroyStreamKHR(display, stream));
	ok(cudaFree(frame.frame.pPitch[0].ptr));
}

static void CUDART_CB wait_for_byte(void *arg)
{
	char byte;

	if (read(*(int *)arg, &byte, 1) != 1)
		abort();
}

/* The fence of unfinished work needs a descriptor. */
static void a_release_that_fails_can_be_repeated(void **state)
{
	cudaGraphicsResource_t resource;
	struct rlimit limit;
	cudaStream_t work;
	cudaEglFrame frame;
	EGLStreamKHR other;
	cudaError_t rc;
	int fd, fds[2];

	(void)state;
	skip_if_not_shared();
	stream = new_stream(1);
	fd = eglGetStreamFileDescriptorKHR(display, stream);
	other = eglCreateStreamFromFileDescriptorKHR(display, fd);
	assert_non_null(other);
	close(fd);
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	ok(cudaEGLStreamProducerConnect(&producer, other, WIDTH, HEIGHT));
	frame = new_pitch_frame();
	ok(cudaEGLStreamProducerPresentFrame(&producer, frame, NULL));
	ok(cudaEGLStreamConsumerAcquireFrame(&consumer, &resource, NULL,
					     60 * 1000 * 1000));
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	ok(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
	ok(cudaLaunchHostFunc(work, wait_for_byte, &fds[0]));
	limit = use_all_descriptors();
	rc = cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &work);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_not_equal(rc, cudaSuccess);
	ok(cudaEGLStreamConsumerReleaseFrame(&consumer, resource, &work));
	assert_int_equal(cudaEGLStreamConsumerReleaseFrame(&consumer, resource,
							   &work),
			 cudaErrorUnknown);
	assert_int_equal(write(fds[1], "", 1), 1);
	ok(cudaStreamSynchronize(work));
	ok(cudaStreamDestroy(work));
	ok(cudaEGLStreamProducerDisconnect(&producer));
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_ok(eglDestroyStreamKHR(display, other));
	egl_ok(eglDestroyStreamKHR(display, stream));
	ok(cudaFree(frame.frame.pPitch[0].ptr));
	close(fds[0]);
	close(fds[1]);
}

/**
 * struct query - a thread that asks for the state of the stream
 * @tid: number of the thread, set when it begins
 * @has_ended: it has an answer
 * @error: EGL_*
 */
struct query {
	atomic_int tid;
	atomic_bool has_ended;
	EGLint error;
};

static void *query_state(void *arg)
{
	struct query *query = arg;
	EGLint value;

	query->tid = gettid();
	query->error = EGL_SUCCESS;
	if (!eglQueryStreamKHR(display, stream, EGL_STREAM_STATE_KHR, &value))
		query->error = eglGetError();
	query->has_ended = true;
	return NULL;
}

static void stop_child(void)
{
	int status;

	assert_int_equal(kill(child, SIGSTOP), 0);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
}

/* Returns the error of a query; other objects can be used meanwhile. */
static EGLint error_of_query(void)
{
	EGLSync sync = eglCreateSyncKHR(display, EGL_SYNC_REUSABLE_KHR, NULL);
	struct query query = { 0 };
	pthread_t thread;

	assert_non_null(sync);
	assert_int_equal(pthread_create(&thread, NULL, query_state, &query), 0);
	wait_until_asleep(&query.tid);
	egl_ok(eglSignalSyncKHR(display, sync, EGL_SIGNALED_KHR));
	egl_ok(eglDestroySyncKHR(display, sync));
	assert_false(query.has_ended);
	pthread_join(thread, NULL);
	return query.error;
}

/* A destroyed stream, which is the one that calls look at */
static void a_stream_stays_while_its_owner_is_stopped(void **state)
{
	int fd, status;

	(void)state;
	start("own");
	fd = passed_fd(sock);
	assert_true(fd >= 0);
	stream = eglCreateStreamFromFileDescriptorKHR(display, fd);
	assert_non_null(stream);
	close(fd);
	ok(cudaEGLStreamProducerConnect(&producer, stream, WIDTH, HEIGHT));
	assert_int_equal(state_of(stream), EGL_STREAM_STATE_EMPTY_KHR);
	egl_ok(eglDestroyStreamKHR(display, stream));
	stop_child();
	assert_int_equal(error_of_query(), EGL_BAD_STATE_KHR);
	assert_int_equal(kill(child, SIGCONT), 0);
	assert_int_equal(state_of(stream), EGL_STREAM_STATE_EMPTY_KHR);
	ok(cudaEGLStreamProducerDisconnect(&producer));
	assert_int_equal(write(sock, "", 1), 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(sock);
}

static void an_import_that_fails_can_be_repeated(void **state)
{
	struct rlimit limit;
	EGLStreamKHR other;
	int fd;

	(void)state;
	stream = new_stream(0);
	fd = eglGetStreamFileDescriptorKHR(display, stream);
	assert_true(fd >= 0);
	limit = use_all_descriptors();
	other = eglCreateStreamFromFileDescriptorKHR(display, fd);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	egl_fails(other, EGL_NO_STREAM_KHR, EGL_BAD_ALLOC);
	other = eglCreateStreamFromFileDescriptorKHR(display, fd);
	assert_non_null(other);
	assert_int_equal(state_of(other), EGL_STREAM_STATE_CREATED_KHR);
	close(fd);
	egl_ok(eglDestroyStreamKHR(display, other));
	egl_ok(eglDestroyStreamKHR(display, stream));
}

static void a_wrong_descriptor_is_an_error(void **state)
{
	EGLStreamKHR other;
	int fds[2], fd;

	(void)state;
	egl_fails(eglCreateStreamFromFileDescriptorKHR(display, -1),
		  EGL_NO_STREAM_KHR, EGL_BAD_ATTRIBUTE);
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	egl_fails(eglCreateStreamFromFileDescriptorKHR(display, fds[0]),
		  EGL_NO_STREAM_KHR, EGL_BAD_ATTRIBUTE);
	close(fds[0]);
	close(fds[1]);
	/* The stream has gone. */
	stream = new_stream(0);
	fd = eglGetStreamFileDescriptorKHR(display, stream);
	assert_true(fd >= 0);
	egl_ok(eglDestroyStreamKHR(display, stream));
	egl_fails(eglCreateStreamFromFileDescriptorKHR(display, fd),
		  EGL_NO_STREAM_KHR, EGL_BAD_ATTRIBUTE);
	close(fd);
	egl_fails(eglGetStreamFileDescriptorKHR(display, stream),
		  EGL_NO_FILE_DESCRIPTOR_KHR, EGL_BAD_STREAM_KHR);
	/* It goes while another handle exists. */
	stream = new_stream(0);
	fd = eglGetStreamFileDescriptorKHR(display, stream);
	other = eglCreateStreamFromFileDescriptorKHR(display, fd);
	assert_non_null(other);
	close(fd);
	egl_ok(eglDestroyStreamKHR(display, stream));
	stream = other;
	wait_until(EGL_STREAM_STATE_DISCONNECTED_KHR);
	egl_ok(eglDestroyStreamKHR(display, other));
	/* It is too late when an end is connected. */
	stream = new_stream(0);
	ok(cudaEGLStreamConsumerConnect(&consumer, stream));
	egl_fails(eglGetStreamFileDescriptorKHR(display, stream),
		  EGL_NO_FILE_DESCRIPTOR_KHR, EGL_BAD_STATE_KHR);
	ok(cudaEGLStreamConsumerDisconnect(&consumer));
	egl_ok(eglDestroyStreamKHR(display, stream));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_arrive_from_another_process),
		cmocka_unit_test(both_processes_see_the_state),
		cmocka_unit_test(a_killed_producer_disconnects_the_stream),
		cmocka_unit_test(a_process_may_have_both_handles),
		cmocka_unit_test(a_release_that_fails_can_be_repeated),
		cmocka_unit_test(a_stream_stays_while_its_owner_is_stopped),
		cmocka_unit_test(an_import_that_fails_can_be_repeated),
		cmocka_unit_test(a_wrong_descriptor_is_an_error),
	};

	if (argc == 3)
		return child_main(atoi(argv[1]), argv[2]);
	return cmocka_run_group_tests(tests, open_display, close_display);
}
