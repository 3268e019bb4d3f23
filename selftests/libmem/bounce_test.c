// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests calls of the C library with paths and structs in managed memory that
 * has no access, because a job has just ended. Each call does what it does with
 * ordinary memory, and stores nothing else.
 */
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>

/* Each member is far from the others, so that no access gives it access. */
#define APART	_Alignas(16384)

struct memory {
	APART char path[PATH_MAX + 16];
	APART char other[PATH_MAX];
	APART char text[PATH_MAX];
	APART union {
		struct stat st;
		struct statfs fs;
		struct statx x;
		struct utsname name;
		struct sysinfo info;
		struct tms times;
		struct rusage usage;
		struct rlimit limit;
		struct itimerval timer;
		struct itimerspec alarm;
		struct timespec time;
		struct timeval left;
		siginfo_t child;
		sigset_t set_of_signals;
		struct pollfd files[4];
		struct epoll_event events[4];
		struct sockaddr_in addr;
		int fds[2];
		int status;
		eventfd_t value;
		uint8_t bytes[4096];
	};
	APART struct {
		struct iovec parts[IOV_MAX + 1];
		struct msghdr msg;
	};
	APART union {
		struct timespec rest;
		struct itimerval old;
		struct itimerspec old_alarm;
		fd_set set;
		socklen_t len;
		sigset_t old_signals;
		siginfo_t waited;
		struct rusage child_usage;
	};
};

static struct mem_stream *stream;
static struct memory *m;
static char *folder;

static int setup(void **state)
{
	/* Jobs run while calls wait. */
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.policy = MEM_POLICY_RECORD,
	};

	(void)state;
	assert_int_equal(mem_ctx_open(&options, &ctx), 0);
	assert_int_equal(mem_stream_create(ctx, 0, 0, &stream), 0);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, sizeof(*m),
				   MEM_ATTACH_GLOBAL, (void **)&m), 0);
	memset(m, 0x5a, sizeof(*m));
	folder = strdup("/tmp/bounce-XXXXXX");
	assert_non_null(mkdtemp(folder));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(rmdir(folder), 0);
	free(folder);
	assert_int_equal(mem_free(ctx, m), 0);
	assert_int_equal(mem_stream_destroy(stream), 0);
	mem_ctx_close(ctx);
	return 0;
}

