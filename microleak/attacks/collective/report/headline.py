"""What stands first: what adversaries with a name find, and who has a rarer value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import pandas as pd

from microleak.attacks.collective.analysis import Scenario
from microleak.attacks.collective.report import findings
from microleak.attacks.collective.report.contents import Scope, unit_words
from microleak.attacks.collective.report.contributions import most_brought, worst_row
from microleak.report import parts
from microleak.report.texts import (
    Voice,
    capital,
    leading,
    uncapital,
    value_label,
    who_has,
)
from microleak.tables import rows as tables


@dataclass(frozen=True)
class Subject:
    """One subject of an analysis, with all that its headline is made from."""

    # Its rows, of every panel
    collective: pd.DataFrame
    worst: pd.DataFrame
    adversaries: Sequence[Scenario] = ()
    values: pd.DataFrame = field(default_factory=pd.DataFrame)
    first: "Subject | None" = None

    @classmethod
    def every(
        cls,
        of: Mapping[str, pd.DataFrame],
        adversaries: Sequence[Scenario] = (),
        first: Mapping[str, "Subject"] = MappingProxyType({}),
    ) -> "dict[str, Subject]":
        """Return the subjects of one analysis, given its tables by their names."""
        collective, worst, values = (
            tables.by_subject(tables.with_text(of[kind]))
            for kind in ("collective", "worst", "values")
        )
        none = pd.DataFrame()
        return {
            n: cls(rows, worst[n], adversaries, values.get(n, none), first.get(n))
            for n, rows in collective.items()
        }

    @cached_property
    def found(self) -> list[tuple[Scenario, pd.Series]]:
        """What each adversary finds with all releases that are linked, if anything."""
        last = self.last
        sets = tables.qid_sets(last)
        rows = [(who, last[sets == frozenset(who.qids)]) for who in self.adversaries]
        return [(who, found.iloc[0]) for who, found in rows if len(found)]

    @property
    def sensitive(self) -> str:
        """The attribute that is inferred, none for re-identification."""
        return str(self.collective["sensitive"].iloc[0])

    @property
    def asked(self) -> Sequence[tuple[Scenario | None, pd.Series]]:
        """Who attacks, or anybody who knows the worst set, and what each finds."""
        is_worst = self.last["qids"] == findings.highest_row(self.worst)["qids"]
        anybody: list[tuple[None, pd.Series]] = [(None, self.last[is_worst].iloc[0])]
        return self.found or anybody

    @property
    def last(self) -> pd.DataFrame:
        """What is found with each set of QIDs and all releases that are linked."""
        return list(tables.by_panel(self.collective).values())[-1]

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
        own = findings.certain_row(self.worst)
        if self.first is None:
            return own
        qids = findings.certain_row(self.first.worst)["qids"]
        return _row_with(qids, self.collective, own)

    def fewer_row_of_value(self, value: pd.Series) -> pd.Series:
        """Return the same for a value."""
        rows = self.of_value(value)
        own = findings.headline_row(_worst_by_size(rows))
        of_first = rows.iloc[:0] if self.first is None else self.first.of_value(value)
        if of_first.empty:
            return own
        return _row_with(
            findings.headline_row(_worst_by_size(of_first))["qids"], rows, own
        )

    def values_with(self, qids: str) -> pd.DataFrame:
        """Return what is inferred of each value with some QIDs, in the last panel."""
        rows = self.last_values
        return rows if rows.empty else rows[rows["qids"] == qids]

    def leading_with(self, qids: str) -> pd.DataFrame:
        """Return those that a sentence tells of, in its order."""
        return leading(self.values_with(qids))


def with_headline(
    found: findings.Finding, subject: Subject, scope: Scope
) -> findings.Finding:
    """Return a finding that begins with adversaries and a rarer value, if any."""
    # Of several values each sentence tells of the one of which most people are known
    # to its own adversary; that none is known is said of all of them together.
    value = _worst_value(subject)
    scenarios = tuple(
        _by_adversary(who, row, subject, scope) for who, row in subject.found
    )
    worst = found.worst
    if value is not None:
        worst = (
            _of_value(value, subject, scope),
            findings.highest(subject.worst, scope) + _majority(subject, scope.voice),
        )
    # What the own record adds is told of the first adversary or of the best guess.
    first = subject.found[0][1] if subject.found else worst_row(subject.worst)
    n_qids = len(tables.all_qids(subject.collective))
    is_most = subject.collective["qids"].nunique() < 2**n_qids - 1
    own, numbers = (
        findings.own_record(first, is_most, scope) if first["sensitive"] else ("", "")
    )
    return replace(
        found,
        own=own,
        scenarios=scenarios,
        worst=worst,
        sentences=(*filter(None, [numbers]), *found.sentences),
    )


def part_heading(subject: Subject, scope: Scope) -> str:
    """Write in a few words of how many the attack on the first screen is certain."""
    _, row = subject.asked[0]
    kind, values = findings.attack_kind(row), subject.leading_with(row["qids"])
    told = {}
    if not row["n_certain"]:
        kind = f"{kind}_none"
    elif len(values) and values.iloc[0]["n_certain"]:
        kind, told = "value", {"cases": cases_of(values.iloc[0], scope)}
    return scope.say(f"headings.{kind}", row, **told)


def _worst_value(subject: Subject) -> pd.Series | None:
    """Return the row of the leading value with which most members are known."""
    if subject.last_values.empty or (values := leading(subject.last_values)).empty:
        return None
    most = values.iloc[0]
    worst = _worst_by_size(subject.of_value(most))
    return worst.iloc[-1] if most["auxiliary"] else findings.first_highest(worst)


def _worst_by_size(of_value: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a value with which most members are known, by rising size."""
    return of_value.loc[of_value.groupby("n_qids")["n_certain"].idxmax()]


