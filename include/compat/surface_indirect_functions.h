/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Surface objects in kernels: surf2Dread<T>(object, x, y) and so on, where x is
 * in bytes. What lies outside is as the boundary mode says; to trap ends the
 * kernel, as does an x that is no multiple of T, or an object that is none.
 */
#ifndef __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#include "builtin_types.h"
#include "libmem_view.h"

#ifdef __cplusplus

namespace libmem {
/* Where an object's handle leads */
static inline const libmem_view *view_of(unsigned long long object,
					 unsigned int magic)
{
	const libmem_view *view = reinterpret_cast<libmem_view *>(object);

	if (!view || view->magic != magic)
		__builtin_trap();
	return view;
}

static inline bool is_below(int i, unsigned int n)
{
	return i >= 0 && static_cast<unsigned int>(i) < n;
}

static inline int clamped(int i, unsigned int n)
{
	if (i < 0)
		return 0;
	return is_below(i, n) ? i : static_cast<int>(n) - 1;
}

/*
 * Return: where it is; NULL: outside, and nothing is there.
 */
static inline char *surface_at(cudaSurfaceObject_t object, int x, int y, int z,
			       int len, cudaSurfaceBoundaryMode mode)
{
	const libmem_view *view = view_of(object, LIBMEM_VIEW_SURFACE);
	const libmem_level *level = &view->levels[0];
	const unsigned int nr = level->width * view->element_len / len;

	if (x % len || !nr)
		__builtin_trap();
	if (!is_below(x / len, nr) || !is_below(y, level->height) ||
	    !is_below(z, level->depth)) {
		if (mode == cudaBoundaryModeZero)
			return nullptr;
		if (mode != cudaBoundaryModeClamp)
			__builtin_trap();
		x = clamped(x / len, nr) * len;
		y = clamped(y, level->height);
		z = clamped(z, level->depth);
	}
	return level->base + z * level->slice + y * level->pitch + x;
}

template <class T> struct surface_element {
	static const bool is_one = sizeof(T) == 1 || sizeof(T) == 2 ||
		sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16;
};

template <class T>
static inline void surface_read(T *to, cudaSurfaceObject_t object, int x, int y,
				int z, cudaSurfaceBoundaryMode mode)
{
	static_assert(surface_element<T>::is_one, "no element of a surface");
	const char *at = surface_at(object, x, y, z, sizeof(T), mode);

	if (at)
		__builtin_memcpy(to, at, sizeof(T));
	else
		__builtin_memset(to, 0, sizeof(T));
}

template <class T>
static inline void surface_write(const T &value, cudaSurfaceObject_t object,
				 int x, int y, int z,
				 cudaSurfaceBoundaryMode mode)
{
	static_assert(surface_element<T>::is_one, "no element of a surface");
	char *at = surface_at(object, x, y, z, sizeof(T), mode);

	if (at)
		__builtin_memcpy(at, &value, sizeof(T));
}

} /* namespace libmem */

/* How CUDA names the coordinates of a kind of surface, and where they lie */
#define LIBMEM_SURFACE(kind, at, ...)					\
template <class T>							\
static inline void							\
surf ## kind ## read(T *ptr, cudaSurfaceObject_t object, __VA_ARGS__,	\
		     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
{									\
	::libmem::surface_read(ptr, object, at, mode);			\
}									\
									\
template <class T>							\
static inline T								\
surf ## kind ## read(cudaSurfaceObject_t object, __VA_ARGS__,		\
		     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
{									\
	T value;							\
									\
	::libmem::surface_read(&value, object, at, mode);		\
	return value;							\
}									\
									\
template <class T>							\
static inline void							\
surf ## kind ## write(T value, cudaSurfaceObject_t object, __VA_ARGS__,	\
		      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) \
{									\
	::libmem::surface_write(value, object, at, mode);		\
}

#define LIBMEM_AT(x, y, z)	x, y, z

LIBMEM_SURFACE(1D, LIBMEM_AT(x, 0, 0), int x)
LIBMEM_SURFACE(2D, LIBMEM_AT(x, y, 0), int x, int y)
LIBMEM_SURFACE(3D, LIBMEM_AT(x, y, z), int x, int y, int z)
LIBMEM_SURFACE(1DLayered, LIBMEM_AT(x, 0, layer), int x, int layer)
LIBMEM_SURFACE(2DLayered, LIBMEM_AT(x, y, layer), int x, int y, int layer)
LIBMEM_SURFACE(Cubemap, LIBMEM_AT(x, y, face), int x, int y, int face)
LIBMEM_SURFACE(CubemapLayered, LIBMEM_AT(x, y, layerface), int x, int y,
	       int layerface)

#undef LIBMEM_SURFACE
#undef LIBMEM_AT

#endif

#endif
