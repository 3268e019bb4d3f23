/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which VPI these headers have the names and layouts of. */
#ifndef NV_VPI_VERSIONDEF_H
#define NV_VPI_VERSIONDEF_H

#define NV_VPI_MAKE_VERSION4(major, minor, patch, tweak) \
	((major) * 1000000U + (minor) * 10000U + (patch) * 100U + (tweak))
#define NV_VPI_MAKE_VERSION3(major, minor, patch) \
	NV_VPI_MAKE_VERSION4(major, minor, patch, 0)
#define NV_VPI_MAKE_VERSION2(major, minor) \
	NV_VPI_MAKE_VERSION4(major, minor, 0, 0)
#define NV_VPI_MAKE_VERSION1(major) \
	NV_VPI_MAKE_VERSION4(major, 0, 0, 0)

/* One to four components. */
#define NV_VPI_VERSION_FIFTH(a, b, c, d, e, ...) e
#define NV_VPI_MAKE_VERSION(...) \
	NV_VPI_VERSION_FIFTH(__VA_ARGS__, NV_VPI_MAKE_VERSION4, \
			     NV_VPI_MAKE_VERSION3, NV_VPI_MAKE_VERSION2, \
			     NV_VPI_MAKE_VERSION1, 0)(__VA_ARGS__)

#define NV_VPI_VERSION_MAJOR 4
#define NV_VPI_VERSION_MINOR 1
#define NV_VPI_VERSION_PATCH 3
#define NV_VPI_VERSION_TWEAK 0
#define NV_VPI_VERSION_SUFFIX "heapsim"
#define NV_VPI_VERSION_STRING "4.1.3-heapsim"

#define NV_VPI_VERSION \
	NV_VPI_MAKE_VERSION4(NV_VPI_VERSION_MAJOR, NV_VPI_VERSION_MINOR, \
			     NV_VPI_VERSION_PATCH, NV_VPI_VERSION_TWEAK)

#ifndef NV_VPI_VERSION_API
#define NV_VPI_VERSION_API \
	NV_VPI_MAKE_VERSION2(NV_VPI_VERSION_MAJOR, NV_VPI_VERSION_MINOR)
#endif

#define NV_VPI_VERSION_API_IS(major, minor) \
	(NV_VPI_MAKE_VERSION2(major, minor) == NV_VPI_VERSION_API)
#define NV_VPI_VERSION_API_AT_LEAST(major, minor) \
	(NV_VPI_MAKE_VERSION2(major, minor) <= NV_VPI_VERSION_API)
#define NV_VPI_VERSION_API_AT_MOST(major, minor) \
	(NV_VPI_MAKE_VERSION2(major, minor) >= NV_VPI_VERSION_API)
#define NV_VPI_VERSION_API_IN_RANGE(min_major, min_minor, max_major, \
				    max_minor) \
	(NV_VPI_VERSION_API_AT_LEAST(min_major, min_minor) && \
	 NV_VPI_VERSION_API_AT_MOST(max_major, max_minor))

#endif
