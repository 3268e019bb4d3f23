// SPDX-License-Identifier: GPL-2.0-only
/* What the guide's sum over a block is asked. */
static int host(void)
{
	int *from, *to, wrong = 0;

	cudaMallocManaged(&from, 1024 * sizeof(*from));
	cudaMallocManaged(&to, 4 * sizeof(*to));
	for (int i = 0; i < 1024; i++)
		from[i] = i;
	sum<<<4, 256>>>(from, to);
	if (cudaDeviceSynchronize())
		return 2;
	for (int i = 0; i < 4; i++)
		wrong += to[i] != 256 * 256 * i + 255 * 256 / 2;
	return wrong;
}

int main()
{
	return host();
}
