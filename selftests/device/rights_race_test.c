// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the commands of a caller that knows the order of its streams, on the
 * real module: random programs against a reference, threads and processes that
 * touch while a right is taken and given back, killed callers, and the limit of
 * the user. SEED= runs one random program only, ROUNDS= is the number of
 * programs, STEPS= the length.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rights.h"

static const uint64_t streams[] = { 0, 7, 1ULL << 33 };

#define NR_STREAMS	ARRAY_SIZE(streams)

/**
 * struct world - a context
 * @dev: the context
 * @page: page size in bytes
 * @is_concurrent: the board permits concurrent access by CPU and engines
 */
struct world {
	int dev;
	size_t page;
	bool is_concurrent;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->dev = rights_open();
	w->page = device_page_size();
	w->is_concurrent = !strcmp(device_probe(w->dev).soc, "thor");
	rights_stream_add(w->dev, streams[1]);
	rights_stream_add(w->dev, streams[2]);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	close(w->dev);
	free(w);
	return 0;
}

/* Random programs */

#define NR_BUFS		4

/**
 * struct ref_buf - a buffer in the reference
 * @m: buffer of the module
 * @attach: its newest state
 * @stream: the stream that it is single to, index
 * @in_table: the table decides, by @place
 * @place: state in the table
 * @place_stream: its stream
 * @is_refused: not in the table: the CPU may not touch it
 * @is_due: a job has written it, and the CPU has not seen that
 * @value: its first byte, as whoever may touch it has to see it
 * @nr_refused: refused touches
 */
struct ref_buf {
	struct managed m;
	uint32_t attach;
	unsigned int stream;
	bool in_table;
	uint32_t place;
	unsigned int place_stream;
	bool is_refused;
	bool is_due;
	uint8_t value;
	uint64_t nr_refused;
};

/**
 * struct program - a random program
 * @w: context
 * @random: state of the random numbers
 * @is_active: streams
 * @bufs: buffers
 * @last_work: last id of a work
 */
struct program {
	struct world *w;
	uint64_t random;
	bool is_active[NR_STREAMS];
	struct ref_buf bufs[NR_BUFS];
	uint64_t last_work;
};

static unsigned int below(struct program *p, unsigned int limit)
{
	p->random = p->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (p->random >> 33) % limit;
}

static bool ref_state_refuses(const struct program *p, uint32_t attach,
			      unsigned int stream)
{
	if (attach == HEAPSIM_ATTACH_HOST)
		return false;
	if (attach == HEAPSIM_ATTACH_SINGLE)
		return p->is_active[stream];
	return p->is_active[0] || p->is_active[1] || p->is_active[2];
}

static bool ref_refuses(const struct program *p, const struct ref_buf *b)
{
	if (p->w->is_concurrent)
		return false;
	return b->in_table ?
	       ref_state_refuses(p, b->place, b->place_stream) : b->is_refused;
}

static bool ref_job_sees(const struct ref_buf *b, unsigned int stream)
{
	return b->in_table && (b->place == HEAPSIM_ATTACH_GLOBAL ||
			       (b->place == HEAPSIM_ATTACH_SINGLE &&
				b->place_stream == stream));
}

static void buf_make(struct program *p, struct ref_buf *b)
{
	*b = (struct ref_buf) {
		.attach = below(p, 2) ? HEAPSIM_ATTACH_HOST :
					HEAPSIM_ATTACH_GLOBAL,
		.in_table = true,
	};
	b->place = b->attach;
	b->m = managed_create(p->w->dev, HEAPSIM_KIND_MANAGED, b->attach,
			      2 * p->w->page);
}

static void do_state(struct program *p)
{
	const unsigned int i = below(p, NR_STREAMS);
	uint32_t flags = below(p, 4) * HEAPSIM_STREAM_SEEN_AGAIN;

	if (!below(p, 8)) {
		/* no change */
		assert_int_equal(rights_state_errno(p->w->dev, streams[i],
						    p->is_active[i]), 0);
		return;
	}
	p->is_active[i] = !p->is_active[i];
	if (p->is_active[i])
		flags = HEAPSIM_STREAM_ACTIVE;
	assert_int_equal(rights_state_errno(p->w->dev, streams[i], flags), 0);
}

