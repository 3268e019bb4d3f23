// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An engine keeps the buffers that it has mapped from job to job. Those that
 * the next job may not access are unmapped when that job begins.
 */
#include <errno.h>
#include <stdlib.h>

#include "grant.h"
#include "internal.h"

/**
 * grants_init() - initialise the list of a new engine
 * @grants: out: list
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
 * grants_fini() - free the list of an engine that has ended
 * @grants: its list
 */
void grants_fini(struct grants *grants)
{
	free(grants->hidden);
}

/**
 * grants_refusal() - check whether an engine can access a buffer at all
 * @grants: list of the engine
 * @ctx: its context
 * @buf: buffer; its attach state does not matter
 *
 * The rules are those of table 1 of NVIDIA's "CUDA for Tegra" application note,
 * and of its section on what Tegra lacks: unified memory on a discrete GPU, and
 * peer-to-peer access.
 *
 * Return: the kind of memory as static text, for a report; NULL if the engine
 * can access it.
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
 * grants_has() - check whether an engine has mapped a buffer
 * @grants: list of the engine
 * @granted: member of the buffer
 *
 * Return: true if it has.
 */
bool grants_has(const struct grants *grants, const struct granted *granted)
{
	return granted->engines & 1U << grants->at;
}

/**
 * grants_add() - add a buffer that an engine maps
 * @grants: list of the engine
 * @granted: member of the buffer
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

static void grants_take(struct grants *grants, struct granted *granted)
{
	struct grant_link *link = &granted->link[grants->at];

	granted->engines &= (uint8_t)~(1U << grants->at);
	link->prev->next = link->next;
	link->next->prev = link->prev;
}

static int grants_make_room(struct grants *grants)
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
 * grants_hide_range() - unmap a range before the next job
 * @grants: list of the engine
 * @off: first byte, from the start of the window
 * @len: bytes
 *
 * Return: 0, or -ENOMEM: the caller must replace the engine by a new one.
 */
int grants_hide_range(struct grants *grants, uint64_t off, uint64_t len)
{
	if (grants_make_room(grants))
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
 * grants_hide() - unmap a buffer before the next job
 * @grants: list of the engine
 * @granted: member of the buffer, which is in the list
 * @off: its first byte, from the start of the window
 * @len: bytes
 *
 * Return: as grants_hide_range().
 */
int grants_hide(struct grants *grants, struct granted *granted, uint64_t off,
		uint64_t len)
{
	grants_take(grants, granted);
	return grants_hide_range(grants, off, len);
}

/**
 * grants_take_hidden() - return the ranges to unmap when a job begins
 * @grants: list of its engine
 * @nr: out: number of ranges
 *
 * Ranges that are added while the job runs are for the next one.
 *
 * Return: array, for free(); NULL if there are none.
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
 * grants_next() - iterate over the buffers that an engine has mapped
 * @grants: list of the engine
 * @granted: the previous one; NULL: return the first. To hide a buffer, get the
 *	next one before
 *
 * Return: the next one, or NULL.
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
