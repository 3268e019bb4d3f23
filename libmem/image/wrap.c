// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: images and arrays of the caller's memory: which users can work on it,
 * and the internal copy for those who cannot.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../attrs/constraint.h"
#include "../object/object.h"
#include "image.h"

/**
 * plane_len() - return the length of a plane, to the end of its last row
 * @plane: plane
 *
 * Return: bytes.
 */
uint64_t plane_len(const struct mem_plane *plane)
{
	return (uint64_t)plane->pitch * (plane->height - 1) +
	       (uint64_t)plane->width * plane->pixel_len;
}

static bool wrap_is_by_ptr(unsigned int kind)
{
	return kind == MEM_KIND_MANAGED || kind == MEM_KIND_PINNED ||
	       kind == MEM_KIND_DEVICE || kind == MEM_KIND_REGISTERED;
}

/* Returns true if the allocation contains all @len bytes. */
static bool wrap_is_inside(const struct mem_ptr_info *info, uint64_t len)
{
	const uint8_t *first = info->host ? info->host : info->device;
	const uint64_t off = (uint64_t)(first - (const uint8_t *)info->base);

	return off <= info->len && len <= info->len - off;
}

/**
 * wrap_plane() - find who can access a plane of the caller's memory
 * @ctx: context
 * @as: MEM_LOCK_HOST or MEM_LOCK_DEVICE: kind of the address @base
 * @plane: index of the plane
 * @base: address of its first byte
 * @wrapped: in and out: its view is set; the plane's addresses are added
 *
 * Return: 0, or an error as documented for mem_image_wrap().
 */
int wrap_plane(struct mem_ctx *ctx, unsigned int as, uint32_t plane,
	       void *base, struct wrapped *wrapped)
{
	const bool has_all = board_has_pageable_access(ctx->board);
	struct mem_ptr_info info = { .size = sizeof(info) };
	struct place *place = &wrapped->place;
	int err;

	if (!base)
		return -EINVAL;
	err = mem_ptr_info(ctx, base, &info);
	if (err)
		return err;
	if (!wrap_is_by_ptr(info.kind)) {
		if (as == MEM_LOCK_DEVICE && !has_all)
			return -EINVAL;
		place->host[plane] = base;
		place->device[plane] = has_all ? base : NULL;
		return 0;
	}
	if (!info.is_own)
		return -EXDEV;
	if (!wrap_is_inside(&info, plane_len(&place->view.planes[plane])))
		return -EINVAL;
	place->host[plane] = info.host;
	place->device[plane] = info.device;
	if (info.kind == MEM_KIND_REGISTERED &&
	    info.flags & MEM_REGISTER_READ_ONLY) {
		place->device[plane] = NULL;
		wrapped->why = MEM_WRAP_READ_ONLY;
	}
	return 0;
}

/*
 * Returns true if the planes are aligned as the engine requires, which has no
 * requirement for rows of blocks.
 */
static bool wrap_is_aligned(struct mem_ctx *ctx, const struct place *place,
			    unsigned int engine)
{
	const bool has_blocks = pixel_of(place->view.format)->is_block_linear;
	struct constraint need;
	uint32_t i;

	if (!constraint_find(ctx, engine, &need))
		return true;
	for (i = 0; i < place->view.nr_planes; i++)
		if ((uintptr_t)place->device[i] % need.base_align ||
		    (!has_blocks &&
		     place->view.planes[i].pitch % need.pitch_align))
			return false;
	return true;
}

/* Returns true if all planes have addresses. */
static bool wrap_has_pointers(void *const *pointers, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++)
		if (!pointers[i])
			return false;
	return true;
}

static void wrap_lacks(struct wrapped *wrapped, uint64_t who, uint32_t why)
{
	if (!who)
		return;
	wrapped->lacking |= who;
	if (!wrapped->why)
		wrapped->why = why;
}

