// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that makes one mistake with libmem, for the tests of `heapsim run`.
 * The argument names the mistake; with the prefix "right-" the program does the
 * same without it. Lines that a test searches for have a mark.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include <libmem.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "../../libmem/compat.h"

#define LEN	16384
#define NR_THREADS	64

static struct mem_ctx *ctx;
static char **args;
/* The mistake is not made. */
static int is_right;
static volatile unsigned char sink;
static unsigned char host_global;

static void check(int ret, const char *what)
{
	if (ret < 0)
		errx(3, "%s: %s", what, strerror(-ret));
}

#define CHECK(call)	check(call, #call)

__attribute__((noinline))
static struct mem_buf *make(const char *name, unsigned char **p)
{
	struct mem_buf *buf;
	void *addr;

	CHECK(mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, LEN, name, /* MAKE */
			    &buf));
	CHECK(mem_buf_map(buf, &addr));
	*p = addr;
	return buf;
}

__attribute__((noinline))
static void finish(struct mem_job *job)
{
	CHECK(mem_job_wait(job, MEM_WAIT_FOREVER, NULL));
	mem_job_destroy(job);
}

__attribute__((noinline))
static void device_fills(struct mem_buf *buf, uint32_t pattern)
{
	struct mem_job *job;

	CHECK(mem_job_fill(buf, 0, LEN, pattern, &job)); /* FILL */
	finish(job);
}

__attribute__((noinline))
static void device_reads(struct mem_buf *buf)
{
	struct mem_job *job;

	CHECK(mem_job_checksum(buf, 0, LEN, &job)); /* SUM */
	finish(job);
}

__attribute__((noinline))
static unsigned char peek(const volatile unsigned char *p)
{
	return *p; /* PEEK */
}

__attribute__((noinline))
static void poke(volatile unsigned char *p, unsigned char value)
{
	*p = value; /* POKE */
}

static void begin(struct mem_buf *buf, unsigned int access)
{
	CHECK(mem_buf_begin(buf, access)); /* BEGIN */
}

static void end(struct mem_buf *buf, unsigned int access)
{
	CHECK(mem_buf_end(buf, access)); /* END */
}

static void stale(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);

	begin(buf, MEM_READ);
	sink = peek(p + 4200);
	end(buf, MEM_READ);
	device_fills(buf, 0x11223344);
	if (is_right)
		begin(buf, MEM_READ);
	sink = peek(p + 4200); /* STALE */
	if (is_right)
		end(buf, MEM_READ);
	mem_buf_destroy(buf);
}

/* Both lines are stale, but they share a page. */
static void second(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);

	begin(buf, MEM_READ);
	sink = peek(p);
	end(buf, MEM_READ);
	device_fills(buf, 0x11223344);
	if (is_right)
		begin(buf, MEM_READ);
	sink = peek(p + 128); /* LINE_2 */
	sink = peek(p + 256); /* LINE_4 */
	if (is_right)
		end(buf, MEM_READ);
	mem_buf_destroy(buf);
}

static void missing_clean(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);

	begin(buf, MEM_WRITE);
	poke(p + 64, 7); /* STORE */
	if (is_right)
		end(buf, MEM_WRITE);
	device_reads(buf);
	if (!is_right)
		end(buf, MEM_WRITE);
	mem_buf_destroy(buf);
}

static void conflict(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);

	begin(buf, MEM_WRITE);
	poke(p + 128, 7); /* CONFLICT */
	if (is_right)
		end(buf, MEM_WRITE);
	device_fills(buf, 1);
	if (!is_right)
		CHECK(mem_buf_end(buf, MEM_WRITE));
	mem_buf_destroy(buf);
}

/*
 * The bracket ends before the CPU has written: what it writes is missed by a
 * read, collides with a write, and is dropped by the next START. Other stores,
 * whose END is missing, and the read of old bytes are mistakes of their own.
 */
