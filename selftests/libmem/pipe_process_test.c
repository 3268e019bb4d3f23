// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests pipes between processes. The other process is this program again, with
 * the name of a role and its sockets. It is killed at random moments, or sends
 * what the library never sends.
 */
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "pipe_cases.h"
#include "stream.h"

#include "../pass.h"

/* An upper bound of waits: only a call that hangs exceeds it. */
#define HANGS_NS	(60 * NS_PER_S)
#define ROW		64U
#define ROWS		4U
#define FRAME_LEN	4096U
#define NR_PLACES	(MEM_PIPE_FRAMES_MAX + 1)
#define SIDE		64U

static struct mem_pipe *pipe_;
static struct mem_pipe_end *consumer, *producer;

/* Processes */

/* Starts this program in a role, with a socket for each endpoint. */
static pid_t spawn(const char *role, const char *arg, int *socks, int nr)
{
	int pairs[2][2], i;
	char numbers[2][12] = { "", "" };
	pid_t pid;

	for (i = 0; i < nr; i++)
		assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET |
					    SOCK_CLOEXEC, 0, pairs[i]), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		for (i = 0; i < nr; i++) {
			fcntl(pairs[i][1], F_SETFD, 0);
			snprintf(numbers[i], sizeof(numbers[i]), "%d",
				 pairs[i][1]);
		}
		execl("/proc/self/exe", "pipe_process_test", role, arg,
		      numbers[0], numbers[1], NULL);
		_exit(127);
	}
	for (i = 0; i < nr; i++) {
		close(pairs[i][1]);
		socks[i] = pairs[i][0];
	}
	return pid;
}

static void end_of(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		fail_msg("the other process ended with status %x", status);
}

static struct mem_endpoint *endpoint_on(int sock)
{
	struct mem_endpoint *endpoint;

	assert_int_equal(mem_endpoint_from_fd(ctx, sock, &endpoint), 0);
	close(sock);
	return endpoint;
}

static void make(uint32_t length, uint32_t flags, uint64_t timeout_ns)
{
	const struct mem_pipe_params params = {
		.size = sizeof(params),
		.length = length,
		.flags = flags,
		.timeout_ns = timeout_ns,
	};

	assert_int_equal(mem_pipe_create(ctx, &params, &pipe_), 0);
}

static void give_to(int sock)
{
	assert_int_equal(mem_pipe_export(pipe_, endpoint_on(sock)), 0);
}

static void take_from(int sock)
{
	assert_int_equal(mem_pipe_import(endpoint_on(sock), HANGS_NS, &pipe_),
			 0);
}

static void connect_consumer(void)
{
	assert_int_equal(mem_pipe_connect_consumer(pipe_, ctx, &consumer), 0);
}

static int connect_producer(void)
{
	return mem_pipe_connect_producer(pipe_, ctx, ROW, ROWS, &producer);
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

/* The producer's process carries out steps */

struct order {
	struct step step;
	uint64_t place;
};

struct reply {
	int err;
	uint32_t state;
	uint64_t number;
	uint64_t user;
	uint64_t waited_ns;
};

static uint8_t *memory_;
static struct mem_buf *memory_buf;

static void alloc_frames(void)
{
	void *base;

	assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_UNCACHED,
				       NR_PLACES * FRAME_LEN, NULL,
				       &memory_buf), 0);
	assert_int_equal(mem_buf_device_ptr(memory_buf, &base), 0);
	memory_ = base;
}

static int step_present(const struct order *order)
{
	struct mem_frame frame = {
		.size = sizeof(frame),
		.nr_planes = 1,
		.planes = { { ROW, ROWS, 1, ROW, 0,
			      memory_ + order->place * FRAME_LEN } },
		.user = (void *)(uintptr_t)(order->place + 1),
	};

	switch (order->step.kind) {
	case STEP_PRESENT_NO_PLANES:
		frame.nr_planes = 0;
		break;
	case STEP_PRESENT_FOUR_PLANES:
		frame.nr_planes = 4;
		break;
	case STEP_PRESENT_NULL:
		frame.planes[0].base = NULL;
		break;
	case STEP_PRESENT_SMALLER:
		frame.planes[0].width /= 2;
		break;
	case STEP_PRESENT_LARGER:
		frame.planes[0].height *= 2;
		break;
	default:
		break;
	}
	return mem_pipe_present(producer, &frame, stream, 0);
}

static int step_there(const struct order *order, struct reply *reply)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	struct mem_pipe_end *other = UNTOUCHED;
	int err;

	switch (order->step.kind) {
	case STEP_PRODUCER:
		return mem_pipe_connect_producer(pipe_, ctx, ROW, ROWS,
						 producer ? &other : &producer);
	case STEP_RETURN:
		err = mem_pipe_return(producer, stream,
				      order->step.arg * NS_PER_MS, &frame);
		reply->number = frame.number;
		reply->user = (uintptr_t)frame.user;
		return err;
	case STEP_PRODUCER_GOES:
		return mem_pipe_disconnect(producer);
	case STEP_CREATE:
		return 0;
	default:
		return step_present(order);
	}
}

static void role_steps(const char *arg, int control, int sock)
{
	struct order order;
	struct reply reply;
	uint64_t begin;

	(void)arg;
	alloc_frames();
	take_from(sock);
	while (recv(control, &order, sizeof(order), 0) == sizeof(order)) {
		memset(&reply, 0, sizeof(reply));
		begin = now_ns();
		reply.err = step_there(&order, &reply);
		reply.waited_ns = now_ns() - begin;
		reply.state = info_of().state;
		assert_int_equal(send(control, &reply, sizeof(reply),
				      MSG_NOSIGNAL), sizeof(reply));
	}
	close_pipe();
	mem_buf_destroy(memory_buf);
}

/* The recorded cases */

static uint64_t ids[NR_PLACES + 1];
static unsigned int nr_presented;

static bool step_is_there(enum step_kind kind)
{
	return kind == STEP_PRODUCER || kind == STEP_RETURN ||
	       kind == STEP_PRODUCER_GOES ||
	       (kind >= STEP_PRESENT && kind <= STEP_PRESENT_LARGER);
}

static struct reply order_there(int control, const struct step *step)
{
	const struct order order = { *step, nr_presented };
	struct reply reply;

	assert_int_equal(send(control, &order, sizeof(order), MSG_NOSIGNAL),
			 sizeof(order));
	assert_int_equal(recv(control, &reply, sizeof(reply), 0),
			 sizeof(reply));
	return reply;
}

static int step_acquire(const struct step *step)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	int err = mem_pipe_acquire(consumer, stream, step->arg * NS_PER_MS,
				   &frame);

	if (err)
		return err;
	assert_int_equal(frame.number, step->frame);
	assert_int_equal((uintptr_t)frame.user, step->frame);
	assert_int_equal(frame.is_again, ids[frame.number] == frame.id);
	ids[frame.number] = frame.id;
	return 0;
}

