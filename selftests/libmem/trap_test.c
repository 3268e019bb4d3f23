// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests libmem-trap alone: which functions of libmem it calls if a thread is
 * cancelled in a system call, and which signals are blocked in calls that wait,
 * and in functions of timers. The tests replace libmem.
 */
#include "test.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "../../libmem/trap/ops.h"

static char tracked[4096];
static atomic_int nr_prepared;
static atomic_int nr_ended;

static bool is_tracked(const struct area *areas, size_t nr)
{
	return nr && areas[0].addr == tracked;
}

static bool prepare(const struct area *areas, size_t nr, enum direction dir,
		    uintptr_t ip)
{
	(void)dir;
	(void)ip;
	if (is_tracked(areas, nr))
		atomic_fetch_add(&nr_prepared, 1);
	return false;
}

static void finish(const struct area *areas, size_t nr, size_t done,
		   uintptr_t ip)
{
	(void)areas;
	(void)nr;
	(void)done;
	(void)ip;
}

static void end(const struct area *areas, size_t nr, enum direction dir,
		uintptr_t ip)
{
	(void)dir;
	(void)ip;
	if (is_tracked(areas, nr))
		atomic_fetch_add(&nr_ended, 1);
}

static bool was_held_back(const struct area *areas, size_t nr)
{
	(void)areas;
	(void)nr;
	return false;
}

static const struct trap_ops ops = {
	.is_ours = is_tracked,
	.prepare = prepare,
	.finish = finish,
	.end = end,
	.was_held_back = was_held_back,
	.sigaction = __sigaction,
};

/* A descriptor that cannot be written, and one that cannot be read */
static int full, empty;

static struct iovec iov = { tracked, sizeof(tracked) };
static struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

static void call_read(void)
{
	while (read(empty, tracked, sizeof(tracked)) >= 0)
		;
}

static void call_readv(void)
{
	while (readv(empty, &iov, 1) >= 0)
		;
}

static void call_recv(void)
{
	while (recv(empty, tracked, sizeof(tracked), 0) >= 0)
		;
}

static void call_recvfrom(void)
{
	while (recvfrom(empty, tracked, sizeof(tracked), 0, NULL, NULL) >= 0)
		;
}

static void call_recvmsg(void)
{
	while (recvmsg(empty, &msg, 0) >= 0)
		;
}

static void call_write(void)
{
	while (write(full, tracked, sizeof(tracked)) >= 0)
		;
}

static void call_writev(void)
{
	while (writev(full, &iov, 1) >= 0)
		;
}

static void call_send(void)
{
	while (send(full, tracked, sizeof(tracked), 0) >= 0)
		;
}

static void call_sendto(void)
{
	while (sendto(full, tracked, sizeof(tracked), 0, NULL, 0) >= 0)
		;
}

static void call_sendmsg(void)
{
	while (sendmsg(full, &msg, 0) >= 0)
		;
}

static FILE *stream;

static void call_fread(void)
{
	while (fread(tracked, 1, sizeof(tracked), stream))
		;
}

static void call_fwrite(void)
{
	while (fwrite(tracked, 1, sizeof(tracked), stream))
		;
}

static void *run(void *call)
{
	void (*const *const function)(void) = call;

	(*function)();
	return NULL;
}

/* Cancels a thread in a call, or before the call blocks. */
static void cancel_in(void (*call)(void))
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	pthread_t thread;
	void *ret;

	atomic_store(&nr_prepared, 0);
	atomic_store(&nr_ended, 0);
	assert_int_equal(pthread_create(&thread, NULL, run, &call), 0);
	while (!atomic_load(&nr_prepared))
		nanosleep(&moment, NULL);
	assert_int_equal(pthread_cancel(thread), 0);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_ptr_equal(ret, PTHREAD_CANCELED);
	assert_int_equal(atomic_load(&nr_ended), atomic_load(&nr_prepared));
}

static void a_call_that_is_cancelled_ends(void **state)
{
	static void (*const calls[])(void) = {
		call_read, call_readv, call_recv, call_recvfrom, call_recvmsg,
		call_write, call_writev, call_send, call_sendto, call_sendmsg,
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		print_message("# %zu\n", i);
		cancel_in(calls[i]);
	}
}

