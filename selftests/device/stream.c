// SPDX-License-Identifier: GPL-2.0-only
/* Streams, works and managed buffers; see stream.h. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stream.h"

int managed_alloc_errno(int dev, uint32_t kind, uint32_t attach, uint32_t flags,
			struct heapsim_buf_alloc *answer)
{
	const size_t len = answer->len;

	*answer = (struct heapsim_buf_alloc) {
		.size = sizeof(*answer),
		.fd_flags = O_RDWR | O_CLOEXEC,
		.len = len,
		.kind = kind,
		.name = DEVICE_BUF_NAME,
		.attach = attach,
		.alloc_flags = flags,
	};
	return device_ioctl_errno(dev, HEAPSIM_IOC_BUF_ALLOC, answer);
}

struct managed managed_create(int dev, uint32_t kind, uint32_t attach,
			      size_t len)
{
	struct heapsim_buf_alloc alloc = { .len = len };
	struct managed m = { .len = len };

	assert_int_equal(managed_alloc_errno(dev, kind, attach,
					     HEAPSIM_ALLOC_DEVICE_VIEW,
					     &alloc), 0);
	m.fd = alloc.fd;
	m.view_fd = alloc.view_fd;
	m.id = alloc.id;
	m.map = device_map(m.fd, len);
	m.view = device_map(m.view_fd, len);
	return m;
}

void managed_destroy(struct managed *m)
{
	device_unmap((void *)m->map, m->len);
	device_unmap((void *)m->view, m->len);
	close(m->fd);
	close(m->view_fd);
}

static sigjmp_buf refused;

static void on_sigbus(int sig)
{
	(void)sig;
	siglongjmp(refused, 1);
}

/* Reads or writes a byte. Returns the value that was read, or -1. */
static int touch(const volatile uint8_t *from, volatile uint8_t *to,
		 uint8_t value)
{
	const struct sigaction action = { .sa_handler = on_sigbus };
	volatile int ret = -1;
	struct sigaction old;

	sigaction(SIGBUS, &action, &old);
	if (!sigsetjmp(refused, 1)) {
		ret = 0;
		if (to)
			*to = value;
		else
			ret = *from;
	} else {
		ret = -1;
	}
	sigaction(SIGBUS, &old, NULL);
	return ret;
}

bool cpu_reads(const volatile uint8_t *at, uint8_t *value)
{
	int ret = touch(at, NULL, 0);

	if (value)
		*value = (uint8_t)ret;
	return ret >= 0;
}

bool cpu_writes(volatile uint8_t *at, uint8_t value)
{
	return touch(NULL, at, value) >= 0;
}
