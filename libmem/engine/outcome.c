// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What engines are called in reports, and what the end of a job means.
 */
#include <errno.h>

#include "engine.h"

static const char *const engine_names[] = {
	[MEM_ENGINE_GPU] = "gpu",
	[MEM_ENGINE_PVA] = "pva",
	[MEM_ENGINE_VIC] = "vic",
	[MEM_ENGINE_DGPU] = "dgpu",
};

/**
 * engine_name() - return the name of an engine for reports
 * @at: enum mem_engine
 *
 * Return: static text.
 */
const char *engine_name(unsigned int at)
{
	return engine_names[at];
}

/**
 * engine_place_name() - describe an illegal address for reports
 * @place: from struct engine_result
 *
 * Return: static text, shorter than MEM_NAME_LEN.
 */
const char *engine_place_name(enum engine_place place)
{
	static const char *const places[] = {
		[ENGINE_UNKNOWN] = "nothing",
		[ENGINE_HOST_HEAP] = "heap of the host",
		[ENGINE_HOST_STACK] = "stack of the host",
		[ENGINE_HOST_GLOBAL] = "variable of the host",
		[ENGINE_HOST_CODE] = "code of the host",
		[ENGINE_WINDOW] = "no allocation",
		[ENGINE_STACK] = "end of the kernel's stack",
	};

	return places[place];
}

static const char *outcome_signal_name(int signal)
{
	switch (signal) {
	case SIGABRT:
		return "SIGABRT: abort, assert, throw";
	case SIGBUS:
		return "SIGBUS";
	case SIGFPE:
		return "SIGFPE";
	case SIGILL:
		return "SIGILL";
	case SIGSEGV:
		return "SIGSEGV";
	case SIGSYS:
		return "SIGSYS";
	case SIGTRAP:
		return "SIGTRAP";
	}
	return "a signal";
}

/**
 * engine_status_is_final() - check whether an error ends all work of a context
 * @status: 0 or -errno
 *
 * Return: true if a kernel caused it.
 */
bool engine_status_is_final(int status)
{
	return status == -EFAULT || status == -ETIME || status == -ECANCELED ||
	       status == -EIO;
}

/**
 * engine_is_failed() - check whether a kernel made a mistake
 * @result: how it ended
 *
 * Return: true if it did; false also if the engine was killed, or could not be
 * started.
 */
bool engine_is_failed(const struct engine_result *result)
{
	return engine_status_is_final(result->status);
}

/**
 * engine_end_name() - describe what ended a kernel, for reports
 * @result: result with -ETIME, -ECANCELED or -EIO
 *
 * Return: static text, shorter than MEM_NAME_LEN.
 */
const char *engine_end_name(const struct engine_result *result)
{
	if (result->status == -ETIME)
		return "the watchdog";
	return result->signal ? outcome_signal_name(result->signal) :
				"exit or fork";
}
