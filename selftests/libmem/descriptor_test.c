// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests descriptors that the library did not make: damaged ones, forged ones
 * with a right checksum, and right ones that come with invalid memory.
 */
#include "object.h"

#include "channel.h"

#include <sys/eventfd.h>

/* The begin of a descriptor (libmem/object/object.h) */
struct desc {
	uint64_t magic;
	uint64_t version;
	uint64_t len;
	uint64_t sum;
	uint8_t sender[16];
	uint32_t kind;
	uint32_t perm;
	uint64_t buf_len;
	uint32_t backend;
	uint32_t seq;
	uint8_t token[16];
	uint64_t reserved[21];
};

/* The function that imports a descriptor */
struct importer {
	int (*call)(const void *bytes, size_t len);
};

enum {
	UNRECONCILED = 1,
	RECONCILED,
	OBJECT,
	BARE,
};

static uint64_t add_word(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL;
	return sum ^ sum >> 32;
}

/* Computes the checksum; lists are a multiple of 8 bytes long. */
static void seal(void *bytes, size_t len)
{
	uint64_t word, sum = 0;
	size_t i;

	memset((uint8_t *)bytes + offsetof(struct desc, sum), 0, 8);
	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&word, (uint8_t *)bytes + i, sizeof(word));
		sum = add_word(sum, word);
	}
	memcpy((uint8_t *)bytes + offsetof(struct desc, sum), &sum, 8);
}

static int import_list(const void *bytes, size_t len)
{
	struct mem_attrs *attrs = UNTOUCHED;
	const int err = mem_attrs_import(ends[1], bytes, len, NULL, 0, &attrs);

	if (!err)
		mem_attrs_destroy(attrs);
	else
		assert_ptr_equal(attrs, UNTOUCHED);
	return err;
}

static int import_object(const void *bytes, size_t len)
{
	struct mem_object *object = UNTOUCHED;
	const int err = mem_object_import(ends[1], bytes, len, NULL, 0, 0, 0,
					  &object);

	if (!err)
		mem_object_put(object);
	else
		assert_ptr_equal(object, UNTOUCHED);
	return err;
}

/* The object with whose list a bare descriptor is imported */
static struct mem_object *shared;

static int import_bare(const void *bytes, size_t len)
{
	struct mem_object *object = UNTOUCHED;
	int err;

	if (len < MEM_OBJECT_DESC_LEN)
		return -EBADMSG;
	err = mem_object_import_bare(ends[1], bytes, mem_object_attrs(shared),
				     0, 0, &object);
	if (!err)
		mem_object_put(object);
	else
		assert_ptr_equal(object, UNTOUCHED);
	return err;
}

/* Makes a descriptor of a kind, and returns how to import it. */
static void *made(int kind, size_t *len, struct importer *by)
{
	struct mem_attrs *list = raw_list(LEN), *result;
	void *bytes = NULL;

	result = reconciled(&list, 1);
	by->call = import_list;
	if (kind == UNRECONCILED) {
		assert_int_equal(mem_attrs_export(&list, 1, ends[0], &bytes,
						  len), 0);
	} else if (kind == RECONCILED) {
		assert_int_equal(mem_attrs_export(&result, 1, ends[0], &bytes,
						  len), 0);
	} else if (kind == OBJECT) {
		by->call = import_object;
		assert_int_equal(mem_object_export(shared, MEM_RW, ends[0], 0,
						   &bytes, len), 0);
	} else {
		by->call = import_bare;
		*len = MEM_OBJECT_DESC_LEN;
		bytes = malloc(*len);
		assert_non_null(bytes);
		assert_int_equal(mem_object_export_bare(shared, MEM_RW,
							ends[0], 0, bytes), 0);
	}
	mem_attrs_destroy(result);
	mem_attrs_destroy(list);
	return bytes;
}

static void open_shared(void)
{
	open_ends();
	shared = raw_object();
}

static void close_shared(void)
{
	mem_object_put(shared);
	close_ends();
}

