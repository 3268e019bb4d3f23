/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints: every change of what the CPU and engines see. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM heapsim

#if !defined(HEAPSIM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define HEAPSIM_TRACE_H

#include <linux/tracepoint.h>

#include "heapsim.h"

#define HEAPSIM_TRACE_COMM_LEN	16	/* size in struct heapsim_record */

DECLARE_EVENT_CLASS(heapsim_range,
	TP_PROTO(u64 buf, u64 off, u64 len),
	TP_ARGS(buf, off, len),
	TP_STRUCT__entry(
		__field(u64, buf)
		__field(u64, off)
		__field(u64, len)
	),
	TP_fast_assign(
		__entry->buf = buf;
		__entry->off = off;
		__entry->len = len;
	),
	TP_printk("buf=%llu off=%llu len=%llu", __entry->buf, __entry->off,
		  __entry->len)
);

DEFINE_EVENT(heapsim_range, heapsim_fill,
	TP_PROTO(u64 buf, u64 off, u64 len), TP_ARGS(buf, off, len));
DEFINE_EVENT(heapsim_range, heapsim_clean,
	TP_PROTO(u64 buf, u64 off, u64 len), TP_ARGS(buf, off, len));
DEFINE_EVENT(heapsim_range, heapsim_invalidate,
	TP_PROTO(u64 buf, u64 off, u64 len), TP_ARGS(buf, off, len));
DEFINE_EVENT(heapsim_range, heapsim_evict,
	TP_PROTO(u64 buf, u64 off, u64 len), TP_ARGS(buf, off, len));
DEFINE_EVENT(heapsim_range, heapsim_revoke,
	TP_PROTO(u64 buf, u64 off, u64 len), TP_ARGS(buf, off, len));

TRACE_EVENT(heapsim_attach,
	TP_PROTO(u64 buf, u32 attach, u64 stream),
	TP_ARGS(buf, attach, stream),
	TP_STRUCT__entry(
		__field(u64, buf)
		__field(u64, stream)
		__field(u32, attach)
	),
	TP_fast_assign(
		__entry->buf = buf;
		__entry->stream = stream;
		__entry->attach = attach;
	),
	TP_printk("buf=%llu attach=%u stream=%llu", __entry->buf,
		  __entry->attach, __entry->stream)
);

/* what: 0 submitted, 1 begun, 2 ended */
TRACE_EVENT(heapsim_work,
	TP_PROTO(u64 work, u64 stream, u32 what),
	TP_ARGS(work, stream, what),
	TP_STRUCT__entry(
		__field(u64, work)
		__field(u64, stream)
		__field(u32, what)
	),
	TP_fast_assign(
		__entry->work = work;
		__entry->stream = stream;
		__entry->what = what;
	),
	TP_printk("work=%llu stream=%llu what=%u", __entry->work,
		  __entry->stream, __entry->what)
);

/*
 * @rule is the policy of @buf, or of what an open of process @pid, or the
 *	process and its descendants, will allocate. NULL if the policy of a tree
 *	ends.
 */
TRACE_EVENT(heapsim_policy,
	TP_PROTO(u32 scope, u64 buf, u32 pid, const struct heapsim_rule *rule),
	TP_ARGS(scope, buf, pid, rule),
	TP_STRUCT__entry(
		__field(u64, buf)
		__field(u64, seed)
		__field(u32, scope)
		__field(u32, pid)
		__field(u32, policy)
		__field(u32, is_set)
		__field(u32, evict_random)
		__field(u32, is_precise)
	),
	TP_fast_assign(
		__entry->buf = buf;
		__entry->seed = rule ? rule->seed : 0;
		__entry->scope = scope;
		__entry->pid = pid;
		__entry->policy = rule ? rule->policy : 0;
		__entry->is_set = !!rule;
		__entry->evict_random = rule && rule->evicts;
		__entry->is_precise = rule && rule->is_precise;
	),
	TP_printk("scope=%u buf=%llu pid=%u is_set=%u policy=%u evict_random=%u is_precise=%u seed=%llu",
		  __entry->scope, __entry->buf, __entry->pid, __entry->is_set,
		  __entry->policy, __entry->evict_random, __entry->is_precise,
		  __entry->seed)
);

TRACE_EVENT(heapsim_stream,
	TP_PROTO(u64 stream, u32 flags),
	TP_ARGS(stream, flags),
	TP_STRUCT__entry(
		__field(u64, stream)
		__field(u32, flags)
	),
	TP_fast_assign(
		__entry->stream = stream;
		__entry->flags = flags;
	),
	TP_printk("stream=%llu flags=%u", __entry->stream, __entry->flags)
);

/*
 * Values in records and events. Each line of these tables is also exported to
 * readers of the format file.
 */
