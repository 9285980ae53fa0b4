"""Unpacking of streams that PKWARE's Data Compression Library packed ("implode").

After two bytes of settings a stream is a row of tokens, whose bits fill each byte
from the lowest on. A token is a literal (0, then one byte, coded or as it is) or a
copy (1, a length, a distance): so many of the bytes written, from so far back, and
they may overlap with what they become. One length marks the end.

The format is known from the description by Ben Rudiak-Gould (comp.compression,
13 August 2001) and the tables with `blast` by Mark Adler.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

WINDOW = 4096
"""Farthest distance that a stream can name: 6 coded bits and 6 low ones."""

LITERAL_BITS = np.array(
    [
        int(digit, 16)
        for digit in "bcccccccc87cc7ccccccccccccdccccc"
        "4a8caca87789767876777787788cb79b"
        "c676657886b967667b66679899b8b9c8"
        "c566656665b756556a55558788abbccc"
        "dddddddddddddddddddddddddddddddd"
        "ddddddddddddddddcccccccccccccccc"
        "cccccccccccccccccccccccccccccccc"
        "dcdddcdddcddddcdddcccddddddddddd"
    ]
)
"""Bits of the code of each byte, written as one hexadecimal digit each."""

LENGTH_BITS = np.repeat([2, 3, 4, 5, 6, 7], [1, 3, 3, 4, 3, 2])
"""Bits of the code of each kind of length."""

LENGTH_EXTRA = np.array([0] * 8 + [1, 2, 3, 4, 5, 6, 7, 8])
"""Bits after that code, which are added to the least length of its kind."""

LENGTH_LEAST = np.array([3, 2, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 40, 72, 136, 264])
"""Least length of each kind."""

DISTANCE_BITS = np.repeat([2, 4, 5, 6, 7, 8], [1, 2, 4, 15, 26, 16])
"""Bits of the code of each value of a distance's upper bits."""

END_LENGTH = 519
"""The length that marks the end."""

_TOKEN_BITS = 30
"""Most bits of a token: 1, 7 and 8 for the length, 8 and 6 for the distance."""

_ROOM_BYTES = 1 << 20

_GOING, _NEEDED, _ENDED, _TOO_FAR = range(4)
"""Why unpacking stopped: for no reason but room, for want of packed bytes, at the
end, or at a copy from before the first byte."""

_CUT = "is cut before its end"


class DamagedStreamError(ValueError):
    """A stream that cannot be unpacked, and what is wrong with it."""


class StreamSettings(NamedTuple):
    """What the first two bytes say: are literals coded, low bits of a distance."""

    is_coded: bool
    n_low_bits: int


class UnpackedPlace(NamedTuple):
    """How far a stream is unpacked."""

    bits: int
    n_bits: int
    n_held: int


