"""What stands first: what adversaries with a name find, and who has a rarer value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from microleak.attacks.collective.report.findings import (
    Finding,
    certain_row,
    headline_row,
    known,
)
from microleak.report.contents import Adversary, Scope
from microleak.report.parts import Grid
from microleak.report.sentences import capital, uncapital
from microleak.report.texts import Voice
from microleak.tables import rows as tables

MISSING = "true"


@dataclass(frozen=True)
class Subject:
    """One subject of an analysis, with all that its headline is made from.

    Attributes
    ----------
    collective, worst
        Its rows, of every panel.
    adversaries
        Those whose attributes are QIDs of the analysis, as the study names them.
    values
        What is inferred of each value but the most frequent; empty where they are
        many, and for re-identification.
    """

    collective: pd.DataFrame
    worst: pd.DataFrame
    adversaries: Sequence[Adversary] = ()
    values: pd.DataFrame = field(default_factory=pd.DataFrame)

    def found_by(self, adversary: Adversary) -> pd.Series | None:
        """Return the row of what an adversary knows with all releases, if any."""
        last = list(tables.by_panel(self.collective).values())[-1]
        rows = last[last["qids"].map(_set_of) == frozenset(adversary.qids)]
        return None if rows.empty else rows.iloc[0]

    @property
    def last_values(self) -> pd.DataFrame:
        """Values of the last panel, which has all releases."""
        if self.values.empty:
            return self.values
        return list(tables.by_panel(self.values).values())[-1]

    def of_value(self, row: pd.Series) -> pd.DataFrame:
        """Return what is inferred of the value that a row is of, in the last panel."""
        rows = self.last_values
        is_value = rows["value"] == row["value"]
        return rows[is_value & (rows["is_missing"] == row["is_missing"])]

    def value_with(self, value: pd.Series, qids: str) -> pd.Series:
        """Return what is inferred of a value with some QIDs."""
        rows = self.of_value(value)
        return rows[rows["qids"] == qids].iloc[0]


def with_headline(
    found: Finding, subject: Subject, voice: Voice, scope: Scope
) -> Finding:
    """Return a finding that begins with named adversaries and with a rarer value.

    Without either it is as it was. Of several values it tells of that of which most
    people are known: of those that the texts have words for, if any, and of a missing
    one only if there is no other. The table has all.
    """
    value = _headline_value(subject, voice)
    rows = [(who, subject.found_by(who)) for who in subject.adversaries]
    scenarios = tuple(
        _by_adversary(who, row, value, subject, voice, scope)
        for who, row in rows
        if row is not None
    )
    worst = found.worst
    if value is not None:
        worst = (
            _of_value(value, subject, voice, scope),
            found.heading + _majority(subject, voice),
        )
    heading = next(iter((*scenarios, *worst)))
    return replace(found, heading=heading, scenarios=scenarios, worst=worst)


def _headline_value(subject: Subject, voice: Voice) -> pd.Series | None:
    """Return the row that the headline is about.

    It is of the value of which most records are known, with the fewest QIDs that
    make half of them known or, where releases are linked, with all.
    """
    rows = subject.last_values
    if rows.empty:
        return None
    words = voice.texts["members"].get(rows["sensitive"].iloc[0], {})
    choices = (rows["value"].isin([*words]), rows["is_missing"] != MISSING)
    rows = next((rows[each] for each in choices if each.any()), rows)
    most = rows.loc[rows["n_certain"].astype(int).idxmax()]
    of_value = subject.of_value(most)
    worst = of_value.loc[of_value.groupby("n_qids")["n_certain"].idxmax()]
    return worst.iloc[-1] if most["auxiliary"] else headline_row(worst)


def _of_value(row: pd.Series, subject: Subject, voice: Voice, scope: Scope) -> str:
    """Say of how many of those who have a value it is known."""
    qids = tables.qids_of(row)
    number = voice.n_facts(qids)
    kind = "one" if number == 1 else "many"
    return voice.say(
        f"values.{kind if row['n_certain'] else 'none'}",
        Members=capital(_members(row, voice, scope)),
        number=voice.number_word(number),
        qids=known(row, voice, scope),
        cases=_cases(row, voice),
        attributes=voice.attributes(int(subject.last_values["n_qids"].max())),
    )


def _by_adversary(
    who: Adversary,
    row: pd.Series,
    value: pd.Series | None,
    subject: Subject,
    voice: Voice,
    scope: Scope,
) -> str:
    """Say what an adversary finds: persons, a rarer value, or any value."""
    told = {
        "who": _named(who, voice),
        "facts": voice.facts(tables.qids_of(row)),
        "qids": known(row, voice, scope),
    }
    if value is not None:
        found = subject.value_with(value, row["qids"])
        return voice.say(
            f"scenarios.{'value' if found['n_certain'] else 'value_none'}",
            Members=capital(_members(found, voice, scope)),
            cases=_cases(found, voice),
            **told,
        )
    return voice.say(
        f"scenarios.{'infer' if row['sensitive'] else 'reid'}",
        Who=capital(told.pop("who")),
        n=voice.numbers.count(row["n_certain"]),
        n_records=voice.numbers.count(row["n_records"]),
        units=voice.texts["unit"][scope.unit]["many"],
        share=voice.numbers.share(row["posterior_det"]),
        sensitive=voice.attribute(row["sensitive"]),
        **told,
    )


def _named(who: Adversary, voice: Voice) -> str:
    """Name an adversary as the study file does in the language."""
    label = who.labels.get(voice.language)
    return label or voice.say("scenarios.unnamed", name=who.name)


def _members(row: pd.Series, voice: Voice, scope: Scope) -> str:
    """Write how many have a value, as in `of the 12 people with …`."""
    number = int(row["n_members"])
    return voice.say(
        f"values.members_{scope.unit}_{'one' if number == 1 else 'many'}",
        n=voice.numbers.count(number),
        who_has_it=_who_has(row, voice),
    )


def _who_has(row: pd.Series, voice: Voice) -> str:
    """Write who has a value, in words if there are any for it."""
    name = row["sensitive"]
    if row["is_missing"] == MISSING:
        return voice.say("values.missing", attribute=voice.attribute(name))
    words = voice.texts["members"].get(name, {})
    if row["value"] in words:
        return str(words[row["value"]])
    return voice.say(
        "values.having", attribute=voice.attribute(name), value=_short(row["value"])
    )


def _short(value: str) -> str:
    return value if len(value) <= 60 else f"{value[:59]}…"


def _cases(row: pd.Series, voice: Voice) -> str:
    """Write of how many a value is known; nothing where one person has it."""
    if row["n_members"] == 1:
        return ""
    return voice.say(
        f"values.cases_{'one' if row['n_certain'] == 1 else 'many'}",
        n=voice.numbers.count(row["n_certain"]),
        share=voice.numbers.share(row["posterior_det"]),
    )


def _majority(subject: Subject, voice: Voice) -> str:
    """Say that most certain records have the most frequent value, where it is so."""
    row = certain_row(subject.worst)
    values = subject.last_values
    total = int(row["n_certain"])
    most = total - int(values[values["qids"] == row["qids"]]["n_certain"].sum())
    if 2 * most <= total:
        return ""
    return voice.say(
        "values.majority",
        n=voice.numbers.count(most),
        total=voice.numbers.count(total),
        share=voice.numbers.share(most / total),
    )


def _set_of(qids: str) -> frozenset[str]:
    return frozenset(qids.split("|"))


def headline_grids(subject: Subject, voice: Voice, scope: Scope) -> tuple[Grid, ...]:
    """Lay out what each adversary finds, and each value but the most frequent."""
    rows = {
        capital(_named(who, voice)): row
        for who in subject.adversaries
        for row in [subject.found_by(who)]
        if row is not None
    }
    grids = []
    if rows:
        grids.append(_adversary_grid(rows, voice, scope))
    if not subject.last_values.empty:
        grids.append(_value_grid(rows, subject, voice))
    return tuple(grids)


def _adversary_grid(rows: Mapping[str, pd.Series], voice: Voice, scope: Scope) -> Grid:
    family = "infer" if next(iter(rows.values()))["sensitive"] else "reid"
    heads = ("who", "knows", f"certain_{family}", "guess", "prior")
    return Grid(
        caption=voice.say("scenarios.caption"),
        headings=tuple(voice.say(f"scenarios.column_{head}") for head in heads),
        rows=tuple(
            (
                who,
                known(row, voice, scope),
                _part(row["n_certain"], row["posterior_det"], voice),
                voice.numbers.share(row["posterior_prob"]),
                voice.numbers.share(row["prior_prob"]),
            )
            for who, row in rows.items()
        ),
        n_texts=2,
    )


def _value_grid(
    adversaries: Mapping[str, pd.Series], subject: Subject, voice: Voice
) -> Grid:
    """Lay out of how many of each value an adversary is certain."""
    values = subject.last_values
    largest = int(values["n_qids"].max())
    firsts = values.drop_duplicates(["value", "is_missing"])
    ordered = firsts.sort_values("n_members", ascending=False, kind="stable")
    return Grid(
        caption=voice.say("values.caption"),
        headings=(
            voice.say("values.column_value"),
            voice.say("values.column_members"),
            *(
                voice.say("values.column_known", who=uncapital(who))
                for who in adversaries
            ),
            voice.say("values.column_worst", attributes=voice.attributes(largest)),
        ),
        rows=tuple(
            _value_cells(row, adversaries, subject, voice)
            for _, row in ordered.iterrows()
        ),
    )


def _value_cells(
    row: pd.Series,
    adversaries: Mapping[str, pd.Series],
    subject: Subject,
    voice: Voice,
) -> tuple[str, ...]:
    rows = subject.of_value(row)
    by_adversary = [
        subject.value_with(row, of_all["qids"]) for of_all in adversaries.values()
    ]
    worst = rows.loc[rows["n_certain"].astype(int).idxmax()]
    return (
        _label(row, voice),
        voice.numbers.count(row["n_members"]),
        *(
            _part(each["n_certain"], each["posterior_det"], voice)
            for each in [*by_adversary, worst]
        ),
    )


def _label(row: pd.Series, voice: Voice) -> str:
    words = capital(_who_has(row, voice))
    is_coded = row["value"] in voice.texts["members"].get(row["sensitive"], {})
    return f"{words} ({row['value']})" if is_coded else words


def _part(count: int, share: float, voice: Voice) -> str:
    numbers = voice.numbers
    return f"{numbers.count(count)} ({numbers.share(share)})"


def adversaries_of(
    adversaries: Sequence[Adversary], collective: pd.DataFrame
) -> Iterator[Adversary]:
    """Yield those who know nothing but QIDs of an analysis."""
    qids = set(tables.all_qids(collective))
    yield from (who for who in adversaries if set(who.qids) <= qids)
