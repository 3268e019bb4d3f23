/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the samples of VPI share: they end at the first call that fails, and
 * report what an image has copied. On a real board, without heapsim's headers,
 * the latter is left out.
 */
#ifndef _VPI_SAMPLE_H
#define _VPI_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <vpi/Image.h>
#include <vpi/Status.h>

#if defined(__has_include)
#if __has_include("heapsim_vpi.h")
#include <heapsim_vpi.h>
#define HAVE_HEAPSIM_VPI
#endif
#endif

#define VPI(call)	vpi_check(call, #call, __FILE__, __LINE__)

static inline void vpi_check(VPIStatus status, const char *call,
			     const char *file, int line)
{
	char why[VPI_MAX_STATUS_MESSAGE_LENGTH];

	if (status == VPI_SUCCESS)
		return;
	vpiGetLastStatusMessage(why, sizeof(why));
	fprintf(stderr, "%s:%d: %s: %s: %s\n", file, line, call,
		vpiStatusGetName(status), why);
	exit(2);
}

/* How often the image was copied inside so far, and why it is at all. */
static inline void print_copies(const char *name, VPIImage image)
{
#ifdef HAVE_HEAPSIM_VPI
	static const char *const whys[] = {
		"none", "engines have no access", "the CPU has no access",
		"an engine needs other rows", "engines may not write",
	};
	struct mem_image_info info;
	struct mem_image *mem;

	memset(&info, 0, sizeof(info));
	info.size = sizeof(info);
	VPI(heapsim_vpi_image(image, &mem));
	if (mem_image_info(mem, &info))
		return;
	printf("  %-16s %2llu copies, %4llu KiB: %s\n", name,
	       (unsigned long long)info.nr_copies,
	       (unsigned long long)info.copied_bytes / 1024,
	       whys[info.copies]);
#else
	(void)name;
	(void)image;
#endif
}

#endif
