// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands of a caller that knows the order of its streams: it states which
 * streams are active and which state a managed buffer has, and rights.c carries
 * it out. heapsim_owner.lock serialises the commands. Memory is allocated, and
 * user memory is read, before it is taken.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "ctx_buf.h"
#include "trace.h"

/*
 * Locks, and completes what a killed caller has left. A caller that must not
 * sleep does not do that.
 */
static int order_lock(const struct heapsim_call *call)
{
	struct heapsim_owner *owner = call->ctx->owner;
	const struct heapsim_rights *r = &owner->rights;
	int ret;

	ret = heapsim_lock(&owner->lock, call->waits);
	if (ret)
		return ret;
	if (!call->waits && (r->changed || r->attached))
		ret = -EAGAIN;
	if (!ret)
		ret = heapsim_rights_complete(owner);
	if (ret)
		mutex_unlock(&owner->lock);
	return ret;
}

/* Runs a command that needs no memory. */
static int order_run(struct heapsim_call *call,
		     int (*run)(struct heapsim_owner *owner,
				union heapsim_cmd *cmd))
{
	struct heapsim_owner *owner = call->ctx->owner;
	int ret = order_lock(call);

	if (ret)
		return ret;
	ret = run(owner, &call->cmd);
	mutex_unlock(&owner->lock);
	return ret;
}

static struct heapsim_order_work *order_work_find(struct heapsim_rights *r,
						  u64 id)
{
	struct heapsim_id *found = heapsim_id_find(&r->works, id);

	return found ? container_of(found, struct heapsim_order_work, id) :
		       NULL;
}

/* Streams */

/**
 * heapsim_order_stream_add() - add a stream
 * @call: command with a struct heapsim_stream_id
 *
 * Return: 0, or an error described at struct heapsim_stream_id; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_order_stream_add(struct heapsim_call *call)
{
	const struct heapsim_stream_id *cmd = &call->cmd.stream_id;
	struct heapsim_owner *owner = call->ctx->owner;
	struct heapsim_order_stream *stream;
	int ret;

	if (cmd->flags || !cmd->stream)
		return -EINVAL;
	stream = heapsim_limit_alloc(owner->user, sizeof(*stream), 0);
	if (IS_ERR(stream))
		return PTR_ERR(stream);
	heapsim_rights_stream_init(stream, cmd->stream);
	ret = order_lock(call);
	if (ret)
		goto err_free;
	spin_lock(&owner->rights_lock);
	if (!heapsim_id_add(&owner->rights.streams, &stream->id))
		ret = -EEXIST;
	spin_unlock(&owner->rights_lock);
	mutex_unlock(&owner->lock);
	if (!ret)
		return 0;

err_free:
	heapsim_limit_free(owner->user, stream, 0);
	return ret;
}

/* The group also has buffers whose newest state is another one already. */
static bool order_stream_is_used(const struct heapsim_order_stream *stream)
{
	return stream->is_active || stream->nr_works || stream->nr_singles ||
	       stream->group.nr;
}

static int order_stream_remove(struct heapsim_owner *owner,
			       union heapsim_cmd *cmd)
{
	struct heapsim_order_stream *stream =
		heapsim_rights_stream(&owner->rights, cmd->stream_id.stream);

	if (!stream)
		return -ENOENT;
	if (order_stream_is_used(stream))
		return -EBUSY;
	spin_lock(&owner->rights_lock);
	rb_erase(&stream->id.node, &owner->rights.streams);
	spin_unlock(&owner->rights_lock);
	heapsim_limit_free(owner->user, stream, 0);
	return 0;
}

/**
 * heapsim_order_stream_remove() - remove a stream
 * @call: command with a struct heapsim_stream_id
 *
 * Return: 0, or an error described at struct heapsim_stream_id; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_order_stream_remove(struct heapsim_call *call)
{
	const struct heapsim_stream_id *cmd = &call->cmd.stream_id;

	if (cmd->flags || !cmd->stream)
		return -EINVAL;
	return order_run(call, order_stream_remove);
}

static int order_stream_state(struct heapsim_owner *owner,
			      union heapsim_cmd *cmd)
{
	const u64 id = cmd->stream_state.stream;
	const u32 flags = cmd->stream_state.flags;
	const bool is_active = flags & HEAPSIM_STREAM_ACTIVE;
	struct heapsim_order_stream *stream =
		heapsim_rights_stream(&owner->rights, id);

	if (!stream)
		return -ENOENT;
	trace_heapsim_stream(id, flags);
	if (stream->is_active == is_active)
		return 0;
	if (is_active)
		heapsim_rights_refuse(owner, stream);
	else
		heapsim_rights_allow(owner, stream,
				     flags & HEAPSIM_STREAM_SEEN_AGAIN,
				     flags & HEAPSIM_STREAM_GLOBAL_AGAIN);
	return heapsim_rights_complete(owner);
}

/**
 * heapsim_order_stream_state() - state whether a stream is active
 * @call: command with a struct heapsim_stream_state
 *
 * Return: 0, or an error described at struct heapsim_stream_state; -EAGAIN if
 * it would have to sleep.
 */
