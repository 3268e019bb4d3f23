// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: attributes of addresses. */
#include <string.h>

#include "driver.h"

/* Returns the start of the allocation, in the address space of @ptr's side. */
static CUdeviceptr pointer_start_of(const void *ptr,
				    const struct core_ptr *what)
{
	const char *at = what->info.host;

	/* Registered memory has a different address for engines. */
	if (!at || what->info.host == what->info.device ||
	    ptr == what->info.host)
		return driver_address(what->info.base);
	return driver_address(ptr) - (at - (const char *)what->info.base);
}

API CUresult cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize,
				     CUdeviceptr dptr)
{
	void *const ptr = driver_ptr(dptr);
	struct CUctx_st *ctx;
	struct core_ptr what;
	const int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	core_ptr(ptr, &what);
	if (what.kind == MEM_KIND_PAGEABLE)
		return CUDA_ERROR_NOT_FOUND;
	if (pbase)
		*pbase = pointer_start_of(ptr, &what);
	if (psize)
		*psize = what.info.len;
	return CUDA_SUCCESS;
}

ALIAS(cuMemGetAddressRange, cuMemGetAddressRange_v2);

static unsigned int pointer_type_of(enum mem_kind kind)
{
	switch (kind) {
	case MEM_KIND_PINNED:
	case MEM_KIND_REGISTERED:
		return CU_MEMORYTYPE_HOST;
	case MEM_KIND_DEVICE:
	case MEM_KIND_MANAGED:
		return CU_MEMORYTYPE_DEVICE;
	default:
		return 0;
	}
}

/**
 * struct pointer_result - value of an attribute
 * @bytes: value
 * @len: bytes of the value
 */
struct pointer_result {
	union {
		void *ptr;
		uint64_t number;
		unsigned int type;
		int value;
	} bytes;
	size_t len;
};

static void pointer_set_ptr(struct pointer_result *result, void *ptr)
{
	result->bytes.ptr = ptr;
	result->len = sizeof(result->bytes.ptr);
}

static void pointer_set_number(struct pointer_result *result, uint64_t number)
{
	result->bytes.number = number;
	result->len = sizeof(result->bytes.number);
}

static void pointer_set_int(struct pointer_result *result, int value)
{
	result->bytes.value = value;
	result->len = sizeof(result->bytes.value);
}

/*
 * For memory unknown to CUDA all attributes are 0, and the device is invalid.
 */
static int pointer_attribute(const void *ptr, const struct core_ptr *what,
			     CUpointer_attribute attribute,
			     struct pointer_result *result)
{
	const bool is_ours = what->kind != MEM_KIND_PAGEABLE;

	memset(result, 0, sizeof(*result));
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		pointer_set_ptr(result, what->ctx);
		break;
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		pointer_set_int(result, pointer_type_of(what->kind));
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		pointer_set_ptr(result, is_ours ? what->info.device : NULL);
		break;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		pointer_set_ptr(result, is_ours ? what->info.host : NULL);
		break;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		pointer_set_int(result, 0);
		break;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
		pointer_set_number(result, is_ours ? what->info.id : 0);
		break;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		pointer_set_int(result, what->kind == MEM_KIND_MANAGED);
		break;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
		pointer_set_int(result, is_ours ? what->ctx->device->ordinal :
					  CU_DEVICE_INVALID);
		break;
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
		pointer_set_int(result, what->kind == MEM_KIND_DEVICE &&
				!(what->info.flags & MEM_DEVICE_IMPORTED) &&
				what->ctx->device->board.has_memory_ipc);
		break;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
		pointer_set_number(result,
				   is_ours ? pointer_start_of(ptr, what) : 0);
		break;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
		pointer_set_number(result, is_ours ? what->info.len : 0);
		break;
	case CU_POINTER_ATTRIBUTE_MAPPED:
		pointer_set_int(result, is_ours);
		break;
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		pointer_set_number(result, 0);
		break;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		pointer_set_int(result,
				is_ours ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE :
					  CU_MEM_ACCESS_FLAGS_PROT_NONE);
		break;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		pointer_set_ptr(result,
				is_ours ? core_pool_of(what->info.base) : NULL);
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

/* Returns true for the address on a side that has none. */
static bool pointer_is_missing(const struct pointer_result *result,
			       CUpointer_attribute attribute)
{
	return (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
		attribute == CU_POINTER_ATTRIBUTE_HOST_POINTER) &&
	       !result->bytes.ptr;
}

API CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
				   CUdeviceptr ptr)
{
	struct pointer_result result;
	struct CUctx_st *ctx;
	struct core_ptr what;
	int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!data)
		return CUDA_ERROR_INVALID_VALUE;
	core_ptr(driver_ptr(ptr), &what);
	if (what.kind == MEM_KIND_PAGEABLE)
		return CUDA_ERROR_INVALID_VALUE;
	rc = pointer_attribute(driver_ptr(ptr), &what, attribute, &result);
	if (!rc && pointer_is_missing(&result, attribute))
		rc = CUDA_ERROR_INVALID_VALUE;
	if (!rc)
		memcpy(data, &result.bytes, result.len);
	return rc;
}

/* Accepts any address, even of memory unknown to CUDA. */
API CUresult cuPointerGetAttributes(unsigned int numAttributes,
				    CUpointer_attribute *attributes,
				    void **data, CUdeviceptr ptr)
{
	struct pointer_result result;
	struct CUctx_st *ctx;
	struct core_ptr what;
	unsigned int i;
	int rc = driver_ctx(&ctx);

	if (rc)
		return rc;
	if (!numAttributes || !attributes || !data)
		return CUDA_ERROR_INVALID_VALUE;
	core_ptr(driver_ptr(ptr), &what);
	for (i = 0; i < numAttributes; i++) {
		if (!data[i])
			return CUDA_ERROR_INVALID_VALUE;
		rc = pointer_attribute(driver_ptr(ptr), &what, attributes[i],
				       &result);
		if (rc)
			return rc;
		memcpy(data[i], &result.bytes, result.len);
	}
	return CUDA_SUCCESS;
}
