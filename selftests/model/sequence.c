// SPDX-License-Identifier: GPL-2.0-only
/*
 * See sequence.h. Each step is chosen at random and done by the subject and by
 * the reference, which are then compared. Offsets are mostly near a few places,
 * and bytes are from a small set, so that accesses share lines and some writes
 * change nothing. A failure is printed with the seed and the steps before it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sequence.h"
#include "steps.h"

/**
 * struct run - a sequence while it runs
 * @seq: the sequence
 * @ops: operations of the subject
 * @subject: subject that is compared with @ref
 * @ref: the reference
 * @steps: random numbers and the last steps
 * @bytes: temporary bytes, as long as the buffer
 * @is_sample: the current access must be seen
 * @want_before: counters of the reference before such an access
 * @have_before: counters of the subject before such an access
 */
struct run {
	const struct sequence *seq;
	const struct subject_ops *ops;
	void *subject;
	struct ref *ref;
	struct steps steps;
	uint8_t *bytes;
	bool is_sample;
	struct heapsim_counters want_before;
	struct heapsim_counters have_before;
};

/** struct counter_name - a counter and its name */
struct counter_name {
	const char *name;
	size_t offset;
};

#define COUNTER(field) { #field, offsetof(struct heapsim_counters, field) }

static const struct counter_name counter_names[] = {
	COUNTER(fills),
	COUNTER(lines_filled),
	COUNTER(lines_cleaned),
	COUNTER(lines_invalidated),
	COUNTER(evictions),
	COUNTER(redundant_cleans),
	COUNTER(redundant_invalidates),
	COUNTER(shared_lines),
	COUNTER(stale_reads),
	COUNTER(possible_stale_reads),
	COUNTER(lost_device_writes),
	COUNTER(lost_cpu_writes),
	COUNTER(missing_cleans),
	COUNTER(write_conflicts),
	COUNTER(unbracketed_accesses),
	COUNTER(missing_ends),
	COUNTER(unmatched_ends),
};

/**
 * sequence_compare_counters() - compare counters and print differences
 * @want: counters of the reference
 * @have: counters of the subject
 *
 * Return: 0 if equal, else -EINVAL.
 */
int sequence_compare_counters(const struct heapsim_counters *want,
			      const struct heapsim_counters *have)
{
	int ret = 0;
	size_t i;

	_Static_assert(sizeof(counter_names) / sizeof(counter_names[0]) *
		       sizeof(uint64_t) == sizeof(struct heapsim_counters),
		       "every counter is compared");
	for (i = 0; i < sizeof(counter_names) / sizeof(counter_names[0]); i++) {
		size_t offset = counter_names[i].offset;
		uint64_t a, b;

		memcpy(&a, (const char *)want + offset, sizeof(a));
		memcpy(&b, (const char *)have + offset, sizeof(b));
		if (a == b)
			continue;
		fprintf(stderr, "# %s: %llu, reference %llu\n",
			counter_names[i].name, (unsigned long long)b,
			(unsigned long long)a);
		ret = -EINVAL;
	}
	return ret;
}

static size_t below(struct run *run, size_t bound)
{
	return steps_draw(&run->steps, bound);
}

/* Chooses an offset, mostly near the begin, the end or the edge of a page. */
static size_t draw_off(struct run *run)
{
	const struct ref_params *p = &run->ref->p;
	size_t near = 4 * p->line_size;
	size_t off;

	if (!below(run, 5))
		return below(run, p->len);
	off = p->page_size * below(run, p->len / p->page_size + 1);
	off += p->len + below(run, 2 * near) - near;
	off %= p->len;
	if (!below(run, 2))
		off -= off % p->line_size;
	return off;
}

static size_t draw_len(struct run *run, size_t most)
{
	size_t line = run->ref->p.line_size;
	size_t len;

	switch (below(run, 6)) {
	case 0:
		len = 1 + below(run, 8);
		break;
	case 1:
		len = line;
		break;
	case 2:
		len = line * (1 + below(run, 6));
		break;
	case 3:
		len = 1 + below(run, 3 * line);
		break;
	case 4:
		len = 1 + below(run, run->ref->p.page_size);
		break;
	default:
		len = below(run, 3) ? 4 + below(run, line) : most;
		break;
	}
	return len < most ? len : most;
}

static void draw_bytes(struct run *run, size_t off, size_t len)
{
	size_t gap = 1 + below(run, 3);
	size_t i;

	if (!below(run, 3)) {
		memset(run->bytes, (int)below(run, 3), len);
		return;
	}
	/* the bytes that are already there, except for a few */
	memcpy(run->bytes, (gap == 1 ? run->ref->dram : run->ref->cpu) + off,
	       len);
	for (i = below(run, gap * 8); i < len;
	     i += 1 + below(run, gap * run->ref->p.line_size))
		run->bytes[i] = (uint8_t)below(run, 3);
}

