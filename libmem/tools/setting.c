// SPDX-License-Identifier: GPL-2.0-only
/*
 * What libmem reads in the environment. A value that it does not know is only
 * -EINVAL to the program; here the values that there are get named.
 */
#include <stdlib.h>
#include <string.h>

#include "../../kmod/model/profile.h"
#include "number.h"
#include "setting.h"

#define MAX_WORDS	3

/**
 * struct setting - a variable
 * @name: of it
 * @what: its values are
 * @words: the values; none: boards, or numbers
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
 * setting_is_board() - look a board up
 * @soc: name of it
 *
 * Return: true if there is one of that name.
 */
bool setting_is_board(const char *soc)
{
	return profile_find(soc);
}

/**
 * setting_is_good() - find out if libmem takes a value
 * @name: of the variable
 * @value: of it; empty is as if it were not set
 *
 * Return: false if it does not, or does not read such a variable.
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
 * setting_print() - say that a value is none, and which there are
 * @out: where to; no line ends there
 * @name: as the user has it: of the variable, or of an option for a board
 * @value: the value
 */
void setting_print(FILE *out, const char *name, const char *value)
{
	const struct setting *setting = setting_find(name);
	int i;

	fprintf(out, "%s=%s: no such %s", name, value,
		setting ? setting->what : "board");
	if (setting && !strcmp(setting->what, "number"))
		return;
	fputs("; there are: ", out);
	if (!setting || !setting->words[0])
		boards_print(out);
	for (i = 0; setting && i < MAX_WORDS && setting->words[i]; i++)
		fprintf(out, "%s%s", i ? ", " : "", setting->words[i]);
}

/**
 * setting_find_bad() - look for a value in the environment that is none
 * @has_board: a program takes the board that the environment names
 *
 * Return: name of the variable, NULL: there is none.
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
