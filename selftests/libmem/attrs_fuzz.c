// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzzes attribute lists: bytes that are unpacked, and values that are set,
 * merged and read. Inputs are valid lists with random changes, the same in each
 * run; sanitizers find errors. An accepted list must pack to the same bytes
 * again, so that no list has two forms.
 *
 * usage: attrs_fuzz [EXECUTIONS [SEED]]
 *
 * With -DLIBFUZZER this is a target of libFuzzer: make -C selftests/libmem
 * fuzz.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <drm_fourcc.h>

#include "../../libmem/attrs/attrs.h"
#include "mutate.h"

static struct mem_ctx *ctx;

/* Numbers of accepted inputs; a run that accepts none has failed */
static uint64_t nr_unpacked, nr_set, nr_reconciled;

static void must(bool is_right, const char *what)
{
	if (is_right)
		return;
	fprintf(stderr, "attrs_fuzz: %s\n", what);
	abort();
}

static void open_once(void)
{
	const struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
		.soc = "drive-px2",
	};

	if (!ctx)
		must(!mem_ctx_open(&options, &ctx), "no context");
}

/* Calls that the owner of a list makes */

static void use_reconciled(struct mem_attrs *list)
{
	unsigned int flags;

	must(attrs_len(list) > 0 && attrs_align(list) > 0, "no buffer");
	attrs_kind(list, &flags);
	attrs_engines(list);
}

static void use_unreconciled(struct mem_attrs *list)
{
	struct mem_attrs *result, *conflict = NULL;
	char text[256];
	int err;

	err = mem_attrs_reconcile(&list, 1, &result, &conflict);
	if (err == -EADV) {
		must(mem_attrs_dump(conflict, text, sizeof(text)) > 0,
		     "a conflict says nothing");
		mem_attrs_destroy(conflict);
		return;
	}
	must(!err, "reconcile");
	nr_reconciled++;
	must(!mem_attrs_validate(result, &list, 1), "not satisfied");
	use_reconciled(result);
	mem_attrs_destroy(result);
}

static void use(struct mem_attrs *list)
{
	char text[128];

	must(mem_attrs_dump(list, text, sizeof(text)) >= 0, "dump");
	if (mem_attrs_state(list) == MEM_ATTRS_RECONCILED)
		use_reconciled(list);
	else
		use_unreconciled(list);
}

static void try_unpack(const uint8_t *bytes, size_t len)
{
	struct mem_attrs *list;
	void *again;
	size_t again_len;
	int err;

	err = attrs_unpack(ctx, bytes, len, &list);
	if (err) {
		must(err == -EBADMSG, "another error");
		return;
	}
	nr_unpacked++;
	must(!attrs_pack(&list, 1, &again, &again_len), "pack");
	must(again_len == len && !memcmp(again, bytes, len), "two forms");
	free(again);
	use(list);
	mem_attrs_destroy(list);
}