/**
 * wrap_check() - find the users that cannot work on the caller's memory
 * @ctx: context
 * @uses: users, MEM_USE_*
 * @is_array: it is an array; engines accept any alignment of its elements
 * @wrapped: in and out: has the addresses of all planes; @lacking and @why are
 *	set
 *
 * GPUs accept rows of any pitch; the compositor and the vision accelerator do
 * not.
 *
 * Return: 0, or -EACCES: neither the CPU nor an engine can access the memory.
 */
int wrap_check(struct mem_ctx *ctx, uint64_t uses, bool is_array,
	       struct wrapped *wrapped)
{
	static const unsigned int strict[] = { MEM_ENGINE_VIC, MEM_ENGINE_PVA };
	struct place *place = &wrapped->place;
	const uint32_t nr = place->view.nr_planes;
	unsigned int i;

	if (!wrap_has_pointers(place->host, nr))
		place->host[0] = NULL;
	if (!wrap_has_pointers(place->device, nr))
		place->device[0] = NULL;
	if (!place->host[0] && !place->device[0])
		return -EACCES;
	if (!place->device[0])
		wrap_lacks(wrapped, uses & USE_KERNELS, MEM_WRAP_PAGEABLE);
	else if (wrapped->why)
		wrapped->lacking |= uses & USE_KERNELS;
	if (!place->host[0])
		wrap_lacks(wrapped, uses & MEM_USE_CPU, MEM_WRAP_NO_HOST);
	for (i = 0; i < 2 && place->device[0] && !is_array; i++)
		if (uses & use_of(strict[i]) &&
		    !wrap_is_aligned(ctx, place, strict[i]))
			wrap_lacks(wrapped, use_of(strict[i]),
				   MEM_WRAP_ALIGN);
	if (!wrapped->lacking)
		wrapped->why = MEM_WRAP_NO_COPY;
	return 0;
}

/* Allocates the internal copy. The CPU or a GPU will copy to and from it. */
static int wrap_alloc_inside(struct store *store, uint64_t uses,
			     struct place *inside)
{
	if (!store->is_array)
		return image_place_alloc(store->ctx, &store->main.view, uses,
					 inside);
	inside->view = store->main.view;
	return array_place_alloc(store->ctx, (struct mem_array *)store, uses,
				 inside);
}

static int wrap_set_place(struct store *store, const struct wrapped *wrapped)
{
	struct place old = store->main;
	int err = 0;

	store->main = wrapped->place;
	place_remember(&store->main, store->ctx);
	if (wrapped->lacking && !store->inside.view.nr_planes)
		err = wrap_alloc_inside(store, store->uses | MEM_USE_CPU |
					use_of(MEM_ENGINE_GPU), &store->inside);
	if (err) {
		store->main = old;
		return err;
	}
	store->inside_for = wrapped->lacking;
	store->why = wrapped->why;
	store->is_read_only = wrapped->is_read_only;
	place_fini(&old);
	return 0;
}

/**
 * store_wrap() - make a store wrap memory
 * @store: new store, or one held by rewrap_begin(); has its type and stride
 * @wrapped: memory accepted by wrap_check(); freed on failure
 *
 * Waits for jobs that use the store.
 *
 * Return: 0, or an error as documented for mem_image_create() and
 * mem_stream_sync().
 */
int store_wrap(struct store *store, struct wrapped *wrapped)
{
	int err;

	err = store_wait(store);
	if (!err)
		err = wrap_set_place(store, wrapped);
	if (err)
		place_fini(&wrapped->place);
	return err;
}

/**
 * rewrap_begin() - check whether a wrapper may wrap other memory, and hold it
 * @store: store
 * @is_alike: the memory is of the same kind as before
 * @hold: out: lock, for store_drop()
 *
 * Return: 0, or an error as documented for mem_image_rewrap().
 */
int rewrap_begin(struct store *store, bool is_alike, struct hold **hold)
{
	const int err = ctx_check(store->ctx);

	if (err)
		return err;
	if (!store->is_wrapper)
		return -EPERM;
	return is_alike ? store_hold(store, MEM_WRITE, hold) : -EINVAL;
}

