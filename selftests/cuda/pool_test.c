// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of memory pools for stream-ordered allocation, with calls of runtime
 * and driver, on the board that LIBMEM_SOC names. A board without pools refuses
 * them.
 */
#include "test.h"

#define LEN	65536U

static const struct cudaMemPoolProps props = {
	.allocType = cudaMemAllocationTypePinned,
	.location = { .type = cudaMemLocationTypeDevice },
};

static const enum cudaMemPoolAttr reuse[] = {
	cudaMemPoolReuseFollowEventDependencies,
	cudaMemPoolReuseAllowOpportunistic,
	cudaMemPoolReuseAllowInternalDependencies,
};

/* Skip a test on a board without pools. */
static void need_pools(void)
{
	if (!own_attribute(cudaDevAttrMemoryPoolsSupported))
		skip_because("the board has no memory pools");
}

static cudaMemPool_t create(size_t max)
{
	struct cudaMemPoolProps mine = props;
	cudaMemPool_t pool = NULL;

	mine.maxSize = max;
	ok(cudaMemPoolCreate(&pool, &mine));
	assert_non_null(pool);
	return pool;
}

static uint64_t bytes(cudaMemPool_t pool, enum cudaMemPoolAttr attr)
{
	uint64_t value = 12345;

	ok(cudaMemPoolGetAttribute(pool, attr, &value));
	return value;
}

/* Compare the used and reserved bytes of a pool, and their highest values. */
static void assert_has(cudaMemPool_t pool, uint64_t used, uint64_t used_high,
		       uint64_t reserved, uint64_t reserved_high)
{
	assert_int_equal(bytes(pool, cudaMemPoolAttrUsedMemCurrent), used);
	assert_int_equal(bytes(pool, cudaMemPoolAttrUsedMemHigh), used_high);
	assert_int_equal(bytes(pool, cudaMemPoolAttrReservedMemCurrent),
			 reserved);
	assert_int_equal(bytes(pool, cudaMemPoolAttrReservedMemHigh),
			 reserved_high);
}

static void a_board_without_pools_refuses_them(void **state)
{
	cudaMemPool_t pool = (cudaMemPool_t)&props;
	struct cudaMemLocation at = props.location;
	enum cudaMemAccessFlags flags;
	uint64_t value = 0;
	CUdeviceptr dptr;
	void *ptr;

	(void)state;
	if (own_attribute(cudaDevAttrMemoryPoolsSupported))
		skip_because("the board has memory pools");
	is(cudaDeviceGetDefaultMemPool(&pool, 0), cudaErrorNotSupported);
	is(cudaDeviceGetMemPool(&pool, 0), cudaErrorNotSupported);
	is(cudaDeviceSetMemPool(0, pool), cudaErrorNotSupported);
	is(cudaMemPoolCreate(&pool, &props), cudaErrorNotSupported);
	is(cudaMemPoolDestroy(pool), cudaErrorNotSupported);
	is(cudaMemPoolTrimTo(pool, 0), cudaErrorNotSupported);
	is(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
				   &value), cudaErrorNotSupported);
	is(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
				   &value), cudaErrorNotSupported);
	is(cudaMemPoolSetAccess(pool, NULL, 0), cudaErrorNotSupported);
	is(cudaMemPoolGetAccess(&flags, pool, &at), cudaErrorNotSupported);
	is(cudaMallocFromPoolAsync(&ptr, LEN, pool, 0), cudaErrorNotSupported);
	cu_is(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_ERROR_NOT_SUPPORTED);
	cu_is(cuMemAllocFromPoolAsync(&dptr, LEN, pool, 0),
	      CUDA_ERROR_NOT_SUPPORTED);
	/* Such a board has stream-ordered allocation, but without a pool. */
	ok(cudaMallocAsync(&ptr, LEN, 0));
	cu(cuPointerGetAttribute(&pool, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
				 (CUdeviceptr)(uintptr_t)ptr));
	assert_null(pool);
	ok(cudaFreeAsync(ptr, 0));
}

