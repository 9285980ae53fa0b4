"""Values of a domain: which are within it, and how they can begin."""

from itertools import product

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.sources.definitions.options import can_begin, matches
from microleak.sources.steps.ingest import checks, refused
from tests.sources.released import census, delimited


def marked(values, pattern, **options):
    definition = delimited(domains={"a": pattern}, **options)
    masks = refused(pa.table({"a": pa.array(values, pa.string())}), checks(definition))
    return {name: mask.tolist() for name, mask in masks.items()}


@pytest.mark.parametrize(
    ("values", "pattern", "options", "found"),
    [
        (["1", "2", "1"], "[12]", {}, []),
        (["3", "1", "3", "4"], "[12]", {}, [True, False, True, True]),
        ([None, "3"], "[12]", {}, [False, True]),
        ([None, None], "[12]", {}, []),
        ([None, "1"], "[12]", {"person_id": "a"}, [True, False]),
        ([None, "9"], "[12]", {"record_id": "a"}, [True, True]),
        (["12", "1\n", " 1", "", "1x", "x1"], "1|2", {}, [True] * 6),
        (["X"], "(?i)x", {}, []),
        (["José"], r"\pL+", {}, []),
        (["José"], r"\w+", {}, [True]),
    ],
)
def test_records_are_marked_whose_whole_value_is_outside_as_re2_reads_the_domain(
    values, pattern, options, found
):
    assert marked(values, pattern, **options) == ({"a": found} if found else {})


def test_an_identifier_without_a_domain_may_be_anything_but_missing():
    table = pa.table({"id": ["x", None], "b": ["y", None]})
    masks = refused(table, checks(delimited(person_id="id")))
    assert {name: mask.tolist() for name, mask in masks.items()} == {
        "id": [False, True]
    }


def test_what_an_identifier_must_be_says_that_it_is_never_missing():
    assert checks(census("2017"))["ID_ALUNO"].expected == "12 digits, never missing"
    assert checks(census())["TP_SEXO"].expected == "1 or 2"


def test_a_chunk_of_many_pieces_is_one_chunk():
    column = pa.chunked_array([["1", "9"], [], ["9", None]], pa.string())
    masks = refused(pa.table({"a": column}), checks(delimited(domains={"a": "1"})))
    assert masks["a"].tolist() == [False, True, True, False]


LETTERS = "ab-"
ones = st.sampled_from(["a", "b", "-", "[ab]", "[^a]", "[a-b]", r"[\-b]", r"\w"])
counted = st.builds("{}{}".format, ones, st.sampled_from(["", "{0}", "{1}", "{2}"]))
patterns = st.lists(
    st.lists(counted, max_size=3).map("".join), min_size=1, max_size=3
).map("|".join)


def values_of(pattern):
    texts = ["".join(text) for n in range(7) for text in product(LETTERS, repeat=n)]
    array = pa.array(texts)
    return array.filter(matches(array, pattern)).to_pylist()


@given(patterns, st.text(LETTERS, min_size=1, max_size=7))
def test_a_beginning_is_possible_if_a_value_has_it(pattern, beginning):
    values = values_of(pattern)
    assert can_begin(beginning, pattern) == any(v.startswith(beginning) for v in values)


def test_a_character_without_a_number_of_times_stands_once():
    assert can_begin("A1", "[A-Z][0-9]{3}")
    assert not can_begin("AA", "[A-Z][0-9]{3}")


@pytest.mark.parametrize(
    "pattern",
    [
        *("0?[1-9]", "0*", "0+", "0{2,}", "0{1,2}", "(0|1)2", "(?i)a", "a.c"),
        *("[a|b]c", "[]a]", "[^]a]", "[[:digit:]]", r"\pL", r"\Qa\E", r"\x41", "^a$"),
    ],
)
def test_any_beginning_is_possible_where_the_pattern_is_not_plain(pattern):
    assert can_begin("no value begins so", pattern)


@pytest.mark.parametrize(("beginning", "is_possible"), [("ção", True), ("çãoa", False)])
def test_characters_count_and_not_their_bytes(beginning, is_possible):
    assert can_begin(beginning, "[^0-9]{3}") == is_possible