/* Removes the access to the memory, on boards that do so. */
static void take_access(void)
{
	const struct mem_launch launch = launch_of(k_nothing, &m, sizeof(m));

	assert_int_equal(mem_launch(stream, &launch), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
}

/* Sets the paths in the memory: NULL leaves one as it is. */
static void set_paths(const char *path, const char *other)
{
	if (path)
		snprintf(m->path, sizeof(m->path), "%s/%s", folder, path);
	if (other)
		snprintf(m->other, sizeof(m->other), "%s/%s", folder, other);
	take_access();
}

#define WORKS(expr) do {						\
	take_access();							\
	errno = 0;							\
	if (!(expr))							\
		fail_msg("%s: %s", #expr, strerror(errno));		\
} while (0)

static bool closes(int fd)
{
	return fd >= 0 && !close(fd);
}

static void paths_are_read(void **state)
{
	FILE *file;
	DIR *dir;

	(void)state;
	set_paths("one", "two");
	WORKS(closes(creat(m->path, 0600)));
	WORKS(closes(open(m->path, O_RDONLY)));
	WORKS(closes(open(m->path, O_RDWR | O_CREAT, 0600)));
	WORKS(closes(openat(AT_FDCWD, m->path, O_RDONLY)));
	WORKS(!access(m->path, R_OK));
	WORKS(!faccessat(AT_FDCWD, m->path, R_OK, 0));
	WORKS(!chmod(m->path, 0400));
	WORKS(!chmod(m->path, 0600));
	WORKS(!truncate(m->path, 100));
	WORKS((file = fopen(m->path, "r")) && (take_access(), true) &&
	      (file = freopen(m->path, "r+", file)) && !fclose(file));
	WORKS(!rename(m->path, m->other));
	WORKS(!link(m->other, m->path));
	WORKS(!unlink(m->other));
	WORKS(!symlink(m->path, m->other));
	WORKS(!unlinkat(AT_FDCWD, m->other, 0));
	WORKS(!remove(m->path));
	WORKS(!mkdir(m->path, 0700));
	WORKS((dir = opendir(m->path)) && !closedir(dir));
	WORKS(!rmdir(m->path));
	WORKS(!mkdirat(AT_FDCWD, m->path, 0700));
	WORKS(!rmdir(m->path));
	WORKS(!mkfifo(m->path, 0600));
	WORKS(!unlink(m->path));
	snprintf(m->path, sizeof(m->path), ".");
	WORKS(!chdir(m->path));
}

static void commands_are_read(void **state)
{
	FILE *pipe;

	(void)state;
	snprintf(m->path, sizeof(m->path), "exit 3");
	WORKS(system(m->path) == 3 << 8);
	snprintf(m->path, sizeof(m->path), "echo word");
	WORKS((pipe = popen(m->path, "r")) &&
	      fgets(m->text, sizeof(m->text), pipe) &&
	      !pclose(pipe) && !strcmp(m->text, "word\n"));
}

static void paths_that_are_too_long_stay_so(void **state)
{
	(void)state;
	memset(m->path, '/', sizeof(m->path));
	m->path[sizeof(m->path) - 1] = '\0';
	take_access();
	assert_int_equal(open(m->path, O_RDONLY), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	m->path[PATH_MAX] = '\0';
	take_access();
	assert_int_equal(access(m->path, R_OK), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	m->path[PATH_MAX - 1] = '\0';
	WORKS(!access(m->path, R_OK));
}

/* A call fills in the struct in the memory as it does an ordinary one. */
#define FILLS(struct_of, call, ordinary) do {				\
	__typeof__((struct_of)) want;					\
									\
	memset(&want, 0, sizeof(want));					\
	assert_int_equal((ordinary), 0);				\
	WORKS(!(call));							\
	assert_memory_equal(&(struct_of), &want, sizeof(want));		\
} while (0)

/* Programs of before glibc 2.33 call these. */
int __xstat(int version, const char *path, struct stat *st);
int __lxstat(int version, const char *path, struct stat *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstatat(int version, int dir, const char *path, struct stat *st,
	       int flags);

#ifdef __x86_64__
#define STAT_VERSION	1
#else
#define STAT_VERSION	0
#endif

static void structs_are_filled_in(void **state)
{
	const int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

	(void)state;
	snprintf(m->path, sizeof(m->path), "/etc/passwd");
	FILLS(m->st, stat(m->path, &m->st), stat("/etc/passwd", &want));
	FILLS(m->st, lstat(m->path, &m->st), lstat("/etc/passwd", &want));
	FILLS(m->st, fstat(fd, &m->st), fstat(fd, &want));
	FILLS(m->st, fstatat(AT_FDCWD, m->path, &m->st, 0),
	      fstatat(AT_FDCWD, "/etc/passwd", &want, 0));
	FILLS(m->st, __xstat(STAT_VERSION, m->path, &m->st),
	      stat("/etc/passwd", &want));
	FILLS(m->st, __lxstat(STAT_VERSION, m->path, &m->st),
	      lstat("/etc/passwd", &want));
	FILLS(m->st, __fxstat(STAT_VERSION, fd, &m->st), fstat(fd, &want));
	FILLS(m->st, __fxstatat(STAT_VERSION, AT_FDCWD, m->path, &m->st, 0),
	      stat("/etc/passwd", &want));
	FILLS(m->x, statx(AT_FDCWD, m->path, 0, STATX_INO, &m->x),
	      statx(AT_FDCWD, "/etc/passwd", 0, STATX_INO, &want));
	FILLS(m->name, uname(&m->name), uname(&want));
	FILLS(m->limit, getrlimit(RLIMIT_NOFILE, &m->limit),
	      getrlimit(RLIMIT_NOFILE, &want));
	FILLS(m->limit, setrlimit(RLIMIT_NOFILE, &m->limit),
	      getrlimit(RLIMIT_NOFILE, &want));
	/* Their contents change all the time. */
	WORKS(!statfs(m->path, &m->fs) && m->fs.f_bsize > 0);
	WORKS(!fstatfs(fd, &m->fs) && m->fs.f_bsize > 0);
	WORKS(!sysinfo(&m->info) && m->info.totalram > 0);
	WORKS(times(&m->times) != -1 && m->times.tms_utime >= 0);
	WORKS(!getrusage(RUSAGE_SELF, &m->usage) && m->usage.ru_maxrss > 0);
	WORKS(!pipe(m->fds) && closes(m->fds[0]) && closes(m->fds[1]));
	WORKS(!pipe2(m->fds, O_CLOEXEC) && closes(m->fds[0]) &&
	      closes(m->fds[1]));
	WORKS(!socketpair(AF_UNIX, SOCK_STREAM, 0, m->fds) &&
	      closes(m->fds[0]) && closes(m->fds[1]));
	close(fd);
}

static void signal_masks_are_passed(void **state)
{
	sigset_t now;
	int nr;

	(void)state;
	sigemptyset(&m->set_of_signals);
	sigaddset(&m->set_of_signals, SIGUSR2);
	WORKS(!sigprocmask(SIG_BLOCK, &m->set_of_signals, &m->old_signals));
	assert_false(sigismember(&m->old_signals, SIGUSR2));
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &now), 0);
	assert_true(sigismember(&now, SIGUSR2));
	WORKS(closes(signalfd(-1, &m->set_of_signals, SFD_CLOEXEC)));
	raise(SIGUSR2);
	WORKS(!sigpending(&m->old_signals));
	assert_true(sigismember(&m->old_signals, SIGUSR2));
	WORKS(!sigwait(&m->set_of_signals, &nr) && nr == SIGUSR2);
	raise(SIGUSR2);
	WORKS(sigwaitinfo(&m->set_of_signals, &m->waited) == SIGUSR2);
	assert_int_equal(m->waited.si_signo, SIGUSR2);
	raise(SIGUSR2);
	m->rest = (struct timespec) { .tv_sec = 20 };
	WORKS(sigtimedwait(&m->set_of_signals, NULL, &m->rest) == SIGUSR2);
	WORKS(!pthread_sigmask(SIG_UNBLOCK, &m->set_of_signals,
			       &m->old_signals));
	assert_true(sigismember(&m->old_signals, SIGUSR2));
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &now), 0);
	assert_false(sigismember(&now, SIGUSR2));
}