static void a_device_has_a_pool(void **state)
{
	cudaMemPool_t pool, other, mine;
	void *ptr;

	(void)state;
	need_pools();
	ok(cudaDeviceGetDefaultMemPool(&pool, 0));
	ok(cudaDeviceGetMemPool(&other, 0));
	assert_ptr_equal(other, pool);
	is(cudaDeviceGetDefaultMemPool(NULL, 0), cudaErrorInvalidValue);
	is(cudaDeviceGetDefaultMemPool(&other, 9), cudaErrorInvalidDevice);
	is(cudaDeviceGetMemPool(NULL, 0), cudaErrorInvalidValue);
	is(cudaDeviceGetMemPool(&other, -1), cudaErrorInvalidDevice);
	is(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);

	mine = create(0);
	assert_ptr_not_equal(mine, pool);
	ok(cudaDeviceSetMemPool(0, mine));
	ok(cudaDeviceGetMemPool(&other, 0));
	assert_ptr_equal(other, mine);
	ok(cudaDeviceGetDefaultMemPool(&other, 0));
	assert_ptr_equal(other, pool);
	ok(cudaMallocAsync(&ptr, LEN, 0));
	assert_has(mine, LEN, LEN, LEN, LEN);
	assert_has(pool, 0, 0, 0, 0);
	ok(cudaFreeAsync(ptr, 0));
	is(cudaDeviceSetMemPool(9, mine), cudaErrorInvalidDevice);
	is(cudaDeviceSetMemPool(0, NULL), cudaErrorInvalidValue);

	/* After the current pool is destroyed, the default pool is current. */
	ok(cudaMemPoolDestroy(mine));
	ok(cudaDeviceGetMemPool(&other, 0));
	assert_ptr_equal(other, pool);
	is(cudaDeviceSetMemPool(0, mine), cudaErrorInvalidValue);
}

static void a_pool_counts_what_it_has(void **state)
{
	void *first, *second, *pointer;
	cudaMemPool_t pool, other;
	uint64_t zero = 0;
	cudaStream_t a;

	(void)state;
	need_pools();
	pool = create(0);
	ok(cudaStreamCreate(&a));
	assert_has(pool, 0, 0, 0, 0);
	ok(cudaMallocFromPoolAsync(&first, LEN, pool, a));
	ok(cudaMallocFromPoolAsync(&second, 2 * LEN, pool, a));
	ok(cudaMemsetAsync(second, 1, 2 * LEN, a));
	assert_has(pool, 3 * LEN, 3 * LEN, 3 * LEN, 3 * LEN);
	/* Memory that was freed in a stream stays reserved for the pool. */
	ok(cudaFreeAsync(first, a));
	assert_has(pool, 2 * LEN, 3 * LEN, 3 * LEN, 3 * LEN);
	/* Only an allocation from the same pool reuses the memory. */
	ok(cudaMallocAsync(&pointer, LEN, a));
	assert_ptr_not_equal(pointer, first);
	ok(cudaFreeAsync(pointer, a));
	ok(cudaMallocFromPoolAsync(&pointer, LEN, pool, a));
	assert_ptr_equal(pointer, first);
	assert_has(pool, 3 * LEN, 3 * LEN, 3 * LEN, 3 * LEN);
	cu(cuPointerGetAttribute(&other, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
				 (CUdeviceptr)(uintptr_t)first));
	assert_ptr_equal(other, pool);
	/* cudaFree() releases memory at once, so it is not reserved. */
	ok(cudaFree(first));
	assert_has(pool, 2 * LEN, 3 * LEN, 2 * LEN, 3 * LEN);
	ok(cudaFreeAsync(second, a));
	is(cudaFreeAsync(second, a), cudaErrorInvalidValue);
	assert_has(pool, 0, 3 * LEN, 2 * LEN, 3 * LEN);
	ok(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
	ok(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh,
				   &zero));
	assert_has(pool, 0, 0, 2 * LEN, 2 * LEN);
	ok(cudaMemPoolTrimTo(pool, 0));
	ok(cudaDeviceSynchronize());
	assert_has(pool, 0, 0, 0, 2 * LEN);
	ok(cudaMallocFromPoolAsync(&pointer, 0, pool, a));
	assert_null(pointer);
	is(cudaMallocFromPoolAsync(NULL, LEN, pool, a), cudaErrorInvalidValue);
	is(cudaMallocFromPoolAsync(&pointer, LEN, NULL, a),
	   cudaErrorInvalidValue);
	ok(cudaMemPoolDestroy(pool));
	ok(cudaStreamDestroy(a));
	is(cudaMallocFromPoolAsync(&pointer, LEN, pool, a),
	   cudaErrorInvalidValue);
}

