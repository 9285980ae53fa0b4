"""What collective attacks reply to the questions of the first screen."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from microleak.attacks.collective.report.contents import Scope
from microleak.attacks.collective.report.contributions import most_brought
from microleak.attacks.collective.report.findings import highest_row, known
from microleak.attacks.collective.report.headline import (
    Subject,
    cases_of,
    leading,
    members_of,
    named,
    row_anchor,
    who_has,
)
from microleak.report.parts import Bar, Link, Reply, definition_anchor
from microleak.report.texts import Voice, capital
from microleak.tables import rows as tables

_MOST_SIZES = 5


@dataclass(frozen=True)
class Asked:
    """Who attacks on the first screen, and what is found.

    Attributes
    ----------
    who
        The first adversary whom the study names, or nobody in particular.
    row
        What is known and found, of all releases that are linked.
    """

    who: str
    row: pd.Series


def replies(
    subject: Subject, brought: pd.DataFrame, part: str, voice: Voice, scope: Scope
) -> tuple[Reply, ...]:
    """Return what one subject of an analysis replies.

    Parameters
    ----------
    subject
        Its tables and adversaries.
    brought
        Importance of the subject; may be empty.
    part
        Anchor of its part of the page.
    voice
        The language.
    scope
        What a record stands for.
    """
    asked = _asked(subject, voice)
    if asked.row["sensitive"]:
        return (_learns(asked, subject, part, voice, scope),)
    return tuple(_found(asked, subject, brought, part, voice, scope))


def _asked(subject: Subject, voice: Voice) -> Asked:
    for who in subject.adversaries:
        row = subject.found_by(who)
        if row is not None:
            return Asked(named(who, voice), row)
    return Asked(voice.say("replies.anybody"), highest_row(subject.worst))


def _sources(part: str, word: str, row: pd.Series, voice: Voice) -> tuple[Link, ...]:
    """Return where the row, the equation and the file of a number are."""
    return (
        Link(voice.say("answer.row"), f"#{row_anchor(part)}"),
        Link(voice.say("answer.equation"), f"#{definition_anchor(word, voice)}"),
        Link(voice.say("answer.file"), f"data/{row['analysis']}-collective.csv"),
    )


def _found(
    asked: Asked,
    subject: Subject,
    brought: pd.DataFrame,
    part: str,
    voice: Voice,
    scope: Scope,
) -> Iterator[Reply]:
    """Yield who finds whom, which attribute helps most, and how sure that is."""
    row, names = asked.row, voice.texts["unit"][scope.unit]
    sources = _sources(part, "deterministic", row, voice)
    told = {
        "Who": capital(asked.who),
        "qids": known(row, voice, scope),
        "n": voice.numbers.count(row["n_certain"]),
        "n_records": voice.numbers.count(row["n_records"]),
        "units": names["many"],
        "share": voice.numbers.share(row["posterior_det"]),
        "guess": voice.numbers.share(row["posterior_prob"]),
        "prior": voice.numbers.share(row["prior_prob"]),
    }
    yield Reply(
        "find",
        voice.say(f"replies.{'find' if row['n_certain'] else 'find_none'}", **told),
        f"#{part}",
        sources,
        tuple(_found_bars(row, subject, voice)),
        voice.say("replies.found_title", of_units=names["of_many"]),
    )
    if sentence := most_brought(brought, voice):
        file = Link(
            voice.say("answer.file"), f"data/{row['analysis']}-importance.csv"
        )
        equation = definition_anchor("importance", voice)
        links = (Link(voice.say("answer.equation"), f"#{equation}"), file)
        yield Reply("help", sentence, f"#{part}", links, is_second=True)
    sure = voice.say("replies.sure", **told)
    yield Reply("sure", sure, f"#{part}", (_limits(voice),))


def _limits(voice: Voice) -> Link:
    return Link(voice.say("glossary_page.limits_heading"), f"#{voice.language}-limits")


def _found_bars(row: pd.Series, subject: Subject, voice: Voice) -> Iterator[Bar]:
    """Yield what each adversary finds or, without any, the worst of some sizes."""

    def bar(label: str, share: float) -> Bar:
        return Bar(label, float(share), voice.numbers.share(share))

    yield bar(voice.say("replies.nothing_known"), row["prior_prob"])
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
    asked: Asked, subject: Subject, part: str, voice: Voice, scope: Scope
) -> Reply:
    """Return what is learnt of those with a rarer value, or of anybody."""
    row, names = asked.row, voice.texts["unit"][scope.unit]
    values = subject.values_with(row["qids"])
    told = {
        "who": asked.who,
        "Who": capital(asked.who),
        "sensitive": voice.attribute(row["sensitive"]),
        "prior": voice.numbers.share(row["prior_prob"]),
        "of_units": names["of_many"],
    }
    if not values.empty and (found := leading(values, voice))["n_certain"]:
        key, label = "learn_value", capital(who_has(found, voice))
        title = voice.say("replies.learnt_title", **told)
        told["Members"] = capital(members_of(found, voice, scope))
        told["cases"] = cases_of(found, voice)
    else:
        key, label, found = "learn", voice.attribute(row["sensitive"]), row
        title = voice.say("replies.inferred_title", **told)
    share = voice.numbers.share(found["posterior_det"])
    text = voice.say(
        f"replies.{key}", n=voice.numbers.count(found["n_certain"]), share=share, **told
    )
    bars = (Bar(label, float(found["posterior_det"]), share),)
    sources = _sources(part, "deterministic", row, voice)
    return Reply("learn", text, f"#{part}", sources, bars, title)

