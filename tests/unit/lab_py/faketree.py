# SPDX-License-Identifier: GPL-2.0
"""A small module, a small kernel and the plan of a series of three patches, for the tests."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MODULE = {
    "pghot.h": "#ifndef PGHOT_H\n#define PGHOT_H\nint pghot_record(void);\n#endif /* PGHOT_H */\n",
    "main.c": '#include <linux/module.h>\n\n#include "pghot.h"\n#include "sources/all.h"\n',
    "wrapper/folio.c": (
        '#include "wrapper/functions.h"\n\n'
        "int pghot_move(struct list_head *list)\n{\n"
        "\treturn static_call(pghot_migrate_pages)(list);\n}\n"
    ),
    "wrapper/symbols.c": "/* By name. */\n",
    "sources/all.c": "/* The module's. */\n",
    "sources/all.h": "PGHOT_DECLARE_SOURCE(faults);\nPGHOT_DECLARE_SOURCE(perf);\n",
    "sources/faults.c": "/* Hint faults. */\n",
    "sources/perf/perf.c": "/* Counters. */\n",
}
INTREE = {
    "async.c": "/* First. */\n",
    "pghot.rst": "Pghot\n=====\n",
    "functions.h": "#include <linux/migrate.h>\n",
    "probe.c": "/* Probes. */\n",
    "probe.h": "/* Their types. */\n",
    "all.c": (
        "static struct pghot_source *const all[] = {\n"
        "\t&pghot_faults_source,\n"
        "\tIS_ENABLED(CONFIG_PGHOT_PERF) ? &pghot_perf_source : NULL,\n};\n"
    ),
    "Kconfig": (
        "# SPDX-License-Identifier: GPL-2.0-only\n\n"
        'config PGHOT\n\tbool "Promotion"\n\n'
        'config PGHOT_PERF\n\tbool "Counters"\n\tdepends on PGHOT\n'
    ),
    "letter.txt": "Look:\n\n@TABLE@\n\n@AGAINST@\n",
    "series.toml": """\
[series]
title = "mm: promotion"
never = ["wrapper/symbols.c"]
[[patch]]
title = "mm: promote later"
files = ["async.c", "wrapper/f*"]
changes = ["hook"]
option = "PGHOT"
message = "Why."
[[patch]]
title = "mm/pghot: record"
files = ["-async.c", "pghot.h", "main.c", "wrapper/probe.*", "sources/all.*", "sources/faults.c"]
sources = ["faults"]
message = "What for."
[[patch]]
title = "mm/pghot: count"
files = ["sources/perf/*", "pghot.rst"]
changes = ["docs"]
option = "PGHOT_PERF"
sources = ["perf"]
message = "How."
""",
    "tree/hook.patch": (
        "--- /dev/null\n+++ b/include/linux/pghot_hooks.h\n@@ -0,0 +1 @@\n+/* Hooks. */\n"
        "--- a/mm/memory.c\n+++ b/mm/memory.c\n@@ -1,3 +1,4 @@\n one\n+hook\n two\n three\n"
    ),
    "tree/docs.patch": (
        "--- a/MAINTAINERS\n+++ b/MAINTAINERS\n@@ -1,2 +1,3 @@\n A\n+M:\t@AUTHOR@\n Z\n"
    ),
    "changes/main.patch": (
        "--- a/mm/pghot/main.c\n+++ b/mm/pghot/main.c\n@@ -1,4 +1,4 @@\n"
        "-#include <linux/module.h>\n+#include <linux/init.h>\n"
        ' #include <linux/pghot.h>\n \n #include "sources/all.h"\n'
    ),
}
KERNEL = {"mm/memory.c": "one\ntwo\nthree\n", "MAINTAINERS": "A\nZ\n"}


@dataclass(frozen=True)
class Fake:
    """The folders of a fake."""

    module: Path
    intree: Path
    kernel: Path
    repo: Path

    def original(self, name: str) -> str | None:
        """As Tree.original()."""
        file = self.kernel / name
        return file.read_text() if file.exists() else None


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Files by name, in a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def make(folder: Path, **other: str) -> Fake:
    """A fake in a folder. other: files of intree/ that are others, "/" and "." as "_"."""
    named = {name: name.replace("/", "_").replace(".", "_") for name in INTREE}
    intree = {name: other.get(named[name], INTREE[name]) for name in INTREE}
    return Fake(
        write(folder / "kernel", MODULE),
        write(folder / "intree", intree),
        write(folder / "linux", KERNEL),
        folder / "git",
    )
