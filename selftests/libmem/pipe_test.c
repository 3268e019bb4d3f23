// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests pipes: states, time-outs and numbers as an EGLStream has them, fences
 * that travel with frames, and ends that disconnect at any time.
 */
#include <pthread.h>
#include <sys/eventfd.h>

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

/*
 * Returns how many frames the consumer got. A fence is recorded for each frame
 * unless the streams are MEM_STREAM_NON_BLOCKING: these have no work.
 */
static unsigned int run_threads(uint32_t length, unsigned int flags)
{
	struct side sides[2] = { { .nr = 0 }, { .nr = 0 } };
	pthread_t threads[2];
	int i;

	open_pipe(length, 0);
	for (i = 0; i < 2; i++)
		assert_int_equal(mem_stream_create(ctx, flags, 0,
						   &sides[i].stream), 0);
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
	assert_int_equal(run_threads(4, 0), NR_FRAMES);
}

static void a_mailbox_between_threads_has_the_newest(void **state)
{
	(void)state;
	assert_true(run_threads(0, MEM_STREAM_NON_BLOCKING) <= NR_FRAMES);
}

/* The same by hand: two queues with a lock, as a program without pipes has */

#define HAND_LEN	4U

struct hand_queue {
	unsigned int first;
	unsigned int nr;
	unsigned int frames[NR_BUFFERS];
};

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct hand_queue there;
	struct hand_queue back;
	struct mem_event *events[2][NR_BUFFERS];
	bool has_events;
} hand = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

static void hand_put(struct hand_queue *queue, unsigned int max,
		     unsigned int frame)
{
	pthread_mutex_lock(&hand.lock);
	while (queue->nr == max)
		pthread_cond_wait(&hand.changed, &hand.lock);
	queue->frames[(queue->first + queue->nr++) % NR_BUFFERS] = frame;
	pthread_cond_broadcast(&hand.changed);
	pthread_mutex_unlock(&hand.lock);
}

static unsigned int hand_take(struct hand_queue *queue)
{
	unsigned int frame;

	pthread_mutex_lock(&hand.lock);
	while (!queue->nr)
		pthread_cond_wait(&hand.changed, &hand.lock);
	frame = queue->frames[queue->first];
	queue->first = (queue->first + 1) % NR_BUFFERS;
	queue->nr--;
	pthread_cond_broadcast(&hand.changed);
	pthread_mutex_unlock(&hand.lock);
	return frame;
}

/* A frame is put after an event of this side, and used after the other's. */
static void hand_pass(struct side *side, unsigned int frame, bool is_producer)
{
	if (!hand.has_events)
		return;
	if (!is_producer || side->nr >= NR_BUFFERS)
		side->err |= mem_stream_wait_event(side->stream,
					hand.events[!is_producer][frame]);
	side->err |= mem_event_record(hand.events[is_producer][frame],
				      side->stream);
}

static void *hand_produce(void *arg)
{
	struct side *side = arg;
	unsigned int frame;

	for (; side->nr < NR_FRAMES; side->nr++) {
		frame = side->nr < NR_BUFFERS ? side->nr :
						hand_take(&hand.back);
		hand_pass(side, frame, true);
		hand_put(&hand.there, HAND_LEN, frame);
	}
	return NULL;
}

static void *hand_consume(void *arg)
{
	struct side *side = arg;
	unsigned int frame;

	for (; side->nr < NR_FRAMES; side->nr++) {
		frame = hand_take(&hand.there);
		hand_pass(side, frame, false);
		hand_put(&hand.back, NR_BUFFERS, frame);
	}
	return NULL;
}

static struct mem_event *new_event(void)
{
	struct mem_event *event;

	assert_int_equal(mem_event_create(ctx, MEM_EVENT_NO_TIMING, &event),
			 0);
	return event;
}

static void run_hand(bool has_events)
{
	struct side sides[2] = { { .nr = 0 }, { .nr = 0 } };
	pthread_t threads[2];
	unsigned int i, j;

	hand.has_events = has_events;
	hand.there.nr = 0;
	hand.back.nr = 0;
	for (i = 0; i < 2; i++) {
		assert_int_equal(mem_stream_create(ctx, 0, 0,
						   &sides[i].stream), 0);
		for (j = 0; j < NR_BUFFERS; j++)
			hand.events[i][j] = new_event();
	}
	pthread_create(&threads[0], NULL, hand_produce, &sides[0]);
	pthread_create(&threads[1], NULL, hand_consume, &sides[1]);
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(sides[i].err, 0);
	}
	for (i = 0; i < 2; i++) {
		assert_int_equal(mem_stream_destroy(sides[i].stream), 0);
		for (j = 0; j < NR_BUFFERS; j++)
			mem_event_destroy(hand.events[i][j]);
	}
}

static uint64_t rate_since(uint64_t begin)
{
	return NR_FRAMES * NS_PER_S / (now_ns() - begin);
}

/* Told, not judged: other programs may run on the machine. */
static void a_fifo_is_compared_with_queues_by_hand(void **state)
{
	uint64_t begin, pipe, hand_alone, fences, events;

	(void)state;
	begin = now_ns();
	run_threads(HAND_LEN, MEM_STREAM_NON_BLOCKING);
	pipe = rate_since(begin);
	begin = now_ns();
	run_hand(false);
	hand_alone = rate_since(begin);
	begin = now_ns();
	run_threads(HAND_LEN, 0);
	fences = rate_since(begin);
	begin = now_ns();
	run_hand(true);
	events = rate_since(begin);
	print_message("# frames/s: pipe %llu, by hand %llu;",
		      (unsigned long long)pipe, (unsigned long long)hand_alone);
	print_message(" with fences: pipe %llu, by hand %llu\n",
		      (unsigned long long)fences, (unsigned long long)events);
}

/* Fences */

#define SIDE		32U
#define OVERWRITTEN	250

static struct mem_ctx *other;

