// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the effects of the embedded backend on its process: signals, system
 * calls, forks, threads, mappings.
 */
#include "test.h"

#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/videodev2.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>

static sigjmp_buf back;
static void *volatile seen_addr;
static volatile int seen_signal;

static void jump_back(int signal, siginfo_t *info, void *context)
{
	(void)context;
	seen_signal = signal;
	seen_addr = info->si_addr;
	siglongjmp(back, 1);
}

static uint8_t *no_access_page(void)
{
	void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(page, MAP_FAILED);
	return page;
}

static void a_fault_of_its_own_is_the_applications(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct sigaction mine = {
		.sa_sigaction = jump_back,
		.sa_flags = SA_SIGINFO,
	};
	struct sigaction before, now;
	uint8_t *page = no_access_page();
	uint8_t *addr = map_buf(buf);

	(void)state;
	assert_int_equal(sigaction(SIGSEGV, &mine, &before), 0);
	assert_int_equal(sigaction(SIGSEGV, NULL, &now), 0);
	assert_ptr_equal(now.sa_sigaction, jump_back);
	addr[0] = 1;
	seen_signal = 0;
	if (!sigsetjmp(back, 1))
		page[3] = 1;
	assert_int_equal(seen_signal, SIGSEGV);
	assert_ptr_equal(seen_addr, page + 3);
	/* none of the calls removes the library's handler */
	assert_true(sysv_signal(SIGSEGV, SIG_DFL) != SIG_ERR);
	assert_true(signal(SIGSEGV, SIG_IGN) == SIG_DFL);
	assert_int_equal(sigaction(SIGSEGV, &mine, NULL), 0);
	addr[LEN - 1] = byte_at(addr);
	assert_int_equal(count_of(buf).fills, 1);
	assert_int_equal(sigaction(SIGSEGV, &before, &now), 0);
	assert_ptr_equal(now.sa_sigaction, jump_back);
	munmap(page, (size_t)sysconf(_SC_PAGESIZE));
	mem_buf_destroy(buf);
}

static uint8_t *volatile touched_by_handler;

static void touch_in_handler(int signal)
{
	(void)signal;
	*touched_by_handler += 1;
}

static void signals_that_are_blocked_do_not_matter(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct sigaction action = { .sa_handler = touch_in_handler };
	struct sigaction before, now;
	uint8_t *addr = map_buf(buf);
	sigset_t all, old, asked;

	(void)state;
	sigfillset(&all);
	sigfillset(&action.sa_mask);
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	assert_int_equal(sigaction(SIGUSR1, NULL, &now), 0);
	assert_int_equal(sigismember(&now.sa_mask, SIGSEGV), 1);
	assert_int_equal(sigismember(&now.sa_mask, SIGUSR2), 1);
	touched_by_handler = addr + 64;
	assert_int_equal(raise(SIGUSR1), 0);
	assert_int_equal(byte_at(addr + 64), 1);

	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &all, &old), 0);
	addr[128] = 2;
	assert_int_equal(pthread_sigmask(SIG_SETMASK, &old, &asked), 0);
	assert_int_equal(sigismember(&asked, SIGUSR1), 1);
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(sigprocmask(SIG_BLOCK, &all, &old), 0);
	addr[128] += 2;
	assert_int_equal(sigprocmask(SIG_SETMASK, &old, NULL), 0);
	assert_int_equal(byte_at(addr + 128), 4);
	assert_int_equal(sigprocmask(99, &all, NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
	mem_buf_destroy(buf);
}

/* A thread may have inherited such a mask, or set it by a system call. */
static void a_thread_that_opens_a_context_can_touch(void **state)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
	};
	uint64_t segv = 1ULL << (SIGSEGV - 1);
	struct mem_ctx *other;
	sigset_t now;

	(void)state;
	assert_int_equal(syscall(SYS_rt_sigprocmask, SIG_BLOCK, &segv, NULL,
				 sizeof(segv)), 0);
	assert_int_equal(mem_ctx_open(&options, &other), 0);
	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &now), 0);
	assert_int_equal(sigismember(&now, SIGSEGV), 0);
	mem_ctx_close(other);
}

static sem_t touched_by_timer;

static void touch_in_timer(union sigval value)
{
	*(volatile uint8_t *)value.sival_ptr += 1;
	sem_post(&touched_by_timer);
}

/* The C library calls it in a thread that blocks all signals. */
static void a_function_of_a_timer_can_touch(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf);
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD,
		.sigev_notify_function = touch_in_timer,
		.sigev_value.sival_ptr = addr,
	};
	const struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
	timer_t timer;

	(void)state;
	assert_int_equal(sem_init(&touched_by_timer, 0, 0), 0);
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	assert_int_equal(timer_settime(timer, 0, &soon, NULL), 0);
	assert_int_equal(sem_wait(&touched_by_timer), 0);
	assert_int_equal(timer_delete(timer), 0);
	assert_int_equal(byte_at(addr), 1);
	mem_buf_destroy(buf);
}

/* Returns the status of a child that acts with default handlers. */
static int status_of(void (*act)(void *arg), void *arg)
{
	struct rlimit no_core = { 0 };
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGSEGV, SIG_DFL);
		act(arg);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void touch_what_is_freed(void *arg)
{
	struct mem_ctx *own;
	struct mem_buf *buf;
	void *addr;

	(void)arg;
	/* The child has no window and must exec to open a context. */
	if (mem_ctx_open(NULL, &own) != -EPERM)
		_exit(1);
	if (mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, LEN, NULL,
			  &buf) != -EPERM)
		_exit(2);
	addr = *(void **)arg;
	*(volatile uint8_t *)addr = 1;
}

static void a_child_has_no_window(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf);
	int status;

	(void)state;
	addr[0] = 7;
	status = status_of(touch_what_is_freed, &addr);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSEGV);
	assert_int_equal(byte_at(addr), 7);
	fill_buf(buf, 1);
	mem_buf_destroy(buf);
}

