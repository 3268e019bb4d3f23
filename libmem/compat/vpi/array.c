// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Arrays. The number of elements is an int32_t for the program and 64 bits for
 * libmem. It is copied when either side hands the array over to the other.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "heapsim_vpi.h"
#include "vpi.h"

/* Memory for the number of elements of a wrapper of host memory */
#define COUNT_LEN	4096

/* libmem has no arrays of types without a @mem. */
#define TYPE(name, len, mem) \
	[VPI_ARRAY_TYPE_##name] = { "VPI_ARRAY_TYPE_" #name, len, mem }
#define NONE	(-1)

static const struct {
	const char *name;
	int len;
	int mem;
} types[] = {
	TYPE(INVALID, 0, NONE),
	TYPE(S8, 1, MEM_DATA_S8),
	TYPE(U8, 1, MEM_DATA_U8),
	TYPE(S16, 2, MEM_DATA_S16),
	TYPE(U16, 2, MEM_DATA_U16),
	TYPE(U32, 4, MEM_DATA_U32),
	TYPE(KEYPOINT_F32, sizeof(VPIKeypointF32), MEM_DATA_KEYPOINT),
	TYPE(HOMOGRAPHY_TRANSFORM_2D, sizeof(VPIHomographyTransform2D), NONE),
	TYPE(KLT_TRACKED_BOUNDING_BOX, sizeof(VPIKLTTrackedBoundingBox), NONE),
	TYPE(F32, 4, MEM_DATA_F32),
	TYPE(KEYPOINT_U32, sizeof(VPIKeypointU32), NONE),
	TYPE(KEYPOINT_UQ1616, sizeof(VPIKeypointU32), NONE),
	TYPE(STATISTICS, sizeof(VPIStats), NONE),
	TYPE(BRIEF_DESCRIPTOR, sizeof(VPIBriefDescriptor), NONE),
	TYPE(MATCHES, sizeof(VPIMatches), NONE),
	TYPE(DCF_TRACKED_BOUNDING_BOX, sizeof(VPIDCFTrackedBoundingBox), NONE),
	TYPE(PYRAMIDAL_KEYPOINT_F32, sizeof(VPIPyramidalKeypointF32), NONE),
	TYPE(APRILTAG_DETECTION, sizeof(VPIAprilTagDetection), NONE),
	TYPE(POSE, sizeof(VPIPose), NONE),
};

#define NR_TYPES	(sizeof(types) / sizeof(*types))

VPI_PUBLIC const char *vpiArrayTypeGetName(VPIArrayType type)
{
	return types[(size_t)type < NR_TYPES ? type : 0].name;
}

VPI_PUBLIC int vpiArrayTypeGetSize(VPIArrayType type)
{
	return types[(size_t)type < NR_TYPES ? type : 0].len;
}

static VPIStatus array_check_type(VPIArrayType type)
{
	if ((size_t)type >= NR_TYPES || !type)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"there is no array type %d", (int)type);
	if (types[type].mem == NONE)
		return vpi_lacks(VPI_ERROR_INVALID_ARRAY_TYPE,
				 types[type].name);
	return VPI_SUCCESS;
}

/**
 * struct request - parameters of an array of libmem
 * @ctx: libmem's context
 * @data: memory to be wrapped; NULL: allocate it
 * @capacity: maximum number of elements
 * @data_type: enum mem_data_type
 */
struct request {
	struct mem_ctx *ctx;
	const struct mem_array_data *data;
	uint64_t capacity;
	unsigned int data_type;
};

static int array_request_make(const void *what, uint64_t uses, void **made)
{
	const struct request *request = what;
	struct mem_array *mem;
	int rc;

	if (request->data)
		rc = mem_array_wrap(request->ctx, request->data, uses, &mem);
	else
		rc = mem_array_create(request->ctx, request->capacity,
				      request->data_type, uses, &mem);
	if (!rc)
		*made = mem;
	return rc;
}

static void array_request_drop(void *made)
{
	mem_array_destroy(made);
}

static const struct vpi_maker maker = {
	.make = array_request_make,
	.drop = array_request_drop,
	.name = "array",
};

