// SPDX-License-Identifier: GPL-2.0-only
/*
 * Environment variables that libmem reads. To the program an invalid value is
 * only -EINVAL; the command reports the valid values.
 */
#include <stdlib.h>
#include <string.h>

#include "../../kmod/model/profile.h"
#include "number.h"
#include "setting.h"

#define MAX_WORDS	3

/**
 * struct setting - an environment variable
 * @name: its name
 * @what: what a value is, in a message
 * @words: the valid values; empty: names of boards, or numbers
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
 * setting_is_good() - check the value of a variable
 * @name: name of the variable
 * @value: its value; libmem treats an empty one as unset
 *
 * Return: false if libmem refuses the value, or reads no such variable.
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

static void boards_print(FILE *out)
{
	size_t i;

	for (i = 0; i < profile_count(); i++)
		fprintf(out, "%s%s", i ? ", " : "", profile_at(i)->name);
}

/**
 * setting_print() - print that a value is unknown, and the valid ones
 * @out: stream; no newline is printed
 * @name: name of the variable, or of the option that sets the board
 * @value: its value
 *
 * The module reports values of its parameters in the same words.
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
		boards_print(out);
	for (i = 0; setting && i < MAX_WORDS && setting->words[i]; i++)
		fprintf(out, "%s%s", i ? ", " : "", setting->words[i]);
}

/**
 * setting_find_bad() - find a variable with an invalid value
 * @has_board: programs use the board that LIBMEM_SOC names
 *
 * Return: name of the variable, or NULL.
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
