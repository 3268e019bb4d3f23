// SPDX-License-Identifier: GPL-2.0-only
/* Information from /dev/heapsim for all users: the board, and the counters. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "device.h"
#include "heapsim.h"
#include "module.h"

#define MISC_CLASS	"/sys/class/misc"
#define MISC_PREFIX	"heapsim-"

/**
 * device_read() - read probe and info
 * @state: out: what the module returned
 *
 * The device is closed again, since an open one prevents others from unloading
 * the module.
 *
 * Return: 0 or -errno, for device_print_error().
 */
int device_read(struct device_state *state)
{
	int fd = open(DEVICE_PATH, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	memset(state, 0, sizeof(*state));
	state->probe.size = sizeof(state->probe);
	state->info.size = sizeof(state->info);
	if (ioctl(fd, HEAPSIM_IOC_PROBE, &state->probe) ||
	    ioctl(fd, HEAPSIM_IOC_INFO, &state->info))
		err = -errno;
	close(fd);
	return err;
}

/**
 * device_print_error() - print why the device could not be read
 * @who: prefix of the message
 * @err: error of device_read(), -errno
 *
 * Return: EXIT_FAILED.
 */
int device_print_error(const char *who, int err)
{
	if (err == -ENOENT && module_state() == MODULE_ABSENT)
		return error_print(who,
				   "the module is not loaded: sudo heapsim load");
	if (err == -EACCES || err == -EPERM)
		return error_print(who, DEVICE_PATH
				   ": access denied; heapsim's udev rule permits it to the group video");
	return error_print(who, DEVICE_PATH ": %s", strerror(-err));
}

/** device_policy() - return the policy's name as the parameter takes it */
const char *device_policy(const struct device_state *state)
{
	static const char *const names[] = {
		[HEAPSIM_POLICY_STRICT] = "strict",
		[HEAPSIM_POLICY_RECORD] = "record",
		[HEAPSIM_POLICY_OFF] = "off",
	};

	if (state->probe.policy < sizeof(names) / sizeof(names[0]))
		return names[state->probe.policy];
	return "unknown";
}

static int device_is_heap(const struct dirent *entry)
{
	return !strncmp(entry->d_name, MISC_PREFIX, strlen(MISC_PREFIX));
}

/**
 * device_heaps() - list the heaps of the module
 * @separator: text between two names
 *
 * The module does not register a heap if the kernel has one of that name.
 *
 * Return: names, which the caller frees; NULL if out of memory.
 */
char *device_heaps(const char *separator)
{
	struct dirent **entries;
	char *names = NULL;
	size_t size;
	int i, nr;
	FILE *out;

	out = open_memstream(&names, &size);
	if (!out)
		return NULL;
	nr = scandir(MISC_CLASS, &entries, device_is_heap, alphasort);
	for (i = 0; i < nr; i++) {
		fprintf(out, "%s%s", i ? separator : "",
			entries[i]->d_name + strlen(MISC_PREFIX));
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return fclose(out) ? NULL : names;
}
