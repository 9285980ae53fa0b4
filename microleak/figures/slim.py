"""SVG as a reader needs it: fewer digits, groups and identifiers, the same picture."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG: Final = "http://www.w3.org/2000/svg"
XLINK: Final = "http://www.w3.org/1999/xlink"
FONT: Final = "font-family: 'DejaVu Sans', sans-serif"
"""Said once, by the element that holds all others."""

COLUMN: Final = 4.6
"""Inches of a figure that a telephone shows at its whole width, as a column of text."""

_AXIS: Final = "matplotlib.axis"
_LEFT_OUT: Final = {"style", "metadata"}
_ANY: Final = r"[-+.\de]+"
_NUMBER: Final = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def slim(root: Element, prefix: str) -> str:
    r"""Return what an `<svg>` element holds as text, an element a line.

    Coordinates are rounded to tenths of a unit, those of curves to hundredths.
    Identifiers stay where something refers to them, and begin with the prefix.
    Groups that say nothing of what they hold are dissolved; neighbours that are drawn
    alike are one path, or texts of one group.

    >>> path = '<g id="a"><path d="M 1.0 2.04 &#10;L 1.26 2.04 &#10;"/></g>'
    >>> slim(ElementTree.fromstring(f'<svg xmlns="{SVG}">{path}</svg>'), "f-")
    '<path d="M1 2h0.3" />\n'
    """
    referred = {
        name
        for element in root.iter()
        for value in element.attrib.values()
        for name in re.findall(r"(?:^|\()#([^)]*)", value)
    }
    kept = [each for child in root for each in _slimmed(child, referred, prefix)]
    texts = (ElementTree.tostring(each, "unicode") for each in _joined(kept))
    return "".join(f"{text}\n" for text in texts)


@dataclass(frozen=True)
class InPage:
    """A figure as a page shows it: its title, what is drawn, and its note."""

    title: str  # As HTML, as is the note
    svg: str
    panels: str  # In its place where a page is narrow, and not read aloud
    note: str


def in_page(svg: str) -> InPage:
    """Return a figure as a page shows it, of its SVG text as `svg_text` gives it."""
    title = re.search(r"<title[^>]*>(.*?)</title>", svg, re.DOTALL)
    note = re.search(r'data-note=(?:"([^"]*)"|\'([^\']*)\')', svg)
    panels = _panels_of(svg)
    if body := re.search(r'data-body="([^"]*)"', svg):
        width, height = body[1].split(" ")[2:]
        size = f'viewBox="{body[1]}" width="{width}pt" height="{height}pt"'
        whole = r'viewBox="[^"]*" width="[^"]*" height="[^"]*"'
        svg = re.sub(whole, size, svg, count=1)
    return InPage(
        title=title[1] if title else "",
        svg=svg,
        panels=panels,
        note=(note[1] or note[2]) if note else "",
    )


def _panels_of(svg: str) -> str:
    """Return each panel of a figure as an `<svg>` of its part, all in one scale."""
    found = re.search(r'data-panels="([^"]*)"', svg)
    drawing = re.search(r'id="([^"]*-drawing)"', svg)
    if found is None or drawing is None:
        return ""
    boxes = {box: float(box.split(" ")[2]) for box in found[1].split(",")}
    widest = max(boxes.values())
    row = widest * max(1, round(72 * COLUMN / widest))
    return "".join(
        f'<svg class="panel" viewBox="{box}" style="width: {width / row:.1%}"'
        f' aria-hidden="true"><use href="#{drawing[1]}"/></svg>\n'
        for box, width in boxes.items()
    )


def _slimmed(element: Element, referred: set[str], prefix: str) -> Iterator[Element]:
    """Yield what stays of an element: itself, what it holds, or nothing."""
    # The element around all has said the namespaces.
    element.tag = element.tag.removeprefix(f"{{{SVG}}}")
    if element.tag in _LEFT_OUT:
        return
    element.tail = None
    element.text = (element.text or "").strip() or None
    held = [each for child in element for each in _slimmed(child, referred, prefix)]
    name = element.attrib.pop("id", "")
    if name.startswith(_AXIS):
        # Lines of a grid and what is written beside it do not cover each other.
        held.sort(key=lambda each: each.tag == "text")
    element[:] = _joined(held)
    if name in referred:
        element.set("id", name)
    named = {k.replace(f"{{{XLINK}}}", "xlink:"): v for k, v in element.items()}
    said = {key: _attribute(key, value, prefix) for key, value in named.items()}
    element.attrib = {key: value for key, value in said.items() if value}
    if element.tag == "g" and not element.attrib:
        yield from element
    elif element.tag not in {"g", "defs"} or len(element):
        yield element


def _joined(elements: Iterable[Element]) -> Iterator[Element]:
    """Yield elements, neighbours that are drawn alike as one path or group of texts."""
    for look, several in groupby(elements, _look):
        alike = list(several)
        first, *others = alike
        if not look or not others:
            yield from alike
        elif first.tag == "path":
            first.set("d", "".join(path.get("d", "") for path in alike))
            yield first
        else:
            group = Element("g", {"style": first.attrib["style"]})
            for text in alike:
                del text.attrib["style"]
                group.append(text)
            yield group


def _look(element: Element) -> tuple[str, ...]:
    """Return how an element is drawn; nothing if it must stand alone."""
    style = element.get("style", "")
    # A path that is filled and has an edge covers part of its neighbour's.
    is_plain = "stroke: " not in style or "fill: none" in style
    if element.tag == "path" and not element.get("id") and is_plain:
        others = sorted(item for item in element.items() if item[0] != "d")
        return ("path", *(part for item in others for part in item))
    return ("text", style) if element.tag == "text" and style else ()


def _attribute(name: str, value: str, prefix: str) -> str:
    """Return what an attribute says; nothing where that is the same without it."""
    if name == "id":
        return prefix + value
    if name == "d":
        return _path(value)
    if name in {"x", "y"}:
        return _rounded(value, 1)
    if name == "transform":
        return "" if value.startswith("rotate(-0 ") else _rounded(value, 2)
    if name == "style":
        value = value.replace(f"{FONT}; ", "").replace(FONT, "").removesuffix("; ")
    return re.sub(r"(^|\()#", rf"\g<1>#{prefix}", value)


def _path(drawn: str) -> str:
    """Return a path; of lines alone, each end is told from the one before."""
    if set(re.findall("[A-Za-z]", drawn)) - {*"MLz"}:
        return re.sub(r"\s*([A-Za-z])\s*", r"\1", _rounded(drawn, 2)).strip()
    said, here, start = [], (0, 0), (0, 0)
    for command, *place in re.findall(rf"([MLz])\s*(?:({_ANY}) ({_ANY}))?", drawn):
        if command == "z":
            said.append("z")
            here = start
            continue
        x, y = (round(10 * float(each)) for each in place)
        said.append(_step(command, (x - here[0], y - here[1]), (x, y), not said))
        here = x, y
        start = here if command == "M" else start
    return "".join(said)


def _step(
    command: str, step: tuple[int, int], place: tuple[int, int], is_first: bool
) -> str:
    """Return a step of a path in tenths; the first one is where it begins."""
    if is_first:
        return "M{:g} {:g}".format(*(each / 10 for each in place))
    right, down = (f"{each / 10:g}" for each in step)
    if command == "L" and not step[1]:
        return f"h{right}"
    if command == "L" and not step[0]:
        return f"v{down}"
    return f"{command.lower()}{right}{'' if down.startswith('-') else ' '}{down}"


def _rounded(text: str, decimals: int) -> str:
    return _NUMBER.sub(lambda found: f"{round(float(found[0]), decimals):g}", text)
