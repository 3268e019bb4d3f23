// SPDX-License-Identifier: GPL-2.0-only
/*
 * heapsim run: runs a program, collects the findings for it and for all
 * processes that it starts, and reports them after the processes have ended.
 *
 * This process is their subreaper, so those whose parents have ended stay in
 * its tree, and the module still watches them.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <libgen.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/heapsim.h>

#include "backend.h"
#include "device.h"
#include "events.h"
#include "finding.h"
#include "group.h"
#include "heapsim.h"
#include "number.h"
#include "report.h"
#include "setting.h"
#include "suppress.h"
#include "../clock.h"
#include "../record/stacks.h"
#include "trace.h"

#define NR_RECORDS	16384	/* room for records in the kernel */
#define NR_AT_ONCE	128	/* records in one read */
#define NR_EVENTS	HEAPSIM_WATCH_MAX_RECORDS
#define NR_READS	512	/* reads of events before findings are read */
#define RETRY_MS	100	/* between two looks for missing stacks */
#define GRACE_NS	200000000ULL	/* for children that end after it */
#define EVENTS_MS	20	/* between two reads of libmem's events */

/* Exit codes that shells use */
#define EXIT_NOT_EXECUTABLE	126
#define EXIT_NOT_FOUND		127
#define EXIT_BY_SIGNAL		128

/**
 * struct run - a run of a program
 * @name: full name of the subcommand, for messages
 * @soc: board that the module must have or libmem should use; NULL: any
 * @policy: policy of the buffers that the program and its children allocate
 * @error_exitcode: exit code if there are errors, or if nothing was watched;
 *	0: that of the program
 * @allow_no_context: it is no error if neither a context nor a buffer was seen
 * @leak_check: how objects that were never destroyed are handled
 * @has_gen: print a suppression for each finding
 * @log: file of the report for people
 * @json: file of the report for programs; NULL: none
 * @timeline: file of @trace; NULL: none
 * @suppressions: suppressions that were read
 * @watch_fd: /dev/heapsim; -1 with the embedded backend
 * @events_fd: second open for events, which are many: they must not take the
 *	room of findings; -1: none
 * @seen_fd: third open, kept until the first event shows that a buffer was
 *	used; -1: none
 * @trace: timeline; NULL: none
 * @events: reader of libmem's events for the timeline; NULL: none
 * @stacks_fd: descriptor of the file of @stacks
 * @stacks: file in which threads write their stacks
 * @findings: findings so far
 * @facts: facts about the run
 * @old_mask: mask of blocked signals before the run
 * @last_arg: the last argument of our command line
 * @group: our process group, which the program is in unless it leaves it
 * @nr_asked: how often a signal asked this process to end
 * @has_ended: the program has ended; processes that it started may still run
 * @ended_ns: time of its end, CLOCK_MONOTONIC
 */
struct run {
	const char *name;
	const char *soc;
	struct heapsim_set_policy policy;
	int error_exitcode;
	bool allow_no_context;
	enum leak_check leak_check;
	bool has_gen;
	FILE *log;
	FILE *json;
	FILE *timeline;
	struct suppressions *suppressions;
	int watch_fd;
	int events_fd;
	int seen_fd;
	struct trace *trace;
	struct events *events;
	int stacks_fd;
	struct stacks *stacks;
	struct findings *findings;
	struct run_facts facts;
	sigset_t old_mask;
	char *last_arg;
	struct group group;
	int nr_asked;
	bool has_ended;
	uint64_t ended_ns;
};

enum {
	OPT_BACKEND = 256,
	OPT_LEAK_CHECK,
	OPT_SOC,
	OPT_POLICY,
	OPT_EVICT,
	OPT_SEED,
	OPT_PRECISE,
	OPT_ERROR_EXITCODE,
	OPT_ALLOW_NO_CONTEXT,
	OPT_LOG_FILE,
	OPT_JSON,
	OPT_TRACE,
	OPT_SUPPRESSIONS,
	OPT_GEN_SUPPRESSIONS,
	OPT_HELP,
};

