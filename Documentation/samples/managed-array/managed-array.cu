// SPDX-License-Identifier: GPL-2.0-only
/*
 * One array of keypoints in managed memory that the CPU, the PVA and the GPU
 * use in turn, without a copy. See README.rst.
 *
 * managed-array [attach|early]
 */
#include "sample.h"

#include <math.h>

#define WIDTH	512
#define HEIGHT	256
#define CELL	8
#define NR_KEYPOINTS	((WIDTH / CELL) * (HEIGHT / CELL))

struct keypoint {
	float x;
	float y;
};

/* What the PVA is given: the picture is in pinned memory, the CPU's and its. */
struct find_args {
	const unsigned char *pixels;
	struct keypoint *found;
};

__host__ __device__ static int is_stronger(const unsigned char *pixels, int x,
					   int y, int *best)
{
	int right = pixels[y * WIDTH + (x + 1 < WIDTH ? x + 1 : x)];
	int below = pixels[(y + 1 < HEIGHT ? y + 1 : y) * WIDTH + x];
	int own = pixels[y * WIDTH + x];
	int strength = abs(right - own) + abs(below - own);

	if (strength <= *best)
		return 0;
	*best = strength;
	return 1;
}

/* The corner of a cell of the picture: where light changes most. */
static struct keypoint corner(const unsigned char *pixels, int cell)
{
	const int left = cell % (WIDTH / CELL) * CELL;
	const int top = cell / (WIDTH / CELL) * CELL;
	struct keypoint found = { (float)left, (float)top };
	int best = -1;

	for (int y = top; y < top + CELL; y++) {
		for (int x = left; x < left + CELL; x++) {
			if (!is_stronger(pixels, x, y, &best))
				continue;
			found.x = x;
			found.y = y;
		}
	}
	return found;
}

/* As the GPU's kernel below has it: twice as large, and moved. */
__host__ __device__ static struct keypoint scaled(struct keypoint from)
{
	from.x = 2 * from.x + 0.5f;
	from.y = 2 * from.y + 0.5f;
	return from;
}

__global__ void scale(struct keypoint *keypoints, int nr)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < nr)
		keypoints[i] = scaled(keypoints[i]);
}

#ifdef HAVE_HEAPSIM
/* On the PVA: a kernel of libmem's, called once a block. */
static void find_on_pva(const struct mem_block *block, void *arg)
{
	const struct find_args *args = (const struct find_args *)arg;
	unsigned int i;

	for (i = block->index[0]; i < NR_KEYPOINTS; i += block->grid[0])
		args->found[i] = corner(args->pixels, i);
}

/* What vpiSubmitHarrisCornerDetector() is on the board. */
static OWN_FRAME int submit_to_pva(cudaStream_t stream,
				   const struct find_args *args)
{
	struct mem_launch launch;
	struct mem_stream *mem;

	memset(&launch, 0, sizeof(launch));
	launch.size = sizeof(launch);
	launch.engine = MEM_ENGINE_PVA;
	launch.kernel = find_on_pva;
	launch.grid[0] = 2;
	launch.grid[1] = 1;
	launch.grid[2] = 1;
	launch.block[0] = 1;
	launch.block[1] = 1;
	launch.block[2] = 1;
	launch.args = args;
	launch.args_len = sizeof(*args);
	if (heapsim_cuda_stream(stream, &mem))
		return -1;
	return mem_launch(mem, &launch);	/* found here */
}

static int has_pva(void)
{
	struct mem_board board;
	struct mem_ctx *ctx;

	memset(&board, 0, sizeof(board));
	board.size = sizeof(board);
	return !heapsim_cuda_ctx(&ctx) &&
		!mem_ctx_board(ctx, MEM_ENGINE_GPU, &board) && board.has_pva;
}
#else
static OWN_FRAME int submit_to_pva(cudaStream_t stream,
				   const struct find_args *args)
{
	(void)stream;
	(void)args;
	return -1;
}

static int has_pva(void)
{
	return 0;
}
#endif

/* Where there is no PVA. No engine is at work yet, so the CPU may. */
static void find_on_cpu(const struct find_args *args)
{
	for (int i = 0; i < NR_KEYPOINTS; i++)
		args->found[i] = corner(args->pixels, i);
}

static void draw(unsigned char *pixels)
{
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			pixels[y * WIDTH + x] =
				(unsigned char)(x * x / 7 + y * y / 3 + x * y);
}

static OWN_FRAME int nr_wrong(const struct keypoint *keypoints,
		    const unsigned char *pixels)
{
	int wrong = 0;

	for (int i = 0; i < NR_KEYPOINTS; i++) {
		struct keypoint right = scaled(corner(pixels, i));

		wrong += keypoints[i].x != right.x ||	/* or here */
			 keypoints[i].y != right.y;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	/* The thread's question: is it the CPU's while the PVA works? No. */
	unsigned int for_pva = is_asked(argc, argv, "attach") ?
		cudaMemAttachHost : cudaMemAttachGlobal;
	bool is_early = is_asked(argc, argv, "early");
	const size_t size = NR_KEYPOINTS * sizeof(struct keypoint);
	int wrong, device = use_integrated_gpu();
	struct keypoint *keypoints;
	unsigned char *pixels;
	struct find_args args;
	cudaStream_t stream;
	double begin, ran;

	print_device(device);
	CHECK(cudaMallocHost(&pixels, WIDTH * HEIGHT));
	CHECK(cudaMallocManaged(&keypoints, size, cudaMemAttachHost));
	set_name(keypoints, "keypoints");
	CHECK(cudaStreamCreate(&stream));

	/* The CPU's turn. */
	draw(pixels);
	memset(keypoints, 0, size);

	/* That of the engines: both wait for the CPU by the attach. */
	begin = now_ms();
	args.pixels = pixels;
	args.found = keypoints;
	CHECK(cudaStreamAttachMemAsync(stream, keypoints, 0, for_pva));
	if (!has_pva()) {
		printf("no PVA: the CPU finds the corners\n");
		find_on_cpu(&args);
	} else if (submit_to_pva(stream, &args)) {
		fprintf(stderr, "the PVA does not take it\n");
		return 2;
	}
	CHECK(cudaStreamAttachMemAsync(stream, keypoints, 0,
				       cudaMemAttachGlobal));
	scale<<<(NR_KEYPOINTS + 127) / 128, 128, 0, stream>>>(keypoints,
							      NR_KEYPOINTS);
	CHECK_LAUNCH();

	/* The CPU's again, once it has waited. */
	CHECK(cudaStreamAttachMemAsync(stream, keypoints, 0,
				       cudaMemAttachHost));
	if (!is_early)
		CHECK(cudaStreamSynchronize(stream));
	ran = now_ms();
	wrong = nr_wrong(keypoints, pixels);

	CHECK(cudaStreamSynchronize(stream));
	costs_begin("CPU, PVA, GPU, CPU");
	cost("keypoints", keypoints);
	cost("pixels", pixels);
	printf("  engines %.1f ms, copied: 0 KiB\n", ran - begin);
	printf("%d of %d keypoints are wrong\n", wrong, NR_KEYPOINTS);
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(keypoints));
	CHECK(cudaFreeHost(pixels));
	return wrong != 0;
}