static int array_alloc_count(struct mem_ctx *ctx, VPIArrayBufferType type,
			     uint64_t **count)
{
	void *memory;
	int rc = 0;

	if (type == VPI_ARRAY_BUFFER_CUDA_AOS) {
		rc = mem_alloc(ctx, MEM_KIND_PINNED, sizeof(**count), 0,
			       &memory);
	} else {
		memory = mmap(NULL, COUNT_LEN, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (memory == MAP_FAILED)
			rc = -ENOMEM;
	}
	if (!rc)
		*count = memory;
	return rc;
}

static void array_free_count(VPIArrayBufferType type, uint64_t *count)
{
	struct mem_ctx *ctx;

	if (!count)
		return;
	if (type == VPI_ARRAY_BUFFER_HOST_AOS)
		munmap(count, COUNT_LEN);
	else if (!vpi_mem(&ctx))
		mem_free(ctx, count);
}

static void array_put(struct VPIArrayImpl *array)
{
	if (atomic_fetch_sub(&array->nr_users, 1) > 1)
		return;
	pthread_mutex_destroy(&array->lock);
	free(array);
}

/**
 * vpi_array_drop() - free an array
 * @array: array whose handle is not valid any more
 */
void vpi_array_drop(struct VPIArrayImpl *array)
{
	uint64_t *count = array->count, nr;

	/* Waits for jobs, which would go on, since @count will be freed. */
	if (count && array->mem)
		mem_array_count(array->mem, &nr);
	mem_array_destroy(array->mem);
	/* The call that follows a job may come later. */
	pthread_mutex_lock(&array->lock);
	array->count = NULL;
	pthread_mutex_unlock(&array->lock);
	array_free_count(array->wrapped, count);
	array_put(array);
}

/* Makes an array known to the program; frees it on failure. */
static VPIStatus vpi_array_add(struct VPIContextImpl *ctx,
			       struct VPIArrayImpl *array, uint64_t flags,
			       VPIArray *handle)
{
	char name[MEM_NAME_LEN];
	VPIStatus status;

	status = vpi_object_add(array, VPI_KIND_ARRAY, flags, ctx);
	if (status) {
		vpi_array_drop(array);
		return status;
	}
	/* For example "VPIArray KEYPOINT_F32 8192" */
	snprintf(name, sizeof(name), "VPIArray %.12s %d",
		 types[array->type].name + strlen("VPI_ARRAY_TYPE_"),
		 array->capacity);
	mem_array_set_name(array->mem, name);
	*handle = array;
	return VPI_SUCCESS;
}

static struct VPIArrayImpl *vpi_array_new(void)
{
	struct VPIArrayImpl *array = calloc(1, sizeof(*array));

	if (array) {
		pthread_mutex_init(&array->lock, NULL);
		atomic_init(&array->nr_users, 1);
		array->size_at = &array->given;
	} else {
		vpi_rc(-ENOMEM, "the array");
	}
	return array;
}

VPI_PUBLIC VPIStatus vpiArrayCreate(int32_t capacity, VPIArrayType type,
				    uint64_t flags, VPIArray *array)
{
	struct request request = { .capacity = capacity };
	struct VPIContextImpl *ctx;
	struct VPIArrayImpl *new;
	VPIStatus status;
	void *made;

	VPI_ENTER();
	if (!array)
		return vpi_null("array");
	if (capacity < 1)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"capacity %d is not above 0", capacity);
	status = array_check_type(type);
	if (!status)
		status = vpi_current(&ctx);
	if (!status)
		status = vpi_flags(ctx, &flags, VPI_OBJECT_FLAGS, 0);
	if (!status)
		status = vpi_mem(&request.ctx);
	if (status)
		return status;
	request.data_type = types[type].mem;
	status = vpi_make(&maker, &request, &flags, &made);
	if (status)
		return status;
	new = vpi_array_new();
	if (!new) {
		array_request_drop(made);
		return VPI_ERROR_OUT_OF_MEMORY;
	}
	new->mem = made;
	new->type = type;
	new->capacity = capacity;
	new->stride = types[type].len;
	return vpi_array_add(ctx, new, flags, array);
}