int heapsim_order_stream_state(struct heapsim_call *call)
{
	const u32 flags = call->cmd.stream_state.flags;

	if (flags & ~(HEAPSIM_STREAM_ACTIVE | HEAPSIM_STREAM_SEEN_AGAIN |
		      HEAPSIM_STREAM_GLOBAL_AGAIN) ||
	    (flags & HEAPSIM_STREAM_ACTIVE && flags != HEAPSIM_STREAM_ACTIVE))
		return -EINVAL;
	return order_run(call, order_stream_state);
}

/* Attaches */

static bool order_state_is_malformed(const struct heapsim_buf_attach *cmd)
{
	const u32 flags = cmd->flags;

	if (!(flags & HEAPSIM_ATTACH_NEWEST))
		return cmd->attach || cmd->stream ||
		       flags & HEAPSIM_ATTACH_IS_DESTROY;
	if (flags & HEAPSIM_ATTACH_IS_DESTROY &&
	    cmd->attach == HEAPSIM_ATTACH_SINGLE)
		return true;
	return cmd->attach != HEAPSIM_ATTACH_GLOBAL &&
	       cmd->attach != HEAPSIM_ATTACH_HOST &&
	       cmd->attach != HEAPSIM_ATTACH_SINGLE;
}

static bool order_attach_is_malformed(const struct heapsim_buf_attach *cmd)
{
	const u32 flags = cmd->flags;
	const bool is_table = cmd->right == HEAPSIM_RIGHT_TABLE;
	const bool has_blocker = flags & HEAPSIM_ATTACH_HAS_BLOCKER;

	return flags & ~(HEAPSIM_ATTACH_NEWEST | HEAPSIM_ATTACH_IS_DESTROY |
			 HEAPSIM_ATTACH_CLEAN | HEAPSIM_ATTACH_INVALIDATE |
			 HEAPSIM_ATTACH_DUE | HEAPSIM_ATTACH_HAS_BLOCKER) ||
	       cmd->right > HEAPSIM_RIGHT_REFUSED ||
	       order_state_is_malformed(cmd) ||
	       (has_blocker ? is_table : cmd->blocker) ||
	       (flags & HEAPSIM_ATTACH_DUE && !is_table);
}

/* Sets the newest state of a buffer. */
static void order_attach_newest(struct heapsim_ctx_buf *m,
				const struct heapsim_buf_attach *cmd)
{
	struct heapsim_owner *owner = m->owner;
	struct heapsim_rights *r = &owner->rights;
	const bool is_single = cmd->attach == HEAPSIM_ATTACH_SINGLE;
	struct heapsim_record_attach how;

	heapsim_note_attach(&how, cmd->flags & HEAPSIM_ATTACH_IS_DESTROY ?
				  HEAPSIM_ATTACHED_BY_DESTROY :
				  HEAPSIM_ATTACHED_BY_CALL);
	how.stream = cmd->stream;
	if (m->newest.attach == HEAPSIM_ATTACH_SINGLE)
		heapsim_rights_stream(r, m->newest.stream)->nr_singles--;
	if (is_single)
		heapsim_rights_stream(r, cmd->stream)->nr_singles++;
	spin_lock(&owner->rights_lock);
	heapsim_ctx_buf_remember(m, cmd->attach, is_single ? cmd->stream : 0,
				 &how);
	spin_unlock(&owner->rights_lock);
	trace_heapsim_attach(m->buf->id, cmd->attach, cmd->stream);
}

