/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits of users and of all. */
#ifndef HEAPSIM_LIMIT_H
#define HEAPSIM_LIMIT_H

#include <linux/uidgid.h>

#include "heapsim.h"

/*
 * Memory that a user causes: charged to the cgroup of the calling task. Where
 * there is no more, the allocation fails and no OOM killer is called.
 */
#define HEAPSIM_GFP_USER	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | \
				 __GFP_RETRY_MAYFAIL)

/*
 * What the core keeps for a dma-buf, an attachment or a sync_file and charges
 * to nobody: bytes, rounded up. It counts against the user's limit.
 */
#define HEAPSIM_CORE_BYTES	1024

struct heapsim_user;

kuid_t heapsim_limit_uid(void);
struct heapsim_user *heapsim_limit_user_get(void);
struct heapsim_user *heapsim_limit_user_ref(struct heapsim_user *user);
void heapsim_limit_user_put(struct heapsim_user *user);
struct heapsim_user *heapsim_limit_charge(u64 len);
void heapsim_limit_uncharge(struct heapsim_user *user, u64 len,
			    u64 of_reserve);
int heapsim_limit_reserve(struct heapsim_user *user, u64 len);
void heapsim_limit_unreserve(struct heapsim_user *user, u64 len);
u64 heapsim_limit_used(void);
struct heapsim_user *heapsim_limit_open(void);
void heapsim_limit_close(struct heapsim_user *user);
void *heapsim_limit_alloc(struct heapsim_user *user, size_t len);
void heapsim_limit_free(struct heapsim_user *user, void *object);

#endif
