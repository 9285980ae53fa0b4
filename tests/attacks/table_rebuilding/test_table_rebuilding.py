"""What tables of counts prove, against hidden truth and against enumeration."""

import itertools
import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from microleak.attacks.table_rebuilding.analysis import TableRebuilding
from microleak.attacks.table_rebuilding.measure import rebuilding_tables
from microleak.base.errors import StudyError, TableError
from tests.attacks.table_rebuilding.checker import check

AXES = {"age": 3, "race": 2, "sex": 2}


def analysis(**keys):
    return TableRebuilding.model_validate({"name": "tract", **keys})


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Writes tables as CSV files, and returns what they prove."""
    monkeypatch.chdir(tmp_path)

    def write(tables, **keys):
        given = []
        for name, (text, how) in tables.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
            given.append({"file": name, **how})
        return rebuilding_tables(analysis(tables=given, **keys), None)

    return write


def cells(found):
    rows = found.rebuilt_cells
    return {r.cell: (r.least, r.largest) for r in rows.itertuples()}


def proved(found):
    """The tables' proofs as a reader has them, all checked without a solver."""
    told = json.loads(json.dumps(found.proofs))
    assert [*check(told)] == []
    return told


SEX_AGE = "sex,age,count\nF,old,2\nF,young,1\nM,old,1\nM,young,3\n"
AGE_RACE = "age,race,count\nold,black,1\nold,white,2\nyoung,black,4\nyoung,white,0\n"
SEX_RACE = "sex,race,count\nF,black,2\nF,white,1\nM,black,*\nM,white,1\n"


def test_seven_persons_are_rebuilt_from_two_tables_but_for_one_choice(written):
    """As in the block of Garfinkel, Abowd and Martindale (2019), of whom counts.

    All who are young are black, so these four are known. Of the three old ones one is
    black: she may be one of the two women, or be the man.
    """
    found = written({"a.csv": (SEX_AGE, {}), "b.csv": (AGE_RACE, {})})
    assert cells(found) == {
        "age=old|race=black|sex=F": (0, 1),
        "age=old|race=black|sex=M": (0, 1),
        "age=old|race=white|sex=F": (1, 2),
        "age=old|race=white|sex=M": (0, 1),
        "age=young|race=black|sex=F": (1, 1),
        "age=young|race=black|sex=M": (3, 3),
    }
    (row,) = found.table_rebuilding.to_dict("records")
    assert (row["n_records"], row["n_records_proved"]) == (7, 5)
    assert (row["n_databases"], row["is_all"]) == (2, "true")
    assert (row["n_cells"], row["n_cells_proved"], row["n_cells_exact"]) == (8, 4, 8)
    proved(found)


def test_a_third_table_with_a_suppressed_count_settles_the_choice(written):
    found = written(
        {
            "a.csv": (SEX_AGE, {}),
            "b.csv": (AGE_RACE, {}),
            "c.csv": (SEX_RACE, {"suppressed": ["*"]}),
        }
    )
    (row,) = found.table_rebuilding.to_dict("records")
    assert (row["n_records_proved"], row["n_databases"]) == (7, 1)
    told = found.rebuilt_cells.set_index("cell")["tables"]
    assert told["age=old|race=white|sex=F"] == "b.csv|c.csv"
    assert told["age=young|race=black|sex=M"] == "a.csv|b.csv"
    proved(found)


SOME = {("1", "1", "2"), ("1", "2", "1"), ("2", "1", "1")}
NONE = "x,y,z,count\n" + "".join(
    f"{','.join(cell)},0\n"
    for cell in itertools.product("12", "12", "12")
    if cell not in SOME
)


def pairs(below):
    """Tables that leave three cells, of which each pair has from 1 to below - 1."""
    given = {f"{n}.csv": (f"{n},count\n1,\n", {"below": below}) for n in "xyz"}
    return given | {"none.csv": (NONE, {})}


def test_whole_numbers_contradict_what_halves_would_fit(written):
    """Each pair of three cells has 1 record: halves would, whole counts do not."""
    with pytest.raises(TableError) as error:
        written(pairs(2))
    assert str(error.value) == (
        "analysis 'tract': no counts of persons fit these rows together: none.csv, "
        "lines 2, 3, 4, 5; x.csv, line 2; y.csv, line 2; z.csv, line 2. Correct one of "
        "them, or say in suppressed, rounded_to or noise how far counts may be off."
    )