/* The input is a sequence of values: a key, a length and bytes each. */
static void try_set(const uint8_t *bytes, size_t len)
{
	struct mem_attr attrs[64];
	struct mem_attrs *list;
	size_t nr = 0;
	int err;

	while (nr < NR(attrs) && len >= 8) {
		uint32_t head[2];

		memcpy(head, bytes, sizeof(head));
		head[1] %= 512;
		if (head[1] > len - 8)
			break;
		attrs[nr] = (struct mem_attr) {
			.key = head[0],
			.value = bytes + 8,
			.len = head[1],
		};
		nr++;
		bytes += 8 + head[1];
		len -= 8 + head[1];
	}
	must(!mem_attrs_create(ctx, &list), "create");
	err = mem_attrs_set(list, attrs, nr);
	must(!err || err == -EINVAL || err == -EEXIST, "another error of set");
	nr_set += !err;
	use(list);
	mem_attrs_destroy(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* The first byte chooses the test. An overrun of the exact copy is found. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	uint8_t *copy;

	if (!len)
		return 0;
	open_once();
	copy = malloc(len);
	must(copy, "no memory");
	memcpy(copy, bytes + 1, len - 1);
	if (bytes[0] & 1) {
		try_set(copy, len - 1);
	} else {
		/* Most inputs must pass the check of the checksum. */
		if (bytes[0] & 6)
			repair_list(copy, len - 1);
		try_unpack(copy, len - 1);
	}
	free(copy);
	return 0;
}

#ifndef LIBFUZZER

#define VALUE(of, ...) \
	{ MEM_ATTR_##of, 0, ((const uint32_t[]) { __VA_ARGS__ }), \
	  sizeof((const uint32_t[]) { __VA_ARGS__ }) }
#define BYTE(of, value)	{ MEM_ATTR_##of, 0, ((const uint8_t[]) { value }), 1 }
#define LONG(of, ...) \
	{ MEM_ATTR_##of, 0, ((const uint64_t[]) { __VA_ARGS__ }), \
	  sizeof((const uint64_t[]) { __VA_ARGS__ }) }

static uint8_t gpu_ids[2][MEM_GPU_ID_LEN];
static struct mem_attr_gpu_value of_gpus[2];
static const float scale = 0.5f;

static const struct mem_attr raw[] = {
	VALUE(TYPES, MEM_ATTR_TYPE_RAW), LONG(RAW_SIZE, 4096),
	LONG(RAW_ALIGN, 1024), BYTE(NEED_CPU_ACCESS, 1),
	VALUE(REQUIRED_PERM, MEM_RW), LONG(ENGINES, MEM_ATTR_ENGINE_DMA | 1),
	BYTE(CLIENT, 5), VALUE(CLIENT + 3, 1, 2, 3, 4),
};

static const struct mem_attr image[] = {
	VALUE(TYPES, MEM_ATTR_TYPE_IMAGE), VALUE(IMAGE_LAYOUT, 0),
	VALUE(IMAGE_PLANE_COUNT, 2), VALUE(IMAGE_PLANE_WIDTH, 100, 50),
	VALUE(IMAGE_PLANE_FORMAT, DRM_FORMAT_R8, DRM_FORMAT_GR88),
	VALUE(IMAGE_PLANE_HEIGHT, 40, 20), VALUE(IMAGE_PLANE_STD, 3, 3),
	VALUE(IMAGE_PLANE_ALIGN, 256, 256), VALUE(IMAGE_SCAN, 1),
	{ MEM_ATTR_GPU_IDS, 0, gpu_ids, MEM_GPU_ID_LEN },
	{ MEM_ATTR_GPU_COMPRESSION, 0, of_gpus, sizeof(of_gpus[0]) },
};

static const struct mem_attr both[] = {
	VALUE(TYPES, MEM_ATTR_TYPE_IMAGE, MEM_ATTR_TYPE_TENSOR),
	VALUE(IMAGE_LAYOUT, 1), VALUE(IMAGE_PLANE_COUNT, 1),
	VALUE(IMAGE_PLANE_FORMAT, DRM_FORMAT_R8),
	VALUE(IMAGE_PLANE_WIDTH, 100), VALUE(IMAGE_PLANE_HEIGHT, 40),
	VALUE(TENSOR_DATA_TYPE, MEM_DATA_U8), VALUE(TENSOR_DIM_COUNT, 3),
	LONG(TENSOR_DIM_SIZE, 1, 40, 100), VALUE(TENSOR_DIM_ALIGN, 1, 64, 1),
	LONG(TENSOR_BASE_ALIGN, 64), LONG(ENGINES, 9),
	{ MEM_ATTR_GPU_CACHE, 0, of_gpus, sizeof(of_gpus) },
};

static const struct mem_attr array[] = {
	VALUE(TYPES, MEM_ATTR_TYPE_ARRAY),
	VALUE(ARRAY_DATA_TYPE, MEM_DATA_KEYPOINT), LONG(ARRAY_STRIDE, 16),
	LONG(ARRAY_CAPACITY, 100),
	{ MEM_ATTR_VIDMEM_GPU_ID, 0, gpu_ids[1], MEM_GPU_ID_LEN },
	{ MEM_ATTR_GPU_IDS, 0, gpu_ids[1], MEM_GPU_ID_LEN },
};

static const struct mem_attr pyramid[] = {
	VALUE(TYPES, MEM_ATTR_TYPE_PYRAMID), VALUE(IMAGE_LAYOUT, 1),
	VALUE(IMAGE_PLANE_COUNT, 3),
	VALUE(IMAGE_PLANE_FORMAT, DRM_FORMAT_R8, DRM_FORMAT_R8, DRM_FORMAT_R8),
	VALUE(IMAGE_PLANE_WIDTH, 64, 32, 32),
	VALUE(IMAGE_PLANE_HEIGHT, 64, 32, 32), VALUE(PYRAMID_LEVEL_COUNT, 10),
	{ MEM_ATTR_PYRAMID_SCALE, 0, &scale, sizeof(scale) },
	BYTE(CPU_CACHE, 0), LONG(ENGINES, 4),
	{ MEM_ATTR_GPU_IDS, 0, gpu_ids, sizeof(gpu_ids) },
};

static const struct {
	const struct mem_attr *attrs;
	size_t nr;
} wholes[] = {
	{ raw, NR(raw) }, { image, NR(image) }, { both, NR(both) },
	{ array, NR(array) }, { pyramid, NR(pyramid) },
};

/* Each list as values, packed, and as a result; then all in one list */
static struct input inputs[3 * NR(wholes) + 1];

static void add_packed(struct mem_attrs **lists, size_t nr)
{
	struct input *input = &inputs[nr_inputs++];
	size_t len;
	void *bytes;

	must(!attrs_pack(lists, nr, &bytes, &len) && len < INPUT_MAX, "pack");
	input->bytes[0] = 2;
	memcpy(input->bytes + 1, bytes, len);
	input->len = len + 1;
	free(bytes);
}

static void add_values(const struct mem_attr *attrs, size_t nr)
{
	struct input *input = &inputs[nr_inputs++];
	size_t i;

	input->bytes[0] = 1;
	input->len = 1;
	for (i = 0; i < nr; i++) {
		const uint32_t head[] = {
			attrs[i].key, (uint32_t)attrs[i].len,
		};

		memcpy(input->bytes + input->len, head, sizeof(head));
		memcpy(input->bytes + input->len + 8, attrs[i].value,
		       attrs[i].len);
		input->len += 8 + attrs[i].len;
	}
}

static void make_corpus(void)
{
	struct mem_attrs *lists[NR(wholes)], *result;
	size_t i;

	must(!mem_ctx_gpu_id(ctx, MEM_ENGINE_GPU, gpu_ids[0]) &&
	     !mem_ctx_gpu_id(ctx, MEM_ENGINE_DGPU, gpu_ids[1]), "no ids");
	for (i = 0; i < 2; i++) {
		memcpy(of_gpus[i].gpu_id, gpu_ids[i], MEM_GPU_ID_LEN);
		of_gpus[i].value = 1;
	}
	for (i = 0; i < NR(wholes); i++) {
		must(!mem_attrs_create(ctx, &lists[i]), "create");
		must(!mem_attrs_set(lists[i], wholes[i].attrs, wholes[i].nr),
		     "set");
		must(!mem_attrs_reconcile(&lists[i], 1, &result, NULL),
		     "an input that does not fit");
		add_values(wholes[i].attrs, wholes[i].nr);
		add_packed(&lists[i], 1);
		add_packed(&result, 1);
		mem_attrs_destroy(result);
	}
	add_packed(lists, NR(lists));
	for (i = 0; i < NR(wholes); i++)
		mem_attrs_destroy(lists[i]);
}

int main(int argc, char **argv)
{
	static struct input input;
	const uint64_t nr = argc > 1 ? strtoull(argv[1], NULL, 0) : 20000;
	const uint64_t from = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	const double start = seconds();
	uint64_t i;
	bool is_good;

	open_once();
	make_corpus();
	corpus = inputs;
	seed_set(from);
	for (i = 0; i < nr; i++) {
		mutate(&input);
		if (!below(64))
			input.bytes[0] = 0;
		LLVMFuzzerTestOneInput(input.bytes, input.len);
	}
	printf("# seed %llu: %llu executions in %.1f s, of which %llu were ",
	       (unsigned long long)from, (unsigned long long)nr,
	       seconds() - start, (unsigned long long)nr_unpacked);
	printf("unpacked, %llu set, %llu reconciled\n",
	       (unsigned long long)nr_set, (unsigned long long)nr_reconciled);
	is_good = nr_unpacked && nr_set && nr_reconciled;
	printf("%sok 1 - strangers_lists_do_no_harm\n1..1\n",
	       is_good ? "" : "not ");
	mem_ctx_close(ctx);
	return !is_good;
}

#endif
