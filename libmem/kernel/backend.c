// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Contexts, buffers by descriptor, jobs of the module's dma engine, and
 * violations.
 *
 * A context is a descriptor of /dev/heapsim, a buffer one of a dma-buf. The
 * kernel keeps the result of a job until it is waited for. A job that is
 * destroyed earlier becomes an orphan of its context, and later calls wait for
 * it with a time limit of 0.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel.h"

/* Longest wait of one call of the kernel. */
#define MAX_WAIT_NS		(3600 * NS_PER_S)
/* The longest of the module */
#define FENCE_NS		(10 * NS_PER_S)

/* Byte that new memory is filled with, unless the caller sets another. */
#define POISON			0xa5

static_assert(sizeof(struct mem_counters) == sizeof(struct heapsim_counters),
	      "counters are copied as a whole");
static_assert(offsetof(struct mem_counters, unmatched_ends) ==
	      offsetof(struct heapsim_counters, unmatched_ends),
	      "counters are copied as a whole");
static_assert(MEM_NAME_LEN == HEAPSIM_NAME_LEN, "names are copied");
static_assert((int)MEM_KIND_FOREIGN == (int)HEAPSIM_KIND_FOREIGN,
	      "kinds have the same numbers");
static_assert((int)MEM_POLICY_OFF ==
	      (int)HEAPSIM_POLICY_OFF + (int)MEM_POLICY_STRICT,
	      "policies are in the same order");
static_assert((int)MEM_MAINT_CLEAN_INVALIDATE ==
	      (int)HEAPSIM_MAINT_CLEAN_INVALIDATE,
	      "operations have the same numbers");
static_assert(MEM_READ == DMA_BUF_SYNC_READ,
	      "accesses have the same numbers");
static_assert(MEM_WRITE == DMA_BUF_SYNC_WRITE,
	      "accesses have the same numbers");

static int kernel_probe_fd(int fd, struct mem_probe *probe, uint64_t *features)
{
	struct heapsim_probe arg = { .size = sizeof(arg) };
	int err;

	err = ioctl_again(fd, HEAPSIM_IOC_PROBE, &arg);
	if (err)
		return err;
	*features = arg.features;
	probe->abi_version = arg.abi_version;
	probe->line_size = arg.line_size;
	probe->fill_size = arg.fill_size;
	probe->page_size = arg.page_size;
	/* The module's policies begin at 0, because there is no default. */
	probe->policy = arg.policy + MEM_POLICY_STRICT;
	probe->evict_random = arg.evict_random;
	probe->io_coherent = arg.io_coherent;
	probe->seed = arg.seed;
	memcpy(probe->soc, arg.soc, sizeof(probe->soc));
	return 0;
}

static int kernel_probe(struct mem_ctx *ctx, struct mem_probe *probe)
{
	const struct kernel_ctx *kernel = kernel_ctx_of(ctx);
	uint64_t features;
	int err;

	probe->backend = MEM_BACKEND_KERNEL;
	err = kernel_probe_fd(kernel->fd, probe, &features);
	if (err)
		return err;
	if (kernel->policy != MEM_POLICY_DEFAULT)
		probe->policy = kernel->policy;
	if (kernel->evict != MEM_EVICT_DEFAULT) {
		probe->evict_random = kernel->evict == MEM_EVICT_RANDOM;
		probe->seed = kernel->seed;
	}
	probe->precise = kernel->is_precise;
	return 0;
}

/* A context can only have the board that the module simulates. */
static int kernel_check_soc(const struct mem_probe *probe,
			    const struct mem_ctx_options *options)
{
	if (probe->abi_version < 1)
		return -EPROTO;
	if (options->soc[0] && strcmp(options->soc, probe->soc))
		return -EOPNOTSUPP;
	return 0;
}

