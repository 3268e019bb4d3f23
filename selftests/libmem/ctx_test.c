// SPDX-License-Identifier: GPL-2.0-only
/* Tests of libmem's contexts. */
#include "test.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>

#define NR_THREADS	8

static void the_library_has_the_version_of_its_header(void **state)
{
	(void)state;
	assert_int_equal(mem_version(), LIBMEM_VERSION);
	assert_int_equal(LIBMEM_MAKE_VERSION(1, 2, 3), 0x010203);
	assert_true(mem_version() < LIBMEM_MAKE_VERSION(0, 255, 255));
}

static void open_refuses_what_is_malformed(void **state)
{
	struct {
		struct mem_ctx_options options;
		uint8_t tail[8];
	} longer = { .options.size = sizeof(longer) };
	struct mem_ctx_options *options = &longer.options;
	struct mem_ctx *place = UNTOUCHED;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, NULL), -EINVAL);
	longer.tail[7] = 1;
	assert_int_equal(mem_ctx_open(options, &place), -E2BIG);
	options->size = sizeof(*options) - 1;
	assert_int_equal(mem_ctx_open(options, &place), -EINVAL);
	options->size = sizeof(*options);
	options->backend = MEM_BACKEND_KERNEL + 1;
	assert_int_equal(mem_ctx_open(options, &place), -EINVAL);
	options->backend = MEM_BACKEND_AUTO;
	options->evict = MEM_EVICT_RANDOM + 1;
	assert_int_equal(mem_ctx_open(options, &place), -EINVAL);
	options->evict = 0;
	memset(options->soc, 'n', sizeof(options->soc));
	assert_int_equal(mem_ctx_open(options, &place), -EINVAL);
	assert_int_equal(mem_ctx_open_shared(options, &place), -EINVAL);
	assert_ptr_equal(place, UNTOUCHED);
}

static void the_environment_says_what_is_left_open(void **state)
{
	struct mem_ctx_options options = { .size = sizeof(options) };
	const char *was = getenv("LIBMEM_BACKEND");
	struct mem_ctx *place = UNTOUCHED;

	(void)state;
	was = was ? strdup(was) : NULL;
	setenv("LIBMEM_BACKEND", "none", 1);
	assert_int_equal(mem_ctx_open(NULL, &place), -EINVAL);
	assert_int_equal(mem_ctx_open(&options, &place), -EINVAL);
	assert_ptr_equal(place, UNTOUCHED);
	options.backend = is_embedded() ? MEM_BACKEND_EMBEDDED :
					  MEM_BACKEND_KERNEL;
	assert_int_equal(mem_ctx_open(&options, &place), 0);
	mem_ctx_close(place);
	/*
	 * An older, shorter struct leaves the other options at their default.
	 */
	options.size = offsetof(struct mem_ctx_options, seed);
	assert_int_equal(mem_ctx_open(&options, &place), 0);
	mem_ctx_close(place);
	options.size = sizeof(options);
	if (was)
		setenv("LIBMEM_BACKEND", was, 1);
	else
		unsetenv("LIBMEM_BACKEND");
	free((char *)was);
}

static void probe_of(const struct mem_ctx_options *options,
		     struct mem_probe *probe)
{
	struct mem_ctx *one;

	probe->size = sizeof(*probe);
	assert_int_equal(mem_ctx_open(options, &one), 0);
	assert_int_equal(mem_ctx_probe(one, probe), 0);
	mem_ctx_close(one);
}

static void the_environment_says_what_is_evicted(void **state)
{
	static const char *const bad_seeds[] = {
		"x", "-1", "1x", " 1", "99999999999999999999",
	};
	struct mem_ctx_options options = { .size = sizeof(options) };
	struct mem_ctx *place = UNTOUCHED;
	struct mem_probe probe;
	size_t i;

	(void)state;
	setenv("LIBMEM_EVICT", "random", 1);
	setenv("LIBMEM_SEED", "18446744073709551615", 1);
	probe_of(NULL, &probe);
	assert_int_equal(probe.evict_random, 1);
	assert_true(probe.seed == UINT64_MAX);
	for (i = 0; i < sizeof(bad_seeds) / sizeof(*bad_seeds); i++) {
		setenv("LIBMEM_SEED", bad_seeds[i], 1);
		assert_int_equal(mem_ctx_open(NULL, &place), -EINVAL);
	}
	options.evict = MEM_EVICT_NONE;
	probe_of(&options, &probe);
	assert_int_equal(probe.evict_random, 0);
	options.evict = MEM_EVICT_RANDOM;
	options.seed = 7;
	probe_of(&options, &probe);
	assert_int_equal(probe.evict_random, 1);
	assert_int_equal(probe.seed, 7);
	unsetenv("LIBMEM_SEED");
	setenv("LIBMEM_EVICT", "lru", 1);
	assert_int_equal(mem_ctx_open(NULL, &place), -EINVAL);
	assert_ptr_equal(place, UNTOUCHED);
	unsetenv("LIBMEM_EVICT");
}