/*
 * A store that is not seen makes a line Dirty only if it changes bytes; a byte
 * equal to the pattern does not count as stored.
 */
static void make_bytes_differ(struct run *run, size_t off, size_t len)
{
	size_t line_size = run->ref->p.line_size;
	size_t i;

	for (i = 0; i < len; i++) {
		bool is_valid =
			run->ref->lines[(off + i) / line_size].is_valid;
		uint8_t fill = is_valid ? run->ref->fill[off + i] :
					  run->ref->dram[off + i];

		while (run->bytes[i] == fill ||
		       run->bytes[i] == ref_pattern(off + i))
			run->bytes[i] += 0x40;
	}
}

static void log_step(struct run *run, const char *what, size_t off, size_t len,
		     unsigned int who)
{
	steps_log(&run->steps, "%u: %s off %#zx len %#zx who/dir %u",
		  run->steps.nr, what, off, len, who);
}

static int compare_bytes(struct run *run, const uint8_t *want, size_t off,
			 size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (run->bytes[i] == want[off + i])
			continue;
		fprintf(stderr, "# read %#x at %#zx, reference %#x\n",
			run->bytes[i], off + i, want[off + i]);
		return -EINVAL;
	}
	return 0;
}

/*
 * An access that would fill other pages is always a sample, since it would fill
 * nothing if it were not seen.
 */
static int before_touch(struct run *run, size_t off)
{
	int ret;

	run->is_sample = run->seq->is_sampled &&
			 (!below(run, 3) || ref_would_fill(run->ref, off));
	if (!run->seq->before_touch ||
	    (run->seq->is_sampled && !run->is_sample))
		return 0;
	ret = run->seq->before_touch(run->subject, run->ref, off);
	if (ret || !run->is_sample)
		return ret;
	run->want_before = run->ref->count;
	return run->ops->counters(run->subject, &run->have_before);
}

/*
 * An access that was seen must be reported as by the reference. But if the
 * subject did not see an earlier read, it may report a possible stale read now.
 */
static int compare_sample(struct run *run)
{
	const struct heapsim_counters *want = &run->ref->count;
	const struct heapsim_counters *want_before = &run->want_before;
	const struct heapsim_counters *have_before = &run->have_before;
	struct heapsim_counters have;
	int ret = run->ops->counters(run->subject, &have);

	if (ret)
		return ret;
	if (have.stale_reads - have_before->stale_reads ==
	    want->stale_reads - want_before->stale_reads &&
	    have.unbracketed_accesses - have_before->unbracketed_accesses ==
	    want->unbracketed_accesses - want_before->unbracketed_accesses &&
	    have.possible_stale_reads - have_before->possible_stale_reads >=
	    want->possible_stale_reads - want_before->possible_stale_reads)
		return 0;
	fprintf(stderr, "# a touch was seen, but reported wrongly:\n");
	sequence_compare_counters(want_before, have_before);
	fprintf(stderr, "# before it, and after it:\n");
	sequence_compare_counters(want, &have);
	return -EINVAL;
}

static int after_fault(struct run *run, size_t off)
{
	int ret = run->is_sample ? compare_sample(run) : 0;

	if (ret || !run->seq->after_fault)
		return ret;
	return run->seq->after_fault(run->subject, run->ref, off);
}

static size_t left_in_page(const struct run *run, size_t off)
{
	return run->ref->p.page_size - off % run->ref->p.page_size;
}

static int cpu_read(struct run *run, size_t off, size_t len, unsigned int who)
{
	int ret;

	ret = before_touch(run, off);
	if (!ret)
		ret = run->ops->cpu_read(run->subject, off, run->bytes, len,
					 who);
	ref_cpu_read(run->ref, off, who);
	if (!ret)
		ret = after_fault(run, off);
	return ret ? ret : compare_bytes(run, run->ref->cpu, off, len);
}

static int cpu_write(struct run *run, size_t off, size_t len, unsigned int who)
{
	int ret;

	draw_bytes(run, off, len);
	if (run->seq->is_bytes_only || run->seq->is_sampled)
		make_bytes_differ(run, off, len);
	ret = before_touch(run, off);
	if (!ret)
		ret = run->ops->cpu_write(run->subject, off, run->bytes, len,
					  who);
	ref_cpu_write_fault(run->ref, off, who);
	if (!ret)
		ret = after_fault(run, off);
	ref_cpu_store(run->ref, off, run->bytes, len);
	return ret;
}