/* Sets the policy for what the context allocates, unless it is the module's. */
static int kernel_set_policy(int fd, const struct mem_probe *probe,
			     const struct mem_ctx_options *options)
{
	struct heapsim_set_policy arg = {
		.size = sizeof(arg),
		.scope = HEAPSIM_POLICY_OF_CONTEXT,
		.fd = -1,
		.policy = probe->policy - MEM_POLICY_STRICT,
		.evict_random = probe->evict_random,
		.seed = probe->seed,
		.is_precise = options->precise,
	};

	if (options->policy == MEM_POLICY_DEFAULT &&
	    options->evict == MEM_EVICT_DEFAULT && !options->precise)
		return 0;
	if (options->policy != MEM_POLICY_DEFAULT)
		arg.policy = options->policy - MEM_POLICY_STRICT;
	if (options->evict != MEM_EVICT_DEFAULT) {
		arg.evict_random = options->evict == MEM_EVICT_RANDOM;
		arg.seed = options->seed;
	}
	return ioctl_again(fd, HEAPSIM_IOC_POLICY, &arg);
}

static int kernel_poison_of(uint32_t option)
{
	if (option == MEM_POISON_NONE)
		return -1;
	return option ? (int)option : POISON;
}

static int kernel_open(const struct mem_ctx_options *options,
		       struct mem_ctx **ctx)
{
	struct mem_probe probe = { 0 };
	struct kernel_ctx *new;
	int err;

	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	new->fd = open_again("/dev/heapsim", O_RDWR | O_CLOEXEC);
	if (new->fd < 0) {
		err = new->fd;
		goto err_free;
	}
	err = kernel_probe_fd(new->fd, &probe, &new->features);
	if (!err)
		err = kernel_check_soc(&probe, options);
	if (!err)
		err = kernel_set_policy(new->fd, &probe, options);
	if (!err)
		err = kernel_rights_choose(new);
	if (err)
		goto err_close;
	new->policy = options->policy;
	new->evict = options->evict;
	new->seed = options->seed;
	new->is_precise = options->precise;
	new->poison = kernel_poison_of(options->poison);
	new->watch_fd = -1;
	new->watch_poll = OWN_FD_NONE;
	kernel_run_init(new);
	new->base.backend = &kernel_backend;
	new->base.board = board_find(probe.soc);
	atomic_init(&new->base.nr_users, 1);
	pthread_mutex_init(&new->lock, NULL);
	order_init(&new->base, &new->order);
	record_unwatched(false);
	if (engine_is_inline())
		record_inline();
	*ctx = &new->base;
	return 0;

err_close:
	fd_close(new->fd);
err_free:
	free(new);
	return err;
}

static void kernel_close(struct mem_ctx *base)
{
	struct kernel_ctx *ctx = kernel_ctx_of(base);
	struct kernel_job *job;

	while ((job = ctx->orphans)) {
		ctx->orphans = job->next;
		free(job);
	}
	/* A child has no engines, and the order may be half changed in it. */
	if (!ctx_is_forked(base)) {
		kernel_run_fini(ctx);
		order_fini(base);
	}
	kernel_watch_end(ctx);
	fd_close(ctx->fd);
	pthread_mutex_destroy(&ctx->lock);
	free(ctx);
}

static int kernel_watch(struct mem_ctx *ctx, unsigned int what, uint32_t nr)
{
	return kernel_watch_begin(kernel_ctx_of(ctx), what, nr);
}

static int kernel_watch_descriptor(struct mem_ctx *ctx, int *fd)
{
	return kernel_watch_fd(kernel_ctx_of(ctx), fd);
}

static int kernel_next_violation(struct mem_ctx *ctx,
				 struct mem_violation *violation)
{
	return kernel_watch_next(kernel_ctx_of(ctx), violation);
}

/* Takes over @fd on success only. */
static int kernel_create(struct mem_ctx *ctx, int fd, struct mem_buf **buf)
{
	struct heapsim_buf_info arg = { .size = sizeof(arg), .fd = fd };
	struct kernel_buf *new;
	int err;

	err = ioctl_again(kernel_ctx_of(ctx)->fd, HEAPSIM_IOC_BUF_INFO, &arg);
	if (err)
		return err;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	buf_init(&new->base, (enum mem_kind)arg.kind, arg.len);
	new->fd = fd;
	new->id = arg.id;
	new->view = OWN_FD_NONE;
	atomic_init(&new->nr_users, 1);
	*buf = &new->base;
	return 0;
}