static void use_what_is_the_parents(void *arg)
{
	struct mem_buf *buf = arg;
	struct mem_buf_info info = { .size = sizeof(info) };
	struct mem_job *job;
	void *addr;

	if (mem_buf_info(buf, &info) != -EPERM || mem_buf_len(buf) != LEN)
		_exit(2);
	if (mem_buf_begin(buf, MEM_READ) != -EPERM ||
	    mem_buf_end(buf, MEM_READ) != -EPERM ||
	    mem_buf_begin_range(buf, 0, 1, MEM_READ) != -EPERM ||
	    mem_buf_end_range(buf, 0, 1, MEM_WRITE) != -EPERM ||
	    mem_buf_end_range(buf, 0, 1, MEM_READ) != -EPERM ||
	    mem_buf_map(buf, &addr) != -EPERM ||
	    mem_buf_unmap(buf) != -EPERM ||
	    mem_buf_revoke(buf) != -EPERM ||
	    mem_job_fill(buf, 0, 1, 0, &job) != -EPERM)
		_exit(1);
	mem_buf_destroy(buf);
	mem_ctx_close(ctx);
}

static void a_child_gives_back_what_it_has(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);

	(void)state;
	map_buf(buf);
	assert_int_equal(status_of(use_what_is_the_parents, buf), 0);
	map_buf(buf)[5] = 5;
	mem_buf_destroy(buf);
}

static void an_address_in_a_heaps_buffer_tells_it(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	uint8_t *addr = map_buf(buf);
	struct mem_ptr_info info = ptr_info_of(addr + 5);
	void *device;

	(void)state;
	assert_int_equal(info.kind, MEM_KIND_COHERENT);
	assert_ptr_equal(info.base, addr);
	assert_int_equal(info.len, LEN);
	assert_ptr_equal(info.host, addr + 5);
	assert_ptr_equal(info.device, addr + 5);
	assert_int_equal(mem_free(ctx, addr), -EINVAL);
	assert_int_equal(mem_device_ptr(ctx, addr, &device), -EINVAL);
	assert_int_equal(mem_buf_unmap(buf), 0);
	assert_null(ptr_info_of(addr + 5).host);
	assert_ptr_equal(ptr_info_of(addr + 5).device, addr + 5);
	mem_buf_destroy(buf);
	assert_int_equal(ptr_info_of(addr).kind, MEM_KIND_PAGEABLE);
}

/* An access in the window but outside buffers is reported as such. */
static void an_address_beside_memory_is_nobodys(void **state)
{
	uint8_t *one_view, *two_views;
	size_t off;

	(void)state;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, LEN, 0,
				   (void **)&one_view), 0);
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, LEN,
				   MEM_ATTACH_GLOBAL, (void **)&two_views), 0);
	for (off = 1; off < 64 * 4096; off += 4096) {
		assert_int_equal(ptr_info_of(one_view - off).kind,
				 MEM_KIND_PAGEABLE);
		ptr_info_of(two_views - off);
	}
	assert_int_equal(mem_free(ctx, one_view), 0);
	assert_int_equal(mem_free(ctx, two_views), 0);
}

static void freed_memory_is_nobodys(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	uint8_t *addr = map_buf(buf);
	struct sigaction mine = {
		.sa_sigaction = jump_back,
		.sa_flags = SA_SIGINFO,
	};
	struct sigaction before;

	(void)state;
	addr[9] = 9;
	mem_buf_destroy(buf);
	assert_int_equal(sigaction(SIGSEGV, &mine, &before), 0);
	seen_signal = 0;
	if (!sigsetjmp(back, 1))
		byte_at(addr + 9);
	assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
	assert_int_equal(seen_signal, SIGSEGV);
	/* a new buffer in the same place is zeroed */
	buf = new_buf(MEM_KIND_COHERENT);
	assert_int_equal(map_buf(buf)[9], 0);
	mem_buf_destroy(buf);
}

static void run_what_is_tracked(void *arg)
{
	void (*function)(void) = *(void (**)(void))arg;

	function();
}

/* Executing a buffer raises SIGSEGV, since no permission would allow it. */
static void code_in_a_buffer_does_not_run(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct sigaction mine = {
		.sa_sigaction = jump_back,
		.sa_flags = SA_SIGINFO,
	};
	uint8_t *addr = map_buf(buf);
	struct sigaction before;

	(void)state;
	byte_at(addr);
	assert_int_equal(sigaction(SIGSEGV, &mine, &before), 0);
	seen_signal = 0;
	if (!sigsetjmp(back, 1))
		run_what_is_tracked(&addr);
	assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
	assert_int_equal(seen_signal, SIGSEGV);
	assert_ptr_equal(seen_addr, addr);
	mem_buf_destroy(buf);
}

static void a_bare_fork_is_a_child_too(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_job *job;
	pid_t pid;

	(void)state;
	pid = _Fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(mem_job_fill(buf, 0, 1, 0, &job) != -EPERM);
	assert_int_equal(exit_code_of(pid), 0);
	mem_buf_destroy(buf);
}

static void a_fence_can_be_read(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_job *job = start_slow(buf, 0);
	struct pollfd poll_fd = { .events = POLLIN };
	uint64_t count;
	int fd, other;

	(void)state;
	assert_int_equal(mem_job_fence(job, &fd), 0);
	assert_int_equal(mem_job_wait(job, MEM_WAIT_FOREVER, NULL), 0);
	assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(mem_job_fence(job, &other), 0);
	poll_fd.fd = other;
	assert_int_equal(poll(&poll_fd, 1, 0), 1);
	poll_fd.fd = fd;
	assert_int_equal(poll(&poll_fd, 1, 0), 1);
	close(fd);
	close(other);
	mem_job_destroy(job);
	mem_buf_destroy(buf);
}

