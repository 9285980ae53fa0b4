"""The profile of a population and a sample against the plain definition."""

import tempfile
from collections import Counter

from hypothesis import assume, given
from hypothesis import strategies as st

from microleak.records.compared import SAMPLED, both_of
from tests.compared import CODED, PENSE, compared, files, overlaps, profiled
from tests.examples import examples

NAMES = ("a", "b", "c")
QIDS = ("a", "b")
values = st.sampled_from([None, "", "0", "1"])
person = st.tuples(values, values, values)
people = st.lists(person, min_size=1, max_size=12)
surveyed = st.lists(person, min_size=1, max_size=6)
keeps = st.fixed_dictionaries(
    {},
    optional={
        name: st.sets(values, min_size=1).map(lambda kept: tuple(sorted(kept, key=str)))
        for name in ("b", "c")
    },
)
students = st.lists(
    st.tuples(
        st.sampled_from([None, "1", "2"]),
        st.sampled_from([None, "0", "3", "4"]),
        st.sampled_from([None, "3106200"]),
    ),
    min_size=1,
    max_size=12,
)
asked = st.lists(
    st.tuples(
        st.sampled_from([None, "1", "2", "99"]),
        st.sampled_from([None, "3", "4", "99"]),
        st.sampled_from([None, "0", "3106200"]),
    ),
    min_size=1,
    max_size=6,
)


def recoded(rows):
    """Answers to PeNSE in the codes of the School Census, by hand."""
    return [
        (
            None if sex == "99" else sex,
            {"3": "4", "4": "3", "99": "0", None: None}[race],
            None if town == "0" else town,
        )
        for sex, race, town in rows
    ]


def counting(rows, keep):
    """The records that have one of the values to keep, in each of the attributes."""
    return [
        row
        for row in rows
        if all(row[NAMES.index(name)] in kept for name, kept in keep.items())
    ]


def kinds(population, sample, subset):
    """Blocks of both by (n, d), and how many there are of each kind."""
    n, d = (
        Counter(
            tuple(value for i, value in enumerate(row[:2]) if subset >> i & 1)
            for row in rows
        )
        for rows in (population, sample)
    )
    found = Counter((n[block], d[block]) for block in n | d)
    return {(*kind, n_blocks) for kind, n_blocks in found.items()}


def assume_comparable(population, sample):
    assume(0 < len(sample) <= len(population))


def known(keep, rows):
    """The values to keep that some record has; a filter of another one is refused."""
    return {
        name: tuple(
            each for each in kept if each in {r[NAMES.index(name)] for r in rows}
        )
        for name, kept in keep.items()
    }


def naive(population, sample, keep):
    both = counting(population, keep), counting(sample, keep)
    return {subset: kinds(*both, subset) for subset in range(4)}


@given(people, surveyed, keeps)
@examples(40)
def test_every_subset_has_the_blocks_of_both_tables(population, sample, keep):
    keep = known(keep, population + sample)
    assume_comparable(counting(population, keep), counting(sample, keep))
    with tempfile.TemporaryDirectory() as folder:
        both = files(folder, population, sample, NAMES)
        found = overlaps(profiled(folder, both, compared(QIDS, keep=keep)))
    assert found == naive(population, sample, keep)


@given(students, asked, st.sampled_from([{}, {"c": (None,)}, {"c": ("3106200",)}]))
@examples(40)
def test_a_sample_of_other_codes_is_compared_in_those_of_the_population(
    population, sample, keep
):
    assume_comparable(counting(population, keep), counting(recoded(sample), keep))
    named = {"CO_MUNICIPIO": keep["c"]} if keep else {}
    analysis = compared(("TP_SEXO", "TP_COR_RACA"), keep=named, crosswalk=CODED)
    with tempfile.TemporaryDirectory() as folder:
        both = files(folder, population, sample, [*PENSE], PENSE.values())
        found = overlaps(profiled(folder, both, analysis))
    assert found == naive(population, recoded(sample), keep)


@given(people, surveyed, keeps, st.integers(1, 7))
@examples(40)
def test_chunks_of_any_size_have_the_records_that_count(
    population, sample, keep, rows_a_chunk
):
    keep = known(keep, population + sample)
    parts = counting(population, keep), counting(sample, keep)
    assume_comparable(*parts)
    expected = [
        (*row[:2], mark) for rows, mark in zip(parts, "01", strict=True) for row in rows
    ]
    with tempfile.TemporaryDirectory() as folder:
        both = files(folder, population, sample, NAMES)
        chunks = both_of(*both, compared(QIDS, keep=keep), rows_a_chunk)
        tables = [chunks.read(i, [SAMPLED, "b", "a"]) for i in range(chunks.n_chunks)]
    rows = [(row["a"], row["b"], row[SAMPLED]) for t in tables for row in t.to_pylist()]
    assert rows == expected
    assert chunks.n_rows == len(expected)
