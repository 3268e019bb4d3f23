// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The engines of this process. A child that the application forks closes their
 * descriptors: an engine lives as long as a process has the other end of its
 * socket open.
 */
#include "owner.h"

static struct {
	pthread_once_t once;
	int err;

	pthread_mutex_t lock;	/* first and next; held over fork() */
	struct engine *first;
} engines = {
	.once = PTHREAD_ONCE_INIT,
	.lock = PTHREAD_MUTEX_INITIALIZER,
};

/**
 * engine_list_lock() - lock the list, and the descriptors of all engines
 *
 * Context: any thread; also before a fork.
 */
void engine_list_lock(void)
{
	pthread_mutex_lock(&engines.lock);
}

/**
 * engine_list_unlock() - unlock the list
 *
 * Context: the thread that locked it; also after a fork, in the parent.
 */
void engine_list_unlock(void)
{
	pthread_mutex_unlock(&engines.lock);
}

static void engine_list_in_child(void)
{
	struct engine *engine;

	for (engine = engines.first; engine; engine = engine->next) {
		engine->is_foreign = true;
		own_fd_close(&engine->sock);
		own_fd_close(&engine->pidfd);
	}
	engines.first = NULL;
	pthread_mutex_unlock(&engines.lock);
}

static void engine_list_init_once(void)
{
	engines.err = -pthread_atfork(engine_list_lock, engine_list_unlock,
				      engine_list_in_child);
}

/**
 * engine_list_init() - install the fork handlers, the first time
 *
 * Context: any thread.
 * Return: 0, or -ENOMEM.
 */
int engine_list_init(void)
{
	pthread_once(&engines.once, engine_list_init_once);
	return engines.err;
}

/**
 * engine_list_add() - add an engine
 * @engine: engine
 *
 * Context: any thread.
 */
void engine_list_add(struct engine *engine)
{
	pthread_mutex_lock(&engines.lock);
	engine->next = engines.first;
	engines.first = engine;
	pthread_mutex_unlock(&engines.lock);
}

/**
 * engine_list_del() - remove an engine
 * @engine: engine of this process
 *
 * Context: any thread.
 */
void engine_list_del(const struct engine *engine)
{
	struct engine **at;

	pthread_mutex_lock(&engines.lock);
	for (at = &engines.first; *at && *at != engine; at = &(*at)->next)
		;
	if (*at)
		*at = engine->next;
	pthread_mutex_unlock(&engines.lock);
}
