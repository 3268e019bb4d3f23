// SPDX-License-Identifier: GPL-2.0-only
/* Tests of libmem's buffers: lifetime, maps, brackets, ranges, maintenance. */
#include <drm.h>

#include "../device/vgem.h"
#include "test.h"

static void alloc_gives_each_kind_zeroed(void **state)
{
	static const enum mem_kind kinds[] = {
		MEM_KIND_SYSTEM, MEM_KIND_NONCOHERENT, MEM_KIND_COHERENT,
		MEM_KIND_UNCACHED, MEM_KIND_CONTIGUOUS,
	};
	struct mem_buf *buf;
	uint8_t *addr;
	size_t i, at;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		assert_int_equal(mem_buf_alloc(ctx, kinds[i], LEN, "zeroed",
					       &buf), 0);
		assert_int_equal(mem_buf_len(buf), LEN);
		if (kinds[i] != MEM_KIND_SYSTEM)
			assert_int_equal(mem_buf_kind(buf), kinds[i]);
		assert_int_not_equal(mem_buf_kind(buf), MEM_KIND_SYSTEM);
		addr = map_buf(buf);
		for (at = 0; at < LEN; at++)
			assert_int_equal(addr[at], 0);
		mem_buf_destroy(buf);
	}
}

static void alloc_rounds_up_to_pages(void **state)
{
	struct mem_buf *buf;

	(void)state;
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_COHERENT, 1, NULL, &buf),
			 0);
	assert_int_equal(mem_buf_len(buf), sysconf(_SC_PAGESIZE));
	mem_buf_destroy(buf);
}

static void alloc_refuses_what_is_malformed(void **state)
{
	struct mem_buf *buf = UNTOUCHED;
	char name[MEM_NAME_LEN + 1];

	(void)state;
	memset(name, 'n', MEM_NAME_LEN);
	name[MEM_NAME_LEN] = 0;
	assert_int_equal(mem_buf_alloc(NULL, MEM_KIND_COHERENT, LEN, NULL,
				       &buf), -EINVAL);
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_COHERENT, LEN, NULL,
				       NULL), -EINVAL);
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_COHERENT, 0, NULL, &buf),
			 -EINVAL);
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_COHERENT, UINT64_MAX,
				       NULL, &buf), -EINVAL);
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_FOREIGN, LEN, NULL, &buf),
			 -EINVAL);
	assert_int_equal(mem_buf_alloc(ctx, 99, LEN, NULL,
				       &buf), -EINVAL);
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_COHERENT, LEN, name,
				       &buf), -EINVAL);
	assert_ptr_equal(buf, UNTOUCHED);
}

static void alloc_beyond_memory_is_enomem(void **state)
{
	struct mem_buf *buf = UNTOUCHED;

	(void)state;
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_COHERENT, 1ULL << 42,
				       NULL, &buf), -ENOMEM);
	assert_ptr_equal(buf, UNTOUCHED);
}

static void alloc_without_descriptors_is_emfile(void **state)
{
	struct mem_buf *buf = UNTOUCHED;
	struct rlimit old = take_all_fds();
	int err, heap_err;

	(void)state;
	err = mem_buf_alloc(ctx, MEM_KIND_COHERENT, LEN, NULL, &buf);
	heap_err = mem_buf_alloc_heap(ctx, "coherent", LEN, &buf);
	give_fds_back(old);
	assert_int_equal(err, -EMFILE);
	assert_int_equal(heap_err, -EMFILE);
	assert_ptr_equal(buf, UNTOUCHED);
}

static void heaps_give_their_kind(void **state)
{
	struct mem_buf *buf;

	(void)state;
	assert_int_equal(mem_buf_alloc_heap(ctx, "noncoherent", 1, &buf), 0);
	assert_int_equal(mem_buf_kind(buf), MEM_KIND_NONCOHERENT);
	assert_int_equal(mem_buf_len(buf), sysconf(_SC_PAGESIZE));
	mem_buf_destroy(buf);
	assert_int_equal(mem_buf_alloc_heap(ctx, "coherent", LEN, &buf), 0);
	assert_int_equal(mem_buf_kind(buf), MEM_KIND_COHERENT);
	mem_buf_destroy(buf);
}

