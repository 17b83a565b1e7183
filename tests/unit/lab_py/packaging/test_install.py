# SPDX-License-Identifier: GPL-2.0
"""What `make install` and the packages install: it is all there, it runs, and it goes again."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from command import tree
from command.tree import Trees
from pghot import persist
from pghot.read.machine import read_machine
from pghot.show.prometheus import expose
from pghot.verbs.metrics import make as make_metrics
from pghotlab.base import paths
from pghotlab.base.release import version
from pghotlab.setup import fetch
from pghotlab.setup.kernels import load_kernels

PACKAGING = paths.ROOT / "packaging"
CONTROL = (PACKAGING / "debian" / "control").read_text()


def install(target: str, where: Path, prefix: str) -> None:
    calibrate = where.parent / "calibrate"
    words = ("make", "-s", "-f", PACKAGING / "install.mk", target, f"DESTDIR={where}")
    settings = (f"PREFIX={prefix}", f"CALIBRATE={calibrate}")
    subprocess.run([*map(str, words), *settings], check=True, capture_output=True)


def files(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir())


@pytest.mark.parametrize("prefix", ["/usr", "/usr/local"])
def test_install_and_uninstall(tmp_path: Path, prefix: str) -> None:
    where = tmp_path / "root"
    install("install", where, prefix)
    command = where / prefix.lstrip("/") / "bin" / "pghot"
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout == f"pghot {version()}\n"
    found = files(where)
    assert any(name.endswith("/man8/pghot.8.gz") for name in found)
    unit = next(name for name in found if name.endswith("system/pghot.service"))
    assert f"ExecStart={prefix}/bin/pghot load" in (where / unit).read_text()
    assert "@BIN@" not in "".join(
        (where / name).read_text() for name in found if "/systemd/" in name
    )
    install("uninstall", where, prefix)
    assert [name for name in files(where) if "__pycache__" not in name] == []


def test_packages_have_no_version_of_their_own() -> None:
    """It comes from the file VERSION, when they are made."""
    for path in PACKAGING.rglob("*"):
        if path.is_file():
            assert version() not in path.read_text(), path


def test_packages_belong_together() -> None:
    assert CONTROL.count("(= ${source:Version})") == 2


def test_dkms_names_the_module() -> None:
    text = (PACKAGING / "dkms.conf").read_text()
    assert 'PACKAGE_VERSION="@VERSION@"' in text
    assert 'BUILT_MODULE_NAME[0]="pghot"' in text
    pattern = re.search(r'^BUILD_EXCLUSIVE_KERNEL="(.*)"$', text, re.MULTILINE)
    assert pattern
    for tested in load_kernels().values():
        release = f"{tested.number}.4-{tested.arch.name}"
        assert re.search(pattern[1], release), release
    for other in ("6.1.0-40-amd64", "6.11.10-amd64", "7.4.1-amd64", "16.12.1", "7.30.1"):
        assert not re.search(pattern[1], other), other


def test_units_are_in_order() -> None:
    text = (PACKAGING / "systemd" / "pghot.service").read_text()
    after = re.search(r"^After=(.*)$", text, re.MULTILINE)
    assert after
    assert "systemd-sysctl.service" in after[1].split()


def test_memory_that_comes_later_loads_it_only_if_it_is_enabled() -> None:
    rule = (PACKAGING / "config" / "90-pghot.rules").read_text().splitlines()[-1]
    assert f'TEST=="/{persist.WANTS}"' in rule and 'SYSTEMD_WANTS}+="pghot.service"' in rule
    rules = (PACKAGING / "debian" / "rules").read_text().splitlines()
    units = [line.split() for line in rules if "dh_installsystemd --package" in line]
    assert len(units) == 2 and all("--no-enable" in words for words in units)


# A line of the text format of Prometheus: a name, labels, a number.
SAMPLE = re.compile(r'[a-z_]+(\{[a-z_]+="[^"\\]*"(,[a-z_]+="[^"\\]*")*\})? -?[0-9.e+-]+')


def promtool(text: str) -> tuple[int, str]:
    """What Prometheus' own checker says of metrics: its exit status, and its complaints."""
    words = (fetch.fetch_promtool(), "check", "metrics")
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_promtool_is_content(trees: Trees) -> None:
    text = expose(make_metrics(read_machine(trees.root(tree.loaded()))))
    assert promtool(text) == (0, "")


def test_promtool_complains() -> None:
    code, said = promtool("# TYPE pghot_promoted counter\npghot_promoted 1\n")
    assert code != 0
    assert "no help text" in said


def test_dashboard_shows_figures_that_there_are(trees: Trees) -> None:
    text = expose(make_metrics(read_machine(trees.root(tree.loaded()))))
    for line in text.splitlines():
        assert line.startswith(("# HELP ", "# TYPE ")) or SAMPLE.fullmatch(line), line
    known = set(re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE))
    dashboard = json.loads((PACKAGING / "grafana" / "pghot.json").read_text())
    shown = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert shown
    for expression in shown:
        assert set(re.findall(r"\bpghot_\w+", expression)) <= known, expression