static int order_attach(struct heapsim_owner *owner, union heapsim_cmd *command)
{
	const struct heapsim_buf_attach *cmd = &command->buf_attach;
	struct heapsim_ctx_buf *m = heapsim_ctx_buf_find(owner, cmd->buf);
	struct heapsim_rights *r = &owner->rights;

	/* A field without its flag is 0, and the NULL stream exists. */
	if (!m || !heapsim_rights_stream(r, cmd->stream) ||
	    !heapsim_rights_stream(r, cmd->blocker))
		return -ENOENT;
	if (!heapsim_is_managed(m))
		return -EINVAL;
	if (cmd->flags & HEAPSIM_ATTACH_NEWEST)
		order_attach_newest(m, cmd);
	if (cmd->flags & HEAPSIM_ATTACH_HAS_BLOCKER) {
		spin_lock(&owner->rights_lock);
		m->has_blocker = true;
		m->blocker = cmd->blocker;
		spin_unlock(&owner->rights_lock);
	}
	r->is_due = cmd->flags & HEAPSIM_ATTACH_DUE;
	heapsim_rights_state(m, cmd->right,
			     (cmd->flags & HEAPSIM_ATTACH_CLEAN ?
			      HEAPSIM_TODO_CLEAN : 0) |
			     (cmd->flags & HEAPSIM_ATTACH_INVALIDATE ?
			      HEAPSIM_TODO_INVALIDATE : 0));
	return heapsim_rights_complete(owner);
}

/**
 * heapsim_order_attach() - state the attach state of a managed buffer
 * @call: command with a struct heapsim_buf_attach
 *
 * Return: 0, or an error described at struct heapsim_buf_attach; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_order_attach(struct heapsim_call *call)
{
	if (order_attach_is_malformed(&call->cmd.buf_attach))
		return -EINVAL;
	return order_run(call, order_attach);
}

/* Works */

static int order_work_add(struct heapsim_owner *owner,
			  const struct heapsim_work_add *cmd,
			  struct heapsim_order_work *work)
{
	struct heapsim_rights *r = &owner->rights;
	struct heapsim_order_stream *stream =
		heapsim_rights_stream(r, cmd->stream);

	if (!stream)
		return -ENOENT;
	if (!heapsim_id_add(&r->works, &work->id))
		return -EEXIST;
	work->stream = stream;
	stream->nr_works++;
	heapsim_note_party(&work->party, HEAPSIM_OTHER_ENGINE, cmd->name);
	work->party.kernel = cmd->kernel;
	work->party.other.job = cmd->work;
	work->party.other.stream = cmd->stream;
	right_group_job(&r->globals);
	right_group_job(&stream->group);
	/* Faults name the work from now on. */
	spin_lock(&owner->rights_lock);
	stream->newest = work->party;
	spin_unlock(&owner->rights_lock);
	trace_heapsim_work(cmd->work, cmd->stream, 0);
	heapsim_event_report_work(&work->party, HEAPSIM_RECORD_SUBMIT, 0);
	return 0;
}

/**
 * heapsim_order_work_add() - add a work to a stream
 * @call: command with a struct heapsim_work_add
 *
 * Return: 0, or an error described at struct heapsim_work_add; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_order_work_add(struct heapsim_call *call)
{
	const struct heapsim_work_add *cmd = &call->cmd.work_add;
	struct heapsim_owner *owner = call->ctx->owner;
	struct heapsim_order_work *work;
	int ret;

	if (cmd->flags || !cmd->work ||
	    strnlen(cmd->name, sizeof(cmd->name)) == sizeof(cmd->name))
		return -EINVAL;
	work = heapsim_limit_alloc(owner->user, sizeof(*work), 0);
	if (IS_ERR(work))
		return PTR_ERR(work);
	work->id.id = cmd->work;
	ret = order_lock(call);
	if (!ret) {
		ret = order_work_add(owner, cmd, work);
		mutex_unlock(&owner->lock);
	}
	if (ret)
		heapsim_limit_free(owner->user, work, 0);
	return ret;
}

/*
 * Cleans buffers that have a verdict, and leaves them out afterwards. Each is
 * cleaned at most once, so that a command is bounded by its buffers.
 */
static int order_clean_verdicts(struct heapsim_owner *owner,
				const struct heapsim_work_verdict *verdicts,
				u32 nr)
{
	struct heapsim_ctx_buf *m;
	int ret = 0;
	u32 i;

	for (i = 0; i < nr && !ret; i++) {
		m = heapsim_ctx_buf_find(owner, verdicts[i].buf);
		if (m && heapsim_is_managed(m) &&
		    m->stamp != owner->rights.last_stamp) {
			m->stamp = owner->rights.last_stamp;
			if (verdicts[i].sees)
				ret = heapsim_rights_clean(m);
		}
		if (!ret && heapsim_is_killed())
			ret = -EINTR;
		cond_resched();
	}
	return ret;
}

