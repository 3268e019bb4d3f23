/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cudaCreateChannelDesc<T>(): what an element of type T is; C++ only */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include "cuda_runtime_api.h"

#ifdef __cplusplus

template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
	return cudaCreateChannelDesc(0, 0, 0, 0, cudaChannelFormatKindNone);
}

#define CUDART_CHANNELS(type, n, kind)				\
template <> inline cudaChannelFormatDesc cudaCreateChannelDesc<type>()	\
{									\
	const int bits = 8 * sizeof(type) / (n);			\
									\
	return cudaCreateChannelDesc(bits, (n) > 1 ? bits : 0,		\
				     (n) > 2 ? bits : 0,		\
				     (n) > 3 ? bits : 0,		\
				     cudaChannelFormatKind ## kind);	\
}

CUDART_CHANNELS(char, 1, Signed)
CUDART_CHANNELS(signed char, 1, Signed)
CUDART_CHANNELS(unsigned char, 1, Unsigned)
CUDART_CHANNELS(short, 1, Signed)
CUDART_CHANNELS(unsigned short, 1, Unsigned)
CUDART_CHANNELS(int, 1, Signed)
CUDART_CHANNELS(unsigned int, 1, Unsigned)
CUDART_CHANNELS(float, 1, Float)
CUDART_CHANNELS(char1, 1, Signed)
CUDART_CHANNELS(char2, 2, Signed)
CUDART_CHANNELS(char3, 3, Signed)
CUDART_CHANNELS(char4, 4, Signed)
CUDART_CHANNELS(uchar1, 1, Unsigned)
CUDART_CHANNELS(uchar2, 2, Unsigned)
CUDART_CHANNELS(uchar3, 3, Unsigned)
CUDART_CHANNELS(uchar4, 4, Unsigned)
CUDART_CHANNELS(short1, 1, Signed)
CUDART_CHANNELS(short2, 2, Signed)
CUDART_CHANNELS(short3, 3, Signed)
CUDART_CHANNELS(short4, 4, Signed)
CUDART_CHANNELS(ushort1, 1, Unsigned)
CUDART_CHANNELS(ushort2, 2, Unsigned)
CUDART_CHANNELS(ushort3, 3, Unsigned)
CUDART_CHANNELS(ushort4, 4, Unsigned)
CUDART_CHANNELS(int1, 1, Signed)
CUDART_CHANNELS(int2, 2, Signed)
CUDART_CHANNELS(int3, 3, Signed)
CUDART_CHANNELS(int4, 4, Signed)
CUDART_CHANNELS(uint1, 1, Unsigned)
CUDART_CHANNELS(uint2, 2, Unsigned)
CUDART_CHANNELS(uint3, 3, Unsigned)
CUDART_CHANNELS(uint4, 4, Unsigned)
CUDART_CHANNELS(float1, 1, Float)
CUDART_CHANNELS(float2, 2, Float)
CUDART_CHANNELS(float3, 3, Float)
CUDART_CHANNELS(float4, 4, Float)

#undef CUDART_CHANNELS

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf(void)
{
	return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1(void)
{
	return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2(void)
{
	return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4(void)
{
	return cudaCreateChannelDesc(16, 16, 16, 16,
				     cudaChannelFormatKindFloat);
}

#endif

#endif
