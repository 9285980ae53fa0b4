"""Attacks on all persons at once, on frames: one release, or several linked."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.contributions import entropies, gains, importance
from microleak.attacks.collective.measure import (
    TABLES,
    group_table,
    measure_analysis,
    value_table,
)
from microleak.attacks.collective.profile import profile_analysis
from microleak.attacks.collective.section import CollectiveSection, check
from microleak.base.errors import StudyError, TableError
from microleak.base.machine import Resources
from microleak.definitions.profile import SUCCESSES
from microleak.family import load
from microleak.frames import Call, Tables, on_frames, words
from microleak.records.call import (
    RELEASE,
    TABLE,
    People,
    check_names,
    check_one_each,
    meeting_people,
    people_of,
    records_of,
)
from microleak.records.chunks import TableChunks
from microleak.records.coding import FEW_ROWS, UNIQUE, Group, are_dates, dictionaries_of
from microleak.records.frames import column_names
from microleak.records.subsets import MOST_QIDS
from microleak.tables.result import LANGUAGE
from microleak.tables.rows import by_subject
from microleak.tables.spec import tables_of

SIZES = (1, 2, 3)
"""Numbers of columns of the sets that are looked at, unless others are given."""

MOST_SETS, MOST_CELLS = 20_000, 1_000_000_000
"""Sets, and sets times records, counted at most: about a minute of one core."""

N_PROPOSED = 5
"""Sets of each number of columns that are proposed."""

QID, IDENTIFIER, CONSTANT = "qid", "identifier", "constant"
NOT_TRIED, NO_EQUALITY = "not tried", "no equality"
"""What a column is taken for."""


@dataclass(frozen=True)
class ProposedColumn:
    """A column, by how its values are spread over the records."""

    name: str
    # Records, and distinct values, a missing one among them
    n_records: int
    n_distinct: int
    n_alone: int  # Records whose value no other one has
    is_date: bool = False

    @property
    def role(self) -> str:
        """What it is before others are looked at."""
        if self.n_distinct == 1:
            return CONSTANT
        if self.is_date:
            return QID
        share = 1 if self.n_records < FEW_ROWS else UNIQUE
        return IDENTIFIER if self.n_distinct >= share * self.n_records else QID


def attributes_of(table: pa.Table, n_threads: int) -> list[ProposedColumn]:
    """Return the columns of a table in memory, in its order."""
    known = dictionaries_of(TableChunks(table), table.column_names, n_threads)
    return [
        ProposedColumn(
            name,
            len(table),
            len(each.counts),
            int((each.counts == 1).sum()),
            are_dates(each.values),
        )
        for name, each in known.items()
    ]


def tried(
    attributes: Sequence[ProposedColumn], sizes: Collection[int]
) -> tuple[str, ...]:
    """Return the columns of which all sets of some sizes are counted, in their order.

    Of those that are QIDs by their role: those with most records alone, then with most
    values, then the first.

    >>> age, town = ProposedColumn("age", 9, 5, 3), ProposedColumn("town", 9, 1, 0)
    >>> tried([town, age], sizes=(1, 2, 3))
    ('age',)
    """
    left = [each for each in attributes if each.role == QID]
    if not left:
        raise StudyError(
            "assess: every column is constant or has a value of its own for each "
            "record, so there is no set to propose. Give the columns to look at, qids."
        )
    n_sets = min(MOST_SETS, MOST_CELLS // left[0].n_records)
    many = range(2, MOST_QIDS + 1)
    fits = [n for n in many if sum(comb(n, size) for size in sizes) <= n_sets]
    ordered = sorted(left, key=lambda each: (-each.n_alone, -each.n_distinct))
    first = ordered[: max(fits, default=1)]
    return tuple(each.name for each in left if each in first)


def roles(
    attributes: Sequence[ProposedColumn], qids: Collection[str]
) -> Iterator[dict[str, str | int]]:
    """Yield what each column was taken for, given those that were tried."""
    for each in attributes:
        left_out = NOT_TRIED if each.role == QID else each.role
        yield {
            "attribute": each.name,
            "role": QID if each.name in qids else left_out,
            "n_records": each.n_records,
            "n_distinct": each.n_distinct,
            "n_alone": each.n_alone,
        }


def proposed(collective: pd.DataFrame) -> pd.DataFrame:
    """Return the sets of each size that identify, or tell, most."""
    by = ["sensitive", "n_qids", *SUCCESSES.values()]
    order = collective.assign(sensitive=pd.factorize(collective["sensitive"])[0])[by]
    ascending = [True, True, *(False for _ in SUCCESSES)]
    ordered = order.sort_values(by, ascending=ascending, kind="stable")
    best = ordered.groupby(by[:2], sort=False).head(N_PROPOSED)
    return collective.loc[best.index].reset_index(drop=True)


_FOCAL = "focal"
"""What a figure or sentence calls a frame that is attacked."""


def worst_first(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of one subject, that first of which the conclusion tells."""
    count = "n_certain" if rows["n_certain"].any() else "n_modal"
    by = [count, "n_qids"]
    return rows.sort_values(by, ascending=[False, True], kind="stable")