/* A change of any bit is found, and nothing leaks. */
static void a_changed_byte_is_found(void **state)
{
	struct importer by;
	size_t len, at;
	uint8_t *bytes;
	int kind, bit;

	(void)state;
	open_shared();
	for (kind = UNRECONCILED; kind <= BARE; kind++) {
		bytes = made(kind, &len, &by);
		for (at = 0; at < len; at++) {
			for (bit = 0; bit < 8; bit++) {
				bytes[at] ^= 1 << bit;
				assert_int_equal(by.call(bytes, len), -EBADMSG);
				bytes[at] ^= 1 << bit;
			}
			bytes[at] ^= 0xff;
			assert_int_equal(by.call(bytes, len), -EBADMSG);
			bytes[at] ^= 0xff;
		}
		assert_int_equal(by.call(bytes, len), 0);
		free(bytes);
	}
	close_shared();
}

static void a_descriptor_of_another_length_is_found(void **state)
{
	struct importer by;
	size_t len, at;
	uint8_t *bytes, *copy;
	int kind;

	(void)state;
	open_shared();
	for (kind = UNRECONCILED; kind <= BARE; kind++) {
		bytes = made(kind, &len, &by);
		/* AddressSanitizer finds reads beyond the exact copy. */
		for (at = 0; at < len; at++) {
			copy = malloc(at ? at : 1);
			assert_non_null(copy);
			memcpy(copy, bytes, at);
			assert_int_equal(by.call(copy, at), -EBADMSG);
			free(copy);
		}
		copy = calloc(1, len + 8);
		assert_non_null(copy);
		memcpy(copy, bytes, len);
		if (kind != BARE)
			assert_int_equal(by.call(copy, len + 8), -EBADMSG);
		seal(copy, len + 8);
		if (kind != BARE)
			assert_int_equal(by.call(copy, len + 8), -EBADMSG);
		free(copy);
		assert_int_equal(by.call(bytes, len), 0);
		free(bytes);
	}
	close_shared();
}

static void kinds_are_distinguished(void **state)
{
	struct importer by;
	struct desc desc;
	size_t len;
	uint8_t *bytes;
	int kind;
	uint32_t other;

	(void)state;
	open_shared();
	for (kind = UNRECONCILED; kind <= BARE; kind++) {
		bytes = made(kind, &len, &by);
		if (by.call != import_object)
			assert_int_equal(import_object(bytes, len), -EBADMSG);
		if (by.call != import_bare)
			assert_int_equal(import_bare(bytes, len), -EBADMSG);
		if (by.call != import_list)
			assert_int_equal(import_list(bytes, len), -EBADMSG);
		for (other = 0; other < 7; other++) {
			if (other == (uint32_t)kind)
				continue;
			memcpy(&desc, bytes, sizeof(desc));
			desc.kind = other;
			memcpy(bytes, &desc, sizeof(desc));
			seal(bytes, len);
			assert_int_equal(import_object(bytes, len), -EBADMSG);
			assert_int_equal(import_bare(bytes, len), -EBADMSG);
			assert_int_equal(import_list(bytes, len), -EBADMSG);
		}
		memcpy(&desc, bytes, sizeof(desc));
		desc.kind = (uint32_t)kind;
		memcpy(bytes, &desc, sizeof(desc));
		seal(bytes, len);
		assert_int_equal(by.call(bytes, len), 0);
		free(bytes);
	}
	close_shared();
}

/* A forged value of a field, and the expected error */
struct forgery {
	size_t off;
	size_t len;
	uint64_t value;
	int err;
};

#define FORGED(name, value, err)					\
	{								\
		offsetof(struct desc, name),				\
		sizeof(((struct desc *)0)->name), value, err,		\
	}

