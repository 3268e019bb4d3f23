// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attributes of streams. They are stored and returned but have no effect on
 * libmem's streams; what CUDA refuses is refused. A stream has an entry here
 * once an attribute is set.
 */
#include <pthread.h>
#include <stdlib.h>

#include "internal.h"

/**
 * struct attributes - attributes of a stream
 * @ctx: context
 * @stream: id of the stream, since default streams have no handle
 * @window: memory that the L2 cache should keep
 * @policy: how the host waits
 * @priority: priority of kernels
 * @map: map of memory synchronisation domains
 * @domain: domain of kernels
 * @next: next stream
 */
struct attributes {
	struct CUctx_st *ctx;
	uint64_t stream;
	CUaccessPolicyWindow window;
	CUsynchronizationPolicy policy;
	int priority;
	CUlaunchMemSyncDomainMap map;
	CUlaunchMemSyncDomain domain;
	struct attributes *next;
};

/* Protects the list. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct attributes *all;

/* Sets the defaults. */
static void attributes_init(struct attributes *attributes, struct CUctx_st *ctx,
			    struct mem_stream *mem)
{
	*attributes = (struct attributes){
		.ctx = ctx,
		.stream = mem_stream_id(mem),
		.policy = CU_SYNC_POLICY_AUTO,
		.priority = mem_stream_priority(mem),
	};
}

/* The lock is held here and in the functions below, except as stated. */
static struct attributes *attributes_find(const struct attributes *wanted)
{
	struct attributes *at;

	for (at = all; at; at = at->next)
		if (at->ctx == wanted->ctx && at->stream == wanted->stream)
			return at;
	return NULL;
}

static struct attributes *
attributes_find_or_add(const struct attributes *wanted)
{
	struct attributes *at = attributes_find(wanted);

	if (at)
		return at;
	at = malloc(sizeof(*at));
	if (at) {
		*at = *wanted;
		at->next = all;
		all = at;
	}
	return at;
}

/* Sets the stream's context, its id and the defaults. The lock is not held. */
static int attributes_resolve(CUstream stream, struct attributes *attributes)
{
	struct mem_stream *mem;
	struct CUctx_st *ctx, *own;
	int rc = core_current(&ctx);

	if (!rc)
		rc = core_stream(ctx, stream, &mem);
	if (rc)
		return rc;
	own = core_object_ctx(CORE_STREAM, stream);
	attributes_init(attributes, own ? own : ctx, mem);
	return CUDA_SUCCESS;
}

/**
 * core_stream_attribute() - return an attribute of a stream
 * @stream: handle
 * @attr: CU_LAUNCH_ATTRIBUTE_*
 * @value: out: only the member of the attribute is written
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such stream),
 * CUDA_ERROR_INVALID_VALUE (no attribute of streams, @value is NULL), or an
 * error of core_current().
 */
CORE_API int core_stream_attribute(CUstream stream, unsigned int attr,
				   CUlaunchAttributeValue *value)
{
	const struct attributes *at;
	struct attributes none;
	int rc = attributes_resolve(stream, &none);

	if (rc)
		return rc;
	if (!value)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	at = attributes_find(&none);
	if (!at)
		at = &none;
	switch (attr) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		value->accessPolicyWindow = at->window;
		break;
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		value->syncPolicy = at->policy;
		break;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		value->priority = at->priority;
		break;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		value->memSyncDomainMap = at->map;
		break;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
		value->memSyncDomain = at->domain;
		break;
	default:
		rc = CUDA_ERROR_INVALID_VALUE;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

/* Returns true if the device can keep that much; 0 bytes reset the window. */
static bool attributes_window_is_valid(const struct core_device *device,
				       const CUaccessPolicyWindow *window)
{
	int max = 0;

	core_attribute(device,
		       CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, &max);
	return window->num_bytes <= (size_t)max && window->hitRatio >= 0 &&
	       window->hitRatio <= 1 &&
	       window->hitProp <= CU_ACCESS_PROPERTY_PERSISTING &&
	       window->missProp <= CU_ACCESS_PROPERTY_STREAMING;
}

static bool attributes_map_is_valid(const struct core_device *device,
				    const CUlaunchMemSyncDomainMap *map)
{
	int nr = 0;

	core_attribute(device, CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT, &nr);
	return map->default_ < nr && map->remote < nr;
}

/* Clamps as for a stream that is created. */
static int attributes_clamp_priority(int priority)
{
	if (priority < MEM_PRIORITY_GREATEST)
		return MEM_PRIORITY_GREATEST;
	return priority > MEM_PRIORITY_LEAST ? MEM_PRIORITY_LEAST : priority;
}

static bool attributes_value_is_valid(const struct core_device *device,
				      unsigned int attr,
				      const CUlaunchAttributeValue *value)
{
	switch (attr) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		return attributes_window_is_valid(device,
						  &value->accessPolicyWindow);
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		return value->syncPolicy >= CU_SYNC_POLICY_AUTO &&
		       value->syncPolicy <= CU_SYNC_POLICY_BLOCKING_SYNC;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		return true;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		return attributes_map_is_valid(device,
					       &value->memSyncDomainMap);
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
		return value->memSyncDomain <= CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE;
	default:
		return false;
	}
}

