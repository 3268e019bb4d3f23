// SPDX-License-Identifier: GPL-2.0-only
/* Cases of copies and sets. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

static const struct {
	const char *name;
	enum cudaMemcpyKind kind;
} kinds[] = {
	{ "H2H", cudaMemcpyHostToHost },
	{ "H2D", cudaMemcpyHostToDevice },
	{ "D2H", cudaMemcpyDeviceToHost },
	{ "D2D", cudaMemcpyDeviceToDevice },
	{ "Default", cudaMemcpyDefault },
};

#define KIND(n)		((enum cudaMemcpyKind)(n))

static void ask_pair(enum side src, enum side dst)
{
	void *from = side_alloc(src), *to = side_alloc(dst);
	const char *of = side_names[src], *as = side_names[dst];

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		RT(cudaMemcpy(to, from, LEN, kinds[i].kind),
		   "memcpy.%s_to_%s.%s", of, as, kinds[i].name);
		RT(cudaMemcpyAsync(to, from, LEN, kinds[i].kind, NULL),
		   "memcpyasync.%s_to_%s.%s", of, as, kinds[i].name);
		RT(cudaMemcpy2D(to, 512, from, 512, 256, 16, kinds[i].kind),
		   "memcpy2d.%s_to_%s.%s", of, as, kinds[i].name);
	}
	cudaDeviceSynchronize();
	side_free(src, from);
	side_free(dst, to);
}

static void ask_pairs(void)
{
	for (int dst = 0; dst < NR_SIDES; dst++) {
		for (int src = 0; src < NR_SIDES; src++)
			ask_pair((enum side)src, (enum side)dst);
	}
}

static void ask_memcpy(void)
{
	char *device = side_alloc(DEVICE), *heap = side_alloc(PAGEABLE);
	char *managed = side_alloc(MANAGED), *pinned = side_alloc(PINNED);

	RT(cudaMemcpy(device, heap, LEN, KIND(5)), "memcpy.kind_5");
	RT(cudaMemcpy(device, heap, LEN, KIND(-1)), "memcpy.kind_neg");
	RT(cudaMemcpy(device, heap, LEN, KIND(99)), "memcpy.kind_99");
	RT(cudaMemcpyAsync(device, heap, LEN, KIND(5), NULL),
	   "memcpyasync.kind_5");
	RT(cudaMemcpy(device, heap, 0, cudaMemcpyHostToDevice),
	   "memcpy.zero");
	RT(cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice),
	   "memcpy.null_zero");
	RT(cudaMemcpy(NULL, heap, LEN, cudaMemcpyHostToDevice),
	   "memcpy.null_dst");
	RT(cudaMemcpy(device, NULL, LEN, cudaMemcpyHostToDevice),
	   "memcpy.null_src");
	RT(cudaMemset(device, 0, 0), "memset.zero");
	RT(cudaMemset(device, 1, LEN), "memset.device");
	RT(cudaMemset(managed, 1, LEN), "memset.managed");
	RT(cudaMemset(pinned, 1, LEN), "memset.pinned");
	RT(cudaMemset(heap, 1, LEN), "memset.pageable");
	RT(cudaMemset(NULL, 1, LEN), "memset.null");
	RT(cudaMemset(device, 1, LEN + 1), "memset.overrun");
	RT(cudaMemsetAsync(device, 1, LEN, NULL), "memsetasync.device");
	RT(cudaMemsetAsync(heap, 1, LEN, NULL), "memsetasync.pageable");
	RT(cudaMemsetAsync(device, 1, LEN + 1, NULL), "memsetasync.overrun");
	RT(cudaMemcpy(device, heap, LEN + 1, cudaMemcpyHostToDevice),
	   "memcpy.overrun");
	RT(cudaMemcpy(heap, device, LEN + 1, cudaMemcpyDeviceToHost),
	   "memcpy.overrun_src");
	RT(cudaMemcpy(device, managed, LEN + 1, cudaMemcpyDefault),
	   "memcpy.overrun_managed");
	RT(cudaDeviceSynchronize(), "memcpy.device_sync");
}

static void ask_memcpy2d(void)
{
	char *device = side_alloc(DEVICE), *heap = side_alloc(PAGEABLE);
	const enum cudaMemcpyKind in = cudaMemcpyHostToDevice;

	RT(cudaMemcpy2D(device, 512, heap, 256, 256, 16, in), "memcpy2d.ok");
	RT(cudaMemcpy2D(device, 512, heap, 256, 0, 16, in),
	   "memcpy2d.width0");
	RT(cudaMemcpy2D(device, 512, heap, 256, 256, 0, in),
	   "memcpy2d.height0");
	RT(cudaMemcpy2D(device, 512, NULL, 256, 256, 16, in),
	   "memcpy2d.null_src");
	RT(cudaMemcpy2D(NULL, 512, heap, 256, 256, 16, in),
	   "memcpy2d.null_dst");
	RT(cudaMemcpy2D(device, 512, heap, 256, 256, 16, KIND(7)),
	   "memcpy2d.bad_kind");
	RT(cudaMemcpy2D(device, 1UL << 40, heap, 1UL << 40, 256, 16, in),
	   "memcpy2d.huge_pitch");
	RT(cudaMemcpy2D(device, 128, heap, 256, 256, 16, in),
	   "memcpy2d.dpitch_small");
	RT(cudaMemcpy2D(device, 512, heap, 128, 256, 16, in),
	   "memcpy2d.spitch_small");
	RT(cudaMemcpy2D(device, 512, heap, 512, 512, 1000, in),
	   "memcpy2d.overrun");
	RT(cudaMemset2D(device, 512, 1, 256, 16), "memset2d.ok");
	RT(cudaMemset2D(device, 128, 1, 256, 16), "memset2d.pitch_small");
	RT(cudaMemset2D(device, 512, 1, 0, 16), "memset2d.width0");
	RT(cudaMemset2D(device, 512, 1, 256, 0), "memset2d.height0");
	RT(cudaMemset2D(heap, 512, 1, 256, 16), "memset2d.pageable");
	RT(cudaMemset2D(NULL, 512, 1, 256, 16), "memset2d.null");
	RT(cudaMemset2D(device, 512, 1, 512, 1000), "memset2d.overrun");
}

static void ask_3d(void)
{
	struct cudaMemcpy3DParms copy;
	struct cudaPitchedPtr got = { 0 };
	cudaError_t err;
	char *heap = side_alloc(PAGEABLE);

	if (ask("malloc3d.pitch64")) {
		struct cudaExtent extent = { 64, 4, 2 };

		err = cudaMalloc3D(&got, extent);
		if (err)
			answer("%s", cudaGetErrorName(err));
		else
			answer("%zu xsize=%zu ysize=%zu", got.pitch, got.xsize,
			       got.ysize);
	}
	memset(&copy, 0, sizeof(copy));
	copy.srcPtr.ptr = heap;
	copy.srcPtr.pitch = 64;
	copy.srcPtr.xsize = 64;
	copy.srcPtr.ysize = 4;
	copy.dstPtr = got;
	copy.kind = cudaMemcpyHostToDevice;
	RT(cudaMemcpy3D(&copy), "memcpy3d.empty");
	copy.extent.width = 64;
	copy.extent.height = 4;
	copy.extent.depth = 2;
	RT(cudaMemcpy3D(&copy), "memcpy3d.ok");
	copy.kind = cudaMemcpyDefault;
	copy.dstPos.z = 1000000;
	RT(cudaMemcpy3D(&copy), "memcpy3d.far_beyond");
	copy.dstPos.z = 0;
	copy.kind = cudaMemcpyHostToDevice;
	copy.srcPtr.pitch = 32;
	RT(cudaMemcpy3D(&copy), "memcpy3d.wider_than_pitch");
	copy.srcPtr.pitch = 64;
	copy.kind = KIND(7);
	RT(cudaMemcpy3D(&copy), "memcpy3d.bad_kind");
	RT(cudaMemcpy3D(NULL), "memcpy3d.null");
	cudaFree(got.ptr);
}

const struct group copy_groups[] = {
	{ "pairs", ask_pairs },
	{ "memcpy", ask_memcpy },
	{ "memcpy2d", ask_memcpy2d },
	{ "memcpy3d", ask_3d },
	{ 0 },
};