static void heaps_refuse_what_is_wrong(void **state)
{
	static const char * const names[] = { "", ".", "..", "../null", "a/b" };
	struct mem_buf *buf = UNTOUCHED;
	char name[600];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_int_equal(mem_buf_alloc_heap(ctx, names[i], LEN, &buf),
				 -EINVAL);
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	assert_int_equal(mem_buf_alloc_heap(ctx, name, LEN, &buf), -EINVAL);
	assert_int_equal(mem_buf_alloc_heap(ctx, "none", LEN, &buf), -ENOENT);
	assert_int_equal(mem_buf_alloc_heap(ctx, "coherent", 0, &buf),
			 -EINVAL);
	assert_int_equal(mem_buf_alloc_heap(ctx, NULL, LEN, &buf), -EINVAL);
	assert_int_equal(mem_buf_alloc_heap(NULL, "coherent", LEN, &buf),
			 -EINVAL);
	assert_int_equal(mem_buf_alloc_heap(ctx, "coherent", LEN, NULL),
			 -EINVAL);
	assert_ptr_equal(buf, UNTOUCHED);
}

static void a_node_that_is_no_heap_is_enotty(void **state)
{
	struct mem_buf *buf = UNTOUCHED;
	int err;

	(void)state;
	if (symlink("/dev/null", "/dev/dma_heap/no_heap"))
		skip_because("no symbolic link can be made in /dev/dma_heap");
	err = mem_buf_alloc_heap(ctx, "no_heap", LEN, &buf);
	unlink("/dev/dma_heap/no_heap");
	assert_int_equal(err, -ENOTTY);
	assert_ptr_equal(buf, UNTOUCHED);
}

static void export_and_import_share_the_memory(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT), *other;
	uint8_t *addr, *other_addr;
	int fd;

	(void)state;
	assert_int_equal(mem_buf_export(buf, &fd), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(mem_buf_import(ctx, fd, &other), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	assert_int_equal(mem_buf_len(other), LEN);
	assert_int_equal(mem_buf_kind(other), MEM_KIND_COHERENT);
	addr = map_buf(buf);
	other_addr = map_buf(other);
	addr[5] = 77;
	assert_int_equal(other_addr[5], 77);
	mem_buf_destroy(buf);
	assert_int_equal(other_addr[5], 77);
	mem_buf_destroy(other);
}

static void import_refuses_what_is_wrong(void **state)
{
	struct mem_buf *buf = UNTOUCHED;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_int_equal(mem_buf_import(ctx, fd, &buf), -EINVAL);
	assert_int_equal(mem_buf_import(NULL, fd, &buf), -EINVAL);
	assert_int_equal(mem_buf_import(ctx, fd, NULL), -EINVAL);
	close(fd);
	assert_int_equal(mem_buf_import(ctx, -1, &buf), -EBADF);
	assert_int_equal(mem_buf_import(ctx, fd, &buf), -EBADF);
	assert_ptr_equal(buf, UNTOUCHED);
}

static void sharing_without_descriptors_is_emfile(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT), *other = UNTOUCHED;
	int fd = -5, err, import_err, source;
	struct rlimit old;

	(void)state;
	assert_int_equal(mem_buf_export(buf, &source), 0);
	old = take_all_fds();
	err = mem_buf_export(buf, &fd);
	import_err = mem_buf_import(ctx, source, &other);
	give_fds_back(old);
	assert_int_equal(err, -EMFILE);
	assert_int_equal(import_err, -EMFILE);
	assert_int_equal(fd, -5);
	assert_ptr_equal(other, UNTOUCHED);
	assert_int_equal(mem_buf_export(buf, NULL), -EINVAL);
	assert_int_equal(mem_buf_export(NULL, &fd), -EINVAL);
	close(source);
	mem_buf_destroy(buf);
}

