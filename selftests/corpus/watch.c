// SPDX-License-Identifier: GPL-2.0-only
/*
 * watch FILE PROGRAM [ARGUMENT]...: runs a program and writes the records of
 * its process tree to a file, as JSON in the form of `heapsim run`, with no
 * stacks. Exits as the program does, or with 124 if it was not done after a
 * minute; 125: could not watch.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/heapsim.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_RECORDS	8192
#define LIMIT_S		60

static const char * const kinds[HEAPSIM_NR_RECORD_KINDS] = {
	[HEAPSIM_RECORD_DROPPED] = "dropped",
	[HEAPSIM_RECORD_STALE_READ] = "stale-read",
	[HEAPSIM_RECORD_POSSIBLE_STALE_READ] = "possible-stale-read",
	[HEAPSIM_RECORD_LOST_DEVICE_WRITE] = "lost-device-write",
	[HEAPSIM_RECORD_LOST_CPU_WRITE] = "lost-cpu-write",
	[HEAPSIM_RECORD_MISSING_CLEAN] = "missing-clean",
	[HEAPSIM_RECORD_WRITE_CONFLICT] = "write-conflict",
	[HEAPSIM_RECORD_UNBRACKETED_ACCESS] = "unbracketed-access",
	[HEAPSIM_RECORD_MISSING_END] = "missing-end",
	[HEAPSIM_RECORD_UNMATCHED_END] = "unmatched-end",
	[HEAPSIM_RECORD_SHARED_LINE] = "shared-line",
	[HEAPSIM_RECORD_REDUNDANT_CLEAN] = "redundant-clean",
	[HEAPSIM_RECORD_REDUNDANT_INVALIDATE] = "redundant-invalidate",
};

static const char * const others[] = {
	[HEAPSIM_OTHER_ENGINE] = "engine",
	[HEAPSIM_OTHER_DEVICE] = "device",
	[HEAPSIM_OTHER_VMAP] = "vmap",
	[HEAPSIM_OTHER_FENCE] = "fence",
	[HEAPSIM_OTHER_PROCESS] = "process",
};

static pid_t child;
static volatile sig_atomic_t is_late;

static void on_alarm(int sig)
{
	(void)sig;
	is_late = 1;
	kill(-child, SIGKILL);
}

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static unsigned long long nr_bufs(int dev)
{
	struct heapsim_info info = { .size = sizeof(info) };

	if (ioctl(dev, HEAPSIM_IOC_INFO, &info))
		die("ask the module");
	return info.nr_bufs;
}

static void print_record(FILE *out, const struct heapsim_record *r)
{
	fprintf(out, "{\"kind\":\"%s\",\"count\":%llu,", kinds[r->kind],
		(unsigned long long)r->count);
	fprintf(out, "\"buffer\":{\"id\":%llu,\"off\":%llu,\"len\":%llu},",
		(unsigned long long)r->buf, (unsigned long long)r->off,
		(unsigned long long)r->len);
	fprintf(out, "\"cpu\":{\"pid\":%u,\"ip\":%llu,\"stack\":[]},",
		r->cpu.pid, (unsigned long long)r->cpu.ip);
	if (r->other.type)
		fprintf(out, "\"other\":{\"type\":\"%s\",\"stack\":[]}}",
			others[r->other.type]);
	else
		fprintf(out, "\"other\":null}");
}

static void write_records(int dev, const char *path)
{
	FILE *out = fopen(path, "we");
	struct heapsim_record r;
	unsigned long long nr_dropped = 0;
	const char *comma = "";

	if (!out)
		die(path);
	fprintf(out, "{\"version\":1,\"findings\":[");
	while (read(dev, &r, sizeof(r)) == sizeof(r)) {
		if (r.kind == HEAPSIM_RECORD_DROPPED) {
			nr_dropped += r.count;
			continue;
		}
		fprintf(out, "%s\n", comma);
		print_record(out, &r);
		comma = ",";
	}
	fprintf(out, "],\n\"dropped\":%llu}\n", nr_dropped);
	if (fclose(out))
		die(path);
}

int main(int argc, char **argv)
{
	struct heapsim_watch watch = {
		.size = sizeof(watch),
		.scope = HEAPSIM_WATCH_TREE,
		.kinds = HEAPSIM_KINDS_ALL,
		.nr_records = NR_RECORDS,
		.record_size = sizeof(struct heapsim_record),
	};
	int dev = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	unsigned long long nr;
	int status, tries;

	if (argc < 3 || dev < 0)
		die("watch FILE PROGRAM: /dev/heapsim");
	if (ioctl(dev, HEAPSIM_IOC_WATCH, &watch))
		die("watch");
	nr = nr_bufs(dev);
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		setpgid(0, 0);
		execv(argv[2], argv + 2);
		die(argv[2]);
	}
	signal(SIGALRM, on_alarm);
	alarm(LIMIT_S);
	if (waitpid(child, &status, 0) != child)
		die("wait");
	alarm(0);
	/* A job that has just ended may hold a buffer for a moment. */
	for (tries = 0; nr_bufs(dev) > nr && tries < 10; tries++)
		usleep(10000);
	write_records(dev, argv[1]);
	if (is_late)
		return 124;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}
