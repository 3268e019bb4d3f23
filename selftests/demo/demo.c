// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shows the bytes that a program sees if a cache operation is missing.
 *
 *	demo PHOTO [DIRECTORY]
 *	demo -c PHOTO		only checks that the picture can be used
 *
 * Video frames of vivid and a photograph go through a pipeline twice, as a
 * stream reuses its buffers: the dma engine turns and inverts the source into a
 * work buffer, the CPU draws into that, the engine copies it to a result
 * buffer, the CPU reads. In each variant another operation is missing. The
 * expected result, including wrong bytes, is computed from the rules in
 * ordinary memory and compared byte by byte.
 *
 * Exit code: 0 if every variant is right, or wrong, exactly as the rules say;
 * 1 if one is not; 2 if the demo cannot run.
 */
#include <errno.h>
#include <libmem.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../fnv1a.h"
#include "camera.h"
#include "image.h"

#define WIDTH		640u
#define HEIGHT		360u
#define ROW_LEN		(WIDTH * PIXEL_LEN)
#define LEN		((size_t)HEIGHT * ROW_LEN)
#define NR_ROUNDS	NR_FRAMES
#define INVERT_COLOURS	0x00ffffff
#define JOB_WAIT_NS	(20ULL * 1000 * 1000 * 1000)

/* In the first round the CPU reads only these rows, as a detector would. */
#define WINDOW_OFF	((size_t)HEIGHT / 3 * ROW_LEN)
#define WINDOW_LEN	((size_t)HEIGHT / 3 * ROW_LEN)

enum input {
	INPUT_FRAME,
	INPUT_PHOTO,
	NR_INPUTS,
};

static const char * const input_names[NR_INPUTS] = { "frame", "photo" };

enum mistake {
	MISTAKE_NONE,
	MISTAKE_NO_END,		/* after the CPU's writes */
	MISTAKE_NO_START,	/* before the CPU's reads */
	MISTAKE_NO_SYNC,	/* no sync; no mistake with coherent memory */
};

static const struct variant {
	const char *name;	/* name of the files */
	const char *words;
	const char *caption;
	enum mem_kind kind;
	enum mistake mistake;
} variants[] = {
	{ "correct", "all in place", "ALL IN PLACE",
	  MEM_KIND_NONCOHERENT, MISTAKE_NONE },
	{ "no-end", "no END after the CPU wrote", "NO END AFTER THE CPU WROTE",
	  MEM_KIND_NONCOHERENT, MISTAKE_NO_END },
	{ "no-start", "no START before the CPU reads",
	  "NO START BEFORE THE CPU READS",
	  MEM_KIND_NONCOHERENT, MISTAKE_NO_START },
	{ "coherent", "coherent memory, no sync",
	  "COHERENT MEMORY, NO SYNC", MEM_KIND_COHERENT, MISTAKE_NO_SYNC },
};

#define NR_VARIANTS	(sizeof(variants) / sizeof(*variants))

/* An input in memory of one kind, and the expected results */
struct source {
	struct mem_buf *bufs[NR_ROUNDS];
	struct image developed[NR_ROUNDS];	/* turned and inverted */
	struct image right[NR_ROUNDS];		/* and drawn into */
};

struct outcome {
	struct image seen;
	struct image damage_picture;
	struct damage damage;
	bool is_as_predicted;
	unsigned int nr_syncs;
	struct mem_counters work;
	struct mem_counters result;
};

static struct mem_ctx *ctx;
static struct mem_probe probe = { .size = sizeof(probe) };
static const char *directory = ".";

