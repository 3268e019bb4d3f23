// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests lists and objects that are sent over an endpoint to a thread, and to
 * another process of this program.
 */
#include <linux/dma-buf.h>

#include "object.h"

#include "channel.h"

/* First argument of this program as the other process, with a socket */
#define READER		"reader"
#define WRITER		"writer"
#define EXPORTER	"exporter"
#define IMPORTER	"importer"

static struct mem_object *given(const void *bytes, size_t len,
				unsigned int perm)
{
	struct mem_object *object;

	assert_int_equal(mem_object_import(ends[1], bytes, len, NULL, 0, perm,
					   LONG, &object), 0);
	return object;
}

static void *exported(struct mem_object *object, unsigned int perm, size_t *len)
{
	void *bytes;

	assert_int_equal(mem_object_export(object, perm, ends[0], LONG, &bytes,
					   len), 0);
	return bytes;
}

static int import_list(const void *bytes, size_t len, struct mem_attrs **lists,
		       size_t nr_lists, struct mem_attrs **attrs)
{
	return mem_attrs_import(ends[1], bytes, len, lists, nr_lists, attrs);
}

static void a_list_goes_over(void **state)
{
	struct mem_attrs *list = raw_list(LEN), *result, *other = UNTOUCHED;
	struct mem_attrs *short_list = LIST(RAW(LEN - 1));
	struct mem_attrs *lists[2];
	size_t len, i;
	void *bytes;

	(void)state;
	open_ends();
	assert_int_equal(mem_attrs_export(&list, 1, ends[0], &bytes, &len), 0);
	assert_int_equal(import_list(bytes, len, NULL, 0, &lists[0]), 0);
	free(bytes);
	assert_int_equal(mem_attrs_state(lists[0]), MEM_ATTRS_UNRECONCILED);
	assert_int_equal(u64_of(lists[0], RAW_SIZE), LEN);
	lists[1] = list;
	result = reconciled(lists, 2);
	assert_int_equal(mem_attrs_export(lists, 2, ends[0], &bytes, &len), 0);
	mem_attrs_destroy(lists[0]);
	assert_int_equal(import_list(bytes, len, NULL, 0, &lists[0]), 0);
	assert_int_equal(mem_attrs_slots(lists[0]), 2);
	free(bytes);
	mem_attrs_destroy(lists[0]);

	assert_int_equal(mem_attrs_export(&result, 1, ends[0], &bytes, &len),
			 0);
	assert_int_equal(import_list(bytes, len, &short_list, 1, &other),
			 -EADV);
	assert_int_equal(import_list(bytes, len, &result, 1, &other), -EINVAL);
	assert_ptr_equal(other, UNTOUCHED);
	for (i = 0; i < 2; i++) {
		assert_int_equal(import_list(bytes, len, &list, i, &other), 0);
		assert_int_equal(mem_attrs_state(other),
				 MEM_ATTRS_RECONCILED);
		assert_int_equal(u64_of(other, RAW_SIZE), LEN);
		mem_attrs_destroy(other);
	}
	free(bytes);
	destroy_all((struct mem_attrs *[]) { list, result, short_list }, 3);
	close_ends();
}

static void an_object_goes_over(void **state)
{
	struct mem_object *object = raw_object(), *other;
	size_t len;
	void *bytes;

	(void)state;
	open_ends();
	set_bytes(object, 3);
	bytes = exported(object, MEM_RW, &len);
	other = given(bytes, len, 0);
	free(bytes);
	assert_int_equal(u32_of(mem_object_attrs(other), ACTUAL_PERM), MEM_RW);
	assert_int_equal(u64_of(mem_object_attrs(other), RAW_SIZE), LEN);
	assert_true(has_bytes(other, 3));
	set_bytes(other, 4);
	assert_true(has_bytes(object, 4));
	fill_buf(mem_object_buf(other), 0x05050505);
	assert_true(has_bytes(object, 5));
	/* The object exists as long as one side holds a reference. */
	mem_object_put(object);
	assert_true(has_bytes(other, 5));
	bytes = exported(other, MEM_READ, &len);
	object = given(bytes, len, 0);
	free(bytes);
	mem_object_put(other);
	close_ends();
	assert_true(has_bytes(object, 5));
	mem_object_put(object);
}

