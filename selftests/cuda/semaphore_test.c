// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of external semaphores, which are eventfds, on the board that
 * LIBMEM_SOC names: two processes pass a buffer to each other, and wrong
 * arguments are refused. libmem/semaphore_test.c tests which work a wait
 * blocks, and how a wait ends without a signal.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../process.h"
#include "test.h"

#define LEN		4096
#define NR_TURNS	25
#define NR_WAITS	1000
#define A_WHILE_US	30000

static const struct cudaExternalSemaphoreSignalParams to_signal[3];
static const struct cudaExternalSemaphoreWaitParams to_wait[3];

static struct cudaExternalSemaphoreHandleDesc desc_of(int fd)
{
	return (struct cudaExternalSemaphoreHandleDesc) {
		.type = cudaExternalSemaphoreHandleTypeOpaqueFd,
		.handle.fd = fd,
	};
}

/* Import a duplicate, as CUDA becomes the owner of the descriptor. */
static cudaExternalSemaphore_t import(int fd)
{
	struct cudaExternalSemaphoreHandleDesc desc = desc_of(dup(fd));
	cudaExternalSemaphore_t made;

	assert_true(desc.handle.fd >= 0);
	ok(cudaImportExternalSemaphore(&made, &desc));
	return made;
}

static int new_fd(unsigned int count)
{
	const int fd = eventfd(count, EFD_CLOEXEC | EFD_SEMAPHORE);

	assert_true(fd >= 0);
	return fd;
}

static void signal_in(cudaExternalSemaphore_t semaphore, cudaStream_t stream)
{
	ok(cudaSignalExternalSemaphoresAsync(&semaphore, to_signal, 1,
					     stream));
}

static void wait_in(cudaExternalSemaphore_t semaphore, cudaStream_t stream)
{
	ok(cudaWaitExternalSemaphoresAsync(&semaphore, to_wait, 1, stream));
}

static cudaStream_t new_stream(void)
{
	cudaStream_t stream;

	ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	return stream;
}

static void is_pending(cudaStream_t stream)
{
	usleep(A_WHILE_US);
	assert_int_equal(cudaStreamQuery(stream), cudaErrorNotReady);
}

/* Two processes */

/**
 * struct shared - memory that two processes share
 * @buffer: buffer that they pass to each other
 * @wrong: error that the other process found, or 0
 */
struct shared {
	uint8_t buffer[LEN];
	int wrong;
};

/*
 * Take turns with the other process: all bytes of the buffer must have the
 * number of its last turn, and are set to the number of this turn.
 */
static int take_turns(struct shared *shared, int fd_in, int fd_out, int first)
{
	cudaExternalSemaphore_t in = import(fd_in), out = import(fd_out);
	cudaStream_t stream = new_stream();
	uint8_t seen[LEN];
	void *device;
	int turn;
	size_t i;

	ok(cudaMalloc(&device, LEN));
	for (turn = first; turn < 2 * NR_TURNS; turn += 2) {
		wait_in(in, stream);
		/* The caller itself copies pageable memory, in stream order. */
		ok(cudaMemcpyAsync(device, shared->buffer, LEN,
				   cudaMemcpyHostToDevice, stream));
		ok(cudaMemcpyAsync(seen, device, LEN, cudaMemcpyDeviceToHost,
				   stream));
		for (i = 0; i < LEN; i++)
			if (seen[i] != turn)
				return turn + 1;
		ok(cudaMemsetAsync(device, turn + 1, LEN, stream));
		ok(cudaMemcpyAsync(shared->buffer, device, LEN,
				   cudaMemcpyDeviceToHost, stream));
		signal_in(out, stream);
	}
	ok(cudaStreamSynchronize(stream));
	ok(cudaFree(device));
	ok(cudaStreamDestroy(stream));
	ok(cudaDestroyExternalSemaphore(in));
	ok(cudaDestroyExternalSemaphore(out));
	return 0;
}

