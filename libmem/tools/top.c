// SPDX-License-Identifier: GPL-2.0-only
/*
 * heapsim top: prints the table of buffers again and again. Signals that end
 * the program only set a flag, and are unblocked only during a wait. So the
 * terminal is restored in one place, whatever ended the loop.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <curses.h>

#include "../clock.h"
#include "heapsim.h"
#include "number.h"
#include "sample.h"
#include "table.h"

#define MIN_DELAY_S	0.1
#define MAX_DELAY_S	3600

static const char help[] =
"usage: heapsim top [OPTION]...\n"
"\n"
"Shows the live buffers and their activity, and updates the table.\n"
"\n"
"  -d, --delay SECONDS  time between two updates (1)\n"
"  -s, --sort COLUMN    findings (the default), id, name, kind, size, holders,\n"
"                       fills, cleaned, invalidated or redundant\n"
"  -r, --reverse        reverse the order\n"
"  -b, --batch          plain tables to standard output\n"
"  -n, --count NUMBER   end after this many updates\n"
"  -h, --help           this text\n"
"\n"
"Keys: q quits; i n k s h f c v d x sort by the columns from left to right; r\n"
"reverses the order; arrows, Page Up, Page Down and Home move; a blank updates.\n"
"FILL/s, CLN K/s and INV K/s are fills, KiB cleaned and KiB invalidated per\n"
"second; REDUND and FINDS are redundant operations and mistakes since the buffer\n"
"was created.\n";

struct top_options {
	struct table_order order;
	bool is_batch;
	double delay_s;
	uint64_t nr;	/* number of tables; 0: unlimited */
};

/* The state of the screen */
struct view {
	struct top_options *options;
	struct sample now;
	struct sample before;
	int err;		/* error of the sample, -errno */
	size_t first;		/* row at the top */
};

static const struct {
	int key;
	enum table_column by;
} sort_keys[] = {
	{ 'i', TABLE_ID }, { 'n', TABLE_NAME }, { 'k', TABLE_KIND },
	{ 's', TABLE_SIZE }, { 'h', TABLE_HOLDERS }, { 'f', TABLE_FILLS },
	{ 'c', TABLE_CLEANED }, { 'v', TABLE_INVALIDATED },
	{ 'd', TABLE_REDUNDANT }, { 'x', TABLE_FINDINGS },
};

static const int end_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static volatile sig_atomic_t ended_by;

static void top_on_end(int sig)
{
	ended_by = sig;
}

/* Blocks the signals; @waiting is the mask with them unblocked. */
static void top_init_signals(sigset_t *waiting)
{
	struct sigaction end = { .sa_handler = top_on_end };
	sigset_t blocked;
	size_t i;

	sigemptyset(&blocked);
	for (i = 0; i < sizeof(end_signals) / sizeof(end_signals[0]); i++) {
		sigaction(end_signals[i], &end, NULL);
		sigaddset(&blocked, end_signals[i]);
	}
	sigaddset(&blocked, SIGWINCH);
	sigprocmask(SIG_BLOCK, &blocked, waiting);
	for (i = 0; i < sizeof(end_signals) / sizeof(end_signals[0]); i++)
		sigdelset(waiting, end_signals[i]);
	sigdelset(waiting, SIGWINCH);
}

static void view_sample(struct view *view)
{
	struct sample sample;

	view->err = sample_take(&sample);
	sample_fini(&view->before);
	view->before = view->now;
	if (view->err)
		memset(&view->now, 0, sizeof(view->now));
	else
		view->now = sample;
}

static const struct sample *view_before(const struct view *view)
{
	return view->before.time_ns && !view->before.bufs_err ?
	       &view->before : NULL;
}

static void view_put_line(int row, const char *text, chtype attr)
{
	if (row < 0 || row >= LINES)
		return;
	attrset(attr);
	mvaddnstr(row, 0, text, COLS);
	attrset(A_NORMAL);
}

static void view_draw_head(const struct view *view)
{
	const struct heapsim_probe *probe = &view->now.device.probe;
	const struct top_options *options = view->options;
	const struct table_order *order = &options->order;
	char line[TABLE_LINE], clock[16];
	time_t now = time(NULL);
	struct tm tm;

	strftime(clock, sizeof(clock), "%T", localtime_r(&now, &tm));
	if (view->err)
		snprintf(line, sizeof(line), "heapsim top  %s", clock);
	else
		snprintf(line, sizeof(line),
			 "heapsim top  %s  %s, %s  each %g s, by %s%s", clock,
			 probe->soc, device_policy(&view->now.device),
			 options->delay_s, table_column_name(order->by),
			 order->is_reversed ? " reversed" : "");
	view_put_line(0, line, A_BOLD);
}