def _of_value(row: pd.Series, subject: Subject, scope: Scope) -> str:
    """Write for how many of those who have a value it is known."""
    number = len(tables.qids_of(row))
    kind = "one" if number == 1 else "many"
    members, none = _members_told(row, subject, scope)
    cases = cases_of(row, scope)
    if row["n_members"] != 1:
        cases += scope.say("values.highest")
    if not row["auxiliary"]:
        fewer = subject.fewer_row_of_value(row)
        told = _part(fewer["n_certain"], fewer["posterior_det"], scope.voice)
        cases += findings.fewer_facts(fewer, row, told, scope.voice)
    return scope.say(
        f"values.{kind if row['n_certain'] else none}",
        Members=capital(members),
        Number=capital(scope.voice.number_word(number)),
        known=findings.known(row, scope),
        cases=cases,
        attributes=scope.voice.attributes(int(subject.last_values["n_qids"].max())),
    )


def _by_adversary(who: Scenario, row: pd.Series, subject: Subject, scope: Scope) -> str:
    """Write what an adversary finds: persons, a rarer value, or any value."""
    name = named(who, scope.voice)
    told = {"who": name, "Who": capital(name), "known": findings.known(row, scope)}
    if len(values := subject.leading_with(row["qids"])):
        found = values.iloc[0]
        members, none = _members_told(found, subject, scope)
        kind = "value" if found["n_certain"] else f"value_{none}"
        told |= {"Members": capital(members), "cases": cases_of(found, scope)}
        return scope.say(f"scenarios.{kind}", row, **told)
    key = f"scenarios.{findings.attack_kind(row)}{'' if row['n_certain'] else '_none'}"
    return scope.say(key, row, **told)


def named(who: Scenario, voice: Voice) -> str:
    """Name an adversary as the study file does in the language."""
    label = who.labels.get(voice.language)
    return label or voice.say("scenarios.unnamed", name=who.name)


def _members_told(row: pd.Series, subject: Subject, scope: Scope) -> tuple[str, str]:
    """Write of whom a row of `leading` tells, and with which text if none is known."""
    n_rarer = int(subject.collective["n_rarer"].iloc[-1])
    if row["n_certain"] or row["n_members"] == n_rarer:
        return members_of(row, scope), "none"
    return _rarer(row, n_rarer, scope), "none_rarer"