/* One variable at a time is set, and restored to its initial value. */
static void what_the_environment_says_must_be_known(void **state)
{
	static const char *const names[] = {
		"LIBMEM_BACKEND", "LIBMEM_POLICY", "LIBMEM_EVICT",
		"LIBMEM_ENGINE",
	};
	struct mem_ctx *place = UNTOUCHED;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *was = getenv(names[i]);

		was = was ? strdup(was) : NULL;
		setenv(names[i], "foo", 1);
		assert_int_equal(mem_ctx_open(NULL, &place), -EINVAL);
		assert_ptr_equal(place, UNTOUCHED);
		if (was)
			setenv(names[i], was, 1);
		else
			unsetenv(names[i]);
		free((char *)was);
	}
}

static void open_without_descriptors_is_emfile(void **state)
{
	struct mem_ctx *place = UNTOUCHED;
	struct rlimit old = take_all_fds();
	int err;

	(void)state;
	err = mem_ctx_open(NULL, &place);
	give_fds_back(old);
	assert_int_equal(err, -EMFILE);
	assert_ptr_equal(place, UNTOUCHED);
}

static void close_accepts_null(void **state)
{
	(void)state;
	mem_ctx_close(NULL);
}

static void probe_tells_the_soc(void **state)
{
	struct mem_probe probe = { .size = sizeof(probe) };

	(void)state;
	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	assert_int_equal(probe.size, sizeof(probe));
	assert_int_equal(probe.abi_version,
			 is_embedded() ? 0 : HEAPSIM_ABI_VERSION);
	assert_true(probe.line_size == 32 || probe.line_size == 64 ||
		    probe.line_size == 128);
	assert_int_equal(probe.page_size, sysconf(_SC_PAGESIZE));
	assert_int_equal(probe.fill_size % probe.line_size, 0);
	assert_true(probe.soc[0]);
	assert_non_null(memchr(probe.soc, 0, sizeof(probe.soc)));
}

static void probe_refuses_null_and_short_structs(void **state)
{
	struct mem_probe probe = { .size = sizeof(probe) - 1 };

	(void)state;
	assert_int_equal(mem_ctx_probe(ctx, &probe), -EINVAL);
	assert_int_equal(probe.line_size, 0);
	assert_int_equal(mem_ctx_probe(ctx, NULL), -EINVAL);
	assert_int_equal(mem_ctx_probe(NULL, &probe), -EINVAL);
}

static void buffers_and_jobs_outlive_their_context(void **state)
{
	struct mem_ctx *other;
	struct mem_buf *buf;
	struct mem_job *job;

	(void)state;
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	assert_int_equal(mem_buf_alloc(other, MEM_KIND_NONCOHERENT, LEN, NULL,
				       &buf), 0);
	mem_ctx_close(other);
	assert_int_equal(mem_job_fill(buf, 0, LEN, 1, &job), 0);
	mem_buf_destroy(buf);
	assert_int_equal(finish_job(job), LEN);
}

static void the_module_has_one_board(void **state)
{
	struct mem_ctx_options options = { .size = sizeof(options) };
	struct mem_probe probe = { .size = sizeof(probe) };
	struct mem_ctx *other = UNTOUCHED;

	(void)state;
	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	strcpy(options.soc, "no-such-board");
	assert_int_equal(mem_ctx_open(&options, &other), -EOPNOTSUPP);
	assert_ptr_equal(other, UNTOUCHED);
	strcpy(options.soc, probe.soc);
	assert_int_equal(mem_ctx_open(&options, &other), 0);
	mem_ctx_close(other);
}