/* Returns a file in which each byte is determined by its offset. */
static int file_with_pattern(size_t len)
{
	int fd = memfd_create("pattern", MFD_CLOEXEC);
	size_t i;

	assert_true(fd >= 0);
	for (i = 0; i < len; i++) {
		uint8_t byte = (uint8_t)(i * 31 + i / 256);

		assert_int_equal(write(fd, &byte, 1), 1);
	}
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static bool has_pattern(const uint8_t *addr, size_t from, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (byte_at(addr + i) !=
		    (uint8_t)((from + i) * 31 + (from + i) / 256))
			return false;
	return true;
}

static void the_kernel_reads_and_writes_tracked_memory(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf);
	int fd = file_with_pattern(LEN), sockets[2];
	struct iovec parts[2] = {
		{ .iov_base = addr, .iov_len = 5000 },
		{ .iov_base = addr + 5000, .iov_len = LEN - 5000 },
	};
	struct msghdr msg = { .msg_iov = parts, .msg_iovlen = 1 };
	FILE *file;

	(void)state;
	assert_int_equal(read(fd, addr, LEN), LEN);
	assert_true(has_pattern(addr, 0, LEN));
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	assert_int_equal(sum_of(buf), fnv1a(addr, LEN));
	assert_int_equal(count_of(buf).missing_cleans, 0);

	fill_buf(buf, 0);
	assert_int_equal(mem_buf_begin(buf, MEM_RW), 0);
	assert_int_equal(pread(fd, addr + 1, LEN - 1, 1), LEN - 1);
	assert_true(has_pattern(addr + 1, 1, LEN - 1));
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(pwrite(fd, addr, LEN, 0), LEN);
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(readv(fd, parts, 2), LEN);
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	assert_int_equal(writev(fd, parts, 2), LEN);
	assert_true(has_pattern(addr + 1, 1, LEN - 1));
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(preadv64(fd, parts, 2, 0), LEN);
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(pwritev64(fd, parts, 2, 0), LEN);

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets), 0);
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(send(sockets[0], addr + 4096, 4096, 0), 4096);
	assert_int_equal(recv(sockets[1], addr + 8192, 4096, 0), 4096);
	assert_memory_equal(addr + 4096, addr + 8192, 4096);
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(sendmsg(sockets[0], &msg, 0), 5000);
	parts[0].iov_base = addr + 20000;
	assert_int_equal(recvmsg(sockets[1], &msg, 0), 5000);
	assert_memory_equal(addr, addr + 20000, 5000);
	close(sockets[0]);
	close(sockets[1]);

	assert_int_equal(mem_buf_revoke(buf), 0);
	file = fdopen(fd, "r+");
	assert_non_null(file);
	rewind(file);
	assert_int_equal(fread(addr, 1, LEN, file), LEN);
	assert_int_equal(mem_buf_revoke(buf), 0);
	rewind(file);
	assert_int_equal(fwrite(addr, 16, LEN / 16, file), LEN / 16);
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(getrandom(addr, 256, 0), 256);
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(getentropy(addr, 256), 0);
	assert_int_equal(getentropy(addr, 257), -1);
#if __GLIBC_PREREQ(2, 36)
	assert_int_equal(mem_buf_revoke(buf), 0);
	arc4random_buf(addr + 256, LEN - 256);
#endif
	assert_int_equal(mem_buf_end(buf, MEM_RW), 0);
	assert_int_equal(sum_of(buf), fnv1a(addr, LEN));
	fclose(file);
	mem_buf_destroy(buf);
}

static int open_pty(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* The size is in the ioctl's number, or known for numbers without one. */
static void an_ioctl_reaches_tracked_memory(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf);
	int fds[2], pty = open_pty();
	struct termios there;
	unsigned int nr;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "abc", 3), 3);
	assert_int_equal(ioctl(fds[0], FIONREAD, addr), 0);
	assert_int_equal(*(int *)addr, 3);
	assert_int_equal(ioctl(pty, TIOCGPTN, &nr), 0);
	assert_int_equal(ioctl(pty, TIOCGPTN, addr + page), 0);
	assert_int_equal(*(unsigned int *)(addr + page), nr);
	memset(&there, 0, sizeof(there));
	assert_int_equal(ioctl(pty, TCGETS, &there), 0);
	assert_int_equal(ioctl(pty, TCGETS, addr + 3 * page - 8), 0);
	assert_memory_equal(addr + 3 * page - 8, &there, 36);
	/* The kernel's stores count as the CPU's. */
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	assert_int_equal(count_of(buf).lines_cleaned, 4);
	assert_int_equal(sum_of(buf), fnv1a(addr, LEN));
	/* An ioctl that only reads its argument makes no line dirty. */
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(ioctl(pty, TIOCSPTLCK, addr + 5 * page), 0);
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	assert_int_equal(count_of(buf).lines_cleaned, 4);
	/* A failed ioctl stores nothing. */
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(ioctl(-1, TIOCGPTN, addr + page), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	assert_int_equal(count_of(buf).lines_cleaned, 4);
	assert_int_equal(count_of(buf).missing_cleans, 0);
	close(pty);
	close(fds[0]);
	close(fds[1]);
	mem_buf_destroy(buf);
}

/* Without a video device, fills show that the pages were prepared for it. */
static void what_v4l2_pins_is_there(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_buf *many = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf), *others = map_buf(many);
	struct v4l2_plane planes[2] = {
		{ .m.userptr = (uintptr_t)others, .length = page },
		{ .m.userptr = (uintptr_t)others + LEN / 2, .length = page },
	};
	struct v4l2_buffer queued = {
		.type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
		.memory = V4L2_MEMORY_USERPTR,
		.m.userptr = (uintptr_t)addr,
		.length = LEN,
	};
	int fd = memfd_create("no video", MFD_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, VIDIOC_DQBUF, &queued), -1);
	assert_int_equal(count_of(buf).fills, 0);
	assert_int_equal(ioctl(fd, VIDIOC_QBUF, &queued), -1);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(count_of(buf).lines_filled, LEN / line_size());
	queued.type = V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
	queued.m.planes = planes;
	queued.length = 2;
	assert_int_equal(ioctl(fd, VIDIOC_PREPARE_BUF, &queued), -1);
	assert_true(count_of(many).fills > 0);
	queued.memory = V4L2_MEMORY_MMAP;
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(ioctl(fd, VIDIOC_QBUF, &queued), -1);
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	assert_int_equal(count_of(buf).lines_cleaned, 0);
	close(fd);
	mem_buf_destroy(buf);
	mem_buf_destroy(many);
}