static void map_counts_and_gives_one_address(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	uint8_t *first = map_buf(buf), *second = map_buf(buf);

	(void)state;
	assert_ptr_equal(first, second);
	assert_int_equal(mem_buf_unmap(buf), 0);
	first[LEN - 1] = 3;
	assert_int_equal(mem_buf_unmap(buf), 0);
	assert_int_equal(mem_buf_unmap(buf), -EINVAL);
	assert_int_equal(mem_buf_unmap(NULL), -EINVAL);
	assert_int_equal(map_buf(buf)[LEN - 1], 3);
	mem_buf_destroy(buf);
}

static void map_refuses_null(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_COHERENT);
	void *addr = UNTOUCHED;

	(void)state;
	assert_int_equal(mem_buf_map(buf, NULL), -EINVAL);
	assert_int_equal(mem_buf_map(NULL, &addr), -EINVAL);
	assert_ptr_equal(addr, UNTOUCHED);
	mem_buf_destroy(buf);
}

/* Makes a buffer whose descriptor permits less than O_RDWR. */
static struct mem_buf *new_limited(int fd_flags)
{
	struct heapsim_buf_alloc arg = {
		.size = sizeof(arg),
		.fd_flags = O_CLOEXEC | (uint32_t)fd_flags,
		.len = LEN,
		.kind = HEAPSIM_KIND_NONCOHERENT,
	};
	int dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC);
	struct mem_buf *buf;

	assert_true(dev >= 0);
	assert_int_equal(ioctl(dev, HEAPSIM_IOC_BUF_ALLOC, &arg), 0);
	close(dev);
	assert_int_equal(mem_buf_import(ctx, arg.fd, &buf), 0);
	close(arg.fd);
	return buf;
}

static void a_read_only_descriptor_maps_for_reading(void **state)
{
	struct mem_buf *buf = new_limited(O_RDONLY);
	struct mem_job *job = UNTOUCHED;

	(void)state;
	assert_int_equal(map_buf(buf)[1], 0);
	assert_int_equal(mem_job_fill(buf, 0, LEN, 0, &job), -EPERM);
	assert_ptr_equal(job, UNTOUCHED);
	assert_int_equal(sum_of(buf), fnv1a(map_buf(buf), LEN));
	mem_buf_destroy(buf);
}

static void a_write_only_descriptor_does_not_map(void **state)
{
	struct mem_buf *buf = new_limited(O_WRONLY);
	struct mem_job *job = UNTOUCHED;
	void *addr = UNTOUCHED;

	(void)state;
	assert_int_equal(mem_buf_map(buf, &addr), -EACCES);
	assert_ptr_equal(addr, UNTOUCHED);
	assert_int_equal(mem_buf_unmap(buf), -EINVAL);
	assert_int_equal(mem_job_checksum(buf, 0, LEN, &job), -EPERM);
	assert_ptr_equal(job, UNTOUCHED);
	fill_buf(buf, 9);
	mem_buf_destroy(buf);
}

static void info_tells_name_kind_and_length(void **state)
{
	struct mem_buf_info info = { .size = sizeof(info) };
	struct mem_buf *buf;

	(void)state;
	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, LEN, "mine",
				       &buf), 0);
	assert_int_equal(mem_buf_info(buf, &info), 0);
	assert_int_equal(info.size, sizeof(info));
	assert_int_equal(info.kind, MEM_KIND_NONCOHERENT);
	assert_int_equal(info.len, LEN);
	assert_int_equal(info.has_two_views, 1);
	assert_int_equal(info.nr_holders, 0);
	assert_int_not_equal(info.id, 0);
	assert_string_equal(info.name, "mine");
	assert_int_equal(info.count.fills, 0);
	mem_buf_destroy(buf);
}

static void info_refuses_null_and_short_structs(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_buf_info info = { .size = sizeof(info) - 1 };

	(void)state;
	assert_int_equal(mem_buf_info(buf, &info), -EINVAL);
	assert_int_equal(info.len, 0);
	assert_int_equal(mem_buf_info(buf, NULL), -EINVAL);
	assert_int_equal(mem_buf_info(NULL, &info), -EINVAL);
	mem_buf_destroy(buf);
}

static void null_is_destroyed_and_has_no_length(void **state)
{
	(void)state;
	mem_buf_destroy(NULL);
	assert_int_equal(mem_buf_len(NULL), 0);
	assert_int_equal(mem_buf_kind(NULL), MEM_KIND_SYSTEM);
}

