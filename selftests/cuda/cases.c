// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls the public functions of a CUDA implementation with hundreds of unusual
 * arguments, and prints each result as a line: case, tab, answer.
 *
 * usage: cases [-a | -l | -g GROUP [-x CASE]... | FILE]
 *
 * FILE lists cases, one a line, in its first column: the program runs these, in
 * this order. Without FILE it runs all, in the program's own order (-a). With
 * -g it runs one group in this process, without the cases of -x; -l lists the
 * groups.
 *
 * Otherwise a separate process runs each group, and has to print something
 * every LIMIT_S seconds. The answer of a call that crashes or hangs is "killed
 * by ..." or "hang", and the group is run again without this case.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

#define LIMIT_S		20
#define GATE_LIMIT_MS	8000
#define MAX_CASES	4096
#define MAX_BAD		32
#define LINE_LEN	512

static const struct group * const lists[] = {
	device_groups, memory_groups, attach_groups, stream_groups,
	copy_groups, array_groups, driver_groups,
};

const char * const side_names[NR_SIDES] = {
	[PAGEABLE] = "pageable",
	[PINNED] = "pinned",
	[DEVICE] = "device",
	[MANAGED] = "managed",
	[MANAGED_HOST] = "managed_host",
};

/*
 * The process that runs the cases of one group
 */
static const char *left_out[MAX_BAD];
static size_t nr_left_out;

static void say(const char *line)
{
	size_t len = strlen(line);

	/* Without a buffer, so that a crash loses no line */
	if (write(STDOUT_FILENO, line, len) != (ssize_t)len)
		_exit(3);
}

static char asked[LINE_LEN / 2];

bool ask(const char *name, ...)
{
	char line[LINE_LEN];
	va_list args;

	va_start(args, name);
	vsnprintf(asked, sizeof(asked), name, args);
	va_end(args);
	for (size_t i = 0; i < nr_left_out; i++) {
		if (!strcmp(asked, left_out[i]))
			return false;
	}
	snprintf(line, sizeof(line), "%s\n", asked);
	say(line);
	return true;
}

void answer(const char *text, ...)
{
	char line[LINE_LEN], value[LINE_LEN / 4];
	va_list args;

	va_start(args, text);
	vsnprintf(value, sizeof(value), text, args);
	va_end(args);
	snprintf(line, sizeof(line), "%s\t%s\n", asked, value);
	say(line);
}

void need(bool is_there, const char *what)
{
	if (is_there)
		return;
	fprintf(stderr, "cases: after %s: no %s\n", asked, what);
	_exit(4);
}

void *side_alloc(enum side side)
{
	void *p = NULL;

	switch (side) {
	case PAGEABLE:
		if (posix_memalign(&p, 65536, LEN))
			p = NULL;
		break;
	case PINNED:
		cudaMallocHost(&p, LEN);
		break;
	case DEVICE:
		cudaMalloc(&p, LEN);
		break;
	case MANAGED:
		cudaMallocManaged(&p, LEN, cudaMemAttachGlobal);
		break;
	default:
		cudaMallocManaged(&p, LEN, cudaMemAttachHost);
		break;
	}
	need(p, side_names[side]);
	return p;
}

void side_free(enum side side, void *p)
{
	if (side == PAGEABLE)
		free(p);
	else if (side == PINNED)
		cudaFreeHost(p);
	else
		cudaFree(p);
}

/* The wait is bounded: a gate that stays closed would block all later cases. */
void gate_wait(void *gate)
{
	struct gate *self = gate;

	for (int ms = 0; ms < GATE_LIMIT_MS; ms++) {
		if (__atomic_load_n(&self->is_open, __ATOMIC_ACQUIRE))
			break;
		usleep(1000);
	}
	if (self->order)
		self->nr_before = __atomic_fetch_add(self->order, 1,
						     __ATOMIC_SEQ_CST);
}

void gate_open(struct gate *gate)
{
	__atomic_store_n(&gate->is_open, 1, __ATOMIC_RELEASE);
}

static const struct group *group_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		for (const struct group *g = lists[i]; g->name; g++) {
			if (!strcmp(g->name, name))
				return g;
		}
	}
	return NULL;
}

/*
 * The parent, which starts these processes and collects their answers
 */

/**
 * struct reply - the answer to one case
 * @line: the line "case, tab, answer"
 * @tab: the tab within @line
 */
struct reply {
	char *line;
	char *tab;
};

static struct reply replies[MAX_CASES];
static size_t nr_replies;

static const struct reply *reply_find(const char *name)
{
	size_t len = strcspn(name, "\t\n");

	for (size_t i = 0; i < nr_replies; i++) {
		const struct reply *one = &replies[i];

		if ((size_t)(one->tab - one->line) == len &&
		    !strncmp(one->line, name, len))
			return one;
	}
	return NULL;
}

static void reply_add(const char *line)
{
	struct reply *one = &replies[nr_replies];

	/* A group that is run again repeats its earlier answers. */
	if (reply_find(line))
		return;
	if (nr_replies == MAX_CASES) {
		fprintf(stderr, "cases: more than %d\n", MAX_CASES);
		exit(2);
	}
	one->line = strdup(line);
	if (!one->line) {
		perror("cases");
		exit(2);
	}
	one->tab = strchr(one->line, '\t');
	nr_replies++;
}

