"""Settings of Sphinx for the site that tools/scripts/site.sh makes of the pages that pages.py lays out."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from docstrings import to_rst  # noqa: E402
from lexers import MlirLexer, SpecLexer  # noqa: E402

ROOT = HERE.parents[1]

project = "mlc"
version = release = re.search(r"project\(mlc VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
highlight_language = "text"
nitpicky = False

# Anchors are those of a viewer of the repository: #the-words-of-the-heading.
myst_heading_anchors = 6
# The generated reference goes from a heading of the second level to one of the fourth.
suppress_warnings = ["myst.header"]

autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
autodoc_inherit_docstrings = True
autosummary_generate = False
python_maximum_signature_line_length = 88
add_module_names = False
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

html_theme = "furo"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_title = f"mlc {release}"
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}


def setup(app: Any) -> None:
    app.add_lexer("mlir", MlirLexer)
    app.add_lexer("spec", SpecLexer)

    def convert(app: Any, what: str, name: str, object_: Any, options: Any, lines: list[str]) -> None:
        lines[:] = to_rst(lines)

    # Before napoleon, which takes sections apart at the default priority.
    app.connect("autodoc-process-docstring", convert, priority=400)