static void end_of_a_write_shows_it_to_engines(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf);
	uint64_t before;

	(void)state;
	before = sum_of(buf);
	assert_int_equal(mem_buf_begin(buf, MEM_WRITE), 0);
	memset(addr, 0x11, LEN);
	assert_int_equal(sum_of(buf), before);
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	assert_int_equal(sum_of(buf), fnv1a(addr, LEN));
	assert_int_equal(count_of(buf).unmatched_ends, 0);
	mem_buf_destroy(buf);
}

static void begin_of_a_read_shows_what_engines_wrote(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf);

	(void)state;
	assert_int_equal(byte_at(addr + 100), 0);
	fill_buf(buf, 0x22222222);
	assert_int_equal(byte_at(addr + 100), 0);
	assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
	assert_int_equal(byte_at(addr + 100), 0x22);
	assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
	mem_buf_destroy(buf);
}

static void assert_nothing_lost(struct mem_buf *buf, uint64_t nr_lost)
{
	const struct mem_counters count = count_of(buf);

	assert_int_equal(count.lost_device_writes, nr_lost);
	assert_int_equal(count.lost_cpu_writes, 0);
	assert_int_equal(count.missing_cleans, 0);
	assert_int_equal(count.write_conflicts, 0);
}

/* The CPU stores the bytes of the cache, and then those of the engine. */
static void a_frame_may_be_rewritten_with_its_bytes(void **state)
{
	static const uint8_t values[] = { 0, 0x55 };
	static uint8_t want[LEN];
	size_t i, off;

	(void)state;
	for (i = 0; i < sizeof(values); i++) {
		struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
		uint8_t *addr = map_buf(buf);

		for (off = 0; off < LEN; off += 1024)
			assert_int_equal(byte_at(addr + off), 0);
		fill_buf(buf, 0x55555555);
		assert_int_equal(mem_buf_begin(buf, MEM_WRITE), 0);
		memset(addr, values[i], LEN);
		assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
		memset(want, values[i], LEN);
		assert_int_equal(sum_of(buf), fnv1a(want, LEN));
		assert_memory_equal(addr, want, LEN);
		assert_nothing_lost(buf, 0);
		assert_int_equal(count_of(buf).stale_reads, 0);
		mem_buf_destroy(buf);
	}
}

static void a_line_rewritten_in_part_loses_the_rest(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	const size_t half = line_size() / 2;
	uint8_t *addr = map_buf(buf);
	static uint8_t want[LEN];

	(void)state;
	assert_int_equal(byte_at(addr), 0);
	fill_buf(buf, 0x55555555);
	assert_int_equal(mem_buf_begin(buf, MEM_WRITE), 0);
	memset(addr, 0, 3 * half);
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	memset(want, 0x55, LEN);
	memset(want, 0, 4 * half);
	assert_int_equal(sum_of(buf), fnv1a(want, LEN));
	assert_nothing_lost(buf, 1);
	mem_buf_destroy(buf);
}

/* A system call stores, for which its whole range is prepared before. */
static void a_system_call_may_rewrite_a_frame(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	const size_t len = 6 * line_size();
	uint8_t *addr = map_buf(buf);
	static uint8_t want[LEN];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(byte_at(addr), 0);
	fill_buf(buf, 0x55555555);
	assert_int_equal(mem_buf_begin(buf, MEM_WRITE), 0);
	assert_int_equal(read(zero, addr, len), len);
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	memset(want, 0x55, LEN);
	memset(want, 0, len);
	assert_int_equal(sum_of(buf), fnv1a(want, LEN));
	assert_nothing_lost(buf, 0);
	close(zero);
	mem_buf_destroy(buf);
}

