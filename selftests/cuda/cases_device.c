// SPDX-License-Identifier: GPL-2.0-only
/* Cases of devices, errors and what belongs to no memory and no stream. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#define NO_DEVICE	99
#define NO_ATTRIBUTE	((enum cudaDeviceAttr)9999)

static void ask_device(void)
{
	int value = -1;

	RT(cudaGetDeviceCount(&value), "device.count");
	RT(cudaGetDeviceCount(NULL), "device.count.null");
	RT(cudaDeviceGetAttribute(&value, cudaDevAttrIntegrated, 0),
	   "device.attr.ok");
	RT(cudaDeviceGetAttribute(NULL, cudaDevAttrIntegrated, 0),
	   "device.attr.null");
	RT(cudaDeviceGetAttribute(&value, NO_ATTRIBUTE, 0),
	   "device.attr.invalid_id");
	RT(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)0, 0),
	   "device.attr.id_0");
	RT(cudaDeviceGetAttribute(&value, cudaDevAttrIntegrated, NO_DEVICE),
	   "device.attr.bad_device");
	RT(cudaDeviceGetAttribute(&value, cudaDevAttrIntegrated, -1),
	   "device.attr.negative_device");
	RT(cudaSetDevice(0), "device.set.0");
	RT(cudaSetDevice(NO_DEVICE), "device.set.bad");
	RT(cudaSetDevice(-1), "device.set.negative");
}

static void ask_device_flags(void)
{
	unsigned int flags = 0xdead;

	RT(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync),
	   "device.flags.blocking");
	RT(cudaGetDeviceFlags(&flags), "device.flags.get");
	if (ask("device.flags.value"))
		answer("%x", flags);
	RT(cudaSetDeviceFlags(cudaDeviceScheduleSpin |
			      cudaDeviceScheduleYield),
	   "device.flags.spin_and_yield");
	RT(cudaSetDeviceFlags(0x10000), "device.flags.invalid");
	RT(cudaGetDeviceFlags(NULL), "device.flags.get_null");
	for (unsigned int set = 0; set <= 16; set++) {
		RT(cudaSetDeviceFlags(set), "device.flags.set_%u", set);
		flags = 0xdead;
		cudaGetDeviceFlags(&flags);
		if (ask("device.flags.set_%u.value", set))
			answer("%x", flags);
	}
}

static void ask_last(void)
{
	struct gate gate = { 0 };
	cudaStream_t stream;
	void *p;

	cudaGetLastError();
	cudaMallocManaged(&p, LEN, 0);
	RT(cudaPeekAtLastError(), "last.peek");
	RT(cudaGetLastError(), "last.get");
	RT(cudaGetLastError(), "last.get_again");
	cudaMallocManaged(&p, LEN, 0);
	cudaFree(NULL);
	RT(cudaGetLastError(), "last.kept_over_success");
	/* The last error is that of the newest call. */
	cudaMallocManaged(&p, LEN, 0);
	cudaMalloc(&p, SIZE_MAX);
	RT(cudaGetLastError(), "last.newest");
	/* cudaErrorNotReady does not become the last error. */
	need(!cudaStreamCreate(&stream), "stream");
	cudaLaunchHostFunc(stream, gate_wait, &gate);
	RT(cudaStreamQuery(stream), "last.query_busy");
	RT(cudaGetLastError(), "last.after_notready");
	gate_open(&gate);
	cudaStreamSynchronize(stream);
}

