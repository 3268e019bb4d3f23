// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The lines of a two-view buffer: what fills, stores, maintenance and engines
 * do to them, and what that is counted as. Documentation/model.rst has the
 * rules. Locks: none, see line.h.
 */
#include "line.h"

#define WORD_BITS 64
#define LINE_SIZE_MAX 128

/*
 * Multiplied by the number of a buffer, so that consecutive buffers have very
 * different random states.
 */
#define GOLDEN 0x9e3779b97f4a7c15ULL

/*
 * Bytes of a line that hold the pattern were not stored if they are so many in
 * a row, or so many in the line: one in 256 that were has the same by chance.
 */
#define PATTERN_ROW	8
#define PATTERN_LINE	16

static u64 line_size(const struct line_buf *buf)
{
	return 1ULL << buf->line_shift;
}

static size_t lines_per_page(const struct line_buf *buf)
{
	return (size_t)1 << (buf->page_shift - buf->line_shift);
}

static bool bit_is_set(const u64 *map, size_t bit)
{
	return map[bit / WORD_BITS] >> (bit % WORD_BITS) & 1;
}

static void bit_set(u64 *map, size_t bit)
{
	map[bit / WORD_BITS] |= 1ULL << (bit % WORD_BITS);
}

static void bit_clear(u64 *map, size_t bit)
{
	map[bit / WORD_BITS] &= ~(1ULL << (bit % WORD_BITS));
}

/* The bits [*bit, end) of the word that holds *bit; *bit moves behind them. */
static u64 next_mask(size_t *bit, size_t end)
{
	size_t first = *bit % WORD_BITS;
	size_t nr = WORD_BITS - first;

	if (nr > end - *bit)
		nr = end - *bit;
	*bit += nr;
	return (nr == WORD_BITS ? ~0ULL : (1ULL << nr) - 1) << first;
}

static bool any_bit(const u64 *map, size_t bit, size_t end)
{
	while (bit < end) {
		size_t word = bit / WORD_BITS;

		if (map[word] & next_mask(&bit, end))
			return true;
	}
	return false;
}

static bool all_bits(const u64 *map, size_t bit, size_t end)
{
	while (bit < end) {
		size_t word = bit / WORD_BITS;

		if (next_mask(&bit, end) & ~map[word])
			return false;
	}
	return true;
}

static struct line_page *page_of(const struct line_buf *buf, size_t line)
{
	return &buf->pages[line >> (buf->page_shift - buf->line_shift)];
}

/* Offset of the line's first byte in the images of its page. */
static size_t image_off(const struct line_buf *buf, size_t line)
{
	return (line & (lines_per_page(buf) - 1)) << buf->line_shift;
}

static u8 *twin_image(const struct line_page *page)
{
	return page->twin ? page->twin : page->dram;
}

static u8 *cpu_image(const struct line_page *page)
{
	return page->cpu ? page->cpu : twin_image(page);
}

/* len is a multiple of 32, a and b are aligned to it. */
static bool differs(const u8 *a, const u8 *b, size_t len)
{
	const u64 *x = (const u64 *)a;
	const u64 *y = (const u64 *)b;
	size_t i;

	for (i = 0; i < len / sizeof(*x); i += 4)
		if ((x[i] ^ y[i]) | (x[i + 1] ^ y[i + 1]) |
		    (x[i + 2] ^ y[i + 2]) | (x[i + 3] ^ y[i + 3]))
			return true;
	return false;
}

/* As above. A line is too short for the set-up cost of the host's memcpy. */
static void copy(u8 *to, const u8 *from, size_t len)
{
	const u64 *x = (const u64 *)from;
	u64 *y = (u64 *)to;
	size_t i;

	for (i = 0; i < len / sizeof(*x); i += 4) {
		u64 a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3];

		y[i] = a;
		y[i + 1] = b;
		y[i + 2] = c;
		y[i + 3] = d;
	}
}

/* Copies from the first difference on. Returns false if there is none. */
static bool update(u8 *to, const u8 *from, size_t len)
{
	const u64 *x = (const u64 *)from;
	u64 *y = (u64 *)to;
	size_t i;

	/* Most lines that have changed differ from their first byte on. */
	if (*x != *y) {
		copy(to, from, len);
		return true;
	}
	for (i = 0; i < len / sizeof(*x); i += 4) {
		u64 a = x[i], b = x[i + 1], c = x[i + 2], d = x[i + 3];

		if (!((a ^ y[i]) | (b ^ y[i + 1]) | (c ^ y[i + 2]) |
		      (d ^ y[i + 3])))
			continue;
		y[i] = a;
		y[i + 1] = b;
		y[i + 2] = c;
		y[i + 3] = d;
		copy((u8 *)(y + i + 4), (const u8 *)(x + i + 4),
		     len - (i + 4) * sizeof(*x));
		return true;
	}
	return false;
}

static void report(struct line_buf *buf, enum line_event event, size_t line)
{
	if (buf->report)
		buf->report(buf, event, (u64)line << buf->line_shift,
			    line_size(buf));
}

static bool is_valid(const struct line_buf *buf, size_t line)
{
	return bit_is_set(buf->valid, line);
}

static bool is_hidden(const struct line_buf *buf, size_t line)
{
	return bit_is_set(buf->hidden, line);
}

/*
 * The pattern of a buffer, eight bytes at a time: the output function of
 * splitmix64 over their place. No program writes it by design or by habit.
 */