static void a_bracket_for_writing_alone_counts(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	const size_t line = line_size();
	uint8_t *addr = map_buf(buf);
	static uint8_t want[LEN];

	(void)state;
	assert_int_equal(mem_buf_begin(buf, MEM_RW), 0);
	assert_int_equal(byte_at(addr), 0);
	fill_buf(buf, 0x55555555);
	addr[9 * line] = 0;
	assert_int_equal(mem_buf_begin(buf, MEM_WRITE), 0);
	memset(addr, 0, line);
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	memset(want, 0x55, LEN);
	memset(want, 0, line);
	memset(want + 9 * line, 0, line);
	assert_int_equal(sum_of(buf), fnv1a(want, LEN));
	/* Only the store of one byte in the first bracket lost bytes. */
	assert_nothing_lost(buf, 1);
	assert_int_equal(mem_buf_end(buf, MEM_RW), 0);
	mem_buf_destroy(buf);
}

static void brackets_refuse_what_is_wrong(void **state)
{
	static const unsigned int bad[] = { 0, 4, MEM_RW | 4, ~0U };
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(mem_buf_begin(buf, bad[i]), -EINVAL);
		assert_int_equal(mem_buf_end(buf, bad[i]), -EINVAL);
		assert_int_equal(mem_buf_begin_range(buf, 0, 1, bad[i]),
				 -EINVAL);
		assert_int_equal(mem_buf_end_range(buf, 0, 1, bad[i]),
				 -EINVAL);
	}
	assert_int_equal(mem_buf_begin(NULL, MEM_READ), -EINVAL);
	assert_int_equal(mem_buf_end(NULL, MEM_READ), -EINVAL);
	assert_int_equal(mem_buf_begin_range(NULL, 0, 1, MEM_READ), -EINVAL);
	assert_int_equal(mem_buf_end_range(NULL, 0, 1, MEM_READ), -EINVAL);
	mem_buf_destroy(buf);
}

static void an_end_without_begin_is_counted(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);

	(void)state;
	assert_int_equal(mem_buf_end(buf, MEM_WRITE), 0);
	assert_int_equal(count_of(buf).unmatched_ends, 1);
	mem_buf_destroy(buf);
}

/* Calls that wait must continue after signals. */
static void begin_goes_on_after_signals(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint64_t start = now_ns();
	struct mem_job *job;
	int err;

	(void)state;
	job = start_slow(buf, 300 * NS_PER_MS);
	start_storm();
	err = mem_buf_begin(buf, MEM_RW);
	stop_storm();
	assert_int_equal(err, 0);
	assert_true(now_ns() - start >= 200 * NS_PER_MS);
	assert_true(nr_signals > 3);
	assert_int_equal(mem_buf_end(buf, MEM_RW), 0);
	assert_int_equal(count_of(buf).unmatched_ends, 0);
	finish_job(job);
	mem_buf_destroy(buf);
}

static void begin_range_goes_on_after_signals(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint64_t start = now_ns();
	struct mem_job *job;
	int err;

	(void)state;
	job = start_slow(buf, 300 * NS_PER_MS);
	start_storm();
	err = mem_buf_begin_range(buf, 0, 64, MEM_READ);
	stop_storm();
	assert_int_equal(err, 0);
	assert_true(now_ns() - start >= 200 * NS_PER_MS);
	assert_true(nr_signals > 3);
	finish_job(job);
	mem_buf_destroy(buf);
}

static void reading_does_not_wait_for_readers(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_buf *other = new_buf(MEM_KIND_NONCOHERENT);
	uint64_t start = now_ns();
	struct mem_copy2d copy = {
		.size = sizeof(copy),
		.dst = other,
		.src = buf,
		.row_len = LEN,
		.nr_rows = 1,
		.delay_ns = 2000 * NS_PER_MS,
	};
	struct mem_job *job;

	(void)state;
	assert_int_equal(mem_job_copy2d(&copy, &job), 0);
	assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
	assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
	assert_int_equal(mem_buf_begin_range(buf, 0, LEN, MEM_READ), 0);
	assert_true(now_ns() - start < 1500 * NS_PER_MS);
	assert_int_equal(mem_buf_begin_range(buf, 0, LEN, MEM_WRITE), 0);
	assert_true(now_ns() - start >= 2000 * NS_PER_MS);
	finish_job(job);
	mem_buf_destroy(other);
	mem_buf_destroy(buf);
}

