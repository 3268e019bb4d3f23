// SPDX-License-Identifier: LGPL-2.1-or-later
/* Runtime: lookup of the driver's calls by name. */
#include "runtime.h"

/* Symbols of older programs, partly without the output of a status */
cudaError_t cudaGetDriverEntryPoint_11040(const char *symbol, void **funcPtr,
					  unsigned long long flags);
cudaError_t
cudaGetDriverEntryPoint_11040_ptsz(const char *symbol, void **funcPtr,
				   unsigned long long flags);
cudaError_t
cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr,
			     unsigned long long flags,
			     enum cudaDriverEntryPointQueryResult *status);
cudaError_t
cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **funcPtr,
				      unsigned int version,
				      unsigned long long flags,
				      enum cudaDriverEntryPointQueryResult *to);

/* Flags and results have the same values in the runtime and the driver. */
static cudaError_t entry_find(const char *symbol, void **funcPtr,
			      unsigned int version, unsigned long long flags,
			      enum cudaDriverEntryPointQueryResult *status)
{
	const unsigned long long known = cudaEnableLegacyStream |
		cudaEnablePerThreadDefaultStream;
	CUdriverProcAddressQueryResult found;
	int rc;

	if (!symbol || !funcPtr || flags & ~known)
		return cudart_return(cudaErrorInvalidValue);
	/* With @status, an unknown name is not an error. */
	rc = cuGetProcAddress_v2(symbol, funcPtr, version, flags,
				 status ? &found : NULL);
	if (!rc && status)
		*status = (enum cudaDriverEntryPointQueryResult)found;
	return cudart_return(rc);
}

API cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr,
				 unsigned int cudaVersion,
				 unsigned long long flags,
				 enum cudaDriverEntryPointQueryResult *status)
{
	return entry_find(symbol, funcPtr, cudaVersion, flags, status);
}

API cudaError_t
cudaGetDriverEntryPointByVersion_ptsz(const char *symbol, void **funcPtr,
				      unsigned int version,
				      unsigned long long flags,
				      enum cudaDriverEntryPointQueryResult *to)
{
	return entry_find(symbol, funcPtr, version,
			  flags ? flags : cudaEnablePerThreadDefaultStream, to);
}

API cudaError_t
cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
			unsigned long long flags,
			enum cudaDriverEntryPointQueryResult *status)
{
	return entry_find(symbol, funcPtr, CUDART_VERSION, flags, status);
}

API cudaError_t
cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr,
			     unsigned long long flags,
			     enum cudaDriverEntryPointQueryResult *status)
{
	return entry_find(symbol, funcPtr, CUDART_VERSION,
			  flags ? flags : cudaEnablePerThreadDefaultStream,
			  status);
}

API cudaError_t cudaGetDriverEntryPoint_11040(const char *symbol,
					      void **funcPtr,
					      unsigned long long flags)
{
	return entry_find(symbol, funcPtr, 11040, flags, NULL);
}

API cudaError_t
cudaGetDriverEntryPoint_11040_ptsz(const char *symbol, void **funcPtr,
				   unsigned long long flags)
{
	return entry_find(symbol, funcPtr, 11040,
			  flags ? flags : cudaEnablePerThreadDefaultStream,
			  NULL);
}
