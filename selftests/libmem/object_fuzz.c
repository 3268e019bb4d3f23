// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes descriptors and frames. Inputs are valid ones with random changes,
 * which are the same in each run; sanitizers find errors. An imported object
 * must be the exported one, with no more access.
 *
 * usage: object_fuzz [EXECUTIONS [SEED]]
 *
 * With -DLIBFUZZER this is a target of libFuzzer: make -C selftests/libmem
 * fuzz.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../libmem/object/object.h"
#include "../pass.h"
#include "mutate.h"

#define LEN	8192U
/* Fewer exports than an end keeps descriptors for */
#define RENEW_AFTER	50
#define BYTE	0x5a	/* value of all bytes of the object */

/* Values of an input's first byte, also with repaired checksums */
enum {
	TRY_LIST,
	TRY_OBJECT,
	TRY_BARE,
	TRY_FRAME,
	NR_TRIES,
	REPAIR = 4,
};

static struct mem_ctx *ctx;
static struct mem_endpoint *ends[2];
static struct mem_object *object;

/* The end whose peer is a bare socket */
static struct mem_endpoint *bare;
static int bare_sock = -1;

/* Numbers of accepted inputs; a run that accepts none has failed. */
static uint64_t nr_lists, nr_objects, nr_bare, nr_messages;

static void must(bool is_right, const char *what)
{
	if (is_right)
		return;
	fprintf(stderr, "object_fuzz: %s\n", what);
	abort();
}

static void open_pair(int *socks)
{
	must(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks),
	     "no sockets");
}

static struct mem_attrs *new_list(void)
{
	const uint32_t type = MEM_ATTR_TYPE_RAW;
	const uint64_t len = LEN;
	const uint8_t yes = 1;
	const struct mem_attr attrs[] = {
		{ MEM_ATTR_TYPES, 0, &type, sizeof(type) },
		{ MEM_ATTR_RAW_SIZE, 0, &len, sizeof(len) },
		{ MEM_ATTR_NEED_CPU_ACCESS, 0, &yes, sizeof(yes) },
	};
	struct mem_attrs *list;

	must(!mem_attrs_create(ctx, &list) &&
	     !mem_attrs_set(list, attrs, NR(attrs)), "no list");
	return list;
}

static void open_ends(void)
{
	int socks[2], i;

	open_pair(socks);
	for (i = 0; i < 2; i++) {
		must(!mem_endpoint_from_fd(ctx, socks[i], &ends[i]), "no end");
		close(socks[i]);
	}
}

static void open_once(void)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
	};
	struct mem_attrs *list, *result;
	void *ptr;

	if (ctx)
		return;
	must(!mem_ctx_open(&options, &ctx), "no context");
	open_ends();
	list = new_list();
	must(!mem_attrs_reconcile(&list, 1, &result, NULL) &&
	     !mem_object_alloc(result, NULL, &object), "no object");
	mem_attrs_destroy(list);
	mem_attrs_destroy(result);
	must(!mem_object_cpu_ptr(object, MEM_RW, &ptr), "no pointer");
	memset(ptr, BYTE, LEN);
}

/* An imported object must be the exported one, whatever the input says. */
static void use_object(struct mem_object *other, unsigned int most)
{
	struct mem_attr perm = { .key = MEM_ATTR_ACTUAL_PERM };
	const uint8_t *bytes;
	void *ptr;

	must(!mem_attrs_get(mem_object_attrs(other), 0, &perm, 1) &&
	     !(*(const uint32_t *)perm.value & ~most), "more than was given");
	must(mem_buf_len(mem_object_buf(other)) == LEN, "another length");
	if (mem_object_cpu_ptr(other, MEM_READ, &ptr) == -EACCES)
		return;
	bytes = ptr;
	must(bytes[0] == BYTE && bytes[LEN - 1] == BYTE, "other bytes");
}

static void try_list(const uint8_t *bytes, size_t len)
{
	struct mem_attrs *list;
	const int err = mem_attrs_import(ends[1], bytes, len, NULL, 0, &list);

	must(!err || err == -EBADMSG, "another error of a list");
	if (err)
		return;
	nr_lists++;
	must(mem_attrs_slots(list) >= 1, "no slots");
	mem_attrs_destroy(list);
}

static void try_object(const uint8_t *bytes, size_t len)
{
	struct mem_object *other;
	const int err = mem_object_import(ends[1], bytes, len, NULL, 0, 0, 0,
					  &other);

	must(!err || err == -EBADMSG || err == -ETIMEDOUT,
	     "another error of an object");
	if (err)
		return;
	nr_objects++;
	use_object(other, MEM_READ);
	mem_object_put(other);
}

