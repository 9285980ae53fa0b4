"""What searches of one release tell together of its counts, whatever table has them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap

from microleak.attacks.smallest_protection.frontier_laws import (
    Frontier,
    Kept,
    kept_of,
)
from microleak.attacks.smallest_protection.public_frontier import (
    Levels,
    hidden_shares,
)
from microleak.attacks.smallest_protection.target_laws import Target, fail, fail_alone
from microleak.disclosure.book import Book, Cell, Key
from microleak.disclosure.laws import alone_by_sizes, below
from microleak.disclosure.sizes import records


@dataclass(frozen=True)
class Searched:
    """A search as its public tables tell it.

    Attributes
    ----------
    release
        Of which it is.
    where
        Of which report it is, whose searches have the same hierarchies.
    target
        What it looks for.
    step
        Of its shares.
    qids, answer
        Its QIDs, and the level of each that its answer keeps.
    cell
        Which tells the answer.
    is_monotone
        Whether no coarser node loses less.
    frontier
        Its frontier; None if there is none.
    """

    release: Key
    where: str
    target: Target
    step: int
    qids: Sequence[str]
    answer: Kept
    cell: Cell
    is_monotone: bool
    frontier: Frontier | None = None


@dataclass(frozen=True)
class Counted:
    """A number of those alone in a release.

    Attributes
    ----------
    kept
        By which levels of which QIDs.
    number
        The number.
    """

    kept: Kept
    number: int


def laws_of_searches(book: Book, searches: Sequence[Searched]) -> None:
    """Write what searches tell of all numbers of their releases.

    A coarser set of levels has no more alone; one that is finer than the answer fails
    its target; and no node has a lower share at no more loss than those that are shown,
    but for the shares that are hidden.
    """
    for release in dict.fromkeys(each.release for each in searches):
        _Release(book, [s for s in searches if s.release == release]).write()


class _Release:
    """A release and all searches of it."""

    def __init__(self, book: Book, searches: Sequence[Searched]) -> None:
        self._book, self._searches = book, searches
        self._release = searches[0].release
        self._n = records(book, self._release)
        self._frontiers = [each.frontier for each in searches if each.frontier]
        self._coarser = {
            (name, names[level], names[coarser])
            for frontier in self._frontiers
            for name, names in frontier.names.items()
            for level in names
            for coarser in names
            if level < coarser
        }

    def write(self) -> None:
        """Write what they tell."""
        nodes = [*self._nodes()]
        counted = [*_counted(self._book, self._release)]
        self._order(counted)
        for search in self._searches:
            if search.is_monotone:
                self._fail(search, counted)
        hidden = self._hidden(self._searches)
        for frontier, numbers in zip(self._frontiers, nodes, strict=True):
            frontier.check_hidden(hidden)
            self._no_lower(frontier, numbers)

    def _nodes(self) -> Iterator[dict[Levels, int]]:
        """Yield of each frontier the number of each node that a counted set refines.

        A node that is only refined has a number of its own: it may have a share that is
        hidden where no set that is counted has it.
        """
        kept = [each.kept for each in _counted(self._book, self._release)]
        found: list[dict[Levels, int]] = [{} for _ in self._frontiers]
        for each in kept:
            for frontier, numbers in zip(self._frontiers, found, strict=True):
                levels = frontier.level_of(each)
                node = frontier.kept_at(levels)
                if node and levels not in numbers:
                    qids = frontier.qids
                    numbers[levels] = number_of(self._book, self._release, qids, node)
                    kept.append(node)
        yield from found

    def _refines(self, finer: Kept, coarser: Kept) -> bool:
        """Say whether blocks by some levels surely refine those by others."""
        return all(
            finer.get(name) in ("", level)
            or (name, finer.get(name), level) in self._coarser
            for name, level in coarser.items()
        )

    def _order(self, counted: Sequence[Counted]) -> None:
        """Hold coarser levels to have no more alone than finer ones.

        Only neighbours, as the others follow; law 3 has those of QIDs as they are.
        """
        book = self._book
        of_kept: dict[frozenset[tuple[str, str]], Counted] = {}
        for each in counted:
            same = of_kept.setdefault(frozenset(each.kept.items()), each)
            if same is not each:
                book.equal([each.number], same.number)
        every = [*of_kept.values()]
        for each in every:
            above = [
                one
                for one in every
                if one is not each and self._refines(each.kept, one.kept)
            ]
            for one in above:
                is_next = not any(
                    other is not one and self._refines(other.kept, one.kept)
                    for other in above
                )
                kinds = {book.names[number][0] for number in (each.number, one.number)}
                if is_next and kinds != {"below"}:
                    book.hold({each.number: 1, one.number: -1})

    def _fail(self, search: Searched, counted: Sequence[Counted]) -> None:
        """Hold what is finer than the answer to fail the target.

        `laws` says so of the release. A level that the search has not, and a QID, make
        blocks no coarser.
        """
        levels = {
            (name, level)
            for frontier in self._frontiers
            if frontier.where == search.where
            for name, names in frontier.names.items()
            for level in names.values()
        }
        levels |= {*search.answer.items(), *((name, "") for name in search.qids)}
        for each in counted:
            own = {
                name: level
                for name, level in each.kept.items()
                if name in search.qids and (name, level) in levels
            }
            if own in (search.answer, dict.fromkeys(search.qids, "")):
                continue
            if not self._refines(own, search.answer):
                continue
            if any(each.kept.values()):
                of = each.number, self._n
                fail_alone(self._book, search.target, *of, search.cell)
            else:
                kept = frozenset(each.kept)
                fail(self._book, search.target, self._release, kept, search.cell)

    def _hidden(self, searches: Sequence[Searched]) -> frozenset[int]:
        """Return the shares that frontiers do not show by the targets of searches."""
        shares = (hidden_shares(each.target.bounds, each.step) for each in searches)
        return frozenset[int]().union(*shares)

    def _no_lower(self, frontier: Frontier, numbers: Mapping[Levels, int]) -> None:
        """Hold nodes to a share at least, or to one that is hidden.

        Not if a coarser one is held to as much.
        """
        own = [each for each in self._searches if each.where == frontier.where]
        hidden = self._hidden(own)
        least = {levels: frontier.least(levels) for levels in numbers}
        for levels, (share, line) in least.items():
            possible = [each for each in sorted(hidden) if each < share]
            coarser = [
                other
                for other in least
                if other != levels
                and all(a <= b for a, b in zip(levels, other, strict=True))
            ]
            if possible or all(least[other][0] < share for other in coarser):
                rounds = _Rounds(numbers[levels], self._n, frontier.step)
                rounds.write(self._book, share, possible, frontier.cell(line, "levels"))


@dataclass(frozen=True)
class _Rounds:
    """A number that rounds to some share of the records.

    Attributes
    ----------
    count, n
        The number, and that of the records.
    step
        Of shares.
    """

    count: int
    n: int
    step: int

    def write(self, book: Book, least: int, hidden: Sequence[int], cell: Cell) -> None:
        """Hold it to a share at least, or else to one of those that are hidden."""
        if not least:
            return
        count, n, step = self.count, self.n, self.step
        # Twice the row of a share, by which a certificate tells shares, and claims of
        # them.
        spare = 400 * book.most
        enough = {count: 400, n: 2 * (step - 2 * least)}
        for share in hidden:
            key = ("hidden", *book.names[count], least, share)
            is_hidden = book.number(*key, cell, high=1)
            enough[is_hidden] = spare
            above = {count: 400, n: 2 * (step - 2 * share), is_hidden: -spare}
            under = {count: -400, n: 2 * (2 * share + step), is_hidden: -spare}
            book.hold(above, spare, cell)
            book.hold(under, spare - 1, cell)
        book.hold(enough, 0, cell)


def number_of(book: Book, release: Key, qids: Sequence[str], kept: Kept) -> int:
    """Return the records alone of a node.

    With QIDs left out and no other change these are the blocks by the others.

    Parameters
    ----------
    book, release
        The book, and the release.
    qids
        All QIDs of the lattice, in its order.
    kept
        The level of each that is not left out.
    """
    if kept and not any(kept.values()):
        return below(book, release, kept)[2]
    left_out = "|".join(name for name in qids if name not in kept)
    levels = "|".join(f"{name}:{kept[name]}" for name in qids if kept.get(name))
    found = book.number("alone after", *release, frozenset(qids), left_out, levels)
    groupings = [*starmap(on_level, kept.items())]
    least, most = alone_by_sizes(book, release, groupings)
    book.fix(found, least, book.most if most is None else most)
    if not kept:
        book.fix(found, 0, 0)
    return found


def on_level(qid: str, level: str) -> str:
    """Name the groups of a QID on a level, which have no name as they are.

    >>> on_level("age", "width 5"), on_level("age", "")
    ('age:width 5', 'age')
    """
    return f"{qid}:{level}" if level else qid


def _counted(book: Book, release: Key) -> Iterator[Counted]:
    """Yield all numbers of those alone by some levels."""
    for key, number in book.of_kind("below", *release):
        if key[-1] == 2:
            yield Counted(dict.fromkeys(key[-2], ""), number)
    for (*_, qids, left_out, levels), number in book.of_kind("alone after", *release):
        yield Counted(kept_of("|".join(sorted(qids)), left_out, levels), number)
