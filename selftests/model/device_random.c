// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the random sequences on the real device, through /dev/heapsim and
 * DMA_BUF_IOCTL_SYNC. The dma engine moves bytes between the buffer and a
 * second, coherent one. There are three modes. If all PTEs are revoked before
 * each access, every byte, counter and record must equal those of the
 * reference. Without revocation, every byte must be equal. If PTEs are revoked
 * before some accesses, these must be reported as by the reference, and nothing
 * that the reference does not report. If buffers can be tracked precisely, all
 * must be equal without revocation. With evict=random the reference repeats the
 * evictions and fetches in the trace; a digest of these and of the counters is
 * printed at the end. Prints KTAP, with kselftest exit codes. SEED=, ROUNDS=
 * and STEPS= are as for random_test.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/dma-buf.h>
#include <linux/heapsim.h>

#include "sequence.h"

#define KSFT_PASS	0
#define KSFT_FAIL	1
#define KSFT_SKIP	4

#define WAIT_NS		10000000000ULL
#define MAX_HOLDS	8

/** struct holds - imports of one kind that are open now */
struct holds {
	__u64 ids[MAX_HOLDS];
	unsigned int nr;
};

/**
 * struct device - a buffer of the device
 * @len: length in bytes
 * @id: id of the noncoherent buffer
 * @nr_fills: number of its fill events in the trace
 * @fd: the noncoherent buffer
 * @beside_fd: a coherent buffer of the same length
 * @view: mapping of the noncoherent buffer
 * @beside: mapping of the coherent buffer
 * @maps: holds by HEAPSIM_DIR_*
 * @vmaps: holds by kernel mappings
 */
struct device {
	size_t len;
	uint64_t id;
	uint64_t nr_fills;
	int fd;
	int beside_fd;
	uint8_t *view;
	uint8_t *beside;
	struct holds maps[3];
	struct holds vmaps;
};

#define NR_RECORDS	256

static int ctl_fd = -1;
static int watch_fd = -1;
static struct heapsim_probe probe = { .size = sizeof(probe) };

static int command(unsigned long cmd, void *arg, const char *what)
{
	int ret;

	do {
		ret = ioctl(ctl_fd, cmd, arg);
	} while (ret < 0 && errno == EINTR);
	if (ret < 0) {
		ret = -errno;
		fprintf(stderr, "# %s: %s\n", what, strerror(-ret));
	}
	return ret < 0 ? ret : 0;
}

static int buf_alloc(size_t len, __u32 kind, int *fd, uint8_t **view,
		     uint64_t *id)
{
	struct heapsim_buf_alloc alloc = {
		.size = sizeof(alloc),
		.fd_flags = O_RDWR | O_CLOEXEC,
		.len = len,
		.kind = kind,
		.name = "random",
	};
	int ret = command(HEAPSIM_IOC_BUF_ALLOC, &alloc, "BUF_ALLOC");

	if (ret)
		return ret;
	*fd = alloc.fd;
	*id = alloc.id;
	*view = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (*view == MAP_FAILED) {
		ret = -errno;
		perror("# mmap");
		*view = NULL;
	}
	return ret;
}

static void device_destroy(void *subject)
{
	struct device *dev = subject;
	struct heapsim_release release = { .size = sizeof(release) };
	unsigned int dir;

	for (dir = 0; dir < 3; dir++) {
		while (dev->maps[dir].nr) {
			release.hold = dev->maps[dir].ids[--dev->maps[dir].nr];
			command(HEAPSIM_IOC_RELEASE, &release, "RELEASE");
		}
	}
	while (dev->vmaps.nr) {
		release.hold = dev->vmaps.ids[--dev->vmaps.nr];
		command(HEAPSIM_IOC_RELEASE, &release, "RELEASE");
	}
	if (dev->view)
		munmap(dev->view, dev->len);
	if (dev->beside)
		munmap(dev->beside, dev->len);
	if (dev->fd >= 0)
		close(dev->fd);
	if (dev->beside_fd >= 0)
		close(dev->beside_fd);
	free(dev);
}