static int order_work_start(struct heapsim_owner *owner,
			    const struct heapsim_work_start *cmd,
			    const struct heapsim_work_verdict *verdicts)
{
	struct heapsim_rights *r = &owner->rights;
	struct heapsim_order_work *work = order_work_find(r, cmd->work);
	int ret;

	if (!work)
		return -ENOENT;
	if (work->has_begun)
		return -EBUSY;
	if (!work->is_reported)
		heapsim_event_report_work(&work->party,
					  HEAPSIM_RECORD_JOB_BEGIN, 0);
	work->is_reported = true;
	r->last_stamp++;
	ret = order_clean_verdicts(owner, verdicts, cmd->nr_verdicts);
	if (!ret)
		ret = heapsim_rights_clean_dirty(owner, &r->globals);
	if (!ret)
		ret = heapsim_rights_clean_dirty(owner, &work->stream->group);
	if (ret)
		return ret;
	work->has_begun = true;
	trace_heapsim_work(cmd->work, work->stream->id.id, 1);
	return 0;
}

/* Copies the verdicts of a work into memory for order_put_verdicts(). */
static int order_get_verdicts(struct heapsim_user *user,
			      const struct heapsim_work_start *cmd,
			      struct heapsim_work_verdict **verdicts)
{
	const size_t len = cmd->nr_verdicts * sizeof(**verdicts);
	int ret;
	u32 i;

	*verdicts = NULL;
	if (!len)
		return 0;
	ret = heapsim_limit_reserve(user, len);
	if (ret)
		return ret;
	*verdicts = kvmalloc(len, HEAPSIM_GFP_USER);
	if (!*verdicts)
		ret = -ENOMEM;
	else if (copy_from_user(*verdicts, u64_to_user_ptr(cmd->verdicts), len))
		ret = -EFAULT;
	for (i = 0; !ret && i < cmd->nr_verdicts; i++)
		if ((*verdicts)[i].sees > 1 || (*verdicts)[i].reserved)
			ret = -EINVAL;
	if (!ret)
		return 0;
	kvfree(*verdicts);
	heapsim_limit_unreserve(user, len);
	return ret;
}

static void order_put_verdicts(struct heapsim_user *user,
			       const struct heapsim_work_start *cmd,
			       struct heapsim_work_verdict *verdicts)
{
	if (!verdicts)
		return;
	kvfree(verdicts);
	heapsim_limit_unreserve(user, cmd->nr_verdicts * sizeof(*verdicts));
}

/**
 * heapsim_order_work_start() - begin to run a work
 * @call: command with a struct heapsim_work_start
 *
 * Return: 0, or an error described at struct heapsim_work_start; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_order_work_start(struct heapsim_call *call)
{
	const struct heapsim_work_start *cmd = &call->cmd.work_start;
	struct heapsim_owner *owner = call->ctx->owner;
	struct heapsim_work_verdict *verdicts;
	int ret;

	if (cmd->flags || cmd->reserved ||
	    cmd->nr_verdicts > HEAPSIM_MAX_VERDICTS)
		return -EINVAL;
	ret = order_get_verdicts(owner->user, cmd, &verdicts);
	if (ret)
		return ret;
	ret = order_lock(call);
	if (!ret) {
		ret = order_work_start(owner, cmd, verdicts);
		mutex_unlock(&owner->lock);
	}
	order_put_verdicts(owner->user, cmd, verdicts);
	return ret;
}

/* @status: 0, or -errno of a work that has not ended by itself */
static void order_work_free(struct heapsim_owner *owner,
			    struct heapsim_order_work *work, int status)
{
	if (work->is_reported)
		heapsim_event_report_work(&work->party, HEAPSIM_RECORD_JOB_END,
					  status);
	work->stream->nr_works--;
	rb_erase(&work->id.node, &owner->rights.works);
	heapsim_limit_free(owner->user, work, 0);
}

static int order_work_finish(struct heapsim_owner *owner,
			     union heapsim_cmd *cmd)
{
	const u64 id = cmd->work_finish.work;
	struct heapsim_order_work *work = order_work_find(&owner->rights, id);
	int ret;

	if (!work)
		return -ENOENT;
	if (!work->has_begun)
		return -EBUSY;
	ret = heapsim_ctx_buf_settle(owner, &work->party);
	if (ret)
		return ret;
	trace_heapsim_work(id, work->stream->id.id, 2);
	order_work_free(owner, work, 0);
	return 0;
}

