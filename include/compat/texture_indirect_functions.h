/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Texture objects in kernels: tex2D<T>(object, x, y) and so on.
 *
 * Coordinates, address modes and filters are as CUDA's C++ Programming Guide
 * has them in its appendix "Texture Fetching": the weights of a linear filter
 * have 8 bits of fraction. Where it leaves something open:
 * - channels that the texture has not are 0, 0 and 1;
 * - a bias counts for levels that the kernel gives, too;
 * - without a level or gradients the finest level that is allowed is read;
 * - layers outside are clamped;
 * - a face of a cubemap is filtered by itself: anisotropic filtering and
 *   seamless cubemaps are not modelled.
 */
#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#include "builtin_types.h"
#include "libmem_view.h"
#include "surface_indirect_functions.h"

#ifdef __cplusplus

namespace libmem {
/* Result of a texture fetch: four registers, of floats or of integers */
struct texel {
	unsigned int bits[4];
};

static inline float to_float(unsigned int bits)
{
	float value;

	__builtin_memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline unsigned int to_bits(float value)
{
	unsigned int bits;

	__builtin_memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* IEEE 754 binary16; subnormal numbers, infinities and NaN too */
static inline float half_to_float(unsigned short half)
{
	const unsigned int sign = (half & 0x8000U) << 16;
	const unsigned int exponent = half >> 10 & 0x1f;
	const unsigned int fraction = half & 0x3ff;
	float value;

	if (exponent == 0x1f)
		return to_float(sign | 0x7f800000U | fraction << 13);
	if (exponent)
		return to_float(sign | (exponent + 112) << 23 |
				fraction << 13);
	value = fraction / 16777216.0f;
	return sign ? -value : value;
}

static inline bool is_float(const libmem_view *view)
{
	return view->format == LIBMEM_VIEW_F16 ||
	       view->format == LIBMEM_VIEW_F32 ||
	       view->flags & LIBMEM_VIEW_TO_FLOAT;
}

template <class T> static inline T channel(const char *at, unsigned int i)
{
	T value;

	__builtin_memcpy(&value, at + i * sizeof(T), sizeof(T));
	return value;
}

/* An integer, or a float that is -1 to 1 */
static inline unsigned int integer(const libmem_view *view, int value,
				   float largest)
{
	float part;

	if (!(view->flags & LIBMEM_VIEW_TO_FLOAT))
		return value;
	part = value / largest;
	return to_bits(part < -1 ? -1 : part);
}

static inline unsigned int channel_of(const libmem_view *view, const char *at,
				      unsigned int i)
{
	switch (view->format) {
	case LIBMEM_VIEW_U8:
		return integer(view, channel<unsigned char>(at, i), 255);
	case LIBMEM_VIEW_S8:
		return integer(view, channel<signed char>(at, i), 127);
	case LIBMEM_VIEW_U16:
		return integer(view, channel<unsigned short>(at, i), 65535);
	case LIBMEM_VIEW_S16:
		return integer(view, channel<short>(at, i), 32767);
	case LIBMEM_VIEW_F16:
		return to_bits(half_to_float(channel<unsigned short>(at, i)));
	default:
		return channel<unsigned int>(at, i);
	}
}

/* IEC 61966-2-1 */
static inline unsigned int from_srgb(unsigned int bits)
{
	const float value = to_float(bits);

	if (value <= 0.04045f)
		return to_bits(value / 12.92f);
	return to_bits(__builtin_powf((value + 0.055f) / 1.055f, 2.4f));
}

static inline texel texel_at(const libmem_view *view, const libmem_level *level,
			     int x, int y, int z)
{
	const char *at = level->base + z * level->slice + y * level->pitch +
		static_cast<unsigned long long>(x) * view->element_len;
	texel found = { { 0, 0, 0, is_float(view) ? to_bits(1) : 1 } };
	unsigned int i;

	for (i = 0; i < view->nr_channels; i++)
		found.bits[i] = channel_of(view, at, i);
	if (view->flags & LIBMEM_VIEW_SRGB &&
	    view->flags & LIBMEM_VIEW_TO_FLOAT &&
	    view->format == LIBMEM_VIEW_U8)
		for (i = 0; i < 3 && i < view->nr_channels; i++)
			found.bits[i] = from_srgb(found.bits[i]);
	return found;
}

static inline texel border_of(const libmem_view *view)
{
	texel found;

	__builtin_memcpy(found.bits, view->border, sizeof(found.bits));
	return found;
}

/* Index of an element; -1: what is outside */
static inline int index_of(int i, unsigned int n, unsigned int mode)
{
	const int whole = n;

	if (is_below(i, n))
		return i;
	switch (mode) {
	case LIBMEM_VIEW_WRAP:
		i %= whole;
		return i < 0 ? i + whole : i;
	case LIBMEM_VIEW_BORDER:
		return -1;
	default:
		/* A coordinate that was mirrored is outside by an element. */
		return clamped(i, n);
	}
}

/* A coordinate in elements, far outside brought near; never NaN */
static inline float place_of(const libmem_view *view, float x, unsigned int n,
			     unsigned int mode)
{
	const float last = n + 1.0f;

	if (view->flags & (LIBMEM_VIEW_NORMALIZED | LIBMEM_VIEW_CUBEMAP)) {
		const float floor = __builtin_floorf(x);

		if (mode == LIBMEM_VIEW_WRAP)
			x -= floor;
		else if (mode == LIBMEM_VIEW_MIRROR)
			x = floor - 2 * __builtin_floorf(floor / 2) != 0 ?
				1 - (x - floor) : x - floor;
		x *= n;
	}
	if (!(x > -2))
		return -2;
	return x < last ? x : last;
}

/* Elements on both sides of a coordinate, and how much the second counts */
struct pair {
	int first;
	int second;
	float weight;
};

static inline float in_256ths(float fraction)
{
	return __builtin_floorf(fraction * 256 + 0.5f) / 256;
}

static inline pair nearest(const libmem_view *view, float x, unsigned int n,
			   unsigned int mode)
{
	const float place = place_of(view, x, n, mode);
	const int i = index_of(static_cast<int>(__builtin_floorf(place)), n,
			       mode);

	return { i, i, 0 };
}

static inline pair around(const libmem_view *view, float x, unsigned int n,
			  unsigned int mode)
{
	const float place = place_of(view, x, n, mode) - 0.5f;
	const float floor = __builtin_floorf(place);
	const int i = static_cast<int>(floor);

	return { index_of(i, n, mode), index_of(i + 1, n, mode),
		 in_256ths(place - floor) };
}

/* Where a texture is read: a level's elements in each dimension */
struct place {
	pair in[3];
	unsigned int nr_dims;
	int layer;
};

static inline texel read_one(const libmem_view *view, const libmem_level *level,
			     const place &at, unsigned int corner)
{
	int i[3] = { 0, 0, at.layer };
	unsigned int d;

	for (d = 0; d < at.nr_dims; d++) {
		i[d] = corner >> d & 1 ? at.in[d].second : at.in[d].first;
		if (i[d] < 0)
			return border_of(view);
	}
	return texel_at(view, level, i[0], i[1], i[2]);
}

static inline texel mixed(const libmem_view *view, const libmem_level *level,
			  const place &at)
{
	float sum[4] = { 0, 0, 0, 0 };
	unsigned int corner, d, c;
	texel found;

	for (corner = 0; corner < 1U << at.nr_dims; corner++) {
		float weight = 1;

		for (d = 0; d < at.nr_dims; d++)
			weight *= corner >> d & 1 ? at.in[d].weight :
						    1 - at.in[d].weight;
		/* What does not count is not read: it may be NaN. */
		if (weight == 0)
			continue;
		found = read_one(view, level, at, corner);
		for (c = 0; c < 4; c++)
			sum[c] += weight * to_float(found.bits[c]);
	}
	for (c = 0; c < 4; c++)
		found.bits[c] = to_bits(sum[c]);
	return found;
}

/* Where the kernel reads */
struct where {
	unsigned int nr_dims;
	float at[3];
	int layer;
};

static inline place placed(const libmem_view *view, const libmem_level *level,
			   const where &from, bool is_linear)
{
	const unsigned int extent[3] = {
		level->width, level->height, level->depth
	};
	place to = { {}, from.nr_dims, clamped(from.layer, level->depth) };
	unsigned int d;

	for (d = 0; d < from.nr_dims; d++) {
		const unsigned int mode = view->flags & LIBMEM_VIEW_CUBEMAP ?
			LIBMEM_VIEW_CLAMP : view->address[d];

		to.in[d] = is_linear ?
			around(view, from.at[d], extent[d], mode) :
			nearest(view, from.at[d], extent[d], mode);
	}
	return to;
}

static inline texel read_level(const libmem_view *view, unsigned int number,
			       const where &from)
{
	const libmem_level *level = &view->levels[number];
	const bool is_linear = view->flags & LIBMEM_VIEW_LINEAR;
	const place at = placed(view, level, from, is_linear);

	return is_linear ? mixed(view, level, at) :
			   read_one(view, level, at, 0);
}

/* Within what the texture allows, and what it has */
static inline float allowed(const libmem_view *view, float level)
{
	const float last = view->nr_levels - 1.0f;

	level += view->bias;
	if (!(level > view->min_level))
		level = view->min_level;
	if (level > view->max_level)
		level = view->max_level;
	if (!(level > 0))
		return 0;
	return level < last ? level : last;
}

static inline texel read_texture(cudaTextureObject_t object, const where &from,
				 float asked)
{
	const libmem_view *view = view_of(object, LIBMEM_VIEW_TEXTURE);
	const float level = allowed(view, asked);
	const float floor = __builtin_floorf(level);
	unsigned int number = static_cast<unsigned int>(floor);
	float weight = in_256ths(level - floor);
	texel fine, coarse;
	unsigned int c;

	if (!(view->flags & LIBMEM_VIEW_MIP_LINEAR)) {
		number = static_cast<unsigned int>(level + 0.5f);
		weight = 0;
	}
	fine = read_level(view, number, from);
	if (weight == 0)
		return fine;
	coarse = read_level(view, number + 1, from);
	for (c = 0; c < 4; c++)
		fine.bits[c] = to_bits((1 - weight) * to_float(fine.bits[c]) +
				       weight * to_float(coarse.bits[c]));
	return fine;
}

/* Without a level: it is as fine as it may be */
static inline float finest(void)
{
	return -__builtin_inff();
}

static inline where at_1d(float x, int layer = 0)
{
	return { 1, { x, 0, 0 }, layer };
}

static inline where at_2d(float x, float y, int layer = 0)
{
	return { 2, { x, y, 0 }, layer };
}

static inline where at_3d(float x, float y, float z)
{
	return { 3, { x, y, z }, 0 };
}

/* The face that a direction goes through, and where; layers of six faces */
static inline where at_cubemap(float x, float y, float z, int layer = 0)
{
	const float ax = __builtin_fabsf(x);
	const float ay = __builtin_fabsf(y);
	const float az = __builtin_fabsf(z);
	float s, t, m;
	int face;

	if (ax >= ay && ax >= az) {
		face = x < 0;
		m = ax;
		s = x < 0 ? z : -z;
		t = -y;
	} else if (ay >= az) {
		face = 2 + (y < 0);
		m = ay;
		s = x;
		t = y < 0 ? -z : z;
	} else {
		face = 4 + (z < 0);
		m = az;
		s = z < 0 ? -x : x;
		t = -y;
	}
	return { 2, { (s / m + 1) / 2, (t / m + 1) / 2, 0 },
		 6 * layer + face };
}

/* Linear memory by number; nothing outside */
static inline texel fetch(cudaTextureObject_t object, int x)
{
	const libmem_view *view = view_of(object, LIBMEM_VIEW_TEXTURE);

	if (!is_below(x, view->levels[0].width))
		return { { 0, 0, 0, 0 } };
	return texel_at(view, &view->levels[0], x, 0, 0);
}

/* The four elements that a linear filter would mix, one channel of each */
static inline texel gather(cudaTextureObject_t object, float x, float y,
			   int channel)
{
	/* From the lower left one, against the clock */
	static const unsigned int corners[] = { 2, 3, 1, 0 };
	const libmem_view *view = view_of(object, LIBMEM_VIEW_TEXTURE);
	const place at = placed(view, &view->levels[0], at_2d(x, y), true);
	texel found;
	unsigned int i;

	for (i = 0; i < 4; i++)
		found.bits[i] = read_one(view, &view->levels[0], at,
					 corners[i]).bits[channel & 3];
	return found;
}

static inline float longer(float a, float b)
{
	return a > b ? a : b;
}

static inline float length_of(float x, float y, float z)
{
	return __builtin_sqrtf(x * x + y * y + z * z);
}

/* The level at which a step of the kernel's is one element */
static inline float level_of(cudaTextureObject_t object, float4 dx, float4 dy)
{
	const libmem_view *view = view_of(object, LIBMEM_VIEW_TEXTURE);
	const libmem_level *level = &view->levels[0];
	const float w = level->width;
	const float h = level->height;
	const float d = level->depth;

	return __builtin_log2f(longer(length_of(dx.x * w, dx.y * h, dx.z * d),
				      length_of(dy.x * w, dy.y * h,
						dy.z * d)));
}

static inline float4 step(float x, float y = 0, float z = 0)
{
	return { x, y, z, 0 };
}

/* A register as a channel of the kernel's type: bits of a float, or less */
static inline void put_channel(float *to, unsigned int bits)
{
	*to = to_float(bits);
}

template <class T> static inline void put_channel(T *to, unsigned int bits)
{
	*to = static_cast<T>(bits);
}

template <class T> static inline void put(T *to, const texel &from)
{
	put_channel(to, from.bits[0]);
}

#define LIBMEM_PUT(type)						\
static inline void put(type ## 1 *to, const texel &from)		\
{									\
	put_channel(&to->x, from.bits[0]);				\
}									\
									\
static inline void put(type ## 2 *to, const texel &from)		\
{									\
	put_channel(&to->x, from.bits[0]);				\
	put_channel(&to->y, from.bits[1]);				\
}									\
									\
static inline void put(type ## 4 *to, const texel &from)		\
{									\
	put_channel(&to->x, from.bits[0]);				\
	put_channel(&to->y, from.bits[1]);				\
	put_channel(&to->z, from.bits[2]);				\
	put_channel(&to->w, from.bits[3]);				\
}

LIBMEM_PUT(char)
LIBMEM_PUT(uchar)
LIBMEM_PUT(short)
LIBMEM_PUT(ushort)
LIBMEM_PUT(int)
LIBMEM_PUT(uint)
LIBMEM_PUT(float)

#undef LIBMEM_PUT

} /* namespace libmem */

#define LIBMEM_TEXTURE(name, found, ...)				\
template <class T>							\
static inline void							\
name(T *ptr, cudaTextureObject_t object, __VA_ARGS__)			\
{									\
	::libmem::put(ptr, found);					\
}									\
									\
template <class T>							\
static inline T								\
name(cudaTextureObject_t object, __VA_ARGS__)				\
{									\
	T value;							\
									\
	::libmem::put(&value, found);					\
	return value;							\
}

/* All of an array is there: none is sparse. */
#define LIBMEM_TEXTURE_THERE(name, found, ...)				\
LIBMEM_TEXTURE(name, found, __VA_ARGS__)				\
									\
template <class T>							\
static inline void							\
name(T *ptr, cudaTextureObject_t object, __VA_ARGS__, bool *isResident)	\
{									\
	*isResident = true;						\
	::libmem::put(ptr, found);					\
}									\
									\
template <class T>							\
static inline T								\
name(cudaTextureObject_t object, __VA_ARGS__, bool *isResident)		\
{									\
	T value;							\
									\
	*isResident = true;						\
	::libmem::put(&value, found);					\
	return value;							\
}

#define LIBMEM_READ(where, level) \
	::libmem::read_texture(object, ::libmem::where, level)
#define LIBMEM_FINEST(where)	LIBMEM_READ(where, ::libmem::finest())
#define LIBMEM_GRAD(where, dx, dy) \
	LIBMEM_READ(where, ::libmem::level_of(object, dx, dy))
#define LIBMEM_STEP		::libmem::step

LIBMEM_TEXTURE(tex1Dfetch, ::libmem::fetch(object, x), int x)
LIBMEM_TEXTURE(tex1D, LIBMEM_FINEST(at_1d(x)), float x)
LIBMEM_TEXTURE_THERE(tex2D, LIBMEM_FINEST(at_2d(x, y)), float x, float y)
LIBMEM_TEXTURE_THERE(tex3D, LIBMEM_FINEST(at_3d(x, y, z)), float x, float y,
		     float z)
LIBMEM_TEXTURE(tex1DLayered, LIBMEM_FINEST(at_1d(x, layer)), float x, int layer)
LIBMEM_TEXTURE_THERE(tex2DLayered, LIBMEM_FINEST(at_2d(x, y, layer)), float x,
		     float y, int layer)
LIBMEM_TEXTURE(texCubemap, LIBMEM_FINEST(at_cubemap(x, y, z)), float x, float y,
	       float z)
LIBMEM_TEXTURE(texCubemapLayered, LIBMEM_FINEST(at_cubemap(x, y, z, layer)),
	       float x, float y, float z, int layer)

LIBMEM_TEXTURE(tex1DLod, LIBMEM_READ(at_1d(x), level), float x, float level)
LIBMEM_TEXTURE_THERE(tex2DLod, LIBMEM_READ(at_2d(x, y), level), float x,
		     float y, float level)
LIBMEM_TEXTURE_THERE(tex3DLod, LIBMEM_READ(at_3d(x, y, z), level), float x,
		     float y, float z, float level)
LIBMEM_TEXTURE(tex1DLayeredLod, LIBMEM_READ(at_1d(x, layer), level), float x,
	       int layer, float level)
LIBMEM_TEXTURE_THERE(tex2DLayeredLod, LIBMEM_READ(at_2d(x, y, layer), level),
		     float x, float y, int layer, float level)
LIBMEM_TEXTURE(texCubemapLod, LIBMEM_READ(at_cubemap(x, y, z), level), float x,
	       float y, float z, float level)
LIBMEM_TEXTURE(texCubemapLayeredLod,
	       LIBMEM_READ(at_cubemap(x, y, z, layer), level), float x, float y,
	       float z, int layer, float level)

LIBMEM_TEXTURE(tex1DGrad,
	       LIBMEM_GRAD(at_1d(x), LIBMEM_STEP(dPdx), LIBMEM_STEP(dPdy)),
	       float x, float dPdx, float dPdy)
LIBMEM_TEXTURE_THERE(tex2DGrad,
		     LIBMEM_GRAD(at_2d(x, y), LIBMEM_STEP(dPdx.x, dPdx.y),
				 LIBMEM_STEP(dPdy.x, dPdy.y)),
		     float x, float y, float2 dPdx, float2 dPdy)
LIBMEM_TEXTURE_THERE(tex3DGrad, LIBMEM_GRAD(at_3d(x, y, z), dPdx, dPdy),
		     float x, float y, float z, float4 dPdx, float4 dPdy)
LIBMEM_TEXTURE(tex1DLayeredGrad,
	       LIBMEM_GRAD(at_1d(x, layer), LIBMEM_STEP(dPdx),
			   LIBMEM_STEP(dPdy)),
	       float x, int layer, float dPdx, float dPdy)
LIBMEM_TEXTURE_THERE(tex2DLayeredGrad,
		     LIBMEM_GRAD(at_2d(x, y, layer),
				 LIBMEM_STEP(dPdx.x, dPdx.y),
				 LIBMEM_STEP(dPdy.x, dPdy.y)),
		     float x, float y, int layer, float2 dPdx, float2 dPdy)

#undef LIBMEM_TEXTURE
#undef LIBMEM_TEXTURE_THERE
#undef LIBMEM_READ
#undef LIBMEM_FINEST
#undef LIBMEM_GRAD
#undef LIBMEM_STEP

template <class T>
static inline void tex2Dgather(T *ptr, cudaTextureObject_t object,
					  float x, float y, int comp = 0)
{
	::libmem::put(ptr, ::libmem::gather(object, x, y, comp));
}

template <class T>
static inline T tex2Dgather(cudaTextureObject_t object, float x,
				       float y, int comp = 0)
{
	T value;

	::libmem::put(&value, ::libmem::gather(object, x, y, comp));
	return value;
}

template <class T>
static inline void tex2Dgather(T *ptr, cudaTextureObject_t object,
					  float x, float y, bool *isResident,
					  int comp = 0)
{
	*isResident = true;
	::libmem::put(ptr, ::libmem::gather(object, x, y, comp));
}

template <class T>
static inline T tex2Dgather(cudaTextureObject_t object, float x,
				       float y, bool *isResident, int comp = 0)
{
	T value;

	*isResident = true;
	::libmem::put(&value, ::libmem::gather(object, x, y, comp));
	return value;
}

/* What is not there is an error that says where to read on. */
#define LIBMEM_NO_TEXTURE(name)						\
template <class T, class... Arguments>					\
static inline T name(cudaTextureObject_t, Arguments...)			\
{									\
	static_assert(!sizeof(T *), "heapsim has no " #name		\
		      ": see Documentation/cuda-limits.rst");		\
	return T();							\
}

LIBMEM_NO_TEXTURE(texCubemapGrad)
LIBMEM_NO_TEXTURE(texCubemapLayeredGrad)

#undef LIBMEM_NO_TEXTURE

#endif

#endif