/* The descriptors of objects work with drivers that import dma-bufs. */
static void what_goes_over_is_a_dma_buf(void **state)
{
	struct dma_buf_sync sync = {
		.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_READ,
	};
	struct mem_object *object = raw_object(), *other;
	size_t len;
	void *bytes;
	int fd;

	(void)state;
	open_ends();
	bytes = exported(object, MEM_READ, &len);
	other = given(bytes, len, 0);
	free(bytes);
	close_ends();
	mem_object_put(object);
	assert_int_equal(mem_object_fd(other, &fd), 0);
	if (is_embedded()) {
		assert_int_equal(ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync), -1);
		assert_int_equal(errno, ENOTTY);
	} else {
		assert_int_equal(ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync), 0);
		sync.flags = DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ;
		assert_int_equal(ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync), 0);
	}
	close(fd);
	mem_object_put(other);
}

static void a_bare_object_goes_over(void **state)
{
	struct mem_object *object = raw_object(), *other = UNTOUCHED;
	const struct mem_attrs *attrs = mem_object_attrs(object);
	struct mem_attrs *long_list = raw_list(LEN + 8192), *result;
	uint8_t desc[MEM_OBJECT_DESC_LEN];
	struct mem_ctx *second;

	(void)state;
	result = reconciled(&long_list, 1);
	open_ends();
	set_bytes(object, 3);
	assert_int_equal(mem_object_export_bare(object, MEM_RW, ends[0], LONG,
						desc), 0);
	assert_int_equal(mem_object_import_bare(ends[1], desc, long_list, 0,
						LONG, &other), -EINVAL);
	assert_int_equal(mem_object_import_bare(ends[1], desc, result, 0,
						LONG, &other), -EBADMSG);
	assert_int_equal(mem_object_import_bare(ends[0], desc, attrs, 0,
						0, &other), -EBADMSG);
	assert_int_equal(mem_object_import(ends[1], desc, sizeof(desc), NULL,
					   0, 0, 0, &other), -EBADMSG);
	mem_attrs_destroy(result);
	assert_int_equal(mem_ctx_open(NULL, &second), 0);
	mem_attrs_destroy(long_list);
	assert_int_equal(mem_attrs_create(second, &long_list), 0);
	assert_int_equal(mem_attrs_set(long_list, (struct mem_attr[]) {
					RAW(LEN) }, 2), 0);
	result = reconciled(&long_list, 1);
	assert_int_equal(mem_object_import_bare(ends[1], desc, result, 0,
						LONG, &other), -EXDEV);
	mem_attrs_destroy(result);
	mem_attrs_destroy(long_list);
	mem_ctx_close(second);
	assert_ptr_equal(other, UNTOUCHED);
	assert_int_equal(mem_object_import_bare(ends[1], desc, attrs, MEM_READ,
						LONG, &other), 0);
	assert_true(has_bytes(other, 3));
	assert_int_equal(store_to(other), SIGSEGV);
	mem_object_put(other);
	assert_int_equal(mem_object_import_bare(ends[1], desc, attrs, 0,
						LONG, &other), -EBADMSG);
	mem_object_put(object);
	close_ends();
}

/* Either side may limit the permission. */
static void permission_is_the_least_of_what_is_said(void **state)
{
	static const unsigned int perms[][2] = {
		{ MEM_READ, 0 }, { MEM_READ, MEM_READ }, { MEM_RW, MEM_READ },
	};
	struct mem_object *object = raw_object(), *other;
	void *bytes, *ptr = UNTOUCHED;
	size_t len, i;
	int fd;

	(void)state;
	open_ends();
	set_bytes(object, 6);
	for (i = 0; i < NR(perms); i++) {
		bytes = exported(object, perms[i][0], &len);
		other = given(bytes, len, perms[i][1]);
		free(bytes);
		assert_int_equal(u32_of(mem_object_attrs(other), ACTUAL_PERM),
				 MEM_READ);
		assert_true(has_bytes(other, 6));
		assert_int_equal(mem_object_cpu_ptr(other, MEM_RW, &ptr),
				 -EACCES);
		assert_int_equal(store_to(other), SIGSEGV);
		assert_int_equal(mem_object_fd(other, &fd), 0);
		cannot_be_written(fd);
		close(fd);
		assert_int_equal(mem_object_export(other, MEM_RW, ends[1],
						   LONG, &ptr, &len),
				 -EACCES);
		mem_object_put(other);
	}
	bytes = exported(object, MEM_READ, &len);
	other = UNTOUCHED;
	assert_int_equal(mem_object_import(ends[1], bytes, len, NULL, 0,
					   MEM_RW, LONG, &other), -EACCES);
	assert_ptr_equal(other, UNTOUCHED);
	/* The failed import has not used up the descriptor. */
	mem_object_put(given(bytes, len, MEM_READ));
	free(bytes);
	assert_ptr_equal(ptr, UNTOUCHED);
	mem_object_put(object);
	close_ends();
}

