// SPDX-License-Identifier: GPL-2.0-only
/* Commands of a caller that knows the order of its streams; see rights.h. */
#include <string.h>

#include "rights.h"

int rights_open(void)
{
	int dev = device_open();

	assert_true(device_probe(dev).features & HEAPSIM_FEATURE_RIGHTS);
	rights_info(dev, 0);
	return dev;
}

int rights_stream_errno(int dev, unsigned long cmd, uint64_t stream)
{
	struct heapsim_stream_id id = { .size = sizeof(id), .stream = stream };

	return device_ioctl_errno(dev, cmd, &id);
}

void rights_stream_add(int dev, uint64_t stream)
{
	assert_int_equal(rights_stream_errno(dev, HEAPSIM_IOC_STREAM_ADD,
					     stream), 0);
}

int rights_state_errno(int dev, uint64_t stream, uint32_t flags)
{
	struct heapsim_stream_state state = {
		.size = sizeof(state),
		.flags = flags,
		.stream = stream,
	};

	return device_ioctl_errno(dev, HEAPSIM_IOC_STREAM_STATE, &state);
}

void rights_activate(int dev, uint64_t stream)
{
	assert_int_equal(rights_state_errno(dev, stream, HEAPSIM_STREAM_ACTIVE),
			 0);
}

void rights_idle(int dev, uint64_t stream)
{
	assert_int_equal(rights_state_errno(dev, stream, 0), 0);
}

int rights_attach_errno(int dev, const struct heapsim_buf_attach *cmd)
{
	struct heapsim_buf_attach copy = *cmd;

	copy.size = sizeof(copy);
	return device_ioctl_errno(dev, HEAPSIM_IOC_BUF_ATTACH, &copy);
}

void rights_attach(int dev, uint64_t stream, const struct managed *m,
		   uint32_t attach)
{
	const struct heapsim_buf_attach cmd = {
		.flags = HEAPSIM_ATTACH_NEWEST,
		.buf = m->id,
		.stream = stream,
		.attach = attach,
		.right = HEAPSIM_RIGHT_TABLE,
	};

	assert_int_equal(rights_attach_errno(dev, &cmd), 0);
}

int rights_settle_errno(int dev, uint64_t stream, uint64_t buf,
			uint32_t attach)
{
	const struct heapsim_buf_attach cmd = {
		.flags = HEAPSIM_ATTACH_NEWEST |
			 (attach == HEAPSIM_ATTACH_HOST ?
				  0 : HEAPSIM_ATTACH_CLEAN),
		.buf = buf,
		.stream = stream,
		.attach = attach,
		.right = HEAPSIM_RIGHT_TABLE,
	};

	return rights_attach_errno(dev, &cmd);
}

void rights_set(int dev, const struct managed *m, uint32_t right,
		uint32_t flags)
{
	const struct heapsim_buf_attach cmd = {
		.flags = flags,
		.buf = m->id,
		.right = right,
	};

	assert_int_equal(rights_attach_errno(dev, &cmd), 0);
}

int rights_work_add_errno(int dev, uint64_t stream, uint64_t work,
			  const char *name)
{
	struct heapsim_work_add add = {
		.size = sizeof(add),
		.stream = stream,
		.work = work,
	};

	strncpy(add.name, name, sizeof(add.name) - 1);
	return device_ioctl_errno(dev, HEAPSIM_IOC_WORK_ADD, &add);
}

int rights_work_submit_errno(int dev, uint64_t stream, uint64_t work,
			     const char *name)
{
	const int ret = rights_work_add_errno(dev, stream, work, name);

	return ret ? ret : rights_state_errno(dev, stream,
					      HEAPSIM_STREAM_ACTIVE);
}

int rights_work_start_errno(int dev, uint64_t work,
			    const struct heapsim_work_verdict *verdicts,
			    uint32_t nr)
{
	struct heapsim_work_start start = {
		.size = sizeof(start),
		.work = work,
		.verdicts = (uintptr_t)verdicts,
		.nr_verdicts = nr,
	};

	return device_ioctl_errno(dev, HEAPSIM_IOC_WORK_START, &start);
}

int rights_work_finish_errno(int dev, uint64_t work)
{
	struct heapsim_work_finish finish = {
		.size = sizeof(finish),
		.work = work,
	};

	return device_ioctl_errno(dev, HEAPSIM_IOC_WORK_FINISH, &finish);
}

int rights_work_report_errno(int dev, uint64_t work, uint64_t buf)
{
	struct heapsim_work_report report = {
		.size = sizeof(report),
		.access = HEAPSIM_ACCESS_READ,
		.work = work,
		.buf = buf,
	};

	return device_ioctl_errno(dev, HEAPSIM_IOC_WORK_REPORT, &report);
}

int rights_info_errno(int dev, uint64_t buf, struct heapsim_rights_info *answer)
{
	*answer = (struct heapsim_rights_info) {
		.size = sizeof(*answer),
		.buf = buf,
	};
	return device_ioctl_errno(dev, HEAPSIM_IOC_RIGHTS_INFO, answer);
}

struct heapsim_rights_info rights_info(int dev, uint64_t buf)
{
	struct heapsim_rights_info info;

	assert_int_equal(rights_info_errno(dev, buf, &info), 0);
	return info;
}