static void early_end(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);
	int i;

	for (i = 0; i < 3; i++) {
		device_fills(buf, i);
		begin(buf, MEM_RW);
		if (!is_right)
			end(buf, MEM_RW);
		poke(p + 512, i + 7); /* AFTER */
		if (is_right)
			end(buf, MEM_RW);
		device_reads(buf);
	}
	begin(buf, MEM_RW);
	poke(p + 1024, 9); /* OTHER */
	if (is_right)
		end(buf, MEM_RW);
	device_reads(buf);
	device_fills(buf, 1);
	if (is_right)
		begin(buf, MEM_READ);
	sink = peek(p + 1024);
	end(buf, is_right ? MEM_READ : MEM_RW);
	mem_buf_destroy(buf);
}

/*
 * The stores without a bracket seem to have no effect, unless lines are
 * evicted.
 */
static void late_store(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);
	int i;

	begin(buf, MEM_READ);
	for (i = 0; i < LEN; i += 4096)
		sink = peek(p + i);
	end(buf, MEM_READ);
	device_fills(buf, 0x55555555);
	if (is_right)
		begin(buf, MEM_RW);
	for (i = 0; i < 8 * LEN; i += 256)
		poke(p + i % LEN, 1); /* LATE */
	if (is_right)
		end(buf, MEM_RW);
	mem_buf_destroy(buf);
}

/*
 * Invalidates only the first part, but reads all. Lines that were never in the
 * cache are fresh, unless the cache has prefetched them.
 */
static void partly(void)
{
	const size_t part = 65536, len = 4 * part;
	unsigned int nr_old = 0;
	struct mem_job *job;
	struct mem_buf *buf;
	unsigned char *p;
	void *addr;
	size_t i;

	CHECK(mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, len, "frame", &buf));
	CHECK(mem_buf_map(buf, &addr));
	p = addr;
	begin(buf, MEM_READ);
	for (i = 0; i < part; i += 4096)
		sink = peek(p + i);
	end(buf, MEM_READ);
	CHECK(mem_job_fill(buf, 0, len, 0x11111111, &job)); /* WHOLE */
	finish(job);
	CHECK(mem_buf_begin_range(buf, 0, is_right ? len : part, MEM_READ));
	for (i = 0; i < len; i += 4096)
		nr_old += peek(p + i) != 0x11; /* PARTLY */
	printf("%u old bytes\n", nr_old);
	mem_buf_destroy(buf);
}

/* Uses buffers in all right ways, several times. */
static void frames(void)
{
	unsigned char *p, *q, all[LEN];
	struct mem_buf *in = make("in", &p);
	struct mem_buf *out = make("out", &q);
	int fds[2], i, j;

	if (pipe(fds))
		err(3, "pipe");
	for (i = 1; i < 20; i++) {
		begin(out, MEM_WRITE);
		for (j = 0; j < LEN; j++)
			poke(q + j, i);
		end(out, MEM_WRITE);
		device_reads(out);
		device_fills(in, i * 0x01010101);
		if (is_right)
			begin(in, MEM_READ);
		for (j = 0; j < LEN; j++)
			if (peek(p + j) != i && is_right) /* FRAMES */
				errx(4, "frame %d: an old byte at %d", i, j);
		/* The system call accesses all pages. */
		if (write(fds[1], p, LEN) != LEN)
			err(3, "write");
		if (is_right)
			end(in, MEM_READ);
		begin(out, MEM_RW);
		if (read(fds[0], q, LEN) != LEN)
			err(3, "read");
		memcpy(all, q, LEN);
		end(out, MEM_RW);
		for (j = 0; j < LEN && is_right; j++)
			if (all[j] != i)
				errx(4, "frame %d: another byte at %d", i, j);
	}
	mem_buf_destroy(in);
	mem_buf_destroy(out);
}

static void lost_cpu_write(void)
{
	struct mem_range range = {
		.op = MEM_MAINT_INVALIDATE,
		.len = LEN,
	};
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);

	begin(buf, MEM_WRITE);
	poke(p, 7); /* LOST */
	if (is_right)
		end(buf, MEM_WRITE);
	range.buf = buf;
	CHECK(mem_buf_maintain(ctx, &range, 1, NULL)); /* DROP */
	if (!is_right)
		end(buf, MEM_WRITE);
	mem_buf_destroy(buf);
}

