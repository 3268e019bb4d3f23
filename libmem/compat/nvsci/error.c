// SPDX-License-Identifier: LGPL-2.1-or-later
/* NvSciBuf: libmem's errors in the vendor's numbers. */
#include <errno.h>

#include "nvsci.h"
#include "../../compat.h"

/*
 * -EPERM is a child of fork() or a host function, which is nothing that a
 * program of the vendor's can do wrong otherwise.
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
 * nvsci_error() - the vendor's number of an error
 * @err: 0 or -errno
 *
 * Return: that; what has no number of its own (no file descriptor is left, the
 * context has failed) is NvSciError_ResourceError.
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
 * @what: its name, as the program has it
 *
 * The report of heapsim-run(1) lists it.
 *
 * Return: NvSciError_NotSupported.
 */
NvSciError nvsci_missing(const char *what)
{
	libmem_tell_missing(what);
	return NvSciError_NotSupported;
}