static void a_pool_outlives_its_handle(void **state)
{
	size_t before, after, all;
	cudaMemPool_t pool, other;
	char byte = 0;
	void *ptr;

	(void)state;
	need_pools();
	ok(cudaMemGetInfo(&before, &all));
	pool = create(0);
	ok(cudaMallocFromPoolAsync(&ptr, LEN, pool, 0));
	ok(cudaMemPoolDestroy(pool));
	is(cudaMemPoolDestroy(pool), cudaErrorInvalidValue);
	is(cudaMemPoolTrimTo(pool, 0), cudaErrorInvalidValue);
	ok(cudaMemset(ptr, 7, LEN));
	ok(cudaMemcpy(&byte, ptr, 1, cudaMemcpyDeviceToHost));
	assert_int_equal(byte, 7);
	cu(cuPointerGetAttribute(&other, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
				 (CUdeviceptr)(uintptr_t)ptr));
	assert_null(other);
	ok(cudaFreeAsync(ptr, 0));
	ok(cudaDeviceSynchronize());
	ok(cudaMemGetInfo(&after, &all));
	assert_int_equal(after, before);
}

static void a_pool_has_a_size(void **state)
{
	void *first, *second;
	cudaMemPool_t pool;

	(void)state;
	need_pools();
	pool = create(2 * LEN);
	ok(cudaMallocFromPoolAsync(&first, LEN, pool, 0));
	is(cudaMallocFromPoolAsync(&second, LEN + 1, pool, 0),
	   cudaErrorMemoryAllocation);
	assert_has(pool, LEN, LEN, LEN, LEN);
	ok(cudaMallocFromPoolAsync(&second, LEN, pool, 0));
	is(cudaMallocFromPoolAsync(&second, 1, pool, 0),
	   cudaErrorMemoryAllocation);
	/* Freed memory makes room for an allocation within the limit. */
	ok(cudaFreeAsync(first, 0));
	ok(cudaMallocFromPoolAsync(&first, LEN / 2, pool, 0));
	assert_has(pool, LEN + LEN / 2, 2 * LEN, LEN + LEN / 2, 2 * LEN);
	ok(cudaFree(first));
	ok(cudaFree(second));
	ok(cudaMemPoolDestroy(pool));
}

static void a_pool_is_what_its_attributes_say(void **state)
{
	cudaMemPool_t pool;
	uint64_t value;
	size_t i;
	int flag;

	(void)state;
	need_pools();
	pool = create(0);
	for (i = 0; i < sizeof(reuse) / sizeof(*reuse); i++) {
		flag = -1;
		ok(cudaMemPoolGetAttribute(pool, reuse[i], &flag));
		assert_int_equal(flag, 1);
		flag = 0;
		ok(cudaMemPoolSetAttribute(pool, reuse[i], &flag));
		flag = -1;
		ok(cudaMemPoolGetAttribute(pool, reuse[i], &flag));
		assert_int_equal(flag, 0);
	}
	assert_int_equal(bytes(pool, cudaMemPoolAttrReleaseThreshold), 0);
	value = UINT64_MAX;
	ok(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold,
				   &value));
	assert_int_equal(bytes(pool, cudaMemPoolAttrReleaseThreshold),
			 UINT64_MAX);
	is(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value),
	   cudaErrorInvalidValue);
	is(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh,
				   &value), cudaErrorInvalidValue);
	value = 0;
	is(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent,
				   &value), cudaErrorInvalidValue);
	is(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemCurrent,
				   &value), cudaErrorInvalidValue);
	is(cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)0, &value),
	   cudaErrorInvalidValue);
	is(cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)9, &value),
	   cudaErrorInvalidValue);
	is(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, NULL),
	   cudaErrorInvalidValue);
	is(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, NULL),
	   cudaErrorInvalidValue);
	is(cudaMemPoolGetAttribute(NULL, cudaMemPoolAttrUsedMemHigh, &value),
	   cudaErrorInvalidValue);
	is(cudaMemPoolSetAttribute(NULL, cudaMemPoolAttrUsedMemHigh, &value),
	   cudaErrorInvalidValue);
	is(cudaMemPoolTrimTo(NULL, 0), cudaErrorInvalidValue);
	ok(cudaMemPoolDestroy(pool));
}

