/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints: every change of what CPU and engines see. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM heapsim

#if !defined(HEAPSIM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define HEAPSIM_TRACE_H

#include <linux/tracepoint.h>

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

TRACE_EVENT(heapsim_sync,
	TP_PROTO(u32 scope, u64 id),
	TP_ARGS(scope, id),
	TP_STRUCT__entry(
		__field(u64, id)
		__field(u32, scope)
	),
	TP_fast_assign(
		__entry->id = id;
		__entry->scope = scope;
	),
	TP_printk("scope=%u id=%llu", __entry->scope, __entry->id)
);

TRACE_EVENT(heapsim_record,
	TP_PROTO(const struct heapsim_record *r),
	TP_ARGS(r),
	TP_STRUCT__entry(
		__field(u32, kind)
		__field(u32, pid)
		__field(u32, tid)
		__field(u32, other)
		__field(u64, buf)
		__field(u64, off)
		__field(u64, len)
		__field(u64, ip)
		__field(u64, job)
		__field(u64, stream)
	),
	TP_fast_assign(
		__entry->kind = r->kind;
		__entry->pid = r->cpu.pid;
		__entry->tid = r->cpu.tid;
		__entry->other = r->other.type;
		__entry->buf = r->buf;
		__entry->off = r->off;
		__entry->len = r->len;
		__entry->ip = r->cpu.ip;
		__entry->job = r->other.job;
		__entry->stream = r->other.stream;
	),
	TP_printk("kind=%u buf=%llu off=%llu len=%llu pid=%u tid=%u ip=%llx other=%u job=%llu stream=%llu",
		  __entry->kind, __entry->buf, __entry->off, __entry->len,
		  __entry->pid, __entry->tid, __entry->ip, __entry->other,
		  __entry->job, __entry->stream)
);

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
