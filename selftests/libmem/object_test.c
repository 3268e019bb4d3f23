// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests objects in one process: memory according to the list, addresses, cache
 * maintenance and permissions. object_share_test.c tests objects that are
 * shared with other processes.
 */
#include "stream.h"

#include <sys/wait.h>

#include "object.h"

static void the_memory_is_as_the_list_says(void **state)
{
	struct mem_object *object = object_of(raw_list(3 * LEN + 1));
	const struct mem_attrs *attrs = mem_object_attrs(object);
	const uint8_t *bytes = cpu_of(object, MEM_READ);
	struct mem_buf *buf = mem_object_buf(object);
	struct mem_buf_info info = { .size = sizeof(info) };
	size_t i;

	(void)state;
	assert_true(mem_buf_len(buf) >= 3 * LEN + 1);
	assert_int_equal(mem_attrs_state(attrs), MEM_ATTRS_RECONCILED);
	assert_int_equal(u64_of(attrs, RAW_SIZE), 3 * LEN + 1);
	assert_int_equal(u32_of(attrs, ACTUAL_PERM), MEM_RW);
	assert_int_equal(mem_buf_info(buf, &info), 0);
	assert_string_equal(info.name, "object");
	for (i = 0; i < 3 * LEN + 1; i++)
		assert_int_equal(bytes[i], 0);
	mem_object_put(object);
	nothing_found();
}

static enum mem_kind kind_of(struct mem_attrs *list)
{
	struct mem_object *object = object_of(list);
	const enum mem_kind kind = mem_buf_kind(mem_object_buf(object));

	mem_object_put(object);
	return kind;
}

static void the_kind_follows_the_board_and_the_cache(void **state)
{
	const bool coherent = is_coherent();

	(void)state;
	assert_int_equal(kind_of(LIST(RAW(LEN),
				      ATTR(NEED_CPU_ACCESS, uint8_t, 1),
				      ATTR(ENGINES, uint64_t,
					   MEM_ATTR_ENGINE_DMA))),
			 coherent ? MEM_KIND_COHERENT : MEM_KIND_NONCOHERENT);
	assert_int_equal(kind_of(LIST(RAW(LEN),
				      ATTR(NEED_CPU_ACCESS, uint8_t, 1),
				      ATTR(CPU_CACHE, uint8_t, 0),
				      ATTR(ENGINES, uint64_t,
					   MEM_ATTR_ENGINE_DMA))),
			 coherent ? MEM_KIND_COHERENT : MEM_KIND_UNCACHED);
	assert_int_equal(kind_of(raw_list(LEN)), coherent ? MEM_KIND_COHERENT :
			 is_embedded() ? MEM_KIND_NONCOHERENT :
			 MEM_KIND_UNCACHED);
}

static void addresses_obey_the_list(void **state)
{
	struct mem_object *object;
	void *ptr = UNTOUCHED;

	(void)state;
	object = object_of(LIST(RAW(LEN), ATTR(ENGINES, uint64_t,
					       ENGINE(GPU))));
	assert_int_equal(mem_object_cpu_ptr(object, MEM_READ, &ptr), -EACCES);
	assert_int_equal(mem_object_cpu_ptr(object, MEM_RW, &ptr), -EACCES);
	assert_int_equal(mem_object_begin(object, MEM_READ), -EACCES);
	assert_int_equal(mem_object_end(object, MEM_READ), -EACCES);
	assert_int_equal(mem_object_flush(object, 0, LEN), -EACCES);
	assert_ptr_equal(ptr, UNTOUCHED);
	assert_int_equal(mem_object_device_ptr(object, &ptr), 0);
	mem_object_put(object);

	ptr = UNTOUCHED;
	object = object_of(LIST(RAW(LEN), ATTR(NEED_CPU_ACCESS, uint8_t, 1),
				ATTR(ENGINES, uint64_t, MEM_ATTR_ENGINE_DMA)));
	assert_int_equal(mem_object_device_ptr(object, &ptr), -EACCES);
	assert_ptr_equal(ptr, UNTOUCHED);
	assert_ptr_equal(cpu_of(object, MEM_READ), cpu_of(object, MEM_RW));
	mem_object_put(object);
}

