// SPDX-License-Identifier: GPL-2.0-only
/* heapsim info: prints the simulated board, and the module's counters. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "device.h"
#include "heapsim.h"
#include "number.h"

static const char help[] =
"usage: heapsim info [OPTION]...\n"
"\n"
"Prints the simulated board and the state of the module.\n"
"\n"
"  -j, --json  one JSON object\n"
"  -h, --help  this text\n";

static char *info_read_version(void)
{
	FILE *file = fopen("/sys/module/heapsim/version", "re");
	char *version = NULL;

	if (!file)
		return NULL;
	if (fscanf(file, "%m[^\n]", &version) != 1)
		version = NULL;
	fclose(file);
	return version;
}

static void info_print_board(const struct heapsim_probe *probe,
			     const char *policy)
{
	char size[NUMBER_LEN];

	printf("board           %s, %s\n", probe->soc, probe->io_coherent ?
	       "I/O-coherent: system buffers have one view" :
	       "not I/O-coherent: system buffers have two views");
	printf("cache line      %s\n", number_bytes(size, probe->line_size));
	printf("fill granule    %s\n", number_bytes(size, probe->fill_size));
	printf("page            %s\n", number_bytes(size, probe->page_size));
	printf("policy          %s\n", policy);
	if (probe->evict_random)
		printf("eviction        random, seed %llu\n",
		       (unsigned long long)probe->seed);
	else
		printf("eviction        none\n");
	printf("system-uncached %s\n",
	       probe->features & HEAPSIM_FEATURE_WRITE_COMBINE ?
	       "mapped write-combined" :
	       "mapped cached: this machine supports nothing else");
}

static void info_print_state(const struct heapsim_info *info)
{
	char size[NUMBER_LEN];

	printf("live buffers    %llu, ", (unsigned long long)info->nr_bufs);
	printf("%s\n", number_bytes(size, info->buf_bytes));
	printf("CPU views       %s\n", number_bytes(size, info->cpu_bytes));
	printf("pooled pages    %s\n", number_bytes(size, info->pool_bytes));
	printf("limit           %s", number_bytes(size, info->limit_bytes));
	printf(", of one user %s\n",
	       number_bytes(size, info->user_limit_bytes));
	printf("jobs not done   %llu\n", (unsigned long long)info->nr_jobs);
	printf("missing ENDs    %llu\n",
	       (unsigned long long)info->missing_ends);
}

static void info_print_text(const struct device_state *state)
{
	char *version = info_read_version(), *heaps = device_heaps(" ");

	printf("module          %s, ABI %u\n", version ? version : "?",
	       state->probe.abi_version);
	info_print_board(&state->probe, device_policy(state));
	printf("heaps           %s\n", heaps ? heaps : "?");
	info_print_state(&state->info);
	free(version);
	free(heaps);
}

static void info_add_number(json_object *to, const char *name, __u64 number)
{
	json_object_object_add(to, name, json_object_new_uint64(number));
}

static void info_add_bool(json_object *to, const char *name, bool is)
{
	json_object_object_add(to, name, json_object_new_boolean(is));
}

static void info_add_string(json_object *to, const char *name,
			    const char *string)
{
	json_object_object_add(to, name, string ?
			       json_object_new_string(string) : NULL);
}

static json_object *info_make_heaps(void)
{
	json_object *list = json_object_new_array();
	char *heaps = device_heaps(" "), *name, *rest;

	for (name = heaps ? strtok_r(heaps, " ", &rest) : NULL; name;
	     name = strtok_r(NULL, " ", &rest))
		json_object_array_add(list, json_object_new_string(name));
	free(heaps);
	return list;
}

/* Keys are the names of the fields in <linux/heapsim.h>. */
static void info_print_json(const struct device_state *state)
{
	const struct heapsim_probe *probe = &state->probe;
	const struct heapsim_info *info = &state->info;
	json_object *all = json_object_new_object();
	char *version = info_read_version();

	info_add_string(all, "version", version);
	info_add_number(all, "abi_version", probe->abi_version);
	info_add_string(all, "soc", probe->soc);
	info_add_bool(all, "io_coherent", probe->io_coherent);
	info_add_number(all, "line_size", probe->line_size);
	info_add_number(all, "fill_size", probe->fill_size);
	info_add_number(all, "page_size", probe->page_size);
	info_add_string(all, "policy", device_policy(state));
	info_add_bool(all, "evict_random", probe->evict_random);
	info_add_number(all, "seed", probe->seed);
	info_add_bool(all, "write_combine",
		      probe->features & HEAPSIM_FEATURE_WRITE_COMBINE);
	json_object_object_add(all, "heaps", info_make_heaps());
	info_add_number(all, "nr_bufs", info->nr_bufs);
	info_add_number(all, "buf_bytes", info->buf_bytes);
	info_add_number(all, "cpu_bytes", info->cpu_bytes);
	info_add_number(all, "pool_bytes", info->pool_bytes);
	info_add_number(all, "limit_bytes", info->limit_bytes);
	info_add_number(all, "user_limit_bytes", info->user_limit_bytes);
	info_add_number(all, "nr_jobs", info->nr_jobs);
	info_add_number(all, "missing_ends", info->missing_ends);
	puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY |
					    JSON_C_TO_STRING_SPACED |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(all);
	free(version);
}

int cmd_info(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct device_state state;
	bool is_json = false;
	int opt, err;

	while ((opt = getopt_long(argc, argv, "jh", options, NULL)) != -1) {
		switch (opt) {
		case 'j':
			is_json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_OK;
		default:
			return error_try(argv[0]);
		}
	}
	if (optind < argc)
		return error_usage(argv[0], "%s: takes no argument",
				   argv[optind]);
	err = device_read(&state);
	if (err)
		return device_print_error(argv[0], err);
	if (is_json)
		info_print_json(&state);
	else
		info_print_text(&state);
	return EXIT_OK;
}
