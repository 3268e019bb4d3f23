// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs of libmem: which backend they use, and the tables in which those
 * with the embedded backend record what was found (record/tables.h). The tables
 * are read when the programs have ended. A program may overwrite them, so
 * nothing in them is assumed to be well formed.
 */
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend.h"
#include "outside.h"
#include "../record/stacks.h"

#define BACKEND_ENV	"LIBMEM_BACKEND"
#define SOC_ENV		"LIBMEM_SOC"

static const char *const backend_names[] = {
	[RUN_AUTO] = "auto",
	[RUN_KERNEL] = "kernel",
	[RUN_EMBEDDED] = "embedded",
};

/**
 * backend_find() - a backend by its name
 * @name: of it
 * @backend: out
 *
 * Return: 0 or -ENOENT.
 */
int backend_find(const char *name, enum run_backend *backend)
{
	int i;

	for (i = RUN_AUTO; i <= RUN_EMBEDDED; i++) {
		if (strcmp(backend_names[i], name))
			continue;
		*backend = i;
		return 0;
	}
	return -ENOENT;
}

/* As libmem finds it out for itself. */
static bool has_module(void)
{
	const int fd = open("/dev/heapsim", O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 ||
	       (errno != ENOENT && errno != ENXIO && errno != ENODEV);
}

/**
 * backend_choose() - decide what is left open
 * @who: of messages
 * @backend: in and out: what was asked for; never RUN_AUTO afterwards
 *
 * Return: 0, or -EINVAL: the environment asks for another; it is told.
 */
int backend_choose(const char *who, enum run_backend *backend)
{
	const char *name = getenv(BACKEND_ENV);
	enum run_backend wish = RUN_AUTO;

	if (name && *name && backend_find(name, &wish)) {
		fprintf(stderr, "%s: %s=%s: not auto, kernel or embedded\n",
			who, BACKEND_ENV, name);
		return -EINVAL;
	}
	if (*backend != RUN_AUTO && wish != RUN_AUTO && wish != *backend) {
		fprintf(stderr, "%s: --backend=%s, but %s=%s\n", who,
			backend_names[*backend], BACKEND_ENV, name);
		return -EINVAL;
	}
	if (*backend == RUN_AUTO)
		*backend = wish;
	if (*backend == RUN_AUTO)
		*backend = has_module() ? RUN_KERNEL : RUN_EMBEDDED;
	return 0;
}

/**
 * backend_env_set() - have libmem take the backend that was chosen
 * @facts: with it
 * @soc: board of the embedded backend; NULL: libmem's own choice
 *
 * Of our own environment: the program inherits it.
 *
 * Return: 0 or -ENOMEM.
 */
int backend_env_set(const struct run_facts *facts, const char *soc)
{
	if (setenv(BACKEND_ENV, backend_names[facts->backend], 1))
		return -ENOMEM;
	if (facts->backend == RUN_EMBEDDED && soc && setenv(SOC_ENV, soc, 1))
		return -ENOMEM;
	return 0;
}

static void text_copy(char *to, size_t to_size, const char *from,
		      size_t from_size)
{
	const size_t len = strnlen(from, from_size);

	snprintf(to, to_size, "%.*s", (int)len, from);
}

/* What a shorter record of an older libmem does not know is 0. */
static struct told_record record_read(const struct told_place *place)
{
	struct told_record r = { 0 };
	size_t size = place->record.size;

	memcpy(&r, &place->record, size < sizeof(r) ? size : sizeof(r));
	return r;
}

static struct heapsim_record record_of(const struct told_place *place,
				       const struct told_record *r)
{
	const uint64_t first = atomic_load(&place->first_off);
	struct heapsim_record all = {
		.size = sizeof(all),
		.kind = r->kind,
		.missing = r->missing,
		.seq = r->seq,
		.time_ns = r->time_ns,
		.count = atomic_load(&place->count),
		.bytes = atomic_load(&place->bytes),
		.buf = place->buf,
		.off = first,
		.len = atomic_load(&place->end_off) - first,
		.cpu = {
			.pid = r->pid,
			.tid = r->tid,
			.ip = r->cpu_ip,
			.addr = r->cpu_addr,
			.time_ns = r->cpu_time_ns,
			.is_write = r->is_write,
		},
		.other = {
			.type = r->other,
			.pid = r->other ? r->pid : 0,
			.job = r->other_job,
			.stream = r->other_stream,
			.time_ns = r->other_time_ns,
		},
	};

	text_copy(all.name, sizeof(all.name), r->name, sizeof(r->name));
	text_copy(all.cpu.comm, sizeof(all.cpu.comm), r->comm,
		  sizeof(r->comm));
	memcpy(all.other.comm, all.cpu.comm, sizeof(all.other.comm));
	text_copy(all.other.name, sizeof(all.other.name), r->other_name,
		  sizeof(r->other_name));
	return all;
}

/* libmem has no number for a copy that was missing; the module has. */
static uint32_t missing_of(const struct told_record *r)
{
	if (r->kind == HEAPSIM_RECORD_CPU_ON_DEVICE)
		return HEAPSIM_MISSING_COPY;
	return r->missing;
}

static int place_take(const struct told_place *place, struct findings *findings)
{
	struct told_record r;
	struct finding f = { .api = KIND_API_LIBMEM };

	if (atomic_load(&place->state) != STACKS_READY ||
	    !atomic_load(&place->count))
		return 0;
	r = record_read(place);
	f.record = record_of(place, &r);
	f.record.missing = missing_of(&r);
	f.nr_bufs = atomic_load(&place->nr_bufs);
	f.last_buf = atomic_load(&place->last_buf);
	f.record.attach = r.attach;
	f.record.attach_stream = r.attach_stream;
	memcpy(f.record.attaches, r.attaches, sizeof(f.record.attaches));
	return findings_add_told(findings, &f, r.cpu_stack, r.other_stack,
				 r.kernel_stack);
}

static int places_take(const struct told_place *places, uint32_t nr,
		       struct findings *findings)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < nr; i++)
		if (place_take(&places[i], findings))
			ret = -ENOMEM;
	return ret;
}