#define HEAPSIM_TRACE_KINDS \
	NAMED(HEAPSIM_RECORD_STALE_READ,		"stale_read") \
	NAMED(HEAPSIM_RECORD_POSSIBLE_STALE_READ,	"possible_stale_read") \
	NAMED(HEAPSIM_RECORD_LOST_DEVICE_WRITE,		"lost_device_write") \
	NAMED(HEAPSIM_RECORD_LOST_CPU_WRITE,		"lost_cpu_write") \
	NAMED(HEAPSIM_RECORD_MISSING_CLEAN,		"missing_clean") \
	NAMED(HEAPSIM_RECORD_WRITE_CONFLICT,		"write_conflict") \
	NAMED(HEAPSIM_RECORD_UNBRACKETED_ACCESS,	"unbracketed_access") \
	NAMED(HEAPSIM_RECORD_MISSING_END,		"missing_end") \
	NAMED(HEAPSIM_RECORD_UNMATCHED_END,		"unmatched_end") \
	NAMED(HEAPSIM_RECORD_SHARED_LINE,		"shared_line") \
	NAMED(HEAPSIM_RECORD_REDUNDANT_CLEAN,		"redundant_clean") \
	NAMED(HEAPSIM_RECORD_REDUNDANT_INVALIDATE,	"redundant_invalidate") \
	NAMED(HEAPSIM_RECORD_CPU_WHILE_ACTIVE,		"cpu_while_active") \
	NAMED(HEAPSIM_RECORD_ENGINE_NOT_ATTACHED,	"engine_not_attached") \
	NAMED(HEAPSIM_RECORD_CPU_ON_DEVICE,		"cpu_on_device") \
	NAMED(HEAPSIM_RECORD_UNENDED_READ,		"unended_read") \
	NAMED(HEAPSIM_RECORD_FILL,			"fill") \
	NAMED(HEAPSIM_RECORD_EVICT,			"evict") \
	NAMED(HEAPSIM_RECORD_CLEAN,			"clean") \
	NAMED(HEAPSIM_RECORD_INVALIDATE,		"invalidate") \
	NAMED(HEAPSIM_RECORD_START,			"start") \
	NAMED(HEAPSIM_RECORD_END,			"end") \
	NAMED(HEAPSIM_RECORD_SUBMIT,			"submit") \
	NAMED(HEAPSIM_RECORD_JOB_BEGIN,			"job_begin") \
	NAMED(HEAPSIM_RECORD_JOB_END,			"job_end") \
	NAMED(HEAPSIM_RECORD_HOLD,			"hold") \
	NAMED_LAST(HEAPSIM_RECORD_RELEASE,		"release")

#define HEAPSIM_TRACE_MISSING \
	NAMED(HEAPSIM_MISSING_NOTHING,		"nothing") \
	NAMED(HEAPSIM_MISSING_START_READ,	"start_read") \
	NAMED(HEAPSIM_MISSING_START_WRITE,	"start_write") \
	NAMED(HEAPSIM_MISSING_END,		"end") \
	NAMED(HEAPSIM_MISSING_WAIT,		"wait") \
	NAMED(HEAPSIM_MISSING_SYNC,		"sync") \
	NAMED(HEAPSIM_MISSING_ATTACH,		"attach") \
	NAMED_LAST(HEAPSIM_MISSING_COPY,	"copy")

#define HEAPSIM_TRACE_OTHERS \
	NAMED(HEAPSIM_OTHER_NOBODY,		"nobody") \
	NAMED(HEAPSIM_OTHER_ENGINE,		"engine") \
	NAMED(HEAPSIM_OTHER_DEVICE,		"device") \
	NAMED(HEAPSIM_OTHER_VMAP,		"vmap") \
	NAMED(HEAPSIM_OTHER_FENCE,		"fence") \
	NAMED_LAST(HEAPSIM_OTHER_PROCESS,	"process")

#undef NAMED
#undef NAMED_LAST
#define NAMED(value, name)	TRACE_DEFINE_ENUM(value);
#define NAMED_LAST(value, name)	TRACE_DEFINE_ENUM(value);

HEAPSIM_TRACE_KINDS
HEAPSIM_TRACE_MISSING
HEAPSIM_TRACE_OTHERS

#undef NAMED
#undef NAMED_LAST
#define NAMED(value, name)	{ value, name },
#define NAMED_LAST(value, name)	{ value, name }

/*
 * All fields of struct heapsim_record that do not depend on the watcher, except
 * earlier attaches, which have their own tracepoint. Pids are those of the
 * initial namespace. Strings are arrays, because the macros for strings of
 * variable length differ between kernels.
 */
