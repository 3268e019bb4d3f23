// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the model's random sequences on a buffer of libmem. If all access is
 * revoked before each access, every byte and every counter must equal those of
 * the reference; without revocation, every byte. If it is revoked before some
 * accesses, violations of these must be reported, and none that the reference
 * does not have. SEED=, ROUNDS= and STEPS= are as for the model's random_test.
 */
#include "test.h"

#include <sequence.h>

/**
 * struct pair - a buffer, and a second one for the dma engine
 * @buf: buffer with two views
 * @beside: buffer with one view
 * @view: mapping of @buf
 * @beside_view: mapping of @beside
 * @id: id of @buf
 */
struct pair {
	struct mem_buf *buf;
	struct mem_buf *beside;
	uint8_t *view;
	uint8_t *beside_view;
	uint64_t id;
};

static void pair_destroy(void *subject)
{
	struct pair *pair = subject;

	mem_buf_destroy(pair->buf);
	mem_buf_destroy(pair->beside);
	free(pair);
}

static void *pair_create(const struct ref_params *p)
{
	struct mem_buf_info info = { .size = sizeof(info) };
	struct mem_violation unread = { .size = sizeof(unread) };
	struct pair *pair = calloc(1, sizeof(*pair));

	if (!pair)
		return NULL;
	if (mem_buf_alloc(ctx, MEM_KIND_NONCOHERENT, p->len, "random",
			  &pair->buf) ||
	    mem_buf_alloc(ctx, MEM_KIND_COHERENT, p->len, "beside",
			  &pair->beside) ||
	    mem_buf_map(pair->buf, (void **)&pair->view) ||
	    mem_buf_map(pair->beside, (void **)&pair->beside_view) ||
	    mem_buf_info(pair->buf, &info)) {
		pair_destroy(pair);
		return NULL;
	}
	pair->id = info.id;
	/* Discard violations of freed buffers. */
	while (mem_ctx_next_violation(ctx, &unread) > 0)
		;
	return pair;
}

/* The first byte is read alone, so that a fault is at its address. */
static int pair_read(void *subject, size_t off, uint8_t *bytes, size_t len,
		     unsigned int who)
{
	struct pair *pair = subject;

	(void)who;
	bytes[0] = byte_at(pair->view + off);
	memcpy(bytes + 1, pair->view + off + 1, len - 1);
	return 0;
}

static int pair_write(void *subject, size_t off, const uint8_t *bytes,
		      size_t len, unsigned int who)
{
	struct pair *pair = subject;

	(void)who;
	__atomic_store_n(pair->view + off, bytes[0], __ATOMIC_RELAXED);
	__asm__ volatile("" ::: "memory");
	memcpy(pair->view + off + 1, bytes + 1, len - 1);
	__asm__ volatile("" ::: "memory");
	return 0;
}

/* Some jobs are delayed, so their lines are judged again when they start. */
static int copy(struct mem_buf *src, struct mem_buf *dst, size_t off,
		size_t len)
{
	struct mem_copy2d rows = {
		.size = sizeof(rows),
		.dst = dst,
		.src = src,
		.dst_off = off,
		.src_off = off,
		.row_len = len,
		.nr_rows = 1,
		.delay_ns = off % 2,
	};
	struct mem_job *job;
	uint64_t result;
	int err;

	err = mem_job_copy2d(&rows, &job);
	if (err)
		return err;
	err = mem_job_wait(job, MEM_WAIT_FOREVER, &result);
	mem_job_destroy(job);
	return err ? err : result == len ? 0 : -EIO;
}

static int pair_engine_read(void *subject, size_t off, uint8_t *bytes,
			    size_t len)
{
	struct pair *pair = subject;
	int err = copy(pair->buf, pair->beside, off, len);

	if (!err)
		memcpy(bytes, pair->beside_view + off, len);
	return err;
}

static int pair_engine_write(void *subject, size_t off, const uint8_t *bytes,
			     size_t len)
{
	struct pair *pair = subject;

	memcpy(pair->beside_view + off, bytes, len);
	return copy(pair->beside, pair->buf, off, len);
}

static int pair_maintain(void *subject, unsigned int op, size_t off,
			 size_t len)
{
	struct pair *pair = subject;
	struct mem_range range = {
		.buf = pair->buf,
		.op = op,
		.off = off,
		.len = len,
	};
	size_t nr_done;
	int err = mem_buf_maintain(ctx, &range, 1, &nr_done);

	return err ? err : nr_done == 1 ? 0 : -EIO;
}

static int pair_start(void *subject, unsigned int who, unsigned int dir)
{
	struct pair *pair = subject;

	(void)who;
	return mem_buf_begin(pair->buf, dir);
}

static int pair_end(void *subject, unsigned int who, unsigned int dir)
{
	struct pair *pair = subject;

	(void)who;
	return mem_buf_end(pair->buf, dir);
}

static int pair_counters(void *subject, struct heapsim_counters *count)
{
	struct pair *pair = subject;
	struct mem_buf_info info = { .size = sizeof(info) };
	int err = mem_buf_info(pair->buf, &info);

	_Static_assert(sizeof(info.count) == sizeof(*count), "the same fields");
	if (!err)
		memcpy(count, &info.count, sizeof(*count));
	return err;
}