static void a_forged_field_is_refused(void **state)
{
	static const struct forgery forgeries[] = {
		FORGED(magic, 0, -EBADMSG),
		FORGED(version, 0, -EBADMSG),
		FORGED(version, 2, -EBADMSG),
		FORGED(len, 0, -EBADMSG),
		FORGED(len, 256, -EBADMSG),
		FORGED(len, UINT64_MAX, -EBADMSG),
		FORGED(perm, 0, -EBADMSG),
		FORGED(perm, MEM_WRITE, -EBADMSG),
		FORGED(perm, MEM_RW | 4, -EBADMSG),
		FORGED(buf_len, 0, -EBADMSG),
		FORGED(buf_len, LEN - 4096, -EBADMSG),
		FORGED(buf_len, LEN + 4096, -EBADMSG),
		FORGED(buf_len, UINT64_MAX, -EBADMSG),
		FORGED(backend, 0, -EBADMSG),
		FORGED(backend, 77, -EBADMSG),
		/* The memory with the number before has not been taken. */
		FORGED(seq, 1, -ETIMEDOUT),
		FORGED(seq, MEM_ENDPOINT_QUEUE - 1, -ETIMEDOUT),
		FORGED(seq, MEM_ENDPOINT_QUEUE, -EBADMSG),
		FORGED(seq, INT32_MAX, -EBADMSG),
		FORGED(seq, UINT32_MAX, -EBADMSG),
		{ offsetof(struct desc, sender), 4, 0, -EBADMSG },
		{ offsetof(struct desc, sender) + 15, 1, 0, -EBADMSG },
		{ offsetof(struct desc, token), 4, 0, -EBADMSG },
		{ offsetof(struct desc, token) + 15, 1, 0, -EBADMSG },
		{ offsetof(struct desc, reserved), 1, 1, -EBADMSG },
		{ sizeof(struct desc) - 1, 1, 1, -EBADMSG },
	};
	uint8_t *forged, *bytes, was[8];
	struct mem_object *object;
	size_t len, i;
	void *out;
	int err;

	(void)state;
	open_shared();
	assert_int_equal(mem_object_export(shared, MEM_READ, ends[0], 0, &out,
					   &len), 0);
	bytes = out;
	forged = malloc(len);
	assert_non_null(forged);
	for (i = 0; i < NR(forgeries); i++) {
		const struct forgery *f = &forgeries[i];

		memcpy(forged, bytes, len);
		memcpy(was, forged + f->off, f->len);
		memcpy(forged + f->off, &f->value, f->len);
		/* A random byte may already have the forged value. */
		if (!memcmp(was, forged + f->off, f->len))
			forged[f->off]++;
		seal(forged, len);
		err = import_object(forged, len);
		if (err != f->err)
			fail_msg("forgery %zu is answered %d", i, err);
	}
	/* A forged permission must not permit more than the file does. */
	memcpy(forged, bytes, len);
	forged[offsetof(struct desc, perm)] = MEM_RW;
	seal(forged, len);
	object = UNTOUCHED;
	assert_int_equal(mem_object_import(ends[1], forged, len, NULL, 0,
					   MEM_RW, LONG, &object), -EBADMSG);
	assert_ptr_equal(object, UNTOUCHED);
	free(forged);
	free(bytes);
	close_shared();
}

static void a_list_that_lies_is_refused(void **state)
{
	struct importer by;
	uint8_t *bytes;
	size_t len, at;

	(void)state;
	open_shared();
	bytes = made(OBJECT, &len, &by);
	for (at = sizeof(struct desc); at < len; at++) {
		bytes[at] ^= 0x55;
		seal(bytes, len);
		assert_int_equal(by.call(bytes, len), -EBADMSG);
		bytes[at] ^= 0x55;
	}
	seal(bytes, len);
	assert_int_equal(by.call(bytes, len), 0);
	free(bytes);
	close_shared();
}

/* Opens a peer without the library: bytes of its id are 7, of tokens 9. */
static int open_bare(void)
{
	int socks[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    socks), 0);
	assert_int_equal(mem_endpoint_from_fd(ctx, socks[0], &ends[1]), 0);
	close(socks[0]);
	send_hello(socks[1], 7);
	return socks[1];
}

static void send_memory(int sock, uint32_t seq, int fd)
{
	struct frame frame = { .magic = MAGIC, .type = MEMORY, .seq = seq };

	memset(frame.token, 9, sizeof(frame.token));
	send_fd(sock, &frame, sizeof(frame), fd);
}

/* Makes a descriptor as that peer would. */
static void make_forged(uint8_t *bytes, size_t len, uint32_t seq, uint32_t perm)
{
	struct desc desc;

	memcpy(&desc, bytes, sizeof(desc));
	memset(desc.sender, 7, sizeof(desc.sender));
	memset(desc.token, 9, sizeof(desc.token));
	desc.seq = seq;
	desc.perm = perm;
	memcpy(bytes, &desc, sizeof(desc));
	seal(bytes, len);
}

static int again(int fd, int how)
{
	char path[64];
	int other;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	other = open(path, how | O_CLOEXEC);
	assert_true(other >= 0);
	close(fd);
	return other;
}