static void lists_of_the_importer_count(void **state)
{
	struct mem_object *object = raw_object(), *other = UNTOUCHED;
	struct mem_attrs *right = raw_list(LEN), *wrong = raw_list(LEN + 1);
	struct mem_attrs *both[] = { right, wrong, NULL };
	size_t len;
	void *bytes;

	(void)state;
	open_ends();
	bytes = exported(object, MEM_RW, &len);
	assert_int_equal(mem_object_import(ends[1], bytes, len, both, 2, 0,
					   LONG, &other), -EADV);
	assert_int_equal(mem_object_import(ends[1], bytes, len, both, 3, 0,
					   LONG, &other), -EINVAL);
	assert_int_equal(mem_object_import(ends[1], bytes, len, NULL, 1, 0,
					   LONG, &other), -EINVAL);
	assert_ptr_equal(other, UNTOUCHED);
	assert_int_equal(mem_object_import(ends[1], bytes, len, both, 1, 0,
					   LONG, &other), 0);
	free(bytes);
	mem_object_put(other);
	mem_object_put(object);
	destroy_all(both, 2);
	close_ends();
}

static void a_descriptor_is_good_once(void **state)
{
	struct mem_object *object = raw_object(), *other = UNTOUCHED;
	size_t len;
	void *bytes;

	(void)state;
	open_ends();
	bytes = exported(object, MEM_RW, &len);
	mem_object_put(given(bytes, len, 0));
	assert_int_equal(mem_object_import(ends[1], bytes, len, NULL, 0, 0,
					   LONG, &other), -EBADMSG);
	free(bytes);
	assert_ptr_equal(other, UNTOUCHED);
	mem_object_put(object);
	close_ends();
}

static void a_descriptor_is_for_one_channel(void **state)
{
	struct mem_object *object = raw_object(), *other = UNTOUCHED;
	struct mem_attrs *list = raw_list(LEN), *attrs = UNTOUCHED;
	struct mem_endpoint *first[2];
	size_t len, list_len;
	void *bytes, *list_bytes;

	(void)state;
	open_ends();
	bytes = exported(object, MEM_RW, &len);
	assert_int_equal(mem_attrs_export(&list, 1, ends[0], &list_bytes,
					  &list_len), 0);
	/* The end that made the descriptor cannot import it. */
	assert_int_equal(mem_object_import(ends[0], bytes, len, NULL, 0, 0,
					   LONG, &other), -EBADMSG);
	assert_int_equal(mem_attrs_import(ends[0], list_bytes, list_len, NULL,
					  0, &attrs), -EBADMSG);
	memcpy(first, ends, sizeof(first));
	open_ends();
	assert_int_equal(mem_object_import(ends[1], bytes, len, NULL, 0, 0,
					   LONG, &other), -EBADMSG);
	assert_int_equal(import_list(list_bytes, list_len, NULL, 0, &attrs),
			 -EBADMSG);
	assert_ptr_equal(other, UNTOUCHED);
	assert_ptr_equal(attrs, UNTOUCHED);
	close_ends();
	memcpy(ends, first, sizeof(first));
	assert_int_equal(import_list(list_bytes, list_len, NULL, 0, &attrs),
			 0);
	mem_object_put(given(bytes, len, 0));
	free(bytes);
	free(list_bytes);
	mem_attrs_destroy(attrs);
	mem_attrs_destroy(list);
	mem_object_put(object);
	close_ends();
}