def exploded_bytes(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes that a stream was packed from, about a megabyte at a time.

    Pieces are cut anywhere and may be empty; none after the one that has the end is
    taken. A `DamagedStreamError` says that the stream does not begin as one does,
    copies from before its first byte, or ends too early. Other damage gives other
    bytes: the format has no checksum. Memory is that of a piece and three megabytes.

    >>> b"".join(exploded_bytes([bytes.fromhex("00048224258f807f")]))
    b'AIAIAIAIAIAIA'
    """
    rest = iter(pieces)
    head = _head_pieces(rest)
    settings = _settings_of(head)
    room = np.empty(WINDOW + _ROOM_BYTES, dtype=np.uint8)
    place = UnpackedPlace(0, 0, 0)
    for piece in chain([head[2:]], rest):
        packed = np.frombuffer(piece, dtype=np.uint8)
        status = _GOING
        while status == _GOING:
            place = _moved_to_front(room, place)
            n_before = place.n_held
            status, n_read, place = _unpack_tokens(packed, room, settings, place)
            if n_before < place.n_held:
                yield room[n_before : place.n_held].tobytes()
            packed = packed[n_read:]
        if status == _ENDED:
            return
        if status == _TOO_FAR:
            raise DamagedStreamError("copies from before its first byte")
    raise DamagedStreamError(_CUT)


def _head_pieces(pieces: Iterator[bytes]) -> bytes:
    """First pieces, until they have the two bytes of settings; fewer if cut."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= 2:
            break
    return head


def _settings_of(head: bytes) -> StreamSettings:
    if len(head) < 2:
        raise DamagedStreamError(_CUT)
    if head[0] not in {0, 1} or head[1] not in {4, 5, 6}:
        raise DamagedStreamError("does not begin as a packed stream does")
    return StreamSettings(head[0] == 1, head[1])


def _moved_to_front(room: Bytes, place: UnpackedPlace) -> UnpackedPlace:
    """Keep of the bytes in the room only those that copies can reach, in front."""
    n_kept = min(place.n_held, WINDOW)
    room[:n_kept] = room[place.n_held - n_kept : place.n_held]
    return place._replace(n_held=n_kept)


def _code_table(
    n_bits: NDArray[np.int64], values: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return what a code stands for, by what is in the longest code's next bits.

    Entries are value << 4 | bits of the code. Codes are canonical: by length and value
    they count up. Streams have the first bit of a code lowest, and all of them
    inverted.
    """
    longest = int(n_bits.max())
    order = np.argsort(n_bits, kind="stable")
    entries = np.repeat((values << 4 | n_bits)[order], 1 << (longest - n_bits[order]))
    return entries.reshape(longest * [2]).T.ravel()[::-1].astype(np.int32)


_LITERALS = _code_table(LITERAL_BITS, np.arange(256))
_LENGTHS = _code_table(LENGTH_BITS, LENGTH_LEAST << 4 | LENGTH_EXTRA)
_DISTANCES = _code_table(DISTANCE_BITS, np.arange(64))


@njit(cache=True, nogil=True)
def _unpack_tokens(packed, room, settings, place):
    """Decode whole tokens while there is room; return why it stopped, and where."""
    bits, n_bits, n_held = place
    n_read = 0
    status = _GOING
    while n_held + END_LENGTH <= len(room):
        bits, n_bits, n_read = _filled_bits(bits, n_bits, packed, n_read)
        if bits & 1:
            length, distance, n_used = _copied_part(bits, settings.n_low_bits)
            status = _copy_status(n_bits - n_used, length, n_held - distance)
            if status != _GOING:
                break
            for i in range(n_held, n_held + length):
                room[i] = room[i - distance]
        else:
            value, n_used = _literal_byte(bits, settings.is_coded)
            if n_used > n_bits:
                status = _NEEDED
                break
            room[n_held] = value
            length = 1
        n_held += length
        bits >>= n_used
        n_bits -= n_used
    return status, n_read, UnpackedPlace(bits, n_bits, n_held)


@njit(cache=True, nogil=True)
def _filled_bits(bits, n_bits, packed, n_read):
    """Read bytes ahead, if there may not be a whole token in the bits."""
    if n_bits < _TOKEN_BITS:
        while n_bits + 8 < 64 and n_read < len(packed):
            bits |= np.int64(packed[n_read]) << n_bits
            n_bits += 8
            n_read += 1
    return bits, n_bits, n_read


@njit(cache=True, nogil=True)
def _copy_status(n_bits_left, length, first):
    """Whether a copy can be made, of bytes from place `first` of the room on."""
    if n_bits_left < 0:
        return _NEEDED
    if length == END_LENGTH:
        return _ENDED
    return _TOO_FAR if first < 0 else _GOING


@njit(cache=True, nogil=True)
def _literal_byte(bits, is_coded):
    if not is_coded:
        return bits >> 1 & 0xFF, 9
    entry = np.int64(_LITERALS[bits >> 1 & len(_LITERALS) - 1])
    return entry >> 4, 1 + (entry & 15)


@njit(cache=True, nogil=True)
def _copied_part(bits, n_low_bits):
    entry = np.int64(_LENGTHS[bits >> 1 & len(_LENGTHS) - 1])
    n_used = 1 + (entry & 15)
    n_extra = entry >> 4 & 15
    length = (entry >> 8) + (bits >> n_used & (1 << n_extra) - 1)
    n_used += n_extra
    if length == END_LENGTH:
        return length, 0, n_used
    entry = np.int64(_DISTANCES[bits >> n_used & len(_DISTANCES) - 1])
    n_used += entry & 15
    n_low = 2 if length == 2 else n_low_bits
    distance = (entry >> 4 << n_low) + (bits >> n_used & (1 << n_low) - 1) + 1
    return length, distance, n_used + n_low
