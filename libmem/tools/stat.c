// SPDX-License-Identifier: GPL-2.0-only
/* heapsim stat: prints counters of all buffers once, or rates periodically. */
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <json-c/json.h>

#include "heapsim.h"
#include "number.h"
#include "sample.h"
#include "table.h"

#define MAX_INTERVAL_S	86400

static const char help[] =
"usage: heapsim stat [OPTION]... [INTERVAL [COUNT]]\n"
"\n"
"Prints the counters of all buffers since their creation; with INTERVAL, rates\n"
"per second every INTERVAL seconds, COUNT times or until interrupted.\n"
"\n"
"  -s, --sort COLUMN  id (the default), name, kind, size, holders, fills,\n"
"                     cleaned, invalidated, redundant or findings\n"
"  -r, --reverse      reverse the order\n"
"  -j, --json         print one JSON object per line, with the raw counters\n"
"  -h, --help         this text\n"
"\n"
"Only root sees each buffer; other users see the sums.\n";

struct stat_options {
	struct table_order order;
	bool is_json;
	double interval_s;	/* 0: print counts once */
	uint64_t nr;	/* number of reports of rates; 0: unlimited */
};

static void stat_add_number(json_object *to, const char *name, uint64_t number)
{
	json_object_object_add(to, name, json_object_new_uint64(number));
}

static json_object *stat_make_buf(const struct sample_buf *buf)
{
	json_object *object = json_object_new_object();
	uint64_t count[SAMPLE_NR_COUNTERS];
	size_t i;

	memcpy(count, &buf->count, sizeof(count));
	stat_add_number(object, "id", buf->id);
	json_object_object_add(object, "name",
			       json_object_new_string(buf->name));
	json_object_object_add(object, "kind",
			       json_object_new_string(buf->kind));
	stat_add_number(object, "len", buf->len);
	stat_add_number(object, "nr_holders", buf->nr_holders);
	for (i = 0; i < SAMPLE_NR_COUNTERS; i++)
		stat_add_number(object, sample_counter_names[i], count[i]);
	return object;
}

static void stat_print_json(const struct sample *sample)
{
	const struct heapsim_info *info = &sample->device.info;
	json_object *all = json_object_new_object(), *bufs = NULL;
	const struct {
		const char *name;
		uint64_t number;
	} numbers[] = {
		{ "time_ns", sample->time_ns },
		{ "line_size", sample->device.probe.line_size },
		{ "nr_bufs", info->nr_bufs },
		{ "buf_bytes", info->buf_bytes },
		{ "cpu_bytes", info->cpu_bytes },
		{ "pool_bytes", info->pool_bytes },
		{ "nr_jobs", info->nr_jobs },
		{ "missing_ends", info->missing_ends },
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		stat_add_number(all, numbers[i].name, numbers[i].number);
	/* null means that buffers cannot be read; [] that there are none */
	if (!sample->bufs_err)
		bufs = json_object_new_array();
	for (i = 0; i < sample->nr_bufs; i++)
		json_object_array_add(bufs, stat_make_buf(&sample->bufs[i]));
	json_object_object_add(all, "bufs", bufs);
	puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_PLAIN));
	json_object_put(all);
}

static int stat_print(const struct stat_options *options,
		      const struct sample *now, const struct sample *before)
{
	char line[TABLE_LINE];
	struct table table;
	int err;

	if (options->is_json) {
		stat_print_json(now);
		return 0;
	}
	table_summary(line, now);
	puts(line);
	if (now->bufs_err)
		return 0;
	err = table_make(&table, now, before);
	if (err)
		return err;
	table_sort(&table, &options->order);
	table_print(&table);
	table_fini(&table);
	return 0;
}

/* Times are multiples of the interval after the first sample, without drift. */
static void stat_wait_until(uint64_t time_ns)
{
	struct timespec at = {
		.tv_sec = time_ns / 1000000000,
		.tv_nsec = time_ns % 1000000000,
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL))
		;
}

static int stat_print_rates(const struct stat_options *options,
			    struct sample *before, const char *who)
{
	uint64_t next_ns = before->time_ns;
	struct sample now;
	uint64_t i;
	int err;

	for (i = 0; !options->nr || i < options->nr; i++) {
		next_ns += options->interval_s * 1e9;
		stat_wait_until(next_ns);
		err = sample_take(&now);
		if (err)
			return device_print_error(who, err);
		if (i && !options->is_json)
			putchar('\n');
		err = stat_print(options, &now, before);
		sample_fini(before);
		*before = now;
		if (err || fflush(stdout)) {
			perror(who);
			return EXIT_FAILED;
		}
	}
	return EXIT_OK;
}

static int stat_parse_interval(struct stat_options *options, int nr,
			       char **words, const char *who)
{
	if (nr > 2)
		return error_usage(who, "%s: takes only INTERVAL and COUNT",
				   words[2]);
	if (nr && (number_seconds(words[0], MAX_INTERVAL_S,
				  &options->interval_s) ||
		   options->interval_s < 0.01))
		return error_usage(who,
				   "%s: not an interval from 0.01 to %d seconds",
				   words[0], MAX_INTERVAL_S);
	if (nr < 2)
		return EXIT_OK;
	if (number_whole(words[1], INT_MAX, &options->nr) || !options->nr)
		return error_usage(who, "%s: not a count above 0", words[1]);
	return EXIT_OK;
}

static int stat_run(const struct stat_options *options, const char *who)
{
	struct sample sample;
	int ret;

	ret = sample_take(&sample);
	if (ret)
		return device_print_error(who, ret);
	if (sample.bufs_err)
		error_print(who, "sums alone: %s",
			    sample_bufs_why(sample.bufs_err));
	if (options->interval_s > 0) {
		ret = stat_print_rates(options, &sample, who);
	} else if (stat_print(options, &sample, NULL)) {
		perror(who);
		ret = EXIT_FAILED;
	}
	sample_fini(&sample);
	return ret;
}

int cmd_stat(int argc, char **argv)
{
	static const struct option table[] = {
		{ "sort", required_argument, NULL, 's' },
		{ "reverse", no_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct stat_options options = { .order.by = TABLE_ID };
	int opt, ret;

	while ((opt = getopt_long(argc, argv, "s:rjh", table, NULL)) != -1) {
		switch (opt) {
		case 's':
			if (table_order_set(&options.order, optarg, argv[0]))
				return EXIT_USAGE;
			break;
		case 'r':
			options.order.is_reversed = true;
			break;
		case 'j':
			options.is_json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_OK;
		default:
			return error_try(argv[0]);
		}
	}
	ret = stat_parse_interval(&options, argc - optind, argv + optind,
				  argv[0]);
	return ret ? ret : stat_run(&options, argv[0]);
}
