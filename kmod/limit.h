/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits on memory and objects, for each user and for all. */
#ifndef HEAPSIM_LIMIT_H
#define HEAPSIM_LIMIT_H

#include <linux/uidgid.h>

#include "heapsim.h"

/*
 * Flags for memory that a user causes to be allocated: it is charged to the
 * memory cgroup of the calling task, and an allocation fails without calling
 * the OOM killer.
 */
#define HEAPSIM_GFP_USER	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | \
				 __GFP_RETRY_MAYFAIL)

/*
 * Bytes, rounded up, that the core allocates for a dma-buf, an attachment or a
 * sync_file and charges to no cgroup. They count against the limit of the user.
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
void *heapsim_limit_alloc(struct heapsim_user *user, size_t len, u32 reserve);
void heapsim_limit_free(struct heapsim_user *user, void *object, u32 reserve);

#endif