/**
 * heapsim_order_work_finish() - end a work
 * @call: command with a struct heapsim_work_finish
 *
 * Return: 0, or an error described at struct heapsim_work_finish; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_order_work_finish(struct heapsim_call *call)
{
	if (call->cmd.work_finish.flags)
		return -EINVAL;
	return order_run(call, order_work_finish);
}

static int order_work_report(struct heapsim_owner *owner,
			     union heapsim_cmd *cmd)
{
	const struct heapsim_order_work *work =
		order_work_find(&owner->rights, cmd->work_report.work);
	struct heapsim_ctx_buf *m =
		heapsim_ctx_buf_find(owner, cmd->work_report.buf);

	if (!work || !m)
		return -ENOENT;
	if (!heapsim_is_managed(m))
		return -EINVAL;
	spin_lock(&owner->rights_lock);
	m->engine_not_attached++;
	owner->rights.engine_not_attached++;
	spin_unlock(&owner->rights_lock);
	heapsim_record_not_attached(m->buf, &work->party);
	return 0;
}

/**
 * heapsim_order_work_report() - report a touch by a work that is not allowed
 * @call: command with a struct heapsim_work_report
 *
 * Return: 0, or an error described at struct heapsim_work_report; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_order_work_report(struct heapsim_call *call)
{
	const u32 access = call->cmd.work_report.access;

	if (!access || access & ~(HEAPSIM_ACCESS_READ | HEAPSIM_ACCESS_WRITE))
		return -EINVAL;
	return order_run(call, order_work_report);
}

/* Info */

static void order_info_all(struct heapsim_owner *owner,
			   struct heapsim_rights_info *cmd)
{
	const struct heapsim_rights *r = &owner->rights;

	cmd->is_cpu_allowed = !r->nr_active || r->class == ATTACH_CONCURRENT;
	spin_lock(&owner->rights_lock);
	cmd->cpu_while_active = r->cpu_while_active;
	cmd->engine_not_attached = r->engine_not_attached;
	cmd->cpu_on_device = owner->cpu_on_device;
	spin_unlock(&owner->rights_lock);
}

static int order_info(struct heapsim_owner *owner, union heapsim_cmd *command)
{
	struct heapsim_rights_info *cmd = &command->rights_info;
	struct heapsim_ctx_buf *m;

	if (!cmd->buf) {
		order_info_all(owner, cmd);
		return 0;
	}
	m = heapsim_ctx_buf_find(owner, cmd->buf);
	if (!m)
		return -ENOENT;
	cmd->attach = m->newest.attach;
	cmd->attach_stream = m->newest.stream;
	spin_lock(&owner->rights_lock);
	cmd->is_cpu_allowed = heapsim_is_managed(m) ?
			      !right_is_refused(&m->right) :
			      m->buf->kind != HEAPSIM_KIND_DEVICE;
	cmd->cpu_while_active = m->cpu_while_active;
	cmd->engine_not_attached = m->engine_not_attached;
	cmd->cpu_on_device = m->cpu_on_device;
	spin_unlock(&owner->rights_lock);
	return 0;
}

/**
 * heapsim_order_info() - return who may touch a buffer, and violations
 * @call: command with a struct heapsim_rights_info; receives the result
 *
 * Return: 0, -EINVAL for unknown flags, -ENOENT if the open has no such buffer;
 * -EAGAIN if it would have to sleep.
 */
int heapsim_order_info(struct heapsim_call *call)
{
	struct heapsim_rights_info *cmd = &call->cmd.rights_info;

	if (cmd->flags)
		return -EINVAL;
	*cmd = (struct heapsim_rights_info) {
		.size = cmd->size,
		.buf = cmd->buf,
	};
	return order_run(call, order_info);
}

/**
 * heapsim_order_end() - end all works and streams of an open that is closed
 * @owner: locked
 *
 * Buffers may stay allocated. The CPU may access them then, except device
 * memory.
 */
void heapsim_order_end(struct heapsim_owner *owner)
{
	const struct heapsim_party nobody = { 0 };
	struct heapsim_rights *r = &owner->rights;
	struct heapsim_ctx_buf *m;
	struct rb_node *node;
	unsigned long id;

	while ((node = rb_first(&r->works))) {
		order_work_free(owner, rb_entry(node, struct heapsim_order_work,
						id.node), -ECANCELED);
		cond_resched();
	}
	heapsim_ctx_buf_settle(owner, &nobody);
	heapsim_rights_complete(owner);
	xa_for_each(&owner->buf_ids, id, m) {
		if (heapsim_is_managed(m))
			heapsim_rights_end(m);
		xa_erase(&owner->buf_ids, id);
		cond_resched();
	}
	spin_lock(&owner->rights_lock);
	INIT_LIST_HEAD(&r->actives);
	spin_unlock(&owner->rights_lock);
	while ((node = rb_first(&r->streams))) {
		spin_lock(&owner->rights_lock);
		rb_erase(node, &r->streams);
		spin_unlock(&owner->rights_lock);
		heapsim_limit_free(owner->user,
				   rb_entry(node, struct heapsim_order_stream,
					    id.node), 0);
		cond_resched();
	}
	r->changed = NULL;
	r->attached = NULL;
}