/* Functions that the compiler calls with -D_FORTIFY_SOURCE */
ssize_t __read_chk(int fd, void *buf, size_t len, size_t room);
size_t __fread_chk(void *buf, size_t room, size_t size, size_t nr, FILE *file);
size_t __fread_unlocked_chk(void *buf, size_t room, size_t size, size_t nr,
			    FILE *file);

/* A read longer than stdio's buffer makes the kernel write to the page. */
static void calls_that_check_lengths_work(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf);
	int fd = memfd_create("source", MFD_CLOEXEC);
	FILE *file;

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 3 * LEN), 0);
	assert_int_equal(__read_chk(fd, addr, LEN, LEN), LEN);
	file = fdopen(fd, "r");
	assert_non_null(file);
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(__fread_chk(addr, LEN, 1, LEN, file), LEN);
	assert_int_equal(mem_buf_revoke(buf), 0);
	rewind(file);
	assert_int_equal(__fread_unlocked_chk(addr, LEN, 1, LEN, file), LEN);
	fclose(file);
	mem_buf_destroy(buf);
}

static void the_kernel_is_judged_as_the_cpu(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf);
	int fd = memfd_create("sink", MFD_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(addr[0], 0);
	fill_buf(buf, 0x5a5a5a5a);
	assert_int_equal(write(fd, addr, 100), 100);
	assert_int_equal(count_of(buf).stale_reads, 1);
	assert_int_equal(addr[0], 0);
	close(fd);
	mem_buf_destroy(buf);
}

static void what_a_call_did_not_write_is_not_dirty(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf), *nowhere = no_access_page();
	struct mem_job *job;
	int fds[2];

	(void)state;
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "abc", 3), 3);
	assert_int_equal(read(fds[0], addr, 4 * page), 3);
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	assert_int_equal(count_of(buf).lines_cleaned, 1);
	/* A failed read stores nothing, either. */
	assert_int_equal(mem_buf_revoke(buf), 0);
	assert_int_equal(read(-1, addr, page), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	assert_int_equal(count_of(buf).lines_cleaned, 1);
	job = start_slow(buf, 100 * NS_PER_MS);
	assert_int_equal(read(-1, addr, page), -1);
	finish_job(job);
	assert_int_equal(count_of(buf).unbracketed_accesses, 0);
	assert_int_equal(readv(0, (struct iovec *)nowhere, IOV_MAX + 1), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(read(fds[0], NULL, 0), 0);
	assert_int_equal(write(fds[1], nowhere, 8), -1);
	assert_int_equal(errno, EFAULT);
	munmap(nowhere, page);
	close(fds[0]);
	close(fds[1]);
	mem_buf_destroy(buf);
}

enum { NR_THREADS = 64, NR_LAPS = 50 };

static struct mem_buf *shared;
static uint8_t *shared_addr;

/* Each thread has its own line in each page. */
static void *touch_and_revoke(void *arg)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t mine = 64 * (size_t)(uintptr_t)arg % page;
	int lap;

	for (lap = 0; lap < NR_LAPS; lap++) {
		size_t at;

		for (at = mine; at < LEN; at += page)
			__atomic_fetch_add(shared_addr + at, 1,
					   __ATOMIC_RELAXED);
		if ((uintptr_t)arg % 8 == 0)
			mem_buf_revoke(shared);
		if ((uintptr_t)arg % 8 == 1)
			mem_buf_end(shared, MEM_WRITE);
	}
	return NULL;
}

static void many_threads_lose_nothing(void **state)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	pthread_t threads[NR_THREADS];
	uintptr_t i;
	size_t at;

	(void)state;
	shared = new_buf(MEM_KIND_NONCOHERENT);
	shared_addr = map_buf(shared);
	for (i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						touch_and_revoke, (void *)i),
				 0);
	for (i = 0; i < NR_THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (i = 0; i < NR_THREADS; i++)
		for (at = 64 * i % page; at < LEN; at += page)
			assert_int_equal(byte_at(shared_addr + at), NR_LAPS);
	assert_int_equal(mem_buf_end(shared, MEM_WRITE), 0);
	assert_int_equal(sum_of(shared), fnv1a(shared_addr, LEN));
	mem_buf_destroy(shared);
}

/* Adjacent buffers are accessed differently, so no two areas are merged. */
static void a_hundred_thousand_buffers_keep_their_bytes(void **state)
{
	const size_t nr = scaled(100000);
	struct mem_buf **bufs = calloc(nr, sizeof(*bufs));
	size_t i;

	(void)state;
	assert_non_null(bufs);
	for (i = 0; i < nr; i++) {
		uint8_t *addr;

		assert_int_equal(mem_buf_alloc(ctx, i % 4 ?
					       MEM_KIND_NONCOHERENT :
					       MEM_KIND_COHERENT, 1, NULL,
					       &bufs[i]), 0);
		addr = map_buf(bufs[i]);
		if (i % 3)
			*(uint32_t *)addr = (uint32_t)i;
	}
	assert_true(nr_mappings() < 40000);
	for (i = 0; i < nr; i++)
		if (i % 3)
			assert_int_equal(*(uint32_t *)map_buf(bufs[i]), i);
	for (i = 1; i < nr; i += 2)
		mem_buf_destroy(bufs[i]);
	for (i = 0; i < nr; i += 2)
		if (i % 3)
			assert_int_equal(*(uint32_t *)map_buf(bufs[i]), i);
	assert_true(nr_mappings() < 60000);
	for (i = 0; i < nr; i += 2)
		mem_buf_destroy(bufs[i]);
	free(bufs);
}

