// SPDX-License-Identifier: GPL-2.0-only
/*
 * A linked list that CPU and GPU share: pointers inside of managed memory mean
 * the same to both. See README.rst.
 *
 * linked-list [wrong|malloc]
 */
#include "sample.h"

#define NR_NODES	1000
/* glibc maps what is longer than 32 MiB, whatever was freed before. */
#define MAPPED_LEN	(33UL << 20)

struct node {
	struct node *next;
	int value;
	char payload[240];
};

struct list {
	struct node *first;
	long long sum;
};

/* One thread: a list has to be walked from its beginning. */
__global__ void walk(struct list *list)
{
	list->sum = 0;
	for (struct node *node = list->first; node; node = node->next) {
		list->sum += node->value;	/* or here */
		node->value *= 2;
	}
}

/* Turned round: what the GPU stores in a pointer the CPU can follow. */
__global__ void reverse(struct list *list)
{
	struct node *node = list->first, *before = NULL;

	while (node) {
		struct node *next = node->next;

		node->next = before;
		before = node;
		node = next;
	}
	list->first = before;
}

/* Here and there, as a list is after a while. */
static void build(struct list *list, struct node *nodes)
{
	struct node **last = &list->first;

	for (int i = 0; i < NR_NODES; i++) {
		struct node *node = &nodes[i * 7 % NR_NODES];

		node->value = i + 1;
		*last = node;
		last = &node->next;
	}
	*last = NULL;
}

/* The first value is the largest now; all are even. */
static OWN_FRAME int is_right(const struct list *list)
{
	const long long sum = (long long)NR_NODES * (NR_NODES + 1) / 2;
	const struct node *node;
	int wanted = NR_NODES;

	for (node = list->first; node; node = node->next)	/* found here */
		if (node->value != 2 * wanted--)
			return 0;
	if (list->sum != sum)
		return 0;
	return wanted == 0;
}

/* On a board whose GPU has no pageable memory: what the host is told. */
static int told(cudaError_t answer, struct list *list)
{
	printf("the kernel: %s\n", cudaGetErrorString(answer));
	printf("and all that comes later: %s\n",
	       cudaGetErrorString(cudaFree(list)));
	return 1;
}

int main(int argc, char **argv)
{
	bool is_wrong = is_asked(argc, argv, "wrong");
	bool is_malloc = is_asked(argc, argv, "malloc");
	int err, device = use_integrated_gpu();
	struct node *nodes;
	struct list *list;
	double begin, ran, end;
	cudaError_t answer;

	print_device(device);
	CHECK(cudaMallocManaged(&list, sizeof(*list)));
	set_name(list, "list");
	if (is_malloc)
		nodes = (struct node *)malloc(MAPPED_LEN);
	else
		CHECK(cudaMallocManaged(&nodes, NR_NODES * sizeof(*nodes)));
	set_name(nodes, "nodes");
	build(list, nodes);

	begin = now_ms();
	walk<<<1, 1>>>(list);
	reverse<<<1, 1>>>(list);
	CHECK_LAUNCH();
	if (!is_wrong) {
		answer = cudaDeviceSynchronize();
		if (is_malloc && answer != cudaSuccess)
			return told(answer, list);
		CHECK(answer);
	}
	ran = now_ms();
	err = !is_right(list);
	end = now_ms();

	CHECK(cudaDeviceSynchronize());
	costs_begin("two kernels, one wait");
	cost("nodes", nodes);
	printf("  kernels %.1f ms, walk %.1f ms\n", ran - begin, end - ran);
	printf("%d nodes, sum %lld: %s\n", NR_NODES, list->sum,
	       err ? "WRONG" : "right");
	if (is_malloc)
		free(nodes);
	else
		CHECK(cudaFree(nodes));
	CHECK(cudaFree(list));
	return err;
}