/**
 * backend_facts() - contexts, and of the embedded backend the board
 * @told: what was told so far
 * @facts: out
 */
void backend_facts(const struct told *told, struct run_facts *facts)
{
	char *at;

	facts->nr_contexts = atomic_load(&told->nr_contexts);
	facts->nr_inline = atomic_load(&told->nr_inline);
	facts->nr_failed = atomic_load(&told->nr_failed);
	facts->failed_err = atomic_load(&told->failed_err);
	text_copy(facts->failed_name, sizeof(facts->failed_name),
		  told->failed_name, sizeof(told->failed_name));
	text_copy(facts->failed_value, sizeof(facts->failed_value),
		  told->failed_value, sizeof(told->failed_value));
	for (at = facts->failed_value; *at; at++)
		if (iscntrl((unsigned char)*at))
			*at = '?';
	facts->bypassed_pid = atomic_load(&told->bypassed_pid);
	/* Those of both backends; over the module it sees them all. */
	if (facts->backend == RUN_EMBEDDED ? facts->nr_contexts :
					     atomic_load(&told->nr_processes))
		facts->is_seen = true;
	if (facts->backend == RUN_EMBEDDED) {
		facts->probe.line_size = atomic_load(&told->line_size);
		text_copy(facts->probe.soc, sizeof(facts->probe.soc), told->soc,
			  sizeof(told->soc));
	}
}

/* 0: it has ended. */
static pid_t parent_of(const char *pid)
{
	char path[300], state;
	int parent;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	return outside_stat(path, &state, &parent) ? parent : 0;
}

static bool is_engine(const struct told *told, pid_t pid)
{
	int i;

	for (i = 0; i < TOLD_NR_PROCESSES; i++)
		if (atomic_load(&told->engines[i]) == (uint32_t)pid)
			return true;
	return false;
}

/**
 * backend_has_left() - look for what a program has left running
 * @told: what was told so far
 * @own: a child of this process that is none of the program's; 0 none
 *
 * Engines of libmem's end by themselves, soon after the program: on a busy
 * machine that takes a while, and is nothing that a user could change.
 *
 * Return: true if there are children that are no engines.
 */
bool backend_has_left(const struct told *told, pid_t own)
{
	const struct dirent *entry;
	bool ret = false;
	DIR *dir;
	pid_t pid;

	dir = opendir("/proc");
	if (!dir)
		return true;
	while (!ret && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		pid = atoi(entry->d_name);
		ret = pid != own && !is_engine(told, pid) &&
		      parent_of(entry->d_name) == getpid();
	}
	closedir(dir);
	return ret;
}

static_assert(RUN_NR_REFUSALS == STACKS_NR_REFUSALS, "one of each");

/**
 * backend_refusals() - find processes that were not watched
 * @stacks: that they could not use
 * @facts: out: they
 */
void backend_refusals(const struct stacks *stacks, struct run_facts *facts)
{
	const struct stacks_header *header = &stacks->header;
	const uint32_t nr = atomic_load(&header->nr_refusals);
	uint32_t i;

	facts->nr_refused = nr;
	facts->nr_refusals = 0;
	for (i = 0; i < nr && i < STACKS_NR_REFUSALS; i++) {
		const struct stacks_refusal *from = &header->refusals[i];
		struct run_refusal *to = &facts->refusals[facts->nr_refusals];

		if (atomic_load(&from->state) != STACKS_READY)
			continue;
		to->pid = from->pid;
		to->version = from->version;
		text_copy(to->library, sizeof(to->library), from->library,
			  sizeof(from->library));
		text_copy(to->program, sizeof(to->program), from->program,
			  sizeof(from->program));
		facts->nr_refusals++;
	}
}

/**
 * backend_take() - take what was told
 * @told: by processes that have all ended, or will not be waited for
 * @findings: where to
 * @facts: contexts, and of the embedded backend the board
 *
 * Return: 0 or -ENOMEM: not all could be taken.
 */
int backend_take(const struct told *told, struct findings *findings,
		 struct run_facts *facts)
{
	int ret, err;

	backend_facts(told, facts);
	findings_add_dropped(findings, atomic_load(&told->nr_dropped),
			     atomic_load(&told->nr_dropped_harmless));
	/* Else memory would be made only to see that nothing is there. */
	if (!atomic_load(&told->nr_seq))
		return 0;
	ret = places_take(told->places, TOLD_NR_PLACES, findings);
	err = places_take(told->objects, TOLD_NR_OBJECTS, findings);
	return ret ? ret : err;
}
