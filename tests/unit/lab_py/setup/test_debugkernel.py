# SPDX-License-Identifier: GPL-2.0
"""The debug kernel's configuration: what is wanted, and what a kernel made of it."""

from pghotlab.base import paths
from pghotlab.setup.debugkernel import missed, options

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


def test_shipped_configuration_asks_for_the_checkers() -> None:
    wanted = options(paths.DEBUG_CONFIG.read_text())
    for name in ("KASAN", "PROVE_LOCKING", "DEBUG_KMEMLEAK", "DEBUG_VM", "DEBUG_LIST"):
        assert wanted[f"CONFIG_{name}"] == "y"
    assert wanted["CONFIG_DEBUG_ATOMIC_SLEEP"] == "y"
