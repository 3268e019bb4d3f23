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
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/heapsim.h>

#include "backend.h"
#include "events.h"
#include "findings.h"
#include "heapsim.h"
#include "notices.h"
#include "number.h"
#include "program.h"
#include "report.h"
#include "setting.h"
#include "signals.h"
#include "suppress.h"
#include "../clock.h"
#include "../record/stacks.h"
#include "trace.h"
#include "watch.h"

/* A program of this architecture can single-step itself. */
#if defined(__x86_64__)
#define CAN_STEP	true
#else
#define CAN_STEP	false
#endif

#define RETRY_MS	100	/* between two checks for missing stacks */
#define GRACE_NS	200000000ULL	/* for children that outlive it */
#define EVENTS_MS	20	/* between two reads of libmem's events */

/**
 * struct run - a run of a program
 * @name: full name of the subcommand, for messages
 * @soc: board that the module must have or libmem should use; NULL: any
 * @policy: policy of the buffers that the program and its children allocate
 * @error_exitcode: exit code if there are errors, or if something was not
 *	watched; 0: that of the program
 * @allow_no_context: it is no error if neither a context nor a buffer was seen,
 *	or a context was not watched
 * @allow_inline: it is no error if kernels ran in the program, unchecked
 * @leak_check: how objects that were never destroyed are handled
 * @has_gen: print a suppression for each finding
 * @log: file of the report for people
 * @json: file of the report for programs; NULL: none
 * @timeline: file of @trace; NULL: none
 * @suppressions: suppressions that were read
 * @watch: what is read from the module
 * @signals: signals that end the run, or are forwarded
 * @trace: timeline; NULL: none
 * @events: reader of libmem's events for the timeline; NULL: none
 * @notices_fd: socket of notices; -1: none
 * @stacks_fd: descriptor of the file of @stacks
 * @stacks: file in which threads write their stacks
 * @findings: findings so far
 * @facts: facts about the run
 * @has_ended: the program has ended; processes that it started may still run
 * @ended_ns: time of its end, CLOCK_MONOTONIC
 */
struct run {
	const char *name;
	const char *soc;
	struct heapsim_set_policy policy;
	int error_exitcode;
	bool allow_no_context;
	bool allow_inline;
	enum leak_check leak_check;
	bool has_gen;
	FILE *log;
	FILE *json;
	FILE *timeline;
	struct suppressions *suppressions;
	struct watch watch;
	struct signals signals;
	struct trace *trace;
	struct events *events;
	int notices_fd;
	int stacks_fd;
	struct stacks *stacks;
	struct findings *findings;
	struct run_facts facts;
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
	OPT_ALLOW_INLINE,
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
	{ "allow-inline", no_argument, NULL, OPT_ALLOW_INLINE },
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
"  --error-exitcode=N    exit with N if there are errors, no context and no\n"
"                        buffer was seen, or a context was not watched or\n"
"                        not checked (default: the program's exit code, or\n"
"                        128 plus the signal that ended it)\n"
"  --allow-no-context    it is no error if no context and no buffer was seen, or\n"
"                        a context was not watched\n"
"  --allow-inline        it is no error if engines were inline, so that kernels\n"
"                        were not checked\n"
"  --log-file=FILE       write the report to FILE, not to standard error\n"
"  --json=FILE           also write it to FILE as JSON (-: standard output)\n"
"  --trace=FILE          write a timeline to FILE, for ui.perfetto.dev\n"
"  --suppressions=FILE   do not report findings that FILE lists; may be repeated\n"
"  --gen-suppressions    print a suppression for each error\n"
"  --help                this text\n"
"\n"
"See heapsim-run(1) for details.\n";

static FILE *option_open_file(const struct run *run, const char *path)
{
	FILE *out = fopen(path, "we");

	if (!out)
		error_print(run->name, "%s: %s", path, strerror(errno));
	return out;
}

static int option_find_word(const char *word, const char *const *words,
			    int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(words[i], word))
			return i;
	return -1;
}

/* Returns -1 to go on, or the exit code, as those that follow. */
static int option_take_policy(struct run *run, int option)
{
	static const char *const policies[] = {
		[HEAPSIM_POLICY_STRICT] = "strict",
		[HEAPSIM_POLICY_RECORD] = "record",
		[HEAPSIM_POLICY_OFF] = "off",
	};
	static const char *const evicts[] = { "none", "random" };
	int i;

	if (option == OPT_POLICY) {
		i = option_find_word(optarg, policies, 3);
		if (i < 0)
			return error_usage(run->name,
					   "--policy=%s: not record, strict or off",
					   optarg);
		run->policy.policy = i;
	} else {
		i = option_find_word(optarg, evicts, 2);
		if (i < 0)
			return error_usage(run->name,
					   "--evict=%s: not none or random",
					   optarg);
		run->policy.evict_random = i;
	}
	return -1;
}