static int step_here(const struct step *step)
{
	struct mem_frame frame = {
		.size = sizeof(frame),
		.id = step->kind == STEP_RELEASE ? ids[step->arg] : 0,
	};
	struct mem_pipe_end *other = UNTOUCHED;

	switch (step->kind) {
	case STEP_CONSUMER:
		return mem_pipe_connect_consumer(pipe_, ctx, consumer ? &other :
						 &consumer);
	case STEP_ACQUIRE:
		return step_acquire(step);
	case STEP_RELEASE:
		return mem_pipe_release(consumer, &frame, stream);
	case STEP_CONSUMER_GOES:
		return mem_pipe_disconnect(consumer);
	case STEP_DESTROY:
		mem_pipe_destroy(pipe_);
		pipe_ = NULL;
		return 0;
	default:
		return 0;
	}
}

static struct reply run_step(int control, const struct step *step)
{
	struct reply reply = { 0 };
	uint64_t begin;

	if (step_is_there(step->kind)) {
		reply = order_there(control, step);
		if (step->kind == STEP_RETURN && !reply.err) {
			assert_int_equal(reply.number, step->frame);
			assert_int_equal(reply.user, step->frame);
		}
		if (step->kind >= STEP_PRESENT &&
		    step->kind <= STEP_PRESENT_LARGER)
			nr_presented += !reply.err;
		return reply;
	}
	begin = now_ns();
	reply.err = step_here(step);
	reply.waited_ns = now_ns() - begin;
	reply.state = step->state;
	return reply;
}

/* Both sides see the state at once. */
static void run_case(const struct pipe_case *one)
{
	const struct step *step = one->steps;
	struct reply reply;
	int socks[2];
	pid_t pid;

	nr_presented = 0;
	memset(ids, 0, sizeof(ids));
	pid = spawn("steps", "", socks, 2);
	make(step->arg, 0, 0);
	give_to(socks[1]);
	for (; step->kind; step++) {
		reply = run_step(socks[0], step);
		if (reply.err != step->err || reply.state != step->state ||
		    reply.waited_ns < step->wait_ms * NS_PER_MS ||
		    info_of().state != step->state)
			fail_msg("%s, step %zu: %d after %llu ns, state %u, %u",
				 one->name, step - one->steps, reply.err,
				 (unsigned long long)reply.waited_ns,
				 reply.state, info_of().state);
	}
	close(socks[0]);
	end_of(pid);
	close_pipe();
}

static void states_and_waits_are_those_of_one_process(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < NR(pipe_cases); i++)
		run_case(&pipe_cases[i]);
}

/* Frames with bytes */

#define NR_IMAGES	4U

static struct mem_image *new_image(uint32_t width, uint32_t height,
				   enum mem_format format)
{
	struct mem_image *image;

	assert_int_equal(mem_image_create(ctx, width, height, format, 0,
					  &image), 0);
	return image;
}

/*
 * The engine fills every so many-th image, the CPU the others. An engine starts
 * again for each job on shared memory, which takes a millisecond.
 */
static unsigned int engine_every = 1;

static void fill_image_here(struct mem_image *image, uint64_t number)
{
	struct mem_image_data data = { .size = sizeof(data) };
	uint32_t y;

	assert_int_equal(mem_image_lock(image, MEM_WRITE, MEM_LOCK_HOST, &data),
			 0);
	for (y = 0; y < data.planes[0].height; y++)
		memset((uint8_t *)data.planes[0].base +
		       (size_t)y * data.planes[0].pitch, (int)(number % 251),
		       data.planes[0].width);
	assert_int_equal(mem_image_unlock(image), 0);
}

static void fill_image(struct mem_image *image, uint64_t number)
{
	const double value = (double)(number % 251);

	if (number % engine_every) {
		fill_image_here(image, number);
		return;
	}
	assert_int_equal(mem_image_fill(stream, MEM_ENGINE_GPU, image, &value,
					1), 0);
}

/* Returns true if all pixels have the value of the frame with that number. */
static bool image_has(struct mem_image *image, uint64_t number)
{
	struct mem_image_data data = { .size = sizeof(data) };
	const uint8_t *row;
	bool ret = true;
	uint32_t x, y;

	assert_int_equal(mem_image_lock(image, MEM_READ, MEM_LOCK_HOST, &data),
			 0);
	for (y = 0; y < data.planes[0].height; y++) {
		row = (const uint8_t *)data.planes[0].base +
		      (size_t)y * data.planes[0].pitch;
		for (x = 0; x < data.planes[0].width; x++)
			ret = ret && row[x] == number % 251;
	}
	assert_int_equal(mem_image_unlock(image), 0);
	return ret;
}

/* Presents frames that an engine writes, until the consumer has gone. */
static int produce(struct mem_image **images, uint64_t nr)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	uint64_t i;
	int err = 0;

	for (i = 0; i < nr && !err; i++) {
		if (i < NR_IMAGES)
			frame.image = images[i];
		else
			err = mem_pipe_return(producer, stream, HANGS_NS,
					      &frame);
		if (err)
			return err;
		frame.user = (void *)(uintptr_t)(i + 1);
		fill_image(frame.image, i + 1);
		err = mem_pipe_present(producer, &frame, stream, HANGS_NS);
	}
	return err;
}

/* Returns frames until none is active; the last one stays in the pipe. */
static void role_producer(const char *arg, int sock, int unused)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	const uint64_t nr = strtoull(arg, NULL, 10);
	struct mem_image *images[NR_IMAGES];
	unsigned int i;
	int err;

	(void)unused;
	for (i = 0; i < NR_IMAGES; i++)
		images[i] = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	take_from(sock);
	assert_int_equal(connect_producer(), 0);
	err = produce(images, nr);
	while (!err)
		err = mem_pipe_return(producer, stream, HANGS_NS, &frame);
	assert_int_equal(err, -EPIPE);
	close_pipe();
	for (i = 0; i < NR_IMAGES; i++)
		mem_image_destroy(images[i]);
}

/* Acquires frames up to that number. Returns how many. */
static uint64_t consume(uint64_t last)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	uint64_t nr = 0;
	int err;

	do {
		err = mem_pipe_acquire(consumer, stream, HANGS_NS, &frame);
		if (err)
			fail_msg("%d after frame %llu", err,
				 (unsigned long long)nr);
		assert_false(frame.is_again);
		assert_int_equal((uintptr_t)frame.user, frame.number);
		assert_true(image_has(frame.image, frame.number));
		assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
		nr++;
	} while (frame.number < last);
	return nr;
}

static uint64_t run_frames(uint32_t length, uint32_t flags, unsigned int nr)
{
	char arg[12];
	int sock;
	pid_t pid;
	uint64_t got;

	snprintf(arg, sizeof(arg), "%u", nr);
	pid = spawn("producer", arg, &sock, 1);
	make(length, flags, 0);
	connect_consumer();
	give_to(sock);
	got = consume(nr);
	assert_int_equal(info_of().nr_waiting, 0);
	close_pipe();
	end_of(pid);
	return got;
}

static void a_fifo_loses_no_frame_and_no_byte(void **state)
{
	const unsigned int nr = scaled(200);

	(void)state;
	assert_int_equal(run_frames(1, 0, nr), nr);
	assert_int_equal(run_frames(4, MEM_PIPE_NO_REUSE, nr), nr);
	assert_int_equal(run_frames(2, MEM_PIPE_SYNCHRONOUS, nr), nr);
	nothing_found();
}