/* The model reports lines; a record has the byte that faulted. */
static void told_add(struct ref_told *told, const struct heapsim_record *r)
{
	size_t off = r->off, end = r->off + r->len;

	if (r->kind == HEAPSIM_RECORD_STALE_READ ||
	    r->kind == HEAPSIM_RECORD_POSSIBLE_STALE_READ ||
	    r->kind == HEAPSIM_RECORD_UNBRACKETED_ACCESS) {
		off -= off % probe.line_size;
		end += -end % probe.line_size;
	}
	ref_told_add(&told[r->kind], r->count, off, end - off);
}

static int device_told(void *subject, struct ref_told *told)
{
	const struct device *dev = subject;
	struct heapsim_record r[8];
	ssize_t got;
	size_t i;

	while ((got = read(watch_fd, r, sizeof(r))) > 0)
		for (i = 0; i < got / sizeof(r[0]); i++)
			if (r[i].kind == HEAPSIM_RECORD_DROPPED ||
			    r[i].buf == dev->id)
				told_add(told, &r[i]);
	if (errno != EAGAIN) {
		perror("# read of records");
		return -EIO;
	}
	return 0;
}

static void *device_create(const struct ref_params *p)
{
	struct device *dev = calloc(1, sizeof(*dev));
	struct ref_told unread[HEAPSIM_NR_RECORD_KINDS] = { 0 };
	uint64_t beside_id;

	/* Discard records of a freed buffer, or of a comparison of bytes. */
	if (!dev || device_told(dev, unread)) {
		free(dev);
		return NULL;
	}
	dev->len = p->len;
	dev->fd = -1;
	dev->beside_fd = -1;
	if (buf_alloc(p->len, HEAPSIM_KIND_NONCOHERENT, &dev->fd,
		      &dev->view, &dev->id) ||
	    buf_alloc(p->len, HEAPSIM_KIND_COHERENT, &dev->beside_fd,
		      &dev->beside, &beside_id)) {
		device_destroy(dev);
		return NULL;
	}
	return dev;
}

/* The first byte is read alone, so that a fault is at its address. */
static int device_cpu_read(void *subject, size_t off, uint8_t *bytes,
			   size_t len, unsigned int who)
{
	const struct device *dev = subject;
	const volatile uint8_t *view = dev->view + off;

	(void)who;
	bytes[0] = view[0];
	memcpy(bytes + 1, dev->view + off + 1, len - 1);
	return 0;
}

static int device_cpu_write(void *subject, size_t off, const uint8_t *bytes,
			    size_t len, unsigned int who)
{
	struct device *dev = subject;
	volatile uint8_t *view = dev->view + off;

	(void)who;
	view[0] = bytes[0];
	__asm__ volatile("" ::: "memory");
	memcpy(dev->view + off + 1, bytes + 1, len - 1);
	__asm__ volatile("" ::: "memory");
	return 0;
}

/*
 * With a tiny delay, a job is judged both at its start and when it accesses its
 * bytes, and the result must be the same.
 */
static int copy(int src_fd, int dst_fd, size_t off, size_t len)
{
	struct heapsim_dma_submit submit = {
		.size = sizeof(submit),
		.op = HEAPSIM_DMA_COPY,
		.src_fd = src_fd,
		.dst_fd = dst_fd,
		.src_off = off,
		.dst_off = off,
		.row_len = len,
		.nr_rows = 1,
		.delay_ns = off / probe.line_size % 4 == 1,
	};
	struct heapsim_job_wait wait = {
		.size = sizeof(wait),
		.timeout_ns = WAIT_NS,
	};
	int ret = command(HEAPSIM_IOC_DMA_SUBMIT, &submit, "DMA_SUBMIT");

	if (ret)
		return ret;
	close(submit.fence_fd);
	wait.job = submit.job;
	ret = command(HEAPSIM_IOC_JOB_WAIT, &wait, "JOB_WAIT");
	if (ret)
		return ret;
	if (wait.status || wait.result != len) {
		fprintf(stderr, "# job: status %d, %llu of %zu bytes\n",
			wait.status, (unsigned long long)wait.result, len);
		return wait.status ? wait.status : -EIO;
	}
	return 0;
}