def _rarer(row: pd.Series, n_members: int, scope: Scope) -> str:
    """Write how many have another value than the most frequent."""
    key = f"values.members_{scope.unit}_rarer{'_one' if n_members == 1 else ''}"
    return scope.say(key, row, n_members=n_members)


def members_of(row: pd.Series, scope: Scope) -> str:
    """Write how many have a value, as in `of the 12 people with …`."""
    key = f"values.members_{scope.unit}_{'one' if row['n_members'] == 1 else 'many'}"
    return scope.say(key, row, who_has_it=who_has(row, scope.voice))


def cases_of(row: pd.Series, scope: Scope) -> str:
    """Write of how many a value is known, as in `9 (75%) of the 12 people with …`."""
    if row["n_members"] == 1:
        told = who_has(row, scope.voice)
        return scope.say(f"values.cases_{scope.unit}", who_has_it=told)
    return scope.say("values.cases_many", row, members=members_of(row, scope))


def _majority(subject: Subject, voice: Voice) -> str:
    """Write that most certain records have the most frequent value, where it is so."""
    row = findings.highest_row(subject.worst)
    total = int(row["n_certain"])
    n = total - int(subject.values_with(row["qids"])["n_certain"].sum())
    if 2 * n <= total:
        return ""
    return voice.say("values.majority", n=n, total=total, share=n / total)


def _row_with(qids: str, rows: pd.DataFrame, otherwise: pd.Series) -> pd.Series:
    found = rows[rows["qids"] == qids]
    return otherwise if found.empty else found.iloc[0]


def row_anchor(part: str) -> str:
    """Return where in a part the row is that the first screen tells of."""
    return f"{part}-row"


def value_anchor(part: str) -> str:
    """Return where the row is of the value that the first screen tells of."""
    return f"{part}-value"


def headline_grids(subject: Subject, part: str, scope: Scope) -> tuple[parts.Grid, ...]:
    """Lay out what each adversary finds, and each value but the most frequent."""
    rows = {capital(named(who, scope.voice)): row for who, row in subject.found}
    grids = []
    if rows:
        shown = pd.DataFrame([*rows.values()]).assign(who=[*rows])
        caption, anchors = scope.say("scenarios.caption"), (row_anchor(part),)
        look = {"caption": caption, "anchors": anchors, "n_texts": 2}
        grids.append(set_grid(shown, scope, **look))
    if len(subject.last_values):
        grids.append(value_grid(rows, subject, part, scope.voice))
    return tuple(grids)


def set_grid(rows: pd.DataFrame, scope: Scope, **look: Any) -> parts.Grid:
    """Lay out what is found with some sets of QIDs, and by whom if rows say it."""
    columns: list[parts.GridColumn] = [
        *([("who", lambda row: row["who"])] if "who" in rows else []),
        ("knows", lambda row: findings.known(row, scope)),
        (
            f"certain_{findings.attack_kind(rows.iloc[0])}",
            lambda row: _part(row["n_certain"], row["posterior_det"], scope.voice),
        ),
        "guess=posterior_prob:share",
        "prior=prior_prob:share",
    ]
    return parts.grid(scope.voice, "scenarios", rows, columns, **look)


def value_grid(
    adversaries: Mapping[str, pd.Series], subject: Subject, part: str, voice: Voice
) -> parts.Grid:
    """Lay out of how many of each value an adversary is certain."""
    largest = int(subject.last_values["n_qids"].max())
    rarer = subject.last_values.drop_duplicates(["value", "is_missing"])
    ordered = rarer.sort_values("n_members", ascending=False, kind="stable")
    _, asked = subject.asked[0]
    values = subject.leading_with(asked["qids"])
    told = next(iter(values["value"]), None) if len(values) else None

    def cells(row: pd.Series) -> tuple[str, ...]:
        rows = subject.of_value(row)
        worst = rows.loc[rows["n_certain"].astype(int).idxmax()]
        own = [rows[rows["qids"] == r["qids"]].iloc[0] for r in adversaries.values()]
        counts = [
            _part(each["n_certain"], each["posterior_det"], voice)
            for each in [*own, worst]
        ]
        n_members = voice.numbers.count(row["n_members"])
        return value_label(row, voice), n_members, *counts

    who_knows = [uncapital(who) for who in adversaries]
    return parts.Grid(
        caption=voice.say("values.caption"),
        headings=(
            *voice.columns("values", "value", "members"),
            *(voice.say("values.column_known", who=who) for who in who_knows),
            voice.say("values.column_worst", attributes=voice.attributes(largest)),
        ),
        rows=tuple(cells(row) for _, row in ordered.iterrows()),
        anchors=tuple(
            value_anchor(part) if value == told else "" for value in ordered["value"]
        ),
    )


