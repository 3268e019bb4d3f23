// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Frames for a consumer of another context. A pipe passes the memory of heaps
 * between contexts, but not what CUDA allocates. So the pipe gets a token in
 * place of such a frame, and orders the work of both sides; the consumer finds
 * the frame in the producer's records, and imports its memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "core_egl.h"
#include "internal.h"

/*
 * The user value of a token: a mark, the number of the share, the slot. The
 * number is random: a producer in another process may have shares, too, and the
 * consumer's process must not find a share of its own by their tokens.
 */
#define MARK		0xc0dbULL
#define MARK_SHIFT	48
#define NUMBER_SHIFT	7
#define NUMBER_MASK	0x1ffffffffffULL
#define SLOT_MASK	0x7fU

#define NR_SLOTS	(SLOT_MASK + 1)
#define NR_EXPORTS	(MEM_PIPE_FRAMES_MAX * MEM_PLANES_MAX)

/**
 * struct egl_export - memory that was exported
 * @id: of its buffer; 0: not used
 * @fd: descriptor
 */
struct egl_export {
	uint64_t id;
	int fd;
};

/**
 * struct core_egl_share - the records of a producer
 * @number: random number of the share
 * @ctx: context
 * @token: buffer that tokens refer to
 * @token_ptr: its address for engines
 * @frames: frames by slot, with descriptors
 * @next: next share
 * @lock: protects the fields below. It may be held for long: the export of
 *	memory waits until the context has no work
 * @exports: memory of the latest frames
 * @oldest: export that is replaced next
 */
struct core_egl_share {
	uint64_t number;
	struct CUctx_st *ctx;
	struct mem_buf *token;
	void *token_ptr;
	struct core_egl_shared frames[NR_SLOTS];
	struct core_egl_share *next;

	pthread_mutex_t lock;
	struct egl_export exports[NR_EXPORTS];
	unsigned int oldest;
};

/* Protects the list and the frames. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct core_egl_share *all;

/**
 * core_egl_share_create() - create the records of a producer
 * @ctx: context
 * @share: out: records, owned by the caller: core_egl_share_destroy()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_OPERATING_SYSTEM
 * (no random number), or core_error() of mem_buf_device_ptr().
 */
int core_egl_share_create(struct CUctx_st *ctx, struct core_egl_share **share)
{
	struct core_egl_share *new = calloc(1, sizeof(*new));
	int err;

	if (!new)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (getrandom(&new->number, sizeof(new->number), 0) !=
	    sizeof(new->number)) {
		free(new);
		return CUDA_ERROR_OPERATING_SYSTEM;
	}
	new->number &= NUMBER_MASK;
	new->ctx = ctx;
	err = mem_buf_alloc(ctx->mem, MEM_KIND_COHERENT, 1, 0,
			    &new->token);
	if (!err)
		err = mem_buf_device_ptr(new->token, &new->token_ptr);
	if (err) {
		mem_buf_destroy(new->token);
		free(new);
		return core_error(err);
	}
	pthread_mutex_init(&new->lock, NULL);
	pthread_mutex_lock(&lock);
	new->next = all;
	all = new;
	pthread_mutex_unlock(&lock);
	*share = new;
	return CUDA_SUCCESS;
}

/**
 * core_egl_share_destroy() - destroy the records of a producer
 * @share: records, or NULL, which does nothing
 */
void core_egl_share_destroy(struct core_egl_share *share)
{
	struct core_egl_share **at = &all;
	unsigned int i;

	if (!share)
		return;
	pthread_mutex_lock(&lock);
	while (*at != share)
		at = &(*at)->next;
	*at = share->next;
	pthread_mutex_unlock(&lock);
	for (i = 0; i < NR_SLOTS; i++)
		core_egl_share_close(&share->frames[i]);
	for (i = 0; i < NR_EXPORTS; i++)
		if (share->exports[i].id)
			close(share->exports[i].fd);
	pthread_mutex_destroy(&share->lock);
	mem_buf_destroy(share->token);
	free(share);
}

/* Returns a descriptor of memory, which is exported once. The lock is held. */
static int share_export(struct core_egl_share *share,
			const struct mem_ptr_info *info, int *fd)
{
	struct egl_export *export = NULL;
	unsigned int i;
	int err, new;

	for (i = 0; i < NR_EXPORTS && !export; i++)
		if (share->exports[i].id == info->id)
			export = &share->exports[i];
	if (!export) {
		err = mem_ptr_export(share->ctx->mem, info->base, &new);
		if (err)
			return err;
		export = &share->exports[share->oldest];
		share->oldest = (share->oldest + 1) % NR_EXPORTS;
		if (export->id)
			close(export->fd);
		export->id = info->id;
		export->fd = new;
	}
	*fd = fcntl(export->fd, F_DUPFD_CLOEXEC, 0);
	return *fd < 0 ? -errno : 0;
}

static int share_plane(struct core_egl_share *share, void *ptr,
		       struct core_egl_memory *memory)
{
	struct mem_ptr_info info = { .size = sizeof(info) };
	int err;

	err = mem_ptr_info(share->ctx->mem, ptr, &info);
	if (err)
		return err;
	if (info.kind != MEM_KIND_DEVICE || !info.is_own)
		return -EXDEV;
	pthread_mutex_lock(&share->lock);
	err = share_export(share, &info, &memory->fd);
	pthread_mutex_unlock(&share->lock);
	if (err)
		return err;
	memory->id = info.id;
	memory->off = (char *)ptr - (char *)info.base;
	memory->len = info.len;
	memory->flags = info.flags & MEM_DEVICE_DISCRETE;
	return 0;
}

