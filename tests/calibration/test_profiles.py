"""Profiles of a hundredth of the country are those of one GROUP BY a subset."""

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.paths import DEFAULT_STUDY
from microleak.resources import Resources
from microleak.study.config import load_study
from microleak.study.profiling import profile_analysis
from microleak.study.subsets import names_of
from tests.calibration.conftest import SCHOOL, Twin

ANALYSIS = load_study(DEFAULT_STUDY).collective["school-2018"]


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    twin = Twin(tmp_path_factory.mktemp("hundredth"), 2021, SCHOOL)
    twin.people("2018")
    return twin.folder / "2018-people.parquet"


@pytest.fixture(scope="module")
def database(people):
    names = [*ANALYSIS.qids, *ANALYSIS.sensitive]
    frame = pq.read_table(people, columns=names).to_pandas()
    codes = frame.apply(lambda column: column.factorize(use_na_sentinel=False)[0])
    database = duckdb.connect()
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


def test_all_subsets_have_the_blocks_of_a_group_by(people, database, tmp_path):
    profiles = tmp_path / "profiles.parquet"
    resources = Resources(2, 8_000, tmp_path)
    profile_analysis([people], ANALYSIS, True, resources, profiles)
    columns = [column.to_numpy() for column in pq.read_table(profiles).columns]
    cuts = np.flatnonzero(np.diff(columns[0])) + 1
    n_compared = 0
    for subset, *ours in zip(*(np.split(c, cuts) for c in columns), strict=True):
        theirs = kinds_by_sql(database, names_of(int(subset[0]), ANALYSIS.qids))
        assert all(map(np.array_equal, ours, theirs)), f"subset {subset[0]}"
        n_compared += 1
    assert n_compared == 2048
