"""The public frontier of a search, as a reader has it, and where it is none."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from microleak.attacks.smallest_protection.public_frontier import (
    Levels,
    given_up,
    least_share,
)
from microleak.attacks.smallest_protection.wording import LEFT_OUT
from microleak.disclosure.book import Book, Cell
from microleak.disclosure.form import check_number, check_same

Kept = Mapping[str, str]
"""The name of the level of each attribute that is not left out; empty as it is."""

_DEPTH = re.compile("(0|[1-9][0-9]{0,4})/([1-9][0-9]{0,4})")


@dataclass(frozen=True)
class Shown:
    """A row of `frontier`: a node.

    Attributes
    ----------
    line
        Of its file.
    row
        Its columns.
    levels
        The level of each QID.
    """

    line: int
    row: Mapping[str, Any]
    levels: Levels

    @property
    def is_on(self) -> bool:
        """Whether it is on the frontier."""
        return bool(self.row["on_frontier"] == "true")

    @property
    def is_answer(self) -> bool:
        """Whether it is the smallest protection."""
        return bool(self.row["is_answer"] == "true")

    @property
    def share(self) -> int:
        """Its share alone, as published."""
        return int(self.row["alone_pct"])

    @cached_property
    def kept(self) -> Kept:
        """On which level each QID is that is not left out."""
        return kept_of(*(self.row[name] for name in ("qids", "left_out", "levels")))


def kept_of(qids: str, left_out: str, levels: str) -> Kept:
    """Return on which level each QID is that is not left out.

    >>> kept_of("sex|age", "sex", "age:width 5")
    {'age': 'width 5'}
    """
    told = [each.rpartition(":") for each in levels.split("|") if each]
    of = {name: level for name, _, level in told}
    gone = left_out.split("|")
    return {name: of.get(name, "") for name in qids.split("|") if name not in gone}


class Frontier:
    """The rows of one table `frontier`, and where they are not in the public form."""

    def __init__(
        self, book: Book, file: str, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Read rows; where one has no level of each QID, none is read."""
        self._book, self.file, self.where = book, file, book.where
        check_same(book, file, rows, "table", "focal", "qids", "step_pct")
        check_number(book, file, rows)
        depths = [_DEPTH.findall(row["depths"]) for row in rows]
        lasts = {tuple(int(last) for _, last in each) for each in depths}
        self.shown: list[Shown] = []
        if len(lasts) != 1 or any(
            row["depths"] != "|".join(map("/".join, each))
            or len(each) != row["n_qids"]
            or any(int(level) > int(last) for level, last in each)
            for row, each in zip(rows, depths, strict=True)
        ):
            book.fault(file, ": depths are not the levels of all QIDs")
            return
        (self.lasts,) = lasts
        levels = [tuple(int(level) for level, _ in each) for each in depths]
        places = zip(rows, levels, strict=True)
        self.shown = [Shown(n, *each) for n, each in enumerate(places, 2)]
        self.step = int(rows[0]["step_pct"])
        self.qids = rows[0]["qids"].split("|")
        self._check()

    def _check(self) -> None:
        """Note columns or an order of rows that do not follow from the levels."""
        on = [each for each in self.shown if each.is_on]
        lost = [given_up(each.levels, self.lasts) for each in on]
        ordered = [(given_up(e.levels, self.lasts), not e.is_on) for e in self.shown]
        names: dict[tuple[str, int], str] = {}
        for each in self.shown:
            if not self._is_said(each, names):
                said = f", line {each.line}: changes are not those of its levels"
                self._book.fault(self.file, said)
        if (
            ordered != sorted({*ordered})
            or lost != sorted({*lost})
            or [each.share for each in on] != sorted({e.share for e in on})[::-1]
            or any(self.shown[0].levels)
            or not self.shown[0].is_on
        ):
            self._book.fault(self.file, ": rows are no frontier from the release on")
        answers = [each for each in self.shown if each.is_answer]
        others = [each for each in self.shown[1:] if not each.is_answer]
        if len(answers) != 1 or not all(each.is_on for each in others):
            self._book.fault(self.file, ": it has not the answer once")

    def _is_said(self, each: Shown, names: dict[tuple[str, int], str]) -> bool:
        """Say whether what a row changes are its levels, a level's name always one."""
        qids, lost = each.row["qids"].split("|"), given_up(each.levels, self.lasts)
        gone, coarse = [], []
        for name, level, last in zip(qids, each.levels, self.lasts, strict=True):
            if level == last:
                gone.append(name)
            elif level:
                said = each.kept.get(name, "")
                coarse.append(f"{name}:{said}")
                if not said or names.setdefault((name, level), said) != said:
                    return False
        own = (each.row[n] for n in ("left_out", "levels", "n_changed", "given_up"))
        return (*own,) == (
            *("|".join(gone), "|".join(coarse), len(gone) + len(coarse)),
            f"{lost.numerator}/{lost.denominator}",
        )

    def check_hidden(self, hidden: frozenset[int]) -> None:
        """Note a node with a share that is hidden."""
        others = (each for each in self.shown[1:] if not each.is_answer)
        if any(each.share in hidden for each in others):
            file = f"{self.where}{self.file}"
            self._book.faults.append(f"{file}: it has a share that is hidden")

    def cell(self, line: int, column: str) -> Cell:
        """Return a cell of its file."""
        return Cell(f"{self.where}{self.file}", line, column)

    @cached_property
    def names(self) -> dict[str, dict[int, str]]:
        """Names of each QID's levels that rows have, by how coarse they are."""
        found: dict[str, dict[int, str]] = {}
        for each in self.shown:
            for name, level in zip(self.qids, each.levels, strict=True):
                if level and name in each.kept:
                    found.setdefault(name, {})[level] = each.kept[name]
        return found

    def level_of(self, kept: Kept) -> Levels:
        """Return the finest node that is surely no finer than some levels.

        A level of which no row has the name counts as the last one.
        """
        found = []
        for name, last in zip(self.qids, self.lasts, strict=True):
            told = {of: level for level, of in self.names.get(name, {}).items()}
            found.append({"": 0, **told}.get(kept.get(name, LEFT_OUT), last))
        return tuple(found)

    def kept_at(self, levels: Levels) -> Kept:
        """Return on which level each QID is that a node of `level_of` keeps."""
        pairs = zip(self.qids, levels, self.lasts, strict=True)
        return {
            name: self.names[name][level] if level else ""
            for name, level, last in pairs
            if level < last
        }

    def least(self, levels: Levels) -> tuple[int, int]:
        """Return the least share that a node has, and by which row that is known."""
        on = [each for each in self.shown if each.is_on]
        told = [(each.levels, each.share) for each in on]
        lost = given_up(levels, self.lasts)
        before = [e for e in on if given_up(e.levels, self.lasts) <= lost]
        return least_share(levels, self.lasts, told, self.step), before[-1].line