static int device_engine_read(void *subject, size_t off, uint8_t *bytes,
			      size_t len)
{
	struct device *dev = subject;
	int ret = copy(dev->fd, dev->beside_fd, off, len);

	if (!ret)
		memcpy(bytes, dev->beside + off, len);
	return ret;
}

static int device_engine_write(void *subject, size_t off, const uint8_t *bytes,
			       size_t len)
{
	struct device *dev = subject;

	memcpy(dev->beside + off, bytes, len);
	return copy(dev->beside_fd, dev->fd, off, len);
}

static int device_maintain(void *subject, unsigned int op, size_t off,
			   size_t len)
{
	const struct device *dev = subject;
	struct heapsim_range range = {
		.fd = dev->fd,
		.op = op,
		.off = off,
		.len = len,
	};
	struct heapsim_buf_maintain maintain = {
		.size = sizeof(maintain),
		.nr_ranges = 1,
		.ranges = (uintptr_t)&range,
	};
	int ret = command(HEAPSIM_IOC_BUF_MAINTAIN, &maintain, "BUF_MAINTAIN");

	return ret ? ret : maintain.nr_done == 1 ? 0 : -EIO;
}

static int sync_buf(const struct device *dev, __u64 flags)
{
	struct dma_buf_sync sync = { .flags = flags };
	int ret;

	do {
		ret = ioctl(dev->fd, DMA_BUF_IOCTL_SYNC, &sync);
	} while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	if (ret < 0) {
		ret = -errno;
		fprintf(stderr, "# DMA_BUF_IOCTL_SYNC: %s\n", strerror(-ret));
		return ret;
	}
	return 0;
}

static int device_sync_start(void *subject, unsigned int who, unsigned int dir)
{
	(void)who;
	return sync_buf(subject, DMA_BUF_SYNC_START | dir);
}

static int device_sync_end(void *subject, unsigned int who, unsigned int dir)
{
	(void)who;
	return sync_buf(subject, DMA_BUF_SYNC_END | dir);
}

static int hold_buf(const struct device *dev, struct holds *holds, __u32 how,
		    __u32 dir)
{
	struct heapsim_hold hold = {
		.size = sizeof(hold),
		.how = how,
		.fd = dev->fd,
		.dir = dir,
	};
	int ret;

	if (holds->nr == MAX_HOLDS)
		return -ENOSPC;
	ret = command(HEAPSIM_IOC_HOLD, &hold, "HOLD");
	if (!ret)
		holds->ids[holds->nr++] = hold.hold;
	return ret;
}

static int release_buf(struct holds *holds)
{
	struct heapsim_release release = { .size = sizeof(release) };

	release.hold = holds->ids[--holds->nr];
	return command(HEAPSIM_IOC_RELEASE, &release, "RELEASE");
}

static int device_map(void *subject, unsigned int dir)
{
	struct device *dev = subject;

	return hold_buf(dev, &dev->maps[dir], HEAPSIM_HOLD_MAP, dir);
}

static int device_unmap(void *subject, unsigned int dir)
{
	struct device *dev = subject;

	return release_buf(&dev->maps[dir]);
}

static int device_vmap(void *subject)
{
	struct device *dev = subject;

	return hold_buf(dev, &dev->vmaps, HEAPSIM_HOLD_VMAP, 0);
}

static int device_vunmap(void *subject)
{
	struct device *dev = subject;

	return release_buf(&dev->vmaps);
}

/* FNV-1a of the evictions, fetches and counters of the device */
static uint64_t digest = 0xcbf29ce484222325ULL;
static unsigned int nr_evicts, nr_fetches;

static void digest_add(uint64_t word)
{
	unsigned int i;

	for (i = 0; i < 64; i += 8)
		digest = (digest ^ (word >> i & 0xff)) * 0x100000001b3ULL;
}