static void two_processes_pass_a_buffer(void **state)
{
	const int ping = new_fd(1), pong = new_fd(0);
	struct shared *shared;
	int status;
	pid_t pid;

	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(shared, MAP_FAILED);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		shared->wrong = take_turns(shared, pong, ping, 1);
		_exit(0);
	}
	assert_int_equal(take_turns(shared, ping, pong, 0), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(shared->wrong, 0);
	assert_int_equal(shared->buffer[LEN - 1], 2 * NR_TURNS);
	munmap(shared, sizeof(*shared));
	close(ping);
	close(pong);
}

/* Streams */

static void two_streams_take_turns(void **state)
{
	const int there = new_fd(0), back = new_fd(0);
	cudaExternalSemaphore_t ping = import(there), pong = import(back);
	cudaStream_t one = new_stream(), two = new_stream();
	uint8_t *pinned;
	void *device;
	int i;

	(void)state;
	ok(cudaMalloc(&device, NR_TURNS));
	ok(cudaMallocHost((void **)&pinned, NR_TURNS));
	memset(pinned, 0, NR_TURNS);
	for (i = 0; i < NR_TURNS; i++) {
		ok(cudaMemsetAsync(device, i + 1, NR_TURNS, one));
		signal_in(ping, one);
		wait_in(ping, two);
		ok(cudaMemcpyAsync(pinned + i, device, 1,
				   cudaMemcpyDeviceToHost, two));
		signal_in(pong, two);
		wait_in(pong, one);
	}
	ok(cudaDeviceSynchronize());
	for (i = 0; i < NR_TURNS; i++)
		assert_int_equal(pinned[i], i + 1);
	ok(cudaDestroyExternalSemaphore(ping));
	ok(cudaDestroyExternalSemaphore(pong));
	ok(cudaFree(device));
	ok(cudaFreeHost(pinned));
	ok(cudaStreamDestroy(one));
	ok(cudaStreamDestroy(two));
	close(there);
	close(back);
}

static void several_are_waited_for_and_signalled_at_once(void **state)
{
	const int fds[3] = { new_fd(0), new_fd(0), new_fd(0) };
	cudaExternalSemaphore_t all[3];
	cudaStream_t stream = new_stream();
	eventfd_t count;
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		all[i] = import(fds[i]);
	ok(cudaWaitExternalSemaphoresAsync(all, to_wait, 3, stream));
	for (i = 0; i < 3; i++) {
		is_pending(stream);
		assert_int_equal(eventfd_write(fds[2 - i], 1), 0);
	}
	ok(cudaStreamSynchronize(stream));
	ok(cudaSignalExternalSemaphoresAsync(all, to_signal, 3, stream));
	ok(cudaStreamSynchronize(stream));
	for (i = 0; i < 3; i++) {
		assert_int_equal(eventfd_read(fds[i], &count), 0);
		assert_int_equal(count, 1);
		ok(cudaDestroyExternalSemaphore(all[i]));
		close(fds[i]);
	}
	ok(cudaStreamDestroy(stream));
}

static void add_one(void *arg)
{
	atomic_fetch_add((atomic_uint *)arg, 1);
}

static void each_of_a_thousand_waits_has_its_signal(void **state)
{
	const int fd = new_fd(0);
	cudaExternalSemaphore_t go = import(fd);
	cudaStream_t streams[8];
	atomic_uint nr = 0;
	int i;

	(void)state;
	for (i = 0; i < 8; i++)
		streams[i] = new_stream();
	for (i = 0; i < NR_WAITS; i++) {
		wait_in(go, streams[i % 8]);
		ok(cudaLaunchHostFunc(streams[i % 8], add_one, &nr));
	}
	usleep(A_WHILE_US);
	assert_int_equal(atomic_load(&nr), 0);
	assert_int_equal(eventfd_write(fd, NR_WAITS), 0);
	ok(cudaDeviceSynchronize());
	assert_int_equal(atomic_load(&nr), NR_WAITS);
	for (i = 0; i < 8; i++)
		ok(cudaStreamDestroy(streams[i]));
	ok(cudaDestroyExternalSemaphore(go));
	close(fd);
}

/* The driver's calls, and both with the thread's own stream */

