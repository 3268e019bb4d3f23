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

uint64_t stream_create(int dev, uint32_t flags)
{
	struct heapsim_stream_op op = { .size = sizeof(op), .flags = flags };

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_STREAM_CREATE,
					    &op), 0);
	return op.stream;
}

int stream_destroy_errno(int dev, uint64_t stream)
{
	struct heapsim_stream_op op = { .size = sizeof(op), .stream = stream };

	return device_ioctl_errno(dev, HEAPSIM_IOC_STREAM_DESTROY, &op);
}

int attach_errno(int dev, uint64_t stream, uint64_t buf, uint32_t attach)
{
	struct heapsim_attach_op op = {
		.size = sizeof(op),
		.attach = attach,
		.stream = stream,
		.buf = buf,
	};

	return device_ioctl_errno(dev, HEAPSIM_IOC_ATTACH, &op);
}

uint64_t event_create(int dev)
{
	struct heapsim_event_op op = { .size = sizeof(op) };

	assert_int_equal(device_ioctl_errno(dev, HEAPSIM_IOC_EVENT_CREATE,
					    &op), 0);
	return op.event;
}

int event_errno(int dev, unsigned long cmd, uint64_t event, uint64_t stream)
{
	struct heapsim_event_op op = {
		.size = sizeof(op),
		.event = event,
		.stream = stream,
	};

	return device_ioctl_errno(dev, cmd, &op);
}

int host_submit_errno(int dev, uint64_t stream, uint64_t *host)
{
	struct heapsim_host_op op = { .size = sizeof(op), .stream = stream };
	int ret = device_ioctl_errno(dev, HEAPSIM_IOC_HOST_SUBMIT, &op);

	*host = op.host;
	return ret;
}

int host_errno(int dev, unsigned long cmd, uint64_t host)
{
	struct heapsim_host_op op = { .size = sizeof(op), .host = host };

	return device_ioctl_errno(dev, cmd, &op);
}

int work_submit_errno(int dev, uint64_t stream, const char *name,
		      uint64_t *work)
{
	struct heapsim_work_op op = { .size = sizeof(op), .stream = stream };
	int ret;

	strncpy(op.name, name, sizeof(op.name) - 1);
	ret = device_ioctl_errno(dev, HEAPSIM_IOC_WORK_SUBMIT, &op);
	*work = op.work;
	return ret;
}

int work_errno(int dev, unsigned long cmd, uint64_t work)
{
	struct heapsim_work_op op = { .size = sizeof(op), .work = work };

	return device_ioctl_errno(dev, cmd, &op);
}

int work_touch_errno(int dev, uint64_t work, uint64_t buf,
		     struct heapsim_work_touch *answer)
{
	*answer = (struct heapsim_work_touch) {
		.size = sizeof(*answer),
		.access = HEAPSIM_ACCESS_READ,
		.work = work,
		.buf = buf,
	};
	return device_ioctl_errno(dev, HEAPSIM_IOC_WORK_TOUCH, answer);
}

int sync_errno(int dev, uint32_t scope, uint64_t id)
{
	struct heapsim_sync sync = {
		.size = sizeof(sync),
		.scope = scope,
		.id = id,
	};

	return device_ioctl_errno(dev, HEAPSIM_IOC_SYNC, &sync);
}

int attach_info_errno(int dev, uint64_t buf, struct heapsim_attach_info *answer)
{
	*answer = (struct heapsim_attach_info) {
		.size = sizeof(*answer),
		.buf = buf,
	};
	return device_ioctl_errno(dev, HEAPSIM_IOC_ATTACH_INFO, answer);
}

struct heapsim_attach_info attach_info(int dev, uint64_t buf)
{
	struct heapsim_attach_info info;

	assert_int_equal(attach_info_errno(dev, buf, &info), 0);
	return info;
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