/* Describes memory for mem_array_wrap(), except for its count. */
static VPIStatus array_data_of(const VPIArrayData *vpi,
			       struct mem_array_data *data)
{
	const VPIArrayBufferAOS *aos = &vpi->buffer.aos;
	VPIStatus status;

	if (vpi->bufferType != VPI_ARRAY_BUFFER_HOST_AOS &&
	    vpi->bufferType != VPI_ARRAY_BUFFER_CUDA_AOS)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"there is no buffer type %d",
				(int)vpi->bufferType);
	status = array_check_type(aos->type);
	if (status)
		return status;
	if (!aos->data || !aos->sizePointer)
		return vpi_null(aos->data ? "data->buffer.aos.sizePointer" :
				"data->buffer.aos.data");
	if (aos->capacity < 1)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"capacity %d is not above 0", aos->capacity);
	if (*aos->sizePointer < 0 || *aos->sizePointer > aos->capacity)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"size %d is not of 0 to %d", *aos->sizePointer,
				aos->capacity);
	memset(data, 0, sizeof(*data));
	data->size = sizeof(*data);
	data->as = vpi->bufferType == VPI_ARRAY_BUFFER_HOST_AOS ?
		   MEM_LOCK_HOST : MEM_LOCK_DEVICE;
	data->data_type = types[aos->type].mem;
	data->stride = aos->strideBytes ? aos->strideBytes :
		       types[aos->type].len;
	data->capacity = aos->capacity;
	data->base = aos->data;
	if (aos->strideBytes < 0 || data->stride % types[aos->type].len)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"strideBytes %d is no multiple of %d, which %s has",
				aos->strideBytes, types[aos->type].len,
				types[aos->type].name);
	return VPI_SUCCESS;
}

/* @size: number of elements in the program's memory; NULL: there is none */
static VPIStatus vpi_array_wrap(const VPIArrayData *data, int32_t *size,
				uint64_t flags, VPIArray *array)
{
	struct mem_array_data wrapped;
	struct request request = { .data = &wrapped };
	struct VPIContextImpl *ctx;
	struct VPIArrayImpl *new;
	VPIStatus status;
	void *made;

	if (!array)
		return vpi_null("array");
	status = array_data_of(data, &wrapped);
	if (!status)
		status = vpi_current(&ctx);
	if (!status)
		status = vpi_flags(ctx, &flags, VPI_OBJECT_FLAGS,
				   wrapped.as == MEM_LOCK_HOST ?
				   VPI_BACKEND_CPU : VPI_BACKEND_CUDA);
	if (!status)
		status = vpi_mem(&request.ctx);
	if (status)
		return status;
	new = vpi_array_new();
	if (!new)
		return VPI_ERROR_OUT_OF_MEMORY;
	new->type = data->buffer.aos.type;
	new->capacity = data->buffer.aos.capacity;
	new->stride = wrapped.stride;
	new->wrapped = data->bufferType;
	new->size = *data->buffer.aos.sizePointer;
	new->given = new->size;
	if (size)
		new->size_at = size;
	status = vpi_rc(array_alloc_count(request.ctx, new->wrapped,
					  &new->count),
			"the array");
	if (!status) {
		*new->count = new->size;
		wrapped.count = new->count;
		status = vpi_make(&maker, &request, &flags, &made);
	}
	if (status) {
		vpi_array_drop(new);
		return status;
	}
	new->mem = made;
	return vpi_array_add(ctx, new, flags, array);
}

VPI_PUBLIC VPIStatus vpiArrayCreateWrapper(const VPIArrayData *data,
					   uint64_t flags, VPIArray *array)
{
	VPI_ENTER();
	if (!data)
		return vpi_null("data");
	return vpi_array_wrap(data, data->buffer.aos.sizePointer, flags, array);
}

VPI_PUBLIC VPIStatus heapsim_vpi_array_wrap(const VPIArrayData *data,
					    int32_t size, uint64_t flags,
					    VPIArray *array)
{
	VPIArrayData own;

	VPI_ENTER();
	if (!data)
		return vpi_null("data");
	own = *data;
	own.buffer.aos.sizePointer = &size;
	return vpi_array_wrap(&own, NULL, flags, array);
}

