// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Wrappers of C library calls that move data between files and the caller's
 * memory. embedded/syscall.c has what libmem does before and after each call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/videodev2.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "next.h"

/* stdio.h may define these as macros. */
#undef fread_unlocked
#undef fwrite_unlocked

/* An engine may revoke the access again before the kernel reaches the page. */
#define MAX_TRIES	8

/**
 * struct call - a call that names tracked memory, for struct trap_ops
 * @ops: from trap_ops(); NULL: the library is not there
 * @areas: memory that the kernel reads or writes
 * @nr: number of @areas
 * @dir: what it does
 * @ip: return address of the wrapper
 * @array: the program's array of iovecs, which the kernel reads; or none
 */
struct call {
	const struct trap_ops *ops;
	const struct area *areas;
	size_t nr;
	enum direction dir;
	uintptr_t ip;
	struct area array;
};

/* Also the cleanup handler of a thread that is cancelled in the call. */
static void trap_call_end(void *arg)
{
	const struct call *call = arg;

	call->ops->end(call->areas, call->nr, call->dir, call->ip);
	call->ops->end(&call->array, 1, KERNEL_READS, call->ip);
}

static bool trap_call_is_ours(const struct call *call)
{
	return call->ops && (call->ops->is_ours(&call->array, 1) ||
			     call->ops->is_ours(call->areas, call->nr));
}

/* Returns true if an access was refused. */
static bool trap_call_prepare(const struct call *call)
{
	/* First, because the areas are read from it. */
	const bool was_refused = call->ops->prepare(&call->array, 1,
						    KERNEL_READS, call->ip);

	return call->ops->prepare(call->areas, call->nr, call->dir, call->ip) ||
	       was_refused;
}

static void trap_call_finish(const struct call *call, size_t done)
{
	if (call->dir == KERNEL_WRITES)
		call->ops->finish(call->areas, call->nr, done, call->ip);
}

/*
 * Returns true if a call failed only because pages were being moved. It has
 * transferred nothing.
 */
static bool trap_call_was_held_back(const struct call *call)
{
	return errno == EFAULT && call->ops && call->dir == KERNEL_WRITES &&
	       call->ops->was_held_back(call->areas, call->nr);
}

#define CALL_OF(areas, nr, dir, array) {				\
	trap_ops(), (areas), (nr), (dir),				\
	(uintptr_t)__builtin_return_address(0), (array),		\
}

static const struct area no_array;

/*
 * Makes a call with its pages accessible. @expr returns a number of bytes, or
 * -1 and errno. If the call fails with EFAULT because access was revoked
 * meanwhile, it is tried again, since nothing was transferred. If an access was
 * refused, the call is not tried again: the access would be refused, and
 * counted, a second time.
 */
#define CALL(areas, nr, dir, array, expr) ({				\
	struct call call = CALL_OF(areas, nr, dir, array);		\
	__typeof__(expr) done;						\
									\
	if (!trap_call_is_ours(&call)) {				\
		int tries = 0;						\
									\
		do {							\
			done = (expr);					\
		} while (done == (__typeof__(done))-1 &&		\
			 trap_call_was_held_back(&call) &&		\
			 ++tries < MAX_TRIES);				\
	} else {							\
		bool was_refused;					\
		int tries = 0;						\
									\
		pthread_cleanup_push(trap_call_end, &call);		\
		do {							\
			was_refused = trap_call_prepare(&call);		\
			done = (expr);					\
		} while (done == (__typeof__(done))-1 &&		\
			 errno == EFAULT && !was_refused &&		\
			 ++tries < MAX_TRIES);				\
		if (done != (__typeof__(done))-1)			\
			trap_call_finish(&call, (size_t)done);		\
		pthread_cleanup_pop(1);					\
	}								\
	done;								\
})

#define CALL_ONE(buf, len, dir, expr) ({				\
	const struct area one = { (buf), (len) };			\
	CALL(&one, 1, dir, no_array, expr);				\
})

TRAP_API ssize_t read(int fd, void *buf, size_t len)
{
	return CALL_ONE(buf, len, KERNEL_WRITES, NEXT(read)(fd, buf, len));
}

TRAP_API ssize_t write(int fd, const void *buf, size_t len)
{
	return CALL_ONE(buf, len, KERNEL_READS, NEXT(write)(fd, buf, len));
}

TRAP_API ssize_t pread(int fd, void *buf, size_t len, off_t off)
{
	return CALL_ONE(buf, len, KERNEL_WRITES,
			NEXT(pread)(fd, buf, len, off));
}

