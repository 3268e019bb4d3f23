// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Preloaded into programs by `heapsim run`. The module signals a thread that
 * has done something a report may have to explain, before it goes on; the
 * handler here walks the thread's stack and puts it down (stacks.h).
 *
 * Until the first such signal a process pays for one handler and nothing else:
 * no descriptor, no mapping, no thread. What the handler calls is safe in any
 * signal handler: glibc's _dl_find_object() takes no lock, and so neither does
 * the unwinder.
 *
 * The signal is taken away from the program as glibc takes its own: it is not
 * counted in SIGRTMAX, cannot be handled and cannot be blocked.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <linux/heapsim.h>

#include "stacks.h"

#define EXPORT __attribute__((visibility("default")))

int __libc_allocate_rtsig(int high);

static char stacks_path[64];
static char exe_path[STACKS_PATH_LEN];
static int (*next_sigaction)(int, const struct sigaction *, struct sigaction *);
static int (*next_sigprocmask)(int, const sigset_t *, sigset_t *);
static int (*next_sigmask)(int, const sigset_t *, sigset_t *);
static sighandler_t (*next_signal)(int, sighandler_t);
static bool is_taken;

static struct stacks *_Atomic stacks_mapped;
static atomic_bool has_failed;

/*
 * The file, or NULL. Of two threads that map it the first wins. A thread that
 * was cancelled must not end here, as in libc's open() and close() it would.
 */
static struct stacks *stacks_get(void)
{
	struct stacks *stacks = atomic_load(&stacks_mapped), *none = NULL;
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct stat status;
	int fd;