/*
 * Does one access, which is seen at its first byte; or, if each access is seen,
 * one for each line of the range.
 */
static int cpu_touch(struct run *run, unsigned int who,
		     int (*touch)(struct run *run, size_t off, size_t len,
				  unsigned int who), const char *what)
{
	const size_t line_size = run->ref->p.line_size;
	size_t off = draw_off(run);
	size_t len = draw_len(run, left_in_page(run, off));
	size_t end = off + len;
	int ret = 0;

	log_step(run, what, off, len, who);
	if (!run->seq->is_precise)
		return touch(run, off, len, who);
	for (; off < end && !ret; off = off - off % line_size + line_size) {
		ret = touch(run, off, 1, who);
		ref_revoke(run->ref);
	}
	return ret;
}

static int step_cpu_read(struct run *run, unsigned int who)
{
	return cpu_touch(run, who, cpu_read, "cpu read");
}

static int step_cpu_write(struct run *run, unsigned int who)
{
	return cpu_touch(run, who, cpu_write, "cpu write");
}

/* Only a page with a Dirty line may still have a writable PTE. */
static int step_cpu_store(struct run *run)
{
	struct ref *ref = run->ref;
	size_t off = draw_off(run);
	size_t len = draw_len(run, left_in_page(run, off));
	size_t page = off - off % ref->p.page_size;
	bool is_dirty = false;
	size_t at;

	for (at = page; at < page + ref->p.page_size; at += ref->p.line_size) {
		enum ref_state state =
			ref_line_state(ref, at / ref->p.line_size);

		if (state == REF_INVALID)
			return 0;
		is_dirty |= state == REF_DIRTY;
	}
	if (!is_dirty)
		return 0;
	log_step(run, "cpu store unseen", off, len, 0);
	draw_bytes(run, off, len);
	ref_cpu_store(ref, off, run->bytes, len);
	return run->ops->cpu_store(run->subject, off, run->bytes, len);
}

static int engine_read(struct run *run, size_t off, size_t len)
{
	int ret;

	log_step(run, "engine read", off, len, 0);
	ret = run->ops->engine_read(run->subject, off, run->bytes, len);
	ref_engine_read(run->ref, off, len);
	return ret ? ret : compare_bytes(run, run->ref->dram, off, len);
}

static int engine_write(struct run *run, size_t off, size_t len)
{
	log_step(run, "engine write", off, len, 0);
	draw_bytes(run, off, len);
	ref_engine_write(run->ref, off, run->bytes, len);
	return run->ops->engine_write(run->subject, off, run->bytes, len);
}

static int step_engine_read(struct run *run)
{
	size_t off = draw_off(run);

	return engine_read(run, off, draw_len(run, run->ref->p.len - off));
}

static int step_engine_write(struct run *run)
{
	size_t off = draw_off(run);

	return engine_write(run, off, draw_len(run, run->ref->p.len - off));
}

static int step_holder_write(struct run *run)
{
	size_t off = draw_off(run);
	size_t len = draw_len(run, run->ref->p.len - off);

	if (!ref_is_held_by_writer(run->ref))
		return 0;
	log_step(run, "holder write", off, len, 0);
	draw_bytes(run, off, len);
	ref_holder_write(run->ref, off, run->bytes, len);
	return run->ops->holder_write(run->subject, off, run->bytes, len);
}

static int step_maintain(struct run *run)
{
	unsigned int op = 1 + (unsigned int)below(run, 3);
	size_t off = draw_off(run);
	size_t len = draw_len(run, run->ref->p.len - off);

	if (!below(run, 30))
		len = 0;
	log_step(run, op == HEAPSIM_MAINT_CLEAN ? "clean" :
		 op == HEAPSIM_MAINT_INVALIDATE ? "invalidate" :
		 "clean invalidate", off, len, 0);
	if (op == HEAPSIM_MAINT_CLEAN)
		ref_clean(run->ref, off, len);
	else if (op == HEAPSIM_MAINT_INVALIDATE)
		ref_invalidate(run->ref, off, len);
	else
		ref_clean_invalidate(run->ref, off, len);
	return run->ops->maintain(run->subject, op, off, len);
}

