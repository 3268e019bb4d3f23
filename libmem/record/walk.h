/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records the stack of a watched thread. */
#ifndef WALK_H
#define WALK_H

#include <stdint.h>

#include "stacks.h"

int stacks_init(void);
struct stacks *stacks_map(const char *path, const char *library);
uint64_t stacks_frame(struct stacks *stacks, uintptr_t ip);
uint32_t stacks_put(struct stacks *stacks, uintptr_t from);
uint32_t stacks_put_at(struct stacks *stacks, const uintptr_t *ips,
		       uint32_t nr);

#endif
