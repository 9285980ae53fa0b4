"""Whole runs of public studies on neighbours: one person more, with all their rows."""

from pathlib import Path
from random import Random

import pandas as pd
import pytest

from microleak.definitions.vectors import SENSITIVITY
from microleak.report.public import vectors_of
from tests.examples import seeds
from tests.workflow.workshop import Workshop

pytestmark = pytest.mark.long

STUDY = """\
study: people
seed: 3
tables:
  people:
    source: delimited
    options: {person_id: id}
    releases: {1: {archive: one.csv}, 2: {archive: two.csv}}
hierarchies: {age: {widths: [20]}}
protections:
  coarse: {table: people, release: 1, steps: [{generalise: {age: 1}}]}
qid_sets: {all: [age, sex, street]}
scenarios: {friend: [sex, street]}
analyses:
  collective:
    - {name: one, table: people, focal: 1, auxiliary: [2], qids: all, sensitive: [ill]}
    - {name: later, table: people, focal: 1, auxiliary: [{2: [sex]}], qids: all}
    - {name: coarser, table: people, focal: coarse, qids: all}
  risk_groups:
    - {name: who, table: people, focal: 1, qids: all, by: [sex]}
report:
  audience: public
  noise: {epsilon: "1", key: key, shown: [full, friend], groups: {sex: [F]}}
"""


@pytest.mark.parametrize("seed", seeds(8))
def test_a_person_more_changes_each_vector_by_sensitivity(seed, tmp_path, monkeypatch):
    random = Random(seed)
    people = [rows_of(n, random) for n in range(random.choice([1, 12, 40]))]
    before = counts_of(tmp_path / "before", people, monkeypatch)
    more = [*people, rows_of(999, random)]
    after = counts_of(tmp_path / "after", more, monkeypatch)
    assert before.keys() == after.keys()
    changes = {
        key: sum(abs(a - b) for a, b in zip(before[key], after[key], strict=True))
        for key in before
    }
    assert any(changes.values())
    for (*_, statistic), change in changes.items():
        assert change <= SENSITIVITY[statistic]


def rows_of(n, random):
    """Some rows of a person in each of two releases, often several, or none in one."""
    return [
        [
            f"{n},{random.randint(10, 60)},{random.choice('FM')},"
            f"{random.randint(1, 9)},{random.choice('yn')}"
            for _ in range(random.choice(n_rows))
        ]
        for n_rows in ([1, 2, 5], [0, 1, 2] if n else [1])
    ]


def counts_of(folder, people, monkeypatch):
    """The counts of a whole run, without noise, by analysis and vector."""
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr("microleak.study.private_counts.laplace_noise", lambda *_: 0)
    for file, rows in zip(
        ("one.csv", "two.csv"), zip(*people, strict=True), strict=True
    ):
        lines = [line for of_person in rows for line in of_person]
        Path(file).write_text("\n".join(["id,age,sex,street,ill", *lines, ""]))
    key = Path("key")
    key.touch(0o600)
    key.write_bytes(bytes(range(32)))
    workshop = Workshop(STUDY)
    assert workshop.run()
    found = {}
    for path in sorted(workshop.results.glob("report/data/*-noisy_counts.csv")):
        for vector, rows in vectors_of(pd.read_csv(path, keep_default_na=False)):
            found[path.name, *vector] = rows["n_noisy"].tolist()
    return found