static int device_counters(void *subject, struct heapsim_counters *count)
{
	const struct device *dev = subject;
	struct heapsim_buf_info info = {
		.size = sizeof(info),
		.fd = dev->fd,
	};
	int ret = command(HEAPSIM_IOC_BUF_INFO, &info, "BUF_INFO");

	*count = info.count;
	digest_add(info.count.lines_cleaned);
	digest_add(info.count.evictions);
	return ret;
}

static int watch_begin(void)
{
	struct heapsim_watch watch = {
		.size = sizeof(watch),
		.scope = HEAPSIM_WATCH_PROCESS,
		.kinds = HEAPSIM_KINDS_ALL,
		.nr_records = NR_RECORDS,
		.record_size = sizeof(struct heapsim_record),
	};

	watch_fd = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (watch_fd < 0 || ioctl(watch_fd, HEAPSIM_IOC_WATCH, &watch)) {
		perror("# WATCH");
		return -errno;
	}
	return 0;
}

static int revoke_ptes(void *subject)
{
	const struct device *dev = subject;
	struct heapsim_buf_revoke args = {
		.size = sizeof(args),
		.fd = dev->fd,
	};

	if (!ioctl(watch_fd, HEAPSIM_IOC_BUF_REVOKE, &args))
		return 0;
	perror("# BUF_REVOKE");
	return -errno;
}

static int revoke_before_touch(void *subject, struct ref *ref, size_t off)
{
	(void)off;
	ref_revoke(ref);
	return revoke_ptes(subject);
}

/*
 * An access through an existing PTE fills nothing, even if other pages of a
 * wide granule have Invalid lines. The reference fills these, so access is
 * revoked.
 */
static int revoke_if_it_fills(void *subject, struct ref *ref, size_t off)
{
	return ref_would_fill(ref, off) ?
	       revoke_before_touch(subject, ref, off) : 0;
}

/* The folder of a trace instance with only evictions and fills */
static char trace_dir[96];
static int trace_fd = -1;

static int trace_write(const char *file, const char *text)
{
	char path[160];
	ssize_t ret;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", trace_dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(path);
		return -errno;
	}
	ret = write(fd, text, strlen(text));
	if (ret < 0)
		perror(path);
	close(fd);
	return ret < 0 ? -EIO : 0;
}

static int trace_begin(void)
{
	static const char * const roots[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};
	char path[160];
	cpu_set_t one;
	size_t i;

	/* Trace buffers are per CPU; only on one CPU are events in order. */
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	if (sched_setaffinity(0, sizeof(one), &one)) {
		perror("# sched_setaffinity");
		return -errno;
	}
	for (i = 0; i < 2; i++) {
		snprintf(trace_dir, sizeof(trace_dir),
			 "%s/instances/heapsim-%d", roots[i], getpid());
		if (!mkdir(trace_dir, 0700))
			break;
	}
	if (i == 2) {
		perror("# mkdir of a trace instance");
		return -errno;
	}
	if (trace_write("events/heapsim/heapsim_evict/enable", "1") ||
	    trace_write("events/heapsim/heapsim_fill/enable", "1"))
		return -EIO;
	snprintf(path, sizeof(path), "%s/trace_pipe", trace_dir);
	trace_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (trace_fd < 0) {
		perror("# trace_pipe");
		return -errno;
	}
	return 0;
}

static void trace_end(void)
{
	if (trace_fd >= 0)
		close(trace_fd);
	rmdir(trace_dir);
}

