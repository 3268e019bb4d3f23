// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which signals went to all of our process group: others of it have those
 * already, and need not get them from us. A signal does not tell, so there is a
 * witness: a process of the group that does nothing but keep them pending, for
 * us to look at.
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

/* Under another name: who signals by name means us, and not the group. */
__attribute__((noreturn))
static void witness(const struct group *group, pid_t parent)
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
 * It ends without SIGCHLD, and only who asks for such can wait for it: what is
 * waited for are the program's own.
 */
static void witness_start(struct group *group)
{
	const pid_t parent = getpid();
	sigset_t all, old;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	group->witness = syscall(SYS_clone, 0UL, NULL, NULL, NULL, NULL);
	if (!group->witness)
		witness(group, parent);
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
 * group_watch() - look out from now on
 * @group: ours
 * @last_arg: the last argument of our command line, where that was given us
 *
 * If it fails, no signal is one of the group's.
 */
void group_watch(struct group *group, char *last_arg)
{
	*group = (struct group) { .last_arg = last_arg };
	witness_start(group);
}

/**
 * group_got() - did a signal that we got go to all of the group?
 * @group: ours
 * @number: of the signal; to be asked once for each that we get
 *
 * Return: whether it did.
 */
bool group_got(struct group *group, int number)
{
	const pid_t old = group->witness;
	const uint64_t bit = 1ULL << (number - 1);
	bool ret;

	if (old <= 0)
		return false;
	/*
	 * The kernel signals a group under a lock that it also takes to fork.
	 * So the old witness has what we have, once there is the new one; and
	 * that has what comes from now on.
	 */
	witness_start(group);
	group->pending |= witness_pending(old);
	witness_end(old);
	ret = group->pending & bit;
	group->pending &= ~bit;
	return ret;
}

/**
 * group_leave() - look out no more
 * @group: ours; may be all zeros
 */
void group_leave(struct group *group)
{
	witness_end(group->witness);
	group->witness = 0;
}