/* Presents a frame of device memory twice, from its second page on. */
static void role_device(const char *arg, int sock, int unused)
{
	struct mem_frame frame = {
		.size = sizeof(frame),
		.nr_planes = 1,
		.planes = { { ROW, ROWS, 1, ROW, 0, NULL } },
	};
	char *memory;
	void *ptr;
	int value, err;

	(void)arg;
	(void)unused;
	assert_int_equal(mem_alloc(ctx, MEM_KIND_DEVICE, 2 * FRAME_LEN, 0,
				   &ptr), 0);
	memory = ptr;
	frame.planes[0].base = memory + FRAME_LEN;
	take_from(sock);
	assert_int_equal(connect_producer(), 0);
	for (value = 1; value <= 2; value++) {
		assert_int_equal(mem_fill_async(stream, memory + FRAME_LEN,
						value, FRAME_LEN), 0);
		err = mem_pipe_present(producer, &frame, stream, HANGS_NS);
		if (!is_embedded()) {
			assert_int_equal(err, -EOPNOTSUPP);
			break;
		}
		assert_int_equal(err, 0);
		assert_int_equal(mem_pipe_return(producer, stream, HANGS_NS,
						 &frame), 0);
		assert_ptr_equal(frame.planes[0].base, memory + FRAME_LEN);
	}
	close_pipe();
	assert_int_equal(mem_free(ctx, ptr), 0);
}

static void check_device_frame(int value)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	uint8_t bytes[ROW * ROWS];
	size_t i;

	assert_int_equal(mem_pipe_acquire(consumer, stream, HANGS_NS, &frame),
			 0);
	assert_null(frame.image);
	assert_int_equal(mem_copy(stream, bytes, frame.planes[0].base,
				  sizeof(bytes), MEM_DIR_DEFAULT), 0);
	for (i = 0; i < sizeof(bytes); i++)
		assert_int_equal(bytes[i], value);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
}

/* Over the module, the memory of mem_alloc() is the process's own. */
static void device_memory_is_shared_if_it_can_be(void **state)
{
	int sock;
	pid_t pid;

	(void)state;
	pid = spawn("device", "", &sock, 1);
	make(1, MEM_PIPE_NO_REUSE, 0);
	connect_consumer();
	give_to(sock);
	if (is_embedded()) {
		check_device_frame(1);
		check_device_frame(2);
	}
	end_of(pid);
	close_pipe();
	nothing_found();
}

static void a_mailbox_has_the_newest_frame(void **state)
{
	const unsigned int nr = scaled(200);

	(void)state;
	assert_true(run_frames(0, 0, nr) <= nr);
	nothing_found();
}

/* Takes frames as they come. */
static void role_taker(const char *arg, int sock, int unused)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	int err = 0;

	(void)unused;
	make((uint32_t)atoi(arg), MEM_PIPE_NO_REUSE, 0);
	connect_consumer();
	give_to(sock);
	while (!err) {
		err = mem_pipe_acquire(consumer, stream, HANGS_NS, &frame);
		if (!err)
			err = mem_pipe_release(consumer, &frame, stream);
	}
	assert_int_equal(err, -EPIPE);
	close_pipe();
}

/* Death */

static uint64_t free_len(void)
{
	uint64_t free, len;

	assert_int_equal(mem_ctx_memory(ctx, MEM_ENGINE_GPU, &free, &len), 0);
	return free;
}

/* Makes what a context, and images that are shared, keep: threads and files. */
static void warm_up(struct mem_image **images)
{
	int sock, fd = eventfd(1, EFD_CLOEXEC);
	struct mem_semaphore *semaphore;
	pid_t pid;

	assert_int_equal(mem_semaphore_import(ctx, fd, &semaphore), 0);
	assert_int_equal(mem_stream_wait_semaphore(stream, semaphore), 0);
	mem_semaphore_destroy(semaphore);
	close(fd);
	pid = spawn("taker", "1", &sock, 1);
	take_from(sock);
	assert_int_equal(connect_producer(), 0);
	assert_int_equal(produce(images, 2 * NR_IMAGES), 0);
	close_pipe();
	end_of(pid);
	assert_int_equal(mem_stream_sync(stream), 0);
}

static void has_left_nothing(size_t nr_fds, uint64_t free)
{
	assert_int_equal(mem_stream_sync(stream), 0);
	wait_for_fds(nr_fds);
	assert_int_equal(free_len(), free);
	nothing_found();
}

static void role_consumer(const char *arg, int sock, int unused)
{
	(void)unused;
	make((uint32_t)atoi(arg), 0, 0);
	connect_consumer();
	give_to(sock);
	consume(UINT64_MAX);
}

static void role_endless(const char *arg, int sock, int unused)
{
	struct mem_image *images[NR_IMAGES];
	unsigned int i;

	(void)unused;
	engine_every = (unsigned int)atoi(arg);
	for (i = 0; i < NR_IMAGES; i++)
		images[i] = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	take_from(sock);
	assert_int_equal(connect_producer(), 0);
	produce(images, UINT64_MAX);
}

static void kill_it(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/*
 * How often each side is killed, how long it lives at most, and frames: those
 * presented to a consumer that is killed, and acquired from a producer that is
 */
static unsigned int nr_kills;
static unsigned int life_us = 4000;
static uint64_t nr_frames;

/* Kills a process after some time. */
static void *kill_later(void *arg)
{
	const pid_t pid = (pid_t)(intptr_t)arg;
	static unsigned int seed = 1;

	usleep((useconds_t)rand_r(&seed) % life_us);
	kill(pid, SIGKILL);
	return NULL;
}

static pthread_t killer_of(pid_t pid)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, kill_later,
					(void *)(intptr_t)pid), 0);
	return thread;
}