static void open_other(void)
{
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
}

static struct mem_image *image_in(struct mem_ctx *in)
{
	struct mem_image *image;

	assert_int_equal(mem_image_create(in, SIDE, SIDE, MEM_FORMAT_U8, 0,
					  &image), 0);
	return image;
}

static void fill(struct mem_stream *where, struct mem_image *image,
		 double value)
{
	assert_int_equal(mem_image_fill(where, MEM_ENGINE_GPU, image, &value,
					1), 0);
}

static void is_filled(struct mem_image *image, uint8_t value)
{
	struct mem_image_data data = { .size = sizeof(data) };
	const uint8_t *row;
	uint32_t x, y;

	assert_int_equal(mem_image_lock(image, MEM_READ, MEM_LOCK_HOST, &data),
			 0);
	for (y = 0; y < SIDE; y++) {
		row = (uint8_t *)data.planes[0].base +
		      (size_t)y * data.planes[0].pitch;
		for (x = 0; x < SIDE; x++)
			assert_int_equal(row[x], value);
	}
	assert_int_equal(mem_image_unlock(image), 0);
}

static int present_image(struct mem_image *image, struct mem_stream *from)
{
	const struct mem_frame frame = {
		.size = sizeof(frame),
		.image = image,
	};

	return mem_pipe_present(producer, &frame, from, 0);
}

/*
 * A frame goes round, and is written anew at once, while a kernel holds up the
 * stream @held. Each call returns all the same. The consumer sees what was
 * written before the present, and not what is written after the return.
 */
static void one_round(struct mem_stream *streams[2], struct mem_stream *held,
		      struct mem_image *image, struct mem_image *seen,
		      uint8_t value)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	const struct gate gate = hold_up(held);

	fill(streams[0], image, value);
	assert_int_equal(present_image(image, streams[0]), 0);
	assert_int_equal(mem_pipe_acquire(consumer, streams[1], 0, &frame), 0);
	assert_int_equal(frame.nr_planes, 1);
	assert_int_equal(frame.planes[0].width, SIDE);
	assert_int_equal(mem_image_copy(streams[1], MEM_ENGINE_GPU, seen,
					frame.image), 0);
	assert_int_equal(mem_pipe_release(consumer, &frame, streams[1]), 0);
	assert_int_equal(mem_pipe_return(producer, streams[0], 0, &frame), 0);
	assert_ptr_equal(frame.image, image);
	fill(streams[0], image, OVERWRITTEN);
	assert_int_equal(mem_stream_query(streams[0]), -EBUSY);
	assert_int_equal(mem_stream_query(streams[1]), -EBUSY);
	let_go(gate);
	is_filled(seen, value);
	is_filled(image, OVERWRITTEN);
	release(gate.word);
}

static void fences_travel(struct mem_ctx *from, struct mem_ctx *to)
{
	struct mem_image *image = image_in(from), *seen = image_in(to);
	struct mem_stream *streams[2];
	unsigned int i;

	assert_int_equal(mem_stream_create(from, MEM_STREAM_NON_BLOCKING, 0,
					   &streams[0]), 0);
	assert_int_equal(mem_stream_create(to, MEM_STREAM_NON_BLOCKING, 0,
					   &streams[1]), 0);
	assert_int_equal(create(i = 1, MEM_PIPE_NO_REUSE), 0);
	connect_to(to, from);
	for (; i < 20; i++)
		one_round(streams, streams[from != ctx], image, seen,
			  (uint8_t)i);
	close_pipe();
	for (i = 0; i < 2; i++)
		assert_int_equal(mem_stream_destroy(streams[i]), 0);
	mem_image_destroy(image);
	mem_image_destroy(seen);
}

static void the_consumer_never_sees_older_or_newer_bytes(void **state)
{
	(void)state;
	fences_travel(ctx, ctx);
	nothing_found();
}

static void nor_does_that_of_another_context(void **state)
{
	const size_t nr_fds = nr_of_process("fd");

	(void)state;
	open_other();
	fences_travel(ctx, other);
	fences_travel(other, ctx);
	mem_ctx_close(other);
	nothing_found();
	wait_for_fds(nr_fds + 2);
}

/* Three buffers, one of which is the plane of another frame, too */
static void planes_are_in_the_memory_of_the_other_context(void **state)
{
	struct mem_frame frame = { .size = sizeof(frame) }, got = frame;
	struct mem_stream *to;
	struct mem_buf *bufs[3];
	void *base[3], *from;
	uint8_t *seen;
	unsigned int i, nr;

	(void)state;
	open_other();
	assert_int_equal(mem_stream_create(other, 0, 0, &to), 0);
	assert_int_equal(create(4, 0), 0);
	connect_to(other, ctx);
	for (i = 0; i < 3; i++) {
		bufs[i] = new_buf(MEM_KIND_UNCACHED);
		assert_int_equal(mem_buf_device_ptr(bufs[i], &base[i]), 0);
		frame.planes[i] = frame_of((uint8_t *)base[i] + 64).planes[0];
	}
	assert_int_equal(mem_alloc(other, MEM_KIND_PINNED, LEN, 0,
				   (void **)&seen), 0);
	for (nr = 1; nr <= 3; nr++) {
		frame.nr_planes = nr;
		assert_int_equal(mem_fill_async(stream, base[nr - 1], (int)nr,
						LEN), 0);
		assert_int_equal(mem_pipe_present(producer, &frame, stream, 0),
				 0);
		assert_int_equal(mem_pipe_acquire(consumer, to, 0, &got), 0);
		assert_int_equal(got.nr_planes, nr);
		from = got.planes[nr - 1].base;
		assert_int_equal(mem_copy_async(to, seen, from, ROW * ROWS,
						MEM_DIR_DEFAULT), 0);
		assert_int_equal(mem_stream_sync(to), 0);
		for (i = 0; i < ROW * ROWS; i++)
			assert_int_equal(byte_at(&seen[i]), nr);
		assert_int_equal(mem_pipe_release(consumer, &got, to), 0);
	}
	assert_int_equal(mem_free(other, seen), 0);
	close_pipe();
	for (i = 0; i < 3; i++)
		mem_buf_destroy(bufs[i]);
	assert_int_equal(mem_stream_destroy(to), 0);
	mem_ctx_close(other);
	nothing_found();
}

