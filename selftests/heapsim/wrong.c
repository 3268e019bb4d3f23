// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose arguments choose what it does, right or wrong, for tests of
 * reports. Lines that a report must name have a mark.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/filter.h>
#include <linux/heapsim.h>
#include <linux/seccomp.h>

#define NOBODY		65534
#define LEN		(64 << 10)
#define PAGE		4096
#define MAX_THREADS	4096

/* Some tests preload the library with this function. */
void touch(volatile uint8_t *at) __attribute__((weak));

static int dev;
static int watcher = -1;
static size_t len = LEN;
static int buf;
static volatile uint8_t *map;

static void die(const char *what)
{
	perror(what);
	exit(99);
}

static void buf_open(void)
{
	struct dma_heap_allocation_data alloc = {
		.len = len,
		.fd_flags = O_RDWR | O_CLOEXEC,
	};
	int heap = open("/dev/dma_heap/noncoherent", O_RDWR | O_CLOEXEC);

	dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC);
	if (heap < 0 || dev < 0 || ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &alloc))
		die("buffer");
	close(heap);
	buf = alloc.fd;
	map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, buf, 0);
	if (map == MAP_FAILED)
		die("mmap");
}

static void sync_buf(uint64_t flags)
{
	struct dma_buf_sync sync = { .flags = flags };

	if (ioctl(buf, DMA_BUF_IOCTL_SYNC, &sync))	/* SYNC */
		die("sync");
}

static void job_run(struct heapsim_dma_submit *submit)
{
	struct heapsim_job_wait wait = {
		.size = sizeof(wait),
		.timeout_ns = 10000000000,
	};
	int ret;

	submit->size = sizeof(*submit);
	submit->row_len = len;
	submit->nr_rows = 1;
	if (ioctl(dev, HEAPSIM_IOC_DMA_SUBMIT, submit))	/* SUBMIT */
		die("submit");
	close(submit->fence_fd);
	wait.job = submit->job;
	do
		ret = ioctl(dev, HEAPSIM_IOC_JOB_WAIT, &wait);
	while (ret && errno == EINTR);
	if (ret || wait.status)
		die("wait");
}

static void device_fills(uint32_t pattern)
{
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_FILL,
		.src_fd = -1,
		.dst_fd = buf,
		.pattern = pattern,
	};

	job_run(&submit);
}

static void device_reads(void)
{
	struct heapsim_dma_submit submit = {
		.op = HEAPSIM_DMA_CHECKSUM,
		.src_fd = buf,
		.dst_fd = -1,
	};

	job_run(&submit);
}

/* Only an open that watches may revoke, so one is made that gets no records. */
static void watcher_open(void)
{
	struct heapsim_watch watch = {
		.size = sizeof(watch),
		.scope = HEAPSIM_WATCH_PROCESS,
		.nr_records = 1,
		.record_size = sizeof(struct heapsim_record),
	};

	if (watcher >= 0)
		return;
	watcher = open("/dev/heapsim", O_RDWR | O_CLOEXEC);
	if (watcher < 0 || ioctl(watcher, HEAPSIM_IOC_WATCH, &watch))
		die("watch");
}

static void revoke_buf(void)
{
	struct heapsim_buf_revoke revoke = {
		.size = sizeof(revoke),
		.fd = buf,
	};

	watcher_open();
	if (ioctl(watcher, HEAPSIM_IOC_BUF_REVOKE, &revoke))
		die("revoke");
}