static void has_been_killed(pid_t pid, pthread_t thread)
{
	pthread_join(thread, NULL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* All frames are the producer's again. */
static void kill_consumer(struct mem_image **images, unsigned int seed)
{
	char arg[12];
	pthread_t killer;
	pid_t pid;
	int sock;

	snprintf(arg, sizeof(arg), "%u", seed % 4);
	pid = spawn("consumer", arg, &sock, 1);
	take_from(sock);
	assert_int_equal(connect_producer(), 0);
	killer = killer_of(pid);
	assert_int_equal(produce(images, UINT64_MAX), -EPIPE);
	has_been_killed(pid, killer);
	assert_int_equal(info_of().state, MEM_PIPE_DISCONNECTED);
	assert_int_equal(info_of().nr_active, 0);
	nr_frames += info_of().producer_frame;
	assert_int_equal(mem_pipe_disconnect(producer), 0);
	assert_int_equal(mem_pipe_disconnect(producer), -ENOTCONN);
	close_pipe();
}

static void a_killed_consumer_leaves_the_frames(void **state)
{
	struct mem_image *images[NR_IMAGES];
	unsigned int i;
	uint64_t free;
	size_t nr_fds;

	(void)state;
	for (i = 0; i < NR_IMAGES; i++)
		images[i] = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	warm_up(images);
	nr_fds = nr_of_process("fd");
	free = free_len();
	for (i = 0; i < nr_kills; i++)
		kill_consumer(images, i);
	has_left_nothing(nr_fds, free);
	for (i = 0; i < NR_IMAGES; i++)
		mem_image_destroy(images[i]);
}

/*
 * Two frames are held when the producer dies, and can be used still. Its work
 * on them may have been unfinished.
 */
static void kill_producer(void)
{
	struct mem_frame held[3], *frame = held;
	bool had[3];
	pthread_t killer;
	unsigned int i, nr = 0;
	char arg[12];
	pid_t pid;
	int sock, err;

	snprintf(arg, sizeof(arg), "%u", engine_every);
	pid = spawn("endless", arg, &sock, 1);
	give_to(sock);
	while (info_of().state < MEM_PIPE_EMPTY)
		usleep(100);
	killer = killer_of(pid);
	for (;;) {
		frame = &held[nr];
		*frame = (struct mem_frame) { .size = sizeof(*frame) };
		err = mem_pipe_acquire(consumer, stream, HANGS_NS, frame);
		if (err)
			break;
		nr_frames++;
		had[nr] = image_has(frame->image, frame->number);
		if (++nr < 3)
			continue;
		err = mem_pipe_release(consumer, &held[0], stream);
		assert_true(!err || err == -EPIPE);
		memmove(held, held + 1, 2 * sizeof(*held));
		memmove(had, had + 1, 2 * sizeof(*had));
		nr = 2;
	}
	assert_int_equal(err, -EPIPE);
	has_been_killed(pid, killer);
	assert_int_equal(info_of().state, MEM_PIPE_DISCONNECTED);
	assert_int_equal(info_of().nr_active, nr);
	for (i = 0; i < nr; i++) {
		assert_true(image_has(held[i].image, held[i].number) ||
			    !had[i]);
		assert_int_equal(mem_pipe_release(consumer, &held[i], stream),
				 -EPIPE);
	}
	assert_int_equal(info_of().nr_active, 0);
}

static void a_killed_producer_leaves_what_was_acquired(void **state)
{
	struct mem_image *images[NR_IMAGES];
	unsigned int i;
	uint64_t free;
	size_t nr_fds;

	(void)state;
	for (i = 0; i < NR_IMAGES; i++)
		images[i] = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	warm_up(images);
	nr_fds = nr_of_process("fd");
	free = free_len();
	make(4, MEM_PIPE_RESET | MEM_PIPE_NO_REUSE, 0);
	connect_consumer();
	for (i = 0; i < nr_kills; i++) {
		kill_producer();
		assert_int_equal(mem_pipe_reset(pipe_), 0);
		assert_int_equal(info_of().state, MEM_PIPE_CONNECTING);
		/* The last connections are kept until another export. */
		assert_true(nr_of_process("fd") < nr_fds + 40);
	}
	close_pipe();
	has_left_nothing(nr_fds, free);
	for (i = 0; i < NR_IMAGES; i++)
		mem_image_destroy(images[i]);
}

/* Its work never ends; so it must not matter any more when it is dead. */
static void role_stuck(const char *arg, int control, int sock)
{
	struct mem_image *image = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	const struct mem_frame frame = {
		.size = sizeof(frame),
		.image = image,
	};
	struct mem_semaphore *never;
	int fd = eventfd(0, EFD_CLOEXEC);

	(void)arg;
	take_from(sock);
	assert_int_equal(connect_producer(), 0);
	fill_image(image, 7);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_int_equal(mem_semaphore_import(ctx, fd, &never), 0);
	assert_int_equal(mem_stream_wait_semaphore(stream, never), 0);
	assert_int_equal(mem_pipe_present(producer, &frame, stream, 0), 0);
	assert_int_equal(send(control, "", 1, 0), 1);
	pause();
}

static void work_of_a_killed_producer_is_not_waited_for(void **state)
{
	struct mem_image *seen = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	struct mem_frame frame = { .size = sizeof(frame) };
	int socks[2];
	char byte;
	pid_t pid;

	(void)state;
	pid = spawn("stuck", "", socks, 2);
	make(1, 0, 0);
	connect_consumer();
	give_to(socks[1]);
	assert_int_equal(recv(socks[0], &byte, 1, 0), 1);
	assert_int_equal(mem_pipe_acquire(consumer, stream, 0, &frame), 0);
	assert_int_equal(mem_image_copy(stream, MEM_ENGINE_GPU, seen,
					frame.image), 0);
	assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
	assert_int_equal(mem_stream_query(stream), -EBUSY);
	kill_it(pid);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_true(image_has(seen, 7));
	close(socks[0]);
	close_pipe();
	mem_image_destroy(seen);
	nothing_found();
}

/* Other ways of a frame */

static void role_middle(const char *arg, int sock, int unused)
{
	struct mem_pipe *pipes[2];
	struct mem_frame frame = { .size = sizeof(frame) }, back = frame;
	struct mem_endpoint *endpoint;
	int err = 0;

	(void)unused;
	make(1, MEM_PIPE_NO_REUSE, 0);
	connect_consumer();
	give_to(sock);
	pipes[0] = pipe_;
	assert_int_equal(mem_endpoint_open(ctx, arg, HANGS_NS, &endpoint), 0);
	assert_int_equal(mem_pipe_import(endpoint, HANGS_NS, &pipes[1]), 0);
	pipe_ = pipes[1];
	assert_int_equal(connect_producer(), 0);
	while (!err) {
		err = mem_pipe_acquire(consumer, stream, HANGS_NS, &frame);
		if (!err)
			err = mem_pipe_present(producer, &frame, stream,
					       HANGS_NS);
		if (!err)
			err = mem_pipe_return(producer, stream, HANGS_NS,
					      &back);
		if (err)
			break;
		assert_ptr_equal(back.image, frame.image);
		err = mem_pipe_release(consumer, &frame, stream);
	}
	assert_int_equal(err, -EPIPE);
	close_pipe();
	mem_pipe_destroy(pipes[0]);
}

static void role_last(const char *arg, int unused, int unused_too)
{
	struct mem_endpoint *endpoint;
	struct mem_frame frame = { .size = sizeof(frame) };
	int err = 0;

	(void)unused;
	(void)unused_too;
	make(1, MEM_PIPE_NO_REUSE, 0);
	connect_consumer();
	assert_int_equal(mem_endpoint_open(ctx, arg, HANGS_NS, &endpoint), 0);
	assert_int_equal(mem_pipe_export(pipe_, endpoint), 0);
	while (!err) {
		err = mem_pipe_acquire(consumer, stream, HANGS_NS, &frame);
		if (err)
			break;
		assert_true(image_has(frame.image, (uintptr_t)frame.user));
		err = mem_pipe_release(consumer, &frame, stream);
	}
	assert_int_equal(err, -EPIPE);
	close_pipe();
}

static void a_frame_goes_from_a_to_b_to_c_and_back(void **state)
{
	struct mem_image_info info = { .size = sizeof(info) };
	struct mem_frame frame = { .size = sizeof(frame) };
	struct mem_image *image = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	char name[MEM_ENDPOINT_NAME_LEN];
	const unsigned int nr = scaled(100);
	uintptr_t i;
	pid_t pids[2];
	int sock;

	(void)state;
	snprintf(name, sizeof(name), "t%d.chain", getpid());
	pids[0] = spawn("middle", name, &sock, 1);
	pids[1] = spawn("last", name, NULL, 0);
	take_from(sock);
	assert_int_equal(connect_producer(), 0);
	frame.image = image;
	for (i = 1; i <= nr; i++) {
		frame.user = (void *)i;
		fill_image(image, i);
		assert_int_equal(mem_pipe_present(producer, &frame, stream,
						  HANGS_NS), 0);
		assert_int_equal(mem_pipe_return(producer, stream, HANGS_NS,
						 &frame), 0);
		assert_ptr_equal(frame.image, image);
		assert_int_equal(frame.number, i);
	}
	assert_int_equal(mem_image_info(image, &info), 0);
	assert_int_equal(info.nr_copies, 0);
	close_pipe();
	end_of(pids[0]);
	end_of(pids[1]);
	mem_image_destroy(image);
	nothing_found();
}

/* Makes no call until it is told to. */
static void role_busy(const char *arg, int control, int sock)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	char byte;

	make((uint32_t)atoi(arg), 0, 0);
	connect_consumer();
	give_to(sock);
	assert_int_equal(recv(control, &byte, 1, 0), 1);
	assert_int_equal(mem_pipe_acquire(consumer, stream, 0, &frame), 0);
	assert_int_equal(frame.number, 200);
	assert_true(image_has(frame.image, 200));
	close_pipe();
}

static void a_mailbox_replaces_while_the_consumer_is_busy(void **state)
{
	struct mem_image *images[NR_IMAGES];
	unsigned int i;
	int socks[2];
	pid_t pid;

	(void)state;
	for (i = 0; i < NR_IMAGES; i++)
		images[i] = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	pid = spawn("busy", "0", socks, 2);
	take_from(socks[1]);
	assert_int_equal(connect_producer(), 0);
	assert_int_equal(produce(images, 200), 0);
	assert_int_equal(mem_stream_sync(stream), 0);
	assert_int_equal(info_of().nr_waiting, 1);
	assert_int_equal(info_of().nr_replaced, 199);
	assert_int_equal(send(socks[0], "", 1, 0), 1);
	end_of(pid);
	close(socks[0]);
	close_pipe();
	for (i = 0; i < NR_IMAGES; i++)
		mem_image_destroy(images[i]);
	nothing_found();
}

/* Presents a frame until that fails, and returns the error. */
static int present_all(struct mem_image *image, unsigned int *nr)
{
	const struct mem_frame frame = {
		.size = sizeof(frame),
		.image = image,
	};
	int err;

	do {
		err = mem_pipe_present(producer, &frame, stream, NS_PER_MS);
		*nr += !err;
	} while (!err);
	return err;
}

/* The socket is full sooner than the limits of frames are reached. */
static void stop_consumer(const char *length, int buffer_len, int err)
{
	struct mem_image *image = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	struct mem_frame frame = { .size = sizeof(frame) };
	const uint64_t begin = now_ns();
	unsigned int nr = 0;
	int sock;
	pid_t pid = spawn("taker", length, &sock, 1);

	if (buffer_len)
		setsockopt(sock, SOL_SOCKET, SO_SNDBUF, &buffer_len,
			   sizeof(buffer_len));
	take_from(sock);
	assert_int_equal(connect_producer(), 0);
	frame.image = image;
	assert_int_equal(mem_pipe_present(producer, &frame, stream, 0), 0);
	assert_int_equal(mem_pipe_return(producer, stream, HANGS_NS, &frame),
			 0);
	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(waitpid(pid, NULL, WUNTRACED), pid);
	assert_int_equal(present_all(image, &nr), err);
	assert_true(nr > 0);
	assert_int_equal(mem_pipe_return(producer, stream, NS_PER_MS, &frame),
			 -ETIMEDOUT);
	assert_int_equal(kill(pid, SIGCONT), 0);
	for (; nr; nr--)
		assert_int_equal(mem_pipe_return(producer, stream, HANGS_NS,
						 &frame), 0);
	assert_int_equal(mem_pipe_return(producer, stream, NS_PER_MS, &frame),
			 -ENODATA);
	assert_int_equal(info_of().nr_active, 0);
	close_pipe();
	end_of(pid);
	assert_true(now_ns() - begin < HANGS_NS);
	mem_image_destroy(image);
}

static void a_stopped_consumer_is_not_waited_for_too_long(void **state)
{
	(void)state;
	stop_consumer("3", 0, -ETIMEDOUT);
	stop_consumer("0", 0, -ENOBUFS);
	stop_consumer("0", 1, -ETIMEDOUT);
	nothing_found();
}

/* Both ends in this process, as if they were of two */

static struct mem_pipe *client;

/* The consumer is of the context @of. */
static void make_both(struct mem_ctx *of, uint32_t length, uint32_t flags)
{
	struct mem_endpoint *endpoint;
	int socks[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				    socks), 0);
	assert_int_equal(mem_endpoint_from_fd(of, socks[0], &endpoint), 0);
	close(socks[0]);
	make(length, flags, 0);
	assert_int_equal(mem_pipe_export(pipe_, endpoint), 0);
	assert_int_equal(mem_pipe_import(endpoint_on(socks[1]), HANGS_NS,
					 &client), 0);
}

