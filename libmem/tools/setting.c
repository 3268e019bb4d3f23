// SPDX-License-Identifier: GPL-2.0-only
/*
 * Checks the environment variables that libmem reads. libmem returns only
 * -EINVAL for an invalid value; messages made here list the valid ones.
 */
#include <stdlib.h>
#include <string.h>

#include "../../kmod/model/profile.h"
#include "number.h"
#include "setting.h"

#define MAX_WORDS	3

/**
 * struct setting - an environment variable
 * @name: name of the variable
 * @what: description of its values, for messages
 * @words: valid values; empty if the values are boards or numbers
 */
struct setting {
	const char *name;
	const char *what;
	const char *words[MAX_WORDS];
};

static const struct setting settings[] = {
	{ "LIBMEM_BACKEND", "backend", { "auto", "kernel", "embedded" } },
	{ "LIBMEM_SOC", "board", { NULL } },
	{ "LIBMEM_POLICY", "policy", { "strict", "record", "off" } },
	{ "LIBMEM_EVICT", "eviction", { "none", "random" } },
	{ "LIBMEM_SEED", "number", { NULL } },
	{ "LIBMEM_PRECISE", "value", { "0", "1" } },
	{ "LIBMEM_ENGINE", "kind of engine", { "process", "inline" } },
};

#define NR_SETTINGS	(sizeof(settings) / sizeof(settings[0]))

static const struct setting *setting_find(const char *name)
{
	size_t i;

	for (i = 0; i < NR_SETTINGS; i++)
		if (!strcmp(settings[i].name, name))
			return &settings[i];
	return NULL;
}

/**
 * setting_is_board() - check the name of a board
 * @soc: name
 *
 * Return: true if there is a board of that name.
 */
bool setting_is_board(const char *soc)
{
	return profile_find(soc);
}

/**
 * setting_is_good() - check whether libmem accepts a value
 * @name: name of the variable
 * @value: value; an empty one is treated as unset
 *
 * Return: false if libmem refuses the value or does not read the variable.
 */
bool setting_is_good(const char *name, const char *value)
{
	const struct setting *setting = setting_find(name);
	uint64_t number;
	int i;

	if (!setting)
		return false;
	if (!*value)
		return true;
	if (!strcmp(name, "LIBMEM_SOC"))
		return setting_is_board(value);
	if (!strcmp(name, "LIBMEM_SEED"))
		return !number_whole(value, UINT64_MAX, &number);
	for (i = 0; i < MAX_WORDS && setting->words[i]; i++)
		if (!strcmp(setting->words[i], value))
			return true;
	return false;
}

static void setting_print_boards(FILE *out)
{
	size_t i;

	for (i = 0; i < profile_count(); i++)
		fprintf(out, "%s%s", i ? ", " : "", profile_at(i)->name);
}

/**
 * setting_print() - print that a value is invalid, and list the valid ones
 * @out: file to print to, without a line end
 * @name: name of the variable, or of the option that sets the board
 * @value: the invalid value
 */
void setting_print(FILE *out, const char *name, const char *value)
{
	const struct setting *setting = setting_find(name);
	int i;

	fprintf(out, "%s=%s: ", name, value);
	if (setting && !strcmp(setting->what, "number")) {
		fputs("not a number", out);
		return;
	}
	fprintf(out, "unknown %s, valid ones are: ",
		setting ? setting->what : "board");
	if (!setting || !setting->words[0])
		setting_print_boards(out);
	for (i = 0; setting && i < MAX_WORDS && setting->words[i]; i++)
		fprintf(out, "%s%s", i ? ", " : "", setting->words[i]);
}

/**
 * setting_find_bad() - look for an invalid value in the environment
 * @has_board: the program uses the board that the environment names
 *
 * Return: name of the variable, or NULL if all values are valid.
 */
const char *setting_find_bad(bool has_board)
{
	size_t i;

	for (i = 0; i < NR_SETTINGS; i++) {
		const char *name = settings[i].name;
		const char *value = getenv(name);

		if (!has_board && !strcmp(name, "LIBMEM_SOC"))
			continue;
		if (value && !setting_is_good(name, value))
			return name;
	}
	return NULL;
}