def _conclusion(found: Any, language: str = LANGUAGE) -> list[str]:
    conclusions = load("microleak.attacks.collective.report.headline:conclusions")
    voice = load("microleak.report.texts:voice")(language, ())
    told: list[str] = conclusions(found.of_study(focal=_FOCAL), voice)
    return told


def _drawn(found: Any) -> str:
    """Draw re-identification: rows of the first attack, which has no `sensitive`."""
    from microleak.attacks.collective.figures.success import success_by_size

    tables = found.of_study(focal=_FOCAL)
    rows, worst = (by_subject(tables[name])[""] for name in ("collective", "worst"))
    return success_by_size(rows, worst, words())


_RESULT: dict[str, Any] = {
    "told": "worst",
    "drawn": "collective",
    "_rows": lambda _, rows: rows[rows["criterion"] == "probabilistic"],
    "shown": (
        *("auxiliary", "sensitive", "qids", "n_qids", "n_certain", "posterior_det"),
        *("posterior_prob", "n_rarer", "n_certain_rarer"),
    ),
    "conclusion": _conclusion,
    "_svg": _drawn,
}

_OTHERS = ("auxiliary", "groups", "parts")
"""Keys of a study file that the functions have not, or in another form."""


@on_frames(
    CollectiveSection,
    "Assessed",
    tables=(
        *("collective", "proposed", "attributes", "worst", "distribution"),
        *("values", "importance", "entropy"),
    ),
    positional=("qids", "sensitive", "subsets", "n_threads"),
    without=_OTHERS,
    specs={
        "proposed": TABLES["collective"],
        **tables_of("microleak.attacks.collective", "assess.yaml"),
    },
    left_out=("attack", "auxiliary"),  # Without releases linked all are of one
    **_RESULT,
)
def assess(
    call: Call,
    frame: Any,
    *,
    qids: Sequence[str] | None = None,
    n_threads: int | None = None,
    person_id: str | None = None,
) -> Tables:
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
    person_id
        Column that tells persons apart: a frame with two records of one is refused.
        It is no QID.

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
    sensitive = call.columns("sensitive")
    if qids is not None:
        check_names("assess", qids=qids, sensitive=sensitive)
    if person_id is not None:
        ids = records_of("assess", frame, [person_id])[person_id]
        check_one_each("assess", ids, person_id, "the frame")
    if qids is None:
        known = {*sensitive, person_id}
        names = [n for n in column_names(frame, "assess") if n not in known]
        return _proposing(call, frame, names)
    table = records_of("assess", frame, [*qids, *sensitive])
    analysis = _analysis(call, qids=qids)
    attributes = roles(attributes_of(table.select(qids), call.resources.threads), qids)
    return _assessed(table, analysis, pd.DataFrame(attributes), call.resources)


def _proposing(call: Call, frame: Any, names: Sequence[str]) -> Tables:
    """Assess the columns of a frame, by these names, that may be QIDs."""
    subsets = call.section(qids=["any"]).subsets
    if subsets == "full":
        raise StudyError(
            "assess: the full set of columns that nobody has chosen says nothing. Give "
            'qids, or sizes of sets as {"sizes": [1, 2]}.'
        )
    check_names("assess", columns=names)
    attributes = _comparable(frame, names, call.resources.threads)
    if subsets == "all":
        qids = tried(attributes, SIZES)
        subsets = {"sizes": [size for size in SIZES if size <= len(qids)]}
    else:
        qids = tried(attributes, subsets["sizes"])
    analysis = _analysis(call, qids=qids, subsets=subsets)
    rows = [*roles(attributes, qids)]
    known = [each.name for each in attributes]
    rows += [
        {"attribute": name, "role": NO_EQUALITY} for name in names if name not in known
    ]
    table = records_of("assess", frame, [*qids, *analysis.sensitive])
    return _assessed(table, analysis, pd.DataFrame(rows), call.resources)


