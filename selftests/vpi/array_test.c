// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests arrays: the pointer to the number of elements, locks, wrappers, errors.
 */
#include <stdlib.h>

#include "test.h"

#define CAPACITY	100

static VPIArray new_array(VPIArrayType type, uint64_t flags)
{
	VPIArray array = NULL;

	ok(vpiArrayCreate(CAPACITY, type, flags, &array));
	return array;
}

static int32_t size_of(VPIArray array)
{
	int32_t size = -1;

	ok(vpiArrayGetSize(array, &size));
	return size;
}

static void an_array_is_as_it_was_asked_for(void **state)
{
	VPIArray array = new_array(VPI_ARRAY_TYPE_KEYPOINT_F32, 0);
	VPIArrayType type = VPI_ARRAY_TYPE_INVALID;
	uint64_t of_context;
	int32_t number = 0;
	uint64_t flags = 0;

	(void)state;
	assert_int_equal(size_of(array), 0);
	ok(vpiArrayGetCapacity(array, &number));
	assert_int_equal(number, CAPACITY);
	ok(vpiArrayGetStrideBytes(array, &number));
	assert_int_equal(number, sizeof(VPIKeypointF32));
	ok(vpiArrayGetType(array, &type));
	assert_int_equal(type, VPI_ARRAY_TYPE_KEYPOINT_F32);
	ok(vpiArrayGetFlags(array, &flags));
	ok(vpiContextGetFlags(VPI_GLOBAL_CONTEXT, &of_context));
	assert_int_equal(flags, of_context);
	vpiArrayDestroy(array);
	vpiArrayDestroy(array);
	vpiArrayDestroy(NULL);
}

static void the_size_is_set_by_a_lock_or_a_call(void **state)
{
	VPIArray array = new_array(VPI_ARRAY_TYPE_U32, 0);
	VPIArrayData data;

	(void)state;
	ok(vpiArraySetSize(array, 7));
	assert_int_equal(size_of(array), 7);
	ok(vpiArrayLockData(array, VPI_LOCK_READ_WRITE,
			    VPI_ARRAY_BUFFER_HOST_AOS, &data));
	assert_int_equal(data.bufferType, VPI_ARRAY_BUFFER_HOST_AOS);
	assert_int_equal(data.buffer.aos.type, VPI_ARRAY_TYPE_U32);
	assert_int_equal(data.buffer.aos.capacity, CAPACITY);
	assert_int_equal(*data.buffer.aos.sizePointer, 7);
	((uint32_t *)data.buffer.aos.data)[0] = 12345;
	*data.buffer.aos.sizePointer = 9;
	assert_int_equal(size_of(array), 9);
	ok(vpiArraySetSize(array, 11));
	is(vpiArrayLock(array, VPI_LOCK_READ), VPI_ERROR_BUFFER_LOCKED,
	   "vpiArrayUnlock()");
	ok(vpiArrayUnlock(array));
	assert_int_equal(size_of(array), 11);
	ok(vpiArrayLockData(array, VPI_LOCK_READ, VPI_ARRAY_BUFFER_HOST_AOS,
			    &data));
	assert_int_equal(((uint32_t *)data.buffer.aos.data)[0], 12345);
	is(vpiArraySetSize(array, 1), VPI_ERROR_BUFFER_LOCKED, "");
	ok(vpiArrayUnlock(array));
	/* The CPU need not have access to the elements. */
	ok(vpiArrayLockData(array, VPI_LOCK_WRITE, VPI_ARRAY_BUFFER_CUDA_AOS,
			    &data));
	*data.buffer.aos.sizePointer = CAPACITY + 1;
	is(vpiArrayUnlock(array), VPI_ERROR_INVALID_ARGUMENT, "size 101");
	assert_int_equal(size_of(array), 11);
	vpiArrayDestroy(array);
}

static void arrays_of_cuda_alone_have_a_size(void **state)
{
	VPIArray array = new_array(VPI_ARRAY_TYPE_F32, VPI_BACKEND_CUDA);
	VPIArrayData data;

	(void)state;
	ok(vpiArraySetSize(array, 3));
	assert_int_equal(size_of(array), 3);
	is(vpiArrayLockData(array, VPI_LOCK_READ, VPI_ARRAY_BUFFER_HOST_AOS,
			    &data), VPI_ERROR_INVALID_OPERATION, "CPU");
	ok(vpiArrayLockData(array, VPI_LOCK_WRITE, VPI_ARRAY_BUFFER_CUDA_AOS,
			    &data));
	*data.buffer.aos.sizePointer = 5;
	ok(vpiArrayUnlock(array));
	assert_int_equal(size_of(array), 5);
	vpiArrayDestroy(array);
}

static void aos_of(VPIArrayBufferType kind, VPIArrayType type, void *memory,
		   int32_t *size, VPIArrayData *data)
{
	memset(data, 0, sizeof(*data));
	data->bufferType = kind;
	data->buffer.aos.type = type;
	data->buffer.aos.sizePointer = size;
	data->buffer.aos.capacity = CAPACITY;
	data->buffer.aos.data = memory;
}

