"""Slim SVG shows what the SVG that was drawn shows."""

import io
import re
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure

from microleak.figures.slim import SVG, slim

TEXTS = ["a < b & c", " two  words ", "é"]


@pytest.fixture(scope="module")
def drawn():
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
    """The places that lines and curves go through, from the left."""
    paths = [e.get("d") for e in ElementTree.fromstring(svg).iter(f"{{{SVG}}}path")]
    return sorted(place for path in paths for place in walked(path))


def walked(path):
    """Places of a path, whichever commands it is written with."""
    here = start = (0.0, 0.0)
    for command, said in re.findall(r"([A-Za-z])([^A-Za-z]*)", path):
        values = numbers(said)
        if command in "Zz":
            here = start
            continue
        if command in "hv":
            values = [values[0], 0] if command == "h" else [0, values[0]]
        pairs = list(zip(values[::2], values[1::2], strict=True))
        origin = here if command.islower() else (0, 0)
        for right, down in pairs:
            here = origin[0] + right, origin[1] + down
            yield here
        start = here if command in "Mm" else start


def test_every_path_goes_where_it_went_to_a_tenth(drawn, slimmed):
    before, after = places(drawn), places(slimmed)
    assert len(before) > 50
    near = [min(max(abs(x - a), abs(y - b)) for a, b in before) for x, y in after]
    assert len(after) == len(before)
    assert max(near) < 0.0501


def path_of(path):
    return ElementTree.fromstring(f'<svg xmlns="{SVG}"><path d="{path}"/></svg>')


def test_lines_of_any_length_keep_their_ends_to_a_tenth():
    path = "M 1.04 2 &#10;L 9.96 2 &#10;M 3 4 &#10;L 5 6 &#10;L 5 1 &#10;z &#10;L 7 7"
    assert slim(path_of(path), "") == '<path d="M1 2h9m-7 2l2 2v-5zl4 3" />\n'


@given(st.lists(st.tuples(st.floats(-999, 999), st.floats(-999, 999)), min_size=1))
def test_steps_add_up_to_the_places_that_were_drawn(points):
    steps = (f"{'L' if n else 'M'} {x:f} {y:f}" for n, (x, y) in enumerate(points))
    (found,) = ElementTree.fromstring(
        f"<svg>{slim(path_of(' '.join(steps)), '')}</svg>"
    )
    for place, point in zip(walked(found.get("d")), points, strict=True):
        assert place == pytest.approx(point, abs=0.0501)


def test_texts_and_what_is_referred_to_stay_and_nothing_else_has_a_name(slimmed):
    root = ElementTree.fromstring(slimmed)
    found = {each.text for each in root.iter(f"{{{SVG}}}text")}
    assert {text.strip() for text in TEXTS} <= found
    names = [e.get("id") for e in root.iter() if e.get("id")]
    referred = {*re.findall(r'(?:href="|url\()#([^")]+)', slimmed)}
    assert {*names} == referred
    assert len(names) == len(referred) > 0
    assert all(name.startswith("f-") for name in names)


def test_it_has_no_style_sheet_and_two_thirds_of_the_bytes(drawn, slimmed):
    assert "<style" not in slimmed
    assert "<g>" not in slimmed
    assert len(slimmed) < len(drawn) * 2 / 3
