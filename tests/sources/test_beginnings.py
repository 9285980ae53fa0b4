"""How values of a domain can begin, against all of its values."""

from itertools import product

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.sources.definitions.options import can_begin, matches

LETTERS = "ab-"
ones = st.sampled_from(["a", "b", "-", "[ab]", "[^a]", "[a-b]", r"[\-b]", r"\w"])
counted = st.builds("{}{}".format, ones, st.sampled_from(["", "{0}", "{1}", "{2}"]))
patterns = st.lists(
    st.lists(counted, max_size=3).map("".join), min_size=1, max_size=3
).map("|".join)


def values_of(pattern):
    """All values of up to six letters that match."""
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