TRAP_API ssize_t pwrite(int fd, const void *buf, size_t len, off_t off)
{
	return CALL_ONE(buf, len, KERNEL_READS,
			NEXT(pwrite)(fd, buf, len, off));
}

_Static_assert(sizeof(off_t) == sizeof(off64_t), "the two are one");

TRAP_API ssize_t pread64(int fd, void *buf, size_t len, off64_t off)
	ALIAS64(pread);
TRAP_API ssize_t pwrite64(int fd, const void *buf, size_t len, off64_t off)
	ALIAS64(pwrite);

TRAP_API ssize_t recv(int fd, void *buf, size_t len, int flags)
{
	return CALL_ONE(buf, len, KERNEL_WRITES,
			NEXT(recv)(fd, buf, len, flags));
}

TRAP_API ssize_t recvfrom(int fd, void *buf, size_t len, int flags,
			  struct sockaddr *addr, socklen_t *addr_len)
{
	return CALL_ONE(buf, len, KERNEL_WRITES,
			NEXT(recvfrom)(fd, buf, len, flags, addr, addr_len));
}

TRAP_API ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	return CALL_ONE(buf, len, KERNEL_READS,
			NEXT(send)(fd, buf, len, flags));
}

TRAP_API ssize_t sendto(int fd, const void *buf, size_t len, int flags,
			const struct sockaddr *addr, socklen_t addr_len)
{
	return CALL_ONE(buf, len, KERNEL_READS,
			NEXT(sendto)(fd, buf, len, flags, addr, addr_len));
}

TRAP_API ssize_t getrandom(void *buf, size_t len, unsigned int flags)
{
	return CALL_ONE(buf, len, KERNEL_WRITES,
			NEXT(getrandom)(buf, len, flags));
}

TRAP_API int getentropy(void *buf, size_t len)
{
	return CALL_ONE(buf, len, KERNEL_WRITES,
			NEXT(getentropy)(buf, len) ? -1 : (ssize_t)len) < 0 ?
	       -1 : 0;
}

/*
 * glibc has had this function since 2.36. It ends the process if the kernel
 * reports an error, such as EFAULT at a page without access; so the bytes are
 * generated in a buffer on the stack and copied.
 */
void arc4random_buf(void *buf, size_t len);

TRAP_API void arc4random_buf(void *buf, size_t len)
{
	unsigned char part[256], *at = buf;
	size_t nr;

	if (!trap_is_tracked(buf, len)) {
		NEXT(arc4random_buf)(buf, len);
		return;
	}
	for (; len; len -= nr, at += nr) {
		nr = len < sizeof(part) ? len : sizeof(part);
		NEXT(arc4random_buf)(part, nr);
		memcpy(at, part, nr);
	}
	explicit_bzero(part, sizeof(part));
}

/* The variants of _FORTIFY_SOURCE: @room is the buffer's size if known. */
ssize_t __read_chk(int fd, void *buf, size_t len, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t len, off_t off, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t len, off64_t off, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t len, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t room, int flags,
		       struct sockaddr *addr, socklen_t *addr_len);

TRAP_API ssize_t __read_chk(int fd, void *buf, size_t len, size_t room)
{
	return CALL_ONE(buf, len, KERNEL_WRITES,
			NEXT(__read_chk)(fd, buf, len, room));
}

TRAP_API ssize_t __pread_chk(int fd, void *buf, size_t len, off_t off,
			     size_t room)
{
	return CALL_ONE(buf, len, KERNEL_WRITES,
			NEXT(__pread_chk)(fd, buf, len, off, room));
}

TRAP_API ssize_t __pread64_chk(int fd, void *buf, size_t len, off64_t off,
			       size_t room) ALIAS64(__pread_chk);

TRAP_API ssize_t __recv_chk(int fd, void *buf, size_t len, size_t room,
			    int flags)
{
	return CALL_ONE(buf, len, KERNEL_WRITES,
			NEXT(__recv_chk)(fd, buf, len, room, flags));
}

TRAP_API ssize_t __recvfrom_chk(int fd, void *buf, size_t len, size_t room,
				int flags, struct sockaddr *addr,
				socklen_t *addr_len)
{
	return CALL_ONE(buf, len, KERNEL_WRITES,
			NEXT(__recvfrom_chk)(fd, buf, len, room, flags, addr,
					     addr_len));
}

/* An array of struct iovec is used as an array of areas without a copy. */
_Static_assert(sizeof(struct iovec) == sizeof(struct area) &&
	       offsetof(struct iovec, iov_len) == offsetof(struct area, len),
	       "an iovec is an area");

