/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests of attribute lists: sets and reads values in a single line. */
#ifndef _LIBMEM_TEST_ATTRS_H
#define _LIBMEM_TEST_ATTRS_H

#include "test.h"

/* Values of any type, one or more: V(uint32_t, 1, 2) */
#define V(type, ...) \
	((const type[]) { __VA_ARGS__ }), sizeof((const type[]) { __VA_ARGS__ })
#define ATTR(of, ...)	{ MEM_ATTR_##of, 0, V(__VA_ARGS__) }
#define RAW(size) \
	ATTR(TYPES, uint32_t, MEM_ATTR_TYPE_RAW), \
	ATTR(RAW_SIZE, uint64_t, size)

/* Replaces the tests' context by one of another board. */
static inline void board(const char *soc)
{
	struct mem_ctx_options options = {
		.size = sizeof(options),
		.backend = MEM_BACKEND_EMBEDDED,
	};

	mem_ctx_close(ctx);
	ctx = NULL;
	snprintf(options.soc, sizeof(options.soc), "%s", soc);
	assert_int_equal(mem_ctx_open(&options, &ctx), 0);
}

static inline int set_one(struct mem_attrs *list, uint32_t key,
			  const void *value, uint64_t len)
{
	const struct mem_attr attr = { key, 0, value, len };

	return mem_attrs_set(list, &attr, 1);
}

static inline struct mem_attrs *new_list(void)
{
	struct mem_attrs *list;

	assert_int_equal(mem_attrs_create(ctx, &list), 0);
	return list;
}

static inline struct mem_attrs *list_of(const struct mem_attr *attrs, size_t nr)
{
	struct mem_attrs *list = new_list();

	assert_int_equal(mem_attrs_set(list, attrs, nr), 0);
	return list;
}

#define LIST(...) \
	list_of(((const struct mem_attr[]) { __VA_ARGS__ }), \
		NR(((const struct mem_attr[]) { __VA_ARGS__ })))

/* Reconciles lists, or fails the test and prints the conflicts. */
static inline struct mem_attrs *reconciled(struct mem_attrs *const *lists,
					   size_t nr)
{
	struct mem_attrs *result, *conflict = NULL;
	char text[4096];
	int err;

	err = mem_attrs_reconcile(lists, nr, &result, &conflict);
	if (conflict) {
		mem_attrs_dump(conflict, text, sizeof(text));
		fail_msg("%s", text);
	}
	assert_int_equal(err, 0);
	return result;
}

/* Returns the value of a key, which must have @len bytes. */
static inline const void *value_of(const struct mem_attrs *list, uint32_t key,
				   size_t len)
{
	struct mem_attr attr = { .key = key };

	assert_int_equal(mem_attrs_get(list, 0, &attr, 1), 0);
	if (attr.len != len)
		fail_msg("%s has %d bytes", mem_attr_name(key), (int)attr.len);
	return attr.value;
}

#define u8_of(list, of) \
	(*(const uint8_t *)value_of(list, MEM_ATTR_##of, 1))
#define u32_of(list, of) \
	(*(const uint32_t *)value_of(list, MEM_ATTR_##of, 4))
#define u64_of(list, of) \
	(*(const uint64_t *)value_of(list, MEM_ATTR_##of, 8))

/* Returns true if a list has a key. */
static inline bool is_set(const struct mem_attrs *list, uint32_t key)
{
	struct mem_attr attr = { .key = key };

	assert_int_equal(mem_attrs_get(list, 0, &attr, 1), 0);
	return attr.value;
}

/* Checks that the lists conflict; the caller frees the returned text. */
static inline char *conflict_of(struct mem_attrs *const *lists, size_t nr)
{
	struct mem_attrs *result = UNTOUCHED, *conflict = NULL;
	static char text[65536];

	assert_int_equal(mem_attrs_reconcile(lists, nr, &result, &conflict),
			 -EADV);
	assert_ptr_equal(result, UNTOUCHED);
	assert_int_equal(mem_attrs_state(conflict), MEM_ATTRS_CONFLICT);
	assert_true(mem_attrs_dump(conflict, text, sizeof(text)) <
		    (int)sizeof(text));
	mem_attrs_destroy(conflict);
	return text;
}

static inline void has_line(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no \"%s\" in:\n%s", line, text);
}

static inline void destroy_all(struct mem_attrs **lists, size_t nr)
{
	while (nr--)
		mem_attrs_destroy(lists[nr]);
}

#endif
