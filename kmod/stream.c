// SPDX-License-Identifier: GPL-2.0-only
/*
 * Streams, events, host functions and works of an open of /dev/heapsim: the
 * commands in front of the model (model/attach.c). heapsim_owner.lock
 * serialises them. Memory that a command may need is allocated without the
 * lock, and the command is run again: see attempt_run().
 */
#include <linux/slab.h>

#include "streams.h"
#include "trace.h"

/*
 * Unused objects that are kept, so that a row of commands allocates only once.
 */
#define MAX_SPARE	64

/**
 * struct heapsim_host - a host function
 * @object: head
 * @op: operation in the model
 */
struct heapsim_host {
	struct heapsim_object object;
	struct attach_op *op;
};

/**
 * struct heapsim_stream_event - an event of streams
 * @object: head
 * @model: event in the model
 */
struct heapsim_stream_event {
	struct heapsim_object object;
	struct attach_event model;
};

static const struct heapsim_object_ops stream_ops = {
	.type = HEAPSIM_OBJECT_STREAM,
	.size = HEAPSIM_OBJECT_SIZE(struct heapsim_stream),
};

static const struct heapsim_object_ops event_ops = {
	.type = HEAPSIM_OBJECT_EVENT,
	.size = HEAPSIM_OBJECT_SIZE(struct heapsim_stream_event),
};

static const struct heapsim_object_ops host_ops = {
	.type = HEAPSIM_OBJECT_HOST,
	.size = HEAPSIM_OBJECT_SIZE(struct heapsim_host),
};

static const struct heapsim_object_ops work_ops = {
	.type = HEAPSIM_OBJECT_WORK,
	.size = HEAPSIM_OBJECT_SIZE(struct heapsim_work),
};

/**
 * struct attempt - an attempt to run a command
 * @cmd: argument of the command
 * @nr_ops: operations that the pool of the model must have
 * @nr_kept: struct heapsim_kept that must be spare
 * @nr_wanted: its part of heapsim_streams.nr_wanted
 * @ops: type of the object that the command creates, or NULL
 * @object: that object, or NULL while it is not allocated
 */
struct attempt {
	void *cmd;
	u64 nr_ops;
	u64 nr_kept;
	int nr_wanted;
	const struct heapsim_object_ops *ops;
	struct heapsim_object *object;
};

/* Returned by the function of a command if its attempt needs more memory. */
#define WANTS_MORE	(-ENOBUFS)

/**
 * heapsim_kept_get() - take a spare struct heapsim_kept
 * @s: locked, with at least one spare
 *
 * Return: the struct, in no list.
 */
struct heapsim_kept *heapsim_kept_get(struct heapsim_streams *s)
{
	struct heapsim_kept *kept = list_first_entry(&s->spare,
						     struct heapsim_kept, node);

	list_del_init(&kept->node);
	INIT_LIST_HEAD(&kept->in_streams);
	s->nr_spare--;
	return kept;
}

/**
 * heapsim_kept_put() - return a struct heapsim_kept to the spare ones
 * @s: locked
 * @kept: the struct
 */
void heapsim_kept_put(struct heapsim_streams *s, struct heapsim_kept *kept)
{
	list_del_init(&kept->in_streams);
	list_move(&kept->node, &s->spare);
	s->nr_spare++;
}

/**
 * heapsim_stream_of() - get the stream of a stream of the model
 * @s: streams of the context
 * @model: stream of the model, or NULL
 *
 * Return: the stream, or NULL.
 */
struct heapsim_stream *heapsim_stream_of(struct heapsim_streams *s,
					 struct attach_stream *model)
{
	if (!model)
		return NULL;
	if (model == &s->attach.null_stream)
		return &s->null;
	return container_of(model, struct heapsim_stream, own);
}

/*
 * Returns true if the caller should stop. When the open is closed, nobody else
 * would go on, so it does not stop then.
 */
static bool streams_are_over(const struct heapsim_streams *s)
{
	return !s->owner->has_ended && heapsim_is_killed();
}

/*
 * Frees what the model no longer needs, except @nr_kept of each. If the caller
 * is killed, the rest is left to the next.
 */
static void streams_trim(struct heapsim_streams *s, u64 nr_kept)
{
	struct attach_stream *model;
	struct heapsim_kept *kept;

	while (!streams_are_over(s) &&
	       (model = attach_take_stream(&s->attach))) {
		heapsim_object_put(&container_of(model, struct heapsim_stream,
						 own)->object);
		cond_resched();
	}
	while (!streams_are_over(s) && s->attach.nr_pool > nr_kept) {
		heapsim_limit_free(s->owner->user, attach_take_op(&s->attach));
		cond_resched();
	}
	while (!streams_are_over(s) && s->nr_spare > nr_kept) {
		kept = heapsim_kept_get(s);
		heapsim_limit_free(s->owner->user, kept);
		cond_resched();
	}
}