static void a_full_peer_makes_the_exporter_wait(void **state)
{
	struct mem_object *object = raw_object();
	void *bytes[MEM_ENDPOINT_QUEUE], *none = UNTOUCHED;
	size_t len, i;

	(void)state;
	open_ends();
	for (i = 0; i < MEM_ENDPOINT_QUEUE; i++)
		bytes[i] = exported(object, MEM_RW, &len);
	assert_int_equal(mem_object_export(object, MEM_RW, ends[0], SOON,
					   &none, &len), -ETIMEDOUT);
	assert_ptr_equal(none, UNTOUCHED);
	/* Messages still pass, and objects can be imported in any order. */
	assert_int_equal(send_filled(ends[0], 10, 3, LONG), 0);
	assert_int_equal(recv_filled(ends[1], 10, 3, LONG), 0);
	mem_object_put(given(bytes[63], len, 0));
	free(bytes[63]);
	bytes[63] = exported(object, MEM_RW, &len);
	assert_int_equal(mem_object_export(object, MEM_RW, ends[0], 0, &none,
					   &len), -ETIMEDOUT);
	for (i = 0; i < MEM_ENDPOINT_QUEUE; i++) {
		mem_object_put(given(bytes[i], len, 0));
		free(bytes[i]);
	}
	mem_object_put(object);
	close_ends();
}

static void a_peer_that_has_gone_is_reported(void **state)
{
	struct mem_object *object = raw_object();
	void *bytes, *none = UNTOUCHED;
	size_t len;

	(void)state;
	open_ends();
	bytes = exported(object, MEM_RW, &len);
	mem_endpoint_close(ends[0]);
	/* The object that was sent before the close can be imported. */
	mem_object_put(given(bytes, len, 0));
	free(bytes);
	assert_int_equal(mem_object_export(object, MEM_RW, ends[1], LONG,
					   &none, &len), -EPIPE);
	assert_ptr_equal(none, UNTOUCHED);
	mem_endpoint_close(ends[1]);
	mem_object_put(object);
}

static void what_is_malformed_is_refused(void **state)
{
	struct mem_object *object = raw_object(), *other = UNTOUCHED;
	struct mem_attrs *list = raw_list(LEN), *attrs = UNTOUCHED;
	uint8_t zero[MEM_OBJECT_DESC_LEN] = { 0 };
	void *bytes = UNTOUCHED;
	size_t len = 77;

	(void)state;
	open_ends();
	assert_int_equal(mem_attrs_export(NULL, 1, ends[0], &bytes, &len),
			 -EINVAL);
	assert_int_equal(mem_attrs_export(&list, 0, ends[0], &bytes, &len),
			 -EINVAL);
	assert_int_equal(mem_attrs_export(&list, MEM_SLOTS_MAX + 1, ends[0],
					  &bytes, &len), -EINVAL);
	assert_int_equal(mem_attrs_export(&list, 1, NULL, &bytes, &len),
			 -EINVAL);
	assert_int_equal(mem_attrs_export(&list, 1, ends[0], NULL, &len),
			 -EINVAL);
	assert_int_equal(mem_attrs_export(&list, 1, ends[0], &bytes, NULL),
			 -EINVAL);
	assert_int_equal(mem_object_export(NULL, MEM_RW, ends[0], 0, &bytes,
					   &len), -EINVAL);
	assert_int_equal(mem_object_export(object, 0, ends[0], 0, &bytes,
					   &len), -EINVAL);
	assert_int_equal(mem_object_export(object, MEM_WRITE, ends[0], 0,
					   &bytes, &len), -EINVAL);
	assert_int_equal(mem_object_export(object, MEM_RW, NULL, 0, &bytes,
					   &len), -EINVAL);
	assert_int_equal(mem_object_export(object, MEM_RW, ends[0], 0, NULL,
					   &len), -EINVAL);
	assert_int_equal(mem_object_export(object, MEM_RW, ends[0], 0, &bytes,
					   NULL), -EINVAL);
	assert_int_equal(mem_object_export_bare(object, MEM_RW, ends[0], 0,
						NULL), -EINVAL);
	assert_ptr_equal(bytes, UNTOUCHED);
	assert_int_equal(len, 77);
	assert_int_equal(mem_attrs_import(NULL, zero, 8, NULL, 0, &attrs),
			 -EINVAL);
	assert_int_equal(import_list(NULL, 8, NULL, 0, &attrs), -EINVAL);
	assert_int_equal(import_list(zero, 8, NULL, 0, NULL), -EINVAL);
	assert_int_equal(import_list(zero, 0, NULL, 0, &attrs), -EBADMSG);
	assert_int_equal(import_list(zero, sizeof(zero), NULL, 0, &attrs),
			 -EBADMSG);
	assert_int_equal(mem_object_import(NULL, zero, 8, NULL, 0, 0, 0,
					   &other), -EINVAL);
	assert_int_equal(mem_object_import(ends[0], NULL, 8, NULL, 0, 0, 0,
					   &other), -EINVAL);
	assert_int_equal(mem_object_import(ends[0], zero, 8, NULL, 0, 0, 0,
					   NULL), -EINVAL);
	assert_int_equal(mem_object_import(ends[0], zero, 8, NULL, 0,
					   MEM_WRITE, 0, &other), -EINVAL);
	assert_int_equal(mem_object_import(ends[0], zero, 8, NULL, 0, 0, 0,
					   &other), -EBADMSG);
	assert_int_equal(mem_object_import_bare(ends[0], zero, list, 0, 0,
						&other), -EINVAL);
	assert_int_equal(mem_object_import_bare(ends[0], zero,
						mem_object_attrs(object), 0, 0,
						&other), -EBADMSG);
	assert_ptr_equal(other, UNTOUCHED);
	assert_ptr_equal(attrs, UNTOUCHED);
	mem_attrs_destroy(list);
	mem_object_put(object);
	close_ends();
}

