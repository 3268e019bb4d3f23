// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests pipes: states, time-outs and numbers as an EGLStream has them, fences
 * that travel with frames, and ends that disconnect at any time.
 */
#include <pthread.h>

#include "pipe_cases.h"
#include "stream.h"

/* An upper bound of waits: only a call that hangs exceeds it. */
#define HANGS_NS	(20 * NS_PER_S)
#define ROW		64U
#define ROWS		4U
#define FRAME_LEN	4096U
#define MAX_FRAMES	(MEM_PIPE_FRAMES_MAX + 1)

static struct mem_pipe *pipe_;
static struct mem_pipe_end *consumer, *producer;
static uint8_t *memory_;

static struct mem_frame frame_of(void *base)
{
	const struct mem_frame frame = {
		.size = sizeof(frame),
		.nr_planes = 1,
		.planes = { { ROW, ROWS, 1, ROW, 0, base } },
		.user = base,
	};

	return frame;
}

static int present(void *base)
{
	const struct mem_frame frame = frame_of(base);

	return mem_pipe_present(producer, &frame, stream, 0);
}

static int acquire(uint64_t timeout_ns, struct mem_frame *frame)
{
	*frame = (struct mem_frame) { .size = sizeof(*frame) };
	return mem_pipe_acquire(consumer, stream, timeout_ns, frame);
}

static int take_back(uint64_t timeout_ns, struct mem_frame *frame)
{
	*frame = (struct mem_frame) { .size = sizeof(*frame) };
	return mem_pipe_return(producer, stream, timeout_ns, frame);
}

static int create(uint32_t length, uint32_t flags)
{
	const struct mem_pipe_params params = {
		.size = sizeof(params),
		.length = length,
		.flags = flags,
	};

	return mem_pipe_create(ctx, &params, &pipe_);
}

static void connect_to(struct mem_ctx *to, struct mem_ctx *from)
{
	assert_int_equal(mem_pipe_connect_consumer(pipe_, to, &consumer), 0);
	assert_int_equal(mem_pipe_connect_producer(pipe_, from, ROW, ROWS,
						   &producer), 0);
}

static void open_pipe(uint32_t length, uint32_t flags)
{
	assert_int_equal(create(length, flags), 0);
	connect_to(ctx, ctx);
}

static void close_pipe(void)
{
	mem_pipe_end_destroy(consumer);
	mem_pipe_end_destroy(producer);
	mem_pipe_destroy(pipe_);
	consumer = NULL;
	producer = NULL;
	pipe_ = NULL;
}

static struct mem_pipe_info info_of(void)
{
	struct mem_pipe_info info = { .size = sizeof(info) };

	if (pipe_)
		assert_int_equal(mem_pipe_info(pipe_, &info), 0);
	else
		assert_int_equal(mem_pipe_end_info(consumer, &info), 0);
	return info;
}

static uint8_t *frame_at(uint64_t number)
{
	return memory_ + number * FRAME_LEN;
}

static int open_pipes(void **state)
{
	void *ptr;

	if (open_strict(state) ||
	    mem_alloc(ctx, MEM_KIND_DEVICE, MAX_FRAMES * FRAME_LEN, 0, &ptr))
		return -1;
	memory_ = ptr;
	return 0;
}

static int close_pipes(void **state)
{
	mem_free(ctx, memory_);
	return close_all(state);
}

/* The recorded cases */

static uint64_t ids[MAX_FRAMES];
static unsigned int nr_presented;

static int step_present(const struct step *step)
{
	struct mem_frame frame = frame_of(frame_at(nr_presented));
	int err;

	if (step->kind == STEP_PRESENT_NO_PLANES)
		frame.nr_planes = 0;
	if (step->kind == STEP_PRESENT_FOUR_PLANES)
		frame.nr_planes = 4;
	if (step->kind == STEP_PRESENT_NULL)
		frame.planes[0].base = NULL;
	if (step->kind == STEP_PRESENT_SMALLER)
		frame.planes[0].width /= 2;
	if (step->kind == STEP_PRESENT_LARGER)
		frame.planes[0].height *= 2;
	err = mem_pipe_present(producer, &frame, stream, 0);
	nr_presented += !err;
	return err;
}