/**
 * heapsim_streams_unlock() - free unused objects and unlock
 * @s: locked
 */
void heapsim_streams_unlock(struct heapsim_streams *s)
{
	streams_trim(s, MAX_SPARE + atomic_read(&s->nr_wanted));
	mutex_unlock(&s->owner->lock);
}

static int attempt_lock(struct heapsim_streams *s, bool waits)
{
	return heapsim_is_killed() ? -EINTR :
				     heapsim_lock(&s->owner->lock, waits);
}

static int attempt_stock_ops(struct heapsim_streams *s, u64 nr, bool waits)
{
	struct attach_op *op;
	int ret;

	/*
	 * Only a hint, since others change the number; attempt_is_stocked()
	 * checks it again.
	 */
	while (data_race(s->attach.nr_pool) < nr) {
		op = heapsim_limit_alloc(s->owner->user, sizeof(*op));
		if (IS_ERR(op))
			return PTR_ERR(op);
		ret = attempt_lock(s, waits);
		if (ret) {
			heapsim_limit_free(s->owner->user, op);
			return ret;
		}
		attach_give_op(&s->attach, op);
		mutex_unlock(&s->owner->lock);
	}
	return 0;
}

static int attempt_stock_kept(struct heapsim_streams *s, u64 nr, bool waits)
{
	struct heapsim_kept *kept;
	int ret;

	/* Only a hint, as above. */
	while (data_race(s->nr_spare) < nr) {
		kept = heapsim_limit_alloc(s->owner->user, sizeof(*kept));
		if (IS_ERR(kept))
			return PTR_ERR(kept);
		INIT_LIST_HEAD(&kept->node);
		INIT_LIST_HEAD(&kept->in_streams);
		ret = attempt_lock(s, waits);
		if (ret) {
			heapsim_limit_free(s->owner->user, kept);
			return ret;
		}
		heapsim_kept_put(s, kept);
		mutex_unlock(&s->owner->lock);
	}
	return 0;
}

static int attempt_stock_object(struct heapsim_streams *s,
				struct attempt *request)
{
	struct heapsim_object *object;

	if (!request->ops || request->object)
		return 0;
	object = heapsim_object_alloc(s->objects, request->ops);
	if (IS_ERR(object))
		return PTR_ERR(object);
	request->object = object;
	return 0;
}

static int attempt_stock(struct heapsim_streams *s, struct attempt *request,
			 bool waits)
{
	int ret;

	ret = attempt_stock_object(s, request);
	if (!ret)
		ret = attempt_stock_ops(s, request->nr_ops, waits);
	if (!ret)
		ret = attempt_stock_kept(s, request->nr_kept, waits);
	return ret;
}

static bool attempt_is_stocked(const struct heapsim_streams *s,
			       const struct attempt *request)
{
	return s->attach.nr_pool >= request->nr_ops &&
	       s->nr_spare >= request->nr_kept &&
	       (!request->ops || request->object);
}

/*
 * Until the attempt ends, other commands do not free what it stocks. A thread
 * that calls one after the other would always be faster.
 */
static void attempt_want(struct heapsim_streams *s, struct attempt *request)
{
	const int nr = max(request->nr_ops, request->nr_kept);

	atomic_add(nr - request->nr_wanted, &s->nr_wanted);
	request->nr_wanted = nr;
}

/* A caller that must not sleep does not do what others have left. */
static int streams_catch_up(struct heapsim_streams *s, bool waits)
{
	if (!waits && !list_empty(&s->left))
		return -EAGAIN;
	return heapsim_managed_catch_up(s);
}

/*
 * Runs a command with the lock held. If it needs more memory, that is allocated
 * without the lock, and the command is run again from its beginning.
 */
static int attempt_run(const struct heapsim_call *call,
		       struct attempt *request,
		       int (*run)(struct heapsim_streams *s,
				  struct attempt *request))
{
	struct heapsim_streams *s = call->ctx->owner->streams;
	int ret;

	do {
		ret = heapsim_lock(&s->owner->lock, call->waits);
		if (ret)
			break;
		ret = heapsim_owner_choose(s->owner, HEAPSIM_SET_STREAMS);
		if (!ret)
			ret = streams_catch_up(s, call->waits);
		if (!ret)
			ret = run(s, request);
		if (ret == WANTS_MORE) {
			attempt_want(s, request);
			mutex_unlock(&s->owner->lock);
		} else {
			heapsim_streams_unlock(s);
		}
	} while (ret == WANTS_MORE &&
		 !(ret = attempt_stock(s, request, call->waits)) &&
		 !(ret = heapsim_is_killed() ? -EINTR : 0));
	atomic_sub(request->nr_wanted, &s->nr_wanted);
	if (ret && request->object)
		heapsim_object_abort(s->objects, request->object);
	return ret;
}

