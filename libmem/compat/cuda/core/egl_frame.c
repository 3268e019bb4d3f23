// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Frames of EGL streams as libmem's. A frame of a pipe has planes of pixels of
 * some length. What CUDA knows about them in addition (the kind of frame, the
 * colour format, the components) is packed into the frame's user value. So no
 * memory needs to live as long as the frame.
 */
#include <string.h>

#include "core_egl.h"
#include "internal.h"

/*
 * The user value: a mark; the slot of the producer; whether planes are arrays;
 * the colour format; the format of a component; components of each plane.
 */
#define MARK		0xc0daULL
#define MARK_SHIFT	48
#define SLOT_MASK	0x7fU
#define ARRAY_BIT	0x80U
#define COLOR_SHIFT	12
#define FORMAT_SHIFT	20
#define CHANNELS_SHIFT	28
#define CHANNELS_BITS	4

static uint64_t egl_user_of(const struct mem_frame *frame)
{
	return (uintptr_t)frame->user;
}

static bool egl_is_packed(const struct mem_frame *frame)
{
	return egl_user_of(frame) >> MARK_SHIFT == MARK;
}

/**
 * core_egl_pixel_len() - return the length of a pixel of a frame
 * @format: format of a component
 * @nr_channels: number of components
 *
 * Return: bytes; 0: there is no such pixel.
 */
unsigned int core_egl_pixel_len(CUarray_format format, unsigned int nr_channels)
{
	const unsigned int len = core_format_len(format, nr_channels);

	/* Unlike arrays, planes with addresses may have three components. */
	return !len && nr_channels == 3 ? 3 * core_format_len(format, 1) : len;
}

/*
 * Reads the sides and the address of an array. Of one with layers or a depth,
 * as programs make it that set a depth of 1, the frame has the first.
 */
static int egl_pack_array(const struct core_egl_frame *frame,
			  const struct core_egl_plane *from,
			  struct mem_plane *to)
{
	const struct CUarray_st *array = from->array;

	if (!core_array_exists(array))
		return CUDA_ERROR_INVALID_HANDLE;
	to->base = array->base;
	to->width = array->desc.Width;
	to->height = array->desc.Height ? array->desc.Height : 1;
	to->pixel_len = array->element_len;
	to->pitch = array->pitch;
	return core_format_len(frame->format, array->desc.NumChannels) ==
	       to->pixel_len ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/*
 * A height that is too large for the memory is no error for CUDA, which reads
 * what is behind. Here the plane has the rows that fit. Returns false if not
 * even one does.
 */
static bool egl_limit_height(struct mem_plane *plane, uint64_t row_len)
{
	struct core_ptr what;
	uint64_t len;

	core_ptr(plane->base, &what);
	if (what.kind == MEM_KIND_PAGEABLE)
		return true;
	len = what.info.len - ((char *)plane->base - (char *)what.info.base);
	if (len < row_len)
		return false;
	len = (len - row_len) / plane->pitch + 1;
	if (plane->height > len)
		plane->height = len;
	return true;
}

static bool egl_has_four_channels(unsigned int color)
{
	return color == CORE_EGL_ARGB || color == CORE_EGL_RGBA ||
	       color == CORE_EGL_ABGR || color == CORE_EGL_BGRA;
}

static int egl_pack_pitch(const struct core_egl_frame *frame,
			  const struct core_egl_plane *from,
			  struct mem_plane *to)
{
	uint64_t row_len;

	if (!from->ptr)
		return CUDA_ERROR_INVALID_HANDLE;
	to->base = from->ptr;
	to->width = from->width;
	to->height = from->height;
	to->pixel_len = core_egl_pixel_len(frame->format, from->nr_channels);
	if (!to->width || !to->height || !to->pixel_len ||
	    (egl_has_four_channels(frame->color) && from->nr_channels != 4))
		return CUDA_ERROR_INVALID_VALUE;
	row_len = (uint64_t)to->width * to->pixel_len;
	if (!from->pitch && row_len > UINT32_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	to->pitch = from->pitch ? from->pitch : row_len;
	/*
	 * CUDA accepts rows that are longer than the pitch: NVIDIA's sample has
	 * a width in bytes. Here such a plane has the bytes up to the pitch in
	 * each row, the last one included.
	 */
	if (row_len > to->pitch) {
		row_len = to->pitch;
		if (to->width > to->pitch)
			to->width = to->pitch;
		to->pixel_len = 1;
	}
	return egl_limit_height(to, row_len) ? CUDA_SUCCESS :
					       CUDA_ERROR_INVALID_VALUE;
}

/**
 * core_egl_pack() - convert a frame that is presented
 * @frame: frame
 * @slot: number for core_egl_slot(), 0 to 127
 * @to: out: frame for mem_pipe_present()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (planes, sides or formats; the
 * memory is shorter than a row), CUDA_ERROR_INVALID_HANDLE (no such array, no
 * address).
 */
int core_egl_pack(const struct core_egl_frame *frame, unsigned int slot,
		  struct mem_frame *to)
{
	uint64_t user = MARK << MARK_SHIFT | slot;
	unsigned int i;
	int rc;

