"""The pages of the documentation, and what is in them."""

import re
import sys
from functools import cache
from importlib import import_module

from microleak.base.paths import ROOT

sys.path.append(str(ROOT / "docs" / "site"))
made = import_module("made")

PAGES = {
    path.relative_to(ROOT).as_posix(): path
    for path in [
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / ".github").rglob("*.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
        *sorted((ROOT / "config").rglob("*.md")),
    ]
    if "docs/made" not in path.as_posix() and path.stem != "performance-tables"
}


@cache
def text(page):
    written = PAGES[page].read_text(encoding="utf-8")
    return made.filled(page.removesuffix(".md"), written)


def blocks(page, language):
    found = re.findall(r"^```(.*?)\n(.*?)^```$", text(page), re.M | re.S)
    return [content for name, content in found if name == language]


def prose(page):
    return re.sub(r"^```.*?^```$", "", text(page), flags=re.M | re.S)


def spans(markdown):
    return re.findall(r"`([^`\n]+)`", markdown)


def anchors(page):
    headings = re.findall(r"^#+ (.+)$", prose(page), re.M)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in kept}


def table_rows(page):
    lines = [line for line in text(page).splitlines() if line.startswith("| ")]
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines
    ]
