// SPDX-License-Identifier: GPL-2.0-only
/* Starts the program of a run, with the environment that its libraries need. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend.h"
#include "heapsim.h"
#include "program.h"
#include "../record/stacks.h"

/**
 * struct program_library - a library that is preloaded into programs
 * @name: name of its file
 * @beside: its folder, relative to this program, if it is not installed
 * @installed: its folder if it is installed
 */
struct program_library {
	const char *name;
	const char *beside;
	const char *installed;
};

/*
 * With the module, the library writes the stacks of threads that the module
 * signals. The embedded backend writes stacks itself, but must intercept calls
 * of the C library, also in a program that opens libmem by dlopen().
 * libmem-trap does so by being loaded before the C library, and does nothing
 * until a context is opened.
 */
static const struct program_library program_libraries[] = {
	[RUN_KERNEL] = {
		"libheapsim-preload.so", ".", HEAPSIM_PRELOADDIR,
	},
	[RUN_EMBEDDED] = { "libmem-trap.so.0", "../libmem", HEAPSIM_LIBDIR },
};

static int program_find_library(const struct program_library *library,
				char *path, size_t size)
{
	char own[4096];
	const ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[len < 0 ? 0 : len] = '\0';
	if (len > 0 &&
	    snprintf(path, size, "%s/%s/%s", dirname(own), library->beside,
		     library->name) < (int)size && !access(path, R_OK))
		return 0;
	snprintf(path, size, "%s/%s", library->installed, library->name);
	return access(path, R_OK);
}

/* Sets a variable that has a list, or prepends to its list. */
static int program_prepend_env(const char *name, const char *value)
{
	const char *old = getenv(name);
	char *both;
	int ret;

	if (!old || !*old)
		return setenv(name, value, 1);
	if (asprintf(&both, "%s:%s", value, old) < 0)
		return -1;
	ret = setenv(name, both, 1);
	free(both);
	return ret;
}

/**
 * program_prepare() - set variables of this process for the program to inherit
 * @who: prefix of messages
 * @facts: facts about the run, with the backend
 * @soc: board of the embedded backend; NULL: libmem's default
 * @stacks_fd: file in which threads write their stacks
 *
 * Return: 0, or EXIT_FAILED after a message.
 */
int program_prepare(const char *who, const struct run_facts *facts,
		    const char *soc, int stacks_fd)
{
	char library[4096 + 64], stacks[64];

	snprintf(stacks, sizeof(stacks), "/proc/%d/fd/%d", (int)getpid(),
		 stacks_fd);
	if (setenv(STACKS_ENV, stacks, 1) || backend_env_set(facts, soc))
		return error_print(who, "no memory");
	if (program_find_library(&program_libraries[facts->backend], library,
				 sizeof(library)))
		return error_print(who, "%s: %s", library, strerror(errno));
	/*
	 * AddressSanitizer insists on being first, although it need not be.
	 * glibc must keep the length from which it maps blocks. Otherwise each
	 * large block that is freed raises it, and later ones of that length
	 * remain mapped when they are freed, so that their use is not detected.
	 */
	if (program_prepend_env("LD_PRELOAD", library) ||
	    program_prepend_env("ASAN_OPTIONS", "verify_asan_link_order=0") ||
	    setenv("MALLOC_MMAP_THRESHOLD_", "131072", 0))
		return error_print(who, "no memory");
	return 0;
}

/* Becomes the program, or writes to @error_fd why it cannot. */
static void program_exec(char *const *argv, const sigset_t *mask, int error_fd)
{
	int error;

	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	error = errno;
	while (write(error_fd, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(EXIT_NOT_FOUND);
}

/* Searches as execvp() does, which reports the error if this returns false. */
static bool program_find(const char *name, char *path, size_t size)
{
	const char *at = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(path, size, "%s", name) < (int)size;
	while (at && *at) {
		const int len = strcspn(at, ":");

		if (snprintf(path, size, "%.*s/%s", len, at, name) <
		    (int)size && !access(path, X_OK))
			return true;
		at += len + (at[len] == ':');
	}
	return false;
}

/**
 * program_start() - start the program
 * @who: prefix of messages
 * @facts: facts with the arguments; out: process of the program
 * @findings: out: they know the path of the program
 * @mask: mask of blocked signals of the program
 *
 * Return: 0, or what to exit with, after a message.
 */
int program_start(const char *who, struct run_facts *facts,
		  struct findings *findings, const sigset_t *mask)
{
	int error_fds[2], error = 0;
	char path[4096];
	ssize_t n;

	if (program_find(facts->argv[0], path, sizeof(path)))
		findings_set_program(findings, path);

	if (pipe2(error_fds, O_CLOEXEC))
		return error_print(who, "pipe: %s", strerror(errno));
	facts->pid = fork();
	if (facts->pid < 0)
		return error_print(who, "fork: %s", strerror(errno));
	if (!facts->pid)
		program_exec(facts->argv, mask, error_fds[1]);
	/* The reader of the report may end before it is complete. */
	signal(SIGPIPE, SIG_IGN);
	close(error_fds[1]);
	do
		n = read(error_fds[0], &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	close(error_fds[0]);
	if (n <= 0)
		return 0;
	waitpid(facts->pid, NULL, 0);
	error_print(who, "%s: %s", facts->argv[0], strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}
