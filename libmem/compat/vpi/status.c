// SPDX-License-Identifier: LGPL-2.1-or-later
/* The status of a thread's last call, with a message. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "../../compat.h"
#include "vpi.h"

/* What libmem_report_missing() keeps */
#define RECORD_LEN	63

/**
 * struct last - status of a thread's last call
 * @call: name of the call
 * @status: status
 * @message: sentence; empty on success
 */
struct last {
	const char *call;
	VPIStatus status;
	char message[VPI_MAX_STATUS_MESSAGE_LENGTH];
};

static __thread struct last last;

static const char *const names[] = {
	[VPI_SUCCESS] = "VPI_SUCCESS",
	[VPI_ERROR_NOT_IMPLEMENTED] = "VPI_ERROR_NOT_IMPLEMENTED",
	[VPI_ERROR_INVALID_ARGUMENT] = "VPI_ERROR_INVALID_ARGUMENT",
	[VPI_ERROR_INVALID_IMAGE_FORMAT] = "VPI_ERROR_INVALID_IMAGE_FORMAT",
	[VPI_ERROR_INVALID_ARRAY_TYPE] = "VPI_ERROR_INVALID_ARRAY_TYPE",
	[VPI_ERROR_INVALID_PAYLOAD_TYPE] = "VPI_ERROR_INVALID_PAYLOAD_TYPE",
	[VPI_ERROR_INVALID_OPERATION] = "VPI_ERROR_INVALID_OPERATION",
	[VPI_ERROR_INVALID_CONTEXT] = "VPI_ERROR_INVALID_CONTEXT",
	[VPI_ERROR_DEVICE] = "VPI_ERROR_DEVICE",
	[VPI_ERROR_NOT_READY] = "VPI_ERROR_NOT_READY",
	[VPI_ERROR_BUFFER_LOCKED] = "VPI_ERROR_BUFFER_LOCKED",
	[VPI_ERROR_OUT_OF_MEMORY] = "VPI_ERROR_OUT_OF_MEMORY",
	[VPI_ERROR_INTERNAL] = "VPI_ERROR_INTERNAL",
};

/**
 * struct reason - conversion of an error of libmem
 * @rc: -errno
 * @status: VPI's status
 * @text: end of the message
 */
struct reason {
	int rc;
	VPIStatus status;
	const char *text;
};

static const struct reason reasons[] = {
	{ -EINVAL, VPI_ERROR_INVALID_ARGUMENT, "an argument is out of range" },
	{ -ENOMEM, VPI_ERROR_OUT_OF_MEMORY, "no memory is left" },
	{ -EMFILE, VPI_ERROR_OUT_OF_MEMORY, "no file descriptor is left" },
	{ -ENFILE, VPI_ERROR_OUT_OF_MEMORY, "no file descriptor is left" },
	{ -EBUSY, VPI_ERROR_BUFFER_LOCKED,
	  "it is locked: unlock it before others use it" },
	{ -ENOLCK, VPI_ERROR_INVALID_OPERATION, "it is not locked" },
	{ -EACCES, VPI_ERROR_INVALID_OPERATION,
	  "it was made without the backend that would use it" },
	{ -EOPNOTSUPP, VPI_ERROR_NOT_IMPLEMENTED,
	  "heapsim or the board lacks it" },
	{ -EPERM, VPI_ERROR_INVALID_OPERATION,
	  "neither a host function nor a child of the process may call it" },
	{ -EXDEV, VPI_ERROR_INVALID_ARGUMENT, "it is of another context" },
	{ -EBADF, VPI_ERROR_INVALID_ARGUMENT,
	  "the file descriptor is not open" },
	{ -EFAULT, VPI_ERROR_DEVICE,
	  "wrapped memory is gone, or a kernel touched an illegal address" },
	{ -ETIME, VPI_ERROR_DEVICE, "a kernel ran for too long" },
	{ -ECANCELED, VPI_ERROR_DEVICE, "a kernel has called abort()" },
	{ -EIO, VPI_ERROR_DEVICE, "a kernel has ended its engine" },
	{ -EOWNERDEAD, VPI_ERROR_DEVICE,
	  "an engine was killed, and its work is lost" },
	{ -EDEADLK, VPI_ERROR_DEVICE, "some of the work was dropped" },
};