static void a_call_of_stdio_that_is_cancelled_ends(void **state)
{
	(void)state;
	stream = fdopen(dup(empty), "r");
	assert_non_null(stream);
	cancel_in(call_fread);
	fclose(stream);
	stream = fdopen(dup(full), "w");
	assert_non_null(stream);
	setvbuf(stream, NULL, _IONBF, 0);
	cancel_in(call_fwrite);
	fclose(stream);
}

static int wait_sigsuspend(const sigset_t *mask)
{
	return sigsuspend(mask);
}

static int wait_ppoll(const sigset_t *mask)
{
	return ppoll(NULL, 0, NULL, mask);
}

static int wait_pselect(const sigset_t *mask)
{
	return pselect(0, NULL, NULL, NULL, NULL, mask);
}

static int wait_epoll(const sigset_t *mask)
{
	const int fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;
	int ret = epoll_pwait(fd, &event, 1, -1, mask);

	close(fd);
	return ret;
}

static int wait_epoll2(const sigset_t *mask)
{
	const int fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;
	int ret = epoll_pwait2(fd, &event, 1, NULL, mask);

	close(fd);
	return ret;
}

static volatile sig_atomic_t nr_handled, has_segv, has_term;

static void look_at_mask(int signal)
{
	sigset_t now;

	(void)signal;
	sigprocmask(SIG_BLOCK, NULL, &now);
	has_segv = sigismember(&now, SIGSEGV);
	has_term = sigismember(&now, SIGTERM);
	nr_handled++;
}

/* A handler may touch tracked memory, whatever mask the call has. */
static void handlers_in_calls_that_wait_can_touch(void **state)
{
	static int (*const waits[])(const sigset_t *mask) = {
		wait_sigsuspend, wait_ppoll, wait_pselect, wait_epoll,
		wait_epoll2,
	};
	const struct sigaction action = { .sa_handler = look_at_mask };
	sigset_t mask, blocked, old;
	size_t i;

	(void)state;
	sigfillset(&mask);
	sigdelset(&mask, SIGUSR1);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(sigprocmask(SIG_BLOCK, &blocked, &old), 0);
	for (i = 0; i < sizeof(waits) / sizeof(waits[0]); i++) {
		nr_handled = 0;
		assert_int_equal(raise(SIGUSR1), 0);
		assert_int_equal(waits[i](&mask), -1);
		assert_int_equal(errno, EINTR);
		assert_int_equal(nr_handled, 1);
		if (has_segv || !has_term)
			fail_msg("call %zu has another mask", i);
	}
	assert_int_equal(sigismember(&mask, SIGSEGV), 1);
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
}

/* Threads that block signals may exist before the first context. */
static void segv_is_not_blocked_before_a_context(void **state)
{
	const struct sigaction action = { .sa_handler = look_at_mask };
	sigset_t all, mask, now, old;

	(void)state;
	libmem_trap_set(NULL);
	sigfillset(&all);
	assert_int_equal(pthread_sigmask(SIG_BLOCK, &all, &old), 0);
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &now), 0);
	assert_int_equal(sigismember(&now, SIGSEGV), 0);
	assert_int_equal(sigismember(&now, SIGTERM), 1);
	assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
	assert_int_equal(raise(SIGUSR1), 0);
	has_segv = 1;
	mask = all;
	sigdelset(&mask, SIGUSR1);
	assert_int_equal(sigsuspend(&mask), -1);
	assert_int_equal(has_segv, 0);
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
	libmem_trap_set(&ops);
}

static sem_t called;
static atomic_int nr_calls, value_sum;
static size_t stack_len;

static void call_later(union sigval value)
{
	pthread_attr_t attr;
	sigset_t now;

	pthread_sigmask(SIG_BLOCK, NULL, &now);
	has_segv = sigismember(&now, SIGSEGV);
	has_term = sigismember(&now, SIGTERM);
	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getstacksize(&attr, &stack_len);
	pthread_attr_destroy(&attr);
	atomic_fetch_add(&nr_calls, 1);
	atomic_fetch_add(&value_sum, value.sival_int);
	sem_post(&called);
}

