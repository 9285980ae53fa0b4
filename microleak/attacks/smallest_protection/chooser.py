"""Choose the level of each fact, see the risk: every combination, within the page."""

import base64
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pandas as pd
from markupsafe import Markup

from microleak.attacks.smallest_protection.shown import (
    LEFT_OUT,
    SearchShown,
    kind_of_loss,
    left_out_of,
    level_text,
    levels_by_qid,
    levels_of,
    loss_text,
)
from microleak.report.page import json_in_page, template
from microleak.report.parts import Filled, Passage
from microleak.report.texts import Voice

_ONE_BYTE = 256  # Texts of a column up to which a byte says which of them a node has


@dataclass(frozen=True)
class LevelChoice:
    """A fact to choose a level of; `levels` are in words, the finest first."""

    name: str
    plain: str
    levels: tuple[str, ...]
    answer: int


@dataclass(frozen=True)
class Told:
    """What is told of each combination: its texts, and which of them each has."""

    heading: str
    texts: tuple[str, ...]
    places: str


@dataclass(frozen=True)
class Chooser:
    """The choices of one search, and what is told of each combination."""

    anchor: str
    place: str
    choices: tuple[LevelChoice, ...]
    told: tuple[Told, ...]

    @property
    def texts(self) -> Markup:
        """The texts of each column, joined, as JSON for HTML."""
        return json_in_page(["|".join(each.texts) for each in self.told])

    @property
    def places(self) -> Markup:
        """Which of them each node has, the level of the last fact changing first."""
        return json_in_page([each.places for each in self.told])


def chooser(shown: SearchShown, anchor: str, voice: Voice) -> Filled | Passage:
    """Return the choices of one search, or why there are none."""
    if shown.lattice.empty:
        return Passage("note", voice.say("smallest_protection.choose_too_many"))
    answer = shown.answer
    found = Chooser(
        anchor=f"{anchor}-levels",
        place=f"smallest_protection:{quote(answer['analysis'])}-nodes",
        choices=tuple(_choices(shown.nodes, answer, voice)),
        told=tuple(_told(shown.lattice, answer, voice)),
    )
    page = template(_FOLDER, "chooser.html.j2")
    html = Markup(page.render(chooser=found, voice=voice))
    return Filled(html, {found.place: found.places})


def _choices(
    nodes: pd.DataFrame, answer: pd.Series, voice: Voice
) -> Iterator[LevelChoice]:
    told = levels_of(answer) | dict.fromkeys(left_out_of(answer), LEFT_OUT)
    for name, levels in levels_by_qid(nodes).items():
        level = told.get(name, "")
        words = (level_text(name, each, voice) for each in levels[1:])
        as_it_is = voice.say("smallest_protection.as_it_is")
        plain = voice.attribute(name)
        yield LevelChoice(name, plain, (as_it_is, *words), levels.index(level))


def _told(lattice: pd.DataFrame, answer: pd.Series, voice: Voice) -> Iterator[Told]:
    """Yield what is told of all nodes, of re-identification and then by attribute."""
    numbers, n, kind = voice.numbers, int(answer["n_records"]), kind_of_loss(answer)

    def of_records(count: int) -> str:
        return numbers.share(count / n)

    def decided(holds: str) -> str:
        key = {"true": "yes", "false": "no"}.get(holds.lower(), "open")
        return voice.say(f"smallest_protection.holds_{key}")

    rows = lattice[lattice["sensitive"] == ""].sort_values("node")
    rows = rows.assign(holds=rows["holds"].astype(str))
    for column, heading, write in (
        ("loss", kind, lambda loss: loss_text(kind, loss, numbers)),
        ("n_alone", "share_alone", of_records),
        ("posterior_prob", "posterior_prob", numbers.share),
        ("smallest_block", "smallest_block", numbers.count),
        ("holds", "holds", decided),
    ):
        (said,) = voice.columns("smallest_protection", heading)
        yield _column(said, rows[column], write)
    for sensitive in dict.fromkeys(filter(None, lattice["sensitive"])):
        rows = lattice[lattice["sensitive"] == sensitive].sort_values("node")
        for column, key, write in (
            ("n_certain", "choose_certain", of_records),
            ("posterior_prob", "choose_right", numbers.share),
        ):
            plain = voice.attribute(sensitive)
            said = voice.say(f"smallest_protection.{key}", sensitive=plain)
            yield _column(said, rows[column], write)


def _column(heading: str, values: Iterable[Any], write: Callable[[Any], str]) -> Told:
    """Return one column, a text of it written once."""
    distinct, place = np.unique(np.array([*values]), return_inverse=True)
    written = [write(value) for value in distinct.tolist()]
    number = {text: i for i, text in enumerate(dict.fromkeys(written))}
    places = np.array([number[text] for text in written])[place]
    stored = places.astype("u1" if len(number) <= _ONE_BYTE else "<u2").tobytes()
    return Told(heading, (*number,), base64.b64encode(stored).decode())


_FOLDER = Path(__file__).parent
SCRIPT = (_FOLDER / "chooser.js").read_text(encoding="utf-8")
"""What fills the numbers in."""
