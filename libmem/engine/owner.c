// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The owner's side of an engine: it creates the process, sends it jobs, replies
 * to its requests, and ends it.
 *
 * The process is forked by a helper, which shares the application's memory and
 * descriptors but is not one of its threads. When the helper has ended, the
 * engine has no parent in the application: the application's wait() does not
 * report it, and the application gets no SIGCHLD for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "../internal.h"
#include "process.h"

#define NS_PER_MS	1000000ULL

/* Stack of the helper, which calls fork handlers, and of the first thread. */
#define STACK_LEN	(256UL << 10)
#define BEGIN_LEN	(STACK_LEN + (64UL << 10))

/* Longest time until the end of a process is noticed while a job runs. */
#define LOOK_NS		(10 * NS_PER_MS)
#define START_NS	(30 * NS_PER_S)
#define ASAN_START_NS	(2 * NS_PER_S)
#define FLUSH_NS	(10 * NS_PER_S)
/* The default of mem_launch.timeout_ns in include/libmem.h */
#define DEFAULT_TIMEOUT_NS	(10 * NS_PER_S)

/* Number of processes in succession that may die before they accept a job. */
#define NR_TRIES	4

/* Longest time to flush output when an engine ends. */
#define END_MS		1000

/**
 * struct engine - an engine
 * @name: its name
 * @window: shared memory
 * @ops: functions of the owner
 * @owner: their first argument
 * @in_process: runs the jobs of an inline engine; else NULL
 * @next: next in the list of all engines
 * @is_foreign: this is a child of the process that created the engine
 * @lock: protects the members below
 * @sock: socket to the process; none: there is no process
 * @pidfd: pidfd of the process
 * @shared: memory that owner and process share
 * @shared_len: bytes
 * @stored: pages that its job stored to
 * @area: addresses reserved for mappings of the process
 * @objects: libraries that were loaded when the process began
 * @nr_seen: number of events that the owner has read
 */
struct engine {
	char name[ENGINE_NAME_LEN];
	struct engine_window window;
	const struct engine_ops *ops;
	void *owner;
	struct inline_engine *in_process;
	struct engine *next;
	bool is_foreign;

	pthread_mutex_t lock;
	struct own_fd sock;
	struct own_fd pidfd;
	struct engine_shared *shared;
	size_t shared_len;
	struct page_set stored;
	struct range area;
	struct objects *objects;
	unsigned int nr_seen;
};

static const char *const names[] = {
	[MEM_ENGINE_GPU] = "gpu",
	[MEM_ENGINE_PVA] = "pva",
	[MEM_ENGINE_VIC] = "vic",
	[MEM_ENGINE_DGPU] = "dgpu",
};

static struct {
	pthread_once_t once;
	int err;