def _part(count: int, share: float, voice: Voice) -> str:
    numbers = voice.numbers
    return f"{numbers.count(count)} ({numbers.share(share)})"


_MOST_SIZES = 5  # Bars of the first screen
_MOST_VALUES = 3  # Values of an attribute that its sentence names


@dataclass(frozen=True)
class ToldOfSubject:
    """What the part of one subject tells, and where."""

    analysis: str  # Name in the study file
    part: str  # Anchor of the part
    subject: Subject  # Its tables and adversaries
    brought: pd.DataFrame  # Importance of its attributes
    adds: str  # What linked releases add to the largest set of QIDs

    def sources(
        self, voice: Voice, *, of_value: bool = False
    ) -> tuple[parts.Link, ...]:
        """Return where the row, the equation and the file of certainty are."""
        equation = parts.definition_anchor("deterministic", voice)
        row = value_anchor(self.part) if of_value else row_anchor(self.part)
        return (
            parts.Link(voice.say("answer.row"), f"#{row}"),
            parts.Link(voice.say("answer.equation"), f"#{equation}"),
            self.file("values" if of_value else "collective", voice),
        )

    def file(self, table: str, voice: Voice) -> parts.Link:
        """Return where a table is."""
        path = quote(f"data/{self.analysis}-{table}.csv")
        return parts.Link(voice.say("answer.file"), path)


def replies(told: ToldOfSubject, scope: Scope) -> tuple[parts.Reply, ...]:
    """Return what one subject of an analysis replies."""
    who, row = told.subject.asked[0]
    said = concluded(told.subject, who, row, scope)
    of_row = (
        [_learns(told, row, said, scope.voice)]
        if row["sensitive"]
        else _finds(told, row, said, scope.voice)
    )
    # What is said of the newest release is preferred.
    return tuple(replace(e, rank=e.rank + (not scope.is_newest)) for e in of_row)


@dataclass(frozen=True)
class Conclusion:
    """What an adversary finds, in the sentence with which all begins."""

    sentence: str
    words: Mapping[str, Any]  # That other phrases on it take
    counts: tuple[str, str]  # Columns of its row: of how many it is certain, of whom
    values: Sequence[pd.Series] = ()  # Rows of those that it names, which lead


def concluded(
    subject: Subject, adversary: Scenario | None, row: pd.Series, scope: Scope
) -> Conclusion:
    """Return what is found of a subject by an adversary, or by anybody if it is none.

    `row` is of what it knows.
    """
    anybody = "replies.anybody_who" if row["sensitive"] else "replies.anybody"
    who = named(adversary, scope.voice) if adversary else scope.say(anybody, row)
    begin = scope.say("replies.in_release", row, who=who) if scope.release else who
    words = {
        **row,
        "who": who,
        "Who": capital(begin),
        "known": findings.known(row, scope),
        **unit_words(scope.unit, scope.voice),
    }
    if row["sensitive"]:
        return _learnt(subject, row, words, scope)
    found = ("find", "guess") if row["n_certain"] > 0 else ("none", "best_guess")
    sentence = " ".join(scope.say(f"replies.{key}", words) for key in found)
    return Conclusion(sentence, words, ("n_certain", "n_records"))


def conclusions(of: Mapping[str, pd.DataFrame], voice: Voice) -> list[str]:
    """Return what is found of each subject of an analysis of people, by its tables."""
    person = Scope(voice, "person")
    every = ((each, *each.asked[0]) for each in Subject.every(of).values())
    return [concluded(*asked, person).sentence for asked in every]