static void connect_both(struct mem_ctx *of)
{
	assert_int_equal(mem_pipe_connect_consumer(pipe_, of, &consumer), 0);
	assert_int_equal(mem_pipe_connect_producer(client, ctx, ROW, ROWS,
						   &producer), 0);
}

static void close_both(void)
{
	close_pipe();
	mem_pipe_destroy(client);
	client = NULL;
}

static struct mem_frame frame_at(void *base)
{
	return (struct mem_frame) {
		.size = sizeof(struct mem_frame),
		.nr_planes = 1,
		.planes = { { ROW, ROWS, 1, ROW, 0, base } },
	};
}

static void k_fail(const struct mem_block *block, void *arg)
{
	(void)block;
	**(uint32_t **)arg = 1;
}

static void present_to_failed(struct mem_frame frame)
{
	uint32_t *none = (uint32_t *)4096;
	const struct mem_launch launch = launch_of(k_fail, &none, sizeof(none));
	struct mem_ctx *failed;

	assert_int_equal(mem_ctx_open(NULL, &failed), 0);
	make_both(failed, 1, 0);
	connect_both(failed);
	assert_int_equal(mem_launch(mem_stream_legacy(failed), &launch), 0);
	assert_int_equal(mem_ctx_sync(failed), -EFAULT);
	assert_int_equal(mem_pipe_present(producer, &frame, stream, 0), 0);
	close_both();
	mem_ctx_close(failed);
}