static void try_bare(const uint8_t *bytes, size_t len)
{
	struct mem_object *other;
	int err;

	if (len < MEM_OBJECT_DESC_LEN)
		return;
	err = mem_object_import_bare(ends[1], bytes, mem_object_attrs(object),
				     0, 0, &other);
	must(!err || err == -EBADMSG || err == -ETIMEDOUT,
	     "another error of a bare object");
	if (err)
		return;
	nr_bare++;
	use_object(other, MEM_RW);
	mem_object_put(other);
}

static void bare_send(const void *bytes, size_t len, int fd, size_t nr_fds)
{
	const int fds[] = { fd, fd, fd, fd };

	/* An end that has closed the connection accepts nothing. */
	if (pass_fds(bare_sock, bytes, len, fds, nr_fds,
		     MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		must(errno == EPIPE || errno == ECONNRESET ||
		     errno == EAGAIN, "sendmsg");
}

static void bare_close(void)
{
	mem_endpoint_close(bare);
	bare = NULL;
	if (bare_sock >= 0)
		close(bare_sock);
	bare_sock = -1;
}

static void bare_open(void)
{
	struct frame hello = { .magic = FRAME_MAGIC, .type = FRAME_HELLO };
	int socks[2], page;

	open_pair(socks);
	must(!mem_endpoint_from_fd(ctx, socks[0], &bare), "no end");
	close(socks[0]);
	bare_sock = socks[1];
	page = memfd_create("ledger", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	must(page >= 0 && !ftruncate(page, sysconf(_SC_PAGESIZE)) &&
	     !fcntl(page, F_ADD_SEALS, F_SEAL_SHRINK), "no ledger");
	bare_send(&hello, sizeof(hello), page, 1);
	close(page);
}

/* Each datagram is a number of descriptors, a length, and its bytes. */
static void try_frames(const uint8_t *bytes, size_t len)
{
	static uint8_t message[MEM_ENDPOINT_MAX];
	int ret = 0;

	if (!bare)
		bare_open();
	while (len >= 2) {
		const size_t frame_len = bytes[1] < len - 2 ? bytes[1] :
							      len - 2;

		bare_send(bytes + 2, frame_len, STDERR_FILENO, bytes[0] % 5);
		bytes += 2 + frame_len;
		len -= 2 + frame_len;
	}
	while (ret >= 0) {
		ret = mem_endpoint_recv(bare, message, sizeof(message), 0);
		nr_messages += ret > 0;
	}
	must(ret == -ETIMEDOUT || ret == -EPIPE, "another error of a frame");
	/* The next input must not depend on this one. */
	bare_close();
}

static uint64_t sum_of(const uint8_t *bytes, size_t len)
{
	uint64_t sum = 0, word;

	for (; len; bytes += 8, len -= 8) {
		word = 0;
		memcpy(&word, bytes, len < 8 ? len : 8);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL;
		sum ^= sum >> 32;
		if (len < 8)
			break;
	}
	return sum;
}

static void repair(uint8_t *bytes, size_t len)
{
	struct desc desc;

	if (len < sizeof(desc))
		return;
	if (len > sizeof(desc))
		repair_list(bytes + sizeof(desc), len - sizeof(desc));
	memcpy(&desc, bytes, sizeof(desc));
	desc.len = len;
	desc.sum = 0;
	memcpy(bytes, &desc, sizeof(desc));
	desc.sum = sum_of(bytes, len);
	memcpy(bytes, &desc, sizeof(desc));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* The first byte chooses the test. An overrun of the exact copy is found. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static void (*const tries[])(const uint8_t *bytes, size_t len) = {
		[TRY_LIST] = try_list,
		[TRY_OBJECT] = try_object,
		[TRY_BARE] = try_bare,
		[TRY_FRAME] = try_frames,
	};
	uint8_t *copy;

	if (!len)
		return 0;
	open_once();
	copy = malloc(len);
	must(copy, "no memory");
	memcpy(copy, bytes + 1, len - 1);
	if (bytes[0] & REPAIR && bytes[0] % NR_TRIES != TRY_FRAME)
		repair(copy, len - 1);
	tries[bytes[0] % NR_TRIES](copy, len - 1);
	free(copy);
	return 0;
}

#ifndef LIBFUZZER

/* A descriptor of an object can be imported once, and is then renewed. */
enum {
	INPUT_LIST,
	INPUT_RESULT,
	INPUT_OBJECT,
	INPUT_BARE,
	INPUT_FRAMES,
	NR_INPUTS,
};

static struct input inputs[NR_INPUTS];

static void input_set(struct input *input, int what, const void *bytes,
		      size_t len)
{
	must(len < INPUT_MAX, "too long an input");
	input->bytes[0] = (uint8_t)(what | REPAIR);
	memcpy(input->bytes + 1, bytes, len);
	input->len = len + 1;
}

static void make_object(void)
{
	void *bytes;
	size_t len;

	must(!mem_object_export(object, MEM_READ, ends[0], 0, &bytes, &len),
	     "export");
	input_set(&inputs[INPUT_OBJECT], TRY_OBJECT, bytes, len);
	free(bytes);
}

static void make_bare(void)
{
	uint8_t desc[MEM_OBJECT_DESC_LEN];

	must(!mem_object_export_bare(object, MEM_RW, ends[0], 0, desc),
	     "bare export");
	input_set(&inputs[INPUT_BARE], TRY_BARE, desc, sizeof(desc));
}

/* Makes frames: a message, one in two parts, memory, control frames. */
static void make_frames(void)
{
	static const struct {
		struct frame frame;
		uint8_t nr_fds;
		uint8_t len;
	} frames[] = {
		{ { .type = FRAME_MESSAGE, .len = 5 }, 0, 5 },
		{ { .type = FRAME_MESSAGE, .len = 9, .seq = 1 }, 0, 4 },
		{ { .type = FRAME_MESSAGE, .len = 9, .off = 4, .seq = 1 }, 0,
		  5 },
		{ { .type = FRAME_MEMORY }, 1, 0 },
		{ { .type = FRAME_ASK }, 0, 0 },
		{ { .type = FRAME_TAKEN }, 0, 0 },
		{ { .type = FRAME_MESSAGE, .len = 1, .seq = 2 }, 0, 1 },
	};
	uint8_t bytes[512] = { 0 };
	size_t i, at = 0;

	for (i = 0; i < NR(frames); i++) {
		struct frame frame = frames[i].frame;

		frame.magic = FRAME_MAGIC;
		bytes[at++] = frames[i].nr_fds;
		bytes[at++] = sizeof(frame) + frames[i].len;
		memcpy(bytes + at, &frame, sizeof(frame));
		at += sizeof(frame) + frames[i].len;
	}
	input_set(&inputs[INPUT_FRAMES], TRY_FRAME, bytes, at);
}

static void make_lists(void)
{
	struct mem_attrs *list = new_list(), *result;
	void *bytes;
	size_t len;

	must(!mem_attrs_export(&list, 1, ends[0], &bytes, &len), "export");
	input_set(&inputs[INPUT_LIST], TRY_LIST, bytes, len);
	free(bytes);
	must(!mem_attrs_reconcile(&list, 1, &result, NULL) &&
	     !mem_attrs_export(&result, 1, ends[0], &bytes, &len), "export");
	input_set(&inputs[INPUT_RESULT], TRY_LIST, bytes, len);
	free(bytes);
	mem_attrs_destroy(list);
	mem_attrs_destroy(result);
}

/* Renews descriptors that a failed import has used up. */
static void renew(void)
{
	mem_endpoint_close(ends[0]);
	mem_endpoint_close(ends[1]);
	open_ends();
	make_lists();
	make_object();
	make_bare();
}

static size_t nr_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	must(dir, "no /proc");
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

int main(int argc, char **argv)
{
	static struct input input;
	const uint64_t nr = argc > 1 ? strtoull(argv[1], NULL, 0) : 20000;
	const uint64_t from = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	const double start = seconds();
	uint64_t i, nr_objects_then = 0, nr_bare_then = 0;
	size_t nr_fds_then;
	bool is_good;

	open_once();
	renew();
	nr_fds_then = nr_fds();
	make_frames();
	corpus = inputs;
	nr_inputs = NR_INPUTS;
	seed_set(from);
	for (i = 0; i < nr; i++) {
		if (i % RENEW_AFTER == 0)
			renew();
		/* Frames take twenty times as long as other inputs. */
		do {
			mutate(&input);
		} while (input.bytes[0] % NR_TRIES == TRY_FRAME && below(8));
		if (!below(16))
			input.bytes[0] &= ~REPAIR;
		LLVMFuzzerTestOneInput(input.bytes, input.len);
		if (nr_objects != nr_objects_then)
			make_object();
		if (nr_bare != nr_bare_then)
			make_bare();
		nr_objects_then = nr_objects;
		nr_bare_then = nr_bare;
	}
	printf("# seed %llu: %llu executions in %.1f s, of which %llu were ",
	       (unsigned long long)from, (unsigned long long)nr,
	       seconds() - start, (unsigned long long)nr_lists);
	printf("lists, %llu objects, %llu bare, %llu messages\n",
	       (unsigned long long)nr_objects, (unsigned long long)nr_bare,
	       (unsigned long long)nr_messages);
	renew();
	is_good = nr_lists && nr_objects && nr_bare && nr_messages &&
		  nr_fds() == nr_fds_then;
	printf("%sok 1 - strangers_descriptors_do_no_harm\n1..1\n",
	       is_good ? "" : "not ");
	mem_object_put(object);
	mem_endpoint_close(ends[0]);
	mem_endpoint_close(ends[1]);
	mem_ctx_close(ctx);
	return !is_good;
}

#endif