static void the_driver_has_the_same_semaphores(void **state)
{
	const CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = { 0 };
	const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = { 0 };
	const int fd = new_fd(0);
	CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {
		.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
		.handle.fd = dup(fd),
	};
	cudaStream_t stream = new_stream();
	CUexternalSemaphore made;

	(void)state;
	cu(cuImportExternalSemaphore(&made, &desc));
	cu(cuWaitExternalSemaphoresAsync(&made, &wait, 1, stream));
	is_pending(stream);
	/* The runtime's call accepts the driver's handle. */
	signal_in((cudaExternalSemaphore_t)made, CU_STREAM_LEGACY);
	ok(cudaStreamSynchronize(stream));
	cu(cuSignalExternalSemaphoresAsync(&made, &signal, 1, stream));
	wait_in((cudaExternalSemaphore_t)made, stream);
	ok(cudaStreamSynchronize(stream));
	assert_int_equal(cuSignalExternalSemaphoresAsync(&made, NULL, 1, NULL),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuWaitExternalSemaphoresAsync(NULL, &wait, 1, NULL),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuWaitExternalSemaphoresAsync(&made, &wait, 0, NULL),
			 CUDA_ERROR_INVALID_VALUE);
	assert_int_equal(cuImportExternalSemaphore(NULL, &desc),
			 CUDA_ERROR_INVALID_VALUE);
	desc.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_NVSCISYNC;
	desc.handle.nvSciSyncObj = NULL;
	assert_int_equal(cuImportExternalSemaphore(&made, &desc),
			 CUDA_ERROR_INVALID_VALUE);
	ok(cudaDestroyExternalSemaphore((cudaExternalSemaphore_t)made));
	assert_int_equal(cuDestroyExternalSemaphore(made),
			 CUDA_ERROR_INVALID_HANDLE);
	assert_int_equal(cuSignalExternalSemaphoresAsync(&made, &signal, 1,
							 stream),
			 CUDA_ERROR_INVALID_HANDLE);
	ok(cudaStreamDestroy(stream));
	close(fd);
}

/* Names in programs with one default stream for each thread */
extern __typeof__(cudaWaitExternalSemaphoresAsync)
	cudaWaitExternalSemaphoresAsync_ptsz;
extern __typeof__(cuWaitExternalSemaphoresAsync)
	cuWaitExternalSemaphoresAsync_ptsz;
/* Names in CUDA 11.2 to 12.9 */
extern __typeof__(cudaWaitExternalSemaphoresAsync)
	cudaWaitExternalSemaphoresAsync_v2;
extern __typeof__(cudaSignalExternalSemaphoresAsync)
	cudaSignalExternalSemaphoresAsync_v2_ptsz;

static void other_names_are_the_same_calls(void **state)
{
	const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = { 0 };
	const int fd = new_fd(0);
	cudaExternalSemaphore_t go = import(fd);
	CUexternalSemaphore same = (CUexternalSemaphore)go;
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		if (i)
			cu(cuWaitExternalSemaphoresAsync_ptsz(&same, &wait, 1,
							      NULL));
		else
			ok(cudaWaitExternalSemaphoresAsync_ptsz(&go, to_wait,
								1, NULL));
		is_pending(cudaStreamPerThread);
		assert_int_equal(eventfd_write(fd, 1), 0);
		ok(cudaStreamSynchronize(cudaStreamPerThread));
	}
	ok(cudaSignalExternalSemaphoresAsync_v2_ptsz(&go, to_signal, 1, NULL));
	ok(cudaWaitExternalSemaphoresAsync_v2(&go, to_wait, 1, NULL));
	ok(cudaDeviceSynchronize());
	ok(cudaDestroyExternalSemaphore(go));
	close(fd);
}

/* Who owns what */