static int step_acquire(const struct step *step)
{
	struct mem_frame frame;
	int err = acquire(step->arg * NS_PER_MS, &frame);

	if (err)
		return err;
	assert_int_equal(frame.number, step->frame);
	assert_ptr_equal(frame.user, frame_at(step->frame - 1));
	assert_ptr_equal(frame.planes[0].base, frame.user);
	assert_int_equal(frame.is_again, ids[frame.number] == frame.id);
	ids[frame.number] = frame.id;
	return 0;
}

static int step_release(const struct step *step)
{
	const struct mem_frame frame = {
		.size = sizeof(frame),
		.id = ids[step->arg],
	};

	return mem_pipe_release(consumer, &frame, stream);
}

static int step_return(const struct step *step)
{
	struct mem_frame frame;
	int err = take_back(step->arg * NS_PER_MS, &frame);

	if (err)
		return err;
	assert_int_equal(frame.number, step->frame);
	assert_ptr_equal(frame.user, frame_at(step->frame - 1));
	return 0;
}

static int step_run(const struct step *step)
{
	struct mem_pipe_end *other = UNTOUCHED;

	switch (step->kind) {
	case STEP_CREATE:
		return create(step->arg, 0);
	case STEP_CONSUMER:
		return mem_pipe_connect_consumer(pipe_, ctx, consumer ? &other :
						 &consumer);
	case STEP_PRODUCER:
		return mem_pipe_connect_producer(pipe_, ctx, ROW, ROWS,
						 producer ? &other : &producer);
	case STEP_ACQUIRE:
		return step_acquire(step);
	case STEP_RELEASE:
		return step_release(step);
	case STEP_RETURN:
		return step_return(step);
	case STEP_CONSUMER_GOES:
		return mem_pipe_disconnect(consumer);
	case STEP_PRODUCER_GOES:
		return mem_pipe_disconnect(producer);
	case STEP_DESTROY:
		mem_pipe_destroy(pipe_);
		pipe_ = NULL;
		return 0;
	default:
		return step_present(step);
	}
}

static void run_case(const struct pipe_case *one)
{
	const struct step *step = one->steps;
	uint64_t begin, waited;
	int err;

	nr_presented = 0;
	memset(ids, 0, sizeof(ids));
	for (; step->kind; step++) {
		begin = now_ns();
		err = step_run(step);
		waited = now_ns() - begin;
		if (err != step->err ||
		    waited < step->wait_ms * NS_PER_MS || waited > HANGS_NS ||
		    info_of().state != step->state)
			fail_msg("%s, step %zu: %d after %llu ns, state %u",
				 one->name, step - one->steps, err,
				 (unsigned long long)waited, info_of().state);
	}
	close_pipe();
}

static void states_and_waits_are_those_of_a_real_stream(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR(pipe_cases); i++)
		run_case(&pipe_cases[i]);
}

static void at_most_64_frames_are_active(void **state)
{
	struct mem_frame frame;
	unsigned int i;

	(void)state;
	open_pipe(0, 0);
	for (i = 0; i < MEM_PIPE_FRAMES_MAX; i++)
		assert_int_equal(present(frame_at(i)), 0);
	assert_int_equal(present(frame_at(i)), -ENOBUFS);
	assert_int_equal(info_of().nr_active, MEM_PIPE_FRAMES_MAX);
	assert_int_equal(info_of().nr_replaced, MEM_PIPE_FRAMES_MAX - 1);
	assert_int_equal(take_back(0, &frame), 0);
	assert_int_equal(present(frame_at(i)), 0);
	assert_int_equal(present(frame_at(0)), -ENOBUFS);
	close_pipe();
}

