"""pyCANON agrees on k, l and t, on tables without missing values.

Its answers are recorded in `pycanon.json` (`record_pycanon.py`): microleak can be
installed beside the one pandas and NumPy that it takes, but the locked environment has
newer ones. It leaves out records with a missing QID. Of entropy l it has the whole part
only. In recursive (c, l)-diversity it takes a block's rarest value for the most
frequent; compared is its alpha instead, the largest share of a value in a block, of
which the c for l = 2 is alpha / (1 - alpha). Numbers have the ordered distance, texts
the equal one.
"""

import json
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.attacks.anonymity.blocks import profile_blocks
from microleak.attacks.anonymity.measure import AnonymityFiles, anonymity_tables
from microleak.attacks.anonymity.section import Anonymity
from microleak.base.machine import Resources
from tests.oracles.pycanon_people import GRADES, QIDS, TABLES, people

pytestmark = pytest.mark.oracle

RECORDED = json.loads(
    Path(__file__).with_name("pycanon.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module", params=TABLES)
def rows(request, tmp_path_factory):
    """Of every subset pyCANON's answers, our measures of its blocks and of grades."""
    folder = tmp_path_factory.mktemp(request.param)
    analysis = Anonymity(
        name="a",
        table="people",
        focal="1",
        qids=QIDS,
        sensitive=("grade",),
        order={"grade": GRADES},
    )
    files = AnonymityFiles(folder / "people.parquet", folder / "blocks.parquet")
    resources = Resources(1, 8_000, folder)
    pq.write_table(pa.table(people(request.param)), files.people)
    profile_blocks(files.people, analysis, False, resources, files.blocks)
    table = anonymity_tables(files, analysis, resources)["anonymity"].set_index("qids")
    of_grades = table[table["sensitive"] == "grade"]
    of_blocks = table[table["sensitive"] == ""]
    answers = RECORDED["tables"][request.param]
    assert {*answers} == {*of_blocks.index}
    return [(answers[q], of_blocks.loc[q], of_grades.loc[q]) for q in answers]


def test_pycanon_was_asked_of_every_subset_of_tables_with_small_and_large_blocks():
    assert [*RECORDED["tables"]] == [*TABLES]
    every = [*chain.from_iterable(of.values() for of in RECORDED["tables"].values())]
    assert len(every) == 3 * 7
    assert {answer["k"] for answer in every} > {1}
    assert {answer["l_distinct"] for answer in every} > {1, 5}


def test_every_subset_has_the_same_k_values_and_distances(rows):
    for answer, of_blocks, of_grades in rows:
        assert of_blocks["k_anonymity"] == answer["k"]
        assert of_grades["l_distinct"] == answer["l_distinct"]
        for name in ("t_equal", "t_ordered"):
            assert of_grades[name] == pytest.approx(answer[name])


def test_every_subset_has_the_whole_part_of_entropy_l_and_the_c_of_the_largest_share(
    rows,
):
    for answer, _, of_grades in rows:
        nearly = of_grades["l_entropy"] + np.array([-1e-9, 1e-9])
        assert answer["l_entropy"] in nearly.astype(int)
        c = of_grades["recursive_c_2"]
        share = 1 if np.isnan(c) else c / (1 + c)
        assert share == pytest.approx(answer["alpha"])
