// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests buffers that are tracked precisely: each access counts once, at its
 * line, and the bytes are right. step_test tests what the program could notice.
 */
#include "precise.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifndef __x86_64__
static void precise_is_refused(void **state)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.precise = 1,
	};

	(void)state;
	assert_int_equal(mem_ctx_open(&options, &ctx), -EOPNOTSUPP);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(precise_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
#else

static void the_context_says_so(void **state)
{
	struct mem_ctx_options options = { .size = sizeof(options) };
	struct mem_probe probe = { .size = sizeof(probe) };
	struct mem_ctx *other;

	(void)state;
	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	assert_int_equal(probe.precise, 1);
	assert_int_equal(mem_ctx_open(&options, &other), 0);
	assert_int_equal(mem_ctx_probe(other, &probe), 0);
	assert_int_equal(probe.precise, 0);
	mem_ctx_close(other);
	assert_int_equal(setenv("LIBMEM_PRECISE", "1", 1), 0);
	assert_int_equal(mem_ctx_open(&options, &other), 0);
	assert_int_equal(mem_ctx_probe(other, &probe), 0);
	assert_int_equal(probe.precise, 1);
	mem_ctx_close(other);
	setenv("LIBMEM_PRECISE", "yes", 1);
	assert_int_equal(mem_ctx_open(&options, &other), -EINVAL);
	unsetenv("LIBMEM_PRECISE");
	options.precise = 2;
	assert_int_equal(mem_ctx_open(&options, &other), -EINVAL);
}

/* A page has stale and fresh lines; only stale ones that are read count. */
static void each_read_of_a_stale_line_counts_once(void **state)
{
	static const size_t stale[] = { 3, 5, 9, 31 };
	const struct fixture *f = *state;
	const size_t nr = PAGE / f->line;
	size_t i, line;

	for (i = 0; i < NR(stale); i++)
		make_stale(f, stale[i]);
	for (line = 0; line < nr; line++)
		if (line != 5)
			load(f->map + line * f->line + line % 7);
	assert_int_equal(stale_reads(f), 3);
	load(f->map + 4 * f->line);
	assert_int_equal(stale_reads(f), 3);
	load(f->map + 5 * f->line + 1);
	assert_int_equal(stale_reads(f), 4);
}

static struct mem_violation next_violation(void)
{
	struct mem_violation v = { .size = sizeof(v) };

	assert_int_equal(mem_ctx_next_violation(ctx, &v), 1);
	return v;
}

static void drop_violations(void)
{
	struct mem_violation v = { .size = sizeof(v) };

	while (mem_ctx_next_violation(ctx, &v) > 0)
		;
}

/* A violation has the address of its access, not of the first to the page. */
static void a_violation_has_the_address_of_each(void **state)
{
	const struct fixture *f = *state;
	size_t line;

	for (line = 8; line < 20; line += 5) {
		const size_t off = line * f->line + 5;
		const struct mem_range range = {
			.buf = f->buf,
			.len = NR_PAGES * PAGE,
			.op = MEM_MAINT_CLEAN,
		};
		struct mem_violation v;

		make_stale(f, line);
		drop_violations();
		load(f->map + (line + 1) * f->line);
		load(f->map + off);
		v = next_violation();
		assert_int_equal(v.kind, MEM_VIOLATION_STALE_READ);
		assert_int_equal(v.count, 1);
		assert_int_equal(v.off, off);
		assert_int_equal(v.cpu_addr, (uintptr_t)f->map + off);
		store(f->map, 1);
		store(f->map + off, 1);
		read_range(f, line * f->line, f->line);
		v = next_violation();
		assert_int_equal(v.kind, MEM_VIOLATION_MISSING_CLEAN);
		assert_int_equal(v.off, line * f->line);
		assert_int_equal(v.cpu_addr, (uintptr_t)f->map + off);
		assert_int_equal(mem_buf_maintain(ctx, &range, 1, NULL), 0);
		drop_violations();
	}
}

/* Stores that change no byte make their line Dirty, too. */
static void each_store_makes_its_line_dirty(void **state)
{
	const struct fixture *f = *state;
	const size_t nr = PAGE / f->line;
	size_t line;

	for (line = 0; line < nr; line += 2)
		store(f->map + line * f->line + 3, 0);
	read_range(f, 0, PAGE);
	assert_int_equal(missing_cleans(f), nr / 2);
}

static void an_access_of_two_pages_is_seen_on_both(void **state)
{
	const struct fixture *f = *state;
	const size_t line = PAGE / f->line;

	make_stale(f, line - 1);
	make_stale(f, line);
	assert_int_equal(load_8(f->map + PAGE - 3), 0);
	assert_int_equal(stale_reads(f), 2);
	load_8(f->map + PAGE - 3);
	assert_int_equal(stale_reads(f), 4);
	__asm__ volatile("movq %0, (%1)" : : "r"(0x1122334455667788ULL),
			 "r"(f->map + 2 * PAGE - 4) : "memory");
	assert_int_equal(load_8(f->map + 2 * PAGE - 4), 0x1122334455667788ULL);
	read_range(f, PAGE, 2 * PAGE);
	assert_int_equal(missing_cleans(f), 2);
}

static void movs_between_two_pairs_of_pages_counts_each_line(void **state)
{
	const struct fixture *f = *state;
	const void *from = f->map + PAGE - 4;
	void *to = f->map + 3 * PAGE - 4;

	store(f->map + PAGE - 1, 0x12);
	store(f->map + PAGE, 0x34);
	__asm__ volatile("movsq" : "+S"(from), "+D"(to) : : "memory");
	assert_int_equal(load(f->map + 3 * PAGE - 1), 0x12);
	assert_int_equal(load(f->map + 3 * PAGE), 0x34);
	/* Both lines are on one page, which is read first. */
	from = f->map;
	to = f->map + f->line;
	store(f->map + 7, 0x56);
	__asm__ volatile("movsq" : "+S"(from), "+D"(to) : : "memory");
	assert_int_equal(load(f->map + f->line + 7), 0x56);
	read_range(f, 0, NR_PAGES * PAGE);
	assert_int_equal(missing_cleans(f), 2 + 2 + 2);
}

static void each_round_of_rep_movs_is_an_access(void **state)
{
	const struct fixture *f = *state;
	uint8_t copy[3 * 128], *to = copy;
	const uint8_t *from = f->map + 6 * f->line;
	size_t nr = 3 * f->line / 8;

	make_stale(f, 7);
	__asm__ volatile("rep movsq" : "+S"(from), "+D"(to), "+c"(nr) : :
			 "memory");
	assert_int_equal(stale_reads(f), f->line / 8);
	to = f->map + PAGE - f->line;
	nr = 2 * f->line;
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(nr) : "a"(0) : "memory");
	read_range(f, 0, NR_PAGES * PAGE);
	assert_int_equal(missing_cleans(f), 2);
}