static size_t trap_nr_of(int nr)
{
	return nr > 0 ? (size_t)nr : 0;
}

/* The kernel refuses a longer array without reading it. */
static struct area trap_array_of(const struct iovec *iov, size_t nr)
{
	return (struct area) {
		.addr = nr <= IOV_MAX ? iov : NULL,
		.len = nr * sizeof(*iov),
	};
}

#define CALL_IOV(iov, nr, dir, expr)					\
	CALL((const struct area *)(iov), nr, dir,			\
	     trap_array_of(iov, nr), expr)

TRAP_API ssize_t readv(int fd, const struct iovec *iov, int nr)
{
	return CALL_IOV(iov, trap_nr_of(nr), KERNEL_WRITES,
			NEXT(readv)(fd, iov, nr));
}

TRAP_API ssize_t writev(int fd, const struct iovec *iov, int nr)
{
	return CALL_IOV(iov, trap_nr_of(nr), KERNEL_READS,
			NEXT(writev)(fd, iov, nr));
}

TRAP_API ssize_t preadv(int fd, const struct iovec *iov, int nr, off_t off)
{
	return CALL_IOV(iov, trap_nr_of(nr), KERNEL_WRITES,
			NEXT(preadv)(fd, iov, nr, off));
}

TRAP_API ssize_t pwritev(int fd, const struct iovec *iov, int nr, off_t off)
{
	return CALL_IOV(iov, trap_nr_of(nr), KERNEL_READS,
			NEXT(pwritev)(fd, iov, nr, off));
}

TRAP_API ssize_t preadv64(int fd, const struct iovec *iov, int nr, off64_t off)
	ALIAS64(preadv);
TRAP_API ssize_t pwritev64(int fd, const struct iovec *iov, int nr, off64_t off)
	ALIAS64(pwritev);

TRAP_API ssize_t preadv2(int fd, const struct iovec *iov, int nr, off_t off,
			 int flags)
{
	return CALL_IOV(iov, trap_nr_of(nr), KERNEL_WRITES,
			NEXT(preadv2)(fd, iov, nr, off, flags));
}

TRAP_API ssize_t pwritev2(int fd, const struct iovec *iov, int nr, off_t off,
			  int flags)
{
	return CALL_IOV(iov, trap_nr_of(nr), KERNEL_READS,
			NEXT(pwritev2)(fd, iov, nr, off, flags));
}

TRAP_API ssize_t preadv64v2(int fd, const struct iovec *iov, int nr,
			    off64_t off, int flags) ALIAS64(preadv2);
TRAP_API ssize_t pwritev64v2(int fd, const struct iovec *iov, int nr,
			     off64_t off, int flags) ALIAS64(pwritev2);

/* The header may be tracked memory, too: the kernel gets a copy. */
TRAP_API ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	struct msghdr copy;
	ssize_t ret;

	if (!msg)
		return NEXT(recvmsg)(fd, msg, flags);
	copy = *msg;
	ret = CALL_IOV(copy.msg_iov, copy.msg_iovlen, KERNEL_WRITES,
		       NEXT(recvmsg)(fd, &copy, flags));
	if (ret >= 0)
		*msg = copy;
	return ret;
}

TRAP_API ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	struct msghdr copy;

	if (!msg)
		return NEXT(sendmsg)(fd, msg, flags);
	copy = *msg;
	return CALL_IOV(copy.msg_iov, copy.msg_iovlen, KERNEL_READS,
			NEXT(sendmsg)(fd, &copy, flags));
}

/*
 * Lists the user memory that a V4L2 buffer names by address. Returns the number
 * of areas.
 */
static size_t trap_user_areas(const struct v4l2_buffer *buf, struct area *areas)
{
	const struct v4l2_plane *planes = buf->m.planes;
	size_t i;

	if (buf->memory != V4L2_MEMORY_USERPTR)
		return 0;
	if (!V4L2_TYPE_IS_MULTIPLANAR(buf->type)) {
		areas[0] = (struct area) {
			.addr = (const void *)buf->m.userptr,
			.len = buf->length,
		};
		return 1;
	}
	for (i = 0; i < buf->length && i < VIDEO_MAX_PLANES; i++)
		areas[i] = (struct area) {
			.addr = (const void *)planes[i].m.userptr,
			.len = planes[i].length,
		};
	return i;
}

/* Length assumed for an argument (termios, ifreq) whose number has no size */
#define OLD_LEN		64