static void lost_device_write(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);

	begin(buf, MEM_READ);
	sink = peek(p);
	end(buf, MEM_READ);
	device_fills(buf, 0x55555555);
	begin(buf, is_right ? MEM_RW : MEM_WRITE);
	poke(p + 5, 1); /* BESIDE */
	end(buf, is_right ? MEM_RW : MEM_WRITE);
	mem_buf_destroy(buf);
}

/*
 * If the job is done before the CPU reads, this is another mistake. The time
 * that is needed on a busy machine is not known. If the job was too short, the
 * program says so, and the test runs it again with a longer job.
 */
static void early(void)
{
	const char *ms = getenv("MISTAKES_JOB_MS");
	struct mem_copy2d copy = {
		.size = sizeof(copy),
		.row_len = LEN,
		.nr_rows = 1,
		.delay_ns = (ms ? strtoul(ms, NULL, 10) : 100) * 1000000,
	};
	unsigned char *p, *q;
	struct mem_buf *buf = make("frame", &p);
	struct mem_buf *from = make("source", &q);
	struct mem_job *job;

	copy.dst = buf;
	copy.src = from;
	CHECK(mem_job_copy2d(&copy, &job));
	if (is_right)
		begin(buf, MEM_READ);
	sink = peek(p); /* EARLY */
	if (is_right)
		end(buf, MEM_READ);
	else if (mem_job_wait(job, 0, NULL) != -ETIMEDOUT)
		exit(EX_TEMPFAIL);
	finish(job);
	mem_buf_destroy(buf);
	mem_buf_destroy(from);
}

static void open_bracket(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);

	begin(buf, MEM_WRITE); /* OPEN */
	poke(p, 1);
	if (is_right)
		end(buf, MEM_WRITE);
	mem_buf_destroy(buf);
}

/* The buffer is not freed, so the end of the process shows the mistake. */
static void exit_in_bracket(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);

	begin(buf, MEM_WRITE); /* EXIT */
	poke(p, 1);
	if (is_right) {
		end(buf, MEM_WRITE);
		mem_buf_destroy(buf);
	}
	_exit(0);
}

static void no_begin(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);

	if (is_right)
		begin(buf, MEM_WRITE);
	end(buf, MEM_WRITE); /* NOBEGIN */
	mem_buf_destroy(buf);
}

/* A system call accesses the buffer, so the report must name its caller. */
static void by_call(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		err(3, "socketpair");
	begin(buf, MEM_READ);
	sink = peek(p);
	end(buf, MEM_READ);
	device_fills(buf, 2);
	if (is_right)
		begin(buf, MEM_READ);
	if (write(fds[0], p, 100) != 100) /* CALL */
		err(3, "write");
	if (is_right)
		end(buf, MEM_READ);
	mem_buf_destroy(buf);
}

static void redundant(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);
	int i;

	for (i = 0; i < 5 && !is_right; i++)
		CHECK(mem_buf_end_range(buf, 0, LEN, MEM_WRITE)); /* CLEAN */
	for (i = 0; i < 3 && !is_right; i++)
		CHECK(mem_buf_begin_range(buf, 0, LEN, MEM_READ)); /* INVAL */
	mem_buf_destroy(buf);
}

__attribute__((noinline))
static void leak_one(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("leaked", &p); /* LEAK */

	if (is_right)
		mem_buf_destroy(buf);
}

/* A buffer that is still referenced at the end is no leak. */
static void leak(void)
{
	volatile int i;
	void *ptr;

	for (i = 0; i < 3; i++)
		leak_one();
	CHECK(mem_alloc(ctx, MEM_KIND_PINNED, LEN, 0, &ptr));
	CHECK(mem_set_lasting(ctx, ptr));
	CHECK(mem_set_lasting(ctx, ptr));
}

static void leak_job(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);
	struct mem_job *job;

	CHECK(mem_job_fill(buf, 0, LEN, 1, &job)); /* JOB */
	CHECK(mem_job_wait(job, MEM_WAIT_FOREVER, NULL));
	if (is_right)
		mem_job_destroy(job);
	mem_buf_destroy(buf);
}