/* Starts this program again, at the other end of ends[0]. */
static pid_t start_peer(const char *how)
{
	int socks[2];
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    socks), 0);
	pid = start_again(how, socks[1]);
	close(socks[1]);
	assert_int_equal(mem_endpoint_from_fd(ctx, socks[0], &ends[0]), 0);
	close(socks[0]);
	return pid;
}

/* Sends an object; the descriptor is a message. */
static int send_object(struct mem_object *object, unsigned int perm)
{
	size_t len;
	void *bytes;
	int err;

	err = mem_object_export(object, perm, ends[0], LONG, &bytes, &len);
	if (err)
		return err;
	err = mem_endpoint_send(ends[0], bytes, len, LONG);
	free(bytes);
	return err;
}

static int recv_object(struct mem_object **object)
{
	static uint8_t bytes[MEM_ENDPOINT_MAX];
	int len;

	len = mem_endpoint_recv(ends[0], bytes, sizeof(bytes), LONG);
	if (len < 0)
		return len;
	return mem_object_import(ends[0], bytes, (size_t)len, NULL, 0, 0, LONG,
				 object);
}

static int recv_word(void)
{
	uint8_t byte;

	return mem_endpoint_recv(ends[0], &byte, 1, LONG) == 1 ? byte : -1;
}

static void send_word(uint8_t byte)
{
	assert_int_equal(mem_endpoint_send(ends[0], &byte, 1, LONG), 0);
}

static void another_process_writes(void **state)
{
	const pid_t pid = start_peer(WRITER);
	struct mem_object *object = raw_object();

	(void)state;
	set_bytes(object, 1);
	assert_int_equal(send_object(object, MEM_RW), 0);
	assert_int_equal(recv_word(), 1);
	assert_true(has_bytes(object, 2));
	set_bytes(object, 5);
	send_word(0);
	assert_int_equal(recv_word(), 5);
	assert_true(has_bytes(object, 6));
	send_word(1);
	assert_int_equal(exit_code_of(pid), 0);
	assert_true(has_bytes(object, 6));
	mem_object_put(object);
	mem_endpoint_close(ends[0]);
}

/* The process tries all ways to write, if possible as another user. */
static void another_process_only_reads(void **state)
{
	const pid_t pid = start_peer(READER);
	struct mem_object *object = raw_object();

	(void)state;
	set_bytes(object, 1);
	assert_int_equal(send_object(object, MEM_READ), 0);
	assert_int_equal(recv_word(), 1);
	set_bytes(object, 7);
	send_word(0);
	assert_int_equal(recv_word(), 7);
	send_word(1);
	assert_int_equal(exit_code_of(pid), 0);
	assert_true(has_bytes(object, 7));
	mem_object_put(object);
	mem_endpoint_close(ends[0]);
}

static int act_writer(void)
{
	struct mem_object *object;
	uint8_t *bytes;

	if (recv_object(&object))
		return 1;
	bytes = cpu_of(object, MEM_RW);
	do {
		begin(object, MEM_RW);
		const uint8_t was = bytes[LEN / 2];

		memset(bytes, was + 1, LEN);
		end(object, MEM_RW);
		send_word(was);
	} while (!recv_word());
	mem_object_put(object);
	return 0;
}