DECLARE_EVENT_CLASS(heapsim_report,
	TP_PROTO(const struct heapsim_record *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		__field(u32, kind)
		__field(u32, missing)
		__field(u64, time_ns)
		__field(u64, count)
		__field(u64, buf)
		__field(u64, off)
		__field(u64, len)
		__field(u64, bytes)
		__array(char, name, HEAPSIM_NAME_LEN)
		__field(u32, pid)
		__field(u32, tid)
		__array(char, comm, HEAPSIM_TRACE_COMM_LEN)
		__field(u64, ip)
		__field(u64, addr)
		__field(u64, cpu_ns)
		__field(u32, is_write)
		__field(u32, other)
		__array(char, other_name, HEAPSIM_NAME_LEN)
		__array(char, other_comm, HEAPSIM_TRACE_COMM_LEN)
		__field(u64, job)
		__field(u64, stream)
		__field(u64, other_ns)
		__field(u64, src)
		__field(u64, attach_stream)
		__field(u64, kernel)
		__field(u32, other_pid)
		__field(u32, attach)
		__field(u32, access)
		__field(u32, op)
		__field(s32, status)
	),
	TP_fast_assign(
		__entry->kind = r->kind;
		__entry->missing = r->missing;
		__entry->time_ns = r->time_ns;
		__entry->count = r->count;
		__entry->buf = r->buf;
		__entry->off = r->off;
		__entry->len = r->len;
		__entry->bytes = r->bytes;
		memcpy(__entry->name, r->name, sizeof(r->name));
		__entry->pid = r->cpu.pid;
		__entry->tid = r->cpu.tid;
		memcpy(__entry->comm, r->cpu.comm, sizeof(r->cpu.comm));
		__entry->ip = r->cpu.ip;
		__entry->addr = r->cpu.addr;
		__entry->cpu_ns = r->cpu.time_ns;
		__entry->is_write = r->cpu.is_write;
		__entry->other = r->other.type;
		memcpy(__entry->other_name, r->other.name, sizeof(r->other.name));
		memcpy(__entry->other_comm, r->other.comm, sizeof(r->other.comm));
		__entry->job = r->other.job;
		__entry->stream = r->other.stream;
		__entry->other_ns = r->other.time_ns;
		__entry->src = r->src;
		__entry->attach_stream = r->attach_stream;
		__entry->kernel = r->kernel;
		__entry->other_pid = r->other.pid;
		__entry->attach = r->attach;
		__entry->access = r->access;
		__entry->op = r->op;
		__entry->status = r->status;
	),
	TP_printk("kind=%s buf=%llu name=\"%s\" off=%llu len=%llu bytes=%llu count=%llu missing=%s time_ns=%llu pid=%u tid=%u comm=\"%s\" ip=%llx addr=%llx is_write=%u cpu_ns=%llu other=%s other_name=\"%s\" other_pid=%u other_comm=\"%s\" job=%llu stream=%llu other_ns=%llu attach=%u attach_stream=%llu access=%u op=%u src=%llu status=%d kernel=%llx",
		  __print_symbolic(__entry->kind, HEAPSIM_TRACE_KINDS),
		  __entry->buf, __entry->name, __entry->off, __entry->len,
		  __entry->bytes, __entry->count,
		  __print_symbolic(__entry->missing, HEAPSIM_TRACE_MISSING),
		  __entry->time_ns, __entry->pid, __entry->tid, __entry->comm,
		  __entry->ip, __entry->addr, __entry->is_write,
		  __entry->cpu_ns,
		  __print_symbolic(__entry->other, HEAPSIM_TRACE_OTHERS),
		  __entry->other_name, __entry->other_pid, __entry->other_comm,
		  __entry->job, __entry->stream, __entry->other_ns,
		  __entry->attach, __entry->attach_stream, __entry->access,
		  __entry->op, __entry->src, __entry->status, __entry->kernel)
);

/* Records of violations. */
DEFINE_EVENT(heapsim_report, heapsim_record,
	TP_PROTO(const struct heapsim_record *r), TP_ARGS(r));
/* Operations, whether or not they are violations. */
DEFINE_EVENT(heapsim_report, heapsim_event,
	TP_PROTO(const struct heapsim_record *r), TP_ARGS(r));

TRACE_EVENT(heapsim_job,
	TP_PROTO(u64 job, u32 op, u64 src, u64 dst, u64 len, int status),
	TP_ARGS(job, op, src, dst, len, status),
	TP_STRUCT__entry(
		__field(u64, job)
		__field(u64, src)
		__field(u64, dst)
		__field(u64, len)
		__field(u32, op)
		__field(int, status)
	),
	TP_fast_assign(
		__entry->job = job;
		__entry->op = op;
		__entry->src = src;
		__entry->dst = dst;
		__entry->len = len;
		__entry->status = status;
	),
	TP_printk("job=%llu op=%u src=%llu dst=%llu len=%llu status=%d",
		  __entry->job, __entry->op, __entry->src, __entry->dst,
		  __entry->len, __entry->status)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
