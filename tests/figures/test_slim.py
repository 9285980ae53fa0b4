"""Slim SVG shows what the SVG that was drawn shows."""

import io
import re
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

from microleak.figures.slim import SVG, slim

TEXTS = ["a < b & c", " two  words ", "é"]


@pytest.fixture(scope="module")
def drawn():
    """Axes with a line, marks, bars and texts, as matplotlib draws them."""
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "same"}):
        figure = Figure()
        axis = figure.subplots()
        axis.plot(np.linspace(0, 1, 7), np.linspace(0, 1, 7) ** 2, "o-", label="curve")
        axis.bar([0.1, 0.2], [0.3, 0.4])
        for place, text in enumerate(TEXTS):
            axis.text(0.1 * place, 0.5, text)
        file = io.StringIO()
        figure.savefig(file, format="svg")
    return file.getvalue()


@pytest.fixture(scope="module")
def slimmed(drawn):
    body = slim(ElementTree.fromstring(drawn), "f-")
    return f'<svg xmlns="{SVG}" xmlns:xlink="http://www.w3.org/1999/xlink">{body}</svg>'


def numbers(text):
    return [float(each) for each in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)]


def places(svg):
    """The places that lines and curves go through, from path to path."""
    paths = [e.get("d") for e in ElementTree.fromstring(svg).iter(f"{{{SVG}}}path")]
    return sorted(place for path in paths for place in numbers(_whole(path)))


def _whole(path):
    """A level line with both numbers of its end."""
    return re.sub(r"M(\S+) (\S+)H([^A-Za-z]+)", r"M\1 \2L\3 \2", path)


def test_every_path_goes_where_it_went_to_a_tenth(drawn, slimmed):
    before, after = places(drawn), places(slimmed)
    assert len(before) > 50
    assert after == pytest.approx(before, abs=0.0501)


def test_a_level_line_keeps_its_beginning_and_its_end():
    path = "M 1.04 2 &#10;L 9.96 2 &#10;M 3 4 &#10;L 5 6"
    drawn = ElementTree.fromstring(f'<svg xmlns="{SVG}"><path d="{path}"/></svg>')
    assert slim(drawn, "") == '<path d="M1 2H10M3 4L5 6" />\n'


def test_all_texts_stay(slimmed):
    found = [e.text for e in ElementTree.fromstring(slimmed).iter(f"{{{SVG}}}text")]
    assert {text.strip() for text in TEXTS} <= {*found}


def test_what_is_referred_to_is_there_and_nothing_else_has_a_name(slimmed):
    root = ElementTree.fromstring(slimmed)
    names = [e.get("id") for e in root.iter() if e.get("id")]
    referred = {*re.findall(r'(?:href="|url\()#([^")]+)', slimmed)}
    assert {*names} == referred
    assert len(names) == len(referred) > 0
    assert all(name.startswith("f-") for name in names)


def test_it_has_no_style_sheet_and_two_thirds_of_the_bytes(drawn, slimmed):
    assert "<style" not in slimmed
    assert "<g>" not in slimmed
    assert len(slimmed) < len(drawn) * 2 / 3
