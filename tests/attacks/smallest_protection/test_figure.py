"""The picture of a search: what is bounded on its axis, and the limit as a line."""

from xml.etree import ElementTree

import pandas as pd
import pytest

from microleak.attacks.smallest_protection.figure import draw_frontier
from microleak.attacks.smallest_protection.shown import limit_of, shown_of
from microleak.report.texts import voice
from tests.attacks.smallest_protection.shown_rows import CUTS, NODES
from tests.attacks.smallest_protection.test_smallest_protection import (
    searched,
    told_of,
)


def drawn(rows=NODES, language="en"):
    """What is written in the figure, its lines in one text."""
    shown = shown_of(rows, CUTS[:0], pd.DataFrame(), pd.DataFrame())
    svg = draw_frontier(shown, voice(language).words(is_synthetic=True))
    texts = (each.text or "" for each in ElementTree.fromstring(svg).iter())
    return " ".join(text.strip() for text in texts if text.strip())


def test_a_panel_a_bound_has_its_limit_the_release_and_the_answer(language, named):
    said = drawn(language=language)
    for each in named:
        assert each in said


def test_of_several_sensitive_attributes_none_is_named():
    pay = NODES[NODES["sensitive"] == "ILL"].assign(sensitive="PAY")
    said = drawn(pd.concat([NODES, pay]).assign(target="reidentified:1/5|certain:1/9"))
    assert "People re-identified by the best guess (dashed line: at most 20%)" in said
    assert "People with a sensitive value that is certain" in said


def test_there_is_no_limit_line_for_shares_that_it_is_not_of():
    """The limit is of any one of two facts, the shares are of both."""
    assert "dashed line" not in drawn(NODES.assign(n_known=1))


@pytest.mark.parametrize(
    "target",
    [
        {"k": 2},
        {"l": 2},
        {"alone": "1/5", "reidentified": "3/5"},
        {"certain": "2/5", "inferred": "4/5"},
        {"own_record": "1/5"},
    ],
)
def test_a_node_keeps_to_the_target_if_what_is_drawn_is_within_each_limit(target):
    """So no point below all lines loses less than the answer."""
    nodes, *others = told_of(searched(target, sensitive=["ill"]))
    shown = shown_of(nodes, *others)
    within = pd.DataFrame(
        {
            name: shown.bounded(name) <= float(limit_of(shown.answer, name)) + 1e-12
            for name in target
        }
    )
    is_decided = shown.nodes["holds"] | (shown.nodes["loss"] <= shown.answer["loss"])
    assert (within.all(axis=1) == shown.nodes["holds"])[is_decided].all()
    assert len(shown.nodes) == 9