/* Each of these structs begins with its object, see HEAPSIM_OBJECT_SIZE(). */
static struct heapsim_stream *stream_find(struct heapsim_streams *s, u64 id)
{
	return id ? (void *)heapsim_object_find(s->objects, &stream_ops, id) :
		    &s->null;
}

static struct attach_event *stream_event_find(struct heapsim_streams *s, u64 id)
{
	struct heapsim_stream_event *event;

	event = (void *)heapsim_object_find(s->objects, &event_ops, id);
	return event ? &event->model : NULL;
}

static void stream_event_free(struct heapsim_streams *s,
			      struct attach_event *event)
{
	attach_event_destroy(&s->attach, event);
	heapsim_object_remove(s->objects,
			      &container_of(event, struct heapsim_stream_event,
					    model)->object);
}

static struct heapsim_host *host_find(struct heapsim_streams *s, u64 id)
{
	return (void *)heapsim_object_find(s->objects, &host_ops, id);
}

static struct heapsim_work *work_find(struct heapsim_streams *s, u64 id)
{
	return (void *)heapsim_object_find(s->objects, &work_ops, id);
}

/* Streams */

static void stream_init(struct heapsim_streams *s, struct heapsim_stream *st,
			struct attach_stream *model)
{
	st->model = model;
	st->serial = ++s->last_serial;
	INIT_LIST_HEAD(&st->singles);
}

static int stream_create(struct heapsim_streams *s, struct attempt *request)
{
	struct heapsim_stream_op *cmd = request->cmd;
	struct heapsim_stream *st;

	if (!attempt_is_stocked(s, request))
		return WANTS_MORE;
	st = container_of(request->object, struct heapsim_stream, object);
	stream_init(s, st, &st->own);
	attach_stream_create(&s->attach, st->model,
			     !(cmd->flags & HEAPSIM_STREAM_NON_BLOCKING));
	cmd->stream = request->object->id;
	heapsim_object_publish(s->objects, request->object);
	return 0;
}

/**
 * heapsim_stream_create() - create a stream
 * @call: command with a struct heapsim_stream_op; receives the result
 *
 * Return: 0, or an error described at struct heapsim_stream_op; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_stream_create(struct heapsim_call *call)
{
	struct heapsim_stream_op *cmd = &call->cmd.stream;
	struct attempt request = {
		.cmd = cmd,
		.ops = &stream_ops,
	};

	if (cmd->flags & ~HEAPSIM_STREAM_NON_BLOCKING || cmd->stream)
		return -EINVAL;
	return attempt_run(call, &request, stream_create);
}

static int stream_destroy(struct heapsim_streams *s, struct attempt *request)
{
	const struct heapsim_stream_op *cmd = request->cmd;
	struct heapsim_stream *st = stream_find(s, cmd->stream);
	struct heapsim_record_attach how;
	struct heapsim_ctx_buf *m, *next;
	struct heapsim_state state = { 0 };

	if (!st)
		return -ENOENT;
	request->nr_ops = attach_stream_destroy_needs(st->model);
	request->nr_kept = request->nr_ops;
	if (!attempt_is_stocked(s, request))
		return WANTS_MORE;
	/* The model frees it when nothing waits for it: see streams_trim(). */
	heapsim_object_unlink(s->objects, &st->object);
	attach_stream_destroy(&s->attach, st->model);
	if (list_empty(&st->singles))
		return 0;
	heapsim_note_attach(&how, HEAPSIM_ATTACHED_BY_DESTROY);
	how.stream = cmd->stream;
	list_for_each_entry_safe(m, next, &st->singles, in_singles) {
		state.attach = m->model.fallback == ATTACH_HOST ?
			HEAPSIM_ATTACH_HOST : HEAPSIM_ATTACH_GLOBAL;
		heapsim_managed_set_state(m, &state, NULL, &how);
	}
	return 0;
}

