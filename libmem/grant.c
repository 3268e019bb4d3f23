// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What an engine has been given it keeps from job to job, as long as the next
 * job may have it, too: what not is hidden when that begins.
 */
#include <errno.h>
#include <stdlib.h>

#include "grant.h"
#include "internal.h"

/**
 * grants_init() - an engine has nothing yet
 * @grants: out
 * @at: enum mem_engine
 */
void grants_init(struct grants *grants, unsigned int at)
{
	*grants = (struct grants) {
		.at = at,
		.list = { &grants->list, &grants->list },
	};
}

/**
 * grants_fini() - the engine goes
 * @grants: of it
 */
void grants_fini(struct grants *grants)
{
	free(grants->hidden);
}

/**
 * grants_refusal() - what keeps an engine from memory, whoever is attached
 * @grants: of the engine
 * @ctx: its context
 * @buf: in the window
 *
 * Table 1 of NVIDIA's "CUDA for Tegra" application note, and its section on
 * what Tegra has not: unified memory on a discrete GPU, and peer-to-peer.
 *
 * Return: what the memory is, in words, static; NULL: the engine may have it.
 */
const char *grants_refusal(const struct grants *grants,
			   const struct mem_ctx *ctx,
			   const struct mem_buf *buf)
{
	const bool is_dgpu = grants->at == MEM_ENGINE_DGPU;

	if (buf->ctx != ctx)
		return "memory of another context";
	if (is_discrete(buf->kind, buf->flags))
		return is_dgpu ? NULL : "device memory of the dgpu";
	if (!is_dgpu)
		return NULL;
	if (buf->kind == MEM_KIND_DEVICE)
		return "device memory of the gpu";
	return buf->kind == MEM_KIND_MANAGED ? "managed memory" : NULL;
}

/**
 * grants_has() - has it got a buffer?
 * @grants: of an engine
 * @granted: of the buffer
 *
 * Return: true if so.
 */
bool grants_has(const struct grants *grants, const struct granted *granted)
{
	return granted->engines & 1U << grants->at;
}

/**
 * grants_add() - it has a buffer from now on
 * @grants: of an engine
 * @granted: of the buffer, which it may have
 */
void grants_add(struct grants *grants, struct granted *granted)
{
	struct grant_link *link = &granted->link[grants->at];

	if (grants_has(grants, granted))
		return;
	granted->engines |= (uint8_t)(1U << grants->at);
	link->prev = grants->list.prev;
	link->next = &grants->list;
	link->prev->next = link;
	grants->list.prev = link;
}

static void take(struct grants *grants, struct granted *granted)
{
	struct grant_link *link = &granted->link[grants->at];

	granted->engines &= (uint8_t)~(1U << grants->at);
	link->prev->next = link->next;
	link->next->prev = link->prev;
}

static int room_for_hidden(struct grants *grants)
{
	const size_t max = grants->max_hidden ? 2 * grants->max_hidden : 16;
	struct engine_grant *all;

	if (grants->nr_hidden < grants->max_hidden)
		return 0;
	all = realloc(grants->hidden, max * sizeof(*all));
	if (!all)
		return -ENOMEM;
	grants->hidden = all;
	grants->max_hidden = max;
	return 0;
}

/**
 * grants_hide_range() - the next job has a range no more
 * @grants: of an engine
 * @off: in the window
 * @len: bytes
 *
 * Return: 0, or -ENOMEM: the engine is to be ended, the next has nothing.
 */
int grants_hide_range(struct grants *grants, uint64_t off, uint64_t len)
{
	if (room_for_hidden(grants))
		return -ENOMEM;
	grants->hidden[grants->nr_hidden++] = (struct engine_grant) {
		.off = off,
		.len = len,
		.access = ENGINE_HIDDEN,
		.file = OWN_FD_NONE,
	};
	return 0;
}

/**
 * grants_hide() - the next job has a buffer no more
 * @grants: of an engine
 * @granted: of the buffer, which it has
 * @off: of the buffer in the window
 * @len: bytes
 *
 * Return: as grants_hide_range() has it.
 */
int grants_hide(struct grants *grants, struct granted *granted, uint64_t off,
		uint64_t len)
{
	take(grants, granted);
	return grants_hide_range(grants, off, len);
}

/**
 * grants_take_hidden() - what a job is told to hide as it begins
 * @grants: of its engine
 * @nr: out: how many
 *
 * What is hidden while it runs is the next one's.
 *
 * Return: for free(); NULL: nothing.
 */
struct engine_grant *grants_take_hidden(struct grants *grants, size_t *nr)
{
	struct engine_grant *hidden = grants->hidden;

	*nr = grants->nr_hidden;
	grants->hidden = NULL;
	grants->nr_hidden = 0;
	grants->max_hidden = 0;
	return hidden;
}

/**
 * grants_next() - all that it has, one by one
 * @grants: of an engine
 * @granted: the one before; NULL: there is none. To hide one, go on first
 *
 * Return: the next, or NULL.
 */
struct granted *grants_next(const struct grants *grants,
			    const struct granted *granted)
{
	const struct grant_link *link = granted ? &granted->link[grants->at] :
						  &grants->list;

	if (link->next == &grants->list)
		return NULL;
	return containerof(link->next - grants->at, struct granted, link[0]);
}
