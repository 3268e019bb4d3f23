// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests structs of programs that were compiled with an older or a newer header
 * than the library: each call that takes one, with each kind of size. Structs
 * in their first version have no older one, so the three functions that all
 * calls use are also tested with a struct that has grown.
 */
#include "image.h"

#define ROOM		1024U
#define GUARD		0xa5
#define NEWER		64U	/* additional bytes of a newer struct */

int struct_check(const void *from, size_t first);
int struct_in(void *to, size_t len, const void *from, size_t first);
void struct_out(void *to, const void *from, size_t len);

static struct mem_buf *buf;
static void *managed;
static struct mem_image *image, *colours;
static struct mem_array *points, *scores;
static struct mem_pipe *pipe_;
static struct mem_pipe_end *consumer, *producer;

/* All structs of the public headers that begin with a size */
#define SIZED(type) #type,

static const char *const sized[] = {
#include <sized.h>
};

#define NR_SIZED	(sizeof(sized) / sizeof(*sized))

union room {
	uint32_t size;
	uint64_t align;
	uint8_t bytes[ROOM];
};

/**
 * struct out - a struct that a call fills in
 * @name: of the struct
 * @len: its size
 * @first: size of its first version, which is never changed
 * @get: the call; returns 0, or 1 if there was an entry
 */
struct out {
	const char *name;
	uint32_t len;
	uint32_t first;
	int (*get)(void *to);
};

static int get_probe(void *to)
{
	return mem_ctx_probe(ctx, to);
}

static int get_board(void *to)
{
	const int err = mem_ctx_board(ctx, MEM_ENGINE_GPU, to);

	return err == -EOPNOTSUPP ? 0 : err;
}

static int get_buf_info(void *to)
{
	return mem_buf_info(buf, to);
}

static int get_ptr_info(void *to)
{
	return mem_ptr_info(ctx, managed, to);
}

static int get_ptr_buf_info(void *to)
{
	return mem_ptr_buf_info(ctx, managed, to);
}

static int get_attach_counters(void *to)
{
	return mem_ptr_attach_counters(ctx, managed, to);
}

/* A call with a refused size must not remove a violation. */
static int get_violation(void *to)
{
	return mem_ctx_next_violation(ctx, to);
}

static int get_format_info(void *to)
{
	return mem_format_info(MEM_FORMAT_NV12, to);
}

static int get_image_info(void *to)
{
	return mem_image_info(image, to);
}

static int get_image_data(void *to)
{
	const int err = mem_image_lock(image, MEM_READ, MEM_LOCK_HOST, to);

	return err ? err : mem_image_unlock(image);
}

static int get_array_data(void *to)
{
	const int err = mem_array_lock(points, MEM_READ, MEM_LOCK_HOST, to);

	return err ? err : mem_array_unlock(points);
}

static int get_pipe_info(void *to)
{
	return mem_pipe_info(pipe_, to);
}

static int get_pipe_end_info(void *to)
{
	return mem_pipe_end_info(consumer, to);
}

static int present(const void *frame)
{
	return mem_pipe_present(producer, frame, mem_stream_legacy(ctx), 0);
}

static struct mem_frame new_frame(void)
{
	return (struct mem_frame) {
		.size = sizeof(struct mem_frame),
		.nr_planes = 1,
		.planes = { { 8, 8, 1, 8, 0, managed } },
	};
}

static int take_back(void *to)
{
	return mem_pipe_return(producer, mem_stream_legacy(ctx), 0, to);
}

/* Presents a frame and acquires it, by a call that succeeds if @to is NULL. */
static int acquire(void *to)
{
	struct mem_frame frame = new_frame();
	int err;

	assert_int_equal(present(&frame), 0);
	err = mem_pipe_acquire(consumer, mem_stream_legacy(ctx), 0,
			       to ? to : &frame);
	if (err) {
		frame.size = sizeof(frame);
		assert_int_equal(mem_pipe_acquire(consumer,
						  mem_stream_legacy(ctx), 0,
						  &frame), 0);
	} else if (to) {
		memcpy(&frame, to, sizeof(frame));
	}
	assert_int_equal(mem_pipe_release(consumer, &frame,
					  mem_stream_legacy(ctx)), 0);
	return err;
}

static int get_acquired(void *to)
{
	struct mem_frame frame = new_frame();
	const int err = acquire(to);

	assert_int_equal(take_back(&frame), 0);
	return err;
}

static int get_returned(void *to)
{
	struct mem_frame frame = new_frame();
	int err;

	assert_int_equal(acquire(NULL), 0);
	err = take_back(to);
	if (err)
		assert_int_equal(take_back(&frame), 0);
	return err;
}

#define OUT(type, first, get) { #type, sizeof(struct type), first, get }