static void the_descriptor_is_cudas(void **state)
{
	struct cudaExternalSemaphoreHandleDesc desc = desc_of(new_fd(1));
	const int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	cudaExternalSemaphore_t made;
	size_t nr_fds;

	(void)state;
	/* If the import fails, the caller still owns the descriptor. */
	nr_fds = nr_of_process("fd");
	desc.flags = 1;
	is(cudaImportExternalSemaphore(&made, &desc), cudaErrorInvalidValue);
	desc.flags = 0;
	assert_int_equal(fcntl(desc.handle.fd, F_GETFD), FD_CLOEXEC);
	ok(cudaImportExternalSemaphore(&made, &desc));
	wait_in(made, NULL);
	ok(cudaDeviceSynchronize());
	ok(cudaDestroyExternalSemaphore(made));
	/* The thread that waits owns two descriptors itself. */
	assert_true(nr_of_process("fd") <= nr_fds + 1);
	desc.handle.fd = file;
	is(cudaImportExternalSemaphore(&made, &desc),
	   cudaErrorOperatingSystem);
	assert_int_equal(fcntl(file, F_GETFD), FD_CLOEXEC);
	close(file);
	is(cudaImportExternalSemaphore(&made, &desc),
	   cudaErrorOperatingSystem);
}

static void one_is_destroyed_while_a_stream_waits(void **state)
{
	const int fd = new_fd(0), other = new_fd(0);
	cudaExternalSemaphore_t go = import(fd), done = import(other);
	cudaStream_t stream = new_stream();
	eventfd_t count;

	(void)state;
	wait_in(go, stream);
	signal_in(done, stream);
	ok(cudaDestroyExternalSemaphore(go));
	ok(cudaDestroyExternalSemaphore(done));
	is(cudaDestroyExternalSemaphore(go), cudaErrorInvalidResourceHandle);
	is(cudaWaitExternalSemaphoresAsync(&go, to_wait, 1, stream),
	   cudaErrorInvalidResourceHandle);
	is_pending(stream);
	assert_int_equal(eventfd_write(fd, 1), 0);
	ok(cudaStreamSynchronize(stream));
	assert_int_equal(eventfd_read(other, &count), 0);
	ok(cudaStreamDestroy(stream));
	close(fd);
	close(other);
}

static void set_flag(void *arg)
{
	atomic_store((atomic_int *)arg, 1);
}

static atomic_int last_status;

static void tell_status(cudaStream_t stream, cudaError_t status, void *arg)
{
	(void)stream;
	(void)arg;
	atomic_store(&last_status, (int)status);
}

/* Check that no signal is pending. */
static void is_empty(int fd)
{
	eventfd_t count;

	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(eventfd_read(fd, &count), -1);
}

static void a_reset_ends_waits(void **state)
{
	const int fd = new_fd(0), other = new_fd(0);
	cudaExternalSemaphore_t go = import(fd), done = import(other);
	cudaStream_t stream = new_stream();
	static atomic_int called;
	void *device;

	(void)state;
	atomic_store(&last_status, -1);
	ok(cudaMalloc(&device, LEN));
	wait_in(go, stream);
	ok(cudaMemsetAsync(device, 1, LEN, stream));
	ok(cudaLaunchHostFunc(stream, set_flag, &called));
	ok(cudaStreamAddCallback(stream, tell_status, NULL, 0));
	signal_in(done, stream);
	ok(cudaDeviceReset());
	assert_int_equal(atomic_load(&called), 0);
	assert_int_equal(atomic_load(&last_status),
			 cudaErrorContextIsDestroyed);
	is_empty(other);
	is(cudaWaitExternalSemaphoresAsync(&go, to_wait, 1, NULL),
	   cudaErrorInvalidResourceHandle);
	is(cudaStreamQuery(stream), cudaErrorInvalidResourceHandle);
	/* Later work is done as before. */
	ok(cudaMalloc(&device, LEN));
	ok(cudaMemset(device, 1, LEN));
	ok(cudaDeviceSynchronize());
	ok(cudaFree(device));
	close(fd);
	close(other);
}