static void a_wrapper_has_the_size_of_the_program(void **state)
{
	uint32_t *memory = calloc(2 * CAPACITY, sizeof(*memory));
	VPIArrayData locked;
	VPIArrayData data;
	int32_t other = 2;
	int32_t size = 4;
	VPIArray array;

	(void)state;
	assert_non_null(memory);
	aos_of(VPI_ARRAY_BUFFER_HOST_AOS, VPI_ARRAY_TYPE_U32, memory, &size,
	       &data);
	ok(vpiArrayCreateWrapper(&data, 0, &array));
	assert_int_equal(size_of(array), 4);
	size = 6;
	assert_int_equal(size_of(array), 6);
	ok(vpiArrayLockData(array, VPI_LOCK_WRITE, VPI_ARRAY_BUFFER_HOST_AOS,
			    &locked));
	assert_ptr_equal(locked.buffer.aos.data, memory);
	assert_ptr_equal(locked.buffer.aos.sizePointer, &size);
	is(vpiArraySetWrapper(array, &data), VPI_ERROR_INVALID_OPERATION,
	   "locked");
	ok(vpiArrayUnlock(array));
	ok(vpiArraySetSize(array, 8));
	assert_int_equal(size, 8);
	aos_of(VPI_ARRAY_BUFFER_HOST_AOS, VPI_ARRAY_TYPE_U32,
	       memory + CAPACITY, &other, &data);
	ok(vpiArraySetWrapper(array, &data));
	assert_int_equal(size_of(array), 2);
	ok(vpiArrayLock(array, VPI_LOCK_READ));
	ok(vpiArrayUnlock(array));
	other = CAPACITY + 1;
	is(vpiArrayLock(array, VPI_LOCK_READ), VPI_ERROR_INVALID_ARGUMENT,
	   "size 101");
	other = 2;
	vpiArrayDestroy(array);
	free(memory);
}

static void cuda_memory_is_wrapped(void **state)
{
	struct mem_ctx *ctx;
	VPIArrayData locked;
	VPIArrayData data;
	int32_t size = 4;
	VPIArray array;
	void *memory;

	(void)state;
	ok(heapsim_vpi_ctx(&ctx));
	assert_int_equal(mem_alloc(ctx, MEM_KIND_MANAGED, 4096,
				   MEM_ATTACH_GLOBAL, &memory), 0);
	aos_of(VPI_ARRAY_BUFFER_CUDA_AOS, VPI_ARRAY_TYPE_KEYPOINT_F32, memory,
	       &size, &data);
	ok(vpiArrayCreateWrapper(&data, 0, &array));
	ok(vpiArrayLockData(array, VPI_LOCK_READ_WRITE,
			    VPI_ARRAY_BUFFER_CUDA_AOS, &locked));
	assert_ptr_equal(locked.buffer.aos.data, memory);
	*locked.buffer.aos.sizePointer = 5;
	ok(vpiArrayUnlock(array));
	assert_int_equal(size, 5);
	assert_int_equal(size_of(array), 5);
	vpiArrayDestroy(array);
	assert_int_equal(mem_free(ctx, memory), 0);
}

static void a_wrapper_can_keep_its_size_itself(void **state)
{
	uint32_t memory[CAPACITY] = { 0 };
	VPIArrayData locked;
	VPIArrayData data;
	VPIArray array;

	(void)state;
	aos_of(VPI_ARRAY_BUFFER_HOST_AOS, VPI_ARRAY_TYPE_U32, memory, NULL,
	       &data);
	ok(heapsim_vpi_array_wrap(&data, 3, VPI_BACKEND_CPU, &array));
	assert_int_equal(size_of(array), 3);
	ok(vpiArrayLockData(array, VPI_LOCK_WRITE, VPI_ARRAY_BUFFER_HOST_AOS,
			    &locked));
	*locked.buffer.aos.sizePointer = 4;
	ok(vpiArrayUnlock(array));
	assert_int_equal(size_of(array), 4);
	ok(heapsim_vpi_array_rewrap(array, &data, 5));
	assert_int_equal(size_of(array), 5);
	vpiArrayDestroy(array);
}