static void memory_is_aligned(void **state)
{
	static const uint64_t aligns[] = { 1, 256, 4096, 65536, 1 << 21 };
	struct mem_object *object;
	size_t i;

	(void)state;
	for (i = 0; i < NR(aligns); i++) {
		object = object_of(LIST(RAW(100),
					ATTR(RAW_ALIGN, uint64_t, aligns[i]),
					ATTR(NEED_CPU_ACCESS, uint8_t, 1)));
		/* With the module, only engines' addresses are aligned. */
		if (is_embedded())
			assert_int_equal((uintptr_t)cpu_of(object, MEM_READ) %
					 aligns[i], 0);
		mem_object_put(object);
	}
}

/* The CPU and a kernel alternate, with the brackets that a board needs. */
static void a_kernel_and_the_cpu_share_it(void **state)
{
	struct mem_object *object = raw_object();
	void *ptr;

	(void)state;
	assert_int_equal(mem_object_device_ptr(object, &ptr), 0);
	set_bytes(object, 1);
	start_add(stream, ptr, ptr, 0x01010101);
	sync_stream();
	assert_true(has_bytes(object, 2));
	set_bytes(object, 7);
	start_add(stream, ptr, ptr, 0x01010101);
	sync_stream();
	assert_true(has_bytes(object, 8));
	mem_object_put(object);
	nothing_found();
}

static void a_flush_is_for_engines_and_the_cpu(void **state)
{
	struct mem_object *object = raw_object();
	struct mem_buf *buf = mem_object_buf(object);
	uint8_t *bytes = cpu_of(object, MEM_RW);
	uint8_t copy[LEN];

	(void)state;
	memset(bytes, 5, LEN);
	memset(copy, 5, LEN);
	assert_int_equal(mem_object_flush(object, 0, LEN), 0);
	assert_true(sum_of(buf) == fnv1a(copy, LEN));
	/* A flush after an engine's write drops older lines of the CPU. */
	fill_buf(buf, 0x09090909);
	assert_int_equal(mem_object_flush(object, 0, LEN), 0);
	assert_int_equal(byte_at(bytes), 9);
	nothing_found();
	assert_int_equal(mem_object_flush(object, LEN, 0), 0);
	assert_int_equal(mem_object_flush(object, LEN - 1, 1), 0);
	assert_int_equal(mem_object_flush(object, LEN, 1), -EINVAL);
	assert_int_equal(mem_object_flush(object, 1, UINT64_MAX), -EINVAL);
	assert_int_equal(mem_object_flush(object, UINT64_MAX, 1), -EINVAL);
	mem_object_put(object);
}

static void what_is_forgotten_is_found(void **state)
{
	struct mem_object *object = raw_object();
	uint8_t *bytes = cpu_of(object, MEM_RW);
	const bool is_lost = u8_of(mem_object_attrs(object), CPU_COHERENCY) &&
			     mem_buf_kind(mem_object_buf(object)) ==
			     MEM_KIND_NONCOHERENT;

	(void)state;
	memset(bytes, 5, LEN);
	sum_of(mem_object_buf(object));
	assert_int_equal(!found(MEM_VIOLATION_MISSING_CLEAN), !is_lost);
	mem_object_put(object);
}