static void ten_thousand_contexts_leave_no_mapping(void **state)
{
	const unsigned int nr = scaled(10000);
	size_t before = nr_mappings();
	struct mem_ctx *other;
	struct mem_buf *buf;
	unsigned int i;

	(void)state;
	for (i = 0; i < nr; i++) {
		assert_int_equal(mem_ctx_open(NULL, &other), 0);
		assert_int_equal(mem_buf_alloc(other, MEM_KIND_NONCOHERENT, 1,
					       NULL, &buf), 0);
		map_buf(buf)[0] = 1;
		mem_buf_destroy(buf);
		mem_ctx_close(other);
	}
	assert_true(nr_mappings() < before + 100);
}

/* Returns the counters after some accesses with an eviction seed. */
static struct mem_counters evicted_with(uint64_t seed, uint8_t *read)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
		.evict = seed ? MEM_EVICT_RANDOM : MEM_EVICT_NONE,
		.seed = seed,
	};
	struct mem_ctx *one, *was = ctx;
	struct mem_counters count;
	struct mem_buf *buf;
	struct mem_job *job;
	uint8_t *addr;
	size_t i;

	assert_int_equal(mem_ctx_open(&options, &one), 0);
	ctx = one;
	buf = new_buf(MEM_KIND_NONCOHERENT);
	addr = map_buf(buf);
	for (i = 0; i < 4 * LEN; i += 1024)
		addr[i % LEN] = (uint8_t)(1 + i / LEN);
	assert_int_equal(mem_job_fill(buf, 0, LEN, 0, &job), 0);
	assert_int_equal(finish_job(job), LEN);
	for (i = 0; i < LEN; i++)
		read[i] = byte_at(addr + i);
	count = count_of(buf);
	mem_buf_destroy(buf);
	ctx = was;
	mem_ctx_close(one);
	return count;
}

static void a_seed_evicts_the_same_again(void **state)
{
	uint8_t *read = malloc(2 * LEN);
	struct mem_counters a, b;

	(void)state;
	assert_non_null(read);
	a = evicted_with(0, read);
	assert_int_equal(a.evictions, 0);
	a = evicted_with(5, read);
	b = evicted_with(5, read + LEN);
	assert_true(a.evictions > 10);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_memory_equal(read, read + LEN, LEN);
	b = evicted_with(6, read);
	assert_memory_not_equal(&a, &b, sizeof(a));
	free(read);
}

static int send_and_get(int *fds, uint8_t *from, uint8_t *to, size_t len)
{
	const struct iovec halves[] = {
		{ to + len / 2, len - len / 2 },
		{ to, len / 2 },
	};

	return write(fds[0], from, len) == (ssize_t)len &&
	       readv(fds[1], halves, 2) == (ssize_t)len ? 0 : -1;
}

/* All pages of a system call's range must be accessible at the same time. */
static void nothing_is_evicted_inside_a_call(void **state)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
		.evict = MEM_EVICT_RANDOM,
		.seed = 1,
	};
	struct mem_ctx *one, *was = ctx;
	struct mem_buf *buf;
	uint8_t *addr;
	int fds[2], i;

	(void)state;
	assert_int_equal(mem_ctx_open(&options, &one), 0);
	ctx = one;
	buf = new_buf(MEM_KIND_NONCOHERENT);
	addr = map_buf(buf);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	for (i = 0; i < 200; i++) {
		memset(addr, i, LEN / 2);
		assert_int_equal(send_and_get(fds, addr, addr + LEN / 2,
					      LEN / 2), 0);
		assert_memory_equal(addr, addr + LEN / 2, LEN / 2);
	}
	assert_true(count_of(buf).evictions > 200);
	close(fds[0]);
	close(fds[1]);
	mem_buf_destroy(buf);
	ctx = was;
	mem_ctx_close(one);
}

