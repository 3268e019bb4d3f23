/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NvMedia's images: libmem-nvmedia. Names and layout are the vendor's, as of
 * DRIVE OS 5. Images are made of NvSciBuf objects alone:
 * nvmedia_image_nvscibuf.h.
 */
#ifndef NVMEDIA_IMAGE_H
#define NVMEDIA_IMAGE_H

#include <stdint.h>

#include "nvmedia_core.h"
#include "nvmedia_surface.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct NvMediaImageRec - an image
 * @type: surface type
 * @width: pixels
 * @height: rows
 * @imageCount: 1
 * @embeddedDataTopSize: bytes of lines above the image
 * @embeddedDataBottomSize: bytes of lines below the image
 * @attributes: 0
 * @tag: the program's
 * @captureTimeStamp: the program's
 * @captureGlobalTimeStamp: the program's
 * @colorStd: NVM_SURF_ATTR_COLOR_STD_*; 0: none
 */
typedef struct NvMediaImageRec {
	NvMediaSurfaceType type;
	uint32_t width;
	uint32_t height;
	uint32_t imageCount;
	uint32_t embeddedDataTopSize;
	uint32_t embeddedDataBottomSize;
	uint32_t attributes;
	void *tag;
	NvMediaTime captureTimeStamp;
	NvMediaGlobalTime captureGlobalTimeStamp;
	uint32_t colorStd;
} NvMediaImage;

/**
 * NvMediaImageDestroy() - give an image back
 * @image: image, or NULL, which does nothing
 */
void NvMediaImageDestroy(NvMediaImage *image);

#ifdef __cplusplus
}
#endif

#endif
