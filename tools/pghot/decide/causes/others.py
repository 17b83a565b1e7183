# SPDX-License-Identifier: GPL-2.0
"""Causes that are other users of accessed bits, or others who move pages."""

from collections.abc import Iterator

from pghot.decide.finding import WARNING, Finding
from pghot.decide.view import View

SCANNERS = ("windows", "accessed", "mglru")
"""Sources that clear accessed bits."""


def damon(view: View) -> Iterator[Finding]:
    """DAMON is at work."""
    if view.module and view.now.kernel.damon:
        yield Finding(
            "damon",
            WARNING,
            f"DAMON is running ({', '.join(view.now.kernel.damon)}). It clears the accessed bits "
            "that pghot looks at, so each of them finds fewer accesses than alone.",
            [
                f"echo off | sudo tee {user}/state"
                if user.startswith("/")
                else f"echo N | sudo tee /sys/module/{user}/parameters/enabled"
                for user in view.now.kernel.damon
            ],
        )


def daemons(view: View) -> Iterator[Finding]:
    """Another program moves pages between tiers."""
    if view.module and view.now.kernel.daemons:
        names = view.now.kernel.daemons
        yield Finding(
            "other-daemon",
            WARNING,
            f"Another program that moves pages is running: {', '.join(names)}. The two may move "
            "the same pages back and forth.",
            [f"sudo systemctl stop {name}" for name in names],
        )


def several_scanners(view: View) -> Iterator[Finding]:
    """Several of pghot's own sources use the same bits."""
    on = [name for name in SCANNERS if view.module and view.module.is_on(name)]
    if len(on) > 1:
        yield Finding(
            "several-scanners",
            WARNING,
            f"These sources all clear accessed bits, and take finds from one another: "
            f"{', '.join(on)}.",
            ["sudo pghot set enabled_sources=512    # only windows"],
        )
