"""Profiles of a share of the country are those of one GROUP BY a subset.

Of a thousandth of the schools all subsets are compared, of a hundredth every 32nd:
a GROUP BY of each takes minutes there.
"""

from dataclasses import replace

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from microleak.attacks.collective.profile import profile_analysis
from microleak.base.machine import Resources
from microleak.base.paths import CONFIG
from microleak.records.subsets import names_of
from microleak.study.load import load_study
from tests.calibration.conftest import SCHOOL, Twin

pytestmark = pytest.mark.long

PAPER = load_study(CONFIG / "papers/nunes-2021.yaml")
ANALYSIS = PAPER.analyses["collective"]["school-2018"]


def people_of(folder, n_schools):
    census = replace(SCHOOL, sizes={**SCHOOL.sizes, "2018": n_schools})
    Twin(folder, 2021, census).people("2018")
    return folder / "2018-people.parquet"


def database_of(people):
    names = [*ANALYSIS.qids, *ANALYSIS.sensitive]
    frame = pq.read_table(people, columns=names).to_pandas()
    codes = frame.apply(lambda column: column.factorize(use_na_sentinel=False)[0])
    database = duckdb.connect(config={"threads": 1})
    database.register("coded", pa.Table.from_pandas(codes, preserve_index=False))
    database.execute("CREATE TABLE people AS FROM coded")
    return database


def kinds_by_sql(database, qids):
    """Blocks by sensitive attribute, size, modal count and distinct values."""
    counts, kinds = [], []
    for i, name in enumerate(ANALYSIS.sensitive):
        [(n_values,)] = database.sql(f"SELECT max({name}) + 1 FROM people").fetchall()
        values = [f"s{i}_{value}" for value in range(n_values)]
        counts += [
            f"count(*) FILTER ({name} = {value}) AS {column}"
            for value, column in enumerate(values)
        ]
        distinct = " + ".join(f"({column} > 0)::BIGINT" for column in values)
        kinds.append(
            f"SELECT {i} AS s, n, greatest({', '.join(values)}) AS modal, "
            f"{distinct} AS n_distinct, count(*) AS n_blocks FROM blocks GROUP BY ALL"
        )
    block = ", ".join(qids) or "()"
    query = (
        f"WITH blocks AS MATERIALIZED (SELECT count(*) AS n, {', '.join(counts)} "
        f"FROM people GROUP BY {block}) {' UNION ALL '.join(kinds)} ORDER BY ALL"
    )
    return list(database.execute(query).fetchnumpy().values())


@pytest.mark.parametrize(
    ("n_schools", "step"),
    [pytest.param(184, 1, marks=pytest.mark.long), (184, 8), (1837, 32)],
    ids=["all of a thousandth", "some of a thousandth", "some of a hundredth"],
)
def test_subsets_have_the_blocks_of_a_group_by(n_schools, step, tmp_path):
    people = people_of(tmp_path, n_schools)
    database = database_of(people)
    profiles = tmp_path / "profiles.parquet"
    resources = Resources(2, 8_000, tmp_path)
    profile_analysis([people], ANALYSIS, True, resources, profiles)
    table = pq.read_table(profiles)
    # The values of an attribute that are measured by themselves come after it.
    table = table.filter(pc.field("sensitive") < len(ANALYSIS.sensitive))
    columns = [column.to_numpy() for column in table.columns]
    cuts = np.flatnonzero(np.diff(columns[0])) + 1
    found = list(zip(*(np.split(c, cuts) for c in columns), strict=True))
    assert len(found) == 2048
    for subset, *ours in found[::step]:
        theirs = kinds_by_sql(database, names_of(int(subset[0]), ANALYSIS.qids))
        assert all(map(np.array_equal, ours, theirs)), f"subset {subset[0]}"