static void a_process_has_every_board(void **state)
{
	static const char *const socs[] = {
		"nano", "tx2", "drive-px2", "xavier", "orin", "orin-nano",
		"thor", "generic-coherent", "generic-noncoherent",
	};
	struct mem_ctx_options options = { .size = sizeof(options) };
	struct mem_probe probe = { .size = sizeof(probe) };
	struct mem_ctx *other;
	struct mem_buf *buf;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(socs) / sizeof(*socs); i++) {
		strcpy(options.soc, socs[i]);
		assert_int_equal(mem_ctx_open(&options, &other), 0);
		assert_int_equal(mem_ctx_probe(other, &probe), 0);
		assert_string_equal(probe.soc, socs[i]);
		assert_int_equal(mem_buf_alloc(other, MEM_KIND_SYSTEM, 1, NULL,
					       &buf), 0);
		assert_int_equal(mem_buf_kind(buf), probe.io_coherent ?
				 MEM_KIND_COHERENT : MEM_KIND_NONCOHERENT);
		mem_buf_destroy(buf);
		mem_ctx_close(other);
	}
	other = UNTOUCHED;
	strcpy(options.soc, "no-such-board");
	assert_int_equal(mem_ctx_open(&options, &other), -EINVAL);
	options.soc[0] = 0;
	options.fill_size = 1;
	assert_int_equal(mem_ctx_open(&options, &other), -EINVAL);
	options.fill_size = 3U << 16;
	assert_int_equal(mem_ctx_open(&options, &other), -EINVAL);
	options.fill_size = 4U << 20;
	assert_int_equal(mem_ctx_open(&options, &other), -EINVAL);
	assert_ptr_equal(other, UNTOUCHED);
}

static void *open_shared(void *soc)
{
	struct mem_ctx_options options = { .size = sizeof(options) };
	struct mem_ctx *shared;

	strncpy(options.soc, soc, sizeof(options.soc) - 1);
	return mem_ctx_open_shared(&options, &shared) ? NULL : shared;
}

/*
 * In a process that has opened no context, all threads get the same one, whose
 * board is @expected; the module has its own board.
 */
static int all_share_one(char *soc, const char *expected)
{
	struct mem_probe probe = { .size = sizeof(probe) };
	pthread_t threads[NR_THREADS];
	void *got[NR_THREADS];
	int i;

	for (i = 0; i < NR_THREADS; i++)
		if (pthread_create(&threads[i], NULL, open_shared, soc))
			return 1;
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], &got[i]);
	for (i = 0; i < NR_THREADS; i++)
		if (!got[i] || got[i] != got[0])
			return 2;
	if (mem_ctx_probe(got[0], &probe))
		return 3;
	if (probe.backend == MEM_BACKEND_EMBEDDED &&
	    strcmp(probe.soc, expected))
		return 4;
	for (i = 0; i < NR_THREADS; i++)
		mem_ctx_close(got[i]);
	/* The process keeps the context open. */
	if (mem_ctx_probe(got[0], &probe) || open_shared("nano") != got[0])
		return 5;
	mem_ctx_close(got[0]);
	return 0;
}

static int status_of_sharing(const char *variable, const char *soc,
			     const char *expected)
{
	const pid_t pid = fork();

	if (pid)
		return exit_code_of(pid);
	if (variable)
		setenv("LIBMEM_SOC", variable, 1);
	else
		unsetenv("LIBMEM_SOC");
	execl(program_invocation_name, "ctx_test", soc, expected,
	      NULL);
	_exit(127);
}

static void one_context_is_shared_by_all(void **state)
{
	(void)state;
	assert_int_equal(status_of_sharing(NULL, "tx2", "tx2"), 0);
	assert_int_equal(status_of_sharing("", "tx2", "tx2"), 0);
	assert_int_equal(status_of_sharing(NULL, "", "generic-noncoherent"), 0);
}

static void the_environment_names_the_shared_board(void **state)
{
	(void)state;
	assert_int_equal(status_of_sharing("xavier", "tx2", "xavier"), 0);
	assert_int_equal(status_of_sharing("no-such-board", "tx2", ""), 2);
}

static void the_shared_context_is_no_other(void **state)
{
	struct mem_ctx *shared, *again;
	struct mem_buf *buf;

	(void)state;
	assert_int_equal(mem_ctx_open_shared(NULL, &shared), 0);
	assert_ptr_not_equal(shared, ctx);
	assert_int_equal(mem_ctx_open_shared(NULL, &again), 0);
	assert_ptr_equal(again, shared);
	assert_int_equal(mem_buf_alloc(shared, MEM_KIND_SYSTEM, 1, NULL, &buf),
			 0);
	mem_ctx_close(shared);
	mem_ctx_close(again);
	mem_buf_destroy(buf);
	assert_int_equal(mem_ctx_open_shared(NULL, &again), 0);
	assert_ptr_equal(again, shared);
	assert_int_equal(mem_ctx_sync(again), 0);
	mem_ctx_close(again);
}