static void what_a_call_leaves_alone_stays(void **state)
{
	(void)state;
	memset(m->bytes, 0x5a, sizeof(m->bytes));
	take_access();
	assert_int_equal(stat("/nothing/is/there", &m->st), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(m->bytes[0], 0x5a);
	take_access();
	assert_int_equal(fstat(-1, &m->st), -1);
	assert_int_equal(m->bytes[1], 0x5a);
	take_access();
	assert_int_equal(waitpid(-1, &m->status, WNOHANG), -1);
	assert_int_equal(m->bytes[0], 0x5a);
	take_access();
	assert_null(getcwd(m->text, 1));
	assert_int_equal(errno, ERANGE);
	/* Behind the end of a text is nothing. */
	memset(m->text, 0x5a, sizeof(m->text));
	WORKS(readlink("/proc/self/exe", m->text, sizeof(m->text)) > 0);
	assert_int_equal(m->text[sizeof(m->text) - 1], 0x5a);
}

static void texts_are_filled_in(void **state)
{
	char want[PATH_MAX];
	ssize_t len;

	(void)state;
	assert_non_null(getcwd(want, sizeof(want)));
	WORKS(getcwd(m->text, sizeof(m->text)) == m->text);
	assert_string_equal(m->text, want);
	len = readlink("/proc/self/exe", want, sizeof(want));
	snprintf(m->path, sizeof(m->path), "/proc/self/exe");
	WORKS(readlink(m->path, m->text, sizeof(m->text)) == len);
	assert_memory_equal(m->text, want, len);
	WORKS(readlinkat(AT_FDCWD, m->path, m->text, 4) == 4);
	assert_memory_equal(m->text, want, 4);
}

/* Calls that wait, while jobs of another thread remove the access */

static int wake[2];

static void *takes_access_and_wakes(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < 10; i++) {
		take_access();
		usleep(2000);
	}
	assert_int_equal(write(wake[1], "x", 1), 1);
	return NULL;
}

#define WAITS(expr) do {						\
	pthread_t thread;						\
	char byte;							\
									\
	take_access();							\
	assert_int_equal(pthread_create(&thread, NULL,			\
					takes_access_and_wakes, NULL), 0); \
	errno = 0;							\
	if (!(expr))							\
		fail_msg("%s: %s", #expr, strerror(errno));		\
	pthread_join(thread, NULL);					\
	assert_int_equal(read(wake[0], &byte, 1), 1);			\
} while (0)

static void set_files(void)
{
	m->files[0] = (struct pollfd) { .fd = -1, .events = POLLIN };
	m->files[1] = (struct pollfd) { .fd = wake[0], .events = POLLIN };
}