/* Files that could be truncated, are no memory, or permit less */
static int hostile_file(int which)
{
	int fds[2];

	switch (which) {
	case 0:
		return file_of(LEN, 0);
	case 1:
		return file_of(LEN, F_SEAL_GROW | F_SEAL_SEAL);
	case 2:
		return file_of(LEN - 4096, F_SEAL_SHRINK);
	case 3:
		return file_of(LEN + 4096, F_SEAL_SHRINK);
	case 4:
		return file_of(1ULL << 40, F_SEAL_SHRINK);
	case 5:
		return file_of(0, F_SEAL_SHRINK);
	case 6:
		return file_of(LEN - 1, F_SEAL_SHRINK);
	case 7:
		return again(file_of(LEN, F_SEAL_SHRINK), O_RDONLY);
	case 8:
		return again(file_of(LEN, F_SEAL_SHRINK), O_WRONLY);
	case 9:
		return file_of(LEN, F_SEAL_SHRINK | F_SEAL_WRITE);
	case 10:
		return file_of(LEN, F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE);
	case 11:
		return eventfd(0, EFD_CLOEXEC);
	case 12:
		return open("/dev/zero", O_RDWR | O_CLOEXEC);
	case 13:
		return open("/", O_RDONLY | O_CLOEXEC);
	case 14:
		return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	case 15:
		return open("/dev/null", O_PATH | O_CLOEXEC);
	case 16:
		assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
		close(fds[1]);
		return fds[0];
	default:
		return -1;
	}
}

static void memory_that_is_none_is_refused(void **state)
{
	struct importer by;
	size_t len, nr_fds, nr_maps;
	uint8_t *bytes;
	int sock, which, fd;

	(void)state;
	open_shared();
	bytes = made(OBJECT, &len, &by);
	close_shared();
	nr_fds = nr_of_process("fd");
	nr_maps = nr_mappings();
	sock = open_bare();
	for (which = 0;; which++) {
		fd = hostile_file(which);
		if (fd < 0)
			break;
		send_memory(sock, (uint32_t)which, fd);
		close(fd);
		make_forged(bytes, len, (uint32_t)which, MEM_RW);
		if (import_object(bytes, len) != -EBADMSG)
			fail_msg("file %d is no memory", which);
		/* The file was closed, and its place is free. */
		assert_int_equal(import_object(bytes, len), -EBADMSG);
	}
	assert_int_equal(which, 17);
	mem_endpoint_close(ends[1]);
	close(sock);
	assert_int_equal(nr_of_process("fd"), nr_fds);
	assert_true(nr_mappings() <= nr_maps + 4);
	free(bytes);
}

/* A writable file can only be read if its descriptor says so. */
static void a_writable_file_for_reading_is_read(void **state)
{
	struct importer by;
	struct mem_object *object;
	uint8_t *bytes;
	size_t len;
	int sock, fd;

	(void)state;
	open_shared();
	bytes = made(OBJECT, &len, &by);
	close_shared();
	sock = open_bare();
	fd = file_of(LEN, F_SEAL_SHRINK);
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	send_memory(sock, 0, fd);
	close(fd);
	make_forged(bytes, len, 0, MEM_READ);
	assert_int_equal(mem_object_import(ends[1], bytes, len, NULL, 0, 0,
					   LONG, &object), 0);
	assert_int_equal(byte_at(cpu_of(object, MEM_READ)), 'x');
	assert_int_equal(store_to(object), SIGSEGV);
	assert_int_equal(mem_object_fd(object, &fd), 0);
	cannot_be_written(fd);
	close(fd);
	mem_object_put(object);
	mem_endpoint_close(ends[1]);
	close(sock);
	free(bytes);
}

/* Memory is lost if the process has no free descriptor, but nothing else is. */
static void memory_without_a_number_is_reported(void **state)
{
	struct importer by;
	size_t len, next_len;
	uint8_t *bytes, *next;
	struct rlimit old;

	(void)state;
	open_shared();
	assert_int_equal(import_list("", 1), -EBADMSG);
	/* The hellos of the two ends are exchanged first. */
	assert_int_equal(recv_filled(ends[1], 1, 0, 0), -ETIMEDOUT);
	bytes = made(OBJECT, &len, &by);
	next = made(OBJECT, &next_len, &by);
	old = take_all_fds();
	assert_int_equal(by.call(bytes, len), -EMFILE);
	give_fds_back(old);
	assert_int_equal(by.call(bytes, len), -EBADMSG);
	free(bytes);
	free(next);
	/* Memory that arrived before can be imported again. */
	bytes = made(OBJECT, &len, &by);
	assert_int_equal(recv_filled(ends[1], 1, 0, 0), -ETIMEDOUT);
	old = take_all_fds();
	assert_int_equal(by.call(bytes, len), -EMFILE);
	give_fds_back(old);
	assert_int_equal(by.call(bytes, len), 0);
	free(bytes);
	close_shared();
}