/* A user who is not the owner reopens the file, or changes its mode. */
static int reopen(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (getuid())
		return 0;
	if (become_nobody())
		return 1;
	if (open(path, O_RDWR) >= 0 || open(path, O_WRONLY) >= 0 ||
	    !fchmod(fd, 0666) || !chmod(path, 0666))
		return 2;
	return 0;
}

static int act_reader(void)
{
	struct mem_object *object;
	const uint8_t *bytes;
	int fd;

	if (recv_object(&object))
		return 1;
	bytes = cpu_of(object, MEM_READ);
	do {
		begin(object, MEM_READ);
		const uint8_t was = byte_at(bytes + LEN / 2);

		end(object, MEM_READ);
		send_word(was);
	} while (!recv_word());
	assert_int_equal(touch((uint32_t *)bytes, true), SIGSEGV);
	assert_int_equal(mem_object_fd(object, &fd), 0);
	cannot_be_written(fd);
	if (reopen(fd))
		return 2;
	mem_object_put(object);
	return 0;
}

#define NR_SHARED	10000
#define NR_AT_ONCE	1000

/* Objects are sent one after the other, and many at once. */
static void ten_thousand_objects_leave_nothing(void **state)
{
	const unsigned int nr = scaled(NR_SHARED);
	size_t nr_fds = 0, nr_maps = 0;
	struct mem_object *object;
	const pid_t pid = start_peer(IMPORTER);
	unsigned int i;

	(void)state;
	for (i = 0; i < nr; i++) {
		object = object_of(LIST(RAW(4096),
					ATTR(NEED_CPU_ACCESS, uint8_t, 1)));
		begin(object, MEM_RW);
		cpu_of(object, MEM_RW)[0] = (uint8_t)i;
		end(object, MEM_RW);
		assert_int_equal(send_object(object, i % 2 ? MEM_RW :
							     MEM_READ), 0);
		assert_int_equal(recv_word(), (uint8_t)i);
		mem_object_put(object);
		if (i == 10) {
			nr_fds = nr_of_process("fd");
			nr_maps = nr_mappings();
		}
	}
	assert_int_equal(nr_of_process("fd"), nr_fds);
	assert_true(nr_mappings() <= nr_maps + 8);
	mem_endpoint_close(ends[0]);
	assert_int_equal(exit_code_of(pid), 0);
}

static int act_importer(void)
{
	size_t nr_fds = 0, nr_maps = 0;
	struct mem_object *object;
	int i, err;

	for (i = 0; !(err = recv_object(&object)); i++) {
		send_word(byte_at(cpu_of(object, MEM_READ)));
		mem_object_put(object);
		if (i == 10) {
			nr_fds = nr_of_process("fd");
			nr_maps = nr_mappings();
		}
	}
	assert_int_equal(err, -EPIPE);
	assert_int_equal(nr_of_process("fd"), nr_fds);
	assert_true(nr_mappings() <= nr_maps + 8);
	return 0;
}

static void a_thousand_objects_exist_at_a_time(void **state)
{
	static struct mem_object *mine[NR_AT_ONCE], *theirs[NR_AT_ONCE];
	size_t nr_fds, nr_maps, len, i;
	struct rlimit old, many;
	void *bytes;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	many = old;
	many.rlim_cur = many.rlim_max;
	if (many.rlim_max < 3 * NR_AT_ONCE)
		skip_because("few descriptors are allowed");
	setrlimit(RLIMIT_NOFILE, &many);
	nr_fds = nr_of_process("fd");
	nr_maps = nr_mappings();
	open_ends();
	for (i = 0; i < NR_AT_ONCE; i++) {
		mine[i] = object_of(LIST(RAW(4096),
					 ATTR(NEED_CPU_ACCESS, uint8_t, 1)));
		bytes = exported(mine[i], MEM_RW, &len);
		theirs[i] = given(bytes, len, 0);
		free(bytes);
		begin(theirs[i], MEM_RW);
		memcpy(cpu_of(theirs[i], MEM_RW), &i, sizeof(i));
		end(theirs[i], MEM_RW);
	}
	for (i = 0; i < NR_AT_ONCE; i++)
		assert_memory_equal(cpu_of(mine[i], MEM_READ), &i, sizeof(i));
	for (i = 0; i < NR_AT_ONCE; i++) {
		mem_object_put(mine[i]);
		mem_object_put(theirs[NR_AT_ONCE - 1 - i]);
	}
	close_ends();
	assert_int_equal(nr_of_process("fd"), nr_fds);
	assert_true(nr_mappings() <= nr_maps + 8);
	setrlimit(RLIMIT_NOFILE, &old);
}

