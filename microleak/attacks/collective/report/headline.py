"""What stands first: what adversaries with a name find, and who has a rarer value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from microleak.attacks.collective.report.contents import Adversary, Scope, unit_words
from microleak.attacks.collective.report.findings import (
    Finding,
    attack_kind,
    certain_row,
    fewer_facts,
    first_highest,
    headline_row,
    highest,
    highest_row,
    known,
    own_record,
)
from microleak.attacks.collective.report.worst import worst_row
from microleak.report.members import value_label, who_has
from microleak.report.parts import Grid
from microleak.report.texts import Voice, capital, uncapital
from microleak.tables import rows as tables

MISSING = "true"


@dataclass(frozen=True)
class Subject:
    """One subject of an analysis, with all that its headline is made from."""

    # Its rows, of every panel
    collective: pd.DataFrame
    worst: pd.DataFrame
    adversaries: Sequence[Adversary] = ()
    values: pd.DataFrame = field(default_factory=pd.DataFrame)
    first: "Subject | None" = None

    def found_by(self, adversary: Adversary) -> pd.Series | None:
        """Return the row of what an adversary knows with all releases, if any."""
        last = list(tables.by_panel(self.collective).values())[-1]
        rows = last[last["qids"].map(_set_of) == frozenset(adversary.qids)]
        return None if rows.empty else rows.iloc[0]

    @property
    def asked(self) -> tuple[Adversary | None, pd.Series]:
        """Who attacks on the first screen, and the row of what is found.

        It is the first adversary whom the study names or, without one, anybody who
        knows the worst combination; of all releases that are linked.
        """
        for who in self.adversaries:
            if (row := self.found_by(who)) is not None:
                return who, row
        return None, highest_row(self.worst)

    @property
    def has_all_subsets(self) -> bool:
        """Whether all subsets of its QIDs were measured."""
        n_qids = len(tables.all_qids(self.collective))
        return bool(self.collective["qids"].nunique() == 2**n_qids - 1)

    @property
    def last_values(self) -> pd.DataFrame:
        """Values of the last panel, which has all releases."""
        if self.values.empty:
            return self.values
        return list(tables.by_panel(self.values).values())[-1]

    def of_value(self, row: pd.Series) -> pd.DataFrame:
        """Return what is inferred of the value that a row is of, in the last panel."""
        rows = self.last_values
        if rows.empty:
            return rows
        is_value = rows["value"] == row["value"]
        return rows[is_value & (rows["is_missing"] == row["is_missing"])]

    def fewer_row(self) -> pd.Series:
        """Return the row that is told of beside that with the highest certainty."""
        own = certain_row(self.worst)
        if self.first is None:
            return own
        qids = certain_row(self.first.worst)["qids"]
        return _row_with(qids, self.collective, own)

    def fewer_row_of_value(self, value: pd.Series) -> pd.Series:
        """Return the same for a value."""
        rows = self.of_value(value)
        own = headline_row(_worst_by_size(rows))
        of_first = rows.iloc[:0] if self.first is None else self.first.of_value(value)
        if of_first.empty:
            return own
        return _row_with(headline_row(_worst_by_size(of_first))["qids"], rows, own)

    def values_with(self, qids: str) -> pd.DataFrame:
        """Return what is inferred of each value with some QIDs, in the last panel."""
        rows = self.last_values
        return rows if rows.empty else rows[rows["qids"] == qids]

    @property
    def rarer_values(self) -> pd.DataFrame:
        """One row of each value but the most frequent, which says how many have it."""
        return self.last_values.drop_duplicates(["value", "is_missing"])


def with_headline(
    found: Finding, subject: Subject, voice: Voice, scope: Scope
) -> Finding:
    """Return a finding that begins with adversaries and a rarer value.

    What the own record adds is told of the first adversary or, without one, of the
    highest best guess; and of inference alone. Without any of the three the finding is
    as it was. Of several values each sentence tells of the one of which most people are
    known to its own adversary (`leading`); that none is known is said of all of them
    together. The table has each.
    """
    value = _worst_value(subject, voice)
    rows = [(who, subject.found_by(who)) for who in subject.adversaries]
    scenarios = tuple(
        _by_adversary(who, row, subject, voice, scope)
        for who, row in rows
        if row is not None
    )
    worst = found.worst
    if value is not None:
        worst = (
            _of_value(value, subject, voice, scope),
            highest(subject.worst, voice, scope) + _majority(subject, voice),
        )
    told = [row for _, row in rows if row is not None]
    first = told[0] if told else worst_row(subject.worst)
    is_most = not subject.has_all_subsets
    own, numbers = (
        own_record(first, is_most, voice, scope) if first["sensitive"] else ("", "")
    )
    return replace(
        found,
        heading=next(iter((*scenarios, *worst))),
        own=own,
        scenarios=scenarios,
        worst=worst,
        sentences=(*filter(None, [numbers]), *found.sentences),
    )


def leading(rows: pd.DataFrame, voice: Voice) -> pd.Series:
    """Return the row of several values that a sentence tells of.

    It is of a value of which somebody is known if there is one, of one that the texts
    have words for, and not of a missing one; of those left it has most members who are
    known, and then most who are likely to be.
    """
    words = voice.texts["members"].get(rows["sensitive"].iloc[0], {})
    counts = rows[["n_certain", "n_likely"]].astype(int)
    ranks = pd.DataFrame(
        {
            "is_known": counts["n_certain"] > 0,
            "has_words": rows["value"].isin([*words]),
            "is_given": rows["is_missing"] != MISSING,
        }
    ).join(counts)
    order = ranks.sort_values([*ranks], ascending=False, kind="stable")
    return rows.loc[order.index[0]]


def _worst_value(subject: Subject, voice: Voice) -> pd.Series | None:
    """Return the row of the leading value with which most members are known.

    It has the fewest QIDs with which they are or, where releases are linked, all.
    """
    if subject.last_values.empty:
        return None
    most = leading(subject.last_values, voice)
    worst = _worst_by_size(subject.of_value(most))
    return worst.iloc[-1] if most["auxiliary"] else first_highest(worst)


def _worst_by_size(of_value: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a value with which most members are known, by rising size."""
    return of_value.loc[of_value.groupby("n_qids")["n_certain"].idxmax()]