static void do_attach(struct program *p, struct ref_buf *b)
{
	static const uint32_t attaches[] = {
		HEAPSIM_ATTACH_GLOBAL, HEAPSIM_ATTACH_HOST,
		HEAPSIM_ATTACH_SINGLE,
	};
	struct heapsim_buf_attach cmd = { .buf = b->m.id };
	const bool was_refused = ref_refuses(p, b);

	if (below(p, 2)) {
		b->attach = attaches[below(p, ARRAY_SIZE(attaches))];
		b->stream = below(p, NR_STREAMS);
		cmd.flags = HEAPSIM_ATTACH_NEWEST;
		cmd.attach = b->attach;
		cmd.stream = streams[b->stream];
	}
	cmd.right = below(p, 2) ? HEAPSIM_RIGHT_TABLE :
				  below(p, HEAPSIM_RIGHT_REFUSED + 1);
	switch (cmd.right) {
	case HEAPSIM_RIGHT_SAME:
		break;
	case HEAPSIM_RIGHT_TABLE:
		b->in_table = true;
		b->place = b->attach;
		b->place_stream = b->stream;
		if (b->is_due)
			cmd.flags |= HEAPSIM_ATTACH_DUE;
		break;
	default:
		b->in_table = false;
		b->is_refused = cmd.right == HEAPSIM_RIGHT_REFUSED ||
				(cmd.right == HEAPSIM_RIGHT_ALONE &&
				 was_refused);
		break;
	}
	if (was_refused && !ref_refuses(p, b))
		cmd.flags |= HEAPSIM_ATTACH_INVALIDATE;
	if (!below(p, 4))
		cmd.flags |= HEAPSIM_ATTACH_CLEAN;
	assert_int_equal(rights_attach_errno(p->w->dev, &cmd), 0);
}

static void do_job(struct program *p)
{
	const unsigned int i = below(p, NR_STREAMS);
	const uint64_t work = ++p->last_work;
	struct ref_buf *b;

	if (!p->is_active[i])
		return;
	assert_int_equal(rights_work_add_errno(p->w->dev, streams[i], work,
					       "gpu"), 0);
	assert_int_equal(rights_work_start_errno(p->w->dev, work, NULL, 0), 0);
	for (b = p->bufs; b < p->bufs + NR_BUFS; b++) {
		if (!ref_job_sees(b, i))
			continue;
		assert_int_equal(b->m.view[0], b->value);
		if (below(p, 2))
			continue;
		b->value = below(p, 256);
		b->m.view[0] = b->value;
		b->is_due = true;
	}
	assert_int_equal(rights_work_finish_errno(p->w->dev, work), 0);
}

static void do_touch(struct program *p, struct ref_buf *b)
{
	const bool is_refused = ref_refuses(p, b);
	uint8_t value = below(p, 256);

	b->nr_refused += is_refused;
	if (below(p, 2)) {
		assert_int_equal(cpu_writes(b->m.map, value), !is_refused);
		if (!is_refused)
			b->value = value;
		return;
	}
	assert_int_equal(cpu_reads(b->m.map, &value), !is_refused);
	if (!is_refused)
		assert_int_equal(value, b->value);
}

static void check(struct program *p)
{
	struct heapsim_rights_info info;
	struct ref_buf *b;

	for (b = p->bufs; b < p->bufs + NR_BUFS; b++) {
		info = rights_info(p->w->dev, b->m.id);
		assert_int_equal(info.attach, b->attach);
		assert_int_equal(info.attach_stream,
				 b->attach == HEAPSIM_ATTACH_SINGLE ?
				 streams[b->stream] : 0);
		assert_int_equal(info.is_cpu_allowed, !ref_refuses(p, b));
		assert_int_equal(info.cpu_while_active, b->nr_refused);
	}
}

static void do_step(struct program *p)
{
	struct ref_buf *b = &p->bufs[below(p, NR_BUFS)];

	switch (below(p, 8)) {
	case 0:
	case 1:
		do_state(p);
		break;
	case 2:
		do_attach(p, b);
		break;
	case 3:
	case 4:
		do_job(p);
		break;
	case 5:
		if (below(p, 4))
			break;
		managed_destroy(&b->m);
		buf_make(p, b);
		break;
	default:
		do_touch(p, b);
		break;
	}
}

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static void run_program(struct world *w, uint64_t seed, unsigned long nr_steps)
{
	struct program p = { .w = w, .random = seed };
	unsigned int i;

	for (i = 0; i < NR_BUFS; i++)
		buf_make(&p, &p.bufs[i]);
	while (nr_steps--) {
		do_step(&p);
		check(&p);
	}
	for (i = 0; i < NR_STREAMS; i++)
		rights_idle(w->dev, streams[i]);
	for (i = 0; i < NR_BUFS; i++)
		managed_destroy(&p.bufs[i].m);
}