static void leak_streams(void)
{
	struct mem_stream *streams[2];
	int i;

	for (i = 0; i < 2; i++)
		CHECK(mem_stream_create(ctx, 0, 0, &streams[i])); /* STREAM */
	/* The library's own streams are no leak. */
	CHECK(mem_stream_sync(mem_stream_legacy(ctx)));
	CHECK(mem_stream_destroy(streams[1]));
	if (is_right)
		CHECK(mem_stream_destroy(streams[0]));
	CHECK(mem_stream_per_thread(ctx, &streams[0]));
}

static void leak_event(void)
{
	struct mem_event *event;

	CHECK(mem_event_create(ctx, 0, &event)); /* EVENT */
	CHECK(mem_event_record(event, mem_stream_legacy(ctx)));
	if (is_right)
		mem_event_destroy(event);
}

static void leak_registration(void)
{
	void *host = aligned_alloc(4096, LEN);

	CHECK(mem_register(ctx, host, LEN, 0)); /* REGISTER */
	if (is_right) {
		CHECK(mem_unregister(ctx, host));
		free(host);
	}
}

static void free_registered(void)
{
	void *host = mmap(NULL, LEN, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(mem_register(ctx, host, LEN, 0));
	if (!is_right)
		munmap(host, LEN);
	CHECK(mem_unregister(ctx, host)); /* UNREGISTER */
}

static void *mistakes_thread(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < 10; i++)
		stale();
	return NULL;
}

/* All threads make the same mistake at the same place. */
static void threads(void)
{
	pthread_t all[NR_THREADS];
	int i;

	for (i = 0; i < NR_THREADS; i++)
		CHECK(-pthread_create(&all[i], NULL, mistakes_thread, NULL));
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(all[i], NULL);
}

/* A process with contexts forks, and the child runs another program. */
static void forks(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);
	pid_t pid = fork();
	int status;

	if (pid < 0)
		err(3, "fork");
	if (!pid) {
		args[1] = is_right ? "right-stale" : "stale";
		execv("/proc/self/exe", args);
		_exit(4);
	}
	waitpid(pid, &status, 0);
	mem_buf_destroy(buf);
	stale(); /* FORKS */
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 5);
}

/* The child does nothing; its copies of objects are no leaks. */
static void fork_only(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);
	pid_t pid = fork();

	if (pid < 0)
		err(3, "fork");
	if (pid)
		waitpid(pid, NULL, 0);
	mem_buf_destroy(buf);
}

/* Makes mistakes at one place until the process is killed. */
static void busy(void)
{
	unsigned int i;

	for (i = 0;; i++) {
		stale();
		if (i)
			continue;
		puts("busy");
		fflush(stdout);
	}
}

static void killed(void)
{
	if (is_right)
		return;
	stale();
	raise(SIGKILL);
}

/* Makes more findings than there is room for: each buffer has another name. */
static void many(void)
{
	unsigned long nr = is_right ? 10 : strtoul(args[2], NULL, 10), i;

	for (i = 0; i < nr; i++) {
		char name[MEM_NAME_LEN];
		unsigned char *p;
		struct mem_buf *buf;

		snprintf(name, sizeof(name), "b%lu", i);
		buf = make(name, &p);
		if (is_right)
			begin(buf, MEM_WRITE);
		end(buf, MEM_WRITE);
		mem_buf_destroy(buf);
	}
}

/* The program's own handler must still get its faults. */
static void on_segv(int sig)
{
	(void)sig;
	_exit(42);
}

static void segv(void)
{
	volatile int *volatile nowhere = NULL;

	signal(SIGSEGV, on_segv);
	stale();
	if (!is_right)
		*nowhere = 1;
}

static void *make_memory(enum mem_kind kind, unsigned int flags)
{
	void *ptr;

	CHECK(mem_alloc(ctx, kind, LEN, flags, &ptr)); /* MEMORY */
	CHECK(mem_set_name(ctx, ptr, "pixels"));
	return ptr;
}

static struct mem_stream *make_stream(void)
{
	struct mem_stream *stream;

	CHECK(mem_stream_create(ctx, 0, 0, &stream));
	return stream;
}

/* Stores to the address in its argument. */
static void k_store(const struct mem_block *block, void *arg)
{
	(void)block;
	**(volatile unsigned char **)arg = 1; /* KERNEL */
}