/* The model reports lines; a violation has the byte that was accessed. */
static void told_add(struct ref_told *told, const struct mem_violation *v,
		     size_t line_size)
{
	size_t off = v->off, end = v->off + v->len;

	if (v->kind == MEM_VIOLATION_STALE_READ ||
	    v->kind == MEM_VIOLATION_POSSIBLE_STALE_READ ||
	    v->kind == MEM_VIOLATION_UNBRACKETED_ACCESS) {
		off -= off % line_size;
		end += -end % line_size;
	}
	ref_told_add(&told[v->kind], v->count, off, end - off);
}

static int pair_told(void *subject, struct ref_told *told)
{
	struct mem_violation v = { .size = sizeof(v) };
	struct pair *pair = subject;
	int ret;

	while ((ret = mem_ctx_next_violation(ctx, &v)) > 0)
		if (v.kind == MEM_VIOLATION_DROPPED || v.buf == pair->id)
			told_add(told, &v, line_size());
	return ret;
}

static const struct subject_ops pair_ops = {
	.name = "libmem",
	.nr_who = 1,
	.create = pair_create,
	.destroy = pair_destroy,
	.cpu_read = pair_read,
	.cpu_write = pair_write,
	.engine_read = pair_engine_read,
	.engine_write = pair_engine_write,
	.maintain = pair_maintain,
	.sync_start = pair_start,
	.sync_end = pair_end,
	.counters = pair_counters,
	.told = pair_told,
};

static int revoke_all(void *subject, struct ref *ref, size_t off)
{
	struct pair *pair = subject;

	(void)off;
	ref_revoke(ref);
	return mem_buf_revoke(pair->buf);
}

/*
 * An access to an accessible page fills nothing, even if other pages of the
 * granule have Invalid lines. The reference fills these, so access is revoked.
 */
static int revoke_if_it_fills(void *subject, struct ref *ref, size_t off)
{
	return ref_would_fill(ref, off) ? revoke_all(subject, ref, off) : 0;
}

static struct sequence sequence_of(size_t nr_pages)
{
	struct mem_probe probe = { .size = sizeof(probe) };

	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	return (struct sequence) {
		.p = {
			.len = nr_pages * (size_t)probe.page_size,
			.line_size = probe.line_size,
			.fill_size = probe.fill_size,
			.page_size = probe.page_size,
		},
		.nr_steps = (unsigned int)env_or("STEPS", 300),
	};
}

static void play(struct sequence *seq)
{
	const uint64_t only = env_or("SEED", 0);
	const uint64_t nr_rounds = only ? 1 : env_or("ROUNDS", 20);
	uint64_t i;

	for (i = 0; i < nr_rounds; i++) {
		seq->seed = only ? only : 1 + i;
		assert_int_equal(sequence_play(seq, &pair_ops), 0);
	}
}

static size_t pages_beyond_a_granule(void)
{
	struct mem_probe probe = { .size = sizeof(probe) };

	assert_int_equal(mem_ctx_probe(ctx, &probe), 0);
	return probe.fill_size / probe.page_size + 2;
}

static void revoked_buffer_equals_the_reference_in_all(void **state)
{
	struct sequence seq = sequence_of(pages_beyond_a_granule());

	(void)state;
	seq.before_touch = revoke_all;
	play(&seq);
}

static void revoked_page_equals_the_reference_in_all(void **state)
{
	struct sequence seq = sequence_of(1);

	(void)state;
	seq.before_touch = revoke_all;
	play(&seq);
}

static void buffer_equals_the_reference_in_every_byte(void **state)
{
	struct sequence seq = sequence_of(pages_beyond_a_granule());

	(void)state;
	seq.before_touch = revoke_if_it_fills;
	seq.is_bytes_only = true;
	play(&seq);
}

static void page_equals_the_reference_in_every_byte(void **state)
{
	struct sequence seq = sequence_of(1);

	(void)state;
	seq.before_touch = revoke_if_it_fills;
	seq.is_bytes_only = true;
	play(&seq);
}

static void violations_are_a_subset_with_first_touches(void **state)
{
	struct sequence seq = sequence_of(pages_beyond_a_granule());

	(void)state;
	seq.before_touch = revoke_all;
	seq.is_sampled = true;
	play(&seq);
}

static int open_watching(void **state)
{
	return open_ctx(state) ||
	       mem_ctx_watch(ctx, MEM_WATCH_ERRORS | MEM_WATCH_WASTE, 256);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(revoked_buffer_equals_the_reference_in_all),
		cmocka_unit_test(revoked_page_equals_the_reference_in_all),
		cmocka_unit_test(buffer_equals_the_reference_in_every_byte),
		cmocka_unit_test(page_equals_the_reference_in_every_byte),
		cmocka_unit_test(violations_are_a_subset_with_first_touches),
	};

	return cmocka_run_group_tests(tests, open_watching, close_ctx);
}