static void random_programs_agree_with_the_reference(void **state)
{
	const unsigned long nr_steps = number("STEPS", 250);
	const unsigned long first = number("SEED", 1);
	const unsigned long nr = getenv("SEED") ? 1 : number("ROUNDS", 20);
	unsigned long seed;

	for (seed = first; seed < first + nr; seed++) {
		print_message("# seed %lu\n", seed);
		run_program(*state, seed, nr_steps);
	}
}

/* Races */

#define NR_STORERS	4	/* the last is another process */
#define NR_ROUNDS	60

/* What is true while the number does not change, in its lowest two bits. */
enum phase {
	GIVEN,
	BEING_TAKEN,
	TAKEN,
	BEING_GIVEN,
};

/**
 * struct storer - a thread that stores ascending numbers
 * @race: the race
 * @slot: where it stores
 * @last: last number that it has stored
 * @nr_stored: stores while the CPU might
 * @nr_refused: refused stores while the CPU might not
 * @nr_passed: stores while the CPU might not
 * @nr_lost: refused stores while the CPU might
 */
struct storer {
	struct race *race;
	volatile uint32_t *slot;
	uint32_t last;
	uint32_t nr_stored;
	uint32_t nr_refused;
	uint32_t nr_passed;
	uint32_t nr_lost;
};

/**
 * struct race - memory that is shared with the other process
 * @phase: enum phase, counted on
 * @ends: the storers shall end
 * @m: buffer
 * @storers: storers
 */
struct race {
	uint32_t phase;
	bool ends;
	struct managed m;
	struct storer storers[NR_STORERS];
};

static __thread sigjmp_buf refused;

static void on_sigbus(int sig)
{
	siglongjmp(refused, sig);
}

static bool store(volatile uint32_t *slot, uint32_t value)
{
	if (sigsetjmp(refused, 0))
		return false;
	*slot = value;
	return true;
}

static uint32_t load(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

static void *stores(void *arg)
{
	struct storer *s = arg;
	uint32_t before, value = 0;
	bool is_stored;

	while (!__atomic_load_n(&s->race->ends, __ATOMIC_SEQ_CST)) {
		before = load(&s->race->phase);
		is_stored = store(s->slot, ++value);
		if (is_stored)
			__atomic_store_n(&s->last, value, __ATOMIC_SEQ_CST);
		if (load(&s->race->phase) != before)
			continue;
		if (before % 4 == GIVEN)
			*(is_stored ? &s->nr_stored : &s->nr_lost) += 1;
		if (before % 4 == TAKEN)
			*(is_stored ? &s->nr_passed : &s->nr_refused) += 1;
	}
	return NULL;
}

static void next_phase(struct race *race)
{
	__atomic_fetch_add(&race->phase, 1, __ATOMIC_SEQ_CST);
}

/* What was stored before the right ended, a work sees. */
static void run_work(struct world *w, struct race *race, uint64_t work)
{
	uint32_t last[NR_STORERS], seen;
	unsigned int i;
	size_t off;

	for (i = 0; i < NR_STORERS; i++)
		last[i] = load(&race->storers[i].last);
	assert_int_equal(rights_work_start_errno(w->dev, work, NULL, 0), 0);
	for (i = 0; i < NR_STORERS; i++) {
		off = (uint8_t *)race->storers[i].slot - race->m.map;
		seen = *(volatile uint32_t *)(race->m.view + off);
		assert_in_range(seen, last[i], UINT32_MAX);
	}
	usleep(1000);
	assert_int_equal(rights_work_finish_errno(w->dev, work), 0);
}

static void take_and_give(struct world *w, struct race *race, uint64_t round)
{
	const uint64_t stream = streams[round % NR_STREAMS];

	assert_int_equal(rights_work_add_errno(w->dev, stream, round, "gpu"),
			 0);
	next_phase(race);
	rights_activate(w->dev, stream);
	next_phase(race);
	run_work(w, race, round);
	next_phase(race);
	rights_idle(w->dev, stream);
	next_phase(race);
	usleep(1000);
}

static void no_store_passes_when_the_right_has_ended(void **state)
{
	static const size_t slots[NR_STORERS] = { 0, 64, 5 * 4096 + 8,
						  9 * 4096 };
	const struct sigaction action = {
		.sa_handler = on_sigbus,
		.sa_flags = SA_NODEFER,
	};
	pthread_t threads[NR_STORERS - 1];
	struct world *w = *state;
	struct sigaction old;
	struct race *race;
	struct storer *s;
	unsigned int i;
	pid_t pid;

	if (w->is_concurrent)
		device_skip("access is concurrent");
	race = mmap(NULL, sizeof(*race), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(race, MAP_FAILED);
	race->m = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
				 HEAPSIM_ATTACH_GLOBAL, 16 * 4096);
	assert_int_equal(sigaction(SIGBUS, &action, &old), 0);
	for (i = 0; i < NR_STORERS; i++) {
		race->storers[i].race = race;
		race->storers[i].slot = (void *)(race->m.map + slots[i]);
	}
	pid = fork();
	if (!pid) {
		stores(&race->storers[NR_STORERS - 1]);
		_exit(0);
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, stores,
						&race->storers[i]), 0);
	for (i = 1; i <= NR_ROUNDS; i++)
		take_and_give(w, race, i);
	__atomic_store_n(&race->ends, true, __ATOMIC_SEQ_CST);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	sigaction(SIGBUS, &old, NULL);
	for (s = race->storers; s < race->storers + NR_STORERS; s++) {
		print_message("# %u stored, %u refused\n", s->nr_stored,
			      s->nr_refused);
		assert_int_equal(s->nr_passed, 0);
		assert_int_equal(s->nr_lost, 0);
	}
	managed_destroy(&race->m);
	munmap(race, sizeof(*race));
}

