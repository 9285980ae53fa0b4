"""Numbers and phrases of figures and pages in one language."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache

from babel import Locale
from babel.numbers import format_decimal

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
        """Write two shares with as many decimals as tell them apart, six at most.

        >>> Numbers("en").two_shares(0.96296, 0.96304)
        ('96.296%', '96.304%')
        """
        for decimals in range(2, _MOST_DECIMALS + 1):
            told = self._percent(first, decimals), self._percent(second, decimals)
            if first == second or told[0] != told[1]:
                break
        return told

    def points(self, value: float) -> str:
        """Write a difference of shares as percentage points, without a unit."""
        return self.share(value).removesuffix("%")

    def change(self, value: float) -> str:
        """Write a difference of shares in [-1, 1] as `points` does, with its sign.

        >>> [Numbers("en").change(value) for value in (0.1288, -0.004, 0)]
        ['+12.88', '−0.40', '0']
        """
        size = self.points(abs(value))
        if value == 0:
            return size
        return f"{'+' if value > 0 else '−'}{size}"

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
        pattern = f"#,##0.{'0' * decimals}"
        return str(format_decimal(value, pattern, locale=LOCALES[self.language]))

    def count(self, value: float) -> str:
        """Write a count in groups of three digits."""
        return f"{int(value):,}".replace(",", _symbols(self.language)["group"])

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


def epsilon_text(epsilon: str, numbers: Numbers) -> str:
    """Write an epsilon of the study file as a language does.

    >>> epsilon_text("ln 10^5", Numbers("en")), epsilon_text("0.5", Numbers("pt"))
    ('ln 10⁵', '0,5')
    """
    raised = re.sub(r"\^(\d+)", lambda found: found[1].translate(_RAISED), epsilon)
    return raised.replace(".", _symbols(numbers.language)["decimal"])


def epsilon_equals(epsilon: str, numbers: Numbers) -> str:
    r"""Write which epsilon it is, without a place where a line may break.

    >>> epsilon_equals("ln 3", Numbers("en"))
    'ε\xa0=\xa0ln\xa03'
    """
    return f"ε = {epsilon_text(epsilon, numbers)}".replace(" ", "\xa0")


def share_text(share: str, numbers: Numbers) -> str:
    """Write a share of the study file with all of its digits, or as its fraction.

    >>> share_text("0.0125", Numbers("pt")), share_text("1/3", Numbers("pt"))
    ('1,25%', '1/3')
    """
    if "/" in share:
        return share
    digits = f"{Decimal(share).scaleb(2).normalize():f}"
    return f"{digits.replace('.', _symbols(numbers.language)['decimal'])}%"


SYNTHETIC_MARK = "SYNTHETIC / SINTÉTICO"


@dataclass(frozen=True)
class Words:
    """What a figure says, and whether its study is made up."""

    phrases: Mapping[str, str]  # Phrases of a figure by key, with `{placeholders}`
    numbers: Numbers  # How numbers are written
    is_synthetic: bool  # Whether the figure must say SYNTHETIC
    plain_names: Mapping[str, str] = field(default_factory=dict)

    def say(self, key: str, **values: str) -> str:
        """Return a phrase with its placeholders filled."""
        return self.phrases[key].format(**values)

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
