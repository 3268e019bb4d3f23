/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NvMedia's images of NvSciBuf objects: libmem-nvmedia. Names are the
 * vendor's, as of DRIVE OS 5.
 */
#ifndef NVMEDIA_IMAGE_NVSCIBUF_H
#define NVMEDIA_IMAGE_NVSCIBUF_H

#include "nvmedia_core.h"
#include "nvmedia_image.h"
#include "nvmedia_surface.h"
#include "nvscibuf.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * NvMediaImageNvSciBufInit() - begin to use the calls below
 *
 * May be called again, each time with its NvMediaImageNvSciBufDeinit().
 *
 * Return: NVMEDIA_STATUS_OK.
 */
NvMediaStatus NvMediaImageNvSciBufInit(void);

/** NvMediaImageNvSciBufDeinit() - end it */
void NvMediaImageNvSciBufDeinit(void);

/**
 * NvMediaImageFillNvSciBufAttrs() - set what an image needs of its object
 * @device: device
 * @type: surface type
 * @attrs: of the memory; NVM_SURF_ATTR_WIDTH and _HEIGHT are mandatory
 * @numAttrs: of those, below NVM_SURF_ALLOC_ATTR_MAX + 1
 * @flags: 0
 * @attr_h: unreconciled list, in which the types, CPU access and cache, and
 *	keys of images are set; NvSciBufGeneralAttrKey_RequiredPerm is left to
 *	the program. The engine that works on images is in it afterwards, too
 *
 * Return: NVMEDIA_STATUS_OK, or NVMEDIA_STATUS_NOT_INITIALIZED,
 * NVMEDIA_STATUS_BAD_PARAMETER (a pointer is NULL, no such type, an attribute
 * that is none, is missing or twice, @flags, a key that is set already),
 * NVMEDIA_STATUS_NOT_SUPPORTED (secured memory), NVMEDIA_STATUS_OUT_OF_MEMORY,
 * NVMEDIA_STATUS_ERROR.
 */
NvMediaStatus
NvMediaImageFillNvSciBufAttrs(const NvMediaDevice *device,
			      NvMediaSurfaceType type,
			      const NvMediaSurfAllocAttr *attrs,
			      uint32_t numAttrs, uint64_t flags,
			      NvSciBufAttrList attr_h);

/**
 * NvMediaImageCreateFromNvSciBuf() - make an image of an object
 * @device: device
 * @nvscibufObject: object whose lists NvMediaImageFillNvSciBufAttrs() has
 *	filled in; the image keeps it
 * @nvmImage: out: the image: NvMediaImageDestroy()
 *
 * Return: NVMEDIA_STATUS_OK, or NVMEDIA_STATUS_NOT_INITIALIZED,
 * NVMEDIA_STATUS_BAD_PARAMETER (a pointer is NULL, another object),
 * NVMEDIA_STATUS_OUT_OF_MEMORY, NVMEDIA_STATUS_ERROR.
 */
NvMediaStatus NvMediaImageCreateFromNvSciBuf(NvMediaDevice *device,
					     NvSciBufObj nvscibufObject,
					     NvMediaImage **nvmImage);

#ifdef __cplusplus
}
#endif

#endif