static int option_take_number(const struct run *run, const char *option,
			      uint64_t most, uint64_t *number)
{
	if (!number_whole(optarg, most, number))
		return -1;
	return error_usage(run->name, "%s=%s: not a number from 0 to %" PRIu64,
			   option, optarg, most);
}

static int option_take_backend(struct run *run)
{
	if (!backend_find(optarg, &run->facts.backend))
		return -1;
	return error_usage(run->name,
			   "--backend=%s: not auto, kernel or embedded",
			   optarg);
}

static int option_take_leak_check(struct run *run)
{
	static const char *const checks[] = {
		[LEAKS_ARE_IGNORED] = "no",
		[LEAKS_ARE_LISTED] = "yes",
		[LEAKS_ARE_ERRORS] = "error",
	};
	const int i = option_find_word(optarg, checks, 3);

	if (i < 0)
		return error_usage(run->name,
				   "--leak-check=%s: not yes, no or error",
				   optarg);
	run->leak_check = i;
	return -1;
}

static int run_refuse_board(const struct run *run, const char *soc)
{
	fprintf(stderr, "%s: ", run->name);
	setting_print(stderr, "--soc", soc);
	fputc('\n', stderr);
	return EXIT_USAGE;
}

static int option_take(struct run *run, int option)
{
	uint64_t n = 0;
	int ret;

	switch (option) {
	case OPT_BACKEND:
		return option_take_backend(run);
	case OPT_LEAK_CHECK:
		return option_take_leak_check(run);
	case OPT_SOC:
		if (!*optarg)
			return run_refuse_board(run, optarg);
		run->soc = optarg;
		return -1;
	case OPT_POLICY:
	case OPT_EVICT:
		return option_take_policy(run, option);
	case OPT_SEED:
		ret = option_take_number(run, "--seed", UINT64_MAX, &n);
		run->policy.seed = n;
		return ret;
	case OPT_PRECISE:
		run->policy.is_precise = 1;
		return -1;
	case OPT_ERROR_EXITCODE:
		ret = option_take_number(run, "--error-exitcode", 255, &n);
		run->error_exitcode = n;
		return ret;
	case OPT_ALLOW_NO_CONTEXT:
		run->allow_no_context = true;
		return -1;
	case OPT_ALLOW_INLINE:
		run->allow_inline = true;
		return -1;
	case OPT_LOG_FILE:
		if (run->log != stderr)
			return error_usage(run->name,
					   "--log-file is given twice");
		run->log = option_open_file(run, optarg);
		if (run->log)
			return -1;
		run->log = stderr;
		return EXIT_FAILED;
	case OPT_JSON:
		if (run->json)
			return error_usage(run->name, "--json is given twice");
		run->json = strcmp(optarg, "-") ?
			    option_open_file(run, optarg) : stdout;
		return run->json ? -1 : EXIT_FAILED;
	case OPT_TRACE:
		if (run->timeline)
			return error_usage(run->name, "--trace is given twice");
		run->timeline = option_open_file(run, optarg);
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
		return error_try(run->name);
	}
}

static int run_take_arguments(struct run *run, int argc, char **argv)
{
	int option, ret;

	while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		ret = option_take(run, option);
		if (ret >= 0)
			return ret;
	}
	if (optind == argc)
		return error_usage(run->name, "no program to run");
	run->facts.argv = argv + optind;
	run->signals.last_arg = argv[argc - 1];
	return -1;
}

/* Called before the program is started, since the timeline begins at 0 here. */
static int run_begin_trace(struct run *run)
{
	if (!run->timeline)
		return 0;
	run->trace = trace_open(run->timeline);
	return run->trace ? 0 : error_print(run->name, "no memory");
}

static int run_open_module(struct run *run)
{
	struct heapsim_probe *probe = &run->facts.probe;
	int ret;

	ret = watch_open(&run->watch, probe);
	if (ret)
		return ret;
	if (run->soc && strcmp(run->soc, probe->soc))
		return setting_is_board(run->soc) ?
			error_print(run->name,
				    "the module simulates %s (heapsim load)",
				    probe->soc) :
			run_refuse_board(run, run->soc);
	ret = watch_begin(&run->watch, probe, &run->policy);
	if (ret)
		return ret;
	/* All buffers have one view then, and may have no events. */
	if (run->policy.policy == HEAPSIM_POLICY_OFF)
		run->facts.is_seen = true;
	else
		ret = watch_begin_seen(&run->watch);
	if (!ret && run->timeline)
		ret = watch_begin_events(&run->watch);
	return ret;
}

