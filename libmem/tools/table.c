// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a table with a row for each buffer, and the totals. Counts are since
 * the buffer was made; rates are per second since the previous sample, in which
 * a new buffer counts as 0.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heapsim.h"
#include "number.h"
#include "table.h"

static const struct {
	const char *name;	/* for --sort */
	const char *count;	/* headings */
	const char *rate;
	int width;		/* negative: left-aligned; 0: remaining width */
} columns[TABLE_NR_COLUMNS] = {
	[TABLE_ID] = { "id", "ID", "ID", 6 },
	[TABLE_NAME] = { "name", "NAME", "NAME", 0 },
	[TABLE_KIND] = { "kind", "KIND", "KIND", -11 },
	[TABLE_SIZE] = { "size", "SIZE", "SIZE", 6 },
	[TABLE_HOLDERS] = { "holders", "HOLD", "HOLD", 4 },
	[TABLE_FILLS] = { "fills", "FILLS", "FILL/s", 7 },
	[TABLE_CLEANED] = { "cleaned", "CLN KiB", "CLN K/s", 7 },
	[TABLE_INVALIDATED] = { "invalidated", "INV KiB", "INV K/s", 7 },
	[TABLE_REDUNDANT] = { "redundant", "REDUND", "REDUND", 6 },
	[TABLE_FINDINGS] = { "findings", "FINDS", "FINDS", 5 },
};

static void table_make_row(struct table_row *row, const struct sample_buf *buf,
			   const struct sample_buf *before, double seconds,
			   double line_kib)
{
	static const struct heapsim_counters none;
	const struct heapsim_counters *was = before ? &before->count : &none;
	const struct heapsim_counters *is = &buf->count;
	double *value = row->value;

	row->buf = buf;
	value[TABLE_ID] = buf->id;
	value[TABLE_SIZE] = buf->len;
	value[TABLE_HOLDERS] = buf->nr_holders;
	value[TABLE_FILLS] = (is->fills - was->fills) / seconds;
	value[TABLE_CLEANED] = (is->lines_cleaned - was->lines_cleaned) *
			       line_kib / seconds;
	value[TABLE_INVALIDATED] =
		(is->lines_invalidated - was->lines_invalidated) * line_kib /
		seconds;
	value[TABLE_REDUNDANT] = sample_redundant(is);
	value[TABLE_FINDINGS] = sample_findings(is);
	row->has_new_findings = sample_findings(is) > sample_findings(was);
}

/**
 * table_make() - make the table of a sample
 * @table: out; the caller calls table_fini() if this succeeds
 * @now: sample, which must outlive the table
 * @before: an earlier sample; NULL: counts instead of rates
 *
 * Return: 0 or -ENOMEM.
 */
int table_make(struct table *table, const struct sample *now,
	       const struct sample *before)
{
	double line_kib = now->device.probe.line_size / 1024.0, seconds = 1;
	const struct sample_buf *was;
	struct table_row *row;
	int column;
	size_t i;

	memset(table, 0, sizeof(*table));
	table->rows = calloc(now->nr_bufs + 1, sizeof(*table->rows));
	if (!table->rows)
		return -ENOMEM;
	table->nr = now->nr_bufs;
	if (before && now->time_ns > before->time_ns) {
		seconds = (now->time_ns - before->time_ns) / 1e9;
		table->has_rates = true;
	}
	for (i = 0; i < table->nr; i++) {
		row = &table->rows[i];
		was = table->has_rates ?
		      sample_find(before, now->bufs[i].id) : NULL;
		table_make_row(row, &now->bufs[i], was, seconds, line_kib);
		for (column = 0; column < TABLE_NR_COLUMNS; column++)
			table->total.value[column] += row->value[column];
		table->total.has_new_findings |= row->has_new_findings;
	}
	return 0;
}

/** table_fini() - free the rows of a table */
void table_fini(struct table *table)
{
	free(table->rows);
	memset(table, 0, sizeof(*table));
}

/* Sorts words and ids upwards, numbers downwards, and equal rows by id. */
static int table_compare_rows(const void *a, const void *b, void *arg)
{
	const struct table_row *left = a, *right = b;
	const struct table_order *order = arg;
	double x = left->value[order->by], y = right->value[order->by];
	int result;

	if (order->by == TABLE_NAME)
		result = strcmp(left->buf->name, right->buf->name);
	else if (order->by == TABLE_KIND)
		result = strcmp(left->buf->kind, right->buf->kind);
	else if (order->by == TABLE_ID)
		result = (x > y) - (x < y);
	else
		result = (x < y) - (x > y);
	if (order->is_reversed)
		result = -result;
	if (!result)
		result = (left->buf->id > right->buf->id) -
			 (left->buf->id < right->buf->id);
	return result;
}

/**
 * table_sort() - sort the rows
 * @table: table
 * @order: column to sort by, and direction
 */
void table_sort(struct table *table, const struct table_order *order)
{
	struct table_order how = *order;

	qsort_r(table->rows, table->nr, sizeof(*table->rows),
		table_compare_rows, &how);
}