def _comparable(
    frame: Any, names: Sequence[str], n_threads: int
) -> list[ProposedColumn]:
    """Return the columns whose values can be compared; refuse a frame without any."""
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
) -> Tables:
    found = _measured(table, analysis, resources)
    del found["groups"], found["gain"]
    best = proposed(found["collective"])
    return found | {"proposed": best, "attributes": attributes}


@on_frames(
    CollectiveSection,
    "Panel",
    tables=(
        *("collective", "worst", "distribution", "values", "groups", "gain"),
        *("importance", "entropy"),
    ),
    positional=("qids", "sensitive"),
    without=_OTHERS,
    **_RESULT,
)
def panel(
    call: Call,
    focal: Any,
    auxiliary: Mapping[str, Any],
    person_id: str,
    *,
    groups: Mapping[str, Mapping[str, Any]] | None = None,
    n_threads: int | None = None,
) -> Tables:
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
    qids, sensitive = call.keys["qids"], call.keys.get("sensitive", ())
    check_names("panel", qids=qids, sensitive=sensitive, person_id=[person_id])
    if not auxiliary:
        raise StudyError("panel links releases: give auxiliary, or use assess.")
    pairs = {
        name: each if isinstance(each, tuple) else (each, None)
        for name, each in auxiliary.items()
    }
    analysis = _linked(_analysis(call), pairs, groups)
    own = [n for n in analysis.attributes_in(RELEASE) if n not in sensitive]
    what = "the focal frame"
    table = records_of("panel", focal, [person_id, *own, *sensitive], what)
    grouped = [*dict.fromkeys(group.attribute for group in analysis.groups)]
    texts = call.people(focal, [person_id, *grouped], what)
    ids = texts.table[person_id].cast(pa.string())
    check_one_each("panel", ids, person_id, what)
    columns = dict(zip(table.column_names, table.columns, strict=True))
    columns |= {name: texts.table[name] for name in grouped}
    for name, (frame, _) in pairs.items():
        wanted = analysis.attributes_in(name)
        columns |= _of_auxiliary(texts, frame, (person_id, name), wanted)
    groups_found = tuple(
        replace(g, values=tuple(texts.texts("panel", g.attribute, g.values)))
        for g in analysis.groups
    )
    whole = replace(analysis, groups=groups_found)
    return _measured(pa.table(columns), whole, call.resources)


def _analysis(call: Call, **changed: Any) -> Collective:
    section = call.section(**changed)
    names = section.qids, section.sensitive
    analysis = Collective(call.function, TABLE, RELEASE, *names, section.subsets)
    check(analysis, call.function)
    return analysis


def _linked(
    analysis: Collective,
    pairs: Mapping[str, tuple[Any, Sequence[str] | None]],
    groups: Mapping[str, Mapping[str, Any]] | None,
) -> Collective:
    """Return an analysis with releases and groups, checked as a study's is."""
    for name in pairs:
        is_text = isinstance(name, str) and name and not {*"|+"} & {*name}
        if not is_text or name == RELEASE:
            raise StudyError(
                f"panel: names of auxiliary releases are texts without | and +, and "
                f"not {RELEASE!r}. Rename it."
            )
    fewer = {name: tuple(own) for name, (_, own) in pairs.items() if own is not None}
    found = [_group(name, given) for name, given in (groups or {}).items()]
    linked = replace(analysis, auxiliary=tuple(pairs), fewer=fewer, groups=tuple(found))
    check(linked, "panel")
    return linked


def _group(name: str, given: Mapping[str, Any]) -> Group:
    if set(given) != {"attribute", "values"} or isinstance(given["values"], str):
        raise StudyError(
            f"panel: group {name!r} must have an attribute and a list of its values, "
            'as {"attribute": "illness", "values": ["asthma"]}.'
        )
    return Group(name, given["attribute"], tuple(given["values"]))


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
    return {
        **vars(measures),
        "values": value_table(profiles, analysis),
        "groups": group_table(profiles, analysis),
        "gain": gains(measures.collective),
        "importance": importance(measures.collective),
        "entropy": entropies(profiles[0], table, analysis),
    }
