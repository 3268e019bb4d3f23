/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of buffers that stat and top show. */
#ifndef HEAPSIM_TABLE_H
#define HEAPSIM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample.h"

enum table_column {
	TABLE_ID,
	TABLE_NAME,
	TABLE_KIND,
	TABLE_SIZE,
	TABLE_HOLDERS,
	TABLE_FILLS,
	TABLE_CLEANED,
	TABLE_INVALIDATED,
	TABLE_REDUNDANT,
	TABLE_FINDINGS,
	TABLE_NR_COLUMNS,
};

struct table_row {
	const struct sample_buf *buf;	/* NULL: the totals */
	/* By column: 0 for names and kinds, bytes for sizes, else the number */
	double value[TABLE_NR_COLUMNS];
	bool has_new_findings;
};

/* A table points into the sample from which it was made. */
struct table {
	struct table_row *rows;
	size_t nr;
	struct table_row total;
	bool has_rates;		/* rates since the last sample, else counts */
};

/* How the rows of a table are sorted */
struct table_order {
	enum table_column by;
	bool is_reversed;
};

#define TABLE_WIDTH	80	/* width of lines without a terminal */
#define TABLE_LINE	160	/* room for the widest line */

int table_make(struct table *table, const struct sample *now,
	       const struct sample *before);
void table_fini(struct table *table);
void table_sort(struct table *table, const struct table_order *order);
int table_order_set(struct table_order *order, const char *name,
		    const char *who);
const char *table_column_name(enum table_column column);

void table_summary(char line[TABLE_LINE], const struct sample *sample);
void table_header(char line[TABLE_LINE], const struct table *table, int width);
void table_row(char line[TABLE_LINE], const struct table_row *row, int width);
void table_print(const struct table *table);

#endif