static const struct option options[] = {
	{ "backend", required_argument, NULL, OPT_BACKEND },
	{ "leak-check", required_argument, NULL, OPT_LEAK_CHECK },
	{ "soc", required_argument, NULL, OPT_SOC },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "evict", required_argument, NULL, OPT_EVICT },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "precise", no_argument, NULL, OPT_PRECISE },
	{ "error-exitcode", required_argument, NULL, OPT_ERROR_EXITCODE },
	{ "allow-no-context", no_argument, NULL, OPT_ALLOW_NO_CONTEXT },
	{ "log-file", required_argument, NULL, OPT_LOG_FILE },
	{ "json", required_argument, NULL, OPT_JSON },
	{ "trace", required_argument, NULL, OPT_TRACE },
	{ "suppressions", required_argument, NULL, OPT_SUPPRESSIONS },
	{ "gen-suppressions", no_argument, NULL, OPT_GEN_SUPPRESSIONS },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
"usage: heapsim run [OPTION]... [--] PROGRAM [ARGUMENT]...\n"
"\n"
"Runs the program, and reports its cache mistakes when it and all processes\n"
"that it started have ended.\n"
"\n"
"  --backend=BACKEND     what simulates the board: kernel (the module), embedded\n"
"                        (libmem, in the program itself) or auto (default:\n"
"                        the module if it is loaded, else embedded)\n"
"  --soc=NAME            the board; fail unless the module simulates it\n"
"  --policy=POLICY       policy of its buffers: record (default), strict, or off\n"
"  --evict=HOW           eviction of cache lines: none (default) or random\n"
"  --seed=N              seed of random eviction (default 0)\n"
"  --precise             detect each access, not only the first to a page (x86;\n"
"                        slow)\n"
"  --leak-check=HOW      list objects of libmem that were not destroyed: yes\n"
"                        (default), no, or error\n"
"  --error-exitcode=N    exit with N if there are errors, or no context and no\n"
"                        buffer was seen (default: the program's exit code, or\n"
"                        128 plus the signal that ended it)\n"
"  --allow-no-context    it is no error if no context and no buffer was seen\n"
"  --log-file=FILE       write the report to FILE, not to standard error\n"
"  --json=FILE           also write it to FILE as JSON (-: standard output)\n"
"  --trace=FILE          write a timeline to FILE, for ui.perfetto.dev\n"
"  --suppressions=FILE   do not report findings that FILE lists; may be repeated\n"
"  --gen-suppressions    print a suppression for each error\n"
"  --help                this text\n"
"\n"
"See heapsim-run(1) for details.\n";

__attribute__((format(printf, 2, 3)))
static int failed(const struct run *run, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", run->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return EXIT_FAILED;
}

static FILE *open_report(const struct run *run, const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		failed(run, "%s: %s", path, strerror(errno));
	return out;
}

