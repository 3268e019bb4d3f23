// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Wrappers of C library calls that take a path, or fill in a struct about files
 * or the system.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bounce.h"

/* The longest argument of a program (MAX_ARG_STRLEN of Linux) */
#define ARG_LEN_MAX	131072U

/* Paths */

/* Reads the mode behind the flags of open(), if there is one. */
#define MODE_OF(flags) ({						\
	mode_t mode = 0;						\
	va_list args;							\
									\
	if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) {	\
		va_start(args, flags);					\
		mode = va_arg(args, mode_t);				\
		va_end(args);						\
	}								\
	mode;								\
})

TRAP_API int open(const char *path, int flags, ...)
{
	return WITH_PATH(path, NEXT(open)(path, flags, MODE_OF(flags)));
}

TRAP_API int openat(int dir, const char *path, int flags, ...)
{
	return WITH_PATH(path, NEXT(openat)(dir, path, flags, MODE_OF(flags)));
}

TRAP_API int open64(const char *path, int flags, ...) ALIAS64(open);
TRAP_API int openat64(int dir, const char *path, int flags, ...)
	ALIAS64(openat);

TRAP_API int creat(const char *path, mode_t mode)
{
	return WITH_PATH(path, NEXT(creat)(path, mode));
}

TRAP_API int creat64(const char *path, mode_t mode) ALIAS64(creat);

/* The variants of _FORTIFY_SOURCE */
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int dir, const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);

TRAP_API int __open_2(const char *path, int flags)
{
	return WITH_PATH(path, NEXT(__open_2)(path, flags));
}

TRAP_API int __openat_2(int dir, const char *path, int flags)
{
	return WITH_PATH(path, NEXT(__openat_2)(dir, path, flags));
}

TRAP_API int __open64_2(const char *path, int flags) ALIAS64(__open_2);
TRAP_API int __openat64_2(int dir, const char *path, int flags)
	ALIAS64(__openat_2);

TRAP_API FILE *fopen(const char *path, const char *mode)
{
	return WITH_PATH(path, NEXT(fopen)(path, mode));
}

TRAP_API FILE *freopen(const char *path, const char *mode, FILE *file)
{
	return WITH_PATH(path, NEXT(freopen)(path, mode, file));
}

TRAP_API FILE *fopen64(const char *path, const char *mode) ALIAS64(fopen);
TRAP_API FILE *freopen64(const char *path, const char *mode, FILE *file)
	ALIAS64(freopen);

TRAP_API DIR *opendir(const char *path)
{
	return WITH_PATH(path, NEXT(opendir)(path));
}

TRAP_API int access(const char *path, int mode)
{
	return WITH_PATH(path, NEXT(access)(path, mode));
}

TRAP_API int faccessat(int dir, const char *path, int mode, int flags)
{
	return WITH_PATH(path, NEXT(faccessat)(dir, path, mode, flags));
}

TRAP_API int chdir(const char *path)
{
	return WITH_PATH(path, NEXT(chdir)(path));
}

TRAP_API int chmod(const char *path, mode_t mode)
{
	return WITH_PATH(path, NEXT(chmod)(path, mode));
}

TRAP_API int mkdir(const char *path, mode_t mode)
{
	return WITH_PATH(path, NEXT(mkdir)(path, mode));
}

TRAP_API int mkdirat(int dir, const char *path, mode_t mode)
{
	return WITH_PATH(path, NEXT(mkdirat)(dir, path, mode));
}

TRAP_API int mkfifo(const char *path, mode_t mode)
{
	return WITH_PATH(path, NEXT(mkfifo)(path, mode));
}

TRAP_API int rmdir(const char *path)
{
	return WITH_PATH(path, NEXT(rmdir)(path));
}

TRAP_API int unlink(const char *path)
{
	return WITH_PATH(path, NEXT(unlink)(path));
}

TRAP_API int unlinkat(int dir, const char *path, int flags)
{
	return WITH_PATH(path, NEXT(unlinkat)(dir, path, flags));
}

TRAP_API int remove(const char *path)
{
	return WITH_PATH(path, NEXT(remove)(path));
}

TRAP_API int truncate(const char *path, off_t len)
{
	return WITH_PATH(path, NEXT(truncate)(path, len));
}

TRAP_API int truncate64(const char *path, off64_t len) ALIAS64(truncate);

TRAP_API int rename(const char *from, const char *to)
{
	return WITH_PATHS(from, to, NEXT(rename)(from, to));
}