/**
 * vpi_enter() - begin a public call
 * @call: name of the call, static string
 */
void vpi_enter(const char *call)
{
	last.call = call;
	last.status = VPI_SUCCESS;
	last.message[0] = '\0';
}

/**
 * vpi_fail() - set the status and message of a failed call
 * @status: status
 * @format: message, as for printf()
 *
 * Return: @status.
 */
VPIStatus vpi_fail(VPIStatus status, const char *format, ...)
{
	va_list args;
	int len;

	len = snprintf(last.message, sizeof(last.message), "%s(): ",
		       last.call ? last.call : "vpi");
	if (len < 0 || (size_t)len >= sizeof(last.message))
		len = 0;
	va_start(args, format);
	vsnprintf(last.message + len, sizeof(last.message) - len, format, args);
	va_end(args);
	last.status = status;
	return status;
}

/**
 * vpi_null() - fail because an argument is NULL
 * @argument: name of the argument
 *
 * Return: VPI_ERROR_INVALID_ARGUMENT.
 */
VPIStatus vpi_null(const char *argument)
{
	return vpi_fail(VPI_ERROR_INVALID_ARGUMENT, "%s is NULL", argument);
}

/**
 * vpi_errno() - fail because a call of libmem has failed
 * @rc: -errno
 * @what: beginning of the message: "the image"
 *
 * Return: VPI's status.
 */
VPIStatus vpi_errno(int rc, const char *what)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].rc == rc)
			return vpi_fail(reasons[i].status, "%s: %s", what,
					reasons[i].text);
	return vpi_fail(VPI_ERROR_INTERNAL, "%s: %s", what, strerror(-rc));
}

/**
 * vpi_rc() - convert the result of a call of libmem
 * @rc: 0 or -errno
 * @what: as for vpi_errno()
 *
 * Return: VPI_SUCCESS, or an error of vpi_errno().
 */
VPIStatus vpi_rc(int rc, const char *what)
{
	return rc < 0 ? vpi_errno(rc, what) : VPI_SUCCESS;
}

/**
 * vpi_missing() - fail because a call is not implemented
 * @call: name of the call, static string
 *
 * Return: VPI_ERROR_NOT_IMPLEMENTED.
 */
VPIStatus vpi_missing(const char *call)
{
	vpi_enter(call);
	libmem_report_missing(call);
	return vpi_fail(VPI_ERROR_NOT_IMPLEMENTED,
			"heapsim has no such call: Documentation/vpi.rst");
}

/**
 * vpi_lacks() - a value that heapsim lacks
 * @status: status
 * @what: its name, as the program has it
 *
 * The report of heapsim-run(1) lists it, with the call.
 *
 * Return: @status.
 */
VPIStatus vpi_lacks(VPIStatus status, const char *what)
{
	char text[RECORD_LEN];

	snprintf(text, sizeof(text), "%s: %s", last.call, what);
	libmem_report_missing(text);
	return vpi_fail(status, "heapsim has no %s: Documentation/vpi.rst",
			what);
}

VPI_PUBLIC const char *vpiStatusGetName(VPIStatus code)
{
	if ((size_t)code < sizeof(names) / sizeof(*names))
		return names[code];
	return "VPI_ERROR_UNKNOWN";
}

VPI_PUBLIC VPIStatus vpiPeekAtLastStatus(void)
{
	return last.status;
}

VPI_PUBLIC VPIStatus vpiPeekAtLastStatusMessage(char *msgBuffer,
						int32_t lenBuffer)
{
	if (msgBuffer && lenBuffer > 0)
		snprintf(msgBuffer, lenBuffer, "%s", last.message);
	return last.status;
}

VPI_PUBLIC VPIStatus vpiGetLastStatus(void)
{
	VPIStatus status = last.status;

	vpi_enter(last.call);
	return status;
}

VPI_PUBLIC VPIStatus vpiGetLastStatusMessage(char *msgBuffer,
					     int32_t lenBuffer)
{
	vpiPeekAtLastStatusMessage(msgBuffer, lenBuffer);
	return vpiGetLastStatus();
}
