"""Choose the level of each fact, see the risk: every combination, within the page."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from microleak.figures.numbers import Numbers
from microleak.report.page import json_in_page, template
from microleak.report.parts import Filled
from microleak.report.texts import Voice
from microleak.tables import rows as tables

LEFT_OUT = "left out"
"""The last level of each QID, where others have their names as in the table."""

Say = Callable[[str, str], str]
"""Says in words which level a QID is on."""


@dataclass(frozen=True)
class Choice:
    """A fact to choose a level of; `levels` are in words, the finest first."""

    name: str
    plain: str
    levels: tuple[str, ...]
    answer: int


@dataclass(frozen=True)
class Chooser:
    """The choices of one search, and what is told of each combination."""

    anchor: str
    analysis: str
    choices: tuple[Choice, ...]
    headings: tuple[str, ...]
    told: tuple[tuple[str, ...], ...]

    @property
    def numbers(self) -> Markup:
        """What is told, the level of the last fact changing first, as JSON for HTML."""
        return json_in_page(self.told)


def levels_by_qid(nodes: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """Return the names of each QID's levels, from that as it is to the last.

    Parameters
    ----------
    nodes
        A row a node, texts never missing; among them all changes of one QID.
    """
    names = tables.qids_of(nodes.iloc[0])
    levels: dict[str, list[str]] = {name: [""] for name in names}
    singles = nodes[nodes["n_changed"] == 1].sort_values("information", kind="stable")
    for told, left_out in zip(singles["levels"], singles["left_out"], strict=True):
        if not left_out:
            name, _, level = told.rpartition(":")
            levels[name].append(level)
    return {name: (*found, LEFT_OUT) for name, found in levels.items()}


def chooser(
    nodes: pd.DataFrame, inferred: pd.DataFrame, anchor: str, say: Say, voice: Voice
) -> Iterator[Filled]:
    """Yield the choices of one search, if its table has every combination.

    Parameters
    ----------
    nodes, inferred
        Rows of re-identification and of each inference, texts never missing.
    anchor
        Where it is on the page.
    say
        Says in words which level a QID is on; `left out` of one that is not there.
    voice
        The language.
    """
    levels = levels_by_qid(nodes)
    if len(nodes) != prod(map(len, levels.values())) or len(nodes) < 2:
        return
    attributes = [*dict.fromkeys(inferred["sensitive"])]
    ordered = nodes.assign(place=_places(nodes, levels)).sort_values("place")
    told = [_told(ordered, voice)]
    for sensitive in attributes:
        rows = inferred[inferred["sensitive"] == sensitive]
        rows = rows.assign(place=_places(rows, levels)).sort_values("place")
        told.append(_inferred(rows, voice))
    answer = nodes[nodes["is_answer"]].iloc[0]
    on = _levels_of(answer, levels)
    lost = kind_of_loss(answer)
    headings = [*voice.columns("smallest_protection", lost, "alone", "right")]
    headings += voice.columns("smallest_protection", "smallest", "holds")
    for sensitive in attributes:
        for key in ("choose_certain", "choose_right"):
            said = voice.say(
                f"smallest_protection.{key}", sensitive=voice.attribute(sensitive)
            )
            headings.append(said)
    found = Chooser(
        anchor=f"{anchor}-levels",
        analysis=str(answer["analysis"]),
        choices=tuple(
            Choice(
                name,
                voice.attribute(name),
                (
                    voice.say("smallest_protection.as_it_is"),
                    *(say(name, level) for level in each[1:]),
                ),
                on[name],
            )
            for name, each in levels.items()
        ),
        headings=tuple(headings),
        told=tuple(
            tuple(text for part in of_node for text in part)
            for of_node in zip(*told, strict=True)
        ),
    )
    yield Filled(Markup(_TEMPLATE.render(chooser=found, voice=voice)))


def _levels_of(row: pd.Series, levels: dict[str, tuple[str, ...]]) -> dict[str, int]:
    """Return the level of each QID, as its place among them."""
    told = dict(each.rsplit(":", 1) for each in filter(None, row["levels"].split("|")))
    left_out = row["left_out"].split("|")
    return {
        name: len(each) - 1 if name in left_out else each.index(told.get(name, ""))
        for name, each in levels.items()
    }


def kind_of_loss(row: pd.Series) -> str:
    """Return what is lost, without what it is of."""
    return str(row["loss_of"].partition(":")[0])


def loss_text(kind: str, loss: float, numbers: Numbers) -> str:
    """Write a loss: a share, or standard deviations."""
    return numbers.ratio(loss) if kind == "regression" else numbers.share(loss)


def _places(rows: pd.DataFrame, levels: dict[str, tuple[str, ...]]) -> list[int]:
    """Return the number of each node, the level of the last QID changing first."""
    found = []
    for _, row in rows.iterrows():
        place = 0
        for name, level in _levels_of(row, levels).items():
            place = place * len(levels[name]) + level
        found.append(place)
    return found


def _told(rows: pd.DataFrame, voice: Voice) -> list[tuple[str, ...]]:
    numbers, n = voice.numbers, int(rows["n_records"].iloc[0])
    kind = kind_of_loss(rows.iloc[0])
    return [
        (
            loss_text(kind, row["loss"], numbers),
            numbers.share(int(row["n_alone"]) / n),
            numbers.share(row["posterior_prob"]),
            numbers.count(row["smallest_block"]),
            voice.say(f"smallest_protection.holds_{'yes' if row['holds'] else 'no'}"),
        )
        for _, row in rows.iterrows()
    ]


def _inferred(rows: pd.DataFrame, voice: Voice) -> list[tuple[str, ...]]:
    numbers, n = voice.numbers, int(rows["n_records"].iloc[0])
    return [
        (
            numbers.share(int(row["n_certain"]) / n),
            numbers.share(row["posterior_prob"]),
        )
        for _, row in rows.iterrows()
    ]


_FOLDER = Path(__file__).parent
SCRIPT = (_FOLDER / "chooser.js").read_text(encoding="utf-8")
"""What fills the numbers in."""

_TEMPLATE = template(_FOLDER, "chooser.html.j2")
