// SPDX-License-Identifier: GPL-2.0-only
/* The fixture of many tests of the real module; see fixture.h. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"

struct fixture *fixture_create(void)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct heapsim_probe probe;

	assert_non_null(f);
	f->dev = device_open();
	f->watch = -1;
	f->fd = -1;
	probe = device_probe(f->dev);
	f->line = probe.line_size;
	f->granule = probe.fill_size;
	f->page = probe.page_size;
	return f;
}

void fixture_alloc(struct fixture *f, uint32_t kind, size_t len)
{
	f->len = len;
	f->fd = device_alloc(f->dev, kind, len);
	f->id = device_buf_info(f->dev, f->fd).id;
	f->map = device_map(f->fd, len);
}

int fixture_setup(void **state, uint32_t kind, size_t len)
{
	struct fixture *f = fixture_create();

	fixture_alloc(f, kind, len);
	*state = f;
	return 0;
}

int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	if (f->watch >= 0)
		close(f->watch);
	/* This fails harmlessly if the test has unmapped the buffer. */
	munmap(f->map, f->len);
	close(f->fd);
	close(f->dev);
	free(f);
	return 0;
}