static bool files_are_ready(void)
{
	return m->files[0].revents == 0 && m->files[1].revents == POLLIN &&
	       m->files[1].fd == wake[0] && m->files[1].events == POLLIN;
}

static void calls_that_wait_may_lose_access(void **state)
{
	const int epoll = epoll_create1(EPOLL_CLOEXEC);

	(void)state;
	assert_int_equal(pipe2(wake, O_CLOEXEC), 0);
	set_files();
	WAITS(poll(m->files, 2, 20000) == 1);
	assert_true(files_are_ready());
	set_files();
	m->rest = (struct timespec) { .tv_sec = 20 };
	WAITS(ppoll(m->files, 2, &m->rest, NULL) == 1);
	assert_true(files_are_ready());
	FD_ZERO(&m->set);
	FD_SET(wake[0], &m->set);
	m->left = (struct timeval) { .tv_sec = 20 };
	WAITS(select(wake[0] + 1, &m->set, NULL, NULL, &m->left) == 1);
	assert_true(FD_ISSET(wake[0], &m->set));
	assert_true(m->left.tv_sec < 20);
	m->time = (struct timespec) { .tv_sec = 20 };
	WAITS(pselect(wake[0] + 1, &m->set, NULL, NULL, &m->time, NULL) == 1);
	m->events[0] = (struct epoll_event) { EPOLLIN, { .u64 = 17 } };
	WORKS(!epoll_ctl(epoll, EPOLL_CTL_ADD, wake[0], m->events));
	memset(m->events, 0, sizeof(m->events));
	WAITS(epoll_wait(epoll, m->events, 4, 20000) == 1);
	assert_int_equal(m->events[0].data.u64, 17);
	memset(m->events, 0, sizeof(m->events));
	WAITS(epoll_pwait(epoll, m->events, 100000, 20000, NULL) == 1);
	assert_int_equal(m->events[0].data.u64, 17);
	close(epoll);
	close(wake[0]);
	close(wake[1]);
}

static pid_t child_of(int status)
{
	const pid_t pid = fork();

	if (!pid) {
		usleep(20000);
		_exit(status);
	}
	assert_true(pid > 0);
	return pid;
}

static void children_are_waited_for(void **state)
{
	pid_t pid;

	(void)state;
	pid = child_of(3);
	WORKS(waitpid(pid, &m->status, 0) == pid);
	assert_int_equal(WEXITSTATUS(m->status), 3);
	pid = child_of(4);
	WORKS(wait(&m->status) == pid);
	assert_int_equal(WEXITSTATUS(m->status), 4);
	pid = child_of(5);
	WORKS(wait4(pid, &m->status, 0, &m->child_usage) == pid);
	assert_int_equal(WEXITSTATUS(m->status), 5);
	assert_true(m->child_usage.ru_maxrss > 0);
	pid = child_of(6);
	WORKS(!waitid(P_PID, pid, &m->child, WEXITED));
	assert_int_equal(m->child.si_status, 6);
}

static void addresses_of_sockets_are_passed(void **state)
{
	const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	in_port_t port;
	int server;

	(void)state;
	m->status = 1;
	WORKS(!setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &m->status, 4));
	m->len = 4;
	WORKS(!getsockopt(listener, SOL_SOCKET, SO_TYPE, &m->status, &m->len));
	assert_int_equal(m->status, SOCK_STREAM);
	m->addr = (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	WORKS(!bind(listener, (struct sockaddr *)&m->addr, sizeof(m->addr)));
	assert_int_equal(listen(listener, 1), 0);
	/* Only the part that there is room for is stored. */
	memset(&m->addr, 0, sizeof(m->addr));
	m->len = 4;
	WORKS(!getsockname(listener, (struct sockaddr *)&m->addr, &m->len));
	assert_int_equal(m->len, sizeof(m->addr));
	assert_int_equal(m->addr.sin_addr.s_addr, 0);
	WORKS(!getsockname(listener, (struct sockaddr *)&m->addr, &m->len));
	assert_int_equal(ntohl(m->addr.sin_addr.s_addr), INADDR_LOOPBACK);
	port = m->addr.sin_port;
	WORKS(!connect(client, (struct sockaddr *)&m->addr, sizeof(m->addr)));
	WORKS((server = accept(listener, (struct sockaddr *)&m->addr,
			       &m->len)) >= 0);
	assert_true(m->addr.sin_port != port);
	WORKS(!getpeername(client, (struct sockaddr *)&m->addr, &m->len));
	assert_int_equal(m->addr.sin_port, port);
	close(server);
	close(client);
	close(listener);
}