/* An error stays in the context whose work has failed. */
static void the_consumers_error_is_not_the_producers(void **state)
{
	struct mem_image *image = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	struct mem_frame frame = { .size = sizeof(frame), .image = image };

	(void)state;
	if (!has_processes)
		skip_because("kernels that fail would end this process");
	present_to_failed(frame);
	alloc_frames();
	present_to_failed(frame_at(memory_));
	mem_buf_destroy(memory_buf);
	if (is_embedded()) {
		frame = frame_at(memory(MEM_KIND_DEVICE));
		present_to_failed(frame);
		release(frame.planes[0].base);
	}
	mem_image_destroy(image);
	found(MEM_VIOLATION_ILLEGAL_ADDRESS);
}

/* The producer disconnects, and so does the consumer. */
static void disconnect_both(void)
{
	mem_pipe_end_destroy(producer);
	assert_int_equal(mem_pipe_reset(pipe_), 0);
	mem_pipe_end_destroy(consumer);
	assert_int_equal(mem_pipe_reset(pipe_), 0);
}

static void device_memory_is_for_one_context(void **state)
{
	struct mem_frame frame;
	struct mem_ctx *other;

	(void)state;
	if (!is_embedded())
		skip_because("the module shares no device memory");
	assert_int_equal(mem_ctx_open(NULL, &other), 0);
	frame = frame_at(memory(MEM_KIND_DEVICE));
	make_both(ctx, 4, MEM_PIPE_RESET);
	connect_both(ctx);
	assert_int_equal(mem_pipe_present(producer, &frame, stream, 0), 0);
	disconnect_both();
	connect_both(other);
	assert_int_equal(mem_pipe_present(producer, &frame, stream, 0),
			 -EOPNOTSUPP);
	assert_int_equal(info_of().nr_active, 0);
	disconnect_both();
	connect_both(ctx);
	assert_int_equal(mem_pipe_present(producer, &frame, stream, 0), 0);
	assert_int_equal(info_of().nr_active, 1);
	close_both();
	release(frame.planes[0].base);
	mem_ctx_close(other);
	nothing_found();
}

/* The connection goes before the consumer's work begins. */
static void work_on_a_frame_outlasts_the_connection(void **state)
{
	struct mem_frame frame, got = { .size = sizeof(got) };
	uint32_t *seen = memory(MEM_KIND_PINNED);
	struct gate gate;

	(void)state;
	alloc_frames();
	frame = frame_at(memory_);
	assert_int_equal(mem_fill_async(stream, memory_, 7, LEN), 0);
	make_both(ctx, 1, MEM_PIPE_NO_REUSE);
	connect_both(ctx);
	assert_int_equal(mem_pipe_present(producer, &frame, stream, 0), 0);
	assert_int_equal(mem_pipe_acquire(consumer, stream, HANGS_NS, &got), 0);
	assert_ptr_not_equal(got.planes[0].base, memory_);
	gate = hold_up(stream);
	start_add(stream, seen, got.planes[0].base, 1);
	assert_int_equal(mem_pipe_release(consumer, &got, stream), 0);
	close_both();
	let_go(gate);
	sync_stream();
	assert_int_equal(seen[0], 0x07070708);
	assert_int_equal(seen[N - 1], 0x07070708);
	release(gate.word);
	release(seen);
	mem_buf_destroy(memory_buf);
	nothing_found();
}

/* The producer disconnects and forgets a frame that the consumer holds. */
static void a_held_frame_keeps_its_memory(void **state)
{
	struct mem_frame held = { .size = sizeof(held) }, got = held;
	struct mem_frame frame = { .size = sizeof(frame) };

	(void)state;
	make_both(ctx, 1, MEM_PIPE_RESET);
	connect_both(ctx);
	frame.image = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	fill_image(frame.image, 1);
	assert_int_equal(mem_pipe_present(producer, &frame, stream, 0), 0);
	assert_int_equal(mem_pipe_acquire(consumer, stream, HANGS_NS, &held),
			 0);
	mem_pipe_end_destroy(producer);
	mem_image_destroy(frame.image);
	assert_int_equal(mem_pipe_reset(pipe_), 0);
	assert_int_equal(mem_pipe_connect_producer(client, ctx, ROW, ROWS,
						   &producer), 0);
	/* It would replace that of the image that was destroyed. */
	frame.image = new_image(SIDE, SIDE, MEM_FORMAT_U8);
	fill_image(frame.image, 2);
	assert_int_equal(mem_pipe_present(producer, &frame, stream, 0), 0);
	assert_int_equal(mem_pipe_acquire(consumer, stream, HANGS_NS, &got), 0);
	assert_true(image_has(held.image, 1));
	assert_true(image_has(got.image, 2));
	assert_int_equal(mem_pipe_release(consumer, &held, stream), -EPIPE);
	assert_int_equal(mem_pipe_release(consumer, &got, stream), 0);
	close_both();
	mem_image_destroy(frame.image);
	nothing_found();
}

/* Each active frame may have memory of its own in each plane. */
static void too_many_frames_with_three_planes_are_refused(void **state)
{
	struct mem_buf *bufs[MEM_PIPE_FRAMES_MAX + 1][MEM_PLANES_MAX];
	struct mem_frame frame = frame_at(NULL);
	unsigned int i, j;
	void *base;

	(void)state;
	make_both(ctx, MEM_PIPE_FRAMES_MAX, 0);
	connect_both(ctx);
	frame.nr_planes = MEM_PLANES_MAX;
	for (i = 0; i < NR(bufs); i++) {
		for (j = 0; j < MEM_PLANES_MAX; j++) {
			assert_int_equal(mem_buf_alloc(ctx, MEM_KIND_UNCACHED,
						       FRAME_LEN, NULL,
						       &bufs[i][j]), 0);
			assert_int_equal(mem_buf_device_ptr(bufs[i][j], &base),
					 0);
			frame.planes[j] = frame.planes[0];
			frame.planes[j].base = base;
		}
		assert_int_equal(mem_pipe_present(producer, &frame, stream, 0),
				 i < MEM_PIPE_FRAMES_MAX ? 0 : -ENOBUFS);
	}
	close_both();
	for (i = 0; i < NR(bufs); i++)
		for (j = 0; j < MEM_PLANES_MAX; j++)
			mem_buf_destroy(bufs[i][j]);
	nothing_found();
}

struct presenting {
	pthread_t thread;
	struct mem_frame frame;
	atomic_bool is_done;
	int err;
};

static void *present_it(void *arg)
{
	struct presenting *presenting = arg;

	presenting->err = mem_pipe_present(producer, &presenting->frame, stream,
					   HANGS_NS);
	presenting->is_done = true;
	return NULL;
}