TRAP_API int link(const char *from, const char *to)
{
	return WITH_PATHS(from, to, NEXT(link)(from, to));
}

TRAP_API int symlink(const char *text, const char *path)
{
	return WITH_PATHS(text, path, NEXT(symlink)(text, path));
}

/* Commands for a shell */

TRAP_API int system(const char *command)
{
	BOUNCE_STRING(command, ARG_LEN_MAX);
	return NEXT(system)(command);
}

TRAP_API FILE *popen(const char *command, const char *mode)
{
	BOUNCE_STRING(command, ARG_LEN_MAX);
	return NEXT(popen)(command, mode);
}

/* Structs */

TRAP_API int stat(const char *path, struct stat *st)
{
	return WITH_PATH_OUT(path, st, NEXT(stat)(path, st));
}

TRAP_API int lstat(const char *path, struct stat *st)
{
	return WITH_PATH_OUT(path, st, NEXT(lstat)(path, st));
}

TRAP_API int fstat(int fd, struct stat *st)
{
	return WITH_OUT(st, NEXT(fstat)(fd, st));
}

TRAP_API int fstatat(int dir, const char *path, struct stat *st, int flags)
{
	return WITH_PATH_OUT(path, st, NEXT(fstatat)(dir, path, st, flags));
}

TRAP_API int statx(int dir, const char *path, int flags, unsigned int mask,
		   struct statx *st)
{
	return WITH_PATH_OUT(path, st, NEXT(statx)(dir, path, flags, mask, st));
}

TRAP_API int statfs(const char *path, struct statfs *st)
{
	return WITH_PATH_OUT(path, st, NEXT(statfs)(path, st));
}

TRAP_API int fstatfs(int fd, struct statfs *st)
{
	return WITH_OUT(st, NEXT(fstatfs)(fd, st));
}

/* What stat() and the like are in programs of before glibc 2.33 */
int __xstat(int version, const char *path, struct stat *st);
int __lxstat(int version, const char *path, struct stat *st);
int __fxstat(int version, int fd, struct stat *st);
int __fxstatat(int version, int dir, const char *path, struct stat *st,
	       int flags);

TRAP_API int __xstat(int version, const char *path, struct stat *st)
{
	return WITH_PATH_OUT(path, st, NEXT(__xstat)(version, path, st));
}

TRAP_API int __lxstat(int version, const char *path, struct stat *st)
{
	return WITH_PATH_OUT(path, st, NEXT(__lxstat)(version, path, st));
}

TRAP_API int __fxstat(int version, int fd, struct stat *st)
{
	return WITH_OUT(st, NEXT(__fxstat)(version, fd, st));
}

TRAP_API int __fxstatat(int version, int dir, const char *path,
			struct stat *st, int flags)
{
	return WITH_PATH_OUT(path, st,
			     NEXT(__fxstatat)(version, dir, path, st, flags));
}

TRAP_API int uname(struct utsname *name)
{
	return WITH_OUT(name, NEXT(uname)(name));
}

TRAP_API int sysinfo(struct sysinfo *info)
{
	return WITH_OUT(info, NEXT(sysinfo)(info));
}

TRAP_API clock_t times(struct tms *buf)
{
	return WITH_OUT(buf, NEXT(times)(buf));
}

TRAP_API int getrusage(__rusage_who_t who, struct rusage *usage)
{
	return WITH_OUT(usage, NEXT(getrusage)(who, usage));
}

TRAP_API int getrlimit(__rlimit_resource_t what, struct rlimit *limit)
{
	return WITH_OUT(limit, NEXT(getrlimit)(what, limit));
}

TRAP_API int setrlimit(__rlimit_resource_t what, const struct rlimit *limit)
{
	return WITH_IN(limit, sizeof(*limit), NEXT(setrlimit)(what, limit));
}

/*
 * With 64 bits these structs are the same, too, but not for C, which would warn
 * about each alias.
 */
_Static_assert(sizeof(struct stat) == sizeof(struct stat64) &&
	       sizeof(struct statfs) == sizeof(struct statfs64) &&
	       sizeof(struct rlimit) == sizeof(struct rlimit64),
	       "the two are one");
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattribute-alias"

TRAP_API int stat64(const char *path, struct stat64 *st) ALIAS64(stat);
TRAP_API int lstat64(const char *path, struct stat64 *st) ALIAS64(lstat);
TRAP_API int fstat64(int fd, struct stat64 *st) ALIAS64(fstat);
TRAP_API int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
	ALIAS64(fstatat);