/**
 * table_order_set() - parse the option --sort
 * @order: out: column to sort by
 * @name: name of a column, or its first letters
 * @who: prefix of messages
 *
 * Return: EXIT_OK, or EXIT_USAGE after an error message.
 */
int table_order_set(struct table_order *order, const char *name,
		    const char *who)
{
	int i;

	for (i = 0; i < TABLE_NR_COLUMNS; i++)
		if (*name && !strncmp(columns[i].name, name, strlen(name))) {
			order->by = i;
			return EXIT_OK;
		}
	return error_usage(who, "--sort %s: no such column", name);
}

/** table_column_name() - return a column's name for table_order_set() */
const char *table_column_name(enum table_column column)
{
	return columns[column].name;
}

/* Formats bytes for a column of six characters: "64K", "1.5M". */
static void table_format_size(char text[NUMBER_LEN], double bytes)
{
	static const char units[] = " KMGTPE";
	int unit = 0;

	while (bytes >= 1000) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, NUMBER_LEN,
		 bytes == (unsigned int)bytes ? "%.0f%c" : "%.1f%c", bytes,
		 unit ? units[unit] : '\0');
}

/* Appends a cell, with a blank before it unless it is the first. */
static size_t table_cell(char *line, size_t len, enum table_column column,
			 const char *text, int width)
{
	int wide = columns[column].width, i, fixed = 0;

	if (!wide) {	/* the name gets the remaining width */
		for (i = 0; i < TABLE_NR_COLUMNS; i++)
			fixed += 1 + abs(columns[i].width);
		wide = width - fixed;
		if (wide < 8)
			wide = 8;
		if (wide > HEAPSIM_NAME_LEN - 1)
			wide = HEAPSIM_NAME_LEN - 1;
		wide = -wide;
	}
	if (column)
		len += snprintf(line + len, TABLE_LINE - len, " ");
	if (len >= TABLE_LINE)
		return len;
	if (wide < 0)
		len += snprintf(line + len, TABLE_LINE - len, "%-*.*s", -wide,
				-wide, text);
	else
		len += snprintf(line + len, TABLE_LINE - len, "%*s", wide,
				text);
	return len < TABLE_LINE ? len : TABLE_LINE - 1;
}

/**
 * table_summary() - format the module's totals in one line
 * @sample: sample
 * @line: out: line
 */
void table_summary(char line[TABLE_LINE], const struct sample *sample)
{
	const struct heapsim_info *info = &sample->device.info;
	char len[NUMBER_LEN], cpu[NUMBER_LEN], pool[NUMBER_LEN];

	snprintf(line, TABLE_LINE,
		 "%llu buffer%s, %s; CPU views %s; pool %s; %llu job%s; %llu missing END%s",
		 (unsigned long long)info->nr_bufs,
		 number_plural(info->nr_bufs),
		 number_bytes(len, info->buf_bytes),
		 number_bytes(cpu, info->cpu_bytes),
		 number_bytes(pool, info->pool_bytes),
		 (unsigned long long)info->nr_jobs,
		 number_plural(info->nr_jobs),
		 (unsigned long long)info->missing_ends,
		 number_plural(info->missing_ends));
}

/**
 * table_header() - format the headings
 * @line: out: line
 * @table: table of counts or rates
 * @width: width of the terminal; names get the remaining width
 */
void table_header(char line[TABLE_LINE], const struct table *table, int width)
{
	size_t len = 0;
	int i;

	for (i = 0; i < TABLE_NR_COLUMNS; i++)
		len = table_cell(line, len, i, table->has_rates ?
				 columns[i].rate : columns[i].count, width);
}

/**
 * table_row() - format a row
 * @line: out: line
 * @row: row of a buffer, or the totals
 * @width: as for table_header()
 */
void table_row(char line[TABLE_LINE], const struct table_row *row, int width)
{
	const struct sample_buf *buf = row->buf;
	char number[NUMBER_LEN];
	const char *text;
	size_t len = 0;
	int i;

	for (i = 0; i < TABLE_NR_COLUMNS; i++) {
		text = number;
		if (i == TABLE_ID && buf)
			snprintf(number, sizeof(number), "%llu",
				 (unsigned long long)buf->id);
		else if (i == TABLE_ID)
			text = "";
		else if (i == TABLE_NAME)
			text = buf ? buf->name : "all";
		else if (i == TABLE_KIND)
			text = buf ? buf->kind : "";
		else if (i == TABLE_SIZE)
			table_format_size(number, row->value[i]);
		else
			number_short(number, row->value[i]);
		len = table_cell(line, len, i, text, width);
	}
}

/** table_print() - print the whole table on standard output */
void table_print(const struct table *table)
{
	char line[TABLE_LINE];
	size_t i;

	table_header(line, table, TABLE_WIDTH);
	puts(line);
	for (i = 0; i < table->nr; i++) {
		table_row(line, &table->rows[i], TABLE_WIDTH);
		puts(line);
	}
	table_row(line, &table->total, TABLE_WIDTH);
	puts(line);
}
