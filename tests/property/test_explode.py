"""Unpacking gives what a plain packer wrote, in whatever pieces, or says it cannot.

The package `datasus-dbc` is the other implementation that it is compared with.
"""

import random
import struct
from itertools import pairwise

import datasus_dbc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels.explode import (
    DISTANCE_BITS,
    END_LENGTH,
    LENGTH_BITS,
    LENGTH_EXTRA,
    LENGTH_LEAST,
    LITERAL_BITS,
    WINDOW,
    DamagedStreamError,
    exploded_bytes,
)
from tests.examples import examples

WORDS = {
    "unexpected end of input": "is cut before its end",
    "literal flag not zero or one": "does not begin as a packed stream does",
    "dictionary size not in 4..=6": "does not begin as a packed stream does",
    "distance is too far back": "copies from before its first byte",
}


def codes(n_bits):
    """Codes as text of bits: they count up, shorter ones first, and are inverted."""
    found, code, before = {}, 0, 0
    for length, value in sorted((int(n), value) for value, n in enumerate(n_bits)):
        code <<= length - before
        before = length
        text = format(code, f"0{length}b")
        found[value] = text.translate({ord("0"): "1", ord("1"): "0"})
        code += 1
    return found


LITERALS, LENGTHS, DISTANCES = map(codes, (LITERAL_BITS, LENGTH_BITS, DISTANCE_BITS))


def low_first(number, n_bits):
    return format(number, f"0{n_bits}b")[::-1] if n_bits else ""


def length_bits(length):
    """Text of bits; the kind is the one whose least length is next below."""
    least, kind = max((n, k) for k, n in enumerate(LENGTH_LEAST) if n <= length)
    return LENGTHS[kind] + low_first(int(length - least), int(LENGTH_EXTRA[kind]))


def token_bits(token, is_coded, n_low):
    if isinstance(token, int):
        return "0" + (LITERALS[token] if is_coded else low_first(token, 8))
    length, distance = token
    n_low = 2 if length == 2 else n_low
    upper, lower = divmod(distance - 1, 1 << n_low)
    return "1" + length_bits(length) + DISTANCES[upper] + low_first(lower, n_low)