static void a_restricted_object_can_only_be_read(void **state)
{
	struct mem_object *object = raw_object(), *reader, *other = UNTOUCHED;
	void *ptr = UNTOUCHED;
	struct mem_job *job;
	int fd;

	(void)state;
	set_bytes(object, 3);
	assert_int_equal(mem_object_restrict(object, MEM_READ, &reader), 0);
	assert_int_equal(u32_of(mem_object_attrs(reader), ACTUAL_PERM),
			 MEM_READ);
	assert_int_equal(u32_of(mem_object_attrs(object), ACTUAL_PERM),
			 MEM_RW);
	assert_true(has_bytes(reader, 3));
	assert_int_equal(mem_object_cpu_ptr(reader, MEM_RW, &ptr), -EACCES);
	assert_ptr_equal(ptr, UNTOUCHED);
	assert_int_equal(mem_object_begin(reader, MEM_WRITE), -EACCES);
	assert_int_equal(mem_object_begin(reader, MEM_RW), -EACCES);
	assert_int_equal(mem_object_flush(reader, 0, LEN), -EACCES);
	assert_int_equal(store_to(reader), SIGSEGV);
	assert_int_equal(found(MEM_VIOLATION_READ_ONLY_WRITE), is_embedded());
	assert_int_equal(mprotect(cpu_of(reader, MEM_READ), LEN,
				  PROT_READ | PROT_WRITE), -1);
	assert_int_not_equal(mem_job_fill(mem_object_buf(reader), 0, LEN, 0,
					  &job), 0);
	assert_int_equal(mem_object_restrict(reader, MEM_RW, &other),
			 -EACCES);
	assert_ptr_equal(other, UNTOUCHED);
	assert_int_equal(mem_object_fd(reader, &fd), 0);
	cannot_be_written(fd);
	close(fd);
	/* The reader sees stores of the other object and of engines. */
	set_bytes(object, 4);
	assert_true(has_bytes(reader, 4));
	fill_buf(mem_object_buf(object), 0x05050505);
	assert_true(has_bytes(reader, 5));
	assert_true(has_bytes(object, 5));
	assert_int_equal(mem_object_restrict(reader, MEM_READ, &other), 0);
	mem_object_put(object);
	mem_object_put(reader);
	assert_true(has_bytes(other, 5));
	mem_object_put(other);
	nothing_found();
}

static void a_kernel_cannot_write_what_is_restricted(void **state)
{
	struct mem_object *object = raw_object(), *reader;
	void *ptr, *to;

	(void)state;
	if (!has_processes) {
		mem_object_put(object);
		skip_because("kernels are not seen by the library");
	}
	set_bytes(object, 3);
	assert_int_equal(mem_object_restrict(object, MEM_READ, &reader), 0);
	assert_int_equal(mem_object_device_ptr(reader, &ptr), 0);
	to = memory(MEM_KIND_PINNED);
	start_add(stream, to, ptr, 1);
	sync_stream();
	all_are(to, 0x03030304);
	nothing_found();
	start_add(stream, ptr, ptr, 1);
	assert_int_not_equal(mem_stream_sync(stream), 0);
	assert_true(has_bytes(object, 3));
	found(MEM_VIOLATION_ILLEGAL_ADDRESS);
	mem_object_put(reader);
	mem_object_put(object);
	release(to);
	/* The context is lost, so the following tests get a new one. */
	close_all(NULL);
	assert_int_equal(open_strict(NULL), 0);
}

static void a_second_object_has_the_same_memory(void **state)
{
	struct mem_object *object = raw_object(), *other;

	(void)state;
	assert_int_equal(mem_object_restrict(object, MEM_RW, &other), 0);
	assert_ptr_equal(mem_object_buf(object), mem_object_buf(other));
	assert_ptr_equal(cpu_of(object, MEM_RW), cpu_of(other, MEM_RW));
	set_bytes(object, 1);
	mem_object_put(object);
	assert_true(has_bytes(other, 1));
	assert_ptr_equal(mem_object_get(other), other);
	mem_object_put(other);
	assert_true(has_bytes(other, 1));
	mem_object_put(other);
}

