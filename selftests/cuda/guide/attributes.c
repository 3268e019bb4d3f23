// SPDX-License-Identifier: GPL-2.0-only
/* Lines of the guide's table of attributes: NAME VALUE, "0, 1" of two GPUs. */
#include <cuda_runtime_api.h>
#include <stdio.h>

static const struct {
	const char *name;
	enum cudaDeviceAttr attr;
} attributes[] = {
#define ATTRIBUTE(name)	{ #name, name }
	ATTRIBUTE(cudaDevAttrIntegrated),
	ATTRIBUTE(cudaDevAttrManagedMemory),
	ATTRIBUTE(cudaDevAttrHostRegisterSupported),
	ATTRIBUTE(cudaDevAttrConcurrentManagedAccess),
	ATTRIBUTE(cudaDevAttrPageableMemoryAccess),
	ATTRIBUTE(cudaDevAttrHostNativeAtomicSupported),
};

static int value(enum cudaDeviceAttr attr, int device)
{
	int answer = -1;

	cudaDeviceGetAttribute(&answer, attr, device);
	return answer;
}

int main(void)
{
	size_t i;
	int nr;

	if (cudaGetDeviceCount(&nr))
		return 1;
	printf("cudaDevAttrComputeCapability %d.%d\n",
	       value(cudaDevAttrComputeCapabilityMajor, nr - 1),
	       value(cudaDevAttrComputeCapabilityMinor, nr - 1));
	for (i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
		printf("%s %d", attributes[i].name,
		       value(attributes[i].attr, 0));
		if (nr > 1)
			printf(", %d", value(attributes[i].attr, 1));
		putchar('\n');
	}
	return 0;
}