/* The producer and the pipe go before the consumer's work begins. */
static void work_on_a_frame_outlasts_the_pipe(void **state)
{
	struct mem_frame frame, got = { .size = sizeof(got) };
	struct mem_stream *from;
	struct mem_buf *buf;
	struct gate gate;
	uint32_t *seen = memory(MEM_KIND_PINNED);
	void *base;

	(void)state;
	open_other();
	assert_int_equal(mem_stream_create(other, 0, 0, &from), 0);
	assert_int_equal(create(1, MEM_PIPE_NO_REUSE), 0);
	connect_to(ctx, other);
	assert_int_equal(mem_buf_alloc(other, MEM_KIND_UNCACHED, LEN, NULL,
				       &buf), 0);
	assert_int_equal(mem_buf_device_ptr(buf, &base), 0);
	assert_int_equal(mem_fill_async(from, base, 7, LEN), 0);
	frame = frame_of(base);
	assert_int_equal(mem_pipe_present(producer, &frame, from, 0), 0);
	assert_int_equal(acquire(0, &got), 0);
	gate = hold_up(stream);
	start_add(stream, seen, got.planes[0].base, 1);
	assert_int_equal(mem_pipe_release(consumer, &got, stream), 0);
	assert_int_equal(mem_pipe_return(producer, from, 0, &frame), 0);
	close_pipe();
	let_go(gate);
	sync_stream();
	assert_int_equal(seen[0], 0x07070708);
	assert_int_equal(seen[N - 1], 0x07070708);
	release(gate.word);
	release(seen);
	mem_buf_destroy(buf);
	assert_int_equal(mem_stream_destroy(from), 0);
	mem_ctx_close(other);
	nothing_found();
}

/* Its fence is signalled when its work is dropped. */
static void a_cancelled_producer_stops_no_consumer(void **state)
{
	struct mem_semaphore *never;
	struct mem_image *image;
	struct mem_stream *from, *to;
	struct mem_frame frame = { .size = sizeof(frame) };
	int fd = eventfd(0, EFD_CLOEXEC);

	(void)state;
	open_other();
	image = image_in(other);
	assert_int_equal(mem_stream_create(other, 0, 0, &from), 0);
	assert_int_equal(mem_stream_create(ctx, 0, 0, &to), 0);
	assert_int_equal(create(1, 0), 0);
	connect_to(ctx, other);
	assert_int_equal(mem_semaphore_import(other, fd, &never), 0);
	assert_int_equal(mem_stream_wait_semaphore(from, never), 0);
	assert_int_equal(present_image(image, from), 0);
	assert_int_equal(mem_pipe_acquire(consumer, to, 0, &frame), 0);
	assert_int_equal(mem_stream_query(to), -EBUSY);
	assert_int_equal(mem_ctx_cancel(other), -EDEADLK);
	assert_int_equal(mem_stream_sync(to), 0);
	close_pipe();
	mem_semaphore_destroy(never);
	close(fd);
	mem_image_destroy(image);
	assert_int_equal(mem_stream_destroy(from), 0);
	assert_int_equal(mem_stream_destroy(to), 0);
	mem_ctx_close(other);
}

static void a_synchronous_fifo_has_frames_that_are_done(void **state)
{
	struct mem_frame frame;
	struct mem_stream *to;
	struct gate gate;

	(void)state;
	open_pipe(2, MEM_PIPE_SYNCHRONOUS);
	assert_int_equal(mem_stream_create(ctx, MEM_STREAM_NON_BLOCKING, 0,
					   &to), 0);
	gate = hold_up(stream);
	assert_int_equal(present(frame_at(0)), 0);
	assert_int_equal(info_of().state, MEM_PIPE_EMPTY);
	frame = (struct mem_frame) { .size = sizeof(frame) };
	assert_int_equal(mem_pipe_acquire(consumer, to, NS_PER_MS, &frame),
			 -ETIMEDOUT);
	let_go(gate);
	assert_int_equal(mem_pipe_acquire(consumer, to, HANGS_NS, &frame), 0);
	assert_int_equal(frame.number, 1);
	close_pipe();
	assert_int_equal(mem_stream_destroy(to), 0);
	release(gate.word);
}

/* Other ways of a frame */