/* Exits if its argument is NULL. */
static void k_leave(const struct mem_block *block, void *arg)
{
	(void)block;
	if (!*(void **)arg)
		exit(0);
}

static void k_count(const struct mem_block *block, void *arg)
{
	(void)block;
	__atomic_fetch_add(*(int **)arg, 1, __ATOMIC_SEQ_CST); /* COUNT */
}

__attribute__((noinline))
static void start_kernel(struct mem_stream *stream, mem_kernel kernel,
			 void *where)
{
	const struct mem_launch launch = {
		.size = sizeof(launch),
		.kernel = kernel,
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
		.args = &where,
		.args_len = sizeof(where),
	};

	CHECK(mem_launch(stream, &launch)); /* LAUNCH */
}

static void start(struct mem_stream *stream, void *where)
{
	start_kernel(stream, k_store, where);
}

static void while_active(void)
{
	unsigned char *p = make_memory(MEM_KIND_MANAGED, MEM_ATTACH_GLOBAL);
	struct mem_stream *stream = make_stream();

	start(stream, p);
	if (is_right)
		CHECK(mem_stream_sync(stream));
	sink = peek(p); /* ACTIVE */
	CHECK(mem_stream_sync(stream));
	CHECK(mem_stream_destroy(stream));
	CHECK(mem_free(ctx, p));
}

/* The kernel writes a struct, and reads a path. */
static void struct_while_active(void)
{
	char *p = make_memory(MEM_KIND_MANAGED, MEM_ATTACH_GLOBAL);
	struct mem_stream *stream = make_stream();

	strcpy(p + 4096, "/");
	start(stream, p);
	if (is_right)
		CHECK(mem_stream_sync(stream));
	if (stat("/", (struct stat *)(p + 64))) /* STRUCT */
		err(3, "stat");
	if (access(p + 4096, R_OK)) /* PATH */
		err(3, "access");
	CHECK(mem_stream_sync(stream));
	CHECK(mem_stream_destroy(stream));
	CHECK(mem_free(ctx, p));
}

static void not_attached(void)
{
	unsigned char *p = make_memory(MEM_KIND_MANAGED, MEM_ATTACH_HOST);
	struct mem_stream *stream = make_stream();

	if (is_right)
		CHECK(mem_stream_attach(stream, p, 0, MEM_ATTACH_SINGLE));
	start(stream, p); /* ATTACH */
	CHECK(mem_stream_sync(stream));
	CHECK(mem_stream_destroy(stream));
	CHECK(mem_free(ctx, p));
}

/* After a wait for the context, the CPU reads the bytes of such a job. */
static void not_attached_read(void)
{
	unsigned char *p = make_memory(MEM_KIND_MANAGED, MEM_ATTACH_HOST);
	struct mem_stream *stream = make_stream();

	sink = peek(p);
	if (is_right)
		CHECK(mem_stream_attach(stream, p, 0, MEM_ATTACH_SINGLE));
	start(stream, p);
	CHECK(mem_ctx_sync(ctx));
	sink = peek(p); /* UNATTACHED */
	CHECK(mem_stream_destroy(stream));
	CHECK(mem_free(ctx, p));
}

/* There are more attaches than a record has room for; the last is wrong. */
static void attached_often(void)
{
	unsigned char *p = make_memory(MEM_KIND_MANAGED, MEM_ATTACH_GLOBAL);
	struct mem_stream *a = make_stream(), *b = make_stream();
	struct mem_stream *null = mem_stream_legacy(ctx);

	CHECK(mem_stream_attach(a, p, 0, MEM_ATTACH_SINGLE));
	CHECK(mem_stream_attach(a, p, 0, MEM_ATTACH_HOST)); /* FOURTH */
	CHECK(mem_stream_attach(b, p, 0, MEM_ATTACH_SINGLE)); /* THIRD */
	CHECK(mem_stream_destroy(b)); /* SECOND */
	CHECK(mem_stream_attach(null, p, 0, MEM_ATTACH_HOST)); /* NEWEST */
	if (is_right)
		CHECK(mem_stream_attach(a, p, 0, MEM_ATTACH_SINGLE));
	start(a, p); /* OFTEN */
	CHECK(mem_stream_sync(a));
	CHECK(mem_stream_destroy(a));
	CHECK(mem_free(ctx, p));
}

