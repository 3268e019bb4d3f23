// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Timers that call a function in a thread of their own (SIGEV_THREAD). The C
 * library starts that thread with all signals blocked, so that a touch of
 * tracked memory would end the process. Such a timer is created with a thunk, a
 * function of this file that unblocks SIGSEGV and calls the program's function.
 *
 * The C library may call the function of a timer even after the timer has been
 * deleted, so a struct with the program's function and value could never be
 * freed. Therefore the thunk stands for the function alone, and the value is
 * passed on. A thunk keeps its function until the process ends.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "bounce.h"

typedef void (*timer_function)(union sigval value);

/* By number of the thunk; 0 if that is unused. No lock protects it. */
#define NR_FUNCTIONS	64
static atomic_uintptr_t functions[NR_FUNCTIONS];

static void timer_call(unsigned int nr, union sigval value)
{
	const unsigned long segv = 1UL << (SIGSEGV - 1);

	/* Also without a context, since the function may last until one. */
	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &segv, NULL, sizeof(segv));
	((timer_function)atomic_load(&functions[nr]))(value);
}

/* Numbers of thunks have two octal digits. */
#define THUNK(nr)							\
static void timer_thunk_##nr(union sigval value)			\
{									\
	timer_call(0##nr, value);					\
}

#define NAME(nr)	timer_thunk_##nr,

#define EIGHT(what, nr)							\
	what(nr##0) what(nr##1) what(nr##2) what(nr##3)			\
	what(nr##4) what(nr##5) what(nr##6) what(nr##7)

#define ALL(what)							\
	EIGHT(what, 0) EIGHT(what, 1) EIGHT(what, 2) EIGHT(what, 3)	\
	EIGHT(what, 4) EIGHT(what, 5) EIGHT(what, 6) EIGHT(what, 7)

ALL(THUNK)

static const timer_function thunks[NR_FUNCTIONS] = { ALL(NAME) };

/* Returns the function itself if all thunks have other functions. */
static timer_function timer_thunk_of(timer_function function)
{
	size_t i;

	for (i = 0; i < NR_FUNCTIONS; i++) {
		uintptr_t now = 0;

		if (atomic_compare_exchange_strong(&functions[i], &now,
						   (uintptr_t)function) ||
		    now == (uintptr_t)function)
			return thunks[i];
	}
	return function;
}

TRAP_API int timer_create(clockid_t clock, struct sigevent *event,
			  timer_t *timer)
{
	struct sigevent copy;

	if (event && event->sigev_notify == SIGEV_THREAD &&
	    event->sigev_notify_function) {
		copy = *event;
		copy.sigev_notify_function =
			timer_thunk_of(event->sigev_notify_function);
		event = &copy;
	}
	return WITH_IN(event, sizeof(*event),
		       NEXT(timer_create)(clock, event, timer));
}