static u64 pattern_word(u64 word)
{
	u64 x = (word + 1) * 0x9e3779b97f4a7c15ULL;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static u64 first_word(const struct line_buf *buf, size_t line)
{
	return (u64)line << (buf->line_shift - 3);
}

/** struct line_bytes - a bit for each byte of a line */
struct line_bytes {
	u64 bits[LINE_SIZE_MAX / WORD_BITS];
};

static size_t count_bytes(const struct line_bytes *bytes)
{
	return env_popcount64(bytes->bits[0]) + env_popcount64(bytes->bits[1]);
}

/* Returns a bit for each byte of a word that is zero, in memory order. */
static u64 zero_bytes(u64 word)
{
	const u64 low = 0x0101010101010101ULL;
	const u8 *bytes = (const u8 *)&word;
	u64 zero = 0;
	size_t i;

	if (!word)
		return 0xff;
	if (!((word - low) & ~word & (low << 7)))
		return 0;
	for (i = 0; i < sizeof(word); i++)
		zero |= (u64)!bytes[i] << i;
	return zero;
}

/* Finds the bytes of a hidden line that equal the pattern. */
static struct line_bytes pattern_bytes(const struct line_buf *buf, size_t line)
{
	const u64 *cpu = (const u64 *)(page_of(buf, line)->cpu +
				       image_off(buf, line));
	const u64 first = first_word(buf, line);
	struct line_bytes bytes = { { 0 } };
	size_t i;

	for (i = 0; i < line_size(buf) / sizeof(*cpu); i++)
		bytes.bits[i / 8] |= zero_bytes(cpu[i] ^
						pattern_word(first + i)) <<
				     (i % 8 * 8);
	return bytes;
}

/* Drops bytes that are not in a run of PATTERN_ROW or more. */
static void drop_short_rows(const struct line_buf *buf,
			    struct line_bytes *bytes)
{
	size_t i, j, row = 0;

	for (i = 0; i <= line_size(buf); i++) {
		if (i < line_size(buf) && bit_is_set(bytes->bits, i)) {
			row++;
			continue;
		}
		for (j = i - row; row < PATTERN_ROW && j < i; j++)
			bit_clear(bytes->bits, j);
		row = 0;
	}
}

/* Finds the bytes of a hidden line that the CPU has not stored. */
static struct line_bytes missing_bytes(const struct line_buf *buf, size_t line)
{
	struct line_bytes bytes = pattern_bytes(buf, line);
	const size_t nr = count_bytes(&bytes);

	if (nr < PATTERN_ROW)
		return (struct line_bytes){ { 0 } };
	if (nr < PATTERN_LINE)
		drop_short_rows(buf, &bytes);
	return bytes;
}

/* Returns true if the CPU has stored no byte of a hidden line. */
static bool is_pattern(const struct line_buf *buf, size_t line)
{
	const u64 *cpu = (const u64 *)(page_of(buf, line)->cpu +
				       image_off(buf, line));
	const u64 first = first_word(buf, line);
	size_t i;

	for (i = 0; i < line_size(buf) / sizeof(*cpu); i++)
		if (cpu[i] != pattern_word(first + i))
			return false;
	return true;
}

/*
 * Returns true if the CPU's bytes differ from those with which the line was
 * filled; for a hidden line, if the CPU has stored to it.
 */
static bool has_changed(const struct line_buf *buf, size_t line)
{
	const struct line_page *page = page_of(buf, line);
	size_t off = image_off(buf, line);

	if (!is_valid(buf, line) || !page->cpu)
		return false;
	if (is_hidden(buf, line))
		return !is_pattern(buf, line);
	return differs(page->cpu + off, twin_image(page) + off,
		       line_size(buf));
}

static bool is_dirty(const struct line_buf *buf, size_t line)
{
	return is_valid(buf, line) &&
	       (bit_is_set(buf->stored, line) || has_changed(buf, line));
}

/*
 * Returns true if DRAM lacks a byte that the CPU stored. A hidden line may be
 * Dirty although DRAM has all stored bytes.
 */
static bool is_unclean(const struct line_buf *buf, size_t line)
{
	const struct line_page *page = page_of(buf, line);
	size_t off = image_off(buf, line);
	struct line_bytes missing;
	size_t i;

	if (!is_hidden(buf, line) || bit_is_set(buf->stored, line))
		return is_dirty(buf, line);
	missing = missing_bytes(buf, line);
	for (i = 0; i < line_size(buf); i++)
		if (!bit_is_set(missing.bits, i) &&
		    page->cpu[off + i] != page->dram[off + i])
			return true;
	return false;
}

/* Hidden line: returns true if bytes that were not stored differ in DRAM. */
static bool is_any_stale(const struct line_buf *buf, size_t line,
			 const struct line_bytes *missing)
{
	const struct line_page *page = page_of(buf, line);
	size_t off = image_off(buf, line);
	size_t i;

	if (!count_bytes(missing))
		return false;
	for (i = 0; i < line_size(buf); i++)
		if (bit_is_set(missing->bits, i) &&
		    page->dram[off + i] != page->twin[off + i])
			return true;
	return false;
}

/* Bytes of a hidden line that the CPU has stored are not stale. */
static bool is_stale(const struct line_buf *buf, size_t line)
{
	const struct line_page *page = page_of(buf, line);
	size_t off = image_off(buf, line);
	struct line_bytes missing;

	if (!is_valid(buf, line) || !page->twin ||
	    !differs(page->dram + off, page->twin + off, line_size(buf)))
		return false;
	if (!is_hidden(buf, line) || is_pattern(buf, line))
		return true;
	missing = missing_bytes(buf, line);
	return is_any_stale(buf, line, &missing);
}

/* Returns true if the CPU has changed a byte. @missing: for a hidden line. */
static bool is_changed(const struct line_page *page, size_t off, size_t byte,
		       const struct line_bytes *missing)
{
	return missing ? !bit_is_set(missing->bits, byte) :
			 page->cpu[off + byte] != twin_image(page)[off + byte];
}

/* Returns the argument for is_changed(): @bytes, filled in, or NULL. */
static const struct line_bytes *missing_of(const struct line_buf *buf,
					   size_t line,
					   struct line_bytes *bytes)
{
	if (!is_hidden(buf, line))
		return NULL;
	*bytes = missing_bytes(buf, line);
	return bytes;
}

/*
 * Returns the end of the last byte that the CPU changed in the buffer, 0 none.
 */
static u64 last_changed_in(const struct line_buf *buf, size_t line)
{
	const struct line_page *page = page_of(buf, line);
	size_t off = image_off(buf, line);
	const struct line_bytes *missing;
	struct line_bytes bytes;
	size_t i;

	if (!has_changed(buf, line))
		return 0;
	missing = missing_of(buf, line, &bytes);
	for (i = line_size(buf); i-- > 0;)
		if (is_changed(page, off, i, missing))
			return ((u64)line << buf->line_shift) + i + 1;
	return 0;
}

/* Offset in the buffer of the first changed byte in the line from byte @from
 * on, or in the next line; 0 none (the first byte of all is never asked for).
 */
static u64 next_changed(const struct line_buf *buf, size_t line, size_t from)
{
	size_t nr_lines = buf->nr_pages * lines_per_page(buf);
	size_t end = line + 2 < nr_lines ? line + 2 : nr_lines;

	for (; line < end; line++, from = 0) {
		const struct line_page *page = page_of(buf, line);
		size_t off = image_off(buf, line);
		const struct line_bytes *missing;
		struct line_bytes bytes;
		size_t i;

		if (!has_changed(buf, line))
			continue;
		missing = missing_of(buf, line, &bytes);
		for (i = from; i < line_size(buf); i++)
			if (is_changed(page, off, i, missing))
				return ((u64)line << buf->line_shift) + i;
	}
	return 0;
}

/* Returns true if no line of the page or beside it can be stale. */
static bool is_never_stale(const struct line_buf *buf, size_t page)
{
	return !buf->pages[page].twin &&
	       (page + 1 == buf->nr_pages || !buf->pages[page + 1].twin);
}

/*
 * Stores where the CPU last changed a byte, before the line's images are moved.
 * This is needed only beside a stale line, and only a page with a twin has any:
 * all other maintenance skips the search.
 */
static void note_changes(const struct line_buf *buf, size_t line,
			 struct line_op *op)
{
	u64 last;

	if (is_never_stale(buf, page_of(buf, line) - buf->pages))
		return;
	last = last_changed_in(buf, line);
	if (last)
		op->last_changed = last;
}

/*
 * Returns true if a clean of this stale line would overwrite an engine's bytes.
 */
static bool loses_device_write(const struct line_buf *buf, size_t line,
			       const struct line_op *op)
{
	const struct line_page *page = page_of(buf, line);
	const u64 start = (u64)line << buf->line_shift;
	const size_t off = image_off(buf, line);
	u64 last = op->last_changed;
	u64 next = 0;
	size_t i;

	if (line > 0) {
		u64 before = last_changed_in(buf, line - 1);

		if (before > last)
			last = before;
	}
	for (i = 0; i < line_size(buf); i++) {
		u8 twin = page->twin[off + i];

		if (cpu_image(page)[off + i] != twin) {
			last = start + i + 1;
			continue;
		}
		if (page->dram[off + i] == twin)
			continue;
		if (!last)
			return true;
		if (next <= start + i)
			next = next_changed(buf, line, i);
		if (!next || next - last >= line_size(buf))
			return true;
	}
	return false;
}

/* Writes a Dirty line back to DRAM, which makes it Clean. */
static void write_back(struct line_buf *buf, size_t line)
{
	struct line_page *page = page_of(buf, line);
	size_t off = image_off(buf, line);
	u64 once[LINE_SIZE_MAX / sizeof(u64)];
	u8 *bytes = (u8 *)once;

	/*
	 * A driver may store to a CPU view that it has vmapped: copy it once.
	 */
	copy(bytes, cpu_image(page) + off, line_size(buf));
	if (page->cpu || page->twin)
		copy(page->dram + off, bytes, line_size(buf));
	if (page->cpu && page->twin)
		copy(page->twin + off, bytes, line_size(buf));
	bit_clear(buf->stored, line);
	if (bit_is_set(buf->written, line))
		bit_set(buf->reported, line);
	buf->count.lines_cleaned++;
}

/*
 * Writes back the Dirty lines of [bit, end) of a page with a CPU image and
 * without a twin: no line is stale, so no bytes are lost. Returns their number.
 */
static u64 write_back_lines(struct line_buf *buf, const struct line_page *page,
			    size_t bit, size_t end)
{
	const size_t size = line_size(buf);
	u64 nr = 0;

	while (bit < end) {
		size_t off = image_off(buf, bit);
		size_t word = bit / WORD_BITS;
		u64 mask = next_mask(&bit, end);
		u64 valid = mask & buf->valid[word];
		u64 stored = buf->stored[word];
		u64 line = mask & -mask;
		u64 done = 0;

		for (; line & mask; line <<= 1, off += size) {
			if (!(line & valid))
				continue;
			if (update(page->dram + off, page->cpu + off, size) ||
			    line & stored)
				done |= line;
		}
		nr += env_popcount64(done);
		buf->stored[word] = stored & ~valid;
		buf->reported[word] |= buf->written[word] & done;
	}
	buf->count.lines_cleaned += nr;
	return nr;
}

static void lose_device_write(struct line_buf *buf, size_t line)
{
	buf->count.lost_device_writes++;
	report(buf, LINE_LOST_DEVICE_WRITE, line);
}

/* Restores the old bytes where nothing was stored. */
static void show_line(struct line_buf *buf, size_t line)
{
	const struct line_page *page = page_of(buf, line);
	size_t off = image_off(buf, line);

	copy(page->cpu + off, page->twin + off, line_size(buf));
	bit_clear(buf->hidden, line);
}

/* Restores the old bytes of @missing only. */
static void show_bytes(struct line_buf *buf, size_t line,
		       const struct line_bytes *missing)
{
	const struct line_page *page = page_of(buf, line);
	size_t off = image_off(buf, line);
	size_t i;

	for (i = 0; count_bytes(missing) && i < line_size(buf); i++)
		if (bit_is_set(missing->bits, i))
			page->cpu[off + i] = page->twin[off + i];
	bit_clear(buf->hidden, line);
}

static void hide_line(struct line_buf *buf, size_t line)
{
	u64 *cpu = (u64 *)(page_of(buf, line)->cpu + image_off(buf, line));
	const u64 first = first_word(buf, line);
	size_t i;

	for (i = 0; i < line_size(buf) / sizeof(*cpu); i++)
		cpu[i] = pattern_word(first + i);
	bit_set(buf->hidden, line);
}

/* Writes the stored bytes of a line to DRAM; more stores may follow. */
static void write_back_stored(struct line_buf *buf, size_t line,
			      const struct line_bytes *missing)
{
	const struct line_page *page = page_of(buf, line);
	size_t off = image_off(buf, line);
	size_t i;

	for (i = 0; i < line_size(buf); i++)
		if (!bit_is_set(missing->bits, i))
			page->dram[off + i] = page->cpu[off + i];
	/* A store of a byte that equals the pattern leaves no other trace. */
	if (count_bytes(missing) < line_size(buf))
		bit_clear(buf->stored, line);
	buf->count.lines_cleaned++;
}

/* The line stays hidden while a WRITE bracket is open, for more stores. */
static void clean_hidden(struct line_buf *buf, size_t line, struct line_op *op)
{
	struct line_bytes missing;

	if (!is_dirty(buf, line)) {
		if (!buf->nr_write)
			show_line(buf, line);
		return;
	}
	op->nr_dirty++;
	missing = missing_bytes(buf, line);
	if (count_bytes(&missing))
		note_changes(buf, line, op);
	else
		op->last_changed = (u64)(line + 1) << buf->line_shift;
	if (buf->nr_write && count_bytes(&missing)) {
		write_back_stored(buf, line, &missing);
		return;
	}
	if (is_any_stale(buf, line, &missing)) {
		lose_device_write(buf, line);
		missing = pattern_bytes(buf, line);
	}
	show_bytes(buf, line, &missing);
	write_back(buf, line);
}

static void clean_line(struct line_buf *buf, size_t line, struct line_op *op)
{
	if (is_hidden(buf, line)) {
		clean_hidden(buf, line, op);
		return;
	}
	if (!is_dirty(buf, line))
		return;
	op->nr_dirty++;
	/*
	 * Stored afterwards, because bytes that changed before this line
	 * decide.
	 */
	if (is_stale(buf, line) && loses_device_write(buf, line, op))
		lose_device_write(buf, line);
	note_changes(buf, line, op);
	write_back(buf, line);
}

/* Returns the lines of @page that [op->off, op->end) touches. */
static void op_lines(const struct line_buf *buf, size_t page,
		     const struct line_op *op, size_t *first, size_t *end)
{
	size_t op_first = op->off >> buf->line_shift;
	size_t op_end = (op->end + line_size(buf) - 1) >> buf->line_shift;

	*first = page * lines_per_page(buf);
	*end = *first + lines_per_page(buf);
	if (*first < op_first)
		*first = op_first;
	if (*end > op_end)
		*end = op_end;
}

/**
 * line_bitmap_words() - return the length of each bitmap of a buffer
 * @nr_pages: pages of the buffer
 * @page_shift: log2 of the page size
 * @line_shift: log2 of the line size
 *
 * Return: number of u64.
 */
size_t line_bitmap_words(size_t nr_pages, u32 page_shift, u32 line_shift)
{
	size_t nr_lines = nr_pages << (page_shift - line_shift);

	return (nr_lines + WORD_BITS - 1) / WORD_BITS;
}

/**
 * line_set_bitmaps() - set the bitmaps of a buffer
 * @buf: buffer
 * @bitmaps: LINE_NR_BITMAPS times line_bitmap_words() words, zeroed; @valid is
 *	its address
 * @hidden: line_bitmap_words() words, zeroed. In an array of its own: an
 *	allocator that rounds up to a power of two would make five bitmaps eight
 */
void line_set_bitmaps(struct line_buf *buf, u64 *bitmaps, u64 *hidden)
{
	const size_t words = line_bitmap_words(buf->nr_pages, buf->page_shift,
					       buf->line_shift);

	buf->valid = bitmaps;
	buf->stored = buf->valid + words;
	buf->written = buf->stored + words;
	buf->reported = buf->written + words;
	buf->hidden = hidden;
}

/**
 * line_bracket_open() - START of a process
 * @buf: buffer
 * @bracket: the process's
 * @dir: of the START
 */
void line_bracket_open(struct line_buf *buf, struct line_bracket *bracket,
		       enum line_dir dir)
{
	bracket->nr_read += !!(dir & LINE_DIR_READ);
	bracket->nr_write += !!(dir & LINE_DIR_WRITE);
	bracket->nr_write_alone += dir == LINE_DIR_WRITE;
	buf->nr_write += !!(dir & LINE_DIR_WRITE);
}

/**
 * line_bracket_close() - END of a process
 * @buf: buffer
 * @bracket: the process's
 * @dir: of the END
 *
 * Return: false if it lacks its START in one of its directions: then it closes
 * nothing.
 */
bool line_bracket_close(struct line_buf *buf, struct line_bracket *bracket,
			enum line_dir dir)
{
	const u32 nr_read = !!(dir & LINE_DIR_READ);
	const u32 nr_write = !!(dir & LINE_DIR_WRITE);

	if (bracket->nr_read < nr_read || bracket->nr_write < nr_write)
		return false;
	bracket->nr_read -= nr_read;
	bracket->nr_write -= nr_write;
	buf->nr_write -= nr_write;
	if (bracket->nr_write_alone &&
	    (dir == LINE_DIR_WRITE ||
	     bracket->nr_write_alone > bracket->nr_write))
		bracket->nr_write_alone--;
	return true;
}

/**
 * line_bracket_end() - close all brackets of a process that cannot end them
 * @buf: buffer
 * @bracket: the process's
 */
void line_bracket_end(struct line_buf *buf, struct line_bracket *bracket)
{
	buf->nr_write -= bracket->nr_write;
	memset(bracket, 0, sizeof(*bracket));
}

/**
 * line_bracket_hides() - check whether a store of a process hides stale lines
 * @bracket: brackets of the process; NULL: it never had one
 *
 * Return: true if it has a bracket for writing only, or none.
 */
bool line_bracket_hides(const struct line_bracket *bracket)
{
	return !bracket || bracket->nr_write_alone ||
	       (!bracket->nr_read && !bracket->nr_write);
}

/**
 * line_seed() - set the state of random eviction
 * @buf: buffer
 * @seed: seed
 * @nr: number of the buffer among those with this seed, which each get a
 *	sequence of their own; 0: the seed's
 */
void line_seed(struct line_buf *buf, u64 seed, u64 nr)
{
	buf->random = seed ^ nr * GOLDEN;
}

/**
 * line_choose() - choose a line that a cache might evict or fetch
 * @buf: buffer
 *
 * The same seed and number of calls choose the same lines (xorshift64).
 *
 * Context: the host serialises calls; nothing else uses the state.
 * Return: number of the line.
 */
size_t line_choose(struct line_buf *buf)
{
	u64 x = buf->random ? buf->random : 1;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	buf->random = x;
	return x % buf->nr_pages * lines_per_page(buf) +
	       (x >> 32) % lines_per_page(buf);
}

/**
 * line_page_has_valid() - check whether a page has a valid line
 * @buf: buffer
 * @page: page number
 *
 * If it has none, the host may take the page's images back.
 *
 * Return: true if a line is not Invalid.
 */
bool line_page_has_valid(const struct line_buf *buf, size_t page)
{
	size_t first = page * lines_per_page(buf);

	return any_bit(buf->valid, first, first + lines_per_page(buf));
}

/**
 * line_page_has_written() - check whether an engine wrote a line of a page
 * @buf: buffer
 * @page: page number
 *
 * Return: true if it did since the line's last invalidate.
 */
bool line_page_has_written(const struct line_buf *buf, size_t page)
{
	size_t first = page * lines_per_page(buf);

	return any_bit(buf->written, first, first + lines_per_page(buf));
}

/**
 * line_page_is_harmless() - check whether accesses can be left untracked
 * @buf: buffer
 * @page: page number
 *
 * Return: true if no access to the page, once filled, could be a violation now.
 */
bool line_page_is_harmless(const struct line_buf *buf, size_t page)
{
	return !buf->pages[page].twin && !line_page_has_written(buf, page);
}

/**
 * line_page_is_valid() - check whether all lines of a page are valid
 * @buf: buffer
 * @page: page number
 *
 * Return: true if there is nothing to fill.
 */
bool line_page_is_valid(const struct line_buf *buf, size_t page)
{
	size_t first = page * lines_per_page(buf);

	return all_bits(buf->valid, first, first + lines_per_page(buf));
}

/**
 * line_page_is_written() - check whether line_engine_write() can be skipped
 * @buf: buffer
 * @page: page number
 *
 * Return: true if engines have written each line of the page, and since then
 * the CPU has not stored to any, and none was reported: line_engine_write()
 * would change nothing.
 */
bool line_page_is_written(const struct line_buf *buf, size_t page)
{
	size_t first = page * lines_per_page(buf);
	size_t end = first + lines_per_page(buf);

	return !buf->pages[page].cpu && all_bits(buf->written, first, end) &&
	       !any_bit(buf->reported, first, end);
}

/**
 * line_page_has_dirty() - check whether a page has a Dirty line
 * @buf: buffer
 * @page: page number
 *
 * Return: true if it has; compares all bytes.
 */
bool line_page_has_dirty(const struct line_buf *buf, size_t page)
{
	size_t line = page * lines_per_page(buf);
	size_t end = line + lines_per_page(buf);

	if (!buf->pages[page].cpu)
		return false;
	for (; line < end; line++)
		if (is_dirty(buf, line))
			return true;
	return false;
}

/**
 * line_page_is_shared() - check whether the CPU view of a page is DRAM
 * @buf: buffer
 * @page: page number
 *
 * Return: true if the page has no image of its own.
 */
bool line_page_is_shared(const struct line_buf *buf, size_t page)
{
	return !buf->pages[page].cpu && !buf->pages[page].twin;
}

/**
 * line_page_has_hidden() - check for lines whose old bytes are aside
 * @buf: buffer
 * @page: page number
 *
 * While a page has one, it keeps both its images.
 *
 * Return: true if the page has one.
 */
bool line_page_has_hidden(const struct line_buf *buf, size_t page)
{
	size_t first = page * lines_per_page(buf);

	return any_bit(buf->hidden, first, first + lines_per_page(buf));
}

/**
 * line_fill_page() - fetch all Invalid lines of a page from DRAM
 * @buf: buffer
 * @page: page number
 *
 * The host calls it for each page of the fill granule, and counts one fill
 * event if any line was filled.
 *
 * Return: number of lines filled.
 */
u64 line_fill_page(struct line_buf *buf, size_t page)
{
	struct line_page *p = &buf->pages[page];
	size_t bit = page * lines_per_page(buf);
	size_t end = bit + lines_per_page(buf);
	u64 nr = 0;

	while (bit < end) {
		size_t word = bit / WORD_BITS;
		u64 todo = next_mask(&bit, end) & ~buf->valid[word];

		buf->valid[word] |= todo;
		nr += env_popcount64(todo);
		while (todo && (p->cpu || p->twin)) {
			size_t line = word * WORD_BITS + __builtin_ctzll(todo);
			size_t off = image_off(buf, line);

			todo &= todo - 1;
			if (p->cpu)
				copy(p->cpu + off, p->dram + off,
				     line_size(buf));
			if (p->twin)
				copy(p->twin + off, p->dram + off,
				     line_size(buf));
		}
	}
	buf->count.lines_filled += nr;
	return nr;
}

/**
 * line_touch() - account for a touch of the CPU that was detected
 * @buf: buffer
 * @off: offset of the access, bytes; its line is valid (filled before)
 * @access: LINE_READ or LINE_WRITE; for a write the page has a CPU image
 * @who: the host's number of the process that stores
 */
void line_touch(struct line_buf *buf, u64 off, enum line_access access,
		u32 who)
{
	size_t line = off >> buf->line_shift;

	if (access == LINE_WRITE) {
		bit_set(buf->stored, line);
		page_of(buf, line)->writer = who;
		return;
	}
	if (is_stale(buf, line)) {
		buf->count.stale_reads++;
		report(buf, LINE_STALE_READ, line);
	} else if (bit_is_set(buf->written, line) &&
		   !bit_is_set(buf->reported, line) && !is_dirty(buf, line)) {
		buf->count.possible_stale_reads++;
		report(buf, LINE_POSSIBLE_STALE_READ, line);
	}
	if (bit_is_set(buf->written, line))
		bit_set(buf->reported, line);
}

/**
 * line_hide_page() - handle a store of the CPU to a page that was detected
 * @buf: buffer
 * @page: page number; it has a CPU image
 * @bracket: of the process that stores; NULL: it has had none
 *
 * To be called before line_touch(). Puts the old bytes of Clean stale lines
 * aside, so that stored bytes can be distinguished from others, whatever their
 * value.
 *
 * Return: true if a line was hidden: the next read of the page must be
 * detected, by any PTE.
 */
bool line_hide_page(struct line_buf *buf, size_t page,
		    const struct line_bracket *bracket)
{
	size_t line = page * lines_per_page(buf);
	size_t end = line + lines_per_page(buf);
	bool is_news = false;

	if (!buf->pages[page].twin || !line_bracket_hides(bracket))
		return false;
	for (; line < end; line++) {
		if (is_hidden(buf, line) || !is_stale(buf, line) ||
		    is_dirty(buf, line))
			continue;
		hide_line(buf, line);
		is_news = true;
	}
	return is_news;
}

/**
 * line_show_page() - handle a read of the CPU from a page that was detected
 * @buf: buffer
 * @page: page number
 * @bracket: of the process that reads; NULL: it has had none
 *
 * To be called before line_touch(). Hidden lines without a store get their old
 * bytes back, unless the process is in a READ bracket: what it reads there was
 * taken in, and other processes may be about to store.
 *
 * Return: true if a line got them back: the next store to the page must be
 * detected, by any PTE.
 */
bool line_show_page(struct line_buf *buf, size_t page,
		    const struct line_bracket *bracket)
{
	size_t line = page * lines_per_page(buf);
	size_t end = line + lines_per_page(buf);
	bool is_news = false;

	if (!any_bit(buf->hidden, line, end) || (bracket && bracket->nr_read))
		return false;
	for (; line < end; line++) {
		if (!is_hidden(buf, line) || is_dirty(buf, line))
			continue;
		show_line(buf, line);
		is_news = true;
	}
	return is_news;
}

/**
 * line_show_all() - prepare a page for reads that are not detected
 * @buf: buffer
 * @page: page number
 *
 * Like line_show_page(); a line with stores also gets its other old bytes back:
 * it is Dirty, and stale if it was.
 */
void line_show_all(struct line_buf *buf, size_t page)
{
	size_t line = page * lines_per_page(buf);
	size_t end = line + lines_per_page(buf);
	struct line_bytes missing;

	for (; line < end; line++) {
		if (!is_hidden(buf, line))
			continue;
		missing = missing_bytes(buf, line);
		if (is_dirty(buf, line))
			bit_set(buf->stored, line);
		show_bytes(buf, line, &missing);
	}
}

/**
 * line_add_cpu() - give a page a CPU image, so that it can be stored to
 * @buf: buffer
 * @page: page number; it has no CPU image
 * @image: a page of memory, lent until the page has no valid line
 */
void line_add_cpu(struct line_buf *buf, size_t page, u8 *image)
{
	env_copy_page(image, cpu_image(&buf->pages[page]), buf->page_shift);
	line_lend_cpu(buf, page, image);
}

/**
 * line_lend_cpu() - like line_add_cpu(), with an image that has the bytes
 * @buf: buffer
 * @page: page number; it has no CPU image
 * @image: a page of memory with the CPU view of the page
 */
void line_lend_cpu(struct line_buf *buf, size_t page, u8 *image)
{
	buf->pages[page].cpu = image;
}

/**
 * line_add_twin() - give a page a twin, so that DRAM can be written
 * @buf: buffer
 * @page: page number; it has no twin
 * @image: a page of memory, lent until the page has no valid line
 */
void line_add_twin(struct line_buf *buf, size_t page, u8 *image)
{
	env_copy_page(image, buf->pages[page].dram, buf->page_shift);
	line_lend_twin(buf, page, image);
}

/**
 * line_lend_twin() - like line_add_twin(), with an image that has the bytes
 * @buf: buffer
 * @page: page number; if it has a twin, the host may take that back
 * @image: a page of memory with the bytes with which valid lines were filled
 */
void line_lend_twin(struct line_buf *buf, size_t page, u8 *image)
{
	buf->pages[page].twin = image;
}

/**
 * line_needs_twin() - check whether a page needs a twin before DRAM is written
 * @buf: buffer
 * @page: page number
 *
 * Return: true if it has valid lines and no twin.
 */
bool line_needs_twin(const struct line_buf *buf, size_t page)
{
	return !buf->pages[page].twin && line_page_has_valid(buf, page);
}

/*
 * Returns the first line of [line, end) that is Dirty and not in DRAM, or @end.
 * Skips whole pages if one check is enough.
 */
static size_t next_unclean(const struct line_buf *buf, size_t line, size_t end)
{
	while (line < end) {
		const struct line_page *page = page_of(buf, line);
		const size_t off = image_off(buf, line);
		size_t stop = (line | (lines_per_page(buf) - 1)) + 1;

		if (stop > end)
			stop = end;
		if (page->cpu &&
		    (any_bit(buf->stored, line, stop) ||
		     any_bit(buf->hidden, line, stop) ||
		     differs(page->cpu + off, twin_image(page) + off,
			     (stop - line) << buf->line_shift)))
			for (; line < stop; line++)
				if (is_unclean(buf, line))
					return line;
		line = stop;
	}
	return end;
}

/**
 * line_job_words() - return the length of the bitmap of a job
 * @off: first byte that the job uses
 * @len: bytes from there to the end of the last, at least 1
 * @line_shift: log2 of the line size
 *
 * Return: number of u64.
 */
size_t line_job_words(u64 off, u64 len, u32 line_shift)
{
	u64 last = (off + len - 1) >> line_shift;

	return (last - (off >> line_shift)) / WORD_BITS + 1;
}

/**
 * line_job_init() - initialise a job, for which no line has been reported
 * @job: job
 * @map: line_job_words() words, zeroed
 * @off: first byte that the job uses
 * @line_shift: log2 of the line size
 */
void line_job_init(struct line_job *job, u64 *map, u64 off, u32 line_shift)
{
	job->first = off >> line_shift;
	job->map = map;
}

/* Returns true if the line has not been reported for the job yet. */
static bool is_news(struct line_job *job, size_t line)
{
	if (!job || !job->map)
		return !job;
	if (bit_is_set(job->map, line - job->first))
		return false;
	bit_set(job->map, line - job->first);
	return true;
}

/* Counts and reports Dirty lines of a range. @job: see line_engine_read(). */
static void engine_meets_dirty(struct line_buf *buf, u64 off, u64 len,
			       struct line_job *job, u64 *count,
			       enum line_event event)
{
	size_t line, end;

	if (!len)
		return;
	end = ((off + len - 1) >> buf->line_shift) + 1;
	for (line = next_unclean(buf, off >> buf->line_shift, end); line < end;
	     line = next_unclean(buf, line + 1, end)) {
		if (!is_news(job, line))
			continue;
		(*count)++;
		report(buf, event, line);
	}
}

/**
 * line_engine_read() - account for an engine that reads DRAM, or may from now
 * on
 * @buf: buffer
 * @off: first byte
 * @len: bytes
 * @job: job for which each line is reported once, however often it is read; if
 *	it has no bitmap, all lines have been reported; NULL: report each time
 */
void line_engine_read(struct line_buf *buf, u64 off, u64 len,
		      struct line_job *job)
{
	engine_meets_dirty(buf, off, len, job, &buf->count.missing_cleans,
			   LINE_MISSING_CLEAN);
}

/**
 * line_engine_will_write() - account for an engine that may write DRAM from now
 * @buf: buffer
 * @off: first byte
 * @len: bytes
 * @job: as for line_engine_read(), with another bitmap
 */
void line_engine_will_write(struct line_buf *buf, u64 off, u64 len,
			    struct line_job *job)
{
	engine_meets_dirty(buf, off, len, job, &buf->count.write_conflicts,
			   LINE_WRITE_CONFLICT);
}

/**
 * line_engine_write() - account for an engine that writes DRAM
 * @buf: buffer
 * @off: first byte
 * @len: bytes
 * @job: as for line_engine_will_write()
 *
 * The host moves the bytes, after it has given twins to all pages that need
 * one.
 */
void line_engine_write(struct line_buf *buf, u64 off, u64 len,
		       struct line_job *job)
{
	size_t line = off >> buf->line_shift;
	size_t end;

	if (!len)
		return;
	line_engine_will_write(buf, off, len, job);
	end = ((off + len - 1) >> buf->line_shift) + 1;
	while (line < end) {
		const size_t word = line / WORD_BITS;
		const u64 mask = next_mask(&line, end);

		buf->written[word] |= mask;
		buf->reported[word] &= ~mask;
	}
}

/**
 * line_op_begin() - begin a maintenance operation
 * @op: operation
 * @off: first byte
 * @len: bytes; no overflow
 *
 * The host then passes the pages of the range in ascending order; it may skip
 * pages without valid lines and without writes of engines.
 */
void line_op_begin(struct line_op *op, u64 off, u64 len)
{
	memset(op, 0, sizeof(*op));
	op->off = off;
	op->end = off + len;
}

/**
 * line_clean_page() - clean the lines of a page that are in the range
 * @buf: buffer
 * @page: page number
 * @op: operation
 *
 * A line that is partly inside is cleaned as a whole.
 */
void line_clean_page(struct line_buf *buf, size_t page, struct line_op *op)
{
	struct line_page *p = &buf->pages[page];
	size_t line, end;

	if (!p->cpu)
		return;
	op_lines(buf, page, op, &line, &end);
	if (is_never_stale(buf, page)) {
		op->nr_dirty += write_back_lines(buf, p, line, end);
		return;
	}
	for (; line < end; line++)
		clean_line(buf, line, op);
}

/**
 * line_clean_end() - end a clean
 * @buf: buffer
 * @op: operation
 */
void line_clean_end(struct line_buf *buf, const struct line_op *op)
{
	if (op->nr_dirty)
		return;
	buf->count.redundant_cleans++;
	if (buf->report)
		buf->report(buf, LINE_REDUNDANT_CLEAN, op->off,
			    op->end - op->off);
}

static void lose_cpu_write(struct line_buf *buf, size_t line)
{
	buf->count.lost_cpu_writes++;
	report(buf, LINE_LOST_CPU_WRITE, line);
}

static void drop_line(struct line_buf *buf, size_t line)
{
	if (is_valid(buf, line)) {
		buf->count.lines_invalidated++;
		bit_clear(buf->valid, line);
	}
	bit_clear(buf->stored, line);
	bit_clear(buf->written, line);
	bit_clear(buf->reported, line);
	bit_clear(buf->hidden, line);
}

/* Drops lines [bit, end), none of which can be Dirty or hidden. */
static void drop_clean_lines(struct line_buf *buf, size_t bit, size_t end,
			     struct line_op *op)
{
	while (bit < end) {
		size_t word = bit / WORD_BITS;
		u64 mask = next_mask(&bit, end);
		u64 nr_valid = env_popcount64(buf->valid[word] & mask);

		op->nr_valid += nr_valid;
		op->nr_written += env_popcount64(buf->written[word] & mask);
		buf->count.lines_invalidated += nr_valid;
		buf->valid[word] &= ~mask;
		buf->stored[word] &= ~mask;
		buf->written[word] &= ~mask;
		buf->reported[word] &= ~mask;
	}
}

static bool is_partly_in(const struct line_buf *buf, size_t line,
			 const struct line_op *op)
{
	u64 start = (u64)line << buf->line_shift;

	return start < op->off || start + line_size(buf) > op->end;
}

static void count_shared(struct line_buf *buf, size_t line)
{
	buf->count.shared_lines++;
	report(buf, LINE_SHARED, line);
}

/**
 * line_invalidate_page() - invalidate the lines of a page in the range
 * @buf: buffer
 * @page: page number
 * @op: operation
 *
 * A line that is partly inside is cleaned first: bytes outside are not lost.
 */
void line_invalidate_page(struct line_buf *buf, size_t page,
			  struct line_op *op)
{
	size_t line, end;

	op_lines(buf, page, op, &line, &end);
	if (line >= end)
		return;
	if (is_partly_in(buf, line, op))
		count_shared(buf, line);
	if (end - line > 1 && is_partly_in(buf, end - 1, op))
		count_shared(buf, end - 1);
	if (!buf->pages[page].cpu) {
		drop_clean_lines(buf, line, end, op);
		return;
	}
	for (; line < end; line++) {
		op->nr_valid += is_valid(buf, line);
		op->nr_written += bit_is_set(buf->written, line);
		if (is_partly_in(buf, line, op)) {
			clean_line(buf, line, op);
		} else if (has_changed(buf, line) && is_unclean(buf, line)) {
			note_changes(buf, line, op);
			lose_cpu_write(buf, line);
		}
		drop_line(buf, line);
	}
}

/**
 * line_take_in_page() - make the CPU see DRAM, as START and unmap do
 * @buf: buffer
 * @page: page number
 * @keep_dirty: the process that stored to this page has a WRITE bracket open
 * @op: operation
 */
void line_take_in_page(struct line_buf *buf, size_t page, bool keep_dirty,
		       struct line_op *op)
{
	struct line_page *p = &buf->pages[page];
	size_t line, end;

	op_lines(buf, page, op, &line, &end);
	if (line >= end)
		return;
	if (p->cpu && !p->twin && !keep_dirty)
		write_back_lines(buf, p, line, end);
	if (!p->cpu || (!p->twin && !keep_dirty)) {
		drop_clean_lines(buf, line, end, op);
		return;
	}
	for (; line < end; line++) {
		op->nr_valid += is_valid(buf, line);
		op->nr_written += bit_is_set(buf->written, line);
		if (is_dirty(buf, line)) {
			if (is_hidden(buf, line) ? buf->nr_write : keep_dirty)
				continue;
			if (is_hidden(buf, line) || is_stale(buf, line))
				lose_cpu_write(buf, line);
			else
				write_back(buf, line);
		}
		drop_line(buf, line);
	}
}

/**
 * line_invalidate_end() - end an invalidate or a take-in
 * @buf: buffer
 * @op: operation
 * @was_held_by_writer: an importer that may write held the buffer since the
 *	last invalidate
 */
void line_invalidate_end(struct line_buf *buf, const struct line_op *op,
			 bool was_held_by_writer)
{
	if (op->nr_valid || op->nr_written || was_held_by_writer)
		return;
	buf->count.redundant_invalidates++;
	if (buf->report)
		buf->report(buf, LINE_REDUNDANT_INVALIDATE, op->off,
			    op->end - op->off);
}

/**
 * line_compare_page() - find what a holder wrote while the CPU could read
 * @buf: buffer
 * @page: page number; the CPU had access to it in a READ bracket, so that its
 *	reads were not seen
 *
 * A Clean line that is stale counts as a stale read.
 *
 * Return: number of these lines.
 */
u64 line_compare_page(struct line_buf *buf, size_t page)
{
	size_t line = page * lines_per_page(buf);
	size_t end = line + lines_per_page(buf);
	u64 nr = 0;

	if (!buf->pages[page].twin)
		return 0;
	for (; line < end; line++) {
		if (!is_stale(buf, line) || is_dirty(buf, line))
			continue;
		nr++;
		buf->count.stale_reads++;
		report(buf, LINE_UNSEEN_STALE_READ, line);
	}
	return nr;
}

/**
 * line_evict() - evict a line, as a cache may do at any time
 * @buf: buffer
 * @line: line number
 *
 * A Dirty line is written back as by a clean. An Invalid line stays as it is,
 * and so does a line that stays hidden at a clean.
 */
void line_evict(struct line_buf *buf, size_t line)
{
	struct line_op op;

	if (!is_valid(buf, line))
		return;
	line_op_begin(&op, (u64)line << buf->line_shift, line_size(buf));
	clean_line(buf, line, &op);
	if (is_hidden(buf, line))
		return;
	bit_clear(buf->valid, line);
	buf->count.evictions++;
}