static int step_sync(struct run *run, unsigned int who)
{
	const struct ref_brackets *open = &run->ref->brackets[who];
	unsigned int dir = 1 + (unsigned int)below(run, 3);
	unsigned int nr_open = open->nr_read + open->nr_write;

	/* unmatched ENDs and deeply nested STARTs are rare */
	if (below(run, 8) ? nr_open > below(run, 3) : !below(run, 2)) {
		if (below(run, 6))
			dir = open->nr_read && open->nr_write ? dir :
			      open->nr_write ? REF_WRITE :
			      open->nr_read ? REF_READ : dir;
		log_step(run, "END", 0, dir, who);
		ref_sync_end(run->ref, who, dir);
		return run->ops->sync_end(run->subject, who, dir);
	}
	log_step(run, "START", 0, dir, who);
	ref_sync_start(run->ref, who, dir);
	return run->ops->sync_start(run->subject, who, dir);
}

static int step_map(struct run *run)
{
	unsigned int dir = (unsigned int)below(run, 3);

	if (run->ref->nr_maps[dir] > below(run, 2)) {
		log_step(run, "unmap", 0, 0, dir);
		ref_unmap(run->ref, dir);
		return run->ops->unmap(run->subject, dir);
	}
	log_step(run, "map", 0, 0, dir);
	ref_map(run->ref, dir);
	return run->ops->map(run->subject, dir);
}

static int step_vmap(struct run *run)
{
	if (run->ref->nr_vmaps > below(run, 2)) {
		log_step(run, "vunmap", 0, 0, 0);
		ref_vunmap(run->ref);
		return run->ops->vunmap(run->subject);
	}
	log_step(run, "vmap", 0, 0, 0);
	ref_vmap(run->ref);
	return run->ops->vmap(run->subject);
}

static int step_evict(struct run *run)
{
	size_t line = draw_off(run) / run->ref->p.line_size;

	log_step(run, "evict", line * run->ref->p.line_size, 0, 0);
	ref_evict(run->ref, line);
	return run->ops->evict(run->subject, line);
}

static int step_process_end(struct run *run, unsigned int who)
{
	log_step(run, "process end", 0, 0, who);
	ref_process_end(run->ref, who);
	return run->ops->process_end(run->subject, who);
}

/* Starts a job that accesses its bytes later; there is no other meanwhile. */
static int step_job(struct run *run)
{
	bool is_write = below(run, 2);
	size_t off = draw_off(run);
	size_t len = draw_len(run, run->ref->p.len - off);
	unsigned int nr_steps = (unsigned int)below(run, 6);
	unsigned int who;
	int ret;

	log_step(run, is_write ? "job start, writes" : "job start, reads", off,
		 len, 0);
	ret = run->ops->job_start(run->subject, off, len, is_write);
	ref_job_start(run->ref, off, len, is_write);
	while (!ret && nr_steps--) {
		who = 1 + (unsigned int)below(run, run->ops->nr_who);
		switch (below(run, 5)) {
		case 0:
			ret = step_cpu_read(run, who);
			break;
		case 1:
			ret = step_cpu_write(run, who);
			break;
		case 2:
			ret = step_sync(run, who);
			break;
		default:
			ret = step_maintain(run);
			break;
		}
	}
	if (!ret)
		ret = is_write ? engine_write(run, off, len) :
				 engine_read(run, off, len);
	log_step(run, "job end", off, len, 0);
	ref_job_end(run->ref);
	return ret ? ret : run->ops->job_end(run->subject);
}

static int step(struct run *run)
{
	const struct subject_ops *ops = run->ops;
	unsigned int who = 1 + (unsigned int)below(run, ops->nr_who);
	size_t choice = below(run, 100);

	if (choice < 22)
		return step_cpu_read(run, who);
	if (choice < 44)
		return step_cpu_write(run, who);
	if (choice < 52)
		return ops->cpu_store ? step_cpu_store(run) : 0;
	if (choice < 55)
		return step_engine_read(run);
	if (choice < 68)
		return step_engine_write(run);
	if (choice < 82)
		return step_maintain(run);
	if (choice < 90)
		return step_sync(run, who);
	if (choice < 93)
		return ops->map ? step_map(run) : 0;
	if (choice < 95)
		return ops->vmap ? step_vmap(run) : 0;
	if (choice < 97)
		return ops->holder_write ? step_holder_write(run) : 0;
	if (choice < 98)
		return ops->evict ? step_evict(run) : 0;
	if (choice < 99)
		return ops->job_start ? step_job(run) : 0;
	return ops->process_end ? step_process_end(run, who) : 0;
}

