// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: initialisation, and lookup of calls by name. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "driver.h"

/**
 * driver_ready() - check whether the driver is initialised
 *
 * Return: CUDA_SUCCESS, or CUDA_ERROR_NOT_INITIALIZED (neither the program nor
 * the runtime has initialised it; or in a child of a process that has).
 */
int driver_ready(void)
{
	return core_nr_devices() ? core_init() : CUDA_ERROR_NOT_INITIALIZED;
}

/**
 * driver_ctx() - return the current context
 * @ctx: out: context
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_CONTEXT (there is none),
 * CUDA_ERROR_CONTEXT_IS_DESTROYED (it was destroyed, released or reset), or an
 * error of driver_ready().
 */
int driver_ctx(struct CUctx_st **ctx)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	*ctx = core_top();
	if (!*ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (!core_ctx_exists(*ctx) || !(*ctx)->is_open)
		return CUDA_ERROR_CONTEXT_IS_DESTROYED;
	return CUDA_SUCCESS;
}

/**
 * driver_device() - find a device by its number
 * @ordinal: number
 * @device: out: device
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_DEVICE, or an error of
 * driver_ready().
 */
int driver_device(int ordinal, const struct core_device **device)
{
	const int rc = driver_ready();

	if (rc)
		return rc;
	*device = core_device(ordinal);
	return *device ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

API CUresult cuInit(unsigned int Flags)
{
	if (Flags)
		return CUDA_ERROR_INVALID_VALUE;
	return core_init();
}

API CUresult cuDriverGetVersion(int *driverVersion)
{
	if (!driverVersion)
		return CUDA_ERROR_INVALID_VALUE;
	*driverVersion = CUDA_VERSION;
	return CUDA_SUCCESS;
}

/* CUDA versions from which on a name means another call */
static const struct {
	const char *name;
	const char *call;
	int since;
} renamed[] = {
	{ "cuCtxCreate", "cuCtxCreate_v4", 13000 },
	{ "cuDeviceGetUuid", "cuDeviceGetUuid_v2", 11040 },
	{ "cuEventElapsedTime", "cuEventElapsedTime_v2", 12080 },
	{ "cuGetProcAddress", "cuGetProcAddress_v2", 12000 },
	{ "cuMemAdvise", "cuMemAdvise_v2", 12020 },
	{ "cuMemPrefetchAsync", "cuMemPrefetchAsync_v2", 12020 },
};

static const char *driver_call_of(const char *name, int version)
{
	size_t i;

	for (i = 0; i < sizeof(renamed) / sizeof(*renamed); i++)
		if (!strcmp(name, renamed[i].name) &&
		    version >= renamed[i].since)
			return renamed[i].call;
	return name;
}

/* Searches this library only, since others may have the same names. */
static void *driver_find_call(const char *name, const char *suffix)
{
	Dl_info own, other;
	char symbol[128];
	void *self, *found;

	if (snprintf(symbol, sizeof(symbol), "%s%s", name, suffix) >=
	    (int)sizeof(symbol) || strncmp(symbol, "cu", 2) ||
	    !dladdr((void *)cuInit, &own))
		return NULL;
	self = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
	if (!self)
		return NULL;
	found = dlsym(self, symbol);
	if (found && (!dladdr(found, &other) ||
		      other.dli_fbase != own.dli_fbase))
		found = NULL;
	dlclose(self);
	return found;
}

/* CU_GET_PROC_ADDRESS_*_STREAM */
#define PROC_LEGACY	0x1U
#define PROC_PER_THREAD	0x2U

static void *driver_proc_address(const char *symbol, int version,
				 cuuint64_t flags)
{
	const char *call = driver_call_of(symbol, version);
	char v2[128];
	void *found = NULL;

	if (flags & PROC_PER_THREAD) {
		found = driver_find_call(call, "_ptsz");
		if (!found)
			found = driver_find_call(call, "_ptds");
		/*
		 * Variants of the oldest calls only exist for their second
		 * version.
		 */
		snprintf(v2, sizeof(v2), "%.100s_v2", call);
		if (!found)
			found = driver_find_call(v2, "_ptds");
		if (!found)
			found = driver_find_call(v2, "_ptsz");
	}
	return found ? found : driver_find_call(call, "");
}

/* If @symbolStatus is used, an unknown name is not an error. */
API CUresult cuGetProcAddress_v2(const char *symbol, void **pfn,
				 int cudaVersion, cuuint64_t flags,
				 CUdriverProcAddressQueryResult *symbolStatus)
{
	CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;

	if (!symbol || !pfn || cudaVersion < 0 ||
	    flags & ~(cuuint64_t)(PROC_LEGACY | PROC_PER_THREAD) ||
	    flags == (PROC_LEGACY | PROC_PER_THREAD))
		return CUDA_ERROR_INVALID_VALUE;
	*pfn = NULL;
	if (cudaVersion > CUDA_VERSION) {
		status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
	} else {
		*pfn = driver_proc_address(symbol, cudaVersion, flags);
		if (!*pfn)
			status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	}
	if (symbolStatus) {
		*symbolStatus = status;
		return CUDA_SUCCESS;
	}
	return *pfn ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* The call before CUDA 12 */
API CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion,
			      cuuint64_t flags);

API CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion,
			      cuuint64_t flags)
{
	return cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
}

PER_THREAD(cuGetProcAddress, _ptsz);

API CUresult cuGetProcAddress_ptsz(const char *symbol, void **pfn,
				   int cudaVersion, cuuint64_t flags)
{
	return cuGetProcAddress(symbol, pfn, cudaVersion,
				flags ? flags : PROC_PER_THREAD);
}

PER_THREAD(cuGetProcAddress_v2, _ptsz);

API CUresult
cuGetProcAddress_v2_ptsz(const char *symbol, void **pfn, int cudaVersion,
			 cuuint64_t flags,
			 CUdriverProcAddressQueryResult *symbolStatus)
{
	return cuGetProcAddress_v2(symbol, pfn, cudaVersion,
				   flags ? flags : PROC_PER_THREAD,
				   symbolStatus);
}