static void a_context_goes_with_its_waits(void **state)
{
	const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = { 0 };
	size_t nr_threads = 0, nr_fds = 0;
	CUexternalSemaphore made;
	CUstream stream;
	CUcontext ctx;
	CUdevice dev;
	int fd, i;

	(void)state;
	cu(cuDeviceGet(&dev, 0));
	for (i = 0; i < 6; i++) {
		CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC desc = {
			.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD,
		};

		fd = new_fd(0);
		desc.handle.fd = dup(fd);
		cu(cuCtxCreate(&ctx, NULL, 0, dev));
		cu(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
		cu(cuImportExternalSemaphore(&made, &desc));
		cu(cuWaitExternalSemaphoresAsync(&made, &wait, 1, stream));
		if (i & 1)
			cu(cuStreamDestroy(stream));
		if (i & 2)
			cu(cuDestroyExternalSemaphore(made));
		cu(cuCtxDestroy(ctx));
		assert_int_equal(cuCtxGetCurrent(&ctx), CUDA_SUCCESS);
		close(fd);
		/* Later rounds must not add threads or descriptors. */
		usleep(A_WHILE_US);
		if (i < 2) {
			nr_threads = nr_of_process("task");
			nr_fds = nr_of_process("fd");
		}
	}
	assert_true(nr_of_process("task") <= nr_threads);
	assert_true(nr_of_process("fd") <= nr_fds);
}

static void one_of_another_context_is_refused(void **state)
{
	const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = { 0 };
	const int fd = new_fd(1);
	cudaExternalSemaphore_t go = import(fd);
	CUexternalSemaphore same = (CUexternalSemaphore)go;
	CUcontext ctx;
	CUdevice dev;

	(void)state;
	cu(cuDeviceGet(&dev, 0));
	cu(cuCtxCreate(&ctx, NULL, 0, dev));
	assert_int_equal(cuWaitExternalSemaphoresAsync(&same, &wait, 1, NULL),
			 CUDA_ERROR_INVALID_HANDLE);
	cu(cuCtxDestroy(ctx));
	wait_in(go, NULL);
	ok(cudaDeviceSynchronize());
	ok(cudaDestroyExternalSemaphore(go));
	close(fd);
}

/* What is wrong */

static void import_says_what_is_wrong(void **state)
{
	const int fd = new_fd(0);
	struct cudaExternalSemaphoreHandleDesc desc = desc_of(fd);
	cudaExternalSemaphore_t made = (void *)0x5a5a;
	int type;

	(void)state;
	is(cudaImportExternalSemaphore(NULL, &desc), cudaErrorInvalidValue);
	is(cudaImportExternalSemaphore(&made, NULL), cudaErrorInvalidValue);
	for (type = 0; type < 13; type++) {
		if (type == cudaExternalSemaphoreHandleTypeOpaqueFd ||
		    type == cudaExternalSemaphoreHandleTypeNvSciSync)
			continue;
		desc.type = (enum cudaExternalSemaphoreHandleType)type;
		is(cudaImportExternalSemaphore(&made, &desc),
		   type < 1 || type > 10 ? cudaErrorInvalidValue :
					   cudaErrorNotSupported);
		desc.flags = cudaNvSciSyncAttrWait;
		is(cudaImportExternalSemaphore(&made, &desc),
		   cudaErrorInvalidValue);
		desc.flags = 0;
	}
	desc = desc_of(-1);
	is(cudaImportExternalSemaphore(&made, &desc), cudaErrorInvalidValue);
	desc = desc_of(fd);
	desc.flags = 1;
	is(cudaImportExternalSemaphore(&made, &desc), cudaErrorInvalidValue);
	assert_ptr_equal(made, (void *)0x5a5a);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
}

static void wait_and_signal_say_what_is_wrong(void **state)
{
	const int fd = new_fd(1);
	cudaExternalSemaphore_t all[2] = { import(fd), NULL };
	struct cudaExternalSemaphoreSignalParams signal[2] = { 0 };
	struct cudaExternalSemaphoreWaitParams wait[2] = { 0 };
	cudaStream_t stream = new_stream(), none = (cudaStream_t)all[0];
	cudaEvent_t event;
	eventfd_t count;

	(void)state;
	ok(cudaEventCreate(&event));
	is(cudaSignalExternalSemaphoresAsync(NULL, signal, 1, stream),
	   cudaErrorInvalidValue);
	is(cudaSignalExternalSemaphoresAsync(all, NULL, 1, stream),
	   cudaErrorInvalidValue);
	is(cudaSignalExternalSemaphoresAsync(all, signal, 0, stream),
	   cudaErrorInvalidValue);
	is(cudaWaitExternalSemaphoresAsync(NULL, wait, 1, stream),
	   cudaErrorInvalidValue);
	is(cudaWaitExternalSemaphoresAsync(all, NULL, 1, stream),
	   cudaErrorInvalidValue);
	is(cudaWaitExternalSemaphoresAsync(all, wait, 0, stream),
	   cudaErrorInvalidValue);
	/* An invalid stream, and an event in place of a semaphore */
	is(cudaSignalExternalSemaphoresAsync(all, signal, 1, none),
	   cudaErrorInvalidResourceHandle);
	is(cudaWaitExternalSemaphoresAsync(all, wait, 1, none),
	   cudaErrorInvalidResourceHandle);
	all[1] = (cudaExternalSemaphore_t)event;
	is(cudaSignalExternalSemaphoresAsync(all, signal, 2, stream),
	   cudaErrorInvalidResourceHandle);
	is(cudaWaitExternalSemaphoresAsync(all, wait, 2, stream),
	   cudaErrorInvalidResourceHandle);
	is(cudaDestroyExternalSemaphore(all[1]),
	   cudaErrorInvalidResourceHandle);
	is(cudaDestroyExternalSemaphore(NULL),
	   cudaErrorInvalidResourceHandle);
	/* These flags are only for NvSciSync. */
	signal[1].flags = cudaExternalSemaphoreSignalSkipNvSciBufMemSync;
	wait[1].flags = cudaExternalSemaphoreWaitSkipNvSciBufMemSync;
	all[1] = all[0];
	is(cudaSignalExternalSemaphoresAsync(all, signal, 2, stream),
	   cudaErrorInvalidValue);
	is(cudaWaitExternalSemaphoresAsync(all, wait, 2, stream),
	   cudaErrorInvalidValue);
	/* The calls that were refused have had no effect. */
	ok(cudaStreamSynchronize(stream));
	assert_int_equal(eventfd_read(fd, &count), 0);
	is_empty(fd);
	ok(cudaDestroyExternalSemaphore(all[0]));
	ok(cudaEventDestroy(event));
	ok(cudaStreamDestroy(stream));
	close(fd);
}

static cudaExternalSemaphore_t inside;
static atomic_int nr_refused;

static void call_inside(void *arg)
{
	if (cudaWaitExternalSemaphoresAsync(&inside, to_wait, 1, arg) ==
	    cudaErrorNotPermitted)
		atomic_fetch_add(&nr_refused, 1);
	if (cudaSignalExternalSemaphoresAsync(&inside, to_signal, 1, arg) ==
	    cudaErrorNotPermitted)
		atomic_fetch_add(&nr_refused, 1);
}

static void a_host_function_may_not_call(void **state)
{
	cudaStream_t stream = new_stream();
	const int fd = new_fd(0);

	(void)state;
	atomic_store(&nr_refused, 0);
	inside = import(fd);
	ok(cudaLaunchHostFunc(stream, call_inside, stream));
	ok(cudaStreamSynchronize(stream));
	assert_int_equal(atomic_load(&nr_refused), 2);
	ok(cudaDestroyExternalSemaphore(inside));
	ok(cudaStreamDestroy(stream));
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_streams_take_turns),
		cmocka_unit_test(several_are_waited_for_and_signalled_at_once),
		cmocka_unit_test(each_of_a_thousand_waits_has_its_signal),
		cmocka_unit_test(the_driver_has_the_same_semaphores),
		cmocka_unit_test(other_names_are_the_same_calls),
		cmocka_unit_test(the_descriptor_is_cudas),
		cmocka_unit_test(one_is_destroyed_while_a_stream_waits),
		cmocka_unit_test(a_reset_ends_waits),
		cmocka_unit_test(a_context_goes_with_its_waits),
		cmocka_unit_test(one_of_another_context_is_refused),
		cmocka_unit_test(import_says_what_is_wrong),
		cmocka_unit_test(wait_and_signal_say_what_is_wrong),
		cmocka_unit_test(a_host_function_may_not_call),
	};
	/* This test forks before CUDA is initialized. */
	const struct CMUnitTest alone[] = {
		cmocka_unit_test(two_processes_pass_a_buffer),
	};

	return cmocka_run_group_tests(alone, NULL, NULL) |
	       cmocka_run_group_tests(tests, reset, NULL);
}
