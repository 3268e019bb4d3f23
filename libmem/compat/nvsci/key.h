/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NvSciBuf: one row for each of the vendor's keys: which of libmem's keys it
 * is, and how its values are turned into the vendor's types and back.
 */
#ifndef _COMPAT_NVSCI_KEY_H
#define _COMPAT_NVSCI_KEY_H

#include "nvsci.h"

/**
 * enum nvsci_kept - clients' keys: MEM_ATTR_CLIENT and these
 * @KEPT_PADDING: and the three after it: in the order of the vendor's keys
 * @KEPT_COLOR: colour formats of planes, as they were set
 * @KEPT_STD: colour standards of planes, as they were set
 * @KEPT_PIXEL_FORMAT: of a tensor
 * @KEPT_IMAGE_COUNT: images in a buffer
 * @KEPT_SURFACE: and the seven after it: in the order of the vendor's keys
 * @KEPT_MEDIA: surface type of an image of NvMedia
 * @KEPT_ALIGN_0: the alignment of a raw buffer was set to 0 by all who set it
 * @NR_KEPT: how many there are
 *
 * The numbers are in descriptors: they stay.
 */
enum nvsci_kept {
	KEPT_PADDING,
	KEPT_COLOR = KEPT_PADDING + 4,
	KEPT_STD,
	KEPT_PIXEL_FORMAT,
	KEPT_IMAGE_COUNT,
	KEPT_SURFACE,
	KEPT_MEDIA = KEPT_SURFACE + 8,
	KEPT_ALIGN_0,
	NR_KEPT
};

/**
 * enum nvsci_as - how a value is turned into the vendor's type and back
 * @AS_IS: the bytes are the same
 * @AS_ALIGN: 0 is any alignment
 * @AS_GPU_BOOL: struct mem_attr_gpu_value, but a bool for the number
 * @AS_COMPRESSION: the same bytes; what is 0 cannot be set
 * @AS_DATA_TYPE: numbers of data types
 * @AS_COLOR: colour formats; beside libmem's, those that were set are kept
 * @AS_STD: colour standards; beside libmem's, those that were set are kept
 * @AS_KEPT: of no meaning for libmem: kept as it is
 * @AS_ONE: 1, kept as it is
 * @AS_PADDING: kept as it is; a reconciled list has one for each plane
 * @AS_FALSE: a bool that is false
 * @AS_SURFACE: kept as it is; all of them together are keys of planes
 * @AS_PLANE_DATA_TYPE: computed of the colour format
 * @AS_SECOND_FIELD: computed of the scan type
 * @AS_MISSING: there is no such thing
 */
enum nvsci_as {
	AS_IS,
	AS_ALIGN,
	AS_GPU_BOOL,
	AS_COMPRESSION,
	AS_DATA_TYPE,
	AS_COLOR,
	AS_STD,
	AS_KEPT,
	AS_ONE,
	AS_PADDING,
	AS_FALSE,
	AS_SURFACE,
	AS_PLANE_DATA_TYPE,
	AS_SECOND_FIELD,
	AS_MISSING
};

/**
 * enum nvsci_access - when a key may be set and read
 * @ACCESS_BOTH: set, and read always
 * @ACCESS_INPUT: set, and read before reconciliation
 * @ACCESS_OUTPUT: read afterwards
 */
enum nvsci_access {
	ACCESS_BOTH,
	ACCESS_INPUT,
	ACCESS_OUTPUT
};

/**
 * struct nvsci_key - a row
 * @key: the vendor's
 * @mem: libmem's, or MEM_ATTR_CLIENT and an enum nvsci_kept; 0: none
 * @as: enum nvsci_as
 * @access: enum nvsci_access
 * @len: bytes of an element
 * @max: elements at most
 * @limit: of AS_SURFACE and AS_KEPT: values are below; 0: any
 * @has_fallback: a reconciled list has a value also where libmem has none
 * @fallback: that
 * @name: as programs have it
 */
struct nvsci_key {
	uint32_t key;
	uint32_t mem;
	uint8_t as;
	uint8_t access;
	uint16_t len;
	uint16_t max;
	uint16_t limit;
	bool has_fallback;
	uint8_t fallback;
	const char *name;
};

/* Longest value of any key, in any type, bytes */
#define NVSCI_VALUE_MAX	\
	(NV_SCI_BUF_PEER_HW_ENGINE_MAX_NUMBER * sizeof(NvSciBufPeerHwEngine))

const struct nvsci_key *nvsci_key(uint32_t key);
const struct nvsci_key *nvsci_key_kept(unsigned int kept);

/* color.c */
uint32_t nvsci_fourcc(uint32_t color);
uint32_t nvsci_color(uint32_t fourcc);
uint32_t nvsci_color_data_type(uint32_t color);
int nvsci_mem_std(uint32_t std);
int nvsci_std(uint32_t mem);
int nvsci_mem_data_type(uint32_t type);
int nvsci_data_type(uint32_t mem);

/**
 * struct nvsci_values - keys of libmem that are to be set
 * @nr: of @attrs
 * @attrs: keys and values
 * @used: bytes of @bytes
 * @bytes: values that differ from the program's
 */
struct nvsci_values {
	size_t nr;
	struct mem_attr attrs[160];
	size_t used;
	uint8_t bytes[8192] __attribute__((aligned(8)));
};

/* value.c */
NvSciError nvsci_value_in(struct nvsci_values *values,
			  const struct nvsci_key *key, const void *value,
			  size_t len);
NvSciError nvsci_value_out(const struct mem_attrs *attrs, unsigned int slot,
			   const struct nvsci_key *key, const void **value,
			   size_t *len);
bool nvsci_kept_is_valid(const struct mem_attrs *attrs);
void *nvsci_values_add(struct nvsci_values *values, uint32_t key,
		       const void *value, size_t len);
void nvsci_list_drop_values(struct nvsci_list *list);

/* The value of one of libmem's keys; NULL: not set, or a conflict list. */
static inline const void *nvsci_get(const struct mem_attrs *attrs,
				    unsigned int slot, uint32_t key,
				    size_t *len)
{
	struct mem_attr attr = { .key = key };

	if (mem_attrs_get(attrs, slot, &attr, 1))
		return NULL;
	if (len)
		*len = attr.len;
	return attr.value;
}

/* surface.c */
NvSciError nvsci_surface_in(const struct mem_attrs *attrs,
			    struct nvsci_values *values);

#endif