static void a_child_has_no_shared_context(void **state)
{
	struct mem_ctx *shared, *place = UNTOUCHED;
	pid_t pid;

	(void)state;
	assert_int_equal(mem_ctx_open_shared(NULL, &shared), 0);
	pid = fork();
	if (!pid)
		_exit(mem_ctx_open_shared(NULL, &place) != -EPERM ||
		      place != UNTOUCHED);
	assert_int_equal(exit_code_of(pid), 0);
	mem_ctx_close(shared);
}

static sem_t has_to_fork, has_forked;
static atomic_bool is_forking;

/* The library calls this while it creates its window. */
int memfd_create(const char *name, unsigned int flags)
{
	if (atomic_exchange(&is_forking, false)) {
		sem_post(&has_to_fork);
		sem_wait(&has_forked);
	}
	return (int)syscall(SYS_memfd_create, name, flags);
}

static int open_and_alloc(void)
{
	struct mem_ctx *own;
	void *ptr;
	int err = mem_ctx_open(NULL, &own);

	return err ? err : mem_alloc(own, MEM_KIND_PINNED, 1, 0, &ptr);
}

/* A child that waits for a lock has all signals blocked that can be. */
static int exit_code_in_time(pid_t pid)
{
	siginfo_t info = { 0 };
	int i;

	for (i = 0; i < 6000 && !info.si_pid; i++) {
		usleep(10000);
		waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
	}
	if (!info.si_pid)
		kill(pid, SIGKILL);
	return exit_code_of(pid);
}

static void *open_in_child(void *code)
{
	pid_t pid;

	sem_wait(&has_to_fork);
	pid = fork();
	if (!pid)
		_exit(-open_and_alloc());
	*(int *)code = exit_code_in_time(pid);
	sem_post(&has_forked);
	return NULL;
}

/*
 * Runs in a new program, which has no window yet. Returns the error of a child,
 * or 128 if it waits for a lock that a thread of its parent has.
 */
static int fork_while_opening(void)
{
	pthread_t thread;
	int code = 127;

	if (sem_init(&has_to_fork, 0, 0) || sem_init(&has_forked, 0, 0) ||
	    pthread_create(&thread, NULL, open_in_child, &code))
		return 126;
	atomic_store(&is_forking, true);
	if (open_and_alloc())
		return 125;
	pthread_join(thread, NULL);
	return code;
}

/* The module lets a child have a window if its parent has none yet. */
static void a_child_may_come_while_the_window_is_created(void **state)
{
	const pid_t pid = fork();

	(void)state;
	if (!pid)
		execl(program_invocation_name, "ctx_test", "forks", NULL);
	assert_int_equal(exit_code_of(pid), is_embedded() ? EPERM : 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest both[] = {
		cmocka_unit_test(the_library_has_the_version_of_its_header),
		cmocka_unit_test(open_refuses_what_is_malformed),
		cmocka_unit_test(the_environment_says_what_is_left_open),
		cmocka_unit_test(the_environment_says_what_is_evicted),
		cmocka_unit_test(what_the_environment_says_must_be_known),
		cmocka_unit_test(close_accepts_null),
		cmocka_unit_test(probe_tells_the_soc),
		cmocka_unit_test(probe_refuses_null_and_short_structs),
		cmocka_unit_test(buffers_and_jobs_outlive_their_context),
		cmocka_unit_test(one_context_is_shared_by_all),
		cmocka_unit_test(the_shared_context_is_no_other),
		cmocka_unit_test(a_child_has_no_shared_context),
		cmocka_unit_test(a_child_may_come_while_the_window_is_created),
	};
	const struct CMUnitTest kernel[] = {
		cmocka_unit_test(open_without_descriptors_is_emfile),
		cmocka_unit_test(the_module_has_one_board),
	};
	const struct CMUnitTest embedded[] = {
		cmocka_unit_test(a_process_has_every_board),
		cmocka_unit_test(the_environment_names_the_shared_board),
	};

	if (argc == 2)
		return fork_while_opening();
	if (argc == 3)
		return all_share_one(argv[1], argv[2]);
	return run_both(both, kernel, embedded);
}