static void numbers_and_times_are_those_of_frames(void **state)
{
	const struct mem_pipe_params params = {
		.size = sizeof(params),
		.length = 4,
		.timeout_ns = 20 * NS_PER_MS,
		.latency_ns = NS_PER_MS,
	};
	const uint64_t begin = now_ns();
	struct mem_pipe_info info;
	struct mem_frame frame;

	(void)state;
	assert_int_equal(mem_pipe_create(ctx, &params, &pipe_), 0);
	connect_to(ctx, ctx);
	info = info_of();
	assert_int_equal(info.length, 4);
	assert_int_equal(info.timeout_ns, 20 * NS_PER_MS);
	assert_int_equal(info.latency_ns, NS_PER_MS);
	assert_int_equal(info.width, ROW);
	assert_int_equal(info.height, ROWS);
	assert_int_equal(present(frame_at(0)), 0);
	assert_int_equal(present(frame_at(1)), 0);
	info = info_of();
	assert_int_equal(info.producer_frame, 2);
	assert_int_equal(info.consumer_frame, 0);
	assert_int_equal(info.nr_waiting, 2);
	assert_true(info.producer_time_ns >= begin);
	assert_int_equal(acquire(0, &frame), 0);
	info = info_of();
	assert_int_equal(info.consumer_frame, 1);
	assert_int_equal(info.consumer_time_ns, frame.time_ns);
	assert_true(info.measured_latency_ns <= info.now_ns - frame.time_ns);
	assert_int_equal(info.nr_held, 1);
	assert_int_equal(mem_pipe_set_latency(pipe_, 7), 0);
	assert_int_equal(mem_pipe_set_timeout(pipe_, 5 * NS_PER_MS), 0);
	assert_int_equal(info_of().latency_ns, 7);
	assert_int_equal(acquire(MEM_PIPE_TIMEOUT, &frame), 0);
	close_pipe();
	assert_true(now_ns() - begin < HANGS_NS);
}

/* Threads */

#define NR_FRAMES	10000U
#define NR_BUFFERS	8U

struct side {
	struct mem_stream *stream;
	uint64_t last;
	unsigned int nr;
	int err;
};

static int produce_one(struct side *side, unsigned int i)
{
	struct mem_frame frame = frame_of(frame_at(i % NR_BUFFERS));

	if (i >= NR_BUFFERS) {
		side->err = mem_pipe_return(producer, side->stream, HANGS_NS,
					    &frame);
		if (side->err)
			return side->err;
	}
	frame.user = (void *)(uintptr_t)(i + 1);
	return mem_pipe_present(producer, &frame, side->stream, HANGS_NS);
}

static void *produce(void *arg)
{
	struct side *side = arg;

	for (; side->nr < NR_FRAMES && !side->err; side->nr++)
		side->err = produce_one(side, side->nr);
	return NULL;
}

static void *consume(void *arg)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	struct side *side = arg;

	while (side->last < NR_FRAMES) {
		side->err = mem_pipe_acquire(consumer, side->stream, HANGS_NS,
					     &frame);
		if (side->err)
			break;
		if (frame.is_again || frame.number <= side->last ||
		    (uintptr_t)frame.user != frame.number)
			side->err = -EPROTO;
		side->last = frame.number;
		side->nr++;
		if (!side->err)
			side->err = mem_pipe_release(consumer, &frame,
						     side->stream);
		if (side->err)
			break;
	}
	return NULL;
}

/* Returns how many frames the consumer got. */
static unsigned int run_threads(uint32_t length)
{
	struct side sides[2] = { { .nr = 0 }, { .nr = 0 } };
	pthread_t threads[2];
	int i;

	open_pipe(length, 0);
	for (i = 0; i < 2; i++)
		assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING,
						   0, &sides[i].stream), 0);
	pthread_create(&threads[0], NULL, produce, &sides[0]);
	pthread_create(&threads[1], NULL, consume, &sides[1]);
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(sides[i].err, 0);
		assert_int_equal(mem_stream_destroy(sides[i].stream), 0);
	}
	assert_int_equal(sides[1].last, NR_FRAMES);
	close_pipe();
	return sides[1].nr;
}

static void a_fifo_between_threads_loses_nothing(void **state)
{
	(void)state;
	assert_int_equal(run_threads(4), NR_FRAMES);
}

static void a_mailbox_between_threads_has_the_newest(void **state)
{
	(void)state;
	assert_true(run_threads(0) <= NR_FRAMES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_and_waits_are_those_of_a_real_stream),
		cmocka_unit_test(at_most_64_frames_are_active),
		cmocka_unit_test(numbers_and_times_are_those_of_frames),
		cmocka_unit_test(a_fifo_between_threads_loses_nothing),
		cmocka_unit_test(a_mailbox_between_threads_has_the_newest),
	};

	return cmocka_run_group_tests(tests, open_pipes, close_pipes);
}