static void ranges_outside_are_refused(void **state)
{
	static const uint64_t bad[][2] = {
		{ 0, LEN + 1 }, { LEN, 1 }, { LEN + 1, 0 }, { 1, UINT64_MAX },
		{ UINT64_MAX, 1 }, { UINT64_MAX, UINT64_MAX },
	};
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(mem_buf_begin_range(buf, bad[i][0], bad[i][1],
						     MEM_RW), -EINVAL);
		assert_int_equal(mem_buf_end_range(buf, bad[i][0], bad[i][1],
						   MEM_RW), -EINVAL);
	}
	assert_int_equal(mem_buf_begin_range(buf, LEN, 0, MEM_RW), 0);
	assert_int_equal(mem_buf_end_range(buf, LEN, 0, MEM_RW), 0);
	mem_buf_destroy(buf);
}

static void end_range_writes_back_just_its_lines(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf), *want;
	uint32_t line = line_size();

	(void)state;
	memset(addr, 0x33, LEN);
	assert_int_equal(mem_buf_end_range(buf, line + 1, line, MEM_READ), 0);
	assert_int_equal(count_of(buf).lines_cleaned, 0);
	assert_int_equal(mem_buf_end_range(buf, line + 1, line, MEM_WRITE), 0);
	assert_int_equal(count_of(buf).lines_cleaned, 2);
	want = test_calloc(1, LEN);
	memset(want + line, 0x33, 2 * line);
	assert_int_equal(sum_of(buf), fnv1a(want, LEN));
	test_free(want);
	mem_buf_destroy(buf);
}

static void begin_range_loses_no_byte_outside(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf);
	uint32_t line = line_size();

	(void)state;
	addr[0] = 1;
	assert_int_equal(mem_buf_begin_range(buf, 8, 8, MEM_WRITE), 0);
	assert_int_equal(count_of(buf).lines_invalidated, 0);
	assert_int_equal(mem_buf_begin_range(buf, 8, line, MEM_READ), 0);
	assert_int_equal(count_of(buf).lines_invalidated, 2);
	assert_int_equal(count_of(buf).shared_lines, 2);
	assert_int_equal(byte_at(addr), 1);
	mem_buf_destroy(buf);
}

static void begin_range_refreshes_just_its_lines(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	uint8_t *addr = map_buf(buf);
	uint32_t line = line_size();

	(void)state;
	assert_int_equal(byte_at(addr), 0);
	fill_buf(buf, 0x44444444);
	assert_int_equal(mem_buf_begin_range(buf, line, line, MEM_READ), 0);
	assert_int_equal(byte_at(addr + line - 1), 0);
	assert_int_equal(byte_at(addr + line), 0x44);
	assert_int_equal(byte_at(addr + 2 * line - 1), 0x44);
	assert_int_equal(byte_at(addr + 2 * line), 0);
	mem_buf_destroy(buf);
}

static void maintain_does_a_list_in_order(void **state)
{
	enum { NR = 100 };
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_range ranges[NR];
	uint8_t *addr = map_buf(buf);
	uint32_t line = line_size();
	size_t nr_done = 0, i;

	(void)state;
	memset(addr, 0x55, LEN);
	for (i = 0; i < NR; i++)
		ranges[i] = (struct mem_range) {
			.buf = buf,
			.op = MEM_MAINT_CLEAN,
			.off = 2 * i * line,
			.len = line,
		};
	assert_int_equal(mem_buf_maintain(ctx, ranges, NR, &nr_done), 0);
	assert_int_equal(nr_done, NR);
	assert_int_equal(count_of(buf).lines_cleaned, NR);
	ranges[0].op = MEM_MAINT_CLEAN_INVALIDATE;
	ranges[0].off = 0;
	ranges[0].len = LEN;
	assert_int_equal(mem_buf_maintain(ctx, ranges, 1, NULL), 0);
	assert_int_equal(count_of(buf).lines_cleaned, LEN / line);
	assert_int_equal(count_of(buf).lines_invalidated, LEN / line);
	assert_int_equal(addr[LEN - 1], 0x55);
	mem_buf_destroy(buf);
}