static int word_find(const char *word, const char *const *words, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

/* Returns -1 to go on, or what to exit with. */
static int policy_take(struct run *run, int option)
{
	static const char *const policies[] = {
		[HEAPSIM_POLICY_STRICT] = "strict",
		[HEAPSIM_POLICY_RECORD] = "record",
		[HEAPSIM_POLICY_OFF] = "off",
	};
	static const char *const evicts[] = { "none", "random" };
	int i;

	if (option == OPT_POLICY) {
		i = word_find(optarg, policies, 3);
		if (i < 0)
			return usage_error(run->name,
					   "--policy=%s: not record, strict or off",
					   optarg);
		run->policy.policy = i;
	} else {
		i = word_find(optarg, evicts, 2);
		if (i < 0)
			return usage_error(run->name,
					   "--evict=%s: not none or random",
					   optarg);
		run->policy.evict_random = i;
	}
	return -1;
}

/* The same. */
static int number_take(const struct run *run, const char *option, uint64_t most,
		       uint64_t *number)
{
	if (!number_whole(optarg, most, number))
		return -1;
	return usage_error(run->name, "%s=%s: not a number from 0 to %" PRIu64,
			   option, optarg, most);
}

/* The same. */
static int backend_option_take(struct run *run)
{
	if (!backend_find(optarg, &run->facts.backend))
		return -1;
	return usage_error(run->name,
			   "--backend=%s: not auto, kernel or embedded",
			   optarg);
}

/* The same. */
static int leak_check_take(struct run *run)
{
	static const char *const checks[] = {
		[LEAKS_NOT_TOLD] = "no",
		[LEAKS_TOLD] = "yes",
		[LEAKS_ARE_ERRORS] = "error",
	};
	const int i = word_find(optarg, checks, 3);

	if (i < 0)
		return usage_error(run->name,
				   "--leak-check=%s: not yes, no or error",
				   optarg);
	run->leak_check = i;
	return -1;
}

static int board_unknown(const struct run *run, const char *soc)
{
	fprintf(stderr, "%s: ", run->name);
	setting_print(stderr, "--soc", soc);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

/* The same. */
static int option_take(struct run *run, int option)
{
	uint64_t n = 0;
	int ret;

	switch (option) {
	case OPT_BACKEND:
		return backend_option_take(run);
	case OPT_LEAK_CHECK:
		return leak_check_take(run);
	case OPT_SOC:
		if (!*optarg)
			return board_unknown(run, optarg);
		run->soc = optarg;
		return -1;
	case OPT_POLICY:
	case OPT_EVICT:
		return policy_take(run, option);
	case OPT_SEED:
		ret = number_take(run, "--seed", UINT64_MAX, &n);
		run->policy.seed = n;
		return ret;
	case OPT_PRECISE:
		run->policy.is_precise = 1;
		return -1;
	case OPT_ERROR_EXITCODE:
		ret = number_take(run, "--error-exitcode", 255, &n);
		run->error_exitcode = n;
		return ret;
	case OPT_ALLOW_NO_CONTEXT:
		run->allow_no_context = true;
		return -1;
	case OPT_LOG_FILE:
		if (run->log != stderr)
			return usage_error(run->name,
					   "--log-file is given twice");
		run->log = open_report(run, optarg);
		if (run->log)
			return -1;
		run->log = stderr;
		return EXIT_FAILED;
	case OPT_JSON:
		if (run->json)
			return usage_error(run->name, "--json is given twice");
		run->json = strcmp(optarg, "-") ? open_report(run, optarg) :
						  stdout;
		return run->json ? -1 : EXIT_FAILED;
	case OPT_TRACE:
		if (run->timeline)
			return usage_error(run->name, "--trace is given twice");
		run->timeline = open_report(run, optarg);
		return run->timeline ? -1 : EXIT_FAILED;
	case OPT_SUPPRESSIONS:
		return suppressions_read(run->suppressions, optarg) ?
			EXIT_FAILED : -1;
	case OPT_GEN_SUPPRESSIONS:
		run->has_gen = true;
		return -1;
	case OPT_HELP:
		fputs(help, stdout);
		return EXIT_OK;
	default:
		return usage_try(run->name);
	}
}

static int arguments_take(struct run *run, int argc, char **argv)
{
	int option, ret;

	while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		ret = option_take(run, option);
		if (ret >= 0)
			return ret;
	}
	if (optind == argc)
		return usage_error(run->name, "no program to run");
	run->facts.argv = argv + optind;
	run->last_arg = argv[argc - 1];
	return -1;
}

/* The policy holds for this process's tree as long as the open exists. */
static int policy_set(struct run *run)
{
	if (!ioctl(run->watch_fd, HEAPSIM_IOC_POLICY, &run->policy))
		return 0;
	if (errno == EOPNOTSUPP)
		return failed(run, "--precise: not on this machine");
	return failed(run, "cannot set the policy: %s", strerror(errno));
}

static int device_open(const struct run *run, int *fd)
{
	*fd = open("/dev/heapsim", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (*fd >= 0)
		return 0;
	if (errno == ENOENT || errno == ENXIO)
		return failed(run, "the module is not loaded (heapsim load)");
	return device_tell_error(run->name, -errno);
}

static int watch_begin(const struct run *run, int fd,
		       struct heapsim_watch *watch)
{
	watch->size = sizeof(*watch);
	watch->scope = HEAPSIM_WATCH_TREE;
	watch->record_size = sizeof(struct heapsim_record);
	if (!ioctl(fd, HEAPSIM_IOC_WATCH, watch))
		return 0;
	if (errno == EBUSY)
		return failed(run, "too many processes watch already");
	if (errno == EINVAL && watch->kinds == HEAPSIM_KINDS_EVENTS)
		return failed(run, "--trace: the module is too old");
	return failed(run, "cannot watch: %s", strerror(errno));
}

/* Called before the program is started, since the timeline begins at 0 here. */
static int trace_begin(struct run *run)
{
	if (!run->timeline)
		return 0;
	run->trace = trace_open(run->timeline);
	return run->trace ? 0 : failed(run, "no memory");
}

static int events_watch(struct run *run)
{
	struct heapsim_watch watch = {
		.kinds = HEAPSIM_KINDS_EVENTS,
		.nr_records = NR_EVENTS,
	};
	int ret;

	if (!run->timeline)
		return 0;
	ret = device_open(run, &run->events_fd);
	if (!ret)
		ret = watch_begin(run, run->events_fd, &watch);
	return ret ? ret : trace_begin(run);
}

/*
 * If a program uses the module's heaps without libmem, its first event shows
 * that it used a buffer. Buffers with one view may have no events; with
 * --policy=off all buffers have one view.
 */
static int seen_watch(struct run *run)
{
	struct heapsim_watch watch = {
		.kinds = HEAPSIM_KINDS_EVENTS,
		.nr_records = 1,
	};
	int ret;

	if (run->policy.policy == HEAPSIM_POLICY_OFF) {
		run->facts.is_seen = true;
		return 0;
	}
	ret = device_open(run, &run->seen_fd);
	return ret ? ret : watch_begin(run, run->seen_fd, &watch);
}

static int module_open(struct run *run)
{
	struct heapsim_watch watch = {
		.kinds = HEAPSIM_KINDS_ALL,
		.nr_records = NR_RECORDS,
		.stack_signal = STACKS_SIGNAL,
	};
	struct heapsim_probe *probe = &run->facts.probe;
	int ret;

	ret = device_open(run, &run->watch_fd);
	if (ret)
		return ret;
	probe->size = sizeof(*probe);
	if (ioctl(run->watch_fd, HEAPSIM_IOC_PROBE, probe))
		return failed(run, "/dev/heapsim: %s", strerror(errno));
	if (run->soc && strcmp(run->soc, probe->soc))
		return setting_is_board(run->soc) ?
			failed(run, "the module simulates %s (heapsim load)",
			       probe->soc) : board_unknown(run, run->soc);
	/* An older module refuses unknown kinds. */
	if (!(probe->features & HEAPSIM_FEATURE_STREAMS))
		watch.kinds &= ~HEAPSIM_KINDS_STREAMS;
	ret = watch_begin(run, run->watch_fd, &watch);
	return ret ? ret : policy_set(run);
}

static int board_open(struct run *run)
{
	int ret;

	if (run->facts.backend != RUN_EMBEDDED) {
		ret = module_open(run);
		if (!ret)
			ret = seen_watch(run);
		return ret ? ret : events_watch(run);
	}
	if (run->soc && !setting_is_board(run->soc))
		return board_unknown(run, run->soc);
	/* The embedded backend would need SIGTRAP, which a debugger uses. */
	if (run->policy.is_precise)
		return failed(run,
			      "--precise: only the module steps threads unseen (--backend=kernel)");
	return trace_begin(run);
}

static int stacks_create(struct run *run)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	struct rlimit limit;

	/* A file that is longer would end heapsim by SIGXFSZ. */
	if (!getrlimit(RLIMIT_FSIZE, &limit) &&
	    limit.rlim_cur < sizeof(*run->stacks))
		return failed(run, "files may not be long enough (ulimit -f)");
	run->stacks_fd = memfd_create("heapsim-stacks",
				      MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* The program can write to the file, but must not truncate it. */
	if (run->stacks_fd < 0 ||
	    ftruncate(run->stacks_fd, sizeof(*run->stacks)) ||
	    fcntl(run->stacks_fd, F_ADD_SEALS, seals))
		return failed(run, "memory for stacks: %s", strerror(errno));
	run->stacks = mmap(NULL, sizeof(*run->stacks), PROT_READ | PROT_WRITE,
			   MAP_SHARED, run->stacks_fd, 0);
	if (run->stacks == MAP_FAILED) {
		run->stacks = NULL;
		return failed(run, "memory for stacks: %s", strerror(errno));
	}
	run->stacks->header.version = STACKS_VERSION;
	run->stacks->header.magic = STACKS_MAGIC;
	run->stacks->told.policy = run->policy.policy;
	run->stacks->told.evict_random = run->policy.evict_random;
	run->stacks->told.seed = run->policy.seed;
	run->findings = findings_open(run->stacks);
	if (!run->findings)
		return failed(run, "no memory");
	findings_set_leak_check(run->findings, run->leak_check);
	if (!run->trace)
		return 0;
	run->events = events_open(run->stacks, run->trace);
	return run->events ? 0 : failed(run, "no memory");
}

/**
 * struct preloaded - a library that is preloaded into programs
 * @name: name of its file
 * @beside: its folder, relative to this program, if it is not installed
 * @installed: its folder if it is installed
 */
struct preloaded {
	const char *name;
	const char *beside;
	const char *installed;
};

/*
 * With the module, the library writes the stacks of threads that the module
 * signals. The embedded backend writes stacks itself, but must intercept calls
 * of the C library, also in a program that opens libmem by dlopen().
 * libmem-trap does so by being loaded before the C library, and does nothing
 * until a context is opened.
 */
static const struct preloaded preloaded[] = {
	[RUN_KERNEL] = {
		"libheapsim-preload.so", ".", HEAPSIM_PRELOADDIR,
	},
	[RUN_EMBEDDED] = { "libmem-trap.so.0", "../libmem", HEAPSIM_LIBDIR },
};

static int preload_find(const struct preloaded *what, char *path, size_t size)
{
	char own[4096];
	const ssize_t len = readlink("/proc/self/exe", own, sizeof(own) - 1);

	own[len < 0 ? 0 : len] = '\0';
	if (len > 0 &&
	    snprintf(path, size, "%s/%s/%s", dirname(own), what->beside,
		     what->name) < (int)size && !access(path, R_OK))
		return 0;
	snprintf(path, size, "%s/%s", what->installed, what->name);
	return access(path, R_OK);
}

static int env_prepend(const char *name, const char *value)
{
	const char *old = getenv(name);
	char *both;
	int ret;

	if (!old || !*old)
		return setenv(name, value, 1);
	if (asprintf(&both, "%s:%s", value, old) < 0)
		return -1;
	ret = setenv(name, both, 1);
	free(both);
	return ret;
}

static int preload_prepare(const struct run *run)
{
	char path[4096 + 64];

	if (preload_find(&preloaded[run->facts.backend], path, sizeof(path)))
		return failed(run, "%s: %s", path, strerror(errno));
	/* AddressSanitizer insists on being first, although it need not be. */
	if (env_prepend("LD_PRELOAD", path) ||
	    env_prepend("ASAN_OPTIONS", "verify_asan_link_order=0"))
		return failed(run, "no memory");
	return 0;
}

/* Sets variables of this process, which the program inherits. */
static int env_prepare(const struct run *run)
{
	char stacks[64];

	snprintf(stacks, sizeof(stacks), "/proc/%d/fd/%d", (int)getpid(),
		 run->stacks_fd);
	if (setenv(STACKS_ENV, stacks, 1) ||
	    backend_env_set(&run->facts, run->soc))
		return failed(run, "no memory");
	return preload_prepare(run);
}

static void child(const struct run *run, int tell)
{
	int error;

	sigprocmask(SIG_SETMASK, &run->old_mask, NULL);
	execvp(run->facts.argv[0], run->facts.argv);
	error = errno;
	while (write(tell, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(EXIT_NOT_FOUND);
}

/* Searches as execvp() does, which reports the error if this returns false. */
static bool program_find(const char *name, char *path, size_t size)
{
	const char *at = getenv("PATH");

	if (strchr(name, '/'))
		return snprintf(path, size, "%s", name) < (int)size;
	while (at && *at) {
		const int len = strcspn(at, ":");

		if (snprintf(path, size, "%.*s/%s", len, at, name) <
		    (int)size && !access(path, X_OK))
			return true;
		at += len + (at[len] == ':');
	}
	return false;
}

static int program_start(struct run *run)
{
	char path[4096];
	int tell[2], error = 0;
	ssize_t n;

	if (program_find(run->facts.argv[0], path, sizeof(path)))
		findings_set_program(run->findings, path);

	if (pipe2(tell, O_CLOEXEC))
		return failed(run, "pipe: %s", strerror(errno));
	run->facts.pid = fork();
	if (run->facts.pid < 0)
		return failed(run, "fork: %s", strerror(errno));
	if (!run->facts.pid)
		child(run, tell[1]);
	/* The reader of the report may end before it is complete. */
	signal(SIGPIPE, SIG_IGN);
	close(tell[1]);
	do
		n = read(tell[0], &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	close(tell[0]);
	if (n <= 0)
		return 0;
	waitpid(run->facts.pid, NULL, 0);
	failed(run, "%s: %s", run->facts.argv[0], strerror(error));
	return error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
}

/* Limits the number of reads, so that findings are read in time, too. */
static int module_events_read(struct run *run)
{
	struct heapsim_record records[NR_AT_ONCE];
	ssize_t n, i;
	int reads;

	for (reads = 0; run->events_fd >= 0 && reads < NR_READS; reads++) {
		n = read(run->events_fd, records, sizeof(records));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		for (i = 0; i < n / (ssize_t)sizeof(records[0]); i++)
			events_write_of_module(run->events, &records[i]);
	}
	return 0;
}

static int finding_take(struct run *run, struct heapsim_record *r)
{
	if (run->trace)
		trace_finding(run->trace, r);
	return findings_add(run->findings, r);
}

/* One event is enough, and events cost time, so the watch ends after it. */
static void seen_read(struct run *run)
{
	struct heapsim_record record;

	if (run->seen_fd < 0 ||
	    read(run->seen_fd, &record, sizeof(record)) < 0)
		return;
	run->facts.is_seen = true;
	close(run->seen_fd);
	run->seen_fd = -1;
}

/*
 * Reads available records, first the events that led to the findings. The
 * number of reads is limited, since a signal may have to be forwarded to the
 * program.
 */
static int records_read(struct run *run)
{
	struct heapsim_record records[NR_AT_ONCE];
	ssize_t n, i;
	int ret, reads;

	seen_read(run);
	events_read(run->events, false);
	ret = module_events_read(run);
	if (ret || run->watch_fd < 0)
		return ret;
	for (reads = 0; reads < NR_READS; reads++) {
		n = read(run->watch_fd, records, sizeof(records));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? ret : -errno;
		for (i = 0; i < n / (ssize_t)sizeof(records[0]); i++)
			if (finding_take(run, &records[i]))
				ret = -ENOMEM;
	}
	return ret;
}

/* Reaps children; returns false if there are none left. */
static bool children_wait(struct run *run)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != run->facts.pid)
			continue;
		run->facts.status = status;
		run->has_ended = true;
		run->ended_ns = now_ns();
	}
	return !(pid < 0 && errno == ECHILD);
}

/* Returns true if the program got the signal as part of our process group. */
static bool program_got(struct run *run, int signal)
{
	return group_got(&run->group, signal) &&
	       getpgid(run->facts.pid) == getpgrp();
}

static void signal_take(struct run *run, const struct signalfd_siginfo *info)
{
	const int signal = info->ssi_signo;
	bool has_it;

	if (signal == SIGCHLD)
		return;
	has_it = program_got(run, signal);
	if (info->ssi_code == SI_KERNEL && !run->has_ended)
		return;
	if (signal != SIGUSR1 && signal != SIGUSR2)
		run->nr_asked++;
	if (!run->has_ended && !has_it)
		kill(run->facts.pid, signal);
}

static void signals_take(struct run *run, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == sizeof(info))
		signal_take(run, &info);
}

static int patience_ms(const struct run *run, bool is_told)
{
	if (run->events)
		return EVENTS_MS;
	return (run->has_ended && !is_told) ||
	       findings_are_waiting(run->findings) ? RETRY_MS : -1;
}

/* Collects records until all processes have ended or are not waited for. */
static int watch(struct run *run, int signal_fd)
{
	struct pollfd fds[] = {
		{ .fd = run->watch_fd, .events = POLLIN },
		{ .fd = signal_fd, .events = POLLIN },
		{ .fd = run->events_fd, .events = POLLIN },
		{ .fd = run->seen_fd, .events = POLLIN },
	};
	bool has_children = true, is_told = false;
	int ret = 0;

	while (has_children && !(run->has_ended && run->nr_asked) &&
	       run->nr_asked < 3 && !ret) {
		fds[3].fd = run->seen_fd;
		if (poll(fds, 4, patience_ms(run, is_told)) < 0 &&
		    errno != EINTR)
			return -errno;
		ret = records_read(run);
		findings_retry(run->findings);
		signals_take(run, signal_fd);
		has_children = children_wait(run);
		if (run->has_ended && has_children && !is_told &&
		    now_ns() - run->ended_ns >= GRACE_NS &&
		    backend_has_left(&run->stacks->told, run->group.witness)) {
			failed(run,
			       "waiting for processes that %s left running",
			       run->facts.argv[0]);
			is_told = true;
		}
	}
	run->facts.nr_left = has_children;
	/* Processes may have caused records while they ended. */
	return ret ? ret : records_read(run);
}

static void signals_block(struct run *run, sigset_t *set)
{
	static const int taken[] = {
		SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2,
	};
	size_t i;

	sigemptyset(set);
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		sigaddset(set, taken[i]);
	/* If SIGCHLD is ignored, the signalfd does not report it. */
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, set, &run->old_mask);
}

