// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers of an open of /dev/heapsim, managed, pinned and device memory: their
 * creation and release, and accesses by the CPU. Some stay in use when the open
 * has been closed.
 */
#include <linux/slab.h>

#include "ctx_buf.h"

/**
 * heapsim_owner_create() - create the owner of the buffers of an open
 * @objects: table of the open
 *
 * Return: owner for heapsim_owner_end(), or NULL without memory.
 */
struct heapsim_owner *heapsim_owner_create(struct heapsim_objects *objects)
{
	struct heapsim_owner *owner = kzalloc(sizeof(*owner), HEAPSIM_GFP_USER);

	if (!owner)
		return NULL;
	owner->user = heapsim_limit_user_ref(objects->user);
	kref_init(&owner->refs);
	mutex_init(&owner->lock);
	xa_init_flags(&owner->buf_ids, XA_FLAGS_ACCOUNT);
	spin_lock_init(&owner->rights_lock);
	INIT_LIST_HEAD(&owner->written);
	heapsim_rights_init(&owner->rights);
	return owner;
}

static void owner_free(struct kref *refs)
{
	struct heapsim_owner *owner = container_of(refs, struct heapsim_owner,
						   refs);

	xa_destroy(&owner->buf_ids);
	mutex_destroy(&owner->lock);
	heapsim_limit_user_put(owner->user);
	kfree(owner);
}

/**
 * heapsim_owner_end() - detach the buffers of an open that is closed
 * @owner: from heapsim_owner_create()
 *
 * Buffers may stay allocated. The CPU may access them then, except device
 * memory.
 */
void heapsim_owner_end(struct heapsim_owner *owner)
{
	mutex_lock(&owner->lock);
	owner->has_ended = true;
	heapsim_order_end(owner);
	mutex_unlock(&owner->lock);
	kref_put(&owner->refs, owner_free);
}

/**
 * heapsim_ctx_buf_create() - add a buffer to a context
 * @buf: managed, pinned or device memory without other users
 * @params: parameters, with the context
 *
 * Context: may sleep.
 * Return: 0, -EBUSY if the user has too many objects, -ENOMEM, or -EINTR if the
 * caller is killed.
 */
int heapsim_ctx_buf_create(struct heapsim_buf *buf,
			   const struct heapsim_buf_params *params)
{
	struct heapsim_owner *owner = params->ctx->owner;
	struct heapsim_ctx_buf *m;
	int ret;

	m = heapsim_limit_alloc(owner->user, sizeof(*m), 0);
	if (IS_ERR(m))
		return PTR_ERR(m);
	ret = xa_reserve(&owner->buf_ids, buf->id, HEAPSIM_GFP_USER);
	if (ret)
		goto err_free;
	m->buf = buf;
	m->owner = owner;
	INIT_LIST_HEAD(&m->written);
	ret = mutex_lock_killable(&owner->lock);
	if (ret)
		goto err_release;
	kref_get(&owner->refs);
	buf->owned = m;
	if (heapsim_is_managed(m))
		heapsim_rights_add(m, params);
	/* Allocates nothing, because the slot is reserved. */
	xa_store(&owner->buf_ids, buf->id, m, GFP_NOWAIT);
	mutex_unlock(&owner->lock);
	return 0;

err_release:
	xa_release(&owner->buf_ids, buf->id);
err_free:
	heapsim_limit_free(owner->user, m, 0);
	return ret;
}

/**
 * heapsim_ctx_buf_destroy() - remove a buffer that is released from its context
 * @buf: buffer without users; may belong to no context
 */
void heapsim_ctx_buf_destroy(struct heapsim_buf *buf)
{
	struct heapsim_ctx_buf *m = buf->owned;
	struct heapsim_owner *owner;

	if (!m)
		return;
	owner = m->owner;
	mutex_lock(&owner->lock);
	/* A device view may be stored to after its context has ended. */
	spin_lock(&owner->rights_lock);
	list_del_init(&m->written);
	spin_unlock(&owner->rights_lock);
	if (!owner->has_ended) {
		xa_erase(&owner->buf_ids, buf->id);
		if (heapsim_is_managed(m))
			heapsim_rights_forget(m);
	}
	/* A bracket that is still open is reported after this. */
	buf->owned = NULL;
	heapsim_limit_free(owner->user, m, 0);
	mutex_unlock(&owner->lock);
	kref_put(&owner->refs, owner_free);
}

static vm_fault_t ctx_buf_touch_device(struct heapsim_ctx_buf *m,
				       struct heapsim_access *access)
{
	const struct heapsim_party nobody = { 0 };

	spin_lock(&m->owner->rights_lock);
	m->cpu_on_device++;
	m->owner->cpu_on_device++;
	spin_unlock(&m->owner->rights_lock);
	heapsim_record_cpu_forbidden(m->buf, HEAPSIM_RECORD_CPU_ON_DEVICE,
				     access, &nobody);
	access->is_wrong = true;
	return m->buf->rule.policy == HEAPSIM_POLICY_STRICT ?
		VM_FAULT_SIGBUS : 0;
}

/**
 * heapsim_ctx_buf_touch() - judge a CPU access to a buffer
 * @buf: buffer; may belong to no context
 * @access: access; is_wrong is set if it is forbidden
 *
 * Context: the buffer's lock is held until the page is accessible.
 * Return: 0, or VM_FAULT_SIGBUS if the access is refused.
 */
vm_fault_t heapsim_ctx_buf_touch(struct heapsim_buf *buf,
				 struct heapsim_access *access)
{
	struct heapsim_ctx_buf *m = buf->owned;

	if (!m || buf->rule.policy == HEAPSIM_POLICY_OFF)
		return 0;
	if (buf->kind == HEAPSIM_KIND_DEVICE && !access->is_wrong &&
	    !access->is_again)
		return ctx_buf_touch_device(m, access);
	return heapsim_is_managed(m) ? heapsim_rights_touch(m, access) : 0;
}