def test_databases_are_counted(written):
    """Each pair of three cells has 1 or 2: 0+1+1 thrice, 0+1+2 none, 1+1+1 once."""
    found = written(pairs(3))
    (row,) = found.table_rebuilding.to_dict("records")
    assert (row["n_databases"], row["is_all"]) == (4, "true")
    proved(found)


HOW = {
    "exact": ({}, lambda n: str(n), lambda n: (n, n)),
    "noise": ({"noise": 1}, lambda n: str(n + 1), lambda n: (n, n + 2)),
    "nearest": (
        {"rounded_to": 3},
        lambda n: str((n + 1) // 3 * 3),
        lambda n: (max(0, (n + 1) // 3 * 3 - 1), (n + 1) // 3 * 3 + 1),
    ),
    "down": (
        {"rounded_to": 2, "rounding": "down"},
        lambda n: str(n // 2 * 2),
        lambda n: (n // 2 * 2, n // 2 * 2 + 1),
    ),
    "suppressed": (
        {"suppressed": ["x"], "below": 3},
        lambda n: "x" if 0 < n < 3 else str(n),
        lambda n: (1, 2) if 0 < n < 3 else (n, n),
    ),
}
"""How a table is given, what is published of a count, and what that can stand for."""


def random_tables(rng, truth):
    """Tables of a truth, and the sums of cells with their ranges."""
    names = ["age", "race", "sex"]
    given, sums = {}, []
    codes = np.indices(truth.shape).reshape(3, -1).T
    for pair in itertools.combinations(range(3), 2):
        how, published, ranged = HOW[str(rng.choice([*HOW]))]
        lines = []
        for key in itertools.product(*(range(truth.shape[axis]) for axis in pair)):
            chosen = (codes[:, pair] == key).all(axis=1)
            n = int(truth.ravel()[chosen].sum())
            lines.append(",".join([*map(str, key), published(n)]))
            sums.append((chosen, *ranged(n)))
        rng.shuffle(lines)
        header = ",".join([*(names[axis] for axis in pair), "count"])
        given[f"{len(given)}.csv"] = ("\n".join([header, *lines]) + "\n", how)
    return given, sums


def every_database(sums, n_cells):
    """All databases that fit, by trying them."""
    most = np.full(n_cells, 10**6)
    for chosen, _, high in sums:
        most[chosen] = np.minimum(most[chosen], high)
    every = np.indices(tuple(most + 1), dtype=np.int8).reshape(n_cells, -1)
    for chosen, low, high in sums:
        total = every[chosen].sum(axis=0)
        every = every[:, (total >= low) & (total <= high)]
    return every


@pytest.mark.parametrize("seed", range(200))
def test_every_bound_is_that_of_all_databases(written, seed):
    rng = np.random.default_rng(seed)
    shape = ((2, 2, 2), (3, 2, 2))[seed % 2]
    n = int(np.prod(shape))
    truth = rng.multinomial(rng.integers(1, 7), np.full(n, 1 / n)).reshape(shape)
    given, sums = random_tables(rng, truth)
    every = every_database(sums, n)
    found = written(given)
    (row,) = found.table_rebuilding.to_dict("records")
    n_fit = every.shape[1]
    assert (row["n_databases"], row["is_all"]) == (
        min(n_fit, 1000),
        str(n_fit <= 1000).lower(),
    )
    assert row["n_cells_exact"] == n
    low, high = every.min(axis=1), every.max(axis=1)
    assert row["n_cells_proved"] == (low == high).sum()
    codes = np.indices(shape).reshape(3, -1).T
    told = {
        "|".join(f"{k}={v}" for k, v in zip(["age", "race", "sex"], c, strict=True)): b
        for c, *b in zip(codes.tolist(), low.tolist(), high.tolist(), strict=True)
    }
    assert cells(found) == {c: tuple(b) for c, b in told.items() if b[1]}
    proved(found)