/**
 * core_egl_share_pack() - put a frame into the records, and make a token
 * @share: records
 * @slot: slot of the frame, below NR_SLOTS
 * @frame: in: frame of core_egl_pack(); out: token
 *
 * Return: 0, -EXDEV (no device memory of the context), or as mem_ptr_export().
 */
int core_egl_share_pack(struct core_egl_share *share, unsigned int slot,
			struct mem_frame *frame)
{
	struct core_egl_shared new, old;
	unsigned int i;
	int err = 0;

	memset(&new, 0, sizeof(new));
	core_egl_unpack(frame, &new.frame);
	for (i = 0; i < frame->nr_planes && !err; i++)
		err = share_plane(share, frame->planes[i].base, &new.memory[i]);
	if (err) {
		core_egl_share_close(&new);
		return err;
	}
	pthread_mutex_lock(&lock);
	old = share->frames[slot];
	share->frames[slot] = new;
	pthread_mutex_unlock(&lock);
	core_egl_share_close(&old);
	frame->user = (void *)(uintptr_t)(MARK << MARK_SHIFT |
					  share->number << NUMBER_SHIFT | slot);
	frame->nr_planes = 1;
	frame->planes[0] = (struct mem_plane){
		.width = 1,
		.height = 1,
		.pixel_len = 1,
		.pitch = 1,
		.base = share->token_ptr,
	};
	return 0;
}

/* Duplicates the descriptors, since the producer may close its own. */
static int share_copy(const struct core_egl_shared *from,
		      struct core_egl_shared *to)
{
	unsigned int i;

	*to = *from;
	for (i = 0; i < to->frame.nr_planes; i++) {
		to->memory[i].fd = fcntl(from->memory[i].fd, F_DUPFD_CLOEXEC,
					 0);
		if (to->memory[i].fd < 0) {
			to->frame.nr_planes = i;
			core_egl_share_close(to);
			return CUDA_ERROR_OPERATING_SYSTEM;
		}
	}
	return CUDA_SUCCESS;
}

/**
 * core_egl_share_open() - convert a frame that was acquired, or a token of one
 * @frame: frame of mem_pipe_acquire()
 * @shared: out: frame: core_egl_share_close()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_UNKNOWN (the producer has disconnected; a
 * token of another process, or of no frame),
 * CUDA_ERROR_OPERATING_SYSTEM (no descriptor is left), or as
 * core_egl_unpack().
 */
int core_egl_share_open(const struct mem_frame *frame,
			struct core_egl_shared *shared)
{
	const uint64_t user = (uintptr_t)frame->user;
	const struct core_egl_share *share;
	int rc = CUDA_ERROR_UNKNOWN;

	if (user >> MARK_SHIFT != MARK) {
		memset(shared->memory, 0, sizeof(shared->memory));
		return core_egl_unpack(frame, &shared->frame);
	}
	pthread_mutex_lock(&lock);
	for (share = all; share; share = share->next)
		if (share->number == (user >> NUMBER_SHIFT & NUMBER_MASK))
			break;
	if (share && share->frames[user & SLOT_MASK].frame.nr_planes)
		rc = share_copy(&share->frames[user & SLOT_MASK], shared);
	pthread_mutex_unlock(&lock);
	return rc;
}

/**
 * core_egl_share_close() - close the descriptors of a frame
 * @shared: frame of core_egl_share_open()
 */
void core_egl_share_close(struct core_egl_shared *shared)
{
	unsigned int i;

	for (i = 0; i < shared->frame.nr_planes; i++)
		if (shared->memory[i].id)
			close(shared->memory[i].fd);
}

/**
 * core_egl_import() - make the planes of a frame accessible in a context
 * @ctx: context
 * @shared: frame of core_egl_share_open()
 * @frame: out: frame with addresses of @ctx
 * @imports: out: memory by plane: core_egl_import_free()
 *
 * Return: CUDA_SUCCESS, or core_error() of mem_ptr_import().
 */
int core_egl_import(struct CUctx_st *ctx, const struct core_egl_shared *shared,
		    struct core_egl_frame *frame, void **imports)
{
	unsigned int i, j;
	int err = 0;

	*frame = shared->frame;
	memset(imports, 0, MEM_PLANES_MAX * sizeof(*imports));
	for (i = 0; i < frame->nr_planes && !err; i++) {
		const struct core_egl_memory *memory = &shared->memory[i];
		void *base = NULL;

		if (!memory->id)
			continue;
		/* Planes may be in one allocation, which is imported once. */
		for (j = 0; j < i && !base; j++)
			if (shared->memory[j].id == memory->id)
				base = (char *)frame->planes[j].ptr -
				       shared->memory[j].off;
		if (!base) {
			err = mem_ptr_import(ctx->mem, memory->fd, 0,
					     memory->len, memory->flags,
					     &imports[i]);
			base = imports[i];
		}
		frame->planes[i].ptr = (char *)base + memory->off;
	}
	if (err)
		core_egl_import_free(ctx, imports);
	return core_error(err);
}

/**
 * core_egl_import_free() - free imported memory
 * @ctx: context
 * @imports: memory of core_egl_import()
 */
void core_egl_import_free(struct CUctx_st *ctx, void **imports)
{
	unsigned int i;

	for (i = 0; i < MEM_PLANES_MAX; i++) {
		if (imports[i])
			mem_free(ctx->mem, imports[i]);
		imports[i] = NULL;
	}
}