static const struct out outs[] = {
	OUT(mem_probe, 80, get_probe),
	OUT(mem_board, 192, get_board),
	OUT(mem_buf_info, 200, get_buf_info),
	OUT(mem_buf_info, 200, get_ptr_buf_info),
	OUT(mem_ptr_info, 96, get_ptr_info),
	OUT(mem_attach_counters, 120, get_attach_counters),
	OUT(mem_violation, 208, get_violation),
	OUT(mem_format_info, 104, get_format_info),
	OUT(mem_image_info, 88, get_image_info),
	OUT(mem_image_data, 136, get_image_data),
	OUT(mem_array_data, 48, get_array_data),
	OUT(mem_pipe_info, 112, get_pipe_info),
	OUT(mem_pipe_info, 112, get_pipe_end_info),
	OUT(mem_frame, 152, get_acquired),
	OUT(mem_frame, 152, get_returned),
};

#define NR_OUTS		(sizeof(outs) / sizeof(*outs))

/* Makes a violation: an end without a begin. */
static void make_violation(void)
{
	assert_int_equal(mem_buf_end(buf, MEM_READ), 0);
}

static void all_are(const struct out *out, const union room *room, size_t from,
		    size_t to, uint8_t value)
{
	size_t i;

	for (i = from; i < to; i++)
		if (room->bytes[i] != value)
			fail_msg("%s: byte %zu is %#x", out->name, i,
				 room->bytes[i]);
}

static union room filled(uint32_t size)
{
	union room room;

	memset(&room, GUARD, sizeof(room));
	room.size = size;
	return room;
}

static void a_size_without_meaning_is_refused(void **state)
{
	const struct out *out;
	union room room;
	uint32_t size;

	(void)state;
	for (out = outs; out < outs + NR_OUTS; out++) {
		const uint32_t sizes[] = {
			0, 4, 8, out->first - 8, out->first - 1, out->first + 1,
			out->first + 4, out->len + 4, UINT32_MAX,
			/* Not set: no such tail is zeroed. */
			4096 + 8, 0x5a5a5a58, UINT32_MAX - 7,
		};
		size_t i;

		for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			size = sizes[i];
			room = filled(size);
			if (out->get(&room) != -EINVAL)
				fail_msg("%s of %u bytes is taken", out->name,
					 size);
			assert_int_equal(room.size, size);
			all_are(out, &room, sizeof(size), ROOM, GUARD);
		}
	}
}

/* A call fills in the caller's size, not more, and returns this size. */
static void an_older_program_gets_what_it_knows(void **state)
{
	const struct out *out;
	union room room;
	uint32_t size;

	(void)state;
	for (out = outs; out < outs + NR_OUTS; out++)
		for (size = out->first; size <= out->len; size += 8) {
			make_violation();
			room = filled(size);
			assert_in_range(out->get(&room), 0, 1);
			all_are(out, &room, size, ROOM, GUARD);
			if (room.size != size)
				fail_msg("%s of %u bytes: size %u", out->name,
					 size, room.size);
		}
}

static void a_newer_program_sees_what_is_not_filled_in(void **state)
{
	const struct out *out;
	union room newer, same;

	(void)state;
	for (out = outs; out < outs + NR_OUTS; out++) {
		/* Times, and numbers of frames, are those of the call. */
		const bool changes = out->get == get_violation ||
			out->get == get_pipe_info ||
			out->get == get_pipe_end_info ||
			out->get == get_acquired || out->get == get_returned;

		make_violation();
		newer = filled(out->len + NEWER);
		assert_in_range(out->get(&newer), 0, 1);
		if (newer.size != out->len)
			fail_msg("%s: size %u", out->name, newer.size);
		all_are(out, &newer, out->len, out->len + NEWER, 0);
		all_are(out, &newer, out->len + NEWER, ROOM, GUARD);
		if (changes)
			continue;
		same = filled(out->len);
		assert_in_range(out->get(&same), 0, 1);
		assert_memory_equal(&newer, &same, out->len);
	}
}

/**
 * struct in - a struct that a call reads
 * @name: of the struct
 * @len: its size
 * @first: size of its first version, which is never changed
 * @fill: sets valid values
 * @put: the call
 */
struct in {
	const char *name;
	uint32_t len;
	uint32_t first;
	void (*fill)(union room *room);
	int (*put)(const void *from);
};

static void fill_options(union room *room)
{
	(void)room;
}

static int put_options(const void *from)
{
	struct mem_ctx *other;
	const int err = mem_ctx_open(from, &other);

	if (!err)
		mem_ctx_close(other);
	return err;
}

static void fill_launch(union room *room)
{
	const struct mem_launch launch = launch_of(k_nothing, NULL, 0);

	memcpy(room, &launch, sizeof(launch));
}

static int put_launch(const void *from)
{
	const int err = mem_launch(mem_stream_legacy(ctx), from);

	return err ? err : mem_ctx_sync(ctx);
}

