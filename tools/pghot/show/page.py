# SPDX-License-Identifier: GPL-2.0
"""A page for a browser that needs nothing from elsewhere; the lab's pages have the same style."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

STYLE = Path(__file__).with_name("page.css")


def table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """A table that scrolls where it is too wide."""
    above = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}"><table>'
        f"<caption>{escape(caption)}</caption><thead><tr>{above}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def figure(caption: str, drawn: str) -> str:
    """A picture with a caption."""
    return f"<figure><figcaption>{escape(caption)}</figcaption>{drawn}</figure>"


def page(title: str, body: Sequence[str]) -> str:
    """The whole page."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="icon" href="data:,"><title>{escape(title)}</title>'
        f"<style>{STYLE.read_text()}</style></head>\n<body><main><h1>{escape(title)}</h1>\n"
        + "\n".join(body)
        + "\n</main></body></html>\n"
    )