/* One instruction accesses two buffers. */
static void an_instruction_may_touch_two_buffers(void **state)
{
	const struct fixture *f = *state;
	struct fixture *other;
	const void *from;
	void *to;
	int i;

	make_fixture((void **)&other);
	make_stale(f, 1);
	for (i = 0; i < 20; i++) {
		from = f->map + f->line;
		to = other->map + f->line;
		__asm__ volatile("movsb" : "+S"(from), "+D"(to) : : "memory");
	}
	assert_int_equal(stale_reads(f), 20);
	read_range(other, 0, PAGE);
	assert_int_equal(missing_cleans(other), 1);
	free_fixture((void **)&other);
}

static void the_c_library_works_on_it(void **state)
{
	const struct fixture *f = *state;
	uint8_t bytes[600], *at = f->map + PAGE - sizeof(bytes) / 2;
	struct mem_job *job;
	size_t i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 31 >> 3);
	assert_int_equal(mem_buf_begin(f->buf, MEM_RW), 0);
	memcpy(at, bytes, sizeof(bytes));
	assert_int_equal(memcmp(at, bytes, sizeof(bytes)), 0);
	memmove(at + 1, at, sizeof(bytes));
	assert_int_equal(memcmp(at + 1, bytes, sizeof(bytes)), 0);
	memset(at, 'a', sizeof(bytes));
	at[sizeof(bytes)] = 0;
	assert_int_equal(strlen((char *)at), sizeof(bytes));
	assert_int_equal(mem_buf_end(f->buf, MEM_RW), 0);
	assert_int_equal(mem_job_checksum(f->buf, (uint64_t)(at - f->map),
					  sizeof(bytes), &job), 0);
	memset(bytes, 'a', sizeof(bytes));
	assert_int_equal(finish_job(job), fnv1a(bytes, sizeof(bytes)));
	assert_int_equal(missing_cleans(f), 0);
}

/*
 * A system call's accesses count for the whole page; accesses by instructions
 * after it count precisely again.
 */
static void system_calls_are_seen_by_page(void **state)
{
	const struct fixture *f = *state;
	const int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	uint64_t was;

	make_stale(f, 2);
	make_stale(f, 4);
	assert_int_equal(read(zero, f->map + 3 * f->line, f->line), f->line);
	was = stale_reads(f);
	load(f->map + 2 * f->line);
	load(f->map + 3 * f->line);
	load(f->map + 4 * f->line);
	assert_int_equal(stale_reads(f), was + 2);
	close(zero);
}

/* What a waiting call needs stays accessible, whatever other accesses end. */
static void *read_a_word(void *arg)
{
	const struct fixture *f = ((void **)arg)[0];
	const int *fd = ((void **)arg)[1];

	return (void *)read(*fd, f->map, 4);
}

