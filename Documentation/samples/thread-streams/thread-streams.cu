// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that each have a stream, and managed memory of their own that is
 * attached to it, do not stop each other. See README.rst.
 *
 * thread-streams [wrong]
 */
#include "sample.h"

#include <pthread.h>

#define NR_THREADS	2
#define NR_ROUNDS	3
#define NR		(64 * 1024)

static bool is_wrong;
static int device;
static pthread_barrier_t all_launched, first_is_done;

struct worker {
	pthread_t thread;
	int number;
	int *values;
	int wrong;
	double ms;
};

__global__ void add(int *values, int number)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < NR)
		values[i] += number;
}

static OWN_FRAME int nr_wrong(const int *values, int round, int number)
{
	int wrong = 0;

	for (int i = 0; i < NR; i++)
		wrong += values[i] != round + number;	/* found here */
	return wrong;
}

static void *work(void *arg)
{
	struct worker *worker = (struct worker *)arg;
	cudaStream_t stream;
	int *values;
	double begin;

	CHECK(cudaSetDevice(device));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMallocManaged(&values, NR * sizeof(*values),
				cudaMemAttachHost));
	set_name(values, worker->number ? "of thread 1" : "of thread 0");
	/* For jobs of this stream alone; and the CPU's while that is idle. */
	CHECK(cudaStreamAttachMemAsync(stream, values, 0, is_wrong ?
				       cudaMemAttachGlobal :
				       cudaMemAttachSingle));
	CHECK(cudaStreamSynchronize(stream));
	begin = now_ms();
	for (int round = 0; round < NR_ROUNDS; round++) {
		pthread_barrier_wait(&all_launched);
		for (int i = 0; i < NR; i++)
			values[i] = round;
		pthread_barrier_wait(&all_launched);
		add<<<NR / 256, 256, 0, stream>>>(values, worker->number + 1);
		CHECK_LAUNCH();
		/*
		 * In each round all have launched before the first one goes on,
		 * and it has read before the others have waited.
		 */
		pthread_barrier_wait(&all_launched);
		if (worker->number)
			pthread_barrier_wait(&first_is_done);
		CHECK(cudaStreamSynchronize(stream));
		worker->wrong += nr_wrong(values, round, worker->number + 1);
		if (!worker->number)
			pthread_barrier_wait(&first_is_done);
	}
	worker->ms = now_ms() - begin;
	worker->values = values;
	CHECK(cudaStreamDestroy(stream));
	return NULL;
}

int main(int argc, char **argv)
{
	struct worker workers[NR_THREADS] = {};
	int i, wrong = 0;

	is_wrong = is_asked(argc, argv, "wrong");
	device = use_integrated_gpu();
	print_device(device);
	pthread_barrier_init(&all_launched, NULL, NR_THREADS);
	pthread_barrier_init(&first_is_done, NULL, NR_THREADS);
	for (i = 0; i < NR_THREADS; i++) {
		workers[i].number = i;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 2;
	}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(workers[i].thread, NULL);

	CHECK(cudaDeviceSynchronize());
	costs_begin(is_wrong ? "attached to all streams" :
			       "attached to one stream each");
	for (i = 0; i < NR_THREADS; i++) {
		cost(i ? "thread 1" : "thread 0", workers[i].values);
		wrong += workers[i].wrong;
	}
	for (i = 0; i < NR_THREADS; i++) {
		printf("  thread %d: %d rounds, %.1f ms\n", i, NR_ROUNDS,
		       workers[i].ms);
		CHECK(cudaFree(workers[i].values));
	}
	printf("%d values are wrong\n", wrong);
	return wrong != 0;
}
