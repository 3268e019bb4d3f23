// SPDX-License-Identifier: LGPL-2.1-or-later
/* Creates libmem's part of an object for the backends that support it. */
#include <errno.h>

#include "vpi.h"

/**
 * vpi_make() - create libmem's part for all backends, or those that support it
 * @maker: functions that create it
 * @request: argument for @maker
 * @flags: in: backends, and VPI_REQUIRE_BACKENDS: all must support it; out:
 *	without backends that do not support it
 * @made: out: libmem's part
 *
 * Return: VPI_SUCCESS, VPI_ERROR_INVALID_OPERATION (no backend supports it, or
 * not all that are required do), or an error of vpi_errno().
 */
VPIStatus vpi_make(const struct vpi_maker *maker, const void *request,
		   uint64_t *flags, void **made)
{
	uint64_t backends = *flags & VPI_BACKEND_MASK;
	uint64_t able = 0;
	uint64_t one;
	char text[48];
	int rc;

	rc = maker->make(request, vpi_uses(backends), made);
	if (rc != -EOPNOTSUPP)
		return vpi_rc(rc, maker->name);
	for (one = 1; one < VPI_BACKEND_INVALID; one <<= 1) {
		if (!(backends & one) ||
		    maker->make(request, vpi_uses(one), made))
			continue;
		maker->drop(*made);
		able |= one;
	}
	if (!able || *flags & VPI_REQUIRE_BACKENDS)
		return vpi_fail(VPI_ERROR_INVALID_OPERATION,
				"backends of %s cannot have such an %s: %s",
				vpi_board(), maker->name,
				vpi_backends_name(backends & ~able, text,
						  sizeof(text)));
	*flags &= ~(backends & ~able);
	return vpi_rc(maker->make(request, vpi_uses(able), made), maker->name);
}
