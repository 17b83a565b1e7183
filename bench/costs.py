# SPDX-License-Identifier: GPL-2.0
"""What pghot costs, in guest instructions, counted exactly: `make bench-costs`.

One guest, no workload: a test module records pages. A recorded access includes reading
the clock for it; other figures are the difference of two regions that do the same but
for the thing in question. The cost of a page from its detection to its promotion,
pghot's and the stock kernel's, comes from the demo's runs.
"""

import sys
from typing import Any

import recording
from pghotlab.base.errors import LabError
from recording import PAGES, per_page

WAKES = 20
IDLE_SECONDS = 10

# Of recorded_rounds, what is reported.
ROUNDS = ("record_first", "record_again", "record_ready")

# Regions in the order in which the guest makes them.
REGIONS = (
    *recording.ROUNDS,
    "no_promote",
    "promote",
    "no_wake",
    "wake",
    "idle_with",
    "idle_without",
)

STEPS = f"""
hold 1 64
mark arm
sleep 2
load_pghot freq_threshold=3
recorded_rounds
sleep 2
set_value $PGHOT/freq_threshold 1

# promoted ROUNDS: a region in which so many pages are recorded, and promoted
promoted()
{{
	mark begin
	record nr_pages={PAGES} rounds="$1"
	sleep 1
	mark end
}}
promoted 0
promoted 1
cat $PGHOT/stats/promoted | report promoted

# woken: a region in which one page is recorded at a time, and promoted if that is heard
woken()
{{
	mark begin
	record nr_pages={WAKES} pause_ms=100
	mark end
}}
set_value $PGHOT/enabled_sources 0
woken
set_value $PGHOT/enabled_sources 2
cat $PGHOT/stats/passes | report passes.before
woken
cat $PGHOT/stats/passes | report passes.after

# idle: a region of nothing, when what was before has died away
idle()
{{
	sleep 30
	mark begin
	sleep {IDLE_SECONDS}
	mark end
}}
idle
cat $PGHOT/stats/passes | report passes.idle
rmmod pghot
idle
"""


def per_promoted_page() -> dict[str, float]:
    """Kernel instructions a page costs from detection to promotion, by policy, from the demo."""
    rows = recording.kept_rows("demo/summary.json", "demo")
    base = {row["seed"]: row["kernel_instructions"] for row in rows if row["policy"] == "numab0"}
    costs: dict[str, list[float]] = {}
    for row in rows:
        if row["pages_promoted"] and row["seed"] in base:
            cost = (row["kernel_instructions"] - base[row["seed"]]) / row["pages_promoted"]
            costs.setdefault(row["policy"], []).append(cost)
    return {policy: sum(values) / len(values) for policy, values in costs.items()}


def measure() -> dict[str, float]:
    """Boot the guest and take the differences."""
    guest, cost = recording.measure(STEPS, REGIONS, "costs")
    passes = {
        when: int(guest.report.text(f"passes.{when}")) for when in ("before", "after", "idle")
    }
    promoted = int(guest.report.text("promoted"))
    if promoted != 2 * PAGES or passes["after"] - passes["before"] != WAKES:
        raise LabError(f"{guest.folder}: promoted {promoted} pages, passes {passes}")
    one = (cost["wake"] - cost["no_wake"]) / WAKES
    return {
        **{name: per_page(cost, name) for name in ROUNDS},
        "promote_page": per_page(cost, "promote", "no_promote"),
        "pass_of_one_page": one,
        "idle_passes": passes["idle"] - passes["after"],
        "idle_with_pghot": cost["idle_with"],
        "idle_without_pghot": cost["idle_without"],
    }


ROWS = (
    ("record_first", "recording an access: first to a page"),
    ("record_again", "recording an access: again, in the window"),
    ("record_ready", "recording an access that makes a page ready"),
    ("promote_page", "promoting a page, in a bulk of 4096, recording included"),
    ("pass_of_one_page", "a pass of kmigrated for a single page: wake-up, pass, promotion"),
    ("idle_passes", "passes of kmigrated in 10 s with nothing ready"),
    ("idle_with_pghot", "kernel instructions in 10 idle seconds, pghot loaded"),
    ("idle_without_pghot", "kernel instructions in the 10 s after its unload"),
)


def main() -> int:
    """Measure, print the table, and write costs.json."""
    try:
        costs: dict[str, Any] = measure() | {"per_promoted_page": per_promoted_page()}
    except LabError as error:
        print(f"costs: {error}", file=sys.stderr)
        return 1
    for key, text in ROWS:
        print(f"{costs[key]:>14,.0f}  {text}")
    for policy, cost in costs["per_promoted_page"].items():
        print(f"{cost:>14,.0f}  a promoted page from detection on, {policy} (demo)")
    recording.keep("costs", costs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