/**
 * heapsim_stream_destroy() - destroy a stream
 * @call: command with a struct heapsim_stream_op
 *
 * Return: 0, or an error described at struct heapsim_stream_op; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_stream_destroy(struct heapsim_call *call)
{
	struct heapsim_stream_op *cmd = &call->cmd.stream;
	struct attempt request = { .cmd = cmd };

	if (cmd->flags || !cmd->stream)
		return -EINVAL;
	return attempt_run(call, &request, stream_destroy);
}

static int stream_attach(struct heapsim_streams *s, struct attempt *request)
{
	const struct heapsim_attach_op *cmd = request->cmd;
	struct heapsim_stream *st = stream_find(s, cmd->stream);
	struct heapsim_ctx_buf *m = heapsim_ctx_buf_find(s->owner, cmd->buf);
	struct heapsim_state state = { .attach = cmd->attach };
	struct heapsim_record_attach how;
	enum attach_kind kind = ATTACH_GLOBAL;

	if (!st || !m)
		return -ENOENT;
	if (!heapsim_is_managed(m))
		return -EINVAL;
	request->nr_ops = 1;
	request->nr_kept = 1;
	if (!attempt_is_stocked(s, request))
		return WANTS_MORE;
	if (cmd->attach == HEAPSIM_ATTACH_HOST)
		kind = ATTACH_HOST;
	if (cmd->attach == HEAPSIM_ATTACH_SINGLE) {
		kind = ATTACH_SINGLE;
		state.stream = st->object.id;
		state.serial = st->serial;
	}
	attach_submit_state(&s->attach, st->model, &m->model, kind);
	heapsim_note_attach(&how, HEAPSIM_ATTACHED_BY_CALL);
	how.stream = st->object.id;
	heapsim_managed_set_state(m, &state,
				  kind == ATTACH_SINGLE ? st : NULL, &how);
	trace_heapsim_attach(m->buf->id, cmd->attach, st->object.id);
	return 0;
}

/**
 * heapsim_stream_attach() - attach a managed buffer
 * @call: command with a struct heapsim_attach_op
 *
 * Return: 0, or an error described at struct heapsim_attach_op; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_stream_attach(struct heapsim_call *call)
{
	struct heapsim_attach_op *cmd = &call->cmd.attach;
	struct attempt request = { .cmd = cmd };

	if (cmd->attach != HEAPSIM_ATTACH_GLOBAL &&
	    cmd->attach != HEAPSIM_ATTACH_HOST &&
	    cmd->attach != HEAPSIM_ATTACH_SINGLE)
		return -EINVAL;
	return attempt_run(call, &request, stream_attach);
}

/* Events */

static int stream_event_create(struct heapsim_streams *s,
			       struct attempt *request)
{
	struct heapsim_event_op *cmd = request->cmd;

	if (!attempt_is_stocked(s, request))
		return WANTS_MORE;
	cmd->event = request->object->id;
	heapsim_object_publish(s->objects, request->object);
	return 0;
}

/**
 * heapsim_stream_event_create() - create an event
 * @call: command with a struct heapsim_event_op; receives the result
 *
 * Return: 0, or an error described at struct heapsim_event_op; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_stream_event_create(struct heapsim_call *call)
{
	struct heapsim_event_op *cmd = &call->cmd.event;
	struct attempt request = {
		.cmd = cmd,
		.ops = &event_ops,
	};

	if (cmd->flags || cmd->event || cmd->stream)
		return -EINVAL;
	return attempt_run(call, &request, stream_event_create);
}

static int stream_event_destroy(struct heapsim_streams *s,
				struct attempt *request)
{
	const struct heapsim_event_op *cmd = request->cmd;
	struct attach_event *event = stream_event_find(s, cmd->event);

	if (!event)
		return -ENOENT;
	stream_event_free(s, event);
	return 0;
}

/**
 * heapsim_stream_event_destroy() - destroy an event
 * @call: command with a struct heapsim_event_op
 *
 * Return: 0, -EINVAL, -ENOENT if the open has no such event; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_stream_event_destroy(struct heapsim_call *call)
{
	struct heapsim_event_op *cmd = &call->cmd.event;
	struct attempt request = { .cmd = cmd };

	if (cmd->flags || cmd->stream)
		return -EINVAL;
	return attempt_run(call, &request, stream_event_destroy);
}

static int stream_event_record(struct heapsim_streams *s,
			       struct attempt *request)
{
	const struct heapsim_event_op *cmd = request->cmd;
	struct heapsim_stream *st = stream_find(s, cmd->stream);
	struct attach_event *event = stream_event_find(s, cmd->event);

	if (!st || !event)
		return -ENOENT;
	if (cmd->flags & HEAPSIM_EVENT_END)
		return attach_event_end(&s->attach, event, st->model);
	return attach_event_record(&s->attach, event, st->model);
}

/**
 * heapsim_stream_event_record() - record an event
 * @call: command with a struct heapsim_event_op
 *
 * Return: 0, -EINVAL, -ENOENT if the open has no such event or stream; -EAGAIN
 * if it would have to sleep.
 */
