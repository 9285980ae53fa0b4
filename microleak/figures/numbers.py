"""Numbers and phrases of figures and pages in one language."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from numbers import Integral
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import pandas as pd
from babel import Locale
from babel.numbers import format_decimal

from microleak.base.errors import AuthorError, entry_of
from microleak.tables.spec import Column, TableSpec, tables_of

LOCALES = {"pt": "pt_BR", "en": "en"}
_LEAST_RATIO_AS_COUNT = 10_000
_MOST_DECIMALS = 6


@dataclass(frozen=True)
class Numbers:
    """Writes shares, differences, ratios and counts in one language, `pt` or `en`.

    >>> Numbers("en").share(0.81134), Numbers("pt").share(2.0757e-8)
    ('81.13%', '0,000002%')
    """

    language: str

    def share(self, value: float) -> str:
        """Write a share in [0, 1] as a percentage.

        Two decimals; more where two would show 0 for a share above 0, or 100 %
        for one below 1; none for exactly 0 and 1.
        """
        return self._percent(value, 2)

    def two_shares(self, first: float, second: float) -> tuple[str, str]:
        """Write two shares with as many decimals as tell them apart, six at most."""
        for decimals in range(2, _MOST_DECIMALS + 1):
            told = self._percent(first, decimals), self._percent(second, decimals)
            if first == second or told[0] != told[1]:
                break
        return told

    def points(self, value: float) -> str:
        """Write a difference of shares as percentage points, without a unit."""
        return self.share(value).removesuffix("%")

    def change(self, value: float) -> str:
        """Write a difference of shares in [-1, 1] as `points` does, with its sign."""
        sign = "" if value == 0 else "+" if value > 0 else "−"
        return f"{sign}{self.points(abs(value))}"

    def short(self, value: float) -> str:
        """Write a share as `share` does, with one decimal less."""
        return self._percent(value, 1)

    def brief(self, value: float) -> str:
        """Write a share as `short` does, without a unit."""
        return self.short(value).removesuffix("%")

    def ratio(self, value: float) -> str:
        """Write a ratio: whole if it is or if large, else with four decimals.

        Below 0.001 it has more, so that two digits are not 0.
        """
        if value == int(value) or value >= _LEAST_RATIO_AS_COUNT:
            return self.count(round(value))
        decimals = max(4, 1 - math.floor(math.log10(abs(value))))
        return self._formatted(value, f"#,##0.{'0' * decimals}")

    def count(self, value: float) -> str:
        """Write a count in groups of three digits."""
        return f"{int(value):,}".replace(",", _symbols(self.language)["group"])

    def four_digits(self, value: float) -> str:
        """Write a number to four significant digits, as tables have all of them."""
        return self._formatted(Decimal(f"{value:.4g}"), "#,##0.#########")

    def three_digits(self, value: float) -> str:
        """Write a number to three significant digits, from 100 on a whole one."""
        if value >= 100:
            return self.count(round(value))
        return self._formatted(Decimal(f"{value:.3g}"), "#,##0.#########")

    def five_decimals(self, value: float) -> str:
        """Write a privacy loss, utility or chance as Nunes' tables do."""
        return self._formatted(value, "#,##0.00000")

    def two_decimals(self, value: float) -> str:
        """Write a ratio briefly: exactly 1, which is no change, without decimals."""
        return self._formatted(value, "0" if value == 1 else "0.00")

    def epsilon(self, epsilon: str) -> str:
        """Write an epsilon of the study file, as in `ln 10⁵`."""
        raised = re.sub(r"\^(\d+)", lambda found: found[1].translate(_RAISED), epsilon)
        return raised.replace(".", _symbols(self.language)["decimal"])

    def epsilon_equals(self, epsilon: str) -> str:
        """Write which epsilon it is, without a place where a line may break."""
        return f"ε = {self.epsilon(epsilon)}".replace(" ", "\xa0")

    def exact_share(self, share: str) -> str:
        """Write a share of the study file with all of its digits, or as a fraction."""
        if "/" in share:
            return share
        digits = f"{Decimal(share).scaleb(2).normalize():f}"
        return f"{digits.replace('.', _symbols(self.language)['decimal'])}%"

    def _formatted(self, value: float | Decimal, pattern: str) -> str:
        return str(format_decimal(value, pattern, locale=LOCALES[self.language]))

    def _percent(self, value: float, decimals: int) -> str:
        n_decimals = 0 if value in {0, 1} else _decimals(value, decimals)
        # Decimals of the number as it is printed, half to even, as Babel rounds them.
        digits = f"{Decimal(str(value)).scaleb(2):.{n_decimals}f}"
        return f"{digits.replace('.', _symbols(self.language)['decimal'])}%"


@cache
def _symbols(language: str) -> Mapping[str, str]:
    """Signs of a language's numbers, of which a page has tens of thousands."""
    symbols: Mapping[str, str] = Locale.parse(LOCALES[language]).number_symbols["latn"]
    return symbols