	if (!frame->nr_planes || frame->nr_planes > MEM_PLANES_MAX ||
	    frame->color >= CORE_EGL_NR_COLORS)
		return CUDA_ERROR_INVALID_VALUE;
	memset(to, 0, sizeof(*to));
	to->size = sizeof(*to);
	to->nr_planes = frame->nr_planes;
	user |= frame->is_array ? ARRAY_BIT : 0;
	user |= (uint64_t)frame->color << COLOR_SHIFT;
	user |= (uint64_t)(frame->format & 0xff) << FORMAT_SHIFT;
	for (i = 0; i < frame->nr_planes; i++) {
		const struct core_egl_plane *plane = &frame->planes[i];
		unsigned int nr = plane->nr_channels;

		rc = frame->is_array ?
			egl_pack_array(frame, plane, &to->planes[i]) :
			egl_pack_pitch(frame, plane, &to->planes[i]);
		if (rc)
			return rc;
		if (frame->is_array && !i &&
		    (plane->width != to->planes[i].width ||
		     plane->height != to->planes[i].height))
			return CUDA_ERROR_INVALID_VALUE;
		if (frame->is_array)
			nr = plane->array->desc.NumChannels;
		user |= (uint64_t)nr << (CHANNELS_SHIFT + i * CHANNELS_BITS);
	}
	to->user = (void *)(uintptr_t)user;
	return CUDA_SUCCESS;
}

/**
 * core_egl_slot() - return the number that the frame was packed with
 * @frame: frame that core_egl_pack() filled in
 *
 * Return: number.
 */
unsigned int core_egl_slot(const struct mem_frame *frame)
{
	return egl_user_of(frame) & SLOT_MASK;
}

/* The producer is not CUDA: pixels are taken for bytes. */
static void egl_guess(const struct mem_frame *frame, struct core_egl_frame *to)
{
	static const unsigned int colors[] = {
		CORE_EGL_L, CORE_EGL_RG, CORE_EGL_L, CORE_EGL_ARGB
	};
	unsigned int i;

	to->format = CU_AD_FORMAT_UNSIGNED_INT8;
	for (i = 0; i < to->nr_planes; i++)
		to->planes[i].nr_channels = frame->planes[i].pixel_len;
	if (to->nr_planes == 1)
		to->color = colors[(frame->planes[0].pixel_len - 1) % 4];
	else
		to->color = to->nr_planes == 2 ? CORE_EGL_YUV420_SEMIPLANAR :
						 CORE_EGL_YUV420_PLANAR;
}

/*
 * Returns true if core_egl_pack() makes such a plane. The producer may be
 * another process, so what it says about pixels can be wrong.
 */
static bool egl_plane_is_valid(const struct core_egl_frame *frame,
			       unsigned int nr_channels,
			       const struct mem_plane *plane)
{
	unsigned int len;

	if (frame->is_array)
		return core_format_len(frame->format, nr_channels) ==
		       plane->pixel_len;
	len = core_egl_pixel_len(frame->format, nr_channels);
	/* Rows that are longer than the pitch are of bytes. */
	return len && ((uint64_t)plane->width * len > plane->pitch ?
		       plane->pixel_len == 1 : plane->pixel_len == len);
}

/**
 * core_egl_unpack() - convert a frame that was acquired
 * @frame: frame of mem_pipe_acquire()
 * @to: out: frame; arrays have to be made of the addresses of the planes, see
 *	core_graphics_view()
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_NOT_SUPPORTED (an image of libmem; a user
 * value that does not describe the planes).
 */
int core_egl_unpack(const struct mem_frame *frame, struct core_egl_frame *to)
{
	const uint64_t user = egl_user_of(frame);
	unsigned int i;

	if (frame->image)
		return CUDA_ERROR_NOT_SUPPORTED;
	memset(to, 0, sizeof(*to));
	to->nr_planes = frame->nr_planes;
	for (i = 0; i < frame->nr_planes; i++) {
		to->planes[i].ptr = frame->planes[i].base;
		to->planes[i].width = frame->planes[i].width;
		to->planes[i].height = frame->planes[i].height;
		to->planes[i].pitch = frame->planes[i].pitch;
		to->planes[i].nr_channels =
			user >> (CHANNELS_SHIFT + i * CHANNELS_BITS) &
			((1U << CHANNELS_BITS) - 1);
	}
	if (!egl_is_packed(frame)) {
		egl_guess(frame, to);
		return CUDA_SUCCESS;
	}
	to->is_array = user & ARRAY_BIT;
	to->color = user >> COLOR_SHIFT & 0xff;
	to->format = (CUarray_format)(user >> FORMAT_SHIFT & 0xff);
	if (to->color >= CORE_EGL_NR_COLORS)
		return CUDA_ERROR_NOT_SUPPORTED;
	for (i = 0; i < frame->nr_planes; i++)
		if (!egl_plane_is_valid(to, to->planes[i].nr_channels,
					&frame->planes[i]))
			return CUDA_ERROR_NOT_SUPPORTED;
	return CUDA_SUCCESS;
}