static void maintain_tells_how_far_it_came(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_range ranges[3] = {
		{ .buf = buf, .op = MEM_MAINT_CLEAN, .len = LEN },
		{ .buf = buf, .op = MEM_MAINT_CLEAN, .off = LEN, .len = 1 },
		{ .buf = buf, .op = MEM_MAINT_CLEAN, .len = LEN },
	};
	size_t nr_done = 9;

	(void)state;
	assert_int_equal(mem_buf_maintain(ctx, ranges, 3, &nr_done), -EINVAL);
	assert_int_equal(nr_done, 1);
	mem_buf_destroy(buf);
}

static void maintain_refuses_what_is_wrong(void **state)
{
	struct mem_buf *buf = new_buf(MEM_KIND_NONCOHERENT);
	struct mem_range range = {
		.buf = buf,
		.op = MEM_MAINT_CLEAN,
		.len = LEN,
	};
	size_t nr_done = 9;

	(void)state;
	assert_int_equal(mem_buf_maintain(NULL, &range, 1, &nr_done), -EINVAL);
	assert_int_equal(nr_done, 0);
	assert_int_equal(mem_buf_maintain(ctx, NULL, 1, NULL), -EINVAL);
	assert_int_equal(mem_buf_maintain(ctx, NULL, 0, NULL), 0);
	assert_int_equal(mem_buf_maintain(ctx, &range, 65537, NULL), -EINVAL);
	range.op = 0;
	assert_int_equal(mem_buf_maintain(ctx, &range, 1, NULL), -EINVAL);
	range.op = 4;
	assert_int_equal(mem_buf_maintain(ctx, &range, 1, NULL), -EINVAL);
	range.op = MEM_MAINT_CLEAN;
	range.reserved = 1;
	assert_int_equal(mem_buf_maintain(ctx, &range, 1, NULL), -EINVAL);
	range.reserved = 0;
	range.buf = NULL;
	assert_int_equal(mem_buf_maintain(ctx, &range, 1, NULL), -EINVAL);
	mem_buf_destroy(buf);
}

/* Makes a dma-buf of another driver. */
static struct mem_buf *new_foreign(void)
{
	struct drm_mode_create_dumb dumb = {
		.width = 128,
		.height = 128,
		.bpp = 32,
	};
	struct drm_prime_handle prime = { .flags = DRM_CLOEXEC | DRM_RDWR };
	struct mem_buf *buf;
	int vgem = vgem_open();

	if (vgem < 0)
		skip_because("the kernel has no vgem");
	assert_int_equal(ioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
	prime.handle = dumb.handle;
	assert_int_equal(ioctl(vgem, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime), 0);
	close(vgem);
	assert_int_equal(mem_buf_import(ctx, prime.fd, &buf), 0);
	close(prime.fd);
	return buf;
}

static void a_foreign_buffer_says_so(void **state)
{
	struct mem_buf *buf = new_foreign();
	struct mem_buf_info info = { .size = sizeof(info) };

	(void)state;
	assert_int_equal(mem_buf_kind(buf), MEM_KIND_FOREIGN);
	assert_int_equal(mem_buf_len(buf), LEN);
	assert_int_equal(mem_buf_info(buf, &info), 0);
	assert_int_equal(info.id, 0);
	assert_int_equal(info.has_two_views, 0);
	assert_int_equal(info.count.fills, 0);
	mem_buf_destroy(buf);
}

static void a_foreign_buffer_takes_ranges_as_a_whole(void **state)
{
	struct mem_buf *buf = new_foreign();
	uint8_t *addr = map_buf(buf);

	(void)state;
	assert_int_equal(mem_buf_begin_range(buf, 5, 5, MEM_RW), 0);
	addr[5] = 5;
	assert_int_equal(mem_buf_end_range(buf, 5, 5, MEM_RW), 0);
	assert_int_equal(sum_of(buf), fnv1a(addr, LEN));
	assert_int_equal(mem_buf_begin_range(buf, LEN, 1, MEM_RW), -EINVAL);
	assert_int_equal(mem_buf_begin(buf, MEM_READ), 0);
	assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
	mem_buf_destroy(buf);
}

static void a_foreign_buffer_has_no_maintenance(void **state)
{
	struct mem_buf *buf = new_foreign();
	struct mem_range range = {
		.buf = buf,
		.op = MEM_MAINT_CLEAN,
		.len = LEN,
	};
	size_t nr_done = 9;

	(void)state;
	assert_int_equal(mem_buf_maintain(ctx, &range, 1, &nr_done),
			 -EOPNOTSUPP);
	assert_int_equal(nr_done, 0);
	mem_buf_destroy(buf);
}

static void all_kinds_need_no_descriptors(void **state)
{
	struct rlimit old = take_all_fds();
	struct mem_buf *buf = NULL, *heap = NULL;
	int err, heap_err;

	(void)state;
	err = mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, LEN, NULL, &buf);
	heap_err = mem_buf_alloc_heap(ctx, "coherent", LEN, &heap);
	give_fds_back(old);
	assert_int_equal(err, 0);
	assert_int_equal(heap_err, 0);
	mem_buf_destroy(heap);
	mem_buf_destroy(buf);
}