/**
 * struct asker - a process that runs one group
 * @pid: its process ID
 * @fd: the pipe that its output is read from
 * @pending: the case that it has announced but not answered, or empty
 */
struct asker {
	pid_t pid;
	int fd;
	char pending[LINE_LEN];
};

static int asker_start(struct asker *asker, const char *group,
		       char * const bad[], size_t nr_bad)
{
	const char *argv[4 + 2 * MAX_BAD] = { "cases", "-g", group };
	size_t n = 3;
	int ends[2];

	for (size_t i = 0; i < nr_bad; i++) {
		argv[n++] = "-x";
		argv[n++] = bad[i];
	}
	argv[n] = NULL;
	asker->pending[0] = '\0';
	if (pipe(ends))
		return -errno;
	asker->pid = fork();
	if (!asker->pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execv("/proc/self/exe", (char **)argv);
		_exit(127);
	}
	close(ends[1]);
	asker->fd = ends[0];
	return asker->pid < 0 ? -errno : 0;
}

/* Handle a complete line: the announcement of a case, or its answer. */
static void asker_said(struct asker *asker, const char *line)
{
	if (strchr(line, '\t')) {
		reply_add(line);
		asker->pending[0] = '\0';
	} else {
		snprintf(asker->pending, sizeof(asker->pending), "%s", line);
	}
}

/*
 * Read the process' output until it ends or prints nothing for too long.
 * Return: 0 if it has ended, 1 if it was silent.
 */
static int asker_listen(struct asker *asker)
{
	struct pollfd wait = { .fd = asker->fd, .events = POLLIN };
	char line[LINE_LEN];
	size_t len = 0;

	for (;;) {
		ssize_t got;
		char c;

		if (poll(&wait, 1, LIMIT_S * 1000) <= 0)
			return 1;
		got = read(asker->fd, &c, 1);
		if (got <= 0)
			return 0;
		if (c == '\n') {
			line[len] = '\0';
			asker_said(asker, line);
			len = 0;
		} else if (len < sizeof(line) - 1) {
			line[len++] = c;
		}
	}
}

/* Return: 0 if the process exited with 0, else 1 with the reason in @why. */
static int asker_end(struct asker *asker, int is_silent, char *why, size_t len)
{
	int status;

	if (is_silent)
		kill(asker->pid, SIGKILL);
	close(asker->fd);
	if (waitpid(asker->pid, &status, 0) < 0)
		status = 0;
	if (is_silent)
		snprintf(why, len, "hang");
	else if (WIFSIGNALED(status))
		snprintf(why, len, "killed by SIG%s",
			 sigabbrev_np(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		snprintf(why, len, "exit code %d", WEXITSTATUS(status));
	else
		return 0;
	return 1;
}

static void group_run(const struct group *group)
{
	char *bad[MAX_BAD];
	size_t nr_bad = 0;
	char why[64], line[2 * LINE_LEN];
	struct asker asker;

	while (nr_bad < MAX_BAD) {
		int err = asker_start(&asker, group->name, bad, nr_bad);

		if (err) {
			fprintf(stderr, "cases: %s\n", strerror(-err));
			exit(2);
		}
		if (!asker_end(&asker, asker_listen(&asker), why, sizeof(why)))
			break;
		if (!asker.pending[0]) {
			/* It failed between two cases, or at its end. */
			snprintf(line, sizeof(line), "%s.group\t%s",
				 group->name, why);
			reply_add(line);
			break;
		}
		snprintf(line, sizeof(line), "%s\t%s", asker.pending, why);
		reply_add(line);
		bad[nr_bad] = strdup(asker.pending);
		if (!bad[nr_bad++])
			break;
	}
	while (nr_bad)
		free(bad[--nr_bad]);
}

static void run_all(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		for (const struct group *g = lists[i]; g->name; g++)
			group_run(g);
	}
}

/* Return: the exit code, which is 1 if a case of the file has no answer. */
static int print_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[LINE_LEN];
	int rc = 0;

	if (!file) {
		perror(path);
		return 2;
	}
	while (fgets(line, sizeof(line), file)) {
		const struct reply *one;

		line[strcspn(line, "\t\n")] = '\0';
		if (line[0] == '#' || !line[0])
			continue;
		one = reply_find(line);
		if (one)
			puts(one->line);
		else
			printf("%s\tnot asked\n", line);
		rc |= !one;
	}
	fclose(file);
	return rc;
}

int main(int argc, char **argv)
{
	const struct group *group = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "alg:x:")) > 0) {
		switch (opt) {
		case 'a':
			break;
		case 'l':
			for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
				group = lists[i];
				for (; group->name; group++)
					puts(group->name);
			}
			return 0;
		case 'g':
			group = group_find(optarg);
			if (!group) {
				fprintf(stderr, "cases: no %s\n", optarg);
				return 2;
			}
			break;
		case 'x':
			if (nr_left_out < MAX_BAD)
				left_out[nr_left_out++] = optarg;
			break;
		default:
			return 2;
		}
	}
	if (group) {
		group->ask();
		return 0;
	}
	run_all();
	if (optind < argc)
		return print_file(argv[optind]);
	for (size_t i = 0; i < nr_replies; i++)
		puts(replies[i].line);
	return 0;
}