static VPIStatus array_rewrap(VPIArray array, const VPIArrayData *data,
			      int32_t *size)
{
	struct mem_array_data wrapped;
	VPIStatus status;
	int rc;

	status = vpi_object_check(array, VPI_KIND_ARRAY, "array");
	if (status)
		return status;
	if (array->wrapped == VPI_ARRAY_BUFFER_INVALID)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"array is not of vpiArrayCreateWrapper()");
	if (array->wrapped != data->bufferType)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"array wraps another type of buffer");
	status = array_data_of(data, &wrapped);
	if (status)
		return status;
	wrapped.count = array->count;
	rc = mem_array_rewrap(array->mem, &wrapped);
	if (rc == -EBUSY)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"array is locked: vpiArrayUnlock() first");
	if (rc == -EINVAL)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"data does not have the type, stride and capacity of array");
	if (rc)
		return vpi_errno(rc, "array");
	pthread_mutex_lock(&array->lock);
	array->size = *data->buffer.aos.sizePointer;
	array->given = array->size;
	array->size_at = size ? size : &array->given;
	*array->count = array->size;
	pthread_mutex_unlock(&array->lock);
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiArraySetWrapper(VPIArray array,
					const VPIArrayData *data)
{
	VPI_ENTER();
	if (!data)
		return vpi_null("data");
	return array_rewrap(array, data, data->buffer.aos.sizePointer);
}

VPI_PUBLIC VPIStatus heapsim_vpi_array_rewrap(VPIArray array,
					      const VPIArrayData *data,
					      int32_t size)
{
	VPIArrayData own;

	VPI_ENTER();
	if (!data)
		return vpi_null("data");
	own = *data;
	own.buffer.aos.sizePointer = &size;
	return array_rewrap(array, &own, NULL);
}

VPI_PUBLIC void vpiArrayDestroy(VPIArray array)
{
	if (vpi_object_del(array, VPI_KIND_ARRAY))
		vpi_array_drop(array);
}

static VPIStatus array_check_size(const struct VPIArrayImpl *array,
				  int32_t size)
{
	if (size < 0 || size > array->capacity)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"size %d is not of 0 to %d", size,
				array->capacity);
	return VPI_SUCCESS;
}

/**
 * vpi_array_load() - pass a size that the program has set to libmem
 * @array: array that will be used by work
 *
 * Return: VPI_SUCCESS, or an error of vpi_errno().
 */
VPIStatus vpi_array_load(struct VPIArrayImpl *array)
{
	VPIStatus status = VPI_SUCCESS;
	uint64_t count;

	pthread_mutex_lock(&array->lock);
	if (array->count && *array->size_at != array->size) {
		status = array_check_size(array, *array->size_at);
		if (!status)
			status = vpi_rc(mem_array_count(array->mem, &count),
					"array");
		if (!status) {
			array->size = *array->size_at;
			*array->count = array->size;
		}
	}
	pthread_mutex_unlock(&array->lock);
	return status;
}

/* Called in a stream, behind a job that has stored elements. */
static void array_on_stored(struct mem_stream *stream, int rc, void *arg)
{
	struct VPIArrayImpl *array = arg;

	(void)stream;
	pthread_mutex_lock(&array->lock);
	if (!rc && array->count) {
		array->size = *array->count < (uint64_t)array->capacity ?
			      (int32_t)*array->count : array->capacity;
		*array->size_at = array->size;
	}
	pthread_mutex_unlock(&array->lock);
	array_put(array);
}

/**
 * vpi_array_store() - pass the size to the program when a job has stored it
 * @array: array that the job stores to; only the memory of a wrapper has a size
 * @stream: stream to which the job was submitted
 *
 * Return: VPI_SUCCESS, or an error of vpi_errno().
 */
VPIStatus vpi_array_store(struct VPIArrayImpl *array, struct mem_stream *stream)
{
	int rc;

	if (array->wrapped == VPI_ARRAY_BUFFER_INVALID)
		return VPI_SUCCESS;
	atomic_fetch_add(&array->nr_users, 1);
	rc = mem_stream_add_callback(stream, array_on_stored, array);
	if (rc)
		array_put(array);
	return vpi_rc(rc, "stream");
}