static void on_device(void)
{
	unsigned char *p = make_memory(is_right ? MEM_KIND_PINNED :
						  MEM_KIND_DEVICE, 0);

	sink = peek(p); /* DEVICE */
	CHECK(mem_free(ctx, p));
}

/* The mistake needs a board with a capability below 7.2. */
static void on_uncached(void)
{
	unsigned char *p = make_memory(is_right ? MEM_KIND_DEVICE :
						  MEM_KIND_PINNED, 0);
	struct mem_stream *stream = make_stream();

	start_kernel(stream, k_count, p); /* UNCACHED */
	CHECK(mem_stream_sync(stream));
	CHECK(mem_stream_destroy(stream));
	CHECK(mem_free(ctx, p));
}

static void failed(void)
{
	unsigned char *p = make_memory(MEM_KIND_DEVICE, 0);
	struct mem_stream *stream = make_stream();

	start_kernel(stream, k_leave, is_right ? p : NULL); /* FAILED */
	if (mem_stream_sync(stream) == -EIO && !is_right)
		return;
	CHECK(mem_stream_destroy(stream));
	CHECK(mem_free(ctx, p));
}

static void illegal(void)
{
	unsigned char *p = make_memory(MEM_KIND_DEVICE, 0);
	struct mem_stream *stream = make_stream();

	start(stream, is_right ? p : &host_global); /* ILLEGAL */
	/* The context cannot be used after this error. */
	if (mem_stream_sync(stream) == -EFAULT && !is_right)
		return;
	CHECK(mem_stream_destroy(stream));
	CHECK(mem_free(ctx, p));
}

/* The mistake needs a board with two GPUs. */
static void on_dgpu(void)
{
	unsigned char *p = make_memory(is_right ? MEM_KIND_PINNED :
						  MEM_KIND_MANAGED,
				       is_right ? 0 : MEM_ATTACH_GLOBAL);
	const struct mem_launch launch = {
		.size = sizeof(launch),
		.engine = MEM_ENGINE_DGPU,
		.kernel = k_store,
		.grid = { 1, 1, 1 },
		.block = { 1, 1, 1 },
		.args = &p,
		.args_len = sizeof(p),
	};
	struct mem_stream *stream = make_stream();

	CHECK(mem_launch(stream, &launch)); /* DGPU */
	if (mem_stream_sync(stream) == -EFAULT && !is_right)
		return;
	CHECK(mem_stream_destroy(stream));
	CHECK(mem_free(ctx, p));
}

static void overrun(void)
{
	unsigned char *p = make_memory(MEM_KIND_DEVICE, 0);
	struct mem_stream *stream = make_stream();

	start(stream, is_right ? p : p + LEN); /* OVERRUN */
	CHECK(mem_stream_sync(stream));
	CHECK(mem_stream_destroy(stream));
	CHECK(mem_free(ctx, p));
}

/* Nothing looks at the memory between the store and the end. */
static void cpu_overrun(void)
{
	unsigned char *p = make_memory(MEM_KIND_MANAGED, MEM_ATTACH_GLOBAL);
	int i;

	for (i = 0; i <= LEN - is_right; i++)
		poke(p + i, 1); /* BEHIND */
	CHECK(mem_free(ctx, p));
}

