// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whether `heapsim run` watches this process, and what is recorded of the
 * process itself. All records are in tables that the command shares with its
 * processes (tables.h). They are written without a lock, from any handler, and
 * remain readable however the process ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "internal.h"
#include "walk.h"

/* Set once: when the library is loaded, or by the first context. */
static struct stacks *_Atomic stacks;

/* Why the first context could not set it, errno. */
static int look_error;

/**
 * record_tables() - return the file of the records
 *
 * Context: any.
 * Return: the file; NULL: the process is not watched.
 */
struct stacks *record_tables(void)
{
	return atomic_load_explicit(&stacks, memory_order_acquire);
}

/* @library: reported if the file has another version; NULL: not reported yet */
static void record_look(const char *library)
{
	const char *path;

	if (record_tables())
		return;
	path = secure_getenv(STACKS_ENV);
	if (!path || stacks_init())
		return;
	atomic_store(&stacks, stacks_map(path, library));
	look_error = errno;
}

/* Before the program drops the privilege that opening the file needs. */
__attribute__((constructor)) static void record_look_early(void)
{
	record_look(NULL);
}

static void record_look_once(void)
{
	record_look(LIBRARY_NAME);
}

/**
 * record_init() - find out whether `heapsim run` watches this process
 *
 * Context: any thread; with the first context.
 */
void record_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const int err = errno;

	pthread_once(&once, record_look_once);
	errno = err;
}

/**
 * record_is_on() - return whether `heapsim run` watches this process
 *
 * Context: any.
 * Return: true if it does.
 */
bool record_is_on(void)
{
	return record_tables();
}

/**
 * record_policy() - return the policy that the command requests
 *
 * Context: any.
 * Return: its --policy; MEM_POLICY_STRICT if the process is not watched.
 */
enum mem_policy record_policy(void)
{
	static const enum mem_policy policies[] = {
		[HEAPSIM_POLICY_STRICT] = MEM_POLICY_STRICT,
		[HEAPSIM_POLICY_RECORD] = MEM_POLICY_RECORD,
		[HEAPSIM_POLICY_OFF] = MEM_POLICY_OFF,
	};
	const struct stacks *s = record_tables();

	return s && s->tables.policy <= HEAPSIM_POLICY_OFF ?
	       policies[s->tables.policy] : MEM_POLICY_STRICT;
}

/**
 * record_evicts() - return whether the command requests random eviction
 * @seed: out: its seed
 *
 * Context: any.
 * Return: true if it does; false if the process is not watched.
 */
bool record_evicts(uint64_t *seed)
{
	const struct stacks *s = record_tables();

	*seed = s ? s->tables.seed : 0;
	return s && s->tables.evict_random;
}

/**
 * record_is_precise() - return whether the command requests precise tracking
 *
 * Context: any.
 * Return: true if it does; false if the process is not watched.
 */
bool record_is_precise(void)
{
	const struct stacks *s = record_tables();

	return s && s->tables.is_precise;
}

static int record_add_api(struct dl_phdr_info *info, size_t len, void *arg)
{
	static const struct {
		const char *prefix;
		uint32_t api;
	} layers[] = {
		{ "libmem-cuda", RECORD_API_CUDA },
		{ "libmem-nvsci", RECORD_API_NVSCI },
		{ "libmem-vpi", RECORD_API_VPI },
		{ "libmem-nvbuf", RECORD_API_NVBUF },
	};
	const char *slash = strrchr(info->dlpi_name, '/');
	const char *name = slash ? slash + 1 : info->dlpi_name;
	uint32_t *apis = arg;
	size_t i;

	(void)len;
	for (i = 0; i < sizeof(layers) / sizeof(layers[0]); i++)
		if (!strncmp(name, layers[i].prefix, strlen(layers[i].prefix)))
			*apis |= layers[i].api;
	return 0;
}

/**
 * record_process() - record that this process uses libmem, and which interfaces
 *
 * Context: any thread, after record_init().
 */
void record_process(void)
{
	static atomic_int tables;
	struct stacks *s = record_tables();
	const pid_t pid = getpid();
	uint32_t apis = 0, i;

	/* A child is another process. */
	if (!s || atomic_exchange(&tables, pid) == pid)
		return;
	i = atomic_fetch_add(&s->tables.nr_processes, 1);
	if (i >= RECORD_NR_PROCESSES)
		return;
	/* If a library of these opens the context, it is loaded by now. */
	dl_iterate_phdr(record_add_api, &apis);
	atomic_store(&s->tables.apis[i], apis);
	atomic_store(&s->tables.processes[i], (uint32_t)pid);
}