static timer_t timer_for(void (*function)(union sigval value), int value,
			 pthread_attr_t *attr)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD,
		.sigev_notify_function = function,
		.sigev_notify_attributes = attr,
		.sigev_value.sival_int = value,
	};
	timer_t timer;

	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	return timer;
}

static void start_timer(timer_t timer, long interval_ns)
{
	const struct itimerspec time = {
		.it_value.tv_nsec = 1000000,
		.it_interval.tv_nsec = interval_ns,
	};

	assert_int_equal(timer_settime(timer, 0, &time, NULL), 0);
}

/* The C library blocks all signals there. */
static void functions_of_timers_can_touch(void **state)
{
	pthread_attr_t attr;
	timer_t timer;

	(void)state;
	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstacksize(&attr, 1 << 20), 0);
	assert_int_equal(sem_init(&called, 0, 0), 0);
	timer = timer_for(call_later, 7, &attr);
	start_timer(timer, 0);
	assert_int_equal(sem_wait(&called), 0);
	assert_false(has_segv);
	assert_true(has_term);
	assert_int_equal(value_sum, 7);
	assert_in_range(stack_len, 1 << 20, (1 << 20) + 65536);
	/* Once more, without a context. */
	libmem_trap_set(NULL);
	has_segv = 1;
	start_timer(timer, 0);
	assert_int_equal(sem_wait(&called), 0);
	libmem_trap_set(&ops);
	assert_false(has_segv);
	assert_int_equal(value_sum, 14);
	assert_int_equal(timer_delete(timer), 0);
	assert_int_equal(pthread_attr_destroy(&attr), 0);
	assert_int_equal(sem_destroy(&called), 0);
}

/* Its function may still be called when a timer has been deleted. */
static void timers_can_be_deleted_at_any_time(void **state)
{
	timer_t timer;
	int i;

	(void)state;
	assert_int_equal(sem_init(&called, 0, 0), 0);
	atomic_store(&nr_calls, 0);
	atomic_store(&value_sum, 0);
	for (i = 0; i < 50; i++) {
		timer = timer_for(call_later, 3, NULL);
		start_timer(timer, 100000);
		assert_int_equal(sem_wait(&called), 0);
		assert_int_equal(timer_delete(timer), 0);
	}
	assert_true(nr_calls >= 50);
	/* A call that has begun ends, since its function uses static memory. */
	usleep(100000);
	assert_int_equal(value_sum, 3 * nr_calls);
}

/* These are never called. */
static void (*nowhere(uintptr_t nr))(union sigval value)
{
	return (void (*)(union sigval))(0x1000 + nr);
}

static void call_unknown(union sigval value)
{
	atomic_store(&value_sum, value.sival_int);
	sem_post(&called);
}

static void timers_can_have_many_functions(void **state)
{
	timer_t timer;
	uintptr_t i;

	(void)state;
	for (i = 0; i < 100; i++)
		assert_int_equal(timer_delete(timer_for(nowhere(i), 0, NULL)),
				 0);
	assert_int_equal(sem_init(&called, 0, 0), 0);
	timer = timer_for(call_unknown, 5, NULL);
	start_timer(timer, 0);
	assert_int_equal(sem_wait(&called), 0);
	assert_int_equal(value_sum, 5);
	assert_int_equal(timer_delete(timer), 0);
}

static int fill(void **state)
{
	int in[2], out[2];

	(void)state;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, in) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, out))
		return -1;
	empty = in[0];
	full = out[0];
	while (send(full, tracked + 1, 1024, MSG_DONTWAIT) > 0)
		;
	libmem_trap_set(&ops);
	return 0;
}

static int empty_again(void **state)
{
	(void)state;
	libmem_trap_set(NULL);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_that_is_cancelled_ends),
		cmocka_unit_test(a_call_of_stdio_that_is_cancelled_ends),
		cmocka_unit_test(handlers_in_calls_that_wait_can_touch),
		cmocka_unit_test(segv_is_not_blocked_before_a_context),
		cmocka_unit_test(functions_of_timers_can_touch),
		cmocka_unit_test(timers_can_be_deleted_at_any_time),
		cmocka_unit_test(timers_can_have_many_functions),
	};

	return cmocka_run_group_tests(tests, fill, empty_again);
}
