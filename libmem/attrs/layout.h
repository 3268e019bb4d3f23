/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* libmem: layout of a buffer. */
#ifndef _LIBMEM_ATTRS_LAYOUT_H
#define _LIBMEM_ATTRS_LAYOUT_H

#include "attrs.h"

void layout_compute(struct mem_ctx *ctx, uint64_t users,
		    struct attrs_slot *result,
		    struct attrs_conflicts *conflicts);

#endif