/**
 * record_engine() - record the process of an engine, which may end late
 * @pid: its number
 *
 * Context: any thread, after record_init().
 */
void record_engine(pid_t pid)
{
	struct stacks *s = record_tables();
	uint32_t i;

	if (!s)
		return;
	i = atomic_fetch_add(&s->tables.nr_engines, 1) % RECORD_NR_PROCESSES;
	atomic_store(&s->tables.engines[i], (uint32_t)pid);
}

/**
 * record_inline() - record that kernels of a context run in the program,
 * unchecked
 *
 * Context: any thread, after record_init().
 */
void record_inline(void)
{
	struct stacks *s = record_tables();

	if (s)
		atomic_fetch_add(&s->tables.nr_inline, 1);
}

/* Says on standard error that a run was expected to watch this process. */
static void record_say_unwatched(void)
{
	const char *path = getenv(STACKS_ENV);
	const bool is_trusted = secure_getenv(STACKS_ENV);
	char text[256];
	int len;

	if (!path)
		return;
	len = snprintf(text, sizeof(text),
		       "libmem: heapsim run does not watch process %d: %.64s: %s\n",
		       (int)getpid(), is_trusted ? path : "setuid",
		       is_trusted ? strerror(look_error) :
				    "it has more rights than its user");
	if (write(STDERR_FILENO, text, (size_t)len) < 0)
		return;
}

/**
 * record_unwatched() - report that a context was opened that is not watched
 * @is_embedded: it is one of the embedded backend, which nothing else watches
 *
 * Does nothing if `heapsim run` watches this process, or was told already why
 * it does not.
 *
 * Context: any thread, after record_init().
 */
void record_unwatched(bool is_embedded)
{
	static atomic_int reported;
	const pid_t pid = getpid();
	const int err = errno;

	/* The file has a record of a library of another version. */
	if (record_tables() || look_error == EPROTO ||
	    atomic_exchange(&reported, pid) == pid)
		return;
	notice_unwatched(is_embedded);
	if (is_embedded)
		record_say_unwatched();
	errno = err;
}

/**
 * record_context() - record that an embedded context was opened
 * @soc: name of its board
 * @line_size: bytes
 */
void record_context(const char *soc, uint32_t line_size)
{
	struct stacks *s = record_tables();

	if (!s || atomic_fetch_add(&s->tables.nr_contexts, 1))
		return;
	strncpy(s->tables.soc, soc, sizeof(s->tables.soc) - 1);
	atomic_store(&s->tables.line_size, line_size);
}

/**
 * record_bypassed() - record that calls of the C library do not pass through
 * libmem
 *
 * Context: any thread, after record_init().
 */
void record_bypassed(void)
{
	struct stacks *s = record_tables();

	if (s)
		atomic_store(&s->tables.bypassed_pid, (uint32_t)getpid());
}

/**
 * record_no_context() - record that a context could not be opened
 * @err: -errno
 * @variable: environment variable whose value may be the cause; NULL none
 */
void record_no_context(int err, const char *variable)
{
	const char *value = variable ? getenv(variable) : NULL;
	struct stacks *s = record_tables();

	if (!s || atomic_fetch_add(&s->tables.nr_failed, 1))
		return;
	if (value) {
		record_copy_text(s->tables.failed_name, variable,
				 sizeof(s->tables.failed_name));
		record_copy_text(s->tables.failed_value, value,
				 sizeof(s->tables.failed_value));
	}
	atomic_store(&s->tables.failed_err, err);
}

/* What the thread does is done for the call with this stack; 0: for itself. */
static __thread uint32_t done_for;

/**
 * record_done_for() - have what the calling thread does reported for a call
 * @stack: of that call, from record_stack(); 0: for the thread itself again
 *
 * Context: any.
 */
void record_done_for(uint32_t stack)
{
	done_for = stack;
}

/**
 * record_stack() - record the calling thread's stack
 * @from: instruction that was interrupted, or the return address of a call of
 *	the library; 0: here. The report leaves out frames of the library
 *
 * Context: any; takes some microseconds.
 * Return: number of the stack; 0: it was not recorded.
 */
uint32_t record_stack(uintptr_t from)
{
	struct stacks *s = record_tables();
	uint32_t index;

	if (!s)
		return 0;
	if (done_for)
		return done_for;
	index = stacks_put(s, from);
	return index < STACKS_NR_STACKS ? index + 1 : 0;
}