/**
 * struct caller - a thread that changes the state of its own buffers
 * @w: context
 * @nr: number of the thread
 */
struct caller {
	struct world *w;
	unsigned int nr;
};

static void *calls(void *arg)
{
	const struct caller *c = arg;
	const uint64_t stream = 100 + c->nr;
	const int dev = c->w->dev;
	struct heapsim_buf_attach attach = {
		.flags = HEAPSIM_ATTACH_NEWEST,
		.stream = stream,
		.attach = HEAPSIM_ATTACH_SINGLE,
		.right = HEAPSIM_RIGHT_TABLE,
	};
	struct heapsim_buf_alloc alloc;
	uint64_t work;
	unsigned int i;

	for (i = 0; i < 200; i++) {
		work = i * 16 + c->nr + 1;
		alloc.len = c->w->page;
		if (managed_alloc_errno(dev, HEAPSIM_KIND_MANAGED,
					HEAPSIM_ATTACH_GLOBAL, 0, &alloc))
			return arg;
		attach.buf = alloc.id;
		if (rights_stream_errno(dev, HEAPSIM_IOC_STREAM_ADD, stream) ||
		    rights_attach_errno(dev, &attach) ||
		    rights_work_add_errno(dev, stream, work, "gpu") ||
		    rights_state_errno(dev, stream, HEAPSIM_STREAM_ACTIVE) ||
		    rights_work_start_errno(dev, work, NULL, 0) ||
		    rights_work_finish_errno(dev, work) ||
		    rights_state_errno(dev, stream, 0))
			return arg;
		close(alloc.fd);
		/* The last reference goes before close() returns. */
		if (rights_stream_errno(dev, HEAPSIM_IOC_STREAM_REMOVE, stream))
			return arg;
	}
	return NULL;
}

static void many_threads_are_served(void **state)
{
	struct caller callers[4];
	pthread_t threads[4];
	void *failed = NULL, *one;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		callers[i] = (struct caller) { *state, i };
		assert_int_equal(pthread_create(&threads[i], NULL, calls,
						&callers[i]), 0);
	}
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &one);
		failed = failed ? failed : one;
	}
	assert_null(failed);
}

/* Killed callers */

#define NR_KILLED	24	/* buffers */