static int compare_told(struct run *run)
{
	struct ref_told have[HEAPSIM_NR_RECORD_KINDS] = { 0 };
	const struct ref_told *want = run->ref->told;
	int ret = run->ops->told(run->subject, have);
	unsigned int kind;

	for (kind = 0; kind < HEAPSIM_NR_RECORD_KINDS; kind++) {
		if (have[kind].nr == want[kind].nr &&
		    have[kind].off == want[kind].off &&
		    have[kind].end == want[kind].end)
			continue;
		fprintf(stderr,
			"# reported of kind %u: %llu in %#zx to %#zx, reference %llu in %#zx to %#zx\n",
			kind, (unsigned long long)have[kind].nr,
			have[kind].off, have[kind].end,
			(unsigned long long)want[kind].nr, want[kind].off,
			want[kind].end);
		ret = -EINVAL;
	}
	memset(run->ref->told, 0, sizeof(run->ref->told));
	return ret;
}

/*
 * Compares counters if some accesses are not seen. Stores change bytes, so
 * lines are Dirty by comparison, and all counts of cleans, invalidates, engines
 * and fills are equal. A read, or an access without a bracket, that is not seen
 * is not counted. Possible stale reads have no limit of their own: the first
 * read since an engine's write may be unseen and find a stale line, which is
 * then stored to and cleaned. Then the first read that is seen counts as
 * possibly stale, but no read of the reference does. Each of these replaces a
 * read that was not seen, so the sum of all stale reads is limited.
 */
static int compare_subset(const struct heapsim_counters *want,
			  const struct heapsim_counters *have)
{
	struct heapsim_counters equal = *have;

	if (have->stale_reads > want->stale_reads ||
	    have->stale_reads + have->possible_stale_reads >
	    want->stale_reads + want->possible_stale_reads ||
	    have->unbracketed_accesses > want->unbracketed_accesses) {
		fprintf(stderr, "# more is reported than by the reference:\n");
		sequence_compare_counters(want, have);
		return -EINVAL;
	}
	equal.stale_reads = want->stale_reads;
	equal.possible_stale_reads = want->possible_stale_reads;
	equal.unbracketed_accesses = want->unbracketed_accesses;
	return sequence_compare_counters(want, &equal);
}

static int compare(struct run *run)
{
	struct heapsim_counters count;
	int ret;

	ret = run->ops->compare ? run->ops->compare(run->subject, run->ref) : 0;
	if (ret || run->seq->is_bytes_only)
		return ret;
	ret = run->ops->counters(run->subject, &count);
	if (!ret && run->seq->is_sampled)
		return compare_subset(&run->ref->count, &count);
	if (!ret)
		ret = sequence_compare_counters(&run->ref->count, &count);
	if (!ret && run->ops->told)
		ret = compare_told(run);
	return ret;
}

static void tell_failure(const struct run *run, int err)
{
	fprintf(stderr,
		"# %s: error %d; SEED=%#llx; buffer %zu, line %zu, page %zu, fill %zu; last steps:\n",
		run->ops->name, err,
		(unsigned long long)run->seq->seed, run->seq->p.len,
		run->seq->p.line_size, run->seq->p.page_size,
		run->seq->p.fill_size);
	steps_print(&run->steps, stderr);
}

/* Releases everything, and compares DRAM as an engine sees it. */
static int finish(struct run *run)
{
	int ret;

	log_step(run, "engine read of all", 0, run->ref->p.len, 0);
	ret = run->ops->engine_read(run->subject, 0, run->bytes,
				    run->ref->p.len);
	ref_engine_read(run->ref, 0, run->ref->p.len);
	if (!ret)
		ret = compare_bytes(run, run->ref->dram, 0, run->ref->p.len);
	return ret ? ret : compare(run);
}

/**
 * sequence_play() - run a sequence on a subject and on the reference
 * @seq: the sequence
 * @ops: operations of the subject
 *
 * Return: 0, or a negative number if they differ or the subject failed, which
 * has been printed on stderr.
 */
int sequence_play(const struct sequence *seq, const struct subject_ops *ops)
{
	struct run run = { .seq = seq, .ops = ops };
	unsigned int i;
	int ret = 0;

	steps_begin(&run.steps, seq->seed);
	run.subject = ops->create(&seq->p);
	if (!run.subject)
		return -ENOMEM;
	run.ref = ref_create(&seq->p);
	run.ref->has_unseen = seq->is_bytes_only || seq->is_sampled;
	run.bytes = malloc(seq->p.len);
	if (!run.bytes)
		ret = -ENOMEM;
	for (i = 0; i < seq->nr_steps && !ret; i++) {
		unsigned int nr_logged = run.steps.nr;

		ret = step(&run);
		if (!ret && run.steps.nr != nr_logged)
			ret = compare(&run);
	}
	if (!ret)
		ret = finish(&run);
	if (ret)
		tell_failure(&run, ret);
	free(run.bytes);
	ref_destroy(run.ref);
	ops->destroy(run.subject);
	return ret;
}
