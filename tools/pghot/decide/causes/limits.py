# SPDX-License-Identifier: GPL-2.0
"""Causes that show in how fast counters grow: limits that are met, and pages that come and go."""

from collections.abc import Iterator

from pghot.decide.finding import WARNING, Finding
from pghot.decide.sources import COUNTERS
from pghot.decide.view import KERNEL_DEMOTIONS, PAGE, View

MIB = 1 << 20
# Pages, or MiB a second, from which on something is no chance.
SOME_PAGES = 64
SOME_MBPS = 1.0
# More than one of so many promotions is undone: the module's own bar rises from there on, too.
BOUNCE_SHARE = 8


def _mbps(view: View, pages: int) -> float:
    return view.per_second(pages * PAGE / MIB)


def swap_thrash(view: View) -> Iterator[Finding]:
    """Pages are written to swap, and read again, while pghot promotes."""
    written, read = view.kernel_grew("pswpout"), view.kernel_grew("pswpin")
    if view.module and min(written, read) > SOME_PAGES:
        yield Finding(
            "swap-thrash",
            WARNING,
            f"Pages are written to swap ({_mbps(view, written):.0f} MiB/s) and read again "
            f"({_mbps(view, read):.0f} MiB/s): fast and slow memory together are too small for "
            "what runs here.",
            ["free -m", "sudo pghot set promote_rate_limit_MBps=64    # while that is so"],
        )


def rate_limit(view: View) -> Iterator[Finding]:
    """The rate limit holds hot pages back."""
    refused = view.grew("refused_rate")
    if view.module and refused >= SOME_PAGES:
        limit = view.module.tunables.get("promote_rate_limit_MBps", 0)
        yield Finding(
            "rate-limit",
            WARNING,
            f"{refused} hot pages had to wait within {view.seconds:.0f} s, because "
            f"promote_rate_limit_MBps is {limit}.",
            [f"sudo pghot set promote_rate_limit_MBps={min(2 * limit, 1 << 20)}"],
        )


def ping_pong(view: View) -> Iterator[Finding]:
    """Pages go down and come up again."""
    promoted, bounced = view.grew("promoted"), view.grew("bounced")
    by_kernel = view.kernel_grew(*KERNEL_DEMOTIONS) - view.grew("demoted")
    if bounced * BOUNCE_SHARE > promoted and bounced >= SOME_PAGES:
        yield Finding(
            "ping-pong",
            WARNING,
            f"{bounced} pages were promoted again within 2 s after their demotion, and {promoted} "
            "promoted in all: more memory is hot than fast nodes hold. pghot moves less by itself.",
            ["pghot status    # the hot set against the size of fast memory"],
        )
    elif (
        min(promoted, by_kernel) >= SOME_PAGES
        and by_kernel * 2 > promoted
        and _mbps(view, by_kernel) >= SOME_MBPS
    ):
        yield Finding(
            "ping-pong-kernel",
            WARNING,
            f"The kernel demotes {_mbps(view, by_kernel):.0f} MiB/s while pghot promotes "
            f"{_mbps(view, promoted):.0f} MiB/s: more memory is hot than fast nodes hold.",
            [
                "sudo pghot set policy=auto    # weighs whether moves pay",
                "sudo pghot set promote_rate_limit_MBps=64    # or a limit",
            ],
        )


def cpu_share(view: View) -> Iterator[Finding]:
    """Cgroups have used their share of the CPU time for promotion."""
    refused = view.grew("refused_share")
    if view.module and refused >= SOME_PAGES:
        percent = view.module.tunables.get("promote_cpu_percent", 0)
        yield Finding(
            "cpu-share",
            WARNING,
            f"Hot pages had to wait {refused} times within {view.seconds:.0f} s, because their "
            f"cgroup has used its share of promote_cpu_percent={percent}.",
            [f"sudo pghot set promote_cpu_percent={min(100, 2 * percent)}"],
        )


def cgroup_limits(view: View) -> Iterator[Finding]:
    """Cgroups have used up their limits."""
    refused = view.grew("refused_cgroup")
    if refused >= SOME_PAGES:
        yield Finding(
            "cgroup-limit",
            WARNING,
            f"Hot pages were refused {refused} times within {view.seconds:.0f} s, because of the "
            "limits of their cgroups.",
            [
                "sudo cat /sys/kernel/mm/pghot/cgroups",
                'echo "/GROUP max" | sudo tee /sys/kernel/mm/pghot/cgroups    # forget a limit',
            ],
        )


def full(view: View) -> Iterator[Finding]:
    """Fast nodes are full, and nothing makes room, though demotion is on."""
    if view.now.kernel.demotion_enabled and view.grew("refused_full") > view.grew("promoted"):
        yield Finding(
            "no-room",
            WARNING,
            "Fast nodes are full, and hot pages wait for room. Slow nodes may be full as well, or "
            "all fast memory is in use.",
            ["pghot status", "sudo pghot set policy=auto    # demotes idle pages itself"],
        )


def hint_faults_alone(view: View) -> Iterator[Finding]:
    """Hint faults come too seldom for the threshold."""
    module = view.module
    if not module or module.policy == "auto" or not module.is_on("hintfaults"):
        return
    others = [name for name in COUNTERS if name != "hintfaults" and view.grew(COUNTERS[name])]
    recorded, ready = view.grew("recorded_hintfaults"), view.grew("made_ready")
    threshold = module.tunables.get("freq_threshold", 1)
    if threshold > 1 and recorded >= SOME_PAGES and ready * 4 < recorded and not others:
        yield Finding(
            "threshold-too-high",
            WARNING,
            f"Hint faults alone reach freq_threshold={threshold} seldom: {recorded} accesses were "
            f"recorded within {view.seconds:.0f} s, and {ready} pages became ready.",
            ["sudo pghot set freq_threshold=1"],
        )
