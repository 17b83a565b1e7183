# SPDX-License-Identifier: GPL-2.0
"""The configurations of the kernels that check themselves: wanted, and what a kernel made of it."""

from pghotlab.base import paths
from pghotlab.setup.debugkernel import KINDS, missed, options

CONFIG = """\
#
# Automatically generated file
CONFIG_SMP=y
CONFIG_HZ=250
CONFIG_LOCALVERSION="-x"
# CONFIG_KFENCE is not set
# CONFIG_OTHER is what a comment mentions
"""


def test_options() -> None:
    assert options(CONFIG) == {
        "CONFIG_SMP": "y",
        "CONFIG_HZ": "250",
        "CONFIG_LOCALVERSION": '"-x"',
        "CONFIG_KFENCE": "n",
    }


def test_every_wanted_option_is_looked_for() -> None:
    wanted = {"CONFIG_SMP": "y", "CONFIG_HZ": "1000", "CONFIG_KFENCE": "n", "CONFIG_GONE": "m"}
    assert missed(wanted, options(CONFIG)) == [
        "CONFIG_HZ is 250, not 1000",
        "CONFIG_GONE is n, not m",
    ]


def test_an_option_that_does_not_exist_is_off() -> None:
    assert missed({"CONFIG_GONE": "n"}, {}) == []


def test_debug_configuration_asks_for_the_checkers() -> None:
    wanted = options(KINDS["debug"].config())
    for name in ("KASAN", "PROVE_LOCKING", "DEBUG_KMEMLEAK", "DEBUG_VM", "DEBUG_LIST"):
        assert wanted[f"CONFIG_{name}"] == "y"
    assert wanted["CONFIG_DEBUG_ATOMIC_SLEEP"] == "y"


def test_race_configuration_is_the_same_but_for_its_checkers() -> None:
    debug, wanted = (options(KINDS[name].config()) for name in ("debug", "kcsan"))
    assert wanted["CONFIG_KCSAN"] == wanted["CONFIG_KCSAN_STRICT"] == "y"
    assert wanted["CONFIG_KASAN"] == wanted["CONFIG_PROVE_LOCKING"] == "n"
    assert wanted["CONFIG_LOCALVERSION"] != debug["CONFIG_LOCALVERSION"]
    changed = {name for name in debug if debug[name] != wanted[name]}
    assert all(wanted[name] == "n" for name in changed - {"CONFIG_LOCALVERSION"})


def test_newer_kernels_have_the_same_checkers() -> None:
    for old, new in (("debug", "debug-7.3"), ("kcsan", "kcsan-7.3")):
        wanted = [options(KINDS[name].config()) for name in (old, new)]
        changed = {name for name, value in wanted[1].items() if wanted[0].get(name) != value}
        assert changed == options((paths.LAB / "debug-7.3.config").read_text()).keys()


def test_every_kernel_has_folders_of_its_own() -> None:
    assert len({kind.tree for kind in KINDS.values()}) == len(KINDS)