int heapsim_stream_event_record(struct heapsim_call *call)
{
	struct heapsim_event_op *cmd = &call->cmd.event;
	struct attempt request = { .cmd = cmd };

	if (cmd->flags & ~HEAPSIM_EVENT_END)
		return -EINVAL;
	return attempt_run(call, &request, stream_event_record);
}

static int stream_event_wait(struct heapsim_streams *s, struct attempt *request)
{
	const struct heapsim_event_op *cmd = request->cmd;
	struct heapsim_stream *st = stream_find(s, cmd->stream);
	struct attach_event *event = stream_event_find(s, cmd->event);

	if (!st || !event)
		return -ENOENT;
	request->nr_ops = 1;
	if (!attempt_is_stocked(s, request))
		return WANTS_MORE;
	return attach_event_wait(&s->attach, st->model, event);
}

/**
 * heapsim_stream_event_wait() - let a stream wait for an event
 * @call: command with a struct heapsim_event_op
 *
 * Return: 0, or an error described at struct heapsim_event_op; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_stream_event_wait(struct heapsim_call *call)
{
	struct heapsim_event_op *cmd = &call->cmd.event;
	struct attempt request = { .cmd = cmd };

	if (cmd->flags)
		return -EINVAL;
	return attempt_run(call, &request, stream_event_wait);
}

/* Host functions */

static int host_submit(struct heapsim_streams *s, struct attempt *request)
{
	struct heapsim_host_op *cmd = request->cmd;
	struct heapsim_stream *st = stream_find(s, cmd->stream);
	struct heapsim_host *host;

	if (!st)
		return -ENOENT;
	request->nr_ops = 1;
	if (!attempt_is_stocked(s, request))
		return WANTS_MORE;
	host = container_of(request->object, struct heapsim_host, object);
	attach_submit_host(&s->attach, st->model, &host->op);
	cmd->host = request->object->id;
	heapsim_object_publish(s->objects, request->object);
	return 0;
}

/**
 * heapsim_host_submit() - submit a host function
 * @call: command with a struct heapsim_host_op; receives the result
 *
 * Return: 0, or an error described at struct heapsim_host_op; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_host_submit(struct heapsim_call *call)
{
	struct heapsim_host_op *cmd = &call->cmd.host;
	struct attempt request = {
		.cmd = cmd,
		.ops = &host_ops,
	};

	if (cmd->flags || cmd->host)
		return -EINVAL;
	return attempt_run(call, &request, host_submit);
}

static int host_begin(struct heapsim_streams *s, struct attempt *request)
{
	const struct heapsim_host_op *cmd = request->cmd;
	struct heapsim_host *host = host_find(s, cmd->host);

	if (!host)
		return -ENOENT;
	return attach_host_begin(&s->attach, host->op) ? -EBUSY : 0;
}

/**
 * heapsim_host_begin() - begin to call a host function
 * @call: command with a struct heapsim_host_op
 *
 * Return: 0, or an error described at struct heapsim_host_op; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_host_begin(struct heapsim_call *call)
{
	struct heapsim_host_op *cmd = &call->cmd.host;
	struct attempt request = { .cmd = cmd };

	if (cmd->flags || cmd->stream)
		return -EINVAL;
	return attempt_run(call, &request, host_begin);
}

static int host_return(struct heapsim_streams *s, struct attempt *request)
{
	const struct heapsim_host_op *cmd = request->cmd;
	struct heapsim_host *host = host_find(s, cmd->host);

	if (!host)
		return -ENOENT;
	if (attach_host_return(&s->attach, host->op))
		return -EBUSY;
	heapsim_object_remove(s->objects, &host->object);
	return 0;
}

/**
 * heapsim_host_return() - return from a host function
 * @call: command with a struct heapsim_host_op
 *
 * Return: 0, or an error described at struct heapsim_host_op; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_host_return(struct heapsim_call *call)
{
	struct heapsim_host_op *cmd = &call->cmd.host;
	struct attempt request = { .cmd = cmd };

	if (cmd->flags || cmd->stream)
		return -EINVAL;
	return attempt_run(call, &request, host_return);
}

/**
 * heapsim_host_disown() - withdraw a host function whose id could not be
 *	returned
 * @ctx: open of /dev/heapsim
 * @id: id of the function
 */
void heapsim_host_disown(struct heapsim_ctx *ctx, u64 id)
{
	struct heapsim_streams *s = ctx->owner->streams;
	struct heapsim_host *host;

	mutex_lock(&s->owner->lock);
	host = host_find(s, id);
	if (host) {
		attach_host_withdraw(&s->attach, host->op);
		heapsim_object_remove(s->objects, &host->object);
	}
	heapsim_streams_unlock(s);
}