/* The argument's memory. Old request numbers do not encode its size. */
static struct area trap_struct_area(unsigned long request, const void *arg)
{
	return (struct area) {
		.addr = arg,
		.len = _IOC_DIR(request) ? _IOC_SIZE(request) : OLD_LEN,
	};
}

TRAP_API int ioctl(int fd, unsigned long request, ...)
{
	const uintptr_t ip = (uintptr_t)__builtin_return_address(0);
	const struct trap_ops *ops = trap_ops();
	struct area areas[1 + VIDEO_MAX_PLANES];
	enum direction dir = KERNEL_WRITES;
	size_t nr = 0;
	va_list args;
	void *arg;
	int ret;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	/* A caller that holds the number in an int passes it sign-extended. */
	request = (unsigned int)request;
	if (!ops || !arg)
		return NEXT(ioctl)(fd, request, arg);
	areas[0] = trap_struct_area(request, arg);
	if (_IOC_DIR(request) == _IOC_WRITE)
		dir = KERNEL_READS;
	ops->prepare(areas, 1, dir, ip);
	/*
	 * V4L2 pins the memory that the struct names. The struct is readable
	 * now.
	 */
	if (request == VIDIOC_QBUF || request == VIDIOC_PREPARE_BUF)
		nr = trap_user_areas(arg, areas + 1);
	ops->prepare(areas + 1, nr, KERNEL_WRITES, ip);
	ret = NEXT(ioctl)(fd, request, arg);
	if (ret >= 0 && _IOC_DIR(request) & _IOC_READ)
		ops->finish(areas, 1, areas[0].len, ip);
	ops->end(areas, 1 + nr, dir, ip);
	return ret;
}

/*
 * For large blocks stdio passes the caller's memory directly to the kernel. How
 * many bytes were transferred before an error is unknown, so the call is never
 * tried again, and only whole elements are reported as written.
 */
static size_t trap_stdio_len(size_t size, size_t nr)
{
	size_t len;

	return __builtin_mul_overflow(size, nr, &len) ? 0 : len;
}

#define CALL_STDIO(buf, size, nr, dir, expr) ({				\
	const struct area area = { (buf), trap_stdio_len(size, nr) };	\
	struct call call = CALL_OF(&area, 1, dir, no_array);		\
	size_t done;							\
									\
	if (!trap_call_is_ours(&call)) {				\
		done = (expr);						\
	} else {							\
		pthread_cleanup_push(trap_call_end, &call);		\
		trap_call_prepare(&call);				\
		done = (expr);						\
		trap_call_finish(&call, done * (size));			\
		pthread_cleanup_pop(1);					\
	}								\
	done;								\
})

TRAP_API size_t fread(void *buf, size_t size, size_t nr, FILE *file)
{
	return CALL_STDIO(buf, size, nr, KERNEL_WRITES,
			  NEXT(fread)(buf, size, nr, file));
}

/* The variants of _FORTIFY_SOURCE */
size_t __fread_chk(void *buf, size_t room, size_t size, size_t nr, FILE *file);
size_t __fread_unlocked_chk(void *buf, size_t room, size_t size, size_t nr,
			    FILE *file);

TRAP_API size_t __fread_chk(void *buf, size_t room, size_t size, size_t nr,
			    FILE *file)
{
	return CALL_STDIO(buf, size, nr, KERNEL_WRITES,
			  NEXT(__fread_chk)(buf, room, size, nr, file));
}

TRAP_API size_t __fread_unlocked_chk(void *buf, size_t room, size_t size,
				     size_t nr, FILE *file)
{
	return CALL_STDIO(buf, size, nr, KERNEL_WRITES,
			  NEXT(__fread_unlocked_chk)(buf, room, size, nr,
						     file));
}

TRAP_API size_t fread_unlocked(void *buf, size_t size, size_t nr, FILE *file)
{
	return CALL_STDIO(buf, size, nr, KERNEL_WRITES,
			  NEXT(fread_unlocked)(buf, size, nr, file));
}

TRAP_API size_t fwrite(const void *buf, size_t size, size_t nr, FILE *file)
{
	return CALL_STDIO(buf, size, nr, KERNEL_READS,
			  NEXT(fwrite)(buf, size, nr, file));
}

TRAP_API size_t fwrite_unlocked(const void *buf, size_t size, size_t nr,
				FILE *file)
{
	return CALL_STDIO(buf, size, nr, KERNEL_READS,
			  NEXT(fwrite_unlocked)(buf, size, nr, file));
}
