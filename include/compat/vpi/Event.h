/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events: points in the work of streams. */
#ifndef NV_VPI_EVENT_H
#define NV_VPI_EVENT_H

#include <stdint.h>

#include "Export.h"
#include "Status.h"
#include "Types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define VPI_EVENT_DISABLE_TIMESTAMP (1ULL << 63)

/**
 * vpiEventCreate() - make an event
 * @flags: backends whose streams record it, 0: all of the current context;
 *	VPI_EVENT_DISABLE_TIMESTAMP
 * @event: out: the event: vpiEventDestroy()
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, INVALID_OPERATION,
 * INVALID_CONTEXT, OUT_OF_MEMORY.
 */
VPI_PUBLIC VPIStatus vpiEventCreate(uint64_t flags, VPIEvent *event);

/**
 * vpiEventDestroy() - give an event back
 * @event: event, or NULL, which does nothing
 *
 * Context: any thread.
 */
VPI_PUBLIC void vpiEventDestroy(VPIEvent event);

/**
 * vpiEventRecord() - record an event behind the work of a stream
 * @event: event
 * @stream: stream with a backend of the event's
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiEventRecord(VPIEvent event, VPIStream stream);

/**
 * vpiEventSync() - wait for an event
 * @event: event; one that was never recorded is not waited for
 *
 * Context: may sleep; any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, VPI_ERROR_DEVICE.
 */
VPI_PUBLIC VPIStatus vpiEventSync(VPIEvent event);

/**
 * vpiEventQuery() - whether an event has been reached
 * @event: event
 * @state: out: state
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiEventQuery(VPIEvent event, VPIEventState *state);

/**
 * vpiEventElapsedTimeMillis() - time between two events
 * @start: event that has been reached
 * @end: another
 * @msec: out: milliseconds
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT, NOT_READY (one has not
 * been reached), INVALID_OPERATION (one has no timestamps).
 */
VPI_PUBLIC VPIStatus vpiEventElapsedTimeMillis(VPIEvent start, VPIEvent end,
					       float *msec);

/**
 * vpiEventGetFlags() - backends and flags of an event
 * @event: event
 * @flags: out: as of vpiEventCreate(), never without a backend
 *
 * Context: any thread.
 * Return: VPI_SUCCESS, or VPI_ERROR_INVALID_ARGUMENT.
 */
VPI_PUBLIC VPIStatus vpiEventGetFlags(VPIEvent event, uint64_t *flags);

#ifdef __cplusplus
}
#endif

#endif
