// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chooses the backend that libmem uses in a program, and reads the findings
 * that libmem's embedded backend reported in shared memory (record/tables.h)
 * after the program has ended. The program can write to this memory, too, so
 * nothing in it is trusted.
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
#include "heapsim.h"
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
 * backend_find() - find a backend by its name
 * @name: "auto", "kernel" or "embedded"
 * @backend: out: the backend
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

/* libmem decides in the same way whether to use the module. */
static bool backend_has_module(void)
{
	const int fd = open("/dev/heapsim", O_RDWR | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 ||
	       (errno != ENOENT && errno != ENXIO && errno != ENODEV);
}

/**
 * backend_choose() - choose a backend if the user did not
 * @who: prefix of messages
 * @backend: in: the user's choice; out: never RUN_AUTO
 *
 * Return: 0, or -EINVAL if the environment asks for another backend than the
 * option; an error message has been printed.
 */
int backend_choose(const char *who, enum run_backend *backend)
{
	const char *name = getenv(BACKEND_ENV);
	enum run_backend wish = RUN_AUTO;

	if (name && *name && backend_find(name, &wish)) {
		error_print(who, "%s=%s: not auto, kernel or embedded",
			    BACKEND_ENV, name);
		return -EINVAL;
	}
	if (*backend != RUN_AUTO && wish != RUN_AUTO && wish != *backend) {
		error_print(who, "--backend=%s, but %s=%s",
			    backend_names[*backend], BACKEND_ENV, name);
		return -EINVAL;
	}
	if (*backend == RUN_AUTO)
		*backend = wish;
	if (*backend == RUN_AUTO)
		*backend = backend_has_module() ? RUN_KERNEL : RUN_EMBEDDED;
	return 0;
}

/**
 * backend_env_set() - make libmem use the chosen backend
 * @facts: facts with the backend
 * @soc: board of the embedded backend; NULL: libmem's default
 *
 * Sets variables of this process, which the program inherits.
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

static void backend_copy_text(char *to, size_t to_size, const char *from,
			      size_t from_size)
{
	const size_t len = strnlen(from, from_size);

	snprintf(to, to_size, "%.*s", (int)len, from);
}

/* Fields that the shorter record of an older libmem lacks are 0. */
static struct record_entry backend_read_record(const struct record_place *place)
{
	struct record_entry r = { 0 };
	size_t size = place->record.size;

	memcpy(&r, &place->record, size < sizeof(r) ? size : sizeof(r));
	return r;
}

static struct heapsim_record
backend_make_record(const struct record_place *place,
		    const struct record_entry *r)
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

	backend_copy_text(all.name, sizeof(all.name), r->name, sizeof(r->name));
	backend_copy_text(all.cpu.comm, sizeof(all.cpu.comm), r->comm,
			  sizeof(r->comm));
	memcpy(all.other.comm, all.cpu.comm, sizeof(all.other.comm));
	backend_copy_text(all.other.name, sizeof(all.other.name), r->other_name,
			  sizeof(r->other_name));
	return all;
}

/* libmem, unlike the module, does not report a missing copy by a number. */
static uint32_t backend_missing(const struct record_entry *r)
{
	if (r->kind == HEAPSIM_RECORD_CPU_ON_DEVICE)
		return HEAPSIM_MISSING_COPY;
	return r->missing;
}

static int backend_take_place(const struct record_place *place,
			      struct findings *findings)
{
	struct record_entry r;
	struct finding f = { .api = KIND_API_LIBMEM };

	if (atomic_load(&place->state) != STACKS_READY ||
	    !atomic_load(&place->count))
		return 0;
	r = backend_read_record(place);
	f.record = backend_make_record(place, &r);
	f.record.missing = backend_missing(&r);
	f.nr_bufs = atomic_load(&place->nr_bufs);
	f.last_buf = atomic_load(&place->last_buf);
	f.record.attach = r.attach;
	f.record.attach_stream = r.attach_stream;
	memcpy(f.record.attaches, r.attaches, sizeof(f.record.attaches));
	return findings_add_reported(findings, &f, r.cpu_stack, r.other_stack,
				     r.kernel_stack);
}

