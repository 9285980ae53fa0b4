"""What all lines of a member with fields at fixed places are, and which is not.

All are equally long: as long as the layout, or all longer by the same number of
blanks. All end as the first, with a line feed or a carriage return and a line feed;
the last need not end. So where each line begins follows from the first.
"""

import io
from dataclasses import dataclass
from typing import Protocol

from microleak.errors import TableError
from microleak.sources.definition import SourceDefinition
from microleak.sources.member import Member

MAX_LINE_BYTES = 1 << 16

_EDIT = "Fetch the release again, or correct its layout in config/layouts/."


class Readable(Protocol):
    """What gives bytes, at most as many as asked for, and none at its end."""

    def read(self, size: int, /) -> bytes:
        """Give the next bytes."""


@dataclass(frozen=True)
class Shape:
    """What all lines of a member are.

    Attributes
    ----------
    n_used
        Bytes of the layout.
    n_bytes
        Bytes without the end: those of the layout, and perhaps blanks.
    end
        What ends a line.
    """

    n_used: int
    n_bytes: int
    end: bytes

    @property
    def stride(self) -> int:
        """Bytes from the beginning of a line to that of the next."""
        return self.n_bytes + len(self.end)


def shape_of(member: Member, definition: SourceDefinition) -> Shape:
    """Shape of a member's lines, from its first one.

    Raises
    ------
    TableError
        If the release has no layout, the member is empty, or its first line is
        not as the layout.
    """
    if definition.layout is None:
        raise TableError(
            f"{member.where} has fields at fixed places, which are not known for "
            f"{definition.release}. Add them to config/layouts/"
            f"{definition.source}.csv, or set archive to the release in delimited text."
        )
    with member.open() as raw:
        head = filled(raw, MAX_LINE_BYTES)
    if not head:
        raise TableError(f"{member.where}: line 1: a record expected, but it is empty.")
    line, feed, _ = head.partition(b"\n")
    end = b"\r\n" if feed and line.endswith(b"\r") else b"\n"
    text = line.removesuffix(b"\r").decode("latin-1")
    n_used = definition.layout.n_bytes
    shape = Shape(n_used, max(n_used, len(text)), end)
    if fault := _fault(text, shape):
        raise TableError(f"{member.where}: line 1 {fault}. {_EDIT}")
    return shape


def uneven_line(member: Member, shape: Shape) -> TableError:
    """Error that names the first line that is not as the first; a second scan."""
    with member.open() as raw:
        lines = io.TextIOWrapper(raw, encoding="latin-1", newline="")
        for number, line in enumerate(lines, 1):
            if fault := _fault(line, shape):
                return TableError(f"{member.where}: line {number} {fault}. {_EDIT}")
    raise AssertionError("no line is uneven")


def filled(raw: Readable, size: int) -> bytes:
    """Next `size` bytes, fewer only at the end."""
    parts = []
    while size and (data := raw.read(size)):
        parts.append(data)
        size -= len(data)
    return b"".join(parts)


def _fault(line: str, shape: Shape) -> str | None:
    text = line.rstrip("\r\n")
    if len(text) != shape.n_bytes:
        return f"has {len(text)} bytes, {shape.n_bytes} expected"
    if text[shape.n_used :].strip(" "):
        return f"has more than blanks after its {shape.n_used} bytes"
    if "\0" in text:
        return "has a zero byte"
    if line[len(text) :] not in {"", shape.end.decode()}:
        return "has another end than a line feed, or than line 1"
    return None