static void a_frame_goes_from_a_to_b_to_c_and_back(void **state)
{
	struct mem_pipe_end *ends[4];
	struct mem_pipe *pipes[2];
	struct mem_frame a = { .size = sizeof(a) }, b, c;
	struct mem_image *image = image_in(ctx), *seen;
	struct mem_image_info info = { .size = sizeof(info) };
	struct mem_stream *to;
	unsigned int i;

	(void)state;
	open_other();
	seen = image_in(other);
	assert_int_equal(mem_stream_create(other, 0, 0, &to), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(create(1, MEM_PIPE_NO_REUSE), 0);
		connect_to(i ? ctx : other, i ? other : ctx);
		pipes[i] = pipe_;
		ends[2 * i] = producer;
		ends[2 * i + 1] = consumer;
	}
	a.image = image;
	a.user = &a;
	for (i = 0; i < 10; i++) {
		b = (struct mem_frame) { .size = sizeof(b) };
		c = b;
		fill(stream, image, i);
		assert_int_equal(mem_pipe_present(ends[0], &a, stream, 0), 0);
		assert_int_equal(mem_pipe_acquire(ends[1], to, 0, &b), 0);
		assert_int_equal(mem_pipe_present(ends[2], &b, to, 0), 0);
		assert_int_equal(mem_pipe_acquire(ends[3], stream, 0, &c), 0);
		assert_ptr_equal(c.user, &a);
		assert_int_equal(mem_pipe_return(ends[0], stream, 0, &a),
				 -ETIMEDOUT);
		assert_int_equal(mem_pipe_release(ends[3], &c, stream), 0);
		assert_int_equal(mem_pipe_return(ends[2], to, 0, &c), 0);
		assert_ptr_equal(c.image, b.image);
		assert_int_equal(mem_image_copy(to, MEM_ENGINE_GPU, seen,
						b.image), 0);
		assert_int_equal(mem_pipe_release(ends[1], &b, to), 0);
		assert_int_equal(mem_pipe_return(ends[0], stream, 0, &a), 0);
		assert_ptr_equal(a.image, image);
		is_filled(seen, (uint8_t)i);
	}
	assert_int_equal(mem_image_info(image, &info), 0);
	assert_int_equal(info.nr_copies, 0);
	for (i = 0; i < 4; i++)
		mem_pipe_end_destroy(ends[i]);
	mem_pipe_destroy(pipes[0]);
	mem_pipe_destroy(pipes[1]);
	pipe_ = NULL;
	producer = NULL;
	consumer = NULL;
	mem_image_destroy(image);
	mem_image_destroy(seen);
	assert_int_equal(mem_stream_destroy(to), 0);
	mem_ctx_close(other);
	nothing_found();
}

static void without_reuse_the_last_frame_comes_back(void **state)
{
	struct mem_frame frame, back;

	(void)state;
	open_pipe(0, MEM_PIPE_NO_REUSE);
	assert_int_equal(present(frame_at(0)), 0);
	assert_int_equal(acquire(0, &frame), 0);
	/* There is no frame to acquire again, although it is held. */
	assert_int_equal(info_of().state, MEM_PIPE_EMPTY);
	assert_int_equal(take_back(0, &back), -ETIMEDOUT);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
	assert_int_equal(info_of().state, MEM_PIPE_EMPTY);
	assert_int_equal(acquire(NS_PER_MS, &frame), -ETIMEDOUT);
	assert_int_equal(take_back(0, &back), 0);
	assert_int_equal(take_back(0, &back), -ENODATA);
	close_pipe();
}

static void a_full_fifo_makes_the_producer_wait(void **state)
{
	struct mem_frame frame = frame_of(frame_at(2));
	uint64_t begin;

	(void)state;
	open_pipe(2, 0);
	assert_int_equal(present(frame_at(0)), 0);
	assert_int_equal(present(frame_at(1)), 0);
	begin = now_ns();
	assert_int_equal(mem_pipe_present(producer, &frame, stream,
					  5 * NS_PER_MS), -ETIMEDOUT);
	assert_true(now_ns() - begin >= 5 * NS_PER_MS);
	assert_int_equal(info_of().nr_active, 2);
	assert_int_equal(acquire(0, &frame), 0);
	assert_int_equal(present(frame_at(2)), 0);
	assert_int_equal(present(frame_at(3)), -ETIMEDOUT);
	close_pipe();
}

static void the_last_frame_stays_until_a_newer_one(void **state)
{
	struct mem_frame frame, back;

	(void)state;
	open_pipe(4, 0);
	assert_int_equal(present(frame_at(0)), 0);
	assert_int_equal(acquire(0, &frame), 0);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
	assert_int_equal(take_back(0, &back), -ETIMEDOUT);
	assert_int_equal(present(frame_at(1)), 0);
	assert_int_equal(take_back(0, &back), 0);
	assert_int_equal(back.number, 1);
	/* While it is held, it stays. */
	assert_int_equal(acquire(0, &frame), 0);
	assert_int_equal(frame.number, 2);
	assert_int_equal(present(frame_at(2)), 0);
	assert_int_equal(take_back(0, &back), -ETIMEDOUT);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
	assert_int_equal(take_back(0, &back), 0);
	assert_int_equal(back.number, 2);
	close_pipe();
}

static void a_reset_discards_frames(void **state)
{
	struct mem_frame held, frame;
	unsigned int i;

	(void)state;
	open_pipe(4, 0);
	assert_int_equal(mem_pipe_reset(pipe_), -EACCES);
	close_pipe();
	open_pipe(4, MEM_PIPE_RESET);
	for (i = 0; i < 4; i++)
		assert_int_equal(present(frame_at(i)), 0);
	assert_int_equal(acquire(0, &frame), 0);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
	assert_int_equal(acquire(0, &held), 0);
	assert_int_equal(mem_pipe_reset(pipe_), 0);
	assert_int_equal(info_of().state, MEM_PIPE_EMPTY);
	assert_int_equal(info_of().producer_frame, 2);
	assert_int_equal(info_of().consumer_frame, 2);
	assert_int_equal(info_of().producer_time_ns, held.time_ns);
	assert_int_equal(info_of().measured_latency_ns, 0);
	assert_int_equal(info_of().nr_held, 1);
	assert_int_equal(acquire(0, &frame), -ETIMEDOUT);
	for (i = 0; i < 3; i++)
		assert_int_equal(take_back(0, &frame), 0);
	assert_int_equal(take_back(0, &frame), -ETIMEDOUT);
	assert_int_equal(mem_pipe_release(consumer, &held, stream), 0);
	assert_int_equal(take_back(0, &frame), 0);
	assert_int_equal(frame.id, held.id);
	assert_int_equal(present(frame_at(0)), 0);
	assert_int_equal(acquire(0, &frame), 0);
	/* After 4 frames and the reset */
	assert_int_equal(frame.number, 6);
	close_pipe();
}