/* Works */

static void work_init(struct heapsim_streams *s, struct heapsim_work *work,
		      struct heapsim_stream *st,
		      const struct heapsim_work_op *cmd)
{
	work->seq = ++s->last_seq;
	work->serial = st->serial;
	INIT_LIST_HEAD(&work->verdicts);
	heapsim_note_party(&work->party, HEAPSIM_OTHER_ENGINE, cmd->name);
	work->party.kernel = cmd->kernel;
	work->party.other.job = work->object.id;
	work->party.other.stream = st->object.id;
	list_add_tail(&work->node, &s->works);
	s->nr_unbegun++;
	st->newest = work->party;
}

static int work_submit(struct heapsim_streams *s, struct attempt *request)
{
	struct heapsim_work_op *cmd = request->cmd;
	struct heapsim_stream *st = stream_find(s, cmd->stream);
	struct heapsim_work *work;

	if (!st)
		return -ENOENT;
	request->nr_ops = 1;
	request->nr_kept = heapsim_managed_nr_in_flight(s);
	if (!attempt_is_stocked(s, request))
		return WANTS_MORE;
	work = container_of(request->object, struct heapsim_work, object);
	work_init(s, work, st, cmd);
	attach_submit_work(&s->attach, st->model);
	heapsim_managed_judge_all(s, st, work);
	cmd->work = work->object.id;
	trace_heapsim_work(work->object.id, st->object.id, 0);
	heapsim_event_report_work(&work->party, HEAPSIM_RECORD_SUBMIT, 0);
	heapsim_object_publish(s->objects, request->object);
	return 0;
}

/**
 * heapsim_work_submit() - submit a work, a job of the program's own engine
 * @call: command with a struct heapsim_work_op; receives the result
 *
 * Return: 0, or an error described at struct heapsim_work_op; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_work_submit(struct heapsim_call *call)
{
	struct heapsim_work_op *cmd = &call->cmd.work;
	struct attempt request = {
		.cmd = cmd,
		.ops = &work_ops,
	};

	if (cmd->flags || cmd->work ||
	    strnlen(cmd->name, sizeof(cmd->name)) == sizeof(cmd->name))
		return -EINVAL;
	return attempt_run(call, &request, work_submit);
}

static int work_begin(struct heapsim_streams *s, struct attempt *request)
{
	const struct heapsim_work_op *cmd = request->cmd;
	struct heapsim_work *work = work_find(s, cmd->work);
	int ret;

	if (!work)
		return -ENOENT;
	if (work->has_begun)
		return -EBUSY;
	work->has_begun = true;
	s->nr_unbegun--;
	heapsim_event_report_work(&work->party, HEAPSIM_RECORD_JOB_BEGIN, 0);
	ret = heapsim_managed_clean_for(s, work);
	if (ret) {
		work->has_begun = false;
		s->nr_unbegun++;
		return ret;
	}
	trace_heapsim_work(work->object.id, work->party.other.stream, 1);
	return 0;
}

static bool stream_is_malformed(const struct heapsim_work_op *cmd)
{
	return cmd->flags || cmd->stream || cmd->kernel ||
	       memchr_inv(cmd->name, 0, sizeof(cmd->name));
}

/**
 * heapsim_work_begin() - begin to run a work
 * @call: command with a struct heapsim_work_op
 *
 * Return: 0, or an error described at struct heapsim_work_op; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_work_begin(struct heapsim_call *call)
{
	struct heapsim_work_op *cmd = &call->cmd.work;
	struct attempt request = { .cmd = cmd };

	if (stream_is_malformed(cmd))
		return -EINVAL;
	return attempt_run(call, &request, work_begin);
}

static void work_forget(struct heapsim_streams *s, struct heapsim_work *work,
			int status)
{
	struct heapsim_kept *kept, *next;

	if (work->has_begun)
		heapsim_event_report_work(&work->party, HEAPSIM_RECORD_JOB_END,
					  status);
	list_for_each_entry_safe(kept, next, &work->verdicts, node)
		heapsim_kept_put(s, kept);
	list_del(&work->node);
	heapsim_object_remove(s->objects, &work->object);
}

static int work_end(struct heapsim_streams *s, struct attempt *request)
{
	const struct heapsim_work_op *cmd = request->cmd;
	struct heapsim_work *work = work_find(s, cmd->work);
	int ret;

	if (!work)
		return -ENOENT;
	if (!work->has_begun)
		return -EBUSY;
	ret = heapsim_ctx_buf_settle(s->owner, &work->party);
	if (ret)
		return ret;
	trace_heapsim_work(work->object.id, work->party.other.stream, 2);
	work_forget(s, work, 0);
	heapsim_managed_work_ended(s);
	return 0;
}

/**
 * heapsim_work_end() - end a work
 * @call: command with a struct heapsim_work_op
 *
 * Return: 0, or an error described at struct heapsim_work_op; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_work_end(struct heapsim_call *call)
{
	struct heapsim_work_op *cmd = &call->cmd.work;
	struct attempt request = { .cmd = cmd };

	if (stream_is_malformed(cmd))
		return -EINVAL;
	return attempt_run(call, &request, work_end);
}

/**
 * heapsim_work_disown() - drop a work whose id could not be returned
 * @ctx: open of /dev/heapsim
 * @id: id of the work
 *
 * The work stays in the model, but its begin and end are no longer waited for.
 */
