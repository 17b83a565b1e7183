# SPDX-License-Identifier: GPL-2.0
"""Files that depend on how far the series has come: Makefile, Kconfig, list of sources."""

import re
from collections.abc import Collection, Sequence

from pghotlab.series.plan import Patch, place

# What the options are below.
OPTION = "PGHOT"
SHARED = "PGHOT_PAGE_TABLES"
LONGEST = 100
_HEAD = """# SPDX-License-Identifier: GPL-2.0-only

obj-$(CONFIG_PGHOT) := pghot.o

# Headers are named by their place in this folder, also by the kernel's code for tracepoints.
ccflags-y += -I$(src)
ccflags-y += -D'pr_fmt(fmt)=KBUILD_MODNAME ": " fmt'
"""


def _objects(names: Collection[str]) -> list[str]:
    """Object files of C files, as mm/pghot/Makefile names them."""
    inside = [place(name).removeprefix("mm/pghot/") for name in names if name.endswith(".c")]
    return [re.sub(r"\.c$", ".o", name) for name in inside]


def _lines(variable: str, objects: Sequence[str]) -> list[str]:
    """One line for each folder, or more if they get too long."""
    lines: list[str] = []
    for name in objects:
        folder = name.rpartition("/")[0]
        longer = f"{lines[-1]} {name}" if lines else ""
        if longer and len(longer) <= LONGEST and lines[-1].split()[-1].startswith(f"{folder}/"):
            lines[-1] = longer
        else:
            lines.append(f"{variable} += {name}")
    return lines


def makefile(patches: Sequence[Patch]) -> str:
    """mm/pghot/Makefile after these patches."""
    gone = {name for patch in patches for name in patch.removes}
    groups: dict[str, list[str]] = {}
    for patch in patches:
        option = patch.option
        variable = "pghot-y" if option in ("", OPTION) else f"pghot-$(CONFIG_{option})"
        for name in _objects(set(patch.files) - gone):
            shared = f"pghot-$(CONFIG_{SHARED})" if name in patch.shared else variable
            groups.setdefault(shared, []).append(name)
    blocks = ["\n".join(_lines(name, sorted(groups[name]))) for name in groups]
    return "\n".join((_HEAD, *blocks, ""))


def kconfig(text: str, patches: Sequence[Patch]) -> str:
    """Those options of the whole Kconfig that these patches have added."""
    options = {patch.option for patch in patches}
    if any(patch.shared for patch in patches):
        options.add(SHARED)
    head, *blocks = re.split(r"^(?=config )", text, flags=re.MULTILINE)
    kept = [block.strip("\n") for block in blocks if block.split()[1] in options]
    return "\n\n".join((head.strip("\n"), *kept)) + "\n"


def source_list(text: str, patches: Sequence[Patch]) -> str:
    """A file that names all sources, without those that are still to come."""
    known = {name for patch in patches for name in patch.sources}
    lines = []
    for line in text.splitlines(keepends=True):
        name = re.search(r"&pghot_(\w+)_source|PGHOT_DECLARE_SOURCE\((\w+)\);", line)
        if not name or (name[1] or name[2]) in known:
            lines.append(line)
    return "".join(lines)