static void assert_refused(const struct cudaMemPoolProps *mine,
			   cudaError_t error)
{
	cudaMemPool_t pool = NULL;

	is(cudaMemPoolCreate(&pool, mine), error);
	assert_null(pool);
}

static void no_pool_is_of_other_memory(void **state)
{
	struct cudaMemPoolProps mine = props;
	cudaMemPool_t pool;

	(void)state;
	need_pools();
	is(cudaMemPoolCreate(NULL, &props), cudaErrorInvalidValue);
	is(cudaMemPoolCreate(&pool, NULL), cudaErrorInvalidValue);
	mine.allocType = cudaMemAllocationTypeInvalid;
	assert_refused(&mine, cudaErrorInvalidValue);
	mine.allocType = cudaMemAllocationTypeManaged;
	assert_refused(&mine, cudaErrorNotSupported);
	mine = props;
	mine.handleTypes = cudaMemHandleTypePosixFileDescriptor;
	assert_refused(&mine, cudaErrorNotSupported);
	mine.handleTypes = (enum cudaMemAllocationHandleType)0x100;
	assert_refused(&mine, cudaErrorInvalidValue);
	mine = props;
	mine.location.id = 9;
	assert_refused(&mine, cudaErrorInvalidValue);
	mine.location.id = 0;
	mine.location.type = cudaMemLocationTypeHostNuma;
	assert_refused(&mine, cudaErrorNotSupported);
	mine.location.type = cudaMemLocationTypeInvalid;
	assert_refused(&mine, cudaErrorInvalidValue);
	mine = props;
	mine.usage = cudaMemPoolCreateUsageHwDecompress;
	assert_refused(&mine, cudaErrorNotSupported);
	mine.usage = 0x8000;
	assert_refused(&mine, cudaErrorInvalidValue);
	mine = props;
	mine.reserved[sizeof(mine.reserved) - 1] = 1;
	assert_refused(&mine, cudaErrorInvalidValue);
}

static void a_pool_is_its_devices(void **state)
{
	struct cudaMemAccessDesc access = {
		.location = props.location,
		.flags = cudaMemAccessFlagsProtReadWrite,
	};
	enum cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
	cudaMemPool_t pool;

	(void)state;
	need_pools();
	pool = create(0);
	ok(cudaMemPoolGetAccess(&flags, pool, &access.location));
	assert_int_equal(flags, cudaMemAccessFlagsProtReadWrite);
	ok(cudaMemPoolSetAccess(pool, &access, 1));
	access.flags = cudaMemAccessFlagsProtNone;
	is(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidValue);
	access.flags = cudaMemAccessFlagsProtReadWrite;
	is(cudaMemPoolSetAccess(pool, NULL, 1), cudaErrorInvalidValue);
	is(cudaMemPoolSetAccess(NULL, &access, 1), cudaErrorInvalidValue);
	is(cudaMemPoolGetAccess(NULL, pool, &access.location),
	   cudaErrorInvalidValue);
	is(cudaMemPoolGetAccess(&flags, pool, NULL), cudaErrorInvalidValue);
	access.location.id = 1;
	is(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidDevice);
	is(cudaMemPoolGetAccess(&flags, pool, &access.location),
	   cudaErrorInvalidDevice);
	access.location.type = cudaMemLocationTypeHost;
	is(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidValue);
	is(cudaMemPoolGetAccess(&flags, pool, &access.location),
	   cudaErrorInvalidValue);
	ok(cudaMemPoolDestroy(pool));
}

