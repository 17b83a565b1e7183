# SPDX-License-Identifier: GPL-2.0
"""The style checks of `make check`: each prints one line, what is wrong follows it."""

import contextlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from docs import build
from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.setup import fetch
from tests import layers

# checkpatch's advice for patches to the kernel that a tree of its own cannot follow.
CHECKPATCH_IGNORE = (
    "FILE_PATH_CHANGES",
    "LINUX_VERSION_CODE",
    "MACRO_ARG_REUSE",
    "NEW_TYPEDEFS",
    "PREFER_KERNEL_TYPES",
    "PREFER_DEFINED_ATTRIBUTE_MACRO",
    "SPLIT_STRING",
)
# On top of these for tracepoints, which the kernel lays out in a way of their own.
CHECKPATCH_IGNORE_TRACE = ("OPEN_ENDED_LINE", "PARENTHESIS_ALIGNMENT")
# On top of the first for programs: what only kernel code should do.
CHECKPATCH_IGNORE_USER = (
    "AVOID_EXTERNS",
    "BIT_MACRO",
    "CAMELCASE",
    "CONST_STRUCT",
    "CONSTANT_CONVERSION",
    "ENOSYS",
    "PREFER_FALLTHROUGH",
    "STRCPY",
    "VOLATILE",
)
# What it cannot be told of: a name of upstream's, for a tunable in MB/s.
# The folder that the kernel's macros read a header of tracepoints from. And in wrapper/ the version
# of the kernel, which it takes for a constant.
CHECKPATCH_KNOWN = re.compile(
    r"CAMELCASE: .*<\w+_MBps>$|/trace\.h:\d+: CHECK:SPACING: spaces preferred around that '/'"
    r"|kernel/wrapper/(aginghook|functions)\.h:\d+: WARNING:CONSTANT_COMPARISON"
)
# And for headers that stand in for the kernel's own: what these do, they have to do.
CHECKPATCH_IGNORE_STAND_IN = (
    "COMPLEX_MACRO",
    "EXPORT_SYMBOL",
    "MACRO_ARG_PRECEDENCE",
    "MACRO_ARG_UNUSED",
    "MEMORY_BARRIER",
)
SPDX = "SPDX-License-Identifier: GPL-2.0"
# An indirect branch in a disassembly, or a call of the thunk that stands for one.
INDIRECT = re.compile(r"\b(?:call|jmp)\w*\s+\*|__x86_indirect_thunk")
# The kernel's paravirt calls: it makes direct ones of them when it loads a module.
PATCHED = re.compile(r"R_X86_64_\w+\s+pv_ops\b")
# Functions that may branch indirectly, to what the kernel itself calls that way:
# css_put() is inline, and calls the release function of the last reference; the
# kernel's macros make of each tracepoint a function that calls all who listen to it. And the
# functions that call what a source, a tunable, a text file or a move of folios of pghot itself
# describes: the compiler marks functions whose address it takes as targets, and nobody seals them.
ALLOWED = re.compile(
    r"pghot_memcg_put(?:_cgroup)?|__traceiter_pghot_\w+"
    r"|limit_by_cgroup|stop_all|pghot_sources_(?:set|set_wanted|forget)|sources_apply"
    r"|pghot_tunable_set|door_(?:show|store)|alloc_dst"
)


def tree_files() -> list[Path]:
    """All files that are committed or would be."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    files = [paths.ROOT / name for name in listed.split("\0") if name]
    return sorted(path for path in files if path.is_file())


def is_shell(path: Path) -> bool:
    """Whether a file is a shell script, by its name or first line."""
    if path.suffix == ".sh":
        return True
    if path.suffix:
        return False
    with path.open("rb") as file:
        return re.match(rb"#!\s*/bin/(?:ba)?sh\b", file.readline()) is not None


def run(command: Sequence[str | Path], folder: Path = paths.ROOT) -> str:
    """What a checker said when it was not content."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return (done.stdout.strip() or f"exit status {done.returncode}") if done.returncode else ""


def tool(name: str) -> Path:
    """A program of the Python environment."""
    return Path(sys.executable).parent / name


def missing_spdx(text: str) -> bool:
    """Whether a file lacks the licence line: its first, or the second after `#!`."""
    lines = text.splitlines()[:2]
    if lines and lines[0].startswith("#!"):
        lines = lines[1:]
    return not lines or SPDX not in lines[0]


def check_spdx() -> str:
    """Every source file says its licence first."""
    wrong = [
        f"{path.relative_to(paths.ROOT)}:1: no SPDX line"
        for path in tree_files()
        if (path.suffix in (".c", ".h", ".java", ".toml") or is_shell(path) or is_python(path))
        and missing_spdx(path.read_text())
    ]
    return "\n".join(wrong)


def check_ruff_format() -> str:
    """Python layout."""
    return run([tool("ruff"), "format", "--check", "--diff", "--quiet", "."])


def check_ruff() -> str:
    """Python lint."""
    return run([tool("ruff"), "check", "--quiet", "."])


def check_mypy() -> str:
    """Python types, strictly."""
    return run([tool("mypy"), "--no-error-summary", *python_files()])


def is_python(path: Path) -> bool:
    """Whether a file is Python, by its name or first line."""
    if path.suffix:
        return path.suffix == ".py"
    with path.open("rb") as file:
        return re.match(rb"#!\s*/usr/bin/env python3\b", file.readline()) is not None


def python_files() -> list[Path]:
    """All Python files."""
    return list(filter(is_python, tree_files()))


def check_shellcheck() -> str:
    """Shell scripts."""
    return run(["shellcheck", *filter(is_shell, tree_files())])


