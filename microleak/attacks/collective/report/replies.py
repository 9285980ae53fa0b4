"""What collective attacks reply to the questions of the first screen."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pandas as pd

from microleak.attacks.collective.report.contents import Scope, unit_words
from microleak.attacks.collective.report.contributions import most_brought
from microleak.attacks.collective.report.findings import known
from microleak.attacks.collective.report.headline import (
    Subject,
    cases_of,
    leading,
    named,
    row_anchor,
    value_anchor,
)
from microleak.report.members import who_has
from microleak.report.parts import (
    Bars,
    Link,
    Reply,
    ShareBar,
    definition_anchor,
    limits_link,
)
from microleak.report.texts import Voice, capital
from microleak.tables import rows as tables

_MOST_SIZES = 5


@dataclass(frozen=True)
class ToldOfSubject:
    """What the part of one subject tells, and where."""

    analysis: str  # Name in the study file
    part: str  # Anchor of the part
    subject: Subject  # Its tables and adversaries
    brought: pd.DataFrame  # Importance of its attributes
    adds: str

    def asked(self, voice: Voice) -> tuple[str, pd.Series]:
        """Return who attacks on the first screen, and the row of what is found."""
        who, row = self.subject.asked
        if who:
            return named(who, voice), row
        key = "anybody_who" if row["sensitive"] else "anybody"
        return voice.say(f"replies.{key}", row), row

    def is_of_largest(self, row: pd.Series) -> bool:
        """Whether a row is of the set of QIDs that `adds` tells of."""
        full = tables.full_set(self.subject.collective, self.subject.worst)
        return bool(row["qids"] == full["qids"].iloc[0])

    def sources(self, voice: Voice, *, of_value: bool = False) -> tuple[Link, ...]:
        """Return where the row, the equation and the file of certainty are.

        Of all records, or of those who have the value that is told of.
        """
        equation = definition_anchor("deterministic", voice)
        row = value_anchor(self.part) if of_value else row_anchor(self.part)
        return (
            Link(voice.say("answer.row"), f"#{row}"),
            Link(voice.say("answer.equation"), f"#{equation}"),
            self.file("values" if of_value else "collective", voice),
        )

    def file(self, table: str, voice: Voice) -> Link:
        """Return where a table is."""
        path = quote(f"data/{self.analysis}-{table}.csv")
        return Link(voice.say("answer.file"), path)


def replies(told: ToldOfSubject, voice: Voice, scope: Scope) -> tuple[Reply, ...]:
    """Return what one subject of an analysis replies."""
    who, row = told.asked(voice)
    words = {
        **row,
        "who": who,
        "Who": capital(who),
        "known": known(row, voice, scope),
        **unit_words(scope.unit, voice),
    }
    if row["sensitive"]:
        return (_learns(told, row, words, voice, scope),)
    return tuple(_finds(told, row, words, voice))


def _finds(
    told: ToldOfSubject, row: pd.Series, words: Mapping[str, Any], voice: Voice
) -> Iterator[Reply]:
    """Yield who finds whom, which attribute helps most, and how sure that is."""
    href = f"#{told.part}"
    found = ("find", "guess") if row["n_certain"] > 0 else ("none", "best_guess")
    first, second = (voice.say(f"replies.{key}", words) for key in found)
    if told.adds and told.is_of_largest(row):
        first = told.adds
    title = voice.say("replies.found_title", words)
    bars = Bars(title, tuple(_found_bars(row, told.subject, voice)))
    yield Reply("find", f"{first} {second}", href, told.sources(voice), bars)
    if sentence := most_brought(told.brought, voice):
        anchor = definition_anchor("importance", voice)
        equation = Link(voice.say("answer.equation"), f"#{anchor}")
        links = (equation, told.file("importance", voice))
        yield Reply("help", sentence, href, links, rank=1)
    sure = voice.say("replies.sure", words)
    yield Reply("sure", sure, href, (limits_link(voice),))


def _found_bars(row: pd.Series, subject: Subject, voice: Voice) -> Iterator[ShareBar]:
    """Yield what each adversary finds or, without any, the worst of some sizes."""

    def bar(label: str, share: float) -> ShareBar:
        """Return a bar of a share, which is written beside it."""
        return ShareBar(label, float(share), voice.numbers.share(share))

    yield bar(voice.say("replies.nothing_known"), row["prior_det"])
    rows = [(who, subject.found_by(who)) for who in subject.adversaries]
    labelled = [(capital(named(who, voice)), r) for who, r in rows if r is not None]
    for label, found in labelled or _sizes(subject.worst, voice):
        yield bar(label, found["posterior_det"])


def _sizes(worst: pd.DataFrame, voice: Voice) -> Sequence[tuple[str, pd.Series]]:
    """Return the worst of up to five numbers of attributes, the last one with them."""
    panel = list(tables.by_panel(worst).values())[-1]
    certain = panel[panel["criterion"] == "deterministic"].sort_values("n_qids")
    step = -(-len(certain) // _MOST_SIZES)
    return [
        (voice.attributes(int(row["n_qids"])), row)
        for _, row in certain[::-1][::step][::-1].iterrows()
    ]


def _learns(
    told: ToldOfSubject,
    row: pd.Series,
    words: Mapping[str, Any],
    voice: Voice,
    scope: Scope,
) -> Reply:
    """Return what is learnt of those with a rarer value, or of all."""
    key, found = "learn" if row["n_certain"] else "learn_none", row
    label = voice.attribute(row["sensitive"])
    title = voice.say("replies.inferred_title", words)
    values = told.subject.values_with(row["qids"])
    is_of_some = not values.empty and row["n_certain"] < row["n_records"]
    if is_of_some and (value := leading(values, voice))["n_certain"]:
        key, found = "learn_value", value
        label = capital(who_has(value, voice))
        title = voice.say("replies.learnt_title", words)
        words = {**words, "cases": cases_of(value, voice, scope)}
    share = float(found["posterior_det"])
    return Reply(
        "learn",
        voice.say(f"replies.{key}", words),
        f"#{told.part}",
        told.sources(voice, of_value=key == "learn_value"),
        Bars(title, (ShareBar(label, share, voice.numbers.share(share)),)),
    )