TRAP_API int __xstat64(int version, const char *path, struct stat64 *st)
	ALIAS64(__xstat);
TRAP_API int __lxstat64(int version, const char *path, struct stat64 *st)
	ALIAS64(__lxstat);
TRAP_API int __fxstat64(int version, int fd, struct stat64 *st)
	ALIAS64(__fxstat);
TRAP_API int __fxstatat64(int version, int dir, const char *path,
			  struct stat64 *st, int flags) ALIAS64(__fxstatat);
TRAP_API int statfs64(const char *path, struct statfs64 *st) ALIAS64(statfs);
TRAP_API int fstatfs64(int fd, struct statfs64 *st) ALIAS64(fstatfs);
TRAP_API int getrlimit64(__rlimit_resource_t what, struct rlimit64 *limit)
	ALIAS64(getrlimit);
TRAP_API int setrlimit64(__rlimit_resource_t what,
			 const struct rlimit64 *limit) ALIAS64(setrlimit);

#pragma GCC diagnostic pop

TRAP_API int pipe(int fds[2])
{
	int (*both)[2] = (int (*)[2])fds;

	return WITH_OUT(both, NEXT(pipe)(*both));
}

TRAP_API int pipe2(int fds[2], int flags)
{
	int (*both)[2] = (int (*)[2])fds;

	return WITH_OUT(both, NEXT(pipe2)(*both, flags));
}

/* Text; how much of the caller's memory is written is known afterwards. */

TRAP_API char *getcwd(char *text, size_t len)
{
	char *const user = text;
	const size_t most = len < PATH_MAX ? len : PATH_MAX;
	char *ret;

	BOUNCE(text, most)
	ret = NEXT(getcwd)(text, text == user ? len : most);
	if (!ret || text == user)
		return ret;
	COPY_OUT(text, strlen(ret) + 1);
	return user;
}

/* No link is longer than PATH_MAX. */
#define WITH_LINK(path, text, len, expr) ({				\
	ssize_t ret;							\
	if ((len) > PATH_MAX && trap_is_tracked((text), 1))		\
		(len) = PATH_MAX;					\
	BOUNCE_STRING(path, PATH_MAX);					\
	BOUNCE(text, len)						\
	ret = (expr);							\
	if (ret > 0)							\
		COPY_OUT(text, (size_t)ret);				\
	ret;								\
})

TRAP_API ssize_t readlink(const char *path, char *text, size_t len)
{
	return WITH_LINK(path, text, len, NEXT(readlink)(path, text, len));
}

TRAP_API ssize_t readlinkat(int dir, const char *path, char *text, size_t len)
{
	return WITH_LINK(path, text, len,
			 NEXT(readlinkat)(dir, path, text, len));
}

/* The variants of _FORTIFY_SOURCE */
char *__getcwd_chk(char *text, size_t len, size_t room);
ssize_t __readlink_chk(const char *path, char *text, size_t len, size_t room);
ssize_t __readlinkat_chk(int dir, const char *path, char *text, size_t len,
			 size_t room);

TRAP_API char *__getcwd_chk(char *text, size_t len, size_t room)
{
	return len > room ? NEXT(__getcwd_chk)(text, len, room) :
			    getcwd(text, len);
}

TRAP_API ssize_t __readlink_chk(const char *path, char *text, size_t len,
				size_t room)
{
	return len > room ? NEXT(__readlink_chk)(path, text, len, room) :
			    readlink(path, text, len);
}

TRAP_API ssize_t __readlinkat_chk(int dir, const char *path, char *text,
				  size_t len, size_t room)
{
	return len > room ? NEXT(__readlinkat_chk)(dir, path, text, len, room) :
			    readlinkat(dir, path, text, len);
}

/*
 * A buffer of a stream. stdio gets one of its own instead, since it passes the
 * buffer to the kernel by calls that nobody can replace.
 */
TRAP_API int setvbuf(FILE *file, char *buf, int mode, size_t len)
{
	return NEXT(setvbuf)(file, trap_is_tracked(buf, len) ? NULL : buf, mode,
			     len);
}

TRAP_API void setbuf(FILE *file, char *buf)
{
	setvbuf(file, buf, buf ? _IOFBF : _IONBF, BUFSIZ);
}

TRAP_API void setbuffer(FILE *file, char *buf, size_t len)
{
	setvbuf(file, buf, buf ? _IOFBF : _IONBF, len);
}
