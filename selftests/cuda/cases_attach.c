// SPDX-License-Identifier: GPL-2.0-only
/* Cases of cudaStreamAttachMemAsync(). */
#include <stdlib.h>

#include "cases.h"

#define TOP_BIT		(1U << 31)

static cudaError_t attach(cudaStream_t stream, void *p, size_t len,
			  unsigned int flags)
{
	return cudaStreamAttachMemAsync(stream, p, len, flags);
}

static void ask_flags_on(const char *name, cudaStream_t stream, void *p)
{
	for (unsigned int flags = 0; flags <= 8; flags++)
		RT(attach(stream, p, 0, flags), "attach.%s.len0.flags_%u",
		   name, flags);
	RT(attach(stream, p, 0, TOP_BIT), "attach.%s.len0.flags_%u", name,
	   TOP_BIT);
}

static void ask_flags(void)
{
	void *p = side_alloc(MANAGED);
	cudaStream_t stream, nonblocking;

	need(!cudaStreamCreate(&stream), "stream");
	need(!cudaStreamCreateWithFlags(&nonblocking, cudaStreamNonBlocking),
	     "stream");
	ask_flags_on("stream", stream, p);
	ask_flags_on("nullstream", NULL, p);
	ask_flags_on("legacy_handle", cudaStreamLegacy, p);
	ask_flags_on("perthread_handle", cudaStreamPerThread, p);
	ask_flags_on("nonblocking", nonblocking, p);
}

static void ask_lengths(void)
{
	static const size_t lens[] = {
		0, LEN, LEN + 1, 1, 4096, LEN / 2, LEN - 1, 2 * LEN, SIZE_MAX,
	};
	char *p = side_alloc(MANAGED);
	cudaStream_t stream;

	need(!cudaStreamCreate(&stream), "stream");
	for (size_t i = 0; i < ARRAY_SIZE(lens); i++)
		RT(attach(stream, p, lens[i], cudaMemAttachSingle),
		   "attach.len_%zu_of_%lu", lens[i], LEN);
	RT(attach(stream, p + 4096, LEN - 4096, cudaMemAttachSingle),
	   "attach.interior.rest");
	RT(attach(stream, p + 4096, 0, cudaMemAttachSingle),
	   "attach.interior.len0");
	RT(attach(stream, p + 4096, LEN, cudaMemAttachSingle),
	   "attach.interior.full");
}

static void ask_memory(const char *name, void *p, cudaStream_t stream)
{
	static const struct {
		const char *name;
		unsigned int flags;
	} to[] = {
		{ "global", cudaMemAttachGlobal },
		{ "host", cudaMemAttachHost },
		{ "single", cudaMemAttachSingle },
	};

	for (size_t i = 0; i < ARRAY_SIZE(to); i++) {
		RT(attach(stream, p, 0, to[i].flags), "attach.%s.len0.%s",
		   name, to[i].name);
		RT(attach(stream, p, LEN, to[i].flags), "attach.%s.full.%s",
		   name, to[i].name);
	}
}

static void ask_memories(void)
{
	cudaStream_t stream;

	need(!cudaStreamCreate(&stream), "stream");
	ask_memory("managed_global", side_alloc(MANAGED), stream);
	ask_memory("managed_host", side_alloc(MANAGED_HOST), stream);
	ask_memory("device", side_alloc(DEVICE), stream);
	ask_memory("pinned", side_alloc(PINNED), stream);
	ask_memory("pageable", side_alloc(PAGEABLE), stream);
	ask_memory("null", NULL, stream);
	ask_memory("garbage", GARBAGE, stream);
}

static void ask_life(void)
{
	void *p = side_alloc(MANAGED);
	cudaStream_t s, s2;

	need(!cudaStreamCreate(&s), "stream");
	need(!cudaStreamCreate(&s2), "stream");
	RT(attach(s, p, 0, cudaMemAttachHost), "attach.repeat_same.1");
	RT(attach(s, p, 0, cudaMemAttachHost), "attach.repeat_same.2");
	RT(attach(s, p, 0, cudaMemAttachSingle), "attach.single.s");
	RT(attach(s2, p, 0, cudaMemAttachSingle), "attach.single.s2");
	RT(cudaStreamDestroy(s2), "attach.stream_destroy_while_single");
	RT(attach(s, p, 0, cudaMemAttachHost), "attach.after_destroy.host");
	RT(attach(s, p, 0, cudaMemAttachGlobal),
	   "attach.after_destroy.global");
	RT(attach(s, p, 0, cudaMemAttachSingle),
	   "attach.after_destroy.single");
	RT(cudaFree(p), "attach.free_attached");
	RT(attach(s, p, 0, cudaMemAttachHost), "attach.after_free");
	RT(cudaStreamSynchronize(s), "attach.sync");
}

const struct group attach_groups[] = {
	{ "attach_flags", ask_flags },
	{ "attach_lengths", ask_lengths },
	{ "attach_memories", ask_memories },
	{ "attach_life", ask_life },
	{ 0 },
};
