"""Attacks on all persons at once, on frames: one release, or several linked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.contributions import entropies, gains, importance
from microleak.attacks.collective.groups import group_table, value_table
from microleak.attacks.collective.measure import TABLES, measure_analysis
from microleak.attacks.collective.profile import profile_analysis
from microleak.attacks.collective.proposals import (
    NO_EQUALITY,
    SIZES,
    ProposedColumn,
    attributes_of,
    proposed,
    roles,
    tried,
)
from microleak.attacks.collective.section import check_fewer, check_group, check_width
from microleak.base.errors import StudyError, TableError
from microleak.base.machine import Resources
from microleak.records.call import (
    RELEASE,
    TABLE,
    People,
    check_names,
    check_one_each,
    check_subsets,
    meeting_people,
    people_of,
    records_of,
    room_to_work,
)
from microleak.records.coding import Group
from microleak.records.frames import column_names
from microleak.records.subsets import subsets_of
from microleak.tables.result import (
    LANGUAGE,
    Result,
    meaning_of,
    with_study,
    without_study,
)
from microleak.tables.spec import Column, TableSpec

_ATTRIBUTES = TableSpec(
    "attributes",
    path="",
    description=meaning_of("What each column of the frame was taken for."),
    columns=(
        Column("attribute", "string", meaning_of("Column.")),
        Column(
            "role",
            "string",
            meaning_of(
                "qid: its sets are measured; identifier: each record has a value of "
                "its own; constant: all have the same; not tried: too many columns; "
                "no equality: its values cannot be compared."
            ),
        ),
        Column("n_records", "integer", meaning_of("Records.")),
        Column("n_distinct", "integer", meaning_of("Distinct values, missing too.")),
        Column("n_alone", "integer", meaning_of("Records whose value no other has.")),
    ),
)


@dataclass(frozen=True, repr=False, eq=False)
class Assessed(Result):
    """What `assess` found.

    Attributes
    ----------
    collective
        Re-identification, with an empty `sensitive`, and then the inference of each
        sensitive attribute: a row a set of QIDs.
    proposed
        Of each number of QIDs the five rows that identify, or tell, most.
    attributes
        What each column was taken for, and the distinct values it has.
    worst, distribution, values, importance, entropy
        Tables of a study with these names (docs/results.md).
    """

    collective: pd.DataFrame
    proposed: pd.DataFrame
    attributes: pd.DataFrame
    worst: pd.DataFrame
    distribution: pd.DataFrame
    values: pd.DataFrame
    importance: pd.DataFrame
    entropy: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = {
        **TABLES,
        "proposed": TABLES["collective"],
        "attributes": _ATTRIBUTES,
    }

    def figure(self) -> str:
        """Draw the success of every set over its number of QIDs."""
        return _drawn(self.collective, self.worst, RELEASE)

    def _summary(self) -> pd.DataFrame:
        return self.proposed[_SUMMARY]


@dataclass(frozen=True, repr=False, eq=False)
class Panel(Result):
    """What `panel` found: tables of a study with these names (docs/results.md).

    Rows with an empty `auxiliary` are of the focal release alone.
    """

    collective: pd.DataFrame
    worst: pd.DataFrame
    distribution: pd.DataFrame
    values: pd.DataFrame
    groups: pd.DataFrame
    gain: pd.DataFrame
    importance: pd.DataFrame
    entropy: pd.DataFrame

    specs: ClassVar[Mapping[str, TableSpec]] = TABLES

    def figure(self) -> str:
        """Draw the success of every set, alone and with all releases linked."""
        return _drawn(self.collective, self.worst, "focal")

    def _summary(self) -> pd.DataFrame:
        is_shown = self.worst["criterion"] == "probabilistic"
        return self.worst.loc[is_shown, ["auxiliary", *_SUMMARY]]


_SUMMARY = [
    "sensitive",
    "qids",
    "n_qids",
    "n_certain",
    "posterior_det",
    "posterior_prob",
]


def assess(
    frame: Any,
    qids: Sequence[str] | None = None,
    sensitive: Sequence[str] = (),
    subsets: Any = "all",
    n_threads: int = 1,
    *,
    person_id: str | None = None,
) -> Assessed:
    """Measure re-identification and attribute inference for sets of QIDs.

    Parameters
    ----------
    frame
        One record a person: a pandas or Polars DataFrame or an Arrow table. It
        is not changed. Null, NaN and NaT are one value, equal to itself. Numbers are
        equal if they are so as numbers: 1, 1.0 and `Decimal("1.00")`, in one column;
        datetimes with time zones if they are the same instant, to the nanosecond;
        texts if all their characters are; categories as their values are. A column
        of objects has only one kind: truth values, numbers, text, bytes, dates,
        datetimes with a time zone or without, times without one, or durations.
    qids
        Quasi-identifiers, columns of the frame. Without them all columns are looked at
        but the sensitive ones, constants, and identifiers, which have a value of its
        own for each record or, of 100 records and more, for 95 % of them. Of many
        columns those with most records alone are taken, so that there are at most
        20,000 sets (49 columns) and 1,000 million sets times records (18 columns of a
        million records, about a minute). What was left out is in `attributes`; what is
        told of the others is exact.
    sensitive
        Sensitive attributes, columns of the frame and no QIDs.
    subsets
        `"all"`, `"full"` or `{"sizes": [1, 2]}`; without `qids` `"all"` is all sets of
        one, two and three columns.
    n_threads
        Threads to use; results do not depend on it.
    person_id
        Column that tells persons apart: a frame with two records of one is refused.
        It is no QID.

    Returns
    -------
    Assessed
        Tables as attributes. `collective` has one row a set and attack,
        re-identification (with an empty `sensitive`) first, sets by size and then in
        the order of `qids`; the columns of `measures/collective` from `qids` on.
        `proposed` has those of its rows that identify most.

    Raises
    ------
    StudyError, TableError
        If a column does not exist, is named twice, has no equality or mixes kinds
        of values, if the frame has no records or two of one person, or there is no
        column to propose.

    Examples
    --------
    >>> people = {"age": [25, 25, None, None, 60], "ill": ["y", "n", "y", "y", "n"]}
    >>> found = assess(pd.DataFrame(people), qids=["age"], sensitive=["ill"])
    >>> found.collective[["sensitive", "n_blocks", "n_certain", "posterior_prob"]]
      sensitive  n_blocks  n_certain  posterior_prob
    0                   3          1             0.6
    1       ill         3          3             0.8

    Without QIDs it looks at all columns:

    >>> people["name"], people["country"] = ["A", "B", "C", "D", "E"], ["BR"] * 5
    >>> found = assess(pd.DataFrame(people))
    >>> found.proposed[["qids", "n_certain"]]
          qids  n_certain
    0      age          1
    1      ill          0
    2  age|ill          3
    >>> found.attributes[["attribute", "role"]]
      attribute        role
    0       age         qid
    1       ill         qid
    2      name  identifier
    3   country    constant
    """
    if qids is None:
        check_names("assess", sensitive=sensitive)
    else:
        check_names("assess", qids=qids, sensitive=sensitive)
    check_subsets("assess", subsets)
    with room_to_work("assess", n_threads) as resources:
        if person_id is not None:
            ids = records_of("assess", frame, [person_id])[person_id]
            check_one_each("assess", ids, person_id, "the frame")
        if qids is None:
            known = {*sensitive, person_id}
            names = [n for n in column_names(frame, "assess") if n not in known]
            return _proposing(frame, names, sensitive, subsets, resources)
        table = records_of("assess", frame, [*qids, *sensitive])
        analysis = _analysis("assess", qids, sensitive, subsets)
        attributes = roles(attributes_of(table.select(qids), n_threads), qids)
        return _assessed(table, analysis, pd.DataFrame(attributes), resources)


def _proposing(
    frame: Any,
    names: Sequence[str],
    sensitive: Sequence[str],
    subsets: Any,
    resources: Resources,
) -> Assessed:
    """Assess the columns of a frame, by these names, that may be QIDs."""
    if subsets == "full":
        raise StudyError(
            "assess: the full set of columns that nobody has chosen says nothing. Give "
            'qids, or sizes of sets as {"sizes": [1, 2]}.'
        )
    check_names("assess", columns=names)
    attributes = _comparable(frame, names, resources.threads)
    if subsets == "all":
        qids = tried(attributes, SIZES)
        subsets = {"sizes": [size for size in SIZES if size <= len(qids)]}
    else:
        qids = tried(attributes, subsets["sizes"])
    analysis = _analysis("assess", qids, sensitive, subsets)
    rows = [*roles(attributes, qids)]
    known = [each.name for each in attributes]
    rows += [
        {"attribute": name, "role": NO_EQUALITY} for name in names if name not in known
    ]
    kinds = {"n_records": "Int64", "n_distinct": "Int64", "n_alone": "Int64"}
    table = records_of("assess", frame, [*qids, *sensitive])
    return _assessed(table, analysis, pd.DataFrame(rows).astype(kinds), resources)


def _comparable(
    frame: Any, names: Sequence[str], n_threads: int
) -> list[ProposedColumn]:
    """Return the columns whose values can be compared.

    Raises
    ------
    TableError
        If there is none, as in a frame without records.
    """
    found: list[ProposedColumn] = []
    refused = TableError("assess: the frame has no column to look at.")
    for name in names:
        try:
            found += attributes_of(records_of("assess", frame, [name]), n_threads)
        except TableError as error:
            refused = error
    if not found:
        raise refused
    return found


def _assessed(
    table: pa.Table,
    analysis: Collective,
    attributes: pd.DataFrame,
    resources: Resources,
) -> Assessed:
    found = _measured(table, analysis, resources)
    # Without auxiliary releases all attacks are of one.
    found = {
        name: rows.drop(columns=["attack", "auxiliary"], errors="ignore")
        for name, rows in found.items()
        if name not in ("groups", "gain")
    }
    best = proposed(found["collective"]).reset_index(drop=True)
    return Assessed(proposed=best, attributes=attributes, **found)


def panel(
    focal: Any,
    auxiliary: Mapping[str, Any],
    person_id: str,
    qids: Sequence[str],
    sensitive: Sequence[str] = (),
    *,
    groups: Mapping[str, Mapping[str, Any]] | None = None,
    subsets: Any = "all",
    n_threads: int = 1,
) -> Panel:
    """Measure attacks on persons whose records of several releases are linked.

    Parameters
    ----------
    focal
        The release that is attacked, one record a person, as `assess` takes it.
    auxiliary
        Further releases by name, in the order in which they are added, one record a
        person each; every prefix of them is measured. One that does not have all the
        QIDs is given with those it has, as `{"2019": (frame, ["month"])}`. Who is not
        in one has missing values there, which are a value (Nunes, AL4).
    person_id
        Column of all frames that identifies the person; compared as text, so that 1 of
        one frame is "1" of another.
    qids, sensitive
        As of `assess`; sensitive attributes are those of the focal release.
    groups
        Groups of values of an attribute of the focal release, of which the adversary
        infers that a person has one: `{"chronic": {"attribute": "illness", "values":
        ["asthma", "diabetes"]}}`. A text that ends in `*` stands for all that begin
        with what is before it.
    subsets, n_threads
        As of `assess`.

    Returns
    -------
    Panel
        Tables as attributes; `collective` has a row a prefix, attack and set of QIDs.

    Raises
    ------
    StudyError, TableError
        As of `assess`; also if a person is missing or has two records, or if nobody is
        in both the focal and an auxiliary release.

    Examples
    --------
    >>> first = pd.DataFrame({"id": [1, 2, 3], "town": ["A", "A", "A"]})
    >>> later = pd.DataFrame({"id": [1, 2, 4], "town": ["A", "B", "A"]})
    >>> found = panel(first, {"2019": later}, person_id="id", qids=["town"])
    >>> found.collective[["auxiliary", "n_certain"]]
      auxiliary  n_certain
    0                    0
    1      2019          3
    """
    check_names("panel", qids=qids, sensitive=sensitive, person_id=[person_id])
    check_subsets("panel", subsets)
    if not auxiliary:
        raise StudyError("panel links releases: give auxiliary, or use assess.")
    with room_to_work("panel", n_threads) as resources:
        pairs = {
            name: each if isinstance(each, tuple) else (each, None)
            for name, each in auxiliary.items()
        }
        analysis = _linked(_analysis("panel", qids, sensitive, subsets), pairs, groups)
        own = [n for n in analysis.attributes_in(RELEASE) if n not in sensitive]
        what = "the focal frame"
        table = records_of("panel", focal, [person_id, *own, *sensitive], what)
        texts = people_of("panel", focal, [person_id, *_grouped(analysis)], what)
        ids = texts.table[person_id].cast(pa.string())
        check_one_each("panel", ids, person_id, what)
        columns = dict(zip(table.column_names, table.columns, strict=True))
        columns |= {name: texts.table[name] for name in _grouped(analysis)}
        for name, (frame, _) in pairs.items():
            wanted = analysis.attributes_in(name)
            columns |= _of_auxiliary(texts, frame, (person_id, name), wanted)
        analysis = replace(
            analysis,
            groups=tuple(
                replace(g, values=tuple(texts.texts("panel", g.attribute, g.values)))
                for g in analysis.groups
            ),
        )
        return Panel(**_measured(pa.table(columns), analysis, resources))


def _analysis(
    function: str, qids: Sequence[str], sensitive: Sequence[str], subsets: Any
) -> Collective:
    subsets_of(len(qids), subsets, function)
    return Collective(function, TABLE, RELEASE, tuple(qids), tuple(sensitive), subsets)


def _linked(
    analysis: Collective,
    pairs: Mapping[str, tuple[Any, Sequence[str] | None]],
    groups: Mapping[str, Mapping[str, Any]] | None,
) -> Collective:
    """Return an analysis with releases and groups, checked as a study's is."""
    for name in pairs:
        if (
            not isinstance(name, str)
            or not name
            or {*"|+"} & {*name}
            or name == RELEASE
        ):
            raise StudyError(
                f"panel: names of auxiliary releases are texts without | and +, and "
                f"not {RELEASE!r}. Rename it."
            )
    fewer = {name: tuple(own) for name, (_, own) in pairs.items() if own is not None}
    found = [_group(name, given) for name, given in (groups or {}).items()]
    linked = replace(analysis, auxiliary=tuple(pairs), fewer=fewer, groups=tuple(found))
    check_fewer(linked, "panel")
    check_width(linked, "panel")
    for group in found:
        check_group(group, linked, f"panel: group {group.name!r}")
    return linked