static void fill_copy2d(union room *room)
{
	const struct mem_copy2d copy = {
		.dst = buf,
		.src = buf,
		.row_len = 64,
		.nr_rows = 1,
	};

	memcpy(room, &copy, sizeof(copy));
}

static int put_copy2d(const void *from)
{
	struct mem_job *job;
	int err = mem_job_copy2d(from, &job);

	if (err)
		return err;
	err = mem_job_wait(job, MEM_WAIT_FOREVER, NULL);
	mem_job_destroy(job);
	return err;
}

static void fill_convert(union room *room)
{
	(void)room;
}

static int put_convert(const void *from)
{
	const int err = mem_image_convert(mem_stream_legacy(ctx),
					  MEM_ENGINE_CPU, colours, image,
					  from);

	return err ? err : mem_ctx_sync(ctx);
}

static void fill_harris(union room *room)
{
	const struct mem_harris harris = {
		.gradient_len = 3,
		.block_len = 3,
		.strength = 1,
		.sensitivity = 0.1f,
		.min_distance = 2,
	};

	memcpy(room, &harris, sizeof(harris));
}

static int put_harris(const void *from)
{
	const int err = mem_image_harris(mem_stream_legacy(ctx),
					 MEM_ENGINE_CPU, image, points, scores,
					 from);

	return err ? err : mem_ctx_sync(ctx);
}

static void fill_image_data(union room *room)
{
	static uint8_t pixels[8 * 8];
	const struct mem_image_data data = {
		.format = MEM_FORMAT_U8,
		.width = 8,
		.height = 8,
		.nr_planes = 1,
		.planes[0] = { 8, 8, 1, 8, 0, pixels },
		.fd = -1,
	};

	memcpy(room, &data, sizeof(data));
}

static int put_image_data(const void *from)
{
	struct mem_image *other;
	const int err = mem_image_wrap(ctx, from, 0, &other);

	if (!err)
		mem_image_destroy(other);
	return err;
}

static void fill_array_data(union room *room)
{
	static uint8_t bytes[8];
	static uint64_t count;
	const struct mem_array_data data = {
		.data_type = MEM_DATA_U8,
		.stride = 1,
		.capacity = 8,
		.count = &count,
		.base = bytes,
	};

	memcpy(room, &data, sizeof(data));
}

static int put_array_data(const void *from)
{
	struct mem_array *other;
	const int err = mem_array_wrap(ctx, from, 0, &other);

	if (!err)
		mem_array_destroy(other);
	return err;
}

static void fill_pipe_params(union room *room)
{
	(void)room;
}

static int put_pipe_params(const void *from)
{
	struct mem_pipe *other;
	const int err = mem_pipe_create(ctx, from, &other);

	if (!err)
		mem_pipe_destroy(other);
	return err;
}

static void fill_frame(union room *room)
{
	const struct mem_frame frame = new_frame();

	memcpy(room, &frame, sizeof(frame));
}

static int put_frame(const void *from)
{
	struct mem_frame frame = new_frame();
	const int err = present(from);

	if (err)
		return err;
	assert_int_equal(mem_pipe_acquire(consumer, mem_stream_legacy(ctx), 0,
					  &frame), 0);
	assert_int_equal(mem_pipe_release(consumer, &frame,
					  mem_stream_legacy(ctx)), 0);
	return take_back(&frame);
}