/* Planes of images */

static int wrap_check_planes(const struct mem_image_data *data,
			     struct view *view)
{
	uint32_t i;
	int err;

	err = image_geometry(data->format, data->width, data->height, view);
	if (err || data->nr_planes != view->nr_planes)
		return -EINVAL;
	for (i = 0; i < view->nr_planes; i++) {
		const struct mem_plane *want = &view->planes[i];
		const struct mem_plane *have = &data->planes[i];

		if (have->width != want->width ||
		    have->height != want->height ||
		    have->pixel_len != want->pixel_len ||
		    have->pitch < (uint64_t)want->width * want->pixel_len ||
		    have->pitch > INT32_MAX)
			return -EINVAL;
		view->planes[i].pitch = have->pitch;
		view->planes[i].off = have->off;
	}
	return 0;
}

/*
 * Returns true if a byte belongs to both planes, of which @one begins @delta
 * bytes before @other. Rows of two planes may alternate if the pitch is common.
 */
static bool wrap_planes_overlap(const struct mem_plane *one,
				const struct mem_plane *other, uint64_t delta)
{
	if (delta >= plane_len(one))
		return false;
	if (one->pitch != other->pitch)
		return true;
	delta %= one->pitch;
	return delta < (uint64_t)one->width * one->pixel_len ||
	       delta + (uint64_t)other->width * other->pixel_len > one->pitch;
}

/* Compares addresses, or offsets in a file. */
static int wrap_check_places(const struct mem_image_data *data,
			     const struct view *view)
{
	const struct mem_plane *planes = view->planes;
	uint64_t first[MEM_PLANES_MAX], end;
	uint32_t i, j, one, other;

	for (i = 0; i < view->nr_planes; i++) {
		first[i] = data->as == MEM_LOCK_FD ? planes[i].off :
			   (uintptr_t)data->planes[i].base;
		if (__builtin_add_overflow(first[i], plane_len(&planes[i]),
					   &end))
			return -EINVAL;
		for (j = 0; j < i; j++) {
			one = first[i] < first[j] ? i : j;
			other = i + j - one;
			if (wrap_planes_overlap(&planes[one], &planes[other],
						first[other] - first[one]))
				return -EINVAL;
		}
	}
	return 0;
}

static int wrap_planes(struct mem_ctx *ctx, const struct mem_image_data *data,
		       struct wrapped *wrapped)
{
	struct view *view = &wrapped->place.view;
	uint32_t i;
	int err;

	err = wrap_check_planes(data, view);
	if (!err)
		err = wrap_check_places(data, view);
	for (i = 0; i < view->nr_planes && !err; i++) {
		view->planes[i].off = 0;
		err = wrap_plane(ctx, data->as, i, data->planes[i].base,
				 wrapped);
	}
	return err;
}

static uint64_t wrap_file_end(const struct view *view)
{
	uint64_t end, most = 0;
	uint32_t i;

	for (i = 0; i < view->nr_planes; i++) {
		end = view->planes[i].off + plane_len(&view->planes[i]);
		if (end > most)
			most = end;
	}
	return most;
}

static void wrap_set_pointers(struct wrapped *wrapped, void *host, void *device)
{
	struct place *place = &wrapped->place;
	uint32_t i;

	for (i = 0; i < place->view.nr_planes; i++) {
		const uint64_t off = place->view.planes[i].off;

		place->host[i] = host ? (uint8_t *)host + off : NULL;
		place->device[i] = device ? (uint8_t *)device + off : NULL;
	}
}

