"""pyCANON agrees on k, l and t, on tables without missing values.

It leaves out records with a missing QID, has the whole part of entropy l only, and
takes a block's rarest value for the most frequent in recursive (c, l)-diversity, so
that these are not compared. Numbers have the ordered distance, texts the equal one.
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

pycanon = pytest.importorskip("pycanon.anonymity", reason="needs the oracles group")

pytestmark = pytest.mark.oracle
QIDS = ("school", "year", "sex")
GRADES = tuple("01234")


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


def ours(people, folder):
    """Rows of every QID subset, of its blocks and of the grades in them."""
    analysis = Anonymity("a", "people", "1", QIDS, "all", ("grade",), {"grade": GRADES})
    files = AnonymityFiles(folder / "people.parquet", folder / "blocks.parquet")
    resources = Resources(1, 8_000, folder)
    pq.write_table(pa.Table.from_pandas(people), files.people)
    profile_blocks(files.people, analysis, False, resources, files.blocks)
    table = anonymity_tables(files, analysis, resources).anonymity.set_index("qids")
    return table[table["sensitive"] == ""], table[table["sensitive"] == "grade"]


def test_every_subset_has_the_same_k_l_and_t(people, tmp_path):
    of_blocks, of_grades = ours(people, tmp_path)
    numbers = people.assign(grade=people["grade"].astype(int))
    assert len(of_blocks) == 7
    for qids in of_blocks.index:
        which = qids.split("|"), ["grade"]
        grades = of_grades.loc[qids]
        k = of_blocks.loc[qids, "k_anonymity"]
        assert k == pycanon.k_anonymity(people, which[0])
        assert grades["l_distinct"] == pycanon.l_diversity(people, *which)
        assert grades["t_equal"] == pytest.approx(pycanon.t_closeness(people, *which))
        assert grades["t_ordered"] == pytest.approx(
            pycanon.t_closeness(numbers, *which)
        )
