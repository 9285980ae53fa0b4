"""What a reader of the public frontier of a search knows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from microleak.attacks.smallest_protection.public_frontier import (
    Levels,
    given_up,
    hidden_share,
    least_share,
)
from microleak.attacks.smallest_protection.target_laws import Target, fail, fail_alone
from microleak.disclosure.book import Book, Cell, Key
from microleak.disclosure.form import check_number, check_same
from microleak.disclosure.laws import Subset, below, records

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

    def is_finer(self, other: "Shown") -> bool:
        """Whether no QID is on a coarser level than that of another node."""
        pairs = zip(self.levels, other.levels, strict=True)
        return self.levels != other.levels and all(own <= one for own, one in pairs)


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
        self, book: Book, file: str, rows: Sequence[Mapping[str, Any]], target: Target
    ) -> None:
        """Read rows; where one has no level of each QID, none is read."""
        self._book, self.file, self.target = book, file, target
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
        self.hidden = hidden_share(target.bounds, self.step)
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
        if any(each.share == self.hidden for each in others):
            self._book.fault(self.file, ": it has the share that is hidden")

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

    def level_of(self, kept: Kept) -> Levels:
        """Return the finest node that is surely no finer than some levels.

        A level of which no row has the name counts as the last one.
        """
        of_name = {
            (name, each.kept[name]): level
            for each in self.shown
            for name, level in zip(
                each.row["qids"].split("|"), each.levels, strict=True
            )
            if level and name in each.kept
        }
        qids = self.shown[0].row["qids"].split("|")
        return tuple(
            0 if kept.get(name) == "" else of_name.get((name, kept.get(name, "")), last)
            for name, last in zip(qids, self.lasts, strict=True)
        )

    def least(self, levels: Levels) -> tuple[int, int]:
        """Return the least share that a node has, and by which row that is known."""
        on = [each for each in self.shown if each.is_on]
        told = [(each.levels, each.share) for each in on]
        lost = given_up(levels, self.lasts)
        before = [e for e in on if given_up(e.levels, self.lasts) <= lost]
        return least_share(levels, self.lasts, told, self.step), before[-1].line


def frontier_laws(
    book: Book,
    report: str,
    file: str,
    rows: Sequence[Mapping[str, Any]],
    target: Target,
) -> None:
    """Write the numbers of a frontier, and what is told by which nodes are shown.

    A coarser node has no more alone; one that is finer than the answer fails the
    target; and no node has a lower share at no more loss than those that are shown, but
    for the share that is hidden.

    Parameters
    ----------
    book, report
        As `microleak.attacks.smallest_protection.laws.laws` has them.
    file, rows, target
        The table, and the target of its search.
    """
    frontier = Frontier(book, file, rows, target)
    if not frontier.shown:
        return
    first = rows[0]
    release: Key = (report, first["table"], str(first["focal"]), "")
    n = records(book, release)
    numbers = [_number(book, release, each) for each in frontier.shown]
    for each, count in zip(frontier.shown, numbers, strict=True):
        cell = book.cell(file, each.line, "alone_pct")
        book.share(count, n, each.share, frontier.step, cell)
    _order(book, release, frontier, numbers)
    _fail(book, release, frontier, numbers)
    _hold_least(book, release, frontier, numbers)


def _hold_least(
    book: Book, release: Key, frontier: Frontier, numbers: Sequence[int]
) -> None:
    """Hold each number to what is told by which nodes are shown.

    Not if one that is held to be no more is told to be as many.
    """
    counted = [*_counted(book, release)]
    least = {n: frontier.least(frontier.level_of(kept)) for kept, n in counted}
    shown = [one for one in counted if one[1] in numbers]
    for one in counted:
        share, line = least[one[1]]
        coarser = [other for other in counted if _is_above(book, one, other)]
        if one[1] not in numbers:
            coarser += [other for other in shown if _refines(one[0], other[0])]
        if not any(least[number][0] >= share for _, number in coarser):
            cell = book.cell(frontier.file, line, "levels")
            n = records(book, release)
            _no_lower(book, frontier, one[1], n, share, cell)


def _number(book: Book, release: Key, each: Shown) -> int:
    """Return the records alone of a node.

    With QIDs left out and no other change these are the blocks by the others.
    """
    if each.kept and not any(each.kept.values()):
        return below(book, release, each.kept)[2]
    row = each.row
    of = frozenset(row["qids"].split("|")), row["left_out"], row["levels"]
    found = book.number("alone after", *release, *of)
    if not each.kept:
        book.fix(found, 0, 0)
    return found


def _counted(book: Book, release: Key) -> Iterator[tuple[Kept, int]]:
    """Yield what is kept of attributes, and the number of those alone by it."""
    for key, number in book.of_kind("below", *release):
        if key[-1] == 2:
            yield dict.fromkeys(key[-2], ""), number
    for (*_, qids, left_out, levels), number in book.of_kind("alone after", *release):
        yield kept_of("|".join(sorted(qids)), left_out, levels), number


def _order(
    book: Book, release: Key, frontier: Frontier, numbers: Sequence[int]
) -> None:
    """Hold coarser nodes to have no more alone than finer ones, and than other sets.

    Only of neighbours, as the others follow.
    """
    shown = frontier.shown
    of_node = {e.levels: n for e, n in zip(shown, numbers, strict=True)}
    others = [each for each in _counted(book, release) if each[1] not in numbers]
    for each in shown:
        count = of_node[each.levels]
        finer = [one for one in shown if one.is_finer(each)]
        for one in finer:
            if not any(one.is_finer(other) for other in finer):
                book.hold({of_node[one.levels]: 1, count: -1})
        above = [told for told in others if _refines(told[0], each.kept)]
        for told in above:
            if not any(_is_above(book, told, other) for other in above):
                book.hold({told[1]: 1, count: -1})
        under = [told for told in others if _refines(each.kept, told[0])]
        for told in under:
            if not any(_is_above(book, other, told) for other in under):
                book.hold({count: 1, told[1]: -1})


def _is_above(book: Book, one: tuple[Kept, int], other: tuple[Kept, int]) -> bool:
    """Say whether law 3 holds a number of some QIDs to be no less than another one."""
    kinds = {book.names[number][0] for _, number in (one, other)}
    return kinds == {"below"} and one[0].keys() > other[0].keys()


def _refines(finer: Kept, coarser: Kept) -> bool:
    """Say whether blocks by some levels surely refine those by others."""
    return all(finer.get(name) in ("", level) for name, level in coarser.items())


def _fail(book: Book, release: Key, frontier: Frontier, numbers: Sequence[int]) -> None:
    """Hold nodes that are finer than the answer to fail the target.

    The release does so by `answer`.
    """
    answers = [each for each in frontier.shown if each.is_answer]
    for each, count in zip(frontier.shown, numbers, strict=True):
        if any(each.levels) and any(each.is_finer(answer) for answer in answers):
            cell = book.cell(frontier.file, each.line, "levels")
            if any(each.kept.values()):
                fail_alone(book, frontier.target, count, records(book, release), cell)
            else:
                kept: Subset = frozenset(each.kept)
                fail(book, frontier.target, release, kept, cell)


def _no_lower(
    book: Book, frontier: Frontier, count: int, n: int, least: int, cell: Cell
) -> None:
    """Hold a count to round to a share at least; or else to the one that is hidden."""
    if not least:
        return
    step, hidden = frontier.step, frontier.hidden
    # Twice the row of a share, by which a certificate tells shares, and claims of them.
    enough = {count: 400, n: 2 * (step - 2 * least)}
    if hidden is None or hidden >= least:
        book.hold(enough, 0, cell)
        return
    key = ("hidden", frontier.file, *book.names[count], least)
    is_hidden = book.number(*key, high=1)
    spare = 400 * book.most
    book.hold({**enough, is_hidden: spare}, 0, cell)
    above = {count: 400, n: 2 * (step - 2 * hidden), is_hidden: -spare}
    under = {count: -400, n: 2 * (2 * hidden + step), is_hidden: -spare}
    book.hold(above, spare, cell)
    book.hold(under, spare - 1, cell)