static void view_draw_rows(struct view *view, struct table *table)
{
	/* Title, summary and headings are above; totals and keys below. */
	size_t room = LINES > 5 ? LINES - 5 : 1, i;
	char line[TABLE_LINE];
	chtype attr;

	if (view->first + room > table->nr)
		view->first = table->nr > room ? table->nr - room : 0;
	table_header(line, table, COLS);
	attrset(A_REVERSE);
	mvhline(2, 0, ' ' | A_REVERSE, COLS);
	view_put_line(2, line, A_REVERSE);
	for (i = 0; i < room && view->first + i < table->nr; i++) {
		const struct table_row *row = &table->rows[view->first + i];

		attr = row->has_new_findings && table->has_rates ? A_BOLD :
								   A_NORMAL;
		table_row(line, row, COLS);
		view_put_line(3 + i, line, attr);
	}
	table_row(line, &table->total, COLS);
	view_put_line(LINES - 2, line, A_BOLD);
}

static int view_draw(struct view *view)
{
	const struct top_options *options = view->options;
	char line[TABLE_LINE];
	struct table table;
	int err;

	erase();
	view_draw_head(view);
	if (view->err == -ENOENT) {
		view_put_line(2, "The module is not loaded.", A_NORMAL);
	} else if (view->err) {
		view_put_line(2, strerror(-view->err), A_NORMAL);
	} else {
		table_summary(line, &view->now);
		view_put_line(1, line, A_NORMAL);
	}
	if (!view->err && view->now.bufs_err) {
		view_put_line(3, sample_bufs_why(view->now.bufs_err), A_NORMAL);
	} else if (!view->err) {
		err = table_make(&table, &view->now, view_before(view));
		if (err)
			return err;
		table_sort(&table, &options->order);
		view_draw_rows(view, &table);
		table_fini(&table);
	}
	view_put_line(LINES - 1,
		      "q quit  sort: i n k s h f c v d x  r reverse  arrows move",
		      A_DIM);
	/* A cursor that cannot be hidden disturbs least in this corner. */
	move(LINES - 1, COLS - 1);
	refresh();
	return 0;
}

static void view_move(struct view *view, long rows)
{
	if (rows < 0 && view->first < (size_t)-rows)
		view->first = 0;
	else
		view->first += rows;	/* the drawing function limits this */
}

/* Handles a key. Returns true to quit. @is_due: out: take a sample at once. */
static bool view_do_key(struct view *view, int key, bool *is_due)
{
	struct table_order *order = &view->options->order;
	size_t i;

	switch (key) {
	case 'q':
	case 'Q':
		return true;
	case 'r':
		order->is_reversed = !order->is_reversed;
		break;
	case ' ':
		*is_due = true;
		break;
	case KEY_UP:
		view_move(view, -1);
		break;
	case KEY_DOWN:
		view_move(view, 1);
		break;
	case KEY_PPAGE:
		view_move(view, -(LINES > 6 ? LINES - 6 : 1));
		break;
	case KEY_NPAGE:
		view_move(view, LINES > 6 ? LINES - 6 : 1);
		break;
	case KEY_HOME:
		view->first = 0;
		break;
	default:
		for (i = 0; i < sizeof(sort_keys) / sizeof(sort_keys[0]); i++) {
			if (sort_keys[i].key != key)
				continue;
			order->by = sort_keys[i].by;
			view->first = 0;
		}
		break;
	}
	return false;
}

/* Waits for a key, a signal or the time @until. Returns true to quit. */
static bool view_wait(struct view *view, const sigset_t *waiting,
		      uint64_t until, bool *is_due)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	uint64_t now = now_ns();
	struct timespec left = { };
	int nr, key;

	if (now < until) {
		left.tv_sec = (until - now) / 1000000000;
		left.tv_nsec = (until - now) % 1000000000;
	}
	nr = ppoll(&input, 1, &left, waiting);
	if (ended_by)
		return true;
	if (!nr)
		*is_due = true;
	while ((key = getch()) != ERR)
		if (view_do_key(view, key, is_due))
			return true;
	/* A closed terminal is always readable, without data. */
	return nr > 0 && input.revents & (POLLHUP | POLLERR | POLLNVAL);
}

static int screen_loop(struct view *view, const sigset_t *waiting)
{
	uint64_t next = now_ns();
	uint64_t nr = 0;
	bool is_due = true;
	int err;

	for (;;) {
		if (is_due) {
			view_sample(view);
			is_due = false;
			next = now_ns() + view->options->delay_s * 1e9;
			nr++;
		}
		err = view_draw(view);
		if (err)
			return err;
		if (view->options->nr && nr >= view->options->nr)
			return 0;
		if (view_wait(view, waiting, next, &is_due))
			return 0;
	}
}

