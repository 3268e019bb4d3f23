/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NvSciBuf: a table with a row for each of the vendor's keys: the key of libmem
 * that corresponds to it, and how values are converted.
 */
#ifndef _COMPAT_NVSCI_KEY_H
#define _COMPAT_NVSCI_KEY_H

#include "nvsci.h"

/**
 * enum nvsci_kept - clients' keys, relative to MEM_ATTR_CLIENT
 * @KEPT_PADDING: the first of four, in the order of the vendor's keys
 * @KEPT_COLOR: colour formats of planes, as they were set
 * @KEPT_STD: colour standards of planes, as they were set
 * @KEPT_PIXEL_FORMAT: pixel format of a tensor
 * @KEPT_IMAGE_COUNT: number of images in a buffer
 * @KEPT_SURFACE: the first of eight, in the order of the vendor's keys
 * @KEPT_MEDIA: surface type of an NvMedia image
 * @KEPT_ALIGN_0: all lists that set the alignment of a raw buffer set it to 0
 * @KEPT_VPR: protected memory
 * @NR_KEPT: number of keys
 *
 * Other processes receive these numbers in descriptors, so they must not
 * change.
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
	KEPT_VPR,
	NR_KEPT
};

/**
 * enum nvsci_as - how values are converted
 * @AS_IS: no conversion
 * @AS_ALIGN: 0 stands for any alignment
 * @AS_GPU_BOOL: struct mem_attr_gpu_value with a bool instead of the number
 * @AS_COMPRESSION: no conversion, but 0 cannot be set
 * @AS_DATA_TYPE: data types
 * @AS_COLOR: colour formats; those that were set are kept, too
 * @AS_STD: colour standards; those that were set are kept, too
 * @AS_KEPT: only kept, since libmem has no such key
 * @AS_ONE: only kept; must be 1
 * @AS_PADDING: only kept; a reconciled list has a value for each plane
 * @AS_FALSE: only kept; bool that must be false
 * @AS_SURFACE: kept; together they give the keys of the planes
 * @AS_PLANE_DATA_TYPE: computed from the colour format
 * @AS_SECOND_FIELD: computed from the scan type
 * @AS_MISSING: not supported
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
 * @ACCESS_BOTH: can be set, and read at any time
 * @ACCESS_INPUT: can be set, and read before reconciliation
 * @ACCESS_OUTPUT: can be read after reconciliation
 */
enum nvsci_access {
	ACCESS_BOTH,
	ACCESS_INPUT,
	ACCESS_OUTPUT
};

/**
 * struct nvsci_key - a row of the table
 * @key: the vendor's key
 * @mem: key of libmem, or MEM_ATTR_CLIENT plus an enum nvsci_kept; 0: none
 * @as: enum nvsci_as
 * @access: enum nvsci_access
 * @len: bytes of an element
 * @max: maximum number of elements
 * @limit: AS_SURFACE and AS_KEPT: values must be below; 0: any value
 * @has_fallback: @fallback is read if libmem's reconciled list has no value
 * @fallback: value
 * @name: name in the vendor's headers
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

/* Maximum length of the value of a key, in either type, bytes */
#define NVSCI_VALUE_MAX	\
	(NV_SCI_BUF_PEER_HW_ENGINE_MAX_NUMBER * sizeof(NvSciBufPeerHwEngine))

const struct nvsci_key *nvsci_key(uint32_t key);
const struct nvsci_key *nvsci_key_kept(unsigned int kept);
bool nvsci_key_is_of_types(const struct nvsci_key *key, const void *types,
			   size_t len);

/* color.c */
uint32_t nvsci_fourcc(uint32_t color);
uint32_t nvsci_color(uint32_t fourcc);
uint32_t nvsci_color_data_type(uint32_t color);
int nvsci_mem_std(uint32_t std);
int nvsci_std(uint32_t mem);
int nvsci_mem_data_type(uint32_t type);
int nvsci_data_type(uint32_t mem);

/**
 * struct nvsci_values - keys of libmem to be set
 * @nr: number of @attrs
 * @attrs: keys and values
 * @used: number of @bytes used
 * @bytes: converted values
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

/*
 * Returns the value of a key of libmem, or NULL if it is not set or @attrs is a
 * conflict list.
 */
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