static int signals_open(struct run *run)
{
	sigset_t set;

	signals_block(run, &set);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Other children, left behind by others, are reaped but not waited for. */
static bool stand_in_has_ended(pid_t pid, int *status)
{
	pid_t ended;

	do
		ended = waitpid(-1, status, WNOHANG);
	while (ended > 0 && ended != pid);
	return ended == pid;
}

/* Forwards signals, except those that the whole process group got. */
static int stand_in_wait(struct run *run, pid_t pid, const sigset_t *set)
{
	siginfo_t info;
	int status;

	for (;;) {
		if (sigwaitinfo(set, &info) < 0)
			continue;
		if (info.si_signo != SIGCHLD) {
			if (!group_got(&run->group, info.si_signo) &&
			    info.si_code != SI_KERNEL)
				kill(pid, info.si_signo);
			continue;
		}
		if (!stand_in_has_ended(pid, &status))
			continue;
		return WIFEXITED(status) ? WEXITSTATUS(status) :
					   EXIT_BY_SIGNAL + WTERMSIG(status);
	}
}

/*
 * A run watches and waits for all descendants of a process. But this process
 * may have unrelated children: those of a shell that called us by exec, or
 * orphans, if this is the first process of a container. Then a child without
 * children does the run, and this process only waits for it and forwards
 * signals.
 *
 * Return: -1 in the process that continues; in the other one its exit code.
 */
static int stand_in(struct run *run)
{
	siginfo_t info;
	sigset_t set;
	pid_t pid;

	if (getpid() != 1 &&
	    waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) &&
	    errno == ECHILD)
		return -1;
	signals_block(run, &set);
	group_watch(&run->group, run->last_arg);
	pid = fork();
	if (pid < 0)
		return failed(run, "fork: %s", strerror(errno));
	if (pid)
		return stand_in_wait(run, pid, &set);
	/* The child starts its own witness. */
	run->group.witness = 0;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, &run->old_mask, NULL);
	return -1;
}