def _group(name: str, given: Mapping[str, Any]) -> Group:
    if set(given) != {"attribute", "values"} or isinstance(given["values"], str):
        raise StudyError(
            f"panel: group {name!r} must have an attribute and a list of its values, "
            'as {"attribute": "illness", "values": ["asthma"]}.'
        )
    return Group(name, given["attribute"], tuple(given["values"]))


def _grouped(analysis: Collective) -> list[str]:
    return list(dict.fromkeys(group.attribute for group in analysis.groups))


def _of_auxiliary(
    focal: People, frame: Any, who: tuple[str, str], wanted: Sequence[str]
) -> dict[str, pa.ChunkedArray]:
    """Return what an auxiliary release says of each person; missing if it has none."""
    person_id, name = who
    what = f"the auxiliary frame {name}"
    people = people_of("panel", frame, [person_id, *wanted], what)
    both = {"the focal frame": focal, what: people}
    tables = [each.table for each in meeting_people("panel", both, [person_id])]
    ids, own = (each[person_id].cast(pa.string()) for each in tables)
    check_one_each("panel", own, person_id, what)
    place = pc.index_in(ids, value_set=own.combine_chunks())
    if place.null_count == len(place):
        raise TableError(
            f"panel: no {person_id} is in both the focal frame and {name}, so the "
            "release would seem to add nothing. Check that it names the same persons "
            "in both, written alike, or remove it from auxiliary."
        )
    return {f"{each}|{name}": people.table[each].take(place) for each in wanted}