static void a_reset_lets_a_new_end_connect(void **state)
{
	struct mem_pipe_end *end = UNTOUCHED;
	struct mem_frame frame;

	(void)state;
	open_pipe(0, MEM_PIPE_RESET);
	assert_int_equal(present(frame_at(0)), 0);
	assert_int_equal(acquire(0, &frame), 0);
	mem_pipe_end_destroy(producer);
	assert_int_equal(info_of().state, MEM_PIPE_DISCONNECTED);
	assert_int_equal(mem_pipe_connect_producer(pipe_, ctx, 1, 1, &end),
			 -EPIPE);
	assert_int_equal(mem_pipe_reset(pipe_), 0);
	assert_int_equal(info_of().state, MEM_PIPE_CONNECTING);
	open_other();
	assert_int_equal(mem_pipe_connect_producer(pipe_, other, ROW, ROWS,
						   &producer), 0);
	assert_int_equal(info_of().state, MEM_PIPE_EMPTY);
	/* That of the old producer is nobody's. */
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), -EPIPE);
	assert_int_equal(info_of().nr_active, 0);
	mem_pipe_end_destroy(consumer);
	assert_int_equal(mem_pipe_reset(pipe_), 0);
	assert_int_equal(info_of().state, MEM_PIPE_CREATED);
	assert_int_equal(mem_pipe_connect_consumer(pipe_, ctx, &consumer), 0);
	assert_int_equal(info_of().state, MEM_PIPE_EMPTY);
	close_pipe();
	mem_ctx_close(other);
}

/* Mistakes */

static void what_is_malformed_is_refused(void **state)
{
	struct mem_pipe_params params = { .size = sizeof(params) };
	struct mem_frame frame = frame_of(frame_at(0)), got = frame;
	struct mem_pipe_info info = { .size = sizeof(info) };
	struct mem_pipe_end *end = UNTOUCHED;
	struct mem_pipe *pipe = UNTOUCHED;

	(void)state;
	assert_int_equal(mem_pipe_create(NULL, NULL, &pipe), -EINVAL);
	assert_int_equal(mem_pipe_create(ctx, NULL, NULL), -EINVAL);
	params.length = MEM_PIPE_FRAMES_MAX + 1;
	assert_int_equal(mem_pipe_create(ctx, &params, &pipe), -EINVAL);
	params.length = 0;
	params.flags = MEM_PIPE_SYNCHRONOUS;
	assert_int_equal(mem_pipe_create(ctx, &params, &pipe), -EINVAL);
	params.flags = 0x8;
	assert_int_equal(mem_pipe_create(ctx, &params, &pipe), -EINVAL);
	params.flags = 0;
	params.reserved = 1;
	assert_int_equal(mem_pipe_create(ctx, &params, &pipe), -EINVAL);
	params.reserved = 0;
	params.timeout_ns = MEM_PIPE_TIMEOUT;
	assert_int_equal(mem_pipe_create(ctx, &params, &pipe), -EINVAL);
	params.timeout_ns = 0;
	params.size = 8;
	assert_int_equal(mem_pipe_create(ctx, &params, &pipe), -EINVAL);
	assert_ptr_equal(pipe, UNTOUCHED);
	mem_pipe_destroy(NULL);
	mem_pipe_end_destroy(NULL);
	assert_int_equal(mem_pipe_disconnect(NULL), -EINVAL);
	assert_int_equal(mem_pipe_reset(NULL), -EINVAL);
	assert_int_equal(mem_pipe_set_latency(NULL, 0), -EINVAL);
	assert_int_equal(mem_pipe_set_timeout(NULL, 0), -EINVAL);
	assert_int_equal(mem_pipe_end_info(NULL, &info), -EINVAL);

	open_pipe(4, 0);
	assert_int_equal(mem_pipe_set_timeout(pipe_, MEM_PIPE_TIMEOUT),
			 -EINVAL);
	assert_int_equal(mem_pipe_connect_consumer(NULL, ctx, &end), -EINVAL);
	assert_int_equal(mem_pipe_connect_consumer(pipe_, NULL, &end), -EINVAL);
	assert_int_equal(mem_pipe_connect_consumer(pipe_, ctx, NULL), -EINVAL);
	assert_int_equal(mem_pipe_connect_producer(pipe_, ctx, 1, 1, NULL),
			 -EINVAL);
	assert_int_equal(mem_pipe_connect_producer(pipe_, ctx, 1, 1, &end),
			 -EISCONN);
	assert_ptr_equal(end, UNTOUCHED);
	info.size = 12;
	assert_int_equal(mem_pipe_info(pipe_, &info), -EINVAL);
	assert_int_equal(mem_pipe_info(NULL, &info), -EINVAL);
	assert_int_equal(mem_pipe_info(pipe_, NULL), -EINVAL);
	assert_int_equal(mem_pipe_present(consumer, &frame, stream, 0),
			 -EINVAL);
	assert_int_equal(mem_pipe_present(NULL, &frame, stream, 0), -EINVAL);
	assert_int_equal(mem_pipe_present(producer, NULL, stream, 0), -EINVAL);
	assert_int_equal(mem_pipe_present(producer, &frame, NULL, 0), -EINVAL);
	assert_int_equal(mem_pipe_acquire(producer, stream, 0, &got), -EINVAL);
	assert_int_equal(mem_pipe_acquire(consumer, NULL, 0, &got), -EINVAL);
	assert_int_equal(mem_pipe_acquire(consumer, stream, 0, NULL), -EINVAL);
	assert_int_equal(mem_pipe_return(consumer, stream, 0, &got), -EINVAL);
	assert_int_equal(mem_pipe_return(producer, NULL, 0, &got), -EINVAL);
	assert_int_equal(mem_pipe_return(producer, stream, 0, NULL), -EINVAL);
	assert_int_equal(mem_pipe_release(producer, &got, stream), -EINVAL);
	assert_int_equal(mem_pipe_release(consumer, NULL, stream), -EINVAL);
	assert_int_equal(mem_pipe_release(consumer, &got, NULL), -EINVAL);
	got.size = 4;
	assert_int_equal(mem_pipe_acquire(consumer, stream, 0, &got), -EINVAL);
	assert_int_equal(mem_pipe_return(producer, stream, 0, &got), -EINVAL);
	assert_int_equal(mem_pipe_release(consumer, &got, stream), -EINVAL);
	assert_int_equal(info_of().nr_active, 0);
	close_pipe();
}