__attribute__((noreturn, format(printf, 1, 2)))
static void give_up(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("demo: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

static void must(int err, const char *what)
{
	if (err)
		give_up("cannot %s: %s", what, strerror(-err));
}

static struct image new_image(unsigned int width, unsigned int height)
{
	struct image image;

	must(image_create(&image, width, height), "get memory");
	return image;
}

static uint8_t *map_buf(struct mem_buf *buf)
{
	void *addr;

	must(mem_buf_map(buf, &addr), "map a buffer");
	return addr;
}

static uint64_t finish_job(struct mem_job *job)
{
	uint64_t result;

	must(mem_job_wait(job, JOB_WAIT_NS, &result), "finish an engine job");
	mem_job_destroy(job);
	return result;
}

static void alloc(struct mem_buf **buf, enum mem_kind kind)
{
	const char *heap = kind == MEM_KIND_COHERENT ? "coherent" :
						       "noncoherent";

	must(mem_buf_alloc_heap(ctx, heap, LEN, buf), "allocate a buffer");
}

static void capture_frames(struct source *source)
{
	const char *failed;
	int fds[NR_ROUNDS];
	int i, err;

	for (i = 0; i < NR_ROUNDS; i++)
		must(mem_buf_export(source->bufs[i], &fds[i]),
		     "export a buffer");
	err = camera_capture(fds, WIDTH, HEIGHT, &failed);
	if (err)
		give_up("the camera cannot %s: %s", failed, strerror(-err));
	for (i = 0; i < NR_ROUNDS; i++)
		close(fds[i]);
}

/* The photograph is a negative and upside down, as film in a scanner. */
static void load_photo(struct source *source, const struct image *photo,
		       bool has_brackets)
{
	struct image part = new_image(WIDTH, HEIGHT);
	struct image negative = new_image(WIDTH, HEIGHT);
	unsigned int i;

	for (i = 0; i < NR_ROUNDS; i++) {
		struct mem_buf *buf = source->bufs[i];

		image_crop_scaled(&part, photo, i, NR_ROUNDS - 1);
		image_develop(&negative, &part);
		if (has_brackets)
			must(mem_buf_begin(buf, MEM_WRITE), "begin a write");
		memcpy(map_buf(buf), negative.pixels, LEN);
		mem_buf_unmap(buf);
		if (has_brackets)
			must(mem_buf_end(buf, MEM_WRITE), "end a write");
	}
	image_destroy(&negative);
	image_destroy(&part);
}

/* Reads the sources correctly and computes the expected results. */
static void compute_right(struct source *source, bool has_brackets)
{
	struct image before = new_image(WIDTH, HEIGHT);
	struct mem_job *job;
	unsigned int i;

	for (i = 0; i < NR_ROUNDS; i++) {
		struct mem_buf *buf = source->bufs[i];

		if (has_brackets)
			must(mem_buf_begin(buf, MEM_READ), "begin a read");
		memcpy(before.pixels, map_buf(buf), LEN);
		mem_buf_unmap(buf);
		if (has_brackets)
			must(mem_buf_end(buf, MEM_READ), "end a read");
		must(mem_job_checksum(buf, 0, LEN, &job), "start a job");
		if (finish_job(job) != fnv1a(before.pixels, LEN))
			give_up("CPU and engine see different sources");

		source->developed[i] = new_image(WIDTH, HEIGHT);
		source->right[i] = new_image(WIDTH, HEIGHT);
		image_develop(&source->developed[i], &before);
		memcpy(source->right[i].pixels, source->developed[i].pixels,
		       LEN);
		image_draw_overlay(source->right[i].pixels, WIDTH, HEIGHT,
				   i + 1);
	}
	image_destroy(&before);
}

static void prepare(struct source *source, enum input input,
		    enum mem_kind kind, const struct image *photo)
{
	bool has_brackets = kind == MEM_KIND_NONCOHERENT;
	int i;

	for (i = 0; i < NR_ROUNDS; i++)
		alloc(&source->bufs[i], kind);
	if (input == INPUT_FRAME)
		capture_frames(source);
	else
		load_photo(source, photo, has_brackets);
	compute_right(source, has_brackets);
}

static void forget(struct source *source)
{
	int i;

	for (i = 0; i < NR_ROUNDS; i++) {
		mem_buf_destroy(source->bufs[i]);
		image_destroy(&source->developed[i]);
		image_destroy(&source->right[i]);
	}
}

/*
 * Computes the bytes that the CPU must read in the last round. Without END,
 * lines that the CPU wrote never reach DRAM, and the engine copies its own
 * older bytes. Without START, the CPU still has lines of the round before: all
 * granules in which it read the window.
 */
static void predict(struct image *dst, const struct source *source,
		    enum mistake mistake)
{
	const struct image *right = &source->right[NR_ROUNDS - 1];
	size_t fill = probe.fill_size;
	size_t start, end;

	memcpy(dst->pixels, right->pixels, LEN);
	switch (mistake) {
	case MISTAKE_NO_END:
		memcpy(dst->pixels, source->developed[NR_ROUNDS - 1].pixels,
		       LEN);
		break;
	case MISTAKE_NO_START:
		start = WINDOW_OFF / fill * fill;
		end = (WINDOW_OFF + WINDOW_LEN + fill - 1) / fill * fill;
		if (end > LEN)
			end = LEN;
		memcpy(dst->pixels + start, source->right[0].pixels + start,
		       end - start);
		break;
	case MISTAKE_NONE:
	case MISTAKE_NO_SYNC:
		break;
	}
}

static void sync_cpu(struct outcome *outcome, struct mem_buf *buf,
		     unsigned int access, bool is_end)
{
	if (is_end)
		must(mem_buf_end(buf, access), "end CPU access");
	else
		must(mem_buf_begin(buf, access), "begin CPU access");
	outcome->nr_syncs++;
}

/* The engine writes the source to the work buffer, turned and inverted. */
static void engine_develops(struct mem_buf *work, struct mem_buf *source)
{
	struct mem_copy2d copy = {
		.size = sizeof(copy),
		.pattern = INVERT_COLOURS,
		.dst = work,
		.dst_off = (HEIGHT - 1) * ROW_LEN,
		.dst_pitch = -(int64_t)ROW_LEN,
		.src = source,
		.src_pitch = ROW_LEN,
		.row_len = ROW_LEN,
		.nr_rows = HEIGHT,
	};
	struct mem_job *job;

	must(mem_job_copy2d(&copy, &job), "start a job");
	finish_job(job);
}

static void cpu_draws(struct outcome *outcome, struct mem_buf *work,
		      uint8_t *addr, unsigned int round, enum mistake mistake)
{
	if (mistake != MISTAKE_NO_SYNC)
		sync_cpu(outcome, work, MEM_RW, false);
	image_draw_overlay(addr, WIDTH, HEIGHT, round + 1);
	if (mistake != MISTAKE_NO_SYNC && mistake != MISTAKE_NO_END)
		sync_cpu(outcome, work, MEM_RW, true);
}

static void engine_copies(struct mem_buf *result, struct mem_buf *work)
{
	struct mem_job *job;

	must(mem_job_copy(result, 0, work, 0, LEN, &job), "start a job");
	finish_job(job);
}

static void cpu_reads(struct outcome *outcome, struct mem_buf *result,
		      const uint8_t *addr, unsigned int round,
		      enum mistake mistake)
{
	bool has_bracket = mistake != MISTAKE_NO_SYNC &&
			   mistake != MISTAKE_NO_START;

	if (has_bracket)
		sync_cpu(outcome, result, MEM_READ, false);
	if (round < NR_ROUNDS - 1)
		memcpy(outcome->seen.pixels + WINDOW_OFF, addr + WINDOW_OFF,
		       WINDOW_LEN);
	else
		memcpy(outcome->seen.pixels, addr, LEN);
	if (has_bracket)
		sync_cpu(outcome, result, MEM_READ, true);
}

static void take_counters(struct mem_counters *count, struct mem_buf *buf)
{
	struct mem_buf_info info = { .size = sizeof(info) };

	must(mem_buf_info(buf, &info), "ask about a buffer");
	*count = info.count;
}

static void run_variant(struct outcome *outcome, struct source *source,
			const struct variant *variant)
{
	const struct image *right = &source->right[NR_ROUNDS - 1];
	struct image predicted = new_image(WIDTH, HEIGHT);
	struct mem_buf *work, *result;
	uint8_t *work_addr, *result_addr;
	unsigned int round;

	*outcome = (struct outcome) {
		.seen = new_image(WIDTH, HEIGHT),
		.damage_picture = new_image(WIDTH, HEIGHT),
	};
	alloc(&work, variant->kind);
	alloc(&result, variant->kind);
	work_addr = map_buf(work);
	result_addr = map_buf(result);
	for (round = 0; round < NR_ROUNDS; round++) {
		engine_develops(work, source->bufs[round]);
		cpu_draws(outcome, work, work_addr, round, variant->mistake);
		engine_copies(result, work);
		cpu_reads(outcome, result, result_addr, round,
			  variant->mistake);
	}
	take_counters(&outcome->work, work);
	take_counters(&outcome->result, result);
	mem_buf_destroy(result);
	mem_buf_destroy(work);

	predict(&predicted, source, variant->mistake);
	outcome->is_as_predicted = !memcmp(outcome->seen.pixels,
					   predicted.pixels, LEN);
	image_compare(&outcome->seen, right, probe.line_size,
		      &outcome->damage);
	/* A mistake without wrong bytes would show nothing. */
	if ((variant->mistake == MISTAKE_NO_END ||
	     variant->mistake == MISTAKE_NO_START) &&
	    !outcome->damage.nr_bytes)
		outcome->is_as_predicted = false;
	image_draw_damage(&outcome->damage_picture, &outcome->seen, right,
			  probe.line_size);
	image_destroy(&predicted);
}

static void save(const struct image *image, const char *input,
		 const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s-%s.png", directory, input, name);
	if (image_save(image, path, 8))
		give_up("cannot write %s", path);
}

static void save_all(enum input input, const struct source *noncoherent,
		     const struct source *coherent,
		     struct outcome outcomes[NR_VARIANTS])
{
	char name[64];
	size_t i;

	save(&noncoherent->right[NR_ROUNDS - 1], input_names[input], "right");
	/* The coherent run has other frames. */
	save(&coherent->right[NR_ROUNDS - 1], input_names[input],
	     "coherent-right");
	for (i = 0; i < NR_VARIANTS; i++) {
		save(&outcomes[i].seen, input_names[input], variants[i].name);
		snprintf(name, sizeof(name), "%s-diff", variants[i].name);
		save(&outcomes[i].damage_picture, input_names[input], name);
	}
}

#define SHRINK		2u
#define TILE_W		(WIDTH / SHRINK)
#define TILE_H		(HEIGHT / SHRINK)
#define GAP		8u
#define CAPTION_H	20u
#define SHEET_MAX_LEN	(300 * 1024)

static const char *const legend[] = {
	"BRIGHT ROWS: WHAT WAS READ",
	"DARK ROWS: DIFFERENCE FROM THE RIGHT ONE",
	"RED: WRONG PIXELS",
	"BROWN: RIGHT ONES IN THE SAME CACHE LINE",
};

/* For each input there is a row of results and a row of wrong bytes. */
static void save_overview(struct outcome outcomes[NR_INPUTS][NR_VARIANTS])
{
	struct image sheet = new_image(NR_VARIANTS * (TILE_W + GAP) + GAP,
				       CAPTION_H + GAP +
				       NR_INPUTS * 2 * (TILE_H + GAP) +
				       CAPTION_H);
	char path[4096];
	struct stat stat;
	size_t i;
	int bits, input;

	memset(sheet.pixels, 0x18, image_len(&sheet));
	for (i = 0; i < NR_VARIANTS; i++) {
		unsigned int x = GAP + (unsigned int)i * (TILE_W + GAP);
		unsigned int y = CAPTION_H + GAP;

		image_draw_text(sheet.pixels, sheet.width, sheet.height,
				(int)x, 9, 1 + (TILE_W >= 12 * 30), 0xe0e0e0,
				variants[i].caption);
		for (input = 0; input < NR_INPUTS; input++) {
			image_paste_small(&sheet, x, y,
					  &outcomes[input][i].seen, SHRINK);
			y += TILE_H + GAP;
			image_paste_small(&sheet, x, y,
					  &outcomes[input][i].damage_picture,
					  SHRINK);
			y += TILE_H + GAP;
		}
	}
	for (i = 0; i < sizeof(legend) / sizeof(*legend); i++)
		image_draw_text(sheet.pixels, sheet.width, sheet.height,
				(int)(GAP + i * (TILE_W + GAP)),
				(int)(sheet.height - CAPTION_H), 1, 0xe0e0e0,
				legend[i]);
	snprintf(path, sizeof(path), "%s/overview.png", directory);
	for (bits = 8; bits > 2; bits--) {
		if (image_save(&sheet, path, bits) || lstat(path, &stat))
			give_up("cannot write %s", path);
		if (stat.st_size <= SHEET_MAX_LEN)
			break;
	}
	image_destroy(&sheet);
}

static const char row_format[] =
	"%-5s  %-30s %7s %6s %5s %8s %8s %s\n";

static void print_head(void)
{
	putchar('\n');
	printf(row_format, "", "", "wrong", "wrong", "sync", "lines", "lines",
	       "as the");
	printf(row_format, "input", "variant", "bytes", "lines", "calls",
	       "cleaned", "dropped", "rules");
	fflush(stdout);
}

static void print_row(enum input input, const struct variant *variant,
		      const struct outcome *outcome)
{
	char bytes[24], lines[24], syncs[24], cleaned[24], dropped[24];

	snprintf(bytes, sizeof(bytes), "%zu", outcome->damage.nr_bytes);
	snprintf(lines, sizeof(lines), "%zu", outcome->damage.nr_lines);
	snprintf(syncs, sizeof(syncs), "%u", outcome->nr_syncs);
	snprintf(cleaned, sizeof(cleaned), "%llu",
		 (unsigned long long)(outcome->work.lines_cleaned +
				      outcome->result.lines_cleaned));
	snprintf(dropped, sizeof(dropped), "%llu",
		 (unsigned long long)(outcome->work.lines_invalidated +
				      outcome->result.lines_invalidated));
	printf(row_format, input_names[input], variant->words, bytes, lines,
	       syncs, cleaned, dropped,
	       outcome->is_as_predicted ? "yes" : "NO");
	fflush(stdout);
}

static void print_place(enum input input, const struct outcome *outcome)
{
	const struct damage *damage = &outcome->damage;

	printf("  Where:  %s: %zu of %zu cache lines, rows %zu to %zu.\n",
	       input_names[input], damage->nr_lines, LEN / probe.line_size,
	       damage->first / ROW_LEN, damage->last / ROW_LEN);
}

/* Messages: what happened, where, and what to do */
static const char no_end_what[] =
"  What:   what the CPU drew stayed in its cache; the engine copied memory\n"
"          without it.\n";
static const char no_end_todo[] =
"  To do:  DMA_BUF_IOCTL_SYNC with DMA_BUF_SYNC_END after the last write,\n"
"          before the engine starts (libmem: mem_buf_end()).\n";
static const char no_start_what[] =
"  What:   the CPU had looked at these lines of the result a round before,\n"
"          and read its cache again, not what the engine wrote since.\n";
static const char no_start_todo[] =
"  To do:  DMA_BUF_IOCTL_SYNC with DMA_BUF_SYNC_START after the engine is\n"
"          done, before the read (libmem: mem_buf_begin()).\n";

static void explain(size_t variant,
		    struct outcome outcomes[NR_INPUTS][NR_VARIANTS])
{
	bool is_end = variants[variant].mistake == MISTAKE_NO_END;
	const struct outcome *outcome;
	int input;

	printf("\n%s\n%s", variants[variant].words,
	       is_end ? no_end_what : no_start_what);
	for (input = 0; input < NR_INPUTS; input++)
		print_place(input, &outcomes[input][variant]);
	fputs(is_end ? no_end_todo : no_start_todo, stdout);
	for (input = 0; input < NR_INPUTS; input++) {
		outcome = &outcomes[input][variant];
		printf("  Module: %s: missing cleans %llu, stale reads %llu\n",
		       input_names[input],
		       (unsigned long long)outcome->work.missing_cleans,
		       (unsigned long long)outcome->result.stale_reads);
	}
}

static void explain_all(struct outcome outcomes[NR_INPUTS][NR_VARIANTS])
{
	size_t i;

	for (i = 0; i < NR_VARIANTS; i++)
		if (variants[i].mistake == MISTAKE_NO_END ||
		    variants[i].mistake == MISTAKE_NO_START)
			explain(i, outcomes);
}

static void load_image(struct image *image, const char *path)
{
	int err = image_load(image, path);

	if (err == -EINVAL)
		give_up("%s is no PNG and no JPEG, or is broken", path);
	if (err == -EFBIG)
		give_up("%s has more than 100 million pixels", path);
	if (err)
		give_up("cannot read %s: %s", path, strerror(-err));
}

static void open_all(void)
{
	int err = mem_ctx_open(NULL, &ctx);

	if (err)
		give_up("cannot open /dev/heapsim: %s; is heapsim.ko inserted?",
			strerror(-err));
	must(mem_ctx_probe(ctx, &probe), "probe the module");
	if (probe.policy == MEM_POLICY_OFF || probe.evict_random)
		give_up("wants evict=none and policy=strict or policy=record");
}

int main(int argc, char **argv)
{
	static struct outcome outcomes[NR_INPUTS][NR_VARIANTS];
	struct source noncoherent, coherent;
	struct image photo;
	bool is_good = true;
	int input;
	size_t i;

	if (argc < 2 || argc > 3) {
		fputs("usage: demo PHOTO [DIRECTORY] | demo -c PHOTO\n",
		      stderr);
		return 2;
	}
	if (argc > 2 && !strcmp(argv[1], "-c")) {
		load_image(&photo, argv[2]);
		image_destroy(&photo);
		return 0;
	}
	if (argc > 2)
		directory = argv[2];
	load_image(&photo, argv[1]);
	open_all();
	printf("SoC %s: cache lines of %u bytes, %u bytes filled at a touch.\n",
	       probe.soc, probe.line_size, probe.fill_size);
	printf("Pictures of %u x %u, %zu cache lines, twice through buffers.\n",
	       WIDTH, HEIGHT, LEN / probe.line_size);
	print_head();
	for (input = 0; input < NR_INPUTS; input++) {
		prepare(&noncoherent, input, MEM_KIND_NONCOHERENT, &photo);
		prepare(&coherent, input, MEM_KIND_COHERENT, &photo);
		for (i = 0; i < NR_VARIANTS; i++) {
			run_variant(&outcomes[input][i],
				    variants[i].kind == MEM_KIND_COHERENT ?
				    &coherent : &noncoherent, &variants[i]);
			print_row(input, &variants[i], &outcomes[input][i]);
			is_good &= outcomes[input][i].is_as_predicted;
		}
		save_all(input, &noncoherent, &coherent, outcomes[input]);
		forget(&noncoherent);
		forget(&coherent);
	}
	explain_all(outcomes);
	save_overview(outcomes);
	for (input = 0; input < NR_INPUTS; input++)
		for (i = 0; i < NR_VARIANTS; i++) {
			image_destroy(&outcomes[input][i].seen);
			image_destroy(&outcomes[input][i].damage_picture);
		}
	image_destroy(&photo);
	mem_ctx_close(ctx);
	if (!is_good) {
		puts("\nNot as the rules say: heapsim or this demo has a bug.");
		return 1;
	}
	puts("\nEach variant is right, or wrong to the byte, by the rules.");
	return 0;
}