/* Copies, sets and kernels on two streams; forgets to wait for one of them. */
static void pipeline(void)
{
	unsigned char *in = make_memory(MEM_KIND_DEVICE, 0);
	unsigned char *out = make_memory(MEM_KIND_MANAGED, MEM_ATTACH_GLOBAL);
	struct mem_stream *a = make_stream(), *b = make_stream();
	static unsigned char host[LEN];
	int i;

	for (i = 0; i < 3; i++) {
		CHECK(mem_copy_async(a, in, host, LEN, MEM_DIR_DEFAULT));
		CHECK(mem_fill_async(b, out, i, LEN));
		start(a, in);
		start(b, out + 1);
		CHECK(mem_copy_async(b, out, in, LEN / 2, MEM_DIR_DEFAULT));
		CHECK(mem_stream_sync(a));
		if (is_right)
			CHECK(mem_stream_sync(b));
		sink = peek(out + 1); /* PIPELINE */
	}
	CHECK(mem_ctx_sync(ctx));
	CHECK(mem_copy(a, host, out, LEN, MEM_DIR_DEFAULT));
	CHECK(mem_stream_destroy(a));
	CHECK(mem_stream_destroy(b));
	CHECK(mem_free(ctx, in));
	CHECK(mem_free(ctx, out));
}

static void host_done(void *arg)
{
	*(volatile int *)arg = 1;
}

static void host_waits(void *arg)
{
	while (!*(volatile int *)arg)
		usleep(1000);
}

static void host_late(void *arg)
{
	host_done(arg);
}

/* Destroys a stream before its host function is called. */
static void call_late(struct mem_stream *stream)
{
	struct mem_stream *late = make_stream();
	volatile int may_go_on = 0;
	int is_done = 0;

	CHECK(mem_stream_call(stream, host_waits, (void *)&may_go_on));
	CHECK(mem_stream_call(late, host_late, &is_done));
	CHECK(mem_stream_destroy(late));
	may_go_on = 1;
	CHECK(mem_ctx_sync(ctx));
}

/* Makes calls of the host that are no accesses to memory. */
static void calls(void)
{
	unsigned char *p = make_memory(MEM_KIND_MANAGED, MEM_ATTACH_HOST);
	struct mem_stream *stream = make_stream();
	struct mem_event *event;
	int is_done = 0;

	CHECK(mem_event_create(ctx, 0, &event));
	CHECK(mem_stream_attach(stream, p, 0, MEM_ATTACH_SINGLE));
	start(stream, p);
	CHECK(mem_stream_call(stream, host_done, &is_done));
	CHECK(mem_event_record(event, stream));
	CHECK(mem_event_sync(event));
	CHECK(mem_stream_attach(stream, p, 0, MEM_ATTACH_HOST));
	CHECK(mem_stream_sync(stream));
	sink = peek(p);
	CHECK(mem_ctx_sync(ctx));
	call_late(stream);
	mem_event_destroy(event);
	CHECK(mem_stream_destroy(stream));
	CHECK(mem_free(ctx, p));
}

static void freed(void)
{
	unsigned char *p = make_memory(MEM_KIND_MANAGED, MEM_ATTACH_GLOBAL);

	sink = peek(p);
	CHECK(mem_free(ctx, p)); /* FREE */
	if (!is_right)
		sink = peek(p + 100); /* FREED */
}

/* The same mistake with a buffer of a heap instead of mem_alloc(). */
static void freed_buf(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);

	mem_buf_destroy(buf); /* DESTROY */
	if (!is_right)
		sink = peek(p); /* GONE */
}

static void unmapped_buf(void)
{
	unsigned char *p;
	struct mem_buf *buf = make("frame", &p);

	CHECK(mem_buf_unmap(buf)); /* UNMAP */
	if (!is_right)
		sink = peek(p); /* AWAY */
	mem_buf_destroy(buf);
}

/* As a library has it that offers another's calls. */
static void launch_graph(void)
{
	libmem_report_missing("cudaGraphLaunch"); /* GRAPH */
}

static void missing_calls(void)
{
	const char *name = "a_call_whose_name_is_longer_than_that_of_a_buffer";
	int i;

	if (is_right)
		return;
	for (i = 0; i < 2; i++)
		launch_graph();
	libmem_report_missing(name);
	launch_graph(); /* LAST */
	libmem_report_missing(NULL);
}

/* The memory gets its name after it was allocated. */
static void leak_memory(void)
{
	void *p = make_memory(MEM_KIND_DEVICE, 0);

	if (is_right)
		CHECK(mem_free(ctx, p));
}