/* Device memory cannot be shared before its context has no work. */
static void a_present_that_waits_stops_no_other_call(void **state)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	struct mem_pipe_info info = { .size = sizeof(info) };
	struct presenting two[2] = { 0 };
	void *ptr, *bases[2];
	struct gate gate;
	uint64_t i;

	(void)state;
	if (!is_embedded())
		skip_because("the module shares no device memory");
	make_both(ctx, 4, MEM_PIPE_NO_REUSE);
	connect_both(ctx);
	ptr = memory(MEM_KIND_DEVICE);
	gate = hold_up(stream);
	for (i = 0; i < 2; i++) {
		two[i].frame = frame_at(ptr);
		assert_int_equal(pthread_create(&two[i].thread, NULL,
						present_it, &two[i]), 0);
	}
	for (i = 0; i < 100; i++) {
		assert_int_equal(mem_pipe_info(client, &info), 0);
		assert_int_equal(mem_pipe_set_latency(client, i), 0);
		usleep(1000);
	}
	assert_false(two[0].is_done || two[1].is_done);
	let_go(gate);
	for (i = 0; i < 2; i++) {
		pthread_join(two[i].thread, NULL);
		assert_int_equal(two[i].err, 0);
	}
	/* It is shared once. */
	for (i = 0; i < 2; i++) {
		assert_int_equal(mem_pipe_acquire(consumer, stream, HANGS_NS,
						  &frame), 0);
		bases[i] = frame.planes[0].base;
	}
	assert_ptr_equal(bases[0], bases[1]);
	close_both();
	release(ptr);
	release(gate.word);
	nothing_found();
}

/*
 * The rate of frames of 1080p, NV12, compared with two processes that pass a
 * memfd and an eventfd for each frame, and with two that pass them once and
 * only count by eventfds afterwards. The frames are written and read by CPUs,
 * or only passed.
 */

#define WIDE		1920U
#define HIGH		1080U
#define HAND_LEN	((size_t)WIDE * HIGH * 3 / 2)

struct bench {
	uint32_t nr;
	uint32_t is_touched;
};

static unsigned int bytes_sum;

static void read_bytes(const void *from, size_t len)
{
	const uint64_t *word = from;
	uint64_t sum = 0;

	for (; len >= sizeof(*word); len -= sizeof(*word))
		sum += *word++;
	bytes_sum += (unsigned int)sum;
}

static void touch_image(struct mem_image *image, unsigned int access)
{
	struct mem_image_data data = { .size = sizeof(data) };
	unsigned int i;
	size_t len;

	assert_int_equal(mem_image_lock(image, access, MEM_LOCK_HOST, &data),
			 0);
	for (i = 0; i < data.nr_planes; i++) {
		len = (size_t)data.planes[i].pitch * data.planes[i].height;
		if (access == MEM_WRITE)
			memset(data.planes[i].base, 1, len);
		else
			read_bytes(data.planes[i].base, len);
	}
	assert_int_equal(mem_image_unlock(image), 0);
}

static struct bench bench_of(const char *arg)
{
	char *end;
	struct bench bench;

	bench.nr = (uint32_t)strtoul(arg, &end, 10);
	assert_int_equal(*end, ',');
	bench.is_touched = (uint32_t)strtoul(end + 1, NULL, 10);
	return bench;
}

static void role_fast(const char *arg, int sock, int unused)
{
	const struct bench bench = bench_of(arg);
	struct mem_frame frame = { .size = sizeof(frame) };
	struct mem_image *images[NR_IMAGES];
	uint32_t i;
	int err = 0;

	(void)unused;
	for (i = 0; i < NR_IMAGES; i++) {
		images[i] = new_image(WIDE, HIGH, MEM_FORMAT_NV12_ER);
		touch_image(images[i], MEM_WRITE);
	}
	take_from(sock);
	assert_int_equal(connect_producer(), 0);
	for (i = 0; !err && i < bench.nr; i++) {
		if (i < NR_IMAGES)
			frame.image = images[i];
		else
			err = mem_pipe_return(producer, stream, HANGS_NS,
					      &frame);
		if (bench.is_touched && !err)
			touch_image(frame.image, MEM_WRITE);
		if (!err)
			err = mem_pipe_present(producer, &frame, stream,
					       HANGS_NS);
	}
	while (!err)
		err = mem_pipe_return(producer, stream, HANGS_NS, &frame);
	assert_int_equal(err, -EPIPE);
	close_pipe();
	for (i = 0; i < NR_IMAGES; i++)
		mem_image_destroy(images[i]);
}

/* Returns frames per second. The first ones are not counted. */
static double pipe_rate(struct bench bench)
{
	struct mem_frame frame = { .size = sizeof(frame) };
	uint64_t begin = 0;
	char arg[32];
	uint32_t i;
	int sock;
	pid_t pid;

	snprintf(arg, sizeof(arg), "%u,%u", bench.nr, bench.is_touched);
	pid = spawn("fast", arg, &sock, 1);
	make(NR_IMAGES, MEM_PIPE_NO_REUSE, 0);
	connect_consumer();
	give_to(sock);
	for (i = 0; i < bench.nr; i++) {
		if (i == NR_IMAGES)
			begin = now_ns();
		assert_int_equal(mem_pipe_acquire(consumer, stream, HANGS_NS,
						  &frame), 0);
		if (bench.is_touched)
			touch_image(frame.image, MEM_READ);
		assert_int_equal(mem_pipe_release(consumer, &frame, stream), 0);
	}
	begin = now_ns() - begin;
	close_pipe();
	end_of(pid);
	return (bench.nr - NR_IMAGES) * 1e9 / (double)begin;
}

static uint64_t wait_for_event(int fd)
{
	eventfd_t value;

	assert_int_equal(eventfd_read(fd, &value), 0);
	return value;
}

static void role_hand(const char *arg, int sock, int unused)
{
	const struct bench bench = bench_of(arg);
	uint8_t *bytes[NR_IMAGES];
	int fds[2], file;
	uint32_t i;

	(void)unused;
	for (i = 0; i < NR_IMAGES; i++) {
		file = memfd_create("frame", MFD_CLOEXEC);
		assert_int_equal(ftruncate(file, HAND_LEN), 0);
		bytes[i] = mmap(NULL, HAND_LEN, PROT_READ | PROT_WRITE,
				MAP_SHARED, file, 0);
		assert_ptr_not_equal(bytes[i], MAP_FAILED);
		memset(bytes[i], 1, HAND_LEN);
		assert_int_equal(pass_fd(sock, file), 0);
	}
	for (i = 0; i < 2; i++) {
		fds[i] = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
		assert_int_equal(pass_fd(sock, fds[i]), 0);
	}
	for (i = 0; i < bench.nr; i++) {
		if (i >= NR_IMAGES)
			wait_for_event(fds[1]);
		if (bench.is_touched)
			memset(bytes[i % NR_IMAGES], 1, HAND_LEN);
		assert_int_equal(eventfd_write(fds[0], 1), 0);
	}
	recv(sock, &i, 1, 0);
}