static int screen_run(struct view *view, const char *who)
{
	sigset_t waiting;
	SCREEN *screen;
	int err;

	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		return error_print(who,
				   "no terminal here: top -b prints plain tables");
	setlocale(LC_ALL, "");
	/* curses does not replace existing handlers, so these come first. */
	top_init_signals(&waiting);
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return error_print(who,
				   "TERM=%s: no such terminal: top -b prints plain tables",
				   getenv("TERM") ? getenv("TERM") : "");
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	curs_set(0);
	err = screen_loop(view, &waiting);
	endwin();
	delscreen(screen);
	if (err)
		return error_print(who, "%s", strerror(-err));
	if (ended_by) {
		/* The parent must see that the signal ended this process. */
		signal(ended_by, SIG_DFL);
		raise(ended_by);
		sigprocmask(SIG_SETMASK, &waiting, NULL);
	}
	return EXIT_OK;
}

static int batch_print(const struct view *view)
{
	char line[TABLE_LINE];
	struct table table;
	int err;

	table_summary(line, &view->now);
	puts(line);
	if (view->now.bufs_err)
		return fflush(stdout) ? -errno : 0;
	err = table_make(&table, &view->now, view_before(view));
	if (err)
		return err;
	table_sort(&table, &view->options->order);
	table_print(&table);
	table_fini(&table);
	return fflush(stdout) ? -errno : 0;
}

/* The rates of the first table need a sample before it. */
static int batch_run(struct view *view, const char *who)
{
	const struct top_options *options = view->options;
	struct timespec delay;
	uint64_t i;
	int err;

	delay.tv_sec = options->delay_s;
	delay.tv_nsec = (options->delay_s - delay.tv_sec) * 1e9;
	view_sample(view);
	if (!view->err && view->now.bufs_err)
		error_print(who, "sums alone: %s",
			    sample_bufs_why(view->now.bufs_err));
	for (i = 0; !view->err && (!options->nr || i < options->nr); i++) {
		nanosleep(&delay, NULL);
		view_sample(view);
		if (view->err)
			break;
		if (i)
			putchar('\n');
		err = batch_print(view);
		if (err)
			return error_print(who, "%s", strerror(-err));
	}
	return view->err ? device_print_error(who, view->err) : EXIT_OK;
}

static int top_run(struct top_options *options, const char *who)
{
	struct view view = { .options = options };
	struct device_state state;
	int ret;

	/*
	 * curses would erase an error message, so errors are found before it.
	 */
	ret = device_read(&state);
	if (ret)
		return device_print_error(who, ret);
	ret = options->is_batch ? batch_run(&view, who) :
				  screen_run(&view, who);
	sample_fini(&view.now);
	sample_fini(&view.before);
	return ret;
}

int cmd_top(int argc, char **argv)
{
	static const struct option table[] = {
		{ "delay", required_argument, NULL, 'd' },
		{ "sort", required_argument, NULL, 's' },
		{ "reverse", no_argument, NULL, 'r' },
		{ "batch", no_argument, NULL, 'b' },
		{ "count", required_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct top_options options = {
		.order.by = TABLE_FINDINGS,
		.delay_s = 1,
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "d:s:rbn:h", table, NULL)) !=
	       -1) {
		switch (opt) {
		case 'd':
			if (number_seconds(optarg, MAX_DELAY_S,
					   &options.delay_s) ||
			    options.delay_s < MIN_DELAY_S)
				return error_usage(argv[0],
						   "--delay %s: not %g to %d seconds",
						   optarg, MIN_DELAY_S,
						   MAX_DELAY_S);
			break;
		case 's':
			if (table_order_set(&options.order, optarg, argv[0]))
				return EXIT_USAGE;
			break;
		case 'r':
			options.order.is_reversed = true;
			break;
		case 'b':
			options.is_batch = true;
			break;
		case 'n':
			if (number_whole(optarg, INT_MAX, &options.nr) ||
			    !options.nr)
				return error_usage(argv[0],
						   "--count %s: not a number above 0",
						   optarg);
			break;
		case 'h':
			fputs(help, stdout);
			return EXIT_OK;
		default:
			return error_try(argv[0]);
		}
	}
	if (optind < argc)
		return error_usage(argv[0], "%s: takes no argument",
				   argv[optind]);
	return top_run(&options, argv[0]);
}
