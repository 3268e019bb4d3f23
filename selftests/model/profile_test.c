// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests that the boards have the properties of reference/semantics.md (device
 * facts per profile), and that a contradictory description is refused with a
 * reason.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <profile.h>

#define HAS_REGISTER	(1U << 0)
#define HAS_CMA		(1U << 1)
#define HAS_PAGEABLE	(1U << 2)
#define HAS_ATOMICS	(1U << 3)
#define HAS_IPC		(1U << 4)
#define IS_COHERENT	(1U << 5)
#define IS_FULL		(1U << 6)
#define HAS_SURFACES	(1U << 7)

#define XAVIER	(HAS_REGISTER | HAS_ATOMICS | IS_COHERENT)
#define THOR	(XAVIER | HAS_CMA | HAS_PAGEABLE | HAS_IPC | IS_FULL | \
		 HAS_SURFACES)

/** struct fact - a column of the table of device facts */
struct fact {
	const char *name;
	u32 capability;
	u32 nr_sms;
	u32 cores_per_sm;
	u32 gpu_mhz;
	u32 gpu_l2_len;
	u32 dram_bus_bits;
	u32 dram_mbps;
	u32 nr_cpus;
	u32 flags;
	u32 l1d_kib;
	u32 l2_kib;
	u32 nr_l2;
	u32 l3_mib;
	u32 system_cache_mib;
};

static const struct fact facts[] = {
	{ "nano", 53, 1, 128, 922, 262144, 64, 25600, 4, 0,
	  32, 2048, 1, 0, 0 },
	{ "tx2", 62, 2, 128, 1300, 524288, 128, 59700, 6, 0,
	  32, 2048, 2, 0, 0 },
	{ "drive-px2", 62, 2, 128, 1300, 524288, 128, 59700, 6, 0,
	  32, 2048, 2, 0, 0 },
	{ "xavier", 72, 8, 64, 1377, 524288, 256, 136500, 8, XAVIER,
	  64, 2048, 4, 4, 0 },
	{ "orin", 87, 16, 128, 1300, 4194304, 256, 204800, 12, XAVIER,
	  64, 256, 12, 6, 4 },
	{ "orin-nano", 87, 8, 128, 625, 2097152, 128, 68000, 6, XAVIER,
	  64, 256, 6, 4, 0 },
	{ "thor", 110, 20, 128, 1575, 33554432, 256, 273000, 14, THOR,
	  64, 1024, 14, 16, 0 },
};

static u32 flags_of(const struct profile *p)
{
	return (p->has_host_register ? HAS_REGISTER : 0) |
	       (p->has_concurrent_access ? HAS_CMA : 0) |
	       (p->has_pageable_access ? HAS_PAGEABLE : 0) |
	       (p->has_system_atomics ? HAS_ATOMICS : 0) |
	       (p->has_memory_ipc ? HAS_IPC : 0) |
	       (p->is_io_coherent ? IS_COHERENT : 0) |
	       (p->is_fully_coherent ? IS_FULL : 0) |
	       (p->has_surface_export ? HAS_SURFACES : 0);
}

static void every_profile_is_valid(void **state)
{
	const char *why;
	size_t i;

	(void)state;
	assert_int_equal(profile_count(), 9);
	for (i = 0; i < profile_count(); i++) {
		assert_int_equal(profile_validate(profile_at(i), &why), 0);
		assert_null(why);
	}
	assert_null(profile_at(profile_count()));
	assert_null(profile_at(SIZE_MAX));
}

static void every_name_finds_its_profile(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < profile_count(); i++) {
		const struct profile *p = profile_at(i);

		assert_ptr_equal(profile_find(p->name), p);
		assert_in_range(strlen(p->name), 1, 31);
		assert_true(strlen(p->description) > 0);
	}
}

static void unknown_names_find_nothing(void **state)
{
	static const char * const names[] = {
		"", "tx", "tx22", "TX2", " tx2", "orin-", "jetson", "generic",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_null(profile_find(names[i]));
}

static void boards_have_the_facts_of_their_data_sheets(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const struct fact *fact = &facts[i];
		const struct profile *p = profile_find(fact->name);

		assert_non_null(p);
		assert_int_equal(p->capability, fact->capability);
		assert_int_equal(p->nr_sms, fact->nr_sms);
		assert_int_equal(p->cores_per_sm, fact->cores_per_sm);
		assert_int_equal(p->gpu_mhz, fact->gpu_mhz);
		assert_int_equal(p->gpu_l2_len, fact->gpu_l2_len);
		assert_int_equal(p->dram_bus_bits, fact->dram_bus_bits);
		assert_int_equal(p->dram_mbps, fact->dram_mbps);
		assert_int_equal(p->nr_cpus, fact->nr_cpus);
		assert_int_equal(p->l1d_len, fact->l1d_kib << 10);
		assert_int_equal(p->l2_len, fact->l2_kib << 10);
		assert_int_equal(p->nr_l2, fact->nr_l2);
		assert_int_equal(p->l3_len, fact->l3_mib << 20);
		assert_int_equal(p->system_cache_len,
				 fact->system_cache_mib << 20);
		assert_int_equal(p->line_size, 64);
		assert_int_equal(flags_of(p), fact->flags);
	}
}

