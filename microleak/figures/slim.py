"""SVG as a reader needs it: fewer digits, groups and identifiers, the same picture."""

import re
from collections.abc import Iterator
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

SVG: Final = "http://www.w3.org/2000/svg"
XLINK: Final = "http://www.w3.org/1999/xlink"
FONT: Final = "font-family: 'DejaVu Sans', sans-serif"
"""Said once, by the element that holds all others."""

_LEFT_OUT: Final = {"style", "metadata"}
_NUMBER: Final = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


def slim(root: Element, prefix: str) -> str:
    r"""Return what an `<svg>` element holds as text, an element a line.

    Coordinates are rounded to tenths of a unit, those of curves to hundredths.
    Identifiers stay where something refers to them, and begin with the prefix.
    Groups that say nothing of what they hold are dissolved.

    Examples
    --------
    >>> path = '<g id="a"><path d="M 1.0 2.04 &#10;L 1.26 2.04 &#10;"/></g>'
    >>> slim(ElementTree.fromstring(f'<svg xmlns="{SVG}">{path}</svg>'), "f-")
    '<path d="M1 2H1.3" />\n'
    """
    referred = {
        name
        for element in root.iter()
        for value in element.attrib.values()
        for name in re.findall(r"(?:^|\()#([^)]*)", value)
    }
    kept = [each for child in root for each in _slimmed(child, referred, prefix)]
    return "".join(f"{ElementTree.tostring(each, 'unicode')}\n" for each in kept)


def _slimmed(element: Element, referred: set[str], prefix: str) -> Iterator[Element]:
    """Yield what stays of an element: itself, what it holds, or nothing."""
    # The element around all has said the namespaces.
    element.tag = element.tag.removeprefix(f"{{{SVG}}}")
    if element.tag in _LEFT_OUT:
        return
    element.tail = None
    element.text = (element.text or "").strip() or None
    element[:] = [c for child in element for c in _slimmed(child, referred, prefix)]
    if (name := element.attrib.pop("id", "")) in referred:
        element.set("id", name)
    named = {k.replace(f"{{{XLINK}}}", "xlink:"): v for k, v in element.items()}
    said = {name: _attribute(name, value, prefix) for name, value in named.items()}
    element.attrib = {name: value for name, value in said.items() if value}
    if element.tag == "g" and not element.attrib:
        yield from element
    elif element.tag not in {"g", "defs"} or len(element):
        yield element


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
        return value.replace(f"{FONT}; ", "").replace(FONT, "").removesuffix("; ")
    return re.sub(r"(^|\()#", rf"\g<1>#{prefix}", value)


def _path(drawn: str) -> str:
    rounded = _rounded(drawn, 2 if "C" in drawn else 1)
    short = re.sub(r"\s*([A-Za-z])\s*", r"\1", rounded).strip()
    number = r"([^\sA-Za-z]+)"
    return re.sub(rf"M{number} {number}L{number} \2(?=M|$)", r"M\1 \2H\3", short)


def _rounded(text: str, decimals: int) -> str:
    return _NUMBER.sub(lambda found: f"{round(float(found[0]), decimals):g}", text)
