// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: descriptors of lists, objects and timelines. A hostile process may
 * have made the descriptor, so the checksum only detects accidental damage, and
 * every field is checked.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "object.h"

#define DESC_MAGIC	0x6373656470616568ULL	/* "heapdesc" */
#define DESC_VERSION	1ULL
#define SUM_FACTOR	0x9e3779b97f4a7c15ULL

static_assert(sizeof(struct desc) == MEM_OBJECT_DESC_LEN,
	      "a bare descriptor is as long as the header says");

static uint64_t desc_sum_word(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * SUM_FACTOR;
	return sum ^ sum >> 32;
}

/* Each step is invertible, so a change of a single word is always detected. */
static uint64_t desc_sum_bytes(uint64_t sum, const uint8_t *bytes, size_t len)
{
	uint64_t word;

	for (; len >= sizeof(word); len -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		sum = desc_sum_word(sum, word);
		bytes += sizeof(word);
	}
	if (!len)
		return sum;
	word = 0;
	memcpy(&word, bytes, len);
	return desc_sum_word(sum, word);
}

static uint64_t desc_sum(const struct desc *desc, const void *list,
			 size_t list_len)
{
	struct desc all = *desc;

	all.sum = 0;
	return desc_sum_bytes(desc_sum_bytes(0, (const uint8_t *)&all,
					     sizeof(all)),
			      list, list_len);
}

/**
 * desc_seal() - complete the header of a descriptor
 * @desc: descriptor, with the fields of its kind set and all others 0, followed
 *	by the list
 * @kind: kind of the descriptor
 * @list_len: length of the list, bytes
 * @endpoint: end through which the descriptor will be sent
 */
void desc_seal(struct desc *desc, enum desc_kind kind, size_t list_len,
	       const struct mem_endpoint *endpoint)
{
	desc->magic = DESC_MAGIC;
	desc->version = DESC_VERSION;
	desc->len = sizeof(*desc) + list_len;
	desc->kind = kind;
	memcpy(desc->sender, endpoint->id, sizeof(desc->sender));
	desc->sum = desc_sum(desc, desc + 1, list_len);
}

static bool desc_is_no_timeline(const struct desc *desc)
{
	static const uint8_t none[ENDPOINT_ID_LEN];

	return !desc->event_seq && !desc->life_seq &&
	       !memcmp(desc->event_token, none, sizeof(none)) &&
	       !memcmp(desc->life_token, none, sizeof(none));
}

static bool desc_object_is_valid(const struct desc *desc)
{
	return (desc->perm == MEM_READ || desc->perm == MEM_RW) &&
	       desc->buf_len && desc_is_no_timeline(desc);
}

static bool desc_timeline_is_valid(const struct desc *desc)
{
	return desc->perm && !(desc->perm & ~MEM_RW) && !desc->buf_len &&
	       !desc->backend;
}

static bool desc_has_no_object(const struct desc *desc)
{
	static const uint8_t none[ENDPOINT_ID_LEN];

	return !desc->perm && !desc->buf_len && !desc->backend && !desc->seq &&
	       !memcmp(desc->token, none, sizeof(none)) &&
	       desc_is_no_timeline(desc);
}

static bool desc_is_valid(const struct desc *desc)
{
	size_t i;

	for (i = 0; i < sizeof(desc->reserved) / sizeof(*desc->reserved); i++)
		if (desc->reserved[i])
			return false;
	switch (desc->kind) {
	case DESC_UNRECONCILED:
	case DESC_RECONCILED:
		return desc_has_no_object(desc) && desc->len > sizeof(*desc);
	case DESC_OBJECT:
		return desc_object_is_valid(desc) && desc->len > sizeof(*desc);
	case DESC_BARE:
		return desc_object_is_valid(desc) && desc->len == sizeof(*desc);
	case DESC_TIMELINE:
		return desc_timeline_is_valid(desc) &&
		       desc->len == sizeof(*desc);
	default:
		return false;
	}
}

/**
 * desc_open() - check a descriptor
 * @endpoint: end that received the descriptor
 * @bytes: bytes, not trusted
 * @len: number of @bytes
 * @desc: out: a copy of the header
 *
 * Context: may sleep.
 * Return: 0, or -EBADMSG: it is no descriptor, or was not made by the peer of
 * @endpoint.
 */
int desc_open(struct mem_endpoint *endpoint, const void *bytes, size_t len,
	      struct desc *desc)
{
	struct desc all;

	if (len < sizeof(all))
		return -EBADMSG;
	memcpy(&all, bytes, sizeof(all));
	if (all.magic != DESC_MAGIC || all.version != DESC_VERSION ||
	    all.len != len || !desc_is_valid(&all) ||
	    all.sum != desc_sum(&all, (const uint8_t *)bytes + sizeof(all),
				len - sizeof(all)) ||
	    !endpoint_is_peer(endpoint, all.sender))
		return -EBADMSG;
	*desc = all;
	return 0;
}
