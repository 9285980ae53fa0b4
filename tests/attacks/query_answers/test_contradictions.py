"""Of rows that contradict one another those are named that do so, and no others."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import microleak
from microleak.base.errors import MicroleakError
from microleak.kernels.irreducible import irreducible_items
from tests.examples import examples


def named(tmp_path, text, least=0, most=99, **options):
    """Lines of the rows that a contradiction names, those of a second file from 101."""
    tables = []
    for n, part in enumerate(text.split("---\n")):
        path = tmp_path / f"q{n}.csv"
        path.write_text(part, encoding="utf-8")
        tables.append({"file": str(path)})
    with pytest.raises(MicroleakError, match="fit these rows together") as error:
        microleak.query_answers(None, "age", least, most, tables=tables, **options)
    found = re.findall(r"q(\d).csv, line (\d+)", str(error.value))
    return [100 * int(file) + int(line) for file, line in found]


def test_only_rows_without_which_it_would_go_are_named(tmp_path, text, lines):
    assert named(tmp_path, text) == lines


def test_groups_too_large_to_be_tried_that_contradict_are_told(tmp_path, text, lines):
    assert named(tmp_path, text, most=9, domains={"s": ["F", "M"]}) == lines


@pytest.mark.parametrize("at", [2, 40, 81])
def test_one_row_of_eighty_is_named_alone(tmp_path, at):
    rows = [f"g{n},{n % 3},{5 * (n % 3)}" for n in range(80)]
    rows[at - 2] = f"g{at - 2},1,5.5"
    text = "\n".join(["s,count,sum", *rows]) + "\n"
    # More persons than are tried together: what rows say of one another is looked at.
    assert named(tmp_path, text) == [at]


def test_rows_that_are_named_are_refuted_and_none_of_them_is_to_spare():
    # Pairs of numbers whose sum is 10.
    def is_refuted(some):
        return any(a + b == 10 for n, a in enumerate(some) for b in some[:n])

    for items in ([1, 2, 3, 7, 9], [9, 1], [5, 4, 6, 5], [3, 8, 2, 7, 1, 9]):
        found = irreducible_items(items, is_refuted)
        assert is_refuted(found)
        for n in range(len(found)):
            assert not is_refuted(found[:n] + found[n + 1 :])
    assert irreducible_items([1, 2], lambda _: True) == [1]
    assert irreducible_items([], lambda _: True) == []
    # Of 1 and 2 a proof is found, but not where 3 alone is with them.
    found = irreducible_items(
        [1, 2, 3, 4], lambda some: {1, 2} <= {*some} and [*some] != [1, 2, 3]
    )
    assert found == [1, 2]


RACES = "race,count,sum\nB,2,50\nW,3,50\n---\n"


@pytest.mark.parametrize("races", [RACES, RACES.replace("B,2,50\n", ""), ""])
def test_rows_that_contradict_by_themselves_need_no_row_of_others(tmp_path, races):
    sexes = "sex,count,sum\nF,3,60\nM,2,40\n---\n"
    towns = "town,count,sum\nA,2,50\nB,3,50\n*,5,105\n"
    domains = {"race": ["B", "W"]} if races else {}
    lines = named(tmp_path, sexes + races + towns, most=125, domains=domains)
    whole = 204 if races else 104
    assert lines in ([2, 3, whole], [whole - 2, whole - 1, whole])


MARGINS = st.lists(
    st.tuples(
        st.sampled_from(["sex", "town", "race"]),
        st.sampled_from(["A", "B", "*"]),
        st.integers(0, 3),
        st.integers(0, 30),
    ),
    min_size=2,
    max_size=7,
    unique_by=lambda row: row[:2],
)


def said_of(folder, rows):
    """Places of the rows that are named as contradicting; none if they do not."""
    tables, place = [], {}
    for name in ("sex", "town", "race"):
        own = [row for row in rows if row[0] == name]
        path = folder / f"{name}.csv"
        text = "".join(f"{g},{n},{s if n else 0}\n" for _, g, n, s in own)
        path.write_text(f"{name},count,sum\n{text}", encoding="utf-8")
        place |= {f"{path}, line {n}": row for n, row in enumerate(own, 2)}
        if own:
            tables.append({"file": str(path)})
    domains = {row[0]: ["A", "B"] for row in rows if row[1] != "*"}
    try:
        microleak.query_answers(None, "age", 0, 12, tables=tables, domains=domains)
    except MicroleakError as error:
        assert "fit these rows together" in str(error), error
        return [row for at, row in place.items() if at in str(error)]
    return []


@given(MARGINS)
@examples(30)
def test_rows_that_are_named_contradict_but_without_any(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("margins")
    found = said_of(folder, rows)
    if found:
        assert said_of(folder, found) == found
    for n in range(len(found)):
        rest = found[:n] + found[n + 1 :]
        assert not rest or said_of(folder, rest) == []
