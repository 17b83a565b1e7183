# SPDX-License-Identifier: GPL-2.0
"""One sentence about what pghot does on this machine at this moment."""

from pghot.decide.view import PAGE, View
from pghot.read.root import format_list

MIB = 1 << 20


def verdict(view: View) -> str:
    """The sentence. It tells of what matters most, from what keeps pghot from working on."""
    module = view.module
    if not module:
        installed = any(one.kernel == view.now.kernel.release for one in view.now.installed)
        return (
            "pghot is installed and not loaded: `sudo pghot load` loads it."
            if installed
            else "pghot is not installed for the kernel that runs: see `pghot doctor`."
        )
    if not module.slow_nodes:
        return "pghot has nothing to do: all memory is in one tier."
    if not any(source.on for source in module.sources):
        return "pghot finds nothing, because no source is on."
    promoted, demoted = view.grew("promoted"), view.grew("demoted")
    slow = format_list(module.slow_nodes)
    if promoted:
        rate = view.per_second(promoted * PAGE / MIB)
        room = ", and demotes idle ones to make room" if demoted else ""
        return f"pghot promotes {rate:.1f} MiB/s from node {slow}{room}."
    if view.grew("refused_full"):
        return "Hot pages wait on slow nodes, because fast nodes are full."
    if module.policy != "auto" or not module.state:
        return f"pghot watches node {slow} and finds no page to promote at this moment."
    verdicts = {kind.verdict for kind in module.state.kinds}
    if verdicts & {"promote", "swap"}:
        return "All hot pages that pghot has found are on fast nodes."
    reasons = [kind.reason for kind in module.state.kinds if kind.verdict == "quiet"]
    if reasons:
        return f"pghot moves nothing at this moment: {reasons[0]}."
    return f"pghot looks at node {slow} and has found too few pages in use to decide."
