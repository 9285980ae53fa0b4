"""What is known of a person, as `--known` gives it, and never shown."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from microleak.base.errors import StudyError, ordinal

Known = dict[str, str | None]
"""Known values by attribute; None is a missing one."""

PIECES = "A value that holds ,NAME= is cut there: give it in a file, --known @FILE."
"""How a name comes to be a piece of a value."""


def known_values(*given: str) -> Known:
    """Return what is known by name; an empty value is a missing one.

    A value is everything after the first `=` up to the next `,NAME=`. Text that
    begins with `@` is a file, in UTF-8, with one `NAME=value` a line, where a
    value is all the rest of the line; empty lines are skipped. `-` is such lines on
    the standard input.

    >>> known_values("town=Rio, RJ,street=", "age=07")
    {'town': 'Rio, RJ', 'street': None, 'age': '07'}

    Raises
    ------
    StudyError
        If there is no name, or one comes twice, or no such file. Neither a value
        nor a name is shown, which may be a piece of a value.
    """
    return _by_name(part for text in given for part in _parts(text))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield parts of the form `NAME=value`, each after where it stands."""
    if text == "-":
        yield from _lines("the standard input", sys.stdin.buffer.read)
    elif text.startswith("@"):
        yield from _lines(text[1:], Path(text[1:]).read_bytes)
    else:
        for i, part in enumerate(re.split(",(?=[^,=]+=)", text), 1):
            yield f"--known: the {ordinal(i)} part", part


def _lines(name: str, read: Callable[[], bytes]) -> Iterator[tuple[str, str]]:
    try:
        lines = read().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except OSError as error:
        raise StudyError(
            f"--known: {name} cannot be read: {error.strerror}. Correct the path."
        ) from None
    except UnicodeDecodeError as error:
        raise StudyError(
            f"--known: {name} is not UTF-8 at byte {error.start}. Save it as UTF-8."
        ) from None
    for i, line in enumerate(lines, 1):
        if line:
            yield f"--known: line {i} of {name}", line


def _by_name(parts: Iterable[tuple[str, str]]) -> Known:
    """Return known values from parts, each after where it stands."""
    known: Known = {}
    for where, part in parts:
        name, equals, value = part.partition("=")
        if not name or not equals:
            raise StudyError(f"{where} is not of the form NAME=VALUE.")
        if name in known:
            raise StudyError(f"{where} has the name of an earlier one. Remove one.")
        known[name] = value or None
    if not known:
        raise StudyError("--known gives no value. Give one, as NAME=VALUE.")
    return known