def _measured(
    table: pa.Table, analysis: Collective, resources: Resources
) -> dict[str, pd.DataFrame]:
    """Return the tables of an analysis by the steps by which a study makes them."""
    profiles = []
    for number, part in enumerate(analysis.prefixes):
        profiles.append(resources.scratch / f"{number}.parquet")
        profile_analysis([table], part, False, resources, profiles[-1])
    success = resources.scratch / "success.parquet"
    measures = measure_analysis(profiles, analysis, False, success)
    found = {
        **vars(measures),
        "values": value_table(profiles, analysis),
        "groups": group_table(profiles, analysis),
        "gain": gains(measures.collective),
        "importance": importance(measures.collective),
        "entropy": entropies(profiles[0], table, analysis),
    }
    return {name: without_study(rows, TABLES[name]) for name, rows in found.items()}


def _drawn(collective: pd.DataFrame, worst: pd.DataFrame, focal: str) -> str:
    """Draw re-identification: rows of the first attack, which has no `sensitive`."""
    from microleak.attacks.collective.figures.success import success_by_size
    from microleak.report.texts import voice

    rows, worst = (
        with_study(
            table[table["sensitive"] == ""],
            TABLES[name],
            focal=focal,
        )
        for name, table in (("collective", collective), ("worst", worst))
    )
    return success_by_size(rows, worst, voice(LANGUAGE).words(is_synthetic=False))