/* Maps any file that can be mapped, as memory of the CPU only. */
static int wrap_mapped(struct mem_ctx *ctx, int fd, bool is_read_only,
		       struct wrapped *wrapped)
{
	struct place *place = &wrapped->place;
	const uint64_t end = wrap_file_end(&place->view);
	struct stat st;
	void *addr;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISREG(st.st_mode) && (uint64_t)st.st_size < end)
		return -EINVAL;
	addr = mmap(NULL, end, is_read_only ? PROT_READ :
					      PROT_READ | PROT_WRITE,
		    MAP_SHARED, fd, 0);
	/*
	 * A file sealed against writes. Linux before 6.7 refuses to map it
	 * shared, even read-only.
	 */
	if (addr == MAP_FAILED && errno == EPERM) {
		wrapped->is_read_only = true;
		addr = mmap(NULL, end, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	if (addr == MAP_FAILED)
		return errno == ENOMEM ? -ENOMEM : -EINVAL;
	place->map = addr;
	place->map_len = end;
	place->may_be_cut = S_ISREG(st.st_mode);
	wrap_set_pointers(wrapped, addr,
			  board_has_pageable_access(ctx->board) ? addr : NULL);
	return 0;
}

static int wrap_imported(struct mem_buf *buf, struct wrapped *wrapped)
{
	struct place *place = &wrapped->place;
	void *host, *device = NULL;
	int err;

	place->own = buf;
	if (mem_buf_len(buf) < wrap_file_end(&place->view))
		return -EINVAL;
	/* Seals can make the file read-only even if it is open for writing. */
	wrapped->is_read_only |= buf->is_read_only;
	err = mem_buf_map(buf, &host);
	if (err)
		return err;
	err = mem_buf_device_ptr(buf, &device);
	if (err && err != -EOPNOTSUPP)
		return err;
	place->buf = buf;
	wrap_set_pointers(wrapped, host, device);
	return 0;
}

static int wrap_file(struct mem_ctx *ctx, const struct mem_image_data *data,
		     struct wrapped *wrapped)
{
	struct view *view = &wrapped->place.view;
	struct mem_buf *buf;
	int err, mode;

	err = wrap_check_planes(data, view);
	if (!err)
		err = wrap_check_places(data, view);
	if (err)
		return err;
	mode = fcntl(data->fd, F_GETFL);
	if (mode < 0)
		return -EBADF;
	wrapped->is_read_only = (mode & O_ACCMODE) == O_RDONLY;
	err = mem_buf_import(ctx, data->fd, &buf);
	if (!err)
		return wrap_imported(buf, wrapped);
	/* The file is neither a dma-buf nor libmem's. */
	return err == -EINVAL ? wrap_mapped(ctx, data->fd,
					    wrapped->is_read_only, wrapped) :
				err;
}

/*
 * Crops the planes of an object to the part that @data names. The rows keep
 * their place, so the part has the pitch and format of the whole.
 */
static int wrap_crop_place(struct place *place,
			   const struct mem_image_data *data)
{
	struct mem_format_info info = { .size = sizeof(info) };
	const struct view whole = place->view;
	struct mem_image_data named = *data;
	struct view part;
	uint32_t i;
	int err;

	err = mem_format_info(whole.format, &info);
	if (err || info.layout == MEM_LAYOUT_BLOCK_LINEAR)
		return data->width == whole.width &&
		       data->height == whole.height ? err : -EOPNOTSUPP;
	named.format = whole.format;
	err = wrap_check_planes(&named, &part);
	for (i = 0; i < part.nr_planes && !err; i++) {
		const struct mem_plane *of = &whole.planes[i];
		const uint64_t delta = part.planes[i].off - of->off;
		const uint64_t x = delta % of->pitch / of->pixel_len;

		if (part.planes[i].pitch != of->pitch ||
		    part.planes[i].off < of->off ||
		    delta % of->pitch % of->pixel_len ||
		    x + part.planes[i].width > of->width ||
		    delta / of->pitch + part.planes[i].height > of->height)
			return -EINVAL;
		if (place->host[i])
			place->host[i] = (uint8_t *)place->host[i] + delta;
		if (place->device[i])
			place->device[i] = (uint8_t *)place->device[i] + delta;
	}
	if (!err)
		place->view = part;
	return err;
}

static int wrap_object(struct mem_ctx *ctx, const struct mem_image_data *data,
		       uint64_t uses, struct wrapped *wrapped)
{
	const struct mem_attrs *attrs = mem_object_attrs(data->object);
	struct mem_attr perm = { .key = MEM_ATTR_ACTUAL_PERM };
	struct place *place = &wrapped->place;
	int err;

	if (!attrs)
		return -EINVAL;
	if (mem_object_buf(data->object)->ctx != ctx)
		return -EXDEV;
	place->view.format = data->format;
	if (!data->nr_planes) {
		place->view.width = data->width;
		place->view.height = data->height;
	}
	err = image_place_of(data->object, uses, data->flags, place);
	if (err) {
		memset(&place->view, 0, sizeof(place->view));
		return err;
	}
	if (data->nr_planes)
		err = wrap_crop_place(place, data);
	if (err)
		return err;
	wrapped->is_read_only = !mem_attrs_get(attrs, 0, &perm, 1) &&
				perm.len == sizeof(uint32_t) &&
				*(const uint32_t *)perm.value == MEM_READ;
	return 0;
}

static int wrap_image_data(struct mem_ctx *ctx,
			   const struct mem_image_data *data,
			   uint64_t uses, struct wrapped *wrapped)
{
	int err;

	memset(wrapped, 0, sizeof(*wrapped));
	if (data->as == MEM_LOCK_FD)
		err = wrap_file(ctx, data, wrapped);
	else if (data->as == MEM_LOCK_OBJECT)
		err = wrap_object(ctx, data, uses, wrapped);
	else
		err = wrap_planes(ctx, data, wrapped);
	if (!err)
		err = wrap_check(ctx, uses, false, wrapped);
	if (err)
		place_fini(&wrapped->place);
	return err;
}

static int wrap_take_data(struct mem_image_data *all,
			  const struct mem_image_data *data)
{
	int err;

	err = struct_in(all, sizeof(*all), data,
			offsetofend(struct mem_image_data, object));
	if (err)
		return err;
	return all->as > MEM_LOCK_OBJECT || all->flags & ~MEM_IMAGE_ANY_STD ?
	       -EINVAL : 0;
}

static int wrap_image(struct mem_ctx *ctx, const struct mem_image_data *data,
		      uint64_t uses, struct mem_image **image)
{
	struct wrapped wrapped;
	struct mem_image *new;
	int err;

	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	store_init(&new->store, ctx, uses);
	new->store.is_wrapper = true;
	new->wrapped_as = data->as;
	err = wrap_image_data(ctx, data, uses, &wrapped);
	if (!err)
		err = store_wrap(&new->store, &wrapped);
	if (err) {
		store_put(&new->store);
		return err;
	}
	image_name_make(new);
	*image = new;
	return 0;
}

API int mem_image_wrap(struct mem_ctx *ctx, const struct mem_image_data *data,
		       uint64_t uses, struct mem_image **image)
{
	struct mem_image_data all;
	int err;

	if (!ctx || !data || !image)
		return -EINVAL;
	err = wrap_take_data(&all, data);
	if (!err)
		err = uses_check(ctx, &uses);
	return err ? err : wrap_image(ctx, &all, uses, image);
}

static bool wrap_views_are_alike(const struct view *one,
				 const struct view *other)
{
	return one->format == other->format && one->width == other->width &&
	       one->height == other->height;
}

API int mem_image_rewrap(struct mem_image *image,
			 const struct mem_image_data *data)
{
	struct mem_image_data all;
	struct wrapped wrapped;
	struct store *store;
	struct hold *hold;
	int err;

	if (!image || !data)
		return -EINVAL;
	store = &image->store;
	err = wrap_take_data(&all, data);
	if (!err)
		err = rewrap_begin(store, all.as == image->wrapped_as, &hold);
	if (err)
		return err;
	err = wrap_image_data(store->ctx, &all, store->uses, &wrapped);
	if (!err &&
	    !wrap_views_are_alike(&wrapped.place.view, &store->main.view)) {
		place_fini(&wrapped.place);
		err = -EINVAL;
	}
	if (!err)
		err = store_wrap(store, &wrapped);
	store_drop(store, hold);
	return err;
}

/**
 * image_has_ctxs() - check whether other contexts can have an image
 * @image: image
 *
 * Return: true if image_pack() is possible: the memory is an object's.
 */
bool image_has_ctxs(const struct mem_image *image)
{
	return image->store.main.object &&
	       image->store.why == MEM_WRAP_NO_COPY;
}

/**
 * image_pack() - describe an image for another context or process
 * @image: image for which image_has_ctxs()
 * @pack: out: description; its bytes are to be freed
 * @fd: out: descriptor of its memory, owned by the caller
 *
 * Context: may sleep.
 * Return: 0, or an error of object_pack().
 */
int image_pack(struct mem_image *image, struct image_pack *pack, int *fd)
{
	const struct view *view = &image->store.main.view;
	struct mem_object *object = image->store.main.object;

	memset(pack, 0, sizeof(*pack));
	pack->uses = image->store.uses;
	pack->perm = attrs_perm(object->attrs);
	pack->format = view->format;
	pack->width = view->width;
	pack->height = view->height;
	/* A wrapper may be of a part of its object. */
	if (image->store.is_wrapper) {
		pack->nr_planes = view->nr_planes;
		memcpy(pack->planes, view->planes, sizeof(pack->planes));
	}
	return object_pack(object, &pack->list, &pack->list_len, fd);
}

/**
 * image_unpack() - make an image from what image_pack() returned
 * @ctx: context
 * @pack: description; like @fd, another process may have made it
 * @fd: descriptor of the memory; remains the caller's
 * @image: out: wrapper, owned by the caller: mem_image_destroy()
 *
 * Context: may sleep.
 * Return: 0, or an error of object_unpack() or mem_image_wrap(), except for the
 * error that has ended the context's work.
 */
int image_unpack(struct mem_ctx *ctx, const struct image_pack *pack, int fd,
		 struct mem_image **image)
{
	struct mem_image_data data = {
		.size = sizeof(data),
		.as = MEM_LOCK_OBJECT,
		.format = pack->format,
		.width = pack->width,
		.height = pack->height,
		.nr_planes = pack->nr_planes,
		.fd = -1,
		/* The format is that of the other image, whatever it wraps. */
		.flags = MEM_IMAGE_ANY_STD,
	};
	uint64_t uses = pack->uses;
	int err;

	if (pack->perm != MEM_READ && pack->perm != MEM_RW)
		return -EBADMSG;
	memcpy(data.planes, pack->planes, sizeof(data.planes));
	err = uses_take(ctx, &uses);
	if (!err)
		err = object_unpack(ctx, pack->list, pack->list_len, pack->perm,
				    fd, &data.object);
	if (err)
		return err;
	err = wrap_image(ctx, &data, uses, image);
	/* The image has a reference. */
	mem_object_put(data.object);
	return err;
}

/**
 * image_in_ctx() - make an image of the same memory for another context
 * @image: image for which image_has_ctxs()
 * @ctx: context of the same backend and board
 * @other: out: wrapper, owned by the caller: mem_image_destroy()
 *
 * Context: may sleep.
 * Return: 0, or an error of image_pack() or image_unpack().
 */
int image_in_ctx(struct mem_image *image, struct mem_ctx *ctx,
		 struct mem_image **other)
{
	struct image_pack pack;
	int fd, err;

	err = image_pack(image, &pack, &fd);
	if (err)
		return err;
	err = image_unpack(ctx, &pack, fd, other);
	fd_close(fd);
	free(pack.list);
	return err;
}