static int kernel_create_or_close(struct mem_ctx *ctx, int fd,
				  struct mem_buf **buf)
{
	int err = kernel_create(ctx, fd, buf);

	if (err)
		fd_close(fd);
	return err;
}

static int kernel_alloc(struct mem_ctx *ctx, enum mem_kind kind, uint64_t len,
			const char *name, struct mem_buf **buf)
{
	struct heapsim_buf_alloc arg = {
		.size = sizeof(arg),
		.fd_flags = O_RDWR | O_CLOEXEC,
		.len = len,
		.kind = kind,
	};
	int err;

	if (name)
		strncpy(arg.name, name, sizeof(arg.name) - 1);
	err = ioctl_again(kernel_ctx_of(ctx)->fd, HEAPSIM_IOC_BUF_ALLOC, &arg);
	if (err)
		return err;
	return kernel_create_or_close(ctx, arg.fd, buf);
}

static int kernel_alloc_heap(struct mem_ctx *ctx, const char *heap,
			     uint64_t len, struct mem_buf **buf)
{
	struct dma_heap_allocation_data arg = {
		.len = len,
		.fd_flags = O_RDWR | O_CLOEXEC,
	};
	char path[300];
	int fd, err;

	snprintf(path, sizeof(path), "/dev/dma_heap/%s", heap);
	fd = open_again(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fd;
	err = ioctl_again(fd, DMA_HEAP_IOCTL_ALLOC, &arg);
	fd_close(fd);
	if (err)
		return err;
	return kernel_create_or_close(ctx, (int)arg.fd, buf);
}

static int kernel_import(struct mem_ctx *ctx, int fd, struct mem_buf **buf)
{
	int err, mode, copy = dup_cloexec(fd);

	if (copy < 0)
		return copy;
	mode = fcntl(copy, F_GETFL);
	err = kernel_create_or_close(ctx, copy, buf);
	if (!err)
		(*buf)->is_read_only = (mode & O_ACCMODE) == O_RDONLY;
	return err;
}

static int kernel_export(struct mem_buf *buf, unsigned int access, int *fd)
{
	struct kernel_ctx *ctx = kernel_ctx_of(buf->ctx);
	struct heapsim_buf_reopen arg = {
		.size = sizeof(arg),
		.fd_flags = O_RDONLY | O_CLOEXEC,
		.fd = kernel_buf_of(buf)->fd,
	};
	int copy, err;

	if (!(access & MEM_WRITE) && !buf->is_read_only) {
		if (!(ctx->features & HEAPSIM_FEATURE_REOPEN))
			return -EOPNOTSUPP;
		err = ioctl_again(ctx->fd, HEAPSIM_IOC_BUF_REOPEN, &arg);
		if (!err)
			*fd = arg.new_fd;
		return err == -EBUSY ? -ENOMEM : err;
	}
	copy = dup_cloexec(kernel_buf_of(buf)->fd);
	if (copy < 0)
		return copy;
	*fd = copy;
	return 0;
}

static void kernel_free(struct mem_buf *buf)
{
	struct kernel_ctx *ctx = kernel_ctx_of(buf->ctx);

	if (buf->device && !ctx_is_forked(buf->ctx)) {
		pthread_mutex_lock(&ctx->lock);
		kernel_buf_of(buf)->is_freed = true;
		pthread_mutex_unlock(&ctx->lock);
		kernel_run_forget(ctx, kernel_buf_of(buf));
	}
	kernel_ptr_put(buf);
}

static int kernel_map_anywhere(struct mem_buf *buf, void **addr)
{
	const int prot = buf->is_read_only ? PROT_READ : PROT_READ | PROT_WRITE;
	void *new;

	if (buf->len > SIZE_MAX)
		return -ENOMEM;
	new = mmap(NULL, buf->len, prot, MAP_SHARED, kernel_buf_of(buf)->fd, 0);
	if (new == MAP_FAILED)
		return -errno;
	*addr = new;
	return 0;
}

/* Maps the buffer at its address for kernels, if it can have one. */
static int kernel_map(struct mem_buf *base, void **addr)
{
	struct kernel_buf *buf = kernel_buf_of(base);
	int err;

	if (ctx_is_forked(base->ctx) || kernel_ptr_place_heaps(buf))
		return kernel_map_anywhere(base, addr);
	err = kernel_ptr_show_heaps(buf);
	if (err)
		return err;
	*addr = base->host = buf->addr;
	return 0;
}

static bool kernel_is_kept_shown(const struct mem_buf *buf)
{
	return atomic_load(&buf->is_device_exposed) &&
	       kernel_run_is_inline(kernel_ctx_of(buf->ctx));
}

static void kernel_unmap(struct mem_buf *base)
{
	struct kernel_buf *buf = kernel_buf_of(base);

	if (base->addr != buf->addr) {
		munmap(base->addr, base->len);
		return;
	}
	base->host = NULL;
	if (!kernel_is_kept_shown(base))
		kernel_ptr_hide_heaps(buf);
}

/* Kernels in the application can access all that the application has mapped. */
static int kernel_device_ptr(struct mem_buf *base)
{
	struct kernel_buf *buf = kernel_buf_of(base);
	int err;

	err = kernel_ptr_place_heaps(buf);
	if (err || base->host || kernel_is_kept_shown(base) ||
	    !kernel_run_is_inline(kernel_ctx_of(base->ctx)))
		return err;
	return kernel_ptr_show_heaps(buf);
}

/* Returns only a name from mem_set_name(). */
static void kernel_name_of(struct mem_buf *base, char *name)
{
	struct kernel_ctx *ctx = kernel_ctx_of(base->ctx);
	const struct kernel_buf *buf = kernel_buf_of(base);

	pthread_mutex_lock(&ctx->lock);
	if (buf->name[0])
		memcpy(name, buf->name, sizeof(buf->name));
	pthread_mutex_unlock(&ctx->lock);
}

static int kernel_info(struct mem_buf *buf, struct mem_buf_info *info)
{
	struct heapsim_buf_info arg = {
		.size = sizeof(arg),
		.fd = kernel_buf_of(buf)->fd,
	};
	int err;

	err = ioctl_again(kernel_ctx_of(buf->ctx)->fd, HEAPSIM_IOC_BUF_INFO,
			  &arg);
	if (err)
		return err;
	info->kind = arg.kind;
	info->id = arg.id;
	info->len = arg.len;
	info->has_two_views = arg.has_two_views;
	info->nr_holders = arg.nr_holders;
	memcpy(info->name, arg.name, sizeof(info->name));
	kernel_name_of(buf, info->name);
	memcpy(&info->count, &arg.count, sizeof(info->count));
	return 0;
}

static int kernel_sync_fd(int buf_fd, unsigned int access, bool is_end)
{
	struct dma_buf_sync arg = {
		.flags = access |
			 (is_end ? DMA_BUF_SYNC_END : DMA_BUF_SYNC_START),
	};
	int err;

	do {
		err = ioctl_again(buf_fd, DMA_BUF_IOCTL_SYNC, &arg);
	} while (err == -EAGAIN);
	return err;
}

static int kernel_begin(struct mem_buf *buf, unsigned int access)
{
	return kernel_sync_fd(kernel_buf_of(buf)->fd, access, false);
}

static int kernel_end(struct mem_buf *buf, unsigned int access)
{
	return kernel_sync_fd(kernel_buf_of(buf)->fd, access, true);
}

static int kernel_wait_fd(struct mem_buf *buf, bool for_write)
{
	uint64_t end = now_ns() + ENGINE_WAIT_NS;
	struct pollfd poll_fd = {
		.fd = kernel_buf_of(buf)->fd,
		.events = for_write ? POLLOUT : POLLIN,
	};
	int timeout_ms = ENGINE_WAIT_NS / (NS_PER_S / 1000);
	uint64_t now;
	int ret;

	for (;;) {
		ret = poll(&poll_fd, 1, timeout_ms);
		if (ret > 0)
			return 0;
		if (!ret)
			return -ETIMEDOUT;
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
		now = now_ns();
		timeout_ms = now < end ?
			     (int)((end - now) / (NS_PER_S / 1000)) : 0;
	}
}

static int kernel_wait(struct mem_buf *buf, bool for_write)
{
	int err, cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	err = kernel_wait_fd(buf, for_write);
	pthread_setcancelstate(cancel, NULL);
	return err;
}

#define NR_RANGES_ON_STACK	16

static_assert(MAX_RANGES == HEAPSIM_MAX_RANGES, "lists are as long");

static int kernel_maintain(struct mem_ctx *ctx, const struct mem_range *ranges,
			   size_t nr_ranges, size_t *nr_done)
{
	struct heapsim_range few[NR_RANGES_ON_STACK], *list = few;
	struct heapsim_buf_maintain arg = { .size = sizeof(arg) };
	size_t i;
	int err;

	if (nr_ranges > NR_RANGES_ON_STACK) {
		list = malloc(nr_ranges * sizeof(*list));
		if (!list)
			return -ENOMEM;
	}
	for (i = 0; i < nr_ranges; i++)
		list[i] = (struct heapsim_range) {
			.fd = kernel_buf_of(ranges[i].buf)->fd,
			.op = ranges[i].op,
			.off = ranges[i].off,
			.len = ranges[i].len,
		};
	arg.nr_ranges = (uint32_t)nr_ranges;
	arg.ranges = (uintptr_t)list;
	err = ioctl_again(kernel_ctx_of(ctx)->fd, HEAPSIM_IOC_BUF_MAINTAIN,
			  &arg);
	*nr_done = arg.nr_done;
	if (list != few)
		free(list);
	return err;
}

static int kernel_revoke(struct mem_buf *buf)
{
	struct heapsim_buf_revoke arg = {
		.size = sizeof(arg),
		.fd = kernel_buf_of(buf)->fd,
	};

	int fd, err;

	/* Only a watcher may revoke: this one watches no kind. */
	fd = kernel_watch_open(kernel_ctx_of(buf->ctx), 0, 1);
	if (fd < 0)
		return fd;
	err = ioctl_again(fd, HEAPSIM_IOC_BUF_REVOKE, &arg);
	fd_close(fd);
	return err;
}

/* Does not restart after a signal, because the remaining time has changed. */
static int kernel_wait_id(int fd, uint64_t id, uint64_t timeout_ns,
			  struct mem_job *job)
{
	struct heapsim_job_wait arg = {
		.size = sizeof(arg),
		.job = id,
		.timeout_ns = timeout_ns,
	};

	if (ioctl(fd, HEAPSIM_IOC_JOB_WAIT, &arg) < 0)
		return -errno;
	job->result = arg.result;
	job->status = arg.status;
	return 0;
}

static void kernel_reap_orphans(struct kernel_ctx *ctx)
{
	struct kernel_job **link, *job;

	pthread_mutex_lock(&ctx->lock);
	link = &ctx->orphans;
	while ((job = *link)) {
		if (kernel_wait_id(ctx->fd, job->id, 0,
				   &job->base) == -ETIMEDOUT) {
			link = &job->next;
			continue;
		}
		*link = job->next;
		free(job);
	}
	pthread_mutex_unlock(&ctx->lock);
}

static int kernel_submit(struct mem_ctx *base, enum job_op op,
			 const struct mem_copy2d *rows, struct mem_job **job)
{
	static const uint32_t ops[] = {
		[JOB_FILL] = HEAPSIM_DMA_FILL,
		[JOB_COPY] = HEAPSIM_DMA_COPY,
		[JOB_CHECKSUM] = HEAPSIM_DMA_CHECKSUM,
	};
	struct heapsim_dma_submit arg = {
		.size = sizeof(arg),
		.op = ops[op],
		.src_fd = rows->src ? kernel_buf_of(rows->src)->fd : -1,
		.dst_fd = rows->dst ? kernel_buf_of(rows->dst)->fd : -1,
		.pattern = rows->pattern,
		.src_off = rows->src_off,
		.dst_off = rows->dst_off,
		.src_pitch = rows->src_pitch,
		.dst_pitch = rows->dst_pitch,
		.row_len = rows->row_len,
		.nr_rows = rows->nr_rows,
		.delay_ns = rows->delay_ns,
	};
	struct kernel_ctx *ctx = kernel_ctx_of(base);
	struct kernel_job *new;
	int err;

	kernel_reap_orphans(ctx);
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	err = ioctl_again(ctx->fd, HEAPSIM_IOC_DMA_SUBMIT, &arg);
	if (err) {
		free(new);
		return err;
	}
	new->id = arg.job;
	new->fence_fd = arg.fence_fd;
	*job = &new->base;
	return 0;
}

static int kernel_wait_job(struct mem_job *job, uint64_t timeout_ns)
{
	return kernel_wait_id(kernel_ctx_of(job->ctx)->fd,
			      kernel_job_of(job)->id,
			      timeout_ns < MAX_WAIT_NS ? timeout_ns :
							 MAX_WAIT_NS, job);
}

static int kernel_fence(struct mem_job *job, int *fd)
{
	int copy = dup_cloexec(kernel_job_of(job)->fence_fd);

	if (copy < 0)
		return copy;
	*fd = copy;
	return 0;
}

static int kernel_fence_create(struct mem_ctx *base, int *fd, uint64_t *id)
{
	struct heapsim_fence_create arg = {
		.size = sizeof(arg),
		.fd = -1,
		.timeout_ns = FENCE_NS,
	};
	struct kernel_ctx *ctx = kernel_ctx_of(base);
	int err;

	if (!(ctx->features & HEAPSIM_FEATURE_FENCES))
		return -EOPNOTSUPP;
	err = ioctl_again(ctx->fd, HEAPSIM_IOC_FENCE_CREATE, &arg);
	if (err)
		return err;
	*fd = arg.fence_fd;
	*id = arg.fence;
	return 0;
}

/* A fence that has timed out has already been signalled. */
static void kernel_fence_signal(struct mem_ctx *base, uint64_t id, int error)
{
	struct heapsim_fence_signal arg = {
		.size = sizeof(arg),
		.error = error,
		.fence = id,
	};

	ioctl_again(kernel_ctx_of(base)->fd, HEAPSIM_IOC_FENCE_SIGNAL, &arg);
}

static void kernel_forget(struct mem_job *base)
{
	struct kernel_ctx *ctx = kernel_ctx_of(base->ctx);
	struct kernel_job *job = kernel_job_of(base);

	fd_close(job->fence_fd);
	if (base->is_done) {
		free(job);
		return;
	}
	pthread_mutex_lock(&ctx->lock);
	job->next = ctx->orphans;
	ctx->orphans = job;
	pthread_mutex_unlock(&ctx->lock);
	kernel_reap_orphans(ctx);
}

const struct backend kernel_backend = {
	.name = "kernel",
	.id = MEM_BACKEND_KERNEL,
	.open = kernel_open,
	.close = kernel_close,
	.probe = kernel_probe,
	.watch = kernel_watch,
	.watch_fd = kernel_watch_descriptor,
	.next_violation = kernel_next_violation,
	.alloc = kernel_alloc,
	.alloc_heap = kernel_alloc_heap,
	.import = kernel_import,
	.export = kernel_export,
	.free = kernel_free,
	.device_ptr = kernel_device_ptr,
	.map = kernel_map,
	.unmap = kernel_unmap,
	.info = kernel_info,
	.begin = kernel_begin,
	.end = kernel_end,
	.wait = kernel_wait,
	.maintain = kernel_maintain,
	.revoke = kernel_revoke,
	.submit = kernel_submit,
	.wait_job = kernel_wait_job,
	.fence = kernel_fence,
	.fence_create = kernel_fence_create,
	.fence_signal = kernel_fence_signal,
	.forget = kernel_forget,
	.alloc_ptr = kernel_ptr_alloc,
	.register_ptr = kernel_ptr_register,
	.free_ptr = kernel_ptr_free,
	.find = kernel_ptr_find,
	.keep = kernel_ptr_keep,
	.put = kernel_ptr_put,
	.set_name = kernel_ptr_set_name,
	.order = &kernel_rights_ops,
	.run = kernel_run,
	.copy = kernel_copy,
};
