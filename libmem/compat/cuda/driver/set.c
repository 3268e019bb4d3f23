// SPDX-License-Identifier: LGPL-2.1-or-later
/* Driver: fills, with elements of 1, 2 and 4 bytes. */
#include "driver.h"

static int driver_set(struct core_set what, CUstream stream, bool is_async)
{
	struct CUctx_st *ctx;
	const int rc = driver_ctx(&ctx);

	what.stream = stream;
	what.is_async = is_async;
	return rc ? rc : core_set(&what);
}

static struct core_set set_of_u8(CUdeviceptr dst, unsigned char value,
				 size_t nr)
{
	return (struct core_set){
		.dst = driver_ptr(dst),
		.value = value,
		.value_len = sizeof(value),
		.row_len = nr,
		.nr_rows = 1,
	};
}

static struct core_set set_of_u16(CUdeviceptr dst, unsigned short value,
				  size_t nr)
{
	return (struct core_set){
		.dst = driver_ptr(dst),
		.value = value,
		.value_len = sizeof(value),
		.row_len = nr,
		.nr_rows = 1,
	};
}

static struct core_set set_of_u32(CUdeviceptr dst, unsigned int value,
				  size_t nr)
{
	return (struct core_set){
		.dst = driver_ptr(dst),
		.value = value,
		.value_len = sizeof(value),
		.row_len = nr,
		.nr_rows = 1,
	};
}

static struct core_set set_in_rows(struct core_set what, size_t pitch,
				   size_t nr_rows)
{
	what.pitch = pitch;
	what.nr_rows = nr_rows;
	return what;
}

API CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N)
{
	return driver_set(set_of_u8(dstDevice, uc, N), NULL, false);
}

ALIAS(cuMemsetD8, cuMemsetD8_v2);
PER_THREAD(cuMemsetD8_v2, _ptds);

API CUresult cuMemsetD8_v2_ptds(CUdeviceptr dstDevice, unsigned char uc,
				size_t N)
{
	return driver_set(set_of_u8(dstDevice, uc, N), CU_STREAM_PER_THREAD,
			  false);
}

API CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc,
			     size_t N, CUstream hStream)
{
	return driver_set(set_of_u8(dstDevice, uc, N), hStream, true);
}

PER_THREAD(cuMemsetD8Async, _ptsz);

API CUresult cuMemsetD8Async_ptsz(CUdeviceptr dstDevice, unsigned char uc,
				  size_t N, CUstream hStream)
{
	return driver_set(set_of_u8(dstDevice, uc, N), driver_own(hStream),
			  true);
}

API CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N)
{
	return driver_set(set_of_u16(dstDevice, us, N), NULL, false);
}

ALIAS(cuMemsetD16, cuMemsetD16_v2);
PER_THREAD(cuMemsetD16_v2, _ptds);

API CUresult cuMemsetD16_v2_ptds(CUdeviceptr dstDevice, unsigned short us,
				 size_t N)
{
	return driver_set(set_of_u16(dstDevice, us, N), CU_STREAM_PER_THREAD,
			  false);
}

API CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us,
			      size_t N, CUstream hStream)
{
	return driver_set(set_of_u16(dstDevice, us, N), hStream, true);
}

PER_THREAD(cuMemsetD16Async, _ptsz);

API CUresult cuMemsetD16Async_ptsz(CUdeviceptr dstDevice, unsigned short us,
				   size_t N, CUstream hStream)
{
	return driver_set(set_of_u16(dstDevice, us, N), driver_own(hStream),
			  true);
}

API CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N)
{
	return driver_set(set_of_u32(dstDevice, ui, N), NULL, false);
}

ALIAS(cuMemsetD32, cuMemsetD32_v2);
PER_THREAD(cuMemsetD32_v2, _ptds);

API CUresult cuMemsetD32_v2_ptds(CUdeviceptr dstDevice, unsigned int ui,
				 size_t N)
{
	return driver_set(set_of_u32(dstDevice, ui, N), CU_STREAM_PER_THREAD,
			  false);
}

API CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui,
			      size_t N, CUstream hStream)
{
	return driver_set(set_of_u32(dstDevice, ui, N), hStream, true);
}