/*
 * Waits for jobs, and passes libmem's count to the program. The lock is held.
 */
static VPIStatus array_refresh_size(struct VPIArrayImpl *array)
{
	uint64_t count;
	int rc = mem_array_count(array->mem, &count);

	if (rc)
		return vpi_errno(rc, "array");
	array->size = count;
	*array->size_at = array->size;
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiArrayGetSize(VPIArray array, int32_t *size)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check_out(array, VPI_KIND_ARRAY, "array", size,
				      "size");
	if (status)
		return status;
	status = vpi_array_load(array);
	if (status)
		return status;
	pthread_mutex_lock(&array->lock);
	if (!array->is_written)
		status = array_refresh_size(array);
	*size = *array->size_at;
	pthread_mutex_unlock(&array->lock);
	return status;
}

/* Returns the kind of a lock if the program does not pass one. */
static VPIArrayBufferType array_type_of_lock(const struct VPIArrayImpl *array)
{
	if (array->wrapped != VPI_ARRAY_BUFFER_INVALID)
		return array->wrapped;
	if (array->object.flags & VPI_BACKEND_CPU)
		return VPI_ARRAY_BUFFER_HOST_AOS;
	if (array->object.flags & VPI_BACKEND_CUDA)
		return VPI_ARRAY_BUFFER_CUDA_AOS;
	return VPI_ARRAY_BUFFER_INVALID;
}

static int array_lock_as(VPIArrayBufferType type)
{
	return type == VPI_ARRAY_BUFFER_HOST_AOS ? MEM_LOCK_HOST :
	       type == VPI_ARRAY_BUFFER_CUDA_AOS ? MEM_LOCK_DEVICE :
	       MEM_LOCK_OBJECT;
}

static VPIStatus array_lock_failed(int rc)
{
	if (rc == -EBUSY)
		return vpi_fail(VPI_ERROR_BUFFER_LOCKED,
				"array is locked in a mode that excludes this one: vpiArrayUnlock() first");
	return vpi_rc(rc, "array");
}

VPI_PUBLIC VPIStatus vpiArraySetSize(VPIArray array, int32_t size)
{
	struct mem_array_data data = { .size = sizeof(data) };
	VPIStatus status;
	int rc = 0;

	VPI_ENTER();
	status = vpi_object_check(array, VPI_KIND_ARRAY, "array");
	if (!status)
		status = array_check_size(array, size);
	if (status)
		return status;
	pthread_mutex_lock(&array->lock);
	if (!array->is_written) {
		rc = mem_array_lock(array->mem, MEM_RW,
				    array_lock_as(array_type_of_lock(array)),
				    &data);
		if (!rc) {
			rc = mem_array_set_count(array->mem, size);
			mem_array_unlock(array->mem);
		}
		if (!rc)
			array->size = size;
	}
	if (!rc)
		*array->size_at = size;
	pthread_mutex_unlock(&array->lock);
	return array_lock_failed(rc);
}

VPI_PUBLIC VPIStatus vpiArrayGetCapacity(VPIArray array, int32_t *capacity)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check_out(array, VPI_KIND_ARRAY, "array", capacity,
				      "capacity");
	if (!status)
		*capacity = array->capacity;
	return status;
}

VPI_PUBLIC VPIStatus vpiArrayGetStrideBytes(VPIArray array,
					    int32_t *strideBytes)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check_out(array, VPI_KIND_ARRAY, "array",
				      strideBytes, "strideBytes");
	if (!status)
		*strideBytes = array->stride;
	return status;
}

VPI_PUBLIC VPIStatus vpiArrayGetType(VPIArray array, VPIArrayType *type)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check_out(array, VPI_KIND_ARRAY, "array", type,
				      "type");
	if (!status)
		*type = array->type;
	return status;
}

VPI_PUBLIC VPIStatus vpiArrayGetFlags(VPIArray array, uint64_t *flags)
{
	VPI_ENTER();
	return vpi_object_flags(array, VPI_KIND_ARRAY, flags);
}

VPI_PUBLIC VPIStatus heapsim_vpi_array(VPIArray array, struct mem_array **mem)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check_out(array, VPI_KIND_ARRAY, "array", mem,
				      "mem");
	if (!status)
		*mem = array->mem;
	return status;
}

