"""Members that have the records of another one, which would count twice."""

from codecs import BOM_UTF8
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, suppress
from gettext import gettext as _
from itertools import islice
from typing import BinaryIO

from microleak.base.errors import ArchiveError
from microleak.sources.files.member import Member, printable

_HEAD_BYTES = 4096
# Of a copy: a header and three records, as fewer are alike by chance; of a beginning
# ten, or so many bytes below the header
_FEWEST_LINES, _FEWEST_OF_BEGINNING, _FEWEST_BYTES = 4, 11, 200
# Gives the members, from the first one on, each time that it is called
MembersAgain = Callable[[], Generator[Member]]


def without_copies(found: MembersAgain) -> Generator[Member]:
    """Give members; refuse one with the text of an earlier one, or a long beginning."""
    # Byte order marks and line ends make no difference. Only members that begin alike
    # are read further, and no further than they are alike.
    heads: dict[int, bytes] = {}
    with closing(found()) as members:
        for place, member in enumerate(members):
            head = b""
            # One that cannot be read is refused once it is to be read.
            with suppress(ArchiveError), member.open() as raw:
                head = next(_plain(raw, _HEAD_BYTES), b"")
            for earlier, other in heads.items():
                if head.startswith(other) or other.startswith(head):
                    _refuse_copy(found, earlier, member)
            if head:
                heads[place] = head
            yield member


def _refuse_copy(found: MembersAgain, place: int, member: Member) -> None:
    """Compare with an earlier member, which may have to be unpacked anew."""
    with closing(found()) as members:
        earlier = next(islice(members, place, None))
        with earlier.open() as one, member.open() as other:
            n_lines, n_bytes, is_same = _alike(_plain(one), _plain(other))
    if is_same and n_lines >= _FEWEST_LINES:
        said = _(
            "{first} and {second} are the same file twice, whose records would count "
            "twice. Remove one of them; if they should differ, fetch both again; if "
            "both are right, join them in one file."
        )
    elif n_lines >= _FEWEST_OF_BEGINNING or (n_lines > 1 and n_bytes >= _FEWEST_BYTES):
        said = _(
            "{first} and {second}: one has all records of the other, which would count "
            "twice. Keep the longer one, and no file of which it has the records; if "
            "both are right, join them in one file."
        )
    else:
        return
    name = printable(member.name)
    name = member.where if member.name == earlier.name else name
    raise ArchiveError(said, first=earlier.where, second=name)


def _alike(one: Iterator[bytes], other: Iterator[bytes]) -> tuple[int, int, bool]:
    """Return in how many lines a text is the other's beginning, and if it is all."""
    # Between them stands how many bytes it has below its first line.
    parts, n_lines, n_zeros, last, n_below = (b"", b""), 0, 0, b"\n", 0
    while True:
        first, second = parts[0] or next(one, b""), parts[1] or next(other, b"")
        n_bytes = min(len(first), len(second))
        if not n_bytes:
            is_same = not (first + second).strip()
            if n_zeros and not is_same:  # a table of dBase that was cut is told so
                return 0, 0, False
            # Such a table has no lines: zero bytes end its names and values.
            return n_lines + n_zeros + (last != b"\n"), n_below, is_same
        if first[:n_bytes] != second[:n_bytes]:
            return 0, 0, False
        n_head = first.find(b"\n", 0, n_bytes) + 1 if n_lines == 0 else 0
        n_below += n_bytes - n_head if n_lines or n_head else 0
        n_lines += first.count(b"\n", 0, n_bytes)
        n_zeros += first.count(b"\0", 0, n_bytes)
        last = first[n_bytes - 1 : n_bytes]
        parts = first[n_bytes:], second[n_bytes:]


def _plain(raw: BinaryIO, n_bytes: int = 1 << 20) -> Iterator[bytes]:
    """Give a text in blocks, without a byte order mark and with line feeds alone."""
    data = raw.read(n_bytes).removeprefix(BOM_UTF8)
    while data:
        while data.endswith(b"\r") and (more := raw.read(1)):
            data += more
        yield data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        data = raw.read(n_bytes)