static int present_plane(struct mem_plane plane)
{
	struct mem_frame frame = frame_of(NULL);

	frame.planes[0] = plane;
	return mem_pipe_present(producer, &frame, stream, 0);
}

static void planes_that_leave_their_memory_are_refused(void **state)
{
	const struct mem_plane good = frame_of(frame_at(0)).planes[0];
	struct mem_plane plane = good;
	struct mem_frame frame = frame_of(frame_at(0));
	struct {
		struct mem_frame frame;
		uint64_t tail;
	} longer = { frame, 1 };

	(void)state;
	open_pipe(4, 0);
	plane.width = 0;
	assert_int_equal(present_plane(plane), -EINVAL);
	plane = good;
	plane.height = 0;
	assert_int_equal(present_plane(plane), -EINVAL);
	plane = good;
	plane.pixel_len = 2;
	assert_int_equal(present_plane(plane), -EINVAL);
	plane.pixel_len = UINT32_MAX;
	assert_int_equal(present_plane(plane), -EINVAL);
	plane = good;
	plane.height = UINT32_MAX;
	assert_int_equal(present_plane(plane), -EINVAL);
	plane = good;
	plane.base = frame_at(MAX_FRAMES) - 1;
	assert_int_equal(present_plane(plane), -EINVAL);
	plane.base = &plane;
	assert_int_equal(present_plane(plane),
			 is_concurrent() ? 0 : -EFAULT);
	longer.frame.size = sizeof(longer);
	assert_int_equal(mem_pipe_present(producer, &longer.frame, stream, 0),
			 -E2BIG);
	longer.tail = 0;
	assert_int_equal(mem_pipe_present(producer, &longer.frame, stream, 0),
			 0);
	frame.reserved = 1;
	assert_int_equal(mem_pipe_present(producer, &frame, stream, 0),
			 -EINVAL);
	close_pipe();
}

static void what_is_of_another_context_is_refused(void **state)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	struct mem_image *image;
	struct mem_stream *foreign;
	void *ptr;

	(void)state;
	open_other();
	image = image_in(other);
	assert_int_equal(mem_stream_create(other, 0, 0, &foreign), 0);
	assert_int_equal(mem_alloc(other, MEM_KIND_DEVICE, LEN, 0, &ptr), 0);
	open_pipe(4, 0);
	assert_int_equal(present_image(image, stream), -EXDEV);
	assert_int_equal(present(ptr), -EXDEV);
	frame = frame_of(frame_at(0));
	assert_int_equal(mem_pipe_present(producer, &frame, foreign, 0),
			 -EXDEV);
	assert_int_equal(mem_pipe_acquire(consumer, foreign, 0, &frame),
			 -EXDEV);
	assert_int_equal(mem_pipe_return(producer, foreign, 0, &frame),
			 -EXDEV);
	assert_int_equal(mem_pipe_release(consumer, &frame, foreign), -EXDEV);
	close_pipe();
	/* Device memory cannot be accessed by the consumer's context. */
	assert_int_equal(create(4, 0), 0);
	connect_to(other, ctx);
	assert_int_equal(present(frame_at(0)), -EXDEV);
	close_pipe();
	assert_int_equal(mem_free(other, ptr), 0);
	mem_image_destroy(image);
	assert_int_equal(mem_stream_destroy(foreign), 0);
	mem_ctx_close(other);
}

static void a_frame_of_another_pipe_is_refused(void **state)
{
	struct mem_pipe_end *first;
	struct mem_pipe *first_pipe;
	struct mem_frame frame;
	struct mem_pipe_end *first_producer;

	(void)state;
	open_pipe(0, 0);
	assert_int_equal(present(frame_at(0)), 0);
	assert_int_equal(acquire(0, &frame), 0);
	first = consumer;
	first_producer = producer;
	first_pipe = pipe_;
	open_pipe(0, 0);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), -ENOENT);
	assert_int_equal(mem_pipe_release(first, &frame, stream), 0);
	close_pipe();
	mem_pipe_end_destroy(first);
	mem_pipe_end_destroy(first_producer);
	mem_pipe_destroy(first_pipe);
}

static void a_locked_image_is_refused(void **state)
{
	struct mem_image_data data = { .size = sizeof(data) };
	struct mem_image *image = image_in(ctx);
	struct mem_frame frame;

	(void)state;
	open_pipe(0, 0);
	assert_int_equal(mem_image_lock(image, MEM_RW, MEM_LOCK_HOST, &data),
			 0);
	assert_int_equal(present_image(image, stream), -EBUSY);
	assert_int_equal(mem_image_unlock(image), 0);
	assert_int_equal(present_image(image, stream), 0);
	assert_int_equal(mem_image_lock(image, MEM_RW, MEM_LOCK_HOST, &data),
			 0);
	assert_int_equal(acquire(0, &frame), -EBUSY);
	assert_int_equal(info_of().state, MEM_PIPE_NEW_FRAME);
	assert_int_equal(mem_image_unlock(image), 0);
	assert_int_equal(acquire(0, &frame), 0);
	/* The pipe keeps it until then. */
	mem_image_destroy(image);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
	close_pipe();
	nothing_found();
}

/* Ends that go */

struct waiter {
	int (*call)(struct waiter *waiter);
	struct mem_pipe_end *end;
	struct mem_stream *stream;
	int err;
};

static int wait_acquire(struct waiter *waiter)
{
	struct mem_frame frame = { .size = sizeof(frame) };

	return mem_pipe_acquire(waiter->end, waiter->stream, MEM_WAIT_FOREVER,
				&frame);
}

