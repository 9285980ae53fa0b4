"""What tables lose by protections, against the plain definition on random tables."""

import json
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from microleak.base.errors import StudyError, TableError
from microleak.definitions.tabulated import largest_error, mean_error, total_variation
from microleak.protection.methods import column_of
from microleak.protection.protect import Files, protect_people
from microleak.protection.steps import KeptRecords, labels_of_steps, protected_records
from microleak.protection.tabulations import (
    compared_tables,
    labelled_attribute,
    of_groups,
    tabulated_counts,
    tabulation_rows,
    used_values,
)
from microleak.records.recoding import Confusion
from microleak.study.steps import jobs_of
from microleak.study_file.hierarchies import HierarchySection
from microleak.study_file.protections import (
    RandomiseSection,
    Recipe,
    StepSection,
    TabulationSection,
)
from tests.examples import examples
from tests.protection.test_methods import column, read
from tests.study_file.given import loaded, refused

NAMES = ("age", "place", "sex")
VALUES = {
    "age": [None, "3", "7", "12", "15", "22"],
    "place": [None, "N1", "N2", "S1", ""],
    "sex": [None, "F", "M"],
}
HIERARCHIES = {
    "age": HierarchySection(widths=(5, 10)),
    "place": HierarchySection(prefixes=(1,)),
    "sex": HierarchySection(),
}
BRINGS_OTHERS = Confusion(("F", "X", ""), {"F": ("1/2", "1/4", "1/4")})
STEPS = {
    "age in fives": StepSection(generalise={"age": 1}),
    "age left out": StepSection(generalise={"age": 3}),
    "age rounded": StepSection(round={"age": 10}),
    "place": StepSection(generalise={"place": 1}),
    "keep": StepSection(randomise={"place": {"keep": "1/2"}}),
    "others": StepSection(randomise={"sex": RandomiseSection(chances=BRINGS_OTHERS)}),
    "swap": StepSection(swap=["place"], rate="1/2", within=["sex"]),
    "suppress": StepSection(suppress=["age", "sex"], k=3),
    "sample": StepSection(sample="2/3"),
    "no place": StepSection(drop=["place"]),
    "no sex": StepSection(drop=["sex"]),
}
rows = st.lists(
    st.tuples(*(st.sampled_from(VALUES[name]) for name in NAMES)),
    min_size=1,
    max_size=30,
)
orders = st.permutations(list(STEPS)).flatmap(
    lambda order: st.integers(0, 5).map(lambda n: possible(order[:n]))
)
wanted = st.permutations(NAMES).flatmap(
    lambda order: st.integers(1, 3).map(lambda n: tuple(order[:n]))
)


def possible(order):
    """Leave out steps on what is dropped, and on ages that are no numbers any more."""
    found, dropped, has_numbers = [], set(), True
    for name in order:
        step = STEPS[name]
        if dropped & {*step.named} or ("age" in name and not has_numbers):
            continue
        dropped |= {*(step.drop or ())}
        has_numbers &= name not in {"age in fives", "age left out"}
        found.append(name)
    return found


def columns_of(records, names=NAMES):
    columns = zip(*records, strict=True)
    return {name: column(values) for name, values in zip(names, columns, strict=True)}


def protect(records, order, seed):
    """Return columns before and after, protected by microleak itself."""
    before = columns_of(records)
    recipe = Recipe("test", seed, tuple(STEPS[name] for name in order), HIERARCHIES)
    try:
        return before, protected_records(
            KeptRecords(before, np.ones(len(records), bool)), recipe
        )
    except TableError as error:
        # Three alike of two, or a matrix of a sex that nobody has.
        assert re.search("can be reached|no line of its matrix", str(error))
        reject()