/* Common error codes, whose values are tested; names are for all numbers. */
static const struct {
	const char *name;
	cudaError_t value;
} values[] = {
#define VALUE(name) { #name, name }
	VALUE(cudaSuccess),
	VALUE(cudaErrorInvalidValue),
	VALUE(cudaErrorMemoryAllocation),
	VALUE(cudaErrorInitializationError),
	VALUE(cudaErrorInvalidConfiguration),
	VALUE(cudaErrorInvalidPitchValue),
	VALUE(cudaErrorInvalidSymbol),
	VALUE(cudaErrorInvalidChannelDescriptor),
	VALUE(cudaErrorInvalidMemcpyDirection),
	VALUE(cudaErrorInvalidDeviceFunction),
	VALUE(cudaErrorNoDevice),
	VALUE(cudaErrorInvalidDevice),
	VALUE(cudaErrorInvalidResourceHandle),
	VALUE(cudaErrorNotReady),
	VALUE(cudaErrorIllegalAddress),
	VALUE(cudaErrorPeerAccessAlreadyEnabled),
	VALUE(cudaErrorPeerAccessNotEnabled),
	VALUE(cudaErrorPeerAccessUnsupported),
	VALUE(cudaErrorHostMemoryAlreadyRegistered),
	VALUE(cudaErrorHostMemoryNotRegistered),
	VALUE(cudaErrorLaunchFailure),
	VALUE(cudaErrorLaunchTimeout),
	VALUE(cudaErrorLaunchOutOfResources),
	VALUE(cudaErrorNotPermitted),
	VALUE(cudaErrorNotSupported),
	VALUE(cudaErrorUnsupportedLimit),
	VALUE(cudaErrorAssert),
	VALUE(cudaErrorUnknown),
#undef VALUE
};

static void ask_names(void)
{
	for (int i = 0; i < 1000; i++) {
		const char *name = cudaGetErrorName((cudaError_t)i);
		const char *string = cudaGetErrorString((cudaError_t)i);

		/* Of the numbers that are no error code two are enough. */
		if (name && !strcmp(name, "unrecognized error code") &&
		    i != 999 && i != 9)
			continue;
		if (ask("name.%d", i))
			answer("%s", name ? name : "null");
		if (ask("string.%d", i))
			answer("%s", string ? string : "null");
	}
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		if (ask("value.%s", values[i].name))
			answer("%d", (int)values[i].value);
	}
}

static void ask_rest(void)
{
	struct cudaDeviceProp props;
	size_t nr_free, nr_all, limit;
	int value = -1;

	RT(cudaMemGetInfo(&nr_free, &nr_all), "memgetinfo");
	RT(cudaMemGetInfo(NULL, NULL), "memgetinfo.null");
	RT(cudaGetDevice(&value), "getdevice");
	RT(cudaGetDevice(NULL), "getdevice.null");
	RT(cudaRuntimeGetVersion(&value), "runtimeversion");
	if (ask("runtimeversion.value"))
		answer("%d", value);
	RT(cudaRuntimeGetVersion(NULL), "runtimeversion.null");
	RT(cudaDriverGetVersion(&value), "driverversion");
	RT(cudaDriverGetVersion(NULL), "driverversion.null");
	RT(cudaGetDeviceProperties(&props, 0), "props");
	RT(cudaGetDeviceProperties(NULL, 0), "props.null");
	RT(cudaGetDeviceProperties(&props, NO_DEVICE), "props.bad_device");
	RT(cudaDeviceSynchronize(), "rest.device_sync");
	RT(cudaDeviceReset(), "reset");
	RT(cudaDeviceReset(), "reset.again");
	RT(cudaDeviceGetLimit(&limit, cudaLimitStackSize), "limit.get");
	RT(cudaDeviceGetLimit(NULL, cudaLimitStackSize), "limit.get_null");
	RT(cudaDeviceGetLimit(&limit, (enum cudaLimit)99), "limit.get_bad");
	RT(cudaDeviceSetLimit((enum cudaLimit)99, 1), "limit.set_bad");
}

static void ask_peer(void)
{
	int value = -1;

	RT(cudaDeviceCanAccessPeer(&value, 0, 0), "peer.self");
	if (ask("peer.self.value"))
		answer("%d", value);
	RT(cudaDeviceCanAccessPeer(NULL, 0, 0), "peer.null");
	RT(cudaDeviceCanAccessPeer(&value, 0, NO_DEVICE), "peer.bad_device");
	RT(cudaDeviceEnablePeerAccess(0, 0), "peer.enable_self");
	RT(cudaDeviceEnablePeerAccess(NO_DEVICE, 0), "peer.enable_bad");
}

static void ask_launch(void)
{
	dim3 one = { 1, 1, 1 };

	RT(cudaLaunchKernel(NULL, one, one, NULL, 0, NULL), "launch.null");
}

const struct group device_groups[] = {
	{ "device", ask_device },
	{ "flags", ask_device_flags },
	{ "last", ask_last },
	{ "names", ask_names },
	{ "rest", ask_rest },
	{ "peer", ask_peer },
	{ "launch", ask_launch },
	{ 0 },
};