static int wait_return(struct waiter *waiter)
{
	struct mem_frame frame = { .size = sizeof(frame) };

	return mem_pipe_return(waiter->end, waiter->stream, MEM_WAIT_FOREVER,
			       &frame);
}

static int wait_present(struct waiter *waiter)
{
	const struct mem_frame frame = frame_of(frame_at(1));

	return mem_pipe_present(waiter->end, &frame, waiter->stream,
				MEM_WAIT_FOREVER);
}

static void *wait_main(void *arg)
{
	struct waiter *waiter = arg;

	waiter->err = waiter->call(waiter);
	return NULL;
}

/* An end waits for ever, until the other end's context is closed, or it goes */
static void is_woken(int (*call)(struct waiter *waiter), bool by_close)
{
	const bool is_consumer = call == wait_acquire;
	struct waiter waiter = { .call = call, .stream = stream };
	struct mem_image *image;
	pthread_t thread;

	open_other();
	image = image_in(ctx);
	assert_int_equal(create(1, 0), 0);
	connect_to(is_consumer ? ctx : other, is_consumer ? other : ctx);
	waiter.end = is_consumer ? consumer : producer;
	if (call == wait_present) {
		assert_int_equal(present_image(image, stream), 0);
		close_pipe();
		assert_int_equal(create(1, 0), 0);
		connect_to(ctx, ctx);
		waiter.end = producer;
		assert_int_equal(present(frame_at(0)), 0);
		by_close = false;
	}
	pthread_create(&thread, NULL, wait_main, &waiter);
	usleep(2000);
	if (by_close)
		mem_ctx_close(other);
	else
		assert_int_equal(mem_pipe_disconnect(is_consumer ? producer :
						     consumer), 0);
	pthread_join(thread, NULL);
	assert_int_equal(waiter.err, -EPIPE);
	assert_int_equal(info_of().state, MEM_PIPE_DISCONNECTED);
	assert_int_equal(info_of().nr_active, 0);
	close_pipe();
	mem_image_destroy(image);
	if (!by_close)
		mem_ctx_close(other);
}

static void an_end_that_goes_wakes_the_other(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		is_woken(wait_acquire, i);
		is_woken(wait_return, i);
		is_woken(wait_present, i);
	}
}

static void a_held_frame_stays_when_the_producer_goes(void **state)
{
	struct mem_image *image, *seen = image_in(ctx);
	struct mem_frame frame;
	struct mem_stream *from;

	(void)state;
	open_other();
	image = image_in(other);
	assert_int_equal(mem_stream_create(other, 0, 0, &from), 0);
	assert_int_equal(create(1, 0), 0);
	connect_to(ctx, other);
	fill(from, image, 9);
	assert_int_equal(present_image(image, from), 0);
	assert_int_equal(acquire(0, &frame), 0);
	mem_pipe_end_destroy(producer);
	producer = NULL;
	mem_image_destroy(image);
	assert_int_equal(mem_stream_destroy(from), 0);
	mem_ctx_close(other);
	assert_int_equal(mem_image_copy(stream, MEM_ENGINE_GPU, seen,
					frame.image), 0);
	assert_int_equal(info_of().nr_active, 1);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), -EPIPE);
	assert_int_equal(info_of().nr_active, 0);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), -EPIPE);
	is_filled(seen, 9);
	close_pipe();
	mem_image_destroy(seen);
}

/* Frames go round until an end disconnects. */

#define NR_IMAGES	4U

struct runner {
	struct mem_pipe_end *end;
	struct mem_ctx *ctx;
	struct mem_stream *stream;
	struct mem_image *images[NR_IMAGES];
	unsigned int nr;
	int err;
};

static void *run_producer(void *arg)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	struct runner *runner = arg;

	for (runner->nr = 0; !runner->err; runner->nr++) {
		if (runner->nr < NR_IMAGES)
			frame.image = runner->images[runner->nr];
		else
			runner->err = mem_pipe_return(runner->end,
						      runner->stream, HANGS_NS,
						      &frame);
		if (!runner->err)
			runner->err = mem_pipe_present(runner->end, &frame,
						       runner->stream,
						       HANGS_NS);
	}
	return NULL;
}

static void *run_consumer(void *arg)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	struct runner *runner = arg;

	for (runner->nr = 0; !runner->err; runner->nr++) {
		runner->err = mem_pipe_acquire(runner->end, runner->stream,
					       HANGS_NS, &frame);
		if (!runner->err)
			runner->err = mem_pipe_release(runner->end, &frame,
						       runner->stream);
	}
	return NULL;
}

/* One of the ends goes at a random time; frames of both kinds of fence */
static void run_until_it_goes(struct runner runners[2], unsigned int *seed)
{
	pthread_t threads[2];
	unsigned int i;

	assert_int_equal(create((unsigned int)rand_r(seed) % 4, 0), 0);
	connect_to(runners[1].ctx, runners[0].ctx);
	runners[0].end = producer;
	runners[1].end = consumer;
	for (i = 0; i < 2; i++)
		runners[i].err = 0;
	pthread_create(&threads[0], NULL, run_producer, &runners[0]);
	pthread_create(&threads[1], NULL, run_consumer, &runners[1]);
	usleep((unsigned int)rand_r(seed) % 500);
	assert_int_equal(mem_pipe_disconnect(rand_r(seed) % 2 ? producer :
					     consumer), 0);
	for (i = 0; i < 2; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(runners[i].err, -EPIPE);
	}
	assert_int_equal(info_of().nr_active, 0);
	close_pipe();
}