def _of_value(row: pd.Series, subject: Subject, voice: Voice, scope: Scope) -> str:
    """Write for how many of those who have a value it is known."""
    number = len(tables.qids_of(row))
    kind = "one" if number == 1 else "many"
    members, none = _members_told(row, subject, voice, scope)
    cases = cases_of(row, voice, scope)
    if row["n_members"] != 1:
        cases += voice.say("values.highest")
    if not row["auxiliary"]:
        fewer = subject.fewer_row_of_value(row)
        told = _part(fewer["n_certain"], fewer["posterior_det"], voice)
        cases += fewer_facts(fewer, row, told, voice)
    return voice.say(
        f"values.{kind if row['n_certain'] else none}",
        Members=capital(members),
        Number=capital(voice.number_word(number)),
        known=known(row, voice, scope),
        cases=cases,
        attributes=voice.attributes(int(subject.last_values["n_qids"].max())),
    )


def _by_adversary(
    who: Adversary,
    row: pd.Series,
    subject: Subject,
    voice: Voice,
    scope: Scope,
) -> str:
    """Write what an adversary finds: persons, a rarer value, or any value."""
    name = named(who, voice)
    told = {"who": name, "Who": capital(name), "known": known(row, voice, scope)}
    values = subject.values_with(row["qids"])
    if not values.empty:
        found = leading(values, voice)
        members, none = _members_told(found, subject, voice, scope)
        kind = "value" if found["n_certain"] else f"value_{none}"
        told |= {"Members": capital(members), "cases": cases_of(found, voice, scope)}
        return voice.say(f"scenarios.{kind}", row, **told)
    key = f"scenarios.{attack_kind(row)}{'' if row['n_certain'] else '_none'}"
    return voice.say(key, row, **told, **unit_words(scope.unit, voice))


def named(who: Adversary, voice: Voice) -> str:
    """Name an adversary as the study file does in the language."""
    label = who.labels.get(voice.language)
    return label or voice.say("scenarios.unnamed", name=who.name)


def _members_told(
    row: pd.Series, subject: Subject, voice: Voice, scope: Scope
) -> tuple[str, str]:
    """Write of whom a row of `leading` tells, and with which text if none is known.

    If none is, it tells of everybody who has another value than the most frequent.
    """
    rarer = subject.rarer_values
    if row["n_certain"] or len(rarer) == 1:
        return members_of(row, voice, scope), "none"
    n_members = int(rarer["n_members"].sum())
    key = f"values.members_{scope.unit}_rarer"
    return voice.say(key, row, n_members=n_members), "none_rarer"