static int trace_finish(struct run *run)
{
	int err;

	if (!run->trace)
		return 0;
	events_read(run->events, true);
	backend_facts(&run->stacks->told, &run->facts);
	err = trace_end(run->trace, &run->facts);
	if (trace_nr_lost(run->trace))
		failed(run, "%llu events were lost: the trace has holes",
		       (unsigned long long)trace_nr_lost(run->trace));
	return err ? failed(run, "the trace: %s", strerror(-err)) : 0;
}

static int print_reports(struct run *run)
{
	struct finding *f;
	int ret, err;

	ret = trace_finish(run);
	err = backend_take(&run->stacks->told, run->findings, &run->facts);
	backend_refusals(run->stacks, &run->facts);
	if (findings_end(run->findings) || err)
		ret = failed(run, "no memory: the report is incomplete");
	for (f = findings_first(run->findings); f; f = f->next)
		f->suppressed_by = suppressions_match(run->suppressions, f);
	report_print(run->log, run->findings, &run->facts, run->has_gen);
	if (fflush(run->log) || ferror(run->log))
		ret = failed(run, "the report: %s", strerror(errno));
	if (run->json &&
	    (report_write_json(run->json, run->findings, &run->facts) ||
	     fflush(run->json)))
		ret = failed(run, "the report as JSON: %s", strerror(errno));
	return ret;
}

