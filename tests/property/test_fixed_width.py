"""Reading fields at fixed places gives what plain slicing of each line gives."""

import io

from hypothesis import given
from hypothesis import strategies as st

from microleak.sources.fixed_width import records
from microleak.sources.shape import Shape

LETTERS = st.characters(codec="latin-1", exclude_characters="\0\r\n")


@st.composite
def files(draw):
    """Lines of one length, fields anywhere in them, and how the lines end."""
    n_bytes = draw(st.integers(1, 12))
    text = st.text(LETTERS | st.just(" "), min_size=n_bytes, max_size=n_bytes)
    lines = draw(st.lists(text, min_size=1, max_size=30))
    starts = draw(st.lists(st.integers(0, n_bytes - 1), min_size=1, max_size=5))
    fields = {
        f"c{place}": (start, draw(st.integers(start + 1, n_bytes)))
        for place, start in enumerate(starts)
    }
    return lines, fields, draw(st.sampled_from(["\n", "\r\n"]))


def sliced(line, start, stop):
    return line[start:stop].strip(" ") or None


@given(files(), st.integers(0, 3), st.booleans(), st.integers(1, 60))
def test_fields_are_slices_of_their_lines(file, n_blanks, is_ended, block_bytes):
    lines, fields, end = file
    text = end.join(line + " " * n_blanks for line in lines) + end * is_ended
    shape = Shape(len(lines[0]), len(lines[0]) + n_blanks, end.encode())
    raw = io.BytesIO(text.encode("latin-1"))
    batches = records(raw, shape, fields, [], block_bytes)
    read = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    assert read == [tuple(sliced(line, *f) for f in fields.values()) for line in lines]