static void a_reset_takes_pools_along(void **state)
{
	cudaMemPool_t pool, first, other;
	uint64_t value = LEN;
	void *ptr;

	(void)state;
	need_pools();
	ok(cudaDeviceGetDefaultMemPool(&first, 0));
	ok(cudaMemPoolSetAttribute(first, cudaMemPoolAttrReleaseThreshold,
				   &value));
	pool = create(0);
	ok(cudaDeviceSetMemPool(0, pool));
	ok(cudaMallocAsync(&ptr, LEN, 0));
	ok(cudaDeviceReset());
	is(cudaMemPoolTrimTo(pool, 0), cudaErrorInvalidValue);
	ok(cudaDeviceGetMemPool(&other, 0));
	assert_ptr_equal(other, first);
	assert_int_equal(bytes(first, cudaMemPoolAttrReleaseThreshold), 0);
	assert_has(first, 0, 0, 0, 0);
}

static void a_pool_is_the_drivers_too(void **state)
{
	const CUmemPoolProps driver_props = {
		.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE },
	};
	CUmemAccessDesc access = {
		.location = driver_props.location,
		.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
	};
	CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
	CUmemoryPool pool = NULL, other = NULL;
	cuuint64_t value = 0;
	CUdeviceptr ptr;
	cudaMemPool_t rt;

	(void)state;
	need_pools();
	/* The driver needs a current context, which the runtime creates. */
	ok(cudaFree(NULL));
	cu(cuDeviceGetDefaultMemPool(&other, 0));
	ok(cudaDeviceGetDefaultMemPool(&rt, 0));
	assert_ptr_equal(rt, other);
	cu(cuMemPoolCreate(&pool, &driver_props));
	cu_is(cuMemPoolCreate(&pool, NULL), CUDA_ERROR_INVALID_VALUE);
	cu(cuDeviceSetMemPool(0, pool));
	ok(cudaDeviceGetMemPool(&rt, 0));
	assert_ptr_equal(rt, pool);
	cu(cuDeviceGetMemPool(&other, 0));
	assert_ptr_equal(other, pool);
	cu(cuMemAllocFromPoolAsync(&ptr, LEN, pool, 0));
	cu(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
				 &value));
	assert_int_equal(value, LEN);
	value = 0;
	cu(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &value));
	cu(cuMemPoolSetAccess(pool, &access, 1));
	cu(cuMemPoolGetAccess(&flags, pool, &access.location));
	assert_int_equal(flags, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	cu(cuMemFreeAsync(ptr, 0));
	cu(cuMemPoolTrimTo(pool, 0));
	cu_is(cuMemAllocFromPoolAsync(&ptr, 0, pool, 0),
	      CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemAllocFromPoolAsync(NULL, LEN, pool, 0),
	      CUDA_ERROR_INVALID_VALUE);
	cu(cuMemPoolDestroy(pool));
	cu_is(cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
	cu_is(cuMemAllocFromPoolAsync(&ptr, LEN, pool, 0),
	      CUDA_ERROR_INVALID_VALUE);
}

static void the_driver_comes_first(void **state)
{
	CUmemoryPool pool;

	(void)state;
	cu_is(cuDeviceGetDefaultMemPool(&pool, 0), CUDA_ERROR_NOT_INITIALIZED);
	cu_is(cuMemPoolTrimTo(NULL, 0), CUDA_ERROR_NOT_INITIALIZED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_driver_comes_first),
		cmocka_unit_test_setup(a_board_without_pools_refuses_them,
				       reset),
		cmocka_unit_test_setup(a_device_has_a_pool, reset),
		cmocka_unit_test_setup(a_pool_counts_what_it_has, reset),
		cmocka_unit_test_setup(a_pool_outlives_its_handle, reset),
		cmocka_unit_test_setup(a_pool_has_a_size, reset),
		cmocka_unit_test_setup(a_pool_is_what_its_attributes_say,
				       reset),
		cmocka_unit_test_setup(no_pool_is_of_other_memory, reset),
		cmocka_unit_test_setup(a_pool_is_its_devices, reset),
		cmocka_unit_test_setup(a_reset_takes_pools_along, reset),
		cmocka_unit_test_setup(a_pool_is_the_drivers_too, reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
