/* SPDX-License-Identifier: GPL-2.0-only */
/* What the samples of EGL share: they end at the first call that fails. */
#ifndef _EGL_SAMPLE_H
#define _EGL_SAMPLE_H

#include <EGL/egl.h>
#include <stdio.h>
#include <stdlib.h>

/* Takes a condition that holds if the call succeeded. */
#define EGL(is_ok)	egl(is_ok, #is_ok, __FILE__, __LINE__)

static inline void egl(bool is_ok, const char *call, const char *file, int line)
{
	if (is_ok)
		return;
	fprintf(stderr, "%s:%d: %s: EGL error 0x%x\n", file, line, call,
		eglGetError());
	exit(2);
}

#endif