static void a_descriptor_has_the_bytes(void **state)
{
	struct mem_object *object = raw_object();
	const uint8_t *map;
	int fd;

	(void)state;
	set_bytes(object, 9);
	assert_int_equal(mem_object_fd(object, &fd), 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	map = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	assert_int_equal(byte_at(map + LEN - 1), 9);
	/* The file cannot be truncated. */
	assert_int_equal(ftruncate(fd, 0), -1);
	munmap((void *)map, LEN);
	close(fd);
	mem_object_put(object);
}

static void what_is_malformed_is_refused(void **state)
{
	struct mem_object *object = raw_object(), *out = UNTOUCHED;
	struct mem_attrs *list = raw_list(LEN);
	void *ptr = UNTOUCHED;
	int fd = -7;

	(void)state;
	assert_int_equal(mem_object_alloc(NULL, NULL, &out), -EINVAL);
	assert_int_equal(mem_object_alloc(mem_object_attrs(object), NULL,
					  NULL), -EINVAL);
	assert_int_equal(mem_object_alloc(mem_object_attrs(object),
					  "a name of 32 characters, which is",
					  &out), -EINVAL);
	assert_int_equal(mem_object_alloc(list, NULL, &out), -EPERM);
	assert_int_equal(mem_object_restrict(NULL, MEM_READ, &out), -EINVAL);
	assert_int_equal(mem_object_restrict(object, MEM_READ, NULL),
			 -EINVAL);
	assert_int_equal(mem_object_restrict(object, 0, &out), -EINVAL);
	assert_int_equal(mem_object_restrict(object, MEM_WRITE, &out),
			 -EINVAL);
	assert_int_equal(mem_object_restrict(object, 4, &out), -EINVAL);
	assert_null(mem_object_get(NULL));
	mem_object_put(NULL);
	assert_null(mem_object_attrs(NULL));
	assert_null(mem_object_buf(NULL));
	assert_int_equal(mem_object_cpu_ptr(NULL, MEM_READ, &ptr), -EINVAL);
	assert_int_equal(mem_object_cpu_ptr(object, MEM_READ, NULL), -EINVAL);
	assert_int_equal(mem_object_cpu_ptr(object, 0, &ptr), -EINVAL);
	assert_int_equal(mem_object_cpu_ptr(object, MEM_WRITE, &ptr),
			 -EINVAL);
	assert_int_equal(mem_object_device_ptr(NULL, &ptr), -EINVAL);
	assert_int_equal(mem_object_device_ptr(object, NULL), -EINVAL);
	assert_int_equal(mem_object_flush(NULL, 0, 0), -EINVAL);
	assert_int_equal(mem_object_begin(NULL, MEM_READ), -EINVAL);
	assert_int_equal(mem_object_begin(object, 0), -EINVAL);
	assert_int_equal(mem_object_begin(object, 4), -EINVAL);
	assert_int_equal(mem_object_end(NULL, MEM_READ), -EINVAL);
	assert_int_equal(mem_object_end(object, 0), -EINVAL);
	assert_int_equal(mem_object_fd(NULL, &fd), -EINVAL);
	assert_int_equal(mem_object_fd(object, NULL), -EINVAL);
	assert_ptr_equal(out, UNTOUCHED);
	assert_ptr_equal(ptr, UNTOUCHED);
	assert_int_equal(fd, -7);
	mem_attrs_destroy(list);
	mem_object_put(object);
}

/* The object's list, too, and each object that is passed in a struct */
static void what_is_freed_is_refused(void **state)
{
	struct mem_object *object = raw_object(), *out = UNTOUCHED;
	struct mem_attrs *list = raw_list(LEN), *clone = UNTOUCHED;
	struct mem_image_data data = {
		.size = sizeof(data),
		.as = MEM_LOCK_OBJECT,
		.object = object,
	};
	struct mem_image *image = UNTOUCHED;
	const struct mem_attrs *own = mem_object_attrs(object);
	uint64_t words[64] = { 0 };
	void *ptr;

	(void)state;
	/* The object owns its list. */
	mem_attrs_destroy((struct mem_attrs *)(uintptr_t)own);
	assert_int_equal(mem_attrs_state(own), MEM_ATTRS_RECONCILED);
	assert_ptr_equal(mem_object_get(object), object);
	mem_object_put(object);
	assert_non_null(mem_object_buf(object));
	mem_object_put(object);
	mem_object_put(object);
	assert_null(mem_object_get(object));
	assert_null(mem_object_attrs(object));
	assert_null(mem_object_buf(object));
	assert_int_equal(mem_object_cpu_ptr(object, MEM_READ, &ptr), -EINVAL);
	assert_int_equal(mem_object_begin(object, MEM_READ), -EINVAL);
	assert_int_equal(mem_object_restrict(object, MEM_READ, &out),
			 -EINVAL);
	assert_int_equal(mem_image_wrap(ctx, &data, 0, &image),
			 -EINVAL);
	assert_int_equal(mem_attrs_state(own), -EINVAL);
	assert_int_equal(mem_attrs_clone(own, &clone), -EINVAL);
	mem_attrs_destroy(list);
	mem_attrs_destroy(list);
	assert_int_equal(mem_attrs_slots(list), -EINVAL);
	assert_int_equal(mem_object_alloc(list, NULL, &out), -EINVAL);
	assert_int_equal(mem_attrs_reconcile(&list, 1, &clone, NULL), -EINVAL);
	/* Neither is memory of the program, nor an object of another type. */
	assert_null(mem_object_get((struct mem_object *)words));
	object = raw_object();
	assert_int_equal(mem_attrs_state((struct mem_attrs *)object), -EINVAL);
	mem_object_put(object);
	assert_ptr_equal(out, UNTOUCHED);
	assert_ptr_equal(clone, UNTOUCHED);
	assert_ptr_equal(image, UNTOUCHED);
}

static void no_descriptor_is_left(void **state)
{
	struct mem_object *object = raw_object(), *other = UNTOUCHED;
	struct rlimit old;
	int fd = -7;

	(void)state;
	old = take_all_fds();
	assert_int_equal(mem_object_fd(object, &fd), -EMFILE);
	assert_int_equal(mem_object_restrict(object, MEM_READ, &other),
			 -EMFILE);
	give_fds_back(old);
	assert_int_equal(fd, -7);
	assert_ptr_equal(other, UNTOUCHED);
	set_bytes(object, 1);
	assert_true(has_bytes(object, 1));
	mem_object_put(object);
}

static void a_child_has_none(void **state)
{
	struct mem_object *object = raw_object(), *other;
	int fd;
	void *ptr;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		_exit(mem_object_cpu_ptr(object, MEM_READ, &ptr) != -EPERM ||
		      mem_object_device_ptr(object, &ptr) != -EPERM ||
		      mem_object_restrict(object, MEM_RW, &other) != -EPERM ||
		      mem_object_alloc(mem_object_attrs(object), NULL,
				       &other) != -EPERM ||
		      mem_object_flush(object, 0, 1) != -EPERM ||
		      mem_object_begin(object, MEM_READ) != -EPERM ||
		      mem_object_end(object, MEM_READ) != -EPERM ||
		      mem_object_fd(object, &fd) != -EPERM);
	assert_int_equal(exit_code_of(pid), 0);
	mem_object_put(object);
}

static void nothing_leaks(void **state)
{
	struct mem_object *object, *reader;
	size_t nr_fds = 0, nr = 0;
	int i, fd;

	(void)state;
	for (i = 0; i < 50; i++) {
		object = raw_object();
		set_bytes(object, 1);
		assert_int_equal(mem_object_restrict(object, MEM_READ,
						     &reader), 0);
		assert_int_equal(mem_object_fd(reader, &fd), 0);
		close(fd);
		assert_true(has_bytes(reader, 1));
		mem_object_put(object);
		mem_object_put(reader);
		if (i == 5) {
			nr_fds = nr_of_process("fd");
			nr = nr_mappings();
		}
	}
	assert_int_equal(nr_of_process("fd"), nr_fds);
	assert_true(nr_mappings() <= nr + 4);
	nothing_found();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_memory_is_as_the_list_says),
		cmocka_unit_test(the_kind_follows_the_board_and_the_cache),
		cmocka_unit_test(addresses_obey_the_list),
		cmocka_unit_test(memory_is_aligned),
		cmocka_unit_test(a_kernel_and_the_cpu_share_it),
		cmocka_unit_test(a_flush_is_for_engines_and_the_cpu),
		cmocka_unit_test(what_is_forgotten_is_found),
		cmocka_unit_test(a_restricted_object_can_only_be_read),
		cmocka_unit_test(a_kernel_cannot_write_what_is_restricted),
		cmocka_unit_test(a_second_object_has_the_same_memory),
		cmocka_unit_test(a_descriptor_has_the_bytes),
		cmocka_unit_test(what_is_malformed_is_refused),
		cmocka_unit_test(what_is_freed_is_refused),
		cmocka_unit_test(no_descriptor_is_left),
		cmocka_unit_test(a_child_has_none),
		cmocka_unit_test(nothing_leaks),
	};

	return cmocka_run_group_tests(tests, open_strict, close_all);
}