	pthread_mutex_t lock;	/* first and next; held over fork() */
	struct engine *first;
} engines = {
	.once = PTHREAD_ONCE_INIT,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/*
 * Set in the thread that creates a process, and inherited by the helper and the
 * process. The declaration of clone() says that it calls nothing in this file:
 * without volatile the compiler would drop the stores.
 */
static __thread volatile bool is_forking;

/**
 * engine_is_forking() - distinguish an engine's fork from one of the program
 *
 * Context: fork handlers.
 * Return: true if the child is an engine.
 */
bool engine_is_forking(void)
{
	return is_forking;
}

static void engine_list_lock(void)
{
	pthread_mutex_lock(&engines.lock);
}

static void engine_list_unlock(void)
{
	pthread_mutex_unlock(&engines.lock);
}

/* An engine lives as long as a process has the other end of its socket open. */
static void engine_list_in_child(void)
{
	struct engine *engine;

	for (engine = engines.first; engine; engine = engine->next) {
		engine->is_foreign = true;
		own_fd_close(&engine->sock);
		own_fd_close(&engine->pidfd);
	}
	engines.first = NULL;
	pthread_mutex_unlock(&engines.lock);
}

static void engine_list_init_once(void)
{
	engines.err = -pthread_atfork(engine_list_lock, engine_list_unlock,
				      engine_list_in_child);
}

/**
 * engine_has_valgrind() - check whether valgrind runs this process
 *
 * Context: any thread; reads the environment.
 * Return: true if it does.
 */
bool engine_has_valgrind(void)
{
	const char *preloaded = getenv("LD_PRELOAD");

	/* valgrind preloads its libraries. */
	return preloaded && strstr(preloaded, "/vgpreload_");
}

/**
 * engine_is_known() - check the value of LIBMEM_ENGINE
 *
 * Context: any thread; reads the environment.
 * Return: true if it is valid, empty or unset.
 */
bool engine_is_known(void)
{
	const char *wanted = getenv("LIBMEM_ENGINE");

	return !wanted || !*wanted || !strcmp(wanted, "inline") ||
	       !strcmp(wanted, "process");
}

/**
 * engine_is_inline() - check whether engines run in the application
 *
 * They do if LIBMEM_ENGINE is "inline", and under valgrind and ThreadSanitizer,
 * which see one process at a time, unless LIBMEM_ENGINE is "process".
 *
 * Context: any thread; reads the environment.
 * Return: true if they do.
 */
bool engine_is_inline(void)
{
	const char *wanted = getenv("LIBMEM_ENGINE");

	if (wanted && *wanted)
		return !strcmp(wanted, "inline");
	return __tsan_init || engine_has_valgrind();
}

/**
 * engine_create() - create an engine
 * @name: its name, which its threads have, too; cut off after 15 bytes
 * @window: shared memory; the files stay the caller's, and must remain open
 *	until engine_destroy()
 * @ops: functions of the owner
 * @owner: first argument of @ops
 * @made: out: engine, for engine_destroy()
 *
 * Its process is created for its first job.
 *
 * Context: any thread.
 * Return: 0, or -ENOMEM.
 */
int engine_create(const char *name, const struct engine_window *window,
		  const struct engine_ops *ops, void *owner,
		  struct engine **made)
{
	struct engine *engine;
	int err;

	pthread_once(&engines.once, engine_list_init_once);
	if (engines.err)
		return engines.err;
	engine = calloc(1, sizeof(*engine));
	if (!engine)
		return -ENOMEM;
	strncpy(engine->name, name, sizeof(engine->name) - 1);
	engine->window = *window;
	engine->ops = ops;
	engine->owner = owner;
	engine->sock = OWN_FD_NONE;
	engine->pidfd = OWN_FD_NONE;
	pthread_mutex_init(&engine->lock, NULL);
	if (window->is_inline || engine_is_inline()) {
		err = inline_create(name, window, &engine->in_process);
		if (err)
			goto err_free;
	}
	pthread_mutex_lock(&engines.lock);
	engine->next = engines.first;
	engines.first = engine;
	pthread_mutex_unlock(&engines.lock);
	*made = engine;
	return 0;

err_free:
	free(engine);
	return err;
}

static void engine_list_del(const struct engine *engine)
{
	struct engine **at;

	pthread_mutex_lock(&engines.lock);
	for (at = &engines.first; *at && *at != engine; at = &(*at)->next)
		;
	if (*at)
		*at = engine->next;
	pthread_mutex_unlock(&engines.lock);
}

static bool spawn_is_dead(const struct engine *engine, int timeout_ms)
{
	struct pollfd end = { .fd = engine->pidfd.nr, .events = POLLIN };
	int got;

	/* The process ends by itself when its socket is closed. */
	if (!own_fd_is_open(&engine->pidfd))
		return true;
	do
		got = poll(&end, 1, timeout_ms);
	while (got < 0 && errno == EINTR);
	return got > 0;
}

/* Ends the process, after flushing its output if possible. */
static void spawn_end(struct engine *engine)
{
	if (engine->sock.nr < 0)
		return;
	if (own_fd_is_open(&engine->sock))
		shutdown(engine->sock.nr, SHUT_RDWR);
	if (!spawn_is_dead(engine, END_MS)) {
		syscall(SYS_pidfd_send_signal, engine->pidfd.nr, SIGKILL,
			NULL, 0);
		spawn_is_dead(engine, -1);
	}
}

static void spawn_release(struct engine *engine)
{
	pthread_mutex_lock(&engines.lock);
	own_fd_close(&engine->sock);
	own_fd_close(&engine->pidfd);
	pthread_mutex_unlock(&engines.lock);
	if (engine->shared)
		munmap(engine->shared, engine->shared_len);
	engine->shared = NULL;
	if (engine->area.start)
		munmap((void *)engine->area.start,
		       engine->area.end - engine->area.start);
	engine->area = (struct range) { 0 };
	objects_free(engine->objects);
	engine->objects = NULL;
}

/**
 * engine_destroy() - end an engine
 * @engine: engine that runs no job, or NULL, which does nothing
 *
 * Output of its jobs is flushed.
 *
 * Context: any thread; may sleep.
 */
void engine_destroy(struct engine *engine)
{
	if (!engine)
		return;
	if (engine->in_process && !engine->is_foreign)
		inline_destroy(engine->in_process);
	if (!engine->is_foreign) {
		engine_list_del(engine);
		spawn_end(engine);
		spawn_release(engine);
		pthread_mutex_destroy(&engine->lock);
	}
	free(engine);
}

/* Runs in the helper, which shares the application's memory. */
static NO_ASAN int spawn_fork_process(void *arg)
{
	struct engine_start *start = arg;
	pid_t pid;

	/* fork() may wait for a lock that a killed process held. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != start->app)
		_exit(1);
	pid = fork();
	if (!pid)
		process_main(start);
	start->err = pid < 0 ? -errno : 0;
	start->pid = pid;
	if (pid > 0) {
		/* The helper is still its parent: the number is not reused. */
		start->pidfd = fd_aside((int)syscall(SYS_pidfd_open, pid, 0));
		if (start->pidfd < 0) {
			start->err = -errno;
			kill(pid, SIGKILL);
		}
	}
	_exit(0);
}