/* The library must not use the numbers 0 to 2, to which programs print. */
static int work_without_standard_files(void)
{
	const struct mem_launch launch = launch_of(k_nothing, NULL, 0);
	struct mem_ctx *own;
	int fd;

	for (fd = 0; fd < 3; fd++)
		close(fd);
	if (mem_ctx_open(NULL, &own) ||
	    mem_launch(mem_stream_legacy(own), &launch) || mem_ctx_sync(own))
		return 1;
	for (fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return 2 + fd;
	mem_ctx_close(own);
	return 0;
}

static void begin_anew(void *arg)
{
	execl("/proc/self/exe", "embedded_test", arg, NULL);
	_exit(127);
}

static void it_is_none_of_the_standard_files(void **state)
{
	char arg[] = "closed";

	(void)state;
	assert_int_equal(status_of(begin_anew, arg), 0);
}

/* Objects for calls that return a result */
struct objects {
	struct mem_ctx *own;
	struct mem_buf *buf;
	struct mem_job *job;
	struct mem_event *start;
	struct mem_event *end;
	struct mem_timeline *timeline;
	struct mem_pipe *pipe;
	void *device;
};

static void get_elapsed(const struct objects *all, void *to)
{
	mem_event_elapsed(all->start, all->end, to);
}

static void get_mapping(const struct objects *all, void *to)
{
	mem_buf_map(all->buf, to);
}

static void get_export(const struct objects *all, void *to)
{
	mem_ptr_export(all->own, all->device, to);
}

static void get_fence(const struct objects *all, void *to)
{
	mem_job_fence(all->job, to);
}

static void get_result(const struct objects *all, void *to)
{
	mem_job_wait(all->job, 0, to);
}

static void get_stream(const struct objects *all, void *to)
{
	mem_stream_per_thread(all->own, to);
}

static void get_memory(const struct objects *all, void *to)
{
	mem_alloc(all->own, MEM_KIND_PINNED, LEN, 0, to);
}

static void get_buf(const struct objects *all, void *to)
{
	mem_buf_alloc(all->own, MEM_KIND_SYSTEM, LEN, NULL, to);
}

static void get_job(const struct objects *all, void *to)
{
	mem_job_fill(all->buf, 0, LEN, 1, to);
}

static void get_event(const struct objects *all, void *to)
{
	mem_event_create(all->own, 0, to);
}

static void get_device(const struct objects *all, void *to)
{
	mem_device_ptr(all->own, to, to);
}

static void get_len(const struct objects *all, void *to)
{
	mem_ctx_memory(all->own, MEM_ENGINE_GPU, to, (uint64_t *)to + 1);
}

static void get_pitch(const struct objects *all, void *to)
{
	mem_alloc_pitch(all->own, LEN, 2, to, (void **)to + 1);
}

static void get_fence_of_stream(const struct objects *all, void *to)
{
	mem_stream_fence(mem_stream_legacy(all->own), to);
}

static void get_fence_of_event(const struct objects *all, void *to)
{
	mem_event_fence(all->end, to);
}

static void get_timeline(const struct objects *all, void *to)
{
	mem_timeline_create(all->own, to);
}

static void get_point(const struct objects *all, void *to)
{
	mem_timeline_next(all->timeline, to);
}

static void get_image(const struct objects *all, void *to)
{
	mem_image_create(all->own, 64, 64, MEM_FORMAT_U8, 0, to);
}

static void get_pipe(const struct objects *all, void *to)
{
	const struct mem_pipe_params params = { .size = sizeof(params) };

	mem_pipe_create(all->own, &params, to);
}

static void get_end(const struct objects *all, void *to)
{
	mem_pipe_connect_consumer(all->pipe, all->own, to);
}

static void make_objects(struct objects *all)
{
	const struct mem_pipe_params params = { .size = sizeof(params) };
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.soc = "tx2",
	};
	struct mem_stream *stream;

	assert_int_equal(mem_ctx_open(&options, &all->own), 0);
	stream = mem_stream_legacy(all->own);
	assert_int_equal(mem_buf_alloc(all->own, MEM_KIND_NONCOHERENT, LEN,
				       NULL, &all->buf), 0);
	assert_int_equal(mem_job_fill(all->buf, 0, LEN, 1, &all->job), 0);
	assert_int_equal(mem_alloc(all->own, MEM_KIND_DEVICE, LEN, 0,
				   &all->device), 0);
	assert_int_equal(mem_event_create(all->own, 0, &all->start), 0);
	assert_int_equal(mem_event_create(all->own, 0, &all->end), 0);
	assert_int_equal(mem_timeline_create(all->own, &all->timeline), 0);
	assert_int_equal(mem_pipe_create(all->own, &params, &all->pipe), 0);
	assert_int_equal(mem_event_record(all->start, stream), 0);
	assert_int_equal(mem_event_record(all->end, stream), 0);
	assert_int_equal(mem_ctx_sync(all->own), 0);
	/* A job is on no stream, and get_result() does not wait. */
	assert_int_equal(mem_job_wait(all->job, MEM_WAIT_FOREVER, NULL), 0);
}

static void destroy_objects(struct objects *all)
{
	mem_event_destroy(all->start);
	mem_event_destroy(all->end);
	mem_timeline_put(all->timeline);
	mem_pipe_destroy(all->pipe);
	mem_job_destroy(all->job);
	mem_buf_destroy(all->buf);
	mem_free(all->own, all->device);
	mem_ctx_close(all->own);
}

/* If a call left a lock held, these calls would wait until the alarm. */
static void use_objects(const struct objects *all)
{
	struct mem_pipe_info info = { .size = sizeof(info) };
	uint64_t point;
	int64_t ns;
	void *addr;
	int fd;

	assert_int_equal(mem_ctx_sync(all->own), 0);
	assert_int_equal(mem_pipe_info(all->pipe, &info), 0);
	assert_int_equal(mem_timeline_next(all->timeline, &point), 0);
	assert_int_equal(mem_event_fence(all->end, &fd), 0);
	close(fd);
	assert_int_equal(mem_event_elapsed(all->start, all->end, &ns), 0);
	assert_int_equal(mem_buf_map(all->buf, &addr), 0);
	assert_int_equal(mem_buf_unmap(all->buf), 0);
	assert_int_equal(mem_job_fence(all->job, &fd), 0);
	close(fd);
	assert_int_equal(mem_ptr_export(all->own, all->device, &fd), 0);
	close(fd);
}

/*
 * A result's store to memory that the CPU must not access now raises SIGBUS,
 * whose handler may call siglongjmp().
 */
static void results_are_stored_under_no_lock(void **state)
{
	static void (*const calls[])(const struct objects *all, void *to) = {
		get_elapsed, get_mapping, get_export, get_fence, get_result,
		get_stream, get_memory, get_buf, get_job, get_event,
		get_device, get_len, get_pitch, get_fence_of_stream,
		get_fence_of_event, get_timeline, get_point, get_image,
		get_pipe, get_end,
	};
	const struct mem_launch launch = launch_of(k_nothing, NULL, 0);
	struct sigaction jump = {
		.sa_sigaction = jump_back,
		.sa_flags = SA_SIGINFO,
	}, old;
	struct objects all;
	void *to;
	volatile size_t i;

	(void)state;
	make_objects(&all);
	assert_int_equal(mem_alloc(all.own, MEM_KIND_MANAGED, LEN,
				   MEM_ATTACH_GLOBAL, &to), 0);
	assert_int_equal(sigaction(SIGBUS, &jump, &old), 0);
	alarm(60);
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		assert_int_equal(mem_launch(mem_stream_legacy(all.own),
					    &launch), 0);
		if (!sigsetjmp(back, 1)) {
			calls[i](&all, to);
			fail_msg("call %zu has stored its result", i);
		}
		use_objects(&all);
	}
	alarm(0);
	sigaction(SIGBUS, &old, NULL);
	assert_int_equal(mem_free(all.own, to), 0);
	destroy_objects(&all);
}

#define NR_MEMORY	4UL

