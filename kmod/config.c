// SPDX-License-Identifier: GPL-2.0-only
/* Parameters of the module. */
#define pr_fmt(fmt) "heapsim: " fmt

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>

#include "heapsim.h"

struct heapsim_config heapsim_config;

/*
 * Programs read these texts, too: after the colon follows the list of values.
 */
static char *soc = "generic-noncoherent";
module_param(soc, charp, 0444);
MODULE_PARM_DESC(soc, "The board: nano, tx2, drive-px2, xavier, orin, orin-nano, thor, generic-coherent, generic-noncoherent (default)");

static char *policy = "strict";
module_param(policy, charp, 0444);
MODULE_PARM_DESC(policy, "Policy of buffers: strict (default), record, off");

static char *evict = "none";
module_param(evict, charp, 0444);
MODULE_PARM_DESC(evict, "Eviction of lines: none (default), random");

static unsigned long long seed;
module_param(seed, ullong, 0444);
MODULE_PARM_DESC(seed, "Seed of random eviction (default 0)");

static char *vmap_shows = "device";
module_param_named(vmap, vmap_shows, charp, 0444);
MODULE_PARM_DESC(vmap, "View of kernel mappings: device (default), cpu");

static unsigned int fill = SZ_64K;	/* largest page size */
module_param(fill, uint, 0444);
MODULE_PARM_DESC(fill, "Fill granule, bytes, a power of two (default 65536)");

static unsigned int pool_mb = 64;
module_param(pool_mb, uint, 0444);
MODULE_PARM_DESC(pool_mb, "Upper bound of each pool, MiB (default 64)");

static bool test_hooks;
module_param(test_hooks, bool, 0444);
MODULE_PARM_DESC(test_hooks, "Commands for tests, by which any user of the device can block others: 0 (default), 1");

static bool mem_accounting;
module_param(mem_accounting, bool, 0444);
MODULE_PARM_DESC(mem_accounting, "Charge buffers to memory cgroups, without pools: 0 (default), 1");

static int config_set_limit(const char *value, const struct kernel_param *param)
{
	unsigned int mb;

	if (kstrtouint(value, 0, &mb) || !mb) {
		pr_err("%s=%s: not a number of MiB above 0\n", param->name,
		       value);
		return -EINVAL;
	}
	*(unsigned int *)param->arg = mb;
	return 0;
}

static const struct kernel_param_ops config_limit_ops = {
	.set = config_set_limit,
	.get = param_get_uint,
};

/* 0 means not given; heapsim_config_init() sets the default. */
static unsigned int limit_mb;
__MODULE_PARM_TYPE(limit_mb, "uint");
module_param_cb(limit_mb, &config_limit_ops, &limit_mb, 0444);
MODULE_PARM_DESC(limit_mb, "Upper bound of all buffers and CPU views, MiB (default 3/4 of RAM)");

static unsigned int user_limit_mb;
__MODULE_PARM_TYPE(user_limit_mb, "uint");
module_param_cb(user_limit_mb, &config_limit_ops, &user_limit_mb, 0444);
MODULE_PARM_DESC(user_limit_mb, "Upper bound for one user, MiB (default limit_mb)");

static const char *const policies[] = {
	[HEAPSIM_POLICY_STRICT] = "strict",
	[HEAPSIM_POLICY_RECORD] = "record",
	[HEAPSIM_POLICY_OFF] = "off",
};

static const char *const evicts[] = { "none", "random" };
static const char *const vmaps[] = { "device", "cpu" };

/* Returns the index of @value in @words, or -EINVAL after an error message. */
static int config_find_word(const char *param, const char *value,
			    const char *const *words, size_t nr)
{
	char list[64] = "";
	size_t i, len = 0;

	for (i = 0; i < nr; i++) {
		if (!strcmp(value, words[i]))
			return i;
		len += scnprintf(list + len, sizeof(list) - len, "%s%s",
				 i ? ", " : "", words[i]);
	}
	pr_err("%s=%s: unknown value, valid ones are: %s\n", param, value,
	       list);
	return -EINVAL;
}

static int config_check_soc(void)
{
	char list[256] = "";
	const char *why;
	size_t i, len = 0;

	heapsim_config.profile = profile_find(soc);
	if (!heapsim_config.profile) {
		for (i = 0; i < profile_count(); i++)
			len += scnprintf(list + len, sizeof(list) - len,
					 "%s%s", i ? ", " : "",
					 profile_at(i)->name);
		pr_err("soc=%s: unknown board, valid ones are: %s\n", soc,
		       list);
		return -EINVAL;
	}
	if (profile_validate(heapsim_config.profile, &why)) {
		pr_err("soc=%s: invalid profile: %s\n", soc, why);
		return -EINVAL;
	}
	return 0;
}

static int config_check_words(struct heapsim_rule *rule)
{
	int ret;

	ret = config_find_word("policy", policy, policies,
			       ARRAY_SIZE(policies));
	if (ret < 0)
		return ret;
	rule->policy = ret;
	ret = config_find_word("evict", evict, evicts, ARRAY_SIZE(evicts));
	if (ret < 0)
		return ret;
	rule->evicts = ret;
	ret = config_find_word("vmap", vmap_shows, vmaps, ARRAY_SIZE(vmaps));
	if (ret < 0)
		return ret;
	heapsim_config.vmap_is_cpu = ret;
	return 0;
}

static int config_check_numbers(void)
{
	u64 ram_mb = (u64)totalram_pages() >> (20 - PAGE_SHIFT);

	if (!is_power_of_2(fill) || fill < PAGE_SIZE || fill > SZ_2M) {
		pr_err("fill=%u: not a power of two from %lu to %u\n", fill,
		       PAGE_SIZE, SZ_2M);
		return -EINVAL;
	}
	if (pool_mb > ram_mb) {
		pr_err("pool_mb=%u: more than the %llu MiB of RAM\n", pool_mb,
		       ram_mb);
		return -EINVAL;
	}
	if (!limit_mb)
		limit_mb = clamp_t(u64, ram_mb * 3 / 4, 1, UINT_MAX);
	if (!user_limit_mb)
		user_limit_mb = limit_mb;
	if (user_limit_mb > limit_mb) {
		pr_err("user_limit_mb=%u: more than limit_mb, which is %u\n",
		       user_limit_mb, limit_mb);
		return -EINVAL;
	}
	heapsim_config.has_test_hooks = test_hooks;
	heapsim_config.fill = fill;
	heapsim_config.pool_pages = (unsigned long)pool_mb <<
				    (20 - PAGE_SHIFT);
	heapsim_config.mem_accounting = mem_accounting;
	heapsim_config.limit = (u64)limit_mb << 20;
	heapsim_config.user_limit = (u64)user_limit_mb << 20;
	return 0;
}

/**
 * heapsim_config_init() - check the parameters and set heapsim_config
 * @rule: out: initial policy
 *
 * Return: 0, or -EINVAL after an error message that names the parameter.
 */
int heapsim_config_init(struct heapsim_rule *rule)
{
	int ret;

	*rule = (struct heapsim_rule) { .seed = seed };
	ret = config_check_soc();
	if (!ret)
		ret = config_check_words(rule);
	if (!ret)
		ret = config_check_numbers();
	return ret;
}