/* Returns true if errors may have been missed, since nothing was watched. */
static bool is_unwatched(const struct run *run)
{
	return run->facts.nr_refused ||
	       !(run->facts.is_seen || run->allow_no_context);
}

static int exit_code(const struct run *run)
{
	const struct totals t = findings_total(run->findings);
	const int status = run->facts.status;

	if (run->error_exitcode &&
	    (t.errors || t.dropped_errors || is_unwatched(run)))
		return run->error_exitcode;
	if (WIFSIGNALED(status))
		return EXIT_BY_SIGNAL + WTERMSIG(status);
	return run->has_ended ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* libmem returns only -EINVAL for a bad value; this prints a full message. */
static int environment_check(const struct run *run)
{
	const char *bad = setting_find_bad(run->facts.backend == RUN_EMBEDDED &&
					   !run->soc);

	if (!bad)
		return 0;
	fprintf(stderr, "%s: ", run->name);
	setting_print(stderr, bad, getenv(bad));
	fputc('\n', stderr);
	return EXIT_FAILED;
}

static int run_program(struct run *run)
{
	int signal_fd, ret, err;

	if (backend_choose(run->name, &run->facts.backend) ||
	    environment_check(run))
		return EXIT_FAILED;
	ret = stand_in(run);
	if (ret >= 0)
		return ret;
	ret = board_open(run);
	if (!ret)
		ret = stacks_create(run);
	if (!ret)
		ret = env_prepare(run);
	if (ret)
		return ret;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal_fd = signals_open(run);
	if (signal_fd < 0)
		return failed(run, "signalfd: %s", strerror(errno));
	group_watch(&run->group, run->last_arg);
	ret = program_start(run);
	if (!ret) {
		err = watch(run, signal_fd);
		if (err)
			failed(run, "/dev/heapsim: %s", strerror(-err));
		ret = print_reports(run);
		if (!ret)
			ret = err ? EXIT_FAILED : exit_code(run);
	} else {
		trace_finish(run);
	}
	close(signal_fd);
	return ret;
}

static void run_close(struct run *run)
{
	group_leave(&run->group);
	findings_close(run->findings);
	events_close(run->events);
	suppressions_close(run->suppressions);
	if (run->stacks)
		munmap(run->stacks, sizeof(*run->stacks));
	if (run->stacks_fd >= 0)
		close(run->stacks_fd);
	if (run->watch_fd >= 0)
		close(run->watch_fd);
	if (run->events_fd >= 0)
		close(run->events_fd);
	if (run->seen_fd >= 0)
		close(run->seen_fd);
	trace_close(run->trace);
	if (run->log != stderr)
		fclose(run->log);
	if (run->json && run->json != stdout)
		fclose(run->json);
	if (run->timeline)
		fclose(run->timeline);
}

/* If a standard descriptor is closed, the next open would use its number. */
static void std_open(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/**
 * cmd_run() - heapsim run
 * @argc: number of arguments
 * @argv: arguments, see heapsim.h
 *
 * Return: exit code.
 */
int cmd_run(int argc, char **argv)
{
	struct run run = {
		.name = argv[0],
		.log = stderr,
		.suppressions = suppressions_open(),
		.watch_fd = -1,
		.events_fd = -1,
		.seen_fd = -1,
		.stacks_fd = -1,
		.leak_check = LEAKS_TOLD,
		.facts.status = -1,
		.policy = {
			.size = sizeof(run.policy),
			.scope = HEAPSIM_POLICY_OF_TREE,
			.fd = -1,
			.policy = HEAPSIM_POLICY_RECORD,
		},
	};
	int ret;

	std_open();
	if (!run.suppressions)
		return failed(&run, "no memory");
	ret = arguments_take(&run, argc, argv);
	if (ret < 0)
		ret = run_program(&run);
	run_close(&run);
	return ret;
}