/* Makes what contexts and images keep: threads and files. */
static void run_once(struct runner runners[2])
{
	struct mem_frame frame = { .size = sizeof(frame) };
	unsigned int i;

	assert_int_equal(create(NR_IMAGES, 0), 0);
	connect_to(runners[1].ctx, runners[0].ctx);
	for (i = 0; i < NR_IMAGES; i++) {
		assert_int_equal(present_image(runners[0].images[i],
					       runners[0].stream), 0);
		assert_int_equal(mem_pipe_acquire(consumer, runners[1].stream,
						  0, &frame), 0);
		assert_int_equal(mem_pipe_release(consumer, &frame,
						  runners[1].stream), 0);
	}
	while (!mem_pipe_return(producer, runners[0].stream, 0, &frame))
		;
	for (i = 0; i < 2; i++)
		assert_int_equal(mem_stream_sync(runners[i].stream), 0);
	close_pipe();
}

static void runs_that_end_leak_nothing(struct mem_ctx *from, struct mem_ctx *to,
				       unsigned int nr)
{
	struct runner runners[2] = { { .ctx = from }, { .ctx = to } };
	unsigned int i, seed = 1;
	size_t nr_fds;

	for (i = 0; i < 2; i++)
		assert_int_equal(mem_stream_create(runners[i].ctx,
						   MEM_STREAM_NON_BLOCKING, 0,
						   &runners[i].stream), 0);
	for (i = 0; i < NR_IMAGES; i++)
		runners[0].images[i] = image_in(from);
	run_once(runners);
	nr_fds = nr_of_process("fd");
	for (i = 0; i < nr; i++)
		run_until_it_goes(runners, &seed);
	for (i = 0; i < 2; i++) {
		assert_int_equal(mem_stream_sync(runners[i].stream), 0);
		assert_int_equal(mem_stream_destroy(runners[i].stream), 0);
	}
	if (nr_of_process("fd") > nr_fds)
		fail_msg("%zu descriptors, before %zu", nr_of_process("fd"),
			 nr_fds);
	for (i = 0; i < NR_IMAGES; i++)
		mem_image_destroy(runners[0].images[i]);
}

static void ends_that_go_at_any_time_leak_nothing(void **state)
{
	uint64_t free_len, after_len, len;

	(void)state;
	assert_int_equal(mem_ctx_memory(ctx, MEM_ENGINE_GPU, &free_len, &len),
			 0);
	runs_that_end_leak_nothing(ctx, ctx, 500);
	open_other();
	runs_that_end_leak_nothing(ctx, other, 250);
	runs_that_end_leak_nothing(other, ctx, 250);
	mem_ctx_close(other);
	assert_int_equal(mem_ctx_memory(ctx, MEM_ENGINE_GPU, &after_len, &len),
			 0);
	assert_int_equal(after_len, free_len);
	nothing_found();
}

static void pass_one(struct mem_stream *to)
{
	struct mem_frame frame = { .size = sizeof(frame) };

	assert_int_equal(mem_pipe_acquire(consumer, to, HANGS_NS, &frame), 0);
	assert_int_equal(mem_pipe_release(consumer, &frame, to), 0);
}

static void a_context_is_closed_while_frames_go_round(void **state)
{
	struct runner runners[2] = { { .ctx = ctx } };
	pthread_t thread;
	unsigned int i, j, seed = 2;

	(void)state;
	runners[0].stream = stream;
	for (i = 0; i < NR_IMAGES; i++)
		runners[0].images[i] = image_in(ctx);
	for (i = 0; i < 20; i++) {
		open_other();
		assert_int_equal(create(2, 0), 0);
		connect_to(other, ctx);
		runners[0].end = producer;
		runners[0].err = 0;
		pthread_create(&thread, NULL, run_producer, &runners[0]);
		for (j = (unsigned int)rand_r(&seed) % 5; j; j--)
			pass_one(mem_stream_legacy(other));
		mem_ctx_close(other);
		pthread_join(thread, NULL);
		assert_int_equal(runners[0].err, -EPIPE);
		assert_int_equal(info_of().nr_active, 0);
		close_pipe();
	}
	for (i = 0; i < NR_IMAGES; i++)
		mem_image_destroy(runners[0].images[i]);
	nothing_found();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_and_waits_are_those_of_a_real_stream),
		cmocka_unit_test(at_most_64_frames_are_active),
		cmocka_unit_test(numbers_and_times_are_those_of_frames),
		cmocka_unit_test(a_fifo_between_threads_loses_nothing),
		cmocka_unit_test(a_mailbox_between_threads_has_the_newest),
		cmocka_unit_test(a_fifo_is_compared_with_queues_by_hand),
		cmocka_unit_test(the_consumer_never_sees_older_or_newer_bytes),
		cmocka_unit_test(nor_does_that_of_another_context),
		cmocka_unit_test(planes_are_in_the_memory_of_the_other_context),
		cmocka_unit_test(work_on_a_frame_outlasts_the_pipe),
		cmocka_unit_test(a_cancelled_producer_stops_no_consumer),
		cmocka_unit_test(a_synchronous_fifo_has_frames_that_are_done),
		cmocka_unit_test(a_frame_goes_from_a_to_b_to_c_and_back),
		cmocka_unit_test(without_reuse_the_last_frame_comes_back),
		cmocka_unit_test(a_full_fifo_makes_the_producer_wait),
		cmocka_unit_test(the_last_frame_stays_until_a_newer_one),
		cmocka_unit_test(a_reset_discards_frames),
		cmocka_unit_test(a_reset_lets_a_new_end_connect),
		cmocka_unit_test(what_is_malformed_is_refused),
		cmocka_unit_test(planes_that_leave_their_memory_are_refused),
		cmocka_unit_test(what_is_of_another_context_is_refused),
		cmocka_unit_test(a_frame_of_another_pipe_is_refused),
		cmocka_unit_test(a_locked_image_is_refused),
		cmocka_unit_test(an_end_that_goes_wakes_the_other),
		cmocka_unit_test(a_held_frame_stays_when_the_producer_goes),
		cmocka_unit_test(ends_that_go_at_any_time_leak_nothing),
		cmocka_unit_test(a_context_is_closed_while_frames_go_round),
	};

	return cmocka_run_group_tests(tests, open_pipes, close_pipes);
}