/* Waits for a semaphore, which takes three more descriptors. */
static int use_semaphore(struct mem_ctx *own, struct mem_semaphore **semaphore)
{
	struct mem_stream *stream = mem_stream_legacy(own);
	int err = mem_semaphore_import(own, eventfd(0, 0), semaphore);

	if (!err)
		err = mem_stream_signal_semaphore(stream, *semaphore);
	if (!err)
		err = mem_stream_wait_semaphore(stream, *semaphore);
	return err ? err : mem_ctx_sync(own);
}

/* Uses memory of each kind with an engine, exports it, and makes a fence. */
static int use_all(struct mem_ctx *own, void **memory, struct mem_job **job)
{
	const struct mem_launch launch = launch_of(k_nothing, NULL, 0);
	struct mem_buf *buf;
	int err, fd;

	err = mem_alloc(own, MEM_KIND_MANAGED, LEN, MEM_ATTACH_GLOBAL,
			&memory[0]);
	if (!err)
		err = mem_alloc(own, MEM_KIND_PINNED, LEN, 0, &memory[1]);
	if (!err)
		err = mem_alloc(own, MEM_KIND_DEVICE, LEN, 0, &memory[2]);
	if (!err)
		err = mem_alloc(own, MEM_KIND_DEVICE, LEN, 0, &memory[3]);
	if (!err)
		err = mem_launch(mem_stream_legacy(own), &launch);
	if (!err)
		err = mem_ctx_sync(own);
	if (!err)
		err = mem_ptr_export(own, memory[2], &fd);
	if (!err)
		err = mem_buf_alloc(own, MEM_KIND_NONCOHERENT, LEN, NULL, &buf);
	if (!err)
		err = mem_job_fill(buf, 0, LEN, 1, job);
	if (!err)
		err = mem_job_fence(*job, &fd);
	return err;
}

/* Fills the descriptor table with the file, except for the last number. */
static int take_all_numbers(uint8_t **bytes)
{
	int first = memfd_create("the program's own", MFD_CLOEXEC);
	int last = first, fd;

	if (first < 0 || ftruncate(first, LEN))
		return -1;
	*bytes = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, first, 0);
	if (*bytes == MAP_FAILED)
		return -1;
	memset(*bytes, 'x', LEN);
	while ((fd = dup(first)) >= 0)
		last = fd;
	close(last);
	return first;
}

static bool is_untouched(const uint8_t *bytes, int first)
{
	struct rlimit limit;
	struct stat stat;
	int fd;
	size_t i;

	if (fstat(first, &stat) || stat.st_size != LEN ||
	    lseek(first, 0, SEEK_CUR) || getrlimit(RLIMIT_NOFILE, &limit))
		return false;
	for (i = 0; i < LEN; i++)
		if (bytes[i] != 'x')
			return false;
	for (fd = first; fd < (int)limit.rlim_cur - 1; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			return false;
	return true;
}

/*
 * Calls that need a new descriptor fail, and all others work, including a
 * launch if kernels run in the program itself.
 */
static int go_on_without_files(bool takes_numbers)
{
	const struct mem_launch launch = launch_of(k_nothing, NULL, 0);
	struct rlimit limit = { 1024, 1024 };
	void *memory[NR_MEMORY], *again;
	struct mem_semaphore *semaphore;
	struct mem_ctx *own;
	struct mem_job *job;
	uint8_t *bytes = NULL;
	int first = -1, fd;
	int of_launch;
	size_t i;

	setrlimit(RLIMIT_NOFILE, &limit);
	if (mem_ctx_open(NULL, &own) || use_all(own, memory, &job) ||
	    use_semaphore(own, &semaphore))
		return 1;
	of_launch = engine_pid_of(own) == getpid() ? 0 : -EBADF;
	close_range(3, UINT_MAX, 0);
	if (takes_numbers) {
		first = take_all_numbers(&bytes);
		if (first < 0)
			return 2;
	}
	if (mem_alloc(own, MEM_KIND_MANAGED, LEN, MEM_ATTACH_HOST, &again))
		return 3;
	memset(again, 7, LEN);
	if (mem_free(own, again))
		return 4;
	if (mem_ptr_export(own, memory[2], &fd) != -EBADF ||
	    mem_ptr_export(own, memory[3], &fd) != -EBADF ||
	    mem_job_fence(job, &fd) != -EBADF)
		return 5;
	if (mem_launch(mem_stream_legacy(own), &launch) ||
	    mem_ctx_sync(own) != of_launch)
		return 6;
	if (mem_stream_wait_semaphore(mem_stream_legacy(own), semaphore) !=
	    -EBADF)
		return 9;
	for (i = 0; i < NR_MEMORY; i++)
		if (mem_free(own, memory[i]))
			return 7;
	mem_semaphore_destroy(semaphore);
	mem_ctx_close(own);
	return takes_numbers && !is_untouched(bytes, first) ? 8 : 0;
}

static void closed_descriptors_harm_no_file(void **state)
{
	char lost[] = "lost", taken[] = "taken";

	(void)state;
	assert_int_equal(status_of(begin_anew, lost), 0);
	assert_int_equal(status_of(begin_anew, taken), 0);
}

/* The size that Linux defines as usual for a signal stack */
#define SMALL_STACK	8192UL
/* The part that the library needs, according to libmem.rst */
#define OUR_PART	3072UL

/* Measures how much of a small signal stack an access needs. */
static int touch_on_small_stack(void)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.soc = "tx2",
		.policy = MEM_POLICY_RECORD,
	};
	const struct mem_launch launch = launch_of(k_nothing, NULL, 0);
	const size_t page_len = (size_t)sysconf(_SC_PAGESIZE);
	const size_t len = (SMALL_STACK + page_len - 1) / page_len * page_len;
	const unsigned long kernels_part = getauxval(AT_MINSIGSTKSZ);
	stack_t stack = { .ss_size = SMALL_STACK };
	volatile uint8_t *memory;
	uint8_t *all, *at;
	struct mem_ctx *own;

	if (mem_ctx_open(&options, &own) ||
	    mem_ctx_watch(own, MEM_WATCH_ERRORS, 8) ||
	    mem_alloc(own, MEM_KIND_MANAGED, LEN, MEM_ATTACH_GLOBAL,
		      (void **)&memory))
		return 1;
	all = mmap(NULL, page_len + len, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED || mprotect(all, page_len, PROT_NONE))
		return 2;
	stack.ss_sp = all + page_len + len - SMALL_STACK;
	memset(stack.ss_sp, 0xab, SMALL_STACK);
	if (sigaltstack(&stack, NULL))
		return 3;
	memory[0] = 1;
	/* The second access is a violation, too. */
	if (mem_launch(mem_stream_legacy(own), &launch))
		return 4;
	memory[0] = 2;
	for (at = stack.ss_sp; *at == 0xab; at++)
		;
	return (uint8_t *)stack.ss_sp + SMALL_STACK - at >
	       (ptrdiff_t)((kernels_part ? kernels_part : 4096) + OUR_PART) ?
	       5 : 0;
}

