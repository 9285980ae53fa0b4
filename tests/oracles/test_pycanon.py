"""pyCANON agrees on k, l and t, on tables without missing values.

It leaves out records with a missing QID. Of entropy l it has the whole part only. In
recursive (c, l)-diversity it takes a block's rarest value for the most frequent;
compared is its alpha instead, the largest share of a value in a block, of which the c
for l = 2 is alpha / (1 - alpha). Numbers have the ordered distance, texts the equal
one. It is in no group, as it asks for the very versions of pandas and NumPy that it
names: `pip install --no-deps pycanon` adds it to an environment.
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.resources import Resources
from microleak.study.anonymity import AnonymityFiles, anonymity_tables
from microleak.study.anonymity_profiling import profile_blocks
from microleak.study.samples import Anonymity

pycanon = pytest.importorskip(
    "pycanon.anonymity", reason="needs pip install --no-deps pycanon"
)

pytestmark = pytest.mark.oracle
QIDS = ("school", "year", "sex")
GRADES = tuple("01234")
GRADE = ["grade"]


@pytest.fixture(params=[(400, 2), (400, 9), (150, 40)], ids=["coarse", "mid", "fine"])
def people(request):
    n_records, n_schools = request.param
    rng = np.random.default_rng(n_schools)
    columns = {
        "school": rng.integers(0, n_schools, n_records),
        "year": rng.integers(0, 3, n_records),
        "sex": rng.integers(0, 2, n_records),
        "grade": rng.choice(5, n_records, p=[0.3, 0.4, 0.2, 0.06, 0.04]),
    }
    return pd.DataFrame({name: column.astype(str) for name, column in columns.items()})


@pytest.fixture
def rows(people, tmp_path):
    """QIDs of every subset, the measures of its blocks and of the grades in them."""
    analysis = Anonymity("a", "people", "1", QIDS, "all", ("grade",), {"grade": GRADES})
    files = AnonymityFiles(tmp_path / "people.parquet", tmp_path / "blocks.parquet")
    resources = Resources(1, 8_000, tmp_path)
    pq.write_table(pa.Table.from_pandas(people), files.people)
    profile_blocks(files.people, analysis, False, resources, files.blocks)
    table = anonymity_tables(files, analysis, resources).anonymity.set_index("qids")
    of_grades = table[table["sensitive"] == "grade"]
    of_blocks = table[table["sensitive"] == ""]
    assert len(of_blocks) == 7
    return [(q.split("|"), of_blocks.loc[q], of_grades.loc[q]) for q in of_blocks.index]


def test_every_subset_has_the_same_k(people, rows):
    for qids, of_blocks, _ in rows:
        assert of_blocks["k_anonymity"] == pycanon.k_anonymity(people, qids)


def test_every_subset_has_as_many_values_and_the_same_whole_part_of_entropy_l(
    people, rows
):
    for qids, _, of_grades in rows:
        assert of_grades["l_distinct"] == pycanon.l_diversity(people, qids, GRADE)
        nearly = of_grades["l_entropy"] + np.array([-1e-9, 1e-9])
        whole = pycanon.entropy_l_diversity(people, qids, GRADE)
        assert whole in nearly.astype(int)


def test_the_largest_share_of_a_value_in_a_block_is_the_c_of_recursive_2_diversity(
    people, rows
):
    for qids, _, of_grades in rows:
        c = of_grades["recursive_c_2"]
        alpha, _ = pycanon.alpha_k_anonymity(people, qids, GRADE)
        assert (1 if np.isnan(c) else c / (1 + c)) == pytest.approx(alpha)


def test_every_subset_has_the_same_equal_and_ordered_distance(people, rows):
    numbers = people.assign(grade=people["grade"].astype(int))
    for qids, _, of_grades in rows:
        equal = pycanon.t_closeness(people, qids, GRADE)
        ordered = pycanon.t_closeness(numbers, qids, GRADE)
        assert of_grades["t_equal"] == pytest.approx(equal)
        assert of_grades["t_ordered"] == pytest.approx(ordered)
