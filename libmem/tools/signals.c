// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes the signals that ask a run to end, and forwards them to the program
 * unless the whole process group got them (group.c).
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heapsim.h"
#include "signals.h"

static void signals_block(struct signals *signals, sigset_t *set)
{
	static const int taken[] = {
		SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2,
	};
	size_t i;

	sigemptyset(set);
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(set, taken[i]);
	/* If SIGCHLD is ignored, the signalfd does not report it. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, set, &signals->old_mask);
}

/**
 * signals_open() - block the signals, and prepare to take them
 * @signals: signals
 *
 * Return: 0, or EXIT_FAILED after a message.
 */
int signals_open(struct signals *signals)
{
	sigset_t set;

	signals_block(signals, &set);
	signals->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals->fd < 0)
		return error_print(signals->who, "signalfd: %s",
				  strerror(errno));
	group_watch(&signals->group, signals->last_arg);
	return 0;
}

/**
 * signals_close() - stop taking signals, which remain blocked
 * @signals: signals, also if they were not opened
 */
void signals_close(struct signals *signals)
{
	group_leave(&signals->group);
	if (signals->fd >= 0)
		close(signals->fd);
}

/* Forwards a signal that has been received. */
static void signals_forward_one(struct signals *signals,
				const struct signalfd_siginfo *info, pid_t pid,
				bool has_ended)
{
	const int signal = info->ssi_signo;
	bool has_it;

	if (signal == SIGCHLD)
		return;
	/* A program in our process group got the group's signals itself. */
	has_it = group_got(&signals->group, signal) &&
		 getpgid(pid) == getpgrp();
	if (info->ssi_code == SI_KERNEL && !has_ended)
		return;
	if (signal != SIGUSR1 && signal != SIGUSR2)
		signals->nr_asked++;
	if (!has_ended && !has_it)
		kill(pid, signal);
}

/**
 * signals_forward() - forward the signals that have arrived
 * @signals: signals; @nr_asked counts those that ask this process to end
 * @pid: process of the program
 * @has_ended: the program has ended, and gets no signals
 */
void signals_forward(struct signals *signals, pid_t pid, bool has_ended)
{
	struct signalfd_siginfo info;

	while (read(signals->fd, &info, sizeof(info)) == sizeof(info))
		signals_forward_one(signals, &info, pid, has_ended);
}

/* Other children, left behind by others, are reaped but not waited for. */
static bool stand_in_has_ended(pid_t pid, int *status)
{
	pid_t ended;

	do
		ended = waitpid(-1, status, WNOHANG);
	while (ended > 0 && ended != pid);
	return ended == pid;
}

/* Forwards signals, except those that the whole process group got. */
static int stand_in_wait(struct signals *signals, pid_t pid,
			 const sigset_t *set)
{
	siginfo_t info;
	int status;

	for (;;) {
		if (sigwaitinfo(set, &info) < 0)
			continue;
		if (info.si_signo != SIGCHLD) {
			if (!group_got(&signals->group, info.si_signo) &&
			    info.si_code != SI_KERNEL)
				kill(pid, info.si_signo);
			continue;
		}
		if (!stand_in_has_ended(pid, &status))
			continue;
		return WIFEXITED(status) ? WEXITSTATUS(status) :
					   EXIT_BY_SIGNAL + WTERMSIG(status);
	}
}

/**
 * signals_stand_in() - have a child do the run if this process has children
 * @signals: signals, which are not open
 *
 * A run watches and waits for all descendants of a process. But this process
 * may have unrelated children: those of a shell that called us by exec, or
 * orphans, if this is the first process of a container. Then a child without
 * children does the run, and this process only waits for it and forwards
 * signals.
 *
 * Return: -1 in the process that continues; in the other one its exit code.
 */
int signals_stand_in(struct signals *signals)
{
	siginfo_t info;
	sigset_t set;
	pid_t pid;

	if (getpid() != 1 &&
	    waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) &&
	    errno == ECHILD)
		return -1;
	signals_block(signals, &set);
	group_watch(&signals->group, signals->last_arg);
	pid = fork();
	if (pid < 0)
		return error_print(signals->who, "fork: %s", strerror(errno));
	if (pid)
		return stand_in_wait(signals, pid, &set);
	/* The child starts its own witness. */
	signals->group.witness = 0;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, &signals->old_mask, NULL);
	return -1;
}