static void a_waiting_call_keeps_its_page(void **state)
{
	struct fixture *f = *state;
	pthread_t thread;
	void *ret;
	int fds[2], i;
	void *args[2] = { f, &fds[0] };

	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0,
				    fds), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_a_word, args), 0);
	for (i = 0; i < 100; i++) {
		load(f->map + 8);
		usleep(100);
	}
	/* A datagram that meets a page without access is lost. */
	assert_int_equal(write(fds[1], "abcd", 4), 4);
	assert_int_equal(pthread_join(thread, &ret), 0);
	assert_int_equal((ssize_t)ret, 4);
	assert_memory_equal(f->map, "abcd", 4);
	close(fds[0]);
	close(fds[1]);
}

/* Each touch while a stream is active is a mistake of its own. */
/* A futex in any buffer, as the C library's locks use it */
static void a_futex_after_an_atomic_has_its_page(void **state)
{
	static const enum mem_kind kinds[] = {
		MEM_KIND_PINNED, MEM_KIND_MANAGED,
	};
	struct mem_ctx_options options = {
		.size = sizeof(options),
		.policy = MEM_POLICY_RECORD,
		.precise = 1,
	};
	struct mem_ctx *recording;
	atomic_uint *word;
	size_t i;
	void *at;

	(void)state;
	assert_int_equal(mem_ctx_open(&options, &recording), 0);
	for (i = 0; i < NR(kinds); i++) {
		assert_int_equal(mem_alloc(recording, kinds[i], PAGE,
					   kinds[i] == MEM_KIND_MANAGED ?
					   MEM_ATTACH_HOST : 0, &at), 0);
		word = at;
		*word = 0;
		atomic_fetch_add(word, 1);
		/* It has another value: EAGAIN, and EFAULT without access. */
		assert_int_equal(syscall(SYS_futex, word, FUTEX_WAIT, 7, NULL,
					 NULL, 0), -1);
		assert_int_equal(errno, EAGAIN);
		mem_free(recording, at);
	}
	mem_ctx_close(recording);
}

static void k_wait(const struct mem_block *block, void *arg)
{
	volatile int **go = arg;

	(void)block;
	while (!**go)
		usleep(1000);
}

static uint8_t __attribute__((noinline)) load_here(const uint8_t *at)
{
	return load(at);
}

static void each_touch_while_active_counts(void **state)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.policy = MEM_POLICY_RECORD,
		.precise = 1,
	};
	struct mem_ctx *recording;
	struct mem_attach_counters count = { .size = sizeof(count) };
	struct mem_launch launch;
	volatile int *go;
	uint8_t *bytes;
	void *at;
	int i;

	(void)state;
	assert_int_equal(mem_ctx_open(&options, &recording), 0);
	assert_int_equal(mem_alloc(recording, MEM_KIND_MANAGED, PAGE,
				   MEM_ATTACH_GLOBAL, &at), 0);
	bytes = at;
	assert_int_equal(mem_alloc(recording, MEM_KIND_PINNED, PAGE, 0, &at),
			 0);
	go = at;
	*go = 0;
	launch = launch_of(k_wait, &go, sizeof(go));
	assert_int_equal(mem_launch(mem_stream_legacy(recording), &launch), 0);
	for (i = 0; i < 5; i++)
		load(bytes + i);
	/* Nor does it matter that it is the same instruction and byte. */
	for (i = 0; i < 5; i++)
		load_here(bytes);
	*go = 1;
	assert_int_equal(mem_ctx_sync(recording), 0);
	for (i = 0; i < 5; i++)
		load(bytes + i);
	assert_int_equal(mem_ptr_attach_counters(recording, bytes, &count), 0);
	assert_int_equal(count.cpu_while_active, 10);
	mem_free(recording, bytes);
	mem_free(recording, (void *)go);
	mem_ctx_close(recording);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, make_fixture, free_fixture)
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_context_says_so),
		TEST(each_read_of_a_stale_line_counts_once),
		TEST(a_violation_has_the_address_of_each),
		TEST(each_store_makes_its_line_dirty),
		TEST(an_access_of_two_pages_is_seen_on_both),
		TEST(movs_between_two_pairs_of_pages_counts_each_line),
		TEST(each_round_of_rep_movs_is_an_access),
		TEST(an_instruction_may_touch_two_buffers),
		TEST(the_c_library_works_on_it),
		TEST(system_calls_are_seen_by_page),
		TEST(a_waiting_call_keeps_its_page),
		cmocka_unit_test(a_futex_after_an_atomic_has_its_page),
		cmocka_unit_test(each_touch_while_active_counts),
	};

	return cmocka_run_group_tests(tests, open_precise, close_ctx);
}
#endif
