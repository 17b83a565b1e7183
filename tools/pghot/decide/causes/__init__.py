# SPDX-License-Identifier: GPL-2.0
"""All causes that `pghot doctor` knows, by what they are about."""

from pghot.decide.causes import kernel, limits, loading, memory, options, others, tiers
from pghot.decide.finding import Cause, Finding
from pghot.decide.view import View

CAUSES: tuple[Cause, ...] = (
    loading.no_module,
    loading.not_loaded,
    loading.not_signed,
    loading.blacklisted,
    loading.not_at_boot,
    loading.other_version,
    tiers.one_tier,
    tiers.inverted,
    tiers.blind,
    tiers.sources_failed,
    kernel.tiering_mode,
    kernel.balancing_beside,
    kernel.demotion_off,
    kernel.mglru_walks,
    kernel.ftrace_off,
    kernel.live_patch,
    others.damon,
    others.daemons,
    others.several_scanners,
    memory.bound,
    memory.bound_by_policy,
    memory.hugetlb,
    memory.mlocked,
    memory.pinned,
    memory.records,
    memory.record_share,
    limits.swap_thrash,
    limits.rate_limit,
    limits.ping_pong,
    limits.cpu_share,
    limits.cgroup_limits,
    limits.full,
    limits.hint_faults_alone,
    options.ignored,
    options.differ,
    options.sysctls_differ,
)


def diagnose(view: View) -> list[Finding]:
    """What all of them find, in their order."""
    return [finding for cause in CAUSES for finding in cause(view)]