def members_of(row: pd.Series, voice: Voice, scope: Scope) -> str:
    """Write how many have a value, as in `of the 12 people with …`."""
    key = f"values.members_{scope.unit}_{'one' if row['n_members'] == 1 else 'many'}"
    return voice.say(key, row, who_has_it=who_has(row, voice))


def cases_of(row: pd.Series, voice: Voice, scope: Scope) -> str:
    """Write of how many a value is known, as in `9 (75.00%) of the 12 people with …`.

    Where one person has it, it is known of that person.
    """
    if row["n_members"] == 1:
        told = who_has(row, voice)
        return voice.say(f"values.cases_{scope.unit}", who_has_it=told)
    return voice.say("values.cases_many", row, members=members_of(row, voice, scope))


def _majority(subject: Subject, voice: Voice) -> str:
    """Write that most certain records have the most frequent value, where it is so."""
    row = highest_row(subject.worst)
    total = int(row["n_certain"])
    n = total - int(subject.values_with(row["qids"])["n_certain"].sum())
    if 2 * n <= total:
        return ""
    return voice.say("values.majority", n=n, total=total, share=n / total)


def _row_with(qids: str, rows: pd.DataFrame, otherwise: pd.Series) -> pd.Series:
    """Return the row with some QIDs, if they were measured."""
    found = rows[rows["qids"] == qids]
    return otherwise if found.empty else found.iloc[0]


def _set_of(qids: str) -> frozenset[str]:
    return frozenset(qids.split("|"))


def row_anchor(part: str) -> str:
    """Return where, in a part of the page, the row is that the first screen tells of.

    It is that of the first adversary or, without one, of the worst combination.
    """
    return f"{part}-row"


def value_anchor(part: str) -> str:
    """Return where the row is of the value that the first screen tells of."""
    return f"{part}-value"


def headline_grids(
    subject: Subject, part: str, voice: Voice, scope: Scope
) -> tuple[Grid, ...]:
    """Lay out what each adversary finds, and each value but the most frequent.

    `part` is the anchor of the part that they are in.
    """
    rows = {
        capital(named(who, voice)): row
        for who in subject.adversaries
        for row in [subject.found_by(who)]
        if row is not None
    }
    grids = []
    if rows:
        grids.append(_adversary_grid(rows, part, voice, scope))
    if not subject.last_values.empty:
        grids.append(_value_grid(rows, subject, part, voice))
    return tuple(grids)


def _adversary_grid(
    rows: Mapping[str, pd.Series], part: str, voice: Voice, scope: Scope
) -> Grid:
    kind = attack_kind(next(iter(rows.values())))
    heads = ("who", "knows", f"certain_{kind}", "guess", "prior")
    return Grid(
        caption=voice.say("scenarios.caption"),
        headings=voice.columns("scenarios", *heads),
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
        anchors=(row_anchor(part),),
    )


def _value_grid(
    adversaries: Mapping[str, pd.Series], subject: Subject, part: str, voice: Voice
) -> Grid:
    """Lay out of how many of each value an adversary is certain."""
    largest = int(subject.last_values["n_qids"].max())
    ordered = subject.rarer_values.sort_values(
        "n_members", ascending=False, kind="stable"
    )
    _, asked = subject.asked
    values = subject.values_with(asked["qids"])
    told = None if values.empty else leading(values, voice)["value"]
    return Grid(
        caption=voice.say("values.caption"),
        headings=(
            *voice.columns("values", "value", "members"),
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
        anchors=tuple(
            value_anchor(part) if row["value"] == told else ""
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
        rows[rows["qids"] == of_all["qids"]].iloc[0] for of_all in adversaries.values()
    ]
    worst = rows.loc[rows["n_certain"].astype(int).idxmax()]
    return (
        value_label(row, voice),
        voice.numbers.count(row["n_members"]),
        *(
            _part(each["n_certain"], each["posterior_det"], voice)
            for each in [*by_adversary, worst]
        ),
    )


def _part(count: int, share: float, voice: Voice) -> str:
    numbers = voice.numbers
    return f"{numbers.count(count)} ({numbers.share(share)})"


def adversaries_of(
    adversaries: Sequence[Adversary], collective: pd.DataFrame
) -> Iterator[Adversary]:
    """Yield those who know nothing but QIDs of an analysis."""
    qids = set(tables.all_qids(collective))
    yield from (who for who in adversaries if set(who.qids) <= qids)
