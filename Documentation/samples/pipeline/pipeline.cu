// SPDX-License-Identifier: GPL-2.0-only
/*
 * An image pipeline, before and after it was taken over from a discrete GPU:
 * chapter 3.2 of NVIDIA's "CUDA for Tegra" application note, with a real
 * photograph. See README.rst.
 *
 * pipeline [wrong] [PHOTO.jpg [OUT.png]]
 */
#include "sample.h"
#include "picture.h"

#define PHOTO	"/usr/share/xplanet/images/earth.jpg"

static const char *photo = PHOTO;
static const char *drawing = "drawing.png";

/* What each kernel does to a pixel; the CPU does the same to check it. */

__host__ __device__ static int pixel(const int *from, int width, int height,
				     int x, int y)
{
	x = x < 0 ? 0 : x >= width ? width - 1 : x;
	y = y < 0 ? 0 : y >= height ? height - 1 : y;
	return from[y * width + x];
}

/* Mean of the pixel and its neighbours. */
__host__ __device__ static int blurred(const int *from, int width, int height,
				       int x, int y)
{
	int red = 0, green = 0, blue = 0;

	for (int j = -1; j <= 1; j++) {
		for (int i = -1; i <= 1; i++) {
			int one = pixel(from, width, height, x + i, y + j);

			red += one >> 16 & 0xff;
			green += one >> 8 & 0xff;
			blue += one & 0xff;
		}
	}
	return red / 9 << 16 | green / 9 << 8 | blue / 9;
}

__host__ __device__ static int light(const int *from, int width, int height,
				     int x, int y)
{
	int one = pixel(from, width, height, x, y);

	return ((one >> 16 & 0xff) * 3 + (one >> 8 & 0xff) * 6 +
		(one & 0xff)) / 10;
}

/* How much it differs from its neighbours: Sobel's operator. */
__host__ __device__ static int edge(const int *from, int width, int height,
				    int x, int y)
{
	int dx = 0, dy = 0;

	for (int i = -1; i <= 1; i++) {
		int weight = i ? 1 : 2;

		dx += weight * (light(from, width, height, x + 1, y + i) -
				light(from, width, height, x - 1, y + i));
		dy += weight * (light(from, width, height, x + i, y + 1) -
				light(from, width, height, x + i, y - 1));
	}
	return (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
}

/* Dark on paper. */
__host__ __device__ static int pencil(int strength)
{
	int grey = strength > 127 ? 0 : 255 - 2 * strength;

	return grey << 16 | grey << 8 | (grey * 15 / 16);
}

__global__ void k1(const int *from, int *to, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < width && y < height)
		to[y * width + x] = blurred(from, width, height, x, y);
}

__global__ void k2(const int *from, int *to, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < width && y < height)
		to[y * width + x] = edge(from, width, height, x, y);
}

__global__ void k3(const int *from, int *to, int width, int height)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < width && y < height)
		to[y * width + x] = pencil(from[y * width + x]);
}

static struct picture picture;
static int width, height;
static size_t size_of_image;
static int *expected;

static void reference(void)
{
	int *a = (int *)malloc(size_of_image);
	int *b = (int *)malloc(size_of_image);
	int x, y;

	expected = (int *)malloc(size_of_image);
	if (!a || !b || !expected)
		exit(2);
	picture_read(&picture, a);
	for (y = 0; y < height; y++)
		for (x = 0; x < width; x++)
			b[y * width + x] = blurred(a, width, height, x, y);
	for (y = 0; y < height; y++)
		for (x = 0; x < width; x++)
			expected[y * width + x] =
				pencil(edge(b, width, height, x, y));
	free(a);
	free(b);
}

static void read_image(int *pixels)
{
	struct picture again;

	picture_open(&again, photo);
	picture_read(&again, pixels);
}

/* Every pixel is looked at: what an early or stale one is, shows. */
static OWN_FRAME int use_image(const int *pixels)
{
	int wrong = 0;

	for (int i = 0; i < width * height; i++)
		wrong += pixels[i] != expected[i];	/* found here */
	printf("  %d pixels are wrong\n", wrong);
	return wrong != 0;
}

static dim3 threads(16, 16);
static dim3 blocks;