static int backend_take_places(const struct record_place *places, uint32_t nr,
			       struct findings *findings)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < nr; i++)
		if (backend_take_place(&places[i], findings))
			ret = -ENOMEM;
	return ret;
}

/**
 * backend_facts() - read facts about contexts, and the embedded backend's board
 * @tables: libmem's reports so far
 * @facts: out: facts
 */
void backend_facts(const struct record_tables *tables, struct run_facts *facts)
{
	char *at;

	facts->nr_contexts = atomic_load(&tables->nr_contexts);
	facts->nr_inline = atomic_load(&tables->nr_inline);
	facts->nr_failed = atomic_load(&tables->nr_failed);
	facts->failed_err = atomic_load(&tables->failed_err);
	backend_copy_text(facts->failed_name, sizeof(facts->failed_name),
			  tables->failed_name, sizeof(tables->failed_name));
	backend_copy_text(facts->failed_value, sizeof(facts->failed_value),
			  tables->failed_value, sizeof(tables->failed_value));
	for (at = facts->failed_value; *at; at++)
		if (iscntrl((unsigned char)*at))
			*at = '?';
	facts->bypassed_pid = atomic_load(&tables->bypassed_pid);
	/* nr_processes has those of both backends; the module sees them all. */
	if (facts->backend == RUN_EMBEDDED ? facts->nr_contexts :
					     atomic_load(&tables->nr_processes))
		facts->is_seen = true;
	if (facts->backend == RUN_EMBEDDED) {
		facts->probe.line_size = atomic_load(&tables->line_size);
		backend_copy_text(facts->probe.soc, sizeof(facts->probe.soc),
				  tables->soc, sizeof(tables->soc));
	}
}

/* Returns 0 if the process has ended. */
static pid_t backend_parent_of(const char *pid)
{
	char path[300], state;
	int parent;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	return outside_stat(path, &state, &parent) ? parent : 0;
}

static bool backend_is_engine(const struct record_tables *tables, pid_t pid)
{
	int i;

	for (i = 0; i < RECORD_NR_PROCESSES; i++)
		if (atomic_load(&tables->engines[i]) == (uint32_t)pid)
			return true;
	return false;
}

/**
 * backend_has_left() - look for processes that the program left running
 * @tables: libmem's reports so far
 * @own: a child of this process that does not belong to the program; 0: none
 *
 * libmem's engine processes are not counted. They end soon after the program;
 * on a busy machine this takes a while, and a user could not change it.
 *
 * Return: true if there are children other than engines.
 */
bool backend_has_left(const struct record_tables *tables, pid_t own)
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
		ret = pid != own && !backend_is_engine(tables, pid) &&
		      backend_parent_of(entry->d_name) == getpid();
	}
	closedir(dir);
	return ret;
}

static_assert(RUN_NR_REFUSALS == STACKS_NR_REFUSALS, "one of each");

/**
 * backend_refusals() - list processes that were not watched
 * @stacks: the file, whose version their library does not support
 * @facts: out: number of these processes, and the first of them
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
		backend_copy_text(to->library, sizeof(to->library),
				  from->library, sizeof(from->library));
		backend_copy_text(to->program, sizeof(to->program),
				  from->program, sizeof(from->program));
		facts->nr_refusals++;
	}
}

/**
 * backend_take() - add libmem's reports to the findings
 * @tables: reports of processes that have ended or are not waited for
 * @findings: findings to add to
 * @facts: out: as for backend_facts()
 *
 * Return: 0, or -ENOMEM if some reports are lost.
 */
int backend_take(const struct record_tables *tables, struct findings *findings,
		 struct run_facts *facts)
{
	int ret, err;

	backend_facts(tables, facts);
	findings_add_dropped(findings, atomic_load(&tables->nr_dropped),
			     atomic_load(&tables->nr_dropped_harmless));
	/* Reading empty places would allocate pages of the shared file. */
	if (!atomic_load(&tables->nr_seq))
		return 0;
	ret = backend_take_places(tables->places, RECORD_NR_PLACES, findings);
	err = backend_take_places(tables->objects, RECORD_NR_OBJECTS, findings);
	return ret ? ret : err;
}