#define IN(type, first, what) \
	{ #type, sizeof(struct type), first, fill_##what, put_##what }

static const struct in ins[] = {
	IN(mem_ctx_options, 56, options),
	IN(mem_launch, 64, launch),
	IN(mem_copy2d, 80, copy2d),
	IN(mem_convert, 24, convert),
	IN(mem_harris, 32, harris),
	IN(mem_image_data, 136, image_data),
	IN(mem_array_data, 48, array_data),
	IN(mem_pipe_params, 32, pipe_params),
	IN(mem_frame, 152, frame),
};

#define NR_INS		(sizeof(ins) / sizeof(*ins))

static void takes(const struct in *in, const union room *room, int right)
{
	const int err = in->put(room);

	if (err != right)
		fail_msg("%s of %u bytes: %d, not %d", in->name, room->size,
			 err, right);
}

static void what_is_read_is_cut_or_must_be_zero(void **state)
{
	const struct in *in;
	uint32_t size;

	(void)state;
	for (in = ins; in < ins + NR_INS; in++) {
		union room room = { .size = 0 };

		in->fill(&room);
		for (size = 0; size < in->first; size++) {
			room.size = size;
			takes(in, &room, -EINVAL);
		}
		room.size = in->len + 4;
		takes(in, &room, -EINVAL);
		room.size = 0x5a5a5a58;
		takes(in, &room, -EINVAL);
		room.size = in->len + NEWER;
		takes(in, &room, 0);
		room.bytes[in->len + NEWER - 1] = 1;
		takes(in, &room, -E2BIG);
		room.bytes[in->len + NEWER - 1] = 0;
		room.bytes[in->len] = 1;
		takes(in, &room, -E2BIG);
		/* Bytes after an older program's struct must be ignored. */
		for (size = in->first; size <= in->len; size += 8) {
			memset(&room, 0, sizeof(room));
			in->fill(&room);
			memset(room.bytes + size, 0xff, ROOM - size);
			room.size = size;
			takes(in, &room, 0);
		}
	}
}

/**
 * struct grown - a struct whose first version ended with @old
 * @size: size of the struct
 * @old: field of the first version
 * @new: field that was added later
 */
struct grown {
	uint32_t size;
	uint32_t old;
	uint64_t new;
};

#define GROWN_FIRST	offsetof(struct grown, new)

static void a_struct_that_has_grown_takes_both(void **state)
{
	const struct grown all = { .size = 99, .old = 1, .new = 2 };
	struct grown to = { .size = GROWN_FIRST, .new = 77 };
	struct grown from = { .size = GROWN_FIRST, .old = 3, .new = 4 };

	(void)state;
	assert_int_equal(struct_check(&to, GROWN_FIRST), 0);
	struct_out(&to, &all, sizeof(all));
	assert_int_equal(to.size, GROWN_FIRST);
	assert_int_equal(to.old, 1);
	assert_int_equal(to.new, 77);
	to.size = sizeof(to);
	struct_out(&to, &all, sizeof(all));
	assert_int_equal(to.size, sizeof(to));
	assert_int_equal(to.new, 2);

	assert_int_equal(struct_in(&to, sizeof(to), &from, GROWN_FIRST), 0);
	assert_int_equal(to.size, sizeof(to));
	assert_int_equal(to.old, 3);
	assert_int_equal(to.new, 0);
	from.size = sizeof(from);
	assert_int_equal(struct_in(&to, sizeof(to), &from, GROWN_FIRST), 0);
	assert_int_equal(to.new, 4);
	from.size = GROWN_FIRST - 8;
	assert_int_equal(struct_in(&to, sizeof(to), &from, GROWN_FIRST),
			 -EINVAL);
}

static bool is_tested(const char *name)
{
	size_t i;

	for (i = 0; i < NR_OUTS; i++)
		if (!strcmp(outs[i].name, name))
			return true;
	for (i = 0; i < NR_INS; i++)
		if (!strcmp(ins[i].name, name))
			return true;
	return false;
}

static void each_struct_with_a_size_is_tested(void **state)
{
	size_t i;

	(void)state;
	/* The list is made of the headers: it must not become empty. */
	assert_true(NR_SIZED >= 18);
	for (i = 0; i < NR_SIZED; i++)
		if (!is_tested(sized[i]))
			fail_msg("struct %s has no test", sized[i]);
}

static int open_all(void **state)
{
	const struct mem_pipe_params params = {
		.size = sizeof(params),
		.length = 1,
		.flags = MEM_PIPE_NO_REUSE,
	};

	if (open_ctx(state) || mem_ctx_watch(ctx, MEM_WATCH_ERRORS, 64) ||
	    mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, LEN, "sizes", &buf))
		return -1;
	image = new_image(20, 20, MEM_FORMAT_U8, 0);
	colours = new_image(20, 20, MEM_FORMAT_RGB8, 0);
	points = new_array(9, MEM_DATA_KEYPOINT, 0);
	scores = new_array(9, MEM_DATA_U32, 0);
	if (mem_pipe_create(ctx, &params, &pipe_) ||
	    mem_pipe_connect_consumer(pipe_, ctx, &consumer) ||
	    mem_pipe_connect_producer(pipe_, ctx, 8, 8, &producer))
		return -1;
	return mem_alloc(ctx, MEM_KIND_MANAGED, LEN, MEM_ATTACH_GLOBAL,
			 &managed);
}

static int close_all(void **state)
{
	mem_pipe_end_destroy(producer);
	mem_pipe_end_destroy(consumer);
	mem_pipe_destroy(pipe_);
	mem_image_destroy(image);
	mem_image_destroy(colours);
	mem_array_destroy(points);
	mem_array_destroy(scores);
	mem_buf_destroy(buf);
	assert_int_equal(mem_free(ctx, managed), 0);
	return close_ctx(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_size_without_meaning_is_refused),
		cmocka_unit_test(an_older_program_gets_what_it_knows),
		cmocka_unit_test(a_newer_program_sees_what_is_not_filled_in),
		cmocka_unit_test(what_is_read_is_cut_or_must_be_zero),
		cmocka_unit_test(a_struct_that_has_grown_takes_both),
		cmocka_unit_test(each_struct_with_a_size_is_tested),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
