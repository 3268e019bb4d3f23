// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists processes that keep the module loaded, by reading /proc. A process does
 * so if it has one of the module's devices open, which the device number shows,
 * or has a dma-buf open or mapped whose inode the module lists. If this list
 * cannot be read, every dma-buf is printed, since it may be one of the
 * module's. Every sync_file is printed, since the owner of its fence cannot be
 * found out.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "keeper.h"
#include "number.h"
#include "sample.h"

#define MISC_CLASS	"/sys/class/misc"
#define MAX_DEVICES	16

struct device {
	dev_t nr;
	char name[64];
};

/* The devices and buffers that are searched for */
struct search {
	struct device devices[MAX_DEVICES];
	size_t nr_devices;
	struct sample_buf *bufs;
	size_t nr_bufs;
	int bufs_err;
	FILE *out;
	int nr_denied;	/* processes that we may not inspect */
};

/* A process; its line is begun when the first reference is found. */
struct look {
	struct search *search;
	int proc;	/* /proc/PID */
	const char *pid;
	int nr;
};

static void keeper_find_devices(struct search *search)
{
	struct device *device;
	struct dirent *entry;
	unsigned int major_nr, minor_nr;
	char path[512];
	FILE *file;
	DIR *dir;

	dir = opendir(MISC_CLASS);
	if (!dir)
		return;
	while ((entry = readdir(dir)) && search->nr_devices < MAX_DEVICES) {
		if (strncmp(entry->d_name, "heapsim", 7))
			continue;
		snprintf(path, sizeof(path), MISC_CLASS "/%s/dev",
			 entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		device = &search->devices[search->nr_devices];
		if (fscanf(file, "%u:%u", &major_nr, &minor_nr) == 2) {
			device->nr = makedev(major_nr, minor_nr);
			snprintf(device->name, sizeof(device->name), "%.63s",
				 entry->d_name);
			search->nr_devices++;
		}
		fclose(file);
	}
	closedir(dir);
}

static const struct sample_buf *keeper_find_buf(const struct search *search,
						uint64_t inode)
{
	size_t i;

	for (i = 0; i < search->nr_bufs; i++)
		if (search->bufs[i].inode == inode)
			return &search->bufs[i];
	return NULL;
}

__attribute__((format(printf, 2, 3)))
static void keeper_print_use(struct look *look, const char *format, ...)
{
	char comm[64] = "";
	va_list args;
	size_t i;
	int fd;

	if (!look->nr++) {
		fd = openat(look->proc, "comm", O_RDONLY | O_CLOEXEC);
		if (fd >= 0) {
			if (read(fd, comm, sizeof(comm) - 1) < 0)
				comm[0] = '\0';
			close(fd);
		}
		comm[strcspn(comm, "\n")] = '\0';
		/* A process chooses its name, so it may hold any bytes. */
		for (i = 0; comm[i]; i++)
			if (!isprint((unsigned char)comm[i]))
				comm[i] = '?';
		fprintf(look->search->out, "  process %s (%s):", look->pid,
			comm);
	}
	fputs(look->nr == 1 ? " " : ", ", look->search->out);
	va_start(args, format);
	vfprintf(look->search->out, format, args);
	va_end(args);
}

static void keeper_print_buf(struct look *look, const struct sample_buf *buf,
			     const char *how)
{
	keeper_print_use(look, "buffer %llu%s%s%s (%s)",
			 (unsigned long long)buf->id, *buf->name ? " \"" : "",
			 buf->name, *buf->name ? "\"" : "", how);
}

static void keeper_look_fd(struct look *look, int fds, const char *name)
{
	const struct search *search = look->search;
	const struct sample_buf *buf;
	char link[256] = "", how[32];
	struct stat st;
	size_t i;

	if (readlinkat(fds, name, link, sizeof(link) - 1) < 0 ||
	    fstatat(fds, name, &st, 0))
		return;
	snprintf(how, sizeof(how), "fd %.20s", name);
	for (i = 0; S_ISCHR(st.st_mode) && i < search->nr_devices; i++)
		if (search->devices[i].nr == st.st_rdev)
			keeper_print_use(look, "%s (%s)",
					 search->devices[i].name, how);
	if (!strncmp(link, "/dmabuf:", 8)) {
		buf = keeper_find_buf(search, st.st_ino);
		if (buf)
			keeper_print_buf(look, buf, how);
		else if (search->bufs_err)
			keeper_print_use(look, "a dma-buf (%s)", how);
	}
	if (!strcmp(link, "anon_inode:sync_file"))
		keeper_print_use(look, "a fence, perhaps of ours (%s)", how);
}

static void keeper_look_fds(struct look *look)
{
	int fds = openat(look->proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent *entry;
	DIR *dir = fds < 0 ? NULL : fdopendir(fds);

	if (!dir) {
		if (errno == EACCES || errno == EPERM)
			look->search->nr_denied++;
		if (fds >= 0)
			close(fds);
		return;
	}
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			keeper_look_fd(look, fds, entry->d_name);
	closedir(dir);
}

/*
 * Lines are START-END PERM OFFSET DEV INODE PATH. Consecutive mappings of one
 * buffer are counted once.
 */
static void keeper_look_maps(struct look *look)
{
	int fd = openat(look->proc, "maps", O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned long long inode, last = 0;
	const struct sample_buf *buf;
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (getline(&line, &size, file) >= 0) {
		if (!strstr(line, " /dmabuf:") ||
		    sscanf(line, "%*s %*s %*s %*s %llu", &inode) != 1 ||
		    inode == last)
			continue;
		last = inode;
		buf = keeper_find_buf(look->search, inode);
		if (buf)
			keeper_print_buf(look, buf, "mapped");
		else if (look->search->bufs_err)
			keeper_print_use(look, "a dma-buf (mapped)");
	}
	free(line);
	fclose(file);
}

static int keeper_look_process(struct search *search, int procs,
			       const char *pid)
{
	struct look look = { .search = search, .pid = pid };

	look.proc = openat(procs, pid, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (look.proc < 0)
		return 0;	/* it has ended */
	keeper_look_fds(&look);
	keeper_look_maps(&look);
	close(look.proc);
	if (look.nr)
		fputc('\n', search->out);
	return !!look.nr;
}

/*
 * Prints references that belong to no process: buffers that importers map, and
 * the totals, which include buffers in messages between processes.
 */
static void keeper_print_rest(struct search *search)
{
	struct device_state state;
	size_t i;

	for (i = 0; i < search->nr_bufs; i++)
		if (search->bufs[i].nr_holders)
			fprintf(search->out,
				"  drivers: buffer %llu is mapped by %u\n",
				(unsigned long long)search->bufs[i].id,
				search->bufs[i].nr_holders);
	if (!device_read(&state) &&
	    (state.info.nr_bufs || state.info.nr_jobs))
		fprintf(search->out, "  %llu live buffer%s, %llu job%s\n",
			(unsigned long long)state.info.nr_bufs,
			number_plural(state.info.nr_bufs),
			(unsigned long long)state.info.nr_jobs,
			number_plural(state.info.nr_jobs));
	if (search->nr_denied)
		fprintf(search->out,
			"  %d processes could not be looked at: root sees all\n",
			search->nr_denied);
}

/**
 * keeper_print_all() - print the processes that keep the module loaded
 * @out: file to print to, a line for each process
 *
 * Return: number of processes; if 0, a driver or a message between processes
 * may hold a reference.
 */
int keeper_print_all(FILE *out)
{
	struct search search = { .out = out };
	struct dirent *entry;
	int nr = 0;
	DIR *dir;

	keeper_find_devices(&search);
	search.bufs_err = sample_bufs_read(&search.bufs, &search.nr_bufs);
	dir = opendir("/proc");
	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			nr += keeper_look_process(&search, dirfd(dir),
						  entry->d_name);
	if (dir)
		closedir(dir);
	keeper_print_rest(&search);
	free(search.bufs);
	return nr;
}
