"""What can be wrong with a study, its files or its settings.

Every message says what was found, where, what was expected and which setting
or file to change, in one line; none shows the content of a cell.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from gettext import gettext as _
from typing import Any

_ALIASES = {"sep": "delimiter", "separator": "delimiter"}
"""What other programs call a name of ours that is spelt quite differently."""


class MicroleakError(Exception):
    """Anything a user can put right; shown as one line, without a traceback."""

    def __init__(self, said: str, /, **values: object) -> None:
        """Take a sentence, and what stands in its places if it has any."""
        super().__init__(said.format(**values) if values else said)

    __str__ = Exception.__str__  # that of a KeyError shows quotation marks


class StudyError(MicroleakError, ValueError):
    """The study file asks for something that does not exist or cannot be."""


class UnknownNameError(StudyError, KeyError):
    """Something is asked for by a name that it has not."""


class ArchiveError(MicroleakError):
    """A released file is missing, damaged, unsafe or not what was named."""


class TableError(MicroleakError, ValueError):
    """A table's header, rows or values are not those its source releases."""


class ColumnsError(TableError, KeyError):
    """A table lacks columns that are asked for; `missing` has their names."""

    def __init__(self, said: str, missing: Sequence[str]) -> None:
        super().__init__(said)
        self.missing = tuple(missing)


class VerificationError(MicroleakError):
    """Results are not the bytes their manifest lists."""


class AuthorError(MicroleakError):
    """A family's tables, texts and code do not fit; names in them are no records."""


def entry_of(entries: Mapping[str, Any], name: str, where: str) -> Any:
    """Return an entry of a family's file; an `AuthorError` names one that it lacks."""
    if name not in entries:
        raise AuthorError(f"{where} has no {name}.{did_you_mean(name, entries)}")
    return entries[name]


@contextmanager
def refused_in(where: str) -> Iterator[None]:
    """Begin what is said of a refused setting with where it stands.

    Examples
    --------
    >>> with refused_in("demo.yaml: analysis 'one'"):
    ...     raise StudyError("There is no such law.")
    Traceback (most recent call last):
    microleak.base.errors.StudyError: demo.yaml: analysis 'one': There is no such law.
    """
    try:
        yield
    except StudyError as error:
        raise type(error)(f"{where}: {error}") from None


def check_known(name: str, known: Iterable[str], said: str, edit: str = "") -> None:
    """Refuse a name that is not known, with the one most like it."""
    known = list(known)
    if name in known:
        return
    like = most_like(name, known)
    hint = _(" Did you mean {like}?").format(like=repr(like)) if like else ""
    raise UnknownNameError(f"{said} {name!r}.{hint}{edit}")


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Words that suggest the known name most like `name`, or none.

    >>> did_you_mean("TP_SEX", ["TP_SEXO", "NU_DIA"])
    ' Did you mean TP_SEXO?'
    >>> did_you_mean("age", ["age ", "sex"])
    " Did you mean 'age '?"
    """
    like = most_like(name, known)
    if like is None:
        return ""
    # Blanks at its ends would not be seen, and it would look like what was given.
    told = like if like == like.strip() and like.isprintable() else repr(like)
    return _(" Did you mean {like}?").format(like=told)


def most_like(name: object, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the known name most like `name`, the same in any order of them.

    Capital letters are like small ones, and what other programs call it is the name.
    None if there is none at least as alike as `likeness`, in [0, 1]. It is never the
    name itself, which is among them where it is wrong for another reason.

    >>> most_like("pa_sexo", ["PA_IDADE", "PA_SEXO"])
    'PA_SEXO'
    >>> most_like("separator", ["delimiter", "record_id"])
    'delimiter'
    >>> most_like("ages", ["ages", "age"])
    'age'
    """
    others = sorted({*known} - {str(name)}, reverse=True)
    spelt = {each.casefold(): each for each in others}
    given = str(name).casefold()  # a frame may be asked for a column 3
    alias = _ALIASES.get(given)
    if alias in spelt:
        return spelt[alias]
    close = get_close_matches(given, sorted(spelt), 1, likeness)
    return spelt[close[0]] if close else None


def count_of(n: int, noun: str) -> str:
    """Write how many there are of something.

    >>> count_of(1, "step"), count_of(1200, "step")
    ('1 step', '1,200 steps')
    """
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def ordinal(n: int) -> str:
    """Place of something that must not be shown, from 1 up.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 21, 112)]
    ['1st', '2nd', '3rd', '4th', '11th', '21st', '112th']
    """
    ending = {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{'th' if n % 100 in (11, 12, 13) else ending}"