/* Applies an event of the trace to the reference. */
static int replay_event(struct device *dev, struct ref *ref, size_t touched,
			const char *event)
{
	unsigned long long id, off, len;
	const char *range = strstr(event, "buf=");
	bool is_fill = strstr(event, "heapsim_fill:");

	if (strstr(event, "LOST")) {
		fprintf(stderr, "# the trace has lost events: %s\n", event);
		return -EIO;
	}
	if (!range || sscanf(range, "buf=%llu off=%llu len=%llu", &id, &off,
			     &len) != 3 ||
	    (!is_fill && !strstr(event, "heapsim_evict:"))) {
		fprintf(stderr, "# no event: %s\n", event);
		return -EIO;
	}
	if (id != dev->id)
		return 0;
	digest_add(is_fill);
	digest_add(off);
	digest_add(len);
	if (!is_fill) {
		if (len != ref->p.line_size || off / ref->p.page_size ==
					       touched / ref->p.page_size)
			return -EINVAL;
		ref_evict(ref, off / ref->p.line_size);
		nr_evicts++;
		return 0;
	}
	dev->nr_fills++;
	/* The reference has already done the fill by the access itself. */
	if (touched >= off && touched < off + len)
		return 0;
	ref_fetch(ref, off, len);
	nr_fetches++;
	return 0;
}

/* Applies the evictions and fetches that happened during an access. */
static int replay(void *subject, struct ref *ref, size_t off)
{
	struct device *dev = subject;
	char text[4096], *line, *end;
	ssize_t got;
	int ret = 0;

	while (!ret && (got = read(trace_fd, text, sizeof(text) - 1)) > 0) {
		text[got] = '\0';
		for (line = text; !ret && (end = strchr(line, '\n'));
		     line = end + 1) {
			*end = '\0';
			ret = replay_event(dev, ref, off, line);
		}
		if (!ret && *line) {
			fprintf(stderr, "# half an event: %s\n", line);
			ret = -EIO;
		}
	}
	if (!ret && got < 0 && errno != EAGAIN)
		ret = -errno;
	if (!ret && dev->nr_fills != ref->count.fills) {
		fprintf(stderr, "# %llu fills in the trace, reference %llu\n",
			(unsigned long long)dev->nr_fills,
			(unsigned long long)ref->count.fills);
		ret = -EINVAL;
	}
	return ret;
}

static const struct subject_ops device_ops = {
	.name = "device",
	.nr_who = 1,
	.create = device_create,
	.destroy = device_destroy,
	.cpu_read = device_cpu_read,
	.cpu_write = device_cpu_write,
	.engine_read = device_engine_read,
	.engine_write = device_engine_write,
	.maintain = device_maintain,
	.sync_start = device_sync_start,
	.sync_end = device_sync_end,
	.map = device_map,
	.unmap = device_unmap,
	.vmap = device_vmap,
	.vunmap = device_vunmap,
	.counters = device_counters,
	.told = device_told,
};

static int play(struct sequence *seq, const struct subject_ops *ops,
		uint64_t nr_rounds)
{
	uint64_t only = env_or("SEED", 0);
	uint64_t i;
	int ret = 0;

	for (i = 0; i < (only ? 1 : nr_rounds) && !ret; i++) {
		seq->seed = only ? only : 1 + i;
		ret = sequence_play(seq, ops);
	}
	return ret;
}

static bool tell(unsigned int nr, int ret, const char *name)
{
	printf("%s %u %s\n", ret ? "not ok" : "ok", nr, name);
	fflush(stdout);
	return !ret;
}

static int skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	return KSFT_SKIP;
}

/* Without revocation, each access is seen. */
static unsigned int play_precise(struct sequence *seq, uint64_t nr_rounds)
{
	static const char name[] = "precise_device_equals_the_reference_in_all";
	struct heapsim_set_policy set = {
		.size = sizeof(set),
		.scope = HEAPSIM_POLICY_OF_CONTEXT,
		.fd = -1,
		.policy = probe.policy,
		.evict_random = probe.evict_random,
		.is_precise = 1,
		.seed = probe.seed,
	};

	if (!(probe.features & HEAPSIM_FEATURE_PRECISE)) {
		printf("ok 6 %s # SKIP no precise tracking here\n", name);
		return 1;
	}
	seq->before_touch = NULL;
	seq->is_precise = true;
	seq->p.len = 3 * (size_t)probe.page_size;
	/* The page that is accessed is not evicted, so use two pages. */
	if (probe.evict_random)
		seq->p.len = 2 * (size_t)probe.page_size;
	return tell(6, command(HEAPSIM_IOC_POLICY, &set, "POLICY") ? -EIO :
		    play(seq, &device_ops, nr_rounds), name);
}