def label(name, value, order):
    """What the steps call a value, spelt out."""
    for step in order:
        if step == "age in fives" and name == "age" and value is not None:
            value = f"{int(value) // 5 * 5}-{int(value) // 5 * 5 + 4}"
        elif step == "age left out" and name == "age":
            value = "*"
        elif step == "age rounded" and name == "age" and value is not None:
            value = str((int(value) + 5) // 10 * 10)
        elif step == "place" and name == "place" and value is not None:
            value = value[:1]
        elif step == f"no {name}":
            value = "*"
    return value


def rows_after(names, after):
    """Protected records, with one label of all for what was dropped."""
    everywhere = ["*"] * after.n_records
    columns = [
        read(after.columns[n]) if n in after.columns else everywhere for n in names
    ]
    return [*zip(*columns, strict=True)]


def estimates(names, records, after, order):
    """The estimated table, cell by cell, and the true one."""
    own = [tuple(r[NAMES.index(n)] for n in names) for r in records]
    found = Counter()
    for labelled, n in Counter(rows_after(names, after)).items():
        several = []
        for name, each in zip(names, labelled, strict=True):
            known = {r[NAMES.index(name)] for r in records}
            alike = [(v, "") for v in known if label(name, v, order) == each]
            several.append(alike or [(each, "by itself")])
        cells = list(product(*several))
        for cell in cells:
            found[cell] += Fraction(n * len(records), after.n_records * len(cells))
    true = Counter(tuple((v, "") for v in row) for row in own)
    return found, true


def half_of_differences(one, other):
    n, m = sum(one.values()), sum(other.values())
    every = {*one, *other}
    if not m:
        return Fraction(1)
    return sum(abs(Fraction(one[c]) / n - Fraction(other[c]) / m) for c in every) / 2


def labelled_of(names, before, after, order):
    steps = [STEPS[name] for name in order]
    return [
        labelled_attribute(
            before[n],
            labels_of_steps(steps, HIERARCHIES, n, used_values(before[n]), "later"),
            after.columns.get(n),
            after.n_records,
        )
        for n in names
    ]


def design_of(records, rows, label_of, names, every=NAMES):
    """Numbers of each row's labels: means of ages, shares of places and sexes."""
    found = []
    for row in rows:
        numbers = []
        for name, told in zip(names, row, strict=True):
            known = {each[every.index(name)] for each in records}
            alike = [v for v in known if label_of(name, v) == told]
            if name == "age":
                ages = [float(v) for v in alike if v is not None]
                numbers.append(np.mean(ages) if ages else np.nan)
            else:
                _, *others = sorted(known, key=lambda v: (v is not None, v))
                shares = [[float(v == other) for other in others] for v in alike]
                numbers += np.mean(shares or [[np.nan] * len(others)], axis=0).tolist()
        if not np.isnan(numbers).any():
            found.append(numbers)
    return np.array(found)


@examples(200)
@given(rows, orders, st.integers(0, 9))
def test_a_regression_is_fitted_to_what_a_reader_of_labels_has(records, order, seed):
    before, after = protect(records, order, seed)
    names = ("age", "place", "sex")
    own = design_of(records, records, lambda _, value: value, names)
    assume(len(own) and len({*own[:, 0]}) > 1 and (own[:, 1:] != own[0, 1:]).any())
    told = rows_after(names, after)
    theirs = design_of(records, told, lambda n, v: label(n, v, order), names)
    scale = own.std(axis=0)
    scale[scale < 1e-9] = 1.0

    def fitted(x):
        x = np.round((x - x.mean(axis=0)) / scale, 11)
        return np.linalg.pinv(x[:, 1:], rcond=1e-9) @ x[:, 0]

    given = dict(zip(names, labelled_of(names, before, after, order), strict=True))
    section = TabulationSection(
        name="one", table="town", attributes=names, outcome="age"
    )
    try:
        found = compared_tables(section, given, "one")["largest_change"]
    except TableError as error:
        assert "nearly follow from one another" in str(error)
        return
    moved = (fitted(theirs) if len(theirs) else 0) - fitted(own)
    assert found == pytest.approx(np.abs(moved).max(), abs=1e-8)


@examples(400)
@given(rows, orders, wanted, st.integers(0, 9))
def test_losses_are_those_of_the_plain_definition(records, order, names, seed):
    """Of the table, and of each group's own part of it."""
    before, after = protect(records, order, seed)
    assume(after.n_records)
    estimated, true = estimates(names, records, after, order)
    counts = tabulated_counts(labelled_of(names, before, after, order))
    cells, first, *_ = counts
    errors = {cell: abs(estimated[cell] - true[cell]) for cell in {*estimated, *true}}
    assert sum(estimated.values()) == len(records)
    assert len(first) == len(true)
    assert total_variation(cells) == half_of_differences(true, estimated)
    assert 0 <= total_variation(cells) <= 1
    assert largest_error(cells) == max(errors.values())
    of_filled = sum((errors[cell] for cell in true), Fraction(0))
    assert mean_error(cells) == of_filled / len(true)
    n_by = len(names) - 1
    expected = []
    for group in {cell[:n_by] for cell in true} if n_by else ():
        parts = [
            Counter({cell: n for cell, n in table.items() if cell[:n_by] == group})
            for table in (true, estimated)
        ]
        (own, told), (n, n_told) = parts, (sum(each.values()) for each in parts)
        scale = n / Fraction(n_told) if n_told else 0
        error = max(abs(told[cell] * scale - own[cell]) for cell in {*own, *told})
        expected.append((half_of_differences(*parts), error, n))
    groups = of_groups(counts, range(n_by)) if n_by else ()
    found = [(total_variation(g), largest_error(g), g.n_records) for g in groups]
    assert sorted(found) == sorted(expected)


@given(rows, wanted, st.permutations(list(range(30))))
def test_what_changes_nothing_loses_nothing_whatever_the_order(records, names, order):
    before = columns_of(records)
    moved = columns_of([records[i] for i in order if i < len(records)])
    after = KeptRecords(moved, np.ones(len(records), bool))
    cells, *_ = tabulated_counts(labelled_of(names, before, after, []))
    assert total_variation(cells) == largest_error(cells) == mean_error(cells) == 0


def test_many_records_are_compared_without_rounding():
    n = 2**31
    before = column_of(["a", "b", "c"], np.array([0, 1, 2]))
    after = column_of(["*"], np.array([0]))
    cells, *_ = tabulated_counts([labelled_attribute(before, ["*"] * 3, after, 1)])
    many = replace(
        cells,
        n_true=np.array([n - 2, 1, 1]),
        n_labelled=np.full(3, n - 1),
        n_records=n,
        n_protected=n - 1,
    )
    assert total_variation(many) == Fraction(n - 2, n) - Fraction(1, 3)
    assert largest_error(many) == n - 2 - Fraction(n, 3)
    assert mean_error(many) == (n - 2 - Fraction(n, 3)) * 2 / 3


STUDY = """\
study: demo
seed: 7
tables:
  town:
    source: delimited
    options: {person_id: id}
    releases: {1: {archive: one.csv}, 2: {archive: two.csv}}
protections:
  coarse: {table: town, release: 1, steps: [{generalise: {age: 1}}]}
  coarser: {table: town, release: coarse, steps: [{drop: [place]}]}
  later: {table: town, release: 2, steps: [{sample: "1/2"}]}
hierarchies: {age: {file: ages.csv}}
tabulations:
  - {name: both, table: town, attributes: [age, place], by: place}
  - {name: sexes, table: town, attributes: [sex]}
analyses:
  collective:
    - {name: one, table: town, focal: 1, qids: [sex]}
"""
TOWN = {
    "id": ["1", "2", "3", "4"],
    "age": ["3", "7", "3", "22"],
    "place": ["N", "N", "S", None],
    "sex": ["F", "M", "F", "F"],
}
AGES = "3;0-9\n7;0-9\n22;20-29\n"


def write_people(folder, release, columns):
    people = folder / "people/town"
    people.mkdir(parents=True, exist_ok=True)
    typed = {n: pa.array(c, pa.string()) for n, c in columns.items()}
    pq.write_table(pa.table(typed), people / f"{release}.parquet")
    (people / f"{release}.json").write_text(json.dumps({"person_id": "id"}), "utf-8")


def protect_all(folder, study):
    """Make all protected releases; return the settings of the job of tabulations."""
    people = folder / "people/town"
    jobs = list(jobs_of(study))
    for job in jobs:
        if job.rule == "protect":
            paths = (*job.inputs.values(), *job.outputs.values())
            protect_people(
                Files(*(people / path.rpartition("/")[2] for path in paths)),
                job.settings,
            )
    (settings,) = (job.settings for job in jobs if job.rule == "tabulations")
    return settings


def run(folder, study):
    return list(tabulation_rows(folder / "people", protect_all(folder, study)))


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ages.csv").write_text(AGES, encoding="utf-8")
    for release in ("1", "2"):
        write_people(tmp_path, release, TOWN)
    return loaded(tmp_path, STUDY)


def test_a_job_compares_each_protection_with_the_first_release(study, tmp_path):
    rows = run(tmp_path, study)
    found = {(row["protection"], row["tabulation"]): row for row in rows}
    assert [(*key, row["release"]) for key, row in found.items()] == [
        (protection, tabulation, release)
        for protection, release in (("coarse", "1"), ("coarser", "1"), ("later", "2"))
        for tabulation in ("both", "sexes")
    ]
    who = {"protection": "coarse", "table": "town", "release": "1"}
    assert found["coarse", "sexes"] == who | {
        **{"tabulation": "sexes", "attributes": "sex", "n_cells": 2},
        **{"total_variation": 0.0, "largest_error": 0.0, "largest_error_share": 0.0},
        **{"mean_absolute_error": 0.0, "by": "", "outcome": "", "largest_change": None},
    }
    # In the south 3 alone is in the place of 3 and 7, half of each.
    assert found["coarse", "both"] == who | {
        **{"tabulation": "both", "attributes": "age|place", "n_cells": 4},
        **{"total_variation": 1 / 8, "largest_error": 1 / 2},
        **{"largest_error_share": 1 / 8, "mean_absolute_error": 1 / 8},
        **{"by": "place", "n_groups": 3, "total_variation_worst": 1 / 2},
        **{"n_members_worst": 1, "largest_error_share_worst": 1 / 2},
        **{"outcome": "", "largest_change": None},
    }
    # Three of 3 and 7 over six cells of these ages, one of 22 over three.
    assert found["coarser", "both"]["total_variation"] == (3 * 1 / 2 + 2 / 3) / 4
    assert found["later", "both"]["n_cells"] == 4


def test_releases_have_what_is_tabulated_unless_it_was_dropped(study):
    assert study.attributes("town", "1") == ("sex", "age", "place")
    assert study.attributes("town", "coarse") == ("age", "place", "sex")
    assert study.attributes("town", "coarser") == ("age", "sex")
    assert study.attributes("town", "later") == ("age", "place", "sex")


def test_a_release_without_records_gives_no_table(study, tmp_path):
    write_people(tmp_path, "2", {name: values[:0] for name, values in TOWN.items()})
    with pytest.raises(TableError, match=r"town later has no records, .* sample"):
        run(tmp_path, study)


def test_a_hierarchy_that_was_changed_meanwhile_is_refused(study, tmp_path):
    settings = protect_all(tmp_path, study)
    (tmp_path / "ages.csv").write_text(AGES + "23;20-29\n", encoding="utf-8")
    with pytest.raises(StudyError, match=r"ages.csv was changed while the study ran"):
        list(tabulation_rows(tmp_path / "people", settings))


SMALL = """\
study: demo
seed: 7
tables: {{town: {table}}}
protections: {{part: {{table: town, release: 1, steps: [{step}]}}}}
tabulations: [{{name: all, table: town, attributes: {names}}}]
analyses: {{collective: [{{name: one, table: town, focal: 1, qids: [TP_SEXO]}}]}}
"""


def test_labels_that_stand_for_too_many_cells_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ["TP_SEXO", *(f"n{i}" for i in range(7))]
    values = [str(i) for i in range(300)]
    write_people(tmp_path, "1", {"id": values, **dict.fromkeys(names, values)})
    releases = "releases: {1: {archive: one.csv}}"
    table = f"{{source: delimited, options: {{person_id: id}}, {releases}}}"
    step = f"{{drop: {names[:-1]}}}"
    text = SMALL.format(table=table, step=step, names=names)
    said = r"'all' of part: .* for 218,700,000,000,000,000 cells"
    with pytest.raises(TableError, match=said):
        run(tmp_path, loaded(tmp_path, text))


def test_a_faulty_tabulation_is_refused(tmp_path, monkeypatch, old, new, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ages.csv").write_text(AGES, encoding="utf-8")
    assert old in STUDY
    refused(tmp_path, STUDY.replace(old, new), words)


def test_a_table_without_protected_releases_has_nothing_to_compare(tmp_path):
    before, rest = STUDY.split("protections:")
    text = before + rest[rest.index("hierarchies:") :]
    text = text.replace("{file: ages.csv}", "{}")
    refused(tmp_path, text, r"town has no protected release")


def test_an_attribute_that_no_release_has_is_refused(tmp_path):
    table = "{source: inep_school_census, releases: {1: {synthetic: {schools: 27}}}}"
    text = SMALL.format(table=table, step='{sample: "1/2"}', names="[TP_SEXX]")
    text = text.replace("{1: {syn", "{2018: {syn").replace(": 1,", ": 2018,")
    said = r"'all': .* has no attribute TP_SEXX. Did you mean TP_SEXO"
    refused(tmp_path, text, said)