def stream_of(tokens, is_coded=False, n_low=6):
    """Stream of literals, which are numbers, and copies, (length, distance)."""
    bits = [token_bits(token, is_coded, n_low) for token in tokens]
    text = "".join([*bits, "1", length_bits(END_LENGTH)])
    number = int(text[::-1], 2)
    return bytes([is_coded, n_low]) + number.to_bytes(-(-len(text) // 8), "little")


def meant(tokens):
    out = bytearray()
    for token in tokens:
        if isinstance(token, int):
            out.append(token)
        else:
            length, distance = token
            for _ in range(length):
                out.append(out[-distance])
    return bytes(out)


def farthest(length, n_low):
    return 64 << (2 if length == 2 else n_low)


@st.composite
def token_lists(draw, n_low):
    """Literals and copies, of which many are from the farthest byte there is."""
    tokens, n_written = [], 0
    for _ in range(draw(st.integers(0, 25))):
        length = draw(st.just(1) | st.integers(1, 12) | st.integers(2, 518))
        if length == 1 or not n_written:
            tokens.append(draw(st.integers(0, 255)))
            n_written += 1
        else:
            most = min(n_written, farthest(length, n_low))
            tokens.append((length, draw(st.just(most) | st.integers(1, most))))
            n_written += length
    return tokens


@st.composite
def streams(draw):
    """Tokens and the stream of them, literals coded or not, for any dictionary."""
    is_coded, n_low = draw(st.booleans()), draw(st.integers(4, 6))
    tokens = draw(token_lists(n_low))
    return tokens, stream_of(tokens, is_coded, n_low)


def cut(data, places):
    ends = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[first:end] for first, end in pairwise(ends)]


def byte_by_byte(data):
    return (data[i : i + 1] for i in range(len(data)))


def unpacked(stream):
    return b"".join(exploded_bytes([stream]))


def outcome(stream):
    try:
        return unpacked(stream)
    except DamagedStreamError as error:
        return str(error)


def outcome_elsewhere(stream):
    """Bytes that `datasus-dbc` unpacks, or the words that we have for its error."""
    header_and_sum = struct.pack("<8xH27x", 33)
    try:
        return datasus_dbc.decompress_bytes(header_and_sum + stream)[33:]
    except ValueError as error:
        return WORDS[str(error)]


@given(streams(), st.lists(st.integers(0, 10**6), max_size=8))
def test_tokens_give_their_bytes_wherever_the_stream_is_cut(stream, places):
    tokens, data = stream
    assert b"".join(exploded_bytes(cut(data, places))) == meant(tokens)
    assert outcome_elsewhere(data) == meant(tokens)


@pytest.mark.parametrize("is_coded", [False, True])
def test_every_byte_is_a_literal_coded_or_not(is_coded):
    every = list(range(256))
    stream = stream_of(every, is_coded)
    assert unpacked(stream) == bytes(every) == outcome_elsewhere(stream)


@pytest.mark.parametrize("n_low", [4, 5, 6])
def test_every_length_and_every_distance_is_copied(n_low):
    literals = list(random.Random(n_low).randbytes(WINDOW))
    every = range(1, farthest(3, n_low) + 1)
    copies = [(3 + distance % 516, distance) for distance in every]
    short = [(2, distance) for distance in range(1, farthest(2, n_low) + 1)]
    tokens = literals + copies + short
    assert {length for length, _ in copies + short} == set(range(2, END_LENGTH))
    stream = stream_of(tokens, n_low=n_low)
    assert unpacked(stream) == meant(tokens) == outcome_elsewhere(stream)


@examples(25)
@given(st.integers(2, 518), st.integers(4, 6), st.integers(4096, 4200))
def test_the_farthest_byte_is_still_there_after_any_piece(length, n_low, n_literals):
    literals = list(random.Random(length).randbytes(n_literals))
    tokens = [*literals, *[(length, farthest(length, n_low))] * 9]
    stream = stream_of(tokens, n_low=n_low)
    pieces = [stream[:-40], *byte_by_byte(stream[-40:])]
    assert b"".join(exploded_bytes(pieces)) == meant(tokens)


def test_each_byte_is_given_as_soon_as_the_stream_has_told_it():
    stream = stream_of([65, 66, (5, 2)])
    assert list(exploded_bytes(byte_by_byte(stream))) == [b"A", b"B", b"ABABA"]


def test_one_short_piece_that_unpacks_to_much_comes_out_in_parts():
    tokens = [65, *[(518, 1)] * 10_000]
    parts = list(exploded_bytes([stream_of(tokens)]))
    assert max(map(len, parts)) <= WINDOW + (1 << 20)
    assert b"".join(parts) == b"A" * (1 + 518 * 10_000)


def test_nothing_after_the_end_is_looked_at():
    stream = stream_of([65])
    pieces = iter([stream + b"\1\2\3", b"next"])
    assert b"".join(exploded_bytes(pieces)) == b"A"
    assert next(pieces) == b"next"


@pytest.mark.parametrize("is_coded", [False, True])
def test_a_stream_cut_anywhere_is_refused_after_the_bytes_it_has(is_coded):
    tokens = [*b"GONZE", (9, 5), 0, (2, 1), (518, 12), 255]
    stream = stream_of(tokens, is_coded)
    for n_bytes in range(len(stream)):
        parts = []
        with pytest.raises(DamagedStreamError, match="is cut before its end"):
            parts.extend(exploded_bytes([stream[:n_bytes]]))
        assert meant(tokens).startswith(b"".join(parts))
    assert b"".join(parts) == meant(tokens)


OTHER_HEADS = [b"\2\6", b"\xff\4", b"\0\3", b"\1\7", b"<!"]
BEFORE = [[(2, 1)], [65, (3, 2)], [65, (518, 4096)], [*b"ABC", (4, 3), (2, 8)]]


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        *(
            (head + stream_of([65])[2:], "not begin as a packed")
            for head in OTHER_HEADS
        ),
        *((stream_of(each), "copies from before its first byte") for each in BEFORE),
    ],
)
def test_a_stream_of_other_settings_or_that_copies_from_before_it_is_refused(
    stream, said
):
    with pytest.raises(DamagedStreamError, match=said):
        unpacked(stream)


@given(streams(), st.lists(st.integers(0, 10**6), min_size=1, max_size=3))
def test_flipped_bits_end_as_in_another_implementation(stream, places):
    data = bytearray(stream[1])
    for place in places:
        data[place // 8 % len(data)] ^= 1 << place % 8
    assert outcome(bytes(data)) == outcome_elsewhere(bytes(data))


@given(st.sampled_from([b"\0\4", b"\0\5", b"\0\6", b"\1\6"]), st.binary(max_size=200))
def test_any_bytes_end_as_in_another_implementation(head, rest):
    assert outcome(head + rest) == outcome_elsewhere(head + rest)