PER_THREAD(cuMemsetD32Async, _ptsz);

API CUresult cuMemsetD32Async_ptsz(CUdeviceptr dstDevice, unsigned int ui,
				   size_t N, CUstream hStream)
{
	return driver_set(set_of_u32(dstDevice, ui, N), driver_own(hStream),
			  true);
}

API CUresult cuMemsetD2D8_v2(CUdeviceptr dstDevice, size_t dstPitch,
			     unsigned char uc, size_t Width, size_t Height)
{
	return driver_set(set_in_rows(set_of_u8(dstDevice, uc, Width), dstPitch,
				      Height),
			  NULL, false);
}

ALIAS(cuMemsetD2D8, cuMemsetD2D8_v2);
PER_THREAD(cuMemsetD2D8_v2, _ptds);

API CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch,
				  unsigned char uc, size_t Width,
				  size_t Height)
{
	return driver_set(set_in_rows(set_of_u8(dstDevice, uc, Width), dstPitch,
				      Height),
			  CU_STREAM_PER_THREAD, false);
}

API CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch,
			       unsigned char uc, size_t Width,
			       size_t Height, CUstream hStream)
{
	return driver_set(set_in_rows(set_of_u8(dstDevice, uc, Width), dstPitch,
				      Height),
			  hStream, true);
}

PER_THREAD(cuMemsetD2D8Async, _ptsz);

API CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch,
				    unsigned char uc, size_t Width,
				    size_t Height, CUstream hStream)
{
	return driver_set(set_in_rows(set_of_u8(dstDevice, uc, Width), dstPitch,
				      Height),
			  driver_own(hStream), true);
}

API CUresult cuMemsetD2D16_v2(CUdeviceptr dstDevice, size_t dstPitch,
			      unsigned short us, size_t Width, size_t Height)
{
	return driver_set(set_in_rows(set_of_u16(dstDevice, us, Width),
				      dstPitch, Height),
			  NULL, false);
}

ALIAS(cuMemsetD2D16, cuMemsetD2D16_v2);
PER_THREAD(cuMemsetD2D16_v2, _ptds);

API CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch,
				   unsigned short us, size_t Width,
				   size_t Height)
{
	return driver_set(set_in_rows(set_of_u16(dstDevice, us, Width),
				      dstPitch, Height),
			  CU_STREAM_PER_THREAD, false);
}

API CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch,
				unsigned short us, size_t Width,
				size_t Height, CUstream hStream)
{
	return driver_set(set_in_rows(set_of_u16(dstDevice, us, Width),
				      dstPitch, Height),
			  hStream, true);
}

PER_THREAD(cuMemsetD2D16Async, _ptsz);

API CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch,
				     unsigned short us, size_t Width,
				     size_t Height, CUstream hStream)
{
	return driver_set(set_in_rows(set_of_u16(dstDevice, us, Width),
				      dstPitch, Height),
			  driver_own(hStream), true);
}

API CUresult cuMemsetD2D32_v2(CUdeviceptr dstDevice, size_t dstPitch,
			      unsigned int ui, size_t Width, size_t Height)
{
	return driver_set(set_in_rows(set_of_u32(dstDevice, ui, Width),
				      dstPitch, Height),
			  NULL, false);
}

ALIAS(cuMemsetD2D32, cuMemsetD2D32_v2);
PER_THREAD(cuMemsetD2D32_v2, _ptds);

API CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch,
				   unsigned int ui, size_t Width,
				   size_t Height)
{
	return driver_set(set_in_rows(set_of_u32(dstDevice, ui, Width),
				      dstPitch, Height),
			  CU_STREAM_PER_THREAD, false);
}

API CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch,
				unsigned int ui, size_t Width,
				size_t Height, CUstream hStream)
{
	return driver_set(set_in_rows(set_of_u32(dstDevice, ui, Width),
				      dstPitch, Height),
			  hStream, true);
}

PER_THREAD(cuMemsetD2D32Async, _ptsz);

API CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch,
				     unsigned int ui, size_t Width,
				     size_t Height, CUstream hStream)
{
	return driver_set(set_in_rows(set_of_u32(dstDevice, ui, Width),
				      dstPitch, Height),
			  driver_own(hStream), true);
}
