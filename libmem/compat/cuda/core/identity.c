// SPDX-License-Identifier: LGPL-2.1-or-later
/* Identity of a device: its address on PCI and its UUID. */
#include <stdio.h>
#include <string.h>

#include "core.h"

/* Length of "0000:01:00.0" and the terminating 0 */
#define PCI_ID_LEN	13

/**
 * core_pci_id() - return the address of a device on PCI
 * @device: device
 * @id: out: domain, bus, device and function, terminated
 * @len: size of @id, bytes
 *
 * Return: CUDA_SUCCESS or CUDA_ERROR_INVALID_VALUE (@len is below 13).
 */
CORE_API int core_pci_id(const struct core_device *device, char *id, int len)
{
	int bus = 0, domain = 0, slot = 0;

	if (len < PCI_ID_LEN)
		return CUDA_ERROR_INVALID_VALUE;
	core_attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, &domain);
	core_attribute(device, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, &bus);
	core_attribute(device, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, &slot);
	snprintf(id, len, "%04x:%02x:%02x.0", domain & 0xffff, bus & 0xff,
		 slot & 0xff);
	return CUDA_SUCCESS;
}

/* Parses as CUDA does: the domain, the function or both may be omitted. */
static bool identity_parse(const char *id, unsigned int at[4])
{
	int end = 0;

	memset(at, 0, 4 * sizeof(*at));
	if (sscanf(id, "%x:%x:%x.%x%n", &at[0], &at[1], &at[2], &at[3],
		   &end) == 4 && !id[end])
		return true;
	at[3] = 0;
	if (sscanf(id, "%x:%x:%x%n", &at[0], &at[1], &at[2], &end) == 3 &&
	    !id[end])
		return true;
	at[0] = 0;
	return sscanf(id, "%x:%x.%x%n", &at[1], &at[2], &at[3], &end) == 3 &&
		!id[end];
}

/**
 * core_device_at() - find a device by its address on PCI
 * @id: [domain:]bus:device[.function], in hexadecimal digits
 * @ordinal: out: number of the device
 *
 * Return: CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE (@id is malformed),
 * CUDA_ERROR_INVALID_DEVICE (no GPU has this address).
 */
CORE_API int core_device_at(const char *id, int *ordinal)
{
	unsigned int at[4];
	char wanted[32], own[PCI_ID_LEN];
	int i;

	if (!identity_parse(id, at))
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(wanted, sizeof(wanted), "%04x:%02x:%02x.%x", at[0], at[1],
		 at[2], at[3]);
	for (i = 0; i < core_nr_devices(); i++)
		if (!core_pci_id(core_device(i), own, sizeof(own)) &&
		    !strcmp(own, wanted)) {
			*ordinal = i;
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_INVALID_DEVICE;
}

/**
 * core_uuid() - return the UUID of a device
 * @device: device
 * @uuid: out: 16 bytes
 *
 * Return: CUDA_SUCCESS, or an error of core_error().
 */
CORE_API int core_uuid(const struct core_device *device, unsigned char *uuid)
{
	return core_error(mem_ctx_gpu_id(core_primary(device->ordinal)->mem,
					 device->engine, uuid));
}
