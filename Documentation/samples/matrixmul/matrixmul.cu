// SPDX-License-Identifier: GPL-2.0-only
/*
 * A product of matrices in managed memory, with and without hints: chapter 3.3
 * of NVIDIA's "CUDA for Tegra" application note. See README.rst.
 *
 * matrixmul [wrong]
 */
#include "sample.h"

#define HP	96
#define WP	160
#define HQ	WP
#define WQ	128

#define TILE	16

__global__ void matrix_mul(const int *p, const int *q, int *r, int hp, int hq,
			   int wp, int wq)
{
	__shared__ int of_p[TILE][TILE];
	__shared__ int of_q[TILE][TILE];
	int x = blockIdx.x * TILE + threadIdx.x;
	int y = blockIdx.y * TILE + threadIdx.y;
	int sum = 0;

	for (int tile = 0; tile < wp; tile += TILE) {
		int i = tile + threadIdx.x;
		int j = tile + threadIdx.y;

		of_p[threadIdx.y][threadIdx.x] =
			y < hp && i < wp ? p[y * wp + i] : 0;
		of_q[threadIdx.y][threadIdx.x] =
			j < hq && x < wq ? q[j * wq + x] : 0;
		/* All of the tile is there before anybody uses it ... */
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += of_p[threadIdx.y][k] * of_q[k][threadIdx.x];
		/* ... and used before anybody brings the next. */
		__syncthreads();
	}
	if (y < hp && x < wq)
		r[y * wq + x] = sum;
}

static void rand_fill(int *to, int nr)
{
	static unsigned int seed = 1;

	for (int i = 0; i < nr; i++) {
		seed = seed * 1103515245 + 12345;
		to[i] = (int)(seed >> 16) % 100 - 50;
	}
}

/* What the CPU alone makes of it. */
static OWN_FRAME int is_right(const int *p, const int *q, const int *r)
{
	for (int y = 0; y < HP; y++) {
		for (int x = 0; x < WQ; x++) {
			int sum = 0;

			for (int k = 0; k < WP; k++)
				sum += p[y * WP + k] * q[k * WQ + x];
			if (r[y * WQ + x] != sum)	/* found here */
				return 0;
		}
	}
	return 1;
}

static int product(bool has_hints, bool is_wrong)
{
	unsigned int inputs = has_hints ? cudaMemAttachHost :
					  cudaMemAttachGlobal;
	const dim3 threads(TILE, TILE);
	const dim3 blocks((WQ + TILE - 1) / TILE, (HP + TILE - 1) / TILE);
	int *p, *q, *r, *log, err;
	const size_t size_p = HP * WP * sizeof(int);
	const size_t size_q = HQ * WQ * sizeof(int);
	const size_t size_r = HP * WQ * sizeof(int);
	double begin, end;

	CHECK(cudaMallocManaged(&p, size_p, inputs));
	CHECK(cudaMallocManaged(&q, size_q, inputs));
	CHECK(cudaMallocManaged(&r, size_r));
	/* No kernel knows of it; only its attachment tells the driver so. */
	CHECK(cudaMallocManaged(&log, 1 << 20, inputs));
	set_name(r, "r");
	rand_fill(p, HP * WP);
	rand_fill(q, HQ * WQ);
	memset(log, 0, 1 << 20);

	begin = now_ms();
	if (has_hints) {
		CHECK(cudaStreamAttachMemAsync(NULL, p, 0,
					       cudaMemAttachGlobal));
		CHECK(cudaStreamAttachMemAsync(NULL, q, 0,
					       cudaMemAttachGlobal));
	}
	matrix_mul<<<blocks, threads>>>(p, q, r, HP, HQ, WP, WQ);
	CHECK_LAUNCH();
	if (has_hints)
		CHECK(cudaStreamAttachMemAsync(NULL, r, 0, cudaMemAttachHost));
	if (!is_wrong)
		CHECK(cudaStreamSynchronize(NULL));
	end = now_ms();
	err = !is_right(p, q, r);

	CHECK(cudaStreamSynchronize(NULL));
	costs_begin(has_hints ? "with hints" : "without hints");
	cost("p", p);
	cost("q", q);
	cost("r", r);
	cost("log", log);
	printf("  kernel %.1f ms, the product is %s\n", end - begin,
	       err ? "WRONG" : "right");
	CHECK(cudaFree(p));
	CHECK(cudaFree(q));
	CHECK(cudaFree(r));
	CHECK(cudaFree(log));
	return err;
}

int main(int argc, char **argv)
{
	bool is_wrong = is_asked(argc, argv, "wrong");
	int err;

	print_device(use_integrated_gpu());
	err = product(false, is_wrong);
	if (!is_wrong)
		err |= product(true, false);
	return err;
}
