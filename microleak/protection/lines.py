"""Protected records as lines of fields at fixed places, as the office writes its own.

Each field stands where the release has it, and what is not written is blank. A label
that is wider than its field makes the field wider, and moves those after it.
"""

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.base.errors import StudyError, TableError
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.definitions.yearly import LINE, FixedWidth
from microleak.sources.files.archive import released_files
from microleak.sources.formats.fixed_width import Shape, filled, shape_of

AT_ONCE = 1 << 14
"""Lines that are made at once."""

N_SEEN = 1 << 10
"""Lines of the release by which it is seen on which side a field has its blanks."""

_BLANK = 0x20
_CSV = "Give -o the ending .csv."
OTHER_LABELS = "Give other labels in its hierarchy, or a FILE that ends in .parquet."


@dataclass(frozen=True)
class Places:
    """Where the fields of lines are."""

    layout: FixedWidth  # The fields that are written, by their official names
    shape: Shape  # What all lines are
    encoding: str  # Of the release
    left: frozenset[str]  # Fields whose values begin at their first byte
    wider: tuple[str, ...]  # Fields that are wider than those of the release

    def text(self, release: str) -> str:
        """Return the layout as a file of config/layouts/ has that of a release."""
        rows = [f"{release},{LINE},1,{self.layout.n_bytes}"]
        for name, (start, end) in self.layout.fields.items():
            rows.append(f"{release},{name},{start + 1},{end - start}")
        return "\n".join(["release,name,start,length", *rows, ""])


def places_of(
    values: Mapping[str, pa.Array], definition: SourceDefinition, archive: Path | None
) -> Places:
    shape, lines = seen_lines(definition, archive)
    assert definition.layout is not None
    own = definition.layout.fields
    if absent := [name for name in values if name not in own]:
        raise StudyError(
            f"The lines of {definition.release} have no field for {', '.join(absent)}, "
            f"so its records cannot be written to a FILE that ends in .txt. {_CSV}"
        )
    missing = tuple(dict.fromkeys(("", *definition.missing)))
    widths = {
        name: _widest_value(name, each, definition.encoding, missing)
        for name, each in values.items()
    }
    layout = _widened_layout(definition.layout, widths)
    moved = layout.n_bytes - definition.layout.n_bytes
    return Places(
        layout,
        Shape(layout.n_bytes, shape.n_bytes + moved, shape.end),
        definition.encoding,
        frozenset(name for name in widths if _is_left(lines[:, slice(*own[name])])),
        tuple(
            name
            for name, (start, end) in layout.fields.items()
            if end - start > own[name][1] - own[name][0]
        ),
    )


def _widened_layout(layout: FixedWidth, widths: Mapping[str, int]) -> FixedWidth:
    """Return a layout of some of the fields, each as wide as it must be or was.

    >>> _widened_layout(FixedWidth(6, {"a": (0, 1), "b": (2, 6)}), {"a": 3, "b": 2})
    FixedWidth(n_bytes=8, fields={'a': (0, 3), 'b': (4, 8)})
    """
    fields: dict[str, tuple[int, int]] = {}
    moved = 0
    for name, (start, end) in sorted(layout.fields.items(), key=lambda item: item[1]):
        if name in widths:
            more = max(0, widths[name] - (end - start))
            fields[name] = start + moved, end + moved + more
            moved += more
    return FixedWidth(layout.n_bytes + moved, fields)


def seen_lines(
    definition: SourceDefinition, archive: Path | None
) -> tuple[Shape, NDArray[np.uint8]]:
    if archive is not None and definition.layout is not None:
        with closing(released_files(archive, definition)) as found:
            member = next(found)
            if definition.is_fixed_width(member.name):
                shape = shape_of(member, definition)
                with member.open() as raw:
                    head = filled(raw, N_SEEN * shape.stride)
                n_lines = len(head) // shape.stride
                lines = np.frombuffer(head, np.uint8, n_lines * shape.stride)
                return shape, lines.reshape(n_lines, shape.stride)
    raise StudyError(
        f"{definition.release} has no fields at fixed places, so its records cannot be "
        f"written to a FILE that ends in .txt. {_CSV}"
    )


def _is_left(field: NDArray[np.uint8]) -> bool:
    """Return whether more values of a field have blanks behind them than before."""
    is_blank = field == _BLANK
    first, last = is_blank[:, 0], is_blank[:, -1]
    return int((~first & last).sum()) > int((first & ~last).sum())


def _widest_value(
    name: str, values: pa.Array, encoding: str, missing: tuple[str, ...]
) -> int:
    if pc.any(pc.match_substring_regex(values, r"^ | $|[\r\n\x00]")).as_py():
        raise TableError(
            f"{name} has values with a blank at an end, a line end or a zero byte, "
            f"which no field at a fixed place can hold. {OTHER_LABELS}"
        )
    if pc.any(pc.is_in(values, value_set=pa.array(missing, values.type))).as_py():
        raise TableError(
            f"{name} has values that are written as a missing one is. {OTHER_LABELS}"
        )
    return max(map(len, encoded_texts(name, values, encoding)), default=0)


def encoded_texts(name: str, values: pa.Array, encoding: str) -> list[bytes]:
    """Return texts as an encoding has them; refuse one with what it does not have."""
    try:
        return [text.encode(encoding) for text in values.to_pylist()]
    except UnicodeEncodeError:
        raise TableError(
            f"{name} has values with characters that {encoding}, in which its source "
            f"is written, does not have. {OTHER_LABELS}"
        ) from None


def write_lines(to: Path, tables: Iterable[pa.Table], places: Places) -> None:
    end = np.frombuffer(places.shape.end, np.uint8)
    with to.open("wb") as file:
        for table in tables:
            cells = {
                name: _written_cells(table, name, places)
                for name in places.layout.fields
            }
            for start in range(0, len(table), AT_ONCE):
                n = min(AT_ONCE, len(table) - start)
                lines = np.full((n, places.shape.stride), _BLANK, dtype=np.uint8)
                lines[:, places.shape.n_bytes :] = end
                for name, (texts, codes) in cells.items():
                    field = slice(*places.layout.fields[name])
                    lines[:, field] = texts[codes[start : start + n]]
                file.write(lines.data)


def _written_cells(
    table: pa.Table, name: str, places: Places
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return what is written for each value, a missing one last, and each record's."""
    column = table[name].combine_chunks()
    start, end = places.layout.fields[name]
    width = end - start
    values = [text.encode(places.encoding) for text in column.dictionary.to_pylist()]
    is_left = name in places.left
    texts = [text.ljust(width) if is_left else text.rjust(width) for text in values]
    cells = np.frombuffer(b"".join([*texts, b" " * width]), np.uint8)
    codes = column.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
    return cells.reshape(len(values) + 1, width), codes.astype(np.int64)
