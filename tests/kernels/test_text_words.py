"""Words of texts against Python's own comparison of bytes."""

from bisect import bisect_right

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels.texts import Texts, ranges_of, texts_of, words_of

# Zero bytes, high ones and common beginnings, about one and two words long.
SOME = st.lists(
    st.one_of(
        st.binary(max_size=20),
        st.text("\0a\xffé", max_size=10).map(str.encode),
        st.sampled_from([b"", b"\0", b"a" * 8, b"a" * 8 + b"\0", b"\x80" * 8]),
    ),
    min_size=1,
    max_size=30,
)


def texts(values):
    first = np.cumsum([0, *map(len, values)]).astype(np.int32)
    return Texts(first, np.frombuffer(b"".join(values) or b"\0", np.uint8))


def keys(values):
    return [*words_of(texts(values), 3), np.array([*map(len, values)])]


@given(SOME)
def test_words_and_lengths_sort_as_the_bytes_do_and_give_the_texts_back(values):
    order = np.lexsort(keys(values)[::-1])
    assert [values[i] for i in order] == sorted(values)
    *words, lengths = keys(values)
    back = texts_of(words, lengths)
    assert back.data.tobytes() == b"".join(values)
    assert back.first.tolist() == texts(values).first.tolist()


@given(SOME, SOME)
def test_a_range_has_the_bounds_that_are_not_above_its_rows(values, bounds):
    bounds = sorted(bounds)
    found = ranges_of(keys(values), np.stack(keys(bounds)))
    assert found.tolist() == [bisect_right(bounds, value) for value in values]


def test_texts_of_a_part_of_the_bytes_are_read_where_they_begin():
    some = texts([b"before", b"ana", b"ben"])
    part = Texts(some.first[1:], some.data)
    back = texts_of(words_of(part, 1), np.array([3, 3]))
    assert back.data.tobytes() == b"anaben"