int main(void)
{
	const struct CMUnitTest both[] = {
		cmocka_unit_test(alloc_gives_each_kind_zeroed),
		cmocka_unit_test(alloc_rounds_up_to_pages),
		cmocka_unit_test(alloc_refuses_what_is_malformed),
		cmocka_unit_test(alloc_beyond_memory_is_enomem),
		cmocka_unit_test(heaps_give_their_kind),
		cmocka_unit_test(heaps_refuse_what_is_wrong),
		cmocka_unit_test(map_counts_and_gives_one_address),
		cmocka_unit_test(map_refuses_null),
		cmocka_unit_test(info_tells_name_kind_and_length),
		cmocka_unit_test(info_refuses_null_and_short_structs),
		cmocka_unit_test(null_is_destroyed_and_has_no_length),
		cmocka_unit_test(end_of_a_write_shows_it_to_engines),
		cmocka_unit_test(begin_of_a_read_shows_what_engines_wrote),
		cmocka_unit_test(a_frame_may_be_rewritten_with_its_bytes),
		cmocka_unit_test(a_line_rewritten_in_part_loses_the_rest),
		cmocka_unit_test(a_system_call_may_rewrite_a_frame),
		cmocka_unit_test(a_bracket_for_writing_alone_counts),
		cmocka_unit_test(brackets_refuse_what_is_wrong),
		cmocka_unit_test(an_end_without_begin_is_counted),
		cmocka_unit_test(begin_goes_on_after_signals),
		cmocka_unit_test(begin_range_goes_on_after_signals),
		cmocka_unit_test(reading_does_not_wait_for_readers),
		cmocka_unit_test(ranges_outside_are_refused),
		cmocka_unit_test(end_range_writes_back_just_its_lines),
		cmocka_unit_test(begin_range_loses_no_byte_outside),
		cmocka_unit_test(begin_range_refreshes_just_its_lines),
		cmocka_unit_test(maintain_does_a_list_in_order),
		cmocka_unit_test(maintain_tells_how_far_it_came),
		cmocka_unit_test(maintain_refuses_what_is_wrong),
	};
	const struct CMUnitTest kernel[] = {
		cmocka_unit_test(alloc_without_descriptors_is_emfile),
		cmocka_unit_test(a_node_that_is_no_heap_is_enotty),
		cmocka_unit_test(export_and_import_share_the_memory),
		cmocka_unit_test(import_refuses_what_is_wrong),
		cmocka_unit_test(sharing_without_descriptors_is_emfile),
		cmocka_unit_test(a_read_only_descriptor_maps_for_reading),
		cmocka_unit_test(a_write_only_descriptor_does_not_map),
		cmocka_unit_test(a_foreign_buffer_says_so),
		cmocka_unit_test(a_foreign_buffer_takes_ranges_as_a_whole),
		cmocka_unit_test(a_foreign_buffer_has_no_maintenance),
	};
	const struct CMUnitTest embedded[] = {
		cmocka_unit_test(all_kinds_need_no_descriptors),
	};

	return run_both(both, kernel, embedded);
}