/* @vpi may be NULL: only the lock is taken, no data is returned. */
static VPIStatus array_lock(VPIArray array, VPILockMode mode,
			    VPIArrayBufferType type, VPIArrayData *vpi)
{
	struct mem_array_data data = { .size = sizeof(data) };
	VPIStatus status;
	int rc;

	if (mode != VPI_LOCK_READ && mode != VPI_LOCK_WRITE &&
	    mode != VPI_LOCK_READ_WRITE)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"there is no lock mode %d", (int)mode);
	status = vpi_array_load(array);
	if (status)
		return status;
	rc = mem_array_lock(array->mem, mode == VPI_LOCK_READ ? MEM_READ :
			    mode == VPI_LOCK_WRITE ? MEM_WRITE : MEM_RW,
			    array_lock_as(type), &data);
	if (rc)
		return array_lock_failed(rc);
	pthread_mutex_lock(&array->lock);
	status = array_refresh_size(array);
	if (!status) {
		array->nr_locks++;
		array->is_written = mode != VPI_LOCK_READ;
	}
	pthread_mutex_unlock(&array->lock);
	if (status) {
		mem_array_unlock(array->mem);
		return status;
	}
	if (!vpi)
		return VPI_SUCCESS;
	memset(vpi, 0, sizeof(*vpi));
	vpi->bufferType = type;
	vpi->buffer.aos.type = array->type;
	vpi->buffer.aos.sizePointer = array->size_at;
	vpi->buffer.aos.capacity = array->capacity;
	vpi->buffer.aos.strideBytes = data.stride;
	vpi->buffer.aos.data = data.base;
	return VPI_SUCCESS;
}

VPI_PUBLIC VPIStatus vpiArrayLock(VPIArray array, VPILockMode mode)
{
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check(array, VPI_KIND_ARRAY, "array");
	if (status)
		return status;
	return array_lock(array, mode, array_type_of_lock(array), NULL);
}

VPI_PUBLIC VPIStatus vpiArrayLockData(VPIArray array, VPILockMode mode,
				      VPIArrayBufferType bufType,
				      VPIArrayData *data)
{
	bool is_host = bufType == VPI_ARRAY_BUFFER_HOST_AOS;
	VPIStatus status;

	VPI_ENTER();
	status = vpi_object_check_out(array, VPI_KIND_ARRAY, "array", data,
				      "data");
	if (status)
		return status;
	if (!is_host && bufType != VPI_ARRAY_BUFFER_CUDA_AOS)
		return vpi_fail(VPI_ERROR_INVALID_ARGUMENT,
				"there is no buffer type %d", (int)bufType);
	if (!(array->object.flags &
	      (is_host ? VPI_BACKEND_CPU : VPI_BACKEND_CUDA)))
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"VPI_ARRAY_BUFFER_%s_AOS needs the backend %s, which array was made without",
				is_host ? "HOST" : "CUDA",
				is_host ? "CPU" : "CUDA");
	return array_lock(array, mode, bufType, data);
}

VPI_PUBLIC VPIStatus vpiArrayUnlock(VPIArray array)
{
	VPIStatus status;
	int rc;

	VPI_ENTER();
	status = vpi_object_check(array, VPI_KIND_ARRAY, "array");
	if (status)
		return status;
	pthread_mutex_lock(&array->lock);
	if (!array->nr_locks) {
		status = vpi_fail(VPI_ERROR_INVALID_OPERATION,
				  "array is not locked");
		goto out_unlock;
	}
	if (array->is_written) {
		status = array_check_size(array, *array->size_at);
		if (status)
			*array->size_at = array->size;
		else
			array->size = *array->size_at;
		rc = mem_array_set_count(array->mem, array->size);
		if (rc && !status)
			status = vpi_errno(rc, "array");
		array->is_written = false;
	}
	array->nr_locks--;
	rc = mem_array_unlock(array->mem);
	if (rc && !status)
		status = vpi_errno(rc, "array");

out_unlock:
	pthread_mutex_unlock(&array->lock);
	return status;
}
