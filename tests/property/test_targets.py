"""Attacks on every person in turn, against the plain definition and on average."""

import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

from microleak.attacks.targets.measure import attack_chunks
from microleak.attacks.targets.section import Target
from microleak.records.chunks import ParquetChunks, TableChunks
from microleak.sources.steps.join import ReleaseLink, join
from tests.assessing import assess
from tests.examples import examples
from tests.panels import ROWS_A_GROUP, people_file
from tests.property.tables import tables

VALUES = st.sampled_from(["0", "1", "01", "", None])
PERSON = st.fixed_dictionaries(dict.fromkeys(("home", "stage", "ill"), VALUES))
PEOPLE = st.dictionaries(st.sampled_from([f"{n:02}" for n in range(9)]), PERSON)


def as_text(column):
    return [None if value is None else str(value) for value in column]


def table_of(qids, sensitive):
    columns = {f"q{i}": as_text(column) for i, column in enumerate(qids)}
    columns |= {f"s{i}": as_text(column) for i, column in enumerate(sensitive)}
    return pa.table({n: pa.array(c, pa.string()) for n, c in columns.items()})


def attacked(table, known, sensitive=(), further=()):
    target = Target("t", "", "", {"": known}, tuple(sensitive), tuple(further))
    found = attack_chunks(TableChunks(table), target)
    return found["target"].to_dict("records"), found["further"].to_dict("records")


def names_of(table, letter):
    return [name for name in table.column_names if name.startswith(letter)]


@examples(50)
@given(tables(max_qids=3, max_records=12), st.data())
def test_a_target_is_attacked_as_the_definitions_say(columns, data):
    table = table_of(*columns)
    people = table.to_pylist()
    qids, sensitive = names_of(table, "q"), names_of(table, "s")
    n_known = data.draw(st.integers(1, len(qids)))
    known = {qid: data.draw(VALUES) for qid in qids[:n_known]}
    if data.draw(st.booleans()):
        person = data.draw(st.sampled_from(people))
        known = {qid: person[qid] for qid in known}
    block = [p for p in people if all(p[q] == value for q, value in known.items())]
    (whole, *inferred), further = attacked(table, known, sensitive, qids)
    assert whole["block_size"] == len(block)
    if not block:
        return
    assert whole["posterior_prob"] == 1 / len(block)
    assert whole["posterior_det"] == str(len(block) == 1).lower()
    for row in inferred:
        counts = Counter(person[row["sensitive"]] for person in block)
        most = max(counts.values())
        likely = [v for v, n in counts.items() if n == most]
        shown = sorted("(missing)" if v is None else v for v in likely)
        assert row["posterior_prob"] == most / len(block)
        assert row["posterior_det"] == str(len(counts) == 1).lower()
        assert row["most_likely"] == "|".join(shown)
    assert {row["attribute"] for row in further} == set(qids[n_known:])
    for row in further:
        sizes = Counter(person[row["attribute"]] for person in block)
        after = [sizes[person[row["attribute"]]] for person in block]
        mean = sum(Fraction(1, size) for size in after) / len(block)
        assert row["expected_success"] == float(mean)
        assert row["certain"] == after.count(1) / len(block)
        assert row["expected_block_size"] == sum(after) / len(block)


def exact_mean(rows):
    shares = [Fraction(int(r["n_modal"]), int(r["block_size"])) for r in rows]
    return sum(shares) / len(shares)


def check_means(of_persons, collective, sensitive):
    """The mean over all persons is the collective posterior, and so are the counts."""
    for i, name in enumerate(["", *sensitive]):
        rows = [person[i] for person in of_persons]
        row = collective[collective["sensitive"] == name].iloc[0]
        n_records = int(row["n_records"])
        assert n_records == len(rows)
        assert exact_mean(rows) == Fraction(int(row["n_modal"]), n_records)
        certain = sum(r["posterior_det"] == "true" for r in rows)
        assert certain == row["n_certain"]
        assert {r["prior_prob"] for r in rows} == {row["prior_prob"]}


@examples(40)
@given(tables(max_qids=3, max_records=10))
def test_the_mean_over_all_targets_is_the_collective_posterior(columns):
    table = table_of(*columns)
    qids, sensitive = names_of(table, "q"), names_of(table, "s")
    known = table.select(qids).to_pylist()
    of_persons = [attacked(table, values, sensitive)[0] for values in known]
    collective = assess(table, qids, sensitive, subsets="full")
    check_means(of_persons, collective, sensitive)


@examples(25)
@given(PEOPLE.filter(bool), PEOPLE.filter(bool))
def test_the_mean_is_the_same_in_a_panel_from_which_persons_are_absent(focal, other):
    assume(focal.keys() & other.keys())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [people_file(folder / "1", focal), folder / "panel"]
        link = ReleaseLink(files[0], people_file(folder / "2", other), "ID", "2")
        join(link, files[1], folder / "receipt")
        chunks = ParquetChunks(files, ROWS_A_GROUP)
        of_persons = []
        for person in sorted(focal):
            there = other.get(person, {"stage": None, "home": None})
            known = {"1": {"stage": focal[person]["stage"]}}
            known["2"] = {name: there[name] for name in ("stage", "home")}
            target = Target("t", "", "1", known, ("ill",), ())
            rows = attack_chunks(chunks, target)["target"]
            of_persons.append(rows.to_dict("records"))
    columns = {
        "stage": [focal[person]["stage"] for person in sorted(focal)],
        "stage_2": [other.get(p, {}).get("stage") for p in sorted(focal)],
        "home_2": [other.get(p, {}).get("home") for p in sorted(focal)],
        "ill": [focal[person]["ill"] for person in sorted(focal)],
    }
    panel = pa.table({n: pa.array(c, pa.string()) for n, c in columns.items()})
    collective = assess(panel, list(columns)[:3], ["ill"], subsets="full")
    check_means(of_persons, collective, ["ill"])