static void attributes_set(struct attributes *at, unsigned int attr,
			   const CUlaunchAttributeValue *value)
{
	switch (attr) {
	case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
		at->window = value->accessPolicyWindow;
		break;
	case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
		at->policy = value->syncPolicy;
		break;
	case CU_LAUNCH_ATTRIBUTE_PRIORITY:
		at->priority = attributes_clamp_priority(value->priority);
		break;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
		at->map = value->memSyncDomainMap;
		break;
	case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
		at->domain = value->memSyncDomain;
		break;
	}
}

/**
 * core_stream_set_attribute() - set an attribute of a stream
 * @stream: handle
 * @attr: CU_LAUNCH_ATTRIBUTE_*
 * @value: value
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such stream),
 * CUDA_ERROR_INVALID_VALUE (no attribute of streams, @value is NULL or exceeds
 * the device), CUDA_ERROR_OUT_OF_MEMORY, or an error of core_current().
 */
CORE_API int core_stream_set_attribute(CUstream stream, unsigned int attr,
				       const CUlaunchAttributeValue *value)
{
	struct attributes none, *at;
	const int rc = attributes_resolve(stream, &none);

	if (rc)
		return rc;
	if (!value || !attributes_value_is_valid(none.ctx->device, attr, value))
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	at = attributes_find_or_add(&none);
	if (at)
		attributes_set(at, attr, value);
	pthread_mutex_unlock(&lock);
	return at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/**
 * core_stream_copy_attributes() - copy all attributes of a stream to another
 * @dst: handle
 * @src: handle
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE (no such stream),
 * CUDA_ERROR_INVALID_VALUE (they are of two contexts),
 * CUDA_ERROR_OUT_OF_MEMORY, or an error of core_current().
 */
CORE_API int core_stream_copy_attributes(CUstream dst, CUstream src)
{
	struct attributes to, from, *at, *what;
	int rc = attributes_resolve(dst, &to);

	if (!rc)
		rc = attributes_resolve(src, &from);
	if (rc)
		return rc;
	if (to.ctx != from.ctx)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	what = attributes_find(&from);
	if (what)
		from = *what;
	at = attributes_find_or_add(&to);
	if (at) {
		from.stream = at->stream;
		from.next = at->next;
		*at = from;
	}
	pthread_mutex_unlock(&lock);
	return at ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

/**
 * core_stream_forget() - reset the attributes of streams to the defaults
 * @ctx: context
 * @stream: id of the stream; NULL: all streams of the context
 */
void core_stream_forget(struct CUctx_st *ctx, const uint64_t *stream)
{
	struct attributes **at, *old;

	pthread_mutex_lock(&lock);
	for (at = &all; *at;) {
		old = *at;
		if (old->ctx != ctx || (stream && old->stream != *stream)) {
			at = &old->next;
			continue;
		}
		*at = old->next;
		free(old);
	}
	pthread_mutex_unlock(&lock);
}