	if (stacks || atomic_load(&has_failed))
		return stacks;
	fd = syscall(SYS_openat, AT_FDCWD, stacks_path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		goto err;
	/* Seen from elsewhere the path may be of another file. */
	if (fstat(fd, &status) || status.st_size != sizeof(*stacks)) {
		syscall(SYS_close, fd);
		goto err;
	}
	stacks = mmap(NULL, sizeof(*stacks), PROT_READ | PROT_WRITE, MAP_SHARED,
		      fd, 0);
	syscall(SYS_close, fd);
	if (stacks == MAP_FAILED)
		goto err;
	if (stacks->magic != STACKS_MAGIC ||
	    stacks->version != STACKS_VERSION) {
		munmap(stacks, sizeof(*stacks));
		goto err;
	}
	if (atomic_compare_exchange_strong(&stacks_mapped, &none, stacks))
		return stacks;
	munmap(stacks, sizeof(*stacks));
	return none;
err:
	/* Else the command would wait for what never comes. */
	atomic_store(&has_failed, true);
	next_sigaction(STACKS_SIGNAL, &ignore, NULL);
	return NULL;
}

static uint64_t hash(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t h = 0xcbf29ce484222325ULL;	/* FNV-1a */

	while (len--)
		h = (h ^ *p++) * 0x100000001b3ULL;
	return h ^ h >> 32;
}

/* Number of a module, from 1; 0: there is no room. */
static uint64_t module_number(struct stacks *stacks, const char *path)
{
	size_t len = strlen(path), i;
	uint64_t at;

	if (len >= STACKS_PATH_LEN)
		return 0;
	at = hash(path, len);
	for (i = 0; i < STACKS_PROBES; i++, at++) {
		struct stacks_module *m =
			&stacks->modules[at % STACKS_NR_MODULES];
		uint32_t state = STACKS_FREE;

		if (atomic_compare_exchange_strong(&m->state, &state,
						   STACKS_BUSY)) {
			memcpy(m->path, path, len + 1);
			atomic_store(&m->state, STACKS_READY);
		} else if (state != STACKS_READY || strcmp(m->path, path)) {
			continue;
		}
		return at % STACKS_NR_MODULES + 1;
	}
	return 0;
}

/**
 * struct line - of /proc/self/maps, while it is read
 * @start: where the mapping begins
 * @end: where it ends
 * @nr_numbers: of these that are read
 * @len: of @path so far; 0: it has not begun
 * @is_cut: the path is longer than @path
 * @path: of what is mapped
 */
struct line {
	uintptr_t start;
	uintptr_t end;
	int nr_numbers;
	size_t len;
	bool is_cut;
	char path[STACKS_PATH_LEN];
};

/* What comes before the path has no slash, and begins with two numbers. */
static void line_take(struct line *line, char c)
{
	const uintptr_t digit = c <= '9' ? c - '0' : c - 'a' + 10;

	if (line->len || c == '/') {
		if (line->len < sizeof(line->path) - 1)
			line->path[line->len++] = c;
		else
			line->is_cut = true;
	} else if (c == '-' || c == ' ') {
		line->nr_numbers++;
	} else if (line->nr_numbers == 0) {
		line->start = line->start << 4 | digit;
	} else if (line->nr_numbers == 1) {
		line->end = line->end << 4 | digit;
	}
}

/*
 * Path of the file that is mapped there, empty: of none. False: that could not
 * be found out.
 */
static bool maps_find(uintptr_t address, struct line *line)
{
	char bytes[512];
	bool is_found = false;
	long n, i;
	int fd;

	fd = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps",
		     O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	memset(line, 0, sizeof(*line));
	while (!is_found &&
	       (n = syscall(SYS_read, fd, bytes, sizeof(bytes))) > 0) {
		for (i = 0; i < n && !is_found; i++) {
			if (bytes[i] != '\n') {
				line_take(line, bytes[i]);
				continue;
			}
			is_found = line->start <= address &&
				   address < line->end;
			if (!is_found)
				memset(line, 0, sizeof(*line));
		}
	}
	syscall(SYS_close, fd);
	line->path[line->len] = '\0';
	return is_found && !line->is_cut;
}

/*
 * Number of a library that the program opened by a relative path: it may have
 * changed its folder since, so the kernel is asked. The answer, if there was
 * one (a program may have no descriptor left for a while), is kept, with what
 * tells the library from another that takes its place.
 */
static uint64_t relative_number(struct stacks *stacks, uintptr_t address,
				const struct link_map *map)
{
	static _Atomic uint64_t known[64];
	const uint64_t what[] = {
		(uintptr_t)map, map->l_addr, (uintptr_t)map->l_ld,
		hash(map->l_name, strlen(map->l_name)),
	};
	const uint64_t h = hash(what, sizeof(what)) & STACKS_OFF_MASK;
	const size_t i = h % (sizeof(known) / sizeof(known[0]));
	const uint64_t seen = atomic_load(&known[i]);
	struct line line;
	uint64_t number;
	bool is_answer;

	if (seen && (seen & STACKS_OFF_MASK) == h)
		return seen >> STACKS_MODULE_SHIFT;
	is_answer = maps_find(address, &line);
	number = module_number(stacks, is_answer && line.len ? line.path :
							       map->l_name);
	if (is_answer)
		atomic_store(&known[i], number << STACKS_MODULE_SHIFT | h);
	return number;
}

static uint64_t frame_of(struct stacks *stacks, uintptr_t address)
{
	struct dl_find_object object;
	const struct link_map *map;
	uint64_t number;

	if (_dl_find_object((void *)address, &object))
		return address & STACKS_OFF_MASK;
	map = object.dlfo_link_map;
	if (!map->l_name[0])
		number = module_number(stacks, exe_path);
	else if (map->l_name[0] == '/')
		number = module_number(stacks, map->l_name);
	else
		number = relative_number(stacks, address, map);
	if (!number)
		return address & STACKS_OFF_MASK;
	return number << STACKS_MODULE_SHIFT |
	       (address - map->l_addr);
}

/* By so much a system call that is to be made again is set back. */
#if defined(__x86_64__)
#define CALL_LEN	2
#elif defined(__aarch64__)
#define CALL_LEN	4
#else
#error "How long is the instruction of a system call?"
#endif

/**
 * struct walk - a stack while it is walked
 * @stacks: the file
 * @from: where the thread was noted: frames before are those of our handler,
 *	and of others that were to run at the same time
 * @has_begun: that frame was met
 * @nr: frames so far
 * @frames: as in struct stacks_stack
 */
struct walk {
	struct stacks *stacks;
	uintptr_t from;
	bool has_begun;
	uint32_t nr;
	uint64_t frames[STACKS_DEPTH];
};

static _Unwind_Reason_Code step(struct _Unwind_Context *context, void *arg)
{
	struct walk *walk = arg;
	int is_exact = 0;
	uintptr_t ip = _Unwind_GetIPInfo(context, &is_exact);

	if (!walk->has_begun &&
	    (!is_exact || (ip != walk->from && ip != walk->from - CALL_LEN)))
		return _URC_NO_REASON;
	if (!ip || walk->nr == STACKS_DEPTH)
		return _URC_END_OF_STACK;
	if (walk->has_begun && !is_exact)
		ip--;
	walk->has_begun = true;
	walk->frames[walk->nr++] = frame_of(walk->stacks, ip);
	return _URC_NO_REASON;
}

/* Index of the stack, or -1: there is no room. */
static long stack_number(struct stacks *stacks, const struct walk *walk)
{
	const size_t len = walk->nr * sizeof(walk->frames[0]);
	uint64_t at = hash(walk->frames, len);
	size_t i;

	for (i = 0; i < STACKS_PROBES; i++, at++) {
		struct stacks_stack *s = &stacks->stacks[at % STACKS_NR_STACKS];
		uint32_t state = STACKS_FREE;

		if (atomic_compare_exchange_strong(&s->state, &state,
						   STACKS_BUSY)) {
			s->nr = walk->nr;
			memcpy(s->frames, walk->frames, len);
			atomic_store(&s->state, STACKS_READY);
		} else if (state != STACKS_READY || s->nr != walk->nr ||
			   memcmp(s->frames, walk->frames, len)) {
			continue;
		}
		return at % STACKS_NR_STACKS;
	}
	return -1;
}

/* Not over a newer one: its thread may have been stopped for long. */
static void event_put(_Atomic uint64_t *at, uint64_t id, uint64_t number)
{
	uint64_t old = atomic_load(at);

	while (old >> STACKS_INDEX_BITS < id &&
	       !atomic_compare_exchange_weak(at, &old, id << STACKS_INDEX_BITS |
					     number))
		;
}

static void on_signal(int taken, siginfo_t *info, void *context)
{
	const uint64_t id = (uintptr_t)info->si_value.sival_ptr;
	const int error = errno;
	struct stacks *stacks;
	struct walk walk;
	long number;

	(void)taken;
	(void)context;
	if (info->si_code != HEAPSIM_SI_STACK)
		return;
	stacks = stacks_get();
	if (!stacks)
		goto out;
	walk.stacks = stacks;
	walk.from = (uint32_t)info->si_pid |
		    (uint64_t)(uint32_t)info->si_uid << 32;
	walk.has_begun = false;
	walk.nr = 0;
	_Unwind_Backtrace(step, &walk);
	/* Nobody waits for one that there is not. */
	number = STACKS_NR_STACKS;
	/* One who left where it was for good has no such frame any more. */
	if (walk.nr) {
		number = stack_number(stacks, &walk);
		if (number < 0) {
			atomic_fetch_add(&stacks->nr_lost, 1);
			number = STACKS_NR_STACKS;
		}
	}
	event_put(stacks_at(stacks, id), id, number);
out:
	errno = error;
}

/* Others' constructors may have come before, and called what is below. */
static void next_find(void)
{
	if (next_sigmask)
		return;
	next_sigaction = dlsym(RTLD_NEXT, "sigaction");
	next_sigprocmask = dlsym(RTLD_NEXT, "sigprocmask");
	next_signal = dlsym(RTLD_NEXT, "signal");
	next_sigmask = dlsym(RTLD_NEXT, "pthread_sigmask");
}

__attribute__((constructor)) static void preload_init(void)
{
	static const int synchronous[] = {
		SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT,
	};
	struct sigaction ours = {
		.sa_sigaction = on_signal,
		.sa_flags = SA_SIGINFO | HEAPSIM_SA_STACK | SA_ONSTACK |
			    SA_RESTART,
	};
	const char *path = getenv(STACKS_ENV);
	sigset_t set;
	ssize_t len;
	size_t i;

	next_find();
	if (!path || strlen(path) >= sizeof(stacks_path))
		return;
	strcpy(stacks_path, path);
	len = readlink("/proc/self/exe", exe_path, sizeof(exe_path) - 1);
	if (len < 0)
		return;
	/* Others' handlers may leave by longjmp(): not from within ours. */
	sigfillset(&ours.sa_mask);
	for (i = 0; i < sizeof(synchronous) / sizeof(synchronous[0]); i++)
		sigdelset(&ours.sa_mask, synchronous[i]);
	/* A program that came first has it: then there are no stacks. */
	if (__libc_allocate_rtsig(0) != STACKS_SIGNAL ||
	    next_sigaction(STACKS_SIGNAL, &ours, NULL))
		return;
	is_taken = true;
	sigemptyset(&set);
	sigaddset(&set, STACKS_SIGNAL);
	next_sigprocmask(SIG_UNBLOCK, &set, NULL);
}

EXPORT int sigaction(int signal, const struct sigaction *action,
		     struct sigaction *old)
{
	struct sigaction without;

	next_find();
	if (!is_taken)
		return next_sigaction(signal, action, old);
	if (signal == STACKS_SIGNAL) {
		errno = EINVAL;
		return -1;
	}
	if (action) {
		without = *action;
		sigdelset(&without.sa_mask, STACKS_SIGNAL);
		action = &without;
	}
	return next_sigaction(signal, action, old);
}

EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	next_find();
	if (is_taken && number == STACKS_SIGNAL) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return next_signal(number, handler);
}

/* Unblocking it is no harm. */
static const sigset_t *mask_without(int how, const sigset_t *set,
				    sigset_t *without)
{
	if (!is_taken || !set || how == SIG_UNBLOCK)
		return set;
	*without = *set;
	sigdelset(without, STACKS_SIGNAL);
	return without;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t without;

	next_find();
	return next_sigprocmask(how, mask_without(how, set, &without), old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t without;

	next_find();
	return next_sigmask(how, mask_without(how, set, &without), old);
}
