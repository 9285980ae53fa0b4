"""Totals in count tables that are written as if they were values."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

TOTALS = ("", "*")
"""Texts that stand for all values of an attribute."""

_WRITTEN_TOTAL = re.compile(
    r"all|amb[ao]s|both|everybody|everyone|everything|tod[ao]s?"
    r"|(em |no )?(geral|conjunto)|o conjunto|global|overall|ensemble"
    r"|(the )?(grand |general )?sums?( (of|total).*)?|somat[oó]rio"
    r"|somas?( (d[aeo]s?|total|geral).*)?|suma|gesamt|insgesamt"
    r"|bra[sz]il( .*)?"
    r"|((no|sub|grand|overall|super|uf) ?)*(totals?|totais|totales)( .*)?"
    r"|(all|amb[ao]s|both|tod[ao]s)( the| [ao]s| l[ao]s)? (ages?|alun|areas?|categor"
    r"|class|cor(es)?\b|countries|domicilios|edades|estados|ethnic|etnias|faixas|gender"
    r"|generos|groups?|grupos|households|idades|individuals|municip|paises|people"
    r"|persons|pessoas|race|racas|regi|sex|states|students|ufs?\b|years).*"
)


@dataclass(frozen=True)
class Counted:
    """A row of a count table.

    Attributes
    ----------
    place
        Its file and line, for messages.
    values
        Value of each attribute, or one of `TOTALS`.
    count
        None if it is suppressed.
    """

    place: str
    values: Mapping[str, str]
    count: int | None


def plain(value: str) -> str:
    """Return a value without accents and capitals, with single spaces.

    >>> plain("Não  Declarada")
    'nao declarada'
    """
    parts = unicodedata.normalize("NFKD", value.casefold())
    return " ".join("".join(c for c in parts if not unicodedata.combining(c)).split())


def reads_like_total(value: str) -> bool:
    """Return whether a value is a word for all values, whatever signs are around it.

    >>> reads_like_total("(TOTAL):"), reads_like_total("Ambos os sexos")
    (True, True)
    """
    text = plain(value)
    words = " ".join(re.findall(r"\w+", text.replace("_", " ")))
    return text in TOTALS or _WRITTEN_TOTAL.fullmatch(words) is not None


def written_totals(
    tables: Sequence[Sequence[Counted]], meant: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield the attribute of each value that is a total, and what to say of it.

    A value that reads like a total is one, and so is one whose count is the sum of the
    others' everywhere. It is none if a row of `TOTALS` is the sum of all values, it
    among them. Attributes that are `meant` are left out.
    """
    for name in sorted({n for rows in tables for n in rows[0].values} - {*meant}):
        sums = _Sums(set(), set(), set())
        for rows in tables:
            if name in rows[0].values:
                sums.add(rows, name)
        for row in (row for rows in tables for row in rows if name in row.values):
            value = row.values[name]
            if value in TOTALS or value in sums.counted:
                continue
            why = ""
            if reads_like_total(value):
                why = "that reads like a total"
            elif value in sums.equal - sums.other:
                why = (
                    "whose count is the sum of all others wherever it is, like a total"
                )
            if why:
                yield (
                    name,
                    f"{row.place}, has a value of {name} {why}. Write * in its place "
                    "or, if it is no total,",
                )


@dataclass(frozen=True)
class _Sums:
    """Values of an attribute by what their counts are to those of the others.

    Attributes
    ----------
    equal
        Somewhere the sum of the others, of which two or more have persons.
    other
        Somewhere not the sum of the others.
    counted
        Somewhere a part of what is written as the total.
    """

    equal: set[str]
    other: set[str]
    counted: set[str]

    def add(self, rows: Sequence[Counted], name: str) -> None:
        """Add what a table says; groups with a suppressed count say nothing."""
        groups: dict[tuple[str, ...], dict[str, int | None]] = {}
        for row in rows:
            others = (t for n, t in sorted(row.values.items()) if n != name)
            group = groups.setdefault(tuple("*" if t == "" else t for t in others), {})
            group[row.values[name] or "*"] = row.count
        for group in groups.values():
            self._add_group(group)

    def _add_group(self, group: Mapping[str, int | None]) -> None:
        total = group.get("*")
        counts = {v: n for v, n in group.items() if v != "*" and n is not None}
        if len(counts) < len(group.keys() - {"*"}):
            return
        every, n_some = sum(counts.values()), sum(n > 0 for n in counts.values())
        for value, n in counts.items():
            if 2 * n != every or (total is not None and total != n):
                self.other.add(value)
            elif n > 0 and n_some > 2:
                self.equal.add(value)
            if n > 0 and total == every:
                self.counted.add(value)
