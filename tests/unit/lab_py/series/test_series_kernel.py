# SPDX-License-Identifier: GPL-2.0
"""The configuration of the kernel that the series is built in."""

from pghotlab.base import paths
from pghotlab.series.kernel import KIND, options, wanted
from pghotlab.series.plan import load_series
from pghotlab.setup import debugkernel

KCONFIG = """\
config PGHOT
\tbool "Promotion"
\tdepends on NUMA

config PGHOT_SHARED
\tbool
\tdepends on PGHOT

config PGHOT_PERF
\tbool "Counters"
"""


def test_options_are_those_that_somebody_may_choose() -> None:
    assert options(KCONFIG) == ["PGHOT", "PGHOT_PERF"]
    assert options("") == []


def test_all_options_are_on_or_off() -> None:
    assert wanted("CONFIG_X=y\n", KCONFIG, on=True) == (
        "CONFIG_X=y\nCONFIG_PGHOT=y\nCONFIG_PGHOT_PERF=y\n"
    )
    assert wanted("", KCONFIG, on=False) == "CONFIG_PGHOT=n\nCONFIG_PGHOT_PERF=n\n"


def test_every_option_of_the_plan_is_built() -> None:
    known = set(options((paths.INTREE / "Kconfig").read_text()))
    assert {patch.option for patch in load_series().patches if patch.option} == known


def test_the_configuration_has_no_checkers() -> None:
    made = debugkernel.options(KIND.config())
    for name in ("KASAN", "PROVE_LOCKING", "DEBUG_KMEMLEAK", "DEBUG_VM", "DEBUG_OBJECTS"):
        assert made[f"CONFIG_{name}"] == "n"
    assert made["CONFIG_NUMA_BALANCING"] == made["CONFIG_LRU_GEN"] == "y"
    assert made["CONFIG_LOCALVERSION"] == '"-pghot-series"'