static int run_open_board(struct run *run)
{
	int ret = 0;

	if (run->facts.backend != RUN_EMBEDDED)
		ret = run_open_module(run);
	else if (run->soc && !setting_is_board(run->soc))
		ret = run_refuse_board(run, run->soc);
	else if (run->policy.is_precise && !CAN_STEP)
		ret = error_print(run->name, "--precise: not on this machine");
	return ret ? ret : run_begin_trace(run);
}

static int run_create_stacks(struct run *run)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	struct rlimit limit;

	/* A file that is longer would end heapsim by SIGXFSZ. */
	if (!getrlimit(RLIMIT_FSIZE, &limit) &&
	    limit.rlim_cur < sizeof(*run->stacks))
		return error_print(run->name,
				   "files may not be long enough (ulimit -f)");
	run->stacks_fd = memfd_create("heapsim-stacks",
				      MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* The program can write to the file, but must not truncate it. */
	if (run->stacks_fd < 0 ||
	    ftruncate(run->stacks_fd, sizeof(*run->stacks)) ||
	    fcntl(run->stacks_fd, F_ADD_SEALS, seals))
		return error_print(run->name, "memory for stacks: %s",
				   strerror(errno));
	run->stacks = mmap(NULL, sizeof(*run->stacks), PROT_READ | PROT_WRITE,
			   MAP_SHARED, run->stacks_fd, 0);
	if (run->stacks == MAP_FAILED) {
		run->stacks = NULL;
		return error_print(run->name, "memory for stacks: %s",
				   strerror(errno));
	}
	run->stacks->header.version = STACKS_VERSION;
	run->stacks->header.magic = STACKS_MAGIC;
	run->stacks->tables.policy = run->policy.policy;
	run->stacks->tables.evict_random = run->policy.evict_random;
	run->stacks->tables.seed = run->policy.seed;
	run->stacks->tables.is_precise = run->policy.is_precise;
	run->findings = findings_open(run->stacks);
	if (!run->findings)
		return error_print(run->name, "no memory");
	findings_set_leak_check(run->findings, run->leak_check);
	if (!run->trace)
		return 0;
	run->events = events_open(run->stacks, run->trace);
	return run->events ? 0 : error_print(run->name, "no memory");
}

/* Reads what has been recorded so far, first the events. */
static int run_read(struct run *run)
{
	if (watch_read_seen(&run->watch))
		run->facts.is_seen = true;
	notices_read(run->notices_fd, &run->facts);
	events_read(run->events, false);
	return watch_read(&run->watch, run->findings, run->events, run->trace);
}

/* Reaps children; returns false if there are none left. */
static bool run_reap_children(struct run *run)
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

/* Returns how long to wait for signals and records; -1: until one arrives. */
static int run_poll_ms(const struct run *run, bool has_warned)
{
	if (run->events)
		return EVENTS_MS;
	return (run->has_ended && !has_warned) ||
	       findings_are_waiting(run->findings) ? RETRY_MS : -1;
}

/* Collects records until all processes have ended or are not waited for. */
static int run_collect(struct run *run)
{
	struct pollfd fds[] = {
		{ .fd = run->watch.fd, .events = POLLIN },
		{ .fd = run->signals.fd, .events = POLLIN },
		{ .fd = run->watch.events_fd, .events = POLLIN },
		{ .fd = run->watch.seen_fd, .events = POLLIN },
		{ .fd = run->notices_fd, .events = POLLIN },
	};
	struct signals *signals = &run->signals;
	bool has_children = true, has_warned = false;
	int ret = 0;

	while (has_children && !(run->has_ended && signals->nr_asked) &&
	       signals->nr_asked < 3 && !ret) {
		fds[3].fd = run->watch.seen_fd;
		if (poll(fds, 5, run_poll_ms(run, has_warned)) < 0 &&
		    errno != EINTR)
			return -errno;
		ret = run_read(run);
		findings_retry(run->findings);
		signals_forward(signals, run->facts.pid, run->has_ended);
		has_children = run_reap_children(run);
		if (run->has_ended && has_children && !has_warned &&
		    now_ns() - run->ended_ns >= GRACE_NS &&
		    backend_has_left(&run->stacks->tables,
				     signals->group.witness)) {
			error_print(run->name,
				    "waiting for processes that %s left running",
				    run->facts.argv[0]);
			has_warned = true;
		}
	}
	run->facts.nr_left = has_children;
	/* Processes may have caused records while they ended. */
	return ret ? ret : run_read(run);
}

