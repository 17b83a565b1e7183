# SPDX-License-Identifier: GPL-2.0
"""How Sphinx builds these pages: `make docs`."""

from pghotlab.base import release as known

project = "pghot"
version = release = known.version()
extensions = ["myst_parser"]
exclude_patterns = ["results/**"]
# A structure and a function may have one name.
suppress_warnings = ["duplicate_declaration.c"]
# The theme of the kernel's own documentation.
html_theme = "alabaster"
html_theme_options = {
    "description": "Hot-page promotion for tiered memory",
    "page_width": "72em",
    "sidebar_width": "16em",
}
html_sidebars = {"**": ["about.html", "searchbox.html", "localtoc.html", "globaltoc.html"]}
html_copy_source = False
# Links to headings, as they work where the files are read as they are.
myst_heading_anchors = 4