def _decimals(share: float, least: int) -> int:
    """Count the decimals of a percentage that rounding may not make 0 or 100."""
    room = 100 * min(share, 1 - share)
    if 2 * room > 10**-least:
        return least
    # 0.001 may come as a hair less, from 1 - 0.99999.
    return -math.floor(math.log10(room) + 1e-9)


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


TableRow: TypeAlias = "Mapping[str, Any] | pd.Series | None"
"""A row of a result table, a value by its column; or none."""


class Speaker(Protocol):
    """Who writes numbers and names: the `Words` of a figure, the `Voice` of a page."""

    @property
    def numbers(self) -> Numbers:
        """How numbers are written."""


def filled(
    phrase: str, speaker: Speaker, row: TableRow, values: Mapping[str, Any]
) -> str:
    """Return a phrase whose placeholders are `values`, or else columns of a row.

    A text stands as it is. A number is written as tables.yaml says of its column: a
    count, a share as a percentage, a difference of shares, any other as a ratio.
    `{name:how}` is written by the method of that name of `Numbers` or the speaker.

    >>> words, row = Words({}, Numbers("en"), False), {"n_records": 4321}
    >>> filled("{n_records}, {share:short}", words, row, {"share": 0.0273})
    '4,321, 2.7%'
    """
    return phrase.format_map(_PlaceholderValues(speaker, row, values))


class _PlaceholderValues(dict[str, Any]):
    """What placeholders stand for."""

    def __init__(
        self, speaker: Speaker, row: TableRow, values: Mapping[str, Any]
    ) -> None:
        super().__init__(values)
        self._speaker = speaker
        self._row: Any = {} if row is None else row

    def __getitem__(self, name: str) -> "_Value":
        if name in self:
            value = super().__getitem__(name)
        elif name in self._row:
            value = self._row[name]
        else:
            # Names alone: iterated over, a row would give its values.
            known = ", ".join(map(str, [*self.keys(), *self._row.keys()]))
            raise AuthorError(
                f"A phrase of texts.yaml has {{{name}}}, and is given only {known}."
            )
        return _Value(name, value, self._speaker)


class _Value:
    """A value that is written as its placeholder asks."""

    def __init__(self, name: str, value: Any, speaker: Speaker) -> None:
        self._told = name, value, speaker

    def __format__(self, how: str) -> str:
        return written(*self._told, how)


def written(name: str, value: Any, speaker: Speaker, how: str = "") -> str:
    """Write a value as `filled` does; its name is that of its column."""
    if isinstance(value, str) and not how:
        return value
    how = how or columns_written().get(name, "")
    assert how or isinstance(value, Integral), f"say how {name} is written"
    write = getattr(speaker.numbers, how or "count", None) or getattr(speaker, how)
    return str(write(value))


@cache
def columns_written() -> Mapping[str, str]:
    """Return how a column of result tables is always written, by its name."""
    found: dict[str, set[str]] = {}
    for table in _tables():
        for column in filter(lambda each: each.is_number, table.columns):
            found.setdefault(column.name, set()).add(way_written(column))
    return {name: hows.pop() for name, hows in found.items() if len(hows) == 1}


def _tables() -> Iterator[TableSpec]:
    """Yield the tables that a page may have."""
    files = sorted(Path(__file__).parents[1].glob("attacks/*/tables.yaml"))
    for package in ("study", *(f"attacks.{path.parent.name}" for path in files)):
        every = tables_of(f"microleak.{package}").values()
        yield from (table for table in every if table.audience == "internal")


def way_written(column: Column) -> str:
    """Return the method of `Numbers` that writes a number of a column."""
    if column.type == "integer":
        return "count"
    if column.most == 1 and column.least in (0, -1):
        return "change" if column.least else "share"
    return "ratio"


SYNTHETIC_MARK = "SYNTHETIC / SINTÉTICO"


@dataclass(frozen=True)
class Words:
    """What a figure says, and whether its study is made up."""

    phrases: Mapping[str, str]  # Phrases of a figure by key, with `{placeholders}`
    numbers: Numbers  # How numbers are written
    is_synthetic: bool  # Whether the figure must say SYNTHETIC
    plain_names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def say(self, key: str, row: TableRow = None, /, **values: Any) -> str:
        """Return a phrase, filled by values and by a row of a table (`filled`)."""
        phrase = entry_of(self.phrases, key, "figures of texts.yaml")
        return filled(phrase, self, row, values)

    def attribute(self, name: str) -> str:
        """Return an attribute's plain name, or the official one if it has none."""
        return self.plain_names.get(name, name)

    def subject(self, sensitive: str) -> str:
        """Name an attack by the attribute it infers, none for re-identification."""
        return self.attribute(sensitive) if sensitive else self.say("reidentification")

    def attributes(self, number: int) -> str:
        """Write how many attributes, as in `1 attribute` or `4 attributes`."""
        key = "attribute_one" if number == 1 else "attribute_many"
        return self.say(key, number=self.numbers.count(number))
