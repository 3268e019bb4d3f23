/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NvMedia's basic types, as far as images of NvSciBuf objects need them:
 * libmem-nvmedia. Names and numbers are the vendor's, as of DRIVE OS 5.
 */
#ifndef NVMEDIA_CORE_H
#define NVMEDIA_CORE_H

/* It has struct timespec in C99, too, as <time.h> has not. */
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NVMEDIA_TRUE	(0 == 0)
#define NVMEDIA_FALSE	(0 == 1)

typedef uint32_t NvMediaBool;
typedef struct timespec NvMediaTime;
typedef uint64_t NvMediaGlobalTime;
typedef void NvMediaDevice;

/** enum NvMediaStatusRec - what a call of NvMedia returns */
typedef enum NvMediaStatusRec {
	NVMEDIA_STATUS_OK = 0,
	NVMEDIA_STATUS_BAD_PARAMETER,
	NVMEDIA_STATUS_PENDING,
	NVMEDIA_STATUS_TIMED_OUT,
	NVMEDIA_STATUS_OUT_OF_MEMORY,
	NVMEDIA_STATUS_NOT_INITIALIZED,
	NVMEDIA_STATUS_NOT_SUPPORTED,
	NVMEDIA_STATUS_ERROR,
	NVMEDIA_STATUS_NONE_PENDING,
	NVMEDIA_STATUS_INSUFFICIENT_BUFFERING,
	NVMEDIA_STATUS_INVALID_SIZE,
	NVMEDIA_STATUS_INCOMPATIBLE_VERSION,
	NVMEDIA_STATUS_CANCELLED,
	NVMEDIA_STATUS_UNDEFINED_STATE
} NvMediaStatus;

/**
 * NvMediaDeviceCreate() - begin to use NvMedia
 *
 * Return: the device: NvMediaDeviceDestroy(); NULL: libmem has no context, see
 * mem_ctx_open_shared(), or there is no memory.
 */
NvMediaDevice *NvMediaDeviceCreate(void);

/**
 * NvMediaDeviceDestroy() - end it
 * @device: device, or NULL, which does nothing
 *
 * Images that were made with it stay.
 */
void NvMediaDeviceDestroy(NvMediaDevice *device);

#ifdef __cplusplus
}
#endif

#endif
