// SPDX-License-Identifier: GPL-2.0-only
/*
 * "CUDA for Tegra", 3.2, 3.5 and 3.6: the calls that the note names and has no
 * program for, each with the answer that it says the board gives. The board is
 * asked for its capability: what hangs on it hangs on nothing else.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static int nr_failed;

static void expect(const char *what, cudaError_t answer, cudaError_t wanted)
{
	printf("%s: %s\n", what, cudaGetErrorName(answer));
	if (answer != wanted) {
		printf("  should be %s\n", cudaGetErrorName(wanted));
		nr_failed++;
	}
	cudaGetLastError();
}

int main()
{
	void *page = aligned_alloc(4096, 4096), *device;
	struct cudaDeviceProp prop;
	int concurrent, *managed;
	bool is_io_coherent;
	unsigned int flags;

	/* Before the device is used, as the note's chapter 3.5 has it. */
	expect("spin", cudaSetDeviceFlags(cudaDeviceScheduleSpin),
	       cudaSuccess);
	expect("block", cudaSetDeviceFlags(cudaDeviceBlockingSync),
	       cudaSuccess);
	expect("flags", cudaGetDeviceFlags(&flags), cudaSuccess);
	if (!(flags & cudaDeviceBlockingSync)) {
		printf("flags are %#x\n", flags);
		nr_failed++;
	}

	cudaGetDeviceProperties(&prop, 0);
	cudaDeviceGetAttribute(&concurrent,
			       cudaDevAttrConcurrentManagedAccess, 0);
	is_io_coherent = prop.major * 10 + prop.minor >= 72;
	expect("host register", cudaHostRegister(page, 4096, 0),
	       is_io_coherent ? cudaSuccess : cudaErrorNotSupported);
	if (is_io_coherent) {
		expect("its device pointer",
		       cudaHostGetDevicePointer(&device, page, 0), cudaSuccess);
		expect("unregister", cudaHostUnregister(page), cudaSuccess);
	}
	expect("pinned instead", cudaHostAlloc(&device, 4096,
					       cudaHostAllocMapped),
	       cudaSuccess);
	expect("free", cudaFreeHost(device), cudaSuccess);
	if (prop.hostRegisterSupported != is_io_coherent) {
		printf("hostRegisterSupported: %d\n",
		       prop.hostRegisterSupported);
		nr_failed++;
	}
	if (!prop.integrated) {
		/* The discrete GPU of a Tegra. */
		expect("managed", cudaMallocManaged(&managed, 4096),
		       cudaErrorNotSupported);
	} else {
		expect("managed", cudaMallocManaged(&managed, 4096),
		       cudaSuccess);
		expect("free", cudaFree(managed), cudaSuccess);
	}
	printf("concurrent access: %d\n", concurrent);
	free(page);
	return nr_failed != 0;
}