static int run_finish_trace(struct run *run)
{
	int err;

	if (!run->trace)
		return 0;
	events_read(run->events, true);
	backend_facts(&run->stacks->tables, &run->facts);
	err = trace_end(run->trace, &run->facts);
	if (trace_nr_lost(run->trace))
		error_print(run->name,
			    "%llu events were lost: the trace has holes",
			    (unsigned long long)trace_nr_lost(run->trace));
	return err ? error_print(run->name, "the trace: %s", strerror(-err)) :
		     0;
}

static int run_print_reports(struct run *run)
{
	struct finding *f;
	int ret, err;

	ret = run_finish_trace(run);
	err = backend_take(&run->stacks->tables, run->findings, &run->facts);
	backend_refusals(run->stacks, &run->facts);
	if (findings_end(run->findings) || err)
		ret = error_print(run->name,
				  "no memory: the report is incomplete");
	for (f = findings_first(run->findings); f; f = f->next)
		f->suppressed_by = suppressions_match(run->suppressions, f);
	findings_find_causes(run->findings);
	report_print(run->log, run->findings, &run->facts, run->has_gen);
	if (fflush(run->log) || ferror(run->log))
		ret = error_print(run->name, "the report: %s",
				  strerror(errno));
	if (run->json &&
	    (report_write_json(run->json, run->findings, &run->facts) ||
	     fflush(run->json)))
		ret = error_print(run->name, "the report as JSON: %s",
				  strerror(errno));
	return ret;
}

/* Returns true if errors may have been missed. */
static bool run_is_unwatched(const struct run *run)
{
	return run->facts.nr_refused ||
	       (run->facts.nr_inline && !run->allow_inline) ||
	       (!run->allow_no_context &&
		(run->facts.nr_unwatched || !run->facts.is_seen));
}

static int run_exit_code(const struct run *run)
{
	const struct totals t = findings_total(run->findings);
	const int status = run->facts.status;

	if (run->error_exitcode &&
	    (t.errors || t.dropped_errors || run_is_unwatched(run)))
		return run->error_exitcode;
	if (WIFSIGNALED(status))
		return EXIT_BY_SIGNAL + WTERMSIG(status);
	return run->has_ended ? WEXITSTATUS(status) : EXIT_FAILED;
}

/* libmem returns only -EINVAL for a bad value; this prints a full message. */
static int run_check_environment(const struct run *run)
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
	int ret, err;

	if (backend_choose(run->name, &run->facts.backend) ||
	    run_check_environment(run))
		return EXIT_FAILED;
	ret = signals_stand_in(&run->signals);
	if (ret >= 0)
		return ret;
	ret = run_open_board(run);
	if (!ret)
		ret = run_create_stacks(run);
	run->notices_fd = ret ? -1 : notices_open(run->name);
	if (!ret)
		ret = program_prepare(run->name, &run->facts, run->soc,
				      run->stacks_fd);
	if (ret)
		return ret;
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	ret = signals_open(&run->signals);
	if (ret)
		return ret;
	ret = program_start(run->name, &run->facts, run->findings,
			    &run->signals.old_mask);
	if (ret) {
		run_finish_trace(run);
		return ret;
	}
	err = run_collect(run);
	if (err)
		error_print(run->name, "/dev/heapsim: %s", strerror(-err));
	ret = run_print_reports(run);
	if (ret)
		return ret;
	return err ? EXIT_FAILED : run_exit_code(run);
}

static void run_close(struct run *run)
{
	signals_close(&run->signals);
	findings_close(run->findings);
	events_close(run->events);
	suppressions_close(run->suppressions);
	if (run->stacks)
		munmap(run->stacks, sizeof(*run->stacks));
	if (run->stacks_fd >= 0)
		close(run->stacks_fd);
	if (run->notices_fd >= 0)
		close(run->notices_fd);
	watch_close(&run->watch);
	trace_close(run->trace);
	if (run->log != stderr)
		fclose(run->log);
	if (run->json && run->json != stdout)
		fclose(run->json);
	if (run->timeline)
		fclose(run->timeline);
}

/* If a standard descriptor is closed, the next open would use its number. */
static void run_open_std(void)
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
		.watch = {
			.who = argv[0],
			.fd = -1,
			.events_fd = -1,
			.seen_fd = -1,
		},
		.signals = { .who = argv[0], .fd = -1 },
		.notices_fd = -1,
		.stacks_fd = -1,
		.leak_check = LEAKS_ARE_LISTED,
		.facts.status = -1,
		.policy = {
			.size = sizeof(run.policy),
			.scope = HEAPSIM_POLICY_OF_TREE,
			.fd = -1,
			.policy = HEAPSIM_POLICY_RECORD,
		},
	};
	int ret;

	run_open_std();
	if (!run.suppressions)
		return error_print(run.name, "no memory");
	ret = run_take_arguments(&run, argc, argv);
	if (ret < 0)
		ret = run_program(&run);
	run_close(&run);
	return ret;
}
