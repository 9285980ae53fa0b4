"""What a search replies on the first screen, and what its target bounds."""

from collections.abc import Iterable, Iterator

import pandas as pd

from microleak.attacks.smallest_protection.members import exposed_text
from microleak.attacks.smallest_protection.shown import SearchShown, levels_by_qid
from microleak.attacks.smallest_protection.wording import (
    bounds_of,
    change_text,
    is_of_some,
    kind_of_loss,
    said_lost,
    target_text,
)
from microleak.report.parts import Drawing, Link, Place, Reply
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_LARGE = 0.1
"""Share of the people, guessed right beyond those guessed without any fact, from which
it is told where the target does not bound it."""

_OF_SENSITIVE = {
    "certain": "n_certain",
    "inferred": "posterior_prob",
    "l": "least_distinct",
    "own_record": "own_record",
}
"""Columns of what a target bounds of sensitive attributes."""


def reply(shown: SearchShown, place: Place, drawing: Drawing) -> Reply:
    """Return the smallest change, what it brings and costs, and how it is proved."""
    # `drawing` is the figure of the search, whose title says who is unique.
    voice, row = place.voice, shown.answer
    said = [
        place.say(
            f"reply{'' if row['n_changed'] else '_none'}",
            change=change_text(row, voice),
            target=target_text(row, voice),
            figures=_figures(_bounded(row), shown, place),
        )
    ]
    if made := _made(place, shown):
        said.append(place.say("reply_made", name=made))
    if row["n_changed"]:
        # That no other would do with less.
        key = "cost" if kind_of_loss(row) == "information" else "costs"
        told = {"lost": said_lost(row, voice), "n_nodes": shown.n_nodes}
        said.append(place.say(f"reply_{key}", row, **told))
    said += _unbounded(shown, _adversary(place, shown), place)
    files = {"witnesses": "reply_deciding", "exposed": "reply_by_value"}
    sources = (
        *place.sources("smallest_protection"),
        *(
            Link(place.say(key), place.path(table))
            for table, key in files.items()
            if table in place.files
        ),
    )
    return Reply("help", " ".join(said), f"#{place.anchor}", sources, drawing)


def _made(place: Place, shown: SearchShown) -> str:
    """Return the name of a release of the study that has the change; empty if none."""
    row, levels = shown.answer, levels_by_qid(shown.nodes)
    told = [each.rpartition(":") for each in row["levels"].split("|")]
    wanted = {qid: levels[qid].index(level) for qid, _, level in told if qid}
    left_out = {*row["left_out"].split("|")}
    made = place.facts.get("made", {}).get(place.analysis, {})
    names = [
        name
        for name, each in made.items()
        if {q for q in levels if q in each["dropped"]} == left_out - {""}
        and {q: n for q, n in each["levels"].items() if n and q in levels} == wanted
    ]
    return names[0] if names and row["n_changed"] else ""


def _adversary(place: Place, shown: SearchShown) -> str:
    """Name who knows the QIDs, as the study file does if it does."""
    qids = {*tables.qids_of(shown.answer)}
    for who in place.facts.get("adversaries", ()):
        label = who["labels"].get(place.voice.language)
        if label and {*who["qids"]} == qids:
            return str(label)
    return place.voice.say("smallest_protection.members_who")


def figures_text(shown: SearchShown, place: Place) -> str:
    """Write each measure that the target bounds, and what it was before."""
    # Who is unique is told in any case.
    names = dict.fromkeys((*_bounded(shown.answer), "alone"))
    return _figures(names, shown, place)


def _bounded(row: pd.Series) -> Iterable[str]:
    """Return the measures that the target bounds."""
    # It is who is unique where the adversary knows some of the facts, as tables have
    # the measures of all.
    return ["alone"] if is_of_some(row) else bounds_of(row)


def _figures(names: Iterable[str], shown: SearchShown, place: Place) -> str:
    return place.voice.listing(_figure(name, shown, place) for name in names)


def _figure(name: str, shown: SearchShown, place: Place) -> str:
    """Write what a measure is, and in brackets what it was before."""
    voice, sensitive = place.voice, ""
    rows = shown.as_it_is, shown.answer
    if name in _OF_SENSITIVE:
        after = shown.inferred[shown.inferred["is_answer"]]
        worst = after[_OF_SENSITIVE[name]].astype(float)
        at = worst.idxmin() if name == "l" else worst.idxmax()
        sensitive = after.loc[at, "sensitive"]
        rows = shown.of_sensitive(sensitive)
    before, now = (_value(name, row) for row in rows)
    any_of = "_any" if is_of_some(shown.answer) else ""
    nobody = "_nobody" if not now and name in ("alone", "certain") else ""
    said = place.say(
        f"figure_{name}{any_of}{nobody}",
        value=_written(name, now, voice),
        sensitive=voice.attribute(sensitive),
    )
    if not shown.answer["n_changed"]:
        return said
    return place.say("figure_before", figure=said, before=_written(name, before, voice))


def _value(name: str, row: pd.Series) -> float:
    """Return what a target bounds of a node: a count of `k` and `l`, else a share."""
    columns = {"k": "smallest_block", "alone": "n_alone", **_OF_SENSITIVE}
    column = columns.get(name, "posterior_prob")
    is_of_records = column in ("n_alone", "n_certain")
    return float(row[column]) / (int(row["n_records"]) if is_of_records else 1)


def _written(name: str, value: float, voice: Voice) -> str:
    numbers = voice.numbers
    return numbers.count(value) if name in ("k", "l") else numbers.share(value)


def _unbounded(shown: SearchShown, who: str, place: Place) -> Iterator[str]:
    """Yield what is learnt of sensitive values that the target does not bound."""
    # Of how many who have a value it is certain, without such values of how many people
    # one is; and that one is guessed more often than without any fact.
    bounds, after = bounds_of(shown.answer), shown.inferred[shown.inferred["is_answer"]]
    exposed = [*exposed_text(shown, who, place)]
    yield from exposed
    if exposed and not {*_OF_SENSITIVE} & {*bounds}:
        yield place.say("unbounded")
    if after.empty or "inferred" in bounds:
        return
    most = after.loc[after["n_certain"].astype(int).idxmax()]
    is_bounded = bool({"certain", "l"} & {*bounds})
    is_large = most["n_certain"] >= _LARGE * most["n_records"]
    guessed = "" if is_large and not is_bounded else _guessed(shown, after, place)
    if guessed:
        yield guessed
    elif not is_bounded and not exposed:
        before, _ = shown.of_sensitive(most["sensitive"])
        certain, was = (int(row["n_certain"]) for row in (most, before))
        shares = {
            "certain": certain / most["n_records"],
            "before": was / most["n_records"],
        }
        yield place.say("unbounded_certain", most, **shares)


def _guessed(shown: SearchShown, after: pd.DataFrame, place: Place) -> str:
    """Write that a value is guessed right more often than without any fact, if so."""
    for _, row in after.iterrows():
        prior = shown.prior(row["sensitive"])
        if prior is not None and row["posterior_prob"] - prior >= _LARGE:
            return place.say("unbounded_guessed", row, prior=prior)
    return ""