void heapsim_work_disown(struct heapsim_ctx *ctx, u64 id)
{
	struct heapsim_streams *s = ctx->owner->streams;
	struct heapsim_work *work;

	mutex_lock(&s->owner->lock);
	work = work_find(s, id);
	if (work) {
		s->nr_unbegun -= !work->has_begun;
		work_forget(s, work, -ECANCELED);
		heapsim_managed_work_ended(s);
	}
	heapsim_streams_unlock(s);
}

static int work_touch(struct heapsim_streams *s, struct attempt *request)
{
	struct heapsim_work_touch *cmd = request->cmd;
	struct heapsim_work *work = work_find(s, cmd->work);
	struct heapsim_ctx_buf *m = heapsim_ctx_buf_find(s->owner, cmd->buf);
	struct heapsim_state state = { 0 };

	if (!work || !m)
		return -ENOENT;
	cmd->is_allowed = heapsim_managed_sees(work, m, &state);
	if (cmd->is_allowed)
		return 0;
	cmd->attach = state.attach;
	cmd->attach_stream = state.stream;
	attach_count_job_touch(&s->attach, &m->model);
	heapsim_record_not_attached(m->buf, &work->party);
	return 0;
}

/**
 * heapsim_work_touch() - judge an access of a work to a buffer
 * @call: command with a struct heapsim_work_touch; receives the result
 *
 * Return: 0, or an error described at struct heapsim_work_touch; -EAGAIN if it
 * would have to sleep.
 */
int heapsim_work_touch(struct heapsim_call *call)
{
	struct heapsim_work_touch *cmd = &call->cmd.touch;
	struct attempt request = { .cmd = cmd };

	if (!cmd->access ||
	    cmd->access & ~(HEAPSIM_ACCESS_READ | HEAPSIM_ACCESS_WRITE) ||
	    cmd->is_allowed || cmd->attach || cmd->attach_stream)
		return -EINVAL;
	return attempt_run(call, &request, work_touch);
}

/* Synchronisation and counters */

static int stream_sync_id(struct heapsim_streams *s, struct attempt *request)
{
	const struct heapsim_sync *cmd = request->cmd;
	struct heapsim_stream *st;
	struct attach_event *event;

	trace_heapsim_sync(cmd->scope, cmd->id);
	switch (cmd->scope) {
	case HEAPSIM_SYNC_DEVICE:
		return attach_sync_device(&s->attach);
	case HEAPSIM_SYNC_STREAM:
		st = stream_find(s, cmd->id);
		return st ? attach_sync_stream(&s->attach, st->model) : -ENOENT;
	default:
		event = stream_event_find(s, cmd->id);
		return event ? attach_sync_event(&s->attach, event) : -ENOENT;
	}
}

/**
 * heapsim_stream_sync() - note that the host has synchronised
 * @call: command with a struct heapsim_sync
 *
 * Return: 0, or an error described at struct heapsim_sync; -EAGAIN if it would
 * have to sleep.
 */
int heapsim_stream_sync(struct heapsim_call *call)
{
	struct heapsim_sync *cmd = &call->cmd.sync;
	struct attempt request = { .cmd = cmd };

	if (cmd->scope < HEAPSIM_SYNC_DEVICE ||
	    cmd->scope > HEAPSIM_SYNC_EVENT ||
	    (cmd->scope == HEAPSIM_SYNC_DEVICE && cmd->id))
		return -EINVAL;
	return attempt_run(call, &request, stream_sync_id);
}

/* @m: NULL: all buffers */
static u64 stream_nr_on_device(struct heapsim_owner *owner,
			       const struct heapsim_ctx_buf *m)
{
	u64 nr;

	spin_lock(&owner->rights_lock);
	nr = m ? m->cpu_on_device : owner->cpu_on_device;
	spin_unlock(&owner->rights_lock);
	return nr;
}

