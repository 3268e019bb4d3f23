// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out whether a signal was sent to our whole process group: then the
 * program has it already, and it must not be forwarded. A signal itself does
 * not show this. So a witness process of the group blocks all signals, and a
 * signal that is pending for the witness was sent to the group.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "group.h"

/*
 * The witness hides its name and arguments: a signal that is sent to all
 * processes named heapsim (pkill) is not meant for the group.
 */
__attribute__((noreturn))
static void witness_run(const struct group *group, pid_t parent)
{
	char *end = group->last_arg + strlen(group->last_arg);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	prctl(PR_SET_NAME, "heapsim-group");
	memset(program_invocation_name, 0, end - program_invocation_name);
	close_range(0, ~0U, 0);
	for (;;)
		pause();
}

/*
 * The witness sends no SIGCHLD when it ends and is waited for with __WCLONE
 * only. So the main loop, which waits for the program's processes, never gets
 * it.
 */
static void witness_start(struct group *group)
{
	const pid_t parent = getpid();
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	group->witness = syscall(SYS_clone, 0UL, NULL, NULL, NULL, NULL);
	if (!group->witness)
		witness_run(group, parent);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void witness_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		;
}

static uint64_t witness_pending(pid_t pid)
{
	char path[64], line[256];
	uint64_t pending = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "ShdPnd: %" SCNx64, &pending) == 1)
			break;
	fclose(file);
	return pending;
}

/**
 * group_watch() - begin to watch for signals to the process group
 * @group: out: our group
 * @last_arg: the last argument in the original argv of this process
 *
 * If it fails, group_got() returns false for all signals.
 */
void group_watch(struct group *group, char *last_arg)
{
	*group = (struct group) { .last_arg = last_arg };
	witness_start(group);
}

/**
 * group_got() - check if a received signal was sent to the whole group
 * @group: our group
 * @number: number of the signal; call once for each received signal
 *
 * Return: true if the whole group got it.
 */
bool group_got(struct group *group, int number)
{
	const pid_t old = group->witness;
	const uint64_t bit = 1ULL << (number - 1);
	bool ret;

	if (old <= 0)
		return false;
	/*
	 * The kernel signals a group under a lock that fork() also takes. So
	 * once the new witness exists, each signal that we have received from
	 * the group is pending for the old one, and the new one gets all that
	 * follow.
	 */
	witness_start(group);
	group->pending |= witness_pending(old);
	witness_end(old);
	ret = group->pending & bit;
	group->pending &= ~bit;
	return ret;
}

/**
 * group_leave() - stop watching
 * @group: our group; may be all zeros
 */
void group_leave(struct group *group)
{
	witness_end(group->witness);
	group->witness = 0;
}
