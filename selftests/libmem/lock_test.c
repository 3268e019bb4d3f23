// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of mlockall() in a program with a context: it must not fill the window.
 * A child locks its memory, and is ended if it grows: a wrong library would
 * take all memory of the machine within seconds.
 */
#include "test.h"

#include <sys/mman.h>
#include <sys/wait.h>

#define MAP_LEN		65536U
#define MAX_PAGES	65536L	/* of the child, 256 MiB */
#define POLL_US		10000
#define SKIPPED		77

static long resident_pages(pid_t pid)
{
	char path[32];
	long len, pages = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", (int)pid);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%ld %ld", &len, &pages) != 2)
		pages = 0;
	if (file)
		fclose(file);
	return pages;
}

static void add_one(const struct mem_block *block, void *args)
{
	(*(unsigned char **)args)[block->index[0]]++;
}

/* Returns 0 if a kernel still runs, and accesses what it shall. */
static int run_kernel(struct mem_ctx *ctx)
{
	struct mem_launch launch = {
		.size = sizeof(launch),
		.engine = MEM_ENGINE_GPU,
		.kernel = add_one,
		.grid = { 16, 1, 1 },
		.block = { 1, 1, 1 },
		.args_len = sizeof(void *),
	};
	unsigned char *at;
	int ret;

	if (mem_alloc(ctx, MEM_KIND_MANAGED, MAP_LEN, MEM_ATTACH_GLOBAL,
		      (void **)&at))
		return 1;
	launch.args = &at;
	memset(at, 5, MAP_LEN);
	ret = mem_launch(mem_stream_legacy(ctx), &launch) || mem_ctx_sync(ctx);
	ret = ret || at[0] != 6 || at[15] != 6 || at[16] != 5;
	return mem_free(ctx, at) || ret;
}

static bool is_resident(void *at)
{
	unsigned char page = 0;

	return !mincore(at, 1, &page) && page & 1;
}

/* The child: opens a context before or after it locks its memory. */
static int lock_memory(int flags, bool opens_first)
{
	const int prot = PROT_READ | PROT_WRITE;
	const int map = MAP_PRIVATE | MAP_ANONYMOUS;
	void *own = mmap(NULL, MAP_LEN, prot, map, -1, 0);
	struct mem_ctx *ctx = NULL;

	if (opens_first && (mem_ctx_open(NULL, &ctx) || run_kernel(ctx)))
		return 1;
	if (mlockall(flags))
		return errno == EPERM || errno == ENOMEM ? SKIPPED : 2;
	if (flags & MCL_CURRENT &&
	    is_resident(own) == !!(flags & MCL_ONFAULT))
		return 3;
	if (flags & MCL_FUTURE) {
		own = mmap(NULL, MAP_LEN, prot, map, -1, 0);
		if (own == MAP_FAILED || !is_resident(own))
			return 4;
	}
	if (!opens_first && mem_ctx_open(NULL, &ctx))
		return 5;
	if (run_kernel(ctx) || run_kernel(ctx))
		return 6;
	mem_ctx_close(ctx);
	return 0;
}

static void check(int flags, bool opens_first)
{
	const pid_t child = fork();
	int status = 0;

	if (!child)
		_exit(lock_memory(flags, opens_first));
	while (!waitpid(child, &status, WNOHANG)) {
		if (resident_pages(child) > MAX_PAGES)
			kill(child, SIGKILL);
		usleep(POLL_US);
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
		skip_because("this user may not lock all memory");
	assert_int_equal(status, 0);
}

static void memory_is_locked_without_the_window(void **state)
{
	(void)state;
	check(MCL_CURRENT, true);
	check(MCL_CURRENT | MCL_FUTURE, true);
	check(MCL_CURRENT | MCL_ONFAULT, true);
	check(MCL_FUTURE, true);
}

static void a_context_is_opened_after_memory_was_locked(void **state)
{
	(void)state;
	check(MCL_CURRENT, false);
	check(MCL_FUTURE, false);
	check(MCL_CURRENT | MCL_FUTURE, false);
}

static void wrong_flags_are_refused(void **state)
{
	(void)state;
	errno = 0;
	assert_int_equal(mlockall(64), -1);
	assert_int_equal(errno, EINVAL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_locked_without_the_window),
		cmocka_unit_test(a_context_is_opened_after_memory_was_locked),
		cmocka_unit_test(wrong_flags_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