static int right(void)
{
	size_t i;

	for (i = 1; i < 4; i++) {
		sync_buf(DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
		map[0] = i;
		sync_buf(DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
		device_reads();
		device_fills(0x01010101 * i);
		sync_buf(DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ);
		if (map[LEN - 1] != i)
			return 1;
		sync_buf(DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ);
	}
	return 0;
}

static inline __attribute__((always_inline)) uint8_t peek(size_t off)
{
	return map[off];	/* PEEK */
}

static int stale(void)
{
	peek(0);
	device_fills(0x02020202);
	revoke_buf();
	return peek(4200) == 2;	/* STALE */
}

/* Reads two lines of a page; tracking by pages detects only the first. */
static int pair(void)
{
	peek(0);
	device_fills(0x02020202);
	revoke_buf();
	peek(128);		/* FIRST */
	peek(256);		/* SECOND */
	return 0;
}

/* Recurses over a tree whose leaves are pages, so each has its own stack. */
static void __attribute__((noinline)) tree(int first, int nr)
{
	if (nr == 1) {
		peek(first * PAGE);
		return;
	}
	tree(first, nr / 2);	/* TREE */
	tree(first + nr / 2, nr / 2);
	/* The compiler must not replace the call above by a jump. */
	__asm__ volatile("");
}

static int recursive(void)
{
	peek(0);
	device_fills(0x02020202);
	revoke_buf();
	tree(0, LEN / PAGE);
	return 0;
}

static int no_end(void)
{
	map[100] = 1;		/* STORE */
	device_reads();
	return 0;
}

static int in_bracket(void)
{
	sync_buf(DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);	/* START */
	return 0;
}

/* Each store faults, since PTEs are revoked before it. */
static int long_bracket(int nr)
{
	in_bracket();		/* LONG */
	while (nr--) {
		revoke_buf();
		map[0] = nr;
	}
	return 0;
}

static int wasteful(int nr)
{
	while (nr--) {
		sync_buf(DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
		sync_buf(DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
	}
	return 0;
}

/* Counts requests to end, until there was none for two seconds. */
static int asked(void)
{
	const struct timespec quiet = { .tv_sec = 2 };
	sigset_t set;
	int nr = 1;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	puts("there");
	fflush(stdout);
	sigwaitinfo(&set, NULL);
	while (sigtimedwait(&set, NULL, &quiet) > 0)
		nr++;
	return nr;
}

static int waste(void)
{
	return wasteful(5);
}

static pthread_barrier_t all_there;

static void *stale_once(void *arg)
{
	const size_t page = (uintptr_t)arg;
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_barrier_wait(&all_there);
	peek(page * PAGE);	/* THREAD */
	return NULL;
}

/*
 * All threads read at once, with all signals blocked. Each has its own page,
 * since only the first reader of a page would fault.
 */
static int threads(int nr)
{
	static pthread_t thread[MAX_THREADS];
	pthread_attr_t attr;
	int i;

	if (nr < 1 || nr > MAX_THREADS)
		return 1;
	pthread_barrier_init(&all_there, NULL, nr);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 128 << 10);
	len = (size_t)nr * PAGE;
	buf_open();
	for (i = 0; i < nr; i++)
		peek((size_t)i * PAGE);
	device_fills(0x03030303);
	revoke_buf();
	for (i = 0; i < nr; i++)
		if (pthread_create(&thread[i], &attr, stale_once,
				   (void *)(uintptr_t)i))
			die("thread");
	for (i = 0; i < nr; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

/* Each read makes its own record. */
static int many(int nr)
{
	peek(0);
	device_fills(0x04040404);
	while (nr--) {
		revoke_buf();
		peek(nr % LEN);	/* MANY */
	}
	return 0;
}

static pthread_t hit_thread;
static volatile bool is_hit;

static void on_hit(int number)
{
	(void)number;
}

static void *hit_on(void *arg)
{
	(void)arg;
	while (is_hit)
		pthread_kill(hit_thread, SIGUSR1);
	return NULL;
}

/* Another signal is pending at the submission, and at the read. */
static int hit(int nr)
{
	pthread_t thread;

	signal(SIGUSR1, on_hit);
	hit_thread = pthread_self();
	is_hit = true;
	peek(0);
	if (pthread_create(&thread, NULL, hit_on, NULL))
		die("thread");
	while (nr--) {
		device_fills(0x05050505);
		revoke_buf();
		peek(64);	/* HIT */
	}
	is_hit = false;
	pthread_join(thread, NULL);
	return 0;
}

static int children(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		buf_open();
		_exit(stale());
	}
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
	return !WIFEXITED(status) || WEXITSTATUS(status);
}

static void mistakes(void)
{
	stale();
	no_end();
	sync_buf(DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW);
	sync_buf(DMA_BUF_SYNC_END | DMA_BUF_SYNC_RW);
}

/* Runs for a limited time, during which it makes records all the time. */
static int lives(int nr)
{
	while (nr--)
		mistakes();
	return 0;
}

/* The process is killed after some time, wherever it is. */
static int killed_after(int us)
{
	pid_t pid = getpid();

	if (!fork()) {
		usleep(us);
		kill(pid, SIGKILL);
		_exit(0);
	}
	for (;;)
		mistakes();
}

static void hold(uint32_t how)
{
	struct heapsim_hold hold = {
		.size = sizeof(hold),
		.how = how,
		.fd = buf,
	};
	struct heapsim_release release = { .size = sizeof(release) };

	if (ioctl(dev, HEAPSIM_IOC_HOLD, &hold))
		die("hold");
	release.hold = hold.hold;
	if (ioctl(dev, HEAPSIM_IOC_RELEASE, &release))
		die("release");
}

static int held(void)
{
	hold(HEAPSIM_HOLD_MAP);
	hold(HEAPSIM_HOLD_VMAP);
	return 0;
}

/* Makes many events without a mistake: START, clean and END. */
static int flood(int nr)
{
	while (nr--) {
		sync_buf(DMA_BUF_SYNC_START | DMA_BUF_SYNC_WRITE);
		map[0] = nr;
		sync_buf(DMA_BUF_SYNC_END | DMA_BUF_SYNC_WRITE);
	}
	return 0;
}

/* Leaves a process that continues after the program has ended. */
static int daemon_left(int ms)
{
	if (fork())
		return 0;
	setsid();
	usleep(ms * 1000);
	_exit(stale());
}

/* Prints all differences that a program can see under heapsim run. */
static int looks_around(void)
{
	struct sigaction action = { .sa_handler = SIG_IGN };
	sigset_t set;
	int fd;

	printf("fds");
	for (fd = 0; fd < 64; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf(" %d", fd);
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigprocmask(SIG_BLOCK, NULL, &set);
	printf("\nblocked %d\n", sigismember(&set, SIGUSR1));
	printf("last %d\n", sigaction(SIGRTMAX, &action, NULL));
	return 0;
}

static void unwanted(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	_exit(97);
}

/* The program handles the signal itself, with a direct system call. */
static int own_signal(void)
{
	const struct {
		void (*handler)(int number, siginfo_t *info, void *context);
		unsigned long flags;
		void *restorer;
		uint64_t mask;
	} own = { .handler = unwanted, .flags = SA_SIGINFO };

	if (syscall(SYS_rt_sigaction, 64, &own, NULL, sizeof(own.mask)))
		die("rt_sigaction");
	return stale();
}

/* A filter kills the process if it opens a file. */
static int sandboxed(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]),
		.filter = filter,
	};

	watcher_open();
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		die("seccomp");
	return stale();
}

/* root becomes a user who may not read root's files. */
static int other_user(void)
{
	watcher_open();
	if (setuid(NOBODY))
		die("setuid");
	return stale();
}

/* The C library has this function, but no header declares it. */
int capset(void *header, const void *caps);

static int caps_drop(void)
{
	/* _LINUX_CAPABILITY_VERSION_3, for the calling thread */
	uint32_t header[] = { 0x20080522, 0 };
	const uint32_t none[6] = { 0 };

	return capset(header, none);
}

/* Gives up rights in one of several ways; returns -1 if this fails. */
static int right_drop(int which)
{
	switch (which) {
	case 0:
		return seteuid(NOBODY);
	case 1:
		return setreuid(-1, NOBODY);
	case 2:
		return setresuid(-1, NOBODY, -1);
	case 3:
		return setfsuid(NOBODY);
	case 4:
		return setgid(NOBODY);
	case 5:
		return setegid(NOBODY);
	case 6:
		return setregid(-1, NOBODY);
	case 7:
		return setresgid(-1, NOBODY, -1);
	case 8:
		return setfsgid(NOBODY);
	case 9:
		return chroot("/dev");
	case 10:
		return caps_drop();
	case 11:
		return prctl(PR_SET_DUMPABLE, 0);
	case 12:
		return unshare(CLONE_NEWNS);
	default:
		errno = EINVAL;
		return -1;
	}
}

/* Each way runs in its own process, which has done nothing before. */
static int rights(int nr)
{
	int status;

	while (nr--) {
		const pid_t child = fork();

		if (child < 0)
			die("fork");
		if (!child) {
			buf_open();
			watcher_open();
			if (right_drop(nr) < 0)
				die("right");
			_exit(stale());
		}
		if (waitpid(child, &status, 0) != child || status)
			return 1;
	}
	return 0;
}

/* The library was found by a relative path, which is no longer valid. */
static int in_library(void)
{
	if (!touch || chdir("/"))
		die("libtouch.so");
	touch(&map[100]);
	device_reads();
	return 0;
}

static int aborted(void)
{
	stale();
	abort();
}

static volatile uint8_t *context_alloc(uint32_t kind, uint32_t attach,
				       uint64_t *id)
{
	struct heapsim_buf_alloc alloc = {
		.size = sizeof(alloc),
		.fd_flags = O_RDWR | O_CLOEXEC,
		.len = LEN,
		.kind = kind,
		.attach = attach,
		.name = "tensor",
	};
	void *at;

	if (ioctl(dev, HEAPSIM_IOC_BUF_ALLOC, &alloc))	/* MEMORY */
		die("buffer of a context");
	at = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, alloc.fd, 0);
	if (at == MAP_FAILED)
		die("mmap");
	*id = alloc.id;
	return at;
}

static void stream_add(uint64_t stream)
{
	struct heapsim_stream_id id = { .size = sizeof(id), .stream = stream };

	if (ioctl(dev, HEAPSIM_IOC_STREAM_ADD, &id))
		die("stream");
}

static void stream_state(uint64_t stream, uint32_t flags)
{
	struct heapsim_stream_state state = {
		.size = sizeof(state),
		.flags = flags,
		.stream = stream,
	};

	if (ioctl(dev, HEAPSIM_IOC_STREAM_STATE, &state))
		die("state of a stream");
}

static void work_submit(uint64_t stream, uint64_t work)
{
	struct heapsim_work_add add = {
		.size = sizeof(add),
		.stream = stream,
		.work = work,
		.name = "gpu",
	};

	if (ioctl(dev, HEAPSIM_IOC_WORK_ADD, &add))	/* LAUNCH */
		die("work");
	stream_state(stream, HEAPSIM_STREAM_ACTIVE);
}

static int while_active(void)
{
	uint64_t id;

	stream_add(1);
	map = context_alloc(HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_GLOBAL, &id);
	peek(0);
	work_submit(1, 1);
	peek(70);	/* ACTIVE */
	stream_state(1, 0);
	peek(70);
	return 0;
}

static int not_attached(void)
{
	struct heapsim_work_report report = {
		.size = sizeof(report),
		.access = HEAPSIM_ACCESS_WRITE,
		.work = 1,
	};
	struct heapsim_buf_attach attach = {
		.size = sizeof(attach),
		.flags = HEAPSIM_ATTACH_NEWEST,
		.stream = 1,
		.attach = HEAPSIM_ATTACH_SINGLE,
		.right = HEAPSIM_RIGHT_TABLE,
	};
	uint64_t id;

	stream_add(1);
	context_alloc(HEAPSIM_KIND_MANAGED, HEAPSIM_ATTACH_HOST, &id);
	report.buf = id;
	attach.buf = id;
	if (ioctl(dev, HEAPSIM_IOC_BUF_ATTACH, &attach))	/* SINGLE */
		die("attach");
	work_submit(0, 1);	/* ALONE */
	if (ioctl(dev, HEAPSIM_IOC_WORK_REPORT, &report))
		die("report");
	return 0;
}

static void work_start(int fd, uint64_t work)
{
	struct heapsim_work_start start = {
		.size = sizeof(start),
		.work = work,
	};

	if (ioctl(fd, HEAPSIM_IOC_WORK_START, &start))
		die("start of a work");
}

static void work_finish(int fd, uint64_t work)
{
	struct heapsim_work_finish finish = {
		.size = sizeof(finish),
		.work = work,
	};

	if (ioctl(fd, HEAPSIM_IOC_WORK_FINISH, &finish))
		die("end of a work");
}

/* Two opens run works at once, with the same ids; the last never ends. */
static int works_of_two(void)
{
	int first = dev, other = open("/dev/heapsim", O_RDWR | O_CLOEXEC);
	uint64_t i;

	if (other < 0)
		die("another open");
	for (i = 1; i <= 3; i++) {
		work_submit(0, i);
		dev = other;
		work_submit(0, i);
		dev = first;
		work_start(first, i);
		work_start(other, i);
		work_finish(first, i);
		if (i < 3)
			work_finish(other, i);
	}
	return 0;
}

static int on_device(void)
{
	uint64_t id;

	map = context_alloc(HEAPSIM_KIND_DEVICE, 0, &id);
	peek(5000);	/* DEVICE */
	return 0;
}

/* Waits, so that the process can be inspected. */
static int linger(int ret, int ms)
{
	usleep(ms * 1000);
	return ret;
}

static const struct {
	const char *name;
	int (*run)(void);
} works[] = {
	{ "right", right },
	{ "stale", stale },
	{ "pair", pair },
	{ "recursive", recursive },
	{ "no-end", no_end },
	{ "in-bracket", in_bracket },
	{ "waste", waste },
	{ "held", held },
	{ "own-signal", own_signal },
	{ "sandboxed", sandboxed },
	{ "other-user", other_user },
	{ "in-library", in_library },
	{ "abort", aborted },
	{ "while-active", while_active },
	{ "not-attached", not_attached },
	{ "works-of-two", works_of_two },
	{ "on-device", on_device },
};

static const struct {
	const char *name;
	int (*run)(int n);
} counted[] = {
	{ "threads", threads },
	{ "many", many },
	{ "wasteful", wasteful },
	{ "flood", flood },
	{ "rights", rights },
	{ "long-bracket", long_bracket },
	{ "hit", hit },
	{ "lives", lives },
	{ "killed-after", killed_after },
	{ "daemon", daemon_left },
};

int main(int argc, char **argv)
{
	const struct rlimit no_core = { 0, 0 };
	size_t i;

	setrlimit(RLIMIT_CORE, &no_core);
	if (argc < 2)
		return 98;
	if (!strcmp(argv[1], "look"))
		return looks_around();
	if (!strcmp(argv[1], "children"))
		return children();
	if (!strcmp(argv[1], "asked"))
		return asked();
	buf_open();
	for (i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		if (!strcmp(argv[1], works[i].name))
			return linger(works[i].run(),
				      argc > 2 ? atoi(argv[2]) : 0);
	for (i = 0; argc > 2 && i < sizeof(counted) / sizeof(counted[0]); i++)
		if (!strcmp(argv[1], counted[i].name))
			return counted[i].run(atoi(argv[2]));
	return 98;
}
