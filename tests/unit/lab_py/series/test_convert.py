# SPDX-License-Identifier: GPL-2.0
"""Rules by which a file of the module becomes one of the tree."""

import re

import pytest

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from pghotlab.series import convert
from pghotlab.series.plan import OWN, load_series


def test_static_calls_become_direct_ones() -> None:
    text = "\tx = static_call(pghot___mpol_put)(policy);\n"
    assert convert.direct_calls(text) == "\tx = __mpol_put(policy);\n"


def test_a_statement_of_several_lines_is_broken_anew() -> None:
    text = (
        "\t\tstatic_call(pghot_migrate_pages)(&some, alloc_dst, NULL, (unsigned long)move,\n"
        "\t\t\t\t\t\t MIGRATE_ASYNC, move->demotes ? MR_DEMOTION : MR_NUMA_MISPLACED,\n"
        "\t\t\t\t\t\t &moved);\n\tnext();\n"
    )
    assert convert.direct_calls(text) == (
        "\t\tmigrate_pages(&some, alloc_dst, NULL, (unsigned long)move, MIGRATE_ASYNC,\n"
        "\t\t\t      move->demotes ? MR_DEMOTION : MR_NUMA_MISPLACED, &moved);\n\tnext();\n"
    )


def test_a_text_is_not_broken() -> None:
    text = '\tf(a, "' + "word " * 22 + '");'
    assert '"' + "word " * 22 + '"' in convert.filled(text)


def test_what_fails_on_request_does_so_no_more() -> None:
    text = (
        '#include "testing/inject.h"\n#include "x.h"\n'
        '\tt = inject_alloc(ERR_PTR(-ENOMEM),\n\t\t\t kthread_run(f, NULL, "name"));\n'
    )
    assert convert.without_injection(text) == (
        '#include "x.h"\n\tt = kthread_run(f, NULL, "name");\n'
    )


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("p = kvzalloc(sizeof(*p), GFP_KERNEL);\n", "p = kvzalloc_obj(*p);\n"),
        ("p = kcalloc(nr + 1, sizeof(*p), GFP_KERNEL);\n", "p = kzalloc_objs(*p, nr + 1);\n"),
        (
            "\tp->all = kvcalloc(nr * ARRAY_SIZE(p[0]),\n\t\t\t  sizeof(*p->all), GFP_KERNEL);\n",
            "\tp->all = kvzalloc_objs(*p->all, nr * ARRAY_SIZE(p[0]));\n",
        ),
        ("m = kzalloc(struct_size(m, of, 3), GFP_KERNEL);\n", "m = kzalloc_flex(*m, of, 3);\n"),
        ("p = kzalloc(sizeof(*p), GFP_NOWAIT);\n", "p = kzalloc(sizeof(*p), GFP_NOWAIT);\n"),
        ("p = kzalloc(size(3), GFP_KERNEL);\n", "p = kzalloc(size(3), GFP_KERNEL);\n"),
    ],
)
def test_allocations_name_their_objects(text: str, made: str) -> None:
    assert convert.typed_allocations(text) == made


def test_an_injection_without_a_call_is_named() -> None:
    with pytest.raises(LabError, match="without a call"):
        convert.without_injection("inject_alloc(NULL)")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("#ifdef YES\na\n#else\nb\n#endif\n", "a\n"),
        ("#ifndef YES\na\n#else\nb\n#endif\n", "b\n"),
        ("#ifdef NO\na\n#endif\nc\n", "c\n"),
        ("#ifdef NO\n#ifdef OTHER\na\n#endif\n#else\nb\n#endif\n", "b\n"),
        ("#ifdef OTHER\n#ifdef YES\na\n#endif\n#endif\n", "#ifdef OTHER\na\n#endif\n"),
        ("#if A\na\n#elif B\nb\n#else\nc\n#endif\n", "#if A\na\n#elif B\nb\n#else\nc\n#endif\n"),
        ('#if __has_include("x.h")\n#include "x.h"\n#endif\n', '#include "x.h"\n'),
    ],
)
def test_conditions_of_known_names_are_settled(text: str, left: str) -> None:
    assert convert.settled(text, {"YES"}, {"NO"}) == left


def test_headers_are_where_the_tree_has_them() -> None:
    text = '#include <linux/mm.h>\n#include <linux/types.h>\n\n#include "pghot.h"\n'
    assert convert.public_header(text) == (
        "#include <linux/mm.h>\n#include <linux/pghot.h>\n#include <linux/types.h>\n\n"
    )
    assert convert.public_header('#include "pghot.h"\n#include "a.h"\n') == (
        '#include <linux/pghot.h>\n\n#include "a.h"\n'
    )
    assert convert.renamed('#include "wrapper/folio.h"\n') == '#include "mm/folio.h"\n'


def test_nothing_is_left_of_the_module_in_files_of_the_series() -> None:
    """What intree/changes does not take away the rules have to."""
    changed = {path.stem for path in (paths.INTREE / "changes").glob("*.patch")}
    for patch in load_series().patches:
        for name in patch.files:
            file = paths.MODULE_SOURCES / name
            stem = re.sub(r"\.c$", "", name.replace("wrapper/", "mm/")).replace("/", "-")
            if name in OWN or stem in changed or re.sub(r"\.h$", "-h", stem) in changed:
                continue
            text = convert.convert(file.read_text())
            assert not re.search(r"static_call|pghot_inject|PGHOT_HAS|LINUX_VERSION", text), name
            lines = [line for line in text.splitlines() if '"' not in line]
            assert max(len(line.expandtabs(8)) for line in lines) <= convert.LONGEST, name
