"""Names of the files of a release that is made of months, and what their records say.

Read from `monthly` in config/sources/SOURCE.yaml.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_MONTHS = [f"20{year:02}{month:02}" for year in range(100) for month in range(1, 13)]
_IN_WORDS = {month: month for month in _MONTHS}


@dataclass(frozen=True)
class Claim:
    """What the name of a file says of all its records.

    Attributes
    ----------
    column
        Name of the column that says it in each record.
    begins
        How each of its values begins.
    meaning
        The same in words, as a state or a month.
    others
        What other beginnings of the same length mean, as far as they are known.
    unknown
        What any other beginning is called, which is not to be shown.
    """

    column: str
    begins: str
    meaning: str
    others: Mapping[str, str]
    unknown: str

    def found(self, value: str) -> str:
        """Say in words what a value is of, without showing what is not known."""
        return self.others.get(value[: len(self.begins)], self.unknown)


@dataclass(frozen=True)
class Monthly:
    """Files of months: how they are named, and what their records say of that.

    Attributes
    ----------
    state, year
        What the release is of.
    file
        Name of a month's file without its ending, with `{month}` in it.
    any_file
        Regular expression of the name of a file of any release of the source.
    release
        Name of a release, with the groups of `any_file` in it.
    state_column, month_column
        Columns that begin with the code of the state and are year and month.
    state_codes
        State -> its code.
    """

    state: str
    year: str
    file: str
    any_file: str
    release: str
    state_column: str
    month_column: str
    state_codes: Mapping[str, str]

    @classmethod
    def of(cls, given: Mapping[str, Any], state: str, year: str) -> "Monthly":
        """Fill what a source's file says in for the release of a state's year."""
        file = given["file"].format(state=state, yy=year[2:], month="{month}")
        return cls(**{**given, "file": file}, state=state, year=year)

    def claims(self, month: str) -> tuple[Claim, Claim]:
        """Give what the file of a month, from 01 to 12, says of its records."""
        states = {code: state for state, code in self.state_codes.items()}
        code, date = self.state_codes[self.state], f"{self.year}{month}"
        return (
            Claim(self.state_column, code, self.state, states, "another state"),
            Claim(self.month_column, date, date, _IN_WORDS, "another month"),
        )

    def releases(self, names: Iterable[str]) -> list[str]:
        """Give the releases that files of these names are of, each once, sorted."""
        found = (re.fullmatch(self.any_file, name, re.IGNORECASE) for name in names)
        groups = [match.groupdict() for match in found if match]
        parts = [{key: text.upper() for key, text in each.items()} for each in groups]
        known = [each for each in parts if each["state"] in self.state_codes]
        return sorted({self.release.format(**each) for each in known})
