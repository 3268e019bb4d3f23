// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvSciBuf: conversion of libmem's errors. */
#include <errno.h>

#include "nvsci.h"
#include "../../compat.h"

/*
 * -EPERM only occurs in a child of fork() or in a host function; the vendor has
 * no other error for that.
 */
static const struct {
	int err;
	NvSciError error;
} errors[] = {
	{ 0, NvSciError_Success },
	{ -EINVAL, NvSciError_BadParameter },
	{ -EEXIST, NvSciError_BadParameter },
	{ -EXDEV, NvSciError_BadParameter },
	{ -EBADMSG, NvSciError_BadParameter },
	{ -EPERM, NvSciError_NotPermitted },
	{ -EACCES, NvSciError_AccessDenied },
	{ -EADV, NvSciError_ReconciliationFailed },
	{ -EOPNOTSUPP, NvSciError_NotSupported },
	{ -ENOMEM, NvSciError_InsufficientMemory },
	{ -ETIMEDOUT, NvSciError_Timeout },
	{ -EPIPE, NvSciError_ConnectionReset },
	{ -EMSGSIZE, NvSciError_MessageSize },
};

/**
 * nvsci_error() - convert an error to the vendor's
 * @err: 0 or -errno
 *
 * Return: NvSciError; NvSciError_ResourceError for errors that the vendor does
 * not have (no file descriptor is left, the context has failed).
 */
NvSciError nvsci_error(int err)
{
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].err == err)
			return errors[i].error;
	return NvSciError_ResourceError;
}

/**
 * nvsci_missing() - refuse a call, key or value that is not implemented
 * @what: its name in the vendor's headers
 *
 * heapsim-run(1) lists it in the report.
 *
 * Return: NvSciError_NotSupported.
 */
NvSciError nvsci_missing(const char *what)
{
	libmem_report_missing(what);
	return NvSciError_NotSupported;
}