static int streams_info(struct heapsim_streams *s,
			struct heapsim_attach_info *cmd)
{
	memcpy(&cmd->count, &s->attach.count, sizeof(s->attach.count));
	cmd->count.cpu_on_device = stream_nr_on_device(s->owner, NULL);
	cmd->is_cpu_allowed = !s->attach.nr_active ||
			      s->attach.class == ATTACH_CONCURRENT;
	return 0;
}

static int stream_info(struct heapsim_streams *s, struct attempt *request)
{
	struct heapsim_attach_info *cmd = request->cmd;
	struct attach_counters count = { 0 };
	struct heapsim_ctx_buf *m;

	BUILD_BUG_ON(sizeof(count) + sizeof(u64) != sizeof(cmd->count));
	BUILD_BUG_ON(offsetof(struct attach_counters, engine_not_attached) !=
		     offsetof(struct heapsim_attach_counters,
			      engine_not_attached));
	if (!cmd->buf)
		return streams_info(s, cmd);
	m = heapsim_ctx_buf_find(s->owner, cmd->buf);
	if (!m)
		return -ENOENT;
	cmd->is_cpu_allowed = m->buf->kind != HEAPSIM_KIND_DEVICE;
	if (heapsim_is_managed(m)) {
		attach_buf_counters(&s->attach, &m->model, &count);
		cmd->is_cpu_allowed = !attach_is_revoked(&m->model);
	}
	memcpy(&cmd->count, &count, sizeof(count));
	cmd->count.cpu_on_device = stream_nr_on_device(s->owner, m);
	cmd->attach = m->newest.attach;
	cmd->attach_stream = m->newest.stream;
	return 0;
}

/**
 * heapsim_stream_attach_info() - get counters of a buffer, or of all
 * @call: command with a struct heapsim_attach_info; receives the result
 *
 * Return: 0, -EINVAL for unknown flags, -ENOENT if the open has no such buffer;
 * -EAGAIN if it would have to sleep.
 */
int heapsim_stream_attach_info(struct heapsim_call *call)
{
	struct heapsim_attach_info *cmd = &call->cmd.attach_info;
	struct attempt request = { .cmd = cmd };

	if (cmd->flags)
		return -EINVAL;
	*cmd = (struct heapsim_attach_info) {
		.size = cmd->size,
		.buf = cmd->buf,
	};
	return attempt_run(call, &request, stream_info);
}

/* All streams of an open */

/**
 * heapsim_streams_create() - create the streams of an open
 * @owner: owner of the buffers of the open
 * @objects: table of the open
 *
 * Return: streams for heapsim_streams_end() and heapsim_streams_free(), or NULL
 * without memory.
 */
struct heapsim_streams *heapsim_streams_create(struct heapsim_owner *owner,
					       struct heapsim_objects *objects)
{
	struct heapsim_streams *s = kzalloc(sizeof(*s), HEAPSIM_GFP_USER);

	if (!s)
		return NULL;
	s->owner = owner;
	s->objects = objects;
	INIT_LIST_HEAD(&s->works);
	INIT_LIST_HEAD(&s->in_flight);
	INIT_LIST_HEAD(&s->due);
	INIT_LIST_HEAD(&s->owing);
	INIT_LIST_HEAD(&s->left);
	INIT_LIST_HEAD(&s->pasts);
	INIT_LIST_HEAD(&s->spare);
	attach_init(&s->attach, heapsim_config.profile);
	s->attach.act = heapsim_managed_act;
	stream_init(s, &s->null, &s->attach.null_stream);
	return s;
}

/**
 * heapsim_streams_free() - free the streams of an open
 * @s: from heapsim_streams_create(), without users
 */
void heapsim_streams_free(struct heapsim_streams *s)
{
	kfree(s);
}

/**
 * heapsim_streams_end() - end all streams of an open that is closed
 * @s: locked
 */
void heapsim_streams_end(struct heapsim_streams *s)
{
	struct heapsim_work *work, *next;
	struct heapsim_object *object;
	unsigned long id;

	s->attach.act = NULL;
	list_for_each_entry_safe(work, next, &s->works, node)
		work_forget(s, work, -ECANCELED);
	heapsim_managed_end(s);
	/*
	 * The open has no other users, so objects of other types stay in the
	 * table.
	 */
	xa_for_each(&s->objects->ids, id, object) {
		if (object->ops == &event_ops)
			stream_event_free(s, stream_event_find(s, id));
		else if (object->ops == &host_ops)
			heapsim_object_remove(s->objects, object);
		else if (object->ops == &stream_ops)
			heapsim_object_unlink(s->objects, object);
	}
	attach_fini(&s->attach);
	streams_trim(s, 0);
}
