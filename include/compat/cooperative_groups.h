/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#error "heapsim has no cooperative groups: see Documentation/cuda.rst"

#endif