static double hand_rate(struct bench bench)
{
	uint8_t *bytes[NR_IMAGES];
	uint64_t begin = 0;
	char arg[32];
	int sock, fds[2], file;
	uint32_t i;
	pid_t pid;

	snprintf(arg, sizeof(arg), "%u,%u", bench.nr, bench.is_touched);
	pid = spawn("hand", arg, &sock, 1);
	for (i = 0; i < NR_IMAGES; i++) {
		file = passed_fd(sock);
		bytes[i] = mmap(NULL, HAND_LEN, PROT_READ, MAP_SHARED, file, 0);
		assert_ptr_not_equal(bytes[i], MAP_FAILED);
		close(file);
	}
	for (i = 0; i < 2; i++)
		fds[i] = passed_fd(sock);
	for (i = 0; i < bench.nr; i++) {
		if (i == NR_IMAGES)
			begin = now_ns();
		wait_for_event(fds[0]);
		if (bench.is_touched)
			read_bytes(bytes[i % NR_IMAGES], HAND_LEN);
		assert_int_equal(eventfd_write(fds[1], 1), 0);
	}
	begin = now_ns() - begin;
	close(sock);
	end_of(pid);
	for (i = 0; i < NR_IMAGES; i++)
		munmap(bytes[i], HAND_LEN);
	for (i = 0; i < 2; i++)
		close(fds[i]);
	return (bench.nr - NR_IMAGES) * 1e9 / (double)begin;
}

/* A frame goes as a memfd, with an eventfd that is signalled afterwards. */

static void role_passer(const char *arg, int sock, int unused)
{
	const struct bench bench = bench_of(arg);
	int fds[NR_IMAGES][2];
	uint8_t *bytes[NR_IMAGES];
	char byte;
	uint32_t i;

	(void)unused;
	for (i = 0; i < NR_IMAGES; i++) {
		fds[i][0] = memfd_create("frame", MFD_CLOEXEC);
		fds[i][1] = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
		assert_int_equal(ftruncate(fds[i][0], HAND_LEN), 0);
		bytes[i] = mmap(NULL, HAND_LEN, PROT_READ | PROT_WRITE,
				MAP_SHARED, fds[i][0], 0);
		assert_ptr_not_equal(bytes[i], MAP_FAILED);
		memset(bytes[i], 1, HAND_LEN);
	}
	for (i = 0; i < bench.nr; i++) {
		if (i >= NR_IMAGES)
			wait_for_event(fds[i % NR_IMAGES][1]);
		if (bench.is_touched)
			memset(bytes[i % NR_IMAGES], 1, HAND_LEN);
		assert_int_equal(pass_fds(sock, "", 1, fds[i % NR_IMAGES], 2,
					  0), 1);
	}
	recv(sock, &byte, 1, 0);
}

static double passed_rate(struct bench bench)
{
	uint64_t begin = 0;
	char arg[32];
	uint8_t *bytes;
	uint32_t i;
	int sock, fds[2];
	pid_t pid;

	snprintf(arg, sizeof(arg), "%u,%u", bench.nr, bench.is_touched);
	pid = spawn("passer", arg, &sock, 1);
	for (i = 0; i < bench.nr; i++) {
		if (i == NR_IMAGES)
			begin = now_ns();
		assert_int_equal(passed_fds(sock, fds, 2), 0);
		bytes = mmap(NULL, HAND_LEN, PROT_READ, MAP_SHARED, fds[0], 0);
		assert_ptr_not_equal(bytes, MAP_FAILED);
		if (bench.is_touched)
			read_bytes(bytes, HAND_LEN);
		munmap(bytes, HAND_LEN);
		assert_int_equal(eventfd_write(fds[1], 1), 0);
		close(fds[0]);
		close(fds[1]);
	}
	begin = now_ns() - begin;
	close(sock);
	end_of(pid);
	return (bench.nr - NR_IMAGES) * 1e9 / (double)begin;
}

/* Printed, not judged: other programs may run on the machine. */
static void frames_go_by_pipe_and_by_hand(void **state)
{
	/* With the module it runs on an emulated processor. */
	const unsigned int nr = NR_IMAGES + scaled(is_embedded() ? 1000 : 50);
	const struct bench touched = { nr, 1 };
	const struct bench passed = { 20 * nr, 0 };

	(void)state;
	print_message("# 1080p frames/s: pipe %.0f, fds by hand %.0f,",
		      pipe_rate(touched), passed_rate(touched));
	print_message(" only counts %.0f\n", hand_rate(touched));
	print_message("# without a touch: pipe %.0f, fds by hand %.0f,",
		      pipe_rate(passed), passed_rate(passed));
	print_message(" only counts %.0f\n", hand_rate(passed));
}

/* Roles */

static const struct {
	const char *name;
	void (*run)(const char *arg, int first, int second);
} roles[] = {
	{ "steps", role_steps },
	{ "producer", role_producer },
	{ "device", role_device },
	{ "consumer", role_consumer },
	{ "endless", role_endless },
	{ "stuck", role_stuck },
	{ "middle", role_middle },
	{ "last", role_last },
	{ "busy", role_busy },
	{ "taker", role_taker },
	{ "fast", role_fast },
	{ "hand", role_hand },
	{ "passer", role_passer },
};

static int run_role(char **argv)
{
	size_t i;

	if (open_strict(NULL))
		return 2;
	for (i = 0; i < NR(roles); i++) {
		if (strcmp(argv[1], roles[i].name))
			continue;
		roles[i].run(argv[2], atoi(argv[3]), atoi(argv[4]));
		return close_all(NULL);
	}
	return 3;
}

/* Kills both sides @nr times: pipe_process_test kills NR LIFE_US */
static int run_kills(char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_killed_consumer_leaves_the_frames),
		cmocka_unit_test(a_killed_producer_leaves_what_was_acquired),
	};
	int ret;

	nr_kills = (unsigned int)atoi(argv[2]);
	life_us = (unsigned int)atoi(argv[3]);
	engine_every = 64;
	ret = cmocka_run_group_tests(tests, open_strict, close_all);
	printf("# %llu frames\n", (unsigned long long)nr_frames);
	return ret;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_and_waits_are_those_of_one_process),
		cmocka_unit_test(a_fifo_loses_no_frame_and_no_byte),
		cmocka_unit_test(device_memory_is_shared_if_it_can_be),
		cmocka_unit_test(a_mailbox_has_the_newest_frame),
		cmocka_unit_test(a_killed_consumer_leaves_the_frames),
		cmocka_unit_test(a_killed_producer_leaves_what_was_acquired),
		cmocka_unit_test(work_of_a_killed_producer_is_not_waited_for),
		cmocka_unit_test(a_frame_goes_from_a_to_b_to_c_and_back),
		cmocka_unit_test(a_mailbox_replaces_while_the_consumer_is_busy),
		cmocka_unit_test(a_stopped_consumer_is_not_waited_for_too_long),
		cmocka_unit_test(the_consumers_error_is_not_the_producers),
		cmocka_unit_test(device_memory_is_for_one_context),
		cmocka_unit_test(work_on_a_frame_outlasts_the_connection),
		cmocka_unit_test(a_held_frame_keeps_its_memory),
		cmocka_unit_test(too_many_frames_with_three_planes_are_refused),
		cmocka_unit_test(a_present_that_waits_stops_no_other_call),
		cmocka_unit_test(frames_go_by_pipe_and_by_hand),
	};

	if (argc == 5)
		return run_role(argv);
	if (argc == 4)
		return run_kills(argv);
	nr_kills = scaled(40);
	return cmocka_run_group_tests(tests, open_strict, close_all);
}