/* As it was written for a discrete GPU: two memories, copies between them. */
static int pinned_pipeline(void)
{
	int *h_a, *h_d, *d_a, *d_b, *d_c, *d_d;
	double begin, read, ran, end;
	int err;

	CHECK(cudaMallocHost(&h_a, size_of_image));
	CHECK(cudaMallocHost(&h_d, size_of_image));
	CHECK(cudaMalloc(&d_a, size_of_image));
	CHECK(cudaMalloc(&d_b, size_of_image));
	CHECK(cudaMalloc(&d_c, size_of_image));
	CHECK(cudaMalloc(&d_d, size_of_image));

	begin = now_ms();
	read_image(h_a);
	read = now_ms();
	CHECK(cudaMemcpy(d_a, h_a, size_of_image, cudaMemcpyHostToDevice));
	k1<<<blocks, threads>>>(d_a, d_b, width, height);
	k2<<<blocks, threads>>>(d_b, d_c, width, height);
	k3<<<blocks, threads>>>(d_c, d_d, width, height);
	CHECK_LAUNCH();
	CHECK(cudaMemcpy(h_d, d_d, size_of_image, cudaMemcpyDeviceToHost));
	ran = now_ms();
	err = use_image(h_d);
	end = now_ms();

	costs_begin("  six buffers, two copies");
	cost("h_a", h_a);
	cost("h_d", h_d);
	cost("d_a", d_a);
	cost("d_b", d_b);
	cost("d_c", d_c);
	cost("d_d", d_d);
	printf("  read %.1f ms, copies and kernels %.1f ms, use %.1f ms\n",
	       read - begin, ran - read, end - ran);
	printf("  copied: %zu KiB\n", 2 * size_of_image / 1024);
	CHECK(cudaFreeHost(h_a));
	CHECK(cudaFreeHost(h_d));
	CHECK(cudaFree(d_a));
	CHECK(cudaFree(d_b));
	CHECK(cudaFree(d_c));
	CHECK(cudaFree(d_d));
	return err;
}

/* As it is for one memory: no copy, but who has it when has to be said. */
static int ported_pipeline(bool is_wrong)
{
	int *h_a, *h_d, *d_b, *d_c;
	double begin, read, ran, end;
	int err;

	CHECK(cudaMallocManaged(&h_a, size_of_image, cudaMemAttachHost));
	CHECK(cudaMallocManaged(&h_d, size_of_image));
	set_name(h_a, "h_a");
	set_name(h_d, "h_d");
	/* The CPU never sees what lies between the kernels. */
	CHECK(cudaMalloc(&d_b, size_of_image));
	CHECK(cudaMalloc(&d_c, size_of_image));

	begin = now_ms();
	read_image(h_a);
	read = now_ms();
	/* To the GPU, ahead of the kernels. */
	CHECK(cudaStreamAttachMemAsync(NULL, h_a, 0, cudaMemAttachGlobal));
	k1<<<blocks, threads>>>(h_a, d_b, width, height);
	k2<<<blocks, threads>>>(d_b, d_c, width, height);
	k3<<<blocks, threads>>>(d_c, h_d, width, height);
	CHECK_LAUNCH();
	/* Back to the CPU, behind them. */
	CHECK(cudaStreamAttachMemAsync(NULL, h_d, 0, cudaMemAttachHost));
	if (!is_wrong)
		CHECK(cudaStreamSynchronize(NULL));
	ran = now_ms();
	err = use_image(h_d);
	end = now_ms();

	CHECK(cudaStreamSynchronize(NULL));
	costs_begin("  four buffers, no copy");
	cost("h_a", h_a);
	cost("h_d", h_d);
	cost("d_b", d_b);
	cost("d_c", d_c);
	printf("  read %.1f ms, kernels %.1f ms, use %.1f ms\n", read - begin,
	       ran - read, end - ran);
	printf("  copied: 0 KiB\n");
	picture_write(drawing, h_d, width, height);
	CHECK(cudaFree(h_a));
	CHECK(cudaFree(h_d));
	CHECK(cudaFree(d_b));
	CHECK(cudaFree(d_c));
	return err;
}

int main(int argc, char **argv)
{
	bool is_wrong = argc > 1 && !strcmp(argv[1], "wrong");
	int err, device;

	if (argc > 1 + is_wrong)
		photo = argv[1 + is_wrong];
	if (argc > 2 + is_wrong)
		drawing = argv[2 + is_wrong];
	picture_open(&picture, photo);
	width = picture.width;
	height = picture.height;
	size_of_image = width * height * sizeof(int);
	blocks = dim3((width + threads.x - 1) / threads.x,
		      (height + threads.y - 1) / threads.y);
	reference();
	printf("photograph: %d x %d pixels\n", width, height);

	printf("pinned, as from a discrete GPU\n");
	print_device(0);
	CHECK(cudaSetDevice(0));
	err = pinned_pipeline();

	printf("ported, with attach%s\n", is_wrong ? ", without the wait" : "");
	device = use_integrated_gpu();
	print_device(device);
	err |= ported_pipeline(is_wrong);
	free(expected);
	puts(err ? "WRONG" : "right");
	return err;
}