/*
 * The helper uses the thread-local variables of this thread, which waits
 * meanwhile and calls nothing that uses them. CLONE_VFORK would do the same,
 * but with it a debugger stops the other threads, whose locks fork() takes.
 * Signals are blocked, because a handler would run in the helper as if it were
 * this thread.
 */
static int spawn_run_helper(struct engine_start *start)
{
	const int flags = CLONE_VM | CLONE_FILES | CLONE_FS;
	sigset_t all, old;
	pid_t pid;
	int err = 0;

	sigfillset(&all);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, _NSIG / 8);
	is_forking = true;
	pid = clone(spawn_fork_process, start, flags, start);
	if (pid < 0)
		err = -errno;
	else
		syscall(SYS_wait4, pid, NULL, __WCLONE, NULL);
	is_forking = false;
	signals_restore(&old);
	if (!err && start->pid > 0)
		tell_engine(start->pid);
	return err ? err : start->err;
}

static size_t spawn_round_up(size_t len, size_t page_len)
{
	return (len + page_len - 1) / page_len * page_len;
}

/* Sum of the lengths that the process maps, each with a guard page. */
static size_t spawn_area_len(const struct engine_window *window,
			     unsigned int nr_workers)
{
	const size_t page_len = (size_t)1 << window->page_shift;
	const size_t of_worker = ENGINE_STACK_LEN + TOUCH_STACK_LEN;
	size_t len = STACK_LEN + sizeof(struct process) + MAPPINGS_LEN +
		     ENGINE_OUTPUT_LEN + MEM_ARGS_MAX +
		     (window->len >> window->page_shift);

	if (window->before.nr >= 0)
		len += window->len;
	len += nr_workers * (of_worker + 2 * page_len);
	return spawn_round_up(len + 16 * page_len, page_len);
}

/* Lays out the stack, struct engine_start and struct process in the area. */
static struct engine_start *spawn_map_start(struct engine *engine)
{
	const unsigned int nr_workers = pool_nr_workers();
	const size_t len = spawn_area_len(&engine->window, nr_workers);
	struct engine_start *start;
	char *area;

	area = mmap(NULL, len, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED)
		return NULL;
	engine->area = (struct range) {
		(uintptr_t)area, (uintptr_t)area + len,
	};
	if (mprotect(area, BEGIN_LEN, PROT_READ | PROT_WRITE))
		return NULL;
	/* clone() needs a stack aligned to 16 bytes. */
	start = (struct engine_start *)(area + STACK_LEN) - 1;
	start = (struct engine_start *)((uintptr_t)start & ~15UL);
	*start = (struct engine_start) {
		.window = engine->window,
		.shared = engine->shared,
		.shared_len = engine->shared_len,
		.objects = engine->objects,
		.area = engine->area,
		.next = (uintptr_t)area + STACK_LEN,
		.nr_workers = nr_workers,
		.app = getpid(),
		.pidfd = -1,
		.err = -EAGAIN,
	};
	memcpy(start->name, engine->name, sizeof(start->name));
	return start;
}