static void wrong_arguments_are_refused(void **state)
{
	VPIArray array = new_array(VPI_ARRAY_TYPE_U8, 0);
	VPIArrayData data;
	VPIArray other = (VPIArray)&data;
	uint32_t memory[CAPACITY];
	int32_t number = 0;

	(void)state;
	is(vpiArrayCreate(1, VPI_ARRAY_TYPE_U8, 0, NULL),
	   VPI_ERROR_INVALID_ARGUMENT, "array is NULL");
	is(vpiArrayCreate(0, VPI_ARRAY_TYPE_U8, 0, &other),
	   VPI_ERROR_INVALID_ARGUMENT, "capacity 0");
	is(vpiArrayCreate(1, VPI_ARRAY_TYPE_INVALID, 0, &other),
	   VPI_ERROR_INVALID_ARGUMENT, "no array type 0");
	is(vpiArrayCreate(1, VPI_ARRAY_TYPE_MATCHES, 0, &other),
	   VPI_ERROR_INVALID_ARRAY_TYPE, "VPI_ARRAY_TYPE_MATCHES");
	is(vpiArrayCreate(1, VPI_ARRAY_TYPE_U8, VPI_BACKEND_NVENC, &other),
	   VPI_ERROR_INVALID_OPERATION, "NVENC");
	is(vpiArrayGetSize((VPIArray)&data, &number),
	   VPI_ERROR_INVALID_ARGUMENT, "no array");
	is(vpiArrayGetSize(array, NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "size is NULL");
	is(vpiArrayGetCapacity(array, NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "capacity is NULL");
	is(vpiArrayGetStrideBytes(array, NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "strideBytes is NULL");
	is(vpiArrayGetType(array, NULL), VPI_ERROR_INVALID_ARGUMENT,
	   "type is NULL");
	is(vpiArraySetSize(array, -1), VPI_ERROR_INVALID_ARGUMENT, "size -1");
	is(vpiArraySetSize(array, CAPACITY + 1), VPI_ERROR_INVALID_ARGUMENT,
	   "size 101");
	is(vpiArrayUnlock(array), VPI_ERROR_INVALID_OPERATION, "not locked");
	is(vpiArrayLock(array, (VPILockMode)0), VPI_ERROR_INVALID_ARGUMENT,
	   "no lock mode 0");
	is(vpiArrayLockData(array, VPI_LOCK_READ, VPI_ARRAY_BUFFER_INVALID,
			    &data), VPI_ERROR_INVALID_ARGUMENT, "buffer type");
	is(vpiArrayLockData(array, VPI_LOCK_READ, VPI_ARRAY_BUFFER_HOST_AOS,
			    NULL), VPI_ERROR_INVALID_ARGUMENT, "data is NULL");
	aos_of(VPI_ARRAY_BUFFER_HOST_AOS, VPI_ARRAY_TYPE_U32, memory, &number,
	       &data);
	is(vpiArraySetWrapper(array, &data), VPI_ERROR_INVALID_OPERATION,
	   "vpiArrayCreateWrapper()");
	data.buffer.aos.strideBytes = 6;
	is(vpiArrayCreateWrapper(&data, 0, &other), VPI_ERROR_INVALID_ARGUMENT,
	   "strideBytes 6");
	data.buffer.aos.strideBytes = 0;
	data.buffer.aos.sizePointer = NULL;
	is(vpiArrayCreateWrapper(&data, 0, &other), VPI_ERROR_INVALID_ARGUMENT,
	   "sizePointer is NULL");
	data.buffer.aos.sizePointer = &number;
	data.buffer.aos.data = NULL;
	is(vpiArrayCreateWrapper(&data, 0, &other), VPI_ERROR_INVALID_ARGUMENT,
	   "aos.data is NULL");
	is(vpiArrayCreateWrapper(NULL, 0, &other), VPI_ERROR_INVALID_ARGUMENT,
	   "data is NULL");
	vpiArrayDestroy(array);
}

static void types_have_names_and_sizes(void **state)
{
	(void)state;
	assert_string_equal(vpiArrayTypeGetName(VPI_ARRAY_TYPE_KEYPOINT_F32),
			    "VPI_ARRAY_TYPE_KEYPOINT_F32");
	assert_int_equal(vpiArrayTypeGetSize(VPI_ARRAY_TYPE_KEYPOINT_F32), 8);
	assert_int_equal(vpiArrayTypeGetSize(VPI_ARRAY_TYPE_BRIEF_DESCRIPTOR),
			 32);
	assert_int_equal(vpiArrayTypeGetSize((VPIArrayType)99), 0);
	assert_string_equal(vpiArrayTypeGetName((VPIArrayType)99),
			    "VPI_ARRAY_TYPE_INVALID");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(an_array_is_as_it_was_asked_for,
					  no_violation),
		cmocka_unit_test_teardown(the_size_is_set_by_a_lock_or_a_call,
					  no_violation),
		cmocka_unit_test_teardown(arrays_of_cuda_alone_have_a_size,
					  no_violation),
		cmocka_unit_test_teardown(a_wrapper_has_the_size_of_the_program,
					  no_violation),
		cmocka_unit_test_teardown(cuda_memory_is_wrapped,
					  no_violation),
		cmocka_unit_test_teardown(a_wrapper_can_keep_its_size_itself,
					  no_violation),
		cmocka_unit_test_teardown(wrong_arguments_are_refused,
					  no_violation),
		cmocka_unit_test(types_have_names_and_sizes),
	};

	return cmocka_run_group_tests_name("vpi array", tests, watch, NULL);
}