def _checkpatch(files: Sequence[Path], ignore: Sequence[str]) -> str:
    if not files:
        return ""
    script = fetch.fetch_checkpatch()
    options = ("--no-tree", "--root", ".", "--terse", "--strict", "--show-types", "--no-summary")
    limits = ("--max-line-length=100", "--ignore", ",".join(ignore))
    # It looks for a kernel's headers, and leaves a file, where it runs.
    (paths.CHECKPATCH / "include").mkdir(exist_ok=True)
    said = run(["perl", script, *options, *limits, "-f", *files], paths.CHECKPATCH)
    said = said.replace(f"{paths.ROOT}/", "")
    return "\n".join(line for line in said.splitlines() if not CHECKPATCH_KNOWN.search(line))


def c_files(*, kernel: bool) -> list[Path]:
    """C files, of the kernel module or of programs."""
    return [
        path
        for path in tree_files()
        if path.suffix in (".c", ".h") and path.is_relative_to(paths.ROOT / "kernel") == kernel
    ]


def check_checkpatch() -> str:
    """Kernel style of the module."""
    traces = [path for path in c_files(kernel=True) if path.name == "trace.h"]
    others = [path for path in c_files(kernel=True) if path not in traces]
    found = (
        _checkpatch(others, CHECKPATCH_IGNORE),
        _checkpatch(traces, CHECKPATCH_IGNORE + CHECKPATCH_IGNORE_TRACE),
    )
    return "\n".join(filter(None, found))


def check_checkpatch_user() -> str:
    """Kernel style of the plugin, the guest programs, the unit tests and the benchmarks."""
    files = c_files(kernel=False)
    stand_ins = [path for path in files if "include" in path.parts]
    ignore = CHECKPATCH_IGNORE + CHECKPATCH_IGNORE_USER
    said = (
        _checkpatch([path for path in files if path not in stand_ins], ignore),
        _checkpatch(stand_ins, ignore + CHECKPATCH_IGNORE_STAND_IN),
    )
    return "\n".join(filter(None, said))


def check_sparse() -> str:
    """Sparse over the module's sources."""
    done = subprocess.run(
        ["make", "--no-print-directory", "sparse"],
        cwd=paths.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        return done.stdout.strip()
    ours = f"{paths.KERNEL_BUILD}/sparse/"
    found = [line for line in done.stdout.splitlines() if line.startswith(ours)]
    return "\n".join(line.replace(ours, "kernel/") for line in found)


def indirect_branches(disassembly: str) -> list[str]:
    """Lines of a disassembly (with relocations) that branch indirectly, after their function."""
    function = ""
    found = []
    lines = disassembly.splitlines()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if line.endswith(">:"):
            function = line.partition("<")[2][:-2]
        elif ALLOWED.fullmatch(function):
            continue
        elif INDIRECT.search(line) and not PATCHED.search(following):
            found.append(f"{function}: {' '.join(line.split())}")
    return found


def guard_of(name: str) -> str:
    """The include guard of a header of the module, by its path there."""
    words = "_".join(re.split(r"\W", name.removesuffix(".h"))).upper()
    return f"{'' if words == 'PGHOT' else 'PGHOT_'}{words}_H"


def check_guards(kernel: Path = paths.MODULE_SOURCES) -> str:
    """Include guards of the module are named after the paths of their headers."""
    wrong = []
    for file in sorted(kernel.rglob("*.h")):
        guard = guard_of(file.relative_to(kernel).as_posix())
        found = re.search(r"^#if(?:ndef | !defined\()(\w+)", file.read_text(), re.MULTILINE)
        if not found or found[1] != guard or f"#endif /* {guard} */" not in file.read_text():
            wrong.append(f"{file.relative_to(kernel)}: its include guard is not {guard}")
    return "\n".join(wrong)


def check_indirect() -> str:
    """No indirect branch in the module: a sealed kernel function faults when it gets one."""
    if not paths.MODULE.exists():
        return f"{paths.MODULE} is not built"
    done = subprocess.run(
        ["objdump", "-dr", "--no-show-raw-insn", str(paths.MODULE)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return done.stderr.strip()
    return "\n".join(indirect_branches(done.stdout))


CHECKS: dict[str, Callable[[], str]] = {
    "licence lines": check_spdx,
    "ruff format": check_ruff_format,
    "ruff": check_ruff,
    "mypy --strict": check_mypy,
    "shellcheck": check_shellcheck,
    "checkpatch, module": check_checkpatch,
    "checkpatch, programs": check_checkpatch_user,
    "layers, module": layers.check_kernel_layers,
    "layers, lab": layers.check_lab_layers,
    "layers, command": layers.check_command_layers,
    "purpose of each file, module": build.without_purpose,
    "include guards, module": check_guards,
    "sparse": check_sparse,
    "no indirect branch in pghot.ko": check_indirect,
    "documentation": build.check,
}


def problem_of(check: Callable[[], str]) -> str:
    """What a check finds wrong, or what keeps it from looking."""
    try:
        return check()
    except LabError as error:
        return str(error)


def main() -> int:
    """Run all checks; status 1 when one fails. Ends with `N passed, N failed`."""
    # Before several want it; what goes wrong is theirs to tell.
    with contextlib.suppress(LabError):
        fetch.fetch_checkpatch()
    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = pool.map(problem_of, CHECKS.values())
        for name, problem in zip(CHECKS, problems, strict=True):
            print(f"check: {name}: {'FAILED' if problem else 'ok'}", flush=True)
            if problem:
                failed += 1
                print(problem, flush=True)
    print(f"{len(CHECKS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