/* A list that asks for write access fails if only reading was granted. */
static void a_permission_of_the_importer_counts(void **state)
{
	const uint32_t perms[] = { MEM_READ, MEM_RW };
	struct mem_object *object, *other;
	struct mem_attrs *list;
	unsigned int asked, given;
	size_t len;
	void *bytes;

	(void)state;
	object = object_of(LIST(RAW(LEN), ATTR(NEED_CPU_ACCESS, uint8_t, 1),
				ATTR(ENGINES, uint64_t, ENGINE(GPU))));
	open_ends();
	for (given = 0; given < NR(perms); given++)
		for (asked = 0; asked < NR(perms); asked++) {
			const bool fits = asked <= given;

			list = LIST(RAW(LEN), ATTR(REQUIRED_PERM, uint32_t,
						   perms[asked]));
			assert_int_equal(mem_object_export(object, perms[given],
							   ends[0], LONG,
							   &bytes, &len), 0);
			other = UNTOUCHED;
			assert_int_equal(mem_object_import(ends[1], bytes, len,
							   &list, 1, 0, LONG,
							   &other),
					 fits ? 0 : -EADV);
			if (fits)
				mem_object_put(other);
			else
				assert_ptr_equal(other, UNTOUCHED);
			mem_attrs_destroy(list);
			free(bytes);
		}
	mem_object_put(object);
	/* The sender's list asks for write access, which was not granted. */
	object = raw_object();
	list = LIST(RAW(LEN), ATTR(REQUIRED_PERM, uint32_t, MEM_RW));
	assert_int_equal(mem_object_export(object, MEM_READ, ends[0], LONG,
					   &bytes, &len), 0);
	other = UNTOUCHED;
	assert_int_equal(mem_object_import(ends[1], bytes, len, &list, 1, 0,
					   LONG, &other), -EADV);
	assert_ptr_equal(other, UNTOUCHED);
	/* An importer that asks only to read succeeds. */
	assert_int_equal(mem_object_import(ends[1], bytes, len, &list, 1,
					   MEM_READ, LONG, &other), 0);
	mem_object_put(other);
	free(bytes);
	mem_attrs_destroy(list);
	mem_object_put(object);
	close_ends();
}

static void the_right_one_comes_in_time(void **state)
{
	struct importer by;
	struct mem_object *object = UNTOUCHED;
	uint8_t *bytes;
	size_t len;
	int sock, fd;
	uint64_t begin;

	(void)state;
	open_shared();
	bytes = made(OBJECT, &len, &by);
	close_shared();
	sock = open_bare();
	make_forged(bytes, len, 0, MEM_RW);
	begin = now_ns();
	assert_int_equal(mem_object_import(ends[1], bytes, len, NULL, 0, 0,
					   SOON, &object), -ETIMEDOUT);
	assert_in_range(now_ns() - begin, SOON, LONG);
	fd = file_of(LEN, F_SEAL_SHRINK);
	send_memory(sock, 0, fd);
	close(fd);
	assert_int_equal(import_object(bytes, len), 0);
	make_forged(bytes, len, 1, MEM_RW);
	close(sock);
	assert_int_equal(mem_object_import(ends[1], bytes, len, NULL, 0, 0,
					   LONG, &object), -EPIPE);
	assert_ptr_equal(object, UNTOUCHED);
	mem_endpoint_close(ends[1]);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest both[] = {
		cmocka_unit_test(a_changed_byte_is_found),
		cmocka_unit_test(a_descriptor_of_another_length_is_found),
		cmocka_unit_test(kinds_are_distinguished),
		cmocka_unit_test(a_forged_field_is_refused),
		cmocka_unit_test(a_list_that_lies_is_refused),
		cmocka_unit_test(memory_that_is_none_is_refused),
		cmocka_unit_test(memory_without_a_number_is_reported),
		cmocka_unit_test(a_permission_of_the_importer_counts),
	};
	const struct CMUnitTest embedded[] = {
		cmocka_unit_test(a_writable_file_for_reading_is_read),
		cmocka_unit_test(the_right_one_comes_in_time),
	};
	const struct CMUnitTest kernel[] = {
		cmocka_unit_test(a_changed_byte_is_found),
	};

	return run_both(both, kernel, embedded);
}