static int play_all(void)
{
	uint64_t nr_rounds = env_or("ROUNDS", 10);
	struct sequence seq = {
		.p = {
			.line_size = probe.line_size,
			.fill_size = probe.fill_size,
			.page_size = probe.page_size,
		},
		.nr_steps = (unsigned int)env_or("STEPS", 300),
	};
	size_t pages_per_fill = probe.fill_size / probe.page_size;
	struct subject_ops ops = device_ops;
	unsigned int nr_passed = 0;
	size_t len;

	printf("1..6\n");
	seq.p.len = 3 * (size_t)probe.page_size;
	if (pages_per_fill > 1)
		seq.p.len = (pages_per_fill + 2) * (size_t)probe.page_size;
	len = seq.p.len;
	if (probe.evict_random) {
		seq.after_fault = replay;
		/* Nothing is evicted while importers may write. */
		ops.map = NULL;
		ops.vmap = NULL;
	}
	seq.before_touch = revoke_before_touch;
	nr_passed += tell(1, play(&seq, &ops, nr_rounds),
			  "revoked_device_equals_the_reference_in_all");
	seq.before_touch = revoke_if_it_fills;
	seq.is_bytes_only = true;
	nr_passed += tell(2, play(&seq, &ops, nr_rounds),
			  "device_equals_the_reference_in_every_byte");
	/* The page that is accessed is not evicted, either. */
	seq.p.len = probe.page_size * (probe.evict_random ? 2 : 1);
	nr_passed += tell(3, play(&seq, &device_ops, nr_rounds),
			  "small_buffer_equals_the_reference_in_every_byte");
	seq.is_bytes_only = false;
	seq.before_touch = revoke_before_touch;
	nr_passed += tell(4, play(&seq, &device_ops, nr_rounds),
			  "revoked_small_buffer_equals_the_reference_in_all");
	seq.p.len = len;
	seq.is_sampled = true;
	nr_passed += tell(5, play(&seq, &ops, nr_rounds),
			  "violations_are_a_subset_with_every_first_touch");
	seq.is_sampled = false;
	nr_passed += play_precise(&seq, nr_rounds);
	return nr_passed == 6 ? KSFT_PASS : KSFT_FAIL;
}

int main(void)
{
	int ret;

	printf("TAP version 13\n");
	ctl_fd = open("/dev/heapsim", O_RDWR | O_CLOEXEC);
	if (ctl_fd < 0) {
		/* with the module loaded, other errors are failures */
		if (errno == ENOENT || errno == ENODEV || errno == ENXIO)
			return skip_all("no /dev/heapsim");
		perror("# /dev/heapsim");
		return KSFT_FAIL;
	}
	if (command(HEAPSIM_IOC_PROBE, &probe, "PROBE"))
		return KSFT_FAIL;
	if (probe.policy == HEAPSIM_POLICY_OFF)
		return skip_all("policy=off has one view");
	if (probe.fill_size % probe.page_size || !probe.line_size) {
		fprintf(stderr, "# fill %u, page %u, line %u\n",
			probe.fill_size, probe.page_size, probe.line_size);
		return KSFT_FAIL;
	}
	if (watch_begin())
		return KSFT_FAIL;
	if (probe.evict_random && trace_begin()) {
		trace_end();
		return KSFT_FAIL;
	}
	ret = play_all();
	if (probe.evict_random) {
		trace_end();
		printf("# %u evictions, %u fills\n", nr_evicts, nr_fetches);
		if (!nr_evicts || !nr_fetches)
			ret = KSFT_FAIL;
		printf("# digest %016llx\n", (unsigned long long)digest);
	}
	close(watch_fd);
	close(ctl_fd);
	return ret;
}