static void a_touch_takes_little_of_a_small_stack(void **state)
{
	char arg[] = "stack";

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	skip_because("AddressSanitizer has larger frames");
#endif
	assert_int_equal(status_of(begin_anew, arg), 0);
}

/* Makes two system calls fail with ENOSYS, as some containers do. */
static int refuse_calls(unsigned int first, unsigned int second)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(code) / sizeof(*code),
		.filter = code,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

struct files_seen {
	pid_t pid;
	uint32_t nr;
};

static void count_files(const struct mem_block *block, void *args)
{
	struct files_seen *seen = *(struct files_seen **)args;
	int fd;

	(void)block;
	seen->pid = getpid();
	for (fd = 0; fd < 1024; fd++)
		seen->nr += fcntl(fd, F_GETFD) >= 0;
}

/*
 * An engine process must not have files of the program; if it cannot close
 * them, it must not start. If kernels run in the program itself, nothing is
 * closed, and they run.
 */
static int start_without_close_range(bool has_list)
{
	struct files_seen *seen;
	const struct mem_launch launch = launch_of(count_files, &seen,
						   sizeof(seen));
	struct mem_ctx *own;
	int err;

	if (mem_ctx_open(NULL, &own) ||
	    mem_alloc(own, MEM_KIND_PINNED, LEN, 0, (void **)&seen))
		return 1;
	memset(seen, 0, sizeof(*seen));
	while (dup(2) < 100)
		;
	if (refuse_calls(SYS_close_range,
			 has_list ? SYS_close_range : SYS_getdents64))
		return 2;
	if (mem_launch(mem_stream_legacy(own), &launch))
		return 3;
	err = mem_ctx_sync(own);
	if (!err && seen->pid == getpid())
		return seen->nr < 100 ? 6 : 0;
	if (!has_list)
		return err == -EAGAIN ? 0 : 4;
	/* There are 0 to 2, the socket, and the pidfd of the application. */
	return err || seen->nr != 5 ? 5 : 0;
}

static void an_engine_has_no_file_of_the_program(void **state)
{
	char refused[] = "refused", unlisted[] = "unlisted";

	(void)state;
	assert_int_equal(status_of(begin_anew, refused), 0);
	assert_int_equal(status_of(begin_anew, unlisted), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fault_of_its_own_is_the_applications),
		cmocka_unit_test(signals_that_are_blocked_do_not_matter),
		cmocka_unit_test(a_thread_that_opens_a_context_can_touch),
		cmocka_unit_test(a_function_of_a_timer_can_touch),
		cmocka_unit_test(a_child_has_no_window),
		cmocka_unit_test(a_child_gives_back_what_it_has),
		cmocka_unit_test(an_address_in_a_heaps_buffer_tells_it),
		cmocka_unit_test(an_address_beside_memory_is_nobodys),
		cmocka_unit_test(freed_memory_is_nobodys),
		cmocka_unit_test(code_in_a_buffer_does_not_run),
		cmocka_unit_test(a_bare_fork_is_a_child_too),
		cmocka_unit_test(a_fence_can_be_read),
		cmocka_unit_test(the_kernel_reads_and_writes_tracked_memory),
		cmocka_unit_test(an_ioctl_reaches_tracked_memory),
		cmocka_unit_test(what_v4l2_pins_is_there),
		cmocka_unit_test(calls_that_check_lengths_work),
		cmocka_unit_test(the_kernel_is_judged_as_the_cpu),
		cmocka_unit_test(what_a_call_did_not_write_is_not_dirty),
		cmocka_unit_test(many_threads_lose_nothing),
		cmocka_unit_test(a_seed_evicts_the_same_again),
		cmocka_unit_test(nothing_is_evicted_inside_a_call),
		cmocka_unit_test(a_hundred_thousand_buffers_keep_their_bytes),
		cmocka_unit_test(ten_thousand_contexts_leave_no_mapping),
		cmocka_unit_test(it_is_none_of_the_standard_files),
		cmocka_unit_test(results_are_stored_under_no_lock),
		cmocka_unit_test(an_engine_has_no_file_of_the_program),
		cmocka_unit_test(a_touch_takes_little_of_a_small_stack),
		cmocka_unit_test(closed_descriptors_harm_no_file),
	};

	if (argc == 2 && !strcmp(argv[1], "closed"))
		return work_without_standard_files();
	if (argc == 2 && !strcmp(argv[1], "refused"))
		return start_without_close_range(true);
	if (argc == 2 && !strcmp(argv[1], "unlisted"))
		return start_without_close_range(false);
	if (argc == 2 && !strcmp(argv[1], "stack"))
		return touch_on_small_stack();
	if (argc == 2 && !strcmp(argv[1], "lost"))
		return go_on_without_files(false);
	if (argc == 2 && !strcmp(argv[1], "taken"))
		return go_on_without_files(true);
	return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