/* The process has copies of them by now. */
static void spawn_clear_start(const struct engine *engine)
{
	mmap((void *)engine->area.start, BEGIN_LEN, PROT_NONE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

static int spawn_fork(struct engine *engine, enum keep keep, int pair[2])
{
	struct engine_start *start = spawn_map_start(engine);
	int err;

	if (!start)
		return -ENOMEM;
	start->keep = keep;
	start->sock = pair[1];
	start->app_pidfd = fd_aside((int)syscall(SYS_pidfd_open, getpid(), 0));
	err = start->app_pidfd < 0 ? -errno : 0;
	if (!err) {
		err = spawn_run_helper(start);
		close(start->app_pidfd);
	}
	if (!err)
		err = own_fd_take(&engine->pidfd, start->pidfd);
	spawn_clear_start(engine);
	return err;
}

static int spawn_map_shared(struct engine *engine)
{
	const size_t nr_pages = engine->window.len >> engine->window.page_shift;
	const size_t len = sizeof(*engine->shared) + page_set_len(nr_pages);
	void *shared;

	shared = mmap(NULL, len, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED)
		return -ENOMEM;
	engine->shared = shared;
	engine->shared_len = len;
	engine->nr_seen = 0;
	page_set_init(&engine->stored, engine->shared + 1, nr_pages);
	return 0;
}

/* Returns 0, -ETIME or -EOWNERDEAD. */
static int spawn_wait_event(struct engine *engine, uint64_t deadline)
{
	struct engine_shared *shared = engine->shared;
	uint64_t now, until;

	for (;;) {
		if (atomic_load(&shared->nr_events) != engine->nr_seen)
			break;
		now = now_ns();
		if (now >= deadline)
			return -ETIME;
		until = deadline - now < LOOK_NS ? deadline : now + LOOK_NS;
		futex_wait(&shared->nr_events, engine->nr_seen, until);
		if (atomic_load(&shared->nr_events) != engine->nr_seen)
			break;
		if (now_ns() >= until && spawn_is_dead(engine, 0) &&
		    atomic_load(&shared->nr_events) == engine->nr_seen)
			return -EOWNERDEAD;
	}
	engine->nr_seen++;
	return 0;
}

static void spawn_give_up(struct engine *engine)
{
	spawn_end(engine);
	spawn_release(engine);
}

static int spawn_open_pair(int pair[2])
{
	int err = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	pair[0] = fd_aside(pair[0]);
	if (pair[0] < 0)
		err = -errno;
	pair[1] = fd_aside(pair[1]);
	if (pair[1] < 0 && !err)
		err = -errno;
	if (!err)
		return 0;
	if (pair[0] >= 0)
		close(pair[0]);
	if (pair[1] >= 0)
		close(pair[1]);
	return err;
}

/* If the program reused the number, the process would map a foreign file. */
static bool spawn_is_open(const struct own_fd *file)
{
	return file->nr < 0 || own_fd_is_open(file);
}

static int spawn_try(struct engine *engine, enum keep keep,
		     uint64_t timeout_ns)
{
	int pair[2], err;

	if (!spawn_is_open(&engine->window.view) ||
	    !spawn_is_open(&engine->window.before))
		return -EBADF;
	err = spawn_map_shared(engine);
	if (!err)
		err = objects_list(&engine->objects);
	if (!err)
		err = spawn_open_pair(pair);
	if (err)
		goto err_release;
	err = spawn_fork(engine, keep, pair);
	close(pair[1]);
	if (err)
		close(pair[0]);
	else
		err = own_fd_take(&engine->sock, pair[0]);
	if (err)
		goto err_release;
	err = spawn_wait_event(engine, now_ns() + timeout_ns);
	if (!err)
		err = engine->shared->result.status;
	if (err) {
		spawn_give_up(engine);
		return err;
	}
	madvise(engine->shared, engine->shared_len, MADV_DONTFORK);
	return 0;

err_release:
	spawn_release(engine);
	return err;
}

/*
 * A fork does not take the locks of AddressSanitizer's allocator (GCC 12): if
 * another thread holds one, the process never starts. Another attempt may.
 */
static int spawn_keeping(struct engine *engine, enum keep keep)
{
	uint64_t timeout_ns = __asan_init ? ASAN_START_NS : START_NS;
	int err;

	do {
		err = spawn_try(engine, keep, timeout_ns);
		timeout_ns *= 2;
	} while (err == -ETIME && timeout_ns <= START_NS);
	return err;
}

/* Returns true if the process failed, not a system call of the owner. */
static bool spawn_is_broken(int err)
{
	return err == -EOWNERDEAD || err == -ETIME ||
	       engine_status_is_final(err);
}

/* Says on standard error that some mistakes are not detected. */
static void spawn_warn_kept(void)
{
	static const char text[] =
		"libmem: engines keep private memory for the allocator\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		return;
}

/*
 * The less memory of the application a process keeps, the more mistakes it
 * detects. If the program's allocator needs more memory, the start fails, and
 * is repeated with more. A start may also fail by chance, because of what other
 * threads do to shared pages of the heap.
 */
static int spawn_start(struct engine *engine)
{
	static const enum keep tries[] = {
		KEEP_NEEDED, KEEP_NEEDED, KEEP_LIBRARIES, KEEP_LIBRARIES,
		KEEP_ALL, KEEP_ALL,
	};
	static _Atomic enum keep works;
	int err = -EAGAIN;
	size_t i;

	for (i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		if (tries[i] < atomic_load(&works))
			continue;
		err = spawn_keeping(engine, tries[i]);
		if (!spawn_is_broken(err))
			break;
	}
	if (!err && atomic_exchange(&works, tries[i]) < tries[i])
		spawn_warn_kept();
	return spawn_is_broken(err) ? -EAGAIN : err;
}

/* Ensures that there is a process that can run this job. */
static int owner_get_process(struct engine *engine,
			     const struct engine_job *job)
{
	const uintptr_t kernel = (uintptr_t)job->kernel;
	const uintptr_t entry = (uintptr_t)job->entry;

	if (engine->sock.nr >= 0 &&
	    (spawn_is_dead(engine, 0) ||
	     !objects_have(engine->objects, kernel) ||
	     (entry && entry != kernel &&
	      !objects_have(engine->objects, entry))))
		spawn_give_up(engine);
	return engine->sock.nr >= 0 ? 0 : spawn_start(engine);
}

static int owner_send_file(const struct engine *engine,
			   const struct own_fd *file)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {
		.head = {
			.cmsg_len = CMSG_LEN(sizeof(int)),
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
		},
	};
	char byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	const struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};

	if (!own_fd_is_open(&engine->sock) || !own_fd_is_open(file))
		return -EBADF;
	memcpy(CMSG_DATA(&control.head), &file->nr, sizeof(file->nr));
	if (sendmsg(engine->sock.nr, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
		return -errno;
	return 0;
}

static int owner_send_grant(const struct engine *engine,
			    const struct engine_grant *grant,
			    struct wire_grant *to)
{
	enum engine_access access = grant->access;

	if (access == ENGINE_TRACKED && engine->window.before.nr < 0)
		access = ENGINE_WRITE;
	*to = (struct wire_grant) {
		.off = grant->off,
		.len = grant->len,
		.fd_off = grant->fd_off,
		.access = access,
		.has_fd = grant->file.nr >= 0,
	};
	return grant->file.nr >= 0 ? owner_send_file(engine, &grant->file) : 0;
}

static void owner_request(struct engine *engine, enum engine_request what)
{
	engine->shared->request = what;
	atomic_fetch_add(&engine->shared->nr_requests, 1);
	futex_wake(&engine->shared->nr_requests, 1);
}

static bool owner_grant_has_page(const struct engine_grant *grant, uint64_t off)
{
	return off - grant->off < grant->len;
}

/*
 * Replies to EVENT_TOUCH. Returns 0, -EFAULT with the result filled in, or an
 * error of owner_send_file().
 */
static int owner_reply(struct engine *engine, struct engine_result *result)
{
	struct engine_shared *shared = engine->shared;
	const struct engine_touch touch = shared->touch;
	struct engine_grant grant = { .file = OWN_FD_NONE };
	int err;

	err = engine->ops->touch(engine->owner, &touch, &grant);
	if (!err && owner_grant_has_page(&grant, touch.off))
		err = owner_send_grant(engine, &grant, &shared->reply);
	else
		err = -EFAULT;
	if (err && err != -EFAULT)
		return err;
	if (err) {
		result->addr = (uintptr_t)engine->window.addr + touch.off;
		result->ip = touch.ip;
		result->is_write = touch.is_write;
		result->place = ENGINE_WINDOW;
		result->signal = SIGSEGV;
		return -EFAULT;
	}
	atomic_fetch_add(&shared->nr_replies, 1);
	futex_wake(&shared->nr_replies, 1);
	return 0;
}

/* The process does not have a library that was loaded after it began. */
static void owner_find_place(struct engine_result *result)
{
	struct mappings mappings;
	struct objects *objects;
	void *area;

	if (result->status != -EFAULT || result->place != ENGINE_UNKNOWN ||
	    objects_list(&objects))
		return;
	area = mmap(NULL, MAPPINGS_LEN, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area != MAP_FAILED) {
		mappings_read(&mappings, area, objects);
		result->place = mappings_place(&mappings, result->addr);
		munmap(area, MAPPINGS_LEN);
	}
	objects_free(objects);
}

/* Waits until the request is done. Returns false if the process has failed. */
static bool owner_finish(struct engine *engine, uint64_t deadline,
			 struct engine_result *result)
{
	for (;;) {
		result->status = spawn_wait_event(engine, deadline);
		if (result->status)
			return false;
		switch (engine->shared->event) {
		case EVENT_TOUCH:
			result->status = owner_reply(engine, result);
			if (result->status)
				return false;
			break;
		case EVENT_DONE:
			*result = engine->shared->result;
			return true;
		case EVENT_END:
			*result = engine->shared->result;
			return false;
		}
	}
}

/* Sends changes that do not fit into the job's request before it. */
static int owner_send_changes(struct engine *engine,
			      const struct engine_job *job, uint64_t deadline,
			      struct engine_result *result)
{
	struct engine_shared *shared = engine->shared;
	size_t i;
	int err;

	shared->nr_changes = 0;
	for (i = 0; i < job->nr_changes; i++) {
		if (shared->nr_changes == NR_CHANGES) {
			owner_request(engine, REQUEST_CHANGES);
			if (!owner_finish(engine, deadline, result) ||
			    result->status)
				return -EIO;
			shared->nr_changes = 0;
		}
		err = owner_send_grant(engine, &job->changes[i],
				       &shared->changes[shared->nr_changes]);
		if (err) {
			result->status = err;
			return err;
		}
		shared->nr_changes++;
	}
	return 0;
}

static void owner_send_job(struct engine *engine, const struct engine_job *job)
{
	struct wire_job *wire = &engine->shared->job;

	wire->kernel = job->kernel;
	wire->shared_len = job->shared_len;
	wire->args_len = job->args_len;
	memcpy(wire->grid, job->grid, sizeof(wire->grid));
	memcpy(wire->block, job->block, sizeof(wire->block));
	if (job->args_len)
		memcpy(wire->args, job->args, job->args_len);
	owner_request(engine, REQUEST_JOB);
}

static void owner_report_written(const struct engine *engine)
{
	const uint32_t shift = engine->window.page_shift;
	size_t page, nr;

	if (!engine->shared->nr_stored)
		return;
	for (page = page_set_next(&engine->stored, 0, &nr); nr;
	     page = page_set_next(&engine->stored, page + nr, &nr))
		engine->ops->written(engine->owner, (uint64_t)page << shift,
				     (uint64_t)nr << shift,
				     engine->shared->is_compared);
}

static bool owner_is_accepted(const struct engine *engine)
{
	const struct engine_shared *shared = engine->shared;

	return atomic_load(&shared->nr_taken) ==
	       atomic_load(&shared->nr_requests);
}

/* Returns false if the process died before it accepted the job. */
static bool owner_run_once(struct engine *engine, const struct engine_job *job,
			   struct engine_result *result)
{
	bool is_well, is_begun = false;
	uint64_t deadline;

	result->status = owner_get_process(engine, job);
	if (result->status)
		return true;
	deadline = job->timeout_ns ? now_ns() + job->timeout_ns : FOREVER;
	if (deadline < job->timeout_ns)
		deadline = FOREVER;
	is_well = !owner_send_changes(engine, job, deadline, result);
	if (is_well) {
		owner_send_job(engine, job);
		is_well = owner_finish(engine, deadline, result);
		is_begun = owner_is_accepted(engine);
	}
	if (!is_well || result->status)
		spawn_end(engine);
	owner_report_written(engine);
	if (!is_well || result->status) {
		owner_find_place(result);
		spawn_release(engine);
	}
	return is_begun || result->status != -EOWNERDEAD;
}

/* Flushes output before the job counts as done. */
static void owner_flush(struct engine *engine)
{
	struct engine_result result;

	if (engine->sock.nr < 0 || !engine->shared->has_output)
		return;
	owner_request(engine, REQUEST_FLUSH);
	if (!owner_finish(engine, now_ns() + FLUSH_NS, &result))
		spawn_give_up(engine);
}

static void owner_run(struct engine *engine, const struct engine_job *job,
		      struct engine_result *result)
{
	unsigned int i;

	for (i = 0; i < NR_TRIES; i++)
		if (owner_run_once(engine, job, result))
			break;
	owner_flush(engine);
}

/**
 * engine_run() - run a job
 * @engine: engine
 * @job: job; not needed any more when the call returns
 * @result: out: how it ended
 *
 * The job's output has been flushed, unless its reader is blocked.
 *
 * Context: any thread; sleeps for as long as the job runs. Jobs of an engine
 * run one at a time. The callbacks of the owner are called in this thread.
 */
void engine_run(struct engine *engine, const struct engine_job *job,
		struct engine_result *result)
{
	*result = (struct engine_result) { .status = pool_check(job) };
	if (engine->is_foreign)
		result->status = -EPERM;
	if (result->status)
		return;
	pthread_mutex_lock(&engine->lock);
	if (engine->in_process)
		inline_run(engine->in_process, job, result);
	else
		owner_run(engine, job, result);
	pthread_mutex_unlock(&engine->lock);
}

/**
 * engine_name() - return the name of an engine for reports
 * @at: enum mem_engine
 *
 * Return: static text.
 */
const char *engine_name(unsigned int at)
{
	return names[at];
}

/**
 * engine_place_name() - describe an illegal address for reports
 * @place: from struct engine_result
 *
 * Return: static text, shorter than MEM_NAME_LEN.
 */
const char *engine_place_name(enum engine_place place)
{
	static const char *const places[] = {
		[ENGINE_UNKNOWN] = "nothing",
		[ENGINE_HOST_HEAP] = "heap of the host",
		[ENGINE_HOST_STACK] = "stack of the host",
		[ENGINE_HOST_GLOBAL] = "variable of the host",
		[ENGINE_HOST_CODE] = "code of the host",
		[ENGINE_WINDOW] = "no allocation",
		[ENGINE_STACK] = "end of the kernel's stack",
	};

	return places[place];
}

static const char *result_signal_name(int signal)
{
	switch (signal) {
	case SIGABRT:
		return "SIGABRT: abort, assert, throw";
	case SIGBUS:
		return "SIGBUS";
	case SIGFPE:
		return "SIGFPE";
	case SIGILL:
		return "SIGILL";
	case SIGSEGV:
		return "SIGSEGV";
	case SIGSYS:
		return "SIGSYS";
	case SIGTRAP:
		return "SIGTRAP";
	}
	return "a signal";
}

/**
 * engine_status_is_final() - check whether an error ends all work of a context
 * @status: 0 or -errno
 *
 * Return: true if a kernel caused it.
 */
bool engine_status_is_final(int status)
{
	return status == -EFAULT || status == -ETIME || status == -ECANCELED ||
	       status == -EIO;
}

/**
 * engine_is_failed() - check whether a kernel made a mistake
 * @result: how it ended
 *
 * Return: true if it did; false also if the engine was killed, or could not be
 * started.
 */
bool engine_is_failed(const struct engine_result *result)
{
	return engine_status_is_final(result->status);
}

/**
 * engine_end_name() - describe what ended a kernel, for reports
 * @result: result with -ETIME, -ECANCELED or -EIO
 *
 * Return: static text, shorter than MEM_NAME_LEN.
 */
const char *engine_end_name(const struct engine_result *result)
{
	if (result->status == -ETIME)
		return "the watchdog";
	return result->signal ? result_signal_name(result->signal) :
				"exit or fork";
}

/**
 * engine_job_of() - convert a launch to a job
 * @launch: launch
 *
 * Return: the job, without changes of access; it refers to the launch's
 * arguments.
 */
struct engine_job engine_job_of(const struct mem_launch *launch)
{
	struct engine_job job = {
		.kernel = launch->kernel,
		.entry = launch->entry,
		.shared_len = launch->shared_len,
		.args = launch->args,
		.args_len = launch->args_len,
		.timeout_ns = launch->timeout_ns ? launch->timeout_ns :
						   DEFAULT_TIMEOUT_NS,
	};

	memcpy(job.grid, launch->grid, sizeof(job.grid));
	memcpy(job.block, launch->block, sizeof(job.block));
	return job;
}
