// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libmem: locks of images and arrays. A lock is added to the store's list as
 * soon as it excludes jobs. Then earlier jobs are waited for, without the
 * store's mutex. After that the lock is complete.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "store.h"

/**
 * store_hold() - exclude jobs and locks
 * @store: store
 * @access: MEM_WRITE excludes all other locks, MEM_READ those that write
 * @hold: out: incomplete lock, for store_drop()
 *
 * Return: 0, or -EBUSY, -ENOMEM.
 */
int store_hold(struct store *store, unsigned int access, struct hold **hold)
{
	struct hold *new = calloc(1, sizeof(*new));
	int err = 0;

	if (!new)
		return -ENOMEM;
	new->access = access;
	new->owner = pthread_self();
	new->fd = -1;
	pthread_mutex_lock(&store->lock);
	if ((store->access | (store->holds ? access : 0)) & MEM_WRITE) {
		err = -EBUSY;
	} else {
		new->next = store->holds;
		store->holds = new;
		store->nr_holds++;
		store->access |= access;
	}
	pthread_mutex_unlock(&store->lock);
	if (err)
		free(new);
	else
		*hold = new;
	return err;
}

/* The store's lock is held. */
static void lock_remove_hold(struct store *store, struct hold *hold)
{
	struct hold **at = &store->holds;

	while (*at != hold)
		at = &(*at)->next;
	*at = hold->next;
	if (!--store->nr_holds)
		store->access = 0;
}

/**
 * store_drop() - undo store_hold()
 * @store: store
 * @hold: lock from store_hold()
 */
void store_drop(struct store *store, struct hold *hold)
{
	pthread_mutex_lock(&store->lock);
	lock_remove_hold(store, hold);
	pthread_mutex_unlock(&store->lock);
	free(hold);
}

/* Returns -EACCES if no user of the store could use such pointers. */
static int lock_check_as(const struct store *store, unsigned int as)
{
	const uint64_t need = as == MEM_LOCK_HOST ? MEM_USE_CPU :
			      as == MEM_LOCK_DEVICE ? USE_KERNELS :
			      store->uses;

	return store->uses & need ? 0 : -EACCES;
}

/* Returns the memory that has such pointers, or NULL. */
static struct place *lock_place_as(struct store *store, unsigned int as)
{
	struct place *places[] = { &store->main, &store->inside };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (as == MEM_LOCK_HOST && places[i]->host[0])
			return places[i];
		if (as == MEM_LOCK_DEVICE && places[i]->device[0])
			return places[i];
		if (as >= MEM_LOCK_FD && places[i]->object)
			return places[i];
		if (as == MEM_LOCK_FD && places[i]->own)
			return places[i];
	}
	return NULL;
}

/* An object has a permission; other memory is a dma-buf that is wrapped. */
static int lock_export(const struct store *store, const struct place *place,
		       int *fd)
{
	if (place->object)
		return mem_object_fd(place->object, fd);
	return mem_buf_export_as(place->own,
				 store->is_read_only ? MEM_READ : MEM_RW, fd);
}

/* Prepares the memory for the lock, when earlier jobs have ended. */
static int lock_complete_hold(struct store *store, struct hold *hold,
			      unsigned int as)
{
	struct place *place = lock_place_as(store, as);
	int err = 0;

	if (!place)
		return -EOPNOTSUPP;
	if (as == MEM_LOCK_FD)
		err = lock_export(store, place, &hold->fd);
	if (!err && place == &store->inside)
		err = store_move(store, true);
	if (!err && as == MEM_LOCK_HOST)
		err = place_begin(place, hold->access);
	if (err && hold->fd >= 0)
		fd_close(hold->fd);
	/* Others look at all locks of the store. */
	pthread_mutex_lock(&store->lock);
	hold->as = as;
	hold->place = place;
	store->has_escaped |= !err && as >= MEM_LOCK_FD;
	pthread_mutex_unlock(&store->lock);
	return err;
}

/**
 * store_lock() - take a lock
 * @store: store
 * @access: MEM_READ, MEM_WRITE or both
 * @as: enum mem_lock_as
 * @held: out: a copy of the lock, since another thread may release it at once
 *
 * Context: may sleep, no lock is held.
 * Return: 0, or an error as documented for mem_image_lock().
 */
int store_lock(struct store *store, unsigned int access, unsigned int as,
	       struct hold *held)
{
	struct hold *new;
	int err;

	err = lock_check_as(store, as);
	if (!err)
		err = store_hold(store, access, &new);
	if (err)
		return err;
	err = store_check_main(store, access);
	if (!err)
		err = store_wait(store);
	if (!err)
		err = lock_complete_hold(store, new, as);
	if (err) {
		store_drop(store, new);
		return err;
	}
	hold_record(store, new);
	store_set_gate(store);
	pthread_mutex_lock(&store->lock);
	new->is_complete = true;
	*held = *new;
	pthread_mutex_unlock(&store->lock);
	return 0;
}

/*
 * Returns the newest lock of the calling thread, else the newest of any thread,
 * else NULL. The store's mutex is held.
 */
static struct hold *lock_newest_hold(const struct store *store)
{
	struct hold *hold, *newest = NULL;

	for (hold = store->holds; hold; hold = hold->next) {
		if (!hold->is_complete)
			continue;
		if (pthread_equal(hold->owner, pthread_self()))
			return hold;
		if (!newest)
			newest = hold;
	}
	return newest;
}

/**
 * store_unlock() - release the newest lock
 * @store: store
 *
 * Context: may sleep, no lock is held.
 * Return: 0, -ENOLCK, -EPERM (see mem_attrs_create()), or an error of the copy
 * to the caller's memory; the lock is released in this case, too.
 */
int store_unlock(struct store *store)
{
	struct hold *hold;
	int err;

	err = ctx_may_change(store->ctx);
	if (err)
		return err;
	pthread_mutex_lock(&store->lock);
	hold = lock_newest_hold(store);
	/* It stays in the list and excludes others, but is not found. */
	if (hold)
		hold->is_complete = false;
	pthread_mutex_unlock(&store->lock);
	if (!hold)
		return -ENOLCK;
	hold_record_gone(store, hold);
	if (hold->as == MEM_LOCK_HOST)
		place_end(hold->place, hold->access);
	if (hold->place == &store->inside && hold->access & MEM_WRITE)
		err = store_move(store, false);
	if (hold->fd >= 0)
		fd_close(hold->fd);
	store_drop(store, hold);
	store_set_gate(store);
	return err;
}