/* Apart from the discrete GPU, a DRIVE PX 2 equals a TX2. */
static void one_board_has_a_discrete_gpu(void **state)
{
	const struct profile_dgpu *dgpu = &profile_find("drive-px2")->dgpu;
	size_t i;

	(void)state;
	assert_int_equal(dgpu->capability, 61);
	assert_int_equal(dgpu->nr_sms, 10);
	assert_int_equal(dgpu->cores_per_sm, 128);
	assert_int_equal(dgpu->mhz, 1250);
	assert_int_equal(dgpu->l2_len, 1 << 20);
	assert_int_equal(dgpu->bus_bits, 128);
	assert_int_equal(dgpu->mbps, 80000);
	assert_int_equal(dgpu->len, 4ULL << 30);
	for (i = 0; i < profile_count(); i++)
		if (&profile_at(i)->dgpu != dgpu)
			assert_int_equal(profile_at(i)->dgpu.capability, 0);
}

static void generic_boards_differ_in_io_coherency(void **state)
{
	const struct profile *coherent = profile_find("generic-coherent");
	const struct profile *other = profile_find("generic-noncoherent");

	(void)state;
	assert_non_null(coherent);
	assert_non_null(other);
	assert_int_equal(flags_of(coherent), IS_COHERENT);
	assert_int_equal(flags_of(other), 0);
	assert_int_equal(coherent->capability, 0);
	assert_int_equal(other->capability, 0);
}

static void refused(const struct profile *p)
{
	const char *why = NULL;

	assert_int_equal(profile_validate(p, &why), -EINVAL);
	assert_non_null(why);
	assert_true(strlen(why) > 0);
}

#define REFUSED(soc, field, value) do {				\
	struct profile wrong = *profile_find(soc);		\
								\
	wrong.field = (value);					\
	refused(&wrong);					\
} while (0)

static void missing_facts_are_refused(void **state)
{
	(void)state;
	REFUSED("orin", name, NULL);
	REFUSED("orin", name, "");
	REFUSED("orin", name, "a-name-that-has-thirty-two-bytes");
	REFUSED("orin", description, NULL);
	REFUSED("orin", nr_cpus, 0);
	REFUSED("orin", cpu_mhz, 0);
	REFUSED("orin", l1d_len, 0);
	REFUSED("orin", l2_len, 0);
	REFUSED("orin", nr_l2, 0);
	REFUSED("orin", nr_l2, 13);
	REFUSED("orin", dram_bus_bits, 0);
	REFUSED("orin", dram_mbps, 0);
	REFUSED("orin", dram_len, 0);
	REFUSED("orin", nr_sms, 0);
	REFUSED("orin", cores_per_sm, 0);
	REFUSED("orin", gpu_mhz, 0);
	REFUSED("orin", gpu_l2_len, 0);
	REFUSED("drive-px2", dgpu.nr_sms, 0);
	REFUSED("drive-px2", dgpu.cores_per_sm, 0);
	REFUSED("drive-px2", dgpu.mhz, 0);
	REFUSED("drive-px2", dgpu.l2_len, 0);
	REFUSED("drive-px2", dgpu.bus_bits, 0);
	REFUSED("drive-px2", dgpu.mbps, 0);
	REFUSED("drive-px2", dgpu.len, 0);
}

static void only_three_line_sizes_are_taken(void **state)
{
	struct profile p = *profile_find("tx2");
	const char *why;

	(void)state;
	for (p.line_size = 0; p.line_size <= 256; p.line_size++) {
		if (p.line_size == 32 || p.line_size == 64 ||
		    p.line_size == 128)
			assert_int_equal(profile_validate(&p, &why), 0);
		else
			refused(&p);
	}
}

static void contradictions_are_refused(void **state)
{
	(void)state;
	REFUSED("thor", is_io_coherent, false);
	REFUSED("thor", is_fully_coherent, false);
	REFUSED("thor", has_concurrent_access, false);
	REFUSED("orin", is_io_coherent, false);
	REFUSED("orin", capability, 0);
	REFUSED("orin", has_pageable_access, true);
	REFUSED("orin", has_concurrent_access, true);
	REFUSED("tx2", has_host_register, true);
	REFUSED("tx2", has_system_atomics, true);
	REFUSED("tx2", is_fully_coherent, true);
	REFUSED("generic-coherent", nr_sms, 1);
	REFUSED("drive-px2", dgpu.capability, 0);
	REFUSED("tx2", dgpu.capability, 61);
	REFUSED("tx2", dgpu.len, 1);
	REFUSED("generic-coherent", dgpu, profile_find("drive-px2")->dgpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_profile_is_valid),
		cmocka_unit_test(every_name_finds_its_profile),
		cmocka_unit_test(unknown_names_find_nothing),
		cmocka_unit_test(boards_have_the_facts_of_their_data_sheets),
		cmocka_unit_test(one_board_has_a_discrete_gpu),
		cmocka_unit_test(generic_boards_differ_in_io_coherency),
		cmocka_unit_test(missing_facts_are_refused),
		cmocka_unit_test(only_three_line_sizes_are_taken),
		cmocka_unit_test(contradictions_are_refused),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