static void change_until_killed(int dev, struct managed *bufs, size_t page)
{
	size_t i, off;

	for (;;) {
		for (i = 0; i < NR_KILLED; i++)
			for (off = 0; off < bufs[i].len; off += page)
				bufs[i].map[off] = 1;
		rights_work_add_errno(dev, streams[1], 1, "gpu");
		rights_state_errno(dev, streams[1], HEAPSIM_STREAM_ACTIVE);
		rights_work_start_errno(dev, 1, NULL, 0);
		rights_work_finish_errno(dev, 1);
		rights_attach_errno(dev, &(struct heapsim_buf_attach) {
				.buf = bufs[0].id,
				.flags = HEAPSIM_ATTACH_INVALIDATE,
				.right = HEAPSIM_RIGHT_ALLOWED });
		rights_state_errno(dev, streams[1], 0);
		rights_attach_errno(dev, &(struct heapsim_buf_attach) {
				.buf = bufs[0].id,
				.right = HEAPSIM_RIGHT_TABLE });
	}
}

/* Others go on with the open that a killed caller has used. */
static void the_next_command_completes_what_is_left(void **state)
{
	struct managed bufs[NR_KILLED];
	struct world *w = *state;
	unsigned int i, round;
	pid_t pid;

	for (i = 0; i < NR_KILLED; i++)
		bufs[i] = managed_create(w->dev, HEAPSIM_KIND_MANAGED,
					 HEAPSIM_ATTACH_GLOBAL, 64 * w->page);
	for (round = 0; round < 25; round++) {
		pid = fork();
		if (!pid)
			change_until_killed(w->dev, bufs, w->page);
		device_sleep_ns((20 + 7 * round) * NSEC_PER_MSEC);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		rights_idle(w->dev, streams[1]);
		rights_set(w->dev, &bufs[0], HEAPSIM_RIGHT_TABLE, 0);
		for (i = 0; i < NR_KILLED; i++) {
			assert_true(cpu_reads(bufs[i].map, NULL));
			assert_true(cpu_writes(bufs[i].map, 2));
		}
		rights_activate(w->dev, streams[1]);
		for (i = 0; i < NR_KILLED; i++)
			assert_int_equal(cpu_writes(bufs[i].map, 3),
					 w->is_concurrent);
		rights_work_start_errno(w->dev, 1, NULL, 0);
		rights_work_finish_errno(w->dev, 1);
		rights_idle(w->dev, streams[1]);
	}
	for (i = 0; i < NR_KILLED; i++)
		managed_destroy(&bufs[i]);
}

/* An open that ends with its killed caller leaves its buffers to others. */
static void buffers_of_a_killed_caller_are_the_cpus(void **state)
{
	struct managed bufs[NR_KILLED];
	struct world *w = *state;
	unsigned int i, round;
	pid_t pid;
	int dev;

	for (round = 0; round < 8; round++) {
		dev = rights_open();
		rights_stream_add(dev, streams[1]);
		for (i = 0; i < NR_KILLED; i++)
			bufs[i] = managed_create(dev, HEAPSIM_KIND_MANAGED,
						 HEAPSIM_ATTACH_GLOBAL,
						 64 * w->page);
		pid = fork();
		if (!pid)
			change_until_killed(dev, bufs, w->page);
		close(dev);
		device_sleep_ns((20 + 17 * round) * NSEC_PER_MSEC);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		/* The last reference goes a little later. */
		device_sleep_ns(20 * NSEC_PER_MSEC);
		for (i = 0; i < NR_KILLED; i++) {
			assert_true(cpu_reads(bufs[i].map, NULL));
			assert_true(cpu_writes(bufs[i].map, 2));
			managed_destroy(&bufs[i]);
		}
	}
}

static void works_of_a_user_are_limited(void **state)
{
	struct world *w = *state;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < 300000 && !ret; i++)
		ret = rights_work_add_errno(w->dev, 0, i + 1, "gpu");
	assert_int_equal(ret, -EBUSY);
	assert_true(i > 200000);
	assert_int_equal(rights_stream_errno(w->dev, HEAPSIM_IOC_STREAM_ADD, 5),
			 -EBUSY);
	/* existing works still run, and one that has ended makes room */
	assert_int_equal(rights_work_start_errno(w->dev, i / 2, NULL, 0), 0);
	assert_int_equal(rights_work_finish_errno(w->dev, i / 2), 0);
	rights_stream_add(w->dev, 5);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(random_programs_agree_with_the_reference),
		TEST(no_store_passes_when_the_right_has_ended),
		TEST(many_threads_are_served),
		TEST(the_next_command_completes_what_is_left),
		TEST(buffers_of_a_killed_caller_are_the_cpus),
		TEST(works_of_a_user_are_limited),
	};

	return cmocka_run_group_tests_name("rights races", tests, NULL, NULL);
}
