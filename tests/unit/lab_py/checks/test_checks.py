# SPDX-License-Identifier: GPL-2.0
"""The checks and the runner of the tests, on made-up input."""

from pathlib import Path

import pytest

from pghotlab.base.arch import AMD64, ARM64
from tests.check import check_guards, guard_of, indirect_branches, missing_spdx
from tests.run import STAGES, closing, count, stages

DIRECT = """\
0000000000000000 <promote>:
   0:	call   5 <promote+0x5>
			1: R_X86_64_PLT32	__SCT__migrate_pages-0x4
   5:	jmp    a <promote+0xa>
			6: R_X86_64_PLT32	__x86_return_thunk-0x4
   a:	call   *0x0(%rip)        # 10 <promote+0x10>
			c: R_X86_64_PC32	pv_ops+0x10c
"""


def test_direct_branches_pass() -> None:
    assert indirect_branches(DIRECT) == []


@pytest.mark.parametrize(
    "lines",
    [
        "  10:\tcall   *%rax\n",
        "  10:\tjmp    *0x8(%rdi)\n",
        "  10:\tnotrack jmp *%rax\n",
        "  10:\tcallq  *0x10(%rax)\n",
        "  10:\tcall   *0x0(%rip)\n\t\t\t12: R_X86_64_PC32\tops+0x4\n",
        "  10:\tcall   15\n\t\t\t11: R_X86_64_PLT32\t__x86_indirect_thunk_rax-0x4\n",
    ],
)
def test_indirect_branches_are_found(lines: str) -> None:
    (found,) = indirect_branches(DIRECT + "0000000000000010 <scan>:\n" + lines)
    assert found.startswith("scan: ")


@pytest.mark.parametrize(
    ("function", "allowed"),
    [
        ("pghot_memcg_put", True),
        ("__traceiter_pghot_record", True),
        ("__traceiter_mm_migrate_pages", False),
        ("trace_event_raw_event_pghot_record", False),
        ("memcg_put_all", False),
    ],
)
def test_what_may_branch_indirectly(function: str, allowed: bool) -> None:
    found = indirect_branches(f"0000000000000010 <{function}>:\n  10:\tcall   *%rax\n")
    assert (found == []) == allowed


def test_spdx() -> None:
    assert not missing_spdx("// SPDX-License-Identifier: GPL-2.0\n")
    assert not missing_spdx("#!/bin/sh\n# SPDX-License-Identifier: GPL-2.0\n")
    assert missing_spdx("")
    assert missing_spdx("int x;\n// SPDX-License-Identifier: GPL-2.0\n")
    assert missing_spdx("#!/bin/sh\n")


@pytest.mark.parametrize(
    ("output", "status", "counts"),
    [
        ("9 passed, 0 failed\n", 0, (9, 0)),
        ("9 passed, 2 failed\n", 1, (9, 2)),
        ("a: 3 passed, 0 failed\nb: 4 passed, 1 failed\n", 1, (7, 1)),
        ("12 passed in 0.31s\n", 0, (12, 0)),
        ("===== 2 failed, 10 passed, 1 error in 3.00s =====\n", 1, (10, 3)),
        ("1 passed, 3 skipped in 0.1s\n", 0, (1, 0)),
        ("no tests ran in 0.01s\n", 5, (0, 1)),
        ("all fine\n", 0, (1, 0)),
        ("Segmentation fault\n", 139, (0, 1)),
        ("9 passed, 0 failed\n", 2, (9, 1)),
    ],
)
def test_count(output: str, status: int, counts: tuple[int, int]) -> None:
    assert count(output, status) == counts


def test_stages_that_failed_are_named_at_the_end() -> None:
    results = {"style": (14, 1), "unit, C": (20, 0), "fuzzing": (0, 2)}
    assert closing(results).splitlines() == [
        "FAILED: style, 1",
        "FAILED: fuzzing, 2",
        "34 passed, 3 failed",
    ]
    assert closing({"unit, C": (20, 0)}) == "20 passed, 0 failed"


def test_include_guards(tmp_path: Path) -> None:
    assert check_guards() == ""
    assert guard_of("pghot.h") == "PGHOT_H"
    assert guard_of("sources/perf/trace.h") == "PGHOT_SOURCES_PERF_TRACE_H"
    (tmp_path / "core").mkdir()
    (tmp_path / "core/a.h").write_text("#ifndef PGHOT_A_H\n#endif /* PGHOT_A_H */\n")
    assert check_guards(tmp_path) == "core/a.h: its include guard is not PGHOT_CORE_A_H"


def test_stages_without_the_memory_model() -> None:
    assert stages(AMD64) == STAGES
    names = [stage.name for stage in stages(ARM64)]
    assert names == ["unit, C", "fuzzing", "unit, lab", "in the guest"]
    assert "tests/vm/test_arm64.py" in stages(ARM64)[-1].command
