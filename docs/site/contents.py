"""The contents of the site: every page in its place, none of them named here.

Guides stand in the order in which docs/README.md tells of them; one that it forgets
comes after them. Decisions and the reference of the interface are whole folders.
"""

import re

from sphinx.application import Sphinx

INDEX = "docs/README"
LISTS = {
    "docs/papers/README": ["docs/papers/*"],
    "docs/decisions/README": ["docs/decisions/*"],
    "docs/api/README": ["docs/api/microleak", "docs/api/*"],
}
"""Pages that end with a list of the others of their folder."""

PROJECT = ["README.pt", "config/**", "CONTRIBUTING", "SECURITY", "CHANGELOG"]


def toctree(pages: list[str], *options: str) -> str:
    """Return the Markdown of a list of pages, in which `*` stands for the rest."""
    lines = [*options, ":glob:", "", *(f"/{page}" for page in pages)]
    return "\n".join(["", "```{toctree}", *lines, "```", ""])


def guides(app: Sphinx) -> list[str]:
    """Return the pages of docs/, in the order of its index."""
    index = app.env.doc2path(INDEX).read_text(encoding="utf-8")
    linked = [f"docs/{page}" for page in re.findall(r"\]\(([\w.-]+)\.\w+\)", index)]
    others = sorted(page for page in app.project.docnames if page.count("/") == 1)
    pages = [INDEX, *linked, *others]
    return [page for page in dict.fromkeys(pages) if page.startswith("docs/")]


def add_contents(app: Sphinx, page: str, source: list[str]) -> None:
    """Put the lists of pages below the text of the pages that have one."""
    if page == app.config.root_doc:
        source[0] += toctree(guides(app), ":hidden:", ":caption: Guides")
        source[0] += toctree([*LISTS, *PROJECT], ":hidden:", ":caption: Reference")
    elif page in LISTS:
        source[0] += toctree(LISTS[page], ":titlesonly:")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the contents."""
    app.connect("source-read", add_contents)
    return {"parallel_read_safe": True}