/* The exporter is killed at any time, also before it has begun. */
static void an_exporter_may_be_killed_at_any_time(void **state)
{
	size_t nr_fds = nr_of_process("fd");
	struct mem_object *object;
	unsigned int round, nr, nr_some = 0;
	int err;
	pid_t pid;

	(void)state;
	for (round = 0; round < 60; round++) {
		pid = start_peer(EXPORTER);
		if (round > 10) {
			assert_int_equal(recv_object(&object), 0);
			mem_object_put(object);
		}
		usleep(round * 53 % 1500);
		kill(pid, SIGKILL);
		for (nr = 0; !(err = recv_object(&object)); nr++) {
			assert_int_equal(byte_at(cpu_of(object, MEM_READ)), 8);
			mem_object_put(object);
		}
		assert_int_equal(err, -EPIPE);
		nr_some += nr > 0;
		waitpid(pid, NULL, 0);
		mem_endpoint_close(ends[0]);
		assert_int_equal(nr_of_process("fd"), nr_fds);
	}
	assert_true(nr_some > 5);
}

static int act_exporter(void)
{
	struct mem_object *object = raw_object();

	set_bytes(object, 8);
	while (!send_object(object, MEM_RW))
		;
	return 0;
}

static void an_importer_may_be_killed_at_any_time(void **state)
{
	size_t nr_fds = nr_of_process("fd");
	struct mem_object *object = raw_object();
	unsigned int round;
	pid_t pid;
	int err;

	(void)state;
	/* The first call moves the object to a file of its own. */
	assert_int_equal(mem_object_fd(object, &err), 0);
	close(err);
	nr_fds = nr_of_process("fd");
	for (round = 0; round < 60; round++) {
		pid = start_peer(IMPORTER);
		usleep(round % 20 * 400);
		if (round % 2)
			kill(pid, SIGKILL);
		do {
			err = send_object(object, MEM_RW);
			if (!err && !(round % 2)) {
				kill(pid, SIGKILL);
				assert_true(recv_word() >= -1);
			}
		} while (!err);
		assert_int_equal(err, -EPIPE);
		waitpid(pid, NULL, 0);
		mem_endpoint_close(ends[0]);
		assert_int_equal(nr_of_process("fd"), nr_fds);
	}
	set_bytes(object, 2);
	assert_true(has_bytes(object, 2));
	mem_object_put(object);
}

static int act(const char *how, int fd)
{
	static int (*const acts[])(void) = {
		act_reader, act_writer, act_exporter, act_importer,
	};
	static const char *const names[] = {
		READER, WRITER, EXPORTER, IMPORTER,
	};
	int err = 1;
	size_t i;

	if (open_ctx(NULL) || mem_endpoint_from_fd(ctx, fd, &ends[0]))
		return 1;
	close(fd);
	for (i = 0; i < NR(names); i++)
		if (!strcmp(how, names[i]))
			err = acts[i]();
	mem_endpoint_close(ends[0]);
	mem_ctx_close(ctx);
	return err;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_goes_over),
		cmocka_unit_test(an_object_goes_over),
		cmocka_unit_test(what_goes_over_is_a_dma_buf),
		cmocka_unit_test(a_bare_object_goes_over),
		cmocka_unit_test(permission_is_the_least_of_what_is_said),
		cmocka_unit_test(lists_of_the_importer_count),
		cmocka_unit_test(a_descriptor_is_good_once),
		cmocka_unit_test(a_descriptor_is_for_one_channel),
		cmocka_unit_test(a_full_peer_makes_the_exporter_wait),
		cmocka_unit_test(a_peer_that_has_gone_is_reported),
		cmocka_unit_test(what_is_malformed_is_refused),
		cmocka_unit_test(another_process_writes),
		cmocka_unit_test(another_process_only_reads),
		cmocka_unit_test(ten_thousand_objects_leave_nothing),
		cmocka_unit_test(a_thousand_objects_exist_at_a_time),
		cmocka_unit_test(an_exporter_may_be_killed_at_any_time),
		cmocka_unit_test(an_importer_may_be_killed_at_any_time),
	};

	if (argc == 3)
		return act(argv[1], atoi(argv[2]));
	return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