static void set_message(const char *text)
{
	strcpy(m->text, text);
	m->parts[0] = (struct iovec) { m->text, 3 };
	m->parts[1] = (struct iovec) { m->text + 3, 3 };
	m->msg = (struct msghdr) { .msg_iov = m->parts, .msg_iovlen = 2 };
}

static void arrays_and_headers_of_messages_are_passed(void **state)
{
	int fds[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC |
				    SOCK_NONBLOCK, 0, fds), 0);
	set_message("abcdef");
	WORKS(writev(fds[0], m->parts, 2) == 6);
	set_message("......");
	WORKS(readv(fds[1], m->parts, 2) == 6);
	assert_string_equal(m->text, "abcdef");
	WORKS(sendmsg(fds[0], &m->msg, 0) == 6);
	set_message("......");
	m->msg.msg_flags = -1;
	WORKS(recvmsg(fds[1], &m->msg, 0) == 6);
	assert_string_equal(m->text, "abcdef");
	assert_int_equal(m->msg.msg_flags, 0);
	assert_ptr_equal(m->msg.msg_iov, m->parts);
	errno = 0;
	assert_int_equal(readv(fds[1], m->parts, IOV_MAX + 1), -1);
	assert_int_equal(errno, EINVAL);
	close(fds[0]);
	close(fds[1]);
}

static void times_and_numbers_are_passed(void **state)
{
	const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	const struct itimerval none = { 0 };
	uint64_t nr;
	int event;

	(void)state;
	m->time = (struct timespec) { .tv_nsec = 1000 };
	WORKS(!nanosleep(&m->time, &m->rest));
	WORKS(!clock_nanosleep(CLOCK_MONOTONIC, 0, &m->time, &m->rest));
	m->alarm = (struct itimerspec) { .it_value.tv_nsec = 1000 };
	WORKS(!timerfd_settime(timer, 0, &m->alarm, &m->old_alarm));
	assert_int_equal(m->old_alarm.it_value.tv_nsec, 0);
	assert_int_equal(read(timer, &nr, sizeof(nr)), sizeof(nr));
	WORKS(!timerfd_gettime(timer, &m->alarm));
	assert_int_equal(m->alarm.it_value.tv_nsec, 0);
	m->timer = (struct itimerval) { .it_value.tv_sec = 1000 };
	WORKS(!setitimer(ITIMER_VIRTUAL, &m->timer, &m->old));
	assert_int_equal(m->old.it_value.tv_sec, 0);
	WORKS(!getitimer(ITIMER_VIRTUAL, &m->timer));
	assert_true(m->timer.it_value.tv_sec > 900);
	event = eventfd(5, EFD_CLOEXEC);
	WORKS(!eventfd_read(event, &m->value) && m->value == 5);
	close(event);
	setitimer(ITIMER_VIRTUAL, &none, NULL);
	close(timer);
}

static void streams_may_have_buffers(void **state)
{
	FILE *file = tmpfile();
	char line[32], want[32];
	int i;

	(void)state;
	assert_non_null(file);
	WORKS(!setvbuf(file, (char *)m->bytes, _IOFBF, sizeof(m->bytes)));
	for (i = 0; i < 1000; i++)
		fprintf(file, "line %d\n", i);
	take_access();
	rewind(file);
	for (i = 0; i < 1000; i++) {
		snprintf(want, sizeof(want), "line %d\n", i);
		if (i % 100 == 0)
			take_access();
		assert_non_null(fgets(line, sizeof(line), file));
		assert_string_equal(line, want);
	}
	fclose(file);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_read),
		cmocka_unit_test(commands_are_read),
		cmocka_unit_test(paths_that_are_too_long_stay_so),
		cmocka_unit_test(structs_are_filled_in),
		cmocka_unit_test(signal_masks_are_passed),
		cmocka_unit_test(what_a_call_leaves_alone_stays),
		cmocka_unit_test(texts_are_filled_in),
		cmocka_unit_test(calls_that_wait_may_lose_access),
		cmocka_unit_test(children_are_waited_for),
		cmocka_unit_test(addresses_of_sockets_are_passed),
		cmocka_unit_test(arrays_and_headers_of_messages_are_passed),
		cmocka_unit_test(times_and_numbers_are_passed),
		cmocka_unit_test(streams_may_have_buffers),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
