"""How Sphinx builds the site: `make site`.

The folder of the sources is the project's own, so that a link that works in a
checkout works in the site, and the other way round.
"""

import sys
from pathlib import Path

import microleak

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHOWN = {"config", "docs"}
"""Folders with pages."""

sys.path.insert(0, str(HERE))

project = "microleak"
author = "The microleak founders"
version = release = microleak.__version__
root_doc = "README"
extensions = [
    *("myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"),
    *("contents", "definitions", "examples", "made"),
]
nb_execution_mode = "off"
myst_heading_anchors = 6
exclude_patterns = [
    *(each.name for each in ROOT.iterdir() if each.is_dir() and each.name not in SHOWN),
    *("docs/made", "docs/performance-tables.md", "docs/site"),
]

add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_attr_annotations = False
napoleon_use_rtype = False
default_role = "literal"
nitpicky = True
nitpick_ignore_regex = [  # neither other packages nor the floors below have pages here
    ("py:class", r"(collections|fractions|numpy|pandas|pathlib|polars|pyarrow)\..*"),
    ("py:class", r"microleak\.(kernels|records|attacks\.\w+\.(kernels|section))\..*"),
    ("py:class", "NDArray"),
    ("py:class", r".*\.(Numbers|Q|Q_co)"),
]

html_theme = "furo"
html_title = "microleak"
html_extra_path = ["start/index.html"]
html_show_copyright = False
html_copy_source = False
