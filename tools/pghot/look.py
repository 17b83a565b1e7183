# SPDX-License-Identifier: GPL-2.0
"""Looking at a machine twice, with some time in between."""

import time

from pghot.decide.view import View
from pghot.read.machine import read_machine
from pghot.verb import Context

# How often progress is shown.
TICK = 0.25


def wait(context: Context, seconds: float, what: str) -> None:
    """Let time pass, and say so on a terminal."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        context.progress.show(f"{what}: {left:.0f} s left")
        time.sleep(min(TICK, left))
    context.progress.done()


def watch(context: Context, seconds: float) -> View:
    """A machine now and after some seconds. Without pghot there is nothing to wait for."""
    before = read_machine(context.root)
    if not before.module or not seconds:
        return View(before, before)
    wait(context, seconds, "watching counters")
    return View(before, read_machine(context.root))
