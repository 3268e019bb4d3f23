/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Status codes, and what the last call of a thread says about its own. */
#ifndef NV_VPI_STATUS_H
#define NV_VPI_STATUS_H

#include <stdint.h>

#include "Export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	VPI_SUCCESS = 0,
	VPI_ERROR_NOT_IMPLEMENTED,	/* heapsim lacks the call */
	VPI_ERROR_INVALID_ARGUMENT,
	VPI_ERROR_INVALID_IMAGE_FORMAT,
	VPI_ERROR_INVALID_ARRAY_TYPE,
	VPI_ERROR_INVALID_PAYLOAD_TYPE,
	VPI_ERROR_INVALID_OPERATION,
	VPI_ERROR_INVALID_CONTEXT,	/* the current context was destroyed */
	VPI_ERROR_DEVICE,		/* an engine has failed */
	VPI_ERROR_NOT_READY,
	VPI_ERROR_BUFFER_LOCKED,
	VPI_ERROR_OUT_OF_MEMORY,
	VPI_ERROR_INTERNAL
} VPIStatus;

/* Longest message, bytes with its end */
#define VPI_MAX_STATUS_MESSAGE_LENGTH 256

/**
 * vpiStatusGetName() - name of a status code
 * @code: VPIStatus
 *
 * Context: any thread.
 * Return: "VPI_ERROR_BUFFER_LOCKED" and so on; "VPI_ERROR_UNKNOWN".
 */
VPI_PUBLIC const char *vpiStatusGetName(VPIStatus code);

/**
 * vpiGetLastStatus() - status of this thread's last call, which is then reset
 *
 * The calls of this file leave the status of other calls as it is.
 *
 * Context: any thread.
 * Return: VPIStatus.
 */
VPI_PUBLIC VPIStatus vpiGetLastStatus(void);

/**
 * vpiGetLastStatusMessage() - status and message of this thread's last call,
 *	which are then reset
 * @msgBuffer: out: a sentence that says what was wrong, "" if nothing was; at
 *	most @lenBuffer bytes, terminated; may be NULL
 * @lenBuffer: bytes at @msgBuffer
 *
 * Context: any thread.
 * Return: VPIStatus.
 */
VPI_PUBLIC VPIStatus vpiGetLastStatusMessage(char *msgBuffer,
					     int32_t lenBuffer);

/**
 * vpiPeekAtLastStatus() - status of this thread's last call
 *
 * Context: any thread.
 * Return: VPIStatus.
 */
VPI_PUBLIC VPIStatus vpiPeekAtLastStatus(void);

/**
 * vpiPeekAtLastStatusMessage() - status and message of this thread's last call
 * @msgBuffer: out: as of vpiGetLastStatusMessage()
 * @lenBuffer: bytes at @msgBuffer
 *
 * Context: any thread.
 * Return: VPIStatus.
 */
VPI_PUBLIC VPIStatus vpiPeekAtLastStatusMessage(char *msgBuffer,
						int32_t lenBuffer);

#ifdef __cplusplus
}
#endif

#endif