/* One place in the program reads two bytes that are far apart. */
static void apart(void)
{
	unsigned char *p = make_memory(MEM_KIND_MANAGED, MEM_ATTACH_GLOBAL);
	struct mem_stream *stream = make_stream();
	int i;

	for (i = 0; i < 2; i++) {
		start(stream, p);
		if (is_right)
			CHECK(mem_stream_sync(stream));
		sink = p[i * (LEN - 1)]; /* APART */
		CHECK(mem_stream_sync(stream));
	}
	CHECK(mem_stream_destroy(stream));
	CHECK(mem_free(ctx, p));
}

static void k_stop(const struct mem_block *block, void *arg)
{
	const pid_t pid = getpid();

	(void)block;
	(void)arg;
	if (write(STDIN_FILENO, &pid, sizeof(pid)) == sizeof(pid))
		kill(pid, SIGSTOP);
}

static char state_of(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "r");
	if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (file)
		fclose(file);
	return state;
}

/* Exits while its engine is stopped. */
static void stopped_engine(void)
{
	int fds[2];
	pid_t pid;

	/* The engine keeps only descriptors 0 to 2. */
	if (pipe(fds) || dup2(fds[1], STDIN_FILENO) < 0)
		err(1, "pipe");
	start_kernel(make_stream(), k_stop, NULL);
	if (read(fds[0], &pid, sizeof(pid)) != sizeof(pid))
		err(1, "read");
	while (state_of(pid) != 'T')
		usleep(1000);
	_exit(0);
}

static void nothing(void)
{
}

static void open_in_child(void)
{
	struct mem_ctx *other;
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(mem_ctx_open(NULL, &other) != -EPERM);
	if (waitpid(pid, &status, 0) != pid || status)
		errx(3, "a child opened a context");
}

/* The process can open no files any more. */
static void sandbox(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(filter) / sizeof(filter[0]),
		.filter = filter,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		err(3, "seccomp");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{ "stale", stale },
		{ "second", second },
		{ "missing-clean", missing_clean },
		{ "conflict", conflict },
		{ "early-end", early_end },
		{ "lost-cpu-write", lost_cpu_write },
		{ "lost-device-write", lost_device_write },
		{ "late-store", late_store },
		{ "partly", partly },
		{ "frames", frames },
		{ "early", early },
		{ "open-bracket", open_bracket },
		{ "exit-in-bracket", exit_in_bracket },
		{ "no-begin", no_begin },
		{ "by-call", by_call },
		{ "redundant", redundant },
		{ "leak", leak },
		{ "leak-job", leak_job },
		{ "leak-streams", leak_streams },
		{ "leak-event", leak_event },
		{ "leak-registration", leak_registration },
		{ "free-registered", free_registered },
		{ "threads", threads },
		{ "forks", forks },
		{ "fork-only", fork_only },
		{ "busy", busy },
		{ "killed", killed },
		{ "many", many },
		{ "segv", segv },
		{ "while-active", while_active },
		{ "struct-while-active", struct_while_active },
		{ "not-attached", not_attached },
		{ "not-attached-read", not_attached_read },
		{ "attached-often", attached_often },
		{ "on-device", on_device },
		{ "on-uncached", on_uncached },
		{ "illegal", illegal },
		{ "failed", failed },
		{ "on-dgpu", on_dgpu },
		{ "overrun", overrun },
		{ "cpu-overrun", cpu_overrun },
		{ "pipeline", pipeline },
		{ "calls", calls },
		{ "missing-calls", missing_calls },
		{ "freed", freed },
		{ "freed-buf", freed_buf },
		{ "unmapped-buf", unmapped_buf },
		{ "leak-memory", leak_memory },
		{ "apart", apart },
		{ "stopped-engine", stopped_engine },
		{ "nothing", nothing },
		{ "open-in-child", open_in_child },
	};
	const char *name = argc > 1 ? argv[1] : "";
	size_t i;

	args = argv;
	if (!strncmp(name, "right-", 6)) {
		is_right = 1;
		name += 6;
	}
	if (getenv("MISTAKES_SANDBOX"))
		sandbox();
	CHECK(mem_ctx_open(NULL, &ctx));
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(all[i].name, name))
			continue;
		all[i].run();
		mem_ctx_close(ctx);
		return 0;
	}
	errx(2, "no such mistake: %s", name);
}
