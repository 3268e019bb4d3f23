/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The types of NVIDIA's event service, which nvsciipc.h names. Names and
 * layout are the vendor's. There is no event service: calls return
 * NvSciError_NotSupported. A program waits with poll() on
 * NvSciIpcGetLinuxEventFd().
 */
#ifndef INCLUDED_NVSCIEVENT_H
#define INCLUDED_NVSCIEVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nvscierror.h"

#ifdef __cplusplus
extern "C" {
#endif

static const uint32_t NvSciEventMajorVersion = 1U;
static const uint32_t NvSciEventMinorVersion = 4U;

#define NV_SCI_EVENT_INFINITE_WAIT	-1
#define NV_SCI_EVENT_PRIORITIES		4

typedef struct NvSciEventService NvSciEventService;
typedef struct NvSciEventNotifier NvSciEventNotifier;
typedef struct NvSciEventLoopService NvSciEventLoopService;
typedef struct NvSciNativeEvent NvSciNativeEvent;
typedef struct NvSciLocalEvent NvSciLocalEvent;
typedef struct NvSciTimerEvent NvSciTimerEvent;
typedef struct NvSciEventLoop NvSciEventLoop;

struct NvSciLocalEvent {
	NvSciEventNotifier *eventNotifier;
	NvSciError (*Signal)(NvSciLocalEvent *thisLocalEvent);
	void (*Delete)(NvSciLocalEvent *thisLocalEvent);
};

struct NvSciEventService {
	NvSciError (*CreateNativeEventNotifier)(NvSciEventService *service,
						NvSciNativeEvent *nativeEvent,
						NvSciEventNotifier **notifier);
	NvSciError (*CreateLocalEvent)(NvSciEventService *service,
				       NvSciLocalEvent **newLocalEvent);
	NvSciError (*CreateTimerEvent)(NvSciEventService *service,
				       NvSciTimerEvent **newTimerEvent);
	void (*Delete)(NvSciEventService *service);
};

struct NvSciEventNotifier {
	NvSciError (*SetHandler)(NvSciEventNotifier *thisEventNotifier,
				 void (*callback)(void *cookie), void *cookie,
				 uint32_t priority);
	void (*Delete)(NvSciEventNotifier *thisEventNotifier);
};

struct NvSciEventLoopService {
	NvSciEventService EventService;
	NvSciError (*CreateEventLoop)(NvSciEventLoopService *service,
				      NvSciEventLoop **eventLoop);
	NvSciError (*WaitForEvent)(NvSciEventNotifier *eventNotifier,
				   int64_t microseconds);
	NvSciError (*WaitForMultipleEvents)(NvSciEventNotifier *const *all,
					    size_t eventNotifierCount,
					    int64_t microseconds,
					    bool *newEventArray);
	NvSciError (*WaitForMultipleEventsExt)(NvSciEventService *service,
					       NvSciEventNotifier *const *all,
					       size_t eventNotifierCount,
					       int64_t microseconds,
					       bool *newEventArray);
};

NvSciError NvSciEventLoopServiceCreate(size_t maxEventLoops,
				       NvSciEventLoopService **newService);
NvSciError NvSciEventLoopServiceCreateSafe(size_t maxEventLoops, void *config,
					   NvSciEventLoopService **newService);
NvSciError NvSciEventCheckVersionCompatibility(uint32_t majorVer,
					       uint32_t minorVer,
					       bool *isCompatible);

#ifdef __cplusplus
}
#endif

#endif