def _learnt(
    subject: Subject, row: pd.Series, words: Mapping[str, Any], scope: Scope
) -> Conclusion:
    """Return what is learnt of those with a rarer value; of all if nobody has one."""
    if not row["n_rarer"]:
        said = scope.say("replies.learn", words)
        return Conclusion(said, words, ("n_certain", "n_records"))
    values = subject.leading_with(row["qids"])
    certain = (each for _, each in values.iterrows() if each["n_certain"])
    named = [*islice(certain, _MOST_VALUES)]
    key = "learn_value" if len(values) == 1 == len(named) else "learn_rarer"
    key = key if row["n_certain_rarer"] else "learn_none_rarer"
    share = row["n_certain_rarer"] / row["n_rarer"]
    members = _rarer(row, int(row["n_rarer"]), scope)
    words = {
        **words,
        "cases": scope.voice.listing(cases_of(each, scope) for each in named),
        "members": members,
        "rarer": scope.say("values.rarer", row, share=share, members=members),
    }
    said = scope.say(f"replies.{key}", words)
    return Conclusion(said, words, ("n_certain_rarer", "n_rarer"), named)


def _finds(
    told: ToldOfSubject, row: pd.Series, said: Conclusion, voice: Voice
) -> Iterator[parts.Reply]:
    """Yield who finds whom, which attribute helps most, and how sure that is."""
    href, sentence = f"#{told.part}", said.sentence
    if told.adds:
        full = tables.full_set(told.subject.collective, told.subject.worst)
        if row["qids"] == full["qids"].iloc[0]:
            key = "guess" if row["n_certain"] > 0 else "best_guess"
            sentence = f"{told.adds} {voice.say(f'replies.{key}', said.words)}"
    title = voice.say("replies.found_title", said.words)
    bars = parts.Bars(title, tuple(_found_bars(row, told.subject, voice)))
    yield parts.Reply("find", sentence, href, told.sources(voice), bars)
    if sentence := most_brought(told.brought, voice):
        anchor = parts.definition_anchor("importance", voice)
        equation = parts.Link(voice.say("answer.equation"), f"#{anchor}")
        links = (equation, told.file("importance", voice))
        yield parts.Reply("help", sentence, href, links, rank=1)
    sure = voice.say("replies.sure", said.words)
    yield parts.Reply("sure", sure, href, (parts.limits_link(voice),))


def _found_bars(
    row: pd.Series, subject: Subject, voice: Voice
) -> Iterator[parts.ShareBar]:
    """Yield what each adversary finds or, without any, the worst of some sizes."""

    def bar(label: str, share: float) -> parts.ShareBar:
        return parts.ShareBar(label, float(share), voice.numbers.share(share))

    yield bar(voice.say("replies.nothing_known"), row["prior_det"])
    labelled = [(capital(named(who, voice)), row) for who, row in subject.found]
    for label, found in labelled or _sizes(subject.worst, voice):
        yield bar(label, found["posterior_det"])


def _sizes(worst: pd.DataFrame, voice: Voice) -> Sequence[tuple[str, pd.Series]]:
    """Return the worst of up to five numbers of attributes, the last one with them."""
    certain = findings.certain_by_size(worst)
    step = -(-len(certain) // _MOST_SIZES)
    return [
        (voice.attributes(int(row["n_qids"])), row)
        for _, row in certain[::-1][::step][::-1].iterrows()
    ]


def _learns(
    told: ToldOfSubject, row: pd.Series, said: Conclusion, voice: Voice
) -> parts.Reply:
    """Return what is learnt of an attribute, and of what share."""
    n_certain, n_members = (int(row[name]) for name in said.counts)
    share, label = n_certain / n_members, voice.attribute(row["sensitive"])
    key = "learnt_title" if row["n_rarer"] else "learnt_all_title"
    title = voice.say(f"replies.{key}", said.words)
    return parts.Reply(
        "learn",
        said.sentence,
        f"#{told.part}",
        told.sources(voice, of_value=bool(said.values)),
        parts.Bars(title, (parts.ShareBar(label, share, voice.numbers.share(share)),)),
    )
