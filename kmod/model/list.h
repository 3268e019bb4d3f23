/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Lists of struct attach_link: a ring through a head. A link that is in none is
 * a ring of its own. For source files of the model and of its hosts; a kernel
 * has names like these in lists of its own.
 */
#ifndef HEAPSIM_MODEL_LIST_H
#define HEAPSIM_MODEL_LIST_H

#include "right.h"

static inline void list_init(struct attach_link *head)
{
	head->next = head;
	head->prev = head;
}

static inline bool list_is_empty(const struct attach_link *head)
{
	return head->next == head;
}

/* Behind @at; at the end of a list when @at is the one before its head. */
static inline void list_insert(struct attach_link *at,
			       struct attach_link *link)
{
	link->prev = at;
	link->next = at->next;
	at->next->prev = link;
	at->next = link;
}

static inline void list_append(struct attach_link *head,
			       struct attach_link *link)
{
	list_insert(head->prev, link);
}

static inline void list_remove(struct attach_link *link)
{
	link->prev->next = link->next;
	link->next->prev = link->prev;
	list_init(link);
}

#endif
