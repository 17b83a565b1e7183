# SPDX-License-Identifier: GPL-2.0
"""Pictures and a transcript of the command, out of what `make test-packages` has kept.

    PYTHONPATH=lab:tests/unit/lab_py .cache/venv/bin/python -m docs.screens

A terminal's text and the page of `pghot report` are drawn by a headless browser.
"""

import base64
import re
import sys
import tempfile
from html import escape
from pathlib import Path

from pghotlab.base import paths
from pghotlab.base.errors import LabError
from report.browser import Browser, browser

KEPT = paths.BUILD / "packages-test"
OUT = paths.ROOT / "docs" / "command"
SCREENS = {"status": "pghot status", "top": "pghot top"}
STYLE = """
body { margin: 0; background: #1e1e1e; display: inline-block; }
pre { margin: 0; padding: 1rem; color: #e6e6e6; font: 15px/1.35 monospace; }
b { color: #8fd18f; }
"""
WIDTH = 1180


def shoot(page: Browser, file: Path, target: Path) -> None:
    """A picture of a page, as large as the page is."""
    page.open(file.as_uri(), WIDTH)
    size = page.value("[document.body.scrollWidth, document.body.scrollHeight]")
    clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
    taken = page.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
    target.write_bytes(base64.b64decode(taken["data"]))


def main() -> None:
    """Make them all; LabError if there is nothing to make them of."""
    shown = KEPT / "shown"
    if not (shown / "report.html").exists():
        raise LabError(f"there is no {shown / 'report.html'}: run `make test-packages`")
    OUT.mkdir(exist_ok=True)
    said = (KEPT / "transcript.txt").read_text()
    # Which mirror this machine has is nobody's business.
    (OUT / "transcript.txt").write_text(re.sub(r"(https?://)[^/\s]+", r"\1MIRROR", said))
    with tempfile.TemporaryDirectory() as folder, browser(Path(folder) / "profile") as page:
        for name, command in SCREENS.items():
            said = escape((shown / f"{name}.txt").read_text().rstrip())
            file = Path(folder) / f"{name}.html"
            text = f"<style>{STYLE}</style><pre><b># {command}</b>\n{said}</pre>"
            file.write_text(f'<!doctype html><meta charset="utf-8">{text}')
            shoot(page, file, OUT / f"{name}.png")
        shoot(page, shown / "report.html", OUT / "report.png")
    print(OUT)


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"docs.screens: {error}")
