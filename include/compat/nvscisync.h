/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVIDIA's NvSciSync over libmem: objects that one part of a program signals
 * and others wait for. Names and numbers are the vendor's, as of DRIVE OS 6
 * (NvSciSync 2.8); Documentation/nvscisync.rst maps each call to libmem's and
 * says where behaviour differs.
 *
 * An object is a timeline of libmem, a fence is a point on it.
 *
 * Below, the errors specific to a call are listed. Each call may also return
 * NvSciError_InsufficientMemory, NvSciError_ResourceError (no file descriptor
 * is left) and NvSciError_NotPermitted (the process is a child by fork() of one
 * that has an embedded context).
 */
#ifndef INCLUDED_NVSCISYNC_H
#define INCLUDED_NVSCISYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvscibuf.h"
#include "nvscierror.h"
#include "nvsciipc.h"

#ifdef __cplusplus
extern "C" {
#endif

static const uint32_t NvSciSyncMajorVersion = 2U;
static const uint32_t NvSciSyncMinorVersion = 8U;

/* Longest time-out of NvSciSyncFenceWait(), microseconds */
static const int64_t NvSciSyncFenceMaxTimeout = INT64_MAX / 1000;

typedef struct NvSciSyncModuleRec *NvSciSyncModule;
typedef struct NvSciSyncCpuWaitContextRec *NvSciSyncCpuWaitContext;
typedef struct NvSciSyncAttrListRec *NvSciSyncAttrList;
typedef struct NvSciSyncObjRec *NvSciSyncObj;
typedef const struct NvSciSyncObjRec *NvSciSyncObjConst;

/**
 * struct NvSciSyncFence - a point on the timeline of an object
 * @payload: private; all 0: cleared, which counts as reached
 *
 * A fence that is not cleared holds a reference to its object.
 */
typedef struct NvSciSyncFence {
	uint64_t payload[6];
} NvSciSyncFence;

static const NvSciSyncFence NvSciSyncFenceInitializer = { { 0U } };

typedef struct {
	uint64_t payload[7];
} NvSciSyncFenceIpcExportDescriptor;

typedef struct {
	uint64_t payload[128];
} NvSciSyncObjIpcExportDescriptor;

/* What a process may do with an object. Auto: only of exports and imports */
typedef uint64_t NvSciSyncAccessPerm;

#ifdef __cplusplus
#define NvSciSyncAccessPerm_WaitOnly	(static_cast<uint64_t>(1U) << 0U)
#define NvSciSyncAccessPerm_SignalOnly	(static_cast<uint64_t>(1U) << 1U)
#define NvSciSyncAccessPerm_Auto	(static_cast<uint64_t>(1U) << 63U)
#else
#define NvSciSyncAccessPerm_WaitOnly	((uint64_t)1U << 0U)
#define NvSciSyncAccessPerm_SignalOnly	((uint64_t)1U << 1U)
#define NvSciSyncAccessPerm_Auto	((uint64_t)1U << 63U)
#endif
#define NvSciSyncAccessPerm_WaitSignal \
	(NvSciSyncAccessPerm_WaitOnly | NvSciSyncAccessPerm_SignalOnly)

typedef enum {
	NvSciSyncTaskStatus_Success	= 0U,
	NvSciSyncTaskStatus_Failure	= 1U,
	NvSciSyncTaskStatus_Invalid	= UINT16_MAX
} NvSciSyncTaskStatusVal;

typedef struct __attribute__((packed)) {
	uint64_t timestamp;
	uint32_t statusEngine;
	uint16_t subframe;
	uint16_t status;
} NvSciSyncTaskStatus;

typedef enum NvSciSyncAttrValPrimitiveTypeRec {
	NvSciSyncAttrValPrimitiveType_LowerBound,
	NvSciSyncAttrValPrimitiveType_Syncpoint,
	NvSciSyncAttrValPrimitiveType_SysmemSemaphore,
	NvSciSyncAttrValPrimitiveType_VidmemSemaphore,
	NvSciSyncAttrValPrimitiveType_SysmemSemaphorePayload64b,
	NvSciSyncAttrValPrimitiveType_VidmemSemaphorePayload64b,
	NvSciSyncAttrValPrimitiveType_UpperBound
} NvSciSyncAttrValPrimitiveType;

/*
 * Keys of an attribute list, with the type of the value and how lists merge;
 * "out": only of reconciled lists.
 */
typedef enum {
	NvSciSyncAttrKey_LowerBound,
	NvSciSyncAttrKey_NeedCpuAccess,		/* bool; or */
	/* NvSciSyncAccessPerm; one list signals, at least one waits */
	NvSciSyncAttrKey_RequiredPerm,
	NvSciSyncAttrKey_ActualPerm,		/* out, NvSciSyncAccessPerm */
	/* bool; or */
	NvSciSyncAttrKey_WaiterContextInsensitiveFenceExports,
	NvSciSyncAttrKey_WaiterRequireTimestamps,	/* bool: false */
	NvSciSyncAttrKey_RequireDeterministicFences,	/* bool; or */
	NvSciSyncAttrKey_NumTimestampSlots,	/* out, uint32_t: 0 */
	NvSciSyncAttrKey_NumTaskStatusSlots,	/* out, uint32_t: 0 */
	NvSciSyncAttrKey_MaxPrimitiveValue,	/* out, uint64_t */
	/* NvSciSyncAttrValPrimitiveType[]; one that all lists have */
	NvSciSyncAttrKey_PrimitiveInfo,
	NvSciSyncAttrKey_PeerLocationInfo,	/* not supported */
	NvSciSyncAttrKey_GpuId,			/* NvSciRmGpuId[]; union */
	NvSciSyncAttrKey_PeerHwEngineArray,	/* not supported */
	NvSciSyncAttrKey_UpperBound
} NvSciSyncAttrKey;

/**
 * struct NvSciSyncAttrKeyValuePair - a key and its value
 * @attrKey: key
 * @value: value; of a call that reads it, owned by the list; NULL: not set
 * @len: bytes
 */
typedef struct {
	NvSciSyncAttrKey attrKey;
	const void *value;
	size_t len;
} NvSciSyncAttrKeyValuePair;

/* All modes behave as the default, which blocks. */
typedef enum {
	NvSciSyncWaitMode_Default	= 0U,
	NvSciSyncWaitMode_BusyWithYield	= 1U,
	NvSciSyncWaitMode_BusyNoYield	= 2U,
	NvSciSyncWaitMode_Blocking	= 3U
} NvSciSyncWaitMode;

/**
 * NvSciSyncModuleOpen() - open a module
 * @newModule: out: NvSciSyncModuleClose()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (@newModule is NULL).
 */
NvSciError NvSciSyncModuleOpen(NvSciSyncModule *newModule);

/**
 * NvSciSyncModuleClose() - close a module
 * @module: module, or NULL; exists until its last list and context is freed
 */
void NvSciSyncModuleClose(NvSciSyncModule module);

/**
 * NvSciSyncCheckVersionCompatibility() - check the version of the header
 * @majorVer: NvSciSyncMajorVersion when the program was built
 * @minorVer: NvSciSyncMinorVersion when the program was built
 * @isCompatible: out: the major version is equal, the minor one not newer
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (@isCompatible is
 * NULL).
 */
NvSciError NvSciSyncCheckVersionCompatibility(uint32_t majorVer,
					      uint32_t minorVer,
					      bool *isCompatible);

/**
 * NvSciSyncCpuWaitContextAlloc() - create what a wait of the CPU needs
 * @module: module
 * @newContext: out: NvSciSyncCpuWaitContextFree()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL).
 */
NvSciError NvSciSyncCpuWaitContextAlloc(NvSciSyncModule module,
					NvSciSyncCpuWaitContext *newContext);

/**
 * NvSciSyncCpuWaitContextFree() - free a context
 * @context: context, or NULL
 */
void NvSciSyncCpuWaitContextFree(NvSciSyncCpuWaitContext context);

/**
 * NvSciSyncAttrListCreate() - create an empty unreconciled list
 * @module: module
 * @attrList: out: list of one slot: NvSciSyncAttrListFree()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL).
 */
NvSciError NvSciSyncAttrListCreate(NvSciSyncModule module,
				   NvSciSyncAttrList *attrList);

/**
 * NvSciSyncAttrListFree() - free a list
 * @attrList: any list except an object's, or NULL
 */
void NvSciSyncAttrListFree(NvSciSyncAttrList attrList);

/**
 * NvSciSyncAttrListIsReconciled() - return the kind of a list
 * @attrList: list
 * @isReconciled: out: it is reconciled
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL).
 */
NvSciError NvSciSyncAttrListIsReconciled(NvSciSyncAttrList attrList,
					 bool *isReconciled);

/**
 * NvSciSyncAttrListValidateReconciled() - check a list against others
 * @reconciledAttrList: reconciled list
 * @inputArray: unreconciled lists
 * @inputCount: number of lists, above 0
 * @isReconciledListValid: out: it meets all of them
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * wrong kinds of list, two modules, a list twice, or it does not meet them).
 */
NvSciError
NvSciSyncAttrListValidateReconciled(NvSciSyncAttrList reconciledAttrList,
				    const NvSciSyncAttrList inputArray[],
				    size_t inputCount,
				    bool *isReconciledListValid);

/**
 * NvSciSyncAttrListValidateReconciledAgainstAttrs() - does nothing, as the
 *	vendor's standard build
 * @list: not used
 * @pairArray: not used
 * @pairCount: not used
 * @permissions: not used
 *
 * Return: NvSciError_Success.
 */
NvSciError
NvSciSyncAttrListValidateReconciledAgainstAttrs(NvSciSyncAttrList list,
						const NvSciSyncAttrKeyValuePair
							*pairArray,
						size_t pairCount,
						NvSciSyncAccessPerm
							permissions);

/**
 * NvSciSyncAttrListSetAttrs() - set keys
 * @attrList: unreconciled list of one slot
 * @pairArray: keys, each of which can be set once, and values, copied
 * @pairCount: number of pairs, above 0
 *
 * Sets all pairs or none.
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * no pairs, another kind of list, a key twice or set already, an output, a
 * value that the key does not have), NvSciError_NotSupported (see
 * Documentation/nvscisync.rst).
 */
NvSciError
NvSciSyncAttrListSetAttrs(NvSciSyncAttrList attrList,
			  const NvSciSyncAttrKeyValuePair *pairArray,
			  size_t pairCount);

/**
 * NvSciSyncAttrListGetAttrs() - read keys of the first slot
 * @attrList: unreconciled or reconciled list
 * @pairArray: in: keys; out: values
 * @pairCount: number of pairs, above 0
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL, no
 * pairs, no such key, a conflict list).
 */
NvSciError NvSciSyncAttrListGetAttrs(NvSciSyncAttrList attrList,
				     NvSciSyncAttrKeyValuePair *pairArray,
				     size_t pairCount);

/**
 * NvSciSyncAttrListGetAttr() - read a key of the first slot
 * @attrList: unreconciled or reconciled list
 * @key: key
 * @value: out: value, owned by the list; NULL: not set
 * @len: out: bytes
 *
 * Return: as NvSciSyncAttrListGetAttrs().
 */
NvSciError NvSciSyncAttrListGetAttr(NvSciSyncAttrList attrList,
				    NvSciSyncAttrKey key, const void **value,
				    size_t *len);

/**
 * NvSciSyncAttrListGetSlotCount() - return the number of slots
 * @attrList: list
 *
 * Return: slots; 0 for NULL and for a conflict list.
 */
size_t NvSciSyncAttrListGetSlotCount(NvSciSyncAttrList attrList);

/**
 * NvSciSyncAttrListSlotGetAttrs() - read keys of a slot
 * @attrList: unreconciled or reconciled list
 * @slotIndex: slot
 * @pairArray: in: keys; out: values
 * @pairCount: number of pairs, above 0
 *
 * Return: as NvSciSyncAttrListGetAttrs(); NvSciError_BadParameter also if there
 * is no such slot.
 */
NvSciError NvSciSyncAttrListSlotGetAttrs(NvSciSyncAttrList attrList,
					 size_t slotIndex,
					 NvSciSyncAttrKeyValuePair *pairArray,
					 size_t pairCount);

/**
 * NvSciSyncAttrListAppendUnreconciled() - make one list of several
 * @inputArray: unreconciled lists of one module
 * @inputCount: number of lists, above 0
 * @newUnreconciledAttrList: out: list with all their slots, which cannot be set
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * no lists, wrong kinds of list, two modules, a list twice).
 */
NvSciError
NvSciSyncAttrListAppendUnreconciled(const NvSciSyncAttrList inputArray[],
				    size_t inputCount,
				    NvSciSyncAttrList *newUnreconciledAttrList);

/**
 * NvSciSyncAttrListClone() - copy a list
 * @origAttrList: unreconciled or reconciled list
 * @newAttrList: out: the copy
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL,
 * a conflict list).
 */
NvSciError NvSciSyncAttrListClone(NvSciSyncAttrList origAttrList,
				  NvSciSyncAttrList *newAttrList);

/**
 * NvSciSyncAttrListReconcile() - merge lists
 * @inputArray: unreconciled lists of one module
 * @inputCount: number of lists, above 0
 * @newReconciledList: out: the result
 * @newConflictList: out: on NvSciError_ReconciliationFailed, a list for
 *	NvSciSyncAttrListDebugDump(); NULL on success; not written otherwise
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (as for append),
 * NvSciError_ReconciliationFailed (not one signaler, no waiter, or no common
 * primitive).
 */
NvSciError NvSciSyncAttrListReconcile(const NvSciSyncAttrList inputArray[],
				      size_t inputCount,
				      NvSciSyncAttrList *newReconciledList,
				      NvSciSyncAttrList *newConflictList);

/**
 * NvSciSyncAttrListDebugDump() - describe a list
 * @attrList: any list
 * @buf: out: text, to be freed with free()
 * @len: out: bytes, with the terminating 0
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL).
 */
NvSciError NvSciSyncAttrListDebugDump(NvSciSyncAttrList attrList, void **buf,
				      size_t *len);

/**
 * NvSciSyncAttrListIpcExportUnreconciled() - describe lists for another process
 * @inputArray: unreconciled lists of one module
 * @inputCount: number of lists, above 0
 * @ipcEndpoint: endpoint to which the descriptor goes
 * @descBuf: out: descriptor: NvSciSyncAttrListFreeDesc()
 * @descLen: out: bytes
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (as for append, or no
 * such endpoint), NvSciError_TooBig (more than 64 slots), NvSciError_Timeout
 * (the peer has not come).
 */
NvSciError
NvSciSyncAttrListIpcExportUnreconciled(const NvSciSyncAttrList inputArray[],
				       size_t inputCount,
				       NvSciIpcEndpoint ipcEndpoint,
				       void **descBuf, size_t *descLen);

/**
 * NvSciSyncAttrListIpcExportReconciled() - describe a reconciled list
 * @reconciledAttrList: reconciled list
 * @ipcEndpoint: endpoint to which the descriptor goes
 * @descBuf: out: descriptor: NvSciSyncAttrListFreeDesc()
 * @descLen: out: bytes
 *
 * Return: as NvSciSyncAttrListIpcExportUnreconciled().
 */
NvSciError
NvSciSyncAttrListIpcExportReconciled(const NvSciSyncAttrList reconciledAttrList,
				     NvSciIpcEndpoint ipcEndpoint,
				     void **descBuf, size_t *descLen);

/**
 * NvSciSyncAttrListIpcImportUnreconciled() - make a list of a descriptor
 * @module: module of the list
 * @ipcEndpoint: endpoint that received the descriptor
 * @descBuf: descriptor, not trusted
 * @descLen: bytes
 * @importedAttrList: out: list, which cannot be set
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL, no
 * such endpoint, not a descriptor of its peer), NvSciError_Timeout (the peer
 * has not come).
 */
NvSciError
NvSciSyncAttrListIpcImportUnreconciled(NvSciSyncModule module,
				       NvSciIpcEndpoint ipcEndpoint,
				       const void *descBuf, size_t descLen,
				       NvSciSyncAttrList *importedAttrList);

/**
 * NvSciSyncAttrListIpcImportReconciled() - make a reconciled list
 * @module: module of the list
 * @ipcEndpoint: endpoint that received the descriptor
 * @descBuf: descriptor, not trusted
 * @descLen: bytes
 * @inputArray: unreconciled lists that it must meet
 * @inputCount: number of lists, may be 0
 * @importedAttrList: out: list
 *
 * Return: as NvSciSyncAttrListIpcImportUnreconciled(), or
 * NvSciError_AttrListValidationFailed (it does not meet @inputArray).
 */
NvSciError
NvSciSyncAttrListIpcImportReconciled(NvSciSyncModule module,
				     NvSciIpcEndpoint ipcEndpoint,
				     const void *descBuf, size_t descLen,
				     const NvSciSyncAttrList inputArray[],
				     size_t inputCount,
				     NvSciSyncAttrList *importedAttrList);

/**
 * NvSciSyncAttrListFreeDesc() - free a descriptor of lists
 * @descBuf: descriptor, or NULL
 */
void NvSciSyncAttrListFreeDesc(void *descBuf);

/**
 * NvSciSyncObjAlloc() - create an object
 * @reconciledList: reconciled list; the caller keeps it
 * @syncObj: out: object that may be signalled and waited for:
 *	NvSciSyncObjFree()
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL,
 * another kind of list).
 */
NvSciError NvSciSyncObjAlloc(NvSciSyncAttrList reconciledList,
			     NvSciSyncObj *syncObj);

/**
 * NvSciSyncAttrListReconcileAndObjAlloc() - merge lists, create an object
 * @inputArray: as NvSciSyncAttrListReconcile()
 * @inputCount: as NvSciSyncAttrListReconcile()
 * @syncObj: out: object
 * @newConflictList: out: as NvSciSyncAttrListReconcile()
 *
 * Return: as NvSciSyncAttrListReconcile().
 */
NvSciError
NvSciSyncAttrListReconcileAndObjAlloc(const NvSciSyncAttrList inputArray[],
				      size_t inputCount, NvSciSyncObj *syncObj,
				      NvSciSyncAttrList *newConflictList);

/**
 * NvSciSyncObjDup() - take a reference
 * @syncObj: object
 * @dupObj: out: the same object, to be freed once more
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL).
 */
NvSciError NvSciSyncObjDup(NvSciSyncObj syncObj, NvSciSyncObj *dupObj);

/**
 * NvSciSyncObjFree() - drop a reference
 * @syncObj: object, or NULL; fences and work of streams have references
 */
void NvSciSyncObjFree(NvSciSyncObj syncObj);

/**
 * NvSciSyncObjValidate() - check an object
 * @syncObj: object
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (@syncObj is NULL).
 */
NvSciError NvSciSyncObjValidate(NvSciSyncObj syncObj);

/**
 * NvSciSyncObjGetAttrList() - return the list of an object
 * @syncObj: object
 * @syncAttrList: out: reconciled list, owned by the object
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL).
 */
NvSciError NvSciSyncObjGetAttrList(NvSciSyncObj syncObj,
				   NvSciSyncAttrList *syncAttrList);

/**
 * NvSciSyncObjIpcExport() - describe an object for another process
 * @syncObj: object
 * @permissions: what that process may do
 * @ipcEndpoint: endpoint to which the descriptor goes
 * @desc: out: descriptor, for one import
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * @permissions is invalid or more than this process has, no such endpoint),
 * NvSciError_Timeout (the peer has not come, or has 32 objects that it has not
 * imported).
 */
NvSciError NvSciSyncObjIpcExport(NvSciSyncObj syncObj,
				 NvSciSyncAccessPerm permissions,
				 NvSciIpcEndpoint ipcEndpoint,
				 NvSciSyncObjIpcExportDescriptor *desc);

/**
 * NvSciSyncObjIpcImport() - make an object of a descriptor
 * @ipcEndpoint: endpoint that received the descriptor
 * @desc: descriptor, not trusted
 * @inputAttrList: reconciled list, of NvSciSyncAttrListIpcImportReconciled()
 * @permissions: what is needed
 * @timeoutUs: how long to wait for the object, microseconds; below 0: for ever
 * @syncObj: out: object
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * another kind of list, not a descriptor of the peer, @permissions is invalid
 * or more than was granted), NvSciError_Timeout.
 */
NvSciError NvSciSyncObjIpcImport(NvSciIpcEndpoint ipcEndpoint,
				 const NvSciSyncObjIpcExportDescriptor *desc,
				 NvSciSyncAttrList inputAttrList,
				 NvSciSyncAccessPerm permissions,
				 int64_t timeoutUs, NvSciSyncObj *syncObj);

/**
 * NvSciSyncIpcExportAttrListAndObj() - describe an object with its list
 * @syncObj: object
 * @permissions: what the other process may do
 * @ipcEndpoint: endpoint to which the descriptor goes
 * @attrListAndObjDesc: out: descriptor: NvSciSyncAttrListAndObjFreeDesc()
 * @attrListAndObjDescSize: out: bytes
 *
 * Return: as NvSciSyncObjIpcExport().
 */
NvSciError NvSciSyncIpcExportAttrListAndObj(NvSciSyncObj syncObj,
					    NvSciSyncAccessPerm permissions,
					    NvSciIpcEndpoint ipcEndpoint,
					    void **attrListAndObjDesc,
					    size_t *attrListAndObjDescSize);

/**
 * NvSciSyncIpcImportAttrListAndObj() - make an object with its list
 * @module: module of the list
 * @ipcEndpoint: endpoint that received the descriptor
 * @attrListAndObjDesc: descriptor, not trusted
 * @attrListAndObjDescSize: bytes
 * @attrList: unreconciled lists that it must meet
 * @attrListCount: number of lists, may be 0
 * @minPermissions: what is needed
 * @timeoutUs: as NvSciSyncObjIpcImport()
 * @syncObj: out: object
 *
 * Return: as NvSciSyncObjIpcImport(), or NvSciError_AttrListValidationFailed.
 */
NvSciError NvSciSyncIpcImportAttrListAndObj(NvSciSyncModule module,
					    NvSciIpcEndpoint ipcEndpoint,
					    const void *attrListAndObjDesc,
					    size_t attrListAndObjDescSize,
					    NvSciSyncAttrList const attrList[],
					    size_t attrListCount,
					    NvSciSyncAccessPerm minPermissions,
					    int64_t timeoutUs,
					    NvSciSyncObj *syncObj);

/**
 * NvSciSyncAttrListAndObjFreeDesc() - free a descriptor of an object
 * @attrListAndObjDescBuf: descriptor, or NULL
 */
void NvSciSyncAttrListAndObjFreeDesc(void *attrListAndObjDescBuf);

/**
 * NvSciSyncObjGenerateFence() - reserve the next point, signalled by the CPU
 * @syncObj: object of which the CPU may be the signaler
 * @syncFence: in: initialised fence, which is cleared; out: the point
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL,
 * the CPU may not signal).
 */
NvSciError NvSciSyncObjGenerateFence(NvSciSyncObj syncObj,
				     NvSciSyncFence *syncFence);

/**
 * NvSciSyncObjSignal() - advance an object by one point
 * @syncObj: object of which the CPU may be the signaler
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (@syncObj is NULL, the
 * CPU may not signal).
 */
NvSciError NvSciSyncObjSignal(NvSciSyncObj syncObj);

/**
 * NvSciSyncFenceClear() - clear a fence
 * @syncFence: initialised fence, or NULL
 */
void NvSciSyncFenceClear(NvSciSyncFence *syncFence);

/**
 * NvSciSyncFenceDup() - copy a fence
 * @srcSyncFence: initialised fence
 * @dstSyncFence: in: initialised fence, which is cleared; out: the copy
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL,
 * or both are one fence).
 */
NvSciError NvSciSyncFenceDup(const NvSciSyncFence *srcSyncFence,
			     NvSciSyncFence *dstSyncFence);

/**
 * NvSciSyncFenceExtractFence() - read a fence as numbers
 * @syncFence: initialised fence
 * @id: out: 0
 * @value: out: point
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL),
 * NvSciError_ClearedFence.
 */
NvSciError NvSciSyncFenceExtractFence(const NvSciSyncFence *syncFence,
				      uint64_t *id, uint64_t *value);

/**
 * NvSciSyncFenceUpdateFence() - make a fence of numbers
 * @syncObj: object
 * @id: 0
 * @value: point
 * @syncFence: in: initialised fence, which is cleared; out: the point
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL),
 * NvSciError_Overflow (@id is not 0, or @value is above
 * NvSciSyncAttrKey_MaxPrimitiveValue).
 */
NvSciError NvSciSyncFenceUpdateFence(NvSciSyncObj syncObj, uint64_t id,
				     uint64_t value, NvSciSyncFence *syncFence);

/**
 * NvSciSyncIpcExportFence() - describe a fence for another process
 * @syncFence: initialised fence
 * @ipcEndpoint: endpoint to which the descriptor goes
 * @desc: out: descriptor, for any number of imports
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL, no
 * such endpoint).
 */
NvSciError NvSciSyncIpcExportFence(const NvSciSyncFence *syncFence,
				   NvSciIpcEndpoint ipcEndpoint,
				   NvSciSyncFenceIpcExportDescriptor *desc);

/**
 * NvSciSyncIpcImportFence() - make a fence of a descriptor
 * @syncObj: imported object to which the fence belongs
 * @desc: descriptor, not trusted
 * @syncFence: in: initialised fence, which is cleared; out: the fence
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (an argument is NULL,
 * not a descriptor of a fence of @syncObj).
 */
NvSciError
NvSciSyncIpcImportFence(NvSciSyncObj syncObj,
			const NvSciSyncFenceIpcExportDescriptor *desc,
			NvSciSyncFence *syncFence);

/**
 * NvSciSyncFenceWait() - wait for a fence on the CPU
 * @syncFence: initialised fence; a cleared one is not waited for
 * @context: context of the wait
 * @timeoutUs: microseconds, up to NvSciSyncFenceMaxTimeout; -1: for ever
 *
 * Return: NvSciError_Success, or NvSciError_BadParameter (a pointer is NULL,
 * @timeoutUs is invalid, the CPU may not wait), NvSciError_Timeout.
 */
NvSciError NvSciSyncFenceWait(const NvSciSyncFence *syncFence,
			      NvSciSyncCpuWaitContext context,
			      int64_t timeoutUs);

/**
 * NvSciSyncFenceWaitWithMode() - wait for a fence on the CPU
 * @syncFence: as NvSciSyncFenceWait()
 * @context: as NvSciSyncFenceWait()
 * @timeoutUs: as NvSciSyncFenceWait()
 * @waitMode: mode, which makes no difference
 *
 * Return: as NvSciSyncFenceWait(); NvSciError_BadParameter also if there is no
 * such mode.
 */
NvSciError NvSciSyncFenceWaitWithMode(const NvSciSyncFence *syncFence,
				      NvSciSyncCpuWaitContext context,
				      int64_t timeoutUs,
				      NvSciSyncWaitMode waitMode);

/*
 * Not supported: each returns NvSciError_NotSupported, and heapsim-run(1)
 * reports it.
 */
NvSciError NvSciSyncFenceAddTimestampSlot(NvSciSyncFence *syncFence,
					  uint32_t timestampSlot);
NvSciError NvSciSyncFenceAddTaskStatusSlot(NvSciSyncFence *syncFence,
					   uint32_t taskStatusSlot);
NvSciError NvSciSyncFenceExtractTimestampSlot(NvSciSyncFence *syncFence,
					      uint32_t *timeStampSlot);
NvSciError NvSciSyncFenceGetTimestamp(const NvSciSyncFence *syncFence,
				      uint64_t *timestampUS);
NvSciError NvSciSyncFenceGetTaskStatus(const NvSciSyncFence *syncFence,
				       NvSciSyncTaskStatus *taskStatus);
NvSciError NvSciSyncObjAttachPeer(NvSciSyncObj syncObj,
				  const NvSciSyncAttrList inputArray[],
				  size_t inputCount);
NvSciError NvSciSyncFillC2cAttrs(NvSciSyncAttrList unrecAttrList,
				 NvSciSyncAccessPerm permissions);

#ifdef __cplusplus
}
#endif

#endif
